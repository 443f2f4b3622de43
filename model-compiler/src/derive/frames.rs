//! Functions of frames that a model asks for: pose, velocity, acceleration, Jacobians and derivatives.

use super::counting::Counting;
use super::equations::{Function, FunctionRole, OfFrame, Output, Role};
use super::kernel::cheapest;
use super::links::{Links, rigid_acceleration};
use super::motion::KernelScope;
use super::tree;
use crate::expr::{ExprId, Graph};
use crate::resolve::{BodyId, FrameFunction, ProvidedOfFrame};
use crate::space::Space;
use crate::spatial::{self, Matrix3, Transform, Vector3};

/// A vector of a point and one of rotation.
#[derive(Clone, Copy)]
struct Twist {
    linear: Vector3,
    angular: Vector3,
}

/// A frame on a link.
struct OnLink<'l> {
    links: &'l Links,
    body: BodyId,
    /// Working axes → the axes in which results are given.
    axes: Matrix3,
    in_own_axes: bool,
    /// Its origin relative to that of the link, in working axes.
    arm: Vector3,
}

/// The function asked for; `place` is its place among those of frames.
pub(super) fn function(scope: &mut KernelScope, links: &Links, place: usize, asked: &ProvidedOfFrame) -> Function {
    let ProvidedOfFrame { function, in_own_axes, name, frame } = asked;
    let role = FunctionRole::OfFrame(OfFrame { function: *function, in_own_axes: *in_own_axes, place });
    let in_body = scope.frame_in_body(name, frame);
    let body = frame.body.unwrap_or(BodyId(0));
    let outputs = match function {
        FrameFunction::Pose => {
            let space = links.space;
            let motion = scope.frame_motion(name, frame);
            let orientation = match space {
                Space::Spatial => Output::matrix(Role::Rotation, &motion.axes.map(|row| row.to_vec())),
                Space::Planar => Output::vector(Role::Angle, &[motion.angle]),
            };
            vec![Output::vector(Role::Position, &motion.position[..space.dimension()]), orientation]
        }
        FrameFunction::Velocity => {
            let frame = OnLink::new(&mut scope.builder.graph, links, body, &in_body, *in_own_axes);
            let velocity = frame.velocity(&mut scope.builder.graph);
            vectors(links.space, velocity)
        }
        FrameFunction::Acceleration | FrameFunction::JacobianBias => {
            let mut a = scope.builder.accelerations();
            let graph = &mut scope.builder.graph;
            if *function == FrameFunction::JacobianBias {
                a.fill(graph.zero());
            }
            let frame = OnLink::new(graph, links, body, &in_body, *in_own_axes);
            let acceleration = frame.acceleration(graph, &a);
            vectors(links.space, acceleration)
        }
        FrameFunction::Jacobian => {
            let frame = OnLink::new(&mut scope.builder.graph, links, body, &in_body, *in_own_axes);
            let velocity = frame.velocity(&mut scope.builder.graph);
            let nv = scope.builder.n_velocities();
            let by_columns = frame.columns(&mut scope.builder.graph, nv);
            let differentiated = vectors(links.space, velocity).into_iter().map(|output| {
                let values: Vec<ExprId> = output.entries.iter().map(|entry| entry.value).collect();
                scope.builder.velocity_jacobian(&values)
            });
            let differentiated: Vec<Vec<Vec<ExprId>>> = differentiated.collect();
            let candidates = [by_columns, differentiated].map(|both| {
                let roles = [Role::LinearJacobian, Role::AngularJacobian];
                roles.into_iter().zip(&both).map(|(role, rows)| Output::matrix(role, rows)).collect()
            });
            let counting: Counting = scope.builder.counting;
            cheapest(counting, &scope.builder.graph, candidates)
        }
        FrameFunction::VelocityDerivatives => {
            let frame = OnLink::new(&mut scope.builder.graph, links, body, &in_body, *in_own_axes);
            let velocity = frame.velocity(&mut scope.builder.graph);
            by_positions(scope, links.space, &velocity)
        }
        FrameFunction::AccelerationDerivatives => {
            let a = scope.builder.accelerations();
            let graph = &mut scope.builder.graph;
            let frame = OnLink::new(graph, links, body, &in_body, *in_own_axes);
            let acceleration = frame.acceleration(graph, &a);
            let mut outputs = by_positions(scope, links.space, &acceleration);
            let [linear, angular] =
                components(links.space, &acceleration).map(|vector| scope.builder.velocity_jacobian(vector));
            outputs.push(Output::matrix(Role::LinearByVelocity, &linear));
            outputs.push(Output::matrix(Role::AngularByVelocity, &angular));
            outputs
        }
    };
    let outputs = outputs.into_iter().map(|output| output.without_zeros(&scope.builder.graph)).collect();
    Function { role, frame: Some(name.clone()), outputs }
}

fn vectors(space: Space, twist: Twist) -> Vec<Output> {
    let [linear, angular] = components(space, &twist);
    vec![Output::vector(Role::Linear, linear), Output::vector(Role::Angular, angular)]
}

/// Derivatives of both vectors by the coordinates, along the directions of the velocities.
fn by_positions(scope: &mut KernelScope, space: Space, twist: &Twist) -> Vec<Output> {
    let [linear, angular] = components(space, twist).map(|vector| scope.builder.tangent(vector));
    vec![Output::matrix(Role::LinearByPosition, &linear), Output::matrix(Role::AngularByPosition, &angular)]
}

/// Components that there are in this space.
fn components(space: Space, Twist { linear, angular }: &Twist) -> [&[ExprId]; 2] {
    match space {
        Space::Spatial => [linear, angular],
        Space::Planar => [&linear[..2], &angular[2..]],
    }
}

impl<'l> OnLink<'l> {
    fn new(graph: &mut Graph, links: &'l Links, body: BodyId, in_body: &Transform, in_own_axes: bool) -> Self {
        let link = &links.links[body.0];
        let arm = links.arm(graph, body, in_body.position);
        let axes = match (links.space, in_own_axes) {
            (Space::Spatial, false) => link.pose.rotation,
            (Space::Planar, false) => spatial::identity(graph),
            (space, true) => {
                let in_link = spatial::multiply(graph, &link.body_frame.rotation, &in_body.rotation);
                let own = match space {
                    Space::Spatial => in_link,
                    Space::Planar => spatial::multiply(graph, &link.pose.rotation, &in_link),
                };
                spatial::transpose(&own)
            }
        };
        Self { links, body, axes, in_own_axes, arm }
    }

    fn turned(&self, graph: &mut Graph, linear: Vector3, angular: Vector3) -> Twist {
        Twist { linear: spatial::apply(graph, &self.axes, linear), angular: spatial::apply(graph, &self.axes, angular) }
    }

    fn velocity(&self, graph: &mut Graph) -> Twist {
        let link = &self.links.links[self.body.0];
        let turning = spatial::cross(graph, link.angular_velocity, self.arm);
        let linear = spatial::add(graph, link.velocity, turning);
        self.turned(graph, linear, link.angular_velocity)
    }

    fn acceleration(&self, graph: &mut Graph, a: &[ExprId]) -> Twist {
        let at_rest = spatial::zero(graph);
        let accelerations = tree::accelerations(graph, self.links, at_rest, a);
        let (alpha, acceleration) = accelerations[self.body.0];
        let omega = self.links.links[self.body.0].angular_velocity;
        let linear = rigid_acceleration(graph, acceleration, alpha, omega, self.arm);
        self.turned(graph, linear, alpha)
    }

    /// Rows of both Jacobians: what the joints between the frame and the ground contribute, one after the other.
    fn columns(&self, graph: &mut Graph, nv: usize) -> Vec<Vec<Vec<ExprId>>> {
        let zero = spatial::zero(graph);
        let mut columns = vec![Twist { linear: zero, angular: zero }; nv];
        let (mut axes, mut arm, mut turns) = (self.axes, self.arm, true);
        let mut next = Some(self.body);
        while let Some(body) = next {
            let link = &self.links.links[body.0];
            for (i, (&angular, &linear)) in link.angular.iter().zip(&link.linear).enumerate() {
                let pushed = if link.linear_in_own_axes { linear } else { link.down(graph, linear) };
                let carried = spatial::cross(graph, angular, arm);
                let linear = spatial::add(graph, pushed, carried);
                let angular = if turns { angular } else { zero };
                let [linear, angular] = [linear, angular].map(|vector| spatial::apply(graph, &axes, vector));
                let column = &mut columns[link.first_velocity + i];
                column.linear = spatial::add(graph, column.linear, linear);
                column.angular = spatial::add(graph, column.angular, angular);
            }
            next = link.parent;
            // A link that does not turn with its parent is moved by it as a point is.
            turns &= link.turns_with_parent;
            let carried = if link.turns_with_parent { link.up(graph, arm) } else { zero };
            arm = spatial::add(graph, link.offset, carried);
            axes = match (next, self.links.space, self.in_own_axes) {
                (Some(parent), Space::Spatial, false) => self.links.links[parent.0].pose.rotation,
                (_, Space::Spatial, _) => link
                    .rotations()
                    .into_iter()
                    .fold(axes, |axes, rotation| spatial::multiply(graph, &axes, &spatial::transpose(rotation))),
                (_, Space::Planar, _) => axes,
            };
        }
        let space = self.links.space;
        let row = |vector: fn(&Twist) -> Vector3, i: usize| columns.iter().map(|column| vector(column)[i]).collect();
        let linear = (0..space.dimension()).map(|i| row(|column| column.linear, i)).collect();
        let about = if space == Space::Spatial { 0..3 } else { 2..3 };
        vec![linear, about.map(|i| row(|column| column.angular, i)).collect()]
    }
}
