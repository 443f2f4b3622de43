//! Plane or space, the shapes that values have there, and coordinates by name and unit.

/// Plane or space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// Motion in the x-y plane, rotation about z.
    Planar,
    /// Motion in space.
    Spatial,
}

impl Space {
    /// Both.
    pub const ALL: &[Space] = &[Space::Planar, Space::Spatial];

    /// Components of a position: 2 or 3.
    pub fn dimension(self) -> usize {
        match self {
            Space::Planar => 2,
            Space::Spatial => 3,
        }
    }
}

/// Shape of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One number.
    Scalar,
    /// A vector of this length.
    Vector(usize),
    /// A matrix, rows × columns.
    Matrix(usize, usize),
}

impl Shape {
    /// Paths to the components of a value of this name, in row-major order, e.g. `tip[1]`.
    pub fn paths(self, name: &str) -> Vec<String> {
        match self {
            Shape::Scalar => vec![name.to_owned()],
            Shape::Vector(n) => (0..n).map(|i| format!("{name}[{i}]")).collect(),
            Shape::Matrix(rows, columns) => {
                (0..rows * columns).map(|i| format!("{name}[{}][{}]", i / columns, i % columns)).collect()
            }
        }
    }

    /// Number of components.
    pub fn size(self) -> usize {
        match self {
            Shape::Scalar => 1,
            Shape::Vector(n) => n,
            Shape::Matrix(rows, columns) => rows * columns,
        }
    }

    /// `tip` with three components becomes `tip_x`, `tip_y`, `tip_z`; a 3 × 3 matrix `inertia_xx`, `inertia_xy`, ….
    pub(crate) fn component_names(self, name: &str) -> Vec<String> {
        let letter = |i: usize, n: usize| if n <= 3 { ["x", "y", "z"][i].to_owned() } else { i.to_string() };
        match self {
            Shape::Scalar => vec![name.to_owned()],
            Shape::Vector(n) => (0..n).map(|i| format!("{name}_{}", letter(i, n))).collect(),
            Shape::Matrix(rows, columns) => {
                let between = if rows.max(columns) > 10 { "_" } else { "" };
                (0..rows)
                    .flat_map(|i| (0..columns).map(move |j| (i, j)))
                    .map(|(i, j)| format!("{name}_{}{between}{}", letter(i, rows), letter(j, columns)))
                    .collect()
            }
        }
    }
}

/// A scalar coordinate or velocity of a joint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Coordinate {
    /// Name, as users write it after the joint's name.
    pub name: &'static str,
    /// Its unit, as users would write it.
    pub unit: &'static str,
}
