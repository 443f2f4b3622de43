//! Modes of a beam of unit length, mass and bending stiffness: in closed form, by the printed matrices of all nodes, in
//! which the frame has no part, and by compiled models, whose frame moves with the first node.

use std::f64::consts::{PI, TAU};

use hamel::modal::Modes;
use hamel::scheme::StepError;
use hamel::{Model, State};
use hamel_macros::multibody;
use nalgebra::{DMatrix, DVector};

use super::material::{NODE, Rod, Shapes};
use super::stiffness;
use crate::convergence::largest;
use crate::rezaei::flexible::impossible;

multibody! {
    /// A beam that nothing holds. Its section is so low that it does not weigh against turning.
    pub model FreeBeam {
        planar;
        coordinates joint;
        flexible beam: beam_floating_frame {
            length: 1 m, elements: 20, E: 1e12 Pa, mass: 1 kg, area: 1 m^2, second_moment: 1e-12 m^4,
        }
        joint float: free(ground, beam.root);
    }
}

multibody! {
    /// The same beam with a joint at its first end.
    pub model HingedBeam {
        planar;
        coordinates joint;
        flexible beam: beam_floating_frame {
            length: 1 m, elements: 20, E: 1e12 Pa, mass: 1 kg, area: 1 m^2, second_moment: 1e-12 m^4,
        }
        joint hinge: revolute(ground, beam.root);
    }
}

pub(super) const ELEMENTS: usize = 20;

/// How the beam is held.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Held {
    /// Not at all; Fig. 44.
    Nowhere,
    /// Its first end stays where it is; Fig. 45.
    AtOneEnd,
}

impl Held {
    pub(super) fn name(self) -> &'static str {
        match self {
            Held::Nowhere => "both ends free",
            Held::AtOneEnd => "one end held",
        }
    }

    /// Motions across the beam without deformation, and along it.
    pub(super) fn rigid(self) -> [usize; 2] {
        match self {
            Held::Nowhere => [2, 1],
            Held::AtOneEnd => [1, 0],
        }
    }

    /// βl of the bending modes: cos βl cosh βl = 1 or tan βl = tanh βl.
    pub(super) fn root(self, k: usize) -> f64 {
        let (guess, equation): (f64, fn(f64) -> f64) = match self {
            Held::Nowhere => (PI * (k as f64 + 1.5), |x| x.cos() - 1.0 / x.cosh()),
            Held::AtOneEnd => (PI * (k as f64 + 1.25), |x| x.sin() - x.tanh() * x.cos()),
        };
        let (mut low, mut high) = (guess - 0.5, guess + 0.5);
        // Halves the interval to rounding.
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if equation(low).signum() == equation(middle).signum() { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// The closed form of a bending mode with a unit of ∫ φ².
    pub(super) fn mode(self, k: usize, x: f64) -> f64 {
        let beta = self.root(k);
        match self {
            Held::Nowhere => {
                let sigma = (beta.cosh() - beta.cos()) / (beta.sinh() - beta.sin());
                // cosh βx − σ sinh βx without its cancellation.
                let hyperbolic = 0.5 * ((1.0 - sigma) * (beta * x).exp() + (1.0 + sigma) * (-beta * x).exp());
                hyperbolic + (beta * x).cos() - sigma * (beta * x).sin()
            }
            Held::AtOneEnd => (beta * x).sin() / beta.sin() + (beta * x).sinh() / beta.sinh(),
        }
    }

    /// Wave numbers of the modes along the beam.
    pub(super) fn wave(self, k: usize) -> f64 {
        match self {
            Held::Nowhere => PI * (k as f64 + 1.0),
            Held::AtOneEnd => PI * (k as f64 + 0.5),
        }
    }
}

/// Modes along and across the beam, and places of their coordinates among all nodal ones.
pub(super) struct Family {
    pub(super) modes: Modes,
    places: Vec<usize>,
}

/// By the printed matrices.
pub(super) struct Printed {
    /// About the centre of mass where nothing is held, about the joint otherwise.
    pub(super) shapes: Shapes,
    pub(super) across: Family,
    pub(super) along: Family,
}

fn unit_rod(elements: usize) -> Rod {
    let length = 1.0 / elements as f64;
    Rod { length, elements, mass: length, height: 0.0, axial: 1.0, bending: 1.0 }
}

impl Printed {
    pub(super) fn new(held: Held, elements: usize) -> Result<Self, StepError> {
        let rod = unit_rod(elements);
        let mut particles = rod.particles();
        if held == Held::Nowhere {
            particles.iter_mut().for_each(|particle| particle.place[0] -= 0.5);
        }
        let shapes = Shapes::of(&particles);
        let stiffness = stiffness::assembled(&rod);
        let free = (0..rod.coordinates()).filter(|&place| held == Held::Nowhere || place > 1);
        let (along, across): (Vec<usize>, Vec<usize>) = free.partition(|place| place % NODE == 0);
        let [along, across] = [along, across]
            .map(|places| modes(&shapes.s_ff, &stiffness, &places).map(|modes| Family { modes, places }));
        Ok(Self { across: across?, along: along?, shapes })
    }

    /// A mode as values of all nodal coordinates.
    pub(super) fn vector(&self, family: &Family, mode: usize) -> DVector<f64> {
        let mut vector = DVector::zeros(self.shapes.s_bar.ncols());
        for (place, value) in family.places.iter().zip(family.modes.shapes.column(mode).iter()) {
            vector[*place] = *value;
        }
        vector
    }

    /// The largest of an integral over the modes that bend or stretch the beam.
    pub(super) fn largest(&self, held: Held, integral: impl Fn(&DVector<f64>) -> f64) -> f64 {
        let of = |family: &Family, rigid: usize| {
            largest((rigid..family.places.len()).map(|mode| integral(&self.vector(family, mode))))
        };
        let [across, along] = held.rigid();
        largest([of(&self.across, across), of(&self.along, along)])
    }
}

/// Modes of some of the coordinates, with angular frequencies in rad/s.
fn modes(mass: &DMatrix<f64>, stiffness: &DMatrix<f64>, places: &[usize]) -> Result<Modes, StepError> {
    let chosen = |matrix: &DMatrix<f64>| matrix.select_rows(places).select_columns(places);
    let modes = Modes::of(0..places.len(), chosen(mass), &chosen(stiffness));
    let mut modes = modes.map_err(|error| impossible(&FreeBeam::default(), &error.to_string()))?;
    modes.frequencies.iter_mut().for_each(|frequency| *frequency *= TAU);
    Ok(modes)
}

/// Bending modes of a compiled model with all its coordinates, the frame's among them, and what the nodes move across.
pub(super) fn compiled(model: &dyn Model) -> Result<(Modes, DMatrix<f64>), StepError> {
    let info = model.describe();
    let mut state = State::zeros(model.dims());
    model.reference_configuration(state.q.as_mut_slice());
    let mut values = vec![0.0; info.stiffness.nnz()];
    model.stiffness(&state, &mut values);
    let stiffness = info.stiffness.to_dense(&values);
    let mass = super::mass_matrix(model, state.q.as_slice());
    let is_across = |name: &str| !name.ends_with('x');
    let across: Vec<usize> = (0..info.velocities.len()).filter(|&k| is_across(&info.velocities[k].name)).collect();
    let modes = modes(&mass, &stiffness, &across)?;
    // y of a node is that of the frame, its angle times the distance, and what the node moves in the frame.
    let moved = DMatrix::from_fn(ELEMENTS + 1, across.len(), |node, k| {
        let name = &info.velocities[across[k]].name;
        match name.strip_prefix("beam[").and_then(|rest| rest.split_once(']')) {
            Some((own, ".y")) => f64::from(u8::from(own.parse() == Ok(node))),
            Some(_) => 0.0,
            None if name.ends_with('y') => 1.0,
            None => node as f64 / ELEMENTS as f64,
        }
    });
    let shapes = moved * &modes.shapes;
    Ok((modes, shapes))
}
