//! Statements of a model other than bodies: closures, constraints, initial conditions, outputs; and their names.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::equations::{Block, Channel, Dimension, Function, FunctionRole, Layout, Output, Role};
use super::lower::{lower, lower_scalar};
use super::motion::KernelScope;
use super::parameters::Parameters;
use super::switches::Switch;
use super::terms;
use crate::expr::{ExprId, Graph};
use crate::joints::Ends;
use crate::resolve::{Constraint, Joint, JointId, Level, StateEquation, System, Term};
use crate::space::Shape;
use crate::spatial::Transform;
use crate::spelling::spelled;
use crate::units::Unit;

/// Names and units of the constraints that a joint imposes.
pub(super) fn closure_channels(system: &System, joint: &Joint) -> Vec<Channel> {
    // Number and units of the residuals depend on the kind and the space alone.
    let mut graph = Graph::new();
    let pose = Transform::identity(&mut graph);
    let one = graph.one();
    let coordinates: Vec<_> = joint.coordinates.iter().map(|term| (one, term.unit)).collect();
    let fields = vec![one; joint.fields.len()];
    let ends = Ends { space: system.space, parent: pose, child: pose, coordinates: &coordinates, fields: &fields };
    let residuals = joint.kind.closure(&mut graph, &ends);
    let name = |i: usize| if residuals.len() == 1 { joint.name.to_string() } else { format!("{}[{i}]", joint.name) };
    residuals.iter().enumerate().map(|(i, r)| Channel { name: name(i), unit: r.unit.to_string() }).collect()
}

/// The number of constraints that a joint outside of the tree imposes.
pub(super) fn closure_rows(system: &System, joint: &Joint) -> usize {
    if joint.is_tree { 0 } else { closure_channels(system, joint).len() }
}

/// Fields of joints that must be positive and that parameters may change, each once.
pub(super) fn dimensions(system: &System, parameters: &mut Parameters) -> Vec<Dimension> {
    let (mut dimensions, mut known) = (Vec::new(), FxHashSet::default());
    for joint in &system.joints {
        for (field, term) in joint.kind.fields().iter().zip(&joint.fields).filter(|(field, _)| field.is_positive) {
            let value = parameters.lower(term)[0];
            if parameters.graph.as_number(value).is_none() && known.insert(value) {
                let of = spelled(&joint.name.to_string());
                dimensions.push(Dimension { what: field.name, unit: field.unit, of, value });
            }
        }
    }
    dimensions
}

/// g of a joint that is not part of the tree, and on which side of each of its residuals it is assembled, zero where there is
/// only one.
pub(super) fn closure(scope: &mut KernelScope, joint: &Joint) -> (Vec<ExprId>, Vec<ExprId>) {
    let ends = Ends {
        space: scope.system.space,
        parent: scope.frame_pose("parent", &joint.parent),
        child: scope.frame_pose("child", &joint.child),
        coordinates: &joint.coordinates.iter().map(|term| (lower_scalar(scope, term), term.unit)).collect::<Vec<_>>(),
        fields: &scope.joint_fields(joint),
    };
    let graph = &mut scope.builder.graph;
    let residuals = joint.kind.closure(graph, &ends);
    let zero = graph.zero();
    residuals.into_iter().map(|residual| (residual.value, residual.side.unwrap_or(zero))).unzip()
}

/// Names of the constraints written as equations, in order.
pub(super) fn constraint_channels(system: &System) -> Vec<Vec<Channel>> {
    system.constraints.iter().map(|c| channels(system, &c.name.to_string(), &c.residual)).collect()
}

/// Those constraints with their rows, which are the last ones.
pub(super) fn constraint_rows<'s>(
    system: &'s System,
    layout: &Layout,
) -> impl Iterator<Item = (&'s Constraint, Range<usize>)> + use<'s> {
    let size = |constraint: &Constraint| constraint.residual.shape.size();
    let mut next = layout.constraints.len() - system.constraints.iter().map(size).sum::<usize>();
    system.constraints.iter().map(move |constraint| {
        let first = next;
        next += size(constraint);
        (constraint, first..next)
    })
}

/// The unit of a term, with the radian where it is an angle, an angular velocity or an angular acceleration.
fn unit(system: &System, term: &Term) -> String {
    let unit = term.unit.to_string();
    match unit.as_str() {
        "1" if is_angular(system, term) => "rad".to_owned(),
        "1/s" if is_angular(system, term) => "rad/s".to_owned(),
        "1/s^2" if is_angular(system, term) => "rad/s^2".to_owned(),
        _ => unit,
    }
}

/// Whether a term is a sum of multiples of angles or of their rates.
fn is_angular(system: &System, term: &Term) -> bool {
    term.is_angular(&|joint, index, level| {
        let (q, v) = crate::joints::channels(system.joints[joint.0].kind, system.space, system.rotation);
        let channels = if level == Level::Position { q } else { v };
        channels.get(index).map(|channel| channel.unit)
    })
}

/// One channel per component of a term.
fn channels(system: &System, name: &str, term: &Term) -> Vec<Channel> {
    let unit = unit(system, term);
    term.shape.component_names(name).into_iter().map(|name| Channel { name, unit: unit.clone() }).collect()
}

/// The text as written, once for each component.
fn texts(text: &str, shape: Shape) -> Vec<String> {
    match shape {
        Shape::Scalar => vec![text.to_owned()],
        _ => {
            let components = shape.component_names("");
            let component = |name: &String| format!("{text}, component {}", name.trim_start_matches('_'));
            components.iter().map(component).collect()
        }
    }
}

/// Declares outputs and initial conditions.
pub(super) fn declare(system: &System, layout: &mut Layout) {
    for output in &system.outputs {
        layout.outputs.extend(channels(system, &output.name.to_string(), &output.value));
    }
    let texts = |velocity: bool| {
        let conditions = system.initial.iter().filter(move |condition| condition.is_velocity == velocity);
        conditions.flat_map(|condition| texts(&condition.text, condition.residual.shape)).collect()
    };
    layout.initial_conditions = (texts(false), texts(true));
    let on_velocities = system.constraints.iter().filter(|constraint| constraint.is_velocity);
    layout.velocity_constraints = on_velocities.map(|constraint| constraint.residual.shape.size()).sum();
    for input in &system.inputs {
        layout.inputs.push(Channel { name: input.name.to_string(), unit: input.unit.to_string() });
    }
}

/// Declares first-order states, after all other coordinates: each is the velocity of its integral.
pub(super) fn declare_states(system: &System, layout: &mut Layout) {
    for StateEquation { name, unit, .. } in &system.states {
        let integral = unit.times(Unit::SECOND).to_string();
        layout.coordinates.push(Channel { name: format!("{name}.integral"), unit: integral });
        layout.velocities.push(Channel { name: name.to_string(), unit: unit.to_string() });
    }
    if !system.states.is_empty() {
        layout.blocks.push(Block::Vector(system.states.len()));
    }
    layout.states = system.states.len();
}

/// The joints of which outputs contain what they pass on.
pub(super) fn joints_in_outputs(system: &System) -> Vec<JointId> {
    system.outputs.iter().flat_map(|output| terms::reactions(&output.value)).collect()
}

/// All outputs of the model.
pub(super) fn outputs(scope: &mut KernelScope) -> Option<Function> {
    let system = scope.system;
    let values: Vec<ExprId> = system.outputs.iter().flat_map(|output| lower(scope, &output.value)).collect();
    scope.builder.instance_mut().outputs = (0..values.len()).collect();
    let output = Output::vector(Role::Outputs, &values);
    (!values.is_empty()).then(|| Function::new(FunctionRole::Outputs, vec![output]))
}

/// The values of switching functions; their derivatives follow.
pub(super) fn switching_functions(scope: &mut KernelScope, switches: &[Switch]) -> Option<Function> {
    let mut values: Vec<ExprId> = Vec::new();
    for &(one, other) in switches {
        let one = lower_scalar(scope, one);
        let value = match other {
            Some(other) => {
                let other = lower_scalar(scope, other);
                scope.builder.graph.sub(one, other)
            }
            None => one,
        };
        if scope.builder.graph.as_number(value).is_none() && !values.contains(&value) {
            values.push(value);
        }
    }
    scope.builder.instance_mut().switches = (0..values.len()).collect();
    let output = Output::vector(Role::Switch, &values);
    (!values.is_empty()).then(|| Function::new(FunctionRole::SwitchingFunctions, vec![output]))
}

/// The initial conditions on coordinates and on velocities.
pub(super) fn initial_conditions(scope: &mut KernelScope) -> Vec<Function> {
    let system = scope.system;
    let mut functions = Vec::new();
    for velocity in [false, true] {
        let conditions = system.initial.iter().filter(|initial| initial.is_velocity == velocity);
        let residual: Vec<ExprId> = conditions.flat_map(|initial| lower(scope, &initial.residual)).collect();
        if residual.is_empty() {
            continue;
        }
        let rows = (0..residual.len()).collect();
        let (role, jacobian) = if velocity {
            scope.builder.instance_mut().initial_velocity = rows;
            (FunctionRole::InitialVelocity, scope.builder.sparse_velocity_jacobian(&residual))
        } else {
            scope.builder.instance_mut().initial_position = rows;
            (FunctionRole::InitialPosition, scope.builder.sparse_tangent(&residual))
        };
        let jacobian = Output::sparse(Role::InitialJacobian, jacobian, scope.builder.velocities().len());
        let outputs = vec![Output::vector(Role::InitialResidual, &residual), jacobian];
        functions.push(Function::new(role, outputs));
    }
    functions
}
