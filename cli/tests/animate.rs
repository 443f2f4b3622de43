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
    says(&["animate", "cart.model"], "expected --until with the end of the motion");
    says(&["animate", "nothing.model", "--until", "1"], "nothing.model");
    says(&["animate", "empty", "--until", "1"], "--until belongs to a run");
    works(at, &["run", "cart.model", "--until", "1"]);
    let table = at.join("run/Cart.csv");
    let text = fs::read_to_string(&table).unwrap();
    fs::write(&table, text.replacen("rail.displacement", "rail.angle", 1)).unwrap();
    says(&["animate", "run"], "it has no column `rail.displacement`");
    fs::write(&table, format!("{text}1,2\n")).unwrap();
    says(&["animate", "run"], "expected");
    assert!(!at.join("animation.html").exists());
}
