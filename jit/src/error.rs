//! Why a model could not be compiled.

/// Why a model could not be compiled to machine code.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no code generator for this processor.
    #[error("there is no code generator for this processor: {0}; generate Rust or C instead")]
    Processor(String),
    /// The code generator refuses a function.
    #[error("the code generator refuses {function}: {reason}")]
    Function {
        /// Name of the function.
        function: String,
        /// What it says.
        reason: String,
    },
    /// Machine code cannot be put into memory.
    #[error("machine code cannot be put into memory: {0}")]
    Memory(std::io::Error),
}

/// Why the text of a model could not be compiled.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// It is no model.
    #[error(transparent)]
    Text(#[from] syn::Error),
    /// It has no machine code.
    #[error(transparent)]
    Code(#[from] Error),
}
