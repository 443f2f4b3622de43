//! Instances of a compiled model in lanes: `impl InLanes`, and what steppers of several instances ask for.

use std::sync::Arc;

use hamel::Model;
use hamel::abreast::{ABREAST, LaneFunction, LaneFunctions, LanePoint};
use hamel::lanes::Lanes;
use hamel::together::{At, InLanes, NotInLanes, Observed};

use crate::call::{FACTORS, LANES};
use crate::model::JitModel;
use crate::program::{LaneArguments, LaneConstants, Program, is_aligned, numbers, numbers_mut};

const _: () = assert!(ABREAST == LANES, "functions are compiled for as many instances as are integrated abreast");

/// Instances of a model whose functions are computed together.
pub struct JitLanes {
    program: Arc<Program>,
    constants: Vec<LaneConstants>,
    /// Forces that are zero, `[nv]`, and multipliers.
    without_forces: Vec<Lanes<LANES>>,
    without_multipliers: Vec<Lanes<LANES>>,
    functions: Places,
}

/// Where functions are among those in lanes.
struct Places {
    forward_dynamics: Option<usize>,
    outputs: Option<usize>,
    energy: Option<usize>,
    power: Option<usize>,
    residual: Option<usize>,
    iteration_matrix: Option<usize>,
    damping: Option<usize>,
    stiffness: Option<usize>,
    constraint: Option<usize>,
    constraint_jacobian: Option<usize>,
    constraint_bias: Option<usize>,
}

impl JitLanes {
    /// Of instances of one model; `None` if they are not.
    fn new(instances: &[&JitModel]) -> Option<Self> {
        let program = Arc::clone(instances[0].program());
        if !instances.iter().all(|instance| Arc::ptr_eq(instance.program(), &program)) {
            return None;
        }
        let constants: Vec<_> = instances.iter().map(|instance| instance.constants()).collect();
        let dims = instances[0].dims();
        let place = |name| program.in_lanes(name);
        Some(JitLanes {
            constants: program.constants_in_lanes(&constants),
            without_forces: vec![Lanes([0.0; LANES]); dims.nv],
            without_multipliers: vec![Lanes([0.0; LANES]); dims.nc],
            functions: Places {
                forward_dynamics: place("forward_dynamics"),
                outputs: place("outputs"),
                energy: place("energy"),
                power: place("power").filter(|_| !program.image.description.info.is_conservative),
                residual: place("residual"),
                iteration_matrix: place("iteration_matrix"),
                damping: place("damping"),
                stiffness: place("stiffness"),
                constraint: place("constraint"),
                constraint_jacobian: place("constraint_jacobian"),
                constraint_bias: place("constraint_bias"),
            },
            program,
        })
    }

    fn evaluate(&self, function: usize, at: &At<LANES>, a: &[Lanes<LANES>], slices: &mut [&mut [f64]]) {
        let At { t, inputs, q, v } = *at;
        let arguments = LaneArguments {
            t: &t.0,
            inputs: numbers(inputs),
            q: numbers(q),
            v: numbers(v),
            a: numbers(a),
            lambda: numbers(&self.without_multipliers),
            tau: numbers(&self.without_forces),
            factors: [0.0; FACTORS],
        };
        self.program.evaluate_in_lanes(function, &self.constants, &arguments, slices);
    }
}

impl InLanes<LANES> for JitModel {
    type Group = JitLanes;
    type Coordinates = Vec<Lanes<LANES>>;
    type Velocities = Vec<Lanes<LANES>>;

    fn group(instances: &[&Self]) -> Result<JitLanes, NotInLanes> {
        instances[0].program().image.accelerates?;
        JitLanes::new(instances).ok_or(NotInLanes::Different)
    }

    fn coordinates(&self) -> Vec<Lanes<LANES>> {
        vec![Lanes([0.0; LANES]); self.dims().nq]
    }

    fn velocities(&self) -> Vec<Lanes<LANES>> {
        vec![Lanes([0.0; LANES]); self.dims().nv]
    }

    fn accelerate(
        group: &JitLanes,
        t: Lanes<LANES>,
        inputs: &[Lanes<LANES>],
        q: &Vec<Lanes<LANES>>,
        v: &Vec<Lanes<LANES>>,
        a: &mut Vec<Lanes<LANES>>,
    ) {
        // Accelerations are results alone; forward dynamics, which every group has, reads none.
        let Some(function) = group.functions.forward_dynamics else { return };
        group.evaluate(function, &At { t: &t, inputs, q, v }, &group.without_forces, &mut [numbers_mut(a)]);
    }

    fn observe(group: &JitLanes, at: At<LANES>, a: &[Lanes<LANES>], observed: &mut Observed<LANES>) {
        if let Some(function) = group.functions.energy {
            let energies = observed.energy.insert([Lanes([0.0; LANES]); 2]);
            let [kinetic, potential] = energies.each_mut().map(|sum| &mut sum.0[..]);
            group.evaluate(function, &at, a, &mut [kinetic, potential]);
        }
        if let Some(function) = group.functions.outputs {
            group.evaluate(function, &at, a, &mut [numbers_mut(&mut observed.outputs)]);
            observed.has_outputs = true;
        }
    }

    fn power_in_lanes(group: &JitLanes, at: At<LANES>) -> Option<Lanes<LANES>> {
        let mut power = Lanes([0.0; LANES]);
        group.evaluate(group.functions.power?, &at, &group.without_forces, &mut [&mut power.0]);
        Some(power)
    }
}

/// What steppers of instances abreast ask for.
pub(crate) struct JitAbreast<'m> {
    instances: Vec<&'m JitModel>,
    lanes: JitLanes,
    inputs: Vec<Lanes<LANES>>,
    /// Room for inputs of one instance.
    input: Vec<f64>,
}

impl<'m> JitAbreast<'m> {
    pub(crate) fn new(instances: &[&'m dyn Model]) -> Option<Self> {
        let models = instances.iter().map(|model| model.as_any()?.downcast_ref());
        let instances: Vec<&JitModel> = models.collect::<Option<_>>()?;
        let inputs = instances[0].describe().inputs.len();
        Some(Self {
            lanes: JitLanes::new(&instances)?,
            instances,
            inputs: vec![Lanes([0.0; LANES]); inputs],
            input: vec![0.0; inputs],
        })
    }
}

impl LaneFunctions for JitAbreast<'_> {
    fn evaluate(&mut self, function: LaneFunction, at: &LanePoint, results: &mut [&mut [f64]]) -> bool {
        let Self { instances, lanes, inputs, input } = self;
        let places = &lanes.functions;
        let (place, factors) = match function {
            LaneFunction::Residual => (places.residual, [0.0; FACTORS]),
            LaneFunction::IterationMatrix(factors) => (places.iteration_matrix, factors),
            LaneFunction::Damping => (places.damping, [0.0; FACTORS]),
            LaneFunction::Stiffness => (places.stiffness, [0.0; FACTORS]),
            LaneFunction::Acceleration => (places.forward_dynamics, [0.0; FACTORS]),
            LaneFunction::Constraint => (places.constraint, [0.0; FACTORS]),
            LaneFunction::ConstraintJacobian => (places.constraint_jacobian, [0.0; FACTORS]),
            LaneFunction::ConstraintBias => (places.constraint_bias, [0.0; FACTORS]),
            LaneFunction::Energy => (places.energy, [0.0; FACTORS]),
            LaneFunction::Power => (places.power, [0.0; FACTORS]),
            LaneFunction::Outputs => (places.outputs, [0.0; FACTORS]),
        };
        let lists = [at.q, at.v, at.a, at.lambda];
        let all_aligned = lists.into_iter().all(is_aligned) && results.iter().all(|result| is_aligned(result));
        let Some(place) = place.filter(|_| all_aligned) else { return false };
        if !inputs.is_empty() && lanes.program.image.in_lanes[place].function.reads_inputs {
            for i in (0..LANES).filter(|&i| at.wanted[i]) {
                instances[i].input_values(at.t, input);
                inputs.iter_mut().zip(&*input).for_each(|(lanes, value)| lanes.0[i] = *value);
            }
        }
        let (t, zeros) = (Lanes([at.t; LANES]), numbers(&lanes.without_forces));
        // A list that the function does not read may be missing.
        let arguments = LaneArguments {
            t: &t.0,
            inputs: numbers(inputs),
            q: at.q,
            v: if at.v.is_empty() { zeros } else { at.v },
            a: if at.a.is_empty() { zeros } else { at.a },
            lambda: if at.lambda.is_empty() { numbers(&lanes.without_multipliers) } else { at.lambda },
            tau: zeros,
            factors,
        };
        lanes.program.evaluate_in_lanes(place, &lanes.constants, &arguments, results);
        true
    }
}
