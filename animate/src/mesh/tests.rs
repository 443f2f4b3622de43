//! Meshes against solids whose area and volume are known, and files that are wrong in every place.

use super::*;
use hamel_mesh::{obj, stl};

#[path = "../../../model-compiler/src/random.rs"]
mod random;

const PI: f64 = std::f64::consts::PI;

/// A box from the origin to these coordinates, as corners of triangles against the clock.
fn block([x, y, z]: Vector) -> Vec<[Vector; 3]> {
    let corner = |k: usize| [0, 1, 2].map(|i| if k >> i & 1 == 1 { [x, y, z][i] } else { 0.0 });
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).map(|corners| corners.map(corner)).collect()
}

/// A ball of radius 1 of 2 n² triangles.
fn ball(n: usize) -> Vec<[Vector; 3]> {
    let at = |i: usize, j: usize| {
        let (polar, turn) = (PI * i as f64 / n as f64, 2.0 * PI * (j % n) as f64 / n as f64);
        let wide = if i == 0 || i == n { 0.0 } else { polar.sin() };
        [wide * turn.cos(), wide * turn.sin(), polar.cos()]
    };
    let cell =
        |i: usize, j: usize| [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]];
    (0..n).flat_map(|i| (0..n).flat_map(move |j| cell(i, j))).collect()
}

fn binary(triangles: &[[Vector; 3]]) -> Vec<u8> {
    let mut bytes = b"solid is a word that binary files may begin with".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        bytes.extend(triangle.iter().flatten().flat_map(|number| (*number as f32).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

fn text(triangles: &[[Vector; 3]]) -> String {
    let facet = |triangle: &[Vector; 3]| {
        let corner = |[x, y, z]: &Vector| format!("      vertex {x:e} {y:e} {z:e}\n");
        let corners: String = triangle.iter().map(corner).collect();
        format!("  facet normal 0 0 0\n    outer loop\n{corners}    endloop\n  endfacet\n")
    };
    let (first, second) = triangles.split_at(triangles.len() / 2);
    let solid =
        |part: &[[Vector; 3]]| format!("solid part\n{}endsolid part\n", part.iter().map(facet).collect::<String>());
    solid(first) + &solid(second)
}

fn wavefront(triangles: &[[Vector; 3]]) -> String {
    let corners = triangles.iter().flatten().map(|[x, y, z]| format!("v {x} {y} {z} 1.0\n"));
    let faces = (0..triangles.len())
        .map(|k| format!("f {}//1 {}/2 -{}\n", 3 * k + 1, 3 * k + 2, 3 * (triangles.len() - k) - 2));
    format!(
        "# a part\nmtllib none.mtl\no part\n{}usemtl steel\ns off\n{}",
        corners.collect::<String>(),
        faces.collect::<String>()
    )
}

/// Volume within a closed surface, and its area.
fn volume_and_area(mesh: &Mesh) -> (f64, f64) {
    let corners = mesh.indices.chunks_exact(3).map(|triangle| [0, 1, 2].map(|k| mesh.position(triangle[k] as usize)));
    corners.fold((0.0, 0.0), |(volume, area), [a, b, c]| {
        (volume + dot(a, cross(b, c)) / 6.0, area + 0.5 * length(cross(sub(b, a), sub(c, a))))
    })
}

#[test]
fn each_format_gives_the_box_that_was_written() {
    let triangles = block([2.0, 3.0, 0.5]);
    let surfaces = [
        stl(&binary(&triangles)),
        stl(text(&triangles).as_bytes()),
        obj(&wavefront(&triangles)),
        stl(&[&binary(&triangles)[..], b"\r\n"].concat()),
    ];
    for surface in surfaces {
        let surface = surface.unwrap();
        assert_eq!(surface.triangles.len(), 12);
        let mesh = Mesh::new("box.stl", surface).unwrap();
        assert_eq!((mesh.low, mesh.high), ([0.0; 3], [2.0, 3.0, 0.5]));
        let (volume, area) = volume_and_area(&mesh);
        assert!((volume - 3.0).abs() < 1e-12 && (area - 17.0).abs() < 1e-12, "{volume} {area}");
        // Edges are sharp, and normals lead outwards.
        for (vertex, normal) in (0..mesh.len()).map(|vertex| (mesh.position(vertex), mesh.normal(vertex))) {
            let outwards = (0..3).find(|&i| normal[i].abs() == 1.0).unwrap_or_else(|| panic!("{normal:?}"));
            assert_eq!(normal[outwards] > 0.0, vertex[outwards] > 0.0);
        }
    }
    // What is shared is stored once: a box has four corners on each of six sides.
    assert_eq!(Mesh::new("box.stl", stl(&binary(&triangles)).unwrap()).unwrap().len(), 24);
}

#[test]
fn a_large_surface_keeps_its_shape_with_fewer_triangles() {
    let fine = Mesh::new("ball.stl", stl(&binary(&ball(80))).unwrap()).unwrap();
    assert!(fine.indices.len() / 3 > 12_000, "it is as it was written");
    let coarse = Mesh::new("ball.stl", stl(&binary(&ball(300))).unwrap()).unwrap();
    let count = coarse.indices.len() / 3;
    assert!((TRIANGLES / 3..=TRIANGLES).contains(&count), "{count} of 179 400 triangles");
    for mesh in [&fine, &coarse] {
        let (volume, area) = volume_and_area(mesh);
        assert!((volume / (4.0 / 3.0 * PI) - 1.0).abs() < 0.01, "{volume}");
        assert!((area / (4.0 * PI) - 1.0).abs() < 0.02, "{area}");
        for vertex in 0..mesh.len() {
            let (position, normal) = (mesh.position(vertex), mesh.normal(vertex));
            assert!((length(position) - 1.0).abs() < 0.02, "{position:?}");
            assert!(dot(position, normal) > 0.9, "smooth: {position:?} {normal:?}");
        }
    }
}

#[test]
fn wrong_files_are_told_apart() {
    let triangles = block([1.0; 3]);
    let whole = binary(&triangles);
    let read = |bytes: &[u8]| stl(bytes).and_then(|surface| Mesh::new("x.stl", surface)).unwrap_err();
    assert_eq!(read(&whole[..84 + 70]), MeshError::Ended { after: 1, of: Some(12) });
    assert_eq!(read(&whole[20..60]), MeshError::Ended { after: 0, of: None });
    assert_eq!(read(&[]), MeshError::Ended { after: 0, of: None });
    assert_eq!(read(&[&whole[..], b"more"].concat()), MeshError::Behind { triangles: 12, bytes: 4 });
    let mut huge = whole.clone();
    huge[0] = b'x';
    huge[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(read(&huge), MeshError::Ended { after: 12, of: Some(u32::MAX as usize) });
    let mut nowhere = whole.clone();
    nowhere[84 + 50 + 16..84 + 50 + 20].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(read(&nowhere), MeshError::NotFinite { vertex: 4 });
    assert_eq!(read(&binary(&[])), MeshError::Empty);
    assert_eq!(read(&binary(&[[[1.0; 3]; 3], [[0.0; 3], [1.0; 3], [2.0; 3]]])), MeshError::Empty);
    let written = text(&triangles);
    let line =
        |found: &str| MeshError::Line { line: 4, expected: "`vertex` and three numbers", found: found.to_owned() };
    assert_eq!(read(written.replacen("vertex 0e0 0e0 0e0", "vertex 0e0 0e0", 1).as_bytes()), line("vertex 0e0 0e0"));
    assert!(matches!(
        read(written.trim_end().trim_end_matches("endsolid part").as_bytes()),
        MeshError::Ended { after: 12, of: None }
    ));
    assert!(matches!(read(written.replacen("endloop", "end", 1).as_bytes()), MeshError::Line { line: 7, .. }));
    let read = |text: &str| obj(text).and_then(|surface| Mesh::new("x.obj", surface)).unwrap_err();
    let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let face = |face: &str| read(&format!("{vertices}{face}\n"));
    for wrong in ["f 1 2 4", "f 0 1 2", "f 1 2 -4", "f 1 2 x", "f 1 2 99999999999999999999", "f 1 2", "f 1 2 \\"] {
        assert!(matches!(face(wrong), MeshError::Line { line: 4, .. }), "{wrong}: {}", face(wrong));
    }
    assert_eq!(face("f 1 2 2"), MeshError::Empty);
    assert_eq!(read("v 0 0 nan\n"), MeshError::NotFinite { vertex: 1 });
    assert_eq!(read("v 0 0 1e99\n"), MeshError::NotFinite { vertex: 1 });
    assert!(matches!(read("v 0 0\n"), MeshError::Line { line: 1, .. }));
}

/// Whatever the bytes are, a mesh is whole or an error.
#[test]
fn no_bytes_are_too_wrong() {
    let triangles = block([1.0, 2.0, 3.0]);
    let files = [binary(&triangles), text(&triangles).into_bytes(), wavefront(&triangles).into_bytes()];
    let mut random = random::Random(7);
    let (mut meshes, mut errors) = (0, 0);
    for round in 0..6000 {
        let mut bytes = files[round % 3].clone();
        for _ in 0..1 + random.below(4) {
            let place = random.below(bytes.len());
            match random.below(4) {
                0 => bytes.truncate(place + 1),
                1 => bytes[place] = random.below(256) as u8,
                2 => drop(bytes.remove(place)),
                _ => bytes.insert(place, b"0123456789-e./ \nfv"[random.below(18)]),
            }
        }
        for surface in [stl(&bytes), obj(&String::from_utf8_lossy(&bytes))] {
            match surface.and_then(|surface| Mesh::new("x", surface)) {
                Ok(mesh) => {
                    assert!(mesh.indices.iter().all(|&index| (index as usize) < mesh.len()));
                    assert!((0..mesh.len()).all(|vertex| (length(mesh.normal(vertex)) - 1.0).abs() < 1e-9));
                    assert!(mesh.low.iter().chain(&mesh.high).all(|number| number.is_finite()));
                    meshes += 1;
                }
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    errors += 1;
                }
            }
        }
    }
    assert!(meshes > 500 && errors > 2000, "{meshes} {errors}");
}
