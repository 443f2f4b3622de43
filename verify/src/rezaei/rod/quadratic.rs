//! The rate of the mass matrix and the quadratic velocities, as printed and as compiled. [rezaei, Eqs. 146–148, 150, 153]
//!
//! Eq. 149 and the last row of Eq. 152 are taken as corrected; their misprints are claimed in `misprints.rs`.

use hamel::Model;
use hamel::scheme::StepError;
use hamel_models::FlexibleSliderCrank;
use hamel_models::flexible_slider_crank::FlexibleSliderCrankParameters;
use hamel_report::{Cell, Claim, Column, Origin, Report, Table, at_most};
use nalgebra::{DMatrix, DVector, Matrix2xX};

use super::material::Shapes;
use super::{CRANK, FRAME, NODES, Posture, mass_matrix, mechanism, scaled};
use crate::convergence::largest;

const POSTURES: usize = 3;
/// Distance of the states of finite differences, s: their error and that of rounding are about the same.
const APART: f64 = 0.02;

/// Eqs. 146 and 150: the sum of both products of L̄ and its rate.
fn mass_rate(posture: &Posture) -> DMatrix<f64> {
    posture.sum(|particle| {
        let product = posture.motion_rate(particle).transpose() * posture.motion(particle);
        &product + product.transpose()
    })
}

/// A derivative from values at −3, −2, −1, 1, 2, 3 distances, whose error is of the sixth order.
fn central<T>(value: impl Fn(f64) -> T) -> T
where
    T: std::ops::Add<Output = T> + std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
{
    let odd = |k: f64| value(k * APART) - value(-k * APART);
    (odd(1.0) * 0.75 + odd(2.0) * -0.15 + odd(3.0) * (1.0 / 60.0)) * (1.0 / APART)
}

/// The state after a time at constant rates.
fn moved(posture: &Posture, time: f64) -> Posture {
    Posture { q: &posture.q + &posture.v * time, v: posture.v.clone() }
}

/// Eq. 152 with I₃ᵀ + S_ff q_f in its last row.
fn energy_gradient(posture: &Posture, shapes: &Shapes) -> DVector<f64> {
    let (axes, turned) = (posture.axes(), posture.turned());
    let (crank, crank_turned) = (posture.crank(), posture.crank_turned());
    let (bent, rate) = (posture.deformation(), posture.deformation_rate());
    let (first, second) = (posture.v[CRANK], posture.v[FRAME]);
    let moment = shapes.i1 + &shapes.s_bar * &bent;
    let flow = &shapes.s_bar * &rate;
    // Ċ_θ₁ with the sign that Eq. 149 lacks; it is normal to C_θ₁, so that the first term of the first row vanishes.
    let joint = crank_turned * first;
    let mut gradient = DVector::zeros(posture.q.len());
    gradient[CRANK] =
        joint.dot(&crank) * shapes.mass * first + joint.dot(&(turned * moment)) * second + joint.dot(&(axes * flow));
    gradient[FRAME] = -crank.dot(&(axes * moment)) * first * second + crank.dot(&(turned * flow)) * first;
    let nodes = (crank.transpose() * turned * &shapes.s_bar).transpose() * (first * second)
        + (shapes.i3.transpose() + &shapes.s_ff * &bent) * (second * second)
        + &shapes.s_tilde * &rate * second;
    gradient.rows_mut(NODES, bent.len()).copy_from(&nodes);
    gradient
}

pub(super) fn run() -> Result<Report, StepError> {
    let model = FlexibleSliderCrank::default();
    let particles = mechanism();
    let shapes = Shapes::of(&particles);
    let postures: Vec<Posture> = (0..POSTURES).map(Posture::new).collect();
    let most = |of: &dyn Fn(&Posture) -> f64| largest(postures.iter().map(of));
    // Rates beside the mass matrix that they change.
    let over = |posture: &Posture, found: &DMatrix<f64>, expected: &DMatrix<f64>| {
        scaled(&(found - expected), &mass_matrix(&model, posture.q.as_slice())).amax()
    };
    let motion_over = |found: &Matrix2xX<f64>, expected: &Matrix2xX<f64>| (found - expected).amax() / expected.amax();

    let rate_of_motion = most(&|posture| {
        largest(particles.iter().step_by(40).map(|particle| {
            motion_over(&posture.motion_rate(particle), &central(|time| moved(posture, time).motion(particle)))
        }))
    });
    let rate_of_mass = most(&|posture| {
        over(posture, &mass_rate(posture), &central(|time| mass_matrix(&model, moved(posture, time).q.as_slice())))
    });
    // Eq. 150 alone: the slider's part of Ṁ beside what a slider of another mass changes.
    let slider = most(&|posture| {
        let m3 = FlexibleSliderCrankParameters::default().m3;
        let heavier = FlexibleSliderCrank::new(FlexibleSliderCrankParameters { m3: 2.0 * m3, ..Default::default() });
        let part = |time: f64| {
            let q = moved(posture, time).q;
            mass_matrix(&heavier, q.as_slice()) - mass_matrix(&model, q.as_slice())
        };
        let tip = &particles[particles.len() - 1];
        let product = posture.motion_rate(tip).transpose() * posture.motion(tip) * m3;
        let n = posture.q.len();
        let mut printed = DMatrix::zeros(n, n);
        printed.view_mut((0, 0), (n - 1, n - 1)).copy_from(&(&product + product.transpose()));
        over(posture, &printed, &central(part))
    });
    let mut rows = Vec::new();
    let mut forces = 0.0_f64;
    for (k, posture) in postures.iter().enumerate() {
        let printed = energy_gradient(posture, &shapes) - mass_rate(posture) * &posture.v;
        let mut bias = DVector::zeros(posture.q.len());
        model.bias_force(posture.q.as_slice(), posture.v.as_slice(), bias.as_mut_slice());
        let mass = mass_matrix(&model, posture.q.as_slice());
        let scaled = (&printed + &bias).zip_map(&mass.diagonal(), |difference, mass| difference / mass.sqrt());
        let size = bias.zip_map(&mass.diagonal(), |force, mass| force / mass.sqrt()).amax();
        let difference = scaled.amax() / size;
        forces = largest([forces, difference]);
        rows.push(vec![
            Cell::number(k as f64, 1),
            Cell::number(printed[CRANK], 6),
            Cell::number(printed[FRAME], 6),
            Cell::number(bias.amax(), 6),
            Cell::number(difference, 2),
        ]);
    }
    let differences = Origin::Rounding("of finite differences, whose own error is of the sixth order");
    Ok(Report {
        claims: vec![
            Claim::new(
                "rate of L̄ by Eq. 148 beside finite differences of Eq. 147, largest difference over the largest entry",
                "1",
                at_most(5e-13, differences),
                rate_of_motion,
            ),
            Claim::new(
                "Ṁ by Eqs. 146, 150 beside finite differences of the compiled M, largest difference, scaled",
                "1",
                at_most(5e-13, differences),
                rate_of_mass,
            ),
            Claim::new(
                "Ṁ of the slider by Eq. 150 beside finite differences of what another slider adds to the compiled M, scaled",
                "1",
                at_most(5e-13, differences),
                slider,
            ),
            Claim::new(
                "Q_v by Eq. 153 beside the compiled one, largest difference over the largest entry, both scaled",
                "1",
                at_most(1e-14, Origin::Rounding("of sums over the 161 points of rod and slider")),
                forces,
            ),
        ],
        tables: vec![Table {
            slug: "quadratic_velocities".into(),
            title: "Quadratic velocities by Eq. 153 at three bent and moving states".into(),
            columns: vec![
                Column::new("state", "1"),
                Column::new("of the crank", "N m"),
                Column::new("of the rod's frame", "N m"),
                Column::new("largest entry", "N, N m"),
                Column::new("difference to the compiled one, scaled", "1"),
            ],
            rows,
        }],
        notes: vec![
            "C_θ₁θ₁ of Eq. 149 has the minus sign that it lacks, and the last row of Eq. 152 I₃ᵀ + S_ff q_f; both are judged \
             in `rezaei/misprints/flexible_rod`. Entries are scaled by the roots of the diagonal entries of M. Rows of Eq. 152 that are transposes are read so."
                .into(),
        ],
        ..Report::default()
    })
}
