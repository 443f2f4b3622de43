//! What XLA passes to a handler, as `xla/ffi/api/c_api.h` lays it out; JAX ships this file (`jax.ffi.include_dir()`).
//!
//! Each struct that may grow begins with its size. Only what handlers read is here: later fields are left out.

use std::ffi::{c_char, c_int, c_void};

/// The version of the interface whose layout this is. What is read here has not changed since version 0.1.
pub const MAJOR: c_int = 0;
pub const MINOR: c_int = 3;

/// `XLA_FFI_Error`, which only XLA knows.
pub enum Error {}

#[repr(C)]
pub struct Extension {
    pub size: usize,
    pub kind: c_int,
    pub next: *mut Extension,
}

/// `XLA_FFI_Extension_Metadata`: the handler is asked for its version.
pub const METADATA: c_int = 1;

#[repr(C)]
pub struct MetadataExtension {
    pub extension: Extension,
    pub metadata: *mut Metadata,
}

#[repr(C)]
pub struct Metadata {
    pub size: usize,
    pub version: Version,
    pub traits: u32,
    /// Type of a handler's state, zero if it has none; since version 0.3 at the latest, and not part of the size.
    pub state: i64,
}

#[repr(C)]
pub struct Version {
    pub size: usize,
    pub extension: *mut Extension,
    pub major: c_int,
    pub minor: c_int,
}

/// `XLA_FFI_Api`, up to the function that makes errors.
#[repr(C)]
pub struct Api {
    pub size: usize,
    pub extension: *mut Extension,
    pub version: Version,
    pub internal: *const c_void,
    pub create_error: Option<unsafe extern "C" fn(*mut ErrorArguments) -> *mut Error>,
}

#[repr(C)]
pub struct ErrorArguments {
    pub size: usize,
    pub extension: *mut Extension,
    pub message: *const c_char,
    pub code: c_int,
}

/// `XLA_FFI_Error_Code_INVALID_ARGUMENT`.
pub const INVALID_ARGUMENT: c_int = 3;
/// `XLA_FFI_Error_Code_INTERNAL`.
pub const INTERNAL: c_int = 13;

/// `XLA_FFI_CallFrame`, without the `future` of asynchronous handlers.
#[repr(C)]
pub struct CallFrame {
    pub size: usize,
    pub extension: *mut Extension,
    pub api: *const Api,
    pub context: *mut c_void,
    pub stage: c_int,
    pub arguments: Buffers,
    pub results: Buffers,
    pub attributes: Attributes,
}

/// `XLA_FFI_ExecutionStage_EXECUTE`.
pub const EXECUTE: c_int = 3;

/// `XLA_FFI_Args` and `XLA_FFI_Rets`.
#[repr(C)]
pub struct Buffers {
    pub size: usize,
    pub extension: *mut Extension,
    pub count: i64,
    pub kinds: *const c_int,
    pub all: *const *const Buffer,
}

/// `XLA_FFI_ArgType_BUFFER` and `XLA_FFI_RetType_BUFFER`.
pub const BUFFER: c_int = 1;

#[repr(C)]
pub struct Buffer {
    pub size: usize,
    pub extension: *mut Extension,
    pub kind: c_int,
    pub data: *mut c_void,
    pub rank: i64,
    pub dims: *const i64,
}

#[repr(C)]
pub struct Attributes {
    pub size: usize,
    pub extension: *mut Extension,
    pub count: i64,
    pub kinds: *const c_int,
    pub names: *const *const Name,
    pub all: *const *const c_void,
}

#[repr(C)]
pub struct Name {
    pub start: *const u8,
    pub len: usize,
}

/// `XLA_FFI_AttrType_SCALAR`.
pub const SCALAR: c_int = 3;

#[repr(C)]
pub struct Scalar {
    pub kind: c_int,
    pub value: *const c_void,
}

/// `XLA_FFI_DataType_S64`, `_F32` and `_F64`.
pub const S64: c_int = 5;
pub const F32: c_int = 11;
pub const F64: c_int = 12;
