//! Sobol's sequence, in the order of its Gray code.

/// Most dimensions for which there are direction numbers.
pub(crate) const MOST: usize = 21;
/// Bits of a coordinate: as many as a double holds.
const BITS: u32 = 52;

/// Primitive polynomials, their bits as numbers, and the first direction numbers of each dimension.
/// [Joe and Kuo, Constructing Sobol sequences with better two-dimensional projections, SIAM J. Sci. Comput. 30 (2008),
/// table new-joe-kuo-6.21201]
const TABLE: [(u32, &[u64]); MOST] = [
    (1, &[1]),
    (3, &[1]),
    (7, &[1, 3]),
    (11, &[1, 3, 1]),
    (13, &[1, 1, 1]),
    (19, &[1, 1, 3, 3]),
    (25, &[1, 3, 5, 13]),
    (37, &[1, 1, 5, 5, 17]),
    (41, &[1, 1, 5, 5, 5]),
    (47, &[1, 1, 7, 11, 19]),
    (55, &[1, 1, 5, 1, 1]),
    (59, &[1, 1, 1, 3, 11]),
    (61, &[1, 3, 5, 5, 31]),
    (67, &[1, 3, 3, 9, 7, 49]),
    (91, &[1, 1, 1, 15, 21, 21]),
    (97, &[1, 3, 1, 13, 27, 49]),
    (103, &[1, 1, 1, 15, 7, 5]),
    (109, &[1, 3, 1, 15, 13, 25]),
    (115, &[1, 1, 5, 5, 19, 61]),
    (131, &[1, 3, 7, 11, 23, 15, 103]),
    (137, &[1, 3, 7, 13, 13, 15, 69]),
];

/// One dimension of the sequence.
#[derive(Clone, Debug)]
pub(crate) struct Dimension {
    directions: [u64; BITS as usize],
    /// All points are moved by it, bit by bit, so that none is at a corner.
    shift: u64,
}

impl Dimension {
    /// The dimension of this number, below [`MOST`].
    pub(crate) fn new(number: usize, shift: u64) -> Dimension {
        let (polynomial, first) = TABLE[number];
        let degree = polynomial.ilog2() as usize;
        let mut numbers = vec![1_u64; BITS as usize];
        if degree > 0 {
            numbers[..degree].copy_from_slice(first);
            for i in degree..numbers.len() {
                let last = numbers[i - degree];
                let terms = (1..degree).filter(|k| polynomial >> (degree - k) & 1 == 1);
                numbers[i] = terms.fold(last ^ last << degree, |sum, k| sum ^ numbers[i - k] << k);
            }
        }
        let directions = std::array::from_fn(|i| numbers[i] << (BITS as usize - 1 - i));
        Dimension { directions, shift: shift >> (64 - BITS) }
    }

    /// The coordinate of a point, in [0, 1).
    pub(crate) fn at(&self, point: u64) -> f64 {
        let gray = point ^ point >> 1;
        let bits = (0..64).filter(|bit| gray >> bit & 1 == 1);
        let sum = bits.fold(self.shift, |sum, bit| sum ^ self.directions.get(bit).copied().unwrap_or(0));
        sum as f64 / (1_u64 << BITS) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points 5 and 7 of SciPy 1.18, `scipy.stats.qmc.Sobol(21, scramble=False, bits=30)`.
    #[test]
    fn points_are_those_of_another_program() {
        let eighths = |point: u64| -> Vec<u32> {
            (0..MOST).map(|number| (8.0 * Dimension::new(number, 0).at(point)) as u32).collect()
        };
        assert_eq!(eighths(5), [7, 7, 1, 3, 7, 5, 7, 3, 3, 1, 3, 7, 7, 1, 7, 3, 7, 3, 3, 5, 5]);
        assert_eq!(eighths(7), [1, 5, 3, 1, 1, 3, 5, 5, 5, 7, 5, 1, 5, 3, 1, 1, 1, 1, 5, 7, 7]);
    }

    /// Each interval of length 2⁻ᵐ has one of the first 2ᵐ points, in every dimension, shifted or not.
    #[test]
    fn each_interval_has_one_point() {
        for number in 0..MOST {
            for shift in [0, 0x9e37_79b9_7f4a_7c15] {
                let dimension = Dimension::new(number, shift);
                let mut places: Vec<u64> = (0..1024).map(|point| (1024.0 * dimension.at(point)) as u64).collect();
                places.sort_unstable();
                assert!(places.into_iter().eq(0..1024), "dimension {number}");
            }
        }
    }

    /// Each square of area 2⁻ᵐ of the first two dimensions has one point: they are a (0, m, 2)-net.
    #[test]
    fn two_dimensions_are_a_net() {
        let [x, y] = [0, 1].map(|number| Dimension::new(number, 0x1234_5678_9abc_def0 * number as u64));
        for m in 0..=8_u32 {
            let (across, up) = (1_u64 << m, 1_u64 << (8 - m));
            let cell = |k: u64| (x.at(k) * across as f64) as u64 * up + (y.at(k) * up as f64) as u64;
            let mut cells: Vec<u64> = (0..256).map(cell).collect();
            cells.sort_unstable();
            assert!(cells.into_iter().eq(0..256), "{across} by {up}");
        }
    }
}
