//! Instances of a compiled model in lanes: `impl InLanes`.

use std::sync::Arc;

use hamel::Model;
use hamel::lanes::Lanes;
use hamel::together::{At, InLanes, NotInLanes, Observed};

use crate::call::LANES;
use crate::model::JitModel;
use crate::program::{LaneArguments, LaneConstants, Program};

/// Instances of a model whose functions are computed together.
pub struct JitLanes {
    program: Arc<Program>,
    constants: Vec<LaneConstants>,
    /// Forces that are zero, `[nv]`.
    without_forces: Vec<Lanes<LANES>>,
    /// Of the functions in lanes, those that are observed.
    outputs: Option<usize>,
    energy: Option<usize>,
    power: Option<usize>,
}

/// Forward dynamics is the first function in lanes.
const FORWARD_DYNAMICS: usize = 0;

impl JitLanes {
    fn arguments<'a>(&'a self, at: &At<'a, LANES>, a: &'a [Lanes<LANES>]) -> LaneArguments<'a> {
        let At { t, inputs, q, v } = *at;
        LaneArguments { t, inputs, q, v, a, tau: &self.without_forces }
    }
}

impl InLanes<LANES> for JitModel {
    type Group = JitLanes;
    type Coordinates = Vec<Lanes<LANES>>;
    type Velocities = Vec<Lanes<LANES>>;

    fn group(instances: &[&Self]) -> Result<JitLanes, NotInLanes> {
        let program = Arc::clone(instances[0].program());
        if let Err(reason) = &program.image.in_lanes {
            return Err(*reason);
        }
        if !instances.iter().all(|instance| Arc::ptr_eq(instance.program(), &program)) {
            return Err(NotInLanes::Different);
        }
        let constants: Vec<_> = instances.iter().map(|instance| instance.constants()).collect();
        Ok(JitLanes {
            constants: program.constants_in_lanes(&constants),
            without_forces: instances[0].velocities(),
            outputs: program.in_lanes("outputs"),
            energy: program.in_lanes("energy"),
            power: program.in_lanes("power").filter(|_| !program.image.description.info.is_conservative),
            program,
        })
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
        // Accelerations are results alone; forward dynamics reads none.
        let arguments = group.arguments(&At { t: &t, inputs, q, v }, &group.without_forces);
        group.program.evaluate_in_lanes(FORWARD_DYNAMICS, &group.constants, &arguments, [a]);
    }

    fn observe(group: &JitLanes, at: At<LANES>, a: &[Lanes<LANES>], observed: &mut Observed<LANES>) {
        let arguments = group.arguments(&at, a);
        if let Some(function) = group.energy {
            let [kinetic, potential] = observed.energy.insert([Lanes([0.0; LANES]); 2]);
            let sums = [kinetic, potential].map(std::slice::from_mut);
            group.program.evaluate_in_lanes(function, &group.constants, &arguments, sums);
        }
        if let Some(function) = group.outputs {
            group.program.evaluate_in_lanes(function, &group.constants, &arguments, [&mut observed.outputs]);
            observed.has_outputs = true;
        }
    }

    fn power_in_lanes(group: &JitLanes, at: At<LANES>) -> Option<Lanes<LANES>> {
        let mut power = Lanes([0.0; LANES]);
        let arguments = group.arguments(&at, &group.without_forces);
        let sums = [std::slice::from_mut(&mut power)];
        group.program.evaluate_in_lanes(group.power?, &group.constants, &arguments, sums);
        Some(power)
    }
}
