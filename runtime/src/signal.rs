//! Inputs given at run time: a constant, a sampled table or a function of time.

use alloc::sync::Arc;
use core::fmt;
#[cfg(target_has_atomic = "64")]
use core::sync::atomic::AtomicU64;
use core::sync::atomic::{AtomicBool, Ordering};

#[cfg(not(target_has_atomic = "64"))]
use portable_atomic::AtomicU64;

use crate::prelude::*;

/// A scalar function of time that a model reads as an input, in the input's unit.
///
/// # Examples
/// Numbers and functions of time are signals.
///
/// ```
/// use hamel::Signal;
///
/// assert_eq!(Signal::from(2.5).value(4.0), 2.5);
/// assert_eq!(Signal::from(|t: f64| t * t).value(4.0), 16.0);
/// assert_eq!(Signal::default().value(4.0), 0.0);
/// ```
///
/// Clones share their tables and functions, and what a [`Held`] sets.
#[derive(Clone, Default)]
pub struct Signal(Kind);

/// Slopes that differ by less than this part of them are those of one line.
const STRAIGHT: f64 = 1e-9;
/// How far before and after a time values are compared, relative to it.
const ASIDE: f64 = 1e-9;
/// By what part of their size values differ where they jump: without a jump by what they change in that time.
const JUMP: f64 = 1e-6;

/// Barely before and after a time, s.
pub(crate) fn aside(t: f64) -> [f64; 2] {
    let aside = ASIDE * (1.0 + t.abs());
    [t - aside, t + aside]
}

/// Whether values of this size that change by so much [barely beside](aside) a time jump there.
pub(crate) fn is_jump(change: f64, size: f64) -> bool {
    change.abs() > JUMP * size
}

#[derive(Clone)]
enum Kind {
    Constant(f64),
    Sampled { times: Arc<[f64]>, values: Arc<[f64]> },
    Function(Arc<dyn Fn(f64) -> f64 + Send + Sync>),
    Changing { function: Arc<dyn Fn(f64) -> f64 + Send + Sync>, times: Arc<[[f64; 2]]> },
    Held(Held),
}

impl Default for Kind {
    fn default() -> Self {
        Kind::Constant(0.0)
    }
}

impl Signal {
    /// A signal that has the value set last at all times, and the [`Held`] that sets it.
    ///
    /// Controllers write to such signals, see [`Simulation::controller`](crate::Simulation::controller).
    ///
    /// # Examples
    /// ```
    /// let (torque, held) = hamel::Signal::held(0.0);
    /// held.set(1.5);
    /// assert_eq!(torque.value(3.0), 1.5);
    /// ```
    pub fn held(value: f64) -> (Self, Held) {
        let held = Held(Arc::new(Cell { bits: AtomicU64::new(value.to_bits()), is_read: AtomicBool::new(false) }));
        (Signal(Kind::Held(held.clone())), held)
    }

    /// Linear interpolation between samples `(time in s, value)`, held constant before the first and after the last.
    ///
    /// Two samples of one time are a jump, whose second value holds from there on. Returns `None` unless there is a sample, all
    /// numbers are finite and the times ascend, with two of one time at most.
    ///
    /// # Examples
    /// ```
    /// use hamel::Signal;
    ///
    /// let ramp = Signal::sampled([(0.0, 1.0), (2.0, 5.0)]).expect("samples that ascend");
    /// assert_eq!(ramp.value(0.5), 2.0);
    /// assert_eq!(ramp.value(9.0), 5.0);
    /// let jump = Signal::sampled([(0.0, 1.0), (1.0, 1.0), (1.0, 3.0)]).expect("samples that ascend");
    /// assert_eq!((jump.value(0.999), jump.value(1.0)), (1.0, 3.0));
    /// assert!(Signal::sampled([(1.0, 1.0), (0.0, 2.0)]).is_none());
    /// ```
    pub fn sampled(samples: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let (times, values): (Vec<f64>, Vec<f64>) = samples.into_iter().unzip();
        let finite = times.iter().chain(&values).all(|x| x.is_finite());
        let ascending =
            times.windows(2).all(|pair| pair[0] <= pair[1]) && times.windows(3).all(|three| three[0] < three[2]);
        (finite && ascending && !times.is_empty())
            .then(|| Signal(Kind::Sampled { times: times.into(), values: values.into() }))
    }

    /// A function of time that takes another formula at these times, each with the time after which it recurs, zero if it does
    /// not, both in s. Steps end there, as at the samples of a table; what other functions do within a step is not seen.
    ///
    /// # Examples
    /// A pulse, and a square wave.
    ///
    /// ```
    /// use hamel::Signal;
    ///
    /// let pulse = Signal::changing(|t| if (1.0..1.01).contains(&t) { 5.0 } else { 0.0 }, [[1.0, 0.0], [1.01, 0.0]]);
    /// let wave = Signal::changing(|t| (t % 2.0 - 1.0).signum(), [[0.0, 1.0]]);
    /// assert_eq!((pulse.value(1.005), wave.value(3.5)), (5.0, 1.0));
    /// ```
    pub fn changing(
        function: impl Fn(f64) -> f64 + Send + Sync + 'static,
        times: impl IntoIterator<Item = [f64; 2]>,
    ) -> Self {
        Signal(Kind::Changing { function: Arc::new(function), times: times.into_iter().collect() })
    }

    /// Calls `visit` with the times at which the slope of a table changes, or the formula of a [changing](Self::changing)
    /// signal, each with the time after which it recurs, zero if it does not, both in s; and whether the value jumps there.
    ///
    /// # Examples
    /// ```
    /// let ramp = hamel::Signal::sampled([(0.0, 1.0), (1.0, 2.0), (2.0, 3.0), (2.0, 5.0)]).expect("samples that ascend");
    /// let mut corners = Vec::new();
    /// ramp.corners(&mut |[t, _], jumps| corners.push((t, jumps)));
    /// assert_eq!(corners, [(0.0, false), (2.0, true)]);
    /// ```
    pub fn corners(&self, visit: &mut dyn FnMut([f64; 2], bool)) {
        let (times, values) = match &self.0 {
            Kind::Sampled { times, values } => (times, values),
            Kind::Changing { function, times } => {
                for &time in times.iter() {
                    let [before, after] = aside(time[0]).map(|t| function(t));
                    visit(time, is_jump(after - before, before.abs().max(after.abs())));
                }
                return;
            }
            Kind::Constant(_) | Kind::Function(_) | Kind::Held(_) => return,
        };
        let slope = |i: usize| match i.checked_sub(1) {
            Some(before) if i < times.len() => (values[i] - values[before]) / (times[i] - times[before]),
            _ => 0.0,
        };
        let mut i = 0;
        while i < times.len() {
            let last = if times.get(i + 1) == Some(&times[i]) { i + 1 } else { i };
            let (before, after) = (slope(i), slope(last + 1));
            let jumps = values[i] != values[last];
            if jumps || (after - before).abs() > STRAIGHT * before.abs().max(after.abs()) {
                visit([times[i], 0.0], jumps);
            }
            i = last + 1;
        }
    }

    /// The value at time `t`, s.
    pub fn value(&self, t: f64) -> f64 {
        match &self.0 {
            Kind::Constant(value) => *value,
            Kind::Sampled { times, values } => interpolate(times, values, t),
            Kind::Function(function) | Kind::Changing { function, .. } => function(t),
            Kind::Held(held) => held.get(),
        }
    }
}

/// Handle to the value of a held signal, see [`Signal::held`]. Clones refer to the same value.
#[derive(Clone, Debug)]
pub struct Held(Arc<Cell>);

#[derive(Debug)]
struct Cell {
    bits: AtomicU64,
    /// Whether the value has been read, by a signal or by a function that has a clone of the handle.
    is_read: AtomicBool,
}

impl Held {
    /// Sets the value, in the input's unit. Call it between steps only: within a step a scheme evaluates the forces
    /// several times and assumes that they are those of one smooth motion.
    ///
    /// # Examples
    /// ```
    /// let (torque, held) = hamel::Signal::held(0.0);
    /// let same = held.clone();
    /// same.set(-2.0);
    /// assert_eq!((held.get(), torque.value(1.0)), (-2.0, -2.0));
    /// ```
    pub fn set(&self, value: f64) {
        self.0.bits.store(value.to_bits(), Ordering::Relaxed);
    }

    /// The value that was set last.
    pub fn get(&self) -> f64 {
        // Threads that share a model read often and write this once.
        if !self.0.is_read.load(Ordering::Relaxed) {
            self.0.is_read.store(true, Ordering::Relaxed);
        }
        f64::from_bits(self.0.bits.load(Ordering::Relaxed))
    }

    /// Begins to watch whether the value is read.
    pub(crate) fn watch(&self) {
        self.0.is_read.store(false, Ordering::Relaxed);
    }

    /// Whether the value has been read since it was watched.
    pub(crate) fn is_read(&self) -> bool {
        self.0.is_read.load(Ordering::Relaxed)
    }
}

fn interpolate(times: &[f64], values: &[f64], t: f64) -> f64 {
    match times.partition_point(|&time| time <= t) {
        0 => values[0],
        right if right == times.len() => values[right - 1],
        right => {
            let left = right - 1;
            let weight = (t - times[left]) / (times[right] - times[left]);
            values[left] + weight * (values[right] - values[left])
        }
    }
}

impl From<f64> for Signal {
    fn from(value: f64) -> Self {
        Signal(Kind::Constant(value))
    }
}

impl<F: Fn(f64) -> f64 + Send + Sync + 'static> From<F> for Signal {
    fn from(function: F) -> Self {
        Signal(Kind::Function(Arc::new(function)))
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Constant(value) => write!(f, "Signal({value})"),
            Kind::Sampled { times, .. } => write!(f, "Signal({} samples)", times.len()),
            Kind::Function(_) => write!(f, "Signal(function)"),
            Kind::Changing { times, .. } => write!(f, "Signal(function that changes at {} times)", times.len()),
            Kind::Held(held) => write!(f, "Signal(held at {})", held.get()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_joined_by_lines_and_held_at_the_ends() {
        let signal = Signal::sampled([(0.0, 1.0), (1.0, 3.0), (3.0, -1.0)]).unwrap();
        for (t, expected) in [(-1.0, 1.0), (0.0, 1.0), (0.5, 2.0), (1.0, 3.0), (2.0, 1.0), (3.0, -1.0), (9.0, -1.0)] {
            assert_eq!(signal.value(t), expected, "t = {t}");
        }
    }

    #[test]
    fn unusable_samples_are_refused() {
        assert!(Signal::sampled([]).is_none());
        assert!(Signal::sampled([(0.0, 1.0), (-1e-9, 2.0)]).is_none());
        assert!(Signal::sampled([(0.0, 1.0), (0.0, 2.0), (0.0, 3.0)]).is_none());
        assert!(Signal::sampled([(0.0, f64::NAN)]).is_none());
    }

    #[test]
    fn constants_and_functions_are_signals() {
        assert_eq!(Signal::default().value(4.0), 0.0);
        assert_eq!(Signal::from(2.5).value(4.0), 2.5);
        assert_eq!(Signal::from(|t: f64| t * t).value(4.0), 16.0);
    }
}
