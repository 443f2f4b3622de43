//! temp
use hamel::simulation::{Steps, together};
use hamel::{Model, Options, Run, Simulation, initial_state, schemes};
use hamel_jit::{JitModel, LANES, Level};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let level = if args[2] == "o" { Level::Optimised } else { Level::AtOnce };
    let dt: f64 = args[4].parse().unwrap();
    let until: f64 = args[5].parse().unwrap();
    let rounds: usize = args[6].parse().unwrap();
    let only = args.get(7).map(String::as_str).unwrap_or("both");
    let stages = hamel_compiler_stages(&text);
    let model = stages(level);
    let scheme = schemes::by_name(&args[3], &[]).unwrap();
    let models: Vec<JitModel> = (0..LANES)
        .map(|i| {
            let mut m = model.another();
            let p: Vec<(String, f64)> = m
                .describe()
                .parameters
                .iter()
                .zip(m.parameters())
                .map(|(c, v)| (c.name.clone(), v * (1.0 + 1e-3 * i as f64)))
                .collect();
            if std::env::var("EQUAL").is_err() {
                m.set(&p).unwrap();
            }
            m
        })
        .collect();
    let starts: Vec<_> = models.iter().map(|m| initial_state(m).unwrap()).collect();
    let mut least = [f64::INFINITY; 2];
    let mut found: [Vec<Run>; 2] = [Vec::new(), Vec::new()];
    let mut sums = [[0.0_f64; 8]; 2];
    for _ in 0..rounds {
        for k in 0..2 {
            if k == 0 && only == "lanes" || k == 1 && only == "one" {
                continue;
            }
            sums[k] = [0.0; 8];
            let mut closures: Vec<_> =
                sums[k].iter_mut().map(|m| move |r: &[f64]| *m += r.iter().sum::<f64>()).collect();
            let b = cpu();
            let mut cs = closures.iter_mut();
            let mut sims: Vec<_> = models
                .iter()
                .zip(&starts)
                .map(|(m, s)| {
                    let c = cs.next().unwrap();
                    (
                        m,
                        Simulation::new(m, &*scheme)
                            .options(Options::default())
                            .steps(Steps::Fixed(dt))
                            .until(until)
                            .reduce(c),
                        s.clone(),
                    )
                })
                .collect();
            let runs: Vec<Run> =
                if k == 0 { sims.drain(..).map(|(_, s, t)| s.run(t)).collect() } else { together::<_, LANES>(sims) };
            least[k] = least[k].min(cpu() - b);
            found[k] = runs;
        }
    }
    if only == "both" {
        for (i, (a, b)) in found[0].iter().zip(&found[1]).enumerate() {
            let s = |r: &Run| {
                format!(
                    "{:?} {:?} {} {:?}",
                    r.outcome,
                    r.cautions,
                    r.accepted,
                    r.trajectory.rows().next_back().map(|r| r.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
                )
            };
            if s(a) != s(b) || sums[0][i].to_bits() != sums[1][i].to_bits() {
                println!(
                    "DIFFERENT {i}\n {:?} {:?}\n {:?} {:?}",
                    a.outcome,
                    a.trajectory.rows().next_back().map(|r| r[..4.min(r.len())].to_vec()),
                    b.outcome,
                    b.trajectory.rows().next_back().map(|r| r[..4.min(r.len())].to_vec())
                );
            }
        }
    }
    if std::env::var("DUMP").is_ok() {
        let cols = found[0][0].trajectory.columns();
        let (a, b) =
            (found[0][0].trajectory.rows().next_back().unwrap(), found[1][0].trajectory.rows().next_back().unwrap());
        println!("{} columns", cols.len());
        for (k, c) in cols.iter().enumerate() {
            if a[k].to_bits() != b[k].to_bits() {
                println!("{} {:e} {:e}", c.name, a[k], b[k]);
            }
        }
    }
    let n = until / dt * 8.0;
    let s = found[usize::from(only == "lanes")][0].outcome.clone().unwrap_or_default();
    println!(
        "{} {} {}: {:.0} ns a step, lanes {:.0}, {:.2}; newton {:.2} factor {:.3}",
        args[1],
        args[2],
        args[3],
        least[0] / n * 1e9,
        least[1] / n * 1e9,
        least[0] / least[1],
        s.newton_iterations as f64 / n * 8.0,
        s.factorizations as f64 / n * 8.0
    );
}
fn hamel_compiler_stages(text: &str) -> impl Fn(Level) -> JitModel + use<> {
    let text = text.to_owned();
    move |level| hamel_jit::model_in_lanes(text.parse().unwrap(), level, None).unwrap()
}

fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    s.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-9
}
