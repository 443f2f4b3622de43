//! How long it takes from the text of a model to its first step, stage by stage: `first_step FILE…`.

use std::time::Instant;

use hamel::{Options, initial_state, schemes};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        for level in [hamel_jit::Level::AtOnce, hamel_jit::Level::Optimised] {
            let text = std::fs::read_to_string(&path)?;
            let mut times = vec![("", Instant::now())];
            let mut lap = |name| times.push((name, Instant::now()));
            let tokens: proc_macro2::TokenStream = text.parse()?;
            lap("lexed");
            let (description, system) = hamel_compiler::understand(tokens.clone())?;
            drop(description);
            lap("understood");
            let equations = hamel_compiler::derive::derive(&system);
            lap("derived");
            let limits = hamel_compiler::simplify::Limits::default();
            let (simplified, _) = hamel_compiler::simplify::simplify_equations(&equations, &limits);
            lap("simplified");
            let schedule = hamel_compiler::schedule::schedule(&equations, &simplified);
            lap("scheduled");
            hamel_compiler::check::check(&system, &simplified, &schedule)?;
            lap("checked");
            let stages = hamel_compiler::stages(tokens)?;
            lap("(again)");
            let model = hamel_jit::compile(&stages, level)?;
            lap("compiled");
            let state = initial_state(&model)?;
            lap("assembled");
            let scheme = schemes::by_name("generalized_alpha", &[])?;
            let mut stepper = scheme.start_with(&model, state, &Options::default())?;
            stepper.step(1e-4)?;
            lap("stepped");
            let laps = times
                .windows(2)
                .map(|pair| format!("{} {:.1}", pair[1].0, 1e3 * (pair[1].1 - pair[0].1).as_secs_f64()));
            println!("{path} {level:?}, ms: {}", laps.collect::<Vec<_>>().join(", "));
        }
    }
    Ok(())
}
