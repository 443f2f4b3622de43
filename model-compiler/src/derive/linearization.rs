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
    builder.finish(functions)
}

/// The kernel that tells how the configuration from which assembly starts depends on the parameters that are asked for, if
/// it does.
pub(super) fn reference(context: &mut Context, reference: &[ExprId]) -> Option<(Kernel, Instance)> {
    let doc = "How the configuration from which assembly starts depends on parameters.";
    let mut builder = KernelBuilder::new("reference", doc, "reference", context.parameters, context.layout);
    let mut entries = Vec::new();
    let (mut rows, mut columns): (Vec<usize>, Vec<usize>) = Default::default();
    let place = |places: &mut Vec<usize>, index: usize| {
        places.iter().position(|&known| known == index).unwrap_or_else(|| {
            places.push(index);
            places.len() - 1
        })
    };
    for (column, &symbol) in builder.layout.differentiated.iter().enumerate() {
        let graph = &mut builder.parameters.graph;
        let (by, one, zero) = (graph.symbol_expr(symbol), graph.one(), graph.zero());
        let rates = graph.directional(reference, &[(by, one)]);
        for (row, rate) in rates.into_iter().enumerate().filter(|&(_, rate)| rate != zero) {
            let value = builder.parameter(&format!("rate_{}", entries.len()), rate, false);
            entries.push(Entry { row: place(&mut rows, row), column: place(&mut columns, column), value });
        }
    }
    if entries.is_empty() {
        return None;
    }
    entries.sort_by_key(|entry| (entry.column, entry.row));
    let shape = (rows.len(), columns.len());
    (builder.instance_mut().reference, builder.instance_mut().differentiated) = (rows, columns);
    let output = Output { role: Role::ReferenceByParameter, shape, entries };
    Some(builder.finish(vec![Function::new(FunctionRole::InitialDerivatives, vec![output])]))
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
        let outputs = vec![
            Output::matrix(Role::OutputByPosition, &by_q),
            Output::matrix(Role::OutputByVelocity, &by_v),
            Output::matrix(Role::OutputByAcceleration, &by_a),
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
