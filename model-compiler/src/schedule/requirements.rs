//! What the parameters of a model must satisfy, for a mechanical system to have them.

use crate::derive::Equations;

/// A requirement on what [`Schedule::bodies`](super::Schedule::bodies) computes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Requirement {
    /// A mass, and an inertia about the centre of mass: nine components in space, one in the plane.
    Body {
        /// Name of the body.
        name: String,
    },
    /// A positive number.
    Positive {
        /// What it is, e.g. ``the length of `beam` ``.
        what: String,
        /// What is expected, e.g. "a positive length, m".
        expected: String,
    },
    /// Entries of a symmetric matrix, pair by pair.
    Symmetric {
        /// What it is.
        what: String,
    },
    /// A positive definite mass matrix, with added mass.
    TotalMass {
        /// Name of the body.
        of: String,
    },
}

/// All of them, one for each output of [`Schedule::bodies`](super::Schedule::bodies), in the order in which they are checked.
/// Between those on bodies and the others, the laws of contacts are checked.
pub fn requirements(equations: &Equations) -> Vec<Requirement> {
    let bodies = equations.bodies.iter().map(|body| Requirement::Body { name: body.name.clone() });
    let positive = equations.dimensions.iter().map(|dimension| Requirement::Positive {
        what: format!("the {} of `{}`", dimension.what, dimension.of),
        expected: format!("a positive {}, {}", dimension.what, dimension.unit),
    });
    let symmetric = equations
        .symmetries
        .iter()
        .map(|symmetry| Requirement::Symmetric { what: format!("{} of `{}`", symmetry.what, symmetry.of) });
    let total = equations.total_masses.iter().map(|total| Requirement::TotalMass { of: total.of.clone() });
    bodies.chain(positive).chain(symmetric).chain(total).collect()
}
