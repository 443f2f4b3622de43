//! What judges a design, and how far it is from a first-order optimum: in scaled variables.

use crate::result::Side;

/// What judges a design. Variables are in units of their scale, conditions in theirs; equalities come first, then what must
/// be zero or less.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) objective: f64,
    /// By the variables.
    pub(crate) slopes: Vec<f64>,
    /// What the conditions miss.
    pub(crate) missed: Vec<f64>,
    /// Its slopes, condition by condition.
    pub(crate) rows: Vec<Vec<f64>>,
}

/// A variable this near to a bound, in units of its scale or as a part of its range if that is less, is at the bound.
const AT_BOUND: f64 = 1e-9;

/// The bound that a variable is at.
pub(crate) fn side(x: f64, lower: f64, upper: f64) -> Option<Side> {
    let near = AT_BOUND * (upper - lower).min(1.0);
    match x {
        x if x <= lower + near => Some(Side::Lower),
        x if x >= upper - near => Some(Side::Upper),
        _ => None,
    }
}

/// How far a design is from a first-order optimum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Optimality {
    /// Largest slope of the Lagrange function by a variable, in units of the objective; zero for one at a bound that the
    /// slope leads beyond.
    pub(crate) projected_gradient: f64,
    /// Most that a condition is violated.
    pub(crate) violation: f64,
    /// Largest product of what a condition has left and its multiplier, or negative multiplier.
    pub(crate) complementarity: f64,
}

impl Optimality {
    /// With these multipliers of the objective in its unit.
    pub(crate) fn new(
        judged: &Judged,
        x: &[f64],
        bounds: (&[f64], &[f64]),
        multipliers: &[f64],
        equalities: usize,
        unit: f64,
    ) -> Self {
        let pairs = || multipliers.iter().zip(&judged.rows);
        let slope = |place: usize| {
            // A variable that has left its scale behind counts by its own size: otherwise an objective without a least
            // value, or a scale that is much too small, would look flat.
            let size = x[place].abs().max(1.0);
            let slope = judged.slopes[place] / unit + pairs().map(|(factor, row)| factor * row[place]).sum::<f64>();
            let slope = size * slope;
            match side(x[place], bounds.0[place], bounds.1[place]) {
                Some(Side::Lower) if slope > 0.0 => 0.0,
                Some(Side::Upper) if slope < 0.0 => 0.0,
                _ => slope.abs(),
            }
        };
        let is_equality = |place: usize| place < equalities;
        let missed = judged.missed.iter().enumerate();
        let violated = missed.map(|(place, &missed)| if is_equality(place) { missed.abs() } else { missed.max(0.0) });
        let left = multipliers.iter().zip(&judged.missed).skip(equalities);
        Self {
            projected_gradient: largest((0..x.len()).map(slope)),
            violation: largest(violated),
            complementarity: largest(left.map(|(factor, missed)| (factor * missed).abs().max(-factor))),
        }
    }

    /// Whether all of it is below a tolerance; never with numbers that are none.
    pub(crate) fn is_met(&self, tolerance: f64) -> bool {
        let Self { projected_gradient, violation, complementarity } = *self;
        [projected_gradient, violation, complementarity].iter().all(|missed| *missed <= tolerance)
    }
}

/// The largest of some numbers, or NaN if one is.
fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, |most, number| if number.is_nan() || most.is_nan() { f64::NAN } else { most.max(number) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn optimality(slopes: [f64; 2], missed: [f64; 2], multipliers: [f64; 2]) -> Optimality {
        let rows = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
        let judged = Judged { objective: 1.0, slopes: slopes.to_vec(), missed: missed.to_vec(), rows };
        Optimality::new(&judged, &[0.0, 1.0], (&[0.0, 0.0], &[2.0, 2.0]), &multipliers, 1, 2.0)
    }

    #[test]
    fn a_slope_counts_unless_it_leads_beyond_a_bound() {
        assert_eq!(optimality([4.0, 0.0], [0.0; 2], [0.0; 2]).projected_gradient, 0.0);
        assert_eq!(optimality([-4.0, 0.0], [0.0; 2], [0.0; 2]).projected_gradient, 2.0);
        assert_eq!(optimality([0.0, -4.0], [0.0; 2], [0.0, 2.0]).projected_gradient, 0.0);
    }

    #[test]
    fn far_from_its_scale_a_variable_counts_by_its_size() {
        let judged = Judged { objective: 1e6, slopes: vec![1.0], missed: Vec::new(), rows: Vec::new() };
        let found = Optimality::new(&judged, &[1e6], (&[f64::NEG_INFINITY], &[f64::INFINITY]), &[], 0, 1e6);
        assert_eq!(found.projected_gradient, 1.0);
    }

    #[test]
    fn a_narrow_range_has_a_middle() {
        assert_eq!([0.0, 5e-12, 1e-11].map(|x| side(x, 0.0, 1e-11)), [Some(Side::Lower), None, Some(Side::Upper)]);
        assert_eq!(side(-1e300, f64::NEG_INFINITY, f64::INFINITY), None);
        assert_eq!(side(1.0, f64::NEG_INFINITY, 1.0 + 1e-10), Some(Side::Upper));
    }

    #[test]
    fn conditions_are_met_with_multipliers_of_the_right_sign() {
        assert_eq!(optimality([0.0; 2], [-0.5, -7.0], [0.0; 2]).violation, 0.5);
        assert_eq!(optimality([0.0; 2], [0.0, 0.25], [0.0; 2]).violation, 0.25);
        assert_eq!(optimality([0.0; 2], [0.0, -3.0], [0.0, 0.5]).complementarity, 1.5);
        assert_eq!(optimality([0.0; 2], [0.0, 0.0], [0.0, -0.5]).complementarity, 0.5);
    }

    #[test]
    fn no_number_is_no_optimum() {
        for wrong in [f64::NAN, f64::INFINITY] {
            assert!(!optimality([0.0, wrong], [0.0; 2], [0.0; 2]).is_met(1e300));
            assert!(!optimality([0.0; 2], [wrong, 0.0], [0.0; 2]).is_met(1e300));
            assert!(!optimality([0.0; 2], [0.0; 2], [0.0, wrong]).is_met(1e300));
        }
        assert!(optimality([0.0; 2], [0.0; 2], [0.0; 2]).is_met(0.0));
    }
}
