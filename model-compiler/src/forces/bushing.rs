//! Linear springs and dampers along and about the axes of a frame, between this frame and another one.
//!
//! With the displacement u and the rotation vector φ of the second frame, both in the axes of the first one, the
//! potential energy is ½ u·K u + ½ φ·C φ − F·u − T·φ with diagonal K and C, and the preloads F and T. Force and torque
//! are its exact gradient: in space for all rotations below half a turn, where the rotation vector is discontinuous; in
//! the plane, where φ is an angle that counts turns, for all rotations. Damping is proportional to u̇ and to the
//! relative angular velocity, which differs from φ̇.

use super::kind::{Action, FieldKind, FieldShape, Force, Situation, Target};
use crate::expr::{ExprId, Graph};
use crate::rotations::rotation_vector;
use crate::space::Space;
use crate::spatial::{self, Vector3, Wrench};

const fn field(name: &'static str, shape: FieldShape, unit: &'static str, default: Option<i64>) -> FieldKind {
    FieldKind { name, shape, unit, default }
}

const FIELDS: &[FieldKind] = &[
    field("stiffness", FieldShape::Vector, "N/m", None),
    field("damping", FieldShape::Vector, "N s/m", Some(0)),
    field("preload", FieldShape::Vector, "N", Some(0)),
    field("rotational_stiffness", FieldShape::Axial, "N m/rad", None),
    field("rotational_damping", FieldShape::Axial, "N m s/rad", Some(0)),
    field("rotational_preload", FieldShape::Axial, "N m", Some(0)),
];

/// The force of this module.
#[derive(Debug)]
pub struct Bushing;

impl Force for Bushing {
    fn keyword(&self) -> &'static str {
        "bushing"
    }

    fn target(&self) -> Target {
        Target::Frames
    }

    fn spaces(&self) -> &'static [Space] {
        Space::ALL
    }

    fn fields(&self) -> &'static [FieldKind] {
        FIELDS
    }

    fn stores_energy(&self) -> bool {
        true
    }

    fn act(&self, graph: &mut Graph, situation: &Situation) -> Action {
        let (from, to) = (&situation.frames[0], &situation.frames[1]);
        let apart = spatial::sub(graph, to.position, from.position);
        let parting = spatial::sub(graph, to.velocity, from.velocity);
        let carried = spatial::cross(graph, from.angular_velocity, apart);
        let parting = spatial::sub(graph, parting, carried);
        let turning = spatial::sub(graph, to.angular_velocity, from.angular_velocity);
        let [shift, sliding, turning] =
            [apart, parting, turning].map(|vector| spatial::apply_transposed(graph, &from.axes, vector));

        let along = Elastic::new(graph, situation, 0, shift);
        let about = match situation.space {
            Space::Planar => {
                let [zero, angle] = [graph.zero(), graph.sub(to.angle, from.angle)];
                Elastic::new(graph, situation, 3, [zero, zero, angle])
            }
            Space::Spatial => {
                let back = spatial::transpose(&from.axes);
                let relative = spatial::multiply(graph, &back, &to.axes);
                let tangents = rotation_vector::tangents(graph, &relative);
                let vector = rotation_vector::of_tangents(graph, tangents);
                let about = Elastic::new(graph, situation, 3, vector);
                Elastic { pull: rotation_vector::torque(graph, tangents, about.pull), ..about }
            }
        };
        let [slowing, braking] =
            [(1, sliding), (4, turning)].map(|(field, rate)| product(graph, &situation.fields[field], rate));
        let [force, torque] = [(along.pull, slowing), (about.pull, braking)].map(|(pull, resisting)| {
            let sum = spatial::sub(graph, pull, resisting);
            spatial::apply(graph, &from.axes, sum)
        });
        let lever = spatial::cross(graph, apart, force);
        let moment = spatial::add(graph, torque, lever);
        let on_from = Wrench { force: spatial::neg(graph, force), torque: spatial::neg(graph, moment) };

        let lost = [spatial::dot(graph, slowing, sliding), spatial::dot(graph, braking, turning)];
        let (put_in, lost) = (graph.add(along.put_in, about.put_in), graph.sum(&lost));
        Action {
            wrenches: vec![on_from, Wrench { force, torque }],
            generalized: None,
            potential: Some(graph.add(along.energy, about.energy)),
            power: Some(graph.sub(put_in, lost)),
        }
    }
}

/// The elastic part of force and energy for a displacement or a rotation vector x.
struct Elastic {
    /// P − K x, the force conjugate to x.
    pull: Vector3,
    /// ½ x·K x − P·x.
    energy: ExprId,
    /// Partial rate of the energy by the rates of stiffness and preload.
    put_in: ExprId,
}

impl Elastic {
    /// `first` is the index of the stiffness among the fields; the preload is two places after it.
    fn new(graph: &mut Graph, situation: &Situation, first: usize, x: Vector3) -> Elastic {
        let half = graph.ratio(1, 2);
        let halved = spatial::scale(graph, half, x);
        let mut energy = |stiffness: &[ExprId], preload: &[ExprId]| {
            let stiff = product(graph, stiffness, halved);
            let less = spatial::sub(graph, stiff, [preload[0], preload[1], preload[2]]);
            spatial::dot(graph, less, x)
        };
        let (stiffness, preload) = (&situation.fields[first], &situation.fields[first + 2]);
        let (energy, put_in) =
            (energy(stiffness, preload), energy(&situation.rates[first], &situation.rates[first + 2]));
        let resisting = product(graph, stiffness, x);
        let pull = spatial::sub(graph, [preload[0], preload[1], preload[2]], resisting);
        Elastic { pull, energy, put_in }
    }
}

/// The product component by component.
fn product(graph: &mut Graph, factors: &[ExprId], x: Vector3) -> Vector3 {
    std::array::from_fn(|i| graph.mul(factors[i], x[i]))
}
