use hamel_compiler::{derive, parse, resolve, expr::*, simplify::*};
#[test]
fn scratch() {
    let which = std::env::var("WHICH").unwrap_or("double_pendulum,arm6,arm7,quadruped".into());
    let simp = std::env::var("SIMP").is_ok();
    for name in which.split(',') {
        let path = format!("{}/../verify/data/opcounts/{name}.model", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let end = text.rfind('}').unwrap();
        let text = format!("{} provide nonlinear_effects, inverse_dynamics, forward_dynamics, inverse_dynamics_derivatives, forward_dynamics_derivatives; }}", &text[..end]);
        let t0 = std::time::Instant::now();
        let system = resolve::resolve(&parse::parse(text.parse().unwrap()).unwrap()).unwrap();
        let equations = derive::derive(&system);
        println!("{name}: derive {:?} nodes {}", t0.elapsed(), equations.kernels[0].graph.len());
        for k in &equations.kernels { for f in &k.functions {
            let roots: Vec<_> = f.outputs.iter().flat_map(|o| o.entries.iter().map(|e| e.value)).collect();
            let ops = Operations::hot(&k.graph, &roots).arithmetic();
            let name = format!("{:?}", f.role);
            let wanted = std::env::var("ONLY").map_or(true, |o| name == o);
            if simp && wanted && ["MassMatrix","NonlinearEffects","InverseDynamics","ForwardDynamics","InverseDynamicsDerivatives","ForwardDynamicsDerivatives"].contains(&name.as_str()) {
                let s = simplify(&k.graph, &roots, &Limits::default());
                println!("  {name} {ops} -> {}", Operations::hot(&s.graph, &s.roots).arithmetic());
            } else if wanted { println!("  {name} {ops}"); }
        }}
    }
}
