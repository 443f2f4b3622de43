//! Slopes of accelerations from those of forces, with the mass matrix: the part of their computation that repeats the same
//! operations for each of many columns, as loops, whose time is not that of fetching code.

/// Room for a row.
const MOST_VELOCITIES: usize = 256;

/// Replaces ∂τ/∂q, ∂τ/∂v and M of a tree, row by row, by (∂a/∂q, ∂a/∂v, M⁻¹) = (−M⁻¹ ∂τ/∂q, −M⁻¹ ∂τ/∂v, M⁻¹).
///
/// Velocities of a link stand behind those of its parents, so that the factors of `M = Lᵀ D L` have no entry where M has
/// none. [Featherstone 2008, Sec. 6.5]
///
/// # Panics
/// When there are more than 256 velocities, or the matrices are not square and of one size.
pub fn solve_for_accelerations(by_position: &mut [f64], by_velocity: &mut [f64], mass: &mut [f64]) {
    let n = mass.len().isqrt();
    assert!(n <= MOST_VELOCITIES && [by_position.len(), by_velocity.len(), mass.len()] == [n * n; 3]);
    let solution = Solution { n, by_position, by_velocity, mass };
    #[cfg(feature = "simd")]
    pulp::Arch::new().dispatch(solution);
    #[cfg(not(feature = "simd"))]
    solution.solve();
}

struct Solution<'m> {
    n: usize,
    by_position: &'m mut [f64],
    by_velocity: &'m mut [f64],
    mass: &'m mut [f64],
}

#[cfg(feature = "simd")]
impl pulp::NullaryFnOnce for Solution<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.solve();
    }
}

impl Solution<'_> {
    #[inline(always)]
    fn solve(self) {
        let Self { n, by_position, by_velocity, mass } = self;
        let mut entries = [Entries::default(); MOST_VELOCITIES];
        factorize(n, mass, &mut entries);
        for matrix in [by_position, by_velocity] {
            solve(n, mass, &entries, matrix);
        }
        invert(n, mass, &entries);
    }
}

/// Columns of the entries of a row of L that are not zero, one bit each: asking each entry of a row costs more than the
/// operations with those of a tree.
#[derive(Clone, Copy, Default)]
struct Entries([u64; MOST_VELOCITIES / 64]);

impl Entries {
    #[inline(always)]
    fn insert(&mut self, column: usize) {
        self.0[column / 64] |= 1 << (column % 64);
    }

    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(usize)) {
        for (word, &entries) in self.0.iter().enumerate() {
            let mut left = entries;
            while left != 0 {
                visit(64 * word + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }
}

/// M = Lᵀ D L in its lower triangle, L without its diagonal of ones, and 1/D.
#[inline(always)]
fn factorize(n: usize, m: &mut [f64], entries: &mut [Entries; MOST_VELOCITIES]) {
    for k in (0..n).rev() {
        let (above, row) = m.split_at_mut(k * n);
        row[k] = 1.0 / row[k];
        for i in (0..k).rev() {
            if row[i] == 0.0 {
                continue;
            }
            entries[k].insert(i);
            let factor = row[i] * row[k];
            subtract(&mut above[i * n..][..=i], factor, &row[..=i]);
            row[i] = factor;
        }
    }
}

/// −(Lᵀ D L)⁻¹ of all columns.
#[inline(always)]
fn solve(n: usize, factors: &[f64], entries: &[Entries; MOST_VELOCITIES], x: &mut [f64]) {
    for k in (0..n).rev() {
        let (above, row) = x.split_at_mut(k * n);
        let (row, factors) = (&row[..n], &factors[k * n..][..n]);
        entries[k].for_each(|i| subtract(&mut above[i * n..][..n], factors[i], row));
    }
    for k in 0..n {
        let (above, row) = x.split_at_mut(k * n);
        let (row, factors) = (&mut row[..n], &factors[k * n..][..n]);
        let scale = -factors[k];
        row.iter_mut().for_each(|value| *value *= scale);
        entries[k].for_each(|i| subtract(row, factors[i], &above[i * n..][..n]));
    }
}

/// Replaces the factors by the inverse: L⁻ᵀ in the upper triangle, and row by row what remains.
#[inline(always)]
fn invert(n: usize, m: &mut [f64], entries: &[Entries; MOST_VELOCITIES]) {
    for i in 0..n {
        m[i * n..][i + 1..n].fill(0.0);
    }
    for k in (0..n).rev() {
        let (above, row) = m.split_at_mut(k * n);
        let (factors, row) = row[..n].split_at(k);
        entries[k].for_each(|i| {
            let above = &mut above[i * n..][k..n];
            above[0] -= factors[i];
            subtract(&mut above[1..], factors[i], &row[1..]);
        });
    }
    let mut factors = [0.0; MOST_VELOCITIES];
    for k in 0..n {
        let (above, row) = m.split_at_mut(k * n);
        let row = &mut row[..n];
        factors[..k].copy_from_slice(&row[..k]);
        row[..k].fill(0.0);
        let scale = row[k];
        row[k + 1..].iter_mut().for_each(|value| *value *= scale);
        entries[k].for_each(|i| subtract(row, factors[i], &above[i * n..][..n]));
    }
}

/// `row −= factor · other`.
#[inline(always)]
fn subtract(row: &mut [f64], factor: f64, other: &[f64]) {
    for (value, other) in row.iter_mut().zip(other) {
        *value -= factor * other;
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::prelude::*;

    /// Trees whose joints move what stands behind them: M⁻¹ and solutions beside those of a dense decomposition.
    #[test]
    fn solutions_are_those_of_a_dense_decomposition() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for n in [1, 2, 5, 24, 50] {
            // Lᵀ D L of a random tree.
            let parents: Vec<Option<usize>> =
                (0..n).map(|k| (k > 0).then(|| ((random() + 1.0) * 0.5 * k as f64) as usize)).collect();
            let mut lower = DMatrix::identity(n, n);
            for k in 0..n {
                let mut above = parents[k];
                while let Some(i) = above {
                    lower[(k, i)] = 0.3 * random();
                    above = parents[i];
                }
            }
            let pivots = DMatrix::from_diagonal(&nalgebra::DVector::from_fn(n, |_, _| 1.5 + random()));
            let mass = lower.transpose() * pivots * &lower;
            let right = [(); 2].map(|()| DMatrix::from_fn(n, n, |_, _| random()));
            let by_rows = |matrix: &DMatrix<f64>| matrix.transpose().as_slice().to_vec();
            let ([mut by_q, mut by_v], mut inverse) = (right.each_ref().map(by_rows), by_rows(&mass));
            solve_for_accelerations(&mut by_q, &mut by_v, &mut inverse);
            let expected = mass.try_inverse().unwrap();
            for (found, expected) in
                [(by_q, -&expected * &right[0]), (by_v, -&expected * &right[1]), (inverse, expected.clone())]
            {
                let error = (DMatrix::from_row_slice(n, n, &found) - &expected).amax();
                assert!(error < 1e-11 * expected.amax(), "{n}: {error:e}");
            }
        }
    }
}
