//! Natural modes of a contiguous range of coordinates, and models in which modal coordinates replace them.
//!
//! `K φ = ω² M φ` at a state at rest, with the blocks of M and of (∂r/∂q) N for these coordinates; all other
//! coordinates are fixed. [rezaei, Sec. 4.5] reduces the nodal coordinates of a flexible rod in this way, q = Φ z; the
//! corresponding call is `Reduced::member(&model, "rod", 52)`. Damped modes about a steady motion are not computed.

mod reduced;

pub use reduced::Reduced;

use core::ops::Range;

use nalgebra::{Cholesky, DMatrix, SymmetricEigen};

use crate::configuration::ranges;
use crate::model::{Block, Model, State};
use crate::prelude::*;

/// Why modes or a reduction cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModalError {
    /// More modes than coordinates.
    #[error("expected at most {available} modes, the size of the basis, found {asked}")]
    TooMany {
        /// The requested number, or one more than the index of the mode.
        asked: usize,
        /// The available number of modes.
        available: usize,
    },
    /// Rotations cannot be superposed.
    #[error("coordinates {first} to {last} are not a run of displacements of `{model}`")]
    NotLinear {
        /// Name of the model's type.
        model: String,
        /// The first coordinate.
        first: usize,
        /// The last one.
        last: usize,
    },
    /// A mode that is chosen twice.
    #[error("mode {index} is chosen again at place {place}, both counted from 0")]
    Repeated {
        /// The mode.
        index: usize,
        /// Where it is for the second time.
        place: usize,
    },
    /// A configuration of another size.
    #[error("expected the {expected} coordinates of the model, found {found}")]
    Size {
        /// Number of coordinates of the model.
        expected: usize,
        /// Number that was given.
        found: usize,
    },
    /// A direction has no inertia.
    #[error("the mass matrix of the coordinates is not positive definite")]
    Massless,
    /// The model has no flexible member of this name with coordinates.
    #[error("`{model}` has no flexible member `{member}`")]
    NoMember {
        /// Name of the model's type.
        model: String,
        /// The unknown name.
        member: String,
    },
}

/// Natural modes, lowest first.
#[derive(Clone, Debug)]
pub struct Modes {
    /// The range of velocities to which the modes belong.
    pub velocities: Range<usize>,
    /// Frequencies, Hz; zero for rigid-body modes, and −|ω|/2π for modes with ω² < 0, which are unstable.
    pub frequencies: Vec<f64>,
    /// Mode shapes as columns, normalized to Φᵀ M Φ = 1, `[coordinates × modes]`.
    pub shapes: DMatrix<f64>,
}

impl Modes {
    /// Modes for these mass and stiffness matrices, both symmetric. The matrices may include the inertia and stiffness
    /// of dependent motions: with a pinned frame, for example, the root rotates with the first node.
    ///
    /// # Errors
    /// [`ModalError::Massless`].
    ///
    /// # Examples
    /// Two masses of 1 kg between three springs of 1 N/m: they swing with 1 rad/s together and √3 rad/s against each other.
    ///
    /// ```
    /// use hamel::modal::Modes;
    /// use hamel::nalgebra::DMatrix;
    ///
    /// let stiffness = DMatrix::from_row_slice(2, 2, &[2.0, -1.0, -1.0, 2.0]);
    /// let modes = Modes::of(0..2, DMatrix::identity(2, 2), &stiffness)?;
    /// let rates: Vec<f64> = modes.frequencies.iter().map(|f| std::f64::consts::TAU * f).collect();
    /// assert!((rates[0] - 1.0).abs() < 1e-14 && (rates[1] - 3_f64.sqrt()).abs() < 1e-14);
    /// assert!((modes.shapes[(0, 0)] - modes.shapes[(1, 0)]).abs() < 1e-14);
    /// assert_eq!(modes.lowest(1)?.frequencies.len(), 1);
    /// # Ok::<(), hamel::modal::ModalError>(())
    /// ```
    pub fn of(velocities: Range<usize>, mass: DMatrix<f64>, stiffness: &DMatrix<f64>) -> Result<Modes, ModalError> {
        let n = mass.nrows();
        let lower = Cholesky::new(mass).ok_or(ModalError::Massless)?.unpack();
        // L⁻¹ K L⁻ᵀ, whose eigenvectors y are L⁻ᵀ times the shapes.
        let solved = lower.solve_lower_triangular(stiffness).ok_or(ModalError::Massless)?;
        let solved = lower.solve_lower_triangular(&solved.transpose()).ok_or(ModalError::Massless)?;
        let eigen = SymmetricEigen::new((&solved + solved.transpose()) * 0.5);
        let vectors = lower.transpose().solve_upper_triangular(&eigen.eigenvectors).ok_or(ModalError::Massless)?;
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| eigen.eigenvalues[i].total_cmp(&eigen.eigenvalues[j]));
        let hertz = |square: f64| square.signum() * square.abs().sqrt() / core::f64::consts::TAU;
        Ok(Modes {
            velocities,
            frequencies: order.iter().map(|&index| hertz(eigen.eigenvalues[index])).collect(),
            shapes: vectors.select_columns(&order),
        })
    }

    /// The `count` lowest modes.
    ///
    /// # Errors
    /// [`ModalError::TooMany`].
    ///
    /// # Examples
    /// ```
    /// use hamel::modal::Modes;
    /// use hamel::nalgebra::DMatrix;
    ///
    /// let stiffness = DMatrix::from_row_slice(2, 2, &[2.0, -1.0, -1.0, 2.0]);
    /// let modes = Modes::of(0..2, DMatrix::identity(2, 2), &stiffness)?;
    /// assert_eq!(modes.lowest(1)?.frequencies, modes.frequencies[..1]);
    /// assert!(modes.lowest(3).is_err());
    /// # Ok::<(), hamel::modal::ModalError>(())
    /// ```
    pub fn lowest(&self, count: usize) -> Result<Modes, ModalError> {
        self.selected(&(0..count).collect::<Vec<_>>())
    }

    /// Modes by their indices.
    ///
    /// # Errors
    /// [`ModalError::TooMany`] where an index is out of range.
    ///
    /// # Examples
    /// ```
    /// use hamel::modal::{ModalError, Modes};
    /// use hamel::nalgebra::DMatrix;
    ///
    /// let stiffness = DMatrix::from_row_slice(2, 2, &[2.0, -1.0, -1.0, 2.0]);
    /// let modes = Modes::of(0..2, DMatrix::identity(2, 2), &stiffness)?;
    /// assert_eq!(modes.selected(&[1])?.frequencies, modes.frequencies[1..]);
    /// assert_eq!(modes.selected(&[2]).err(), Some(ModalError::TooMany { asked: 3, available: 2 }));
    /// # Ok::<(), ModalError>(())
    /// ```
    pub fn selected(&self, indices: &[usize]) -> Result<Modes, ModalError> {
        let available = self.frequencies.len();
        if let Some((k, index)) = indices.iter().enumerate().find(|(k, index)| indices[..*k].contains(index)) {
            return Err(ModalError::Repeated { index: *index, place: k });
        }
        match indices.iter().find(|&&index| index >= available) {
            Some(index) => Err(ModalError::TooMany { asked: index + 1, available }),
            None => Ok(Modes {
                velocities: self.velocities.clone(),
                frequencies: indices.iter().map(|&index| self.frequencies[index]).collect(),
                shapes: self.shapes.select_columns(indices),
            }),
        }
    }

    /// Number of modes with at most this frequency, Hz.
    ///
    /// # Examples
    /// ```
    /// use hamel::modal::Modes;
    /// use hamel::nalgebra::DMatrix;
    ///
    /// // 1/2π = 0.159 Hz and √3/2π = 0.276 Hz.
    /// let stiffness = DMatrix::from_row_slice(2, 2, &[2.0, -1.0, -1.0, 2.0]);
    /// let modes = Modes::of(0..2, DMatrix::identity(2, 2), &stiffness)?;
    /// assert_eq!([0.1, 0.2, 0.3].map(|frequency| modes.count_below(frequency)), [0, 1, 2]);
    /// # Ok::<(), hamel::modal::ModalError>(())
    /// ```
    pub fn count_below(&self, frequency: f64) -> usize {
        self.frequencies.iter().filter(|&&known| known <= frequency).count()
    }
}

/// The range of the velocities of the nodes of a flexible member, which are contiguous.
///
/// # Errors
/// [`ModalError::NoMember`].
///
/// # Examples
/// A beam of four elements that is clamped at its root: x, y and angle of each of the nodes 1 to 4, as node 0 is the
/// frame.
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
/// use hamel::modal::flexible_velocities;
///
/// assert_eq!(flexible_velocities(&Cantilever::default(), "beam")?.len(), 12);
/// assert!(flexible_velocities(&Cantilever::default(), "rope").is_err());
/// # Ok(())
/// # }
/// ```
pub fn flexible_velocities(model: &dyn Model, member: &str) -> Result<Range<usize>, ModalError> {
    let info = model.describe();
    let is_node = |name: &str| name.strip_prefix(member).is_some_and(|rest| rest.starts_with('['));
    let first = info.velocities.iter().position(|channel| is_node(&channel.name));
    let last = info.velocities.iter().rposition(|channel| is_node(&channel.name));
    match (first, last) {
        (Some(first), Some(last)) => Ok(first..last + 1),
        _ => Err(ModalError::NoMember { model: info.name.clone(), member: member.to_owned() }),
    }
}

/// Modes of a flexible member about the reference configuration, including the inertia of all bodies that it carries;
/// all other coordinates are fixed.
///
/// # Errors
/// [`ModalError::NoMember`], [`ModalError::Massless`].
///
/// # Examples
/// A cantilever with unit length, stiffness and mass: (βl)² with cos βl cosh βl = −1.
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
/// let modes = hamel::modal::member_modes(&Cantilever::default(), "beam")?;
/// let bending = modes.frequencies.iter().map(|f| std::f64::consts::TAU * f);
/// let exact = 1.875_104_07_f64.powi(2);
/// assert!(bending.into_iter().any(|rate| (rate / exact - 1.0).abs() < 1e-3));
/// # Ok(())
/// # }
/// ```
pub fn member_modes(model: &dyn Model, member: &str) -> Result<Modes, ModalError> {
    let mut q = vec![0.0; model.dims().nq];
    model.reference_configuration(&mut q);
    natural_modes(model, flexible_velocities(model, member)?, &q)
}

/// Modes of the coordinates of this range of velocities, about a configuration q at rest; all other coordinates are
/// fixed.
///
/// # Errors
/// [`ModalError::NotLinear`], [`ModalError::Massless`].
///
/// # Examples
/// A mass of 1 kg on a spring of 4 N/m has √(k/m) / 2π = 1/π Hz.
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
/// let modes = hamel::modal::natural_modes(&Oscillator::default(), 0..1, &[0.0])?;
/// assert!((modes.frequencies[0] - std::f64::consts::FRAC_1_PI).abs() < 1e-14);
/// # Ok(())
/// # }
/// ```
pub fn natural_modes(model: &dyn Model, velocities: Range<usize>, q: &[f64]) -> Result<Modes, ModalError> {
    let info = model.describe();
    coordinates(model, &velocities)?;
    let (first, n) = (velocities.start, velocities.len());
    let mut state = State::zeros(model.dims());
    if q.len() != state.q.len() {
        return Err(ModalError::Size { expected: state.q.len(), found: q.len() });
    }
    state.q.as_mut_slice().copy_from_slice(q);
    let mut values = vec![0.0; info.mass_matrix.nnz()];
    model.mass_matrix(q, &mut values);
    let mass = info.mass_matrix.to_dense(&values).view((first, first), (n, n)).into_owned();
    let mut values = vec![0.0; info.stiffness.nnz()];
    model.stiffness(&state, &mut values);
    let stiffness = info.stiffness.to_dense(&values).view((first, first), (n, n)).into_owned();

    Modes::of(velocities, mass, &stiffness)
}

/// The coordinates of a range of velocities, one for each.
fn coordinates(model: &dyn Model, velocities: &Range<usize>) -> Result<Range<usize>, ModalError> {
    let info = model.describe();
    let mut covered = 0;
    let mut first = None;
    for (block, q, v) in ranges(&info.blocks) {
        let overlap = velocities.start.max(v.start)..velocities.end.min(v.end);
        if overlap.is_empty() || !matches!(block, Block::Vector { .. }) {
            continue;
        }
        covered += overlap.len();
        first = first.or(Some(q.start + overlap.start - v.start));
    }
    match first {
        Some(first) if covered == velocities.len() => Ok(first..first + covered),
        _ => {
            let last = velocities.end.saturating_sub(1);
            Err(ModalError::NotLinear { model: info.name.clone(), first: velocities.start, last })
        }
    }
}
