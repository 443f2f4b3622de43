//! A compiled model with values of its parameters: `impl Model`.

use std::any::Any;
use std::sync::Arc;

use hamel::abreast::LaneFunctions;
use hamel::generated::{
    MOST_VELOCITIES, check_body, check_contacts, check_finite, check_positive, check_symmetric, check_total_mass,
    solve_for_accelerations, unknown_parameter,
};
use hamel::{ContactLaw, Energy, Model, ModelInfo, ParameterError, Signal, State, UnknownParameter};
use hamel_compiler::schedule::requirements::Requirement;

use crate::description::ProvidedFunction;
use crate::lanes::JitAbreast;
use crate::program::{Arguments, Constants, Program, with_room};

/// A model that was compiled at run time.
///
/// Its values are those of generated Rust, digit by digit. Clones share the machine code, which is freed with the last of
/// them.
pub struct JitModel {
    program: Arc<Program>,
    parameters: Vec<f64>,
    constants: Vec<Constants>,
    contact_laws: Vec<ContactLaw>,
    reference_configuration: Vec<f64>,
    inputs: Vec<Signal>,
    functions: Functions,
    /// Where those of [`NAMED`] are that the model has.
    named: [Option<usize>; NAMED.len()],
    /// Where the functions that the model provides are, in the order of their descriptions.
    provided: Arc<[usize]>,
    sizes: Sizes,
    /// Forces that are zero, `[nv]`; nothing if the model has no forward dynamics.
    without_forces: Option<Vec<f64>>,
}

/// Places of the functions of models in the image.
macro_rules! functions {
    ($($name:ident)*) => {
        #[derive(Clone, Copy)]
        struct Functions {
            $($name: usize,)*
        }

        impl Functions {
            fn of(program: &Program) -> Functions {
                Functions { $($name: program.function(stringify!($name)),)* }
            }
        }
    };
}

functions! {
    mass_matrix bias_force applied_force constraint constraint_jacobian constraint_bias contact_gap contact_jacobian
    contact_bias outputs residual iteration_matrix damping stiffness initial_position initial_velocity energy power
}

/// Functions on request that have methods of their own, in the order of the places below.
const NAMED: [&str; 17] = [
    "nonlinear_effects",
    "inverse_dynamics",
    "forward_dynamics",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
    "constraint_acceleration_derivatives",
    "constraint_derivatives",
    "input_derivatives",
    "output_derivatives",
    "parameter_derivatives",
    "output_parameter_derivatives",
    "initial_derivatives",
    "residual_derivatives",
    "contact_derivatives",
    "contact_parameter_derivatives",
    "switching_functions",
    "assembly_sides",
];
const NONLINEAR_EFFECTS: usize = 0;
const INVERSE_DYNAMICS: usize = 1;
const FORWARD_DYNAMICS: usize = 2;
const INVERSE_DYNAMICS_DERIVATIVES: usize = 3;
const FORWARD_DYNAMICS_DERIVATIVES: usize = 4;
const CONSTRAINT_ACCELERATION_DERIVATIVES: usize = 5;
const CONSTRAINT_DERIVATIVES: usize = 6;
const INPUT_DERIVATIVES: usize = 7;
const OUTPUT_DERIVATIVES: usize = 8;
const PARAMETER_DERIVATIVES: usize = 9;
const OUTPUT_PARAMETER_DERIVATIVES: usize = 10;
const INITIAL_DERIVATIVES: usize = 11;
const RESIDUAL_DERIVATIVES: usize = 12;
const CONTACT_DERIVATIVES: usize = 13;
const CONTACT_PARAMETER_DERIVATIVES: usize = 14;
const SWITCHING_FUNCTIONS: usize = 15;
const ASSEMBLY_SIDES: usize = 16;

/// What functions on request are given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Instant<'a> {
    /// Time, s.
    pub t: f64,
    /// Coordinates, `[nq]`.
    pub q: &'a [f64],
    /// Velocities, `[nv]`.
    pub v: &'a [f64],
    /// Accelerations, `[nv]`.
    pub a: &'a [f64],
    /// Forces on the directions of the velocities, `[nv]`.
    pub tau: &'a [f64],
    /// Weights of these forces, `[nv]`.
    pub w: &'a [f64],
}

/// Numbers of coordinates, velocities and constraints.
#[derive(Clone, Copy)]
struct Sizes {
    nq: usize,
    nv: usize,
    nc: usize,
}

/// Values of so many inputs are kept on the stack.
const FEW_INPUTS: usize = 4;

impl JitModel {
    pub(crate) fn new(program: Arc<Program>) -> JitModel {
        let parameters = program.defaults();
        let inputs = program.image.description.info.inputs.iter().map(|_| Signal::default()).collect();
        let functions = Functions::of(&program);
        let named = NAMED.map(|function| program.find(function));
        let provided = program.image.description.provided.iter().map(|known| program.function(&known.name)).collect();
        let info = &program.image.description.info;
        let sizes = Sizes { nq: info.coordinates.len(), nv: info.velocities.len(), nc: info.constraints.len() };
        let mut model = JitModel {
            program,
            parameters,
            constants: Vec::new(),
            contact_laws: Vec::new(),
            reference_configuration: Vec::new(),
            inputs,
            functions,
            named,
            provided,
            sizes,
            without_forces: named[FORWARD_DYNAMICS].map(|_| vec![0.0; sizes.nv]),
        };
        model.update();
        model
    }

    /// The same model with its own parameters, and with inputs that are zero.
    pub fn another(&self) -> JitModel {
        JitModel {
            program: Arc::clone(&self.program),
            parameters: self.parameters.clone(),
            constants: self.constants.clone(),
            contact_laws: self.contact_laws.clone(),
            reference_configuration: self.reference_configuration.clone(),
            inputs: self.inputs.iter().map(|_| Signal::default()).collect(),
            functions: self.functions,
            named: self.named,
            provided: Arc::clone(&self.provided),
            sizes: self.sizes,
            without_forces: self.without_forces.clone(),
        }
    }

    /// The parameters, component by component.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// The parameters with their names, as [`Self::set`] takes them.
    pub fn named_parameters(&self) -> impl Iterator<Item = (&str, f64)> {
        let names = self.describe().parameters.iter().map(|channel| channel.name.as_str());
        names.zip(self.parameters.iter().copied())
    }

    /// The value of a parameter, by the names that [`Self::set`] takes; `None` where there is none of this name.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        Some(self.parameters[self.place_of_parameter(name)?])
    }

    /// The place in [`ModelInfo::parameters`] of a component of a parameter, by its name there or its path such as `offset[0]`.
    pub fn place_of_parameter(&self, name: &str) -> Option<usize> {
        let description = &self.program.image.description;
        let by_name = description.info.parameters.iter().position(|channel| channel.name == name);
        by_name.or_else(|| description.paths.iter().position(|path| path == name))
    }

    /// Two different names of one parameter among these, as `offset_x` and `offset[0]` are.
    pub fn one_parameter_by_two_names<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<[&'n str; 2]> {
        let mut known: Vec<(usize, &str)> = Vec::new();
        for name in names {
            let Some(place) = self.place_of_parameter(name) else { continue };
            if let Some((_, first)) = known.iter().find(|(other, first)| *other == place && *first != name) {
                return Some([first, name]);
            }
            known.push((place, name));
        }
        None
    }

    /// Sets parameters by the names of their components in [`ModelInfo::parameters`] or by their paths, in SI units.
    /// Whether a mechanical system can have them, [`Model::validate`] tells.
    ///
    /// # Errors
    /// When no component has one of these names; no parameter is changed then.
    pub fn set(&mut self, parameters: &[(impl AsRef<str>, f64)]) -> Result<(), UnknownParameter> {
        let mut changed = self.parameters.clone();
        for (name, value) in parameters {
            let name = name.as_ref();
            let place = self.place_of_parameter(name);
            changed[place.ok_or_else(|| unknown_parameter(name, &self.program.image.description.info))?] = *value;
        }
        self.parameters = changed;
        self.update();
        Ok(())
    }

    /// Sets an input by its name in [`ModelInfo::inputs`]; inputs are zero until they are set.
    ///
    /// # Errors
    /// When no input has this name: the signal is returned.
    pub fn set_input(&mut self, name: &str, signal: Signal) -> Result<(), Signal> {
        match self.describe().inputs.iter().position(|channel| channel.name == name) {
            Some(place) => {
                self.inputs[place] = signal;
                Ok(())
            }
            None => Err(signal),
        }
    }

    pub(crate) fn program(&self) -> &Arc<Program> {
        &self.program
    }

    pub(crate) fn constants(&self) -> &[Constants] {
        &self.constants
    }

    /// Computes what depends on parameters alone.
    fn update(&mut self) {
        let image = &self.program.image;
        self.constants = self.program.constants(&self.parameters);
        self.reference_configuration = self.program.reference_configuration(&self.parameters);
        let laws = self.program.setup(&image.contact_laws, &self.parameters);
        let law = |&law: &usize| {
            let values = &laws[image.contact_laws.starts[law]..];
            ContactLaw { restitution: values[0], tangential_restitution: values[1], friction: values[2] }
        };
        self.contact_laws = image.law_of_contact.iter().map(law).collect();
    }

    /// Small models spend more time on the way to their functions than in them: what leads there is inlined, so that
    /// arguments stay in registers.
    #[inline(always)]
    fn evaluate<const N: usize>(&self, function: usize, arguments: Arguments, slices: [&mut [f64]; N]) {
        match self.program.direct(function) {
            Some(direct) if !direct.reads_inputs => {
                self.program.evaluate_directly(direct, &self.constants, arguments, &[], slices);
            }
            Some(direct) if self.inputs.len() <= FEW_INPUTS => {
                let mut inputs = [0.0; FEW_INPUTS];
                self.input_values(arguments.t, &mut inputs);
                self.program.evaluate_directly(direct, &self.constants, arguments, &inputs, slices);
            }
            _ => self.evaluate_calls(function, arguments, slices),
        }
    }

    #[inline(never)]
    fn evaluate_calls<const N: usize>(&self, function: usize, arguments: Arguments, slices: [&mut [f64]; N]) {
        let function = &self.program.image.functions[function];
        with_room(self.inputs.len() + function.room, self.program.most_places, |room, places| {
            let (inputs, room) = room.split_at_mut(self.inputs.len());
            if function.reads_inputs {
                self.input_values(arguments.t, inputs);
            }
            self.program.evaluate(function, &self.constants, &arguments, inputs, slices, room, places);
        });
    }

    #[inline(always)]
    fn check(&self, what: &str, found: &[f64], expected: usize) {
        assert_eq!(found.len(), expected, "the number of {what} of `{}`", self.describe().name);
    }

    #[inline(always)]
    fn at<'a>(&self, t: f64, q: &'a [f64]) -> Arguments<'a> {
        self.check("coordinates", q, self.sizes.nq);
        Arguments { t, q, ..Arguments::default() }
    }

    #[inline(always)]
    fn moving<'a>(&self, t: f64, q: &'a [f64], v: &'a [f64]) -> Arguments<'a> {
        self.check("velocities", v, self.sizes.nv);
        Arguments { v, ..self.at(t, q) }
    }

    #[inline(always)]
    fn state<'a>(&self, state: &'a State) -> Arguments<'a> {
        let (a, lambda) = (state.a.as_slice(), state.lambda.as_slice());
        self.check("accelerations", a, self.sizes.nv);
        self.check("multipliers", lambda, self.sizes.nc);
        Arguments { a, lambda, ..self.moving(state.t, state.q.as_slice(), state.v.as_slice()) }
    }
}

/// Functions that models ask for by `provide`.
impl JitModel {
    /// Whether the model has a function, e.g. `forward_dynamics`.
    pub fn provides(&self, function: &str) -> bool {
        self.describe().functions.iter().any(|known| known.name == function)
    }

    /// All functions that the model provides.
    pub fn provided(&self) -> &[ProvidedFunction] {
        &self.program.image.description.provided
    }

    /// Evaluates one of [`provided`](Self::provided) by its place among them; matrices are dense and row by row.
    ///
    /// # Panics
    /// When there is no function at this place, or a list has another length than the function's: those of `at` which it
    /// does not read may be empty.
    ///
    /// # Examples
    /// ```
    /// use hamel_jit::Instant;
    ///
    /// let text = "model Arm {
    ///     planar;
    ///     coordinates joint;
    ///     body arm { mass: 1 kg, inertia: 1 kg m^2 }
    ///     joint hinge: revolute(ground, arm);
    ///     marker tip: arm at [2, 0] m;
    ///     provide jacobian(tip);
    /// }";
    /// let model = hamel_jit::model(text.parse()?, hamel_jit::Level::AtOnce, None)?;
    /// let place = model.provided().iter().position(|function| function.name == "jacobian_of_tip").unwrap();
    /// let (mut linear, mut angular) = ([0.0; 2], [0.0; 1]);
    /// model.evaluate_provided(place, &Instant { q: &[0.0], ..Instant::default() }, [&mut linear[..], &mut angular[..]]);
    /// assert_eq!((linear, angular), ([0.0, 2.0], [1.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn evaluate_provided<const N: usize>(&self, function: usize, at: &Instant, results: [&mut [f64]; N]) {
        let Sizes { nq, nv, .. } = self.sizes;
        for given in &self.provided()[function].given {
            match given.as_str() {
                "q" => self.check("coordinates", at.q, nq),
                "v" => self.check("velocities", at.v, nv),
                "a" => self.check("accelerations", at.a, nv),
                "tau" => self.check("forces", at.tau, nv),
                "w" => self.check("weights", at.w, nv),
                _ => {}
            }
        }
        let Instant { t, q, v, a, tau, w } = *at;
        let arguments = Arguments { t, q, v, a, tau, w, ..Arguments::default() };
        self.evaluate_requested(self.provided[function], arguments, results);
    }

    /// Small models are evaluated in less time than names are compared.
    #[inline(always)]
    fn require(&self, function: usize) -> usize {
        self.named[function]
            .unwrap_or_else(|| panic!("`{}` does not `provide {}`", self.describe().name, NAMED[function]))
    }

    /// h − f, the force that keeps the accelerations at zero, `[nv]`.
    ///
    /// # Panics
    /// When the model does not provide it, or a list has another length than the model's; so do the others.
    pub fn nonlinear_effects(&self, t: f64, q: &[f64], v: &[f64], effects: &mut [f64]) {
        let function = self.require(NONLINEAR_EFFECTS);
        self.evaluate(function, self.moving(t, q, v), [effects]);
    }

    /// Inverse dynamics τ = M a + h − f, `[nv]`.
    ///
    /// # Panics
    /// As [`nonlinear_effects`](Self::nonlinear_effects).
    pub fn inverse_dynamics(&self, t: f64, q: &[f64], v: &[f64], a: &[f64], tau: &mut [f64]) {
        let function = self.require(INVERSE_DYNAMICS);
        self.check("accelerations", a, v.len());
        self.evaluate(function, Arguments { a, ..self.moving(t, q, v) }, [tau]);
    }

    /// Forward dynamics a = M⁻¹ (τ − h + f), `[nv]`.
    ///
    /// # Panics
    /// As [`nonlinear_effects`](Self::nonlinear_effects).
    pub fn forward_dynamics(&self, t: f64, q: &[f64], v: &[f64], tau: &[f64], a: &mut [f64]) {
        let function = self.require(FORWARD_DYNAMICS);
        self.check("forces", tau, v.len());
        self.evaluate(function, Arguments { tau, ..self.moving(t, q, v) }, [a]);
    }

    /// (∂τ/∂q) N, ∂τ/∂v and M, dense and row by row.
    ///
    /// # Panics
    /// As [`nonlinear_effects`](Self::nonlinear_effects).
    pub fn inverse_dynamics_derivatives(&self, t: f64, q: &[f64], v: &[f64], a: &[f64], results: [&mut [f64]; 3]) {
        let function = self.require(INVERSE_DYNAMICS_DERIVATIVES);
        self.check("accelerations", a, v.len());
        self.evaluate(function, Arguments { a, ..self.moving(t, q, v) }, results);
    }

    /// (∂a/∂q) N, ∂a/∂v and M⁻¹, dense and row by row.
    ///
    /// # Panics
    /// As [`nonlinear_effects`](Self::nonlinear_effects).
    pub fn forward_dynamics_derivatives(&self, t: f64, q: &[f64], v: &[f64], tau: &[f64], results: [&mut [f64]; 3]) {
        let function = self.require(FORWARD_DYNAMICS_DERIVATIVES);
        self.check("forces", tau, v.len());
        self.evaluate_requested(function, Arguments { tau, ..self.moving(t, q, v) }, results);
    }

    /// Evaluates a function on request, or what it is composed of.
    #[inline(always)]
    fn evaluate_requested<const N: usize>(&self, function: usize, arguments: Arguments, mut results: [&mut [f64]; N]) {
        let is_composed = self.named[FORWARD_DYNAMICS_DERIVATIVES] == Some(function)
            && self.program.image.functions[function].calls.is_empty();
        if !is_composed {
            return self.evaluate(function, arguments, results);
        }
        let mut room = [0.0; MOST_VELOCITIES];
        let a = &mut room[..self.sizes.nv];
        self.evaluate(self.require(FORWARD_DYNAMICS), arguments, [a]);
        let given = results.each_mut().map(|result| &mut **result);
        self.evaluate(self.require(INVERSE_DYNAMICS_DERIVATIVES), Arguments { a, ..arguments }, given);
        if let [by_position, by_velocity, mass] = results.as_mut_slice() {
            solve_for_accelerations(by_position, by_velocity, mass);
        }
    }
}

impl Model for JitModel {
    fn describe(&self) -> &ModelInfo {
        &self.program.image.description.info
    }

    fn functions_abreast<'m>(&self, instances: &[&'m dyn Model]) -> Option<Box<dyn LaneFunctions + 'm>> {
        Some(Box::new(JitAbreast::new(instances)?))
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn validate(&self) -> Result<(), ParameterError> {
        let image = &self.program.image;
        check_finite(&self.describe().parameters, &self.parameters)?;
        let values = self.program.setup(&image.bodies, &self.parameters);
        let check = |output: usize| {
            let values = &values[image.bodies.starts[output]..image.bodies.starts[output + 1]];
            match &image.requirements[output] {
                Requirement::Body { name } => check_body(name, values[0], &values[1..]),
                Requirement::Positive { what, expected } => check_positive(what, values[0], expected),
                Requirement::Symmetric { what } => check_symmetric(what, values),
                Requirement::TotalMass { of } => check_total_mass(of, values),
            }
        };
        (0..image.n_bodies).try_for_each(check)?;
        check_contacts(&self.describe().contacts, &self.contact_laws)?;
        (image.n_bodies..image.requirements.len()).try_for_each(check)
    }

    fn mass_matrix(&self, q: &[f64], out: &mut [f64]) {
        self.evaluate(self.functions.mass_matrix, self.at(0.0, q), [out]);
    }

    fn bias_force(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.evaluate(self.functions.bias_force, self.moving(0.0, q, v), [out]);
    }

    fn applied_force(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.evaluate(self.functions.applied_force, self.moving(t, q, v), [out]);
    }

    fn constraint(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.evaluate(self.functions.constraint, self.at(t, q), [out]);
    }

    fn constraint_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.evaluate(self.functions.constraint_jacobian, self.at(t, q), [out]);
    }

    fn constraint_bias(&self, t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        self.evaluate(self.functions.constraint_bias, self.moving(t, q, v), [rate, acceleration]);
    }

    fn contact_gap(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.evaluate(self.functions.contact_gap, self.at(t, q), [out]);
    }

    fn contact_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.evaluate(self.functions.contact_jacobian, self.at(t, q), [out]);
    }

    fn contact_bias(&self, t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        self.evaluate(self.functions.contact_bias, self.moving(t, q, v), [rate, acceleration]);
    }

    fn contact_laws(&self, out: &mut [ContactLaw]) {
        out.copy_from_slice(&self.contact_laws);
    }

    fn switching_times(&self, visit: &mut dyn FnMut([f64; 2], &[usize])) {
        let image = &self.program.image;
        let times = self.program.setup(&image.switches, &self.parameters);
        let pairs = times.as_chunks().0.iter();
        pairs.zip(&image.moved_by).for_each(|(&time, moved_by)| visit(time, moved_by));
    }

    fn input_times(&self, visit: &mut dyn FnMut([f64; 2], bool)) {
        self.inputs.iter().for_each(|signal| signal.corners(visit));
    }

    fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Energy {
        let mut energy = Energy::default();
        let sums = [&mut energy.kinetic, &mut energy.potential].map(std::slice::from_mut);
        self.evaluate(self.functions.energy, self.moving(t, q, v), sums);
        energy
    }

    fn power(&self, t: f64, q: &[f64], v: &[f64]) -> Option<f64> {
        if self.program.image.description.has_unknown_power {
            return None;
        }
        let mut sum = 0.0;
        self.evaluate(self.functions.power, self.moving(t, q, v), [std::slice::from_mut(&mut sum)]);
        Some(sum)
    }

    fn acceleration(&self, t: f64, q: &[f64], v: &[f64], a: &mut [f64]) -> bool {
        let Some(tau) = &self.without_forces else { return false };
        self.evaluate(self.require(FORWARD_DYNAMICS), Arguments { tau, ..self.moving(t, q, v) }, [a]);
        true
    }

    fn constraint_acceleration_derivatives(&self, state: &State, by_q: &mut [f64], by_v: &mut [f64]) -> bool {
        let Some(function) = self.named[CONSTRAINT_ACCELERATION_DERIVATIVES] else { return false };
        self.evaluate(function, self.state(state), [by_q, by_v]);
        true
    }

    fn residual_derivatives(
        &self,
        state: &State,
        by_a: &mut [f64],
        by_v: &mut [f64],
        by_q: &mut [f64],
        jacobian: &mut [f64],
    ) -> bool {
        let Some(function) = self.named[RESIDUAL_DERIVATIVES] else { return false };
        self.evaluate(function, self.state(state), [by_a, by_v, by_q, jacobian]);
        true
    }

    fn constraint_derivatives(
        &self,
        state: &State,
        rate_by_q: &mut [f64],
        acceleration_by_q: &mut [f64],
        acceleration_by_v: &mut [f64],
    ) -> bool {
        let Some(function) = self.named[CONSTRAINT_DERIVATIVES] else { return false };
        self.evaluate(function, self.state(state), [rate_by_q, acceleration_by_q, acceleration_by_v]);
        true
    }

    fn contact_derivatives(&self, state: &State, rate_by_q: &mut [f64]) -> bool {
        let Some(function) = self.named[CONTACT_DERIVATIVES] else { return false };
        self.evaluate(function, self.state(state), [rate_by_q]);
        true
    }

    fn contact_parameter_derivatives(
        &self,
        state: &State,
        gap: &mut [f64],
        rate: &mut [f64],
        restitution: &mut [f64],
        friction: &mut [f64],
    ) -> bool {
        let Some(function) = self.named[CONTACT_PARAMETER_DERIVATIVES] else { return false };
        self.evaluate(function, self.state(state), [gap, rate, restitution, friction]);
        true
    }

    fn input_derivatives(&self, state: &State, out: &mut [f64]) -> bool {
        let Some(function) = self.named[INPUT_DERIVATIVES] else { return false };
        self.evaluate(function, self.state(state), [out]);
        true
    }

    fn output_derivatives(
        &self,
        state: &State,
        by_q: &mut [f64],
        by_v: &mut [f64],
        by_a: &mut [f64],
        by_lambda: &mut [f64],
        by_u: &mut [f64],
    ) -> bool {
        let Some(function) = self.named[OUTPUT_DERIVATIVES] else { return false };
        self.evaluate(function, self.state(state), [by_q, by_v, by_a, by_lambda, by_u]);
        true
    }

    fn switching_functions(
        &self,
        state: &State,
        values: &mut [f64],
        rates: &mut [f64],
        by_q: &mut [f64],
        by_v: &mut [f64],
        by_p: &mut [f64],
    ) -> bool {
        let Some(function) = self.named[SWITCHING_FUNCTIONS] else { return false };
        self.evaluate(function, self.state(state), [values, rates, by_q, by_v, by_p]);
        true
    }

    fn parameter_derivatives(
        &self,
        state: &State,
        force: &mut [f64],
        constraint: &mut [f64],
        rate: &mut [f64],
        acceleration: &mut [f64],
    ) -> bool {
        let Some(function) = self.named[PARAMETER_DERIVATIVES] else { return false };
        self.evaluate(function, self.state(state), [force, constraint, rate, acceleration]);
        true
    }

    fn output_parameter_derivatives(&self, state: &State, out: &mut [f64]) -> bool {
        let Some(function) = self.named[OUTPUT_PARAMETER_DERIVATIVES] else { return false };
        self.evaluate(function, self.state(state), [out]);
        true
    }

    fn initial_derivatives(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        position: &mut [f64],
        velocity: &mut [f64],
        velocity_by_q: &mut [f64],
        reference: &mut [f64],
    ) -> bool {
        let Some(function) = self.named[INITIAL_DERIVATIVES] else { return false };
        self.evaluate(function, self.moving(t, q, v), [position, velocity, velocity_by_q, reference]);
        true
    }

    fn input_values(&self, t: f64, out: &mut [f64]) {
        for (value, signal) in out.iter_mut().zip(&self.inputs) {
            *value = signal.value(t);
        }
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        self.evaluate(self.functions.outputs, self.state(state), [out]);
    }

    fn residual(&self, state: &State, r: &mut [f64], g: &mut [f64]) {
        self.evaluate(self.functions.residual, self.state(state), [r, g]);
    }

    fn iteration_matrix(&self, state: &State, ca: f64, cv: f64, cq: f64, values: &mut [f64]) {
        let arguments = Arguments { factors: [ca, cv, cq], ..self.state(state) };
        self.evaluate(self.functions.iteration_matrix, arguments, [values]);
    }

    fn damping(&self, state: &State, out: &mut [f64]) {
        self.evaluate(self.functions.damping, self.state(state), [out]);
    }

    fn stiffness(&self, state: &State, out: &mut [f64]) {
        self.evaluate(self.functions.stiffness, self.state(state), [out]);
    }

    fn reference_configuration(&self, q: &mut [f64]) {
        q.copy_from_slice(&self.reference_configuration);
    }

    fn singular_angles(&self) -> &[usize] {
        &self.program.image.description.singular_angles
    }

    fn assembly_sides(&self, t: f64, q: &[f64], out: &mut [f64]) -> bool {
        let Some(function) = self.named[ASSEMBLY_SIDES] else { return false };
        self.evaluate(function, self.at(t, q), [out]);
        true
    }

    fn n_switching_functions(&self) -> usize {
        self.program.image.description.switching_functions
    }

    fn n_initial_conditions(&self) -> (usize, usize) {
        self.program.image.description.initial_conditions
    }

    fn initial_position(&self, t: f64, q: &[f64], residual: &mut [f64], jacobian: &mut [f64]) {
        self.evaluate(self.functions.initial_position, self.at(t, q), [residual, jacobian]);
    }

    fn initial_velocity(&self, t: f64, q: &[f64], v: &[f64], residual: &mut [f64], jacobian: &mut [f64]) {
        self.evaluate(self.functions.initial_velocity, self.moving(t, q, v), [residual, jacobian]);
    }
}
