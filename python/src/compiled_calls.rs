//! Functions that programs compiled by JAX call, through XLA's foreign function interface.
//!
//! A call names its model by a number. Models that JAX has been given are kept until the process ends, because nobody
//! says when the last compiled program that calls them is gone: a number never means another model, or none.

use std::sync::RwLock;

use hamel::Model as _;
use hamel_jit::{Instant, JitModel};
use hamel_xla::{Array, Call, Function, Values};
use pyo3::prelude::*;

use crate::batch::Places;
use crate::inputs;

static KEPT: RwLock<Vec<&'static JitModel>> = RwLock::new(Vec::new());

/// Keeps a model that reads what [`inputs::set`] sets, and returns its number.
pub(crate) fn keep(model: JitModel) -> usize {
    let mut kept = KEPT.write().unwrap_or_else(|poisoned| poisoned.into_inner());
    kept.push(Box::leak(Box::new(model)));
    kept.len() - 1
}

fn kept(number: i64) -> Option<&'static JitModel> {
    let kept = KEPT.read().unwrap_or_else(|poisoned| poisoned.into_inner());
    usize::try_from(number).ok().and_then(|number| kept.get(number).copied())
}

/// Where XLA finds the function that evaluates models, for `jax.ffi.pycapsule`.
#[pyfunction]
pub(crate) fn _address_for_xla() -> usize {
    hamel_xla::address::<Evaluation>()
}

/// Evaluates the function of a model whose place among its provided ones is `function`; arguments are what it is given,
/// then the inputs if it is given the time. Axes before those of one state are the batch; where an argument has one
/// state, it is that of all.
struct Evaluation;

impl Function for Evaluation {
    fn call(call: Call) -> Result<(), String> {
        let number = |name: &str| call.integer(name).ok_or_else(|| format!("hamel: the attribute `{name}` is missing"));
        let (number, place) = (number("model")?, number("function")?);
        let model = kept(number).ok_or_else(|| format!("hamel: no model of this process has the number {number}"))?;
        let place = usize::try_from(place).ok().filter(|&place| place < model.provided().len());
        let name = &model.describe().name;
        let place = place.ok_or_else(|| format!("hamel: `{name}` has no such function"))?;
        let known = &model.provided()[place];
        evaluate(model, place, call).map_err(|error| format!("`{}` of `{name}`: {error}", known.name))
    }
}

/// An argument of one state after the other, in double precision.
struct Given<'a> {
    values: Values<&'a [f64], &'a [f32]>,
    places: Places,
    /// Values of one state that were converted.
    converted: Vec<f64>,
}

impl Given<'_> {
    /// Takes the values of a state.
    fn advance(&mut self, state: usize) {
        if let Values::Single(values) = self.values {
            self.converted.clear();
            self.converted.extend(self.places.of(state, values).iter().map(|&value| f64::from(value)));
        }
    }

    fn of(&self, state: usize) -> &[f64] {
        match self.values {
            Values::Double(values) => self.places.of(state, values),
            Values::Single(_) => &self.converted,
        }
    }
}

/// A result of one state after the other.
struct Found<'a> {
    values: Values<&'a mut [f64], &'a mut [f32]>,
    len: usize,
    /// The values of a state before they are converted.
    converted: Vec<f64>,
}

impl Found<'_> {
    fn of(&mut self, state: usize) -> &mut [f64] {
        match &mut self.values {
            Values::Double(values) => &mut values[state * self.len..][..self.len],
            Values::Single(_) => &mut self.converted,
        }
    }

    /// Keeps the values of a state.
    fn keep(&mut self, state: usize) {
        if let Values::Single(values) = &mut self.values {
            let rounded = values[state * self.len..].iter_mut().zip(&self.converted);
            rounded.for_each(|(rounded, &value)| *rounded = value as f32);
        }
    }
}

fn evaluate(model: &JitModel, place: usize, call: Call) -> Result<(), String> {
    let known = &model.provided()[place];
    let Call { arguments, results, .. } = call;
    let batch = results
        .first()
        .zip(known.results.first())
        .and_then(|(result, (_, own))| result.axes.strip_suffix(own.as_slice()).map(<[usize]>::to_vec));
    let batch = batch.ok_or("the first result has another shape")?;
    if results.len() != known.results.len() {
        return Err(format!("expected {} results, found {}", known.results.len(), results.len()));
    }
    let found = results.into_iter().zip(&known.results).map(|(Array { axes, values }, (name, own))| {
        let expected = [batch.as_slice(), own].concat();
        let len = own.iter().product();
        match axes == expected {
            true => Ok(Found { values, len, converted: vec![0.0; len] }),
            false => Err(format!("`{name}`: expected shape {expected:?}, found {axes:?}")),
        }
    });
    let mut found: Vec<Found> = found.collect::<Result<_, String>>()?;

    let names = known.given.iter().map(String::as_str);
    let has_time = known.given.iter().any(|name| name == "t");
    let names: Vec<&str> = names.chain(has_time.then_some("inputs")).collect();
    if names.len() != arguments.len() {
        return Err(format!("expected {} arguments, found {}", names.len(), arguments.len()));
    }
    let dims = model.dims();
    let n_inputs = model.describe().inputs.len();
    let given = names.iter().zip(arguments).map(|(&name, Array { axes, values })| {
        let own: &[usize] = match name {
            "t" => &[],
            "q" => &[dims.nq],
            "inputs" => &[n_inputs],
            _ => &[dims.nv],
        };
        let fits = |known: &[usize]| known.iter().zip(&batch).all(|(&axis, &all)| axis == all || axis == 1);
        match axes.strip_suffix(own) {
            Some(known) if known.len() == batch.len() && fits(known) => {
                let places = Places::new(&batch, known, own.first().copied().unwrap_or(1));
                Ok(Given { values, places, converted: Vec::new() })
            }
            _ => Err(format!("`{name}`: expected shape {:?}, found {axes:?}", [batch.as_slice(), own].concat())),
        }
    });
    let given: Vec<Given> = given.collect::<Result<_, String>>()?;
    let states = batch.iter().product();
    let given = (names.as_slice(), given);
    match found.as_mut_slice() {
        [one] => each(model, place, states, given, [one]),
        [one, two] => each(model, place, states, given, [one, two]),
        [one, two, three] => each(model, place, states, given, [one, two, three]),
        [one, two, three, four] => each(model, place, states, given, [one, two, three, four]),
        _ => unreachable!("no function has more results"),
    }
    Ok(())
}

/// Evaluates the function at each state.
fn each<const N: usize>(
    model: &JitModel,
    place: usize,
    states: usize,
    (names, mut given): (&[&str], Vec<Given>),
    mut found: [&mut Found; N],
) {
    let at = |name: &str| names.iter().position(|known| *known == name);
    let [t, q, v, a, tau, w, values] = ["t", "q", "v", "a", "tau", "w", "inputs"].map(at);
    for state in 0..states {
        given.iter_mut().for_each(|given| given.advance(state));
        let of = |place: Option<usize>| place.map_or([].as_slice(), |place| given[place].of(state));
        inputs::set(of(values));
        let t = of(t).first().copied().unwrap_or(0.0);
        let at = Instant { t, q: of(q), v: of(v), a: of(a), tau: of(tau), w: of(w) };
        model.evaluate_provided(place, &at, found.each_mut().map(|found| found.of(state)));
        found.iter_mut().for_each(|found| found.keep(state));
    }
}
