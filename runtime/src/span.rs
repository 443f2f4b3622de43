//! Rows that follow from others, and what goes with them.

use nalgebra::DVector;

use crate::prelude::*;

/// What is left of a row below this part of it is rounding.
const LEFT: f64 = 1e-9;

/// What rows span, each with a vector that goes with it, such as its derivatives.
#[derive(Default)]
pub(crate) struct Span {
    /// Rows of length one, at right angles.
    known: Vec<[DVector<f64>; 2]>,
}

impl Span {
    /// Adds a row. Where it follows from those before, as a sum of them, what goes with it less the same sum of what goes with
    /// them: zero where it follows in all that is alike.
    pub(crate) fn take(&mut self, mut row: DVector<f64>, mut with: DVector<f64>) -> Option<DVector<f64>> {
        let size = row.norm();
        // Once more, so that rounding is at right angles too.
        for _ in 0..2 {
            for [known, own] in &self.known {
                let part = known.dot(&row);
                row.axpy(-part, known, 1.0);
                with.axpy(-part, own, 1.0);
            }
        }
        let left = row.norm();
        if left <= LEFT * size {
            return Some(with);
        }
        self.known.push([row / left, with / left]);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_with_what_goes_with_them() {
        let vector = |values: &[f64]| DVector::from_column_slice(values);
        let mut span = Span::default();
        assert_eq!(span.take(vector(&[1.0, 2.0, 0.0]), vector(&[5.0])), None);
        assert_eq!(span.take(vector(&[0.0, 1e-3, 1e-3]), vector(&[1.0])), None);
        // 2 a − 1000 b, and what goes with that, or something else.
        for (with, left) in [(-990.0, 0.0), (10.0, 1000.0)] {
            let found = span.take(vector(&[2.0, 3.0, -1.0]), vector(&[with])).unwrap();
            assert!((found[0] - left).abs() < 1e-9, "{found}");
        }
        assert_eq!(span.take(vector(&[0.0, 0.0, 1.0]), vector(&[0.0])), None);
        assert!(span.take(vector(&[0.3, 0.1, 7.0]), vector(&[0.0])).is_some());
    }
}
