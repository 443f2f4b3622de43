//! What bodies are drawn as: shapes with dimensions of parameters, and colours.

use super::constants::evaluate;
use super::context::Context;
use super::dependence::Site;
use super::{BodyShape, Color, Look};
use crate::diagnostics;
use crate::parse::{self, Value};
use crate::solids::{self, Solid};
use crate::space::Shape;
use crate::units::Unit;

impl Context<'_> {
    /// The shapes and the colour of a body.
    pub(super) fn appearance(&self, body: &parse::Body) -> Option<(Vec<BodyShape>, Option<Color>)> {
        let shapes: Vec<Option<BodyShape>> = body.shapes.iter().map(|shape| self.shape(body, shape)).collect();
        let color = body.fields.iter().find(|field| field.field.name == "color");
        let color = match color {
            Some(field) => self.color(&field.field.value).map(Some),
            None => Some(None),
        };
        Some((shapes.into_iter().collect::<Option<_>>()?, color?))
    }

    /// `body ground { … }`: only what can be seen.
    pub(super) fn resolve_ground(&self, ground: &parse::Body) -> Option<Look> {
        let words = ground.fields.iter().map(|field| &field.field.name);
        let others =
            words.clone().filter(|name| *name != "color").chain(ground.added_mass.iter().map(|block| &block.word));
        let known = self.errors.found();
        for name in others {
            self.errors.push(diagnostics::unknown_field("the ground", name, &["shape", "color"]));
        }
        self.refuse_duplicates(words);
        let (shapes, color) = self.appearance(ground)?;
        (self.errors.found() == known).then_some(Look { shapes, color })
    }

    fn shape(&self, body: &parse::Body, written: &parse::BodyShape) -> Option<BodyShape> {
        let space = self.settings.space;
        let known = || solids::ALL.iter().filter(|solid| !solid.dimensions(space).is_empty());
        let Some(solid) = known().find(|solid| written.kind == solid.keyword) else {
            if solids::find(&written.kind.to_string()).is_some() {
                return self.report(diagnostics::only_in_space(written.place, &format!("`{}`", written.kind)));
            }
            let names: Vec<&str> = known().map(|solid| solid.keyword).collect();
            return self.report(diagnostics::unknown_word("shape", &written.kind, &names));
        };
        if solid.keyword == solids::MESH {
            return self.mesh(solid, written);
        }
        let names = solid.dimensions(space);
        if written.file.is_some() || names.len() != written.dimensions.len() {
            return self.report(diagnostics::wrong_dimensions(written.place, solid.keyword, names));
        }
        let dimension = |(value, name): (&Value, &&str)| {
            let term = self.typed(value, Shape::Scalar, Unit::METRE)?;
            let term = self.allow(term, Site::Fixed("a shape"))?;
            match evaluate(&term, &self.defaults).as_deref() {
                Some([found]) if found.is_nan() || *found <= 0.0 => {
                    self.report(diagnostics::not_positive(value.place, name, &body.name, *found))
                }
                _ => Some(term),
            }
        };
        let dimensions: Vec<_> = written.dimensions.iter().zip(names).map(dimension).collect();
        let frame = self.frame(&written.at, None);
        let dimensions = dimensions.into_iter().collect::<Option<_>>()?;
        Some(BodyShape { solid, file: None, dimensions, frame: frame? })
    }

    /// A mesh of a file; negative scales mirror it.
    fn mesh(&self, solid: &'static Solid, written: &parse::BodyShape) -> Option<BodyShape> {
        let Some(file) = written.file.as_ref().filter(|_| written.dimensions.len() < 2) else {
            return self.report(diagnostics::not_a_mesh(written.place));
        };
        if !solids::is_mesh_file(&file.value()) {
            return self.report(diagnostics::not_a_mesh_file(file));
        }
        let scale = |value: &Value| {
            let shape = match self.term(value)?.shape {
                Shape::Vector(3) => Shape::Vector(3),
                _ => Shape::Scalar,
            };
            let term = self.allow(self.typed(value, shape, Unit::METRE)?, Site::Fixed("a shape"))?;
            let is_wrong = |scale: &[f64]| match scale {
                [one] => one.is_nan() || *one <= 0.0,
                parts => parts.iter().any(|part| part.is_nan() || *part == 0.0),
            };
            match evaluate(&term, &self.defaults).filter(|scale| is_wrong(scale)) {
                Some(_) => self.report(diagnostics::scale_is_zero(value.place)),
                None => Some(term),
            }
        };
        let dimensions: Vec<_> = written.dimensions.iter().map(scale).collect();
        let frame = self.frame(&written.at, None);
        let dimensions = dimensions.into_iter().collect::<Option<_>>()?;
        Some(BodyShape { solid, file: Some(file.value()), dimensions, frame: frame? })
    }

    /// A name, or red, green and blue from 0 to 1.
    fn color(&self, value: &Value) -> Option<Color> {
        if let Some(name) = value.as_name() {
            return match solids::COLORS.iter().position(|known| name == known) {
                Some(place) => Some(Color::Named(place)),
                None => self.report(diagnostics::unknown_word("color", &name, &solids::COLORS)),
            };
        }
        let term = self.typed(value, Shape::Vector(3), Unit::ONE)?;
        match evaluate(&term, &Vec::new()).as_deref() {
            Some(&[red, green, blue]) if [red, green, blue].iter().all(|part| (0.0..=1.0).contains(part)) => {
                Some(Color::Rgb([red, green, blue]))
            }
            _ => self.report(diagnostics::not_a_color(value.place)),
        }
    }
}
