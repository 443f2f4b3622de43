//! Registry of the schemes by name, with parameters, defaults, order, stability and source.
//!
//! A member of a family is one entry. The tests of the schemes check the order and stability stated here.

use super::coupled_estimate::Weights;
use super::modified_hht::Weighting;
use super::newmark::{Average, Newmark};
use super::*;
use crate::digits::Digits;
use crate::model::Model;
use crate::prelude::*;
use crate::scheme::{ConstraintLevel, Options, Predictor, Scheme};
use crate::spelling::{similar, suggestion};
use crate::switches::Times;
use crate::tables::{self, NewmarkFamily, PUBLISHED_RHO_INFINITY, RHO_INFINITY, Range, TableError, Tableau};

/// Schemes that share one algorithm.
pub struct Family {
    /// Name, e.g. `linear multistep`.
    pub name: &'static str,
    /// Its members.
    pub entries: &'static [Entry],
}

/// A scheme in the registry.
pub struct Entry {
    /// Name, e.g. `rho_bathe`.
    pub name: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Stability on linear oscillators.
    pub stability: Stability,
    /// Orders of convergence of q, v and λ with constraints imposed on velocities; `None` where the scheme is not
    /// defined or unstable.
    pub index_2: Option<[u32; 3]>,
    /// The same with constraints imposed on positions. The order of accelerations is at most that of λ, which for most
    /// schemes is below that of v; [`crate::consistent_acceleration`] computes both with the order of v from the state.
    pub index_3: Option<[u32; 3]>,
    /// Source of the scheme.
    pub source: &'static str,
    make: fn(&'static str, &[f64]) -> Result<Box<dyn Scheme>, StepError>,
}

/// A parameter of a scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Name, e.g. `rho_infinity`.
    pub name: &'static str,
    /// Admissible values.
    pub range: Range,
    /// Value if none is given.
    pub default: f64,
}

impl core::fmt::Display for Parameter {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        write!(f, "{} in {} (default {})", self.name, self.range, Digits(self.default))
    }
}

/// Range of Ω = ωh in which the numerical solution of `q̈ + ω² q = 0` does not grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stability {
    /// Below this Ω.
    Below(f64),
    /// For every Ω (A-stable).
    Always,
    /// For every Ω, with a spectral radius of zero for Ω → ∞ (L-stable).
    Stiff,
    /// For no Ω: the scheme is not consistent.
    Never,
}

impl core::fmt::Display for Stability {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        match self {
            Stability::Below(limit) => write!(f, "ωh < {limit:.4}"),
            Stability::Always => f.write_str("A-stable"),
            Stability::Stiff => f.write_str("L-stable"),
            Stability::Never => f.write_str("not consistent"),
        }
    }
}

const fn parameter(name: &'static str, range: Range, default: f64) -> Parameter {
    Parameter { name, range, default }
}

const RHO: &[Parameter] = &[parameter("rho_infinity", RHO_INFINITY, 0.6)];
const PUBLISHED_RHO: &[Parameter] = &[parameter("rho_infinity", PUBLISHED_RHO_INFINITY, 0.6)];
const ALPHA: &[Parameter] = &[parameter("alpha", Range::closed(-1.0 / 3.0, 0.0), -0.1)];
/// Parameters of Newmark's formulas as predictor and corrector.
const BETA: Parameter = parameter("beta", NewmarkPredictorCorrector::WEIGHT, 0.25);
const GAMMA: Parameter = parameter("gamma", NewmarkPredictorCorrector::WEIGHT, 0.5);
/// Second order of q, v and λ.
const SECOND: Option<[u32; 3]> = Some([2, 2, 2]);
/// Stages of second order; λ, one derivative higher, loses an order.
const STAGED: Option<[u32; 3]> = Some([2, 2, 1]);
/// With constraints on velocities, stages of second order limit the order to three, and that of λ to two.
const THIRD: Option<[u32; 3]> = Some([3, 3, 2]);
use Stability::{Always, Below, Never, Stiff};

/// The families, the simplest first.
pub static FAMILIES: &[Family] = &[
    Family {
        name: "explicit",
        entries: &[
            Entry {
                name: "modified_euler",
                parameters: &[],
                stability: Below(2.0),
                index_2: None,
                index_3: None,
                source: "simo, Sect. 4.1",
                make: |_, _| boxed(ModifiedEuler),
            },
            Entry {
                name: "runge_kutta_like",
                parameters: &[],
                stability: Below(2.252),
                index_2: None,
                index_3: None,
                source: "simo, Sect. 4.2, corrected",
                make: |_, _| boxed(RungeKuttaLike { form: Form::Corrected }),
            },
            Entry {
                name: "runge_kutta_like_printed",
                parameters: &[],
                stability: Never,
                index_2: None,
                index_3: None,
                source: "simo, Sect. 4.2, as printed",
                make: |_, _| boxed(RungeKuttaLike { form: Form::Printed }),
            },
            Entry {
                name: "newmark_predictor_corrector",
                parameters: &[BETA, GAMMA, parameter("corrections", NewmarkPredictorCorrector::CORRECTIONS, 3.0)],
                stability: Below(1.7193),
                index_2: None,
                index_3: None,
                source: "simo, Sect. 4.3, corrected",
                make: |_, p| {
                    let corrections = Corrections::Fixed(p[2].round() as u32);
                    boxed(NewmarkPredictorCorrector { beta: p[0], gamma: p[1], corrections })
                },
            },
            Entry {
                name: "newmark_iterated",
                parameters: &[BETA, GAMMA, parameter("tolerance", Range::POSITIVE, 1e-12)],
                stability: Below(2.0),
                index_2: None,
                index_3: None,
                source: "simo, Sect. 4.3, with tolerance",
                make: |_, p| {
                    let corrections = Corrections::Tolerance(p[2]);
                    boxed(NewmarkPredictorCorrector { beta: p[0], gamma: p[1], corrections })
                },
            },
            Entry {
                name: "runge_kutta",
                parameters: &[],
                stability: Below(2.828),
                index_2: Some([4, 4, 4]),
                index_3: Some([4, 4, 4]),
                source: "Runge and Kutta",
                make: |_, _| boxed(RungeKutta),
            },
            Entry {
                name: "dormand_prince",
                parameters: &[],
                stability: Below(0.9971),
                index_2: Some([5, 5, 5]),
                index_3: Some([5, 5, 5]),
                source: "Dormand and Prince (1980)",
                make: |_, _| boxed(DormandPrince),
            },
        ],
    },
    Family {
        name: "Newmark",
        entries: &[
            Entry {
                name: "newmark",
                parameters: &[BETA, parameter("gamma", Range::closed(0.5, 1.0), 0.5)],
                stability: Always,
                index_2: SECOND,
                index_3: Some([2, 2, 0]),
                source: "sherif, Eqs. 59, 60",
                make: |key, p| {
                    let name = format!("Newmark (β = {}, γ = {})", Digits(p[0]), Digits(p[1]));
                    newmark(key, name, NewmarkFamily::newmark(p[0], p[1]), Average::Forces)
                },
            },
            Entry {
                name: "hht",
                parameters: ALPHA,
                stability: Always,
                index_2: SECOND,
                index_3: SECOND,
                source: "sherif, Eqs. 19, 59-63",
                make: |key, p| {
                    newmark(key, format!("HHT (α = {})", Digits(p[0])), NewmarkFamily::hht(p[0]), Average::Forces)
                },
            },
            Entry {
                name: "generalized_alpha",
                parameters: &[parameter("rho_infinity", RHO_INFINITY, 0.8)],
                stability: Always,
                index_2: SECOND,
                index_3: SECOND,
                source: "rezaei, Eqs. 94-96",
                make: |key, p| {
                    let name = format!("generalized-α (ρ∞ = {})", Digits(p[0]));
                    newmark(key, name, NewmarkFamily::generalized_alpha(p[0]), Average::Accelerations)
                },
            },
            Entry {
                name: "modified_hht",
                parameters: ALPHA,
                stability: Always,
                index_2: SECOND,
                index_3: SECOND,
                source: "sherif, Eqs. 33, 34, 61-70",
                make: |key, p| {
                    let average = Average::ForcesModified(Weighting::Printed);
                    newmark(key, format!("modified HHT (α = {})", Digits(p[0])), NewmarkFamily::hht(p[0]), average)
                },
            },
            Entry {
                name: "modified_hht_body_weighted",
                parameters: ALPHA,
                stability: Always,
                index_2: SECOND,
                index_3: SECOND,
                source: "sherif, Eqs. 33, 34, 61-70, of second order",
                make: |key, p| {
                    let average = Average::ForcesModified(Weighting::BodyFrame);
                    newmark(
                        key,
                        format!("modified HHT, body-weighted (α = {})", Digits(p[0])),
                        NewmarkFamily::hht(p[0]),
                        average,
                    )
                },
            },
        ],
    },
    Family {
        name: "half-explicit",
        entries: &[
            Entry {
                name: "moreau",
                parameters: &[],
                stability: Below(2.0),
                index_2: Some([1, 1, 1]),
                index_3: None,
                source: "rezaei, Ref. 30",
                make: |_, _| boxed(Moreau),
            },
            Entry {
                name: "half_explicit",
                parameters: &[],
                stability: Below(2.0),
                index_2: STAGED,
                index_3: None,
                source: "rezaei, Refs. 40, 41",
                make: |_, _| boxed(HalfExplicit),
            },
        ],
    },
    Family {
        name: "linear multistep",
        entries: &[
            Entry {
                name: "lms2",
                parameters: RHO,
                stability: Always,
                index_2: SECOND,
                index_3: SECOND,
                source: "zhang, Eqs. 2-4",
                make: |_, p| boxed(LinearMultistep { steps: 2, rho_infinity: p[0] }),
            },
            Entry {
                name: "lms3",
                parameters: RHO,
                stability: Always,
                index_2: SECOND,
                index_3: SECOND,
                source: "zhang, Eqs. 2-4",
                make: |_, p| boxed(LinearMultistep { steps: 3, rho_infinity: p[0] }),
            },
            Entry {
                name: "lms4",
                parameters: RHO,
                stability: Always,
                index_2: SECOND,
                index_3: SECOND,
                source: "zhang, Eqs. 2-4",
                make: |_, p| boxed(LinearMultistep { steps: 4, rho_infinity: p[0] }),
            },
        ],
    },
    Family {
        name: "single step",
        entries: &[
            Entry {
                name: "ss2",
                parameters: RHO,
                stability: Always,
                index_2: SECOND,
                index_3: SECOND,
                source: "zhang, Eqs. 8-11, 18-22",
                make: |_, p| boxed(SingleStep { steps: 2, rho_infinity: p[0] }),
            },
            Entry {
                name: "ss3",
                parameters: RHO,
                stability: Always,
                index_2: SECOND,
                index_3: SECOND,
                source: "zhang, Eqs. 8-11, 18-22",
                make: |_, p| boxed(SingleStep { steps: 3, rho_infinity: p[0] }),
            },
            Entry {
                name: "ss4",
                parameters: RHO,
                stability: Always,
                index_2: SECOND,
                index_3: SECOND,
                source: "zhang, Eqs. 8-11, 18-22",
                make: |_, p| boxed(SingleStep { steps: 4, rho_infinity: p[0] }),
            },
        ],
    },
    Family {
        name: "diagonally implicit",
        entries: &[
            Entry {
                name: "trapezoidal",
                parameters: &[],
                stability: Always,
                index_2: SECOND,
                index_3: Some([2, 2, 0]),
                source: "zhang, Sect. 2.1",
                make: |key, _| diagonal(key, "trapezoidal", 2, Ok(tables::trapezoidal())),
            },
            Entry {
                name: "bathe",
                parameters: &[],
                stability: Stiff,
                index_2: SECOND,
                index_3: STAGED,
                source: "rezaei, Sect. 3",
                make: |key, _| diagonal(key, "Bathe", 2, Ok(tables::bathe())),
            },
            Entry {
                name: "rho_bathe",
                parameters: RHO,
                stability: Always,
                index_2: SECOND,
                index_3: STAGED,
                source: "zhang, Eqs. 6, 7",
                make: |key, p| diagonal(key, &format!("ρ∞-Bathe (ρ∞ = {})", Digits(p[0])), 2, tables::rho_bathe(p[0])),
            },
            Entry {
                name: "msstc3",
                parameters: RHO,
                stability: Always,
                index_2: SECOND,
                index_3: STAGED,
                source: "zhang, Sect. 2.3",
                make: |key, p| msstc(key, 3, p[0]),
            },
            Entry {
                name: "msstc4",
                parameters: RHO,
                stability: Always,
                index_2: SECOND,
                index_3: STAGED,
                source: "zhang, Sect. 2.3",
                make: |key, p| msstc(key, 4, p[0]),
            },
            Entry {
                name: "msstc5",
                parameters: RHO,
                stability: Always,
                index_2: SECOND,
                index_3: STAGED,
                source: "zhang, Sect. 2.3",
                make: |key, p| msstc(key, 5, p[0]),
            },
            Entry {
                name: "mssth3",
                parameters: RHO,
                stability: Always,
                index_2: THIRD,
                index_3: STAGED,
                source: "zhang, Sect. 2.3, smooth in ρ∞",
                make: |key, p| mssth(key, 3, p[0]),
            },
            Entry {
                name: "mssth4",
                parameters: RHO,
                stability: Always,
                index_2: THIRD,
                index_3: STAGED,
                source: "zhang, Sect. 2.3, smooth in ρ∞",
                make: |key, p| mssth(key, 4, p[0]),
            },
            Entry {
                name: "mssth5",
                parameters: RHO,
                stability: Always,
                index_2: THIRD,
                index_3: STAGED,
                source: "zhang, Sect. 2.3, smooth in ρ∞",
                make: |key, p| mssth(key, 5, p[0]),
            },
            Entry {
                name: "esdirk324",
                parameters: &[],
                stability: Stiff,
                index_2: THIRD,
                index_3: STAGED,
                source: "zhang, Sect. 2.3",
                make: |key, _| diagonal(key, "ESDIRK3(2)4L[2]SA", 3, Ok(tables::esdirk324())),
            },
            Entry {
                name: "esdirk325",
                parameters: &[],
                stability: Stiff,
                index_2: THIRD,
                index_3: STAGED,
                source: "zhang, Sect. 2.3",
                make: |key, _| diagonal(key, "ESDIRK3(2)5L[2]SA", 3, Ok(tables::esdirk325())),
            },
            Entry {
                name: "esdirk436",
                parameters: &[],
                stability: Stiff,
                index_2: THIRD,
                index_3: STAGED,
                source: "zhang, Sect. 2.3",
                make: |key, _| diagonal(key, "ESDIRK4(3)6L[2]SA2", 4, Ok(tables::esdirk436sa2())),
            },
        ],
    },
    Family {
        name: "MSSTH as published",
        entries: &[
            Entry {
                name: "mssth3_published",
                parameters: PUBLISHED_RHO,
                stability: Always,
                index_2: THIRD,
                index_3: STAGED,
                source: "zhang, Sect. 2.3, at ρ∞ = 0, 0.1, … 1",
                make: |key, p| mssth_published(key, 3, p[0]),
            },
            Entry {
                name: "mssth4_published",
                parameters: PUBLISHED_RHO,
                stability: Always,
                index_2: THIRD,
                index_3: STAGED,
                source: "zhang, Sect. 2.3, at ρ∞ = 0, 0.1, … 1",
                make: |key, p| mssth_published(key, 4, p[0]),
            },
            Entry {
                name: "mssth5_published",
                parameters: PUBLISHED_RHO,
                stability: Always,
                index_2: THIRD,
                index_3: STAGED,
                source: "zhang, Sect. 2.3, at ρ∞ = 0, 0.1, … 1",
                make: |key, p| mssth_published(key, 5, p[0]),
            },
        ],
    },
    Family {
        name: "coupled stages",
        entries: &[
            Entry {
                name: "ed_alpha",
                parameters: RHO,
                stability: Always,
                index_2: STAGED,
                index_3: None,
                source: "rezaei, Eqs. 77-92",
                make: |key, p| ed_alpha(key, p[0]),
            },
            Entry {
                name: "radau_iia3",
                parameters: &[],
                stability: Stiff,
                index_2: Some([3, 3, 2]),
                index_3: Some([3, 2, 1]),
                source: "Hairer and Wanner",
                make: |key, _| {
                    let (filter, stages) = tables::radau_iia3_estimate();
                    radau(key, "Radau IIA, two stages", tables::radau_iia3(), filter, &stages)
                },
            },
            Entry {
                name: "radau_iia5",
                parameters: &[],
                stability: Stiff,
                index_2: Some([5, 5, 3]),
                index_3: Some([5, 3, 2]),
                source: "Hairer and Wanner",
                make: |key, _| {
                    let (filter, stages) = tables::radau_iia5_estimate();
                    radau(key, "Radau IIA", tables::radau_iia5(), filter, &stages)
                },
            },
        ],
    },
];

fn boxed(scheme: impl Scheme + 'static) -> Result<Box<dyn Scheme>, StepError> {
    Ok(Box::new(scheme))
}

fn newmark(
    key: &'static str,
    name: String,
    coefficients: NewmarkFamily,
    average: Average,
) -> Result<Box<dyn Scheme>, StepError> {
    boxed(Newmark { name, key: Some(key), coefficients, average })
}

/// The predictor from three points pays only for schemes of fourth and fifth order. [zhang, Sect. 2.3]
fn diagonal(
    key: &'static str,
    name: &str,
    order: u32,
    tableau: Result<Tableau, TableError>,
) -> Result<Box<dyn Scheme>, StepError> {
    let tableau = tableau.map_err(|error| bad_table(key, &error))?;
    let scheme = DiagonallyImplicit::new(name, order, tableau)?.with_key(key);
    boxed(if order < 4 { scheme } else { scheme.with_predictor(Predictor::ThreePoint) })
}

fn msstc(key: &'static str, n: usize, rho: f64) -> Result<Box<dyn Scheme>, StepError> {
    diagonal(key, &format!("MSSTC({n}) (ρ∞ = {})", Digits(rho)), 2, tables::msstc(n, rho))
}

fn mssth(key: &'static str, n: usize, rho: f64) -> Result<Box<dyn Scheme>, StepError> {
    diagonal(key, &format!("MSSTH({n}) (ρ∞ = {})", Digits(rho)), n as u32, tables::mssth(n, rho))
}

fn mssth_published(key: &'static str, n: usize, rho: f64) -> Result<Box<dyn Scheme>, StepError> {
    diagonal(key, &format!("MSSTH({n}) as published (ρ∞ = {})", Digits(rho)), n as u32, tables::mssth_published(n, rho))
}

/// The order is twice the number of stages but one; that of the estimate is the number of stages.
fn radau(
    key: &'static str,
    name: &str,
    tableau: Tableau,
    filter: f64,
    stages: &[f64],
) -> Result<Box<dyn Scheme>, StepError> {
    let order = stages.len() as u32;
    let estimate = Weights { filter, stages: stages.to_vec(), order };
    boxed(Coupled::new(name, 2 * order - 1, tableau)?.with_key(key).with_estimate(estimate))
}

/// With α_AR = 1/6 it has third order for linear problems. [rezaei, Sect. 3]
fn ed_alpha(key: &'static str, rho: f64) -> Result<Box<dyn Scheme>, StepError> {
    let name = format!("ED-α (ρ∞ = {})", Digits(rho));
    let tableau = tables::ed_alpha(rho, 1.0 / 6.0).map_err(|error| bad_table(key, &error))?;
    boxed(Coupled::new(name, 2, tableau)?.with_key(key).on_velocities())
}

impl Entry {
    /// The scheme with these parameters, as pairs of name and value; parameters that are not given have their default.
    ///
    /// # Errors
    /// [`StepError::BadParameter`] for unknown parameters and for values out of their range.
    ///
    /// # Examples
    /// ```
    /// use hamel::schemes;
    ///
    /// let entry = schemes::entries().find(|entry| entry.name == "hht").expect("an entry");
    /// assert_eq!(entry.parameters[0].to_string(), "alpha in [-0.3333, 0] (default -0.1)");
    /// assert!(entry.scheme(&[("alpha", -0.05)]).is_ok());
    /// assert!(entry.scheme(&[("alpha", 0.05)]).is_err());
    /// ```
    pub fn scheme(&self, parameters: &[(&str, f64)]) -> Result<Box<dyn Scheme>, StepError> {
        let mut values: Vec<f64> = self.parameters.iter().map(|parameter| parameter.default).collect();
        for (at, &(name, value)) in parameters.iter().enumerate() {
            if parameters[..at].iter().any(|&(known, _)| known == name) {
                let reason = format!("parameter `{name}` is given twice");
                return Err(StepError::BadParameter { scheme: self.name.to_owned(), reason });
            }
            let Some(place) = self.parameters.iter().position(|known| known.name == name) else {
                return Err(self.unknown(name));
            };
            check_range(self.name, name, value, self.parameters[place].range)?;
            values[place] = value;
        }
        (self.make)(self.name, &values)
    }

    fn unknown(&self, name: &str) -> StepError {
        let meant = suggestion(&similar(name, self.parameters.iter().map(|known| known.name)));
        let known: Vec<String> = self.parameters.iter().map(Parameter::to_string).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let reason = format!("no parameter `{name}`, known: {known}{meant}");
        StepError::BadParameter { scheme: self.name.to_owned(), reason }
    }
}

/// All entries, in the order of [`FAMILIES`].
///
/// # Examples
/// The L-stable schemes, and the schemes whose multipliers have second order with constraints on positions.
///
/// ```
/// use hamel::schemes::{self, Stability};
///
/// let stiff: Vec<&str> = schemes::entries().filter(|e| e.stability == Stability::Stiff).map(|e| e.name).collect();
/// assert!(stiff.contains(&"radau_iia5") && !stiff.contains(&"trapezoidal"));
/// let second = schemes::entries().filter(|entry| entry.index_3.is_some_and(|[.., multipliers]| multipliers >= 2));
/// assert!(second.into_iter().any(|entry| entry.name == "generalized_alpha"));
/// ```
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    FAMILIES.iter().flat_map(|family| family.entries)
}

/// Every scheme with its default parameters.
///
/// # Examples
/// ```
/// use hamel::schemes;
///
/// let all = schemes::all();
/// assert_eq!(all.len(), schemes::entries().count());
/// assert!(all.iter().any(|scheme| scheme.carries_contacts()));
/// ```
pub fn all() -> Vec<Box<dyn Scheme>> {
    // A test asserts that all defaults are in range.
    entries().filter_map(|entry| entry.scheme(&[]).ok()).collect()
}

/// The scheme with this name and these parameters, as pairs of name and value; parameters that are not given have their
/// default.
///
/// [`entries`] lists names and parameters; [`Scheme::carries_contacts`] and [`Scheme::estimates_errors`] tell which
/// schemes integrate models with contacts, and which choose their steps by a tolerance.
///
/// # Errors
/// [`StepError::BadParameter`] for an unknown scheme, and those of [`Entry::scheme`].
///
/// # Examples
/// ```
/// use hamel::schemes;
///
/// let scheme = schemes::by_name("generalized_alpha", &[("rho_infinity", 0.5)])?;
/// assert_eq!(scheme.order(), 2);
/// // Unknown parameters and values out of range are errors.
/// assert!(schemes::by_name("generalized_alpha", &[("rho", 0.5)]).is_err());
/// assert!(schemes::by_name("generalized_alpha", &[("rho_infinity", 1.5)]).is_err());
/// # Ok::<(), hamel::StepError>(())
/// ```
pub fn by_name(name: &str, parameters: &[(&str, f64)]) -> Result<Box<dyn Scheme>, StepError> {
    let Some(entry) = entries().find(|entry| entry.name == name) else {
        let known: Vec<&str> = entries().map(|entry| entry.name).collect();
        let reason = format!("no such scheme; expected one of {}", known.join(", "));
        return Err(StepError::BadParameter { scheme: name.to_owned(), reason });
    };
    entry.scheme(parameters)
}

/// The name of a scheme for a model of which nothing else is known: one that estimates its error, or, with contacts, one
/// that integrates them. Both damp what is too fast for the step.
///
/// # Examples
/// ```
/// # hamel::multibody! {
/// #     model Rod {
/// #         planar;
/// #         body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
/// #         joint hinge: revolute(ground, rod at [-1, 0] m);
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::schemes;
///
/// let scheme = schemes::by_name(schemes::suitable(&Rod::default()), &[])?;
/// assert!(scheme.estimates_errors());
/// # Ok(())
/// # }
/// ```
pub fn suitable(model: &dyn Model) -> &'static str {
    if model.describe().contacts.is_empty() { "esdirk325" } else { "bathe" }
}

/// A known weakness of a scheme on a model with these options; `None` if there is none.
///
/// # Examples
/// The trapezoidal rule does not damp, so that multipliers of constraints on positions oscillate.
///
/// ```
/// # hamel::multibody! {
/// #     model Rod {
/// #         planar;
/// #         gravity [0, -9.81] m/s^2;
/// #         body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
/// #         joint hinge: revolute(ground, rod at [-1, 0] m);
/// #         initial rod.angular_velocity = 2 rad/s;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::{ConstraintLevel, Options, schemes};
///
/// let rod = Rod::default();
/// let scheme = schemes::by_name("trapezoidal", &[])?;
/// assert!(schemes::caution(&*scheme, &rod, &Options::default()).is_some());
/// let on_velocities = Options { constraint_level: Some(ConstraintLevel::Velocity), ..Options::default() };
/// assert_eq!(schemes::caution(&*scheme, &rod, &on_velocities), None);
/// # Ok(())
/// # }
/// ```
pub fn caution(scheme: &dyn Scheme, model: &dyn Model, options: &Options) -> Option<&'static str> {
    let info = model.describe();
    let level = options.constraint_level.unwrap_or(scheme.preferred_level());
    let binds_positions = level == ConstraintLevel::Position && info.constraints.len() > info.velocity_constraints;
    if binds_positions && !scheme.settles_forces() {
        return Some(
            "it does not damp infinitely fast motion, so that multipliers of constraints on positions do not converge; \
             take `rho_infinity` < 1 or `alpha` < 0 where it has one of them, another scheme such as `generalized_alpha` \
             otherwise, or impose the constraints on velocities",
        );
    }
    if !info.contacts.is_empty() && !scheme.settles_forces() {
        return Some(
            "it does not damp infinitely fast motion, so that forces of contacts that stay closed swing about their values; \
             take `rho_infinity` < 1 or `alpha` < 0 where it has one of them, another scheme such as `bathe` otherwise",
        );
    }
    if has_stages_beyond(scheme) && !Times::of_jumps(model).is_empty() {
        return Some(
            "a stage of it lies beyond the ends of steps, where forces may have jumped, so that it has first order at jumps \
             on which steps end; take another scheme, such as `esdirk325` or `radau_iia5`",
        );
    }
    scheme.caution()
}

/// Whether a stage lies beyond the ends of steps.
pub(crate) fn has_stages_beyond(scheme: &dyn Scheme) -> bool {
    scheme.tableau().is_some_and(|tableau| tableau.nodes.iter().any(|&node| node > BEYOND))
}

/// A stage at this part of a step lies beyond its end.
const BEYOND: f64 = 1.0 + 1e-9;
