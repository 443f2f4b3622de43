//! Contact problems with known solutions, or whose solutions are checked against the laws of contact.

use super::*;
use crate::random::Random;

/// G = Wᵀ W from random directions of `dims` velocities, and b in its range, so that sticking is possible.
fn random_problem(random: &mut Random, contacts: usize, tangents: usize, friction: f64, dims: usize) -> Problem {
    let mut problem = Problem::default();
    (0..contacts).for_each(|_| problem.push(tangents, friction));
    problem.allocate();
    let n = problem.size();
    let directions: Vec<f64> = (0..n * dims).map(|_| random.next()).collect();
    let velocity: Vec<f64> = (0..dims).map(|_| random.next()).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let rows: Vec<&[f64]> = directions.chunks(dims).collect();
    for i in 0..n {
        for j in 0..n {
            problem.add_entry(i, j, dot(rows[i], rows[j]));
        }
        problem.set_row(i, dot(rows[i], &velocity), 0.0);
    }
    problem.scale();
    problem
}

/// Solves problems and counts the successes by method: Newton, enumeration, interior point, paths; last the failures.
fn count(contacts: usize, tangents: usize, friction: f64, dims: usize) -> [usize; 5] {
    let mut random = Random(2015);
    let mut solver = Solver::default();
    let mut counts = [0; 5];
    for _ in 0..500 {
        let mut problem = random_problem(&mut random, contacts, tangents, friction, dims);
        match solver.solve(&mut problem, false) {
            Ok(Solved { method, violation, .. }) => {
                problem.update_slips();
                let (measured, size) = problem.violation();
                assert_eq!(measured, violation);
                assert!(violation <= 1e-12 * size, "{method:?}: {violation:e} of {size}");
                counts[method as usize] += 1;
            }
            Err(unsolved) => {
                assert!(unsolved.violation > unsolved.tolerance);
                counts[4] += 1;
            }
        }
    }
    counts
}

#[test]
fn frictionless_and_redundant_contacts_are_always_solved() {
    for (contacts, dims) in [(1, 3), (2, 3), (4, 6), (6, 3), (12, 6), (30, 40)] {
        assert_eq!(count(contacts, 0, 0.0, dims)[4], 0, "{contacts} contacts, {dims} velocities");
        assert_eq!(count(contacts, 1, 0.0, dims)[4], 0, "{contacts} contacts, {dims} velocities, directions unused");
    }
}

#[test]
fn planar_friction_needs_enumeration_where_newton_cycles() {
    // Of 500 problems with random directions: by Newton, enumeration, the interior-point method, paths, unsolved.
    for (contacts, friction, dims, expected) in [
        (1, 0.3, 3, [499, 1, 0, 0, 0]),
        (2, 0.3, 3, [486, 14, 0, 0, 0]),
        (2, 0.5, 3, [477, 23, 0, 0, 0]),
        (3, 0.5, 3, [467, 33, 0, 0, 0]),
        (4, 0.5, 12, [500, 0, 0, 0, 0]),
    ] {
        assert_eq!(count(contacts, 1, friction, dims), expected, "{contacts} contacts, {dims} velocities");
    }
}

#[test]
fn spatial_friction_is_solved() {
    for (contacts, friction, dims, expected) in [
        (1, 0.3, 6, [500, 0, 0, 0, 0]),
        (2, 0.3, 6, [499, 0, 1, 0, 0]),
        (4, 0.3, 6, [494, 0, 6, 0, 0]),
        (4, 0.3, 24, [500, 0, 0, 0, 0]),
        (12, 0.3, 60, [500, 0, 0, 0, 0]),
    ] {
        assert_eq!(count(contacts, 2, friction, dims), expected, "{contacts} contacts, {dims} velocities");
    }
}

#[test]
fn forces_of_a_column_add_up() {
    // A column of 60 unit masses on the ground: forces add up from above.
    let n = 60;
    let mut problem = Problem::default();
    (0..n).for_each(|_| problem.push(0, 0.0));
    problem.allocate();
    for row in 0..n {
        problem.add_entry(row, row, if row == 0 { 1.0 } else { 2.0 });
        if row > 0 {
            problem.add_entry(row, row - 1, -1.0);
            problem.add_entry(row - 1, row, -1.0);
        }
        problem.set_row(row, if row == 0 { -1.0 } else { 0.0 }, 0.0);
    }
    problem.scale();
    let solved = Solver::default().solve(&mut problem, false).unwrap();
    assert!(solved.violation < 1e-12, "{solved:?}");
    for row in 0..n {
        assert!((problem.impulse(row) - (n - row) as f64).abs() < 1e-10, "{row}: {}", problem.impulse(row));
    }
}

/// A triangle of discs of unit mass and radius that touch, between walls: 534 contacts for 190 discs in 19 rows.
struct Pile {
    friction: f64,
    /// Rows of Wᵀ: disc, direction of its velocity, and its share of the spin.
    directions: Vec<Vec<(usize, [f64; 3])>>,
    /// Of each disc: along x, y, and its spin.
    velocities: Vec<[f64; 3]>,
}

/// Of a disc: 1/m, 1/m, 1/J.
const INVERSE: [f64; 3] = [1.0, 1.0, 2.0];

impl Pile {
    fn new(rows: usize, friction: f64) -> Self {
        let disc = |row: usize, k: usize| (0..row).map(|row| rows - row).sum::<usize>() + k;
        let place = |row: usize, k: usize| [(2 * k + row) as f64, 3.0_f64.sqrt() * row as f64];
        // Normal from the second body, which may be the ground, to the first.
        let mut contacts = Vec::new();
        let mut touch = |(a, at): (usize, [f64; 2]), (b, from): (usize, [f64; 2])| {
            contacts.push((a, Some(b), [0.5 * (at[0] - from[0]), 0.5 * (at[1] - from[1])]));
        };
        for row in 0..rows {
            for k in 0..rows - row {
                let own = (disc(row, k), place(row, k));
                if k > 0 {
                    touch(own, (disc(row, k - 1), place(row, k - 1)));
                }
                for side in 0..if row > 0 { 2 } else { 0 } {
                    touch(own, (disc(row - 1, k + side), place(row - 1, k + side)));
                }
            }
        }
        contacts.extend((0..rows).map(|k| (k, None, [0.0, 1.0])));
        contacts.extend([(0, None, [1.0, 0.0]), (rows - 1, None, [-1.0, 0.0])]);
        let directions = contacts.iter().flat_map(|&(a, b, [x, y])| {
            let other = |sign: f64, spin: f64, v: [f64; 2]| b.map(|b| (b, [sign * v[0], sign * v[1], spin]));
            let normal = [(a, [x, y, 0.0])].into_iter().chain(other(-1.0, 0.0, [x, y]));
            let slip = [(a, [-y, x, -1.0])].into_iter().chain(other(-1.0, -1.0, [-y, x]));
            [normal.collect(), slip.collect()]
        });
        Self { friction, directions: directions.collect(), velocities: vec![[0.0; 3]; rows * (rows + 1) / 2] }
    }

    /// A millisecond of gravity.
    fn fall(&mut self) {
        self.velocities.iter_mut().for_each(|velocity| velocity[1] -= 9.81e-3);
    }

    fn problem(&self) -> Problem {
        let mut problem = Problem::default();
        (0..self.directions.len() / 2).for_each(|_| problem.push(1, self.friction));
        problem.allocate();
        for (i, row) in self.directions.iter().enumerate() {
            for (j, other) in self.directions.iter().enumerate() {
                for (a, v) in row {
                    for (_, w) in other.iter().filter(|(b, _)| a == b) {
                        problem.add_entry(i, j, (0..3).map(|k| v[k] * w[k] * INVERSE[k]).sum());
                    }
                }
            }
            let slip = row.iter().flat_map(|(a, v)| (0..3).map(|k| v[k] * self.velocities[*a][k])).sum();
            problem.set_row(i, slip, 0.0);
        }
        problem.scale();
        problem
    }

    /// Velocities after the impulses of a problem.
    fn push(&mut self, problem: &Problem) {
        for (i, row) in self.directions.iter().enumerate() {
            for (a, v) in row {
                for k in 0..3 {
                    self.velocities[*a][k] += v[k] * INVERSE[k] * problem.impulse(i);
                }
            }
        }
    }
}

#[test]
fn a_pile_of_discs_bears_its_weight() {
    for (rows, friction) in [(6, 0.4), (12, 0.0), (19, 0.4)] {
        let mut pile = Pile::new(rows, friction);
        pile.fall();
        let mut problem = pile.problem();
        let mut solver = Solver::default();
        let solved =
            solver.solve(&mut problem, false).unwrap_or_else(|unsolved| panic!("{rows}, {friction}: {unsolved:?}"));
        assert!(solved.violation < 1e-12, "{rows}, {friction}: {solved:?}");
        // The contacts with the floor, before the last two, carry all discs.
        let n = problem.contacts.len();
        let floor = problem.contacts[n - 2 - rows..n - 2].to_vec();
        let weight: f64 = floor.iter().map(|contact| problem.impulse(contact.normal)).sum();
        let walls: f64 = problem.contacts[n - 2..].iter().map(|c| problem.impulse(c.normal + 1).abs()).sum();
        let discs = (rows * (rows + 1) / 2) as f64;
        assert!((weight - 9.81e-3 * discs).abs() < 1e-9 + walls, "{rows}, {friction}: {weight}");
    }
}

/// The discs get random velocities and slow down; afterwards some rest, some slide and some creep.
#[test]
fn bodies_of_a_pile_collide_by_the_laws() {
    let mut solver = Solver::default();
    let mut found_by_paths = 0;
    for (rows, friction) in [(3, 0.4), (6, 0.2), (6, 1.0), (12, 0.4)] {
        let mut random = Random(2015);
        let mut pile = Pile::new(rows, friction);
        pile.velocities.iter_mut().flatten().for_each(|velocity| *velocity = random.next());
        for step in 0..20 {
            pile.fall();
            let mut problem = pile.problem();
            let solved = solver.solve(&mut problem, false);
            let solved = solved.unwrap_or_else(|unsolved| panic!("{rows}, {friction}, {step}: {unsolved:?}"));
            assert!(solved.violation < 1e-12, "{rows}, {friction}, {step}: {solved:?}");
            found_by_paths += u32::from(solved.method == ContactMethod::Path);
            pile.push(&problem);
        }
    }
    assert!(found_by_paths > 0, "no problem was hard enough");
}

#[test]
fn a_contact_that_nothing_can_stop_is_unsolved() {
    let mut problem = Problem::default();
    problem.push(1, 0.5);
    problem.allocate();
    problem.set_row(0, -2.0, 0.0);
    problem.scale();
    let unsolved = Solver::default().solve(&mut problem, false).unwrap_err();
    assert_eq!(unsolved.violation, 2.0);
    assert!(problem.violates(&problem.contacts[0], unsolved.tolerance));
}
