//! What rustc and the C compiler say of models that were accepted: many at once, each in a module of its own. Warnings are
//! errors.
//!
//! Programs of this and of other packages include this file by its path; each uses a part of it.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hamel_compiler::{Stages, emit, inspect};
use proc_macro2::TokenStream;

/// Names of users are what they are; anything else that rustc remarks is an error.
const LINTS: &str = "#![deny(warnings)]\n#![allow(confusable_idents, mixed_script_confusables, non_camel_case_types, \
                     uncommon_codepoints)]\n";

/// A model that was accepted, as text: what it was made of takes much memory.
pub struct Accepted {
    /// As its files are named.
    pub name: String,
    /// What was written.
    pub source: String,
    rust: String,
    c: emit::Files,
}

impl Accepted {
    /// What is kept of a model.
    pub fn new(name: String, source: &TokenStream, stages: &Stages) -> Accepted {
        let source = source.to_string();
        let code = stages.code().unwrap_or_else(|error| error.to_compile_error());
        // As the macro hands it on, or as the command line prints it.
        let rust = match source.len() % 2 {
            0 => code.to_string(),
            _ => inspect::rust(&code, None).unwrap_or_else(|error| error.to_string()),
        };
        let c = emit::c(&stages.system.name.to_string(), &stages.simplified, &stages.schedule);
        Accepted { name, source, rust, c }
    }
}

/// rustc with the runtime that cargo has built.
pub struct Rustc {
    folder: PathBuf,
    libraries: PathBuf,
    runtime: PathBuf,
}

impl Rustc {
    /// With the libraries beside this program, of the profile that it was built with; `None` where the runtime is not
    /// among them, because only the compiler was built.
    pub fn find(folder: &Path) -> Option<Rustc> {
        let program = std::env::current_exe().ok()?;
        let beside = program.ancestors().skip(1).take(2).map(|folder| match folder.ends_with("deps") {
            true => folder.to_owned(),
            false => folder.join("deps"),
        });
        let libraries = beside.into_iter().find(|folder| folder.is_dir())?;
        let files = fs::read_dir(&libraries).ok()?.flatten().map(|entry| entry.path());
        let is_runtime = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("libhamel-") && name.ends_with(".rlib")
        };
        // Of several, the last one that was built has its own dependencies beside it.
        let age = |path: &PathBuf| path.metadata().and_then(|file| file.modified()).ok();
        let runtime = files.filter(is_runtime).max_by_key(age)?;
        Some(Rustc { folder: folder.to_owned(), libraries, runtime })
    }

    /// The models that it rejects, each with the first message.
    pub fn rejected(&self, models: &[&Accepted]) -> BTreeMap<String, String> {
        let _ = fs::remove_dir_all(&self.folder);
        fs::create_dir_all(&self.folder).expect("the folder can be written to");
        let write = |file: &str, text: &str| fs::write(self.folder.join(file), text).expect("it can be written to");
        let modules: String = models.iter().map(|model| format!("pub mod {};\n", model.name)).collect();
        write("lib.rs", &format!("{LINTS}{modules}"));
        models.iter().for_each(|model| write(&format!("{}.rs", model.name), &model.rust));
        let mut command = self.command();
        command.args(["--crate-type=lib", "--emit=metadata", "lib.rs"]);
        let output = command.output().expect("rustc starts");
        if output.status.success() { BTreeMap::new() } else { by_model(&output.stderr) }
    }

    /// What a program prints that uses the runtime.
    ///
    /// # Errors
    /// The messages of rustc, or of the program.
    pub fn printed(&self, text: &str) -> Result<String, String> {
        fs::create_dir_all(&self.folder).expect("the folder can be written to");
        fs::write(self.folder.join("main.rs"), text).expect("the folder can be written to");
        let program = self.folder.join(format!("main{}", std::env::consts::EXE_SUFFIX));
        let run = |command: &mut Command| {
            let output = command.output().map_err(|error| error.to_string())?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
        };
        run(self.command().args(["-Copt-level=1", "main.rs", "-o"]).arg(&program))?;
        run(&mut Command::new(&program))
    }

    /// The compiler that has compiled the runtime, with the runtime.
    fn command(&self) -> Command {
        let compiler = Path::new(env!("CARGO")).with_file_name("rustc");
        let mut command = Command::new(if compiler.is_file() { compiler } else { "rustc".into() });
        command.args(["--edition=2024", "--error-format=short", "--extern"]);
        command.arg(format!("hamel={}", self.runtime.display())).arg("-L");
        command.arg(format!("dependency={}", self.libraries.display())).current_dir(&self.folder);
        command
    }
}

/// Whether there is a C compiler.
pub fn has_c() -> bool {
    Command::new("cc").arg("--version").output().is_ok()
}

/// The models that the C compiler rejects, each with the first message.
pub fn rejected_by_c(folder: &Path, models: &[&Accepted]) -> BTreeMap<String, String> {
    let _ = fs::remove_dir_all(folder);
    let mut sources = Vec::new();
    for model in models {
        // The source says how its header is called.
        let header = model.c.source.split('"').nth(1).unwrap_or_default();
        // No file system takes names of more bytes: whoever wants such a model has to rename it.
        if header.len() > 255 {
            continue;
        }
        let folder = folder.join(&model.name);
        fs::create_dir_all(&folder).expect("the folder can be written to");
        fs::write(folder.join(header), &model.c.header).expect("the folder can be written to");
        fs::write(folder.join("model.c"), &model.c.source).expect("the folder can be written to");
        sources.push(format!("{}/model.c", model.name));
    }
    if sources.is_empty() {
        return BTreeMap::new();
    }
    let compile = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"];
    let output = Command::new("cc").args(compile).args(sources).current_dir(folder).output().expect("cc starts");
    if output.status.success() { BTreeMap::new() } else { by_model(&output.stderr) }
}

/// The first message of every model, from lines of a file, a place and a message.
fn by_model(messages: &[u8]) -> BTreeMap<String, String> {
    let text = String::from_utf8_lossy(messages);
    let mut wrong = BTreeMap::new();
    for line in text.lines().filter(|line| line.contains("error")) {
        let end = line.find(['.', '/', ':']).unwrap_or(line.len());
        wrong.entry(line[..end].to_owned()).or_insert_with(|| line.to_owned());
    }
    if wrong.is_empty() {
        wrong.insert(String::new(), text.into_owned());
    }
    wrong
}
