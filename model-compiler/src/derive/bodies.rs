//! Bodies in absolute coordinates: the position of the origin in ground axes, and the coordinates of the rotation.

use std::collections::BTreeMap;

use super::kernel::{KernelBuilder, Symbols};
use super::motion::Motion;
use crate::expr::{ExprId, Graph};
use crate::resolve::{BodyId, JointId, System};
use crate::rotations::{RotationKind, euler_parameter_matrix, euler_zyx_subspace};
use crate::space::Space;
use crate::spatial::{self, Transform, Vector3};

/// Names and units of a body's coordinates, without the body's name.
pub(super) fn body_coordinates(system: &System) -> Vec<(&'static str, &'static str)> {
    let mut names = vec![("x", "m"), ("y", "m")];
    match (system.space, system.rotation) {
        (Space::Planar, _) => names.push(("angle", "rad")),
        (Space::Spatial, rotation) => {
            names.push(("z", "m"));
            names.extend(rotation.coordinates().iter().map(|c| (c.name, c.unit)));
        }
    }
    names
}

/// Index of a body's first coordinate, which is also that of its first velocity.
pub(super) fn coordinates_of(system: &System, body: BodyId) -> usize {
    body.0 * body_coordinates(system).len()
}

/// Whether each body has the norm of its Euler parameters as a constraint.
pub(super) fn has_norm(system: &System) -> bool {
    system.space == Space::Spatial && system.rotation == RotationKind::EulerParameters
}

/// The bodies of a kernel and their local symbols.
pub(super) struct Bodies {
    pub order: Vec<BodyId>,
    pub states: BTreeMap<BodyId, State>,
}

/// Motion of one body.
pub(super) struct State {
    pub position: Vector3,
    pub velocity: Vector3,
    pub acceleration: Vector3,
    pub rotation: spatial::Matrix3,
    /// ω = S v_r in body axes.
    pub subspace: Vec<Vector3>,
    /// Ṡ v_r.
    pub subspace_rate: Vector3,
    pub omega: Vector3,
    pub alpha: Vector3,
    pub rotation_symbols: Symbols,
}

impl Bodies {
    /// Declares the coordinates of these bodies in a kernel, each body once and under its prefix.
    pub fn declare(system: &System, builder: &mut KernelBuilder, bodies: &[(BodyId, String)]) -> Self {
        let mut declared = Self { order: Vec::new(), states: BTreeMap::new() };
        let coordinates = body_coordinates(system);
        for (body, prefix) in bodies {
            if declared.states.contains_key(body) {
                continue;
            }
            let names: Vec<String> = coordinates.iter().map(|(name, _)| format!("{prefix}{name}")).collect();
            let first = coordinates_of(system, *body);
            let symbols = builder.coordinates((&names, &names), (first, first), None);
            let state = State::new(system, &mut builder.graph, symbols);
            declared.order.push(*body);
            declared.states.insert(*body, state);
        }
        declared
    }

    /// Generalized forces of a force in ground axes and a torque in body axes, both about a body's origin, added to f.
    pub fn push(&self, graph: &mut Graph, body: BodyId, force: Vector3, torque: Vector3, f: &mut [ExprId]) {
        let Some(slot) = self.order.iter().position(|&known| known == body) else { return };
        let state = &self.states[&body];
        let dimension = f.len() / self.order.len() - state.subspace.len();
        let first = slot * (dimension + state.subspace.len());
        for i in 0..dimension {
            f[first + i] = graph.add(f[first + i], force[i]);
        }
        for (i, &column) in state.subspace.iter().enumerate() {
            let value = spatial::dot(graph, column, torque);
            f[first + dimension + i] = graph.add(f[first + dimension + i], value);
        }
    }
}

impl State {
    fn new(system: &System, graph: &mut Graph, symbols: Symbols) -> Self {
        let dimension = system.space.dimension();
        let zero = graph.zero();
        let three = |x: &[ExprId]| [x[0], x[1], if dimension == 3 { x[2] } else { zero }];
        let (position, velocity, acceleration) = (three(&symbols.q), three(&symbols.v), three(&symbols.a));
        let turning = Symbols {
            q: symbols.q[dimension..].to_vec(),
            v: symbols.v[dimension..].to_vec(),
            a: symbols.a[dimension..].to_vec(),
        };
        let one = graph.one();
        let (rotation, subspace) = match (system.space, system.rotation) {
            (Space::Planar, _) => {
                let (s, c) = (graph.sin(turning.q[0]), graph.cos(turning.q[0]));
                (spatial::rotation_z(graph, c, s), vec![[zero, zero, one]])
            }
            (Space::Spatial, RotationKind::EulerParameters) => {
                (RotationKind::EulerParameters.matrix(graph, &turning.q), Vec::new())
            }
            (Space::Spatial, kind @ RotationKind::EulerZyx) => {
                (kind.matrix(graph, &turning.q), euler_zyx_subspace(graph, &turning.q))
            }
        };
        let mut state = Self {
            position,
            velocity,
            acceleration,
            rotation,
            subspace,
            subspace_rate: [zero; 3],
            omega: [zero; 3],
            alpha: [zero; 3],
            rotation_symbols: turning,
        };
        if state.subspace.is_empty() {
            state.turn_by_euler_parameters(graph);
        } else {
            state.turn_by_subspace(graph);
        }
        state
    }

    /// ω = 2 L ė, ω̇ = 2 L ë: L̇ ė vanishes identically. [sherif, Eq. 3]
    fn turn_by_euler_parameters(&mut self, graph: &mut Graph) {
        let l = euler_parameter_matrix(graph, &self.rotation_symbols.q);
        let two = graph.integer(2);
        let twice = |graph: &mut Graph, rates: &[ExprId]| {
            l.map(|row| {
                let component = graph.dot(&row, rates);
                graph.mul(two, component)
            })
        };
        self.omega = twice(graph, &self.rotation_symbols.v);
        self.alpha = twice(graph, &self.rotation_symbols.a);
        self.subspace = (0..4).map(|j| [0, 1, 2].map(|i: usize| graph.mul(two, l[i][j]))).collect();
    }

    fn turn_by_subspace(&mut self, graph: &mut Graph) {
        let combine = |graph: &mut Graph, rates: &[ExprId], columns: &[Vector3]| {
            let mut sum = spatial::zero(graph);
            for (&column, &rate) in columns.iter().zip(rates) {
                let term = spatial::scale(graph, rate, column);
                sum = spatial::add(graph, sum, term);
            }
            sum
        };
        let symbols = &self.rotation_symbols;
        self.omega = combine(graph, &symbols.v, &self.subspace);
        self.subspace_rate = self.omega.map(|component| {
            let rates = graph.gradient(component, &symbols.q);
            graph.dot(&rates, &symbols.v)
        });
        let accelerated = combine(graph, &symbols.a, &self.subspace);
        self.alpha = spatial::add(graph, accelerated, self.subspace_rate);
    }
}

impl Motion for Bodies {
    fn pose(&self, _graph: &mut Graph, body: BodyId) -> Transform {
        let state = &self.states[&body];
        Transform { rotation: state.rotation, position: state.position }
    }

    fn velocity(&self, graph: &mut Graph, body: BodyId, point: Vector3) -> Vector3 {
        let state = &self.states[&body];
        let turning = spatial::cross(graph, state.omega, point);
        let turning = spatial::apply(graph, &state.rotation, turning);
        spatial::add(graph, state.velocity, turning)
    }

    fn velocity_in_body(&self, graph: &mut Graph, body: BodyId, point: Vector3) -> Vector3 {
        let state = &self.states[&body];
        let turning = spatial::cross(graph, state.omega, point);
        let of_origin = spatial::apply_transposed(graph, &state.rotation, state.velocity);
        spatial::add(graph, of_origin, turning)
    }

    fn acceleration(&self, graph: &mut Graph, body: BodyId, point: Vector3) -> Vector3 {
        let state = &self.states[&body];
        let zero = spatial::zero(graph);
        let turning = super::links::rigid_acceleration(graph, zero, state.alpha, state.omega, point);
        let turning = spatial::apply(graph, &state.rotation, turning);
        spatial::add(graph, state.acceleration, turning)
    }

    fn angular_velocity(&self, _graph: &mut Graph, body: BodyId) -> Vector3 {
        self.states[&body].omega
    }

    fn angular_acceleration(&self, _graph: &mut Graph, body: BodyId) -> Vector3 {
        self.states[&body].alpha
    }

    fn angle(&self, _graph: &mut Graph, body: BodyId) -> ExprId {
        self.states[&body].rotation_symbols.q[0]
    }

    /// Absolute coordinates have no joint coordinates; `resolve` has refused them.
    fn coordinate(&self, graph: &mut Graph, _joint: JointId, _index: usize) -> [ExprId; 3] {
        [graph.zero(); 3]
    }
}
