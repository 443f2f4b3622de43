//! What the gallery knows of a model: its text, how it is run, what is shown of it, and its check.

use crate::finding::Finding;
use crate::motion::{Case, Failure};

/// Entries of one kind.
pub struct Chapter {
    /// Heading.
    pub title: &'static str,
    /// What its entries have in common, one sentence.
    pub about: &'static str,
    /// Entries in the order in which they are shown.
    pub entries: Vec<Entry>,
}

/// Compares a motion with what is known of it.
pub type Check = fn(&Case) -> Result<Vec<Finding>, Failure>;

/// One model of the gallery.
pub struct Entry {
    /// Name of its file in `models`, without ending.
    pub name: &'static str,
    /// Heading.
    pub title: &'static str,
    /// The text of the model.
    pub text: &'static str,
    /// How it is run.
    pub setup: Setup,
    /// The quantity that is plotted: an output, or the part of its name before `_x` and the like.
    pub plotted: &'static str,
    /// The picture.
    pub still: Moment,
    /// What is known of it.
    pub check: Check,
}

/// The instant and the view of a still picture.
#[derive(Clone, Copy)]
pub struct Moment {
    /// s.
    pub time: f64,
    /// Name of the camera: `iso`, `x`, `y` or `z`.
    pub view: &'static str,
    /// Whether forces are drawn, too.
    pub has_arrows: bool,
}

/// How a model is run.
#[derive(Clone)]
pub struct Setup {
    /// Name of the scheme.
    pub scheme: &'static str,
    /// Length of equal steps, s.
    pub step: Option<f64>,
    /// By which steps are chosen where they are not equal.
    pub tolerance: f64,
    /// End of the motion, s.
    pub until: f64,
    /// Parameters that are not those of the text, in SI units.
    pub parameters: Vec<(&'static str, f64)>,
    /// Inputs as functions of t.
    pub inputs: Vec<(&'static str, &'static str)>,
}

impl Setup {
    /// Steps chosen by this tolerance, up to this time, s.
    pub fn adaptive(scheme: &'static str, tolerance: f64, until: f64) -> Setup {
        Setup { scheme, step: None, tolerance, until, parameters: Vec::new(), inputs: Vec::new() }
    }

    /// Equal steps of this length up to this time, both in s.
    pub fn equal(scheme: &'static str, step: f64, until: f64) -> Setup {
        Setup { step: Some(step), ..Setup::adaptive(scheme, 0.0, until) }
    }

    /// With another value of a parameter.
    pub fn with(mut self, name: &'static str, value: f64) -> Setup {
        self.parameters.retain(|(known, _)| *known != name);
        self.parameters.push((name, value));
        self
    }

    /// With an input that is a function of t.
    pub fn input(mut self, name: &'static str, function: &'static str) -> Setup {
        self.inputs.push((name, function));
        self
    }

    /// Up to another time, s.
    pub fn until(mut self, until: f64) -> Setup {
        self.until = until;
        self
    }

    /// The command that runs a model so.
    pub fn command(&self, name: &str) -> String {
        let mut command = format!("hamel run examples/gallery/models/{name}.model --until {}", self.until);
        command += &format!(" --scheme {}", self.scheme);
        command += &match self.step {
            Some(step) => format!(" --dt {step:e}"),
            None => format!(" --adaptive {:e}", self.tolerance),
        };
        for (name, value) in &self.parameters {
            command += &format!(" --set {name}={value}");
        }
        for (name, function) in &self.inputs {
            command += &format!(" --input '{name}={function}'");
        }
        command + &format!(" --animate {name}.html")
    }
}

impl Entry {
    /// What the doc comment of the text says.
    pub fn paragraph(&self) -> String {
        let lines = self.text.lines().map_while(|line| line.strip_prefix("///")).map(str::trim);
        lines.collect::<Vec<_>>().join(" ")
    }
}
