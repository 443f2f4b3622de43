//! From a robot to the text of a model.

use std::fmt::Write;

use super::GRAVITY;
use super::error::Warning;
use super::names::{Names, type_name};
use super::number::Number;
use super::placement::{Placement, Seat};
use super::robot::{Inertial, Joint, Kind, Origin, Robot};

/// The model, as it stands inside `multibody!`; warnings tell what was decided.
pub(super) fn write(robot: &Robot, placement: &Placement, provide: &[String], warnings: &mut Vec<Warning>) -> String {
    let mut names = Names::default();
    let is_body = |link: usize| placement.links[link] == Seat { body: Some(link), path: Vec::new() };
    let bodies = (0..robot.links.len())
        .map(|link| if is_body(link) { names.take(&robot.links[link].name, "link") } else { String::new() })
        .collect();
    let joints = robot.joints.iter().map(|joint| names.take(&joint.name, "joint")).collect();
    let free = names.take("base", "joint");
    let mut writer = Writer { robot, placement, bodies, joints, text: String::new(), warnings };
    writer.model(&free, provide);
    writer.text
}

struct Writer<'a> {
    robot: &'a Robot,
    placement: &'a Placement,
    /// Names of the links that are bodies.
    bodies: Vec<String>,
    joints: Vec<String>,
    text: String,
    warnings: &'a mut Vec<Warning>,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        // Writing into a string cannot fail.
        let _ = writeln!(self.text, "{:depth$}{line}", "", depth = 4 * depth);
    }

    fn model(&mut self, free: &str, provide: &[String]) {
        let name = &self.robot.name;
        if !name.is_empty() {
            self.line(0, &format!("/// The robot `{name}`."));
        }
        self.line(0, &format!("pub model {} {{", type_name(name)));
        self.line(1, "coordinates joint;");
        self.line(1, &format!("gravity {GRAVITY};"));
        if !provide.is_empty() {
            self.line(1, &format!("provide {};", provide.join(", ")));
        }
        self.text.push('\n');
        for link in 0..self.robot.links.len() {
            if !self.bodies[link].is_empty() {
                self.body(link);
            }
        }
        self.text.push('\n');
        if let Some(body) = self.placement.free {
            self.line(1, &format!("joint {free}: free(ground, {});", self.bodies[body]));
        }
        for index in 0..self.placement.joints.len() {
            self.joint(self.placement.joints[index]);
        }
        for link in 0..self.robot.links.len() {
            self.frame(link);
        }
        self.ground();
        for index in 0..self.placement.joints.len() {
            self.damping(self.placement.joints[index]);
        }
        self.line(0, "}");
    }

    fn body(&mut self, link: usize) {
        let (robot, name) = (self.robot, self.bodies[link].clone());
        let Some(Inertial { origin, mass, inertia }) = &robot.links[link].inertial else { return };
        if name != robot.links[link].name {
            self.line(1, &format!("// Link `{}`.", robot.links[link].name));
        }
        self.line(1, &format!("body {name} {{"));
        self.line(2, &format!("mass: {} kg,", mass.literal()));
        if let Some(center) = vector(&origin.xyz) {
            self.line(2, &format!("center_of_mass: {center} m,"));
        }
        let rotation = self.rotation(origin);
        let mut inertias = vec![turned(inertia, rotation.as_slice())];
        // Without a mass an inertia is the same about every point.
        for (fixed, seat) in robot.links.iter().zip(&self.placement.links) {
            if let Some(Inertial { origin, inertia, .. }) = fixed.inertial.as_ref().filter(|_| !fixed.has_mass())
                && seat.body == Some(link)
            {
                let origins = seat.path.iter().map(|&joint| &robot.joints[joint].origin).chain([origin]);
                let rotations: Vec<String> = origins.filter_map(|origin| self.rotation(origin)).collect();
                inertias.push(turned(inertia, &rotations));
            }
        }
        self.line(2, &format!("inertia: {},", inertias.join(" + ")));
        self.line(1, "}");
    }

    fn joint(&mut self, index: usize) {
        let (robot, name) = (self.robot, self.joints[index].clone());
        let joint = &robot.joints[index];
        if name != joint.name {
            self.line(1, &format!("// Joint `{}`.", joint.name));
        }
        let kind = match joint.kind {
            Kind::Revolute => "revolute",
            Kind::Prismatic => "prismatic",
            Kind::Fixed => "fixed",
            Kind::Floating => "free",
            Kind::Planar => "planar",
        };
        let mut path = self.placement.links[joint.parent].path.clone();
        path.push(index);
        let parent = self.end(self.placement.links[joint.parent].body, &path);
        let child = &self.bodies[joint.child];
        let options = match self.axis(joint) {
            Some(axis) => format!(" {{ axis: {axis} }}"),
            None => ";".to_owned(),
        };
        self.line(1, &format!("joint {name}: {kind}({parent}, {child}){options}"));
    }

    /// The axis of a joint, unless it is z, about which joints of the language turn.
    fn axis(&self, joint: &Joint) -> Option<String> {
        let [x, y, z] = &joint.axis;
        let is_z = x.is_zero() && y.is_zero() && z.value > 0.0;
        let has_axis = matches!(joint.kind, Kind::Revolute | Kind::Prismatic | Kind::Planar);
        if has_axis && !is_z { vector(&joint.axis) } else { None }
    }

    /// A link without mass is a frame of a body, for which the language has an end of a joint.
    fn frame(&mut self, link: usize) {
        let Seat { body, path } = self.placement.links[link].clone();
        if !path.is_empty() {
            let end = self.end(body, &path);
            self.line(1, &format!("// Frame `{}`: {end}.", self.robot.links[link].name));
        }
    }

    /// The ground has no inertia.
    fn ground(&mut self) {
        let (robot, placement) = (self.robot, self.placement);
        for (link, seat) in robot.links.iter().zip(&placement.links) {
            if link.inertial.is_some() && seat.body.is_none() {
                let message = format!("the inertia of `{}` is ignored: the link is the ground", link.name);
                self.warnings.push(Warning { place: link.place, count: 1, message });
            }
        }
    }

    fn damping(&mut self, index: usize) {
        let (robot, name) = (self.robot, self.joints[index].clone());
        let joint = &robot.joints[index];
        let Some(damping) = &joint.damping else { return };
        let (noun, unit) = match joint.kind {
            Kind::Revolute => ("torque", "N m s/rad"),
            Kind::Prismatic => ("force", "N s/m"),
            Kind::Fixed => return,
            Kind::Floating | Kind::Planar => {
                let message = format!("`damping` of `{}` is ignored: the joint has several coordinates", joint.name);
                self.warnings.push(Warning { place: joint.place, count: 1, message });
                return;
            }
        };
        let line = format!("{noun} {name}_damping: {} {unit} * {name}.velocity on {name};", damping.negated());
        self.line(1, &line);
    }

    /// An end of a joint: the frame at the end of this path of joints in the body it begins from.
    ///
    /// With x_i and R_i the origins of the joints the frame is at x_1 + R_1 (x_2 + …), with the axes R_1 R_2 ….
    fn end(&mut self, body: Option<usize>, path: &[usize]) -> String {
        let robot = self.robot;
        let (mut rotations, mut position) = (Vec::new(), Vec::new());
        for &joint in path {
            let origin = &robot.joints[joint].origin;
            if let Some(offset) = vector(&origin.xyz) {
                position.push([rotations.as_slice(), &[format!("{offset} m")]].concat().join(" * "));
            }
            rotations.extend(self.rotation(origin));
        }
        let mut end = body.map_or("ground".to_owned(), |body| self.bodies[body].clone());
        for (word, parts, joined) in [("at", position, " + "), ("rotated", rotations, " * ")] {
            if !parts.is_empty() {
                // Writing into a string cannot fail.
                let _ = write!(end, " {word} {}", parts.join(joined));
            }
        }
        end
    }

    /// The rotation of a frame, unless there is none.
    fn rotation(&mut self, origin: &Origin) -> Option<String> {
        let mut angles = Vec::new();
        for written in &origin.rpy {
            let angle = written.angle();
            if !angle.is_as_written {
                let message = format!("the angle {} is taken for {}", written.literal(), angle.text);
                // A rotation is written once for every frame that it leads to.
                let warning = Warning { place: origin.place, count: 1, message };
                if !self.warnings.contains(&warning) {
                    self.warnings.push(warning);
                }
            }
            angles.push(angle.text);
        }
        let turned: Vec<usize> = (0..3).filter(|&i| !origin.rpy[i].is_zero()).collect();
        match turned.as_slice() {
            [] => None,
            [axis] => Some(format!("rotation_{}({})", ["x", "y", "z"][*axis], angles[*axis])),
            _ => Some(format!("euler_zyx({})", angles.join(", "))),
        }
    }
}

/// A vector, unless it is zero.
fn vector(components: &[Number; 3]) -> Option<String> {
    let is_zero = components.iter().all(Number::is_zero);
    (!is_zero).then(|| format!("[{}]", components.each_ref().map(Number::literal).join(", ")))
}

/// A moment of inertia in axes that these rotations have turned, one after the other.
fn turned(inertia: &[Number; 6], rotations: &[String]) -> String {
    let moments = tensor(inertia);
    match rotations {
        [] => format!("{moments} kg m^2"),
        _ => {
            let rotation = rotations.join(" * ");
            format!("{rotation} * {moments} kg m^2 * transpose({rotation})")
        }
    }
}

/// A symmetric matrix.
fn tensor([xx, xy, xz, yy, yz, zz]: &[Number; 6]) -> String {
    if [xy, xz, yz].iter().all(|product| product.is_zero()) {
        return format!("diag({})", [xx, yy, zz].map(Number::literal).join(", "));
    }
    let rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    format!("[{}]", rows.map(|row| format!("[{}]", row.map(Number::literal).join(", "))).join(", "))
}
