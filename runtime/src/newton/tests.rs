use super::*;
use crate::Cause;
use crate::sparsity::SparsityPattern;

/// One equation in one unknown, f and its derivative.
struct Scalar {
    x: f64,
    f: fn(f64) -> f64,
    derivative: fn(f64) -> f64,
}

impl Equations for Scalar {
    fn residual(&mut self, out: &mut [f64]) {
        out[0] = (self.f)(self.x);
    }
    fn matrix(&mut self, out: &mut [f64]) {
        out[0] = (self.derivative)(self.x);
    }
    fn subtract(&mut self, correction: &[f64]) {
        self.x -= correction[0];
    }
    fn measure(&self, correction: &[f64], tolerance: &Tolerance, _lane: Lane) -> f64 {
        tolerance.measure(correction[0].abs(), correction[0].abs(), self.x.abs(), self.x.abs())
    }
    fn sizes(&self, out: &mut [f64]) {
        out[0] = self.x.abs();
    }
    fn position_factor(&self) -> f64 {
        1.0
    }
    fn is_bound(&self) -> bool {
        false
    }
    fn name(&self, _unknown: usize) -> Unknown {
        Unknown::Motion("x".to_owned())
    }
    fn scales(&self, _loose: f64, out: &mut [f64]) {
        self.sizes(out);
    }
}

fn solve(equations: Scalar) -> (f64, Result<StepStats, StepError>) {
    solve_with(equations, NewtonMatrix::EveryIteration)
}

/// Old matrices and those of every iteration lead to the same solution; where there is none, both say so.
#[test]
fn kept_matrices_find_the_same_solutions() {
    let cases: [(f64, fn(f64) -> f64, fn(f64) -> f64); 6] = [
        (1.0, |x| x * x - 2.0, |x| 2.0 * x),
        (1.4, |x| x * x - 2.0, |x| 2.0 * x),
        (0.3, |x| x.exp() - 2.0 * x - 0.9, |x| x.exp() - 2.0),
        (5.0, |x| x.tanh() - 0.99, |x| 1.0 / (x.cosh() * x.cosh())),
        (3.0, |x| x * x + 1.0, |x| 2.0 * x),
        (1.0, |x| x - 2.0, |_| 10.0),
    ];
    for (x, f, derivative) in cases {
        let [expected, found] = [NewtonMatrix::EveryIteration, NewtonMatrix::Kept]
            .map(|matrix| solve_with(Scalar { x, f, derivative }, matrix));
        assert_eq!(expected.1.is_ok(), found.1.is_ok(), "{x}: {:?} {:?}", expected.1, found.1);
        if expected.1.is_ok() {
            assert!((expected.0 - found.0).abs() <= 4.0 * f64::EPSILON * expected.0.abs(), "{x}");
        }
    }
}

/// A matrix serves from step to step while the root moves slowly, and not when it is far away.
#[test]
fn matrices_are_renewed_when_they_do_not_serve() {
    let pattern = SparsityPattern::from_entries(1, 1, [(0, 0)]);
    let mut newton = Newton::of_one(&pattern, Tolerance::default(), Some(NewtonMatrix::Kept));
    let mut equations = Scalar { x: 2.236_07, f: |x| x * x - 5.0, derivative: |x| 2.0 * x };
    let mut solve = |equations: &mut Scalar| newton.solve(equations, 0.0, "test").unwrap();
    assert_eq!(solve(&mut equations).factorizations, 1);
    equations.f = |x| x * x - 5.000_001;
    assert_eq!(solve(&mut equations).factorizations, 0);
    assert!((equations.x - 5.000_001_f64.sqrt()).abs() <= 4.0 * f64::EPSILON);
    equations.f = |x| x * x - 400.0;
    assert!(solve(&mut equations).factorizations > 0);
    assert!((equations.x - 20.0).abs() <= 40.0 * f64::EPSILON);
}

/// Two equations that are nearly the same, at time t: rounding of them moves the solution by ten million times as much.
struct NearlyDependent {
    x: [f64; 2],
    t: f64,
}

impl Equations for NearlyDependent {
    fn residual(&mut self, out: &mut [f64]) {
        let [x, y] = self.x;
        let sum = x + y + 0.1 * x.sin();
        out.copy_from_slice(&[sum - self.t.cos(), sum + 1e-7 * y - self.t.cos() - 1e-7 * self.t.sin()]);
    }
    fn matrix(&mut self, out: &mut [f64]) {
        let by_x = 1.0 + 0.1 * self.x[0].cos();
        out.copy_from_slice(&[by_x, by_x, 1.0, 1.0 + 1e-7]);
    }
    fn subtract(&mut self, correction: &[f64]) {
        self.x.iter_mut().zip(correction).for_each(|(x, change)| *x -= change);
    }
    fn measure(&self, correction: &[f64], tolerance: &Tolerance, _lane: Lane) -> f64 {
        let (change, size) = (largest(correction), largest(&self.x));
        tolerance.measure(change, change, size, size)
    }
    fn sizes(&self, out: &mut [f64]) {
        out.fill(largest(&self.x));
    }
    fn position_factor(&self) -> f64 {
        1.0
    }
    fn is_bound(&self) -> bool {
        false
    }
    fn scales(&self, _loose: f64, out: &mut [f64]) {
        self.sizes(out);
    }
    fn name(&self, _unknown: usize) -> Unknown {
        Unknown::Motion("x".to_owned())
    }
}

/// Corrections that are rounding neither renew a matrix nor go on, and come after those that are none.
#[test]
fn rounding_is_not_taken_for_a_matrix_that_does_not_serve() {
    let pattern = SparsityPattern::from_entries(2, 2, [(0, 0), (1, 0), (0, 1), (1, 1)]);
    let mut newton = Newton::of_one(&pattern, Tolerance::default(), Some(NewtonMatrix::Kept));
    let mut equations = NearlyDependent { x: [1.0, 0.0], t: 0.0 };
    let mut stats = StepStats::default();
    for step in 1..=1000 {
        equations.t = 1e-4 * f64::from(step);
        stats += newton.solve(&mut equations, 0.0, "test").unwrap();
        let mut residual = [0.0; 2];
        equations.residual(&mut residual);
        let error = (equations.x[1] - equations.t.sin()).abs();
        assert!(error <= 1e-8 && largest(&residual) <= 1e-10, "step {step}: {error:e}, {residual:?}");
    }
    assert!(stats.factorizations <= 20 && stats.newton_iterations <= 3600, "{stats:?}");
}

fn solve_with(mut equations: Scalar, matrix: NewtonMatrix) -> (f64, Result<StepStats, StepError>) {
    let pattern = SparsityPattern::from_entries(1, 1, [(0, 0)]);
    let result = Newton::of_one(&pattern, Tolerance::default(), Some(matrix)).solve(&mut equations, 2.0, "test");
    (equations.x, result)
}

#[test]
fn what_is_not_finite_has_not_converged() {
    let measure = |dq, dv, q, v| Tolerance::default().measure(dq, dv, q, v);
    assert!(measure(0.0, 0.0, 1.0, 1.0) == 0.0);
    for bad in [f64::NAN, f64::INFINITY] {
        let measures = [
            measure(bad, 0.0, 1.0, 1.0),
            measure(0.0, bad, 1.0, 1.0),
            measure(0.0, 0.0, bad, 1.0),
            measure(0.0, 0.0, 1.0, bad),
        ];
        assert_eq!(measures, [f64::INFINITY; 4]);
    }
}

#[test]
fn converges_to_round_off() {
    let (x, result) = solve(Scalar { x: 1.0, f: |x| x * x - 2.0, derivative: |x| 2.0 * x });
    assert!((x - 2.0_f64.sqrt()).abs() < 4.0 * f64::EPSILON);
    assert!(result.unwrap().newton_iterations <= 6);
}

#[test]
fn an_equation_without_solution_does_not_converge() {
    let (_, result) = solve(Scalar { x: 3.0, f: |x| x * x + 1.0, derivative: |x| 2.0 * x });
    let Err(StepError::NotConverged { t, iteration, residual, .. }) = result else { panic!("{result:?}") };
    assert_eq!((t, iteration), (2.0, 25));
    assert!(residual >= 1.0);
}

#[test]
fn slow_convergence_is_not_taken_for_convergence() {
    // A derivative wrong by a factor of ten converges linearly, by a tenth each time: too slow to be accepted.
    let (_, result) = solve(Scalar { x: 1.0, f: |x| x - 2.0, derivative: |_| 10.0 });
    assert!(matches!(result, Err(StepError::NotConverged { .. })), "{result:?}");
}

#[test]
fn singular_and_undefined_equations_are_told_apart() {
    let (_, result) = solve(Scalar { x: 0.0, f: |x| x * x + 1.0, derivative: |x| 2.0 * x });
    assert!(matches!(result, Err(StepError::Singular { iteration: 0, .. })), "{result:?}");
    let (_, result) = solve(Scalar { x: -1.0, f: |x| x.sqrt(), derivative: |_| 1.0 });
    assert!(matches!(result, Err(StepError::NotFinite { iteration: 0, .. })), "{result:?}");
}

#[test]
fn causes_are_told_apart() {
    let cause = |equations| match solve(equations).1 {
        Err(StepError::NotConverged { cause, .. }) => cause,
        other => panic!("{other:?}"),
    };
    // −0.5 ± 1 with a root on neither side: friction that has no equilibrium without sticking.
    let rubbing = Scalar { x: 1.0, f: |x| 0.1 * x - 0.5 + x.signum(), derivative: |_| 0.1 };
    let Cause::Jump { coordinate, jump } = cause(rubbing) else { panic!("a jump") };
    assert!(coordinate == "x" && (jump - 2.0).abs() < 1e-6, "{coordinate} {jump}");
    // No root, and a continuous residual.
    assert_eq!(cause(Scalar { x: 3.0, f: |x| x * x + 1.0, derivative: |x| 2.0 * x }), Cause::StepTooLong);
}

#[test]
fn corrections_end_by_their_rate_or_where_they_stall() {
    // The first says nothing, unless it is within the tolerance already.
    assert!(!is_last(50.0, f64::INFINITY));
    // A tenth of the last each time: 0.9, 0.09, … more than the tolerance and less are left.
    assert!(is_last(8.9, 89.0) && !is_last(9.1, 91.0));
    assert!(is_stalled(60.0, 100.0) && !is_stalled(40.0, 100.0) && !is_stalled(101.0, 102.0));
    assert!(is_last(90.0, 90.0) && is_last(90.0, 60.0) && !is_last(110.0, 60.0));
}

/// Equations of a stage are those of motion, then those of multipliers; another stage begins anew.
#[test]
fn unknowns_have_names_and_sizes() {
    use crate::schemes::common::Springs;
    let names = ["drive", "rod[0].x", "rod[1].x", "rod[2].x", "end"];
    for stage in 0..2 {
        for (place, expected) in names.into_iter().enumerate() {
            assert!(matches!(unknown_of(&Springs, 6 * stage + place), Unknown::Motion(name) if name == expected));
        }
        assert!(matches!(unknown_of(&Springs, 6 * stage + 5), Unknown::Multiplier(name) if name == "crank"));
    }
    let mut state = Springs::initial();
    (state.q[1], state.a[1], state.a[2], state.lambda[0]) = (-0.5, 3.0, -2.0, -7.0);
    let mut sizes = [f64::NAN; 6];
    sizes_of(&Springs, &state, 0.25, &mut sizes);
    assert_eq!(sizes, [0.0, 5.0, 2.0, 0.0, 0.0, 7.0]);
}
