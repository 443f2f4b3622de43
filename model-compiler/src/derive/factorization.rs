//! M = Lᵀ D L without square roots, with unit lower triangular L: in a tree whose parents are numbered before their
//! children L is as sparse as M, and no zero is filled. [Featherstone 2008, Sec. 6.5]

use crate::expr::{ExprId, Graph};

/// A factorized mass matrix.
pub(super) struct Factorization {
    /// L below its diagonal of ones; row i has i entries.
    lower: Vec<Vec<ExprId>>,
    inverse_pivots: Vec<ExprId>,
    pivots: Vec<ExprId>,
}

impl Factorization {
    /// Number of products in the factorization of a matrix, of which the lower triangle is read.
    pub(super) fn products(graph: &Graph, matrix: &[Vec<ExprId>]) -> u64 {
        let coupled = |row: usize| matrix[row][..row].iter().filter(|&&entry| !graph.is_zero(entry)).count() as u64;
        (0..matrix.len()).map(coupled).map(|coupled| coupled * (coupled + 1) / 2 + coupled).sum()
    }

    /// Factorizes a symmetric matrix, of which the lower triangle is read.
    pub(super) fn new(graph: &mut Graph, matrix: &[Vec<ExprId>]) -> Self {
        let n = matrix.len();
        let mut lower = matrix.to_vec();
        let mut inverse_pivots = vec![graph.one(); n];
        let mut pivots = inverse_pivots.clone();
        for k in (0..n).rev() {
            let one = graph.one();
            pivots[k] = lower[k][k];
            inverse_pivots[k] = graph.div(one, pivots[k]);
            let row: Vec<ExprId> = lower[k][..k].iter().map(|&entry| graph.mul(inverse_pivots[k], entry)).collect();
            let coupled: Vec<usize> = (0..k).filter(|&j| !graph.is_zero(row[j])).collect();
            for (place, &i) in coupled.iter().enumerate() {
                for &j in &coupled[..=place] {
                    let product = graph.mul(row[i], lower[k][j]);
                    lower[i][j] = graph.sub(lower[i][j], product);
                }
            }
            lower[k] = row;
        }
        Self { lower, inverse_pivots, pivots }
    }

    /// L with its diagonal, row by row, and the diagonal of D.
    pub(super) fn factors(&self, graph: &mut Graph) -> (Vec<Vec<ExprId>>, &[ExprId]) {
        let (zero, one) = (graph.zero(), graph.one());
        let rest = |row: &[ExprId]| std::iter::repeat_n(zero, self.lower.len() - row.len() - 1);
        let rows = self.lower.iter().map(|row| row.iter().copied().chain([one]).chain(rest(row)).collect());
        (rows.collect(), &self.pivots)
    }

    /// M⁻¹ b.
    pub(super) fn solve(&self, graph: &mut Graph, b: &[ExprId]) -> Vec<ExprId> {
        let mut x = self.eliminated(graph, b);
        for (i, row) in self.lower.iter().enumerate() {
            let scaled = graph.mul(self.inverse_pivots[i], x[i]);
            let known = graph.dot(row, &x[..i]);
            x[i] = graph.sub(scaled, known);
        }
        x
    }

    /// −M⁻¹ b = −(L⁻¹ D⁻¹) L⁻ᵀ b, where L⁻¹ D⁻¹ is known.
    ///
    /// An entry of the result depends only on what its row has in common with the entries of `b` on their ways to the
    /// ground, where substitution takes all that is between the row and the ground.
    pub(super) fn minus_solved(&self, graph: &mut Graph, weighted: &[Vec<ExprId>], b: &[ExprId]) -> Vec<ExprId> {
        let left = self.eliminated(graph, b);
        let value = |row: &Vec<ExprId>| {
            let minus: Vec<ExprId> = row.iter().map(|&factor| graph.neg(factor)).collect();
            graph.dot(&minus, &left[..row.len()])
        };
        weighted.iter().map(value).collect()
    }

    /// L⁻ᵀ b.
    fn eliminated(&self, graph: &mut Graph, b: &[ExprId]) -> Vec<ExprId> {
        let mut x = b.to_vec();
        for (i, row) in self.lower.iter().enumerate().rev() {
            for (j, &entry) in row.iter().enumerate() {
                let product = graph.mul(entry, x[i]);
                x[j] = graph.sub(x[j], product);
            }
        }
        x
    }

    /// L⁻¹ D⁻¹; row i has i + 1 entries.
    pub(super) fn weighted(&self, graph: &mut Graph) -> Vec<Vec<ExprId>> {
        let rows = self.inverse_lower(graph);
        let weighted =
            |row: &Vec<ExprId>| row.iter().zip(&self.inverse_pivots).map(|(&entry, &d)| graph.mul(entry, d)).collect();
        rows.iter().map(weighted).collect()
    }

    /// M⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ, row by row.
    pub(super) fn inverse(&self, graph: &mut Graph) -> Vec<Vec<ExprId>> {
        let n = self.lower.len();
        let (rows, weighted) = (self.inverse_lower(graph), self.weighted(graph));
        let mut inverse = vec![vec![graph.zero(); n]; n];
        for i in 0..n {
            for j in i..n {
                inverse[i][j] = graph.dot(&weighted[i], &rows[j][..=i]);
                inverse[j][i] = inverse[i][j];
            }
        }
        inverse
    }

    /// L⁻¹ with its diagonal; row i has i + 1 entries.
    fn inverse_lower(&self, graph: &mut Graph) -> Vec<Vec<ExprId>> {
        let mut inverse: Vec<Vec<ExprId>> = Vec::new();
        for (i, row) in self.lower.iter().enumerate() {
            let mut inverse_row = Vec::with_capacity(i + 1);
            for j in 0..i {
                let column: Vec<ExprId> = inverse[j..].iter().map(|above: &Vec<ExprId>| above[j]).collect();
                let sum = graph.dot(&row[j..], &column);
                inverse_row.push(graph.neg(sum));
            }
            inverse_row.push(graph.one());
            inverse.push(inverse_row);
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Stage, evaluate};

    /// The inertias of a trunk with two arms of two joints: arms do not couple.
    const MATRIX: [[f64; 5]; 5] = [
        [9.0, 2.0, 1.0, 2.0, 0.5],
        [2.0, 4.0, 1.0, 0.0, 0.0],
        [1.0, 1.0, 2.0, 0.0, 0.0],
        [2.0, 0.0, 0.0, 5.0, 1.5],
        [0.5, 0.0, 0.0, 1.5, 3.0],
    ];

    #[test]
    fn solves_and_inverts_without_filling_zeros() {
        let mut graph = Graph::new();
        let mut point = Vec::new();
        let mut symbol = |graph: &mut Graph, value: f64| {
            point.push(value);
            graph.symbol(&format!("x{}", point.len()), Stage::Position)
        };
        let mut matrix = vec![vec![graph.zero(); 5]; 5];
        for i in 0..5 {
            for j in 0..=i {
                if MATRIX[i][j] != 0.0 {
                    matrix[i][j] = symbol(&mut graph, MATRIX[i][j]);
                    matrix[j][i] = matrix[i][j];
                }
            }
        }
        let right = [1.0, -2.0, 0.5, 3.0, 0.25];
        let b: Vec<ExprId> = right.iter().map(|&value| symbol(&mut graph, value)).collect();

        let factorization = Factorization::new(&mut graph, &matrix);
        assert!((3..5).all(|i| (1..3).all(|j| graph.is_zero(factorization.lower[i][j]))));
        let solution = factorization.solve(&mut graph, &b);
        let x = evaluate(&graph, &solution, &point);
        let inverse = factorization.inverse(&mut graph);
        for i in 0..5 {
            let image: f64 = (0..5).map(|j| MATRIX[i][j] * x[j]).sum();
            assert!((image - right[i]).abs() < 1e-14, "row {i}: {image}");
            let row = evaluate(&graph, &inverse[i], &point);
            let direct: f64 = row.iter().zip(right).map(|(m, b)| m * b).sum();
            assert!((direct - x[i]).abs() < 1e-14, "row {i}: {direct}");
        }
        let weighted = factorization.weighted(&mut graph);
        // Along a branch, along the trunk alone, and along both arms.
        for there in [[1, 1, 0, 0, 1], [0, 0, 1, 0, 0], [1, 0, 0, 0, 0], [0, 0, 1, 0, 1]] {
            let zero = graph.zero();
            let b: Vec<ExprId> = b.iter().zip(there).map(|(&b, there)| if there == 1 { b } else { zero }).collect();
            let right: Vec<f64> = right.iter().zip(there).map(|(b, there)| b * f64::from(there)).collect();
            let solution = factorization.minus_solved(&mut graph, &weighted, &b);
            let x = evaluate(&graph, &solution, &point);
            for i in 0..5 {
                let image: f64 = (0..5).map(|j| MATRIX[i][j] * x[j]).sum();
                assert!((image + right[i]).abs() < 1e-14, "{there:?}, row {i}: {image}");
            }
        }
    }
}
