//! A cart swings a double pendulum up, with the least effort.
//!
//! The motion is shot in parts: it is unstable, and its end answers to the first samples by a factor of millions. Each part is
//! a case, the states between them are parameters, and conditions join them. For the same reason it is checked part by part;
//! a real cart needs a controller beside these forces.

use hamel::gradient::{Instant, Slopes};
use hamel::schemes::{RungeKutta, by_name};
use hamel::{Model, initial_state};
use hamel_jit::{JitModel, Level};
use hamel_optimize::{Case, Condition, Design, Free, Optimization, OptimizeError, Optimum};

/// Name, coordinate or velocity, unit, scale and bound of its size on the way, and what it is at the end.
const STATES: [(&str, &str, &str, [f64; 2], f64); 6] = [
    ("place", "rail.displacement", "m", [1.0, 1.0], 0.0),
    ("first", "hinge.angle", "rad", [1.0, 4.0], std::f64::consts::PI),
    ("second", "elbow.angle", "rad", [1.0, 4.0], 0.0),
    ("speed", "rail.displacement.velocity", "m/s", [5.0, 5.0], 0.0),
    ("first_rate", "hinge.angle.velocity", "rad/s", [5.0, 15.0], 0.0),
    ("second_rate", "elbow.angle.velocity", "rad/s", [5.0, 15.0], 0.0),
];
const PARTS: usize = 6;
const SAMPLES: usize = 6;
/// Length of a part, s.
const LENGTH: f64 = 2.0 / PARTS as f64;
/// Steps of a part by which the motion is checked.
const STEPS: u32 = 480;
/// The motor's force, N.
const MOST: f64 = 25.0;
/// How much a part may miss the next, or the end, with another scheme, in m, rad, m/s and rad/s.
const MISSED: f64 = 2e-4;

/// The state at the beginning or end of a part, as it stands in a model.
fn node(part: usize, (name, _, unit, _, end): (&str, &str, &str, [f64; 2], f64)) -> String {
    match part {
        0 => format!("0 {unit}"),
        PARTS => format!("{end:?} {unit}"),
        _ => format!("{name}_{part}"),
    }
}

/// The model of a part: it begins with the state at its beginning, and its outputs are what it misses of that at its end.
fn text(part: usize) -> String {
    let mut own = String::new();
    for state in STATES {
        let (name, path, unit, ..) = state;
        let inner = [part, part + 1].into_iter().filter(|node| (1..PARTS).contains(node));
        own.extend(inner.map(|node| format!("param {name}_{node} = 0 {unit};\n")));
        own +=
            &format!("initial {path} = {};\noutput {name} = {path} - {};\n", node(part, state), node(part + 1, state));
    }
    format!(
        "model Cart {{
            planar;
            coordinates joint;
            gravity [0, -9.81] m/s^2;
            input force{part} N;
            body cart {{ mass: 1 kg, inertia: 1 kg m^2 }}
            body lower {{ mass: 0.2 kg, inertia: 0.0015 kg m^2 }}
            body upper {{ mass: 0.2 kg, inertia: 0.0015 kg m^2 }}
            joint rail: prismatic(ground, cart);
            joint hinge: revolute(cart, lower at [0, 0.15] m);
            joint elbow: revolute(lower at [0, -0.15] m, upper at [0, 0.15] m);
            force push: [force{part}, 0 N] on cart;
            torque lower_friction: -(0.02 N m s) * hinge.angle.velocity on hinge;
            torque upper_friction: -(0.02 N m s) * elbow.angle.velocity on elbow;
            {own}
            output effort = force{part};
        }}"
    )
}

fn compiled(text: &str) -> Result<JitModel, Box<dyn std::error::Error>> {
    Ok(hamel_jit::model(hamel_jit::with_derivatives(text.parse()?), Level::AtOnce, None)?)
}

/// The model of a part with what it has of a design.
fn family(model: &JitModel) -> impl Fn(&Design) -> Result<Box<dyn Model>, String> {
    |design| {
        let mut other = model.another();
        let own = design.parameters.iter().filter(|(name, _)| model.parameter(name).is_some());
        other.set(&own.cloned().collect::<Vec<_>>()).map_err(|error| error.to_string())?;
        // Other parts have the other inputs.
        design.signals().for_each(|(input, signal)| _ = other.set_input(input, signal));
        Ok(Box::new(other))
    }
}

/// The design with the least integral of the square of the force.
fn found(models: &[JitModel], step: f64) -> Result<Optimum, OptimizeError> {
    let families: Vec<_> = models.iter().map(family).collect();
    let effort = |instant: &Instant, slopes: &mut Slopes| {
        let force = instant.outputs[STATES.len()];
        slopes.outputs[STATES.len()] = 2.0 * instant.weight * force;
        instant.weight * force * force
    };
    let case = |family| {
        let case = Case::new(family, &RungeKutta, &effort).step(step).until(LENGTH);
        STATES.iter().fold(case, |case, (name, ..)| case.subject_to(Condition::at_end(*name)))
    };
    let times: Vec<f64> = (0..=SAMPLES).map(|k| LENGTH * k as f64 / SAMPLES as f64).collect();
    let force = |part| Free::samples(format!("force{part}"), times.clone(), vec![0.0; times.len()]);
    let forces = (0..PARTS).map(|part| force(part).within(-MOST, MOST).scale(MOST));
    // The pendulum rises steadily, as a first guess.
    let nodes = (1..PARTS).flat_map(|part| {
        let guess = |end: f64| end * part as f64 / PARTS as f64;
        STATES.map(|(name, _, _, [scale, bound], end)| {
            Free::parameter(format!("{name}_{part}"), guess(end)).within(-bound, bound).scale(scale)
        })
    });
    let cases = families.iter().map(|family| case(family)).collect();
    Optimization::new(cases, forces.chain(nodes).collect())?.unit(100.0).tolerance(1e-5).run()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let models = (0..PARTS).map(|part| compiled(&text(part))).collect::<Result<Vec<_>, _>>()?;
    let found = [5e-3, 1e-2].map(|step| found(&models, step));
    let [found, in_long_steps] = found;
    let (found, in_long_steps) = (found?, in_long_steps?);
    println!("{}, {} iterations, {} evaluations", found.ended, found.iterations, found.evaluations);
    println!(
        "effort {:.3} N² s, gradient {:.1e}, violation {:.1e}",
        found.objective, found.projected_gradient, found.violation
    );
    for samples in &found.design.inputs {
        println!("{}: {:.2?} N", samples.input, samples.values);
    }
    assert!(found.is_converged() && in_long_steps.is_converged());
    assert!(found.samples("force0").is_some_and(|values| values.iter().all(|value| value.abs() <= MOST)));
    // Steps that are twice as long lead to the same optimum, up to what they miss.
    println!("effort {:.3} N² s with steps that are twice as long", in_long_steps.objective);
    assert!((in_long_steps.objective / found.objective - 1.0).abs() < 2e-3);

    // With another scheme and other steps each part ends where the next begins, and the last upright and at rest.
    let scheme = by_name("dormand_prince", &[])?;
    let mut most = 0.0_f64;
    for model in &models {
        let part = family(model)(&found.design)?;
        let mut stepper = scheme.start(&*part, initial_state(&*part)?)?;
        for _ in 0..STEPS {
            stepper.step(LENGTH / f64::from(STEPS))?;
        }
        let mut outputs = vec![0.0; STATES.len() + 1];
        part.outputs(stepper.state(), &mut outputs);
        most = outputs[..STATES.len()].iter().fold(most, |most, missed| most.max(missed.abs()));
    }
    println!("parts miss each other, and the end, by {most:.1e} at most");
    assert!(most < MISSED);
    Ok(())
}
