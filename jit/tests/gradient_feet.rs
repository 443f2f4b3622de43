//! Slopes of bodies that stand or slide on several rough feet, whose friction nothing shares among them: against a closed
//! form, and against the same mechanism on the ground.

use hamel::gradient::{Differentiated, Direction, GradientError, Instant, Slopes};
use hamel::{Model, schemes};
use hamel_jit::JitModel;

use crate::common::differentiable::{model, options};

/// A sledge up a slope, on two feet, that slides and stays.
const SLEDGE: &str = "model Sledge {
    planar;
    coordinates joint;
    param mu = 0.3;
    param speed = 1 m/s;
    param pull = 2 m/s^2;
    gravity [-pull, -9.6 m/s^2];
    body sledge { mass: 1.4 kg, inertia: 0.1 kg m^2 }
    joint free: free(ground, sledge);
    contact rear: point_on_line(sledge at [-0.2, -0.05] m, ground) { friction: mu }
    contact front: point_on_line(sledge at [0.3, -0.05] m, ground) { friction: mu }
    initial sledge.position = [0, 0.05] m;
    initial sledge.angle = 0;
    initial sledge.velocity = [speed, 0 m/s];
    initial sledge.angular_velocity = 0;
    output x = sledge.position.x;
}";

/// A pendulum on a table with feet.
fn table(feet: usize, leg: &str) -> String {
    let place = |k: usize| {
        let angle = 6.0 * k as f64 / feet as f64 + 0.3;
        (0.6 * angle.cos(), 0.5 * angle.sin())
    };
    let foot = |k: usize| {
        let ((x, y), leg) = (place(k), if k == 0 { leg } else { "0.4 m" });
        format!("contact f{k}: point_on_plane(table at [{x} m, {y} m, -{leg}], ground) {{ friction: mu }}\n")
    };
    let feet: String = (0..feet).map(foot).collect();
    PENDULUM
        .replace("TABLE", "body table { mass: 20 kg, inertia: diag(2, 2, 3) kg m^2 } joint free: free(ground, table);")
        .replace("ON", "table at [0.1, 0.05, 0.2] m")
        .replace("FEET", &feet)
        .replace(
            "START",
            "initial table.position = [0, 0, 0.4] m; initial table.roll = 0; initial table.pitch = 0;
             initial table.yaw = 0; initial table.velocity = [0, 0, 0] m/s;
             initial table.angular_velocity = [0, 0, 0] rad/s;",
        )
}

const PENDULUM: &str = "model Pendulum {
    coordinates joint;
    param mu = 0.8;
    param reach = 0.3 m;
    param mass = 0.5 kg;
    param start = 0.4 rad;
    gravity [0, 0, -9.81] m/s^2;
    TABLE
    body bob { mass: mass, inertia: diag(0.01, 0.01, 0.01) kg m^2, center_of_mass: [0 m, 0 m, -reach] }
    joint hinge: revolute(ON axis [0.3, 1, 0], bob axis [0.3, 1, 0]);
    FEET
    START
    initial hinge.angle = start;
    initial hinge.angle.velocity = 0;
    output angle = hinge.angle;
}";

fn motion<'m>(model: &'m JitModel, scheme: &'m dyn hamel::Scheme, until: f64) -> Differentiated<'m> {
    Differentiated::new(model, scheme).options(options()).step(1e-3).until(until)
}

/// Slopes of the first output at the end, by these parameters.
fn slopes(motion: &Differentiated, model: &dyn Model, names: &[&str]) -> Result<Vec<f64>, GradientError> {
    let info = model.describe();
    let place = |name: &&str| {
        let is_it = |&place: &usize| info.parameters[place].name == **name;
        Direction::Parameter(info.differentiated.iter().position(is_it).unwrap())
    };
    let directions: Vec<Direction> = names.iter().map(place).collect();
    let mut last = Vec::new();
    motion.sensitivities(&directions, &mut |_, changes| last = changes.outputs.row(0).iter().copied().collect())?;
    // The same backwards.
    let end = |instant: &Instant, slopes: &mut Slopes| {
        slopes.outputs[0] = f64::from(u8::from(instant.is_end));
        if instant.is_end { instant.outputs[0] } else { 0.0 }
    };
    let gradient = motion.gradient(&end)?;
    for (direction, forward) in directions.iter().zip(&last) {
        let Direction::Parameter(place) = direction else { unreachable!() };
        let backward = gradient.parameters[*place];
        assert!((backward - forward).abs() < 1e-9 * (1.0 + forward.abs()), "{forward} forwards, {backward} backwards");
    }
    Ok(last)
}

#[test]
fn two_feet_stop_together() {
    let model = model(SLEDGE);
    let against = 2.0 + 0.3 * 9.6;
    for (until, sliding) in [(0.1, true), (0.5, false)] {
        // x = v t − a t²/2 with a = pull + μ g, or v²/(2 a) where it stays.
        let (by_a, by_speed) = match sliding {
            true => (-0.5 * until * until, until),
            false => (-0.5 / (against * against), 1.0 / against),
        };
        let exact = [9.6 * by_a, by_speed, by_a];
        for (name, allowed) in [("bathe", 1e-6), ("radau_iia5", 1e-8), ("radau_iia3", 1e-7)] {
            let scheme = schemes::by_name(name, &[]).unwrap();
            let found = slopes(&motion(&model, &*scheme, until), &model, &["mu", "speed", "pull"]).unwrap();
            for (found, exact) in found.iter().zip(exact) {
                assert!((found - exact).abs() < allowed, "{name} to {until}: {found} for {exact}");
            }
        }
    }
}

/// A table that stands still is the ground.
#[test]
fn what_stands_on_feet_moves_as_on_the_ground() {
    let fixed = PENDULUM.replace("TABLE", "").replace("ON", "ground").replace("FEET", "").replace("START", "");
    let fixed = model(&fixed);
    let names = ["reach", "mass", "start"];
    for feet in [3, 4, 5, 7] {
        let table = model(&table(feet, "0.4 m"));
        for name in ["bathe", "esdirk436", "radau_iia5"] {
            let scheme = schemes::by_name(name, &[]).unwrap();
            let exact = slopes(&motion(&fixed, &*scheme, 0.3), &fixed, &names).unwrap();
            let found = slopes(&motion(&table, &*scheme, 0.3), &table, &names);
            let found = found.unwrap_or_else(|error| panic!("{feet} feet by {name}: {error}"));
            for (found, exact) in found.iter().zip(&exact) {
                assert!((found - exact).abs() < 1e-8, "{feet} feet by {name}: {found} for {exact}");
            }
        }
    }
}

/// A table of which one leg may be longer than the others wobbles, one way or the other.
#[test]
fn tables_that_would_wobble_have_no_slopes() {
    let text = table(4, "leg").replace("param mu", "param leg = 0.4 m; param mu");
    let model = model(&text);
    let scheme = schemes::by_name("bathe", &[]).unwrap();
    let found = slopes(&motion(&model, &*scheme, 0.05), &model, &["leg"]);
    assert!(found.is_err(), "{found:?}");
}

/// A beam on three feet, with its weight above the first: it tips over to one side.
#[test]
fn what_is_about_to_tip_has_no_slopes() {
    let beam = |place: &str| {
        model(&format!(
            "model Beam {{
                planar;
                coordinates joint;
                param push = 0.5 N m;
                gravity [0, -9.81] m/s^2;
                body beam {{ mass: 2 kg, inertia: 0.3 kg m^2 }}
                joint free: free(ground, beam);
                contact first: point_on_line(beam at [{place} m, -0.1 m], ground) {{ friction: 0.4 }}
                contact second: point_on_line(beam at [1, -0.1] m, ground) {{ friction: 0.4 }}
                contact third: point_on_line(beam at [2, -0.1] m, ground) {{ friction: 0.4 }}
                torque turning: push - 0.5 N m on beam;
                initial beam.position = [0, 0.1] m;
                initial beam.angle = 0;
                initial beam.velocity = [0, 0] m/s;
                initial beam.angular_velocity = 0;
                output angle = beam.angle;
            }}"
        ))
    };
    for name in ["bathe", "esdirk436"] {
        let scheme = schemes::by_name(name, &[]).unwrap();
        let slopes = |model: &JitModel| slopes(&motion(model, &*scheme, 0.02), model, &["push"]);
        let found = slopes(&beam("0"));
        assert!(found.is_err(), "{name}: {found:?}");
        // Where its weight is between the feet, it stands.
        let found = slopes(&beam("-0.5")).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(found[0].abs() < 1e-9, "{name}: {found:?}");
    }
}
