//! Chains of links, rows of four-bars and beams of several lengths: what should grow with the number of members, and no
//! faster. Behind the feature `scaling`, because a thousand members take seconds to compile.

use hamel::{Model, State};
use hamel_macros::multibody;
use hamel_models::sagging_cantilever;

macro_rules! chain {
    ($name:ident, $n:tt) => {
        multibody! {
            /// Links on ball joints, let go from a horizontal line.
            pub model $name {
                coordinates absolute;
                const n = $n;
                param length = 0.1 m;
                param mass = 0.05 kg;
                gravity [0, 0, -9.81] m/s^2;
                for k in 0..n { body link[k] { mass: mass, inertia: mass / 12 * length^2 * diag(0.1, 1, 1) } }
                joint anchor: spherical(ground, link[0] at [-length / 2, 0, 0]);
                for k in 1..n {
                    joint pin[k]: spherical(link[k - 1] at [length / 2, 0, 0], link[k] at [-length / 2, 0, 0]);
                }
                output tip = (link[n - 1] at [length / 2, 0, 0]).position;
            }
        }
    };
}

macro_rules! planar_chain {
    ($name:ident, $n:tt, $coordinates:ident) => {
        multibody! {
            /// Links on hinges, let go from a horizontal line.
            pub model $name {
                planar;
                coordinates $coordinates;
                const n = $n;
                param length = 0.1 m;
                param mass = 0.05 kg;
                gravity [0, -9.81] m/s^2;
                for k in 0..n { body link[k] { mass: mass, inertia: mass * length^2 / 12 } }
                joint anchor: revolute(ground, link[0] at [-length / 2, 0]);
                for k in 1..n { joint pin[k]: revolute(link[k - 1] at [length / 2, 0], link[k] at [-length / 2, 0]); }
                output tip = (link[n - 1] at [length / 2, 0]).position;
            }
        }
    };
}

macro_rules! four_bars {
    ($name:ident, $n:tt) => {
        multibody! {
            /// Parallel rods on the ground, each joined to the next by a coupler: one degree of freedom.
            pub model $name {
                planar;
                coordinates absolute;
                const n = $n;
                param length = 1.0 m;
                param mass = 1.0 kg;
                gravity [0, -9.81] m/s^2;
                for k in 0..=n { body rod[k] { mass: mass, inertia: mass * length^2 / 12 } }
                for k in 0..n { body coupler[k] { mass: mass, inertia: mass * length^2 / 12 } }
                for k in 0..=n { joint foot[k]: revolute(ground at [k * length, 0], rod[k] at [0, -length / 2]); }
                for k in 0..n {
                    joint left[k]: revolute(rod[k] at [0, length / 2], coupler[k] at [-length / 2, 0]);
                    joint right[k]: revolute(coupler[k] at [length / 2, 0], rod[k + 1] at [0, length / 2]);
                }
                initial rod[0].angular_velocity = 1.0 rad/s;
                output angle = rod[0].angle;
            }
        }
    };
}

chain!(Chain10, 10);
chain!(Chain100, 100);
chain!(Chain1000, 1000);
planar_chain!(PlanarChain10, 10, absolute);
planar_chain!(PlanarChain100, 100, absolute);
planar_chain!(PlanarChain1000, 1000, absolute);
// The compiler accepts about a hundred hinges in a row in joint coordinates.
planar_chain!(JointPlanarChain10, 10, joint);
planar_chain!(JointPlanarChain30, 30, joint);
planar_chain!(JointPlanarChain100, 100, joint);
four_bars!(FourBars10, 10);
four_bars!(FourBars100, 100);
four_bars!(FourBars1000, 1000);
sagging_cantilever!(Beam16, 16);
sagging_cantilever!(Beam160, 160);
sagging_cantilever!(Beam1600, 1600);

/// A mechanism of several lengths.
pub struct Mechanism {
    /// Name; with a length, that of a model: `chain_10`.
    pub name: &'static str,
    /// Models by their number of members.
    pub lengths: &'static [(usize, fn() -> Box<dyn Model>)],
}

/// All mechanisms.
pub static MECHANISMS: &[Mechanism] = &[
    Mechanism {
        name: "chain",
        lengths: &[
            (10, || Box::new(Chain10::default())),
            (100, || Box::new(Chain100::default())),
            (1000, || Box::new(Chain1000::default())),
        ],
    },
    Mechanism {
        name: "planar_chain",
        lengths: &[
            (10, || Box::new(PlanarChain10::default())),
            (100, || Box::new(PlanarChain100::default())),
            (1000, || Box::new(PlanarChain1000::default())),
        ],
    },
    Mechanism {
        name: "joint_planar_chain",
        lengths: &[
            (10, || Box::new(JointPlanarChain10::default())),
            (30, || Box::new(JointPlanarChain30::default())),
            (100, || Box::new(JointPlanarChain100::default())),
        ],
    },
    Mechanism {
        name: "four_bars",
        lengths: &[
            (10, || Box::new(FourBars10::default())),
            (100, || Box::new(FourBars100::default())),
            (1000, || Box::new(FourBars1000::default())),
        ],
    },
    Mechanism {
        name: "beam",
        lengths: &[
            (16, || Box::new(Beam16::default())),
            (160, || Box::new(Beam160::default())),
            (1600, || Box::new(Beam1600::default())),
        ],
    },
];

/// The model of this name, e.g. `chain_10`.
pub fn find(name: &str) -> Option<Box<dyn Model>> {
    let (mechanism, length) = name.rsplit_once('_')?;
    let mechanism = MECHANISMS.iter().find(|other| other.name == mechanism)?;
    let (_, build) = mechanism.lengths.iter().find(|(other, _)| Some(*other) == length.parse().ok())?;
    Some(build())
}

/// Every model with its name and a consistent state; models without one are left out.
pub fn models() -> Vec<(String, Box<dyn Model>, State)> {
    let all = MECHANISMS.iter().flat_map(|mechanism| {
        let name = |length: usize| format!("{}_{length}", mechanism.name);
        mechanism.lengths.iter().map(move |(length, build)| (name(*length), build()))
    });
    all.filter_map(|(name, model)| {
        let state = hamel::initial_state(&*model).ok()?;
        Some((name, model, state))
    })
    .collect()
}
