//! Andrews' squeezing mechanism: speed of the crank and balance of energy. [zhang, Sect. 5.1, Figs. 9-12, Eq. 23]
//!
//! In absolute coordinates, as in the paper's program, from its β₀ = −0.062; the other angles close the loops.
//! Figures carry no numbers: who gains, keeps and loses energy is judged by the sign of a trend and by comparison.

use hamel::initial_state;
use hamel::model::{Model, State};
use hamel::newton::Tolerance;
use hamel::scheme::StepError;
use hamel_models::AndrewsSqueezerAbsolute;
use hamel_models::andrews_squeezer::AndrewsSqueezerAbsoluteParameters;
use hamel_report::{Axis, Cell, Claim, Column, Expected, Measured, Origin, Report, Table, at_least, at_most};

use super::employed::{Employed, Named, Shown};
use super::response::{Problem, Response};
use crate::convergence::{fitted_slope, largest};
use crate::shared::Shared;

/// β, Θ, γ, Φ, δ, Ω, ε in rad, as an independent implementation has closed the loops.
const START: [f64; 7] = [
    -0.062,
    2.145_868_537_945_315e-4,
    0.455_279_812_100_370_2,
    0.222_668_375_903_027_47,
    0.487_364_981_140_632_8,
    -0.222_668_375_903_027_47,
    1.230_547_439_156_600_8,
];
pub(super) const DURATION: f64 = 0.05;
const REFERENCE_SCHEME: Employed = Employed { name: "lms4", rho: 0.6 };
const REFERENCE_STEP: f64 = 1e-6;
/// Instants of the reference; all others fall on them.
const SAMPLING: f64 = 1e-5;
/// A curve has left another where they are this part of the largest speed apart; the paper does not say how far. A quarter
/// of it gives 0.011 s, one and a half times it the same instant.
const DEPARTED: f64 = 0.02;

/// Schemes of which the text says that ΔE increases, with long and with short steps.
const GAINING: &Named = &[("msstc5", 0.0), ("mssth3_published", 0.0), ("mssth4_published", 0.0), ("esdirk324", 0.0)];
const GAINING_WITH_SHORT_STEPS: &Named =
    &[("mssth3_published", 0.0), ("mssth4_published", 0.0), ("esdirk324", 0.0), ("esdirk436", 0.0)];
/// Those with an obvious drop with long steps.
const LOSING: &Named = &[
    ("lms2", 0.0),
    ("ss2", 0.0),
    ("rho_bathe", 0.0),
    ("rho_bathe", 0.6),
    ("msstc4", 0.0),
    ("msstc4", 0.6),
    ("mssth5_published", 0.0),
    ("esdirk325", 0.0),
    ("esdirk436", 0.0),
];
/// Those whose speed differs visibly with long steps, beside MSSTH(5).
const OBSERVABLE: &Named = &[
    ("mssth3_published", 0.0),
    ("mssth4_published", 0.0),
    ("mssth5_published", 0.0),
    ("esdirk324", 0.0),
    ("rho_bathe", 0.6),
];
/// Those that the text prefers.
const PREFERRED: &Named = &[("lms3", 0.6), ("ss3", 0.6), ("lms4", 0.6), ("ss4", 0.6)];

/// A motion: over time the speed of the crank, rad/s, ΔE, J, and what the motor has done, J.
struct Motion {
    response: Response<3>,
    /// Distance of the speed from the reference, of its largest value.
    deviations: Vec<(f64, f64)>,
    /// What ΔE rises by in all, along the line of least squares, J.
    trend: f64,
}

/// All motions with one step.
struct Comparison {
    motions: Vec<Motion>,
    reference: &'static Response<3>,
}

/// The same for all steps.
static REFERENCE: Shared<Response<3>> = Shared::new();

pub(super) fn long_steps() -> Result<Report, StepError> {
    let comparison = Comparison::new(1e-4)?;
    let mut claims = Vec::new();
    let seen = comparison.of(OBSERVABLE, Motion::deviation).fold(f64::INFINITY, f64::min);
    let others = largest(comparison.but(&[OBSERVABLE], Motion::deviation));
    claims.push(
        Claim::new(
            "least deviation of ω with MSSTH(3, 4, 5), ESDIRK3(2)4L[2]SA and Bathe (ρ∞ = 0.6), over the largest of all others",
            "1",
            at_least(1.0, Origin::Source),
            seen / others,
        )
        .in_words("these depart from the reference or show observable differences"),
    );
    let departs = comparison.of(&[("mssth5_published", 0.0)], Motion::departure).next().flatten();
    claims.push(
        Claim::new(
            format!("instant at which ω of MSSTH(5) is {DEPARTED} of its largest value off"),
            "s",
            at_most(
                0.015,
                Origin::Chosen("“About 0.01 s” is no number, and how far apart is departed is not said: half more."),
            ),
            departs.map_or(Measured::Nothing, Measured::Value),
        )
        .in_words("depart from the reference solution after about 0.01 s"),
    );
    claims.extend(comparison.gains(GAINING));
    for motion in comparison.motions.iter().filter(|motion| motion.is_in(LOSING)) {
        claims.push(motion.claim(at_most(0.0, Origin::Source)).in_words("an obvious drop in energy"));
    }
    let least_loss = comparison.of(LOSING, |motion| motion.trend.abs()).fold(f64::INFINITY, f64::min);
    for motion in comparison.motions.iter().filter(|motion| !motion.is_in(LOSING) && !motion.is_in(GAINING)) {
        let what = format!("trend of ΔE, over the least drop of those that lose energy, {}", motion.response.name);
        let found = motion.trend.abs() / least_loss;
        claims.push(
            Claim::new(what, "1", at_most(1.0, Origin::Source), found)
                .in_words("mostly preserves energy, with oscillations"),
        );
    }
    let mild = |motion: &Motion| motion.response.of.rho == 0.6 && !motion.is_in(PREFERRED);
    let mild = comparison.motions.iter().filter(|motion| mild(motion)).map(|motion| motion.trend.abs());
    claims.push(
        Claim::new(
            "ρ∞ = 0.6: largest trend of ΔE with LMS3, SS3, LMS4, SS4, over the least of the other second-order schemes",
            "1",
            at_most(1.0, Origin::Source),
            largest(comparison.of(PREFERRED, |motion| motion.trend)) / mild.fold(f64::INFINITY, f64::min),
        )
        .in_words("better candidates in terms of energy conservation"),
    );
    let trend = |name, rho| comparison.of(&[(name, rho)], |motion| motion.trend.abs()).sum::<f64>();
    for rho in [0.0, 0.6] {
        claims.push(
            Claim::new(
                format!("trend of ΔE with MSSTC(4) over that with MSSTC(3), ρ∞ = {rho}"),
                "1",
                at_least(1.0, Origin::Source),
                trend("msstc4", rho) / trend("msstc3", rho),
            )
            .in_words("multi-stage methods do not preserve more with more stages here"),
        );
    }
    let caption = "Δt/n = 10⁻⁴ s, reference LMS4 (ρ∞ = 0.6) with Δt = 10⁻⁶ s.";
    Ok(comparison.report(claims, [9, 10], caption))
}

pub(super) fn short_steps() -> Result<Report, StepError> {
    let comparison = Comparison::new(1e-5)?;
    let mut claims = vec![
        Claim::new(
            "largest deviation of ω, of its largest value, all schemes",
            "1",
            at_most(2.5e-3, Origin::Recorded),
            largest(comparison.but(&[], Motion::deviation)),
        )
        .in_words("all methods can predict accurate results of ω"),
    ];
    claims.extend(comparison.gains(GAINING_WITH_SHORT_STEPS));
    let drop = comparison.of(&[("mssth5_published", 0.0)], |motion| motion.trend).sum::<f64>();
    let others = largest(comparison.but(&[&[("mssth5_published", 0.0)]], |motion| motion.trend));
    claims.push(
        Claim::new(
            "drop of ΔE with MSSTH(5), over the largest trend of all others",
            "1",
            at_least(1.0, Origin::Source),
            -drop / others,
        )
        .in_words("MSSTH(5) exhibits obvious energy drop"),
    );
    let second = comparison.motions.iter().filter(|motion| motion.response.of.is_of_second_order());
    let worst = largest(second.flat_map(|motion| motion.response.samples.iter().map(|(_, [_, balance, _])| *balance)));
    claims.push(
        Claim::new(
            "largest ΔE with schemes of second order, of what the motor has done",
            "1",
            at_most(3e-4, Origin::Recorded),
            worst / comparison.supplied(),
        )
        .in_words("the second-order integrators perform well with the smaller step size"),
    );
    Ok(comparison.report(claims, [11, 12], "Δt/n = 10⁻⁵ s, reference LMS4 (ρ∞ = 0.6) with Δt = 10⁻⁶ s."))
}

/// The mechanism as it starts.
pub(super) fn model() -> AndrewsSqueezerAbsolute {
    AndrewsSqueezerAbsolute::new(AndrewsSqueezerAbsoluteParameters { start: START, ..Default::default() })
}

impl Motion {
    fn deviation(&self) -> f64 {
        largest(self.deviations.iter().map(|&(_, deviation)| deviation))
    }

    fn departure(&self) -> Option<f64> {
        self.deviations.iter().find(|(_, deviation)| *deviation > DEPARTED).map(|&(t, _)| t)
    }

    fn is_in(&self, named: &Named) -> bool {
        self.response.of.is_in(named)
    }

    fn claim(&self, expected: Expected) -> Claim {
        Claim::new(format!("trend of ΔE, {}", self.response.name), "J", expected, self.trend)
    }
}

impl Comparison {
    fn new(fine: f64) -> Result<Self, StepError> {
        let model = model();
        let torque = AndrewsSqueezerAbsoluteParameters::default().motor_torque;
        let initial = initial_state(&model)?;
        let crank = model.describe().velocities.iter().position(|channel| channel.name == "k1.angle");
        let energy = |state: &State| model.energy(state.t, state.q.as_slice(), state.v.as_slice()).total();
        let energy_at_start = energy(&initial);
        let work = |state: &State| torque * (crate::motion::output::<1>(&model, "beta", state)[0] - START[0]);
        let observe = |state: &State| {
            let (speed, work) = (crank.map_or(f64::NAN, |crank| state.v[crank]), work(state));
            [speed, energy(state) - energy_at_start - work, work]
        };
        let problem =
            Problem { model: &model, initial, end: DURATION, sampling: SAMPLING, tolerance: Tolerance::default() };
        let reference = REFERENCE.get(|| problem.response(REFERENCE_SCHEME, REFERENCE_STEP, observe))?;
        let speed = largest(reference.samples.iter().map(|(_, [speed, ..])| *speed));
        let problem = Problem { sampling: 1e-4, ..problem };
        let deviations = |response: &Response<3>| {
            let known = |t: f64| reference.samples.get((t / SAMPLING).round() as usize);
            let pairs = response.samples.iter().filter_map(|&(t, [found, ..])| Some((t, found - known(t)?.1[0])));
            pairs.map(|(t, difference)| (t, difference.abs() / speed)).collect()
        };
        let motions = problem.responses(fine, observe)?.into_iter().map(|response| Motion {
            deviations: deviations(&response),
            trend: fitted_slope(response.samples.iter().map(|&(t, [_, balance, _])| (t, balance))) * DURATION,
            response,
        });
        Ok(Self { motions: motions.collect(), reference })
    }

    /// A quantity of some schemes.
    fn of<T>(&self, names: &Named, quantity: impl Fn(&Motion) -> T) -> impl Iterator<Item = T> {
        self.motions.iter().filter(move |motion| motion.is_in(names)).map(quantity)
    }

    /// A quantity of all other schemes.
    fn but<T>(&self, names: &[&Named], quantity: impl Fn(&Motion) -> T) -> impl Iterator<Item = T> {
        self.motions.iter().filter(move |motion| !names.iter().any(|names| motion.is_in(names))).map(quantity)
    }

    /// What the motor has done in all, J.
    fn supplied(&self) -> f64 {
        self.reference.samples.last().map_or(f64::NAN, |(_, [.., work])| *work)
    }

    /// Claims that these gain energy.
    fn gains(&self, names: &Named) -> impl Iterator<Item = Claim> {
        self.of(names, |motion| motion.claim(at_least(0.0, Origin::Source)).in_words("an increasing trend of ΔE"))
    }

    fn report(&self, claims: Vec<Claim>, numbers: [u32; 2], caption: &'static str) -> Report {
        let responses = self.motions.iter().map(|motion| &motion.response);
        let shown = |number, title, y, quantity| Shown { number, title, caption, y, quantity, start: 0.0 };
        let speed = shown(numbers[0], "angular velocity of bar O-F", Axis::linear("ω", "rad/s"), 0);
        let balance = shown(numbers[1], "balance of energy", Axis::linear("ΔE", "J"), 1);
        let mut figures = speed.panels(responses.clone(), Some(self.reference));
        figures.extend(balance.panels(responses, None));
        let row = |motion: &Motion| {
            let balances = || motion.response.samples.iter().map(|(_, [_, balance, _])| *balance);
            let numbers =
                [motion.deviation(), motion.trend, balances().fold(0.0, f64::min), balances().fold(0.0, f64::max)];
            let cells = numbers.into_iter().map(|number| Cell::number(number, 3));
            std::iter::once(Cell::Text(motion.response.name.clone())).chain(cells).collect()
        };
        let mut columns =
            vec![Column::text("scheme"), Column::new("largest deviation of ω, of its largest value", "1")];
        columns.extend(["trend of ΔE", "least ΔE", "largest ΔE"].map(|name| Column::new(name, "J")));
        let table = Table {
            slug: "energy".into(),
            title: format!("Speed and energy; the motor does {:.3} J", self.supplied()),
            columns,
            rows: self.motions.iter().map(row).collect(),
        };
        let notes = vec![
            "The trend of ΔE is the slope of its line of least squares times the duration. Whether a drop is obvious and \
             a difference observable is measured by comparison: each scheme that the text names against each that it \
             does not."
                .into(),
        ];
        Report { claims, tables: vec![table], figures, notes }
    }
}
