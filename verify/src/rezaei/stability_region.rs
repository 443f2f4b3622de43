//! Where generalized-α is unconditionally stable. [rezaei, Fig. 6, Eq. 100]

use hamel::scheme::StepError;
use hamel::tables::NewmarkFamily;
use hamel_report::{Axis, Claim, Curve, Figure, Origin, Report, Style, at_most};

use crate::linear::Method;

/// Points of the figure, (α_m, α_f).
pub(super) const POINTS: [(&str, f64, f64); 5] =
    [("A", -1.0, 0.5), ("B", -1.0, 0.0), ("C", -1.0, -0.5), ("D", 0.5, 0.5), ("E", 0.0, 1.0 / 3.0)];

pub(super) fn run() -> Result<Report, StepError> {
    let (mut stable, mut unstable, mut disagreeing) = (Vec::new(), Vec::new(), 0);
    for i in 0..=20 {
        for j in 0..=20 {
            // Off the boundary by half a cell, where rounding decides.
            let (alpha_m, alpha_f) = (-1.05 + 0.1 * f64::from(i), -1.02 + 0.1 * f64::from(j));
            let family = NewmarkFamily::second_order(alpha_m, alpha_f);
            let method = Method::new("generalized-α", move |oscillator| family.amplification(oscillator));
            let is_stable = method.largest_radius() <= 1.0 + 1e-9;
            let is_claimed = alpha_m <= alpha_f && alpha_f <= 0.5;
            disagreeing += u32::from(is_stable != is_claimed);
            if is_stable { &mut stable } else { &mut unstable }.push((alpha_m, alpha_f));
        }
    }
    let mut curves = vec![
        Curve::new("stable for every step", Style::Markers, stable),
        Curve::new("unstable for some", Style::Markers, unstable),
        Curve::new("Eq. 100", Style::Line, vec![(-1.1, -1.1), (0.5, 0.5), (-1.1, 0.5)]),
        Curve::new("α_f = (α_m + 1)/3", Style::Dashed, vec![(-1.1, -0.1 / 3.0), (0.5, 0.5)]),
    ];
    curves.extend(POINTS.map(|(name, m, f)| Curve::new(name, Style::Name, vec![(m, f)])));
    Ok(Report {
        claims: vec![
            Claim::new(
                "parameters of a grid of 21 × 21 where Eq. 100 is wrong",
                "1",
                at_most(0.0, Origin::Theory("Eq. 100 decides every point")),
                f64::from(disagreeing),
            )
            .in_words("the shaded area of the figure"),
        ],
        figures: vec![Figure {
            slug: "fig6".into(),
            title: "Fig. 6: stability of generalized-α".into(),
            caption:
                "β and γ by Eqs. 98 and 102; spectral radius for Ω from 10⁻³ to 10⁶. Dashed: least dissipation at \
                      low frequencies."
                    .into(),
            x: Axis::linear("α_m", "1").within(-1.1, 1.1),
            y: Axis::linear("α_f", "1").within(-1.1, 1.1),
            curves,
            slopes: Vec::new(),
        }],
        ..Report::default()
    })
}
