//! What a run has found, in figures.

use std::collections::BTreeMap;
use std::fmt;

use super::suite::Findings;
use super::suite::case::Case;

/// What a line begins with, and the kind of model that has such a line.
const KINDS: [(&str, &str); 11] = [
    ("planar", "in the plane"),
    ("flexible", "with a flexible member"),
    ("joint loop", "with loops"),
    ("constraint", "with constraints"),
    ("contact", "with contacts"),
    ("state", "with states"),
    ("input", "with inputs"),
    ("force", "with forces"),
    ("torque", "with torques"),
    ("joint | provide", "with functions on request"),
    ("fused", "with fused operations"),
];

/// Sums over all models.
#[derive(Default)]
pub struct Table {
    /// Models.
    pub models: u64,
    /// Laws that were broken, model by model.
    pub failures: usize,
    kinds: BTreeMap<String, u64>,
    /// The first seed with each remark.
    seeds: BTreeMap<String, u64>,
    all: Findings,
}

impl Table {
    /// Adds a model.
    pub fn add(&mut self, seed: u64, case: &Case, findings: &Findings) {
        self.models += 1;
        let mut count = |kind: &str| *self.kinds.entry(kind.to_owned()).or_default() += 1;
        count(if case.formulations.len() > 1 { "in two formulations" } else { "in one formulation" });
        for (beginning, kind) in KINDS {
            if case.lines.iter().any(|line| line.starts_with(beginning)) {
                count(kind);
            }
        }
        self.add_findings(seed, findings);
    }

    /// Adds further findings about a model.
    pub fn add_findings(&mut self, seed: u64, findings: &Findings) {
        for remark in findings.remarks.keys() {
            self.seeds.entry(remark.clone()).or_insert(seed);
        }
        self.all.add(findings);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{} models", self.models)?;
        self.kinds.iter().try_for_each(|(kind, number)| writeln!(f, "{number:>12} {kind}"))?;
        writeln!(
            f,
            "\n{:>14} {:>12} {:>9}  law (values compared; those of weak bounds; worst deviation by bound)",
            "values", "weak", "worst"
        )?;
        for (law, count) in &self.all.counts {
            writeln!(f, "{:>14} {:>12} {:>9.2e}  {law}", count.values, count.weak, count.worst)?;
        }
        writeln!(f, "\nnot examined, and why (with the first seed)")?;
        for ((what, number), seed) in self.all.remarks.iter().zip(self.seeds.values()) {
            writeln!(f, "{number:>12} {what} ({seed})")?;
        }
        writeln!(f, "\n{} failures", self.failures)
    }
}
