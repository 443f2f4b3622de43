//! The printed equations of the flexible rod beside those that the compiler derives. [rezaei, Apps. C, D]

mod beam_modes;
mod free;
mod gauss;
mod mass;
mod material;
mod misprints;
mod patterns;
mod quadratic;
mod stiffness;

use hamel::Model;
use hamel_models::FlexibleSliderCrank;
use hamel_models::flexible_slider_crank::FlexibleSliderCrankParameters;
use hamel_report::{Cost, Experiment};
use nalgebra::{DMatrix, DVector, Matrix2, Matrix2xX, Vector2};

use material::{Particle, Rod};
pub(super) use misprints::run as misprints;

/// In the order of the paper.
pub(super) const GAUSS: Experiment = Experiment {
    id: "rezaei/rod/fig36",
    place: "Fig. 36",
    title: "Gaussian points of an element, and how many are needed",
    cost: Cost::Seconds,
    run: gauss::run,
};

pub(super) const MASS: Experiment = Experiment {
    id: "rezaei/rod/mass",
    place: "Eqs. 122–143, 145, 151",
    title: "Mass matrix and kinetic energy of the flexible rod, block by block",
    cost: Cost::Seconds,
    run: mass::run,
};

pub(super) const QUADRATIC: Experiment = Experiment {
    id: "rezaei/rod/quadratic_velocities",
    place: "Eqs. 146–148, 150, 153",
    title: "Rate of the mass matrix and quadratic velocities of the flexible rod",
    cost: Cost::Seconds,
    run: quadratic::run,
};

pub(super) const STIFFNESS: Experiment = Experiment {
    id: "rezaei/rod/stiffness",
    place: "Eqs. 160–163",
    title: "Stiffness of an element: the integral runs along the rod and not over its volume",
    cost: Cost::Seconds,
    run: stiffness::run,
};

pub(super) const PATTERNS: Experiment = Experiment {
    id: "rezaei/rod/figs_38_39",
    place: "Figs. 38, 39",
    title: "Patterns of the mass matrix and of the stiffness matrix",
    cost: Cost::Seconds,
    run: patterns::run,
};

pub(super) const FREE: Experiment = Experiment {
    id: "rezaei/rod/figs_44_45",
    place: "Figs. 44, 45, Eq. 191",
    title: "Modes with both ends free and with one end held, and what they decouple",
    cost: Cost::Seconds,
    run: free::run,
};

/// Numbers between −1 and 1 that look random and are always the same.
fn noise(seed: usize) -> f64 {
    ((seed as f64 * 12.9898).sin() * 43_758.545_3).fract()
}

/// M at these coordinates.
fn mass_matrix(model: &dyn Model, q: &[f64]) -> DMatrix<f64> {
    let pattern = &model.describe().mass_matrix;
    let mut values = vec![0.0; pattern.nnz()];
    model.mass_matrix(q, &mut values);
    pattern.to_dense(&values)
}

/// A moving and bent state of the slider-crank: θ₁, θ₂, the nodes of the rod in a tangent frame, θ₃.
struct Posture {
    q: DVector<f64>,
    v: DVector<f64>,
}

/// Places of θ₁, θ₂ and of the first nodal coordinate.
const CRANK: usize = 0;
const FRAME: usize = 1;
const NODES: usize = 2;

impl Posture {
    /// One of several. The rod is bent by a thousandth of its length, so that no term drowns in another.
    fn new(index: usize) -> Self {
        let n = FlexibleSliderCrank::default().dims().nq;
        let mut q = DVector::from_fn(n, |i, _| noise(1000 * index + i));
        let v = DVector::from_fn(n, |i, _| noise(1000 * index + 500 + i));
        q.rows_mut(NODES, n - NODES - 1).scale_mut(3e-4);
        Self { q, v }
    }

    /// q_f.
    fn deformation(&self) -> DVector<f64> {
        self.q.rows(NODES, self.q.len() - NODES - 1).into_owned()
    }

    /// Its rate.
    fn deformation_rate(&self) -> DVector<f64> {
        self.v.rows(NODES, self.v.len() - NODES - 1).into_owned()
    }

    /// A of Eq. 114.
    fn axes(&self) -> Matrix2<f64> {
        let (sin, cos) = self.q[FRAME].sin_cos();
        Matrix2::new(cos, -sin, sin, cos)
    }

    /// A_θ of Eq. 120.
    fn turned(&self) -> Matrix2<f64> {
        let (sin, cos) = self.q[FRAME].sin_cos();
        Matrix2::new(-sin, -cos, cos, -sin)
    }

    /// C_θ₁ of Eq. 143.
    fn crank(&self) -> Vector2<f64> {
        let (sin, cos) = self.q[CRANK].sin_cos();
        FlexibleSliderCrankParameters::default().l1 * Vector2::new(-sin, cos)
    }

    /// C_θ₁θ₁ of Eq. 149 with the sign that it lacks.
    fn crank_turned(&self) -> Vector2<f64> {
        let (sin, cos) = self.q[CRANK].sin_cos();
        FlexibleSliderCrankParameters::default().l1 * Vector2::new(-cos, -sin)
    }

    /// L̄ of Eq. 147 at a point, for θ₁, θ₂ and q_f.
    fn motion(&self, particle: &Particle) -> Matrix2xX<f64> {
        let position = particle.position(&self.deformation());
        columns(self.crank(), self.turned() * position, self.axes() * &particle.shape)
    }

    /// Its rate, Eq. 148.
    fn motion_rate(&self, particle: &Particle) -> Matrix2xX<f64> {
        let rate = self.v[FRAME];
        let moved = self.turned() * (&particle.shape * self.deformation_rate());
        let turned = moved - self.axes() * particle.position(&self.deformation()) * rate;
        columns(self.crank_turned() * self.v[CRANK], turned, self.turned() * &particle.shape * rate)
    }

    /// The sum over points of a matrix for θ₁, θ₂ and q_f, with a row and a column of zeros for θ₃.
    fn sum(&self, of: impl Fn(&Particle) -> DMatrix<f64>) -> DMatrix<f64> {
        let n = self.q.len();
        let mut sum = DMatrix::zeros(n, n);
        for particle in mechanism() {
            let mut block = sum.view_mut((0, 0), (n - 1, n - 1));
            block += of(&particle) * particle.mass;
        }
        sum
    }
}

fn columns(crank: Vector2<f64>, frame: Vector2<f64>, nodes: Matrix2xX<f64>) -> Matrix2xX<f64> {
    let mut matrix = Matrix2xX::zeros(NODES + nodes.ncols());
    matrix.column_mut(CRANK).copy_from(&crank);
    matrix.column_mut(FRAME).copy_from(&frame);
    matrix.columns_range_mut(NODES..).copy_from(&nodes);
    matrix
}

/// The points of the rod and the slider in a tangent frame.
fn mechanism() -> Vec<Particle> {
    let rod = Rod::of_table_1();
    let mut particles = rod.particles();
    particles.push(rod.at_tip(FlexibleSliderCrankParameters::default().m3));
    particles.into_iter().map(Particle::clamped).collect()
}

/// I₁ of Eq. 144 with the ¼ that it should have.
fn crank_inertia() -> f64 {
    let FlexibleSliderCrankParameters { j1, m1, l1, .. } = Default::default();
    j1 + 0.25 * m1 * l1 * l1
}

/// Entries over the roots of the diagonal ones of another matrix, in their row and their column: without units.
fn scaled(matrix: &DMatrix<f64>, by: &DMatrix<f64>) -> DMatrix<f64> {
    DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(i, j)] / (by[(i, i)] * by[(j, j)]).abs().sqrt())
}
