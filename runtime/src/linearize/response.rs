//! Responses of a linearised model to inputs that oscillate.

use nalgebra::{Complex, DMatrix, DVector, Hessenberg};

use super::hessenberg::Shifted;
use super::{Linearization, LinearizeError};
use crate::model::{Channel, UnknownChannel};
use crate::prelude::*;
use crate::spelling::similar;

impl Linearization {
    /// `H(s) = C (s E − A)⁻¹ B + D` at each complex frequency s, 1/s; on the imaginary axis, `s = i ω`, the response of all
    /// outputs (rows) to all inputs (columns) that oscillate with ω, rad/s.
    ///
    /// At a pole the response is not finite, or as large as rounding allows.
    ///
    /// # Examples
    /// A mass of 1 kg that a force of 1 N accelerates: `H = 1/s²`.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Cart {
    /// #         planar;
    /// #         coordinates joint;
    /// #         input push N;
    /// #         body cart { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, cart);
    /// #         force push: [push, 0] on cart;
    /// #         output way = rail.displacement;
    /// #         provide linearization;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::linearize::About;
    /// use hamel::nalgebra::Complex;
    ///
    /// let cart = Cart::default();
    /// let linear = hamel::linearize(&cart, &hamel::initial_state(&cart)?, About::Equilibrium)?;
    /// let response = linear.response([Complex::new(0.0, 2.0)]);
    /// let (way, push) = (linear.output("way")?, linear.input("push")?);
    /// assert!((response[0][(way, push)] + 0.25).norm() < 1e-15);
    /// # Ok(())
    /// # }
    /// ```
    pub fn response(&self, frequencies: impl IntoIterator<Item = Complex<f64>>) -> Vec<DMatrix<Complex<f64>>> {
        let complex = |matrix: &DMatrix<f64>| matrix.map(|entry| Complex::new(entry, 0.0));
        let direct = complex(&self.d);
        if self.states.is_empty() {
            return frequencies.into_iter().map(|_| direct.clone()).collect();
        }
        let (axes, reduced) = Hessenberg::new(self.state_matrix.clone()).unpack();
        let (b, c) = (complex(&(axes.transpose() * &self.input_matrix)), complex(&(&self.c * axes)));
        let at = |s: Complex<f64>| {
            let shifted = Shifted::new(&reduced, s);
            let mut response = direct.clone();
            for (mut column, b) in response.column_iter_mut().zip(b.column_iter()) {
                let b: DVector<Complex<f64>> = b.into_owned();
                column -= &c * shifted.solve(&b);
            }
            response
        };
        frequencies.into_iter().map(at).collect()
    }

    /// Index of the input of this name.
    ///
    /// # Errors
    /// [`LinearizeError::Unknown`] with similar names.
    pub fn input(&self, name: &str) -> Result<usize, LinearizeError> {
        place("input", &self.inputs, name)
    }

    /// Index of the output of this name.
    ///
    /// # Errors
    /// [`LinearizeError::Unknown`] with similar names.
    pub fn output(&self, name: &str) -> Result<usize, LinearizeError> {
        place("output", &self.outputs, name)
    }
}

fn place(what: &'static str, channels: &[Channel], name: &str) -> Result<usize, LinearizeError> {
    let place = channels.iter().position(|channel| channel.name == name);
    place.ok_or_else(|| {
        let known = channels.iter().map(|channel| channel.name.as_str());
        UnknownChannel { what, name: name.to_owned(), similar: similar(name, known) }.into()
    })
}
