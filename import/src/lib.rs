//! Descriptions of robots in other formats, translated into the text of a model: URDF ([`urdf`]), also with the macros of
//! xacro, MuJoCo's MJCF ([`mjcf`]) and SDFormat ([`sdf`]).
//!
//! A reader turns XML into a robot, which is the same for all formats: links, the joints between them, and what connects
//! them otherwise. Of a robot, `placement` finds out which link moves with which body, `merge` adds up what each body
//! weighs, `mimic` finds the joints that follow others, and `write` prints the model. Links on fixed joints are part of
//! the body that carries them and remain as markers. Numbers keep the digits they were written with, unless they are sums
//! over several links or stand behind a long chain of fixed joints, which is multiplied out. Names are any text, and
//! appear in the model as names of the language and, escaped, in comments.
//!
//! What has no meaning for the dynamics of rigid bodies is left out and listed as [`Warning`]s; what cannot be translated
//! is an [`Error`] with its place, and all that are found are reported together.

mod attributes;
mod error;
mod limits;
mod looks;
pub mod mjcf;
mod places;
mod robot;
pub mod sdf;
mod shape;
pub mod urdf;
mod xml;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use hamel_compiler::resolve::{FrameFunction, Provided};
use hamel_compiler::spelling::nearest;
use proc_macro2::{Group, LexError, Span, TokenStream, TokenTree};

pub use error::{Error, Errors, Place, Problem, Warning};
pub use looks::Visuals;

/// A format of descriptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// URDF, `.urdf`, also with macros of xacro, `.xacro`.
    Urdf,
    /// MuJoCo's MJCF, `.xml` or `.mjcf`.
    Mjcf,
    /// SDFormat, `.sdf` or `.world`.
    Sdf,
}

impl Format {
    /// Each of them.
    pub const ALL: [Format; 3] = [Format::Urdf, Format::Mjcf, Format::Sdf];

    /// The word for it.
    pub fn keyword(self) -> &'static str {
        match self {
            Format::Urdf => "urdf",
            Format::Mjcf => "mjcf",
            Format::Sdf => "sdf",
        }
    }

    /// That of a file, by its ending; `None` if it is not the description of a robot.
    pub fn of(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()? {
            "urdf" | "xacro" => Some(Format::Urdf),
            "xml" | "mjcf" => Some(Format::Mjcf),
            "sdf" | "world" => Some(Format::Sdf),
            _ => None,
        }
    }

    /// Translates a description.
    ///
    /// # Errors
    /// Those of [`urdf::import`], [`mjcf::import`] and [`sdf::import`].
    pub fn import(self, text: &str, options: &Options) -> Result<Import, Errors> {
        match self {
            Format::Urdf => urdf::import(text, options),
            Format::Mjcf => mjcf::import(text, options),
            Format::Sdf => sdf::import(text, options),
        }
    }
}

/// What a description does not say.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The root link moves freely; otherwise it is the ground.
    pub is_floating: bool,
    /// Functions that the model is to provide.
    pub provide: Vec<Provided>,
    /// Functions of links that it is to provide.
    pub provide_of_links: Vec<OfLink>,
    /// Angles whose digits are those of a right angle, such as 1.5708, mean what they say and not the right angle.
    pub exact_angles: bool,
    /// Inertias that no rigid body has are replaced by the nearest that one has, each with a warning.
    pub repair_inertia: bool,
    /// Numbers that become parameters of the model.
    pub parameters: Vec<Parameters>,
    /// Contacts keep joints within their limits.
    pub stops: bool,
    /// Bodies look like their links, whose meshes are found like this, as are files that others include; otherwise nothing
    /// is said of looks.
    pub visuals: Option<Visuals>,
    /// Values of the arguments of xacro, by their names.
    pub arguments: Vec<(String, String)>,
}

impl Options {
    /// Refuses arguments of a format that has none.
    fn refuse_arguments(&self) -> Result<(), Errors> {
        let Some((name, _)) = self.arguments.first() else { return Ok(()) };
        Err(Problem::unknown("argument", name, [].iter()).at(Place { line: 1, column: 1 }).into())
    }
}

/// A function of a link, as [`functions`] reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfLink {
    /// What of it.
    pub function: FrameFunction,
    /// The link, as the description has it.
    pub link: String,
    /// In the axes of the link, and not of the ground.
    pub in_own_axes: bool,
}

/// Reads functions as models are asked for them: `forward_dynamics`, `jacobian(tool)`, `jacobian(tool in tool)`; names of
/// links are those of the description.
///
/// # Errors
/// The first one that is none, with the nearest that is.
///
/// # Examples
/// ```
/// let asked = ["inverse_dynamics", "jacobian(tool0 in tool0)"].map(str::to_owned);
/// let (of_model, of_links) = hamel_import::functions(&asked)?;
/// assert_eq!((of_model.len(), of_links[0].link.as_str(), of_links[0].in_own_axes), (1, "tool0", true));
/// assert!(hamel_import::functions(&["jacobian".to_owned()]).is_err());
/// # Ok::<(), String>(())
/// ```
pub fn functions(asked: &[String]) -> Result<(Vec<Provided>, Vec<OfLink>), String> {
    let (mut of_model, mut of_links) = (Vec::new(), Vec::new());
    for text in asked {
        let (word, link) = match text.trim().split_once('(') {
            None => (text.trim(), None),
            Some((word, rest)) => (word.trim(), Some(rest.trim().strip_suffix(')').unwrap_or(rest).trim())),
        };
        let function = FrameFunction::ALL.into_iter().find(|function| function.keyword() == word);
        match (Provided::ALL.into_iter().find(|function| function.keyword() == word), function, link) {
            (Some(function), _, None) => of_model.push(function),
            (_, Some(function), Some(link)) if !link.is_empty() => {
                let (link, axes) = link.split_once(" in ").map_or((link, None), |(link, axes)| (link, Some(axes)));
                let (link, axes) = (link.trim(), axes.map(str::trim));
                if axes.is_some_and(|axes| axes != link) {
                    return Err(format!(
                        "`{text}`: expected the axes of `{link}` itself\nhelp: write `{word}({link} in {link})`"
                    ));
                }
                of_links.push(OfLink { function, link: link.to_owned(), in_own_axes: axes.is_some() });
            }
            (None, Some(_), _) => return Err(format!("`{text}`: expected a link\nhelp: write `{word}(tool)`")),
            (Some(_), _, Some(_)) => {
                return Err(format!("`{text}`: a function of the whole model\nhelp: write `{word}`"));
            }
            (None, None, _) => {
                let known = Provided::ALL.map(Provided::keyword);
                let known: Vec<&str> =
                    known.into_iter().chain(FrameFunction::ALL.map(FrameFunction::keyword)).collect();
                let help = match nearest(word, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("expected one of {}", known.join(", ")),
                };
                return Err(format!("unknown function `{word}`\nhelp: {help}"));
            }
        }
    }
    of_model.sort_unstable();
    of_model.dedup();
    Ok((of_model, of_links))
}

/// Numbers of a description that become parameters of the model, with what is described as their default. Zeros and
/// right angles remain what they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameters {
    /// The mass of every body, with everything that is fixed to it: `arm_mass`.
    Mass,
    /// The masses, and centres of mass and inertias: `arm_center_of_mass_x`, `arm_inertia_xx`.
    Inertia,
    /// Where joints stand that move: `elbow_position_x`, `elbow_roll`.
    Kinematics,
    /// All of these, and dampings: `elbow_damping_coefficient`.
    All,
}

impl Parameters {
    /// Each of them.
    pub const ALL: [Parameters; 4] = [Parameters::Mass, Parameters::Inertia, Parameters::Kinematics, Parameters::All];

    /// The word for it.
    pub fn keyword(self) -> &'static str {
        match self {
            Parameters::Mass => "mass",
            Parameters::Inertia => "inertia",
            Parameters::Kinematics => "kinematics",
            Parameters::All => "all",
        }
    }
}

/// A translated description.
#[derive(Clone, Debug)]
pub struct Import {
    /// The model, as it stands inside `multibody!`.
    pub model: String,
    /// What was left out or decided, in the order of the description.
    pub warnings: Vec<Warning>,
    /// Where Pinocchio has the joints that move, in its order, if it reads the format; empty for planar joints with another
    /// axis than z, which Pinocchio ignores.
    pub pinocchio: Vec<PinocchioJoint>,
    /// The line of the model at which what is described at a place begins.
    places: BTreeMap<usize, Place>,
}

/// The place of a joint among the coordinates q and the velocities v that Pinocchio has of the same description.
///
/// A joint that turns endlessly has a cosine and a sine there; a free one x, y, z and the quaternion x, y, z, w, and the
/// velocities that it has here; a planar one x, y, cosine and sine, with velocities in its own axes.
#[derive(Clone, PartialEq, Debug)]
pub struct PinocchioJoint {
    /// Its name in the model.
    pub name: String,
    /// Its name in the description; empty for the free joint of a root.
    pub described: String,
    /// Places in q.
    pub q: Range<usize>,
    /// Places in v.
    pub v: Range<usize>,
    /// If its coordinate here follows from that of another, the name of that joint in the model, the ratio and the offset,
    /// m or rad; Pinocchio has a coordinate of its own for it.
    pub follows: Option<(String, f64, f64)>,
}

impl Import {
    /// The tokens of the model, each of which stands at the place in the description that says what it says: there the
    /// compiler finds mistakes.
    ///
    /// # Errors
    /// Never for models of this crate.
    pub fn tokens(&self) -> Result<TokenStream, LexError> {
        let spans = self.spans()?;
        let moved = |span: Span| {
            let line = span.start().line;
            spans.range(..=line).next_back().map_or(span, |(_, span)| *span)
        };
        Ok(stand(self.model.parse()?, &moved))
    }

    /// Of lines of the model, spans at the places of the description.
    ///
    /// Spans can only be had of texts: of one that has a letter at each of the places and nothing else.
    fn spans(&self) -> Result<BTreeMap<usize, Span>, LexError> {
        let mut places: Vec<Place> = self.places.values().copied().collect();
        places.sort_unstable();
        places.dedup();
        let (mut text, mut at) = (String::new(), Place { line: 1, column: 1 });
        let mut written = Vec::new();
        for place in places {
            while at.line < place.line {
                text.push('\n');
                at = Place { line: at.line + 1, column: 1 };
            }
            // Two places beside each other would be one word.
            if place.column < at.column {
                continue;
            }
            while at.column < place.column {
                text.push(' ');
                at.column += 1;
            }
            text.push_str("x ");
            at.column += 2;
            written.push(place);
        }
        let tokens: TokenStream = text.parse()?;
        let spans: BTreeMap<Place, Span> =
            written.into_iter().zip(tokens.into_iter().map(|token| token.span())).collect();
        let near = |place: &Place| spans.range(..=place).next_back().map(|(_, span)| *span);
        Ok(self.places.iter().filter_map(|(line, place)| Some((*line, near(place)?))).collect())
    }
}

/// Tokens with other spans.
fn stand(tokens: TokenStream, moved: &impl Fn(Span) -> Span) -> TokenStream {
    let token = |mut token: TokenTree| {
        let span = moved(token.span());
        if let TokenTree::Group(group) = &token {
            token = TokenTree::Group(Group::new(group.delimiter(), stand(group.stream(), moved)));
        }
        token.set_span(span);
        token
    };
    tokens.into_iter().map(token).collect()
}
