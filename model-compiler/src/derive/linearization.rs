//! What the linearisation of a motion needs beside M, ∂r/∂v, (∂r/∂q) N and G: derivatives of the constraints' rates and
//! accelerations, of the residual with respect to inputs, and of outputs; and derivatives with respect to parameters. They
//! are derived for models that ask for them, from what a kernel computes anyway.
//!
//! A member has parameters of its own, which are expressions of those of the model. Their derivatives are parameters of
//! the member too, computed once; so members that are equal share the formulas.

use super::context::Context;
use super::equations::{Entry, Function, FunctionRole, Instance, Kernel, Output, Role};
use super::kernel::KernelBuilder;
use crate::expr::ExprId;

/// The kernel with these functions, and with those that follow from them where the model is linearised.
pub(super) fn finish(mut builder: KernelBuilder, functions: Vec<Function>) -> (Kernel, Instance) {
    builder.declare_seeds();
    complete(builder, functions)
}

/// The same where the derivatives of the member's parameters are declared already.
pub(super) fn complete(mut builder: KernelBuilder, mut functions: Vec<Function>) -> (Kernel, Instance) {
    if builder.layout.is_linearized {
        let further = further(&mut builder, &functions);
        functions.extend(further);
    }
    let switching = functions.iter_mut().find(|function| function.role == FunctionRole::SwitchingFunctions);
    switching.into_iter().for_each(|function| differentiate_switches(&mut builder, function));
    builder.finish(functions)
}

/// The kernels that tell how values that do not depend on the motion depend on the parameters that are asked for.
pub(super) fn of_constants(
    context: &mut Context,
    reference: &[ExprId],
) -> impl Iterator<Item = (Kernel, Instance)> + use<> {
    [self::reference(context, reference), laws(context)].into_iter().flatten()
}

/// The kernel that tells how the configuration from which assembly starts depends on the parameters that are asked for, if
/// it does.
fn reference(context: &mut Context, reference: &[ExprId]) -> Option<(Kernel, Instance)> {
    let doc = "How the configuration from which assembly starts depends on parameters.";
    let mut builder = KernelBuilder::new("reference", doc, "reference", context.parameters, context.layout);
    let [(output, rows)] = of_values(&mut builder, [(Role::ReferenceByParameter, reference)]);
    if rows.is_empty() {
        return None;
    }
    builder.instance_mut().reference = rows;
    Some(builder.finish(vec![Function::new(FunctionRole::InitialDerivatives, vec![output])]))
}

/// The kernel that tells how the laws of the contacts depend on the parameters that are asked for, if they do.
fn laws(context: &mut Context) -> Option<(Kernel, Instance)> {
    let Context { system, parameters, layout } = context;
    let (mut restitution, mut friction) = (Vec::new(), Vec::new());
    for (contact, channel) in system.contacts.iter().zip(&layout.contacts) {
        let law = contact.law.map(|value| parameters.lower(value)[0]);
        restitution.push(law.restitution);
        restitution.extend((0..channel.tangents).map(|_| law.tangential_restitution));
        friction.push(law.friction);
    }
    let doc = "How the laws of the contacts depend on parameters.";
    let mut builder = KernelBuilder::new("laws", doc, "laws", parameters, layout);
    let values = [(Role::RestitutionByParameter, &restitution[..]), (Role::FrictionByParameter, &friction[..])];
    let [(of_restitution, rows), (of_friction, contacts)] = of_values(&mut builder, values);
    if rows.is_empty() && contacts.is_empty() {
        return None;
    }
    (builder.instance_mut().contact_rows, builder.instance_mut().contacts) = (rows, contacts);
    let outputs = [of_restitution, of_friction].into_iter().filter(|output| !output.entries.is_empty());
    Some(builder.finish(vec![Function::new(FunctionRole::ContactParameterDerivatives, outputs.collect())]))
}

/// Derivatives of values that do not depend on the motion by the parameters that are asked for, as parameters of the kernel,
/// and which of the values have any.
fn of_values<const N: usize>(builder: &mut KernelBuilder, of: [(Role, &[ExprId]); N]) -> [(Output, Vec<usize>); N] {
    let place = |places: &mut Vec<usize>, index: usize| {
        places.iter().position(|&known| known == index).unwrap_or_else(|| {
            places.push(index);
            places.len() - 1
        })
    };
    let (mut columns, mut count) = (Vec::new(), 0);
    let mut found = of.map(|(role, values)| {
        let (mut rows, mut entries) = (Vec::new(), Vec::new());
        for (column, &symbol) in builder.layout.differentiated.iter().enumerate() {
            let graph = &mut builder.parameters.graph;
            let (by, one, zero) = (graph.symbol_expr(symbol), graph.one(), graph.zero());
            let rates = graph.directional(values, &[(by, one)]);
            for (row, rate) in rates.into_iter().enumerate().filter(|&(_, rate)| rate != zero) {
                let value = builder.parameter(&format!("rate_{count}"), rate, false);
                count += 1;
                entries.push(Entry { row: place(&mut rows, row), column: place(&mut columns, column), value });
            }
        }
        entries.sort_by_key(|entry| (entry.column, entry.row));
        (Output { role, shape: (rows.len(), 0), entries }, rows)
    });
    found.iter_mut().for_each(|(output, _)| output.shape.1 = columns.len());
    builder.instance_mut().differentiated = columns;
    found
}

fn further(builder: &mut KernelBuilder, known: &[Function]) -> Vec<Function> {
    let find = |function, role| {
        let function = known.iter().find(|known| known.role == function)?;
        function.outputs.iter().find(|output| output.role == role)
    };
    let mut functions = Vec::new();
    let mut add = |builder: &KernelBuilder, role: FunctionRole, outputs: Vec<Output>| {
        let outputs: Vec<Output> = outputs.into_iter().map(|output| output.without_zeros(&builder.graph)).collect();
        if outputs.iter().any(|output| !output.entries.is_empty()) {
            functions.push(Function::new(role, outputs));
        }
    };
    let bias = |role| find(FunctionRole::ConstraintBias, role);
    let rates = find(FunctionRole::ConstraintJacobian, Role::ConstraintJacobian).map(|jacobian| {
        let (v, a) = (builder.velocities(), builder.accelerations());
        let rate = sum(builder, jacobian, &v, bias(Role::ConstraintRate));
        (rate, sum(builder, jacobian, &a, bias(Role::ConstraintAcceleration)))
    });
    if let Some((rate, acceleration)) = &rates {
        let of_rate = builder.tangent(rate);
        let (by_q, by_v) = (builder.tangent(acceleration), builder.velocity_jacobian(acceleration));
        let outputs = vec![
            Output::matrix(Role::ConstraintRateByPosition, &of_rate),
            Output::matrix(Role::ConstraintAccelerationByPosition, &by_q),
            Output::matrix(Role::ConstraintAccelerationByVelocity, &by_v),
        ];
        add(builder, FunctionRole::ConstraintDerivatives, outputs);
    }
    if let Some(directions) = find(FunctionRole::ContactJacobian, Role::ContactJacobian) {
        let v = builder.velocities();
        let bias = find(FunctionRole::ContactBias, Role::ContactRate);
        let velocity = sum(builder, directions, &v, bias);
        let by_q = Output::matrix(Role::ContactRateByPosition, &builder.tangent(&velocity));
        add(builder, FunctionRole::ContactDerivatives, vec![by_q]);
        let gaps = find(FunctionRole::ContactGap, Role::ContactGap).map(|gaps| values(builder, gaps));
        let by_p = builder.parameter_jacobian(&gaps.unwrap_or_default());
        let outputs = vec![
            Output::matrix(Role::GapByParameter, &by_p),
            Output::matrix(Role::ContactRateByParameter, &builder.parameter_jacobian(&velocity)),
        ];
        add(builder, FunctionRole::ContactParameterDerivatives, outputs);
    }
    let (rate, acceleration) = rates.unwrap_or_default();
    let of_residual = |builder: &mut KernelBuilder, role| {
        find(FunctionRole::Residual, role).map(|output| values(builder, output)).unwrap_or_default()
    };
    let residual = of_residual(builder, Role::Residual);
    let constraint = of_residual(builder, Role::Constraint);
    let by_u = builder.input_jacobian(&residual);
    add(builder, FunctionRole::InputDerivatives, vec![Output::matrix(Role::ForceByInput, &by_u)]);
    let of_parameters = [
        (Role::ForceByParameter, residual),
        (Role::ConstraintByParameter, constraint),
        (Role::ConstraintRateByParameter, rate),
        (Role::ConstraintAccelerationByParameter, acceleration),
    ];
    let of_parameters = of_parameters.map(|(role, y)| Output::matrix(role, &builder.parameter_jacobian(&y)));
    add(builder, FunctionRole::ParameterDerivatives, of_parameters.into());
    if let Some(outputs) = find(FunctionRole::Outputs, Role::Outputs) {
        let y = values(builder, outputs);
        let (by_q, by_v) = (builder.tangent(&y), builder.velocity_jacobian(&y));
        let (by_a, by_u) = (builder.acceleration_jacobian(&y), builder.input_jacobian(&y));
        let by_lambda = builder.multiplier_jacobian(&y);
        let outputs = vec![
            Output::matrix(Role::OutputByPosition, &by_q),
            Output::matrix(Role::OutputByVelocity, &by_v),
            Output::matrix(Role::OutputByAcceleration, &by_a),
            Output::matrix(Role::OutputByMultiplier, &by_lambda),
            Output::matrix(Role::OutputByInput, &by_u),
        ];
        add(builder, FunctionRole::OutputDerivatives, outputs);
        let by_p = Output::matrix(Role::OutputByParameter, &builder.parameter_jacobian(&y));
        add(builder, FunctionRole::OutputParameterDerivatives, vec![by_p]);
    }
    if !builder.layout.differentiated.is_empty() {
        let of_start = |builder: &mut KernelBuilder, function| {
            find(function, Role::InitialResidual).map(|output| values(builder, output)).unwrap_or_default()
        };
        let on_positions = of_start(builder, FunctionRole::InitialPosition);
        let on_velocities = of_start(builder, FunctionRole::InitialVelocity);
        let outputs = vec![
            Output::matrix(Role::InitialPositionByParameter, &builder.parameter_jacobian(&on_positions)),
            Output::matrix(Role::InitialVelocityByParameter, &builder.parameter_jacobian(&on_velocities)),
            Output::matrix(Role::InitialVelocityByPosition, &builder.tangent(&on_velocities)),
        ];
        add(builder, FunctionRole::InitialDerivatives, outputs);
    }
    functions
}

/// The rates and derivatives of switching functions.
fn differentiate_switches(builder: &mut KernelBuilder, function: &mut Function) {
    let s = values(builder, &function.outputs[0]);
    function.outputs.extend([
        Output::vector(Role::SwitchRate, &builder.convective(&s)),
        Output::matrix(Role::SwitchByPosition, &builder.tangent(&s)),
        Output::matrix(Role::SwitchByVelocity, &builder.velocity_jacobian(&s)),
        Output::matrix(Role::SwitchByParameter, &builder.parameter_jacobian(&s)),
    ]);
    let outputs = core::mem::take(&mut function.outputs);
    function.outputs = outputs.into_iter().map(|output| output.without_zeros(&builder.graph)).collect();
}

/// All entries of a vector.
fn values(builder: &mut KernelBuilder, vector: &Output) -> Vec<ExprId> {
    let mut values = vec![builder.graph.zero(); vector.shape.0];
    vector.entries.iter().for_each(|entry| values[entry.row] = entry.value);
    values
}

/// A matrix times a vector, and a vector that may be nothing.
fn sum(builder: &mut KernelBuilder, matrix: &Output, factors: &[ExprId], bias: Option<&Output>) -> Vec<ExprId> {
    let mut sums = match bias {
        Some(bias) => values(builder, bias),
        None => vec![builder.graph.zero(); matrix.shape.0],
    };
    for entry in &matrix.entries {
        let term = builder.graph.mul(entry.value, factors[entry.column]);
        sums[entry.row] = builder.graph.add(sums[entry.row], term);
    }
    sums
}
