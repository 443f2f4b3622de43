//! Notes the compiler that builds the program, for the provenance of its results.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc).arg("--version").output().ok().filter(|output| output.status.success());
    let version = version.and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=HAMEL_RUSTC={}", version.as_deref().map_or("unknown", str::trim));
    println!("cargo::rerun-if-changed=build.rs");
}
