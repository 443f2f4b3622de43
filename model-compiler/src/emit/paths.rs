//! The only place where generated code names the runtime.

/// Items of the runtime's modules, as absolute paths.
pub(super) const ATTITUDE: &str = "::hamel::model::Attitude";
pub(super) const BLOCK: &str = "::hamel::model::Block";
pub(super) const CONTACT_LAW: &str = "::hamel::model::ContactLaw";
pub(super) const ENERGY: &str = "::hamel::model::Energy";
pub(super) const MODEL: &str = "::hamel::model::Model";
pub(super) const MODEL_INFO: &str = "::hamel::model::ModelInfo";
pub(super) const STATE: &str = "::hamel::model::State";
pub(super) const PARAMETER_ERROR: &str = "::hamel::model::ParameterError";
pub(super) const UNKNOWN_PARAMETER: &str = "::hamel::model::UnknownParameter";
pub(super) const REAL: &str = "::hamel::real::Real";
pub(super) const SIGNAL: &str = "::hamel::signal::Signal";
/// Helpers that generated code calls.
pub(super) const GENERATED: &str = "::hamel::generated";
/// Values that are made when they are first read.
pub(super) const LAZY_LOCK: &str = "::std::sync::LazyLock";
