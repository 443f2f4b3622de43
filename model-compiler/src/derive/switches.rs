//! Where formulas give way to others: the instants at which functions of time change their course, those of conditions, and of
//! functions with jumps and kinks, that are linear in time piece by piece, or vibrate; and the functions of the motion whose
//! signs choose between formulas.

use std::f64::consts::PI;

use rustc_hash::FxHashSet;

use super::lower::lower_scalar;
use super::parameters::{Parameters, is_parametric};
use super::terms::walk;
use crate::expr::{Binary, ExprId, Graph, Number, Unary};
use crate::resolve::{ContactForm, Convention, System, Term, TermKind};

/// The times, s, at which a force, a rate, a constraint, a contact or a current takes another formula, each once, as
/// expressions of parameters, and after what time each recurs, zero if it does not. A time that is not finite is never
/// reached.
pub(super) fn times(system: &System, parameters: &mut Parameters) -> Vec<[ExprId; 2]> {
    let mut borders: Vec<(&Term, Level)> = Vec::new();
    let mut poles = Vec::new();
    for term in terms(system) {
        walk(term, &mut |part| match &part.kind {
            TermKind::Select { lhs, rhs, .. } => borders.push((lhs, Level::Term(rhs))),
            TermKind::Unary(Unary::Abs | Unary::Sign, a) => borders.push((a, Level::Number(0))),
            TermKind::Unary(Unary::Asin | Unary::Acos, a) => {
                borders.extend([-1, 1].map(|level| (&**a, Level::Number(level))));
            }
            TermKind::Unary(Unary::Tan, a) => poles.push(&**a),
            TermKind::Binary(Binary::Min | Binary::Max, a, b) => borders.push((a, Level::Term(b))),
            // It jumps where y changes its sign, and x is negative.
            TermKind::Binary(Binary::Atan2, y, _) => borders.push((y, Level::Number(0))),
            _ => {}
        });
    }
    let mut times = Vec::new();
    for (one, level) in borders {
        times.extend(crossings(parameters, one, level));
        times.extend(recurring_crossings(parameters, one, level));
    }
    for argument in poles {
        let Some([phase, rate]) = line(parameters, argument) else { continue };
        let graph = &mut parameters.graph;
        let [half, whole] = [0.5, 1.0].map(|part| graph.number(Number::from_f64(part * PI)));
        times.push(instant(graph, half, [phase, rate], whole));
    }
    let mut seen = FxHashSet::default();
    times.retain(|&time| seen.insert(time));
    times
}

/// A function of the motion whose sign chooses between formulas: the difference of two terms, or one alone.
pub(super) type Switch<'t> = (&'t Term, Option<&'t Term>);

/// The switching functions of the equations of motion: of conditions and of signs. Those that contain inputs, whose rates
/// are not known, are none, nor those of constraints that depend on more than time.
pub(super) fn of_motion(system: &System) -> Vec<Switch<'_>> {
    let mut found = Vec::new();
    let mut add = |term, of_constraint: bool| {
        walk(term, &mut |part| {
            let switch = match &part.kind {
                TermKind::Select { lhs, rhs, .. } => (&**lhs, Some(&**rhs)),
                TermKind::Unary(Unary::Sign, a) => (&**a, None),
                // Accelerations jump where constraints have kinks in their rates.
                TermKind::Unary(Unary::Abs, a) if of_constraint => (&**a, None),
                TermKind::Binary(Binary::Min | Binary::Max, a, b) if of_constraint => (&**a, Some(&**b)),
                _ => return,
            };
            let parts = || [Some(switch.0), switch.1].into_iter().flatten();
            let excludes = |kind: &TermKind| match kind {
                TermKind::Input(_) => true,
                TermKind::Quantity(_) => of_constraint,
                _ => false,
            };
            if !parts().all(is_parametric) && !parts().any(|term| has(term, &excludes)) {
                found.push(switch);
            }
        });
    };
    moving(system).for_each(|term| add(term, false));
    system.constraints.iter().for_each(|constraint| add(&constraint.residual, true));
    found
}

/// Whether a part of a term is of such a kind.
fn has(term: &Term, is_such: &dyn Fn(&TermKind) -> bool) -> bool {
    let mut found = false;
    walk(term, &mut |part| found |= is_such(&part.kind));
    found
}

/// What a function crosses.
#[derive(Clone, Copy)]
enum Level<'t> {
    Number(i64),
    Term(&'t Term),
}

/// Where functions that are linear in time piece by piece cross.
fn crossings(parameters: &mut Parameters, one: &Term, level: Level) -> Vec<[ExprId; 2]> {
    let Some(ones) = lines(parameters, one) else { return Vec::new() };
    let others = match level {
        Level::Number(value) => Some(vec![[parameters.graph.integer(value), parameters.graph.zero()]]),
        Level::Term(term) => lines(parameters, term),
    };
    let graph = &mut parameters.graph;
    let mut times = Vec::new();
    for [one, other] in ones.iter().flat_map(|&one| others.iter().flatten().map(move |&other| [one, other])) {
        let [at_zero, slope] = [0, 1].map(|i| graph.sub(one[i], other[i]));
        if !graph.is_zero(slope) {
            let negative = graph.neg(at_zero);
            times.push([graph.div(negative, slope), graph.zero()]);
        }
    }
    times
}

/// Where a vibration crosses a level, in each period.
fn recurring_crossings(parameters: &mut Parameters, one: &Term, level: Level) -> Vec<[ExprId; 2]> {
    let (vibrating, level) = match level {
        Level::Number(value) => (one, parameters.graph.integer(value)),
        Level::Term(term) if is_parametric(term) => (one, lower_scalar(parameters, term)),
        Level::Term(term) if is_parametric(one) => (term, lower_scalar(parameters, one)),
        Level::Term(_) => return Vec::new(),
    };
    let mut times = Vec::new();
    vibrations(parameters, vibrating, level, &mut times);
    times
}

/// The times at which a sine, cosine or tangent within a function of time crosses what makes the function cross a level.
fn vibrations(parameters: &mut Parameters, term: &Term, level: ExprId, times: &mut Vec<[ExprId; 2]>) {
    match &term.kind {
        TermKind::Unary(function @ (Unary::Sin | Unary::Cos | Unary::Tan), a) => {
            let Some(argument) = line(parameters, a) else { return };
            let graph = &mut parameters.graph;
            let [half, whole] = [PI, 2.0 * PI].map(|angle| graph.number(Number::from_f64(angle)));
            let (angles, turn) = match function {
                Unary::Sin => {
                    let rising = graph.asin(level);
                    (vec![rising, graph.sub(half, rising)], whole)
                }
                Unary::Cos => {
                    let falling = graph.acos(level);
                    (vec![falling, graph.neg(falling)], whole)
                }
                _ => (vec![graph.atan(level)], half),
            };
            times.extend(angles.into_iter().map(|angle| instant(graph, angle, argument, turn)));
        }
        TermKind::Unary(Unary::Neg, a) => {
            let level = parameters.graph.neg(level);
            vibrations(parameters, a, level, times);
        }
        TermKind::Unary(Unary::Abs, a) => {
            for level in [level, parameters.graph.neg(level)] {
                vibrations(parameters, a, level, times);
            }
        }
        TermKind::Binary(Binary::Min | Binary::Max, a, b) => {
            [a, b].into_iter().for_each(|part| vibrations(parameters, part, level, times));
        }
        TermKind::Binary(function @ (Binary::Add | Binary::Sub | Binary::Mul | Binary::Div), a, b) => {
            let (part, other, is_first) = match (is_parametric(a), is_parametric(b)) {
                (false, true) => (a, b, true),
                (true, false) => (b, a, false),
                _ => return,
            };
            let other = lower_scalar(parameters, other);
            let graph = &mut parameters.graph;
            let level = match (function, is_first) {
                (Binary::Add, _) => graph.sub(level, other),
                (Binary::Sub, true) => graph.add(level, other),
                (Binary::Sub, false) => graph.sub(other, level),
                (Binary::Mul, _) => graph.div(level, other),
                (_, true) => graph.mul(level, other),
                (_, false) => graph.div(other, level),
            };
            vibrations(parameters, part, level, times);
        }
        _ => {}
    }
}

/// When an argument, linear in time, has this value, and after what time it has advanced by a turn.
fn instant(graph: &mut Graph, value: ExprId, [phase, rate]: [ExprId; 2], turn: ExprId) -> [ExprId; 2] {
    let advance = graph.sub(value, phase);
    let period = graph.div(turn, rate);
    [graph.div(advance, rate), graph.abs(period)]
}

/// The value at the time zero and the slope of a function that is linear in time.
fn line(parameters: &mut Parameters, term: &Term) -> Option<[ExprId; 2]> {
    let lines = lines(parameters, term)?;
    let &[[at_zero, slope]] = lines.as_slice() else { return None };
    (!parameters.graph.is_zero(slope)).then_some([at_zero, slope])
}

/// Everything on which the motion depends.
fn terms(system: &System) -> impl Iterator<Item = &Term> {
    let constraints = system.constraints.iter().map(|constraint| &constraint.residual);
    let contacts = system.contacts.iter().flat_map(|contact| match &contact.form {
        ContactForm::Written { gap, slip } => [Some(&**gap), slip.as_ref().map(|slip| &slip.value)],
        ContactForm::Kind { .. } => [None, None],
    });
    moving(system).chain(constraints).chain(contacts.flatten())
}

/// What forces and rates of states depend on.
fn moving(system: &System) -> impl Iterator<Item = &Term> {
    let forces = system.forces.iter().flat_map(|force| {
        let places = force.frames.iter().filter_map(|frame| frame.position.as_ref());
        places.chain(&force.fields)
    });
    let water = system.bodies.iter().filter_map(|body| body.added_mass.as_ref());
    let currents = water.flat_map(|water| {
        let low_frequency = match &water.convention {
            Convention::LowFrequency { velocity, yaw_rate } => [Some(&**velocity), Some(&**yaw_rate)],
            Convention::Relative | Convention::YawOnly | Convention::Blocked => [None, None],
        };
        water.current.iter().chain(low_frequency.into_iter().flatten())
    });
    let rates = system.states.iter().map(|state| &state.rate);
    forces.chain(currents).chain(rates)
}

/// Most lines of a function of time.
const LINES: usize = 16;

/// The lines of which a function of time is made that depends on parameters alone otherwise, as `abs(time - t1)` is of two:
/// of each the value at the time zero and the slope. `None` for what is not linear piece by piece.
fn lines(parameters: &mut Parameters, term: &Term) -> Option<Vec<[ExprId; 2]>> {
    if is_parametric(term) {
        return Some(vec![[lower_scalar(parameters, term), parameters.graph.zero()]]);
    }
    let negated = |parameters: &mut Parameters, lines: &[[ExprId; 2]]| -> Vec<_> {
        lines.iter().map(|line| line.map(|part| parameters.graph.neg(part))).collect()
    };
    let found = match &term.kind {
        TermKind::Time => vec![[parameters.graph.zero(), parameters.graph.one()]],
        TermKind::Unary(Unary::Neg, a) => {
            let lines = lines(parameters, a)?;
            negated(parameters, &lines)
        }
        TermKind::Unary(Unary::Abs, a) => {
            let mut lines = lines(parameters, a)?;
            lines.extend(negated(parameters, &lines));
            lines
        }
        TermKind::Binary(Binary::Min | Binary::Max, a, b) | TermKind::Select { then: a, otherwise: b, .. } => {
            [lines(parameters, a)?, lines(parameters, b)?].concat()
        }
        TermKind::Binary(function @ (Binary::Add | Binary::Sub), a, b) => {
            let (ones, others) = (lines(parameters, a)?, lines(parameters, b)?);
            let pairs = ones.iter().flat_map(|&one| others.iter().map(move |&other| [one, other]));
            pairs.map(|[one, other]| [0, 1].map(|i| parameters.graph.binary(*function, one[i], other[i]))).collect()
        }
        TermKind::Binary(function @ (Binary::Mul | Binary::Div), a, b) if is_parametric(b) => {
            let factor = lower_scalar(parameters, b);
            let lines = lines(parameters, a)?;
            lines.iter().map(|line| line.map(|part| parameters.graph.binary(*function, part, factor))).collect()
        }
        TermKind::Binary(Binary::Mul, a, b) if is_parametric(a) => {
            let factor = lower_scalar(parameters, a);
            let lines = lines(parameters, b)?;
            lines.iter().map(|line| line.map(|part| parameters.graph.mul(factor, part))).collect()
        }
        _ => return None,
    };
    (found.len() <= LINES).then_some(found)
}
