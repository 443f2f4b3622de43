//! A planar slider-crank in three angles against the ground, without the guide of its slider: M, h = inverse dynamics
//! at rest, and the derivatives of inverse dynamics.

use hamel_compiler::expr::{ExprId, Graph};

use super::Function;
use super::dynamics::{Dynamics, State, bias_force, derivatives, mass_matrix, write};

/// Parameters stand in the order of the published inputs.
const MODEL: &str = "
    pub model SliderCrank {
        planar;
        coordinates joint;
        param m1 = 1 kg;
        param m2 = 1 kg;
        param m3 = 1 kg;
        param j1 = 1 kg m^2;
        param j2 = 1 kg m^2;
        param j3 = 1 kg m^2;
        param l1 = 1 m;
        param l2 = 1 m;
        param g = 9.81 m/s^2;

        gravity [0, -g];
        body crank { mass: m1, inertia: j1 }
        body rod { mass: m2, inertia: j2 }
        body slider { mass: m3, inertia: j3 }
        joint o: revolute(ground, crank at [-l1 / 2, 0]) { absolute_angle: theta1 }
        joint p: revolute(crank at [l1 / 2, 0], rod at [-l2 / 2, 0]) { absolute_angle: theta2 }
        joint q: revolute(rod at [l2 / 2, 0], slider) { absolute_angle: theta3 }
    }";

pub(super) fn functions() -> Vec<Function> {
    let function = |name: &str, values: fn(&Dynamics, &mut Graph, &State) -> Vec<ExprId>| {
        Function::new(name, move |stage| write(MODEL, stage, values))
    };
    vec![
        function("SC_M", mass_matrix),
        function("SC_h", bias_force),
        function("SC_Mh", |dynamics, graph, state| {
            let mut values = mass_matrix(dynamics, graph, state);
            values.extend(bias_force(dynamics, graph, state));
            values
        }),
        function("SC_KD", derivatives),
    ]
}
