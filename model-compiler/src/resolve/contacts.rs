//! Contacts: gap and slip as expressions or by what touches, restitution and friction.

use std::rc::Rc;

use super::conditions::depends_on;
use super::constants::evaluate;
use super::context::Context;
use super::dependence::{Cause, Site};
use super::{Contact, ContactForm, Frame, Slip, Term};
use crate::contacts::{self, ContactLaw, Kind, LAW_FIELDS};
use crate::diagnostics;
use crate::expr::Number;
use crate::parse::{self, Field};
use crate::space::{Shape, Space};
use crate::units::Unit;

impl Context<'_> {
    /// A contact with its law.
    pub(super) fn resolve_contact(&self, contact: &parse::Contact) -> Option<Contact> {
        let kind = match &contact.kind {
            Some(written) => Some((self.contact_kind(written)?, written)),
            None => None,
        };
        let own = match kind {
            Some((kind, _)) => kind.field().map(|(name, _)| name).into_iter().collect(),
            None => vec!["gap", "slip"],
        };
        let known: Vec<&str> = own.into_iter().chain(LAW_FIELDS).collect();
        for field in contact.fields.iter().filter(|field| !known.iter().any(|known| field.name == known)) {
            self.errors.push(diagnostics::unknown_field("a contact", &field.name, &known));
        }
        self.refuse_duplicates(contact.fields.iter().map(|field| &field.name));
        let restitution = self.law(contact, "restitution", 1.0);
        let tangential_restitution = self.law(contact, "tangential_restitution", 1.0);
        let friction = self.law(contact, "friction", f64::INFINITY);
        let form = match kind {
            Some((kind, written)) => self.contact_of_kind(contact, kind, written),
            None => self.written_contact(contact),
        };
        let law = ContactLaw {
            restitution: restitution?,
            tangential_restitution: tangential_restitution?,
            friction: friction?,
        };
        Some(Contact { name: contact.name.clone(), form: form?, law })
    }

    fn contact_kind(&self, written: &parse::ContactKind) -> Option<&'static Kind> {
        let Some(kind) = contacts::find(&written.word.to_string()) else {
            let here = contacts::ALL.iter().filter(|kind| kind.space == self.settings.space);
            let known: Vec<&str> = here.map(|kind| kind.keyword).collect();
            return self.report(diagnostics::unknown_word("kind of contact", &written.word, &known));
        };
        let quoted = format!("`{}`", kind.keyword);
        match (kind.space, self.settings.space) {
            (Space::Planar, Space::Spatial) => self.report(diagnostics::only_in_plane(&written.word, &quoted)),
            (Space::Spatial, Space::Planar) => self.report(diagnostics::only_in_space(&written.word, &quoted)),
            _ => Some(kind),
        }
    }

    /// A value of the law, from zero to the largest; zero if it is not written.
    fn law(&self, contact: &parse::Contact, name: &'static str, largest: f64) -> Option<Term> {
        let Some(field) = find(contact, name) else {
            return Some(Term::number(Number::ZERO, contact.name.span()));
        };
        let law = self.typed(&field.value, Shape::Scalar, Unit::ONE)?;
        let law = self.allow(law, Site::Fixed("the law of a contact"))?;
        if let Some([value]) = evaluate(&law, &self.defaults).as_deref()
            && !(0.0..=largest).contains(value)
        {
            return self.report(diagnostics::law_out_of_range(field.value.place, name, &contact.name, largest, *value));
        }
        Some(law)
    }

    fn written_contact(&self, contact: &parse::Contact) -> Option<ContactForm> {
        let slip = find(contact, "slip");
        let friction = find(contact, "friction");
        if slip.is_none()
            && let Some(field) = friction.or_else(|| find(contact, "tangential_restitution"))
        {
            self.errors.push(diagnostics::friction_without_slip(&field.name));
        }
        if slip.is_some() && friction.is_none() {
            self.errors.push(diagnostics::missing_field(&contact.name, "contact", "friction"));
        }
        let Some(gap) = find(contact, "gap") else {
            return self.report(diagnostics::missing_field(&contact.name, "contact", "gap"));
        };
        let gap = self.gap(gap);
        let slip = slip.map(|slip| self.slip(slip, gap.as_ref().map(|gap| gap.unit)));
        Some(ContactForm::Written {
            gap: Rc::new(gap?),
            slip: match slip {
                Some(slip) => Some(Box::new(slip?)),
                None => None,
            },
        })
    }

    fn gap(&self, field: &Field) -> Option<Term> {
        let place = field.value.place;
        let gap = self.keep(self.operand(&field.value)?.require_scalar())?;
        let gap = self.allow(gap, Site::Gap)?;
        if !depends_on(&gap, Cause::Position) {
            return self.report(diagnostics::no_motion(place, "a gap", "positions"));
        }
        if gap.unit != Unit::METRE && !gap.unit.is_one() {
            return self.report(diagnostics::wrong_unit(place, Unit::METRE, gap.unit));
        }
        Some(gap)
    }

    /// A displacement or a velocity, by whether it contains velocities.
    fn slip(&self, field: &Field, gap: Option<Unit>) -> Option<Slip> {
        let place = field.value.place;
        let value = self.operand(&field.value)?.term;
        let value = self.allow(value, Site::Slip)?;
        let is_velocity = match value.velocity_degree() {
            Ok(degree) => degree == 1,
            Err(span) => return self.report(diagnostics::not_linear_in_velocities(span, "a slip")),
        };
        if !is_velocity && !depends_on(&value, Cause::Position) {
            return self.report(diagnostics::no_motion(place, "a slip", "positions or velocities"));
        }
        match (value.shape, self.settings.space) {
            (Shape::Scalar, _) | (Shape::Vector(2), Space::Spatial) => {}
            (found, Space::Planar) => return self.report(diagnostics::wrong_shape(place, Shape::Scalar, found)),
            (found, Space::Spatial) => {
                return self.report(diagnostics::wrong_shape_in_words(place, "a scalar or a vector of 2", found));
            }
        }
        let expected = if is_velocity { gap?.over(Unit::SECOND) } else { gap? };
        if value.unit != expected {
            return self.report(diagnostics::wrong_unit(place, expected, value.unit));
        }
        Some(Slip { value, is_velocity })
    }

    fn contact_of_kind(
        &self,
        contact: &parse::Contact,
        kind: &'static Kind,
        written: &parse::ContactKind,
    ) -> Option<ContactForm> {
        let is_rough = find(contact, "friction").is_some();
        if !is_rough && find(contact, "tangential_restitution").is_some() {
            self.errors.push(diagnostics::missing_field(&contact.name, "contact", "friction"));
        }
        let radii = kind.field().map(|(name, shape)| self.radii(contact, name, shape));
        let [first, second] = written.ends.as_slice() else {
            let found = written.ends.len();
            return self.report(diagnostics::wrong_number_of_ends(&contact.name, &written.word, "2", found));
        };
        let center = |end| self.point_end(end, diagnostics::round_has_no_axes);
        let frames: [Option<Frame>; 2] =
            [center(first), if kind.is_flat() { self.joint_end(second, None) } else { center(second) }];
        let [Some(a), Some(b)] = frames else { return None };
        if a.body == b.body {
            return self.report(diagnostics::joint_to_itself(&second.name));
        }
        let radii = match radii {
            Some(radii) => Some(radii?),
            None => None,
        };
        Some(ContactForm::Kind { kind, frames: Box::new([a, b]), radii, is_rough })
    }

    fn radii(&self, contact: &parse::Contact, name: &'static str, shape: Shape) -> Option<Term> {
        let Some(field) = find(contact, name) else {
            return self.report(diagnostics::missing_field(&contact.name, "contact", name));
        };
        let radii = self.typed(&field.value, shape, Unit::METRE)?;
        let radii = self.allow(radii, Site::Fixed("a radius"))?;
        let values = evaluate(&radii, &self.defaults).unwrap_or_default();
        if let Some(value) = values.into_iter().find(|radius| radius.is_nan() || *radius <= 0.0) {
            return self.report(diagnostics::not_positive(field.value.place, "radius", &contact.name, value));
        }
        Some(radii)
    }
}

fn find<'f>(contact: &'f parse::Contact, name: &str) -> Option<&'f Field> {
    contact.fields.iter().find(|field| field.name == name)
}
