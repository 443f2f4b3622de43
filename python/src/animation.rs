//! Pages with moving pictures of runs, and what is kept of the inputs of a run for them.

use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};

use hamel::{Model as _, Signal};
use hamel_animate::{Browser, FilmError, Format, Look, Meshes, Motion, Pace, Scene, gltf, unread_files};
use hamel_compiler::file;
use hamel_report::recorded;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::simulation::Run;

/// An input of a run.
///
/// What a function in Python refers to may have changed when the run is drawn. Therefore its values are kept while the
/// run goes on.
pub(crate) struct Witnessed {
    pub name: String,
    pub signal: Signal,
    /// Times, s, and values of a function in Python.
    samples: Option<Vec<(f64, f64)>>,
}

impl Witnessed {
    pub fn new(name: &str, signal: &Signal, is_function: bool) -> Witnessed {
        Witnessed { name: name.to_owned(), signal: signal.clone(), samples: is_function.then(Vec::new) }
    }

    /// Keeps the value at an instant.
    pub fn witness(&mut self, t: f64) {
        let Some(samples) = &mut self.samples else { return };
        if samples.last().is_none_or(|&(last, _)| last < t) {
            samples.push((t, self.signal.value(t)));
        }
    }

    /// The input without the function: lines between the values that were kept. None if there are none, or some are no
    /// numbers; the last one may have ended the run, and is then left out.
    pub fn kept(mut self, has_raised: bool) -> (String, Option<Signal>) {
        let signal = match self.samples.take() {
            None => Some(self.signal),
            Some(mut samples) => {
                samples.pop_if(|(_, value)| has_raised && !value.is_finite());
                Signal::sampled(samples)
            }
        };
        (self.name, signal)
    }
}

/// The page that shows runs together, each with its label, or the file in glTF; and the files of meshes that are not drawn.
/// The paths of meshes start at a folder.
#[pyfunction]
pub(crate) fn animation(
    py: Python<'_>,
    title: &str,
    runs: Vec<(String, Py<Run>)>,
    folder: PathBuf,
    is_gltf: bool,
) -> PyResult<(Cow<'static, [u8]>, Vec<String>)> {
    let (bytes, unread) = py.detach(|| bytes(title, &runs, folder, is_gltf)).map_err(PyValueError::new_err)?;
    Ok((bytes.into(), unread))
}

/// A picture of a page at a time, s, or a film of it, by the ending of a name.
#[pyfunction]
#[pyo3(signature = (page, path, *, at, size, view, dark, speed))]
#[expect(clippy::too_many_arguments, reason = "they are those of Python")]
pub(crate) fn picture(
    py: Python<'_>,
    page: &str,
    path: PathBuf,
    at: Option<f64>,
    size: [u32; 2],
    view: Option<String>,
    dark: bool,
    speed: Option<f64>,
) -> PyResult<Cow<'static, [u8]>> {
    let look = Look { size, view, is_dark: dark, ..Look::default() };
    let made = py.detach(|| filmed(page, &path, &look, at, speed));
    made.map(Cow::from).map_err(|error| match error {
        FilmError::Cancelled => PyKeyboardInterrupt::new_err(()),
        FilmError::Range { .. } | FilmError::TooLong(_) => PyValueError::new_err(error.to_string()),
        other => PyOSError::new_err(other.to_string()),
    })
}

fn filmed(page: &str, path: &Path, look: &Look, at: Option<f64>, speed: Option<f64>) -> Result<Vec<u8>, FilmError> {
    // Python keeps signals until it is asked.
    let browser = Browser::find()?.cancelled_by(|| Python::attach(|py| py.check_signals()).is_err());
    match Format::of(path) {
        None => browser.picture(page, look, at),
        Some(format) => browser.film(page, look, &Pace { speed, ..Pace::default() }, format, |_, _| ()),
    }
}

/// Writes a file, wholly or not at all.
#[pyfunction]
pub(crate) fn write_animation(py: Python<'_>, path: PathBuf, bytes: &[u8]) -> PyResult<()> {
    let write = || file::write(&path, |out| out.write_all(bytes));
    py.detach(write).map_err(|error| PyOSError::new_err(error.to_string()))
}

fn bytes(
    title: &str,
    runs: &[(String, Py<Run>)],
    folder: PathBuf,
    is_gltf: bool,
) -> Result<(Vec<u8>, Vec<String>), String> {
    let meshes = Meshes::beside(folder);
    let scenes = runs
        .iter()
        .map(|(label, run)| scene(label, run.get(), &meshes).map_err(|error| format!("animation of {label}: {error}")));
    let scenes: Vec<Scene> = scenes.collect::<Result<_, _>>()?;
    let unread = unread_files(scenes.iter().flat_map(|scene| &scene.unread));
    let wrong = |error: hamel_animate::Error| format!("animation: {error}");
    if is_gltf {
        return Ok((gltf(title, &scenes).map_err(wrong)?, unread));
    }
    let figures = runs.iter().map(|(label, run)| {
        let Run { model, run, .. } = run.get();
        (label.clone(), recorded::figures(model.describe(), &run.trajectory))
    });
    let figures = recorded::overlaid(figures.collect());
    Ok((hamel_animate::page(title, &scenes, &figures).map_err(wrong)?.into_bytes(), unread))
}

fn scene(label: &str, run: &Run, meshes: &Meshes) -> Result<Scene, String> {
    let info = run.model.describe();
    let parameters = run.model.named_parameters().map(|(name, value)| (name.to_owned(), value));
    let parameters: Vec<(String, f64)> = parameters.collect();
    let known = |(name, signal): &(String, Option<Signal>)| match signal {
        Some(signal) => Ok((name.clone(), signal.clone())),
        None => Err(format!("the function of input `{name}` was not a finite number at every recorded instant")),
    };
    let inputs: Vec<(String, Signal)> = run.inputs.iter().map(known).collect::<Result<_, _>>()?;
    let trajectory = &run.run.trajectory;
    let motion = Motion { label, info, parameters: &parameters, inputs: &inputs, trajectory, meshes };
    Scene::new(&motion).map_err(|error| error.to_string())
}
