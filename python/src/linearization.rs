//! Linearised models: matrices, natural motions and responses, as arrays.

use hamel::linearize::{About, Doubt, Linearization, LinearizeError, Mode, monodromy};
use hamel::nalgebra::{Complex, DMatrix, DVector};
use hamel_jit::JitModel;
use numpy::{PyArray1, PyArray2, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;

use crate::channels;
use crate::compiled::unknown;
use crate::errors::{LinearizationError, ModelError};
use crate::model::Model;
use crate::simulation::{Input, Start, started};

type Array<'py> = Bound<'py, PyArrayDyn<f64>>;
type Names = Vec<(String, String)>;

/// What Python's class `Linearization` is made of. Complex numbers are pairs in the last axis.
#[pyclass(frozen, module = "hamel._hamel")]
pub(crate) struct Linearized {
    found: Linearization,
    modes: Vec<Mode>,
    /// Values of the inputs at its time.
    given: Vec<f64>,
}

const ABOUT: [(&str, About); 3] =
    [("equilibrium", About::Equilibrium), ("steady", About::Steady), ("state", About::State)];

#[pymethods]
impl Linearized {
    /// The linearisation of a model about what is named, from its start, at a time.
    #[staticmethod]
    fn of(
        py: Python<'_>,
        model: &Model,
        about: &str,
        inputs: Vec<(String, Input)>,
        start: Option<Start>,
        time: f64,
    ) -> PyResult<Linearized> {
        let known = ABOUT.into_iter().find(|(name, _)| *name == about);
        let (_, about) = known.ok_or_else(|| unknown("motion", about, ABOUT.map(|(name, _)| name)))?;
        let (mut state, inputs) = started(py, model, inputs, start)?;
        state.t = time;
        py.detach(|| -> PyResult<Linearized> {
            let model = inputs.connected(&linearized(model)?);
            let found = hamel::linearize(&model, &state, about).map_err(failed)?;
            let modes = found.modes().map_err(failed)?;
            let given = found.inputs.iter().map(|input| inputs.signal(&input.name));
            let given = given.map(|signal| signal.map_or(0.0, |signal| signal.value(found.state.t))).collect();
            Ok(Linearized { found, modes, given })
        })
    }

    /// Names and units of states, inputs, outputs, coordinates and velocities.
    #[getter]
    fn names(&self) -> (Names, Names, Names, Names, Names) {
        let Linearization { states, inputs, outputs, coordinates, velocities, .. } = &self.found;
        (channels(states), channels(inputs), channels(outputs), channels(coordinates), channels(velocities))
    }

    /// How many of the states are displacements.
    #[getter]
    fn displacements(&self) -> usize {
        self.found.displacements
    }

    /// Time, coordinates and velocities of the state about which.
    fn state<'py>(&self, py: Python<'py>) -> (f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>) {
        let state = &self.found.state;
        (state.t, PyArray1::from_slice(py, state.q.as_slice()), PyArray1::from_slice(py, state.v.as_slice()))
    }

    /// Why eigenvalues may not tell whether departures grow, each with whether that was to be expected.
    #[getter]
    fn doubts(&self) -> Vec<(String, bool)> {
        self.found.doubts.iter().map(|doubt| (doubt.to_string(), *doubt == Doubt::Motion)).collect()
    }

    /// Values of the inputs about which.
    fn given<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.given)
    }

    /// E, A, B, C, D, E⁻¹ A, E⁻¹ B.
    fn matrices<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyArray2<f64>>>> {
        let Linearization { e, a, b, c, d, state_matrix, input_matrix, .. } = &self.found;
        [e, a, b, c, d, state_matrix, input_matrix].into_iter().map(|matrix| real(py, matrix)).collect()
    }

    /// Eigenvalues, and shapes as columns: in states, coordinates and velocities.
    fn modes<'py>(&self, py: Python<'py>) -> PyResult<[Array<'py>; 4]> {
        let values: Vec<Complex<f64>> = self.modes.iter().map(|mode| mode.eigenvalue).collect();
        let shapes = |part: fn(&Mode) -> &DVector<Complex<f64>>, rows: usize| {
            let entries = (0..rows).flat_map(|row| self.modes.iter().map(move |mode| part(mode)[row]));
            complex(py, entries.collect(), &[rows, self.modes.len()])
        };
        let found = &self.found;
        Ok([
            complex(py, values, &[self.modes.len()])?,
            shapes(|mode| &mode.states, found.states.len())?,
            shapes(|mode| &mode.coordinates, found.coordinates.len())?,
            shapes(|mode| &mode.velocities, found.velocities.len())?,
        ])
    }

    /// By how much rounding changes each eigenvalue, at most.
    fn rounding<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.modes.iter().map(|mode| mode.rounding))
    }

    /// The response of outputs to inputs at complex frequencies.
    fn response<'py>(&self, py: Python<'py>, frequencies: Vec<(f64, f64)>) -> PyResult<Array<'py>> {
        let count = frequencies.len();
        let found = self.found.response(frequencies.into_iter().map(|(re, im)| Complex::new(re, im)));
        let (rows, columns) = (self.found.outputs.len(), self.found.inputs.len());
        let entries = found
            .iter()
            .flat_map(|matrix| (0..rows).flat_map(move |row| (0..columns).map(move |column| matrix[(row, column)])));
        complex(py, entries.collect(), &[count, rows, columns])
    }
}

/// The monodromy matrix of a motion with a period, s, and the names of its states.
#[pyfunction]
pub(crate) fn monodromy_matrix<'py>(
    py: Python<'py>,
    model: &Model,
    period: f64,
    tolerance: f64,
    inputs: Vec<(String, Input)>,
    start: Option<Start>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Names)> {
    let (state, inputs) = started(py, model, inputs, start)?;
    let found = py.detach(|| -> PyResult<_> {
        let model = inputs.connected(&linearized(model)?);
        monodromy(&model, &state, period, tolerance).map_err(failed)
    })?;
    Ok((real(py, &found.matrix)?, channels(&found.states)))
}

/// The model with the derivatives that a linearisation needs, and with the values of its parameters.
fn linearized(model: &Model) -> PyResult<JitModel> {
    let mut other = model.compiled.get().linearized().map_err(ModelError::new_err)?;
    let values: Vec<(&str, f64)> = model.model.named_parameters().collect();
    other.set(&values).map_err(|error| ModelError::new_err(error.to_string()))?;
    Ok(other)
}

fn failed(error: LinearizeError) -> PyErr {
    match error {
        LinearizeError::BadModel(error) => ModelError::new_err(error.to_string()),
        error => LinearizationError::new_err(error.to_string()),
    }
}

fn real<'py>(py: Python<'py>, matrix: &DMatrix<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = matrix.transpose();
    PyArray1::from_slice(py, rows.as_slice()).reshape([matrix.nrows(), matrix.ncols()])
}

fn complex<'py>(py: Python<'py>, values: Vec<Complex<f64>>, shape: &[usize]) -> PyResult<Array<'py>> {
    let pairs: Vec<f64> = values.iter().flat_map(|value| [value.re, value.im]).collect();
    PyArray1::from_vec(py, pairs).reshape([shape, &[2]].concat())
}
