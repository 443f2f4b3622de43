//! `hamel run --watch`: runs again when a file changes.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use crate::failure::Failure;

/// How often the file is looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// Calls `run` now, and whenever the file has changed, until `end` is set; says which rows of its summary are others than
/// before. A failure is reported, and the next change waited for.
pub(crate) fn watch(
    path: &Path,
    end: &AtomicBool,
    mut run: impl FnMut() -> Result<Vec<Vec<String>>, Failure>,
) -> Result<(), Failure> {
    let mut before: Vec<Vec<String>> = Vec::new();
    while !end.load(Ordering::Relaxed) {
        // Read before the file is, so that a change in the meantime is one.
        let seen = state(path);
        match run() {
            Ok(summary) => {
                moved(&before, &summary).iter().for_each(|line| eprintln!("{line}"));
                before = summary;
            }
            Err(failure @ Failure::Screen(_)) => return Err(failure),
            Err(failure) => _ = failure.report(),
        }
        eprintln!("waiting for changes of {}; Ctrl-C ends", path.display());
        while !end.load(Ordering::Relaxed) && state(path).is_none_or(|now| Some(now) == seen) {
            std::thread::sleep(INTERVAL);
        }
    }
    Ok(())
}

/// When the file was written last, and its length; an editor may take it away for a moment, which is no change.
fn state(path: &Path) -> Option<(SystemTime, u64)> {
    let about = fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

/// What is different from before, row by row; nothing before the second run.
fn moved(before: &[Vec<String>], now: &[Vec<String>]) -> Vec<String> {
    if before.is_empty() {
        return Vec::new();
    }
    let old = |name: &str| before.iter().find(|row| row[0] == name).map(|row| row[1..].join(" "));
    let line = |row: &Vec<String>| {
        let value = row[1..].join(" ");
        match old(&row[0]) {
            Some(old) if old == value => None,
            Some(old) => Some(format!("moved: {}: {old} → {value}", row[0])),
            None => Some(format!("new: {}: {value}", row[0])),
        }
    };
    let lines: Vec<String> = now.iter().filter_map(line).collect();
    if lines.is_empty() { vec!["nothing moved".to_owned()] } else { lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[[&str; 2]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect()
    }

    #[test]
    fn what_is_different_is_said() {
        let before = rows(&[["tip_x", "1 m"], ["energy", "2 J"]]);
        assert_eq!(moved(&[], &before), Vec::<String>::new());
        assert_eq!(moved(&before, &before), ["nothing moved"]);
        let now = rows(&[["tip_x", "1.5 m"], ["energy", "2 J"], ["tip_y", "0 m"]]);
        assert_eq!(moved(&before, &now), ["moved: tip_x: 1 m → 1.5 m", "new: tip_y: 0 m"]);
    }

    /// A file that changes twice, with a mistake in between, is run three times.
    #[test]
    fn each_change_is_a_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.model");
        fs::write(&path, "a").unwrap();
        let (end, mut runs) = (AtomicBool::new(false), 0);
        let result = watch(&path, &end, || {
            runs += 1;
            match runs {
                1 => fs::write(&path, "with a mistake").unwrap(),
                2 => fs::write(&path, "mended").unwrap(),
                _ => end.store(true, Ordering::Relaxed),
            }
            if runs == 2 { Err(Failure::Usage("a mistake".to_owned())) } else { Ok(rows(&[["x", "1"]])) }
        });
        assert!(result.is_ok());
        assert_eq!(runs, 3);
    }
}
