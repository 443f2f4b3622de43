//! How a contact problem is solved: exact Newton, then all states of few contacts, then an interior-point method.
//!
//! Newton's method takes the exact generalized Jacobian, with the derivative of the radius of the friction disc that
//! [rezaei, Eqs. 43, 52] leave out; with it most problems need one or two iterations. Where it cycles, few planar
//! contacts are tried in every combination of open, sticking and sliding; else Newton's method finishes what the
//! interior-point method has found, sparsely where contacts are many. In a heap whose bodies collide all at once that may
//! fail; in the plane paths lead on from what was found. In space, and where paths fail, contacts are swept over one by one
//! (projected Gauss-Seidel) until they obey their laws loosely.
//! A problem that none solves may have no solution: friction can jam.

use super::couplings::{Block, IDENTITY};
use super::elimination::Elimination;
use super::interior_point::InteriorPoint;
use super::path::Path;
use super::problem::{Problem, Rows, Status, Terms, on_disc};
use super::sparse_system::SparseSystem;

const NEWTON_ITERATIONS: u32 = 20;
/// Iterations where contacts are many, and those that finish what another method has found.
const FINISHING_ITERATIONS: u32 = 8;
/// Most contacts whose states are all tried: 4⁴ small systems.
const ENUMERATED: usize = 4;
/// From this many rows on, Newton's method from far away would take many large systems.
const MANY: usize = 48;
/// Up to this many rows linear systems are dense, and redundant contacts found by elimination.
const DENSE: usize = 192;
/// How often the interior-point method is tried, and paths: those after it begin where the best one has ended.
const INTERIOR_ATTEMPTS: u32 = 2;
const ATTEMPTS: u32 = 16;
/// Added to the diagonal of sparse systems, so that redundant contacts do no harm; further iterations remove what it
/// changes.
const DAMPING: f64 = 1e-8;
/// Violation of the laws that is round-off, relative to the velocities from which it is left.
const EXACT: f64 = 4.0 * f64::EPSILON;
/// The same where iterations end: redundant contacts cost digits.
const ACCEPTED: f64 = 1e-13;
/// The same where paths end: in a heap that creeps, forces are a million times as large as what moves it.
const SETTLED: f64 = 5e-13;
/// The same for more contacts than can be tried: redundant ones between sticking and sliding cost more.
const CLOSE: f64 = 1e-9;
/// The same for many contacts: bodies of a heap that collide all at once, in space, may leave no method anything better. What
/// was left is part of the record.
const LOOSE: f64 = 1e-3;
/// What solved nearly the same problem is kept while it violates the laws by no more than so many times as much as what is
/// found instead: else Newton's method for a step, which gets loose solutions, would never see the same one twice.
const KEPT: f64 = 10.0;
/// How often sweeps are looked at, and how many there are between.
const SWEEPS: u32 = 256;
const SWEEPS_AT_ONCE: u32 = 16;
/// Sweeps go a part of their way that falls to a half after three times so many, and on with the root of their number:
/// whole ways end in cycles between sticking and sliding.
const WHOLE: f64 = 64.0;

/// What solved a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Newton,
    Enumeration,
    InteriorPoint,
    Path,
    GaussSeidel,
}

/// How a problem was solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Solved {
    pub(super) method: Method,
    /// Iterations of all methods.
    pub(super) iterations: u32,
    /// Largest violation of the laws, as a relative velocity.
    pub(super) violation: f64,
}

/// No solution was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unsolved {
    pub(super) iterations: u32,
    pub(super) violation: f64,
    /// What would have been accepted.
    pub(super) tolerance: f64,
}

#[derive(Default)]
pub(super) struct Solver {
    dense: Elimination,
    sparse: SparseSystem,
    terms: Vec<Terms>,
    /// The right-hand side of a linear system, then the change of Λ.
    rhs: Vec<f64>,
    interior: InteriorPoint,
    path: Path,
    /// The first guess, that of an attempt, and the best that iterations came to.
    guess: Vec<f64>,
    start: Vec<f64>,
    best: Vec<f64>,
}

impl Solver {
    /// Makes room for this many rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.dense.reserve(rows.min(DENSE));
        self.terms.reserve(rows);
        self.rhs.reserve(rows);
        self.guess.reserve(rows);
        self.start.reserve(rows);
        self.best.reserve(rows);
        self.interior.reserve(rows);
        self.path.reserve(rows);
    }

    /// Finds Λ from the guess that the problem holds, which may be what solved nearly the same problem before.
    pub(super) fn solve(&mut self, problem: &mut Problem, repeats: bool) -> Result<Solved, Unsolved> {
        let mut iterations = 0;
        self.guess.clear();
        self.guess.extend_from_slice(problem.unknowns());
        if problem.size() > DENSE {
            self.sparse.prepare(problem);
        }
        let most = if problem.size() < MANY { NEWTON_ITERATIONS } else { FINISHING_ITERATIONS };
        if let Some(solved) = self.newton(problem, most, &mut iterations) {
            return Ok(solved);
        }
        let is_enumerated = is_planar(problem) && problem.contacts.len() <= ENUMERATED;
        if is_enumerated && let Some(solved) = self.enumerate(problem, &mut iterations) {
            return Ok(solved);
        }
        self.approach(problem, repeats, &mut iterations)
    }

    /// Newton's method; `None` when it does not converge.
    fn newton(&mut self, problem: &mut Problem, most: u32, iterations: &mut u32) -> Option<Solved> {
        for iteration in 0..=most {
            problem.update_slips();
            let (violation, size) = problem.violation();
            let tolerance = if iteration == most { ACCEPTED } else { EXACT };
            if violation <= tolerance * size {
                return Some(Solved { method: Method::Newton, iterations: *iterations, violation });
            }
            if iteration == most || violation.is_nan() {
                break;
            }
            self.clear(problem);
            for contact in &problem.contacts {
                self.linearize(problem, contact, problem.status(contact));
            }
            if !self.solve_system(problem) {
                break;
            }
            for (unknown, change) in problem.unknowns_mut().iter_mut().zip(&self.rhs) {
                *unknown += change;
            }
            *iterations += 1;
        }
        None
    }

    fn clear(&mut self, problem: &Problem) {
        self.terms.clear();
        self.rhs.clear();
        self.rhs.resize(problem.size(), 0.0);
    }

    /// Replaces the right-hand side by the solution for the rows of all contacts; `false` where there is none.
    fn solve_system(&mut self, problem: &Problem) -> bool {
        if problem.size() <= DENSE {
            self.dense.set(problem, &self.terms, &self.rhs);
            self.dense.solve();
            self.rhs.copy_from_slice(&self.dense.rhs);
            return true;
        }
        let is_regular = self.sparse.factor(problem, DAMPING, &self.terms).is_ok();
        if is_regular {
            self.sparse.solve(&mut self.rhs);
        }
        is_regular
    }

    /// Adds the rows of a contact, those of the next one, for the change of Λ.
    fn linearize(&mut self, problem: &Problem, contact: &Rows, status: Status) {
        let (unknowns, slips) = (contact.part(problem.unknowns()), contact.part(problem.slips()));
        let mut terms = Terms { left: IDENTITY, right: IDENTITY, own: Block::default() };
        let mut rhs = slips.map(|slip| -slip);
        match status {
            Status::Open => {
                (terms.left, terms.own) = (Block::default(), IDENTITY);
                rhs = unknowns.map(|unknown| -unknown);
            }
            Status::Stick => {}
            Status::Slide { direction, shrink } => {
                let radius = contact.friction * unknowns[0].max(0.0);
                for k in 0..contact.tangents {
                    rhs[1 + k] = radius * direction[k] - unknowns[1 + k];
                    terms.left[1 + k][1 + k] = 0.0;
                    terms.own[1 + k][1 + k] = 1.0;
                    terms.own[1 + k][0] = -contact.friction * direction[k];
                    if contact.tangents < 2 {
                        continue;
                    }
                    // The border of a disc is curved: −shrink (I − d dᵀ) (δΛ − G δΛ).
                    for l in 0..2 {
                        let across = if k == l { 1.0 } else { 0.0 } - direction[k] * direction[l];
                        terms.left[1 + k][1 + l] = shrink * across;
                        terms.own[1 + k][1 + l] -= shrink * across;
                    }
                }
            }
        }
        self.terms.push(terms);
        self.rhs[contact.all()].copy_from_slice(&rhs[..=contact.tangents]);
    }

    /// Tries every combination of states of planar contacts.
    fn enumerate(&mut self, problem: &mut Problem, iterations: &mut u32) -> Option<Solved> {
        let states = |contact: &Rows| if contact.tangents == 1 && contact.friction > 0.0 { 4 } else { 2 };
        let combinations: usize = problem.contacts.iter().map(states).product();
        for combination in 0..combinations {
            problem.unknowns_mut().fill(0.0);
            problem.update_slips();
            self.clear(problem);
            let mut rest = combination;
            for contact in &problem.contacts {
                let state = rest % states(contact);
                rest /= states(contact);
                let slide = |sign: f64| Status::Slide { direction: [sign, 0.0], shrink: 0.0 };
                let status = match (states(contact), state) {
                    (_, 0) => Status::Open,
                    (2, _) => slide(0.0),
                    (_, 1) => Status::Stick,
                    (_, 2) => slide(1.0),
                    _ => slide(-1.0),
                };
                self.linearize(problem, contact, status);
            }
            self.solve_system(problem);
            problem.unknowns_mut().copy_from_slice(&self.rhs);
            *iterations += 1;
            problem.update_slips();
            let (violation, size) = problem.violation();
            if violation <= ACCEPTED * size {
                return Some(Solved { method: Method::Enumeration, iterations: *iterations, violation });
            }
        }
        None
    }

    /// The interior-point method, finished by Newton's method or, in the plane, by paths; what they leave wrong among many
    /// contacts, sweeps mend.
    fn approach(&mut self, problem: &mut Problem, repeats: bool, iterations: &mut u32) -> Result<Solved, Unsolved> {
        if problem.size() <= DENSE {
            self.sparse.prepare(problem);
        }
        let accepted = match problem.contacts.len() {
            0..=ENUMERATED => ACCEPTED,
            _ if problem.size() < MANY => CLOSE,
            _ => LOOSE,
        };
        // Paths find nothing where all states have been tried.
        let follows_paths = problem.contacts.len() > ENUMERATED && is_planar(problem);
        let mut least = f64::INFINITY;
        self.best.clone_from(&self.guess);
        for attempt in 0..if follows_paths { ATTEMPTS } else { INTERIOR_ATTEMPTS } {
            if attempt < INTERIOR_ATTEMPTS {
                self.interior.solve(problem, &mut self.sparse, attempt == 0, iterations);
                self.keep(problem, &mut least);
                self.start.clear();
                self.start.extend_from_slice(problem.unknowns());
                if let Some(solved) = self.newton(problem, FINISHING_ITERATIONS, iterations) {
                    return Ok(Solved { method: Method::InteriorPoint, ..solved });
                }
                problem.unknowns_mut().copy_from_slice(&self.start);
            } else {
                problem.unknowns_mut().copy_from_slice(&self.best);
            }
            if follows_paths {
                let is_solved = self.path.solve(problem, &mut self.sparse, attempt, [EXACT, SETTLED], iterations);
                let violation = self.keep(problem, &mut least);
                if is_solved {
                    return Ok(Solved { method: Method::Path, iterations: *iterations, violation });
                }
            }
        }
        problem.unknowns_mut().copy_from_slice(&self.guess);
        problem.update_slips();
        let (violation, size) = problem.violation();
        let is_kept = repeats && violation <= accepted * size && violation <= KEPT * least;
        if least.is_finite() && !is_kept {
            problem.unknowns_mut().copy_from_slice(&self.best);
        }
        let mut method = Method::InteriorPoint;
        let (mut looks, mut sweeps) = (0, 0_u32);
        loop {
            problem.update_slips();
            let (violation, size) = problem.violation();
            if violation <= accepted * size {
                return Ok(Solved { method, iterations: *iterations, violation });
            }
            if looks == SWEEPS {
                return Err(Unsolved { iterations: *iterations, violation, tolerance: accepted * size });
            }
            method = Method::GaussSeidel;
            looks += 1;
            for _ in 0..SWEEPS_AT_ONCE {
                let part = (1.0 + f64::from(sweeps) / WHOLE).sqrt().recip();
                Self::sweep(problem, part);
                sweeps += 1;
                *iterations += 1;
            }
        }
    }

    /// Remembers Λ if it obeys the laws better than before; by how much it violates them.
    fn keep(&mut self, problem: &mut Problem, least: &mut f64) -> f64 {
        problem.update_slips();
        let (violation, _) = problem.violation();
        if violation < *least {
            *least = violation;
            self.best.clear();
            self.best.extend_from_slice(problem.unknowns());
        }
        violation
    }

    /// Goes a part of the way to the laws of one contact after the other, the others given (projected Gauss-Seidel).
    fn sweep(problem: &mut Problem, part: f64) {
        for index in 0..problem.contacts.len() {
            let (contact, own) = (problem.contacts[index], problem.couplings().own(index));
            problem.update_slip(index);
            if own[0][0] > 0.0 {
                let normal = problem.unknowns()[contact.normal] - part * problem.slip(contact.normal) / own[0][0];
                problem.unknowns_mut()[contact.normal] = normal.max(0.0);
            }
            if contact.tangents == 0 {
                continue;
            }
            problem.update_slip(index);
            let (unknowns, slips) = (contact.part(problem.unknowns()), contact.part(problem.slips()));
            // One step for all tangents: a projection on a disc does not know directions.
            let step = (1..=contact.tangents).map(|k| own[k][k]).fold(0.0, f64::max);
            let target = |k: usize| unknowns[k] - if step > 0.0 { part * slips[k] / step } else { 0.0 };
            let force = on_disc([target(1), target(2)], contact.friction * unknowns[0]);
            problem.unknowns_mut()[contact.tangential()].copy_from_slice(&force[..contact.tangents]);
        }
    }
}

fn is_planar(problem: &Problem) -> bool {
    problem.contacts.iter().all(|contact| contact.tangents < 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without a pattern, the same everywhere.
    struct Random(u64);

    impl Random {
        /// In [−1, 1).
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    /// G = Wᵀ W from random directions of `dims` velocities, and b in its range, so that slips can be stopped.
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

    /// Solves problems and counts how: by Newton, by enumeration, by the interior-point method, by paths, not at all.
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
            assert_eq!(
                count(contacts, 1, 0.0, dims)[4],
                0,
                "{contacts} contacts, {dims} velocities, directions unused"
            );
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
            // The floor is among the last contacts but two, and carries all discs.
            let n = problem.contacts.len();
            let floor = problem.contacts[n - 2 - rows..n - 2].to_vec();
            let weight: f64 = floor.iter().map(|contact| problem.impulse(contact.normal)).sum();
            let walls: f64 = problem.contacts[n - 2..].iter().map(|c| problem.impulse(c.normal + 1).abs()).sum();
            let discs = (rows * (rows + 1) / 2) as f64;
            assert!((weight - 9.81e-3 * discs).abs() < 1e-9 + walls, "{rows}, {friction}: {weight}");
        }
    }

    /// Discs are thrown about where they lie, and slow down: some rest, some slide, some creep.
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
                found_by_paths += u32::from(solved.method == Method::Path);
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
        assert!(problem.misses(&problem.contacts[0], unsolved.tolerance));
    }
}
