//! The arm of seven joints in `verify/data/opcounts/arm7.urdf`, as `hamel import` writes it, let go from a bent posture.

use hamel_macros::multibody;

multibody! {
    /// The robot `arm7`.
    pub model Arm7 {
        coordinates joint;
        gravity [0, 0, -9.81] m/s^2;

        body l0 {
            mass: 4.97 kg,
            center_of_mass: [0.0, -0.02, 0.08] m,
            inertia: [[0.05964, 0.002386, -0.001789], [0.002386, 0.053676, 0.001193], [-0.001789, 0.001193, 0.017892]] kg m^2,
        }
        body l1 {
            mass: 0.65 kg,
            center_of_mass: [0.01, 0.0, 0.07] m,
            inertia: [[0.0078, 0.000312, -0.000234], [0.000312, 0.00702, 0.000156], [-0.000234, 0.000156, 0.00234]] kg m^2,
        }
        body l2 {
            mass: 3.23 kg,
            center_of_mass: [0.02, -0.02, 0.06] m,
            inertia: [[0.03876, 0.00155, -0.001163], [0.00155, 0.034884, 0.000775], [-0.001163, 0.000775, 0.011628]] kg m^2,
        }
        body l3 {
            mass: 3.59 kg,
            center_of_mass: [0.0, 0.0, 0.05] m,
            inertia: [[0.04308, 0.001723, -0.001292], [0.001723, 0.038772, 0.000862], [-0.001292, 0.000862, 0.012924]] kg m^2,
        }
        body l4 {
            mass: 1.23 kg,
            center_of_mass: [0.01, -0.02, 0.04] m,
            inertia: [[0.01476, 0.00059, -0.000443], [0.00059, 0.013284, 0.000295], [-0.000443, 0.000295, 0.004428]] kg m^2,
        }
        body l5 {
            mass: 1.67 kg,
            center_of_mass: [0.02, 0.0, 0.03] m,
            inertia: [[0.02004, 0.000802, -0.000601], [0.000802, 0.018036, 0.000401], [-0.000601, 0.000401, 0.006012]] kg m^2,
        }
        body l6 {
            mass: 0.74 kg,
            center_of_mass: [0.0, -0.02, 0.020000000000000004] m,
            inertia: [[0.00888, 0.000355, -0.000266], [0.000355, 0.007992, 0.000178], [-0.000266, 0.000178, 0.002664]] kg m^2,
        }

        joint j0: revolute(ground at [0, 0, 0.333] m, l0);
        joint j1: revolute(l0 rotated rotation_x(-90 deg), l1);
        joint j2: revolute(l1 at [0, -0.316, 0] m rotated rotation_x(90 deg), l2);
        joint j3: revolute(l2 at [0.0825, 0, 0] m rotated rotation_x(90 deg), l3);
        joint j4: revolute(l3 at [-0.0825, 0.384, 0] m rotated rotation_x(-90 deg), l4);
        joint j5: revolute(l4 rotated rotation_x(90 deg), l5);
        joint j6: revolute(l5 at [0.088, 0, 0] m rotated rotation_x(90 deg), l6);

        initial j0.angle = 0.1 rad;
        initial j1.angle = 0.2 rad;
        initial j2.angle = 0.3 rad;
        initial j3.angle = 0.4 rad;
        initial j4.angle = 0.5 rad;
        initial j5.angle = 0.6 rad;
        initial j6.angle = 0.7 rad;
    }
}
