//! Meshes: surfaces of files as they are drawn, with few triangles, normals and small numbers.

mod simplify;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use hamel_mesh::MeshError;
use hamel_mesh::Surface;
use serde::{Serialize, Serializer};

use crate::pose::{Vector, add, cross, dot, length, scale, sub, unit};
use crate::tracks::base64;

/// The surface of a body, in the units and axes of the file that it was read from.
///
/// Positions are single steps of 65535 through the box around it, normals of 127.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// The file as the model names it.
    pub file: String,
    /// Least coordinates.
    pub low: [f32; 3],
    /// Greatest coordinates.
    pub high: [f32; 3],
    /// Of each vertex three numbers, 0 for the least coordinates and 65535 for the greatest.
    pub positions: Vec<u16>,
    /// Of each vertex the normal, 127 times as long as 1.
    pub normals: Vec<i8>,
    /// Of each triangle its vertices, against the clock as seen from outside.
    pub indices: Vec<u32>,
}

/// Triangles of a mesh at most; others are simplified.
const TRIANGLES: usize = 20_000;
/// Edges between faces whose normals differ by more than 40° are sharp.
const SHARP: f64 = 0.766;

impl Mesh {
    /// Of a surface, which is simplified where it has many triangles.
    pub(crate) fn new(file: &str, surface: Surface) -> Result<Mesh, MeshError> {
        let surface = with_area(simplify::simplified(with_area(surface), TRIANGLES));
        if surface.triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        let (positions, normals, indices) = with_normals(&surface);
        let all = |pick: fn(f32, f32) -> f32| {
            [0, 1, 2].map(|i| positions.iter().map(|point| point[i] as f32).reduce(pick).unwrap_or(0.0))
        };
        let (low, high) = (all(f32::min), all(f32::max));
        let step = |value: f64, i: usize| {
            let [low, high] = [low[i], high[i]].map(f64::from);
            if high > low { (65535.0 * (value - low) / (high - low)).round() as u16 } else { 0 }
        };
        let positions = positions.iter().flat_map(|point| [0, 1, 2].map(|i| step(point[i], i))).collect();
        Ok(Mesh { file: file.to_owned(), low, high, positions, normals: normals.concat(), indices })
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.positions.len() / 3
    }

    /// Whether there are none; not so of what was read.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Where a vertex is, in the units of the file.
    pub fn position(&self, vertex: usize) -> Vector {
        [0, 1, 2].map(|i| {
            let [low, high] = [self.low[i], self.high[i]].map(f64::from);
            low + (high - low) * f64::from(self.positions[3 * vertex + i]) / 65535.0
        })
    }

    /// The direction away from the surface at a vertex, of length 1.
    pub fn normal(&self, vertex: usize) -> Vector {
        let normal = [0, 1, 2].map(|i| f64::from(self.normals[3 * vertex + i]));
        unit(normal).unwrap_or([0.0, 0.0, 1.0])
    }
}

impl Serialize for Mesh {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            file: &'a str,
            low: [f32; 3],
            high: [f32; 3],
            positions: String,
            normals: String,
            /// Indices have four bytes and not two.
            wide: bool,
            indices: String,
        }
        let wide = self.len() > 1 << 16;
        let indices: Vec<u8> = match wide {
            true => self.indices.iter().flat_map(|index| index.to_le_bytes()).collect(),
            false => self.indices.iter().flat_map(|index| (*index as u16).to_le_bytes()).collect(),
        };
        let positions: Vec<u8> = self.positions.iter().flat_map(|step| step.to_le_bytes()).collect();
        let normals: Vec<u8> = self.normals.iter().map(|step| step.to_le_bytes()[0]).collect();
        Written {
            file: &self.file,
            low: self.low,
            high: self.high,
            positions: base64(&positions),
            normals: base64(&normals),
            wide,
            indices: base64(&indices),
        }
        .serialize(serializer)
    }
}

/// Without triangles that cannot be seen.
fn with_area(mut surface: Surface) -> Surface {
    let vertices = &surface.vertices;
    surface.triangles.retain(|triangle| area(vertices, triangle).is_some());
    surface
}

/// Twice the area of a triangle along its normal, unless there is none.
fn area(vertices: &[Vector], triangle: &[u32; 3]) -> Option<Vector> {
    let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize]);
    let area = cross(sub(b, a), sub(c, a));
    (length(area) > 0.0 && length(area).is_finite()).then_some(area)
}

/// Vertices with their normals, and the triangles: smooth where faces meet at small angles, with vertices for each side
/// where edges are sharp.
fn with_normals(surface: &Surface) -> (Vec<Vector>, Vec<[i8; 3]>, Vec<u32>) {
    let areas: Vec<Vector> =
        surface.triangles.iter().map(|triangle| area(&surface.vertices, triangle).unwrap_or([0.0; 3])).collect();
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); surface.vertices.len()];
    for (face, triangle) in surface.triangles.iter().enumerate() {
        triangle.iter().for_each(|&vertex| around[vertex as usize].push(face as u32));
    }
    let (mut positions, mut normals, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    let mut known: HashMap<(u32, [i8; 3]), u32> = HashMap::new();
    for (face, triangle) in surface.triangles.iter().enumerate() {
        let own = unit(areas[face]).unwrap_or([0.0; 3]);
        for &vertex in triangle {
            let near = around[vertex as usize].iter().map(|&other| areas[other as usize]);
            let near = near.filter(|other| dot(own, *other) >= SHARP * length(*other));
            let sum = near.fold([0.0; 3], add);
            let normal = scale(127.0, unit(sum).unwrap_or(own)).map(|part| part.round() as i8);
            let next = positions.len() as u32;
            let index = *known.entry((vertex, normal)).or_insert(next);
            if index == next {
                positions.push(surface.vertices[vertex as usize]);
                normals.push(normal);
            }
            indices.push(index);
        }
    }
    (positions, normals, indices)
}

/// Files with meshes: the folder at which their paths start, and those that have been read, each once.
///
/// ```
/// use hamel_animate::{MeshError, Meshes};
///
/// let folder = tempfile::tempdir()?;
/// let triangle = "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n";
/// std::fs::write(folder.path().join("plate.obj"), triangle)?;
/// let meshes = Meshes::beside(folder.path());
/// let plate = meshes.get("plate.obj")?;
/// assert_eq!((plate.len(), plate.high), (3, [1.0, 2.0, 0.0]));
/// assert!(matches!(meshes.get("arm.obj"), Err(MeshError::Unread(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Meshes {
    folder: PathBuf,
    read: Mutex<BTreeMap<String, Result<Arc<Mesh>, MeshError>>>,
}

impl Meshes {
    /// Files whose paths start at this folder; by default they start at the working directory.
    pub fn beside(folder: impl Into<PathBuf>) -> Meshes {
        Meshes { folder: folder.into(), read: Mutex::default() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The mesh of a file.
    ///
    /// # Errors
    /// If there is none, or it cannot be read as a whole.
    pub fn get(&self, file: &str) -> Result<Arc<Mesh>, MeshError> {
        let mut known = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(file) {
            return found.clone();
        }
        let read = || Mesh::new(file, hamel_mesh::file(&self.folder.join(file))?).map(Arc::new);
        let found = read();
        known.insert(file.to_owned(), found.clone());
        found
    }
}

/// A file of which nothing is drawn, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// The file as the model names it.
    pub file: String,
    /// Why.
    #[serde(serialize_with = "displayed")]
    pub error: MeshError,
}

fn displayed<S: Serializer>(error: &MeshError, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(error)
}

#[cfg(test)]
mod tests;
