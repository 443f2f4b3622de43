//! Geometrically exact beams in space: their fields, and the bodies that are their nodes.
//!
//! A node is a rigid body that has the inertia of the volume around it: the sections at ±1/√3 of an element, in which its
//! forces are found, are the borders of these volumes, so that weight and forces balance volume by volume. A volume
//! moves as its node does and lies along the node's x axis; the inertia of a straight beam as a whole is exact.

use proc_macro2::Ident;

use super::constants::{self, evaluate};
use super::context::Context;
use super::dependence::Site;
use super::flexible::{EXACT_BEAM, SECTION_FORCES, field, section_forces_of};
use super::names::Meaning;
use super::outlines::BeamOutline;
use super::quantity::Subject;
use super::{Beam, Body, BodyId, Formulation, Term, TermKind};
use crate::diagnostics::{self, Place};
use crate::expr::{Binary, Number};
use crate::parse::{self, Value};
use crate::rotations::RotationKind;
use crate::space::{Shape, Space};
use crate::spelling::indexed;
use crate::units::Unit;

const FIELDS: [&str; 13] = [
    "length",
    "elements",
    "axial",
    "shear",
    "torsion",
    "bending",
    "force_stiffness",
    "coupling_stiffness",
    "moment_stiffness",
    "mass_per_length",
    "inertia_per_length",
    "curvature",
    "damping",
];
const BLOCKS: [&str; 3] = ["force_stiffness", "coupling_stiffness", "moment_stiffness"];

/// How a section resists, in blocks.
struct Stiffness {
    force: Term,
    coupling: Option<Term>,
    moment: Term,
}

impl Context<'_> {
    /// Declares beams and their nodes; `first` is the id that follows those of all other bodies. Gives the name of every
    /// node.
    pub(super) fn outline_beams(&mut self, written: &[&parse::Flexible], first: usize) -> Vec<Ident> {
        let mut nodes = Vec::new();
        for beam in written {
            let Some(elements) = self.outline_beam(beam) else {
                self.names.declare(&beam.name, Meaning::Broken, self.errors);
                continue;
            };
            let outline = BeamOutline { name: beam.name.clone(), elements, first: BodyId(first + nodes.len()) };
            self.names.declare(&beam.name, Meaning::Beam(self.beams.len()), self.errors);
            for index in 0..outline.nodes() {
                let name = outline.node(index);
                self.names.declare(&name, Meaning::Body(BodyId(first + nodes.len())), self.errors);
                nodes.push(name);
            }
            self.beams.push(outline);
        }
        nodes
    }

    fn outline_beam(&self, beam: &parse::Flexible) -> Option<usize> {
        let (place, what) = (Place::at(beam.kind.span()), format!("`{EXACT_BEAM}`"));
        if self.settings.space == Space::Planar {
            return self.report(diagnostics::only_in_space(place, &what));
        }
        if self.settings.formulation != Formulation::Absolute || self.settings.rotation != RotationKind::EulerParameters
        {
            return self.report(diagnostics::needs_euler_parameters(place, &what));
        }
        self.number_of_elements(beam)
    }

    /// A beam with its fields.
    pub(super) fn resolve_beam(&self, written: &parse::Flexible, section_forces: &[&parse::Output]) -> Option<Beam> {
        // One that cannot be here at all has been reported.
        let index = self.beams.iter().position(|outline| outline.name == written.name)?;
        let outline = &self.beams[index];
        self.refuse_unknown_fields(written, &FIELDS);
        let per_length = |unit: Unit| unit.over(Unit::METRE);
        let length = self.positive(written, "length", Unit::METRE);
        let mass_per_length = self.positive(written, "mass_per_length", per_length(Unit::KILOGRAM));
        let inertia_per_length = self.positive_vector(written, "inertia_per_length", 3, per_length(Unit::INERTIA));
        let stiffness = self.stiffness(written);
        let fixed = |name: &str, shape: Shape, unit: Unit| match field(written, name) {
            Some(value) => self.fixed(value, shape, unit).map(Some),
            None => Some(None),
        };
        let curvature = fixed("curvature", Shape::Vector(3), Unit::ONE.over(Unit::METRE));
        let damping = fixed("damping", Shape::Scalar, Unit::SECOND);
        if let (Some(Some(term)), Some(value)) = (&damping, field(written, "damping"))
            && let Some([found]) = evaluate(term, &self.defaults).as_deref()
            && (found.is_nan() || *found < 0.0)
        {
            self.errors.push(diagnostics::negative_damping(value.place, &written.name, *found));
        }
        let own = section_forces.iter().filter(|output| self.beam_with_section_forces(output) == Some(index));
        let Stiffness { force, coupling, moment } = stiffness?;
        Some(Beam {
            name: written.name.clone(),
            root: outline.root(),
            elements: outline.elements,
            length: length?,
            force_stiffness: force,
            coupling_stiffness: coupling,
            moment_stiffness: moment,
            mass_per_length: mass_per_length?,
            inertia_per_length: inertia_per_length?,
            curvature: curvature?,
            damping: damping?,
            section_forces: own.map(|output| output.name.clone()).collect(),
        })
    }

    /// The stiffness of a section: a number for every way to strain it, or blocks.
    fn stiffness(&self, written: &parse::Flexible) -> Option<Stiffness> {
        let bending_unit = Unit::NEWTON.times(Unit::METRE).times(Unit::METRE);
        if let Some(block) = BLOCKS.iter().find(|block| field(written, block).is_some()) {
            for name in ["axial", "shear", "torsion", "bending"] {
                if let Some(value) = field(written, name) {
                    self.errors.push(diagnostics::fields_exclude_each_other(value.place, name, block));
                }
            }
            return self.stiffness_in_blocks(written, bending_unit);
        }
        let axial = self.positive(written, "axial", Unit::NEWTON);
        let shear = self.positive_vector(written, "shear", 2, Unit::NEWTON);
        let torsion = self.positive(written, "torsion", bending_unit);
        let bending = self.positive_vector(written, "bending", 2, bending_unit);
        let diagonal = |first: Term, others: Term, unit: Unit| {
            let span = first.span;
            let entries = vec![first, others.clone().component(0), others.component(1)];
            Term { kind: TermKind::Diagonal(entries), shape: Shape::Matrix(3, 3), unit, span }
        };
        Some(Stiffness {
            force: diagonal(axial?, shear?, Unit::NEWTON),
            coupling: None,
            moment: diagonal(torsion?, bending?, bending_unit),
        })
    }

    fn stiffness_in_blocks(&self, written: &parse::Flexible, bending_unit: Unit) -> Option<Stiffness> {
        let [force_name, coupling_name, moment_name] = BLOCKS;
        let block = |name: &str, unit: Unit| match field(written, name) {
            Some(value) => self.fixed(value, Shape::Matrix(3, 3), unit).map(|term| (term, value.place)),
            None => self.report(diagnostics::missing_field(&written.name, "flexible member", name)),
        };
        let force = block(force_name, Unit::NEWTON);
        let coupling = match field(written, coupling_name) {
            Some(_) => block(coupling_name, Unit::NEWTON.times(Unit::METRE)).map(Some),
            None => Some(None),
        };
        let moment = block(moment_name, bending_unit);
        let ((force, place), coupling, (moment, _)) = (force?, coupling?.map(|(term, _)| term), moment?);
        let values = |term: &Term| evaluate(term, &self.defaults);
        let between = coupling.as_ref().map_or(Some(vec![0.0; 9]), values);
        if let (Some(a), Some(b), Some(d)) = (values(&force), between, values(&moment)) {
            let entry = |i: usize, j: usize| match (i < 3, j < 3) {
                (true, true) => a[3 * i + j],
                (true, false) => b[3 * i + j - 3],
                (false, true) => b[3 * j + i - 3],
                (false, false) => d[3 * i + j - 12],
            };
            let rows: Vec<Vec<f64>> = (0..6).map(|i| (0..6).map(|j| entry(i, j)).collect()).collect();
            if !constants::is_positive_definite(&rows) {
                return self.report(diagnostics::stiffness_not_positive_definite(place, &written.name));
            }
        }
        Some(Stiffness { force, coupling, moment })
    }

    /// A value of numbers and parameters.
    fn fixed(&self, value: &Value, shape: Shape, unit: Unit) -> Option<Term> {
        let term = self.typed(value, shape, unit)?;
        self.allow(term, Site::Fixed("a dimension of a flexible member"))
    }

    fn positive_vector(&self, written: &parse::Flexible, name: &str, n: usize, unit: Unit) -> Option<Term> {
        let Some(value) = field(written, name) else {
            return self.report(diagnostics::missing_field(&written.name, "flexible member", name));
        };
        let term = self.fixed(value, Shape::Vector(n), unit)?;
        let values = evaluate(&term, &self.defaults).unwrap_or_default();
        match values.into_iter().find(|value| value.is_nan() || *value <= 0.0) {
            Some(found) => self.report(diagnostics::not_positive(value.place, name, &written.name, found)),
            None => Some(term),
        }
    }

    /// The nodes of a beam as bodies.
    pub(super) fn nodes_of(&self, beam: &Beam) -> Vec<Body> {
        let last = 2 * beam.elements;
        (0..=last).map(|index| node(beam, index, last)).collect()
    }

    /// The beam whose section forces an output is, and nothing else.
    pub(super) fn beam_with_section_forces(&self, output: &parse::Output) -> Option<usize> {
        match self.names.get(&section_forces_of(output)?) {
            Some(Meaning::Beam(index)) => Some(index),
            _ => None,
        }
    }

    /// A quantity of a beam: its ends.
    pub(super) fn of_beam(&self, beam: usize, name: &Ident) -> Option<Subject> {
        if name == SECTION_FORCES {
            return self.report(diagnostics::only_as_an_output(name, &self.beams.get(beam)?.name));
        }
        self.end_of_beam(beam, name).map(|body| Subject::Body(Some(body)))
    }

    /// `shaft.root` or `shaft.tip`.
    pub(super) fn end_of_beam(&self, beam: usize, name: &Ident) -> Option<BodyId> {
        let outline = self.beams.get(beam)?;
        self.end_among(&outline.name, [outline.root(), outline.tip()], name)
    }
}

/// A node: the volume around it as a rigid body.
fn node(beam: &Beam, index: usize, last: usize) -> Body {
    let inner = 1.0 / 3.0_f64.sqrt();
    let is_end = index == 0 || index == last;
    // Of an element; around the nodes between two elements half of the volume is in each.
    let share = match (index % 2, is_end) {
        (1, _) => inner,
        (_, true) => (1.0 - inner) / 2.0,
        (_, false) => 1.0 - inner,
    };
    let square = Unit::METRE.times(Unit::METRE);
    let length = scaled(&beam.length, share / beam.elements as f64);
    let mass = Term::binary(Binary::Mul, beam.mass_per_length.clone(), length.clone(), Unit::KILOGRAM);
    let squared = Term::binary(Binary::Mul, length.clone(), length.clone(), square);
    let across = Term::binary(Binary::Mul, mass.clone(), scaled(&squared, 1.0 / 12.0), Unit::INERTIA);
    let moment = |axis: usize| {
        let per_length = beam.inertia_per_length.clone().component(axis);
        let of_sections = Term::binary(Binary::Mul, per_length, length.clone(), Unit::INERTIA);
        match axis {
            0 => of_sections,
            _ => Term::binary(Binary::Add, of_sections, across.clone(), Unit::INERTIA),
        }
    };
    let span = beam.name.span();
    let inertia = Term {
        kind: TermKind::Diagonal((0..3).map(moment).collect()),
        shape: Shape::Matrix(3, 3),
        unit: Unit::INERTIA,
        span,
    };
    let center_of_mass = is_end.then(|| {
        let zero = Term::scalar(TermKind::Number(Number::ZERO), Unit::METRE, span);
        let along = scaled(&length, if index == 0 { 0.5 } else { -0.5 });
        Term::stack(vec![along, zero.clone(), zero], Unit::METRE, span)
    });
    Body {
        name: indexed(&beam.name, &[index]),
        mass,
        inertia,
        center_of_mass,
        added_mass: None,
        is_part: true,
        shapes: Vec::new(),
        color: None,
    }
}

fn scaled(term: &Term, factor: f64) -> Term {
    let unit = term.unit;
    Term::binary(Binary::Mul, Term::number(Number::from_f64(factor), term.span), term.clone(), unit)
}
