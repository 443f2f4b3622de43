//! The values of a variable, as users write them.

use std::num::NonZeroU32;
use std::str::FromStr;

use crate::error::SweepError;

/// The values of a variable.
///
/// # Examples
/// ```
/// use hamel_sweep::Values;
///
/// let values: Values = "1..3:5".parse()?;
/// assert_eq!(values.grid()?, [1.0, 1.5, 2.0, 2.5, 3.0]);
/// let values: Values = "log:0.1..10:3".parse()?;
/// assert_eq!(values.grid()?, [0.1, 1.0, 10.0]);
/// let values: Values = "1, 2, 5".parse()?;
/// assert_eq!(values.grid()?, [1.0, 2.0, 5.0]);
/// # Ok::<(), hamel_sweep::SweepError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// These, in this order.
    List(Vec<f64>),
    /// Those from the first to the last.
    Range {
        /// The first and the last, which may be the smaller one.
        ends: [f64; 2],
        /// Whether logarithms, instead of the values, are distributed evenly.
        is_log: bool,
        /// How many there are in a grid.
        count: Option<NonZeroU32>,
    },
}

impl Values {
    /// The values of a grid, ends included.
    ///
    /// # Errors
    /// For a range without a number of values.
    pub fn grid(&self) -> Result<Vec<f64>, SweepError> {
        match *self {
            Values::List(ref values) => Ok(values.clone()),
            Values::Range { count: None, ends: [first, last], .. } => Err(SweepError::new(format!(
                "how many values has `{first}..{last}`?\nhelp: write {first}..{last}:10 for a grid, or choose a sample"
            ))),
            Values::Range { ends, count: Some(count), .. } => {
                let count = count.get();
                let value = |k: u32| match k {
                    0 => ends[0],
                    // Not as it would be rounded.
                    k if k == count - 1 => ends[1],
                    k => self.at(f64::from(k) / f64::from(count - 1)),
                };
                Ok((0..count).map(value).collect())
            }
        }
    }

    /// The value at a part of the whole, from 0 to 1: equal parts have equal numbers of a list, and equal parts of a range.
    ///
    /// # Examples
    /// ```
    /// let values: hamel_sweep::Values = "log:1..100".parse()?;
    /// assert_eq!(values.at(0.5), 10.0);
    /// # Ok::<(), hamel_sweep::SweepError>(())
    /// ```
    pub fn at(&self, part: f64) -> f64 {
        match *self {
            Values::List(ref values) => values[((part * values.len() as f64) as usize).min(values.len() - 1)],
            // The difference of large numbers, and the quotient below, may be none.
            Values::Range { ends: [first, last], is_log: false, .. } => match last - first {
                way if way.is_finite() => first + part * way,
                _ => (1.0 - part) * first + part * last,
            },
            Values::Range { ends: [first, last], is_log: true, .. } => {
                // Sums of logarithms would round the decades.
                let value = match last / first {
                    ratio if ratio.is_normal() => first * ratio.powf(part),
                    _ => first.powf(1.0 - part) * last.powf(part),
                };
                value.clamp(first.min(last), first.max(last))
            }
        }
    }
}

impl FromStr for Values {
    type Err = SweepError;

    /// `FIRST..LAST:COUNT`, `log:FIRST..LAST:COUNT`, the same without a count for samples, or `NUMBER,NUMBER,…`.
    fn from_str(text: &str) -> Result<Values, SweepError> {
        let number = |text: &str| match text.trim().parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(SweepError::new(format!(
                "expected a number in SI units and without a unit, found `{}`\nhelp: write FIRST..LAST:COUNT, log:FIRST..LAST:COUNT, or numbers with commas between",
                text.trim()
            ))),
        };
        let (range, is_log) = match text.trim().strip_prefix("log:") {
            Some(range) => (range, true),
            None => (text.trim(), false),
        };
        let Some((first, rest)) = range.split_once("..") else {
            if is_log {
                return Err(SweepError::new(format!("expected log:FIRST..LAST, found `{text}`")));
            }
            return Ok(Values::List(range.split(',').map(number).collect::<Result<_, _>>()?));
        };
        let (last, count) = match rest.split_once(':') {
            None => (rest, None),
            Some((last, count)) => {
                let wrong = |_| SweepError::new(format!("expected the number of values after `:`, found `{count}`"));
                (last, Some(count.trim().parse().map_err(wrong)?))
            }
        };
        let ends = [number(first)?, number(last)?];
        if is_log && !(ends[0] > 0.0 && ends[1] > 0.0) {
            return Err(SweepError::new(format!("only positive numbers have logarithms, found `{range}`")));
        }
        if count == NonZeroU32::new(1) && ends[0] != ends[1] {
            return Err(SweepError::new(format!("one value cannot be both ends of `{range}`; expected at least two")));
        }
        Ok(Values::Range { ends, is_log, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(text: &str) -> Vec<f64> {
        text.parse::<Values>().and_then(|values| values.grid()).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn ends_are_exact_and_values_within() {
        let values = grid("log:0.3..7:1000");
        assert_eq!((values[0], values[999], values.len()), (0.3, 7.0, 1000));
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
        let ratio = (7.0_f64 / 0.3).powf(1.0 / 999.0);
        assert!(values.windows(2).all(|pair| (pair[1] / pair[0] / ratio - 1.0).abs() < 1e-13));
        assert_eq!(grid("3..1:3"), [3.0, 2.0, 1.0]);
        assert_eq!(grid("-1e-3..-1e-3:1"), [-1e-3]);
        assert_eq!(grid("2.5"), [2.5]);
        // Quotients and differences that no number holds.
        assert!((grid("log:1e-200..1e200:3")[1] - 1.0).abs() < 1e-12);
        assert_eq!(grid("-1e308..1e308:3"), [-1e308, 0.0, 1e308]);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, message) in [
            ("1..x:3", "found `x`"),
            ("1..3:many", "found `many`"),
            ("1..3:0", "found `0`"),
            ("log:0..3:5", "only positive"),
            ("log:1,2", "log:FIRST..LAST"),
            ("1,,2", "found ``"),
            ("1..inf:3", "found `inf`"),
            ("1..2:1", "both ends"),
            ("", "found ``"),
        ] {
            let error = text.parse::<Values>().expect_err(text).to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
        assert!("1..3".parse::<Values>().unwrap().grid().unwrap_err().to_string().contains("1..3:10"));
    }

    #[test]
    fn equal_parts_of_a_list_are_equally_many() {
        let values: Values = "1,2,3".parse().unwrap();
        let found: Vec<f64> = (0..6).map(|k| values.at((f64::from(k) + 0.5) / 6.0)).collect();
        assert_eq!(found, [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]);
        assert_eq!(values.at(1.0), 3.0);
    }
}
