//! Families of messages: each has a code, which a message shows, and a page, which `hamel explain` prints and the book
//! contains.

use std::fmt;

macro_rules! families {
    ($($(#[$doc:meta])* $family:ident = $code:literal,)*) => {
        /// What kind of mistake a message is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Family {
            $($(#[$doc])* $family,)*
        }

        impl Family {
            /// All of them, by their codes.
            pub const ALL: &[Family] = &[$(Family::$family),*];

            /// The letter H and four digits, which do not change between versions.
            pub const fn code(self) -> &'static str {
                match self { $(Family::$family => $code),* }
            }

            /// What the message means, an example, and how to mend it, in Markdown.
            pub const fn page(self) -> &'static str {
                match self { $(Family::$family => include_str!(concat!("../../errors/", $code, ".md"))),* }
            }
        }
    };
}

families! {
    /// Something else stands where the language has a certain form.
    Syntax = "H0101",
    /// A parenthesis, bracket or brace without its partner.
    Delimiter = "H0102",
    /// A word that cannot be a name.
    NotAName = "H0103",
    /// Indices, counts and bounds of loops.
    Integer = "H0104",
    /// More than the language allows.
    Limit = "H0105",
    /// A name that nothing declares.
    UnknownName = "H0201",
    /// A word that the language does not have at this place.
    UnknownWord = "H0202",
    /// Two things of one name.
    DuplicateName = "H0203",
    /// Definitions in the wrong order, or in a circle.
    Order = "H0204",
    /// A name that stands for something of another kind.
    WrongKind = "H0205",
    /// A field that is missing, or belongs to something else.
    Field = "H0206",
    /// What is given twice.
    Repeated = "H0207",
    /// The form of a field's value.
    FieldValue = "H0208",
    /// A unit that is not known, or may mean two things.
    UnknownUnit = "H0301",
    /// Units that do not fit.
    WrongUnit = "H0302",
    /// A unit behind what has one.
    UnitTwice = "H0303",
    /// A number that may be degrees as well as radians.
    AngleWithoutUnit = "H0304",
    /// Inputs and states in other units than those of the SI.
    NotSi = "H0305",
    /// Scalars, vectors and matrices that do not fit.
    WrongShape = "H0306",
    /// Too few or too many arguments.
    Arguments = "H0307",
    /// Numbers that are not finite.
    NumberRange = "H0308",
    /// An expression of what it may not depend on.
    Dependence = "H0401",
    /// Velocities in constraints.
    ConstraintLevel = "H0402",
    /// A condition on something that does not move.
    NoMotion = "H0403",
    /// How bodies and joints hang together.
    Tree = "H0501",
    /// What exists in space alone, or in the plane.
    PlaneOrSpace = "H0502",
    /// What exists in some coordinates alone.
    Coordinates = "H0503",
    /// An option that its joint cannot have.
    JointOption = "H0504",
    /// Limits of joints.
    JointLimits = "H0505",
    /// Joints that follow others.
    Followers = "H0506",
    /// Points, axes and rotations.
    Frames = "H0507",
    /// What forces and torques act on.
    ForceTarget = "H0508",
    /// Masses, inertias and lengths that no body has.
    NoSuchBody = "H0509",
    /// Added mass that no water has.
    AddedMass = "H0510",
    /// Restitution and friction of contacts.
    ContactLaw = "H0511",
    /// Flexible members.
    FlexibleMember = "H0512",
    /// Shapes and colours.
    Appearance = "H0513",
    /// Functions on request.
    Provided = "H0514",
    /// A condition that no motion changes.
    ConstantCondition = "H0601",
    /// A coordinate that moves no mass.
    MasslessCoordinate = "H0602",
    /// A defect of the compiler.
    Defect = "H0900",
}

impl Family {
    /// The family of this code, in capital or small letters.
    pub fn by_code(code: &str) -> Option<Family> {
        Family::ALL.iter().copied().find(|family| family.code().eq_ignore_ascii_case(code))
    }

    /// The title of the page.
    pub fn title(self) -> &'static str {
        self.page().lines().next().and_then(|line| line.split_once(": ")).map_or("", |(_, title)| title)
    }

    /// The text of a message of this family.
    pub(super) fn coded(self, message: impl fmt::Display) -> String {
        format!("[{self}] {message}")
    }

    /// Takes a message apart that begins with the code of its family; notes have none.
    pub fn of(message: &str) -> (Option<Family>, &str) {
        let parts = message.strip_prefix('[').and_then(|rest| rest.split_once("] "));
        match parts.and_then(|(code, text)| Some((Family::by_code(code)?, text))) {
            Some((family, text)) => (Some(family), text),
            None => (None, message),
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
