//! Parameters of the model as expressions: public ones are symbols, constants are their values.

use std::collections::HashMap;

use super::equations::{Layout, ParameterChannel};
use super::lower::{Scope, lower};
use crate::expr::{ExprId, Graph, Node, Stage, SymbolId, evaluate};
use crate::resolve::{BodyId, InputId, ParameterId, Quantity, System, Term, TermKind};
use crate::space::Shape;
use crate::spatial::{self, Matrix3};

/// All parameters, and the graph of everything that depends on nothing else.
pub(super) struct Parameters {
    /// Symbols are the components of public parameters.
    pub graph: Graph,
    /// Defaults of those symbols.
    pub defaults: Vec<ExprId>,
    components: Vec<Vec<ExprId>>,
    names: HashMap<ExprId, String>,
}

impl Parameters {
    /// Declares every parameter of the system, in order.
    pub fn declare(system: &System, layout: &mut Layout) -> Self {
        let mut parameters =
            Self { graph: Graph::new(), defaults: Vec::new(), components: Vec::new(), names: HashMap::new() };
        for parameter in &system.parameters {
            let value = parameters.lower(&parameter.value);
            if parameter.is_constant {
                parameters.components.push(value);
                continue;
            }
            let name = parameter.name.to_string();
            let is_diagonal = matches!(parameter.value.kind, TermKind::Diagonal(_));
            let mut components = Vec::new();
            for (i, (component, value)) in
                parameter.value.shape.component_names(&name).into_iter().zip(value).enumerate()
            {
                // What is written as a diagonal matrix stays one: zeros that are known shorten the code.
                if is_diagonal && i % 4 != 0 {
                    components.push(parameters.graph.zero());
                    continue;
                }
                let symbol = parameters.graph.symbol(&component, Stage::Parameter);
                parameters.names.insert(symbol, component);
                parameters.defaults.push(value);
                components.push(symbol);
            }
            parameters.components.push(components);
            layout.parameters.push(ParameterChannel {
                name,
                unit: parameter.value.unit.to_string(),
                shape: if is_diagonal { Shape::Vector(3) } else { parameter.value.shape },
                doc: parameter.doc.clone(),
                default: parameter.text.clone(),
            });
        }
        parameters
    }

    /// Components of an expression of parameters alone.
    pub fn lower(&mut self, term: &Term) -> Vec<ExprId> {
        lower(self, term)
    }

    /// Values of expressions of parameters, where all parameters have their defaults.
    pub fn at_defaults(&self, values: &[ExprId]) -> Vec<f64> {
        let mut defaults = vec![0.0; self.defaults.len()];
        for (i, &default) in self.defaults.iter().enumerate() {
            defaults[i] = evaluate(&self.graph, &[default], &defaults)[0];
        }
        evaluate(&self.graph, values, &defaults)
    }

    /// The symbols of the components of these parameters.
    pub fn symbols(&self, parameters: &[ParameterId]) -> Vec<SymbolId> {
        let components = parameters.iter().flat_map(|id| &self.components[id.0]);
        let symbols = components.filter_map(|&component| match self.graph.node(component) {
            Node::Symbol(symbol) => Some(symbol),
            _ => None,
        });
        symbols.collect()
    }

    /// The name of a value that is a component of a parameter and nothing else.
    pub fn name(&self, value: ExprId) -> Option<&str> {
        self.names.get(&value).map(String::as_str)
    }
}

/// Whether an expression consists of numbers and parameters.
pub(super) fn is_parametric(term: &Term) -> bool {
    match &term.kind {
        TermKind::Number(_) | TermKind::Parameter(_) => true,
        TermKind::Input(_) | TermKind::Time | TermKind::Quantity(_) => false,
        TermKind::ExpressedIn(..) | TermKind::GivenIn(..) => false,
        TermKind::Stack(terms) | TermKind::Diagonal(terms) => terms.iter().all(is_parametric),
        TermKind::Component(a, _) | TermKind::Unary(_, a) | TermKind::Norm(a) | TermKind::Transpose(a) => {
            is_parametric(a)
        }
        TermKind::Binary(_, a, b) | TermKind::Dot(a, b) | TermKind::Cross(a, b) => is_parametric(a) && is_parametric(b),
        TermKind::Select { lhs, rhs, then, otherwise } => {
            [lhs, rhs, then, otherwise].into_iter().all(|t| is_parametric(t))
        }
    }
}

impl Scope for Parameters {
    fn graph(&mut self) -> &mut Graph {
        &mut self.graph
    }

    fn parameter(&mut self, id: ParameterId) -> Vec<ExprId> {
        self.components[id.0].clone()
    }

    // Expressions of parameters contain none of the following, as `resolve` has checked.

    fn input(&mut self, _id: InputId) -> ExprId {
        self.graph.zero()
    }

    fn time(&mut self) -> ExprId {
        self.graph.zero()
    }

    fn quantity(&mut self, _quantity: &Quantity) -> Vec<ExprId> {
        Vec::new()
    }

    fn own_motion(&mut self, _quantity: &Quantity, _axes: BodyId) -> Option<Vec<ExprId>> {
        None
    }

    fn axes(&mut self, _body: BodyId) -> Matrix3 {
        spatial::identity(&mut self.graph)
    }

    fn remember(&mut self, _body: BodyId, _in_body: &[ExprId], _in_ground: &[ExprId]) {}
}
