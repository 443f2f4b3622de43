//! From answers about a model to what is drawn: shapes of bodies, joints, what does not move, connections.

mod mechanism;

use std::sync::Arc;

use hamel_compiler::resolve::{self, BodyId, BodyShape, ContactForm, Frame, System};
use hamel_compiler::solids;
use hamel_compiler::space::Space;

use crate::bodies::Known;
use crate::mesh::{Mesh, Meshes, Unread};
use crate::motion::up;
use crate::pose::{Pose, Vector, dot, length, sub};
use crate::scene::{Beam, Body, Color, Link, LinkKind, Point, Shape, Solid};
use crate::survey::{ShapePlaces, Survey};

/// A straight guide of a joint, and how far the joint moves along it.
struct Rail {
    joint: usize,
    /// Axis of the parent's frame.
    axis: usize,
    range: [f64; 2],
}

/// A surface with which something comes in contact.
struct Surface {
    body: Option<BodyId>,
    frame: Pose,
}

/// What is known after the first instant, and what the others add.
pub(crate) struct Drawing<'a> {
    system: &'a System,
    survey: &'a Survey<'a>,
    planar: bool,
    up: Vector,
    known: Vec<Known>,
    /// Frames of joints in their bodies.
    ends: Vec<[Pose; 2]>,
    force_ends: Vec<Vec<Pose>>,
    /// Lengths of springs and dampers at the first instant.
    spans: Vec<f64>,
    sections: Vec<[f64; 2]>,
    traced: Vec<Vector>,
    /// What the model gives as shapes, body by body.
    given: Vec<Vec<(Solid, Pose)>>,
    /// What the ground is drawn as.
    ground: Vec<Shape>,
    files: Files,
    surfaces: Vec<Surface>,
    rails: Vec<Rail>,
    /// The box of all places that bodies come to.
    extent: [Vector; 2],
    typical: f64,
}

impl<'a> Drawing<'a> {
    /// From the answers at the first instant.
    pub fn new<'v>(
        system: &'a System,
        survey: &'a Survey<'a>,
        meshes: &Meshes,
        at: &dyn Fn(usize) -> &'v [f64],
    ) -> Drawing<'a> {
        let planar = system.space == Space::Planar;
        let pose = |place: usize| Pose::from_values(at(place));
        let ends: Vec<[Pose; 2]> = survey.joints.iter().map(|ends| ends.frames.map(pose)).collect();
        let force_ends: Vec<Vec<Pose>> =
            survey.force_frames.iter().map(|frames| frames.iter().map(|&place| pose(place)).collect()).collect();
        let mut known: Vec<Known> = system
            .bodies
            .iter()
            .zip(&survey.bodies)
            .map(|(body, places)| Known {
                planar,
                mass: at(places.mass)[0],
                inertia: inertia(at(places.inertia)),
                center: places.center.map_or([0.0; 3], |place| three(at(place))),
                attachments: Vec::new(),
                corners: Vec::new(),
                rounds: Vec::new(),
                axis: None,
                slides: false,
                floats: body.added_mass.is_some(),
            })
            .collect();
        for (joint, ends) in system.joints.iter().zip(&ends) {
            let keyword = joint.kind.keyword();
            for (frame, end) in [&joint.parent, &joint.child].into_iter().zip(ends) {
                let Some(body) = frame.body else { continue };
                if !["free", "gear"].contains(&keyword) {
                    known[body.0].attachments.push(end.position);
                }
                if ["revolute", "cylindrical", "screw"].contains(&keyword) && known[body.0].axis.is_none() {
                    known[body.0].axis = Some((end.position, end.column(2)));
                }
                known[body.0].slides |= ["prismatic", "point_on_line"].contains(&keyword);
            }
        }
        for (force, ends) in system.forces.iter().zip(&force_ends) {
            if link_kind(force.kind.keyword()).is_some() {
                for (frame, end) in force.frames.iter().zip(ends) {
                    if let Some(body) = frame.body {
                        known[body.0].attachments.push(end.position);
                    }
                }
            }
        }
        let mut surfaces = Vec::new();
        for (contact, touch) in system.contacts.iter().zip(&survey.touches) {
            let (ContactForm::Kind { kind, frames, .. }, Some(touch)) = (&contact.form, touch) else { continue };
            let radii = touch.radii.map_or(&[][..], at);
            let poses = touch.frames.map(pose);
            for (place, (frame, pose)) in frames.iter().zip(&poses).enumerate() {
                if place == 1 && kind.is_flat() {
                    surfaces.push(Surface { body: frame.body, frame: *pose });
                    continue;
                }
                let Some(body) = frame.body else { continue };
                match radii.get(place) {
                    Some(&radius) if radius > 0.0 => known[body.0].round(pose.position, radius),
                    _ => known[body.0].corner(pose.position),
                }
            }
        }
        for (body, place) in survey.corners.iter().flatten() {
            known[body.0].corner(pose(*place).position);
        }
        let members = survey.members.iter().map(|member| {
            let (area, second_moment) = (at(member.area)[0], at(member.second_moment)[0]);
            let height = (12.0 * second_moment / area).sqrt();
            [height, area / height]
        });
        let beams = survey.beams.iter().map(|beam| {
            let (mass, inertia) = (at(beam.mass)[0], at(beam.inertia));
            [inertia[2], inertia[1]].map(|about| (12.0 * about / mass).sqrt())
        });
        let sections: Vec<[f64; 2]> = members.chain(beams).collect();
        let mut files = Files::default();
        let mut solids = |shapes: &[BodyShape], places: &[ShapePlaces]| -> Vec<(Solid, Pose)> {
            let given = |(shape, (frame, dimensions)): (&BodyShape, &ShapePlaces)| {
                let dimensions: Vec<f64> = dimensions.iter().flat_map(|&place| at(place)).copied().collect();
                match &shape.file {
                    Some(file) => files.solid(meshes, file, &dimensions).map(|solid| (solid, pose(*frame))),
                    None => solid(shape.solid.keyword, &dimensions, pose(*frame), planar),
                }
            };
            shapes.iter().zip(places).filter_map(given).collect()
        };
        let given = system.bodies.iter().zip(&survey.bodies);
        let given = given.map(|(body, places)| solids(&body.shapes, &places.shapes)).collect();
        let ground = system.ground.iter().zip(&survey.ground).flat_map(|(look, places)| {
            let color = look.color.map_or(Color::Neutral, color_of);
            let given = |(solid, pose)| Shape { derived: false, ..Shape::new(solid, &pose, color) };
            solids(&look.shapes, places).into_iter().map(given).collect::<Vec<_>>()
        });
        let ground = ground.collect();
        let traced = survey.traced.iter().map(|traced| pose(traced.frame).position).collect();
        let rails = rails(system);
        let typical = typical(system, &known);
        Drawing {
            system,
            survey,
            planar,
            up: up(planar, survey.gravity.map(at)),
            known,
            ends,
            spans: vec![0.0; system.forces.len()],
            force_ends,
            sections,
            traced,
            given,
            ground,
            files,
            surfaces,
            rails,
            extent: [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]],
            typical,
        }
    }

    /// Takes the poses of one instant into account.
    pub fn pass(&mut self, poses: &[Pose]) {
        let [low, high] = &mut self.extent;
        let mut include = |point: Vector| {
            for i in 0..3 {
                low[i] = low[i].min(point[i]);
                high[i] = high[i].max(point[i]);
            }
        };
        for (body, pose) in self.known.iter().zip(poses) {
            include(pose.point(body.center));
            body.attachments.iter().for_each(|&point| include(pose.point(point)));
        }
        if self.spans.iter().all(|&span| span == 0.0) {
            for ((span, force), ends) in self.spans.iter_mut().zip(&self.system.forces).zip(&self.force_ends) {
                let place = |(frame, end): (&Frame, &Pose)| match frame.body {
                    Some(body) => poses[body.0].point(end.position),
                    None => end.position,
                };
                if let [a, b] = force.frames.iter().zip(ends).map(place).collect::<Vec<_>>().as_slice() {
                    *span = length(sub(*b, *a));
                }
            }
        }
        for rail in &mut self.rails {
            let joint = &self.system.joints[rail.joint];
            let [parent, child] = [(&joint.parent, 0), (&joint.child, 1)].map(|(frame, end)| {
                let own = self.ends[rail.joint][end];
                frame.body.map_or(own, |body| poses[body.0].then(&own))
            });
            let along = dot(sub(child.position, parent.position), parent.column(rail.axis));
            rail.range = [rail.range[0].min(along), rail.range[1].max(along)];
        }
    }

    /// Meshes of the shapes of bodies, each once.
    pub fn meshes(&self) -> Vec<Arc<Mesh>> {
        self.files.read.clone()
    }

    /// Files that are no meshes.
    pub fn unread(&self) -> Vec<Unread> {
        self.files.unread.clone()
    }

    /// Direction against gravity.
    pub fn up(&self) -> Vector {
        self.up
    }

    /// Whether bodies move water.
    pub fn water(&self) -> bool {
        !self.planar && self.known.iter().any(|body| body.floats)
    }

    /// The typical size of bodies, but no less than what can be seen beside their motion.
    fn typical(&self) -> f64 {
        let [low, high] = self.extent;
        let moved = length(sub(high, low));
        match self.typical.max(0.08 * moved) {
            size if size > 0.0 => size,
            _ => 1.0,
        }
    }

    /// Half the thickness of rods between bodies of a typical size.
    fn thickness(&self) -> f64 {
        0.035 * self.typical()
    }

    /// In the plane bodies lie in layers, so that they are seen to pass each other.
    fn height(&self, body: usize) -> f64 {
        let is_linked = self.known[body].rounds.is_empty() && self.known[body].corners.is_empty();
        if self.planar && is_linked { ((body % 3) as f64 - 1.0) * 1.6 * self.thickness() } else { 0.0 }
    }

    /// Members of an array have one colour, unless there is nothing else.
    fn color(&self, body: usize) -> Color {
        if let Some(color) = self.system.bodies[body].color {
            return color_of(color);
        }
        let base = |body: usize| {
            let name = self.system.bodies[body].name.to_string();
            name.split("__")
                .next()
                .unwrap_or_default()
                .trim_end_matches(|c: char| c.is_ascii_digit() || c == '_')
                .to_owned()
        };
        let mut groups: Vec<String> = Vec::new();
        for other in (0..self.system.bodies.len()).filter(|&other| !self.system.bodies[other].is_part) {
            let base = base(other);
            if !groups.contains(&base) {
                groups.push(base);
            }
        }
        match groups.iter().position(|group| *group == base(body)) {
            Some(place) if groups.len() > 1 => Color::Palette(place),
            _ => Color::Palette(body),
        }
    }

    /// Rigid bodies, and those without mass that the model gives shapes.
    pub fn bodies(&self) -> Vec<Body> {
        let is_drawn = |(index, body): &(usize, &resolve::Body)| !body.is_part || !self.given[*index].is_empty();
        let rigid = self.system.bodies.iter().enumerate().filter(is_drawn);
        let drawn = |(index, body): (usize, &resolve::Body)| Body {
            name: name(&body.name),
            mover: index,
            shapes: self.shapes(index),
        };
        rigid.map(drawn).collect()
    }

    /// The shapes of a body: those of the model, or else what its data say.
    fn shapes(&self, body: usize) -> Vec<Shape> {
        let (color, height) = (self.color(body), self.height(body));
        if self.given[body].is_empty() {
            return self.known[body].shapes(self.typical(), height, color);
        }
        let shape = |(solid, pose): &(Solid, Pose)| {
            let mut pose = *pose;
            pose.position[2] += if self.planar { height } else { 0.0 };
            Shape { derived: false, ..Shape::new(solid.clone(), &pose, color) }
        };
        self.given[body].iter().map(shape).collect()
    }

    /// Springs, dampers, and rods of constant length.
    pub fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        let mut add = |name: String, kind: LinkKind, frames: [&Frame; 2], ends: [Vector; 2], span: f64| {
            let radius = match kind {
                LinkKind::Rod => 0.7 * self.thickness(),
                _ => (0.05 * span).clamp(1.6 * self.thickness(), 4.0 * self.thickness()),
            };
            let movers = frames.map(|frame| frame.body.map(|body| body.0));
            links.push(Link { name, kind, movers, ends, radius });
        };
        for ((force, ends), &span) in self.system.forces.iter().zip(&self.force_ends).zip(&self.spans) {
            if let (Some(kind), [first, second], [a, b]) =
                (link_kind(force.kind.keyword()), force.frames.as_slice(), ends.as_slice())
            {
                add(name(&force.name), kind, [first, second], [a.position, b.position], span);
            }
        }
        for (joint, ends) in self.system.joints.iter().zip(&self.ends) {
            if joint.kind.keyword() == "distance" {
                let positions = [ends[0].position, ends[1].position];
                add(name(&joint.name), LinkKind::Rod, [&joint.parent, &joint.child], positions, 0.0);
            }
        }
        links
    }

    /// Flexible members.
    pub fn beams(&self) -> Vec<Beam> {
        let members = self.system.members.iter().map(|member| &member.name).zip(&self.survey.members);
        let members = members.map(|(own, member)| (own, &member.nodes));
        let beams = self.system.beams.iter().map(|beam| &beam.name).zip(&self.survey.beams);
        let beams = beams.map(|(own, beam)| (own, &beam.nodes));
        let rigid = self.system.bodies.iter().filter(|body| !body.is_part).count();
        let all = members.chain(beams).zip(&self.sections).enumerate();
        all.map(|(index, ((own, nodes), section))| {
            let least = 0.012 * self.typical();
            // Cross-sections that follow from other data may be thicker than the beam is long.
            let section = section.map(|edge| if edge.is_finite() { edge.clamp(least, 10.0 * least) } else { least });
            Beam { name: name(own), nodes: nodes.clone(), section, color: Color::Palette(rigid + index) }
        })
        .collect()
    }

    /// Points that are outputs, centres of mass, and ends of flexible members.
    pub fn points(&self) -> Vec<Point> {
        let mut points: Vec<Point> = Vec::new();
        for (traced, &at) in self.survey.traced.iter().zip(&self.traced) {
            points.push(Point { name: name(&traced.output.name), mover: traced.body.0, at, shown: true });
        }
        let is_named = !points.is_empty();
        let members = self.system.members.iter().map(|member| &member.name);
        let members = members.zip(self.survey.members.iter().map(|member| &member.nodes));
        let beams = self.system.beams.iter().map(|beam| &beam.name);
        let beams = beams.zip(self.survey.beams.iter().map(|beam| &beam.nodes));
        for (own, nodes) in members.chain(beams) {
            let name = format!("{}, tip", name(own));
            points.extend(nodes.last().map(|&mover| Point { name, mover, at: [0.0; 3], shown: false }));
        }
        for (index, body) in self.system.bodies.iter().enumerate().filter(|(_, body)| !body.is_part) {
            points.push(Point { name: name(&body.name), mover: index, at: self.known[index].center, shown: false });
        }
        // Of a few bodies, the path of the last one.
        if let (false, 1..=30, Some(last)) = (is_named, points.len(), points.last_mut()) {
            last.shown = true;
        }
        points
    }
}

/// The files that the shapes of bodies are read from, each once.
#[derive(Default)]
struct Files {
    read: Vec<Arc<Mesh>>,
    unread: Vec<Unread>,
}

impl Files {
    /// The mesh of a file with a scale of one or three components, or 1 m; nothing where it cannot be read.
    fn solid(&mut self, meshes: &Meshes, file: &str, scale: &[f64]) -> Option<Solid> {
        let scale = match scale {
            [] => [1.0; 3],
            [one] => [*one; 3],
            parts => three(parts),
        };
        match meshes.get(file) {
            Ok(found) => {
                let known = self.read.iter().position(|known| Arc::ptr_eq(known, &found));
                let mesh = known.unwrap_or_else(|| {
                    self.read.push(found);
                    self.read.len() - 1
                });
                Some(Solid::Mesh { mesh, scale })
            }
            Err(error) => {
                let unread = Unread { file: file.to_owned(), error };
                if !self.unread.contains(&unread) {
                    self.unread.push(unread);
                }
                None
            }
        }
    }
}

impl Known {
    fn corner(&mut self, point: Vector) {
        if !self.corners.contains(&point) {
            self.corners.push(point);
        }
    }

    fn round(&mut self, center: Vector, radius: f64) {
        if !self.rounds.contains(&(center, radius)) {
            self.rounds.push((center, radius));
        }
    }
}

/// A name as it is written.
pub(crate) fn name(ident: &dyn std::fmt::Display) -> String {
    hamel_compiler::spelling::spelled(&ident.to_string())
}

fn three(values: &[f64]) -> Vector {
    [0, 1, 2].map(|i| values.get(i).copied().unwrap_or(0.0))
}

fn inertia(values: &[f64]) -> [Vector; 3] {
    match values {
        [z] => [[0.0; 3], [0.0; 3], [0.0, 0.0, *z]],
        _ => [0, 1, 2].map(|i| three(&values[3 * i..])),
    }
}

/// A solid of the language; flat ones in the plane are as thick as a third of their smaller edge.
fn solid(keyword: &str, dimensions: &[f64], pose: Pose, planar: bool) -> Option<(Solid, Pose)> {
    let solid = match (keyword, dimensions) {
        ("box", &[x, y, z]) => Solid::Box([x, y, z]),
        ("box", &[x, y]) => Solid::Box([x, y, x.min(y) / 3.0]),
        ("sphere", &[r]) => Solid::Sphere([r]),
        ("ellipsoid", &[a, b, c]) => Solid::Ellipsoid([a, b, c]),
        ("cylinder", &[r, l]) => Solid::Cylinder([r, l]),
        ("capsule", &[r, l]) => Solid::Capsule([r, l]),
        ("cone", &[r, h]) => Solid::Cone([r, h]),
        _ => return None,
    };
    let along_x = planar && keyword == "capsule";
    Some((solid, if along_x { Pose::along(pose.position, pose.column(0)) } else { pose }))
}

/// A colour of the language.
fn color_of(color: resolve::Color) -> Color {
    match color {
        resolve::Color::Named(place) if solids::COLORS[place] == "grey" => Color::Neutral,
        resolve::Color::Named(place) => Color::Palette(place),
        resolve::Color::Rgb(parts) => Color::Rgb(parts.map(|part| part as f32)),
    }
}

fn link_kind(keyword: &str) -> Option<LinkKind> {
    match keyword {
        "spring" => Some(LinkKind::Spring),
        "damper" => Some(LinkKind::Damper),
        "spring_damper" => Some(LinkKind::SpringDamper),
        _ => None,
    }
}

/// Straight guides, before anything has moved.
fn rails(system: &System) -> Vec<Rail> {
    let mut rails = Vec::new();
    for (joint, definition) in system.joints.iter().enumerate() {
        let axis = match (definition.kind.keyword(), system.space) {
            ("prismatic" | "point_on_line", Space::Planar) => 0,
            ("prismatic" | "cylindrical" | "screw" | "point_on_line", Space::Spatial) => 2,
            _ => continue,
        };
        rails.push(Rail { joint, axis, range: [f64::INFINITY, f64::NEG_INFINITY] });
    }
    rails
}

/// The median of the sizes of rigid bodies; zero where they have none.
fn typical(system: &System, known: &[Known]) -> f64 {
    let bodies = system.bodies.iter().zip(known).filter(|(body, _)| !body.is_part);
    let mut sizes: Vec<f64> = bodies.map(|(_, known)| known.size()).filter(|&size| size > 0.0).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(0.0)
}
