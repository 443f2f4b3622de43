//! The Butcher tableau of a Runge-Kutta scheme and what follows from it for linear problems.

use nalgebra::{Complex, DMatrix, DVector};

use crate::prelude::*;

/// Number of steps within which a contact must come to rest, and number of initial speeds that are tested.
const STEPS_TO_REST: usize = 60;
const SPEEDS: u32 = 20;

/// Coefficients of a Runge-Kutta scheme with s stages:
/// `y_i = y + h Σ_j a_ij f(t + c_j h, y_j)`, `y⁺ = y + h Σ_j b_j f(t + c_j h, y_j)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tableau {
    /// c, the times of the stages as fractions of the step, `[s]`.
    pub nodes: Vec<f64>,
    /// a, row i belongs to stage i, `[s][s]`.
    pub matrix: Vec<Vec<f64>>,
    /// b, `[s]`.
    pub weights: Vec<f64>,
    /// b̂ of the embedded scheme, `[s]`; the difference to `weights` estimates the error of a step.
    pub embedded: Option<Vec<f64>>,
}

/// How far coefficients with few digits may be from what they have to be.
const CONSISTENT: f64 = 1e-6;

impl Tableau {
    /// What makes it no scheme of at least first order.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let Self { nodes, matrix, weights, embedded } = self;
        let stages = weights.len();
        let has_all = |row: &Vec<f64>| row.len() == stages && row.iter().all(|entry| entry.is_finite());
        if stages == 0
            || matrix.len() != stages
            || ![nodes, weights].into_iter().chain(matrix).chain(embedded).all(has_all)
        {
            return Some("expected as many finite nodes, weights, rows and columns as there are stages");
        }
        let is_near = |found: f64, expected: f64| (found - expected).abs() <= CONSISTENT;
        if !is_near(weights.iter().sum(), 1.0) {
            return Some("expected weights whose sum is one");
        }
        if !row_sums(matrix).iter().zip(nodes).all(|(sum, node)| is_near(*sum, *node)) {
            return Some("expected nodes that are the sums of the rows");
        }
        None
    }

    /// A stiffly accurate scheme, whose weights are the last row of the matrix; nodes are row sums.
    pub(super) fn stiffly_accurate(matrix: Vec<Vec<f64>>, embedded: Option<Vec<f64>>) -> Self {
        let weights = matrix.last().cloned().unwrap_or_default();
        Self { nodes: row_sums(&matrix), matrix, weights, embedded }
    }

    /// A singly diagonally implicit scheme with an explicit first stage, from γ, the nodes, and the entries left of the
    /// diagonal without the first column, which follows from the nodes.
    pub(super) fn esdirk(gamma: f64, nodes: &[f64], inner: &[&[f64]], embedded: Option<Vec<f64>>) -> Self {
        let stages = nodes.len();
        let mut matrix = vec![vec![0.0; stages]; stages];
        for (i, row) in matrix.iter_mut().enumerate().skip(1) {
            row[1..i].copy_from_slice(inner[i - 1]);
            row[i] = gamma;
            row[0] = nodes[i] - row[1..=i].iter().sum::<f64>();
        }
        let weights = matrix[stages - 1].clone();
        Self { nodes: nodes.to_vec(), matrix, weights, embedded }
    }

    /// Number of stages.
    pub fn stages(&self) -> usize {
        self.weights.len()
    }

    /// Whether the first stage is the beginning of the step itself.
    pub fn has_explicit_first_stage(&self) -> bool {
        self.matrix[0].iter().all(|&a| a == 0.0)
    }

    /// Whether stages can be solved for one after the other.
    pub fn is_diagonally_implicit(&self) -> bool {
        self.matrix.iter().enumerate().all(|(i, row)| row[i + 1..].iter().all(|&a| a == 0.0))
    }

    /// Whether every stage follows from those before it without solving an equation.
    pub fn is_explicit(&self) -> bool {
        self.matrix.iter().enumerate().all(|(i, row)| row[i..].iter().all(|&a| a == 0.0))
    }

    /// Whether the last stage is the end of the step.
    pub fn is_stiffly_accurate(&self) -> bool {
        self.matrix.last() == Some(&self.weights)
    }

    /// The stability function R(z): the factor of one step of `ẏ = λ y`, z = hλ.
    ///
    /// # Examples
    /// `R(z) = (1 + z/2) / (1 − z/2)` for the trapezoidal rule.
    ///
    /// ```
    /// use hamel::nalgebra::Complex;
    /// use hamel::tables;
    ///
    /// let z = Complex::new(-0.3, 0.7);
    /// let expected = (1.0 + z / 2.0) / (1.0 - z / 2.0);
    /// assert!((tables::trapezoidal().stability(z) - expected).norm() < 1e-15);
    /// ```
    pub fn stability(&self, z: Complex<f64>) -> Complex<f64> {
        let s = self.stages();
        let one = Complex::new(1.0, 0.0);
        let matrix = DMatrix::from_fn(s, s, |i, j| if i == j { one } else { one * 0.0 } - z * self.matrix[i][j]);
        let undefined = Complex::new(f64::NAN, f64::NAN);
        let Some(stage) = matrix.lu().solve(&DVector::from_element(s, one)) else { return undefined };
        if self.is_stiffly_accurate() {
            // Without the difference of large numbers that the sum below becomes for large z.
            return stage[s - 1];
        }
        one + z * self.weights.iter().zip(stage.iter()).map(|(&b, y)| y * b).sum::<Complex<f64>>()
    }

    /// Whether a closed contact under a constant load comes to rest and bears it: `v̇ = −1 + λ`, with `v ≥ 0, λ ≥ 0,
    /// λ v = 0` in every stage after an explicit first one. The force at the ends of steps must be the load, at least on
    /// average over two steps: undamped schemes let it swing about its value. Only for diagonally implicit tableaux.
    pub fn rests_on_contacts(&self) -> bool {
        let settles = |speed: f64| {
            let mut slopes = vec![-1.0; self.stages()];
            let mut v = speed;
            let mut ends = [0.0; 2];
            for _ in 0..STEPS_TO_REST {
                let start = v;
                for stage in 1..self.stages() {
                    let row = &self.matrix[stage];
                    let known = start + (0..stage).map(|j| row[j] * slopes[j]).sum::<f64>();
                    slopes[stage] = (-known / row[stage]).max(-1.0);
                    v = known + row[stage] * slopes[stage];
                }
                slopes[0] = slopes[self.stages() - 1];
                ends = [ends[1], slopes[0]];
            }
            v < 1e-6 && (0.5 * (ends[0] + ends[1])).abs() < 1e-3
        };
        let is_implicit = (1..self.stages()).all(|stage| self.matrix[stage][stage] > 0.0);
        is_implicit && (0..SPEEDS).all(|k| settles(2.0 * f64::from(k) / f64::from(SPEEDS)))
    }

    /// The limit of R(z) for z → ∞; infinite where R is not bounded.
    ///
    /// # Examples
    /// ```
    /// use hamel::tables;
    ///
    /// assert!(tables::radau_iia5().at_infinity().abs() < 1e-14);
    /// assert!((tables::rho_bathe(0.7).expect("a value in [0, 1]").at_infinity() - 0.7).abs() < 1e-14);
    /// assert!(tables::runge_kutta4().at_infinity().is_infinite());
    /// ```
    pub fn at_infinity(&self) -> f64 {
        let first = usize::from(self.has_explicit_first_stage());
        let s = self.stages() - first;
        // In the limit stages satisfy A y = 0 where the first, explicit one is given, else A (y z) = −1.
        let matrix = DMatrix::from_fn(s, s, |i, j| self.matrix[first + i][first + j]);
        let given = DVector::from_fn(s, |i, _| if first == 1 { self.matrix[1 + i][0] } else { 1.0 });
        let Some(stage) = matrix.lu().solve(&-given) else { return f64::INFINITY };
        let weighted: f64 = self.weights[first..].iter().zip(stage.iter()).map(|(b, y)| b * y).sum();
        match (first, self.is_stiffly_accurate()) {
            (1, true) => stage[s - 1],
            (1, false) => f64::INFINITY,
            _ => 1.0 + weighted,
        }
    }
}

/// The nodes of a scheme whose stages are consistent.
pub(super) fn row_sums(matrix: &[Vec<f64>]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().sum()).collect()
}
