//! Settings of the detection and solution of contacts: every tolerance, threshold and limit of [`crate::nonsmooth`].
//!
//! `cargo run --release -p hamel-verify --example contact_settings` solves the closed forms with contacts, a table and
//! a heap of balls in space, a heap of discs in the plane, and collisions of all bodies of such heaps at once, with
//! each setting halved and doubled. The results are given with each setting: Δ is the largest difference of a
//! coordinate at the end (round-off: below 10⁻¹²), cost the change of the number of iterations of the contact solver,
//! violation the largest one, m/s, where it changes. In heaps the forces are not unique, so that other iterations lead
//! to another solution, and coordinates differ. "No effect" means the same digits in all runs, which includes settings
//! that none of the runs used. Lengths of arrays and messages, reserved memory, and factors that are part of a method
//! are not settings.

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

            /// These settings with the one of this name multiplied by a factor; `None` if there is no such setting.
            pub fn scaled(mut self, name: &str, factor: f64) -> Option<Self> {
                match name {
                    $(stringify!($name) => self.$name = self.$name.scaled(factor),)+
                    _ => return None,
                }
                Some(self)
            }
        }
    };
}

settings! {
    // Which contacts are closed.

    /// Gaps of the initial state below this are zero except for rounding: a hundred times what assembly leaves of initial
    /// conditions.
    ///
    /// Halved or doubled: no effect.
    touching: f64 = 1e-8;
    /// A closed contact stays closed up to a gap of this fraction of the rounding of gaps at the start: far more than a
    /// projection of coordinates changes a gap by, far less than the motion of a step does.
    ///
    /// Halved or doubled: no effect.
    opened: f64 = 1e-2;
    /// A contact stays closed while its normal velocity is below this fraction of one plus the largest velocity.
    ///
    /// Halved or doubled: no effect.
    at_rest: f64 = 1e-9;
    /// Missed contacts whose depth is below this fraction of the largest displacement in a step are ignored: discs of a
    /// heap vibrate that much.
    ///
    /// Halved or doubled: no effect.
    tremor: f64 = 1e-3;

    // Impacts.

    /// Number of impacts at one instant, after which a last one without restitution follows.
    ///
    /// Halved or doubled: no effect.
    most_impacts: u32 = 32;
    /// After an impact, approaches below this fraction of one plus the largest velocity are left to the contact forces
    /// of the next step; in a heap many further impacts with tiny velocities would follow otherwise. Where impacts are
    /// followed, bounces end below this fraction of the fastest approach of their contact.
    ///
    /// Halved: discs Δ 5e−6, cost +11 %; colliding balls Δ 8e−5, cost −4.1 %; colliding discs Δ 2e−6, cost +0.9 %.
    /// Doubled: discs Δ 1e−3, cost +0.3 %; colliding balls Δ 1e−6, cost −12 %; colliding discs Δ 5e−6, cost −1.5 %.
    unnoticed: f64 = 1e-4;
    /// Energy gained in an impact below this fraction of its terms is round-off.
    ///
    /// Halved or doubled: no effect.
    impact_rounding: f64 = 1e-12;
    /// Restitution that adds energy is halved until it is below this fraction of its value, then set to zero.
    ///
    /// Halved: no effect. Doubled: colliding balls Δ 6e−6, cost −3.5 %.
    least_restitution: f64 = 0.1;
    /// Duration over which the laws of contact hold for velocities when consistent accelerations are computed, s: short
    /// compared to any motion, long enough for the change of velocities to be far above their rounding.
    ///
    /// Halved or doubled: no effect.
    instant: f64 = 1e-6;

    // Newton's method and the sequence of methods.

    /// Newton iterations from the initial guess.
    ///
    /// Halved: closed forms cost −1.0 %; table cost −9.9 %. Doubled: closed forms cost +2.0 %; table Δ 6e−12, cost
    /// +17 %, violation 2e−10.
    newton_iterations: u32 = 20;
    /// Newton iterations if contacts are many, and after another method.
    ///
    /// Halved: table cost −4.0 %; balls Δ 3e−6, cost +4.3 %, violation 2e−10; discs cost −2.7 %; colliding balls cost
    /// −12 %; colliding discs Δ 2e−5, cost +24 %. Doubled: table cost +7.9 %; balls Δ 2e−6, cost +20 %, violation
    /// 2e−10; discs cost +6.1 %; colliding balls Δ 8e−5, cost +5.9 %; colliding discs cost +9.6 %.
    finishing_iterations: u32 = 8;
    /// Largest number of planar contacts whose active sets are enumerated: 4⁴ small systems.
    ///
    /// Halved or doubled: no effect.
    enumerated: usize = 4;
    /// From this number of rows on, Newton's method gets fewer iterations from a remote initial guess, and the loose
    /// tolerance applies.
    ///
    /// Halved: no effect. Doubled: balls Δ 2e−8, cost +17 %, violation 2e−10; discs cost −1.5 %.
    many: usize = 48;
    /// Up to this number of rows linear systems are dense, and redundant contacts are found by full pivoting.
    ///
    /// Halved: discs cost +4.0 %; colliding discs cost +0.4 %. Doubled: colliding discs cost −1.7 %.
    dense: usize = 192;
    /// Pivots of dense systems below this fraction of the first are round-off.
    ///
    /// Halved: table cost −2.6 %. Doubled: no effect.
    pivot_rounding: f64 = 1e-13;
    /// Added to the diagonal of sparse systems, relative to the scaled G, which redundant contacts would make singular;
    /// further Newton iterations remove its effect.
    ///
    /// Halved: colliding discs cost +2.0 %. Doubled: colliding discs cost +1.9 %.
    damping: f64 = 1e-8;
    /// Attempts of the interior-point method.
    ///
    /// Halved: table cost −22 %; balls cost −27 %; colliding balls Δ 8e−5, cost −50 %. Doubled: table cost +44 %; balls
    /// cost +54 %; colliding balls cost +74 %.
    interior_attempts: u32 = 2;
    /// Attempts altogether, beyond those of the interior-point method by path following from the best point found: in a
    /// heap of 190 discs, whose masses were changed in the seventh digit, the eleventh one succeeded.
    ///
    /// Halved or doubled: no effect.
    attempts: u32 = 16;
    /// Attempts end after this number in a row in which no path reached an end that obeys the laws even loosely: further
    /// ones took as many pieces to the same point.
    ///
    /// Halved or doubled: no effect.
    futile_attempts: u32 = 2;

    // Tolerances of the violation of the laws, relative to the magnitude of the velocities from which it is computed.

    /// Tolerance of every iteration: round-off.
    ///
    /// Halved: closed forms cost +3.1 %; table cost +1.5 %; balls cost +13 %; discs cost +14 %. Doubled: closed forms
    /// cost −4.4 %; table cost −19 %; balls Δ 3e−6, cost −1.3 %, violation 2e−10; discs cost +2.2 %.
    exact: f64 = 4.0 * f64::EPSILON;
    /// Tolerance after the last iteration: redundant contacts cost digits.
    ///
    /// Halved: balls cost +4.5 %. Doubled: discs cost +1.4 %.
    accepted: f64 = 1e-13;
    /// Tolerance for paths that no longer improve: in a heap that creeps, forces are a million times as large as their
    /// resultant, and the last digits would take more than half of the time.
    ///
    /// Halved: no effect. Doubled: discs cost −0.6 %.
    settled: f64 = 5e-13;
    /// Tolerance for more planar contacts than are enumerated: redundant ones between sticking and sliding cost more
    /// digits.
    ///
    /// Halved or doubled: no effect.
    close: f64 = 1e-9;
    /// Tolerance in space, where neither enumeration nor paths complete what the interior-point method has found: for
    /// four legs of a table between sticking and sliding, 10⁻⁹ to 10⁻⁸ remains.
    ///
    /// Halved or doubled: no effect.
    spatial: f64 = 1e-7;
    /// Tolerance for many contacts: for the bodies of a heap in space that collide all at once no method may find
    /// better. The violation is recorded.
    ///
    /// Halved: colliding balls Δ 6e−6, cost +94 %. Doubled: colliding balls Δ 1e−6, cost −14 %.
    loose: f64 = 1e-3;
    /// Within the Newton iterations of a step the previous solution is reused if its violation is below this multiple
    /// of the new one's: with a different loose solution in each iteration, Newton's method would not converge.
    ///
    /// Halved or doubled: no effect.
    kept: f64 = 10.0;

    // Projected Gauss-Seidel sweeps.

    /// Number of checks of the violation during sweeps.
    ///
    /// Halved or doubled: no effect.
    sweep_checks: u32 = 256;
    /// Number of sweeps between checks.
    ///
    /// Halved or doubled: no effect.
    sweeps_per_check: u32 = 16;
    /// Relaxation factor of sweep k: (1 + k / this)^(−½), one half after three times this number. Unrelaxed sweeps end
    /// in cycles between sticking and sliding.
    ///
    /// Halved: colliding balls Δ 1e−6, cost −6.5 %. Doubled: colliding balls Δ 1e−7, cost +6.8 %.
    relaxed_after: f64 = 64.0;

    // Interior-point method.

    /// Largest number of steps.
    ///
    /// Halved: table cost −6.6 %; balls Δ 2e−8, cost −29 %, violation 2e−10; discs cost −3.0 %; colliding balls Δ 2e−7,
    /// cost −8.6 %; colliding discs cost −4.2 %. Doubled: table cost +13 %; balls cost +44 %; discs cost +7.7 %;
    /// colliding balls cost +14 %.
    interior_iterations: u32 = 80;
    /// Fraction of the way to the boundary of the cones that a step leaves.
    ///
    /// Halved: table cost −4.3 %, violation 2e−10; balls Δ 3e−6, cost −2.1 %, violation 7e−9; discs cost −0.2 %;
    /// colliding balls Δ 9e−5, cost −7.7 %, violation 5e−1; colliding discs Δ 2e−5, cost +16 %, violation 6e−9.
    /// Doubled: table cost −13 %; balls Δ 3e−6, cost −5.5 %, violation 3e−10; discs cost +1.3 %; colliding balls Δ
    /// 8e−5, cost −23 %, violation 5e−1; colliding discs Δ 2e−3, cost −0.7 %.
    interior_margin: f64 = 0.01;
    /// Added to the diagonal of the linear systems, relative to the scaling, which redundant contacts would make singular;
    /// further steps remove its effect.
    ///
    /// Halved: table cost +5.0 %, violation 2e−10; balls Δ 2e−8, cost +1.9 %, violation 2e−10; discs cost −0.2 %;
    /// colliding balls Δ 7e−11, cost +0.5 %, violation 5e−1; colliding discs Δ 2e−5, cost +1.7 %. Doubled: table cost
    /// −1.2 %; balls Δ 7e−6, cost −5.3 %, violation 2e−10; discs cost +1.1 %; colliding balls Δ 1e−7, cost +6.4 %,
    /// violation 5e−1; colliding discs Δ 2e−5, cost −3.7 %.
    interior_damping: f64 = 1e-11;
    /// After this number of steps without improvement the relaxation factor of `|ξ_T|` is halved.
    ///
    /// Halved: table violation 2e−10; balls Δ 2e−8, cost −13 %, violation 2e−10; discs cost +0.7 %; colliding balls Δ
    /// 2e−7, cost +6.8 %; colliding discs Δ 5e−4, cost −6.1 %. Doubled: balls Δ 2e−8, cost −6.3 %, violation 2e−10;
    /// discs cost +0.7 %; colliding balls cost −0.1 %; colliding discs cost +0.2 %.
    patience: u32 = 15;
    /// After a step longer than this, the next one includes the derivative of `|ξ_T|`.
    ///
    /// Halved: table cost +9.6 %, violation 2e−10; balls Δ 2e−8, cost −6.8 %, violation 6e−10; discs Δ 7e−5, cost
    /// −9.8 %; colliding balls Δ 1e−6, cost +2.8 %; colliding discs Δ 2e−3, cost −6.8 %, violation 1e−9. Doubled: table
    /// Δ 1e−11, cost +148 %, violation 4e−9; balls Δ 6e−7, cost +74 %, violation 2e−6; discs Δ 1e−3, cost +117 %;
    /// colliding balls Δ 1e−6, cost +14 %; colliding discs Δ 2e−5, cost +6.8 %.
    followed: f64 = 0.7;
    /// Iterations end after a step shorter than this.
    ///
    /// Halved: table cost +0.7 %; balls cost +0.1 %; discs cost +0.1 %; colliding balls cost +0.3 %. Doubled: balls
    /// cost −0.1 %; discs cost −0.2 %; colliding balls cost −0.2 %; colliding discs cost −0.1 %.
    shortest: f64 = 1e-12;
    /// Complementarity that is maintained while the dual residual is not zero, relative to it times the mean impulse:
    /// with less, steps soon end at the boundary; with more, self-equilibrated impulses grow between redundant
    /// contacts.
    ///
    /// Halved: table Δ 9e−12, cost +12 %, violation 6e−9; balls Δ 2e−8, cost −12 %, violation 3e−10; discs Δ 6e−12,
    /// cost −1.2 %; colliding balls Δ 8e−5, cost −20 %; colliding discs Δ 2e−3. Doubled: table cost −17 %; balls Δ
    /// 3e−6, cost +3.5 %, violation 4e−10; discs cost +0.9 %; colliding balls Δ 9e−5, cost −26 %, violation 6e−1;
    /// colliding discs Δ 2e−3, cost +14 %.
    balance: f64 = 0.02;
    /// Iterations end when the violation is below this, relative to the magnitude of the velocities.
    ///
    /// Halved: table cost +5.1 %; balls cost +0.6 %; discs cost +2.3 %. Doubled: discs cost −3.7 %.
    interior_tolerance: f64 = 1e-14;

    // Path following.

    /// Initial compliance of contacts, relative to the largest diagonal entry of each one's G.
    ///
    /// Halved: discs cost −3.1 %; colliding discs cost +0.6 %. Doubled: discs cost +1.2 %; colliding discs cost −4.9 %.
    compliance: f64 = 0.1;
    /// Largest compliance.
    ///
    /// Halved or doubled: no effect.
    largest_compliance: f64 = 1.0;
    /// Below this compliance redundant contacts have practically none; path following gives up.
    ///
    /// Halved or doubled: no effect.
    least_compliance: f64 = 1e-20;
    /// Ratio of tangential to normal compliance: with more of it the laws of friction have fewer solutions, and paths fewer
    /// turns.
    ///
    /// Halved: discs cost −5.1 %; colliding discs Δ 2e−5, cost −0.6 %. Doubled: discs cost +3.3 %; colliding discs cost
    /// +6.6 %.
    tangential: f64 = 10.0;
    /// In further attempts the compliances of contacts are multiplied by random factors up to e to this power.
    ///
    /// Halved or doubled: no effect.
    spread: f64 = 0.5;
    /// After a path of fewer pieces than this the compliance is reduced.
    ///
    /// Halved: discs cost +4.4 %; colliding discs Δ 2e−5, cost +0.9 %. Doubled: colliding discs cost +8.0 %.
    short_path: u32 = 10;
    /// After a path that has reduced the violation by less than this fraction the compliance is reduced.
    ///
    /// Halved or doubled: no effect.
    gain: f64 = 0.03;
    /// Factor by which the compliance is reduced.
    ///
    /// Halved: discs cost −5.9 %; colliding discs cost +56 %. Doubled: discs Δ 6e−7, cost +43150 %, violation 1e−7;
    /// colliding discs Δ 2e−3, cost +6787 %, violation 8e−11.
    fall: f64 = 0.5;
    /// Factor by which the compliance is increased after a path that was given up.
    ///
    /// Halved: discs cost +6.5 %; colliding discs cost −1.0 %. Doubled: discs cost +2.5 %; colliding discs cost +3.8 %.
    rise: f64 = 4.0;
    /// Largest number of pieces of a path.
    ///
    /// Halved: discs cost −0.8 %; colliding discs cost +3.9 %. Doubled: discs cost +5.2 %; colliding discs cost +8.4 %.
    longest_path: u32 = 60;
    /// Largest number of pieces of all paths of an attempt. Where bodies of a heap collide, few attempts that have more
    /// succeed.
    ///
    /// Halved or doubled: no effect.
    pieces: u32 = 8000;
    /// An attempt ends after this number of consecutive paths without an end in spite of the largest compliance: in heaps
    /// whose attempts succeeded there was at most one.
    ///
    /// Halved or doubled: no effect.
    dead_ends: u32 = 2;
    /// Random perturbation of the initial guess relative to its violation, attempt by attempt: the contacts of equal
    /// bodies side by side would reach boundaries of their pieces all at once.
    ///
    /// Halved: discs cost +1.5 %. Doubled: discs cost −0.1 %; colliding discs cost +1.7 %.
    disorder: [f64; 3] = [1e-2, 1e-3, 1e-1];
}

impl Default for Settings {
    fn default() -> Self {
        Self::DEFAULT
    }
}
