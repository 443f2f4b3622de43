//! Both methods against nalgebra on matrices with the zero block of constrained systems.

use nalgebra::{DMatrix, DVector};

use super::*;
use crate::random::Random;

/// A chain of bodies with seven coordinates, joints of three rows, and norm rows; zero lower right block.
fn chain(bodies: usize) -> SparsityPattern {
    let nv = 7 * bodies;
    let n = nv + 4 * bodies;
    let mut entries = Vec::new();
    for body in 0..bodies {
        let (column, row) = (7 * body, nv + 4 * body);
        entries.extend((0..49).map(|k| (column + k / 7, column + k % 7)));
        let joint = (0..21).map(|k| (row + k / 7, column + k % 7));
        let norm = (0..4).map(|k| (row + 3, column + 3 + k));
        let parent = (0..21).filter(|_| body > 0).map(|k| (row + k / 7, column.wrapping_sub(7) + k % 7));
        for (constraint, coordinate) in joint.chain(norm).chain(parent) {
            entries.extend([(constraint, coordinate), (coordinate, constraint)]);
        }
    }
    SparsityPattern::from_entries(n, n, entries)
}

fn values(pattern: &SparsityPattern, random: &mut Random) -> Vec<f64> {
    pattern.entries().map(|(row, column)| random.next() + if row == column { 3.0 } else { 0.0 }).collect()
}

fn dense(pattern: &SparsityPattern, values: &[f64]) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(pattern.rows, pattern.columns);
    for ((row, column), &value) in pattern.entries().zip(values) {
        matrix[(row, column)] = value;
    }
    matrix
}

fn assert_solves(solver: &mut LinearSolver, pattern: &SparsityPattern, values: &[f64], random: &mut Random) {
    let matrix = dense(pattern, values);
    let rhs = DVector::from_fn(pattern.rows, |_, _| random.next());
    let expected = matrix.clone().lu().solve(&rhs).expect("random matrices are regular");
    let mut found = rhs.clone();
    solver.factor(values).expect("random matrices are regular");
    solver.solve(found.as_mut_slice());
    let residual = (&matrix * &found - &rhs).amax();
    assert!(residual <= 1e-11 * (1.0 + found.amax()), "residual {residual:e}");
    assert!((&found - &expected).amax() <= 1e-8 * expected.amax());
}

/// Both orderings of minimum degree of a tridiagonal matrix are the same, so that there is nothing to choose.
#[test]
fn a_single_ordering_is_enough() {
    let band =
        (0..400).flat_map(|row: usize| (row.saturating_sub(1)..(row + 2).min(400)).map(move |column| (row, column)));
    let pattern = SparsityPattern::from_entries(400, 400, band);
    let mut solver = LinearSolver::new(pattern.clone());
    let mut random = Random::default();
    for _ in 0..3 {
        let values = values(&pattern, &mut random);
        assert_solves(&mut solver, &pattern, &values, &mut random);
    }
}

#[test]
fn agrees_with_nalgebra_while_values_change() {
    for bodies in [1, 3, 6, 12] {
        let (pattern, mut random) = (chain(bodies), Random(7));
        let mut solver = LinearSolver::new(pattern.clone());
        let mut current = values(&pattern, &mut random);
        for round in 0..8 {
            assert_solves(&mut solver, &pattern, &current, &mut random);
            if round < 5 {
                current.iter_mut().for_each(|value| *value *= 1.0 + 0.02 * random.next());
            } else {
                // Kept pivots are bad for values drawn anew.
                current = values(&pattern, &mut random);
            }
        }
    }
}

#[test]
fn several_right_hand_sides_have_the_digits_of_each_alone() {
    let full = SparsityPattern::from_entries(7, 7, (0..49).map(|k| (k / 7, k % 7)));
    for (pattern, left_out) in [(chain(3), vec![]), (chain(6), vec![2, 5]), (full.clone(), vec![]), (full, vec![4])] {
        let mut random = Random(11);
        let values = values(&pattern, &mut random);
        let mut solver = LinearSolver::new(pattern.clone());
        solver.leave_out(&left_out);
        solver.factor(&values).unwrap();
        for width in [1, 2, 4, 5, 11] {
            let rhs: Vec<f64> = (0..width * pattern.rows).map(|_| random.next()).collect();
            let mut several = rhs.clone();
            solver.solve_several(&mut several, width);
            for side in 0..width {
                let of = |all: &[f64]| all.iter().copied().skip(side).step_by(width).collect::<Vec<f64>>();
                let mut alone = of(&rhs);
                solver.solve(&mut alone);
                assert_eq!(of(&several), alone, "side {side} of {width}");
            }
        }
    }
}

/// New pivots are found column by column; with kept ones, columns are subtracted in pairs.
#[test]
fn a_kept_order_of_pivots_gives_the_digits_of_a_new_one() {
    for bodies in [6, 12] {
        let (pattern, mut random) = (chain(bodies), Random(5));
        let mut solver = LinearSolver::new(pattern.clone());
        let mut values = values(&pattern, &mut random);
        values.iter_mut().step_by(5).for_each(|value| *value = if value.abs() < 1.0 { 0.0 } else { *value });
        let rhs: Vec<f64> = (0..pattern.rows).map(|_| random.next()).collect();
        let mut solve = || {
            let mut x = rhs.clone();
            solver.factor(&values).unwrap();
            solver.solve(&mut x);
            (solver.pivots(), x)
        };
        assert_eq!(solve(), solve());
    }
}

/// Solvers of a large pattern share the pivots that the first of them has found, but only where they would find the same:
/// whether they do is not seen in a digit.
#[test]
fn known_pivots_give_the_digits_of_a_search() {
    let (shared, mut random) = (chain(100), Random(21));
    let mut current = values(&shared, &mut random);
    let (mut same, mut others) = (0, 0);
    for round in 0..8 {
        let solution = |pattern: &SparsityPattern| {
            let mut solver = LinearSolver::new(pattern.clone());
            let mut x: Vec<f64> = (0..pattern.rows).map(|row| 1.0 + (row % 7) as f64).collect();
            solver.factor(&current).unwrap();
            solver.solve(&mut x);
            (x, solver.pivots(), solver.work())
        };
        let own = chain(100);
        assert_eq!(solution(&own), solution(&shared), "round {round}");
        let rows = |pattern: &SparsityPattern| pattern.pivots().expect("pivots of a large matrix").row_position.clone();
        match rows(&own) == rows(&shared) {
            true => same += 1,
            false => others += 1,
        }
        match round < 4 {
            true => current.iter_mut().for_each(|value| *value *= 1.0 + 1e-6 * random.next()),
            false => current = values(&shared, &mut random),
        }
    }
    assert!(same >= 4 && others > 0, "{same} rounds with the same pivots, {others} with others");
    // Small patterns compare orderings, which depends on values.
    let small = chain(12);
    LinearSolver::new(small.clone()).factor(&values(&small, &mut random)).unwrap();
    assert!(small.pivots().is_none());
}

/// The diagonal entry is the pivot from a fiftieth of the largest on; otherwise the largest, of equal ones the last.
#[test]
fn pivots_are_chosen_by_size() {
    let choice = |entries: &[(u32, f64)]| {
        let mut choice = sparse::Choice::of(3);
        entries.iter().for_each(|&(row, entry)| choice.see(row, entry));
        choice.pivot(10)
    };
    assert_eq!(choice(&[(1, -1.0), (3, 0.021), (5, 0.5)]), Some(3));
    assert_eq!(choice(&[(1, -1.0), (3, 0.019), (5, 0.5)]), Some(1));
    assert_eq!(choice(&[(7, 1.0), (1, -1.0), (5, 1.0)]), Some(7));
    assert_eq!(choice(&[(7, 1e-16), (3, 0.0)]), None);
    assert_eq!(choice(&[(7, 1.0), (3, f64::NAN)]), None);
    assert_eq!(choice(&[]), None);
}

#[test]
fn scale_of_rows_and_columns_does_not_matter() {
    for bodies in [2, 6] {
        let (pattern, mut random) = (chain(bodies), Random(3));
        let values = values(&pattern, &mut random);
        let size = |index: usize| 10_f64.powi((index % 13) as i32 - 6);
        let scaled: Vec<f64> =
            pattern.entries().zip(&values).map(|((row, column), value)| value * size(row) * size(column + 5)).collect();
        let mut solver = LinearSolver::new(pattern.clone());
        let rhs: Vec<f64> = (0..pattern.rows).map(|_| random.next()).collect();
        let mut plain = rhs.clone();
        solver.factor(&values).unwrap();
        solver.solve(&mut plain);
        let mut found: Vec<f64> = rhs.iter().enumerate().map(|(row, b)| b * size(row)).collect();
        solver.factor(&scaled).unwrap();
        solver.solve(&mut found);
        for (column, (x, expected)) in found.iter().zip(&plain).enumerate() {
            assert!((x * size(column + 5) - expected).abs() < 1e-9 * (1.0 + expected.abs()));
        }
    }
}

#[test]
fn singular_matrices_are_refused_and_do_no_harm() {
    for bodies in [2, 6] {
        let (pattern, mut random) = (chain(bodies), Random(11));
        let regular = values(&pattern, &mut random);
        let mut solver = LinearSolver::new(pattern.clone());
        // Rows 0 and 1 have the same columns; made equal, they are a redundant equation.
        let mut redundant = regular.clone();
        for column in 0..pattern.columns {
            if let (Some(first), Some(second)) = (pattern.slot(0, column), pattern.slot(1, column)) {
                redundant[second] = redundant[first];
            }
        }
        let zero_column: Vec<f64> =
            pattern.entries().zip(&regular).map(|((_, column), &v)| if column == 2 { 0.0 } else { v }).collect();
        let mut undefined = regular.clone();
        undefined[5] = f64::NAN;
        for bad in [&redundant, &zero_column, &undefined] {
            assert_eq!(solver.factor(bad), Err(Singular));
            assert_solves(&mut solver, &pattern, &regular, &mut random);
        }
    }
}

/// Dense and sparse: what is left of the matrix is solved, whatever stands in the rows and columns that are left out.
#[test]
fn unknowns_that_are_left_out_are_zero() {
    for bodies in [2, 12] {
        let (pattern, mut random) = (chain(bodies), Random(7));
        let mut solver = LinearSolver::new(pattern.clone());
        let n = pattern.columns;
        let left_out = [7 * bodies, n - 2];
        solver.leave_out(&left_out);
        for _ in 0..3 {
            let mut values = values(&pattern, &mut random);
            let matrix = dense(&pattern, &values);
            let reduced = DMatrix::from_fn(n, n, |i, k| match left_out.contains(&i) || left_out.contains(&k) {
                true => f64::from(u8::from(i == k)),
                false => matrix[(i, k)],
            });
            for ((row, _), value) in pattern.entries().zip(&mut values) {
                *value = if left_out.contains(&row) { f64::NAN } else { *value };
            }
            let rhs = DVector::from_fn(n, |_, _| random.next());
            let mut found = rhs.clone();
            solver.factor(&values).expect("random matrices are regular");
            solver.solve(found.as_mut_slice());
            let mut expected = rhs;
            left_out.iter().for_each(|&index| expected[index] = 0.0);
            let residual = (&reduced * &found - &expected).amax();
            assert!(residual <= 1e-11 * (1.0 + found.amax()), "residual {residual:e}");
            assert!(left_out.iter().all(|&index| found[index] == 0.0));
        }
        solver.leave_out(&[]);
        let values = values(&pattern, &mut random);
        assert_solves(&mut solver, &pattern, &values, &mut random);
    }
}

/// What a matrix without inverse makes zero is found, whatever its units.
#[test]
fn what_a_singular_matrix_leaves_undetermined_is_found() {
    for bodies in [1, 6] {
        for unit in [1.0, 1e8] {
            let (pattern, mut random) = (chain(bodies), Random(5));
            let mut values = values(&pattern, &mut random);
            let n = pattern.columns;
            // The row of each column's norm is made such that A x = 0 in the first row too, where only it is free.
            let null = DVector::from_fn(n, |_, _| random.next());
            for row in 0..n {
                let slot = pattern.entries().position(|place| place.0 == row).expect("an entry in every row");
                let first = pattern.entries().nth(slot).expect("an entry").1;
                values[slot] = 0.0;
                let sum = (&dense(&pattern, &values) * &null)[row];
                values[slot] = -sum / null[first];
            }
            values.iter_mut().for_each(|value| *value *= unit);
            let mut found = DVector::from_fn(n, |_, _| random.next());
            LinearSolver::new(pattern.clone()).undetermined(&values, found.as_mut_slice());
            let angle = 1.0 - found.normalize().dot(&null.normalize()).abs();
            assert!(angle < 1e-10, "{bodies} bodies, {unit}: {angle:e}");
        }
    }
}

/// Solutions are tested, and a failed test chooses anew: eliminations that keep their pivots must be right by themselves.
#[test]
fn eliminations_with_kept_pivots_are_right() {
    let (pattern, mut random) = (chain(6), Random(9));
    let mut lu = sparse::SparseLu::new(pattern.columns);
    assert_eq!(lu.work(), Work { entries: 0, factor: 0, solve: 0 });
    let mut current = values(&pattern, &mut random);
    lu.factor(&pattern, &current).unwrap();
    assert!(lu.work().entries >= pattern.nnz() as u64 && lu.work().factor > lu.work().entries);
    for _ in 0..3 {
        current.iter_mut().for_each(|value| *value *= 1.0 + 0.02 * random.next());
        assert!(lu.refactor(&current), "these pivots are good enough");
        let rhs = DVector::from_fn(pattern.rows, |_, _| random.next());
        let mut found = rhs.clone();
        lu.substitute(found.as_mut_slice());
        let residual = (dense(&pattern, &current) * &found - &rhs).amax();
        assert!(residual <= 1e-11 * (1.0 + found.amax()), "residual {residual:e}");
    }
    // A pivot that has nearly vanished is refused, and leaves nothing behind.
    let mut bad = current.clone();
    bad.iter_mut().zip(pattern.entries()).filter(|(_, place)| place.1 == 5).for_each(|(value, _)| *value = 0.0);
    assert!(!lu.refactor(&bad) && lu.refactor(&current));
}

/// Row by row below each pivot a factor, and a product for every entry to its right; and the reciprocals of the pivots.
#[test]
fn work_of_a_dense_matrix_is_that_of_gauss() {
    for n in [1_u64, 2, 3, 7] {
        let full = (0..n as usize).flat_map(|row| (0..n as usize).map(move |column| (row, column)));
        let pattern = SparsityPattern::from_entries(n as usize, n as usize, full);
        let factor = n + (0..n).map(|pivot| (n - 1 - pivot) * (n - pivot)).sum::<u64>();
        let expected = Work { entries: n * n, factor, solve: n * n };
        assert_eq!(dense::DenseLu::new(&pattern).work(), expected);
    }
}

/// A pattern without structure, of n unknowns with so many entries in a column, one of which is that of a permutation, and
/// values for which the permuted matrix is regular. Every third pattern lacks its diagonal.
fn scattered(n: usize, per_column: usize, random: &mut Random) -> (SparsityPattern, Vec<f64>) {
    let mut below = |limit: usize| ((0.5 + 0.5 * random.next()) * limit as f64) as usize % limit;
    let mut rows: Vec<usize> = (0..n).collect();
    (1..n).for_each(|last| rows.swap(last, below(last + 1)));
    let others = (0..n).flat_map(|column| (1..per_column).map(move |_| column));
    let others: Vec<(usize, usize)> = others.map(|column| (below(n), column)).collect();
    let is_left_out = |&(row, column): &(usize, usize)| n.is_multiple_of(3) && row == column && rows[column] != column;
    let entries = others.into_iter().filter(|place| !is_left_out(place));
    let pattern = SparsityPattern::from_entries(n, n, entries.chain((0..n).map(|column| (rows[column], column))));
    let values = pattern.entries().map(|(row, column)| {
        let large = if rows[column] == row { 2.0 * per_column as f64 } else { 0.0 };
        large + random.next()
    });
    let values = values.collect();
    (pattern, values)
}

/// Largest difference of a solution from that of nalgebra, which pivots over the whole matrix, relative to the latter.
fn distance(pattern: &SparsityPattern, values: &[f64], rhs: &[f64], found: &[f64]) -> f64 {
    let lu = dense(pattern, values).full_piv_lu();
    let expected = lu.solve(&DVector::from_column_slice(rhs)).expect("a regular matrix");
    (DVector::from_column_slice(found) - &expected).amax() / expected.amax()
}

/// Whatever the places of the entries and the units of rows and columns, with new pivots and with kept ones.
#[test]
fn matrices_without_structure_are_solved_in_all_units() {
    let mut random = Random(13);
    for n in [1, 2, 3, 5, 9, 17, 30, 60, 120] {
        for per_column in [1, 2, 4, 7] {
            let (pattern, mut values) = scattered(n, per_column, &mut random);
            // From 1e-150 to 1e150; columns of different units as well as rows would need scaling by turns.
            let mut unit = || (500.0 * random.next()).round().exp2();
            let (of_rows, of_columns): (Vec<f64>, f64) = ((0..n).map(|_| unit()).collect(), unit());
            let mut solvers = [LinearSolver::new(pattern.clone()), LinearSolver::new(pattern.clone())];
            for round in 0..4 {
                let rhs: Vec<f64> = (0..n).map(|_| random.next()).collect();
                let scaled: Vec<f64> =
                    pattern.entries().zip(&values).map(|((row, _), value)| value * of_rows[row] * of_columns).collect();
                let mut plain = rhs.clone();
                solvers[0].factor(&values).unwrap();
                solvers[0].solve(&mut plain);
                let mut found: Vec<f64> = rhs.iter().zip(&of_rows).map(|(rhs, unit)| rhs * unit).collect();
                solvers[1].factor(&scaled).unwrap();
                solvers[1].solve(&mut found);
                found.iter_mut().for_each(|x| *x *= of_columns);
                for (what, x) in [("plain", &plain), ("scaled", &found)] {
                    let error = distance(&pattern, &values, &rhs, x);
                    assert!(error < 1e-12, "{n} unknowns, {per_column} a column, round {round}, {what}: {error:e}");
                }
                values.iter_mut().for_each(|value| *value *= 1.0 + 0.2 * random.next());
            }
        }
    }
}

/// Near a singular matrix the equations are satisfied to rounding all the same; a singular one is refused with new pivots
/// and with kept ones, and leaves nothing behind.
#[test]
fn matrices_without_structure_may_be_nearly_singular() {
    let mut random = Random(17);
    for n in [4, 9, 25, 60] {
        let (given, values) = scattered(n, 5, &mut random);
        // The last row becomes a multiple of the first one, but for a small part.
        let first = given.entries().filter(|place| place.0 == 0).map(|place| (n - 1, place.1));
        let entries = given.entries().chain(first);
        let pattern = SparsityPattern::from_entries(n, n, entries);
        let near = |part: f64, random: &mut Random| -> Vec<f64> {
            let full = dense(&given, &values);
            let entry = |(row, column): (usize, usize)| match row + 1 == n {
                true => 3.0 * full[(0, column)] + part * random.next(),
                false => full[(row, column)],
            };
            pattern.entries().map(entry).collect()
        };
        let mut solver = LinearSolver::new(pattern.clone());
        for part in [1.0, 1e-3, 1e-6, 1e-9, 0.0, 1e-6, 0.0, 1.0] {
            let values = near(part, &mut random);
            let result = solver.factor(&values);
            assert_eq!(result.is_err(), part == 0.0, "{n} unknowns, {part:e}");
            if result.is_ok() {
                let rhs = DVector::from_fn(n, |_, _| random.next());
                let mut found = rhs.clone();
                solver.solve(found.as_mut_slice());
                let residual = (dense(&pattern, &values) * &found - &rhs).amax();
                assert!(residual <= 1e-13 * (1.0 + found.amax()), "{n} unknowns, {part:e}: {residual:e}");
            }
        }
    }
}

/// Eight matrices of each pattern, some of which are factorized anew, scaled otherwise, singular or nearly so, or have other
/// pivots, in any order: bit by bit the solutions that each has alone. What has no solution in lanes, because its order of
/// pivots is too rare, has had one among the others for long.
#[cfg(feature = "simd")]
#[test]
fn lanes_have_the_bits_of_single_matrices() {
    const N: usize = 8;
    let full = SparsityPattern::from_entries(6, 6, (0..36).map(|k| (k / 6, k % 6)));
    let mut compared = 0;
    for (pattern, seed) in [(full, 3), (chain(1), 5), (chain(4), 7), (chain(9), 11)] {
        let (n, nnz) = (pattern.columns, pattern.nnz());
        let mut random = Random(seed);
        let mut alone: Vec<LinearSolver> = (0..N).map(|_| LinearSolver::new(pattern.clone())).collect();
        let mut lanes = LaneSolver::<N>::new(pattern.clone());
        let (mut matrices, mut is_usable, mut counts) = (vec![[0.0; N]; nnz], [false; N], [true; N]);
        let base = values(&pattern, &mut random);
        for round in 0..60 {
            let wanted: [bool; N] = std::array::from_fn(|_| round == 0 || random.next() > 0.4);
            for lane in (0..N).filter(|&lane| wanted[lane]) {
                let kind = random.next();
                let size = if kind > 0.8 { 10_f64.powf(6.0 * random.next()) } else { 1.0 };
                let change = if kind < -0.7 { 3.0 } else { 1e-2 };
                for (entry, value) in matrices.iter_mut().zip(&base) {
                    entry[lane] = size * (value + change * random.next());
                }
                if kind.abs() < 0.05 {
                    pattern.column(0).for_each(|entry| matrices[entry][lane] = 0.0);
                }
            }
            let found = lanes.factor(&matrices, wanted);
            for lane in 0..N {
                if !wanted[lane] || !counts[lane] {
                    continue;
                }
                let own: Vec<f64> = matrices.iter().map(|entry| entry[lane]).collect();
                let expected = alone[lane].factor(&own).is_ok();
                assert!(expected || !found[lane], "round {round}, lane {lane} of {n} unknowns is singular");
                is_usable[lane] = expected;
                counts[lane] &= found[lane] == expected;
            }
            let is_tested: [bool; N] = std::array::from_fn(|_| random.next() > 0.0);
            let rhs: Vec<[f64; N]> = (0..n).map(|_| std::array::from_fn(|_| random.next())).collect();
            let mut solutions = rhs.clone();
            let accurate = lanes.solve(&mut solutions, is_tested);
            for lane in 0..N {
                if !counts[lane] || !is_usable[lane] {
                    continue;
                }
                let mut expected: Vec<f64> = rhs.iter().map(|entry| entry[lane]).collect();
                match is_tested[lane] {
                    true => alone[lane].solve(&mut expected),
                    false => alone[lane].solve_untested(&mut expected),
                }
                counts[lane] &= accurate[lane] || !is_tested[lane];
                for (found, expected) in solutions.iter().zip(&expected).filter(|_| counts[lane]) {
                    assert_eq!(found[lane].to_bits(), expected.to_bits(), "round {round}, lane {lane} of {n} unknowns");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 20_000, "only {compared} values were compared");
}
