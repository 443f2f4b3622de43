//! Andrews' squeezing mechanism: seven bodies, ten revolute joints, one degree of freedom, a stiff spring, and a motor
//! that makes the crank turn ever faster. [testset, Andrews' squeezing mechanism] [zhang, Sect. 5.1]
//!
//! Arms K1 to K7 and points carry the names of the source: F joins K1 and K2, G joins K5 and K4, H joins K7 and K6, and
//! K2, K3, K4 and K6 meet in E. Frames of bodies are turned so that angles of the source are angles of bodies and joints.

formulations! {
    shared {
        planar;
        param point_a = [-0.06934, -0.00227] m;
        param point_b = [-0.03635, 0.03273] m;
        param point_c = [0.014, 0.072] m;
        param of = 0.007 m;
        param fe = 0.028 m;
        param be = 0.035 m;
        param ge = 0.02 m;
        param ag = 0.04 m;
        param he = 0.02 m;
        param ah = 0.04 m;
        param point_d = [0.02, -0.018] m;                                       // from B
        param center1 = [0.00092, 0] m;                                         // from O
        param center2 = [-0.0115, 0] m;                                         // from F
        param center3 = [0.01043, -0.01874] m;                                  // from B
        param center4 = [0, -0.00579] m;                                        // from G
        param center5 = [0.02308, 0.00916] m;                                   // from A
        param center6 = [0.00579, 0] m;                                         // from H
        param center7 = [-0.00449, -0.01228] m;                                 // from A
        param mass = [0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498] kg;
        param inertia = [2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5] kg m^2;
        param stiffness = 4530.0 N/m;
        param free_length = 0.07785 m;
        param motor_torque = 0.033 N m;
        // β, Θ, γ, Φ, δ, Ω, ε of the source.
        param start = [-0.06171389001427645, 0, 0.4552798191630704, 0.2226683901658859, 0.4873649795438426,
            -0.2226683901658859, 1.230547444549821] rad;

        body k1 { mass: mass[0], inertia: inertia[0], center_of_mass: center1 }
        body k2 { mass: mass[1], inertia: inertia[1], center_of_mass: center2 }
        body k3 { mass: mass[2], inertia: inertia[2], center_of_mass: center3 }
        body k4 { mass: mass[3], inertia: inertia[3], center_of_mass: center4 }
        body k5 { mass: mass[4], inertia: inertia[4], center_of_mass: center5 }
        body k6 { mass: mass[5], inertia: inertia[5], center_of_mass: center6 }
        body k7 { mass: mass[6], inertia: inertia[6], center_of_mass: center7 }
    }

    /// The seven angles of the source; three loops are closed in E.
    pub model AndrewsSqueezer {
        coordinates joint;
        joint o: revolute(ground, k1) { coordinate: beta }
        joint f: revolute(k1 at [of, 0], k2) { coordinate: theta }
        joint b: revolute(ground at point_b, k3) { coordinate: gamma }
        joint a5: revolute(ground at point_a, k5) { coordinate: delta }
        joint g: revolute(k5 at [ag, 0], k4) { coordinate: phi }
        joint a7: revolute(ground at point_a, k7) { coordinate: epsilon }
        joint h: revolute(k7 at [0, -ah], k6) { coordinate: omega }
        joint e3: revolute(k2 at [-fe, 0], k3 at [0, -be]) { cut }
        joint e4: revolute(k2 at [-fe, 0], k4 at [0, -ge]) { cut }
        joint e6: revolute(k2 at [-fe, 0], k6 at [he, 0]) { cut }
        initial beta = start[0];
        initial theta = start[1];
        initial gamma = start[2];
        initial phi = start[3];
        initial delta = start[4];
        initial omega = start[5];
        initial epsilon = start[6];
    }

    /// Every body by the place of its frame and its angle; all joints are constraints.
    pub model AndrewsSqueezerAbsolute {
        coordinates absolute;
        joint o: revolute(ground, k1);
        joint f: revolute(k1 at [of, 0], k2);
        joint b: revolute(ground at point_b, k3);
        joint a5: revolute(ground at point_a, k5);
        joint g: revolute(k5 at [ag, 0], k4);
        joint a7: revolute(ground at point_a, k7);
        joint h: revolute(k7 at [0, -ah], k6);
        joint e3: revolute(k2 at [-fe, 0], k3 at [0, -be]);
        joint e4: revolute(k2 at [-fe, 0], k4 at [0, -ge]);
        joint e6: revolute(k2 at [-fe, 0], k6 at [he, 0]);
        initial k1.angle = start[0];
        initial k2.angle = start[0] + start[1];
        initial k3.angle = start[2];
        initial k4.angle = start[3] + start[4];
        initial k5.angle = start[4];
        initial k6.angle = start[5] + start[6];
        initial k7.angle = start[6];
    }

    shared {
        force spring: spring(ground at point_c, k3 at point_d) { stiffness: stiffness, free_length: free_length }
        torque motor: motor_torque on k1;

        output beta = k1.angle;
        output theta = k2.angle - k1.angle;
        output gamma = k3.angle;
        output phi = k4.angle - k5.angle;
        output delta = k5.angle;
        output omega = k6.angle - k7.angle;
        output epsilon = k7.angle;
    }
}
