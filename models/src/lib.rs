//! Mechanical systems written with `multibody!`.
//!
//! Each system stands in its own file, where it makes sense in more than one formulation; [`ALL`] lists them by name for
//! the command line, the laws in `tests/` and the benchmarks.

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

pub mod beam_cantilever;
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

pub use andrews_squeezer::{AndrewsSqueezer, AndrewsSqueezerAbsolute};
pub use beam_cantilever::{BeamBend, BeamCantilever};
pub use bouncing_ball::BouncingBall;
pub use chain::Chain;
pub use disc_pile::DiscPile;
pub use double_pendulum::{DoublePendulum, DoublePendulumAbsolute};
pub use driven_pendulum::{DrivenPendulum, DrivenPendulumAbsolute};
pub use ellipsoid::{Ellipsoid, EllipsoidAbsolute};
pub use flexible_cantilever::FlexibleCantilever;
pub use flexible_four_bar::FlexibleFourBar;
pub use flexible_pendulum::{FlexiblePendulum, FlexiblePendulumPinned};
pub use flexible_slider_crank::{FlexibleSliderCrank, FlexibleSliderCrankPinned};
pub use floating_body::{FloatingBody, MooredShip};
pub use flyball_governor::{FlyballGovernor, FlyballGovernorAbsolute};
pub use forced_oscillator::ForcedOscillator;
pub use four_bars::FourBars;
pub use free_body::{FreeBody, FreeBodyJoint};
pub use heavy_top::{HeavyTop, HeavyTopJoint};
pub use otter::Otter;
pub use pendulum::{Pendulum, PendulumAbsolute};
pub use point_pendulum::PointPendulum;
pub use rocking_block::RockingBlock;
pub use rolling_ball::{RollingBall, RollingBallJoint};
pub use rotating_shaft::RotatingShaft;
pub use scotch_yoke::{ScotchYoke, ScotchYokeAbsolute};
pub use shaft_line::{ShaftLine, ShaftLineAbsolute};
pub use single_axis_rotation::SingleAxisRotation;
pub use sleigh::{Sleigh, SleighAbsolute};
pub use slider_crank::{SliderCrank, SliderCrankAbsolute};
pub use slider_crank_clearance::{SliderCrankClearance, SliderCrankClearanceAbsolute};
pub use stick_slip::StickSlip;
pub use thin_beam::ThinBeam;
pub use three_mass_oscillator::{ThreeMassOscillator, ThreeMassOscillatorConstrained};
pub use v8_crank_drive::V8CrankDrive;

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
    ($($name:literal => $module:ident::$model:ident / $parameters:ident $(= $other:literal)?),* $(,)?) => {
        /// Every model.
        pub static ALL: &[ModelEntry] = &[$(ModelEntry {
            name: $name,
            build: |values| {
                let mut parameters = $module::$parameters::default();
                for (component, value) in values {
                    parameters.set(component, *value)?;
                }
                Ok(Box::new($module::$model::new(parameters)))
            },
            same_as: models!(@other $($other)?),
        }),*];
    };
    (@other) => { None };
    (@other $other:literal) => { Some($other) };
}

models![
    "andrews_squeezer" => andrews_squeezer::AndrewsSqueezer / AndrewsSqueezerParameters,
    "andrews_squeezer_absolute" =>
        andrews_squeezer::AndrewsSqueezerAbsolute / AndrewsSqueezerAbsoluteParameters = "andrews_squeezer",
    "beam_bend" => beam_cantilever::BeamBend / BeamBendParameters,
    "beam_cantilever" => beam_cantilever::BeamCantilever / BeamCantileverParameters,
    "bouncing_ball" => bouncing_ball::BouncingBall / BouncingBallParameters,
    "chain" => chain::Chain / ChainParameters,
    "disc_pile" => disc_pile::DiscPile / DiscPileParameters,
    "pendulum" => pendulum::Pendulum / PendulumParameters,
    "pendulum_absolute" => pendulum::PendulumAbsolute / PendulumAbsoluteParameters = "pendulum",
    "double_pendulum" => double_pendulum::DoublePendulum / DoublePendulumParameters,
    "double_pendulum_absolute" =>
        double_pendulum::DoublePendulumAbsolute / DoublePendulumAbsoluteParameters = "double_pendulum",
    "driven_pendulum" => driven_pendulum::DrivenPendulum / DrivenPendulumParameters,
    "driven_pendulum_absolute" =>
        driven_pendulum::DrivenPendulumAbsolute / DrivenPendulumAbsoluteParameters = "driven_pendulum",
    "ellipsoid" => ellipsoid::Ellipsoid / EllipsoidParameters,
    "ellipsoid_absolute" => ellipsoid::EllipsoidAbsolute / EllipsoidAbsoluteParameters = "ellipsoid",
    "flexible_cantilever" => flexible_cantilever::FlexibleCantilever / FlexibleCantileverParameters,
    "flexible_pendulum" => flexible_pendulum::FlexiblePendulum / FlexiblePendulumParameters,
    "flexible_pendulum_pinned" => flexible_pendulum::FlexiblePendulumPinned / FlexiblePendulumPinnedParameters,
    "flexible_slider_crank" => flexible_slider_crank::FlexibleSliderCrank / FlexibleSliderCrankParameters,
    "flexible_slider_crank_pinned" =>
        flexible_slider_crank::FlexibleSliderCrankPinned / FlexibleSliderCrankPinnedParameters,
    "floating_body" => floating_body::FloatingBody / FloatingBodyParameters,
    "flyball_governor" => flyball_governor::FlyballGovernor / FlyballGovernorParameters,
    "flyball_governor_absolute" =>
        flyball_governor::FlyballGovernorAbsolute / FlyballGovernorAbsoluteParameters = "flyball_governor",
    "forced_oscillator" => forced_oscillator::ForcedOscillator / ForcedOscillatorParameters,
    "four_bars" => four_bars::FourBars / FourBarsParameters,
    "moored_ship" => floating_body::MooredShip / MooredShipParameters,
    "otter" => otter::Otter / OtterParameters,
    "point_pendulum" => point_pendulum::PointPendulum / PointPendulumParameters,
    "rocking_block" => rocking_block::RockingBlock / RockingBlockParameters,
    "rolling_ball" => rolling_ball::RollingBall / RollingBallParameters,
    "rolling_ball_joint" => rolling_ball::RollingBallJoint / RollingBallJointParameters = "rolling_ball",
    "sleigh" => sleigh::Sleigh / SleighParameters,
    "sleigh_absolute" => sleigh::SleighAbsolute / SleighAbsoluteParameters = "sleigh",
    "slider_crank" => slider_crank::SliderCrank / SliderCrankParameters,
    "slider_crank_absolute" => slider_crank::SliderCrankAbsolute / SliderCrankAbsoluteParameters = "slider_crank",
    "slider_crank_clearance" => slider_crank_clearance::SliderCrankClearance / SliderCrankClearanceParameters,
    "slider_crank_clearance_absolute" =>
        slider_crank_clearance::SliderCrankClearanceAbsolute / SliderCrankClearanceAbsoluteParameters
        = "slider_crank_clearance",
    "stick_slip" => stick_slip::StickSlip / StickSlipParameters,
    "three_mass_oscillator" => three_mass_oscillator::ThreeMassOscillator / ThreeMassOscillatorParameters,
    "three_mass_oscillator_constrained" =>
        three_mass_oscillator::ThreeMassOscillatorConstrained / ThreeMassOscillatorConstrainedParameters,
    "scotch_yoke" => scotch_yoke::ScotchYoke / ScotchYokeParameters,
    "scotch_yoke_absolute" => scotch_yoke::ScotchYokeAbsolute / ScotchYokeAbsoluteParameters = "scotch_yoke",
    "shaft_line" => shaft_line::ShaftLine / ShaftLineParameters,
    "shaft_line_absolute" => shaft_line::ShaftLineAbsolute / ShaftLineAbsoluteParameters = "shaft_line",
    "single_axis_rotation" => single_axis_rotation::SingleAxisRotation / SingleAxisRotationParameters,
    "free_body" => free_body::FreeBody / FreeBodyParameters,
    "free_body_joint" => free_body::FreeBodyJoint / FreeBodyJointParameters = "free_body",
    "heavy_top" => heavy_top::HeavyTop / HeavyTopParameters,
    "heavy_top_joint" => heavy_top::HeavyTopJoint / HeavyTopJointParameters = "heavy_top",
    "flexible_four_bar" => flexible_four_bar::FlexibleFourBar / FlexibleFourBarParameters,
    "rotating_shaft" => rotating_shaft::RotatingShaft / RotatingShaftParameters,
    "thin_beam" => thin_beam::ThinBeam / ThinBeamParameters,
    "v8_crank_drive" => v8_crank_drive::V8CrankDrive / V8CrankDriveParameters,
];

/// The model with this name.
pub fn find(name: &str) -> Option<&'static ModelEntry> {
    ALL.iter().find(|entry| entry.name == name)
}
