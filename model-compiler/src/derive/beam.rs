//! Geometrically exact beams of three nodes an element, in the finite-volume form. [zhang, Ref. 15]
//!
//! Relative to the middle node b, in its axes, an element is described by the positions of the outer nodes and by the
//! rotation vectors of their axes. Both are interpolated by parabolas and evaluated at the two sections ξ = ∓1/√3,
//! where the strains are γ = exp(φ)ᵀ r′ and κ, the rate at which the axes turn along the beam, both minus their values
//! in the reference configuration. The sections cut the element into three volumes, one around each node, and the
//! forces in the sections act on the nodes of the volumes they bound. Ground axes appear only in the last stage, so
//! strains are objective. These forces are not the gradient of an energy of the nodes: what is called potential energy
//! here is that of the strains in the two sections. Inertia and weight are not here: the nodes are rigid bodies.

use super::bodies::{body_coordinates, coordinates_of};
use super::context::Context;
use super::equations::{Channel, Dimension, Function, FunctionRole, Instance, Kernel, Layout, Output, Role};
use super::kernel::{Derivatives, KernelBuilder, Mechanics};
use super::linearization;
use super::parameters::Parameters;
use super::varying::Varying;
use crate::expr::{ExprId, Graph};
use crate::resolve::{Beam, System, Term};
use crate::rotations::{euler_parameter_matrix, euler_parameter_rotation, rotation_vector};
use crate::spatial::{self, Matrix3, Vector3};
use crate::spelling::spelled;

/// Coordinates of a node: its position and its Euler parameters.
const NODE: usize = 7;
/// Coordinates of the nodes a, b and c of an element.
const ELEMENT: usize = 3 * NODE;
/// Positions and rotation vectors of the outer nodes as the middle one sees them.
const RELATIVE: usize = 12;
/// Rotation vector, its rate along the beam, and that of the position, in a section.
const SECTION: usize = 9;

/// The kernel of a beam's elements, and an instance for each of them.
pub(super) fn derive(context: &mut Context, beam: &Beam) -> (Kernel, Vec<Instance>) {
    let (kernel, first) = element(context, beam);
    let instance = |index: usize| {
        let mut instance = first.clone();
        instance.name = name(beam, index);
        instance.outputs.iter_mut().for_each(|row| *row += 2 * SECTION_FORCES.len() * index);
        for places in [&mut instance.q, &mut instance.v] {
            places.iter_mut().for_each(|place| *place += 2 * NODE * index);
        }
        instance
    };
    (kernel, (0..beam.elements).map(instance).collect())
}

fn name(beam: &Beam, index: usize) -> String {
    format!("{}, element {index}", spelled(&beam.name.to_string()))
}

/// Names and units of force and moment in a section, in its axes.
const SECTION_FORCES: [(&str, &str); 6] = [
    ("axial_force", "N"),
    ("shear_force_y", "N"),
    ("shear_force_z", "N"),
    ("torque", "N m"),
    ("bending_moment_y", "N m"),
    ("bending_moment_z", "N m"),
];

/// Names the section forces that are outputs, two sections an element, after all other outputs.
pub(super) fn declare_outputs(system: &System, layout: &mut Layout) {
    for beam in &system.beams {
        for output in &beam.section_forces {
            let sections = (0..2 * beam.elements).flat_map(|section| SECTION_FORCES.map(|force| (section, force)));
            layout.outputs.extend(sections.map(|(section, (name, unit))| Channel {
                name: format!("{output}[{section}].{name}"),
                unit: unit.to_owned(),
            }));
        }
    }
}

/// The rows of the section forces of the first element.
fn output_rows(system: &System, layout: &Layout, beam: &Beam) -> Vec<usize> {
    let size = |beam: &Beam| 2 * beam.elements * SECTION_FORCES.len();
    let behind = system.beams.iter().skip_while(|known| known.root != beam.root);
    let first = layout.outputs.len() - behind.map(|known| size(known) * known.section_forces.len()).sum::<usize>();
    let element = 2 * SECTION_FORCES.len();
    (0..beam.section_forces.len())
        .flat_map(|output| (0..element).map(move |i| (output, i)))
        .map(|(output, i)| first + output * size(beam) + i)
        .collect()
}

/// The dimensions of each beam that must be positive.
pub(super) fn dimensions(system: &System, parameters: &mut Parameters) -> Vec<Dimension> {
    let mut dimensions = Vec::new();
    for beam in &system.beams {
        let of = spelled(&beam.name.to_string());
        let mut add = |what, unit, term: &Term, component: usize| {
            dimensions.push(Dimension { what, unit, of: of.clone(), value: parameters.lower(term)[component] });
        };
        add("length", "m", &beam.length, 0);
        add("mass per length", "kg/m", &beam.mass_per_length, 0);
        for i in 0..3 {
            add("inertia per length", "kg m", &beam.inertia_per_length, i);
            add("stiffness against stretching and shearing", "N", &beam.force_stiffness, 4 * i);
            add("stiffness against twisting and bending", "N m^2", &beam.moment_stiffness, 4 * i);
        }
    }
    dimensions
}

fn element(context: &mut Context, beam: &Beam) -> (Kernel, Instance) {
    let Context { system, layout, .. } = *context;
    let doc =
        "An element of a geometrically exact beam: the forces of its two sections on its three nodes. [zhang, Ref. 15]";
    let mut builder = context.kernel("beam_three_node", doc, &name(beam, 0));
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for (index, node) in ["a", "b", "c"].iter().enumerate() {
        let names: Vec<String> =
            body_coordinates(system).iter().map(|(coordinate, _)| format!("{node}_{coordinate}")).collect();
        let first = coordinates_of(system, beam.node(index));
        let symbols = builder.coordinates((&names, &names), (first, first), None);
        q.extend(symbols.q);
        v.extend(symbols.v);
    }
    let section = Section::declare(&mut builder, beam);
    let graph = &mut builder.graph;
    let (variables, relative) = motion(graph, &q, &v, section.damping.is_some());
    let Acting { on_nodes, energy, in_sections } = forces_on_nodes(graph, &relative.values, &section);
    let on_nodes = on_nodes.over(graph, &relative);
    let e = |node: usize| NODE * node + 3..NODE * (node + 1);
    let ends = [0, 1, 2].map(|node| variables.part(e(node)));
    let inner = ends.iter().fold(on_nodes, |inner, end| inner.and(end));
    let f = inner.then(graph, generalized_forces);

    let opposite = |graph: &mut Graph, columns: std::ops::Range<usize>| -> Vec<Vec<ExprId>> {
        f.slopes.iter().map(|row| row[columns.clone()].iter().map(|&slope| graph.neg(slope)).collect()).collect()
    };
    let by_position = opposite(graph, 0..ELEMENT);
    let by_velocity = match section.damping {
        Some(_) => opposite(graph, ELEMENT..2 * ELEMENT),
        None => vec![vec![graph.zero(); ELEMENT]; ELEMENT],
    };
    // The forces are not the gradient of the energy, so the change of both together is small but not zero.
    let stored = builder.convective(&[energy])[0];
    let driven = builder.graph.dot(&f.values, &v);
    let power = builder.graph.add(driven, stored);
    let mut functions = builder.functions(Mechanics {
        applied_force: f.values,
        potential_energy: Some(energy),
        power: Some(power),
        derivatives: Some(Derivatives { mass_matrix: Vec::new(), by_position, by_velocity }),
        ..Mechanics::default()
    });
    if !beam.section_forces.is_empty() {
        let values: Vec<ExprId> = beam.section_forces.iter().flat_map(|_| in_sections.clone()).collect();
        functions.push(Function::new(FunctionRole::Outputs, vec![Output::vector(Role::Outputs, &values)]));
        builder.instance_mut().outputs = output_rows(system, layout, beam);
    }
    linearization::finish(builder, functions)
}

/// Properties that all sections of a beam share.
struct Section {
    /// Forces and moments by strains and curvatures, in the axes of the section, row by row.
    stiffness: Vec<Vec<ExprId>>,
    /// Forces by rates of strain, in units of the stiffness.
    damping: Option<ExprId>,
    /// Strain and curvature of both sections in the reference configuration.
    reference: [Vec<ExprId>; 2],
    /// Of an element.
    length: ExprId,
}

impl Section {
    fn declare(builder: &mut KernelBuilder, beam: &Beam) -> Self {
        let length = beam.element_length(builder.parameters);
        let reference = reference_strains(builder.parameters, beam, length);
        let reference = [0, 1].map(|section: usize| {
            let names = ["strain_x", "strain_y", "strain_z", "curvature_x", "curvature_y", "curvature_z"];
            let values = names.iter().zip(&reference[section]);
            values.map(|(name, &value)| builder.parameter(&format!("reference_{name}"), value, false)).collect()
        });
        let block = |builder: &mut KernelBuilder, name: &str, term: Option<&Term>| -> Vec<ExprId> {
            let Some(term) = term else { return vec![builder.graph.zero(); 9] };
            let values = builder.parameters.lower(term);
            let names = term.shape.component_names(name);
            names.iter().zip(values).map(|(name, value)| builder.parameter(name, value, false)).collect()
        };
        let force = block(builder, "force_stiffness", Some(&beam.force_stiffness));
        let coupling = block(builder, "coupling_stiffness", beam.coupling_stiffness.as_ref());
        let moment = block(builder, "moment_stiffness", Some(&beam.moment_stiffness));
        let upper = (0..3).map(|i| [&force[3 * i..3 * i + 3], &coupling[3 * i..3 * i + 3]].concat());
        let lower = (0..3).map(|i| {
            let transposed = (0..3).map(|j| coupling[3 * j + i]);
            transposed.chain(moment[3 * i..3 * i + 3].iter().copied()).collect()
        });
        let stiffness = upper.chain(lower).collect();
        let damping = beam.damping.as_ref().map(|term| {
            let value = builder.parameters.lower(term)[0];
            builder.parameter("damping", value, false)
        });
        Self { stiffness, damping, reference, length: builder.parameter("length", length, false) }
    }
}

impl Beam {
    /// The length of an element, as an expression of parameters.
    fn element_length(&self, parameters: &mut Parameters) -> ExprId {
        let length = parameters.lower(&self.length)[0];
        let part = parameters.graph.ratio(1, self.elements as i64);
        parameters.graph.mul(part, length)
    }
}

/// The pose of a point of the reference configuration at arc length `arc`, relative to the root: the axes turn at
/// the beam's constant curvature. Returns the position and the rotation vector.
pub(super) fn along_reference(parameters: &mut Parameters, beam: &Beam, arc: ExprId) -> (Vector3, Vector3) {
    let curvature = beam.curvature.as_ref().map(|term| parameters.lower(term));
    let graph = &mut parameters.graph;
    let (zero, one) = (graph.zero(), graph.one());
    let Some(curvature) = curvature else { return ([arc, zero, zero], [zero; 3]) };
    let turned = [0, 1, 2].map(|i| graph.mul(arc, curvature[i]));
    let squared = spatial::dot(graph, turned, turned);
    let coefficients = rotation_vector::coefficients(graph, squared);
    let direction = rotation_vector::along_arc(graph, turned, [one, zero, zero], coefficients);
    (spatial::scale(graph, arc, direction), turned)
}

/// The strains of both sections before anything is deformed: of a straight beam γ = (1, 0, 0).
fn reference_strains(parameters: &mut Parameters, beam: &Beam, length: ExprId) -> [Vec<ExprId>; 2] {
    if beam.curvature.is_none() {
        let (zero, one) = (parameters.graph.zero(), parameters.graph.one());
        return [vec![one, zero, zero, zero, zero, zero], vec![one, zero, zero, zero, zero, zero]];
    }
    let half = parameters.graph.ratio(1, 2);
    let half = parameters.graph.mul(half, length);
    let back = parameters.graph.neg(half);
    let ends = [back, half].map(|arc| along_reference(parameters, beam, arc));
    let graph = &mut parameters.graph;
    let relative = [ends[0].0, ends[1].0, ends[0].1, ends[1].1].concat();
    [0, 1].map(|section| {
        let interpolation = interpolation(graph, length, section);
        let u: Vec<ExprId> = interpolation[..SECTION].iter().map(|row| graph.dot(row, &relative)).collect();
        strain_of(graph, &u)
    })
}

/// The variables of an element and of its nodes relative to the middle one: with damping the velocities
/// follow the coordinates in both.
fn motion(graph: &mut Graph, q: &[ExprId], v: &[ExprId], is_damped: bool) -> (Varying, Varying) {
    if !is_damped {
        let variables = Varying::variables(graph, q);
        let relative = relative(graph, &variables);
        return (variables, relative);
    }
    let variables = Varying::variables(graph, &[q, v].concat());
    let relative = relative(graph, &variables);
    let values: Vec<ExprId> = relative.slopes.iter().map(|row| graph.dot(&row[..ELEMENT], v)).collect();
    let by_position = graph.jacobian(&values, q);
    let slopes = by_position
        .into_iter()
        .zip(&relative.slopes)
        .map(|(row, by_velocity)| [row.as_slice(), &by_velocity[..ELEMENT]].concat());
    let rates = Varying { values, slopes: slopes.collect() };
    (variables, relative.and(&rates))
}

/// Positions and rotation vectors of the nodes a and c in the axes of b.
fn relative(graph: &mut Graph, variables: &Varying) -> Varying {
    let q = variables.part(0..ELEMENT);
    let seen = q.then(graph, |graph, q| {
        let [a, b, c] = [0, 1, 2].map(|node| &q[NODE * node..NODE * (node + 1)]);
        let axes = euler_parameter_rotation(graph, &b[3..]);
        let mut seen = Vec::new();
        for outer in [a, c] {
            let apart = [0, 1, 2].map(|i| graph.sub(outer[i], b[i]));
            seen.extend(spatial::apply_transposed(graph, &axes, apart));
        }
        for outer in [a, c] {
            // The conjugate of b's Euler parameters times the outer node's.
            seen.push(graph.dot(&b[3..], &outer[3..]));
            let l = euler_parameter_matrix(graph, &b[3..]);
            seen.extend(l.map(|row| graph.dot(&row, &outer[3..])));
        }
        seen
    });
    let tangents = seen.then(graph, |graph, u| {
        let one = graph.one();
        let mut values = Vec::new();
        for e in [&u[6..10], &u[10..14]] {
            let reciprocal = graph.div(one, e[0]);
            values.extend(e[1..].iter().map(|&component| graph.mul(component, reciprocal)));
        }
        values
    });
    let factors = tangents
        .then(graph, |graph, u| [0, 3].map(|i| graph.dot(&u[i..i + 3], &u[i..i + 3])).to_vec())
        .then(graph, |graph, u| u.iter().map(|&squared| rotation_vector::factor_of_tangent(graph, squared)).collect());
    let vectors =
        tangents.and(&factors).then(graph, |graph, u| (0..6).map(|i| graph.mul(u[6 + i / 3], u[i])).collect());
    seen.part(0..6).and(&vectors)
}

/// Interpolation of the relative positions and rotation vectors in a section: rotation vector, its rate along the beam,
/// that of the position, and the position; row by row.
fn interpolation(graph: &mut Graph, length: ExprId, section: usize) -> Vec<Vec<ExprId>> {
    let xi = [-1.0, 1.0][section] / 3.0_f64.sqrt();
    let one = graph.one();
    let per_length = graph.div(one, length);
    let shapes = [xi * (xi - 1.0) / 2.0, xi * (xi + 1.0) / 2.0].map(|shape| graph.float(shape));
    let rates = [2.0 * xi - 1.0, 2.0 * xi + 1.0].map(|rate| {
        let rate = graph.float(rate);
        graph.mul(rate, per_length)
    });
    let zero = graph.zero();
    let mut rows = Vec::new();
    for ([a, c], first) in [(shapes, 6), (rates, 6), (rates, 0), (shapes, 0)] {
        for axis in 0..3 {
            let mut row = vec![zero; RELATIVE];
            row[first + axis] = a;
            row[first + 3 + axis] = c;
            rows.push(row);
        }
    }
    rows
}

/// Strain and curvature, from the rotation vector, its rate and that of the position.
fn strain_of(graph: &mut Graph, u: &[ExprId]) -> Vec<ExprId> {
    let squared = graph.dot(&u[..3], &u[..3]);
    let coefficients = rotation_vector::coefficients(graph, squared);
    let axes = rotation_vector::matrix(graph, vector(u), coefficients);
    strain_in(graph, u, coefficients, &axes)
}

fn strain_in(graph: &mut Graph, u: &[ExprId], coefficients: [ExprId; 3], axes: &Matrix3) -> Vec<ExprId> {
    let strain = spatial::apply_transposed(graph, axes, vector(&u[6..]));
    let curvature = rotation_vector::angular_rate(graph, vector(u), vector(&u[3..]), coefficients);
    [strain, curvature].concat()
}

fn vector(u: &[ExprId]) -> Vector3 {
    [u[0], u[1], u[2]]
}

fn matrix(u: &[ExprId]) -> Matrix3 {
    [vector(u), vector(&u[3..]), vector(&u[6..])]
}

/// Force and moment in a section in the axes of the middle node, in its own axes, and its energy per length. The
/// variables are those of `interpolation`, with damping followed by their rates.
fn section_forces(graph: &mut Graph, u: &[ExprId], section: &Section, index: usize) -> (Varying, Vec<ExprId>, ExprId) {
    let variables = Varying::variables(graph, u);
    let static_part = variables.part(0..SECTION);
    let coefficients = static_part
        .then(graph, |graph, u| vec![graph.dot(&u[..3], &u[..3])])
        .then(graph, |graph, w| rotation_vector::coefficients(graph, w[0]).to_vec());
    let axes = static_part
        .and(&coefficients)
        .then(graph, |graph, u| rotation_vector::matrix(graph, vector(u), [u[9], u[10], u[11]]).concat());
    let total = static_part.and(&coefficients).and(&axes);
    let mut strain = total.then(graph, |graph, u| strain_in(graph, u, vector(&u[9..]), &matrix(&u[12..])));
    for (value, &reference) in strain.values.iter_mut().zip(&section.reference[index]) {
        *value = graph.sub(*value, reference);
    }
    let elastic = strain.transformed(graph, &section.stiffness);
    let twice = graph.dot(&elastic.values, &strain.values);
    let half = graph.ratio(1, 2);
    let energy = graph.mul(half, twice);
    let loads = match section.damping {
        None => elastic,
        Some(damping) => {
            let rate = variables.then(graph, |graph, u| {
                let strain = strain_of(graph, u);
                let rates: Vec<(ExprId, ExprId)> = (0..SECTION).map(|i| (u[i], u[SECTION + i])).collect();
                graph.directional(&strain, &rates)
            });
            let zero = graph.zero();
            let row = |i: usize| (0..6).map(|j| if i == j { damping } else { zero }).collect();
            let damped: Vec<Vec<ExprId>> = (0..6).map(row).collect();
            let viscous = rate.transformed(graph, &damped).transformed(graph, &section.stiffness);
            elastic.and(&viscous).then(graph, |graph, u| (0..6).map(|i| graph.add(u[i], u[6 + i])).collect())
        }
    };
    let turned = axes.and(&loads).then(graph, |graph, u| {
        let axes = matrix(u);
        [9, 12].map(|first| spatial::apply(graph, &axes, vector(&u[first..]))).concat()
    });
    (turned, loads.values, energy)
}

/// Forces of an element.
struct Acting {
    /// Forces on the nodes a and c, and moments on a, b and c, in the axes of b, by the relative positions and rotation
    /// vectors (with damping by their rates too).
    on_nodes: Varying,
    energy: ExprId,
    /// Forces and moments in both sections, in the axes of these.
    in_sections: Vec<ExprId>,
}

fn forces_on_nodes(graph: &mut Graph, relative: &[ExprId], section: &Section) -> Acting {
    let variables = Varying::variables(graph, relative);
    let (mut places, mut forces, mut energies, mut in_sections) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for index in 0..2 {
        let interpolation = interpolation(graph, section.length, index);
        let place = variables.part(0..RELATIVE).transformed(graph, &interpolation);
        let mut u = place.part(0..SECTION);
        if section.damping.is_some() {
            u = u.and(&variables.part(RELATIVE..2 * RELATIVE).transformed(graph, &interpolation[..SECTION]));
        }
        let (force, loads, energy) = section_forces(graph, &u.values, section, index);
        in_sections.extend(loads);
        forces.push(force.over(graph, &u));
        places.push(place.part(SECTION..SECTION + 3));
        energies.push(energy);
    }
    let inner = variables.part(0..6).and(&places[0]).and(&places[1]).and(&forces[0]).and(&forces[1]);
    let on_nodes = inner.then(graph, |graph, u| {
        let [a, c, first, second, n1, m1, n2, m2] = [0, 3, 6, 9, 12, 15, 18, 21].map(|i| vector(&u[i..]));
        let moment_about =
            |graph: &mut Graph, node: Option<Vector3>, place: Vector3, force: Vector3, moment: Vector3| {
                let arm = node.map_or(place, |node| spatial::sub(graph, place, node));
                let turning = spatial::cross(graph, arm, force);
                spatial::add(graph, moment, turning)
            };
        let moment_a = moment_about(graph, Some(a), first, n1, m1);
        let before = moment_about(graph, None, first, n1, m1);
        let behind = moment_about(graph, None, second, n2, m2);
        let moment_b = spatial::sub(graph, behind, before);
        let moment_c = moment_about(graph, Some(c), second, n2, m2);
        let (force_c, moment_c) = (spatial::neg(graph, n2), spatial::neg(graph, moment_c));
        [n1, force_c, moment_a, moment_b, moment_c].concat()
    });
    let sum = graph.sum(&energies);
    let half = graph.ratio(1, 2);
    let half_length = graph.mul(half, section.length);
    Acting { on_nodes, energy: graph.mul(half_length, sum), in_sections }
}

/// f of the element, from the forces and moments on its nodes in the axes of b and the Euler parameters of a, b and c.
/// A moment M in ground axes does the work M·ω with ω = 2 Im(ė ē).
fn generalized_forces(graph: &mut Graph, u: &[ExprId]) -> Vec<ExprId> {
    let [force_a, force_c, moment_a, moment_b, moment_c] = [0, 3, 6, 9, 12].map(|i| vector(&u[i..]));
    let [a, b, c] = [15, 19, 23].map(|i| &u[i..i + 4]);
    let axes = euler_parameter_rotation(graph, b);
    let [force_a, force_c, moment_a, moment_c] =
        [force_a, force_c, moment_a, moment_c].map(|part| spatial::apply(graph, &axes, part));
    let both = spatial::add(graph, force_a, force_c);
    let force_b = spatial::neg(graph, both);
    let two = graph.integer(2);
    let turned_a = turning(graph, a, moment_a);
    let turned_c = turning(graph, c, moment_c);
    let l = euler_parameter_matrix(graph, b);
    let turned_b: Vec<ExprId> = (0..4)
        .map(|j| {
            let work = graph.dot(&l.map(|row| row[j]), &moment_b);
            graph.mul(two, work)
        })
        .collect();
    [&force_a[..], &turned_a, &force_b, &turned_b, &force_c, &turned_c].concat()
}

/// 2 M e, the product of the pure quaternion M with e.
fn turning(graph: &mut Graph, e: &[ExprId], moment: Vector3) -> Vec<ExprId> {
    let two = graph.integer(2);
    let moment = spatial::scale(graph, two, moment);
    let real = graph.dot(&e[1..], &moment);
    let along = spatial::scale(graph, e[0], moment);
    let across = spatial::cross(graph, moment, vector(&e[1..]));
    let imaginary = spatial::add(graph, along, across);
    let mut result = vec![graph.neg(real)];
    result.extend(imaginary);
    result
}
