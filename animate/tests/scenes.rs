//! Scenes hold what they show: poses against closed forms, two formulations of one model, forces, thinned instants.

use hamel::schemes::{self, RungeKutta};
use hamel::{Model, Run, Scheme, Signal, Simulation, Trajectory, initial_state};
use hamel_animate::{ArrowKind, Color, Error, LinkKind, MeshError, Meshes, Motion, Scene, Solid, page};
use hamel_jit::{JitModel, Level};

fn model(text: &str) -> JitModel {
    hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}"))
}

fn run(model: &JitModel, scheme: &dyn Scheme, (dt, until): (f64, f64)) -> Run {
    let run = Simulation::new(model, scheme).step(dt).until(until).run(initial_state(model).unwrap());
    run.outcome.as_ref().unwrap_or_else(|error| panic!("{error}"));
    run
}

fn scene(model: &JitModel, run: &Run) -> Scene {
    let (info, trajectory, meshes) = (model.describe(), &run.trajectory, &Meshes::default());
    let motion = Motion { label: "it", info, parameters: &[], inputs: &[], trajectory, meshes };
    Scene::new(&motion).unwrap_or_else(|error| panic!("{error}"))
}

/// The numbers of a mover at an instant.
fn pose(scene: &Scene, instant: usize, mover: usize) -> &[f32] {
    let size = if scene.planar { 3 } else { 7 };
    &scene.poses.0[size * (instant * scene.movers + mover)..][..size]
}

const PENDULUM: &str = "
    planar;
    coordinates joint;
    param length = 0.8 m;
    gravity [0, -9.81] m/s^2;
    body rod { mass: 2 kg, inertia: 0.1 kg m^2 }
    joint hinge: revolute(ground at [0.3, 1] m, rod at [0, length / 2]);
    initial hinge.angle = 100 deg;
    initial hinge.angle.velocity = 12 rad/s;
    output tip = (rod at [0, -length / 2]).position;
";

#[test]
fn a_pendulum_stands_where_its_angle_says() {
    let model = model(&format!("model Pendulum {{ {PENDULUM} }}"));
    let run = run(&model, &RungeKutta, (1e-3, 3.0));
    let scene = scene(&model, &run);
    let recorded: Vec<(f64, f64)> = run.trajectory.rows().map(|row| (row[0], row[1])).collect();
    assert!(recorded.last().unwrap().1 > 10.0, "it turns over");
    assert!((400..=1000).contains(&scene.times.0.len()), "{} instants", scene.times.0.len());
    assert_eq!((scene.times.0[0], *scene.times.0.last().unwrap()), (0.0, 3.0));
    for (instant, &t) in scene.times.0.iter().enumerate() {
        let (_, angle) =
            recorded.iter().min_by(|a, b| (a.0 - f64::from(t)).abs().total_cmp(&(b.0 - f64::from(t)).abs())).unwrap();
        let (s, c) = angle.sin_cos();
        let expected = [0.3 + 0.4 * s, 1.0 - 0.4 * c, *angle];
        for (found, expected) in pose(&scene, instant, 0).iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-5, "at {t} s: {found} is not {expected}");
        }
    }
    assert_eq!(
        (scene.points[0].name.as_str(), scene.points[0].at, scene.points[0].shown),
        ("tip", [0.0, -0.4, 0.0], true)
    );
    assert_eq!(scene.up, [0.0, 1.0, 0.0]);
}

/// A body that turns at a constant rate, recorded in a few long steps: what is between follows the circle.
#[test]
fn instants_between_long_steps_follow_the_motion() {
    let text = "model Wheel {
        coordinates joint;
        body wheel { mass: 1 kg, inertia: diag(1, 1, 1) kg m^2, center_of_mass: [0.5, 0, 0] m }
        joint axle: spherical(ground, wheel);
        initial wheel.angular_velocity = [0, 0, 2] rad/s;
    }";
    let model = model(text);
    let run = run(&model, &RungeKutta, (0.05, 2.0));
    assert_eq!(run.trajectory.len(), 41);
    let scene = scene(&model, &run);
    assert!(scene.times.0.len() > 300, "{}", scene.times.0.len());
    for (instant, &t) in scene.times.0.iter().enumerate() {
        let [.., w, x, y, z] = *pose(&scene, instant, 0) else { panic!() };
        assert!((w - t.cos()).abs() + x.abs() + y.abs() + (z - t.sin()).abs() < 1e-5, "{t}: {w} {z}");
    }
}

/// One mechanism in several coordinates: the poses of its bodies are the same.
#[test]
fn formulations_have_the_same_poses() {
    let text = |coordinates: &str| {
        format!(
            "model Arm {{
                coordinates {coordinates};
                gravity [0, 0, -9.81] m/s^2;
                body upper {{ mass: 1 kg, inertia: diag(0.1, 0.2, 0.25) kg m^2, center_of_mass: [0.1, 0, -0.2] m }}
                body lower {{ mass: 1 kg, inertia: diag(0.2, 0.2, 0.1) kg m^2 }}
                joint shoulder: universal(ground at [0, 0, 1] m, upper at [0, 0, 0.3] m);
                joint elbow: revolute(upper at [0, 0, -0.3] m, lower at [0.1, 0, 0.4] m) {{ axis: [0.6, 0.8, 0] }}
                initial upper.angular_velocity = [1, 2, 0] rad/s;
                initial lower.angular_velocity = [1, 2, 0] rad/s;
            }}"
        )
    };
    let scheme = schemes::by_name("bathe", &[]).unwrap();
    let scenes: Vec<Scene> = ["joint", "absolute", "absolute(euler_zyx)"]
        .iter()
        .map(|coordinates| {
            let model = model(&text(coordinates));
            scene(&model, &run(&model, &*scheme, (1e-3, 0.5)))
        })
        .collect();
    for other in &scenes[1..] {
        assert_eq!(other.times, scenes[0].times);
        for (a, b) in scenes[0].poses.0.iter().zip(&other.poses.0) {
            assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
        let shapes = |scene: &Scene| scene.bodies.iter().map(|body| body.shapes.clone()).collect::<Vec<_>>();
        assert_eq!(shapes(other), shapes(&scenes[0]));
    }
}

/// A ball at rest is pushed by its weight where it touches, however its contact is written.
#[test]
fn contact_forces_stand_where_they_act() {
    let floor = "contact floor: ball_on_plane(ball, ground at [0, 0, 0.5] m) { radius: 0.2 m, friction: 0.3 }";
    let written = "contact floor { gap: ball.position.z - 0.7 m, friction: 0.3, slip: ball.velocity.x }";
    // The push acts where friction does, so that nothing turns.
    for (contact, height, arm) in [(floor, 0.5, -0.2), (written, 0.7, 0.0)] {
        let model = model(&format!(
            "model Ball {{
                gravity [0, 0, -10] m/s^2;
                body ball {{ mass: 2 kg, inertia: diag(1, 1, 1) kg m^2 }}
                force push: [1, 0, 0] N on ball at [0, 0, {arm}] m in ball;
                {contact}
                initial ball.position = [1, 2, 0.7] m;
            }}"
        ));
        let scheme = schemes::by_name(schemes::suitable(&model), &[]).unwrap();
        let scene = scene(&model, &run(&model, &*scheme, (1e-2, 0.5)));
        let kinds: Vec<ArrowKind> = scene.arrows.iter().map(|arrow| arrow.kind).collect();
        assert_eq!(kinds, [ArrowKind::Force, ArrowKind::Contact], "{contact}");
        let last = &scene.vectors.0[scene.vectors.0.len() - 12..];
        let near = |found: &[f32], expected: [f32; 3]| {
            found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3) || panic!("{contact}: {found:?} {expected:?}")
        };
        near(&last[..6][3..], [1.0, 0.0, 0.0]);
        near(&last[..3], [1.0, 2.0, 0.7 + arm]);
        near(&last[6..9], [1.0, 2.0, height]);
        // Friction holds the ball; a slip along x alone has a force along x.
        near(&last[9..], [-1.0, 0.0, 20.0]);
    }
}

#[test]
fn springs_beams_and_inputs_are_drawn() {
    let model = model(
        "model Bench {
            planar;
            coordinates joint;
            input pull N;
            flexible rod: beam_floating_frame {
                length: 1 m, elements: 6, E: 70 GPa, density: 2700 kg/m^3, section: rectangle(10 mm, 20 mm), frame: pinned,
            }
            body cart { mass: 1 kg, inertia: 0.01 kg m^2 }
            joint pin: revolute(ground, rod.root);
            joint rail: prismatic(ground at [0, 1] m, cart);
            force strut: spring_damper(ground at [-1, 1] m, cart) { stiffness: 50 N/m, damping: 1 N s/m }
            force tug: [pull, 0] on cart;
        }",
    );
    let run = run(&model, &*schemes::by_name("bathe", &[]).unwrap(), (1e-2, 1.0));
    let inputs = [("pull".to_owned(), Signal::from(|t: f64| 3.0 * t))];
    let (info, trajectory, meshes) = (model.describe(), &run.trajectory, &Meshes::default());
    let motion = Motion { label: "it", info, parameters: &[], inputs: &inputs, trajectory, meshes };
    let scene = Scene::new(&motion).unwrap();
    assert_eq!(scene.links.len(), 1);
    assert_eq!(
        (scene.links[0].kind, scene.links[0].movers[0], scene.links[0].ends[0]),
        (LinkKind::SpringDamper, None, [-1.0, 1.0, 0.0])
    );
    let beam = &scene.beams[0];
    assert_eq!(beam.nodes.len(), 7);
    for (node, &mover) in beam.nodes.iter().enumerate() {
        let [x, y, _] = *pose(&scene, 0, mover) else { panic!() };
        assert!((x - node as f32 / 6.0).abs() < 1e-6 && y.abs() < 1e-6, "node {node} at {x}, {y}");
    }
    assert_eq!(scene.arrows.len(), 1);
    let forces = scene.vectors.0.chunks(6).zip(&scene.times.0);
    forces.for_each(|(vector, t)| assert!((vector[3] - 3.0 * t).abs() < 1e-5));
    assert!(scene.fixed.iter().any(|shape| matches!(shape.solid, Solid::Cylinder(_))), "the rail");
}

#[test]
fn instants_are_fewer_where_there_are_many_bodies() {
    let model = model(
        "model Many { planar; for k in 0..900 { body b[k] { mass: 1 kg, inertia: 1 kg m^2 } } gravity [0, -1] m/s^2; }",
    );
    let run = run(&model, &*schemes::by_name("newmark", &[]).unwrap(), (0.02, 0.2));
    let scene = scene(&model, &run);
    assert!(scene.poses.0.len() <= 2_100_000 && scene.times.0.len() >= 60, "{}", scene.times.0.len());
    assert_eq!(*scene.times.0.last().unwrap(), 0.2);
}

#[test]
fn the_page_is_complete_small_and_the_same_each_time() {
    let model = model(&format!("model Pendulum {{ {PENDULUM} }}"));
    let run = run(&model, &RungeKutta, (1e-2, 1.0));
    let page = || {
        let mut scenes = vec![scene(&model, &run), scene(&model, &run)];
        scenes[1].label = "</script><b>".to_owned();
        hamel_animate::page("Pendulum & <friends>", &scenes, &[]).unwrap()
    };
    let text = page();
    assert_eq!(text, page());
    let data: usize = serde_json::to_string(&[scene(&model, &run)]).unwrap().len();
    assert!(text.len() < 2 * data + 150_000, "{} bytes, {data} of them data", text.len());
    assert!(!text.contains("http://") || text.matches("http://").count() == text.matches("http://www.w3.org").count());
    assert!(!text.contains("https://"), "nothing is loaded");
    assert!(text.contains("<title>Pendulum &amp; &lt;friends&gt;</title>") && !text.contains("</script><b>"));
    assert!(matches!(hamel_animate::page("x", &[], &[]), Err(Error::Empty)));
}

#[test]
fn what_does_not_belong_to_the_model_is_said() {
    let known = model(&format!("model Pendulum {{ {PENDULUM} }}"));
    let run = run(&known, &RungeKutta, (1e-2, 0.1));
    let other = model(
        "model Other { planar; coordinates joint; body b { mass: 1 kg, inertia: 1 kg m^2 } joint j: revolute(ground, b); }",
    );
    let with = |info, parameters: &[(String, f64)], inputs: &[(String, Signal)]| {
        let (trajectory, meshes) = (&run.trajectory, &Meshes::default());
        let motion = Motion { label: "it", info, parameters, inputs, trajectory, meshes };
        Scene::new(&motion).unwrap_err().to_string()
    };
    let message = with(known.describe(), &[("lenght".to_owned(), 1.0)], &[]);
    assert_eq!(message, "the model has no parameter `lenght`");
    let message = with(known.describe(), &[], &[("drive".to_owned(), Signal::default())]);
    assert_eq!(message, "the model has no input `drive`");
    let message = with(other.describe(), &[], &[]);
    assert_eq!(message, "the table was not recorded of this model: it has no column `j.angle`");
}

/// Shapes of the language, with dimensions of parameters that the run has changed.
#[test]
fn shapes_of_the_model_are_drawn() {
    let text = "model Drawn {
        coordinates joint;
        param r = 0.1 m;
        body rod {
            mass: 1 kg, inertia: diag(1, 1, 1) kg m^2,
            shape: cylinder(r, 4 * r) at [0, 0, r] axis [1, 0, 0], shape: box(r, 2 * r, 3 * r), color: [1, 0.5, 0],
        }
        body head { mass: 1 kg, inertia: diag(1, 1, 1) kg m^2, color: pink }
        body ground { shape: box(1 m, 1 m, r) at [0, 0, -r], color: grey }
        body ground { shape: sphere(r), color: [0, 0, 1] }
        joint hinge: revolute(ground, rod);
        joint neck: revolute(rod at [1, 0, 0] m, head);
    }";
    let mut model = model(text);
    let parameters = [("r".to_owned(), 0.2)];
    model.set(&parameters).unwrap();
    let run = run(&model, &RungeKutta, (1e-2, 0.1));
    let (info, trajectory, meshes) = (model.describe(), &run.trajectory, &Meshes::default());
    let motion = Motion { label: "it", info, parameters: &parameters, inputs: &[], trajectory, meshes };
    let scene = Scene::new(&motion).unwrap();
    let [cylinder, block] = scene.bodies[0].shapes.as_slice() else { panic!("{:?}", scene.bodies[0].shapes) };
    assert_eq!((&cylinder.solid, cylinder.at), (&Solid::Cylinder([0.2, 0.8]), [0.0, 0.0, 0.2]));
    let half = 0.5_f64.sqrt();
    let turned = cylinder.turn.0.iter().zip([half, 0.0, half, 0.0]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(turned < 1e-12, "z along x: {:?}", cylinder.turn);
    let Solid::Box(edges) = block.solid else { panic!("{block:?}") };
    assert!(edges.iter().zip([0.2, 0.4, 0.6]).all(|(a, b)| (a - b).abs() < 1e-12));
    assert_eq!((cylinder.color, cylinder.derived), (Color::Rgb([1.0, 0.5, 0.0]), false));
    assert!(scene.bodies[1].shapes.iter().all(|shape| shape.derived && shape.color == Color::Palette(3)));
    let [plate, ball] = &scene.fixed[..2] else { panic!("{:?}", scene.fixed) };
    assert_eq!((&plate.solid, plate.at, plate.color), (&Solid::Box([1.0, 1.0, 0.2]), [0.0, 0.0, -0.2], Color::Neutral));
    assert_eq!((&ball.solid, ball.color, ball.derived), (&Solid::Sphere([0.2]), Color::Rgb([0.0, 0.0, 1.0]), false));
}

/// Meshes of files, with scales that a parameter changes; they are read once for all motions, and a page has each once.
#[test]
fn meshes_of_files_are_drawn_and_others_are_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    std::fs::write(folder.path().join("parts/wing.obj"), "v 0 0 0\nv 10 0 0\nv 0 20 5\nf 1 2 3\n").unwrap();
    std::fs::write(folder.path().join("short.stl"), "solid short\n").unwrap();
    let text = "model Drawn {
        coordinates joint;
        param unit = 1 mm;
        body wing {
            mass: 1 kg, inertia: diag(1, 1, 1) kg m^2,
            shape: mesh(\"parts/wing.obj\", unit) at [0, 0, 1] m rotated rotation_z(90 deg),
            shape: mesh(\"parts/wing.obj\", [unit, -unit, unit]), shape: mesh(\"short.stl\"), shape: mesh(\"none.stl\"),
        }
        body tail { mass: 1 kg, inertia: diag(1, 1, 1) kg m^2, shape: mesh(\"missing.stl\"), shape: mesh(\"none.stl\") }
        joint hinge: revolute(ground, wing);
        joint neck: revolute(wing at [1, 0, 0] m, tail);
    }";
    let meshes = Meshes::beside(folder.path());
    let scenes = [1e-3, 2e-3].map(|unit| {
        let parameters = [("unit".to_owned(), unit)];
        let mut model = model(text);
        model.set(&parameters).unwrap();
        let run = run(&model, &RungeKutta, (1e-2, 0.1));
        let (info, trajectory) = (model.describe(), &run.trajectory);
        let motion = Motion { label: "it", info, parameters: &parameters, inputs: &[], trajectory, meshes: &meshes };
        Scene::new(&motion).unwrap()
    });
    for (scene, unit) in scenes.iter().zip([1e-3, 2e-3]) {
        let [standing, mirrored] = scene.bodies[0].shapes.as_slice() else { panic!("{:?}", scene.bodies[0].shapes) };
        assert_eq!(standing.solid, Solid::Mesh { mesh: 0, scale: [unit; 3] });
        assert_eq!(mirrored.solid, Solid::Mesh { mesh: 0, scale: [unit, -unit, unit] });
        assert_eq!((standing.at, standing.derived), ([0.0, 0.0, 1.0], false));
        assert!((standing.turn.0[3] - 0.5_f64.sqrt()).abs() < 1e-12, "{:?}", standing.turn);
        assert_eq!((scene.meshes.len(), scene.meshes[0].high), (1, [10.0, 20.0, 5.0]));
        // What is left of a body whose files are none is drawn as its joints suggest.
        assert!(!scene.bodies[1].shapes.is_empty() && scene.bodies[1].shapes.iter().all(|shape| shape.derived));
        let unread: Vec<&str> = scene.unread.iter().map(|unread| unread.file.as_str()).collect();
        assert_eq!(unread, ["short.stl", "none.stl", "missing.stl"]);
        assert_eq!(scene.unread[0].error, MeshError::Ended { after: 0, of: None });
    }
    let page = page("Drawn", &scenes, &[]).unwrap();
    assert_eq!(page.matches("parts/wing.obj").count(), 1, "once for both motions");
    assert_eq!(page.matches("<li>mesh `").count(), 2, "of each kind of mistake the first");
    assert!(page.contains("mesh `none.stl` is not drawn: the file cannot be read") && page.contains("(2 such files)"));
}

/// Meshes have no influence on the equations, and no file is read for these.
#[test]
fn meshes_do_not_move_anything() {
    let text = |shape: &str| {
        format!(
            "model Arm {{ coordinates joint; gravity [0, 0, -9.81] m/s^2;
            body arm {{ mass: 1 kg, inertia: diag(1, 2, 2) kg m^2, center_of_mass: [1, 0, 0] m{shape} }}
            joint hinge: revolute(ground, arm) {{ axis: [0, 1, 0] }} }}"
        )
    };
    let [with, without] = [", shape: mesh(\"nowhere.stl\", [1, -1, 2] mm) at [1, 2, 3] m", ""].map(|shape| {
        let model = model(&text(shape));
        run(&model, &RungeKutta, (1e-2, 1.0)).trajectory.rows().map(<[f64]>::to_vec).collect::<Vec<_>>()
    });
    assert_eq!(with, without);
}

/// A rod that hangs still on a bracket that is welded to a post, with its own weight: what joints pass on is drawn where
/// they hold their second body, the same in both coordinates; nothing of a hinge beside contacts in joint coordinates.
#[test]
fn loads_of_joints_stand_where_they_act() {
    let text = |formulation: &str, contact: &str| {
        format!(
            "model Sign {{
                coordinates {formulation};
                gravity [0, 0, -10] m/s^2;
                body bracket {{ mass: 1 kg, inertia: diag(0.1, 0.1, 0.1) kg m^2 }}
                body rod {{ mass: 2 kg, inertia: diag(0.1, 0.1, 0.1) kg m^2 }}
                joint weld: fixed(ground at [1, 0, 2] m, bracket at [-0.5, 0, 0] m);
                joint hinge: revolute(bracket at [0.5, 0, 0] m, rod at [0, 0, 0.4] m) {{ axis: [0, 1, 0] }}
                {contact}
            }}"
        )
    };
    let free = "contact floor { gap: rod.position.z + 9 m }";
    for (formulation, contact, has_all) in [("joint", "", true), ("absolute", "", true), ("joint", free, false)] {
        let model = model(&text(formulation, contact));
        let scheme = schemes::by_name(schemes::suitable(&model), &[]).unwrap();
        let scene = scene(&model, &run(&model, &*scheme, (1e-2, 0.1)));
        let known: Vec<(&str, ArrowKind)> =
            scene.arrows.iter().map(|arrow| (arrow.name.as_str(), arrow.kind)).collect();
        let expected: &[(&str, ArrowKind)] = match has_all {
            true => &[("weld", ArrowKind::Load), ("weld", ArrowKind::Moment), ("hinge", ArrowKind::Load)],
            false => &[],
        };
        assert_eq!(known, expected, "{formulation} {contact}");
        let last = &scene.vectors.0[scene.vectors.0.len() - 6 * expected.len()..];
        // 30 N at the wall, half a metre from the bracket's weight and a metre from the rod's.
        let loads: [[f64; 6]; 3] =
            [[1.0, 0.0, 2.0, 0.0, 0.0, 30.0], [1.0, 0.0, 2.0, 0.0, -25.0, 0.0], [2.0, 0.0, 2.0, 0.0, 0.0, 20.0]];
        for (found, expected) in last.iter().zip(loads.concat()) {
            assert!((f64::from(*found) - expected).abs() < 1e-4, "{formulation}: {last:?}");
        }
    }
}

/// Forces and torques on joints act on their second bodies, about and along the axis; names have their indices.
#[test]
fn forces_on_joints_are_arrows() {
    let model = model(
        "model Robot {
            coordinates joint;
            body arm { mass: 1 kg, inertia: diag(0.1, 0.1, 0.1) kg m^2 }
            body hand { mass: 1 kg, inertia: diag(0.1, 0.1, 0.1) kg m^2 }
            joint shoulder: revolute(ground at [1, 0, 0] m, arm) { axis: [0, 1, 0] }
            joint slide: prismatic(arm at [0, 0, 0.5] m, hand) { axis: [1, 0, 0] }
            torque drive[1]: -3 N m * shoulder.angle^2 - 2 N m on shoulder;
            force push: 4 N on slide;
        }",
    );
    let scheme = schemes::by_name(schemes::suitable(&model), &[]).unwrap();
    let scene = scene(&model, &run(&model, &*scheme, (1e-4, 1e-3)));
    let known: Vec<(&str, ArrowKind)> = scene.arrows.iter().map(|arrow| (arrow.name.as_str(), arrow.kind)).collect();
    assert_eq!(known[..2], [("drive[1]", ArrowKind::Torque), ("push", ArrowKind::Force)]);
    let first = &scene.vectors.0[..12];
    let expected = [[1.0, 0.0, 0.0, 0.0, -2.0, 0.0], [1.0, 0.0, 0.5, 4.0, 0.0, 0.0]].concat();
    assert!(first.iter().zip(expected).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-6), "{first:?}");
}

#[test]
fn tables_that_lack_columns_are_refused() {
    let model = model(&format!("model Pendulum {{ {PENDULUM} }}"));
    let (parameters, inputs, meshes) = (&[][..], &[][..], &Meshes::default());
    for (head, missing) in [("", "velocities"), (",velocity(hinge.angle) [rad/s]", "accelerations")] {
        let row = "0e0,1e0".to_owned() + if head.is_empty() { "" } else { ",2e0" };
        let table = format!("t [s],hinge.angle [rad]{head}\n{row}\n");
        let trajectory = &Trajectory::read_csv(&table).unwrap();
        let motion = Motion { label: "it", info: model.describe(), parameters, inputs, trajectory, meshes };
        assert!(matches!(Scene::new(&motion), Err(Error::Columns(what)) if what == missing));
    }
}
