//! What joints pass on, as outputs: Newton's and Euler's equations of each body with it, no work on what moves freely, and
//! closed forms.

use hamel::nalgebra::{DVector, Matrix3, Vector3};
use hamel::simulation::Steps;
use hamel::{Model, Simulation, State, StepError, consistent_acceleration, initial_state, schemes};
use hamel_jit::{JitModel, Level};

use crate::common::outputs::{outputs, vector};
use crate::common::random::Random;

const GRAVITY: [f64; 3] = [0.4, -0.3, -9.81];
/// Kinds of joints in space, with the motions along and about their axes that they leave: of `screw` neither alone.
const KINDS: [(&str, bool, bool); 8] = [
    ("revolute", false, true),
    ("prismatic", true, false),
    ("cylindrical", true, true),
    ("screw", false, false),
    ("universal", false, false),
    ("planar", false, true),
    ("spherical", false, true),
    ("fixed", false, false),
];
const PITCH: f64 = 0.3;

fn text_of(vector: [f64; 3]) -> String {
    format!("[{}, {}, {}]", vector[0], vector[1], vector[2])
}

fn scattered(random: &mut Random) -> [f64; 3] {
    [(); 3].map(|()| (1000.0 * random.next()).round() / 1000.0)
}

/// An index below n.
fn below(random: &mut Random, n: usize) -> usize {
    (0.5 * (random.next() + 1.0) * n as f64) as usize
}

fn direction(random: &mut Random) -> [f64; 3] {
    let vector = Vector3::from(scattered(random)) + Vector3::new(0.01, 0.02, 0.03);
    vector.normalize().into()
}

/// A joint of a random tree.
struct Held {
    kind: usize,
    parent: usize,
    /// Where it holds its child, in the axes of that.
    point: Vector3<f64>,
    axis: Vector3<f64>,
    motor: f64,
}

/// A tree of bodies on random joints; body 0 is the ground.
struct Tree {
    joints: Vec<Held>,
    centers: Vec<Vector3<f64>>,
    pushes: Vec<Vector3<f64>>,
    text: String,
    loops: usize,
}

fn name(body: usize) -> String {
    if body == 0 { "ground".to_owned() } else { format!("b{body}") }
}

/// The text of a random tree; with a rod between the last body and the ground if it is a loop.
fn tree(formulation: &str, seed: u64) -> Tree {
    let mut random = Random(seed);
    let n = 2 + seed as usize % 4;
    let loops = usize::from(seed.is_multiple_of(3));
    let mut text = format!("model Tree {{\n    {formulation};\n    gravity {} m/s^2;\n", text_of(GRAVITY));
    let (mut joints, mut centers, mut pushes) = (Vec::new(), Vec::new(), Vec::new());
    let mut outputs = String::new();
    for body in 1..=n {
        let (center, push) = (scattered(&mut random), scattered(&mut random));
        text += &format!(
            "    body b{body} {{ mass: {body} kg, inertia: [[0.5, 0.02, 0.03], [0.02, 0.6, -0.01], [0.03, -0.01, 0.7]] kg m^2, center_of_mass: {} m }}\n",
            text_of(center)
        );
        text += &format!("    force push{body}: {} N on b{body} at [0.1, 0.2, 0.3] m in b{body};\n", text_of(push));
        let parent = if body == 1 { 0 } else { below(&mut random, body) };
        let kind = below(&mut random, KINDS.len());
        let (on_parent, point) = (scattered(&mut random), scattered(&mut random));
        let axis = direction(&mut random);
        let word = KINDS[kind].0;
        let mut fields = Vec::new();
        if word != "universal" {
            fields.push(format!("axis: {}", text_of(axis)));
        }
        if word == "screw" {
            fields.push(format!("pitch: {PITCH} m"));
        }
        let (over, end) = (name(parent), text_of(point));
        text += &format!(
            "    joint j{body}: {word}({over} at {} m, b{body} at {end} m) {{ {} }}\n",
            text_of(on_parent),
            fields.join(", ")
        );
        let motor = if word == "revolute" { (3.0 * random.next()).max(0.0) } else { 0.0 };
        if motor > 0.0 && formulation.contains("joint") {
            text += &format!("    torque motor{body}: {motor} N m on j{body};\n");
        } else if motor > 0.0 {
            let from = if parent == 0 { String::new() } else { format!(" from {over}") };
            let torque = text_of((motor * Vector3::from(axis)).into());
            text += &format!("    torque motor{body}: {torque} N m on b{body}{from} in b{body};\n");
        }
        outputs += &format!(
            "    output a{body} = b{body}.acceleration in b{body};
    output alpha{body} = b{body}.angular_acceleration in b{body};
    output omega{body} = b{body}.angular_velocity in b{body};
    output g{body} = {} m/s^2 in b{body};
    output force{body} = j{body}.force in b{body};
    output torque{body} = j{body}.torque in b{body};
",
            text_of(GRAVITY)
        );
        if parent > 0 {
            outputs += &format!(
                "    output back_force{body} = j{body}.force in {over};
    output back_torque{body} = j{body}.torque in {over};
    output back_arm{body} = (b{body} at {end} m) - {over}.position in {over};
    output back_motor{body} = b{body}.rotation * {} in {over};
    output x{body} = {over}.rotation * [1, 0, 0] in b{body};\n",
                text_of(axis)
            );
        } else {
            outputs += &format!("    output x{body} = [1, 0, 0] in b{body};\n");
        }
        joints.push(Held { kind, parent, point: Vector3::from(point), axis: Vector3::from(axis), motor });
        centers.push(Vector3::from(center));
        pushes.push(Vector3::from(push));
    }
    if loops > 0 {
        let far = text_of((9.0 * Vector3::from(direction(&mut random))).into());
        text += &format!("    joint rod: distance(ground at {far} m, b{n} at [0.3, 0.1, -0.2] m) {{ length: 9 m }}\n");
        outputs += &format!("    output rod_force = rod.force in b{n};\n    output rod_torque = rod.torque in b{n};\n");
        outputs += &format!("    output rod_line = (b{n} at [0.3, 0.1, -0.2] m) - {far} m in b{n};\n");
    }
    text += &outputs;
    text += "}";
    Tree { joints, centers, pushes, text, loops }
}

fn model(text: &str) -> JitModel {
    hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The state after a short motion from random velocities; none where the bodies cannot be assembled or are not held.
fn after_a_motion(model: &JitModel, random: &mut Random) -> Option<State> {
    let mut start = initial_state(model).ok()?;
    let (nv, nc) = (start.v.len(), start.lambda.len());
    let wish = DVector::from_fn(nv, |_, _| random.next());
    start.v.copy_from(&wish);
    if nc > 0 {
        let pattern = &model.describe().constraint_jacobian;
        let mut values = vec![0.0; pattern.nnz()];
        model.constraint_jacobian(start.t, start.q.as_slice(), &mut values);
        let jacobian = pattern.to_dense(&values);
        start.v -= jacobian.clone().svd(true, true).solve(&(&jacobian * &wish), 1e-9).ok()?;
    }
    consistent_acceleration(model, &mut start).ok()?;
    let scheme = schemes::by_name(schemes::suitable(model), &[]).ok()?;
    let mut last = start.clone();
    let run = Simulation::new(model, &*scheme)
        .steps(Steps::with_tolerance(1e-7, 0.2))
        .until(0.2)
        .on_step(|state| last = state.clone())
        .run(start);
    run.outcome.ok()?;
    consistent_acceleration(model, &mut last).ok()?;
    Some(last)
}

/// The vectors among the outputs of a model at a state, by name.
struct Values<'m> {
    model: &'m JitModel,
    values: Vec<f64>,
}

impl Values<'_> {
    fn vector(&self, name: &str) -> Vector3<f64> {
        vector(self.model, &self.values, name)
    }
}

/// Newton's and Euler's equations of all bodies about their origins, and the largest force.
fn excess(tree: &Tree, of: &Values) -> (f64, f64) {
    let inertia = Matrix3::new(0.5, 0.02, 0.03, 0.02, 0.6, -0.01, 0.03, -0.01, 0.7);
    let n = tree.joints.len();
    let (mut worst, mut size) = (0.0_f64, 1.0_f64);
    for body in 1..=n {
        let own = &tree.joints[body - 1];
        let named = |what: &str| of.vector(&format!("{what}{body}"));
        let (omega, alpha, center, mass) = (named("omega"), named("alpha"), tree.centers[body - 1], body as f64);
        let of_center = named("a") + alpha.cross(&center) + omega.cross(&omega.cross(&center));
        let weight = mass * named("g");
        let (push, at) = (tree.pushes[body - 1], Vector3::new(0.1, 0.2, 0.3));
        let (mut force, mut torque) = (named("force"), named("torque") + own.point.cross(&named("force")));
        size = size.max(force.norm()).max(torque.norm());
        force += weight + push;
        torque += center.cross(&weight) + at.cross(&push) + own.motor * own.axis;
        for (child, joint) in tree.joints.iter().enumerate().filter(|(_, joint)| joint.parent == body) {
            let named = |what: &str| of.vector(&format!("back_{what}{}", child + 1));
            force -= named("force");
            torque -= named("torque") + named("arm").cross(&named("force")) + joint.motor * named("motor");
        }
        if tree.loops > 0 && body == n {
            force += of.vector("rod_force");
            torque += of.vector("rod_torque") + Vector3::new(0.3, 0.1, -0.2).cross(&of.vector("rod_force"));
        }
        let needed = inertia * alpha + omega.cross(&(inertia * omega)) + center.cross(&(mass * of_center));
        worst = worst.max((mass * of_center - force).norm()).max((needed - torque).norm());
    }
    (worst, size)
}

/// The largest part of what joints pass on that does work as they move.
fn work(tree: &Tree, of: &Values) -> f64 {
    let mut worst = 0.0_f64;
    for (index, joint) in tree.joints.iter().enumerate() {
        let named = |what: &str| of.vector(&format!("{what}{}", index + 1));
        let (force, torque) = (named("force"), named("torque"));
        let (word, slides, turns) = KINDS[joint.kind];
        let along = |vector: Vector3<f64>| vector.dot(&joint.axis).abs();
        worst = worst.max(if slides { along(force) } else { 0.0 }).max(if turns { along(torque) } else { 0.0 });
        worst = worst.max(match word {
            "screw" => (force.dot(&joint.axis) * PITCH / std::f64::consts::TAU + torque.dot(&joint.axis)).abs(),
            "universal" => torque.y.abs().max(torque.dot(&named("x")).abs()),
            "planar" => (force - force.dot(&joint.axis) * joint.axis).norm(),
            "spherical" => torque.norm(),
            _ => 0.0,
        });
    }
    if tree.loops > 0 {
        let (force, line) = (of.vector("rod_force"), of.vector("rod_line"));
        worst = worst.max(force.cross(&line).norm() / line.norm()).max(of.vector("rod_torque").norm());
    }
    worst
}

#[test]
fn bodies_move_by_what_their_joints_pass_on() {
    for formulation in ["coordinates joint", "coordinates absolute", "coordinates absolute(euler_zyx)"] {
        let mut found = 0;
        for seed in 1..=10 {
            let tree = tree(formulation, seed);
            let model = model(&tree.text);
            let Some(state) = after_a_motion(&model, &mut Random(seed + 100)) else { continue };
            found += 1;
            let values = Values { model: &model, values: outputs(&model, &state) };
            let (excess, size) = excess(&tree, &values);
            let work = work(&tree, &values);
            assert!(excess < 1e-6 * size && work < 1e-6 * size, "{excess} {work} of {size}\n{}", tree.text);
        }
        assert!(found > 6, "{formulation}: {found}");
    }
}

/// A pendulum of a heavy rod, driven, beside a cart on a slide that is welded to a plate.
fn pendulum(formulation: &str) -> String {
    format!(
        "model Pendulum {{
    planar;
    coordinates {formulation};
    gravity [0, -9.81] m/s^2;
    body rod {{ mass: 2 kg, inertia: 0.3 kg m^2 }}
    body cart {{ mass: 3 kg, inertia: 0.1 kg m^2 }}
    body plate {{ mass: 1 kg, inertia: 0.2 kg m^2 }}
    joint hinge: revolute(ground at [0.3, 0.1] m, rod at [0, 0.7] m);
    joint slide: prismatic(ground rotated 30 deg, cart rotated 30 deg);
    joint weld: fixed(cart at [0.2, 0] m, plate at [0, -0.4] m);
    torque brake: -0.4 N m s * rod.angular_velocity on rod;
    initial rod.angle = 1.1 rad;
    initial rod.angular_velocity = 2 rad/s;
    initial cart.velocity = [0.5 * cos(30 deg), 0.5 * sin(30 deg)] m/s;
    output bearing = hinge.force;
    output none = hinge.torque;
    output guide = slide.force;
    output tilt = slide.torque;
    output held = weld.force;
    output bent = weld.torque;
}}"
    )
}

/// With the state alone: a rod on its hinge, and bodies that slide down.
#[test]
fn loads_of_joints_are_closed_forms_with_every_scheme() {
    let (mass, inertia, reach, g) = (2.0, 0.3, 0.7, 9.81);
    let slope = 30_f64.to_radians();
    for formulation in ["joint", "absolute"] {
        let model = model(&pendulum(formulation));
        let units: Vec<&str> = model.describe().outputs.iter().map(|channel| channel.unit.as_str()).collect();
        assert_eq!(units, ["N", "N", "N m", "N", "N", "N m", "N", "N", "N m"]);
        let mut known = 0;
        for entry in schemes::entries() {
            let scheme = entry.scheme(&[]).unwrap();
            let start = initial_state(&model).unwrap();
            let mut rows = Vec::new();
            let run = Simulation::new(&model, &*scheme)
                .steps(Steps::Fixed(1e-3))
                .until(0.05)
                .on_step(|state| rows.push(state.clone()))
                .run(start);
            match run.outcome {
                Err(StepError::Undefined { .. }) => continue,
                outcome => outcome.unwrap(),
            };
            known += 1;
            // Accelerations and multipliers of some schemes are means over a step, or waver: those of the equations are nearer.
            let exact = rows[1..].iter().map(|state| {
                let mut state = state.clone();
                consistent_acceleration(&model, &mut state).unwrap();
                (state, 1e-9)
            });
            // Multipliers, of which loads are made in absolute coordinates, waver at first, and without an order ever after.
            let have_order = entry.index_3.is_some_and(|[.., multipliers]| multipliers > 0);
            let first = match formulation {
                "joint" => 1,
                _ if have_order => rows.len() - 1,
                _ => rows.len(),
            };
            let own = rows[first..].iter().map(|state| (state.clone(), 3e-2));
            for (state, tolerance) in own.chain(exact) {
                let values = outputs(&model, &state);
                let place = if formulation == "joint" { 0 } else { 2 };
                let (angle, rate) = (state.q[place], state.v[place]);
                let (sin, cos) = angle.sin_cos();
                let second = (-mass * g * reach * sin - 0.4 * rate) / (inertia + mass * reach * reach);
                let bearing = [
                    mass * reach * (second * cos - rate * rate * sin),
                    mass * g + mass * reach * (second * sin + rate * rate * cos),
                ];
                // Both slide with g sin 30°, so that across the slide there is their weight; the centre of the plate is
                // 0.4 m above its end of the weld.
                let normal = [-slope.sin(), slope.cos()].map(|entry| entry * g * slope.cos());
                let expected = [
                    (0, bearing[0]),
                    (1, bearing[1]),
                    (2, 0.0),
                    (3, 4.0 * normal[0]),
                    (4, 4.0 * normal[1]),
                    (6, normal[0]),
                    (7, normal[1]),
                    (8, -0.4 * normal[0]),
                ];
                for (output, expected) in expected {
                    let (name, found) = (&model.describe().outputs[output].name, values[output]);
                    let is_near = (found - expected).abs() < tolerance * (1.0 + expected.abs());
                    assert!(is_near, "{formulation}, {}, {name}: {found} and {expected}", entry.name);
                }
            }
        }
        assert!(known > 25, "{formulation}: {known}");
    }
}

/// A crank turned at a steady rate with a slider: the drive's multiplier is the torque that the power of all needs.
#[test]
fn multipliers_of_drives_and_constraints_are_outputs() {
    let text = |formulation: &str| {
        format!(
            "model Driven {{
    planar;
    coordinates {formulation};
    gravity [0, -9.81] m/s^2;
    body crank {{ mass: 1 kg, inertia: 0.01 kg m^2, center_of_mass: [0.1, 0] m }}
    body rod {{ mass: 0.8 kg, inertia: 0.02 kg m^2, center_of_mass: [0.3, 0] m }}
    body block {{ mass: 0.5 kg, inertia: 0.001 kg m^2 }}
    joint shaft: revolute(ground, crank);
    joint pin: revolute(crank at [0.2, 0] m, rod);
    joint wrist: revolute(rod at [0.6, 0] m, block);
    drive spin: crank.angle == 0.3 rad + 7 rad/s * time;
    constraint guide: block.position.y == 0;
    constraint upright: block.angle == 0;
    initial rod.angle = -asin(sin(0.3 rad) / 3);
    output power = spin.multiplier * crank.angular_velocity;
    output push = guide.multiplier;
    output stroke = block.velocity.x;
    output kinetic = model.kinetic_energy;
    output fall = (crank at [0.1, 0] m).velocity.y * 1 kg + (rod at [0.3, 0] m).velocity.y * 0.8 kg;
}}"
        )
    };
    let mut found: Vec<Vec<f64>> = Vec::new();
    for formulation in ["joint", "absolute"] {
        let model = model(&text(formulation));
        let units: Vec<&str> = model.describe().outputs.iter().map(|channel| channel.unit.as_str()).collect();
        assert_eq!(units, ["W", "N", "m/s", "N m", "kg m/s"]);
        let scheme = schemes::by_name("radau_iia5", &[]).unwrap();
        let run = Simulation::new(&model, &*scheme).step(1e-3).until(0.2).run(initial_state(&model).unwrap());
        run.outcome.unwrap();
        let columns =
            ["power", "push", "kinetic", "fall"].map(|name| run.trajectory.column(name).unwrap().collect::<Vec<f64>>());
        let [power, push, kinetic, fall] = &columns;
        // What the drive gives is what the energy gains, whose kinetic part changes by this in a step.
        let t: Vec<f64> = run.trajectory.column("t").unwrap().collect();
        for k in 2..t.len() - 2 {
            let step = t[k + 1] - t[k];
            let rate = (8.0 * (kinetic[k + 1] - kinetic[k - 1]) - kinetic[k + 2] + kinetic[k - 2]) / (12.0 * step);
            let needed = rate + 9.81 * fall[k];
            assert!((power[k] - needed).abs() < 1e-4 * (1.0 + needed.abs()), "{formulation}: {} {needed}", power[k]);
        }
        found.push(power.iter().chain(push).copied().collect());
    }
    for (one, other) in found[0].iter().zip(&found[1]) {
        assert!((one - other).abs() < 1e-4 * (1.0 + one.abs()), "{one} {other}");
    }
}
