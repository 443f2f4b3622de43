//! Models where the names that generated code could use mean something else.
//!
//! Whoever includes this file defines `model!`, which hands its tokens to `multibody!`. Every module holds one or both of two
//! models, which have the same text everywhere, so that each is compiled once and read again after that.

/// Joint coordinates: inputs, contacts, powers, friction, functions on request, fused products, three angles at once.
macro_rules! arm {
    () => {
        model! {
            /// An arm with a motor.
            pub model Arm {
                planar;
                coordinates joint;
                fused_multiply_add;
                param mass = 1 kg;
                param q = 0.5 m;
                param c = [0.1, 0.2] N m s;
                input drive N m;
                gravity [0, -9.81] m/s^2;
                body upper { mass: mass, inertia: 0.1 kg m^2 }
                body lower { mass: mass, inertia: 0.1 kg m^2 }
                body hand { mass: mass / 2, inertia: 0.1 kg m^2 }
                joint shoulder: revolute(ground, upper at [0, q]);
                joint elbow: revolute(upper at [0, -q], lower at [0, q]);
                joint wrist: revolute(lower at [0, -q], hand at [0, q]);
                torque motor: drive - c[0] * shoulder.velocity on shoulder;
                torque rub: -c[1] * (1 rad/s) * sign(elbow.velocity) * abs(elbow.velocity / (1 rad/s))^1.5 on elbow;
                torque kick: if time < q * (1 s/m) { 0 N m } else { drive } on elbow;
                torque stop: if wrist.angle < -1 rad { -10 N m * (wrist.angle + 1 rad) } else { 0 N m } on wrist;
                contact floor: point_on_line(hand, ground at [0, -4] m) { friction: 0.3, restitution: q / (1 m) }
                provide forward_dynamics, inverse_dynamics, forward_dynamics_derivatives;
                initial shoulder.angle = 30 deg;
                output tip = hand.position;
            }
        }
    };
}

/// Absolute coordinates: members by rule, each with parameters of its own.
macro_rules! chain {
    () => {
        model! {
            pub model Chain {
                planar;
                param lengths = [0.1; 12] m;
                gravity [0, -9.81] m/s^2;
                for k in 0..12 { body link[k] { mass: 1 kg, inertia: 1 kg m^2 } }
                joint anchor: revolute(ground, link[0] at [-lengths[0], 0]);
                for k in 1..12 { joint pin[k]: revolute(link[k - 1] at [lengths[k], 0], link[k] at [-lengths[k], 0]); }
                output tip = link[11].position;
            }
        }
    };
}

/// A model of this name, with these parameters.
macro_rules! disc {
    ($name:ident, $($parameter:ident),*) => {
        model! {
            model $name {
                planar;
                $(param $parameter = 1 kg;)*
                body disc { mass: 1 kg $(+ $parameter)*, inertia: 1 kg m^2 }
                joint motion: free(ground, disc);
            }
        }
    };
}

mod no_prelude {
    #![no_implicit_prelude]
    arm!();
    chain!();
}

mod warnings {
    #![deny(warnings, unused, nonstandard_style, rust_2018_idioms, missing_docs, unreachable_pub)]
    #![deny(missing_debug_implementations, unused_qualifications, single_use_lifetimes, trivial_casts, unused_results)]
    #![deny(clippy::all)]
    arm!();
    chain!();
}

mod unused {
    #![deny(warnings)]
    disc!(Unused,);
}

mod results {
    pub type Result<T> = core::result::Result<T, ()>;
    arm!();
    chain!();
}

mod results_of_io {
    pub use std::io::Result;
    arm!();
}

mod results_of_fmt {
    pub use std::fmt::Result;
    arm!();
}

/// Everything that the preludes of the editions name.
mod prelude {
    pub struct Box;
    pub struct String;
    pub struct Vec;
    pub struct Option;
    pub struct Result;
    pub struct Some;
    pub struct None;
    pub struct Ok;
    pub struct Err;
    pub struct drop;
    pub trait AsMut {}
    pub trait AsRef {}
    pub trait Clone {}
    pub trait Copy {}
    pub trait Debug {}
    pub trait Default {}
    pub trait DoubleEndedIterator {}
    pub trait Drop {}
    pub trait Eq {}
    pub trait ExactSizeIterator {}
    pub trait Extend {}
    pub trait Fn {}
    pub trait FnMut {}
    pub trait FnOnce {}
    pub trait From {}
    pub trait FromIterator {}
    pub trait Future {}
    pub trait Into {}
    pub trait IntoFuture {}
    pub trait IntoIterator {}
    pub trait Iterator {}
    pub trait Ord {}
    pub trait PartialEq {}
    pub trait PartialOrd {}
    pub trait Send {}
    pub trait Sized {}
    pub trait Sync {}
    pub trait ToOwned {}
    pub trait ToString {}
    pub trait TryFrom {}
    pub trait TryInto {}
    pub trait Unpin {}
    arm!();
    chain!();
}

/// Types and crates.
mod types {
    pub struct bool;
    pub struct char;
    pub struct f64;
    pub struct str;
    pub struct u32;
    pub struct usize;
    pub struct Constants;
    pub struct Member;
    pub struct Real;
    pub struct Run;
    pub struct T;
    pub mod core {}
    pub mod hamel {}
    pub mod kernels {}
    pub mod std {}
    arm!();
    chain!();
}

/// Names of local variables, each as a constant or a static, and of functions.
mod constants {
    macro_rules! constants {
        ($($name:ident)*) => { $(pub const $name: () = ();)* };
    }
    constants! { mass c constants inputs drive state t q v a lambda tau out r g residual jacobian rate acceleration effects }
    constants! { member place sum energy name value f parameters laws law lengths x1 x2 x3 two half one coordinate m d k }
    pub static sin_shoulder_angle: () = ();
    pub static cos_shoulder_angle: () = ();
    pub static ca: () = ();
    pub static cv: () = ();
    pub static cq: () = ();
    pub static iteration_matrix: () = ();
    pub fn gather() {}
    pub fn scatter() {}
    pub fn array() {}
    arm!();
    chain!();
}

/// Methods for every type.
mod methods {
    pub trait Everything {
        fn iter(&self) {}
        fn zip(&self) {}
        fn map(&self) {}
        fn collect(&self) {}
        fn value(&self) {}
        fn clone(&self) {}
        fn fill(&self) {}
        fn sin_cos(&self) {}
        fn default() {}
    }
    impl<X: ?Sized> Everything for X {}
    arm!();
    chain!();
}

mod macros {
    #[allow(unused_macros)]
    mod names {
        macro_rules! nothing { ($($name:ident)*) => { $(#[allow(unused_macros)] macro_rules! $name { () => { compile_error!("") }; })* }; }
        nothing! { Clone Debug Default PartialEq vec format matches panic assert write }
    }
    #[allow(unused_macros)]
    macro_rules! Clone {
        () => {
            compile_error!("")
        };
    }
    #[allow(unused_macros)]
    macro_rules! Debug {
        () => {
            compile_error!("")
        };
    }
    arm!();
    chain!();
}

/// Models with the names of types that generated code uses, and of parameters that are patterns elsewhere.
mod names {
    disc!(Clone, Some, None, Ok, Err);
    disc!(Default, Default, Self_, Vec, String);
    disc!(Result, new, set, components, validate, default, clone);
    disc!(Option, f64, usize, str, bool, core, std, hamel, kernels);
    disc!(Some, constants, parameters, inputs, name, value, self_, t, T, J1, j1);
    disc!(Iterator, union, auto, raw, dyn_, asm, linux, unix, int, double);
    disc!(Vec, x1, x2, two, half, mass_matrix, residual);
    disc!(Debug, é, 質量, μ);
    disc!(Constants,);
    disc!(Member,);
    disc!(INFO,);
    disc!(Real,);
    disc!(T,);
    disc!(Größe,);
}

/// Names that differ in case and underscores alone.
mod alike {
    disc!(Pen,);
    disc!(PEN,);
    disc!(pEn,);
    disc!(pen,);
    disc!(Pen_,);
    disc!(P_en,);
}

/// Bodies and joints name modules and locals.
mod members {
    model! {
        pub(super) model Crowd {
            planar;
            for k in 0..2 { body usize[k] { mass: 1 kg, inertia: 1 kg m^2 } }
            body core { mass: 2 kg, inertia: 1 kg m^2 }
            body hamel { mass: 3 kg, inertia: 1 kg m^2 }
            body u32 { mass: 4 kg, inertia: 1 kg m^2 }
            body constants { mass: 5 kg, inertia: 1 kg m^2 }
            body Some { mass: 6 kg, inertia: 1 kg m^2 }
            joint f64: revolute(ground, core);
            joint super_: revolute(core, hamel);
            joint Real: revolute(hamel, u32);
            joint kernels: revolute(u32, constants);
            joint INFO: revolute(constants, Some);
            for k in 0..2 { joint v[k]: revolute(Some, usize[k] at [1, k] m); }
            output MEMBERS = usize[1].position;
        }
    }
}

#[test]
fn models_stand_anywhere() {
    use super::Model;
    assert_eq!(no_prelude::Arm::default().dims().nv, prelude::Arm::default().dims().nv);
    assert_eq!(types::Chain::default().clone().dims().nv, 36);
    assert_eq!(members::Crowd::default().dims().nv, 21);
}

/// In a function, beside local variables.
#[test]
fn models_stand_in_functions() {
    use super::Model;
    const mass: f64 = 2.0;
    arm!();
    let arm = Arm::new(ArmParameters { mass, ..ArmParameters::default() });
    assert_eq!(arm.parameters().mass, 2.0);
    assert_eq!(arm.dims().nv, 3);
    let mut parameters = arm.parameters().clone();
    assert!(parameters.set("q", 2.0).is_ok() && parameters.set("p", 2.0).is_err());
    assert_eq!(parameters.q, 2.0);
}
