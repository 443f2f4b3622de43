//! From a robot to the text of a model.

use std::fmt::Write;

use hamel_compiler::escape::comment;
use hamel_compiler::resolve::Provided;

use super::GRAVITY;
use super::error::Warning;
use super::limits::FIXED_JOINTS;
use super::names::{Names, type_name};
use super::number::Number;
use super::placement::Placement;
use super::pose::Pose;
use super::robot::{Inertial, Joint, Kind, Origin, Robot};

/// The model, as it stands inside `multibody!`; warnings tell what was decided.
pub(super) fn write(
    robot: &Robot,
    placement: &Placement,
    poses: &[Pose],
    inertials: &[Option<Inertial>],
    provide: &[Provided],
    followed: &[Option<usize>],
    warnings: &mut Vec<Warning>,
) -> String {
    let mut names = Names::default();
    let of_bodies = (0..robot.links.len()).map(|link| {
        if placement.is_body(link) { names.take(&robot.links[link].name.0, "link") } else { String::new() }
    });
    let bodies: Vec<String> = of_bodies.collect();
    let of_joints = robot.joints.iter().map(|joint| match joint.kind {
        // Its child is part of its parent, and may have the same name.
        Kind::Fixed => String::new(),
        _ => names.take(&joint.name.0, "joint"),
    });
    let joints: Vec<String> = of_joints.collect();
    let free = names.take("base", "joint");
    let damped = robot.joints.iter().zip(&joints).map(|(joint, name)| match joint.damping {
        Some(_) if !name.is_empty() => names.take(&format!("{name}_damping"), "force"),
        _ => String::new(),
    });
    let dampings = damped.collect();
    let turns = robot.joints.iter().map(|joint| rotation(&joint.origin)).collect();
    let mut writer = Writer {
        robot,
        placement,
        poses,
        inertials,
        names,
        bodies,
        joints,
        dampings,
        followed,
        turns,
        text: String::new(),
        warnings,
    };
    writer.model(&free, provide);
    writer.text
}

struct Writer<'a> {
    robot: &'a Robot,
    placement: &'a Placement,
    poses: &'a [Pose],
    /// Of every body, what it weighs with everything that is fixed to it.
    inertials: &'a [Option<Inertial>],
    names: Names,
    /// Names of the links that are bodies.
    bodies: Vec<String>,
    joints: Vec<String>,
    /// Names of their dampings, where they have any.
    dampings: Vec<String>,
    /// The joint that each joint follows.
    followed: &'a [Option<usize>],
    /// Rotations of the frames of joints, where they are turned.
    turns: Vec<Option<String>>,
    text: String,
    warnings: &'a mut Vec<Warning>,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        // Writing into a string cannot fail.
        let _ = writeln!(self.text, "{:depth$}{line}", "", depth = 4 * depth);
    }

    fn model(&mut self, free: &str, provide: &[Provided]) {
        let name = &self.robot.name.0;
        if !name.is_empty() {
            self.line(0, &format!("/// The robot `{}`.", comment(name)));
        }
        self.line(0, &format!("pub model {} {{", type_name(name)));
        self.line(1, "coordinates joint;");
        self.line(1, &format!("gravity {GRAVITY};"));
        if !provide.is_empty() {
            self.line(
                1,
                &format!(
                    "provide {};",
                    provide.iter().map(|function| function.keyword()).collect::<Vec<_>>().join(", ")
                ),
            );
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
        for index in 0..self.placement.joints.len() {
            self.coupling(self.placement.joints[index], provide.is_empty());
        }
        self.line(0, "}");
    }

    fn body(&mut self, link: usize) {
        let (robot, name) = (self.robot, self.bodies[link].clone());
        let Some(Inertial { origin, mass, inertia }) = &self.inertials[link] else { return };
        if name != robot.links[link].name.0 {
            self.line(1, &format!("// Link `{}`.", comment(&robot.links[link].name.0)));
        }
        self.line(1, &format!("body {name} {{"));
        self.line(2, &format!("mass: {} kg,", mass.literal()));
        if let Some(center) = vector(&origin.xyz) {
            self.line(2, &format!("center_of_mass: {center} m,"));
        }
        self.line(2, &format!("inertia: {},", turned(inertia, rotation(origin))));
        self.line(1, "}");
    }

    fn joint(&mut self, index: usize) {
        let (robot, name) = (self.robot, self.joints[index].clone());
        let joint = &robot.joints[index];
        if name != joint.name.0 {
            self.line(1, &format!("// Joint `{}`.", comment(&joint.name.0)));
        }
        let kind = match joint.kind {
            Kind::Revolute => "revolute",
            Kind::Prismatic => "prismatic",
            Kind::Fixed => return,
            Kind::Floating => "free",
            Kind::Planar => "planar",
        };
        let parent = self.end(index);
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

    /// A link on a fixed joint is a frame of a body, whatever it weighs.
    fn frame(&mut self, link: usize) {
        if let Some(joint) = self.placement.links[link].joint {
            let written = &self.robot.links[link].name.0;
            let name = self.names.take(written, "link");
            if name != *written {
                self.line(1, &format!("// Link `{}`.", comment(written)));
            }
            let line = format!("marker {name}: {};", self.end(joint));
            self.line(1, &line);
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
        let force = &self.dampings[index];
        let line = format!("{noun} {force}: {} {unit} * {name}.velocity on {name};", damping.negated());
        self.line(1, &line);
    }

    /// The constraint of a joint that follows another one, if the model may have any.
    fn coupling(&mut self, index: usize, is_written: bool) {
        let joint = &self.robot.joints[index];
        let (Some(mimic), Some(followed)) = (&joint.mimic, self.followed[index]) else { return };
        if !is_written {
            let message = "`mimic` is ignored: the joint moves by itself in a model that provides functions, which \
                are those of joints without constraints";
            self.warnings.push(Warning { place: mimic.place, count: 1, message: message.to_owned() });
            return;
        }
        let coordinate = |index: usize| match self.robot.joints[index].kind {
            Kind::Prismatic => (format!("{}.displacement", self.joints[index]), "m"),
            _ => (format!("{}.angle", self.joints[index]), "rad"),
        };
        let ((own, unit), (other, of)) = (coordinate(index), coordinate(followed));
        let ratio = if unit == of { String::new() } else { format!(" {unit}/{of}") };
        let name = self.names.take(&format!("{}_mimic", self.joints[index]), "constraint");
        let mut line = format!("constraint {name}: {own} == {}{ratio} * {other}", mimic.multiplier.literal());
        if !mimic.offset.is_zero() {
            // Writing into a string cannot fail.
            let _ = write!(line, " + {} {unit}", mimic.offset.literal());
        }
        self.line(1, &format!("{line};"));
    }

    /// An end of a joint: its frame in the body of its parent.
    ///
    /// With x_i and R_i the origins of the fixed joints on the way and of its own, the frame is at x_1 + R_1 (x_2 + …),
    /// with the axes R_1 R_2 ….
    fn end(&self, joint: usize) -> String {
        let (robot, placement) = (self.robot, self.placement);
        let Joint { parent, origin, .. } = &robot.joints[joint];
        let seat = placement.links[*parent];
        let (mut rotations, mut positions) = (Vec::new(), Vec::new());
        if seat.depth < FIXED_JOINTS {
            let mut path: Vec<usize> = placement.inwards(robot, *parent).collect();
            path.reverse();
            for joint in path.into_iter().chain([joint]) {
                if let Some(offset) = vector(&robot.joints[joint].origin.xyz) {
                    positions.push([rotations.as_slice(), &[format!("{offset} m")]].concat().join(" * "));
                }
                rotations.extend(self.turns[joint].clone());
            }
        } else {
            let origin = self.poses[*parent].then(&Pose::of(origin)).origin(origin);
            positions.extend(vector(&origin.xyz).map(|offset| format!("{offset} m")));
            rotations.extend(rotation(&origin));
        }
        let mut end = seat.body.map_or("ground".to_owned(), |body| self.bodies[body].clone());
        for (word, parts, joined) in [("at", positions, " + "), ("rotated", rotations, " * ")] {
            if !parts.is_empty() {
                // Writing into a string cannot fail.
                let _ = write!(end, " {word} {}", parts.join(joined));
            }
        }
        end
    }
}

/// The rotation of a frame, unless there is none.
fn rotation(origin: &Origin) -> Option<String> {
    let turned: Vec<usize> = (0..3).filter(|&i| !origin.rpy[i].written.is_zero()).collect();
    let angles = origin.rpy.each_ref().map(|angle| angle.text.as_str());
    match turned.as_slice() {
        [] => None,
        [axis] => Some(format!("rotation_{}({})", ["x", "y", "z"][*axis], angles[*axis])),
        _ => Some(format!("euler_zyx({})", angles.join(", "))),
    }
}

/// A vector, unless it is zero.
fn vector(components: &[Number; 3]) -> Option<String> {
    let is_zero = components.iter().all(Number::is_zero);
    (!is_zero).then(|| format!("[{}]", components.each_ref().map(Number::literal).join(", ")))
}

/// A moment of inertia in axes that a rotation has turned.
fn turned(inertia: &[Number; 6], rotation: Option<String>) -> String {
    let moments = tensor(inertia);
    match rotation {
        None => format!("{moments} kg m^2"),
        Some(rotation) => format!("{rotation} * {moments} kg m^2 * transpose({rotation})"),
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
