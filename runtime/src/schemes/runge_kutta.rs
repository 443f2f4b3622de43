//! Explicit Runge-Kutta schemes: the classical one of fourth order, for reference solutions, and a pair of fifth and fourth
//! order, whose difference estimates the error of a step.
//!
//! It integrates `q̇ = N v`, `v̇ = a` with a from `[M, −Gᵀ; G, 0] (a, λ) = (f − h, −bias)`, the equations with their
//! constraints differentiated twice. After each step coordinates and velocities are projected back onto `g = 0` and
//! `ġ = 0`, in the metric of M, so that constraints do not drift.

use nalgebra::{DMatrix, DVector};

use crate::acceleration::Acceleration;
use crate::configuration::{difference, normalize_rotations, retract, velocity_map_apply};
use crate::linear_analysis::Oscillator;
use crate::model::{Attitude, Block, Model, State};
use crate::norms::largest;
use crate::prelude::*;
use crate::scheme::{ConstraintLevel, ErrorEstimate, Options, Scheme, SideBySide, Stepper};
use crate::step::{Cause, StepError, StepStats};
use crate::tables::{self, Tableau};
use crate::tangent::{Point, Projected, STATE, StepMap, Target, addition};

/// The classical scheme of Runge and Kutta, explicit, of fourth order.
///
/// # Examples
/// Of fourth order: half the step leaves a sixteenth of the error.
///
/// ```
/// # hamel::multibody! {
/// #     model Oscillator {
/// #         planar;
/// #         coordinates joint;
/// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
/// #         joint rail: prismatic(ground, block);
/// #         force spring: spring(ground, block) { stiffness: 4 N/m }
/// #         initial rail.displacement = 1 m;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::{Scheme, initial_state, schemes::RungeKutta};
///
/// let model = Oscillator::default();
/// let error = |steps: u32| -> Result<f64, Box<dyn std::error::Error>> {
///     let mut stepper = RungeKutta.start(&model, initial_state(&model)?)?;
///     for _ in 0..steps {
///         stepper.step(1.0 / f64::from(steps))?;
///     }
///     Ok((stepper.state().q[0] - 2_f64.cos()).abs())
/// };
/// let ratio = error(20)? / error(40)?;
/// assert!((ratio / 16.0 - 1.0).abs() < 0.2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RungeKutta;

/// A projection has converged when its correction is below this fraction of one plus the coordinates.
const PROJECTED: f64 = 1e-15;
/// A projection has failed if its last correction is above this fraction of one plus the coordinates.
const PROJECTION_FAILED: f64 = 1e-12;
const MAX_PROJECTIONS: u32 = 10;

impl Scheme for RungeKutta {
    fn name(&self) -> String {
        "Runge-Kutta".to_owned()
    }

    fn key(&self) -> Option<&'static str> {
        Some("runge_kutta")
    }

    fn order(&self) -> u32 {
        4
    }

    fn stages(&self) -> u32 {
        4
    }

    fn abreast(&self) -> SideBySide {
        SideBySide::Classical
    }

    fn reads_accelerations(&self) -> bool {
        false
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(tables::runge_kutta4().amplification(oscillator))
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        Ok(Box::new(RungeKuttaStepper::new(self, tables::runge_kutta4(), model, initial, options)))
    }
}

/// The explicit schemes of Dormand and Prince (1980), of fifth order with an estimate of fourth order. The end of a step is
/// the first stage of the next one.
///
/// # Examples
/// With a tolerance, as their purpose is.
///
/// ```
/// # hamel::multibody! {
/// #     model Oscillator {
/// #         planar;
/// #         coordinates joint;
/// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
/// #         joint rail: prismatic(ground, block);
/// #         force spring: spring(ground, block) { stiffness: 4 N/m }
/// #         initial rail.displacement = 1 m;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::schemes::DormandPrince;
/// use hamel::{Simulation, initial_state};
///
/// let model = Oscillator::default();
/// let run = Simulation::new(&model, &DormandPrince).tolerance(1e-10).until(1.0).run(initial_state(&model)?);
/// let end = run.trajectory.column("rail.displacement")?.next_back().expect("the end");
/// assert!((end - 2_f64.cos()).abs() < 1e-8);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DormandPrince;

impl Scheme for DormandPrince {
    fn name(&self) -> String {
        "Dormand-Prince 5(4)".to_owned()
    }

    fn key(&self) -> Option<&'static str> {
        Some("dormand_prince")
    }

    fn order(&self) -> u32 {
        5
    }

    fn stages(&self) -> u32 {
        6
    }

    fn reads_accelerations(&self) -> bool {
        false
    }

    fn abreast(&self) -> SideBySide {
        SideBySide::WithClosedForm
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(tables::dormand_prince().amplification(oscillator))
    }

    fn estimates_errors(&self) -> bool {
        true
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        Ok(Box::new(RungeKuttaStepper::new(self, tables::dormand_prince(), model, initial, options)))
    }
}

#[derive(Clone)]
struct RungeKuttaStepper<'m> {
    name: String,
    order: u32,
    blocks: &'m [Block],
    tableau: Tableau,
    acceleration: Acceleration<'m>,
    is_constrained: bool,
    /// Where the end of a step obeys the constraints; within a step accelerations do.
    level: ConstraintLevel,
    /// The last state that was reached.
    state: State,
    /// Whether its accelerations are those of the equations of motion at it, as the last step left it; and the same at the
    /// beginning of the last step.
    is_accelerated: bool,
    was_accelerated: bool,
    stage: State,
    next: State,
    /// Of all stages but one that is the end of the step.
    rates: Vec<Rates>,
    moved: DVector<f64>,
    /// Length of the last step, s.
    dt: f64,
    /// Difference to the embedded scheme in x and v.
    error: Option<[DVector<f64>; 2]>,
}

/// What the coordinates and velocities of a stage change by.
#[derive(Clone)]
struct Rates {
    q: DVector<f64>,
    v: DVector<f64>,
    a: DVector<f64>,
    lambda: DVector<f64>,
}

impl<'m> RungeKuttaStepper<'m> {
    fn new(scheme: &impl Scheme, tableau: Tableau, model: &'m dyn Model, initial: State, options: &Options) -> Self {
        let dims = model.dims();
        let zeros = || DVector::zeros(dims.nv);
        let lambda = DVector::zeros(dims.nc);
        let rates = Rates { q: DVector::zeros(dims.nq), v: zeros(), a: zeros(), lambda };
        let stages = tableau.stages() - usize::from(tableau.is_stiffly_accurate());
        Self {
            blocks: &model.describe().blocks,
            name: scheme.label(),
            order: scheme.order(),
            acceleration: Acceleration::new(model, scheme.label()),
            is_constrained: dims.nc > 0,
            level: options.constraint_level.unwrap_or(scheme.preferred_level()),
            stage: initial.clone(),
            next: initial.clone(),
            state: initial,
            is_accelerated: false,
            was_accelerated: false,
            rates: vec![rates; stages],
            moved: DVector::zeros(dims.nq),
            dt: 0.0,
            error: tableau.embedded.is_some().then(|| [zeros(), zeros()]),
            tableau,
        }
    }
}

impl Stepper for RungeKuttaStepper<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    // What is interpolated within the next step begins with these accelerations; its stages find their own.
    fn resume(&mut self, next: &State) -> bool {
        self.is_accelerated = false;
        self.state.a.copy_from(&next.a);
        self.state.lambda.copy_from(&next.lambda);
        true
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        super::check_step_size(&self.name, dt)?;
        self.acceleration.begin(self.state.t);
        let blocks = self.blocks;

        self.was_accelerated = self.is_accelerated;
        self.stage.copy_from(&self.state);
        self.next.q.copy_from(&self.state.q);
        self.next.v.copy_from(&self.state.v);
        for index in 0..self.rates.len() {
            let (known, rest) = self.rates.split_at_mut(index);
            let (stage, rates) = (&mut self.stage, &mut rest[0]);
            if index > 0 {
                stage.t = self.state.t + dt * self.tableau.nodes[index];
                stage.q.copy_from(&self.state.q);
                stage.v.copy_from(&self.state.v);
                for (known, &factor) in
                    known.iter().zip(&self.tableau.matrix[index]).filter(|(_, factor)| **factor != 0.0)
                {
                    stage.q.axpy(dt * factor, &known.q, 1.0);
                    stage.v.axpy(dt * factor, &known.a, 1.0);
                }
            }
            if index > 0 || !self.is_accelerated {
                self.acceleration.find(stage)?;
            }
            velocity_map_apply(blocks, stage.q.as_slice(), stage.v.as_slice(), rates.q.as_mut_slice());
            rates.v.copy_from(&stage.v);
            rates.a.copy_from(&stage.a);
            rates.lambda.copy_from(&stage.lambda);
            let weight = self.tableau.weights[index];
            self.next.q.axpy(dt * weight, &rates.q, 1.0);
            self.next.v.axpy(dt * weight, &rates.a, 1.0);
        }

        self.next.t = self.state.t + dt;
        normalize_rotations(blocks, self.next.q.as_mut_slice());
        if self.is_constrained {
            self.acceleration.factor(&self.next)?;
            if self.level == ConstraintLevel::Position {
                self.project_coordinates()?;
                self.acceleration.factor(&self.next)?;
            }
            if self.level != ConstraintLevel::Acceleration {
                self.project_velocities()?;
            }
        }
        self.acceleration.find(&mut self.next)?;
        self.acceleration.check_end(&self.next)?;
        self.estimate_error(dt);
        core::mem::swap(&mut self.state, &mut self.next);
        self.is_accelerated = true;
        self.dt = dt;
        Ok(self.acceleration.stats)
    }

    fn retreat(&mut self) -> bool {
        core::mem::swap(&mut self.state, &mut self.next);
        self.is_accelerated = self.was_accelerated;
        true
    }

    fn error_estimate(&mut self) -> Option<ErrorEstimate<'_>> {
        let [x, v] = self.error.as_ref()?;
        let stats = StepStats::default();
        Some(ErrorEstimate { x: x.as_slice(), v: v.as_slice(), order: self.order - 1, stats })
    }

    fn linear_step(&mut self, map: &mut StepMap) -> Result<(), &'static str> {
        self.write_map(map)
    }

    fn leave_out(&mut self, constraints: &[usize]) -> bool {
        self.is_accelerated = false;
        self.acceleration.leave_out(constraints);
        true
    }

    fn correctable(&mut self) -> Option<&mut State> {
        self.is_accelerated = false;
        Some(&mut self.state)
    }

    fn fork<'s>(&self) -> Option<Box<dyn Stepper + 's>>
    where
        Self: 's,
    {
        Some(Box::new(self.clone()))
    }
}

impl RungeKuttaStepper<'_> {
    fn write_map(&self, map: &mut StepMap) -> Result<(), &'static str> {
        let leaves_sphere = |block: &Block| matches!(block.turn(), Some((_, Attitude::EulerParameters)));
        if self.blocks.iter().any(leaves_sphere) {
            return Err(
                "its stages leave the unit sphere of Euler parameters; take a scheme without stages of this kind, \
                        such as `generalized_alpha`",
            );
        }
        let Self { state, next: old, tableau, rates, dt, .. } = self;
        map.begin(STATE.len());
        let left_out = self.acceleration.left_out();
        let mut stages: Vec<(State, Point)> = Vec::new();
        let reached = |weights: &[f64], t: f64, a: &DVector<f64>, lambda: &DVector<f64>| {
            let State { q, v, .. } = old;
            let mut reached = State { t, q: q.clone(), v: v.clone(), a: a.clone(), lambda: lambda.clone() };
            for (rates, weight) in rates.iter().zip(weights) {
                reached.q.axpy(dt * weight, &rates.q, 1.0);
                reached.v.axpy(dt * weight, &rates.a, 1.0);
            }
            reached
        };
        // Coordinates and velocities of what these stages lead to.
        let along = |map: &mut StepMap, stages: &[(State, Point)], weights: &[f64], to: &State| {
            let added = |from: &State| addition(self.blocks, to.q.as_slice(), from.q.as_slice(), from.v.as_slice());
            let [kept, _] = added(old);
            let (mut position, mut velocity) = (vec![(kept, STATE[0])], vec![(1.0, STATE[1])]);
            for ((stage, point), weight) in stages.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                let [by_v, by_q] = added(stage).map(|map| map.scaled(dt * weight));
                position.extend([(by_v, point.velocity), (by_q, point.position)]);
                velocity.push((dt * weight, point.acceleration));
            }
            position.retain(|(map, _)| !map.is_zero());
            [map.sum(position), map.combine(&velocity)]
        };
        for (index, rates) in rates.iter().enumerate() {
            let weights = &tableau.matrix[index];
            let stage = reached(weights, old.t + dt * tableau.nodes[index], &rates.a, &rates.lambda);
            let [position, velocity] = along(map, &stages, weights, &stage);
            let point = if index == 0 && self.was_accelerated {
                Point { position, velocity, acceleration: STATE[2], multiplier: STATE[3] }
            } else {
                map.accelerate(stage.clone(), position, velocity, &left_out)
            };
            stages.push((stage, point));
        }
        let before = reached(&tableau.weights, state.t, &state.a, &state.lambda);
        let [mut position, mut velocity] = along(map, &stages, &tableau.weights, &before);
        if self.is_constrained {
            if self.level == ConstraintLevel::Position {
                let mut by = vec![0.0; state.v.len()];
                difference(self.blocks, before.q.as_slice(), state.q.as_slice(), &mut by);
                [position, _] = map.project(Projected {
                    by,
                    metric: before.clone(),
                    metric_position: position,
                    target: Target::Coordinates,
                    after: state.clone(),
                    left_out: left_out.clone(),
                });
            }
            if self.level != ConstraintLevel::Acceleration {
                [velocity, _] = map.project(Projected {
                    by: (&state.v - &before.v).as_slice().to_vec(),
                    metric: state.clone(),
                    metric_position: position,
                    target: Target::Velocities { position, velocity },
                    after: state.clone(),
                    left_out: left_out.clone(),
                });
            }
        }
        let end = map.accelerate(state.clone(), position, velocity, &left_out);
        map.end([end.position, end.velocity, end.acceleration, end.multiplier]);
        Ok(())
    }

    /// `h Σ (b − b̂) ẏ`, where the end of the step is the last stage.
    fn estimate_error(&mut self, dt: f64) {
        let (Some([x, v]), Some(embedded)) = (&mut self.error, &self.tableau.embedded) else { return };
        x.fill(0.0);
        v.fill(0.0);
        let end = (&self.next.v, &self.next.a);
        let stages = self.rates.iter().map(|rates| (&rates.v, &rates.a)).chain([end]);
        for ((rate, a), (weight, embedded)) in stages.zip(self.tableau.weights.iter().zip(embedded)) {
            x.axpy(dt * (weight - embedded), rate, 1.0);
            v.axpy(dt * (weight - embedded), a, 1.0);
        }
    }

    /// Moves the coordinates onto `g = 0` by Newton's method with the matrix factorized last.
    fn project_coordinates(&mut self) -> Result<(), StepError> {
        let nv = self.next.v.len();
        let mut size = f64::INFINITY;
        for _ in 0..MAX_PROJECTIONS {
            self.acceleration.position_rows(&self.next);
            self.acceleration.solve()?;
            let correction = &self.acceleration.rhs[..nv];
            retract(self.blocks, self.next.q.as_slice(), correction, self.moved.as_mut_slice());
            core::mem::swap(&mut self.next.q, &mut self.moved);
            self.acceleration.stats.newton_iterations += 1;
            let relative = largest(&self.acceleration.rhs[..nv]) / (1.0 + largest(self.next.q.as_slice()));
            let previous = core::mem::replace(&mut size, relative);
            if size <= PROJECTED || (size >= previous && size <= PROJECTION_FAILED) {
                return Ok(());
            }
        }
        if size <= PROJECTION_FAILED {
            return Ok(());
        }
        let residual = largest(&self.acceleration.rhs[..nv]);
        Err(StepError::NotConverged {
            t: self.state.t,
            scheme: self.name.clone(),
            iteration: MAX_PROJECTIONS,
            residual,
            cause: Cause::StepTooLong,
        })
    }

    /// Moves the velocities onto `G v + rate = 0`.
    fn project_velocities(&mut self) -> Result<(), StepError> {
        let nv = self.next.v.len();
        self.acceleration.velocity_correction(&self.next)?;
        for (v, change) in self.next.v.iter_mut().zip(&self.acceleration.rhs[..nv]) {
            *v += change;
        }
        Ok(())
    }
}
