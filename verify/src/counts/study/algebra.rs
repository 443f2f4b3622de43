//! Vectors and matrices of expressions, of any size.

use hamel_compiler::expr::{ExprId, Graph, Stage};

pub(super) type Vector = Vec<ExprId>;
pub(super) type Matrix = Vec<Vector>;

/// `name0`, `name1`, …
pub(super) fn symbols(g: &mut Graph, name: &str, count: usize, stage: Stage) -> Vector {
    (0..count).map(|k| g.symbol(&format!("{name}{k}"), stage)).collect()
}

/// A symmetric matrix of symbols.
pub(super) fn symmetric(g: &mut Graph, name: &str, n: usize, stage: Stage) -> Matrix {
    let mut entry = |i: usize, j: usize| g.symbol(&format!("{name}_{}_{}", i.min(j), i.max(j)), stage);
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

pub(super) fn zeros(g: &mut Graph, rows: usize, columns: usize) -> Matrix {
    vec![vec![g.zero(); columns]; rows]
}

pub(super) fn times(g: &mut Graph, a: &Matrix, b: &Matrix) -> Matrix {
    let columns = transposed(b);
    a.iter().map(|row| columns.iter().map(|column| g.dot(row, column)).collect()).collect()
}

pub(super) fn apply(g: &mut Graph, a: &Matrix, x: &Vector) -> Vector {
    a.iter().map(|row| g.dot(row, x)).collect()
}

pub(super) fn scaled(g: &mut Graph, factor: ExprId, x: &Vector) -> Vector {
    x.iter().map(|&entry| g.mul(factor, entry)).collect()
}

pub(super) fn plus(g: &mut Graph, a: &Vector, b: &Vector) -> Vector {
    a.iter().zip(b).map(|(&x, &y)| g.add(x, y)).collect()
}

/// a + factor b.
pub(super) fn plus_scaled(g: &mut Graph, a: &Matrix, factor: ExprId, b: &Matrix) -> Matrix {
    let mut row = |(a, b): (&Vector, &Vector)| {
        let b = scaled(g, factor, b);
        plus(g, a, &b)
    };
    a.iter().zip(b).map(&mut row).collect()
}

pub(super) fn cross(g: &mut Graph, a: &Vector, b: &Vector) -> Vector {
    let mut component = |i: usize| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let (first, second) = (g.mul(a[j], b[k]), g.mul(a[k], b[j]));
        g.sub(first, second)
    };
    (0..3).map(&mut component).collect()
}

pub(super) fn transposed(a: &Matrix) -> Matrix {
    (0..a[0].len()).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

pub(super) fn upper_triangle(a: &Matrix) -> Vector {
    (0..a.len()).flat_map(|i| a[i][i..].iter().copied()).collect()
}

/// −M' v + ∂(½ vᵀMv)/∂q, with the constant zero in the place of coordinates that M does not depend on.
pub(super) fn velocity_forces(g: &mut Graph, mass: &Matrix, q: &Vector, v: &Vector) -> Vector {
    let momentum = apply(g, mass, v);
    let twice = g.dot(v, &momentum);
    let half = g.ratio(1, 2);
    let energy = g.mul(half, twice);
    let is_symbol: Vec<bool> = q.iter().map(|&q| !g.is_zero(q)).collect();
    let moving: Vector = q.iter().zip(&is_symbol).filter(|(_, is_symbol)| **is_symbol).map(|(&q, _)| q).collect();
    let speeds: Vector = v.iter().zip(&is_symbol).filter(|(_, is_symbol)| **is_symbol).map(|(&v, _)| v).collect();
    let mut gradient = g.gradient(energy, &moving).into_iter();
    let rates = g.jacobian(&momentum, &moving);
    let mut force = |(row, is_symbol): (&Vector, &bool)| {
        let slope = if *is_symbol { gradient.next() } else { None }.unwrap_or_else(|| g.zero());
        row.iter().zip(&speeds).fold(slope, |force, (&rate, &speed)| {
            let term = g.mul(rate, speed);
            g.sub(force, term)
        })
    };
    rates.iter().zip(&is_symbol).map(&mut force).collect()
}
