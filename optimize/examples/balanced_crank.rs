//! A slider-crank at constant speed whose counterweight relieves the bearing of the crank.

use hamel::gradient::{Instant, Slopes};
use hamel::schemes::RungeKutta;
use hamel::{Model, ModelInfo};
use hamel_jit::Level;
use hamel_optimize::{Case, Design, Free, Optimization, Side};

/// The rod is as two masses at its ends: 0.6 kg at the pin of the crank and 0.3 kg at that of the slider.
const CRANK: &str = "model Crank {
    planar;
    coordinates absolute;
    param counterweight = 0.2 kg;
    param offset = 0.03 m;
    let radius = 0.05 m;
    let length = 0.2 m;
    body crank {
        mass: 2 kg + counterweight,
        inertia: 0.01 kg m^2 + counterweight * offset^2,
        center_of_mass: [-counterweight * offset / (2 kg + counterweight), 0 m]
    }
    body rod { mass: 0.9 kg, inertia: 0.2 kg * length^2, center_of_mass: [length / 3, 0 m] }
    body slider { mass: 0.7 kg, inertia: 0.001 kg m^2 }
    joint shaft: revolute(ground, crank);
    joint pin: revolute(crank at [radius, 0 m], rod);
    joint wrist: revolute(rod at [length, 0 m], slider);
    joint guide: prismatic(ground, slider);
    drive spin: crank.angle == 100 rad/s * time;
    output weight = counterweight;
}";

const RADIUS: f64 = 0.05;
const LENGTH: f64 = 0.2;
const SPEED: f64 = 100.0;
/// Masses that turn with the pin, and that go to and fro, kg.
const TURNING: f64 = 0.6;
const SLIDING: f64 = 1.0;
/// What a kilogram of counterweight costs, N².
const PRICE: f64 = 2000.0;
/// How far out it may be, m.
const FARTHEST: f64 = 0.08;

/// The force of the crank on its bearing without a counterweight, N, in closed form.
fn force(angle: f64) -> [f64; 2] {
    // The rod leans by φ; the slider is at r cos θ + l cos φ.
    let sine = RADIUS / LENGTH * angle.sin();
    let cosine = (1.0 - sine * sine).sqrt();
    let rate = RADIUS / LENGTH * SPEED * angle.cos() / cosine;
    let rate_of_rate = (rate * rate * sine - RADIUS / LENGTH * SPEED * SPEED * angle.sin()) / cosine;
    let acceleration = -RADIUS * SPEED * SPEED * angle.cos() - LENGTH * (rate_of_rate * sine + rate * rate * cosine);
    let turning = TURNING * RADIUS * SPEED * SPEED;
    let sliding = SLIDING * acceleration;
    [turning * angle.cos() - sliding, turning * angle.sin() + sliding * sine / cosine]
}

fn mean(of: impl Fn(f64) -> f64) -> f64 {
    const COUNT: u32 = 1000;
    (0..COUNT).map(|k| of(std::f64::consts::TAU * f64::from(k) / f64::from(COUNT))).sum::<f64>() / f64::from(COUNT)
}

/// The two multipliers of the bearing.
fn bearing(info: &ModelInfo) -> Vec<usize> {
    let constraints = info.constraints.iter().enumerate();
    constraints.filter(|(_, constraint)| constraint.name.starts_with("shaft")).map(|(place, _)| place).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = hamel_jit::model(hamel_jit::with_derivatives(CRANK.parse()?), Level::AtOnce, None)?;
    let family = |design: &Design| {
        let mut other = model.another();
        other.set(&design.parameters).map_err(|error| error.to_string())?;
        Ok(Box::new(other) as Box<dyn Model>)
    };
    let bearing = bearing(model.describe());
    assert_eq!(bearing.len(), 2, "{:?}", model.describe().constraints);
    let turn = std::f64::consts::TAU / SPEED;
    // The mean square of the bearing's force over a turn, and the price of the counterweight.
    let cost = |instant: &Instant, slopes: &mut Slopes| {
        let mut cost = 0.0;
        for &place in &bearing {
            let force = instant.state.lambda[place];
            slopes.multipliers[place] = 2.0 * instant.weight / turn * force;
            cost += instant.weight / turn * force * force;
        }
        if instant.is_end {
            slopes.outputs[0] = PRICE;
            cost += PRICE * instant.outputs[0];
        }
        cost
    };
    let case = Case::new(&family, &RungeKutta, &cost).step(turn / 200.0).until(turn);
    let counterweight = Free::parameter("counterweight", 0.2).within(0.01, 5.0);
    let offset = Free::parameter("offset", 0.03).within(0.01, FARTHEST);
    let found = Optimization::new(vec![case], vec![counterweight, offset])?.run()?;
    println!("{}, {} iterations, {} evaluations", found.ended, found.iterations, found.evaluations);
    for variable in &found.variables {
        println!("{}: {:.6} {}", variable.name, variable.value, variable.unit);
    }
    assert!(found.is_converged());
    // A lighter counterweight farther out does the same.
    assert_eq!(found.variables[1].bound, Some(Side::Upper));

    // With the product B of mass and offset the force is F₀ − B ω² e, e along the crank: the mean square is least for
    // B = ⟨F₀ · e⟩ / ω², or less for its price.
    let along = |angle: f64| force(angle)[0] * angle.cos() + force(angle)[1] * angle.sin();
    let least = mean(along) / SPEED.powi(2);
    let exact = least - PRICE / (2.0 * SPEED.powi(4) * FARTHEST);
    let product = found.variables[0].value * found.variables[1].value;
    println!("product {product:.8} kg m, exact {exact:.8} kg m");
    assert!((product / exact - 1.0).abs() < 1e-6);
    let square = |angle: f64| {
        let [x, y] = force(angle);
        (x - exact * SPEED.powi(2) * angle.cos()).powi(2) + (y - exact * SPEED.powi(2) * angle.sin()).powi(2)
    };
    let exact_cost = mean(square) + PRICE * exact / FARTHEST;
    println!("cost {:.6} N², exact {exact_cost:.6} N²", found.objective);
    assert!((found.objective / exact_cost - 1.0).abs() < 1e-6);
    // The rule of thumb: what turns, and half of what goes to and fro; exact for a long rod.
    let rule = (TURNING + 0.5 * SLIDING) * RADIUS;
    println!("product of the rule {rule:.6} kg m, without a price {least:.6} kg m");
    assert!((least / rule - 1.0).abs() < (RADIUS / LENGTH).powi(2));
    Ok(())
}
