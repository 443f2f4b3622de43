//! The instants at which functions of time change their course: those of conditions, and of functions with kinks, that
//! are linear in time.

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
        let Some(mut line) = linear(parameters, one) else { continue };
        if let Some(other) = other {
            let Some(other) = linear(parameters, other) else { continue };
            line = [0, 1].map(|i| parameters.graph.sub(line[i], other[i]));
        }
        let [at_zero, slope] = line;
        if parameters.graph.as_number(slope).is_some_and(|slope| slope.is_zero()) {
            continue;
        }
        let graph = &mut parameters.graph;
        let negative = graph.neg(at_zero);
        let time = graph.div(negative, slope);
        if !times.contains(&time) {
            times.push(time);
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

/// The value at the time zero and the slope of what is linear in time and depends on parameters alone otherwise.
fn linear(parameters: &mut Parameters, term: &Term) -> Option<[ExprId; 2]> {
    if is_parametric(term) {
        return Some([lower_scalar(parameters, term), parameters.graph.zero()]);
    }
    Some(match &term.kind {
        TermKind::Time => [parameters.graph.zero(), parameters.graph.one()],
        TermKind::Unary(Unary::Neg, a) => linear(parameters, a)?.map(|part| parameters.graph.neg(part)),
        TermKind::Binary(function @ (Binary::Add | Binary::Sub), a, b) => {
            let (a, b) = (linear(parameters, a)?, linear(parameters, b)?);
            [0, 1].map(|i| parameters.graph.binary(*function, a[i], b[i]))
        }
        TermKind::Binary(Binary::Mul, a, b) if is_parametric(a) => {
            let factor = lower_scalar(parameters, a);
            linear(parameters, b)?.map(|part| parameters.graph.mul(factor, part))
        }
        TermKind::Binary(function @ (Binary::Mul | Binary::Div), a, b) if is_parametric(b) => {
            let factor = lower_scalar(parameters, b);
            linear(parameters, a)?.map(|part| parameters.graph.binary(*function, part, factor))
        }
        _ => return None,
    })
}
