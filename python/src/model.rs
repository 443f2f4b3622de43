//! A model with values of its parameters, whose functions take arrays of states.

use std::sync::OnceLock;

use hamel::configuration::velocity_map_apply;
use hamel::{ForwardDynamics, Model as _, SparsityPattern, State, StepError};
use hamel_jit::{Instant, JitModel};
use numpy::{PyArray1, PyArrayDyn};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::batch::{Argument, evaluate};
use crate::compiled::Compiled;
use crate::errors::{ModelError, SimulationError};
use crate::simulation::{Controlled, Input, Plan, Run, Settings, Start, Watched, initial_state, simulate};
use crate::{channels, compiled_calls, inputs, parameters};

/// What Python's class `Model` is made of.
#[pyclass(subclass, frozen, module = "hamel._hamel")]
pub(crate) struct Model {
    pub model: JitModel,
    pub compiled: Py<Compiled>,
    sizes: Sizes,
    mass_matrix: Dense,
    constraint_jacobian: Dense,
    contact_jacobian: Dense,
    damping: Dense,
    stiffness: Dense,
    has_inverse_dynamics: bool,
    /// Its number among the models that JAX was given.
    number: OnceLock<usize>,
}

#[derive(Clone, Copy)]
struct Sizes {
    nq: usize,
    nv: usize,
    nc: usize,
    contacts: usize,
    inputs: usize,
    outputs: usize,
}

/// Where the values of a pattern stand in a matrix, row by row.
struct Dense {
    places: Vec<usize>,
    shape: [usize; 2],
}

impl Dense {
    fn new(pattern: &SparsityPattern) -> Dense {
        let (rows, columns) = (pattern.rows, pattern.columns);
        let of_column = |column: usize| {
            let entries = pattern.column(column);
            pattern.row_indices()[entries].iter().map(move |&row| row as usize * columns + column)
        };
        Dense { places: (0..columns).flat_map(of_column).collect(), shape: [rows, columns] }
    }

    /// Writes values of the pattern to a matrix of zeros.
    fn write(&self, values: &[f64], matrix: &mut [f64]) {
        for (&place, &value) in self.places.iter().zip(values) {
            matrix[place] = value;
        }
    }

    fn room(&self) -> Vec<f64> {
        vec![0.0; self.places.len()]
    }
}

type Array<'py> = Bound<'py, PyArrayDyn<f64>>;
type Given<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

fn argument<'a, 'py>(name: &'static str, value: &'a Bound<'py, PyAny>, len: usize) -> Argument<'a, 'py> {
    Argument { name, value: Some(value), len: Some(len) }
}

fn optional<'a, 'py>(name: &'static str, value: Given<'a, 'py>, len: usize) -> Argument<'a, 'py> {
    Argument { name, value: value.filter(|value| !value.is_none()), len: Some(len) }
}

impl Model {
    fn time<'a, 'py>(&self, t: Given<'a, 'py>) -> Argument<'a, 'py> {
        Argument { name: "t", value: t, len: None }
    }

    fn inputs<'a, 'py>(&self, inputs: Given<'a, 'py>) -> Argument<'a, 'py> {
        optional("inputs", inputs, self.sizes.inputs)
    }

    fn q<'a, 'py>(&self, q: &'a Bound<'py, PyAny>) -> Argument<'a, 'py> {
        argument("q", q, self.sizes.nq)
    }

    fn v<'a, 'py>(&self, v: &'a Bound<'py, PyAny>) -> Argument<'a, 'py> {
        argument("v", v, self.sizes.nv)
    }

    fn require(&self, function: &str) -> PyResult<()> {
        if self.model.provides(function) {
            return Ok(());
        }
        let name = &self.model.describe().name;
        let help = match self.sizes.nc {
            0 => {
                format!("write `provide {function};` in its text, if it is a tree of rigid bodies in joint coordinates")
            }
            _ => "models with constraints have `acceleration(q, v, tau=tau)` and `residual(q, v, a, multipliers)`"
                .to_owned(),
        };
        Err(ModelError::new_err(format!("`{name}` has no `{function}`\nhelp: {help}")))
    }

    /// A function of time and coordinates, `results` of the lengths given.
    fn of_position<'py, const R: usize>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        t: Given<'_, 'py>,
        values: Given<'_, 'py>,
        results: [&[usize]; R],
        mut function: impl FnMut(f64, &[f64], [&mut [f64]; R]) + Send,
    ) -> PyResult<[Array<'py>; R]> {
        evaluate(py, [self.q(q), self.time(t), self.inputs(values)], results, |[q, t, values], results| {
            inputs::set(values);
            function(t[0], q, results);
        })
    }

    /// A function of time, coordinates and velocities.
    fn of_motion<'py, const R: usize>(
        &self,
        py: Python<'py>,
        (q, v): (&Bound<'py, PyAny>, &Bound<'py, PyAny>),
        t: Given<'_, 'py>,
        values: Given<'_, 'py>,
        results: [&[usize]; R],
        mut function: impl FnMut(f64, &[f64], &[f64], [&mut [f64]; R]) + Send,
    ) -> PyResult<[Array<'py>; R]> {
        let arguments = [self.q(q), self.v(v), self.time(t), self.inputs(values)];
        evaluate(py, arguments, results, |[q, v, t, values], results| {
            inputs::set(values);
            function(t[0], q, v, results);
        })
    }

    /// A function that reads a whole state, `results` of the lengths given.
    #[expect(clippy::too_many_arguments, reason = "they are those of the function in Python")]
    fn of_state<'py, const R: usize>(
        &self,
        py: Python<'py>,
        (q, v): (&Bound<'py, PyAny>, &Bound<'py, PyAny>),
        (a, multipliers): (Given<'_, 'py>, Given<'_, 'py>),
        t: Given<'_, 'py>,
        values: Given<'_, 'py>,
        results: [&[usize]; R],
        mut function: impl FnMut(&State, [&mut [f64]; R]) + Send,
    ) -> PyResult<[Array<'py>; R]> {
        let Sizes { nv, nc, .. } = self.sizes;
        let mut state = State::zeros(self.model.dims());
        let arguments = [
            self.q(q),
            self.v(v),
            optional("a", a, nv),
            optional("multipliers", multipliers, nc),
            self.time(t),
            self.inputs(values),
        ];
        evaluate(py, arguments, results, |[q, v, a, multipliers, t, values], results| {
            inputs::set(values);
            state.t = t[0];
            state.q.as_mut_slice().copy_from_slice(q);
            state.v.as_mut_slice().copy_from_slice(v);
            state.a.as_mut_slice().copy_from_slice(a);
            state.lambda.as_mut_slice().copy_from_slice(multipliers);
            function(&state, results);
        })
    }
}

impl Model {
    /// What elimination finds of states under forces.
    fn of_forces<'py, const R: usize>(
        &self,
        py: Python<'py>,
        (q, v, tau): (&Bound<'py, PyAny>, &Bound<'py, PyAny>, Given<'_, 'py>),
        t: Given<'_, 'py>,
        values: Given<'_, 'py>,
        results: [&[usize]; R],
        mut function: impl FnMut(&mut State, &[f64], [&mut [f64]; R]) -> Result<(), StepError> + Send,
    ) -> PyResult<[Array<'py>; R]> {
        let mut state = State::zeros(self.model.dims());
        let mut failure = None;
        let arguments = [self.q(q), self.v(v), optional("tau", tau, self.sizes.nv), self.time(t), self.inputs(values)];
        let arrays = evaluate(py, arguments, results, |[q, v, tau, t, values], results| {
            inputs::set(values);
            state.t = t[0];
            state.q.as_mut_slice().copy_from_slice(q);
            state.v.as_mut_slice().copy_from_slice(v);
            if let Err(error) = function(&mut state, tau, results) {
                failure = failure.take().or(Some(error));
            }
        })?;
        match failure {
            None => Ok(arrays),
            Some(error) => Err(SimulationError::new_err(error.to_string())),
        }
    }
}

/// Name, frame, what it computes, what it is given, and results with their shapes.
type Provided = (String, Option<String>, String, Vec<String>, Vec<(String, Vec<usize>)>);

/// What a function on request is given.
struct OfProvided<'a, 'py> {
    place: usize,
    q: &'a Bound<'py, PyAny>,
    v: Given<'a, 'py>,
    a: Given<'a, 'py>,
    tau: Given<'a, 'py>,
    w: Given<'a, 'py>,
    t: Given<'a, 'py>,
    inputs: Given<'a, 'py>,
}

impl Model {
    fn evaluate_provided<'py, const R: usize>(
        &self,
        py: Python<'py>,
        of: &OfProvided<'_, 'py>,
        results: [&[usize]; R],
    ) -> PyResult<Vec<Array<'py>>> {
        let nv = self.sizes.nv;
        let arguments = [
            self.q(of.q),
            optional("v", of.v, nv),
            optional("a", of.a, nv),
            optional("tau", of.tau, nv),
            optional("w", of.w, nv),
            self.time(of.t),
            self.inputs(of.inputs),
        ];
        let place = of.place;
        let arrays = evaluate(py, arguments, results, |[q, v, a, tau, w, t, values], results| {
            inputs::set(values);
            self.model.evaluate_provided(place, &Instant { t: t[0], q, v, a, tau, w }, results);
        })?;
        Ok(arrays.into())
    }
}

#[pymethods]
impl Model {
    #[new]
    #[pyo3(signature = (compiled, parameters = Vec::new()))]
    fn new(py: Python<'_>, compiled: Py<Compiled>, parameters: Vec<(String, f64)>) -> PyResult<Model> {
        let mut model = compiled.bind(py).get().model.another();
        model.set(&parameters).map_err(|error| ModelError::new_err(error.to_string()))?;
        model.validate().map_err(|error| ModelError::new_err(error.to_string()))?;
        inputs::connect(&mut model);
        let info = model.describe();
        let dims = model.dims();
        Ok(Model {
            sizes: Sizes {
                nq: dims.nq,
                nv: dims.nv,
                nc: dims.nc,
                contacts: info.contacts.len(),
                inputs: info.inputs.len(),
                outputs: info.outputs.len(),
            },
            mass_matrix: Dense::new(&info.mass_matrix),
            constraint_jacobian: Dense::new(&info.constraint_jacobian),
            contact_jacobian: Dense::new(&info.contact_jacobian),
            damping: Dense::new(&info.damping),
            stiffness: Dense::new(&info.stiffness),
            has_inverse_dynamics: model.provides("inverse_dynamics"),
            number: OnceLock::new(),
            compiled,
            model,
        })
    }

    #[getter]
    fn _compiled(&self, py: Python<'_>) -> Py<Compiled> {
        self.compiled.clone_ref(py)
    }

    /// Name of the model.
    #[getter]
    fn name(&self) -> &str {
        &self.model.describe().name
    }

    /// The comment that documents the model.
    #[getter]
    fn doc(&self) -> &str {
        &self.model.describe().doc
    }

    #[getter]
    fn _parameters(&self) -> Vec<(String, String, f64)> {
        parameters(&self.model)
    }

    /// Names and units of each list of channels.
    fn _channels(&self, what: &str) -> PyResult<Vec<(String, String)>> {
        let info = self.model.describe();
        Ok(match what {
            "coordinates" => channels(&info.coordinates),
            "velocities" => channels(&info.velocities),
            "constraints" => channels(&info.constraints),
            "outputs" => channels(&info.outputs),
            "inputs" => channels(&info.inputs),
            "contacts" => info.contacts.iter().map(|contact| (contact.name.clone(), contact.unit.clone())).collect(),
            _ => return Err(crate::compiled::unknown("list", what, ["coordinates", "velocities"])),
        })
    }

    /// Limits: the places of a coordinate and of its velocity, range, velocity, effort.
    #[getter]
    #[expect(clippy::type_complexity, reason = "a tuple in Python")]
    fn _limits(&self) -> Vec<(usize, usize, Option<[f64; 2]>, Option<f64>, Option<f64>)> {
        let limits = self.model.describe().limits.iter();
        limits.map(|known| (known.coordinate, known.velocity, known.range, known.speed, known.effort)).collect()
    }

    /// Operation counts: name, as derived, shared, simplified.
    #[getter]
    fn _functions(&self) -> Vec<(String, u64, u64, u64)> {
        let functions = self.model.describe().functions.iter();
        functions.map(|known| (known.name.clone(), known.derived, known.shared, known.simplified)).collect()
    }

    /// Kinds of the blocks of coordinates, with how many coordinates and velocities each has.
    #[getter]
    fn _blocks(&self) -> Vec<(&'static str, usize, usize)> {
        let kind = |block: &hamel::Block| match block {
            hamel::Block::Vector { .. } => "vector",
            hamel::Block::EulerParameters => "euler_parameters",
            hamel::Block::Rotation(hamel::Attitude::EulerParameters) => "rotation",
            hamel::Block::Rotation(hamel::Attitude::EulerAngles) => "rotation_by_angles",
            hamel::Block::Pose(hamel::Attitude::EulerParameters) => "pose",
            hamel::Block::Pose(hamel::Attitude::EulerAngles) => "pose_by_angles",
        };
        let blocks = self.model.describe().blocks.iter();
        blocks.map(|block| (kind(block), block.sizes().0, block.sizes().1)).collect()
    }

    /// The functions that the model provides: name, frame, what it computes, what it is given,
    /// results with their shapes.
    #[getter]
    fn _provided(&self) -> Vec<Provided> {
        let provided = self.model.provided().iter().cloned();
        provided.map(|known| (known.name, known.frame, known.doc, known.given, known.results)).collect()
    }

    /// Evaluates a function by its place in `_provided`.
    #[pyo3(signature = (place, q, v, a, tau, w, t, inputs))]
    #[expect(clippy::too_many_arguments, reason = "they are those of all functions")]
    fn _evaluate_provided<'py>(
        &self,
        py: Python<'py>,
        place: usize,
        q: &Bound<'py, PyAny>,
        v: Option<&Bound<'py, PyAny>>,
        a: Option<&Bound<'py, PyAny>>,
        tau: Option<&Bound<'py, PyAny>>,
        w: Option<&Bound<'py, PyAny>>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Array<'py>>> {
        let Some(function) = self.model.provided().get(place) else {
            return Err(PyIndexError::new_err("no function has this place"));
        };
        let shapes: Vec<&[usize]> = function.results.iter().map(|(_, shape)| shape.as_slice()).collect();
        let of = OfProvided { place, q, v, a, tau, w, t, inputs };
        match *shapes.as_slice() {
            [one] => self.evaluate_provided(py, &of, [one]),
            [one, two] => self.evaluate_provided(py, &of, [one, two]),
            [one, two, three] => self.evaluate_provided(py, &of, [one, two, three]),
            [one, two, three, four] => self.evaluate_provided(py, &of, [one, two, three, four]),
            _ => unreachable!("no function has more results"),
        }
    }

    /// The number by which programs that JAX has compiled name this model, which is kept from now on.
    #[getter]
    fn _number_for_xla(&self) -> usize {
        *self.number.get_or_init(|| {
            let mut model = self.model.another();
            inputs::connect(&mut model);
            compiled_calls::keep(model)
        })
    }

    /// Whether the model provides a function, such as `forward_dynamics`.
    fn provides(&self, function: &str) -> bool {
        self.model.provides(function)
    }

    /// Coordinates and velocities of the start.
    fn _initial_state<'py>(
        &self,
        py: Python<'py>,
        inputs: Vec<(String, Input)>,
        start: Option<Start>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let State { q, v, .. } = initial_state(py, self, inputs, start)?;
        Ok((PyArray1::from_slice(py, q.as_slice()), PyArray1::from_slice(py, v.as_slice())))
    }

    /// Integrates.
    fn _simulate(
        &self,
        py: Python<'_>,
        scheme: Option<&str>,
        scheme_parameters: Vec<(String, f64)>,
        times: (f64, Option<f64>, Option<f64>),
        inputs: Vec<(String, Input)>,
        start: Option<Start>,
        events: Vec<Watched>,
        controllers: Vec<Controlled>,
        record_every: Option<usize>,
        settings: Settings,
    ) -> PyResult<Run> {
        let (until, dt, tolerance) = times;
        let plan = Plan { scheme, scheme_parameters, until, dt, tolerance, record_every, settings };
        simulate(py, self, plan, inputs, start, (events, controllers))
    }

    /// Rates of the coordinates, q̇ = N(q) v.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    ///
    /// Returns
    /// -------
    /// array (..., nq)
    ///     In the units of `coordinates` per s.
    #[pyo3(signature = (q, v))]
    fn coordinate_rates<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<Array<'py>> {
        let blocks = &self.model.describe().blocks;
        let [rates] = evaluate(py, [self.q(q), self.v(v)], [&[self.sizes.nq]], |[q, v], [out]| {
            velocity_map_apply(blocks, q, v, out);
        })?;
        Ok(rates)
    }

    /// Mass matrix M(q).
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates, in the units of `coordinates`.
    ///
    /// Returns
    /// -------
    /// array (..., nv, nv)
    ///     In kg, kg m or kg m^2, by the units of the velocities of row and column.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If a shape does not fit; so do all functions. `TypeError` if values are no real numbers.
    #[pyo3(signature = (q))]
    fn mass_matrix<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Array<'py>> {
        let mut room = self.mass_matrix.room();
        let [matrix] = evaluate(py, [self.q(q)], [&self.mass_matrix.shape], |[q], [out]| {
            self.model.mass_matrix(q, &mut room);
            self.mass_matrix.write(&room, out);
        })?;
        Ok(matrix)
    }

    /// Bias force h(q, v): what of the inertial forces is left without accelerations.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    ///
    /// Returns
    /// -------
    /// array (..., nv)
    ///     In N or N m.
    #[pyo3(signature = (q, v))]
    fn bias_force<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>, v: &Bound<'py, PyAny>) -> PyResult<Array<'py>> {
        let [force] = evaluate(py, [self.q(q), self.v(v)], [&[self.sizes.nv]], |[q, v], [out]| {
            self.model.bias_force(q, v, out);
        })?;
        Ok(force)
    }

    /// Applied force f(t, q, v): gravity, springs, dampers, everything that is no constraint.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs, in the units of `inputs`.
    ///
    /// Returns
    /// -------
    /// array (..., nv)
    ///     In N or N m.
    #[pyo3(signature = (q, v, t = None, inputs = None))]
    fn applied_force<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        let force = |t, q: &[f64], v: &[f64], [out]: [&mut [f64]; 1]| self.model.applied_force(t, q, v, out);
        let [force] = self.of_motion(py, (q, v), t, inputs, [&[self.sizes.nv]], force)?;
        Ok(force)
    }

    /// Constraints g(t, q), zero where the model is assembled; those on velocities are zero always.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// array (..., nc)
    ///     In the units of `constraints`.
    #[pyo3(signature = (q, t = None, inputs = None))]
    fn constraint<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        let constraint = |t, q: &[f64], [out]: [&mut [f64]; 1]| self.model.constraint(t, q, out);
        let [constraint] = self.of_position(py, q, t, inputs, [&[self.sizes.nc]], constraint)?;
        Ok(constraint)
    }

    /// Jacobian G(t, q) = (∂g/∂q) N of the constraints, with respect to the velocities.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// array (..., nc, nv)
    ///     Units of constraints by those of coordinates.
    #[pyo3(signature = (q, t = None, inputs = None))]
    fn constraint_jacobian<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        let mut room = self.constraint_jacobian.room();
        let jacobian = |t, q: &[f64], [out]: [&mut [f64]; 1]| {
            self.model.constraint_jacobian(t, q, &mut room);
            self.constraint_jacobian.write(&room, out);
        };
        let [jacobian] = self.of_position(py, q, t, inputs, [&self.constraint_jacobian.shape], jacobian)?;
        Ok(jacobian)
    }

    /// What the rates of the constraints have without the highest derivative: ġ = G v + rate, g̈ = G a + acceleration.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// (array (..., nc), array (..., nc))
    ///     Units of constraints per s and per s^2; of a constraint on velocities, that of ġ and its rate.
    #[pyo3(signature = (q, v, t = None, inputs = None))]
    fn constraint_bias<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Array<'py>, Array<'py>)> {
        let shape = [self.sizes.nc];
        let bias = |t, q: &[f64], v: &[f64], [rate, acceleration]: [&mut [f64]; 2]| {
            self.model.constraint_bias(t, q, v, rate, acceleration);
        };
        let [rate, acceleration] = self.of_motion(py, (q, v), t, inputs, [&shape, &shape], bias)?;
        Ok((rate, acceleration))
    }

    /// Gaps of the contacts, open when positive.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// array (..., number of contacts)
    ///     In the units of `contacts`.
    #[pyo3(signature = (q, t = None, inputs = None))]
    fn contact_gap<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        let gap = |t, q: &[f64], [out]: [&mut [f64]; 1]| self.model.contact_gap(t, q, out);
        let [gap] = self.of_position(py, q, t, inputs, [&[self.sizes.contacts]], gap)?;
        Ok(gap)
    }

    /// Transposed directions of the contacts, W(t, q)ᵀ: contact by contact the gradient of its gap, then its directions
    /// of slip, with respect to the velocities.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// array (..., directions, nv)
    ///     Units of gaps by those of coordinates.
    #[pyo3(signature = (q, t = None, inputs = None))]
    fn contact_jacobian<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        let mut room = self.contact_jacobian.room();
        let jacobian = |t, q: &[f64], [out]: [&mut [f64]; 1]| {
            self.model.contact_jacobian(t, q, &mut room);
            self.contact_jacobian.write(&room, out);
        };
        let [jacobian] = self.of_position(py, q, t, inputs, [&self.contact_jacobian.shape], jacobian)?;
        Ok(jacobian)
    }

    /// Kinetic and potential energy.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// (array (...), array (...))
    ///     Kinetic energy, and that of gravity and springs, J.
    #[pyo3(signature = (q, v, t = None, inputs = None))]
    fn energy<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Array<'py>, Array<'py>)> {
        let energy = |t, q: &[f64], v: &[f64], [kinetic, potential]: [&mut [f64]; 2]| {
            let energy = self.model.energy(t, q, v);
            (kinetic[0], potential[0]) = (energy.kinetic, energy.potential);
        };
        let [kinetic, potential] = self.of_motion(py, (q, v), t, inputs, [&[], &[]], energy)?;
        Ok((kinetic, potential))
    }

    /// Power of everything that changes the energy, but for constraints and contacts.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// array (...) or None
    ///     In W; None if it is not known, as when a potential depends on an input.
    #[pyo3(signature = (q, v, t = None, inputs = None))]
    fn power<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Array<'py>>> {
        let mut is_known = true;
        let power = |t, q: &[f64], v: &[f64], [out]: [&mut [f64]; 1]| match self.model.power(t, q, v) {
            Some(power) => out[0] = power,
            None => is_known = false,
        };
        let [power] = self.of_motion(py, (q, v), t, inputs, [&[]], power)?;
        Ok(is_known.then_some(power))
    }

    /// Outputs of the model, in the order of `outputs`.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    /// a : array (..., nv), default 0
    ///     Accelerations.
    /// multipliers : array (..., nc), default 0
    ///     Multipliers of the constraints.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// array (..., number of outputs)
    ///     In the units of `outputs`.
    #[pyo3(signature = (q, v, a = None, multipliers = None, t = None, inputs = None))]
    fn output_values<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        a: Option<&Bound<'py, PyAny>>,
        multipliers: Option<&Bound<'py, PyAny>>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        let outputs = |state: &State, [out]: [&mut [f64]; 1]| self.model.outputs(state, out);
        let [values] = self.of_state(py, (q, v), (a, multipliers), t, inputs, [&[self.sizes.outputs]], outputs)?;
        Ok(values)
    }

    /// Residuals of the equations of motion, r = M a + h − f − Gᵀ λ, and of the constraints, g.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    /// a : array (..., nv), default 0
    ///     Accelerations.
    /// multipliers : array (..., nc), default 0
    ///     Multipliers of the constraints.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// (array (..., nv), array (..., nc))
    ///     r in N or N m, g in the units of `constraints`; of constraints on velocities A v + b.
    #[pyo3(signature = (q, v, a = None, multipliers = None, t = None, inputs = None))]
    fn residual<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        a: Option<&Bound<'py, PyAny>>,
        multipliers: Option<&Bound<'py, PyAny>>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Array<'py>, Array<'py>)> {
        let (nv, nc) = ([self.sizes.nv], [self.sizes.nc]);
        let residual = |state: &State, [r, g]: [&mut [f64]; 2]| self.model.residual(state, r, g);
        let [r, g] = self.of_state(py, (q, v), (a, multipliers), t, inputs, [&nv, &nc], residual)?;
        Ok((r, g))
    }

    /// Damping ∂r/∂v, the derivative of the residual with respect to the velocities.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    /// a : array (..., nv), default 0
    ///     Accelerations.
    /// multipliers : array (..., nc), default 0
    ///     Multipliers of the constraints.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// array (..., nv, nv)
    ///     In N s/m and the like.
    #[pyo3(signature = (q, v, a = None, multipliers = None, t = None, inputs = None))]
    fn damping<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        a: Option<&Bound<'py, PyAny>>,
        multipliers: Option<&Bound<'py, PyAny>>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        let mut room = self.damping.room();
        let damping = |state: &State, [out]: [&mut [f64]; 1]| {
            self.model.damping(state, &mut room);
            self.damping.write(&room, out);
        };
        let [matrix] = self.of_state(py, (q, v), (a, multipliers), t, inputs, [&self.damping.shape], damping)?;
        Ok(matrix)
    }

    /// Stiffness (∂r/∂q) N, the derivative of the residual along the directions of the velocities.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    /// a : array (..., nv), default 0
    ///     Accelerations.
    /// multipliers : array (..., nc), default 0
    ///     Multipliers of the constraints.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// array (..., nv, nv)
    ///     In N/m and the like.
    #[pyo3(signature = (q, v, a = None, multipliers = None, t = None, inputs = None))]
    fn stiffness<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        a: Option<&Bound<'py, PyAny>>,
        multipliers: Option<&Bound<'py, PyAny>>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        let mut room = self.stiffness.room();
        let stiffness = |state: &State, [out]: [&mut [f64]; 1]| {
            self.model.stiffness(state, &mut room);
            self.stiffness.write(&room, out);
        };
        let [matrix] = self.of_state(py, (q, v), (a, multipliers), t, inputs, [&self.stiffness.shape], stiffness)?;
        Ok(matrix)
    }

    /// Accelerations and multipliers that obey the equations of motion; of any model, by elimination.
    ///
    /// Contacts exert no force. Redundant constraints are left out; the multipliers are those of least norm.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    /// tau : array (..., nv), default 0
    ///     Forces on the directions of the velocities, N or N m, beside those of the model.
    ///
    /// Returns
    /// -------
    /// (array (..., nv), array (..., nc))
    ///     Accelerations, in the units of `velocities` per s, and multipliers.
    ///
    /// Raises
    /// ------
    /// SimulationError
    ///     If a state has no accelerations, as where the mass matrix is singular.
    #[pyo3(signature = (q, v, t = None, inputs = None, tau = None))]
    fn acceleration<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
        tau: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Array<'py>, Array<'py>)> {
        let (nv, nc) = ([self.sizes.nv], [self.sizes.nc]);
        let is_driven = tau.is_some();
        let solve = |state: &mut State, tau: &[f64], [a, multipliers]: [&mut [f64]; 2]| {
            if is_driven {
                ForwardDynamics::new(&self.model, state)?.solve(state, tau)?;
                hamel::least_norm_multipliers(&self.model, state);
            } else {
                hamel::consistent_acceleration(&self.model, state)?;
            }
            a.copy_from_slice(state.a.as_slice());
            multipliers.copy_from_slice(state.lambda.as_slice());
            Ok(())
        };
        let [a, multipliers] = self.of_forces(py, (q, v, tau), t, inputs, [&nv, &nc], solve)?;
        Ok((a, multipliers))
    }

    /// Derivatives of `acceleration` by q, v and tau, then those of the multipliers.
    #[pyo3(signature = (q, v, tau = None, t = None, inputs = None))]
    fn _derivatives_of_acceleration<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        tau: Option<&Bound<'py, PyAny>>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<[Array<'py>; 6]> {
        let function = "constraint_acceleration_derivatives";
        if self.sizes.nc > 0 && !self.model.provides(function) {
            let name = &self.model.describe().name;
            let help = format!("write `provide {function};` in its text, if it is in joint coordinates");
            return Err(ModelError::new_err(format!("`{name}` has no `{function}`\nhelp: {help}")));
        }
        let (square, flat) = ([self.sizes.nv, self.sizes.nv], [self.sizes.nc, self.sizes.nv]);
        let solve = |state: &mut State, tau: &[f64], results: [&mut [f64]; 6]| {
            let Some(found) = ForwardDynamics::new(&self.model, state)?.derivatives(state, tau)? else { return Ok(()) };
            let all =
                [found.a_by_q, found.a_by_v, found.a_by_tau, found.lambda_by_q, found.lambda_by_v, found.lambda_by_tau];
            for (result, matrix) in results.into_iter().zip(all) {
                // Row by row.
                result.copy_from_slice(matrix.transpose().as_slice());
            }
            Ok(())
        };
        let shapes: [&[usize]; 6] = [&square, &square, &square, &flat, &flat, &flat];
        self.of_forces(py, (q, v, tau), t, inputs, shapes, solve)
    }

    /// h − f, the force that keeps the accelerations at zero; of models that `provide nonlinear_effects`.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// array (..., nv)
    ///     In N or N m.
    #[pyo3(signature = (q, v, t = None, inputs = None))]
    fn nonlinear_effects<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        self.require("nonlinear_effects")?;
        let force = |t, q: &[f64], v: &[f64], [out]: [&mut [f64]; 1]| self.model.nonlinear_effects(t, q, v, out);
        let [force] = self.of_motion(py, (q, v), t, inputs, [&[self.sizes.nv]], force)?;
        Ok(force)
    }

    /// Inverse dynamics: the force τ = M a + h − f that is to be added for these accelerations.
    ///
    /// Models that do not `provide inverse_dynamics` compute it from their residual, without forces of constraints.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    /// a : array (..., nv)
    ///     Accelerations.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// array (..., nv)
    ///     In N or N m.
    #[pyo3(signature = (q, v, a, t = None, inputs = None))]
    fn inverse_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        a: &Bound<'py, PyAny>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        if !self.has_inverse_dynamics {
            return Ok(self.residual(py, q, v, Some(a), None, t, inputs)?.0);
        }
        let arguments = [self.q(q), self.v(v), argument("a", a, self.sizes.nv), self.time(t), self.inputs(inputs)];
        let [force] = evaluate(py, arguments, [&[self.sizes.nv]], |[q, v, a, t, values], [out]| {
            inputs::set(values);
            self.model.inverse_dynamics(t[0], q, v, a, out);
        })?;
        Ok(force)
    }

    /// Forward dynamics: the accelerations a = M⁻¹ (τ − h + f); of trees of rigid bodies in joint coordinates.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    /// tau : array (..., nv), default 0
    ///     Forces along the velocities, N or N m, beside those of the model.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// array (..., nv)
    ///     In the units of `velocities` per s.
    ///
    /// Raises
    /// ------
    /// ModelError
    ///     If the model does not have it; `acceleration` is for any model.
    #[pyo3(signature = (q, v, tau = None, t = None, inputs = None))]
    fn forward_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        tau: Option<&Bound<'py, PyAny>>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py>> {
        self.require("forward_dynamics")?;
        let arguments = [self.q(q), self.v(v), optional("tau", tau, self.sizes.nv), self.time(t), self.inputs(inputs)];
        let [a] = evaluate(py, arguments, [&[self.sizes.nv]], |[q, v, tau, t, values], [out]| {
            inputs::set(values);
            self.model.forward_dynamics(t[0], q, v, tau, out);
        })?;
        Ok(a)
    }

    /// Derivatives of inverse dynamics: (∂τ/∂q) N, ∂τ/∂v and M; of models that `provide inverse_dynamics_derivatives`.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    /// a : array (..., nv)
    ///     Accelerations.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// (array (..., nv, nv), array (..., nv, nv), array (..., nv, nv))
    ///     Units of forces by those of coordinates, velocities and accelerations.
    #[pyo3(signature = (q, v, a, t = None, inputs = None))]
    fn inverse_dynamics_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        a: &Bound<'py, PyAny>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
        self.require("inverse_dynamics_derivatives")?;
        let shape = [self.sizes.nv; 2];
        let arguments = [self.q(q), self.v(v), argument("a", a, self.sizes.nv), self.time(t), self.inputs(inputs)];
        let [of_q, of_v, of_a] = evaluate(py, arguments, [&shape; 3], |[q, v, a, t, values], out| {
            inputs::set(values);
            self.model.inverse_dynamics_derivatives(t[0], q, v, a, out);
        })?;
        Ok((of_q, of_v, of_a))
    }

    /// Derivatives of forward dynamics: (∂a/∂q) N, ∂a/∂v and M⁻¹; of models that `provide forward_dynamics_derivatives`.
    ///
    /// Parameters
    /// ----------
    /// q : array (..., nq)
    ///     Coordinates.
    /// v : array (..., nv)
    ///     Velocities.
    /// tau : array (..., nv), default 0
    ///     Forces along the velocities, N or N m.
    /// t : float or array (...), default 0
    ///     Time, s.
    /// inputs : array (..., number of inputs), default 0
    ///     Inputs.
    ///
    /// Returns
    /// -------
    /// (array (..., nv, nv), array (..., nv, nv), array (..., nv, nv))
    ///     Units of accelerations by those of coordinates, velocities and forces.
    #[pyo3(signature = (q, v, tau = None, t = None, inputs = None))]
    fn forward_dynamics_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        tau: Option<&Bound<'py, PyAny>>,
        t: Option<&Bound<'py, PyAny>>,
        inputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
        self.require("forward_dynamics_derivatives")?;
        let shape = [self.sizes.nv; 2];
        let arguments = [self.q(q), self.v(v), optional("tau", tau, self.sizes.nv), self.time(t), self.inputs(inputs)];
        let [of_q, of_v, of_tau] = evaluate(py, arguments, [&shape; 3], |[q, v, tau, t, values], out| {
            inputs::set(values);
            self.model.forward_dynamics_derivatives(t[0], q, v, tau, out);
        })?;
        Ok((of_q, of_v, of_tau))
    }
}
