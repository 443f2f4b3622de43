//! Frames written by hand, as XLA makes them.

use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

use super::layout::{Metadata, Name, Scalar, Version};
use super::*;

/// Adds the attribute `shift` to the sums of the last axis; panics at 7, fails at 8.
struct Sums;

impl Function for Sums {
    fn call(call: Call) -> Result<(), String> {
        let shift = call.integer("shift").ok_or("`shift` is missing")?;
        match shift {
            7 => panic!("seven"),
            8 => return Err("eight\0and more".to_owned()),
            _ => {}
        }
        for (argument, result) in call.arguments.iter().zip(call.results) {
            let len = *argument.axes.last().ok_or("expected an axis")?;
            match (&argument.values, result.values) {
                (Values::Double(given), Values::Double(sums)) => {
                    let rows = given.chunks(len).map(|row| row.iter().sum::<f64>() + shift as f64);
                    sums.iter_mut().zip(rows).for_each(|(sum, row)| *sum = row);
                }
                (Values::Single(given), Values::Single(sums)) => {
                    let rows = given.chunks(len).map(|row| row.iter().sum::<f32>() + shift as f32);
                    sums.iter_mut().zip(rows).for_each(|(sum, row)| *sum = row);
                }
                _ => return Err("expected one precision".to_owned()),
            }
        }
        Ok(())
    }
}

/// An error is its code and its text, as the functions of XLA keep it.
struct Kept(c_int, CString);

unsafe extern "C" fn create(arguments: *mut ErrorArguments) -> *mut Error {
    // SAFETY: the handler passes the arguments.
    let (code, message) = unsafe { ((*arguments).code, CStr::from_ptr((*arguments).message).to_owned()) };
    Box::into_raw(Box::new(Kept(code, message))).cast()
}

fn version(minor: c_int) -> Version {
    Version { size: size_of::<Version>(), extension: null_mut(), major: 0, minor }
}

fn api(minor: c_int) -> Api {
    Api {
        size: size_of::<Api>(),
        extension: null_mut(),
        version: version(minor),
        internal: null(),
        create_error: Some(create),
    }
}

/// An array with values of some type.
struct Given {
    kind: c_int,
    dims: Vec<i64>,
    data: *mut c_void,
}

impl Given {
    fn buffer(&self) -> Buffer {
        Buffer {
            size: size_of::<Buffer>(),
            extension: null_mut(),
            kind: self.kind,
            data: self.data,
            rank: self.dims.len() as i64,
            dims: self.dims.as_ptr(),
        }
    }
}

fn doubles(values: &mut [f64], dims: &[i64]) -> Given {
    Given { kind: layout::F64, dims: dims.to_vec(), data: values.as_mut_ptr().cast() }
}

/// Calls the handler with these arrays and this attribute; what it says if it fails.
fn call(
    arguments: &[Given],
    results: &[Given],
    shift: (&str, i64),
    change: fn(&mut CallFrame),
) -> Option<(c_int, String)> {
    let kinds = vec![layout::BUFFER; arguments.len() + results.len()];
    let [arguments, results] = [arguments, results].map(|all| all.iter().map(Given::buffer).collect::<Vec<_>>());
    let [given, filled] = [&arguments, &results].map(|all| all.iter().map(|one| &raw const *one).collect::<Vec<_>>());
    let list = |all: &Vec<*const Buffer>| Buffers {
        size: size_of::<Buffers>(),
        extension: null_mut(),
        count: all.len() as i64,
        kinds: kinds.as_ptr(),
        all: all.as_ptr(),
    };
    let name = Name { start: shift.0.as_ptr(), len: shift.0.len() };
    let value = Scalar { kind: layout::S64, value: (&raw const shift.1).cast() };
    let scalar = layout::SCALAR;
    let (names, values) = ([&raw const name], [(&raw const value).cast::<c_void>()]);
    let api = api(layout::MINOR);
    let mut frame = CallFrame {
        size: size_of::<CallFrame>(),
        extension: null_mut(),
        api: &raw const api,
        context: null_mut(),
        stage: layout::EXECUTE,
        arguments: list(&given),
        results: list(&filled),
        attributes: Attributes {
            size: size_of::<Attributes>(),
            extension: null_mut(),
            count: 1,
            kinds: &raw const scalar,
            names: names.as_ptr(),
            all: values.as_ptr(),
        },
    };
    change(&mut frame);
    // SAFETY: the frame is whole, or says how long it is.
    let error = unsafe { handler::<Sums>(&raw mut frame) };
    if error.is_null() {
        return None;
    }
    // SAFETY: errors are made by `create`.
    let Kept(code, text) = *unsafe { Box::from_raw(error.cast::<Kept>()) };
    Some((code, text.into_string().unwrap()))
}

fn as_it_is(_: &mut CallFrame) {}

#[test]
fn results_are_filled_in_both_precisions() {
    let (mut given, mut sums) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [f64::NAN; 2]);
    let results = [doubles(&mut sums, &[2])];
    assert_eq!(call(&[doubles(&mut given, &[2, 3])], &results, ("shift", 1), as_it_is), None);
    assert_eq!(sums, [7.0, 16.0]);

    let (mut given, mut sums) = ([1.5_f32, 2.0], [f32::NAN]);
    let single = |values: &mut [f32], dims: &[i64]| Given {
        kind: layout::F32,
        dims: dims.to_vec(),
        data: values.as_mut_ptr().cast(),
    };
    let (arguments, results) = ([single(&mut given, &[1, 2])], [single(&mut sums, &[1])]);
    assert_eq!(call(&arguments, &results, ("shift", -1), as_it_is), None);
    assert_eq!(sums, [2.5]);
}

#[test]
fn empty_arrays_need_no_memory() {
    let empty = || Given { kind: layout::F64, dims: vec![0, 3], data: null_mut() };
    let result = Given { kind: layout::F64, dims: vec![0], data: null_mut() };
    assert_eq!(call(&[empty()], &[result], ("shift", 1), as_it_is), None);
}

#[test]
fn nothing_is_done_before_execution() {
    let (mut given, mut sums) = ([1.0], [5.0]);
    let results = [doubles(&mut sums, &[1])];
    let done = call(&[doubles(&mut given, &[1, 1])], &results, ("shift", 8), |frame| frame.stage = 0);
    assert_eq!((done, sums), (None, [5.0]));
}

#[test]
fn what_does_not_fit_is_an_error() {
    let (mut given, mut sums) = ([1.0, 2.0], [0.0; 2]);
    let whole = |given: &mut [f64], sums: &mut [f64]| ([doubles(given, &[1, 2])], [doubles(sums, &[1])]);
    let mut says = |shift, change: fn(&mut CallFrame), wanted: (c_int, &str)| {
        let (arguments, results) = whole(&mut given, &mut sums);
        let (code, text) = call(&arguments, &results, shift, change).expect("an error");
        assert!(code == wanted.0 && text.contains(wanted.1), "{code} {text}");
    };
    let (invalid, internal) = (layout::INVALID_ARGUMENT, layout::INTERNAL);
    says(("shift", 8), as_it_is, (invalid, "eight and more"));
    says(("other", 1), as_it_is, (invalid, "`shift` is missing"));
    says(("shift", 7), as_it_is, (internal, "it panicked: seven"));
    says(("shift", 1), |frame| frame.size -= 8, (internal, "the call frame has"));
    says(("shift", 1), |frame| frame.arguments.size = 8, (invalid, "8 bytes, too few"));
    says(("shift", 1), |frame| frame.results.count = -1, (invalid, "a negative length"));
    says(("shift", 1), |frame| frame.attributes.size = 8, (invalid, "8 bytes, too few"));
}

#[test]
fn arrays_that_nobody_can_read_are_errors() {
    let (mut given, mut sums) = ([1.0, 2.0], [0.0; 2]);
    let mut says = |change: fn(&mut Given), wanted: &str| {
        let (mut argument, result) = (doubles(&mut given, &[1, 2]), doubles(&mut sums, &[1]));
        change(&mut argument);
        let (_, text) = call(&[argument], &[result], ("shift", 1), as_it_is).expect("an error");
        assert!(text.contains(wanted), "{text}");
    };
    says(|array| array.kind = layout::S64, "expected arrays of real numbers, found values of XLA's type 5");
    says(|array| array.dims[0] = -1, "a negative length");
    says(|array| array.dims = vec![i64::MAX, i64::MAX], "too large");
    says(|array| array.data = array.data.wrapping_byte_add(4), "not aligned");
    says(|array| array.data = null_mut(), "not aligned");
    let mut both = [1.0, 2.0];
    let (argument, result) = (doubles(&mut both, &[1, 2]), doubles(&mut both, &[1]));
    let (_, text) = call(&[argument], &[result], ("shift", 1), as_it_is).expect("an error");
    assert!(text.contains("overlaps"), "{text}");
}

/// What the handler answers to an XLA of this minor version, with frames that are so much shorter.
fn answered(minor: Option<c_int>, shorter: usize) -> (c_int, c_int) {
    let mut metadata = Metadata { size: size_of::<Metadata>(), version: version(-1), traits: 5, state: 6 };
    let mut extension = MetadataExtension {
        extension: layout::Extension { size: 24, kind: layout::METADATA, next: null_mut() },
        metadata: &raw mut metadata,
    };
    let mut other = layout::Extension { size: 24, kind: 99, next: (&raw mut extension).cast() };
    let api = minor.map(api);
    let empty = || Buffers { size: 0, extension: null_mut(), count: 0, kinds: null(), all: null() };
    let mut frame = CallFrame {
        size: size_of::<CallFrame>() - shorter,
        extension: &raw mut other,
        api: api.as_ref().map_or(null(), |api| &raw const *api),
        context: null_mut(),
        stage: layout::EXECUTE,
        arguments: empty(),
        results: empty(),
        attributes: Attributes { size: 0, extension: null_mut(), count: 0, kinds: null(), names: null(), all: null() },
    };
    // SAFETY: the frame is whole.
    let error = unsafe { handler::<Sums>(&raw mut frame) };
    assert!(error.is_null());
    assert_eq!(metadata.traits, 0);
    // Older ones have no room for it.
    assert_eq!(metadata.state, if minor.is_some_and(|minor| minor >= 3) { 0 } else { 6 });
    (metadata.version.major, metadata.version.minor)
}

#[test]
fn the_version_is_that_of_xla_up_to_the_one_known() {
    assert_eq!(answered(None, 0), (0, layout::MINOR));
    assert_eq!(answered(Some(1), 0), (0, 1));
    assert_eq!(answered(Some(layout::MINOR + 4), 0), (0, layout::MINOR));
    // XLA refuses it.
    assert_eq!(answered(Some(layout::MINOR), 8), (0, 0));
}
