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

fn disc(change: impl FnOnce(&mut DiscParameters)) -> Box<dyn Model> {
    let mut parameters = DiscParameters::default();
    change(&mut parameters);
    Box::new(Disc::new(parameters))
}

/// Outputs of a [`Disc`] that only rises and falls.
fn vertical(y: f64, v: f64) -> Vec<f64> {
    vec![0.0, y, 0.0, 0.0, v, 0.0]
}

/// A ball that falls from a height with a speed and keeps the part e of its velocity in every impact: height and velocity.
fn bouncing(mut y: f64, mut v: f64, e: f64, mut t: f64) -> (f64, f64) {
    loop {
        // Falls until y + v s − g s²/2 = 0.
        let s = (v + (v * v + 2.0 * G * y).sqrt()) / G;
        if t < s {
            return (y + v * t - 0.5 * G * t * t, v - G * t);
        }
        (t, y, v) = (t - s, 0.0, -e * (v - G * s));
        // Bounces become infinitely many in a finite time.
        if v < 1e-12 {
            return (0.0, 0.0);
        }
    }
}

/// Their multiples are no instants of impacts.
const STEPS: [f64; 3] = [5e-3, 1e-3, 2e-4];

pub(super) static PROBLEMS: &[Problem] = &[
    Problem {
        name: "ball/drop_plastic",
        what: "A ball dropped from 0.5 m, restitution 0: it stays on the floor.",
        source: "Free fall, then rest.",
        steps: STEPS,
        until: 0.5,
        level: None,
        model: || disc(|p| p.height = 0.5),
        start: initial_state,
        exact: |t| {
            let (y, v) = bouncing(0.5, 0.0, 0.0, t);
            vertical(y, v)
        },
        law: Law::Late(10.0),
    },
    Problem {
        name: "ball/drop_half",
        what: "A ball dropped from 0.5 m, restitution 1/2.",
        source: "Parabolas; an impact halves the velocity and turns it round.",
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
        exact: |t| {
            let (y, v) = bouncing(0.5, 0.0, 0.5, t);
            vertical(y, v)
        },
        law: Law::Late(15.0),
    },
];
