//! Slopes behind jumps of the equations of motion, whose instants parameters or the motion itself move: against closed forms,
//! and against differences of motions.

use hamel::gradient::{Differentiated, GradientError, Instant, Slopes};
use hamel::{Caution, ConstraintLevel, Options, Simulation, StepError, initial_state, schemes};
use hamel_jit::JitModel;

use crate::common::differences::differences;
use crate::common::differentiable::{model, options};
use crate::common::ends::{agrees_with_differences, deviation, end, motion, slopes_at_end};
use crate::common::random::Random;

/// A block that is pushed one way up to a place, and back behind it; another force sets in at a time.
const PUSHED: &str = "model Pushed {
    planar;
    coordinates joint;
    param place = 1 m;
    param there = 2 m/s^2;
    param back = 3 m/s^2;
    param speed = 0.5 m/s;
    param late = 0.31 s;
    param push = 1.7 m/s^2;
    const mass = 1 kg;
    body block { mass: mass, inertia: 1 kg m^2 }
    joint rail: prismatic(ground, block);
    force f: mass * (if rail.displacement < place { there } else { -back }) on rail;
    force g: mass * (if time < late { 0 m/s^2 } else { push }) on rail;
    initial rail.displacement = 0 m;
    initial rail.velocity = speed;
    output x = rail.displacement;
}";
const VALUES: [f64; 6] = [1.0, 2.0, 3.0, 0.5, 0.31, 1.7];
const UNTIL: f64 = 5.5;

/// Its velocity and place at the end, ∫ a² dt, and how often it crosses a border.
fn pushed([place, there, back, speed, late, push]: [f64; 6]) -> ([f64; 3], usize) {
    let (mut t, mut x, mut v, mut integral, mut crossings) = (0.0, 0.0, speed, 0.0, 0);
    let (mut is_before, mut is_early) = (true, true);
    while t < UNTIL {
        let a = if is_before { there } else { -back } + if is_early { 0.0 } else { push };
        // x + v s + ½ a s² = place, for the least positive s.
        let root = (v * v + 2.0 * a * (place - x)).sqrt();
        let roots = [(-v - root) / a, (-v + root) / a].into_iter().filter(|s| *s > 1e-9);
        let crossing = roots.fold(f64::INFINITY, f64::min);
        let span = crossing.min(if is_early { late - t } else { f64::INFINITY }).min(UNTIL - t);
        (x, v, t) = (x + v * span + 0.5 * a * span * span, v + a * span, t + span);
        integral += a * a * span;
        if span == crossing {
            (is_before, x) = (!is_before, place);
        }
        is_early &= t < late - 1e-12;
        crossings += usize::from(t < UNTIL);
    }
    ([v, x, integral], crossings)
}

fn closed_form(results: std::ops::Range<usize>) -> Vec<Vec<f64>> {
    let by = |k: usize| {
        let of = |change: f64| {
            let mut values = VALUES;
            values[k] += change;
            pushed(values).0[results.clone()].to_vec()
        };
        differences(&of, 1e-3)
    };
    (0..VALUES.len()).map(by).collect()
}

/// Every scheme, by a motion that those of second order integrate without error.
#[test]
fn slopes_behind_borders_are_those_of_the_parabolas() {
    let model = model(PUSHED);
    let (state, crossings) = pushed(VALUES);
    assert_eq!(crossings, 3);
    let exact = closed_form(0..2);
    let mut known = 0;
    for entry in schemes::entries() {
        let scheme = entry.scheme(&[]).unwrap();
        // As printed it is no scheme of any order.
        if entry.name == "runge_kutta_like_printed" {
            continue;
        }
        // Stages or predictions beyond the ends of steps have the forces there; `ss` begins with positions of another order.
        let beyond = ["ss", "mssth5", "esdirk436", "runge_kutta_like", "newmark_predictor_corrector"];
        let is_exact = scheme.order() > 1 && !beyond.iter().any(|name| entry.name.starts_with(name));
        for (step, bound) in if is_exact { [(0.023, 1e-7), (0.031, 1e-7)] } else { [(0.023, 0.5), (0.001, 0.03)] } {
            let motion = motion(&model, &*scheme, &options(), step, UNTIL);
            let Ok(found) = slopes_at_end(&motion, &model) else { continue };
            let (reached, passed) = end(&motion, &model);
            assert_eq!(passed, crossings, "{}", entry.name);
            let is_reached = reached.iter().zip(&state).all(|(a, b)| (a - b).abs() < bound);
            let missed = deviation(&found, &exact);
            assert!(is_reached && missed < bound, "{}: {reached:?} for {state:?}, slopes miss {missed}", entry.name);
            assert_eq!(
                motion.cautions().unwrap().iter().find(|caution| is_of_borders(caution)),
                None,
                "{}",
                entry.name
            );
            known += 1;
        }
    }
    assert!(known > 40, "{known} schemes");
}

fn is_of_borders(caution: &Caution) -> bool {
    matches!(caution, Caution::Moved { .. } | Caution::Crossed { .. })
}

/// What is integrated changes with the instants too.
#[test]
fn gradients_of_integrals_know_the_borders() {
    let model = model(PUSHED);
    let exact = closed_form(2..3);
    let objective = |instant: &Instant, slopes: &mut Slopes| {
        let a = instant.state.a[0];
        slopes.acceleration[0] = 2.0 * instant.weight * a;
        instant.weight * a * a
    };
    for name in ["radau_iia5", "runge_kutta", "generalized_alpha", "bathe"] {
        let scheme = schemes::by_name(name, &[]).unwrap();
        let motion = motion(&model, &*scheme, &options(), 0.023, UNTIL);
        let gradient = motion.gradient(&objective).unwrap();
        assert_eq!(motion.clone().checkpoints(3).gradient(&objective).unwrap(), gradient, "{name}");
        let found: Vec<Vec<f64>> = gradient.parameters.iter().map(|slope| vec![*slope]).collect();
        let missed = deviation(&found, &exact);
        assert!(missed < 1e-6, "{name}: {missed}, {found:?}");
    }
}

const PENDULUM: &str = "model Pendulum {
    planar;
    COORDINATES
    param length = 0.7 m;
    param mass = 1.3 kg;
    param friction = 0.4 N m;
    param angle = 1.1 rad;
    gravity [0, -9.81] m/s^2;
    body rod { mass: mass, inertia: mass * length^2 / 12 }
    joint hinge: revolute(ground, rod at [0 m, length / 2]);
    torque dry: -friction * sign(rod.angular_velocity) on rod;
    initial rod.angle = angle;
    output tip = (rod at [0 m, -length / 2]);
}";

/// A slider-crank whose slider is held by a force that jumps where it turns round, and where it passes a place.
const CRANK: &str = "model Crank {
    planar;
    COORDINATES
    param crank = 0.15 m;
    param rod = 0.4 m;
    param grip = 2 N;
    param place = 0.45 m;
    param speed = 14 rad/s;
    body wheel { mass: 2 kg, inertia: 0.05 kg m^2 }
    body link { mass: 0.5 kg, inertia: 0.01 kg m^2 }
    body slider { mass: 0.8 kg, inertia: 0.01 kg m^2 }
    joint axle: revolute(ground, wheel);
    joint pin: revolute(wheel at [crank, 0 m], link at [-rod / 2, 0 m]);
    joint bolt: revolute(link at [rod / 2, 0 m], slider);
    joint guide: prismatic(ground, slider);
    force dry: [-grip * sign(slider.velocity.x), 0 N] on slider;
    force wind: [if slider.position.x < place { 0 N } else { 3 * grip }, 0 N] on slider;
    initial wheel.angle = 0.3 rad;
    initial link.angle = -asin(crank / rod * sin(0.3 rad));
    initial wheel.angular_velocity = speed;
    output x = slider.position.x;
}";

/// A body in space with a thrust below a height and drag torques that change with the signs of its turns.
const CRAFT: &str = "model Craft {
    COORDINATES
    param height = 0.6 m;
    param thrust = 30 N;
    param brake = 0.004 N m;
    param spin = 2 rad/s;
    gravity [0, 0, -9.81] m/s^2;
    body craft { mass: 2 kg, inertia: diag(0.4, 0.5, 0.7) kg m^2 }
    JOINT
    force engine: [0 N, 0 N, if craft.position.z < height { thrust } else { 0 N }] on craft at [0.02, 0.01, -0.3] m;
    torque wheel: [0 N m, -brake * sign(craft.angular_velocity.y), 0 N m] on craft;
    initial craft.position = [0, 0, 1.2] m;
    initial craft.velocity = [0.3, 0, 0.2] m/s;
    initial craft.angular_velocity = [0.3 rad/s, -0.05 rad/s, spin] in craft;
    START
    output x = craft.position;
}";

/// A heater that is switched by what it heats, a drive whose acceleration jumps when a parameter says, and a wave of pulses.
const SWITCHED: &str = "model Switched {
    planar;
    COORDINATES
    param level = 0.4 m;
    param period = 0.5 s;
    param turn = 0.213 s;
    param rate = 9 rad/s;
    param push = 3 N;
    body block { mass: 2 kg, inertia: 1 kg m^2 }
    body wheel { mass: 1 kg, inertia: 0.3 kg m^2 }
    body tail { mass: 0.4 kg, inertia: 0.01 kg m^2 }
    state heat m: ((if block.position.x < level { 1 m } else { 0.2 m }) - heat) / period;
    joint rail: prismatic(ground, block);
    joint axle: revolute(ground, wheel);
    joint hook: revolute(wheel at [0.3, 0] m, tail at [0, 0.2] m);
    drive spin: wheel.angle == max(0 s, time - turn)^2 * 6 rad/s^2;
    force waves: [(if sin(rate * time) > 0.3 { push } else { -0.2 * push }) + 4 N/m * heat, 0 N] on block;
    initial block.position.x = 0 m;
    initial block.velocity.x = 0.1 m/s;
    initial heat = 0 m;
    initial tail.angle = 0.1 rad;
    initial tail.angular_velocity = 0 rad/s;
    output x = block.position.x;
    output y = tail.position.y;
}";

/// A ball that bounces, with a wind above a height.
const BALL: &str = "model Ball {
    planar;
    coordinates joint;
    param height = 0.5 m;
    param wind = 2 N;
    param edge = 0.2 m;
    param restitution = 0.8;
    gravity [0, -9.81] m/s^2;
    body ball { mass: 0.3 kg, inertia: 0.01 kg m^2 }
    joint way: free(ground, ball);
    contact floor { gap: ball.position.y, restitution: restitution }
    force gust: [if ball.position.y < edge { 0 N } else { wind }, if ball.position.y < edge { 0 N } else { wind / 3 }] on ball;
    initial ball.position = [0 m, height];
    output x = ball.position;
}";

/// Against differences over changes that move borders through many steps.
#[test]
fn slopes_behind_borders_agree_with_differences_of_motions() {
    let joint = |text: &str, joint: &str| text.replace("COORDINATES", "coordinates joint;").replace("JOINT", joint);
    let absolute = |text: &str| text.replace("COORDINATES", "coordinates absolute;").replace("JOINT", "");
    let upright = "initial craft.roll = 0.1 rad; initial craft.pitch = 0.2 rad; initial craft.yaw = 0.3 rad;";
    let both = |name: &'static str, text: &str, until: f64, least: usize| {
        [joint(text, "joint sea: free(ground, craft);"), absolute(text)].map(|text| {
            let text = text.replace("START", upright);
            (name, model(&text), until, least)
        })
    };
    let cases: Vec<(&str, JitModel, f64, usize)> = [
        both("pendulum", PENDULUM, 2.0, 2),
        both("crank", CRANK, 0.7, 4),
        both("craft", CRAFT, 0.9, 2),
        both("switched", SWITCHED, 0.9, 4),
    ]
    .into_iter()
    .flatten()
    .chain([("ball", model(BALL), 0.9, 4)])
    .collect();
    for (name, model, until, least) in &cases {
        agrees_with_differences(name, model, *until, *least);
        let options = Options { constraint_level: Some(ConstraintLevel::Velocity), ..options() };
        let scheme = schemes::by_name("radau_iia5", &[]).unwrap();
        let cautions = motion(model, &*scheme, &options, 3.7e-3, *until).cautions().unwrap();
        assert_eq!(cautions.iter().find(|caution| is_of_borders(caution)), None, "{name}");
    }
}

/// A run with equal steps may fail where its steps pass a jump, as the motion that is differentiated does not.
#[test]
fn cautions_are_known_where_a_run_fails() {
    let text = "model Switched {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        param a = 1.3351;
        param d = 0.2045;
        body c { mass: 2 kg, inertia: 1 kg m^2 }
        body w { mass: 1 kg, inertia: 0.1 kg m^2, center_of_mass: [0, -0.4] m }
        joint rail: prismatic(ground, c);
        joint j: revolute(c, w);
        force s: (-30 N/m) * rail.displacement on rail;
        torque g: (if j.angle * j.velocity < d * 1 rad^2/s { a * 2 N m } else { 0 N m }) on j;
        initial rail.displacement = 0.137 m;
        initial j.angle = -0.581 rad;
        initial rail.velocity = 0.917 m/s;
        initial j.velocity = -0.125 rad/s;
    }";
    let model = model(text);
    let scheme = schemes::by_name("radau_iia5", &[]).unwrap();
    let mut failed = 0;
    for step in [0.004, 0.002, 0.001, 0.0007] {
        let run = Simulation::new(&model, &*scheme).step(step).until(1.0).run(initial_state(&model).unwrap());
        failed += usize::from(run.outcome.is_err());
        let course = motion(&model, &*scheme, &Options::default(), step, 1.0);
        assert!(end(&course, &model).1 > 0);
        assert_eq!(course.cautions().unwrap().iter().find(|caution| is_of_borders(caution)), None, "{step}");
    }
    assert!(failed > 0);
}

/// A motion that stays on a border, and instants that coincide but need not, are said.
#[test]
fn borders_without_slopes_are_said() {
    let said = |text: &str| {
        let model = model(text);
        let scheme = schemes::by_name("runge_kutta", &[]).unwrap();
        let cautions = Differentiated::new(&model, &*scheme).step(1e-2).until(2.0).cautions().unwrap();
        cautions.into_iter().filter(is_of_borders).collect::<Vec<_>>()
    };
    let sticks = PUSHED.replace("force f: mass * (if rail.displacement < place { there } else { -back })", {
        "force f: -mass * back * sign(rail.velocity)"
    });
    assert!(matches!(said(&sticks)[..], [Caution::Crossed { t }] if (t - 0.17).abs() < 0.02), "{:?}", said(&sticks));
    // One force sets in when a parameter says, another when something else does, which is the same time.
    let coincides = PUSHED.replace("(if time < late { 0 m/s^2 } else { push })", {
        "((if time < late { 0 m/s^2 } else { push }) + (if time < 0.31 s { 0 m/s^2 } else { push }))"
    });
    assert!(
        matches!(&said(&coincides)[..], [Caution::Moved { parameter, t }] if parameter == "late" && *t == 0.31),
        "{:?}",
        said(&coincides)
    );
}

/// Kinks are no jumps: steps over them are not divided.
#[test]
fn kinks_are_no_borders() {
    for force in [
        "there * max(0, 1 - rail.displacement / place)",
        "there * tanh((place - rail.displacement) / 1 mm)",
        "-there * abs(rail.displacement) / place",
        "if rail.displacement < place { there } else { there * rail.displacement / place }",
    ] {
        let text = PUSHED.replace("(if rail.displacement < place { there } else { -back })", &format!("({force})"));
        let model = model(&text.replace("push = 1.7", "push = 0"));
        let scheme = schemes::by_name("runge_kutta", &[]).unwrap();
        let course = motion(&model, &*scheme, &options(), 0.01, 2.0);
        assert_eq!(end(&course, &model).1, 0, "{force}");
        assert_eq!(course.cautions().unwrap().iter().find(|caution| is_of_borders(caution)), None, "{force}");
    }
}

/// A wall that is so stiff that the motion is over the border and back within a step, or within some: the speed comes back,
/// and slopes know.
#[test]
fn borders_that_are_crossed_there_and_back_within_a_step_are_found() {
    let wall = model(
        "model Wall {
            planar;
            coordinates joint;
            param speed = 1 m/s;
            param push = 300 N;
            body b { mass: 1 kg, inertia: 1 kg m^2 }
            joint s: prismatic(ground, b);
            force f: (if s.displacement > 0.5 m { -push } else { 0 N }) on s;
            initial s.velocity = speed;
            output x = s.displacement;
        }",
    );
    let until = 1.37;
    let mut random = Random(3);
    for (push, step) in [(3000.0, 1e-3), (300.0, 1e-2), (300.0, 1e-3), (20000.0, 1e-3)] {
        for _ in 0..8 {
            let speed = 1.0 + 0.2 * random.next();
            let mut wall = wall.another();
            wall.set(&[("speed", speed), ("push", push)]).unwrap();
            for name in ["runge_kutta", "radau_iia5", "esdirk325", "generalized_alpha"] {
                let scheme = schemes::by_name(name, &[]).unwrap();
                let motion = motion(&wall, &*scheme, &options(), step, until);
                let what = format!("{name}, {push} N, {step} s, {speed} m/s");
                let slopes = match slopes_at_end(&motion, &wall) {
                    Ok(slopes) => slopes,
                    // Within a step ten times as long as the wall pushes implicit schemes may find no solution.
                    Err(GradientError::Motion(StepError::NotConverged { .. })) if push == 20000.0 => continue,
                    Err(error) => panic!("{what}: {error}"),
                };
                // v = −v₀, x = 1 m − v₀ T + 2 m v₀² / F.
                let by_speed = [-1.0, -until + 4.0 * speed / push];
                let by_push = [0.0, -2.0 * (speed / push).powi(2)];
                for (found, expected) in slopes.iter().zip([by_speed, by_push]) {
                    let deviation = found.iter().zip(expected).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
                    // Instants are known to 1e-7 of what a step changes the distance by, and the push makes much of them.
                    assert!(deviation < 2e-5, "{what}: {found:?}, {expected:?}");
                }
                // Steps are divided, and what a run with equal steps would say is no matter.
                assert_eq!(motion.cautions().unwrap(), [], "{what}");
            }
        }
    }
}
