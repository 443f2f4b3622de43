//! Momentum and angular momentum change by the forces of the bodies, and by nothing else.

use hamel_compiler::derive::{Block, FunctionRole, Role};
use hamel_compiler::schedule::interpret::Point;

use super::ball::Ball;
use super::case::bodies;
use super::findings::Findings;
use super::jet::Jet;
use super::subject::{Moment, Subject};

/// The law for a model in absolute coordinates with plain Euler parameters, if it puts both momenta out.
pub fn check(subject: &Subject, at: &Moment, findings: &mut Findings) {
    let layout = &subject.stages.simplified.layout;
    let first = |name: &str| layout.outputs.iter().position(|channel| channel.name.starts_with(name));
    let (Some(momentum), Some(spin)) = (first("momentum"), first("spin_of_all")) else { return };
    // Momenta of bodies in water are relative to the current, by a convention of their own.
    let has_angles = layout.coordinates.iter().any(|channel| channel.name.ends_with(".theta"));
    let is_absolute = layout.blocks.iter().all(|block| matches!(block, Block::Vector(_) | Block::EulerParameters));
    let is_absolute = is_absolute
        && layout.coordinates.iter().any(|channel| channel.name == format!("{}.x", bodies(&subject.text)[0]));
    if !is_absolute || has_angles || subject.text.contains("added_mass") {
        return;
    }
    let moving = Point { q: Jet::moving(&at.q, &at.v), v: Jet::moving(&at.v, &at.a), ..subject.jets(at) };
    let rates: Vec<Ball> =
        subject.output(FunctionRole::Outputs, Role::Outputs, &moving).iter().map(|jet| jet.slope(0)).collect();
    let free = Moment { lambda: vec![Ball::ZERO; at.lambda.len()], ..at.clone() };
    let point = subject.balls(&free);
    let r = subject.interpreter().residual(&point).0;
    let f = subject.output(FunctionRole::AppliedForce, Role::AppliedForce, &point);
    let forces: Vec<Ball> = r.iter().zip(&f).map(|(&r, &f)| r + f).collect();
    let is_planar = layout.coordinates.iter().all(|channel| !channel.name.ends_with(".e0"));
    let size = if is_planar { 3 } else { 7 };
    let (n, turns) = if is_planar { (2, 1) } else { (3, 3) };
    let (mut resultant, mut moment) = (vec![Ball::ZERO; n], vec![Ball::ZERO; turns]);
    for body in 0..bodies(&subject.text).len() {
        let (q, force) = (&at.q[size * body..], &forces[size * body..]);
        (0..n).for_each(|k| resultant[k] = resultant[k] + force[k]);
        let turned = if is_planar { about_z(q, force) } else { about_origin(q, force) };
        (0..turns).for_each(|k| moment[k] = moment[k] + turned[k]);
    }
    findings.same("momentum changes by forces", "the momentum", &rates[momentum..momentum + n], &resultant);
    findings.same("momentum changes by forces", "the angular momentum", &rates[spin..spin + turns], &moment);
}

fn about_z(q: &[Ball], force: &[Ball]) -> Vec<Ball> {
    vec![q[0] * force[1] - q[1] * force[0] + force[2]]
}

/// p × F, and of f = 2 M ∘ e the vector part of ½ f ∘ ē.
fn about_origin(q: &[Ball], force: &[Ball]) -> Vec<Ball> {
    let cross = |a: &[Ball], b: &[Ball], k: usize| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i] * b[j] - a[j] * b[i]
    };
    let (e, f) = (&q[3..7], &force[3..7]);
    let half = Ball::exact(0.5);
    (0..3)
        .map(|k| cross(q, force, k) + half * (f[k + 1] * e[0] - f[0] * e[k + 1] - cross(&f[1..], &e[1..], k)))
        .collect()
}
