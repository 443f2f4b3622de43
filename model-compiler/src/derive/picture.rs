//! What can be seen of a mechanism: poses of frames, forces and where they act, as functions of parameters and of the
//! motion, evaluated on demand.
//!
//! Equations and generated code do not contain any of this. The kinematics are those that the equations are derived
//! from, in any formulation, so that no other program has to know what coordinates mean.

use std::collections::HashMap;
use std::ops::Range;

use super::absolute;
use super::bodies::Bodies;
use super::context::Context;
use super::equations::{Instance, Layout};
use super::joint_coordinates;
use super::kernel::KernelBuilder;
use super::links::Links;
use super::lower::{Scope, lower, lower_scalar};
use super::motion::{KernelScope, Motion, Rest};
use super::parameters::Parameters;
use super::reactions;
use super::statements;
use super::terms;
use super::tree_coordinates::{all_coordinates, runs};
use crate::expr::{ExprId, Graph, Stage, SymbolId, evaluate, evaluate_all, evaluate_into};
use crate::resolve::{
    BodyId, Contact, ContactForm, FlexibleMember, Force, Formulation, Frame, InputId, JointId, ParameterId, Quantity,
    Slip, System, Term, TermKind,
};
use crate::spatial::{self, Matrix3, Transform, Vector3};

/// What is asked of a mechanism. Vectors are in ground axes, also in the plane three components.
#[derive(Clone, Copy, Debug)]
pub enum Asked<'s> {
    /// Where a frame stands: its origin, then its axes as columns of a matrix, row by row; 12 values.
    Pose(&'s Frame),
    /// The same in the axes of the frame's body, which does not change; 12 values.
    InBody(&'s Frame),
    /// A node of a planar beam between its first and its last one, as a frame; 12 values.
    Node(&'s FlexibleMember, usize),
    /// An expression of parameters, component by component in SI units.
    Value(&'s Term),
    /// A force: for each frame that it acts on its origin, the force and the torque about that origin; 9 values each. A force
    /// on a coordinate of a joint acts on the joint's second frame.
    Force(&'s Force),
    /// A contact: for each point of a body where it acts that point, then the force for a unit of the normal force and
    /// of each force of friction; 3 values each. A contact whose gap is no function of points has none.
    Contact(&'s Contact),
    /// What a joint passes on to its second frame: the origin of that, the force and the torque about that origin; 9 values.
    /// A joint of which that is [not known](reactions_are_known) has none.
    Reaction(JointId),
}

/// A component of a parameter that a model does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownParameter(pub String);

/// One instant of a motion.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// Time, s.
    pub t: f64,
    /// Values of the inputs, in the order of [`Layout::inputs`].
    pub inputs: &'a [f64],
    /// Coordinates.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Accelerations, for what joints pass on.
    pub a: &'a [f64],
    /// Multipliers, for the same.
    pub lambda: &'a [f64],
}

/// The formulas of what was asked.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Names and units of coordinates, velocities, inputs and parameters.
    pub layout: Layout,
    graph: Graph,
    roots: Vec<ExprId>,
    spans: Vec<Range<usize>>,
    /// Where the value of each symbol comes from.
    sources: Vec<Source>,
    /// Values of the parameters of the graph, in `parameter_graph`.
    parameters: Vec<ExprId>,
    parameter_graph: Graph,
    defaults: Vec<ExprId>,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Parameter(usize),
    Time,
    Input(usize),
    Position(usize),
    Velocity(usize),
    Acceleration(usize),
    Multiplier(usize),
    /// What stands for the points by which written gaps are differentiated.
    Absent,
}

impl Picture {
    /// The formulas of these things, which belong to the system.
    ///
    /// # Examples
    /// ```
    /// use hamel_compiler::picture::{Asked, Instant, Picture};
    /// use hamel_compiler::resolve::{BodyId, Frame};
    ///
    /// let text = "model Pendulum {
    ///     planar;
    ///     coordinates joint;
    ///     param length = 2 m;
    ///     body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
    ///     joint hinge: revolute(ground, rod at [-length, 0]);
    /// }";
    /// let (_, system) = hamel_compiler::understand(text.parse().unwrap()).unwrap();
    /// let rod = Frame { body: Some(BodyId(0)), position: None, rotation: None };
    /// let picture = Picture::new(&system, &[Asked::Pose(&rod)]);
    /// let mut values = picture.with(&picture.parameters(&[("length", 3.0)]).unwrap());
    /// let angle = std::f64::consts::FRAC_PI_2;
    /// let pose = values.at(&Instant { t: 0.0, inputs: &[], q: &[angle], v: &[0.0], a: &[0.0], lambda: &[] });
    /// assert!((pose[1] - 3.0).abs() < 1e-15, "the rod points along y");
    /// ```
    pub fn new(system: &System, asked: &[Asked]) -> Picture {
        let mut layout = Layout::default();
        let mut parameters = Parameters::declare(system, &mut layout);
        statements::declare(system, &mut layout);
        match system.formulation {
            Formulation::Joint => drop(joint_coordinates::declare(system, &mut layout, &mut parameters)),
            Formulation::Absolute => absolute::declare(system, &mut layout),
        }
        let mut context = Context { system, layout: &layout, parameters: &mut parameters };
        let mut builder = context.kernel("picture", "What can be seen.", "picture");
        let (roots, spans) = match system.formulation {
            Formulation::Joint => {
                let symbols = all_coordinates(&mut builder, system, &runs(system));
                builder.multipliers(0, layout.constraints.len());
                let links = Links::new(&mut KernelScope::new(system, &mut builder, &Rest, true), symbols);
                expressions(system, &mut builder, (&links, Some(&links)), asked)
            }
            Formulation::Absolute => {
                let all = (0..system.bodies.len()).map(|body| (BodyId(body), format!("{body} ")));
                let bodies = Bodies::declare(system, &mut builder, &all.collect::<Vec<_>>());
                expressions(system, &mut builder, (&bodies, None), asked)
            }
        };
        let (graph, roots) = builder.graph.compact(&roots);
        let (inputs, instance) = builder.into_parts();
        let mut sources = vec![Source::Absent; graph.symbols().len()];
        let Instance { inputs: of_inputs, q, v, lambda, parameters: values, .. } = instance;
        let places = |symbols: &[SymbolId], places: &[usize], of: fn(usize) -> Source, sources: &mut Vec<Source>| {
            for (symbol, &place) in symbols.iter().zip(places) {
                sources[symbol.index()] = of(place);
            }
        };
        places(&inputs.inputs, &of_inputs, Source::Input, &mut sources);
        places(&inputs.q, &q, Source::Position, &mut sources);
        places(&inputs.v, &v, Source::Velocity, &mut sources);
        places(&inputs.a, &v, Source::Acceleration, &mut sources);
        places(&inputs.lambda, &lambda, Source::Multiplier, &mut sources);
        places(&inputs.parameters, &(0..values.len()).collect::<Vec<_>>(), Source::Parameter, &mut sources);
        if let Some(time) = inputs.time {
            sources[time.index()] = Source::Time;
        }
        Picture {
            graph,
            roots,
            spans,
            sources,
            parameters: values,
            defaults: parameters.defaults,
            parameter_graph: parameters.graph,
            layout,
        }
    }

    /// The places of the values of one thing that was asked, by its place among all.
    pub fn span(&self, index: usize) -> Range<usize> {
        self.spans[index].clone()
    }

    /// The parameters, component by component: their defaults, and these instead, by name (`tip_x`) or path (`tip[0]`).
    ///
    /// # Errors
    /// For a name that no component has.
    pub fn parameters<N: AsRef<str>>(&self, given: &[(N, f64)]) -> Result<Vec<f64>, UnknownParameter> {
        let mut values: Vec<f64> = Vec::new();
        for &default in &self.defaults {
            // Defaults use parameters that stand before them.
            let known: Vec<f64> =
                values.iter().copied().chain(std::iter::repeat(0.0)).take(self.defaults.len()).collect();
            values.extend(evaluate(&self.parameter_graph, &[default], &known));
        }
        let paths = || self.layout.parameters.iter().flat_map(|parameter| parameter.shape.paths(&parameter.name));
        for (name, value) in given {
            let name = name.as_ref();
            let by_name = self.parameter_graph.symbols().iter().position(|symbol| symbol.name == name);
            let place = by_name.or_else(|| paths().position(|path| path == name));
            values[place.ok_or_else(|| UnknownParameter(name.to_owned()))?] = *value;
        }
        Ok(values)
    }

    /// What was asked, with these parameters.
    pub fn with(&self, parameters: &[f64]) -> Values<'_> {
        let own = evaluate(&self.parameter_graph, &self.parameters, parameters);
        let (hot, cold) = self.graph.reachable(&self.roots).into_iter().partition(|&id| self.graph.is_hot(id));
        let symbols = self.sources.iter().map(|source| match source {
            Source::Parameter(place) => own[*place],
            _ => 0.0,
        });
        let symbols: Vec<f64> = symbols.collect();
        let cold: Vec<ExprId> = cold;
        let values = evaluate_all(&self.graph, &cold, &symbols);
        Values { picture: self, hot, symbols, values, results: vec![0.0; self.roots.len()] }
    }
}

/// What was asked of a mechanism with certain parameters.
#[derive(Clone, Debug)]
pub struct Values<'p> {
    picture: &'p Picture,
    /// What depends on the motion, operands before users.
    hot: Vec<ExprId>,
    symbols: Vec<f64>,
    values: Vec<f64>,
    results: Vec<f64>,
}

impl Values<'_> {
    /// All values at one instant, in the places that [`Picture::span`] gives.
    pub fn at(&mut self, instant: &Instant) -> &[f64] {
        for (symbol, source) in self.symbols.iter_mut().zip(&self.picture.sources) {
            *symbol = match *source {
                Source::Parameter(_) => continue,
                Source::Time => instant.t,
                Source::Input(place) => instant.inputs[place],
                Source::Position(place) => instant.q[place],
                Source::Velocity(place) => instant.v[place],
                Source::Acceleration(place) => instant.a[place],
                Source::Multiplier(place) => instant.lambda[place],
                Source::Absent => 0.0,
            };
        }
        evaluate_into(&self.picture.graph, &self.hot, &self.symbols, &mut self.values);
        for (result, root) in self.results.iter_mut().zip(&self.picture.roots) {
            *result = self.values[root.index()];
        }
        &self.results
    }
}

/// The points whose places an expression contains, in order of appearance.
pub fn points(term: &Term) -> Vec<&Frame> {
    let mut found: Vec<&Frame> = Vec::new();
    terms::walk(term, &mut |part| {
        if let TermKind::Quantity(Quantity::Position(frame)) = &part.kind {
            found.push(frame);
        }
    });
    found
}

/// Whether what a joint passes on follows from accelerations, forces and multipliers.
pub fn reactions_are_known(system: &System, joint: JointId) -> bool {
    system.joints[joint.0].kind.passes_forces() && system.unknown_reaction(joint).is_none()
}

/// The expressions of all that is asked, and where those of each thing stand.
fn expressions(
    system: &System,
    builder: &mut KernelBuilder,
    (motion, links): (&dyn Motion, Option<&Links>),
    asked: &[Asked],
) -> (Vec<ExprId>, Vec<Range<usize>>) {
    let mut nodes = Nodes::default();
    for asked in asked {
        if let Asked::Node(member, node) = asked {
            nodes.declare(system, builder, member, *node);
        }
    }
    let mut points = HashMap::new();
    let mut scope = KernelScope::new(system, builder, motion, true);
    let (mut roots, mut spans) = (Vec::new(), Vec::new());
    let of_reaction = |asked: &Asked| match asked {
        Asked::Reaction(joint) if reactions_are_known(system, *joint) => Some(*joint),
        _ => None,
    };
    let joints: Vec<JointId> = asked.iter().filter_map(of_reaction).collect();
    if !joints.is_empty() {
        scope.reactions.of_joints = match links {
            Some(links) => reactions::in_tree(&mut scope, links),
            None => absolute::reactions(&mut scope, &joints),
        };
    }
    for asked in asked {
        let first = roots.len();
        match *asked {
            Asked::Pose(frame) => roots.extend(components(&scope.frame_pose("at", frame))),
            Asked::InBody(frame) => roots.extend(components(&scope.frame_in_body("at", frame))),
            Asked::Node(member, node) => roots.extend(components(&nodes.pose(&mut scope, member, node))),
            Asked::Value(term) => roots.extend(lower(&mut scope, term)),
            Asked::Force(force) => {
                let (action, _) = scope.act(force);
                for (frame, wrench) in force.frames.iter().zip(&action.wrenches) {
                    let at = scope.frame_pose("at", frame).position;
                    roots.extend([at, wrench.force, wrench.torque].concat());
                }
                if let (Some(coordinate), Some(value), Some(links)) = (force.coordinate, action.generalized, links) {
                    let joint = &system.joints[coordinate.0.0];
                    let at = scope.frame_pose("at", &joint.child).position;
                    let [push, turn] = links.directions(&mut scope.builder.graph, coordinate);
                    let [push, turn] = [push, turn].map(|x| spatial::scale(&mut scope.builder.graph, value, x));
                    roots.extend([at, push, turn].concat());
                }
            }
            Asked::Contact(contact) => roots.extend(contact_points(&mut scope, contact, &mut points)),
            Asked::Reaction(joint) => {
                if let Some(wrench) = scope.reactions.of_joints.get(&joint).copied().filter(|_| joints.contains(&joint))
                {
                    let at = scope.frame_pose("at", &system.joints[joint.0].child).position;
                    roots.extend([at, wrench.force, wrench.torque].concat());
                }
            }
        }
        spans.push(first..roots.len());
    }
    // The places of the points by which written gaps were differentiated.
    let from = builder.graph.clone();
    let roots = builder
        .graph
        .import(&from, &roots, &|_, symbol| points.get(&symbol).copied().unwrap_or_else(|| from.symbol_expr(symbol)));
    (roots, spans)
}

fn components(pose: &Transform) -> Vec<ExprId> {
    [pose.position, pose.rotation[0], pose.rotation[1], pose.rotation[2]].concat()
}

/// Coordinates of the nodes of planar beams.
#[derive(Default)]
struct Nodes(HashMap<(BodyId, usize), Vector3>);

impl Nodes {
    fn declare(&mut self, system: &System, builder: &mut KernelBuilder, member: &FlexibleMember, node: usize) {
        let runs = runs(system);
        let Some(end) = runs.iter().find(|run| run.joint == member.end) else { return };
        let inner = member.inner_coordinates();
        let first = |end: usize| end - inner + 3 * (node - 1);
        let names: Vec<String> = (0..3).map(|i| format!("{} {node} {i}", member.name)).collect();
        let symbols = builder.coordinates((&names, &names), (first(end.q.start), first(end.v.start)), None);
        self.0.insert((member.frame_body, node), [symbols.q[0], symbols.q[1], symbols.q[2]]);
    }

    fn pose(&self, scope: &mut KernelScope, member: &FlexibleMember, node: usize) -> Transform {
        let length = scope.value("length", &member.length)[0];
        let frame = scope.motion.pose(&mut scope.builder.graph, member.frame_body);
        let graph = &mut scope.builder.graph;
        let [x, y, angle] = self.0[&(member.frame_body, node)];
        let part = graph.ratio(node as i64, member.elements as i64);
        let place = graph.mul(part, length);
        let (s, c) = (graph.sin(angle), graph.cos(angle));
        let moved =
            Transform { rotation: spatial::rotation_z(graph, c, s), position: [graph.add(place, x), y, graph.zero()] };
        frame.then(graph, &moved)
    }
}

/// Points of bodies where a contact acts, each with its directions.
fn contact_points(scope: &mut KernelScope, contact: &Contact, points: &mut HashMap<SymbolId, ExprId>) -> Vec<ExprId> {
    match &contact.form {
        ContactForm::Kind { kind, frames, radii, is_rough } => {
            let poses = [0, 1].map(|i| scope.frame_pose("at", &frames[i]));
            let radii = match (radii, kind.field()) {
                (Some(term), Some((name, _))) => scope.value(name, term),
                _ => Vec::new(),
            };
            let graph = &mut scope.builder.graph;
            let nearest = kind.nearest(graph, [&poses[0], &poses[1]], &radii);
            let at = spatial::add(graph, poses[0].position, nearest.arms[0]);
            let tangents = nearest.tangents.iter().filter(|_| *is_rough);
            let directions: Vec<Vector3> = std::iter::once(&nearest.normal).chain(tangents).copied().collect();
            // The second thing is pushed the other way, and shown where the first one does not move.
            let directions = match frames[0].body {
                Some(_) => directions,
                None => directions.into_iter().map(|direction| spatial::neg(graph, direction)).collect(),
            };
            std::iter::once(at).chain(directions).flatten().collect()
        }
        ContactForm::Written { gap, slip } => {
            if !is_function_of_points(gap) {
                return Vec::new();
            }
            let mut known = Points { scope, found: Vec::new() };
            let mut measures = vec![lower_scalar(&mut known, gap)];
            let is_velocity = slip.as_ref().is_some_and(|slip| slip.is_velocity);
            if let Some(slip) = slip {
                // Friction that is no function of points is left out, and the normal force remains.
                let is_known =
                    if slip.is_velocity { is_of_velocities(slip) } else { is_function_of_points(&slip.value) };
                let zero = known.graph().zero();
                let values =
                    if is_known { lower(&mut known, &slip.value) } else { vec![zero; slip.value.shape.size()] };
                measures.extend(values);
            }
            let found = known.found;
            let graph = &mut scope.builder.graph;
            let mut values = Vec::new();
            for point in &found {
                points.extend(point.symbols.iter().zip(point.position).map(|(symbol, value)| (*symbol, value)));
                values.extend(point.position);
                for (row, &measure) in measures.iter().enumerate() {
                    let symbols = if row > 0 && is_velocity { point.rates } else { point.symbols };
                    let symbols = symbols.map(|symbol| graph.symbol_expr(symbol));
                    values.extend(graph.gradient(measure, &symbols));
                }
            }
            values
        }
    }
}

/// Whether an expression depends on the motion through places of points alone, so that its gradient is forces on them.
fn is_function_of_points(term: &Term) -> bool {
    let mut holds = true;
    terms::walk(term, &mut |part| {
        holds &= match &part.kind {
            TermKind::Quantity(quantity) => matches!(quantity, Quantity::Position(_)),
            TermKind::ExpressedIn(..) | TermKind::GivenIn(..) => false,
            _ => true,
        };
    });
    holds
}

/// Whether a slip depends on velocities of points alone, so that friction is forces on them.
fn is_of_velocities(slip: &Slip) -> bool {
    let mut holds = true;
    terms::walk(&slip.value, &mut |part| {
        holds &=
            !matches!(&part.kind, TermKind::Quantity(Quantity::AngularVelocity(_) | Quantity::CoordinateVelocity(..)));
    });
    holds
}

/// The expressions of a scope, in which places and velocities of points of bodies are symbols of their own.
struct Points<'a, 'k, 'p, 's> {
    scope: &'a mut KernelScope<'k, 'p, 's>,
    found: Vec<Point>,
}

struct Point {
    position: Vector3,
    symbols: [SymbolId; 3],
    rates: [SymbolId; 3],
}

impl Points<'_, '_, '_, '_> {
    fn point(&mut self, frame: &Frame) -> &Point {
        let position = self.scope.frame_pose("at", frame).position;
        let place = self.found.iter().position(|known| known.position == position).unwrap_or_else(|| {
            let graph = &mut self.scope.builder.graph;
            let mut symbols = |stage: Stage| {
                [0, 1, 2].map(|_| {
                    let id = SymbolId(graph.symbols().len() as u32);
                    // No name of a model contains a blank.
                    graph.symbol(&format!("point {}", id.index()), stage);
                    id
                })
            };
            let (symbols, rates) = (symbols(Stage::Position), symbols(Stage::Velocity));
            self.found.push(Point { position, symbols, rates });
            self.found.len() - 1
        });
        &self.found[place]
    }

    fn shown(&mut self, symbols: [SymbolId; 3]) -> Vec<ExprId> {
        let dimension = self.scope.system.space.dimension();
        symbols.iter().take(dimension).map(|&symbol| self.scope.builder.graph.symbol_expr(symbol)).collect()
    }
}

impl Scope for Points<'_, '_, '_, '_> {
    fn graph(&mut self) -> &mut Graph {
        self.scope.graph()
    }

    fn parameter(&mut self, id: ParameterId) -> Vec<ExprId> {
        self.scope.parameter(id)
    }

    fn input(&mut self, id: InputId) -> ExprId {
        self.scope.input(id)
    }

    fn time(&mut self) -> ExprId {
        self.scope.time()
    }

    fn quantity(&mut self, quantity: &Quantity) -> Vec<ExprId> {
        match quantity {
            Quantity::Position(frame) if frame.body.is_some() => {
                let symbols = self.point(frame).symbols;
                self.shown(symbols)
            }
            Quantity::Velocity(frame) if frame.body.is_some() => {
                let symbols = self.point(frame).rates;
                self.shown(symbols)
            }
            _ => self.scope.quantity(quantity),
        }
    }

    /// Vectors are turned after they have been found.
    fn own_motion(&mut self, _quantity: &Quantity, _axes: BodyId) -> Option<Vec<ExprId>> {
        None
    }

    fn axes(&mut self, body: BodyId) -> Matrix3 {
        self.scope.axes(body)
    }

    fn remember(&mut self, body: BodyId, in_body: &[ExprId], in_ground: &[ExprId]) {
        self.scope.remember(body, in_body, in_ground);
    }
}
