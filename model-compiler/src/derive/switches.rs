//! The instants at which functions of time change their course: those of conditions, and of functions with kinks, that
//! are linear in time piece by piece.

use super::lower::lower_scalar;
use super::parameters::{Parameters, is_parametric};
use super::terms::walk;
use crate::expr::{Binary, ExprId, Unary};
use crate::resolve::{ContactForm, Convention, System, Term, TermKind};

/// The times, s, at which a force, a rate, a constraint, a contact or a current takes another formula, each once, as
/// expressions of parameters. A time that is not finite is never reached.
pub(super) fn times(system: &System, parameters: &mut Parameters) -> Vec<ExprId> {
    let mut borders: Vec<(&Term, Option<&Term>)> = Vec::new();
    for term in terms(system) {
        walk(term, &mut |part| match &part.kind {
            TermKind::Select { lhs, rhs, .. } => borders.push((lhs, Some(rhs))),
            TermKind::Unary(Unary::Abs | Unary::Sign, a) => borders.push((a, None)),
            TermKind::Binary(Binary::Min | Binary::Max, a, b) => borders.push((a, Some(b))),
            _ => {}
        });
    }
    let mut times = Vec::new();
    for (one, other) in borders {
        let Some(ones) = lines(parameters, one) else { continue };
        let Some(others) = other.map_or(Some(vec![[parameters.graph.zero(); 2]]), |other| lines(parameters, other))
        else {
            continue;
        };
        for [one, other] in ones.iter().flat_map(|&one| others.iter().map(move |&other| [one, other])) {
            let graph = &mut parameters.graph;
            let [at_zero, slope] = [0, 1].map(|i| graph.sub(one[i], other[i]));
            if graph.is_zero(slope) {
                continue;
            }
            let negative = graph.neg(at_zero);
            let time = graph.div(negative, slope);
            if !times.contains(&time) {
                times.push(time);
            }
        }
    }
    times
}

/// Everything on which the motion depends.
fn terms(system: &System) -> impl Iterator<Item = &Term> {
    let forces = system.forces.iter().flat_map(|force| {
        let places = force.frames.iter().filter_map(|frame| frame.position.as_ref());
        places.chain(&force.fields)
    });
    let constraints = system.constraints.iter().map(|constraint| &constraint.residual);
    let contacts = system.contacts.iter().flat_map(|contact| match &contact.form {
        ContactForm::Written { gap, slip } => [Some(&**gap), slip.as_ref().map(|slip| &slip.value)],
        ContactForm::Kind { .. } => [None, None],
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
    forces.chain(constraints).chain(contacts.flatten()).chain(currents).chain(rates)
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
