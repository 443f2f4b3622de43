//! One step of Newmark's kind, for every scheme of the generalized-α family and for the modified HHT scheme.
//!
//! Coordinates and velocities follow an acceleration A by Newmark's formulas [sherif, Eqs. 59, 60],
//! `q₁ = q₀ ⊕ (h v₀ + h² ((½ − β) A₀ + β A₁))`, `v₁ = v₀ + h ((1 − γ) A₀ + γ A₁)`; on rotations ⊕ is the exponential
//! [sherif, Eqs. 30, 31]. Newton's method finds A₁ and λ₁ from the equilibrium and `g(q₁) = 0`.
//! A constraint on velocities holds for v₁ as it is. A change of the step size rescales A, which keeps second order.
//! Contact forces act on v₁; in the weighted equilibrium the old ones belong to F₀.

mod map;

use nalgebra::{DVector, Matrix3, Matrix4, Matrix6, Vector3};

use super::constraint_rows::{ConstraintRows, Factors};
use super::iteration_matrix::{Correction, IterationMatrix, Source};
use super::modified_hht::{self, Weighting};
use super::newmark::{Average, Newmark};
use super::quadrature_estimate::Estimator;
use crate::acceleration::Acceleration;
use crate::configuration::{euler_parameters, pose_tangent, ranges, retract};
use crate::model::{Block, Model, State, drop_vanishing};
use crate::newton::{
    Equations, Newton, NewtonMatrix, Tolerance, Unknown, excess_of_acceleration, scales_of, sizes_of, unknown_of,
};
use crate::nonsmooth::{self, ContactEquations, ContactStepper, Contacts};
use crate::norms::Lane;
use crate::prelude::*;
use crate::rotation::{right_multiplication, tangent_operator};
use crate::scheme::{ConstraintLevel, ErrorEstimate, Options, Scheme, Stepper};
use crate::step::{StepError, StepStats};
use crate::tables::NewmarkFamily;
use crate::tangent::{Register, STATE, StepMap};

impl Newmark {
    /// Factors of A₁, A₀ and a₀ in the acceleration that the residual of the model sees: the equilibrium divided by
    /// 1 − α_f, so that the multipliers keep the factor one. [sherif, Eq. 62]
    fn acceleration_factors(&self) -> (f64, f64, f64) {
        let NewmarkFamily { alpha_m, alpha_f, .. } = self.coefficients;
        let share = 1.0 / (1.0 - alpha_f);
        let old = if self.average == Average::Accelerations { -alpha_f * share } else { 0.0 };
        ((1.0 - alpha_m) * share, alpha_m * share, old)
    }

    /// Factor of the old forces F₀ that the residual of the model must equal.
    pub(super) fn old_force_factor(&self) -> f64 {
        let alpha_f = self.coefficients.alpha_f;
        if self.average == Average::Accelerations { 0.0 } else { -alpha_f / (1.0 - alpha_f) }
    }

    /// Whether old forces on Euler parameters turn with the body.
    fn is_body_weighted(&self) -> bool {
        self.weighting() == Some(Weighting::BodyFrame) && self.old_force_factor() != 0.0
    }
}

/// Starts a stepper of the family.
pub(super) fn start<'m>(
    scheme: Newmark,
    model: &'m dyn Model,
    initial: State,
    options: &Options,
) -> Result<Box<dyn Stepper + 'm>, StepError> {
    let level = options.constraint_level.unwrap_or(ConstraintLevel::Position);
    let constraints = ConstraintRows::new(model, level);
    if scheme.coefficients.beta == 0.0 && constraints.on_positions() > 0 {
        let reason = "constraints on positions need β > 0";
        return Err(StepError::Undefined { scheme: scheme.label(), model: model.describe().name.clone(), reason });
    }
    let name = scheme.label();
    let auxiliary = initial.a.clone();
    let has_constraints = model.dims().nc > model.describe().velocity_constraints;
    let is_inexact = scheme.asks_for_accelerations();
    if is_inexact && level == ConstraintLevel::Acceleration && has_constraints {
        let reason = "its accelerations belong to another instant than the constraints; \
                      impose these on positions or velocities";
        return Err(StepError::Undefined { scheme: scheme.label(), model: model.describe().name.clone(), reason });
    }
    let exact = is_inexact.then(|| Acceleration::new(model, name.clone()));
    let step = Step::new(scheme, model, initial, constraints);
    let unknowns = step.matrix.pattern().columns;
    let newton = Newton::new(model, step.matrix.pattern(), options.tolerance, options.newton_matrix);
    // Quadratic convergence gains nothing from a better guess.
    let is_kept = options.newton_matrix == Some(NewtonMatrix::Kept);
    let before = is_kept.then(|| Before { auxiliary: auxiliary.clone(), lambda: step.old.lambda.clone(), dt: None });
    let order = step.scheme.coefficients.order();
    let estimator = step.scheme.knows_accelerations().then(|| Estimator::new(model, &step.old, order));
    let stepper = NewmarkStepper {
        name: name.clone(),
        newton,
        step,
        auxiliary,
        exact,
        last_dt: None,
        ratio: 1.0,
        before,
        estimator,
        rhs: vec![0.0; unknowns],
        has_advanced: false,
    };
    Ok(nonsmooth::with_contacts(stepper, model, &name, &options.contacts, unknowns, 1))
}

#[derive(Clone)]
struct NewmarkStepper<'m> {
    name: String,
    newton: Newton,
    step: Step<'m>,
    /// A at the current instant, for steps of `last_dt`.
    auxiliary: DVector<f64>,
    /// Finds the acceleration of the equations of motion, where the state carries A instead.
    exact: Option<Acceleration<'m>>,
    last_dt: Option<f64>,
    /// Ratio of the last step's length to that of the one before, by which A was rescaled.
    ratio: f64,
    /// A and λ before the last step, from which those after the next one are foreseen.
    before: Option<Before>,
    estimator: Option<Estimator<'m>>,
    /// Workspace of the estimator.
    rhs: Vec<f64>,
    /// Whether the state is the end of the last step.
    has_advanced: bool,
}

/// A and λ at the beginning of the last step.
#[derive(Clone)]
struct Before {
    auxiliary: DVector<f64>,
    lambda: DVector<f64>,
    /// Size of the step; nothing if it did not continue the one before.
    dt: Option<f64>,
}

impl Stepper for NewmarkStepper<'_> {
    fn state(&self) -> &State {
        &self.step.old
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        self.advance(dt, None)
    }

    fn error_estimate(&mut self) -> Option<ErrorEstimate<'_>> {
        let Self { newton, step, estimator, rhs, .. } = self;
        // The step has exchanged its ends.
        let Step { model, old: new, new: old, constraints, .. } = step;
        let is_tangential = constraints.on_positions() > 0;
        let correct = |error: &mut [f64]| {
            if is_tangential {
                constraints.make_tangential(*model, newton, new, rhs, error);
            }
        };
        Some(estimator.as_mut()?.evaluate(old, new, correct))
    }

    fn linear_start(&self, map: &mut StepMap) -> Result<(), &'static str> {
        map.begin(STATE.len());
        // No contact acts before the first step.
        let contacts = self.step.of_contacts().map(|_| map.combine(&[]));
        map.end(STATE.into_iter().chain([STATE[2]]).chain(contacts));
        Ok(())
    }

    fn linear_step(&mut self, map: &mut StepMap) -> Result<(), &'static str> {
        map.begin(STATE.len() + 1 + usize::from(self.step.of_contacts().is_some()));
        let (ratio, mut auxiliary) = (self.ratio, Register(STATE.len()));
        if ratio != 1.0 {
            let acceleration = match &mut self.exact {
                None => STATE[2],
                Some(exact) => {
                    // The step has exchanged its ends.
                    let mut old = self.step.new.clone();
                    exact.find(&mut old).map_err(|_| "the accelerations at its beginning could not be found again")?;
                    map.accelerate(old, STATE[0], STATE[1], &exact.left_out()).acceleration
                }
            };
            auxiliary = map.combine(&[(ratio, auxiliary), (1.0 - ratio, acceleration)]);
        }
        self.step.write_map(map, auxiliary, self.newton.left_out(self.step.model))
    }

    fn leave_out(&mut self, constraints: &[usize]) -> bool {
        self.newton.leave_out(self.step.model, constraints);
        self.exact.iter_mut().for_each(|exact| exact.leave_out(constraints));
        // Multipliers that are left out are foreseen to be none.
        self.forget();
        true
    }

    fn retreat(&mut self) -> bool {
        core::mem::swap(&mut self.step.old, &mut self.step.new);
        self.auxiliary.copy_from(&self.step.old_auxiliary);
        self.has_advanced = false;
        self.forget();
        true
    }

    fn resume(&mut self, next: &State) -> bool {
        self.step.old.a.copy_from(&next.a);
        self.step.old.lambda.copy_from(&next.lambda);
        self.auxiliary.copy_from(&next.a);
        // A belongs to this instant whatever the next step.
        self.last_dt = None;
        self.has_advanced = false;
        self.estimator.iter_mut().for_each(Estimator::forget);
        self.forget();
        true
    }

    fn correctable(&mut self) -> Option<&mut State> {
        Some(&mut self.step.old)
    }

    fn fork<'s>(&self) -> Option<Box<dyn Stepper + 's>>
    where
        Self: 's,
    {
        Some(Box::new(self.clone()))
    }
}

impl ContactStepper for NewmarkStepper<'_> {
    fn step_with_contacts(&mut self, dt: f64, contacts: &mut Contacts) -> Result<StepStats, StepError> {
        self.advance(dt, Some(contacts))
    }

    fn state_mut(&mut self) -> &mut State {
        &mut self.step.old
    }

    fn renew(&mut self) {
        self.auxiliary.copy_from(&self.step.old.a);
        self.forget();
    }
}

impl NewmarkStepper<'_> {
    /// Foresees nothing from what was before: the forces may have jumped.
    fn forget(&mut self) {
        self.before.iter_mut().for_each(|before| before.dt = None);
    }

    fn advance(&mut self, dt: f64, mut contacts: Option<&mut Contacts>) -> Result<StepStats, StepError> {
        super::check_step_size(&self.name, dt)?;
        let step = &mut self.step;
        if let (true, Some(estimator)) = (self.has_advanced, &mut self.estimator) {
            // What is left in the new state is the beginning of the last step.
            estimator.continue_from(&step.new);
        }
        self.has_advanced = false;
        step.old_auxiliary.copy_from(&self.auxiliary);
        let mut stats = StepStats::default();
        // The exact acceleration knows no contact forces; A is taken as it is where there may be any.
        self.ratio = 1.0;
        let is_exact = self.exact.is_none() || contacts.is_none();
        if let Some(last_dt) = self.last_dt.filter(|_| is_exact).filter(|&last_dt| !super::is_same_step(dt, last_dt)) {
            // A belongs to an instant that is off by a fraction of the step size; without scaling, the order drops to one.
            let ratio = dt / last_dt;
            self.ratio = ratio;
            let a = match &mut self.exact {
                None => &step.old.a,
                Some(exact) => {
                    // The new state serves as workspace.
                    step.new.copy_from(&step.old);
                    exact.begin(step.old.t);
                    exact.find(&mut step.new)?;
                    stats += exact.stats;
                    &step.new.a
                }
            };
            step.old_auxiliary.axpy(1.0 - ratio, a, ratio);
        }
        let smooth = self.before.as_mut().filter(|_| contacts.is_none());
        match smooth {
            Some(before) => {
                step.begin(dt, before.dt.map(|last| (dt / last, &*before)));
                before.auxiliary.copy_from(&step.old_auxiliary);
                before.lambda.copy_from(&step.old.lambda);
                before.dt = None;
            }
            None => step.begin(dt, None),
        }
        let t = step.old.t;
        if let Some(contacts) = contacts.as_deref_mut().filter(|_| step.scheme.old_force_factor() != 0.0) {
            contacts.evaluate(0, t, step.old.q.as_slice(), step.old.v.as_slice());
            contacts.add_forces(0, -1.0, step.old_force.as_mut_slice());
        }
        step.carry_old_force();
        stats += Contacts::solve(contacts.as_deref_mut(), &mut self.newton, step, t, &self.name)?;
        if let Some(contacts) = contacts {
            contacts.record_forces(0, 1.0);
        }
        step.accept();
        self.auxiliary.copy_from(&step.auxiliary);
        self.last_dt = Some(dt);
        self.has_advanced = true;
        self.before.iter_mut().for_each(|before| before.dt = Some(dt));
        Ok(stats)
    }
}

/// The equations of one step; the unknowns are A₁ and λ₁.
#[derive(Clone)]
struct Step<'m> {
    model: &'m dyn Model,
    blocks: &'m [Block],
    scheme: Newmark,
    dt: f64,
    old: State,
    /// The iterate; its acceleration is the one that the residual of the model sees.
    new: State,
    old_auxiliary: DVector<f64>,
    auxiliary: DVector<f64>,
    /// F₀; blocks that are averaged in the body frame are kept in it.
    old_force: DVector<f64>,
    /// Takes the constraints that come with F₀; they are not used.
    old_constraint: DVector<f64>,
    /// The increment from q₀ to q₁.
    increment: DVector<f64>,
    /// What the old state adds to the increment, to v₁ and to the acceleration that the residual sees.
    known: [DVector<f64>; 3],
    /// w of [sherif, Eq. 75] for each block of Euler parameters that follows the modified formulas.
    angular: Vec<Vector3<f64>>,
    matrix: IterationMatrix,
    constraints: ConstraintRows,
}

impl<'m> Step<'m> {
    fn new(scheme: Newmark, model: &'m dyn Model, initial: State, constraints: ConstraintRows) -> Self {
        let blocks = &model.describe().blocks;
        let dims = model.dims();
        let is_body_weighted = scheme.is_body_weighted();
        // In the order in which `matrix` adds them.
        let mut corrections = Vec::new();
        for (block, _, columns) in ranges(blocks) {
            match block {
                Block::Rotation(_) | Block::Pose(_) => {
                    corrections.push(Correction::Columns(Source::Stiffness, columns.clone()));
                    corrections.push(Correction::Columns(Source::ConstraintJacobian, columns));
                }
                Block::EulerParameters if scheme.weighting().is_some() => {
                    corrections.push(Correction::Columns(Source::Damping, columns.clone()));
                    if is_body_weighted {
                        corrections.push(Correction::Diagonal(columns));
                    }
                }
                Block::Vector { .. } | Block::EulerParameters => {}
            }
        }
        let n_euler_parameters = blocks.iter().filter(|&&block| block == Block::EulerParameters).count();
        Self {
            model,
            blocks,
            scheme,
            dt: 0.0,
            new: initial.clone(),
            old: initial,
            old_auxiliary: DVector::zeros(dims.nv),
            auxiliary: DVector::zeros(dims.nv),
            old_force: DVector::zeros(dims.nv),
            old_constraint: DVector::zeros(dims.nc),
            increment: DVector::zeros(dims.nv),
            known: [(); 3].map(|()| DVector::zeros(dims.nv)),
            angular: vec![Vector3::zeros(); n_euler_parameters],
            matrix: IterationMatrix::new(model, &corrections, constraints.on_positions()),
            constraints,
        }
    }

    /// Factors of A₁ in the coordinates and in the velocities: h² β and h γ.
    fn newmark_factors(&self) -> (f64, f64) {
        (self.dt * self.dt * self.scheme.coefficients.beta, self.dt * self.scheme.coefficients.gamma)
    }

    /// Sets up the step from the old state. The first guess are the old acceleration and multipliers, or those on the line
    /// through them and the ones before, with the ratio of both steps.
    fn begin(&mut self, dt: f64, before: Option<(f64, &Before)>) {
        self.dt = dt;
        self.new.t = self.old.t + dt;
        self.evaluate_known();
        self.guess_as_before();
        if self.scheme.old_force_factor() != 0.0 {
            self.evaluate_old_force();
        }
        if self.scheme.weighting().is_some() {
            let weight = dt * (1.0 - self.scheme.coefficients.gamma);
            let blocks = ranges(self.blocks).filter(|(block, ..)| *block == Block::EulerParameters);
            for ((_, q, v), angular) in blocks.zip(&mut self.angular) {
                let (e, rate) = (euler_parameters(&self.old.q.as_slice()[q]), &self.old.v.as_slice()[v.clone()]);
                let acceleration = euler_parameters(&self.old_auxiliary.as_slice()[v]);
                *angular = modified_hht::angular_part(&e, &euler_parameters(rate), &acceleration, weight);
            }
        }
        if let Some((ratio, before)) = before {
            self.auxiliary.axpy(-ratio, &before.auxiliary, 1.0 + ratio);
            self.new.lambda.axpy(-ratio, &before.lambda, 1.0 + ratio);
        }
        self.evaluate_new_state();
    }

    /// Takes acceleration and multipliers of the old state.
    fn guess_as_before(&mut self) {
        self.auxiliary.copy_from(&self.old_auxiliary);
        self.new.lambda.copy_from(&self.old.lambda);
    }

    /// `F₀ = h − f − Gᵀ λ` at the old state.
    fn evaluate_old_force(&mut self) {
        // The residual without acceleration is F; the new state serves as workspace.
        let time = core::mem::replace(&mut self.new.t, self.old.t);
        self.new.q.copy_from(&self.old.q);
        self.new.v.copy_from(&self.old.v);
        self.new.a.fill(0.0);
        self.model.residual(&self.new, self.old_force.as_mut_slice(), self.old_constraint.as_mut_slice());
        self.new.t = time;
    }

    /// Turns F₀, complete with the forces of contacts, into the body frame where it is kept there.
    fn carry_old_force(&mut self) {
        if self.scheme.is_body_weighted() {
            for (_, q, v) in ranges(self.blocks).filter(|(block, ..)| *block == Block::EulerParameters) {
                let force = &mut self.old_force.as_mut_slice()[v];
                let e = euler_parameters(&self.old.q.as_slice()[q]);
                force.copy_from_slice(modified_hht::force_in_body(&e, &euler_parameters(force)).as_slice());
            }
        }
    }

    /// What does not depend on A₁.
    fn evaluate_known(&mut self) {
        let Self { scheme, dt: h, old, old_auxiliary, known: [increment, velocity, acceleration], .. } = self;
        let NewmarkFamily { beta, gamma, .. } = scheme.coefficients;
        let (_, auxiliary_factor, old_factor) = scheme.acceleration_factors();
        combine([*h, *h * *h * (0.5 - beta)], [&old.v, old_auxiliary], increment);
        combine([1.0, *h * (1.0 - gamma)], [&old.v, old_auxiliary], velocity);
        combine([old_factor, auxiliary_factor], [&old.a, old_auxiliary], acceleration);
    }

    /// q₁, v₁ and the acceleration that the residual sees, from A₁.
    fn evaluate_new_state(&mut self) {
        let (position_factor, velocity_factor) = self.newmark_factors();
        let (acceleration_factor, ..) = self.scheme.acceleration_factors();
        let Self { blocks, old, new, auxiliary, increment, known: [known_increment, known_v, known_a], .. } = self;
        combine([1.0, position_factor], [known_increment, auxiliary], increment);
        combine([1.0, velocity_factor], [known_v, auxiliary], &mut new.v);
        combine([1.0, acceleration_factor], [known_a, auxiliary], &mut new.a);
        retract(blocks, old.q.as_slice(), increment.as_slice(), new.q.as_mut_slice());

        if self.scheme.weighting().is_some() {
            let blocks = ranges(self.blocks).filter(|(block, ..)| *block == Block::EulerParameters);
            for ((_, q, v), angular) in blocks.zip(&self.angular) {
                let e = euler_parameters(&self.new.q.as_slice()[q]);
                let acceleration = euler_parameters(&self.auxiliary.as_slice()[v.clone()]);
                let rate = modified_hht::velocity(&e, angular, &acceleration, velocity_factor);
                self.new.v.as_mut_slice()[v].copy_from_slice(rate.as_slice());
            }
        }
    }

    fn accept(&mut self) {
        self.new.drop_vanishing();
        drop_vanishing(&mut self.auxiliary);
        if self.scheme.average != Average::Accelerations {
            self.new.a.copy_from(&self.auxiliary);
        }
        core::mem::swap(&mut self.old, &mut self.new);
    }
}

impl ContactEquations for Step<'_> {
    fn points(&self) -> usize {
        1
    }

    fn state(&self, _point: usize) -> &State {
        &self.new
    }

    fn response(&self, _point: usize, _by: usize) -> f64 {
        self.newmark_factors().1
    }
}

impl Equations for Step<'_> {
    fn residual(&mut self, out: &mut [f64]) {
        let (force, constraint) = out.split_at_mut(self.old_force.len());
        self.model.residual(&self.new, force, constraint);
        let share = self.scheme.old_force_factor();
        if share != 0.0 {
            for (block, q, v) in ranges(self.blocks) {
                let (force, old_force) = (&mut force[v.clone()], &self.old_force.as_slice()[v]);
                if block == Block::EulerParameters && self.scheme.is_body_weighted() {
                    let e = euler_parameters(&self.new.q.as_slice()[q]);
                    let carried = modified_hht::force_from_body(&e, &euler_parameters(old_force));
                    subtract(force, share, carried.as_slice());
                } else {
                    subtract(force, share, old_force);
                }
            }
        }
        let (position, velocity) = self.newmark_factors();
        let (acceleration, ..) = self.scheme.acceleration_factors();
        self.constraints.complete(self.model, &self.new, Factors { position, velocity, acceleration }, constraint);
    }

    fn matrix(&mut self, out: &mut [f64]) {
        let (position_factor, velocity_factor) = self.newmark_factors();
        let (ca, ..) = self.scheme.acceleration_factors();
        self.matrix.begin(self.model, &self.new, ca, velocity_factor, position_factor, out);

        let share = self.scheme.old_force_factor();
        let mut index = 0;
        let mut angular = self.angular.iter();
        for (block, q, v) in ranges(self.blocks) {
            match block {
                Block::Rotation(_) => {
                    // q₁ moves by T(δ) dδ where the model's matrix has dδ.
                    let increment = Vector3::from_column_slice(&self.increment.as_slice()[v]);
                    let change = tangent_operator(&increment) - Matrix3::identity();
                    self.matrix.add(index, position_factor, |i, k| change[(i, k)], out);
                    self.matrix.add(index + 1, 1.0, |i, k| change[(i, k)], out);
                    index += 2;
                }
                Block::Pose(_) => {
                    let change = pose_tangent(&self.increment.as_slice()[v]) - Matrix6::identity();
                    self.matrix.add(index, position_factor, |i, k| change[(i, k)], out);
                    self.matrix.add(index + 1, 1.0, |i, k| change[(i, k)], out);
                    index += 2;
                }
                Block::EulerParameters => {
                    let (Some(_), Some(angular)) = (self.scheme.weighting(), angular.next()) else { continue };
                    let e = euler_parameters(&self.new.q.as_slice()[q]);
                    let acceleration = euler_parameters(&self.auxiliary.as_slice()[v.clone()]);
                    let change =
                        modified_hht::velocity_derivative(&e, angular, &acceleration, position_factor, velocity_factor)
                            - Matrix4::identity() * velocity_factor;
                    self.matrix.add(index, 1.0, |i, k| change[(i, k)], out);
                    index += 1;
                    if self.scheme.is_body_weighted() {
                        let carried = right_multiplication(&euler_parameters(&self.old_force.as_slice()[v]));
                        self.matrix.add(index, -share * position_factor, |i, k| carried[(i, k)], out);
                        index += 1;
                    }
                }
                Block::Vector { .. } => {}
            }
        }
    }

    fn inertial_correction(&mut self, out: &mut [f64]) -> bool {
        let (factor, ..) = self.scheme.acceleration_factors();
        let is_known = self.scheme.old_force_factor() == 0.0 && excess_of_acceleration(self.model, &self.new, out);
        out.iter_mut().for_each(|correction| *correction /= factor);
        is_known
    }

    fn subtract(&mut self, correction: &[f64]) {
        let (acceleration, multipliers) = correction.split_at(self.auxiliary.len());
        subtract(self.auxiliary.as_mut_slice(), 1.0, acceleration);
        subtract(self.new.lambda.as_mut_slice(), 1.0, multipliers);
        self.evaluate_new_state();
    }

    fn guess_anew(&mut self, lanes: &[bool]) {
        copy_lanes(lanes, &self.old_auxiliary, &mut self.auxiliary);
        copy_lanes(lanes, &self.old.lambda, &mut self.new.lambda);
        self.evaluate_new_state();
    }

    fn measure(&self, correction: &[f64], tolerance: &Tolerance, lane: Lane) -> f64 {
        // The multipliers are not measured: they enter linearly, and their error vanishes with that of A.
        let (h, change) = (self.dt, lane.largest(&correction[..self.auxiliary.len()]));
        let [q, v] = [&self.new.q, &self.new.v].map(|values| lane.largest(values.as_slice()));
        tolerance.measure(h * h * change, h * change, q, v)
    }

    fn sizes(&self, out: &mut [f64]) {
        sizes_of(self.model, &self.new, self.newmark_factors().0, out);
    }

    fn position_factor(&self) -> f64 {
        self.newmark_factors().0
    }

    fn name(&self, unknown: usize) -> Unknown {
        unknown_of(self.model, unknown)
    }

    fn is_bound(&self) -> bool {
        self.constraints.on_positions() > 0
    }

    fn scales(&self, loose: f64, out: &mut [f64]) {
        scales_of(self.model, &self.new, self.newmark_factors().into(), self.is_bound(), loose, out);
    }
}

/// `out = a x + b y`.
fn combine([a, b]: [f64; 2], [x, y]: [&DVector<f64>; 2], out: &mut DVector<f64>) {
    for ((out, x), y) in out.as_mut_slice().iter_mut().zip(x.as_slice()).zip(y.as_slice()) {
        *out = a * x + b * y;
    }
}

/// Copies the values of some instances of as many as there are flags.
fn copy_lanes(lanes: &[bool], from: &DVector<f64>, to: &mut DVector<f64>) {
    for ((to, from), is_meant) in to.iter_mut().zip(from).zip(lanes.iter().cycle()) {
        if *is_meant {
            *to = *from;
        }
    }
}

/// `x −= factor · y`.
fn subtract(x: &mut [f64], factor: f64, y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x -= factor * y;
    }
}

#[cfg(test)]
mod tests;
