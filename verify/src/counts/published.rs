//! Published numbers: values of every reference function at one point, and the operation counts of other tools.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

const VALUES: &str = include_str!("../../data/opcounts/values.json");
const PEERS: &str = include_str!("../../data/opcounts/peers.csv");

/// A point and the function's value there.
#[derive(Debug, Deserialize)]
pub(super) struct Sample {
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
}

/// What another tool made of a function.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Peer {
    #[serde(skip_serializing)]
    function: String,
    /// Name of the tool.
    pub tool: String,
    /// Additions, subtractions, multiplications, divisions and powers.
    pub arith: u64,
    /// Sines and cosines.
    pub trig: u64,
}

static SAMPLES: LazyLock<BTreeMap<String, Sample>> = LazyLock::new(|| serde_json::from_str(VALUES).unwrap_or_default());
static ALL_PEERS: LazyLock<Vec<Peer>> =
    LazyLock::new(|| csv::Reader::from_reader(PEERS.as_bytes()).deserialize().filter_map(Result::ok).collect());

/// The published value of a function.
pub(super) fn sample(function: &str) -> Option<&'static Sample> {
    SAMPLES.get(function)
}

/// The tool that needs fewest operations; of equals the first in the table.
pub(super) fn best_peer(function: &str) -> Option<&'static Peer> {
    ALL_PEERS.iter().filter(|peer| peer.function == function).min_by_key(|peer| peer.arith)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_values_and_peers() {
        for function in super::super::functions() {
            assert!(sample(&function.name).is_some(), "{}", function.name);
            assert!(best_peer(&function.name).is_some(), "{}", function.name);
        }
        assert_eq!(ALL_PEERS.len(), PEERS.lines().count() - 1);
    }
}
