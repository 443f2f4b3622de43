//! Still pictures of animations, taken by a browser without a window.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::entry::Moment;
use crate::motion::Failure;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// Width and height, pixels.
const SIZE: [u32; 2] = [960, 600];
const PATIENCE: Duration = Duration::from_secs(90);
/// Hides what pictures need not show.
const BARE: &str = "header, .views, .show, .transport, .compass, .cell { display: none !important; }";

/// The first Chromium on the path, or the one that `HAMEL_CHROMIUM` names.
pub fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("HAMEL_CHROMIUM") {
        return Some(named.into());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// Writes the picture of a page at a moment.
pub(super) fn take(browser: &Path, page: &str, moment: &Moment, picture: &Path) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let (file, frame) = (folder.path().join("page.html"), folder.path().join("frame.html"));
    let taken = folder.path().join("still.png");
    fs::write(&file, page.replacen("</style>", &format!("{BARE}\n</style>"), 1))?;
    // In a frame of fixed size: windows change theirs after the page has been drawn.
    let address = format!("page.html#t={}&view={}&play=0", moment.time, moment.view);
    let size = format!("border:0;position:fixed;width:{}px;height:{}px", SIZE[0], SIZE[1]);
    fs::write(&frame, format!("<!DOCTYPE html><iframe src=\"{address}\" style=\"inset:0;{size}\"></iframe>"))?;
    let mut child = Command::new(browser)
        // Without a sandbox, which is not available everywhere; the page is our own.
        .args(["--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--hide-scrollbars"])
        .args(["--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--allow-file-access-from-files"])
        .arg(format!("--window-size={},{}", SIZE[0], SIZE[1]))
        .args(["--virtual-time-budget=3000"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("--screenshot={}", taken.display()))
        .arg(format!("file://{}", frame.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let begin = Instant::now();
    while child.try_wait()?.is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Err("the browser took too long".into());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    if !taken.is_file() {
        return Err("the browser wrote none".into());
    }
    fs::copy(taken, picture)?;
    Ok(())
}
