//! A four-bar mechanism that would lock if its bars were rigid: one of its axes is tilted. [zhang, Sec. 5.2]

use hamel_macros::multibody;

multibody! {
    /// Bars A-B and B-C have a stout section and C-D a slender one; the crank A-B turns at a rate that is constant after a
    /// smooth start.
    pub model FlexibleFourBar {
        const n = 5;
        param short = 0.12 m;
        param long = 0.24 m;
        param tilt = 5 deg;
        param omega = 0.6 rad/s;
        param start = 2 s;

        flexible crank: beam_three_node {
            length: short, elements: n, axial: 52.99 MN, shear: [16.88, 16.88] MN, torsion: 733.5 N m^2,
            bending: [1131, 1131] N m^2, mass_per_length: 1.997 kg/m, inertia_per_length: [8.52e-5, 4.26e-5, 4.26e-5] kg m,
        }
        flexible coupler: beam_three_node {
            length: long, elements: n, axial: 52.99 MN, shear: [16.88, 16.88] MN, torsion: 733.5 N m^2,
            bending: [1131, 1131] N m^2, mass_per_length: 1.997 kg/m, inertia_per_length: [8.52e-5, 4.26e-5, 4.26e-5] kg m,
        }
        flexible rocker: beam_three_node {
            length: short, elements: n, axial: 13.25 MN, shear: [4.22, 4.22] MN, torsion: 45.84 N m^2,
            bending: [70.66, 70.66] N m^2, mass_per_length: 0.4992 kg/m,
            inertia_per_length: [5.324e-6, 2.662e-6, 2.662e-6] kg m,
        }
        joint a: revolute(ground rotated rotation_z(90 deg), crank.root);
        joint b: revolute(crank.tip rotated rotation_z(-90 deg), coupler.root);
        joint c: revolute(coupler.tip rotated rotation_y(tilt), rocker.tip rotated rotation_z(-90 deg) * rotation_y(tilt));
        joint d: revolute(ground at [long, 0, 0] rotated rotation_z(90 deg), rocker.root);

        // The rate rises smoothly from zero; after it the angle is as if the crank had started at once after half the time.
        let part = time / start;
        let turned = omega * if time <= start { start * (part^3 - part^4 / 2) } else { time - start / 2 };
        let angle = pi / 2 - turned;
        constraint drive: cos(angle) * crank.root.rotation[1][0] - sin(angle) * crank.root.rotation[0][0] == 0;

        output displacement = coupler.tip.position - [long, short, 0];
        output angular_velocity = coupler.tip.angular_velocity;
        output axes = coupler.tip.rotation;
    }
}
