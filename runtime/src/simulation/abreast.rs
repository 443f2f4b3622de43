//! Steps of runs that are integrated abreast: one stepper of all instances, and what is known of its states.

use crate::abreast::{ABREAST, LaneFunction};
use crate::events::Cubic;
use crate::instances::{Instances, load, take};
use crate::known::Known;
use crate::model::{Energy, Model, State};
use crate::prelude::*;
use crate::projection::Projection;
use crate::residuals::for_terms;
use crate::scheme::Stepper;
use crate::step::StepStats;

use super::Going;
use super::lanes::Team;

/// A stepper of all instances.
pub(super) struct Abreast<'i, 'm> {
    instances: &'i Instances<'m>,
    stepper: Box<dyn Stepper + 'i>,
    /// For each instance its run.
    members: Vec<usize>,
    /// What moves states of each instance back onto constraints.
    projections: Vec<Projection<'m>>,
    /// What the last step has taken of each instance.
    stats: [StepStats; ABREAST],
    room: State,
    observed: Observed,
    steps: u64,
}

/// What recorders and watchers ask of the models at the end of a step, of all instances; nothing where it is asked for one by
/// one.
struct Observed {
    previous: State,
    cubic: Cubic,
    is_conservative: bool,
    is_scleronomic: bool,
    energy: Values,
    power: Values,
    power_halfway: Values,
    outputs: Values,
    positions: Values,
    rate: Values,
    velocities: Values,
    /// G, and room for what is not needed.
    jacobian: Vec<f64>,
    unused: Vec<f64>,
}

/// Values of all instances, if they count.
struct Values {
    all: Vec<f64>,
    is_known: bool,
}

impl Values {
    fn new(length: usize) -> Self {
        Self { all: vec![0.0; ABREAST * length], is_known: false }
    }

    fn of(&self, i: usize) -> impl Iterator<Item = f64> {
        self.all.iter().skip(i).step_by(ABREAST).copied()
    }
}

impl Observed {
    fn new(instances: &Instances, one: &dyn Model, start: &State) -> Self {
        let (info, nc) = (one.describe(), one.dims().nc);
        Self {
            previous: start.clone(),
            cubic: Cubic::new(start),
            is_conservative: info.is_conservative,
            is_scleronomic: info.is_scleronomic,
            energy: Values::new(2),
            power: Values::new(1),
            power_halfway: Values::new(1),
            outputs: Values::new(info.outputs.len()),
            positions: Values::new(nc),
            rate: Values::new(nc),
            velocities: Values::new(nc),
            jacobian: vec![0.0; ABREAST * info.constraint_jacobian.nnz()],
            unused: vec![0.0; instances.dims().nc],
        }
    }

    /// Evaluates what is asked for at this state, to which a step has led from the one before.
    fn find(&mut self, instances: &Instances, state: &State, is_recorded: bool) {
        let Self { previous, cubic, energy, power, power_halfway, outputs, positions, rate, velocities, .. } = self;
        for values in [&mut *energy, power, power_halfway, outputs, positions, rate, velocities] {
            values.is_known = false;
        }
        let is_constrained = !state.lambda.is_empty();
        let moves = is_constrained && !self.is_scleronomic;
        if is_constrained {
            let results = &mut [&mut rate.all[..], &mut self.unused];
            // Rates that are always zero stay as they were made.
            rate.is_known = !moves || instances.evaluate_at(LaneFunction::ConstraintBias, state, results);
        }
        if !self.is_conservative {
            power.is_known = instances.evaluate_at(LaneFunction::Power, state, &mut [&mut power.all]);
        }
        let has_power = |is_known: bool| self.is_conservative || is_known;
        if (moves || !self.is_conservative) && has_power(power.is_known) && (rate.is_known || !moves) {
            let halfway =
                cubic.at(&instances.describe().blocks, [previous, state], state.t - 0.5 * (state.t - previous.t));
            power_halfway.all.fill(0.0);
            power_halfway.is_known = self.is_conservative
                || instances.evaluate_at(LaneFunction::Power, halfway, &mut [&mut power_halfway.all]);
            if moves {
                let results = &mut [&mut velocities.all[..], &mut self.unused];
                power_halfway.is_known &= instances.evaluate_at(LaneFunction::ConstraintBias, halfway, results);
                let mut sums = [-0.0; ABREAST];
                let terms = velocities.all.as_chunks::<ABREAST>().0.iter().zip(halfway.lambda.as_slice().as_chunks().0);
                for (rate, lambda) in terms {
                    let lambda: &[f64; ABREAST] = lambda;
                    (0..ABREAST).for_each(|i| sums[i] += rate[i] * lambda[i]);
                }
                power_halfway.all.iter_mut().zip(sums).for_each(|(power, sum)| *power -= sum);
            }
        }
        previous.copy_from(state);
        if !is_recorded {
            return;
        }
        let (kinetic, potential) = energy.all.split_at_mut(ABREAST);
        energy.is_known = instances.evaluate_at(LaneFunction::Energy, state, &mut [kinetic, potential]);
        outputs.is_known = instances.evaluate_at(LaneFunction::Outputs, state, &mut [&mut outputs.all]);
        if is_constrained {
            positions.is_known = instances.evaluate_at(LaneFunction::Constraint, state, &mut [&mut positions.all]);
        }
        if rate.is_known {
            let results = &mut [&mut self.jacobian[..]];
            velocities.is_known = instances.evaluate_at(LaneFunction::ConstraintJacobian, state, results);
            velocities.all.copy_from_slice(&rate.all);
            let all = &mut velocities.all;
            for_terms(instances, state.v.as_slice(), &self.jacobian, |row, term| all[row] += term);
        }
    }

    /// What is known of an instance.
    fn tell(&self, i: usize, is_first: bool, known: &mut Known) {
        known.clear();
        let one = |values: &Values| if values.is_known { values.of(i).next() } else { None };
        if self.energy.is_known {
            let mut energies = self.energy.of(i);
            known.energy =
                energies.next().zip(energies.next()).map(|(kinetic, potential)| Energy { kinetic, potential });
        }
        known.power = one(&self.power);
        // The first step begins with the state that the run was given.
        known.power_halfway = one(&self.power_halfway).filter(|_| !is_first);
        let lists = [
            (&self.outputs, &mut known.outputs, &mut known.has_outputs),
            (&self.positions, &mut known.positions, &mut known.has_positions),
            (&self.rate, &mut known.rate, &mut known.has_rate),
            (&self.velocities, &mut known.velocities, &mut known.has_velocities),
        ];
        for (values, list, is_known) in lists {
            *is_known = values.is_known;
            list.clear();
            if values.is_known {
                list.extend(values.of(i));
            }
        }
    }
}

impl<'i, 'm> Abreast<'i, 'm> {
    /// For runs that have begun; `None` if the scheme refuses them.
    pub(super) fn new(instances: &'i Instances<'m>, runs: &[Going<'m>], members: Vec<usize>) -> Option<Self> {
        let simulation = &runs[*members.first()?].simulation;
        let (scheme, model, options) = (simulation.scheme, simulation.model, simulation.options);
        let mut start = instances.zeros();
        for i in 0..ABREAST {
            load(&mut start, i, runs[members[i.min(members.len() - 1)]].driver()?.state());
        }
        let info = model.describe();
        let is_projected = options.removes_drift(scheme) && info.constraints.len() > info.velocity_constraints;
        let projection = |&run: &usize| {
            let state = runs[run].driver()?.state();
            Some(Projection::of_scheme(runs[run].simulation.model, scheme.label(), state))
        };
        let projections = match is_projected {
            true => members.iter().map(projection).collect::<Option<_>>()?,
            false => Vec::new(),
        };
        let options = options.with_newton_matrix(scheme, !info.constraints.is_empty());
        let observed = Observed::new(instances, model, &start);
        let stepper = scheme.stepper(instances, start, &options).ok()?;
        let room = State::zeros(model.dims());
        Some(Self { instances, stepper, members, projections, stats: Default::default(), room, observed, steps: 0 })
    }
}

impl Team for Abreast<'_, '_> {
    fn step(&mut self, lengths: &[Option<f64>], is_observed: bool, has_result: &mut [bool]) {
        let Self { instances, stepper, members, projections, stats, room, observed, steps } = self;
        let abreast = instances.counted();
        has_result.fill(false);
        let Some(dt) = members.iter().find_map(|&run| lengths[run]) else { return };
        let others = (0..members.len()).filter(|&i| lengths[members[i]] != Some(dt));
        others.for_each(|i| abreast.retire(i));
        abreast.ask(abreast.going());
        if stepper.step(dt).is_err() {
            return;
        }
        *stats = abreast.take().map(|[newton_iterations, factorizations, at_rounding]| StepStats {
            newton_iterations,
            factorizations,
            at_rounding,
        });
        let going = abreast.going();
        for (i, projection) in projections.iter_mut().enumerate().filter(|(i, _)| going[*i]) {
            take(stepper.state(), i, room);
            match (projection.after_step(dt, room), stepper.correctable()) {
                (Ok(projected), Some(state)) => {
                    stats[i] += projected;
                    load(state, i, room);
                }
                _ => abreast.retire(i),
            }
        }
        let is_finite = is_finite(stepper.state());
        (0..ABREAST).filter(|&i| !is_finite[i]).for_each(|i| abreast.retire(i));
        *steps += 1;
        let mut going = abreast.going();
        // A few take as long as all; at the beginning it costs little to leave.
        if *steps == 1 && going.iter().filter(|is_going| **is_going).count() <= ABREAST / 4 {
            going = [false; ABREAST];
        }
        members.iter().enumerate().for_each(|(i, &run)| has_result[run] = going[i]);
        abreast.ask(going);
        observed.find(instances, stepper.state(), is_observed);
    }

    fn store(&self, run: usize, state: &mut State) {
        take(self.stepper.state(), self.place(run), state);
    }

    fn known(&self, run: usize, known: &mut Known) {
        self.observed.tell(self.place(run), self.steps == 1, known);
    }

    fn stats(&self, run: usize) -> StepStats {
        self.stats[self.place(run)]
    }
}

impl Abreast<'_, '_> {
    /// The instance of a run.
    fn place(&self, run: usize) -> usize {
        self.members.iter().position(|&member| member == run).unwrap_or_default()
    }
}

/// For which instances all values of a state are finite.
fn is_finite(state: &State) -> [bool; ABREAST] {
    let mut finite = [true; ABREAST];
    for list in [&state.q, &state.v, &state.a, &state.lambda] {
        for values in list.as_slice().as_chunks::<ABREAST>().0 {
            (0..ABREAST).for_each(|i| finite[i] &= values[i].is_finite());
        }
    }
    finite
}
