//! Machine code: both levels give the same bits, and what the interpreter gives.

use hamel::Model;
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::schedule::interpret::{Arguments, Interpreter, Point, defaults, run};
use hamel_compiler::schedule::schedule;

use hamel_jit::JitModel;

use super::ball::Ball;
use super::findings::Findings;
use super::functions::{bits, values};
use super::on_request::on_request;
use super::subject::{Moment, Subject, of_pattern};

/// The factors with which `values` asks for the iteration matrix: of M, of ∂r/∂v and of (∂r/∂q) N.
const FACTORS: [f64; 3] = [0.7, 0.3, 0.05];

/// Every function at a moment.
pub fn check(subject: &Subject, at: &Moment, findings: &mut Findings) {
    let state = at.state();
    let all = |model: &JitModel| [values(model, &state), on_request(model, &state)].concat();
    let point = Point { tau: at.a.clone(), ..subject.balls(at) };
    for ((function, at_once), (_, optimised)) in all(&subject.models[0]).into_iter().zip(all(subject.model())) {
        if subject.models.len() > 1 {
            findings.count("both levels: the same bits", at_once.len());
        }
        if let Some(place) = bits(&at_once).iter().zip(bits(&optimised)).position(|(a, b)| *a != b) {
            let (a, b) = (at_once[place], optimised[place]);
            findings
                .fail("both levels: the same bits", format!("{function}[{place}] is {a:e} at once, {b:e} optimised"));
        }
        let Some(expected) = reference(subject, &point, function) else { continue };
        findings.count("values are finite", optimised.len());
        if let Some(place) = optimised.iter().position(|value| !value.is_finite())
            && expected[place].rad.is_finite()
        {
            findings.fail("values are finite", format!("{function}[{place}] is {}", optimised[place]));
        }
        // Rounding errors of machine code are its own, and as large as those of the interpreter.
        let found: Vec<Ball> = optimised.iter().zip(&expected).map(|(&mid, at)| Ball { mid, rad: at.rad }).collect();
        findings.same("machine code: the values of the interpreter", function, &found, &expected);
    }
}

/// What the interpreter gives for a function of the model; `None` where it is not known.
fn reference(subject: &Subject, point: &Point<Ball>, function: &str) -> Option<Vec<Ball>> {
    use FunctionRole as F;
    let info = subject.model().describe();
    let output = |function, role| subject.output(function, role, point);
    let derivative = |role| output(F::Linearization, role);
    let both = |function, first, second| [output(function, first), output(function, second)].concat();
    let three = |function, roles: [Role; 3]| roles.map(|role| output(function, role)).concat();
    let values = match function {
        "mass_matrix" => of_pattern(&info.mass_matrix, &output(F::MassMatrix, Role::MassMatrix)),
        "bias_force" => output(F::BiasForce, Role::BiasForce),
        "applied_force" => output(F::AppliedForce, Role::AppliedForce),
        "constraint" => output(F::Constraint, Role::Constraint),
        "constraint_jacobian" => {
            of_pattern(&info.constraint_jacobian, &output(F::ConstraintJacobian, Role::ConstraintJacobian))
        }
        "constraint_bias" => both(F::ConstraintBias, Role::ConstraintRate, Role::ConstraintAcceleration),
        "contact_gap" => output(F::ContactGap, Role::ContactGap),
        "contact_jacobian" => of_pattern(&info.contact_jacobian, &output(F::ContactJacobian, Role::ContactJacobian)),
        "contact_bias" => both(F::ContactBias, Role::ContactRate, Role::ContactAcceleration),
        "contact_laws" => contact_laws(subject),
        "energy" => both(F::Energy, Role::KineticEnergy, Role::PotentialEnergy),
        "power" if subject.stages.simplified.layout.has_unknown_power => return None,
        "power" => output(F::Power, Role::Power),
        "outputs" => output(F::Outputs, Role::Outputs),
        "residual" => both(F::Residual, Role::Residual, Role::Constraint),
        "iteration_matrix" => iteration_matrix(subject, point),
        "damping" => of_pattern(&info.damping, &derivative(Role::Damping)),
        "stiffness" => of_pattern(&info.stiffness, &derivative(Role::Stiffness)),
        "reference_configuration" => subject.interpreter().reference_configuration(),
        "initial_position" => both(F::InitialPosition, Role::InitialResidual, Role::InitialJacobian),
        "initial_velocity" => both(F::InitialVelocity, Role::InitialResidual, Role::InitialJacobian),
        "nonlinear_effects" => output(F::NonlinearEffects, Role::NonlinearEffects),
        "inverse_dynamics" => output(F::InverseDynamics, Role::Force),
        "forward_dynamics" => output(F::ForwardDynamics, Role::Acceleration),
        "inverse_dynamics_derivatives" => {
            three(F::InverseDynamicsDerivatives, [Role::ForceByPosition, Role::ForceByVelocity, Role::MassMatrix])
        }
        "forward_dynamics_derivatives" => three(
            F::ForwardDynamicsDerivatives,
            [Role::AccelerationByPosition, Role::AccelerationByVelocity, Role::InverseMassMatrix],
        ),
        _ => return None,
    };
    Some(values)
}

/// Fields of the laws of all contacts.
fn contact_laws(subject: &Subject) -> Vec<Ball> {
    let schedule = &subject.stages.schedule;
    let laws = run(&schedule.contact_laws, &Arguments::of_parameters(defaults::<Ball>(schedule)));
    schedule.law_of_contact.iter().flat_map(|&law| laws[law].clone()).collect()
}

/// `[ ca M + cv ∂r/∂v + cq (∂r/∂q) N , −Gᵀ ; G , 0 ]`.
fn iteration_matrix(subject: &Subject, point: &Point<Ball>) -> Vec<Ball> {
    let [m, d, k, g] = [Role::MassMatrix, Role::Damping, Role::Stiffness, Role::ConstraintJacobian]
        .map(|role| subject.output(FunctionRole::Linearization, role, point));
    let nv = point.v.len();
    let factors = FACTORS.map(Ball::exact);
    let entry = |(row, column): (usize, usize)| match (row.checked_sub(nv), column.checked_sub(nv)) {
        (None, None) => {
            let place = row * nv + column;
            factors[0] * m[place] + factors[1] * d[place] + factors[2] * k[place]
        }
        (Some(row), None) => g[row * nv + column],
        (None, Some(column)) => -g[column * nv + row],
        (Some(_), Some(_)) => Ball::ZERO,
    };
    subject.model().describe().iteration_matrix.entries().map(entry).collect()
}

/// Equations before they are simplified give the same values.
pub fn check_simplification(subject: &Subject, at: &Moment, findings: &mut Findings) {
    let derived = &subject.stages.equations;
    let plain = schedule(derived, derived);
    let before = Interpreter::new(derived, &plain, defaults(&plain));
    let after = subject.interpreter::<Ball>();
    let point = Point { tau: at.a.clone(), ..subject.balls(at) };
    for function in hamel_compiler::schedule::vocabulary::FUNCTIONS {
        let name = hamel_compiler::schedule::vocabulary::function_name(function);
        for (role, expected) in before.evaluate(function, &point) {
            let found = after.output(function, role, &point, subject.shape(function, role));
            findings.same("simplified: the values of what was derived", name, &found.values, &expected.values);
        }
    }
}
