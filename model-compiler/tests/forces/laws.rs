//! Laws of forces between frames that move anyhow.

use hamel_compiler::expr::{ExprId, Graph, Stage, evaluate};
use hamel_compiler::forces::{Action, FieldKind, FieldShape, Force, FrameMotion, Situation, Target};
use hamel_compiler::rotations::RotationKind;
use hamel_compiler::space::Space;
use hamel_compiler::spatial::{self, Vector3, Wrench};
use hamel_compiler::units::Unit;

use super::{SEEDS, assert_close, positive, signed, spaces};
use crate::common::random::Random;

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

/// The unit of a field; where any is accepted, that of a force along a coordinate that is a length.
fn unit(text: &str) -> Unit {
    match text {
        "*" => Unit::NEWTON,
        _ => Unit::parse(text).unwrap_or_else(|| panic!("the unit {text} of a field")),
    }
}

fn per_second(unit: Unit) -> Unit {
    unit.over(Unit::SECOND)
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
    let velocities = [Kind::Velocity, Kind::Virtual].map(|kind| {
        (
            symbols.vector(graph, kind, per_second(Unit::METRE), space),
            symbols.axial(graph, kind, per_second(Unit::ONE), space),
        )
    });
    let [(velocity, spin), (virtual_velocity, virtual_spin)] = velocities;
    let zero = graph.zero();
    let mut rates: Vec<_> = position.into_iter().zip(virtual_velocity).filter(|(x, _)| *x != zero).collect();
    let (axes, angle) = match space {
        Space::Planar => {
            let angle = symbols.one(graph, Kind::Position, Unit::ONE);
            let (s, c) = (graph.sin(angle), graph.cos(angle));
            rates.push((angle, virtual_spin[2]));
            (spatial::rotation_z(graph, c, s), angle)
        }
        Space::Spatial => {
            let first = symbols.one(graph, Kind::Turn, Unit::ONE);
            let rest = [(); 3].map(|()| symbols.one(graph, Kind::Position, Unit::ONE));
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
        let common = symbols.vector(&mut graph, Kind::Position, Unit::METRE, space);
        for _ in 0..2 {
            let position = match force.target() {
                Target::On => common,
                _ => symbols.vector(&mut graph, Kind::Position, Unit::METRE, space),
            };
            let (motion, along, twist) = frame(&mut graph, &mut symbols, space, position);
            frames.push(motion);
            rates.extend(along);
            twists.push(twist);
        }
    }
    // Kinds whose fields are per angle act on angles.
    let is_angle = force.fields().iter().any(|field| field.unit.contains("rad"));
    let place = if is_angle { Unit::ONE } else { Unit::METRE };
    let rate = per_second(place);
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
        let about = symbols.vector(&mut graph, Kind::Position, Unit::METRE, space);
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
    let watt = per_second(Unit::JOULE);
    for (force, space) in spaces() {
        let (case, symbols) = case(force, space);
        let known = [(Some(case.work), watt), (case.action.potential, Unit::JOULE), (case.action.power, watt)];
        let (roots, units): (Vec<ExprId>, Vec<Unit>) =
            known.into_iter().filter_map(|(root, unit)| Some((root?, unit))).unzip();
        for (seed, scale) in
            SEEDS.zip([[3.0, 1.0, 1.0], [1.0, 0.5, 1.0], [1.0, 1.0, 7.0], [0.2, 3.0, 0.4_f64]].iter().cycle())
        {
            let factor =
                |unit: Unit| scale.iter().zip(unit.exponents()).map(|(scale, n)| scale.powf(n)).product::<f64>();
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
            let places =
                (0..values.len()).filter(|&i| symbols.kinds[i] == Kind::Position && symbols.units[i] == Unit::METRE);
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
