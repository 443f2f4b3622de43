use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::parse::parse;
use hamel_compiler::resolve::{System, resolve};
use hamel_compiler::schedule::interpret::{Interpreter, Point};
use hamel_compiler::simplify::Limits;

use super::{Import, Options, import};

pub(super) fn translated(text: &str) -> Import {
    import(text, &Options::default()).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

pub(super) fn understood(import: &Import) -> System {
    let description = import.tokens().map_err(syn::Error::from).and_then(parse);
    let system = description.and_then(|description| resolve(&description));
    system.unwrap_or_else(|error| panic!("{error}\n{}", import.model))
}

pub(super) fn warnings(import: &Import) -> Vec<String> {
    import.warnings.iter().map(ToString::to_string).collect()
}

pub(super) fn robot(bodies: &str, others: &str) -> String {
    format!("<mujoco model=\"r\">\n<worldbody>\n{bodies}</worldbody>\n{others}</mujoco>")
}

const INERTIAL: &str = r#"<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>"#;

#[test]
fn an_arm_reads_like_its_description() {
    let text = r#"<mujoco model="small arm">
  <compiler angle="degree"/>
  <option gravity="0 0 -1.62" timestep="0.001"/>
  <default>
    <joint damping="0.5"/>
    <default class="stiff"><joint stiffness="3" springref="45" armature="0.1"/></default>
  </default>
  <asset/>
  <worldbody>
    <light/><light/>
    <geom type="plane" size="1 1 1"/>
    <body name="upper arm" pos="0 0 0.5" childclass="stiff">
      <joint name="hip" axis="0 1 0" range="-90 60"/>
      <joint name="slide" type="slide" class="main" range="0 0.25" damping="0"/>
      <inertial pos="0.1 0 0" mass="1.50" diaginertia="0.1 0.2 0.25"/>
      <site name="tool" pos="0.3 0 0"/>
      <body name="ball" pos="0.3 0 0">
        <joint name="socket" type="ball" pos="0 0 0.1" damping="0"/>
        <geom size="0.1" mass="1"/>
      </body>
    </body>
    <body name="drone" pos="0 1 2"><freejoint name="air"/><geom type="box" size="0.1 0.2 0.3" mass="3"/></body>
  </worldbody>
  <actuator>
    <motor name="drive" joint="hip" gear="2"/>
    <position name="push" joint="slide" kp="10" ctrlrange="0 1"/>
    <motor name="rope" tendon="t"/>
  </actuator>
</mujoco>"#;
    let import = translated(text);
    assert_eq!(
        import.model,
        "\
/// The robot `small arm`.
pub model SmallArm {
    coordinates joint;
    gravity [0, 0, -1.62] m/s^2;

    // Link `upper arm_frame1`.
    body upper_arm_frame1 {
        mass: 0.0 kg,
        inertia: diag(0.0, 0.0, 0.0) kg m^2,
    }
    // Link `upper arm`.
    body upper_arm {
        mass: 1.50 kg,
        center_of_mass: [0.1, 0.0, 0.0] m,
        inertia: diag(0.1, 0.2, 0.25) kg m^2,
    }
    body drone {
        mass: 3.0 kg,
        inertia: diag(0.13, 0.10000000000000002, 0.05000000000000001) kg m^2,
    }
    body ball {
        mass: 1.0 kg,
        inertia: diag(0.004000000000000001, 0.004000000000000001, 0.004000000000000001) kg m^2,
    }

    joint hip: revolute(ground at [0.0, 0.0, 0.5] m, upper_arm_frame1) { axis: [0.0, 1.0, 0.0], \
rotor_inertia: 0.1 kg m^2, limits: -1.5707963267948966 rad..1.0471975511965976 rad }
    joint slide: prismatic(upper_arm_frame1, upper_arm) { limits: 0.0 m..0.25 m }
    joint air: free(ground, drone);
    joint socket: spherical(upper_arm at [0.3, 0.0, 0.1] m, ball at [0.0, 0.0, 0.1] m);
    marker tool: upper_arm at [0.3, 0.0, 0.0] m;
    torque hip_damping: -0.5 N m s/rad * hip.velocity on hip;
    force hip_spring: torsion_spring(hip) { stiffness: 3 N m/rad, rest_angle: 0.7853981633974483 rad }
    input drive N m;
    torque drive_torque: 2.0 * drive on hip;
    input push m;
    force push_force: 10.0 N/m * push + -10.0 N/m * slide.displacement on slide;
    initial air.x = 0.0 m;
    initial air.y = 1.0 m;
    initial air.z = 2.0 m;
}
"
    );
    assert_eq!(
        warnings(&import),
        [
            "8:3: `asset` is ignored: shapes are not part of the dynamics",
            "10:5: `light` is ignored: settings of pictures (and 1 more)",
            "11:5: shapes of the ground hold nothing up: contacts are written in the model",
            "18:9: `stiffness` of a joint with several coordinates is ignored",
            "18:9: `armature` of a joint with several coordinates is ignored",
            "26:5: inputs and forces of actuators are not clamped to their ranges",
            "27:5: `motor` is ignored: it acts on a tendon, and not on a joint",
        ]
    );
    understood(&import);
}

/// How far constraints are from being kept.
fn residual_of(import: &Import, q: Vec<f64>) -> Vec<f64> {
    let tokens = import.tokens().expect("tokens");
    let stages = hamel_compiler::stages_within(tokens, &Limits::least());
    let stages = stages.unwrap_or_else(|error| panic!("{error}\n{}", import.model));
    let layout = &stages.simplified.layout;
    let model = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, Vec::new());
    let (nv, nc) = (layout.velocities.len(), layout.constraints.len());
    let (v, a, tau) = (vec![0.0; nv], vec![0.0; nv], Vec::new());
    let point = Point { t: 0.0, inputs: Vec::new(), q, v, a, lambda: vec![0.0; nc], tau };
    model.output(FunctionRole::Constraint, Role::Constraint, &point, (nc, 1)).values
}

/// Bodies that MuJoCo ties together in the reference position are tied there; couplings of joints are those of their
/// displacements from it.
#[test]
fn equalities_hold_where_the_robot_is_described() {
    let bodies = format!(
        r#"<body name="a" pos="0.1 0.2 0.3" euler="20 -30 50"><joint name="ja" axis="1 2 0" ref="30"/>{INERTIAL}
<body name="b" pos="0.5 0.1 0" quat="0.3 -0.2 0.9 0.1"><joint name="jb" axis="0 1 1" pos="0.1 0 0"/>{INERTIAL}<site name="sb" pos="1 0 0"/></body></body>
<body name="c" pos="-0.3 0 1" zaxis="1 1 1"><joint name="jc" type="slide" axis="1 0 0"/>{INERTIAL}<site name="sc"/></body>
"#
    );
    let equality = r#"<equality><connect name="pin" body1="b" body2="c" anchor="0.2 0.1 -0.4"/>
<weld name="glue" body1="a" body2="c"/><weld body1="c"/><joint name="belt" joint1="jb" joint2="ja" polycoef="0 -0.5"/>
<joint joint1="jc" polycoef="0.0"/><connect body1="a" active="false" anchor="0 0 0"/></equality>"#;
    let import = translated(&robot(&bodies, equality));
    for line in ["joint pin: spherical(", "joint glue: fixed(", "follows: ja, ratio: -0.5 }"] {
        assert!(import.model.contains(line), "{line}\n{}", import.model);
    }
    assert!(import.model.contains("constraint jc_held: jc.displacement == 0.0 m;"), "{}", import.model);
    assert!(warnings(&import).iter().any(|warning| warning.contains("not active")), "{:?}", warnings(&import));
    let size = |values: Vec<f64>| values.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
    let held = residual_of(&import, vec![0.0; 2]);
    assert_eq!(held.len(), 3 + 6 + 6 + 1);
    assert!(size(held.clone()) < 1e-14, "{held:?}\n{}", import.model);
    assert!(size(residual_of(&import, vec![0.1, 0.0])) > 1e-2);
    // The pose that MuJoCo computes for this anchor, of `eq_data`.
    let posed = r#"<equality><weld body1="a" body2="c" anchor="0.1 0.2 0.3" relpose="0.35590955517990164
        0.10883373226577597 0.6322297540375238 0.669968678813868 -0.20831522703175015 0.6719555149852234
        -0.23711288762117821"/></equality>"#;
    let import = translated(&robot(&bodies, posed));
    assert!(import.model.contains("c at [0.1, 0.2, 0.3] m) { cut }"), "{}", import.model);
    assert!(size(residual_of(&import, vec![0.0; 3])) < 1e-14, "{}", import.model);
    let sites = r#"<equality><connect site1="sb" site2="sc"/></equality>"#;
    let import = translated(&robot(&bodies, sites));
    assert!(import.model.contains("joint connect1: spherical(b at [1.0, 0.0, 0.0] m, c) { cut }"), "{}", import.model);
}

/// A free body that is tied to another place than it is described at starts there, so that the constraint holds: there
/// MuJoCo's `efc_pos` is zero.
#[test]
fn free_bodies_start_where_they_are_tied() {
    let shape = r#"<geom type="box" size="0.1 0.05 0.2"/>"#;
    let bodies = format!(
        r#"<body name="d" pos="0 0 1"><freejoint name="f"/>{shape}<site name="s" pos="0 0 0.5"/></body>
<body name="c" pos="1 0 1"><freejoint name="g"/>{shape}<body name="e" pos="0 0 1"><joint axis="0 1 0"/>{shape}<site name="t"/></body></body>
"#
    );
    // The coordinates of `f` and `g`, and what is said.
    let starts = |equality: &str| {
        let import = translated(&robot(&bodies, &format!("<equality>{equality}</equality>")));
        understood(&import);
        let start = |joint: &str, coordinate: &str| {
            let begin = format!("initial {joint}.{coordinate} = ");
            let found = import.model.lines().find_map(|line| line.trim().strip_prefix(&begin));
            found.and_then(|text| text.trim_end_matches([';', 'm', ' ']).parse::<f64>().ok())
        };
        let of = |joint| ["x", "y", "z", "e0", "e3"].map(|name| start(joint, name).unwrap_or(f64::NAN));
        (of("f"), of("g"), warnings(&import))
    };
    let near = |found: [f64; 5], expected: [f64; 5]| {
        let is_near = |(a, b): (f64, f64)| (a - b).abs() < 1e-14 || a.is_nan() && b.is_nan();
        assert!(found.into_iter().zip(expected).all(is_near), "{found:?}, expected {expected:?}");
    };
    const STRAIGHT: f64 = f64::NAN;
    let described = ([0.0, 0.0, 1.0, STRAIGHT, STRAIGHT], [1.0, 0.0, 1.0, STRAIGHT, STRAIGHT]);
    let (f, g, said) = starts(r#"<weld body1="d" body2="c" anchor="0.1 0 0"/>"#);
    near(f, described.0);
    near(g, described.1);
    assert!(said.is_empty(), "{said:?}");
    let (f, g, said) = starts(r#"<weld body1="d" body2="c" relpose="1 0 0 1 0 0 0" anchor="0.1 0 0"/>"#);
    near(f, described.0);
    near(g, [0.9, 0.0, 1.0, STRAIGHT, STRAIGHT]);
    assert_eq!(said, ["6:11: `weld1` does not hold where the robot is described: `g` starts where it does"]);
    // A quarter of a turn about z, around an anchor beside the axis.
    let (_, g, _) = starts(r#"<weld body1="d" body2="c" relpose="1 0 0 1 0 0 1" anchor="0.1 0.2 0"/>"#);
    near(g, [1.2, -0.1, 1.0, 0.5_f64.sqrt(), 0.5_f64.sqrt()]);
    let (f, ..) = starts(r#"<weld name="w" body1="d" relpose="0 0 2 1 0 0 0"/>"#);
    near(f, [0.0, 0.0, -2.0, STRAIGHT, STRAIGHT]);
    let (_, g, _) = starts(r#"<connect site1="s" site2="t"/>"#);
    near(g, [0.0, 0.0, 0.5, STRAIGHT, STRAIGHT]);
    let hinges = format!("<body name=\"a\"><joint/>{INERTIAL}</body>");
    let held = translated(&robot(&hinges, r#"<equality><weld body1="a" relpose="0 0 0 1 0 0 1"/></equality>"#));
    assert!(warnings(&held)[0].ends_with("the motion starts where it does"), "{:?}", warnings(&held));
}

/// What MuJoCo has and the language has not, or has in another way.
#[test]
fn what_is_left_out_is_said() {
    let box_ = r#"<geom type="box" size="0.1 0.2 0.3" pos="0.5 0 0"/>"#;
    let aligned = "`align` is ignored: the frame of a free body stays where it is described";
    let ball = "`range` of a joint with several coordinates is ignored";
    let uneven = "`actuatorfrcrange` is not symmetric: the limit of the effort is the larger side";
    let inactive = "an `equality` that is not active is ignored";
    let tied = r#"<equality><connect class="c" body1="a" anchor="0 0 0"/></equality>"#;
    let off = r#"<default><default class="c"><equality active="false"/></default></default>"#;
    let off_outside = r#"<default><equality active="false"/><default class="c"><equality/></default></default>"#;
    for (joint, others, expected) in [
        (r#"<freejoint align="true"/>"#, String::new(), &[aligned][..]),
        ("<freejoint/>", r#"<compiler alignfree="true"/>"#.to_owned(), &[aligned]),
        (r#"<joint type="free"/>"#, r#"<compiler alignfree="true"/>"#.to_owned(), &[aligned]),
        (r#"<freejoint align="false"/>"#, r#"<compiler alignfree="true"/>"#.to_owned(), &[]),
        ("<joint/>", r#"<compiler alignfree="true"/>"#.to_owned(), &[]),
        // MuJoCo aligns no body that carries others.
        (r#"<freejoint align="true"/><body/>"#, String::new(), &[]),
        (r#"<joint type="ball" range="0 30"/>"#, String::new(), &[ball]),
        (r#"<joint type="ball" range="0 30" limited="false"/>"#, String::new(), &[]),
        (r#"<joint actuatorfrcrange="-5 7"/>"#, String::new(), &[uneven]),
        (r#"<joint actuatorfrcrange="-7 7"/>"#, String::new(), &[]),
        (
            r#"<joint stiffness="1" springyield="0.1"/>"#,
            String::new(),
            &["`springyield` is ignored: springs do not yield"],
        ),
        ("<joint/>", format!("{off}{tied}"), &[inactive]),
        ("<joint/>", format!("{off_outside}{tied}"), &[inactive]),
        ("<joint/>", format!("{off}{}", tied.replace("class=\"c\" ", "")), &[]),
        ("<joint/>", format!("{off_outside}{}", tied.replace("class=", "active=\"true\" class=")), &[]),
    ] {
        let import = translated(&robot(&format!("<body name=\"a\">{joint}{box_}</body>\n"), &others));
        let said: Vec<String> = import.warnings.iter().map(|warning| warning.message.clone()).collect();
        assert_eq!(said, expected, "{joint} {others}");
        assert_eq!(import.model.contains("cut"), !others.is_empty() && others.contains("connect") && said.is_empty());
    }
}

/// Declarations of a type are of no meaning; entities and comments that XML does not have are refused in all formats.
#[test]
fn declarations_are_skipped() {
    let text = robot(&format!("<body><joint/>{INERTIAL}</body>"), "");
    assert!(
        translated(&format!("<?xml version=\"1.0\"?>\n<!DOCTYPE mujoco SYSTEM \"m.dtd\" []>\n{text}"))
            .model
            .contains("revolute")
    );
    let entity = format!("<!DOCTYPE mujoco [<!ENTITY a \"b\">]>\n{text}");
    assert_eq!(import_error(&entity), "1:1: entities (`<!ENTITY`) are not expanded\nhelp: write what they stand for");
    let comment = text.replace("<worldbody>", "<!-- a -- b --><worldbody>");
    assert_eq!(
        import_error(&comment),
        "2:1: a comment contains `--`, or ends with `-`\nhelp: XML has no such comments"
    );
}

/// Whichever comes first.
#[test]
fn sites_may_have_the_names_of_bodies() {
    let text = robot(
        &format!(
            "<body name=\"a\"><joint name=\"j\"/>{INERTIAL}<site name=\"b\" pos=\"0 0 1\"/>\
             <body name=\"b\"><joint/>{INERTIAL}<site name=\"c\"/></body></body><body name=\"b_site\"><joint/>{INERTIAL}</body>"
        ),
        "<equality><connect site1=\"b\" site2=\"c\"/></equality>",
    );
    let import = translated(&text);
    assert!(import.model.contains("marker b_site_: a at [0.0, 0.0, 1.0] m;"), "{}", import.model);
    understood(&import);
}

#[test]
fn mistakes_are_reported_at_once_where_they_are() {
    let body = |name: &str, inside: &str| format!("<body name=\"{name}\">{inside}</body>\n");
    let messages = |text: &str| {
        let errors = import(text, &Options::default()).expect_err(text);
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let text = robot(
        &[
            body("a", &format!("<joint name=\"j\" axis=\"0 0 0\"/>{INERTIAL}")),
            body("b", "<joint name=\"k\" type=\"screw\"/><geom type=\"mesh\" mesh=\"m\"/>"),
            body("c", "<joint name=\"l\"/><geom type=\"box\" size=\"1 x\"/>"),
            body("a", &format!("<joint name=\"m\" class=\"no\"/>{INERTIAL}")),
            "<composite count=\"3\"/>\n".to_owned(),
        ]
        .concat(),
        "<actuator><motor joint=\"jj\"/></actuator><equality><weld body1=\"d\"/></equality>",
    );
    let found = messages(&text);
    let expected = [
        "3:16: joint `j`: expected a direction, found a zero vector",
        "4:16: joint `k`: unknown type of joint `screw`\nhelp: known are hinge, slide, ball, free",
        "4:46: body `b`: unknown mesh `m`",
        "5:56: body `c`: expected 3 to 3 numbers in `size`, found `1 x`",
        "6:1: the name `a` of a body is used twice, first at 3:1",
        "6:16: body `a`: unknown class `no`",
        "7:1: `composite` is not expanded\nhelp: expand it first: load the file with MuJoCo",
        "9:11: actuator `actuator1`: unknown joint `jj`",
        "9:51: unknown body `d`",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (message, expected) in found.iter().zip(expected) {
        assert!(message.starts_with(expected), "{message}, expected {expected}");
    }
    assert!(messages("<robot/>")[0].contains("whose outermost element is `mujoco`, found `robot`"));
    let still = robot(&body("a", INERTIAL), "");
    assert!(messages(&still)[0].contains("nothing of the robot moves"));
    let floating = Options { is_floating: true, ..Options::default() };
    let text = robot(&body("a", &format!("<joint/>{INERTIAL}")), "");
    let errors = import(&text, &floating).expect_err("there is no root");
    assert!(errors.to_string().contains("leave out `--floating`"), "{errors}");
    let massless = messages(&robot(&body("a", "<joint/>"), ""));
    assert!(massless[0].starts_with("3:1: `a` moves but has no inertia"), "{massless:?}");
}

/// What the compiler of MuJoCo is told: which shapes count, and what masses become.
#[test]
fn settings_of_the_compiler_are_kept() {
    let body = r#"<body name="a"><joint/><geom size="0.1" mass="1" group="2"/><geom size="0.1" mass="2" group="4"/>
<inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/></body>"#;
    let mass = |compiler: &str| {
        let text = robot(body, "").replace("<worldbody>", &format!("<compiler {compiler}/><worldbody>"));
        let import = translated(&text);
        import.model.lines().find(|line| line.contains("mass: ")).unwrap_or_default().trim().to_owned()
    };
    assert_eq!(mass(""), "mass: 5 kg,");
    assert_eq!(mass("inertiafromgeom=\"true\""), "mass: 3.0 kg,");
    assert_eq!(mass("inertiafromgeom=\"true\" inertiagrouprange=\"3 5\""), "mass: 2.0 kg,");
    assert_eq!(mass("settotalmass=\"10\""), "mass: 10.0 kg,");
    assert_eq!(mass("boundmass=\"7\""), "mass: 7.0 kg,");
}

/// Whatever is written, it is refused or becomes a model that the language has.
#[test]
fn mutated_descriptions_never_panic() {
    const VALUES: [&str; 16] = [
        "",
        "0",
        "-1",
        "1e308",
        "nan",
        "0 0 0",
        "1 2 3 4 5 6 7",
        "x",
        "b1",
        "j1",
        "world",
        "mesh",
        "free",
        "true",
        "auto",
        "&#10;body evil { mass: 1 kg }",
    ];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mujoco");
    let mut texts: Vec<String> = (0..3)
        .map(|k| std::fs::read_to_string(folder.join(format!("random{k}.xml"))).expect("a description"))
        .collect();
    texts.push(robot(
        &format!(
            "<body name=\"a\"><joint name=\"j\"/>{INERTIAL}<body name=\"b\"><joint/><geom size=\"1\"/></body></body>"
        ),
        "<equality><connect body1=\"a\" body2=\"b\" anchor=\"1 0 0\"/><joint joint1=\"j\"/></equality>",
    ));
    let mut seed = 9_u64;
    let mut below = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let (mut accepted, mut refused) = (0, 0);
    for case in 0..1500 {
        let text = &texts[case % texts.len()];
        let mut changed = text.clone();
        for _ in 0..1 + below(3) {
            let quotes: Vec<usize> = changed.match_indices('"').map(|(at, _)| at).collect();
            let pair = 2 * below(quotes.len() / 2);
            let value = VALUES[below(VALUES.len())];
            match below(4) {
                // A value, a name of an attribute, or an element.
                0 | 1 => changed.replace_range(quotes[pair] + 1..quotes[pair + 1], value),
                2 => {
                    changed =
                        changed.replacen(["pos=", "size=", "mass=", "axis=", "type="][below(5)], "was=", 1 + below(3))
                }
                _ => changed = changed.replacen(["<joint", "<body", "<geom", "<inertial"][below(4)], "<frame", 1),
            }
        }
        match import(&changed, &Options::default()) {
            Ok(import) => {
                let description = import.tokens().map_err(syn::Error::from).and_then(parse);
                let description = description.unwrap_or_else(|error| panic!("{error}\n{}", import.model));
                let _ = resolve(&description);
                accepted += 1;
            }
            Err(errors) => refused += usize::from(!errors.to_string().is_empty()),
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} accepted, {refused} refused");
}

/// Copies stand, are called and are referred to as in MuJoCo: the innermost number comes first.
#[test]
fn replicas_have_the_names_that_mujoco_gives_them() {
    let inside = r#"<body name="arm"><joint name="hinge"/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/><site name="tip"/>
<replicate count="2" sep="y" offset="0 1 0"><body name="finger"><joint name="bend"/><geom size="0.1"/></body></replicate>
</body>"#;
    let outside = r#"<actuator><motor name="push" joint="bend"/><motor joint="hinge"/></actuator>
<equality><weld name="tie" body1="arm" body2="world"/></equality>"#;
    let bodies = format!(r#"<replicate count="10" sep="x" offset="1 0 0" euler="0 0 90">{inside}</replicate>"#);
    let import = translated(&robot(&bodies, outside));
    for line in [
        "body armx00 {",
        "body armx09 {",
        "body fingery1x03 {",
        "joint hingex01: revolute(ground at [1.0, 0.0, 0.0] m rotated rotation_z(90 deg), armx01);",
        "joint bendy1x04: revolute(armx04 at [0.0, 1.0, 0.0] m, fingery1x04);",
        "marker tipx02: armx02;",
        "torque pushy0x05_torque: 1.0 * pushy0x05 on bendy0x05;",
        "joint tiex07: fixed(",
        "torque actuator30_torque: 1.0 * actuator30 on hingex09;",
    ] {
        assert!(import.model.contains(line), "{line}\n{}", import.model);
    }
    understood(&import);
    let without = |text: &str, outside: &str| import_error(&robot(text, outside));
    let one = bodies.replace("count=\"10\"", "count=\"1\"");
    for (bodies, outside, expected) in [
        (bodies.replace("count=\"10\"", "count=\"1.5\""), "", "3:1: expected a whole number in `count`, found `1.5`"),
        (bodies.replace("count=\"10\"", "count=\"1e9\""), "", "3:1: found 1000000000 copies, expected at most"),
        (bodies.replace("count=\"10\"", ""), "", "3:1: expected the attribute `count` of `replicate`"),
        (one.replace("<site name=\"tip\"/>", "<replicate count=\"2\"><joint/></replicate>"), "", "3:"),
        (one.clone(), "<equality><joint joint1=\"hinge\" joint2=\"bend\"/></equality>", "6:11: it refers to copies"),
        (
            one.clone(),
            "<actuator><motor joint=\"hinges\"/></actuator>",
            "6:11: actuator `actuator1`: unknown joint `hinges`",
        ),
    ] {
        let found = without(&bodies, outside);
        assert!(found.starts_with(expected), "{found}, expected {expected}");
    }
    // Copies of copies of copies are not made before they are counted.
    let many = (0..20).fold(one, |text, _| format!("<replicate count=\"50\">{text}</replicate>"));
    assert!(without(&many, "").contains("expected at most"), "too many");
    let many = (0..20).fold(String::new(), |text, k| {
        format!("<replicate count=\"50\"><body name=\"b{k}\"><joint name=\"j{k}\"/><geom size=\"1\"/>{text}</body></replicate>")
    });
    assert!(without(&many, "").contains("expected at most"), "too many");
}

pub(super) fn import_error(text: &str) -> String {
    import(text, &Options::default()).expect_err(text).to_string()
}

#[test]
fn attributes_that_nobody_knows_are_said() {
    let body = format!("<body name=\"b\"><joint dampin=\"3\" axis=\"0 1 0\"/>{INERTIAL}<site naem=\"s\"/></body>\n");
    let others = "<option><flag gravty=\"disable\"/></option>\n<sensor><jointpos join=\"b\"/></sensor>\n";
    let found = warnings(&translated(&robot(&body, others)));
    for (attribute, element) in [("dampin", "joint"), ("naem", "site"), ("gravty", "flag")] {
        let expected = format!("the attribute `{attribute}` of `{element}` is not known, and ignored");
        assert!(found.iter().any(|warning| warning.ends_with(&expected)), "{expected}: {found:?}");
    }
    assert_eq!(found.iter().filter(|warning| warning.contains("is not known")).count(), 3, "{found:?}");
}

/// Springs and dampers are switched off together by the flag of older versions.
#[test]
fn joints_without_passive_forces_have_none() {
    let body = format!("<body name=\"b\"><joint damping=\"3\" stiffness=\"2 0 0\"/>{INERTIAL}</body>\n");
    let with = translated(&robot(&body, ""));
    assert!(with.model.contains("-3 N m s/rad") && with.model.contains("stiffness: 2"), "{}", with.model);
    let without = translated(&robot(&body, "<option><flag passive=\"disable\"/></option>\n"));
    assert!(!without.model.contains("damping") && !without.model.contains("spring"), "{}", without.model);
    assert!(warnings(&without)[0].contains("`passive` is switched off"), "{:?}", warnings(&without));
    let powers = robot(&body.replace("2 0 0", "2 0 5"), "");
    let error = import(&powers, &Options::default()).unwrap_err().to_string();
    assert!(error.contains("`stiffness` has factors of higher powers, which are not read"), "{error}");
}
