//! An implicit scheme of one's own: the midpoint rule with constraints on positions, solved by Newton's method with the
//! derivatives that every model has, beside a scheme of the registry.

use hamel::configuration::retract;
use hamel::linear_analysis::Oscillator;
use hamel::linear_solver::LinearSolver;
use hamel::nalgebra::{DMatrix, Matrix2};
use hamel::newton::Tolerance;
use hamel::schemes::{self, check_step_size};
use hamel::{
    Cause, ForwardDynamics, Model, Options, Projection, Scheme, Simulation, State, StepError, StepStats, Stepper,
    initial_state,
};

hamel::multibody! {
    /// A rod by the position and the angle of its centre; the hinge is two constraints.
    pub model Rod {
        planar;
        gravity [0, -9.81] m/s^2;
        body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
        joint hinge: revolute(ground, rod at [-1, 0] m);
    }
}

struct Midpoint;

impl Scheme for Midpoint {
    fn name(&self) -> String {
        "implicit midpoint".to_owned()
    }

    fn order(&self) -> u32 {
        2
    }

    /// (1 − L/2)⁻¹ (1 + L/2) for the rate L of the oscillator.
    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        let Oscillator { omega, damping } = oscillator;
        let half = Matrix2::new(0.0, 1.0, -omega * omega, -2.0 * damping * omega) / 2.0;
        let matrix = (Matrix2::identity() - half).try_inverse()? * (Matrix2::identity() + half);
        Some(DMatrix::from_column_slice(2, 2, matrix.as_slice()))
    }

    /// Accelerations and multipliers are computed anew from coordinates and velocities after each step.
    fn settles_forces(&self) -> bool {
        true
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        let (info, dims) = (model.describe(), model.dims());
        // Rows of ∂g/∂q in the matrix of a step, which has those of the midpoint there.
        let place = |(row, column): (usize, usize)| info.iteration_matrix.slot(dims.nv + row, column);
        Ok(Box::new(MidpointStepper {
            name: self.label(),
            model,
            tolerance: options.tolerance,
            solver: LinearSolver::new(info.iteration_matrix.clone()),
            matrix: vec![0.0; info.iteration_matrix.nnz()],
            gradients: vec![0.0; info.constraint_jacobian.nnz()],
            places: info.constraint_jacobian.entries().map(place).collect(),
            equations: vec![0.0; dims.nv + dims.nc],
            constraints: [vec![0.0; dims.nc], vec![0.0; dims.nc]],
            displacement: vec![0.0; dims.nv],
            projection: Projection::new(model, &initial)?,
            dynamics: ForwardDynamics::new(model, &initial)?,
            no_forces: vec![0.0; dims.nv],
            left_out: Vec::new(),
            middle: initial.clone(),
            end: initial.clone(),
            before: initial.clone(),
            state: initial,
        }))
    }
}

struct MidpointStepper<'m> {
    name: String,
    model: &'m dyn Model,
    tolerance: Tolerance,
    solver: LinearSolver,
    matrix: Vec<f64>,
    gradients: Vec<f64>,
    places: Vec<Option<usize>>,
    equations: Vec<f64>,
    constraints: [Vec<f64>; 2],
    displacement: Vec<f64>,
    projection: Projection<'m>,
    dynamics: ForwardDynamics<'m>,
    no_forces: Vec<f64>,
    left_out: Vec<usize>,
    middle: State,
    end: State,
    before: State,
    state: State,
}

impl MidpointStepper<'_> {
    /// Coordinates, velocities and accelerations of the midpoint and of the end, from the velocities of the end.
    fn place(&mut self, dt: f64) {
        let Self { model, displacement, middle, end, state, .. } = self;
        let blocks = &model.describe().blocks;
        (middle.t, end.t) = (state.t + dt / 2.0, state.t + dt);
        for i in 0..displacement.len() {
            middle.v[i] = (state.v[i] + end.v[i]) / 2.0;
            middle.a[i] = (end.v[i] - state.v[i]) / dt;
        }
        for (part, q) in [(dt / 2.0, &mut middle.q), (dt, &mut end.q)] {
            displacement.iter_mut().zip(&middle.v).for_each(|(by, v)| *by = part * v);
            retract(blocks, state.q.as_slice(), displacement, q.as_mut_slice());
        }
    }

    /// Newton's method for the velocities of the end and the multipliers.
    fn solve(&mut self, dt: f64) -> Result<StepStats, StepError> {
        let (model, info) = (self.model, self.model.describe());
        let nv = model.dims().nv;
        let on_positions = model.dims().nc - info.velocity_constraints;
        let mut stats = StepStats::default();
        let mut last = f64::INFINITY;
        for iteration in 0..self.tolerance.max_iterations {
            self.place(dt);
            let [positions, others] = &mut self.constraints;
            model.residual(&self.middle, &mut self.equations[..nv], others);
            model.constraint(self.end.t, self.end.q.as_slice(), positions);
            for (row, equation) in self.equations[nv..].iter_mut().enumerate() {
                // Displacements of the end are half a step times changes of its velocity, and so are those on velocities.
                *equation = if row < on_positions { 2.0 / dt * positions[row] } else { 2.0 * others[row] };
            }
            if self.equations.iter().any(|value| !value.is_finite()) {
                return Err(StepError::NotFinite { t: self.state.t, scheme: self.name.clone(), iteration });
            }
            // ∂/∂a, ∂/∂v and ∂/∂q by what they change with the velocities of the end.
            model.iteration_matrix(&self.middle, 1.0 / dt, 0.5, dt / 4.0, &mut self.matrix);
            model.constraint_jacobian(self.end.t, self.end.q.as_slice(), &mut self.gradients);
            let rows = info.constraint_jacobian.entries().map(|(row, _)| row);
            for ((place, value), row) in self.places.iter().zip(&self.gradients).zip(rows) {
                if let Some(place) = place.filter(|_| row < on_positions) {
                    self.matrix[place] = *value;
                }
            }
            let size = self.equations.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
            if self.solver.factor(&self.matrix).is_err() {
                let (scheme, what) = (self.name.clone(), "velocities or multipliers".to_owned());
                return Err(StepError::Singular { t: self.state.t, scheme, iteration, residual: size, what });
            }
            self.solver.solve(&mut self.equations);
            stats.newton_iterations += 1;
            stats.factorizations += 1;
            self.end.v.iter_mut().zip(&self.equations).for_each(|(v, change)| *v -= change);
            self.middle.lambda.iter_mut().zip(&self.equations[nv..]).for_each(|(force, change)| *force -= change);
            let change = self.equations[..nv].iter().fold(0.0_f64, |size, value| size.max(value.abs()));
            let [q, v] = [self.end.q.amax(), self.end.v.amax()];
            let correction = self.tolerance.measure(dt / 2.0 * change, change, q, v);
            // Below the tolerance, or where rounding permits no smaller corrections.
            if correction <= 1.0 || correction <= 1e3 && correction > 0.3 * last {
                self.place(dt);
                return Ok(stats);
            }
            last = correction;
        }
        let (t, scheme, iteration) = (self.state.t, self.name.clone(), self.tolerance.max_iterations);
        Err(StepError::NotConverged { t, scheme, iteration, residual: last, cause: Cause::StepTooLong })
    }
}

impl Stepper for MidpointStepper<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        check_step_size(&self.name, dt)?;
        self.middle.clone_from(&self.state);
        self.end.clone_from(&self.state);
        self.end.v.axpy(dt, &self.state.a, 1.0);
        let mut stats = self.solve(dt)?;
        // The rule has no velocities that satisfy the constraints at its end.
        stats += self.projection.apply(&mut self.end)?;
        self.dynamics.solve(&mut self.end, &self.no_forces)?;
        self.before.clone_from(&self.state);
        self.state.clone_from(&self.end);
        Ok(stats)
    }

    fn leave_out(&mut self, constraints: &[usize]) -> bool {
        let nv = self.model.dims().nv;
        self.solver.leave_out(&constraints.iter().map(|row| nv + row).collect::<Vec<_>>());
        self.left_out = constraints.to_vec();
        true
    }

    fn left_out(&self) -> &[usize] {
        &self.left_out
    }

    fn retreat(&mut self) -> bool {
        self.state.clone_from(&self.before);
        true
    }

    fn resume(&mut self, next: &State) -> bool {
        self.state.clone_from(next);
        true
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rod = Rod::default();
    let end = |scheme: &dyn Scheme, steps: u32| -> Result<State, StepError> {
        let mut stepper = scheme.start(&rod, initial_state(&rod)?)?;
        for _ in 0..steps {
            stepper.step(1.0 / f64::from(steps))?;
        }
        Ok(stepper.state().clone())
    };
    let exact = end(&*schemes::by_name("radau_iia5", &[])?, 4000)?;
    let usual = schemes::by_name("generalized_alpha", &[])?;
    for scheme in [&Midpoint as &dyn Scheme, &*usual] {
        let errors = |steps| -> Result<[f64; 2], StepError> {
            let found = end(scheme, steps)?;
            Ok([(&found.q - &exact.q).amax(), (&found.lambda - &exact.lambda).amax()])
        };
        let (coarse, fine) = (errors(200)?, errors(400)?);
        for (quantity, k) in [("coordinates", 0), ("multipliers", 1)] {
            let order = (coarse[k] / fine[k]).log2();
            println!("{:<30} {quantity}: error {:.1e}, order {order:.2}", scheme.name(), fine[k]);
            assert!((order - 2.0).abs() < 0.1);
        }
    }
    // All that watches runs watches this one: constraints, energy, values that are not finite.
    let run = Simulation::new(&rod, &Midpoint).step(5e-3).until(20.0).run(initial_state(&rod)?);
    run.outcome?;
    assert!(run.cautions.is_empty(), "{:?}", run.cautions);
    Ok(())
}
