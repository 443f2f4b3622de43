//! The models of this program, which are those of papers and tests: none without the feature `papers`.

use hamel::Model;

use crate::failure::Failure;

/// Names of all of them.
pub(crate) fn names() -> Vec<&'static str> {
    #[cfg(feature = "papers")]
    return hamel_models::ALL.iter().map(|entry| entry.name).collect();
    #[cfg(not(feature = "papers"))]
    Vec::new()
}

/// The model of this name, with these parameters.
#[cfg(feature = "papers")]
pub(crate) fn build(name: &str, parameters: &[(String, f64)]) -> Result<Box<dyn Model>, Failure> {
    let entry = hamel_models::find(name).ok_or_else(|| unknown(name))?;
    (entry.build)(parameters).map_err(|error| {
        Failure::unknown("parameter", &error.name, error.known.iter().map(|channel| channel.name.as_str()))
    })
}

/// A name that is none of a model, but may be that of a file without its ending.
#[cfg(feature = "papers")]
fn unknown(name: &str) -> Failure {
    let file = format!("{name}.model");
    match std::path::Path::new(&file).is_file() {
        true => Failure::Usage(format!("unknown model `{name}`\nhelp: files have their whole name: `{file}`")),
        false => Failure::unknown("model", name, names()),
    }
}

/// The model of this name, with these parameters.
#[cfg(not(feature = "papers"))]
pub(crate) fn build(name: &str, _: &[(String, f64)]) -> Result<Box<dyn Model>, Failure> {
    let message = format!("unknown model `{name}`: this program was built without models (feature `papers`)");
    Err(Failure::Usage(format!("{message}\nhelp: give a file, such as {name}.model")))
}
