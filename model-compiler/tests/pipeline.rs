//! Valid models: what they become, as text that somebody reads. A snapshot that is the same on every machine is also the
//! proof that compilation is deterministic.

use hamel_compiler::{Stages, inspect};

fn stages(text: &str) -> Stages {
    let tokens = text.parse().expect("the model lexes");
    hamel_compiler::stages(tokens).unwrap_or_else(|error| panic!("{error}"))
}

fn read(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).expect("a model file")
}

/// Every model, compiled once: its shapes and operation counts; code that was kept as text is the code; and its formulas can
/// be typeset.
#[test]
fn every_model() {
    insta::glob!("pass/*.model", |path| {
        let source: proc_macro2::TokenStream = read(path).parse().expect("the model lexes");
        let stages = stages(&read(path));
        let shapes = inspect::shapes(&stages.simplified, &stages.schedule);
        let counts = inspect::counts(&stages.simplified, &stages.schedule);
        insta::assert_snapshot!("statistics", format!("{shapes}\n{counts}"));

        let code = stages.code().unwrap().to_string();
        let kept = code.parse().expect("code is tokens");
        let again = hamel_compiler::read_back(source, kept).expect("the model has a name");
        assert_eq!(again.to_string(), code);

        assert_balanced(&inspect::latex(&stages.simplified, &stages.schedule, None));
    });
}

/// Generated kernels of small models.
#[test]
fn kernels() {
    for (name, term) in [
        ("pendulum_joint", "mass_matrix"),
        ("pendulum_joint", "residual"),
        ("pendulum_joint", "linearization"),
        ("slider_crank", "mass_matrix"),
        ("slider_crank", "residual"),
        ("heavy_top_joint", "bias_force"),
        ("heavy_top_joint", "residual"),
        ("heavy_top_absolute", "residual"),
        ("double_pendulum", "bias_force"),
        ("double_pendulum", "residual"),
    ] {
        let path = format!("{}/tests/pass/{name}.model", env!("CARGO_MANIFEST_DIR"));
        let stages = stages(&read(path.as_ref()));
        let code = inspect::rust(&stages.code().unwrap(), Some(term)).expect("generated code is Rust");
        insta::assert_snapshot!(format!("{name}__{term}"), code);
    }
}

/// Formulas of a small model, as text and as LaTeX.
#[test]
fn formulas() {
    let path = format!("{}/tests/pass/pendulum_joint.model", env!("CARGO_MANIFEST_DIR"));
    let stages = stages(&read(path.as_ref()));
    insta::assert_snapshot!("text", inspect::text(&stages.simplified, &stages.schedule, None));
    insta::assert_snapshot!("latex", inspect::latex(&stages.simplified, &stages.schedule, None));
}

/// What opens in LaTeX is closed, and nothing has two subscripts.
fn assert_balanced(text: &str) {
    for formula in text.lines().filter(|line| !line.starts_with('%')) {
        let mut open = Vec::new();
        let mut rest = formula;
        // Whether a subscript has ended just before the rest.
        let mut subscript_ends = false;
        while let Some(at) = rest.find(['{', '}', '\\', '_', '&']) {
            let (before, token) = rest.split_at(at);
            let subscript_ended = subscript_ends && before.is_empty();
            subscript_ends = false;
            rest = &token[1..];
            match token.as_bytes()[0] {
                b'{' => open.push("}"),
                b'}' => {
                    let closed = open.pop();
                    assert!(matches!(closed, Some("}" | "_}")), "{formula}");
                    subscript_ends = closed == Some("_}");
                }
                b'_' => {
                    assert!(!subscript_ended, "two subscripts: {formula}");
                    rest = rest.strip_prefix('{').unwrap_or_else(|| panic!("a subscript is a group: {formula}"));
                    open.push("_}");
                }
                b'&' => assert!(!matches!(open.last(), Some(&"}" | &"_}")), "a group spans columns: {formula}"),
                _ if rest.starts_with(['_', '\\', ',']) => rest = &rest[1..],
                _ if rest.starts_with("left") => open.push("right"),
                _ if rest.starts_with("right") => assert_eq!(open.pop(), Some("right"), "{formula}"),
                _ if rest.starts_with("begin{cases}") => open.push("end"),
                _ if rest.starts_with("end{cases}") => assert_eq!(open.pop(), Some("end"), "{formula}"),
                _ => {}
            }
        }
        assert!(open.is_empty(), "{formula}");
    }
}
