//! Machine code: both levels give the same bits, and what the interpreter gives.

use hamel::Model;
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_compiler::schedule::schedule;
use hamel_compiler::schedule::totals::{FunctionCounts, functions};

use hamel_jit::JitModel;

use super::ball::Ball;
use super::findings::Findings;
use super::functions::{bits, values};
use super::interpreted::Interpreted;
use super::on_request::on_request;
use super::subject::{Moment, Subject};

/// Every function at a moment.
pub fn check(subject: &Subject, at: &Moment, findings: &mut Findings) {
    let state = at.state();
    let all = |model: &JitModel| -> Vec<(String, Vec<f64>)> {
        let of_all_models = values(model, &state).into_iter().map(|(name, values)| (name.to_owned(), values));
        of_all_models.chain(on_request(model, &state)).collect()
    };
    let point = Point { tau: at.a.clone(), ..subject.balls(at) };
    let interpreted =
        Interpreted::new(&subject.stages.simplified, &subject.stages.schedule, subject.model().describe());
    for ((function, at_once), (_, optimised)) in all(&subject.models[0]).into_iter().zip(all(subject.model())) {
        if subject.models.len() > 1 {
            findings.count("both levels: the same bits", at_once.len());
        }
        if let Some(place) = bits(&at_once).iter().zip(bits(&optimised)).position(|(a, b)| *a != b) {
            let (a, b) = (at_once[place], optimised[place]);
            findings
                .fail("both levels: the same bits", format!("{function}[{place}] is {a:e} at once, {b:e} optimised"));
        }
        let Some(expected) = interpreted.function(&function, &point) else { continue };
        findings.count("values are finite", optimised.len());
        if let Some(place) = optimised.iter().position(|value| !value.is_finite())
            && expected[place].rad.is_finite()
        {
            findings.fail("values are finite", format!("{function}[{place}] is {}", optimised[place]));
        }
        // Rounding errors of machine code are its own, and as large as those of the interpreter.
        let found: Vec<Ball> = optimised.iter().zip(&expected).map(|(&mid, at)| Ball { mid, rad: at.rad }).collect();
        findings.same("machine code: the values of the interpreter", &function, &found, &expected);
    }
}

/// Equations before they are simplified give the same values.
pub fn check_simplification(subject: &Subject, at: &Moment, findings: &mut Findings) {
    let derived = &subject.stages.equations;
    let plain = schedule(derived, derived);
    let before = Interpreter::new(derived, &plain, defaults(&plain));
    let after = subject.interpreter::<Ball>();
    let point = Point { tau: at.a.clone(), ..subject.balls(at) };
    for FunctionCounts { role: function, name, .. } in functions(derived, &plain) {
        for (role, expected) in before.evaluate(function, &point) {
            let found = after.output(function, role, &point, (expected.rows, expected.columns));
            findings.same("simplified: the values of what was derived", &name, &found.values, &expected.values);
        }
    }
}
