//! A cantilever beam with a load at its free end, for which textbooks have closed forms.

use hamel_macros::multibody;

multibody! {
    /// Clamped horizontally, ten elements.
    pub model FlexibleCantilever {
        planar;
        coordinates joint;
        const n = 10;
        param length = 1 m;
        param mass = 2 kg;
        param area = 1e-4 m^2;
        param second_moment = 1e-9 m^4;
        param elasticity = 200 GPa;
        input pull N;
        input load N;
        input moment N m;

        flexible beam: beam_floating_frame {
            length: length, elements: n, E: elasticity, mass: mass, area: area, second_moment: second_moment,
        }
        joint clamp: fixed(ground, beam.root);
        force ahead: [pull, 0] on beam.tip;
        force across: [0, load] on beam.tip;
        torque turn: moment on beam.tip;
        output tip = beam.tip.position;
        output slope = beam.tip.angle;
        output loads = beam.section_forces;
    }
}
