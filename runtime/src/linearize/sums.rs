//! Sums of products in which terms may cancel: what is left of terms that are equal but for rounding is set to zero, so
//! that motions on which nothing depends show.

use nalgebra::DMatrix;

/// What rounding may leave of a sum, relative to the sum of the magnitudes of its terms.
const OF_PRODUCTS: f64 = 1e-14;
/// The same where terms are solutions of equations.
const OF_SOLUTIONS: f64 = 1e-12;

/// `Σ A B` over pairs of matrices.
pub(crate) fn sum(pairs: &[(&DMatrix<f64>, &DMatrix<f64>)]) -> DMatrix<f64> {
    let product = |(a, b): &(&DMatrix<f64>, &DMatrix<f64>)| *a * *b;
    let size = |(a, b): &(&DMatrix<f64>, &DMatrix<f64>)| a.abs() * b.abs();
    let total = pairs.iter().map(product).reduce(|a, b| a + b);
    let sizes = pairs.iter().map(size).reduce(|a, b| a + b);
    match (total, sizes) {
        (Some(total), Some(sizes)) => without(total, &sizes, OF_PRODUCTS),
        _ => DMatrix::zeros(0, 0),
    }
}

/// A solution `A⁻¹ B`, with the magnitudes of the terms in the product of A⁻¹ and B.
pub(crate) fn solution(found: DMatrix<f64>, pairs: &[(&DMatrix<f64>, &DMatrix<f64>)]) -> DMatrix<f64> {
    let size = |(a, b): &(&DMatrix<f64>, &DMatrix<f64>)| a.abs() * b.abs();
    match pairs.iter().map(size).reduce(|a, b| a + b) {
        Some(sizes) => without(found, &sizes, OF_SOLUTIONS),
        None => found,
    }
}

fn without(mut total: DMatrix<f64>, sizes: &DMatrix<f64>, rounding: f64) -> DMatrix<f64> {
    for (entry, size) in total.iter_mut().zip(sizes.iter()) {
        if entry.abs() <= rounding * size {
            *entry = 0.0;
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounding_leaves_of_equal_terms_is_zero() {
        let third = DMatrix::from_element(1, 1, 1.0 / 3.0);
        let (ten, nearly) =
            (DMatrix::from_element(1, 1, 10.0), DMatrix::from_element(1, 1, -(10.0_f64 / 3.0).next_up()));
        let one = DMatrix::identity(1, 1);
        assert_eq!(sum(&[(&third, &ten), (&nearly, &one)])[(0, 0)], 0.0);
        let small = DMatrix::from_element(1, 1, 1e-12);
        assert_eq!(sum(&[(&small, &one)])[(0, 0)], 1e-12);
        assert_eq!(solution(small, &[(&ten, &one)])[(0, 0)], 0.0);
    }
}
