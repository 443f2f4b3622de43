//! Hulls of points by chance, on lattices too, where most are in planes with others; and how polygons are cut.

use super::*;

#[path = "../../model-compiler/src/random.rs"]
mod random;

use random::Random;

fn volume(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    let of = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|index| points[index as usize]);
        (0..3).map(|i| a[i] * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3])).sum::<f64>() / 6.0
    };
    triangles.iter().map(of).sum()
}

/// Triangles of a hull: closed, convex, with all points within; by whole numbers, without rounding.
fn is_hull(points: &[[i64; 3]], triangles: &[[u32; 3]]) -> bool {
    let edges: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    let is_closed = edges.iter().all(|[a, b]| edges.iter().filter(|edge| **edge == [*b, *a]).count() == 1);
    let holds = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|index| points[index as usize]);
        let [u, v] = [b, c].map(|point| [0, 1, 2].map(|i| point[i] - a[i]));
        let normal = [0, 1, 2].map(|i| u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]);
        points.iter().all(|point| (0..3).map(|i| normal[i] * (point[i] - a[i])).sum::<i64>() <= 0)
    };
    is_closed && triangles.iter().all(holds)
}

#[test]
fn hulls_hold_all_points() {
    let mut random = Random(7);
    for round in 0..200 {
        let (count, size) = (4 + round % 60, [2, 3, 10, 100_000][round % 4]);
        let mut whole = |_| [(); 3].map(|()| random.below(size) as i64);
        let points: Vec<[i64; 3]> = (0..count).map(&mut whole).collect();
        let floats: Vec<[f64; 3]> = points.iter().map(|point| point.map(|part| part as f64)).collect();
        let Some(triangles) = hull(&floats) else {
            let from_first = |k: usize| [0, 1, 2].map(|i| points[k][i] - points[0][i]);
            for k in 3..count {
                let [u, v, w] = [1, 2, k].map(from_first);
                let determinant: i64 =
                    (0..3).map(|i| u[i] * (v[(i + 1) % 3] * w[(i + 2) % 3] - v[(i + 2) % 3] * w[(i + 1) % 3])).sum();
                assert_eq!(determinant, 0, "{points:?}");
            }
            continue;
        };
        assert!(is_hull(&points, &triangles), "{points:?}: {triangles:?}");
        assert!(volume(&floats, &triangles) > 0.0);
    }
}

#[test]
fn what_is_flat_has_no_hull() {
    for points in [vec![], vec![[1.0; 3]; 5], (0..9).map(|k| [k as f64, 2.0 * k as f64, 0.5]).collect()] {
        assert_eq!(hull(&points), None);
    }
}

#[test]
fn polygons_are_cut_as_others_do() {
    let corners = "v 0 0 0\nv 1 0 0\nv 1 1 0.5\nv 0 1 0\nv 0.5 2 0\nv 0.2 0.5 0\n";
    let read = |faces: &str| obj(&format!("{corners}{faces}")).unwrap();
    // From 2 to 4 is shorter than from 1 to 3, and neither where it is a square.
    assert_eq!(read("f 1 2 3 4").triangles, [[0, 1, 3], [1, 2, 3]]);
    assert_eq!(read("f 2 3 4 1").triangles, [[1, 2, 3], [1, 3, 0]]);
    assert_eq!(read("f 1 2 5 4 6").doubt, Some(7));
    assert_eq!(read("f 1 2 3 5 4").doubt, Some(7));
    assert_eq!(read("f 1 2 3\nl 1 2").doubt, Some(8));
    let flat = obj("v 0 0 0\nv 2 0 0\nv 3 1 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4 5\n").unwrap();
    assert_eq!((flat.triangles.len(), flat.doubt, flat.of_first), (3, None, 3));
    assert_eq!(read("o a\nf 1 2 3\nusemtl b\nf 1 3 4\ng c\nf 2 3 4\no d\nf 1 2 4").of_first, 2);
}
