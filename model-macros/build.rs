//! Empties the folder of models that were compiled before, and says which compiler this is.
//!
//! Cargo runs this again whenever the compiler or anything below it has changed, because it is built with them: what a
//! compiler leaves in the folder lives as long as that compiler. For the same reason this program tells compilers apart.

use std::hash::{DefaultHasher, Hasher};
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    // What is not used would not be linked, and this program would be the same with any compiler.
    std::hint::black_box(hamel_compiler::stages as fn(_) -> _);
    let mut hasher = DefaultHasher::new();
    hasher.write(&fs::read(env::current_exe()?)?);
    println!("cargo::rustc-env=HAMEL_COMPILER={:016x}", hasher.finish());
    let Some(folder) = env::var_os("OUT_DIR").map(PathBuf::from).map(|out| out.join("models")) else {
        return Err(io::Error::other("cargo sets OUT_DIR"));
    };
    match fs::symlink_metadata(&folder) {
        Ok(about) if about.is_dir() => fs::remove_dir_all(&folder)?,
        Ok(_) => fs::remove_file(&folder)?,
        Err(_) => {}
    }
    fs::create_dir(&folder)?;
    // Entries are taken from a folder that nobody else can write to, whatever the user's mask.
    #[cfg(unix)]
    fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}
