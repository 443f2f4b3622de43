//! Meshes against what MuJoCo says of them, and against closed forms.

use std::path::{Path, PathBuf};

use super::super::principal::principal;
use super::super::read::read;
use crate::looks::Visuals;
use crate::robot::pose::Pose;
use crate::robot::{Inertial, Robot};

/// Of masses, centres and principal moments, relative to the size of each.
const TOLERANCE: f64 = 1e-9;
/// Of principal axes, and of moments of several shapes: MuJoCo's iteration ends where the next rotation would be smaller
/// than 1e-6.
const OF_AXES: f64 = 1e-7;

fn robot(text: &str, folder: PathBuf) -> Result<Robot, String> {
    let visuals = Visuals { model_folder: folder.clone(), folder, packages: Vec::new() };
    read(text, Some(&visuals)).map(|(robot, _)| robot).map_err(|errors| errors.to_string())
}

/// Mass, centre, and moments and products about it in the axes of the body.
fn values(inertial: &Inertial) -> (f64, [f64; 3], [[f64; 3]; 3]) {
    let Pose { position, rotation: r } = Pose::of(&inertial.origin);
    let [xx, xy, xz, yy, yz, zz] = inertial.inertia.each_ref().map(|moment| moment.value);
    let own = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let entry = |i: usize, j: usize| (0..9).map(|k| r[i][k / 3] * own[k / 3][k % 3] * r[j][k % 3]).sum();
    (inertial.mass.value, position, [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j))))
}

#[test]
fn random_meshes_weigh_what_mujoco_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/meshes");
    let mut compared = 0;
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|ending| ending != "xml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a description");
        let robot = robot(&text, folder.clone()).unwrap_or_else(|errors| panic!("{}: {errors}", path.display()));
        for line in std::fs::read_to_string(path.with_extension("values")).expect("values").lines() {
            let (name, numbers) = line.split_once(' ').expect("a name");
            let numbers: Vec<f64> = numbers.split(' ').map(|number| number.parse().expect("a number")).collect();
            let link = robot.links.iter().find(|link| link.name.0 == name).expect(name);
            let (mass, center, tensor) = values(link.inertial.as_ref().expect("an inertia"));
            let at = || format!("{} of {}", name, path.display());
            assert!((mass / numbers[0] - 1.0).abs() < TOLERANCE, "{}: {mass} and {}", at(), numbers[0]);
            let size = |numbers: &[f64]| numbers.iter().fold(0.0, |size: f64, number| size.max(number.abs()));
            // A centre may be nowhere but for rounding: a body has a size, too.
            let length = size(&numbers[1..4]).max((numbers[4] / numbers[0]).sqrt());
            for (found, expected) in center.iter().zip(&numbers[1..4]) {
                assert!((found - expected).abs() < TOLERANCE * length, "{}: {center:?}", at());
            }
            let places = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
            for ((i, j), expected) in places.into_iter().zip(&numbers[4..]) {
                let near = (tensor[i][j] - expected).abs() < OF_AXES * size(&numbers[4..]);
                assert!(near, "{}: {tensor:?} and {:?}", at(), &numbers[4..]);
            }
            let (_, of_mujoco) = numbers.split_at(4);
            let [xx, xy, xz, yy, yz, zz] = <[f64; 6]>::try_from(of_mujoco).expect("six numbers");
            let [found, expected] =
                [tensor, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]].map(|tensor| principal(tensor).0);
            let body = text.lines().find(|line| line.starts_with(&format!("<body name=\"{name}\""))).expect(name);
            let tolerance = if body.matches("<geom").count() == 1 { TOLERANCE } else { OF_AXES };
            for (moment, expected) in found.iter().zip(expected) {
                let near = (moment - expected).abs() < tolerance * size(of_mujoco);
                assert!(near, "{}: {found:?} and {expected:?}", at());
            }
            compared += 1;
        }
    }
    assert!(compared >= 60, "{compared} bodies");
}

fn body(mesh: &str, geom: &str) -> String {
    format!(
        "<mujoco><asset><mesh name=\"m\" {mesh}/></asset>\n<worldbody><body name=\"b\"><freejoint/>\
         <geom type=\"mesh\" mesh=\"m\" {geom}/></body></worldbody></mujoco>"
    )
}

fn weighed(mesh: &str, geom: &str) -> Result<(f64, [f64; 3], [[f64; 3]; 3]), String> {
    let robot = robot(&body(mesh, geom), PathBuf::new())?;
    let link = robot.links.iter().find(|link| link.name.0 == "b").expect("the body");
    Ok(values(link.inertial.as_ref().expect("an inertia")))
}

const CORNERS: &str = "0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1";
const SIDES: &str = "0 2 3 0 3 1 4 5 7 4 7 6 0 1 5 0 5 4 2 6 7 2 7 3 0 4 6 0 6 2 1 3 7 1 7 5";
const KINDS: [&str; 4] = ["convex", "exact", "legacy", "shell"];

/// A box and a tetrahedron, with every way to count what is inside.
#[test]
fn closed_forms_come_out() {
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{found} and {expected}");
    };
    for kind in KINDS {
        for (face, sign) in [(format!("face=\"{SIDES}\""), 1.0), (String::new(), -1.0)] {
            let mesh = format!("vertex=\"{CORNERS}\" {face} inertia=\"{kind}\" scale=\"{} 3 4\"", sign * 2.0);
            let (mass, center, tensor) = weighed(&mesh, "density=\"10\"").unwrap();
            let (a, b, c) = (2.0_f64, 3.0_f64, 4.0_f64);
            let is_shell = kind == "shell";
            let area = 2.0 * (a * b + b * c + c * a);
            near(mass, 10.0 * if is_shell { area } else { a * b * c });
            [sign * 1.0, 1.5, 2.0].into_iter().zip(center).for_each(|(expected, found)| near(found, expected));
            // Squares of distances from the planes in the middle, over the volume or over three pairs of sides.
            let square = |a: f64, b: f64, c: f64| match is_shell {
                false => a * b * c * a * a / 12.0,
                true => 2.0 * (a * b + a * c) * a * a / 12.0 + 2.0 * b * c * a * a / 4.0,
            };
            let squares = [square(a, b, c), square(b, c, a), square(c, a, b)];
            let sum: f64 = squares.iter().sum();
            for i in 0..3 {
                for j in 0..3 {
                    near(tensor[i][j], if i == j { 10.0 * (sum - squares[i]) } else { 0.0 });
                }
            }
        }
    }
    for kind in &KINDS[..3] {
        let mesh = format!(
            "vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" face=\"0 2 1 0 1 3 0 3 2 1 2 3\" inertia=\"{kind}\" refpos=\"-5 2 1\" scale=\"2 2 2\""
        );
        let (mass, center, tensor) = weighed(&mesh, "mass=\"3\"").unwrap();
        near(mass, 3.0);
        [10.5, -3.5, -1.5].into_iter().zip(center).for_each(|(expected, found)| near(found, expected));
        // About the centre, of edges of length a: 3/40 m a² and m a²/80.
        for i in 0..3 {
            for j in 0..3 {
                near(tensor[i][j], if i == j { 3.0 * 4.0 * 3.0 / 40.0 } else { 3.0 * 4.0 / 80.0 });
            }
        }
    }
}

/// What is turned inwards, flat, cut or unknown is refused, with its reason.
#[test]
fn meshes_without_an_inertia_are_refused() {
    let inwards: String = SIDES.split(' ').rev().collect::<Vec<_>>().join(" ");
    let mixed = SIDES.replace("1 3 7 1 7 5", "1 3 7 1 5 7");
    let flat = "0 0 0 1 0 0 1 1 0 0 1 0";
    for (mesh, part) in [
        (format!("vertex=\"{CORNERS}\" face=\"{inwards}\" inertia=\"exact\""), "its volume is negative"),
        (
            format!("vertex=\"{CORNERS}\" face=\"{mixed}\" inertia=\"exact\""),
            "turned outwards and inwards: see those at the vertices",
        ),
        (format!("vertex=\"{flat}\" face=\"0 1 2 0 2 3\""), "it has no volume: `inertia=\"shell\"`"),
        (format!("vertex=\"{flat}\" inertia=\"convex\""), "its vertices are in one plane"),
        (format!("vertex=\"{flat}\" face=\"0 1 0 0 2 0\" inertia=\"shell\""), "its surface has no area"),
        ("vertex=\"0 0 0 1 0 0 1 1 0\" face=\"0 1 2\"".to_owned(), "expected four vertices or more, found 3"),
        (
            format!("vertex=\"{CORNERS}\" inertia=\"convex\" maxhullvert=\"6\""),
            "its convex hull has 8 vertices and `maxhullvert` is 6",
        ),
        (format!("vertex=\"{CORNERS} 1\""), "expected three numbers for each vertex"),
        (format!("vertex=\"{CORNERS}\" face=\"0 1 8\""), "expected three vertices, counted from 0"),
        (format!("vertex=\"{CORNERS}\" inertia=\"hollow\""), "unknown inertia of a mesh `hollow`"),
        (format!("vertex=\"{CORNERS}\" scale=\"1 1\""), "expected 3 to 3 numbers in `scale`"),
        (format!("vertex=\"{CORNERS}\" file=\"a.stl\""), "expected `file` or `vertex`, found both"),
        ("".to_owned(), "expected `file` or `vertex`, found neither"),
        ("builtin=\"sphere\" params=\"2\"".to_owned(), "`builtin` is not read"),
        ("file=\"nowhere.stl\"".to_owned(), "there is no file `nowhere.stl`"),
    ] {
        let message = weighed(&mesh, "").expect_err(&mesh);
        assert!(message.contains(part), "expected `{part}`, found `{message}`");
        assert!(message.contains("help: ") || part.starts_with("expected 3 to 3"), "{message}");
    }
    let message = weighed(&format!("vertex=\"{CORNERS}\""), "shellinertia=\"true\"").unwrap_err();
    assert!(message.contains("the inertia of a shell is not computed"), "{message}");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.msh"), [0; 16]).expect("a file");
    let message = robot(&body("file=\"a.msh\"", ""), folder.path().to_owned()).unwrap_err();
    assert!(message.contains("`a.msh`: expected a file that ends in `.stl` or `.obj`"), "{message}");
    let message = read(&body("file=\"a.stl\"", ""), None).unwrap_err().to_string();
    assert!(message.contains("it is not known where `a.stl` is"), "{message}");
}

/// Meshes of shapes without mass, or of what does not move, are not read.
#[test]
fn meshes_are_read_where_they_matter() {
    let text = body("file=\"nowhere.stl\"", "");
    assert!(robot(&text.replace("<freejoint/>", ""), PathBuf::new()).is_ok());
    let text =
        text.replace("mesh=\"m\"", "mesh=\"m\" mass=\"0\"").replace("<freejoint/>", "<freejoint/><geom size=\"1\"/>");
    assert!(robot(&text, PathBuf::new()).is_ok());
    // What is wrong with a solid that is only seen is forgotten, but not for the body that it would weigh.
    let text = body("file=\"nowhere.stl\"", "");
    let seen = "<worldbody><geom type=\"box\" mesh=\"m\"/>";
    let message = robot(&text.replace("<worldbody>", seen), PathBuf::new()).unwrap_err();
    assert!(message.contains("body `b`: the inertia of the mesh `m` is not computed"), "{message}");
}
