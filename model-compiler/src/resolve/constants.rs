//! Numerical values of terms that depend on parameters alone, at the parameters' defaults.
//!
//! Only checks use them: the generated code computes its own.

use super::{Term, TermKind};
use crate::expr::{Binary, Unary};
use crate::space::Shape;

/// Values of parameters, in their order; `None` where a default is in error.
pub(super) type Defaults = Vec<Option<Vec<f64>>>;

/// Components of a term, in row-major order; `None` where it depends on more than parameters.
pub(super) fn evaluate(term: &Term, parameters: &Defaults) -> Option<Vec<f64>> {
    let of = |term: &Term| evaluate(term, parameters);
    Some(match &term.kind {
        TermKind::Number(number) => vec![number.to_f64()],
        TermKind::Parameter(id) => parameters.get(id.0)?.clone()?,
        TermKind::Stack(parts) => parts.iter().map(of).collect::<Option<Vec<_>>>()?.concat(),
        TermKind::Diagonal(parts) => {
            let (n, mut matrix) = (parts.len(), vec![0.0; parts.len() * parts.len()]);
            for (i, part) in parts.iter().enumerate() {
                *matrix.get_mut(i * n + i)? = scalar(part, parameters)?;
            }
            matrix
        }
        TermKind::Component(vector, index) => vec![*of(vector)?.get(*index)?],
        TermKind::Unary(function, a) => of(a)?.into_iter().map(|x| unary(*function, x)).collect(),
        TermKind::Binary(Binary::Mul, a, b) => product((&of(a)?, a.shape), (&of(b)?, b.shape)),
        TermKind::Binary(function, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            let operand = |i: usize| if b.len() == 1 { b.first() } else { b.get(i) };
            a.iter().enumerate().map(|(i, &x)| Some(binary(*function, x, *operand(i)?))).collect::<Option<_>>()?
        }
        TermKind::Dot(a, b) => vec![dot(&of(a)?, &of(b)?)],
        TermKind::Cross(a, b) => match (of(a)?.as_slice(), of(b)?.as_slice()) {
            (&[ax, ay], &[bx, by]) => vec![ax * by - ay * bx],
            (&[ax, ay, az], &[bx, by, bz]) => vec![ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx],
            _ => return None,
        },
        TermKind::Norm(a) => {
            let a = of(a)?;
            vec![dot(&a, &a).sqrt()]
        }
        TermKind::Transpose(a) => {
            let Shape::Matrix(rows, columns) = a.shape else { return None };
            let entries = of(a)?;
            let order = (0..columns).flat_map(|j| (0..rows).map(move |i| i * columns + j));
            order.map(|index| entries.get(index).copied()).collect::<Option<_>>()?
        }
        TermKind::Select { lhs, rhs, then, otherwise } => {
            let is_less = scalar(lhs, parameters)? < scalar(rhs, parameters)?;
            if is_less { of(then)? } else { of(otherwise)? }
        }
        TermKind::Input(_)
        | TermKind::Time
        | TermKind::ExpressedIn(..)
        | TermKind::GivenIn(..)
        | TermKind::Quantity(_) => return None,
    })
}

fn scalar(term: &Term, parameters: &Defaults) -> Option<f64> {
    evaluate(term, parameters)?.first().copied()
}

fn product((a, a_shape): (&[f64], Shape), (b, b_shape): (&[f64], Shape)) -> Vec<f64> {
    match (a_shape, b_shape) {
        (Shape::Matrix(rows, inner), Shape::Vector(_) | Shape::Matrix(..)) => {
            let columns = if let Shape::Matrix(_, columns) = b_shape { columns } else { 1 };
            let entry = |i: usize, j: usize| (0..inner).map(|k| a[i * inner + k] * b[k * columns + j]).sum();
            (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect()
        }
        (Shape::Scalar, _) => b.iter().map(|y| a[0] * y).collect(),
        _ => a.iter().map(|x| x * b[0]).collect(),
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn unary(function: Unary, x: f64) -> f64 {
    match function {
        Unary::Neg => -x,
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Tan => x.tan(),
        Unary::Asin => x.asin(),
        Unary::Acos => x.acos(),
        Unary::Atan => x.atan(),
        Unary::Sqrt => x.sqrt(),
        Unary::Exp => x.exp(),
        Unary::Ln => x.ln(),
        Unary::Tanh => x.tanh(),
        Unary::Abs => x.abs(),
        Unary::Sign if x == 0.0 => 0.0,
        Unary::Sign => x.signum(),
    }
}

fn binary(function: Binary, x: f64, y: f64) -> f64 {
    match function {
        Binary::Add => x + y,
        Binary::Sub => x - y,
        Binary::Mul => x * y,
        Binary::Div => x / y,
        Binary::Atan2 => x.atan2(y),
        Binary::Power => x.powf(y),
        Binary::Min => x.min(y),
        Binary::Max => x.max(y),
    }
}

/// Whether a matrix, row by row, is symmetric and positive definite to rounding: whether it has a Cholesky factor.
pub(super) fn is_positive_definite(rows: &[Vec<f64>]) -> bool {
    const ROUNDING: f64 = 1e-12;
    let size = |i: usize, j: usize| (rows[i][i] * rows[j][j]).abs().sqrt();
    let is_symmetric =
        (0..rows.len()).all(|i| (0..i).all(|j| (rows[i][j] - rows[j][i]).abs() <= ROUNDING * size(i, j)));
    let mut factor: Vec<Vec<f64>> = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let mut next: Vec<f64> = Vec::new();
        for j in 0..i {
            let rest = row[j] - dot(&next, &factor[j][..j]);
            next.push(rest / factor[j][j]);
        }
        let rest = row[i] - dot(&next, &next);
        if rest.is_nan() || rest <= ROUNDING * row[i].abs() {
            return false;
        }
        next.push(rest.sqrt());
        factor.push(next);
    }
    is_symmetric
}

/// Principal moments of a symmetric 3 × 3 matrix in row-major order, by Jacobi's rotations.
pub(crate) fn principal_moments(matrix: &[f64; 9]) -> [f64; 3] {
    const SWEEPS: usize = 12;
    let mut m = *matrix;
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off_diagonal = m[3 * p + q];
            if off_diagonal == 0.0 {
                continue;
            }
            let angle = 0.5 * (2.0 * off_diagonal).atan2(m[4 * q] - m[4 * p]);
            let (s, c) = angle.sin_cos();
            for k in 0..3 {
                let (kp, kq) = (m[3 * k + p], m[3 * k + q]);
                (m[3 * k + p], m[3 * k + q]) = (c * kp - s * kq, s * kp + c * kq);
            }
            for k in 0..3 {
                let (pk, qk) = (m[3 * p + k], m[3 * q + k]);
                (m[3 * p + k], m[3 * q + k]) = (c * pk - s * qk, s * pk + c * qk);
            }
        }
    }
    let mut moments = [m[0], m[4], m[8]];
    moments.sort_by(f64::total_cmp);
    moments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_moments_do_not_depend_on_the_axes() {
        // R diag(1, 2, 3) Rᵀ with the rotation of 1-2-2 direction cosines.
        let third = 1.0 / 3.0;
        let r =
            [[third, 2.0 * third, 2.0 * third], [2.0 * third, third, -2.0 * third], [2.0 * third, -2.0 * third, third]];
        let entry = |i: usize, j: usize| (0..3).map(|k| r[i][k] * (k + 1) as f64 * r[j][k]).sum::<f64>();
        let matrix: [f64; 9] = std::array::from_fn(|index| entry(index / 3, index % 3));
        for (moment, expected) in principal_moments(&matrix).into_iter().zip([1.0, 2.0, 3.0]) {
            assert!((moment - expected).abs() < 1e-14, "{moment} for {expected}");
        }
    }
}
