//! Added mass: its blocks about the body's origin, the convention of its velocities, and the current. [simo, Eqs. 11-17]

use std::rc::Rc;

use proc_macro2::Ident;

use super::constants::evaluate;
use super::context::Context;
use super::dependence::Site;
use super::{AddedMass, Convention, Term};
use crate::diagnostics;
use crate::parse::{self, Field};
use crate::space::{Shape, Space};
use crate::units::Unit;

const LOW_FREQUENCY: [&str; 2] = ["low_frequency_velocity", "low_frequency_yaw_rate"];
const FIELDS: [&str; 7] = ["force", "coupling", "moment", "velocity", "current", LOW_FREQUENCY[0], LOW_FREQUENCY[1]];
const CONVENTIONS: [&str; 4] = ["relative", "yaw_only", "blocked", "low_frequency"];
/// Relative difference of two components that is taken for rounding.
const ROUNDING: f64 = 1e-9;

impl Context<'_> {
    /// The added mass of a body with all its fields.
    pub(super) fn resolve_added_mass(&self, body: &Ident, written: &parse::AddedMass) -> Option<AddedMass> {
        for field in written.fields.iter().filter(|field| !FIELDS.iter().any(|known| field.name == known)) {
            self.errors.push(diagnostics::unknown_field("an added mass", &field.name, &FIELDS));
        }
        self.refuse_duplicates(written.fields.iter().map(|field| &field.name));
        let find = |name: &str| written.fields.iter().find(|field| field.name == name);
        let (force_shape, coupling_shape, moment_shape) = match self.settings.space {
            Space::Spatial => (Shape::Matrix(3, 3), Shape::Matrix(3, 3), Shape::Matrix(3, 3)),
            Space::Planar => (Shape::Matrix(2, 2), Shape::Vector(2), Shape::Scalar),
        };
        let block = |name: &str, shape: Shape, unit: Unit| match find(name) {
            Some(field) => self.allow(self.typed(&field.value, shape, unit)?, Site::Fixed("an added mass")).map(Some),
            None => Some(None),
        };
        let force = block("force", force_shape, Unit::KILOGRAM);
        let coupling = block("coupling", coupling_shape, Unit::KILOGRAM.times(Unit::METRE));
        let moment = block("moment", moment_shape, Unit::INERTIA);
        for (name, value) in [("force", &force), ("moment", &moment)] {
            match (value, find(name)) {
                (Some(None), _) => self.errors.push(diagnostics::missing_field(&written.word, "field", name)),
                (Some(Some(term)), Some(field)) => self.check_symmetry(term, field, body),
                _ => {}
            }
        }
        let vector = Shape::Vector(self.settings.space.dimension());
        let speed = Unit::METRE.over(Unit::SECOND);
        let current = match find("current") {
            Some(field) => {
                self.typed(&field.value, vector, speed).and_then(|term| self.allow(term, Site::Current)).map(Some)
            }
            None => Some(None),
        };
        let convention = self.convention(written);
        Some(AddedMass {
            force: force??,
            coupling: coupling?,
            moment: moment??,
            convention: convention?,
            current: current?,
        })
    }

    fn convention(&self, written: &parse::AddedMass) -> Option<Convention> {
        let find = |name: &str| written.fields.iter().find(|field| field.name == name);
        let word = match find("velocity") {
            None => None,
            Some(field) => match field.value.as_name() {
                Some(name) if CONVENTIONS.iter().any(|known| name == known) => Some(name.to_string()),
                Some(name) => return self.report(diagnostics::unknown_word("convention", &name, &CONVENTIONS)),
                None => {
                    let expected = "`relative`, `yaw_only`, `blocked` or `low_frequency`";
                    return self.report(diagnostics::wrong_kind(field.value.place, expected, "a value"));
                }
            },
        };
        if word.as_deref() != Some("low_frequency") {
            for field in LOW_FREQUENCY.iter().filter_map(|name| find(name)) {
                self.errors.push(diagnostics::field_of_other_convention(&field.name, "low_frequency"));
            }
        }
        Some(match word.as_deref() {
            None | Some("relative") => Convention::Relative,
            Some("yaw_only") => Convention::YawOnly,
            Some("blocked") => Convention::Blocked,
            Some(_) => {
                let rate = Unit::ONE.over(Unit::SECOND);
                let vector = Shape::Vector(self.settings.space.dimension());
                let field = |name: &str, shape: Shape, unit: Unit| match find(name) {
                    Some(field) => self.allow(self.typed(&field.value, shape, unit)?, Site::Rate).map(Rc::new),
                    None => self.report(diagnostics::missing_field(&written.word, "field", name)),
                };
                let velocity = field(LOW_FREQUENCY[0], vector, Unit::METRE.times(rate));
                let yaw_rate = field(LOW_FREQUENCY[1], Shape::Scalar, rate);
                Convention::LowFrequency { velocity: velocity?, yaw_rate: yaw_rate? }
            }
        })
    }

    fn check_symmetry(&self, term: &Term, field: &Field, body: &Ident) {
        let Shape::Matrix(n, _) = term.shape else { return };
        let Some(entries) = evaluate(term, &self.defaults) else { return };
        let size = entries.iter().fold(0.0_f64, |size, entry| size.max(entry.abs()));
        let is_skewed = |i: usize, j: usize| {
            let difference = (entries[n * i + j] - entries[n * j + i]).abs();
            difference.is_nan() || difference > ROUNDING * size
        };
        if (0..n).any(|i| (0..i).any(|j| is_skewed(i, j))) {
            self.errors.push(diagnostics::added_mass_not_symmetric(field.value.place, &field.name, body));
        }
    }
}
