//! How the description of a model is kept: lists that grow with the model are written by rule, or by what differs from the
//! entry before.

use std::sync::Arc;

use hamel::pivots::Pivots;
use hamel::{Channel, ModelInfo, SparsityPattern};
use hamel_compiler::schedule::runs;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A description without its long lists, and these.
#[derive(Serialize, Deserialize)]
struct Kept {
    rest: ModelInfo,
    coordinates: Names,
    velocities: Names,
    constraints: Names,
    patterns: [Pattern; 6],
    /// Those of the patterns in [`with_pivots`].
    pivots: [Option<Pivots>; 2],
}

pub(crate) fn serialize<S: Serializer>(info: &ModelInfo, to: S) -> Result<S::Ok, S::Error> {
    let mut rest = info.clone();
    let [coordinates, velocities, constraints] = names(&mut rest).map(|list| Names::of(&std::mem::take(list)));
    let patterns = patterns(&mut rest).map(|pattern| Pattern::of(&std::mem::take(pattern)));
    let pivots = with_pivots(info).map(|pattern| pattern.pivots().map(|pivots| Pivots::clone(pivots)));
    Kept { rest, coordinates, velocities, constraints, patterns, pivots }.serialize(to)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ModelInfo, D::Error> {
    let Kept { mut rest, coordinates, velocities, constraints, patterns: kept, pivots } = Kept::deserialize(from)?;
    for (list, names) in names(&mut rest).into_iter().zip([coordinates, velocities, constraints]) {
        *list = names.channels();
    }
    for (pattern, kept) in patterns(&mut rest).into_iter().zip(kept) {
        *pattern = kept.expanded();
    }
    if pivots.iter().any(Option::is_some) {
        let known = pivots.into_iter().zip(with_pivots(&rest));
        known.for_each(|(pivots, pattern)| pivots.into_iter().for_each(|pivots| pattern.know_pivots(Arc::new(pivots))));
    }
    Ok(rest)
}

/// The matrices of a model that are eliminated, if it is large, with the same pivots by all who integrate it.
fn with_pivots(info: &ModelInfo) -> [SparsityPattern; 2] {
    [info.iteration_matrix.clone(), info.mass_matrix.bordered(&info.constraint_jacobian)]
}

fn names(info: &mut ModelInfo) -> [&mut Vec<Channel>; 3] {
    [&mut info.coordinates, &mut info.velocities, &mut info.constraints]
}

fn patterns(info: &mut ModelInfo) -> [&mut SparsityPattern; 6] {
    let ModelInfo { mass_matrix, damping, stiffness, constraint_jacobian, contact_jacobian, iteration_matrix, .. } =
        info;
    [mass_matrix, damping, stiffness, constraint_jacobian, contact_jacobian, iteration_matrix]
}

/// Names and units, one after the other: how many bytes each name has in common with the one before, and the rest of it.
#[derive(Default, Serialize, Deserialize)]
struct Names {
    units: Vec<String>,
    /// For each channel its unit, the bytes in common, and those of the rest.
    channels: Vec<(u32, u32, u32)>,
    rests: String,
}

impl Names {
    fn of(channels: &[Channel]) -> Names {
        let mut names = Names::default();
        let mut before = "";
        for Channel { name, unit } in channels {
            let known = names.units.iter().position(|known| known == unit);
            let unit = known.unwrap_or_else(|| {
                names.units.push(unit.clone());
                names.units.len() - 1
            });
            let both = before.char_indices().zip(name.chars());
            let common =
                both.take_while(|((_, a), b)| a == b).map(|((at, a), _)| at + a.len_utf8()).last().unwrap_or(0);
            names.channels.push((unit as u32, common as u32, (name.len() - common) as u32));
            names.rests.push_str(&name[common..]);
            before = name;
        }
        names
    }

    fn channels(&self) -> Vec<Channel> {
        let (mut name, mut rests) = (String::new(), self.rests.as_str());
        let channel = |&(unit, common, len): &(u32, u32, u32)| {
            let (rest, others) = rests.split_at(len as usize);
            rests = others;
            name.truncate(common as usize);
            name.push_str(rest);
            Channel { name: name.clone(), unit: self.units[unit as usize].clone() }
        };
        self.channels.iter().map(channel).collect()
    }
}

/// A pattern by rule: parts of columns that are repeated with equal steps of their rows.
#[derive(Serialize, Deserialize)]
struct Pattern {
    rows: usize,
    parts: Vec<Part>,
}

#[derive(Serialize, Deserialize)]
struct Part {
    count: u32,
    columns: Vec<Vec<Entries>>,
}

/// Rows that follow each other: the first one, how many, and the step of the first one from a repetition to the next, modulo
/// 2³².
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Entries {
    first: u32,
    len: u32,
    step: u32,
}

impl Pattern {
    fn of(pattern: &SparsityPattern) -> Pattern {
        let columns: Vec<Vec<Entries>> = (0..pattern.columns)
            .map(|column| {
                let mut entries: Vec<Entries> = Vec::new();
                for &row in &pattern.row_indices()[pattern.column(column)] {
                    match entries.last_mut().filter(|last| last.first + last.len == row) {
                        Some(last) => last.len += 1,
                        None => entries.push(Entries { first: row, len: 1, step: 0 }),
                    }
                }
                entries
            })
            .collect();
        let step = |from: usize, to: usize| -> Option<Vec<u32>> {
            let (from, to) = (&columns[from], &columns[to]);
            let is_alike = from.iter().map(|entries| entries.len).eq(to.iter().map(|entries| entries.len));
            is_alike.then(|| from.iter().zip(to).map(|(from, to)| to.first.wrapping_sub(from.first)).collect())
        };
        let part = |run: runs::Run<Vec<u32>>| {
            let mut first = columns[run.first()].to_vec();
            for (column, steps) in first.iter_mut().zip(&run.steps) {
                column.iter_mut().zip(steps).for_each(|(entries, &step)| entries.step = step);
            }
            Part { count: run.count as u32, columns: first }
        };
        Pattern { rows: pattern.rows, parts: runs::runs(columns.len(), step).into_iter().map(part).collect() }
    }

    fn expanded(&self) -> SparsityPattern {
        let sum = |of: fn(&Part) -> usize| self.parts.iter().map(|part| part.count as usize * of(part)).sum::<usize>();
        let n_columns = sum(|part| part.columns.len());
        let n_entries = sum(|part| part.columns.iter().flatten().map(|entries| entries.len as usize).sum());
        let (mut column_starts, mut row_indices) = (Vec::with_capacity(n_columns + 1), Vec::with_capacity(n_entries));
        column_starts.push(0);
        for part in &self.parts {
            for times in 0..part.count {
                for column in &part.columns {
                    for &Entries { first, len, step } in column {
                        let first = first.wrapping_add(times.wrapping_mul(step));
                        row_indices.extend(first..first.wrapping_add(len));
                    }
                    column_starts.push(row_indices.len() as u32);
                }
            }
        }
        SparsityPattern::new(self.rows, column_starts, row_indices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A band with ends of its own, a border, and a column without entries.
    #[test]
    fn patterns_are_what_they_were() {
        let n = 300;
        let band =
            (0..n).flat_map(|row: usize| (row.saturating_sub(3)..(row + 2).min(n)).map(move |column| (row, column)));
        let border = (0..n).step_by(2).flat_map(|k| [(n, k), (k, n + 1), (k, n + 2)]);
        for (rows, columns, entries) in
            [(n + 1, n + 3, band.chain(border).collect()), (0, 4, vec![]), (3, 0, vec![]), (2, 2, vec![(1, 0), (0, 1)])]
        {
            let pattern = SparsityPattern::from_entries(rows, columns, entries);
            let kept = Pattern::of(&pattern);
            assert_eq!(kept.expanded(), pattern);
            assert!(kept.parts.iter().map(|part| part.columns.len()).sum::<usize>() < 50);
        }
    }

    #[test]
    fn names_are_what_they_were() {
        let of = |(name, unit): (String, &str)| Channel::new(name, unit);
        let numbered = (0..30).flat_map(|k| ["x", "φ", "ψ"].map(|of| (format!("käfer[{k}].{of}"), "m")));
        let others = ["", "k", "ψ", "φ", "käfer[29]"].map(|name| (name.to_owned(), "rad"));
        let channels: Vec<Channel> = numbered.chain(others).map(of).collect();
        let names = Names::of(&channels);
        assert_eq!(names.channels(), channels);
        assert_eq!(names.units, ["m", "rad"]);
        assert!(names.rests.len() < 600, "{}", names.rests);
    }

    /// Also with pivots, and without any channel or entry.
    #[test]
    fn descriptions_are_what_they_were() {
        let one = SparsityPattern::from_entries(1, 1, [(0, 0)]);
        let full = ModelInfo {
            name: "Block".to_owned(),
            coordinates: vec![Channel::new("x", "m")],
            velocities: vec![Channel::new("x'", "m/s")],
            mass_matrix: one.clone(),
            iteration_matrix: one,
            ..ModelInfo::default()
        };
        #[derive(Serialize, Deserialize)]
        struct Whole(#[serde(with = "super")] ModelInfo);
        for info in [ModelInfo::default(), full] {
            let bytes = postcard::to_stdvec(&Whole(info.clone())).unwrap();
            let Whole(read) = postcard::from_bytes(&bytes).unwrap();
            assert_eq!(format!("{read:?}"), format!("{info:?}"));
        }
    }
}
