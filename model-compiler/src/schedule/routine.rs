//! Straight-line code: what a function does, statement by statement.
//!
//! Names are part of it, because the same names stand in generated code, in printed formulas and in operation lists.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::expr::{Binary, Number, Unary};

/// From so many angles on, the runtime computes sines and cosines faster together than one by one.
pub const LEAST_ANGLES: usize = 3;

/// Statements that compute the outputs of one function.
#[derive(Clone, Debug, Default)]
pub struct Routine {
    /// In order of evaluation.
    pub statements: Vec<Statement>,
    /// Names of the temporaries; parts of a routine share them.
    pub locals: Arc<Vec<String>>,
    /// Magnitudes of the numbers in it, with their names.
    pub numbers: IndexMap<Number, String>,
    /// Number of entries of each output.
    pub outputs: Vec<usize>,
}

/// One statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `let local = value;`
    Let {
        /// Index into [`Routine::locals`].
        local: usize,
        /// What it is.
        value: Expression,
    },
    /// `let (sine, cosine) = argument.sin_cos();`
    SinCos {
        /// Index into [`Routine::locals`].
        sine: usize,
        /// Index into [`Routine::locals`].
        cosine: usize,
        /// The angle.
        argument: Expression,
    },
    /// `output[position] = value;`
    Store {
        /// Which output.
        output: usize,
        /// Which of its entries.
        position: usize,
        /// What it is.
        value: Expression,
    },
}

impl Statement {
    /// The temporaries that it writes.
    pub fn locals(&self) -> impl Iterator<Item = usize> + use<> {
        let locals = match *self {
            Statement::Let { local, .. } => [Some(local), None],
            Statement::SinCos { sine, cosine, .. } => [Some(sine), Some(cosine)],
            Statement::Store { .. } => [None; 2],
        };
        locals.into_iter().flatten()
    }

    /// The expression on its right.
    pub fn value(&self) -> &Expression {
        match self {
            Statement::Let { value, .. } | Statement::Store { value, .. } => value,
            Statement::SinCos { argument, .. } => argument,
        }
    }
}

/// A formula short enough for one line.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// An exact constant.
    Number(Number),
    /// Something given.
    Argument(Argument),
    /// A temporary.
    Local(usize),
    /// A function of one argument.
    Unary(Unary, Box<Expression>),
    /// A function of two arguments.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `a * b + c`, in this order, rounded once where the processor does so.
    MulAdd(Box<[Expression; 3]>),
    /// `lhs < rhs ? then : otherwise`, in this order.
    Select(Box<[Expression; 4]>),
}

impl Expression {
    /// The opposite, without a double sign.
    pub fn negated(self) -> Expression {
        match self {
            Expression::Number(number) => Expression::Number(-number),
            Expression::Unary(Unary::Neg, a) => *a,
            other => Expression::Unary(Unary::Neg, Box::new(other)),
        }
    }

    /// How many sums in it absorb a product.
    pub fn fused(&self) -> usize {
        match self {
            Expression::Number(_) | Expression::Local(_) | Expression::Argument(_) => 0,
            Expression::Unary(_, a) => a.fused(),
            Expression::Binary(_, a, b) => a.fused() + b.fused(),
            Expression::MulAdd(parts) => 1 + parts.iter().map(Expression::fused).sum::<usize>(),
            Expression::Select(parts) => parts.iter().map(Expression::fused).sum(),
        }
    }

    /// Whether one of these temporaries is part of it.
    fn reads(&self, locals: &[usize]) -> bool {
        let mut reads = false;
        self.for_each_leaf(&mut |leaf| reads |= matches!(leaf, Expression::Local(local) if locals.contains(local)));
        reads
    }

    /// Calls `visit` with everything that it is made of: arguments, temporaries, numbers.
    pub(crate) fn for_each_leaf(&self, visit: &mut dyn FnMut(&Expression)) {
        match self {
            Expression::Number(_) | Expression::Local(_) | Expression::Argument(_) => visit(self),
            Expression::Unary(_, a) => a.for_each_leaf(visit),
            Expression::Binary(_, a, b) => [a, b].into_iter().for_each(|operand| operand.for_each_leaf(visit)),
            Expression::MulAdd(parts) => parts.iter().for_each(|operand| operand.for_each_leaf(visit)),
            Expression::Select(parts) => parts.iter().for_each(|operand| operand.for_each_leaf(visit)),
        }
    }
}

/// What a routine is given; indices are local to the kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Argument {
    /// A parameter: of the kernel in its setup, a component of the model's in everything about the whole model.
    Parameter(usize),
    /// A value that the setup of the kernel has computed.
    Constant(usize),
    /// Time.
    Time,
    /// A run-time input.
    Input(usize),
    /// A coordinate.
    Position(usize),
    /// A velocity.
    Velocity(usize),
    /// An acceleration.
    Acceleration(usize),
    /// A multiplier.
    Multiplier(usize),
    /// A force on the direction of a velocity.
    Force(usize),
    /// A weight of these forces.
    Weight(usize),
}

impl Routine {
    /// Everything that it is given and reads, ascending.
    pub fn arguments(&self) -> Vec<Argument> {
        let mut arguments = Vec::new();
        for statement in &self.statements {
            statement.value().for_each_leaf(&mut |leaf| {
                if let Expression::Argument(argument) = leaf {
                    arguments.push(*argument);
                }
            });
        }
        arguments.sort_unstable();
        arguments.dedup();
        arguments
    }

    /// The statements in their order, one by one, but neighbouring angles together: their sines and cosines may be computed
    /// at once, because none of a group depends on another.
    pub fn groups(&self) -> Vec<&[Statement]> {
        let (mut groups, mut rest) = (Vec::new(), &self.statements[..]);
        while !rest.is_empty() {
            let mut written: Vec<usize> = Vec::new();
            let is_beside = |statement: &&Statement| {
                let is_beside = matches!(statement, Statement::SinCos { .. }) && !statement.value().reads(&written);
                written.extend(statement.locals());
                is_beside
            };
            let (group, others) = rest.split_at(rest.iter().take_while(is_beside).count().max(1));
            groups.push(group);
            rest = others;
        }
        groups
    }

    /// The part that computes some of its results: `is_wanted` is asked for output and position.
    pub(crate) fn restricted(&self, is_wanted: &dyn Fn(usize, usize) -> bool) -> Routine {
        let mut is_read = vec![false; self.locals.len()];
        let mut statements = Vec::new();
        for statement in self.statements.iter().rev() {
            let is_needed = match *statement {
                Statement::Let { local, .. } => is_read[local],
                Statement::SinCos { sine, cosine, .. } => is_read[sine] || is_read[cosine],
                Statement::Store { output, position, .. } => is_wanted(output, position),
            };
            if is_needed {
                statement.value().for_each_leaf(&mut |leaf| {
                    if let Expression::Local(local) = leaf {
                        is_read[*local] = true;
                    }
                });
                statements.push(statement.clone());
            }
        }
        statements.reverse();
        Routine { statements, ..self.clone() }
    }
}
