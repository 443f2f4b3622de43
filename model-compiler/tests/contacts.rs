//! Contacts: what the whole compiler says of them, and that their number does not make the code longer.

use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_compiler::simplify::Limits;
use hamel_compiler::space::Space;
use hamel_compiler::{Stages, contacts, stages_within};

fn stages(items: &str) -> Result<Stages, String> {
    let text = format!("model Test {{ planar; {items} }}");
    stages_within(text.parse().expect("the model lexes"), &Limits::least()).map_err(|error| error.to_string())
}

#[test]
fn a_contact_that_nothing_moves_is_an_error() {
    let with = |contact: &str| {
        stages(&format!(
            "body block {{ mass: 1 kg, inertia: 1 kg m^2 }} joint motion: free(ground, block); contact c {{ {contact} }}"
        ))
        .map(|_| ())
    };
    let still = "(ground at [0, 1] m)";
    assert_eq!(with(&format!("gap: {still}.y")), Err("[H0601] no motion changes the gap of `c`".to_owned()));
    let slip = format!("gap: block.position.y, slip: {still}.x, friction: 0.1");
    assert_eq!(with(&slip), Err("[H0601] no motion changes the slip of `c`".to_owned()));
    assert_eq!(with("gap: block.position.y, slip: block.position.x, friction: 0.1"), Ok(()));
}

/// A row of discs of different sizes under walls at different places.
#[test]
fn more_contacts_have_the_same_kernels() {
    let row = |n: usize| {
        let radii: Vec<String> = (0..n).map(|k| (0.1 + 0.01 * k as f64).to_string()).collect();
        stages(&format!(
            "const n = {n};
            param radii = [{}] m;
            for k in 0..n {{
                body disc[k] {{ mass: 1 kg, inertia: 1 kg m^2 }}
                contact floor[k]: disc_on_line(disc[k], ground) {{ radius: radii[k], friction: 0.3 }}
                contact roof[k] {{ gap: (2 + 0.1 * k) * 1 m - disc[k].position.y - radii[k] }}
            }}
            for k in 1..n {{ contact pair[k]: disc_on_disc(disc[k], disc[k - 1]) {{ radii: [radii[k], radii[k - 1]], friction: 0.3 }} }}",
            radii.join(", ")
        ))
        .expect("a valid model")
    };
    let (few, many) = (row(4), row(12));
    let kernels = |stages: &Stages| {
        let names = stages.equations.kernels.iter().map(|kernel| kernel.name.clone());
        names.filter(|name| name != "rigid_body").collect::<Vec<_>>()
    };
    assert_eq!(kernels(&few), ["disc_on_line", "contact", "disc_on_disc"]);
    assert_eq!(kernels(&few), kernels(&many));
    let statements = |stages: &Stages| {
        let functions = stages.schedule.kernels.iter().flat_map(|kernel| &kernel.functions);
        functions.map(|function| function.routine.statements.len()).sum::<usize>()
    };
    assert_eq!(statements(&few), statements(&many));
}

/// Things that move together as one rigid body neither approach each other nor slip: every kind, between two bodies.
#[test]
fn a_common_motion_is_no_relative_motion() {
    let mut seen = 0;
    for kind in &contacts::ALL {
        let (is_planar, radii) =
            (kind.space == Space::Planar, ["", "radius: 0.3 m,", "radii: [0.3, 0.4] m,"][kind.radii]);
        let (setting, point, other, inertia) = match is_planar {
            true => ("planar;", "[0.1, -0.2] m", "[0.3, 0.1] m", "1 kg m^2"),
            false => ("", "[0.1, -0.2, 0.3] m", "[0.3, 0.1, -0.1] m", "diag(1, 1, 1) kg m^2"),
        };
        let turned = match (kind.is_flat(), is_planar) {
            (false, _) => "",
            (true, true) => "rotated 0.4 rad",
            (true, false) => "axis [0.2, -0.3, 1]",
        };
        let text = format!(
            "model Test {{ {setting}
                body a {{ mass: 1 kg, inertia: {inertia} }}
                body b {{ mass: 1 kg, inertia: {inertia} }}
                contact c: {}(a at {point}, b at {other} {turned}) {{ {radii} friction: 0.1 }} }}",
            kind.keyword
        );
        let stages = stages_within(text.parse().expect("the model lexes"), &Limits::least()).expect("a valid model");
        let model = Interpreter::new(&stages.simplified, &stages.schedule, defaults(&stages.schedule));
        let (nv, rows) = (stages.simplified.layout.velocities.len(), kind.space.dimension());
        let motion = |spin: [f64; 2]| {
            let (q, v) = [0, 1].map(|i| body(kind.space, i, spin[i])).into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
            let point = Point { q: q.concat(), v: v.concat(), ..instant(nv) };
            let w = model.output(FunctionRole::ContactJacobian, Role::ContactJacobian, &point, (rows, nv)).values;
            w.chunks(nv).map(|row| row.iter().zip(&point.v).map(|(w, v)| w * v).sum()).collect::<Vec<f64>>()
        };
        let together = motion([1.0, 1.0]);
        assert!(together.iter().all(|velocity| velocity.abs() < 1e-14), "{}: {together:?}", kind.keyword);
        let apart = motion([1.0, 0.5]);
        assert!(apart.iter().all(|velocity| velocity.abs() > 1e-3), "{}: {apart:?}", kind.keyword);
        seen += 1;
    }
    assert_eq!(seen, 6);
}

/// Coordinates and velocities of a body that moves by a rigid motion of the whole space, `spin` times as fast.
fn body(space: Space, index: usize, spin: f64) -> (Vec<f64>, Vec<f64>) {
    let (omega, drift) = ([0.7, -0.4, 1.1].map(|w| w * spin), [0.3, 0.8, -0.5].map(|u| u * spin));
    let position = [[0.2, 1.4, 0.9], [-0.6, 0.3, -0.2]][index];
    if space == Space::Planar {
        let velocity = [drift[0] - omega[2] * position[1], drift[1] + omega[2] * position[0]];
        let q = vec![position[0], position[1], [0.8, -0.3][index]];
        return (q, vec![velocity[0], velocity[1], omega[2]]);
    }
    let cross =
        |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
    let turning = cross(omega, position);
    let velocity = [0, 1, 2].map(|k| drift[k] + turning[k]);
    // Unit Euler parameters, moved by an angular velocity in ground axes: ė = ½ (−ω·e, e0 ω + ω × e).
    let e: [f64; 4] = [[0.1, 0.7, -0.5, 0.5], [0.5, -0.1, 0.5, 0.7]][index];
    let vector = [e[1], e[2], e[3]];
    let scalar = -omega.iter().zip(vector).map(|(w, e)| w * e).sum::<f64>();
    let carried = cross(omega, vector);
    let rates = [scalar, e[0] * omega[0] + carried[0], e[0] * omega[1] + carried[1], e[0] * omega[2] + carried[2]];
    ([&position[..], &e].concat(), [&velocity[..], &rates.map(|rate| rate / 2.0)].concat())
}

fn instant(nv: usize) -> Point<f64> {
    let (inputs, lambda, tau) = (Vec::new(), Vec::new(), Vec::new());
    Point { t: 0.0, inputs, q: Vec::new(), v: Vec::new(), a: vec![0.0; nv], lambda, tau }
}
