//! Runs experiments on all cores and collects their results.

use std::time::{Duration, Instant};

use hamel::scheme::StepError;
use hamel_compiler::parallel;

use crate::claim::Verdict;
use crate::experiment::{Cost, Experiment, Paper};
use crate::report::Report;

/// The outcome of an experiment.
pub struct Outcome {
    /// The experiment.
    pub experiment: Experiment,
    /// Its report, or why it could not be computed.
    pub result: Result<Report, StepError>,
    /// Wall time.
    pub elapsed: Duration,
    /// Whether [`MOTION`](crate::output::MOTION) lies in its folder.
    pub is_animated: bool,
}

impl Outcome {
    /// The worst verdict; an experiment that could not be computed has failed.
    pub fn verdict(&self) -> Verdict {
        self.result.as_ref().map_or(Verdict::Outside, Report::verdict)
    }
}

/// The experiments of papers with some keys (of all, when `keys` is empty) up to a cost, in the order of the papers.
pub fn select(papers: &[Paper], keys: &[String], most: Cost) -> Vec<Experiment> {
    papers
        .iter()
        .filter(|paper| keys.is_empty() || keys.iter().any(|key| key == paper.key))
        .flat_map(|paper| paper.experiments)
        .filter(|experiment| experiment.cost <= most)
        .copied()
        .collect()
}

/// Runs experiments, expensive ones first, until the watcher asks to stop; outcomes are in the order given.
pub fn run(experiments: &[Experiment], watcher: &(dyn Watcher + Sync)) -> Vec<Outcome> {
    let mut queue: Vec<(usize, Experiment)> = experiments.iter().copied().enumerate().collect();
    queue.sort_by_key(|&(_, experiment)| std::cmp::Reverse(experiment.cost));
    let outcomes = parallel::map(&queue, |&(index, experiment)| {
        if watcher.is_to_stop() {
            return None;
        }
        watcher.begins(&experiment);
        let begin = Instant::now();
        let result = (experiment.run)();
        let outcome = Outcome { experiment, result, elapsed: begin.elapsed(), is_animated: false };
        watcher.ended(&outcome);
        Some((index, outcome))
    });
    let mut outcomes: Vec<(usize, Outcome)> = outcomes.into_iter().flatten().collect();
    outcomes.sort_by_key(|&(index, _)| index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Receives the progress, from any thread.
pub trait Watcher {
    /// An experiment begins.
    fn begins(&self, _experiment: &Experiment) {}
    /// Whether the remaining experiments are to be skipped.
    fn is_to_stop(&self) -> bool {
        false
    }
    /// An experiment has ended.
    fn ended(&self, _outcome: &Outcome) {}
}

/// A watcher that does nothing.
pub struct Unwatched;

impl Watcher for Unwatched {}
