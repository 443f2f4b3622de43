//! Bricard's mechanism: five rods and the ground in a ring of six hinges, each at right angles to the next.
//!
//! The hinges alone would leave no freedom; that one remains is a matter of lengths and angles, so that one of the
//! thirty constraints follows from the others wherever the mechanism stands. They are all written.

use hamel_macros::multibody;

/// The mechanism as a model of this name, in `absolute` or `joint` coordinates.
macro_rules! bricard {
    ($name:ident, $coordinates:ident) => {
        multibody! {
            /// Drawn along the edges of a cube; frames stand in the middle of the rods.
            pub model $name {
                coordinates $coordinates;
                param mass = 1 kg;
                param length = 1 m;
                param width = 0.1 m;                                                    // of the square sections

                param axial = mass * width^2 / 6;
                param transverse = mass * (length^2 + width^2) / 12;

                gravity [0, -9.81, 0] m/s^2;
                body rod1 { mass: mass, inertia: diag(axial, transverse, transverse) }
                body rod2 { mass: mass, inertia: diag(transverse, axial, transverse) }
                body rod3 { mass: mass, inertia: diag(transverse, transverse, axial) }
                body rod4 { mass: mass, inertia: diag(axial, transverse, transverse) }
                body rod5 { mass: mass, inertia: diag(transverse, axial, transverse) }
                joint hinge0: revolute(ground, rod1 at [-length / 2, 0, 0]) { axis: [0, 1, 0] }
                joint hinge1: revolute(rod1 at [length / 2, 0, 0], rod2 at [0, length / 2, 0]) { axis: [0, 0, 1] }
                joint hinge2: revolute(rod2 at [0, -length / 2, 0], rod3 at [0, 0, -length / 2]) { axis: [1, 0, 0] }
                joint hinge3: revolute(rod3 at [0, 0, length / 2], rod4 at [length / 2, 0, 0]) { axis: [0, 1, 0] }
                joint hinge4: revolute(rod4 at [-length / 2, 0, 0], rod5 at [0, -length / 2, 0]) { axis: [0, 0, 1] }
                joint hinge5: revolute(rod5 at [0, length / 2, 0], ground at [0, 0, length]) { axis: [1, 0, 0] }

                initial rod1.position = [length / 2, 0, 0];
                initial rod2.position = [length, -length / 2, 0];
                initial rod3.position = [length, -length, length / 2];
                initial rod4.position = [length / 2, -length, length];
                initial rod5.position = [0, -length / 2, length];
                output p1 = (rod1 at [length / 2, 0, 0]).position;
                output p2 = (rod2 at [0, -length / 2, 0]).position;
                output p3 = (rod3 at [0, 0, length / 2]).position;
                output p4 = (rod4 at [-length / 2, 0, 0]).position;
            }
        }
    };
}

bricard!(Bricard, absolute);
bricard!(BricardJoint, joint);
