//! Quantities of motion that forces, constraints and outputs may use, in any formulation.

use proc_macro2::Ident;
use rustc_hash::FxHashMap;

use super::kernel::KernelBuilder;
use super::lower::{Scope, lower};
use super::parameters::is_parametric;
use crate::expr::{ExprId, Graph, Number};
use crate::forces::{Action, FrameMotion, Situation, Target};
use crate::resolve::{
    BodyId, Force, ForceValue, Frame, InputId, Joint, JointId, ParameterId, Quantity, ReactionValue, System, Term,
    TermKind,
};
use crate::space::Space;
use crate::spatial::{self, Matrix3, Transform, Vector3, Wrench};

/// Motion of the bodies of a kernel. Points are given in body axes; `None` as a body is the ground.
pub(super) trait Motion {
    /// X_WB.
    fn pose(&self, graph: &mut Graph, body: BodyId) -> Transform;
    /// Velocity of a point, in ground axes.
    fn velocity(&self, graph: &mut Graph, body: BodyId, point: Vector3) -> Vector3;
    /// The same in body axes.
    fn velocity_in_body(&self, graph: &mut Graph, body: BodyId, point: Vector3) -> Vector3;
    /// Acceleration of a point, in ground axes.
    fn acceleration(&self, graph: &mut Graph, body: BodyId, point: Vector3) -> Vector3;
    /// Angular velocity in body axes.
    fn angular_velocity(&self, graph: &mut Graph, body: BodyId) -> Vector3;
    /// Angular acceleration in body axes.
    fn angular_acceleration(&self, graph: &mut Graph, body: BodyId) -> Vector3;
    /// The angle of a body in the plane.
    fn angle(&self, graph: &mut Graph, body: BodyId) -> ExprId;
    /// A coordinate of a tree joint, its velocity and acceleration.
    fn coordinate(&self, graph: &mut Graph, joint: JointId, index: usize) -> [ExprId; 3];
}

/// Energies and momenta of the whole model, for outputs; ground axes.
#[derive(Clone, Copy)]
pub(super) struct Totals {
    pub kinetic_energy: ExprId,
    pub potential_energy: ExprId,
    pub momentum: Vector3,
    pub angular_momentum: Vector3,
}

impl Totals {
    /// Of both.
    pub fn plus(&self, graph: &mut Graph, other: &Totals) -> Self {
        Self {
            kinetic_energy: graph.add(self.kinetic_energy, other.kinetic_energy),
            potential_energy: graph.add(self.potential_energy, other.potential_energy),
            momentum: spatial::add(graph, self.momentum, other.momentum),
            angular_momentum: spatial::add(graph, self.angular_momentum, other.angular_momentum),
        }
    }
}

/// What joints pass on, and multipliers of constraints and drives by their name.
#[derive(Default)]
pub(super) struct Reactions {
    pub of_joints: FxHashMap<JointId, Wrench>,
    pub multipliers: FxHashMap<Ident, Vec<ExprId>>,
}

/// A kernel, the motion of its bodies, and the meaning of names in expressions.
pub(super) struct KernelScope<'k, 'p, 's> {
    pub system: &'s System,
    pub builder: &'k mut KernelBuilder<'p>,
    pub motion: &'k dyn Motion,
    pub totals: Option<Totals>,
    /// What joints and constraints do, of those that outputs contain.
    pub reactions: Reactions,
    /// Plain numbers become part of the code rather than parameters of the kernel.
    pub fold_numbers: bool,
    /// Numbers in expressions, and elements of arrays, become parameters of the kernel.
    pub share_numbers: bool,
    /// Vectors that were given in body axes: in ground axes, and as given.
    given: Vec<(Vector3, BodyId, Vector3)>,
}

impl<'k, 'p, 's> KernelScope<'k, 'p, 's> {
    /// A kernel whose bodies move like this.
    pub fn new(
        system: &'s System,
        builder: &'k mut KernelBuilder<'p>,
        motion: &'k dyn Motion,
        fold_numbers: bool,
    ) -> Self {
        let reactions = Reactions::default();
        Self { system, builder, motion, totals: None, reactions, fold_numbers, share_numbers: false, given: Vec::new() }
    }

    /// A vector in ground axes → the axes of a body. A vector that was given there is returned as given, which also
    /// keeps RᵀR, which is one only for unit Euler parameters, out of the formulas.
    pub fn in_body_axes(&mut self, body: BodyId, vector: Vector3) -> Vector3 {
        if let Some((_, _, original)) = self.given.iter().find(|(ground, known, _)| *known == body && *ground == vector)
        {
            return *original;
        }
        let graph = &mut self.builder.graph;
        let axes = self.motion.pose(graph, body).rotation;
        spatial::apply_transposed(graph, &axes, vector)
    }

    /// Components of a term; what depends on parameters alone becomes one parameter of the kernel under the given name
    /// when numbers are not folded, so that members that differ only in such values share their kernel.
    pub fn value(&mut self, name: &str, term: &Term) -> Vec<ExprId> {
        if self.fold_numbers || !is_parametric(term) {
            return lower(self, term);
        }
        let values = self.builder.parameters.lower(term);
        let names = term.shape.component_names(name);
        names.iter().zip(values).map(|(name, value)| self.builder.parameter(name, value, false)).collect()
    }

    /// A vector of the space as three components.
    pub fn vector(&mut self, name: &str, term: &Term) -> Vector3 {
        let components = self.value(name, term);
        self.three(&components)
    }

    /// Two components are in the plane, a single one is along its normal.
    pub fn three(&mut self, components: &[ExprId]) -> Vector3 {
        let zero = self.builder.graph.zero();
        match *components {
            [z] => [zero, zero, z],
            [x, y] => [x, y, zero],
            _ => [components[0], components[1], components[2]],
        }
    }

    /// A frame's pose in its body.
    pub fn frame_in_body(&mut self, name: &str, frame: &Frame) -> Transform {
        let position = match &frame.position {
            Some(term) => self.vector(&format!("{name}_point"), term),
            None => spatial::zero(&mut self.builder.graph),
        };
        let rotation = match &frame.rotation {
            None => spatial::identity(&mut self.builder.graph),
            Some(term) if self.system.space == Space::Planar => {
                let angle = self.value(&format!("{name}_angle"), term)[0];
                let graph = &mut self.builder.graph;
                let (s, c) = (graph.sin(angle), graph.cos(angle));
                spatial::rotation_z(graph, c, s)
            }
            Some(term) => {
                let m = self.value(&format!("{name}_axes"), term);
                [[m[0], m[1], m[2]], [m[3], m[4], m[5]], [m[6], m[7], m[8]]]
            }
        };
        Transform { rotation, position }
    }

    /// The angle of a frame's axes in its body; zero in space.
    pub fn frame_angle(&mut self, name: &str, frame: &Frame) -> ExprId {
        match &frame.rotation {
            Some(term) if self.system.space == Space::Planar => self.value(&format!("{name}_angle"), term)[0],
            _ => self.builder.graph.zero(),
        }
    }

    /// X_WF of a frame.
    pub fn frame_pose(&mut self, name: &str, frame: &Frame) -> Transform {
        let in_body = self.frame_in_body(name, frame);
        match frame.body {
            None => in_body,
            Some(body) => {
                let pose = self.motion.pose(&mut self.builder.graph, body);
                pose.then(&mut self.builder.graph, &in_body)
            }
        }
    }

    /// Values of a joint's fields.
    pub fn joint_fields(&mut self, joint: &Joint) -> Vec<ExprId> {
        let fields = joint.kind.fields().iter().zip(&joint.fields);
        fields.flat_map(|(field, term)| self.value(field.name, term)).collect()
    }

    /// The point of a frame in body axes.
    pub fn point(&mut self, name: &str, frame: &Frame) -> Vector3 {
        match &frame.position {
            Some(term) => self.vector(&format!("{name}_point"), term),
            None => spatial::zero(&mut self.builder.graph),
        }
    }

    /// The action of a force, and its points of application in body axes.
    pub fn act(&mut self, force: &Force) -> (Action, Vec<Vector3>) {
        let ends: Vec<Vector3> =
            force.frames.iter().zip(["from", "to"]).map(|(frame, end)| self.point(end, frame)).collect();
        let frames: Vec<FrameMotion> =
            force.frames.iter().zip(["from", "to"]).map(|(frame, end)| self.frame_motion(end, frame)).collect();
        let fields: Vec<Vec<ExprId>> = force
            .fields
            .iter()
            .zip(force.kind.fields())
            .map(|(term, field)| {
                let value = self.value(field.name, term);
                if field.shape == crate::forces::FieldShape::Scalar { value } else { self.three(&value).to_vec() }
            })
            .collect();
        let coordinate = force.coordinate.map(|(joint, index)| {
            let [q, v, _] = self.motion.coordinate(&mut self.builder.graph, joint, index);
            (q, v)
        });
        let rates: Vec<Vec<ExprId>> = match force.kind.stores_energy() {
            true => fields.iter().map(|field| self.builder.convective(field)).collect(),
            false => Vec::new(),
        };
        let situation =
            Situation { space: self.system.space, frames: &frames, coordinate, fields: &fields, rates: &rates };
        let graph = &mut self.builder.graph;
        let mut action = force.kind.act(graph, &situation);
        if action.power.is_none() {
            let on_coordinate = action.generalized.zip(coordinate).map(|(value, (_, rate))| graph.mul(value, rate));
            let on_frames = frames.iter().zip(&action.wrenches).map(|(frame, wrench)| {
                let push = spatial::dot(graph, wrench.force, frame.velocity);
                let turn = spatial::dot(graph, wrench.torque, frame.angular_velocity);
                graph.add(push, turn)
            });
            let powers: Vec<ExprId> = on_frames.collect();
            action.power = Some(graph.sum(&[powers, on_coordinate.into_iter().collect()].concat()));
        }
        (action, ends)
    }

    pub fn frame_motion(&mut self, name: &str, frame: &Frame) -> FrameMotion {
        let Transform { rotation, position: point } = self.frame_in_body(name, frame);
        let turned = self.frame_angle(name, frame);
        let graph = &mut self.builder.graph;
        let zero = graph.zero();
        let Some(body) = frame.body else {
            let at_rest = [zero; 3];
            return FrameMotion {
                position: point,
                velocity: at_rest,
                angular_velocity: at_rest,
                axes: rotation,
                angle: turned,
            };
        };
        let pose = self.motion.pose(graph, body);
        let moved = spatial::apply(graph, &pose.rotation, point);
        let omega = self.motion.angular_velocity(graph, body);
        FrameMotion {
            position: spatial::add(graph, pose.position, moved),
            velocity: self.motion.velocity(graph, body, point),
            angular_velocity: spatial::apply(graph, &pose.rotation, omega),
            axes: spatial::multiply(graph, &pose.rotation, &rotation),
            angle: match self.system.space {
                Space::Planar => {
                    let angle = self.motion.angle(graph, body);
                    graph.add(angle, turned)
                }
                Space::Spatial => zero,
            },
        }
    }

    fn linear(&mut self, frame: &Frame, of: fn(&dyn Motion, &mut Graph, BodyId, Vector3) -> Vector3) -> Vec<ExprId> {
        let point = self.point("at", frame);
        let graph = &mut self.builder.graph;
        let vector = match frame.body {
            None => spatial::zero(graph),
            Some(body) => of(self.motion, graph, body, point),
        };
        vector[..self.system.space.dimension()].to_vec()
    }

    /// An angular quantity from its components in body axes: a vector in ground axes, or a scalar in the plane.
    fn angular(&mut self, body: BodyId, in_body: Vector3) -> Vec<ExprId> {
        if self.system.space == Space::Planar {
            return vec![in_body[2]];
        }
        let pose = self.motion.pose(&mut self.builder.graph, body);
        spatial::apply(&mut self.builder.graph, &pose.rotation, in_body).to_vec()
    }

    fn force_value(&mut self, force: &Force, value: ForceValue) -> Vec<ExprId> {
        let (action, _) = self.act(force);
        // A force on a body acts on the first frame, one between two on the second.
        let acts_on = if force.kind.target() == Target::On { 0 } else { 1 };
        let wrench = action.wrenches.get(acts_on);
        let graph = &mut self.builder.graph;
        match (value, wrench) {
            (ForceValue::OnCoordinate, _) => action.generalized.into_iter().collect(),
            (ForceValue::Force, Some(wrench)) => wrench.force[..self.system.space.dimension()].to_vec(),
            (ForceValue::Torque, Some(wrench)) if self.system.space == Space::Planar => vec![wrench.torque[2]],
            (ForceValue::Torque, Some(wrench)) => wrench.torque.to_vec(),
            (ForceValue::Tension, Some(wrench)) => {
                let pull = spatial::neg(graph, wrench.force);
                let [a, b] = [0, 1].map(|end| self.frame_pose("at", &force.frames[end]).position);
                let graph = &mut self.builder.graph;
                let line = spatial::sub(graph, b, a);
                let along = spatial::dot(graph, pull, line);
                let square = spatial::dot(graph, line, line);
                let length = graph.sqrt(square);
                let tension = graph.div(along, length);
                // Points that coincide, as springs without a free length let them, are pulled by nothing.
                let zero = graph.zero();
                vec![graph.select(zero, square, tension, zero)]
            }
            (_, None) => Vec::new(),
        }
    }

    fn total(&mut self, of: fn(&Totals) -> Vec<ExprId>) -> Vec<ExprId> {
        self.totals.as_ref().map(of).unwrap_or_default()
    }
}

impl Scope for KernelScope<'_, '_, '_> {
    fn graph(&mut self) -> &mut Graph {
        &mut self.builder.graph
    }

    fn parameter(&mut self, id: ParameterId) -> Vec<ExprId> {
        let values = self.builder.parameters.parameter(id);
        values
            .into_iter()
            .map(|value| {
                let name = self.builder.parameters.name(value).unwrap_or("constant").to_owned();
                self.builder.parameter(&name, value, true)
            })
            .collect()
    }

    fn input(&mut self, id: InputId) -> ExprId {
        self.builder.input(id.0)
    }

    fn time(&mut self) -> ExprId {
        self.builder.time()
    }

    fn quantity(&mut self, quantity: &Quantity) -> Vec<ExprId> {
        let dimension = self.system.space.dimension();
        match quantity {
            Quantity::Position(frame) => self.frame_pose("at", frame).position[..dimension].to_vec(),
            Quantity::Velocity(frame) => self.linear(frame, |m, g, b, p| m.velocity(g, b, p)),
            Quantity::Acceleration(frame) => self.linear(frame, |m, g, b, p| m.acceleration(g, b, p)),
            Quantity::Rotation(body) => self.axes(*body).concat(),
            Quantity::Angle(body) => vec![self.motion.angle(&mut self.builder.graph, *body)],
            Quantity::AngularVelocity(body) => {
                let omega = self.motion.angular_velocity(&mut self.builder.graph, *body);
                self.angular(*body, omega)
            }
            Quantity::AngularAcceleration(body) => {
                let alpha = self.motion.angular_acceleration(&mut self.builder.graph, *body);
                self.angular(*body, alpha)
            }
            Quantity::EulerAngle(body, index) => {
                let axes = self.axes(*body);
                vec![euler_angle(&mut self.builder.graph, &axes, *index)]
            }
            Quantity::State(id) => vec![self.builder.state(id.0).0],
            Quantity::Coordinate(joint, index) => {
                vec![self.motion.coordinate(&mut self.builder.graph, *joint, *index)[0]]
            }
            Quantity::CoordinateVelocity(joint, index) => {
                vec![self.motion.coordinate(&mut self.builder.graph, *joint, *index)[1]]
            }
            Quantity::CoordinateAcceleration(joint, index) => {
                vec![self.motion.coordinate(&mut self.builder.graph, *joint, *index)[2]]
            }
            Quantity::KineticEnergy => self.total(|t| vec![t.kinetic_energy]),
            Quantity::PotentialEnergy => self.total(|t| vec![t.potential_energy]),
            Quantity::Momentum => self.total(|t| t.momentum.to_vec()).into_iter().take(dimension).collect(),
            Quantity::AngularMomentum if dimension == 2 => self.total(|t| vec![t.angular_momentum[2]]),
            Quantity::AngularMomentum => self.total(|t| t.angular_momentum.to_vec()),
            Quantity::Force(force, value) => self.force_value(force, *value),
            Quantity::Multiplier(name) => self.reactions.multipliers.get(name).cloned().unwrap_or_default(),
            Quantity::Reaction(joint, value) => {
                self.reactions.of_joints.get(joint).map_or_else(Vec::new, |wrench| match value {
                    ReactionValue::Force => wrench.force[..dimension].to_vec(),
                    ReactionValue::Torque if dimension == 2 => vec![wrench.torque[2]],
                    ReactionValue::Torque => wrench.torque.to_vec(),
                })
            }
        }
    }

    fn shared(&mut self, term: &Term) -> Option<Vec<ExprId>> {
        // A named constant is folded, as the language promises.
        if !self.share_numbers || matches!(term.kind, TermKind::Parameter(_)) || !is_parametric(term) {
            return None;
        }
        let parameters = &mut *self.builder.parameters;
        let values = parameters.lower(term);
        let name = |&value: &ExprId| match parameters.graph.as_number(value) {
            Some(_) => Some("constant".to_owned()),
            None => parameters.name(value).map(str::to_owned),
        };
        let names: Vec<String> = values.iter().map(name).collect::<Option<_>>()?;
        Some(names.iter().zip(values).map(|(name, value)| self.builder.parameter(name, value, false)).collect())
    }

    fn own_motion(&mut self, quantity: &Quantity, axes: BodyId) -> Option<Vec<ExprId>> {
        if let Quantity::Velocity(frame) = quantity
            && frame.body == Some(axes)
        {
            let point = self.point("at", frame);
            let velocity = self.motion.velocity_in_body(&mut self.builder.graph, axes, point);
            return Some(velocity[..self.system.space.dimension()].to_vec());
        }
        let graph = &mut self.builder.graph;
        match quantity {
            Quantity::AngularVelocity(body) if *body == axes => {
                Some(self.motion.angular_velocity(graph, *body).to_vec())
            }
            Quantity::AngularAcceleration(body) if *body == axes => {
                Some(self.motion.angular_acceleration(graph, *body).to_vec())
            }
            _ => None,
        }
    }

    fn axes(&mut self, body: BodyId) -> Matrix3 {
        self.motion.pose(&mut self.builder.graph, body).rotation
    }

    fn remember(&mut self, body: BodyId, in_body: &[ExprId], in_ground: &[ExprId]) {
        let (in_body, in_ground) = (self.three(in_body), self.three(in_ground));
        self.given.push((in_ground, body, in_body));
    }
}

/// Roll, pitch or yaw of R = Rz(yaw) Ry(pitch) Rx(roll). Where the x axis of the body is vertical roll and yaw turn about the
/// same axis, and rounding would tell them apart: roll is zero there.
fn euler_angle(graph: &mut Graph, axes: &Matrix3, index: usize) -> ExprId {
    let [[cosine, sine, _], [along, level_cosine, _], [down, across, upright]] = *axes;
    let squared = graph.dot(&[across, upright], &[across, upright]);
    if index == 1 {
        let (rise, level) = (graph.neg(down), graph.sqrt(squared));
        return graph.atan2(rise, level);
    }
    let (angle, of_vertical) = if index == 0 {
        (graph.atan2(across, upright), graph.zero())
    } else {
        let sine = graph.neg(sine);
        (graph.atan2(along, cosine), graph.atan2(sine, level_cosine))
    };
    let rounding = graph.number(Number::from_f64(VERTICAL * VERTICAL));
    graph.select(squared, rounding, of_vertical, angle)
}

/// An x axis that is no farther from the vertical, rad, is vertical.
const VERTICAL: f64 = 1e-12;

/// No motion: the context of constant frames and values.
pub(super) struct Rest;

impl Motion for Rest {
    fn pose(&self, graph: &mut Graph, _body: BodyId) -> Transform {
        Transform::identity(graph)
    }

    fn velocity(&self, graph: &mut Graph, _body: BodyId, _point: Vector3) -> Vector3 {
        spatial::zero(graph)
    }

    fn velocity_in_body(&self, graph: &mut Graph, _body: BodyId, _point: Vector3) -> Vector3 {
        spatial::zero(graph)
    }

    fn acceleration(&self, graph: &mut Graph, _body: BodyId, _point: Vector3) -> Vector3 {
        spatial::zero(graph)
    }

    fn angular_velocity(&self, graph: &mut Graph, _body: BodyId) -> Vector3 {
        spatial::zero(graph)
    }

    fn angular_acceleration(&self, graph: &mut Graph, _body: BodyId) -> Vector3 {
        spatial::zero(graph)
    }

    fn angle(&self, graph: &mut Graph, _body: BodyId) -> ExprId {
        graph.zero()
    }

    fn coordinate(&self, graph: &mut Graph, _joint: JointId, _index: usize) -> [ExprId; 3] {
        [graph.zero(); 3]
    }
}
