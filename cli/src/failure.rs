//! Why a verb ended early, and the exit code for it.

use std::io;
use std::process::ExitCode;

use hamel::LinearizeError;
use hamel::scheme::StepError;
use hamel_compiler::Family;
use hamel_compiler::file::FileError;
use hamel_compiler::spelling::nearest;
use hamel_report::folder::FolderError;
use hamel_report::output::OutputError;
use hamel_sweep::SweepError;

/// Why a verb ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A result is outside its tolerance; the table shows which.
    #[cfg(feature = "papers")]
    Verdict,
    /// The request cannot be carried out as written; standard output says why.
    Said,
    /// Claims allow much more than was measured and do not say why; these.
    #[cfg(feature = "papers")]
    Unexplained(String),
    /// Curves of one figure have the same name; these.
    #[cfg(feature = "papers")]
    Ambiguous(String),
    /// The request cannot be carried out as written.
    Usage(String),
    /// The models of a file have mistakes.
    Mistakes(FileError),
    /// A solver failed.
    Solver(String),
    /// So many cases of a sweep failed, or have results that are not finite; standard output says which.
    Cases(u64),
    /// Results could not be written.
    Unwritten(String),
    /// Standard output was closed or could not be written.
    Screen(io::Error),
}

impl Failure {
    /// An unknown name, with the nearest known one.
    pub(crate) fn unknown<'a>(kind: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() && kind.starts_with("parameter") => {
                "there is none; of the numbers of an imported robot --parameters makes some".to_owned()
            }
            None if known.is_empty() => "there is none".to_owned(),
            None => format!("known are {}", known.join(", ")),
        };
        Failure::Usage(format!("unknown {kind} `{name}`\nhelp: {help}"))
    }

    /// The same with the case in which it happened.
    pub(crate) fn prefixed(self, case: &str) -> Self {
        match self {
            Failure::Usage(message) => Failure::Usage(format!("{case}: {message}")),
            Failure::Solver(message) => Failure::Solver(format!("{case}: {message}")),
            other => other,
        }
    }

    /// The same with another line.
    pub(crate) fn followed_by(self, line: &str) -> Self {
        match self {
            Failure::Usage(message) => Failure::Usage(format!("{message}\n{line}")),
            Failure::Solver(message) => Failure::Solver(format!("{message}\n{line}")),
            other => other,
        }
    }

    /// Writes the message to standard error; returns the exit code of the program.
    pub(crate) fn report(self) -> ExitCode {
        let (message, code) = match self {
            #[cfg(feature = "papers")]
            Failure::Verdict => (None, 1),
            Failure::Said => (None, 2),
            #[cfg(feature = "papers")]
            Failure::Unexplained(claims) => {
                (Some(format!("claims allow a hundred times what was measured and do not say why\n{claims}")), 1)
            }
            #[cfg(feature = "papers")]
            Failure::Ambiguous(curves) => (Some(format!("curves of one figure have the same name\n{curves}")), 1),
            Failure::Usage(message) => (Some(message), 2),
            // Each has its place before it, as editors read it.
            Failure::Mistakes(error) => {
                eprintln!("{error}");
                if let Some(code) = first_code(&error) {
                    eprintln!("`hamel explain {code}` says more");
                }
                (None, 2)
            }
            Failure::Solver(message) => (Some(message), 3),
            Failure::Cases(count) => (None, 10 + count.min(100) as u8),
            Failure::Unwritten(message) => (Some(message), 4),
            // A reader such as `head` may close the pipe early, which is not an error.
            Failure::Screen(error) if error.kind() == io::ErrorKind::BrokenPipe => (None, 0),
            Failure::Screen(error) => (Some(format!("cannot write to standard output: {error}")), 4),
        };
        if let Some(message) = message {
            eprintln!("error: {message}");
        }
        ExitCode::from(code)
    }
}

/// The code of the first mistake that has a page.
fn first_code(error: &FileError) -> Option<Family> {
    match error {
        FileError::Wrong { mistakes, .. } => mistakes.iter().find_map(|mistake| mistake.family),
        _ => None,
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Screen(error)
    }
}

impl From<StepError> for Failure {
    fn from(error: StepError) -> Self {
        match error {
            StepError::BadModel(_) | StepError::BadParameter { .. } | StepError::Undefined { .. } => {
                Failure::Usage(error.to_string())
            }
            _ => Failure::Solver(error.to_string()),
        }
    }
}

impl From<LinearizeError> for Failure {
    fn from(error: LinearizeError) -> Self {
        match error {
            LinearizeError::State(error) => error.into(),
            LinearizeError::Equilibrium(_)
            | LinearizeError::NotFinite { .. }
            | LinearizeError::TooManySteps { .. }
            | LinearizeError::NoEigenvalues { .. } => Failure::Solver(error.to_string()),
            _ => Failure::Usage(error.to_string()),
        }
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Document { .. } => Failure::Unwritten(error.to_string()),
            OutputError::Folder(error) => error.into(),
        }
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Write { .. } | SweepError::Open { .. } => Failure::Unwritten(error.to_string()),
            _ => Failure::Usage(error.to_string()),
        }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::File { .. } => Failure::Unwritten(error.to_string()),
            // Detected before anything is written.
            _ => Failure::Usage(error.to_string()),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Write { .. } => Failure::Unwritten(error.to_string()),
            FileError::Wrong { .. } => Failure::Mistakes(error),
            _ => Failure::Usage(error.to_string()),
        }
    }
}
