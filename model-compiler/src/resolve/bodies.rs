//! Bodies: their fields, the inertia about the centre of mass, and whether a rigid body can have it.

use std::rc::Rc;

use proc_macro2::Ident;

use super::constants::{self, evaluate};
use super::context::Context;
use super::dependence::Site;
use super::{Body, Formulation, Term, TermKind};
use crate::diagnostics::{self, Place};
use crate::expr::{Binary, Number};
use crate::parse;
use crate::space::{Shape, Space};
use crate::units::Unit;

/// Relative error that is taken for rounding.
const ROUNDING: f64 = 1e-9;

const FIELDS: [&str; 6] = ["mass", "inertia", "center_of_mass", "added_mass", "shape", "color"];

impl Context<'_> {
    /// A body with all its fields.
    pub(super) fn resolve_body(&self, body: &parse::Body) -> Option<Body> {
        for field in &body.fields {
            let name = &field.field.name;
            if !FIELDS.iter().any(|known| name == known) {
                self.errors.push(diagnostics::unknown_field("a body", name, &FIELDS));
            }
            match &field.about {
                Some(point) if name != "inertia" => self.errors.push(diagnostics::about_in_field(point, name)),
                Some(point) if point != "origin" => self.errors.push(diagnostics::wrong_reference_point(point)),
                _ => {}
            }
        }
        let (added_mass, others): (Vec<_>, Vec<_>) =
            body.added_mass.iter().partition(|block| block.word == "added_mass");
        for block in others {
            self.errors.push(diagnostics::unknown_field("a body", &block.word, &FIELDS));
        }
        let words = added_mass.iter().map(|added| &added.word);
        self.refuse_duplicates(body.fields.iter().map(|field| &field.field.name).chain(words));
        let added_mass = match added_mass.first() {
            Some(written) => self.resolve_added_mass(&body.name, written).map(Some),
            None => Some(None),
        };
        let find = |name: &str| body.fields.iter().find(|field| field.field.name == name);

        let (inertia_shape, dimension) = match self.settings.space {
            Space::Planar => (Shape::Scalar, 2),
            Space::Spatial => (Shape::Matrix(3, 3), 3),
        };
        let field = |name: &str, shape: Shape, unit: Unit, site: Site| {
            let field = find(name)?;
            Some(self.typed(&field.field.value, shape, unit).and_then(|term| self.allow(term, site)))
        };
        let mass = field("mass", Shape::Scalar, Unit::KILOGRAM, Site::Fixed("a mass"));
        let inertia = field("inertia", inertia_shape, Unit::INERTIA, Site::Fixed("an inertia"));
        let site = Site::Fixed("a center of mass");
        let center_of_mass = field("center_of_mass", Shape::Vector(dimension), Unit::METRE, site);
        for (name, value) in [("mass", &mass), ("inertia", &inertia)] {
            if value.is_none() {
                self.errors.push(diagnostics::missing_field(&body.name, "body", name));
            }
        }
        let (mass, mut inertia) = (mass??, inertia??);
        let center_of_mass = match center_of_mass {
            Some(center) => Some(center?),
            None => None,
        };
        if let Some(center) =
            center_of_mass.as_ref().filter(|_| find("inertia").is_some_and(|field| field.about.is_some()))
        {
            inertia = about_center_of_mass(inertia, &mass, center);
        }

        let place = |name: &str| find(name).map_or(Place::at(body.name.span()), |field| field.field.value.place);
        let is_massless = self.settings.formulation == Formulation::Joint
            && evaluate(&mass, &self.settled).is_some_and(|mass| mass == [0.0]);
        if !is_massless {
            self.check_mass(&mass, &body.name, place("mass"));
        }
        self.check_inertia(&inertia, &body.name, place("inertia"));
        let (name, added_mass) = (body.name.clone(), added_mass?);
        let (shapes, color) = self.appearance(body)?;
        Some(Body { name, mass, inertia, center_of_mass, added_mass, is_part: is_massless, shapes, color })
    }

    /// Reports names that occur more than once.
    pub(super) fn refuse_duplicates<'i>(&self, names: impl Iterator<Item = &'i Ident>) {
        let mut seen: Vec<&Ident> = Vec::new();
        for name in names {
            match seen.iter().find(|known| **known == name) {
                Some(first) => self.errors.push(diagnostics::duplicate_field(name, first.span())),
                None => seen.push(name),
            }
        }
    }

    fn check_mass(&self, mass: &Term, body: &Ident, place: Place) {
        if let Some([value]) = evaluate(mass, &self.defaults).as_deref()
            && (value.is_nan() || *value <= 0.0)
        {
            self.errors.push(diagnostics::not_positive(place, "mass", body, *value));
        }
    }

    fn check_inertia(&self, inertia: &Term, body: &Ident, place: Place) {
        let Some(entries) = evaluate(inertia, &self.defaults) else { return };
        let Ok(matrix) = <[f64; 9]>::try_from(entries.as_slice()) else {
            if let Some(value) = entries.first().filter(|value| value.is_nan() || **value < 0.0) {
                self.errors.push(diagnostics::not_positive(place, "inertia", body, *value));
            }
            return;
        };
        let error = match impossible_inertia(&matrix) {
            None => return,
            Some(ImpossibleInertia::NotSymmetric) => diagnostics::inertia_not_symmetric(place, body),
            Some(ImpossibleInertia::Negative) => diagnostics::inertia_not_positive_definite(place, body),
            Some(ImpossibleInertia::Triangle(moments)) => diagnostics::inertia_violates_triangle(place, body, moments),
        };
        self.errors.push(error);
    }
}

/// Why no rigid body has an inertia.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ImpossibleInertia {
    /// Inertias are symmetric matrices.
    NotSymmetric,
    /// Mass is never negative.
    Negative,
    /// No principal moment exceeds the sum of the other two.
    Triangle([f64; 3]),
}

/// Whether no rigid body has this inertia in space, a matrix in row-major order, apart from rounding.
pub fn impossible_inertia(matrix: &[f64; 9]) -> Option<ImpossibleInertia> {
    let size = matrix.iter().fold(0.0_f64, |size, entry| size.max(entry.abs()));
    let is_symmetric = [(1, 3), (2, 6), (5, 7)].iter().all(|&(a, b)| (matrix[a] - matrix[b]).abs() <= ROUNDING * size);
    if !is_symmetric {
        return Some(ImpossibleInertia::NotSymmetric);
    }
    let moments @ [small, middle, large] = constants::principal_moments(matrix);
    if small.is_nan() || small < -ROUNDING * size {
        Some(ImpossibleInertia::Negative)
    } else {
        (large - (small + middle) > ROUNDING * size).then_some(ImpossibleInertia::Triangle(moments))
    }
}

/// J = J_O − m (cᵀc 1 − c cᵀ), the parallel-axis theorem; in the plane J = J_O − m cᵀc.
fn about_center_of_mass(about_origin: Term, mass: &Term, center: &Term) -> Term {
    let span = about_origin.span;
    let product = |i: usize, j: usize| {
        let (a, b) = (center.clone().component(i), center.clone().component(j));
        Term::binary(Binary::Mul, a, b, Unit::METRE.times(Unit::METRE))
    };
    let squared = || {
        let (a, b) = (Rc::new(center.clone()), Rc::new(center.clone()));
        Term::scalar(TermKind::Dot(a, b), Unit::METRE.times(Unit::METRE), span)
    };
    let offset = match about_origin.shape {
        Shape::Matrix(n, _) => {
            let square = Unit::METRE.times(Unit::METRE);
            let entry = |i: usize, j: usize| {
                let diagonal =
                    if i == j { squared() } else { Term::scalar(TermKind::Number(Number::ZERO), square, span) };
                Term::binary(Binary::Sub, diagonal, product(i, j), square)
            };
            let row = |i: usize| Term::stack((0..n).map(|j| entry(i, j)).collect(), square, span);
            Term::stack((0..n).map(row).collect(), square, span)
        }
        Shape::Scalar | Shape::Vector(_) => squared(),
    };
    let moved = Term::binary(Binary::Mul, mass.clone(), offset, Unit::INERTIA);
    Term::binary(Binary::Sub, about_origin, moved, Unit::INERTIA)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Number;
    use proc_macro2::Span;

    fn number(value: i64) -> Term {
        Term::number(Number::from(value), Span::call_site())
    }

    fn vector(components: [i64; 3]) -> Term {
        Term::stack(components.map(number).to_vec(), Unit::ONE, Span::call_site())
    }

    /// A point mass m at c has J_O = m (cᵀc 1 − c cᵀ) about the origin, and none about itself.
    #[test]
    fn a_point_mass_has_no_inertia_about_itself() {
        let rows = [[13, -2, -3], [-2, 10, -6], [-3, -6, 5]].map(|row| vector(row.map(|entry| 2 * entry)));
        let about_origin = Term::stack(rows.to_vec(), Unit::ONE, Span::call_site());
        let moved = about_center_of_mass(about_origin, &number(2), &vector([1, 2, 3]));
        assert_eq!(evaluate(&moved, &Vec::new()), Some(vec![0.0; 9]));
    }

    #[test]
    fn in_the_plane_the_offset_counts_squared() {
        let center = Term::stack(vec![number(3), number(4)], Unit::ONE, Span::call_site());
        let moved = about_center_of_mass(number(60), &number(2), &center);
        assert_eq!(evaluate(&moved, &Vec::new()), Some(vec![10.0]));
    }
}
