//! Eigenvalues over a parameter, each followed from value to value.

use nalgebra::Complex;

use crate::prelude::*;

/// Halvings of an interval of the parameter in which eigenvalues move further than they are apart.
const HALVINGS: u32 = 5;
/// An eigenvalue is followed with certainty if it moves by less than this part of its distance from the others.
const CERTAIN: f64 = 0.4;

/// Eigenvalues over a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Locus {
    /// Values of the parameter.
    pub values: Vec<f64>,
    /// For each eigenvalue at the first value of the parameter, what it becomes at all values, 1/s.
    pub branches: Vec<Vec<Complex<f64>>>,
}

/// Eigenvalues at these values of a parameter, which stand in ascending or descending order, each followed from value to
/// value; `eigenvalues` computes all of them at one value.
///
/// Where they move further than they are apart, values between are computed. Two eigenvalues that meet have no identity
/// beyond that point; there each takes the nearest.
///
/// # Errors
/// Those of `eigenvalues`. Where the number of eigenvalues changes, the branches end.
///
/// # Examples
/// The eigenvalues 1 + p and 3 − p cross at p = 1 and keep apart from each other.
///
/// ```
/// use hamel::linearize::locus;
/// use hamel::nalgebra::Complex;
///
/// let values = [0.0, 0.7, 1.4, 2.0];
/// let found = locus(&values, |p| {
///     let (a, b) = (1.0 + p, 3.0 - p);
///     Ok::<_, std::convert::Infallible>(vec![Complex::new(f64::min(a, b), 0.0), Complex::new(f64::max(a, b), 0.0)])
/// })?;
/// let first: Vec<f64> = found.branches[0].iter().map(|value| value.re).collect();
/// assert_eq!(first, [1.0, 1.7, 2.4, 3.0]);
/// # Ok::<(), std::convert::Infallible>(())
/// ```
pub fn locus<E>(values: &[f64], mut eigenvalues: impl FnMut(f64) -> Result<Vec<Complex<f64>>, E>) -> Result<Locus, E> {
    let Some((&first, rest)) = values.split_first() else {
        return Ok(Locus { values: Vec::new(), branches: Vec::new() });
    };
    let start = eigenvalues(first)?;
    let mut branches: Vec<Vec<Complex<f64>>> = start.iter().map(|&value| vec![value]).collect();
    let mut last = Point { at: first, slopes: vec![None; start.len()], spectrum: start };
    let mut done = vec![first];
    for &value in rest {
        let next = eigenvalues(value)?;
        if next.len() != last.spectrum.len() {
            break;
        }
        last = follow(&last, value, next, HALVINGS, &mut eigenvalues)?;
        branches.iter_mut().zip(&last.spectrum).for_each(|(branch, value)| branch.push(*value));
        done.push(value);
    }
    Ok(Locus { values: done, branches })
}

/// Eigenvalues in the order of the branches, and how they change with the parameter as far as that is known.
struct Point {
    at: f64,
    spectrum: Vec<Complex<f64>>,
    slopes: Vec<Option<Complex<f64>>>,
}

/// The eigenvalues at another value in the order of the branches.
fn follow<E>(
    last: &Point,
    at: f64,
    found: Vec<Complex<f64>>,
    halvings: u32,
    eigenvalues: &mut impl FnMut(f64) -> Result<Vec<Complex<f64>>, E>,
) -> Result<Point, E> {
    let step = at - last.at;
    let expected: Vec<Complex<f64>> = last
        .spectrum
        .iter()
        .zip(&last.slopes)
        .map(|(value, slope)| value + slope.map_or(Complex::new(0.0, 0.0), |slope| slope * step))
        .collect();
    let order = assign(&expected, &found);
    if halvings > 0 && !is_certain(&expected, &found, &order) {
        let between = last.at + 0.5 * step;
        let halfway = eigenvalues(between)?;
        if halfway.len() == found.len() {
            let halfway = follow(last, between, halfway, halvings - 1, eigenvalues)?;
            return follow(&halfway, at, found, halvings - 1, eigenvalues);
        }
    }
    let spectrum: Vec<Complex<f64>> = order.iter().map(|&place| found[place]).collect();
    let slopes = spectrum.iter().zip(&last.spectrum).map(|(now, before)| Some((now - before) / step)).collect();
    Ok(Point { at, spectrum, slopes })
}

/// For each expected value one that was found: the nearest pairs first.
fn assign(expected: &[Complex<f64>], found: &[Complex<f64>]) -> Vec<usize> {
    let n = expected.len();
    let mut pairs: Vec<(f64, usize, usize)> = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .map(|(i, j)| ((expected[i] - found[j]).norm(), i, j))
        .collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut order, mut is_taken) = (vec![None; n], vec![false; n]);
    for (_, i, j) in pairs {
        if order[i].is_none() && !is_taken[j] {
            order[i] = Some(j);
            is_taken[j] = true;
        }
    }
    order.into_iter().flatten().collect()
}

/// Whether each value lies so near to where it is expected that no other can be meant. Values that are equal need not be
/// told apart.
fn is_certain(expected: &[Complex<f64>], found: &[Complex<f64>], order: &[usize]) -> bool {
    let scale = found.iter().fold(0.0_f64, |most, value| most.max(value.norm()));
    order.iter().enumerate().all(|(i, &own)| {
        let missed = (found[own] - expected[i]).norm();
        let others = found.iter().enumerate().filter(|&(j, _)| j != own);
        let distances = others.map(|(_, other)| (other - found[own]).norm());
        let nearest = distances.filter(|distance| *distance > 1e-9 * scale).fold(f64::INFINITY, f64::min);
        missed <= CERTAIN * nearest || missed <= 1e-9 * scale
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two oscillators whose frequencies cross, computed in the order of their size.
    #[test]
    fn branches_keep_their_identity_where_they_cross() {
        let values: Vec<f64> = (0..=10).map(f64::from).collect();
        let mut calls = 0;
        let spectrum = |p: f64| {
            calls += 1;
            let mut all: Vec<Complex<f64>> = [(-0.1, 1.0 + p), (-0.5 - 0.01 * p, 6.3)]
                .iter()
                .flat_map(|&(re, im)| [Complex::new(re, im), Complex::new(re, -im)])
                .collect();
            all.sort_by(|a, b| a.norm().total_cmp(&b.norm()).then(b.im.total_cmp(&a.im)));
            Ok::<_, std::convert::Infallible>(all)
        };
        let found = locus(&values, spectrum).unwrap();
        assert!(found.branches[0].iter().zip(&values).all(|(value, p)| value.re == -0.1 && value.im == 1.0 + p));
        assert!(found.branches[2].iter().all(|value| value.im == 6.3));
        assert!(calls < 60, "{calls}");
    }

    #[test]
    fn branches_end_where_eigenvalues_are_lost() {
        let counts = |p: f64| Ok::<_, String>(vec![Complex::new(p, 0.0); if p < 1.5 { 2 } else { 1 }]);
        let found = locus(&[0.0, 1.0, 2.0], counts).unwrap();
        assert_eq!(found.values, [0.0, 1.0]);
        let none = locus(&[], counts).unwrap();
        assert!(none.branches.is_empty());
        let failing = locus(&[0.0], |_| Err::<Vec<Complex<f64>>, _>("no".to_owned()));
        assert_eq!(failing, Err("no".to_owned()));
    }
}
