//! Amplitude decay, period elongation and spectral radius side by side, as the paper shows them. [zhang, Figs. 2-7]

use hamel::linear_analysis::Mode;
use hamel_report::{Axis, Curve, Figure, Style};

use crate::linear::Method;

/// Three figures with consecutive numbers.
pub(super) struct Triple<'m> {
    /// Number of the first.
    pub(super) number: u32,
    /// What follows its number in the names of files.
    pub(super) suffix: &'static str,
    /// Spectral radius at infinity.
    pub(super) rho: f64,
    /// The largest h/(nT) of decay and elongation.
    pub(super) most: f64,
    /// Range of the period elongation, %.
    pub(super) elongation: (f64, f64),
    pub(super) caption: &'static str,
    /// The first three are drawn as lines, the others as dashes, through which what they cover shines.
    pub(super) methods: &'m [Method],
}

impl Triple<'_> {
    pub(super) fn figures(&self) -> [Figure; 3] {
        let style = |index: usize| if index < 3 { Style::Line } else { Style::Dashed };
        let curves = |curve: &dyn Fn(&Method, Style) -> Curve| -> Vec<Curve> {
            self.methods.iter().enumerate().map(|(k, method)| curve(method, style(k))).collect()
        };
        let modes = |quantity: fn(&Mode) -> f64| curves(&|method, style| method.mode_curve(style, self.most, quantity));
        let figure = |place: u32, title: &str, x: Axis, y: Axis, curves| Figure {
            slug: format!("fig{}{}", self.number + place, self.suffix),
            title: format!("Fig. {}: {title}, ρ∞ = {}", self.number + place, self.rho),
            caption: self.caption.into(),
            x,
            y,
            curves,
            slopes: Vec::new(),
        };
        let steps = || Axis::linear("h/(nT)", "1");
        let (least, most) = self.elongation;
        [
            figure(
                0,
                "amplitude decay",
                steps(),
                Axis::linear("amplitude decay ratio in %", "1").within(0.0, 20.0),
                modes(|mode| 100.0 * mode.amplitude_decay()),
            ),
            figure(
                1,
                "period elongation",
                steps(),
                Axis::linear("period elongation in %", "1").within(least, most),
                modes(|mode| 100.0 * mode.period_elongation()),
            ),
            figure(
                2,
                "spectral radius",
                Axis::log("h/(nT)", "1"),
                Axis::linear("ρ", "1").within(0.0, 1.1),
                curves(&|method, style| method.radius_curve(style, 1e-2, 1e2)),
            ),
        ]
    }
}
