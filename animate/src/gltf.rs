//! Scenes as glTF 2.0, the format that browsers, office programs and Blender read: bodies with their motion.
//!
//! Every frame that moves is a node with an animation, to which its shapes are attached; connections are stretched from
//! one end to the other, beams are skins over the frames of their nodes. Above all of them is a node that turns the
//! direction against gravity upwards, which is y in glTF.

mod document;
mod surface;

use serde_json::{Value, json};

use crate::motion::Error;
use crate::page::GENERATOR;
use crate::pose::{Quaternion, Vector, add, cross, dot, length, scale, sub, unit};
use crate::scene::{Beam, Color, Link, Scene, Shape, Solid};
use document::{Document, Use};
use surface::Surface;

/// Colours of bodies, in the order of the page: those of Okabe and Ito.
const PALETTE: [u32; 6] = [0x00_72b2, 0xd5_5e00, 0x00_9e73, 0xcc_79a7, 0xe6_9f00, 0x56_b4e9];
/// Joints and supports, what bodies lie on, and springs.
const NEUTRAL: u32 = 0x8b_9099;
const FLOOR: u32 = 0xc9_ced6;
const SPRING: u32 = 0x6f_7681;

/// A binary glTF file (`.glb`) with motions together.
///
/// Forces, paths and plots are not part of it. Its time begins with the first instant of all motions; instants that are
/// the same in single precision are one.
///
/// # Errors
/// If there is no scene, or the file would be larger than the format allows, 4 GiB.
///
/// # Examples
/// ```
/// use hamel::{Model, Simulation, initial_state, schemes::RungeKutta};
/// use hamel_animate::{Meshes, Motion, Scene};
/// use hamel_jit::Level;
///
/// let text = "model Top {
///     coordinates joint;
///     body top { mass: 1 kg, inertia: diag(0.1, 0.1, 0.2) kg m^2, shape: cone(0.2 m, 0.3 m) }
///     joint tip: spherical(ground, top);
///     initial top.angular_velocity = [0.1, 0, 20] rad/s;
/// }";
/// let model = hamel_jit::model(text.parse()?, Level::AtOnce, None)?;
/// let run = Simulation::new(&model, &RungeKutta).step(1e-2).until(1.0).run(initial_state(&model)?);
/// let motion = Motion {
///     label: "top",
///     info: model.describe(),
///     parameters: &[],
///     inputs: &[],
///     trajectory: &run.trajectory,
///     meshes: &Meshes::default(),
/// };
/// let file = hamel_animate::gltf("Top", &[Scene::new(&motion)?])?;
/// assert!(file.starts_with(b"glTF"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gltf(title: &str, scenes: &[Scene]) -> Result<Vec<u8>, Error> {
    let Some(first) = scenes.first() else { return Err(Error::Empty) };
    let start = scenes.iter().filter_map(|scene| scene.times.0.first()).fold(f32::INFINITY, |a, b| a.min(*b));
    let mut writer = Writer {
        document: Document::new(GENERATOR),
        materials: Vec::new(),
        geometries: Vec::new(),
        meshes: Vec::new(),
        samplers: Vec::new(),
        channels: Vec::new(),
        skins: Vec::new(),
        runs: scenes.len(),
    };
    let root = writer.document.node(json!({ "name": title, "rotation": written(upright(first.up)) }));
    let motions: Vec<usize> = scenes.iter().enumerate().map(|(run, scene)| writer.scene(scene, run, start)).collect();
    writer.document.nodes[root]["children"] = json!(motions);
    let roots: Vec<usize> = std::iter::once(root).chain(writer.skins).collect();
    let mut document = writer.document;
    if !writer.channels.is_empty() {
        document.animations =
            vec![json!({ "name": "motion", "samplers": writer.samplers, "channels": writer.channels })];
    }
    document.file(&roots).map_err(Error::Gltf)
}

struct Writer {
    document: Document,
    /// Colours, and whether both sides are seen.
    materials: Vec<([f32; 3], bool)>,
    /// Solids with the file of their mesh, and what they are in the document.
    geometries: Vec<(Solid, Option<String>, Value)>,
    /// Geometries with materials, and the meshes that they are.
    meshes: Vec<([usize; 2], usize)>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    /// Nodes of skins, which stand at the root.
    skins: Vec<usize>,
    runs: usize,
}

/// Where something is at all instants: positions, rotations x, y, z, w, and scales.
#[derive(Default)]
struct Track {
    positions: Vec<[f32; 3]>,
    rotations: Vec<[f32; 4]>,
    scales: Vec<[f32; 3]>,
}

impl Writer {
    /// Adds a motion, and gives its node.
    fn scene(&mut self, scene: &Scene, run: usize, start: f32) -> usize {
        // In single precision, as it is written: instants have to increase.
        let mut instants: Vec<usize> = Vec::new();
        let time = |instant: usize| scene.times.0[instant] - start;
        for instant in 0..scene.times.0.len() {
            if instants.last().is_none_or(|&last| time(instant) > time(last)) {
                instants.push(instant);
            }
        }
        let times: Vec<[f32; 1]> = instants.iter().map(|&instant| [time(instant)]).collect();
        let mut clock = None;
        let mut children = Vec::new();
        let mut movers = Vec::new();
        for mover in 0..scene.movers {
            let body = scene.bodies.iter().find(|body| body.mover == mover);
            let name = body.map_or_else(|| format!("frame {mover}"), |body| body.name.clone());
            let track = Track::of(scene, mover, &instants);
            let node = self.moving(&name, &track, &times, &mut clock);
            let shapes = body.map_or(&[][..], |body| &body.shapes).iter();
            let parts = scene.joints.iter().filter(|part| part.mover == Some(mover)).flat_map(|part| &part.shapes);
            self.attach(node, shapes.chain(parts), scene, run);
            movers.push(node);
            children.push(node);
        }
        let ground = self.document.node(json!({ "name": "ground" }));
        let parts = scene.joints.iter().filter(|part| part.mover.is_none()).flat_map(|part| &part.shapes);
        self.attach(ground, scene.fixed.iter().chain(parts), scene, run);
        children.push(ground);
        for link in &scene.links {
            let track = Track::between(scene, link, &instants);
            let Some((track, span)) = track else { continue };
            let node = self.moving(&link.name, &track, &times, &mut clock);
            self.document.nodes[node]["mesh"] = self.link(link, span);
            children.push(node);
        }
        for beam in &scene.beams {
            let node = self.beam(beam, &movers, run);
            self.skins.push(node);
        }
        self.document.node(json!({ "name": scene.label, "children": children }))
    }

    /// A node with the motion that it has.
    fn moving(&mut self, name: &str, track: &Track, times: &[[f32; 1]], clock: &mut Option<usize>) -> usize {
        let Track { positions, rotations, scales } = track;
        let node = self
            .document
            .node(json!({ "name": name, "translation": widened(&positions[0]), "rotation": widened(&rotations[0]) }));
        if let Some(scale) = scales.first() {
            self.document.nodes[node]["scale"] = widened(scale);
        }
        let document = &mut self.document;
        let outputs = [
            ("translation", varies(positions).then(|| document.vectors(positions, Use::Motion))),
            ("rotation", varies(rotations).then(|| document.vectors(rotations, Use::Motion))),
            ("scale", varies(scales).then(|| document.vectors(scales, Use::Motion))),
        ];
        for (path, output) in outputs {
            let Some(output) = output else { continue };
            let input = *clock.get_or_insert_with(|| self.document.vectors(times, Use::Motion));
            self.samplers.push(json!({ "input": input, "output": output }));
            let target = json!({ "node": node, "path": path });
            self.channels.push(json!({ "sampler": self.samplers.len() - 1, "target": target }));
        }
        node
    }

    /// Adds shapes to the children of a node.
    fn attach<'s>(&mut self, node: usize, shapes: impl Iterator<Item = &'s Shape>, scene: &Scene, run: usize) {
        let mut children = Vec::new();
        for shape in shapes {
            let geometry = self.geometry(&shape.solid, scene);
            let is_mesh = matches!(shape.solid, Solid::Mesh { .. });
            let material = self.material(self.color(shape.color, run), is_mesh);
            let mesh = self.mesh(geometry, material);
            let mut child = json!({ "mesh": mesh, "translation": shape.at, "rotation": written(shape.turn) });
            if let Solid::Mesh { scale, .. } = shape.solid {
                child["scale"] = json!(scale);
            }
            children.push(self.document.node(child));
        }
        if !children.is_empty() {
            self.document.nodes[node]["children"] = json!(children);
        }
    }

    /// The triangles of a solid, which those that are equal share.
    fn geometry(&mut self, solid: &Solid, scene: &Scene) -> usize {
        let file = match solid {
            Solid::Mesh { mesh, .. } => Some(scene.meshes[*mesh].file.clone()),
            _ => None,
        };
        let same = |known: &(Solid, Option<String>, Value)| match (&known.1, &file) {
            (Some(a), Some(b)) => a == b,
            (None, None) => known.0 == *solid,
            _ => false,
        };
        if let Some(known) = self.geometries.iter().position(same) {
            return known;
        }
        let primitive = self.primitive(&Surface::of(solid, &scene.meshes));
        self.geometries.push((solid.clone(), file, primitive));
        self.geometries.len() - 1
    }

    fn primitive(&mut self, surface: &Surface) -> Value {
        let position = self.document.vectors(&surface.positions, Use::Vertices);
        let normal = self.document.vectors(&surface.normals, Use::Vertices);
        let indices = self.document.indices(&surface.indices);
        json!({ "attributes": { "POSITION": position, "NORMAL": normal }, "indices": indices })
    }

    fn mesh(&mut self, geometry: usize, material: usize) -> usize {
        let wanted = [geometry, material];
        if let Some((_, mesh)) = self.meshes.iter().find(|(known, _)| *known == wanted) {
            return *mesh;
        }
        let (_, file, mut primitive) = self.geometries[geometry].clone();
        primitive["material"] = json!(material);
        let mut mesh = json!({ "primitives": [primitive] });
        if let Some(file) = file {
            mesh["name"] = json!(file);
        }
        let place = self.document.mesh(mesh);
        self.meshes.push((wanted, place));
        place
    }

    /// The mesh of a connection that is so long at first.
    fn link(&mut self, link: &Link, span: f64) -> Value {
        let surfaces = Surface::of_link(link.kind, link.radius, span);
        let mut primitives = Vec::new();
        for (surface, color) in surfaces.iter().zip([NEUTRAL, SPRING]) {
            let Some(surface) = surface else { continue };
            let mut primitive = self.primitive(surface);
            primitive["material"] = json!(self.material(parts(color), false));
            primitives.push(primitive);
        }
        json!(self.document.mesh(json!({ "primitives": primitives })))
    }

    /// A skin over the frames of a beam.
    fn beam(&mut self, beam: &Beam, movers: &[usize], run: usize) -> usize {
        let (surface, frames) = Surface::of_beam(beam.nodes.len(), beam.section);
        let mut primitive = self.primitive(&surface);
        let joints: Vec<[u16; 4]> = frames.iter().map(|&frame| [frame, 0, 0, 0]).collect();
        let weights = vec![[1.0, 0.0, 0.0, 0.0]; joints.len()];
        primitive["attributes"]["JOINTS_0"] = json!(self.document.shorts(&joints));
        primitive["attributes"]["WEIGHTS_0"] = json!(self.document.vectors(&weights, Use::Vertices));
        primitive["material"] = json!(self.material(self.color(beam.color, run), false));
        let mesh = self.document.mesh(json!({ "primitives": [primitive] }));
        let nodes: Vec<usize> = beam.nodes.iter().map(|&mover| movers[mover]).collect();
        self.document.skins.push(json!({ "joints": nodes }));
        let skin = self.document.skins.len() - 1;
        self.document.node(json!({ "name": beam.name, "mesh": mesh, "skin": skin }))
    }

    /// Several motions have a colour each, as on the page.
    fn color(&self, color: Color, run: usize) -> [f32; 3] {
        match color {
            Color::Palette(place) => parts(PALETTE[if self.runs > 1 { run } else { place } % PALETTE.len()]),
            Color::Neutral => parts(NEUTRAL),
            Color::Floor => parts(FLOOR),
            Color::Rgb(parts) => parts,
        }
    }

    fn material(&mut self, color: [f32; 3], both_sides: bool) -> usize {
        if let Some(known) = self.materials.iter().position(|known| *known == (color, both_sides)) {
            return known;
        }
        // Colours of pages are not in proportion to light, those of glTF are.
        let light = |part: f32| {
            let part = f64::from(part);
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = color.map(light);
        let surface =
            json!({ "baseColorFactor": [red, green, blue, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.6 });
        let mut material = json!({ "pbrMetallicRoughness": surface });
        if both_sides {
            material["doubleSided"] = json!(true);
        }
        self.document.materials.push(material);
        self.materials.push((color, both_sides));
        self.materials.len() - 1
    }
}

impl Track {
    /// That of a frame.
    fn of(scene: &Scene, mover: usize, instants: &[usize]) -> Track {
        let mut track = Track::default();
        for &instant in instants {
            let (position, rotation) = pose(scene, instant, mover);
            track.push(position, rotation);
        }
        track
    }

    /// That of a connection along z between its ends, and its length at first; none where it never has one.
    fn between(scene: &Scene, link: &Link, instants: &[usize]) -> Option<(Track, f64)> {
        let ends = |instant: usize| {
            [0, 1].map(|side| match link.movers[side] {
                Some(mover) => {
                    let (position, rotation) = pose(scene, instant, mover);
                    add(position, turned(rotation, link.ends[side]))
                }
                None => link.ends[side],
            })
        };
        let apart = |instant: usize| {
            let [from, to] = ends(instant);
            sub(to, from)
        };
        let span = instants.iter().map(|&instant| length(apart(instant))).find(|span| *span > 0.0)?;
        let mut track = Track::default();
        let (mut axis, mut rotation) = ([0.0, 0.0, 1.0], Quaternion([1.0, 0.0, 0.0, 0.0]));
        for &instant in instants {
            let next = unit(apart(instant)).unwrap_or(axis);
            // Turned as little as possible, so that coils do not spin.
            rotation = product(shortest(axis, next), rotation);
            axis = next;
            track.push(ends(instant)[0], rotation);
            track.scales.push([1.0, 1.0, (length(apart(instant)) / span) as f32]);
        }
        Some((track, span))
    }

    /// Appends a pose, its rotation with the sign that is nearer to the last one.
    fn push(&mut self, position: Vector, Quaternion([w, x, y, z]): Quaternion) {
        let norm = (w * w + x * x + y * y + z * z).sqrt();
        let mut rotation = [x, y, z, w].map(|part| (part / norm) as f32);
        if self.rotations.last().is_some_and(|last| last.iter().zip(rotation).map(|(a, b)| a * b).sum::<f32>() < 0.0) {
            rotation = rotation.map(|part| -part);
        }
        self.positions.push(position.map(|part| part as f32));
        self.rotations.push(rotation);
    }
}

/// Where a frame is at an instant.
fn pose(scene: &Scene, instant: usize, mover: usize) -> (Vector, Quaternion) {
    let size = if scene.planar { 3 } else { 7 };
    let numbers = &scene.poses.0[size * (instant * scene.movers + mover)..][..size];
    let number = |place: usize| f64::from(numbers[place]);
    if scene.planar {
        let (sin, cos) = (0.5 * number(2)).sin_cos();
        return ([number(0), number(1), 0.0], Quaternion([cos, 0.0, 0.0, sin]));
    }
    ([number(0), number(1), number(2)], Quaternion([number(3), number(4), number(5), number(6)]))
}

/// As glTF has rotations: x, y, z, w, of length 1.
fn written(Quaternion([w, x, y, z]): Quaternion) -> [f64; 4] {
    let norm = (w * w + x * x + y * y + z * z).sqrt();
    [x, y, z, w].map(|part| part / norm)
}

fn turned(Quaternion([w, x, y, z]): Quaternion, vector: Vector) -> Vector {
    let axis = [x, y, z];
    let twice = scale(2.0, cross(axis, vector));
    add(add(vector, scale(w, twice)), cross(axis, twice))
}

/// The first rotation after the second one.
fn product(Quaternion([a, b, c, d]): Quaternion, Quaternion([w, x, y, z]): Quaternion) -> Quaternion {
    Quaternion([
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ])
}

/// The rotation by the smallest angle that takes one direction to another.
fn shortest(from: Vector, to: Vector) -> Quaternion {
    let real = 1.0 + dot(from, to);
    if real < 1e-9 {
        // By half a turn about any axis across.
        let aside = if from[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let [x, y, z] = unit(cross(from, aside)).unwrap_or([1.0, 0.0, 0.0]);
        return Quaternion([0.0, x, y, z]);
    }
    let [x, y, z] = cross(from, to);
    let norm = (real * real + x * x + y * y + z * z).sqrt();
    Quaternion([real, x, y, z].map(|part| part / norm))
}

/// From the direction against gravity to y.
fn upright(up: Vector) -> Quaternion {
    shortest(unit(up).unwrap_or([0.0, 1.0, 0.0]), [0.0, 1.0, 0.0])
}

/// Red, green and blue of six digits.
fn parts(color: u32) -> [f32; 3] {
    [16, 8, 0].map(|shift| (color >> shift & 0xff) as f32 / 255.0)
}

fn varies<T: PartialEq>(values: &[T]) -> bool {
    values.iter().any(|value| *value != values[0])
}

/// The same numbers in JSON, whose shorter digits would mean others.
fn widened(numbers: &[f32]) -> Value {
    json!(numbers.iter().copied().map(f64::from).collect::<Vec<f64>>())
}
