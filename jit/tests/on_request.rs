//! Laws of the functions that models provide on request, over random trees: rates by dual numbers, balances of momentum,
//! and what M, h and the outputs say of the same.

use std::fmt::Write;
use std::sync::LazyLock;

use crate::common::on_request;
use hamel::configuration::{normalize_rotations, velocity_map_apply};
use hamel::{Model, State};
use hamel_compiler::derive::{Equations, FunctionRole, Role};
use hamel_compiler::expr::Dual;
use hamel_compiler::schedule::Schedule;
use hamel_compiler::schedule::interpret::{Dense, Interpreter, Point, defaults};
use hamel_compiler::schedule::totals;
use hamel_compiler::simplify::Limits;
use hamel_jit::{JitModel, Level};

/// Numbers in −1 … 1 that follow from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.next() + 1.0) / 2.0 * n as f64) as usize % n
    }

    fn vector(&mut self, n: usize) -> String {
        let components: Vec<String> = (0..n).map(|_| format!("{:.3}", self.next())).collect();
        format!("[{}]", components.join(", "))
    }
}

const OF_FREE_MODELS: &str = "nonlinear_effects, inverse_dynamics, forward_dynamics, inverse_dynamics_derivatives, \
    inverse_dynamics_second_derivatives";
const OF_ALL_MODELS: &str = "inverse_mass_matrix, mass_matrix_factors, coriolis_matrix, gravity_forces, regressor, \
    center_of_mass, centroidal_momentum_matrix, centroidal_momentum_bias";

fn functions_of(frame: &str) -> String {
    let both =
        ["velocity", "acceleration", "jacobian", "jacobian_bias", "velocity_derivatives", "acceleration_derivatives"];
    let both = both.map(|function| format!("{function}({frame}), {function}({frame} in {frame})"));
    format!("pose({frame}), {}", both.join(", "))
}

/// A tree in space; `is_floating`: its first body moves freely.
fn tree_in_space(random: &mut Random, is_floating: bool) -> String {
    let n = 3 + random.below(4);
    let mut text = "model Tree { coordinates joint; gravity [0.3, -0.2, -9.81] m/s^2;".to_owned();
    for k in 0..n {
        let (mass, center) = (1.2 + random.next(), random.vector(3));
        let [a, b, c] = [0.0; 3].map(|_: f64| 0.4 + 0.1 * random.next());
        let _ = writeln!(
            text,
            "body link{k} {{ mass: {mass:.3} kg, center_of_mass: {center} m, \
             inertia: [[{a:.4}, 0.01, -0.02], [0.01, {b:.4}, 0.03], [-0.02, 0.03, {c:.4}]] kg m^2 }}"
        );
    }
    for k in 0..n {
        let parent = if k == 0 { "ground".to_owned() } else { format!("link{}", random.below(k)) };
        let kinds = ["revolute", "prismatic", "spherical", "universal", "cylindrical", "planar", "fixed"];
        let kind = if k == 0 && is_floating { "free" } else { kinds[random.below(7)] };
        let [at, on] = [0; 2].map(|_| random.vector(3));
        let [axis, other] = [0; 2].map(|_| ["[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]", "[3, 0, 4]"][random.below(4)]);
        let _ = writeln!(text, "joint j{k}: {kind}({parent} at {at} m axis {axis}, link{k} at {on} m axis {other});");
    }
    let (last, place) = (n - 1, random.vector(3));
    let _ = writeln!(text, "marker tool: link{last} at {place} m rotated rotation_x(40 deg) * rotation_z(70 deg);");
    let _ = writeln!(text, "output place = tool.position; output velocity = tool.velocity; output p = model.momentum;");
    let _ = writeln!(text, "output l = model.angular_momentum; output spin = link{last}.angular_velocity;");
    let (of_tool, of_link) = (functions_of("tool"), functions_of("link1"));
    text + &format!("provide {OF_FREE_MODELS}, {OF_ALL_MODELS}, {of_tool}, {of_link}; }}")
}

fn tree_in_the_plane(random: &mut Random) -> String {
    let n = 2 + random.below(5);
    let mut text = "model Tree { planar; coordinates joint; gravity [0.3, -9.81] m/s^2;".to_owned();
    for k in 0..n {
        let (mass, inertia, center) = (1.2 + random.next(), 0.4 + 0.1 * random.next(), random.vector(2));
        let _ = writeln!(
            text,
            "body link{k} {{ mass: {mass:.3} kg, center_of_mass: {center} m, inertia: {inertia:.3} kg m^2 }}"
        );
    }
    for k in 0..n {
        let parent = if k == 0 { "ground".to_owned() } else { format!("link{}", random.below(k)) };
        let kind = ["revolute", "revolute", "prismatic", "free"][random.below(4)];
        let [at, on] = [0; 2].map(|_| random.vector(2));
        let is_absolute = kind == "revolute" && random.next() > 0.3;
        let option = if is_absolute { format!("{{ absolute_angle: theta{k} }}") } else { ";".to_owned() };
        let turned = if random.next() > 0.0 { " rotated 0.4 rad" } else { "" };
        let _ = writeln!(text, "joint j{k}: {kind}({parent} at {at} m{turned}, link{k} at {on} m) {option}");
    }
    let (last, place) = (n - 1, random.vector(2));
    let _ = writeln!(text, "marker tool: link{last} at {place} m rotated 0.7 rad;");
    let _ = writeln!(text, "output place = tool.position; output velocity = tool.velocity; output p = model.momentum;");
    let _ = writeln!(text, "output l = model.angular_momentum; output spin = link{last}.angular_velocity;");
    let (of_tool, of_link) = (functions_of("tool"), functions_of("link1"));
    text + &format!("provide {OF_FREE_MODELS}, {OF_ALL_MODELS}, {of_tool}, {of_link}; }}")
}

/// A model at a state, and in the direction of its motion.
struct Subject {
    text: String,
    equations: Equations,
    schedule: Schedule,
    model: JitModel,
    state: State,
    /// Everything that the compiled model provides.
    provided: Vec<(String, Vec<f64>)>,
}

impl Subject {
    fn new(text: String, random: &mut Random) -> Subject {
        let tokens = text.parse().unwrap();
        let stages =
            hamel_compiler::stages_within(tokens, &Limits::at_once()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let model = hamel_jit::compile(&stages, Level::AtOnce).unwrap();
        let mut state = State::zeros(model.dims());
        for list in [&mut state.q, &mut state.v, &mut state.a] {
            list.iter_mut().for_each(|value| *value = random.next());
        }
        normalize_rotations(&model.describe().blocks, state.q.as_mut_slice());
        let provided = on_request::on_request(&model, &state);
        let (equations, schedule) = (stages.simplified, stages.schedule);
        Subject { text, equations, schedule, model, state, provided }
    }

    fn is_planar(&self) -> bool {
        self.text.contains("planar;")
    }

    fn nv(&self) -> usize {
        self.state.v.len()
    }

    /// The results of a function, as they follow each other.
    fn result(&self, function: &str, result: &str) -> Vec<f64> {
        let place = self.provided.iter().position(|(name, _)| name == function);
        let place = place.unwrap_or_else(|| panic!("no `{function}` in {}", self.text));
        let mut start = 0;
        for (name, shape) in &self.model.provided()[place].results {
            let n: usize = shape.iter().product();
            if name == result {
                return self.provided[place].1[start..start + n].to_vec();
            }
            start += n;
        }
        panic!("no `{result}` of `{function}`");
    }

    /// Rates of all outputs of a function while the model moves with its velocities and accelerations.
    fn rates(&self, function: &str) -> Vec<(Role, Vec<f64>)> {
        let still = vec![0.0; self.nv()];
        self.rates_along(function, [self.state.v.as_slice(), self.state.a.as_slice(), &still])
    }

    /// Slopes of all outputs of a function while q moves along the first vector, v with the second, a with the third.
    fn rates_along(&self, function: &str, along: [&[f64]; 3]) -> Vec<(Role, Vec<f64>)> {
        let state = &self.state;
        let mut q_dot = vec![0.0; state.q.len()];
        velocity_map_apply(&self.model.describe().blocks, state.q.as_slice(), along[0], &mut q_dot);
        let moving = |values: &[f64], rates: &[f64]| -> Vec<Dual> {
            values.iter().zip(rates).map(|(&value, &rate)| Dual::with_slopes(value, vec![rate])).collect()
        };
        let still = vec![0.0; self.nv()];
        let point = Point {
            t: Dual::constant(0.0),
            inputs: Vec::new(),
            q: moving(state.q.as_slice(), &q_dot),
            v: moving(state.v.as_slice(), along[1]),
            a: moving(state.a.as_slice(), along[2]),
            lambda: Vec::new(),
            tau: moving(state.a.as_slice(), &still),
        };
        let interpreter = Interpreter::new(&self.equations, &self.schedule, defaults(&self.schedule));
        let functions = totals::functions(&self.equations, &self.schedule);
        let role = functions.iter().find(|known| known.name == function).map(|known| known.role);
        let results = interpreter.evaluate(role.unwrap_or_else(|| panic!("no `{function}`")), &point);
        let rate =
            |(role, dense): (Role, Dense<Dual>)| (role, dense.values.iter().map(|value| value.slope(0)).collect());
        results.into_iter().map(rate).collect()
    }

    fn rate(&self, function: &str, role: Role) -> Vec<f64> {
        let found = self.rates(function).into_iter().find(|(known, _)| *known == role);
        found.unwrap_or_else(|| panic!("no {role:?} of `{function}`")).1
    }

    /// M, dense.
    fn mass_matrix(&self) -> Vec<f64> {
        let interpreter = Interpreter::new(&self.equations, &self.schedule, defaults(&self.schedule));
        interpreter.mass_matrix(self.state.q.as_slice()).values
    }

    fn output(&self, name: &str) -> Vec<f64> {
        let mut outputs = vec![0.0; self.model.describe().outputs.len()];
        self.model.outputs(&self.state, &mut outputs);
        let names = self.model.describe().outputs.iter().map(|output| output.name.clone());
        let is_of = |known: &str| known == name || known.strip_prefix(name).is_some_and(|rest| rest.starts_with('_'));
        names.zip(outputs).filter(|(known, _)| is_of(known)).map(|(_, value)| value).collect()
    }

    fn assert(&self, what: &str, found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len(), "{what} of {}", self.text);
        let scale = expected.iter().fold(1.0_f64, |scale, value| scale.max(value.abs()));
        for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!((found - expected).abs() < 1e-10 * scale, "{what}[{i}]: {found}, not {expected}, of {}", self.text);
        }
    }
}

fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    matrix.chunks(vector.len()).map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// Row-major `[n × n]`, transposed.
fn transposed(matrix: &[f64], n: usize) -> Vec<f64> {
    (0..matrix.len()).map(|i| matrix[i % n * n + i / n]).collect()
}

/// Fixed and floating trees in space, and trees in the plane.
static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let seeds: Vec<u64> = (0..15).collect();
    hamel_compiler::parallel::map(&seeds, |seed| {
        let random = &mut Random(977 * seed + 5);
        let text = match seed % 3 {
            0 => tree_in_space(random, false),
            1 => tree_in_space(random, true),
            _ => tree_in_the_plane(random),
        };
        Subject::new(text, random)
    })
});

#[test]
fn frames_move_as_their_poses_change() {
    for subject in SUBJECTS.iter() {
        let (v, a) = (subject.state.v.as_slice(), subject.state.a.as_slice());
        for frame in ["tool", "link1"] {
            let of = |function: &str, result: &str| subject.result(&format!("{function}_of_{frame}"), result);
            let pose = format!("pose_of_{frame}");
            let (linear, angular) = (of("velocity", "linear"), of("velocity", "angular"));
            subject.assert("the rate of the origin", &linear, &subject.rate(&pose, Role::Position));
            let turning = if subject.is_planar() {
                subject.rate(&pose, Role::Angle)
            } else {
                // Ṙ Rᵀ.
                let (r, rate) = (of("pose", "rotation"), subject.rate(&pose, Role::Rotation));
                let entry = |i: usize, j: usize| (0..3).map(|k| rate[3 * i + k] * r[3 * j + k]).sum::<f64>();
                vec![entry(2, 1), entry(0, 2), entry(1, 0)]
            };
            subject.assert("the rate of the axes", &angular, &turning);
            subject.assert("J v", &times(&of("jacobian", "linear"), v), &linear);
            subject.assert("J v of rotation", &times(&of("jacobian", "angular"), v), &angular);
            let velocity = format!("velocity_of_{frame}");
            for (result, role) in [("linear", Role::Linear), ("angular", Role::Angular)] {
                let acceleration = of("acceleration", result);
                subject.assert("the rate of the velocity", &acceleration, &subject.rate(&velocity, role));
                let by_jacobian = sum(&times(&of("jacobian", result), a), &of("jacobian_bias", result));
                subject.assert("J a + J̇ v", &by_jacobian, &acceleration);
            }
            // The same vectors in the frame's axes.
            let axes = if subject.is_planar() {
                let (sine, cosine) = of("pose", "angle")[0].sin_cos();
                vec![cosine, sine, -sine, cosine]
            } else {
                transposed(&of("pose", "rotation"), 3)
            };
            for function in ["velocity", "acceleration", "jacobian_bias"] {
                let own = |result: &str| subject.result(&format!("{function}_of_{frame}_in_own_axes"), result);
                subject.assert("own axes", &own("linear"), &times(&axes, &of(function, "linear")));
                let angular = of(function, "angular");
                let expected = if subject.is_planar() { angular } else { times(&axes, &angular) };
                subject.assert("own axes, of rotation", &own("angular"), &expected);
            }
            let own = |result: &str| subject.result(&format!("jacobian_of_{frame}_in_own_axes"), result);
            let in_own_axes = |result: &str| subject.result(&format!("velocity_of_{frame}_in_own_axes"), result);
            subject.assert("own J v", &times(&own("linear"), v), &in_own_axes("linear"));
            subject.assert("own J v of rotation", &times(&own("angular"), v), &in_own_axes("angular"));
        }
        subject.assert("the origin", &subject.result("pose_of_tool", "position"), &subject.output("place"));
        subject.assert("the velocity", &subject.result("velocity_of_tool", "linear"), &subject.output("velocity"));
        subject.assert("the spin", &subject.result("velocity_of_tool", "angular"), &subject.output("spin"));
    }
}

/// By the coordinates along the directions of the velocities, and by the velocities.
#[test]
fn derivatives_of_frames_are_slopes() {
    for subject in SUBJECTS.iter() {
        let n = subject.nv();
        let still = vec![0.0; n];
        for (frame, axes) in [("tool", ""), ("tool", "_in_own_axes"), ("link1", "")] {
            for (of, roles) in
                [("velocity", [Role::Linear, Role::Angular]), ("acceleration", [Role::Linear, Role::Angular])]
            {
                for (by, result) in [("q", 0), ("v", 1)] {
                    let mut columns: [Vec<f64>; 2] = Default::default();
                    for j in 0..n {
                        let mut unit = still.clone();
                        unit[j] = 1.0;
                        let along = if result == 0 { [&unit[..], &still, &still] } else { [&still[..], &unit, &still] };
                        let rates = subject.rates_along(&format!("{of}_of_{frame}{axes}"), along);
                        for (columns, role) in columns.iter_mut().zip(roles) {
                            columns.extend(&rates.iter().find(|(known, _)| *known == role).unwrap().1);
                        }
                    }
                    for (part, columns) in ["linear", "angular"].into_iter().zip(columns) {
                        let rows = columns.len() / n;
                        let expected: Vec<f64> =
                            (0..rows * n).map(|place| columns[place % n * rows + place / n]).collect();
                        let found = match (of, by) {
                            ("velocity", "v") => subject.result(&format!("jacobian_of_{frame}{axes}"), part),
                            _ => subject
                                .result(&format!("{of}_derivatives_of_{frame}{axes}"), &format!("{part}_by_{by}")),
                        };
                        subject.assert(&format!("{part} {of} of {frame}{axes} by {by}"), &found, &expected);
                    }
                }
            }
        }
    }
}

#[test]
fn momenta_are_those_of_the_bodies() {
    for subject in SUBJECTS.iter() {
        let (v, a) = (subject.state.v.as_slice(), subject.state.a.as_slice());
        let of_center = |result: &str| subject.result("center_of_mass", result);
        let matrix = subject.result("centroidal_momentum_matrix", "momentum");
        let momentum = times(&matrix, v);
        let n = if subject.is_planar() { 2 } else { 3 };
        subject.assert("momentum", &momentum[..n], &subject.output("p"));
        let velocity = times(&of_center("jacobian"), v);
        subject.assert("the rate of the centre", &velocity, &subject.rate("center_of_mass", Role::Position));
        // Angular momentum about the ground is that about the centre, and that of the whole mass in the centre.
        let (c, p) = (of_center("center"), &momentum[..n]);
        let carried = match n {
            2 => vec![c[0] * p[1] - c[1] * p[0]],
            _ => (0..3).map(|i| c[(i + 1) % 3] * p[(i + 2) % 3] - c[(i + 2) % 3] * p[(i + 1) % 3]).collect(),
        };
        subject.assert("angular momentum", &sum(&momentum[n..], &carried), &subject.output("l"));
        let changing = times(&subject.rate("centroidal_momentum_matrix", Role::MomentumMatrix), v);
        subject.assert("the rate where a = 0", &subject.result("centroidal_momentum_bias", "rate"), &changing);
        assert!(!a.is_empty() && momentum.iter().any(|value| value.abs() > 1e-3), "a model that moves");
    }
}

#[test]
fn forces_are_those_of_the_mass_matrix_and_the_bias_force() {
    for subject in SUBJECTS.iter() {
        let (nv, v, a) = (subject.nv(), subject.state.v.as_slice(), subject.state.a.as_slice());
        let mass = subject.mass_matrix();
        let mut bias = vec![0.0; nv];
        subject.model.bias_force(subject.state.q.as_slice(), v, &mut bias);
        let coriolis = subject.result("coriolis_matrix", "coriolis_matrix");
        subject.assert("C v", &times(&coriolis, v), &bias);
        let rate = subject.rate("mass_matrix", Role::MassMatrix);
        subject.assert("C + Cᵀ", &sum(&coriolis, &transposed(&coriolis, nv)), &rate);
        let gravity = subject.result("gravity_forces", "tau");
        // The only forces are weights.
        subject.assert("h + weight", &sum(&bias, &gravity), &subject.result("nonlinear_effects", "effects"));
        let inverse = subject.result("inverse_mass_matrix", "inverse_mass_matrix");
        let product: Vec<f64> = (0..nv).flat_map(|j| times(&inverse, &mass[j * nv..(j + 1) * nv])).collect();
        let one: Vec<f64> = (0..nv * nv).map(|i| f64::from(i % nv == i / nv)).collect();
        subject.assert("M⁻¹ M", &product, &one);
        let tau = sum(&times(&mass, a), &sum(&bias, &gravity));
        subject.assert("inverse dynamics", &subject.result("inverse_dynamics", "tau"), &tau);
        let regressor = subject.result("regressor", "regressor");
        subject.assert("Y π", &times(&regressor, &inertial_parameters(subject)), &tau);
    }
}

/// π of all bodies, from what is written of them.
fn inertial_parameters(subject: &Subject) -> Vec<f64> {
    let bodies = subject.text.lines().filter(|line| line.contains("body link"));
    let parameters = bodies.flat_map(|line| {
        let numbers = |field: &str| -> Vec<f64> {
            let (_, rest) = line.split_once(field).unwrap();
            let value = rest.split(" k").next().and_then(|rest| rest.split(" m,").next()).unwrap();
            let words = value.split(|c: char| !(c.is_ascii_digit() || ".-".contains(c)));
            words.filter(|word| !word.is_empty()).map(|word| word.parse().unwrap()).collect()
        };
        let (m, c, inertia) = (numbers("mass:")[0], numbers("center_of_mass:"), numbers("inertia:"));
        let square: f64 = c.iter().map(|c| c * c).sum();
        let about_origin: Vec<f64> = match inertia.as_slice() {
            [moment] => vec![moment + m * square],
            _ => [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]
                .map(|(i, j)| inertia[3 * i + j] + m * (if i == j { square } else { 0.0 } - c[i] * c[j]))
                .to_vec(),
        };
        [m].into_iter().chain(c.iter().map(|c| m * c)).chain(about_origin).collect::<Vec<f64>>()
    });
    parameters.collect()
}

/// Constraints change no function of a frame, and none of the tree as such.
#[test]
fn models_with_constraints_have_functions_of_frames() {
    let random = &mut Random(3);
    let tree = tree_in_space(random, false).replace(&format!("{OF_FREE_MODELS}, "), "");
    let closed = tree.replacen("provide", "constraint held: tool.position.x == 0.1 m;\nprovide", 1);
    let free = Subject::new(tree, &mut Random(11));
    let closed = Subject::new(closed, &mut Random(11));
    assert_eq!(closed.model.dims().nc, 1);
    for (name, values) in &free.provided {
        let found = closed.provided.iter().find(|(known, _)| known == name);
        match found {
            Some((_, found)) => closed.assert(name, found, values),
            // Without constraints it is there by itself.
            None => assert_eq!(name, "forward_dynamics"),
        }
    }
    assert!(
        totals::functions(&closed.equations, &closed.schedule)
            .iter()
            .all(|known| known.role != FunctionRole::ForwardDynamics)
    );
}

/// A tree in which some joints follow others, the same tree in which none does, and which do: the follower, its leader,
/// ratio and offset.
fn trees_with_followers(random: &mut Random, is_planar: bool) -> (String, String, Vec<(String, String, f64, f64)>) {
    let n = 5 + random.below(3);
    let dimension = if is_planar { 2 } else { 3 };
    let mut text = match is_planar {
        true => "model Tree { planar; coordinates joint; param ratio = -0.7; gravity [0.3, -9.81] m/s^2;\n".to_owned(),
        false => "model Tree { coordinates joint; param ratio = -0.7; gravity [0.3, -0.2, -9.81] m/s^2;\n".to_owned(),
    };
    for k in 0..n {
        let center = random.vector(dimension);
        let inertia = match is_planar {
            true => format!("{:.3}", 0.4 + 0.1 * random.next()),
            false => "[[0.4, 0.01, -0.02], [0.01, 0.35, 0.03], [-0.02, 0.03, 0.45]]".to_owned(),
        };
        let mass = 1.2 + random.next();
        let _ = writeln!(
            text,
            "body link{k} {{ mass: {mass:.3} kg, center_of_mass: {center} m, inertia: {inertia} kg m^2 }}"
        );
    }
    let mut kinds = Vec::new();
    let (mut joined, mut free, mut followers) = (text.clone(), text, Vec::new());
    for k in 0..n {
        let parent = if k == 0 { "ground".to_owned() } else { format!("link{}", k - 1 - random.below(2).min(k - 1)) };
        let all = if is_planar { ["revolute", "prismatic", "free"] } else { ["revolute", "prismatic", "spherical"] };
        let kind = all[if k == 2 { 2 } else { random.below(2) }];
        let [at, on] = [0; 2].map(|_| random.vector(dimension));
        let axis = ["[1, 0, 0]", "[0, 1, 0]", "[3, 0, 4]"][random.below(3)];
        let axes = if is_planar { String::new() } else { format!(" axis {axis}") };
        // The leader may be nearer to the ground or farther away.
        let leader = [0, 1, 4][random.below(3)];
        let follows = k == 3 || k > 4 && random.next() > -0.3;
        kinds.push((kind, axes.clone()));
        let joint = format!("joint j{k}: {kind}({parent} at {at} m{axes}, link{k} at {on} m{axes})");
        let _ = writeln!(free, "{joint};");
        if !follows {
            let _ = writeln!(joined, "{joint};");
            continue;
        }
        followers.push((k, leader, kind, joint, random.next() > 0.0));
        let _ = writeln!(joined, "// j{k}");
    }
    let mut coupled = Vec::new();
    for (k, leader, kind, joint, is_parametric) in followers {
        let (ratio, offset) = (if is_parametric { -0.7 } else { 1.5 }, 0.2);
        let written = if is_parametric { "ratio" } else { "1.5" };
        let unit = |kind: &str| if kind == "revolute" { "rad" } else { "m" };
        let (own, of_leader) = (unit(kind), unit(kinds[leader].0));
        let written = match (own, of_leader) {
            ("m", "rad") => format!("{written} * 1 m"),
            ("rad", "m") => format!("{written} / 1 m"),
            _ => written.to_owned(),
        };
        let follows = format!("{{ follows: j{leader}, ratio: {written}, offset: {offset} {own} }}");
        joined = joined.replace(&format!("// j{k}\n"), &format!("{joint} {follows}\n"));
        coupled.push((format!("j{k}."), format!("j{leader}."), ratio, offset));
    }
    let marker =
        if is_planar { "marker tool: link4 at [0.3, 0.2] m;" } else { "marker tool: link4 at [0.3, 0.2, 0.1] m;" };
    let last = n - 1;
    let rest = format!(
        "{marker} output place = (link{last}).position; output p = model.momentum;\n\
         provide {OF_FREE_MODELS}, {OF_ALL_MODELS}, {}, {}; }}",
        functions_of("tool"),
        functions_of(&format!("link{last}"))
    );
    let forced = "torque t: 3 N m on j3;\nforce spring: spring(ground, link4) { stiffness: 5 N/m }\n";
    let forced = if joined.contains("j3: revolute") { forced } else { &forced[forced.find("force").unwrap_or(0)..] };
    (joined + forced + &rest, free + forced + &rest, coupled)
}

/// Each block of second derivatives is the slope of the first derivatives times the weights, for which the accelerations
/// of the state stand.
#[test]
fn second_derivatives_are_slopes_of_the_first() {
    for subject in SUBJECTS.iter() {
        let n = subject.nv();
        let w = subject.state.a.as_slice();
        let weighted = |rates: &[(Role, Vec<f64>)], role: Role| {
            let (_, matrix) = rates.iter().find(|(known, _)| *known == role).unwrap();
            times(&transposed(matrix, n), w)
        };
        let still = vec![0.0; n];
        let mut columns: [Vec<f64>; 4] = Default::default();
        for j in 0..n {
            let mut unit = still.clone();
            unit[j] = 1.0;
            let rates = |along| subject.rates_along("inverse_dynamics_derivatives", along);
            let (by_q, by_v, by_a) =
                (rates([&unit, &still, &still]), rates([&still, &unit, &still]), rates([&still, &still, &unit]));
            columns[0].extend(weighted(&by_q, Role::ForceByPosition));
            columns[1].extend(weighted(&by_v, Role::ForceByPosition));
            columns[2].extend(weighted(&by_v, Role::ForceByVelocity));
            columns[3].extend(weighted(&by_a, Role::ForceByPosition));
        }
        for (block, columns) in ["qq", "qv", "vv", "qa"].into_iter().zip(columns) {
            let found = subject.result("inverse_dynamics_second_derivatives", &format!("tau_by_{block}"));
            subject.assert(block, &found, &transposed(&columns, n));
        }
    }
}

/// By v and v the block is symmetric. By q and q, what is not symmetric is the derivative along the commutator of two
/// directions: e_j × e_i of rotations, and of poses as twists commute.
#[test]
fn second_derivatives_commute_as_directions_do() {
    let cross =
        |a: &[f64], b: &[f64]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    for subject in SUBJECTS.iter() {
        let n = subject.nv();
        let of = |block: &str| subject.result("inverse_dynamics_second_derivatives", &format!("tau_by_{block}"));
        let (qq, vv) = (of("qq"), of("vv"));
        subject.assert("∂²/∂v²", &vv, &transposed(&vv, n));
        let by_q = subject.result("inverse_dynamics_derivatives", "tau_by_q");
        let gradient = times(&transposed(&by_q, n), subject.state.a.as_slice());
        let mut expected = vec![0.0; n * n];
        let mut first = 0;
        for block in &subject.model.describe().blocks {
            let size = block.sizes().1;
            let own = &gradient[first..first + size];
            let unit = |i: usize| -> Vec<f64> { (0..6).map(|k| f64::from(u8::from(k == i))).collect() };
            for (i, j) in (0..size).flat_map(|i| (0..size).map(move |j| (i, j))) {
                let commutator = match block {
                    hamel::Block::Rotation(_) => cross(&unit(j), &unit(i)).to_vec(),
                    hamel::Block::Pose(_) => {
                        // Linear parts come first.
                        let (j, i) = (unit(j), unit(i));
                        let (ahead, behind) = (cross(&j[3..], &i[..3]), cross(&j[..3], &i[3..]));
                        let linear = ahead.iter().zip(behind).map(|(a, b)| a + b);
                        linear.chain(cross(&j[3..], &i[3..])).collect()
                    }
                    _ => continue,
                };
                expected[(first + i) * n + first + j] = commutator.iter().zip(own).map(|(a, b)| a * b).sum();
            }
            first += size;
        }
        let difference: Vec<f64> = qq.iter().zip(transposed(&qq, n)).map(|(a, b)| a - b).collect();
        subject.assert("D_j D_i − D_i D_j", &difference, &expected);
    }
}

#[test]
fn factors_multiply_to_the_mass_matrix() {
    for subject in SUBJECTS.iter() {
        let n = subject.nv();
        let of = |result: &str| subject.result("mass_matrix_factors", result);
        let (lower, pivots) = (of("lower"), of("pivots"));
        let entry = |i: usize, j: usize| (0..n).map(|k| lower[k * n + i] * pivots[k] * lower[k * n + j]).sum();
        let product: Vec<f64> = (0..n * n).map(|place| entry(place / n, place % n)).collect();
        subject.assert("Lᵀ D L", &product, &subject.mass_matrix());
        // The joint of each velocity, and the joints between it and the ground, by the text of the model.
        let joint = |velocity: usize| {
            let name = &subject.model.describe().velocities[velocity].name;
            let digits = name.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit);
            digits.collect::<String>().parse::<usize>().unwrap()
        };
        let parent = |joint: usize| {
            let line = subject.text.lines().find(|line| line.starts_with(&format!("joint j{joint}:"))).unwrap();
            let rest = line.split_once('(').unwrap().1.strip_prefix("link")?;
            rest.split(' ').next().and_then(|number| number.parse::<usize>().ok())
        };
        let carries = |near: usize, far: usize| {
            std::iter::successors(Some(far), |&joint| parent(joint)).any(|joint| joint == near)
        };
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let found = lower[i * n + j];
            match i.cmp(&j) {
                std::cmp::Ordering::Less => assert_eq!(found, 0.0, "above the diagonal of {}", subject.text),
                std::cmp::Ordering::Equal => assert_eq!(found, 1.0, "the diagonal of {}", subject.text),
                // Branches do not couple.
                std::cmp::Ordering::Greater => {
                    assert!(carries(joint(j), joint(i)) || found == 0.0, "L[{i}][{j}] of {}", subject.text);
                }
            }
        }
    }
}

/// With q = T p + c of the tree whose joints are free, everything follows by T: M = Tᵀ M T, τ = Tᵀ τ, J = J T.
#[test]
fn joints_that_follow_others_are_eliminated() {
    for seed in 0..12 {
        let random = &mut Random(31 * seed + 7);
        let (joined, free, coupled) = trees_with_followers(random, seed % 3 == 2);
        let reduced = Subject::new(joined, random);
        let names = |model: &JitModel, of: fn(&hamel::ModelInfo) -> &Vec<hamel::Channel>| -> Vec<String> {
            of(model.describe()).iter().map(|channel| channel.name.clone()).collect()
        };
        let mut whole = Subject::new(free, &mut Random(1));
        // The column of T of each velocity, with its factor; the coordinates likewise.
        let place = |name: &str, own: &[String]| -> (usize, f64, f64) {
            match coupled.iter().find(|(follower, ..)| name.starts_with(follower.as_str())) {
                None => (own.iter().position(|known| known == name).unwrap(), 1.0, 0.0),
                Some((_, leader, ratio, offset)) => {
                    (own.iter().position(|known| known.starts_with(leader.as_str())).unwrap(), *ratio, *offset)
                }
            }
        };
        let (own_q, own_v) =
            (names(&reduced.model, |info| &info.coordinates), names(&reduced.model, |info| &info.velocities));
        let of_q: Vec<_> =
            names(&whole.model, |info| &info.coordinates).iter().map(|name| place(name, &own_q)).collect();
        let of_v: Vec<_> =
            names(&whole.model, |info| &info.velocities).iter().map(|name| place(name, &own_v)).collect();
        for (value, &(from, ratio, offset)) in whole.state.q.iter_mut().zip(&of_q) {
            *value = ratio * reduced.state.q[from] + offset;
        }
        for (value, &(from, ratio, _)) in whole.state.v.iter_mut().zip(&of_v) {
            *value = ratio * reduced.state.v[from];
        }
        for (value, &(from, ratio, _)) in whole.state.a.iter_mut().zip(&of_v) {
            *value = ratio * reduced.state.a[from];
        }
        whole.provided = on_request::on_request(&whole.model, &whole.state);
        assert!(!coupled.is_empty() && reduced.nv() + coupled.len() == whole.nv(), "{}", reduced.text);

        let (n, m) = (reduced.nv(), whole.nv());
        let of_rows = |values: &[f64], columns: usize| {
            let mut sums = vec![0.0; n * columns];
            for (row, &(to, ratio, _)) in of_v.iter().enumerate() {
                for column in 0..columns {
                    sums[to * columns + column] += ratio * values[row * columns + column];
                }
            }
            sums
        };
        let of_columns = |values: &[f64]| {
            let mut sums = vec![0.0; values.len() / m * n];
            for row in 0..values.len() / m {
                for (column, &(to, ratio, _)) in of_v.iter().enumerate() {
                    sums[row * n + to] += ratio * values[row * m + column];
                }
            }
            sums
        };
        let of_both = |values: &[f64]| of_columns(&of_rows(values, m));
        let mass = reduced.mass_matrix();
        reduced.assert("M", &mass, &of_both(&whole.mass_matrix()));
        let both = |function: &str, result: &str| (reduced.result(function, result), whole.result(function, result));
        for (function, result) in
            [("nonlinear_effects", "effects"), ("inverse_dynamics", "tau"), ("gravity_forces", "tau")]
        {
            let (found, expected) = both(function, result);
            reduced.assert(function, &found, &of_rows(&expected, 1));
        }
        for (function, result) in [
            ("coriolis_matrix", "coriolis_matrix"),
            ("inverse_dynamics_derivatives", "tau_by_q"),
            ("inverse_dynamics_derivatives", "tau_by_v"),
            ("inverse_dynamics_derivatives", "mass_matrix"),
            ("inverse_dynamics_second_derivatives", "tau_by_qq"),
            ("inverse_dynamics_second_derivatives", "tau_by_qv"),
            ("inverse_dynamics_second_derivatives", "tau_by_vv"),
            ("inverse_dynamics_second_derivatives", "tau_by_qa"),
        ] {
            let (found, expected) = both(function, result);
            reduced.assert(&format!("{function} {result}"), &found, &of_both(&expected));
        }
        for (function, result) in [
            ("center_of_mass", "jacobian"),
            ("centroidal_momentum_matrix", "momentum"),
            ("jacobian_of_tool", "linear"),
            ("jacobian_of_tool", "angular"),
            ("jacobian_of_tool_in_own_axes", "linear"),
            ("velocity_derivatives_of_tool", "linear_by_q"),
            ("acceleration_derivatives_of_tool", "angular_by_q"),
            ("acceleration_derivatives_of_tool_in_own_axes", "linear_by_v"),
        ] {
            let (found, expected) = both(function, result);
            reduced.assert(&format!("{function} {result}"), &found, &of_columns(&expected));
        }
        for (function, result) in [
            ("center_of_mass", "center"),
            ("centroidal_momentum_bias", "rate"),
            ("acceleration_of_tool", "linear"),
            ("jacobian_bias_of_tool", "angular"),
            ("pose_of_tool", "position"),
        ] {
            let (found, expected) = both(function, result);
            reduced.assert(&format!("{function} {result}"), &found, &expected);
        }
        let (regressor, expected) = both("regressor", "regressor");
        reduced.assert("Y", &regressor, &of_rows(&expected, expected.len() / m));
        for output in ["place", "p"] {
            reduced.assert(output, &reduced.output(output), &whole.output(output));
        }
        // Forward dynamics, which the accelerations of the state stand for as forces.
        let (a, effects) = (reduced.result("forward_dynamics", "a"), reduced.result("nonlinear_effects", "effects"));
        reduced.assert("M a + h − f", &sum(&times(&mass, &a), &effects), reduced.state.a.as_slice());
        let residual = |subject: &Subject| {
            let mut r = vec![0.0; subject.nv()];
            subject.model.residual(&subject.state, &mut r, &mut []);
            r
        };
        reduced.assert("r", &residual(&reduced), &of_rows(&residual(&whole), 1));
        let info = reduced.model.describe();
        let [mut stiffness, mut damping] = [&info.stiffness, &info.damping].map(|pattern| vec![0.0; pattern.nnz()]);
        reduced.model.stiffness(&reduced.state, &mut stiffness);
        reduced.model.damping(&reduced.state, &mut damping);
        let dense = |pattern: &hamel::SparsityPattern, values: &[f64]| {
            let matrix = pattern.to_dense(values);
            (0..n * n).map(|i| matrix[(i / n, i % n)]).collect::<Vec<f64>>()
        };
        let (by_q, by_v) = (
            reduced.result("inverse_dynamics_derivatives", "tau_by_q"),
            reduced.result("inverse_dynamics_derivatives", "tau_by_v"),
        );
        reduced.assert("K", &dense(&info.stiffness, &stiffness), &by_q);
        reduced.assert("D", &dense(&info.damping, &damping), &by_v);
    }
}

/// Trees with so many velocities that a loop makes derivatives of forward dynamics of other functions, which are there
/// then too: machine code, the interpreter, and what M and the derivatives of inverse dynamics say.
#[test]
fn slopes_that_loops_solve_for() {
    let mut random = Random(24);
    for n in [24, 31] {
        let mut text = "model Tree { coordinates joint; gravity [0.3, -0.2, -9.81] m/s^2;".to_owned();
        for k in 0..n {
            let _ = writeln!(
                text,
                "body link{k} {{ mass: {:.3} kg, center_of_mass: {} m, inertia: diag(0.4, 0.5, 0.45) kg m^2 }}",
                1.2 + random.next(),
                random.vector(3)
            );
            let parent = if k == 0 { "ground".to_owned() } else { format!("link{}", random.below(k)) };
            let kind = if k == 0 { "free" } else { "revolute" };
            let (at, axis) = (random.vector(3), ["[1, 0, 0]", "[0, 1, 0]", "[3, 0, 4]"][random.below(3)]);
            let _ = writeln!(text, "joint j{k}: {kind}({parent} at {at} m axis {axis}, link{k} axis {axis});");
        }
        text += "provide forward_dynamics_derivatives; }";
        let subject = Subject::new(text, &mut random);
        let nv = subject.nv();
        let State { t, q, v, a, .. } = &subject.state;
        let mut accelerations = vec![0.0; nv];
        let (q, v, tau) = (q.as_slice(), v.as_slice(), a.as_slice());
        subject.model.forward_dynamics(*t, q, v, tau, &mut accelerations);
        let mut slopes = [(); 3].map(|()| vec![f64::NAN; nv * nv]);
        let [by_q, by_v, inverse] = &mut slopes;
        subject.model.forward_dynamics_derivatives(*t, q, v, tau, [by_q, by_v, inverse]);
        let [mut force_by_q, mut force_by_v, mut mass] = [(); 3].map(|()| vec![f64::NAN; nv * nv]);
        let forces = [&mut force_by_q[..], &mut force_by_v, &mut mass];
        subject.model.inverse_dynamics_derivatives(*t, q, v, &accelerations, forces);
        let identity: Vec<f64> = (0..nv * nv).map(|i| f64::from(u8::from(i / nv == i % nv))).collect();
        let minus = |values: &[f64]| values.iter().map(|value| -value).collect::<Vec<f64>>();
        for (found, expected) in slopes.iter().zip([minus(&force_by_q), minus(&force_by_v), identity]) {
            let product = (0..nv * nv)
                .map(|place| (0..nv).map(|k| mass[place / nv * nv + k] * found[k * nv + place % nv]).sum::<f64>());
            let error = product.zip(&expected).fold(0.0_f64, |e, (a, b)| e.max((a - b).abs()));
            let scale = expected.iter().fold(0.0_f64, |scale, value| scale.max(value.abs()));
            assert!(error < 1e-11 * scale, "{error:e} of {scale:e}");
        }
        let interpreter = Interpreter::new(&subject.equations, &subject.schedule, defaults(&subject.schedule));
        let point = Point {
            t: *t,
            inputs: Vec::new(),
            q: q.to_vec(),
            v: v.to_vec(),
            a: accelerations,
            lambda: Vec::new(),
            tau: tau.to_vec(),
        };
        let interpreted = interpreter.evaluate(FunctionRole::ForwardDynamicsDerivatives, &point);
        assert_eq!(interpreted.len(), 3);
        for ((role, Dense { values, .. }), found) in interpreted.iter().zip(&slopes) {
            assert!(values == found, "{role:?}");
        }
    }
}
