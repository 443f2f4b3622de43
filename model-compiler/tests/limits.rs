//! What is too large is refused where it is written, before the work is done: each of these took gigabytes, minutes, or the
//! whole stack.

use hamel_compiler::{Family, limits, parse, resolve, simplify, stages_within};
use proc_macro2::TokenStream;

/// A model with one body and these items.
fn disc(items: &str) -> String {
    format!(
        "model M {{\nplanar;\nbody disc {{ mass: 1 kg, inertia: 1 kg m^2 }}\njoint motion: free(ground, disc);\n{items}\n}}"
    )
}

fn each(n: usize, item: impl Fn(usize) -> String) -> String {
    (0..n).map(item).collect()
}

/// The errors of a model, with their lines and columns; those of limits are of their family.
fn errors(text: &str) -> Vec<String> {
    let tokens: TokenStream = text.parse().expect("the model lexes");
    let error = parse::parse(tokens).and_then(|description| resolve::resolve(&description)).err();
    let lines = error.into_iter().flatten().map(|error| {
        let (start, text) = (error.span().start(), error.to_string());
        let (family, message) = Family::of(text.lines().next().unwrap_or_default());
        assert_eq!(message.contains(" at most "), family == Some(Family::Limit), "{text}");
        format!("{}:{}: {message}", start.line, start.column + 1)
    });
    lines.collect()
}

#[test]
fn nested_delimiters_are_refused_before_anything_recurses() {
    for n in [limits::NESTING, 100_000] {
        let model = disc(&format!("output a = {}1{};", "(".repeat(n), ")".repeat(n)));
        let expected =
            format!("5:{}: expected at most {} levels within each other", 12 + limits::NESTING - 1, limits::NESTING);
        assert_eq!(errors(&model), [expected]);
        let tokens: TokenStream = model.parse().expect("it lexes");
        assert!(stages_within(tokens, &simplify::Limits::least()).is_err());
    }
    let most = limits::NESTING - 2;
    assert!(errors(&disc(&format!("output a = {}1{};", "(".repeat(most), ")".repeat(most)))).is_empty());
}

#[test]
fn tokens_are_counted() {
    let model = disc(&format!("output a = {}1;", "-".repeat(limits::TOKENS)));
    let [error] = errors(&model).try_into().expect("one error");
    assert!(error.starts_with("5:4999") && error.ends_with(": expected at most 500000 tokens in a model"), "{error}");
}

#[test]
fn substituted_tokens_are_counted() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let sum = |name: &str| [name; 10].join(" + ");
    let mut loops = "for a in [1] {\n".to_owned();
    for pair in names.windows(2) {
        loops.push_str(&format!("for {} in [{}] {{\n", pair[1], sum(pair[0])));
    }
    let model = disc(&format!("{loops}output y = h;\n{}", "}\n".repeat(names.len())));
    assert_eq!(errors(&model), ["11:10: expected at most 5000000 tokens from all rounds of all loops together"]);
}

#[test]
fn named_expressions_are_shared_and_counted_where_they_are_used() {
    let chain = |n: usize| {
        each(
            n,
            |k| if k == 0 { "let a0 = disc.angle;".to_owned() } else { format!("\nlet a{k} = a{} + 1 rad;", k - 1) },
        )
    };
    let [error] = errors(&disc(&chain(29_000))).try_into().expect("one error");
    assert_eq!(
        error,
        "1005:13: expected at most 1000 operations within each other where names are replaced by what they stand for"
    );
    let sums = |n: usize| each(n, |k| format!("\nlet b{} = {};", k + 1, [format!("b{k}").as_str(); 10].join(" + ")));
    let model = disc(&format!("let b0 = disc.angle;{}", sums(8)));
    let [error] = errors(&model).try_into().expect("one error");
    assert_eq!(error, "9:10: expected at most 10000 terms where names are replaced by what they stand for");
    let uses = each(10_000, |k| format!("\noutput y{k} = a998;"));
    let [error] = errors(&disc(&(chain(999) + &uses))).try_into().expect("one error");
    assert!(
        error.ends_with(": expected at most 3000000 terms in a model, with its names replaced by what they stand for"),
        "{error}"
    );
}

/// As deep as named expressions may be, all stages have stack enough.
#[test]
fn long_chains_of_named_expressions_compile() {
    let item = |k: usize| match k {
        0 => "let a0 = disc.angle;".to_owned(),
        _ => format!("let a{k} = a{} + 1 rad;", k - 1),
    };
    let model = disc(&format!("{} output y = a998; torque t: sin(a998) * 1 N m on disc;", each(999, item)));
    let stages = stages_within(model.parse().expect("it lexes"), &simplify::Limits::least());
    assert_eq!(stages.expect("it compiles").system.outputs.len(), 1);
}

#[test]
fn derivatives_of_initial_conditions_are_counted() {
    let model = |n: usize, settings: &str, joint: bool| {
        let item = |k| {
            let joint = if joint { format!("joint hinge{k}: revolute(ground, disc{k});") } else { String::new() };
            format!(
                "body disc{k} {{ mass: 1 kg, inertia: 1 kg m^2 }} {joint}\ninitial disc{k}.angle = 1 rad;\n\
                 initial disc{k}.position = [0, 0];\n"
            )
        };
        format!("model M {{ planar; {settings}\n{} }}", each(n, item))
    };
    assert!(errors(&model(1000, "coordinates joint;", true)).is_empty());
    assert!(errors(&model(8000, "", false)).is_empty());
    let [error] = errors(&model(1700, "coordinates joint;", true)).try_into().expect("one error");
    assert!(error.ends_with(": expected at most 2941 initial conditions on 1700 velocities"), "{error}");
}

#[test]
fn items_are_counted_in_loops_and_outside() {
    let parameters = |n: usize| each(n, |k| format!("\nparam a{k} = 1;"));
    let [error] = errors(&disc(&parameters(limits::ITEMS))).try_into().expect("one error");
    assert_eq!(error, "30003:1: expected at most 30000 items, those of all rounds counted");
    let stages =
        stages_within(disc(&parameters(limits::ITEMS - 3)).parse().expect("it lexes"), &simplify::Limits::least());
    assert_eq!(stages.expect("it compiles").system.parameters.len(), limits::ITEMS - 3);
}

#[test]
fn names_and_errors_are_counted() {
    let name = "a".repeat(limits::NAME + 1);
    assert_eq!(errors(&disc(&format!("param {name} = 1;"))), ["5:7: expected a name of at most 100 characters"]);
    let unknown = each(20_000, |k| format!("\noutput y{k} = b{k};"));
    assert_eq!(errors(&disc(&unknown)).len(), limits::ERRORS);
    // The rounds of a loop say the same once.
    assert_eq!(errors(&disc("for k in 0..900 { output y[k] = b; }\noutput z = c;")).len(), 2);
}
