//! IFToMM A02: a row of four-bars on common cranks, one degree of freedom; all rods fall in line twice a turn.
//! [iftomm, A02]
//!
//! Where the rods are in line each four-bar could also go on as an antiparallelogram: the constraints lose rank there.
//! A motion that passes with its speed stays a parallelogram, and all cranks share one angle.

/// The mechanism as a model of this name, with so many four-bars.
#[macro_export]
macro_rules! four_bars {
    ($name:ident, $n:literal) => {
        ::hamel_macros::multibody! {
            /// Cranks stand upright side by side at first, and move to the right.
            pub model $name {
                planar;
                coordinates absolute;
                const n = $n;
                param length = 1.0 m;
                param mass = 1.0 kg;
                param speed = 1.0 m/s;                                          // of the first crank's tip, at first

                gravity [0, -9.81] m/s^2;
                for k in 0..=n { body crank[k] { mass: mass, inertia: mass * length^2 / 12 } }
                for k in 0..n { body coupler[k] { mass: mass, inertia: mass * length^2 / 12 } }
                for k in 0..=n { joint foot[k]: revolute(ground at [k * length, 0], crank[k] at [-length / 2, 0]); }
                for k in 0..n {
                    joint left[k]: revolute(crank[k] at [length / 2, 0], coupler[k] at [-length / 2, 0]);
                    joint right[k]: revolute(coupler[k] at [length / 2, 0], crank[k + 1] at [length / 2, 0]);
                }

                for k in 0..=n { initial crank[k].angle = 90 deg; }
                initial crank[0].angular_velocity = -speed / length;
                output angle = crank[0].angle;
                output rate = crank[0].angular_velocity;
                output tip = (crank[0] at [length / 2, 0]).position;
            }
        }
    };
}

four_bars!(FourBars, 2);
