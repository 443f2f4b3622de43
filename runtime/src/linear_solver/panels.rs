//! Elimination with pivots that are known, by panels.
//!
//! A panel is a diagonal block of two columns: neighbours in the order of pivots with nearly the same rows below them.
//! Entries that one column of a panel lacks are kept as zeros. Loops over a panel have a constant length, so that they
//! become instructions on vectors, and an index serves for two entries or four. Columns are subtracted one after the
//! other, so that padding and the width of panels do not change a digit.

use std::ops::Range;

use super::number::Number;
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
pub(super) struct Panels<S> {
    row_places: Vec<u32>,
    column_places: Vec<u32>,
    /// For each column in the order of pivots the slots of its entries; where the entry of each slot goes in `work`.
    slots: Vec<Range<usize>>,
    entry_places: Vec<u32>,
    panels: Vec<Panel<S>>,
    /// The factors below the diagonal blocks, panel by panel: the places of rows, and the rows.
    below: Vec<u32>,
    lower: Vec<Row<S>>,
    /// Those above: other panels, and their rows column by column.
    above: Vec<u32>,
    upper: Vec<Square<S>>,
    /// Rows of the panel that is eliminated, zero between two panels.
    work: Vec<Square<S>>,
    solution: Vec<Row<S>>,
}

struct Panel<S> {
    columns: Range<usize>,
    lower: Range<usize>,
    upper: Range<usize>,
    /// Both factors, row by row, and the reciprocals of the pivots.
    diagonal: Square<S>,
    inverses: Row<S>,
}

impl<S: Number> Panels<S> {
    const NOTHING: Square<S> = [[S::ZERO; WIDTH]; WIDTH];

    /// Panels for this order of columns and of their pivots' rows. `lower` gives the rows below a pivot, by positions in
    /// the order.
    pub(super) fn new<'a>(
        pattern: &SparsityPattern,
        column_order: &[u32],
        row_position: &[u32],
        lower: impl Fn(usize) -> &'a [u32],
    ) -> Self {
        let columns = join(column_order.len(), lower);
        let in_panel = |(panel, columns): (usize, &Range<usize>)| {
            let first = (WIDTH * panel) as u32;
            first..first + columns.len() as u32
        };
        let places: Vec<u32> = columns.iter().enumerate().flat_map(in_panel).collect();
        let row_places: Vec<u32> = row_position.iter().map(|&position| places[position as usize]).collect();
        let mut column_places = vec![0; places.len()];
        column_order.iter().zip(&places).for_each(|(&column, &place)| column_places[column as usize] = place);
        let entry_place =
            |(row, column): (usize, usize)| row_places[row] * WIDTH as u32 + column_places[column] % WIDTH as u32;
        let mut panels = Self {
            slots: column_order.iter().map(|&column| pattern.column(column as usize)).collect(),
            entry_places: pattern.entries().map(entry_place).collect(),
            work: vec![Self::NOTHING; columns.len()],
            solution: vec![[S::ZERO; WIDTH]; columns.len()],
            panels: Vec::new(),
            below: Vec::new(),
            lower: Vec::new(),
            above: Vec::new(),
            upper: Vec::new(),
            row_places,
            column_places,
        };
        panels.find_fill(columns);
        panels
    }

    /// The rows that elimination reaches from the entries of each panel.
    fn find_fill(&mut self, columns: Vec<Range<usize>>) {
        let mut met = vec![usize::MAX; WIDTH * columns.len()];
        let mut reached: Vec<u32> = Vec::new();
        for (panel, columns) in columns.into_iter().enumerate() {
            let (above, below) = (self.above.len(), self.below.len());
            let slots = self.slots[columns.clone()].iter().cloned().flatten();
            reached.extend(slots.map(|slot| self.entry_places[slot] / WIDTH as u32));
            while let Some(place) = reached.pop() {
                let of = place as usize / WIDTH;
                // Rows below are met one by one, those above with all of their panel.
                let mark = if of < panel { WIDTH * of } else { place as usize };
                if std::mem::replace(&mut met[mark], panel) == panel {
                    continue;
                }
                if of < panel {
                    self.above.push(of as u32);
                    reached.extend(&self.below[self.panels[of].lower.clone()]);
                } else if of > panel {
                    self.below.push(place);
                }
            }
            self.above[above..].sort_unstable();
            self.below[below..].sort_unstable();
            self.panels.push(Panel {
                columns,
                lower: below..self.below.len(),
                upper: above..self.above.len(),
                diagonal: Self::NOTHING,
                inverses: [S::ZERO; WIDTH],
            });
        }
        self.lower = vec![[S::ZERO; WIDTH]; self.below.len()];
        self.upper = vec![Self::NOTHING; self.above.len()];
    }

    /// Factorizes; where all pivots are large enough for their columns.
    #[inline(always)]
    pub(super) fn factor(&mut self, values: &[S]) -> S::Where {
        let Self { slots, entry_places, panels, below, lower, above, upper, work, .. } = self;
        let n = slots.len();
        let mut is_usable = S::EVERYWHERE;
        for index in 0..panels.len() {
            let (before, rest) = panels.split_at_mut(index);
            let panel = &mut rest[0];
            for slots in &slots[panel.columns.clone()] {
                for (&place, &value) in entry_places[slots.clone()].iter().zip(&values[slots.clone()]) {
                    work.as_flattened_mut().as_flattened_mut()[place as usize] = value;
                }
            }
            for unused in panel.columns.len()..WIDTH {
                work[index][unused][unused] = S::from_f64(1.0);
            }
            for (&of, columns) in above[panel.upper.clone()].iter().zip(&mut upper[panel.upper.clone()]) {
                let eliminated = &before[of as usize];
                let block = eliminated.rows_above(std::mem::replace(&mut work[of as usize], Self::NOTHING));
                *columns = transposed(&block);
                let rows = eliminated.lower.clone();
                for (&place, factors) in below[rows.clone()].iter().zip(&lower[rows]) {
                    subtract_product(&mut work.as_flattened_mut()[place as usize], factors, &block);
                }
            }
            is_usable = is_usable & panel.eliminate(std::mem::replace(&mut work[index], Self::NOTHING), n);
            for (&place, row) in below[panel.lower.clone()].iter().zip(&mut lower[panel.lower.clone()]) {
                let values = std::mem::replace(&mut work.as_flattened_mut()[place as usize], [S::ZERO; WIDTH]);
                *row = panel.factors(values);
                is_usable = row.iter().fold(is_usable, |is_usable, factor| is_usable & factor.is_at_most(MOST_FACTOR));
            }
            if !S::is_anywhere(is_usable) {
                break;
            }
        }
        is_usable
    }

    /// Replaces the right-hand side by the solution.
    #[inline(always)]
    pub(super) fn solve(&mut self, rhs: &mut [S]) {
        let Self { row_places, column_places, panels, below, lower, above, upper, solution, .. } = self;
        for (&place, &value) in row_places.iter().zip(&*rhs) {
            solution.as_flattened_mut()[place as usize] = value;
        }
        for (index, panel) in panels.iter().enumerate() {
            let x = panel.forward(solution[index]);
            solution[index] = x;
            for (&place, factors) in below[panel.lower.clone()].iter().zip(&lower[panel.lower.clone()]) {
                let target = &mut solution.as_flattened_mut()[place as usize];
                *target = factors.iter().zip(&x).fold(*target, |rest, (factor, x)| rest - *factor * *x);
            }
        }
        for (index, panel) in panels.iter().enumerate().rev() {
            let x = panel.backward(solution[index]);
            solution[index] = x;
            for (&of, columns) in above[panel.upper.clone()].iter().zip(&upper[panel.upper.clone()]) {
                let target = &mut solution[of as usize];
                for (column, x) in columns.iter().zip(&x).rev() {
                    target.iter_mut().zip(column).for_each(|(target, entry)| *target = *target - *entry * *x);
                }
            }
        }
        for (&place, value) in column_places.iter().zip(rhs) {
            *value = solution.as_flattened()[place as usize];
        }
    }

    /// The pivots, column by column of the matrix.
    pub(super) fn pivots(&self) -> Vec<S> {
        let pivot = |place: &u32| {
            let (panel, position) = (*place as usize / WIDTH, *place as usize % WIDTH);
            self.panels[panel].diagonal[position][position]
        };
        self.column_places.iter().map(pivot).collect()
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

    /// Eliminates the diagonal block; where its pivots are usable.
    #[inline(always)]
    fn eliminate(&mut self, mut block: Square<S>, n: usize) -> S::Where {
        let mut is_usable = S::EVERYWHERE;
        for c in 0..WIDTH {
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

    /// A row below the diagonal block.
    #[inline(always)]
    fn factors(&self, mut row: Row<S>) -> Row<S> {
        for c in 0..WIDTH {
            row[c] = row[c] * self.inverses[c];
            for k in c + 1..WIDTH {
                row[k] = row[k] - row[c] * self.diagonal[c][k];
            }
        }
        row
    }

    #[inline(always)]
    fn forward(&self, mut x: Row<S>) -> Row<S> {
        for c in 0..WIDTH {
            for row in c + 1..WIDTH {
                x[row] = x[row] - self.diagonal[row][c] * x[c];
            }
        }
        x
    }

    #[inline(always)]
    fn backward(&self, mut x: Row<S>) -> Row<S> {
        for c in (0..WIDTH).rev() {
            x[c] = x[c] * self.inverses[c];
            for row in 0..c {
                x[row] = x[row] - self.diagonal[row][c] * x[c];
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
    std::array::from_fn(|column| std::array::from_fn(|row| block[row][column]))
}

/// Neighbouring columns that are eliminated together.
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
                std::mem::swap(&mut rows, &mut all);
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
