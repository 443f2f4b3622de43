//! Two small models whose equations are written by hand, for the tests of this stage and of the next.

use crate::derive::{
    Block, Channel, Entry, Equations, Function, FunctionRole, Inputs, Instance, Kernel, Layout, Output,
    ParameterChannel, Role,
};
use crate::expr::{ExprId, Graph, Node, Stage, SymbolId};
use crate::space::Shape;

fn id(graph: &Graph, symbol: ExprId) -> SymbolId {
    match graph.node(symbol) {
        Node::Symbol(id) => id,
        _ => unreachable!("a symbol"),
    }
}

fn output(graph: &Graph, role: Role, rows: &[Vec<ExprId>]) -> Output {
    let columns = rows.first().map_or(0, Vec::len);
    let mut entries = Vec::new();
    for column in 0..columns {
        for (row, values) in rows.iter().enumerate() {
            if !graph.is_zero(values[column]) {
                entries.push(Entry { row, column, value: values[column] });
            }
        }
    }
    Output { role, shape: (rows.len(), columns), entries }
}

fn column(values: &[ExprId]) -> Vec<Vec<ExprId>> {
    values.iter().map(|&value| vec![value]).collect()
}

fn channel(name: &str, unit: &str) -> Channel {
    Channel { name: name.to_owned(), unit: unit.to_owned() }
}

fn parameter(name: &str, unit: &str, shape: Shape, default: &str) -> ParameterChannel {
    let [name, unit, doc, default] = [name, unit, "", default].map(str::to_owned);
    ParameterChannel { name, unit, shape, doc, default }
}

fn instance(kernel: usize, name: &str) -> Instance {
    Instance {
        kernel,
        name: name.to_owned(),
        parameters: Vec::new(),
        inputs: Vec::new(),
        differentiated: Vec::new(),
        reference: Vec::new(),
        q: Vec::new(),
        v: Vec::new(),
        lambda: Vec::new(),
        contacts: Vec::new(),
        contact_rows: Vec::new(),
        outputs: Vec::new(),
        switches: Vec::new(),
        initial_position: Vec::new(),
        initial_velocity: Vec::new(),
    }
}

/// A driven pendulum: `m l² θ̈ + m g l sin θ = drive − c θ̇`, in one kernel.
pub fn pendulum() -> Equations {
    let mut g = Graph::new();
    let [m, l, gravity, c] = ["mass", "length", "gravity", "c"].map(|name| g.symbol(name, Stage::Parameter));
    let drive = g.symbol("drive", Stage::Time);
    let theta = g.symbol("hinge.angle", Stage::Position);
    let rate = g.symbol("hinge.angle_dot", Stage::Velocity);
    let acceleration = g.symbol("hinge.angle_ddot", Stage::Acceleration);

    let l_squared = g.mul(l, l);
    let inertia = g.mul(m, l_squared);
    let weight = g.product(&[m, gravity, l]);
    let (sine, cosine) = (g.sin(theta), g.cos(theta));
    let bias = g.mul(weight, sine);
    let friction = g.mul(c, rate);
    let applied = g.sub(drive, friction);
    let inertial = g.mul(inertia, acceleration);
    let left = g.add(inertial, bias);
    let residual = g.sub(left, applied);
    let stiffness = g.mul(weight, cosine);
    let half = g.ratio(1, 2);
    let kinetic = g.product(&[half, inertia, rate, rate]);
    let minus_cosine = g.neg(cosine);
    let potential = g.mul(weight, minus_cosine);
    let x = g.mul(l, sine);
    let y = g.mul(l, minus_cosine);
    let one = g.one();
    let start = g.sub(theta, half);

    let functions = [
        (FunctionRole::MassMatrix, vec![(Role::MassMatrix, column(&[inertia]))]),
        (FunctionRole::BiasForce, vec![(Role::BiasForce, column(&[bias]))]),
        (FunctionRole::AppliedForce, vec![(Role::AppliedForce, column(&[applied]))]),
        (
            FunctionRole::Energy,
            vec![(Role::KineticEnergy, column(&[kinetic])), (Role::PotentialEnergy, column(&[potential]))],
        ),
        (FunctionRole::Residual, vec![(Role::Residual, column(&[residual]))]),
        (
            FunctionRole::Linearization,
            vec![
                (Role::MassMatrix, column(&[inertia])),
                (Role::Damping, column(&[c])),
                (Role::Stiffness, column(&[stiffness])),
            ],
        ),
        (FunctionRole::Outputs, vec![(Role::Outputs, column(&[x, y]))]),
        (
            FunctionRole::InitialPosition,
            vec![(Role::InitialResidual, column(&[start])), (Role::InitialJacobian, column(&[one]))],
        ),
    ];
    let functions = functions
        .into_iter()
        .map(|(role, outputs)| {
            Function::new(role, outputs.iter().map(|(role, rows)| output(&g, *role, rows)).collect())
        })
        .collect();
    let inputs = Inputs {
        parameters: [m, l, gravity, c].map(|symbol| id(&g, symbol)).to_vec(),
        time: None,
        inputs: vec![id(&g, drive)],
        q: vec![id(&g, theta)],
        v: vec![id(&g, rate)],
        a: vec![id(&g, acceleration)],
        lambda: Vec::new(),
        ..Inputs::default()
    };

    let mut parameter_graph = Graph::new();
    let symbols = ["mass", "length", "gravity"].map(|name| parameter_graph.symbol(name, Stage::Parameter));
    let damping = parameter_graph.symbol("c", Stage::Parameter);
    let defaults = [parameter_graph.float(2.0), parameter_graph.float(0.5), parameter_graph.float(9.81)];
    let tenth = parameter_graph.ratio(1, 10);
    let default_damping = parameter_graph.mul(tenth, symbols[0]);
    let zero = parameter_graph.zero();
    Equations {
        kernels: vec![Kernel {
            name: "pendulum".to_owned(),
            doc: "The whole model.".to_owned(),
            graph: g,
            inputs,
            functions,
        }],
        instances: vec![Instance {
            parameters: vec![symbols[0], symbols[1], symbols[2], damping],
            inputs: vec![0],
            q: vec![0],
            v: vec![0],
            outputs: vec![0, 1],
            initial_position: vec![0],
            ..instance(0, "pendulum")
        }],
        parameter_graph,
        bodies: Vec::new(),
        contact_laws: Vec::new(),
        switches: Vec::new(),
        dimensions: Vec::new(),
        symmetries: Vec::new(),
        total_masses: Vec::new(),
        defaults: [defaults.as_slice(), &[default_damping]].concat(),
        reference_configuration: vec![zero],
        is_fused: false,
        layout: Layout {
            parameters: vec![
                parameter("mass", "kg", Shape::Scalar, "2 kg"),
                parameter("length", "m", Shape::Scalar, "0.5 m"),
                parameter("gravity", "m/s^2", Shape::Scalar, "9.81 m/s^2"),
                parameter("c", "N m s", Shape::Scalar, "0.1 * mass"),
            ],
            inputs: vec![channel("drive", "N m")],
            coordinates: vec![channel("hinge.angle", "rad")],
            velocities: vec![channel("hinge.angle_dot", "rad/s")],
            constraints: Vec::new(),
            outputs: vec![channel("tip[0]", "m"), channel("tip[1]", "m")],
            blocks: vec![Block::Vector(1)],
            velocity_constraints: 0,
            contacts: Vec::new(),
            initial_conditions: (vec!["theta = 1 rad".to_owned()], Vec::new()),
            singular: Vec::new(),
            has_unknown_power: false,
            ..Layout::default()
        },
    }
}

/// Two point masses in the plane on a rigid rod: one kernel with two instances, one with a constraint.
pub fn dumbbell() -> Equations {
    let mut parameter_graph = Graph::new();
    let masses = ["masses_x", "masses_y"].map(|name| parameter_graph.symbol(name, Stage::Parameter));
    let length = parameter_graph.symbol("length", Stage::Parameter);
    let defaults = [1, 3, 2].map(|value| parameter_graph.integer(value));
    let zero = parameter_graph.zero();
    let [point_mass, rod] = [point_mass(), rod()];
    let mass = |i: usize, name: &str| Instance {
        parameters: vec![masses[i]],
        q: vec![2 * i, 2 * i + 1],
        v: vec![2 * i, 2 * i + 1],
        ..instance(0, name)
    };
    let names = ["a.x", "a.y", "b.x", "b.y"];
    Equations {
        kernels: vec![point_mass, rod],
        instances: vec![
            mass(0, "a"),
            mass(1, "b"),
            // The rod counts its ends the other way round.
            Instance {
                parameters: vec![length],
                q: vec![2, 3, 0, 1],
                v: vec![2, 3, 0, 1],
                lambda: vec![0],
                ..instance(1, "rod")
            },
        ],
        reference_configuration: vec![zero, zero, length, zero],
        parameter_graph,
        bodies: Vec::new(),
        contact_laws: Vec::new(),
        switches: Vec::new(),
        dimensions: Vec::new(),
        symmetries: Vec::new(),
        total_masses: Vec::new(),
        defaults: defaults.to_vec(),
        is_fused: false,
        layout: Layout {
            parameters: vec![
                parameter("masses", "kg", Shape::Vector(2), "[1, 3] kg"),
                parameter("length", "m", Shape::Scalar, "2 m"),
            ],
            inputs: Vec::new(),
            coordinates: names.map(|name| channel(name, "m")).to_vec(),
            velocities: names.map(|name| channel(name, "m/s")).to_vec(),
            constraints: vec![channel("rod", "m^2")],
            outputs: Vec::new(),
            blocks: vec![Block::Vector(4)],
            velocity_constraints: 0,
            contacts: Vec::new(),
            initial_conditions: Default::default(),
            singular: Vec::new(),
            has_unknown_power: false,
            ..Layout::default()
        },
    }
}

/// Mass matrix `m`, weight `9.81 m` downwards.
fn point_mass() -> Kernel {
    let mut g = Graph::new();
    let m = g.symbol("m", Stage::Parameter);
    let q = ["x", "y"].map(|name| g.symbol(name, Stage::Position));
    let v = ["x_dot", "y_dot"].map(|name| g.symbol(name, Stage::Velocity));
    let a = ["x_ddot", "y_ddot"].map(|name| g.symbol(name, Stage::Acceleration));
    let zero = g.zero();
    let gravity = g.float(9.81);
    let weight = g.mul(m, gravity);
    let force = g.neg(weight);
    let matrix = vec![vec![m, zero], vec![zero, m]];
    let horizontal = g.mul(m, a[0]);
    let vertical = g.mul(m, a[1]);
    let vertical = g.add(vertical, weight);
    let half = g.ratio(1, 2);
    let speed = g.dot(&v, &v);
    let kinetic = g.product(&[half, m, speed]);
    let potential = g.mul(weight, q[1]);
    let functions = vec![
        Function::new(FunctionRole::MassMatrix, vec![output(&g, Role::MassMatrix, &matrix)]),
        Function::new(FunctionRole::AppliedForce, vec![output(&g, Role::AppliedForce, &column(&[zero, force]))]),
        Function::new(
            FunctionRole::Energy,
            vec![
                output(&g, Role::KineticEnergy, &column(&[kinetic])),
                output(&g, Role::PotentialEnergy, &column(&[potential])),
            ],
        ),
        Function::new(FunctionRole::Residual, vec![output(&g, Role::Residual, &column(&[horizontal, vertical]))]),
        Function::new(FunctionRole::Linearization, vec![output(&g, Role::MassMatrix, &matrix)]),
    ];
    let inputs = Inputs {
        parameters: vec![id(&g, m)],
        q: q.map(|symbol| id(&g, symbol)).to_vec(),
        v: v.map(|symbol| id(&g, symbol)).to_vec(),
        a: a.map(|symbol| id(&g, symbol)).to_vec(),
        ..Inputs::default()
    };
    Kernel { name: "point mass".to_owned(), doc: "A mass under gravity.".to_owned(), graph: g, inputs, functions }
}

/// `g = ½ (|p − q|² − l²)` and everything that follows by differentiation.
fn rod() -> Kernel {
    let mut g = Graph::new();
    let l = g.symbol("length", Stage::Parameter);
    let q = ["x1", "y1", "x2", "y2"].map(|name| g.symbol(name, Stage::Position));
    let v = ["x1_dot", "y1_dot", "x2_dot", "y2_dot"].map(|name| g.symbol(name, Stage::Velocity));
    let lambda = g.symbol("lambda_0", Stage::Acceleration);
    let (dx, dy) = (g.sub(q[0], q[2]), g.sub(q[1], q[3]));
    let distance = g.dot(&[dx, dy], &[dx, dy]);
    let target = g.mul(l, l);
    let gap = g.sub(distance, target);
    let half = g.ratio(1, 2);
    let constraint = g.mul(half, gap);
    let jacobian = g.jacobian(&[constraint], &q);
    let rate = g.dot(&jacobian[0], &v);
    let curvature = g.gradient(rate, &q);
    let bias = g.dot(&curvature, &v);
    let residual: Vec<ExprId> = jacobian[0]
        .iter()
        .map(|&entry| {
            let force = g.mul(entry, lambda);
            g.neg(force)
        })
        .collect();
    let stiffness = g.jacobian(&residual, &q);
    let functions = vec![
        Function::new(FunctionRole::Constraint, vec![output(&g, Role::Constraint, &column(&[constraint]))]),
        Function::new(FunctionRole::ConstraintJacobian, vec![output(&g, Role::ConstraintJacobian, &jacobian)]),
        Function::new(FunctionRole::ConstraintBias, vec![output(&g, Role::ConstraintAcceleration, &column(&[bias]))]),
        Function::new(
            FunctionRole::Residual,
            vec![output(&g, Role::Residual, &column(&residual)), output(&g, Role::Constraint, &column(&[constraint]))],
        ),
        Function::new(
            FunctionRole::Linearization,
            vec![output(&g, Role::Stiffness, &stiffness), output(&g, Role::ConstraintJacobian, &jacobian)],
        ),
    ];
    let inputs = Inputs {
        parameters: vec![id(&g, l)],
        q: q.map(|symbol| id(&g, symbol)).to_vec(),
        v: v.map(|symbol| id(&g, symbol)).to_vec(),
        lambda: vec![id(&g, lambda)],
        ..Inputs::default()
    };
    Kernel { name: "rod".to_owned(), doc: "A constant distance.".to_owned(), graph: g, inputs, functions }
}
