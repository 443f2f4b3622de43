//! What both versions of the interface share: pointers of importers as instances and lists, results as status.
//!
//! Instances and states that are alive are known by their addresses, so that a pointer that was never given out, or was
//! freed, is an error and not the end of the importer.

use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{PoisonError, RwLock};

use crate::instance::{Fault, Instance};
use crate::snapshot::Snapshot;

/// How a call has ended; the numbers are those of both versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Status {
    /// As asked.
    Ok = 0,
    /// As asked, with a message.
    #[expect(dead_code, reason = "of the interface")]
    Warning = 1,
    /// Refused, and nothing has changed.
    #[expect(dead_code, reason = "of the interface")]
    Discard = 2,
    /// Failed.
    Error = 3,
    /// Failed, for all instances.
    Fatal = 4,
}

/// An instance, with where its messages go.
pub(crate) struct Handle {
    pub instance: Instance,
    log: Box<dyn Fn(Status, &str)>,
}

/// Addresses of what was given out.
static ALIVE: RwLock<Option<HashSet<usize>>> = RwLock::new(None);

fn is_alive(address: *const c_void) -> bool {
    let alive = ALIVE.read().unwrap_or_else(PoisonError::into_inner);
    alive.as_ref().is_some_and(|alive| alive.contains(&(address as usize)))
}

/// Gives a value out, and its address.
fn given_out<T>(value: T) -> *mut c_void {
    let address = Box::into_raw(Box::new(value)).cast();
    ALIVE.write().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(address as usize);
    address
}

/// Whether the value at this address was given out; it no longer is.
fn taken_back(address: *mut c_void) -> bool {
    ALIVE
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .as_mut()
        .is_some_and(|alive| alive.remove(&(address as usize)))
}

/// Makes an instance; null if that fails, with a message.
pub(crate) fn made(log: Box<dyn Fn(Status, &str)>, make: impl FnOnce() -> Result<Instance, Fault>) -> *mut c_void {
    match catch_unwind(AssertUnwindSafe(make)) {
        Ok(Ok(instance)) => given_out(Handle { instance, log }),
        Ok(Err(fault)) => {
            log(Status::Error, &fault.to_string());
            std::ptr::null_mut()
        }
        Err(panic) => {
            log(Status::Fatal, &message(&*panic));
            std::ptr::null_mut()
        }
    }
}

/// Frees an instance; others and null are left alone.
///
/// # Safety
/// No other thread uses the instance.
pub(crate) unsafe fn free(handle: *mut c_void) {
    if taken_back(handle) {
        // SAFETY: `made` gave it out, from a box of this type, and nobody has freed it since.
        let handle = unsafe { Box::from_raw(handle.cast::<Handle>()) };
        // A panic must not reach the importer.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(handle)));
    }
}

/// Calls a function of an instance; a failure becomes a message and a status.
///
/// # Safety
/// No other thread uses the instance.
pub(crate) unsafe fn call(handle: *mut c_void, function: impl FnOnce(&mut Instance) -> Result<(), Fault>) -> Status {
    if !is_alive(handle) {
        return Status::Error;
    }
    // SAFETY: `made` gave it out, it was not freed, and the caller says that nobody else uses it.
    let Handle { instance, log } = unsafe { &mut *handle.cast::<Handle>() };
    match catch_unwind(AssertUnwindSafe(|| function(instance))) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(fault)) => {
            log(Status::Error, &fault.to_string());
            Status::Error
        }
        Err(panic) => {
            log(Status::Fatal, &message(&*panic));
            Status::Fatal
        }
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("a mistake of this program: {}", text.unwrap_or("it does not say which"))
}

fn null(what: &str) -> Fault {
    Fault::new(format!("the pointer to {what} is null"))
}

/// A list that the importer gives.
///
/// # Safety
/// A pointer that is not null has so many values, which stay as they are during the call.
pub(crate) unsafe fn list<'a, T>(pointer: *const T, len: usize, what: &str) -> Result<&'a [T], Fault> {
    match (len, pointer.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => Err(null(what)),
        // SAFETY: the caller says so.
        _ => Ok(unsafe { std::slice::from_raw_parts(pointer, len) }),
    }
}

/// A list that is to be filled.
///
/// # Safety
/// A pointer that is not null has room for so many values, which nobody else reads during the call.
pub(crate) unsafe fn room<'a, T>(pointer: *mut T, len: usize, what: &str) -> Result<&'a mut [T], Fault> {
    match (len, pointer.is_null()) {
        (0, _) => Ok(&mut []),
        (_, true) => Err(null(what)),
        // SAFETY: the caller says so.
        _ => Ok(unsafe { std::slice::from_raw_parts_mut(pointer, len) }),
    }
}

/// Sets a result, if it is wanted.
///
/// # Safety
/// A pointer that is not null has room for the value.
pub(crate) unsafe fn put<T>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: the caller says so.
        unsafe { pointer.write(value) };
    }
}

/// A text.
///
/// # Safety
/// A pointer that is not null leads to a text that ends with a zero.
pub(crate) unsafe fn text(pointer: *const c_char, what: &str) -> Result<String, Fault> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: the caller says so.
    let text = unsafe { CStr::from_ptr(pointer) };
    Ok(text.to_string_lossy().into_owned())
}

/// A message as C reads it.
pub(crate) fn c_text(text: &str) -> std::ffi::CString {
    std::ffi::CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// Keeps the state of an instance.
///
/// # Safety
/// `kept` has room for a pointer.
pub(crate) unsafe fn keep(instance: &mut Instance, kept: *mut *mut c_void) -> Result<(), Fault> {
    if kept.is_null() {
        return Err(null("the state"));
    }
    let snapshot = instance.snapshot()?;
    // SAFETY: the caller says that it has room; a state that is kept there already is used again.
    unsafe {
        let known = kept.read();
        if is_alive(known) {
            *known.cast::<Snapshot>() = snapshot;
        } else {
            kept.write(given_out(snapshot));
        }
    }
    Ok(())
}

/// A state that was kept.
///
/// # Safety
/// What is alive at this address is a state, and not an instance.
pub(crate) unsafe fn kept<'a>(address: *mut c_void) -> Result<&'a Snapshot, Fault> {
    if !is_alive(address) {
        return Err(Fault::new("the state was not kept, or was freed".to_owned()));
    }
    // SAFETY: `keep` or `given` gave it out, and nobody has freed it since.
    Ok(unsafe { &*address.cast::<Snapshot>() })
}

/// Gives out a state that was read.
///
/// # Safety
/// `kept` has room for a pointer.
pub(crate) unsafe fn give(snapshot: Snapshot, kept: *mut *mut c_void) -> Result<(), Fault> {
    if kept.is_null() {
        return Err(null("the state"));
    }
    // SAFETY: the caller says that it has room.
    unsafe { kept.write(given_out(snapshot)) };
    Ok(())
}

/// Frees a state, and sets the pointer to null.
///
/// # Safety
/// `kept` is null or leads to a pointer; what is alive there is a state.
pub(crate) unsafe fn release(kept: *mut *mut c_void) {
    if kept.is_null() {
        return;
    }
    // SAFETY: the caller says so; what is taken back came from a box of this type.
    unsafe {
        let address = kept.replace(std::ptr::null_mut());
        if taken_back(address) {
            drop(Box::from_raw(address.cast::<Snapshot>()));
        }
    }
}
