//! Laws that every model obeys, whatever it is: compared are all ways in which its equations are computed.
//!
//! The example `differential` feeds random models to them, and a test those of a fixed seed and those that once disagreed.

#[path = "../../../../model-compiler/tests/common/c_program.rs"]
mod c_program;
#[path = "../../../../model-compiler/tests/common/compilers.rs"]
mod compilers;
#[path = "../../../../jit/tests/common/functions.rs"]
mod functions;
#[path = "../../../../jit/tests/common/interpreted.rs"]
mod interpreted;
#[path = "../../../../jit/tests/common/on_request.rs"]
mod on_request;
#[path = "../../../../model-compiler/src/random.rs"]
mod random;
#[path = "../../../../model-compiler/tests/common/shrinking.rs"]
mod shrinking;

mod balances;
mod ball;
mod derivatives;
pub mod emitted;
mod findings;
mod jet;
mod kinematics;
mod lanes;
mod motion;
mod subject;
mod twins;
mod values;
mod writer;

pub mod case;
pub mod generate;
pub mod shrink;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hamel_jit::Level;

use case::Case;
use emitted::Compilers;
pub use findings::{Failure, Findings};
use subject::{Effort, Subject};

/// Every how manyth model is simplified with full effort, and every how manyth with any: it takes most of the time.
const THOROUGH: u64 = 240;
const SIMPLIFIED: u64 = 24;
/// Every how manyth model is optimised machine code, too: registers of long functions take the rest of the time.
const OPTIMISED: u64 = 6;
/// Every how manyth model is run for some steps.
const RUN: u64 = 8;
/// Sizes of the coordinates at which a model is looked at.
const SIZES: [f64; 2] = [0.7, 4.0];

/// The laws of generated code alone, which take seconds.
pub fn examine_emitted(case: &Case, seed: u64, compilers: &Compilers) -> Findings {
    let mut findings = Findings::default();
    for formulation in &case.formulations {
        if let Ok(subject) = Subject::new(case.text(formulation), effort(seed), levels(seed)) {
            compilers.check(&subject, &subject.moment(seed as usize, SIZES[0]), &mut findings);
        }
    }
    findings
}

/// Up to this seed every kind of law has looked at a case.
pub const ALL_LAWS: u64 = SIMPLIFIED;

/// Everything that a case has to obey. The seed says how much is simplified, and at which moments it is looked at.
pub fn examine(case: &Case, seed: u64) -> Findings {
    let mut findings = Findings::default();
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| laws(case, seed, &mut findings))) {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        findings.fail("nothing panics", text.unwrap_or_default());
    }
    findings
}

fn levels(seed: u64) -> &'static [Level] {
    if seed.is_multiple_of(OPTIMISED) { &[Level::AtOnce, Level::Optimised] } else { &[Level::AtOnce] }
}

fn effort(seed: u64) -> Effort {
    match (seed.is_multiple_of(THOROUGH), seed.is_multiple_of(SIMPLIFIED)) {
        (true, _) => Effort::Full,
        (_, true) => Effort::Least,
        _ => Effort::None,
    }
}

fn laws(case: &Case, seed: u64, findings: &mut Findings) {
    let effort = effort(seed);
    let compiled = case
        .formulations
        .iter()
        .map(|formulation| (formulation, Subject::new(case.text(formulation), effort, levels(seed))));
    let mut subjects = Vec::new();
    for (formulation, subject) in compiled {
        let family = formulation.split('(').next().unwrap_or_default();
        match subject {
            Ok(subject) => subjects.push((family, subject)),
            Err(message) => findings.remark(format!("refused in {family} coordinates: {}", general(&message))),
        }
    }
    for (k, size) in SIZES.into_iter().enumerate() {
        for (_, subject) in &subjects {
            let at = subject.moment(2 * seed as usize + k, size);
            values::check(subject, &at, findings);
            derivatives::check(subject, &at, findings);
            balances::check(subject, &at, findings);
            if k == 0 && effort != Effort::None {
                values::check_simplification(subject, &at, findings);
            }
        }
        if let [("joint", joint), ("absolute", absolute)] = &subjects[..] {
            let at = joint.moment(2 * seed as usize + k, size);
            twins::check(joint, absolute, &at, findings);
        }
    }
    subjects.iter().for_each(|(_, subject)| lanes::check(subject, findings));
    if seed.is_multiple_of(RUN) {
        subjects.iter().for_each(|(_, subject)| motion::check(subject, findings));
    }
}

/// The first line of a message, without the names and numbers of one model.
fn general(message: &str) -> String {
    let mut general = String::new();
    for (k, part) in message.lines().next().unwrap_or_default().split('`').enumerate() {
        let is_name = k % 2 == 1 && part.chars().any(|c| !c.is_ascii_lowercase() && c != '_');
        if is_name {
            general.push('…');
        } else {
            general.extend(part.chars().filter(|c| !c.is_ascii_digit()));
        }
    }
    general
}
