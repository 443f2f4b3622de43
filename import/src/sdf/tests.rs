use hamel_compiler::parse::parse;
use hamel_compiler::resolve::resolve;

use super::{Import, Options, import};

fn read(text: &str, is_floating: bool) -> Import {
    let options = Options { is_floating, ..Options::default() };
    import(text, &options).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

fn understood(import: &Import) {
    let description = import.tokens().map_err(syn::Error::from).and_then(parse);
    let system = description.and_then(|description| resolve(&description));
    assert!(system.is_ok(), "{}\n{}", system.err().map(|error| error.to_string()).unwrap_or_default(), import.model);
}

fn model(version: &str, inside: &str) -> String {
    format!("<sdf version=\"{version}\"><model name=\"m\">\n{inside}\n</model></sdf>")
}

fn refused(inside: &str) -> String {
    match import(&model("1.9", inside), &Options::default()) {
        Ok(import) => panic!("{}", import.model),
        Err(errors) => errors.to_string(),
    }
}

const BODY: &str = "<inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial>";

#[test]
fn an_arm_reads_like_its_description() {
    let text = format!(
        r#"<sdf version="1.11"><world name="lab"><gravity>0 0 -1.62</gravity><light/>
<model name="small arm"><pose>0 0 1 0 0 1.5708</pose>
<link name="base"/>
<link name="upper arm"><pose>0 0 0.5 0 0 0</pose>{BODY}<visual name="v"/><visual name="w"/></link>
<link name="fore"><pose relative_to="upper arm">0.30 0 0 0 0 0</pose>{BODY}</link>
<link name="nut">{BODY}</link>
<link name="hand"><pose relative_to="tool"/>{BODY}</link>
<frame name="tool" attached_to="fore"><pose relative_to="fore">0.2 0 0 0 0 0</pose></frame>
<joint name="fix" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="hip" type="revolute"><parent>base</parent><child>upper arm</child><axis><xyz>0 1 0</xyz>
  <limit><lower>-1.0</lower><upper>2</upper><velocity>3</velocity><effort>40</effort></limit>
  <dynamics><damping>0.5</damping><friction>1</friction></dynamics></axis></joint>
<joint name="elbow" type="prismatic"><parent>upper arm</parent><child>fore</child><axis><xyz expressed_in="__model__">0 0 1</xyz>
  <dynamics><spring_stiffness>7</spring_stiffness><spring_reference>0.1</spring_reference></dynamics>
  <limit><lower>-inf</lower><upper>0.4</upper></limit>
  <mimic joint="hip" axis="axis"><multiplier>0.5</multiplier><offset>0.2</offset><reference>0.1</reference></mimic></axis></joint>
<joint name="thread" type="screw"><parent>fore</parent><child>nut</child><axis><xyz>1 0 0</xyz></axis>
  <screw_thread_pitch>0.02</screw_thread_pitch></joint>
<joint name="wrist" type="universal"><pose>0 0 0.1 0 0 0</pose><parent>tool</parent><child>hand</child>
  <axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz><dynamics><damping>0.1</damping></dynamics></axis2></joint>
</model></world></sdf>"#
    );
    let import = read(&text, false);
    assert_eq!(
        import.model,
        "\
/// The robot `small arm`.
pub model SmallArm {
    coordinates joint;
    gravity [0, 0, -1.62] m/s^2;

    // Link `upper arm`.
    body upper_arm {
        mass: 2 kg,
        inertia: diag(0.1, 0.2, 0.25) kg m^2,
    }
    body fore {
        mass: 2 kg,
        inertia: diag(0.1, 0.2, 0.25) kg m^2,
    }
    body nut {
        mass: 2 kg,
        inertia: diag(0.1, 0.2, 0.25) kg m^2,
    }
    body hand {
        mass: 2 kg,
        inertia: diag(0.1, 0.2, 0.25) kg m^2,
    }
    body wrist_frame {
        mass: 0.0 kg,
        inertia: diag(0.0, 0.0, 0.0) kg m^2,
    }

    joint hip: revolute(ground at [0.0, 0.0, 1.0] m + rotation_z(90 deg) * [0.0, 0.0, 0.5] m rotated rotation_z(90 deg), \
         upper_arm) { axis: [0, 1, 0], limits: -1.0 rad..2 rad, velocity_limit: 3 rad/s, effort_limit: 40 N m }
    joint elbow: prismatic(upper_arm at [0.3, 0.0, 0.0] m, fore) { follows: hip, ratio: 0.5 m/rad, \
         offset: 0.15000000000000002 m }
    joint thread: screw(fore at [-0.3, 0.0, -0.5] m, nut) { axis: [1, 0, 0], pitch: 0.02 m }
    joint wrist_axis: revolute(fore at [0.2, 0.0, 0.1] m, wrist_frame) { axis: [1, 0, 0] }
    joint wrist_axis2: revolute(wrist_frame, hand at [0.0, 0.0, 0.1] m) { axis: [0, 1, 0] }
    // Link `base`.
    marker base_link: ground at [0.0, 0.0, 1.0] m rotated rotation_z(90 deg);
    marker tool: fore at [0.2, 0.0, 0.0] m;
    torque hip_damping: -0.5 N m s/rad * hip.velocity on hip;
    torque wrist_axis2_damping: -0.1 N m s/rad * wrist_axis2.velocity on wrist_axis2;
    force elbow_spring: -(7 N/m) * (elbow.displacement - (0.1 m)) on elbow;
    output elbow = elbow.displacement;
}
"
    );
    let warnings: Vec<String> = import.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "1:67: `light` is ignored: settings of pictures",
            "2:25: the angle 1.5708 is taken for 90 deg",
            "3:1: `inertial` is missing: in SDFormat such a link has 1 kg and 1 kg m² about each axis",
            "3:1: the inertia of `base` is ignored: the link is the ground",
            "4:147: `visual` is ignored: shapes are not part of the dynamics (and 1 more)",
            "12:3: `friction` is ignored: a model that is solved for accelerations has no sticking",
            "15:3: a `limit` on one side alone is ignored",
        ]
    );
    understood(&import);
}

#[test]
fn what_nothing_holds_stands_on_the_ground_or_moves_freely() {
    let text = model(
        "1.7",
        &format!(
            "<pose>0 0 2 0 0 0</pose><link name=\"a\">{BODY}</link><link name=\"b\">{BODY}</link>\n\
        <joint name=\"j\" type=\"ball\"><parent>b</parent><child>a</child></joint>"
        ),
    );
    let fixed = read(&text, false);
    assert_eq!(
        fixed.warnings[0].to_string(),
        "2:144: `b` stands on the ground, because no joint connects it with the world; `--floating` (in Python \
         `floating=True`) lets it move freely"
    );
    assert!(fixed.model.contains("joint j: spherical(ground at [0.0, 0.0, 2.0] m, a);"), "{}", fixed.model);
    let floating = read(&text, true);
    assert!(floating.warnings.is_empty(), "{:?}", floating.warnings);
    for line in ["joint base: free(ground, b);", "joint j: spherical(b, a);", "initial base.z = 2.0 m;"] {
        assert!(floating.model.contains(line), "{}", floating.model);
    }
    [fixed, floating].iter().for_each(understood);
}

#[test]
fn joints_that_close_loops_are_cut_and_those_that_lead_back_are_turned_round() {
    let links: String = ["a", "b", "c"].map(|name| format!("<link name=\"{name}\">{BODY}</link>")).concat();
    let joint = |name: &str, parent: &str, child: &str, x: f64| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><pose>{x} 0 0 0 0 0</pose><parent>{parent}</parent>\
             <child>{child}</child><axis><xyz>0 1 0</xyz></axis></joint>"
        )
    };
    let joints = [
        joint("p", "world", "a", 0.0),
        joint("q", "b", "a", 1.0),
        joint("r", "b", "c", 2.0),
        joint("s", "world", "c", 3.0),
    ];
    let import = read(&model("1.9", &format!("{links}{}", joints.concat())), false);
    for line in [
        "joint p: revolute(ground, a) { axis: [0, 1, 0] }",
        "joint q: revolute(a at [1.0, 0.0, 0.0] m, b at [1.0, 0.0, 0.0] m) { axis: [0.0, -1.0, 0.0] }",
        "joint r: revolute(b at [2.0, 0.0, 0.0] m, c at [2.0, 0.0, 0.0] m) { axis: [0, 1, 0] }",
        "joint s: revolute(ground at [3.0, 0.0, 0.0] m, c at [3.0, 0.0, 0.0] m) { axis: [0, 1, 0], cut }",
    ] {
        assert!(import.model.contains(line), "{line}\n{}", import.model);
    }
    understood(&import);
}

#[test]
fn mistakes_are_reported_where_they_are() {
    let link = format!("<link name=\"a\">{BODY}</link>");
    for (inside, message) in [
        (
            "<include><uri>model://arm</uri></include>",
            "2:1: `include` is not expanded\nhelp: expand it first: `gz sdf -p FILE > robot.sdf`",
        ),
        ("<link/>", "2:1: expected the attribute `name` of `link`"),
        ("<link name=\"a\"><pose relative_to=\"b\">0 0 0 0 0 0</pose></link>", "2:16: unknown frame `b`"),
        ("<link name=\"a\"><pose>0 0 0</pose></link>", "2:16: expected 6 numbers in `pose`, found `0 0 0`"),
        (
            "<frame name=\"f\"><pose relative_to=\"g\"/></frame><frame name=\"g\"><pose relative_to=\"f\"/></frame>",
            "2:1: the place of `f` is relative to itself, through others",
        ),
        (
            "<link name=\"a\"><inertial><mass>-1</mass></inertial></link>",
            "2:16: link `a`: expected a mass that is not negative, found -1",
        ),
        (
            "@<joint name=\"j\" type=\"gearbox\"><parent>world</parent><child>a</child></joint>",
            "3:1: joint `j`: unknown type of joint `gearbox`\nhelp: known are revolute, continuous, prismatic, fixed, ball, universal, revolute2, screw",
        ),
        (
            "@<joint name=\"j\" type=\"revolute\"><parent>world</parent><child>a</child></joint>",
            "3:1: joint `j`: expected `axis` in `joint`",
        ),
        (
            "@<joint name=\"j\" type=\"revolute\"><parent>world</parent><child>a</child><axis><xyz>0 0 0</xyz></axis></joint>",
            "3:71: joint `j`: expected a direction, found a zero vector",
        ),
        (
            "@<joint name=\"j\" type=\"ball\"><parent>a</parent><child>a</child></joint>",
            "3:1: joint `j`: `a` moves itself, through the joints between it and its parent",
        ),
        ("@@", "3:1: the name `a` of a link is used twice, first at 2:1"),
        (
            "<link name=\"a\"><inertial auto=\"true\"/><collision name=\"c\"><geometry><mesh/></geometry></collision></link>",
            "2:69: link `a`: the inertia of a `mesh` is not computed\nhelp: give its body an explicit `inertial`",
        ),
    ] {
        assert_eq!(refused(&inside.replace('@', &format!("{link}\n"))), message, "{inside}");
    }
    for (text, message) in [
        ("<robot/>", "1:1: expected an SDFormat description, whose outermost element is `sdf`, found `robot`"),
        ("<sdf><model name='m'/></sdf>", "1:1: expected the attribute `version` of `sdf`"),
        ("<sdf version='2'/>", "1:1: expected a version such as 1.9, found `2`\nhelp: write the version of SDFormat"),
        ("<sdf version='1.9'/>", "1:1: nothing of the robot moves\nhelp: let its root move freely, with `--floating`"),
    ] {
        let errors = import(text, &Options::default()).map(|import| import.model).expect_err(text);
        assert_eq!(errors.to_string(), message);
    }
}

#[test]
fn attributes_that_nobody_knows_are_said() {
    let inside = format!(
        "<link name='l'>{BODY}</link><link name='m'>{BODY}</link>\n\
         <joint name='j' type='revolute'><parent>world</parent><child>l</child><axis><xyz>0 0 1</xyz></axis></joint>\
         <joint name='k' type='fixed'><parent>l</parent><child>m</child>\
         <pose relativeto='l'>1 0 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis></joint>"
    );
    let import = import(&model("1.9", &inside), &Options::default()).unwrap();
    let found: Vec<String> = import.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("the attribute `relativeto` of `pose` is not known, and ignored"), "{found:?}");
}
