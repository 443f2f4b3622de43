//! Triangles of files: STL, binary and as text, and OBJ; those of COLLADA are in `collada`.
//!
//! Of an OBJ file its vertices and faces are read. Quadrilaterals are cut along the shorter diagonal, and polygons of more
//! vertices are fans of triangles.

use std::collections::HashMap;
use std::path::Path;

use hamel_compiler::escape::excerpt;

use crate::{MeshError, Surface, collada};

/// Bytes of a file at most; the largest scans of parts are a few dozen megabytes.
const BYTES: u64 = 256 << 20;
/// What the smallest triangle of a file needs, of an OBJ file a line such as `f 1 2 3`; more triangles are never made.
pub(crate) const TRIANGLES: usize = (BYTES / 8) as usize;
/// Bytes of a binary STL file before its triangles, and of each of them.
const HEAD: usize = 84;
const TRIANGLE: usize = 50;

/// Reads a file by its ending.
///
/// # Errors
/// If there is none, or it cannot be read as a whole.
pub fn file(path: &Path) -> Result<Surface, MeshError> {
    let unread = |error: std::io::Error| MeshError::Unread(error.to_string());
    let found = std::fs::metadata(path).map_err(unread)?;
    if !found.is_file() {
        return Err(MeshError::Unread("it is no file".to_owned()));
    }
    if found.len() > BYTES {
        return Err(MeshError::Large { bytes: found.len(), most: BYTES });
    }
    let bytes = std::fs::read(path).map_err(unread)?;
    match path.extension().map(|ending| ending.to_ascii_lowercase()) {
        Some(ending) if ending == "stl" => stl(&bytes),
        Some(ending) if ending == "dae" => collada(&String::from_utf8_lossy(&bytes)),
        Some(ending) if ending == "obj" => obj(&String::from_utf8_lossy(&bytes)),
        _ => Err(MeshError::Ending),
    }
}

/// STL, binary or as text.
///
/// # Errors
/// If it cannot be read as a whole.
pub fn stl(bytes: &[u8]) -> Result<Surface, MeshError> {
    let count = bytes.get(HEAD - 4..HEAD).and_then(|four| four.try_into().ok()).map(u32::from_le_bytes);
    let promised = count.map(|count| HEAD as u64 + TRIANGLE as u64 * u64::from(count));
    // Heads of binary files begin with `solid` more often than they should; a text has no zeros.
    let begins_as_text = bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    let is_text = begins_as_text && !bytes.contains(&0);
    if is_text {
        return stl_text(&String::from_utf8_lossy(bytes));
    }
    let (Some(count), Some(promised)) = (count, promised) else {
        return Err(MeshError::Ended { after: 0, of: None });
    };
    if promised > bytes.len() as u64 {
        return Err(MeshError::Ended { after: (bytes.len() - HEAD) / TRIANGLE, of: Some(count as usize) });
    }
    // Some programs end their files with an empty line.
    if !bytes[promised as usize..].trim_ascii().is_empty() {
        return Err(MeshError::Behind { triangles: count as usize, bytes: bytes.len() - promised as usize });
    }
    let mut corners = Corners::default();
    for triangle in bytes[HEAD..promised as usize].chunks_exact(TRIANGLE) {
        let number = |place: usize| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|byte| triangle[4 * place + byte]);
            f32::from_le_bytes([a, b, c, d])
        };
        // The first three numbers are a normal, which follows from the others.
        corners.triangle([3, 6, 9].map(|corner| [number(corner), number(corner + 1), number(corner + 2)]))?;
    }
    Ok(corners.surface)
}

/// STL as text, with any number of solids.
fn stl_text(text: &str) -> Result<Surface, MeshError> {
    let mut corners = Corners::default();
    let mut loop_corners: Vec<[f32; 3]> = Vec::new();
    let (mut is_open, mut expected) = (false, "solid");
    for (index, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        let Some(word) = words.next().map(str::to_ascii_lowercase) else { continue };
        let wrong = |expected| MeshError::Line { line: index + 1, expected, found: excerpt(line.trim()) };
        if word != expected && !(expected == "facet" && word == "endsolid") {
            let is_corner = expected == "vertex" && word == "endloop" && loop_corners.len() == 3;
            if !is_corner {
                return Err(wrong(expected));
            }
        }
        expected = match word.as_str() {
            "solid" => {
                is_open = true;
                "facet"
            }
            "facet" => "outer",
            "outer" => "vertex",
            "vertex" => {
                let numbers: Vec<f32> = words.map_while(|word| word.parse().ok()).collect();
                let corner = numbers.try_into().map_err(|_| wrong("`vertex` and three numbers"))?;
                if loop_corners.len() == 3 {
                    return Err(wrong("endloop"));
                }
                loop_corners.push(corner);
                "vertex"
            }
            "endloop" => {
                if let [a, b, c] = *loop_corners {
                    corners.triangle([a, b, c])?;
                }
                loop_corners.clear();
                "endfacet"
            }
            "endfacet" => "facet",
            _ => {
                is_open = false;
                "solid"
            }
        };
    }
    if is_open {
        return Err(MeshError::Ended { after: corners.surface.triangles.len(), of: None });
    }
    Ok(corners.surface)
}

/// OBJ: `v` and `f`, with the other words of the format ignored.
///
/// # Errors
/// If it cannot be read as a whole.
pub fn obj(text: &str) -> Result<Surface, MeshError> {
    let (mut surface, mut first) = (Surface::default(), None);
    for (index, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        let wrong = |expected| MeshError::Line { line: index + 1, expected, found: excerpt(line.trim()) };
        match words.next() {
            Some("v") => {
                // A weight or a colour may follow.
                let numbers: Vec<f32> = words.take(3).map_while(|word| word.parse().ok()).collect();
                let vertex: [f32; 3] = numbers.try_into().map_err(|_| wrong("`v` and three numbers"))?;
                if !vertex.iter().all(|part| part.is_finite()) {
                    return Err(MeshError::NotFinite { vertex: surface.vertices.len() + 1 });
                }
                surface.vertices.push(vertex.map(f64::from));
            }
            Some("f") => {
                let known = surface.vertices.len();
                let place = |word: &str| {
                    let written: i64 = word.split('/').next()?.parse().ok()?;
                    // Negative ones count from the last vertex.
                    let place = if written < 0 { known as i64 + written } else { written - 1 };
                    usize::try_from(place)
                        .ok()
                        .filter(|place| *place < known)
                        .and_then(|place| u32::try_from(place).ok())
                };
                let corners: Option<Vec<u32>> = words.map(place).collect();
                let corners = corners.ok_or_else(|| wrong("`f` and numbers of vertices that stand before it"))?;
                if corners.len() < 3 {
                    return Err(wrong("`f` and three vertices or more"));
                }
                cut(&mut surface, &corners, index + 1);
                if surface.triangles.len() > TRIANGLES {
                    return Err(MeshError::Many { most: TRIANGLES });
                }
            }
            Some("o" | "g") if first.is_none() && !surface.triangles.is_empty() => {
                first = Some(surface.triangles.len())
            }
            Some("l" | "p") => {
                surface.doubt.get_or_insert(index + 1);
            }
            _ if line.trim_end().ends_with('\\') => return Err(wrong("lines that are whole")),
            _ => {}
        }
    }
    surface.of_first = first.unwrap_or(surface.triangles.len());
    Ok(surface)
}

/// Adds the triangles of a polygon with three corners or more, of this line.
pub(crate) fn cut(surface: &mut Surface, corners: &[u32], line: usize) {
    match *corners {
        [a, b, c, d] if !is_cut_from_first(surface, [a, b, c, d]) => {
            surface.triangles.extend([[a, b, d], [b, c, d]]);
        }
        [first, ref rest @ ..] => {
            if rest.len() > 3 && !is_flat_and_convex(surface, corners) {
                surface.doubt.get_or_insert(line);
            }
            surface.triangles.extend(rest.windows(2).map(|pair| [first, pair[0], pair[1]]));
        }
        [] => {}
    }
}

/// Whether a quadrilateral is cut from its first vertex, along the shorter diagonal, as programs measure it that read
/// numbers of single precision; both are where it is a parallelogram.
fn is_cut_from_first(surface: &Surface, corners: [u32; 4]) -> bool {
    let [a, b, c, d] = corners.map(|corner| surface.vertices[corner as usize].map(|part| part as f32));
    let square = |from: [f32; 3], to: [f32; 3]| {
        let [x, y, z] = [0, 1, 2].map(|k| to[k] - from[k]);
        x * x + y * y + z * z
    };
    square(a, c) < square(b, d)
}

/// Whether it does not matter how a polygon is cut into triangles.
fn is_flat_and_convex(surface: &Surface, corners: &[u32]) -> bool {
    let points: Vec<[f64; 3]> = corners.iter().map(|corner| surface.vertices[*corner as usize]).collect();
    let from_first = |k: usize| [0, 1, 2].map(|i| points[k][i] - points[0][i]);
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let normals: Vec<[f64; 3]> = (1..points.len() - 1)
        .map(|k| (from_first(k), from_first(k + 1)))
        .map(|(a, b)| [0, 1, 2].map(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]))
        .collect();
    let sum = normals.iter().fold([0.0; 3], |sum, normal| [0, 1, 2].map(|i| sum[i] + normal[i]));
    let size = points.iter().flatten().fold(0.0, |size: f64, part| size.max(part.abs()));
    let height = FLAT * size * dot(sum, sum).sqrt();
    normals.iter().all(|normal| dot(*normal, sum) >= 0.0)
        && (1..points.len()).all(|k| dot(from_first(k), sum).abs() <= height)
}

/// How far the vertices of a flat polygon are from a plane, for their size, because their numbers have few digits.
const FLAT: f64 = 1e-5;

/// Triangles that share vertices at the same places, of a format that repeats them.
#[derive(Default)]
struct Corners {
    surface: Surface,
    known: HashMap<[u32; 3], u32>,
}

impl Corners {
    fn triangle(&mut self, corners: [[f32; 3]; 3]) -> Result<(), MeshError> {
        let mut triangle = [0; 3];
        for (place, corner) in triangle.iter_mut().zip(corners) {
            if !corner.iter().all(|part| part.is_finite()) {
                return Err(MeshError::NotFinite { vertex: 3 * self.surface.triangles.len() + 1 });
            }
            let next = self.surface.vertices.len() as u32;
            // Zero has two signs.
            *place = *self.known.entry(corner.map(|part| (part + 0.0).to_bits())).or_insert(next);
            if *place == next {
                self.surface.vertices.push(corner.map(f64::from));
            }
        }
        self.surface.triangles.push(triangle);
        self.surface.of_first += 1;
        Ok(())
    }
}
