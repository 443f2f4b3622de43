//! Contacts: what the whole compiler says of them, and that their number does not make the code longer.

use hamel_compiler::simplify::Limits;
use hamel_compiler::{Stages, stages_within};

fn stages(items: &str) -> Result<Stages, String> {
    let text = format!("model Test {{ planar; {items} }}");
    stages_within(text.parse().expect("the model lexes"), &Limits::least()).map_err(|error| error.to_string())
}

#[test]
fn a_contact_that_nothing_moves_is_an_error() {
    let with = |contact: &str| {
        stages(&format!(
            "body block {{ mass: 1 kg, inertia: 1 kg m^2 }} joint motion: free(ground, block); contact c {{ {contact} }}"
        ))
        .map(|_| ())
    };
    let still = "(ground at [0, 1] m)";
    assert_eq!(with(&format!("gap: {still}.y")), Err("no motion changes the gap of `c`".to_owned()));
    let slip = format!("gap: block.position.y, slip: {still}.x, friction: 0.1");
    assert_eq!(with(&slip), Err("no motion changes the slip of `c`".to_owned()));
    assert_eq!(with("gap: block.position.y, slip: block.position.x, friction: 0.1"), Ok(()));
}

/// A row of discs of different sizes under walls at different places.
#[test]
fn more_contacts_have_the_same_kernels() {
    let row = |n: usize| {
        let radii: Vec<String> = (0..n).map(|k| (0.1 + 0.01 * k as f64).to_string()).collect();
        stages(&format!(
            "const n = {n};
            param radii = [{}] m;
            for k in 0..n {{
                body disc[k] {{ mass: 1 kg, inertia: 1 kg m^2 }}
                contact floor[k]: disc_on_line(disc[k], ground) {{ radius: radii[k], friction: 0.3 }}
                contact roof[k] {{ gap: (2 + 0.1 * k) * 1 m - disc[k].position.y - radii[k] }}
            }}
            for k in 1..n {{ contact pair[k]: disc_on_disc(disc[k], disc[k - 1]) {{ radii: [radii[k], radii[k - 1]], friction: 0.3 }} }}",
            radii.join(", ")
        ))
        .expect("a valid model")
    };
    let (few, many) = (row(4), row(12));
    let kernels = |stages: &Stages| {
        let names = stages.equations.kernels.iter().map(|kernel| kernel.name.clone());
        names.filter(|name| name != "rigid_body").collect::<Vec<_>>()
    };
    assert_eq!(kernels(&few), ["disc_on_line", "contact", "disc_on_disc"]);
    assert_eq!(kernels(&few), kernels(&many));
    let statements = |stages: &Stages| {
        let functions = stages.schedule.kernels.iter().flat_map(|kernel| &kernel.functions);
        functions.map(|function| function.routine.statements.len()).sum::<usize>()
    };
    assert_eq!(statements(&few), statements(&many));
}
