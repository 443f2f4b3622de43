//! Linear spring and damper in parallel along the line between two points.

use super::kind::{Action, FieldKind, FieldShape, Force, Situation, Target};
use crate::expr::{ExprId, Graph};
use crate::space::Space;
use crate::spatial::{self, Wrench};

/// The force of this module.
#[derive(Debug)]
pub struct SpringDamper;

pub(super) const STIFFNESS: FieldKind =
    FieldKind { name: "stiffness", shape: FieldShape::Scalar, unit: "N/m", default: None };
pub(super) const DAMPING: FieldKind =
    FieldKind { name: "damping", shape: FieldShape::Scalar, unit: "N s/m", default: None };
pub(super) const FREE_LENGTH: FieldKind =
    FieldKind { name: "free_length", shape: FieldShape::Scalar, unit: "m", default: Some(0) };

impl Force for SpringDamper {
    fn keyword(&self) -> &'static str {
        "spring_damper"
    }

    fn target(&self) -> Target {
        Target::Points
    }

    fn spaces(&self) -> &'static [Space] {
        Space::ALL
    }

    fn fields(&self) -> &'static [FieldKind] {
        &[STIFFNESS, DAMPING, FREE_LENGTH]
    }

    fn stores_energy(&self) -> bool {
        true
    }

    fn divides_by_distance(&self, _is_given: &dyn Fn(&str) -> bool) -> bool {
        true
    }

    fn act(&self, graph: &mut Graph, situation: &Situation) -> Action {
        let [stiffness, free_length] = [0, 2].map(|field| [situation.fields[field][0], situation.rates[field][0]]);
        pull(graph, situation, stiffness, situation.fields[1][0], free_length)
    }
}

/// The tensile force `k (l − l0) + c l̇` between the two ends, and the energy `½ k (l − l0)²`; stiffness and free
/// length are given with their rates.
///
/// With `l0 = 0` the elastic force is `k d`, which contains no square root and is defined where the ends coincide.
pub(super) fn pull(
    graph: &mut Graph,
    situation: &Situation,
    [k, k_rate]: [ExprId; 2],
    c: ExprId,
    [free_length, free_rate]: [ExprId; 2],
) -> Action {
    let (from, to) = (&situation.frames[0], &situation.frames[1]);
    let d = spatial::sub(graph, to.position, from.position);
    let rate = spatial::sub(graph, to.velocity, from.velocity);
    let squared = spatial::dot(graph, d, d);
    let half = graph.ratio(1, 2);
    let half_k = graph.mul(half, k);
    let has_no_length = graph.is_zero(free_length);

    let zero = graph.zero();
    let (spring, stretch_squared, lengthening) = if has_no_length {
        (k, squared, zero)
    } else {
        let length = graph.sqrt(squared);
        let stretch = graph.sub(length, free_length);
        let relative = graph.div(stretch, length);
        let force = graph.mul(k, stretch);
        (graph.mul(k, relative), graph.mul(stretch, stretch), graph.mul(force, free_rate))
    };
    let half_k_rate = graph.mul(half, k_rate);
    let stiffening = graph.mul(half_k_rate, stretch_squared);
    let put_in = graph.sub(stiffening, lengthening);
    let along = spatial::dot(graph, d, rate);
    let damper = if graph.is_zero(c) {
        zero
    } else {
        let power = graph.mul(c, along);
        graph.div(power, squared)
    };
    let lost = graph.mul(damper, along);
    let factor = graph.add(spring, damper);
    let on_from = spatial::scale(graph, factor, d);
    let on_to = spatial::neg(graph, on_from);
    let torque = spatial::zero(graph);
    Action {
        wrenches: vec![Wrench { force: on_from, torque }, Wrench { force: on_to, torque }],
        generalized: None,
        potential: Some(graph.mul(half_k, stretch_squared)),
        power: Some(graph.sub(put_in, lost)),
    }
}
