//! Everything that generated code names and does not define: by paths that nothing around it can shadow.
//!
//! The runtime has one name in the module of a model, whatever the user calls the crate.

/// Brings the runtime into the module of a model; a model that says `crate = path;` has its path here.
pub(super) const IMPORT: &str = "use ::hamel;\n";

/// Items of the runtime's modules.
pub(super) const ATTITUDE: &str = "hamel::model::Attitude";
pub(super) const BLOCK: &str = "hamel::model::Block";
pub(super) const CONTACT_LAW: &str = "hamel::model::ContactLaw";
pub(super) const ENERGY: &str = "hamel::model::Energy";
pub(super) const MODEL: &str = "hamel::model::Model";
pub(super) const MODEL_INFO: &str = "hamel::model::ModelInfo";
pub(super) const STATE: &str = "hamel::model::State";
pub(super) const PARAMETER_ERROR: &str = "hamel::model::ParameterError";
pub(super) const UNKNOWN_PARAMETER: &str = "hamel::model::UnknownParameter";
pub(super) const REAL: &str = "hamel::real::Real";
pub(super) const SIGNAL: &str = "hamel::signal::Signal";
/// Helpers that generated code calls.
pub(super) const GENERATED: &str = "hamel::generated";
/// Items of the standard library: what its prelude names may be something else where a model stands.
pub(super) const CLONE: &str = "::core::clone::Clone";
pub(super) const DEBUG: &str = "::core::fmt::Debug";
pub(super) const DEFAULT: &str = "::core::default::Default";
pub(super) const FN_MUT: &str = "::core::ops::FnMut";
pub(super) const OK: &str = "::core::result::Result::Ok";
pub(super) const OPTION: &str = "::core::option::Option";
pub(super) const PARTIAL_EQ: &str = "::core::cmp::PartialEq";
pub(super) const RESULT: &str = "::core::result::Result";
pub(super) const NONE: &str = "::core::option::Option::None";
pub(super) const SOME: &str = "::core::option::Option::Some";
pub(super) const VEC: &str = "hamel::generated::Vec";
pub(super) const ZIP: &str = "::core::iter::zip";
/// Values that are made when they are first read.
pub(super) const LAZY_LOCK: &str = "hamel::generated::Lazy";
