//! Long routines as parts that hand each other what later parts read.
//!
//! Compile time of straight-line code grows faster than its length. A routine is cut where the fewest temporaries live
//! across, every part a function of its own. A part returns the temporaries that it computes for later parts, and later
//! parts borrow them from where they were returned.
//!
//! On the derivatives of the quadruped's forward dynamics (5700 statements, hundreds of values alive at every cut) rustc
//! takes half the time, and the code 1.08 times as long, with fused products 1.14; so what can be compiled whole in a
//! reasonable time stays whole.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::routine::{Expression, Routine, Statement};

/// Most statements of a part. Up to a quarter more stay in one function: with debug information rustc descends a level for
/// each `let`, and its stack ends after some 3500.
pub const MAX_STATEMENTS: usize = 2000;

/// A part of a routine.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its statements; temporaries and outputs are counted as in the whole.
    pub routine: Routine,
    /// Temporaries of this part that later ones read.
    pub gives: Vec<usize>,
    /// For every earlier part, which of the temporaries that it gives are read here, as positions.
    pub takes: Vec<Vec<usize>>,
}

/// The routine in parts of at most so many statements, or whole if it has no more than a quarter more.
pub fn parts(routine: &Routine, most: usize) -> Vec<Part> {
    let lives = lives(routine);
    let n = routine.statements.len();
    let ends = if n <= most + most / 4 { vec![n] } else { ends(n, &lives, most) };
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let mut parts: Vec<Part> = Vec::new();
    for (start, &end) in starts.zip(&ends) {
        let gives = lives
            .iter()
            .enumerate()
            .filter(|(_, life)| start <= life.written && life.written < end && life.last_read >= end);
        let gives = gives.map(|(local, _)| local).collect();
        let statements = &routine.statements[start..end];
        let read = locals_read(statements);
        let positions = |part: &Part| -> Vec<usize> {
            part.gives
                .iter()
                .enumerate()
                .filter(|(_, local)| read.binary_search(local).is_ok())
                .map(|(i, _)| i)
                .collect()
        };
        let takes = parts.iter().map(positions).collect();
        parts.push(Part { routine: piece(routine, statements), gives, takes });
    }
    parts
}

/// Where a temporary is written and read last.
#[derive(Clone, Copy, Default)]
struct Life {
    written: usize,
    last_read: usize,
}

fn lives(routine: &Routine) -> Vec<Life> {
    let mut lives = vec![Life::default(); routine.locals.len()];
    for (position, statement) in routine.statements.iter().enumerate() {
        for local in statement.locals() {
            lives[local].written = position;
        }
        statement.value().for_each_leaf(&mut |leaf| {
            if let Expression::Local(local) = leaf {
                lives[*local].last_read = position;
            }
        });
    }
    lives
}

/// The ends of the parts. The cut after a part is where fewest values live, in the second half of its room.
fn ends(statements: usize, lives: &[Life], most: usize) -> Vec<usize> {
    let mut changes = vec![0_isize; statements + 1];
    for life in lives.iter().filter(|life| life.last_read > life.written) {
        changes[life.written + 1] += 1;
        changes[life.last_read + 1] -= 1;
    }
    // How many values are written before each position and read there or later.
    let mut living = 0;
    let across: Vec<isize> = changes
        .iter()
        .map(|change| {
            living += change;
            living
        })
        .collect();
    let mut ends = Vec::new();
    let mut start = 0;
    while statements - start > most {
        let room = start + most / 2..=start + most;
        let cut = room.min_by_key(|&cut| across[cut]).unwrap_or(start + most);
        ends.push(cut);
        start = cut;
    }
    ends.push(statements);
    ends
}

fn locals_read(statements: &[Statement]) -> Vec<usize> {
    let mut read = Vec::new();
    for statement in statements {
        statement.value().for_each_leaf(&mut |leaf| {
            if let Expression::Local(local) = leaf {
                read.push(*local);
            }
        });
    }
    read.sort_unstable();
    read.dedup();
    read
}

fn piece(routine: &Routine, statements: &[Statement]) -> Routine {
    let mut numbers = FxHashSet::default();
    for statement in statements {
        statement.value().for_each_leaf(&mut |leaf| {
            if let Expression::Number(number) = leaf {
                numbers.insert(number.abs());
            }
        });
    }
    Routine {
        statements: statements.to_vec(),
        numbers: routine
            .numbers
            .iter()
            .filter(|(number, _)| numbers.contains(number))
            .map(|(number, name)| (*number, name.clone()))
            .collect(),
        locals: Arc::clone(&routine.locals),
        outputs: routine.outputs.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Binary;
    use crate::schedule::interpret::{Arguments, run};

    /// `x_k = x_{k-1} + x_{k-2}`, the last one and every hundredth stored.
    fn long(n: usize) -> Routine {
        let local = |k: usize| Box::new(Expression::Local(k));
        let value = |k: usize| match k {
            0 | 1 => Expression::Number(1.into()),
            _ => Expression::Binary(Binary::Sub, local(k - 2), local(k - 1)),
        };
        let mut statements: Vec<Statement> = (0..n).map(|k| Statement::Let { local: k, value: value(k) }).collect();
        let stores = (0..n).step_by(100).enumerate();
        statements.extend(stores.map(|(position, k)| Statement::Store { output: 0, position, value: *local(k) }));
        Routine {
            statements,
            locals: Arc::new((0..n).map(|k| format!("x{k}")).collect()),
            numbers: [(1.into(), "one".to_owned())].into(),
            outputs: vec![n.div_ceil(100)],
        }
    }

    #[test]
    fn short_routines_stay_whole() {
        let parts = parts(&long(100), MAX_STATEMENTS);
        assert_eq!(parts.len(), 1);
        assert!(parts[0].gives.is_empty());
    }

    #[test]
    fn parts_are_short_and_compute_the_whole() {
        let whole = long(5000);
        let expected: Vec<f64> = run(&whole, &Arguments::of_parameters(Vec::new())).concat();
        let parts = parts(&whole, MAX_STATEMENTS);
        assert!(parts.len() > 2);
        // Every part again, with what it takes as the only temporaries that are not its own.
        let mut given: Vec<Vec<f64>> = Vec::new();
        let mut found = vec![0.0; expected.len()];
        for part in &parts {
            assert!(part.routine.statements.len() <= MAX_STATEMENTS);
            let mut statements = Vec::new();
            for (positions, (earlier, values)) in part.takes.iter().zip(parts.iter().zip(&given)) {
                for &position in positions {
                    let value = Expression::Number(crate::expr::Number::from_f64(values[position]));
                    statements.push(Statement::Let { local: earlier.gives[position], value });
                }
            }
            statements.extend(part.routine.statements.iter().cloned());
            let results = part.gives.iter().enumerate();
            statements.extend(results.map(|(position, &local)| Statement::Store {
                output: 1,
                position,
                value: Expression::Local(local),
            }));
            let alone = Routine { statements, outputs: vec![expected.len(), part.gives.len()], ..part.routine.clone() };
            let mut results: Vec<Vec<f64>> = run(&alone, &Arguments::of_parameters(Vec::new()));
            given.push(results.pop().unwrap_or_default());
            for (found, value) in found.iter_mut().zip(&results[0]) {
                *found += value;
            }
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn cuts_are_where_little_lives() {
        // Blocks of 15 numbers that are added up: after each block its sum is all that lives.
        let mut statements = Vec::new();
        for block in (0..120_usize).step_by(30) {
            let number = |k| Statement::Let { local: block + k, value: Expression::Number(1.into()) };
            statements.extend((0..15).map(number));
            let sum = |k: usize| {
                let before = if k == 0 { block.saturating_sub(1) } else { block + 14 + k };
                let operands = [before, block + k].map(|local| Box::new(Expression::Local(local)));
                let [a, b] = operands;
                Statement::Let { local: block + 15 + k, value: Expression::Binary(Binary::Add, a, b) }
            };
            statements.extend((0..15).map(sum));
        }
        let routine = Routine { statements, locals: Arc::new(vec![String::new(); 120]), ..Routine::default() };
        let parts = parts(&routine, 50);
        assert_eq!(parts.iter().map(|part| part.gives.len()).collect::<Vec<_>>(), [1, 1, 1, 0]);
    }
}
