use hamel_compiler::parse::parse;
use hamel_compiler::resolve::{System, resolve};

use super::{Error, Import, Options, import};

const FIXED: Options = Options { is_floating: false, provide: Vec::new() };
const FLOATING: Options = Options { is_floating: true, provide: Vec::new() };

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
    let Error { place, problem } = import(text, options).expect_err(text);
    (place.line, place.column, problem.to_string())
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
    assert_eq!(names, ["leg", "bob"], "{}", import.model);
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

    joint shoulder: revolute(ground at [0, 0, 0.1] m rotated rotation_x(-90 deg), upper_arm) { axis: [0, -1, 0] }
    joint elbow: prismatic(upper_arm rotated euler_zyx(0.1 rad, 0 rad, -180 deg), slide);
    // Frame `tool0`: slide at [0, 0, 0.2] m rotated rotation_y(90 deg).
    // Frame `camera`: slide at [0, 0, 0.2] m + rotation_y(90 deg) * [1, 0, 0] m rotated rotation_y(90 deg).
    torque shoulder_damping: -0.5 N m s/rad * shoulder.velocity on shoulder;
    force elbow_damping: -2 N s/m * elbow.velocity on elbow;
}
"
    );
    assert_eq!(
        warnings(&import),
        [
            "5:15: the angle 1.5708 is taken for 90 deg",
            "7:5: `visual` is ignored: shapes are not part of the dynamics (and 1 more)",
            "16:25: `limit` is ignored: joints move beyond their limits",
            "16:57: `friction` is ignored: a model that is solved for accelerations has no sticking",
            "19:52: the angle -3.14159 is taken for -180 deg",
            "26:3: `gazebo` is ignored: settings of a simulator",
        ]
    );
    let system = understood(&import);
    assert_eq!((system.bodies.len(), system.joints.len(), system.forces.len()), (2, 2, 2));
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
fn a_root_floats_with_the_body_that_coincides_with_it() {
    let rooted = |origin: &str| {
        robot(&format!(
            r#"<link name="base"/><link name="trunk">{INERTIAL}</link>
<joint name="weld" type="fixed"><parent link="base"/><child link="trunk"/>{origin}</joint>"#
        ))
    };
    let import = translated(&rooted(""), &FLOATING);
    assert!(import.model.contains("joint base: free(ground, trunk);"), "{}", import.model);
    assert_eq!(understood(&import).joints.len(), 1);
    let (line, column, message) = error(&rooted(r#"<origin xyz="0 0 1"/>"#), &FLOATING);
    assert_eq!((line, column), (2, 1));
    assert!(message.starts_with("`base` moves but has no inertia"), "{message}");
    let import = translated(&rooted(""), &FIXED);
    assert!(import.model.contains("joint weld: fixed(ground, trunk);"), "{}", import.model);

    let import = translated(&robot(&format!(r#"<link name="trunk">{INERTIAL}</link>"#)), &FLOATING);
    assert!(import.model.contains("joint base: free(ground, trunk);"), "{}", import.model);
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
            "expected URDF, found the macro `arm`",
        ),
    ];
    for (text, place, part) in cases {
        let (line, column, message) = error(&text, &FIXED);
        assert!(message.contains(part), "expected `{part}`, found `{message}` in\n{text}");
        assert_eq!((line, column), place, "{message} in\n{text}");
    }
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
