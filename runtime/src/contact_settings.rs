//! Settings of the detection and solution of contacts: every tolerance, threshold and limit of [`crate::nonsmooth`].
//!
//! `cargo run --release -p hamel-verify --example contact_settings` solves the closed forms with contacts, a heap of discs in
//! the plane, a heap of balls and a table in space with each setting halved and doubled; what it found stands with the
//! setting. "No effect" means that no digit of any result changes; "cost" is the number of iterations of the contact solver.
//! Not here: lengths of arrays and messages, memory that is reserved, and factors that are part of a method.

/// Scales a setting, whatever its type.
trait Scale {
    fn scaled(self, factor: f64) -> Self;
}

impl Scale for f64 {
    fn scaled(self, factor: f64) -> Self {
        factor * self
    }
}

impl Scale for u32 {
    fn scaled(self, factor: f64) -> Self {
        (factor * f64::from(self)) as Self
    }
}

impl Scale for usize {
    fn scaled(self, factor: f64) -> Self {
        (factor * self as f64) as Self
    }
}

impl Scale for [f64; 3] {
    fn scaled(self, factor: f64) -> Self {
        self.map(|value| factor * value)
    }
}

macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty = $value:expr;)+) => {
        /// The settings.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Settings {
            $($(#[doc = $doc])+ pub $name: $type,)+
        }

        impl Settings {
            /// What every scheme uses.
            pub const DEFAULT: Self = Self { $($name: $value,)+ };
            /// Names of the settings.
            pub const NAMES: &[&str] = &[$(stringify!($name)),+];

            /// These settings with the one of this name multiplied by a factor.
            pub fn scaled(mut self, name: &str, factor: f64) -> Self {
                match name {
                    $(stringify!($name) => self.$name = self.$name.scaled(factor),)+
                    _ => {}
                }
                self
            }
        }
    };
}

settings! {
    // Which contacts are closed.

    /// Gaps of the initial state below this fraction of one plus the largest coordinate that is a length are zero except for
    /// rounding: a hundred times what assembly leaves of initial conditions.
    touching: f64 = 1e-8;
    /// A closed contact stays closed up to a gap of this fraction of the rounding of gaps at the start: far more than a
    /// projection of coordinates changes a gap by, far less than the motion of a step does.
    opened: f64 = 1e-2;
    /// A contact stays closed while its normal velocity is below this fraction of one plus the largest velocity.
    at_rest: f64 = 1e-9;
    /// Missed contacts whose depth is below this fraction of the largest displacement in a step are ignored: discs of a heap
    /// vibrate that much.
    tremor: f64 = 1e-3;

    // Impacts.

    /// Number of impacts at one instant, after which a last one without restitution follows.
    most_impacts: u32 = 32;
    /// After an impact, approaches below this fraction of one plus the largest velocity are left to the contact forces of the
    /// next step; in a heap many further impacts with tiny velocities would follow otherwise.
    unnoticed: f64 = 1e-4;
    /// Energy gained in an impact below this fraction of its terms is round-off.
    impact_rounding: f64 = 1e-12;
    /// Restitution that adds energy is halved until it is below this fraction of its value, then set to zero.
    least_restitution: f64 = 0.1;
    /// Duration over which the laws of contact hold for velocities when consistent accelerations are computed, s: short
    /// compared to any motion, long enough for the change of velocities to be far above their rounding.
    instant: f64 = 1e-6;

    // Newton's method and the sequence of methods.

    /// Newton iterations from the initial guess.
    newton_iterations: u32 = 20;
    /// Newton iterations if contacts are many, and after another method.
    finishing_iterations: u32 = 8;
    /// Largest number of planar contacts whose active sets are enumerated: 4⁴ small systems.
    enumerated: usize = 4;
    /// From this number of rows on, Newton's method gets fewer iterations from a remote initial guess, and the loose tolerance
    /// applies.
    many: usize = 48;
    /// Up to this number of rows linear systems are dense, and redundant contacts are found by full pivoting.
    dense: usize = 192;
    /// Pivots of dense systems below this fraction of the first are round-off.
    pivot_rounding: f64 = 1e-13;
    /// Added to the diagonal of sparse systems, relative to the scaled G, which redundant contacts would make singular; further
    /// Newton iterations remove its effect.
    damping: f64 = 1e-8;
    /// Attempts of the interior-point method.
    interior_attempts: u32 = 2;
    /// Attempts altogether, beyond those of the interior-point method by path following from the best point found.
    attempts: u32 = 16;

    // Tolerances of the violation of the laws, relative to the magnitude of the velocities from which it is computed.

    /// Tolerance of every iteration: round-off.
    exact: f64 = 4.0 * f64::EPSILON;
    /// Tolerance after the last iteration: redundant contacts cost digits.
    accepted: f64 = 1e-13;
    /// Tolerance for paths that no longer improve: in a heap that creeps, forces are a million times as large as their
    /// resultant, and the last digits would take more than half of the time.
    settled: f64 = 5e-13;
    /// Tolerance for more planar contacts than are enumerated: redundant ones between sticking and sliding cost more digits.
    close: f64 = 1e-9;
    /// Tolerance in space, where neither enumeration nor paths complete what the interior-point method has found: for four legs
    /// of a table between sticking and sliding, 10⁻⁹ to 10⁻⁸ remains.
    spatial: f64 = 1e-7;
    /// Tolerance for many contacts: for the bodies of a heap in space that collide all at once no method may find better. The
    /// violation is recorded.
    loose: f64 = 1e-3;
    /// Within the Newton iterations of a step the previous solution is reused if its violation is below this multiple of the new
    /// one's: with a different loose solution in each iteration, Newton's method would not converge.
    kept: f64 = 10.0;

    // Projected Gauss-Seidel sweeps.

    /// Number of checks of the violation during sweeps.
    sweep_checks: u32 = 256;
    /// Number of sweeps between checks.
    sweeps_per_check: u32 = 16;
    /// Relaxation factor of sweep k: (1 + k / this)^(−½), one half after three times this number. Unrelaxed sweeps end in cycles
    /// between sticking and sliding.
    relaxed_after: f64 = 64.0;

    // Interior-point method.

    /// Largest number of steps.
    interior_iterations: u32 = 80;
    /// Fraction of the way to the boundary of the cones that a step leaves.
    interior_margin: f64 = 0.01;
    /// Added to the diagonal of the linear systems, relative to the scaling, which redundant contacts would make singular;
    /// further steps remove its effect.
    interior_damping: f64 = 1e-11;
    /// After this number of steps without improvement the relaxation factor of `|ξ_T|` is halved.
    patience: u32 = 15;
    /// After a step longer than this, the next one includes the derivative of `|ξ_T|`.
    followed: f64 = 0.7;
    /// Iterations end after a step shorter than this.
    shortest: f64 = 1e-12;
    /// Complementarity that is maintained while the dual residual is not zero, relative to it times the mean impulse: with less,
    /// steps soon end at the boundary; with more, self-equilibrated impulses grow between redundant contacts.
    balance: f64 = 0.02;
    /// Iterations end when the violation is below this, relative to the magnitude of the velocities.
    interior_tolerance: f64 = 1e-14;

    // Path following.

    /// Initial compliance of contacts, relative to the largest diagonal entry of each one's G.
    compliance: f64 = 0.1;
    /// Largest compliance.
    largest_compliance: f64 = 1.0;
    /// Below this compliance redundant contacts have practically none; path following gives up.
    least_compliance: f64 = 1e-20;
    /// Ratio of tangential to normal compliance: with more of it the laws of friction have fewer solutions, and paths fewer
    /// turns.
    tangential: f64 = 10.0;
    /// In further attempts the compliances of contacts are multiplied by random factors up to e to this power.
    spread: f64 = 0.5;
    /// After a path of fewer pieces than this the compliance is reduced.
    short_path: u32 = 10;
    /// After a path that has reduced the violation by less than this fraction the compliance is reduced.
    gain: f64 = 0.03;
    /// Factor by which the compliance is reduced.
    fall: f64 = 0.5;
    /// Factor by which the compliance is increased after a path that was given up.
    rise: f64 = 4.0;
    /// Largest number of pieces of a path.
    longest_path: u32 = 60;
    /// Largest number of pieces of all paths of an attempt.
    pieces: u32 = 4000;
    /// Random perturbation of the initial guess relative to its violation, attempt by attempt: the contacts of equal bodies side
    /// by side would reach boundaries of their pieces all at once.
    disorder: [f64; 3] = [1e-2, 1e-3, 1e-1];
}

impl Default for Settings {
    fn default() -> Self {
        Self::DEFAULT
    }
}
