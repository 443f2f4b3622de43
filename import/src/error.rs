//! What can be wrong with a description, and what was left out of it.

use std::collections::HashMap;
use std::fmt;

use hamel_compiler::escape::{excerpt, line};
use hamel_compiler::resolve::ImpossibleInertia;
use hamel_compiler::spelling::nearest;

/// A place in a description; lines and columns are counted from one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// Line.
    pub line: u32,
    /// Column, in characters.
    pub column: u32,
}

/// Why a description cannot be translated.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{place}: {}", self.message())]
pub struct Error {
    /// Where.
    pub place: Place,
    /// The element with a name around that place, such as ``joint `elbow` ``, unless the problem names it.
    pub of: Option<String>,
    /// What.
    pub problem: Problem,
}

impl Error {
    /// What is wrong, without its place.
    pub fn message(&self) -> String {
        match &self.of {
            Some(of) => format!("{of}: {}", self.problem),
            None => self.problem.to_string(),
        }
    }
}

/// Everything that is wrong with a description, in its order; at least one error.
#[derive(Clone, PartialEq, Debug)]
pub struct Errors(Vec<Error>);

impl Errors {
    /// The errors, unless there are none.
    pub(crate) fn of(mut errors: Vec<Error>) -> Result<(), Errors> {
        errors.sort_by_key(|error| error.place);
        // What is read for two purposes is wrong once.
        errors.dedup();
        if errors.is_empty() { Ok(()) } else { Err(Errors(errors)) }
    }

    /// Both results, or the errors of both.
    pub(crate) fn both<A, B>(a: Result<A, Errors>, b: Result<B, Errors>) -> Result<(A, B), Errors> {
        match (a, b) {
            (Ok(a), Ok(b)) => Ok((a, b)),
            (Err(mut a), Err(b)) => {
                a.0.extend(b.0);
                a.0.sort_by_key(|error| error.place);
                Err(a)
            }
            (Err(errors), _) | (_, Err(errors)) => Err(errors),
        }
    }

    /// Each of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Error> {
        self.0.iter()
    }

    /// Line by line, with the name of the file before each.
    pub fn of_file(&self, file: &str) -> String {
        self.0.iter().map(|error| format!("{file}:{error}")).collect::<Vec<_>>().join("\n")
    }
}

impl From<Error> for Errors {
    fn from(error: Error) -> Errors {
        Errors(vec![error])
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(Error::to_string).collect();
        formatter.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Errors {}

/// What is wrong at a place.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Problem {
    /// Not well-formed XML.
    #[error("{0}")]
    Xml(String),
    /// A description that is larger than robots are.
    #[error("found {found} {what}, expected at most {most}\nhelp: {help}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How much there is, or at least is.
        found: usize,
        /// How much there may be.
        most: usize,
        /// What to do.
        help: &'static str,
    },
    /// The outermost element is another one.
    #[error("expected {format}, whose outermost element is `{root}`, found `{found}`")]
    OtherFormat {
        /// What was expected.
        format: &'static str,
        /// Its outermost element.
        root: &'static str,
        /// The outermost element.
        found: String,
    },
    /// An element that something else would expand.
    #[error("`{found}` is not expanded\nhelp: {help}")]
    Macro {
        /// The element.
        found: String,
        /// What to do.
        help: &'static str,
    },
    /// An element without one that it needs.
    #[error("expected `{missing}` in `{element}`")]
    MissingElement {
        /// What has no such element.
        element: String,
        /// What it needs.
        missing: &'static str,
    },
    /// An element without an attribute that it needs.
    #[error("expected the attribute `{missing}` of `{element}`")]
    MissingAttribute {
        /// What has no such attribute.
        element: String,
        /// What it needs.
        missing: &'static str,
    },
    /// An attribute that should hold numbers.
    #[error("expected {count} in `{attribute}`, found `{found}`", count = numbers(*.expected))]
    NotNumbers {
        /// The attribute.
        attribute: &'static str,
        /// How many numbers it should hold.
        expected: usize,
        /// What it holds.
        found: String,
    },
    /// A word that is none of those that may stand here.
    #[error("unknown {what} `{found}`\nhelp: known are {}", .known.join(", "))]
    UnknownWord {
        /// What it should be.
        what: &'static str,
        /// The word.
        found: String,
        /// Words that it could be.
        known: &'static [&'static str],
    },
    /// An attribute that should hold a list of numbers.
    #[error("expected {least} to {most} numbers in `{attribute}`, found `{found}`")]
    NotList {
        /// The attribute.
        attribute: &'static str,
        /// How few numbers it may hold.
        least: usize,
        /// How many numbers it may hold.
        most: usize,
        /// What it holds.
        found: String,
    },
    /// Something of the format that no model has.
    #[error("{what}\nhelp: {help}")]
    Unsupported {
        /// What is not read.
        what: String,
        /// What to do.
        help: &'static str,
    },
    /// A body whose inertia would follow from a shape that is not one of the closed forms.
    #[error("the inertia of a `{found}` is not computed\nhelp: {help}")]
    Shape {
        /// The shape.
        found: String,
        /// What to do.
        help: &'static str,
    },
    /// An axis without direction.
    #[error("expected a direction, found a zero vector")]
    ZeroAxis,
    /// A mass below zero.
    #[error("expected a mass that is not negative, found {0}")]
    NegativeMass(f64),
    /// Two links or two joints of the same name.
    #[error("the name `{name}` of a {kind} is used twice, first at {first}")]
    Twice {
        /// `link` or `joint`.
        kind: &'static str,
        /// The name.
        name: String,
        /// Where it was used first.
        first: Place,
    },
    /// What names something that does not exist.
    #[error("unknown {kind} `{name}`{help}", help = did_you_mean(.near))]
    Unknown {
        /// `link` or `joint`.
        kind: &'static str,
        /// The name.
        name: String,
        /// The most similar name that exists.
        near: Option<String>,
    },
    /// A joint that mimics itself, alone or through others.
    #[error("`{0}` mimics itself\nhelp: let it follow a joint that moves by itself")]
    MimicsItself(String),
    /// A joint that stays at a value, in a model that is to provide functions which models without constraints have.
    #[error(
        "`{0}` is held at a value, by a constraint, and functions such as `forward_dynamics` are those of models without any\nhelp: describe the joint as fixed, or ask for no such functions"
    )]
    Held(String),
    /// A function of a link that does not move.
    #[error("`{0}` is fixed to the ground: it has no functions")]
    OnGround(String),
    /// A joint with several coordinates, or none, as one of the two of a `mimic`.
    #[error("expected joints that are revolute, continuous or prismatic for `mimic`, found that `{0}` is another")]
    MimicOfOther(String),
    /// A link that is the child of two joints.
    #[error(
        "`{link}` is already moved by another joint, at {first}\n\
         help: URDF describes trees; close the loop in the model that is printed without this joint"
    )]
    SecondParent {
        /// The link.
        link: String,
        /// The other joint.
        first: Place,
    },
    /// Joints that form a ring: no link of it can be reached from the root.
    #[error("`{0}` moves itself, through the joints between it and its parent")]
    Ring(String),
    /// A frame whose place leads back to itself.
    #[error("the place of `{0}` is relative to itself, through others")]
    Circular(String),
    /// No link at all.
    #[error("expected a `link`")]
    NoLink,
    /// Links that no joint moves, beside the root.
    #[error(
        "`{link}` is a second root, besides `{root}`\nhelp: connect it by a joint; a `fixed` one if it does not move"
    )]
    SeveralRoots {
        /// The root.
        root: String,
        /// Another one.
        link: String,
    },
    /// A robot without joints that move, on the ground.
    #[error("nothing of the robot moves\nhelp: let its root move freely, with `--floating`")]
    NothingMoves,
    /// A link with a joint that lets it move, and nothing that resists.
    #[error(
        "`{0}` moves but has no inertia, nor has anything that is fixed to it or moves with it\nhelp: give it an `inertial`, or make its joint `fixed`"
    )]
    NoInertia(String),
    /// A chain of fixed joints that leads beyond all numbers.
    #[error("`{0}` stands further from its body than numbers reach")]
    TooFar(String),
    /// A link with a joint that lets it move, and inertia alone, also in what is fixed to it.
    #[error(
        "`{0}` moves but has no mass, nor has anything that is fixed to it or moves with it\nhelp: give it a mass, or make its joint `fixed`"
    )]
    NoMass(String),
    /// A body whose mass or inertia leads beyond all numbers.
    #[error("`{0}` and what is fixed to it have more mass or inertia than numbers reach")]
    TooHeavy(String),
    /// Something of which computed numbers are not finite.
    #[error("numbers of `{0}` lead beyond those that there are")]
    NotFinite(String),
    /// A body with an inertia that no rigid body has, because of that of one link.
    #[error(
        "{}{}\nhelp: correct its `inertial`, or take the nearest that a rigid body has, with `--repair-inertia` (in \
         Python `repair_inertia=True`)",
        impossible(.link, .law),
        carried(.link, .body)
    )]
    Impossible {
        /// The link.
        link: String,
        /// The link that moves with it, and remains impossible with everything that is fixed to it.
        body: String,
        /// What is wrong with it.
        law: ImpossibleInertia,
    },
}

/// What was left out, or decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// Where it occurs first.
    pub place: Place,
    /// How often.
    pub count: usize,
    /// What, and what follows from it.
    pub message: String,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}:{}", self.line, self.column)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.message)?;
        match self.count {
            0 | 1 => Ok(()),
            count => write!(formatter, " (and {} more)", count - 1),
        }
    }
}

fn numbers(count: usize) -> String {
    if count == 1 { "a number".to_owned() } else { format!("{count} numbers") }
}

impl Problem {
    /// With its place; it names what it is about.
    pub(crate) fn at(self, place: Place) -> Error {
        Error { place, of: None, problem: self }
    }

    /// A link or joint that is not among those known.
    pub(crate) fn unknown<'a>(kind: &'static str, name: &str, known: impl Iterator<Item = &'a &'a str>) -> Self {
        let mut known: Vec<&str> = known.copied().collect();
        known.sort_unstable();
        Self::Unknown { kind, name: excerpt(name), near: nearest(name, known).map(line) }
    }
}

fn did_you_mean(near: &Option<String>) -> String {
    near.as_ref().map(|near| format!("\nhelp: did you mean `{near}`?")).unwrap_or_default()
}

fn impossible(link: &str, law: &ImpossibleInertia) -> String {
    match law {
        ImpossibleInertia::NotSymmetric => format!("expected a symmetric inertia of `{link}`"),
        ImpossibleInertia::Negative => format!("expected an inertia of `{link}` without negative principal moments"),
        ImpossibleInertia::Triangle([a, b, c]) => {
            let excess = short(c - (a + b));
            let [a, b, c] = [a, b, c].map(|moment| short(*moment));
            format!(
                "no rigid body has the inertia of `{link}`: its principal moments {a}, {b} and {c} kg m² violate the \
                 triangle inequality: the last exceeds the sum of the others by {excess} kg m²"
            )
        }
    }
}

/// A number with six digits.
fn short(number: f64) -> String {
    let number: f64 = format!("{number:.5e}").parse().unwrap_or(number);
    if number == 0.0 || number.abs() >= 1e-4 { number.to_string() } else { format!("{number:e}") }
}

/// The body that a link is part of, where it is another one.
fn carried(link: &str, body: &str) -> String {
    if link == body { String::new() } else { format!(", also together with `{body}` and all that is fixed to it") }
}

/// Warnings, of which the first of a kind is said, with how many follow.
pub(crate) struct Said<'a> {
    warnings: &'a mut Vec<Warning>,
    /// The warning of each kind.
    kinds: HashMap<&'static str, usize>,
}

impl<'a> Said<'a> {
    pub(crate) fn new(warnings: &'a mut Vec<Warning>) -> Self {
        Self { warnings, kinds: HashMap::new() }
    }

    pub(crate) fn warn(&mut self, kind: &'static str, place: Place, message: impl FnOnce() -> String) {
        match self.kinds.get(kind) {
            Some(&known) => self.warnings[known].count += 1,
            None => {
                self.kinds.insert(kind, self.warnings.len());
                self.warnings.push(Warning { place, count: 1, message: message() });
            }
        }
    }

    /// Says something that stands for so many.
    pub(crate) fn push(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}
