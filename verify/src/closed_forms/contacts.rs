//! Motions with impacts and friction.
//!
//! Gravity is 9.81 m/s² throughout, and masses are 1 kg where they do not matter.

use hamel::{Model, initial_state};
use hamel_macros::multibody;

use super::{Law, Problem};

const G: f64 = 9.81;

multibody! {
    /// A disc above a floor that may shake, rise or run like a belt; gravity may point anywhere, which tilts the floor.
    pub model Disc {
        planar;
        coordinates joint;
        param mass = 1 kg;
        param radius = 0 m;
        param inertia = 1 kg m^2;
        param gravity_x = 0 m/s^2;
        param gravity_y = -9.81 m/s^2;
        param restitution = 0;
        param friction = 0;
        param height = 0 m;
        param speed_x = 0 m/s;
        param speed_y = 0 m/s;
        param spin = 0 rad/s;
        param belt_speed = 0 m/s;
        param rise = 0 m/s;
        param amplitude = 0 m;
        param frequency = 0 rad/s;

        gravity [gravity_x, gravity_y];
        body ball { mass: mass, inertia: inertia }
        joint motion: free(ground, ball);
        contact floor {
            gap: ball.position.y - radius - rise * time - amplitude * sin(frequency * time),
            slip: ball.velocity.x + radius * ball.angular_velocity - belt_speed,
            restitution: restitution,
            friction: friction,
        }

        initial ball.position = [0, radius + height];
        initial ball.velocity = [speed_x, speed_y];
        initial ball.angular_velocity = spin;
        output x = ball.position.x;
        output y = ball.position.y - radius;
        output angle = ball.angle;
        output velocity_x = ball.velocity.x;
        output velocity_y = ball.velocity.y;
        output rate = ball.angular_velocity;
    }
}

multibody! {
    /// Two balls above each other on a line, and a floor under the lower one.
    pub model Stack {
        planar;
        coordinates joint;
        param between = 0.5 m;
        param restitution = 1;

        gravity [0, -9.81] m/s^2;
        body lower { mass: 1 kg, inertia: 1 kg m^2 }
        body upper { mass: 1 kg, inertia: 1 kg m^2 }
        joint first: prismatic(ground rotated 90 deg, lower rotated 90 deg) { coordinate: low }
        joint second: prismatic(ground rotated 90 deg, upper rotated 90 deg) { coordinate: high }
        contact floor { gap: low }
        contact pair { gap: high - low, restitution: restitution }

        initial low = 0;
        initial high = between;
        output lower_height = low;
        output upper_height = high;
        output lower_velocity = low.velocity;
        output upper_velocity = high.velocity;
    }
}

multibody! {
    /// Four balls in a row on a rail, with gaps between; the first one moves.
    pub model Cradle {
        planar;
        coordinates joint;
        param space = 0.1 m;

        for k in 0..4 {
            body ball[k] { mass: 1 kg, inertia: 1 kg m^2 }
            joint rail[k]: prismatic(ground, ball[k]) { coordinate: x[k] }
            initial x[k] = k * space;
        }
        for k in 0..3 { contact pair[k] { gap: x[k + 1] - x[k], restitution: 1 } }
        initial x[0].velocity = 1 m/s;
        for k in 1..4 { initial x[k].velocity = 0; }
        output positions = [x[0], x[1], x[2]];
        output last_position = x[3];
        output velocities = [x[0].velocity, x[1].velocity, x[2].velocity];
        output last_velocity = x[3].velocity;
    }
}

multibody! {
    /// A free rod along y whose upper end leans on a wall to its left, and a ball that hits it from there.
    pub model Percussion {
        planar;
        coordinates joint;
        param mass = 2 kg;
        param length = 1.2 m;
        param below_end = 1 m;
        param restitution = 0.5;

        body rod { mass: mass, inertia: mass * length^2 / 12 }
        body ball { mass: 1 kg, inertia: 1 kg m^2 }
        joint motion: free(ground, rod);
        joint rail: prismatic(ground, ball) { coordinate: place }
        contact wall { gap: (rod at [0, length / 2]).x }
        contact hit { gap: (rod at [0, length / 2 - below_end]).x - place, restitution: restitution }

        initial rod.position = [0, 0];
        initial place = -0.1 m;
        initial place.velocity = 1 m/s;
        output x = rod.position.x;
        output angle = rod.angle;
        output velocity_x = rod.velocity.x;
        output rate = rod.angular_velocity;
        output ball_place = place;
        output ball_velocity = place.velocity;
    }
}

multibody! {
    /// A door that a torque drives against a stop, by its angle.
    pub model Door {
        planar;
        coordinates joint;
        body door { mass: 1 kg, inertia: 0.75 kg m^2 }
        joint hinge: revolute(ground, door at [-0.5, 0] m) { coordinate: theta }
        torque drive: 2 N m on hinge;
        contact stop { gap: 0.5 rad - theta, restitution: 0.5 }
        initial theta = 0;
        output angle = theta;
        output rate = theta.velocity;
    }
}

multibody! {
    /// The same door in absolute coordinates, with the hinge as constraints.
    pub model DoorAbsolute {
        planar;
        coordinates absolute;
        body door { mass: 1 kg, inertia: 0.75 kg m^2 }
        joint hinge: revolute(ground, door at [-0.5, 0] m);
        torque drive: 2 N m on door;
        contact stop { gap: 0.5 rad - door.angle, restitution: 0.5 }
        initial door.angle = 0;
        output angle = door.angle;
        output rate = door.angular_velocity;
    }
}

fn disc(change: impl FnOnce(&mut DiscParameters)) -> Box<dyn Model> {
    let mut parameters = DiscParameters::default();
    change(&mut parameters);
    Box::new(Disc::new(parameters))
}

/// Outputs of a [`Disc`] that only rises and falls.
fn vertical(y: f64, v: f64) -> Vec<f64> {
    vec![0.0, y, 0.0, 0.0, v, 0.0]
}

/// What falls with the acceleration g from a height with a speed upward, and keeps the part e of its velocity in every
/// impact: height and velocity.
fn bouncing(g: f64, mut y: f64, mut v: f64, e: f64, mut t: f64) -> (f64, f64) {
    loop {
        // Falls until y + v s − g s²/2 = 0.
        let s = (v + (v * v + 2.0 * g * y).sqrt()) / g;
        if t < s {
            return (y + v * t - 0.5 * g * t * t, v - g * t);
        }
        (t, y, v) = (t - s, 0.0, -e * (v - g * s));
        // Bounces become infinitely many in a finite time.
        if v < 1e-12 {
            return (0.0, 0.0);
        }
    }
}

/// The outputs of a [`Disc`] that starts a height above the floor with a speed upward.
fn falls(height: f64, speed: f64, e: f64, t: f64) -> Vec<f64> {
    let (y, v) = bouncing(G, height, speed, e, t);
    vertical(y, v)
}

/// The outputs of a [`Disc`] that only moves along the floor: it has an acceleration until an instant, then another one.
fn along(speed: f64, acceleration: f64, until: f64, later: f64, t: f64) -> Vec<f64> {
    let (first, rest) = (t.min(until), (t - until).max(0.0));
    let reached = speed + acceleration * first;
    let x = speed * first + 0.5 * acceleration * first * first + reached * rest + 0.5 * later * rest * rest;
    vec![x, 0.0, 0.0, reached + later * rest, 0.0, 0.0]
}

/// A ball of radius 1/2 m and inertia 2/5 m r² that falls obliquely and spins: with friction μ.
fn oblique(friction: f64) -> Box<dyn Model> {
    disc(|p| {
        (p.radius, p.inertia, p.height, p.restitution, p.friction) = (0.5, 0.1, 0.2, 0.5, friction);
        (p.speed_x, p.speed_y) = (1.0, -1.0);
    })
}

/// Its outputs: the impulse of friction is what stops the slip of 1 m/s, or what friction can do.
fn oblique_exact(friction: f64, t: f64) -> Vec<f64> {
    let (radius, inertia, e) = (0.5_f64, 0.1, 0.5);
    let down = (1.0 + 2.0 * G * 0.2_f64).sqrt();
    let s = t - (down - 1.0) / G;
    let stop = 1.0 / (1.0 + radius * radius / inertia);
    let impulse = stop.min(friction * (1.0 + e) * down);
    let (v_x, rate) = (1.0 - impulse, -radius * impulse / inertia);
    vec![t - s + v_x * s, e * down * s - 0.5 * G * s * s, rate * s, v_x, e * down - G * s, rate]
}

/// The outputs of [`Percussion`] after the impact at 0.1 s with velocity and rate of the rod.
fn percussion_exact(impulse: f64, velocity: f64, rate: f64, t: f64) -> Vec<f64> {
    let (s, left) = (t - 0.1, 1.0 - impulse);
    vec![velocity * s, rate * s, velocity, rate, left * s, left]
}

/// The outputs of a [`Disc`] on a floor at A sin Ωt that it follows while that pushes, e = 0.
fn shaken(t: f64) -> Vec<f64> {
    let (amplitude, omega) = (0.05_f64, 20.0_f64);
    let floor = |t: f64| (amplitude * (omega * t).sin(), amplitude * omega * (omega * t).cos());
    // It flies off where the floor falls as fast as everything, A Ω² sin Ωt = g.
    let off = (G / (amplitude * omega * omega)).asin() / omega;
    let period = 2.0 * std::f64::consts::PI / omega;
    let (y, v) = floor(off);
    let flight = |s: f64| (y + v * s - 0.5 * G * s * s, v - G * s);
    // It lands within a period, later than half of one.
    let (mut early, mut late) = (0.5 * period, period);
    for _ in 0..60 {
        let middle = 0.5 * (early + late);
        if flight(middle).0 > floor(off + middle).0 { early = middle } else { late = middle }
    }
    let since = (t - off).rem_euclid(period);
    let (y, v) = if t > off && since < early { flight(since) } else { floor(t) };
    vertical(y, v)
}

/// Their multiples are no instants of impacts.
const STEPS: [f64; 3] = [5e-3, 1e-3, 2e-4];

pub(super) static PROBLEMS: &[Problem] = &[
    Problem {
        name: "ball/drop_plastic",
        what: "A ball dropped from 0.5 m, restitution 0: it stays on the floor.",
        source: "Parabolas; an impact multiplies the velocity by minus the restitution.",
        steps: STEPS,
        until: 0.5,
        level: None,
        model: || {
            disc(|p| {
                p.height = 0.5;
            })
        },
        start: initial_state,
        exact: |t| falls(0.5, 0.0, 0.0, t),
        law: Law::Late(10.0),
    },
    Problem {
        name: "ball/drop_half",
        what: "A ball dropped from 0.5 m, restitution 1/2.",
        source: "Parabolas; an impact multiplies the velocity by minus the restitution.",
        steps: STEPS,
        until: 0.5,
        level: None,
        model: || {
            disc(|p| {
                p.height = 0.5;
                p.restitution = 0.5;
            })
        },
        start: initial_state,
        exact: |t| falls(0.5, 0.0, 0.5, t),
        law: Law::Late(20.0),
    },
    Problem {
        name: "ball/drop_elastic",
        what: "A ball dropped from 0.5 m, restitution 1.",
        source: "Parabolas; an impact multiplies the velocity by minus the restitution.",
        steps: STEPS,
        until: 0.5,
        level: None,
        model: || {
            disc(|p| {
                p.height = 0.5;
                p.restitution = 1.0;
            })
        },
        start: initial_state,
        exact: |t| falls(0.5, 0.0, 1.0, t),
        law: Law::Late(30.0),
    },
    Problem {
        name: "ball/approaching",
        what: "A ball on the floor that starts with 2 m/s downward, restitution 1/2.",
        source: "The impact is at t = 0: y = t − g t²/2.",
        steps: STEPS,
        until: 0.1,
        level: None,
        model: || {
            disc(|p| {
                p.speed_y = -2.0;
                p.restitution = 0.5;
            })
        },
        start: initial_state,
        exact: |t| vertical(t - 0.5 * G * t * t, 1.0 - G * t),
        law: Law::Late(15.0),
    },
    Problem {
        name: "ball/approaching_plastic",
        what: "A ball on the floor that starts with 2 m/s downward, restitution 0.",
        source: "It stays.",
        steps: STEPS,
        until: 0.1,
        level: None,
        model: || {
            disc(|p| {
                p.speed_y = -2.0;
            })
        },
        start: initial_state,
        exact: |t| {
            let _ = t;
            vertical(0.0, 0.0)
        },
        law: Law::Late(5.0),
    },
    Problem {
        name: "ball/approaching_elastic",
        what: "A ball on the floor that starts with 2 m/s downward, restitution 1.",
        source: "The impact is at t = 0: y = 2 t − g t²/2.",
        steps: STEPS,
        until: 0.1,
        level: None,
        model: || {
            disc(|p| {
                p.speed_y = -2.0;
                p.restitution = 1.0;
            })
        },
        start: initial_state,
        exact: |t| vertical(2.0 * t - 0.5 * G * t * t, 2.0 - G * t),
        law: Law::Late(20.0),
    },
    Problem {
        name: "ball/approaching_below",
        what: "The same with restitution 1/2, from a height of −1e−9 m.",
        source: "Rounding: as from the floor.",
        steps: STEPS,
        until: 0.1,
        level: None,
        model: || {
            disc(|p| {
                p.speed_y = -2.0;
                p.restitution = 0.5;
                p.height = -1e-9;
            })
        },
        start: initial_state,
        exact: |t| vertical(t - 0.5 * G * t * t, 1.0 - G * t),
        law: Law::Late(15.0),
    },
    Problem {
        name: "ball/approaching_above",
        what: "The same with restitution 1/2, from a height of 1e−9 m.",
        source: "Rounding: as from the floor.",
        steps: STEPS,
        until: 0.1,
        level: None,
        model: || {
            disc(|p| {
                p.speed_y = -2.0;
                p.restitution = 0.5;
                p.height = 1e-9;
            })
        },
        start: initial_state,
        exact: |t| vertical(t - 0.5 * G * t * t, 1.0 - G * t),
        law: Law::Late(15.0),
    },
    Problem {
        name: "ball/resting",
        what: "A ball that rests on the floor, restitution 1/2.",
        source: "It stays.",
        steps: STEPS,
        until: 0.1,
        level: None,
        model: || {
            disc(|p| {
                p.restitution = 0.5;
            })
        },
        start: initial_state,
        exact: |t| {
            let _ = t;
            vertical(0.0, 0.0)
        },
        law: Law::Late(5.0),
    },
    Problem {
        name: "ball/separating",
        what: "A ball on the floor that starts with 1 m/s upward, restitution 1/2.",
        source: "No impact at the start: y = t − g t²/2 until it is back.",
        steps: STEPS,
        until: 0.15,
        level: None,
        model: || {
            disc(|p| {
                p.speed_y = 1.0;
                p.restitution = 0.5;
            })
        },
        start: initial_state,
        exact: |t| falls(0.0, 1.0, 0.5, t),
        law: Law::Late(15.0),
    },
    Problem {
        name: "ball/floor_starts",
        what: "A ball at rest on a floor that moves upward with 1 m/s from the start on, restitution 1/2.",
        source: "They collide at t = 0 with 1 m/s, the ball leaves with 3/2 m/s: y = 3/2 t − g t²/2.",
        steps: STEPS,
        until: 0.08,
        level: None,
        model: || {
            disc(|p| {
                p.rise = 1.0;
                p.restitution = 0.5;
            })
        },
        start: initial_state,
        exact: |t| vertical(1.5 * t - 0.5 * G * t * t, 1.5 - G * t),
        law: Law::Late(15.0),
    },
    Problem {
        name: "ball/bounces",
        what: "A ball dropped from 0.5 m that bounces three times with restitution 0.8.",
        source: "Parabolas; an impact multiplies the velocity by minus the restitution.",
        steps: STEPS,
        until: 1.5,
        level: None,
        model: || {
            disc(|p| {
                p.height = 0.5;
                p.restitution = 0.8;
            })
        },
        start: initial_state,
        exact: |t| falls(0.5, 0.0, 0.8, t),
        law: Law::Late(80.0),
    },
    Problem {
        name: "ball/end_of_bouncing",
        what: "A ball dropped from 0.5 m, restitution 1/2, after its infinitely many bounces.",
        source: "The n-th flight takes 2 t₁/2ⁿ, t₁ = √(2h/g): it rests from 3 t₁ = 0.958 s on.",
        steps: STEPS,
        until: 1.1,
        level: None,
        model: || {
            disc(|p| {
                p.height = 0.5;
                p.restitution = 0.5;
            })
        },
        start: initial_state,
        exact: |t| falls(0.5, 0.0, 0.5, t),
        law: Law::Late(10.0),
    },
    Problem {
        name: "block/slides_to_rest",
        what: "A block slides with 1 m/s on a floor with friction 0.3, until it stops.",
        source: "x = v t − μ g t²/2 until t = v/(μ g).",
        steps: STEPS,
        until: 0.5,
        level: None,
        model: || {
            disc(|p| {
                p.speed_x = 1.0;
                p.friction = 0.3;
            })
        },
        start: initial_state,
        exact: |t| along(1.0, -0.3 * G, 1.0 / (0.3 * G), 0.0, t),
        law: Law::Late(5.0),
    },
    Problem {
        name: "block/incline_stops",
        what: "A block slides down an incline of 20° whose angle of friction is larger, μ = 0.5, until it stops.",
        source: "Decelerated by g (μ cos α − sin α), then held.",
        steps: STEPS,
        until: 0.6,
        level: None,
        model: || {
            disc(|p| {
                p.gravity_x = G * 20.0_f64.to_radians().sin();
                p.gravity_y = -G * 20.0_f64.to_radians().cos();
                p.speed_x = 0.5;
                p.friction = 0.5;
            })
        },
        start: initial_state,
        exact: |t| {
            let (sin, cos) = 20.0_f64.to_radians().sin_cos();
            let a = G * (sin - 0.5 * cos);
            along(0.5, a, -0.5 / a, 0.0, t)
        },
        law: Law::Late(5.0),
    },
    Problem {
        name: "block/incline_rests",
        what: "The same block from rest stays.",
        source: "Friction holds it: tan 20° < μ.",
        steps: STEPS,
        until: 0.3,
        level: None,
        model: || {
            disc(|p| {
                p.gravity_x = G * 20.0_f64.to_radians().sin();
                p.gravity_y = -G * 20.0_f64.to_radians().cos();
                p.friction = 0.5;
            })
        },
        start: initial_state,
        exact: |t| {
            let _ = t;
            vertical(0.0, 0.0)
        },
        law: Law::Late(5.0),
    },
    Problem {
        name: "block/incline_slides",
        what: "A block on an incline of 20° whose angle of friction is smaller, μ = 0.2, from rest.",
        source: "Accelerated by g (sin α − μ cos α).",
        steps: STEPS,
        until: 0.5,
        level: None,
        model: || {
            disc(|p| {
                p.gravity_x = G * 20.0_f64.to_radians().sin();
                p.gravity_y = -G * 20.0_f64.to_radians().cos();
                p.friction = 0.2;
            })
        },
        start: initial_state,
        exact: |t| {
            let (sin, cos) = 20.0_f64.to_radians().sin_cos();
            along(0.0, G * (sin - 0.2 * cos), t, 0.0, t)
        },
        law: Law::Late(5.0),
    },
    Problem {
        name: "ball/begins_to_roll",
        what: "A solid ball of radius 1/2 m is set down sliding with 1 m/s, friction 0.2, and rolls in the end.",
        source: "Friction slows it and turns it until the slip is zero, at t = 2 v/(7 μ g), with 5/7 of the speed.",
        steps: STEPS,
        until: 0.3,
        level: None,
        model: || {
            disc(|p| {
                (p.radius, p.inertia, p.friction, p.speed_x) = (0.5, 0.1, 0.2, 1.0);
            })
        },
        start: initial_state,
        exact: |t| {
            let mu = 0.2;
            let stop = 2.0 / (7.0 * mu * G);
            let mut out = along(1.0, -mu * G, stop, 0.0, t);
            let rate = -mu * G * 0.5 / 0.1 * stop;
            out[2] = 0.5 * rate * stop + rate * (t - stop);
            out[5] = rate;
            out
        },
        law: Law::Late(15.0),
    },
    Problem {
        name: "ball/oblique_sticks",
        what: "A solid ball falls obliquely, restitution 1/2, friction 0.3: its slip ends in the impact.",
        source: "The tangential impulse s/(1/m + r²/J) is less than μ times the normal one.",
        steps: STEPS,
        until: 0.3,
        level: None,
        model: || oblique(0.3),
        start: initial_state,
        exact: |t| oblique_exact(0.3, t),
        law: Law::Late(30.0),
    },
    Problem {
        name: "ball/oblique_slips",
        what: "The same ball with friction 0.05: it keeps slipping.",
        source: "The tangential impulse is μ times the normal one, 3/2 m v.",
        steps: STEPS,
        until: 0.3,
        level: None,
        model: || oblique(0.05),
        start: initial_state,
        exact: |t| oblique_exact(0.05, t),
        law: Law::Late(30.0),
    },
    Problem {
        name: "ball/shaken",
        what: "A ball on a floor at A sin Ωt, AΩ² = 2 g, restitution 0: thrown up, caught, thrown up again.",
        source: "It flies off at sin Ωt = g/(AΩ²), and lands where the parabola meets the floor; it starts at rest, so that the floor meets it with AΩ at t = 0.",
        steps: STEPS,
        until: 0.5,
        level: None,
        model: || {
            disc(|p| {
                p.amplitude = 0.05;
                p.frequency = 20.0;
            })
        },
        start: initial_state,
        exact: |t| shaken(t),
        law: Law::Late(40.0),
    },
    Problem {
        name: "block/moving_belt",
        what: "A block is set down on a belt that runs with 1 m/s, friction 0.3.",
        source: "Accelerated by μ g until it moves with the belt.",
        steps: STEPS,
        until: 0.5,
        level: None,
        model: || {
            disc(|p| {
                p.belt_speed = 1.0;
                p.friction = 0.3;
            })
        },
        start: initial_state,
        exact: |t| along(0.0, 0.3 * G, 1.0 / (0.3 * G), 0.0, t),
        law: Law::Late(5.0),
    },
    Problem {
        name: "rod/beyond_percussion",
        what: "A ball with 1 m/s hits a free rod of 1.2 m beyond its centre of percussion, 1 m from the end that leans on a wall; restitution 1/2.",
        source: "The end would move into the wall, so the wall pushes and the rod turns about the end: P = (1 + e) u/(1/m + p²/J₀), ω = P p/J₀.",
        steps: STEPS,
        until: 0.4,
        level: None,
        model: || Box::new(Percussion::new(PercussionParameters::default())),
        start: initial_state,
        exact: |t| {
            let about_end = 0.96;
            let impulse = 1.5 / (1.0 + 1.0 / about_end);
            let rate = impulse / about_end;
            percussion_exact(impulse, 0.6 * rate, rate, t)
        },
        law: Law::Late(5.0),
    },
    Problem {
        name: "rod/before_percussion",
        what: "The same hit 0.7 m from the end, before the centre of percussion at 0.8 m.",
        source: "The end leaves the wall: P = (1 + e) u/(1/m + 1/M + b²/J), ω = P b/J, b = 0.1 m.",
        steps: STEPS,
        until: 0.4,
        level: None,
        model: || Box::new(Percussion::new(PercussionParameters { below_end: 0.7, ..PercussionParameters::default() })),
        start: initial_state,
        exact: |t| {
            let (b, inertia) = (0.1, 0.24);
            let impulse = 1.5 / (1.0 + 0.5 + b * b / inertia);
            percussion_exact(impulse, impulse / 2.0, b * impulse / inertia, t)
        },
        law: Law::Late(5.0),
    },
    Problem {
        name: "stack/elastic_on_resting",
        what: "A ball dropped from 0.5 m on one that rests on the floor; restitution 1 between them, 0 with the floor.",
        source: "Newton's law at both contacts at once: the lower one stays, the velocity of the upper one is reversed.",
        steps: STEPS,
        until: 0.6,
        level: None,
        model: || Box::new(Stack::new(StackParameters::default())),
        start: initial_state,
        exact: |t| {
            let (y, v) = bouncing(G, 0.5, 0.0, 1.0, t);
            vec![0.0, y, 0.0, v]
        },
        law: Law::Late(30.0),
    },
    Problem {
        name: "stack/plastic_on_resting",
        what: "The same with restitution 0 everywhere: both rest.",
        source: "They stay.",
        steps: STEPS,
        until: 0.6,
        level: None,
        model: || Box::new(Stack::new(StackParameters { restitution: 0.0, ..StackParameters::default() })),
        start: initial_state,
        exact: |t| {
            let (y, v) = bouncing(G, 0.5, 0.0, 0.0, t);
            vec![0.0, y, 0.0, v]
        },
        law: Law::Late(15.0),
    },
    Problem {
        name: "cradle/gaps",
        what: "Four equal balls in a row, 0.1 m apart, restitution 1; the first one comes with 1 m/s.",
        source: "Each ball hands its velocity on and stops where the next one was.",
        steps: STEPS,
        until: 0.43,
        level: None,
        model: || Box::new(Cradle::new(CradleParameters::default())),
        start: initial_state,
        exact: |t| {
            let x = |k: f64| if k < 3.0 { k * 0.1 + (t - k * 0.1).clamp(0.0, 0.1) } else { 0.3 + (t - 0.3).max(0.0) };
            vec![x(0.0), x(1.0), x(2.0), x(3.0), 0.0, 0.0, 0.0, 1.0]
        },
        law: Law::Late(10.0),
    },
    Problem {
        name: "door/stop",
        what: "A door of 1 kg m² about its hinge that 2 N m drive against a stop at 0.5 rad, restitution 1/2.",
        source: "Parabolas of the angle; an impact multiplies the rate by minus the restitution.",
        steps: STEPS,
        until: 1.5,
        level: None,
        model: || Box::new(Door::new(DoorParameters::default())),
        start: initial_state,
        exact: |t| {
            let (left, v) = bouncing(2.0, 0.5, 0.0, 0.5, t);
            vec![0.5 - left, -v]
        },
        law: Law::Late(15.0),
    },
    Problem {
        name: "door/stop_absolute",
        what: "The same door in absolute coordinates: contact beside constraints.",
        source: "The same.",
        steps: STEPS,
        until: 1.5,
        level: None,
        model: || Box::new(DoorAbsolute::new(DoorAbsoluteParameters::default())),
        start: initial_state,
        exact: |t| {
            let (left, v) = bouncing(2.0, 0.5, 0.0, 0.5, t);
            vec![0.5 - left, -v]
        },
        law: Law::Late(15.0),
    },
];
