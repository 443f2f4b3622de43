//! What the linearisation of a motion needs beside M, ∂r/∂v, (∂r/∂q) N and G: derivatives of the constraints' rates and
//! accelerations, of the residual with respect to inputs, and of outputs. They are derived for models that ask for them,
//! from what a kernel computes anyway.

use super::equations::{Function, FunctionRole, Instance, Kernel, Output, Role};
use super::kernel::KernelBuilder;
use crate::expr::ExprId;

/// The kernel with these functions, and with those that follow from them where the model is linearised.
pub(super) fn finish(mut builder: KernelBuilder, mut functions: Vec<Function>) -> (Kernel, Instance) {
    if builder.layout.is_linearized {
        let further = further(&mut builder, &functions);
        functions.extend(further);
    }
    builder.finish(functions)
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
    if let Some(jacobian) = find(FunctionRole::ConstraintJacobian, Role::ConstraintJacobian) {
        let bias = |role| find(FunctionRole::ConstraintBias, role);
        let (v, a) = (builder.velocities(), builder.accelerations());
        let rate = sum(builder, jacobian, &v, bias(Role::ConstraintRate));
        let acceleration = sum(builder, jacobian, &a, bias(Role::ConstraintAcceleration));
        let of_rate = builder.tangent(&rate);
        let (by_q, by_v) = (builder.tangent(&acceleration), builder.velocity_jacobian(&acceleration));
        let outputs = vec![
            Output::matrix(Role::ConstraintRateByPosition, &of_rate),
            Output::matrix(Role::ConstraintAccelerationByPosition, &by_q),
            Output::matrix(Role::ConstraintAccelerationByVelocity, &by_v),
        ];
        add(builder, FunctionRole::ConstraintDerivatives, outputs);
    }
    if let Some(residual) = find(FunctionRole::Residual, Role::Residual) {
        let residual = values(builder, residual);
        let by_u = builder.input_jacobian(&residual);
        add(builder, FunctionRole::InputDerivatives, vec![Output::matrix(Role::ForceByInput, &by_u)]);
    }
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
