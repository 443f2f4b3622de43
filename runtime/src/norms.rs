//! Sizes of vectors, with loops that become instructions on vectors.

/// Largest values that are kept side by side: a chain of comparisons takes as long as all of its results in turn.
const LANES: usize = 4;

/// Whether all values are finite.
pub(crate) fn is_finite(values: &[f64]) -> bool {
    // Without a way out in the middle.
    values.iter().fold(true, |are_finite, value| are_finite & value.is_finite())
}

/// Largest absolute value; not a number if one of them is none.
pub(crate) fn largest(values: &[f64]) -> f64 {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let of_rest = rest.iter().fold(0.0, |largest, value| larger(largest, value.abs()));
    let lanes = chunks.iter().fold([0.0; LANES], |lanes: [f64; LANES], chunk| {
        core::array::from_fn(|lane| larger(lanes[lane], chunk[lane].abs()))
    });
    lanes.into_iter().fold(of_rest, larger)
}

/// Values of one instance in a list in which those of several alternate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane {
    pub(crate) index: usize,
    pub(crate) of: usize,
}

impl Lane {
    /// Of an instance that is alone.
    pub(crate) const ONLY: Lane = Lane { index: 0, of: 1 };

    /// [`largest`] of its values.
    pub(crate) fn largest(self, values: &[f64]) -> f64 {
        match self.of {
            1 => largest(values),
            of => values.iter().skip(self.index).step_by(of).fold(0.0, |largest, value| larger(largest, value.abs())),
        }
    }
}

/// [`largest`] of each of so many instances, whose values alternate.
pub(crate) fn largest_of_each<const N: usize>(values: &[f64]) -> [f64; N] {
    if N == 1 {
        return [largest(values); N];
    }
    values.as_chunks::<N>().0.iter().fold([0.0; N], |mut all, values| {
        all.iter_mut().zip(values).for_each(|(largest, value)| *largest = larger(*largest, value.abs()));
        all
    })
}

/// Largest absolute value of the products of two vectors' components; not a number if one of them is none.
pub(crate) fn largest_product(a: &[f64], b: &[f64]) -> f64 {
    let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let of_rest = rest_a.iter().zip(rest_b).fold(0.0, |largest, (a, b)| larger(largest, (a * b).abs()));
    let lanes = a.iter().zip(b).fold([0.0; LANES], |lanes: [f64; LANES], (a, b)| {
        core::array::from_fn(|lane| larger(lanes[lane], (a[lane] * b[lane]).abs()))
    });
    lanes.into_iter().fold(of_rest, larger)
}

/// The larger of both; unlike with `f64::max`, not a number if one of them is none.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At every place among vectors of every length up to three times the lanes.
    #[test]
    fn sizes_are_those_of_the_largest_value_and_know_what_is_no_number() {
        for length in 0..3 * LANES {
            let values: Vec<f64> = (0..length).map(|i| (1.0 + i as f64).sin()).collect();
            let ones = vec![1.0; length];
            let plain = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
            assert_eq!([largest(&values), largest_product(&ones, &values)], [plain; 2]);
            assert!(is_finite(&values));
            for place in 0..length {
                let with = |value: f64| {
                    let mut values = values.clone();
                    values[place] = value;
                    values
                };
                assert_eq!([largest(&with(-7.0)), largest_product(&with(-7.0), &ones)], [7.0; 2]);
                assert!(largest(&with(f64::NAN)).is_nan() && largest_product(&ones, &with(f64::NAN)).is_nan());
                assert!(!is_finite(&with(f64::NAN)) && !is_finite(&with(f64::NEG_INFINITY)));
            }
        }
    }
}
