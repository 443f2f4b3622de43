//! Compiles the model to Rust, which `src/main.rs` includes.

use std::env;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src/crane.model");
    let out = Path::new(&env::var("OUT_DIR")?).join("crane.rs");
    // A mistake in the model ends the build with its place: `src/crane.model:12:5: unknown name …`.
    Ok(hamel_compiler::compile_file("src/crane.model", out)?)
}
