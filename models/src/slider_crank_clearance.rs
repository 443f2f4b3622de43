//! Planar slider-crank whose slider has clearance in its guide: four corners that touch, bounce and rub.
//! [rezaei, Table 1]
//!
//! The case of [rezaei, Table 2] starts at rest, is driven by 1 N m, and has another clearance, restitution and friction;
//! all of them are parameters.

formulations! {
    shared {
        planar;
        param l1 = 0.153 m;
        param l2 = 0.306 m;
        param a = 0.05 m;
        param b = 0.025 m;
        param c = 0.001 m;
        param m1 = 0.038 kg;
        param m2 = 0.038 kg;
        param m3 = 0.076 kg;
        param j1 = 7.4e-5 kg m^2;
        param j2 = 5.9e-4 kg m^2;
        param j3 = 2.7e-6 kg m^2;
        param restitution = 0.4;
    }

    /// Three angles against the ground.
    pub model SliderCrankClearance {
        coordinates joint;
        param tangential_restitution = 0;
        param crank_rate = 150 rad/s;
        param rod_rate = -75 rad/s;
        joint o: revolute(ground, crank at [-l1 / 2, 0]) { absolute_angle: theta1 }
        joint p: revolute(crank at [l1 / 2, 0], rod at [-l2 / 2, 0]) { absolute_angle: theta2 }
        joint q: revolute(rod at [l2 / 2, 0], slider) { absolute_angle: theta3 }
        for (i, sx, sy) in [(1, -1, 1), (2, 1, 1), (3, -1, -1), (4, 1, -1)] {
            contact corner[i] {
                gap: b + c - sy * (slider at [sx * a, sy * b]).y,
                slip: (slider at [sx * a, sy * b]).x,
                restitution: restitution, tangential_restitution: tangential_restitution, friction: friction,
            }
        }
        initial theta1.velocity = crank_rate;
        initial theta2.velocity = rod_rate;
        initial theta3.velocity = 0;
    }

    /// Every body by its centre and its angle.
    pub model SliderCrankClearanceAbsolute {
        coordinates absolute;
        joint o: revolute(ground, crank at [-l1 / 2, 0]);
        joint p: revolute(crank at [l1 / 2, 0], rod at [-l2 / 2, 0]);
        joint q: revolute(rod at [l2 / 2, 0], slider);
        marker floor: ground at [0, -(b + c)];
        marker roof: ground at [0, b + c] rotated 180 deg;
        for (i, sx) in [(1, -1), (2, 1)] {
            contact corner[i]: point_on_line(slider at [sx * a, b], roof) { restitution: restitution, friction: friction }
        }
        for (i, sx) in [(3, -1), (4, 1)] {
            contact corner[i]: point_on_line(slider at [sx * a, -b], floor) { restitution: restitution, friction: friction }
        }
        initial crank.angle = 0;
        initial rod.angle = 0;
        initial slider.angle = 0;
        initial crank.angular_velocity = 150 rad/s;
        initial rod.angular_velocity = -75 rad/s;
        initial slider.angular_velocity = 0;
    }

    shared {
        param friction = 0.01;
        input drive N m;

        gravity [0, -9.81] m/s^2;
        body crank { mass: m1, inertia: j1 }
        body rod { mass: m2, inertia: j2 }
        body slider { mass: m3, inertia: j3 }
        torque motor: drive on crank;

        output slider = slider.position;
    }
}
