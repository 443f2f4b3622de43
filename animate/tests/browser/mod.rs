//! The page in a real browser: no errors, bodies that move, controls that work and have names, at three sizes, light and
//! dark.
//!
//! Skipped with a message where there is no Chromium, or one that draws nothing in three dimensions; `HAMEL_CHROMIUM` names
//! one that is not on the path. `HAMEL_PAGE` names another page to be checked the same way.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hamel::schemes::RungeKutta;
use hamel::{Model, Simulation, initial_state};
use hamel_animate::{Browser, FilmError, Format, Look, Meshes, Motion, Pace, Scene};
use hamel_jit::Level;
use hamel_report::{Axis, Curve, Figure, Style};

const CHECKS: &str = include_str!("checks.js");
const PATIENCE: Duration = Duration::from_secs(180);

/// Two motions of a model with what pages have: bodies, joints, a spring, forces, a plot.
fn page() -> String {
    let text = "model Swing {
        coordinates joint;
        param length = 1 m;
        gravity [0, 0, -9.81] m/s^2;
        body rod {
            mass: 1 kg, inertia: diag(0.1, 0.1, 0.01) kg m^2, shape: mesh(\"rod.obj\", [1, -1, 1] m),
            shape: mesh(\"none.stl\"),
        }
        body bob { mass: 2 kg, inertia: diag(0.02, 0.02, 0.02) kg m^2 }
        joint hinge: revolute(ground, rod at [0, 0, length / 2]) { axis: [0, 1, 0] }
        joint ball: spherical(rod at [0, 0, -length / 2], bob at [0, 0, length]);
        force s: spring(ground at [1, 1, 0] m, bob) { stiffness: 3 N/m }
        force wind: [1, 0.5, 0] N on bob;
        torque motor: [0, 2, 0] N m on rod;
        initial hinge.angle = 70 deg;
        output tip = bob.position;
    }";
    let mut model = hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let rod = "v -0.05 -0.05 -0.5\nv 0.05 -0.05 -0.5\nv 0 0.05 -0.5\nv 0 0 0.5\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    std::fs::write(folder.path().join("rod.obj"), rod).unwrap();
    let meshes = Meshes::beside(folder.path());
    let mut scenes = Vec::new();
    let mut curves = Vec::new();
    for (label, length) in [("length = 1 m", 1.0), ("length = 1.3 m", 1.3)] {
        let parameters = [("length".to_owned(), length)];
        model.set(&parameters).unwrap();
        let run = Simulation::new(&model, &RungeKutta).step(2e-3).until(3.0).run(initial_state(&model).unwrap());
        let (info, trajectory) = (model.describe(), &run.trajectory);
        let motion = Motion { label, info, parameters: &parameters, inputs: &[], trajectory, meshes: &meshes };
        scenes.push(Scene::new(&motion).unwrap());
        let tip = trajectory.times().zip(trajectory.column("tip_x").unwrap()).collect();
        curves.push(Curve::new(label, Style::Line, tip));
    }
    let figure = Figure {
        slug: "tip".into(),
        title: "tip".into(),
        caption: String::new(),
        x: Axis::linear("time", "s"),
        y: Axis::linear("tip", "m"),
        curves,
        slopes: Vec::new(),
    };
    hamel_animate::page("Swing", &scenes, &[figure]).unwrap()
}

/// The document that a browser ends with; it draws in software.
fn document(browser: &Browser, directory: &Path, file: &Path) -> String {
    let out = directory.join("dump");
    let profile = format!("--user-data-dir={}", directory.join("profile").display());
    let mut child = Command::new(browser.path())
        // Without a sandbox, because tests also run where it is not available; the page is our own.
        .args(["--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader"])
        .args(["--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--allow-file-access-from-files", "--dump-dom"])
        .args(["--window-size=2000,1200", "--virtual-time-budget=60000", &profile])
        .arg(format!("file://{}", file.display()))
        .stdout(std::fs::File::create(&out).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    std::fs::read_to_string(out).unwrap()
}

#[test]
fn the_page_works_in_a_browser() {
    let Ok(browser) = Browser::find() else {
        eprintln!("skipped: no Chromium was found");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let text = std::env::var_os("HAMEL_PAGE").map_or_else(page, |path| std::fs::read_to_string(path).unwrap());
    let listener = "<head><script>window.faults = []; addEventListener('error', (e) => faults.push(e.message)); \
                    console.error = (...words) => faults.push(words.join(' '));</script>";
    std::fs::write(directory.path().join("page.html"), text.replacen("<head>", listener, 1)).unwrap();
    let checks = format!("<!DOCTYPE html><body><script>\n{CHECKS}\n</script></body>");
    let file = directory.path().join("checks.html");
    std::fs::write(&file, checks).unwrap();
    let document = document(&browser, directory.path(), &file);
    let result = document.split("RESULT[").nth(1).and_then(|rest| rest.split("]RESULT").next());
    let faults = result.unwrap_or_else(|| panic!("the checks did not end: {document}"));
    if faults == "no WebGL 2" {
        eprintln!("skipped: this Chromium has no WebGL 2");
        return;
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn pictures_and_films_show_the_motion() {
    let Ok(browser) = Browser::find() else {
        eprintln!("skipped: no Chromium was found");
        return;
    };
    let page = page();
    let look = Look { size: [161, 100], ghosts: 3, is_beside: true, ..Look::default() };
    let picture = |look: &Look, time| browser.picture(&page, look, time);
    let start = match picture(&look, None) {
        Err(FilmError::NoWebGl(_)) => {
            eprintln!("skipped: this Chromium has no WebGL 2");
            return;
        }
        result => result.unwrap(),
    };
    // A PNG of this size, the same every time, another later and from elsewhere.
    let number = |at: usize| u32::from_be_bytes(start[at..at + 4].try_into().unwrap());
    assert_eq!((&start[1..4], number(16), number(20)), (&b"PNG"[..], 161, 100));
    assert!(picture(&look, Some(0.0)).unwrap() == start && picture(&look, Some(1.0)).unwrap() != start);
    for other in [
        Look { view: Some("x".into()), ..look.clone() },
        Look { is_dark: true, ..look.clone() },
        Look { is_beside: false, ..look.clone() },
    ] {
        assert!(picture(&other, None).unwrap() != start, "{other:?}");
    }
    assert!(matches!(picture(&Look { size: [8, 100], ..look.clone() }, None), Err(FilmError::Range { .. })));
    assert!(matches!(picture(&Look { view: Some("w".into()), ..look.clone() }, None), Err(FilmError::Range { .. })));

    // The motion lasts three seconds: both ends, and what is between.
    let pace = Pace { rate: 5.0, speed: Some(1.5) };
    let mut places = Vec::new();
    let mut pictures = Vec::new();
    let keep = |place, total, picture: &[u8]| {
        places.push((place, total));
        pictures.push(picture.to_vec());
        Ok(())
    };
    browser.pictures(&page, &look, &pace, keep).unwrap();
    assert_eq!(places, (0..11).map(|place| (place, 11)).collect::<Vec<_>>());
    pictures.sort();
    pictures.dedup();
    assert_eq!(pictures.len(), 11, "some pictures of a film are the same");
    for pace in [Pace { rate: 0.0, speed: None }, Pace { rate: 5.0, speed: Some(f64::NAN) }] {
        assert!(matches!(browser.pictures(&page, &look, &pace, |_, _, _| Ok(())), Err(FilmError::Range { .. })));
    }
    let slow = Pace { rate: 50.0, speed: Some(1e-4) };
    assert!(matches!(browser.pictures(&page, &look, &slow, |_, _, _| Ok(())), Err(FilmError::TooLong(1_000_000..))));

    if Format::maker().is_err() {
        eprintln!("skipped: films, because no FFmpeg was found");
        return;
    }
    for (format, begin, place) in [(Format::Gif, "GIF89a", 0), (Format::Mp4, "ftyp", 4)] {
        let mut last = (0, 0);
        let film = browser.film(&page, &look, &pace, format, |done, total| last = (done, total)).unwrap();
        assert_eq!((last, &film[place..place + begin.len()]), ((11, 11), begin.as_bytes()));
        let frames = film.windows(4).filter(|part| part == b"\x21\xf9\x04\x04" || part == b"\x21\xf9\x04\x05").count();
        assert!(format != Format::Gif || (8..=11).contains(&frames), "{frames} pictures");
    }
}
