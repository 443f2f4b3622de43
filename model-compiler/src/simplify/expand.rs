//! Multiplying out: like terms are collected, and squares of sines or cosines eliminated where that saves terms.
//!
//! Expanded forms are starting points for [`factor`](super::factor) that do not depend on how a formula was derived.
//! They grow too large for recursive formulations and are tried for small functions only.

use std::collections::BTreeSet;

use super::polynomial::{Cube, Literal, LiteralId, Polynomials, SumId, Term};
use crate::expr::{Number, Stage, Unary};

/// Adds up the constant factors of equal products.
pub(super) fn collect(terms: Vec<Term>, polynomials: &mut Polynomials) -> Vec<Term> {
    // A single term without numbers remains unchanged.
    if let [term] = &terms[..]
        && !term.cube.iter().any(|&literal| polynomials.is_constant(literal))
    {
        return terms;
    }
    let mut parts: Vec<(Cube, Number)> = terms.into_iter().map(|term| split_coefficient(term, polynomials)).collect();
    parts.sort_by(|a, b| a.0.cmp(&b.0));
    let mut collected: Vec<(Cube, Number)> = Vec::with_capacity(parts.len());
    for (cube, coefficient) in parts {
        match collected.last_mut() {
            Some((last, total)) if *last == cube => *total = *total + coefficient,
            _ => collected.push((cube, coefficient)),
        }
    }
    collected.retain(|(_, coefficient)| !coefficient.is_zero());
    collected.into_iter().map(|(cube, coefficient)| scaled(cube, coefficient, polynomials)).collect()
}

/// Replaces cos² by 1 − sin², or sin² by 1 − cos²; for each angle the replacement that leaves fewer terms, if any does.
pub(super) fn reduce_squares(terms: Vec<Term>, polynomials: &mut Polynomials) -> Vec<Term> {
    let mut best = terms;
    for angle in squared_angles(&best, polynomials) {
        let sine = polynomials.find_literal(Literal::Unary(Unary::Sin, angle));
        let cosine = polynomials.find_literal(Literal::Unary(Unary::Cos, angle));
        let (Some(sine), Some(cosine)) = (sine, cosine) else { continue };
        for (from, to) in [(cosine, sine), (sine, cosine)] {
            let reduced = replace_squares(best.clone(), from, to, polynomials);
            if reduced.len() < best.len() {
                best = reduced;
            }
        }
    }
    best
}

fn split_coefficient(term: Term, polynomials: &Polynomials) -> (Cube, Number) {
    let mut coefficient = if term.is_negative { -Number::ONE } else { Number::ONE };
    let mut cube = term.cube;
    cube.retain(|&literal| {
        if !polynomials.is_constant(literal) {
            return true;
        }
        match polynomials.kind(literal) {
            Literal::Number(number) => coefficient = coefficient * number,
            _ => return true,
        }
        false
    });
    (cube, coefficient)
}

fn scaled(mut cube: Cube, coefficient: Number, polynomials: &mut Polynomials) -> Term {
    let magnitude = coefficient.abs();
    if !magnitude.is_one() {
        cube.push(polynomials.literal(Literal::Number(magnitude), Stage::Constant));
    }
    Term::new(coefficient.is_negative(), cube)
}

fn squared_angles(terms: &[Term], polynomials: &Polynomials) -> BTreeSet<SumId> {
    let repeated = terms.iter().flat_map(|term| term.cube.windows(2)).filter(|pair| pair[0] == pair[1]);
    repeated
        .filter_map(|pair| match polynomials.kind(pair[0]) {
            Literal::Unary(Unary::Sin | Unary::Cos, angle) => Some(angle),
            _ => None,
        })
        .collect()
}

/// from² → 1 − to², until no square remains.
fn replace_squares(mut terms: Vec<Term>, from: LiteralId, to: LiteralId, polynomials: &mut Polynomials) -> Vec<Term> {
    loop {
        let mut has_changed = false;
        let mut replaced = Vec::with_capacity(terms.len());
        for term in terms {
            let Some(first) = term.cube.windows(2).position(|pair| pair == [from, from]) else {
                replaced.push(term);
                continue;
            };
            has_changed = true;
            let mut rest = term.cube;
            rest.drain(first..first + 2);
            let squared = rest.iter().copied().chain([to, to]).collect();
            replaced.push(Term::new(!term.is_negative, squared));
            replaced.push(Term::new(term.is_negative, rest));
        }
        terms = collect(replaced, polynomials);
        if !has_changed {
            return terms;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::expr::{Graph, Operations, Stage, print};
    use crate::simplify::polynomial::Polynomials;
    use crate::simplify::reading::Form;

    #[test]
    fn multiplies_out_and_collects() {
        let mut graph = Graph::new();
        let (x, y) = (graph.symbol("x", Stage::Position), graph.symbol("y", Stage::Position));
        let (sum, difference) = (graph.add(x, y), graph.sub(x, y));
        let product = graph.mul(sum, difference);
        let form = Form::Expanded { terms: 12, reduce_squares: false };
        let (expanded, roots) = Polynomials::from_graph(&graph, &[product], form).to_graph(&graph);
        assert_eq!(print::text(&expanded, roots[0]), "x^2 - y^2");
    }

    #[test]
    fn eliminates_squares_of_cosines() {
        let mut graph = Graph::new();
        let (x, m) = (graph.symbol("x", Stage::Position), graph.symbol("m", Stage::Parameter));
        let (sine, cosine) = (graph.sin(x), graph.cos(x));
        let (ms, mc) = (graph.mul(m, sine), graph.mul(m, cosine));
        let (mss, mcc) = (graph.mul(ms, sine), graph.mul(mc, cosine));
        let sum = graph.add(mss, mcc);
        let form = Form::Expanded { terms: 12, reduce_squares: true };
        let (reduced, roots) = Polynomials::from_graph(&graph, &[sum], form).to_graph(&graph);
        assert_eq!(Operations::of(&reduced, &roots), Operations::default());
    }
}
