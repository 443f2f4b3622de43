//! What the compiler accepts, rustc and the C compiler accept: models in batches, each in a module of its own.
//!
//! Of `COUNT` models of each kind those that compile are handed on. Warnings are errors.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use hamel_compiler::{Stages, emit, inspect};
use proc_macro2::TokenStream;

use super::harness::{Request, Tally, message, peak_memory};
use super::mutation::Corpus;
use super::renaming::Renaming;
use super::{compiled, shrinking};

/// Models that are handed on together.
const BATCH: usize = 200;
/// How many models are tried on the way to a smaller one.
const TRIALS: u32 = 300;
/// Names of users are what they are; anything else that rustc remarks is an error.
const LINTS: &str = "#![deny(warnings)]\n#![allow(confusable_idents, mixed_script_confusables, non_camel_case_types, uncommon_codepoints)]\n";

/// A model that was accepted.
struct Accepted {
    /// As its files are named.
    name: String,
    source: TokenStream,
    stages: Stages,
}

/// Runs the target.
pub fn run(request: &Request) -> ExitCode {
    let started = Instant::now();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/fuzz");
    let crates = match Crate::new(&folder.join("rust")) {
        Ok(crates) => crates,
        Err(error) => {
            eprintln!("cannot write {}: {error}", folder.display());
            return ExitCode::from(2);
        }
    };
    let has_c = Command::new("cc").arg("--version").output().is_ok();
    if !has_c {
        println!("C is not checked: there is no compiler `cc`");
    }
    std::panic::set_hook(Box::new(|_| {}));
    let mut tally = Tally::default();
    let mut seeds = request.seeds.clone().peekable();
    while seeds.peek().is_some() {
        // `proc_macro2` forgets what a thread has lexed when it ends.
        std::thread::scope(|scope| {
            let batch = || {
                let batch = accepted(&mut seeds, &mut tally);
                tally.count("to rustc", batch.len() as u64);
                judge(&batch, "rustc", &mut tally, |models| crates.rejected(models));
                if has_c {
                    tally.count("to cc", batch.len() as u64);
                    judge(&batch, "cc", &mut tally, |models| rejected_by_c(&folder.join("c"), models));
                }
                eprintln!("{} models after {:.0} s", batch.len(), started.elapsed().as_secs_f64());
            };
            scope.spawn(batch).join().expect("panics of cases are caught");
        });
    }
    println!("peak memory of rustc and cc is theirs, this program's is {}", peak_memory());
    tally.report(&request.target, &request.seeds, started)
}

/// The next models that compile.
fn accepted(seeds: &mut impl Iterator<Item = u64>, tally: &mut Tally) -> Vec<Accepted> {
    let (mutated, renamed) = (Corpus::read(), Renaming::read());
    let mut batch = Vec::new();
    for seed in seeds {
        for (kind, source) in [("tokens", mutated.mutant(seed)), ("names", renamed.mutant(seed))] {
            let name = format!("{kind}_{seed}");
            match catch_unwind(AssertUnwindSafe(|| compiled(source.clone()))) {
                Ok(Ok(Some(stages))) => batch.push(Accepted { name, source, stages }),
                Ok(Ok(None)) => tally.count("refused", 1),
                Ok(Err(sentence)) => tally.break_law(&format!("{name}: {sentence}")),
                Err(payload) => tally.break_law(&format!("{name} panics: {}\n{source}", message(&*payload))),
            }
        }
        if batch.len() >= BATCH {
            break;
        }
    }
    batch
}

/// Tells of those models of a batch that a compiler rejects, each with the smallest model that it still rejects.
fn judge(batch: &[Accepted], by: &str, tally: &mut Tally, rejected: impl Fn(&[&Accepted]) -> BTreeMap<String, String>) {
    let mut left: Vec<&Accepted> = batch.iter().collect();
    loop {
        let wrong = rejected(&left);
        if wrong.is_empty() {
            return;
        }
        // What stands in the way of everything else hides the errors of later phases.
        let (bad, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(|model| wrong.contains_key(&model.name));
        if bad.is_empty() {
            tally.break_law(&format!("{by} rejects a batch for no model of it: {wrong:?}"));
            return;
        }
        for model in bad {
            let trials = std::cell::Cell::new(TRIALS);
            let small = shrinking::smallest(model.source.clone(), |tokens| {
                let Some(left) = trials.get().checked_sub(1) else { return false };
                let stages = catch_unwind(AssertUnwindSafe(|| compiled(tokens.clone())));
                let Ok(Ok(Some(stages))) = stages else { return false };
                trials.set(left);
                let model = Accepted { name: "smaller".to_owned(), source: tokens.clone(), stages };
                !rejected(&[&model]).is_empty()
            });
            tally.break_law(&format!("{by} rejects {}: {}\nsmaller: {small}\n", model.name, wrong[&model.name]));
        }
        left = rest;
    }
}

/// A crate beside the workspace that depends on the runtime.
struct Crate(PathBuf);

impl Crate {
    fn new(folder: &Path) -> std::io::Result<Crate> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
        let manifest = format!(
            "[package]\nname = \"accepted\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
             hamel = {{ path = {:?}, default-features = false }}\n\n[workspace]\n",
            workspace.join("runtime")
        );
        fs::create_dir_all(folder.join("src"))?;
        fs::write(folder.join("Cargo.toml"), manifest)?;
        fs::copy(workspace.join("Cargo.lock"), folder.join("Cargo.lock"))?;
        Ok(Crate(folder.to_owned()))
    }

    /// The models that rustc rejects, with its first message.
    fn rejected(&self, models: &[&Accepted]) -> BTreeMap<String, String> {
        let sources = self.0.join("src");
        let _ = fs::remove_dir_all(&sources);
        let write = |file: &str, text: &str| fs::write(sources.join(file), text).expect("the folder can be written to");
        fs::create_dir_all(&sources).expect("the folder can be written to");
        let modules: String = models.iter().map(|model| format!("pub mod {};\n", model.name)).collect();
        write("lib.rs", &format!("{LINTS}{modules}"));
        for (index, model) in models.iter().enumerate() {
            // As the macro hands it on, and as the command line prints it.
            let text = match index % 2 {
                0 => model.stages.tokens.to_string(),
                _ => inspect::rust(&model.stages.tokens, None).unwrap_or_else(|error| error.to_string()),
            };
            write(&format!("{}.rs", model.name), &text);
        }
        let output = Command::new(env!("CARGO"))
            .args(["check", "--offline", "--quiet", "--message-format", "short", "--target-dir"])
            .arg(self.0.join("target"))
            .current_dir(&self.0)
            .output()
            .expect("cargo starts");
        if output.status.success() { BTreeMap::new() } else { by_model(&output.stderr, "src/") }
    }
}

/// The models that the C compiler rejects, with its first message.
fn rejected_by_c(folder: &Path, models: &[&Accepted]) -> BTreeMap<String, String> {
    let _ = fs::remove_dir_all(folder);
    let mut sources = Vec::new();
    for model in models {
        let name = model.stages.system.name.to_string();
        let files = emit::c(&name, &model.stages.simplified, &model.stages.schedule);
        // The source says how its header is called.
        let header = files.source.split('"').nth(1).unwrap_or_default();
        fs::create_dir_all(folder.join(&model.name)).expect("the folder can be written to");
        // No file system takes names of more bytes, whoever compiled the model would have to rename it.
        if header.len() > 255 {
            continue;
        }
        let write = |file: &str, text: &str| fs::write(folder.join(&model.name).join(file), text);
        write(header, &files.header).expect("the folder can be written to");
        write("model.c", &files.source).expect("the folder can be written to");
        sources.push(format!("{}/model.c", model.name));
    }
    let compile = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"];
    let output = Command::new("cc").args(compile).args(sources).current_dir(folder).output().expect("cc starts");
    if output.status.success() { BTreeMap::new() } else { by_model(&output.stderr, "") }
}

/// The first message of every model, from lines `prefix`, name, place and message.
fn by_model(messages: &[u8], prefix: &str) -> BTreeMap<String, String> {
    let text = String::from_utf8_lossy(messages);
    let mut wrong = BTreeMap::new();
    for line in text.lines().filter(|line| line.contains("error")) {
        let Some(rest) = line.strip_prefix(prefix) else { continue };
        let end = rest.find(['.', '/', ':']).unwrap_or(rest.len());
        wrong.entry(rest[..end].to_owned()).or_insert_with(|| line.to_owned());
    }
    if wrong.is_empty() {
        wrong.insert(String::new(), text.into_owned());
    }
    wrong
}
