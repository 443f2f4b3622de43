//! Planar slider-crank with a slider that is guided without clearance. [rezaei, Table 1]

formulations! {
    shared {
        planar;
        param l1 = 0.153 m;
        param l2 = 0.306 m;
        param m1 = 0.038 kg;
        param m2 = 0.038 kg;
        param m3 = 0.076 kg;
        param j1 = 7.4e-5 kg m^2;
        param j2 = 5.9e-4 kg m^2;
        param j3 = 2.7e-6 kg m^2;
        input drive N m;

        gravity [0.0, -9.81] m/s^2;
        body crank { mass: m1, inertia: j1 }
        body rod { mass: m2, inertia: j2 }
        body slider { mass: m3, inertia: j3 }
    }

    /// Three angles against the ground; the guide is two constraints.
    pub model SliderCrank {
        coordinates joint;
        joint o: revolute(ground, crank at [-l1 / 2, 0.0 m]) { absolute_angle: theta1 }
        joint p: revolute(crank at [l1 / 2, 0.0 m], rod at [-l2 / 2, 0.0 m]) { absolute_angle: theta2 }
        joint q: revolute(rod at [l2 / 2, 0.0 m], slider) { absolute_angle: theta3 }
        constraint guide: slider.position.y == 0.0 m;
        constraint level: theta3 == 0.0 rad;
        initial theta1.velocity = 150.0 rad/s;
    }

    /// Every body by its centre and its angle; the guide is a prismatic joint.
    pub model SliderCrankAbsolute {
        coordinates absolute;
        joint o: revolute(ground, crank at [-l1 / 2, 0.0 m]);
        joint p: revolute(crank at [l1 / 2, 0.0 m], rod at [-l2 / 2, 0.0 m]);
        joint q: revolute(rod at [l2 / 2, 0.0 m], slider);
        joint guide: prismatic(ground, slider);
        initial crank.angle = 0.0 rad;
        initial crank.angular_velocity = 150.0 rad/s;
    }

    shared {
        torque motor: drive on crank;

        output slider = slider.position.x;
    }
}
