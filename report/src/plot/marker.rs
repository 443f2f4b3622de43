//! Colours and markers that distinguish curves.

use std::fmt::Write;

use super::UNIT;
use crate::report::Curve;

/// How many colours there are: classes `c0` to `c6`, the colours of Okabe and Ito.
const COLORS: usize = 7;
/// Corners, turn and size of the shapes of markers; each is drawn filled, then open.
const SHAPES: [(i32, f64, f64); 6] =
    [(16, 0.0, 1.0), (4, 0.125, 1.25), (3, 0.25, 1.35), (4, 0.0, 1.3), (3, 0.75, 1.35), (5, 0.25, 1.25)];

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    pub(super) color: usize,
    shape: usize,
    is_open: bool,
}

/// Styles of curves: colours by group, markers within a group.
pub(super) fn looks(curves: &[Curve]) -> Vec<Look> {
    let look = |(index, curve): (usize, &Curve)| {
        let (color, member) = match curve.group {
            None => (index, index),
            group @ Some(color) => (color, curves[..index].iter().filter(|other| other.group == group).count()),
        };
        let is_open = member / SHAPES.len() % 2 == 1;
        Look { color: color % COLORS, shape: member % SHAPES.len(), is_open }
    };
    curves.iter().enumerate().map(look).collect()
}

impl Look {
    /// The marker about the origin as a path.
    pub(super) fn path(self) -> String {
        let (corners, turn, stretch) = SHAPES[self.shape];
        let radius = f64::from(4 * UNIT) * stretch;
        let mut path = String::new();
        for k in 0..corners {
            let angle = std::f64::consts::TAU * (f64::from(k) / f64::from(corners) + turn);
            let at = |unit: f64| (radius * unit).round() as i32;
            let _ = write!(path, "{}{} {}", if k == 0 { 'M' } else { 'L' }, at(angle.cos()), -at(angle.sin()));
        }
        path + "z"
    }

    /// Its classes: the colour, and whether it is filled.
    pub(super) fn classes(self) -> String {
        format!("c{}{}", self.color, if self.is_open { " open" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Style;

    #[test]
    fn no_two_of_many_curves_look_alike() {
        let curve = |index: usize| Curve::new(format!("{index}"), Style::LineAndMarkers, Vec::new());
        let alone: Vec<Curve> = (0..40).map(curve).collect();
        let grouped: Vec<Curve> = (0..40).map(|index| curve(index).in_group(index % 5)).collect();
        for curves in [alone, grouped] {
            let looks = looks(&curves);
            for (index, look) in looks.iter().enumerate() {
                assert!(!looks[..index].contains(look), "curve {index}");
            }
        }
        let pair = looks(&[curve(0).in_group(2), curve(1).in_group(2)]);
        assert!(pair.iter().all(|look| look.color == 2));
    }

    #[test]
    fn a_marker_is_a_closed_path_about_the_origin() {
        let square = Look { color: 0, shape: 3, is_open: true };
        assert_eq!(square.path(), "M52 0L0 -52L-52 0L0 52z");
        assert_eq!(square.classes(), "c0 open");
    }
}
