//! Typed expressions of the language → components in a graph.

use crate::expr::{Binary, ExprId, Graph, Number, Unary};
use crate::resolve::{BodyId, InputId, ParameterId, Quantity, Term, TermKind};
use crate::space::Shape;
use crate::spatial::{self, Matrix3};

/// The values of the names in an expression.
pub(super) trait Scope {
    /// The graph to write into.
    fn graph(&mut self) -> &mut Graph;
    /// Components of a parameter.
    fn parameter(&mut self, id: ParameterId) -> Vec<ExprId>;
    /// Value of an input.
    fn input(&mut self, id: InputId) -> ExprId;
    /// Time.
    fn time(&mut self) -> ExprId;
    /// Components of a quantity of the motion; vectors in ground axes.
    fn quantity(&mut self, quantity: &Quantity) -> Vec<ExprId>;
    /// A velocity, angular velocity or angular acceleration in the axes of its own body, where no rotation is needed.
    fn own_motion(&mut self, quantity: &Quantity, axes: BodyId) -> Option<Vec<ExprId>>;
    /// Components of a term that is to be a parameter of the kernel as a whole, so that members which differ only in it
    /// share the kernel.
    fn shared(&mut self, _term: &Term) -> Option<Vec<ExprId>> {
        None
    }
    /// R_WB of a body.
    fn axes(&mut self, body: BodyId) -> Matrix3;
    /// Remembers a vector that is given in body axes, so that it need not be rotated back.
    fn remember(&mut self, body: BodyId, in_body: &[ExprId], in_ground: &[ExprId]);
}

/// Components of a term, in row-major order.
pub(super) fn lower(scope: &mut dyn Scope, term: &Term) -> Vec<ExprId> {
    scope.shared(term).unwrap_or_else(|| lower_parts(scope, term))
}

fn lower_parts(scope: &mut dyn Scope, term: &Term) -> Vec<ExprId> {
    match &term.kind {
        TermKind::Number(number) => vec![scope.graph().number(*number)],
        TermKind::Parameter(id) => scope.parameter(*id),
        TermKind::Input(id) => vec![scope.input(*id)],
        TermKind::Time => vec![scope.time()],
        TermKind::Stack(terms) => terms.iter().flat_map(|term| lower(scope, term)).collect(),
        TermKind::Diagonal(terms) => {
            let n = terms.len();
            let mut matrix = vec![scope.graph().zero(); n * n];
            for (i, term) in terms.iter().enumerate() {
                matrix[i * n + i] = lower_scalar(scope, term);
            }
            matrix
        }
        TermKind::Component(vector, index) => vec![lower(scope, vector)[*index]],
        TermKind::Unary(function, argument) => {
            let components = lower(scope, argument);
            components.into_iter().map(|x| unary(scope.graph(), *function, x)).collect()
        }
        TermKind::Binary(function, left, right) => binary(scope, *function, left, right),
        TermKind::Dot(left, right) => {
            let (left, right) = (lower(scope, left), lower(scope, right));
            vec![scope.graph().dot(&left, &right)]
        }
        TermKind::Cross(left, right) => {
            let (a, b) = (lower(scope, left), lower(scope, right));
            cross(scope.graph(), &a, &b)
        }
        TermKind::Norm(vector) => {
            let components = lower(scope, vector);
            let squared = scope.graph().dot(&components, &components);
            vec![scope.graph().sqrt(squared)]
        }
        TermKind::Transpose(matrix) => {
            let components = lower(scope, matrix);
            let Shape::Matrix(rows, columns) = matrix.shape else { return components };
            (0..columns)
                .flat_map(|j| (0..rows).map(move |i| (i, j)))
                .map(|(i, j)| components[i * columns + j])
                .collect()
        }
        TermKind::Select { lhs, rhs, then, otherwise } => {
            let (lhs, rhs) = (lower_scalar(scope, lhs), lower_scalar(scope, rhs));
            let (then, otherwise) = (lower(scope, then), lower(scope, otherwise));
            then.into_iter().zip(otherwise).map(|(a, b)| scope.graph().select(lhs, rhs, a, b)).collect()
        }
        TermKind::ExpressedIn(vector, body) => expressed_in(scope, vector, *body),
        TermKind::GivenIn(vector, body) => {
            let in_body = lower(scope, vector);
            let in_ground = rotate(scope, *body, &in_body, false);
            scope.remember(*body, &in_body, &in_ground);
            in_ground
        }
        TermKind::Quantity(quantity) => scope.quantity(quantity),
    }
}

/// The one component of a scalar term.
pub(super) fn lower_scalar(scope: &mut dyn Scope, term: &Term) -> ExprId {
    lower(scope, term)[0]
}

fn expressed_in(scope: &mut dyn Scope, vector: &Term, body: BodyId) -> Vec<ExprId> {
    match &vector.kind {
        TermKind::Quantity(quantity) => {
            if let Some(components) = scope.own_motion(quantity, body) {
                return components;
            }
        }
        // The velocity relative to a current: only the current has to be rotated.
        TermKind::Binary(function @ (Binary::Add | Binary::Sub), a, b)
            if [a, b].iter().any(|part| matches!(part.kind, TermKind::Quantity(_))) =>
        {
            let (a, b) = (expressed_in(scope, a, body), expressed_in(scope, b, body));
            return a.into_iter().zip(b).map(|(x, y)| scope.graph().binary(*function, x, y)).collect();
        }
        _ => {}
    }
    let components = lower(scope, vector);
    rotate(scope, body, &components, true)
}

/// Rotates a vector of two or three components from the axes of a body to the ground's, or back.
fn rotate(scope: &mut dyn Scope, body: BodyId, vector: &[ExprId], to_body: bool) -> Vec<ExprId> {
    let axes = scope.axes(body);
    let axes = if to_body { spatial::transpose(&axes) } else { axes };
    let graph = scope.graph();
    (0..vector.len()).map(|i| graph.dot(&axes[i][..vector.len()], vector)).collect()
}

fn cross(graph: &mut Graph, a: &[ExprId], b: &[ExprId]) -> Vec<ExprId> {
    if let (&[ax, ay], &[bx, by]) = (a, b) {
        let (left, right) = (graph.mul(ax, by), graph.mul(ay, bx));
        return vec![graph.sub(left, right)];
    }
    spatial::cross(graph, [a[0], a[1], a[2]], [b[0], b[1], b[2]]).to_vec()
}

/// A function of one component. Sines and cosines of constant right angles are exact, so that frames turned by 90°
/// leave no rounding errors in the formulas.
fn unary(graph: &mut Graph, function: Unary, x: ExprId) -> ExprId {
    if let (Unary::Sin | Unary::Cos, Some(angle)) = (function, graph.as_number(x)) {
        let value = if function == Unary::Sin { angle.to_f64().sin() } else { angle.to_f64().cos() };
        let nearest = value.round();
        if (value - nearest).abs() < 1e-15 && !angle.is_zero() {
            return graph.number(Number::from(nearest as i64));
        }
    }
    graph.unary(function, x)
}

fn binary(scope: &mut dyn Scope, function: Binary, left: &Term, right: &Term) -> Vec<ExprId> {
    let a = lower(scope, left);
    // A number as an exponent makes a product.
    let b = if function == Binary::Power { lower_parts(scope, right) } else { lower(scope, right) };
    let graph = scope.graph();
    match (function, left.shape, right.shape) {
        (Binary::Mul, Shape::Matrix(rows, inner), Shape::Vector(_)) => {
            (0..rows).map(|i| graph.dot(&a[i * inner..(i + 1) * inner], &b)).collect()
        }
        (Binary::Mul, Shape::Matrix(rows, inner), Shape::Matrix(_, columns)) => (0..rows)
            .flat_map(|i| (0..columns).map(move |j| (i, j)))
            .map(|(i, j)| {
                let column: Vec<ExprId> = (0..inner).map(|k| b[k * columns + j]).collect();
                graph.dot(&a[i * inner..(i + 1) * inner], &column)
            })
            .collect(),
        (Binary::Mul, Shape::Scalar, _) => b.into_iter().map(|y| graph.mul(a[0], y)).collect(),
        (Binary::Mul | Binary::Div, _, Shape::Scalar) => {
            a.into_iter().map(|x| graph.binary(function, x, b[0])).collect()
        }
        (Binary::Power, Shape::Scalar, Shape::Scalar) => vec![power(graph, a[0], b[0])],
        _ => a.into_iter().zip(b).map(|(x, y)| graph.binary(function, x, y)).collect(),
    }
}

/// Integer powers become products.
fn power(graph: &mut Graph, base: ExprId, exponent: ExprId) -> ExprId {
    if let Some(number) = graph.as_number(exponent) {
        let value = number.to_f64();
        if value.fract() == 0.0 && value.abs() <= 64.0 {
            return graph.powi(base, value as i32);
        }
        if value == 0.5 {
            return graph.sqrt(base);
        }
    }
    graph.power(base, exponent)
}
