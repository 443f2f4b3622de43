//! A flexible shaft with an unbalanced disc that runs through its critical speed. [zhang, Sec. 5.4]

use hamel_macros::multibody;

multibody! {
    /// Between a bearing whose angle is prescribed and one that lets it slide, under gravity; at rest for t < 0.
    pub model RotatingShaft {
        const n = 16;
        param length = 6 m;
        param axial = 313.4 MN;
        param shear = 60.5 MN;
        param torsion = 272.7e3 N m^2;
        param bending = 354.5e3 N m^2;
        param mass_per_length = 11.64 kg/m;
        param inertia_per_length = [0.02634, 0.01317, 0.01317] kg m;
        param disc_mass = 70.573 kg;
        param disc_inertia = diag(2.0325, 1.0163, 1.0163) kg m^2;
        param offset = 0.05 m;
        param omega = 60 rad/s;
        param a1 = 0.8;
        param a2 = 1.2;
        param t1 = 0.5 s;
        param t2 = 1 s;
        param t3 = 1.25 s;

        gravity [0, 0, -9.81] m/s^2;
        flexible shaft: beam_three_node {
            length: length, elements: n, axial: axial, shear: [shear, shear], torsion: torsion, bending: [bending, bending],
            mass_per_length: mass_per_length, inertia_per_length: inertia_per_length,
        }
        body disc { mass: disc_mass, inertia: disc_inertia, center_of_mass: [0, 0, offset] }
        joint driven: revolute(ground, shaft.root) { axis: [1, 0, 0] }
        joint sliding: cylindrical(ground at [length, 0, 0], shaft.tip) { axis: [1, 0, 0] }
        joint weld: fixed(shaft[n], disc);

        // The integral of [zhang, Eq. 25].
        let rising = a1 * omega / 2 * (time - t1 / pi * sin(pi * time / t1));
        let steady = a1 * omega * (time - t1 / 2);
        let faster = steady + (a2 - a1) * omega / 2 * (time - t2 - (t3 - t2) / pi * sin(pi * (time - t2) / (t3 - t2)));
        let fast = a1 * omega * (time - t1 / 2) + (a2 - a1) * omega * (time - (t2 + t3) / 2);
        let angle = if time <= 0 s { 0 } else { if time <= t1 { rising } else {
            if time <= t2 { steady } else { if time <= t3 { faster } else { fast } } } };
        constraint drive: cos(angle) * shaft.root.rotation[2][1] - sin(angle) * shaft.root.rotation[1][1] == 0;

        output displacement = shaft[n].position - [length / 2, 0, 0];
        output velocity = shaft[n].velocity;
        output acceleration = shaft[n].acceleration;
    }
}
