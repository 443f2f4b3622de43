//! Flexible members: a kernel for the elements of a planar beam in a floating frame, an instance for every element.
//!
//! A material point of the beam stands at r = R₀ + A(θ) (x e₁ + y e₂ + S(x) q) [rezaei, App. C], where S is linear along
//! the beam and cubic (Hermite) across it, and y is the height in the cross-section, over which only its square counts.
//! Velocity and acceleration of that field follow from the motion of the frame, which the joints between it and the
//! ground give. The rest is the work of these fields: M is the derivative of inertia forces by accelerations, h the
//! remainder. Displacements of a node that the frame fixes are not coordinates, so the elements at the ends have own
//! kernels. Strain is linear (ε = u′, κ = w″), and the cross-sections turn with the frame only: the inertia of their
//! rotation relative to the frame is neglected, as in the source.

use super::context::Context;
use super::equations::{Block, Channel, Dimension, Function, FunctionRole, Instance, Kernel, Layout, Output, Role};
use super::field::{BasisFunction, Polynomial, Products, VectorField, integral};
use super::kernel::{KernelBuilder, Mechanics, OwnSeed, Symbols};
use super::kinds::Kinds;
use super::linearization;
use super::links::{Links, rigid_acceleration};
use super::motion::{KernelScope, Motion, Rest};
use super::parameters::Parameters;
use super::tree;
use super::tree_coordinates::{Run, coordinates, runs};
use crate::expr::{ExprId, Graph};
use crate::resolve::{BodyId, FlexibleMember, FloatingFrame, System};
use crate::spatial::{self, Transform, Vector3, Wrench};

/// Coordinates of a node: displacements along the frame's axes, and rotation.
const NODE: [(&str, &str); 3] = [("x", "m"), ("y", "m"), ("angle", "rad")];

/// A shape function belongs to a coordinate of the first or the second node: its axis, its polynomial, and the power of
/// the length in it.
const SHAPES: [(usize, [i64; 4], i32); 6] = [
    (0, [1, -1, 0, 0], 0),
    (1, [1, 0, -3, 2], 0),
    (1, [0, 1, -2, 1], 1),
    (0, [0, 1, 0, 0], 0),
    (1, [0, 0, 3, -2], 0),
    (1, [0, 0, -1, 1], 1),
];

/// Declares the coordinates of the nodes between the first and the last.
pub(super) fn declare_inner(member: &FlexibleMember, layout: &mut Layout) {
    for node in 1..member.elements {
        for (name, unit) in NODE {
            let name = format!("{}[{node}].{name}", member.name);
            layout.velocities.push(Channel { name: name.clone(), unit: format!("{unit}/s") });
            layout.coordinates.push(Channel { name, unit: unit.to_owned() });
        }
    }
    if member.elements > 1 {
        layout.blocks.push(Block::Vector(member.inner_coordinates()));
    }
}

/// Names and units of the section forces of an element.
const SECTION_FORCES: [(&str, &str); 4] =
    [("axial_force", "N"), ("shear_force", "N"), ("moment_at_start", "N m"), ("moment_at_end", "N m")];

/// Declares the section forces that are outputs, element by element, after all other outputs.
pub(super) fn declare_outputs(system: &System, layout: &mut Layout) {
    for member in &system.members {
        for output in &member.section_forces {
            let channel = |(element, (name, unit)): (usize, &(&str, &str))| Channel {
                name: format!("{output}[{element}].{name}"),
                unit: (*unit).to_owned(),
            };
            let elements =
                (0..member.elements).flat_map(|element| SECTION_FORCES.iter().map(move |force| (element, force)));
            layout.outputs.extend(elements.map(channel));
        }
    }
}

/// The rows of the section forces of an element.
fn output_rows(system: &System, layout: &Layout, member: &FlexibleMember, element: usize) -> Vec<usize> {
    let size = |member: &FlexibleMember| SECTION_FORCES.len() * member.elements;
    let after = system.members.iter().skip_while(|known| known.frame_body != member.frame_body);
    let mut first = layout.outputs.len() - after.map(|known| size(known) * known.section_forces.len()).sum::<usize>();
    let mut rows = Vec::new();
    for _ in &member.section_forces {
        rows.extend((0..SECTION_FORCES.len()).map(|i| first + SECTION_FORCES.len() * element + i));
        first += size(member);
    }
    rows
}

/// All elements of a member. Those between the first and the last are derived once.
pub(super) fn derive(context: &mut Context, member: &FlexibleMember, kinds: &mut Kinds) {
    let system = context.system;
    let runs = runs(system);
    let Some(end) = runs.iter().find(|run| run.joint == member.end) else { return };
    let last = member.elements - 1;
    let mut repeated: Option<Repeated> = None;
    for index in 0..=last {
        let is_special = index == 0 || (index == last && member.frame == FloatingFrame::Pinned);
        match &repeated {
            Some(known) if !is_special => {
                kinds.add(known.kernel.clone(), [known.instance(context.parameters, member, index)]);
            }
            _ => {
                let Element { kernel, instance, offset, rates } = element(context, member, end, index);
                if let (false, Some(offset)) = (is_special, offset) {
                    repeated = Some(Repeated { kernel: kernel.clone(), instance: instance.clone(), offset, rates });
                }
                kinds.add(kernel, [instance]);
            }
        }
    }
}

/// The dimensions of each member that must be positive.
pub(super) fn dimensions(system: &System, parameters: &mut Parameters) -> Vec<Dimension> {
    let mut dimensions = Vec::new();
    for member in &system.members {
        let of = crate::spelling::spelled(&member.name.to_string());
        let mut add = |what, unit, term| {
            dimensions.push(Dimension { what, unit, of: of.clone(), value: parameters.lower(term)[0] });
        };
        add("length", "m", &member.length);
        add("mass", "kg", &member.mass);
        add("area", "m^2", &member.area);
        add("second moment of area", "m^4", &member.second_moment);
        add("modulus of elasticity", "Pa", &member.modulus);
    }
    dimensions
}

/// An element whose kernel is shared by the following ones.
struct Repeated {
    kernel: Kernel,
    instance: Instance,
    /// Index of the parameter that is the position of its first node.
    offset: usize,
    /// Rates of that position, as parameters of their own.
    rates: Vec<OwnSeed>,
}

impl Repeated {
    /// The same for the element of this index, with its nodes shifted in the layout and in the frame.
    fn instance(&self, parameters: &mut Parameters, member: &FlexibleMember, index: usize) -> Instance {
        let mut instance = self.instance.clone();
        instance.name = name(member, index);
        let offset = place(parameters, member, index);
        instance.parameters[self.offset] = offset;
        let graph = &mut parameters.graph;
        for rate in self.rates.iter().filter(|rate| rate.parameter == self.offset) {
            let by = graph.symbol_expr(rate.by);
            instance.parameters[rate.rate] = graph.derivative(offset, by);
        }
        instance.outputs.iter_mut().for_each(|row| *row += SECTION_FORCES.len() * (index - 1));
        for places in [&mut instance.q, &mut instance.v] {
            let first = places.len() - 2 * NODE.len();
            places[first..].iter_mut().for_each(|place| *place += NODE.len() * (index - 1));
        }
        instance
    }
}

fn name(member: &FlexibleMember, index: usize) -> String {
    format!("{}, element {index}", crate::spelling::spelled(&member.name.to_string()))
}

/// The position of a node on the undeformed beam.
fn place(parameters: &mut Parameters, member: &FlexibleMember, node: usize) -> ExprId {
    let length = parameters.lower(&member.length)[0];
    let graph = &mut parameters.graph;
    let part = graph.ratio(node as i64, member.elements as i64);
    graph.mul(part, length)
}

/// The joints between the ground and the frame of a member, in order from the ground.
fn path(system: &System, member: &FlexibleMember) -> Vec<Run> {
    let mut path = Vec::new();
    let mut body = Some(member.frame_body);
    for run in runs(system).into_iter().rev() {
        let joint = &system.joints[run.joint.0];
        if body.is_some() && joint.child.body == body {
            body = joint.parent.body;
            path.push(run);
        }
    }
    path.reverse();
    path
}

/// Dimensions of an element, as parameters of its kernel.
struct Dimensions {
    length: ExprId,
    /// Position of its first node.
    offset: ExprId,
    mass: ExprId,
    /// ρ I times its length: the inertia of its cross-sections.
    rotary_inertia: ExprId,
    /// E A.
    axial_stiffness: ExprId,
    /// E I.
    bending_stiffness: ExprId,
}

impl Dimensions {
    /// Declares them; also returns the index of the offset among the parameters, if it is a parameter.
    fn declare(builder: &mut KernelBuilder, member: &FlexibleMember, index: usize) -> (Self, Option<usize>) {
        let parameters = &mut *builder.parameters;
        let [length, mass, area, second_moment, modulus] =
            [&member.length, &member.mass, &member.area, &member.second_moment, &member.modulus]
                .map(|term| parameters.lower(term)[0]);
        let graph = &mut parameters.graph;
        let part = graph.ratio(1, member.elements as i64);
        let (length, mass) = (graph.mul(part, length), graph.mul(part, mass));
        let radius_squared = graph.div(second_moment, area);
        let rotary_inertia = graph.mul(mass, radius_squared);
        let (axial, bending) = (graph.mul(modulus, area), graph.mul(modulus, second_moment));
        let offset = place(parameters, member, index);
        let (offset, which) = if index == 0 {
            (builder.graph.zero(), None)
        } else {
            let (offset, which) = builder.own_parameter("offset", offset);
            (offset, Some(which))
        };
        let dimensions = Self {
            length: builder.parameter("length", length, false),
            offset,
            mass: builder.parameter("mass", mass, false),
            rotary_inertia: builder.parameter("rotary_inertia", rotary_inertia, false),
            axial_stiffness: builder.parameter("axial_stiffness", axial, false),
            bending_stiffness: builder.parameter("bending_stiffness", bending, false),
        };
        (dimensions, which)
    }
}

/// One coordinate of a node in an element: its shape, its symbols, and the index of its velocity in the kernel.
struct Coordinate {
    shape: usize,
    q: ExprId,
    v: ExprId,
    row: usize,
}

/// Declares the coordinates of both nodes that the frame leaves free.
fn nodal_coordinates(
    builder: &mut KernelBuilder,
    member: &FlexibleMember,
    index: usize,
    end: &Run,
    angle: Option<Coordinate>,
) -> Vec<Coordinate> {
    let mut result: Vec<Coordinate> = angle.into_iter().collect();
    for (side, node) in [("start", index), ("end", index + 1)] {
        let held: &[usize] = match (node, member.frame) {
            (0, _) => &[0, 1, 2],
            (_, FloatingFrame::Pinned) if node == member.elements => &[1],
            _ => &[],
        };
        let free: Vec<usize> = (0..NODE.len()).filter(|i| !held.contains(i)).collect();
        if free.is_empty() {
            continue;
        }
        let names: Vec<String> = free.iter().map(|&i| format!("{side}_{}", NODE[i].0)).collect();
        let first = |end: usize| end - member.inner_coordinates() + NODE.len() * (node - 1);
        let row = builder.n_velocities();
        let Symbols { q, v, .. } =
            builder.coordinates((&names, &names), (first(end.q.start), first(end.v.start)), None);
        let shape = |i: usize| i + if side == "end" { NODE.len() } else { 0 };
        let own = free.iter().enumerate().map(|(k, &i)| Coordinate { shape: shape(i), q: q[k], v: v[k], row: row + k });
        result.extend(own);
    }
    result
}

/// An element that is derived.
struct Element {
    kernel: Kernel,
    instance: Instance,
    /// Index of the parameter that is the position of its first node.
    offset: Option<usize>,
    /// Rates of that position, as parameters of their own.
    rates: Vec<OwnSeed>,
}

fn element(context: &mut Context, member: &FlexibleMember, end: &Run, index: usize) -> Element {
    let Context { system, layout, .. } = *context;
    let doc = "An element of a planar beam in a floating frame. [rezaei, App. C]";
    let mut builder = context.kernel("beam_element", doc, &name(member, index));
    let path = path(system, member);
    let joints: Vec<_> = path.iter().map(|run| coordinates(&mut builder, system, run)).collect();
    // The first node of a pinned frame turns by the coordinate of the joint to the frame.
    let is_turning = index == 0 && member.frame == FloatingFrame::Pinned;
    let angle = joints.last().filter(|_| is_turning).map(|(_, row, symbols)| Coordinate {
        shape: 2,
        q: symbols.q[0],
        v: symbols.v[0],
        row: *row,
    });
    let nodal = nodal_coordinates(&mut builder, member, index, end, angle);
    let (dimensions, offset) = Dimensions::declare(&mut builder, member, index);

    let mut scope = KernelScope::new(system, &mut builder, &Rest, true);
    let links = Links::new(&mut scope, joints);
    scope.fold_numbers = false;
    let gravity = system.gravity.as_ref().map(|term| scope.vector("gravity", term));
    let a = builder.accelerations();
    let graph = &mut builder.graph;
    let gravity = gravity.unwrap_or_else(|| spatial::zero(graph));
    let beam = Beam::new(graph, &dimensions, &links, &nodal, a.len());
    let mechanics = beam.mechanics(graph, gravity, &a);
    let forces = beam.section_forces(graph, &dimensions);
    let mut functions = builder.functions(mechanics);
    if !member.section_forces.is_empty() {
        let values = member.section_forces.iter().flat_map(|_| forces).collect::<Vec<_>>();
        let outputs = vec![Output::vector(Role::Outputs, &values)];
        functions.push(Function::new(FunctionRole::Outputs, outputs));
        builder.instance_mut().outputs = output_rows(system, layout, member, index);
    }
    builder.declare_seeds();
    let rates = builder.own_seeds().to_vec();
    let (kernel, instance) = linearization::complete(builder, functions);
    Element { kernel, instance, offset, rates }
}

/// An element on its moving frame.
struct Beam<'b> {
    links: &'b Links,
    nodal: &'b [Coordinate],
    /// Of the kernel.
    n_velocities: usize,
    /// The frame among the links.
    frame: BodyId,
    pose: Transform,
    /// From the origin of the frame's link to that of the frame, ground axes.
    arm: Vector3,
    omega: ExprId,
    mass: ExprId,
    /// ∫ ρ φ φ of the basis: 1, x, the height, and the shapes of the nodal coordinates.
    products: Products,
    /// Stiffness of the nodal coordinates.
    stiffness: Vec<Vec<ExprId>>,
}

/// Indices of the basis functions that are not shape functions.
const ONE: usize = 0;
const PLACE: usize = 1;
const HEIGHT: usize = 2;
const FIRST_SHAPE: usize = 3;

impl<'b> Beam<'b> {
    fn new(
        graph: &mut Graph,
        dimensions: &Dimensions,
        links: &'b Links,
        nodal: &'b [Coordinate],
        n_velocities: usize,
    ) -> Self {
        let frame = BodyId(links.order.last().copied().unwrap_or_default());
        let zero = spatial::zero(graph);
        Self {
            links,
            nodal,
            n_velocities,
            frame,
            pose: links.pose(graph, frame),
            arm: links.arm(graph, frame, zero),
            omega: links.angular_velocity(graph, frame)[2],
            mass: dimensions.mass,
            products: products(graph, dimensions, nodal),
            stiffness: stiffness(graph, dimensions, nodal),
        }
    }

    fn mechanics(&self, graph: &mut Graph, gravity: Vector3, a: &[ExprId]) -> Mechanics {
        let zero = graph.zero();
        let (at_rest, ground) = (vec![zero; a.len()], spatial::zero(graph));
        let falling = spatial::neg(graph, gravity);
        let inertia = |graph: &mut Graph, base: Vector3, a: &[ExprId]| {
            let acceleration = self.acceleration(graph, base, a);
            self.forces(graph, &acceleration)
        };
        let elastic = self.elastic_forces(graph);
        let moved = inertia(graph, falling, a);
        let inverse_dynamics: Vec<ExprId> = moved.iter().zip(&elastic).map(|(&f, &k)| graph.add(f, k)).collect();
        let bias_force = inertia(graph, ground, &at_rest);
        let weight = self.constant(graph, gravity);
        let weight = self.forces(graph, &weight);
        let applied_force = weight.iter().zip(&elastic).map(|(&f, &k)| graph.sub(f, k)).collect();
        let mut mass_matrix = graph.jacobian(&moved, a);
        for i in 0..a.len() {
            for j in i + 1..a.len() {
                mass_matrix[i][j] = mass_matrix[j][i];
            }
        }
        let velocity = self.velocity(graph);
        let momentum = velocity.moments(graph, &self.products);
        let half = graph.ratio(1, 2);
        let twice = velocity.dot(graph, &momentum);
        let kinetic_energy = graph.mul(half, twice);
        Mechanics {
            mass_matrix,
            bias_force,
            applied_force,
            inverse_dynamics,
            kinetic_energy: Some(kinetic_energy),
            potential_energy: Some(self.potential_energy(graph, gravity)),
            ..Mechanics::default()
        }
    }

    /// A vector in ground axes as a field in the axes of the frame.
    fn constant(&self, graph: &mut Graph, vector: Vector3) -> VectorField {
        let [x, y, _] = spatial::apply_transposed(graph, &self.pose.rotation, vector);
        let mut field = VectorField::zero(graph, FIRST_SHAPE + self.nodal.len());
        (field.0[0][ONE], field.0[1][ONE]) = (x, y);
        field
    }

    /// Positions of the material points relative to the frame: x e₁ + y e₂ + S q.
    fn position(&self, graph: &mut Graph) -> VectorField {
        let mut field = self.deformation(graph, |coordinate| coordinate.q);
        (field.0[0][PLACE], field.0[1][HEIGHT]) = (graph.one(), graph.one());
        field
    }

    /// S times nodal values.
    fn deformation(&self, graph: &mut Graph, value: impl Fn(&Coordinate) -> ExprId) -> VectorField {
        let mut field = VectorField::zero(graph, FIRST_SHAPE + self.nodal.len());
        for (k, coordinate) in self.nodal.iter().enumerate() {
            field.0[SHAPES[coordinate.shape].0][FIRST_SHAPE + k] = value(coordinate);
        }
        field
    }

    /// Ṙ₀ + ω × u + u̇.
    fn velocity(&self, graph: &mut Graph) -> VectorField {
        let origin = spatial::zero(graph);
        let origin = self.links.velocity(graph, self.frame, origin);
        let carried = self.constant(graph, origin);
        let turning = self.position(graph).turned(graph).scaled(graph, self.omega);
        let deforming = self.deformation(graph, |coordinate| coordinate.v);
        carried.plus(graph, &turning).plus(graph, &deforming)
    }

    /// R̈₀ + α × u − ω² u + 2 ω × u̇ + ü, where the ground accelerates with `base`.
    fn acceleration(&self, graph: &mut Graph, base: Vector3, a: &[ExprId]) -> VectorField {
        let (alpha, at_link) = tree::accelerations(graph, self.links, base, a)[self.frame.0];
        let omega = self.links.links[self.frame.0].angular_velocity;
        let origin = rigid_acceleration(graph, at_link, alpha, omega, self.arm);
        let carried = self.constant(graph, origin);
        let position = self.position(graph);
        let tangential = position.turned(graph).scaled(graph, alpha[2]);
        let squared = graph.mul(self.omega, self.omega);
        let minus_squared = graph.neg(squared);
        let centripetal = position.scaled(graph, minus_squared);
        let two = graph.integer(2);
        let twice = graph.mul(two, self.omega);
        let coriolis = self.deformation(graph, |coordinate| coordinate.v).turned(graph).scaled(graph, twice);
        // Nodal accelerations are those of the velocities that the coordinates are.
        let deforming = self.deformation(graph, |coordinate| a[coordinate.row]);
        [tangential, centripetal, coriolis, deforming].iter().fold(carried, |sum, field| sum.plus(graph, field))
    }

    /// The generalized forces of a field of forces per mass, for each velocity of the kernel.
    fn forces(&self, graph: &mut Graph, field: &VectorField) -> Vec<ExprId> {
        let moments = field.moments(graph, &self.products);
        let in_frame = [moments.0[0][ONE], moments.0[1][ONE], graph.zero()];
        let force = spatial::apply(graph, &self.pose.rotation, in_frame);
        let about_origin = self.position(graph).turned(graph).dot(graph, &moments);
        let moved = spatial::cross(graph, self.arm, force);
        let zero = graph.zero();
        let torque = [zero, zero, graph.add(about_origin, moved[2])];
        let mut wrenches = vec![Wrench { force: [zero; 3], torque: [zero; 3] }; self.links.links.len()];
        wrenches[self.frame.0] = Wrench { force, torque };
        let mut rows = tree::generalized(graph, self.links, wrenches, self.n_velocities);
        for (k, coordinate) in self.nodal.iter().enumerate() {
            let work = moments.0[SHAPES[coordinate.shape].0][FIRST_SHAPE + k];
            rows[coordinate.row] = graph.add(rows[coordinate.row], work);
        }
        rows
    }

    /// K q, for each velocity of the kernel.
    fn elastic_forces(&self, graph: &mut Graph) -> Vec<ExprId> {
        let q: Vec<ExprId> = self.nodal.iter().map(|coordinate| coordinate.q).collect();
        let mut rows = vec![graph.zero(); self.n_velocities];
        for (coordinate, stiffness) in self.nodal.iter().zip(&self.stiffness) {
            rows[coordinate.row] = graph.dot(stiffness, &q);
        }
        rows
    }

    /// E A u′, −E I w‴, and E I w″ at both ends: the action of the part nearer to the tip on the other.
    fn section_forces(&self, graph: &mut Graph, dimensions: &Dimensions) -> [ExprId; 4] {
        let mut derivative = |axis: usize, order: i32, xi: i64| {
            let mut sum = graph.zero();
            for coordinate in self.nodal.iter().filter(|coordinate| SHAPES[coordinate.shape].0 == axis) {
                for (factor, polynomial) in shape(graph, coordinate.shape, dimensions.length, order) {
                    let number = graph.number(polynomial.at(xi));
                    let term = graph.product(&[number, factor, coordinate.q]);
                    sum = graph.add(sum, term);
                }
            }
            sum
        };
        let [strain, third, start, end] =
            [derivative(0, 1, 0), derivative(1, 3, 0), derivative(1, 2, 0), derivative(1, 2, 1)];
        let shear = graph.mul(dimensions.bending_stiffness, third);
        [
            graph.mul(dimensions.axial_stiffness, strain),
            graph.neg(shear),
            graph.mul(dimensions.bending_stiffness, start),
            graph.mul(dimensions.bending_stiffness, end),
        ]
    }

    /// ½ qᵀ K q − ∫ ρ g · r.
    fn potential_energy(&self, graph: &mut Graph, gravity: Vector3) -> ExprId {
        let q: Vec<ExprId> = self.nodal.iter().map(|coordinate| coordinate.q).collect();
        let forces: Vec<ExprId> = self.stiffness.iter().map(|row| graph.dot(row, &q)).collect();
        let (half, twice) = (graph.ratio(1, 2), graph.dot(&q, &forces));
        let strain = graph.mul(half, twice);
        let moments = self.constant(graph, gravity).moments(graph, &self.products);
        let seen = self.position(graph).dot(graph, &moments);
        let lifted = spatial::dot(graph, gravity, self.pose.position);
        let carried = graph.mul(self.mass, lifted);
        let work = graph.add(carried, seen);
        graph.sub(strain, work)
    }
}

/// The polynomial of the given derivative of a shape function by x, and its factor.
fn shape(graph: &mut Graph, shape: usize, length: ExprId, derivatives: i32) -> BasisFunction {
    let (_, coefficients, power) = SHAPES[shape];
    let polynomial = (0..derivatives).fold(Polynomial::new(&coefficients), |p, _| p.derivative());
    vec![(graph.powi(length, power - derivatives), polynomial)]
}

fn products(graph: &mut Graph, dimensions: &Dimensions, nodal: &[Coordinate]) -> Products {
    let (one, zero) = (graph.one(), graph.zero());
    let (constant, linear) = (Polynomial::new(&[1]), Polynomial::new(&[0, 1]));
    let mut basis = vec![
        vec![(one, constant.clone())],
        vec![(dimensions.offset, constant), (dimensions.length, linear)],
        // The height vanishes on average over every cross-section.
        Vec::new(),
    ];
    basis.extend(nodal.iter().map(|coordinate| shape(graph, coordinate.shape, dimensions.length, 0)));
    let mut products = vec![vec![zero; basis.len()]; basis.len()];
    for i in 0..basis.len() {
        for j in 0..=i {
            products[i][j] = integral(graph, dimensions.mass, &basis[i], &basis[j]);
            products[j][i] = products[i][j];
        }
    }
    products[HEIGHT][HEIGHT] = dimensions.rotary_inertia;
    Products(products)
}

/// ∫ E A u′ u′ + E I w″ w″ of the shapes.
fn stiffness(graph: &mut Graph, dimensions: &Dimensions, nodal: &[Coordinate]) -> Vec<Vec<ExprId>> {
    let length = dimensions.length;
    let weights =
        [dimensions.axial_stiffness, dimensions.bending_stiffness].map(|stiffness| graph.mul(stiffness, length));
    let mut matrix = vec![vec![graph.zero(); nodal.len()]; nodal.len()];
    for (i, a) in nodal.iter().enumerate() {
        for (j, b) in nodal.iter().enumerate().take(i + 1) {
            let axis = SHAPES[a.shape].0;
            if axis != SHAPES[b.shape].0 {
                continue;
            }
            // Strain along the beam, curvature across it.
            let derivatives = axis as i32 + 1;
            let [f, g] = [a, b].map(|coordinate| shape(graph, coordinate.shape, length, derivatives));
            matrix[i][j] = integral(graph, weights[axis], &f, &g);
            matrix[j][i] = matrix[i][j];
        }
    }
    matrix
}
