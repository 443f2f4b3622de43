//! Mechanical systems written with `multibody!`.
//!
//! Each system stands in its own file, where it makes sense in more than one formulation; [`ALL`] lists them by name for
//! the command line, the laws in `tests/` and the benchmarks.

/// Models of the same mechanics: each has the items of its own between those that all share.
macro_rules! formulations {
    (
        shared $before:tt
        $($(#[$doc:meta])* pub model $name:ident $own:tt)+
        shared $after:tt
    ) => {
        $(formulations!(@model [$(#[$doc])*] $name $before $own $after);)+
    };
    (@model [$($doc:tt)*] $name:ident { $($before:tt)* } { $($own:tt)* } { $($after:tt)* }) => {
        hamel_macros::multibody! { $($doc)* pub model $name { $($before)* $($own)* $($after)* } }
    };
}

pub mod andrews_squeezer;
pub mod bouncing_ball;
pub mod chain;
pub mod disc_pile;
pub mod double_pendulum;
pub mod driven_pendulum;
pub mod flexible_cantilever;
pub mod flexible_pendulum;
pub mod flexible_slider_crank;
pub mod forced_oscillator;
pub mod four_bars;
pub mod pendulum;
pub mod point_pendulum;
pub mod rocking_block;
pub mod scotch_yoke;
pub mod sleigh;
pub mod slider_crank;
pub mod slider_crank_clearance;
pub mod stick_slip;
pub mod three_mass_oscillator;

pub mod ball_pile;
pub mod beam_cantilever;
pub mod bicycle;
pub mod ellipsoid;
pub mod flexible_four_bar;
pub mod floating_body;
pub mod flyball_governor;
pub mod free_body;
pub mod heavy_top;
pub mod otter;
pub mod rolling_ball;
pub mod rotating_shaft;
pub mod shaft_line;
pub mod single_axis_rotation;
pub mod thin_beam;
pub mod v8_crank_drive;

use hamel::{Model, UnknownParameter};

/// A model by its name.
#[derive(Clone, Copy)]
pub struct ModelEntry {
    /// Name, as the command line takes it.
    pub name: &'static str,
    /// Makes the model with its default parameters, but for those given as `(component, value)`.
    pub build: fn(&[(String, f64)]) -> Result<Box<dyn Model>, UnknownParameter>,
    /// The same mechanics in another formulation, if there is one.
    pub same_as: Option<&'static str>,
}

macro_rules! models {
    ($($name:literal => $module:ident::$model:ident $(= $other:literal)?),* $(,)?) => {
        $(pub use $module::$model;)*

        /// Every model.
        pub static ALL: &[ModelEntry] = &[$(ModelEntry {
            name: $name,
            build: |values| {
                let mut parameters = parameters_of($model::new);
                for (component, value) in values {
                    parameters.set(component, *value)?;
                }
                Ok(Box::new($model::new(parameters)))
            },
            same_as: models!(@other $($other)?),
        }),*];
    };
    (@other) => { None };
    (@other $other:literal) => { Some($other) };
}

/// The default values of what makes a model.
fn parameters_of<P: Default, M>(_new: fn(P) -> M) -> P {
    P::default()
}

models![
    "andrews_squeezer" => andrews_squeezer::AndrewsSqueezer,
    "andrews_squeezer_absolute" => andrews_squeezer::AndrewsSqueezerAbsolute = "andrews_squeezer",
    "beam_bend" => beam_cantilever::BeamBend,
    "beam_cantilever" => beam_cantilever::BeamCantilever,
    "bicycle" => bicycle::Bicycle,
    "bouncing_ball" => bouncing_ball::BouncingBall,
    "chain" => chain::Chain,
    "disc_pile" => disc_pile::DiscPile,
    "pendulum" => pendulum::Pendulum,
    "pendulum_absolute" => pendulum::PendulumAbsolute = "pendulum",
    "double_pendulum" => double_pendulum::DoublePendulum,
    "double_pendulum_absolute" => double_pendulum::DoublePendulumAbsolute = "double_pendulum",
    "driven_pendulum" => driven_pendulum::DrivenPendulum,
    "driven_pendulum_absolute" => driven_pendulum::DrivenPendulumAbsolute = "driven_pendulum",
    "ellipsoid" => ellipsoid::Ellipsoid,
    "ellipsoid_absolute" => ellipsoid::EllipsoidAbsolute = "ellipsoid",
    "flexible_cantilever" => flexible_cantilever::FlexibleCantilever,
    "flexible_pendulum" => flexible_pendulum::FlexiblePendulum,
    "flexible_pendulum_pinned" => flexible_pendulum::FlexiblePendulumPinned,
    "flexible_slider_crank" => flexible_slider_crank::FlexibleSliderCrank,
    "flexible_slider_crank_pinned" => flexible_slider_crank::FlexibleSliderCrankPinned,
    "floating_body" => floating_body::FloatingBody,
    "flyball_governor" => flyball_governor::FlyballGovernor,
    "flyball_governor_absolute" => flyball_governor::FlyballGovernorAbsolute = "flyball_governor",
    "forced_oscillator" => forced_oscillator::ForcedOscillator,
    "four_bars" => four_bars::FourBars,
    "moored_ship" => floating_body::MooredShip,
    "otter" => otter::Otter,
    "point_pendulum" => point_pendulum::PointPendulum,
    "rocking_block" => rocking_block::RockingBlock,
    "rolling_ball" => rolling_ball::RollingBall,
    "rolling_ball_joint" => rolling_ball::RollingBallJoint = "rolling_ball",
    "sleigh" => sleigh::Sleigh,
    "sleigh_absolute" => sleigh::SleighAbsolute = "sleigh",
    "slider_crank" => slider_crank::SliderCrank,
    "slider_crank_absolute" => slider_crank::SliderCrankAbsolute = "slider_crank",
    "slider_crank_clearance" => slider_crank_clearance::SliderCrankClearance,
    "slider_crank_clearance_absolute" => slider_crank_clearance::SliderCrankClearanceAbsolute = "slider_crank_clearance",
    "stick_slip" => stick_slip::StickSlip,
    "three_mass_oscillator" => three_mass_oscillator::ThreeMassOscillator,
    "three_mass_oscillator_constrained" => three_mass_oscillator::ThreeMassOscillatorConstrained,
    "scotch_yoke" => scotch_yoke::ScotchYoke,
    "scotch_yoke_absolute" => scotch_yoke::ScotchYokeAbsolute = "scotch_yoke",
    "shaft_line" => shaft_line::ShaftLine,
    "shaft_line_absolute" => shaft_line::ShaftLineAbsolute = "shaft_line",
    "single_axis_rotation" => single_axis_rotation::SingleAxisRotation,
    "free_body" => free_body::FreeBody,
    "free_body_joint" => free_body::FreeBodyJoint = "free_body",
    "heavy_top" => heavy_top::HeavyTop,
    "heavy_top_joint" => heavy_top::HeavyTopJoint = "heavy_top",
    "flexible_four_bar" => flexible_four_bar::FlexibleFourBar,
    "rotating_shaft" => rotating_shaft::RotatingShaft,
    "thin_beam" => thin_beam::ThinBeam,
    "v8_crank_drive" => v8_crank_drive::V8CrankDrive,
];

/// The model with this name.
pub fn find(name: &str) -> Option<&'static ModelEntry> {
    ALL.iter().find(|entry| entry.name == name)
}
