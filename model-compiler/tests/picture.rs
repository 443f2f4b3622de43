//! What can be seen of a mechanism agrees with its equations: poses with outputs, forces and contacts by their power.

use hamel_compiler::derive::{Block, Equations, FunctionRole, Role, derive};
use hamel_compiler::picture::{Asked, Instant, Picture, UnknownParameter};
use hamel_compiler::resolve::{BodyId, Contact, ContactForm, Frame, System};
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_compiler::schedule::{Schedule, schedule};

struct Model {
    system: System,
    equations: Equations,
    schedule: Schedule,
}

impl Model {
    fn new(text: &str) -> Model {
        let (_, system) = hamel_compiler::understand(text.parse().unwrap()).unwrap_or_else(|error| panic!("{error}"));
        let equations = derive(&system);
        let schedule = schedule(&equations, &equations);
        Model { system, equations, schedule }
    }

    /// Values of an output of a function at a state.
    fn value(&self, function: FunctionRole, role: Role, state: &State) -> Vec<f64> {
        let interpreter = Interpreter::<f64>::new(&self.equations, &self.schedule, defaults(&self.schedule));
        let found = interpreter.evaluate(function, &state.point(self.equations.layout.constraints.len()));
        found.into_iter().find(|(known, _)| *known == role).map(|(_, dense)| dense.values).unwrap_or_default()
    }

    fn picture(&self, asked: &[Asked], state: &State) -> (Picture, Vec<f64>) {
        let picture = Picture::new(&self.system, asked);
        let parameters = picture.parameters::<&str>(&[]).unwrap();
        let (a, lambda) = (vec![0.0; state.v.len()], vec![0.0; self.equations.layout.constraints.len()]);
        let State { t, inputs, q, v } = state;
        let instant = Instant { t: *t, inputs, q, v, a: &a, lambda: &lambda };
        let values = picture.with(&parameters).at(&instant).to_vec();
        (picture, values)
    }
}

/// A state without symmetry.
struct State {
    t: f64,
    inputs: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl State {
    fn random(model: &Model, seed: f64) -> State {
        let layout = &model.equations.layout;
        let values = |n: usize, phase: f64| (0..n).map(|i| (phase + seed + 1.7 * i as f64).sin()).collect();
        let mut state = State {
            t: 0.3 + seed,
            inputs: values(layout.inputs.len(), 0.2),
            q: values(layout.coordinates.len(), 0.4),
            v: values(layout.velocities.len(), 1.1),
        };
        // Euler parameters have unit length.
        for (first, channel) in layout.coordinates.iter().enumerate() {
            if channel.name.ends_with(".e0") {
                let norm = state.q[first..first + 4].iter().map(|e| e * e).sum::<f64>().sqrt();
                state.q[first..first + 4].iter_mut().for_each(|e| *e /= norm);
            }
        }
        state
    }

    fn point(&self, nc: usize) -> Point<f64> {
        let State { t, inputs, q, v } = self;
        let (a, lambda) = (vec![0.0; v.len()], vec![0.0; nc]);
        Point { t: *t, inputs: inputs.clone(), q: q.clone(), v: v.clone(), a, lambda, tau: Vec::new() }
    }
}

fn close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{what}: {found:?} is not {expected:?}");
    }
}

fn frame(body: usize) -> Frame {
    Frame { body: Some(BodyId(body)), position: None, rotation: None }
}

/// Two bodies in space, in all coordinates that they can have.
fn spatial(coordinates: &str) -> Model {
    Model::new(&format!(
        "model Arm {{
            coordinates {coordinates};
            param l = 0.7 m;
            param stiffness = 30 N/m;
            input push N;
            body upper {{ mass: 1 kg, inertia: diag(1, 2, 3) kg m^2, center_of_mass: [0.1, 0.2, -0.3] m }}
            body lower {{ mass: 2 kg, inertia: diag(3, 2, 4) kg m^2 }}
            joint shoulder: spherical(ground at [0.1, 0, 1] m, upper at [0, l, 0]);
            joint elbow: universal(upper at [0, -l, 0.1 m] rotated rotation_x(20 deg), lower at [0.2, 0, 0.4] m);
            force rope: spring_damper(ground at [1, 2, 3] m, lower at [0, 0.3, 0] m) {{
                stiffness: stiffness, damping: 2 N s/m, free_length: 0.2 m
            }}
            force thrust: [push, 2 N, 3 N * sin(time / (1 s))] on lower at [0.1, 0.4, 0.2] m in lower;
            torque twist: [1, 2, 3] N m on lower from upper;
            contact floor: ball_on_plane(lower at [0, 0, -0.5] m, ground at [0, 0, -3] m rotated rotation_x(10 deg)) {{
                radius: 0.2 m, friction: 0.3
            }}
            contact knock: ball_on_ball(lower, upper at [2, 2, 2] m) {{ radii: [0.1, 0.2] m }}
            contact written {{
                gap: norm((lower at [1, 0, 0] m).position - (upper at [0, 0, 2] m).position) - 0.1 m,
                slip: (lower at [1, 0, 0] m).velocity.x, friction: 0.1,
            }}
            output upper = upper.position;
            output upper_axes = upper.rotation;
            output lower = lower.position;
            output lower_axes = lower.rotation;
            output moving = (lower at [0.1, 0.4, 0.2] m).velocity;
            output turning = lower.angular_velocity;
            output turning_upper = upper.angular_velocity;
            output rope_end = (lower at [0, 0.3, 0] m).velocity;
        }}"
    ))
}

const PLANAR: &str = "
    planar;
    body crank { mass: 1 kg, inertia: 2 kg m^2, center_of_mass: [0.1, 0.2] m }
    body rod { mass: 2 kg, inertia: 1 kg m^2 }
    joint pin: revolute(ground at [1, 2] m rotated 20 deg, crank at [0.3, 0.1] m rotated -50 deg);
    joint slide: prismatic(crank at [0.5, 0] m rotated 30 deg, rod at [0, 0.2] m rotated 10 deg);
    contact corner { gap: (rod at [1, 1] m).y + 3 m, slip: (rod at [1, 1] m).x, friction: 0.2 }
    contact disc: disc_on_line(rod, ground at [0, -3] m rotated 5 deg) { radius: 0.3 m, friction: 0.2 }
    output crank = crank.position;
    output crank_angle = crank.angle;
    output rod = rod.position;
    output rod_angle = rod.angle;
";

/// Columns of the axes, row by row, at the angle of a planar body.
fn axes(angle: f64) -> [f64; 9] {
    let (s, c) = angle.sin_cos();
    [c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0]
}

#[test]
fn poses_are_those_of_the_outputs() {
    for coordinates in ["joint", "joint(euler_zyx)", "absolute", "absolute(euler_zyx)"] {
        let model = spatial(coordinates);
        for seed in [0.0, 1.3, 2.9] {
            let state = State::random(&model, seed);
            let outputs = model.value(FunctionRole::Outputs, Role::Outputs, &state);
            let frames = [frame(0), frame(1)];
            let (picture, values) = model.picture(&[Asked::Pose(&frames[0]), Asked::Pose(&frames[1])], &state);
            for body in 0..2 {
                close(&values[picture.span(body)], &outputs[12 * body..12 * (body + 1)], coordinates);
            }
        }
    }
    for coordinates in ["joint", "absolute"] {
        let model = Model::new(&format!("model Planar {{ coordinates {coordinates}; {PLANAR} }}"));
        let state = State::random(&model, 0.6);
        let outputs = model.value(FunctionRole::Outputs, Role::Outputs, &state);
        for body in 0..2 {
            let [x, y, angle] = [0, 1, 2].map(|i| outputs[3 * body + i]);
            let expected: Vec<f64> = [x, y, 0.0].into_iter().chain(axes(angle)).collect();
            close(&model.picture(&[Asked::Pose(&frame(body))], &state).1, &expected, coordinates);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// What a force does at its frames is what it does to the coordinates: their power is the same.
#[test]
fn forces_have_the_power_of_the_generalized_forces() {
    for coordinates in ["joint", "joint(euler_zyx)", "absolute(euler_zyx)"] {
        let model = spatial(coordinates);
        for seed in [0.0, 0.8] {
            let state = State::random(&model, seed);
            let outputs = model.value(FunctionRole::Outputs, Role::Outputs, &state);
            let moving = &outputs[24..];
            let asked: Vec<Asked> = model.system.forces.iter().map(|force| Asked::Force(force)).collect();
            let (picture, values) = model.picture(&asked, &state);
            let of = |force: usize| &values[picture.span(force)];
            let (rope, thrust, twist) = (of(0), of(1), of(2));
            let power = dot(&rope[9 + 3..9 + 6], &moving[9..12])
                + dot(&thrust[3..6], &moving[..3])
                + dot(&twist[6..9], &moving[3..6])
                + dot(&twist[9 + 6..9 + 9], &moving[6..9]);
            // The ground's end of the rope is where it is written, and is pulled the other way.
            close(&rope[..3], &[1.0, 2.0, 3.0], "the rope");
            close(&rope[3..6], &rope[12..15].iter().map(|x| -x).collect::<Vec<_>>(), "the rope");
            let f = model.value(FunctionRole::AppliedForce, Role::AppliedForce, &state);
            close(&[dot(&f, &state.v)], &[power], coordinates);
        }
    }
}

/// A unit of each force of a contact, at the points where it acts, does the work of its row of Wᵀ.
#[test]
fn contacts_have_the_power_of_their_rows() {
    let planar = |coordinates: &str| Model::new(&format!("model Planar {{ coordinates {coordinates}; {PLANAR} }}"));
    for model in [spatial("joint"), spatial("absolute(euler_zyx)"), planar("joint"), planar("absolute")] {
        let state = State::random(&model, 0.4);
        let nv = state.v.len();
        let rows = model.value(FunctionRole::ContactJacobian, Role::ContactJacobian, &state);
        let mut row = 0;
        for contact in &model.system.contacts {
            let n_rows = 1 + contact.form.tangents();
            // Velocities of the points are differences of their places, carried by the bodies on which they are.
            let (_, values) = model.picture(&[Asked::Contact(contact)], &state);
            let mut power = vec![0.0; n_rows];
            for (k, values) in values.chunks_exact(3 * (1 + n_rows)).enumerate() {
                let velocity = carried(&model, &state, contact_body(&model, contact, k), &values[..3]);
                for (power, direction) in power.iter_mut().zip(values[3..].chunks_exact(3)) {
                    *power += dot(direction, &velocity);
                }
            }
            // What is on both bodies of a pair is felt by both, and only the first is shown: that of the second is added.
            let other = second(&model, contact);
            if let (Some(body), Some(values)) = (other, values.get(..3 * (1 + n_rows))) {
                let velocity = carried(&model, &state, body, &values[..3]);
                for (power, direction) in power.iter_mut().zip(values[3..].chunks_exact(3)) {
                    *power -= dot(direction, &velocity);
                }
            }
            for power in power {
                let expected = dot(&rows[row * nv..(row + 1) * nv], &state.v);
                assert!(
                    (power - expected).abs() < 1e-6 * (1.0 + expected.abs()),
                    "{}: {power} {expected}",
                    contact.name
                );
                row += 1;
            }
        }
    }
}

/// The body on which a point of a contact is.
fn contact_body(model: &Model, contact: &Contact, index: usize) -> usize {
    match &contact.form {
        ContactForm::Kind { frames, .. } => frames.iter().find_map(|frame| frame.body).map_or(0, |body| body.0),
        ContactForm::Written { gap, .. } => {
            let points = hamel_compiler::picture::points(gap);
            let bodies: Vec<usize> = points.iter().filter_map(|frame| frame.body).map(|body| body.0).collect();
            assert!(model.system.bodies.len() > bodies[index]);
            bodies[index]
        }
    }
}

fn second(_model: &Model, contact: &Contact) -> Option<usize> {
    match &contact.form {
        ContactForm::Kind { frames, .. } => frames[0].body.and(frames[1].body).map(|body| body.0),
        ContactForm::Written { .. } => None,
    }
}

/// The velocity of a material point of a body, which is at this place.
fn carried(model: &Model, state: &State, body: usize, at: &[f64]) -> Vec<f64> {
    let pose = |state: &State| model.picture(&[Asked::Pose(&frame(body))], state).1;
    let here = pose(state);
    let local: Vec<f64> =
        (0..3).map(|j| (0..3).map(|i| here[3 + 3 * i + j] * (at[i] - here[i])).sum::<f64>()).collect();
    let place =
        |pose: &[f64]| -> Vec<f64> { (0..3).map(|i| pose[i] + dot(&pose[3 + 3 * i..6 + 3 * i], &local)).collect() };
    let step = 1e-5;
    let blocks = &model.equations.layout.blocks;
    let moved = |h: f64| {
        let mut q = state.q.clone();
        advance(blocks, &mut q, &state.v, h);
        place(&pose(&State { t: state.t, inputs: state.inputs.clone(), q, v: state.v.clone() }))
    };
    moved(step).iter().zip(moved(-step)).map(|(a, b)| (a - b) / (2.0 * step)).collect()
}

/// q + h N v, to second order, for the blocks of these models.
fn advance(blocks: &[Block], q: &mut [f64], v: &[f64], h: f64) {
    let (mut iq, mut iv) = (0, 0);
    for block in blocks {
        match block {
            Block::Vector(size) => {
                for i in 0..*size {
                    q[iq + i] += h * v[iv + i];
                }
                (iq, iv) = (iq + size, iv + size);
            }
            Block::Rotation(_) => {
                let [e0, e1, e2, e3] = [q[iq], q[iq + 1], q[iq + 2], q[iq + 3]];
                let [x, y, z] = [v[iv], v[iv + 1], v[iv + 2]];
                let rates = [
                    -e1 * x - e2 * y - e3 * z,
                    e0 * x - e3 * y + e2 * z,
                    e3 * x + e0 * y - e1 * z,
                    -e2 * x + e1 * y + e0 * z,
                ];
                for i in 0..4 {
                    q[iq + i] += 0.5 * h * rates[i];
                }
                (iq, iv) = (iq + 4, iv + 3);
            }
            other => panic!("no such block here: {other:?}"),
        }
    }
}

/// Nodes of a planar beam stand where the coordinates of its outputs say, in the axes of its frame.
#[test]
fn nodes_of_beams_are_displaced_in_their_frame() {
    for kind in ["tangent", "pinned"] {
        let model = Model::new(&format!(
            "model Beam {{
                planar;
                coordinates joint;
                flexible rod: beam_floating_frame {{
                    length: 2 m, elements: 4, E: 70 GPa, density: 2700 kg/m^3, section: rectangle(5 mm, 10 mm), frame: {kind},
                }}
                joint pin: revolute(ground at [1, 2] m, rod.root);
                output place = rod.position;
                output angle = rod.angle;
            }}"
        ));
        let state = State::random(&model, 0.7);
        let outputs = model.value(FunctionRole::Outputs, Role::Outputs, &state);
        let (s, c) = outputs[2].sin_cos();
        let coordinates = &model.equations.layout.coordinates;
        let node = |name: &str| state.q[coordinates.iter().position(|channel| channel.name == name).unwrap()];
        let (x, y) = (1.0 + node("rod[2].x"), node("rod[2].y"));
        let expected: Vec<f64> = [outputs[0] + c * x - s * y, outputs[1] + s * x + c * y, 0.0]
            .into_iter()
            .chain(axes(outputs[2] + node("rod[2].angle")))
            .collect();
        close(&model.picture(&[Asked::Node(&model.system.members[0], 2)], &state).1, &expected, kind);
    }
}

#[test]
fn parameters_are_set_by_name_and_by_path() {
    let model = Model::new(
        "model P { planar; coordinates joint; param a = 2 m; param p = [a, 3 m]; body b { mass: 1 kg, inertia: 1 kg m^2 }
            joint j: revolute(ground at p, b); }",
    );
    let picture = Picture::new(&model.system, &[Asked::InBody(&model.system.joints[0].parent)]);
    assert_eq!(picture.parameters::<&str>(&[]), Ok(vec![2.0, 2.0, 3.0]));
    assert_eq!(picture.parameters(&[("p_y", 5.0), ("p[0]", 4.0)]), Ok(vec![2.0, 4.0, 5.0]));
    assert_eq!(picture.parameters(&[("c", 1.0)]), Err(UnknownParameter("c".into())));
}
