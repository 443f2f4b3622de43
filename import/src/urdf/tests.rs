use hamel_compiler::parse::parse;
use hamel_compiler::resolve::{Provided, System, resolve};

use super::{Import, Options, import};

const FIXED: Options = Options {
    is_floating: false,
    provide: Vec::new(),
    provide_of_links: Vec::new(),
    exact_angles: false,
    repair_inertia: false,
    parameters: Vec::new(),
    stops: false,
    visuals: None,
    arguments: Vec::new(),
};
const FLOATING: Options = Options {
    is_floating: true,
    provide: Vec::new(),
    provide_of_links: Vec::new(),
    exact_angles: false,
    repair_inertia: false,
    parameters: Vec::new(),
    stops: false,
    visuals: None,
    arguments: Vec::new(),
};

const INERTIAL: &str = r#"<inertial><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"#;

fn translated(text: &str, options: &Options) -> Import {
    import(text, options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What the compiler understands of the model.
fn understood(import: &Import) -> System {
    let description = import.model.parse().map_err(syn::Error::from).and_then(parse);
    description
        .and_then(|description| resolve(&description))
        .unwrap_or_else(|error| panic!("{error}\n{}", import.model))
}

fn robot(elements: &str) -> String {
    format!("<robot name=\"r\">\n{elements}</robot>")
}

fn error(text: &str, options: &Options) -> (u32, u32, String) {
    let errors = import(text, options).expect_err(text);
    let error = errors.iter().next().expect("there is one");
    (error.place.line, error.place.column, error.problem.to_string())
}

fn warnings(import: &Import) -> Vec<String> {
    import.warnings.iter().map(ToString::to_string).collect()
}

/// A link with inertia and no mass adds its inertia to the body it is fixed to, one with mass and no inertia is a point
/// mass; only what has neither is nothing but a frame.
#[test]
fn mass_and_inertia_count_each_for_itself() {
    let link = |name: &str, mass: &str, [x, y, z]: [&str; 3]| {
        format!(
            r#"<link name="{name}"><inertial><mass value="{mass}"/><origin xyz="0 0 0.1"/>
            <inertia ixx="{x}" ixy="0" ixz="0" iyy="{y}" iyz="0" izz="{z}"/></inertial></link>"#
        )
    };
    let joint = |kind: &str, parent: &str, child: &str, rpy: &str| {
        format!(
            r#"<joint name="to_{child}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
            <origin xyz="0 0 0.3" rpy="{rpy}"/><axis xyz="0 1 0"/></joint>"#
        )
    };
    let parts = [
        "<link name=\"base\"/>".to_owned(),
        link("leg", "2", ["0.1"; 3]),
        link("foot", "0", ["0.01", "0.02", "0.03"]),
        link("heel", "0", ["0.04", "0.05", "0.06"]),
        link("bob", "0.5", ["0"; 3]),
        link("tool", "0", ["0"; 3]),
        joint("revolute", "base", "leg", "0 0 0"),
        joint("fixed", "leg", "foot", "1.5707963267948966 0 0"),
        joint("fixed", "foot", "heel", "0 0 1.5707963267948966"),
        joint("fixed", "leg", "bob", "0 0 0"),
        joint("fixed", "leg", "tool", "0 0 0"),
    ];
    let import = translated(&robot(&parts.concat()), &FIXED);
    let names: Vec<String> = understood(&import).bodies.iter().map(|body| body.name.to_string()).collect();
    assert_eq!(names, ["leg"], "{}", import.model);
    for frame in ["foot", "heel", "bob", "tool"] {
        assert!(import.model.contains(&format!("    marker {frame}: leg at [0, 0, 0.3] m")), "{}", import.model);
    }
    assert!(warnings(&import).is_empty(), "{:?}", warnings(&import));
    let stages = import.model.parse().map_err(syn::Error::from).and_then(hamel_compiler::stages);
    let stages = stages.unwrap_or_else(|error| panic!("{error}\n{}", import.model));
    let parameters = hamel_compiler::schedule::interpret::defaults(&stages.schedule);
    let model =
        hamel_compiler::schedule::interpret::Interpreter::<f64>::new(&stages.simplified, &stages.schedule, parameters);
    // About the hip's y axis: the leg's own; the foot's z; the heel's z, which stands along its z; the bob at 0.4 m.
    let expected = 0.1 + 2.0 * 0.01 + 0.03 + 0.06 + 0.5 * 0.16;
    let found = model.mass_matrix(&[0.0]).values[0];
    assert!((found - expected).abs() < 1e-12, "{found} and {expected}\n{}", import.model);

    let moving = [parts[0].clone(), link("rotor", "0", ["0.1"; 3]), joint("revolute", "base", "rotor", "0 0 0")];
    let (_, _, message) = error(&robot(&moving.concat()), &FIXED);
    assert!(message.starts_with("`rotor` moves but has no mass"), "{message}");
}

#[test]
fn an_arm_reads_like_its_description() {
    let text = r#"<?xml version="1.0"?>
<robot name="small-arm">
  <link name="base"/>
  <link name="upper arm">
    <inertial><origin xyz="0 -0.020 8e-2" rpy="0 0 1.5708"/><mass value="3.70"/>
      <inertia ixx="0.0444" ixy="0.001776" ixz="-0.0" iyy="0.03996" iyz="0" izz="0.01332"/></inertial>
    <visual/><visual/>
  </link>
  <link name="slide">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>
  </link>
  <link name="tool0"/>
  <link name="camera"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper arm"/><origin xyz="0 0 .1" rpy="-1.5707963267948966 0 0"/>
    <axis xyz="0 -1 0"/><limit effort="1" velocity="1"/><dynamics damping="0.5" friction="0.1"/>
  </joint>
  <joint name="elbow" type="prismatic">
    <parent link="upper arm"/><child link="slide"/><origin rpy="0.1 0 -3.14159"/><axis xyz="0 0 1"/>
    <dynamics damping="2"/>
  </joint>
  <joint name="flange" type="fixed">
    <parent link="slide"/><child link="tool0"/><origin xyz="0 0 0.2" rpy="0 1.5707963267948966 0"/>
  </joint>
  <joint name="mount" type="fixed"><parent link="tool0"/><child link="camera"/><origin xyz="1 0 0"/></joint>
  <gazebo/>
</robot>"#;
    let import = translated(text, &FIXED);
    assert_eq!(
        import.model,
        "\
/// The robot `small-arm`.
pub model SmallArm {
    coordinates joint;
    gravity [0, 0, -9.81] m/s^2;

    // Link `upper arm`.
    body upper_arm {
        mass: 3.70 kg,
        center_of_mass: [0, -0.020, 8e-2] m,
        inertia: rotation_z(90 deg) * [[0.0444, 0.001776, 0.0], [0.001776, 0.03996, 0], [0.0, 0, 0.01332]] kg m^2 \
* transpose(rotation_z(90 deg)),
    }
    body slide {
        mass: 1 kg,
        inertia: diag(1, 2, 2.5) kg m^2,
    }

    joint shoulder: revolute(ground at [0, 0, 0.1] m rotated rotation_x(-90 deg), upper_arm) { axis: [0, -1, 0], \
velocity_limit: 1 rad/s, effort_limit: 1 N m }
    joint elbow: prismatic(upper_arm rotated euler_zyx(0.1 rad, 0 rad, -180 deg), slide);
    marker tool0: slide at [0, 0, 0.2] m rotated rotation_y(90 deg);
    marker camera: slide at [0, 0, 0.2] m + rotation_y(90 deg) * [1, 0, 0] m rotated rotation_y(90 deg);
    torque shoulder_damping: -0.5 N m s/rad * shoulder.velocity on shoulder;
    force elbow_damping: -2 N s/m * elbow.velocity on elbow;
}
"
    );
    assert_eq!(
        warnings(&import),
        [
            "5:15: the angle 1.5708 is taken for 90 deg (and 1 more)",
            "7:5: `visual` is ignored: shapes are not part of the dynamics (and 1 more)",
            "16:57: `friction` is ignored: a model that is solved for accelerations has no sticking",
            "26:3: `gazebo` is ignored: settings of a simulator",
        ]
    );
    let system = understood(&import);
    assert_eq!((system.bodies.len(), system.joints.len(), system.forces.len()), (2, 2, 2));
}

#[test]
fn angles_are_right_ones_unless_they_shall_be_exact() {
    let origin = "<origin rpy=\"1.5708 0 1.5707963267948966\"/>";
    let text = robot(&format!(
        "<link name=\"base\"/><link name=\"a\">{INERTIAL}</link><joint name=\"j\" type=\"prismatic\">{origin}\
         <parent link=\"base\"/><child link=\"a\"/></joint>"
    ));
    let rounded = translated(&text, &FIXED);
    assert!(rounded.model.contains("euler_zyx(90 deg, 0 rad, 90 deg)"), "{}", rounded.model);
    let warned = warnings(&rounded);
    assert!(warned.len() == 1 && warned[0].contains("the angle 1.5708 is taken for 90 deg"), "{warned:?}");
    let exact = translated(&text, &Options { exact_angles: true, ..FIXED });
    assert!(exact.model.contains("euler_zyx(1.5708 rad, 0 rad, 90 deg)"), "{}", exact.model);
    assert!(warnings(&exact).is_empty(), "{:?}", warnings(&exact));
}

/// Quaternions came with version 1.1: there they turn, before they are attributes that nobody knows.
#[test]
fn quaternions_turn_as_angles_do() {
    let of = |version: &str, turn: &str| {
        format!(
            r#"<robot name="r" {version}><link name="base"/><link name="rod">{INERTIAL}</link>
<joint name="j" type="continuous"><parent link="base"/><child link="rod"/><origin xyz="1 0 0" {turn}/></joint></robot>"#
        )
    };
    let rpy = format!(r#"rpy="0 {:?} 0""#, 2.0 * 0.6_f64.atan2(0.8));
    let quaternion = r#"quat_xyzw="0 0.6 0 0.8""#;
    let model = |version: &str, turn: &str| translated(&of(version, turn), &FIXED).model;
    let angle = |model: &str| {
        let turned = model.split("rotation_y(").nth(1).unwrap_or_else(|| panic!("{model}"));
        turned.split(' ').next().unwrap().parse::<f64>().unwrap()
    };
    let [as_angles, as_quaternion] = [rpy.as_str(), quaternion].map(|turn| angle(&model(r#"version="1.1""#, turn)));
    assert!((as_angles - as_quaternion).abs() < 1e-15, "{as_angles} {as_quaternion}");
    let old = translated(&of("", quaternion), &FIXED);
    let warning = "2:88: the attribute `quat_xyzw` of `origin` is not known, and ignored";
    assert!(warnings(&old).iter().any(|found| found.ends_with(&warning[6..])), "{:?}", warnings(&old));
    let both = of(r#"version="1.1""#, &format!("{rpy} {quaternion}"));
    assert!(error(&both, &FIXED).2.contains("both `rpy` and `quat_xyzw`"));
    assert!(error(&of(r#"version="1.1""#, r#"quat_xyzw="0 0 0 0""#), &FIXED).2.contains("zero"));
}

#[test]
fn attributes_that_nobody_knows_are_said() {
    let elements = format!(
        "<link name=\"base\"/>\n<link name=\"rod\">{INERTIAL}<visual naem=\"v\"/></link>\n\
         <joint name=\"j\" type=\"continuous\"><parent link=\"base\"/><child link=\"rod\"/><axis xzy=\"0 0 1\" xyz=\"0 1 0\"/></joint>\n"
    );
    let found = warnings(&translated(&robot(&elements), &FIXED));
    assert_eq!(found.iter().filter(|warning| warning.contains("is not known")).count(), 1, "{found:?}");
    assert!(found.iter().any(|warning| warning.ends_with("the attribute `xzy` of `axis` is not known, and ignored")));
}

#[test]
fn joints_hang_on_the_body_that_carries_their_frame() {
    let text = robot(&format!(
        r#"<link name="world"/><link name="stand"/><link name="a">{INERTIAL}</link><link name="b">{INERTIAL}</link>
<joint name="j2" type="continuous"><parent link="stand"/><child link="b"/><origin xyz="0 0 2"/></joint>
<joint name="j1" type="fixed"><parent link="world"/><child link="stand"/><origin xyz="1 0 0" rpy="0 0 0.5"/></joint>
<joint name="a" type="floating"><parent link="b"/><child link="a"/></joint>"#
    ));
    let import = translated(&text, &FIXED);
    let lines: Vec<&str> = import.model.lines().map(str::trim).filter(|line| line.starts_with("joint")).collect();
    assert_eq!(
        lines,
        [
            "joint j2: revolute(ground at [1, 0, 0] m + rotation_z(0.5 rad) * [0, 0, 2] m rotated rotation_z(0.5 rad), b) \
             { axis: [1, 0, 0] }",
            "joint a_joint: free(b, a);",
        ]
    );
    assert_eq!(understood(&import).bodies.len(), 2);
}

#[test]
fn a_root_floats_with_what_is_fixed_to_it() {
    let rooted = |origin: &str| {
        robot(&format!(
            r#"<link name="base"/><link name="trunk">{INERTIAL}</link>
<joint name="weld" type="fixed"><parent link="base"/><child link="trunk"/>{origin}</joint>"#
        ))
    };
    let import = translated(&rooted(r#"<origin xyz="0 0 1"/>"#), &FLOATING);
    for line in ["joint base_joint: free(ground, base);", "center_of_mass: [0.0, 0.0, 1.0] m", "marker trunk: base at"]
    {
        assert!(import.model.contains(line), "{}", import.model);
    }
    assert_eq!(understood(&import).joints.len(), 1);
    let (line, column, message) = error(&rooted(""), &FIXED);
    assert_eq!((line, column, message.lines().next()), (1, 1, Some("nothing of the robot moves")));

    let (line, column, message) = error(&robot("<link name=\"base\"/>"), &FLOATING);
    assert_eq!((line, column), (2, 1));
    assert!(message.starts_with("`base` moves but has no inertia"), "{message}");
    let import = translated(&robot(&format!(r#"<link name="trunk">{INERTIAL}</link>"#)), &FLOATING);
    assert!(import.model.contains("joint base: free(ground, trunk);"), "{}", import.model);
}

/// An inertia that no body has is refused where it moves, and no more where others make up for it.
#[test]
fn laws_hold_for_bodies_rather_than_links() {
    let link = |name: &str, mass: &str, [x, y, z]: [&str; 3]| {
        format!(
            "<link name=\"{name}\"><inertial><mass value=\"{mass}\"/>\
             <inertia ixx=\"{x}\" ixy=\"0\" ixz=\"0\" iyy=\"{y}\" iyz=\"0\" izz=\"{z}\"/></inertial></link>\n"
        )
    };
    let joint = |kind: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"to_{child}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>\n"
        )
    };
    let with = |cable: [&str; 3], mass: &str, arm: [&str; 3]| {
        let links = ["<link name=\"base\"/>\n".to_owned(), link("arm", mass, arm), link("cable", mass, cable)];
        robot(&(links.concat() + &joint("revolute", "base", "arm") + &joint("fixed", "arm", "cable")))
    };
    let import = translated(&with(["0.5", "0", "0"], "1", ["1", "1", "1"]), &FIXED);
    assert!(import.model.contains("inertia: diag(1.5, 1.0, 1.0) kg m^2"), "{}", import.model);
    assert_eq!(understood(&import).bodies.len(), 1);

    let cases = [
        (
            ["2", "0", "0"],
            "1",
            ["0.5"; 3],
            4,
            "no rigid body has the inertia of `cable`: its principal moments 0, 0 and 2 kg m²",
        ),
        (
            ["2", "0", "0"],
            "1",
            ["0.5"; 3],
            4,
            "the last exceeds the sum of the others by 2 kg m², also together with `arm`",
        ),
        (["0", "0", "0"], "1", ["1", "3", "1"], 3, "exceeds the sum of the others by 1 kg m²\nhelp: correct"),
        (["-2", "0", "0"], "1", ["1"; 3], 4, "expected an inertia of `cable` without negative principal moments, also"),
        (["1"; 3], "0", ["1"; 3], 3, "`arm` moves but has no mass"),
        (["0"; 3], "0", ["0"; 3], 3, "`arm` moves but has no inertia"),
        (["0"; 3], "1e308", ["0"; 3], 3, "`arm` and what is fixed to it have more mass or inertia than numbers reach"),
    ];
    for (cable, mass, arm, expected, part) in cases {
        let (line, _, message) = error(&with(cable, mass, arm), &FIXED);
        assert!(
            line == expected && message.contains(part),
            "expected `{part}` in line {expected}, found {line}: {message}"
        );
    }
}

/// Parts on both sides leave no coupling of the size of rounding.
#[test]
fn symmetric_parts_make_a_symmetric_body() {
    let side = |name: &str, y: f64| {
        format!(
            "<link name=\"{name}\">{INERTIAL}</link><joint name=\"to_{name}\" type=\"fixed\"><parent link=\"arm\"/>\
             <child link=\"{name}\"/><origin xyz=\"0.1 {y} 0.3\" rpy=\"{} 0.2 {}\"/></joint>",
            0.7 * y,
            0.9 * y
        )
    };
    let arm = "<link name=\"base\"/><link name=\"arm\"/><joint name=\"j\" type=\"revolute\"><parent link=\"base\"/>\
               <child link=\"arm\"/></joint>";
    let import = translated(&robot(&[arm.to_owned(), side("left", 0.7), side("right", -0.7)].concat()), &FIXED);
    assert!(import.model.contains("center_of_mass: [0.1, 0.0, 0.3] m"), "{}", import.model);
    let inertia = import.model.lines().find(|line| line.contains("inertia:")).unwrap_or_default();
    assert!(inertia.contains("diag("), "{inertia}");
}

#[test]
fn a_link_that_is_the_ground_has_no_inertia() {
    let text = robot(&format!(
        r#"<link name="base">{INERTIAL}</link><link name="a">{INERTIAL}</link>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/></joint>"#
    ));
    let import = translated(&text, &FIXED);
    assert_eq!(warnings(&import), ["2:1: the inertia of `base` is ignored: the link is the ground"]);
    assert_eq!(understood(&import).bodies.len(), 1);
}

/// Two sliders or hinges on the ground, of which the second follows the first.
fn followers(kinds: [&str; 2], mimic: &str) -> String {
    let link = |name: &str| format!("<link name=\"{name}\">{INERTIAL}</link>\n");
    let joint = |name: &str, kind: &str, child: &str, mimic: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><axis xyz=\"0 0 1\"/>\
             <parent link=\"base\"/><child link=\"{child}\"/>{mimic}</joint>\n"
        )
    };
    let [first, second] = kinds;
    robot(
        &[
            "<link name=\"base\"/>\n",
            &link("a"),
            &link("b"),
            &joint("one", first, "a", ""),
            &joint("two", second, "b", mimic),
        ]
        .concat(),
    )
}

/// Limits are those of the description, where a joint has the coordinate that they are about; stops are contacts.
#[test]
fn limits_of_joints_are_data_and_stops_on_request() {
    let links = ["a", "b", "c", "d"].map(|name| format!("<link name=\"{name}\">{INERTIAL}</link>\n"));
    let joint = |name: &str, kind: &str, child: &str, limit: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"base\"/><child link=\"{child}\"/>\
             <axis xyz=\"0 0 1\"/><limit {limit}/></joint>\n"
        )
    };
    let joints = [
        joint("hip", "revolute", "a", "lower=\"-1.5\" upper=\"2\" velocity=\"3.0\" effort=\"40\""),
        joint("rail", "prismatic", "b", "upper=\"0.2\" velocity=\"1\" effort=\"0\""),
        joint("wheel", "continuous", "c", "lower=\"-1\" upper=\"1\" velocity=\"9\" effort=\"-1\""),
        joint("knee", "revolute", "d", "lower=\"1\" upper=\"-1\""),
    ];
    let text = robot(&["<link name=\"base\"/>\n".to_owned(), links.concat(), joints.concat()].concat());
    let import = translated(&text, &FIXED);
    for joint in [
        "joint hip: revolute(ground, a) { limits: -1.5 rad..2 rad, velocity_limit: 3.0 rad/s, effort_limit: 40 N m }",
        "joint rail: prismatic(ground, b) { limits: 0 m..0.2 m, velocity_limit: 1 m/s, effort_limit: 0 N }",
        "joint wheel: revolute(ground, c) { velocity_limit: 9 rad/s }",
        "joint knee: revolute(ground, d);",
    ] {
        assert!(import.model.contains(joint), "{joint}\n{}", import.model);
    }
    let limits: Vec<_> = understood(&import).joints.iter().map(|joint| joint.limits).collect();
    assert_eq!((limits[0].range, limits[0].speed, limits[0].effort), (Some([-1.5, 2.0]), Some(3.0), Some(40.0)));
    assert_eq!((limits[1].range, limits[2].range), (Some([0.0, 0.2]), None));
    let warnings = warnings(&import);
    assert!(warnings.iter().any(|warning| warning.contains("its `effort` is negative")), "{warnings:?}");
    assert!(warnings.iter().any(|warning| warning.contains("`lower` is greater than its `upper`")), "{warnings:?}");

    let import = translated(&text, &Options { stops: true, ..FIXED });
    for stop in [
        "contact hip_lower_stop { gap: hip.angle - (-1.5 rad) }",
        "contact hip_upper_stop { gap: 2 rad - hip.angle }",
        "contact rail_lower_stop { gap: rail.displacement - (0 m) }",
    ] {
        assert!(import.model.contains(stop), "{stop}\n{}", import.model);
    }
    assert_eq!(understood(&import).contacts.len(), 4);
}

/// Pinocchio goes down to the tips before it takes the next child, children by the names of their joints.
#[test]
fn places_in_pinocchio_are_known() {
    let link = |name: &str| format!("<link name=\"{name}\">{INERTIAL}</link>\n");
    let joint = |name: &str, kind: &str, parent: &str, child: &str| {
        let axis = if kind == "planar" { "<axis xyz=\"0 0 2\"/>" } else { "" };
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{axis}</joint>\n"
        )
    };
    let text = robot(
        &[
            ["base", "a", "b", "c", "d", "e"].map(link).concat(),
            joint("z", "revolute", "base", "a"),
            joint("w", "fixed", "base", "b"),
            joint("y", "continuous", "b", "c"),
            joint("x 1", "prismatic", "a", "d"),
            joint("v", "planar", "base", "e"),
        ]
        .concat(),
    );
    let places = |options: &Options| {
        let import = translated(&text, options);
        let place = |joint: crate::PinocchioJoint| (joint.name, joint.described, joint.q, joint.v);
        import.pinocchio.into_iter().map(place).collect::<Vec<_>>()
    };
    let place = |name: &str, described: &str, q, v| (name.to_owned(), described.to_owned(), q, v);
    let of = |q: usize, v: usize| {
        vec![
            place("v", "v", q..q + 4, v..v + 3),
            place("y", "y", q + 4..q + 6, v + 3..v + 4),
            place("z", "z", q + 6..q + 7, v + 4..v + 5),
            place("x_1", "x 1", q + 7..q + 8, v + 5..v + 6),
        ]
    };
    assert_eq!(places(&FIXED), of(0, 0));
    let mut floating = vec![place("base_joint", "", 0..7, 0..6)];
    floating.extend(of(7, 6));
    assert_eq!(places(&FLOATING), floating);
    // Pinocchio does not turn the plane of such a joint.
    for axis in ["", "<axis xyz=\"1 0 0\"/>", "<axis xyz=\"0 0 -1\"/>"] {
        let import = translated(&text.replace("<axis xyz=\"0 0 2\"/>", axis), &FIXED);
        assert_eq!(import.pinocchio, [], "{axis}");
    }
}

#[test]
fn joints_follow_others() {
    for (kinds, mimic, expected) in [
        (["revolute", "continuous"], "<mimic joint=\"one\"/>", "follows: one, ratio: 1 }"),
        (
            ["prismatic", "prismatic"],
            "<mimic joint=\"one\" multiplier=\"-0.5\" offset=\"0.2\"/>",
            "follows: one, ratio: -0.5, offset: 0.2 m }",
        ),
        (
            ["prismatic", "revolute"],
            "<mimic joint=\"one\" multiplier=\"3\" offset=\"-1\"/>",
            "follows: one, ratio: 3 rad/m, offset: -1 rad }",
        ),
        (["revolute", "prismatic"], "<mimic joint=\"one\" multiplier=\"3\"/>", "follows: one, ratio: 3 m/rad }"),
    ] {
        let options = Options { provide: vec![Provided::ALL[0]], ..FIXED };
        let import = translated(&followers(kinds, mimic), &options);
        assert!(import.model.contains(expected), "{}", import.model);
        assert_eq!(warnings(&import), [""; 0]);
        let system = understood(&import);
        assert_eq!(system.joints.iter().filter(|joint| joint.follows.is_some()).count(), 1);
        assert!(system.constraints.is_empty());
    }
    // One that follows a follower follows its leader: 2 (−0.5 x + 0.2) + 0.1.
    let third = "<mimic joint=\"two\" multiplier=\"2\" offset=\"0.1\"/>";
    let chain = followers(["revolute"; 2], "<mimic joint=\"one\" multiplier=\"-0.5\" offset=\"0.2\"/>").replacen(
        "</robot>",
        &format!(
            "<link name=\"c\">{INERTIAL}</link><joint name=\"three\" type=\"revolute\"><axis xyz=\"0 0 1\"/>\
             <parent link=\"b\"/><child link=\"c\"/>{third}</joint></robot>"
        ),
        1,
    );
    let import = translated(&chain, &FIXED);
    assert!(import.model.contains("follows: one, ratio: -1.0, offset: 0.5 rad }"), "{}", import.model);
    // Without a ratio it is held, which is a constraint.
    let held = followers(["revolute"; 2], "<mimic joint=\"one\" multiplier=\"0\" offset=\"0.3\"/>");
    let import = translated(&held, &FIXED);
    assert!(import.model.contains("constraint two_held: two.angle == 0.3 rad;"), "{}", import.model);
    let options = Options { provide: vec![Provided::ForwardDynamics], ..FIXED };
    assert!(error(&held, &options).2.contains("`two` is held at a value"));
    let mimic = "<mimic joint=\"one\"/>";
    let import = translated(&followers(["revolute", "fixed"], mimic), &FIXED);
    assert!(!import.model.contains("follows"), "{}", import.model);
    let is_said = |warning: &String| warning.contains("`mimic` is ignored: the joint is fixed");
    assert!(warnings(&import).iter().any(is_said), "{:?}", import.warnings);
    let ring = followers(["revolute"; 2], mimic).replacen("</joint>", "<mimic joint=\"two\"/></joint>", 1);
    assert!(error(&ring, &FIXED).2.contains("`one` mimics itself"));
    for (kinds, mimic, part) in [
        (["revolute"; 2], "<mimic joint=\"On\"/>", "unknown joint `On`"),
        (["revolute"; 2], "<mimic/>", "expected the attribute `joint` of `mimic`"),
        (["revolute"; 2], "<mimic joint=\"two\"/>", "`two` mimics itself"),
        (["planar", "revolute"], "<mimic joint=\"one\"/>", "found that `one` is another"),
        (["revolute", "floating"], "<mimic joint=\"one\"/>", "found that `two` is another"),
        (["revolute"; 2], "<mimic joint=\"one\" multiplier=\"x\"/>", "expected a number in `multiplier`, found `x`"),
    ] {
        let (line, _, message) = error(&followers(kinds, mimic), &FIXED);
        assert!(message.contains(part), "expected `{part}`, found `{message}`");
        assert_eq!(line, 8);
    }
}

#[test]
fn mistakes_are_reported_where_they_are() {
    let link = |name: &str| format!("<link name=\"{name}\">{INERTIAL}</link>\n");
    let joint = |name: &str, kind: &str, parent: &str, child: &str| {
        format!("<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>\n")
    };
    let (a, b) = (link("a"), link("b"));
    let cases = [
        ("<robot>\n<link name=\"a\">\n</robot>".to_owned(), (3, 1), "expected 'link' tag, not 'robot'"),
        ("<sdf/>".to_owned(), (1, 1), "whose outermost element is `robot`, found `sdf`"),
        (robot("<link/>"), (2, 1), "expected the attribute `name` of `link`"),
        (robot(""), (1, 1), "expected a `link`"),
        (robot("<link name=\"a\"><inertial/></link>"), (2, 16), "expected `mass` in `inertial`"),
        (robot(&a.replace("ixy=\"0\"", "ixy=\"0 1\"")), (3, 23), "expected a number in `ixy`, found `0 1`"),
        (robot(&a.replace("ixy=\"0\"", "ixy=\"${x}\"")), (3, 23), "expected a number in `ixy`, found `${x}`"),
        (robot(&a.replace("\"2\"", "\"-2\"")), (2, 16), "expected a mass that is not negative, found -2"),
        (robot(&format!("{a}{a}")), (4, 1), "the name `a` of a link is used twice, first at 2:1"),
        (robot(&format!("{a}{b}")), (4, 1), "`b` is a second root, besides `a`"),
        (robot(&(a.clone() + &joint("j", "ball", "a", "a"))), (4, 1), "unknown type of joint `ball`"),
        (robot(&(a.clone() + &joint("j", "fixed", "a", "A"))), (4, 48), "unknown link `A`"),
        (robot(&(a.clone() + &joint("j", "fixed", "a", "a"))), (2, 1), "`a` moves itself"),
        (
            robot(&[a.clone(), b.clone(), joint("j", "fixed", "a", "b"), joint("k", "fixed", "a", "b")].concat()),
            (7, 1),
            "`b` is already moved by another joint, at 6:1",
        ),
        (
            robot(&[a.clone(), "<link name=\"tip\"/>\n".to_owned(), joint("j", "revolute", "a", "tip")].concat()),
            (4, 1),
            "`tip` moves but has no inertia",
        ),
        (
            robot(&[a.clone(), b, joint("j", "planar", "a", "b").replace("</", "<axis xyz=\"0 0 0\"/></")].concat()),
            (6, 66),
            "expected a direction, found a zero vector",
        ),
        (
            "<robot xmlns:xacro=\"http://www.ros.org/wiki/xacro\">\n<xacro:arm/></robot>".to_owned(),
            (2, 1),
            "unknown macro `arm`",
        ),
    ];
    for (text, place, part) in cases {
        let (line, column, message) = error(&text, &FIXED);
        assert!(message.contains(part), "expected `{part}`, found `{message}` in\n{text}");
        assert_eq!((line, column), place, "{message} in\n{text}");
    }
}

/// One run says all that is wrong: what cannot be read, then what does not fit together, then what no body has.
#[test]
fn all_mistakes_are_reported_at_once() {
    let all = |text: &str| {
        let errors = import(text, &FIXED).expect_err(text);
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let joint = |name: &str, parent: &str, child: &str, inside: &str| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{inside}</joint>\n"
        )
    };
    let unread = [
        "<link name=\"base\"/>\n".to_owned(),
        "<link name=\"arm\"><inertial><mass value=\"one\"/><inertia ixx=\"1\" ixy=\"x\" ixz=\"0\" iyy=\"1\"/></inertial></link>\n"
            .to_owned(),
        "<link/>\n".to_owned(),
        joint("j", "base", "arm", "<origin xyz=\"0,0,1\"/><axis xyz=\"0 0 0\"/>"),
        joint("k", "bas", "arm", "<mimic/>"),
    ];
    assert_eq!(
        all(&robot(&unread.concat())),
        [
            "3:41: link `arm`: expected a number in `value`, found `one`",
            "3:47: link `arm`: expected the attribute `iyz` of `inertia`",
            "3:47: link `arm`: expected the attribute `izz` of `inertia`",
            "3:69: link `arm`: expected a number in `ixy`, found `x`",
            "4:1: expected the attribute `name` of `link`",
            "5:86: joint `j`: expected 3 numbers in `xyz`, found `0,0,1`",
            "5:94: joint `j`: expected a direction, found a zero vector",
            "6:33: joint `k`: unknown link `bas`\nhelp: did you mean `base`?",
            "6:72: joint `k`: expected the attribute `joint` of `mimic`",
        ]
    );
    let link = |name: &str| format!("<link name=\"{name}\">{}</link>\n", INERTIAL.replace('\n', " "));
    let unfit = [
        link("base"),
        link("a"),
        link("b"),
        link("other"),
        joint("j", "base", "a", "<mimic joint=\"m\"/>"),
        joint("k", "base", "a", ""),
        joint("l", "a", "b", "<mimic joint=\"l\"/>"),
    ];
    assert_eq!(
        all(&robot(&unfit.concat())),
        [
            "5:1: `other` is a second root, besides `base`\nhelp: connect it by a joint; a `fixed` one if it does not move",
            "6:71: joint `j`: unknown joint `m`",
            "7:1: `a` is already moved by another joint, at 6:1\nhelp: URDF describes trees; close the loop in the \
             model that is printed without this joint",
            "8:68: `l` mimics itself\nhelp: let it follow a joint that moves by itself",
        ]
    );
    let bad = link("b").replace("ixx=\"1\"", "ixx=\"3\"");
    let impossible = [link("base"), "<link name=\"a\"/>\n".to_owned(), bad.clone(), bad.replace("\"b\"", "\"c\"")];
    let joints = [joint("j", "base", "a", ""), joint("k", "base", "b", ""), joint("l", "b", "c", "")];
    let messages = all(&robot(&[impossible.concat(), joints.concat()].concat()));
    let begins =
        ["3:1: `a` moves but has no inertia", "4:1: no rigid body has the inertia of `b`", "5:1: no rigid body"];
    assert_eq!(messages.len(), begins.len(), "{messages:?}");
    assert!(messages.iter().zip(begins).all(|(message, begin)| message.starts_with(begin)), "{messages:?}");
}

/// What the compiler finds in a model is where the description says it.
#[test]
fn tokens_stand_where_the_description_says_them() {
    let text = robot(&format!(
        "<link name=\"base\"/>\n\n   <link name=\"arm\">{INERTIAL}</link><link name=\"tool\"/>\n\
         <joint name=\"hinge\" type=\"revolute\"><parent link=\"base\"/><child link=\"arm\"/><dynamics damping=\"1\"/></joint>\n\
         <joint name=\"weld\" type=\"fixed\"><parent link=\"arm\"/><child link=\"tool\"/></joint>"
    ));
    let import = translated(&text, &FIXED);
    fn places(tokens: proc_macro2::TokenStream, found: &mut Vec<(String, usize, usize)>) {
        for token in tokens {
            let start = token.span().start();
            match token {
                proc_macro2::TokenTree::Group(group) => places(group.stream(), found),
                token => found.push((token.to_string(), start.line, start.column + 1)),
            }
        }
    }
    let mut found = Vec::new();
    places(import.tokens().expect("tokens of the language"), &mut found);
    let place = |word: &str| {
        let first = found.iter().find(|(known, ..)| known == word).expect(word);
        (first.1, first.2)
    };
    assert_eq!(place("model"), (1, 1));
    assert_eq!(place("mass"), (4, 4));
    // The tool stands in the line in which the arm ends.
    assert_eq!(place("marker"), (5, 77));
    assert_eq!(place("joint"), (1, 1), "of `coordinates joint`");
    assert_eq!(place("revolute"), (6, 1));
    assert_eq!(place("hinge_damping"), (6, 1));
    let plain: proc_macro2::TokenStream = import.model.parse().expect("tokens");
    assert_eq!(import.tokens().expect("tokens").to_string(), plain.to_string());
}

/// A repaired inertia is one that a body has, differs from what is written no more than it must, and is said.
#[test]
fn impossible_inertias_are_repaired_on_request() {
    let described = |moments: [f64; 6]| {
        let attributes = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"].iter().zip(moments);
        let inertia: String = attributes.map(|(name, moment)| format!("{name}=\"{moment:?}\" ")).collect();
        robot(&format!(
            "<link name=\"base\"/>\n<link name=\"arm\"><inertial><mass value=\"1\"/><inertia {inertia}/></inertial></link>\n\
             <joint name=\"j\" type=\"revolute\"><parent link=\"base\"/><child link=\"arm\"/></joint>"
        ))
    };
    let repairing = Options { repair_inertia: true, ..FIXED };
    for (moments, inertia, said) in [
        ([1.0, 0.0, 0.0, 1.0, 0.0, 3.0], "diag(1.5, 1.5, 3.0)", "ixx from 1.0 to 1.5, iyy from 1.0 to 1.5 kg m²"),
        ([-1.0, 0.0, 0.0, 0.0, 0.0, 0.0], "diag(0.0, 0.5, 0.5)", "ixx from -1.0 to 0.0, iyy from 0.0 to 0.5, izz"),
    ] {
        let text = described(moments);
        assert!(import(&text, &FIXED).expect_err(&text).to_string().contains("--repair-inertia"));
        let import = translated(&text, &repairing);
        assert!(import.model.contains(&format!("inertia: {inertia} kg m^2")), "{}", import.model);
        let warnings = warnings(&import);
        assert!(
            warnings.len() == 1 && warnings[0].starts_with("3:1: the inertia of `arm` is repaired"),
            "{warnings:?}"
        );
        assert!(warnings[0].contains(said), "{warnings:?}");
    }
    let mut seed = 1_u64;
    let mut number = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let mut repaired = 0;
    for _ in 0..200 {
        let moments = [(); 6].map(|()| number());
        let text = described(moments);
        let is_possible = import(&text, &FIXED).is_ok();
        // What the compiler accepts is possible; what was is not touched.
        let import = translated(&text, &repairing);
        assert_eq!(import.warnings.is_empty(), is_possible, "{text}");
        understood(&import);
        repaired += usize::from(!is_possible);
    }
    assert!(repaired > 100, "{repaired}");
}

#[test]
fn every_joint_of_a_ring_beside_the_tree_is_refused() {
    let text = robot(&format!(
        r#"<link name="base"/><link name="a">{INERTIAL}</link><link name="b">{INERTIAL}</link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="revolute"><parent link="b"/><child link="a"/></joint>"#
    ));
    let (line, _, message) = error(&text, &FIXED);
    assert_eq!(line, 5);
    assert!(message.starts_with("`b` moves itself"), "{message}");
}

/// Text that ends lines, comments and strings, or is not what it looks like, as an attribute has it.
const HOSTILE: [&str; 14] = [
    "&#10;body evil { mass: 1 kg, inertia: diag(1, 1, 1) kg m^2 }&#10;",
    "&#13;&#10;gravity [0, 0, -1.62] m/s^2;",
    "&#13;gravity [0, 0, -1.62] m/s^2;",
    "&#9;",
    "*/ body evil { mass: 1 kg } /*",
    "&quot;\\&quot;",
    "`}`",
    "\\",
    "} }",
    "&#x2028;x",
    "&#x85;x",
    "a&#x202e;b&#x2066;c",
    "&#x200f;",
    "&#xfeff;",
];

#[test]
fn names_add_nothing_to_the_model() {
    let plain = |text: &str| {
        let tokens: proc_macro2::TokenStream = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
        tokens.into_iter().count()
    };
    let described = |name: &str| {
        format!(
            r#"<robot name="r{name}"><link name="base{name}"/><link name="arm{name}">{INERTIAL}</link>
<link name="tool{name}"/>
<joint name="hinge{name}" type="revolute"><parent link="base{name}"/><child link="arm{name}"/>
<limit/><dynamics damping="1" friction="1"/></joint>
<joint name="weld{name}" type="fixed"><parent link="arm{name}"/><child link="tool{name}"/></joint></robot>"#
        )
    };
    let expected = translated(&described(""), &FIXED);
    for hostile in HOSTILE {
        let import = translated(&described(hostile), &FIXED);
        let system = understood(&import);
        assert_eq!((system.bodies.len(), system.joints.len(), system.forces.len()), (1, 1, 1), "{}", import.model);
        assert_eq!(plain(&import.model), plain(&expected.model), "{}", import.model);
        // A name that cannot be one of the language is in a comment of its own.
        let lines = import.model.lines().filter(|line| !line.trim_start().starts_with("//")).count();
        let without = expected.model.lines().filter(|line| !line.trim_start().starts_with("//")).count();
        assert_eq!(lines, without, "{}", import.model);
        assert!(!import.model.chars().any(|letter| letter.is_control() && letter != '\n'), "{:?}", import.model);
        assert!(!import.model.contains(['\u{202e}', '\u{2066}', '\u{2028}', '\u{200f}', '\u{feff}']));
        for warning in warnings(&import) {
            assert_eq!(warning.lines().count(), 1, "{warning:?}");
        }
    }
}

#[test]
fn names_add_no_lines_to_messages() {
    let link = |name: &str| format!("<link name=\"{name}\">{INERTIAL}</link>");
    let joint = |kind: &str, parent: &str, child: &str| {
        format!("<joint name=\"j\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>")
    };
    for hostile in HOSTILE {
        let cases = [
            link(hostile) + &link(hostile),
            link(hostile) + &link("other"),
            link("a") + &joint(hostile, "a", "a"),
            link("a") + &joint("fixed", hostile, "a"),
            link(hostile) + &joint("fixed", hostile, hostile),
            link("a").replace("\"2\"", &format!("\"{hostile}\"")),
        ];
        for case in cases {
            let (_, _, message) = error(&robot(&case), &FIXED);
            assert!(message.lines().skip(1).all(|line| line.starts_with("help: ")), "{message}");
            assert!(!message.chars().any(|letter| letter.is_control() && letter != '\n'), "{message:?}");
        }
    }
}

/// Links without mass, each fixed to the one before, and a hinge at the end.
fn fixed_chain(links: usize, origin: &str) -> String {
    let mut elements = "<link name=\"l0\"/>".to_owned();
    for k in 1..=links {
        elements += &format!(
            "<link name=\"l{k}\"/><joint name=\"j{k}\" type=\"fixed\">{origin}<parent link=\"l{}\"/><child link=\"l{k}\"/></joint>\n",
            k - 1
        );
    }
    let hinge = format!("<parent link=\"l{links}\"/><child link=\"arm\"/><axis xyz=\"0 1 0\"/>{origin}");
    robot(
        &(elements
            + &format!("<link name=\"arm\">{INERTIAL}</link><joint name=\"hinge\" type=\"revolute\">{hinge}</joint>")),
    )
}

/// Twice as long a chain gives twice as long a text.
#[test]
fn chains_of_fixed_joints_take_text_in_proportion() {
    let length = |links| {
        translated(&fixed_chain(links, "<origin xyz=\"0.1 0.2 0.3\" rpy=\"0.1 0.2 0.3\"/>"), &FIXED).model.len()
    };
    let [short, long] = [200, 400].map(length);
    assert!(long < 2 * short + short / 10, "{short} and {long} bytes");
    assert!(short < 200 * 400, "{short} bytes");
}

/// A chain that is multiplied out leads where its joints lead, with right angles exact: a helix of quarter turns, and
/// as much about each axis as takes the frame round once.
#[test]
fn long_chains_of_fixed_joints_lead_to_the_same_place() {
    let hinge = |links, origin| {
        let import = translated(&fixed_chain(links, origin), &FIXED);
        let line =
            import.model.lines().find(|line| line.trim_start().starts_with("joint hinge")).unwrap().trim().to_owned();
        assert_eq!(understood(&import).joints.len(), 1);
        line
    };
    let quarter = "<origin xyz=\"1 0 0.5\" rpy=\"0 0 1.5707963267948966\"/>";
    // With that of the hinge nine joints: two turns and a quarter.
    assert_eq!(
        hinge(8, quarter),
        "joint hinge: revolute(ground at [1.0, 0.0, 4.5] m rotated rotation_z(90 deg), arm) { axis: [0, 1, 0] }"
    );
    let steps = "<origin xyz=\"0 0 0.25\"/>";
    assert_eq!(hinge(3, steps).matches("0.25").count(), 4);
    assert_eq!(hinge(4, steps), "joint hinge: revolute(ground at [0.0, 0.0, 1.25] m, arm) { axis: [0, 1, 0] }");
    let far = "<origin xyz=\"1e308 0 0\"/>";
    let (_, _, message) = error(&fixed_chain(8, far), &FIXED);
    assert!(message.contains("further from its body than numbers reach"), "{message}");
}

#[test]
fn descriptions_beyond_the_size_of_robots_are_refused_with_number_and_limit() {
    let links: String = (0..50_001).map(|k| format!("<link name=\"l{k}\"/>")).collect();
    let (_, column, message) = error(&format!("<robot>{links}</robot>"), &FIXED);
    assert!(message.starts_with("found 50001 links, expected at most 50000\nhelp: "), "{message}");
    assert!(column > 50_000);
    let nested = ["<gazebo>".repeat(64), "</gazebo>".repeat(64)].concat();
    let (_, column, message) = error(&format!("<robot>{nested}</robot>"), &FIXED);
    assert!(message.starts_with("found 65 elements within each other, expected at most 64"), "{message}");
    assert_eq!(column, 8 + 63 * 8);
    let (_, _, message) = error(&format!("<robot><link name=\"{}\"/></robot>", "x".repeat(201)), &FIXED);
    assert!(message.starts_with("found 201 characters in a name, expected at most 200"), "{message}");
    let (_, _, message) = error(&format!("<robot><link name=\"a\"/>{}</robot>", " ".repeat(64 << 20)), &FIXED);
    assert!(message.contains("bytes, expected at most 67108864"), "{message}");
}

/// Names that look alike, unknown elements that all differ, joints from the tip to the root: none of it takes time or
/// text out of proportion.
#[test]
fn ten_thousand_links_are_few() {
    let mut elements = String::new();
    for k in (0..10_000).rev() {
        elements +=
            &format!("<link name=\"{}\"/><x{k}/>", "-".repeat(k % 100) + &format!("\u{4e00}{}", "+".repeat(k / 100)));
    }
    let name = |k: usize| "-".repeat(k % 100) + &format!("\u{4e00}{}", "+".repeat(k / 100));
    for k in (1..10_000).rev() {
        elements += &format!(
            "<joint name=\"{0}\" type=\"fixed\"><parent link=\"{1}\"/><child link=\"{0}\"/><origin xyz=\"0 0 0.0009765625\"/></joint>",
            name(k),
            name(k - 1)
        );
    }
    elements += &format!(
        "<link name=\"arm\">{INERTIAL}</link><joint name=\"hinge\" type=\"revolute\"><parent link=\"{}\"/><child link=\"arm\"/></joint>",
        name(0)
    );
    let import = translated(&robot(&elements), &FIXED);
    assert_eq!(import.warnings.len(), 10_000);
    assert!(import.model.len() < 10_000 * 400, "{} bytes", import.model.len());
    assert!(import.model.contains("ground at [0.0, 0.0, 9.7646484375] m;"), "the tip is where it is");
}

/// Functions of links are asked for by the names of the description; a link on a fixed joint has its marker's.
#[test]
fn functions_of_links_are_provided() {
    let asked = ["pose(tool-0)", "jacobian( a in a )", "center_of_mass"].map(str::to_owned);
    let (provide, provide_of_links) = crate::functions(&asked).expect("functions");
    let options = Options { provide, provide_of_links, ..FIXED };
    let text = robot(&format!(
        "<link name=\"base\"/><link name=\"a\">{INERTIAL}</link><link name=\"tool-0\"/>\
         <joint name=\"j\" type=\"revolute\"><axis xyz=\"0 0 1\"/><parent link=\"base\"/><child link=\"a\"/></joint>\
         <joint name=\"k\" type=\"fixed\"><origin xyz=\"0 0 1\"/><parent link=\"a\"/><child link=\"tool-0\"/></joint>"
    ));
    let import = translated(&text, &options);
    assert!(import.model.contains("provide center_of_mass;"), "{}", import.model);
    assert!(import.model.contains("provide pose(tool_0), jacobian(a in a);"), "{}", import.model);
    assert_eq!(understood(&import).provided_of_frames.len(), 2);
    let (_, provide_of_links) = crate::functions(&["pose(tool)".to_owned()]).expect("functions");
    let (_, _, message) = error(&text, &Options { provide_of_links, ..FIXED });
    assert!(message.contains("unknown link `tool`"), "{message}");
    let (_, provide_of_links) = crate::functions(&["pose(base)".to_owned()]).expect("functions");
    let (_, _, message) = error(&text, &Options { provide_of_links, ..FIXED });
    assert!(message.contains("`base` is fixed to the ground"), "{message}");
    for (asked, part) in [
        ("jacobian", "expected a link"),
        ("jacobian()", "expected a link"),
        ("regressor(a)", "a function of the whole model"),
        ("jacobian(a in b)", "expected the axes of `a` itself"),
        ("jacobain(a)", "did you mean `jacobian`?"),
    ] {
        let message = crate::functions(&[asked.to_owned()]).expect_err(asked);
        assert!(message.contains(part), "{asked}: {message}");
    }
}
