//! Runge-Kutta schemes whose stages are solved together: ED-α [rezaei, Eqs. 77-92] and Radau IIA of fifth order.
//!
//! The coefficients stand in [`crate::tables`]; here is the step. Unknowns are a and λ of every implicit stage;
//! coordinates relative to the beginning of the step, see [`crate::chart`], follow from them. Constraints hold in
//! every implicit stage, the last of which is the new state.

use nalgebra::{DMatrix, DVector, Matrix3, SMatrix, Vector3};

use super::constraint_rows::{ConstraintRows, Factors};
use super::coupled_estimate::{Estimator, Weights};
use super::coupled_map::Made;
use super::coupled_matrix::{Assembly, Coupling};
use crate::chart::{self, vector};
use crate::configuration::{joined, ranges};
use crate::linear_analysis::Oscillator;
use crate::model::{Block, Model, State};
use crate::newton::{Equations, Newton, Tolerance, Unknown, excess_of_acceleration, scales_of, sizes_of, unknown_of};
use crate::nonsmooth::{self, ContactEquations, ContactStepper, Contacts};
use crate::norms::{Lane, larger};
use crate::prelude::*;
use crate::rotation::{rotation_matrix, skew};
use crate::scheme::{ConstraintLevel, ErrorEstimate, Options, Scheme, SideBySide, Stepper};
use crate::step::{StepError, StepStats};
use crate::tables::Tableau;
use crate::tangent::{LinearEquations, STATE, StepMap};

/// Largest number of stages that are solved together.
const MAX_STAGES: usize = 3;
/// Velocities of the largest block, times the stages.
const MAX_TURN: usize = 6 * MAX_STAGES;
/// Derivatives of the increments of a block in every stage with respect to its accelerations in every stage.
pub(super) type Sensitivity = SMatrix<f64, MAX_TURN, MAX_TURN>;

/// A scheme given by its tableau; members that are known by name come from [`super::by_name`].
#[derive(Clone, Debug)]
pub struct Coupled {
    name: String,
    key: Option<&'static str>,
    order: u32,
    tableau: Tableau,
    /// Where constraints are imposed unless the options say otherwise.
    level: ConstraintLevel,
    estimate: Option<Weights>,
}

impl Coupled {
    /// A scheme whose tableau has up to three implicit stages, perhaps an explicit first one before them, and the
    /// weights as its last row.
    ///
    /// # Errors
    /// [`StepError::BadParameter`] for any other tableau.
    ///
    /// # Examples
    /// ```
    /// use hamel::schemes::Coupled;
    /// use hamel::{Scheme, tables};
    ///
    /// let scheme = Coupled::new("Radau IIA", 5, tables::radau_iia5())?;
    /// assert_eq!(scheme.order(), 5);
    /// // Gauss has its last stage before the end of the step.
    /// assert!(Coupled::new("Gauss", 6, tables::gauss()).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(name: impl Into<String>, order: u32, tableau: Tableau) -> Result<Self, StepError> {
        let name = name.into();
        let bad = |reason: &str| StepError::BadParameter { scheme: name.clone(), reason: reason.to_owned() };
        if let Some(fault) = tableau.fault() {
            return Err(bad(fault));
        }
        let stages = tableau.stages();
        let scheme =
            Self { name: name.clone(), key: None, order, tableau, level: ConstraintLevel::Position, estimate: None };
        let implicit = stages - scheme.explicit();
        if !(1..=MAX_STAGES).contains(&implicit) {
            return Err(bad("expected one to three implicit stages"));
        }
        if !scheme.tableau.is_stiffly_accurate() {
            return Err(bad("expected the weights as the last row of the tableau"));
        }
        Ok(scheme)
    }

    /// The same scheme as an entry of the registry.
    pub(super) fn with_key(self, key: &'static str) -> Self {
        Self { key: Some(key), ..self }
    }

    /// The same scheme with an estimate of its errors.
    pub(super) fn with_estimate(self, estimate: Weights) -> Self {
        Self { estimate: Some(estimate), ..self }
    }

    /// The same scheme with constraints on velocities unless the options say otherwise; ED-α is unstable with
    /// constraints on positions.
    pub(super) fn on_velocities(self) -> Self {
        Self { level: ConstraintLevel::Velocity, ..self }
    }

    /// Number of explicit stages before the implicit ones, 0 or 1.
    fn explicit(&self) -> usize {
        usize::from(self.tableau.has_explicit_first_stage())
    }
}

impl Scheme for Coupled {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn key(&self) -> Option<&'static str> {
        self.key
    }

    fn order(&self) -> u32 {
        self.order
    }

    fn stages(&self) -> u32 {
        (self.tableau.stages() - self.explicit()) as u32
    }

    fn preferred_level(&self) -> ConstraintLevel {
        self.level
    }

    fn level_of_chosen_steps(&self) -> ConstraintLevel {
        ConstraintLevel::Velocity
    }

    fn tableau(&self) -> Option<&Tableau> {
        Some(&self.tableau)
    }

    fn reads_accelerations(&self) -> bool {
        self.explicit() > 0
    }

    fn estimates_errors(&self) -> bool {
        self.estimate.is_some()
    }

    /// The force of a stage must change the velocity of that stage.
    fn carries_contacts(&self) -> bool {
        let first = self.explicit();
        self.tableau.matrix[first..].iter().enumerate().all(|(stage, row)| row[first + stage] > 0.0)
    }

    fn abreast(&self) -> SideBySide {
        SideBySide::Always
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(self.tableau.amplification(oscillator))
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        let level = options.constraint_level.unwrap_or(self.preferred_level());
        let stages = Stages::new(model, &self.tableau, self.explicit(), &initial, level);
        let pattern = &stages.assembly.pattern;
        let (unknowns, points) = (pattern.columns, stages.states.len());
        let newton = Newton::new(model, pattern, options.tolerance, options.newton_matrix);
        let weights = self.estimate.clone();
        let estimator = weights.map(|weights| Estimator::new(weights, model, &initial, level, options));
        let stepper = CoupledStepper {
            name: self.label(),
            newton,
            stages,
            state: initial,
            estimator,
            has_advanced: false,
            is_settled: false,
        };
        Ok(nonsmooth::with_contacts(stepper, model, &self.label(), &options.contacts, unknowns, points))
    }
}

#[derive(Clone)]
struct CoupledStepper<'m> {
    name: String,
    newton: Newton,
    stages: Stages<'m>,
    state: State,
    estimator: Option<Estimator<'m>>,
    /// Whether a step has led to the state, and has led to its beginning: then nothing infinitely fast is left in it.
    has_advanced: bool,
    is_settled: bool,
}

impl Stepper for CoupledStepper<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        self.is_settled = self.has_advanced;
        let stats = self.advance(dt, None)?;
        self.has_advanced = true;
        Ok(stats)
    }

    fn error_estimate(&mut self) -> Option<ErrorEstimate<'_>> {
        let Stages { reference, states, dt, .. } = &self.stages;
        Some(self.estimator.as_mut()?.evaluate(reference, states, *dt, !self.is_settled, &self.name))
    }

    fn linear_step(&mut self, map: &mut StepMap) -> Result<(), &'static str> {
        map.begin(STATE.len());
        self.stages.write_map(map, self.newton.left_out(self.stages.model))
    }

    fn leave_out(&mut self, constraints: &[usize]) -> bool {
        self.newton.leave_out(self.stages.model, constraints);
        self.estimator.iter_mut().for_each(|estimator| estimator.leave_out(constraints));
        true
    }

    fn retreat(&mut self) -> bool {
        self.state.copy_from(&self.stages.reference);
        self.has_advanced = false;
        true
    }

    fn resume(&mut self, next: &State) -> bool {
        self.has_advanced = false;
        self.state.a.copy_from(&next.a);
        self.state.lambda.copy_from(&next.lambda);
        true
    }

    fn correctable(&mut self) -> Option<&mut State> {
        Some(&mut self.state)
    }

    fn fork<'s>(&self) -> Option<Box<dyn Stepper + 's>>
    where
        Self: 's,
    {
        Some(Box::new(self.clone()))
    }
}

impl ContactStepper for CoupledStepper<'_> {
    fn step_with_contacts(&mut self, dt: f64, contacts: &mut Contacts) -> Result<StepStats, StepError> {
        self.advance(dt, Some(contacts))
    }

    fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    fn renew(&mut self) {}
}

impl CoupledStepper<'_> {
    fn advance(&mut self, dt: f64, mut contacts: Option<&mut Contacts>) -> Result<StepStats, StepError> {
        super::check_step_size(&self.name, dt)?;
        let stages = &mut self.stages;
        stages.begin(&self.state, dt);
        let start = self.state.t;
        let stats = Contacts::solve(contacts.as_deref_mut(), &mut self.newton, stages, start, &self.name)?;
        if let Some(contacts) = contacts {
            contacts.record_forces(stages.states.len() - 1, 1.0);
        }
        if let Some(last) = stages.states.last_mut() {
            last.drop_vanishing();
            last.t = self.state.t + dt;
            self.state.copy_from(last);
        }
        Ok(stats)
    }
}

/// The equations of all implicit stages.
#[derive(Clone)]
struct Stages<'m> {
    model: &'m dyn Model,
    blocks: &'m [Block],
    /// Nodes, and rows of the implicit stages: weights of the explicit stage and of the implicit ones.
    nodes: Vec<f64>,
    explicit: Vec<f64>,
    weights: Vec<Vec<f64>>,
    dt: f64,
    reference: State,
    /// Rate of the coordinates at the beginning of the step.
    first_rate: DVector<f64>,
    states: Vec<State>,
    x: Vec<DVector<f64>>,
    rates: Vec<DVector<f64>>,
    constraints: ConstraintRows,
    assembly: Assembly,
    /// One for each rotating block.
    sensitivities: Vec<Sensitivity>,
}

impl<'m> Stages<'m> {
    fn new(model: &'m dyn Model, tableau: &Tableau, explicit: usize, initial: &State, level: ConstraintLevel) -> Self {
        let (info, nv) = (model.describe(), model.dims().nv);
        let rows = &tableau.matrix[explicit..];
        let constraints = ConstraintRows::new(model, level);
        let zeros = vec![DVector::zeros(nv); rows.len()];
        let turning = info.blocks.iter().filter(|block| block.turn().is_some()).count();
        Self {
            model,
            blocks: &info.blocks,
            nodes: tableau.nodes[explicit..].to_vec(),
            explicit: rows.iter().map(|row| row[..explicit].iter().sum()).collect(),
            weights: rows.iter().map(|row| row[explicit..].to_vec()).collect(),
            dt: 0.0,
            reference: initial.clone(),
            first_rate: DVector::zeros(nv),
            states: vec![initial.clone(); rows.len()],
            x: zeros.clone(),
            rates: zeros,
            assembly: Assembly::new(model, rows.len(), &constraints),
            constraints,
            sensitivities: vec![Sensitivity::zeros(); turning],
        }
    }

    /// Sets up a step; the old acceleration and multipliers are the initial guess in every stage.
    fn begin(&mut self, old: &State, dt: f64) {
        self.dt = dt;
        self.reference.copy_from(old);
        let zero = &mut self.x[0];
        zero.fill(0.0);
        chart::rate(self.blocks, old.q.as_slice(), zero.as_slice(), old.v.as_slice(), self.first_rate.as_mut_slice());
        for ((state, x), node) in self.states.iter_mut().zip(&mut self.x).zip(&self.nodes) {
            state.copy_from(old);
            state.t = old.t + dt * node;
            x.copy_from(&self.first_rate);
            *x *= dt * node;
        }
        self.follow_accelerations();
    }

    /// What the step that was solved for last did.
    fn write_map(&self, map: &mut StepMap, left_out: Vec<usize>) -> Result<(), &'static str> {
        let Self { blocks, dt, reference, states, x, explicit, weights, .. } = self;
        let made = Made { blocks, dt: *dt, reference, states, x, explicit, weights };
        let levels = [self.constraints.of_coordinates(), ConstraintLevel::Velocity];
        let equations = LinearEquations { instants: made.instants(), levels, left_out };
        let Some((last, _)) = map.solve_in_contact(equations, None).pop() else { return Err("it has no stages") };
        map.end(last.all());
        Ok(())
    }

    /// Velocities and coordinates of all stages from their accelerations.
    fn follow_accelerations(&mut self) {
        let Self { blocks, dt, reference, first_rate, states, x, rates, explicit, weights, .. } = self;
        let accelerations = |states: &mut [State], stage: usize, explicit: f64, weights: &[f64]| {
            let mut v = core::mem::replace(&mut states[stage].v, DVector::zeros(0));
            v.copy_from(&reference.v);
            v.axpy(*dt * explicit, &reference.a, 1.0);
            for (state, weight) in states.iter().zip(weights) {
                v.axpy(*dt * weight, &state.a, 1.0);
            }
            states[stage].v = v;
        };
        for (stage, (explicit, weights)) in explicit.iter().zip(weights.iter()).enumerate() {
            accelerations(states, stage, *explicit, weights);
        }
        solve_turns(blocks, *dt, first_rate, states, x, explicit, weights);
        // After the rotations the vectors follow from their rates, which for poses depend on the orientation.
        for (state, x) in states.iter_mut().zip(x.iter()) {
            chart::place(blocks, reference.q.as_slice(), x.as_slice(), state.q.as_mut_slice());
        }
        for ((state, x), rate) in states.iter().zip(x.iter()).zip(rates.iter_mut()) {
            chart::rate(blocks, state.q.as_slice(), x.as_slice(), state.v.as_slice(), rate.as_mut_slice());
        }
        for (stage, (explicit, weights)) in explicit.iter().zip(weights.iter()).enumerate() {
            for (block, _, range) in joined(blocks) {
                let adding = if block.turn().is_some() { range.start..range.end - 3 } else { range };
                for i in adding {
                    let implicit: f64 = rates.iter().zip(weights).map(|(rate, weight)| weight * rate[i]).sum();
                    x[stage][i] = *dt * (explicit * first_rate[i] + implicit);
                }
            }
        }
        for (state, x) in states.iter_mut().zip(x.iter()) {
            chart::place(blocks, reference.q.as_slice(), x.as_slice(), state.q.as_mut_slice());
        }
    }
}

/// The rotations of one block in all stages.
type Turns = SMatrix<f64, { 3 * MAX_STAGES }, 1>;
type TurnMatrix = SMatrix<f64, { 3 * MAX_STAGES }, { 3 * MAX_STAGES }>;

/// Solves `gᵢ = h (eᵢ ġ₀ + Σ wᵢⱼ T(gⱼ) ωⱼ)` for every rotating block; not numbers if there is no solution.
fn solve_turns(
    blocks: &[Block],
    dt: f64,
    first_rate: &DVector<f64>,
    states: &[State],
    x: &mut [DVector<f64>],
    explicit: &[f64],
    weights: &[Vec<f64>],
) {
    for (_, _, range) in ranges(blocks).filter(|(block, ..)| block.turn().is_some()) {
        let turn = range.end - 3;
        let mut g = Turns::zeros();
        for (stage, x) in x.iter().enumerate() {
            g.fixed_rows_mut::<3>(3 * stage).copy_from(&vector(&x.as_slice()[turn..]));
        }
        let part = |g: &Turns, stage: usize| Vector3::new(g[3 * stage], g[3 * stage + 1], g[3 * stage + 2]);
        let omega = |stage: usize| vector(&states[stage].v.as_slice()[turn..]);
        let first = vector(&first_rate.as_slice()[turn..]);
        let solution = chart::solve_by_newton(g, |g| {
            let (mut residual, mut matrix) = (*g, TurnMatrix::identity());
            for (i, (explicit, weights)) in explicit.iter().zip(weights).enumerate() {
                let mut sum = *explicit * first;
                for (j, weight) in weights.iter().enumerate() {
                    sum += *weight * (chart::rate_matrix(&part(g, j)) * omega(j));
                    let derivative = chart::rate_derivative(&part(g, j), &omega(j));
                    let mut entry = matrix.fixed_view_mut::<3, 3>(3 * i, 3 * j);
                    entry -= dt * *weight * derivative;
                }
                let mut row = residual.fixed_rows_mut::<3>(3 * i);
                row -= dt * sum;
            }
            matrix.lu().solve(&residual)
        });
        for (stage, x) in x.iter_mut().enumerate() {
            let g = solution.map_or(Vector3::repeat(f64::NAN), |g| part(&g, stage));
            x.as_mut_slice()[turn..turn + 3].copy_from_slice(g.as_slice());
        }
    }
}

impl Stages<'_> {
    /// Derivatives of the increments of rotating blocks with respect to accelerations.
    fn evaluate_sensitivities(&mut self) {
        let Self { blocks, dt, states, x, weights, sensitivities, .. } = self;
        let s = states.len();
        let turning = ranges(blocks).filter(|(block, ..)| block.turn().is_some());
        for ((block, q_range, range), sensitivity) in turning.zip(sensitivities) {
            let turn = range.end - 3;
            let g = |stage: usize| vector(&x[stage].as_slice()[turn..]);
            let omega = |stage: usize| vector(&states[stage].v.as_slice()[turn..]);
            // With respect to angular velocities: T⁻¹ (I − h w ∂(T ω))⁻¹ h w T.
            let (mut implicit, mut by_omega) = (TurnMatrix::identity(), TurnMatrix::zeros());
            for i in 0..s {
                for j in 0..s {
                    let weight = *dt * weights[i][j];
                    let mut entry = implicit.fixed_view_mut::<3, 3>(3 * i, 3 * j);
                    entry -= weight * chart::rate_derivative(&g(j), &omega(j));
                    by_omega.fixed_view_mut::<3, 3>(3 * i, 3 * j).copy_from(&(weight * chart::rate_matrix(&g(j))));
                }
            }
            if !implicit.lu().solve_mut(&mut by_omega) {
                by_omega.fill(f64::NAN);
            }
            for i in 0..s {
                let inverse = chart::inverse_rate_matrix(&g(i));
                let mut rows = by_omega.fixed_rows_mut::<3>(3 * i);
                let product = inverse * &rows;
                rows.copy_from(&product);
            }
            let size = range.len();
            sensitivity.fill(0.0);
            for i in 0..s {
                for j in 0..s {
                    let angular: Matrix3<f64> = by_omega.fixed_view::<3, 3>(3 * i, 3 * j).into_owned();
                    sensitivity.fixed_view_mut::<3, 3>(size * i + size - 3, size * j + size - 3).copy_from(&angular);
                }
            }
            if let Block::Pose(attitude) = block {
                // p = h Σ w A u with A turning: in the axes of stage i, Aᵢᵀ h Σ wᵢⱼ Aⱼ (du − ũ dθ).
                let axes =
                    |stage: usize| rotation_matrix(&attitude.read(&states[stage].q.as_slice()[q_range.start + 3..]));
                for i in 0..s {
                    for j in 0..s {
                        let carried = *dt * weights[i][j] * (axes(i).transpose() * axes(j));
                        sensitivity.fixed_view_mut::<3, 3>(6 * i, 6 * j).copy_from(&carried);
                        let u = vector(&states[j].v.as_slice()[range.start..]);
                        for k in 0..s {
                            let angular: Matrix3<f64> = by_omega.fixed_view::<3, 3>(3 * j, 3 * k).into_owned();
                            let mut entry = sensitivity.fixed_view_mut::<3, 3>(6 * i, 6 * k + 3);
                            entry -= carried * skew(&u) * angular;
                        }
                    }
                }
            }
            // With respect to accelerations: v = v₀ + h Σ w a.
            let mut by_acceleration = Sensitivity::zeros();
            for k in 0..s {
                for l in 0..s {
                    let weight = *dt * weights[k][l];
                    for row in 0..size * s {
                        for c in 0..size {
                            by_acceleration[(row, size * l + c)] += weight * sensitivity[(row, size * k + c)];
                        }
                    }
                }
            }
            *sensitivity = by_acceleration;
        }
    }
}

impl ContactEquations for Stages<'_> {
    fn points(&self) -> usize {
        self.states.len()
    }

    fn state(&self, point: usize) -> &State {
        &self.states[point]
    }

    fn response(&self, point: usize, by: usize) -> f64 {
        self.dt * self.weights[point][by]
    }
}

impl Equations for Stages<'_> {
    fn residual(&mut self, out: &mut [f64]) {
        let n = out.len() / self.states.len();
        for (state, out) in self.states.iter().zip(out.chunks_exact_mut(n.max(1))) {
            let (force, constraint) = out.split_at_mut(state.v.len());
            self.model.residual(state, force, constraint);
            let factors = Factors { position: self.dt * self.dt, velocity: self.dt, acceleration: 1.0 };
            self.constraints.complete(self.model, state, factors, constraint);
        }
    }

    fn matrix(&mut self, out: &mut [f64]) {
        self.evaluate_sensitivities();
        let Self { model, dt, states, weights, assembly, sensitivities, .. } = self;
        out.fill(0.0);
        for (i, state) in states.iter().enumerate() {
            assembly.evaluate(*model, state);
            assembly.add_own(i, out);
            for l in 0..weights.len() {
                let double: f64 = (0..weights.len()).map(|k| weights[i][k] * weights[k][l]).sum();
                assembly.add_coupling(&Coupling { i, l, dt: *dt, single: weights[i][l], double, sensitivities }, out);
            }
        }
    }

    fn inertial_correction(&mut self, out: &mut [f64]) -> bool {
        let n = out.len() / self.states.len();
        let mut stages = self.states.iter().zip(out.chunks_exact_mut(n.max(1)));
        stages.all(|(state, out)| excess_of_acceleration(self.model, state, out))
    }

    fn subtract(&mut self, correction: &[f64]) {
        let n = correction.len() / self.states.len();
        for (state, correction) in self.states.iter_mut().zip(correction.chunks_exact(n.max(1))) {
            let (acceleration, multipliers) = correction.split_at(state.a.len());
            state.a.iter_mut().zip(acceleration).for_each(|(a, change)| *a -= change);
            state.lambda.iter_mut().zip(multipliers).for_each(|(lambda, change)| *lambda -= change);
        }
        self.follow_accelerations();
    }

    fn measure(&self, correction: &[f64], tolerance: &Tolerance, lane: Lane) -> f64 {
        let n = correction.len() / self.states.len();
        let (mut change, mut q, mut v) = (0.0_f64, 0.0_f64, 0.0_f64);
        for (state, correction) in self.states.iter().zip(correction.chunks_exact(n.max(1))) {
            change = larger(change, lane.largest(&correction[..state.a.len()]));
            q = larger(q, lane.largest(state.q.as_slice()));
            v = larger(v, lane.largest(state.v.as_slice()));
        }
        tolerance.measure(self.dt * self.dt * change, self.dt * change, q, v)
    }

    fn sizes(&self, out: &mut [f64]) {
        let n = out.len() / self.states.len();
        for (state, out) in self.states.iter().zip(out.chunks_exact_mut(n.max(1))) {
            sizes_of(self.model, state, self.dt * self.dt, out);
        }
    }

    fn position_factor(&self) -> f64 {
        self.dt * self.dt
    }

    fn name(&self, unknown: usize) -> Unknown {
        unknown_of(self.model, unknown)
    }

    fn is_bound(&self) -> bool {
        self.constraints.on_positions() > 0
    }

    fn scales(&self, loose: f64, out: &mut [f64]) {
        let n = out.len() / self.states.len();
        for (state, out) in self.states.iter().zip(out.chunks_exact_mut(n.max(1))) {
            scales_of(self.model, state, [self.dt * self.dt, self.dt], self.is_bound(), loose, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::common::{Craft, FreeBody, HeavyTop, Oscillator, Pendulum, Rotor};
    use super::*;
    use crate::tables;

    #[test]
    fn matrix_is_the_derivative_of_the_residual() {
        let (body, rotor) = (FreeBody::TUMBLING, Rotor(FreeBody::TUMBLING));
        let cases: [(&dyn Model, State); 6] = [
            (&Oscillator, Oscillator::initial()),
            (&Pendulum, Pendulum::initial()),
            (&body, body.initial(FreeBody::SPIN)),
            (&rotor, rotor.initial(FreeBody::SPIN)),
            (&HeavyTop, HeavyTop::initial()),
            (&Craft::PULLED, Craft::PULLED.initial([2.0, -3.0, 1.0], [0.5, 1.5, -2.0])),
        ];
        let tableaus = [(tables::ed_alpha(0.6, 1.0 / 6.0).unwrap(), 1), (tables::radau_iia5(), 0)];
        for (model, initial) in &cases {
            for (tableau, explicit) in &tableaus {
                let mut stages = Stages::new(*model, tableau, *explicit, initial, ConstraintLevel::Position);
                // The top spins so fast that longer steps leave the chart.
                stages.begin(initial, 3e-3);
                let pattern = stages.assembly.pattern.clone();
                crate::newton::assert_matrix_is_exact(&mut stages, &pattern, &model.describe().name);
            }
        }
    }
}
