//! The identities that e-graphs are grown with.
//!
//! Every rule holds for all real inputs where its left side is defined; those with a guard need a value proven nonzero.
//! Identities that hold only on a constraint manifold, such as |e| = 1, are never rules: they would change the
//! derivatives of residuals off the manifold. Distribution is left to the expanded forms, because it grows without
//! bound here; sums of angles are omitted because recursions over frames do not create them.

use egg::{ConditionalApplier, EGraph, Id, Pattern, Rewrite, Subst, Var};

use super::language::{Expressions, Facts, Term};

/// A rule, readable.
struct Identity {
    name: &'static str,
    from: &'static str,
    to: &'static str,
    /// The variable that must be proven different from zero.
    nonzero: Option<&'static str>,
    /// Where it holds and what it does to rounding errors.
    #[cfg_attr(not(test), expect(dead_code, reason = "a note for readers, which tests hold the identity to"))]
    soundness: Soundness,
}

/// For which inputs both sides are the same real number, and how their floating-point values differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Soundness {
    /// For all finite inputs, bit for bit but for the sign of zero.
    Exact,
    /// For all finite inputs; both sides round, in different places, so that one may cancel where the other does not.
    Rounds,
    /// Where no divisor is zero; both sides have the same poles, unless a guard proves that there are none.
    RoundsBesidePoles,
    /// Where no radicand is negative: beyond, the left side is NaN, and a version is kept only if its roots stay.
    RoundsWithinRadicands,
}

/// Groups of identities of one soundness, one identity a line: `name: from => to;`, with `if nonzero variable` for a
/// guard.
macro_rules! rw {
    (@guard) => { None };
    (@guard $variable:literal) => { Some($variable) };
    // Groups follow each other in the order in which rules are tried, which decides among equals.
    ($($soundness:ident {$($name:literal: $from:literal => $to:literal $(if nonzero $variable:literal)?;)*})*) => {
        &[$($(Identity {
            name: $name,
            from: $from,
            to: $to,
            nonzero: rw!(@guard $($variable)?),
            soundness: Soundness::$soundness,
        }),*),*]
    };
}

const IDENTITIES: &[Identity] = rw! {
    Exact {
        // Order and grouping of sums.
        "add-commutes":      "(+ ?a ?b)"                         => "(+ ?b ?a)";
    }
    Rounds {
        "add-groups-left":   "(+ ?a (+ ?b ?c))"                  => "(+ (+ ?a ?b) ?c)";
        "add-groups-right":  "(+ (+ ?a ?b) ?c)"                  => "(+ ?a (+ ?b ?c))";
        "add-sub-left":      "(+ ?a (- ?b ?c))"                  => "(- (+ ?a ?b) ?c)";
        "add-sub-right":     "(- (+ ?a ?b) ?c)"                  => "(+ ?a (- ?b ?c))";
        "sub-add-split":     "(- ?a (+ ?b ?c))"                  => "(- (- ?a ?b) ?c)";
        "sub-add-join":      "(- (- ?a ?b) ?c)"                  => "(- ?a (+ ?b ?c))";
        "sub-sub":           "(- ?a (- ?b ?c))"                  => "(+ (- ?a ?b) ?c)";
        "add-sub-swap":      "(- (+ ?a ?b) ?c)"                  => "(+ (- ?a ?c) ?b)";
    }
    Exact {
        // Order and grouping of products.
        "mul-commutes":      "(* ?a ?b)"                         => "(* ?b ?a)";
    }
    Rounds {
        "mul-groups-left":   "(* ?a (* ?b ?c))"                  => "(* (* ?a ?b) ?c)";
        "mul-groups-right":  "(* (* ?a ?b) ?c)"                  => "(* ?a (* ?b ?c))";
    }
    Exact {
        // Signs.
        "neg-neg":           "(neg (neg ?a))"                    => "?a";
        "add-neg":           "(+ ?a (neg ?b))"                   => "(- ?a ?b)";
        "sub-neg":           "(- ?a (neg ?b))"                   => "(+ ?a ?b)";
        "neg-out-of-mul":    "(* (neg ?a) ?b)"                   => "(neg (* ?a ?b))";
        "neg-into-mul":      "(neg (* ?a ?b))"                   => "(* (neg ?a) ?b)";
        "neg-out-of-div":    "(/ (neg ?a) ?b)"                   => "(neg (/ ?a ?b))";
        "neg-sub":           "(neg (- ?a ?b))"                   => "(- ?b ?a)";
        "sub-reversed":      "(- ?a ?b)"                         => "(neg (- ?b ?a))";
        "neg-out-of-sub":    "(- (neg ?a) ?b)"                   => "(neg (+ ?a ?b))";
        "neg-into-add":      "(neg (+ ?a ?b))"                   => "(- (neg ?a) ?b)";
        "sin-odd":           "(sin (neg ?a))"                    => "(neg (sin ?a))";
        "cos-even":          "(cos (neg ?a))"                    => "(cos ?a)";
        // Neutral elements; inputs are finite, so that 0·a = 0 and a − a = 0.
        "sub-self":          "(- ?a ?a)"                         => "0";
        "sub-from-zero":     "(- 0 ?a)"                          => "(neg ?a)";
        "add-zero":          "(+ ?a 0)"                          => "?a";
        "sub-zero":          "(- ?a 0)"                          => "?a";
        "mul-one":           "(* ?a 1)"                          => "?a";
        "mul-zero":          "(* ?a 0)"                          => "0";
        "double":            "(+ ?a ?a)"                         => "(* 2 ?a)";
        "undouble":          "(* 2 ?a)"                          => "(+ ?a ?a)";
    }
    Rounds {
        // Common factors, in all orders, so that they are found before the orders are.
        "factor-ab-ac":      "(+ (* ?a ?b) (* ?a ?c))"           => "(* ?a (+ ?b ?c))";
        "factor-ba-ac":      "(+ (* ?b ?a) (* ?a ?c))"           => "(* ?a (+ ?b ?c))";
        "factor-ab-ca":      "(+ (* ?a ?b) (* ?c ?a))"           => "(* ?a (+ ?b ?c))";
        "factor-ba-ca":      "(+ (* ?b ?a) (* ?c ?a))"           => "(* ?a (+ ?b ?c))";
        "factor-ab-minus-ac": "(- (* ?a ?b) (* ?a ?c))"          => "(* ?a (- ?b ?c))";
        "factor-ba-minus-ac": "(- (* ?b ?a) (* ?a ?c))"          => "(* ?a (- ?b ?c))";
        "factor-ab-minus-ca": "(- (* ?a ?b) (* ?c ?a))"          => "(* ?a (- ?b ?c))";
        "factor-ba-minus-ca": "(- (* ?b ?a) (* ?c ?a))"          => "(* ?a (- ?b ?c))";
        "factor-ab-a":       "(+ (* ?a ?b) ?a)"                  => "(* ?a (+ ?b 1))";
        "factor-ab-minus-a": "(- (* ?a ?b) ?a)"                  => "(* ?a (- ?b 1))";
        "factor-a-minus-ab": "(- ?a (* ?a ?b))"                  => "(* ?a (- 1 ?b))";
    }
    RoundsBesidePoles {
        "factor-divisor":    "(+ (/ ?a ?c) (/ ?b ?c))"           => "(/ (+ ?a ?b) ?c)";
        "factor-minus-divisor": "(- (/ ?a ?c) (/ ?b ?c))"        => "(/ (- ?a ?b) ?c)";
        // Quotients: reciprocals can be shared or known early. Both sides of each have the same poles.
        "div-is-mul":        "(/ ?a ?b)"                         => "(* ?a (/ 1 ?b))";
        "mul-is-div":        "(* ?a (/ 1 ?b))"                   => "(/ ?a ?b)";
        "mul-into-div":      "(* (/ ?a ?b) ?c)"                  => "(/ (* ?a ?c) ?b)";
        "mul-out-of-div":    "(/ (* ?a ?c) ?b)"                  => "(* (/ ?a ?b) ?c)";
        "div-div":           "(/ (/ ?a ?b) ?c)"                  => "(/ ?a (* ?b ?c))";
        "mul-reciprocals":   "(* (/ 1 ?a) (/ 1 ?b))"             => "(/ 1 (* ?a ?b))";
        "div-self":          "(/ ?a ?a)"                         => "1"                     if nonzero "?a";
        "div-cancels":       "(/ (* ?a ?b) ?a)"                  => "?b"                    if nonzero "?a";
    }
    RoundsWithinRadicands {
        // A version is kept only if all its roots are still computed.
        "square-of-root":    "(* (sqrt ?a) (sqrt ?a))"           => "?a";
        "div-by-root":       "(/ ?a (sqrt ?a))"                  => "(sqrt ?a)"             if nonzero "?a";
    }
    Rounds {
        // Points on the unit circle, also with a common factor.
        "sin2-plus-cos2":    "(+ (* (sin ?a) (sin ?a)) (* (cos ?a) (cos ?a)))" => "1";
        "cos2-plus-sin2":    "(+ (* (cos ?a) (cos ?a)) (* (sin ?a) (sin ?a)))" => "1";
        "one-minus-sin2":    "(- 1 (* (sin ?a) (sin ?a)))"       => "(* (cos ?a) (cos ?a))";
        "one-minus-cos2":    "(- 1 (* (cos ?a) (cos ?a)))"       => "(* (sin ?a) (sin ?a))";
        "circle-factored":   "(+ (* ?x (* (sin ?a) (sin ?a))) (* ?x (* (cos ?a) (cos ?a))))" => "?x";
        "circle-nested":     "(+ (* (* ?x (sin ?a)) (sin ?a)) (* (* ?x (cos ?a)) (cos ?a)))" => "?x";
    }
};

/// All identities as `egg` rules.
pub(super) fn rules() -> Vec<Rewrite<Term, Facts>> {
    IDENTITIES.iter().map(rule).collect()
}

fn rule(identity: &Identity) -> Rewrite<Term, Facts> {
    let pattern = |text: &str| -> Pattern<Term> { text.parse().expect("the patterns of the table parse") };
    let (from, to) = (pattern(identity.from), pattern(identity.to));
    let rule = match identity.nonzero {
        None => Rewrite::new(identity.name, from, to),
        Some(variable) => {
            let variable: Var = variable.parse().expect("the variables of the table parse");
            let condition = move |egraph: &mut Expressions, _: Id, subst: &Subst| is_nonzero(egraph, subst[variable]);
            Rewrite::new(identity.name, from, ConditionalApplier { condition, applier: to })
        }
    };
    rule.expect("the right sides of the table use variables of the left sides only")
}

fn is_nonzero(egraph: &EGraph<Term, Facts>, id: Id) -> bool {
    egraph[id].data.is_nonzero
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{DoubleDouble, Scalar};
    use crate::random::Random;
    use crate::simplify::language::Operator;
    use egg::{ENodeOrVar, Language};
    use std::collections::BTreeMap;

    /// The value of a pattern, with values for its variables.
    fn value<S: Scalar>(pattern: &str, variables: &mut impl FnMut(Var) -> S) -> S {
        let pattern: Pattern<Term> = pattern.parse().expect("a pattern");
        let mut values: Vec<S> = Vec::new();
        for node in pattern.ast.as_ref() {
            let value = match node {
                ENodeOrVar::Var(variable) => variables(*variable),
                ENodeOrVar::ENode(term) => {
                    let operand = |k: usize| &values[usize::from(term.children()[k])];
                    match term.operator {
                        Operator::Number(number) => S::from_number(number),
                        Operator::Unary(op) => operand(0).unary(op),
                        Operator::Binary(op) => operand(0).binary(op, operand(1)),
                        Operator::Variable(_) | Operator::Select => unreachable!("no rule contains these"),
                    }
                }
            };
            values.push(value);
        }
        values.pop().expect("patterns are not empty")
    }

    /// Both sides of an identity, with generated values for its variables.
    fn sides<S: Scalar>(identity: &Identity, mut make: impl FnMut() -> f64) -> (S, S) {
        let mut values: BTreeMap<String, f64> = BTreeMap::new();
        let mut variable = |name: Var| S::from_f64(*values.entry(name.to_string()).or_insert_with(&mut make));
        (value(identity.from, &mut variable), value(identity.to, &mut variable))
    }

    #[test]
    fn every_identity_holds_at_random_points_to_thirty_digits() {
        let mut random = Random(1);
        for identity in IDENTITIES {
            let mut points = 0;
            while points < 50 {
                let (from, to) = sides::<DoubleDouble>(identity, || 2.0 * random.signed());
                if !from.high.is_finite() {
                    // The left side is undefined here: the root of a negative number.
                    assert_eq!(identity.soundness, Soundness::RoundsWithinRadicands, "{}", identity.name);
                    continue;
                }
                points += 1;
                let difference = ((from.high - to.high) + (from.low - to.low)).abs();
                assert!(difference < 1e-27 * (1.0 + from.high.abs()), "{}: {difference}", identity.name);
            }
        }
    }

    #[test]
    fn exact_identities_are_exact() {
        let mut random = Random(2);
        for identity in IDENTITIES.iter().filter(|identity| identity.soundness == Soundness::Exact) {
            for _ in 0..50 {
                let (from, to) = sides::<f64>(identity, || 2.0 * random.signed());
                assert!(from == to, "{}: {from} {to}", identity.name);
            }
        }
    }

    #[test]
    fn identities_hold_at_zero_or_have_their_poles_there() {
        for identity in IDENTITIES.iter().filter(|identity| identity.nonzero.is_none()) {
            let (from, to) = sides::<f64>(identity, || 0.0);
            assert_eq!(from.is_finite(), to.is_finite(), "{}: {from} {to}", identity.name);
            assert!(!from.is_finite() || from == to, "{}: {from} {to}", identity.name);
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = IDENTITIES.iter().map(|identity| identity.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), IDENTITIES.len());
        assert_eq!(rules().len(), IDENTITIES.len());
    }

    #[test]
    fn guards_keep_poles() {
        let mut egraph = Expressions::default();
        let x = egraph.add(Term::new(Operator::Variable(0), &[]));
        let exponential = egraph.add(Term::new(Operator::Unary(crate::expr::Unary::Exp), &[x]));
        let division = Operator::Binary(crate::expr::Binary::Div);
        let (safe, pole) =
            (egraph.add(Term::new(division, &[exponential, exponential])), egraph.add(Term::new(division, &[x, x])));
        let runner = egg::Runner::<Term, Facts>::default().with_egraph(egraph).with_iter_limit(3).run(&rules());
        assert!(runner.egraph[safe].data.constant.is_some_and(crate::expr::Number::is_one));
        assert_eq!(runner.egraph[pole].data.constant, None);
    }
}
