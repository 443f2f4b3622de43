//! Files that `hamel animate` writes, by their names: pages, glTF, still pictures and films.

use std::path::Path;
use std::sync::atomic::Ordering;

use hamel_animate::{Browser, FilmError, Format, Look, Pace, Scene};
use hamel_report::Figure;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::motion::interrupted;

/// How still pictures and films look.
#[derive(clap::Args, Default)]
#[command(next_help_heading = "Pictures (.png) and films (.mp4, .webm, .gif)")]
pub(crate) struct Filming {
    /// Time of a still picture, s; by default the start of the motion.
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = finite)]
    at: Option<f64>,
    /// Width and height, pixels; by default 960x600.
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    size: Option<[u32; 2]>,
    /// Where it is seen from: along an axis, or from above at an angle.
    #[arg(long, value_name = "VIEW", value_parser = ["iso", "x", "y", "z"])]
    view: Option<String>,
    /// Light on dark.
    #[arg(long)]
    dark: bool,
    /// Earlier and later positions that are drawn, too.
    #[arg(long, value_name = "COUNT", value_parser = ["0", "3", "5", "9", "17"])]
    ghosts: Option<String>,
    /// Several motions side by side, not in one place.
    #[arg(long)]
    beside: bool,
    /// Pictures in a second of a film; by default 25.
    #[arg(long, value_name = "RATE", value_parser = positive)]
    rate: Option<f64>,
    /// Seconds of the motion in a second of a film; by default one, unless it would be over too soon or last too long.
    #[arg(long, value_name = "FACTOR", value_parser = positive)]
    speed: Option<f64>,
}

/// What is written, by the ending of its name.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Page,
    Gltf,
    Picture,
    Film(Format),
}

impl Kind {
    /// The kind that a name asks for, if the programs that make it are there.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        let kind = match (ending.as_deref(), Format::of(path)) {
            (Some("html" | "htm"), _) => Self::Page,
            (Some("glb"), _) => Self::Gltf,
            (Some("png"), _) => Self::Picture,
            (_, Some(format)) => Self::Film(format),
            _ => {
                return Err(Failure::Usage(format!(
                    "`{}`: expected a name that ends in .html, for a page, in .glb, for glTF in one file, in .png, for a picture, \
                     or in .mp4, .webm or .gif, for a film",
                    path.display()
                )));
            }
        };
        // Said before anything is computed for it.
        if matches!(kind, Self::Picture | Self::Film(_)) {
            Browser::find().map_err(|error| failed(path, &error))?;
        }
        if let Self::Film(_) = kind {
            Format::maker().map_err(|error| failed(path, &error))?;
        }
        Ok(kind)
    }
}

impl Filming {
    /// An option that this kind of file does not have.
    pub(crate) fn ignored(&self, kind: Kind) -> Option<&'static str> {
        let (is_picture, is_film) = (kind == Kind::Picture, matches!(kind, Kind::Film(_)));
        [
            ("--at", self.at.is_some(), is_picture),
            ("--size", self.size.is_some(), is_picture || is_film),
            ("--view", self.view.is_some(), is_picture || is_film),
            ("--dark", self.dark, is_picture || is_film),
            ("--ghosts", self.ghosts.is_some(), is_picture || is_film),
            ("--beside", self.beside, is_picture || is_film),
            ("--rate", self.rate.is_some(), is_film),
            ("--speed", self.speed.is_some(), is_film),
        ]
        .into_iter()
        .find_map(|(option, is_given, is_used)| (is_given && !is_used).then_some(option))
    }

    /// Refuses the picture of a time that no motion has.
    fn is_within(&self, scenes: &[Scene]) -> Result<(), Failure> {
        let Some(at) = self.at else { return Ok(()) };
        let times = || scenes.iter().flat_map(|scene| scene.times.0.iter().copied());
        let [start, end] =
            [times().fold(f32::INFINITY, f32::min), times().fold(f32::NEG_INFINITY, f32::max)].map(f64::from);
        // Pages have times in single precision.
        let rounding = 1e-6 * start.abs().max(end.abs());
        if (start - rounding..=end + rounding).contains(&at) {
            return Ok(());
        }
        Err(Failure::Usage(format!("--at {at}: expected a time of the motion, from {start} s to {end} s")))
    }

    fn look(&self) -> Look {
        let usual = Look::default();
        Look {
            size: self.size.unwrap_or(usual.size),
            view: self.view.clone(),
            is_dark: self.dark,
            ghosts: self.ghosts.as_ref().and_then(|count| count.parse().ok()).unwrap_or(usual.ghosts),
            is_beside: self.beside,
        }
    }

    /// The content of the file.
    pub(crate) fn bytes(
        &self,
        path: &Path,
        title: &str,
        scenes: &[Scene],
        figures: &[Figure],
    ) -> Result<Vec<u8>, Failure> {
        let wrong = |error: hamel_animate::Error| Failure::Usage(format!("animation: {error}"));
        let kind = Kind::of(path)?;
        let page = || hamel_animate::page(title, scenes, figures).map_err(wrong);
        let filmed = |bytes: Result<Vec<u8>, FilmError>| bytes.map_err(|error| failed(path, &error));
        match kind {
            Kind::Page => Ok(page()?.into_bytes()),
            Kind::Gltf => hamel_animate::gltf(title, scenes).map_err(wrong),
            Kind::Picture => {
                self.is_within(scenes)?;
                let page = page()?;
                filmed(browser().and_then(|browser| browser.picture(&page, &self.look(), self.at)))
            }
            Kind::Film(format) => {
                let usual = Pace::default();
                let pace = Pace { rate: self.rate.unwrap_or(usual.rate), speed: self.speed };
                let bar = ProgressBar::new(0);
                let style = "{wide_bar} {pos} of {len} pictures, {eta} left";
                bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
                let page = page()?;
                let film = browser().and_then(|browser| {
                    browser.film(&page, &self.look(), &pace, format, |done, total| {
                        bar.set_length(total as u64);
                        bar.set_position(done as u64);
                    })
                });
                bar.finish_and_clear();
                filmed(film)
            }
        }
    }
}

/// A browser that Ctrl-C ends.
fn browser() -> Result<Browser, FilmError> {
    Ok(Browser::find()?.cancelled_by(|| interrupted().load(Ordering::Relaxed)))
}

fn failed(path: &Path, error: &FilmError) -> Failure {
    Failure::Usage(format!("`{}`: {error}", path.display()))
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let parts =
        text.split_once(['x', '×']).and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    parts.ok_or_else(|| "expected width and height in pixels, such as 1280x720".to_owned())
}

fn positive(text: &str) -> Result<f64, String> {
    finite(text).ok().filter(|value| *value > 0.0).ok_or_else(|| "expected a positive number".to_owned())
}

fn finite(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(|| "expected a number".to_owned())
}
