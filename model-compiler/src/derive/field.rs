//! Fields along a line that are linear in basis functions, and exact integrals of their products.
//!
//! A basis function is a sum of polynomials of ξ, from 0 to 1, with exact coefficients and a factor of parameters each.
//! A planar field has a coefficient for every basis function along each of two axes: what is linear in it needs only the
//! integrals of products of basis functions, which depend on parameters alone.

use crate::expr::{ExprId, Graph, Number};

/// Σ cᵢ ξⁱ.
#[derive(Clone, Debug)]
pub(super) struct Polynomial(Vec<Number>);

impl Polynomial {
    pub fn new(coefficients: &[i64]) -> Self {
        Self(coefficients.iter().map(|&c| Number::from(c)).collect())
    }

    /// d/dξ.
    pub fn derivative(&self) -> Self {
        Self((0i64..).zip(&self.0).skip(1).map(|(i, &c)| Number::from(i) * c).collect())
    }

    /// The value at ξ.
    pub fn at(&self, xi: i64) -> Number {
        self.0.iter().rev().fold(Number::ZERO, |sum, &c| sum * Number::from(xi) + c)
    }

    /// ∫ p q dξ.
    pub fn inner(&self, other: &Self) -> Number {
        let mut sum = Number::ZERO;
        for (i, &a) in self.0.iter().enumerate() {
            for (j, &b) in other.0.iter().enumerate() {
                sum = sum + a * b * Number::ratio(1, (i + j + 1) as i128);
            }
        }
        sum
    }
}

/// A basis function: a sum of polynomials, each with its factor.
pub(super) type BasisFunction = Vec<(ExprId, Polynomial)>;

/// ∫ weight · f g dξ.
pub(super) fn integral(graph: &mut Graph, weight: ExprId, f: &BasisFunction, g: &BasisFunction) -> ExprId {
    let mut sum = graph.zero();
    for (a, p) in f {
        for (b, q) in g {
            let number = graph.number(p.inner(q));
            let term = graph.product(&[number, *a, *b]);
            sum = graph.add(sum, term);
        }
    }
    graph.mul(weight, sum)
}

/// Integrals of products of basis functions.
pub(super) struct Products(pub Vec<Vec<ExprId>>);

/// A planar field: coefficients of the basis functions along x and along y.
#[derive(Clone)]
pub(super) struct VectorField(pub [Vec<ExprId>; 2]);

impl VectorField {
    pub fn zero(graph: &mut Graph, n: usize) -> Self {
        Self([vec![graph.zero(); n], vec![graph.zero(); n]])
    }

    pub fn plus(&self, graph: &mut Graph, other: &VectorField) -> Self {
        let add = |graph: &mut Graph, axis: usize| {
            self.0[axis].iter().zip(&other.0[axis]).map(|(&a, &b)| graph.add(a, b)).collect()
        };
        Self([add(graph, 0), add(graph, 1)])
    }

    pub fn scaled(&self, graph: &mut Graph, factor: ExprId) -> Self {
        let scale = |graph: &mut Graph, axis: usize| self.0[axis].iter().map(|&a| graph.mul(factor, a)).collect();
        Self([scale(graph, 0), scale(graph, 1)])
    }

    /// z × field.
    pub fn turned(&self, graph: &mut Graph) -> Self {
        Self([self.0[1].iter().map(|&y| graph.neg(y)).collect(), self.0[0].clone()])
    }

    /// Integrals of the field with every basis function along each axis.
    pub fn moments(&self, graph: &mut Graph, products: &Products) -> Self {
        let along = |graph: &mut Graph, axis: usize| {
            products.0.iter().map(|row| graph.dot(row, &self.0[axis])).collect::<Vec<_>>()
        };
        Self([along(graph, 0), along(graph, 1)])
    }

    /// The integral of the scalar product with a field whose moments are given.
    pub fn dot(&self, graph: &mut Graph, moments: &VectorField) -> ExprId {
        let [x, y] = [0, 1].map(|axis| graph.dot(&self.0[axis], &moments.0[axis]));
        graph.add(x, y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_sums_of_powers() {
        let polynomial = Polynomial::new(&[2, 3, -1]);
        assert_eq!([0, 1, 2, -3].map(|xi| polynomial.at(xi)), [2, 4, 4, -16].map(Number::from));
    }

    #[test]
    fn integrals_of_products_are_exact() {
        // Hermite's cubics: ∫ (1 − 3ξ² + 2ξ³)² = 13/35, ∫ (1 − 3ξ² + 2ξ³)(ξ − 2ξ² + ξ³) = 11/210, and (6 − 12ξ)² by 12.
        let (place, slope) = (Polynomial::new(&[1, 0, -3, 2]), Polynomial::new(&[0, 1, -2, 1]));
        assert_eq!(place.inner(&place), Number::ratio(13, 35));
        assert_eq!(place.inner(&slope), Number::ratio(11, 210));
        let curvature = place.derivative().derivative();
        assert_eq!(curvature.inner(&curvature), Number::from(12));
    }
}
