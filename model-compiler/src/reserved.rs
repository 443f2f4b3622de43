//! Names that generated code has for itself, so that no name of a model may hide them.

/// The runtime in the module of a model, whatever the user calls the crate.
pub(crate) const RUNTIME: &str = "hamel";

/// The module of the kernels beside the model's type.
pub(crate) const KERNELS: &str = "kernels";

/// What stands beside the model's types in their module.
pub(crate) const BESIDE_THE_MODEL: [&str; 2] = [RUNTIME, KERNELS];

/// Types that generated code names as they are: in its modules nothing else can have these names.
pub(crate) const PRIMITIVES: [&str; 19] = [
    "bool", "char", "f16", "f32", "f64", "f128", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16", "u32",
    "u64", "u128", "usize",
];
