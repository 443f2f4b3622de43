//! Empties the folder of models that were compiled before.
//!
//! Cargo runs this again whenever the compiler or anything below it has changed, because it is built with them: what a
//! compiler leaves in the folder lives as long as that compiler.

use std::path::PathBuf;
use std::{env, fs, io};

// Ties this script to the compiler.
use hamel_compiler as _;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let Some(folder) = env::var_os("OUT_DIR").map(PathBuf::from).map(|out| out.join("models")) else {
        return Err(io::Error::other("cargo sets OUT_DIR"));
    };
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder)
}
