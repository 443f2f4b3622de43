//! The equations of motion at one time point, `y = ŷ + β ẏ` with `y = (x, v)`, `ẏ = (T(x) v, a)`: what a step of a
//! multistep scheme and a stage of a diagonally implicit Runge-Kutta scheme have in common. [zhang, Eqs. 8, 9]
//!
//! ŷ is a sum over earlier points. Coordinates are relative to a reference configuration, see [`crate::chart`].
//! Newton's method finds a and λ; x follows from them by its own, local equation. The multipliers belong to the time
//! point alone: no scheme extrapolates or averages them.

use nalgebra::DVector;

use super::constraint_rows::{ConstraintRows, Factors};
use super::iteration_matrix::{Correction, IterationMatrix, Source};
use crate::chart;
use crate::configuration::ranges;
use crate::model::{Block, Model, State};
use crate::newton::{Equations, Newton, Tolerance, Unknown, excess_of_acceleration, scales_of, sizes_of, unknown_of};
use crate::nonsmooth::{ContactEquations, Contacts};
use crate::norms::Lane;
use crate::prelude::*;
use crate::scheme::{ConstraintLevel, Options, Predictor};
use crate::step::{StepError, StepStats};
use crate::tables;
use crate::tangent::{Blocks, Instant, LinearEquations, Point, Register, StepMap, Sum, location, rate, solution};

#[derive(Clone)]
pub(super) struct TimePoint<'m> {
    newton: Newton,
    equations: PointEquations<'m>,
    /// Workspace of [`TimePoint::make_tangential`].
    rhs: Vec<f64>,
}

#[derive(Clone)]
struct PointEquations<'m> {
    model: &'m dyn Model,
    blocks: &'m [Block],
    constraints: ConstraintRows,
    matrix: IterationMatrix,
    beta: f64,
    reference: DVector<f64>,
    /// x̂ and v̂.
    known_x: DVector<f64>,
    known_v: DVector<f64>,
    x: DVector<f64>,
    state: State,
    /// Coordinates of an earlier point, and their rate.
    past_x: DVector<f64>,
    past_rate: DVector<f64>,
}

impl<'m> TimePoint<'m> {
    pub(super) fn new(model: &'m dyn Model, initial: &State, options: &Options) -> Self {
        let blocks = &model.describe().blocks;
        let nv = model.dims().nv;
        let level = options.constraint_level.unwrap_or(ConstraintLevel::Position);
        let constraints = ConstraintRows::new(model, level);
        let turning = ranges(blocks).filter(|(block, ..)| block.turn().is_some());
        // In the order in which `matrix` adds them.
        let corrections: Vec<Correction> = turning
            .flat_map(|(_, _, columns)| {
                [Source::Stiffness, Source::ConstraintJacobian]
                    .map(|source| Correction::Columns(source, columns.clone()))
            })
            .collect();
        let matrix = IterationMatrix::new(model, &corrections, constraints.on_positions());
        let zeros = || DVector::zeros(nv);
        Self {
            rhs: vec![0.0; matrix.pattern().columns],
            newton: Newton::new(model, matrix.pattern(), options.tolerance, options.newton_matrix),
            equations: PointEquations {
                model,
                blocks,
                constraints,
                matrix,
                beta: 0.0,
                reference: initial.q.clone(),
                known_x: zeros(),
                known_v: zeros(),
                x: zeros(),
                state: initial.clone(),
                past_x: zeros(),
                past_rate: zeros(),
            },
        }
    }

    /// Leaves constraints out of the equations from now on.
    pub(super) fn leave_out(&mut self, constraints: &[usize]) {
        self.newton.leave_out(self.equations.model, constraints);
    }

    /// Begins a new point.
    pub(super) fn begin(&mut self, reference: &DVector<f64>) {
        let equations = &mut self.equations;
        equations.reference.copy_from(reference);
        equations.known_x.fill(0.0);
        equations.known_v.fill(0.0);
    }

    /// Adds an earlier point and its derivative, weighted, to ŷ.
    pub(super) fn add(&mut self, past: &State, value: f64, derivative: f64) {
        let PointEquations { blocks, reference, known_x, known_v, past_x, past_rate, .. } = &mut self.equations;
        if value == 0.0 && derivative == 0.0 {
            return;
        }
        chart::locate(blocks, reference.as_slice(), past.q.as_slice(), past_x.as_mut_slice());
        chart::rate(blocks, past.q.as_slice(), past_x.as_slice(), past.v.as_slice(), past_rate.as_mut_slice());
        known_x.axpy(value, past_x, 1.0);
        known_x.axpy(derivative, past_rate, 1.0);
        known_v.axpy(value, &past.v, 1.0);
        known_v.axpy(derivative, &past.a, 1.0);
    }

    /// Adds a value and a derivative-like part of its own to ŷ.
    pub(super) fn add_rates(&mut self, factor: f64, x_rate: &DVector<f64>, v_rate: &DVector<f64>) {
        self.equations.known_x.axpy(factor, x_rate, 1.0);
        self.equations.known_v.axpy(factor, v_rate, 1.0);
    }

    /// Initial guess of a and λ from earlier points, the latest first.
    pub(super) fn guess(&mut self, predictor: Predictor, t: f64, past: &[&State]) {
        let state = &mut self.equations.state;
        state.lambda.copy_from(&past[0].lambda);
        state.a.copy_from(&past[0].a);
        match (predictor, past) {
            // The initial guess of a second stage at the same time is the solution of the first one.
            (_, &[first, ..]) if first.t == t => {}
            (Predictor::ThreePoint, &[first, second, third, ..]) => {
                let (h, last, before) = (t - first.t, first.t - second.t, second.t - third.t);
                extrapolate(tables::three_point(h / last, last / before), h, &[first, second, third], &mut state.a);
            }
            (Predictor::TwoPoint | Predictor::ThreePoint, &[first, second, ..]) => {
                let (h, last) = (t - first.t, first.t - second.t);
                extrapolate(tables::two_point(h / last), h, &[first, second], &mut state.a);
            }
            _ => {}
        }
    }

    /// Number of unknowns.
    pub(super) fn size(&self) -> usize {
        self.equations.matrix.pattern().columns
    }

    /// Solves for the point at time t, under the forces of closed contacts where there are any; `start` is the time of
    /// the step's beginning, for errors.
    pub(super) fn solve(
        &mut self,
        t: f64,
        beta: f64,
        start: f64,
        scheme: &str,
        contacts: Option<&mut Contacts>,
    ) -> Result<StepStats, StepError> {
        let equations = &mut self.equations;
        equations.state.t = t;
        equations.beta = beta;
        equations.x.copy_from(&equations.known_x);
        equations.follow_acceleration();
        let stats = Contacts::solve(contacts, &mut self.newton, equations, start, scheme)?;
        equations.state.drop_vanishing();
        Ok(stats)
    }

    /// The point that was solved for last.
    pub(super) fn state(&self) -> &State {
        &self.equations.state
    }

    /// Its coordinates relative to the reference, and their rate.
    pub(super) fn coordinates(&mut self) -> (&DVector<f64>, &DVector<f64>) {
        let PointEquations { blocks, state, x, past_rate, .. } = &mut self.equations;
        chart::rate(blocks, state.q.as_slice(), x.as_slice(), state.v.as_slice(), past_rate.as_mut_slice());
        (x, past_rate)
    }

    /// Takes from an error of velocities near the point that was solved for last what the constraints do not allow.
    pub(super) fn make_tangential(&mut self, error: &mut [f64]) {
        let Self { newton, equations, rhs } = self;
        let PointEquations { model, constraints, state, .. } = equations;
        constraints.make_tangential(*model, newton, state, rhs, error);
    }

    /// The same where constraints are imposed on positions, so that velocities miss them.
    pub(super) fn make_tangential_on_positions(&mut self, error: &mut [f64]) {
        if self.equations.constraints.on_positions() > 0 {
            self.make_tangential(error);
        }
    }

    /// Whether constraints bind velocities.
    pub(super) fn binds_velocities(&self) -> bool {
        self.equations.constraints.bind_velocities()
    }

    /// Writes how a point that was solved for answers to those before it, each with its weights of value and derivative, and
    /// to further rates of coordinates and velocities.
    pub(super) fn write_map(
        &self,
        map: &mut StepMap,
        (reference, of_reference): (&State, Register),
        (past, rates): (&[(&State, [Register; 3], [f64; 2])], &[(f64, [Register; 2])]),
        (beta, point): (f64, &State),
    ) -> Point {
        let PointEquations { model, blocks, constraints, .. } = &self.equations;
        let from = reference.q.as_slice();
        let located = |state: &State| {
            let mut x = vec![0.0; state.v.len()];
            chart::locate(blocks, from, state.q.as_slice(), &mut x);
            x
        };
        let (mut known_x, mut known_v): (Sum, Sum) = Default::default();
        for &(state, [position, velocity, acceleration], [value, derivative]) in past {
            let (q, x) = (state.q.as_slice(), located(state));
            if value != 0.0 {
                let [by_q, by_reference] = location(blocks, from, q, &x);
                known_x.extend([(by_q.scaled(value), position), (by_reference.scaled(value), of_reference)]);
                known_v.push((Blocks::uniform(value), velocity));
            }
            if derivative != 0.0 {
                let [by_v, by_q, by_reference] = rate(blocks, q, &x, state.v.as_slice());
                let terms = [(by_v, velocity), (by_q, position), (by_reference, of_reference)];
                known_x.extend(terms.map(|(map, register)| (map.scaled(derivative), register)));
                known_v.push((Blocks::uniform(derivative), acceleration));
            }
        }
        for &(factor, [x_rate, v_rate]) in rates {
            known_x.push((Blocks::uniform(factor), x_rate));
            known_v.push((Blocks::uniform(factor), v_rate));
        }
        let (known_x, known_v) = (map.sum(known_x), map.sum(known_v));
        let x = located(point);
        let [by_known, by_v, by_reference] = solution(blocks, beta, point.q.as_slice(), &x, point.v.as_slice());
        let instant = Instant {
            state: point.clone(),
            position: vec![by_v.clone().scaled(beta)],
            known: [
                vec![(by_known, known_x), (by_v, known_v), (by_reference, of_reference)],
                vec![(Blocks::uniform(1.0), known_v)],
                Vec::new(),
            ],
            velocity: vec![Blocks::uniform(beta)],
            acceleration: vec![1.0],
            force: Sum::new(),
            follows: None,
            constrained: None,
        };
        let levels = [constraints.of_coordinates(), ConstraintLevel::Velocity];
        let left_out = self.newton.left_out(*model);
        map.solve_in_contact(LinearEquations { instants: vec![instant], levels, left_out }, None)[0].0
    }

    /// x̂ and v̂.
    pub(super) fn known(&self) -> (&DVector<f64>, &DVector<f64>) {
        (&self.equations.known_x, &self.equations.known_v)
    }
}

/// Predictions with larger weights of derivatives are not used: they amplify rounding and truncation errors.
const MOST_EXTRAPOLATED: f64 = 50.0;

/// The acceleration that follows from velocities and accelerations of earlier points; the given one stays where the
/// points nearly coincide or are too far back to extrapolate from.
fn extrapolate<const N: usize>(
    weights: tables::Predictor<N>,
    h: f64,
    past: &[&State; N],
    acceleration: &mut DVector<f64>,
) {
    if !weights.derivatives.iter().all(|weight| weight.abs() < MOST_EXTRAPOLATED) {
        return;
    }
    acceleration.fill(0.0);
    for ((past, value), derivative) in past.iter().zip(weights.values).zip(weights.derivatives) {
        acceleration.axpy(value / h, &past.v, 1.0);
        acceleration.axpy(derivative, &past.a, 1.0);
    }
}

impl PointEquations<'_> {
    /// v, x and q from a.
    fn follow_acceleration(&mut self) {
        let Self { blocks, beta, reference, known_x, known_v, x, state, .. } = self;
        state.v.copy_from(known_v);
        state.v.axpy(*beta, &state.a, 1.0);
        let (reference, known, v) = (reference.as_slice(), known_x.as_slice(), state.v.as_slice());
        chart::solve(blocks, reference, known, *beta, v, x.as_mut_slice(), state.q.as_mut_slice());
    }
}

impl ContactEquations for PointEquations<'_> {
    fn points(&self) -> usize {
        1
    }

    fn state(&self, _point: usize) -> &State {
        &self.state
    }

    fn response(&self, _point: usize, _by: usize) -> f64 {
        self.beta
    }
}

impl Equations for PointEquations<'_> {
    fn residual(&mut self, out: &mut [f64]) {
        let (force, constraint) = out.split_at_mut(self.state.v.len());
        self.model.residual(&self.state, force, constraint);
        let factors = Factors { position: self.beta * self.beta, velocity: self.beta, acceleration: 1.0 };
        self.constraints.complete(self.model, &self.state, factors, constraint);
    }

    fn matrix(&mut self, out: &mut [f64]) {
        let Self { model, blocks, beta, matrix, x, state, .. } = self;
        let position_factor = *beta * *beta;
        matrix.begin(*model, state, 1.0, *beta, position_factor, out);
        let turning = ranges(blocks).filter(|(block, ..)| block.turn().is_some());
        for (index, (block, _, columns)) in turning.enumerate() {
            let (x, v) = (&x.as_slice()[columns.clone()], &state.v.as_slice()[columns]);
            let sensitivity = chart::sensitivity(block, *beta, x, v);
            let change = |i: usize, k: usize| sensitivity[(i, k)] - if i == k { 1.0 } else { 0.0 };
            matrix.add(2 * index, position_factor, change, out);
            matrix.add(2 * index + 1, 1.0, change, out);
        }
    }

    fn inertial_correction(&mut self, out: &mut [f64]) -> bool {
        excess_of_acceleration(self.model, &self.state, out)
    }

    fn subtract(&mut self, correction: &[f64]) {
        let (acceleration, multipliers) = correction.split_at(self.state.a.len());
        for (a, change) in self.state.a.iter_mut().zip(acceleration) {
            *a -= change;
        }
        for (lambda, change) in self.state.lambda.iter_mut().zip(multipliers) {
            *lambda -= change;
        }
        self.follow_acceleration();
    }

    fn measure(&self, correction: &[f64], tolerance: &Tolerance, lane: Lane) -> f64 {
        // The multipliers are not measured: they enter linearly, and their error vanishes with that of a.
        let change = lane.largest(&correction[..self.state.a.len()]);
        let [q, v] = [&self.state.q, &self.state.v].map(|values| lane.largest(values.as_slice()));
        tolerance.measure(self.beta * self.beta * change, self.beta.abs() * change, q, v)
    }

    fn sizes(&self, out: &mut [f64]) {
        sizes_of(self.model, &self.state, self.beta * self.beta, out);
    }

    fn position_factor(&self) -> f64 {
        self.beta * self.beta
    }

    fn name(&self, unknown: usize) -> Unknown {
        unknown_of(self.model, unknown)
    }

    fn is_bound(&self) -> bool {
        self.constraints.on_positions() > 0
    }

    fn scales(&self, loose: f64, out: &mut [f64]) {
        scales_of(self.model, &self.state, [self.beta * self.beta, self.beta], self.is_bound(), loose, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::common::{Craft, FreeBody, HeavyTop, Oscillator, Pendulum, Rotor};
    use super::*;

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
        for (model, initial) in cases {
            // The top spins so fast that longer steps leave the chart.
            let h = 3e-3;
            let mut point = TimePoint::new(model, &initial, &Options::default());
            point.begin(&initial.q);
            point.add(&initial, 1.0, 0.7 * h);
            let equations = &mut point.equations;
            equations.beta = h;
            equations.follow_acceleration();
            let pattern = equations.matrix.pattern().clone();
            crate::newton::assert_matrix_is_exact(equations, &pattern, &model.describe().name);
        }
    }

    /// A polynomial with no more coefficients than there are values and derivatives is known: from two points to the third
    /// degree, from three to the fifth.
    #[test]
    fn accelerations_of_polynomial_motions_are_foreseen() {
        let at = |t: f64, degree: i32| {
            let mut state = Oscillator::initial();
            (state.t, state.v[0], state.a[0]) = (t, t.powi(degree), f64::from(degree) * t.powi(degree - 1));
            state
        };
        let initial = Oscillator::initial();
        for (predictor, most) in [(Predictor::TwoPoint, 3), (Predictor::ThreePoint, 5)] {
            for degree in 1..=most {
                // The latest first, with steps that are not equal.
                let past = [1.0, 0.2, -0.3].map(|t| at(t, degree));
                let mut point = TimePoint::new(&Oscillator, &initial, &Options::default());
                point.guess(predictor, 1.5, &past.each_ref());
                let (found, expected) = (point.state().a[0], at(1.5, degree).a[0]);
                assert!((found - expected).abs() < 1e-10, "{predictor:?}, degree {degree}: {found}, {expected}");
            }
        }
        // Two points at nearly the same time allow no extrapolation: the last acceleration again.
        let past = [1.0, 1.0 - 1e-3, 0.5].map(|t| at(t, 3));
        let mut point = TimePoint::new(&Oscillator, &initial, &Options::default());
        point.guess(Predictor::TwoPoint, 1.5, &past.each_ref());
        assert_eq!(point.state().a[0], past[0].a[0]);
    }
}
