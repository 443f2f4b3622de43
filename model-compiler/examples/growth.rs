//! How time and memory of the compiler grow with the number of items, kind by kind:
//! `cargo run --release -p hamel-compiler --example growth -- [KIND…]`.
//!
//! Models of 100 items of a kind, and ten times as many each time up to 100 000, each in a process of its own; a row ends with
//! the error of a limit, or where a model takes more than a minute. Exponents are those between the two largest models:
//! 1 is in proportion to the number of items. Simplification has its least limits, because how long it searches is not
//! the question here.

use std::error::Error;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hamel_compiler::simplify::Limits;

/// A model with so many items of a kind.
type Model = fn(usize) -> String;

/// Items of every kind, written out one by one; those of loops come from a loop.
const KINDS: [(&str, Model); 26] = [
    ("tokens", |n| disc(&"+".repeat(n))),
    ("brackets", |n| disc(&format!("output a = {}1{};", "(".repeat(n), ")".repeat(n)))),
    ("terms of a sum", |n| disc(&format!("output a = disc.angle{};", " + disc.angle".repeat(n)))),
    ("param", |n| disc(&each(n, |k| format!("param a{k} = {k} kg;")))),
    ("param, each of the last", |n| disc(&chain(n, "param", |k| format!("a{k}")))),
    ("const", |n| disc(&each(n, |k| format!("const a{k} = {k};")))),
    ("components of param", |n| disc(&format!("param a = [{}] kg;", each(n, |k| format!("{k}, "))))),
    ("let", |n| disc(&each(n, |k| format!("let a{k} = {k} * disc.angle;")))),
    ("let, each of the last", |n| disc(&chain(n, "let", |k| format!("a{k}")))),
    ("input", |n| disc(&each(n, |k| format!("input a{k} N;")))),
    ("state", |n| disc(&each(n, |k| format!("state a{k} 1: -a{k} / (1 s);")))),
    ("marker", |n| disc(&each(n, |k| format!("marker a{k}: disc at [{k}, 0] m;")))),
    ("force", |n| disc(&each(n, |k| format!("force a{k}: [0, {k}] N on disc at [{k}, 0] m;")))),
    ("spring", |n| {
        disc(&each(n, |k| {
            format!("force a{k}: spring(ground at [{k}, 0] m, disc) {{ stiffness: {k} N/m, free_length: 1 m }}")
        }))
    }),
    ("constraint", |n| discs(n, |k| format!("constraint a{k}: disc{k}.position.y == 0;"))),
    ("contact", |n| discs(n, |k| format!("contact a{k}: disc_on_line(disc{k}, ground) {{ radius: 1 m }}"))),
    ("initial", |n| discs(n, |k| format!("initial disc{k}.angle = {k} rad;"))),
    ("output", |n| disc(&each(n, |k| format!("output a{k} = {k} * disc.angle;")))),
    ("body", |n| discs(n, |_| String::new())),
    ("joint", |n| {
        discs(n, |k| match k {
            0 => "joint a0: revolute(ground, disc0);".to_owned(),
            k => format!("joint a{k}: revolute(disc{} at [1, 0] m, disc{k});", k - 1),
        })
    }),
    ("unknown name", |n| disc(&each(n, |k| format!("output a{k} = b{k};")))),
    ("duplicate name", |n| disc(&each(n, |_| "param a = 1;".to_owned()))),
    ("letters of a name", |n| disc(&format!("param {} = 1; output y = {};", "a".repeat(n), "b".repeat(n)))),
    ("item of a loop", |n| disc(&format!("for k in 0..{n} {{ let a[k] = 1 kg; }}"))),
    ("body of a loop", |n| {
        format!(
            "model M {{ planar; for k in 0..{n} {{ body disc[k] {{ mass: 1 kg, inertia: 1 kg m^2 }} }}
        for k in 0..{n} {{ joint a[k]: revolute(ground at [k, 0] m, disc[k]); }} }}"
        )
    }),
    ("element of a beam", |n| {
        format!(
            "model M {{ flexible beam: beam_three_node {{ length: 1 m, elements: {n}, axial: 1 MN, shear: [1, 1] MN,
        torsion: 80 N m^2, bending: [100, 100] N m^2, mass_per_length: 1 kg/m,
        inertia_per_length: [2e-4, 1e-4, 1e-4] kg m }} joint clamp: fixed(ground, beam.root); }}"
        )
    }),
];

fn each(n: usize, item: impl Fn(usize) -> String) -> String {
    (0..n).map(item).collect()
}

/// Items of which each is made of the one before it.
fn chain(n: usize, word: &str, name: impl Fn(usize) -> String) -> String {
    let first = format!("{word} {} = 1;", name(0));
    first + &each(n - 1, |k| format!("{word} {} = {} + {k};", name(k + 1), name(k)))
}

/// A model with one body.
fn disc(items: &str) -> String {
    format!(
        "model M {{ planar; body disc {{ mass: 1 kg, inertia: 1 kg m^2 }} joint motion: free(ground, disc); {items} }}"
    )
}

/// A model with a body for every item.
fn discs(n: usize, item: impl Fn(usize) -> String) -> String {
    let body = |k: usize| format!("body disc{k} {{ mass: 1 kg, inertia: 1 kg m^2 }} {}\n", item(k));
    format!("model M {{ planar; {} }}", each(n, body))
}

/// What a model of so many items takes: seconds, mebibytes, and its error.
struct Taken {
    seconds: f64,
    memory: f64,
    error: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, kind, n] = arguments.as_slice()
        && flag == "--one"
    {
        return one(kind, n.parse()?);
    }
    println!("{:<26}{:>8}{:>22}{:>22}{:>22}{:>22}", "", "s  MiB", "100", "1000", "10 000", "100 000");
    for (kind, _) in KINDS.iter().filter(|(kind, _)| arguments.is_empty() || arguments.iter().any(|word| word == kind))
    {
        let mut last: Option<Taken> = None;
        let (mut row, mut exponents, mut error) = (String::new(), String::new(), String::new());
        for n in [100, 1000, 10_000, 100_000] {
            let Some(taken) = measured(kind, n)? else {
                error = "more than a minute".to_owned();
                break;
            };
            row.push_str(&format!("{:>12.3}{:>10.0}", taken.seconds, taken.memory));
            if !taken.error.is_empty() {
                error = taken.error;
                break;
            }
            if let Some(last) = &last {
                exponents = format!(
                    "{:>4.1}{:>4.1}",
                    (taken.seconds / last.seconds).log10(),
                    (taken.memory / last.memory).log10()
                );
            }
            last = Some(taken);
        }
        println!("{kind:<26}{exponents:>8}{row}  {error}");
    }
    Ok(())
}

/// Compiles a model in a process of its own; `None` if that takes more than a minute.
fn measured(kind: &str, n: usize) -> Result<Option<Taken>, Box<dyn Error>> {
    let start = Instant::now();
    let mut child =
        Command::new(std::env::current_exe()?).args(["--one", kind, &n.to_string()]).stdout(Stdio::piped()).spawn()?;
    while child.try_wait()?.is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output()?;
    let text = String::from_utf8(output.stdout)?;
    let mut words = text.trim_end().splitn(3, ' ');
    let mut number = || words.next().and_then(|word| word.parse().ok()).ok_or(format!("{kind}: {}", output.status));
    Ok(Some(Taken { seconds: number()?, memory: number()?, error: words.next().unwrap_or_default().to_owned() }))
}

/// Compiles a model and prints what it takes.
fn one(kind: &str, n: usize) -> Result<(), Box<dyn Error>> {
    let (_, model) = KINDS.iter().find(|(known, _)| known == &kind).ok_or("no such kind")?;
    let text = model(n);
    let start = Instant::now();
    let error = hamel_compiler::stages_within(text.parse()?, &Limits::least()).err();
    let seconds = start.elapsed().as_secs_f64();
    let error = error.map(|error| error.to_string()).unwrap_or_default();
    println!("{seconds} {} {}", most_memory().unwrap_or(f64::NAN), error.lines().next().unwrap_or_default());
    Ok(())
}

/// The most that this process has held at once, in mebibytes, where the system says it.
fn most_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}
