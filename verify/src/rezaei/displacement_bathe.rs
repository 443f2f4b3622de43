//! Bathe's scheme as the paper iterates it, in displacements. [rezaei, Eqs. 75, 76]
//!
//! Written down here once more; the scheme of the runtime takes its coefficients from a tableau and iterates accelerations.

use nalgebra::{DMatrix, DVector};

/// Corrections of an implicit stage, each smaller than the last by a factor of the step size. Rounding may never settle.
const ITERATIONS: usize = 12;
/// Change of the velocities, beside their size, at which the iteration ends.
const TOLERANCE: f64 = 1e-15;
/// Matrices and forces at a state: M, C, K, h and W.
pub(super) struct Terms {
    pub(super) mass: DMatrix<f64>,
    pub(super) damping: DMatrix<f64>,
    pub(super) stiffness: DMatrix<f64>,
    pub(super) force: DVector<f64>,
    pub(super) directions: DMatrix<f64>,
}

#[derive(Clone)]
pub(super) struct Point {
    pub(super) q: DVector<f64>,
    pub(super) v: DVector<f64>,
    pub(super) a: DVector<f64>,
}

/// The last lines of the loop of Eq. 76.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// They update what belongs to the middle of the step.
    Printed,
    /// They update what belongs to its end.
    Corrected,
}

pub(super) type System<'a> = &'a dyn Fn(f64, &Point) -> Terms;

/// Displacements for which velocities `rate q + offset` along W vanish.
fn displacements(
    terms: &Terms,
    matrix: DMatrix<f64>,
    right: DVector<f64>,
    rate: f64,
    offset: &DVector<f64>,
) -> DVector<f64> {
    let undefined = || DVector::repeat(right.len(), f64::NAN);
    let factors = matrix.lu();
    let Some(free) = factors.solve(&right) else { return undefined() };
    if terms.directions.ncols() == 0 {
        return free;
    }
    let Some(pulled) = factors.solve(&terms.directions) else { return undefined() };
    let gap = terms.directions.transpose() * (&free * rate + offset);
    let forces = (terms.directions.transpose() * &pulled * rate).lu().solve(&-gap);
    forces.map_or_else(undefined, |forces| free + pulled * forces)
}

fn is_settled(before: &Point, after: &Point) -> bool {
    (&after.v - &before.v).amax() < TOLERANCE * (1.0 + after.v.amax())
}

/// Eq. 75.
fn half_step(system: System, start: &Point, t: f64, h: f64) -> Point {
    let Point { q, v, a } = start;
    let mut point = start.clone();
    for _ in 0..ITERATIONS {
        let terms = system(t + 0.5 * h, &point);
        let Terms { mass, damping, stiffness, force, .. } = &terms;
        let matrix = mass * (16.0 / (h * h)) + damping * (4.0 / h) + stiffness;
        let right = force + mass * (q * (16.0 / (h * h)) + v * (8.0 / h) + a) + damping * (q * (4.0 / h) + v);
        let moved = displacements(&terms, matrix, right, 4.0 / h, &(-v - q * (4.0 / h)));
        let faster = -v + (&moved - q) * (4.0 / h);
        let next = Point { a: -a + (&faster - v) * (4.0 / h), v: faster, q: moved };
        let settled = is_settled(&point, &next);
        point = next;
        if settled {
            break;
        }
    }
    point
}

/// Eq. 76.
fn second_half(system: System, start: &Point, middle: &Point, t: f64, h: f64, form: Form) -> Point {
    let mut point = middle.clone();
    for _ in 0..ITERATIONS {
        let terms = match form {
            Form::Printed => system(t + 0.5 * h, middle),
            Form::Corrected => system(t + h, &point),
        };
        let Terms { mass, damping, stiffness, force, .. } = &terms;
        let matrix = mass * (9.0 / (h * h)) + damping * (3.0 / h) + stiffness;
        let right = force
            + mass * (&middle.q * (12.0 / (h * h)) - &start.q * (3.0 / (h * h)) + &middle.v * (4.0 / h) - &start.v / h)
            + damping * (&middle.q * (4.0 / h) - &start.q / h);
        let moved = displacements(&terms, matrix, right, 3.0 / h, &(&start.q / h - &middle.q * (4.0 / h)));
        let v = &start.q / h - &middle.q * (4.0 / h) + &moved * (3.0 / h);
        let next = Point { a: &start.v / h - &middle.v * (4.0 / h) + &v * (3.0 / h), v, q: moved };
        let settled = is_settled(&point, &next);
        point = next;
        if settled {
            break;
        }
    }
    point
}

/// A step from a time, of a size.
pub(super) fn step(system: System, start: &Point, t: f64, h: f64, form: Form) -> Point {
    let middle = half_step(system, start, t, h);
    second_half(system, start, &middle, t, h, form)
}
