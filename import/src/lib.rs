//! Descriptions of robots in other formats, translated into the text of a model: URDF ([`urdf`]) and MuJoCo's MJCF ([`mjcf`]).
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

mod error;
mod limits;
pub mod mjcf;
mod places;
mod robot;
pub mod urdf;
mod xml;

use std::collections::BTreeMap;
use std::ops::Range;

use hamel_compiler::resolve::Provided;
use proc_macro2::{Group, LexError, Span, TokenStream, TokenTree};

pub use error::{Error, Errors, Place, Problem, Warning};

/// What a description does not say.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The root link moves freely; otherwise it is the ground.
    pub is_floating: bool,
    /// Functions that the model is to provide.
    pub provide: Vec<Provided>,
    /// Angles whose digits are those of a right angle, such as 1.5708, mean what they say and not the right angle.
    pub exact_angles: bool,
    /// Inertias that no rigid body has are replaced by the nearest that one has, each with a warning.
    pub repair_inertia: bool,
    /// Numbers that become parameters of the model.
    pub parameters: Vec<Parameters>,
    /// Contacts keep joints within their limits.
    pub stops: bool,
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
    /// Where Pinocchio has the joints that move, in its order, if it reads the format.
    pub pinocchio: Vec<PinocchioJoint>,
    /// The line of the model at which what is described at a place begins.
    places: BTreeMap<usize, Place>,
}

/// The place of a joint among the coordinates q and the velocities v that Pinocchio has of the same description.
///
/// A joint that turns endlessly has a cosine and a sine there; a free one x, y, z and the quaternion x, y, z, w, and the
/// velocities that it has here; a planar one x, y, cosine and sine, with velocities in its own axes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PinocchioJoint {
    /// Its name in the model.
    pub name: String,
    /// Its name in the description; empty for the free joint of a root.
    pub described: String,
    /// Places in q.
    pub q: Range<usize>,
    /// Places in v.
    pub v: Range<usize>,
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
