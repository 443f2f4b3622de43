//! What has changed since an earlier run, claim by claim.
//!
//! The earlier run is read from its `report.json` as it stands, so that reports of older versions can be compared too.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::claim::{Claim, Measured, Verdict};
use crate::number::readable;
use crate::reproduce::Outcome;

/// Relative differences of numbers that count as rounding.
const ROUNDING: f64 = 1e-9;

/// A claim that is not as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Identifier of the experiment.
    pub experiment: String,
    /// The quantity.
    pub claim: String,
    /// Before, if it was there.
    pub before: Option<Found>,
    /// Now, if it is there.
    pub now: Option<Found>,
}

/// What was found for a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The verdict as an identifier.
    pub verdict: String,
    /// A number, or how the computation broke down.
    pub measured: String,
    value: Option<f64>,
}

/// What comparing two runs gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// In the order of the new run.
    pub changes: Vec<Change>,
    /// Claims that are as they were.
    pub same: usize,
    /// Experiments that only one of the runs has.
    pub only_once: Vec<String>,
}

impl std::fmt::Display for Change {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}  {}: ", self.experiment, self.claim)?;
        match (&self.before, &self.now) {
            (Some(before), Some(now)) if before.verdict == now.verdict => {
                write!(out, "{} instead of {} ({})", now.measured, before.measured, now.verdict)
            }
            (Some(before), Some(now)) => {
                write!(out, "{} ({}) instead of {} ({})", now.verdict, now.measured, before.verdict, before.measured)
            }
            (None, Some(now)) => write!(out, "new, {} ({})", now.verdict, now.measured),
            (Some(before), None) => write!(out, "gone, was {} ({})", before.verdict, before.measured),
            (None, None) => Ok(()),
        }
    }
}

impl Found {
    fn of(claim: &Claim) -> Self {
        let (value, measured) = match &claim.measured {
            Measured::Value(value) => (Some(*value), readable(*value, 6)),
            Measured::Breakdown(how) => (None, how.clone()),
            Measured::Nothing => (None, "nothing measured".into()),
        };
        Self { verdict: claim.verdict().key().into(), measured, value }
    }

    fn read(claim: &Value, verdict: &Value) -> Self {
        let measured = &claim["measured"];
        let number = &measured["value"];
        let value = match (number.as_f64(), number.as_str()) {
            (None, Some(text)) => text.parse().ok(),
            // JSON of older versions has `null` for numbers that are undefined.
            (None, None) if measured.get("value").is_some() => Some(f64::NAN),
            (value, _) => value,
        };
        let text = measured["breakdown"].as_str().unwrap_or("nothing measured");
        let verdict = verdict.as_str().unwrap_or_default().to_owned();
        Self { verdict, measured: value.map_or_else(|| text.to_owned(), |value| readable(value, 6)), value }
    }

    fn is_as(&self, other: &Found) -> bool {
        let is_same = match (self.value, other.value) {
            // Times differ from run to run.
            _ if self.verdict == Verdict::Reported.key() => true,
            (Some(a), Some(b)) => {
                a == b || (a - b).abs() <= ROUNDING * a.abs().max(b.abs()) || (a.is_nan() && b.is_nan())
            }
            (None, None) => self.measured == other.measured,
            _ => false,
        };
        is_same && self.verdict == other.verdict
    }
}

/// Claims by their words, which are numbered where they are equal, in the order of the report.
type Claims = Vec<((String, usize), Found)>;

fn numbered(claims: impl Iterator<Item = (String, Found)>) -> Claims {
    let mut seen = BTreeMap::new();
    let number = |(what, found): (String, Found)| {
        let number = seen.entry(what.clone()).and_modify(|number| *number += 1).or_insert(1);
        ((what, *number), found)
    };
    claims.map(number).collect()
}

/// Compares outcomes with the `report.json` of an earlier run; `None` when that has another form.
pub fn compare(earlier: &str, outcomes: &[Outcome]) -> Option<Comparison> {
    let document: Value = serde_json::from_str(earlier).ok()?;
    let mut before: BTreeMap<&str, Claims> = BTreeMap::new();
    for entry in document["experiments"].as_array()? {
        let (Some(claims), Some(verdicts)) = (entry["report"]["claims"].as_array(), entry["verdicts"].as_array())
        else {
            continue;
        };
        let read = |(claim, verdict): (&Value, &Value)| {
            (claim["what"].as_str().unwrap_or_default().to_owned(), Found::read(claim, verdict))
        };
        before.insert(entry["id"].as_str()?, numbered(claims.iter().zip(verdicts).map(read)));
    }
    let mut comparison = Comparison::default();
    for outcome in outcomes {
        let experiment = outcome.experiment.id.to_owned();
        let (Ok(report), Some(mut old)) = (&outcome.result, before.remove(experiment.as_str())) else {
            comparison.only_once.push(experiment);
            continue;
        };
        for (key, now) in numbered(report.claims.iter().map(|claim| (claim.what.clone(), Found::of(claim)))) {
            let place = old.iter().position(|(other, _)| *other == key);
            let before = place.map(|place| old.remove(place).1);
            if before.as_ref().is_some_and(|before| now.is_as(before)) {
                comparison.same += 1;
            } else {
                let experiment = experiment.clone();
                comparison.changes.push(Change { experiment, claim: key.0, before, now: Some(now) });
            }
        }
        let gone = old.into_iter().map(|((claim, _), before)| Change {
            experiment: experiment.clone(),
            claim,
            before: Some(before),
            now: None,
        });
        comparison.changes.extend(gone);
    }
    comparison.only_once.extend(before.into_keys().map(str::to_owned));
    Some(comparison)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::expected::{Origin, at_most};
    use crate::experiment::{Cost, Experiment};
    use crate::report::Report;

    fn outcome(id: &'static str, claims: &[(&str, f64)]) -> Outcome {
        let run = || Ok(Report::default());
        let experiment = Experiment { id, place: "Fig. 1", title: "a", cost: Cost::Seconds, run };
        let claim = |&(what, value): &(&str, f64)| Claim::new(what, "1", at_most(1.0, Origin::Source), value);
        let report = Report { claims: claims.iter().map(claim).collect(), ..Report::default() };
        Outcome { experiment, result: Ok(report), elapsed: Duration::ZERO, is_animated: false }
    }

    #[test]
    fn changes_are_found_claim_by_claim() {
        let earlier = r#"{"experiments": [
            {"id": "p/a", "verdicts": ["agrees", "agrees", "agrees", "agrees", "outside"], "report": {"claims": [
                {"what": "x", "measured": {"value": 0.5}}, {"what": "x", "measured": {"value": 0.25}},
                {"what": "y", "measured": {"value": 0.5}}, {"what": "z", "measured": {"value": 0.5}},
                {"what": "n", "measured": {"value": null}}]}},
            {"id": "p/gone", "verdicts": [], "report": {"claims": []}}]}"#;
        let now = [("x", 0.5 * (1.0 + 1e-12)), ("x", 0.75), ("y", 2.0), ("new", 0.0), ("n", f64::NAN)];
        let found = compare(earlier, &[outcome("p/a", &now), outcome("p/b", &[])]).unwrap();
        let lines: Vec<String> = found.changes.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "p/a  x: 0.750000 instead of 0.250000 (agrees)",
                "p/a  y: outside (2.00000) instead of agrees (0.500000)",
                "p/a  new: new, agrees (0)",
                "p/a  z: gone, was agrees (0.500000)",
            ]
        );
        assert_eq!((found.same, found.only_once), (2, vec!["p/b".to_owned(), "p/gone".to_owned()]));
        assert_eq!(compare("[]", &[]), None);
    }
}
