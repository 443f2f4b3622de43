//! Formulas of a source, proven or disproven: the compiler decides whether their two sides are the same.
//!
//! Equality is decided as the compiler decides it when it simplifies a model ([`hamel_compiler::simplify::vanishes`]), not
//! at sample values in floating point.

use hamel_compiler::expr::{ExprId, Graph, Stage, print};
use hamel_compiler::simplify::{Limits, simplify, vanishes};
use hamel_compiler::spatial::{self, Matrix3, Vector3};
use hamel_report::{Cell, Claim, Column, Expected, Proof, Report, Table, at_least};

use crate::origins::DIFFERENT;

/// Formulas over common symbols, and what was found of them.
#[derive(Default)]
pub(crate) struct Proofs {
    pub(crate) graph: Graph,
    claims: Vec<Claim>,
    rows: Vec<Vec<Cell>>,
    forms: Vec<Vec<Cell>>,
}

impl Proofs {
    pub(crate) fn symbol(&mut self, name: &str) -> ExprId {
        self.graph.symbol(name, Stage::Position)
    }

    pub(crate) fn symbols<const N: usize>(&mut self, names: [&str; N]) -> [ExprId; N] {
        names.map(|name| self.symbol(name))
    }

    /// A symmetric matrix with these entries 11, 22, 33, 12, 13, 23.
    pub(crate) fn symmetric(&mut self, names: [&str; 6]) -> Matrix3 {
        let [a, b, c, d, e, f] = self.symbols(names);
        [[a, d, e], [d, b, f], [e, f, c]]
    }

    /// Claims that both sides of an equation are the same formula.
    pub(crate) fn equal(&mut self, place: &str, what: &str, left: &[ExprId], right: &[ExprId]) {
        let count = self.differing(left, right);
        self.row(place, what, left.len(), count);
        self.claims.push(Claim::new(
            format!("{what}: components that differ"),
            "1",
            Expected::Theory { value: 0.0, tolerance: 0.0 },
            count as f64,
        ));
    }

    /// Claims that two expressions differ, which the source does not deny.
    pub(crate) fn unequal(&mut self, place: &str, what: &str, left: &[ExprId], right: &[ExprId]) {
        let count = self.differing(left, right);
        self.row(place, what, left.len(), count);
        let what = format!("{what}: components that differ");
        self.claims.push(Claim::new(what, "1", at_least(1.0, DIFFERENT), count as f64));
    }

    /// Claims that an equation does not hold as printed.
    pub(crate) fn differs(
        &mut self,
        (place, what): (&str, &str),
        (printed, because): (&str, &str),
        left: &[ExprId],
        right: &[ExprId],
    ) {
        let count = self.differing(left, right);
        self.row(place, what, left.len(), count);
        let what = format!("{what}: components that differ");
        self.claims.push(Claim::new(what, "1", at_least(1.0, DIFFERENT), count as f64).refutes(
            printed,
            Proof::Algebra,
            because,
        ));
    }

    /// Shows the shortest form of a formula that the compiler finds.
    pub(crate) fn show(&mut self, name: &str, formula: ExprId) {
        let shortest = simplify(&self.graph, &[formula], &Limits::default());
        let text = print::text(&shortest.graph, shortest.roots[0]);
        self.forms.push(vec![name.into(), text.into()]);
    }

    pub(crate) fn report(self, notes: &[&str]) -> Report {
        let columns = |names: &[&str]| names.iter().map(|name| Column::text(*name)).collect();
        let mut tables = vec![Table {
            slug: "equations".into(),
            title: "Equations, as the compiler finds them".into(),
            columns: columns(&["place", "equation", "components", "verdict"]),
            rows: self.rows,
        }];
        if !self.forms.is_empty() {
            tables.push(Table {
                slug: "formulas".into(),
                title: "Shortest forms that the compiler finds".into(),
                columns: columns(&["of", "formula"]),
                rows: self.forms,
            });
        }
        let notes = notes.iter().map(|note| (*note).to_owned()).collect();
        Report { claims: self.claims, tables, notes, ..Report::default() }
    }

    fn differing(&mut self, left: &[ExprId], right: &[ExprId]) -> usize {
        let pairs = left.iter().zip(right);
        let differences: Vec<ExprId> = pairs.map(|(&left, &right)| self.graph.sub(left, right)).collect();
        differences.into_iter().filter(|&difference| !vanishes(&self.graph, difference)).count()
    }

    fn row(&mut self, place: &str, what: &str, components: usize, differing: usize) {
        let verdict = match differing {
            0 => "holds".to_owned(),
            _ => format!("does not hold in {differing}"),
        };
        self.rows.push(vec![place.into(), what.into(), components.to_string().into(), verdict.into()]);
    }
}

/// S(a), with `S(a) b = a × b`.
pub(crate) fn skew(graph: &mut Graph, [x, y, z]: Vector3) -> Matrix3 {
    let zero = graph.zero();
    let [minus_x, minus_y, minus_z] = [x, y, z].map(|a| graph.neg(a));
    [[zero, minus_z, y], [z, zero, minus_x], [minus_y, x, zero]]
}

/// Rates of formulas whose symbols have rates.
pub(crate) fn rates<const N: usize>(
    graph: &mut Graph,
    formulas: [ExprId; N],
    symbols: &[(ExprId, ExprId)],
) -> [ExprId; N] {
    let rates = graph.directional(&formulas, symbols);
    std::array::from_fn(|i| rates[i])
}

/// The rate of a matrix.
pub(crate) fn matrix_rate(graph: &mut Graph, matrix: &Matrix3, symbols: &[(ExprId, ExprId)]) -> Matrix3 {
    matrix.map(|row| rates(graph, row, symbols))
}

/// A sum of vectors.
pub(crate) fn sum(graph: &mut Graph, vectors: &[Vector3]) -> Vector3 {
    let zero = spatial::zero(graph);
    vectors.iter().fold(zero, |sum, &vector| spatial::add(graph, sum, vector))
}

/// A x + B y.
pub(crate) fn combine(graph: &mut Graph, (a, x): (&Matrix3, Vector3), (b, y): (&Matrix3, Vector3)) -> Vector3 {
    let (first, second) = (spatial::apply(graph, a, x), spatial::apply(graph, b, y));
    spatial::add(graph, first, second)
}

/// s A.
pub(crate) fn scaled(graph: &mut Graph, s: ExprId, matrix: &Matrix3) -> Matrix3 {
    matrix.map(|row| spatial::scale(graph, s, row))
}

/// A + B.
pub(crate) fn added(graph: &mut Graph, a: &Matrix3, b: &Matrix3) -> Matrix3 {
    std::array::from_fn(|i| spatial::add(graph, a[i], b[i]))
}

/// The rotation from body axes by the angles φ, θ, ψ about x, y, z, each about an axis that the later ones turn.
/// [simo, Eq. 23], [ship, rotation matrix]
pub(crate) fn zyx(graph: &mut Graph, [phi, theta, psi]: Vector3) -> Matrix3 {
    let [s1, s2, s3] = [phi, theta, psi].map(|angle| graph.sin(angle));
    let [c1, c2, c3] = [phi, theta, psi].map(|angle| graph.cos(angle));
    let mut entry = |terms: &[(i64, &[ExprId])]| {
        let products: Vec<ExprId> = terms
            .iter()
            .map(|&(sign, factors)| {
                let product = graph.product(factors);
                if sign < 0 { graph.neg(product) } else { product }
            })
            .collect();
        graph.sum(&products)
    };
    [
        [
            entry(&[(1, &[c2, c3])]),
            entry(&[(-1, &[c1, s3]), (1, &[s1, s2, c3])]),
            entry(&[(1, &[s1, s3]), (1, &[c1, s2, c3])]),
        ],
        [
            entry(&[(1, &[c2, s3])]),
            entry(&[(1, &[c1, c3]), (1, &[s1, s2, s3])]),
            entry(&[(-1, &[s1, c3]), (1, &[c1, s2, s3])]),
        ],
        [entry(&[(-1, &[s2])]), entry(&[(1, &[s1, c2])]), entry(&[(1, &[c1, c2])])],
    ]
}

/// The angular velocity in body axes that belongs to rates of these angles. [ship, code cell for ω₀]
pub(crate) fn angular_velocity(graph: &mut Graph, angles: Vector3, rates: Vector3) -> Vector3 {
    let map = angular_velocity_map(graph, angles);
    spatial::apply(graph, &map, rates)
}

/// The matrix E of `ω = E γ̇`.
pub(crate) fn angular_velocity_map(graph: &mut Graph, [phi, theta, _]: Vector3) -> Matrix3 {
    let [s1, s2] = [phi, theta].map(|angle| graph.sin(angle));
    let [c1, c2] = [phi, theta].map(|angle| graph.cos(angle));
    let (zero, one) = (graph.zero(), graph.one());
    let (minus_s1, minus_s2) = (graph.neg(s1), graph.neg(s2));
    let (s1c2, c1c2) = (graph.mul(s1, c2), graph.mul(c1, c2));
    [[one, zero, minus_s2], [zero, c1, s1c2], [zero, minus_s1, c1c2]]
}
