//! Runs a schedule over any scalar: dual numbers for derivatives, double-double for accuracy.
//!
//! What runs are the statements that are emitted, not the graph they came from.

use super::placement::axes;
use super::{
    Argument, Expression, LEAST_ANGLES, Routine, Schedule, ScheduledKernel, ScheduledOutput, Series, Statement,
};
use crate::derive::{Equations, FunctionRole, Instance, Role};
use crate::expr::{Binary, Scalar, Unary};

/// Values that a routine is given; indices are local.
#[derive(Clone, Debug)]
pub struct Arguments<T> {
    /// Parameters.
    pub parameters: Vec<T>,
    /// What the setup has computed.
    pub constants: Vec<T>,
    /// The rest.
    pub point: Point<T>,
}

/// One instant.
#[derive(Clone, Debug)]
pub struct Point<T> {
    /// Time, s.
    pub t: T,
    /// Run-time inputs.
    pub inputs: Vec<T>,
    /// Coordinates.
    pub q: Vec<T>,
    /// Velocities.
    pub v: Vec<T>,
    /// Accelerations.
    pub a: Vec<T>,
    /// Multipliers.
    pub lambda: Vec<T>,
    /// Forces on the directions of the velocities, for forward dynamics, or their weights, for second derivatives; empty
    /// where neither is asked for.
    pub tau: Vec<T>,
}

/// A dense matrix, row by row; a vector has one column.
#[derive(Clone, PartialEq, Debug)]
pub struct Dense<T> {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Values, row by row.
    pub values: Vec<T>,
}

/// The outputs of a routine.
pub fn run<T: Scalar>(routine: &Routine, arguments: &Arguments<T>) -> Vec<Vec<T>> {
    interpret(routine, arguments, usize::MAX)
}

/// The outputs of a function of a kernel, whose angles are computed together where they are in emitted code.
fn run_in_lanes<T: Scalar>(routine: &Routine, arguments: &Arguments<T>) -> Vec<Vec<T>> {
    interpret(routine, arguments, LEAST_ANGLES)
}

fn interpret<T: Scalar>(routine: &Routine, arguments: &Arguments<T>, least_angles: usize) -> Vec<Vec<T>> {
    let zero = T::from_f64(0.0);
    let mut locals = vec![zero.clone(); routine.locals.len()];
    let mut outputs: Vec<Vec<T>> = routine.outputs.iter().map(|&n| vec![zero.clone(); n]).collect();
    for group in routine.groups() {
        let values: Vec<T> = group.iter().map(|statement| evaluate(statement.value(), arguments, &locals)).collect();
        let pairs = if group.len() >= least_angles { T::sin_cos_each(&values) } else { Vec::new() };
        for (index, (statement, value)) in group.iter().zip(values).enumerate() {
            match *statement {
                Statement::Let { local, .. } => locals[local] = value,
                Statement::SinCos { sine, cosine, .. } => {
                    let pair = pairs.get(index).cloned();
                    let pair = pair.unwrap_or_else(|| [Unary::Sin, Unary::Cos].map(|op| value.unary(op)));
                    [locals[sine], locals[cosine]] = pair;
                }
                Statement::Store { output, position, .. } => outputs[output][position] = value,
            }
        }
    }
    outputs
}

fn evaluate<T: Scalar>(expression: &Expression, arguments: &Arguments<T>, locals: &[T]) -> T {
    let of = |operand: &Expression| evaluate(operand, arguments, locals);
    match expression {
        Expression::Number(number) => T::from_number(*number),
        Expression::Argument(argument) => arguments.of(*argument).clone(),
        Expression::Local(local) => locals[*local].clone(),
        Expression::Unary(op, a) => of(a).unary(*op),
        Expression::Binary(op, a, b) => of(a).binary(*op, &of(b)),
        Expression::MulAdd(parts) => {
            let [a, b, c] = parts.each_ref().map(of);
            a.mul_add(&b, &c)
        }
        Expression::Select(parts) => {
            let [lhs, rhs, then, otherwise] = parts.each_ref().map(of);
            T::select_less(&lhs, &rhs, &then, &otherwise)
        }
    }
}

/// Slopes of forces and M replaced by slopes of accelerations and M⁻¹, as the runtime does it.
fn solved_for_accelerations<T: Scalar>(mut results: Vec<(Role, Dense<T>)>) -> Vec<(Role, Dense<T>)> {
    for (role, _) in &mut results {
        *role = match role {
            Role::ForceByPosition => Role::AccelerationByPosition,
            Role::ForceByVelocity => Role::AccelerationByVelocity,
            _ => Role::InverseMassMatrix,
        };
    }
    let Some(place) = results.iter().position(|(role, _)| *role == Role::InverseMassMatrix) else { return results };
    let less = |a: &T, factor: &T, b: &T| a.binary(Binary::Sub, &factor.binary(Binary::Mul, b));
    let Dense { rows: n, values: mut m, .. } = results[place].1.clone();
    for k in (0..n).rev() {
        m[k * n + k] = T::from_f64(1.0).binary(Binary::Div, &m[k * n + k]);
        for i in (0..k).rev() {
            let factor = m[k * n + i].binary(Binary::Mul, &m[k * n + k]);
            for j in 0..=i {
                m[i * n + j] = less(&m[i * n + j], &factor, &m[k * n + j]);
            }
            m[k * n + i] = factor;
        }
    }
    for (role, Dense { values: x, .. }) in &mut results {
        let is_inverse = *role == Role::InverseMassMatrix;
        if is_inverse {
            *x = (0..n * n).map(|place| T::from_f64(f64::from(u8::from(place / n == place % n)))).collect();
        }
        for k in (0..n).rev() {
            for i in 0..k {
                (0..n).for_each(|j| x[i * n + j] = less(&x[i * n + j], &m[k * n + i], &x[k * n + j]));
            }
        }
        for k in 0..n {
            let scale = if is_inverse { m[k * n + k].clone() } else { m[k * n + k].unary(Unary::Neg) };
            (0..n).for_each(|j| x[k * n + j] = x[k * n + j].binary(Binary::Mul, &scale));
            for i in 0..k {
                (0..n).for_each(|j| x[k * n + j] = less(&x[k * n + j], &m[k * n + i], &x[i * n + j]));
            }
        }
    }
    results
}

impl<T: Scalar> Arguments<T> {
    /// Parameters alone.
    pub fn of_parameters(parameters: Vec<T>) -> Arguments<T> {
        Arguments { parameters, constants: Vec::new(), point: Point::empty() }
    }

    fn of(&self, argument: Argument) -> &T {
        match argument {
            Argument::Parameter(i) => &self.parameters[i],
            Argument::Constant(i) => &self.constants[i],
            Argument::Time => &self.point.t,
            Argument::Input(i) => &self.point.inputs[i],
            Argument::Position(i) => &self.point.q[i],
            Argument::Velocity(i) => &self.point.v[i],
            Argument::Acceleration(i) => &self.point.a[i],
            Argument::Multiplier(i) => &self.point.lambda[i],
            Argument::Force(i) | Argument::Weight(i) => &self.point.tau[i],
        }
    }
}

impl<T: Scalar> Point<T> {
    fn empty() -> Point<T> {
        let t = T::from_f64(0.0);
        let [inputs, q, v, a, lambda, tau] = [const { Vec::new() }; 6];
        Point { t, inputs, q, v, a, lambda, tau }
    }

    fn of_instance(&self, instance: &Instance) -> Point<T> {
        let gather = |values: &[T], indices: &[usize]| -> Vec<T> {
            // What a function does not read may be left out of the point.
            indices.iter().filter(|_| !values.is_empty()).map(|&i| values[i].clone()).collect()
        };
        Point {
            t: self.t.clone(),
            inputs: gather(&self.inputs, &instance.inputs),
            q: gather(&self.q, &instance.q),
            v: gather(&self.v, &instance.v),
            a: gather(&self.a, &instance.v),
            lambda: gather(&self.lambda, &instance.lambda),
            tau: gather(&self.tau, &instance.v),
        }
    }
}

/// All rows of a series, from the outputs of its routine.
fn expanded<T: Scalar>(series: &Series, outputs: &[Vec<T>]) -> Vec<Vec<T>> {
    let mut all = Vec::new();
    for rows in &series.0 {
        let (first, step) = (&outputs[rows.first.clone()], &outputs[rows.step.clone()]);
        all.extend_from_slice(first);
        for times in 1..rows.count {
            let times = T::from_f64(times as f64);
            let advanced = |(first, step): (&T, &T)| first.binary(Binary::Add, &times.binary(Binary::Mul, step));
            all.extend(first.iter().zip(step).map(|(first, step)| first.iter().zip(step).map(advanced).collect()));
        }
    }
    all
}

/// Defaults of all parameters, component by component.
pub fn defaults<T: Scalar>(schedule: &Schedule) -> Vec<T> {
    schedule.defaults.iter().fold(Vec::new(), |earlier, routine| {
        let arguments = Arguments::of_parameters(earlier);
        let default = run(routine, &arguments).concat();
        [arguments.parameters, default].concat()
    })
}

/// A whole model with parameters, ready to be evaluated.
pub struct Interpreter<'a, T> {
    equations: &'a Equations,
    schedule: &'a Schedule,
    /// Constants of every kernel, row by row.
    constants: Vec<Vec<Vec<T>>>,
    parameters: Vec<T>,
}

impl<'a, T: Scalar> Interpreter<'a, T> {
    /// Constants of every kernel, row by row.
    pub fn constants(&self) -> Vec<T> {
        self.constants.iter().flatten().flatten().cloned().collect()
    }

    /// The model with these parameters, component by component.
    pub fn new(equations: &'a Equations, schedule: &'a Schedule, parameters: Vec<T>) -> Self {
        let arguments = Arguments::of_parameters(parameters);
        let members = run(&schedule.members, &arguments);
        let constants = |(series, kernel): (&Series, &ScheduledKernel)| -> Vec<Vec<T>> {
            let setup = |row| run(&kernel.setup, &Arguments::of_parameters(row)).concat();
            expanded(series, &members).into_iter().map(setup).collect()
        };
        let constants = schedule.rows_of_kernel.iter().zip(&schedule.kernels).map(constants).collect();
        Self { equations, schedule, constants, parameters: arguments.parameters }
    }

    /// The outputs of a function of the model; those that no kernel contributes to are absent.
    pub fn evaluate(&self, function: FunctionRole, point: &Point<T>) -> Vec<(Role, Dense<T>)> {
        let layout = &self.equations.layout;
        let mut functions = self.schedule.kernels.iter().flat_map(|kernel| &kernel.functions);
        if functions.any(|known| known.role == function && known.is_composed()) {
            let [accelerations, slopes] = FunctionRole::OF_SLOPES_OF_ACCELERATIONS;
            let a = self.output(accelerations, Role::Acceleration, point, (layout.velocities.len(), 1)).values;
            return solved_for_accelerations(self.evaluate(slopes, &Point { a, ..point.clone() }));
        }
        let mut results: Vec<(Role, Dense<T>)> = Vec::new();
        self.for_each_output(function, point, |output, entries| {
            let role = output.role;
            let known = results.iter().position(|(known, _)| *known == role).unwrap_or_else(|| {
                let (rows, columns) = axes(function, role, output.shape);
                results.push((role, Dense::zeros(rows.size(layout), columns.size(layout))));
                results.len() - 1
            });
            let dense = &mut results[known].1;
            for ((row, column), value) in entries {
                let entry = &mut dense.values[row * dense.columns + column];
                *entry = entry.binary(Binary::Add, &value);
            }
        });
        results
    }

    /// What every member contributes to the outputs of a function, as places in the model's matrix and values; those at
    /// one place add up, in the order of emitted code: kernel by kernel, and member by member.
    pub fn for_each_output(
        &self,
        function: FunctionRole,
        point: &Point<T>,
        mut receive: impl FnMut(&ScheduledOutput, Vec<((usize, usize), T)>),
    ) {
        let members = || self.equations.instances.iter().zip(&self.schedule.row_of_instance);
        for (number, kernel) in self.schedule.kernels.iter().enumerate() {
            for scheduled in kernel.functions.iter().filter(|scheduled| scheduled.role == function) {
                for (instance, &row) in members().filter(|(instance, _)| instance.kernel == number) {
                    let constants = self.constants[number].get(row).map_or(&[][..], Vec::as_slice);
                    let arguments = Arguments {
                        parameters: Vec::new(),
                        constants: constants.to_vec(),
                        point: point.of_instance(instance),
                    };
                    for (output, values) in scheduled.outputs.iter().zip(run_in_lanes(&scheduled.routine, &arguments)) {
                        let (rows, columns) = axes(function, output.role, output.shape);
                        let place = |&(row, column)| (rows.place(instance, row), columns.place(instance, column));
                        receive(output, output.entries.iter().map(place).zip(values).collect());
                    }
                }
            }
        }
    }

    /// M(q), `[nv × nv]`.
    pub fn mass_matrix(&self, q: &[T]) -> Dense<T> {
        let point = Point { q: q.to_vec(), ..Point::empty() };
        let nv = self.equations.layout.velocities.len();
        self.output(FunctionRole::MassMatrix, Role::MassMatrix, &point, (nv, nv))
    }

    /// r, `[nv]`, and g, `[nc]`.
    pub fn residual(&self, point: &Point<T>) -> (Vec<T>, Vec<T>) {
        let layout = &self.equations.layout;
        let r = self.output(FunctionRole::Residual, Role::Residual, point, (layout.velocities.len(), 1));
        let g = self.output(FunctionRole::Residual, Role::Constraint, point, (layout.constraints.len(), 1));
        (r.values, g.values)
    }

    /// One output of a function; zero if no kernel contributes to it.
    pub fn output(&self, function: FunctionRole, role: Role, point: &Point<T>, shape: (usize, usize)) -> Dense<T> {
        let found = self.evaluate(function, point).into_iter().find(|(known, _)| *known == role);
        found.map_or_else(|| Dense::zeros(shape.0, shape.1), |(_, dense)| dense)
    }

    /// Configuration to start assembly from, `[nq]`.
    pub fn reference_configuration(&self) -> Vec<T> {
        let arguments = Arguments::of_parameters(self.parameters.clone());
        let outputs = run(&self.schedule.reference_configuration, &arguments);
        expanded(&self.schedule.reference_coordinates, &outputs).concat()
    }
}

impl<T: Scalar> Dense<T> {
    /// Zeros.
    pub fn zeros(rows: usize, columns: usize) -> Dense<T> {
        Dense { rows, columns, values: vec![T::from_f64(0.0); rows * columns] }
    }
}
