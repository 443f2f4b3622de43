//! What a step does to small changes, as a list of linear operations between vectors.
//!
//! The vectors that a step begins with are what its scheme carries from step to step: first changes of coordinates (along
//! the velocities), velocities, accelerations and multipliers of the state, then those of its own. Schemes write the list
//! with the states between which the operations hold; [`super::play`] evaluates the matrices, so that what is kept of a
//! step is small.

use alloc::collections::VecDeque;

use nalgebra::DVector;

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

/// What contacts did at an instant of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acted<'a> {
    /// Fraction of restitution that was applied.
    pub(crate) restitution: f64,
    /// Whether each contact was closed, one or zero, `[contacts]`.
    pub(crate) closed: &'a [f64],
    /// Forces, or impulses of an impact, along the rows of Wᵀ.
    pub(crate) forces: &'a [f64],
}

/// An impact after a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Struck<'a> {
    pub(crate) acted: Acted<'a>,
    /// Velocities before it, `[nv]`.
    pub(crate) before: &'a [f64],
    /// What they changed by, `[nv]`.
    pub(crate) change: &'a [f64],
    /// Impulses of the constraints, `[nc]`.
    pub(crate) impulses: &'a [f64],
}

/// Contacts that act at an instant of [`LinearEquations`]: on its forces, as its constraints are measured.
#[derive(Clone, Debug)]
pub(crate) struct Acting {
    /// Which contacts were closed, one or zero, `[contacts]`.
    pub(crate) closed: Vec<f64>,
    /// Their forces along the rows of Wᵀ, or impulses.
    pub(crate) forces: Vec<f64>,
    /// Where the law of impact applies.
    pub(crate) restitution: Option<Restitution>,
    /// Of an impact whose instant changes.
    pub(crate) moving: Option<Moving>,
    /// Of an impact: which contacts other forces press together before it and after it; empty for none.
    pub(crate) pressed: Vec<bool>,
}

/// A change of the instant of an impact, and how relative velocities along the rows of Wᵀ, as those of driven obstacles, and
/// the rates of constraints change with time alone.
#[derive(Clone, Debug)]
pub(crate) struct Moving {
    pub(crate) time: Register,
    pub(crate) rates: Vec<f64>,
    pub(crate) constraint_rates: Vec<f64>,
}

/// The law of impact, relative to the velocities before.
#[derive(Clone, Debug)]
pub(crate) struct Restitution {
    /// Fraction of the coefficients of restitution that was applied.
    pub(crate) share: f64,
    /// Velocities before, `[nv]`, and their change.
    pub(crate) before: Vec<f64>,
    pub(crate) velocity: Register,
}

impl Acting {
    fn new(acted: Acted<'_>) -> Self {
        Self {
            closed: acted.closed.to_vec(),
            forces: acted.forces.to_vec(),
            restitution: None,
            moving: None,
            pressed: Vec::new(),
        }
    }
}

/// What equations say of their instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// M a + h − f = Gᵀ λ + W Λ.
    Motion,
    /// M a = Gᵀ λ + W Λ of changes a of velocity and impulses; constraints allow no change.
    Impact,
}

/// Equations with their contacts: none, or those of every instant.
#[derive(Clone, Debug)]
pub(crate) struct Equations {
    pub(crate) linear: LinearEquations,
    pub(crate) kind: Kind,
    pub(crate) contacts: Vec<Acting>,
}

impl Equations {
    /// Number of vectors that they give: for each instant coordinates, velocities, accelerations, multipliers and A, then
    /// the forces of the contacts of each, if there are any.
    pub(crate) fn results(&self) -> usize {
        5 * self.linear.instants.len() + self.contacts.len()
    }
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
    /// See [`Equations::results`].
    Solve(Box<Equations>),
    /// The residual of a state without its acceleration: h − f − Gᵀ λ.
    Force(Box<(State, [Register; 3])>),
    /// Coordinates or velocities moved onto the constraints, and the multipliers of this.
    Project(Box<Projected>),
    /// The change of the instant at which something becomes zero, a vector of one.
    Close(Box<Closing>),
    /// A vector, and this motion over a change of an instant.
    Shift(Box<Shift>),
}

/// An instant at which something becomes zero.
#[derive(Clone, Debug)]
pub(crate) struct Closing {
    /// Before the change.
    pub(crate) state: State,
    pub(crate) position: Register,
    pub(crate) velocity: Register,
    pub(crate) zero: Zero,
    /// Rate of what becomes zero.
    pub(crate) rate: f64,
}

/// What becomes zero.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Zero {
    /// The gap of a contact, with the row of its normal.
    Gap { contact: usize, row: usize },
    /// The slip of a contact in this direction.
    Slip { contact: usize, row: usize, direction: [f64; 2] },
    /// A switching function.
    Switch(usize),
}

/// A contact that stops to slide, to stick or to slide the other way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) contact: usize,
    /// Along its tangents, of the slip before it.
    pub(crate) direction: [f64; 2],
    /// The first of those that stop at the same instant whatever changes.
    pub(crate) leader: usize,
}

/// `of + along · time`.
#[derive(Clone, Debug)]
pub(crate) struct Shift {
    pub(crate) of: Register,
    pub(crate) along: Vec<f64>,
    pub(crate) time: Register,
}

/// An instant before an impact or a jump, and the change of this instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BeforeImpact {
    pub(crate) point: [Register; 4],
    pub(crate) time: Register,
}

impl Operation {
    /// Number of vectors that it gives.
    pub(crate) fn results(&self) -> usize {
        match self {
            Operation::Sum(_) | Operation::Force(_) | Operation::Close(_) | Operation::Shift(_) => 1,
            Operation::Project(_) => 2,
            Operation::Solve(equations) => equations.results(),
        }
    }
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
    /// The impact or the jump that it ended with, if its instant changes.
    pub(crate) impact: Option<BeforeImpact>,
}

/// What a step does to small changes of what it starts from, written by the stepper after the step.
#[derive(Clone, Debug, Default)]
pub struct StepMap {
    pub(crate) operations: Operations,
    /// Whether an impact changes its instant, at which the step then ends.
    pub(crate) follows_impacts: bool,
    /// Contacts that stop to slide at the end of the step, which changes its instant too, for any change at the same one; taken
    /// by the stepper that writes it.
    pub(crate) turns: Vec<Turn>,
    /// Contacts that stopped to slide just before the step.
    pub(crate) stopped: Vec<Turn>,
    /// Contacts at the instants that the scheme solved for, which it has not written yet.
    expected: VecDeque<(f64, Acting)>,
    /// Change of the forces of contacts on the directions of the velocities, at the last instant solved for.
    contact_force: Option<Register>,
}

impl StepMap {
    /// Begins anew with so many vectors.
    pub(crate) fn begin(&mut self, inputs: usize) {
        let Operations { list, outputs, .. } = &mut self.operations;
        list.clear();
        outputs.clear();
        outputs.extend((0..inputs).map(Register));
        self.operations.impact = None;
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

    /// Tells which contacts act at the instants that [`Self::solve_in_contact`] will solve for.
    pub(crate) fn expect_contacts<'a>(&mut self, acted: impl Iterator<Item = Acted<'a>>) {
        self.expected.clear();
        self.expected.extend(acted.map(|acted| (acted.restitution, Acting::new(acted))));
        self.contact_force = None;
    }

    /// Change of the forces of contacts on the directions of the velocities at the instant that was solved for last, if any
    /// act there.
    pub(crate) fn contact_force(&self) -> Option<Register> {
        self.contact_force
    }

    /// The instants that equations determine under the forces of contacts where these act, each with its unknown A;
    /// `before`: velocities to which restitution is relative.
    pub(crate) fn solve_in_contact(
        &mut self,
        linear: LinearEquations,
        before: Option<(&DVector<f64>, Register)>,
    ) -> Vec<(Point, Register)> {
        let count = linear.instants.len().min(self.expected.len());
        let contacts = self.expected.drain(..count).map(|(share, acting)| {
            let restitution = before.filter(|_| share > 0.0).map(|(before, velocity)| Restitution {
                share,
                before: before.as_slice().to_vec(),
                velocity,
            });
            Acting { restitution, ..acting }
        });
        let contacts = contacts.collect();
        self.determine(Equations { linear, kind: Kind::Motion, contacts })
    }

    /// Velocities after an impact at a state, from those before.
    pub(crate) fn strike(
        &mut self,
        state: &State,
        [position, velocity]: [Register; 2],
        struck: Struck<'_>,
        left_out: &[usize],
        (moving, pressed): (Option<Moving>, &[bool]),
    ) -> Register {
        let of = DVector::from_column_slice;
        let (before, change) = (of(struck.before), of(struck.change));
        let v = &before + &change;
        let instant = Instant {
            state: State { v, a: change, lambda: of(struck.impulses), ..state.clone() },
            known: [multiples(&[(1.0, position)]), multiples(&[(1.0, velocity)]), Vec::new()],
            position: vec![Blocks::uniform(0.0)],
            velocity: vec![Blocks::uniform(1.0)],
            acceleration: vec![1.0],
            force: Sum::new(),
            follows: None,
            constrained: None,
        };
        let levels = [ConstraintLevel::Velocity; 2];
        let linear = LinearEquations { instants: vec![instant], levels, left_out: left_out.to_vec() };
        let share = struck.acted.restitution;
        let restitution = Restitution { share, before: struck.before.to_vec(), velocity };
        let restitution = Some(restitution).filter(|_| share > 0.0);
        let contacts = vec![Acting { restitution, moving, pressed: pressed.to_vec(), ..Acting::new(struck.acted) }];
        self.determine(Equations { linear, kind: Kind::Impact, contacts })[0].0.velocity
    }

    /// The change of the instant at which something becomes zero.
    pub(crate) fn close(&mut self, closing: Closing) -> Register {
        self.push(Operation::Close(Box::new(closing)), 1)
    }

    /// A vector, and this factor of a motion over a change of an instant.
    pub(crate) fn shift(&mut self, of: Register, (factor, along): (f64, &DVector<f64>), time: Register) -> Register {
        let along = along.iter().map(|rate| factor * rate).collect();
        self.push(Operation::Shift(Box::new(Shift { of, along, time })), 1)
    }

    /// The instants that equations determine, each with its unknown A.
    pub(crate) fn solve(&mut self, linear: LinearEquations) -> Vec<(Point, Register)> {
        self.determine(Equations { linear, kind: Kind::Motion, contacts: Vec::new() })
    }

    fn determine(&mut self, equations: Equations) -> Vec<(Point, Register)> {
        let (count, results) = (equations.linear.instants.len(), equations.results());
        let first = self.push(Operation::Solve(Box::new(equations)), results).0;
        self.contact_force = (results > 5 * count).then(|| Register(first + results - 1));
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
