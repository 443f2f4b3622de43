//! The book's commands are run, and print what the book shows.
//!
//! A block of a chapter (`docs/book`) whose info line has a second word is written to the file of that name, in a folder
//! of the chapter's own. Blocks `sh` are run there by the shell; a block `text` that follows immediately has what they
//! print. `…` in a line stands for any text, alone for any lines. A figure with a comment before it, such as
//! `<!-- run/energy.svg -->`, is a file that the commands have written.
//!
//! With `HAMEL_WRITE_PAGES=1` what differs is written anew, texts and figures.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::printed::{figures_agree, texts_agree};

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/book")
}

/// What a chapter consists of, in order.
#[derive(Debug, PartialEq)]
enum Piece<'a> {
    /// A block of code: its info line and its text.
    Block(&'a str, &'a str),
    /// A file that commands have written, and the figure that shows it.
    Figure(&'a str, &'a str),
    /// A line of other text.
    Line(&'a str),
}

fn pieces(chapter: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut comment = None;
    for (index, part) in chapter.split("```").enumerate() {
        if index % 2 == 1 {
            let (info, text) = part.split_once('\n').expect("an info line ends");
            pieces.push(Piece::Block(info, text));
            continue;
        }
        for line in part.lines().filter(|line| !line.trim().is_empty()) {
            let target = || line.split("](").nth(1).and_then(|rest| rest.split(')').next());
            match (comment.take(), line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"))) {
                (Some(written), None) => pieces.push(Piece::Figure(written, target().expect("a figure follows"))),
                (_, Some(written)) => comment = Some(written),
                (None, None) => pieces.push(Piece::Line(line)),
            }
        }
    }
    pieces
}

/// Whether a program is found.
fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// What these commands need beside `hamel` and is not found.
fn missing(commands: &str) -> Option<&'static str> {
    // Where `hamel` looks for it, too.
    let folder = Path::new(env!("CARGO_BIN_EXE_hamel")).parent().unwrap();
    let has_library = ["libhamel_fmu.so", "deps/libhamel_fmu.so"].iter().any(|file| folder.join(file).exists());
    [
        ("cc ", "a compiler of C", has("cc")),
        ("export fmu", "the library of units (cargo build -p hamel-fmu)", has_library),
    ]
    .into_iter()
    .find_map(|(word, what, is_found)| (commands.contains(word) && !is_found).then_some(what))
}

/// What the shell prints for these commands, errors included.
fn run(commands: &str, folder: &Path) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_hamel")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("exec 2>&1\n{commands}"))
        .current_dir(folder)
        .env("PATH", path)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("there is a shell");
    // That the folder `run` is used again is of no interest in a book.
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter(|line| !line.starts_with("note: results of ")).map(|line| format!("{line}\n")).collect()
}

/// Runs a chapter; what differs from the book. In `text` what differs is replaced.
fn differences(chapter: &Path, text: &mut String, folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let original = text.clone();
    let pieces = pieces(&original);
    let name = chapter.file_name().unwrap().to_string_lossy();
    for (index, piece) in pieces.iter().enumerate() {
        match *piece {
            Piece::Block("sh", commands) => {
                if let Some(missing) = missing(commands) {
                    eprintln!("skipped: commands of {name} that need {missing}");
                    continue;
                }
                let printed = run(commands, folder);
                assert!(!printed.contains("panicked"), "{name}\n{commands}{printed}");
                let shown = match pieces.get(index + 1) {
                    Some(&Piece::Block("text", shown)) => shown,
                    // What is not shown must at least succeed, and leaves nothing to say.
                    _ if printed.contains("error") => {
                        found.push(format!("{name}\n{commands}{printed}"));
                        continue;
                    }
                    _ => continue,
                };
                if let Err(line) = texts_agree(shown, &printed) {
                    found.push(format!("{name}: {line}\n{commands}the book:\n{shown}printed:\n{printed}"));
                    *text = text.replacen(
                        &format!("```sh\n{commands}```\n\n```text\n{shown}```"),
                        &format!("```sh\n{commands}```\n\n```text\n{}\n```", printed.trim_end()),
                        1,
                    );
                }
            }
            Piece::Block(info, content) => {
                if let Some((_, file)) = info.split_once(' ').filter(|_| !info.starts_with("rust")) {
                    std::fs::write(folder.join(file), content).unwrap();
                }
            }
            Piece::Figure(written, figure) => {
                let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
                let (written, figure) = (read(&folder.join(written)), chapter.parent().unwrap().join(figure));
                assert!(!written.is_empty(), "{name}: no command writes {}", figure.display());
                if !figures_agree(&read(&figure), &written) {
                    found.push(format!("{name}: {} is another figure", figure.display()));
                    if std::env::var_os("HAMEL_WRITE_PAGES").is_some() {
                        std::fs::write(&figure, written).unwrap();
                    }
                }
            }
            Piece::Line(_) => {}
        }
    }
    found
}

/// Chapters with commands, in alphabetic order.
fn chapters() -> Vec<PathBuf> {
    let files = std::fs::read_dir(book()).unwrap().map(|entry| entry.unwrap().path());
    let mut chapters: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    chapters.sort();
    chapters
}

#[test]
fn the_books_commands_print_what_it_shows() {
    if !cfg!(unix) {
        eprintln!("skipped: the book's commands (they are those of a POSIX shell)");
        return;
    }
    let only = std::env::var("HAMEL_CHAPTER").unwrap_or_default();
    let chapters: Vec<PathBuf> = chapters().into_iter().filter(|path| path.to_string_lossy().contains(&only)).collect();
    let found = hamel_compiler::parallel::map(&chapters, |chapter| {
        let folder = tempfile::tempdir().unwrap();
        let mut text = std::fs::read_to_string(chapter).unwrap();
        let commands = text.matches("```sh\n").count();
        let differences = differences(chapter, &mut text, folder.path());
        if !differences.is_empty() && std::env::var_os("HAMEL_WRITE_PAGES").is_some() {
            std::fs::write(chapter, text).unwrap();
        }
        (commands, differences)
    });
    let commands: usize = found.iter().map(|(commands, _)| commands).sum();
    let found: Vec<String> = found.into_iter().flat_map(|(_, differences)| differences).collect();
    assert!(commands > 20 || !only.is_empty(), "{commands} blocks of commands");
    assert!(found.is_empty(), "{}\nHAMEL_WRITE_PAGES=1 writes it anew", found.join("\n"));
}

/// Blocks of Rust are documentation tests of a crate that can compile them.
#[test]
fn chapters_with_rust_are_documentation_tests() {
    let crates = ["runtime", "verify"].map(|name| book().join("../..").join(name).join("src/lib.rs"));
    let texts = crates.map(|path| std::fs::read_to_string(path).unwrap());
    for chapter in chapters() {
        let has_rust = std::fs::read_to_string(&chapter).unwrap().contains("```rust\n");
        let name = format!("docs/book/{}\"", chapter.file_name().unwrap().to_string_lossy());
        assert_eq!(has_rust, texts.iter().any(|text| text.contains(&name)), "{name}");
    }
}

/// The test fails if the book shows something else than what is printed.
#[test]
fn a_chapter_that_shows_something_else_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let chapter = folder.path().join("chapter.md");
    let text =
        |code: &str| format!("```model a.model\n{code}\n```\n\n```sh\ncat a.model\n```\n\n```text\none 1.0000\n```\n");
    assert!(differences(&chapter, &mut text("one 1.0000"), folder.path()).is_empty());
    let mut wrong = text("one 1.1000");
    assert_eq!(differences(&chapter, &mut wrong, folder.path()).len(), 1);
    assert!(wrong.ends_with("```text\none 1.1000\n```\n"), "{wrong}");
}
