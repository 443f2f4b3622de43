//! Linearisation of a motion: `E ẋ = A x + B u`, `y = C x + D u` for small departures from an equilibrium, from a steady
//! motion, or from any state.
//!
//! x are displacements and velocities that are independent under the constraints, on velocities too, and first-order
//! states. All derivatives are exact: those of forces along with those of the constraints that carry them, and of the
//! accelerations that constraints demand. A model with inputs, outputs or constraints has them where its text says
//! `provide linearization;`.
//!
//! The state matrix E⁻¹ A of an equilibrium or of a steady motion does not change in time, and its eigenvalues tell
//! whether small departures grow; [`monodromy`] does the same for periodic motions. [`locus`] follows eigenvalues over a
//! parameter.

mod axes;
mod doubts;
mod eigen;
mod error;
mod first_order;
mod hessenberg;
mod locus;
mod modes;
mod partition;
mod periodic;
mod response;
mod steady;
mod sums;
mod terms;

pub use axes::Axes;
pub use doubts::Doubt;
pub use error::LinearizeError;
pub(crate) use first_order::displacements;
pub use first_order::{FirstOrder, first_order};
pub use locus::{Locus, locus};
pub use modes::Mode;
pub use periodic::{Monodromy, monodromy};

use nalgebra::{DMatrix, DVector};

use crate::configuration::{ranges, velocity_map_apply};
use crate::equilibrium::equilibrium;
use crate::model::{Block, Channel, Model, ModelInfo, State};
use crate::prelude::*;
use crate::start::check_start;
use axes::Directions;
use partition::Partition;
use sums::sum;
use terms::Terms;

/// About what a model is linearised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The equilibrium at the time of the state that Newton's method finds from it.
    Equilibrium,
    /// The steady motion that the state belongs to: all velocities stay, in the axes of each body that turns or in those of
    /// the ground, coordinates move on, and nothing that the equations depend on changes.
    Steady,
    /// The state, with the accelerations that it has. Where these change the motion, the matrices are those of the instant.
    State,
}

/// Matrices of small departures from a motion, with the names of what they multiply.
#[derive(Clone, Debug)]
pub struct Linearization {
    /// Name of the model.
    pub model: String,
    /// About what it was linearised.
    pub about: About,
    /// The state about which; of an equilibrium the one that was found.
    pub state: State,
    /// Axes of small rotations and of the velocities that belong to them.
    pub axes: Axes,
    /// x: independent displacements, then independent velocities and first-order states. A displacement has the name of
    /// its coordinate, `hinge.angle`, its rate that of the velocity, `hinge.angle.velocity` where both are equal; small
    /// rotations of bodies and joints are `top.rotation_x`, shifts `hull.shift_x`.
    pub states: Vec<Channel>,
    /// How many of x are displacements.
    pub displacements: usize,
    /// u, the inputs of the model.
    pub inputs: Vec<Channel>,
    /// y, the outputs of the model.
    pub outputs: Vec<Channel>,
    /// E, `[n × n]`: the identity for displacements, and the mass matrix of the independent velocities, which is symmetric
    /// and positive definite.
    pub e: DMatrix<f64>,
    /// A, `[n × n]`.
    pub a: DMatrix<f64>,
    /// B, `[n × inputs]`.
    pub b: DMatrix<f64>,
    /// C, `[outputs × n]`.
    pub c: DMatrix<f64>,
    /// D, `[outputs × inputs]`.
    pub d: DMatrix<f64>,
    /// E⁻¹ A, `[n × n]`.
    pub state_matrix: DMatrix<f64>,
    /// E⁻¹ B, `[n × inputs]`.
    pub input_matrix: DMatrix<f64>,
    /// The coordinates q of the model.
    pub coordinates: Vec<Channel>,
    /// The velocities v of the model.
    pub velocities: Vec<Channel>,
    /// Changes of q by x, `[nq × n]`.
    pub coordinates_by_states: DMatrix<f64>,
    /// Changes of v by x, `[nv × n]`.
    pub velocities_by_states: DMatrix<f64>,
    /// Why eigenvalues may not tell whether departures grow.
    pub doubts: Vec<Doubt>,
}

/// The linearisation of a model about an equilibrium, a steady motion or a state; see [`About`].
///
/// # Errors
/// [`LinearizeError`]: a model without the derivatives that are needed, a state that obeys no constraints, no equilibrium,
/// no steady motion, closed contacts, constraints that depend on each other in this configuration alone.
///
/// # Examples
/// A mass of 2 kg on a spring of 50 N/m and a damper of 4 N s/m, pushed by a force: `x = [displacement, velocity]`.
///
/// ```
/// # hamel::multibody! {
/// #     model Suspension {
/// #         planar;
/// #         coordinates joint;
/// #         gravity [9.81, 0] m/s^2;
/// #         input push N;
/// #         body block { mass: 2 kg, inertia: 1 kg m^2 }
/// #         joint guide: prismatic(ground, block);
/// #         force spring: spring(ground, block) { stiffness: 50 N/m }
/// #         force damper: -4 N s/m * guide.velocity on guide;
/// #         force push: [push, 0] on block;
/// #         output way = guide.displacement;
/// #         provide linearization;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::linearize::About;
///
/// let model = Suspension::default();
/// let linear = hamel::linearize(&model, &hamel::initial_state(&model)?, About::Equilibrium)?;
/// let near = |found: &[f64], expected: [f64; 4]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
/// // Column by column.
/// assert!(near(linear.e.as_slice(), [1.0, 0.0, 0.0, 2.0]));
/// assert!(near(linear.a.as_slice(), [0.0, -50.0, 1.0, -4.0]));
/// assert_eq!(linear.states[1].name, "guide.displacement.velocity");
///
/// // ω = √(k/m) = 5 rad/s and ζ = d / 2√(k m) = 0.2.
/// let mode = &linear.modes()?[0];
/// assert!((mode.frequency() * std::f64::consts::TAU - 5.0).abs() < 1e-12);
/// assert!((mode.damping_ratio() - 0.2).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
pub fn linearize(model: &dyn Model, state: &State, about: About) -> Result<Linearization, LinearizeError> {
    model.validate()?;
    match about {
        About::Equilibrium => {
            let rest = equilibrium(model, state)?.state;
            steady::check_rest(model, &rest)?;
            check(model, &rest)?;
            Ok(Instant::new(model, &rest, Axes::Own)?.into_linearization(model, about))
        }
        About::Steady => {
            check(model, state)?;
            Ok(steady::instant(model, state)?.into_linearization(model, about))
        }
        About::State => {
            check(model, state)?;
            Ok(Instant::new(model, state, Axes::Own)?.into_linearization(model, about))
        }
    }
}

/// A state that obeys the constraints, without forces of contacts.
fn check(model: &dyn Model, state: &State) -> Result<(), LinearizeError> {
    check_start(model, state)?;
    let info = model.describe();
    let mut gaps = vec![0.0; info.contacts.len()];
    model.contact_gap(state.t, state.q.as_slice(), &mut gaps);
    match gaps.iter().position(|gap| *gap <= CLOSED) {
        Some(closed) => {
            let contact = info.contacts[closed].name.clone();
            Err(LinearizeError::ClosedContact { model: info.name.clone(), contact })
        }
        None => Ok(()),
    }
}

/// A gap up to this, m or rad, is closed.
const CLOSED: f64 = 1e-9;
/// Gradients of constraints that depend on each other may change by this part of the change of the largest, in other
/// directions than their own.
const BRANCHES: f64 = 1e-6;

/// The linearised equations of one instant.
pub(crate) struct Instant {
    state: State,
    axes: Axes,
    pub(crate) directions: Directions,
    partition: Partition,
    /// Small displacements η and changes of velocities w in the directions of the axes by x, `[2 nv × n]`.
    basis: DMatrix<f64>,
    /// Their rates by themselves, `[2 nv × 2 nv]`, and of w by the inputs, `[nv × inputs]`.
    rates: DMatrix<f64>,
    forced: DMatrix<f64>,
    /// Outputs by η and w, `[outputs × 2 nv]`, and by the inputs.
    outputs: DMatrix<f64>,
    direct: DMatrix<f64>,
    mass: DMatrix<f64>,
}

impl Instant {
    pub(crate) fn new(model: &dyn Model, state: &State, axes: Axes) -> Result<Self, LinearizeError> {
        let info = model.describe();
        let mut state = state.clone();
        let terms = Terms::new(model, &mut state)?;
        let directions = Directions::new(&info.blocks, axes, &state);
        let (u, v) = (&directions.u, &directions.v);
        let g = sum(&[(&terms.jacobian, u)]);
        let h = sum(&[(&terms.jacobian, v), (&terms.rate_by_q, u)]);
        let nv = state.v.len();
        let on_positions = g.nrows() - info.velocity_constraints;
        let partition = Partition::new(&g, &h, on_positions, info.states).map_err(|row| {
            let constraint = info.constraints[row].name.clone();
            LinearizeError::SingularConfiguration { model: info.name.clone(), constraint }
        })?;
        check_dependences(model, &state, &directions, &partition)?;
        let own = directions.rates(&terms.p, &terms.q);
        let mut rates = DMatrix::zeros(2 * nv, 2 * nv);
        let mut set = |row, column, block: &DMatrix<f64>| rates.view_mut((row, column), (nv, nv)).copy_from(block);
        set(0, 0, &-&own.k);
        set(0, nv, &DMatrix::identity(nv, nv));
        set(nv, 0, &own.p);
        set(nv, nv, &own.q);
        let [by_q, by_v, by_u] = &terms.outputs;
        let mut outputs = DMatrix::zeros(by_q.nrows(), 2 * nv);
        outputs.columns_mut(0, nv).copy_from(&(by_q * u + by_v * v));
        outputs.columns_mut(nv, nv).copy_from(&(by_v * u));
        let Partition { positions, speeds, .. } = &partition;
        let (displacements, n) = (positions.len(), positions.len() + speeds.len());
        let mut basis = DMatrix::zeros(2 * nv, n);
        basis.view_mut((0, 0), (nv, displacements)).copy_from(&partition.of_positions);
        basis.view_mut((nv, 0), (nv, displacements)).copy_from(&partition.velocity_by_positions);
        basis.view_mut((nv, displacements), (nv, n - displacements)).copy_from(&partition.of_speeds);
        let moved = u * &partition.of_speeds;
        Ok(Self {
            forced: &directions.inverse * &terms.r,
            direct: by_u.clone(),
            mass: moved.transpose() * terms.mass * &moved,
            state,
            axes,
            directions,
            partition,
            basis,
            rates,
            outputs,
        })
    }

    /// Places of x among η and w.
    fn places(&self) -> Vec<usize> {
        let nv = self.state.v.len();
        let Partition { positions, speeds, .. } = &self.partition;
        positions.iter().copied().chain(speeds.iter().map(|speed| nv + speed)).collect()
    }

    /// The matrix of ẋ by x: entries of η and w that x consists of have it as their rates, whatever the basis does.
    fn state_matrix(&self) -> DMatrix<f64> {
        sum(&[(&self.rates.select_rows(&self.places()), &self.basis)])
    }

    /// The matrix of ẋ by the inputs.
    fn input_matrix(&self) -> DMatrix<f64> {
        let displacements = self.partition.positions.len();
        let mut matrix = DMatrix::zeros(self.basis.ncols(), self.forced.ncols());
        let rows = self.forced.select_rows(&self.partition.speeds);
        matrix.rows_mut(displacements, rows.nrows()).copy_from(&rows);
        matrix
    }

    fn into_linearization(self, model: &dyn Model, about: About) -> Linearization {
        let info = model.describe();
        let nv = self.state.v.len();
        let (state_matrix, input_matrix) = (self.state_matrix(), self.input_matrix());
        let (n, displacements) = (state_matrix.nrows(), self.partition.positions.len());
        let mut e = DMatrix::identity(n, n);
        let symmetric = (&self.mass + self.mass.transpose()) * 0.5;
        e.view_mut((displacements, displacements), symmetric.shape()).copy_from(&symmetric);
        // From directions of the axes to those of the model.
        let Directions { u, v, .. } = &self.directions;
        let (eta, w) = (self.basis.rows(0, nv), self.basis.rows(nv, nv));
        let displaced = u * eta;
        let velocities_by_states = u * w + v * eta;
        let mut coordinates_by_states = DMatrix::zeros(self.state.q.len(), n);
        for (mut column, displaced) in coordinates_by_states.column_iter_mut().zip(displaced.column_iter()) {
            let direction: DVector<f64> = displaced.into_owned();
            let mut moved = vec![0.0; self.state.q.len()];
            velocity_map_apply(&info.blocks, self.state.q.as_slice(), direction.as_slice(), &mut moved);
            column.copy_from_slice(&moved);
        }
        Linearization {
            model: info.name.clone(),
            about,
            axes: self.axes,
            states: names(info, &self.partition),
            displacements,
            inputs: info.inputs.clone(),
            outputs: info.outputs.clone(),
            a: &e * &state_matrix,
            b: &e * &input_matrix,
            e,
            c: sum(&[(&self.outputs, &self.basis)]),
            d: self.direct.clone(),
            state_matrix,
            input_matrix,
            coordinates: info.coordinates.clone(),
            velocities: info.velocities.clone(),
            coordinates_by_states,
            velocities_by_states,
            doubts: doubts::doubts(model, &self.state, about),
            state: self.state,
        }
    }
}

/// Refuses constraints that follow from others here, but not in configurations beside this one: with factors c such that
/// Gᵀ c = 0, the derivative of Gᵀ c along the motions that are left must be a force of constraints again.
fn check_dependences(
    model: &dyn Model,
    state: &State,
    directions: &Directions,
    partition: &Partition,
) -> Result<(), LinearizeError> {
    let info = model.describe();
    let stiffness = |lambda: DVector<f64>| {
        let mut values = vec![0.0; info.stiffness.nnz()];
        model.stiffness(&State { lambda, ..state.clone() }, &mut values);
        info.stiffness.to_dense(&values)
    };
    for dependence in &partition.dependences {
        let change = stiffness(DVector::zeros(state.lambda.len())) - stiffness(dependence.factors.clone());
        let along = |basis: &DMatrix<f64>| &directions.u * basis;
        let motions = along(&partition.of_positions);
        let work = match dependence.is_on_positions {
            true => motions.transpose() * &change * &motions,
            false => along(&partition.of_speeds).transpose() * &change * &motions,
        };
        if !work.is_empty() && work.amax() > BRANCHES * (1e-3 + change.amax()) {
            let constraint = info.constraints[dependence.row].name.clone();
            return Err(LinearizeError::SingularConfiguration { model: info.name.clone(), constraint });
        }
    }
    Ok(())
}

/// Names of x.
fn names(info: &ModelInfo, partition: &Partition) -> Vec<Channel> {
    let mut displacements = Vec::with_capacity(info.velocities.len());
    let mut speeds = Vec::with_capacity(info.velocities.len());
    for (block, q, v) in ranges(&info.blocks) {
        let velocities = &info.velocities[v];
        let of = |channel: &Channel| channel.name.rsplit_once('.').map_or(String::new(), |(of, _)| format!("{of}."));
        let axis = |index: usize| ["x", "y", "z"][index];
        match block {
            Block::Vector { .. } => {
                for (coordinate, velocity) in info.coordinates[q].iter().zip(velocities) {
                    displacements.push(coordinate.clone());
                    let is_rate = coordinate.name == velocity.name;
                    let ending = if is_rate { ".velocity" } else { "" };
                    speeds.push(Channel::new(format!("{}{ending}", velocity.name), velocity.unit.clone()));
                }
            }
            Block::EulerParameters => {
                for index in 0..3 {
                    let of = of(&velocities[0]);
                    displacements.push(Channel::new(format!("{of}rotation_{}", axis(index)), "rad"));
                    speeds.push(Channel::new(format!("{of}omega_{}", axis(index)), "rad/s"));
                }
                displacements.push(Channel::new(format!("{}norm", of(&velocities[0])), "1"));
                speeds.push(Channel::new(format!("{}norm.velocity", of(&velocities[0])), "1/s"));
            }
            Block::Rotation(_) | Block::Pose(_) => {
                let turn = block.turn().map_or(0, |(offset, _)| offset);
                for (index, velocity) in velocities.iter().enumerate() {
                    let (what, unit, place) =
                        if index < turn { ("shift", "m", index) } else { ("rotation", "rad", index - turn) };
                    displacements.push(Channel::new(format!("{}{what}_{}", of(velocity), axis(place)), unit));
                    speeds.push(velocity.clone());
                }
            }
        }
    }
    let positions = partition.positions.iter().map(|&direction| displacements[direction].clone());
    positions.chain(partition.speeds.iter().map(|&direction| speeds[direction].clone())).collect()
}
