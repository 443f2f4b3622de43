//! Models and steps without the standard library.
//!
//! Memory is allocated at the start of a motion; its steps allocate nothing.

#![no_std]

extern crate alloc;

use alloc::boxed::Box;
use core::error::Error;

use hamel::schemes::{HalfExplicit, RungeKutta};
use hamel::{Model, Options, Scheme, State, initial_state};

hamel::multibody! {
    /// An arm of two links, which hangs from the ground: its accelerations are a formula.
    pub model Arm {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        param length = 0.5 m;
        body upper { mass: 1 kg, inertia: 0.02 kg m^2 }
        body lower { mass: 0.5 kg, inertia: 0.01 kg m^2 }
        joint shoulder: revolute(ground, upper at [-length/2, 0]);
        joint elbow: revolute(upper at [length/2, 0], lower at [-length/2, 0]);
        initial shoulder.angle = 30 deg;
        provide forward_dynamics;
    }
}

hamel::multibody! {
    /// A ladder whose ends slide along the wall and the floor: its accelerations are solved for with the constraints.
    pub model Ladder {
        planar;
        gravity [0, -9.81] m/s^2;
        param length = 2 m;
        body rod { mass: 3 kg, inertia: 1 kg m^2 }
        constraint wall: rod.position[0] == length/2*cos(rod.angle);
        constraint floor: rod.position[1] == length/2*sin(rod.angle);
        initial rod.angle = 60 deg;
    }
}

/// The state after so many steps of this length, s.
///
/// # Errors
/// If there is no consistent start, or a step fails.
pub fn moved(model: &dyn Model, scheme: &dyn Scheme, steps: usize, dt: f64) -> Result<State, Box<dyn Error>> {
    let mut stepper = scheme.start_with(model, initial_state(model)?, &Options::default())?;
    for _ in 0..steps {
        stepper.step(dt)?;
    }
    Ok(stepper.state().clone())
}

/// Writes the motions of both models.
///
/// # Errors
/// If one fails.
pub fn report(print: &mut dyn FnMut(core::fmt::Arguments)) -> Result<(), Box<dyn Error>> {
    let motions: [(&dyn Model, &dyn Scheme); 2] =
        [(&Arm::default(), &RungeKutta), (&Ladder::default(), &HalfExplicit)];
    for (model, scheme) in motions {
        let start = initial_state(model)?;
        let end = moved(model, scheme, 500, 1e-3)?;
        let [before, after] = [&start, &end].map(|state| model.energy(state.t, state.q.as_slice(), state.v.as_slice()).total());
        let name = &model.describe().name;
        print(format_args!("{name}: q = {:?}, v = {:?}", end.q.as_slice(), end.v.as_slice()));
        print(format_args!("{name}: energy {before} J, then {after} J"));
    }
    Ok(())
}
