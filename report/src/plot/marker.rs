//! Colours and markers that distinguish curves.

use plotters::prelude::*;

use super::ZOOM;
use crate::report::Curve;

/// The colours of Okabe and Ito.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
];
/// Corners, turn and size of the shapes of markers; each is drawn filled, then open.
const SHAPES: [(i32, f64, f64); 6] =
    [(24, 0.0, 1.0), (4, 0.125, 1.25), (3, 0.25, 1.35), (4, 0.0, 1.3), (3, 0.75, 1.35), (5, 0.25, 1.25)];

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    pub(super) color: RGBColor,
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
        Look { color: PALETTE[color % PALETTE.len()], shape: member % SHAPES.len(), is_open }
    };
    curves.iter().enumerate().map(look).collect()
}

/// The inside of a marker.
pub(super) fn body(look: Look, at: (i32, i32)) -> Polygon<(i32, i32)> {
    Polygon::new(corners(look, at), if look.is_open { WHITE.filled() } else { look.color.filled() })
}

/// The line around a marker.
pub(super) fn outline(look: Look, at: (i32, i32)) -> PathElement<(i32, i32)> {
    let mut corners = corners(look, at);
    corners.push(corners[0]);
    PathElement::new(corners, look.color.stroke_width(3 * ZOOM as u32 / 2))
}

fn corners(look: Look, at: (i32, i32)) -> Vec<(i32, i32)> {
    let radius = f64::from(4 * ZOOM);
    let (corners, turn, stretch) = SHAPES[look.shape];
    let corner = |k: i32| {
        let angle = std::f64::consts::TAU * (f64::from(k) / f64::from(corners) + turn);
        let offset = |unit: f64| (radius * stretch * unit).round() as i32;
        (at.0 + offset(angle.cos()), at.1 - offset(angle.sin()))
    };
    (0..corners).map(corner).collect()
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
        assert!(pair.iter().all(|look| look.color == PALETTE[2]));
    }
}
