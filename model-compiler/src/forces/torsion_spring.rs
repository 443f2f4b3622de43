//! Linear torsion spring and damper on an angle of a joint.

use super::kind::{Action, FieldKind, FieldShape, Force, Situation, Target};
use crate::expr::Graph;
use crate::space::Space;

/// The force of this module.
#[derive(Debug)]
pub struct TorsionSpring;

impl Force for TorsionSpring {
    fn keyword(&self) -> &'static str {
        "torsion_spring"
    }

    fn target(&self) -> Target {
        Target::Coordinate
    }

    fn spaces(&self) -> &'static [Space] {
        Space::ALL
    }

    fn fields(&self) -> &'static [FieldKind] {
        &[
            FieldKind { name: "stiffness", shape: FieldShape::Scalar, unit: "N m/rad", default: None },
            FieldKind { name: "damping", shape: FieldShape::Scalar, unit: "N m s/rad", default: Some(0) },
            FieldKind { name: "rest_angle", shape: FieldShape::Scalar, unit: "rad", default: Some(0) },
        ]
    }

    fn stores_energy(&self) -> bool {
        true
    }

    fn act(&self, graph: &mut Graph, situation: &Situation) -> Action {
        let [stiffness, damping, rest] = [0, 1, 2].map(|field| situation.fields[field][0]);
        let [stiffness_rate, _, rest_rate] = [0, 1, 2].map(|field| situation.rates[field][0]);
        let zero = graph.zero();
        let (q, v) = situation.coordinate.unwrap_or((zero, zero));
        let deflection = graph.sub(q, rest);
        let spring = graph.mul(stiffness, deflection);
        let damper = graph.mul(damping, v);
        let resisting = graph.add(spring, damper);
        let half = graph.ratio(1, 2);
        let energy = graph.product(&[half, spring, deflection]);
        let stiffening = graph.product(&[half, stiffness_rate, deflection, deflection]);
        let (turning, lost) = (graph.mul(spring, rest_rate), graph.mul(damper, v));
        let put_in = graph.sub(stiffening, turning);
        Action {
            wrenches: Vec::new(),
            generalized: Some(graph.neg(resisting)),
            potential: Some(energy),
            power: Some(graph.sub(put_in, lost)),
        }
    }
}
