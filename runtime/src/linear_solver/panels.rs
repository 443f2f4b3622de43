//! Elimination with pivots that are known, by panels.
//!
//! A panel is a diagonal block of two columns: neighbours in the order of pivots with nearly the same rows below them.
//! Entries that one column of a panel lacks are kept as zeros. Loops over a panel have a constant length, so that they
//! become instructions on vectors, and an index serves for two entries or four. Columns are subtracted one after the
//! other, so that padding and the width of panels do not change a digit.

use alloc::sync::Arc;
use core::ops::Range;

use super::SIDES;
use super::number::Number;
use super::sparse::{Choice, Order};
use crate::pivots::Pivots;
use crate::prelude::*;
use crate::sparsity::SparsityPattern;

/// Columns of a panel. Three or four take longer on most models, because more entries are padding.
const WIDTH: usize = 2;
/// The largest factor in a column of L: a kept pivot must not be smaller than a thousandth of its column.
const MOST_FACTOR: f64 = 1e3;
/// Columns join a panel if that brings no more zeros than this into the rows below it.
const PADDING: usize = 2;

/// A row of a panel's columns.
type Row<S> = [S; WIDTH];
/// A square block.
type Square<S> = [Row<S>; WIDTH];

/// The factors of a matrix, or of several in lanes. A place is `WIDTH` times the panel plus the position in it; the places that a panel with fewer
/// columns leaves over belong to equations of their own, `x = 0`.
#[derive(Clone)]
pub(super) struct Panels<S> {
    pivots: Arc<Pivots>,
    row_places: Vec<u32>,
    column_places: Vec<u32>,
    /// For each column in the order of pivots the slots of its entries; where the entry of each slot goes in `work`.
    slots: Vec<Range<usize>>,
    entry_places: Vec<u32>,
    panels: Vec<Panel<S>>,
    /// The factors below and above the diagonal blocks, panel by panel.
    lower: Vec<Lower<S>>,
    upper: Vec<Upper<S>>,
    /// Rows of the panel that is eliminated, zero between two panels.
    work: Vec<Square<S>>,
    solution: Vec<Row<S>>,
    several: Vec<Row<[f64; SIDES]>>,
}

/// A diagonal block, and its part of the other factors.
#[derive(Clone)]
struct Panel<S> {
    columns: Range<usize>,
    lower: Range<usize>,
    upper: Range<usize>,
    /// Both factors, row by row, and the reciprocals of the pivots.
    diagonal: Square<S>,
    inverses: Row<S>,
}

/// A row of the lower factor.
#[derive(Clone)]
struct Lower<S> {
    place: u32,
    factors: Row<S>,
}

/// The rows of another panel in the upper factor, column by column.
#[derive(Clone)]
struct Upper<S> {
    panel: u32,
    columns: Square<S>,
}

/// The entries that an elimination finds in the columns of a panel, when it comes to their pivots.
trait Watch<S> {
    /// These columns come next.
    fn begin(&mut self, _columns: &[u32]) {}
    /// An entry in one of the columns, at the place of a row.
    fn see(&mut self, _column: usize, _place: usize, _entry: S) {}
    /// Whether the panel with these columns is as it should be.
    fn is_content(&self, _index: usize, _columns: &[u32]) -> bool {
        true
    }
}

impl<S> Watch<S> for () {}

/// Chooses pivots as a search would, and compares them with those of the panels.
struct Comparison {
    /// The row at each place.
    rows: Vec<u32>,
    /// Number of unknowns.
    n: usize,
    choices: [Choice; WIDTH],
}

impl Watch<f64> for Comparison {
    fn begin(&mut self, columns: &[u32]) {
        self.choices.iter_mut().zip(columns).for_each(|(choice, &column)| *choice = Choice::of(column));
    }

    fn see(&mut self, column: usize, place: usize, entry: f64) {
        self.choices[column].see(self.rows[place], entry);
    }

    fn is_content(&self, index: usize, columns: &[u32]) -> bool {
        let rows = &self.rows[WIDTH * index..][..columns.len()];
        self.choices.iter().zip(rows).all(|(choice, &row)| choice.pivot(self.n) == Some(row))
    }
}

/// An entry of what is solved for: of one right-hand side, or of several.
trait Side<S>: Copy {
    /// `self − factor x`
    fn less(self, factor: S, x: Self) -> Self;
    fn scaled(self, factor: S) -> Self;
}

impl<S: Number> Side<S> for S {
    #[inline(always)]
    fn less(self, factor: S, x: Self) -> Self {
        self - factor * x
    }

    #[inline(always)]
    fn scaled(self, factor: S) -> Self {
        self * factor
    }
}

impl Side<f64> for [f64; SIDES] {
    #[inline(always)]
    fn less(self, factor: f64, x: Self) -> Self {
        core::array::from_fn(|k| self[k] - factor * x[k])
    }

    #[inline(always)]
    fn scaled(self, factor: f64) -> Self {
        self.map(|value| value * factor)
    }
}

impl<S: Number> Panels<S> {
    const NOTHING: Square<S> = [[S::ZERO; WIDTH]; WIDTH];

    /// Room for the factors of a matrix with these pivots.
    pub(super) fn new(pattern: &SparsityPattern, pivots: Arc<Pivots>) -> Self {
        let (mut column, mut lower, mut upper) = (0, Vec::with_capacity(pivots.below.len()), Vec::new());
        upper.reserve(pivots.above.len());
        let panels = pivots.sizes.iter().enumerate().map(|(panel, sizes)| {
            let [columns, below, above] = sizes.map(|size| size as usize);
            let (below, above) = (lower.len()..lower.len() + below, upper.len()..upper.len() + above);
            let place = |distance: &u32| (WIDTH * panel) as u32 + distance;
            let rows = pivots.below[below.clone()].iter().map(place);
            lower.extend(rows.map(|place| Lower { place, factors: [S::ZERO; WIDTH] }));
            let others = pivots.above[above.clone()].iter().map(|distance| panel as u32 - distance);
            upper.extend(others.map(|panel| Upper { panel, columns: Self::NOTHING }));
            let first = column;
            column += columns;
            Panel {
                columns: first..column,
                lower: below,
                upper: above,
                diagonal: Self::NOTHING,
                inverses: [S::ZERO; WIDTH],
            }
        });
        let panels: Vec<Panel<S>> = panels.collect();
        let lengths = panels.iter().map(|panel| panel.columns.len());
        let (row_places, column_places) = places(&pivots.columns, &pivots.row_position, lengths);
        let mut entry_places = Vec::with_capacity(pattern.nnz());
        for (column, place) in column_places.iter().enumerate() {
            let rows = pattern.row_indices()[pattern.column(column)].iter();
            entry_places.extend(rows.map(|&row| row_places[row as usize] * WIDTH as u32 + place % WIDTH as u32));
        }
        Self {
            slots: pivots.columns.iter().map(|&column| pattern.column(column as usize)).collect(),
            lower,
            upper,
            work: vec![Self::NOTHING; panels.len()],
            solution: vec![[S::ZERO; WIDTH]; panels.len()],
            several: Vec::new(),
            pivots,
            row_places,
            column_places,
            entry_places,
            panels,
        }
    }

    pub(super) fn pivots(&self) -> &Arc<Pivots> {
        &self.pivots
    }

    /// Factorizes; where all pivots are large enough for their columns.
    #[inline(always)]
    pub(super) fn factor(&mut self, values: &[S]) -> S::Where {
        self.eliminate(values, &mut ()).0
    }

    /// Where pivots are usable, and whether who watches is content; it ends where neither can become true again.
    #[inline(always)]
    fn eliminate(&mut self, values: &[S], watch: &mut impl Watch<S>) -> (S::Where, bool) {
        let Self { pivots, slots, entry_places, panels, lower, upper, work, .. } = self;
        let n = pivots.columns.len();
        let mut is_usable = S::EVERYWHERE;
        for index in 0..panels.len() {
            let (before, rest) = panels.split_at_mut(index);
            let panel = &mut rest[0];
            let columns = &pivots.columns[panel.columns.clone()];
            watch.begin(columns);
            for slots in &slots[panel.columns.clone()] {
                for (&place, &value) in entry_places[slots.clone()].iter().zip(&values[slots.clone()]) {
                    work.as_flattened_mut().as_flattened_mut()[place as usize] = value;
                }
            }
            for unused in columns.len()..WIDTH {
                work[index][unused][unused] = S::from_f64(1.0);
            }
            for above in &mut upper[panel.upper.clone()] {
                let of = above.panel as usize;
                let eliminated = &before[of];
                let block = eliminated.rows_above(core::mem::replace(&mut work[of], Self::NOTHING));
                above.columns = transposed(&block);
                for row in &lower[eliminated.lower.clone()] {
                    subtract_product(&mut work.as_flattened_mut()[row.place as usize], &row.factors, &block);
                }
            }
            let block = core::mem::replace(&mut work[index], Self::NOTHING);
            is_usable = is_usable & panel.eliminate(block, n, WIDTH * index, watch);
            for row in &mut lower[panel.lower.clone()] {
                let place = row.place as usize;
                let values = core::mem::replace(&mut work.as_flattened_mut()[place], [S::ZERO; WIDTH]);
                row.factors = panel.factors(values, place, watch);
                is_usable =
                    row.factors.iter().fold(is_usable, |is_usable, factor| is_usable & factor.is_at_most(MOST_FACTOR));
            }
            if !S::is_anywhere(is_usable) {
                break;
            }
            if !watch.is_content(index, columns) {
                return (is_usable, false);
            }
        }
        (is_usable, true)
    }

    /// Replaces the right-hand side by the solution.
    #[inline(always)]
    pub(super) fn solve(&mut self, rhs: &mut [S]) {
        let mut solution = core::mem::take(&mut self.solution);
        for (&place, &value) in self.row_places.iter().zip(&*rhs) {
            solution.as_flattened_mut()[place as usize] = value;
        }
        self.substitute(&mut solution);
        for (&place, value) in self.column_places.iter().zip(rhs) {
            *value = solution.as_flattened()[place as usize];
        }
        self.solution = solution;
    }

    /// From right-hand sides, by the places of rows, to solutions, by the places of columns.
    #[inline(always)]
    fn substitute<X: Side<S>>(&self, solution: &mut [Row<X>]) {
        let Self { panels, lower, upper, .. } = self;
        for (index, panel) in panels.iter().enumerate() {
            let x = panel.forward(solution[index]);
            solution[index] = x;
            for row in &lower[panel.lower.clone()] {
                let target = &mut solution.as_flattened_mut()[row.place as usize];
                *target = row.factors.iter().zip(&x).fold(*target, |rest, (factor, x)| rest.less(*factor, *x));
            }
        }
        for (index, panel) in panels.iter().enumerate().rev() {
            let x = panel.backward(solution[index]);
            solution[index] = x;
            // Backwards, as panels are: memory that is read in one direction comes several times as fast.
            for above in upper[panel.upper.clone()].iter().rev() {
                let target = &mut solution[above.panel as usize];
                for (column, x) in above.columns.iter().zip(&x).rev() {
                    target.iter_mut().zip(column).for_each(|(target, entry)| *target = target.less(*entry, *x));
                }
            }
        }
    }

    /// The pivots, column by column of the matrix.
    pub(super) fn values_of_pivots(&self) -> Vec<S> {
        let pivot = |place: &u32| {
            let (panel, position) = (*place as usize / WIDTH, *place as usize % WIDTH);
            self.panels[panel].diagonal[position][position]
        };
        self.column_places.iter().map(pivot).collect()
    }
}

impl Panels<f64> {
    /// Replaces so many right-hand sides, whose entries stand together, by the solutions.
    pub(super) fn solve_several(&mut self, rhs: &mut [f64], width: usize) {
        let mut solution = core::mem::take(&mut self.several);
        solution.resize(self.panels.len(), Default::default());
        for first in (0..width).step_by(SIDES) {
            let count = SIDES.min(width - first);
            for (&place, values) in self.row_places.iter().zip(rhs.chunks_exact(width)) {
                solution.as_flattened_mut()[place as usize][..count].copy_from_slice(&values[first..][..count]);
            }
            self.substitute(&mut solution);
            for (&place, values) in self.column_places.iter().zip(rhs.chunks_exact_mut(width)) {
                values[first..][..count].copy_from_slice(&solution.as_flattened()[place as usize][..count]);
            }
        }
        self.several = solution;
    }

    /// Factorizes; false also when a search would choose other pivots.
    pub(super) fn factor_as_found(&mut self, values: &[f64]) -> bool {
        let mut rows = vec![u32::MAX; WIDTH * self.panels.len()];
        for (row, &place) in self.row_places.iter().enumerate() {
            rows[place as usize] = row as u32;
        }
        let mut comparison = Comparison { rows, n: self.row_places.len(), choices: Default::default() };
        let (is_usable, is_as_found) = self.eliminate(values, &mut comparison);
        is_usable && is_as_found
    }
}

impl<S: Number> Panel<S> {
    /// The rows of this panel in the upper factor, from what is left of them in the columns of another.
    #[inline(always)]
    fn rows_above(&self, mut block: Square<S>) -> Square<S> {
        for c in 0..WIDTH {
            for row in c + 1..WIDTH {
                for k in 0..WIDTH {
                    block[row][k] = block[row][k] - self.diagonal[row][c] * block[c][k];
                }
            }
        }
        block
    }

    /// Eliminates the diagonal block, whose rows begin at a place; where its pivots are usable.
    #[inline(always)]
    fn eliminate(&mut self, mut block: Square<S>, n: usize, first: usize, watch: &mut impl Watch<S>) -> S::Where {
        let mut is_usable = S::EVERYWHERE;
        for c in 0..WIDTH {
            (c..WIDTH).for_each(|row| watch.see(c, first + row, block[row][c]));
            is_usable = is_usable & block[c][c].is_regular(n);
            self.inverses[c] = S::from_f64(1.0) / block[c][c];
            for row in c + 1..WIDTH {
                block[row][c] = block[row][c] * self.inverses[c];
                is_usable = is_usable & block[row][c].is_at_most(MOST_FACTOR);
                for k in c + 1..WIDTH {
                    block[row][k] = block[row][k] - block[row][c] * block[c][k];
                }
            }
        }
        self.diagonal = block;
        is_usable
    }

    /// The row below the diagonal block at this place.
    #[inline(always)]
    fn factors(&self, mut row: Row<S>, place: usize, watch: &mut impl Watch<S>) -> Row<S> {
        for c in 0..WIDTH {
            watch.see(c, place, row[c]);
            row[c] = row[c] * self.inverses[c];
            for k in c + 1..WIDTH {
                row[k] = row[k] - row[c] * self.diagonal[c][k];
            }
        }
        row
    }

    #[inline(always)]
    fn forward<X: Side<S>>(&self, mut x: Row<X>) -> Row<X> {
        for c in 0..WIDTH {
            for row in c + 1..WIDTH {
                x[row] = x[row].less(self.diagonal[row][c], x[c]);
            }
        }
        x
    }

    #[inline(always)]
    fn backward<X: Side<S>>(&self, mut x: Row<X>) -> Row<X> {
        for c in (0..WIDTH).rev() {
            x[c] = x[c].scaled(self.inverses[c]);
            for row in 0..c {
                x[row] = x[row].less(self.diagonal[row][c], x[c]);
            }
        }
        x
    }
}

/// Subtracts a row times a block.
#[inline(always)]
fn subtract_product<S: Number>(target: &mut Row<S>, row: &Row<S>, block: &Square<S>) {
    let mut difference = *target;
    for (factor, entries) in row.iter().zip(block) {
        difference.iter_mut().zip(entries).for_each(|(difference, entry)| *difference = *difference - *factor * *entry);
    }
    *target = difference;
}

#[inline(always)]
fn transposed<S: Number>(block: &Square<S>) -> Square<S> {
    core::array::from_fn(|column| core::array::from_fn(|row| block[row][column]))
}

/// The places of rows and of columns, for this order of columns and of their pivots' rows, and panels with so many columns.
fn places(columns: &[u32], row_position: &[u32], panels: impl Iterator<Item = usize>) -> (Vec<u32>, Vec<u32>) {
    let in_panel = |(panel, columns): (usize, usize)| {
        let first = (WIDTH * panel) as u32;
        first..first + columns as u32
    };
    let places: Vec<u32> = panels.enumerate().flat_map(in_panel).collect();
    let of_rows = row_position.iter().map(|&position| places[position as usize]).collect();
    let mut of_columns = vec![0; places.len()];
    columns.iter().zip(&places).for_each(|(&column, &place)| of_columns[column as usize] = place);
    (of_rows, of_columns)
}

/// The pivots of an order, with what elimination in panels reaches from the entries of a pattern.
pub(super) fn in_panels(pattern: &SparsityPattern, order: Order) -> Pivots {
    let panels = join(order.columns.len(), |position| order.lower.rows(position));
    let (row_places, _) = places(&order.columns, &order.row_position, panels.iter().map(Range::len));
    let (entries, multiplications) = order.work();
    let mut pivots = Pivots {
        sizes: Vec::with_capacity(panels.len()),
        entries,
        multiplications,
        columns: order.columns,
        row_position: order.row_position,
        ..Pivots::default()
    };
    let mut met = vec![usize::MAX; WIDTH * panels.len()];
    let mut reached: Vec<u32> = Vec::new();
    // Where the rows below each panel begin; those of the panel at hand, and the panels above it.
    let mut starts: Vec<usize> = Vec::with_capacity(panels.len() + 1);
    let (mut below, mut above): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for (panel, columns) in panels.into_iter().enumerate() {
        starts.push(pivots.below.len());
        for &column in &pivots.columns[columns.clone()] {
            let slots = pattern.column(column as usize);
            reached.extend(pattern.row_indices()[slots].iter().map(|&row| row_places[row as usize]));
        }
        while let Some(place) = reached.pop() {
            let of = place as usize / WIDTH;
            // Rows below are met one by one, those above with all of their panel.
            let mark = if of < panel { WIDTH * of } else { place as usize };
            if core::mem::replace(&mut met[mark], panel) == panel {
                continue;
            }
            if of < panel {
                above.push((panel - of) as u32);
                let rows = pivots.below[starts[of]..starts[of + 1]].iter();
                reached.extend(rows.map(|distance| (WIDTH * of) as u32 + distance));
            } else if of > panel {
                below.push(place - (WIDTH * panel) as u32);
            }
        }
        below.sort_unstable();
        // The first panels are the farthest.
        above.sort_unstable_by(|a, b| b.cmp(a));
        pivots.sizes.push([columns.len() as u32, below.len() as u32, above.len() as u32]);
        pivots.below.append(&mut below);
        pivots.above.append(&mut above);
    }
    pivots
}

/// Neighbouring columns that are eliminated together; `lower` gives the rows below a pivot, by positions in the order.
fn join<'a>(n: usize, lower: impl Fn(usize) -> &'a [u32]) -> Vec<Range<usize>> {
    let mut panels: Vec<Range<usize>> = Vec::new();
    // The rows below the last panel; those below it and the next column.
    let (mut rows, mut all): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for column in 0..n {
        let own = lower(column);
        if let Some(panel) = panels.last_mut().filter(|panel| panel.len() < WIDTH)
            && let Some((_, below)) = rows.split_first().filter(|(first, _)| **first as usize == column)
        {
            unite(below, own, &mut all);
            if 2 * all.len() < rows.len() + own.len() + PADDING {
                panel.end = column + 1;
                core::mem::swap(&mut rows, &mut all);
                continue;
            }
        }
        panels.push(column..column + 1);
        rows.clear();
        rows.extend_from_slice(own);
    }
    panels
}

/// The numbers of two ascending lists, ascending.
fn unite(mut a: &[u32], mut b: &[u32], all: &mut Vec<u32>) {
    all.clear();
    while let (Some((first, rest)), Some((other, others))) = (a.split_first(), b.split_first()) {
        all.push(*first.min(other));
        (a, b) = (if first <= other { rest } else { a }, if other <= first { others } else { b });
    }
    all.extend_from_slice(a);
    all.extend_from_slice(b);
}
