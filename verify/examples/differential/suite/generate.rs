//! Random mechanisms: trees, loops, forces, contacts, states, flexible members, in the plane and in space.

use super::case::Case;
use super::writer::Writer;

const TREE_IN_PLANE: [&str; 6] = ["revolute", "revolute", "prismatic", "free", "spherical", "fixed"];
const TREE_IN_SPACE: [&str; 9] =
    ["revolute", "prismatic", "cylindrical", "screw", "universal", "planar", "spherical", "free", "fixed"];
const LOOPS_IN_PLANE: [&str; 5] = ["revolute", "prismatic", "distance", "point_on_line", "fixed"];
const LOOPS_IN_SPACE: [&str; 10] = [
    "revolute",
    "prismatic",
    "cylindrical",
    "screw",
    "universal",
    "planar",
    "spherical",
    "distance",
    "point_on_line",
    "fixed",
];

/// A tree joint: its name, kind, parent and child.
struct Link {
    name: String,
    kind: &'static str,
    parent: String,
    child: String,
}

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    let mut w = Writer::new(seed);
    if w.once_in(40) {
        return beam(w);
    }
    // Of what has joint coordinates only, there is more to write.
    let is_joint_only = w.once_in(6);
    if w.once_in(10) {
        w.line("fused_multiply_add;");
    }
    if !w.once_in(5) {
        let gravity = w.vector("m/s^2");
        w.line(format!("gravity {gravity};"));
    }
    for k in 0..w.random.below(2) {
        w.line(format!("input drive{k} 1;"));
        w.inputs += 1;
    }
    if w.once_in(3) {
        w.line("provide linearization;");
        w.line("differentiate all;");
    }
    let links = tree(&mut w);
    states(&mut w, &links);
    let has_loops = loops(&mut w, &links, is_joint_only);
    forces(&mut w, &links, is_joint_only);
    contacts(&mut w, &links, is_joint_only);
    outputs(&mut w, &links, is_joint_only);
    if !has_loops && w.once_in(6) {
        w.line(
            "joint | provide nonlinear_effects, inverse_dynamics, forward_dynamics, inverse_dynamics_derivatives, \
             forward_dynamics_derivatives, inverse_dynamics_second_derivatives;",
        );
    }
    if w.once_in(6) {
        let body = body_name(&links, &mut w);
        w.line(format!(
            "joint | provide inverse_mass_matrix, mass_matrix_factors, gravity_forces, regressor, center_of_mass, \
             centroidal_momentum_matrix, centroidal_momentum_bias, pose({body}), velocity({body} in {body}), \
             acceleration({body}), jacobian({body}), jacobian_bias({body}), acceleration_derivatives({body});"
        ));
    }
    let angles = if w.is_planar { ["joint", "absolute"] } else { ["joint(euler_zyx)", "absolute(euler_zyx)"] };
    let plain = ["joint", "absolute"];
    let mut formulations: Vec<String> =
        (0..2).map(|k| if w.once_in(3) { angles[k] } else { plain[k] }.to_owned()).collect();
    if is_joint_only {
        formulations.truncate(1);
    }
    Case { formulations, lines: w.lines }
}

fn body_name(links: &[Link], w: &mut Writer) -> String {
    w.random.pick(links).child.clone()
}

/// A body, or the ground.
fn end(links: &[Link], w: &mut Writer) -> String {
    if w.once_in(3) { "ground".to_owned() } else { body_name(links, w) }
}

fn inertia(w: &mut Writer) -> String {
    let size: f64 = w.positive().parse().unwrap_or(1.0);
    if w.is_planar {
        return format!("{size:?} kg m^2");
    }
    // Sums of positive parts are moments that a body can have.
    let [a, b, c] = [(); 3].map(|()| size * w.within(0.3, 3.0).parse::<f64>().unwrap_or(1.0));
    let (x, y, z) = (b + c, a + c, a + b);
    if w.once_in(2) {
        return format!("diag({x:?}, {y:?}, {z:?}) kg m^2");
    }
    // Products of inertia that are small beside the moments keep them so.
    let [p, q, r] = [(); 3].map(|()| 0.1 * w.random.signed() * a.min(b).min(c));
    format!("[[{x:?}, {p:?}, {q:?}], [{p:?}, {y:?}, {r:?}], [{q:?}, {r:?}, {z:?}]] kg m^2")
}

fn body(w: &mut Writer, name: &str) {
    let (mass, inertia) = (w.quantity("kg"), inertia(w));
    let about = if w.once_in(2) { format!(", center_of_mass: {}", w.vector("m")) } else { String::new() };
    let water = if w.once_in(8) { added_mass(w) } else { String::new() };
    w.line(format!("body {name} {{ mass: {mass}, inertia: {inertia}{about}{water} }}"));
}

fn added_mass(w: &mut Writer) -> String {
    let current = w.vector("m/s");
    let is_planar = w.is_planar;
    let mut number = || w.positive();
    let (force, moment) = match is_planar {
        true => (format!("diag({}, {}) kg", number(), number()), format!("{} kg m^2", number())),
        false => (
            format!("diag({}, {}, {}) kg", number(), number(), number()),
            format!("diag({}, {}, {}) kg m^2", number(), number(), number()),
        ),
    };
    let velocity = *w.random.pick(&["relative", "relative", "yaw_only", "blocked"]);
    format!(", added_mass: {{ force: {force}, moment: {moment}, current: {current}, velocity: {velocity} }}")
}

/// Fields of a joint in braces.
fn fields(w: &mut Writer, kind: &str, is_cut: bool) -> String {
    let mut fields = Vec::new();
    match kind {
        "screw" => fields.push(format!("pitch: {}", w.quantity("m"))),
        "distance" => fields.push(format!("length: {}", w.quantity("m"))),
        _ => {}
    }
    if !w.is_planar && w.once_in(4) && !["distance", "free", "fixed"].contains(&kind) {
        fields.push(format!("axis: {}", w.direction()));
    }
    if is_cut {
        fields.push("cut".to_owned());
    }
    if fields.is_empty() { ";".to_owned() } else { format!(" {{ {} }}", fields.join(", ")) }
}

fn tree(w: &mut Writer) -> Vec<Link> {
    // Small models show most defects, and there is time for more of them.
    let count = 1 + w.random.below(2) + usize::from(w.once_in(4)) * w.random.below(3);
    let mut links: Vec<Link> = Vec::new();
    for k in 0..count {
        let (name, child) = (format!("j{k}"), format!("b{k}"));
        body(w, &child);
        let parent = if links.is_empty() || w.once_in(4) { "ground".to_owned() } else { body_name(&links, w) };
        let kind = loop {
            let kind = if w.is_planar { *w.random.pick(&TREE_IN_PLANE) } else { *w.random.pick(&TREE_IN_SPACE) };
            if kind != "fixed" || parent != "ground" {
                break kind;
            }
        };
        let (from, to) = (w.frame(&parent), w.frame(&child));
        let fields = fields(w, kind, false);
        w.line(format!("joint {name}: {kind}({from}, {to}){fields}"));
        links.push(Link { name, kind, parent, child });
    }
    links
}

fn states(w: &mut Writer, links: &[Link]) {
    for k in 0..w.random.below(2) {
        let body = body_name(links, w);
        let (factor, time) = (w.factor(&body), w.quantity("s"));
        w.line(format!("state lag{k}: ({factor} - lag{k}) / ({time});"));
        w.states += 1;
    }
}

/// Whether there are any constraints.
fn loops(w: &mut Writer, links: &[Link], is_joint_only: bool) -> bool {
    let count = w.random.below(2) * (1 + w.random.below(2));
    for k in 0..count {
        let (child, other) = (body_name(links, w), end(links, w));
        let (point, c) = (w.point(&child), w.component());
        match w.random.below(9) {
            0 => {
                let (size, rate) = (w.quantity("m"), w.quantity("rad/s"));
                w.line(format!("constraint guide{k}: ({point}).position.{c} == ({size}) * sin(({rate}) * time);"));
            }
            1 => {
                let (d, e) = (w.component(), w.positive());
                let other = body_name(links, w);
                w.line(format!("constraint guide{k}: ({point}).position.{c} == {e} * {other}.position.{d};"));
            }
            2 => {
                let speed = w.quantity("m/s");
                let (e, other) = (w.positive(), body_name(links, w));
                let right = if w.once_in(2) { speed } else { format!("{e} * {other}.velocity.x") };
                w.line(format!("constraint knife{k}: ({point}).velocity.{c} == {right} as velocity;"));
            }
            3 => gear(w, links, k, is_joint_only),
            4 => drive(w, links, k, is_joint_only),
            5 => {
                let speed = if w.is_planar { w.spin(&child) } else { along(w, &format!("{child}.angular_velocity")) };
                let rate = w.quantity("rad/s");
                w.line(format!("drive turn{k}: {speed} == {rate};"));
            }
            _ if other != child => {
                let kind = if w.is_planar { *w.random.pick(&LOOPS_IN_PLANE) } else { *w.random.pick(&LOOPS_IN_SPACE) };
                let takes_axes = !["distance"].contains(&kind);
                let (from, to) = match takes_axes {
                    true => (w.frame(&other), w.frame(&child)),
                    false => (w.point(&other), w.point(&child)),
                };
                let fields = fields(w, kind, true);
                w.line(format!("joint loop{k}: {kind}({from}, {to}){fields}"));
            }
            _ => {}
        }
    }
    count > 0
}

/// The component of a vector in space in some direction.
fn along(w: &mut Writer, vector: &str) -> String {
    let direction = w.direction();
    format!("dot({vector}, {direction})")
}

/// A coordinate that can be coupled and prescribed, with its unit: in absolute coordinates angles in the plane alone.
fn coordinate(w: &mut Writer, links: &[Link], is_joint_only: bool) -> Option<(String, &'static str)> {
    let link = w.random.pick(links);
    match link.kind {
        "revolute" if w.is_planar || is_joint_only => Some((format!("{}.angle", link.name), "rad")),
        "screw" if is_joint_only => Some((format!("{}.angle", link.name), "rad")),
        "prismatic" if is_joint_only => Some((format!("{}.displacement", link.name), "m")),
        _ => None,
    }
}

fn gear(w: &mut Writer, links: &[Link], k: usize, is_joint_only: bool) {
    let [first, second] = [(); 2].map(|()| coordinate(w, links, is_joint_only));
    if let (Some((first, unit)), Some((second, other))) = (first, second)
        && first != second
    {
        let ratio = w.quantity(&format!("{other}/{unit}"));
        let sign = if w.once_in(2) { "-" } else { "" };
        w.line(format!("joint mesh{k}: gear({first}, {second}) {{ ratio: {sign}({ratio}) }}"));
    }
}

/// A motion that a law of time prescribes.
fn drive(w: &mut Writer, links: &[Link], k: usize, is_joint_only: bool) {
    if let Some((coordinate, unit)) = coordinate(w, links, is_joint_only) {
        let (size, rate, start) = (w.quantity(unit), w.quantity("rad/s"), w.quantity("s"));
        let law = match w.random.below(3) {
            0 => format!("({size}) * sin(({rate}) * time)"),
            1 => format!("({size}) * (time / ({start}))^2"),
            _ => format!("if time < {start} {{ ({size}) * time^2 / ({start})^2 }} else {{ {size} }}"),
        };
        return w.line(format!("drive crank{k}: {coordinate} == {law};"));
    }
    let body = body_name(links, w);
    let (c, speed) = (w.component(), w.quantity("m/s"));
    w.line(format!("drive feed{k}: {body}.velocity.{c} == {speed};"));
}

fn forces(w: &mut Writer, links: &[Link], is_joint_only: bool) {
    for k in 0..w.random.below(4) {
        let body = body_name(links, w);
        match w.random.below(8) {
            0..=2 => between(w, links, k),
            3 => {
                let (load, point) = (w.load(&body, "N"), w.point(&body));
                let axes = if w.once_in(2) { format!(" in {body}") } else { String::new() };
                w.line(format!("force load{k}: {load} on {point}{axes};"));
            }
            4 => {
                let strength = if w.is_planar { w.strength(&body, "N m") } else { w.load(&body, "N m") };
                let axes = if !w.is_planar && w.once_in(2) { format!(" in {body}") } else { String::new() };
                w.line(format!("torque turn{k}: {strength} on {body}{axes};"));
            }
            _ => on_joint(w, links, k, is_joint_only),
        }
    }
}

/// A force between two bodies.
fn between(w: &mut Writer, links: &[Link], k: usize) {
    let (a, b) = (end(links, w), body_name(links, w));
    if a == b {
        return;
    }
    // Between points that coincide always, a distance has no direction.
    let apart = match w.is_planar {
        true => format!("[{}, {}] m", w.positive(), w.positive()),
        false => format!("[{}, {}, {}] m", w.positive(), w.positive(), w.positive()),
    };
    let (from, to) = (format!("{a} at {apart}"), w.point(&b));
    let (stiffness, damping, length) = (w.quantity("N/m"), w.quantity("N s/m"), w.quantity("m"));
    let line = match w.random.below(5) {
        0 => format!("spring({from}, {to}) {{ stiffness: {stiffness}, free_length: {length} }}"),
        1 => format!("damper({from}, {to}) {{ damping: {damping} }}"),
        2 => format!(
            "spring_damper({from}, {to}) {{ stiffness: {stiffness}, damping: {damping}, free_length: {length} }}"
        ),
        3 => {
            let load = w.load(&b, "N");
            format!("force({from}, {to}) {{ value: {load} }}")
        }
        _ => {
            let (from, to) = (w.frame(&a), w.frame(&b));
            let mut three = |unit: &str| match w.is_planar {
                true => format!("[{}, {}] {unit}", w.positive(), w.positive()),
                false => format!("[{}, {}, {}] {unit}", w.positive(), w.positive(), w.positive()),
            };
            let (k, c) = (three("N/m"), three("N s/m"));
            let turning = if w.is_planar {
                w.quantity("N m/rad")
            } else {
                format!("[{}, {}, {}] N m/rad", w.positive(), w.positive(), w.positive())
            };
            format!("bushing({from}, {to}) {{ stiffness: {k}, damping: {c}, rotational_stiffness: {turning} }}")
        }
    };
    w.line(format!("force link{k}: {line}"));
}

/// A torque at a hinge: between its bodies where its axis is known in every formulation.
fn on_joint(w: &mut Writer, links: &[Link], k: usize, is_joint_only: bool) {
    let link = w.random.pick(links);
    let (name, parent, child) = (&link.name, &link.parent, &link.child);
    let turns = ["revolute", "screw"].contains(&link.kind) || w.is_planar && link.kind == "spherical";
    let strength = w.strength(child, "N m");
    if is_joint_only && turns && w.once_in(2) {
        let (stiffness, damping, rest) = (w.quantity("N m/rad"), w.quantity("N m s/rad"), w.within(0.1, 3.0));
        w.line(format!(
            "force coil{k}: torsion_spring({name}) {{ stiffness: {stiffness}, damping: {damping}, rest_angle: {rest} rad }}"
        ));
    } else if is_joint_only && turns {
        w.line(format!("torque motor{k}: {strength} on {name};"));
    } else if is_joint_only && link.kind == "prismatic" {
        let strength = w.strength(child, "N");
        w.line(format!("force pull{k}: {strength} on {name};"));
    } else if is_joint_only && !w.is_planar && link.kind == "spherical" {
        w.line(format!("torque motor{k}: {strength} on {name}.omega_y;"));
    } else if w.is_planar && turns {
        let from = if parent == "ground" { String::new() } else { format!(" from {parent}") };
        w.line(format!("joint | torque motor{k}: {strength} on {name};"));
        w.line(format!("absolute | torque motor{k}: {strength} on {child}{from};"));
    }
}

fn contacts(w: &mut Writer, links: &[Link], is_joint_only: bool) {
    if !w.once_in(3) {
        return;
    }
    for k in 0..=w.random.below(2) {
        let (body, other) = (body_name(links, w), end(links, w));
        let law = match w.random.below(3) {
            0 => String::new(),
            1 => format!("friction: {}, ", w.within(0.05, 0.9)),
            _ => format!("restitution: {}, friction: {}, ", w.within(0.1, 0.9), w.within(0.05, 0.9)),
        };
        let hinge = links.iter().find(|link| link.kind == "revolute").map(|link| link.name.clone());
        let line = match (w.random.below(5), hinge) {
            (0, Some(hinge)) if is_joint_only => format!("{{ gap: 1 rad - {hinge}.angle }}"),
            (0 | 1, _) => {
                let (point, c, offset) = (w.point(&body), w.component(), w.quantity("m"));
                let slip = if w.is_planar {
                    format!("({point}).position.x")
                } else {
                    format!("[({point}).velocity.x, ({point}).velocity.y - 1 m/s]")
                };
                let slip = if law.is_empty() { String::new() } else { format!("slip: {slip}, ") };
                format!("{{ gap: ({point}).position.{c} + {offset}, {slip}{law} }}")
            }
            _ if other == body => continue,
            (kind, _) => {
                let (point, frame, radius) = (w.point(&body), w.frame(&other), w.quantity("m"));
                let (second, both) = (w.point(&other), w.quantity("m"));
                let words = if w.is_planar {
                    ["point_on_line", "disc_on_line", "disc_on_disc"]
                } else {
                    ["point_on_plane", "ball_on_plane", "ball_on_ball"]
                };
                match kind {
                    2 => format!(": {}({point}, {frame}) {{ {law} }}", words[0]),
                    3 => format!(": {}({point}, {frame}) {{ radius: {radius}, {law} }}", words[1]),
                    _ => format!(": {}({point}, {second}) {{ radii: [{radius}, {both}], {law} }}", words[2]),
                }
            }
        };
        w.line(format!("contact touch{k}{line}"));
    }
}

fn outputs(w: &mut Writer, links: &[Link], is_joint_only: bool) {
    if w.once_in(2) {
        w.line("output kinetic = model.kinetic_energy;");
        w.line("output momentum = model.momentum;");
        w.line("output spin_of_all = model.angular_momentum;");
    }
    for k in 0..w.random.below(3) {
        let body = body_name(links, w);
        let (point, factor) = (w.point(&body), w.factor(&body));
        match w.random.below(3) {
            0 => w.line(format!("output seen{k} = ({point}).acceleration in {body};")),
            1 => w.line(format!("output seen{k} = {factor};")),
            _ => w.line(format!("output seen{k} = {factor} * ({point}).velocity;")),
        }
    }
    if is_joint_only && let Some(link) = links.iter().find(|link| link.kind == "revolute") {
        w.line(format!("output bent = {0}.angle + {0}.velocity * 1 s;", link.name));
    }
    // In joint coordinates the forces on all bodies have to be known.
    let is_unknown = |line: &String| {
        ["contact ", "constraint ", "drive "].iter().any(|word| line.contains(word)) || line.contains("added_mass")
    };
    let formulations = if w.lines.iter().any(is_unknown) { "absolute | " } else { "" };
    if let Some(Link { name, .. }) = links.last().filter(|link| link.kind != "free") {
        w.line(format!("{formulations}output load = {name}.force;"));
        w.line(format!("{formulations}output load_about = {name}.torque;"));
    }
    let body = body_name(links, w);
    let c = w.component();
    let value = w.signed();
    match w.random.below(4) {
        0 => w.line(format!("initial {body}.velocity.{c} = {value} m/s;")),
        1 if w.is_planar => w.line(format!("initial {body}.angular_velocity = {value} rad/s;")),
        1 => w.line(format!("initial {body}.angular_velocity = [{value}, 1, 0] rad/s in {body};")),
        2 if w.once_in(3) => w.line(format!("initial {body}.position.{c} = {value} m;")),
        _ => {}
    }
}

/// A flexible member with a body at its end.
fn beam(mut w: Writer) -> Case {
    let elements = 1 + w.random.below(2);
    let gravity = w.vector("m/s^2");
    w.line(format!("gravity {gravity};"));
    let (length, density) = (w.quantity("m"), w.quantity("kg"));
    let formulation = if w.is_planar { "joint" } else { "absolute" };
    if w.is_planar {
        let frame = *w.random.pick(&["tangent", "pinned"]);
        let (e, area, moment) = (w.quantity("MPa"), w.quantity("m^2"), w.quantity("m^4"));
        w.line(format!(
            "flexible rod: beam_floating_frame {{ length: {length}, elements: {elements}, E: {e}, mass: {density}, area: {area}, \
             second_moment: {moment}, frame: {frame} }}"
        ));
    } else {
        let mut three = |unit: &str| format!("[{}, {}, {}] {unit}", w.positive(), w.positive(), w.positive());
        let (inertia, bend) = (three("kg m"), three("m^-1"));
        let (axial, torsion, along) = (w.quantity("N"), w.quantity("N m^2"), w.quantity("kg/m"));
        let [a, b, c, d] = [(); 4].map(|()| w.positive());
        let curvature = if w.once_in(2) { format!(", curvature: {bend}, damping: 1 ms") } else { String::new() };
        w.line(format!(
            "flexible rod: beam_three_node {{ length: {length}, elements: 1, axial: {axial}, shear: [{a}, {b}] N, torsion: \
             {torsion}, bending: [{c}, {d}] N m^2, mass_per_length: {along}, inertia_per_length: {inertia}{curvature} }}"
        ));
    }
    let root = w.frame("ground");
    let kind = if w.is_planar {
        *w.random.pick(&["revolute", "prismatic", "free", "fixed"])
    } else {
        *w.random.pick(&["fixed", "revolute", "spherical"])
    };
    w.line(format!("joint j: {kind}({root}, rod.root);"));
    if w.once_in(2) {
        body(&mut w, "b0");
        let frame = w.frame("b0");
        let kind = *w.random.pick(&["revolute", "fixed"]);
        w.line(format!("joint k: {kind}(rod.tip, {frame});"));
        let load = w.load("b0", "N");
        w.line(format!("force load: {load} on b0;"));
    }
    w.line("output loads = rod.section_forces;");
    w.line("output tip = rod.tip.position;");
    Case { formulations: vec![formulation.to_owned()], lines: w.lines }
}
