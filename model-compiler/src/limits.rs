//! How large a model may be: every limit of the front end, in one place.
//!
//! Without them one digit too many costs hours or all memory. They count what is made and never time, so that the same
//! model is accepted everywhere; each is checked before the work is done, and stands several times above the largest
//! models that are of use. What simplification may do has limits of its own, in [`crate::simplify::Limits`].

/// Bytes of a file with models; the tokens of more than this take a gigabyte.
pub const BYTES: usize = 4 << 20;
/// Delimiters within each other in a file, which may be Rust with much around a model.
pub const NESTING_OF_FILES: usize = 200;
/// Tokens of a model as it is written, delimiters counted in pairs.
pub const TOKENS: usize = 500_000;
/// Delimiters within each other: the stages that follow recurse.
pub const NESTING: usize = 64;
/// Tokens that loops make of their bodies, with their names replaced, counted through all levels.
pub const SUBSTITUTED_TOKENS: usize = 5_000_000;
/// Characters of a name, without indices: names stand in the code many times.
pub const NAME: usize = 100;
/// Errors of a stage, those of all rounds counted; more are not looked for.
pub const ERRORS: usize = 1000;
/// Names among which the one is looked for that a misspelled one means.
pub const CANDIDATES: usize = 5000;
/// Rounds of all loops together.
pub const ROUNDS: usize = 10_000;
/// Items of a model; the largest models have a third of them.
pub const ITEMS: usize = 30_000;
/// Operations within each other in an expression, so that later stages may recurse.
pub const DEPTH: usize = 256;
/// Components of one `[value; n]`.
pub const REPETITION: i64 = 1000;
/// Values that `[value; n]` makes in a model, counted through all levels.
pub const REPEATED_VALUES: i64 = 100_000;
/// Operations within each other with names replaced by what they stand for, for the same reason.
pub const DEPTH_OF_TERMS: usize = 1000;
/// Terms of an expression with its names replaced by what they stand for, which grow exponentially through several `let`.
pub const TERMS: usize = 10_000;
/// Terms of all expressions of a model together, counted in the same way.
pub const ALL_TERMS: usize = 3_000_000;
/// Elements of the flexible members in floating frames: the matrix of their frames with all nodes is dense while it is
/// checked.
pub const ELEMENTS: i64 = 2000;
/// Elements of all beams; their nodes are bodies.
pub const ELEMENTS_OF_BEAMS: i64 = 10_000;
/// Pairs of velocities, of different joints, that a tree couples, those of a chain of a hundred hinges: compiling it in
/// memory takes some ten seconds, and twice as many hinges would take five times as much. Bodies side by side couple none.
pub const COUPLED_VELOCITIES: usize = 100 * 99 / 2;
/// Initial conditions by velocities in joint coordinates, where a condition on one body may depend on all of them.
pub const INITIAL_DERIVATIVES: usize = 5_000_000;
/// Velocities in joint coordinates: all of them are in one kernel, and the matrix of all masses is checked.
pub const VELOCITIES: usize = 2000;
