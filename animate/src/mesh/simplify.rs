//! Surfaces with fewer triangles: vertices in one cell of a grid become one.
//!
//! Clustering of vertices needs neither a topology nor a closed surface, which files of parts often do not have, moves no
//! vertex by more than the diagonal of a cell, and is a page of code; libraries that collapse edges are written in C++, for
//! which nobody who builds Hamel needs a compiler.

use std::collections::{HashMap, HashSet};

use hamel_mesh::Surface;

/// Cells along the longest edge of the finest grid that is tried.
const FINEST: u32 = 1 << 12;

/// The surface with the finest grid that leaves at most so many triangles; itself if it has no more.
pub(crate) fn simplified(surface: Surface, most: usize) -> Surface {
    if surface.triangles.len() <= most {
        return surface;
    }
    // The coarsest grid leaves a few dozen at most.
    let (mut coarse, mut fine) = (1, FINEST);
    while fine - coarse > 1 {
        let middle = (coarse + fine) / 2;
        if clustered(&surface, middle).triangles.len() <= most { coarse = middle } else { fine = middle }
    }
    clustered(&surface, coarse)
}

/// The surface of the centres of the vertices in each cell, with so many cells along its longest edge.
fn clustered(surface: &Surface, cells: u32) -> Surface {
    let low = [0, 1, 2].map(|i| surface.vertices.iter().map(|vertex| vertex[i]).fold(f64::INFINITY, f64::min));
    let high = [0, 1, 2].map(|i| surface.vertices.iter().map(|vertex| vertex[i]).fold(f64::NEG_INFINITY, f64::max));
    let longest = (0..3).map(|i| high[i] - low[i]).fold(0.0, f64::max);
    let cell = |vertex: &[f64; 3]| [0, 1, 2].map(|i| ((vertex[i] - low[i]) / longest * f64::from(cells)) as u32);
    let mut places: HashMap<[u32; 3], u32> = HashMap::new();
    let mut sums: Vec<([f64; 3], f64)> = Vec::new();
    let mut place_of = Vec::with_capacity(surface.vertices.len());
    for vertex in &surface.vertices {
        let place = *places.entry(cell(vertex)).or_insert(sums.len() as u32);
        if place as usize == sums.len() {
            sums.push(([0.0; 3], 0.0));
        }
        let (sum, count) = &mut sums[place as usize];
        (0..3).for_each(|i| sum[i] += vertex[i]);
        *count += 1.0;
        place_of.push(place);
    }
    let vertices = sums.into_iter().map(|(sum, count)| sum.map(|part| part / count)).collect();
    let mut known: HashSet<[u32; 3]> = HashSet::new();
    let mut triangles = Vec::new();
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|vertex| place_of[vertex as usize]);
        if a == b || b == c || c == a {
            continue;
        }
        // Beginning with the smallest, so that a triangle is found again whichever of its corners is first.
        let turned = if a < b && a < c {
            [a, b, c]
        } else if b < c {
            [b, c, a]
        } else {
            [c, a, b]
        };
        if known.insert(turned) {
            triangles.push(turned);
        }
    }
    Surface { vertices, triangles, ..Surface::default() }
}
