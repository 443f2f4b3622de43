//! Eigenvalues and eigenvectors of real matrices without symmetry.
//!
//! The matrix is scaled, and taken apart into the parts that depend on each other: eigenvalues are those of the parts, so
//! that motions on which nothing depends have an eigenvalue of exactly zero, however often it occurs. Each part is brought
//! to Schur's form; vectors on both sides follow by inverse iteration, and improve the eigenvalue by Rayleigh's quotient.
//! They also tell what rounding of the entries changes it by, and whether it can be told from zero.

use nalgebra::{Complex, DMatrix, DVector, Hessenberg, Schur};

use super::hessenberg::Shifted;
use crate::prelude::*;
use crate::random::Random;

/// An entry below this part of the largest in its row and of the largest in its column is rounding.
const ROUNDING: f64 = 1e-13;
/// An entry below this part of the largest in all rows of its kind, of displacements or of the rest, is the product of two
/// roundings, as of a lean and a rate that are to be zero; scaling would take it for the size of its row.
const NOTHING: f64 = 1e-26;
/// Steps of the iteration for Schur's form, for each row.
const STEPS: usize = 60;
/// Rotations of the axes that are tried where that iteration does not end.
const ATTEMPTS: usize = 4;
/// Rayleigh's quotient is used where the vectors on both sides are not nearly perpendicular, which they are where two
/// eigenvalues meet.
const REGULAR: f64 = 1e-5;

/// An entry below this part of the largest in its row is rounding of the equations that the row was solved from; a column
/// of nothing else would be scaled up.
const OF_ROW: f64 = 4.0 * f64::EPSILON;
/// A real part below this part of the magnitude of a complex eigenvalue is rounding.
const UNDAMPED: f64 = 8.0 * f64::EPSILON;

/// An eigenvalue of which rounding may be a larger part is zero: rounding divides double zeros, as of bodies that nothing
/// holds, into eigenvalues of the root of its size.
const UNTOLD: f64 = 0.1;

/// An eigenvalue with its vectors: `A x = λ x` and `yᴴ A = λ yᴴ`, both of length one.
#[derive(Clone, Debug)]
pub(crate) struct Eigen {
    pub value: Complex<f64>,
    /// By how much it changes where each entry of the matrix is rounded, at most.
    pub rounding: f64,
    pub right: DVector<Complex<f64>>,
    pub left: DVector<Complex<f64>>,
}

/// All eigenvalues, by magnitude and then by real part, of conjugate ones first that with the positive imaginary part;
/// `None` if the matrix is not finite or the iteration does not end. The first rows are those of so many displacements, whose
/// entries have another unit than those below: in SI units the latter are 10²⁹ times as large for the atoms of a molecule.
pub(crate) fn decompose(matrix: &DMatrix<f64>, displacements: usize) -> Option<Vec<Eigen>> {
    if matrix.iter().any(|entry| !entry.is_finite()) {
        return None;
    }
    let n = matrix.nrows();
    if n == 0 {
        return Some(Vec::new());
    }
    let mut matrix = matrix.clone();
    for (first, count) in [(0, displacements), (displacements, n - displacements)] {
        let mut kind = matrix.rows_mut(first, count);
        let least = NOTHING * kind.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
        for mut row in kind.row_iter_mut() {
            let least = least.max(OF_ROW * row.amax());
            row.iter_mut().filter(|entry| entry.abs() < least).for_each(|entry| *entry = 0.0);
        }
    }
    let (balanced, scales) = balanced(matrix);
    // Entries at rounding connect no parts, but within one all count.
    let mut connected = without_rounding(balanced.clone());
    let mut values = Vec::with_capacity(n);
    for part in parts(&connected).into_iter().filter(|part| !part.is_empty()) {
        if part.len() > 1 {
            for (&i, &j) in part.iter().flat_map(|i| part.iter().map(move |j| (i, j))) {
                connected[(i, j)] = balanced[(i, j)];
            }
        }
        let own = connected.select_columns(&part).select_rows(&part);
        values.extend(eigenvalues(own)?);
    }
    let balanced = connected;
    let sizes = balanced.abs();
    values.sort_by(|a, b| {
        let size = |value: &Complex<f64>| value.norm();
        size(a).total_cmp(&size(b)).then(a.re.total_cmp(&b.re)).then(b.im.total_cmp(&a.im))
    });
    let (axes, reduced) = Hessenberg::new(balanced.clone()).unpack();
    let axes = axes.map(|entry| Complex::new(entry, 0.0));
    let mut found: Vec<Eigen> = Vec::with_capacity(n);
    for (index, &value) in values.iter().enumerate() {
        // The vectors of a conjugate pair are conjugate.
        if value.im < 0.0
            && let Some(last) = found.last().filter(|last| last.value.im > 0.0)
        {
            let (value, rounding) = (last.value.conj(), last.rounding);
            found.push(Eigen { value, rounding, right: last.right.conjugate(), left: last.left.conjugate() });
            continue;
        }
        let shifted = Shifted::new(&reduced, value);
        let start = start(n, index);
        let inside = |vector: DVector<Complex<f64>>| &axes * vector;
        let right = inside(iterate(&start, |vector| shifted.solve(vector)));
        let left = inside(iterate(&start, |vector| shifted.solve_adjoint(vector)));
        let value = improved(&balanced, value, &right, &left);
        let rounding = rounding(&sizes, &right, &left);
        let value = if rounding > UNTOLD * value.norm() { Complex::new(0.0, 0.0) } else { value };
        let scaled = |vector: DVector<Complex<f64>>, by: &dyn Fn(f64) -> f64| {
            let vector = DVector::from_fn(n, |i, _| vector[i] * by(scales[i]));
            vector.unscale(vector.norm())
        };
        let (right, left) = (scaled(right, &|scale| scale), scaled(left, &|scale| 1.0 / scale));
        found.push(Eigen { value, rounding, right: in_phase(right), left: in_phase(left) });
    }
    Some(found)
}

/// `D⁻¹ A D` with rows and columns of about the same size, and the diagonal of D, of powers of two.
fn balanced(mut matrix: DMatrix<f64>) -> (DMatrix<f64>, Vec<f64>) {
    let n = matrix.nrows();
    let mut scales = vec![1.0; n];
    let mut is_changing = true;
    while is_changing {
        is_changing = false;
        for i in 0..n {
            let others = || (0..n).filter(|&j| j != i);
            let column: f64 = others().map(|j| matrix[(j, i)].abs()).sum();
            let row: f64 = others().map(|j| matrix[(i, j)].abs()).sum();
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let factor = (0.5 * (row / column).log2()).round().exp2();
            if column * factor + row / factor < 0.95 * (column + row) {
                is_changing = true;
                scales[i] *= factor;
                matrix.column_mut(i).scale_mut(factor);
                matrix.row_mut(i).unscale_mut(factor);
            }
        }
    }
    (matrix, scales)
}

/// A balanced matrix with zeros where entries are rounding.
fn without_rounding(mut matrix: DMatrix<f64>) -> DMatrix<f64> {
    let of_rows: Vec<f64> = matrix.row_iter().map(|row| row.amax()).collect();
    let of_columns: Vec<f64> = matrix.column_iter().map(|column| column.amax()).collect();
    for (j, mut column) in matrix.column_iter_mut().enumerate() {
        for (entry, of_row) in column.iter_mut().zip(&of_rows) {
            if entry.abs() <= ROUNDING * of_row.min(of_columns[j]) {
                *entry = 0.0;
            }
        }
    }
    matrix
}

/// Sets of indices that depend on each other, directly or through others; together they are all.
fn parts(matrix: &DMatrix<f64>) -> Vec<Vec<usize>> {
    let n = matrix.nrows();
    let depends = |i: usize, j: usize| matrix[(i, j)] != 0.0;
    let reached = |from: usize, depends: &dyn Fn(usize, usize) -> bool| {
        let (mut is_reached, mut open) = (vec![false; n], vec![from]);
        is_reached[from] = true;
        while let Some(i) = open.pop() {
            for j in 0..n {
                if !is_reached[j] && depends(i, j) {
                    is_reached[j] = true;
                    open.push(j);
                }
            }
        }
        is_reached
    };
    let (mut is_placed, mut parts) = (vec![false; n], Vec::new());
    for i in 0..n {
        if is_placed[i] {
            continue;
        }
        let (to, from) = (reached(i, &depends), reached(i, &|a, b| depends(b, a)));
        let part: Vec<usize> = (i..n).filter(|&j| to[j] && from[j]).collect();
        part.iter().for_each(|&j| is_placed[j] = true);
        parts.push(part);
    }
    parts
}

/// Eigenvalues of a matrix by Schur's form.
fn eigenvalues(matrix: DMatrix<f64>) -> Option<Vec<Complex<f64>>> {
    let n = matrix.nrows();
    if n == 1 {
        return Some(vec![Complex::new(matrix[(0, 0)], 0.0)]);
    }
    let mut random = Random(1);
    let mut turned = matrix;
    for _ in 0..ATTEMPTS {
        if let Some(schur) = Schur::try_new(turned.clone(), f64::EPSILON, STEPS * n) {
            return Some(of_blocks(&schur.unpack().1));
        }
        // In other axes the iteration takes another way: matrices of rotations can hold it forever.
        let mirror = DVector::from_fn(n, |_, _| random.next()).normalize();
        let mirrored = &turned - (2.0 * &mirror) * (mirror.transpose() * &turned);
        turned = &mirrored - (&mirrored * &mirror) * (2.0 * mirror.transpose());
    }
    None
}

/// Eigenvalues of a matrix with blocks of one or two rows on its diagonal and zeros below.
fn of_blocks(form: &DMatrix<f64>) -> Vec<Complex<f64>> {
    let (n, mut values, mut i) = (form.nrows(), Vec::new(), 0);
    while i < n {
        let below = if i + 1 < n { form[(i + 1, i)] } else { 0.0 };
        if below == 0.0 {
            values.push(Complex::new(form[(i, i)], 0.0));
            i += 1;
            continue;
        }
        let (a, b, d) = (form[(i, i)], form[(i, i + 1)], form[(i + 1, i + 1)]);
        let (mean, half) = (0.5 * (a + d), 0.5 * (a - d));
        let square = half * half + b * below;
        if square < 0.0 {
            let im = (-square).sqrt();
            values.extend([Complex::new(mean, im), Complex::new(mean, -im)]);
        } else {
            // The smaller one by the product of both, without cancellation.
            let far = mean + mean.signum() * square.sqrt();
            let near = if far == 0.0 { 0.0 } else { (a * d - b * below) / far };
            values.extend([far, near].map(|value| Complex::new(value, 0.0)));
        }
        i += 2;
    }
    values
}

/// A vector that is not perpendicular to any other by its making; another one for each eigenvalue, so that equal ones
/// get different vectors.
fn start(n: usize, index: usize) -> DVector<Complex<f64>> {
    let mut random = Random(index as u64 + 1);
    DVector::from_fn(n, |_, _| Complex::new(random.next(), 0.0))
}

fn iterate(
    start: &DVector<Complex<f64>>,
    solve: impl Fn(&DVector<Complex<f64>>) -> DVector<Complex<f64>>,
) -> DVector<Complex<f64>> {
    let mut vector = start.clone();
    for _ in 0..3 {
        let solved = solve(&vector);
        vector = solved.unscale(solved.norm());
    }
    vector
}

/// Rayleigh's quotient of both vectors, whose error is the product of theirs.
fn improved(
    matrix: &DMatrix<f64>,
    value: Complex<f64>,
    right: &DVector<Complex<f64>>,
    left: &DVector<Complex<f64>>,
) -> Complex<f64> {
    let along = left.dotc(right);
    if along.norm() < REGULAR || value == Complex::new(0.0, 0.0) {
        return value;
    }
    let mut residual = Complex::new(0.0, 0.0);
    for (i, row) in matrix.row_iter().enumerate() {
        let product: Complex<f64> = row.iter().zip(right).map(|(entry, x)| x * *entry).sum();
        residual += left[i].conj() * (product - value * right[i]);
    }
    let change = residual / along;
    // A correction is small; a large one says that the vectors belong to another eigenvalue.
    if change.norm() > 1e-6 * value.norm() {
        return value;
    }
    if value.im == 0.0 { value + change.re } else { undamped(value + change) }
}

/// By how much an eigenvalue changes where entries of these sizes are rounded: to first order, or, where two meet, by the
/// root of that.
fn rounding(sizes: &DMatrix<f64>, right: &DVector<Complex<f64>>, left: &DVector<Complex<f64>>) -> f64 {
    let [right_sizes, left_sizes] = [right, left].map(|vector| vector.map(|entry| entry.norm()));
    f64::EPSILON * left_sizes.dot(&(sizes * right_sizes)) / left.dotc(right).norm().max(f64::EPSILON.sqrt())
}

/// Without a real part that is nothing but rounding, so that motions without damping have none.
fn undamped(value: Complex<f64>) -> Complex<f64> {
    if value.re.abs() < UNDAMPED * value.norm() { Complex::new(0.0, value.im) } else { value }
}

/// The vector times a number of size one, so that its largest component is real and positive.
fn in_phase(vector: DVector<Complex<f64>>) -> DVector<Complex<f64>> {
    let largest = vector.iter().fold(0.0_f64, |most, entry| most.max(entry.norm()));
    // Of components that are equal but for rounding, the first.
    match vector.iter().find(|entry| entry.norm() > (1.0 - 1e-8) * largest) {
        Some(&first) if largest > 0.0 => vector * (first.conj() / first.norm()),
        _ => vector,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(matrix: &DMatrix<f64>, tolerance: f64) -> Vec<Eigen> {
        let found = decompose(matrix, 0).expect("an end");
        assert_eq!(found.len(), matrix.nrows());
        let scale = matrix.norm();
        let complex = matrix.map(|entry| Complex::new(entry, 0.0));
        for Eigen { value, right, left, .. } in &found {
            assert!((&complex * right - right * *value).norm() < tolerance * scale, "{value}");
            assert!((complex.adjoint() * left - left * value.conj()).norm() < tolerance * scale, "{value}");
        }
        found
    }

    #[test]
    fn random_matrices_have_the_sum_and_the_product_of_their_eigenvalues() {
        let mut random = Random(5);
        for n in 1..25 {
            let matrix = DMatrix::from_fn(n, n, |_, _| random.next());
            let found = check(&matrix, 1e-12);
            let sum: Complex<f64> = found.iter().map(|eigen| eigen.value).sum();
            let product: Complex<f64> = found.iter().map(|eigen| eigen.value).product();
            assert!((sum - matrix.trace()).norm() < 1e-12 * n as f64, "{n}");
            let determinant = matrix.determinant();
            assert!((product - determinant).norm() < 1e-10 * (1.0 + determinant.abs()), "{n}");
        }
    }

    /// The roots of unity: the shifts of Francis never move this matrix.
    #[test]
    fn a_permutation_has_the_roots_of_unity() {
        for n in 2..12 {
            let matrix = DMatrix::from_fn(n, n, |i, j| if (i + 1) % n == j { 1.0 } else { 0.0 });
            for eigen in check(&matrix, 1e-12) {
                assert!((eigen.value.powu(n as u32) - 1.0).norm() < 1e-12, "{n}: {}", eigen.value);
            }
        }
    }

    /// A mass that nothing holds, x' = v, v' = 0, beside an oscillator that pushes it: zero twice, exactly.
    #[test]
    fn what_nothing_depends_on_has_exact_zeros() {
        let matrix = DMatrix::from_row_slice(
            4,
            4,
            &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.1, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -4.0, 0.0],
        );
        let values: Vec<_> = check(&matrix, 1e-7).iter().map(|eigen| eigen.value).collect();
        assert_eq!(values[..2], [Complex::new(0.0, 0.0); 2]);
        assert!((values[2] - Complex::new(0.0, 2.0)).norm() < 1e-15 && values[3] == values[2].conj());
    }

    /// Units do not count: slow motions keep their digits beside stiff ones.
    #[test]
    fn graded_matrices_keep_their_small_eigenvalues() {
        let (stiff, slow): (f64, f64) = (1e12, 1e-2);
        let matrix = DMatrix::from_row_slice(
            4,
            4,
            &[0.0, 1.0, 0.0, 0.0, -stiff, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, -slow, 0.0],
        );
        let values = check(&matrix, 1e-10);
        assert!((values[0].value - Complex::new(0.0, slow.sqrt())).norm() < 1e-15 * slow.sqrt() * 10.0);
        assert!((values[2].value - Complex::new(0.0, stiff.sqrt())).norm() < 1e-14 * stiff.sqrt());
    }

    /// Two atoms on a bond, and two planets, in SI units.
    #[test]
    fn units_of_time_do_not_count() {
        for square in [1e-30, 1e30] {
            let [one, other] = [0.6 * square, 0.4 * square];
            let entries = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, -one, one, 0.0, 0.0, other, -other, 0.0, 0.0];
            let found = decompose(&DMatrix::from_row_slice(4, 4, &entries), 2).expect("an end");
            let expected = Complex::new(0.0, square.sqrt());
            assert!(found[..2].iter().all(|eigen| eigen.value.norm() < 1e-7 * expected.norm()), "{found:?}");
            assert!((found[2].value - expected).norm() < 1e-14 * expected.norm(), "{found:?}");
        }
    }

    #[test]
    fn nothing_and_what_is_not_finite() {
        assert!(decompose(&DMatrix::zeros(0, 0), 0).is_some_and(|found| found.is_empty()));
        assert!(decompose(&DMatrix::from_element(2, 2, f64::NAN), 1).is_none());
    }
}
