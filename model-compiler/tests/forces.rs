//! What every kind of force must obey, in the plane and in space: what its ends receive cancels, its work is what its
//! potential loses, velocities take energy and never give it; and it is one force in joint and in absolute coordinates.
//!
//! A kind is built from what the registry says of it, so that none can be forgotten.

#[path = "../src/random.rs"]
mod random;

use hamel_compiler::Stages;
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::expr::{Dual, ExprId, Graph, Stage, evaluate};
use hamel_compiler::forces::{ALL, Action, FieldKind, FieldShape, Force, FrameMotion, Situation, Target};
use hamel_compiler::rotations::RotationKind;
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_compiler::space::Space;
use hamel_compiler::spatial::{self, Vector3, Wrench};
use random::Random;

const SEEDS: std::ops::Range<u64> = 0..20;

/// From −1 to 1.
fn signed(random: &mut Random) -> f64 {
    random.below(2_000_001) as f64 * 1e-6 - 1.0
}

/// From 0.2 to 1.2.
fn positive(random: &mut Random) -> f64 {
    0.7 + 0.5 * signed(random)
}

fn spaces() -> impl Iterator<Item = (&'static dyn Force, Space)> {
    ALL.iter().flat_map(|force| force.spaces().iter().map(move |&space| (*force, space)))
}

fn assert_close(what: &str, a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * (1.0 + a.abs() + b.abs()), "{what}: {a} and {b}");
}

/// A kind of force between frames that move anyhow.
struct Case {
    graph: Graph,
    frames: Vec<FrameMotion>,
    action: Action,
    /// Work of what the ends receive, on velocities that are others than those it depends on.
    work: ExprId,
    /// The rate of the potential with the same velocities and with the rates of fields.
    potential_rate: ExprId,
}

/// The symbols of a case, in their order.
#[derive(Default)]
struct Symbols {
    kinds: Vec<Kind>,
    units: Vec<Unit>,
}

/// Exponents of kg, m and s.
type Unit = [i32; 3];
const ONE: Unit = [0, 0, 0];
const METRE: Unit = [0, 1, 0];
const SPEED: Unit = [0, 1, -1];
const SPIN: Unit = [0, 0, -1];
const NEWTON: Unit = [1, 1, -2];
const JOULE: Unit = [1, 2, -2];
const WATT: Unit = [1, 2, -3];

/// The unit of a field; where any is accepted, that of a force along a coordinate that is a length.
fn unit(text: &str) -> Unit {
    let mut unit = ONE;
    for (part, sign) in text.split('/').zip([1, -1]) {
        for word in part.split([' ', '(', ')']).filter(|word| !word.is_empty()) {
            let factor = match word {
                "*" | "N" => NEWTON,
                "m" => METRE,
                "s" => [0, 0, 1],
                "1" | "rad" => ONE,
                other => panic!("the unit {other} of a field"),
            };
            (0..3).for_each(|i| unit[i] += sign * factor[i]);
        }
    }
    unit
}

fn per_second([kg, m, s]: Unit) -> Unit {
    [kg, m, s - 1]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Position,
    /// Begins four Euler parameters.
    Turn,
    Velocity,
    /// What the work is done on.
    Virtual,
    Field,
    FieldRate,
}

impl Symbols {
    fn one(&mut self, graph: &mut Graph, kind: Kind, unit: Unit) -> ExprId {
        self.kinds.push(kind);
        self.units.push(unit);
        graph.symbol(&format!("x{}", self.kinds.len()), Stage::Position)
    }

    fn vector(&mut self, graph: &mut Graph, kind: Kind, unit: Unit, space: Space) -> Vector3 {
        let zero = graph.zero();
        std::array::from_fn(|i| if i < space.dimension() { self.one(graph, kind, unit) } else { zero })
    }

    fn axial(&mut self, graph: &mut Graph, kind: Kind, unit: Unit, space: Space) -> Vector3 {
        let zero = graph.zero();
        std::array::from_fn(|i| if space == Space::Spatial || i == 2 { self.one(graph, kind, unit) } else { zero })
    }

    fn field(&mut self, graph: &mut Graph, kind: Kind, space: Space, field: &FieldKind) -> Vec<ExprId> {
        let unit = unit(field.unit);
        let unit = if kind == Kind::FieldRate { per_second(unit) } else { unit };
        match field.shape {
            FieldShape::Scalar => vec![self.one(graph, kind, unit)],
            FieldShape::Vector => self.vector(graph, kind, unit, space).to_vec(),
            FieldShape::Axial => self.axial(graph, kind, unit, space).to_vec(),
        }
    }

    /// Values at random; velocities and rates of fields only where they are wanted.
    fn values(&self, seed: u64, moves: bool, fields_change: bool) -> Vec<f64> {
        let mut random = Random(seed);
        let mut values: Vec<f64> = Vec::new();
        for kind in &self.kinds {
            let (any, above) = (signed(&mut random), positive(&mut random));
            values.push(match kind {
                Kind::Velocity if !moves => 0.0,
                Kind::FieldRate if !fields_change => 0.0,
                Kind::Field => above,
                _ => any,
            });
        }
        for first in (0..values.len()).filter(|&i| self.kinds[i] == Kind::Turn) {
            let e = &mut values[first..first + 4];
            let norm = e.iter().map(|x| x * x).sum::<f64>().sqrt();
            e.iter_mut().for_each(|x| *x /= norm);
        }
        values
    }
}

/// One frame, with the rates of what it depends on along virtual velocities, and these.
fn frame(
    graph: &mut Graph,
    symbols: &mut Symbols,
    space: Space,
    position: Vector3,
) -> (FrameMotion, Vec<(ExprId, ExprId)>, [Vector3; 2]) {
    let velocities = [Kind::Velocity, Kind::Virtual]
        .map(|kind| (symbols.vector(graph, kind, SPEED, space), symbols.axial(graph, kind, SPIN, space)));
    let [(velocity, spin), (virtual_velocity, virtual_spin)] = velocities;
    let zero = graph.zero();
    let mut rates: Vec<_> = position.into_iter().zip(virtual_velocity).filter(|(x, _)| *x != zero).collect();
    let (axes, angle) = match space {
        Space::Planar => {
            let angle = symbols.one(graph, Kind::Position, ONE);
            let (s, c) = (graph.sin(angle), graph.cos(angle));
            rates.push((angle, virtual_spin[2]));
            (spatial::rotation_z(graph, c, s), angle)
        }
        Space::Spatial => {
            let first = symbols.one(graph, Kind::Turn, ONE);
            let rest = [(); 3].map(|()| symbols.one(graph, Kind::Position, ONE));
            let e = [first, rest[0], rest[1], rest[2]];
            let kind = RotationKind::EulerParameters;
            let map = kind.velocity_map(graph, &e);
            let axes = kind.matrix(graph, &e);
            let in_body = spatial::apply_transposed(graph, &axes, virtual_spin);
            rates.extend(e.iter().zip(&map).map(|(&e, row)| (e, graph.dot(row, &in_body))));
            (axes, zero)
        }
    };
    let motion = FrameMotion { position, velocity, angular_velocity: spin, axes, angle };
    (motion, rates, [virtual_velocity, virtual_spin])
}

fn case(force: &dyn Force, space: Space) -> (Case, Symbols) {
    let (mut graph, mut symbols) = (Graph::new(), Symbols::default());
    let field = |graph: &mut Graph, symbols: &mut Symbols, kind: Kind| -> Vec<Vec<ExprId>> {
        force.fields().iter().map(|field| symbols.field(graph, kind, space, field)).collect()
    };
    let (fields, field_rates) =
        (field(&mut graph, &mut symbols, Kind::Field), field(&mut graph, &mut symbols, Kind::FieldRate));
    let zero = graph.zero();
    let mut rates: Vec<(ExprId, ExprId)> =
        fields.concat().into_iter().zip(field_rates.concat()).filter(|(field, _)| *field != zero).collect();
    let (mut frames, mut twists) = (Vec::new(), Vec::new());
    if force.target() != Target::Coordinate {
        // A force `on … from …` is a couple beside that where its two points are apart.
        let common = symbols.vector(&mut graph, Kind::Position, METRE, space);
        for _ in 0..2 {
            let position = match force.target() {
                Target::On => common,
                _ => symbols.vector(&mut graph, Kind::Position, METRE, space),
            };
            let (motion, along, twist) = frame(&mut graph, &mut symbols, space, position);
            frames.push(motion);
            rates.extend(along);
            twists.push(twist);
        }
    }
    // Kinds whose fields are per angle act on angles.
    let is_angle = force.fields().iter().any(|field| field.unit.contains("rad"));
    let [place, rate] = if is_angle { [ONE, SPIN] } else { [METRE, SPEED] };
    let coordinate = [(Kind::Position, place), (Kind::Velocity, rate), (Kind::Virtual, rate)]
        .map(|(kind, unit)| symbols.one(&mut graph, kind, unit));
    rates.push((coordinate[0], coordinate[2]));
    let situation = Situation {
        space,
        frames: &frames,
        coordinate: Some((coordinate[0], coordinate[1])),
        fields: &fields,
        rates: &field_rates,
    };
    let action = force.act(&mut graph, &situation);
    let mut work = action.generalized.map_or(zero, |value| graph.mul(value, coordinate[2]));
    for (Wrench { force, torque }, [velocity, spin]) in action.wrenches.iter().zip(&twists) {
        let parts = [spatial::dot(&mut graph, *force, *velocity), spatial::dot(&mut graph, *torque, *spin)];
        work = graph.sum(&[work, parts[0], parts[1]]);
    }
    let potential_rate = match action.potential {
        Some(potential) => graph.directional(&[potential], &rates)[0],
        None => zero,
    };
    (Case { graph, frames, action, work, potential_rate }, symbols)
}

/// Copies what moves into what the work is done on.
fn work_on_velocities(symbols: &Symbols, values: &mut [f64]) {
    let of = |kind: Kind| (0..values.len()).filter(move |&i| symbols.kinds[i] == kind).collect::<Vec<_>>();
    for (velocity, at) in of(Kind::Velocity).into_iter().zip(of(Kind::Virtual)) {
        values[at] = values[velocity];
    }
}

#[test]
fn what_the_ends_receive_cancels() {
    for (force, space) in spaces().filter(|(force, _)| force.target() != Target::Coordinate) {
        let (Case { mut graph, frames, action, .. }, mut symbols) = case(force, space);
        let about = symbols.vector(&mut graph, Kind::Position, METRE, space);
        let (mut push, mut moment) = (spatial::zero(&mut graph), spatial::zero(&mut graph));
        for (wrench, frame) in action.wrenches.iter().zip(&frames) {
            push = spatial::add(&mut graph, push, wrench.force);
            let arm = spatial::sub(&mut graph, frame.position, about);
            let turn = spatial::cross(&mut graph, arm, wrench.force);
            let turn = spatial::add(&mut graph, turn, wrench.torque);
            moment = spatial::add(&mut graph, moment, turn);
        }
        for seed in SEEDS {
            let left = evaluate(&graph, &[push, moment].concat(), &symbols.values(seed, true, true));
            let keyword = force.keyword();
            assert!(left.iter().all(|x| x.abs() < 1e-13), "{keyword} in {space:?}: {left:?}");
        }
    }
}

/// In other units of mass, length and time the same force has other numbers, and does the same: a wrong power of a length
/// would show, which energy and balance of forces do not know.
#[test]
fn units_of_mass_length_and_time_do_not_matter() {
    for (force, space) in spaces() {
        let (case, symbols) = case(force, space);
        let known = [(Some(case.work), WATT), (case.action.potential, JOULE), (case.action.power, WATT)];
        let (roots, units): (Vec<ExprId>, Vec<Unit>) =
            known.into_iter().filter_map(|(root, unit)| Some((root?, unit))).unzip();
        for (seed, scale) in
            SEEDS.zip([[3.0, 1.0, 1.0], [1.0, 0.5, 1.0], [1.0, 1.0, 7.0], [0.2, 3.0, 0.4_f64]].iter().cycle())
        {
            let factor = |unit: Unit| (0..3).map(|i| scale[i].powi(unit[i])).product::<f64>();
            let values = symbols.values(seed, true, true);
            let scaled: Vec<f64> =
                values.iter().zip(&symbols.units).map(|(value, &unit)| value * factor(unit)).collect();
            let [before, after] = [&values, &scaled].map(|values| evaluate(&case.graph, &roots, values));
            for ((before, after), unit) in before.iter().zip(&after).zip(&units) {
                let what = format!("{} in {space:?}, units times {scale:?}", force.keyword());
                assert!(
                    (after / factor(*unit) - before).abs() <= 1e-11 * before.abs().max(1e-3),
                    "{what}: {before} {after}"
                );
            }
        }
    }
}

/// Kinds that say so, and no others, have no value where their points coincide.
#[test]
fn forces_along_a_line_know_where_they_have_none() {
    for (force, space) in spaces() {
        let (case, symbols) = case(force, space);
        let is_undefined = |seed: u64| {
            let mut values = symbols.values(seed, true, true);
            let places = (0..values.len()).filter(|&i| symbols.kinds[i] == Kind::Position && symbols.units[i] == METRE);
            places.collect::<Vec<_>>().into_iter().for_each(|i| values[i] = 0.0);
            !evaluate(&case.graph, &[case.work], &values)[0].is_finite()
        };
        let says = force.divides_by_distance(&|_| true);
        assert!(SEEDS.map(is_undefined).all(|undefined| undefined == says), "{} in {space:?}", force.keyword());
    }
}

/// Kinds that say nothing of their power do what an expression of the user makes them do.
#[test]
fn work_is_what_the_potential_loses_and_velocities_give_none() {
    for (force, space) in spaces() {
        let (case, symbols) = case(force, space);
        let what = format!("{} in {space:?}", force.keyword());
        assert_eq!(force.stores_energy(), case.action.potential.is_some(), "{what}");
        let Some(power) = case.action.power else { continue };
        for seed in SEEDS {
            let at = |values: &[f64]| -> [f64; 3] {
                let roots = [case.work, case.potential_rate, power];
                evaluate(&case.graph, &roots, values).try_into().expect("three roots")
            };
            let [work, gained, _] = at(&symbols.values(seed, false, false));
            assert_close(&format!("{what}: work at rest"), work, -gained, 1e-11);

            let mut moving = symbols.values(seed, true, false);
            work_on_velocities(&symbols, &mut moving);
            let [work, gained, power] = at(&moving);
            assert_close(&format!("{what}: power"), power, work + gained, 1e-11);
            assert!(power <= 1e-12, "{what}: {power} W from nowhere");

            let mut changing = symbols.values(seed, true, true);
            work_on_velocities(&symbols, &mut changing);
            let [work, gained, power] = at(&changing);
            assert_close(&format!("{what}: power of fields that change"), power, work + gained, 1e-11);
        }
    }
}

/// A model of two bodies and a force of this kind between them, or of one on a hinge; every number is a parameter.
fn model(force: &dyn Force, space: Space, coordinates: &str) -> Stages {
    let mut parameters = String::new();
    let mut parameter = |value: &str, unit: &str| {
        let name = format!("p{}", parameters.lines().count());
        parameters += &format!("param {name} = {value} {unit};\n");
        name
    };
    let is_planar = space == Space::Planar;
    let vector = if is_planar { "[1, 2]" } else { "[1, 2, 3]" };
    let mut end = |body: &str| {
        let point = parameter(vector, "m");
        let axes = match (force.target(), space) {
            (Target::Frames, Space::Planar) => format!(" rotated {}", parameter("1", "rad")),
            (Target::Frames, Space::Spatial) => {
                let [a, b] = [(); 2].map(|()| parameter("1", "rad"));
                format!(" rotated rotation_z({a}) * rotation_x({b})")
            }
            _ => String::new(),
        };
        format!("{body} at {point}{axes}")
    };
    let ends = match force.target() {
        Target::Coordinate => "a_motion".to_owned(),
        _ => format!("{}, {}", end("a"), end("b")),
    };
    let mut field = |field: &FieldKind| {
        let value = match field.shape {
            FieldShape::Vector => vector,
            FieldShape::Axial if !is_planar => vector,
            _ => "1",
        };
        let unit = if field.unit == "*" { "N m" } else { field.unit };
        format!("{}: {}", field.name, parameter(value, unit))
    };
    let fields: Vec<String> = force.fields().iter().map(&mut field).collect();
    let joint = if force.target() == Target::Coordinate { "revolute" } else { "free" };
    let (planar, inertia) = if is_planar { ("planar;", "1") } else { ("", "diag(1, 1.1, 1.2)") };
    let text = format!(
        "model M {{ {planar} coordinates {coordinates};
            {parameters}
            body a {{ mass: 1 kg, inertia: {inertia} kg m^2 }}
            body b {{ mass: 1 kg, inertia: {inertia} kg m^2 }}
            joint a_motion: {joint}(ground, a);
            joint b_motion: {joint}(ground, b);
            force s: {}({ends}) {{ {} }}
        }}",
        force.keyword(),
        fields.join(", ")
    );
    stages(&text)
}

fn stages(text: &str) -> Stages {
    let tokens = text.parse().expect("the model lexes");
    hamel_compiler::stages(tokens).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// One state of free bodies, with velocities in their own axes, in joint and in absolute coordinates.
struct Free {
    q: Vec<f64>,
    /// Along which force and power are compared, and derivatives taken.
    directions: [Vec<f64>; 2],
}

impl Free {
    fn new(space: Space, bodies: usize, random: &mut Random) -> Free {
        let mut q = Vec::new();
        for _ in 0..bodies {
            let mut own: Vec<f64> = (0..if space == Space::Planar { 3 } else { 7 }).map(|_| signed(random)).collect();
            if space == Space::Spatial {
                let norm = own[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
                own[3..].iter_mut().for_each(|x| *x /= norm);
            }
            q.extend(own);
        }
        let n = bodies * if space == Space::Planar { 3 } else { 6 };
        let directions = [(); 2].map(|()| (0..n).map(|_| signed(random)).collect());
        Free { q, directions }
    }

    /// q̇ of velocities in body axes, which are the velocities in absolute coordinates.
    fn rates(&self, space: Space, v: &[f64]) -> Vec<f64> {
        if space == Space::Planar {
            return v.to_vec();
        }
        let mut rates = Vec::new();
        for (q, v) in self.q.chunks(7).zip(v.chunks(6)) {
            let mut graph = Graph::new();
            let symbols: Vec<ExprId> = (0..4).map(|i| graph.symbol(&format!("e{i}"), Stage::Position)).collect();
            let kind = RotationKind::EulerParameters;
            let rows = kind.matrix(&mut graph, &symbols).map(Vec::from).to_vec();
            let map = kind.velocity_map(&mut graph, &symbols);
            let mut apply = |rows: &[Vec<ExprId>], v: &[f64]| {
                for row in rows {
                    let row: Vec<f64> = evaluate(&graph, row, &q[3..]);
                    rates.push(dot(&row, v));
                }
            };
            apply(&rows, &v[..3]);
            apply(&map, &v[3..]);
        }
        rates
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn point(stages: &Stages, q: Vec<f64>, v: Vec<f64>) -> Point<f64> {
    let n = v.len();
    let lambda = vec![0.0; stages.simplified.layout.constraints.len()];
    Point { t: 0.3, inputs: Vec::new(), q, v, a: vec![0.0; n], lambda, tau: Vec::new() }
}

/// Work along a direction, potential energy and power.
fn seen(stages: &Stages, parameters: Vec<f64>, at: &Point<f64>, direction: &[f64]) -> [f64; 3] {
    let plain = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, parameters);
    let one = |function, role| plain.output(function, role, at, (1, 1)).values[0];
    let n = at.v.len();
    let force = plain.output(FunctionRole::AppliedForce, Role::AppliedForce, at, (n, 1)).values;
    [dot(&force, direction), one(FunctionRole::Energy, Role::PotentialEnergy), one(FunctionRole::Power, Role::Power)]
}

/// The derivatives of r along a direction of the coordinates and of the velocities, against dual numbers.
fn assert_linearization(what: &str, stages: &Stages, parameters: Vec<f64>, at: &Point<f64>, rates: &[f64], v: &[f64]) {
    let n = v.len();
    let plain = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, parameters.clone());
    let lifted = parameters.iter().map(|&value| Dual::constant(value)).collect();
    let dual = Interpreter::<Dual>::new(&stages.simplified, &stages.schedule, lifted);
    let constant = |values: &[f64]| values.iter().map(|&value| Dual::constant(value)).collect::<Vec<_>>();
    let moving = |values: &[f64], rates: &[f64]| -> Vec<Dual> {
        values.iter().zip(rates).map(|(&value, &rate)| Dual::with_slopes(value, vec![rate])).collect()
    };
    let fixed = Point {
        t: Dual::constant(at.t),
        inputs: Vec::new(),
        q: constant(&at.q),
        v: constant(&at.v),
        a: constant(&at.a),
        lambda: constant(&at.lambda),
        tau: Vec::new(),
    };
    let by_position = Point { q: moving(&at.q, rates), ..fixed.clone() };
    let by_velocity = Point { v: moving(&at.v, v), ..fixed };
    for (role, along) in [(Role::Stiffness, by_position), (Role::Damping, by_velocity)] {
        let matrix = plain.output(FunctionRole::Linearization, role, at, (n, n)).values;
        let (exact, _) = dual.residual(&along);
        for (row, exact) in matrix.chunks(n).zip(exact) {
            assert_close(&format!("{what}: {role:?}"), dot(row, v), exact.slope(0), 1e-9);
        }
    }
}

#[test]
fn joint_and_absolute_coordinates_know_one_force() {
    for (force, space) in spaces() {
        let what = format!("{} in {space:?}", force.keyword());
        let joint = model(force, space, "joint");
        let absolute = (force.target() != Target::Coordinate).then(|| model(force, space, "absolute"));
        let count = defaults::<f64>(&joint.schedule).len();
        for seed in 0..5 {
            let mut random = Random(seed);
            let parameters: Vec<f64> = (0..count).map(|_| positive(&mut random)).collect();
            let Some(absolute) = &absolute else {
                let [q, v, w] = [(); 3].map(|()| vec![signed(&mut random), signed(&mut random)]);
                assert_linearization(&what, &joint, parameters, &point(&joint, q, v), &w, &w);
                continue;
            };
            let state = Free::new(space, 2, &mut random);
            let [v, w] = &state.directions;
            let [v_absolute, w_absolute] = [v, w].map(|along| state.rates(space, along));
            let in_joint = point(&joint, state.q.clone(), v.clone());
            let in_absolute = point(absolute, state.q.clone(), v_absolute);
            let first = seen(&joint, parameters.clone(), &in_joint, w);
            let second = seen(absolute, parameters.clone(), &in_absolute, &w_absolute);
            for (one, other) in first.into_iter().zip(second) {
                assert_close(&what, one, other, 1e-11);
            }
            assert_linearization(&what, &joint, parameters.clone(), &in_joint, &w_absolute, w);
            assert_linearization(&what, absolute, parameters, &in_absolute, &w_absolute, &w_absolute);
        }
    }
}

/// Rz(0.4) Rx(0.7), as the frames of the following bushings are turned.
const TURNED: &str = "rotated rotation_z(0.4 rad) * rotation_x(0.7 rad)";

fn turned() -> [[f64; 3]; 3] {
    let ((s, c), (t, d)) = (0.4_f64.sin_cos(), 0.7_f64.sin_cos());
    [[c, -s * d, s * t], [s, c * d, -c * t], [0.0, t, d]]
}

/// θ'' = −(k/J) θ about an axis of the frames, with the period 2π √(J/k) whatever the amplitude: in space up to half a
/// turn, in the plane for many.
#[test]
fn large_turns_about_an_axis_of_a_bushing_are_harmonic() {
    let (stiffness, inertia) = (3.0, 0.3);
    let spatial = stages(&format!(
        "model M {{ coordinates joint;
            body b {{ mass: 1 kg, inertia: diag({inertia}, {inertia}, {inertia}) kg m^2 }}
            joint fly: free(ground, b);
            force s: bushing(ground {TURNED}, b {TURNED}) {{
                stiffness: [10, 20, 30] N/m, rotational_stiffness: [1, 2, {stiffness}] N m/rad,
            }}
        }}"
    ));
    let axis = turned().map(|row| row[2]);
    for degrees in [-179.0_f64, -90.0, -1e-6, 0.0, 3.0, 14.2, 14.3, 120.0, 179.9] {
        let angle = degrees.to_radians();
        let (s, c) = (0.5 * angle).sin_cos();
        let q = vec![0.0, 0.0, 0.0, c, s * axis[0], s * axis[1], s * axis[2]];
        let parameters = defaults(&spatial.schedule);
        let model = Interpreter::<f64>::new(&spatial.simplified, &spatial.schedule, parameters);
        let mut at = point(&spatial, q, vec![0.0; 6]);
        at.a[3..].iter_mut().zip(axis).for_each(|(a, axis)| *a = -stiffness / inertia * angle * axis);
        let (left, _) = model.residual(&at);
        assert!(left.iter().all(|r| r.abs() < 1e-11), "{degrees}°: {left:?}");
    }

    let planar = stages(&format!(
        "model M {{ planar; coordinates absolute;
            body b {{ mass: 1 kg, inertia: {inertia} kg m^2 }}
            force s: bushing(ground rotated 0.3 rad, b rotated -0.2 rad) {{
                stiffness: [10, 20] N/m, rotational_stiffness: {stiffness} N m/rad,
            }}
        }}"
    ));
    for angle in [-40.0, -0.5, 3.0, 7.0] {
        let model = Interpreter::<f64>::new(&planar.simplified, &planar.schedule, defaults(&planar.schedule));
        let mut at = point(&planar, vec![0.0, 0.0, angle + 0.5], vec![0.0; 3]);
        at.a[2] = -stiffness / inertia * angle;
        let (left, _) = model.residual(&at);
        assert!(left.iter().all(|r| r.abs() < 1e-12), "{angle}: {left:?}");
    }
}

/// Small oscillations have the stiffness K = Q k Qᵀ of the displaced point, and its moments.
#[test]
fn small_motions_on_a_bushing_have_its_stiffness_in_turned_axes() {
    let (k, c, p) = ([10.0, 20.0, 30.0], [1.0, 2.0, 3.0], [0.3, -0.2, 0.5]);
    let place = format!("at {p:?} m {TURNED}");
    let stages = stages(&format!(
        "model M {{ coordinates joint;
            body b {{ mass: 1 kg, inertia: diag(0.3, 0.4, 0.5) kg m^2 }}
            joint fly: free(ground, b);
            force s: bushing(ground {place}, b {place}) {{
                stiffness: {k:?} N/m, rotational_stiffness: {c:?} N m/rad,
            }}
        }}"
    ));
    let model = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, defaults(&stages.schedule));
    let at = point(&stages, model.reference_configuration(), vec![0.0; 6]);
    let found = model.output(FunctionRole::Linearization, Role::Stiffness, &at, (6, 6)).values;
    let q = turned();
    let seen = |of: [f64; 3], x: [f64; 3]| -> [f64; 3] {
        let own: [f64; 3] = std::array::from_fn(|i| of[i] * (0..3).map(|j| q[j][i] * x[j]).sum::<f64>());
        std::array::from_fn(|i| (0..3).map(|j| q[i][j] * own[j]).sum())
    };
    let cross = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
    };
    for column in 0..6 {
        let unit = |first: usize| std::array::from_fn::<f64, 3, _>(|i| f64::from(u8::from(first + i == column)));
        let (shift, turn) = (unit(0), unit(3));
        let carried = cross(turn, p);
        let force = seen(k, std::array::from_fn(|i| shift[i] + carried[i]));
        let (moment, torque) = (cross(p, force), seen(c, turn));
        for row in 0..6 {
            let expected = if row < 3 { force[row] } else { moment[row - 3] + torque[row - 3] };
            assert_close(&format!("row {row}, column {column}"), found[6 * row + column], expected, 1e-13);
        }
    }
}
