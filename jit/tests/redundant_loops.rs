//! Mechanisms whose constraints follow from others: which do changes on the way, wherever a loop is cut.

use hamel::{Simulation, State, initial_state, schemes};
use hamel_jit::{JitModel, Level};

/// The rectangular Bricard mechanism of the IFToMM library of benchmarks: six edges of a unit cube, the first one fixed, of
/// 1 kg and 1/12 kg m² each, joined by hinges, with weight along −y. Six hinges leave one motion, so that one constraint
/// follows from the others.
const CORNERS: [[f64; 3]; 6] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]];
/// Axis of the hinge at each corner.
const AXES: [usize; 6] = [1, 2, 0, 1, 2, 0];

/// In joint coordinates with the loop cut at a corner, or in absolute ones.
fn bricard(cut: Option<usize>) -> JitModel {
    let vector = |x: [f64; 3]| format!("[{:?}, {:?}, {:?}]", x[0], x[1], x[2]);
    let middle = |body: usize| [0, 1, 2].map(|i| 0.5 * (CORNERS[body + 1][i] + CORNERS[(body + 2) % 6][i]));
    let mut text = String::from("gravity [0, -9.81, 0] m/s^2;");
    for body in 0..5 {
        let along = [0, 1, 2].map(|i| CORNERS[(body + 2) % 6][i] - CORNERS[body + 1][i]);
        let inertia = along.map(|x| (1.0 - x * x) / 12.0);
        text +=
            &format!("body r{body} {{ mass: 1 kg, inertia: diag({}) kg m^2 }}", &vector(inertia)[1..].replace(']', ""));
        if cut.is_none() {
            text += &format!("initial r{body}.position = {} m;", vector(middle(body)));
        }
    }
    // A corner joins the edge before it to the one behind it; that from the last corner to the first is the ground's.
    let end = |body: Option<usize>, corner: usize| match body {
        None => format!("ground at {} m", vector(CORNERS[corner])),
        Some(body) => {
            let from = middle(body);
            format!("r{body} at {} m", vector([0, 1, 2].map(|i| CORNERS[corner][i] - from[i])))
        }
    };
    let joint = |corner: usize, is_reversed: bool| {
        let before = corner.checked_sub(2).or((corner == 0).then_some(4));
        let behind = if corner == 0 { None } else { Some(corner - 1) };
        let mut ends = [end(before, corner), end(behind.filter(|body| *body < 5), corner)];
        if is_reversed {
            ends.swap(0, 1);
        }
        let axis = ["[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"][AXES[corner]];
        let is_cut = if cut == Some(corner) { ", cut" } else { "" };
        format!("joint j{corner}: revolute({}, {}) {{ axis: {axis}{is_cut} }}", ends[0], ends[1])
    };
    // The ground ends at corners 0 and 1.
    let order = [1, 2, 3, 4, 5, 0];
    let place = cut.map_or(6, |cut| order.iter().position(|&corner| corner == cut).unwrap());
    order[..place.min(6)].iter().for_each(|&corner| text += &joint(corner, false));
    order[place.min(6)..].iter().rev().for_each(|&corner| text += &joint(corner, cut != Some(corner)));
    let coordinates = if cut.is_some() { "joint" } else { "absolute" };
    let output = format!("output p = (r2 at {} m).position;", vector([0, 1, 2].map(|i| CORNERS[3][i] - middle(2)[i])));
    let text = format!("model Bricard {{ coordinates {coordinates}; {text} {output} }}");
    hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Where the corner opposite to the fixed edge is after two seconds.
fn reached(model: &JitModel, scheme: &str, dt: f64, start: State) -> Result<[f64; 3], String> {
    let scheme = schemes::by_name(scheme, &[]).unwrap();
    let run = Simulation::new(model, &*scheme).step(dt).until(2.0).run(start);
    run.outcome.map_err(|error| error.to_string())?;
    Ok(["p_x", "p_y", "p_z"].map(|name| run.trajectory.column(name).unwrap().next_back().unwrap()))
}

#[test]
fn a_loop_moves_alike_wherever_it_is_cut() {
    let absolute = bricard(None);
    let distance = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max);
    let reference = reached(&absolute, "radau_iia5", 2e-3, initial_state(&absolute).unwrap()).unwrap();
    let finer = reached(&absolute, "radau_iia5", 1e-3, initial_state(&absolute).unwrap()).unwrap();
    assert!(distance(reference, finer) < 1e-7, "{reference:?} {finer:?}");
    for cut in [0, 2, 3, 4, 5] {
        let model = bricard(Some(cut));
        let start = initial_state(&model).unwrap();
        for (scheme, bound) in [
            ("radau_iia5", 1e-7),
            ("runge_kutta", 1e-5),
            ("esdirk436", 1e-4),
            ("half_explicit", 1e-3),
            ("ed_alpha", 2e-2),
            ("generalized_alpha", 1e-3),
            ("bathe", 1e-3),
            ("lms2", 1e-2),
        ] {
            let found = reached(&model, scheme, 1e-3, start.clone());
            let found = found.unwrap_or_else(|error| panic!("cut at {cut}, {scheme}: {error}"));
            let error = distance(found, finer);
            assert!(error < bound, "cut at {cut}, {scheme}: {error:.1e}, {found:?}, expected {finer:?}");
        }
    }
}
