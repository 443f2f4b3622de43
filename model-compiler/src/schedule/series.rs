//! Rows of values of the parameters, of which those that advance by equal steps are computed from the first.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::runs::runs;
use crate::expr::{Binary, ExprId, Graph, Node, Number, Unary};

/// Rows of equal length, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series(pub Vec<Rows>);

/// Some of them: `first`, `count` times, advanced by `step` from one time to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// How often.
    pub count: usize,
    /// Outputs of the routine: the rows.
    pub first: Range<usize>,
    /// Outputs of the routine: their steps; empty if there is one repetition.
    pub step: Range<usize>,
}

impl Series {
    /// The series of these rows; what has to be computed for them is added to `outputs`.
    pub(super) fn of(graph: &mut Graph, rows: &[Vec<ExprId>], outputs: &mut Vec<Vec<ExprId>>) -> Series {
        let values: Vec<ExprId> = rows.iter().flatten().copied().collect();
        let sums = sums(graph, &values);
        let step = |from: usize, to: usize| -> Option<Vec<Sum>> {
            (rows[from].len() == rows[to].len()).then(|| {
                rows[from].iter().zip(&rows[to]).map(|(a, b)| sums[b].plus(Number::from(-1), &sums[a])).collect()
            })
        };
        let mut add = |rows: Vec<Vec<ExprId>>| {
            let start = outputs.len();
            outputs.extend(rows);
            start..outputs.len()
        };
        let found = runs(rows.len(), step);
        let series = found.into_iter().map(|run| Rows {
            count: run.count,
            first: add(rows[run.first()].to_vec()),
            step: add(run.steps.iter().map(|row| row.iter().map(|sum| sum.expression(graph)).collect()).collect()),
        });
        Series(series.collect())
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|rows| rows.count * rows.first.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether some of them are computed from others.
    pub(crate) fn is_regular(&self) -> bool {
        self.0.iter().any(|rows| rows.count > 1)
    }
}

/// A sum of multiples: of 1, and of what is no sum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sum(BTreeMap<Option<ExprId>, Number>);

/// Longer sums are not looked into.
const MAX_TERMS: usize = 8;

impl Sum {
    fn of(term: Option<ExprId>, factor: Number) -> Sum {
        Sum([(term, factor)].into_iter().filter(|(_, factor)| !factor.is_zero()).collect())
    }

    fn plus(&self, factor: Number, other: &Sum) -> Sum {
        let mut sum = self.clone();
        for (&term, &value) in &other.0 {
            let known = sum.0.entry(term).or_insert(Number::ZERO);
            *known = *known + factor * value;
        }
        sum.0.retain(|_, value| !value.is_zero());
        sum
    }

    fn times(&self, factor: Number) -> Sum {
        Sum::default().plus(factor, self)
    }

    fn expression(&self, graph: &mut Graph) -> ExprId {
        let terms: Vec<ExprId> = self
            .0
            .iter()
            .map(|(&term, &factor)| {
                let factor = graph.number(factor);
                term.map_or(factor, |term| graph.mul(factor, term))
            })
            .collect();
        graph.sum(&terms)
    }
}

/// The nodes that these values are made of, as sums.
fn sums(graph: &Graph, values: &[ExprId]) -> FxHashMap<ExprId, Sum> {
    let mut sums: FxHashMap<ExprId, Sum> = FxHashMap::default();
    for id in graph.reachable(values) {
        let sum = match graph.node(id) {
            Node::Number(number) => Sum::of(None, number),
            Node::Unary(Unary::Neg, a) => sums[&a].times(Number::from(-1)),
            Node::Binary(Binary::Add, a, b) => sums[&a].plus(Number::ONE, &sums[&b]),
            Node::Binary(Binary::Sub, a, b) => sums[&a].plus(Number::from(-1), &sums[&b]),
            Node::Binary(Binary::Mul, a, b) => match (graph.as_number(a), graph.as_number(b)) {
                (Some(factor), _) => sums[&b].times(factor),
                (_, Some(factor)) => sums[&a].times(factor),
                _ => Sum::of(Some(id), Number::ONE),
            },
            _ => Sum::of(Some(id), Number::ONE),
        };
        let sum = if sum.0.len() > MAX_TERMS { Sum::of(Some(id), Number::ONE) } else { sum };
        sums.insert(id, sum);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Stage;

    #[test]
    fn multiples_and_repeated_sums_advance() {
        let mut graph = Graph::new();
        let length = graph.symbol("length", Stage::Parameter);
        let half = graph.ratio(1, 2);
        let half_length = graph.mul(half, length);
        let mut position = half_length;
        let mut rows = Vec::new();
        for k in 0..20 {
            let number = graph.integer(k);
            let multiple = graph.mul(number, length);
            rows.push(vec![multiple, position]);
            position = graph.add(position, half_length);
            position = graph.add(half_length, position);
        }
        let mut outputs = Vec::new();
        let series = Series::of(&mut graph, &rows, &mut outputs);
        assert_eq!(series, Series(vec![Rows { count: 20, first: 0..1, step: 1..2 }]));
        assert_eq!(outputs, [rows[0].clone(), vec![length, length]]);
    }

    #[test]
    fn what_has_no_rule_is_listed() {
        let mut graph = Graph::new();
        let rows: Vec<Vec<ExprId>> =
            (0..20).map(|k| vec![graph.symbol(&format!("length[{k}]"), Stage::Parameter)]).collect();
        let mut outputs = Vec::new();
        let series = Series::of(&mut graph, &rows, &mut outputs);
        assert!(!series.is_regular());
        assert_eq!(series.len(), 20);
        assert_eq!(outputs, rows);
    }
}
