//! The instants of a motion that are shown, with coordinates and velocities: recorded ones, thinned where there are more
//! than a viewer tells apart, and with others between where a scheme has taken long steps.

use hamel::configuration::{normalize_rotations, velocity_map_apply};
use hamel::{Block, Trajectory};

/// The state at one instant, and the recorded row that it is, or the two rows between which it is.
pub(crate) struct Sample {
    pub t: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// Index of the row at or before, and the part of the way to the next one.
    row: usize,
    part: f64,
}

impl Sample {
    /// The value of a column of the table from which it is taken.
    pub fn column(&self, rows: &[&[f64]], column: usize) -> f64 {
        let here = rows[self.row][column];
        match rows.get(self.row + 1) {
            Some(next) if self.part > 0.0 => here + self.part * (next[column] - here),
            _ => here,
        }
    }
}

/// Intervals that a motion has at least; longer ones are divided.
const FEWEST: f64 = 400.0;

/// At most so many instants, at least the first and the last.
pub(crate) fn samples(
    trajectory: &Trajectory,
    blocks: &[Block],
    (nq, nv): (usize, usize),
    at_most: usize,
) -> Vec<Sample> {
    let rows: Vec<&[f64]> = trajectory.rows().collect();
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Vec::new() };
    let longest = (last[0] - first[0]) / FEWEST.min(at_most.max(2) as f64 - 1.0);
    let shortest = (last[0] - first[0]) / (at_most.max(2) as f64 - 1.0) * (1.0 - 1e-9);
    let mut found: Vec<Sample> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let is_due = found.last().is_none_or(|known| row[0] - known.t >= shortest);
        if !is_due && index + 1 < rows.len() {
            continue;
        }
        // The last row is shown in any case, instead of one that is too near.
        if !is_due && found.len() > 1 {
            found.pop();
        }
        if let (Some(before), Some(known)) = (index.checked_sub(1), found.last())
            && known.row == before
            && known.part == 0.0
        {
            let parts = ((row[0] - known.t) / longest - 1e-9).ceil().max(1.0) as usize;
            for k in 1..parts {
                found.push(between(&rows, before, k as f64 / parts as f64, blocks, (nq, nv)));
            }
        }
        found.push(Sample {
            t: row[0],
            q: row[1..=nq].to_vec(),
            v: row[1 + nq..1 + nq + nv].to_vec(),
            row: index,
            part: 0.0,
        });
    }
    found
}

/// The state between two rows, by the cubics that have their coordinates and rates.
fn between(rows: &[&[f64]], row: usize, part: f64, blocks: &[Block], (nq, nv): (usize, usize)) -> Sample {
    let [here, next] = [rows[row], rows[row + 1]];
    let step = next[0] - here[0];
    let rates = [here, next].map(|row| {
        let mut rates = vec![0.0; nq];
        velocity_map_apply(blocks, &row[1..=nq], &row[1 + nq..1 + nq + nv], &mut rates);
        rates
    });
    let (s, r) = (part, 1.0 - part);
    let weights = [r * r * (1.0 + 2.0 * s), s * s * (1.0 + 2.0 * r), s * r * r * step, -r * s * s * step];
    let cubic = |i: usize| {
        weights[0] * here[1 + i] + weights[1] * next[1 + i] + weights[2] * rates[0][i] + weights[3] * rates[1][i]
    };
    let mut q: Vec<f64> = (0..nq).map(cubic).collect();
    normalize_rotations(blocks, &mut q);
    let velocity = |i: usize| here[1 + nq + i] + part * (next[1 + nq + i] - here[1 + nq + i]);
    Sample { t: here[0] + part * step, q, v: (0..nv).map(velocity).collect(), row, part }
}
