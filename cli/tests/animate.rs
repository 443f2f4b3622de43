//! `hamel animate`: pages of folders of results and of models, and messages where there is nothing to show.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const MODEL: &str = "model Cart {
    planar;
    coordinates joint;
    param stiffness = 20 N/m;
    input push N;
    body cart { mass: 1 kg, inertia: 0.1 kg m^2 }
    joint rail: prismatic(ground, cart);
    force spring: spring(ground at [-1, 0] m, cart) { stiffness: stiffness }
    force drive: [push, 0] on cart;
    initial rail.displacement = 0.5 m;
    output x = cart.position.x;
}";

fn hamel(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hamel"));
    command.args(arguments).current_dir(directory).env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command.output().expect("the binary was built for this test")
}

fn works(directory: &Path, arguments: &[&str]) {
    let output = hamel(directory, arguments);
    assert!(output.status.success(), "{arguments:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// What the page shows of motions: all of its data.
fn data(path: &Path) -> serde_json::Value {
    let page = fs::read_to_string(path).unwrap();
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(data).unwrap()
}

#[test]
fn a_run_is_shown_at_once_from_its_folder_and_from_its_model() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::write(at.join("cart.model"), MODEL).unwrap();
    let motion = ["--until", "2", "--dt", "1e-2", "--vary", "stiffness=20,100", "--input", "push=2*sin(3*t)"];
    let run = [&["run", "cart.model", "--animate", "first.html"], &motion[..]].concat();
    works(at, &run);
    works(at, &["animate", "run", "-o", "second.html"]);
    works(at, &[&["animate", "cart.model", "-o", "third.html"], &motion[..]].concat());
    let shown = ["first.html", "second.html", "third.html"].map(|page| data(&at.join(page)));
    assert_eq!(shown[0], shown[1], "the folder has all that is needed");
    assert_eq!(shown[0], shown[2]);
    let labels: Vec<&str> = shown[0].as_array().unwrap().iter().map(|scene| scene["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["stiffness = 20 N/m", "stiffness = 100 N/m"]);
    assert_eq!(shown[0][0]["arrows"][0]["name"], "drive");
    let page = fs::read_to_string(at.join("second.html")).unwrap();
    assert!(page.contains("<title>Cart</title>") && page.matches("data-x=").count() > 1, "plots over time");
    // Two folders are told apart.
    works(at, &["run", "cart.model", "--until", "1", "--out", "other"]);
    works(at, &["animate", "run", "other", "-o", "both.html", "--title", "All"]);
    assert_eq!(data(&at.join("both.html"))[2]["label"], "Cart, other");
}

#[test]
fn what_cannot_be_shown_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::write(at.join("cart.model"), MODEL).unwrap();
    fs::create_dir(at.join("empty")).unwrap();
    let says = |arguments: &[&str], part: &str| {
        let output = hamel(at, arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(part), "expected `{part}` in {message}");
    };
    says(&["animate", "empty"], "no motion was found: expected what `hamel run` writes");
    // A table of which somebody has kept the first columns.
    works(at, &["run", "cart.model", "--until", "1", "--out", "cut"]);
    let table = fs::read_to_string(at.join("cut/Cart.csv")).unwrap();
    for (columns, what) in [(2, "velocity(rail.displacement)"), (3, "acceleration(rail.displacement)"), (5, "x")] {
        let first = |line: &str| line.split(',').take(columns).collect::<Vec<_>>().join(",");
        let rows: Vec<String> = table.lines().map(first).collect();
        fs::write(at.join("cut/Cart.csv"), rows.join("\n") + "\n").unwrap();
        says(&["animate", "cut"], &format!("it has no column `{what}`"));
    }
    says(&["animate", "cart.model"], "expected --until with the end of the motion");
    says(&["animate", "nothing.model", "--until", "1"], "nothing.model");
    says(&["animate", "empty", "--until", "1"], "--until belongs to a run");
    says(&["animate", "empty", "--at", "1"], "`animation.html` has no --at");
    says(&["animate", "empty", "-o", "a.glb", "--speed", "1"], "`a.glb` has no --speed");
    says(&["animate", "empty", "--size", "640"], "such as 1280x720");
    works(at, &["run", "cart.model", "--until", "1"]);
    let table = at.join("run/Cart.csv");
    let text = fs::read_to_string(&table).unwrap();
    fs::write(&table, text.replacen("rail.displacement", "rail.angle", 1)).unwrap();
    says(&["animate", "run"], "it has no column `rail.displacement`");
    fs::write(&table, format!("{text}1,2\n")).unwrap();
    says(&["animate", "run"], "expected");
    assert!(!at.join("animation.html").exists());
}

/// A wing of one triangle, 10 by 20 units.
const WING: &str = "v 0 0 0\nv 10 0 0\nv 0 20 0\nf 1 2 3\n";

#[test]
fn meshes_are_found_beside_the_model_from_everywhere() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::create_dir_all(at.join("models/parts")).unwrap();
    fs::write(at.join("models/parts/wing.obj"), WING).unwrap();
    let shapes = "shape: mesh(\"parts/wing.obj\", 1 cm), shape: mesh(\"none.stl\")";
    let body = "body cart { mass: 1 kg, inertia: 0.1 kg m^2";
    fs::write(at.join("models/cart.model"), MODEL.replacen(body, &format!("{body}, {shapes}"), 1)).unwrap();
    let output = hamel(at, &["run", "models/cart.model", "--until", "1", "--animate", "first.html"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && said.contains("caution: mesh `none.stl` is not drawn: the file cannot be read"),
        "{said}"
    );
    // The folder of results says where the model was.
    fs::create_dir(at.join("elsewhere")).unwrap();
    works(&at.join("elsewhere"), &["animate", "../run", "-o", "second.html"]);
    works(&at.join("models"), &["animate", "cart.model", "--until", "1", "-o", "third.html"]);
    for page in ["first.html", "elsewhere/second.html", "models/third.html"] {
        let text = fs::read_to_string(at.join(page)).unwrap();
        let meshes = text.split("id=\"meshes\">").nth(1).unwrap().split("</script>").next().unwrap();
        let meshes: serde_json::Value = serde_json::from_str(meshes).unwrap();
        assert_eq!((meshes[0]["file"].as_str(), meshes[0]["high"][1].as_f64()), (Some("parts/wing.obj"), Some(20.0)));
        let shape = data(&at.join(page))[0]["bodies"][0]["shapes"][0].clone();
        assert_eq!((&shape["kind"], shape["size"]["scale"][0].as_f64()), (&"mesh".into(), Some(0.01)), "{page}");
        assert!(text.contains("<li>mesh `none.stl` is not drawn"));
    }
}

#[test]
fn robots_look_like_their_links() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::create_dir_all(at.join("far")).unwrap();
    fs::create_dir_all(at.join("robots")).unwrap();
    fs::write(at.join("far/wing.obj"), WING).unwrap();
    let inertial = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
    let visual = "<visual><geometry><mesh filename='package://kit/wing.obj' scale='0.1 0.1 0.1'/></geometry></visual>";
    let text = format!(
        "<robot name='r'><link name='base'/><link name='arm'>{inertial}{visual}</link><joint name='j' type='continuous'>\
         <parent link='base'/><child link='arm'/><axis xyz='0 1 0'/></joint></robot>"
    );
    fs::write(at.join("robots/r.urdf"), text).unwrap();
    let run = ["animate", "robots/r.urdf", "--until", "0.1", "-o", "r.html", "--package"];
    works(at, &[&run[..], &["kit=far"]].concat());
    assert_eq!(data(&at.join("r.html"))[0]["bodies"][0]["shapes"][0]["kind"], "mesh");
    let output = hamel(at, &[&run[..], &["kit=nowhere"]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("`nowhere` is no folder"), "{said}");
    // A model that is written elsewhere finds the same file.
    works(at, &["import", "robots/r.urdf", "--package", "kit=far", "--out", "robots/r.model"]);
    let model = fs::read_to_string(at.join("robots/r.model")).unwrap();
    assert!(model.contains("shape: mesh(\"../far/wing.obj\", 0.1 m),"), "{model}");
    // It is a text as any other, and looks like the robot.
    works(at, &["animate", "robots/r.model", "--until", "0.1", "-o", "again.html"]);
    assert_eq!(data(&at.join("again.html"))[0]["bodies"], data(&at.join("r.html"))[0]["bodies"]);
    let output = hamel(at, &["import", "robots/r.urdf"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("`package://kit/wing.obj` is not drawn"), "{said}");
}

#[test]
fn names_that_end_in_glb_are_gltf() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::write(at.join("cart.model"), MODEL).unwrap();
    works(at, &["run", "cart.model", "--until", "1", "--animate", "cart.glb"]);
    // Its own files are replaced.
    works(at, &["animate", "run", "-o", "cart.glb"]);
    let file = fs::read(at.join("cart.glb")).unwrap();
    assert_eq!((&file[..4], u32::from_le_bytes(file[8..12].try_into().unwrap()) as usize), (&b"glTF"[..], file.len()));
    fs::write(at.join("other.glb"), "something else").unwrap();
    for (name, part) in [
        ("other.glb", "exists"),
        ("cart.avi", "expected a name that ends in .html"),
        ("cart.gltf", "expected a name that ends in .html, for a page"),
    ] {
        let output = hamel(at, &["animate", "run", "-o", name]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(part), "{said}");
    }
}
