//! What the macro does for each model, from tokens to tokens.

use criterion::{Criterion, criterion_group, criterion_main};
use proc_macro2::TokenStream;

fn compile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    group.sample_size(10);
    for (name, model, _) in hamel_benches::models() {
        let Ok(tokens) = model.describe().source.parse::<TokenStream>() else { continue };
        group.bench_function(name, |bencher| bencher.iter(|| hamel_compiler::stages(tokens.clone())));
    }
    group.finish();
}

criterion_group!(benches, compile);
criterion_main!(benches);
