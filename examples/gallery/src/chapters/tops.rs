//! Tops and other bodies that spin.

use std::f64::consts::TAU;

use super::entry;
use crate::entry::{Chapter, Setup};
use crate::finding::Finding;
use crate::motion::{Case, Failure};
use crate::reference::vector::{Vector, add, cross, dot};
use crate::reference::{Course, elliptic, largest, period, smallest};

pub(super) fn chapter() -> Chapter {
    Chapter {
        title: "Tops",
        about: "Bodies that spin, freely or on a table, and do what nobody expects of them.",
        entries: vec![
            entry!(tippe_top, "Tippe top", Setup::adaptive("radau_iia5", 1e-7, 7.0),
                plot "inclination", still at 4.6 from iso, without arrows),
            entry!(rattleback, "Rattleback", Setup::adaptive("radau_iia5", 1e-6, 10.0),
                plot "spin", still at 3.0 from iso),
            entry!(tennis_racket, "Tennis racket", Setup::adaptive("dormand_prince", 1e-9, 10.0),
                plot "omega", still at 1.15 from iso),
            entry!(gyrocompass, "Gyrocompass", Setup::adaptive("radau_iia5", 1e-9, 100.0),
                plot "heading", still at 10.0 from iso),
            entry!(rolling_coin, "Rolling coin", Setup::adaptive("radau_iia5", 1e-9, 6.0),
                plot "place", still at 2.0 from iso),
        ],
    }
}

/// Jellett's integral, and with it the spin upside down: λ = I₃ ω₃ R (cos θ − ε) while the axis stands still.
///
/// Measured: 9·10⁻¹⁰ of the integral; 2·10⁻⁴ rad/s, because the axis is still 0.5° off the vertical.
fn tippe_top(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (eccentricity, spin, tilt) = (0.3, 155.0, 0.1_f64);
    let jellett = case.motion.column("jellett")?;
    let apart = case.motion.deviation("jellett", |_| jellett[0])? / jellett[0];
    let expected = -spin * (tilt.cos() - eccentricity) / (1.0 + eccentricity);
    Ok(vec![
        Finding::between(
            "inclination at the end",
            "rad",
            case.motion.last("inclination")?,
            [3.12, std::f64::consts::PI],
        ),
        Finding::small("change of Jellett's integral, by its size", "", apart, 1e-8),
        Finding::near("spin at the end", "rad/s", case.motion.last("spin")?, expected, 1e-3),
    ])
}

/// Newton's and Euler's equations about the centre of mass, with the force of a rolling contact eliminated, by the
/// vertical and the angular velocity in the axes of the stone.
///
/// Measured: 7·10⁻⁵ rad/s while the stone turns back, 6·10⁻⁹ rad/s while it goes on, 5·10⁻⁸ J.
fn rattleback(case: &Case) -> Result<Vec<Finding>, Failure> {
    let until = 3.5;
    let apart = |spin: f64| -> Result<f64, Failure> {
        let motion = case.again(|setup| setup.with("spin", spin).until(until))?;
        let mut course = rolling_stone(spin);
        motion.deviation("spin", |t| {
            let x = course.at(t);
            dot([x[0], x[1], x[2]], [x[3], x[4], x[5]])
        })
    };
    let spin = case.motion.column("spin")?;
    let steady = case.again(|setup| setup.with("spin", 5.0))?.column("spin")?;
    Ok(vec![
        Finding::small("spin of 3.5 s against equations written by hand", "rad/s", apart(-5.0)?, 5e-4),
        Finding::small("the same, spun the other way", "rad/s", apart(5.0)?, 1e-7),
        Finding::between("greatest spin, after it was spun by −5", "rad/s", largest(&spin), [4.9, 5.0]),
        Finding::between("least spin in 10 s, after it was spun by 5", "rad/s", smallest(&steady), [4.0, 5.0]),
        Finding::small("energy gained or lost", "J", case.motion.energy_change()?, 5e-7),
    ])
}

fn rolling_stone(spin: f64) -> Course<impl Fn(f64, &[f64; 6]) -> [f64; 6], 6> {
    let (mass, axes, depth, g) = (1.0, [0.2_f64, 0.03, 0.02], 0.01, 9.81);
    let inertia = [[2e-4, -2e-5, 0.0], [-2e-5, 1.6e-3, 0.0], [0.0, 0.0, 1.7e-3]];
    let times = |matrix: &[Vector; 3], x: Vector| -> Vector { std::array::from_fn(|i| dot(matrix[i], x)) };
    let rate = move |_: f64, x: &[f64; 6]| {
        let (up, omega): (Vector, Vector) = ([x[0], x[1], x[2]], [x[3], x[4], x[5]]);
        let up_rate = cross(up, omega);
        let scaled = |n: Vector| -> Vector { std::array::from_fn(|i| axes[i] * axes[i] * n[i]) };
        let height = dot(up, scaled(up)).sqrt();
        let height_rate = dot(up, scaled(up_rate)) / height;
        // The contact, seen from the centre of mass, and the velocity of this in the axes of the stone.
        let arm = add([0.0, 0.0, depth], -1.0 / height, scaled(up));
        let arm_rate = add(add([0.0; 3], -1.0 / height, scaled(up_rate)), height_rate / (height * height), scaled(up));
        let velocity = cross(arm, omega);
        let known = add(add(cross(arm_rate, omega), 1.0, cross(omega, velocity)), g, up);
        let moment = add(cross(arm, add([0.0; 3], mass, known)), -1.0, cross(omega, times(&inertia, omega)));
        let matrix: [Vector; 3] = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let own = if i == j { mass * dot(arm, arm) } else { 0.0 };
                inertia[i][j] + own - mass * arm[i] * arm[j]
            })
        });
        // Cramer's rule.
        let [a, b, c]: [Vector; 3] = matrix;
        let determinant = dot(a, cross(b, c));
        let omega_rate =
            add(add(add([0.0; 3], moment[0], cross(b, c)), moment[1], cross(c, a)), moment[2], cross(a, b));
        let omega_rate = omega_rate.map(|value| value / determinant);
        [up_rate[0], up_rate[1], up_rate[2], omega_rate[0], omega_rate[1], omega_rate[2]]
    };
    let tilt = 0.5_f64.to_radians();
    Course::new([0.0, tilt.sin(), tilt.cos(), 0.0, 0.0, spin], 5e-4, rate)
}

/// The period of a free body's spin by elliptic integrals. (L. D. Landau and E. M. Lifshitz, Mechanics, § 37.)
///
/// Measured: 9·10⁻⁸ s and 9·10⁻¹⁰ J.
fn tennis_racket(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (a, b, c) = (1.3e-3_f64, 16.4e-3, 17.7e-3);
    let (disturbance, spin) = (0.01, 10.0);
    let energy = a * disturbance * disturbance + b * spin * spin;
    let momentum = (a * disturbance).powi(2) + (b * spin).powi(2);
    let (near, far) = (c * energy - momentum, momentum - a * energy);
    let k = ((c - b) * far / ((b - a) * near)).sqrt();
    let expected = 4.0 * elliptic(k) / ((b - a) * near / (a * b * c)).sqrt();
    let found = period(&case.motion.rises("omega_y", 0.0)?);
    Ok(vec![
        Finding::near("from one flip to the one after the next", "s", found, expected, 1e-6),
        Finding::small("energy gained or lost", "J", case.motion.energy_change()?, 1e-8),
    ])
}

/// H Ω cos φ sin ψ is the moment on a rotor that points away from the north by ψ: a pendulum.
///
/// Measured: 5·10⁻⁷ s and 1.4·10⁻⁷ rad.
fn gyrocompass(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (m, r, width) = (2.0, 0.06, 0.03);
    let momentum = m * r * r / 2.0 * 12000.0 * TAU / 60.0;
    let vertical = 1.5e-3 + m * (3.0 * r * r + width * width) / 12.0;
    let frequency = (momentum * TAU / 86164.0 * 48_f64.to_radians().cos() / vertical).sqrt();
    let expected = 4.0 * elliptic((15_f64).to_radians().sin()) / frequency;
    let heading = case.motion.column("heading")?;
    Ok(vec![
        Finding::near("period", "s", period(&case.motion.rises("heading", 0.0)?), expected, 1e-5),
        Finding::near("furthest to the east", "rad", smallest(&heading), -heading[0], 2e-6),
    ])
}

/// A steady motion stays, and its path is a circle with the radius |spin| r/Ω of the centre.
///
/// Measured: 3·10⁻¹² rad, 3·10⁻¹¹ m, 3·10⁻¹¹ s and 7·10⁻¹² J.
fn rolling_coin(case: &Case) -> Result<Vec<Finding>, Failure> {
    let (mass, radius, turning, g) = (0.1, 0.05, 3.0, 9.81);
    let inclination = 65_f64.to_radians();
    // The moment of the ground about the centre turns the angular momentum along with the disc.
    let (axial, transverse) = (mass * radius * radius / 2.0, mass * radius * radius / 4.0);
    let spin = (transverse * turning * turning * inclination.sin() - mass * g * radius) * inclination.cos()
        / ((axial + mass * radius * radius) * turning * inclination.sin());
    let expected = spin.abs() * radius / turning;
    let lean = case.motion.deviation("lean", |_| inclination)?;
    let places = case.motion.column("place_x")?.into_iter().zip(case.motion.column("place_y")?);
    let apart = places.map(|(x, y)| (x.hypot(y) - expected).abs()).fold(0.0, f64::max);
    let wobble = case.again(|setup| setup.with("disturbance", 0.5))?;
    Ok(vec![
        Finding::small("change of the inclination", "rad", lean, 1e-10),
        Finding::small("distance of the path from its circle", "m", apart, 1e-9),
        Finding::near("time for a turn", "s", period(&case.motion.rises("place_y", 0.0)?), TAU / turning, 1e-9),
        Finding::small("energy gained or lost by a coin that wobbles", "J", wobble.energy_change()?, 1e-10),
    ])
}
