//! One axis of a plot, linear or logarithmic: its range, its ticks and their labels.

use std::ops::Range;

use crate::number;
use crate::report::Axis;

/// The scale of an axis with its range.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    is_log: bool,
    range: Range<f64>,
}

impl Scale {
    /// The scale of an axis that has to show these values.
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let shown = |value: &f64| value.is_finite() && (!axis.is_log || *value > 0.0);
        let data = values.filter(shown).fold(None, |range: Option<(f64, f64)>, value| {
            Some(range.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
        });
        let (low, high) = axis.range.or(data).unwrap_or(if axis.is_log { (0.1, 10.0) } else { (0.0, 1.0) });
        let padded = match axis.range {
            Some(_) => low..high,
            None if axis.is_log => pad_log(low, high),
            None => pad_linear(low, high),
        };
        Self { is_log: axis.is_log, range: padded }
    }

    /// Whether a value lies within the shown range.
    pub(super) fn contains(&self, value: f64) -> bool {
        self.range.start <= value && value <= self.range.end
    }

    /// The position of a value in the range, from 0 to 1; not finite if it cannot be shown.
    pub(super) fn fraction(&self, value: f64) -> f64 {
        let position = |x: f64| if self.is_log { x.log10() } else { x };
        let (low, high) = (position(self.range.start), position(self.range.end));
        (position(value) - low) / (high - low)
    }

    /// The value at this position.
    pub(super) fn value(&self, fraction: f64) -> f64 {
        let Range { start, end } = self.range;
        if self.is_log { start * (end / start).powf(fraction) } else { start + fraction * (end - start) }
    }

    /// The label of a tick.
    pub(super) fn label(&self, value: f64) -> String {
        if self.is_log {
            let exponent = value.log10().round();
            return if (value / 10f64.powf(exponent) - 1.0).abs() < 1e-9 {
                number::power_of_ten(exponent as i32)
            } else {
                number::readable(value, 1)
            };
        }
        let step = self.step(TICKS);
        if value.abs() < 1e-9 * step {
            return "0".into();
        }
        let magnitude = self.range.start.abs().max(self.range.end.abs());
        if !(1e-3..1e6).contains(&magnitude) {
            let digits = (value.abs() / step).log10().floor().max(0.0) as usize + 1;
            return number::readable(value, digits + usize::from(!is_power_of_ten(step)));
        }
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        format!("{value:.decimals$}").replace('-', "−")
    }

    /// The range and whether it is logarithmic, as the script of the page reads it.
    pub(super) fn described(&self) -> String {
        format!("{},{},{}", self.range.start, self.range.end, u8::from(self.is_log))
    }

    /// Where labels stand.
    pub(super) fn ticks(&self) -> Vec<f64> {
        if !self.is_log {
            return self.linear_ticks(self.step(TICKS));
        }
        // With fewer than three powers of ten, other ticks are labelled too.
        let powers = self.log_ticks(&[1.0]);
        if powers.len() < 3 { self.log_ticks(&[1.0, 2.0, 5.0]) } else { powers }
    }

    /// Where faint lines stand between labels.
    pub(super) fn faint_ticks(&self) -> Vec<f64> {
        if self.is_log { self.log_ticks(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]) } else { Vec::new() }
    }

    /// A round distance that puts about `count` ticks into the range.
    fn step(&self, count: usize) -> f64 {
        let raw = (self.range.end - self.range.start) / count as f64;
        let power = 10f64.powf(raw.log10().floor());
        [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&step| step >= raw * (1.0 - 1e-9)).unwrap_or(raw)
    }

    fn linear_ticks(&self, step: f64) -> Vec<f64> {
        let first = (self.range.start / step - 1e-9).ceil() as i64;
        let last = (self.range.end / step + 1e-9).floor() as i64;
        (first..=last).map(|k| k as f64 * step).collect()
    }

    fn log_ticks(&self, multiples: &[f64]) -> Vec<f64> {
        let exponent = |value: f64| value.log10().clamp(f64::from(f64::MIN_10_EXP), f64::from(f64::MAX_10_EXP));
        let first = exponent(self.range.start).floor() as i32;
        let last = exponent(self.range.end).ceil() as i32;
        // Long ranges show every second, third, … decade.
        let stride = ((last - first) / 9 + 1) as usize;
        (first..=last)
            .filter(|exponent| exponent.rem_euclid(stride as i32) == 0)
            .flat_map(|exponent| multiples.iter().map(move |m| m * 10f64.powi(exponent)))
            .filter(|&tick| self.range.start <= tick * (1.0 + 1e-9) && tick * (1.0 - 1e-9) <= self.range.end)
            .collect()
    }
}

/// Ticks wanted on an axis.
const TICKS: usize = 6;

fn is_power_of_ten(value: f64) -> bool {
    (value.log10() - value.log10().round()).abs() < 1e-9
}

fn pad_linear(low: f64, high: f64) -> Range<f64> {
    let span = high - low;
    // A constant needs a range to be drawn in.
    let margin = if span > 0.0 { 0.05 * span } else { low.abs().max(1.0) * 0.1 };
    low - margin..high + margin
}

fn pad_log(low: f64, high: f64) -> Range<f64> {
    let decades = (high / low).log10();
    let (low, high) =
        if decades < 1.0 { (10f64.powf(low.log10().floor()), 10f64.powf(high.log10().ceil())) } else { (low, high) };
    let factor = 10f64.powf(0.05 * decades.max(1.0));
    low / factor..high * factor
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(axis: Axis, values: &[f64]) -> Vec<String> {
        let scale = Scale::new(&axis, values.iter().copied());
        scale.ticks().into_iter().map(|tick| scale.label(tick)).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_labelled_with_their_decimals() {
        assert_eq!(ticks(Axis::linear("t", "s"), &[0.0, 1.0]), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(ticks(Axis::linear("v", "m/s"), &[-4.2, 4.1]), ["−4", "−2", "0", "2", "4"]);
        assert_eq!(
            ticks(Axis::linear("E", "J"), &[0.0, -2.0e-5]),
            ["−2.0·10⁻⁵", "−1.5·10⁻⁵", "−1.0·10⁻⁵", "−5.0·10⁻⁶", "0"]
        );
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        assert_eq!(ticks(Axis::log("h", "s"), &[1e-5, 1e-3]), ["10⁻⁵", "10⁻⁴", "10⁻³"]);
        assert_eq!(ticks(Axis::log("e", "rad"), &[3e-3, 4e-3]), ["10⁻³", "2·10⁻³", "5·10⁻³", "10⁻²"]);
        assert!(ticks(Axis::log("e", "rad"), &[1e-12, 1e9]).len() < 11);
    }

    #[test]
    fn values_without_extent_still_have_a_range() {
        let scale = Scale::new(&Axis::linear("x", "m"), [150.0].into_iter());
        assert!(scale.contains(150.0) && scale.range.start < scale.range.end);
        let empty = Scale::new(&Axis::log("x", "m"), [f64::NAN, -1.0].into_iter());
        assert!(empty.range.start > 0.0 && empty.range.start < empty.range.end);
    }
}
