//! Interface between models and everything that integrates, checks or plots them.
//!
//! Sign convention:
//! `M(q) a + h(q, v) = f(t, q, v) + G(t, q)ᵀ λ`, `g(t, q) = 0`, `G = (∂g/∂q) N`, `q̇ = N(q) v`,
//! `r = M a + h − f − Gᵀ λ`.
//!
//! A constraint on velocities, `A(t, q) v + b(t, q) = 0`, is also a row of g: with G = A it acts on the motion in the
//! same way, but it does not restrict coordinates.
//!
//! Forces of contacts are additional, `M a + h = f + Gᵀ λ + W λ_contact`; they are part of neither f nor r. A model
//! defines gaps, directions and laws of its contacts; the scheme that integrates it determines their forces.
//!
//! Matrices are passed as the values of a [`SparsityPattern`]; the patterns are part of [`ModelInfo`] and constant.

use alloc::sync::Arc;
use core::any::Any;

use nalgebra::DVector;

use crate::abreast::{ABREAST, Abreast, LaneFunctions};
use crate::prelude::*;
use crate::sparsity::SparsityPattern;
use crate::spelling::{similar, suggestion};

/// Sizes of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dims {
    /// Generalized coordinates q.
    pub nq: usize,
    /// Generalized velocities v.
    pub nv: usize,
    /// Constraints g, on coordinates and on velocities.
    pub nc: usize,
}

/// Time, coordinates, velocities, accelerations and multipliers of one instant.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// Generalized coordinates, `[nq]`.
    #[cfg_attr(feature = "serde", serde(with = "crate::serialised::vector"))]
    pub q: DVector<f64>,
    /// Generalized velocities, `[nv]`.
    #[cfg_attr(feature = "serde", serde(with = "crate::serialised::vector"))]
    pub v: DVector<f64>,
    /// Generalized accelerations, `[nv]`.
    #[cfg_attr(feature = "serde", serde(with = "crate::serialised::vector"))]
    pub a: DVector<f64>,
    /// Lagrange multipliers, `[nc]`.
    #[cfg_attr(feature = "serde", serde(with = "crate::serialised::vector"))]
    pub lambda: DVector<f64>,
}

impl State {
    /// A state of zeros.
    ///
    /// # Examples
    /// ```
    /// use hamel::{Dims, State};
    ///
    /// // A rigid body with Euler parameters that moves in its own axes, and one constraint.
    /// let state = State::zeros(Dims { nq: 7, nv: 6, nc: 1 });
    /// assert_eq!((state.q.len(), state.v.len(), state.a.len(), state.lambda.len()), (7, 6, 6, 1));
    /// ```
    pub fn zeros(dims: Dims) -> Self {
        Self {
            t: 0.0,
            q: DVector::zeros(dims.nq),
            v: DVector::zeros(dims.nv),
            a: DVector::zeros(dims.nv),
            lambda: DVector::zeros(dims.nc),
        }
    }

    /// Sets negligible values to zero.
    pub(crate) fn drop_vanishing(&mut self) {
        let State { q, v, a, lambda, .. } = self;
        [q, v, a, lambda].into_iter().for_each(drop_vanishing);
    }

    /// Copies a state of the same sizes without allocation, unlike `clone_from`.
    pub(crate) fn copy_from(&mut self, other: &State) {
        self.t = other.t;
        self.q.copy_from(&other.q);
        self.v.copy_from(&other.v);
        self.a.copy_from(&other.a);
        self.lambda.copy_from(&other.lambda);
    }
}

/// Values below this are set to zero: products of a few of them are subnormal.
const VANISHING: f64 = 1e-75;

/// Sets to zero what numerical damping has made negligible. A motion without excitation decreases by a factor a step until
/// its numbers are subnormal, with which processors compute a hundred times slower.
pub(crate) fn drop_vanishing(values: &mut DVector<f64>) {
    for value in values.as_mut_slice() {
        *value = if value.abs() < VANISHING { 0.0 } else { *value };
    }
}

/// Mechanical energy, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Energy {
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Energy of gravity and springs, J.
    pub potential: f64,
}

impl Energy {
    /// Kinetic plus potential energy, J.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// Kinematics of a contiguous range of coordinates and its velocities.
///
/// The blocks of a model, in order, cover q and v without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Block {
    /// `q̇ = v`: `size` coordinates and as many velocities.
    Vector {
        /// Number of coordinates.
        size: usize,
    },
    /// Four Euler parameters as redundant coordinates, `q̇ = v`; their norm is a constraint of the model. [sherif, Eq. 5]
    EulerParameters,
    /// A rotation: an attitude in q, the angular velocity in body axes in v.
    Rotation(Attitude),
    /// A pose: position in the parent's axes and an attitude in q; in v the velocity of the moving frame's origin and the
    /// angular velocity, both in its own axes: `ṗ = A u`.
    Pose(Attitude),
}

/// Parametrization of a rotation in q; its velocity in v is the angular velocity in body axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Attitude {
    /// Four Euler parameters, `ė = ½ Lᵀ ω`. [sherif, Eq. 3]
    EulerParameters,
    /// Angles (φ, θ, ψ) of R = Rz(ψ) Ry(θ) Rx(φ), rad, `γ̇ = M(γ) ω`; singular at θ = ±90°. [simo, Eqs. 32, 33]
    EulerAngles,
}

impl Attitude {
    /// Number of coordinates.
    pub fn size(self) -> usize {
        match self {
            Attitude::EulerParameters => 4,
            Attitude::EulerAngles => 3,
        }
    }
}

impl Block {
    /// Number of coordinates and of velocities of this block.
    ///
    /// # Examples
    /// ```
    /// use hamel::{Attitude, Block};
    ///
    /// assert_eq!(Block::Pose(Attitude::EulerParameters).sizes(), (7, 6));
    /// assert_eq!(Block::Rotation(Attitude::EulerAngles).sizes(), (3, 3));
    /// ```
    pub fn sizes(&self) -> (usize, usize) {
        match *self {
            Block::Vector { size } => (size, size),
            Block::EulerParameters => (4, 4),
            Block::Rotation(attitude) => (attitude.size(), 3),
            Block::Pose(attitude) => (3 + attitude.size(), 6),
        }
    }

    /// Offset of the rotation within the coordinates and within the velocities of the block, and its parametrization;
    /// `None` for blocks whose coordinates add as vectors.
    pub fn turn(&self) -> Option<(usize, Attitude)> {
        match *self {
            Block::Vector { .. } | Block::EulerParameters => None,
            Block::Rotation(attitude) => Some((0, attitude)),
            Block::Pose(attitude) => Some((3, attitude)),
        }
    }
}

/// A named scalar with its unit, for tables, plots and CSV headers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Channel {
    /// Name, e.g. `top.e0` or `omega[1]`.
    pub name: String,
    /// SI unit, e.g. `rad/s`; `1` when dimensionless.
    pub unit: String,
}

impl Channel {
    /// A channel of this name and SI unit.
    pub fn new(name: impl Into<String>, unit: impl Into<String>) -> Channel {
        Channel { name: name.into(), unit: unit.into() }
    }
}

/// Limits of the coordinate of a joint, as the model gives them.
///
/// They are data for those who plan and control; the motion does not heed them.
///
/// # Examples
/// ```
/// # hamel::multibody! {
/// #     model Arm {
/// #         planar;
/// #         coordinates joint;
/// #         body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
/// #         joint hinge: revolute(ground, rod) { limits: -90 deg..90 deg, velocity_limit: 2 rad/s }
/// #     }
/// # }
/// use hamel::Model;
///
/// let arm = Arm::new(ArmParameters::default());
/// let limits = &arm.describe().limits[0];
/// assert_eq!(arm.describe().coordinates[limits.coordinate].name, "hinge.angle");
/// assert_eq!(limits.range.map(|range| range[1].to_degrees()), Some(90.0));
/// assert_eq!((limits.speed, limits.effort), (Some(2.0), None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointLimits {
    /// Index of the coordinate in q.
    pub coordinate: usize,
    /// Index of its velocity in v.
    pub velocity: usize,
    /// Lower and upper limit of the coordinate, rad or m.
    pub range: Option<[f64; 2]>,
    /// Greatest magnitude of the velocity, rad/s or m/s.
    pub speed: Option<f64>,
    /// Greatest magnitude of the torque or force along the coordinate, N m or N.
    pub effort: Option<f64>,
}

/// Operation counts of one generated function, summed over the instances that call it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FunctionInfo {
    /// Name, e.g. `residual`.
    pub name: String,
    /// Operations as derived, every expression written out as a tree (saturating).
    pub derived: u64,
    /// Operations after common subexpressions are shared.
    pub shared: u64,
    /// Operations after simplification; parameter-only work is hoisted and not counted.
    pub simplified: u64,
}

/// A unilateral contact of a model: it is open while its gap is positive, and its normal force is never negative.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactInfo {
    /// Name, e.g. `corner[1]`.
    pub name: String,
    /// SI unit of the gap: `m`, or `1` for a stop of a rotation.
    pub unit: String,
    /// Number of directions of friction: 0 without friction, 1, or 2 in space.
    pub tangents: usize,
}

impl ContactInfo {
    /// A contact of this name, with the SI unit of its gap, and its number of directions of friction.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, tangents: usize) -> ContactInfo {
        ContactInfo { name: name.into(), unit: unit.into(), tangents }
    }
}

/// Newton's law of impact and Coulomb's law of friction of a contact. [rezaei, Eqs. 2, 11, 13]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactLaw {
    /// Coefficient of restitution: fraction of the normal velocity that an impact reverses, 0 to 1.
    pub restitution: f64,
    /// Fraction of the tangential velocity that an impact reverses, 0 to 1.
    pub tangential_restitution: f64,
    /// Coefficient of friction, not negative.
    pub friction: f64,
}

/// Description of a model, which is constant: names, units, patterns, operation counts.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ModelInfo {
    /// Name of the model's type.
    pub name: String,
    /// The doc comment of the model.
    pub doc: String,
    /// The text inside `multibody! { … }`; compiling it again gives the same code.
    pub source: String,
    /// Coordinates q.
    pub coordinates: Vec<Channel>,
    /// Velocities v.
    pub velocities: Vec<Channel>,
    /// Limits of coordinates that have any, in the order of the coordinates.
    #[cfg_attr(feature = "serde", serde(default))]
    pub limits: Vec<JointLimits>,
    /// Constraints g (and their multipliers); those on velocities come last.
    pub constraints: Vec<Channel>,
    /// How many of the constraints are on velocities.
    pub velocity_constraints: usize,
    /// First-order states: the last velocities, whose coordinates are their integrals.
    #[cfg_attr(feature = "serde", serde(default))]
    pub states: usize,
    /// Contacts.
    pub contacts: Vec<ContactInfo>,
    /// Outputs, component by component.
    pub outputs: Vec<Channel>,
    /// Parameters, component by component.
    pub parameters: Vec<Channel>,
    /// Inputs.
    pub inputs: Vec<Channel>,
    /// Places in `parameters` of those with respect to which the model has derivatives, see
    /// [`Model::parameter_derivatives`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub differentiated: Vec<usize>,
    /// Structure of the configuration space.
    pub blocks: Vec<Block>,
    /// Pattern of M, `[nv × nv]`.
    pub mass_matrix: SparsityPattern,
    /// Pattern of ∂r/∂v, `[nv × nv]`.
    pub damping: SparsityPattern,
    /// Pattern of (∂r/∂q) N, `[nv × nv]`.
    pub stiffness: SparsityPattern,
    /// Pattern of G, `[nc × nv]`.
    pub constraint_jacobian: SparsityPattern,
    /// Pattern of Wᵀ, `[Σ (1 + tangents) × nv]`: contact by contact the normal, then the tangents.
    pub contact_jacobian: SparsityPattern,
    /// Pattern of the iteration matrix, `[(nv + nc) × (nv + nc)]`.
    pub iteration_matrix: SparsityPattern,
    /// Operation counts.
    pub functions: Vec<FunctionInfo>,
    /// Initial conditions on coordinates and on velocities as source text, component by component.
    pub initial_conditions: (Vec<String>, Vec<String>),
    /// Expressions that may have no finite value or derivative in some states, such as divisions, roots, powers and
    /// logarithms, as source text with the item that contains them; of a loop, those of the first iteration.
    pub singular: Vec<(String, String)>,
    /// Whether [`Model::power`] is zero in every state: only constraints and contacts change the energy.
    pub is_conservative: bool,
    /// Whether constraints do not depend on time (scleronomic), so that the rates of [`Model::constraint_bias`] are zero in
    /// every state: constraints do no work.
    #[cfg_attr(feature = "serde", serde(default))]
    pub is_scleronomic: bool,
}

impl ModelInfo {
    /// Index in [`State::q`] of the coordinate of this name.
    ///
    /// # Errors
    /// If there is no such coordinate, with similar names.
    ///
    /// # Examples
    /// An event where a mass passes x = 0.5 m.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: 4 N/m }
    /// #         initial rail.displacement = 1 m;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::{Direction, Event, Model, State};
    ///
    /// let model = Oscillator::default();
    /// let x = model.describe().coordinate("rail.displacement")?;
    /// let passes = |state: &State| state.q[x] - 0.5;
    /// let event = Event { function: &passes, direction: Direction::Falling, is_terminal: true };
    /// assert_eq!((event.function)(&hamel::initial_state(&model)?), 0.5);
    ///
    /// let error = model.describe().coordinate("rail.displacment").unwrap_err();
    /// let expected = "there is no coordinate `rail.displacment`; did you mean `rail.displacement`?";
    /// assert_eq!(error.to_string(), expected);
    /// # Ok(())
    /// # }
    /// ```
    pub fn coordinate(&self, name: &str) -> Result<usize, UnknownChannel> {
        place("coordinate", &self.coordinates, name)
    }

    /// Index in [`State::v`], and in [`State::a`], of the velocity of this name: that of its coordinate where it is the
    /// rate of one.
    ///
    /// # Errors
    /// If there is no such velocity, with similar names.
    ///
    /// # Examples
    /// ```
    /// # hamel::multibody! {
    /// #     model Top {
    /// #         coordinates joint;
    /// #         body top { mass: 1 kg, inertia: diag(1, 1, 2) kg m^2 }
    /// #         joint tip: spherical(ground, top);
    /// #     }
    /// # }
    /// use hamel::Model;
    ///
    /// let top = Top::default();
    /// let info = top.describe();
    /// assert_eq!((info.coordinate("tip.e1"), info.velocity("tip.omega_z")), (Ok(1), Ok(2)));
    /// assert!(info.velocity("tip.e1").is_err(), "Euler parameters have no rates of their own");
    /// ```
    pub fn velocity(&self, name: &str) -> Result<usize, UnknownChannel> {
        place("velocity", &self.velocities, name)
    }
}

fn place(what: &'static str, channels: &[Channel], name: &str) -> Result<usize, UnknownChannel> {
    let place = channels.iter().position(|channel| channel.name == name);
    place.ok_or_else(|| UnknownChannel {
        what,
        name: name.to_owned(),
        similar: similar(name, channels.iter().map(|channel| channel.name.as_str())),
    })
}

/// The description of one instance, and how many a model is, see [`Model::abreast`].
pub(crate) fn instances(model: &(impl Model + ?Sized)) -> (&ModelInfo, usize) {
    model.abreast().map_or_else(|| (model.describe(), 1), |(_, one)| (one, ABREAST))
}

/// A model has no coordinate or no velocity of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} `{name}`{}", suggestion(.similar))]
pub struct UnknownChannel {
    /// `coordinate` or `velocity`.
    pub what: &'static str,
    /// The unknown name.
    pub name: String,
    /// Names that are similar, the nearest first.
    pub similar: Vec<String>,
}

/// A model has no parameter of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown parameter `{name}`, {}", expected(known))]
pub struct UnknownParameter {
    /// The unknown name.
    pub name: String,
    /// The parameters of the model, component by component.
    pub known: Vec<Channel>,
}

fn expected(known: &[Channel]) -> String {
    match known {
        [] => "the model has none".to_owned(),
        _ => {
            let names: Vec<&str> = known.iter().map(|channel| channel.name.as_str()).collect();
            format!("expected one of {}", names.join(", "))
        }
    }
}

/// A parameter, or a mass or inertia that follows from parameters, whose value is physically impossible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} is {value}, expected {expected}")]
pub struct ParameterError {
    /// The quantity, e.g. ``parameter `mass` `` or ``the mass of `top` ``.
    pub what: String,
    /// Its value, in its SI unit.
    pub value: f64,
    /// The condition that it violates.
    pub expected: String,
}

/// A compiled mechanical system.
///
/// Slices have the lengths of [`Dims`]; matrix values follow the patterns of [`ModelInfo`]. Every function overwrites
/// its output, allocates nothing and is a pure function of its arguments, the parameters and the inputs.
///
/// # Examples
/// Inverse dynamics is one call of [`residual`](Self::residual): with the accelerations of a wanted motion, r is the
/// force that has to be added along each velocity. Here a mass of 1 kg on a spring of 4 N/m.
///
/// ```
/// # hamel::multibody! {
/// #     model Oscillator {
/// #         planar;
/// #         coordinates joint;
/// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
/// #         joint rail: prismatic(ground, block);
/// #         force spring: spring(ground, block) { stiffness: 4 N/m }
/// #         initial rail.displacement = 1 m;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::Model;
///
/// let model = Oscillator::default();
/// let mut state = hamel::initial_state(&model)?;
/// (state.q[0], state.a[0]) = (0.5, 3.0);
/// let mut force = [0.0];
/// model.residual(&state, &mut force, &mut []);
/// assert!((force[0] - (1.0 * 3.0 + 4.0 * 0.5)).abs() < 1e-14);
///
/// let pattern = &model.describe().mass_matrix;
/// let mut values = vec![0.0; pattern.nnz()];
/// model.mass_matrix(state.q.as_slice(), &mut values);
/// assert_eq!(pattern.to_dense(&values)[(0, 0)], 1.0);
/// # Ok(())
/// # }
/// ```
pub trait Model: Send + Sync {
    /// Names, units, patterns and operation counts.
    fn describe(&self) -> &ModelInfo;

    /// Which instances this is, if it is several that are integrated abreast, and the description of one: lists then have
    /// values of all of them, and patterns are those of one.
    #[doc(hidden)]
    fn abreast(&self) -> Option<(&Arc<Abreast>, &ModelInfo)> {
        None
    }

    /// What evaluates functions of instances abreast, of which this is the first one; `None` where they are evaluated one by
    /// one.
    #[doc(hidden)]
    fn functions_abreast<'m>(&self, _instances: &[&'m dyn Model]) -> Option<Box<dyn LaneFunctions + 'm>> {
        None
    }

    /// The model as what it is, where [`functions_abreast`](Self::functions_abreast) has to know.
    #[doc(hidden)]
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// Sizes.
    fn dims(&self) -> Dims {
        let info = self.describe();
        Dims { nq: info.coordinates.len(), nv: info.velocities.len(), nc: info.constraints.len() }
    }

    /// Checks that the parameters are physically possible, for example masses positive.
    ///
    /// # Errors
    /// The first value that is not.
    ///
    /// # Examples
    /// ```
    /// # hamel::multibody! {
    /// #     model Cart {
    /// #         planar;
    /// #         coordinates joint;
    /// #         param mass = 1 kg;
    /// #         body cart { mass: mass, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, cart);
    /// #     }
    /// # }
    /// use hamel::Model;
    ///
    /// assert!(Cart::default().validate().is_ok());
    /// assert!(Cart::new(CartParameters { mass: -1.0 }).validate().is_err());
    /// ```
    fn validate(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    /// M(q), values of its pattern.
    fn mass_matrix(&self, q: &[f64], out: &mut [f64]);
    /// h(q, v), `[nv]`.
    fn bias_force(&self, q: &[f64], v: &[f64], out: &mut [f64]);
    /// f(t, q, v), `[nv]`.
    fn applied_force(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]);
    /// g(t, q), `[nc]`; zero for constraints on velocities.
    fn constraint(&self, t: f64, q: &[f64], out: &mut [f64]);
    /// G(t, q) = (∂g/∂q) N, and A for constraints on velocities; values of its pattern.
    fn constraint_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]);
    /// The parts of ġ and g̈ that do not contain the highest derivative:
    /// `ġ = G v + rate`, `g̈ = G a + acceleration`; both `[nc]`. A constraint on velocities counts as ġ here.
    fn constraint_bias(&self, t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]);
    /// Gaps of the contacts, open when positive, `[contacts]`.
    fn contact_gap(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    /// W(t, q)ᵀ, values of its pattern: rows of the gaps' gradients, `ġ = Wᵀ v + rate`, and of the velocities of slip.
    fn contact_jacobian(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    /// The parts of the contacts' relative velocities and accelerations that do not contain the highest derivative:
    /// `Wᵀ v + rate` and `Wᵀ a + acceleration`; both as long as Wᵀ has rows.
    fn contact_bias(&self, _t: f64, _q: &[f64], _v: &[f64], _rate: &mut [f64], _acceleration: &mut [f64]) {}
    /// Impact and friction of the contacts, `[contacts]`; they depend on parameters only.
    fn contact_laws(&self, _out: &mut [ContactLaw]) {}
    /// Calls `visit` with each time at which forces, rates, constraints or gaps take another formula, as `if time < t1` does,
    /// and after what time it recurs, as with `if sin(rate * time) > 0`, both in s, zero if it does not; and with the
    /// parameters that move it, by their places among those with respect to which there are derivatives. Steps whose lengths
    /// are chosen end there. Those that are not finite are never reached.
    fn switching_times(&self, _visit: &mut dyn FnMut([f64; 2], &[usize])) {}
    /// Calls `visit` with the times at which inputs change their slope, and whether their values jump there, see
    /// [`Signal::corners`](crate::Signal::corners). Steps whose lengths are chosen end there, too.
    fn input_times(&self, _visit: &mut dyn FnMut([f64; 2], bool)) {}
    /// Kinetic and potential energy.
    fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Energy;
    /// Power of everything that changes [`energy`](Self::energy) except constraints and contacts, W: along any motion
    /// `d(T + V)/dt = power − λᵀ rate + contacts`, with `rate` of [`constraint_bias`](Self::constraint_bias); where
    /// coordinates are Euler parameters, along motions that preserve their norm.
    ///
    /// A potential contributes its partial derivative with respect to time. `None` if the power is not known: for
    /// models written by hand that do not implement it, or if a potential depends on an input, a velocity or a state.
    fn power(&self, _t: f64, _q: &[f64], _v: &[f64]) -> Option<f64> {
        None
    }
    /// Accelerations a = M⁻¹ (f − h), `[nv]`, without elimination at run time; whether the model has this function. If it
    /// has not, `a` stays as it is: models with constraints or contacts, in absolute coordinates or with flexible
    /// members.
    ///
    /// # Examples
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: 4 N/m }
    /// #     }
    /// # }
    /// use hamel::Model;
    ///
    /// let mut a = [0.0];
    /// assert!(Oscillator::default().acceleration(0.0, &[0.5], &[0.0], &mut a));
    /// assert_eq!(a, [-2.0]);
    /// ```
    fn acceleration(&self, _t: f64, _q: &[f64], _v: &[f64], _a: &mut [f64]) -> bool {
        false
    }
    /// Derivatives of the accelerations g̈ = G a + γ of the constraints, and of ġ of those on velocities: (∂g̈/∂q) N and
    /// ∂g̈/∂v, both `[nc × nv]`, row by row; whether the model has this function. If it has not, both stay as they are.
    ///
    /// Models in joint coordinates have it where their text says `provide constraint_acceleration_derivatives;`.
    fn constraint_acceleration_derivatives(&self, _state: &State, _by_q: &mut [f64], _by_v: &mut [f64]) -> bool {
        false
    }
    /// M, ∂r/∂v, (∂r/∂q) N and G at once, values of their patterns; whether the model has this function. It costs as much as
    /// one of [`damping`](Self::damping) and [`stiffness`](Self::stiffness).
    fn residual_derivatives(
        &self,
        _state: &State,
        _by_a: &mut [f64],
        _by_v: &mut [f64],
        _by_q: &mut [f64],
        _jacobian: &mut [f64],
    ) -> bool {
        false
    }
    /// Derivatives of the constraints: (∂ġ/∂q) N of ġ = G v + rate, (∂g̈/∂q) N and ∂g̈/∂v of g̈ = G a + acceleration, each
    /// `[nc × nv]`, row by row; a constraint on velocities counts as ġ. Whether the model has this function; if it has
    /// not, the results stay as they are.
    ///
    /// Models have it, the one above and the two below, where their text says `provide linearization;`.
    fn constraint_derivatives(
        &self,
        _state: &State,
        _rate_by_q: &mut [f64],
        _acceleration_by_q: &mut [f64],
        _acceleration_by_v: &mut [f64],
    ) -> bool {
        false
    }
    /// (∂ξ/∂q) N of the relative velocities ξ = Wᵀ v + rate of the contacts, one row for each normal and tangent,
    /// `[rows × nv]`, row by row. Whether the model has this function; if it has not, the result stays as it is.
    ///
    /// Models with contacts have it where their text says `provide linearization;`.
    fn contact_derivatives(&self, _state: &State, _rate_by_q: &mut [f64]) -> bool {
        false
    }
    /// ∂r/∂u, `[nv × inputs]`, row by row; whether the model has this function.
    fn input_derivatives(&self, _state: &State, _out: &mut [f64]) -> bool {
        false
    }
    /// Derivatives of the outputs y: (∂y/∂q) N, ∂y/∂v and ∂y/∂a, `[outputs × nv]`, ∂y/∂λ, `[outputs × nc]`, and ∂y/∂u,
    /// `[outputs × inputs]`, row by row; whether the model has this function.
    fn output_derivatives(
        &self,
        _state: &State,
        _by_q: &mut [f64],
        _by_v: &mut [f64],
        _by_a: &mut [f64],
        _by_lambda: &mut [f64],
        _by_u: &mut [f64],
    ) -> bool {
        false
    }
    /// Derivatives with respect to the parameters p of [`ModelInfo::differentiated`]: ∂r/∂p, `[nv × np]`, and ∂g/∂p, ∂ġ/∂p
    /// and ∂g̈/∂p with ġ = G v + rate and g̈ = G a + acceleration, `[nc × np]`, row by row; a constraint on velocities counts
    /// as ġ in all three. Whether the model has this function; if it has not, the results stay as they are.
    ///
    /// Models have it, the two below and those of `provide linearization;` where their text says `differentiate …;`.
    ///
    /// # Examples
    /// A block of mass m on a spring of stiffness k: r = m a + k q.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         param mass = 1 kg;
    /// #         param stiffness = 4 N/m;
    /// #         body block { mass: mass, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: stiffness }
    /// #         differentiate mass, stiffness;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::Model;
    ///
    /// let model = Oscillator::default();
    /// let mut state = hamel::initial_state(&model)?;
    /// (state.q[0], state.a[0]) = (0.5, 3.0);
    /// let mut force = [0.0; 2];
    /// assert!(model.parameter_derivatives(&state, &mut force, &mut [], &mut [], &mut []));
    /// assert_eq!(force, [3.0, 0.5]);
    /// # Ok(())
    /// # }
    /// ```
    fn parameter_derivatives(
        &self,
        _state: &State,
        _force: &mut [f64],
        _constraint: &mut [f64],
        _rate: &mut [f64],
        _acceleration: &mut [f64],
    ) -> bool {
        false
    }
    /// Derivatives of the contacts with respect to those parameters: of gaps, `[contacts × np]`, of relative velocities,
    /// `[rows × np]`, of the restitution that belongs to each row, `[rows × np]`, and of friction,
    /// `[contacts × np]`, row by row. Whether the model has this function; if it has not, the results stay as they are.
    ///
    /// # Examples
    /// A ball above a plane whose restitution is a parameter.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Ball {
    /// #         planar;
    /// #         coordinates joint;
    /// #         param restitution = 0.5;
    /// #         body ball { mass: 1 kg, inertia: 0.1 kg m^2 }
    /// #         joint rail: prismatic(ground, ball);
    /// #         initial rail.displacement = 1 m;
    /// #         contact floor { gap: rail.displacement, restitution: restitution }
    /// #         differentiate restitution;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::Model;
    ///
    /// let model = Ball::default();
    /// let state = hamel::initial_state(&model)?;
    /// let [mut gap, mut rate, mut restitution, mut friction] = [[0.0]; 4];
    /// assert!(model.contact_parameter_derivatives(
    ///     &state,
    ///     &mut gap,
    ///     &mut rate,
    ///     &mut restitution,
    ///     &mut friction,
    /// ));
    /// assert_eq!((gap, restitution, friction), ([0.0], [1.0], [0.0]));
    /// # Ok(())
    /// # }
    /// ```
    fn contact_parameter_derivatives(
        &self,
        _state: &State,
        _gap: &mut [f64],
        _rate: &mut [f64],
        _restitution: &mut [f64],
        _friction: &mut [f64],
    ) -> bool {
        false
    }
    /// Derivatives of the outputs with respect to those parameters, `[outputs × np]`, row by row; whether the model has
    /// this function.
    fn output_parameter_derivatives(&self, _state: &State, _out: &mut [f64]) -> bool {
        false
    }
    /// For each constraint, `[nc]`, a number that is positive where its joint is assembled the right way round, and negative
    /// where the constraint also vanishes, half a turn away; zero where there is no such place. Whether the model has this
    /// function; if it has not, the results stay as they are.
    fn assembly_sides(&self, _t: f64, _q: &[f64], _out: &mut [f64]) -> bool {
        false
    }
    /// Number of [`switching_functions`](Self::switching_functions).
    fn n_switching_functions(&self) -> usize {
        0
    }
    /// Switching functions s, whose signs choose between formulas of the equations of motion, as x − x1 of `if x < x1 { … }`
    /// and x of `sign(x)`; the parts of ṡ that are known before the accelerations, ṡ − (∂s/∂v) a; (∂s/∂q) N and ∂s/∂v,
    /// `[n × nv]`, and the derivatives with respect to those parameters, `[n × np]`, row by row. Whether the model has this
    /// function; if it has not, the results stay as they are.
    ///
    /// Those that contain inputs are not among them. Models have the function whose text has such conditions.
    ///
    /// # Examples
    /// A block that is pushed up to a place.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Pushed {
    /// #         planar;
    /// #         coordinates joint;
    /// #         param place = 2 m;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force push: (if rail.displacement < place { 3 N } else { 0 N }) on rail;
    /// #         initial rail.velocity = 0.5 m/s;
    /// #         differentiate place;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::{Model, initial_state};
    ///
    /// let model = Pushed::default();
    /// let state = initial_state(&model)?;
    /// assert_eq!(model.n_switching_functions(), 1);
    /// let [mut value, mut rate, mut by_q, mut by_v, mut by_place] = [[0.0]; 5];
    /// assert!(model.switching_functions(&state, &mut value, &mut rate, &mut by_q, &mut by_v, &mut by_place));
    /// assert_eq!([value, rate, by_q, by_v, by_place], [[-2.0], [0.5], [1.0], [0.0], [-1.0]]);
    /// # Ok(())
    /// # }
    /// ```
    fn switching_functions(
        &self,
        _state: &State,
        _values: &mut [f64],
        _rates: &mut [f64],
        _by_q: &mut [f64],
        _by_v: &mut [f64],
        _by_p: &mut [f64],
    ) -> bool {
        false
    }
    /// Derivatives of the residuals of the initial conditions, row by row: of those on coordinates, `[n × np]`, and on
    /// velocities, `[m × np]`, with respect to those parameters, and of the latter along the coordinates, (∂c/∂q) N,
    /// `[m × nv]`; and of [`reference_configuration`](Self::reference_configuration) with respect to parameters, `[nq × np]`.
    /// Whether the model has this function.
    fn initial_derivatives(
        &self,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        _position: &mut [f64],
        _velocity: &mut [f64],
        _velocity_by_q: &mut [f64],
        _reference: &mut [f64],
    ) -> bool {
        false
    }
    /// The inputs at time t, in the order of [`ModelInfo::inputs`].
    fn input_values(&self, _t: f64, _out: &mut [f64]) {}
    /// The outputs of the model, in the order of [`ModelInfo::outputs`].
    fn outputs(&self, state: &State, out: &mut [f64]);

    /// `r = M a + h − f − Gᵀ λ`, `[nv]`, and g, `[nc]`: for constraints on velocities `A v + b`.
    fn residual(&self, state: &State, r: &mut [f64], g: &mut [f64]);
    /// Values of `[ ca M + cv ∂r/∂v + cq (∂r/∂q) N , −Gᵀ ; G , 0 ]` in [`ModelInfo::iteration_matrix`].
    fn iteration_matrix(&self, state: &State, ca: f64, cv: f64, cq: f64, values: &mut [f64]);
    /// ∂r/∂v, values of its pattern.
    fn damping(&self, state: &State, out: &mut [f64]);
    /// (∂r/∂q) N, values of its pattern.
    fn stiffness(&self, state: &State, out: &mut [f64]);

    /// The configuration from which assembly starts: joint coordinates zero, Euler parameters of unit norm, `[nq]`.
    fn reference_configuration(&self, q: &mut [f64]);
    /// Indices in q of angles that are singular at odd multiples of 90°: the pitch of each `euler_zyx` rotation.
    fn singular_angles(&self) -> &[usize] {
        &[]
    }
    /// Number of initial conditions on coordinates and on velocities.
    fn n_initial_conditions(&self) -> (usize, usize);
    /// Residuals c of the initial conditions on coordinates, and their derivatives `(∂c/∂q) N`, row-major `[n × nv]`.
    fn initial_position(&self, t: f64, q: &[f64], residual: &mut [f64], jacobian: &mut [f64]);
    /// Residuals of the initial conditions on velocities, and their derivatives with respect to v, row-major `[n ×
    /// nv]`.
    fn initial_velocity(&self, t: f64, q: &[f64], v: &[f64], residual: &mut [f64], jacobian: &mut [f64]);
}
