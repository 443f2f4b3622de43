//! Descriptions in MJCF that other files are part of.

use std::fs;

use hamel_import::{Format, Import, Options, Visuals};

const MAIN: &str = r#"<mujoco model="arm">
  <include file="parts/defaults.xml"/>
  <worldbody>
    <body name="base">
      <geom type="mesh" mesh="stand"/>
      <include file="./parts/arm.xml"/>
    </body>
  </worldbody>
  <include file="parts/motors.xml"/>
</mujoco>"#;

const DEFAULTS: &str = r#"<mujoco><compiler angle="radian"/>
<default><default class="hinge"><joint axis="0 1 0" damping="0.5"/></default></default></mujoco>"#;

const ARM: &str = r#"<mujocoinclude>
  <body name="upper"><joint name="shoulder" class="hinge"/><inertial pos="0 0 0.1" mass="2" diaginertia="1 1 1"/>
    <include file="parts/lower.xml"/>
  </body>
</mujocoinclude>"#;

const LOWER: &str = r#"<mujoco><body name="lower" pos="0 0 0.5"><joint name="elbow" class="hinge"/>
<geom type="capsule" size="0.05 0.2" mass="1"/></body></mujoco>"#;

const MOTORS: &str = r#"<mujoco><actuator><motor name="drive" joint="elbow" gear="3"/></actuator></mujoco>"#;

/// The import of a description beside files, or the messages.
fn imported(main: &str, files: &[(&str, &str)]) -> Result<Import, String> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("parts")).expect("a folder");
    for (file, text) in files {
        fs::write(folder.path().join(file), text).expect("a file");
    }
    let model_folder = folder.path().to_owned();
    let visuals = Some(Visuals { folder: model_folder.clone(), packages: Vec::new(), model_folder });
    Format::Mjcf.import(main, &Options { visuals, ..Options::default() }).map_err(|errors| errors.to_string())
}

const FILES: [(&str, &str); 4] = [
    ("parts/defaults.xml", DEFAULTS),
    ("parts/arm.xml", ARM),
    ("parts/lower.xml", LOWER),
    ("parts/motors.xml", MOTORS),
];

#[test]
fn a_robot_in_files_is_that_in_one() {
    let within = |text: &str| {
        let (begin, end) = (text.find('>').expect("a root") + 1, text.rfind("</").expect("a root"));
        text[begin..end].to_owned()
    };
    let whole = MAIN
        .replace("<include file=\"parts/defaults.xml\"/>", &within(DEFAULTS))
        .replace("<include file=\"./parts/arm.xml\"/>", &within(ARM))
        .replace("<include file=\"parts/lower.xml\"/>", &within(LOWER))
        .replace("<include file=\"parts/motors.xml\"/>", &within(MOTORS));
    assert!(!whole.contains("include"));
    let [apart, together] = [(MAIN, &FILES[..]), (&whole, &[])].map(|(main, files)| imported(main, files).unwrap());
    assert_eq!(apart.model, together.model);
    assert!(apart.model.contains("joint elbow") && apart.model.contains("input drive"), "{}", apart.model);
}

#[test]
fn mistakes_name_the_file_and_the_place_where_it_is_included() {
    let with = |file: &str, text: &str| -> Vec<(String, String)> {
        FILES
            .iter()
            .map(|&(known, own)| (known.to_owned(), if known == file { text } else { own }.to_owned()))
            .collect()
    };
    let message = |main: &str, file: &str, text: &str| {
        let files = with(file, text);
        let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
        imported(main, &files).unwrap_err()
    };
    let found = message(MAIN, "parts/lower.xml", &LOWER.replace("0.05 0.2", "0.05 x"));
    assert!(found.starts_with("6:7: body `lower` of `./parts/arm.xml`: expected 2 to 3 numbers in `size`"), "{found}");
    // What stands behind an included file is where it was.
    let found = message(&MAIN.replace("mesh=\"stand\"/>", "mesh=\"stand\" class=\"no\"/>"), "", "");
    assert!(found.starts_with("5:7: body `base`: unknown class `no`"), "{found}");
    let found = message(MAIN, "parts/arm.xml", "<mujocoinclude>");
    assert!(found.starts_with("6:7: `./parts/arm.xml` is not included: 1:"), "{found}");
    let found = message(MAIN, "parts/lower.xml", "<mujoco><include file=\"parts/arm.xml\"/></mujoco>");
    assert!(found.contains("`parts/arm.xml` is not included: it is included twice"), "{found}");
    let found = message(&MAIN.replace("motors.xml", "motor.xml"), "", "");
    assert!(found.starts_with("9:3: `parts/motor.xml` is not included: "), "{found}");
    assert!(found.contains("help: paths start at the folder of the description"), "{found}");
    let found = message(&MAIN.replace("file=\"parts/motors.xml\"", ""), "", "");
    assert!(found.contains("9:3: ") && found.contains("file"), "{found}");
}

/// Free joints are damped as MuJoCo has it, equally in all directions.
#[test]
fn free_joints_are_damped() {
    let text = r#"<mujoco><worldbody><body name="a"><joint name="f" type="free" damping="0.25"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>"#;
    let import = imported(text, &[]).unwrap();
    assert!(import.warnings.is_empty(), "{:?}", import.warnings);
    for line in [
        "force f_damping_v_y: -0.25 N s/m * f.v_y on f.v_y;",
        "torque f_damping_x: -0.25 N m s/rad * f.omega_x on f.omega_x;",
    ] {
        assert!(import.model.contains(line), "{line}\n{}", import.model);
    }
    hamel_compiler::understand(import.tokens().unwrap()).unwrap();
}
