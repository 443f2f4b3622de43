//! Kinematics of a tree in joint coordinates: one link per body, each relative to its parent.
//!
//! A link's frame is the child's frame of its inboard joint, so that the motion of the joint is simplest; the
//! body's own frame and inertia are constant relative to it. Vectors are kept in *working axes*: in space those of the
//! link, where inertia is constant; in the plane those of the ground, where nothing has to be rotated.
//! The recursions that use this are in `tree.rs`; [Featherstone 2008, Ch. 5-6] describes them.

use std::f64::consts::{PI, TAU};

use super::kernel::Symbols;
use super::motion::{KernelScope, Motion};
use crate::expr::{ExprId, Graph, Stage, fingerprint};
use crate::joints::{Displacement, Joint as JointKind, is_pose};
use crate::resolve::{BodyId, Follows, Joint, JointId};
use crate::space::Space;
use crate::spatial::{self, Matrix3, Transform, Vector3};

/// A body, its inboard joint, and its motion.
pub(super) struct Link {
    pub body: BodyId,
    /// Parent body; `None` is the ground.
    pub parent: Option<BodyId>,
    pub joint: JointId,
    /// First local velocity of its joint, and how many there are.
    pub first_velocity: usize,
    /// Coordinates that it moves with, and their rates: its joint's, or those of the joint that this one follows.
    pub symbols: Symbols,
    /// The coordinate of a joint that follows another, its velocity and acceleration.
    follower: Option<[ExprId; 3]>,
    /// Velocity of a joint that follows another by that of its leader.
    pub ratio: Option<ExprId>,
    /// Working axes of the link → of the parent: `fixed · moving`, kept separate because applying two simple
    /// rotations in turn costs less than applying their product.
    pub fixed: Matrix3,
    moving: Matrix3,
    /// Origin of the link relative to that of the parent's link, in the parent's working axes.
    pub offset: Vector3,
    /// Relative angular velocity per unit of each velocity of the joint, in the link's working axes.
    pub angular: Vec<Vector3>,
    /// Relative velocity of the link's origin per unit of each.
    pub linear: Vec<Vector3>,
    /// Whether `linear` is given in the link's working axes, where it is constant, and not in the parent's.
    pub linear_in_own_axes: bool,
    /// Whether all columns are constant in the link's own axes.
    pub has_constant_columns: bool,
    /// Whether the link turns with its parent; false where the coordinate is the angle relative to the ground.
    pub turns_with_parent: bool,
    /// In the plane the angle of the child relative to the parent where the joint's coordinate is zero, up to full
    /// turns.
    turned: ExprId,
    /// In the plane the angle of the body where all coordinates are zero and parameters have their defaults, within a
    /// turn.
    angle_at_rest: f64,
    /// X_WL.
    pub pose: Transform,
    /// X_LB, constant: the body's own frame in the link.
    pub body_frame: Transform,
    /// Angular velocity and velocity of the link's origin, working axes.
    pub angular_velocity: Vector3,
    pub velocity: Vector3,
    /// Relative angular acceleration (link's axes) and acceleration of the origin (axes of `linear`) where a = 0.
    pub bias_acceleration: (Vector3, Vector3),
}

impl Link {
    /// A vector in the link's working axes → the parent's.
    pub fn up(&self, graph: &mut Graph, x: Vector3) -> Vector3 {
        let moved = spatial::apply(graph, &self.moving, x);
        spatial::apply(graph, &self.fixed, moved)
    }

    /// A vector in the parent's working axes → the link's.
    pub fn down(&self, graph: &mut Graph, x: Vector3) -> Vector3 {
        let fixed = spatial::apply_transposed(graph, &self.fixed, x);
        spatial::apply_transposed(graph, &self.moving, fixed)
    }

    /// The vector `carried` in the parent's working axes and `relative` in those of `linear`, added in the link's.
    pub fn moved(&self, graph: &mut Graph, carried: Vector3, relative: Vector3) -> Vector3 {
        if self.linear_in_own_axes {
            let carried = self.down(graph, carried);
            return spatial::add(graph, carried, relative);
        }
        let sum = spatial::add(graph, carried, relative);
        self.down(graph, sum)
    }

    /// The two rotations that `up` applies, innermost first.
    pub fn rotations(&self) -> [&Matrix3; 2] {
        [&self.moving, &self.fixed]
    }

    /// Its velocities, and its accelerations without that of its joint, from those of its parent.
    fn move_with(&mut self, graph: &mut Graph, space: Space, parent: Option<&Link>) {
        let relative_omega = combine(graph, &self.angular, &self.symbols.v);
        let relative_velocity = combine(graph, &self.linear, &self.symbols.v);
        let omega_rate = rate_of_change(graph, &self.angular, &self.symbols);
        // In the plane the columns also turn with the parent; that turning is part of the Coriolis term below.
        let velocity_rate = match space {
            Space::Spatial => rate_of_change(graph, &self.linear, &self.symbols),
            Space::Planar => spatial::zero(graph),
        };
        let zero = spatial::zero(graph);
        let (parent_omega, parent_velocity) = parent.map_or((zero, zero), |p| (p.angular_velocity, p.velocity));
        let turning = spatial::cross(graph, parent_omega, self.offset);
        let carried = spatial::add(graph, parent_velocity, turning);
        self.velocity = self.moved(graph, carried, relative_velocity);

        (self.angular_velocity, self.bias_acceleration.0) = if self.turns_with_parent {
            let carried_omega = self.down(graph, parent_omega);
            let angular_velocity = spatial::add(graph, carried_omega, relative_omega);
            let gyroscopic = spatial::cross(graph, carried_omega, relative_omega);
            (angular_velocity, spatial::add(graph, omega_rate, gyroscopic))
        } else {
            (relative_omega, omega_rate)
        };
        // The relative velocity turns with the axes in which it is given.
        let turning = if self.linear_in_own_axes {
            let parent_omega = self.down(graph, parent_omega);
            spatial::add(graph, parent_omega, self.angular_velocity)
        } else {
            let two = graph.integer(2);
            spatial::scale(graph, two, parent_omega)
        };
        let coriolis = spatial::cross(graph, turning, relative_velocity);
        self.bias_acceleration.1 = spatial::add(graph, velocity_rate, coriolis);
    }
}

/// Links of the whole tree, by body, or of some of its joints, numbered in the order of their bodies; in `order`,
/// parents precede children.
pub(super) struct Links {
    pub space: Space,
    pub links: Vec<Link>,
    pub order: Vec<usize>,
    accelerations: Vec<(Vector3, Vector3)>,
    joint_of: Vec<(JointId, usize)>,
}

impl Links {
    /// Kinematics up to velocities, of joints in tree order, with the first local velocity and the symbols of each.
    pub fn new(scope: &mut KernelScope, joints: Vec<(JointId, usize, Symbols)>) -> Self {
        let space = scope.system.space;
        let mut links: Vec<Link> = Vec::new();
        let mut index_of = vec![usize::MAX; scope.system.bodies.len()];
        let mut joint_of = Vec::new();
        for (joint, first_velocity, symbols) in joints {
            let parent = scope.system.joints[joint.0].parent.body.map(|body| index_of[body.0]);
            let link = link(scope, joint, parent.map(|p| &links[p]), first_velocity, symbols);
            index_of[link.body.0] = links.len();
            joint_of.push((joint, links.len()));
            links.push(link);
        }
        // From here on links are addressed by body, or by their number among the links present.
        let mut bodies: Vec<BodyId> = links.iter().map(|link| link.body).collect();
        bodies.sort();
        let number = |body: BodyId| BodyId(bodies.partition_point(|&known| known < body));
        for link in &mut links {
            (link.body, link.parent) = (number(link.body), link.parent.map(number));
        }
        let order = links.iter().map(|link| link.body.0).collect();
        let joint_of = joint_of.into_iter().map(|(joint, link)| (joint, links[link].body.0)).collect();
        links.sort_by_key(|link| link.body);
        Self { space, links, order, accelerations: Vec::new(), joint_of }
    }

    /// Whether a joint follows another, so that both move with one velocity.
    pub fn has_followers(&self) -> bool {
        self.links.iter().any(|link| link.ratio.is_some())
    }

    /// Keeps the accelerations that outputs may ask for.
    pub fn set_accelerations(&mut self, accelerations: Vec<(Vector3, Vector3)>) {
        self.accelerations = accelerations;
    }

    /// Body-fixed components → working axes.
    pub fn working(&self, graph: &mut Graph, body: BodyId, x: Vector3) -> Vector3 {
        let link = &self.links[body.0];
        let in_link = spatial::apply(graph, &link.body_frame.rotation, x);
        match self.space {
            Space::Spatial => in_link,
            Space::Planar => spatial::apply(graph, &link.pose.rotation, in_link),
        }
    }

    /// A vector in ground axes → the working axes of a body's link.
    pub fn in_working_axes(&self, scope: &mut KernelScope, body: BodyId, vector: Vector3) -> Vector3 {
        match self.space {
            Space::Planar => vector,
            Space::Spatial => {
                let in_body = scope.in_body_axes(body, vector);
                self.working(&mut scope.builder.graph, body, in_body)
            }
        }
    }

    /// A point of the body relative to the link's origin, in working axes.
    pub fn arm(&self, graph: &mut Graph, body: BodyId, point: Vector3) -> Vector3 {
        let link = &self.links[body.0];
        let turned = spatial::apply(graph, &link.body_frame.rotation, point);
        let in_link = spatial::add(graph, link.body_frame.position, turned);
        match self.space {
            Space::Spatial => in_link,
            Space::Planar => spatial::apply(graph, &link.pose.rotation, in_link),
        }
    }

    /// Working axes → ground axes.
    pub fn to_ground(&self, graph: &mut Graph, body: BodyId, x: Vector3) -> Vector3 {
        match self.space {
            Space::Spatial => spatial::apply(graph, &self.links[body.0].pose.rotation, x),
            Space::Planar => x,
        }
    }

    /// Along and about what the second body of a joint moves with a velocity of the joint, in ground axes.
    pub fn directions(&self, graph: &mut Graph, (joint, index): (JointId, usize)) -> [Vector3; 2] {
        let body = self.joint_of.iter().find(|(known, _)| *known == joint).map_or(0, |&(_, link)| link);
        let link = &self.links[body];
        let (push, turn) = (link.linear[index], link.angular[index]);
        let push = if link.linear_in_own_axes { push } else { link.down(graph, push) };
        [push, turn].map(|direction| {
            let of_own = link.ratio.map_or(direction, |ratio| direction.map(|entry| graph.div(entry, ratio)));
            self.to_ground(graph, BodyId(body), of_own)
        })
    }

    /// Working axes → body axes, for angular quantities.
    fn to_body(&self, graph: &mut Graph, body: BodyId, x: Vector3) -> Vector3 {
        match self.space {
            Space::Spatial => spatial::apply_transposed(graph, &self.links[body.0].body_frame.rotation, x),
            Space::Planar => x,
        }
    }
}

impl Motion for Links {
    fn pose(&self, graph: &mut Graph, body: BodyId) -> Transform {
        let link = &self.links[body.0];
        link.pose.then(graph, &link.body_frame)
    }

    fn velocity(&self, graph: &mut Graph, body: BodyId, point: Vector3) -> Vector3 {
        let link = &self.links[body.0];
        let arm = self.arm(graph, body, point);
        let turning = spatial::cross(graph, link.angular_velocity, arm);
        let velocity = spatial::add(graph, link.velocity, turning);
        self.to_ground(graph, body, velocity)
    }

    fn velocity_in_body(&self, graph: &mut Graph, body: BodyId, point: Vector3) -> Vector3 {
        let link = &self.links[body.0];
        let arm = self.arm(graph, body, point);
        let turning = spatial::cross(graph, link.angular_velocity, arm);
        let velocity = spatial::add(graph, link.velocity, turning);
        let in_link = match self.space {
            Space::Spatial => velocity,
            Space::Planar => spatial::apply_transposed(graph, &link.pose.rotation, velocity),
        };
        spatial::apply_transposed(graph, &link.body_frame.rotation, in_link)
    }

    fn acceleration(&self, graph: &mut Graph, body: BodyId, point: Vector3) -> Vector3 {
        let omega = self.links[body.0].angular_velocity;
        let (alpha, acceleration) = self.accelerations[body.0];
        let arm = self.arm(graph, body, point);
        let moved = rigid_acceleration(graph, acceleration, alpha, omega, arm);
        self.to_ground(graph, body, moved)
    }

    fn angular_velocity(&self, graph: &mut Graph, body: BodyId) -> Vector3 {
        self.to_body(graph, body, self.links[body.0].angular_velocity)
    }

    fn angular_acceleration(&self, graph: &mut Graph, body: BodyId) -> Vector3 {
        self.to_body(graph, body, self.accelerations[body.0].0)
    }

    fn angle(&self, graph: &mut Graph, body: BodyId) -> ExprId {
        // The sum of the angles of joints and their frames up to the ground, or to an angle that is measured relative to it.
        let link = &self.links[body.0];
        let own = link.follower.map(|[q, ..]| q).or(link.symbols.q.last().copied());
        let turning = link.angular.iter().map(|w| w[2]).find(|&w| !graph.is_zero(w));
        // The frame of a pinned beam turns against its end, the other way round than the coordinate counts.
        let is_opposite = |w: ExprId| link.follower.is_none() && graph.as_number(w).is_some_and(|w| w.to_f64() < 0.0);
        let is_opposite = turning.is_some_and(is_opposite);
        let angle = own.filter(|_| turning.is_some());
        let angle = angle.map(|angle| if is_opposite { graph.neg(angle) } else { angle });
        let inherited = match link.parent {
            Some(parent) if link.turns_with_parent => Some(self.angle(graph, parent)),
            _ => None,
        };
        let own = angle.map_or(link.turned, |angle| graph.add(angle, link.turned));
        inherited.map_or(own, |above| graph.add(above, own))
    }

    fn coordinate(&self, graph: &mut Graph, joint: JointId, index: usize) -> [ExprId; 3] {
        let link = self.joint_of.iter().find(|(known, _)| *known == joint).map_or(0, |&(_, link)| link);
        let Link { symbols, follower, .. } = &self.links[link];
        if let Some(own) = follower {
            return *own;
        }
        // Of a rotation there are more coordinates than velocities.
        [&symbols.q, &symbols.v, &symbols.a].map(|of| of.get(index).copied().unwrap_or_else(|| graph.zero()))
    }
}

/// U with U r = α × r + ω × (ω × r): three squares and three products serve all points of a body.
pub(super) fn turning(graph: &mut Graph, alpha: Vector3, omega: Vector3) -> Matrix3 {
    let mut turning = [[graph.zero(); 3]; 3];
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let squares = [j, k].map(|axis| graph.mul(omega[axis], omega[axis]));
        let sum = graph.add(squares[0], squares[1]);
        turning[i][i] = graph.neg(sum);
        let product = graph.mul(omega[i], omega[j]);
        turning[i][j] = graph.sub(product, alpha[k]);
        turning[j][i] = graph.add(product, alpha[k]);
    }
    turning
}

/// a + α × r + ω × (ω × r).
pub(super) fn rigid_acceleration(graph: &mut Graph, a: Vector3, alpha: Vector3, omega: Vector3, r: Vector3) -> Vector3 {
    let turning = turning(graph, alpha, omega);
    let moved = spatial::apply(graph, &turning, r);
    spatial::add(graph, a, moved)
}

fn link(
    scope: &mut KernelScope,
    joint: JointId,
    parent: Option<&Link>,
    first_velocity: usize,
    symbols: Symbols,
) -> Link {
    let space = scope.system.space;
    let definition = &scope.system.joints[joint.0];
    let kind = definition.kind;
    let n_own = kind.coordinates(space).len();
    let absolute = definition.absolute_angle.is_some() && space == Space::Planar;
    let followed = definition.follows.as_ref().map(|follows| followed(scope, follows, &symbols));
    let q: Vec<ExprId> = followed.map_or_else(|| symbols.q.clone(), |(_, [q, ..])| vec![q]);
    let Frames { fixed, moving, on_child, body_frame } = frames(scope, definition, parent, &q);
    // An angle relative to the ground is that of the body itself.
    let [on_parent_by, on_child_by] = match space {
        Space::Planar if !absolute => [("parent", &definition.parent), ("child", &definition.child)]
            .map(|(end, frame)| scope.frame_angle(&format!("{}_{end}", definition.name), frame)),
        _ => [scope.builder.graph.zero(); 2],
    };

    let inherited = parent.filter(|_| !absolute).map_or(0.0, |parent| parent.angle_at_rest);
    let (angle_at_rest, full_turns) = match space {
        Space::Planar if !absolute => within_a_turn(inherited + turned_at_defaults(scope, definition)),
        _ => (0.0, 0.0),
    };

    let graph = &mut scope.builder.graph;
    let ground = Transform::identity(graph);
    let turned = graph.sub(on_parent_by, on_child_by);
    let full_turns = graph.float(full_turns);
    let turned = graph.sub(turned, full_turns);
    let parent_pose = parent.map_or(ground, |p| p.pose);
    let mut pose = parent_pose.then(graph, &fixed).then(graph, &moving);
    if absolute {
        pose.rotation = absolute_rotation(graph, q[n_own - 1], &on_child.rotation);
    }

    let (zero, identity) = (spatial::zero(graph), spatial::identity(graph));
    let (parent_axes, fixed_rotation, moving_rotation) = match space {
        Space::Spatial => (identity, fixed.rotation, moving.rotation),
        Space::Planar => (parent_pose.rotation, identity, identity),
    };
    let reach = spatial::apply(graph, &fixed.rotation, moving.position);
    let offset = spatial::add(graph, fixed.position, reach);
    let offset = spatial::apply(graph, &parent_axes, offset);
    let to_working_axes = |graph: &mut Graph, column| {
        let in_parent = spatial::apply(graph, &fixed.rotation, column);
        spatial::apply(graph, &parent_axes, in_parent)
    };
    let by = Coordinates { symbols: &symbols.q[..n_own], ratio: followed.map(|(ratio, _)| ratio) };
    let Columns { angular, linear, linear_in_own_axes, is_constant } =
        columns(graph, kind, space, &moving, &by, to_working_axes);

    let mut link = Link {
        body: definition.child.body.unwrap_or(BodyId(0)),
        parent: definition.parent.body,
        joint,
        first_velocity,
        symbols,
        follower: followed.map(|(_, own)| own),
        ratio: followed.map(|(ratio, _)| ratio),
        fixed: fixed_rotation,
        moving: moving_rotation,
        offset,
        angular,
        linear,
        linear_in_own_axes,
        has_constant_columns: is_constant,
        turns_with_parent: !absolute,
        turned,
        angle_at_rest,
        pose,
        body_frame,
        angular_velocity: zero,
        velocity: zero,
        bias_acceleration: (zero, zero),
    };
    link.move_with(graph, space, parent);
    link
}

/// The angle by which a joint's frames turn the child against the parent, at the default parameters.
fn turned_at_defaults(scope: &mut KernelScope, joint: &Joint) -> f64 {
    let parameters = &mut *scope.builder.parameters;
    let [parent, child] = [&joint.parent, &joint.child].map(|frame| {
        let angle = frame.rotation.as_ref().map(|rotation| parameters.lower(rotation));
        angle.map_or(0.0, |angle| parameters.at_defaults(&angle)[0])
    });
    parent - child
}

/// An angle from −π to π, and the full turns in rad that were taken off. The angle of a body is then that from which its
/// motion in absolute coordinates starts (see `reference`).
fn within_a_turn(angle: f64) -> (f64, f64) {
    // What is half a turn but for rounding stays it.
    let full_turns = ((angle.abs() - PI) / TAU - 1e-12).ceil().max(0.0).copysign(angle) * TAU;
    (angle - full_turns, full_turns)
}

/// The ratio of a joint that follows another, and its own coordinate, velocity and acceleration.
fn followed(scope: &mut KernelScope, follows: &Follows, leader: &Symbols) -> (ExprId, [ExprId; 3]) {
    let ratio = scope.value("ratio", &follows.ratio)[0];
    let offset = follows.offset.as_ref().map(|offset| scope.value("offset", offset)[0]);
    let graph = &mut scope.builder.graph;
    let [q, v, a] = [leader.q[0], leader.v[0], leader.a[0]].map(|of_leader| graph.mul(ratio, of_leader));
    (ratio, [offset.map_or(q, |offset| graph.add(q, offset)), v, a])
}

/// What the pose of a joint is differentiated by.
struct Coordinates<'s> {
    symbols: &'s [ExprId],
    /// Of a joint that follows another: its coordinate is this times the symbol, and a constant.
    ratio: Option<ExprId>,
}

/// The frames of a joint.
struct Frames {
    /// The joint's frame on the parent, relative to the parent's link.
    fixed: Transform,
    /// The displacement of the joint.
    moving: Transform,
    /// The joint's frame on the child, relative to the child.
    on_child: Transform,
    /// The child, relative to its link.
    body_frame: Transform,
}

/// The frames of a joint with these coordinates.
fn frames(scope: &mut KernelScope, definition: &Joint, parent: Option<&Link>, q: &[ExprId]) -> Frames {
    let (space, kind, rotation_kind) = (scope.system.space, definition.kind, scope.system.rotation);
    let name = definition.name.to_string();
    // X_PF: the joint's frame on the parent, relative to the parent's link.
    let on_parent = scope.frame_in_body(&format!("{name}_parent"), &definition.parent);
    let on_child = scope.frame_in_body(&format!("{name}_child"), &definition.child);
    let fields = scope.joint_fields(definition);

    let graph = &mut scope.builder.graph;
    let mut fixed = match parent {
        Some(parent) => parent.body_frame.then(graph, &on_parent),
        None => on_parent,
    };
    let (own, free) = q.split_at(kind.coordinates(space).len());
    let rotation = has_free_rotation(kind, space).then(|| rotation_kind.matrix(graph, free));
    let moving = kind.pose(graph, &Displacement { space, q: own, rotation, fields: &fields });
    let mut body_frame = on_child.inverse(graph);
    if space == Space::Spatial && own.len() == 1 && moving.position.iter().all(|&entry| graph.is_zero(entry)) {
        let along = slide(scope, definition.child.body, parent.is_some(), &fixed, &body_frame);
        let graph = &mut scope.builder.graph;
        let columns = spatial::transpose(&fixed.rotation);
        let shift = spatial::scale(graph, along, columns[2]);
        fixed.position = spatial::add(graph, fixed.position, shift);
        body_frame.position[2] = graph.sub(body_frame.position[2], along);
    }
    Frames { fixed, moving, on_child, body_frame }
}

fn has_free_rotation(kind: &dyn JointKind, space: Space) -> bool {
    kind.has_rotation() && space == Space::Spatial
}

/// The columns by which a joint's velocities are multiplied.
struct Columns {
    /// Of the relative angular velocity.
    angular: Vec<Vector3>,
    /// Of the relative velocity.
    linear: Vec<Vector3>,
    linear_in_own_axes: bool,
    /// Whether all are constant in the axes of the link; in the plane, whether they turn with it.
    is_constant: bool,
}

/// The columns of a joint with these coordinates beside those of a free rotation.
fn columns(
    graph: &mut Graph,
    kind: &dyn JointKind,
    space: Space,
    moving: &Transform,
    own: &Coordinates,
    to_working_axes: impl Fn(&mut Graph, Vector3) -> Vector3,
) -> Columns {
    let (zero, identity) = (graph.zero(), spatial::identity(graph));
    let free_subspace = if has_free_rotation(kind, space) { identity.to_vec() } else { Vec::new() };
    let (angular, linear) = subspace(graph, moving, own, free_subspace);
    let own_linear = match space {
        Space::Spatial if is_pose(kind, space) => Some([identity, [[zero; 3]; 3]].concat()),
        Space::Spatial => constant_in_own_axes(graph, &moving.rotation, &linear),
        Space::Planar => None,
    };
    let linear_in_own_axes = own_linear.is_some();
    let linear: Vec<Vector3> =
        own_linear.unwrap_or_else(|| linear.into_iter().map(|column| to_working_axes(graph, column)).collect());
    let is_constant = |column: &Vector3| column.iter().all(|&entry| graph.stage(entry) <= Stage::Time);
    let is_zero = |column: &Vector3| column.iter().all(|&entry| graph.is_zero(entry));
    let is_constant = match space {
        Space::Spatial => linear_in_own_axes && angular.iter().all(is_constant),
        // Ground axes, so that a column along the parent's axes does not turn with a link that turns.
        Space::Planar => linear.iter().all(is_zero) || angular.iter().all(is_zero),
    };
    Columns { angular, linear, linear_in_own_axes, is_constant }
}

/// Columns of the relative velocity in the moved axes, if there they do not depend on the coordinates.
fn constant_in_own_axes(graph: &mut Graph, rotation: &Matrix3, linear: &[Vector3]) -> Option<Vec<Vector3>> {
    let transposed = spatial::transpose(rotation);
    let mut columns = Vec::new();
    for &column in linear {
        let turned = spatial::apply(graph, &transposed, column);
        let turned = recognise_numbers(graph, turned);
        if turned.iter().any(|&entry| graph.stage(entry) > Stage::Time) {
            return None;
        }
        columns.push(turned);
    }
    Some(columns)
}

/// The shift of the origin of a link along its z axis, about which it turns, that makes most components of the offsets
/// zero: first of its own, then of its first child's. Only where computing the body's inertia and the offsets costs
/// nothing.
fn slide(
    scope: &mut KernelScope,
    body: Option<BodyId>,
    has_parent: bool,
    fixed: &Transform,
    body_frame: &Transform,
) -> ExprId {
    let zero = scope.builder.graph.zero();
    let Some(body) = body.filter(|&body| has_constant_inertia(scope, body)) else { return zero };
    let counting = scope.builder.counting;
    if has_parent {
        let graph = &mut scope.builder.graph;
        let columns = spatial::transpose(&fixed.rotation);
        if let Some(axis) = (0..3).find(|&axis| graph.as_number(columns[2][axis]).is_some_and(|n| n.abs().is_one())) {
            let along = graph.mul(fixed.position[axis], columns[2][axis]);
            if !graph.is_zero(along) {
                return if counting.is_free(graph, along) { graph.neg(along) } else { zero };
            }
        }
    }
    let system = scope.system;
    let child = system.joints.iter().find(|joint| joint.is_tree && joint.parent.body == Some(body));
    let Some(child) = child else { return zero };
    let on_parent = scope.frame_in_body(&format!("{}_parent", child.name), &child.parent);
    let graph = &mut scope.builder.graph;
    let offset = body_frame.then(graph, &on_parent).position[2];
    if counting.is_free(graph, offset) { offset } else { zero }
}

fn has_constant_inertia(scope: &mut KernelScope, body: BodyId) -> bool {
    let body = &scope.system.bodies[body.0];
    let terms = [Some(&body.mass), Some(&body.inertia), body.center_of_mass.as_ref()];
    let values: Vec<ExprId> = terms.into_iter().flatten().flat_map(|term| super::lower::lower(scope, term)).collect();
    values.iter().all(|&value| scope.builder.counting.is_free(&scope.builder.graph, value))
}

/// The rotation of a link whose body has this angle relative to the ground.
fn absolute_rotation(graph: &mut Graph, angle: ExprId, on_child: &Matrix3) -> Matrix3 {
    let (s, c) = (graph.sin(angle), graph.cos(angle));
    let body = spatial::rotation_z(graph, c, s);
    spatial::multiply(graph, &body, on_child)
}

/// Columns of the relative angular velocity (moved axes, ω̃ = Rᵀ ∂R/∂q) and of the relative velocity (fixed axes,
/// ∂p/∂q) of a joint, from its pose alone. Entries that are equal to zero or one are recognised as such.
fn subspace(
    graph: &mut Graph,
    pose: &Transform,
    own: &Coordinates,
    free: Vec<Vector3>,
) -> (Vec<Vector3>, Vec<Vector3>) {
    let transposed = spatial::transpose(&pose.rotation);
    let (mut angular, mut linear) = (Vec::new(), Vec::new());
    for &q in own.symbols {
        let rate = pose.rotation.map(|row| row.map(|entry| graph.derivative(entry, q)));
        let spin = spatial::multiply(graph, &transposed, &rate);
        let spin = [spin[2][1], spin[0][2], spin[1][0]];
        let pushed = pose.position.map(|entry| graph.derivative(entry, q));
        match own.ratio {
            None => {
                angular.push(recognise_numbers(graph, spin));
                linear.push(pushed);
            }
            // What is a number by the joint's own coordinate is a multiple of the ratio by that of its leader.
            Some(ratio) => {
                for (columns, by_leader) in [(&mut angular, spin), (&mut linear, pushed)] {
                    let by_own = by_leader.map(|entry| graph.div(entry, ratio));
                    let by_own = recognise_numbers(graph, by_own);
                    columns.push(std::array::from_fn(|i| match graph.as_number(by_own[i]) {
                        Some(_) => graph.mul(ratio, by_own[i]),
                        None => by_leader[i],
                    }));
                }
            }
        }
    }
    let zero = spatial::zero(graph);
    linear.extend(free.iter().map(|_| zero));
    angular.extend(free);
    (angular, linear)
}

/// Replaces components that are identically a number, such as sin² + cos², by that number.
fn recognise_numbers(graph: &mut Graph, vector: Vector3) -> Vector3 {
    let (merged, values) = fingerprint::merge_equal(graph, &vector);
    std::array::from_fn(|i| merged.as_number(values[i]).map_or(vector[i], |number| graph.number(number)))
}

/// Σ columns · rates.
fn combine(graph: &mut Graph, columns: &[Vector3], rates: &[ExprId]) -> Vector3 {
    let mut sum = spatial::zero(graph);
    for (&column, &rate) in columns.iter().zip(rates) {
        let term = spatial::scale(graph, rate, column);
        sum = spatial::add(graph, sum, term);
    }
    sum
}

/// Σ (d column / dt) v. Columns depend on coordinates only where q̇ = v: free rotations have constant ones.
fn rate_of_change(graph: &mut Graph, columns: &[Vector3], symbols: &Symbols) -> Vector3 {
    let relative = combine(graph, columns, &symbols.v);
    relative.map(|entry| {
        let mut sum = graph.zero();
        for (&q, &v) in symbols.q.iter().zip(&symbols.v) {
            let derivative = graph.derivative(entry, q);
            let term = graph.mul(derivative, v);
            sum = graph.add(sum, term);
        }
        sum
    })
}
