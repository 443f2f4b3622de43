//! The spatial slider-crank: the crank turns in a plane across the line on which the slider moves.
//!
//! A ball joint takes the rod to the crank, a universal joint to the slider, so that the rod does not turn about itself.

use hamel_macros::multibody;

/// The mechanism as a model of this name, in `absolute` or `joint` coordinates.
macro_rules! spatial_slider_crank {
    ($name:ident, $coordinates:ident) => {
        multibody! {
            /// Frames stand in the middle of crank and rod; the crank is along its z axis, the rod along its x axis.
            pub model $name {
                coordinates $coordinates;
                param crank_length = 0.08 m;
                param rod_length = 0.3 m;

                gravity [0, 0, -9.81] m/s^2;
                body crank { mass: 0.12 kg, inertia: diag(1e-4, 1e-4, 1e-5) kg m^2 }
                body rod { mass: 0.5 kg, inertia: diag(4e-4, 4e-3, 4e-3) kg m^2 }
                body slider { mass: 2 kg, inertia: diag(1e-4, 1e-4, 1e-4) kg m^2 }
                joint bearing: revolute(ground at [0, 0.1, 0.12] m, crank at [0, 0, -crank_length / 2]) { axis: [1, 0, 0] }
                joint guide: prismatic(ground, slider) { axis: [1, 0, 0] }
                joint fork: universal(slider, rod at [rod_length / 2, 0, 0]);
                joint ball: spherical(crank at [0, 0, crank_length / 2], rod at [-rod_length / 2, 0, 0]) { cut }

                initial crank.position = [0, 0.1, 0.16] m;
                initial rod.position = [0.1, 0.05, 0.1] m;
                initial slider.position.x = 0.2 m;
                initial crank.angular_velocity.x = 6 rad/s;
                output crank_rate = crank.angular_velocity.x;
                output tip = (crank at [0, 0, crank_length / 2]).position;
                output slider_x = slider.position.x;
                output slider_v = slider.velocity.x;
            }
        }
    };
}

spatial_slider_crank!(SpatialSliderCrank, absolute);
spatial_slider_crank!(SpatialSliderCrankJoint, joint);
