//! Registry of applied forces: what each kind needs, and the wrench it puts on bodies.
//!
//! To add one: write its file, and put its name into the list below. Gravity is a property of the model, not a force
//! of this list: every body feels it.

macro_rules! forces {
    ($($file:ident :: $name:ident),* $(,)?) => {
        $(mod $file;)*
        /// Every force.
        pub static ALL: &[&dyn Force] = &[$(&$file::$name),*];
    };
}

forces![
    bushing::Bushing,
    damper::Damper,
    generalized_force::GeneralizedForce,
    point_force::PointForce,
    spring::Spring,
    spring_damper::SpringDamper,
    torque::Torque,
    torsion_spring::TorsionSpring,
];

mod kind;

pub use kind::{Action, FieldKind, FieldShape, Force, FrameMotion, Situation, Target};

/// The force with this keyword.
pub fn find(keyword: &str) -> Option<&'static dyn Force> {
    ALL.iter().copied().find(|force| force.keyword() == keyword)
}
