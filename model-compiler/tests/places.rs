//! Where members stand in the model: every row of a result is somebody's, and nobody else's.

use hamel_compiler::derive::{Block, Equations, Instance, derive};
use hamel_compiler::parse::parse;
use hamel_compiler::resolve::resolve;
use hamel_compiler::rotations::RotationKind;

fn equations(text: &str) -> Equations {
    let description = parse(text.parse().expect("the model lexes")).unwrap_or_else(|error| panic!("{error}"));
    derive(&resolve(&description).unwrap_or_else(|error| panic!("{error}")))
}

fn rows(equations: &Equations, of: impl Fn(&Instance) -> &Vec<usize>) -> Vec<usize> {
    let mut rows: Vec<usize> = equations.instances.iter().flat_map(|instance| of(instance).iter().copied()).collect();
    rows.sort_unstable();
    rows
}

/// Outputs, constraints and contacts are written by one member each; coordinates belong to at least one.
fn assert_complete(name: &str, equations: &Equations) {
    let layout = &equations.layout;
    let all = |n: usize| (0..n).collect::<Vec<usize>>();
    assert_eq!(rows(equations, |one| &one.outputs), all(layout.outputs.len()), "{name}: outputs");
    assert_eq!(rows(equations, |one| &one.lambda), all(layout.constraints.len()), "{name}: constraints");
    assert_eq!(rows(equations, |one| &one.contacts), all(layout.contacts.len()), "{name}: contacts");
    for (mut rows, n) in [
        (rows(equations, |one| &one.q), layout.coordinates.len()),
        (rows(equations, |one| &one.v), layout.velocities.len()),
    ] {
        rows.dedup();
        assert_eq!(rows, all(n), "{name}: coordinates");
    }
}

#[test]
fn every_row_is_written_once() {
    insta::glob!("pass/*.model", |path| {
        let text = std::fs::read_to_string(path).expect("a model file");
        assert_complete(&path.display().to_string(), &equations(&text));
    });
}

/// Three elements each; the second member follows the first, with the outputs of both behind those that are written.
#[test]
fn section_forces_are_element_by_element() {
    let text = "model Arms {
        planar;
        coordinates joint;
        flexible upper: beam_floating_frame {
            length: 1 m, elements: 3, E: 70 GPa, density: 2700 kg/m^3, section: rectangle(20 mm, 10 mm),
        }
        flexible lower: beam_floating_frame {
            length: 1 m, elements: 2, E: 70 GPa, density: 2700 kg/m^3, section: rectangle(20 mm, 10 mm),
        }
        joint shoulder: revolute(ground, upper.root);
        joint elbow: revolute(upper.tip, lower.root);
        output angle = shoulder.angle;
        output a = upper.section_forces;
        output b = lower.section_forces;
        output c = upper.section_forces;
    }";
    let equations = equations(text);
    assert_complete("two members", &equations);
}

/// Each beam writes all of its section forces behind those of the beams before it, however often they are asked for.
#[test]
fn section_forces_of_beams_are_beam_by_beam() {
    let beam = |name: &str| {
        format!(
            "flexible {name}: beam_three_node {{
                length: 1 m, elements: 2, axial: 1 MN, shear: [1, 1] MN, torsion: 80 N m^2, bending: [100, 100] N m^2,
                mass_per_length: 1 kg/m, inertia_per_length: [2e-4, 1e-4, 1e-4] kg m,
            }}"
        )
    };
    let text = format!(
        "model Beams {{
            {} {}
            joint clamp: fixed(ground, upper.root);
            joint weld: fixed(upper.tip, lower.root);
            output tip = lower.tip.position.x;
            output a = upper.section_forces;
            output b = lower.section_forces;
            output c = upper.section_forces;
            output d = lower.section_forces;
        }}",
        beam("upper"),
        beam("lower")
    );
    assert_complete("two beams", &equations(&text));
}

/// A joint brings its coordinates alone: those of a ball are an orientation, in front of which nothing is moved.
#[test]
fn blocks_have_the_coordinates_of_their_joints() {
    let text = "model Chain {
        coordinates joint;
        body a { mass: 1 kg, inertia: diag(1, 1, 1) kg m^2 }
        body b { mass: 1 kg, inertia: diag(1, 1, 1) kg m^2 }
        body c { mass: 1 kg, inertia: diag(1, 1, 1) kg m^2 }
        body d { mass: 1 kg, inertia: diag(1, 1, 1) kg m^2 }
        joint ball: spherical(ground, a at [0, 0, 1] m);
        joint cylinder: cylindrical(a, b);
        joint clamp: fixed(b, c);
        joint none: free(ground, d);
    }";
    let rotation = RotationKind::EulerParameters;
    // Nearest to the ground first.
    let expected = [Block::Rotation(rotation), Block::Pose(rotation), Block::Vector(2)];
    assert_eq!(equations(text).layout.blocks, expected);
}

/// What is printed, plotted and complained about can be told apart.
#[test]
fn names_are_different() {
    insta::glob!("pass/*.model", |path| {
        let text = std::fs::read_to_string(path).expect("a model file");
        let layout = equations(&text).layout;
        for channels in [&layout.coordinates, &layout.velocities, &layout.constraints, &layout.outputs] {
            let mut names: Vec<&str> = channels.iter().map(|channel| channel.name.as_str()).collect();
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{}: {names:?}", path.display());
        }
    });
}

/// A node belongs to the element before it and to the one behind it.
#[test]
fn elements_of_a_beam_share_their_nodes() {
    let text = "model Beam {
        gravity [0, 0, -9.81] m/s^2;
        flexible beam: beam_three_node {
            length: 1 m, elements: 4, axial: 1 MN, shear: [1, 1] MN, torsion: 80 N m^2, bending: [100, 100] N m^2,
            mass_per_length: 1 kg/m, inertia_per_length: [2e-4, 1e-4, 1e-4] kg m,
        }
        joint clamp: fixed(ground, beam.root);
        output loads = beam.section_forces;
    }";
    let equations = equations(text);
    assert_complete("beam", &equations);
    let elements: Vec<&Instance> =
        equations.instances.iter().filter(|instance| instance.name.starts_with("beam, element")).collect();
    assert_eq!(elements.len(), 4);
    for pair in elements.windows(2) {
        for [before, behind] in [[&pair[0].q, &pair[1].q], [&pair[0].v, &pair[1].v]] {
            let n = before.len() / 3;
            assert_eq!(before[2 * n..], behind[..n]);
        }
    }
}
