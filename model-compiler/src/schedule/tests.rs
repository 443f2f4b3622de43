//! What is scheduled is what was asked for: against the graph, and against derivatives by dual numbers.

use super::fixture::{dumbbell, pendulum};
use super::interpret::{Arguments, Interpreter, Point, defaults, run};
use super::*;
use crate::expr::{Dual, evaluate};

/// Different numbers, none of them special.
fn sample(n: usize, offset: f64) -> Vec<f64> {
    (0..n).map(|i| offset + 0.37 * i as f64 + 0.11 * (i * i) as f64).collect()
}

#[test]
fn routines_compute_what_the_graph_says() {
    for equations in [pendulum(), dumbbell()] {
        let schedule = schedule(&equations, &equations);
        for (kernel, scheduled) in equations.kernels.iter().zip(&schedule.kernels) {
            let values = sample(kernel.graph.symbols().len(), 0.4);
            let of = |symbols: &[SymbolId]| symbols.iter().map(|id| values[id.index()]).collect::<Vec<f64>>();
            let inputs = &kernel.inputs;
            let parameters = of(&inputs.parameters);
            let constants = run(&scheduled.setup, &Arguments::of_parameters(parameters.clone())).concat();
            let t = inputs.time.map_or(0.0, |id| values[id.index()]);
            let (q, v, a, lambda) = (of(&inputs.q), of(&inputs.v), of(&inputs.a), of(&inputs.lambda));
            let point = Point { t, inputs: of(&inputs.inputs), q, v, a, lambda, tau: Vec::new() };
            let arguments = Arguments { parameters, constants, point };
            for (function, routine) in kernel.functions.iter().zip(&scheduled.functions) {
                let expected = evaluate(&kernel.graph, &super::values(&kernel.graph, function).concat(), &values);
                assert_eq!(run(&routine.routine, &arguments).concat(), expected, "{:?}", function.role);
            }
        }
    }
}

#[test]
fn linearization_is_the_derivative_of_the_residual() {
    for equations in [pendulum(), dumbbell()] {
        let schedule = schedule(&equations, &equations);
        let (nv, nc) = (equations.layout.velocities.len(), equations.layout.constraints.len());
        let parameters: Vec<f64> = defaults(&schedule);
        let (q, v) = (sample(nv, 0.3), sample(nv, -0.8));
        let point =
            Point { t: 0.0, inputs: vec![0.7], q, v, a: sample(nv, 1.1), lambda: sample(nc, 2.0), tau: Vec::new() };
        let exact = Interpreter::new(&equations, &schedule, parameters.clone());
        let dual = Interpreter::new(&equations, &schedule, parameters.into_iter().map(Dual::constant).collect());
        for (role, varied) in [(Role::MassMatrix, 2), (Role::Damping, 1), (Role::Stiffness, 0)] {
            let seed = |which: usize, values: &[f64]| -> Vec<Dual> {
                let vary = |(i, &value): (usize, &f64)| {
                    if which == varied { Dual::variable(value, i, nv) } else { Dual::constant(value) }
                };
                values.iter().enumerate().map(vary).collect()
            };
            let point_of_duals = Point {
                t: Dual::constant(point.t),
                inputs: seed(9, &point.inputs),
                q: seed(0, &point.q),
                v: seed(1, &point.v),
                a: seed(2, &point.a),
                lambda: seed(9, &point.lambda),
                tau: Vec::new(),
            };
            let (r, g) = dual.residual(&point_of_duals);
            let matrix = exact.output(FunctionRole::Linearization, role, &point, (nv, nv));
            for (row, residual) in r.iter().enumerate() {
                for column in 0..nv {
                    let difference = residual.slope(column) - matrix.values[row * nv + column];
                    assert!(difference.abs() < 1e-13, "{role:?} [{row}, {column}]: {difference}");
                }
            }
            if role == Role::Stiffness {
                let jacobian = exact.output(FunctionRole::Linearization, Role::ConstraintJacobian, &point, (nc, nv));
                for (row, constraint) in g.iter().enumerate() {
                    for column in 0..nv {
                        assert!((constraint.slope(column) - jacobian.values[row * nv + column]).abs() < 1e-13);
                    }
                }
            }
        }
    }
}

#[test]
fn work_on_parameters_is_hoisted() {
    let equations = pendulum();
    let schedule = schedule(&equations, &equations);
    let kernel = &schedule.kernels[0];
    for function in &kernel.functions {
        assert!(function.routine.arguments().iter().all(|argument| !matches!(argument, Argument::Parameter(_))));
    }
    let mass_matrix = &kernel.functions[0];
    assert_eq!(count::total(&mass_matrix.counts.simplified), 0);
    assert_eq!(mass_matrix.counts.hoisted, 2);
    assert_eq!(mass_matrix.routine.statements.len(), 1);
}

#[test]
fn fused_products_are_no_operations_of_their_own() {
    let mut equations = pendulum();
    let plain = schedule(&equations, &equations);
    equations.is_fused = true;
    let fused = schedule(&equations, &equations);
    let residual = |schedule: &Schedule| {
        let kernel = &schedule.kernels[0];
        kernel.functions.iter().find(|function| function.role == FunctionRole::Residual).unwrap().routine.clone()
    };
    let count = |routine: &Routine| routine.statements.iter().map(|statement| statement.value().fused()).sum::<usize>();
    assert_eq!(count(&residual(&plain)), 0);
    // m l² θ̈ + m g l sin θ and drive − c θ̇.
    assert_eq!(count(&residual(&fused)), 2);
    assert_eq!(count(&fused.kernels[0].setup), 0);
    let names = &fused.kernels[0].names;
    let arguments = Arguments {
        parameters: Vec::new(),
        constants: sample(names.constants.len(), 0.7),
        point: Point {
            t: 0.0,
            inputs: vec![0.3],
            q: vec![0.4],
            v: vec![-1.1],
            a: vec![2.3],
            lambda: Vec::new(),
            tau: Vec::new(),
        },
    };
    let [a, b] = [&plain, &fused].map(|schedule| run(&residual(schedule), &arguments)[0][0]);
    assert!((a - b).abs() < 1e-15, "{a} and {b}");
}

#[test]
fn sine_and_cosine_are_computed_together() {
    let equations = pendulum();
    let schedule = schedule(&equations, &equations);
    let outputs = schedule.kernels[0].functions.iter().find(|function| function.role == FunctionRole::Outputs).unwrap();
    assert!(matches!(outputs.routine.statements[0], Statement::SinCos { .. }));
    assert_eq!(*outputs.routine.locals, ["sin_hinge_angle", "cos_hinge_angle"]);
}

#[test]
fn defaults_follow_earlier_parameters() {
    let equations = pendulum();
    let schedule = schedule(&equations, &equations);
    assert_eq!(defaults::<f64>(&schedule), [2.0, 0.5, 9.81, 0.2]);
}

#[test]
fn results_of_equal_kernels_add_up() {
    let equations = dumbbell();
    let schedule = schedule(&equations, &equations);
    let model = Interpreter::new(&equations, &schedule, defaults(&schedule));
    let diagonal: Vec<f64> = model.mass_matrix(&[0.0; 4]).values.iter().step_by(5).copied().collect();
    assert_eq!(diagonal, [1.0, 1.0, 3.0, 3.0]);
    assert_eq!(model.reference_configuration(), [0.0, 0.0, 2.0, 0.0]);
}

#[test]
fn lines_stay_readable() {
    let mut graph = Graph::new();
    let symbols: Vec<ExprId> =
        (0..40).map(|i| graph.symbol(&format!("coordinate_{i}"), crate::expr::Stage::Position)).collect();
    let sum = graph.sum(&symbols);
    let given = arguments(&graph, &(0..40).map(SymbolId).collect::<Vec<_>>(), Argument::Position).collect();
    let names = ArgumentNames { q: (0..40).map(|i| format!("coordinate_{i}")).collect(), ..ArgumentNames::default() };
    let routine = order::routine(&graph, &[vec![sum]], &given, &names, Names::default(), false);
    assert!(routine.statements.len() > 5, "{}", routine.statements.len());
    for statement in &routine.statements {
        let mut arguments = 0;
        statement.value().for_each_leaf(&mut |_| arguments += 1);
        assert!(arguments <= 9, "{statement:?}");
    }
}

/// A number of the setup and a constant that shared a name would hide one another.
#[test]
fn constants_are_named_unlike_the_numbers_of_their_setup() {
    let source = "model Row {
        planar;
        coordinates absolute;
        param mass = 1 kg;
        param radius = 0.1 m;
        for k in 0..40 {
            body disc[k] { mass: mass, inertia: mass * radius^2 / 2 }
            initial disc[k].position = [k * radius, radius];
        }
    }";
    let stages = crate::stages(source.parse().unwrap()).unwrap();
    let kernel = stages.schedule.kernels.iter().find(|kernel| kernel.names.constants.len() > 30).unwrap();
    assert!(kernel.setup.numbers.iter().any(|(_, name)| name == "c19"));
    for (number, name) in &kernel.setup.numbers {
        assert!(!kernel.names.constants.contains(name), "{name} is {number} and a constant");
    }
}
