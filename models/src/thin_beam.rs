//! A thin deep beam that buckles sideways when a crank lifts its end. [zhang, Sec. 5.3]

/// The mechanism as a model of this name, with so many elements of the beam, and of link and crank each.
#[macro_export]
macro_rules! thin_beam {
    ($name:ident, $n:literal, $m:literal) => {
        ::hamel_macros::multibody! {
            /// The crank stands aside of the beam's plane by a tenth of a millimetre, which alone decides where the beam goes.
            pub model $name {
                const n = $n;
                const m = $m;
                param offset = 0.1 mm;
                param period = 0.4 s;
                param length = 1 m;
                param link_length = 0.25 m;
                param crank_length = 0.05 m;

                flexible beam: beam_three_node {
                    length: length, elements: n, axial: 73 MN, shear: [5.025, 23.4] MN, torsion: 877.2 N m^2,
                    bending: [60830, 608.3] N m^2, mass_per_length: 2.68 kg/m,
                    inertia_per_length: [2.25533e-3, 2.233e-3, 2.233e-5] kg m,
                }
                flexible link: beam_three_node {
                    length: link_length, elements: m, axial: 33.02 MN, shear: [10.81, 10.81] MN, torsion: 914.5 N m^2,
                    bending: [1189, 1189] N m^2, mass_per_length: 1.212 kg/m,
                    inertia_per_length: [8.73e-5, 4.365e-5, 4.365e-5] kg m,
                }
                flexible crank: beam_three_node {
                    length: crank_length, elements: m, axial: 132.1 MN, shear: [43.22, 43.22] MN, torsion: 14630 N m^2,
                    bending: [19020, 19020] N m^2, mass_per_length: 4.85 kg/m,
                    inertia_per_length: [1.3966e-3, 6.983e-4, 6.983e-4] kg m,
                }
                joint clamp: fixed(ground, beam.root);
                joint ball: spherical(beam.tip at [0, offset, 0] rotated rotation_y(90 deg), link.root);
                joint pin: revolute(link.tip rotated rotation_y(-90 deg), crank.tip) { axis: [0, 1, 0] }
                joint hinge: revolute(ground at [length - crank_length, offset, -link_length], crank.root) { axis: [0, 1, 0] }

                // [zhang, Eq. 24]: the crank's tip rises first.
                let angle = if time <= period { pi / 2 * (1 - cos(pi * time / period)) } else { pi };
                constraint drive: cos(angle) * crank.root.rotation[2][0] - sin(angle) * crank.root.rotation[0][0] == 0;

                output displacement = beam[n].position - [length / 2, 0, 0];
                output angular_velocity = beam[n].angular_velocity;
                output axes = beam[n].rotation;
                output loads = beam.section_forces;
            }
        }
    };
}

// As few elements as [zhang] has.
thin_beam!(ThinBeam, 5, 1);
