//! Still pictures and films of pages: a browser without a window draws them, and FFmpeg joins those of a film.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use thiserror::Error;

/// Of Chromium and what is made of it; others have no documents as text.
const BROWSERS: [&str; 6] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
const VIEWS: [&str; 4] = ["iso", "x", "y", "z"];
/// How long a browser that shows no sign of life is waited for.
const PATIENCE: Duration = Duration::from_secs(300);
/// Pictures that one browser draws; all of them are in memory at once.
const AT_ONCE: usize = 40;
/// Pictures of a film at most: about three minutes.
const PICTURES: usize = 5000;

/// How a page is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Width and height, pixels; those of films are even.
    pub size: [u32; 2],
    /// Name of the camera: `iso`, `x`, `y` or `z`; by default `iso`, and for models in the plane the one across it.
    pub view: Option<String>,
    /// Light on dark.
    pub is_dark: bool,
    /// How many earlier and later positions are drawn: 0, 3, 5, 9 or 17.
    pub ghosts: u32,
    /// Several motions side by side, not in one place.
    pub is_beside: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { size: [960, 600], view: None, is_dark: false, ghosts: 0, is_beside: false }
    }
}

/// How fast a film is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Pictures a second.
    pub rate: f64,
    /// Seconds of the motion in a second of the film; by default one, unless that would be over in less than 4 seconds or
    /// last longer than 20.
    pub speed: Option<f64>,
}

impl Default for Pace {
    fn default() -> Self {
        Self { rate: 25.0, speed: None }
    }
}

/// Formats of films.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// H.264 in an MP4 file.
    Mp4,
    /// VP9 in a WebM file.
    Webm,
    /// A GIF that repeats itself.
    Gif,
}

/// A picture or film that was not made.
#[derive(Debug, Error)]
pub enum FilmError {
    /// No browser was found.
    #[error(
        "expected Chromium, Chrome or Edge on the path, which draws pictures and films, or its path in HAMEL_CHROMIUM; pages \
         and glTF need none"
    )]
    NoBrowser,
    /// FFmpeg was not found.
    #[error("expected FFmpeg on the path, which makes a film of pictures; a page records films without it (R)")]
    NoFfmpeg,
    /// The browser cannot draw pages.
    #[error("the browser `{0}` draws no such pages: expected one with WebGL 2")]
    NoWebGl(String),
    /// The browser ended without pictures.
    #[error("the browser `{browser}` drew nothing: {what}")]
    Browser {
        /// Its path.
        browser: String,
        /// What is known.
        what: String,
    },
    /// It was cancelled.
    #[error("interrupted")]
    Cancelled,
    /// FFmpeg ended without a film.
    #[error("FFmpeg made no film: {0}")]
    Ffmpeg(String),
    /// A film would be too long.
    #[error("a film of {0} pictures: expected at most {PICTURES}, by a greater speed or fewer pictures a second")]
    TooLong(usize),
    /// A size or pace that no picture or film has.
    #[error("{quantity}: expected {expected}, found {found}")]
    Range {
        /// What was given.
        quantity: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it was.
        found: String,
    },
    /// Files could not be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// A browser that draws without a window.
///
/// Pictures are drawn without the graphics processor, so that they are the same on every machine with this browser.
#[derive(Clone, Debug)]
pub struct Browser {
    path: PathBuf,
    is_cancelled: fn() -> bool,
}

impl Browser {
    /// The one that the variable `HAMEL_CHROMIUM` names, or the first on the path.
    ///
    /// # Errors
    /// If there is none.
    pub fn find() -> Result<Self, FilmError> {
        let named = std::env::var_os("HAMEL_CHROMIUM").filter(|name| !name.is_empty()).map(PathBuf::from);
        named.or_else(|| BROWSERS.iter().find_map(|name| on_path(name))).map(Self::at).ok_or(FilmError::NoBrowser)
    }

    fn at(path: PathBuf) -> Self {
        Self { path, is_cancelled: || false }
    }

    /// Ends with [`FilmError::Cancelled`] once this function says so; it is asked some fifty times a second.
    #[must_use]
    pub fn cancelled_by(self, is_cancelled: fn() -> bool) -> Self {
        Self { is_cancelled, ..self }
    }

    /// The path of the program.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The picture of a page at a time, s, or at the start of the motion, as PNG.
    ///
    /// # Errors
    /// If size or view are none, or the browser draws nothing.
    pub fn picture(&self, page: &str, look: &Look, time: Option<f64>) -> Result<Vec<u8>, FilmError> {
        let studio = Studio::new(self, page, look)?;
        let time = time.map(|time| format!("&t={time}")).unwrap_or_default();
        let (_, pictures) = studio.pictures(&format!("film=0{time}"))?;
        pictures.into_iter().next().ok_or_else(|| self.failed("no picture in its document"))
    }

    /// The pictures of a film in their order, as PNG: each is passed on with its place and the number of all.
    ///
    /// # Errors
    /// If size or pace are out of range, the film would be too long, the browser draws nothing, or `each` fails.
    pub fn pictures(
        &self,
        page: &str,
        look: &Look,
        pace: &Pace,
        mut each: impl FnMut(usize, usize, &[u8]) -> Result<(), FilmError>,
    ) -> Result<(), FilmError> {
        let range = |quantity, value: f64, expected| {
            let found = value.to_string();
            if value.is_finite() && value > 0.0 { Ok(()) } else { Err(FilmError::Range { quantity, expected, found }) }
        };
        range("pictures a second", pace.rate, "a number above 0")?;
        pace.speed.map_or(Ok(()), |speed| range("speed", speed, "a number above 0"))?;
        let studio = Studio::new(self, page, look)?;
        let speed = pace.speed.map(|speed| format!("&speed={speed}")).unwrap_or_default();
        let (mut done, mut total) = (0, 1);
        while done < total {
            let count = if done == 0 { 1 } else { AT_ONCE };
            let asked = format!("film={}{speed}&first={done}&count={count}", pace.rate);
            let (all, pictures) = studio.pictures(&asked)?;
            if all > PICTURES {
                return Err(FilmError::TooLong(all));
            }
            if pictures.is_empty() {
                return Err(self.failed("no picture in its document"));
            }
            total = all;
            for picture in pictures {
                each(done, total, &picture)?;
                done += 1;
            }
        }
        Ok(())
    }

    /// The film of a page; `progress` is told how many pictures are drawn, of how many.
    ///
    /// # Errors
    /// As [`Browser::pictures`], and if FFmpeg is not there or makes no film.
    pub fn film(
        &self,
        page: &str,
        look: &Look,
        pace: &Pace,
        format: Format,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<Vec<u8>, FilmError> {
        let ffmpeg = Format::maker()?;
        let look = Look { size: look.size.map(|pixels| pixels.next_multiple_of(2)), ..look.clone() };
        let folder = tempfile::tempdir()?;
        let film = folder.path().join("film");
        let log = folder.path().join("log");
        let mut joining = alone(&mut Command::new(ffmpeg))
            .args(["-loglevel", "error", "-f", "image2pipe", "-framerate", &pace.rate.to_string(), "-i", "-"])
            .args(format.arguments())
            .arg(&film)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(File::create(&log)?)
            .spawn()?;
        let mut drawn = Err(FilmError::Ffmpeg("it takes no pictures".into()));
        if let Some(mut pipe) = joining.stdin.take() {
            drawn = self.pictures(page, &look, pace, |index, total, picture| {
                // What FFmpeg refuses is in its messages.
                pipe.write_all(picture).map_err(|_| FilmError::Ffmpeg(String::new()))?;
                progress(index + 1, total);
                Ok(())
            });
        }
        let status = joining.wait()?;
        let said = || FilmError::Ffmpeg(fs::read_to_string(&log).unwrap_or_default().trim().to_owned());
        match drawn {
            Err(FilmError::Ffmpeg(_)) => Err(said()),
            Err(other) => Err(other),
            Ok(()) if !status.success() => Err(said()),
            Ok(()) => Ok(fs::read(&film)?),
        }
    }

    fn failed(&self, what: &str) -> FilmError {
        FilmError::Browser { browser: self.path.display().to_string(), what: what.to_owned() }
    }
}

impl Format {
    /// The program that makes films of pictures: FFmpeg.
    ///
    /// # Errors
    /// If it is not on the path.
    pub fn maker() -> Result<PathBuf, FilmError> {
        on_path("ffmpeg").ok_or(FilmError::NoFfmpeg)
    }

    /// The format of a file with this name, by its ending.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "mp4" => Some(Self::Mp4),
            "webm" => Some(Self::Webm),
            "gif" => Some(Self::Gif),
            _ => None,
        }
    }

    fn arguments(self) -> Vec<&'static str> {
        match self {
            // Players know no other sampling of colours; the index comes first, so that films start before they are there.
            Self::Mp4 => {
                vec!["-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"]
            }
            Self::Webm => vec!["-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", "-pix_fmt", "yuv420p", "-f", "webm"],
            // Of 256 colours, those that the film has; without noise, which GIF cannot compress.
            Self::Gif => {
                let colors = "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=none";
                vec!["-filter_complex", colors, "-loop", "0", "-f", "gif"]
            }
        }
    }
}

/// The files of a page that is drawn.
struct Studio<'a> {
    browser: &'a Browser,
    folder: tempfile::TempDir,
    look: String,
}

impl<'a> Studio<'a> {
    fn new(browser: &'a Browser, page: &str, look: &Look) -> Result<Self, FilmError> {
        let [width, height] = look.size;
        if look.size.iter().any(|pixels| !(16..=8192).contains(pixels)) {
            let found = format!("{width}x{height}");
            return Err(FilmError::Range { quantity: "size", expected: "16 to 8192 pixels each way", found });
        }
        if let Some(view) = look.view.as_ref().filter(|view| !VIEWS.contains(&view.as_str())) {
            return Err(FilmError::Range { quantity: "view", expected: "iso, x, y or z", found: view.clone() });
        }
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("page.html"), page)?;
        let view = look.view.as_ref().map(|view| format!("&view={view}")).unwrap_or_default();
        let beside = if look.is_beside { "&beside=1" } else { "" };
        let (dark, ghosts) = (u8::from(look.is_dark), look.ghosts);
        Ok(Self { browser, folder, look: format!("&size={width}x{height}&dark={dark}&ghosts={ghosts}{view}{beside}") })
    }

    /// The number of all pictures, and those that are asked for.
    fn pictures(&self, asked: &str) -> Result<(usize, Vec<Vec<u8>>), FilmError> {
        let at = |name: &str| self.folder.path().join(name);
        let document = at("document");
        let mut child = alone(&mut Command::new(&self.browser.path))
            // Without a sandbox, which is not available everywhere; the page is our own.
            .args(["--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--hide-scrollbars"])
            .args(["--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--force-device-scale-factor=1"])
            .arg(format!("--user-data-dir={}", at("profile").display()))
            .arg("--dump-dom")
            .arg(format!("file://{}#{asked}{}", at("page.html").display(), self.look))
            .stdout(File::create(&document)?)
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| self.browser.failed(&error.to_string()))?;
        if !ends(&mut child, self.browser.is_cancelled)? {
            return Err(self.browser.failed(&format!("it did not end within {} s", PATIENCE.as_secs())));
        }
        let document = fs::read_to_string(document)?;
        let found = document.split_once("PICTURES[").and_then(|(_, rest)| rest.split_once("]PICTURES"));
        let Some((found, _)) = found else { return Err(self.browser.failed("it could not read the page")) };
        let mut lines = found.lines();
        match lines.next().and_then(|total| total.parse().ok()) {
            Some(total) => Ok((total, lines.map(bytes).collect())),
            None => Err(FilmError::NoWebGl(self.browser.path.display().to_string())),
        }
    }
}

/// A program that a key for interruption does not reach, which Chromium would not survive, and not end of.
fn alone(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command
}

/// Whether a program has ended by itself.
///
/// # Errors
/// [`FilmError::Cancelled`]
fn ends(child: &mut Child, is_cancelled: fn() -> bool) -> Result<bool, FilmError> {
    let begin = Instant::now();
    while child.try_wait()?.is_none() {
        let is_cancelled = is_cancelled();
        if is_cancelled || begin.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return if is_cancelled { Err(FilmError::Cancelled) } else { Ok(false) };
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(true)
}

/// The bytes of a line, two digits of base sixteen each.
fn bytes(line: &str) -> Vec<u8> {
    let digit = |letter: u8| char::from(letter).to_digit(16).unwrap_or(0) as u8;
    line.as_bytes().chunks(2).map(|pair| pair.iter().fold(0, |value, &letter| 16 * value + digit(letter))).collect()
}

/// The program of this name on the path.
fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&folders).map(|folder| folder.join(&name)).find(|path| path.is_file())
}
