//! Common parts of two terms of a sum: a double-cube divisor, its key, its cost, and its other occurrences.

use std::cmp::Ordering;

use super::polynomial::{Cube, LiteralId, Polynomials, Term};

/// left + right, or left − right, by the hashes of both products, of which the left one is not the larger.
///
/// Most pairs of terms have nothing in common with others, so products are written out for the chosen pairs only. A
/// collision of hashes affects a choice but not the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SumKey {
    pub(super) is_difference: bool,
    left: u64,
    right: u64,
}

impl SumKey {
    /// Whether two terms with these hashes can be a multiple of the sum: common factors cancel in the difference.
    pub(super) fn may_be_of(&self, first: u64, second: u64) -> bool {
        let difference = self.right.wrapping_sub(self.left);
        first.wrapping_sub(second) == difference || second.wrapping_sub(first) == difference
    }
}

/// The factors of a product that matter for its cost: those known early count as one factor.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Factors {
    hot: i32,
    has_cold: bool,
}

impl Factors {
    pub(super) fn add(&mut self, is_hot: bool) {
        if is_hot {
            self.hot += 1;
        } else {
            self.has_cold = true;
        }
    }

    pub(super) fn and(self, other: Factors) -> Factors {
        Factors { hot: self.hot + other.hot, has_cold: self.has_cold || other.has_cold }
    }

    pub(super) fn multiplications(self) -> i32 {
        (self.hot + i32::from(self.has_cold) - 1).max(0)
    }
}

/// Two terms as base·(left ± right), without writing the products out.
pub(super) struct Pairing {
    pub(super) key: SumKey,
    /// Whether the first term is the one on the right.
    pub(super) is_swapped: bool,
    pub(super) base: Factors,
    left: Factors,
    right: Factors,
}

impl Pairing {
    pub(super) fn of(first: &Term, second: &Term, polynomials: &Polynomials) -> Pairing {
        let mut base = Factors::default();
        let (mut left, mut right) = (Factors::default(), Factors::default());
        let (mut left_hash, mut right_hash) = (0_u64, 0_u64);
        let (a, b) = (&first.cube, &second.cube);
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            if i < a.len() && j < b.len() && a[i] == b[j] {
                base.add(polynomials.is_hot(a[i]));
                i += 1;
                j += 1;
            } else if j == b.len() || (i < a.len() && a[i] < b[j]) {
                left.add(polynomials.is_hot(a[i]));
                left_hash = left_hash.wrapping_add(a[i].hash());
                i += 1;
            } else {
                right.add(polynomials.is_hot(b[j]));
                right_hash = right_hash.wrapping_add(b[j].hash());
                j += 1;
            }
        }
        let is_difference = first.is_negative ^ second.is_negative;
        let is_swapped = right_hash < left_hash;
        let (low, high) = if is_swapped { (right_hash, left_hash) } else { (left_hash, right_hash) };
        Pairing { key: SumKey { is_difference, left: low, right: high }, is_swapped, base, left, right }
    }

    /// Operations saved by base·(left ± right) with the sum already computed.
    pub(super) fn gain(&self) -> i32 {
        let before = self.left.and(self.base).multiplications() + self.right.and(self.base).multiplications();
        let mut after = self.base;
        after.add(self.is_hot());
        1 + before - after.multiplications()
    }

    /// Operations of left ± right that are done in every step.
    pub(super) fn cost(&self) -> i32 {
        if self.is_hot() { 1 + self.left.multiplications() + self.right.multiplications() } else { 0 }
    }

    pub(super) fn is_hot(&self) -> bool {
        self.left.hot + self.right.hot > 0
    }
}

/// Two products as base·left and base·right with as large a base as possible.
pub(super) struct Split {
    pub(super) base: Cube,
    pub(super) left: Cube,
    pub(super) right: Cube,
}

impl Split {
    pub(super) fn of(a: &[LiteralId], b: &[LiteralId]) -> Split {
        let mut split = Split { base: Cube::new(), left: Cube::new(), right: Cube::new() };
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            match a[i].cmp(&b[j]) {
                Ordering::Equal => {
                    split.base.push(a[i]);
                    i += 1;
                    j += 1;
                }
                Ordering::Less => {
                    split.left.push(a[i]);
                    i += 1;
                }
                Ordering::Greater => {
                    split.right.push(b[j]);
                    j += 1;
                }
            }
        }
        split.left.extend(&a[i..]);
        split.right.extend(&b[j..]);
        split
    }
}

/// How two sorted lists of terms differ.
#[derive(Default)]
pub(super) struct Change<'t> {
    pub(super) removed: Vec<&'t Term>,
    pub(super) kept: Vec<&'t Term>,
    pub(super) added: Vec<&'t Term>,
}

impl<'t> Change<'t> {
    pub(super) fn between(old: &'t [Term], new: &'t [Term]) -> Change<'t> {
        let mut change = Change::default();
        let (mut i, mut j) = (0, 0);
        while i < old.len() && j < new.len() {
            match old[i].cmp(&new[j]) {
                Ordering::Equal => {
                    change.kept.push(&old[i]);
                    (i, j) = (i + 1, j + 1);
                }
                Ordering::Less => {
                    change.removed.push(&old[i]);
                    i += 1;
                }
                Ordering::Greater => {
                    change.added.push(&new[j]);
                    j += 1;
                }
            }
        }
        change.removed.extend(&old[i..]);
        change.added.extend(&new[j..]);
        change
    }
}

/// A pair of terms that contains a sum.
pub(super) struct FoundSum {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) base: Cube,
    pub(super) is_negative: bool,
}

/// The first pair of terms that is ±base·(left ± right).
pub(super) fn find_sum(
    terms: &[Term],
    key: SumKey,
    (left, right): (&Cube, &Cube),
    polynomials: &Polynomials,
) -> Option<FoundSum> {
    let hashes: Vec<u64> = terms.iter().map(Term::hash).collect();
    for (first, a) in terms.iter().enumerate() {
        for (offset, b) in terms[first + 1..].iter().enumerate() {
            // Products are compared where their hashes agree.
            if !key.may_be_of(hashes[first], hashes[first + 1 + offset]) || Pairing::of(a, b, polynomials).key != key {
                continue;
            }
            let split = Split::of(&a.cube, &b.cube);
            let is_straight = split.left == *left && split.right == *right;
            let is_swapped = split.left == *right && split.right == *left;
            if is_straight || is_swapped {
                let is_negative = if is_straight { a.is_negative } else { b.is_negative };
                return Some(FoundSum { first, second: first + 1 + offset, base: split.base, is_negative });
            }
        }
    }
    None
}

/// All pairs of literals of a product, with how often each fits into it.
pub(super) fn literal_pairs(cube: &[LiteralId]) -> impl Iterator<Item = (LiteralId, LiteralId, u32)> {
    let powers = |cube| <[LiteralId]>::chunk_by(cube, LiteralId::eq).map(|power| (power[0], power.len()));
    let mut end = 0;
    powers(cube).flat_map(move |(a, power)| {
        end += power;
        let square = (power >= 2).then_some((a, a, power as u32 / 2));
        square.into_iter().chain(powers(&cube[end..]).map(move |(b, other)| (a, b, power.min(other) as u32)))
    })
}

/// A product without one a and one b, if it has both.
pub(super) fn without_pair(cube: &[LiteralId], a: LiteralId, b: LiteralId) -> Option<Cube> {
    let first = cube.iter().position(|&literal| literal == a)?;
    let second = (0..cube.len()).find(|&k| k != first && cube[k] == b)?;
    let mut rest = Cube::with_capacity(cube.len());
    rest.extend((0..cube.len()).filter(|&k| k != first && k != second).map(|k| cube[k]));
    Some(rest)
}
