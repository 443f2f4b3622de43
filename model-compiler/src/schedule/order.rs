//! Expressions → statements, depth first from the outputs.
//!
//! The operand that keeps most values alive is computed first [Sethi and Ullman, 1970]. On the inverse and forward dynamics
//! of a 7-joint arm and an 18-coordinate quadruped and their derivatives (180 to 6000 statements, optimised for the
//! processor at hand) this takes 0.987 of the time of left to right; by depth takes 1.03, and list scheduling for the
//! fewest live values 1.05, because the compiler's own scheduler starts from this order and needs independent work nearby.
//!
//! Sines, cosines and other calls come first, because across a call every value that is alive travels through memory:
//! the mass matrices of the two take 0.91 of the time. They come in the order in which they are needed; in another the
//! nonlinear effects take 1.08.
//!
//! What belongs together stands together and temporaries live briefly. A value that is used once is written where it is
//! used, as long as the line stays readable; the order of floating-point operations is that of the graph. Sine and
//! cosine of one argument are computed together. If products are to be fused, a sum absorbs one ([`fuse`](super::fuse)).

use std::cmp::Reverse;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::fuse::{self, Fused};
use super::name::{ArgumentNames, Names, from_formula, literal, word};
use super::routine::{Expression, Routine, Statement};
use crate::expr::{Binary, ExprId, Graph, Node, Number, Unary};

/// Operations in one line.
const MAX_OPERATIONS: usize = 8;
/// Characters of a formula in one line.
const MAX_WIDTH: usize = 84;

/// The statements for `outputs`, each with its entries; `given` are the nodes that need no computing.
///
/// `names` holds what is taken already.
pub(super) fn routine(
    graph: &Graph,
    outputs: &[Vec<ExprId>],
    given: &FxHashMap<ExprId, Expression>,
    arguments: &ArgumentNames,
    names: Names,
    is_fused: bool,
) -> Routine {
    let roots: Vec<ExprId> = outputs.iter().flatten().copied().collect();
    let mut order = Order {
        graph,
        given,
        arguments,
        names,
        uses: FxHashMap::default(),
        pairs: FxHashMap::default(),
        fused: FxHashMap::default(),
        needs: FxHashMap::default(),
        values: FxHashMap::default(),
        routine: Routine { outputs: outputs.iter().map(Vec::len).collect(), ..Routine::default() },
    };
    let nodes = order.nodes(&roots);
    order.find_pairs(&nodes);
    order.count_uses(&nodes, &roots);
    if is_fused {
        order.fused = fuse::fused(graph, &nodes, &order.uses, &|id| order.is_leaf(id));
    }
    order.count_needs(&nodes);
    order.name_numbers(&nodes);
    for call in order.calls(&roots) {
        order.compute(call);
    }
    for (output, entries) in outputs.iter().enumerate() {
        for (position, &root) in entries.iter().enumerate() {
            order.compute(root);
            let value = order.values[&root].expression.clone();
            order.routine.statements.push(Statement::Store { output, position, value });
        }
    }
    order.routine
}

/// Whether a node is computed by a function of the mathematics library, which keeps no value in a register.
fn is_call(node: Node) -> bool {
    match node {
        Node::Unary(op, _) => !matches!(op, Unary::Neg | Unary::Abs | Unary::Sign | Unary::Sqrt),
        Node::Binary(op, ..) => matches!(op, Binary::Atan2 | Binary::Power),
        _ => false,
    }
}

/// A value that has been computed, or whose formula waits to be written where it is used.
#[derive(Clone)]
struct Value {
    expression: Expression,
    operations: usize,
    width: usize,
}

struct Order<'a> {
    graph: &'a Graph,
    given: &'a FxHashMap<ExprId, Expression>,
    arguments: &'a ArgumentNames,
    names: Names,
    /// How often a node is written down.
    uses: FxHashMap<ExprId, usize>,
    /// Sine and cosine of the arguments of which both are needed.
    pairs: FxHashMap<ExprId, [ExprId; 2]>,
    /// Sums that absorb a product.
    fused: FxHashMap<ExprId, Fused>,
    /// How many values are alive while a node is computed, if nothing in it is shared.
    needs: FxHashMap<ExprId, usize>,
    values: FxHashMap<ExprId, Value>,
    routine: Routine,
}

impl Order<'_> {
    fn is_leaf(&self, id: ExprId) -> bool {
        self.given.contains_key(&id) || self.graph.node(id).is_leaf()
    }

    /// What the formula of a node is made of.
    fn operands(&self, id: ExprId) -> Vec<ExprId> {
        match self.fused.get(&id) {
            Some(&Fused { factors: [x, y], addend, .. }) => vec![x, y, addend],
            None => self.graph.operands(id).collect(),
        }
    }

    /// Everything below the roots down to what is given, ascending.
    fn nodes(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let mut seen = FxHashSet::default();
        let mut nodes = Vec::new();
        let mut pending = roots.to_vec();
        while let Some(id) = pending.pop() {
            if seen.insert(id) {
                nodes.push(id);
                if !self.is_leaf(id) {
                    pending.extend(self.graph.operands(id));
                }
            }
        }
        nodes.sort_unstable();
        nodes
    }

    fn find_pairs(&mut self, nodes: &[ExprId]) {
        let mut found: FxHashMap<ExprId, [Option<ExprId>; 2]> = FxHashMap::default();
        for &id in nodes {
            match self.graph.node(id) {
                Node::Unary(Unary::Sin, argument) if !self.is_leaf(id) => {
                    found.entry(argument).or_default()[0] = Some(id)
                }
                Node::Unary(Unary::Cos, argument) if !self.is_leaf(id) => {
                    found.entry(argument).or_default()[1] = Some(id)
                }
                _ => {}
            }
        }
        for (argument, functions) in found {
            if let [Some(sine), Some(cosine)] = functions {
                self.pairs.insert(argument, [sine, cosine]);
            }
        }
    }

    fn count_uses(&mut self, nodes: &[ExprId], roots: &[ExprId]) {
        for &id in nodes {
            // The cosine of a pair is computed with the sine and does not write its argument again.
            let is_with_sine = matches!(self.graph.node(id), Node::Unary(Unary::Cos, a) if self.pairs.contains_key(&a));
            if !is_with_sine && !self.is_leaf(id) {
                for operand in self.graph.operands(id) {
                    *self.uses.entry(operand).or_default() += 1;
                }
            }
        }
        for &root in roots {
            *self.uses.entry(root).or_default() += 1;
        }
    }

    fn count_needs(&mut self, nodes: &[ExprId]) {
        for &id in nodes {
            let mut needs: Vec<usize> = if self.is_leaf(id) {
                Vec::new()
            } else {
                self.operands(id).iter().map(|operand| self.needs[operand]).collect()
            };
            needs.sort_unstable_by_key(|&need| Reverse(need));
            // While an operand is computed, the results of those before it wait.
            let need = needs.into_iter().enumerate().map(|(waiting, need)| need + waiting).max();
            self.needs.insert(id, need.map_or(0, |need| need.max(1)));
        }
    }

    fn name_numbers(&mut self, nodes: &[ExprId]) {
        for &id in nodes.iter().filter(|id| !self.given.contains_key(id)) {
            let Some(magnitude) = self.graph.as_number(id).map(Number::abs) else { continue };
            if !self.routine.numbers.contains_key(&magnitude) {
                let name = self.names.unique(&literal(magnitude));
                self.routine.numbers.insert(magnitude, name);
            }
        }
    }

    /// Writes the statements that `root` needs. An explicit stack, because sums can be thousands of terms deep.
    fn compute(&mut self, root: ExprId) {
        let mut pending = vec![(root, false)];
        while let Some((id, are_operands_ready)) = pending.pop() {
            if self.values.contains_key(&id) {
                continue;
            }
            if self.is_leaf(id) {
                let value = self.leaf(id);
                self.values.insert(id, value);
            } else if are_operands_ready {
                self.write(id);
            } else {
                pending.push((id, true));
                pending.extend(self.operands_in_order(id).into_iter().rev().map(|operand| (operand, false)));
            }
        }
    }

    /// Calls below the roots, in the order in which they are first needed.
    fn calls(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let mut calls = Vec::new();
        let mut seen = FxHashSet::default();
        let mut pending: Vec<(ExprId, bool)> = roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((id, are_operands_seen)) = pending.pop() {
            if are_operands_seen {
                calls.push(id);
            } else if seen.insert(id) && !self.is_leaf(id) {
                if is_call(self.graph.node(id)) {
                    pending.push((id, true));
                }
                pending.extend(self.operands_in_order(id).into_iter().rev().map(|operand| (operand, false)));
            }
        }
        calls
    }

    /// What the formula of a node is made of, what keeps most values alive first.
    fn operands_in_order(&self, id: ExprId) -> Vec<ExprId> {
        let mut operands = self.operands(id);
        operands.sort_by_key(|operand| Reverse(self.needs[operand]));
        operands
    }

    fn leaf(&self, id: ExprId) -> Value {
        let number = || self.graph.as_number(id).map(Expression::Number);
        let expression = self.given.get(&id).cloned().or_else(number).expect("every symbol is an argument");
        let width = self.leaf_name(&expression).map_or(0, |name| name.len());
        Value { expression, operations: 0, width }
    }

    fn write(&mut self, id: ExprId) {
        match self.graph.node(id) {
            Node::Unary(_, argument) if self.pairs.get(&argument).is_some_and(|pair| pair.contains(&id)) => {
                self.write_pair(argument);
            }
            _ => {
                let mut value = self.formula(id);
                if self.uses.get(&id).is_some_and(|&uses| uses > 1) {
                    value = self.bind(value.expression);
                }
                self.values.insert(id, value);
            }
        }
    }

    fn write_pair(&mut self, argument: ExprId) {
        let angle = self.values[&argument].expression.clone();
        let base = word(&angle, &|leaf| self.leaf_name(leaf)).unwrap_or_else(|| self.names.next_numbered("x"));
        let [sine, cosine] = ["sin", "cos"].map(|function| {
            let name = self.names.unique(&format!("{function}_{base}"));
            Arc::make_mut(&mut self.routine.locals).push(name);
            self.routine.locals.len() - 1
        });
        self.routine.statements.push(Statement::SinCos { sine, cosine, argument: angle });
        for (id, local) in self.pairs[&argument].into_iter().zip([sine, cosine]) {
            let value = self.local(local);
            self.values.insert(id, value);
        }
    }

    /// The node written out, with the formulas of operands that are used only here as far as the line has room.
    fn formula(&mut self, id: ExprId) -> Value {
        let operands = self.operands(id);
        let overhead = if self.fused.contains_key(&id) { FUSED_OVERHEAD } else { overhead(self.graph.node(id)) };
        loop {
            let operations = 1 + operands.iter().map(|operand| self.values[operand].operations).sum::<usize>();
            let width = overhead + operands.iter().map(|operand| self.values[operand].width).sum::<usize>();
            let is_formula = |operand: &&ExprId| self.values[*operand].operations > 0;
            let longest = operands.iter().filter(is_formula).max_by_key(|operand| self.values[*operand].width);
            match longest {
                Some(operand) if operations > MAX_OPERATIONS || width > MAX_WIDTH => {
                    let local = self.bind(self.values[operand].expression.clone());
                    self.values.insert(*operand, local);
                }
                _ => return Value { expression: self.assemble(id), operations, width },
            }
        }
    }

    fn assemble(&self, id: ExprId) -> Expression {
        let of = |operand: ExprId| self.values[&operand].expression.clone();
        if let Some(fused) = self.fused.get(&id) {
            let [mut x, mut y] = fused.factors.map(of);
            // A name reads better than a formula before `.mul_add(…)`.
            if self.values[&fused.factors[0]].operations > self.values[&fused.factors[1]].operations {
                (x, y) = (y, x);
            }
            let x = if fused.is_product_negative { x.negated() } else { x };
            let addend = of(fused.addend);
            let addend = if fused.is_addend_negative { addend.negated() } else { addend };
            return Expression::MulAdd(Box::new([x, y, addend]));
        }
        match self.graph.node(id) {
            Node::Number(_) | Node::Symbol(_) => unreachable!("leaves are written as they are"),
            Node::Unary(op, a) => Expression::Unary(op, Box::new(of(a))),
            Node::Binary(op, a, b) => Expression::Binary(op, Box::new(of(a)), Box::new(of(b))),
            Node::Select { lhs, rhs, then, otherwise } => {
                Expression::Select(Box::new([lhs, rhs, then, otherwise].map(of)))
            }
        }
    }

    /// A `let` for this formula.
    fn bind(&mut self, value: Expression) -> Value {
        let named = from_formula(&value, &|leaf| self.leaf_name(leaf));
        let name = match named {
            Some(name) => self.names.unique(&name),
            None => self.names.next_numbered("x"),
        };
        let local = self.routine.locals.len();
        Arc::make_mut(&mut self.routine.locals).push(name);
        self.routine.statements.push(Statement::Let { local, value });
        self.local(local)
    }

    fn local(&self, local: usize) -> Value {
        Value { expression: Expression::Local(local), operations: 0, width: self.routine.locals[local].len() }
    }

    fn leaf_name(&self, leaf: &Expression) -> Option<String> {
        match leaf {
            Expression::Argument(argument) => Some(self.arguments.of(*argument).to_owned()),
            Expression::Local(local) => Some(self.routine.locals[*local].clone()),
            Expression::Number(number) => self.routine.numbers.get(&number.abs()).cloned(),
            _ => None,
        }
    }
}

/// Characters around the operands of a fused product and sum.
const FUSED_OVERHEAD: usize = 14;

/// Characters around the operands: operators, spaces, parentheses.
fn overhead(node: Node) -> usize {
    match node {
        Node::Unary(Unary::Neg, _) => 3,
        Node::Unary(..) | Node::Binary(Binary::Atan2 | Binary::Power | Binary::Min | Binary::Max, ..) => 8,
        Node::Binary(..) => 4,
        _ => 20,
    }
}
