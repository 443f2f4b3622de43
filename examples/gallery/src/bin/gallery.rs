//! Writes the gallery: `gallery [OUT]`, by default to `results/gallery`.

use std::path::PathBuf;
use std::process::ExitCode;

use hamel_animate::Browser;
use hamel_gallery::{Failure, chapters, pages};

fn main() -> Result<ExitCode, Failure> {
    let out = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("results/gallery"), PathBuf::from);
    if let Err(failure) = Browser::find() {
        println!("no pictures: {failure}");
    }
    let shown = pages::write(&out, &chapters(), |entry, shown| {
        println!("{}: {}", entry.name, if shown.holds() { "as known" } else { "not as known" });
        for finding in &shown.findings {
            println!("  {}{finding}", if finding.holds() { "" } else { "NOT AS KNOWN: " });
        }
        for fault in &shown.faults {
            println!("  {fault}");
        }
    })?;
    let kept = shown.iter().filter(|shown| shown.holds()).count();
    println!("{kept} of {} are as known; written to {}", shown.len(), out.join("index.html").display());
    Ok(if kept == shown.len() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
