//! Slopes at the ends of motions, against differences of what such motions lead to.

use hamel::gradient::{Changes, Differentiated, Direction, GradientError};
use hamel::{ConstraintLevel, Model, Options, Scheme, State, schemes};
use hamel_jit::JitModel;

use super::differences::differences;
use super::differentiable::options;

/// Times that differ by less are one, s.
const AT_ONCE: f64 = 1e-8;

/// A motion with equal steps.
pub fn motion<'m>(
    model: &'m dyn Model,
    scheme: &'m dyn Scheme,
    options: &Options,
    step: f64,
    until: f64,
) -> Differentiated<'m> {
    Differentiated::new(model, scheme).options(*options).step(step).until(until)
}

/// All parameters.
pub fn directions(model: &dyn Model) -> Vec<Direction> {
    (0..model.describe().differentiated.len()).map(Direction::Parameter).collect()
}

/// Velocities and outputs at the end, and the number of impacts and borders on the way, which have two states of one time.
pub fn end(motion: &Differentiated, model: &dyn Model) -> (Vec<f64>, usize) {
    let (mut last, mut passed): (Option<State>, usize) = (None, 0);
    motion
        .states(&mut |state| {
            passed += usize::from(last.as_ref().is_some_and(|last| state.t - last.t < AT_ONCE));
            last = Some(state.clone());
        })
        .unwrap();
    let state = last.unwrap();
    let mut outputs = vec![0.0; model.describe().outputs.len()];
    model.outputs(&state, &mut outputs);
    ([state.v.as_slice(), &outputs].concat(), passed)
}

/// Slopes of velocities and outputs at the end, by parameter.
pub fn slopes_at_end(motion: &Differentiated, model: &dyn Model) -> Result<Vec<Vec<f64>>, GradientError> {
    let directions = directions(model);
    let mut last: Option<Changes> = None;
    motion.sensitivities(&directions, &mut |_, changes| last = Some(changes.clone()))?;
    let changes = last.unwrap();
    let column = |k: usize| [&changes.velocity, &changes.outputs].map(|of| of.column(k).as_slice().to_vec()).concat();
    Ok((0..directions.len()).map(column).collect())
}

/// Slopes at the end by differences of runs with this scheme over a part of each parameter.
pub fn differenced(model: &JitModel, run: &dyn Fn(&JitModel) -> Vec<f64>, part: f64) -> Vec<Vec<f64>> {
    let info = model.describe();
    let by = |place: &usize| {
        let (name, value) = (&info.parameters[*place].name, model.parameters()[*place]);
        let of = |change: f64| {
            let mut other = model.another();
            other.set(&[(name, value + change)]).unwrap();
            run(&other)
        };
        differences(&of, part * value.abs().max(0.1))
    };
    info.differentiated.iter().map(by).collect()
}

/// The largest deviation, relative to the largest slope of each parameter.
pub fn deviation(found: &[Vec<f64>], exact: &[Vec<f64>]) -> f64 {
    let mut worst = 0.0_f64;
    for (found, exact) in found.iter().zip(exact) {
        let size = exact.iter().fold(1e-2_f64, |size, x| size.max(x.abs()));
        worst = found.iter().zip(exact).map(|(a, b)| (a - b).abs() / size).fold(worst, f64::max);
    }
    worst
}

/// Slopes at this time, behind at least so many impacts or borders, against differences over changes that move these through
/// many steps: by a scheme of high order and, more widely, by others.
pub fn agrees_with_differences(name: &str, model: &JitModel, until: f64, least: usize) {
    let options = Options { constraint_level: Some(ConstraintLevel::Velocity), ..options() };
    let slopes = |scheme: &dyn Scheme, step: f64| {
        let found = slopes_at_end(&motion(model, scheme, &options, step, until), model);
        found.unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let (scheme, step) = (schemes::by_name("radau_iia5", &[]).unwrap(), 3.7e-3);
    let at_end = |model: &JitModel| end(&motion(model, &*scheme, &options, step, until), model);
    let passed = at_end(model).1;
    assert!(passed >= least, "{name}: {passed} instants");
    let exact = differenced(model, &|model| at_end(model).0, 1e-4);
    let missed = deviation(&slopes(&*scheme, step), &exact);
    assert!(missed < 1e-7, "{name}: {missed}");
    for (scheme, step, bound) in [("generalized_alpha", 1e-3, 1e-3), ("bathe", 1e-3, 1e-3), ("hht", 5e-4, 1e-2)] {
        let scheme = schemes::by_name(scheme, &[]).unwrap();
        let missed = deviation(&slopes(&*scheme, step), &exact);
        assert!(missed < bound, "{name}, {}: {missed}", scheme.name());
    }
}
