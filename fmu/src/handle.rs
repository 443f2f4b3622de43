//! What both versions of the interface share: pointers of importers as instances and lists, results as status.
//!
//! Instances and states that are alive are known by their addresses, so that a pointer that was never given out, or was
//! freed, is an error and not the end of the importer.

use std::collections::HashMap;
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

/// What an address belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Instance,
    State,
}

/// Addresses of what was given out, and what they are of.
static ALIVE: RwLock<Option<HashMap<usize, Owner>>> = RwLock::new(None);

fn is_alive(address: *const c_void, owner: Owner) -> bool {
    let alive = ALIVE.read().unwrap_or_else(PoisonError::into_inner);
    alive.as_ref().is_some_and(|alive| alive.get(&(address as usize)) == Some(&owner))
}

/// Gives a value out, and its address.
fn given_out<T>(value: T, owner: Owner) -> *mut c_void {
    let address = Box::into_raw(Box::new(value)).cast();
    ALIVE.write().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(address as usize, owner);
    address
}

/// Whether the value at this address was given out; it no longer is.
fn taken_back(address: *mut c_void, owner: Owner) -> bool {
    let mut alive = ALIVE.write().unwrap_or_else(PoisonError::into_inner);
    let Some(alive) = alive.as_mut().filter(|alive| alive.get(&(address as usize)) == Some(&owner)) else {
        return false;
    };
    alive.remove(&(address as usize)).is_some()
}

/// Makes an instance; null if that fails, with a message.
pub(crate) fn made(log: Box<dyn Fn(Status, &str)>, make: impl FnOnce() -> Result<Instance, Fault>) -> *mut c_void {
    match catch_unwind(AssertUnwindSafe(make)) {
        Ok(Ok(instance)) => given_out(Handle { instance, log }, Owner::Instance),
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
    if taken_back(handle, Owner::Instance) {
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
    if !is_alive(handle, Owner::Instance) {
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
        if is_alive(known, Owner::State) {
            *known.cast::<Snapshot>() = snapshot;
        } else {
            kept.write(given_out(snapshot, Owner::State));
        }
    }
    Ok(())
}

/// A state that was kept.
///
/// # Safety
/// No other thread frees it during the call.
pub(crate) unsafe fn kept<'a>(address: *mut c_void) -> Result<&'a Snapshot, Fault> {
    if !is_alive(address, Owner::State) {
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
    unsafe { kept.write(given_out(snapshot, Owner::State)) };
    Ok(())
}

/// Frees a state, and sets the pointer to null.
///
/// # Safety
/// `kept` is null or leads to a pointer.
pub(crate) unsafe fn release(kept: *mut *mut c_void) {
    if kept.is_null() {
        return;
    }
    // SAFETY: the caller says so; what is taken back came from a box of this type.
    unsafe {
        let address = kept.replace(std::ptr::null_mut());
        if taken_back(address, Owner::State) {
            drop(Box::from_raw(address.cast::<Snapshot>()));
        }
    }
}

/// Refuses so many of what units do not have.
pub(crate) fn none(n: usize, what: &str) -> Result<(), Fault> {
    if n == 0 { Ok(()) } else { Err(Fault::new(format!("this unit has no {what}"))) }
}

/// Calls a function of an instance, with pointers of the importer.
macro_rules! on {
    ($handle:expr, |$instance:ident| $body:expr) => {
        // SAFETY: the interface says that one thread at a time uses an instance, that pointers lead to as many values as
        // are said beside them, and that these are not used elsewhere during the call.
        unsafe { $crate::handle::call($handle, |$instance| $body) }
    };
}

/// The functions for states that are kept, by their names in a version.
macro_rules! states {
    ($get:ident $set:ident $free:ident $size:ident $write:ident $read:ident) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(handle: Handle, state: *mut *mut c_void) -> Status {
            on!(handle, |instance| $crate::handle::keep(instance, state))
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $set(handle: Handle, state: *mut c_void) -> Status {
            on!(handle, |instance| instance.restore($crate::handle::kept(state)?))
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $free(handle: Handle, state: *mut *mut c_void) -> Status {
            on!(handle, |_instance| {
                $crate::handle::release(state);
                Ok(())
            })
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $size(handle: Handle, state: *mut c_void, size: *mut usize) -> Status {
            on!(handle, |_instance| {
                put(size, $crate::handle::kept(state)?.len());
                Ok(())
            })
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $write(handle: Handle, state: *mut c_void, bytes: *mut u8, size: usize) -> Status {
            on!(handle, |_instance| $crate::handle::kept(state)?.write(room(bytes, size, "bytes")?))
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $read(
            handle: Handle,
            bytes: *const u8,
            size: usize,
            state: *mut *mut c_void,
        ) -> Status {
            on!(handle, |instance| $crate::handle::give(instance.read_snapshot(list(bytes, size, "bytes")?)?, state))
        }
    };
}

pub(crate) use {on, states};
