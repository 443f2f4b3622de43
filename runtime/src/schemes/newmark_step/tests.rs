//! The matrix of a step against differences.

use super::super::common::{Craft, FreeBody, HeavyTop, Oscillator, Pendulum};
use super::*;

/// Residual and matrix of a step of 0.05 s at an iterate that is no solution, against central differences.
fn assert_matrix_is_exact(scheme: &Newmark, model: &dyn Model, initial: State) {
    let constraints = ConstraintRows::new(model, ConstraintLevel::Position);
    let mut step = Step::new(scheme.clone(), model, initial, constraints);
    // As in a second step, where the auxiliary acceleration is not that of the state.
    step.old_auxiliary.copy_from(&step.old.a);
    step.old_auxiliary.add_scalar_mut(0.3);
    step.old.lambda.add_scalar_mut(0.7);
    step.begin(0.05, None);
    let pattern = step.matrix.pattern().clone();
    let what = format!("{} on {}", scheme.name, model.describe().name);
    crate::newton::assert_matrix_is_exact(&mut step, &pattern, &what);
}

#[test]
fn iteration_matrix_is_the_derivative_of_the_residual() {
    let kinds = [
        ("Newmark", [0.0, 0.0], Average::Forces),
        ("HHT", [0.0, 0.3], Average::Forces),
        ("generalized-α", [0.125, 0.375], Average::Accelerations),
        ("averaged forces with both weights", [0.125, 0.375], Average::Forces),
        ("modified HHT", [0.0, 0.3], Average::ForcesModified(Weighting::Printed)),
        ("modified HHT, body-weighted", [0.0, 0.3], Average::ForcesModified(Weighting::BodyFrame)),
    ];
    for (name, [alpha_m, alpha_f], average) in kinds {
        let coefficients = NewmarkFamily { beta: 0.36, gamma: 0.7, alpha_m, alpha_f };
        let scheme = Newmark { name: name.to_owned(), key: None, coefficients, average };
        let body = FreeBody::TUMBLING;
        assert_matrix_is_exact(&scheme, &Oscillator, Oscillator::initial());
        assert_matrix_is_exact(&scheme, &Pendulum, Pendulum::initial());
        assert_matrix_is_exact(&scheme, &body, body.initial(FreeBody::SPIN));
        assert_matrix_is_exact(&scheme, &HeavyTop, HeavyTop::initial());
        let craft = Craft::PULLED.initial([2.0, -3.0, 1.0], [0.5, 1.5, -2.0]);
        assert_matrix_is_exact(&scheme, &Craft::PULLED, craft);
    }
}
