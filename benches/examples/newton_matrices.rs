//! Newton matrices along motions, written for other solvers, and our times on them.
//!
//! `newton_matrices write DIRECTORY` writes a file for every model (its format stands in `peers/klu.c`);
//! `newton_matrices time FILE ROUNDS` prints, in microseconds: analysis with the first factorization, a factorization with new
//! pivots, the least and the median time of refactorization and of solution with its residual test, entries of L + U.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use hamel::SparsityPattern;
use hamel::linear_solver::LinearSolver;
use hamel::schemes;
use hamel::{Model, State};

const STEP: f64 = 1e-4;
/// Matrices of a file, and steps between them.
const MATRICES: usize = 20;
const EVERY: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", directory] => write(Path::new(directory)),
        ["time", file, rounds] => time(Path::new(file), rounds.parse()?),
        _ => Err("expected `write DIRECTORY` or `time FILE ROUNDS`".into()),
    }
}

fn write(directory: &Path) -> Result<(), Box<dyn Error>> {
    let models = hamel_benches::models().into_iter().map(|(name, model, state)| (name.to_owned(), model, state));
    for (name, model, state) in models.chain(hamel_benches::chains::models()) {
        let size = model.dims().nv + model.dims().nc;
        // The scheme carries no contacts, and they do not enter its matrix.
        if size >= 100 && model.describe().contacts.is_empty() {
            std::fs::write(directory.join(format!("{name}.txt")), matrices(model.as_ref(), state)?)?;
            println!("{name} {size}");
        }
    }
    Ok(())
}

/// The matrices of a motion that starts from `state`.
fn matrices(model: &dyn Model, state: State) -> Result<String, Box<dyn Error>> {
    let pattern = &model.describe().iteration_matrix;
    let scheme = schemes::by_name("modified_hht_body_weighted", &[("alpha", -0.3)])?;
    let mut stepper = scheme.start(model, state)?;
    let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let mut text = format!("{} {}\n", pattern.columns, pattern.nnz());
    writeln!(text, "{}\n{}\n{MATRICES}", list(pattern.column_starts()), list(pattern.row_indices()))?;
    let mut values = vec![0.0; pattern.nnz()];
    for _ in 0..MATRICES {
        for _ in 0..EVERY {
            stepper.step(STEP)?;
        }
        let (gamma, beta) = (0.8, 1.69 / 4.0);
        model.iteration_matrix(stepper.state(), 1.0 / 0.7, gamma * STEP, beta * STEP * STEP, &mut values);
        for value in &values {
            write!(text, "{value:e} ")?;
        }
        text.push('\n');
    }
    Ok(text)
}

fn time(file: &Path, rounds: usize) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let mut words = text.split_ascii_whitespace();
    let mut next = || words.next().ok_or("the file ends early");
    let (n, nnz): (usize, usize) = (next()?.parse()?, next()?.parse()?);
    let column_starts = (0..=n).map(|_| Ok(next()?.parse()?)).collect::<Result<Vec<u32>, Box<dyn Error>>>()?;
    let row_indices = (0..nnz).map(|_| Ok(next()?.parse()?)).collect::<Result<Vec<u32>, Box<dyn Error>>>()?;
    let count: usize = next()?.parse()?;
    let values = (0..nnz * count).map(|_| Ok(next()?.parse()?)).collect::<Result<Vec<f64>, Box<dyn Error>>>()?;
    let pattern = SparsityPattern::new(n, column_starts, row_indices);

    let microseconds = |start: Instant| 1e6 * start.elapsed().as_secs_f64();
    let start = Instant::now();
    let mut solver = LinearSolver::new(pattern);
    let analyse = microseconds(start);
    let start = Instant::now();
    solver.factor(&values[..nnz])?;
    let factor = microseconds(start);
    let (mut refactor, mut solve) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        for values in values.chunks_exact(nnz) {
            let mut x: Vec<f64> = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
            let start = Instant::now();
            solver.factor(values)?;
            refactor.push(microseconds(start));
            let start = Instant::now();
            solver.solve(&mut x);
            solve.push(microseconds(start));
        }
    }
    refactor.sort_by(f64::total_cmp);
    solve.sort_by(f64::total_cmp);
    let median = |times: &[f64]| times[times.len() / 2];
    println!(
        "{analyse:.2} {factor:.2} {:.2} {:.2} {:.2} {:.2} {}",
        refactor[0],
        median(&refactor),
        solve[0],
        median(&solve),
        solver.work().entries
    );
    Ok(())
}
