//! Every function of a model as the interpreter runs its statements, in the order of `functions.rs`.
//!
//! Other packages include this file by its path.

use hamel::{ModelInfo, SparsityPattern};
use hamel_compiler::derive::{Equations, FunctionRole, Role};
use hamel_compiler::expr::{Binary, Scalar, Unary};
use hamel_compiler::schedule::Schedule;
use hamel_compiler::schedule::interpret::{Arguments, Interpreter, Point, defaults, run};
use hamel_compiler::schedule::placement::axes;
use hamel_compiler::schedule::totals;

/// The factors with which `functions.rs` asks for the iteration matrix: of M, of ∂r/∂v and of (∂r/∂q) N.
const FACTORS: [f64; 3] = [0.7, 0.3, 0.05];

/// A model with its default parameters.
pub struct Interpreted<'a, T> {
    equations: &'a Equations,
    schedule: &'a Schedule,
    info: &'a ModelInfo,
    interpreter: Interpreter<'a, T>,
}

impl<'a, T: Scalar> Interpreted<'a, T> {
    pub fn new(equations: &'a Equations, schedule: &'a Schedule, info: &'a ModelInfo) -> Self {
        let interpreter = Interpreter::new(equations, schedule, defaults(schedule));
        Self { equations, schedule, info, interpreter }
    }

    /// The values of the function of this name; `None` where the interpreter does not know it.
    pub fn function(&self, name: &str, point: &Point<T>) -> Option<Vec<T>> {
        use FunctionRole as F;
        let info = self.info;
        let output = |function, role| self.output(function, role, point);
        let derivative = |role| output(F::Linearization, role);
        let both = |function, first, second| [output(function, first), output(function, second)].concat();
        let values = match name {
            "mass_matrix" => of_pattern(&info.mass_matrix, &output(F::MassMatrix, Role::MassMatrix)),
            "bias_force" => output(F::BiasForce, Role::BiasForce),
            "applied_force" => output(F::AppliedForce, Role::AppliedForce),
            "constraint" => output(F::Constraint, Role::Constraint),
            "constraint_jacobian" => {
                of_pattern(&info.constraint_jacobian, &output(F::ConstraintJacobian, Role::ConstraintJacobian))
            }
            "constraint_bias" => both(F::ConstraintBias, Role::ConstraintRate, Role::ConstraintAcceleration),
            "contact_gap" => output(F::ContactGap, Role::ContactGap),
            "contact_jacobian" => {
                of_pattern(&info.contact_jacobian, &output(F::ContactJacobian, Role::ContactJacobian))
            }
            "contact_bias" => both(F::ContactBias, Role::ContactRate, Role::ContactAcceleration),
            "contact_laws" => self.contact_laws(),
            "energy" => both(F::Energy, Role::KineticEnergy, Role::PotentialEnergy),
            "power" if self.equations.layout.has_unknown_power => return None,
            "power" => output(F::Power, Role::Power),
            "outputs" => output(F::Outputs, Role::Outputs),
            "residual" => both(F::Residual, Role::Residual, Role::Constraint),
            "iteration_matrix" => self.iteration_matrix(point),
            "damping" => of_pattern(&info.damping, &derivative(Role::Damping)),
            "stiffness" => of_pattern(&info.stiffness, &derivative(Role::Stiffness)),
            "reference_configuration" => self.interpreter.reference_configuration(),
            "initial_position" => both(F::InitialPosition, Role::InitialResidual, Role::InitialJacobian),
            "initial_velocity" => both(F::InitialVelocity, Role::InitialResidual, Role::InitialJacobian),
            "residual_derivatives" => [
                of_pattern(&info.mass_matrix, &derivative(Role::MassMatrix)),
                of_pattern(&info.damping, &derivative(Role::Damping)),
                of_pattern(&info.stiffness, &derivative(Role::Stiffness)),
                of_pattern(&info.constraint_jacobian, &derivative(Role::ConstraintJacobian)),
            ]
            .concat(),
            "constraint_derivatives" => [
                Role::ConstraintRateByPosition,
                Role::ConstraintAccelerationByPosition,
                Role::ConstraintAccelerationByVelocity,
            ]
            .map(|role| output(F::ConstraintDerivatives, role))
            .concat(),
            "contact_derivatives" => output(F::ContactDerivatives, Role::ContactRateByPosition),
            "contact_parameter_derivatives" => [
                Role::GapByParameter,
                Role::ContactRateByParameter,
                Role::RestitutionByParameter,
                Role::FrictionByParameter,
            ]
            .map(|role| output(F::ContactParameterDerivatives, role))
            .concat(),
            "input_derivatives" => output(F::InputDerivatives, Role::ForceByInput),
            "output_derivatives" => [
                Role::OutputByPosition,
                Role::OutputByVelocity,
                Role::OutputByAcceleration,
                Role::OutputByMultiplier,
                Role::OutputByInput,
            ]
            .map(|role| output(F::OutputDerivatives, role))
            .concat(),
            "parameter_derivatives" => [
                Role::ForceByParameter,
                Role::ConstraintByParameter,
                Role::ConstraintRateByParameter,
                Role::ConstraintAccelerationByParameter,
            ]
            .map(|role| output(F::ParameterDerivatives, role))
            .concat(),
            "output_parameter_derivatives" => output(F::OutputParameterDerivatives, Role::OutputByParameter),
            "initial_derivatives" => [
                Role::InitialPositionByParameter,
                Role::InitialVelocityByParameter,
                Role::InitialVelocityByPosition,
                Role::ReferenceByParameter,
            ]
            .map(|role| output(F::InitialDerivatives, role))
            .concat(),
            "switching_functions" => [
                Role::Switch,
                Role::SwitchRate,
                Role::SwitchByPosition,
                Role::SwitchByVelocity,
                Role::SwitchByParameter,
            ]
            .map(|role| output(F::SwitchingFunctions, role))
            .concat(),
            _ => return self.on_request(name, point),
        };
        Some(values)
    }

    /// All results of a function on request, one after the other.
    fn on_request(&self, function: &str, point: &Point<T>) -> Option<Vec<T>> {
        let known =
            totals::functions(self.equations, self.schedule).into_iter().find(|known| known.name == function)?;
        Some(self.interpreter.evaluate(known.role, point).into_iter().flat_map(|(_, dense)| dense.values).collect())
    }

    /// One output of a function, row by row.
    fn output(&self, function: FunctionRole, role: Role, point: &Point<T>) -> Vec<T> {
        let layout = &self.equations.layout;
        let (rows, columns) = axes(function, role, (0, 0));
        self.interpreter.output(function, role, point, (rows.size(layout), columns.size(layout))).values
    }

    /// Fields of the laws of all contacts.
    fn contact_laws(&self) -> Vec<T> {
        let laws = run(&self.schedule.contact_laws, &Arguments::of_parameters(defaults::<T>(self.schedule)));
        self.schedule.law_of_contact.iter().flat_map(|&law| laws[law].clone()).collect()
    }

    /// `[ ca M + cv ∂r/∂v + cq (∂r/∂q) N , −Gᵀ ; G , 0 ]`
    fn iteration_matrix(&self, point: &Point<T>) -> Vec<T> {
        let nv = point.v.len();
        let n = nv + self.equations.layout.constraints.len();
        let mut dense = vec![T::from_f64(0.0); n * n];
        let mut add = |row: usize, column: usize, value: &T| {
            let entry = &mut dense[row * n + column];
            *entry = entry.binary(Binary::Add, value);
        };
        self.interpreter.for_each_output(FunctionRole::Linearization, point, |output, entries| {
            let role = output.role;
            for ((row, column), value) in entries {
                let factor = match role {
                    Role::MassMatrix => FACTORS[0],
                    Role::Damping => FACTORS[1],
                    Role::Stiffness => FACTORS[2],
                    _ => {
                        add(nv + row, column, &value);
                        add(column, nv + row, &value.unary(Unary::Neg));
                        continue;
                    }
                };
                add(row, column, &T::from_f64(factor).binary(Binary::Mul, &value));
            }
        });
        self.info.iteration_matrix.entries().map(|(row, column)| dense[row * n + column].clone()).collect()
    }
}

/// The entries of a dense matrix at the places of a pattern.
fn of_pattern<T: Clone>(pattern: &SparsityPattern, dense: &[T]) -> Vec<T> {
    pattern.entries().map(|(row, column)| dense[row * pattern.columns + column].clone()).collect()
}
