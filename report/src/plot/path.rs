//! Curves as paths of an SVG: cut at the border of the plot, and thinned to what a screen shows.

use std::fmt::Write;

use super::scale::Scale;
use super::{Frame, UNIT};
use crate::report::Curve;

/// Width of a column of which only the extremes are kept: half a pixel.
const COLUMN: i32 = UNIT / 2;
/// How far points may lie from the drawn line: a fifth of a pixel.
const TOLERANCE: f64 = 0.2 * UNIT as f64;

/// A place on the canvas.
type Place = (i32, i32);

/// The lines of a curve.
pub(super) fn lines(curve: &Curve, x: &Scale, y: &Scale, frame: &Frame) -> String {
    let runs = runs_inside(curve, x, y);
    let runs = runs.iter().map(|run| thinned(&run.iter().map(|&point| frame.place(x, y, point)).collect::<Vec<_>>()));
    written(runs)
}

/// The points of a curve, once for each place.
pub(super) fn points(curve: &Curve, x: &Scale, y: &Scale, frame: &Frame) -> String {
    let inside = curve.points.iter().filter(|(px, py)| x.contains(*px) && y.contains(*py));
    let mut places: Vec<Place> = inside.map(|&point| frame.place(x, y, point)).collect();
    places.dedup();
    written(std::iter::once(places))
}

/// Path data: each point relative to the one before it, as the script of the page reads it.
fn written(runs: impl Iterator<Item = Vec<Place>>) -> String {
    let mut text = String::new();
    let mut last = (0, 0);
    for run in runs {
        for (k, place) in run.into_iter().enumerate() {
            let (dx, dy) = (place.0 - last.0, place.1 - last.1);
            // A minus sign separates numbers, too.
            let before = if k == 0 {
                "m"
            } else if dx < 0 {
                ""
            } else {
                " "
            };
            let _ = write!(text, "{before}{dx}{}{dy}", if dy < 0 { "" } else { " " });
            last = place;
        }
    }
    text
}

/// The pieces of a curve that lie in the shown range, cut where they leave it.
fn runs_inside(curve: &Curve, x: &Scale, y: &Scale) -> Vec<Vec<(f64, f64)>> {
    let mut runs: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut last_end = None;
    for pair in curve.points.windows(2) {
        let place = |(px, py): (f64, f64)| [x.fraction(px), y.fraction(py)];
        let Some((from, to)) = part_inside(place(pair[0]), place(pair[1])) else {
            last_end = None;
            continue;
        };
        let at = |part: f64, end: (f64, f64)| match part {
            0.0 | 1.0 => end,
            part => {
                let [[ax, ay], [bx, by]] = [place(pair[0]), place(pair[1])];
                (x.value(ax + part * (bx - ax)), y.value(ay + part * (by - ay)))
            }
        };
        // A segment that begins where the previous one ended continues the same piece.
        match runs.last_mut() {
            Some(run) if from == 0.0 && last_end == Some(1.0) => run.push(at(to, pair[1])),
            _ => runs.push(vec![at(from, pair[0]), at(to, pair[1])]),
        }
        last_end = Some(to);
    }
    runs
}

/// Which part of the segment between two places lies in the unit square, if any.
fn part_inside(a: [f64; 2], b: [f64; 2]) -> Option<(f64, f64)> {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for k in 0..2 {
        let change = b[k] - a[k];
        if !change.is_finite() || (change == 0.0 && !(0.0..=1.0).contains(&a[k])) {
            return None;
        }
        if change != 0.0 {
            let crossings = [-a[k] / change, (1.0 - a[k]) / change];
            from = from.max(crossings[0].min(crossings[1]));
            to = to.min(crossings[0].max(crossings[1]));
        }
    }
    (from < to).then_some((from, to))
}

/// The same line with fewer points: where it stays within a column, its ends and extremes, so that no peak is lost; then
/// only those that a straight line would miss.
fn thinned(places: &[Place]) -> Vec<Place> {
    let mut kept: Vec<Place> = Vec::new();
    for column in places.chunk_by(|a, b| a.0.div_euclid(COLUMN) == b.0.div_euclid(COLUMN)) {
        let extreme = |sign: i32| (0..column.len()).min_by_key(|&k| sign * column[k].1).unwrap_or(0);
        let mut chosen = [0, extreme(1), extreme(-1), column.len() - 1];
        chosen.sort_unstable();
        kept.extend(chosen.map(|k| column[k]));
    }
    kept.dedup();
    let mut is_needed = vec![false; kept.len()];
    mark_needed(&kept, 0, kept.len() - 1, &mut is_needed);
    kept.into_iter().zip(is_needed).filter_map(|(place, is_needed)| is_needed.then_some(place)).collect()
}

/// Marks the ends of a piece, and within it what lies beside the line between them. [Douglas, Peucker 1973]
fn mark_needed(places: &[Place], first: usize, last: usize, is_needed: &mut [bool]) {
    let mut pieces = vec![(first, last)];
    while let Some((first, last)) = pieces.pop() {
        (is_needed[first], is_needed[last]) = (true, true);
        let distances = (first + 1..last).map(|k| (k, distance(places[k], places[first], places[last])));
        if let Some((middle, most)) = distances.max_by(|a, b| a.1.total_cmp(&b.1))
            && most > TOLERANCE
        {
            pieces.extend([(first, middle), (middle, last)]);
        }
    }
}

/// From a place to the segment between two others.
fn distance(place: Place, from: Place, to: Place) -> f64 {
    let difference = |a: Place, b: Place| (f64::from(a.0 - b.0), f64::from(a.1 - b.1));
    let ((ax, ay), (px, py)) = (difference(to, from), difference(place, from));
    let length = ax * ax + ay * ay;
    let part = if length > 0.0 { ((px * ax + py * ay) / length).clamp(0.0, 1.0) } else { 0.0 };
    (px - part * ax).hypot(py - part * ay)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Axis, Style};

    #[test]
    fn curves_are_cut_where_they_leave_the_range() {
        let points = vec![(1e-2, 1e1), (1e-3, 1e-2), (1e-4, 1e-4), (1e-5, f64::NAN)];
        let curve = Curve::new("a", Style::Line, points);
        let scale = |axis: &Axis, pick: fn(&(f64, f64)) -> f64| Scale::new(axis, curve.points.iter().map(pick));
        let (x, y) = (Axis::log("h", "s"), Axis::log("e", "rad").within(1e-3, 1e-1));
        let runs = runs_inside(&curve, &scale(&x, |p| p.0), &scale(&y, |p| p.1));
        let expected = [(10f64.powf(-8.0 / 3.0), 1e-1), (1e-3, 1e-2), (10f64.powf(-3.5), 1e-3)];
        assert_eq!(runs.len(), 1);
        for ((x, y), expected) in runs[0].iter().zip(expected) {
            assert!((x / expected.0 - 1.0).abs() < 1e-12 && (y / expected.1 - 1.0).abs() < 1e-12, "{runs:?}");
        }
    }

    /// Each point that is left out lies on the drawn line, and peaks of one point are kept.
    #[test]
    fn thinning_keeps_peaks_and_moves_the_line_by_less_than_a_column() {
        let wave = |k: i32| (k / 8, (2000.0 * (f64::from(k) * 2e-3).sin()) as i32 + if k == 20_011 { 900 } else { 0 });
        let places: Vec<Place> = (0..40_000).map(wave).collect();
        let thin = thinned(&places);
        assert!(thin.len() < 2_000 && thin.contains(&wave(20_011)), "{}", thin.len());
        for place in places.iter().step_by(37) {
            let near = thin.windows(2).map(|pair| distance(*place, pair[0], pair[1])).fold(f64::INFINITY, f64::min);
            assert!(near <= f64::from(COLUMN) + TOLERANCE, "{place:?}: {near}");
        }
        assert_eq!(thinned(&[(0, 0), (50, 50), (100, 100)]), [(0, 0), (100, 100)]);
        assert_eq!(thinned(&[(7, 7), (7, 7)]), [(7, 7)]);
    }

    #[test]
    fn points_are_relative_to_the_last_one() {
        let runs = [vec![(10, 20), (13, 15)], vec![(5, 5)]];
        assert_eq!(written(runs.into_iter()), "m10 20 3-5m-8-10");
    }
}
