//! Bodies move like the links that they consist of.

use std::fmt::Write;

use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::resolve::Provided;
use hamel_compiler::schedule::interpret::{Interpreter, Point};

use crate::urdf::{self, Options};

type Vector = [f64; 3];
type Matrix = [Vector; 3];

fn add(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|k| a[k] + b[k])
}

fn scale(s: f64, a: Vector) -> Vector {
    a.map(|x| s * x)
}

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn cross(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

fn apply(a: &Matrix, x: Vector) -> Vector {
    a.map(|row| dot(row, x))
}

fn transposed(a: &Matrix) -> Matrix {
    [0, 1, 2].map(|i| a.map(|row| row[i]))
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    transposed(&transposed(b).map(|column| apply(a, column)))
}

/// The rotation about a unit vector.
fn turn(axis: Vector, angle: f64) -> Matrix {
    let columns = [0, 1, 2].map(|k| {
        let mut unit = [0.0; 3];
        unit[k] = 1.0;
        let along = scale((1.0 - angle.cos()) * axis[k], axis);
        add(add(scale(angle.cos(), unit), scale(angle.sin(), cross(axis, unit))), along)
    });
    transposed(&columns)
}

fn roll_pitch_yaw([x, y, z]: Vector) -> Matrix {
    let about = |k: usize, angle| turn([0, 1, 2].map(|i| f64::from(u8::from(i == k))), angle);
    product(&about(2, z), &product(&about(1, y), &about(0, x)))
}

/// Numbers between −1 and 1.
pub(in crate::robot) struct Random(pub(in crate::robot) u64);

impl Random {
    pub(in crate::robot) fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vector {
        [(); 3].map(|()| self.number())
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.number() + 1.0) / 2.0 * n as f64) as usize
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Moves {
    Not,
    Turns,
    Slides,
    /// The root, where it floats.
    Freely,
}

/// A link and the joint that it hangs on.
pub(in crate::robot) struct Part {
    parent: Option<usize>,
    moves: Moves,
    xyz: Vector,
    rpy: Vector,
    axis: Vector,
    mass: f64,
    center: Vector,
    axes: Vector,
    moments: Vector,
}

/// A tree in which bodies consist of links with everything, with mass alone, with inertia alone, with an inertia that no
/// body has, and of nothing but frames.
pub(in crate::robot) fn tree(random: &mut Random, is_floating: bool) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut is_carried = false;
    while parts.len() < 14 || is_carried {
        let k = parts.len();
        let is_root = k == 0;
        let parent = match is_carried {
            _ if is_root => None,
            true => Some(k - 1),
            false => Some(random.below(k)),
        };
        let moves = match random.below(4) {
            _ if is_root && is_floating => Moves::Freely,
            _ if is_root || is_carried => Moves::Not,
            0 => Moves::Turns,
            1 => Moves::Slides,
            _ => Moves::Not,
        };
        let [a, b, c] = random.vector().map(f64::abs);
        // The moments of three masses on the axes, and one that exceeds the sum of the others by a little.
        let [possible, impossible] = [[b + c, a + c, a + b], [1e-3 * a, 0.0, 0.0]];
        let (mass, moments) = match random.below(6) {
            _ if is_carried => (1.0 + a, possible),
            0 => (0.0, [0.0; 3]),
            1 => (0.0, possible),
            _ if moves != Moves::Not => (1.0 + a, possible),
            2 => (1.0 + b, [0.0; 3]),
            3 => (1.0 + c, impossible),
            _ => (1.0 + a, possible),
        };
        let axis = random.vector();
        let axis = scale(1.0 / dot(axis, axis).sqrt(), axis);
        let (xyz, rpy) = if is_root { ([0.0; 3], [0.0; 3]) } else { (random.vector(), random.vector()) };
        let (center, axes) = (random.vector(), random.vector());
        // What moves without mass is followed by what gives it some.
        is_carried = mass == 0.0 && moves != Moves::Not;
        parts.push(Part { parent, moves, xyz, rpy, axis, mass, center, axes, moments });
    }
    parts
}

pub(in crate::robot) fn described(parts: &[Part]) -> String {
    let [mut links, mut joints] = [String::new(), String::new()];
    for (k, part) in parts.iter().enumerate() {
        let Part { mass, center: [x, y, z], axes: [roll, pitch, yaw], moments: [xx, yy, zz], .. } = part;
        let inertial = format!(
            "<inertial><mass value=\"{mass:?}\"/><origin xyz=\"{x:?} {y:?} {z:?}\" rpy=\"{roll:?} {pitch:?} {yaw:?}\"/>\
             <inertia ixx=\"{xx:?}\" ixy=\"0\" ixz=\"0\" iyy=\"{yy:?}\" iyz=\"0\" izz=\"{zz:?}\"/></inertial>"
        );
        writeln!(links, "<link name=\"l{k}\">{inertial}</link>").expect("strings take everything");
        let Some(parent) = part.parent else { continue };
        let kind = match part.moves {
            Moves::Not | Moves::Freely => "fixed",
            Moves::Turns => "revolute",
            Moves::Slides => "prismatic",
        };
        let Part { xyz: [x, y, z], rpy: [roll, pitch, yaw], axis: [nx, ny, nz], .. } = part;
        writeln!(
            joints,
            "<joint name=\"j{k}\" type=\"{kind}\"><parent link=\"l{parent}\"/><child link=\"l{k}\"/>\
             <origin xyz=\"{x:?} {y:?} {z:?}\" rpy=\"{roll:?} {pitch:?} {yaw:?}\"/><axis xyz=\"{nx:?} {ny:?} {nz:?}\"/></joint>"
        )
        .expect("strings take everything");
    }
    format!("<robot name=\"r\">{links}{joints}</robot>")
}

/// Velocities by which the tree moves: a link, and which of the six of a free one.
fn velocities(parts: &[Part]) -> Vec<(usize, usize)> {
    let of = |(k, part): (usize, &Part)| match part.moves {
        Moves::Not => Vec::new(),
        Moves::Turns | Moves::Slides => vec![(k, 0)],
        Moves::Freely => (0..6).map(|component| (k, component)).collect(),
    };
    parts.iter().enumerate().flat_map(of).collect()
}

/// Newton's and Euler's laws for every link by itself, in ground axes; a free root has the axes of the ground.
fn forces(parts: &[Part], q: &[f64], v: &[f64], a: &[f64], gravity: f64) -> Vec<f64> {
    struct Frame {
        rotation: Matrix,
        position: Vector,
        axis: Vector,
        omega: Vector,
        alpha: Vector,
        acceleration: Vector,
    }
    let channels = velocities(parts);
    let mut frames: Vec<Frame> = Vec::new();
    let mut loads = Vec::new();
    for (k, part) in parts.iter().enumerate() {
        let first = channels.iter().position(|channel| channel.0 == k);
        let of_part = |values: &[f64], component: usize| first.map_or(0.0, |first| values[first + component]);
        let own = roll_pitch_yaw(part.rpy);
        let mut frame = match part.parent.map(|parent| &frames[parent]) {
            Some(parent) => {
                let rotation = product(&parent.rotation, &own);
                let axis = apply(&rotation, part.axis);
                let mut arm = apply(&parent.rotation, part.xyz);
                if part.moves == Moves::Slides {
                    arm = add(arm, scale(of_part(q, 0), axis));
                }
                let turning = cross(parent.omega, cross(parent.omega, arm));
                let acceleration = add(parent.acceleration, add(cross(parent.alpha, arm), turning));
                Frame { rotation, position: add(parent.position, arm), axis, acceleration, ..*parent }
            }
            None => Frame {
                rotation: own,
                position: [0.0; 3],
                axis: [0.0; 3],
                omega: [0.0; 3],
                alpha: [0.0; 3],
                acceleration: [0.0, 0.0, gravity],
            },
        };
        match part.moves {
            Moves::Not => {}
            Moves::Turns => {
                let own = scale(of_part(v, 0), frame.axis);
                let carried = cross(frame.omega, own);
                frame.rotation = product(&turn(frame.axis, of_part(q, 0)), &frame.rotation);
                frame.omega = add(frame.omega, own);
                frame.alpha = add(frame.alpha, add(scale(of_part(a, 0), frame.axis), carried));
            }
            Moves::Slides => {
                let carried = cross(frame.omega, scale(2.0 * of_part(v, 0), frame.axis));
                frame.acceleration = add(frame.acceleration, add(scale(of_part(a, 0), frame.axis), carried));
            }
            Moves::Freely => {
                let three = |values, from: usize| [0, 1, 2].map(|i| of_part(values, from + i));
                (frame.omega, frame.alpha) = (three(v, 3), three(a, 3));
                // The rate of components in axes that turn lacks ω × v.
                let carried = cross(frame.omega, three(v, 0));
                frame.acceleration = add(frame.acceleration, add(three(a, 0), carried));
            }
        }
        let arm = apply(&frame.rotation, part.center);
        let turning = cross(frame.omega, cross(frame.omega, arm));
        let of_center = add(frame.acceleration, add(cross(frame.alpha, arm), turning));
        let axes = product(&frame.rotation, &roll_pitch_yaw(part.axes));
        let seen = |x: Vector| {
            let own = apply(&transposed(&axes), x);
            apply(&axes, [0, 1, 2].map(|i| part.moments[i] * own[i]))
        };
        let moment = add(seen(frame.alpha), cross(frame.omega, seen(frame.omega)));
        loads.push((add(frame.position, arm), scale(part.mass, of_center), moment));
        frames.push(frame);
    }
    let is_on = |k: usize, link: usize| std::iter::successors(Some(k), |&k| parts[k].parent).any(|k| k == link);
    let of = |&(link, component): &(usize, usize)| {
        let frame = &frames[link];
        let on = loads.iter().enumerate().filter(|&(k, _)| is_on(k, link)).map(|(_, load)| load);
        let (force, moment) = on.fold(([0.0; 3], [0.0; 3]), |(force, moment), &(at, f, n)| {
            let arm = add(at, scale(-1.0, frame.position));
            (add(force, f), add(moment, add(n, cross(arm, f))))
        });
        match parts[link].moves {
            Moves::Turns => dot(frame.axis, moment),
            Moves::Slides => dot(frame.axis, force),
            _ if component < 3 => force[component],
            _ => moment[component - 3],
        }
    };
    channels.iter().map(of).collect()
}

#[test]
fn bodies_move_like_their_links() {
    let mut random = Random(27);
    let (mut largest, mut merged) = (0.0_f64, 0);
    for case in 0..12 {
        let is_floating = case % 2 == 1;
        let parts = tree(&mut random, is_floating);
        let channels = velocities(&parts);
        if channels.is_empty() {
            continue;
        }
        let text = described(&parts);
        let provide = vec![Provided::InverseDynamics];
        let options = Options { is_floating, provide, ..Options::default() };
        let import = urdf::import(&text, &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let stages = import.model.parse().map_err(syn::Error::from).and_then(hamel_compiler::stages);
        let stages = stages.unwrap_or_else(|error| panic!("{error}\n{}", import.model));
        let interpreter = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, Vec::new());
        merged += parts.iter().filter(|part| part.moves == Moves::Not && part.mass > 0.0).count();

        // In the order of the links, and where the compiler has them.
        let place = |channel: &str| {
            let (joint, component) = channel.split_once('.').expect("a component of a joint");
            let components = ["v_x", "v_y", "v_z", "omega_x", "omega_y", "omega_z"];
            let component = components.iter().position(|known| *known == component);
            let link = joint.strip_prefix('j').map_or(0, |link| link.parse().expect("a number"));
            let wanted = (link, component.unwrap_or(0));
            channels.iter().position(|channel| *channel == wanted).expect("a velocity")
        };
        let layout = &stages.simplified.layout;
        let places: Vec<usize> = layout.velocities.iter().map(|channel| place(&channel.name)).collect();
        let [q, v, zero] = [(); 3].map(|()| (0..channels.len()).map(|_| random.number()).collect::<Vec<f64>>());
        let zero: Vec<f64> = zero.iter().map(|_| 0.0).collect();
        let coordinate = |name: &str| match name.split_once('.') {
            Some((joint, _)) if joint.starts_with('j') => q[place(name)],
            Some((_, "e0")) => 1.0,
            _ => 0.0,
        };
        let in_order = |values: &[f64]| places.iter().map(|&place| values[place]).collect::<Vec<f64>>();
        let point = Point {
            t: 0.0,
            inputs: Vec::new(),
            q: layout.coordinates.iter().map(|channel| coordinate(&channel.name)).collect(),
            v: in_order(&v),
            a: in_order(&zero),
            lambda: Vec::new(),
            tau: Vec::new(),
        };
        let mut compare = |found: Vec<f64>, expected: Vec<f64>, what: &str| {
            let size = expected.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
            assert!(found.len() == expected.len() && size > 0.0, "{what}");
            for (found, expected) in found.iter().zip(&expected) {
                let deviation = (found - expected).abs() / size;
                largest = largest.max(deviation);
                assert!(deviation < 1e-12, "{what} of tree {case}: {found} and {expected}\n{text}");
            }
        };
        let columns = (0..channels.len()).map(|j| {
            let unit: Vec<f64> = (0..channels.len()).map(|i| f64::from(u8::from(i == places[j]))).collect();
            in_order(&forces(&parts, &q, &zero, &unit, 0.0))
        });
        compare(interpreter.mass_matrix(&point.q).values, columns.flatten().collect(), "the mass matrix");
        let found = interpreter.evaluate(FunctionRole::InverseDynamics, &point);
        let found = found.into_iter().find(|(role, _)| *role == Role::Force).expect("forces").1.values;
        compare(found, in_order(&forces(&parts, &q, &v, &zero, 9.81)), "the force at rest of the accelerations");
    }
    assert!(merged > 30, "{merged} links with mass stand on others");
    assert!(largest > 0.0, "two computations that never differ are one");
}
