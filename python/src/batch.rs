//! Functions of one state, on arrays of states.
//!
//! The last axis of an argument, or none of a number, belongs to one state; all axes before are of the batch, and
//! broadcast as in NumPy. Arrays of doubles in C order are read in place, everything else is converted. The interpreter
//! is released while anything larger than a few small states is computed.

use numpy::{IxDyn, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyTuple};

/// An argument by its name, with its axis for one state.
pub(crate) struct Argument<'a, 'py> {
    pub name: &'static str,
    /// Zeros if it is not given.
    pub value: Option<&'a Bound<'py, PyAny>>,
    /// Length of the last axis; `None` for a number.
    pub len: Option<usize>,
}

/// Values of an argument, in C order.
enum Values<'py> {
    Array(PyReadonlyArrayDyn<'py, f64>),
    Number([f64; 1]),
    Zeros(Vec<f64>),
}

/// Below so many values, releasing the interpreter takes longer than the computation.
const FEW_VALUES: usize = 256;

/// So many always fit into memory, or the process has other worries.
const MANY_VALUES: usize = 1 << 16;

impl<'py> Values<'py> {
    #[inline]
    fn of(argument: &Argument<'_, 'py>) -> PyResult<Self> {
        let Some(value) = argument.value else {
            return Ok(match argument.len {
                None => Values::Number([0.0]),
                Some(len) => Values::Zeros(vec![0.0; len]),
            });
        };
        // Subclasses may hide values.
        if value.is_exact_instance_of::<PyUntypedArray>()
            && let Ok(array) = value.cast::<PyArrayDyn<f64>>()
            && array.is_c_contiguous()
            && let Ok(array) = array.try_readonly()
            && array.as_slice().is_ok()
        {
            return Ok(Values::Array(array));
        }
        if argument.len.is_none()
            && let Ok(number) = value.cast_exact::<PyFloat>()
        {
            return Ok(Values::Number([number.value()]));
        }
        Values::converted(argument.name, value)
    }

    /// Anything that NumPy takes for real numbers.
    #[cold]
    fn converted(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = value.py();
        let numpy = py.import(intern!(py, "numpy"))?;
        let wrong =
            |found: &str| PyTypeError::new_err(format!("`{name}`: expected an array of real numbers, found {found}"));
        if numpy.getattr(intern!(py, "ma"))?.call_method1(intern!(py, "is_masked"), (value,))?.is_truthy()? {
            return Err(wrong("masked ones"));
        }
        let array = numpy
            .call_method1(intern!(py, "asarray"), (value,))
            .map_err(|error| wrong(&format!("what NumPy refuses: {error}")))?;
        let dtype = array.getattr(intern!(py, "dtype"))?;
        let kind: String = dtype.getattr(intern!(py, "kind"))?.extract()?;
        if !["f", "i", "u", "b"].contains(&kind.as_str()) {
            return Err(wrong(&format!("one of {dtype}")));
        }
        // A new array, in C order, aligned, of this machine's byte order.
        let array =
            array.call_method1(intern!(py, "astype"), (intern!(py, "=f8"), intern!(py, "C"), "unsafe", false))?;
        Ok(Values::Array(array.cast_into::<PyArrayDyn<f64>>()?.try_readonly()?))
    }

    /// The axes of the batch.
    ///
    /// # Errors
    /// When the last axis is not that of one state.
    #[inline]
    fn batch(&self, argument: &Argument) -> PyResult<&[usize]> {
        let Values::Array(array) = self else { return Ok(&[]) };
        let shape = array.shape();
        match (argument.len, shape.split_last()) {
            (None, _) => Ok(shape),
            (Some(len), Some((&found, batch))) if found == len => Ok(batch),
            (Some(len), _) => Err(wrong_shape(argument.name, len, shape)),
        }
    }

    #[inline]
    fn slice(&self) -> &[f64] {
        match self {
            // That it is contiguous was seen when it was taken.
            Values::Array(array) => array.as_slice().unwrap_or_default(),
            Values::Number(number) => number,
            Values::Zeros(zeros) => zeros,
        }
    }
}

#[cold]
fn wrong_shape(name: &str, len: usize, found: &[usize]) -> PyErr {
    PyValueError::new_err(format!("`{name}`: expected shape (..., {len}), found {}", written(found)))
}

/// A shape as Python writes it.
fn written(shape: &[usize]) -> String {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    if let [one] = lengths.as_slice() { format!("({one},)") } else { format!("({})", lengths.join(", ")) }
}

/// Calls a function of one state for each state of a batch; the shape of a result is that of the batch, then its own.
///
/// Results are zero before the function is called.
///
/// # Errors
/// `ValueError` for shapes that do not fit, with the name of the argument, `TypeError` for values that are no real
/// numbers.
pub(crate) fn evaluate<'py, const A: usize, const R: usize>(
    py: Python<'py>,
    arguments: [Argument<'_, 'py>; A],
    results: [&[usize]; R],
    mut function: impl FnMut([&[f64]; A], [&mut [f64]; R]) + Send,
) -> PyResult<[Bound<'py, PyArrayDyn<f64>>; R]> {
    let mut values = [const { None }; A];
    for (values, argument) in values.iter_mut().zip(&arguments) {
        *values = Some(Values::of(argument)?);
    }
    let values = values.map(|values| values.unwrap_or(Values::Number([0.0])));
    let mut batches: [&[usize]; A] = [&[]; A];
    for ((batch, values), argument) in batches.iter_mut().zip(&values).zip(&arguments) {
        *batch = values.batch(argument)?;
    }
    let slices = values.each_ref().map(Values::slice);
    if batches.iter().all(|batch| batch.is_empty()) {
        return one(py, slices, results, function);
    }
    let batch = broadcast(&arguments, &batches)?;
    let arrays = results.iter().map(|shape| zeros(py, &[&batch, *shape].concat())).collect::<PyResult<Vec<_>>>()?;
    let arrays: [_; R] = arrays.try_into().unwrap_or_else(|_| unreachable!("an array for each result"));
    let mut writers = arrays.each_ref().map(|array| array.readwrite());
    // Nobody else knows them yet, and they are new and in C order.
    let out = writers.each_mut().map(|writer| writer.as_slice_mut().unwrap_or_default());
    let sizes = results.map(|shape| shape.iter().product::<usize>());
    if sizes == [0; R] {
        return Ok(arrays);
    }
    // Something fits into memory for each.
    let n_states: usize = batch.iter().product();
    let places: [Places; A] =
        std::array::from_fn(|index| Places::new(&batch, batches[index], arguments[index].len.unwrap_or(1)));
    let work = n_states * (sizes.iter().sum::<usize>() + slices.iter().map(|slice| slice.len()).sum::<usize>());
    let all = move || {
        let mut starts = [0; R];
        let mut out = out;
        let mut call = |of_state: [&[f64]; A]| {
            let mut results = out.each_mut().map(|all| &mut **all);
            for ((result, start), size) in results.iter_mut().zip(&mut starts).zip(sizes) {
                *result = &mut std::mem::take(result)[*start..][..size];
                *start += size;
            }
            function(of_state, results);
        };
        // Where states follow each other, their places need not be computed.
        if let Some(mut cursors) = even(&places) {
            for _ in 0..n_states {
                call(std::array::from_fn(|index| {
                    let (start, stride, len) = &mut cursors[index];
                    let values = &slices[index][*start..][..*len];
                    *start += *stride;
                    values
                }));
            }
            return;
        }
        for state in 0..n_states {
            call(std::array::from_fn(|index| places[index].of(state, slices[index])));
        }
    };
    if work < FEW_VALUES {
        all()
    } else {
        py.detach(all)
    }
    drop(writers);
    Ok(arrays)
}

/// An array of zeros; what does not fit into memory is an error of NumPy.
fn zeros<'py>(py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let len = shape.iter().try_fold(1_usize, |len, &axis| len.checked_mul(axis));
    if len.is_some_and(|len| len <= MANY_VALUES) {
        return Ok(PyArrayDyn::zeros(py, IxDyn(shape), false));
    }
    let array = py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "zeros"), (PyTuple::new(py, shape)?,))?;
    Ok(array.cast_into::<PyArrayDyn<f64>>()?)
}

/// The same for one state.
#[inline]
fn one<'py, const A: usize, const R: usize>(
    py: Python<'py>,
    slices: [&[f64]; A],
    results: [&[usize]; R],
    mut function: impl FnMut([&[f64]; A], [&mut [f64]; R]) + Send,
) -> PyResult<[Bound<'py, PyArrayDyn<f64>>; R]> {
    let arrays = results.map(|shape| PyArrayDyn::zeros(py, IxDyn(shape), false));
    let mut writers = arrays.each_ref().map(|array| array.readwrite());
    let out = writers.each_mut().map(|writer| writer.as_slice_mut().unwrap_or_default());
    let work: usize =
        out.iter().map(|out| out.len()).sum::<usize>() + slices.iter().map(|slice| slice.len()).sum::<usize>();
    if work < FEW_VALUES {
        function(slices, out)
    } else {
        py.detach(move || function(slices, out))
    }
    drop(writers);
    Ok(arrays)
}

/// The axes of all batches together: an axis of length one, or none, has all lengths.
fn broadcast(arguments: &[Argument], batches: &[&[usize]]) -> PyResult<Vec<usize>> {
    let mut all: Vec<usize> = Vec::new();
    for (argument, batch) in arguments.iter().zip(batches) {
        if batch.len() > all.len() {
            all.splice(0..0, std::iter::repeat_n(1, batch.len() - all.len()));
        }
        let first = all.len() - batch.len();
        let wrong = all[first..].iter().zip(*batch).any(|(&known, &len)| known != len && known != 1 && len != 1);
        if wrong {
            let (expected, found) = match argument.len {
                None => (written(&all), written(batch)),
                Some(len) => (written(&[&all[..], &[len]].concat()), written(&[batch, &[len][..]].concat())),
            };
            return Err(PyValueError::new_err(format!(
                "`{}`: expected a shape that broadcasts with {expected}, found {found}",
                argument.name
            )));
        }
        for (known, &len) in all[first..].iter_mut().zip(*batch) {
            if *known == 1 {
                *known = len;
            }
        }
    }
    Ok(all)
}

/// Where the values of a state begin.
pub(crate) enum Places {
    /// At a multiple of its number: of as many values as a state has, or of none if it is the same for all.
    Even { len: usize, stride: usize },
    /// By the axes of the batch, the last first: their lengths and strides.
    Axes { len: usize, axes: Vec<(usize, usize)> },
}

/// Start, stride and length of each, if all are even.
fn even<const A: usize>(places: &[Places; A]) -> Option<[(usize, usize, usize); A]> {
    let mut cursors = [(0, 0, 0); A];
    for (cursor, places) in cursors.iter_mut().zip(places) {
        let Places::Even { len, stride } = *places else { return None };
        *cursor = (0, stride, len);
    }
    Some(cursors)
}

impl Places {
    pub fn new(all: &[usize], own: &[usize], len: usize) -> Places {
        if own == all {
            return Places::Even { len, stride: len };
        }
        if own.iter().all(|&axis| axis == 1) {
            return Places::Even { len, stride: 0 };
        }
        let (mut stride, mut axes) = (len, Vec::new());
        for (place, &axis) in all.iter().rev().enumerate() {
            let own = if place < own.len() { own[own.len() - 1 - place] } else { 1 };
            axes.push((axis, if own == 1 { 0 } else { stride }));
            stride *= own;
        }
        Places::Axes { len, axes }
    }

    #[inline]
    pub fn of<'a, T>(&self, state: usize, values: &'a [T]) -> &'a [T] {
        match self {
            Places::Even { len, stride } => &values[state * stride..][..*len],
            Places::Axes { len, axes } => {
                let (mut rest, mut start) = (state, 0);
                for (axis, stride) in axes {
                    start += rest % axis * stride;
                    rest /= axis;
                }
                &values[start..][..*len]
            }
        }
    }
}
