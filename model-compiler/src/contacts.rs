//! Contacts: the registry of those between round and flat things, where they are nearest, and the directions in which they
//! rub; and the law that every contact has.
//!
//! A contact between other shapes is written as an expression. To add a kind: put it into the list below. Which motion at
//! the nearest point is the slip follows from rigid-body kinematics and is not decided here.

use crate::expr::{ExprId, Graph};
use crate::space::{Shape, Space};
use crate::spatial::{self, Matrix3, Transform, Vector3};

/// A kind of contact between two frames.
#[derive(Debug)]
pub struct Kind {
    /// The word in the language.
    pub keyword: &'static str,
    /// Plane or space.
    pub space: Space,
    /// What of it is round: the first thing, or both, or neither.
    pub radii: usize,
}

/// Every kind. What is not round is a point if it is named first, and flat if it is named second.
pub static ALL: [Kind; 6] = [
    Kind { keyword: "ball_on_ball", space: Space::Spatial, radii: 2 },
    Kind { keyword: "ball_on_plane", space: Space::Spatial, radii: 1 },
    Kind { keyword: "disc_on_disc", space: Space::Planar, radii: 2 },
    Kind { keyword: "disc_on_line", space: Space::Planar, radii: 1 },
    Kind { keyword: "point_on_line", space: Space::Planar, radii: 0 },
    Kind { keyword: "point_on_plane", space: Space::Spatial, radii: 0 },
];

/// The kind with this keyword.
pub fn find(keyword: &str) -> Option<&'static Kind> {
    ALL.iter().find(|kind| kind.keyword == keyword)
}

/// Newton's law of impact and Coulomb's law of friction of a contact, in terms or expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactLaw<T> {
    /// How much of the normal velocity an impact turns round.
    pub restitution: T,
    /// How much of the tangential velocity an impact turns round.
    pub tangential_restitution: T,
    /// Friction by normal force.
    pub friction: T,
}

/// Names of the fields of [`ContactLaw`] in models, in Rust and in C; where a law is a row of values, they stand in this
/// order.
pub const LAW_FIELDS: [&str; 3] = ["restitution", "tangential_restitution", "friction"];

impl<T> ContactLaw<T> {
    /// The law with this function of every value.
    pub fn map<U>(&self, mut function: impl FnMut(&T) -> U) -> ContactLaw<U> {
        ContactLaw {
            restitution: function(&self.restitution),
            tangential_restitution: function(&self.tangential_restitution),
            friction: function(&self.friction),
        }
    }

    /// The values, in the order of [`LAW_FIELDS`].
    pub fn values(self) -> [T; 3] {
        [self.restitution, self.tangential_restitution, self.friction]
    }
}

/// Where two things are nearest; ground axes.
#[derive(Clone, Debug)]
pub struct Nearest {
    /// Their distance, m; negative where they overlap.
    pub gap: ExprId,
    /// From the origin of each frame to the point of the first thing that is nearest to the second, m. Both things push
    /// and rub at this one point, so that what they do to each other has no moment together, however wide the gap.
    pub arms: [Vector3; 2],
    /// Unit vector along which the first thing is pushed away.
    pub normal: Vector3,
    /// Unit vectors that span the common tangent: one in the plane, two in space.
    pub tangents: Vec<Vector3>,
}

impl Kind {
    /// Whether the second thing has the surface of its frame: the x-y plane, open towards z, or in the plane the x axis,
    /// open towards y.
    pub fn is_flat(&self) -> bool {
        self.radii < 2
    }

    /// The field of its radii, m, and its shape.
    pub fn field(&self) -> Option<(&'static str, Shape)> {
        match self.radii {
            0 => None,
            1 => Some(("radius", Shape::Scalar)),
            n => Some(("radii", Shape::Vector(n))),
        }
    }

    /// Where the things around these frames are nearest.
    pub fn nearest(&self, graph: &mut Graph, frames: [&Transform; 2], radii: &[ExprId]) -> Nearest {
        let apart = spatial::sub(graph, frames[0].position, frames[1].position);
        let (normal, distance, tangents) = if self.is_flat() {
            let (normal, tangents) = flat(self.space, &frames[1].rotation);
            (normal, spatial::dot(graph, apart, normal), tangents)
        } else {
            let squared = spatial::dot(graph, apart, apart);
            let length = graph.sqrt(squared);
            let normal = apart.map(|component| graph.div(component, length));
            (normal, length, round(graph, self.space, normal))
        };
        let reach = graph.sum(radii);
        let from_first = match radii.first() {
            Some(&radius) => {
                let outward = spatial::scale(graph, radius, normal);
                spatial::neg(graph, outward)
            }
            None => spatial::zero(graph),
        };
        let from_second = spatial::add(graph, apart, from_first);
        Nearest { gap: graph.sub(distance, reach), arms: [from_first, from_second], normal, tangents }
    }
}

/// Normal and tangents of a frame's surface.
fn flat(space: Space, axes: &Matrix3) -> (Vector3, Vec<Vector3>) {
    let axis = |j: usize| [axes[0][j], axes[1][j], axes[2][j]];
    match space {
        Space::Planar => (axis(1), vec![axis(0)]),
        Space::Spatial => (axis(2), vec![axis(0), axis(1)]),
    }
}

/// Tangents of a normal: in space the axes x and y after the smallest rotation of z into the normal, or into its opposite
/// where that is nearer, so that they have a direction everywhere.
fn round(graph: &mut Graph, space: Space, normal: Vector3) -> Vec<Vector3> {
    let (zero, one) = (graph.zero(), graph.one());
    let [nx, ny, nz] = normal;
    if space == Space::Planar {
        return vec![[ny, graph.neg(nx), zero]];
    }
    let below = graph.integer(-1);
    let side = graph.select(nz, zero, below, one);
    let [nx, ny, c] = spatial::scale(graph, side, [nx, ny, nz]);
    let sum = graph.add(one, c);
    let k = graph.div(one, sum);
    let mixed = graph.product(&[k, nx, ny]);
    let mixed = graph.neg(mixed);
    let mut along = |n: ExprId| {
        let part = graph.product(&[k, n, n]);
        graph.add(c, part)
    };
    let (first, second) = (along(ny), along(nx));
    vec![[first, mixed, graph.neg(nx)], [mixed, second, graph.neg(ny)]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Stage, evaluate};

    fn nearest(keyword: &str, apart: [f64; 3], radii: &[f64]) -> (f64, [[f64; 3]; 2], Vec<[f64; 3]>) {
        let mut graph = Graph::new();
        let position = ["x", "y", "z"].map(|name| graph.symbol(name, Stage::Position));
        let radii: Vec<ExprId> = radii.iter().map(|&radius| graph.float(radius)).collect();
        let second = Transform::identity(&mut graph);
        let first = Transform { position, ..second };
        let found = find(keyword).expect("a kind").nearest(&mut graph, [&first, &second], &radii);
        let vectors = found.arms.iter().chain(&found.tangents).flatten().copied();
        let roots: Vec<ExprId> = std::iter::once(found.gap).chain(vectors).collect();
        let values: Vec<f64> = evaluate(&graph, &roots, &apart);
        let vectors: Vec<[f64; 3]> = values[1..].chunks(3).map(|v| [v[0], v[1], v[2]]).collect();
        (values[0], [vectors[0], vectors[1]], vectors[2..].to_vec())
    }

    fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn the_nearest_point_is_on_the_first_and_a_gap_from_the_second() {
        for (keyword, radii) in
            [("ball_on_ball", vec![0.3, 0.5]), ("ball_on_plane", vec![0.3]), ("point_on_plane", vec![])]
        {
            let apart = [0.6, -1.1, 0.9];
            let (gap, [first, second], _) = nearest(keyword, apart, &radii);
            assert!((dot(first, first).sqrt() - radii.first().unwrap_or(&0.0)).abs() < 1e-15, "{keyword}: {first:?}");
            let height = radii.get(1).map_or(second[2], |radius| dot(second, second).sqrt() - radius);
            assert!((height - gap).abs() < 1e-15, "{keyword}: {second:?}, {gap}");
            assert!((0..3).all(|i| (apart[i] + first[i] - second[i]).abs() < 1e-15), "{keyword}: two points");
        }
    }

    #[test]
    fn tangents_are_unit_vectors_across_the_normal() {
        for apart in [[0.3, 0.4, 1.2], [0.3, -0.4, -1.2], [0.0, 0.0, -1.0], [0.7, 0.1, 0.0]] {
            let length = dot(apart, apart).sqrt();
            let (gap, _, tangents) = nearest("ball_on_ball", apart, &[0.1, 0.2]);
            assert!((gap - (length - 0.3)).abs() < 1e-14);
            let [t1, t2] = [tangents[0], tangents[1]];
            for (a, b, expected) in [(t1, t1, 1.0), (t2, t2, 1.0), (t1, t2, 0.0), (t1, apart, 0.0), (t2, apart, 0.0)] {
                assert!((dot(a, b) - expected).abs() < 1e-14, "{apart:?}: {a:?} · {b:?}");
            }
        }
    }

    #[test]
    fn a_line_and_a_disc_below_have_the_same_tangent() {
        let above = [0.0, 2.0, 0.0];
        let (_, _, on_line) = nearest("disc_on_line", above, &[0.5]);
        let (_, _, on_disc) = nearest("disc_on_disc", above, &[0.5, 1.0]);
        assert_eq!(on_line, [[1.0, 0.0, 0.0]]);
        assert_eq!(on_line[0].map(f64::abs), on_disc[0].map(f64::abs));
        assert_eq!(on_line[0][0], on_disc[0][0]);
    }
}
