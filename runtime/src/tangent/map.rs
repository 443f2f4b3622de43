//! What a step does to small changes, as a list of linear operations between vectors.
//!
//! The vectors that a step begins with are what its scheme carries from step to step: first changes of coordinates (along
//! the velocities), velocities, accelerations and multipliers of the state, then those of its own. Schemes write the list
//! with the states between which the operations hold; [`super::play`] evaluates the matrices, so that what is kept of a
//! step is small.

use super::blocks::Blocks;
use crate::model::State;
use crate::prelude::*;
use crate::step::ConstraintLevel;

/// A vector of a step, by the order in which vectors are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Register(pub(crate) usize);

/// Coordinates, velocities, accelerations and multipliers of the state: the first vectors of every scheme.
pub(crate) const STATE: [Register; 4] = [Register(0), Register(1), Register(2), Register(3)];

/// A sum of maps of vectors.
pub(crate) type Sum = Vec<(Blocks, Register)>;

/// A sum of multiples of vectors.
pub(crate) fn multiples(terms: &[(f64, Register)]) -> Sum {
    terms.iter().map(|&(factor, register)| (Blocks::uniform(factor), register)).collect()
}

/// Changes of one instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) position: Register,
    pub(crate) velocity: Register,
    pub(crate) acceleration: Register,
    pub(crate) multiplier: Register,
}

impl Point {
    /// Coordinates, velocities and accelerations.
    pub(crate) fn motion(&self) -> [Register; 3] {
        [self.position, self.velocity, self.acceleration]
    }

    /// Those and the multipliers.
    pub(crate) fn all(&self) -> [Register; 4] {
        [self.position, self.velocity, self.acceleration, self.multiplier]
    }
}

/// Unknown accelerations A and multipliers, one of each for every instant of a step, from the equations of motion and the
/// constraints at these instants; `r = Σ force`.
#[derive(Clone, Debug)]
pub(crate) struct LinearEquations {
    pub(crate) instants: Vec<Instant>,
    /// Where constraints on coordinates hold, and those on velocities.
    pub(crate) levels: [ConstraintLevel; 2],
    /// Constraints whose multipliers are zero.
    pub(crate) left_out: Vec<usize>,
}

/// An instant of [`LinearEquations`]: `ξ = known + Σ position · A`, and so on, summed over the instants.
#[derive(Clone, Debug)]
pub(crate) struct Instant {
    pub(crate) state: State,
    pub(crate) known: [Sum; 3],
    pub(crate) position: Vec<Blocks>,
    pub(crate) velocity: Vec<Blocks>,
    pub(crate) acceleration: Vec<f64>,
    pub(crate) force: Sum,
    /// What is added to the forces as the coordinates change here: `r = Σ force + follows ξ`.
    pub(crate) follows: Option<Blocks>,
    /// Where the constraints hold, if that is elsewhere.
    pub(crate) constrained: Option<Box<Instant>>,
}

impl Instant {
    /// Where the constraints hold.
    pub(crate) fn of_constraints(&self) -> &Instant {
        self.constrained.as_deref().unwrap_or(self)
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// A vector in the directions of the velocities, or as long as there are constraints.
    Sum(Sum),
    /// For each instant coordinates, velocities, accelerations, multipliers and A.
    Solve(Box<LinearEquations>),
    /// The residual of a state without its acceleration: h − f − Gᵀ λ.
    Force(Box<(State, [Register; 3])>),
    /// Coordinates or velocities moved onto the constraints, and the multipliers of this.
    Project(Box<Projected>),
}

/// A projection in the metric of M at some state, along the gradients there: of coordinates, or of velocities.
#[derive(Clone, Debug)]
pub(crate) struct Projected {
    /// Where M and the gradients belong, and the change of its coordinates.
    pub(crate) metric: State,
    pub(crate) metric_position: Register,
    /// What is moved: coordinates of the metric's state, or velocities where coordinates are moved already.
    pub(crate) target: Target,
    /// By how much it was moved, `[nv]`.
    pub(crate) by: Vec<f64>,
    /// The state afterwards.
    pub(crate) after: State,
    pub(crate) left_out: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Coordinates,
    Velocities {
        /// Change of the coordinates of the state afterwards.
        position: Register,
        /// Change of the velocities before.
        velocity: Register,
    },
}

/// What one step does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operations {
    pub(crate) list: Vec<Operation>,
    /// Vectors that the step begins with.
    pub(crate) inputs: usize,
    /// Vectors made so far, those included.
    pub(crate) registers: usize,
    /// Those with which the next step begins.
    pub(crate) outputs: Vec<Register>,
}

/// What a step does to small changes of what it starts from, written by the stepper after the step.
#[derive(Clone, Debug, Default)]
pub struct StepMap {
    pub(crate) operations: Operations,
}

impl StepMap {
    /// Begins anew with so many vectors.
    pub(crate) fn begin(&mut self, inputs: usize) {
        let Operations { list, outputs, .. } = &mut self.operations;
        list.clear();
        outputs.clear();
        outputs.extend((0..inputs).map(Register));
        (self.operations.inputs, self.operations.registers) = (inputs, inputs);
    }

    fn push(&mut self, operation: Operation, results: usize) -> Register {
        let first = Register(self.operations.registers);
        self.operations.list.push(operation);
        self.operations.registers += results;
        first
    }

    /// A sum of maps of vectors.
    pub(crate) fn sum(&mut self, terms: Sum) -> Register {
        self.push(Operation::Sum(terms), 1)
    }

    /// A sum of multiples of vectors.
    pub(crate) fn combine(&mut self, terms: &[(f64, Register)]) -> Register {
        self.sum(multiples(terms))
    }

    /// The instants that equations determine, each with its unknown A.
    pub(crate) fn solve(&mut self, equations: LinearEquations) -> Vec<(Point, Register)> {
        let count = equations.instants.len();
        let first = self.push(Operation::Solve(Box::new(equations)), 5 * count).0;
        let of = |instant: usize| {
            let at = |k: usize| Register(first + 5 * instant + k);
            (Point { position: at(0), velocity: at(1), acceleration: at(2), multiplier: at(3) }, at(4))
        };
        (0..count).map(of).collect()
    }

    /// Accelerations and multipliers of a state, from the accelerations of all constraints.
    pub(crate) fn accelerate(
        &mut self,
        state: State,
        position: Register,
        velocity: Register,
        left_out: &[usize],
    ) -> Point {
        let one = |register| vec![(Blocks::uniform(1.0), register)];
        let instant = Instant {
            state,
            known: [one(position), one(velocity), Vec::new()],
            position: vec![Blocks::uniform(0.0)],
            velocity: vec![Blocks::uniform(0.0)],
            acceleration: vec![1.0],
            force: Sum::new(),
            follows: None,
            constrained: None,
        };
        let levels = [ConstraintLevel::Acceleration; 2];
        self.solve(LinearEquations { instants: vec![instant], levels, left_out: left_out.to_vec() })[0].0
    }

    /// Forces at a state without its acceleration.
    pub(crate) fn force(
        &mut self,
        state: &State,
        position: Register,
        velocity: Register,
        multiplier: Register,
    ) -> Register {
        self.push(Operation::Force(Box::new((state.clone(), [position, velocity, multiplier]))), 1)
    }

    /// What was moved, and the multipliers, after a projection.
    pub(crate) fn project(&mut self, projected: Projected) -> [Register; 2] {
        let first = self.push(Operation::Project(Box::new(projected)), 2).0;
        [first, first + 1].map(Register)
    }

    /// The vectors with which the next step begins, as far as they are known.
    pub(crate) fn outputs(&self) -> Vec<Register> {
        self.operations.outputs.clone()
    }

    /// The vectors with which the next step begins.
    pub(crate) fn end(&mut self, outputs: impl IntoIterator<Item = Register>) {
        self.operations.outputs.clear();
        self.operations.outputs.extend(outputs);
    }
}
