//! A quarter of a car over a measured road: the spring and the damper that shake it least and weigh little.

use std::fmt::Write;

use hamel::gradient::{Differentiated, Instant, Slopes};
use hamel::schemes::RungeKutta;
use hamel::{Model, Signal};
use hamel_jit::Level;
use hamel_optimize::{Case, Design, Free, Optimization, Side};

/// Displacements from the position at rest.
const CAR: &str = "model QuarterCar {
    planar;
    coordinates joint;
    param stiffness = 30000 N/m;
    param damping = 1000 N s/m;
    input road m;
    let tyre = 180000 N/m;
    body wheel { mass: 40 kg, inertia: 1 kg m^2 }
    body car { mass: 320 kg, inertia: 1 kg m^2 }
    joint hub: prismatic(ground, wheel);
    joint strut: prismatic(wheel, car);
    force spring: -stiffness * strut.displacement - damping * strut.displacement.velocity on strut;
    force contact: [tyre * (road - hub.displacement), 0 N] on wheel;
    initial hub.displacement = 0 m;
    initial strut.displacement = 0 m;
    output shake = (stiffness * strut.displacement + damping * strut.displacement.velocity) / (320 kg);
    output load = tyre * (road - hub.displacement);
    output travel = strut.displacement;
    output weight = 1.5 kg + (2e-4 kg m/N) * stiffness + (2e-3 s) * damping;
    output sag = (1000 N) / stiffness;
}";

/// A road as a survey gives it: a height, m, every 0.1 m. A sum of waves whose amplitudes fall with their frequency as those
/// of roads do, with phases that look random.
fn survey() -> String {
    let mut seed = 2026_u64;
    let mut phase = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 * std::f64::consts::TAU
    };
    let waves: Vec<(f64, f64)> = (2..=200).map(|k| (0.0125 * f64::from(k), phase())).collect();
    let mut table = "x [m],height [m]\n".to_owned();
    for point in 0..=1600 {
        let x = 0.1 * f64::from(point);
        let height: f64 = waves.iter().map(|(n, phase)| 2e-4 / n * (std::f64::consts::TAU * n * x + phase).sin()).sum();
        let _ = writeln!(table, "{x:.1},{height:.5}");
    }
    table
}

/// The road under a wheel at a speed, m/s: pairs of time and height.
fn under_the_wheel(survey: &str, speed: f64) -> Result<Vec<(f64, f64)>, Box<dyn std::error::Error>> {
    let row = |line: &str| -> Result<(f64, f64), Box<dyn std::error::Error>> {
        let (x, height) = line.split_once(',').ok_or("expected two columns")?;
        Ok((x.parse::<f64>()? / speed, height.parse()?))
    };
    survey.lines().skip(1).map(row).collect()
}

/// What the mean squares of acceleration, m/s², changes of the tyre's load, N, and travel, m, cost.
const FACTORS: [f64; 3] = [1.0, 1e-6, 20000.0];
/// What a kilogram costs, and a metre by which a load sinks.
const PRICES: [f64; 2] = [0.05, 30.0];
/// Time of the end, s.
const UNTIL: f64 = 8.0;

/// What an instant adds to the cost.
fn cost(instant: &Instant, slopes: &mut Slopes) -> f64 {
    let share = instant.weight / UNTIL;
    let mut cost = 0.0;
    for (output, factor) in FACTORS.into_iter().enumerate() {
        let value = instant.outputs[output];
        slopes.outputs[output] = 2.0 * factor * share * value;
        cost += factor * share * value * value;
    }
    if instant.is_end {
        for (output, price) in (3..).zip(PRICES) {
            slopes.outputs[output] = price;
            cost += price * instant.outputs[output];
        }
    }
    cost
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut model = hamel_jit::model(hamel_jit::with_derivatives(CAR.parse()?), Level::AtOnce, None)?;
    let road = Signal::sampled(under_the_wheel(&survey(), 20.0)?).ok_or("the road is no table")?;
    model.set_input("road", road.clone()).map_err(|_| "no road")?;
    let family = |design: &Design| {
        let mut other = model.another();
        other.set_input("road", road.clone()).map_err(|_| "no road")?;
        other.set(&design.parameters).map_err(|error| error.to_string())?;
        Ok(Box::new(other) as Box<dyn Model>)
    };
    let search = |most_damping: f64| {
        let case = Case::new(&family, &RungeKutta, &cost).step(5e-3).until(UNTIL);
        let stiffness = Free::parameter("stiffness", 30e3).within(10e3, 60e3);
        let damping = Free::parameter("damping", 1000.0).within(100.0, most_damping);
        Optimization::new(vec![case], vec![stiffness, damping])?.run()
    };
    let found = search(5000.0)?;
    println!("{}, {} iterations, {} evaluations", found.ended, found.iterations, found.evaluations);
    for variable in &found.variables {
        println!("{}: {:.6} {}", variable.name, variable.value, variable.unit);
    }
    println!("cost {:.6}, at the start {:.6}", found.objective, found.objective_at_start);
    assert!(found.is_converged());

    // The cost of other designs, by motions without slopes.
    let cost_of = |stiffness: f64, damping: f64| -> Result<f64, Box<dyn std::error::Error>> {
        let parameters = vec![("stiffness".to_owned(), stiffness), ("damping".to_owned(), damping)];
        let model = family(&Design { parameters, ..Design::default() })?;
        let (mut rows, mut outputs) = (Vec::new(), vec![0.0; 5]);
        Differentiated::new(&*model, &RungeKutta).step(5e-3).until(UNTIL).states(&mut |state| {
            model.outputs(state, &mut outputs);
            rows.push((state.t, outputs.clone()));
        })?;
        let square = |row: &[f64]| FACTORS.iter().zip(row).map(|(factor, value)| factor * value * value).sum::<f64>();
        let areas =
            rows.windows(2).map(|pair| 0.5 * (pair[1].0 - pair[0].0) * (square(&pair[0].1) + square(&pair[1].1)));
        Ok(areas.sum::<f64>() / UNTIL + PRICES[0] * outputs[3] + PRICES[1] * outputs[4])
    };
    let best = [found.variables[0].value, found.variables[1].value];
    let least = cost_of(best[0], best[1])?;
    assert!((least / found.objective - 1.0).abs() < 1e-12);
    // No design of a grid over all bounds costs less.
    for row in 0..=10 {
        for column in 0..=14 {
            let (stiffness, damping) = (10e3 + 5e3 * f64::from(row), 100.0 + 350.0 * f64::from(column));
            assert!(cost_of(stiffness, damping)? > least, "{stiffness} N/m, {damping} N s/m");
        }
    }
    // Parabolas through neighbours along both parameters have their lowest points where the search ended.
    for place in 0..2 {
        let moved = |part: f64| {
            let mut other = best;
            other[place] *= 1.0 + part;
            cost_of(other[0], other[1])
        };
        let (below, above) = (moved(-1e-3)?, moved(1e-3)?);
        let lowest = 0.5e-3 * (below - above) / (below - 2.0 * least + above);
        println!("{}: the lowest point of a parabola is beside it by {lowest:.1e} of it", found.variables[place].name);
        assert!(lowest.abs() < 1e-4);
    }

    // A damper that cannot damp as much is used up to its bound, and the cost is larger.
    let bound = 0.8 * best[1];
    let limited = search(bound)?;
    assert!(limited.is_converged() && limited.variables[1].bound == Some(Side::Upper));
    assert!(limited.objective > found.objective);
    Ok(())
}
