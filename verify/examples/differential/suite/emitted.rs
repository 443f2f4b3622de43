//! Generated Rust and generated C, compiled and run: Rust gives the bits of machine code, C what the interpreter gives.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use hamel_compiler::schedule::interpret::Point;
use hamel_compiler::schedule::totals::{FunctionCounts, functions};
use hamel_compiler::schedule::vocabulary::role_name;

use super::ball::Ball;
use super::c_program;
use super::compilers::{Rustc, has_c};
use super::findings::Findings;
use super::functions::{bits, state, values};
use super::subject::{INPUT, Moment, Subject};

/// What a program of generated code calls, as text.
const FUNCTIONS_OF_A_MODEL: &str = include_str!("../../../../jit/tests/common/functions.rs");

/// Compilers of this machine, and a folder for what they compile.
pub struct Compilers {
    folder: PathBuf,
    rustc: Option<Rustc>,
    has_c: bool,
}

impl Compilers {
    /// Those that are there.
    pub fn find(folder: &Path) -> Compilers {
        Compilers { folder: folder.to_owned(), rustc: Rustc::find(&folder.join("rust")), has_c: has_c() }
    }

    /// Both languages.
    pub fn check(&self, subject: &Subject, at: &Moment, findings: &mut Findings) {
        match &self.rustc {
            Some(rustc) => rust(rustc, subject, findings),
            None => findings.remark("generated Rust: no runtime beside this program"),
        }
        if self.has_c {
            c(&self.folder.join("c"), subject, at, findings);
        } else {
            findings.remark("generated C: there is no compiler");
        }
    }
}

fn rust(rustc: &Rustc, subject: &Subject, findings: &mut Findings) {
    let law = "generated Rust: the bits of machine code";
    let printed = subject.stages.code().map_err(|error| error.to_string());
    let printed = printed.and_then(|code| rustc.printed(&program(subject, &code.to_string())));
    let printed = match printed {
        Ok(printed) => printed,
        Err(message) => return findings.fail(law, message),
    };
    let mut lines = printed.lines();
    for seed in 0..2 {
        let at = state(subject.model(), seed);
        for (function, found) in values(subject.model(), &at) {
            findings.count(law, found.len());
            let expected: Vec<String> = bits(&found).iter().map(|bits| format!("{bits:x}")).collect();
            let line = lines.next().unwrap_or_default();
            if line != format!("{function} {}", expected.join(" ")) {
                findings.fail(law, format!("{function} prints {line}, not {}: {found:?}", expected.join(" ")));
            }
        }
    }
}

/// Prints every function of the generated model, bit by bit.
fn program(subject: &Subject, code: &str) -> String {
    let mut inputs = String::new();
    for input in &subject.stages.simplified.layout.inputs {
        let _ = writeln!(inputs, "    model.inputs.{} = hamel::Signal::from({INPUT:?});", input.name);
    }
    format!(
        "#![allow(warnings)]\n\
         mod functions {{\n{}\n}}\n\
         {code}\n\
         fn main() {{\n    let mut model = Random::default();\n{inputs}    for seed in 0..2 {{\n\
         \x20       let at = functions::state(&model, seed);\n\
         \x20       for (function, found) in functions::values(&model, &at) {{\n\
         \x20           let found: Vec<String> = functions::bits(&found).iter().map(|bits| format!(\"{{bits:x}}\")).collect();\n\
         \x20           println!(\"{{function}} {{}}\", found.join(\" \"));\n        }}\n    }}\n}}\n",
        FUNCTIONS_OF_A_MODEL.replace("//!", "//")
    )
}

fn c(folder: &Path, subject: &Subject, at: &Moment, findings: &mut Findings) {
    let law = "generated C: the values of the interpreter";
    let balls = Point { tau: at.a.clone(), ..subject.balls(at) };
    let mids = |values: &[Ball]| values.iter().map(|ball| ball.mid).collect::<Vec<f64>>();
    let point = Point {
        t: at.t,
        inputs: mids(&balls.inputs),
        q: mids(&at.q),
        v: mids(&at.v),
        a: mids(&at.a),
        lambda: mids(&at.lambda),
        tau: mids(&at.a),
    };
    let printed = match c_program::printed(folder, &subject.stages, &point) {
        Ok(printed) => printed,
        Err(message) => return findings.fail(law, message),
    };
    let interpreter = subject.interpreter::<Ball>();
    for FunctionCounts { role: function, name, .. } in functions(&subject.stages.simplified, &subject.stages.schedule) {
        for (role, dense) in interpreter.evaluate(function, &balls) {
            let is_here = |line: &&c_program::Line| line.function == name && line.result == role_name(role);
            let mut found = vec![0.0; dense.values.len()];
            for line in printed.iter().filter(is_here) {
                found[line.index(dense.columns)] = line.value;
            }
            // Rounding errors of C are its own.
            let found: Vec<Ball> =
                found.iter().zip(&dense.values).map(|(&mid, at)| Ball { mid, rad: at.rad }).collect();
            findings.same(law, &name, &found, &dense.values);
        }
    }
}
