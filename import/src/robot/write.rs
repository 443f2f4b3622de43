//! From a robot to the text of a model.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use hamel_compiler::escape::comment;

use super::looks::Fields;
use super::mimic::Followed;
use super::names::{Names, type_name};
use super::number::Number;
use super::placement::Placement;
use super::pose::Pose;
use super::{Inertial, Joint, Kind, Origin, Robot, Signal, Spring};
use crate::error::{Place, Said, Warning};
use crate::limits::FIXED_JOINTS;
use crate::{OfLink, Options, Parameters};

/// What has been written.
pub(super) struct Written {
    /// The model, as it stands inside `multibody!`.
    pub(super) text: String,
    /// The places of what its lines say.
    pub(super) places: BTreeMap<usize, Place>,
    /// The name of the free joint of a root.
    pub(super) free: String,
    /// The names of joints; empty of those that are fixed.
    pub(super) joints: Vec<String>,
}

/// Writes the model; warnings tell what was decided.
#[expect(clippy::too_many_arguments, reason = "each is known of the whole robot, and found by another file")]
pub(super) fn write(
    robot: &Robot,
    placement: &Placement,
    poses: &[Pose],
    inertials: &[Option<Inertial>],
    followed: &[Option<Followed>],
    looks: &Fields,
    options: &Options,
    warnings: &mut Vec<Warning>,
) -> Written {
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
        options,
        names,
        bodies,
        joints,
        markers: HashMap::new(),
        dampings,
        followed,
        looks,
        turns,
        text: String::new(),
        line: 0,
        places: BTreeMap::new(),
        said: Said::new(warnings),
    };
    writer.model(&free);
    Written { text: writer.text, places: writer.places, free, joints: writer.joints }
}

struct Writer<'a> {
    robot: &'a Robot,
    placement: &'a Placement,
    poses: &'a [Pose],
    /// Of every body, what it weighs with everything that is fixed to it.
    inertials: &'a [Option<Inertial>],
    options: &'a Options,
    names: Names,
    /// Names of the links that are bodies.
    bodies: Vec<String>,
    joints: Vec<String>,
    /// Names of the links that are markers.
    markers: HashMap<usize, String>,
    /// Names of their dampings, where they have any.
    dampings: Vec<String>,
    /// The joint that each joint follows.
    followed: &'a [Option<Followed>],
    looks: &'a Fields,
    /// Rotations of the frames of joints, where they are turned.
    turns: Vec<Option<String>>,
    text: String,
    /// The number of lines.
    line: usize,
    places: BTreeMap<usize, Place>,
    said: Said<'a>,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        // Writing into a string cannot fail.
        let _ = writeln!(self.text, "{:depth$}{line}", "", depth = 4 * depth);
        self.line += 1;
    }

    fn blank(&mut self) {
        self.text.push('\n');
        self.line += 1;
    }

    /// Whether the model provides functions that none with constraints has.
    fn needs_freedom(&self) -> bool {
        self.options.provide.iter().any(|function| function.needs_freedom())
    }

    /// What follows is said at a place of the description.
    fn at(&mut self, place: Place) {
        self.places.insert(self.line + 1, place);
    }

    fn model(&mut self, free: &str) {
        self.at(self.robot.place);
        let name = &self.robot.name.0;
        if !name.is_empty() {
            self.line(0, &format!("/// The robot `{}`.", comment(name)));
        }
        self.line(0, &format!("pub model {} {{", type_name(name)));
        self.line(1, "coordinates joint;");
        self.line(1, &format!("gravity {};", self.robot.gravity));
        if !self.options.provide.is_empty() {
            let words: Vec<&str> = self.options.provide.iter().map(|function| function.keyword()).collect();
            self.line(1, &format!("provide {};", words.join(", ")));
        }
        self.blank();
        for link in 0..self.robot.links.len() {
            if !self.bodies[link].is_empty() {
                self.at(self.robot.links[link].place);
                self.body(link);
            }
        }
        self.at(self.robot.place);
        for fields in &self.looks.ground {
            self.line(1, "body ground {");
            fields.iter().for_each(|field| self.line(2, field));
            self.line(1, "}");
        }
        self.blank();
        if let Some(body) = self.placement.free {
            self.at(self.robot.links[body].place);
            self.line(1, &format!("joint {free}: free(ground, {});", self.bodies[body]));
        }
        for index in 0..self.placement.joints.len() {
            self.of_joint(index, Self::joint);
        }
        for link in 0..self.robot.links.len() {
            self.at(self.robot.links[link].place);
            self.frame(link);
        }
        self.of_links();
        self.ground();
        for index in 0..self.placement.joints.len() {
            self.of_joint(index, Self::damping);
        }
        for index in 0..self.placement.joints.len() {
            self.of_joint(index, Self::spring);
        }
        for index in 0..self.placement.joints.len() {
            self.of_joint(index, Self::follower);
        }
        for index in 0..self.robot.actuators.len() {
            self.actuator(index);
        }
        for index in 0..self.robot.closures.len() {
            self.closure(index);
        }
        for index in 0..self.placement.joints.len() {
            self.of_joint(index, Self::start);
        }
        if self.options.stops {
            for index in 0..self.placement.joints.len() {
                self.of_joint(index, Self::stops);
            }
        }
        self.line(0, "}");
    }

    /// Writes something of a joint, which is said where the joint is described.
    fn of_joint(&mut self, index: usize, write: impl FnOnce(&mut Self, usize)) {
        let joint = self.placement.joints[index];
        self.at(self.robot.joints[joint].place);
        write(self, joint);
    }

    /// A number with its unit, or the name of a parameter that has it as its default; zeros are no parameters, because
    /// what they multiply needs no operations.
    fn number(&mut self, group: Parameters, name: &str, number: &Number, unit: &str) -> String {
        let text = format!("{} {unit}", number.literal());
        if number.is_zero() || !self.has(group) { text } else { self.parameter(name, &text) }
    }

    fn has(&self, group: Parameters) -> bool {
        let is_asked = |asked: &Parameters| {
            *asked == group || *asked == Parameters::All || (*asked, group) == (Parameters::Inertia, Parameters::Mass)
        };
        self.options.parameters.iter().any(is_asked)
    }

    fn parameter(&mut self, name: &str, value: &str) -> String {
        let name = self.names.take(name, "parameter");
        self.line(1, &format!("param {name} = {value};"));
        name
    }

    /// A vector, unless it is zero; the components that are not may be parameters.
    fn vector(&mut self, group: Parameters, name: &str, components: &[Number; 3], unit: &str) -> Option<String> {
        let text = format!("{} {unit}", vector(components)?);
        if !self.has(group) {
            return Some(text);
        }
        let parts = ["x", "y", "z"].iter().zip(components).map(|(axis, component)| match component.is_zero() {
            true => "0".to_owned(),
            false => self.number(group, &format!("{name}_{axis}"), component, unit),
        });
        Some(format!("[{}]", parts.collect::<Vec<_>>().join(", ")))
    }

    fn body(&mut self, link: usize) {
        let (robot, name) = (self.robot, self.bodies[link].clone());
        let Some(Inertial { origin, mass, inertia }) = &self.inertials[link] else { return };
        let mass = self.number(Parameters::Mass, &format!("{name}_mass"), mass, "kg");
        let center = self.vector(Parameters::Inertia, &format!("{name}_center_of_mass"), &origin.xyz, "m");
        let inertia = self.inertia(&name, inertia, rotation(origin));
        if name != robot.links[link].name.0 {
            self.line(1, &format!("// Link `{}`.", comment(&robot.links[link].name.0)));
        }
        self.line(1, &format!("body {name} {{"));
        self.line(2, &format!("mass: {mass},"));
        if let Some(center) = center {
            self.line(2, &format!("center_of_mass: {center},"));
        }
        self.line(2, &format!("inertia: {inertia},"));
        self.looks.bodies[link].iter().for_each(|field| self.line(2, field));
        self.line(1, "}");
    }

    /// A moment of inertia in axes that a rotation has turned.
    fn inertia(&mut self, body: &str, inertia: &[Number; 6], rotation: Option<String>) -> String {
        const ENTRIES: [&str; 6] = ["xx", "xy", "xz", "yy", "yz", "zz"];
        let has_some = inertia.iter().any(|moment| !moment.is_zero());
        let (entries, unit) = if has_some && self.has(Parameters::Inertia) {
            let entries = ENTRIES.iter().zip(inertia).map(|(entry, moment)| match moment.is_zero() {
                true => "0".to_owned(),
                false => self.number(Parameters::Inertia, &format!("{body}_inertia_{entry}"), moment, "kg m^2"),
            });
            (entries.collect::<Vec<_>>(), "")
        } else {
            (inertia.iter().map(Number::literal).collect(), " kg m^2")
        };
        let moments = tensor(inertia, &entries);
        match rotation {
            None => format!("{moments}{unit}"),
            Some(rotation) => format!("{rotation} * {moments}{unit} * transpose({rotation})"),
        }
    }

    fn joint(&mut self, index: usize) {
        let (robot, name) = (self.robot, self.joints[index].clone());
        let joint = &robot.joints[index];
        let kind = word(joint.kind);
        let parent = self.end(index);
        let mut child = self.bodies[joint.child].clone();
        if let Some(anchor) = self.vector(Parameters::Kinematics, &format!("{name}_anchor"), &joint.anchor, "m") {
            child = format!("{child} at {anchor}");
        }
        let mut options = Vec::new();
        options.extend(self.axis(joint).map(|axis| format!("axis: {axis}")));
        options.extend(joint.pitch.as_ref().map(|pitch| format!("pitch: {} m", pitch.literal())));
        if let Some(rotor) = &joint.rotor {
            let unit = if joint.kind == Kind::Prismatic { "kg" } else { "kg m^2" };
            let rotor = self.number(Parameters::All, &format!("{name}_rotor_inertia"), rotor, unit);
            options.push(format!("rotor_inertia: {rotor}"));
        }
        match self.followed[index] {
            Some(_) => options.extend(self.follows(index)),
            None => options.extend(limits(joint)),
        }
        let options = if options.is_empty() { ";".to_owned() } else { format!(" {{ {} }}", options.join(", ")) };
        if name != joint.name.0 {
            self.line(1, &format!("// Joint `{}`.", comment(&joint.name.0)));
        }
        self.line(1, &format!("joint {name}: {kind}({parent}, {child}){options}"));
    }

    /// The axis of a joint, unless it is z, about which joints of the language turn.
    fn axis(&self, joint: &Joint) -> Option<String> {
        let has_axis = joint.kind.has_coordinate() || joint.kind == Kind::Planar;
        if has_axis && !is_z(&joint.axis) { vector(&joint.axis) } else { None }
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
            self.markers.insert(link, name);
        }
    }

    /// The functions of links, by the names that these have here.
    fn of_links(&mut self) {
        let of_link = |asked: &OfLink| {
            let link = self.robot.links.iter().position(|link| link.name.0 == asked.link)?;
            let name = self.markers.get(&link).or(Some(&self.bodies[link])).filter(|name| !name.is_empty())?;
            let axes = if asked.in_own_axes { format!(" in {name}") } else { String::new() };
            Some(format!("{}({name}{axes})", asked.function.keyword()))
        };
        let asked: Vec<String> = self.options.provide_of_links.iter().filter_map(of_link).collect();
        if !asked.is_empty() {
            self.line(1, &format!("provide {};", asked.join(", ")));
        }
    }

    /// The ground has no inertia.
    fn ground(&mut self) {
        let (robot, placement) = (self.robot, self.placement);
        let links = robot.links.iter().zip(&placement.links);
        let mut on_ground = links.filter(|(link, seat)| link.inertial.is_some() && seat.body.is_none());
        if let Some((link, _)) = on_ground.next() {
            let message = format!("the inertia of `{}` is ignored: the link is the ground", link.name);
            self.said.push(Warning { place: link.place, count: 1 + on_ground.count(), message });
        }
    }

    fn damping(&mut self, index: usize) {
        let (robot, name) = (self.robot, self.joints[index].clone());
        let joint = &robot.joints[index];
        let Some(damping) = &joint.damping else { return };
        // Equal in all directions, so that it does not matter in which axes.
        let directions: &[(&str, &str, &str)] = match joint.kind {
            Kind::Ball => &[("torque", "omega", "N m s/rad")],
            Kind::Floating => &[("force", "v", "N s/m"), ("torque", "omega", "N m s/rad")],
            _ => &[],
        };
        for (noun, letter, unit) in directions {
            for axis in ["x", "y", "z"] {
                let of = if *noun == "force" { format!("damping_v_{axis}") } else { format!("damping_{axis}") };
                let force = self.names.take(&format!("{name}_{of}"), "force");
                let velocity = format!("{name}.{letter}_{axis}");
                self.line(1, &format!("{noun} {force}: {} {unit} * {velocity} on {velocity};", damping.negated()));
            }
        }
        let (noun, unit) = match joint.kind {
            Kind::Revolute | Kind::Screw => ("torque", "N m s/rad"),
            Kind::Prismatic => ("force", "N s/m"),
            Kind::Fixed | Kind::Ball | Kind::Floating => return,
            Kind::Planar => {
                let message = format!("`damping` of `{}` is ignored: the joint has several coordinates", joint.name);
                self.said.warn("damping", joint.place, || message);
                return;
            }
        };
        let coefficient = if self.has(Parameters::All) {
            format!("-{}", self.number(Parameters::All, &format!("{name}_damping_coefficient"), damping, unit))
        } else {
            format!("{} {unit}", damping.negated())
        };
        let force = &self.dampings[index];
        let line = format!("{noun} {force}: {coefficient} * {name}.velocity on {name};");
        self.line(1, &line);
    }

    /// A spring that pulls the coordinate of a joint.
    fn spring(&mut self, index: usize) {
        let joint = &self.robot.joints[index];
        let Some(Spring { stiffness, rest }) = &joint.spring else { return };
        let (name, rest) = (self.joints[index].clone(), rest.literal());
        let force = self.names.take(&format!("{name}_spring"), "force");
        let unit = if joint.kind == Kind::Prismatic { "N/m" } else { "N m/rad" };
        let stiffness = self.number(Parameters::All, &format!("{name}_stiffness"), stiffness, unit);
        let line = match joint.kind {
            Kind::Prismatic => {
                format!("force {force}: -({stiffness}) * ({name}.displacement - ({rest} m)) on {name};")
            }
            _ => format!("force {force}: torsion_spring({name}) {{ stiffness: {stiffness}, rest_angle: {rest} rad }}"),
        };
        self.line(1, &line);
    }

    /// An input, and what it does.
    fn actuator(&mut self, index: usize) {
        let robot = self.robot;
        let actuator = &robot.actuators[index];
        let is_slider = robot.joints[actuator.joint].kind == Kind::Prismatic;
        let (coordinate, length) = self.coordinate(actuator.joint);
        let joint = self.joints[actuator.joint].clone();
        let (noun, effort) = if is_slider { ("force", "N") } else { ("torque", "N m") };
        let input = match actuator.input {
            Signal::Effort => effort.to_owned(),
            Signal::Coordinate => length.to_owned(),
            Signal::Velocity => format!("{length}/s"),
        };
        self.at(actuator.place);
        let name = self.names.take(&actuator.name.0, "input");
        if name != actuator.name.0 {
            self.line(1, &format!("// Actuator `{}`.", comment(&actuator.name.0)));
        }
        self.line(1, &format!("input {name} {input};"));
        let of_input = match actuator.input {
            Signal::Effort => String::new(),
            Signal::Coordinate => format!(" {effort}/{length}"),
            Signal::Velocity => format!(" {effort} s/{length}"),
        };
        let mut value = format!("{:?}{of_input} * {name}", actuator.of_input);
        let others = [
            (actuator.constant, effort.to_owned(), String::new()),
            (actuator.of_coordinate, format!("{effort}/{length}"), format!(" * {coordinate}")),
            (actuator.of_velocity, format!("{effort} s/{length}"), format!(" * {joint}.velocity")),
        ];
        for (factor, unit, times) in others.into_iter().filter(|(factor, ..)| *factor != 0.0) {
            // Writing into a string cannot fail.
            let _ = write!(value, " + {factor:?} {unit}{times}");
        }
        let force = self.names.take(&format!("{name}_{noun}"), "force");
        self.line(1, &format!("{noun} {force}: {value} on {joint};"));
    }

    /// A joint that closes a loop, if the model may have any.
    fn closure(&mut self, index: usize) {
        let robot = self.robot;
        let closure = &robot.closures[index];
        self.at(closure.place);
        if self.needs_freedom() {
            let message = format!(
                "`{}` is ignored: a model that provides functions has no joints that close loops",
                closure.name
            );
            self.said.warn("closure", closure.place, || message);
            return;
        }
        let ends = closure.ends.each_ref().map(|(link, pose)| {
            let body = self.placement.links[*link].body.map_or("ground", |body| self.bodies[body].as_str());
            let origin = self.poses[*link].then(pose).origin(&Origin::identity(closure.place));
            let mut end = body.to_owned();
            let turned = rotation(&origin).filter(|_| closure.kind != Kind::Ball);
            for (word, part) in [("at", vector(&origin.xyz).map(|offset| format!("{offset} m"))), ("rotated", turned)] {
                if let Some(part) = part {
                    // Writing into a string cannot fail.
                    let _ = write!(end, " {word} {part}");
                }
            }
            end
        });
        let name = self.names.take(&closure.name.0, "closure");
        let axis = vector(&closure.axis).filter(|_| closure.kind.has_coordinate() && !is_z(&closure.axis));
        let axis = axis.map_or(String::new(), |axis| format!("axis: {axis}, "));
        self.line(1, &format!("joint {name}: {}({}) {{ {axis}cut }}", word(closure.kind), ends.join(", ")));
    }

    /// Where a free joint starts.
    fn start(&mut self, index: usize) {
        let Some(pose) = self.robot.joints[index].start else { return };
        let joint = self.joints[index].clone();
        let quaternion = pose.quaternion();
        for (axis, value) in ["x", "y", "z"].iter().zip(pose.position) {
            self.line(1, &format!("initial {joint}.{axis} = {value:?} m;"));
        }
        if quaternion != [1.0, 0.0, 0.0, 0.0] {
            for (k, value) in quaternion.iter().enumerate() {
                self.line(1, &format!("initial {joint}.e{k} = {value:?};"));
            }
        }
    }

    /// The coordinate of a joint that has one, and its unit.
    fn coordinate(&self, index: usize) -> (String, &'static str) {
        match self.robot.joints[index].kind {
            Kind::Prismatic => (format!("{}.displacement", self.joints[index]), "m"),
            _ => (format!("{}.angle", self.joints[index]), "rad"),
        }
    }

    /// The coordinate of a joint that follows another one is none of the model, but it is of interest; one that
    /// follows none is held by a constraint.
    fn follower(&mut self, index: usize) {
        let joint = &self.robot.joints[index];
        let Some(follows) = &joint.follows else { return };
        let (own, unit) = self.coordinate(index);
        if self.followed[index].is_some() {
            let line = format!("output {} = {own};", self.joints[index]);
            return self.line(1, &line);
        }
        let name = self.names.take(&format!("{}_held", self.joints[index]), "constraint");
        self.line(1, &format!("constraint {name}: {own} == {} {unit};", follows.offset.literal()));
    }

    /// How a joint follows another one.
    fn follows(&self, index: usize) -> Vec<String> {
        let Some(Followed { leader, ratio, offset }) = &self.followed[index] else { return Vec::new() };
        let ((_, unit), (_, of)) = (self.coordinate(index), self.coordinate(*leader));
        let ratio = match unit == of {
            true => ratio.literal(),
            false => format!("{} {unit}/{of}", ratio.literal()),
        };
        let mut options = vec![format!("follows: {}", self.joints[*leader]), format!("ratio: {ratio}")];
        if !offset.is_zero() {
            options.push(format!("offset: {} {unit}", offset.literal()));
        }
        options
    }

    /// Contacts that keep a joint within its limits.
    fn stops(&mut self, index: usize) {
        let Some(position) = &self.robot.joints[index].limits.position else { return };
        let ((coordinate, unit), joint) = (self.coordinate(index), self.joints[index].clone());
        let [lower, upper] = position.each_ref().map(|limit| format!("{} {unit}", limit.literal()));
        for (name, gap) in
            [("lower", format!("{coordinate} - ({lower})")), ("upper", format!("{upper} - {coordinate}"))]
        {
            let name = self.names.take(&format!("{joint}_{name}_stop"), "contact");
            self.line(1, &format!("contact {name} {{ gap: {gap} }}"));
        }
    }

    /// An end of a joint: its frame in the body of its parent.
    ///
    /// With x_i and R_i the origins of the fixed joints on the way and of its own, the frame is at x_1 + R_1 (x_2 + …),
    /// with the axes R_1 R_2 …. What stands on fixed joints is no parameter, because it has been added up to bodies.
    fn end(&mut self, joint: usize) -> String {
        let (robot, placement) = (self.robot, self.placement);
        let Joint { parent, origin, kind, .. } = &robot.joints[joint];
        let seat = placement.links[*parent];
        let is_varied = *kind != Kind::Fixed && self.has(Parameters::Kinematics);
        let (mut rotations, mut positions) = (Vec::new(), Vec::new());
        let step = |rotations: &[String], offset: String| [rotations, &[offset]].concat().join(" * ");
        if seat.depth < FIXED_JOINTS {
            let mut path: Vec<usize> = placement.inwards(robot, *parent).collect();
            path.reverse();
            for joint in path.into_iter().chain((!is_varied).then_some(joint)) {
                if let Some(offset) = vector(&robot.joints[joint].origin.xyz) {
                    positions.push(step(&rotations, format!("{offset} m")));
                }
                rotations.extend(self.turns[joint].clone());
            }
        } else {
            let pose = if is_varied { self.poses[*parent] } else { self.poses[*parent].then(&Pose::of(origin)) };
            let origin = pose.origin(origin);
            positions.extend(vector(&origin.xyz).map(|offset| format!("{offset} m")));
            rotations.extend(rotation(&origin));
        }
        if is_varied {
            let name = self.joints[joint].clone();
            if let Some(offset) = self.vector(Parameters::Kinematics, &format!("{name}_position"), &origin.xyz, "m") {
                positions.push(step(&rotations, offset));
            }
            rotations.extend(self.varied_rotation(&name, origin));
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

    /// The rotation of a frame with parameters for its angles, unless they are right ones.
    fn varied_rotation(&mut self, joint: &str, origin: &Origin) -> Option<String> {
        let angles = [("roll", 0), ("pitch", 1), ("yaw", 2)].map(|(name, axis)| {
            let angle = &origin.rpy[axis];
            if angle.is_quarter_turn {
                angle.text.clone()
            } else {
                self.parameter(&format!("{joint}_{name}"), &angle.text)
            }
        });
        turned(origin, &angles)
    }
}

/// The limits of a joint that has any.
fn limits(joint: &Joint) -> Vec<String> {
    let (position, velocity, effort) = match joint.kind {
        Kind::Revolute | Kind::Screw => ("rad", "rad/s", "N m"),
        Kind::Prismatic => ("m", "m/s", "N"),
        Kind::Fixed | Kind::Floating | Kind::Planar | Kind::Ball => return Vec::new(),
    };
    let limits = &joint.limits;
    let range = limits.position.as_ref().map(|limits| {
        let [lower, upper] = limits.each_ref().map(|limit| format!("{} {position}", limit.literal()));
        format!("limits: {lower}..{upper}")
    });
    let of = |word: &str, limit: &Option<Number>, unit: &str| {
        limit.as_ref().map(|limit| format!("{word}: {} {unit}", limit.literal()))
    };
    let others = [of("velocity_limit", &limits.velocity, velocity), of("effort_limit", &limits.effort, effort)];
    range.into_iter().chain(others.into_iter().flatten()).collect()
}

/// The rotation of a frame, unless there is none.
pub(super) fn rotation(origin: &Origin) -> Option<String> {
    turned(origin, &origin.rpy.each_ref().map(|angle| angle.text.clone()))
}

/// A rotation by angles about x, y and z, some of which are zero.
fn turned(origin: &Origin, angles: &[String; 3]) -> Option<String> {
    let turned: Vec<usize> = (0..3).filter(|&i| !origin.rpy[i].written.is_zero()).collect();
    match turned.as_slice() {
        [] => None,
        [axis] => Some(format!("rotation_{}({})", ["x", "y", "z"][*axis], angles[*axis])),
        _ => Some(format!("euler_zyx({})", angles.join(", "))),
    }
}

/// The joint of the language.
fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Revolute => "revolute",
        Kind::Prismatic => "prismatic",
        Kind::Fixed => "fixed",
        Kind::Floating => "free",
        Kind::Planar => "planar",
        Kind::Ball => "spherical",
        Kind::Screw => "screw",
    }
}

fn is_z([x, y, z]: &[Number; 3]) -> bool {
    x.is_zero() && y.is_zero() && z.value > 0.0
}

/// A vector, unless it is zero.
pub(super) fn vector(components: &[Number; 3]) -> Option<String> {
    let is_zero = components.iter().all(Number::is_zero);
    (!is_zero).then(|| format!("[{}]", components.each_ref().map(Number::literal).join(", ")))
}

/// A symmetric matrix of entries with these texts.
fn tensor(moments: &[Number; 6], entries: &[String]) -> String {
    let [_, xy, xz, _, yz, _] = moments;
    let text = |i: usize| entries[i].as_str();
    if [xy, xz, yz].iter().all(|product| product.is_zero()) {
        return format!("diag({})", [0, 3, 5].map(text).join(", "));
    }
    let rows = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
    format!("[{}]", rows.map(|row| format!("[{}]", row.map(text).join(", "))).join(", "))
}
