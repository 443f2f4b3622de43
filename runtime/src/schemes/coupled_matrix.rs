//! The matrix of Newton's method for stages that are solved together, `[stages (nv + nc)]` rows and columns.
//!
//! The vectors of every stage depend on the accelerations of every stage; these derivatives multiply the model's own
//! matrices. The positions of entries are computed once.

use super::constraint_rows::ConstraintRows;
use super::coupled::Sensitivity;
use crate::configuration::ranges;
use crate::model::{Model, State, instances};
use crate::prelude::*;
use crate::scheme::ConstraintLevel;
use crate::sparsity::SparsityPattern;

/// Derivatives of the vectors of stage i with respect to the accelerations of stage l.
pub(super) struct Coupling<'a> {
    pub(super) i: usize,
    pub(super) l: usize,
    pub(super) dt: f64,
    /// Velocities, over h.
    pub(super) single: f64,
    /// Coordinates that add, over h².
    pub(super) double: f64,
    /// Blocks that turn.
    pub(super) sensitivities: &'a [Sensitivity],
}

/// Positions of the entries of the model's matrices in the matrix of all stages, computed once.
#[derive(Clone)]
pub(super) struct Assembly {
    pub(super) pattern: SparsityPattern,
    stages: usize,
    /// Velocities of an instance of the model, and how many instances it is.
    nv: usize,
    instances: usize,
    /// ∂r/∂v, (∂r/∂q) N and G one after the other, and where the second and the third begin.
    values: Vec<f64>,
    starts: [usize; 2],
    /// `[ca M, −Gᵀ; G, 0]` of one stage, and where in its upper rows a value stands and goes, stage by stage.
    own: Vec<f64>,
    own_places: Vec<Vec<(usize, usize)>>,
    /// The terms for each pair of stages, and their positions for each pair.
    terms: Vec<Term>,
    places: Vec<Vec<usize>>,
}

/// One of the model's values times a derivative with respect to an acceleration.
#[derive(Clone)]
struct Term {
    value: usize,
    row: usize,
    column: usize,
    answer: Answer,
}

/// A derivative with respect to an acceleration.
#[derive(Clone)]
enum Answer {
    /// Of the same stage.
    Acceleration,
    Velocity,
    Position,
    /// Entry (from, by) of a rotating block of `size` velocities.
    Turn {
        block: usize,
        from: usize,
        by: usize,
        size: usize,
    },
}

impl Assembly {
    pub(super) fn new(model: &dyn Model, stages: usize, constraints: &ConstraintRows) -> Self {
        let (info, of) = instances(model);
        let (nv, n) = (info.velocities.len(), info.iteration_matrix.columns);
        let terms = terms(model, constraints);

        let pairs = || (0..stages).flat_map(|i| (0..stages).map(move |l| (i, l)));
        // M and −Gᵀ on the diagonal, and G where constraints on velocities have no other column.
        let own = (0..stages).flat_map(|i| info.iteration_matrix.entries().map(move |(r, c)| (i * n + r, i * n + c)));
        let coupled = pairs().flat_map(|(i, l)| terms.iter().map(move |term| (i * n + term.row, l * n + term.column)));
        let pattern = SparsityPattern::from_entries(stages * n, stages * n, own.chain(coupled));

        // Every entry is part of the pattern that was made of them.
        let place = |row, column| pattern.slot(row, column);
        let own_places = (0..stages).map(|i| {
            let upper = info.iteration_matrix.entries().enumerate().filter(|(_, (row, _))| *row < nv);
            upper.filter_map(|(value, (r, c))| Some((value, place(i * n + r, i * n + c)?))).collect()
        });
        let places = pairs()
            .map(|(i, l)| terms.iter().filter_map(|term| place(i * n + term.row, l * n + term.column)).collect());
        let starts = [info.damping.nnz(), info.damping.nnz() + info.stiffness.nnz()];
        Self {
            stages,
            nv,
            instances: of,
            values: vec![0.0; of * (starts[1] + info.constraint_jacobian.nnz())],
            starts,
            own: vec![0.0; of * info.iteration_matrix.nnz()],
            own_places: own_places.collect(),
            places: places.collect(),
            terms,
            pattern,
        }
    }

    /// The model's matrices at a stage.
    pub(super) fn evaluate(&mut self, model: &dyn Model, state: &State) {
        model.iteration_matrix(state, 1.0, 0.0, 0.0, &mut self.own);
        let (upper, constraint_jacobian) = self.values.split_at_mut(self.instances * self.starts[1]);
        let (damping, stiffness) = upper.split_at_mut(self.instances * self.starts[0]);
        model.damping(state, damping);
        model.stiffness(state, stiffness);
        model.constraint_jacobian(state.t, state.q.as_slice(), constraint_jacobian);
    }

    /// M and −Gᵀ of a stage.
    pub(super) fn add_own(&self, stage: usize, out: &mut [f64]) {
        let of = self.instances;
        for &(value, place) in &self.own_places[stage] {
            let own = &self.own[of * value..][..of];
            out[of * place..][..of].iter_mut().zip(own).for_each(|(out, own)| *out += own);
        }
    }

    /// Adds the derivatives of the equations of a stage with respect to the accelerations of another.
    pub(super) fn add_coupling(&self, coupling: &Coupling, out: &mut [f64]) {
        let &Coupling { i, l, dt, single, double, sensitivities } = coupling;
        for (term, &place) in self.terms.iter().zip(&self.places[i * self.stages + l]) {
            let (answer, divisor) = match term.answer {
                Answer::Acceleration => (f64::from(u8::from(i == l)), 1.0),
                Answer::Velocity => (dt * single, dt),
                Answer::Position => (dt * dt * double, dt * dt),
                Answer::Turn { block, from, by, size } => {
                    (sensitivities[block][(size * i + from, size * l + by)], dt * dt)
                }
            };
            // Constraints are divided by h², h or one, see `ConstraintRows`.
            let scale = if term.row < self.nv { 1.0 } else { 1.0 / divisor };
            let (of, factor) = (self.instances, scale * answer);
            let values = &self.values[of * term.value..][..of];
            out[of * place..][..of].iter_mut().zip(values).for_each(|(out, value)| *out += factor * value);
        }
    }
}

/// The terms of every stage for the accelerations of every stage.
fn terms(model: &dyn Model, constraints: &ConstraintRows) -> Vec<Term> {
    let (info, _) = instances(model);
    let nv = info.velocities.len();
    // For each column of a rotating block: the index of the block among these, and its columns.
    let mut turning = vec![None; nv];
    let blocks = ranges(&info.blocks).filter(|(block, ..)| block.turn().is_some());
    for (number, (_, _, range)) in blocks.enumerate() {
        turning[range.clone()].fill(Some((number, range.start, range.len())));
    }
    let moved = |value: usize, row: usize, column: usize| match turning[column] {
        None => vec![Term { value, row, column, answer: Answer::Position }],
        Some((block, first, size)) => {
            let turn = |by| Answer::Turn { block, from: column - first, by, size };
            (0..size).map(|by| Term { value, row, column: first + by, answer: turn(by) }).collect()
        }
    };
    let damping = info.damping.entries().map(|(row, column)| (row, column, ConstraintLevel::Velocity));
    let stiffness = info.stiffness.entries().map(|(row, column)| (row, column, ConstraintLevel::Position));
    let rows = info.constraint_jacobian.entries().map(|(row, column)| (nv + row, column, constraints.level(row)));
    let all = damping.chain(stiffness).chain(rows).enumerate();
    all.flat_map(|(value, (row, column, by))| match by {
        ConstraintLevel::Acceleration => vec![Term { value, row, column, answer: Answer::Acceleration }],
        ConstraintLevel::Velocity => vec![Term { value, row, column, answer: Answer::Velocity }],
        ConstraintLevel::Position => moved(value, row, column),
    })
    .collect()
}
