//! Sums of squares as the search of the library sees them.

use std::convert::Infallible;

use basin::{
    BoxBounds, ConstraintDescription, ConstraintSet, Constraints, CostFunction, DenseMatrix, Jacobian, Residual,
};

/// Residuals at a point and, where they are wanted, their derivatives row by row; not finite where there are none, from which
/// the search keeps away.
pub(crate) type Evaluate<'e> = &'e dyn Fn(&[f64], bool) -> (Vec<f64>, Vec<Vec<f64>>);

/// A sum of squares whose unknowns have bounds.
pub(crate) struct Squares<'e> {
    pub(crate) evaluate: Evaluate<'e>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
}

impl Constraints for Squares<'_> {
    type Set = ConstraintSet<BoxBounds<Vec<f64>>>;

    fn constraints(&self) -> <Self::Set as ConstraintDescription>::Borrowed<'_> {
        ConstraintSet::new().with_bounds(BoxBounds::new(Some(&self.lower), Some(&self.upper)))
    }
}

impl CostFunction for Squares<'_> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Infallible;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Infallible> {
        Ok(0.5 * (self.evaluate)(x, false).0.iter().map(|residual| residual * residual).sum::<f64>())
    }
}

impl Residual for Squares<'_> {
    type Param = Vec<f64>;
    type Output = Vec<f64>;
    type Error = Infallible;

    fn residual(&self, x: &Vec<f64>) -> Result<Vec<f64>, Infallible> {
        Ok((self.evaluate)(x, false).0)
    }
}

impl Jacobian for Squares<'_> {
    type Jacobian = DenseMatrix;

    fn jacobian(&self, x: &Vec<f64>) -> Result<DenseMatrix, Infallible> {
        Ok(self.residual_and_jacobian(x)?.1)
    }

    fn residual_and_jacobian(&self, x: &Vec<f64>) -> Result<(Vec<f64>, DenseMatrix), Infallible> {
        let (residuals, rows) = (self.evaluate)(x, true);
        let matrix = DenseMatrix::from_row_slice(rows.len(), x.len(), &rows.concat());
        Ok((residuals, matrix))
    }
}
