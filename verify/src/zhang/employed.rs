//! The schemes that [zhang, Sect. 5] compares, in the three sets of its figures.
//!
//! `response` has what they make of a model. [zhang, Table 1 and the captions of Figs. 9-24]

use hamel::scheme::{Scheme, StepError};
use hamel::schemes;
use hamel_report::{Axis, Curve, Figure, Style};

use super::response::Response;

const SECOND_ORDER: [&str; 10] =
    ["lms2", "lms3", "lms4", "ss2", "ss3", "ss4", "rho_bathe", "msstc3", "msstc4", "msstc5"];
const HIGHER_ORDER: [&str; 6] =
    ["mssth3_published", "mssth4_published", "mssth5_published", "esdirk324", "esdirk325", "esdirk436"];
/// Points of a curve that a figure shows at most.
const MOST_POINTS: usize = 600;

/// The sets of the figures: letter, what they hold, schemes and ρ∞.
const SETS: [(&str, &str, &[&str], f64); 3] = [
    ("a", "second order, ρ∞ = 0", &SECOND_ORDER, 0.0),
    ("b", "second order, ρ∞ = 0.6", &SECOND_ORDER, 0.6),
    ("c", "higher order, ρ∞ = 0", &HIGHER_ORDER, 0.0),
];

/// A scheme with its value of ρ∞.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Employed {
    /// Name in the registry.
    pub(super) name: &'static str,
    pub(super) rho: f64,
}

/// Schemes of which the text says something: names in the registry and ρ∞.
pub(super) type Named = [(&'static str, f64)];

impl Employed {
    /// All of them, set by set.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        SETS.iter().flat_map(|&(_, _, names, rho)| names.iter().map(move |&name| Self { name, rho }))
    }

    pub(super) fn scheme(self) -> Result<Box<dyn Scheme>, StepError> {
        let is_tunable = schemes::entries().any(|entry| entry.name == self.name && !entry.parameters.is_empty());
        schemes::by_name(self.name, &[("rho_infinity", self.rho)][..usize::from(is_tunable)])
    }

    pub(super) fn is_of_second_order(self) -> bool {
        SECOND_ORDER.contains(&self.name)
    }

    pub(super) fn is_in(self, named: &Named) -> bool {
        named.contains(&(self.name, self.rho))
    }
}

/// What a figure of three panels shows.
pub(super) struct Shown<'s> {
    /// Number in the paper.
    pub(super) number: u32,
    pub(super) title: &'static str,
    pub(super) caption: &'s str,
    pub(super) y: Axis,
    /// Which of the observed quantities.
    pub(super) quantity: usize,
    /// The instant that the figure calls zero, s.
    pub(super) start: f64,
}

impl Shown<'_> {
    /// The panels of the figure, one a set of schemes, with a reference in each where there is one.
    pub(super) fn panels<'r, const N: usize>(
        &self,
        responses: impl Iterator<Item = &'r Response<N>> + Clone,
        reference: Option<&Response<N>>,
    ) -> Vec<Figure> {
        let curve = |name: &str, style: Style, response: &Response<N>| {
            let shown = || response.samples.iter().filter(|(t, _)| *t >= self.start);
            let every = shown().count().div_ceil(MOST_POINTS).max(1);
            let points = shown().step_by(every).map(|&(t, values)| (t - self.start, values[self.quantity]));
            Curve::new(name, style, points.collect())
        };
        let panel = |&(letter, holds, names, rho): &(&str, &str, &[&str], f64)| {
            let reference = reference.map(|response| curve("reference", Style::Line, response));
            let of_set =
                responses.clone().filter(|response| response.of.rho == rho && names.contains(&response.of.name));
            let curves = of_set.enumerate().map(|(index, response)| {
                let style = if index < 3 { Style::Line } else { Style::Dashed };
                curve(&response.name, style, response)
            });
            Figure {
                slug: format!("fig{}{letter}", self.number),
                title: format!("Fig. {} ({letter}): {}, {holds}", self.number, self.title),
                caption: self.caption.into(),
                x: Axis::linear("t", "s"),
                y: self.y.clone(),
                curves: reference.into_iter().chain(curves).collect(),
                slopes: Vec::new(),
            }
        };
        SETS.iter().map(panel).collect()
    }
}
