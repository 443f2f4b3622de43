//! Handlers of XLA's foreign function interface, which programs that JAX has compiled call, as safe Rust.
//!
//! XLA calls a function of C with a *call frame* of arrays, results and attributes. [`Function`] is such a function in
//! Rust, and [`address`] what XLA is given of it. Everything that is read of a frame is checked first: sizes of structs,
//! kinds, types of values, that results overlap with nothing. What does not fit is an error of XLA, and so is a panic.
#![allow(unsafe_code, reason = "structs of C are read; each block says why it may")]

mod layout;

use std::ffi::{CString, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use layout::{Api, Attributes, Buffer, Buffers, CallFrame, Error, ErrorArguments, MetadataExtension};

/// A function that XLA calls.
pub trait Function {
    /// Fills the results of a call.
    ///
    /// # Errors
    /// What the caller of the compiled program is told.
    fn call(call: Call) -> Result<(), String>;
}

/// One call.
pub struct Call<'a> {
    /// Names and values of the attributes that are whole numbers, 64 bits each.
    pub integers: Vec<(&'a [u8], i64)>,
    /// Arrays that are read.
    pub arguments: Vec<Array<&'a [f64], &'a [f32]>>,
    /// Arrays that are filled; before, they have any values.
    pub results: Vec<Array<&'a mut [f64], &'a mut [f32]>>,
}

/// Lengths of the axes of an array, and its values, the last axis first.
pub struct Array<D, S> {
    /// Lengths of its axes.
    pub axes: Vec<usize>,
    /// As many values as the axes say.
    pub values: Values<D, S>,
}

/// Values in double or in single precision.
pub enum Values<D, S> {
    /// Double precision.
    Double(D),
    /// Single precision.
    Single(S),
}

impl Call<'_> {
    /// An attribute by its name.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.integers.iter().find(|(known, _)| *known == name.as_bytes()).map(|&(_, value)| value)
    }
}

/// Where XLA finds a function, for `jax.ffi.pycapsule`. It is valid as long as the process lives, or until the library
/// that contains the function is closed.
pub fn address<F: Function>() -> usize {
    let handler: unsafe extern "C" fn(*mut CallFrame) -> *mut Error = handler::<F>;
    handler as usize
}

/// # Safety
/// `frame` points to a call frame of XLA that nobody else reads or writes during the call.
unsafe extern "C" fn handler<F: Function>(frame: *mut CallFrame) -> *mut Error {
    // SAFETY: XLA passes a frame; its first three fields are in every version.
    let (size, api, extension) = unsafe { ((*frame).size, (*frame).api, (*frame).extension) };
    let is_whole = size >= size_of::<CallFrame>();
    // SAFETY: XLA passes a list of extensions.
    if let Some(metadata) = unsafe { metadata(extension) } {
        // SAFETY: the extension is what it says, and XLA waits for its fields to be filled.
        unsafe { answer(metadata, api, is_whole) };
        return std::ptr::null_mut();
    }
    if !is_whole {
        let text = format!("the call frame has {size} bytes, fewer than version {}.{}", layout::MAJOR, layout::MINOR);
        // SAFETY: XLA passes its functions.
        return unsafe { fail(api, layout::INTERNAL, &text) };
    }
    // SAFETY: the frame is as long as the struct.
    if unsafe { (*frame).stage } != layout::EXECUTE {
        return std::ptr::null_mut();
    }
    // SAFETY: by the contract of this function, and the frame is as long as the struct.
    let done = catch_unwind(AssertUnwindSafe(|| unsafe { read(&*frame) }.and_then(F::call)));
    let (code, text) = match done {
        Ok(Ok(())) => return std::ptr::null_mut(),
        Ok(Err(text)) => (layout::INVALID_ARGUMENT, text),
        Err(panic) => (layout::INTERNAL, said(&*panic)),
    };
    // SAFETY: XLA passes its functions.
    unsafe { fail(api, code, &text) }
}

/// What a panic said.
fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    format!("it panicked: {}", text.unwrap_or("without a message"))
}

/// The question for the version, if it is among these extensions.
///
/// # Safety
/// `extension` begins a list of extensions or is null.
unsafe fn metadata(mut extension: *mut layout::Extension) -> Option<*mut MetadataExtension> {
    while !extension.is_null() {
        // SAFETY: by the contract of this function.
        let (kind, next) = unsafe { ((*extension).kind, (*extension).next) };
        if kind == layout::METADATA {
            return Some(extension.cast());
        }
        extension = next;
    }
    None
}

/// Says for which version the handler was written: the one of XLA up to that of [`layout`], which has not changed since;
/// no version if frames are shorter, so that XLA refuses the handler.
///
/// # Safety
/// `extension` is what its kind says; `api` is that of XLA or null.
unsafe fn answer(extension: *mut MetadataExtension, api: *const Api, is_whole: bool) {
    // SAFETY: by the contract of this function; `api` is read where it is not null and as long as its struct.
    unsafe {
        let metadata = (*extension).metadata;
        let own = (layout::MAJOR, layout::MINOR);
        let theirs = match api.is_null() || (*api).size < size_of::<Api>() {
            true => own,
            false => ((*api).version.major, (*api).version.minor),
        };
        let version = if is_whole { own.min(theirs) } else { (0, 0) };
        ((*metadata).version.major, (*metadata).version.minor) = version;
        (*metadata).traits = 0;
        if !api.is_null() && theirs >= (0, 3) {
            (*metadata).state = 0;
        }
    }
}

/// An error of XLA with this text.
///
/// # Safety
/// `api` is that of XLA.
unsafe fn fail(api: *const Api, code: c_int, text: &str) -> *mut Error {
    let message = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // SAFETY: by the contract of this function, and it is read as far as it says that it is long.
    let create = unsafe { if api.is_null() || (*api).size < size_of::<Api>() { None } else { (*api).create_error } };
    let Some(create) = create else {
        // Results have not been filled, and nobody can be told: the program must not go on with them.
        eprintln!("XLA has no function for errors: {text}");
        std::process::abort();
    };
    let mut arguments = ErrorArguments {
        size: size_of::<ErrorArguments>(),
        extension: std::ptr::null_mut(),
        message: message.as_ptr(),
        code,
    };
    // SAFETY: the arguments are those of the function, which copies the message.
    unsafe { create(&raw mut arguments) }
}

/// What a frame says, checked.
///
/// # Safety
/// The frame is one of XLA at the stage of execution; nobody else uses its results during `'a`.
unsafe fn read(frame: &CallFrame) -> Result<Call<'_>, String> {
    // SAFETY: by the contract of this function.
    unsafe {
        let integers = integers(&frame.attributes)?;
        let (arguments, results) = (buffers(&frame.arguments)?, buffers(&frame.results)?);
        let (arguments, results) = (spans(arguments)?, spans(results)?);
        let is_apart = |(place, result): (usize, &Span)| {
            arguments.iter().chain(&results[..place]).all(|other| !result.overlaps(other))
        };
        if !results.iter().enumerate().all(is_apart) {
            return Err("a result overlaps with another array".to_owned());
        }
        let values = |span: Span| {
            let values = match span.bytes {
                8 => Values::Double(slice(span.data.cast(), span.len)),
                _ => Values::Single(slice(span.data.cast(), span.len)),
            };
            Array { axes: span.axes, values }
        };
        let filled = |span: Span| {
            let values = match span.bytes {
                8 => Values::Double(slice_mut(span.data.cast(), span.len)),
                _ => Values::Single(slice_mut(span.data.cast(), span.len)),
            };
            Array { axes: span.axes, values }
        };
        Ok(Call {
            integers,
            arguments: arguments.into_iter().map(values).collect(),
            results: results.into_iter().map(filled).collect(),
        })
    }
}

/// Values in memory.
struct Span {
    axes: Vec<usize>,
    data: *mut c_void,
    /// Number of values.
    len: usize,
    /// Bytes of one.
    bytes: usize,
}

impl Span {
    fn overlaps(&self, other: &Span) -> bool {
        let range = |span: &Span| (span.data as usize, span.data as usize + span.len * span.bytes);
        let ((start, end), (from, to)) = (range(self), range(other));
        start < to && from < end
    }
}

/// # Safety
/// The buffers are those of a frame of XLA.
unsafe fn spans(buffers: &[*const Buffer]) -> Result<Vec<Span>, String> {
    let span = |&buffer: &*const Buffer| {
        // SAFETY: by the contract of this function.
        let size = unsafe { (*buffer).size };
        if size < size_of::<Buffer>() {
            return Err(format!("an array is described by {size} bytes, too few"));
        }
        // SAFETY: it is as long as the struct.
        let Buffer { kind, data, rank, dims, .. } = unsafe { buffer.read() };
        let bytes: usize = match kind {
            layout::F64 => 8,
            layout::F32 => 4,
            _ => return Err(format!("expected arrays of real numbers, found values of XLA's type {kind}")),
        };
        // SAFETY: there is a length for each axis.
        let dims = unsafe { slice(dims, usize::try_from(rank).map_err(|_| "an array has a negative rank")?) };
        let axes: Result<Vec<usize>, _> = dims.iter().map(|&len| usize::try_from(len)).collect();
        let axes = axes.map_err(|_| "an axis has a negative length")?;
        let len = axes.iter().try_fold(bytes, |size, &len| size.checked_mul(len)).ok_or("an array is too large")?;
        if len > 0 && (data.is_null() || !(data as usize).is_multiple_of(bytes)) {
            return Err("an array is not aligned".to_owned());
        }
        Ok(Span { axes, data, len: len / bytes, bytes })
    };
    buffers.iter().map(span).collect()
}

/// # Safety
/// The buffers are those of a frame of XLA.
unsafe fn buffers(buffers: &Buffers) -> Result<&[*const Buffer], String> {
    if buffers.size < size_of::<Buffers>() {
        return Err(format!("a list of arrays is described by {} bytes, too few", buffers.size));
    }
    // SAFETY: there are as many of each as `count` says.
    let (kinds, all) = unsafe { (list(buffers.kinds, buffers.count)?, list(buffers.all, buffers.count)?) };
    match kinds.iter().all(|&kind| kind == layout::BUFFER) {
        true => Ok(all),
        false => Err("expected arrays".to_owned()),
    }
}

/// Attributes that are whole numbers.
///
/// # Safety
/// They are those of a frame of XLA.
unsafe fn integers(attributes: &Attributes) -> Result<Vec<(&[u8], i64)>, String> {
    let Attributes { size, count, kinds, names, all, .. } = *attributes;
    if size < size_of::<Attributes>() {
        return Err(format!("attributes are described by {size} bytes, too few"));
    }
    let mut found = Vec::new();
    // SAFETY: there are as many of each as `count` says, a name is as long as it says, and a value has the type that it
    // says.
    unsafe {
        let attributes = list(kinds, count)?.iter().zip(list(names, count)?).zip(list(all, count)?);
        for ((&kind, &name), &value) in attributes {
            let scalar = value.cast::<layout::Scalar>();
            if kind == layout::SCALAR && (*scalar).kind == layout::S64 {
                found.push((slice((*name).start, (*name).len), (*scalar).value.cast::<i64>().read_unaligned()));
            }
        }
    }
    Ok(found)
}

/// # Safety
/// There are `count` values at this place, if it is positive.
unsafe fn list<'a, T>(start: *const T, count: i64) -> Result<&'a [T], String> {
    let count = usize::try_from(count).map_err(|_| "a list has a negative length")?;
    // SAFETY: by the contract of this function.
    Ok(unsafe { slice(start, count) })
}

/// # Safety
/// There are `len` values at this place, which nobody writes during `'a`; of none, the place may be any.
unsafe fn slice<'a, T>(start: *const T, len: usize) -> &'a [T] {
    // SAFETY: by the contract of this function.
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(start, len) } }
}

/// # Safety
/// There is room for `len` values at this place, of any content, which nobody else uses during `'a`.
unsafe fn slice_mut<'a, T>(start: *mut T, len: usize) -> &'a mut [T] {
    // SAFETY: by the contract of this function.
    if len == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(start, len) } }
}

#[cfg(test)]
mod tests;
