//! Rates of coordinates by velocities, q̇ = N(q) v, written by hand over any scalar, so that it checks the compiler's.

use hamel::configuration::ranges;
use hamel::{Attitude, Block};
use hamel_compiler::expr::{Binary, Scalar, Unary};

use super::ball::Ball;
use super::jet::Jet;

/// The sum of products.
fn sum<T: Scalar>(terms: &[(&T, &T)]) -> T {
    terms.iter().fold(T::from_f64(0.0), |sum, (a, b)| sum.binary(Binary::Add, &a.binary(Binary::Mul, b)))
}

/// Rates of the coordinates of a rotation by its angular velocity in body axes.
pub fn attitude_rates<T: Scalar>(attitude: Attitude, q: &[T], w: &[T]) -> Vec<T> {
    match attitude {
        Attitude::EulerParameters => {
            let half: Vec<T> = w.iter().map(|w| w.binary(Binary::Mul, &T::from_f64(0.5))).collect();
            let opposite: Vec<T> = half.iter().map(|w| w.unary(Unary::Neg)).collect();
            let ([a, b, c], [na, nb, nc]) = ([0, 1, 2].map(|k| &half[k]), [0, 1, 2].map(|k| &opposite[k]));
            vec![
                sum(&[(&q[1], na), (&q[2], nb), (&q[3], nc)]),
                sum(&[(&q[0], a), (&q[3], nb), (&q[2], c)]),
                sum(&[(&q[3], a), (&q[0], b), (&q[1], nc)]),
                sum(&[(&q[2], na), (&q[1], b), (&q[0], c)]),
            ]
        }
        Attitude::EulerAngles => {
            let (s1, c1) = (q[0].unary(Unary::Sin), q[0].unary(Unary::Cos));
            let (s2, c2) = (q[1].unary(Unary::Sin), q[1].unary(Unary::Cos));
            let about = sum(&[(&s1, &w[1]), (&c1, &w[2])]).binary(Binary::Div, &c2);
            let one = T::from_f64(1.0);
            vec![sum(&[(&one, &w[0]), (&s2, &about)]), sum(&[(&c1, &w[1]), (&s1, &w[2].unary(Unary::Neg))]), about]
        }
    }
}

/// The matrix that takes body axes to those of the parent, row by row.
fn axes<T: Scalar>(attitude: Attitude, q: &[T]) -> [[T; 3]; 3] {
    let minus = |a: &T| a.unary(Unary::Neg);
    let twice = |a: T| a.binary(Binary::Mul, &T::from_f64(2.0));
    match attitude {
        Attitude::EulerParameters => {
            let [e0, e1, e2, e3] = [0, 1, 2, 3].map(|k| &q[k]);
            let half = T::from_f64(0.5);
            let on = |a: &T| twice(sum(&[(e0, e0), (a, a)]).binary(Binary::Sub, &half));
            let off = |a: &T, b: &T, c: &T| twice(sum(&[(a, b), (e0, c)]));
            [
                [on(e1), off(e1, e2, &minus(e3)), off(e1, e3, e2)],
                [off(e1, e2, e3), on(e2), off(e2, e3, &minus(e1))],
                [off(e1, e3, &minus(e2)), off(e2, e3, e1), on(e3)],
            ]
        }
        Attitude::EulerAngles => {
            let [(s1, c1), (s2, c2), (s3, c3)] = [0, 1, 2].map(|k| (q[k].unary(Unary::Sin), q[k].unary(Unary::Cos)));
            let times = |a: &T, b: &T| a.binary(Binary::Mul, b);
            let (ss, sc) = (times(&s2, &s1), times(&s2, &c1));
            [
                [times(&c3, &c2), sum(&[(&c3, &ss), (&minus(&s3), &c1)]), sum(&[(&c3, &sc), (&s3, &s1)])],
                [times(&s3, &c2), sum(&[(&s3, &ss), (&c3, &c1)]), sum(&[(&s3, &sc), (&minus(&c3), &s1)])],
                [minus(&s2), times(&c2, &s1), times(&c2, &c1)],
            ]
        }
    }
}

/// q̇ = N(q) v.
pub fn rates<T: Scalar>(blocks: &[Block], q: &[T], v: &[T]) -> Vec<T> {
    let mut rates = Vec::new();
    for (block, of_q, of_v) in ranges(blocks) {
        let (q, v) = (&q[of_q], &v[of_v]);
        match block {
            Block::Vector { .. } | Block::EulerParameters => rates.extend(v.iter().cloned()),
            Block::Rotation(attitude) => rates.extend(attitude_rates(attitude, q, v)),
            Block::Pose(attitude) => {
                let moved =
                    axes(attitude, &q[3..]).map(|row| sum(&[(&row[0], &v[0]), (&row[1], &v[1]), (&row[2], &v[2])]));
                rates.extend(moved);
                rates.extend(attitude_rates(attitude, &q[3..], &v[3..]));
            }
        }
    }
    rates
}

/// Coordinates that move along the velocities: direction j has the slopes of column j of N(q).
pub fn along_velocities(blocks: &[Block], q: &[Ball], nv: usize) -> Vec<Jet> {
    let zero = vec![Ball::ZERO; nv];
    let rates = rates(blocks, &Jet::constants(q), &Jet::variables(&zero));
    q.iter().zip(rates).map(|(&q, rate)| Jet::with_slopes(q, (0..nv).map(|j| rate.slope(j)).collect())).collect()
}

/// Euler parameters of a rotation matrix, row by row: from the largest of the four squares.
pub fn euler_parameters(r: &[Ball]) -> Vec<Ball> {
    let (one, half) = (Ball::exact(1.0), Ball::exact(0.5));
    let signs = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let square = |signs: &[f64; 3]| (0..3).fold(one, |sum, k| sum + Ball::exact(signs[k]) * r[4 * k]);
    let squares: Vec<Ball> = signs.iter().map(square).collect();
    let largest = (0..4).max_by(|&i, &j| squares[i].mid.total_cmp(&squares[j].mid)).unwrap_or(0);
    let skew = [r[7] - r[5], r[2] - r[6], r[3] - r[1]];
    let both = |i: usize, j: usize| r[3 * i + j] + r[3 * j + i];
    // Four times the products of the largest with each.
    let products = match largest {
        0 => [squares[0], skew[0], skew[1], skew[2]],
        1 => [skew[0], squares[1], both(0, 1), both(0, 2)],
        2 => [skew[1], both(0, 1), squares[2], both(1, 2)],
        _ => [skew[2], both(0, 2), both(1, 2), squares[3]],
    };
    let twice = squares[largest].unary(Unary::Sqrt);
    products.iter().map(|product| (half * *product).binary(Binary::Div, &twice)).collect()
}

/// Angles (φ, θ, ψ) of a rotation matrix.
pub fn euler_angles(r: &[Ball]) -> Vec<Ball> {
    let angle = |y: Ball, x: Ball| y.binary(Binary::Atan2, &x);
    vec![angle(r[7], r[8]), (-r[6]).unary(Unary::Asin), angle(r[3], r[0])]
}
