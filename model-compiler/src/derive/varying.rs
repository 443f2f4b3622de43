//! Values with their derivatives, composed stage by stage with the chain rule.
//!
//! A sweep over a whole graph carries each variable through each operation. Where a function is a chain of stages of
//! few values each, differentiating each stage by its own values and multiplying the derivatives takes less work: a
//! coefficient that depends on one angle is differentiated once.

use crate::expr::{ExprId, Graph, Stage};

/// Values and their derivatives by common variables, one row a value.
#[derive(Clone)]
pub(super) struct Varying {
    pub values: Vec<ExprId>,
    pub slopes: Vec<Vec<ExprId>>,
}

impl Varying {
    /// Values that are the variables.
    pub fn variables(graph: &mut Graph, values: &[ExprId]) -> Self {
        let (zero, one) = (graph.zero(), graph.one());
        let row = |i: usize| (0..values.len()).map(|j| if i == j { one } else { zero }).collect();
        Self { values: values.to_vec(), slopes: (0..values.len()).map(row).collect() }
    }

    /// These values, followed by others of the same variables.
    pub fn and(&self, other: &Varying) -> Self {
        Self {
            values: [self.values.as_slice(), &other.values].concat(),
            slopes: [self.slopes.as_slice(), &other.slopes].concat(),
        }
    }

    /// Some of the values.
    pub fn part(&self, range: std::ops::Range<usize>) -> Self {
        Self { values: self.values[range.clone()].to_vec(), slopes: self.slopes[range].to_vec() }
    }

    /// Functions of these values: `stage` is given a graph of its own, with a symbol for each of them.
    pub fn then(&self, graph: &mut Graph, stage: impl FnOnce(&mut Graph, &[ExprId]) -> Vec<ExprId>) -> Self {
        let mut local = Graph::new();
        let symbols: Vec<ExprId> =
            (0..self.values.len()).map(|i| local.symbol(&format!("u{i}"), Stage::Position)).collect();
        let results = stage(&mut local, &symbols);
        let slopes = local.jacobian(&results, &symbols);
        let roots: Vec<ExprId> = results.iter().chain(slopes.iter().flatten()).copied().collect();
        let images = graph.import(&local, &roots, &|_, symbol| self.values[symbol.index()]);
        let (values, slopes) = images.split_at(results.len());
        let slopes = slopes.chunks(symbols.len()).map(<[ExprId]>::to_vec).collect();
        Self { values: values.to_vec(), slopes }.over(graph, self)
    }

    /// The same values, differentiated by other variables, of which the present variables are the functions `inner`.
    pub fn over(&self, graph: &mut Graph, inner: &Varying) -> Self {
        let slopes = product(graph, &self.slopes, &inner.slopes);
        Self { values: self.values.clone(), slopes }
    }

    /// A x of these values x, where A does not vary.
    pub fn transformed(&self, graph: &mut Graph, a: &[Vec<ExprId>]) -> Self {
        let values = a.iter().map(|row| graph.dot(row, &self.values)).collect();
        Self { values, slopes: product(graph, a, &self.slopes) }
    }
}

fn product(graph: &mut Graph, a: &[Vec<ExprId>], b: &[Vec<ExprId>]) -> Vec<Vec<ExprId>> {
    let columns = b.first().map_or(0, Vec::len);
    let transposed: Vec<Vec<ExprId>> = (0..columns).map(|j| b.iter().map(|row| row[j]).collect()).collect();
    a.iter().map(|row| transposed.iter().map(|column| graph.dot(row, column)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::evaluate;

    /// Three stages of x and y have the derivatives that a sweep over the whole graph finds.
    #[test]
    fn stages_have_the_derivatives_of_the_whole() {
        let mut graph = Graph::new();
        let symbols = ["x", "y"].map(|name| graph.symbol(name, Stage::Position));
        let variables = Varying::variables(&mut graph, &symbols);
        let turned = variables.then(&mut graph, |graph, u| {
            let angle = graph.mul(u[0], u[1]);
            vec![graph.sin(angle), graph.cos(angle)]
        });
        let squared = turned.part(0..1).then(&mut graph, |graph, u| vec![graph.mul(u[0], u[0])]);
        let sum = variables.and(&squared).then(&mut graph, |graph, u| vec![graph.dot(u, u)]);
        let (two, minus_one) = (graph.integer(2), graph.integer(-1));
        let mixed = sum.and(&turned.part(1..2)).transformed(&mut graph, &[vec![two, minus_one]]);
        let expected = graph.jacobian(&mixed.values, &symbols);
        let at = [0.7, -1.3];
        let (found, expected) = (evaluate(&graph, &mixed.slopes[0], &at), evaluate(&graph, &expected[0], &at));
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-14), "{found:?} {expected:?}");
    }
}
