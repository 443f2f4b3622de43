//! Parameters, inputs, named expressions and gravity.

use super::constants;
use super::context::Context;
use super::dependence::Site;
use super::names::Meaning;
use super::{Input, InputId, Parameter, ParameterId, Term};
use crate::diagnostics;
use crate::parse::{self, Description, Item};
use crate::space::Shape;
use crate::units::Unit;

impl<'a> Context<'_> {
    /// Declares the inputs.
    pub(super) fn declare_inputs(&mut self, written: impl Iterator<Item = &'a parse::Input>) {
        for input in written {
            let Some((unit, factor)) = self.unit(&input.unit) else {
                self.names.declare(&input.name, Meaning::Broken, self.errors);
                continue;
            };
            if !factor.is_one() {
                self.errors.push(diagnostics::input_not_in_si(input.unit.place, unit));
            }
            self.names.declare(&input.name, Meaning::Input(InputId(self.inputs.len())), self.errors);
            self.inputs.push(Input { name: input.name.clone(), unit });
        }
    }

    /// Resolves parameters and named expressions in the order written; each may use the earlier ones.
    pub(super) fn resolve_values(&mut self, description: &Description) -> Option<Vec<Parameter>> {
        for item in &description.items {
            match item {
                Item::Parameter(parameter) => self.names.declare(&parameter.name, Meaning::Pending, self.errors),
                Item::Definition(definition) => self.names.declare(&definition.name, Meaning::Pending, self.errors),
                _ => {}
            }
        }
        let mut parameters = Vec::new();
        for item in &description.items {
            match item {
                Item::Parameter(parameter) => parameters.push(self.resolve_parameter(parameter)),
                Item::Definition(definition) => self.resolve_definition(definition),
                _ => {}
            }
        }
        parameters.into_iter().collect()
    }

    fn resolve_parameter(&mut self, written: &parse::Parameter) -> Option<Parameter> {
        self.names.define(&written.name, Meaning::Itself);
        let term = self.term(&written.value);
        let Some(value) = term.and_then(|term| self.allow(term, Site::Fixed("a parameter"))) else {
            self.names.define(&written.name, Meaning::Broken);
            return None;
        };
        let default = constants::evaluate(&value, &self.defaults);
        if let Some(component) = default.iter().flatten().find(|component| !component.is_finite()) {
            self.errors.push(diagnostics::default_not_finite(written.value.place, &written.name, *component));
        }
        self.names.define(&written.name, Meaning::Parameter(ParameterId(self.parameters.len())));
        self.parameters.push((value.shape, value.unit));
        let settled = constants::evaluate(&value, &self.settled).filter(|_| written.is_constant);
        self.settled.push(settled);
        self.defaults.push(default);
        let doc = written.doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n");
        let (name, text) = (written.name.clone(), written.value.to_string());
        Some(Parameter { name, is_constant: written.is_constant, value, doc, text })
    }

    fn resolve_definition(&mut self, written: &parse::Definition) {
        self.names.define(&written.name, Meaning::Itself);
        // What it stands for is shared wherever it is used, and counts there.
        let replaced = self.replaced.get();
        let term = self.term(&written.value).and_then(|term| self.bounded(term, written.value.place));
        let meaning = match term {
            Some(term) => {
                self.replaced.set(replaced);
                let size = term.size();
                self.definitions.push((term, size));
                Meaning::Definition(self.definitions.len() - 1)
            }
            None => Meaning::Broken,
        };
        self.names.define(&written.name, meaning);
    }

    /// The acceleration of free fall, if the model has gravity.
    pub(super) fn resolve_gravity(&self, written: impl Iterator<Item = &'a parse::Gravity>) -> Option<Option<Term>> {
        let written: Vec<_> = written.collect();
        let Some((first, more)) = written.split_first() else { return Some(None) };
        for again in more {
            self.errors.push(diagnostics::repeated_setting(again.span, "gravity", first.span));
        }
        let acceleration = Unit::METRE.over(Unit::SECOND).over(Unit::SECOND);
        let term = self.typed(&first.value, Shape::Vector(self.settings.space.dimension()), acceleration)?;
        self.allow(term, Site::Fixed("gravity")).map(Some)
    }
}
