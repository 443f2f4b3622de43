//! Registry of applied forces: the fields of each kind, and the wrenches that it applies to bodies.
//!
//! To add a kind, write its file and add its name to the list below. Gravity is not in this list: it acts on every
//! body, and is a property of the model.

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
