//! What bodies of imported robots look like: files are found, placed and coloured, what cannot be read is said, and nothing
//! of it changes the dynamics.

use std::fs;
use std::path::Path;

use hamel_import::{Format, Import, Options, Visuals};

const INERTIAL: &str =
    r#"<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"#;

/// A folder `kit` with descriptions in `kit/robots` and meshes in `kit/meshes`, and a package elsewhere.
fn folders() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for file in [
        "kit/robots/own.stl",
        "kit/meshes/arm.STL",
        "kit/meshes/hull.obj",
        "other/parts/far.stl",
        "kit/meshes/a \"b\".stl",
    ] {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    root
}

fn imported(format: Format, text: &str, root: &Path) -> Import {
    let visuals = Visuals {
        folder: root.join("kit/robots"),
        packages: vec![("far".to_owned(), root.join("other/parts"))],
        model_folder: root.join("kit/robots"),
    };
    let with = Options { visuals: Some(visuals), ..Options::default() };
    let with = format.import(text, &with).unwrap_or_else(|errors| panic!("{errors}"));
    let without = format.import(text, &Options::default()).unwrap();
    let is_look = |line: &&str| ["shape:", "color:"].iter().any(|word| line.trim_start().starts_with(word));
    let rest: Vec<&str> = with.model.lines().filter(|line| !is_look(line)).collect();
    let rest = rest.join("\n").replace("    body ground {\n    }\n", "");
    let rest: Vec<&str> = rest.lines().collect();
    assert_eq!(rest, without.model.lines().collect::<Vec<_>>(), "all else is the same");
    let (_, system) =
        hamel_compiler::understand(with.tokens().unwrap()).unwrap_or_else(|errors| panic!("{errors}\n{}", with.model));
    let of_ground: usize = system.ground.iter().map(|look| look.shapes.len()).sum();
    let shapes = of_ground + system.bodies.iter().map(|body| body.shapes.len()).sum::<usize>();
    assert_eq!(shapes, with.model.matches("shape:").count());
    with
}

fn looks(import: &Import) -> Vec<&str> {
    let is_look = |line: &&str| ["shape:", "color:"].iter().any(|word| line.starts_with(word));
    import.model.lines().map(str::trim).filter(is_look).collect()
}

fn warnings(import: &Import) -> String {
    import.warnings.iter().map(|warning| format!("{warning}\n")).collect()
}

#[test]
fn visuals_of_urdf_are_shapes() {
    let root = folders();
    let text = format!(
        r#"<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material>
<link name="base"><visual><geometry><sphere radius="1"/></geometry><material name="red"/></visual></link>
<link name="plate"><visual><geometry><box size="1 2 3"/></geometry></visual></link>
<link name="arm">{INERTIAL}
  <visual><origin xyz="1 2 3" rpy="0 0 1.5708"/><geometry><mesh filename="package://kit/meshes/arm.STL" scale="0.001 0.001 0.001"/></geometry><material name="red"/></visual>
  <visual><geometry><mesh filename="own.stl" scale="1 -1 1"/></geometry><material name="x"><color rgba="0 0.5 1 0.5"/></material></visual>
  <visual><geometry><mesh filename="package://far/far.stl"/></geometry></visual>
  <visual><geometry><mesh filename="../meshes/a &quot;b&quot;.stl"/></geometry></visual>
  <visual><geometry><mesh filename="package://gone/x.stl"/></geometry></visual>
  <visual><geometry><mesh filename="package://gone/y.stl"/></geometry></visual>
  <visual><geometry><box size="1 2 nan"/></geometry></visual>
</link>
<link name="tool">{INERTIAL}<visual><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="0.4"/></geometry></visual></link>
<link name="wheel">{INERTIAL}
  <visual><geometry><mesh filename="package://kit/meshes/wheel.ply"/></geometry></visual>
  <collision><geometry><mesh filename="package://kit/meshes/hull.obj"/></geometry></collision>
</link>
<joint name="p" type="fixed"><origin xyz="0 0 -1"/><parent link="base"/><child link="plate"/></joint>
<joint name="a" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<joint name="t" type="fixed"><origin xyz="0 1 0" rpy="1.5707963267948966 0 0"/><parent link="arm"/><child link="tool"/></joint>
<joint name="w" type="continuous"><parent link="arm"/><child link="wheel"/><axis xyz="1 0 0"/></joint></robot>"#
    );
    let import = imported(Format::Urdf, &text, root.path());
    let far = fs::canonicalize(root.path().join("other/parts/far.stl")).unwrap();
    assert!(far.is_file());
    assert_eq!(
        looks(&import),
        [
            r#"shape: mesh("../meshes/arm.STL", 0.001 m) at [1.0, 2.0, 3.0] m rotated rotation_z(90 deg),"#,
            r#"shape: mesh("own.stl", [1.0, -1.0, 1.0] m),"#,
            r#"shape: mesh("../../other/parts/far.stl"),"#,
            r#"shape: mesh("../meshes/a \"b\".stl"),"#,
            // Fixed a metre along y and turned, so that its own z leads back to the arm's origin.
            "shape: cylinder(0.1 m, 0.4 m) rotated rotation_x(90 deg),",
            "color: [1.0, 0.0, 0.0],",
            r#"shape: mesh("../meshes/hull.obj"),"#,
            // What stands on the ground, each with its colour.
            "shape: sphere(1.0 m),",
            "color: [1.0, 0.0, 0.0],",
            "shape: box(1.0 m, 2.0 m, 3.0 m) at [0.0, 0.0, -1.0] m,",
        ]
    );
    assert_eq!(import.model.matches("body ground {").count(), 2);
    let said = warnings(&import);
    for expected in [
        "`package://gone/x.stl` is not drawn: there is no such file; name the folder of its package (and 1 more)",
        "a `visual` is ignored: expected a mesh or a solid",
        "a colour is ignored: a body has one",
        "`package://kit/meshes/wheel.ply` is not drawn: expected a mesh that ends in `.stl`, `.obj` or `.dae`",
        "`wheel` is drawn as its shape for contacts",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert!(!said.contains("`visual` is ignored: shapes"), "{said}");
}

#[test]
fn geoms_of_mjcf_are_shapes() {
    let root = folders();
    let text = r#"<mujoco><compiler meshdir="../meshes"/>
<default><default class="seen"><geom type="mesh" group="2" contype="0" conaffinity="0"/></default><mesh scale="0.001 0.001 0.001"/></default>
<asset><mesh file="arm.STL"/><mesh name="h" file="hull.obj" scale="2 2 2"/><mesh name="w" file="w.msh"/><material name="m" rgba="0 1 0 1"/></asset>
<worldbody><geom type="plane" size="1 1 1"/>
<body name="arm"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint axis="0 0 1"/>
  <geom class="seen" mesh="arm" pos="0 0 1" material="m"/><geom class="seen" mesh="h" rgba="1 1 1 0"/>
  <frame pos="1 0 0"><geom class="seen" mesh="h"/></frame>
  <geom class="seen" mesh="w"/><geom class="seen" mesh="unknown"/>
  <geom type="capsule" fromto="0 0 0 0 0 2" size="0.1"/><geom type="box" size="1 1 1" group="3"/>
</body></worldbody></mujoco>"#;
    let import = imported(Format::Mjcf, text, root.path());
    assert_eq!(
        looks(&import),
        [
            r#"shape: mesh("../meshes/arm.STL", 0.001 m) at [0.0, 0.0, 1.0] m,"#,
            r#"shape: mesh("../meshes/hull.obj", 2.0 m) at [1.0, 0.0, 0.0] m,"#,
            // From its second end to its first, as MuJoCo has it.
            "shape: capsule(0.1 m, 2.0 m) at [0.0, 0.0, 1.0] m rotated rotation_x(180 deg),",
            "color: [0.0, 1.0, 0.0],",
        ]
    );
    let said = warnings(&import);
    assert!(
        said.contains("w.msh` is not drawn: expected a mesh that ends in") && said.contains("a `geom` is not drawn"),
        "{said}"
    );
}

#[test]
fn visuals_of_sdformat_are_shapes() {
    let root = folders();
    let text = r#"<sdf version="1.9"><model name="m"><link name="arm"><pose>0 0 1 0 0 0</pose>
<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
<visual name="a"><pose>1 0 0 0 0 0</pose><geometry><mesh><uri>model://kit/meshes/hull.obj</uri><scale>2 2 2</scale></mesh></geometry>
  <material><diffuse>0 0 1 1</diffuse></material></visual>
<visual name="b"><pose relative_to="tool"/><geometry><box><size>1 2 3</size></box></geometry></visual>
<visual name="c"><pose relative_to="nowhere">1 2</pose><geometry><sphere><radius>1</radius></sphere></geometry></visual></link>
<frame name="tool" attached_to="arm"><pose>0 2 0 0 0 0</pose></frame>
<joint name="j" type="revolute"><parent>world</parent><child>arm</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"#;
    let import = imported(Format::Sdf, text, root.path());
    assert_eq!(
        looks(&import),
        [
            r#"shape: mesh("../meshes/hull.obj", 2.0 m) at [1.0, 0.0, 0.0] m,"#,
            "shape: box(1.0 m, 2.0 m, 3.0 m) at [0.0, 2.0, 0.0] m,",
            "color: [0.0, 0.0, 1.0],",
        ]
    );
    assert!(warnings(&import).contains("a `visual` is ignored: expected a mesh or a solid"), "{}", warnings(&import));
}
