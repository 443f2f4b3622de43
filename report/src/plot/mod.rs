//! Figures as SVG: a document of its own, or a part of the page.
//!
//! Coordinates are integers, ten to a shown pixel; curves are thinned to what a screen shows. The colours are those of
//! Okabe and Ito, which colour-blind readers can distinguish; curves also differ in their markers. Colours are classes,
//! so that the page can show them on a dark ground. Figures with many curves are larger.
//!
//! The script of the page (`page/figures.js`) reads the paths and the attributes `data-x`, `data-y` and `data-box`, and
//! writes paths and ticks anew when it zooms.

mod heat_map;
mod legend;
mod marker;
mod path;
mod scale;

use std::fmt::Write;

use hamel_compiler::escape;
use marker::{Look, looks};
use scale::Scale;

pub use heat_map::{HeatMap, heat_map};

use crate::number;
use crate::report::{Curve, Figure, Slope, Style};

/// Units of the canvas per shown pixel.
const UNIT: i32 = 10;
const WIDTH: i32 = 600 * UNIT;
/// What the number of a slope takes beside its line.
const ROOM_FOR_SLOPE: i32 = 70 * UNIT;
/// Heights with the axes, for up to `CROWD` curves and for more.
const HEIGHT: i32 = 360 * UNIT;
const TALL: i32 = 480 * UNIT;
const CROWD: usize = 12;

/// The rules that a document of its own carries; those of the page are in `page/figures.css`.
const STYLE: &str = "text{font:130px Helvetica,Arial,sans-serif;fill:#222}.c0{color:#0072b2}.c1{color:#d55e00}\
                     .c2{color:#009e73}.c3{color:#cc79a7}.c4{color:#e69f00}.c5{color:#56b4e9}.c6{color:#3c3c3c}\
                     .line,.dash{fill:none;stroke:currentColor;stroke-width:20;stroke-linejoin:round}\
                     .dash,.slope{stroke-dasharray:70 50}.dots{fill:none;stroke:none}\
                     .mark{fill:currentColor;stroke:currentColor;stroke-width:15}.open .mark{fill:#fff}\
                     .grid{stroke:#dadada;stroke-width:10}.faint{stroke:#f0f0f0;stroke-width:10}\
                     .frame{stroke:#222;stroke-width:10;fill:none}.slope{stroke:#777;stroke-width:15}\
                     .x{text-anchor:middle}.y{text-anchor:end}.named{text-anchor:middle;font-size:160px;\
                     paint-order:stroke;stroke:#fff;stroke-width:60}.hint{fill:#666;font-size:120px}";

/// Where the plot stands on the canvas.
struct Frame {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Frame {
    fn new(figure: &Figure) -> Self {
        let height = if figure.curves.len() > CROWD { TALL } else { HEIGHT };
        Self { left: 78 * UNIT, top: 12 * UNIT, right: WIDTH - 18 * UNIT, bottom: height - 52 * UNIT }
    }

    /// Where a point of the shown range stands.
    fn place(&self, x: &Scale, y: &Scale, (px, py): (f64, f64)) -> (i32, i32) {
        (self.across(x.fraction(px)), self.up(y.fraction(py)))
    }

    fn across(&self, fraction: f64) -> i32 {
        self.left + (fraction * f64::from(self.right - self.left)).round() as i32
    }

    fn up(&self, fraction: f64) -> i32 {
        self.bottom - (fraction * f64::from(self.bottom - self.top)).round() as i32
    }
}

/// The figure as a self-contained SVG document.
pub fn svg(figure: &Figure) -> String {
    let height = Frame::new(figure).bottom + 52 * UNIT;
    let (legend, more) = legend::legend(figure, height);
    let (width, height) = (WIDTH, height + more);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{}\" height=\"{}\">\
         <style>{STYLE}</style><rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>{}{legend}</svg>\n",
        width / UNIT,
        height / UNIT,
        drawing(figure, "k")
    )
}

/// Style sheet of figures that are parts of a page.
pub const PAGE_STYLE: &str = include_str!("../page/figures.css");
/// Script of figures that are parts of a page: values under the pointer, zoom, curves that are switched off. The page has
/// a function `all` that lists the elements with a selector, and each figure is an element `figure` with an identifier.
pub const PAGE_SCRIPT: &str = include_str!("../page/figures.js");

/// The figure as a part of a page, without legend; `id` begins the identifiers of its markers.
pub fn inline(figure: &Figure, id: &str) -> String {
    let (x, y) = scales(figure);
    let Frame { left, top, right, bottom } = Frame::new(figure);
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\" data-x=\"{}\" data-y=\"{}\" \
         data-box=\"{left},{top},{right},{bottom}\">{}</svg>",
        bottom + 52 * UNIT,
        escaped(&description(figure)),
        x.described(),
        y.described(),
        drawing(figure, id)
    )
}

/// The keys of the curves as parts of a page, with their names; none for a single curve. The number is that of the
/// curve.
pub fn keys(figure: &Figure) -> Vec<(usize, String, String)> {
    let drawn = |&(_, curve): &(usize, &Curve)| curve.style != Style::Name;
    let curves: Vec<_> = figure.curves.iter().enumerate().filter(drawn).collect();
    let looks = looks(&figure.curves);
    let shown = |(k, curve): (usize, &Curve)| {
        let (low, height) = (-9 * UNIT, 18 * UNIT);
        let key = key(curve.style, looks[k]);
        let svg = format!("<svg viewBox=\"0 {low} {} {height}\" aria-hidden=\"true\">{key}</svg>", 30 * UNIT);
        (k, escape::line(&curve.name), svg)
    };
    if curves.len() < 2 { Vec::new() } else { curves.into_iter().map(shown).collect() }
}

/// What a reader hears of a figure.
fn description(figure: &Figure) -> String {
    let names: Vec<&str> = figure.curves.iter().map(|curve| curve.name.as_str()).collect();
    let scale = |is_log: bool| if is_log { ", logarithmic" } else { "" };
    let (x, y) = (&figure.x, &figure.y);
    format!(
        "Plot of {}{} over {}{}. {}: {}.",
        y.description(),
        scale(y.is_log),
        x.description(),
        scale(x.is_log),
        if names.len() == 1 { "Curve".to_owned() } else { format!("{} curves", names.len()) },
        names.join("; ")
    )
}

fn scales(figure: &Figure) -> (Scale, Scale) {
    let points = || figure.curves.iter().flat_map(|curve| &curve.points);
    (Scale::new(&figure.x, points().map(|p| p.0)), Scale::new(&figure.y, points().map(|p| p.1)))
}

/// Axes and curves.
fn drawing(figure: &Figure, id: &str) -> String {
    let frame = Frame::new(figure);
    let (x, y) = scales(figure);
    let mut text = axes(figure, &frame, &x, &y);
    for slope in &figure.slopes {
        draw_slope(&mut text, slope, &frame, &x, &y);
    }
    for (index, (curve, look)) in figure.curves.iter().zip(looks(&figure.curves)).enumerate() {
        let _ = write!(text, "<g class=\"curve {}\">", look.classes());
        draw_curve(&mut text, curve, look, &format!("{id}-{index}"), &frame, &x, &y);
        text.push_str("</g>");
    }
    text
}

fn axes(figure: &Figure, frame: &Frame, x: &Scale, y: &Scale) -> String {
    let &Frame { left, top, right, bottom } = frame;
    let upright = |ticks: Vec<f64>| {
        ticks.iter().map(|&t| format!("M{} {top}V{bottom}", frame.across(x.fraction(t)))).collect::<String>()
    };
    let level = |ticks: Vec<f64>| {
        ticks.iter().map(|&t| format!("M{left} {}H{right}", frame.up(y.fraction(t)))).collect::<String>()
    };
    let mut text = format!(
        "<g class=\"axes\"><path class=\"faint\" d=\"{}{}\"/><path class=\"grid\" d=\"{}{}\"/>",
        upright(x.faint_ticks()),
        level(y.faint_ticks()),
        upright(x.ticks()),
        level(y.ticks())
    );
    for tick in x.ticks() {
        let at = frame.across(x.fraction(tick));
        let _ = write!(text, "<text class=\"x\" x=\"{at}\" y=\"{}\">{}</text>", bottom + 18 * UNIT, x.label(tick));
    }
    for tick in y.ticks() {
        let at = frame.up(y.fraction(tick)) + 4 * UNIT;
        let _ = write!(text, "<text class=\"y\" x=\"{}\" y=\"{at}\">{}</text>", left - 6 * UNIT, y.label(tick));
    }
    let (middle, centre) = ((left + right) / 2, (top + bottom) / 2);
    let _ = write!(
        text,
        "</g><path class=\"frame\" d=\"M{left} {top}V{bottom}H{right}\"/>\
         <text class=\"x\" x=\"{middle}\" y=\"{}\">{}</text>\
         <text class=\"x\" transform=\"translate({} {centre}) rotate(-90)\">{}</text>",
        bottom + 42 * UNIT,
        escaped(&figure.x.description()),
        14 * UNIT,
        escaped(&figure.y.description())
    );
    text
}

fn draw_curve(text: &mut String, curve: &Curve, look: Look, id: &str, frame: &Frame, x: &Scale, y: &Scale) {
    let class = if curve.style == Style::Dashed { "dash" } else { "line" };
    if matches!(curve.style, Style::Line | Style::LineAndMarkers | Style::Dashed) {
        let _ = write!(text, "<path class=\"{class}\" d=\"{}\"/>", path::lines(curve, x, y, frame));
    }
    match curve.style {
        Style::Markers | Style::LineAndMarkers => {
            // One marker at each point of an invisible line.
            let _ = write!(
                text,
                "<marker id=\"{id}\" class=\"{}\" markerUnits=\"userSpaceOnUse\" overflow=\"visible\">\
                 <path class=\"mark\" d=\"{}\"/></marker>\
                 <path class=\"dots\" marker-start=\"url(#{id})\" marker-mid=\"url(#{id})\" marker-end=\"url(#{id})\" \
                 d=\"{}\"/>",
                look.classes(),
                look.path(),
                path::points(curve, x, y, frame)
            );
        }
        Style::Name => {
            for &point in curve.points.iter().filter(|(px, py)| x.contains(*px) && y.contains(*py)) {
                let (px, py) = frame.place(x, y, point);
                let name = escaped(&curve.name);
                let _ = write!(text, "<text class=\"named\" x=\"{px}\" y=\"{}\">{name}</text>", py + 5 * UNIT);
            }
        }
        Style::Line | Style::Dashed => {}
    }
}

/// A line of constant slope with its number at the right end, where it seldom meets a curve, or at the left one where
/// there is no room for it.
fn draw_slope(text: &mut String, slope: &Slope, frame: &Frame, x: &Scale, y: &Scale) {
    let line = |x: f64| (x, slope.through.1 * (x / slope.through.0).powf(slope.slope));
    let ends = [line(slope.span.0), line(slope.span.1)];
    if !ends.iter().all(|end| y.contains(end.1)) {
        return;
    }
    let [(ax, ay), (bx, by)] = ends.map(|end| frame.place(x, y, end));
    let (x, y, anchor) = match bx + ROOM_FOR_SLOPE <= frame.right {
        true => (bx + 5 * UNIT, by + 4 * UNIT, ""),
        false => (ax - 5 * UNIT, ay + 4 * UNIT, " text-anchor=\"end\""),
    };
    let number = number::readable(slope.slope, 1);
    let _ = write!(
        text,
        "<g class=\"guide\"><path class=\"slope\" d=\"M{ax} {ay}L{bx} {by}\"/>\
         <text class=\"hint\" x=\"{x}\" y=\"{y}\"{anchor}>slope {number}</text></g>"
    );
}

/// How a curve is drawn, beside its name: 30 pixels wide about the level of the origin.
fn key(style: Style, look: Look) -> String {
    let line = match style {
        Style::Line | Style::LineAndMarkers => "<path class=\"line\" d=\"M0 0h300\"/>",
        Style::Dashed => "<path class=\"dash\" d=\"M0 0h300\"/>",
        Style::Markers | Style::Name => "",
    };
    let mark = match style {
        Style::Markers | Style::LineAndMarkers => {
            format!("<path class=\"mark\" transform=\"translate(150)\" d=\"{}\"/>", look.path())
        }
        _ => String::new(),
    };
    format!("<g class=\"{}\">{line}{mark}</g>", look.classes())
}

/// Text of users inside the document.
fn escaped(text: &str) -> String {
    escape::html(&escape::line(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Axis;

    fn figure() -> Figure {
        Figure {
            slug: "fig".into(),
            title: "Errors".into(),
            caption: String::new(),
            x: Axis::log("h", "s"),
            y: Axis::log("e", "rad"),
            curves: vec![
                Curve::new("a < b & c", Style::LineAndMarkers, vec![(1e-3, 1e-2), (1e-4, 1e-4), (1e-5, f64::NAN)]),
                Curve::new("second", Style::Dashed, vec![(1e-3, 2e-2), (1e-5, 2e-4)]),
            ],
            slopes: vec![Slope { slope: 1.0, through: (1e-4, 1e-3), span: (5e-5, 5e-4) }],
        }
    }

    #[test]
    fn names_are_escaped_and_tags_are_closed() {
        let document = svg(&figure());
        assert!(document.contains("a &lt; b &amp; c"), "{document}");
        assert!(document.trim_end().ends_with("</svg>"));
        assert_eq!(document.matches("<text").count(), document.matches("</text>").count());
        assert!(document.contains("10⁻⁴") && document.contains("h (s)") && document.contains("slope 1"));
    }

    #[test]
    fn the_number_of_a_slope_stays_within_the_frame() {
        let mut figure = figure();
        let at_the_left = "text-anchor=\"end\">slope 1";
        assert!(!svg(&figure).contains(at_the_left));
        figure.slopes[0].span = (5e-5, 1e-3);
        assert!(svg(&figure).contains(at_the_left));
    }

    /// Any character in a name leaves the picture valid XML.
    #[test]
    fn any_name_leaves_a_picture_well_formed() {
        let controls = (0..0xa0).chain(0x2028..=0x202e).chain(0x2066..=0x2069).filter_map(char::from_u32);
        let name = controls.collect::<String>() + "]]></text></svg><!-- &amp; \u{feff}";
        let mut hostile = figure();
        for curve in &mut hostile.curves {
            curve.name.clone_from(&name);
        }
        hostile.curves.push(Curve::new(name.clone(), Style::Name, vec![(1e-3, 1e-2)]));
        (hostile.x.label, hostile.y.label) = (name.clone(), name);
        for document in [svg(&hostile), inline(&hostile, "a")] {
            let tags = roxmltree::Document::parse(&document).unwrap_or_else(|error| panic!("{error}"));
            assert!(tags.descendants().filter_map(|node| node.text()).any(|text| text.contains("</svg><!-- &amp; ")));
            assert!(!document.contains(['\u{202e}', '\u{2066}', '\u{2028}', '\u{feff}', '\u{85}']));
        }
    }

    #[test]
    fn a_figure_without_points_is_still_drawn() {
        let empty = Figure { curves: vec![Curve::new("none", Style::Line, vec![])], slopes: vec![], ..figure() };
        assert!(svg(&empty).contains("</svg>"));
    }

    #[test]
    fn a_name_stands_at_its_point_and_not_in_the_legend() {
        let mut figure = figure();
        figure.curves.push(Curve::new("E", Style::Name, vec![(1e-4, 1e-3)]));
        assert_eq!(svg(&figure).matches(">E</text>").count(), 1);
        assert_eq!(keys(&figure).len(), 2);
    }
}
