//! Convex hulls of points, whose triangles are found with exact predicates: no choice of tolerances.

use std::collections::HashMap;

use robust::{Coord3D, orient3d};

type Point = [f64; 3];

/// A triangle of the hull while it grows.
struct Face {
    corners: [u32; 3],
    /// The faces across the edges from each corner to the next.
    across: [usize; 3],
    /// Points beyond it.
    beyond: Vec<u32>,
    is_gone: bool,
}

/// The convex hull of points, as triangles of their indices against the clock as seen from outside; `None` where all are
/// in one plane.
///
/// Points are taken one after the other, the furthest beyond a triangle first, with all triangles that it sees replaced by
/// those that lead to it ("quickhull", Barber, Dobkin and Huhdanpaa 1996).
///
/// ```
/// let corners = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(f64::from)).chain([[0.5; 3]]).collect::<Vec<_>>();
/// assert_eq!(hamel_mesh::hull(&corners).unwrap().len(), 12);
/// assert_eq!(hamel_mesh::hull(&corners[..4]), None);
/// ```
pub fn hull(points: &[[f64; 3]]) -> Option<Vec<[u32; 3]>> {
    let [a, b, c, d] = simplex(points)?;
    let face = |corners, across| Face { corners, across, beyond: Vec::new(), is_gone: false };
    let mut faces = vec![
        face([a, b, c], [1, 2, 3]),
        face([b, a, d], [0, 3, 2]),
        face([c, b, d], [0, 1, 3]),
        face([a, c, d], [0, 2, 1]),
    ];
    let all: Vec<u32> = (0..points.len() as u32).collect();
    distribute(points, &mut faces, 0, all);
    let mut next = 0;
    // What is beyond a face that is replaced is given to those behind it in the list.
    while next < faces.len() {
        if faces[next].is_gone || faces[next].beyond.is_empty() {
            next += 1;
            continue;
        }
        let far = furthest(points, &faces[next]);
        grow(points, &mut faces, next, far)?;
    }
    Some(faces.into_iter().filter(|face| !face.is_gone).map(|face| face.corners).collect())
}

/// Positive where the last point is beyond the plane of the others, seen against the clock from there; exact in its sign.
fn beyond(points: &[Point], [a, b, c]: [u32; 3], point: u32) -> f64 {
    let [a, b, c, d] = [a, b, c, point].map(|index| points[index as usize]);
    let coord = |[x, y, z]: Point| Coord3D { x, y, z };
    -orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// Gives points to the first of the last faces that they are beyond.
fn distribute(points: &[Point], faces: &mut [Face], first: usize, candidates: Vec<u32>) {
    for point in candidates {
        if let Some(face) = faces[first..].iter_mut().find(|face| beyond(points, face.corners, point) > 0.0) {
            face.beyond.push(point);
        }
    }
}

fn furthest(points: &[Point], face: &Face) -> u32 {
    let height = |point: u32| beyond(points, face.corners, point);
    face.beyond.iter().copied().reduce(|a, b| if height(b) > height(a) { b } else { a }).unwrap_or_default()
}

/// Takes a point beyond a face into the hull; `None` only where numbers are too small or too large to be compared.
fn grow(points: &[Point], faces: &mut Vec<Face>, seen: usize, point: u32) -> Option<()> {
    let mut candidates = Vec::new();
    // Edges from which nothing behind is seen, each with the face there.
    let mut horizon = Vec::new();
    let mut ahead = vec![seen];
    faces[seen].is_gone = true;
    while let Some(index) = ahead.pop() {
        candidates.append(&mut faces[index].beyond);
        for edge in 0..3 {
            let other = faces[index].across[edge];
            if faces[other].is_gone {
                continue;
            }
            if beyond(points, faces[other].corners, point) > 0.0 {
                faces[other].is_gone = true;
                ahead.push(other);
            } else {
                horizon.push((faces[index].corners[edge], faces[index].corners[(edge + 1) % 3], other));
            }
        }
    }
    let first = faces.len();
    let starts: HashMap<u32, usize> =
        horizon.iter().enumerate().map(|(place, (start, ..))| (*start, first + place)).collect();
    let ends: HashMap<u32, usize> =
        horizon.iter().enumerate().map(|(place, (_, end, _))| (*end, first + place)).collect();
    for (place, (start, end, other)) in horizon.into_iter().enumerate() {
        let across = [other, *starts.get(&end)?, *ends.get(&start)?];
        faces.push(Face { corners: [start, end, point], across, beyond: Vec::new(), is_gone: false });
        let corners = faces[other].corners;
        for edge in 0..3 {
            if corners[edge] == end && corners[(edge + 1) % 3] == start {
                faces[other].across[edge] = first + place;
            }
        }
    }
    candidates.retain(|candidate| *candidate != point);
    distribute(points, faces, first, candidates);
    Some(())
}

/// Four points that are in no plane, the last on the inner side of the first three.
fn simplex(points: &[Point]) -> Option<[u32; 4]> {
    let difference = |a: u32, b: u32| [0, 1, 2].map(|k| points[b as usize][k] - points[a as usize][k]);
    let cross =
        |a: Point, b: Point| [0, 1, 2].map(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
    let square = |vector: Point| vector.iter().map(|part| part * part).sum::<f64>();
    let all = 0..u32::try_from(points.len()).ok()?;
    let most = |size: &dyn Fn(u32) -> f64| {
        all.clone().map(|point| (size(point), point)).reduce(|a, b| if b.0 > a.0 { b } else { a })
    };
    let (_, a) = most(&|point| -points[point as usize][0])?;
    let (_, b) = most(&|point| square(difference(a, point)))?;
    let (_, c) = most(&|point| square(cross(difference(a, b), difference(a, point))))?;
    let (_, d) = most(&|point| beyond(points, [a, b, c], point).abs())?;
    match beyond(points, [a, b, c], d) {
        0.0 => None,
        height if height > 0.0 => Some([a, c, b, d]),
        _ => Some([a, b, c, d]),
    }
}
