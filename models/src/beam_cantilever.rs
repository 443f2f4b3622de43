//! Geometrically exact cantilevers: straight and curved, with loads at the free end, for which there are closed forms and
//! published digits; and one under its weight, of any length.

use hamel_macros::multibody;

/// A cantilever under its weight as a model of this name, with so many elements of a decimetre.
#[macro_export]
macro_rules! sagging_cantilever {
    ($name:ident, $n:literal) => {
        ::hamel_macros::multibody! {
            /// A cantilever of geometrically exact elements, let go from a horizontal line.
            pub model $name {
                const n = $n;
                param element = 0.1 m;
                gravity [0, 0, -9.81] m/s^2;
                flexible beam: beam_three_node {
                    length: element * n, elements: n, axial: 313.4 MN, shear: [60.5, 60.5] MN,
                    torsion: 272.7e3 N m^2, bending: [354.5e3, 354.5e3] N m^2,
                    mass_per_length: 11.64 kg/m, inertia_per_length: [0.02634, 0.01317, 0.01317] kg m,
                }
                joint clamp: fixed(ground, beam.root);
                output tip = beam.tip.position;
            }
        }
    };
}

multibody! {
    /// Straight along x, ten elements.
    pub model BeamCantilever {
        const n = 10;
        param length = 1 m;
        param axial = 1e6 N;
        param shear = [4e5, 4e5] N;
        param torsion = 80 N m^2;
        param bending = [100, 100] N m^2;
        param mass_per_length = 1 kg/m;
        param inertia_per_length = [2e-4, 1e-4, 1e-4] kg m;
        input push_x N;
        input push_y N;
        input push_z N;
        input turn_x N m;
        input turn_y N m;
        input turn_z N m;

        flexible beam: beam_three_node {
            length: length, elements: n, axial: axial, shear: shear, torsion: torsion, bending: bending,
            mass_per_length: mass_per_length, inertia_per_length: inertia_per_length,
        }
        joint clamp: fixed(ground, beam.root);
        force push: [push_x, push_y, push_z] on beam.tip;
        torque turn: [turn_x, turn_y, turn_z] on beam.tip;
        output tip = beam.tip.position;
        output axes = beam.tip.rotation;
    }
}

multibody! {
    /// An arc of 45° with a square section, the bend of Bathe and Bolourchi, Int. J. Numer. Meth. Engng 14 (1979)
    /// 961-986; damped, and with a coupled section where it is given one.
    pub model BeamBend {
        const n = 8;
        param radius = 100 m;
        param force_stiffness = diag(1e7, 4.16667e6, 4.16667e6) N;
        param coupling_stiffness = [[0, 0, 0], [0, 0, 0], [0, 0, 0]] N m;
        param moment_stiffness = diag(8.333e5, 8.333e5, 8.333e5) N m^2;
        param mass_per_length = 1 kg/m;
        param inertia_per_length = [2, 1, 1] kg m;
        param damping = 0.01 s;
        input load N;

        flexible bend: beam_three_node {
            length: radius * pi / 4, elements: n, curvature: [0, 0, -1 / radius],
            force_stiffness: force_stiffness, coupling_stiffness: coupling_stiffness, moment_stiffness: moment_stiffness,
            mass_per_length: mass_per_length, inertia_per_length: inertia_per_length, damping: damping,
        }
        joint clamp: fixed(ground rotated rotation_z(90 deg), bend.root);
        force lift: [0, 0, load] on bend.tip;
        output tip = bend.tip.position;
    }
}
