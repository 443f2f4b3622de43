//! Mixed time stepping: contact forces within the step of a base scheme, impacts at its end. [rezaei, Fig. 4]

use nalgebra::DVector;

use super::{ClosingTime, Contacts, GapWatch, LEAST_PART, VelocityMap};
use crate::acceleration::Acceleration;
use crate::model::{Model, State};
use crate::norms::largest;
use crate::prelude::*;
use crate::rows::relative_velocities;
use crate::scheme::{AfterImpact, ContactOptions, Impact, InitialAcceleration, Stepper};
use crate::start::rounding_of_gaps;
use crate::step::{ContactRecord, StepError, StepStats, check_finite};
use crate::tangent::{BeforeImpact, Closing, Moving, STATE, StepMap, Turn, Zero};

/// A stepper that accepts contact forces within its steps, and jumps of the velocities between them.
pub(crate) trait ContactStepper: Stepper {
    /// [`Stepper::step`] under the forces of the closed contacts, which it records.
    fn step_with_contacts(&mut self, dt: f64, contacts: &mut Contacts) -> Result<StepStats, StepError>;
    /// The current state, whose velocities may be changed.
    fn state_mut(&mut self) -> &mut State;
    /// Reads the accelerations of the current state again after they were changed.
    fn renew(&mut self);
}

/// The base stepper, wrapped with contacts if the model has any.
///
/// `unknowns`: size of its linear systems; `points`: number of points in time of a step at which contacts act.
pub(crate) fn with_contacts<'m, B: ContactStepper + Clone + 'm>(
    base: B,
    model: &'m dyn Model,
    scheme: &str,
    options: &ContactOptions,
    unknowns: usize,
    points: usize,
) -> Box<dyn Stepper + 'm> {
    if model.describe().contacts.is_empty() {
        return Box::new(base);
    }
    let contacts = Contacts::new(
        model,
        scheme.to_owned(),
        unknowns.max(model.describe().iteration_matrix.rows),
        points,
        options.settings,
    );
    let mut stepper = Nonsmooth {
        next: base.state().clone(),
        watch: GapWatch::new(contacts.len()),
        impact: Acceleration::new(model, scheme.to_owned()),
        before: Before {
            what: Kept::Nothing,
            v: base.state().v.clone(),
            a: base.state().a.clone(),
            record: ContactRecord::default(),
            is_new: true,
            has_jumped: false,
        },
        base,
        contacts,
        options: *options,
        is_new: true,
        has_jumped: false,
        ends_bounces: options.follow_impacts,
        motion: [(); 2].map(|()| vec![0.0; model.describe().contact_jacobian.rows]),
    };
    stepper.watch.observe(0, &mut stepper.contacts, stepper.base.state());
    stepper.contacts.close_at_start(
        &stepper.watch.gaps[0],
        rounding_of_gaps(model, stepper.base.state().q.as_slice(), &options.settings),
    );
    stepper.contacts.record_gaps(&stepper.watch.gaps[0]);
    stepper.before.record = stepper.contacts.record.clone();
    Box::new(stepper)
}

#[derive(Clone)]
struct Nonsmooth<'m, B> {
    base: B,
    contacts: Contacts<'m>,
    watch: GapWatch,
    impact: Acceleration<'m>,
    /// Workspace for recomputed accelerations.
    next: State,
    options: ContactOptions,
    /// Whether no step has been made.
    is_new: bool,
    /// Whether forces have jumped since the last step.
    has_jumped: bool,
    /// Whether impacts that nobody notices have no restitution, because they would become ever faster.
    ends_bounces: bool,
    before: Before,
    /// Relative velocities along the rows of Wᵀ at the beginning of a step, and at its end.
    motion: [Vec<f64>; 2],
}

/// What a step that fails must restore, of the time before it applied impacts.
#[derive(Clone)]
struct Before {
    what: Kept,
    v: DVector<f64>,
    a: DVector<f64>,
    record: ContactRecord,
    is_new: bool,
    has_jumped: bool,
}

/// How much is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Nothing,
    /// The record, before an impact at the end of the step.
    Record,
    /// Record, velocities and accelerations, before an impact or new accelerations at its beginning.
    All,
}

impl<B: ContactStepper + Clone> Stepper for Nonsmooth<'_, B> {
    fn state(&self) -> &State {
        self.base.state()
    }

    fn contacts(&self) -> Option<&ContactRecord> {
        Some(&self.contacts.record)
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        match self.options.follow_impacts {
            false => self.whole_step(dt),
            true => {
                let beginning = self.clone();
                self.step_in_parts(dt).inspect_err(|_| *self = beginning)
            }
        }
    }

    fn has_impacts_after_steps(&self) -> bool {
        true
    }

    fn linear_start(&self, map: &mut StepMap) -> Result<(), &'static str> {
        if self.options.initial_acceleration != InitialAcceleration::Free
            || self.options.after_impact != AfterImpact::Carried
        {
            return Err("slopes are those of accelerations that contacts leave as they are; leave `after_impact` out");
        }
        if self.options.follow_impacts {
            return Err(
                "a step that is made in parts has no slopes; leave `follow_impacts` out, slopes follow them anyway",
            );
        }
        self.base.linear_start(map)
    }

    fn linear_step(&mut self, map: &mut StepMap) -> Result<(), &'static str> {
        let Self { base, contacts, .. } = self;
        if contacts.history.began_with_impact {
            return Err("an impact precedes a step, as where a motion begins with contacts that approach");
        }
        // The step led to the velocities before the impacts.
        let after = base.state().v.clone();
        if let Some(first) = contacts.history.impacts().next() {
            base.state_mut().v.copy_from_slice(first.before);
        }
        contacts.tell(map);
        let result = base.linear_step(map);
        base.state_mut().v.copy_from(&after);
        result?;
        let where_it_ends = || map.stopped.iter().chain(&map.turns).copied();
        let mut leaders: Vec<usize> = where_it_ends().map(|turn| turn.leader).collect();
        leaders.dedup();
        let together = |leader: usize| where_it_ends().filter(|turn| turn.leader == leader).collect::<Vec<Turn>>();
        if !leaders.into_iter().all(|leader| self.does_one_thing(&together(leader))) {
            return Err(NOT_ONE_THING);
        }
        let turns = core::mem::take(&mut map.turns);
        if !turns.is_empty() {
            return self.turn(&turns, map);
        }
        let follows = if map.follows_impacts { self.followed()? } else { None };
        let Self { base, contacts, impact, .. } = self;
        let mut outputs = map.outputs();
        let [position, velocity, acceleration, multiplier, ..] = outputs[..] else { return Ok(()) };
        let mut moved = [position, velocity];
        let moving = follows.as_ref().map(|followed| {
            let time = map.close(Closing { position, velocity, ..followed.closing.clone() });
            map.operations.impact = Some(BeforeImpact { point: [position, velocity, acceleration, multiplier], time });
            moved = [0, 1].map(|k| map.shift(moved[k], (1.0, &followed.before[k]), time));
            let Followed { rates, constraint_rates, .. } = followed;
            Moving { time, rates: rates.clone(), constraint_rates: constraint_rates.clone() }
        });
        let pressed = contacts.pressed();
        for struck in contacts.history.impacts() {
            moved[1] = map.strike(base.state(), moved, struck, &impact.left_out(), (moving.clone(), &pressed));
        }
        if let (Some(followed), Some(Moving { time, .. })) = (follows, moving) {
            moved = [0, 1].map(|k| map.shift(moved[k], (-1.0, &followed.after[k]), time));
        }
        outputs[..2].copy_from_slice(&moved);
        map.end(outputs);
        Ok(())
    }

    fn after_impact(&self) -> Option<Impact> {
        let Self { base, contacts, .. } = self;
        let first = contacts.history.impacts().next()?;
        let mut before = base.state().clone();
        before.v.copy_from_slice(first.before);
        let was_closed = self.was_closed();
        let closing = (0..contacts.len()).filter(|&contact| first.acted.closed[contact] != 0.0 && !was_closed[contact]);
        let rest = contacts.rest(base.state().v.as_slice());
        let velocities = &self.watch.velocities[1];
        let stays_closed = contacts.closed.iter().any(|&contact| velocities[contact].abs() <= rest);
        let fastest = contacts.fastest.clone();
        Some(Impact { before, closing: closing.collect(), stays_closed, fastest })
    }

    fn leave_contacts(&mut self, are_open: bool, fastest: &[f64]) {
        self.ends_bounces = true;
        let own = self.contacts.fastest.iter_mut().zip(fastest);
        own.for_each(|(own, fastest)| *own = own.max(*fastest));
        let Self { base, contacts, watch, .. } = self;
        if !are_open {
            return contacts.have_left();
        }
        watch.observe(0, contacts, base.state());
        contacts.leave(&watch.velocities[0], contacts.rest(base.state().v.as_slice()));
    }

    fn leave_out(&mut self, constraints: &[usize]) -> bool {
        self.impact.leave_out(constraints);
        self.base.leave_out(constraints)
    }

    /// The accelerations depend on contact forces; they are recomputed at the beginning of the next step.
    fn resume(&mut self, _next: &State) -> bool {
        self.has_jumped = true;
        true
    }

    fn correctable(&mut self) -> Option<&mut State> {
        self.base.correctable()
    }

    fn fork<'s>(&self) -> Option<Box<dyn Stepper + 's>>
    where
        Self: 's,
    {
        Some(Box::new(self.clone()))
    }
}

/// An impact whose instant changes with what the motion depends on.
struct Followed {
    /// For the contact that closes.
    closing: Closing,
    /// Velocities and accelerations before it and after it.
    before: [DVector<f64>; 2],
    after: [DVector<f64>; 2],
    /// How relative velocities, and the rates of constraints, change with time alone.
    rates: Vec<f64>,
    constraint_rates: Vec<f64>,
}

const NOT_ONE_THING: &str = "where sliding ends a contact sticks in one stage of a step and slides in another, which has \
                             no slope; take another scheme, such as `radau_iia5`";
/// Friction within this part of its bound is at it.
const AT_BOUND: f64 = 1e-9;

/// A slip that friction cannot stop within the instant of which accelerations are found, as a multiple of what the other
/// forces change it by.
const SLIDES_ON: f64 = 1e3;

/// Relative velocities that differ by more than this part of the largest change with time in other ways than driven
/// obstacles do.
const DRIVEN: f64 = 1e-9;

impl<'m, B: ContactStepper + Clone> Nonsmooth<'m, B> {
    fn whole_step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        self.before.what = Kept::Nothing;
        self.try_step(dt).inspect_err(|_| self.restore())
    }

    /// A step in parts that end where contacts close.
    fn step_in_parts(&mut self, dt: f64) -> Result<StepStats, StepError> {
        let (end, mut left) = (self.base.state().t + dt, dt);
        let (mut stats, mut at_once) = (StepStats::default(), 0);
        while left > LEAST_PART * dt {
            let mut beginning = self.clone();
            stats += self.whole_step(left)?;
            let mut length = self.end_at_impact(&beginning, left, &mut stats)?;
            let is_none = |length: Option<f64>| length.is_some_and(|length| length <= LEAST_PART * dt);
            if is_none(length) && at_once < self.contacts.settings.most_impacts && self.has_struck() {
                // The step began where a contact was about to close.
                at_once += 1;
            } else if is_none(length) {
                // A contact that does not separate notably stays closed.
                beginning.leave_contacts(false, &[]);
                *self = beginning.clone();
                stats += self.whole_step(left)?;
                length = self.end_at_impact(&beginning, left, &mut stats)?;
                if is_none(length) {
                    let (t, scheme) = (beginning.base.state().t, self.contacts.scheme().to_owned());
                    let reason = "impacts follow each other without end; leave `follow_impacts` out";
                    return Err(StepError::NoHeadway { t, scheme, dt: left, accepted: 0, rejected: 0, reason });
                }
            }
            let Some(length) = length else { break };
            // The next part begins with the contacts that are left, and with accelerations without those before the impact.
            self.leave_contacts(true, &[]);
            self.has_jumped = true;
            left -= length;
        }
        // Coordinates that satisfy constraints at the end of a short rest do so by accelerations like rounding errors over the
        // square of its length.
        self.has_jumped |= left < dt && !self.base.state().lambda.is_empty();
        self.base.state_mut().t = end;
        Ok(stats)
    }

    /// Replaces a step of this length, which has passed an impact, by one that ends there; its length.
    fn end_at_impact(&mut self, beginning: &Self, dt: f64, stats: &mut StepStats) -> Result<Option<f64>, StepError> {
        let Some(Impact { mut closing, .. }) = self.after_impact() else { return Ok(None) };
        let least = |of: &Self, closing: &[usize]| {
            closing.iter().map(|&contact| of.contacts.record.gaps[contact]).fold(f64::INFINITY, f64::min)
        };
        let mut time = ClosingTime::new(dt, [beginning, &*self].map(|of| least(of, &closing)));
        while let Some(tried) = time.next() {
            let mut other = beginning.clone();
            *stats += other.whole_step(tried)?;
            let found = other.after_impact();
            closing = found.as_ref().map_or(closing, |found| found.closing.clone());
            time.narrow(tried, least(&other, &closing), found.is_some());
            if found.is_some() {
                *self = other;
            }
        }
        Ok(Some(time.length()))
    }

    /// Whether a contact that has closed at the end of the last step approached so fast that it bounces.
    fn has_struck(&self) -> bool {
        let Some(Impact { before, closing, .. }) = self.after_impact() else { return false };
        let velocities = relative_velocities(self.contacts.model, &before);
        let rest = self.contacts.rest(before.v.as_slice());
        let approach = |contact: usize| -velocities[self.contacts.first_rows[contact]];
        closing.iter().any(|&contact| !self.contacts.is_slow(contact, approach(contact), rest))
    }

    /// Which contacts were closed in the step.
    fn was_closed(&self) -> Vec<bool> {
        match self.contacts.history.within().last() {
            Some(last) => last.closed.iter().map(|closed| *closed != 0.0).collect(),
            None => vec![false; self.contacts.len()],
        }
    }

    /// The impact after the last step, if there was one, from the unprojected state after it.
    fn followed(&self) -> Result<Option<Followed>, &'static str> {
        let (model, Some(Impact { before, closing, .. })) = (self.contacts.model, self.after_impact()) else {
            return Ok(None);
        };
        let &[contact] = &closing[..] else {
            return Err("several contacts close at one instant, and each would close at another one");
        };
        let after = self.base.state();
        let was_closed = self.was_closed();
        let accelerations = [
            self.accelerations(&before, |_, contact| was_closed[contact], (&[], 0.0))?,
            self.accelerations(after, |_, contact| self.contacts.is_closed(contact), (&[], 0.0))?,
        ];
        let [rates, constraint_rates] = partial_rates(model, &before);
        let [others, _] = partial_rates(model, after);
        let is_driven = |(a, b): (&f64, &f64)| (a - b).abs() <= DRIVEN * (1.0 + a.abs().max(b.abs()));
        if !rates.iter().zip(&others).all(is_driven) || !has_steady_directions(model, &before) {
            return Err("an impact in directions that change with time alone, as those of an obstacle that is driven \
                        round");
        }
        let row = self.contacts.first_rows[contact];
        let (mut contacts, mut rates_of_gaps) = (self.contacts.clone(), vec![0.0; self.contacts.len()]);
        contacts.evaluate(0, before.t, before.q.as_slice(), before.v.as_slice());
        contacts.normal_velocities(0, before.v.as_slice(), &mut rates_of_gaps);
        let rate = rates_of_gaps[contact];
        let [position, velocity] = [STATE[0], STATE[1]];
        let closing = Closing { state: before.clone(), position, velocity, zero: Zero::Gap { contact, row }, rate };
        let [a, b] = accelerations;
        let along = self.on_constraints(&before)?;
        Ok(Some(Followed { closing, before: [along, a], after: [after.v.clone(), b], rates, constraint_rates }))
    }

    /// Velocities of a state that satisfy the constraints, the nearest in the metric of M. Coordinates stay on the
    /// constraints as the instant of an impact moves, also where schemes leave velocities beside them: a short step behind
    /// it would take what is missing for forces.
    fn on_constraints(&self, state: &State) -> Result<DVector<f64>, &'static str> {
        let mut equations = self.impact.clone();
        equations.begin(state.t);
        let found = equations.factor(state).and_then(|()| equations.velocity_correction(state));
        found.map_err(|_| "the equations of motion where contacts change have no solution")?;
        Ok(&state.v + DVector::from_column_slice(&equations.rhs[..state.v.len()]))
    }

    /// Whether contacts that slide together stick at all instants of the last step at which they are closed, or slide one way
    /// at all of them. How several of them share their friction nothing determines, so that their sum counts.
    fn does_one_thing(&self, together: &[Turn]) -> bool {
        let Self { contacts, .. } = self;
        let mut first: Option<Option<[f64; 2]>> = None;
        self.contacts.history.within().filter(|acted| acted.closed[together[0].contact] != 0.0).all(|acted| {
            let (mut force, mut bound) = ([0.0; 2], 0.0);
            for &Turn { contact, direction, .. } in together {
                let (row, tangents) = (contacts.first_rows[contact], contacts.infos[contact].tangents);
                let own = [0, 1].map(|k| if k < tangents { acted.forces[row + 1 + k] } else { 0.0 });
                bound += contacts.laws[contact].friction * acted.forces[row];
                match together.len() {
                    1 => force = own,
                    // Tangents of other contacts may have other directions.
                    _ => force[0] += direction[0] * own[0] + direction[1] * own[1],
                }
            }
            let slides = (force[0].hypot(force[1]) > (1.0 - AT_BOUND) * bound).then_some(force);
            match (*first.get_or_insert(slides), slides) {
                (None, None) => true,
                (Some(a), Some(b)) => a[0] * b[0] + a[1] * b[1] > 0.0,
                _ => false,
            }
        })
    }

    /// What the end of sliding at the end of the last step does to changes: its instant changes, before it along the motion
    /// that slides on, behind it back along the one that follows.
    fn turn(&self, turns: &[Turn], map: &mut StepMap) -> Result<(), &'static str> {
        let (state, Turn { contact, direction, .. }) = (self.base.state(), turns[0]);
        let was_closed = self.was_closed();
        let [sliding, turned] =
            [SLIDES_ON, 0.0].map(|slip| self.accelerations(state, |_, contact| was_closed[contact], (turns, slip)));
        let (sliding, turned) = (sliding?, turned?);
        let (row, mut contacts) = (self.contacts.first_rows[contact], self.contacts.clone());
        contacts.evaluate(0, state.t, state.q.as_slice(), state.v.as_slice());
        let tangents = contacts.model.describe().contacts[contact].tangents;
        let rate = (0..tangents).map(|k| direction[k] * contacts.slip_rate(row + 1 + k, sliding.as_slice())).sum();
        if rate >= 0.0 {
            return Err("sliding ends where it begins again, at an instant that has no slope");
        }
        let mut outputs = map.outputs();
        let [position, velocity, ..] = outputs[..] else { return Ok(()) };
        let zero = Zero::Slip { contact, row, direction };
        let time = map.close(Closing { state: state.clone(), position, velocity, zero, rate });
        outputs[1] = map.shift(velocity, (1.0, &(sliding - turned)), time);
        map.end(outputs);
        Ok(())
    }

    /// Accelerations at a state with the forces of these contacts, some of which may have other slips than the state's,
    /// multiples of what other forces change them by in the instant of which they are found.
    fn accelerations(
        &self,
        state: &State,
        is_closed: impl Fn(&Contacts<'m>, usize) -> bool,
        slips: (&[Turn], f64),
    ) -> Result<DVector<f64>, &'static str> {
        let (mut contacts, mut equations, mut next) = (self.contacts.clone(), self.impact.clone(), state.clone());
        equations.begin(state.t);
        contacts.close(is_closed);
        // By the factors, which the contacts need too.
        let found = equations.eliminate(&mut next);
        let found = found.and_then(|()| press(&mut contacts, &mut equations, &mut next, slips));
        found.map(|()| next.a).map_err(|_| "the equations of motion where contacts change have no solution")
    }
}

/// ∂ξ/∂t of relative velocities ξ = Wᵀ v + rate, and of the rates G v + ∂g/∂t of constraints.
fn partial_rates(model: &dyn Model, state: &State) -> [Vec<f64>; 2] {
    let (info, nv) = (model.describe(), state.v.len());
    let sizes = [info.contact_jacobian.rows, info.constraint_jacobian.rows];
    let mut rates = sizes.map(|rows| vec![0.0; rows]);
    let [mut of_contacts, mut of_constraints] = rates.clone();
    let [mut by_q, mut rate_by_q] = sizes.map(|rows| vec![0.0; rows * nv]);
    let [mut unused, mut also_unused] = [(); 2].map(|()| rate_by_q.clone());
    let (t, q, v) = (state.t, state.q.as_slice(), state.v.as_slice());
    model.contact_bias(t, q, v, &mut of_contacts, &mut rates[0]);
    model.contact_derivatives(state, &mut by_q);
    model.constraint_bias(t, q, v, &mut of_constraints, &mut rates[1]);
    model.constraint_derivatives(state, &mut rate_by_q, &mut unused, &mut also_unused);
    for (rates, by_q) in rates.iter_mut().zip([by_q, rate_by_q]) {
        for (total, by_q) in rates.iter_mut().zip(by_q.chunks_exact(nv)) {
            *total -= by_q.iter().zip(v).map(|(by, v)| by * v).sum::<f64>();
        }
    }
    rates
}

/// Whether the directions of contacts and constraints depend on the configuration alone.
fn has_steady_directions(model: &dyn Model, state: &State) -> bool {
    let (info, q) = (model.describe(), state.q.as_slice());
    let of = |t: f64| {
        let (mut w, mut g) = (vec![0.0; info.contact_jacobian.nnz()], vec![0.0; info.constraint_jacobian.nnz()]);
        model.contact_jacobian(t, q, &mut w);
        model.constraint_jacobian(t, q, &mut g);
        [w, g]
    };
    of(state.t) == of(state.t + 0.37)
}

/// Accelerations and multipliers under the forces of the closed contacts, which the record has then, from those without
/// them, of which the equations have the solution; see [`Nonsmooth::accelerations`] of `slip`.
pub(super) fn press(
    contacts: &mut Contacts,
    equations: &mut Acceleration,
    next: &mut State,
    (turns, factor): (&[Turn], f64),
) -> Result<(), StepError> {
    let (t, q) = (next.t, next.q.as_slice());
    contacts.reset_warm_start();
    contacts.evaluate(0, t, q, next.v.as_slice());
    for &Turn { contact, direction, .. } in turns {
        let size = factor * contacts.settings.instant * (1.0 + largest(next.a.as_slice()));
        contacts.set_slip(contact, next.v.as_slice(), direction.map(|part| size * part));
    }
    contacts.accelerate(next.v.as_slice(), contacts.rest(next.v.as_slice()), contacts.settings.instant);
    let motion = VelocityMap::single(next.v.as_slice(), contacts.settings.instant, 0.0);
    contacts.impose(&mut equations.solver, &mut equations.rhs, &motion)?;
    let (a, lambda) = equations.rhs.split_at(next.a.len());
    next.a.copy_from_slice(a);
    next.lambda.copy_from_slice(lambda);
    contacts.record_forces(0, 1.0);
    contacts.reset_warm_start();
    Ok(())
}

impl<B: ContactStepper> Nonsmooth<'_, B> {
    fn try_step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        let start = self.base.state().t;
        self.contacts.begin_history();
        let mut stats = StepStats::default();
        self.watch.observe(0, &mut self.contacts, self.base.state());
        stats += self.begin(start)?;
        let State { t, q, v, .. } = self.base.state();
        self.contacts.evaluate(0, *t, q.as_slice(), v.as_slice());
        self.contacts.motion_along(0, v.as_slice(), &mut self.motion[0]);
        stats += self.base.step_with_contacts(dt, &mut self.contacts)?;
        self.watch.observe(1, &mut self.contacts, self.base.state());
        let Self { base, contacts, watch, motion, .. } = self;
        contacts.motion_along(0, base.state().v.as_slice(), &mut motion[1]);
        let work = [contacts.record.work, contacts.record.most_work];
        contacts.record_work(dt, &motion[0], &motion[1]);
        contacts.update_kept_closed(&watch.gaps[1], &watch.velocities[1], contacts.rest(base.state().v.as_slice()));
        match self.finish(start, dt, work) {
            Ok(impact) => stats += impact,
            Err(error) => {
                self.base.retreat();
                self.contacts.restore_kept_closed();
                [self.contacts.record.work, self.contacts.record.most_work] = work;
                return Err(error);
            }
        }
        self.contacts.record_gaps(&self.watch.gaps[1]);
        Ok(stats)
    }

    /// Keeps what the rest of the step may change.
    fn keep(&mut self, what: Kept) {
        let Self { base, contacts, before, is_new, has_jumped, .. } = self;
        before.record.copy_from(&contacts.record);
        if what == Kept::All {
            before.v.copy_from(&base.state().v);
            before.a.copy_from(&base.state().a);
            (before.is_new, before.has_jumped) = (*is_new, *has_jumped);
        }
        before.what = what;
    }

    /// Restores what was kept after the step has failed.
    fn restore(&mut self) {
        let Self { base, contacts, before, is_new, has_jumped, .. } = self;
        if before.what != Kept::Nothing {
            contacts.record.copy_from(&before.record);
        }
        if before.what == Kept::All {
            let state = base.state_mut();
            state.v.copy_from(&before.v);
            state.a.copy_from(&before.a);
            base.renew();
            (*is_new, *has_jumped) = (before.is_new, before.has_jumped);
            // No contact counts as closed, so that the next attempt repeats the impact.
            contacts.closed.clear();
        }
    }

    /// Begins a step. If contacts have closed since the end of the last step, because this is the first one or because the
    /// state was corrected, and a closed contact approaches, an impact follows.
    fn begin(&mut self, start: f64) -> Result<StepStats, StepError> {
        let Self { base, contacts, watch, .. } = self;
        let has_closed = watch.has_closed(0, contacts);
        contacts.begin(start, &watch.gaps[0]);
        let collides = has_closed && watch.approaches(0, contacts, contacts.rest(base.state().v.as_slice()));
        // Parts of steps begin with the forces of the contacts that go on, and so does the first.
        let is_consistent =
            self.options.initial_acceleration == InitialAcceleration::Consistent || self.options.follow_impacts;
        // The initial accelerations know of no contacts, and belong to the velocities before the impact.
        let is_renewed = self.has_jumped || self.is_new && (collides || is_consistent && !contacts.closed.is_empty());
        if collides || is_renewed {
            self.keep(Kept::All);
        }
        let mut stats = StepStats::default();
        if collides {
            stats += self.apply_impacts(0, start)?;
            self.contacts.history.began_with_impact = true;
        }
        let Self { base, contacts, watch, .. } = self;
        contacts.release_separating(&watch.velocities[0], contacts.rest(base.state().v.as_slice()));
        if is_renewed {
            stats += self.renew_acceleration(is_consistent || self.has_jumped)?;
            self.contacts.begin(start, &self.watch.gaps[0]);
        }
        self.contacts.have_left();
        self.is_new = false;
        self.has_jumped = false;
        Ok(stats)
    }

    /// The impact of contacts that have closed in a step; `work` is that of the record before the step.
    fn finish(&mut self, start: f64, dt: f64, work: [f64; 2]) -> Result<StepStats, StepError> {
        self.watch.check(&self.contacts, start, dt, largest(self.base.state().v.as_slice()))?;
        if !self.watch.has_closed(1, &self.contacts) {
            return Ok(StepStats::default());
        }
        if self.before.what == Kept::Nothing {
            self.keep(Kept::Record);
            [self.before.record.work, self.before.record.most_work] = work;
        }
        self.contacts.begin(start, &self.watch.gaps[1]);
        let mut stats = self.apply_impacts(1, start)?;
        let Self { base, contacts, watch, options, .. } = self;
        contacts.release_separating(&watch.velocities[1], contacts.rest(base.state().v.as_slice()));
        let is_consistent = options.initial_acceleration == InitialAcceleration::Consistent;
        if options.after_impact == AfterImpact::Renewed {
            stats += self.renew_acceleration(is_consistent)?;
        }
        Ok(stats)
    }

    /// Applies impacts to the closed contacts at the beginning (0) or end (1) of the step from `start`, where gaps were
    /// observed last.
    fn apply_impacts(&mut self, end: usize, start: f64) -> Result<StepStats, StepError> {
        let Self { base, contacts, watch, impact, ends_bounces, .. } = self;
        impact.begin(start);
        let (rest, velocities) = (contacts.rest(base.state().v.as_slice()), &watch.velocities[end]);
        contacts.approach(velocities);
        let are_slow = contacts.closed.iter().all(|&contact| contacts.is_slow(contact, -velocities[contact], rest));
        let restitution = if *ends_bounces && are_slow { 0.0 } else { 1.0 };
        impacts(contacts, impact, base.state_mut(), &mut watch.velocities[end], restitution)?;
        check_finite(base.state(), start, contacts.scheme())?;
        Ok(impact.stats)
    }

    /// Recomputes the accelerations from the equations of motion; if `is_consistent`, with the forces of closed
    /// contacts.
    fn renew_acceleration(&mut self, is_consistent: bool) -> Result<StepStats, StepError> {
        let Self { base, contacts, watch, impact, next, .. } = self;
        next.copy_from(base.state());
        impact.begin(next.t);
        impact.eliminate(next)?;
        if is_consistent {
            let (t, q) = (next.t, next.q.as_slice());
            contacts.model.contact_gap(t, q, &mut watch.gaps[1]);
            contacts.begin(t, &watch.gaps[1]);
            press(contacts, impact, next, (&[], 0.0))?;
        }
        let state = base.state_mut();
        state.a.copy_from(&next.a);
        state.lambda.copy_from(&next.lambda);
        base.renew();
        Ok(impact.stats)
    }
}

/// Applies impacts to the closed contacts, whose directions were evaluated at this state, until none approaches, with this
/// fraction of their restitution; `velocities` are the normal ones of all contacts afterwards.
///
/// What moves them satisfies the constraints: schemes that have coordinates satisfy them leave velocities that do not, and
/// a short step behind the impact would take what they miss for accelerations.
///
/// By Newton's law of impact a contact that separates may approach again, because another contact accelerates one of its
/// bodies; then a further impact follows at the same instant. The last one has no restitution.
pub(super) fn impacts(
    contacts: &mut Contacts,
    impact: &mut Acceleration,
    state: &mut State,
    velocities: &mut [f64],
    restitution: f64,
) -> Result<(), StepError> {
    contacts.reset_warm_start();
    impact.factor(state)?;
    for round in 0..=contacts.settings.most_impacts {
        let share = if round < contacts.settings.most_impacts { restitution } else { 0.0 };
        // Without the contacts: what moves velocities that have left the constraints back to them.
        impact.velocity_correction(state)?;
        let loss = contacts.apply_impact(&mut impact.solver, &mut impact.rhs, state.v.as_slice(), share)?;
        contacts.record_impact(&loss, round == 0);
        contacts.note_impact(loss.share(), state.v.as_slice(), &impact.rhs);
        contacts.record_drives(impact.work_of_impulses(state));
        state.v.iter_mut().zip(&impact.rhs).for_each(|(v, change)| *v += change);
        contacts.normal_velocities(0, state.v.as_slice(), velocities);
        // Impulses are not a suitable initial guess for forces.
        contacts.reset_warm_start();
        let unnoticed = contacts.unnoticed(state.v.as_slice());
        if !contacts.closed.iter().any(|&contact| velocities[contact] < -unnoticed) {
            break;
        }
    }
    Ok(())
}
