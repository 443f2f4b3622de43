//! The text is Rust, the same every time, and names the runtime in one file.

use proc_macro2::Span;
use syn::parse_quote;

use super::*;
use crate::derive::{Channel, FunctionRole};
use crate::schedule::fixture::{dumbbell, pendulum};
use crate::schedule::schedule;

fn code(name: &str, equations: &Equations) -> String {
    let header = Header {
        name: &Ident::new(name, Span::call_site()),
        visibility: &parse_quote!(pub),
        doc: &["By hand.".to_owned()],
        runtime: None,
        source: "",
    };
    let tokens = emit(&header, equations, &schedule(equations, equations)).unwrap();
    prettyplease::unparse(&syn::parse2(tokens).unwrap())
}

/// The text from a line that begins with `start` to the end of that item.
fn item<'a>(code: &'a str, start: &str) -> &'a str {
    let begin = code.find(start).unwrap();
    let line = code[..begin].rfind('\n').map_or(0, |newline| newline + 1);
    let indent = &code[line..begin];
    let end = code[begin..].find(&format!("\n{indent}}}\n")).unwrap();
    &code[line..begin + end + indent.len() + 2]
}

#[test]
fn kernels_are_straight_lines_of_named_values() {
    insta::assert_snapshot!(item(&code("Pendulum", &pendulum()), "pub fn residual"), @"
    pub fn residual<T: Real>(
        constants: &Constants<T>,
        inputs: &[T; 1],
        q: &[T; 1],
        v: &[T; 1],
        a: &[T; 1],
        residual: &mut [T; 1],
    ) {
        let Constants { c, mass_length_squared, mass_length_gravity, .. } = *constants;
        let [drive] = *inputs;
        let [hinge_angle] = *q;
        let [hinge_angle_dot] = *v;
        let [hinge_angle_ddot] = *a;
        let x1 = mass_length_gravity * hinge_angle.sin();
        residual[0] = x1 + hinge_angle_ddot * mass_length_squared
            - (drive - c * hinge_angle_dot);
    }
    ");
    insta::assert_snapshot!(item(&code("Pendulum", &pendulum()), "pub fn outputs"), @"
    pub fn outputs<T: Real>(
        constants: &Constants<T>,
        q: &[T; 1],
        outputs: &mut [T; 2],
    ) {
        let Constants { length, .. } = *constants;
        let [hinge_angle] = *q;
        let (sin_hinge_angle, cos_hinge_angle) = hinge_angle.sin_cos();
        outputs[0] = length * sin_hinge_angle;
        outputs[1] = -(length * cos_hinge_angle);
    }
    ");
}

#[test]
fn instances_of_one_kernel_are_a_loop() {
    let code = code("Dumbbell", &dumbbell());
    assert_eq!(code.matches("pub mod point_mass").count(), 1);
    insta::assert_snapshot!(item(&code, "fn residual(&self"), @"
    fn residual(&self, state: &hamel::model::State, r: &mut [f64], g: &mut [f64]) {
        use hamel::generated::{add, array, gather, scatter};
        r.fill(0.0);
        g.fill(0.0);
        for (constants, member) in ::core::iter::zip(
            &self.constants.point_mass,
            &kernels::point_mass::MEMBERS,
        ) {
            let mut residual_part = [0.0; 2];
            kernels::point_mass::residual(
                constants,
                &gather(state.a.as_slice(), &member.v),
                &mut residual_part,
            );
            scatter(r, &member.residual, 1.0, &residual_part);
        }
        {
            let member = &kernels::rod::MEMBERS[0];
            let mut residual_part = [0.0; 4];
            let mut constraint_part = [0.0; 1];
            kernels::rod::residual(
                &self.constants.rod,
                &gather(state.q.as_slice(), &member.q),
                array(state.lambda.as_slice()),
                &mut residual_part,
                &mut constraint_part,
            );
            scatter(r, &member.residual, 1.0, &residual_part);
            add(g, 1.0, &constraint_part);
        }
    }
    ");
}

#[test]
fn defaults_may_use_earlier_parameters() {
    insta::assert_snapshot!(item(&code("Pendulum", &pendulum()), "impl ::core::default::Default for PendulumParameters"), @"
    impl ::core::default::Default for PendulumParameters {
        fn default() -> Self {
            let mass: f64 = 2.0;
            let length: f64 = 0.5;
            let gravity: f64 = 9.81;
            let c: f64 = mass * 0.1;
            Self { mass, length, gravity, c }
        }
    }
    ");
}

#[test]
fn code_is_the_same_every_time() {
    assert_eq!(code("Dumbbell", &dumbbell()), code("Dumbbell", &dumbbell()));
}

#[test]
fn the_runtime_is_named_in_one_file() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/emit");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut naming: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs"))
        .filter(|path| std::fs::read_to_string(path).unwrap().contains(concat!("hamel", "::")))
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    naming.sort();
    assert_eq!(naming, ["paths.rs"]);
}

/// Every function of a file, at any depth of modules.
fn functions(items: &[syn::Item]) -> Vec<&syn::ItemFn> {
    let mut found = Vec::new();
    for item in items {
        match item {
            syn::Item::Fn(function) => found.push(function),
            syn::Item::Mod(module) => found.extend(module.content.iter().flat_map(|(_, items)| functions(items))),
            _ => {}
        }
    }
    found
}

#[test]
fn long_functions_are_split() {
    let mut equations = pendulum();
    let kernel = &mut equations.kernels[0];
    let graph = &mut kernel.graph;
    let [mut previous, mut last] = ["hinge.angle", "hinge.angle_dot"].map(|name| {
        let known = graph.find_symbol(name).unwrap();
        graph.symbol_expr(known)
    });
    let half = graph.ratio(1, 2);
    for _ in 0..3000 {
        // Each value is used twice, so that each is a statement.
        let scaled = graph.mul(half, previous);
        (previous, last) = (last, graph.sub(scaled, last));
        (previous, last) = (last, graph.mul(previous, last));
    }
    let function = kernel.functions.iter_mut().find(|function| function.role == FunctionRole::Outputs).unwrap();
    function.outputs[0].entries[1].value = last;
    let file: syn::File = syn::parse_str(&code("Pendulum", &equations)).unwrap();
    let functions = functions(&file.items);
    let parts = functions.iter().filter(|function| function.sig.ident == "part");
    assert!(parts.count() >= 3);
    for function in functions {
        // Arguments, numbers and earlier parts are taken apart in a few statements more.
        let n = function.block.stmts.len();
        assert!(n <= crate::schedule::split::MAX_STATEMENTS + 10, "{}: {n} statements", function.sig.ident);
    }
}

#[test]
fn lists_are_written_as_the_runtime_reads_them() {
    use crate::schedule::runs::difference;
    use runs::{indices, list, literal, some_of, steps};
    let words = |words: &'static [&'static str]| words.iter().map(|word| (*word).to_owned());
    assert_eq!(literal(3, words(&["a", "b"]), words(&["1"])), "Repetition { count: 3, first: &[a, b], step: &[1] }");
    assert_eq!(list(&[4, 2]), "[4, 2]");
    // Ranges where they hold four numbers on the average.
    assert_eq!(indices(&[5, 6, 7, 8]), "indices(&[[5, 9]])");
    assert_eq!(indices(&[5, 6, 7]), "[5, 6, 7]");
    assert_eq!(indices(&[5, 6, 7, 8, 9, 1, 2, 3]), "indices(&[[5, 10], [1, 4]])");
    assert_eq!(indices(&[5, 6, 7, 8, 1, 2, 3]), "[5, 6, 7, 8, 1, 2, 3]");
    assert_eq!(
        (steps(&[3, 3, 3]), steps(&[-1, 2]), steps(&[7])),
        ("[3; 3]".into(), "[4294967295, 2]".into(), "[7]".into())
    );
    assert_eq!(difference(&[1, 5, 3], &[2, 5, 0]), Some(vec![1, 0, -3]));
    assert_eq!(difference(&[1, 5], &[2]), None);
    let names: Vec<String> = (0..13).map(|i| format!("x{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(some_of(&names[..3]), "x0, x1, x2");
    assert_eq!(some_of(&names[..12]), names[..12].join(", "));
    assert_eq!(some_of(&names), "x0, x1, …, x12 (13 in all)");
}

/// Members of arrays, and names that would be the same, have no constants.
#[test]
fn names_that_are_unique_are_constants() {
    let mut equations = pendulum();
    let unit = |name: &str| Channel { name: name.to_owned(), unit: "rad".to_owned() };
    equations.layout.coordinates = ["hinge.angle", "pin[2].angle", "a.b", "a_b", "ß"].map(unit).to_vec();
    let text = names::names("Arm", &equations.layout);
    let names: Vec<&str> = text.lines().filter(|line| line.contains("const")).collect();
    let expected =
        ["pub const HINGE_ANGLE: usize = 0;", "pub const SS: usize = 4;", "pub const HINGE_ANGLE_DOT: usize = 0;"];
    assert_eq!(names, expected);
    assert!(text.contains("`hinge.angle`, in rad."));
}
