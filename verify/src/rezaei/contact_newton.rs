//! Newton's method for the equations of contact and friction, as printed and corrected. [rezaei, Eqs. 42–45, 51–54]
//!
//! Contacts in the plane: `f_N = λ_N − max(0, λ_N − r ġ_N)`, and f_T is λ_T less the point of [−μ λ_N, μ λ_N] that is
//! nearest to λ_T − r ġ_T, with ġ = b + G λ. Eqs. 43 and 52 leave out that the bound moves with λ_N, and Eq. 52 has the
//! blocks beside the diagonal with the other sign. Written down here once more; the solver has its own.

use hamel::scheme::StepError;
use hamel_report::{Cell, Claim, Column, Expected, Origin, Proof, Report, Table, at_least, at_most};
use nalgebra::{DMatrix, DVector};

/// Contacts of a problem, and directions in which they move.
const CONTACTS: usize = 3;
const MOTIONS: usize = 8;
const FRICTION: f64 = 0.3;
const PROBLEMS: usize = 500;
const ITERATIONS: usize = 200;
const TOLERANCE: f64 = 1e-10;

/// Which derivative of f.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Eq43,
    Eq52,
    Exact,
}

/// Normals, then tangents.
struct Problem {
    matrix: DMatrix<f64>,
    bias: DVector<f64>,
}

/// How Newton's method has fared: for each problem the number of iterations, if it came to an end.
struct Outcome(Vec<Option<usize>>);

/// 500 other random problems with each of several settings, by another program.
const OTHER_SOLVED: Origin =
    Origin::Independent("other samples of 500 problems: 90 to 94 %, with a standard deviation of 1.3 %, taken twice");
const OTHER_MEDIANS: Origin = Origin::Independent("other samples of 500 problems: medians of 3 to 27 over one of 1");
/// Of problems that only one of two methods solves, as many fall to each by chance, but for the root of their number.
const CHANCE: Origin = Origin::Theory("three standard deviations of the difference that chance makes");

pub(super) fn run() -> Result<Report, StepError> {
    let problems: Vec<Problem> = (0..PROBLEMS).map(problem).collect();
    let deviation = |form: Form| largest(problems.iter().enumerate().map(|(k, problem)| problem.deviation(k, form)));
    let [eq_43, eq_52, exact] = [Form::Eq43, Form::Eq52, Form::Exact];
    let fixed = |_: &Problem| 0.1;
    let outcomes = [
        ("Eq. 43, r = 0.1", outcome(&problems, eq_43, fixed)),
        ("Eq. 52, r = 0.1", outcome(&problems, eq_52, fixed)),
        ("exact, r = 0.1", outcome(&problems, exact, fixed)),
        ("exact, r = 1/max Gₖₖ", outcome(&problems, exact, |problem| 1.0 / problem.matrix.diagonal().max())),
    ];
    let [printed, corrected] = [&outcomes[0].1, &outcomes[3].1];
    let [gained, lost] = [corrected.solved_beside(printed), printed.solved_beside(corrected)];
    let bound = "The border of the friction disc, μ λ_N, depends on λ_N: a sliding row has the entry −(±μ) in the column of \
                 its normal.";
    let claims = vec![
        Claim::new(
            "corrected derivative of f in the plane, largest difference to finite differences",
            "1",
            at_most(2e-9, Origin::Rounding("of finite differences")),
            deviation(exact),
        )
        .refutes(format!("Eq. 43, whose difference is {:.3}", deviation(eq_43)), Proof::Algebra, bound),
        Claim::new(
            "Eq. 52 less Eq. 43, over −2 r G_NT",
            "1",
            Expected::Theory { value: 1.0, tolerance: 1e-14 },
            problems[0].sign(),
        )
        .refutes(
            "Θ (−r G) beside the diagonal",
            Proof::Algebra,
            "f has +r ġ where a contact is closed, as Eq. 43 prints.",
        ),
        Claim::new(
            "solved with the exact derivative and r = 1/max Gₖₖ",
            "1",
            at_least(0.9 - 2.0 * 0.013, OTHER_SOLVED),
            corrected.share(),
        ),
        Claim::new(
            "problems that only the exact derivative solves less those that only Eq. 43 does, over the root of their number",
            "1",
            at_least(3.0, CHANCE),
            (gained - lost) / (gained + lost).sqrt(),
        ),
        Claim::new(
            "iterations (median) with Eq. 43 over those with the exact derivative",
            "1",
            at_least(3.0, OTHER_MEDIANS),
            printed.median() / corrected.median(),
        ),
    ];
    let rows = outcomes.iter().map(|(name, outcome)| {
        vec![Cell::from(*name), Cell::number(outcome.share(), 3), Cell::number(outcome.median(), 3)]
    });
    Ok(Report {
        claims,
        tables: vec![Table {
            slug: "newton".into(),
            title: "500 problems of three contacts, μ = 0.3, at most 200 iterations".into(),
            columns: vec![
                Column::text("derivative"),
                Column::new("share solved", "1"),
                Column::new("iterations, median", "1"),
            ],
            rows: rows.collect(),
        }],
        notes: vec![
            "A step takes the pseudo-inverse, as the paper's Gauss-Newton method does. Where Newton's method cycles the \
             solver of `hamel::nonsmooth` tries the states open, sticking and sliding one after another."
                .into(),
            "Discs of two directions of friction, which Eq. 7 has, are not looked at: beyond the border the nearest point also \
             turns along the rim, which neither equation has."
                .into(),
        ],
        ..Report::default()
    })
}

/// G = Wᵀ W and b of numbers that look random and are always the same.
fn problem(index: usize) -> Problem {
    let n = 2 * CONTACTS;
    let first = 1 + index * (n * MOTIONS + n);
    // Multiples of an irrational number, less their integer parts.
    let number = |k: usize| 2.0 * ((first + k) as f64 * std::f64::consts::SQRT_2 * 1e3).fract() - 1.0;
    let directions = DMatrix::from_fn(MOTIONS, n, |row, column| number(row * n + column));
    let bias = DVector::from_fn(n, |row, _| number(n * MOTIONS + row));
    Problem { matrix: directions.transpose() * &directions, bias }
}

impl Problem {
    /// λ − r ġ.
    fn target(&self, forces: &DVector<f64>, r: f64) -> DVector<f64> {
        forces - (&self.matrix * forces + &self.bias) * r
    }

    /// f. [rezaei, Eqs. 42, 51]
    fn residual(&self, forces: &DVector<f64>, r: f64) -> DVector<f64> {
        let target = self.target(forces, r);
        let nearest = DVector::from_fn(target.len(), |row, _| match row.checked_sub(CONTACTS) {
            None => target[row].max(0.0),
            Some(contact) => {
                let bound = FRICTION * forces[contact].abs();
                target[row].clamp(-bound, bound)
            }
        });
        forces - nearest
    }

    /// ∇f. [rezaei, Eqs. 43–45, 52–54]
    fn derivative(&self, forces: &DVector<f64>, r: f64, form: Form) -> DMatrix<f64> {
        let target = self.target(forces, r);
        let mut derivative = DMatrix::identity(target.len(), target.len());
        for row in 0..target.len() {
            let slides =
                row.checked_sub(CONTACTS).filter(|&contact| target[row].abs() > FRICTION * forces[contact].abs());
            if row < CONTACTS && target[row] < 0.0 {
                continue;
            }
            if let Some(contact) = slides {
                if form == Form::Exact {
                    derivative[(row, contact)] = -FRICTION * target[row].signum() * forces[contact].signum();
                }
                continue;
            }
            for column in 0..target.len() {
                let is_beside = (row < CONTACTS) != (column < CONTACTS);
                let sign = if is_beside && form == Form::Eq52 { -1.0 } else { 1.0 };
                derivative[(row, column)] = sign * r * self.matrix[(row, column)];
            }
        }
        derivative
    }

    /// Largest difference of ∇f to finite differences at an arbitrary place.
    fn deviation(&self, index: usize, form: Form) -> f64 {
        let (r, step) = (0.1, 1e-6);
        let forces = DVector::from_fn(2 * CONTACTS, |row, _| ((index * 7 + row) as f64 * 0.377).sin() + 1.2);
        let derivative = self.derivative(&forces, r, form);
        largest((0..forces.len()).map(|column| {
            let moved = |sign: f64| {
                let mut forces = forces.clone();
                forces[column] += sign * step;
                self.residual(&forces, r)
            };
            let slope = (moved(1.0) - moved(-1.0)) / (2.0 * step);
            (slope - derivative.column(column)).amax()
        }))
    }

    /// What Eq. 52 has beside Eq. 43 for closed contacts that stick, in units of −2 r G_NT.
    fn sign(&self) -> f64 {
        let r = 0.1;
        // So large forces that all contacts are closed, and tangential ones that all stick.
        let mut forces = DVector::zeros(2 * CONTACTS);
        forces.rows_mut(0, CONTACTS).fill(1.0);
        forces.rows_mut(CONTACTS, CONTACTS).fill(0.01);
        let (row, column) = (0, CONTACTS);
        let entry = |form| self.derivative(&forces, r, form)[(row, column)];
        (entry(Form::Eq52) - entry(Form::Eq43)) / (-2.0 * r * self.matrix[(row, column)])
    }

    /// Number of iterations from zero, if the method comes to an end.
    fn solve(&self, form: Form, r: f64) -> Option<usize> {
        let mut forces = DVector::zeros(2 * CONTACTS);
        for iteration in 0..ITERATIONS {
            let residual = self.residual(&forces, r);
            if residual.amax() <= TOLERANCE {
                return Some(iteration);
            }
            let derivative = self.derivative(&forces, r, form);
            forces -= derivative.svd(true, true).solve(&residual, 1e-12).ok()?;
        }
        None
    }
}

fn outcome(problems: &[Problem], form: Form, r: impl Fn(&Problem) -> f64) -> Outcome {
    Outcome(problems.iter().map(|problem| problem.solve(form, r(problem))).collect())
}

impl Outcome {
    /// The share of problems that it has solved.
    fn share(&self) -> f64 {
        self.0.iter().flatten().count() as f64 / self.0.len() as f64
    }

    /// Of the numbers of iterations where it has come to an end.
    fn median(&self) -> f64 {
        let mut counts: Vec<usize> = self.0.iter().flatten().copied().collect();
        counts.sort_unstable();
        counts.get(counts.len() / 2).map_or(f64::NAN, |&count| count as f64)
    }

    /// How many problems it has solved that the other has not.
    fn solved_beside(&self, other: &Self) -> f64 {
        self.0.iter().zip(&other.0).filter(|(ours, theirs)| ours.is_some() && theirs.is_none()).count() as f64
    }
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}
