//! Three masses in a row between springs, of which the last one stands for a rigid support. [rezaei, Sect. 2.8]
//!
//! The springs are at rest where all displacements are zero.

use hamel_macros::multibody;

multibody! {
    /// The support as a very stiff spring. [rezaei, Fig. 14a]
    pub model ThreeMassOscillator {
        planar;
        coordinates joint;
        param mass = 1 kg;
        param stiffness = 1 N/m;
        param support = 1e7 N/m;

        gravity [9.81, 0] m/s^2;
        for k in 1..=3 {
            body block[k] { mass: mass, inertia: 1 kg m^2 }
            joint slide[k]: prismatic(ground, block[k]) { coordinate: q[k] }
        }
        force first: spring(ground, block[1]) { stiffness: stiffness }
        for k in 2..=3 { force between[k]: spring(block[k - 1], block[k]) { stiffness: stiffness } }
        force last: spring(ground, block[3]) { stiffness: support }

        initial q[1] = 0;
        output displacement = [q[1], q[2], q[3]];
    }
}

multibody! {
    /// The support as a constraint. Springs of 10 N/m have the highest frequency that is printed, 0.8717 Hz.
    /// [rezaei, Fig. 14b]
    pub model ThreeMassOscillatorConstrained {
        planar;
        coordinates joint;
        param mass = 1 kg;
        param stiffness = 10 N/m;

        gravity [9.81, 0] m/s^2;
        for k in 1..=3 {
            body block[k] { mass: mass, inertia: 1 kg m^2 }
            joint slide[k]: prismatic(ground, block[k]) { coordinate: q[k] }
        }
        force first: spring(ground, block[1]) { stiffness: stiffness }
        for k in 2..=3 { force between[k]: spring(block[k - 1], block[k]) { stiffness: stiffness } }
        constraint support: q[3] == 0;

        initial q[1] = 0;
        output displacement = [q[1], q[2], q[3]];
    }
}
