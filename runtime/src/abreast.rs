//! Instances of one model that are integrated abreast, as one model with as many times its coordinates: which of them
//! still count, and what their steps take.
//!
//! Values of instances alternate in all lists: that of instance i at place k stands at `ABREAST · k + i`. Each instance has
//! the digits that it has alone, because nothing but a list is shared.

use core::sync::atomic::{AtomicU32, Ordering};

/// Number of instances.
pub const ABREAST: usize = 8;

/// What those who integrate instances abreast tell each other.
#[derive(Debug, Default)]
pub struct Abreast {
    /// For each instance a bit, which is set while it counts.
    going: AtomicU32,
    /// For each instance a bit, which is set where values of a function are wanted.
    wanted: AtomicU32,
    /// Iterations, factorizations and ends at rounding.
    stats: [[AtomicU32; 3]; ABREAST],
}

fn bits(flags: [bool; ABREAST]) -> u32 {
    flags.iter().enumerate().map(|(i, &flag)| u32::from(flag) << i).sum()
}

fn flags(bits: u32) -> [bool; ABREAST] {
    core::array::from_fn(|i| bits >> i & 1 == 1)
}

impl Abreast {
    /// So many instances, from the first one.
    pub(crate) fn new(instances: usize) -> Self {
        let going = bits(core::array::from_fn(|i| i < instances));
        Self { going: AtomicU32::new(going), wanted: AtomicU32::new(going), ..Self::default() }
    }

    /// Which instances count.
    pub(crate) fn going(&self) -> [bool; ABREAST] {
        flags(self.going.load(Ordering::Relaxed))
    }

    /// An instance no longer counts: its step has to be computed alone.
    pub(crate) fn retire(&self, instance: usize) {
        self.going.fetch_and(!(1 << instance), Ordering::Relaxed);
    }

    /// Of which instances values of functions are wanted from now on.
    pub(crate) fn ask(&self, instances: [bool; ABREAST]) {
        self.wanted.store(bits(instances), Ordering::Relaxed);
    }

    pub(crate) fn wanted(&self) -> [bool; ABREAST] {
        flags(self.wanted.load(Ordering::Relaxed))
    }

    /// Adds what a step has taken of each instance.
    pub(crate) fn add(&self, stats: [[u32; 3]; ABREAST]) {
        for (sum, count) in self.stats.iter().flatten().zip(stats.as_flattened()) {
            sum.fetch_add(*count, Ordering::Relaxed);
        }
    }

    /// What steps have taken of each instance since this was asked.
    pub(crate) fn take(&self) -> [[u32; 3]; ABREAST] {
        core::array::from_fn(|i| core::array::from_fn(|k| self.stats[i][k].swap(0, Ordering::Relaxed)))
    }
}

/// Functions of a model that are evaluated for all instances at once, with the digits of each alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LaneFunction {
    /// r and g.
    Residual,
    /// The iteration matrix with these factors.
    IterationMatrix([f64; 3]),
    /// ∂r/∂v.
    Damping,
    /// (∂r/∂q) N.
    Stiffness,
    /// Accelerations in closed form.
    Acceleration,
    /// g.
    Constraint,
    /// G.
    ConstraintJacobian,
    /// What ġ and g̈ have without the highest derivative.
    ConstraintBias,
    /// Kinetic and potential energy.
    Energy,
    /// Power of applied forces.
    Power,
    /// Outputs.
    Outputs,
}

/// Where instances are: one time, and lists of all of their values.
#[derive(Clone, Copy, Debug)]
pub struct LanePoint<'a> {
    /// Time, s.
    pub t: f64,
    /// Coordinates.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Accelerations.
    pub a: &'a [f64],
    /// Multipliers.
    pub lambda: &'a [f64],
    /// Of which instances values are wanted.
    pub wanted: [bool; ABREAST],
}

/// What evaluates functions of instances at once.
pub trait LaneFunctions: Send {
    /// Fills the lists of results of a function; `false` if it is not there, and the lists are then as they were.
    fn evaluate(&mut self, function: LaneFunction, at: &LanePoint, results: &mut [&mut [f64]]) -> bool;
}
