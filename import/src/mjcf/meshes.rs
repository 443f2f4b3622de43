//! What meshes of MJCF weigh, as MuJoCo has it: sums over pyramids that stand on their triangles.
//!
//! The tip of the pyramids is the centre of the triangles, and for moments of inertia the centre of mass. For closed
//! surfaces the sums do not depend on it, unless what is outside of a surface counts as inside (`legacy`, the default).

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use hamel_compiler::escape::excerpt;
use hamel_mesh::{Surface, hull};
use roxmltree::Node;

use super::classes::View;
use super::principal::principal;
use super::read::{Item, Reader};
use crate::error::Problem;
use crate::looks::Visuals;
use crate::robot::pose::Pose;
use crate::shape::Shape;

/// The least area, volume and moment that MuJoCo takes for one.
const LEAST: f64 = 1e-15;

/// Moments of inertia that are equal, relative to the larger one.
const SAME: f64 = 1e-6;

/// What to do about meshes that have no inertia, or none that is computed.
const MEND: &str = "mend the mesh, choose another `inertia` of its asset, or give the body an `inertial`";

/// What counts as the inside of a surface.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// The convex hull.
    Convex,
    /// What the triangles enclose.
    Exact,
    /// The same, with what is outside counted as inside.
    Legacy,
    /// Nothing: the mass is on the triangles.
    Shell,
}

/// A surface with its mass, where the density is 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    /// Volume, m³; of a shell the area, m².
    pub(super) mass: f64,
    /// The centre of mass.
    pub(super) center: [f64; 3],
    /// The inertia about it.
    pub(super) tensor: [[f64; 3]; 3],
}

/// Meshes by their names, and what those weigh that have been read.
#[derive(Default)]
pub(super) struct Meshes<'d> {
    assets: HashMap<String, View<'d>>,
    weights: HashMap<String, Weight>,
    files: Option<Visuals>,
}

impl<'d> Meshes<'d> {
    pub(super) fn new(files: Option<&Visuals>) -> Self {
        Self { files: files.cloned(), ..Self::default() }
    }
}

impl<'d> Reader<'_, 'd> {
    /// Notes which meshes there are.
    pub(super) fn meshes(&mut self, sections: impl Iterator<Item = Node<'d, 'd>>) {
        for node in sections.flat_map(|section| section.children()).filter(|child| child.has_tag_name("mesh")) {
            let class = self.class(node, "class", 0);
            if let Some((name, _)) = self.mesh_file(node) {
                self.meshes.assets.insert(name, View { node, class });
            }
        }
    }

    /// The name of a mesh, and its file as the description has it.
    pub(super) fn mesh_file(&self, node: Node<'d, 'd>) -> Option<(String, Option<String>)> {
        let file = node.attribute("file").map(Path::new).map(|path| match path.file_name() {
            Some(name) if self.compiler.is_stripped => Path::new(name),
            _ => path,
        });
        let stem = file.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
        let name = node.attribute("name").map(str::to_owned).or(stem)?;
        Some((name, file.map(|file| Path::new(self.compiler.mesh_folder).join(file).to_string_lossy().into_owned())))
    }

    /// What the mesh of a shape weighs.
    pub(super) fn weight(&mut self, item: &Item<'d>) -> Option<Weight> {
        let node = item.view.node;
        let Some(name) = self.classes.text(item.view, "mesh") else {
            let element = "geom".to_owned();
            return self.notes.wrong(node, Problem::MissingAttribute { element, missing: "mesh" });
        };
        if let Some(known) = self.meshes.weights.get(name) {
            return Some(*known);
        }
        let Some(&asset) = self.meshes.assets.get(name) else {
            let known: Vec<&str> = self.meshes.assets.keys().map(String::as_str).collect();
            let problem = Problem::unknown("mesh", name, known.iter());
            return self.notes.wrong(node, problem);
        };
        // What is wrong with the attributes of the asset has been noted.
        let found = self.weighed(asset).and_then(|found| match found {
            Ok(weight) => Some(weight),
            Err(why) => {
                let what = format!("the inertia of the mesh `{}` is not computed: {why}", excerpt(name));
                self.notes.wrong(node, Problem::Unsupported { what, help: MEND })
            }
        });
        // What is wrong is said wherever it matters: it may be forgotten where a shape is only seen.
        if let Some(weight) = found {
            self.meshes.weights.insert(name.to_owned(), weight);
        }
        found
    }

    /// What a mesh weighs, or why that is not known.
    fn weighed(&mut self, asset: View<'d>) -> Option<Result<Weight, String>> {
        let View { node, .. } = asset;
        let numbers = |reader: &mut Self, attribute, default: &[f64]| match reader.classes.holder(asset, attribute) {
            Some(node) => {
                let numbers = reader.notes.list(node, attribute, default.len(), default.len())?;
                Some(numbers.iter().map(|number| number.value).collect())
            }
            None => Some(default.to_vec()),
        };
        let (scale, refpos, refquat) = (
            numbers(self, "scale", &[1.0; 3]),
            numbers(self, "refpos", &[0.0; 3]),
            numbers(self, "refquat", &[1.0, 0.0, 0.0, 0.0]),
        );
        let inside = match self.classes.text(asset, "inertia").unwrap_or("legacy") {
            "convex" => Inside::Convex,
            "exact" => Inside::Exact,
            "legacy" => Inside::Legacy,
            "shell" => Inside::Shell,
            other => {
                const KNOWN: [&str; 4] = ["convex", "exact", "legacy", "shell"];
                let problem = Problem::UnknownWord { what: "inertia of a mesh", found: excerpt(other), known: &KNOWN };
                return self.notes.wrong(node, problem);
            }
        };
        let most = self.scalar(asset, "maxhullvert")?.map_or(-1.0, |most| most.value);
        let (scale, refpos, refquat): (Vec<f64>, Vec<f64>, Vec<f64>) = (scale?, refpos?, refquat?);
        let Some(turned) = Pose::turned([refquat[0], refquat[1], refquat[2], refquat[3]]) else {
            return self.notes.wrong(node, Problem::ZeroAxis);
        };
        let surface = match self.surface(asset)? {
            Ok(surface) => surface,
            Err(why) => return Some(Err(why)),
        };
        let triangles = match self.triangles(node, &surface, inside, most) {
            Ok(triangles) => triangles,
            Err(why) => return Some(Err(why)),
        };
        let frame = Pose { position: [refpos[0], refpos[1], refpos[2]], ..turned }.inverse();
        let placed = |point: &[f64; 3]| {
            let placed = frame.then(&Pose { position: *point, ..Pose::IDENTITY }).position;
            [0, 1, 2].map(|k| placed[k] * scale[k])
        };
        let vertices: Vec<[f64; 3]> = surface.vertices.iter().map(placed).collect();
        let is_mirrored = scale.iter().product::<f64>() <= 0.0;
        let corners = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize]);
            if is_mirrored { [a, c, b] } else { [a, b, c] }
        };
        Some(weigh(&triangles.iter().map(corners).collect::<Vec<_>>(), inside))
    }

    /// The surface of a mesh, or why it is not known.
    fn surface(&mut self, asset: View<'d>) -> Option<Result<Surface, String>> {
        let node = asset.node;
        for attribute in ["builtin", "params"] {
            if node.has_attribute(attribute) {
                return Some(Err(format!("`{attribute}` is not read: save what MuJoCo makes of it to a file")));
            }
        }
        if node.children().any(|child| child.has_tag_name("plugin")) {
            return Some(Err("there are no plugins".to_owned()));
        }
        let file = self.mesh_file(node).and_then(|(_, file)| file);
        Some(match (file, node.has_attribute("vertex")) {
            (Some(_), true) => Err("expected `file` or `vertex`, found both".to_owned()),
            (Some(file), false) => match &self.meshes.files {
                None => Err(format!("it is not known where `{}` is", excerpt(&file))),
                Some(files) => match files.find(&file) {
                    None => Err(format!("there is no file `{}`", excerpt(&file))),
                    // Those that MuJoCo reads.
                    Some(path) if !has_ending(&path, &["stl", "obj"]) => {
                        Err(format!("`{}`: expected a file that ends in `.stl` or `.obj`", excerpt(&file)))
                    }
                    Some(path) => hamel_mesh::file(&path).map_err(|error| format!("`{}`: {error}", excerpt(&file))),
                },
            },
            (None, true) => return self.written(node).map(Ok),
            (None, false) => Err("expected `file` or `vertex`, found neither".to_owned()),
        })
    }

    /// The surface whose vertices and triangles are written in the description, in single precision.
    fn written(&mut self, node: Node<'d, 'd>) -> Option<Surface> {
        let words = |attribute| node.attribute(attribute).unwrap_or_default().split_whitespace();
        let numbers: Option<Vec<f32>> = words("vertex").map(|word| word.parse().ok()).collect();
        let indices: Option<Vec<u32>> = words("face").map(|word| word.parse().ok()).collect();
        let wrong = |what: &str| Problem::Unsupported { what: format!("expected {what}"), help: MEND };
        let is_whole =
            |numbers: &&Vec<f32>| numbers.len().is_multiple_of(3) && numbers.iter().all(|number| number.is_finite());
        let Some(numbers) = numbers.as_ref().filter(is_whole) else {
            return self.notes.wrong(node, wrong("three numbers for each vertex in `vertex`"));
        };
        let vertices: Vec<[f64; 3]> =
            numbers.chunks_exact(3).map(|three| [three[0], three[1], three[2]].map(f64::from)).collect();
        let is_known = |indices: &&Vec<u32>| {
            indices.len().is_multiple_of(3) && indices.iter().all(|index| (*index as usize) < vertices.len())
        };
        let Some(indices) = indices.as_ref().filter(is_known) else {
            return self.notes.wrong(node, wrong("three vertices, counted from 0, for each triangle in `face`"));
        };
        let triangles: Vec<[u32; 3]> = indices.chunks_exact(3).map(|three| [three[0], three[1], three[2]]).collect();
        Some(Surface { vertices, of_first: triangles.len(), triangles, doubt: None })
    }

    /// The triangles that bound what has mass, or why they do not.
    fn triangles(
        &mut self,
        node: Node<'d, 'd>,
        surface: &Surface,
        inside: Inside,
        most: f64,
    ) -> Result<Vec<[u32; 3]>, String> {
        let triangles = &surface.triangles[..surface.of_first];
        if surface.vertices.len() < 4 {
            return Err(format!("expected four vertices or more, found {}", surface.vertices.len()));
        }
        if inside == Inside::Convex || triangles.is_empty() {
            let hull = hull(&surface.vertices).ok_or("its vertices are in one plane, and have no convex hull")?;
            let mut corners = hull.concat();
            corners.sort_unstable();
            corners.dedup();
            if most >= 0.0 && corners.len() as f64 > most {
                let count = corners.len();
                return Err(format!(
                    "its convex hull has {count} vertices and `maxhullvert` is {most}: which are left is not known"
                ));
            }
            return Ok(hull);
        }
        if let Some(line) = surface.doubt {
            return Err(format!(
                "line {line} of its file is read in several ways: expected triangles, quadrilaterals, or polygons that are flat and convex"
            ));
        }
        if surface.of_first < surface.triangles.len() {
            self.warn(node, "of a mesh with several objects only the first has mass, as in MuJoCo");
        }
        if inside == Inside::Exact {
            self.check_edges(node, surface, triangles)?;
        }
        Ok(triangles.to_vec())
    }

    /// Refuses edges along which triangles do not lead on, of a surface whose inside is to be exact.
    fn check_edges(&mut self, node: Node<'d, 'd>, surface: &Surface, triangles: &[[u32; 3]]) -> Result<(), String> {
        let mut edges = HashMap::new();
        for triangle in triangles {
            let [a, b, c] = triangle.map(|vertex| surface.vertices[vertex as usize]);
            if 0.5 * length(cross(minus(b, a), minus(c, a))) > LEAST.sqrt() {
                for k in 0..3 {
                    *edges.entry((triangle[k], triangle[(k + 1) % 3])).or_insert(0) += 1;
                }
            }
        }
        if let Some((a, b)) = edges.iter().filter(|(_, count)| **count > 1).map(|(edge, _)| *edge).min() {
            let mut why = "triangles are turned outwards and inwards".to_owned();
            let _ = write!(why, ": see those at the vertices {} and {}", a + 1, b + 1);
            return Err(why);
        }
        if edges.keys().any(|(a, b)| !edges.contains_key(&(*b, *a))) {
            self.warn(
                node,
                "a mesh whose inertia is to be exact is open: pyramids to its centre are summed, as in MuJoCo",
            );
        }
        Ok(())
    }

    /// A solid that stands for a mesh. It is made of the box that has the moments of inertia of the mesh.
    pub(super) fn fitted(&mut self, item: &Item<'d>, word: &str) -> Option<(Shape, Pose)> {
        let node = item.view.node;
        if self.compiler.fits_bounds {
            let what = "the solid that stands for a mesh is not computed from its bounds (`fitaabb`)".to_owned();
            return self.notes.wrong(node, Problem::Unsupported { what, help: MEND });
        }
        let Weight { mass, center, tensor } = self.weight(item)?;
        let (moments, turned) = principal(tensor);
        if matches!(word, "capsule" | "cylinder") && moments[1] - moments[2] < SAME * moments[1] {
            let what =
                format!("the axis of the {word} that stands for a mesh is not known: two moments of inertia are equal");
            return self.notes.wrong(node, Problem::Unsupported { what, help: MEND });
        }
        let scale = self.scalar(item.view, "fitscale")?.map_or(1.0, |scale| scale.value);
        let sum: f64 = moments.iter().sum();
        let half = moments.map(|moment| 0.5 * (6.0 * (sum - 2.0 * moment).max(0.0) / mass).sqrt());
        let radius = 0.5 * (half[0] + half[1]);
        let shape = match word {
            "sphere" => Shape::Sphere(scale * half.iter().sum::<f64>() / 3.0),
            "capsule" => Shape::Capsule(scale * radius, scale * (half[2] - 0.5 * radius).max(0.0)),
            "cylinder" => Shape::Cylinder(scale * radius, scale * half[2]),
            "ellipsoid" => Shape::Ellipsoid(half.map(|half| scale * half)),
            _ => Shape::Box(half.map(|half| scale * half)),
        };
        Some((shape, self.place_of(item)?.then(&Pose { position: center, ..turned })))
    }
}

/// What triangles with these corners weigh.
fn weigh(triangles: &[[[f64; 3]; 3]], inside: Inside) -> Result<Weight, String> {
    let area = |[a, b, c]: &[[f64; 3]; 3]| 0.5 * length(cross(minus(*b, *a), minus(*c, *a)));
    let center = |[a, b, c]: &[[f64; 3]; 3]| [0, 1, 2].map(|k| (a[k] + b[k] + c[k]) / 3.0);
    let (surface, tip) = mean(triangles.iter().map(|triangle| (area(triangle), center(triangle))));
    if surface.is_nan() || surface < LEAST {
        return Err("its surface has no area".to_owned());
    }
    // Of a pyramid to the origin, or of the triangle alone.
    let volume = |[a, b, c]: &[[f64; 3]; 3]| {
        let normal = cross(minus(*b, *a), minus(*c, *a));
        let volume = dot(center(&[*a, *b, *c]), normal) / 6.0;
        match inside {
            Inside::Shell => 0.5 * length(normal),
            Inside::Legacy => volume.abs(),
            Inside::Convex | Inside::Exact => volume,
        }
    };
    let from = |tip: [f64; 3]| move |triangle: &[[f64; 3]; 3]| triangle.map(|corner| minus(corner, tip));
    let (mass, middle) = mean(triangles.iter().map(from(tip)).map(|triangle| {
        let share = if inside == Inside::Shell { 1.0 } else { 0.75 };
        (volume(&triangle), center(&triangle).map(|part| share * part))
    }));
    if mass.is_nan() || mass < LEAST {
        return Err(match mass < 0.0 {
            true => "its volume is negative: triangles are to be turned outwards",
            false => "it has no volume: `inertia=\"shell\"` gives the mass to its surface",
        }
        .to_owned());
    }
    let middle = [0, 1, 2].map(|k| middle[k] + tip[k]);
    let (mut mass, mut products) = (0.0, [[0.0; 3]; 3]);
    let divisor = if inside == Inside::Shell { 12.0 } else { 20.0 };
    for triangle in triangles.iter().map(from(middle)) {
        let volume = volume(&triangle);
        mass += volume;
        // The sum over all pairs of corners, with those of a corner with itself twice.
        let whole = [0, 1, 2].map(|k| triangle.iter().map(|corner| corner[k]).sum::<f64>());
        for i in 0..3 {
            for j in 0..3 {
                let own: f64 = triangle.iter().map(|corner| corner[i] * corner[j]).sum();
                products[i][j] += volume / divisor * (own + whole[i] * whole[j]);
            }
        }
    }
    let trace: f64 = (0..3).map(|k| products[k][k]).sum();
    let tensor = [0, 1, 2].map(|i| [0, 1, 2].map(|j| if i == j { trace - products[i][i] } else { -products[i][j] }));
    if !tensor.iter().flatten().all(|entry| entry.is_finite()) {
        return Err("it leads beyond all numbers".to_owned());
    }
    Ok(Weight { mass, center: middle, tensor })
}

/// A sum of weights, and the place in their middle.
fn mean(parts: impl Iterator<Item = (f64, [f64; 3])>) -> (f64, [f64; 3]) {
    let (weight, moment) = parts.fold((0.0, [0.0; 3]), |(sum, moment), (weight, place)| {
        (sum + weight, [0, 1, 2].map(|k| moment[k] + weight * place[k]))
    });
    (weight, moment.map(|part| part / weight))
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

fn length(vector: [f64; 3]) -> f64 {
    dot(vector, vector).sqrt()
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|found| endings.iter().any(|ending| found.eq_ignore_ascii_case(ending)))
}

#[cfg(test)]
mod tests;
