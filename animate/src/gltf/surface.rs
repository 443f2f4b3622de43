//! Triangles of the solids of a scene, with their true dimensions.

use std::f64::consts::TAU;

use crate::mesh::Mesh;
use crate::pose::{Vector, add, cross, dot, scale, sub, unit};
use crate::scene::{LinkKind, Solid};

/// Triangles with normals, in single precision as files have them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Surface {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub indices: Vec<u32>,
}

/// Divisions of a circle.
const ROUND: usize = 32;
/// Turns of a coil, and divisions along its wire and around it.
const TURNS: f64 = 9.0;
const COIL: [usize; 2] = [216, 8];

impl Surface {
    /// That of a solid; of a mesh as its file has it, without the scale.
    pub fn of(solid: &Solid, meshes: &[std::sync::Arc<Mesh>]) -> Surface {
        match solid {
            Solid::Box([x, y, z]) => {
                let [x, y] = [x / 2.0, y / 2.0];
                prism(&[[-x, -y], [x, -y], [x, y], [-x, y]], *z)
            }
            Solid::Prism(outline, thickness) => prism(outline, *thickness),
            Solid::Sphere([radius]) => revolved(&[arc(*radius, 0.0, [-0.25, 0.25])]),
            Solid::Ellipsoid(axes) => ellipsoid(*axes),
            Solid::Cylinder([radius, length]) => cylinder(*radius, [-0.5 * length, 0.5 * length]),
            Solid::Capsule([radius, length]) => {
                let [low, high] = [-0.5 * length, 0.5 * length];
                let side = vec![([*radius, low], [1.0, 0.0]), ([*radius, high], [1.0, 0.0])];
                revolved(&[arc(*radius, low, [-0.25, 0.0]), side, arc(*radius, high, [0.0, 0.25])])
            }
            Solid::Cone([radius, height]) => {
                let slope = unit([*height, *radius, 0.0]).map_or([1.0, 0.0], |[r, z, _]| [r, z]);
                let side = vec![([*radius, 0.0], slope), ([0.0, *height], slope)];
                revolved(&[lid(*radius, 0.0, -1.0), side])
            }
            Solid::Hull(size) => hull(*size),
            Solid::Mesh { mesh, .. } => of_mesh(&meshes[*mesh]),
        }
    }

    /// That of a connection of this length from the origin along z: what is grey, and what is coloured.
    pub fn of_link(kind: LinkKind, radius: f64, length: f64) -> [Option<Surface>; 2] {
        let piston = |wide: f64| {
            let mut surface = cylinder(0.22 * radius, [0.0, length]);
            surface.extend(&cylinder(wide * radius, [0.2 * length, 0.62 * length]));
            surface
        };
        match kind {
            LinkKind::Rod => [Some(cylinder(radius, [0.0, length])), None],
            LinkKind::Damper => [Some(piston(0.8)), None],
            LinkKind::Spring => [None, Some(coil(radius, length))],
            LinkKind::SpringDamper => [Some(piston(0.5)), Some(coil(radius, length))],
        }
    }

    /// Rings around the x axes of so many frames, ring by ring in the axes of its own frame; and of each vertex its frame.
    pub fn of_beam(nodes: usize, [high, wide]: [f64; 2]) -> (Surface, Vec<u16>) {
        let mut surface = Surface::default();
        let mut frames = Vec::new();
        let corners = [[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]];
        let at = |[y, z]: [f64; 2]| [0.0, 0.5 * y * high, 0.5 * z * wide];
        for side in 0..4 {
            let (first, second) = (corners[side], corners[(side + 1) % 4]);
            let normal = [0.0, 0.5 * (first[0] + second[0]), 0.5 * (first[1] + second[1])];
            for node in 0..nodes {
                let start = surface.vertex(at(first), normal);
                surface.vertex(at(second), normal);
                frames.extend([node as u16; 2]);
                if node > 0 {
                    surface.indices.extend([start - 2, start - 1, start, start - 1, start + 1, start]);
                }
            }
        }
        for (node, side) in [(0, -1.0), (nodes - 1, 1.0)] {
            let start = surface.positions.len() as u32;
            for corner in corners {
                surface.vertex(at(corner), [side, 0.0, 0.0]);
            }
            frames.extend([node as u16; 4]);
            let triangles = if side > 0.0 { [0, 1, 2, 0, 2, 3] } else { [0, 2, 1, 0, 3, 2] };
            surface.indices.extend(triangles.map(|corner| start + corner));
        }
        (surface, frames)
    }

    fn vertex(&mut self, position: Vector, normal: Vector) -> u32 {
        self.positions.push(position.map(|part| part as f32));
        self.normals.push(normal.map(|part| part as f32));
        self.positions.len() as u32 - 1
    }

    fn extend(&mut self, other: &Surface) {
        let start = self.positions.len() as u32;
        self.positions.extend(&other.positions);
        self.normals.extend(&other.normals);
        self.indices.extend(other.indices.iter().map(|index| start + index));
    }

    /// A convex polygon, against the clock as seen from outside.
    fn face(&mut self, corners: &[Vector]) {
        let [a, b, c, ..] = corners else { return };
        let normal = unit(cross(sub(*b, *a), sub(*c, *a))).unwrap_or([0.0, 0.0, 1.0]);
        let start = self.positions.len() as u32;
        for &corner in corners {
            self.vertex(corner, normal);
        }
        self.indices.extend((2..corners.len() as u32).flat_map(|k| [start, start + k - 1, start + k]));
    }

    /// A grid of vertices, row after row; triangles without an area, such as those at poles, are left out.
    fn sheet(&mut self, start: u32, rows: usize, row: usize) {
        for i in 0..rows - 1 {
            for j in 0..row - 1 {
                let a = start + (i * row + j) as u32;
                let (right, up) = (a + 1, a + row as u32);
                for triangle in [[a, right, up], [right, up + 1, up]] {
                    let [p, q, r] = triangle.map(|index| self.positions[index as usize]);
                    if p != q && q != r && r != p {
                        self.indices.extend(triangle);
                    }
                }
            }
        }
    }
}

/// Points of a profile, by radius and height, with their normals.
type Profile = Vec<([f64; 2], [f64; 2])>;

/// A part of a circle about a point of the axis, from one turn to another; turns count from the equator.
fn arc(radius: f64, height: f64, [from, to]: [f64; 2]) -> Profile {
    let steps = (ROUND as f64 * (to - from)).ceil() as usize;
    let point = |k: usize| {
        let turn = TAU * (from + (to - from) * k as f64 / steps as f64);
        // The poles are on the axis.
        let wide = if turn.cos().abs() < 1e-12 { 0.0 } else { turn.cos() };
        ([radius * wide, height + radius * turn.sin()], [wide, turn.sin()])
    };
    (0..=steps).map(point).collect()
}

/// A disc across the axis, that of the lower or of the upper side.
fn lid(radius: f64, height: f64, side: f64) -> Profile {
    let (middle, edge) = (([0.0, height], [0.0, side]), ([radius, height], [0.0, side]));
    if side < 0.0 { vec![middle, edge] } else { vec![edge, middle] }
}

/// Profiles from the lower to the upper end, turned about z; each is smooth.
fn revolved(profiles: &[Profile]) -> Surface {
    let mut surface = Surface::default();
    for profile in profiles {
        let start = surface.positions.len() as u32;
        for ([radius, height], [out, up]) in profile {
            for j in 0..=ROUND {
                let (sin, cos) = (TAU * (j % ROUND) as f64 / ROUND as f64).sin_cos();
                surface.vertex([radius * cos, radius * sin, *height], [out * cos, out * sin, *up]);
            }
        }
        surface.sheet(start, profile.len(), ROUND + 1);
    }
    surface
}

fn cylinder(radius: f64, [low, high]: [f64; 2]) -> Surface {
    let side = vec![([radius, low], [1.0, 0.0]), ([radius, high], [1.0, 0.0])];
    revolved(&[lid(radius, low, -1.0), side, lid(radius, high, 1.0)])
}

fn ellipsoid(axes: [f64; 3]) -> Surface {
    let mut surface = revolved(&[arc(1.0, 0.0, [-0.25, 0.25])]);
    for (position, normal) in surface.positions.iter_mut().zip(&mut surface.normals) {
        let at = position.map(f64::from);
        *position = [0, 1, 2].map(|i| (at[i] * axes[i]) as f32);
        *normal = unit([0, 1, 2].map(|i| at[i] / axes[i])).unwrap_or(at).map(|part| part as f32);
    }
    surface
}

fn prism(outline: &[[f64; 2]], thickness: f64) -> Surface {
    let mut surface = Surface::default();
    let at = |height: f64| outline.iter().map(move |&[x, y]| [x, y, height]).collect::<Vec<Vector>>();
    let (low, high) = (at(-0.5 * thickness), at(0.5 * thickness));
    surface.face(&high);
    surface.face(&low.iter().rev().copied().collect::<Vec<_>>());
    for k in 0..outline.len() {
        let next = (k + 1) % outline.len();
        surface.face(&[low[k], low[next], high[next], high[k]]);
    }
    surface
}

/// A boat with its bow along x, narrower at the keel.
fn hull([long, wide, high]: [f64; 3]) -> Surface {
    const HALF: [[f64; 2]; 6] = [[0.5, 0.0], [0.36, 0.28], [0.15, 0.45], [-0.15, 0.5], [-0.42, 0.46], [-0.5, 0.38]];
    let other = HALF[1..].iter().rev().map(|&[x, y]| [x, -y]);
    let deck: Vec<[f64; 2]> = HALF.into_iter().chain(other).collect();
    let at = |z: f64, broad: f64, reach: f64| {
        deck.iter().map(|[x, y]| [reach * long * x, broad * wide * y, z * high]).collect::<Vec<Vector>>()
    };
    let (top, bottom) = (at(0.5, 1.0, 1.0), at(-0.5, 0.62, 0.86));
    let mut surface = Surface::default();
    surface.face(&top);
    surface.face(&bottom.iter().rev().copied().collect::<Vec<_>>());
    for k in 0..deck.len() {
        let next = (k + 1) % deck.len();
        surface.face(&[bottom[k], bottom[next], top[next], top[k]]);
    }
    surface
}

/// The wire of a coil from the origin along z.
fn coil(radius: f64, length: f64) -> Surface {
    let [along, around] = COIL;
    let step = |a: f64, b: f64, x: f64| {
        let part = ((x - a) / (b - a)).clamp(0.0, 1.0);
        part * part * (3.0 - 2.0 * part)
    };
    let middle = |s: f64| {
        let wide = radius * step(0.04, 0.1, s) * (1.0 - step(0.9, 0.96, s));
        let (sin, cos) = (TAU * TURNS * ((s - 0.07) / 0.86).clamp(0.0, 1.0)).sin_cos();
        [wide * cos, wide * sin, length * s]
    };
    let mut surface = Surface::default();
    let mut side = [1.0, 0.0, 0.0];
    for i in 0..along {
        let s = i as f64 / (along - 1) as f64;
        let axis = unit(sub(middle(s + 1e-4), middle(s - 1e-4))).unwrap_or([0.0, 0.0, 1.0]);
        // Turned as little as possible from one ring to the next.
        side = unit(sub(side, scale(dot(side, axis), axis))).unwrap_or(side);
        let other = cross(axis, side);
        for j in 0..=around {
            let (sin, cos) = (TAU * (j % around) as f64 / around as f64).sin_cos();
            let normal = add(scale(cos, side), scale(sin, other));
            surface.vertex(add(middle(s), scale(0.16 * radius, normal)), normal);
        }
    }
    surface.sheet(0, along, around + 1);
    surface
}

fn of_mesh(mesh: &Mesh) -> Surface {
    let mut surface = Surface { indices: mesh.indices.clone(), ..Surface::default() };
    for vertex in 0..mesh.len() {
        surface.vertex(mesh.position(vertex), mesh.normal(vertex));
    }
    surface
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::pose::length;

    /// Solids are closed, of the volume that formulas say, with normals that lead outwards.
    #[test]
    fn volumes_are_those_of_the_solids() {
        let outline = vec![[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]];
        let [r, h] = [0.7, 1.5];
        let solids = [
            (Solid::Box([1.0, 2.0, 3.0]), 6.0),
            (Solid::Sphere([r]), 4.0 / 3.0 * PI * r * r * r),
            (Solid::Ellipsoid([r, 2.0 * r, h]), 4.0 / 3.0 * PI * r * 2.0 * r * h),
            (Solid::Cylinder([r, h]), PI * r * r * h),
            (Solid::Capsule([r, h]), PI * r * r * (h + 4.0 / 3.0 * r)),
            (Solid::Cone([r, h]), PI * r * r * h / 3.0),
            (Solid::Prism(outline, 0.5), 0.5),
        ];
        for (solid, expected) in solids {
            let Surface { positions, normals, indices } = Surface::of(&solid, &[]);
            let at = |index: u32| positions[index as usize].map(f64::from);
            let mut volume = 0.0;
            for triangle in indices.chunks_exact(3) {
                let [a, b, c] = [at(triangle[0]), at(triangle[1]), at(triangle[2])];
                volume += dot(a, cross(b, c)) / 6.0;
                let across = unit(cross(sub(b, a), sub(c, a))).unwrap();
                for &index in triangle {
                    let normal = normals[index as usize].map(f64::from);
                    assert!((length(normal) - 1.0).abs() < 1e-6 && dot(normal, across) > 0.7, "{solid:?}: {normal:?}");
                }
            }
            assert!((volume / expected - 1.0).abs() < 0.025, "{solid:?}: {volume}, not {expected}");
        }
    }
}
