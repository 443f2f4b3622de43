//! The rod's points and their inertia shape integrals, as printed. [rezaei, Eqs. 110, 129–141]
//!
//! An integral over the rod is a sum over Gaussian points, each with a share of the mass; the slider, which moves with the
//! last node, is one more point. The compiler integrates polynomials and shares nothing with this file.

use hamel_models::flexible_slider_crank::FlexibleSliderCrankParameters;
use nalgebra::{DMatrix, DVector, Matrix2, Matrix2xX, RowDVector, Vector2};

use super::gauss;

/// x, y and angle of a node.
pub(super) const NODE: usize = 3;

/// A beam of equal elements.
#[derive(Clone, Copy)]
pub(super) struct Rod {
    /// Of an element.
    pub(super) length: f64,
    pub(super) elements: usize,
    /// Of an element.
    pub(super) mass: f64,
    /// Height of the section.
    pub(super) height: f64,
    /// E A.
    pub(super) axial: f64,
    /// E I.
    pub(super) bending: f64,
}

/// A point of the undeformed rod, its mass, and the shapes of all nodal coordinates there.
pub(super) struct Particle {
    pub(super) mass: f64,
    pub(super) place: Vector2<f64>,
    pub(super) shape: Matrix2xX<f64>,
}

/// S of Eq. 110.
pub(super) fn shape(length: f64, xi: f64) -> [[f64; 2 * NODE]; 2] {
    let (square, cube) = (xi * xi, xi * xi * xi);
    [
        [1.0 - xi, 0.0, 0.0, xi, 0.0, 0.0],
        [
            0.0,
            1.0 - 3.0 * square + 2.0 * cube,
            length * (xi - 2.0 * square + cube),
            0.0,
            3.0 * square - 2.0 * cube,
            length * (cube - square),
        ],
    ]
}

/// Ĩ of Eq. 125.
pub(super) const TURN: Matrix2<f64> = Matrix2::new(0.0, 1.0, -1.0, 0.0);

impl Rod {
    /// The rod of Table 1 with 20 elements. Its section is as high as J₂ asks for.
    pub(super) fn of_table_1() -> Self {
        let FlexibleSliderCrankParameters { l2, m2, j2, elasticity, density, .. } = Default::default();
        let elements = 20;
        let height = (12.0 * j2 / m2 - l2 * l2).sqrt();
        let area = m2 / (density * l2);
        Self {
            length: l2 / elements as f64,
            elements,
            mass: m2 / elements as f64,
            height,
            axial: elasticity * area,
            bending: elasticity * area * height * height / 12.0,
        }
    }

    /// Number of coordinates of all nodes.
    pub(super) fn coordinates(&self) -> usize {
        NODE * (self.elements + 1)
    }

    /// Points of an element, with two across the section, and shapes of its own six coordinates.
    pub(super) fn element(&self, index: usize, along: &[(f64, f64)]) -> Vec<Particle> {
        let across = gauss::points(2);
        let particle = |(xi, weight): (f64, f64), (eta, share): (f64, f64)| {
            let rows = shape(self.length, xi);
            Particle {
                mass: self.mass * weight * share,
                place: Vector2::new((index as f64 + xi) * self.length, (eta - 0.5) * self.height),
                shape: Matrix2xX::from_fn(2 * NODE, |i, j| rows[i][j]),
            }
        };
        along.iter().flat_map(|&point| across.iter().map(move |&other| particle(point, other))).collect()
    }

    /// Points of the rod with the shapes of all nodal coordinates.
    pub(super) fn particles(&self) -> Vec<Particle> {
        let along = gauss::points(4);
        let mut particles = Vec::new();
        for index in 0..self.elements {
            particles.extend(self.element(index, &along).into_iter().map(|Particle { mass, place, shape: own }| {
                let mut shape = Matrix2xX::zeros(self.coordinates());
                shape.view_mut((0, NODE * index), (2, 2 * NODE)).copy_from(&own);
                Particle { mass, place, shape }
            }));
        }
        particles
    }

    /// A body at the last node: the first term of Eq. 141.
    pub(super) fn at_tip(&self, mass: f64) -> Particle {
        let mut shape = Matrix2xX::zeros(self.coordinates());
        let last = NODE * self.elements;
        (shape[(0, last)], shape[(1, last + 1)]) = (1.0, 1.0);
        Particle { mass, place: Vector2::new(self.length * self.elements as f64, 0.0), shape }
    }
}

impl Particle {
    /// Without the coordinates that the frame holds, Eq. 184.
    pub(super) fn clamped(mut self) -> Self {
        self.shape = self.shape.columns_range(NODE..).into_owned();
        self
    }

    /// u = u₀ + S q.
    pub(super) fn position(&self, deformation: &DVector<f64>) -> Vector2<f64> {
        self.place + &self.shape * deformation
    }
}

/// The inertia shape integrals.
pub(super) struct Shapes {
    /// Eq. 129.
    pub(super) mass: f64,
    /// Eq. 131.
    pub(super) i1: Vector2<f64>,
    pub(super) s_bar: Matrix2xX<f64>,
    /// Eq. 134.
    pub(super) i2: f64,
    /// Eq. 135.
    pub(super) i3: RowDVector<f64>,
    /// Eq. 140.
    pub(super) i4: RowDVector<f64>,
    pub(super) s_tilde: DMatrix<f64>,
    /// Eq. 138.
    pub(super) s_ff: DMatrix<f64>,
}

impl Shapes {
    pub(super) fn of(particles: &[Particle]) -> Self {
        let n = particles.first().map_or(0, |particle| particle.shape.ncols());
        let mut sum = Self {
            mass: 0.0,
            i1: Vector2::zeros(),
            s_bar: Matrix2xX::zeros(n),
            i2: 0.0,
            i3: RowDVector::zeros(n),
            i4: RowDVector::zeros(n),
            s_tilde: DMatrix::zeros(n, n),
            s_ff: DMatrix::zeros(n, n),
        };
        for Particle { mass, place, shape } in particles {
            sum.mass += mass;
            sum.i1 += *mass * place;
            sum.s_bar += shape * *mass;
            sum.i2 += mass * place.norm_squared();
            sum.i3 += place.transpose() * shape * *mass;
            sum.i4 += place.transpose() * TURN * shape * *mass;
            sum.s_tilde += shape.transpose() * TURN * shape * *mass;
            sum.s_ff += shape.transpose() * shape * *mass;
        }
        sum
    }
}

/// The mass matrix of an element as textbooks have it.
pub(super) fn textbook_mass(mass: f64, length: f64) -> DMatrix<f64> {
    let l = length;
    let bending = [
        [156.0, 22.0 * l, 54.0, -13.0 * l],
        [22.0 * l, 4.0 * l * l, 13.0 * l, -3.0 * l * l],
        [54.0, 13.0 * l, 156.0, -22.0 * l],
        [-13.0 * l, -3.0 * l * l, -22.0 * l, 4.0 * l * l],
    ];
    element_matrix(
        [[mass / 3.0, mass / 6.0], [mass / 6.0, mass / 3.0]],
        bending.map(|row| row.map(|x| x * mass / 420.0)),
    )
}

/// The stiffness matrix of an element as textbooks have it.
pub(super) fn textbook_stiffness(axial: f64, bending: f64, length: f64) -> DMatrix<f64> {
    let l = length;
    let rows = [
        [12.0, 6.0 * l, -12.0, 6.0 * l],
        [6.0 * l, 4.0 * l * l, -6.0 * l, 2.0 * l * l],
        [-12.0, -6.0 * l, 12.0, -6.0 * l],
        [6.0 * l, 2.0 * l * l, -6.0 * l, 4.0 * l * l],
    ];
    let spring = axial / l;
    element_matrix([[spring, -spring], [-spring, spring]], rows.map(|row| row.map(|x| x * bending / (l * l * l))))
}

/// Of its parts along and across the beam.
fn element_matrix(along: [[f64; 2]; 2], across: [[f64; 4]; 4]) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(2 * NODE, 2 * NODE);
    let places = [1, 2, 4, 5];
    for i in 0..2 {
        for j in 0..2 {
            matrix[(NODE * i, NODE * j)] = along[i][j];
        }
    }
    for i in 0..4 {
        for j in 0..4 {
            matrix[(places[i], places[j])] = across[i][j];
        }
    }
    matrix
}
