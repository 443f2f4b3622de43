//! A model with parameters is the one without.

use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::resolve::Provided;
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_compiler::simplify::Limits;

use super::merge::tests::{Random, described, tree};
use crate::urdf::{self, Options};
use crate::{Import, Parameters};

/// The mass matrix and the nonlinear effects at a state, with some parameters changed by a factor.
fn values(import: &Import, q: &[f64], v: &[f64], changed: &[(&str, f64)]) -> Vec<f64> {
    let tokens = import.tokens().expect("tokens of the language");
    let stages = hamel_compiler::stages_within(tokens, &Limits::least());
    let stages = stages.unwrap_or_else(|error| panic!("{error}\n{}", import.model));
    let mut parameters = defaults(&stages.schedule);
    let symbols = stages.simplified.parameter_graph.symbols();
    for (name, factor) in changed {
        let place = symbols.iter().position(|symbol| symbol.name == *name);
        parameters[place.unwrap_or_else(|| panic!("{name} in\n{}", import.model))] *= factor;
    }
    let model = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, parameters);
    let layout = &stages.simplified.layout;
    let (nq, nv) = (layout.coordinates.len(), layout.velocities.len());
    let mut q = q[..nq].to_vec();
    if let Some(first) = layout.coordinates.iter().position(|channel| channel.name.ends_with(".e0")) {
        let norm = q[first..first + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
        q[first..first + 4].iter_mut().for_each(|x| *x /= norm);
    }
    let point = Point {
        t: 0.0,
        inputs: Vec::new(),
        q,
        v: v[..nv].to_vec(),
        a: vec![0.0; nv],
        lambda: Vec::new(),
        tau: Vec::new(),
    };
    let effects = model.evaluate(FunctionRole::NonlinearEffects, &point);
    let effects = effects.into_iter().find(|(role, _)| *role == Role::NonlinearEffects).expect("effects").1;
    [model.mass_matrix(&point.q).values, effects.values].concat()
}

fn assert_same(found: &[f64], expected: &[f64], what: &str) {
    let size = expected.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
    assert!(found.len() == expected.len() && size > 0.0, "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12 * size, "{what}: {found} and {expected}");
    }
}

#[test]
fn models_with_parameters_are_those_without() {
    let mut random = Random(5);
    let provide = vec![Provided::NonlinearEffects];
    for case in 0..4 {
        let is_floating = case % 2 == 1;
        let text =
            described(&tree(&mut random, is_floating)).replace("</joint>", "<dynamics damping=\"0.25\"/></joint>");
        let options = |parameters| Options { is_floating, provide: provide.clone(), parameters, ..Options::default() };
        let import = |parameters| urdf::import(&text, &options(parameters)).unwrap_or_else(|error| panic!("{error}"));
        let [q, v] = [(); 2].map(|()| (0..40).map(|_| random.number()).collect::<Vec<f64>>());
        let plain = import(Vec::new());
        assert!(!plain.model.contains("param "), "{}", plain.model);
        let expected = values(&plain, &q, &v, &[]);
        for parameters in Parameters::ALL {
            let import = import(vec![parameters]);
            let declared = import.model.matches("param ").count();
            assert!(declared > 0, "{}", import.model);
            let what = format!("tree {case} with {}", parameters.keyword());
            assert_same(&values(&import, &q, &v, &[]), &expected, &what);
        }
    }
}

/// A parameter means the number that is written: changing one is changing the other.
#[test]
fn parameters_are_the_numbers_of_the_description() {
    let text = |mass: f64, x: f64, zz: f64, z: f64, pitch: f64, damping: f64| {
        format!(
            r#"<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="{mass:?}"/><origin xyz="{x:?} 0 0.1"/>
<inertia ixx="0.3" ixy="0" ixz="0.01" iyy="0.4" iyz="0" izz="{zz:?}"/></inertial></link>
<link name="hand"><inertial><mass value="1"/><origin xyz="0 0.2 0"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<joint name="hip" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="knee" type="revolute"><parent link="arm"/><child link="hand"/><axis xyz="1 0 1"/>
<origin xyz="0.5 0 {z:?}" rpy="0.1 {pitch:?} 0"/><dynamics damping="{damping:?}"/></joint></robot>"#
        )
    };
    let written = [2.0, 0.3, 0.5, -0.7, 0.4, 0.2];
    let names = [
        "arm_mass",
        "arm_center_of_mass_x",
        "arm_inertia_zz",
        "knee_position_z",
        "knee_pitch",
        "knee_damping_coefficient",
    ];
    let described = |[mass, x, zz, z, pitch, damping]: [f64; 6]| text(mass, x, zz, z, pitch, damping);
    let import = |text: &str, parameters| {
        let options = Options { provide: vec![Provided::NonlinearEffects], parameters, ..Options::default() };
        urdf::import(text, &options).unwrap_or_else(|error| panic!("{error}"))
    };
    let (q, v) = ([0.3, -1.1], [0.7, 2.0]);
    let with_parameters = import(&described(written), vec![Parameters::All]);
    for (place, name) in names.into_iter().enumerate() {
        let mut changed = written;
        changed[place] *= 1.125;
        let expected = values(&import(&described(changed), Vec::new()), &q, &v, &[]);
        assert_same(&values(&with_parameters, &q, &v, &[(name, 1.125)]), &expected, name);
        assert!(values(&with_parameters, &q, &v, &[]) != expected, "{name}");
    }
}
