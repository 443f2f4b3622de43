//! Planar slider-crank with the crank angle θ as its only coordinate: M, h and the derivatives of M α + h.
//!
//! The rod's angle enters through the root of l² − r² sin²θ.

use hamel_compiler::expr::Stage;

use super::super::{Formulas, Function};
use super::written;

pub(super) fn functions() -> Vec<Function> {
    vec![
        Function::new("slider-crank", |stage| Ok(slider_crank(false, stage))),
        Function::new("slider-crank +Jac", |stage| Ok(slider_crank(true, stage))),
    ]
}

fn slider_crank(has_jacobians: bool, stage: Stage) -> Formulas {
    written(|g| {
        let theta = g.symbol("theta", Stage::Position);
        let omega = g.symbol("omega", Stage::Velocity);
        let [r, l, j1, m2, a, j2, m3, mc1, gravity] =
            ["r", "l", "J1", "m2", "a", "J2", "m3", "mc1", "g"].map(|name| g.symbol(name, stage));
        let (sine, cosine) = (g.sin(theta), g.cos(theta));
        let (rs, rc) = (g.mul(r, sine), g.mul(r, cosine));
        let (ll, rs_squared) = (g.mul(l, l), g.mul(rs, rs));
        let radicand = g.sub(ll, rs_squared);
        let q = g.sqrt(radicand);
        let slider = g.add(rc, q);
        // The rod's centre of mass.
        let (fraction, one) = (g.div(a, l), g.one());
        let (fraction_q, rest) = (g.mul(fraction, q), g.sub(one, fraction));
        let (x, y) = (g.add(rc, fraction_q), g.mul(rest, rs));
        let slope = g.div(rc, q);
        let rod_rate = g.neg(slope);
        let rates = g.jacobian(&[slider, x, y], &[theta]).concat();
        let mut second = g.jacobian(&rates, &[theta]).concat();
        second.push(g.derivative(rod_rate, theta));
        let (mut mass, mut coriolis) = (j1, g.zero());
        for ((inertia, rate), second) in
            [m3, m2, m2, j2].into_iter().zip([rates[0], rates[1], rates[2], rod_rate]).zip(second)
        {
            let (square, product) = (g.mul(rate, rate), g.mul(rate, second));
            let term = g.mul(inertia, square);
            mass = g.add(mass, term);
            let term = g.mul(inertia, product);
            coriolis = g.add(coriolis, term);
        }
        let omega_squared = g.mul(omega, omega);
        let coriolis = g.mul(coriolis, omega_squared);
        let (crank, rod) = (g.mul(mc1, cosine), g.mul(m2, rates[2]));
        let moments = g.add(crank, rod);
        let weight = g.mul(gravity, moments);
        let bias = g.add(coriolis, weight);
        let mut values = vec![mass, bias];
        if has_jacobians {
            let alpha = g.symbol("alpha", Stage::Acceleration);
            let inertial = g.mul(mass, alpha);
            let torque = g.add(inertial, bias);
            values.extend(g.jacobian(&[torque], &[theta, omega]).concat());
        }
        values
    })
}
