//! What a source numbers, and what becomes of it: a table that nothing is left out of.
//!
//! Beside the experiments of each source is a file `coverage.txt`. It begins with the numbers of figures, tables and
//! equations; each further line is an entry:
//!
//! ```text
//! place | what it shows | status | experiments | remark
//! ```
//!
//! A place is `Fig. 3`, `Figs. 7–9, 12`, the same with `Table` and `Eq.`, or any other words for what has no number.
//! Experiments are separated by commas; `–` stands for none. Lines that begin with `#` are comments.

use std::collections::BTreeMap;

use thiserror::Error;

/// What becomes of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Experiments compute it.
    Computed,
    /// Experiments compute some of it; the remark says what is missing.
    Partly,
    /// It can be computed, and is not yet.
    Missing,
    /// A test holds it, which the remark names.
    Tested,
    /// There is nothing to compute; the remark says why.
    Nothing,
}

impl Status {
    /// All, best first.
    pub const ALL: [Status; 5] = [Status::Computed, Status::Tested, Status::Partly, Status::Missing, Status::Nothing];

    /// The word of the file.
    pub fn key(self) -> &'static str {
        match self {
            Status::Computed => "computed",
            Status::Partly => "partly",
            Status::Missing => "missing",
            Status::Tested => "tested",
            Status::Nothing => "nothing",
        }
    }

    /// In words.
    pub fn label(self) -> &'static str {
        match self {
            Status::Computed => "computed",
            Status::Partly => "partly computed",
            Status::Missing => "not yet computed",
            Status::Tested => "held by a test",
            Status::Nothing => "nothing to compute",
        }
    }
}

/// What a source numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Figures.
    Figure,
    /// Tables.
    Table,
    /// Equations.
    Equation,
}

impl Kind {
    /// All, in the order of the page.
    pub const ALL: [Kind; 3] = [Kind::Figure, Kind::Table, Kind::Equation];

    /// The word for several.
    pub fn plural(self) -> &'static str {
        match self {
            Kind::Figure => "figures",
            Kind::Table => "tables",
            Kind::Equation => "equations",
        }
    }

    /// The kind that a word before a number names, as in `Figs. 3, 4`.
    fn of(word: &str) -> Option<Self> {
        match word.trim_end_matches('.').trim_end_matches('s') {
            "Fig" | "Figure" => Some(Kind::Figure),
            "Table" => Some(Kind::Table),
            "Eq" | "Equation" => Some(Kind::Equation),
            _ => None,
        }
    }
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<'a> {
    /// As written, e.g. `Figs. 7–9`.
    pub place: &'a str,
    /// What it shows.
    pub what: &'a str,
    /// What becomes of it.
    pub status: Status,
    /// Identifiers of the experiments.
    pub experiments: Vec<&'a str>,
    /// What is missing or why, or empty.
    pub remark: &'a str,
}

/// The table of a source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage<'a> {
    /// How many of each kind the source has.
    pub numbers: BTreeMap<Kind, u32>,
    /// In the order of the file.
    pub entries: Vec<Entry<'a>>,
}

/// Why a table cannot be read.
#[derive(Debug, Error, PartialEq)]
#[error("coverage: {reason}: `{line}`")]
pub struct BadLine {
    reason: &'static str,
    line: String,
}

impl<'a> Coverage<'a> {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// When a line has another form.
    pub fn parse(text: &'a str) -> Result<Self, BadLine> {
        let mut coverage = Self::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let bad = |reason| BadLine { reason, line: line.to_owned() };
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            match cells[..] {
                [words] => {
                    let (kind, count) = words.split_once(' ').ok_or(bad("a kind and its number is expected"))?;
                    let kind = Kind::ALL.into_iter().find(|entry| entry.plural() == kind);
                    let count = count.parse().map_err(|_| bad("not a number"))?;
                    coverage.numbers.insert(kind.ok_or(bad("unknown kind"))?, count);
                }
                [place, what, status, experiments, remark] => {
                    let status = Status::ALL.into_iter().find(|entry| entry.key() == status);
                    let experiments = experiments.split(',').map(str::trim).filter(|id| *id != "–").collect();
                    let status = status.ok_or(bad("unknown status"))?;
                    coverage.entries.push(Entry { place, what, status, experiments, remark });
                }
                _ => return Err(bad("five cells are expected")),
            }
        }
        Ok(coverage)
    }

    /// How many numbers of a kind have each status.
    pub fn count(&self, kind: Kind) -> BTreeMap<Status, usize> {
        let mut counts = BTreeMap::new();
        for entry in &self.entries {
            let found = numbers(entry.place).into_iter().filter(|(other, _)| *other == kind).count();
            *counts.entry(entry.status).or_insert(0) += found;
        }
        counts.retain(|_, count| *count > 0);
        counts
    }

    /// How many entries have each status, for documents without numbers.
    pub fn count_entries(&self) -> BTreeMap<Status, usize> {
        let mut counts = BTreeMap::new();
        for entry in &self.entries {
            *counts.entry(entry.status).or_insert(0) += 1;
        }
        counts
    }

    /// What is wrong with the table: numbers that are left out, named twice or too large, and entries without what their
    /// status demands. `exists` says whether there is an experiment with an identifier.
    pub fn faults(&self, exists: impl Fn(&str) -> bool) -> Vec<String> {
        let mut faults = Vec::new();
        let mut places: BTreeMap<(Kind, u32), u32> = BTreeMap::new();
        for entry in &self.entries {
            for place in numbers(entry.place) {
                *places.entry(place).or_default() += 1;
            }
            let has_experiments = !entry.experiments.is_empty();
            if has_experiments != matches!(entry.status, Status::Computed | Status::Partly) {
                faults.push(format!("{}: experiments do not fit the status", entry.place));
            }
            if entry.status != Status::Computed && entry.remark.is_empty() {
                faults.push(format!("{}: a remark is missing", entry.place));
            }
            let unknown = entry.experiments.iter().filter(|id| !exists(id));
            faults.extend(unknown.map(|id| format!("{}: there is no experiment `{id}`", entry.place)));
        }
        for kind in Kind::ALL {
            let last = self.numbers.get(&kind).copied().unwrap_or(0);
            let wrong = (1..=last).filter(|&number| places.get(&(kind, number)) != Some(&1));
            faults.extend(wrong.map(|number| format!("{} {number}: not named once", kind.plural())));
            let beyond = places.keys().filter(|(other, number)| *other == kind && !(1..=last).contains(number));
            faults.extend(beyond.map(|(_, number)| format!("{} {number}: there are {last}", kind.plural())));
        }
        faults
    }
}

/// The numbers that a place names: `Sect. 5, Figs. 2–4, Eq. 7` has three figures and an equation.
pub fn numbers(place: &str) -> Vec<(Kind, u32)> {
    let mut found = Vec::new();
    let mut kind = None;
    for part in place.split(',').map(str::trim) {
        let (word, rest) = part.split_once(' ').unwrap_or(("", part));
        // After a word that names no kind, as `Sects.`, numbers mean something else.
        if !word.is_empty() {
            kind = Kind::of(word);
        }
        let Some(kind) = kind else { continue };
        let (first, last) = rest.split_once('–').unwrap_or((rest, rest));
        if let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) {
            found.extend((first..=last).map(|number| (kind, number)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# comment\nfigures 3\nequations 1\n\nFigs. 1, 3 | a | computed | p/a, p/b |\n\
                        Fig. 2 | b | nothing | – | a sketch\nEq. 1 | c | missing | – | not done\n";

    #[test]
    fn places_are_lists_and_ranges_of_numbers() {
        let figure = |number| (Kind::Figure, number);
        assert_eq!(numbers("Figs. 2–4, 7"), [figure(2), figure(3), figure(4), figure(7)]);
        assert_eq!(numbers("Sects. 3.1, 5"), []);
        assert_eq!(numbers("Tables 1, 2, Fig. 21"), [(Kind::Table, 1), (Kind::Table, 2), figure(21)]);
        assert_eq!(numbers("Sect. 4, Eq. 5"), [(Kind::Equation, 5)]);
        assert_eq!(numbers("our own example"), []);
    }

    #[test]
    fn a_complete_table_has_no_faults_and_is_counted() {
        let coverage = Coverage::parse(TEXT).unwrap();
        assert_eq!(coverage.faults(|_| true), [""; 0]);
        assert_eq!(coverage.count(Kind::Figure), [(Status::Computed, 2), (Status::Nothing, 1)].into());
        assert_eq!(coverage.faults(|id| id == "p/a"), ["Figs. 1, 3: there is no experiment `p/b`"]);
    }

    #[test]
    fn what_is_left_out_is_found() {
        let faults = |text: &str| Coverage::parse(text).unwrap().faults(|_| true);
        assert_eq!(faults(&TEXT.replace("figures 3", "figures 4")), ["figures 4: not named once"]);
        assert_eq!(faults(&TEXT.replace("Fig. 2 ", "Figs. 2, 3 ")), ["figures 3: not named once"]);
        assert_eq!(faults(&TEXT.replace("equations 1", "equations 0")), ["equations 1: there are 0"]);
        assert_eq!(faults(&TEXT.replace("a sketch", "")), ["Fig. 2: a remark is missing"]);
        assert_eq!(faults(&TEXT.replace("computed", "tested")).len(), 2);
        assert!(Coverage::parse("Fig. 1 | a | done | – | b").is_err() && Coverage::parse("figures many").is_err());
    }
}
