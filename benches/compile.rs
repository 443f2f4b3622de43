//! What the macro does for each model, from tokens to tokens; for a chain of links, and for robots with every function
//! that a model can provide.

use criterion::{Criterion, criterion_group, criterion_main};
use hamel_compiler::resolve::Provided;
use hamel_import::urdf;
use proc_macro2::TokenStream;

fn compile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    group.sample_size(10);
    let models = hamel_benches::models().into_iter().map(|(name, model, _)| (name, model.describe().source.to_owned()));
    for (name, source) in models.chain(large()) {
        let Ok(tokens) = source.parse::<TokenStream>() else { continue };
        group.bench_function(name, |bencher| bencher.iter(|| hamel_compiler::stages(tokens.clone())));
    }
    group.finish();
}

/// Models that are too large to be examples.
fn large() -> Vec<(&'static str, String)> {
    let options = urdf::Options { provide: Provided::DYNAMICS.to_vec(), ..urdf::Options::default() };
    let robot = |text| urdf::import(text, &options).expect("the description is held by the tests").model;
    let chain = include_str!("../model-compiler/tests/pass/chain.model");
    vec![
        ("arm7", robot(include_str!("../verify/data/opcounts/arm7.urdf"))),
        ("quadruped", robot(include_str!("../verify/data/opcounts/quadruped.urdf"))),
        ("chain of 100", chain.replace("const n = 5;", "const n = 100;")),
    ]
}

criterion_group!(benches, compile);
criterion_main!(benches);
