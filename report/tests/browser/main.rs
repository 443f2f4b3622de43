//! The page in a real browser: no errors, no overflow, a filter that filters, figures that answer, names for everything.
//!
//! Skipped with a message where there is no Chromium; `HAMEL_CHROMIUM` names one that is not on the path. `HAMEL_PAGE`
//! names another page to be checked the same way, and `HAMEL_AXE` the file `axe.min.js` of axe-core, whose rules are then
//! checked besides.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hamel::scheme::StepError;
use hamel_report::folder::Folder;
use hamel_report::output;
use hamel_report::provenance::Provenance;
use hamel_report::reproduce::Outcome;
use hamel_report::{
    Axis, Cell, Claim, Column, Cost, Curve, Expected, Experiment, Figure, Measured, Origin, Paper, Proof, Report,
    Slope, Style, Table, at_most,
};

const CHECKS: &str = include_str!("checks.js");
const PATIENCE: Duration = Duration::from_secs(120);

fn nothing() -> Result<Report, StepError> {
    Ok(Report::default())
}

const fn experiment(id: &'static str) -> Experiment {
    Experiment { id, place: "Fig. 1", title: "Errors < of & schemes", cost: Cost::Seconds, run: nothing }
}

static EXPERIMENTS: [&[Experiment]; 2] = [&[experiment("one/a"), experiment("one/b/c")], &[experiment("two/quiet")]];
const COVERAGE: &str = "figures 3\n\nFig. 1 | errors | computed | one/a, one/b/c |\n\
                        Fig. 2 | a pattern | missing | – | no model, see `report/src/coverage.rs`\n\
                        Fig. 3 | a sketch | nothing | – | a sketch";

/// Claims of most verdicts, a table that is wide and long, and figures of all styles.
fn report(seed: f64) -> Report {
    let order = |order: f64| Claim::new("order of the scheme", "1", Expected::Order { order, tolerance: 0.1 }, 1.0);
    let claims = vec![
        Claim::new("speed", "m/s", Expected::Printed { text: "-4.61538", tolerance: 1e-3 }, -4.6154),
        Claim::new("energy", "J", at_most(1e-9, Origin::Rounding("of energies of one joule")), 1e-12 * seed),
        order(1.0).in_words("the scheme is of first order"),
        order(1.0).refutes("second order", Proof::Algebra, "a slope of one is first order"),
        order(2.0),
        Claim::missing("Fig. 7", "the torque"),
        Claim::new("divergence", "1", Expected::Fails, Measured::Breakdown("no convergence at 0.3 s".into())),
    ];
    let wave = |phase: f64| (0..5000).map(|k| f64::from(k) * 1e-3).map(|t| (t, (40.0 * t + phase).sin())).collect();
    let errors = vec![(1e-3, 1e-2 * seed), (1e-4, 1e-4), (1e-5, f64::NAN)];
    let figure = |slug: &str, x: Axis, y: Axis, curves| Figure {
        slug: slug.into(),
        title: format!("Figure {slug}"),
        caption: "What it shows.".into(),
        x,
        y,
        curves,
        slopes: vec![Slope { slope: 1.0, through: (1e-4, 1e-3), span: (5e-5, 5e-4) }],
    };
    let row = |k: usize| (0..12).map(|c| Cell::number((k * c) as f64 * 0.123_456_7, 8)).collect();
    let columns = (0..12).map(|c| Column::new(format!("a quantity with number {c}"), "m")).collect();
    Report {
        claims,
        tables: vec![Table { slug: "errors".into(), title: "Wide".into(), columns, rows: (0..30).map(row).collect() }],
        figures: vec![
            figure(
                "motion",
                Axis::linear("t", "s"),
                Axis::linear("q", "m"),
                vec![Curve::new("first", Style::Line, wave(0.0)), Curve::new("second", Style::Dashed, wave(1.0))],
            ),
            figure(
                "errors",
                Axis::log("h", "s"),
                Axis::log("e", "m"),
                vec![
                    Curve::new("measured", Style::LineAndMarkers, errors),
                    Curve::new("E", Style::Name, vec![(1e-4, 1e-3)]),
                ],
            ),
        ],
        notes: vec!["A paragraph about choices.".into()],
    }
}

/// A page with everything that pages have.
fn page(directory: &Path) -> PathBuf {
    let papers = ["one", "two"].into_iter().zip(EXPERIMENTS).zip([COVERAGE, ""]);
    let papers: Vec<Paper> = papers
        .map(|((key, experiments), coverage)| Paper { key, reference: "Author (2020), Title", coverage, experiments })
        .collect();
    let all = EXPERIMENTS.iter().copied().flatten().enumerate();
    let outcome = |(k, experiment): (usize, &Experiment)| {
        let result = Ok(report(1.0 + k as f64));
        Outcome { experiment: *experiment, result, elapsed: Duration::from_secs(1), is_animated: false }
    };
    let outcomes: Vec<Outcome> = all.map(outcome).collect();
    let mut folder = Folder::open(directory, "test", false).unwrap();
    output::stage_report(&mut folder, &papers, &outcomes, &Provenance::of_this_run()).unwrap();
    folder.commit().unwrap();
    directory.join(output::REPORT[0])
}

fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("HAMEL_CHROMIUM") {
        return Some(named.into());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// The document that a browser ends with.
fn document(browser: &Path, directory: &Path, file: &Path) -> String {
    let out = directory.join("dump");
    let profile = format!("--user-data-dir={}", directory.join("profile").display());
    let mut child = Command::new(browser)
        // Without a sandbox, because tests also run where it is not available; the page is our own.
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--dump-dom"])
        .args(["--window-size=2000,1200", "--virtual-time-budget=60000", &profile])
        .arg(format!("file://{}", file.display()))
        .stdout(std::fs::File::create(&out).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    std::fs::read_to_string(out).unwrap()
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no Chromium was found");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let page = std::env::var_os("HAMEL_PAGE").map_or_else(|| page(&directory.path().join("results")), PathBuf::from);
    let text = std::fs::read_to_string(page).unwrap();
    assert!(text.len() < 5_000_000, "the page has {} bytes", text.len());
    let listener = "<head><script>window.faults = []; addEventListener('error', (e) => faults.push(e.message)); \
                    console.error = (...words) => faults.push(words.join(' '));</script>";
    std::fs::write(directory.path().join("page.html"), text.replacen("<head>", listener, 1)).unwrap();
    let axe = std::env::var_os("HAMEL_AXE").map_or_else(String::new, |path| std::fs::read_to_string(path).unwrap());
    std::fs::write(directory.path().join("axe.js"), axe).unwrap();
    let checks = format!("<!DOCTYPE html><body><script>\n{CHECKS}\n</script></body>");
    let file = directory.path().join("checks.html");
    std::fs::write(&file, checks).unwrap();
    let document = document(&browser, directory.path(), &file);
    let result = document.split("RESULT[").nth(1).and_then(|rest| rest.split("]RESULT").next());
    let faults = result.unwrap_or_else(|| panic!("the checks did not end: {document}"));
    assert!(faults.is_empty(), "{faults}");
}
