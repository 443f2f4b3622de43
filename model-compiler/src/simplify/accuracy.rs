//! Rounding errors of a function, by comparison with numbers of about 31 digits.
//!
//! Reassociation is acceptable if it does not lose digits by cancellation that the original kept. Errors are counted in
//! units of 2⁻⁵³, relative to the result or to a hundredth of the largest result at that point, whichever is larger.

use crate::expr::{Binary, DoubleDouble, ExprId, Graph, Number, Scalar, Stage, Unary, evaluate_each};

/// The errors of a function over all points and results.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Errors {
    /// The largest error, in units of 2⁻⁵³.
    pub worst: f64,
    /// The mean error, in units of 2⁻⁵³.
    pub mean: f64,
}

/// Rounding errors before and after simplification.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Accuracy {
    /// Of the function as derived.
    pub input: Errors,
    /// Of the simplified function.
    pub output: Errors,
}

/// The exact results of a function at pseudo-random points.
pub(super) struct Reference {
    points: Vec<Vec<f64>>,
    results: Vec<Vec<DoubleDouble>>,
    errors: Errors,
}

impl Reference {
    /// Evaluates the function at the given number of points.
    pub(super) fn new(graph: &Graph, roots: &[ExprId], points: usize) -> Reference {
        let points = sample(graph, points);
        let exact = |point: &Vec<f64>| point.iter().map(|&value| DoubleDouble::from_f64(value)).collect();
        let results = evaluate_each(graph, roots, points.iter().map(exact));
        let mut reference = Reference { points, results, errors: Errors::default() };
        reference.errors = reference.measure(graph, roots);
        reference
    }

    /// The errors of the function itself.
    pub(super) fn errors(&self) -> Errors {
        self.errors
    }

    /// The errors of another form of the function, over the same symbols.
    pub(super) fn measure(&self, graph: &Graph, roots: &[ExprId]) -> Errors {
        let (mut worst, mut sum, mut count) = (0.0_f64, 0.0, 0_u32);
        let rounded = |point: &Vec<f64>| point.iter().map(|&value| Rounded(value)).collect();
        let results = evaluate_each(graph, roots, self.points.iter().map(rounded));
        for (results, exact) in results.iter().zip(&self.results) {
            let finite = exact.iter().map(|value| value.high.abs()).filter(|value| value.is_finite());
            let largest = finite.fold(0.0, f64::max);
            for (value, exact) in results.iter().zip(exact).filter(|(_, exact)| exact.high.is_finite()) {
                let scale = exact.high.abs().max(1e-2 * largest);
                let error = ((value.0 - exact.high) - exact.low).abs();
                let relative = if error == 0.0 { 0.0 } else { error / scale / (0.5 * f64::EPSILON) };
                // A result that is undefined where the original is defined has an infinite error.
                let relative = if relative.is_nan() { f64::INFINITY } else { relative };
                worst = worst.max(relative);
                sum += relative;
                count += 1;
            }
        }
        Errors { worst, mean: sum / f64::from(count.max(1)) }
    }

    /// Whether errors are acceptable: the worst at most 8 times, the mean at most 1.25 times that of the original.
    pub(super) fn accepts(&self, errors: Errors) -> bool {
        // If the original rounds once, two roundings of an equivalent form are still acceptable.
        const ROUNDING: Errors = Errors { worst: 4.0, mean: 1.0 };
        errors.worst <= (8.0 * self.errors.worst).max(ROUNDING.worst)
            && errors.mean <= (1.25 * self.errors.mean).max(ROUNDING.mean)
    }
}

/// Number of points for a function of this size: fewer for a large one, which has more results at each.
pub(super) fn points_for(operations: usize, most: usize) -> usize {
    const OPERATIONS: usize = 20_000;
    /// Points of functions that need more than [`OPERATIONS`] for them, up to so many operations; then fewer, down to the
    /// last.
    const FEW: usize = 32;
    const MOST_OPERATIONS: usize = 640_000;
    const FEWEST: usize = 8;
    let operations = operations.max(1);
    let few = (MOST_OPERATIONS / operations).clamp(FEWEST, FEW);
    (OPERATIONS / operations).clamp(few.min(most), most)
}

/// Values of moderate size: parameters positive, all others of either sign.
fn sample(graph: &Graph, points: usize) -> Vec<Vec<f64>> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut value = |stage: Stage| {
        let magnitude = 0.3 + 1.1 * random();
        let is_negative = random() < 0.5 && stage > Stage::Parameter;
        if is_negative { -magnitude } else { magnitude }
    };
    (0..points).map(|_| graph.symbols().iter().map(|symbol| value(symbol.stage)).collect()).collect()
}

/// An `f64` whose sines and cosines are rounded from exact values, because those of the library differ between
/// machines.
#[derive(Clone, Copy)]
struct Rounded(f64);

impl Scalar for Rounded {
    fn from_f64(value: f64) -> Rounded {
        Rounded(value)
    }

    fn from_number(number: Number) -> Rounded {
        Rounded(number.to_f64())
    }

    fn unary(&self, op: Unary) -> Rounded {
        match op {
            Unary::Sin | Unary::Cos => Rounded(DoubleDouble::from_f64(self.0).unary(op).to_f64()),
            _ => Rounded(self.0.unary(op)),
        }
    }

    fn binary(&self, op: Binary, other: &Rounded) -> Rounded {
        Rounded(self.0.binary(op, &other.0))
    }

    fn select_less(lhs: &Rounded, rhs: &Rounded, then: &Rounded, otherwise: &Rounded) -> Rounded {
        if lhs.0 < rhs.0 { *then } else { *otherwise }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_cancellation() {
        let mut graph = Graph::new();
        let [x, y] = ["x", "y"].map(|name| graph.symbol(name, Stage::Position));
        let root = graph.mul(x, y);
        let reference = Reference::new(&graph, &[root], 50);
        assert!(reference.accepts(reference.errors()) && reference.errors().worst <= 1.0);
        let huge = graph.float(1e6);
        let shifted = graph.add(root, y);
        let scaled = graph.mul(huge, y);
        let far = graph.add(shifted, scaled);
        let back = graph.sub(far, scaled);
        let cancelled = graph.sub(back, y);
        assert!(!reference.accepts(reference.measure(&graph, &[cancelled])));
    }

    /// Of a function whose worst error is 2 and mean error 1 roundings.
    #[test]
    fn both_the_worst_and_the_mean_error_are_limited() {
        let errors = |worst, mean| Errors { worst, mean };
        let reference = Reference { points: Vec::new(), results: Vec::new(), errors: errors(2.0, 1.0) };
        assert!(reference.accepts(errors(16.0, 1.25)));
        assert!(!reference.accepts(errors(16.1, 0.5)) && !reference.accepts(errors(1.0, 1.3)));
        // Two roundings are accepted in place of none.
        let exact = Reference { errors: Errors::default(), ..reference };
        assert!(
            exact.accepts(errors(4.0, 1.0)) && !exact.accepts(errors(4.1, 1.0)) && !exact.accepts(errors(4.0, 1.1))
        );
    }

    /// The mean lies between the least and the worst error: of a product, which rounds once, below one half of an ulp.
    #[test]
    fn errors_of_a_product_are_one_rounding() {
        let mut graph = Graph::new();
        let [x, y] = ["x", "y"].map(|name| graph.symbol(name, Stage::Position));
        let product = graph.mul(x, y);
        let Errors { worst, mean } = Reference::new(&graph, &[product], 200).errors();
        assert!(worst > 0.5 && worst <= 1.0, "{worst}");
        assert!(mean > 0.2 && mean < 0.5, "{mean}");
    }

    /// Angles and sines that are rounded from exact values: one rounding each, whatever the library of the machine does.
    #[test]
    fn sines_are_rounded_from_exact_values() {
        let mut graph = Graph::new();
        let x = graph.symbol("x", Stage::Position);
        let roots = [graph.sin(x), graph.cos(x)];
        assert!(Reference::new(&graph, &roots, 500).errors().worst <= 1.0);
        for k in 0..2000 {
            let angle = 0.003 * f64::from(k);
            let exact = DoubleDouble::from_f64(angle).unary(Unary::Sin).to_f64();
            assert_eq!(Rounded(angle).unary(Unary::Sin).0.to_bits(), exact.to_bits());
        }
    }

    #[test]
    fn large_functions_have_fewer_points() {
        let points = [1, 100, 1000, 20_000, 40_000, 1_000_000].map(|size| points_for(size, 400));
        assert_eq!(points, [400, 200, 32, 32, 16, 8]);
        assert_eq!([points_for(0, 400), points_for(1, 4), points_for(1_000_000, 4)], [400, 4, 4]);
    }

    #[test]
    fn points_without_a_result_do_not_count() {
        let mut graph = Graph::new();
        let x = graph.symbol("x", Stage::Position);
        let root = graph.sqrt(x);
        let reference = Reference::new(&graph, &[root], 50);
        assert!(reference.errors().worst <= 1.0);
    }
}
