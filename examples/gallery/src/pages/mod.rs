//! The pages of the gallery: an index, and for each entry its picture, motion, text, plot and check. They need no
//! network.

mod html;

use std::fs;
use std::path::Path;

use hamel::Model;
use hamel_animate::{Browser, Look, Meshes, Numbers, Scene};
use hamel_compiler::parallel;
use hamel_report::{Figure, recorded};

use crate::entry::{Chapter, Entry};
use crate::finding::Finding;
use crate::motion::{Case, Failure, Motion};

/// What became of an entry.
pub struct Shown {
    /// What its check has found.
    pub findings: Vec<Finding>,
    /// Why there is nothing to show, or no picture.
    pub faults: Vec<String>,
    /// Whether there is a picture.
    pub has_picture: bool,
    /// Whether the model has run.
    pub has_motion: bool,
}

impl Shown {
    /// Whether the check has found what is known.
    pub fn holds(&self) -> bool {
        self.has_motion && !self.findings.is_empty() && self.findings.iter().all(Finding::holds)
    }
}

/// Runs all entries, on all cores, and writes the pages to a folder; calls `done` after each entry.
///
/// What becomes of the entries is returned in the order of the chapters.
///
/// # Errors
/// If a file cannot be written.
pub fn write(out: &Path, chapters: &[Chapter], done: impl Fn(&Entry, &Shown) + Sync) -> Result<Vec<Shown>, Failure> {
    fs::create_dir_all(out)?;
    let browser = Browser::find().ok();
    let entries: Vec<&Entry> = chapters.iter().flat_map(|chapter| &chapter.entries).collect();
    let shown = parallel::map(&entries, |entry| {
        let shown = entry_pages(out, entry, browser.as_ref()).map_err(|error| error.to_string())?;
        done(entry, &shown);
        Ok(shown)
    });
    let all = shown.into_iter().collect::<Result<Vec<Shown>, String>>()?;
    fs::write(out.join("index.html"), html::index(chapters, &all))?;
    Ok(all)
}

/// Runs, checks and draws an entry.
fn entry_pages(out: &Path, entry: &Entry, browser: Option<&Browser>) -> Result<Shown, Failure> {
    let mut shown = Shown { findings: Vec::new(), faults: Vec::new(), has_picture: false, has_motion: false };
    let motion = match Motion::new(entry, &entry.setup) {
        Ok(motion) => motion,
        Err(failure) => {
            shown.faults.push(format!("it does not run: {failure}"));
            fs::write(out.join(format!("{}.html", entry.name)), html::entry(entry, &shown, None))?;
            return Ok(shown);
        }
    };
    shown.has_motion = true;
    match (entry.check)(&Case { entry, motion: &motion }) {
        Ok(findings) => shown.findings = findings,
        Err(failure) => shown.faults.push(format!("it cannot be checked: {failure}")),
    }
    let page = hamel_animate::page(entry.title, &[scene(entry, &motion)?], &[])?;
    fs::write(out.join(format!("{}_motion.html", entry.name)), &page)?;
    let look = Look { view: Some(entry.still.view.to_owned()), ..Look::default() };
    match browser.map(|browser| browser.picture(&page, &look, Some(entry.still.time))) {
        Some(Ok(picture)) => {
            fs::write(out.join(format!("{}.png", entry.name)), picture)?;
            shown.has_picture = true;
        }
        Some(Err(failure)) => shown.faults.push(format!("no picture: {failure}")),
        None => shown.faults.push("no picture: no browser was found".to_owned()),
    }
    let figure = figure(entry, &motion);
    fs::write(out.join(format!("{}.html", entry.name)), html::entry(entry, &shown, figure.as_ref()))?;
    Ok(shown)
}

fn scene(entry: &Entry, motion: &Motion) -> Result<Scene, Failure> {
    let mut scene = Scene::new(&hamel_animate::Motion {
        label: entry.title,
        info: motion.model.describe(),
        parameters: &motion.parameters,
        inputs: &motion.inputs,
        trajectory: &motion.trajectory,
        meshes: &Meshes::default(),
    })?;
    if !entry.still.has_arrows {
        (scene.arrows, scene.vectors) = (Vec::new(), Numbers::default());
    }
    Ok(scene)
}

/// The plot of the quantity that the entry names.
fn figure(entry: &Entry, motion: &Motion) -> Option<Figure> {
    let figures = recorded::figures(motion.model.describe(), &motion.trajectory);
    figures.into_iter().find(|figure| figure.slug == format!("output_{}", entry.plotted))
}
