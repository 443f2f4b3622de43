//! A model in which modal coordinates replace a range of coordinates, q = Φ z; all equations are projected.
//!
//! Rows and columns of modes are dense; all others are unchanged.

use core::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nalgebra::DMatrix;

use super::{ModalError, Modes, coordinates, member_modes};
use crate::model::{Block, Channel, ContactLaw, Energy, JointLimits, Model, ModelInfo, ParameterError, State};
use crate::prelude::*;
use crate::sparsity::SparsityPattern;

/// A reduced model. It is a [`Model`] that every scheme can integrate, with the outputs of the full model.
pub struct Reduced<'m> {
    model: &'m dyn Model,
    shapes: DMatrix<f64>,
    q: ModalRange,
    v: ModalRange,
    info: ModelInfo,
    singular_angles: Vec<usize>,
    /// Workspace, because evaluation must not allocate; in a mutex, because models are shared between threads.
    scratch: Mutex<Scratch>,
}

/// The range in the full model that is replaced, and the number of modes that replace it.
#[derive(Clone, Debug)]
struct ModalRange {
    whole: Range<usize>,
    modes: usize,
}

/// Meaning of the rows of a matrix A: with velocities it becomes Φᵀ A Φ, with conditions A Φ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowKind {
    /// Velocities, and constraints after them.
    Velocities,
    /// Constraints or contacts.
    Conditions,
}

/// What corresponds to an index of the full model.
enum NewPlace {
    /// This index.
    Kept(usize),
    /// A combination of the modes, with this row of Φ.
    Modal(usize),
}

impl ModalRange {
    fn place(&self, index: usize) -> NewPlace {
        if self.whole.contains(&index) {
            NewPlace::Modal(index - self.whole.start)
        } else if index < self.whole.start {
            NewPlace::Kept(index)
        } else {
            NewPlace::Kept(index - self.whole.len() + self.modes)
        }
    }

    /// The indices of the modes.
    fn modal(&self) -> Range<usize> {
        self.whole.start..self.whole.start + self.modes
    }

    /// The indices of the reduced model that correspond to one of the full model.
    fn reach(&self, index: usize) -> Range<usize> {
        match self.place(index) {
            NewPlace::Kept(place) => place..place + 1,
            NewPlace::Modal(_) => self.modal(),
        }
    }

    /// The reduced number of `n` entries.
    fn size(&self, n: usize) -> usize {
        n - self.whole.len() + self.modes
    }

    /// Φ z for the modes; other entries are copied.
    fn expand(&self, shapes: &DMatrix<f64>, reduced: &[f64], whole: &mut [f64]) {
        let (modal, n) = (self.modal(), whole.len());
        whole[..self.whole.start].copy_from_slice(&reduced[..modal.start]);
        whole[self.whole.end..].copy_from_slice(&reduced[modal.end..self.size(n)]);
        let inside = &mut whole[self.whole.clone()];
        inside.fill(0.0);
        for (mode, &z) in reduced[modal].iter().enumerate() {
            inside.iter_mut().zip(shapes.column(mode).iter()).for_each(|(x, shape)| *x += shape * z);
        }
    }

    /// Φᵀ f for the modes; other entries are copied.
    fn project(&self, shapes: &DMatrix<f64>, whole: &[f64], reduced: &mut [f64]) {
        let modal = self.modal();
        reduced[..modal.start].copy_from_slice(&whole[..self.whole.start]);
        reduced[modal.end..].copy_from_slice(&whole[self.whole.end..]);
        for (mode, value) in reduced[modal].iter_mut().enumerate() {
            *value = whole[self.whole.clone()].iter().zip(shapes.column(mode).iter()).map(|(f, shape)| f * shape).sum();
        }
    }
}

/// Values of the full model, and intermediate products.
struct Scratch {
    state: State,
    force: Vec<f64>,
    values: Vec<f64>,
    /// A Φ and Φᵀ A Φ, by columns.
    half: DMatrix<f64>,
    full: DMatrix<f64>,
}

impl<'m> Reduced<'m> {
    /// The model with the lowest modes of a flexible member, `modes` of them, in place of the coordinates of its nodes.
    /// The modes include the inertia of all bodies that the member carries.
    ///
    /// # Errors
    /// [`ModalError::NoMember`], [`ModalError::Massless`], and [`ModalError::TooMany`] for more modes than coordinates.
    ///
    /// # Examples
    /// A cantilever with unit length, stiffness and mass, by three modes instead of twelve coordinates. In modal coordinates
    /// the mass matrix is the unit matrix.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Cantilever {
    /// #         planar;
    /// #         coordinates joint;
    /// #         flexible beam: beam_floating_frame {
    /// #             length: 1 m, elements: 4, E: 1 Pa, density: 1 kg/m^3, area: 1 m^2, second_moment: 1 m^4,
    /// #         }
    /// #         joint clamp: fixed(ground, beam.root);
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::Model;
    /// use hamel::modal::Reduced;
    ///
    /// let cantilever = Cantilever::default();
    /// let reduced = Reduced::member(&cantilever, "beam", 3)?;
    /// assert_eq!((cantilever.dims().nq, reduced.dims().nq), (12, 3));
    /// let pattern = &reduced.describe().mass_matrix;
    /// let mut values = vec![0.0; pattern.nnz()];
    /// reduced.mass_matrix(&[0.0; 3], &mut values);
    /// let identity = hamel::nalgebra::DMatrix::identity(3, 3);
    /// assert!((pattern.to_dense(&values) - identity).amax() < 1e-12);
    /// # Ok(())
    /// # }
    /// ```
    pub fn member(model: &'m dyn Model, member: &str, modes: usize) -> Result<Self, ModalError> {
        Self::new(model, &member_modes(model, member)?.lowest(modes)?)
    }

    /// The model with modes in place of the coordinates to which they belong. The modes may be those of another model
    /// with the same coordinates, for example without the bodies that the member carries.
    ///
    /// The description of the reduced model, [`Model::describe`], is allocated for the lifetime of the program.
    ///
    /// # Errors
    /// [`ModalError::NotLinear`], and [`ModalError::TooMany`] for more modes than coordinates.
    ///
    /// # Examples
    /// Modes chosen by their index: in modal coordinates the stiffness matrix has the squares of their angular frequencies.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Cantilever {
    /// #         planar;
    /// #         coordinates joint;
    /// #         flexible beam: beam_floating_frame {
    /// #             length: 1 m, elements: 4, E: 1 Pa, density: 1 kg/m^3, area: 1 m^2, second_moment: 1 m^4,
    /// #         }
    /// #         joint clamp: fixed(ground, beam.root);
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::modal::{Reduced, member_modes};
    /// use hamel::{Model, State};
    ///
    /// let cantilever = Cantilever::default();
    /// let modes = member_modes(&cantilever, "beam")?.selected(&[0, 2])?;
    /// let reduced = Reduced::new(&cantilever, &modes)?;
    /// let pattern = &reduced.describe().stiffness;
    /// let mut values = vec![0.0; pattern.nnz()];
    /// reduced.stiffness(&State::zeros(reduced.dims()), &mut values);
    /// let stiffness = pattern.to_dense(&values);
    /// for (i, frequency) in modes.frequencies.iter().enumerate() {
    ///     let square = (std::f64::consts::TAU * frequency).powi(2);
    ///     assert!((stiffness[(i, i)] / square - 1.0).abs() < 1e-9);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(model: &'m dyn Model, modes: &Modes) -> Result<Self, ModalError> {
        let whole = coordinates(model, &modes.velocities)?;
        let count = modes.shapes.ncols();
        if count > whole.len() {
            return Err(ModalError::TooMany { asked: count, available: whole.len() });
        }
        let dims = model.dims();
        let q = ModalRange { whole, modes: count };
        let v = ModalRange { whole: modes.velocities.clone(), modes: count };
        let info = describe(model.describe(), &q, &v);
        let rows = dims.nv + model.describe().contact_jacobian.rows.max(dims.nc);
        let largest = [
            model.describe().iteration_matrix.nnz(),
            model.describe().contact_jacobian.nnz(),
            (model.n_initial_conditions().0.max(model.n_initial_conditions().1)) * dims.nv,
        ];
        let kept = model.singular_angles().iter().filter_map(|&angle| match q.place(angle) {
            NewPlace::Kept(place) => Some(place),
            NewPlace::Modal(_) => None,
        });
        let singular_angles = kept.collect::<Vec<usize>>();
        let scratch = Scratch {
            state: State::zeros(dims),
            force: vec![0.0; dims.nv],
            values: vec![0.0; largest.into_iter().max().unwrap_or_default()],
            half: DMatrix::zeros(rows, rows),
            full: DMatrix::zeros(rows, rows),
        };
        Ok(Self { model, shapes: modes.shapes.clone(), q, v, info, singular_angles, scratch: Mutex::new(scratch) })
    }

    fn scratch(&self) -> MutexGuard<'_, Scratch> {
        // After a panic the content is still usable, because everything is written before it is read.
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn expand_q(&self, q: &[f64], whole: &mut [f64]) {
        self.q.expand(&self.shapes, q, whole);
    }

    fn expand_v(&self, v: &[f64], whole: &mut [f64]) {
        self.v.expand(&self.shapes, v, whole);
    }

    fn expand_state(&self, state: &State, whole: &mut State) {
        whole.t = state.t;
        whole.lambda.copy_from(&state.lambda);
        self.expand_q(state.q.as_slice(), whole.q.as_mut_slice());
        self.expand_v(state.v.as_slice(), whole.v.as_mut_slice());
        self.expand_v(state.a.as_slice(), whole.a.as_mut_slice());
    }

    /// Projects the matrix with the values in the workspace and the pattern `from` to the values of the pattern `to`.
    fn project_matrix(
        &self,
        rows: RowKind,
        from: &SparsityPattern,
        scratch: &mut Scratch,
        to: &SparsityPattern,
        out: &mut [f64],
    ) {
        let Scratch { values, half, full, .. } = scratch;
        (0..to.columns).for_each(|column| half.column_mut(column).rows_mut(0, from.rows).fill(0.0));
        for ((row, column), &value) in from.entries().zip(&*values) {
            match self.v.place(column) {
                NewPlace::Kept(place) => half[(row, place)] += value,
                NewPlace::Modal(shape) => {
                    for (mode, place) in self.v.modal().enumerate() {
                        half[(row, place)] += value * self.shapes[(shape, mode)];
                    }
                }
            }
        }
        let result = if rows == RowKind::Velocities {
            for column in 0..to.columns {
                let whole = half.column(column);
                let whole = &whole.as_slice()[..from.rows];
                let mut reduced = full.column_mut(column);
                self.v.project(&self.shapes, whole, &mut reduced.as_mut_slice()[..to.rows]);
            }
            full
        } else {
            half
        };
        for ((row, column), value) in to.entries().zip(out) {
            *value = result[(row, column)];
        }
    }

    /// Projects a matrix of the full model, whose values `fill` writes.
    fn matrix(
        &self,
        rows: RowKind,
        pattern: fn(&ModelInfo) -> &SparsityPattern,
        fill: impl FnOnce(&dyn Model, &mut State, &mut [f64]),
        out: &mut [f64],
    ) {
        let scratch = &mut *self.scratch();
        let (from, to) = (pattern(self.model.describe()), pattern(&self.info));
        fill(self.model, &mut scratch.state, &mut scratch.values[..from.nnz()]);
        self.project_matrix(rows, from, scratch, to, out);
    }

    /// Projects derivatives with respect to the velocities' directions, row by row.
    fn project_rows(&self, n: usize, whole: &[f64], reduced: &mut [f64]) {
        let nv = self.model.dims().nv;
        for row in 0..n {
            let to = row * self.v.size(nv)..(row + 1) * self.v.size(nv);
            self.v.project(&self.shapes, &whole[row * nv..(row + 1) * nv], &mut reduced[to]);
        }
    }
}

/// The description of the reduced model.
fn describe(whole: &ModelInfo, q: &ModalRange, v: &ModalRange) -> ModelInfo {
    let member = whole.velocities[v.whole.start].name.split('[').next().unwrap_or_default();
    let channels = |known: &[Channel], run: &ModalRange, unit: &str| -> Vec<Channel> {
        let mode = |mode| Channel::new(format!("{member}.mode[{mode}]"), unit);
        let modes = (0..run.modes).map(mode);
        known[..run.whole.start].iter().cloned().chain(modes).chain(known[run.whole.end..].iter().cloned()).collect()
    };
    let square = |pattern: &SparsityPattern| reduced_pattern(pattern, v, RowKind::Velocities);
    let wide = |pattern: &SparsityPattern| reduced_pattern(pattern, v, RowKind::Conditions);
    // Members' own coordinates have no limits, and those of modes have none either.
    let limits =
        whole.limits.iter().filter_map(|limits| match (q.place(limits.coordinate), v.place(limits.velocity)) {
            (NewPlace::Kept(coordinate), NewPlace::Kept(velocity)) => {
                Some(JointLimits { coordinate, velocity, ..*limits })
            }
            _ => None,
        });
    ModelInfo {
        limits: limits.collect(),
        coordinates: channels(&whole.coordinates, q, "kg^(1/2) m"),
        velocities: channels(&whole.velocities, v, "kg^(1/2) m/s"),
        blocks: reduced_blocks(&whole.blocks, v),
        mass_matrix: square(&whole.mass_matrix),
        damping: square(&whole.damping),
        stiffness: square(&whole.stiffness),
        constraint_jacobian: wide(&whole.constraint_jacobian),
        contact_jacobian: wide(&whole.contact_jacobian),
        iteration_matrix: square(&whole.iteration_matrix),
        ..whole.clone()
    }
}

fn reduced_blocks(blocks: &[Block], v: &ModalRange) -> Vec<Block> {
    let mut result = Vec::new();
    for (block, _, range) in crate::configuration::ranges(blocks) {
        let overlap = v.whole.start.max(range.start)..v.whole.end.min(range.end);
        let has_first = overlap.start == v.whole.start && !overlap.is_empty();
        match block {
            Block::Vector { size } => {
                let modes = if has_first { v.modes } else { 0 };
                let size = size - overlap.len() + modes;
                if size > 0 {
                    result.push(Block::Vector { size });
                }
            }
            other => result.push(other),
        }
    }
    result
}

fn reduced_pattern(pattern: &SparsityPattern, v: &ModalRange, kind: RowKind) -> SparsityPattern {
    let rows = |row: usize| if kind == RowKind::Velocities { v.reach(row) } else { row..row + 1 };
    let entries = pattern.entries().flat_map(|(row, column)| {
        let columns = v.reach(column);
        rows(row).flat_map(move |row| columns.clone().map(move |column| (row, column)))
    });
    let n_rows = if kind == RowKind::Velocities { v.size(pattern.rows) } else { pattern.rows };
    SparsityPattern::from_entries(n_rows, v.size(pattern.columns), entries)
}

impl Model for Reduced<'_> {
    fn describe(&self) -> &ModelInfo {
        &self.info
    }

    fn validate(&self) -> Result<(), ParameterError> {
        self.model.validate()
    }

    fn mass_matrix(&self, q: &[f64], out: &mut [f64]) {
        let fill = |model: &dyn Model, state: &mut State, values: &mut [f64]| {
            self.expand_q(q, state.q.as_mut_slice());
            model.mass_matrix(state.q.as_slice(), values);
        };
        self.matrix(RowKind::Velocities, |info| &info.mass_matrix, fill, out);
    }

    fn bias_force(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let Scratch { state, force, .. } = &mut *self.scratch();
        self.expand_q(q, state.q.as_mut_slice());
        self.expand_v(v, state.v.as_mut_slice());
        self.model.bias_force(state.q.as_slice(), state.v.as_slice(), force);
        self.v.project(&self.shapes, force, out);
    }

    fn applied_force(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        let Scratch { state, force, .. } = &mut *self.scratch();
        self.expand_q(q, state.q.as_mut_slice());
        self.expand_v(v, state.v.as_mut_slice());
        self.model.applied_force(t, state.q.as_slice(), state.v.as_slice(), force);
        self.v.project(&self.shapes, force, out);
    }

    fn constraint(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let Scratch { state, .. } = &mut *self.scratch();
        self.expand_q(q, state.q.as_mut_slice());
        self.model.constraint(t, state.q.as_slice(), out);
    }

    fn constraint_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let fill = |model: &dyn Model, state: &mut State, values: &mut [f64]| {
            self.expand_q(q, state.q.as_mut_slice());
            model.constraint_jacobian(t, state.q.as_slice(), values);
        };
        self.matrix(RowKind::Conditions, |info| &info.constraint_jacobian, fill, out);
    }

    fn constraint_bias(&self, t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        let Scratch { state, .. } = &mut *self.scratch();
        self.expand_q(q, state.q.as_mut_slice());
        self.expand_v(v, state.v.as_mut_slice());
        self.model.constraint_bias(t, state.q.as_slice(), state.v.as_slice(), rate, acceleration);
    }

    fn contact_gap(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let Scratch { state, .. } = &mut *self.scratch();
        self.expand_q(q, state.q.as_mut_slice());
        self.model.contact_gap(t, state.q.as_slice(), out);
    }

    fn contact_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let fill = |model: &dyn Model, state: &mut State, values: &mut [f64]| {
            self.expand_q(q, state.q.as_mut_slice());
            model.contact_jacobian(t, state.q.as_slice(), values);
        };
        self.matrix(RowKind::Conditions, |info| &info.contact_jacobian, fill, out);
    }

    fn contact_bias(&self, t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        let Scratch { state, .. } = &mut *self.scratch();
        self.expand_q(q, state.q.as_mut_slice());
        self.expand_v(v, state.v.as_mut_slice());
        self.model.contact_bias(t, state.q.as_slice(), state.v.as_slice(), rate, acceleration);
    }

    fn contact_laws(&self, out: &mut [ContactLaw]) {
        self.model.contact_laws(out);
    }

    fn switching_times(&self, visit: &mut dyn FnMut([f64; 2], &[usize])) {
        self.model.switching_times(visit);
    }

    fn input_times(&self, visit: &mut dyn FnMut([f64; 2], bool)) {
        self.model.input_times(visit);
    }

    fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Energy {
        let Scratch { state, .. } = &mut *self.scratch();
        self.expand_q(q, state.q.as_mut_slice());
        self.expand_v(v, state.v.as_mut_slice());
        self.model.energy(t, state.q.as_slice(), state.v.as_slice())
    }

    fn power(&self, t: f64, q: &[f64], v: &[f64]) -> Option<f64> {
        let Scratch { state, .. } = &mut *self.scratch();
        self.expand_q(q, state.q.as_mut_slice());
        self.expand_v(v, state.v.as_mut_slice());
        self.model.power(t, state.q.as_slice(), state.v.as_slice())
    }

    // These three serve outside of steps and take their room anew.
    fn constraint_derivatives(
        &self,
        state: &State,
        rate_by_q: &mut [f64],
        acceleration_by_q: &mut [f64],
        acceleration_by_v: &mut [f64],
    ) -> bool {
        let Scratch { state: whole, .. } = &mut *self.scratch();
        self.expand_state(state, whole);
        let (nc, nv) = (state.lambda.len(), whole.v.len());
        let [mut rate, mut by_q, mut by_v] = [(); 3].map(|()| vec![0.0; nc * nv]);
        let is_known = self.model.constraint_derivatives(whole, &mut rate, &mut by_q, &mut by_v);
        if is_known {
            for (rows, out) in [(rate, rate_by_q), (by_q, acceleration_by_q), (by_v, acceleration_by_v)] {
                self.project_rows(nc, &rows, out);
            }
        }
        is_known
    }

    fn input_derivatives(&self, state: &State, out: &mut [f64]) -> bool {
        let Scratch { state: whole, .. } = &mut *self.scratch();
        self.expand_state(state, whole);
        let (nu, nv) = (self.info.inputs.len(), whole.v.len());
        let mut by_input = vec![0.0; nv * nu];
        let is_known = self.model.input_derivatives(whole, &mut by_input);
        if is_known {
            let mut projected = vec![0.0; state.v.len()];
            for input in 0..nu {
                let column: Vec<f64> = by_input.iter().skip(input).step_by(nu).copied().collect();
                self.v.project(&self.shapes, &column, &mut projected);
                projected.iter().enumerate().for_each(|(row, value)| out[row * nu + input] = *value);
            }
        }
        is_known
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
        let Scratch { state: whole, .. } = &mut *self.scratch();
        self.expand_state(state, whole);
        let (ny, nv) = (self.info.outputs.len(), whole.v.len());
        let mut rows = [(); 3].map(|()| vec![0.0; ny * nv]);
        let [of_q, of_v, of_a] = &mut rows;
        let is_known = self.model.output_derivatives(whole, of_q, of_v, of_a, by_lambda, by_u);
        if is_known {
            rows.iter().zip([by_q, by_v, by_a]).for_each(|(rows, out)| self.project_rows(ny, rows, out));
        }
        is_known
    }

    fn input_values(&self, t: f64, out: &mut [f64]) {
        self.model.input_values(t, out);
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        let Scratch { state: whole, .. } = &mut *self.scratch();
        self.expand_state(state, whole);
        self.model.outputs(whole, out);
    }

    fn residual(&self, state: &State, r: &mut [f64], g: &mut [f64]) {
        let Scratch { state: whole, force, .. } = &mut *self.scratch();
        self.expand_state(state, whole);
        self.model.residual(whole, force, g);
        self.v.project(&self.shapes, force, r);
    }

    fn iteration_matrix(&self, state: &State, ca: f64, cv: f64, cq: f64, values: &mut [f64]) {
        let fill = |model: &dyn Model, whole: &mut State, values: &mut [f64]| {
            self.expand_state(state, whole);
            model.iteration_matrix(whole, ca, cv, cq, values);
        };
        self.matrix(RowKind::Velocities, |info| &info.iteration_matrix, fill, values);
    }

    fn damping(&self, state: &State, out: &mut [f64]) {
        let fill = |model: &dyn Model, whole: &mut State, values: &mut [f64]| {
            self.expand_state(state, whole);
            model.damping(whole, values);
        };
        self.matrix(RowKind::Velocities, |info| &info.damping, fill, out);
    }

    fn stiffness(&self, state: &State, out: &mut [f64]) {
        let fill = |model: &dyn Model, whole: &mut State, values: &mut [f64]| {
            self.expand_state(state, whole);
            model.stiffness(whole, values);
        };
        self.matrix(RowKind::Velocities, |info| &info.stiffness, fill, out);
    }

    /// That of the full model, with modal coordinates of zero.
    fn reference_configuration(&self, q: &mut [f64]) {
        let Scratch { state, .. } = &mut *self.scratch();
        self.model.reference_configuration(state.q.as_mut_slice());
        let (modal, whole) = (self.q.modal(), state.q.as_slice());
        q[..modal.start].copy_from_slice(&whole[..self.q.whole.start]);
        q[modal.end..].copy_from_slice(&whole[self.q.whole.end..]);
        q[modal].fill(0.0);
    }

    fn singular_angles(&self) -> &[usize] {
        &self.singular_angles
    }

    fn n_initial_conditions(&self) -> (usize, usize) {
        self.model.n_initial_conditions()
    }

    fn initial_position(&self, t: f64, q: &[f64], residual: &mut [f64], jacobian: &mut [f64]) {
        let Scratch { state, values, .. } = &mut *self.scratch();
        self.expand_q(q, state.q.as_mut_slice());
        let values = &mut values[..residual.len() * state.v.len()];
        self.model.initial_position(t, state.q.as_slice(), residual, values);
        self.project_rows(residual.len(), values, jacobian);
    }

    fn initial_velocity(&self, t: f64, q: &[f64], v: &[f64], residual: &mut [f64], jacobian: &mut [f64]) {
        let Scratch { state, values, .. } = &mut *self.scratch();
        self.expand_q(q, state.q.as_mut_slice());
        self.expand_v(v, state.v.as_mut_slice());
        let values = &mut values[..residual.len() * state.v.len()];
        self.model.initial_velocity(t, state.q.as_slice(), state.v.as_slice(), residual, values);
        self.project_rows(residual.len(), values, jacobian);
    }
}
