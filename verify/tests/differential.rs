//! Laws of random models of fixed seeds, and of models about which two computations once disagreed.

#[path = "../examples/differential/suite/mod.rs"]
mod suite;

use std::path::{Path, PathBuf};

use hamel_compiler::parallel;
use suite::case::Case;
use suite::emitted::Compilers;
use suite::{ALL_LAWS, Failure, Findings, examine, examine_emitted, generate, shrink};

/// Random models; the example of the same name tries any number.
const MODELS: u64 = 60;

/// The first failure with the smallest text that has it.
fn told(case: &Case, seed: u64, Failure { law, sentence }: &Failure) -> String {
    let failure = Failure { law, sentence: sentence.clone() };
    format!("seed {seed}: {law}: {sentence}\n{}", shrink::smaller(case, seed, &failure))
}

#[test]
fn random_models_obey_all_laws() {
    let seeds: Vec<u64> = (1..=MODELS).collect();
    let found = parallel::map(&seeds, |&seed| {
        let case = generate::case(seed);
        let findings = examine(&case, seed);
        let failure = findings.failures.first().map(|failure| told(&case, seed, failure));
        assert_eq!(failure, None);
        findings
    });
    let mut all = Findings::default();
    found.iter().for_each(|findings| all.add(findings));
    // Bounds that allow anything would hide all else.
    for (law, count) in &all.counts {
        assert!(count.values > 0 && count.weak < count.values / 2, "{law}: {count:?}");
    }
    assert!(all.counts.len() > 20, "{:?}", all.counts.keys());
}

fn cases() -> Vec<(PathBuf, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/differential/cases");
    let files = std::fs::read_dir(folder).expect("the folder of cases").map(|file| file.expect("a case").path());
    files.map(|path| (path.clone(), Case::read(&std::fs::read_to_string(path).expect("a text")))).collect()
}

#[test]
fn models_that_once_disagreed_obey_all_laws() {
    let cases = cases();
    let seeds: Vec<(&PathBuf, &Case, u64)> =
        (0..=ALL_LAWS).flat_map(|seed| cases.iter().map(move |(path, case)| (path, case, seed))).collect();
    parallel::map(&seeds, |&(path, case, seed)| {
        let findings = examine(case, seed);
        let failure = findings.failures.first().map(|failure| told(case, seed, failure));
        assert_eq!(failure, None, "{}", path.display());
        let refused = findings.remarks.keys().find(|remark| remark.starts_with("refused"));
        assert_eq!(refused, None, "{}", path.display());
    });
}

/// Generated Rust and C of one model, where their compilers are.
#[test]
fn generated_code_computes_the_same() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("differential");
    let findings = examine_emitted(&generate::case(6), 1, &Compilers::find(&folder));
    assert!(findings.failures.is_empty(), "{:?}", findings.failures);
    findings.remarks.keys().for_each(|remark| println!("not checked: {remark}"));
}
