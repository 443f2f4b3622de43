//! Which values the variables of a sweep have in each of its cases.

use std::str::FromStr;

use hamel::trajectory::{is_same_unit, name_and_unit};

use crate::error::SweepError;
use crate::sobol::{self, Dimension};
use crate::values::Values;

/// Most cases of one sweep.
const MOST_CASES: u64 = 1 << 40;
/// Most cases whose order is shuffled, which takes memory.
const MOST_STRATA: u64 = 1 << 28;

/// How values are chosen from ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// Independent of each other.
    Random(u64),
    /// For each variable, one in each of so many equal parts of its range.
    LatinHypercube(u64),
    /// The first points of Sobol's sequence, moved by the seed.
    Sobol(u64),
}

impl FromStr for Sampling {
    type Err = SweepError;

    /// `random:COUNT`, `lhs:COUNT` or `sobol:COUNT`.
    fn from_str(text: &str) -> Result<Sampling, SweepError> {
        let wrong = || {
            SweepError::new(format!(
                "expected random:COUNT, lhs:COUNT or sobol:COUNT, each of at least one, found `{text}`"
            ))
        };
        let (kind, count) = text.split_once(':').ok_or_else(wrong)?;
        let count = count.parse().ok().filter(|&count: &u64| count > 0).ok_or_else(wrong)?;
        match kind {
            "random" => Ok(Sampling::Random(count)),
            "lhs" => Ok(Sampling::LatinHypercube(count)),
            "sobol" => Ok(Sampling::Sobol(count)),
            _ => Err(wrong()),
        }
    }
}

/// The cases of a sweep: numbers from zero, each with a value for every variable.
///
/// # Examples
/// A grid of two variables; the last one changes first.
///
/// ```
/// use hamel_sweep::Cases;
///
/// let variables = [("mass".to_owned(), "1,2".parse()?), ("length".to_owned(), "0.5..1.5:3".parse()?)];
/// let cases = Cases::grid(variables.to_vec())?;
/// assert_eq!(cases.len(), 6);
/// assert_eq!(cases.values(4), [2.0, 1.0]);
/// # Ok::<(), hamel_sweep::SweepError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cases {
    names: Vec<String>,
    /// Units that a table gives its variables; nothing where it gives none.
    units: Vec<Option<String>>,
    len: u64,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// Values of each variable.
    Grid(Vec<Vec<f64>>),
    /// Rows of a table.
    Table(Vec<f64>),
    Random {
        ranges: Vec<Values>,
        seed: u64,
    },
    /// For each variable the part in which a case is.
    LatinHypercube {
        ranges: Vec<Values>,
        seed: u64,
        parts: Vec<Vec<u32>>,
    },
    Sobol {
        ranges: Vec<Values>,
        dimensions: Vec<Dimension>,
    },
}

impl Cases {
    /// All combinations of the values of variables; the last one changes first.
    ///
    /// # Errors
    /// For ranges without a number of values, names that occur twice, and too many cases.
    pub fn grid(variables: Vec<(String, Values)>) -> Result<Cases, SweepError> {
        let (names, values): (Vec<String>, Vec<Values>) = variables.into_iter().unzip();
        let axes: Vec<Vec<f64>> = values.iter().map(Values::grid).collect::<Result<_, _>>()?;
        let product = axes.iter().try_fold(1_u64, |product, axis| product.checked_mul(axis.len() as u64));
        let len = product.unwrap_or(u64::MAX);
        Cases { units: vec![None; names.len()], names, len, kind: Kind::Grid(axes) }.checked()
    }

    /// Samples of the ranges of variables; the seed chooses which.
    ///
    /// # Errors
    /// For ranges with a number of values, names that occur twice, and too many cases or variables.
    ///
    /// # Examples
    /// ```
    /// use hamel_sweep::{Cases, Sampling};
    ///
    /// let cases = Cases::sample(vec![("mass".to_owned(), "1..3".parse()?)], Sampling::LatinHypercube(10), 7)?;
    /// let mut parts: Vec<u64> = (0..10).map(|case| (5.0 * (cases.values(case)[0] - 1.0)) as u64).collect();
    /// parts.sort();
    /// assert!(parts.into_iter().eq(0..10));
    /// # Ok::<(), hamel_sweep::SweepError>(())
    /// ```
    pub fn sample(variables: Vec<(String, Values)>, sampling: Sampling, seed: u64) -> Result<Cases, SweepError> {
        let (names, ranges): (Vec<String>, Vec<Values>) = variables.into_iter().unzip();
        let is_grid = |values: &Values| matches!(values, Values::Range { count: Some(_), .. });
        if let Some(place) = ranges.iter().position(is_grid) {
            return Err(SweepError::new(format!(
                "`{}` has a number of values, but a sample decides how many there are; leave out what follows its `:`",
                names[place]
            )));
        }
        let (len, kind) = match sampling {
            Sampling::Random(len) => (len, Kind::Random { ranges, seed }),
            Sampling::LatinHypercube(len) => {
                if len > MOST_STRATA {
                    return Err(SweepError::new(format!("at most {MOST_STRATA} cases can be a Latin hypercube")));
                }
                let parts = (0..ranges.len() as u64).map(|variable| shuffled(len as u32, mixed([seed, variable, 1])));
                (len, Kind::LatinHypercube { parts: parts.collect(), ranges, seed })
            }
            Sampling::Sobol(len) => {
                if ranges.len() > sobol::MOST {
                    return Err(SweepError::new(format!(
                        "Sobol's sequence is known here for at most {} variables; take `lhs` or `random`",
                        sobol::MOST
                    )));
                }
                let dimension = |variable: usize| Dimension::new(variable, mixed([seed, variable as u64, 2]));
                (len, Kind::Sobol { dimensions: (0..ranges.len()).map(dimension).collect(), ranges })
            }
        };
        Cases { units: vec![None; names.len()], names, len, kind }.checked()
    }

    /// Rows with a value for each variable, one row after the other.
    ///
    /// # Errors
    /// For values that are no whole rows of finite numbers, and names that occur twice.
    ///
    /// # Examples
    /// ```
    /// let cases = hamel_sweep::Cases::rows(vec!["mass".to_owned(), "length".to_owned()], vec![1.0, 0.5, 2.0, 0.1])?;
    /// assert_eq!((cases.len(), cases.values(1)), (2, vec![2.0, 0.1]));
    /// # Ok::<(), hamel_sweep::SweepError>(())
    /// ```
    pub fn rows(names: Vec<String>, values: Vec<f64>) -> Result<Cases, SweepError> {
        if names.is_empty() || values.is_empty() || !values.len().is_multiple_of(names.len()) {
            return Err(SweepError::new(format!(
                "expected rows of {} values, found {} values in all",
                names.len(),
                values.len()
            )));
        }
        if let Some(place) = values.iter().position(|value| !value.is_finite()) {
            let (row, name) = (place / names.len(), &names[place % names.len()]);
            return Err(SweepError::new(format!("`{name}` of case {row} is {}, expected a number", values[place])));
        }
        let (units, len) = (vec![None; names.len()], (values.len() / names.len()) as u64);
        Cases { names, units, len, kind: Kind::Table(values) }.checked()
    }

    /// The rows of a table of comma-separated values, whose first line has the names of the variables, also with their SI
    /// units as `name [unit]`.
    ///
    /// # Errors
    /// With the number of the line, for what is no such table.
    ///
    /// # Examples
    /// ```
    /// let cases = hamel_sweep::Cases::table("mass,length\n1,0.5\n2,1e-1\n")?;
    /// assert_eq!((cases.names(), cases.values(1)), (&["mass".to_owned(), "length".to_owned()][..], vec![2.0, 0.1]));
    /// # Ok::<(), hamel_sweep::SweepError>(())
    /// ```
    pub fn table(text: &str) -> Result<Cases, SweepError> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let wrong = |error: csv::Error| SweepError::new(format!("the table of cases: {error}"));
        // Tables of sweeps and motions have units after the names.
        let titled = |title: &str| {
            let (name, unit) = name_and_unit(title);
            (name.to_owned(), unit.map(str::to_owned))
        };
        let (names, units): (Vec<String>, _) = reader.headers().map_err(wrong)?.iter().map(titled).unzip();
        let mut values = Vec::new();
        for record in reader.records() {
            let record = record.map_err(wrong)?;
            let line = record.position().map_or(0, csv::Position::line);
            for (name, cell) in names.iter().zip(&record) {
                let value = cell.parse::<f64>().ok().filter(|value| value.is_finite());
                values.push(value.ok_or_else(|| {
                    SweepError::new(format!(
                        "the table of cases, line {line}: expected a number for `{name}`, found `{cell}`"
                    ))
                })?);
            }
        }
        if names.is_empty() || values.is_empty() {
            return Err(SweepError::new("the table of cases: expected a line of names and lines of numbers"));
        }
        Ok(Cases { units, ..Cases::rows(names, values)? })
    }

    /// With the units in which the variables were given, for those that had one, as a check of what they are.
    pub fn in_units(self, units: Vec<Option<String>>) -> Cases {
        Cases { units, ..self }
    }

    /// Refuses units other than these, which the variables have.
    pub(crate) fn check_units<'u>(&self, expected: impl Iterator<Item = &'u str>) -> Result<(), SweepError> {
        for ((name, found), expected) in self.names.iter().zip(&self.units).zip(expected) {
            if let Some(found) = found.as_ref().filter(|found| !is_same_unit(found, expected)) {
                return Err(SweepError::new(format!(
                    "`{name}` is in {found}, expected {expected}; numbers of tables are in SI units"
                )));
            }
        }
        Ok(())
    }

    fn checked(self) -> Result<Cases, SweepError> {
        let names = &self.names;
        if let Some((place, name)) = names.iter().enumerate().find(|(place, name)| names[..*place].contains(name)) {
            return Err(SweepError::new(format!(
                "`{name}` is variable {place} and another one, expected different names"
            )));
        }
        if self.len > MOST_CASES {
            return Err(SweepError::new(format!("more than {MOST_CASES} cases, which never end")));
        }
        Ok(self)
    }

    /// Names of the variables.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of cases.
    #[expect(clippy::len_without_is_empty, reason = "there is at least one")]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// A number that tells these cases from others: it depends on names, order and all values.
    pub(crate) fn hash(&self) -> u64 {
        let add = |hash: u64, word: u64| mixed([hash, word, 4]);
        let name = |hash: u64, name: &String| {
            name.bytes().fold(add(hash, name.len() as u64), |hash, byte| add(hash, u64::from(byte)))
        };
        let all = |hash: u64, values: &[f64]| {
            values.iter().fold(add(hash, values.len() as u64), |hash, value| add(hash, value.to_bits()))
        };
        let hash = self.names.iter().fold(add(0, self.len), name);
        match &self.kind {
            Kind::Grid(axes) => axes.iter().fold(add(hash, 0), |hash, axis| all(hash, axis)),
            Kind::Table(values) => all(add(hash, 1), values),
            // A sample is known by its first cases: other ranges and seeds give others.
            Kind::Random { .. } | Kind::LatinHypercube { .. } | Kind::Sobol { .. } => {
                (0..self.len.min(100)).fold(add(hash, 2), |hash, case| all(hash, &self.values(case)))
            }
        }
    }

    /// For a grid, the values of each variable.
    pub fn axes(&self) -> Option<&[Vec<f64>]> {
        match &self.kind {
            Kind::Grid(axes) => Some(axes),
            _ => None,
        }
    }

    /// The value of each variable in a case, from zero.
    pub fn values(&self, case: u64) -> Vec<f64> {
        let sampled = |ranges: &[Values], part: &dyn Fn(usize) -> f64| -> Vec<f64> {
            ranges.iter().enumerate().map(|(variable, range)| range.at(part(variable))).collect()
        };
        match &self.kind {
            Kind::Grid(axes) => {
                let mut rest = case;
                let mut values: Vec<f64> = axes
                    .iter()
                    .rev()
                    .map(|axis| {
                        let place = rest % axis.len() as u64;
                        rest /= axis.len() as u64;
                        axis[place as usize]
                    })
                    .collect();
                values.reverse();
                values
            }
            Kind::Table(values) => {
                let width = self.names.len();
                values[case as usize * width..][..width].to_vec()
            }
            Kind::Random { ranges, seed } => sampled(ranges, &|variable| part([*seed, variable as u64, case])),
            Kind::LatinHypercube { ranges, seed, parts } => sampled(ranges, &|variable| {
                (f64::from(parts[variable][case as usize]) + part([*seed, variable as u64, case])) / self.len as f64
            }),
            Kind::Sobol { ranges, dimensions } => sampled(ranges, &|variable| dimensions[variable].at(case)),
        }
    }
}

/// The numbers below `len` in a random order.
fn shuffled(len: u32, seed: u64) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..len).collect();
    for last in (1..numbers.len()).rev() {
        // The product is uniform up to one in 2³².
        let other = (u128::from(mixed([seed, last as u64, 3])) * (last as u128 + 1)) >> 64;
        numbers.swap(last, other as usize);
    }
    numbers
}

/// A random number in [0, 1).
fn part(words: [u64; 3]) -> f64 {
    (mixed(words) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A random number that depends on these words alone: the finaliser of SplitMix64, once for each word.
/// [Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014]
fn mixed(words: [u64; 3]) -> u64 {
    words.into_iter().fold(0, |hash: u64, word| {
        let mut z = (hash ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(count: usize) -> Vec<(String, Values)> {
        (0..count).map(|k| (format!("x{k}"), "0..1".parse().unwrap())).collect()
    }

    /// Mean 1/2, variance 1/12 and no correlation, within four standard errors; other seeds give other numbers.
    #[test]
    fn random_numbers_are_uniform_and_independent() {
        const N: u64 = 20_000;
        for seed in [0, 1, u64::MAX] {
            let cases = Cases::sample(variables(3), Sampling::Random(N), seed).unwrap();
            let rows: Vec<Vec<f64>> = (0..N).map(|case| cases.values(case)).collect();
            let mean = |f: &dyn Fn(&[f64]) -> f64| rows.iter().map(|row| f(row) - 0.5).sum::<f64>() / N as f64;
            let error = 4.0 / (12.0 * N as f64).sqrt();
            for k in 0..3 {
                assert!(mean(&|row| row[k]).abs() < error);
                let variance = mean(&|row| 0.5 + (row[k] - 0.5).powi(2));
                assert!((variance - 1.0 / 12.0).abs() < 4.0 * (1.0 / 180.0 / N as f64).sqrt());
                let (a, b) = (k, (k + 1) % 3);
                let covariance = mean(&|row| 0.5 + (row[a] - 0.5) * (row[b] - 0.5));
                assert!(covariance.abs() < 4.0 / 12.0 / (N as f64).sqrt(), "{covariance}");
            }
            // From one case to the next.
            let lag = rows.windows(2).map(|pair| (pair[0][0] - 0.5) * (pair[1][0] - 0.5)).sum::<f64>() / N as f64;
            assert!(lag.abs() < 4.0 / 12.0 / (N as f64).sqrt());
        }
        let [a, b] = [3, 4].map(|seed| Cases::sample(variables(1), Sampling::Random(5), seed).unwrap().values(2));
        assert_ne!(a, b);
    }

    #[test]
    fn each_part_of_a_latin_hypercube_has_one_case() {
        for n in [1, 2, 97, 1000] {
            let cases = Cases::sample(variables(4), Sampling::LatinHypercube(n), 11).unwrap();
            let mut orders = Vec::new();
            for k in 0..4 {
                let order: Vec<u64> = (0..n).map(|case| (n as f64 * cases.values(case)[k]) as u64).collect();
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..n), "{n} cases, variable {k}");
                orders.push(order);
            }
            assert!(n < 90 || (orders[0] != orders[1] && orders[1] != orders[2]));
        }
    }

    #[test]
    fn combinations_occur_once() {
        let three = [("a", "1,2"), ("b", "1..3:3"), ("c", "5,6,7,8")];
        let cases =
            Cases::grid(three.map(|(name, values)| (name.to_owned(), values.parse().unwrap())).to_vec()).unwrap();
        let mut rows: Vec<Vec<u64>> =
            (0..cases.len()).map(|case| cases.values(case).into_iter().map(|value| value as u64).collect()).collect();
        assert_eq!((rows.len(), &rows[0], &rows[1]), (24, &vec![1, 1, 5], &vec![1, 1, 6]));
        let sorted = rows.clone();
        rows.sort();
        rows.dedup();
        assert_eq!(rows, sorted);
    }

    #[test]
    fn mistakes_are_named() {
        let values = |text: &str| text.parse::<Values>().unwrap();
        let error = |cases: Result<Cases, SweepError>| cases.expect_err("a mistake").to_string();
        assert_eq!(Cases::table("vec_x [m],a b [1]\n1,2\n").unwrap().names(), ["vec_x", "a b"]);
        let twice = vec![("a".to_owned(), values("1")), ("a".to_owned(), values("2"))];
        assert!(error(Cases::grid(twice)).contains("`a`"));
        let counted = vec![("a".to_owned(), values("1..2:3"))];
        assert!(error(Cases::sample(counted, Sampling::Sobol(4), 0)).contains("leave out"));
        assert!(error(Cases::sample(variables(22), Sampling::Sobol(4), 0)).contains("21"));
        let endless = (0..8).map(|k| (format!("x{k}"), values("1..2:1000000"))).collect();
        assert!(error(Cases::grid(endless)).contains("never end"));
        let rows = |values: &[f64]| error(Cases::rows(vec!["a".to_owned(), "b".to_owned()], values.to_vec()));
        assert!(rows(&[1.0, 2.0, 3.0]).contains("rows of 2 values") && rows(&[]).contains("found 0"));
        assert!(rows(&[1.0, 2.0, 3.0, f64::NAN]).contains("`b` of case 1 is NaN"));
        for (table, message) in [
            ("", "names"),
            ("a,b\n", "names"),
            ("a,b\n1,x\n", "line 2: expected a number for `b`, found `x`"),
            ("a,b\n1,2\n3\n", "line: 3"),
            ("a,a\n1,2\n", "`a`"),
            ("a\nnan\n", "found `nan`"),
        ] {
            assert!(error(Cases::table(table)).contains(message), "{table}: {}", error(Cases::table(table)));
        }
        for text in ["lhs", "lhs:0", "grid:3", "lhs:x"] {
            assert!(text.parse::<Sampling>().is_err(), "{text}");
        }
    }
}
