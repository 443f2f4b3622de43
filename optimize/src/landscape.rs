//! Designs as the search sees them: numbers in units of their scale.

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::rc::Rc;

use basin::{
    BoxBounds, ConstraintDescription, ConstraintJacobian, ConstraintSet, ConstraintSolveError, Constraints,
    CostFunction, DenseMatrix, Gradient, NoLinearConstraints, NonlinearBlock, NonlinearBlocks, NonlinearEqualityValues,
    NonlinearInequalityValues,
};

use crate::error::Rejection;
use crate::optimality::Judged;

/// What was judged last, and how often.
pub(crate) struct Judge<'j> {
    judge: &'j dyn Fn(&[f64]) -> Result<Judged, Rejection>,
    last: RefCell<Option<(Vec<f64>, Option<Rc<Judged>>)>>,
    pub(crate) evaluations: Cell<u64>,
    pub(crate) rejections: Cell<u64>,
    pub(crate) last_rejection: RefCell<Option<Rejection>>,
}

impl<'j> Judge<'j> {
    pub(crate) fn new(judge: &'j dyn Fn(&[f64]) -> Result<Judged, Rejection>) -> Self {
        Self {
            judge,
            last: RefCell::default(),
            evaluations: Cell::new(0),
            rejections: Cell::new(0),
            last_rejection: RefCell::default(),
        }
    }

    /// The judgement on a design, unless it is rejected. The search asks for its parts one after the other.
    pub(crate) fn of(&self, x: &[f64]) -> Option<Rc<Judged>> {
        if let Some((last, judged)) = &*self.last.borrow()
            && last == x
        {
            return judged.clone();
        }
        self.evaluations.set(self.evaluations.get() + 1);
        let judged = match (self.judge)(x) {
            Ok(judged) => Some(Rc::new(judged)),
            Err(rejection) => {
                self.rejections.set(self.rejections.get() + 1);
                self.last_rejection.replace(Some(rejection));
                None
            }
        };
        self.last.replace(Some((x.to_vec(), judged.clone())));
        judged
    }
}

/// The problem of the search. Everything of a design that is rejected is NaN, and the search takes a shorter step.
pub(crate) struct Landscape<'j> {
    pub(crate) judge: &'j Judge<'j>,
    pub(crate) lower: &'j Vec<f64>,
    pub(crate) upper: &'j Vec<f64>,
    /// How many conditions are equalities, and how many are not.
    pub(crate) conditions: (usize, usize),
    /// What counts as one of the objective.
    pub(crate) unit: f64,
}

impl Landscape<'_> {
    /// What these conditions miss.
    fn missed(&self, x: &[f64], (first, count): (usize, usize)) -> Vec<f64> {
        let judged = self.judge.of(x);
        judged.map_or_else(|| vec![f64::NAN; count], |judged| judged.missed[first..first + count].to_vec())
    }
}

/// Bounds, and conditions of both kinds.
type Set = ConstraintSet<BoxBounds<Vec<f64>>, NoLinearConstraints, NonlinearBlocks<NonlinearBlock, NonlinearBlock>>;

impl Constraints for Landscape<'_> {
    type Set = Set;

    fn constraints(&self) -> <Set as ConstraintDescription>::Borrowed<'_> {
        let set = ConstraintSet::new().with_bounds(BoxBounds::new(Some(self.lower), Some(self.upper)));
        set.with_nonlinear_equalities(self.conditions.0).with_nonlinear_inequalities(self.conditions.1)
    }
}

impl CostFunction for Landscape<'_> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Infallible;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Infallible> {
        Ok(self.judge.of(x).map_or(f64::NAN, |judged| judged.objective / self.unit))
    }
}

impl Gradient for Landscape<'_> {
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Infallible> {
        let slopes = |judged: Rc<Judged>| judged.slopes.iter().map(|slope| slope / self.unit).collect();
        Ok(self.judge.of(x).map_or_else(|| vec![f64::NAN; x.len()], slopes))
    }
}

impl NonlinearEqualityValues for Landscape<'_> {
    type Param = Vec<f64>;
    type Values = Vec<f64>;
    type Error = Infallible;

    fn nonlinear_equalities(&self, x: &Vec<f64>) -> Result<Vec<f64>, ConstraintSolveError<Infallible>> {
        Ok(self.missed(x, (0, self.conditions.0)))
    }
}

impl NonlinearInequalityValues for Landscape<'_> {
    type Param = Vec<f64>;
    type Values = Vec<f64>;
    type Error = Infallible;

    fn nonlinear_inequalities(&self, x: &Vec<f64>) -> Result<Vec<f64>, ConstraintSolveError<Infallible>> {
        Ok(self.missed(x, self.conditions))
    }
}

impl ConstraintJacobian for Landscape<'_> {
    type Param = Vec<f64>;
    type Jacobian = DenseMatrix;
    type Error = Infallible;

    fn constraint_jacobian(&self, x: &Vec<f64>) -> Result<DenseMatrix, ConstraintSolveError<Infallible>> {
        let count = self.conditions.0 + self.conditions.1;
        let nothing = || vec![f64::NAN; count * x.len()];
        let entries = self.judge.of(x).map_or_else(nothing, |judged| judged.rows.concat());
        Ok(DenseMatrix::from_row_slice(count, x.len(), &entries))
    }
}
