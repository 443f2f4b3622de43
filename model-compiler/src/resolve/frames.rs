//! Frames fixed to bodies, from the ends of joints and forces.

use syn::Result;

use super::context::Context;
use super::dependence::Site;
use super::{Frame, Term, constants};
use crate::diagnostics::{self, Place};
use crate::expr::{Binary, Number};
use crate::parse::{End, Value};
use crate::space::{Shape, Space};
use crate::units::Unit;

/// How far a rotation matrix may be from orthonormal.
const ORTHONORMAL: f64 = 1e-9;

impl Context<'_> {
    /// The frame of a joint's end. `shared` are the axes that the joint gives for both of its ends.
    pub(super) fn joint_end(&self, end: &End, shared: Option<&Term>) -> Option<Frame> {
        let Some(marker) = self.marker(&end.name) else { return self.frame(end, shared) };
        for extra in [&end.position, &end.rotation, &end.axis].into_iter().flatten() {
            self.errors.push(diagnostics::marker_has_its_place(extra.place, &end.name));
        }
        self.frame(marker, shared)
    }

    /// The frame that a body, a point and axes describe.
    pub(super) fn frame(&self, end: &End, shared: Option<&Term>) -> Option<Frame> {
        if self.marker(&end.name).is_some() {
            let found = format!("marker `{}`", end.name);
            return self.report(diagnostics::wrong_kind(&end.name, "the name of a body", &found));
        }
        let body = self.body_of_end(end);
        let position = end.position.as_ref().map(|value| self.position(value));
        let axis = match (&end.axis, shared) {
            (Some(axis), _) => Some(self.axis(axis)),
            (None, shared) => shared.cloned().map(Some),
        };
        let turned = end.rotation.as_ref().map(|rotation| self.rotation(rotation));
        // An axis is seen in the frame that `rotated` has turned.
        let rotation = match (all(turned)?, all(axis)?) {
            (Some(turned), Some(axis)) => Some(Term::binary(Binary::Mul, turned, axis, Unit::ONE)),
            (turned, axis) => turned.or(axis),
        };
        Some(Frame { body: body?, position: all(position)?, rotation })
    }

    /// The frame of an end that is a point; `objection` is the message where it is given axes.
    pub(super) fn point_end(&self, end: &End, objection: fn(Place) -> syn::Error) -> Option<Frame> {
        for turned in [&end.rotation, &end.axis].into_iter().flatten() {
            self.errors.push(objection(turned.place));
        }
        if let Some(marker) = self.marker(&end.name) {
            if let Some(axes) = marker.rotation.as_ref().or(marker.axis.as_ref()) {
                let error = objection(Place::at(end.name.span()));
                return self.report(diagnostics::axes_of_marker(error, axes.place, &end.name));
            }
            return self.joint_end(end, None);
        }
        let body = self.body_of_end(end);
        let position = end.position.as_ref().map(|value| self.position(value));
        Some(Frame { body: body?, position: all(position)?, rotation: None })
    }

    /// The axes of a frame: an angle in the plane, a rotation matrix in space.
    fn rotation(&self, value: &Value) -> Option<Term> {
        let shape = match self.settings.space {
            Space::Planar => Shape::Scalar,
            Space::Spatial => Shape::Matrix(3, 3),
        };
        if shape == Shape::Scalar {
            self.refuse_bare_angle(value);
        }
        let term = self.typed(value, shape, Unit::ONE)?;
        let rotation = self.allow(term, Site::Fixed("the axes of a frame"))?;
        let entries = constants::evaluate(&rotation, &self.defaults);
        if let Some([a, b, c, d, e, f, g, h, i]) = entries.as_deref() {
            let (x, y, z) = ([*a, *d, *g], [*b, *e, *h], [*c, *f, *i]);
            let unit = [x, y, z].iter().all(|axis| (dot(*axis, *axis) - 1.0).abs() < ORTHONORMAL);
            if !unit || (0..3).any(|k| (cross(x, y)[k] - z[k]).abs() > ORTHONORMAL) {
                return self.report(diagnostics::not_a_rotation(value.place));
            }
        }
        Some(rotation)
    }

    /// Axes whose z axis has this direction.
    pub(super) fn axis(&self, value: &Value) -> Option<Term> {
        if self.settings.space == Space::Planar {
            return self.report(diagnostics::axis_in_the_plane(value.place));
        }
        let operand = self.operand(value)?;
        let direction = self.keep(operand.require(Shape::Vector(3), Unit::ONE))?;
        let components = constants::evaluate(&direction, &Vec::new());
        let Some([x, y, z]) = components.as_deref() else {
            return self.report(diagnostics::axis_not_constant(value.place));
        };
        self.keep(axes_along([*x, *y, *z], value.place))
    }
}

/// `None` if a part that is written is in error.
fn all<T>(part: Option<Option<T>>) -> Option<Option<T>> {
    match part {
        Some(None) => None,
        Some(part) => Some(part),
        None => Some(None),
    }
}

/// Axes that arise from turning z into this direction by the smallest rotation; about x where it is a half turn.
///
/// Exact if the components and the length of the direction are decimals, as those of [3, 0, 4] are: then products of axes
/// that vanish do so in the equations, and leave no terms of the size of rounding.
fn axes_along(direction: [f64; 3], place: Place) -> Result<Term> {
    let length = dot(direction, direction).sqrt();
    if length == 0.0 || !length.is_finite() {
        return Err(diagnostics::axis_is_zero(place));
    }
    let rounded = || rounded_axes(direction.map(|component| component / length)).map(|row| row.map(Number::from_f64));
    let rows = exact_axes(direction).unwrap_or_else(rounded);
    let number = |entry: Number| Term::number(entry, place.first);
    let rows = rows.map(|row| Term::stack(row.map(number).to_vec(), Unit::ONE, place.first));
    Ok(Term::stack(rows.to_vec(), Unit::ONE, place.first))
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn cross([ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]) -> [f64; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

/// With n the direction and c its z component, R = c 1 + [z × n] + (z × n)(z × n)ᵀ / (1 + c).
fn rounded_axes([nx, ny, c]: [f64; 3]) -> [[f64; 3]; 3] {
    let sine_squared = nx * nx + ny * ny;
    if sine_squared == 0.0 && c < 0.0 {
        return [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]];
    }
    // Near a half turn 1 + c has lost its digits, and 1 / (1 + c) = (1 - c) / (1 - c²) has not.
    let k = if c < 0.0 { (1.0 - c) / sine_squared } else { 1.0 / (1.0 + c) };
    [[c + k * ny * ny, -k * nx * ny, nx], [-k * nx * ny, c + k * nx * nx, ny], [-nx, -ny, c]]
}

/// The same in rational numbers; `None` where the length is irrational, and at half turns.
fn exact_axes(direction: [f64; 3]) -> Option<[[Number; 3]; 3]> {
    let mut numbers = [Number::zero(); 3];
    for (number, component) in numbers.iter_mut().zip(direction) {
        let size = Number::parse_decimal(&format!("{:e}", component.abs()))?;
        *number = if component < 0.0 { size.checked_neg()? } else { size };
    }
    let [x, y, z] = numbers;
    let square = |x: Number| x.checked_mul(x);
    let length = square(x)?.checked_add(square(y)?)?.checked_add(square(z)?)?.exact_sqrt()?;
    let [nx, ny, c] = [x.checked_div(length)?, y.checked_div(length)?, z.checked_div(length)?];
    let k = Number::one().checked_div(Number::one().checked_add(c)?)?;
    let [sx, sy] = [k.checked_mul(square(nx)?)?, k.checked_mul(square(ny)?)?];
    let both = k.checked_mul(nx)?.checked_mul(ny)?.checked_neg()?;
    Some([[c.checked_add(sy)?, both, nx], [both, c.checked_add(sx)?, ny], [nx.checked_neg()?, ny.checked_neg()?, c]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;

    fn axes(direction: [f64; 3]) -> Option<Vec<f64>> {
        let axes = axes_along(direction, Place::at(Span::call_site())).ok()?;
        constants::evaluate(&axes, &Vec::new())
    }

    #[test]
    fn coordinate_axes_are_exact() {
        assert_eq!(axes([0.0, 0.0, 2.0]), Some(vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]));
        assert_eq!(axes([1.0, 0.0, 0.0]), Some(vec![0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0]));
        assert_eq!(axes([0.0, -3.0, 0.0]), Some(vec![1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0]));
        assert_eq!(axes([0.0, 0.0, -1.0]), Some(vec![1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0]));
        assert_eq!(axes([0.0, 0.0, 0.0]), None);
    }

    #[test]
    fn axes_are_orthonormal_and_end_along_the_direction() {
        for direction in [[1.0, 2.0, -2.0], [0.3, -0.4, 1.2], [-1e-3, 1e-4, -1.0]] {
            let entries = axes(direction).unwrap_or_default();
            let column = |j: usize| [entries[j], entries[3 + j], entries[6 + j]];
            let (x, y, z) = (column(0), column(1), column(2));
            let length = dot(direction, direction).sqrt();
            for k in 0..3 {
                assert!((z[k] - direction[k] / length).abs() < 1e-12, "z along {direction:?}");
                assert!((cross(x, y)[k] - z[k]).abs() < 1e-12, "right-handed for {direction:?}");
            }
            assert!((dot(x, x) - 1.0).abs() < 1e-12 && dot(x, y).abs() < 1e-12, "orthonormal for {direction:?}");
        }
    }

    #[test]
    fn axes_of_rational_length_are_exact() {
        for direction in [[3.0, 0.0, 4.0], [0.6, 0.0, -0.8], [2.0, -3.0, 6.0], [-1.0, 2.0, -2.0]] {
            let rows = exact_axes(direction).unwrap_or([[Number::zero(); 3]; 3]);
            for (i, a) in rows.iter().enumerate() {
                for (k, b) in rows.iter().enumerate() {
                    let product = (0..3).fold(Number::zero(), |sum, j| sum + a[j] * b[j]);
                    assert_eq!(product, Number::from(i64::from(i == k)), "rows {i} and {k} along {direction:?}");
                }
            }
        }
        assert_eq!(exact_axes([1.0, 1.0, 1.0]), None);
    }
}
