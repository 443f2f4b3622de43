//! Triangles of COLLADA files (`.dae`).
//!
//! Read are the geometries of the scene, where its nodes put them, in metres as the file's unit says. Which axis points up
//! is not read: programs for robots take coordinates as they are written. Colours, lights and animations are ignored;
//! curves and surfaces that bend with a skeleton are errors.

use std::collections::HashMap;

use hamel_compiler::escape::excerpt;
use roxmltree::{Document, Node};

use crate::read::{TRIANGLES, cut};
use crate::{MeshError, Surface};

/// Nodes within nodes; more are a circle.
const DEPTH: usize = 64;

/// Three rows of a map of places: of axes, then of the origin.
type Map = [[f64; 4]; 3];
const UNMOVED: Map = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// COLLADA.
///
/// # Errors
/// If it cannot be read as a whole.
pub fn collada(text: &str) -> Result<Surface, MeshError> {
    let document = Document::parse(text).map_err(|error| MeshError::Line {
        line: error.pos().row as usize,
        expected: "XML",
        found: excerpt(&error.to_string()),
    })?;
    let mut file = File::new(&document);
    let root = document.root_element();
    let meter = elements(root, "asset").flat_map(|asset| elements(asset, "unit")).find_map(|unit| {
        let written = unit.attribute("meter")?;
        Some(
            written
                .parse()
                .ok()
                .filter(|meter: &f64| *meter > 0.0)
                .ok_or_else(|| file.wrong(unit, "a length in metres")),
        )
    });
    let meter = meter.transpose()?.unwrap_or(1.0);
    let scene = elements(root, "scene").flat_map(|scene| elements(scene, "instance_visual_scene")).next();
    let scene = scene.ok_or_else(|| file.wrong(root, "a scene"))?;
    let scene = file.named(scene, "url", "visual_scene")?;
    let unit = UNMOVED.map(|row| row.map(|part| meter * part));
    for node in elements(scene, "node") {
        file.node(node, &unit, DEPTH)?;
    }
    file.surface.of_first = file.surface.triangles.len();
    Ok(file.surface)
}

struct File<'d, 'i> {
    document: &'d Document<'i>,
    /// Elements by their `id`.
    named: HashMap<&'d str, Node<'d, 'i>>,
    surface: Surface,
}

impl<'d, 'i> File<'d, 'i> {
    fn new(document: &'d Document<'i>) -> Self {
        let named = document.descendants().filter_map(|node| Some((node.attribute("id")?, node))).collect();
        Self { document, named, surface: Surface::default() }
    }

    fn wrong(&self, at: Node, expected: &'static str) -> MeshError {
        let range = at.range();
        let line = self.document.text_pos_at(range.start).row as usize;
        let found = self.document.input_text()[range].lines().next().unwrap_or_default().trim();
        MeshError::Line { line, expected, found: excerpt(found) }
    }

    /// The element of this kind that an attribute refers to.
    fn named(&self, at: Node, attribute: &str, tag: &str) -> Result<Node<'d, 'i>, MeshError> {
        let name = at.attribute(attribute).and_then(|reference| reference.strip_prefix('#'));
        let found = name.and_then(|name| self.named.get(name)).filter(|node| node.tag_name().name() == tag);
        found.copied().ok_or_else(|| self.wrong(at, "a reference to an element of the file"))
    }

    /// The numbers in an element.
    fn numbers<T: std::str::FromStr>(&self, at: Node) -> Result<Vec<T>, MeshError> {
        let words = at.text().unwrap_or_default().split_ascii_whitespace();
        words.map(|word| word.parse().map_err(|_| self.wrong(at, "numbers"))).collect()
    }

    fn list<const N: usize>(&self, at: Node) -> Result<[f64; N], MeshError> {
        self.numbers(at)?.try_into().map_err(|_| self.wrong(at, "as many numbers as the element has"))
    }

    /// The geometries of a node and of those in it.
    fn node(&mut self, node: Node<'d, 'i>, parent: &Map, depth: usize) -> Result<(), MeshError> {
        if depth == 0 {
            return Err(self.wrong(node, "nodes that do not contain themselves"));
        }
        let mut map = *parent;
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "matrix" => {
                    let m: [f64; 16] = self.list(child)?;
                    map = product(&map, &[0, 4, 8].map(|row| [m[row], m[row + 1], m[row + 2], m[row + 3]]));
                }
                "translate" => {
                    let [x, y, z] = self.list(child)?;
                    map = product(&map, &[[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]]);
                }
                "scale" => {
                    let [x, y, z] = self.list(child)?;
                    map = product(&map, &[[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, z, 0.0]]);
                }
                "rotate" => map = product(&map, &rotation(self.list(child)?)),
                "lookat" | "skew" => return Err(self.wrong(child, "matrix, rotate, scale or translate")),
                "instance_controller" => return Err(self.wrong(child, "surfaces without a skeleton")),
                "instance_geometry" => {
                    let geometry = self.named(child, "url", "geometry")?;
                    self.geometry(geometry, &map)?;
                }
                "instance_node" => {
                    let other = self.named(child, "url", "node")?;
                    self.node(other, &map, depth - 1)?;
                }
                "node" => self.node(child, &map, depth - 1)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The triangles of a geometry.
    fn geometry(&mut self, geometry: Node<'d, 'i>, map: &Map) -> Result<(), MeshError> {
        let Some(mesh) = elements(geometry, "mesh").next() else {
            return Err(self.wrong(geometry, "a mesh"));
        };
        let mut known = Places { map: *map, given: Vec::new(), of: None, places: HashMap::new() };
        for child in mesh.children().filter(Node::is_element) {
            let kind = child.tag_name().name();
            if !matches!(kind, "triangles" | "polylist" | "polygons" | "trifans" | "tristrips") {
                continue;
            }
            let (mut vertex, mut stride) = (None, 1);
            for input in elements(child, "input") {
                let offset: usize = input
                    .attribute("offset")
                    .and_then(|written| written.parse().ok())
                    .filter(|offset| *offset < 64)
                    .ok_or_else(|| self.wrong(input, "an offset"))?;
                stride = stride.max(offset + 1);
                if input.attribute("semantic") == Some("VERTEX") {
                    vertex = Some((offset, self.named(input, "source", "vertices")?));
                }
            }
            if elements(child, "ph").next().is_some() {
                return Err(self.wrong(child, "polygons without holes"));
            }
            let lists: Vec<Node> = elements(child, "p").collect();
            if lists.is_empty() {
                continue;
            }
            let (offset, vertices) = vertex.ok_or_else(|| self.wrong(child, "an input of vertices"))?;
            if known.of != Some(vertices) {
                known =
                    Places { map: *map, given: self.positions(vertices)?, of: Some(vertices), places: HashMap::new() };
            }
            let counts = match elements(child, "vcount").next() {
                Some(counts) if kind == "polylist" => self.numbers::<usize>(counts)?,
                _ => Vec::new(),
            };
            for list in lists {
                let indices: Vec<usize> = self.numbers(list)?;
                let corners: Vec<usize> = indices.chunks_exact(stride).map(|corner| corner[offset]).collect();
                if !indices.len().is_multiple_of(stride) || corners.iter().any(|&corner| corner >= known.given.len()) {
                    return Err(self.wrong(list, "indices of vertices that are there"));
                }
                let corners: Vec<u32> =
                    corners.into_iter().map(|corner| known.place(corner, &mut self.surface)).collect();
                self.polygons(list, kind, &corners, &counts, mirrors(map))?;
            }
        }
        Ok(())
    }

    /// Cuts the polygons of a list.
    fn polygons(
        &mut self,
        list: Node,
        kind: &str,
        corners: &[u32],
        counts: &[usize],
        is_mirrored: bool,
    ) -> Result<(), MeshError> {
        let first = self.surface.triangles.len();
        let line = self.document.text_pos_at(list.range().start).row as usize;
        let wrong = || self.wrong(list, "three vertices of each polygon or more");
        match kind {
            "triangles" if corners.len().is_multiple_of(3) => {
                self.surface.triangles.extend(corners.as_chunks().0);
            }
            "polylist" if counts.iter().sum::<usize>() == corners.len() && counts.iter().all(|&n| n >= 3) => {
                let mut rest = corners;
                for &count in counts {
                    let (polygon, others) = rest.split_at(count);
                    cut(&mut self.surface, polygon, line);
                    rest = others;
                }
            }
            "polygons" if corners.len() >= 3 => cut(&mut self.surface, corners, line),
            "trifans" if corners.len() >= 3 => {
                let fan = corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]);
                self.surface.triangles.extend(fan);
            }
            "tristrips" if corners.len() >= 3 => {
                let strip = corners.windows(3).enumerate();
                let strip = strip.map(|(i, c)| if i % 2 == 0 { [c[0], c[1], c[2]] } else { [c[1], c[0], c[2]] });
                self.surface.triangles.extend(strip);
            }
            _ => return Err(wrong()),
        }
        if self.surface.triangles.len() > TRIANGLES {
            return Err(MeshError::Many { most: TRIANGLES });
        }
        if is_mirrored {
            self.surface.triangles[first..].iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        Ok(())
    }

    /// The positions of vertices.
    fn positions(&self, vertices: Node<'d, 'i>) -> Result<Vec<[f64; 3]>, MeshError> {
        let input = elements(vertices, "input").find(|input| input.attribute("semantic") == Some("POSITION"));
        let source =
            self.named(input.ok_or_else(|| self.wrong(vertices, "an input of positions"))?, "source", "source")?;
        let accessor = elements(source, "technique_common").flat_map(|common| elements(common, "accessor")).next();
        let accessor = accessor.ok_or_else(|| self.wrong(source, "an accessor"))?;
        let number = |name: &str, usual: usize| match accessor.attribute(name) {
            Some(written) => written.parse().map_err(|_| self.wrong(accessor, "whole numbers")),
            None => Ok(usual),
        };
        let (stride, offset, count) = (number("stride", 1)?, number("offset", 0)?, number("count", 0)?);
        let array = self.named(accessor, "source", "float_array")?;
        let values: Vec<f64> = self.numbers(array)?;
        let places = values.get(offset..).unwrap_or_default();
        if stride < 3 || places.len() / stride < count {
            return Err(self.wrong(accessor, "three numbers of each vertex, as many as it counts"));
        }
        Ok(places.chunks_exact(stride).take(count).map(|place| [place[0], place[1], place[2]]).collect())
    }
}

/// Vertices of a geometry that are used, and where they are in the surface.
struct Places<'d, 'i> {
    map: Map,
    given: Vec<[f64; 3]>,
    of: Option<Node<'d, 'i>>,
    places: HashMap<usize, u32>,
}

impl Places<'_, '_> {
    fn place(&mut self, corner: usize, surface: &mut Surface) -> u32 {
        let Self { map, given, places, .. } = self;
        *places.entry(corner).or_insert_with(|| {
            let [x, y, z] = given[corner];
            surface.vertices.push(map.map(|[a, b, c, d]| a * x + b * y + c * z + d));
            surface.vertices.len() as u32 - 1
        })
    }
}

fn elements<'d, 'i>(of: Node<'d, 'i>, tag: &'static str) -> impl Iterator<Item = Node<'d, 'i>> {
    of.children().filter(move |child| child.is_element() && child.tag_name().name() == tag)
}

fn product(a: &Map, b: &Map) -> Map {
    a.map(|row| {
        let mut product = [0, 1, 2, 3].map(|k| row[0] * b[0][k] + row[1] * b[1][k] + row[2] * b[2][k]);
        product[3] += row[3];
        product
    })
}

/// About an axis, by degrees.
fn rotation([x, y, z, angle]: [f64; 4]) -> Map {
    let size = (x * x + y * y + z * z).sqrt();
    let [x, y, z] = if size > 0.0 { [x, y, z].map(|part| part / size) } else { [0.0; 3] };
    let (sine, cosine) = angle.to_radians().sin_cos();
    let rest = 1.0 - cosine;
    [
        [cosine + rest * x * x, rest * x * y - sine * z, rest * x * z + sine * y, 0.0],
        [rest * x * y + sine * z, cosine + rest * y * y, rest * y * z - sine * x, 0.0],
        [rest * x * z - sine * y, rest * y * z + sine * x, cosine + rest * z * z, 0.0],
    ]
}

/// Whether a map turns a surface inside out.
fn mirrors([a, b, c]: &Map) -> bool {
    let minor = |i: usize, j: usize| b[i] * c[j] - b[j] * c[i];
    a[0] * minor(1, 2) - a[1] * minor(0, 2) + a[2] * minor(0, 1) < 0.0
}
