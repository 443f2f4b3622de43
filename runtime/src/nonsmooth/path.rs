//! Path following (homotopy) for any number of planar contacts with friction.
//!
//! With `y = Λ − ξ` of every contact, Λ is a projection `P y`, and the laws are the piecewise linear equations
//! `y − P y + G P y = −b`; a piece is a set of states of all contacts: open, sticking, or sliding in one direction. With t
//! times the residual of an initial guess added to b, the guess is the solution for t = 1. From there the solution
//! moves along straight lines, which are followed from piece to piece until t = 0; on some pieces t has to increase
//! again (Katzenelson 1965, Eaves 1976). If contacts are redundant, such a path may be endless. Therefore contacts get
//! a compliance in proportion to the difference of their forces from those found last (a proximal term), which vanishes
//! as these converge. With a large compliance paths are short, with a small one they end closer to the solution; it is
//! reduced while paths are short, and increased if one is too long.

use super::couplings::{Block3, IDENTITY, Vector, times};
use super::piece_system::PieceSystem;
use super::problem::{ContactRows, Problem, Terms};
use super::sparse_system::SparseSystem;
use crate::contact_settings::Settings;
use crate::prelude::*;
use crate::random::Random;

/// Piece of the piecewise linear laws on which y of a contact is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    Open,
    Stick,
    /// With the sign of the force of friction.
    Slide(f64),
    /// Closed without friction.
    Smooth,
}

/// A boundary of a piece that a path has reached.
#[derive(Clone, Copy)]
struct Crossing {
    contact: usize,
    /// Coefficients of y in the expression that is positive inside the piece.
    boundary: [f64; 2],
    behind: Piece,
    /// Change of t up to the crossing.
    length: f64,
}

/// How an attempt to follow paths ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    /// The unknowns obey the laws: to the tolerance `exact`, or to `settled` if they no longer improved.
    Solved,
    /// Paths reached ends that obey the laws loosely: another attempt may succeed.
    Unsolved,
    /// No path reached an end that obeys the laws even to the tolerance `loose`.
    Futile,
}

#[derive(Clone, Default)]
pub(super) struct Path {
    settings: Settings,
    random: Random,
    /// Perturbation of the initial guess relative to its violation.
    disorder: f64,
    compliance: f64,
    /// Compliances of all rows relative to `compliance`.
    compliances: Vec<f64>,
    /// Λ found last, and b with the effect of the compliance on it.
    center: Vec<f64>,
    bias: Vec<f64>,
    pieces: Vec<Piece>,
    system: PieceSystem,
    y: Vec<f64>,
    /// Rate of change of y as t decreases.
    rate: Vec<f64>,
    /// Residual of the initial guess.
    residual: Vec<f64>,
    /// Λ with the least violation.
    best: Vec<f64>,
}

impl Piece {
    fn of(y: Vector, friction: f64) -> Self {
        if y[0] <= 0.0 {
            Self::Open
        } else if friction == 0.0 {
            Self::Smooth
        } else if y[1].abs() <= friction * y[0] {
            Self::Stick
        } else {
            Self::Slide(y[1].signum())
        }
    }

    /// P.
    fn projection(self, friction: f64) -> Block3 {
        let mut projection = Block3::default();
        match self {
            Self::Open => {}
            Self::Stick => projection = IDENTITY,
            Self::Slide(sign) => (projection[0][0], projection[1][0]) = (1.0, sign * friction),
            Self::Smooth => projection[0][0] = 1.0,
        }
        projection
    }

    /// Boundaries of the piece: coefficients of y in expressions that are positive inside.
    fn boundaries(self, friction: f64) -> impl Iterator<Item = [f64; 2]> {
        let boundaries = match self {
            Self::Open => [Some([-1.0, 0.0]), None],
            Self::Stick => [1.0, -1.0].map(|sign| Some([friction, -sign])),
            Self::Slide(sign) => [Some([1.0, 0.0]), Some([-friction, sign])],
            Self::Smooth => [Some([1.0, 0.0]), None],
        };
        boundaries.into_iter().flatten()
    }

    /// The piece on the other side of a boundary, at the point y on it.
    fn behind(self, boundary: [f64; 2], y: Vector, friction: f64) -> Self {
        match self {
            Self::Open if friction == 0.0 => Self::Smooth,
            Self::Open => Self::Slide(y[1].signum()),
            Self::Stick => Self::Slide(-boundary[1]),
            Self::Slide(_) if boundary[0] < 0.0 => Self::Stick,
            Self::Slide(_) | Self::Smooth => Self::Open,
        }
    }
}

/// Value at y of the expression that is zero on the boundary.
fn along(boundary: [f64; 2], y: Vector) -> f64 {
    boundary[0] * y[0] + boundary[1] * y[1]
}

impl Path {
    pub(super) fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Reserves memory for this many rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.pieces.reserve(rows);
        for values in self.vectors() {
            values.reserve(rows);
        }
    }

    fn vectors(&mut self) -> [&mut Vec<f64>; 7] {
        let Self { compliances, center, bias, y, rate, residual, best, .. } = self;
        [compliances, center, bias, y, rate, residual, best]
    }

    /// Replaces the unknowns of a problem, whose system is prepared, by the best of the ends of the paths from them.
    pub(super) fn solve(
        &mut self,
        problem: &mut Problem,
        system: &mut SparseSystem,
        attempt: u32,
        iterations: &mut u32,
    ) -> Attempt {
        self.begin(problem, attempt);
        let most = *iterations + self.settings.pieces;
        let (mut least, mut last) = (f64::INFINITY, f64::INFINITY);
        let mut violation = problem.violation().0;
        let Settings { exact, settled, loose, .. } = self.settings;
        let mut end = Attempt::Futile;
        let mut is_done = false;
        let mut dead_ends = 0;
        while !is_done && *iterations < most && self.compliance > self.settings.least_compliance {
            let before = *iterations;
            self.guess(problem, violation);
            if !self.follow(problem, system, iterations) {
                if self.compliance >= self.settings.largest_compliance {
                    dead_ends += 1;
                }
                if dead_ends == self.settings.dead_ends {
                    break;
                }
                self.compliance = (self.settings.rise * self.compliance).min(self.settings.largest_compliance);
                continue;
            }
            dead_ends = 0;
            self.write(problem);
            self.center.copy_from_slice(problem.unknowns());
            let size;
            (violation, size) = problem.violation();
            if violation <= settled.max(exact) * size {
                end = Attempt::Solved;
            } else if violation <= loose * size && end == Attempt::Futile {
                end = Attempt::Unsolved;
            }
            is_done = violation <= exact * size || end == Attempt::Solved && violation >= least;
            if *iterations - before < self.settings.short_path || violation > (1.0 - self.settings.gain) * last {
                self.compliance *= self.settings.fall;
            }
            last = violation;
            if violation < least {
                least = violation;
                self.best.copy_from_slice(problem.unknowns());
            }
        }
        problem.unknowns_mut().copy_from_slice(&self.best);
        problem.update_slips();
        end
    }

    fn begin(&mut self, problem: &mut Problem, attempt: u32) {
        for values in self.vectors() {
            values.clear();
            values.resize(problem.size(), 0.0);
        }
        problem.update_slips();
        self.system.reset();
        self.center.copy_from_slice(problem.unknowns());
        self.best.copy_from_slice(problem.unknowns());
        self.random = Random(attempt.into());
        self.disorder = self.settings.disorder[attempt as usize % self.settings.disorder.len()];
        self.compliance = self.settings.compliance;
        let spread = if attempt > 0 { self.settings.spread } else { 0.0 };
        for contact in &problem.contacts {
            let compliance = (spread * self.random.next()).exp();
            self.compliances[contact.normal] = compliance;
            self.compliances[contact.tangential()].fill(self.settings.tangential * compliance);
        }
    }

    /// Computes y from the problem's unknowns, which have this violation, and its residual.
    fn guess(&mut self, problem: &Problem, violation: f64) {
        for row in 0..problem.size() {
            self.bias[row] = problem.bias(row) - self.compliance * self.compliances[row] * self.center[row];
            let disorder = self.disorder * violation * problem.scale_of(row) * self.random.next();
            self.y[row] = problem.unknowns()[row] - problem.slip(row) + disorder;
        }
        self.pieces.clear();
        self.pieces.extend(problem.contacts.iter().map(|contact| Piece::of(contact.part(&self.y), contact.friction)));
        // `rate` holds Λ until the residual is computed.
        for (contact, piece) in problem.contacts.iter().zip(&self.pieces) {
            self.rate[contact.all()].copy_from_slice(&forces(contact, *piece, &self.y)[..=contact.tangents]);
        }
        for (index, contact) in problem.contacts.iter().enumerate() {
            for (row, slip) in contact.all().zip(problem.act(index, &self.rate)) {
                let given = self.compliance * self.compliances[row] * self.rate[row];
                self.residual[row] = self.rate[row] - self.y[row] - self.bias[row] - slip - given;
            }
        }
    }

    /// Follows the path of y from t = 1 to t = 0; `false` if it has too many pieces or goes to infinity.
    fn follow(&mut self, problem: &Problem, system: &mut SparseSystem, iterations: &mut u32) -> bool {
        let mut t = 1.0;
        let mut last: Option<Crossing> = None;
        for _ in 0..self.settings.longest_path {
            *iterations += 1;
            if !self.solve_piece(problem, system, t, last.map(|last| last.contact)) {
                return false;
            }
            // In the direction away from the boundary crossed last.
            let falls =
                last.is_none_or(|last| along(last.boundary, problem.contacts[last.contact].part(&self.rate)) < 0.0);
            let sign = if falls { 1.0 } else { -1.0 };
            let next = self.next(problem, sign, last);
            let length = next.map_or(f64::INFINITY, |next| next.length);
            if falls && t <= length {
                self.y.iter_mut().zip(&self.rate).for_each(|(y, rate)| *y += t * rate);
                return true;
            }
            let Some(next) = next else { return false };
            t -= sign * length;
            self.pieces[next.contact] = next.behind;
            last = Some(next);
        }
        false
    }

    /// Computes y for this t, and its rate, on the present pieces, the first ones or those that one contact has crossed to;
    /// `false` if the system is singular.
    fn solve_piece(&mut self, problem: &Problem, system: &mut SparseSystem, t: f64, crossed: Option<usize>) -> bool {
        let Self { compliance, compliances, pieces, bias, residual, .. } = self;
        let terms = |index: usize| {
            let contact = &problem.contacts[index];
            let projection = pieces[index].projection(contact.friction);
            let mut own = IDENTITY;
            for (row, (own, projection)) in contact.all().zip(own.iter_mut().zip(&projection)) {
                let stiff = 1.0 - *compliance * compliances[row];
                own.iter_mut().zip(projection).for_each(|(own, projection)| *own -= stiff * projection);
            }
            Terms { left: IDENTITY, right: projection, own }
        };
        let rhs = [bias.as_slice(), residual.as_slice()];
        let solved = match crossed {
            Some(contact) => self.system.change(problem, system, (contact, terms(contact)), rhs),
            None => self.system.start(problem, system, (0..problem.contacts.len()).map(terms), rhs),
        };
        if solved.is_err() {
            return false;
        }
        let [bias, residual] = &self.system.solutions;
        self.rate.copy_from_slice(residual);
        for ((y, bias), residual) in self.y.iter_mut().zip(bias).zip(residual) {
            *y = -bias - t * residual;
        }
        true
    }

    /// The boundary that y reaches first as t decreases, or increases for a negative sign, except the one crossed last.
    fn next(&self, problem: &Problem, sign: f64, last: Option<Crossing>) -> Option<Crossing> {
        let mut nearest: Option<Crossing> = None;
        for (index, (piece, contact)) in self.pieces.iter().zip(&problem.contacts).enumerate() {
            let (y, rate) = (contact.part(&self.y), contact.part(&self.rate));
            for boundary in piece.boundaries(contact.friction) {
                let closing = -sign * along(boundary, rate);
                let is_last =
                    last.is_some_and(|last| last.contact == index && last.boundary == boundary.map(|factor| -factor));
                if closing <= 0.0 || is_last {
                    continue;
                }
                let length = along(boundary, y).max(0.0) / closing;
                if nearest.is_none_or(|nearest| length < nearest.length) {
                    let at = [0, 1, 2].map(|k| y[k] + sign * length * rate[k]);
                    let behind = piece.behind(boundary, at, contact.friction);
                    nearest = Some(Crossing { contact: index, boundary, behind, length });
                }
            }
        }
        nearest
    }

    /// Writes Λ of y into the unknowns of the problem.
    fn write(&self, problem: &mut Problem) {
        for (index, piece) in self.pieces.iter().enumerate() {
            let contact = problem.contacts[index];
            let forces = forces(&contact, *piece, &self.y);
            problem.unknowns_mut()[contact.all()].copy_from_slice(&forces[..=contact.tangents]);
        }
        problem.update_slips();
    }
}

/// Λ of a contact.
fn forces(contact: &ContactRows, piece: Piece, y: &[f64]) -> Vector {
    times(&piece.projection(contact.friction), &contact.part(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projections_agree_where_pieces_meet() {
        for friction in [0.0, 0.4] {
            for y in [[1.0, 0.1, 0.0], [1.0, 0.7, 0.0], [1.0, -0.7, 0.0], [-1.0, 0.3, 0.0]] {
                let piece = Piece::of(y, friction);
                for boundary in piece.boundaries(friction) {
                    // The nearest point of the boundary.
                    let share = along(boundary, y) / (boundary[0] * boundary[0] + boundary[1] * boundary[1]);
                    let at = [y[0] - share * boundary[0], y[1] - share * boundary[1], 0.0];
                    let behind = piece.behind(boundary, at, friction);
                    assert!(along(boundary, y) > 0.0, "{piece:?} is not inside its boundary to {behind:?}");
                    let forces = [piece, behind].map(|piece| times(&piece.projection(friction), &at));
                    // Λ_T is zero for an open contact, and for a sliding one without normal force.
                    assert!(
                        forces[0].iter().zip(forces[1]).all(|(a, b)| (a - b).abs() < 1e-15),
                        "{piece:?}, {behind:?}"
                    );
                    let back = behind.boundaries(friction).any(|other| {
                        other == boundary.map(|factor| -factor) && behind.behind(other, at, friction) == piece
                    });
                    assert!(back, "no way back from {behind:?} to {piece:?}");
                }
            }
        }
    }

    #[test]
    fn a_closing_contact_slides_to_where_it_comes() {
        let mut problem = Problem::default();
        problem.push(1, 0.4);
        problem.allocate();
        let mut path = Path { pieces: vec![Piece::Open], y: vec![-1.0, -0.5], rate: vec![1.0, 2.0], ..Path::default() };
        let crossing = path.next(&problem, 1.0, None).expect("a boundary");
        assert_eq!((crossing.length, crossing.behind), (1.0, Piece::Slide(1.0)));
        path.rate[1] = 0.4;
        let crossing = path.next(&problem, 1.0, None).expect("a boundary");
        assert_eq!(crossing.behind, Piece::Slide(-1.0));
    }

    /// Follows the path of one contact with this G from t = 1, where it is open, to the solution at t = 0.
    fn followed(friction: f64, couplings: [[f64; 2]; 2], bias: [f64; 2], residual: [f64; 2]) -> Path {
        let mut problem = Problem::default();
        problem.push(1, friction);
        problem.allocate();
        for (row, entries) in couplings.iter().enumerate() {
            entries.iter().enumerate().for_each(|(column, &entry)| problem.add_entry(row, column, entry));
            problem.set_row(row, bias[row], 0.0);
        }
        let mut system = SparseSystem::default();
        system.prepare(&problem);
        // Open at t = 1: y = −b − residual.
        let start = vec![-bias[0] - residual[0], -bias[1] - residual[1]];
        let mut path = Path {
            pieces: vec![Piece::Open],
            compliances: vec![0.0; 2],
            bias: bias.to_vec(),
            residual: residual.to_vec(),
            rate: vec![0.0; 2],
            y: start,
            ..Path::default()
        };
        let mut pieces = 0;
        assert!(path.follow(&problem, &mut system, &mut pieces));
        assert_eq!(pieces, 3);
        path
    }

    fn assert_near(found: &[f64], expected: [f64; 2]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{found:?} instead of {expected:?}");
    }

    /// With G = 1 every piece has y = (1 − 2 t, 0.2 − t): the contact closes at t = ½, where it slides, and sticks from
    /// t = 0.35 on.
    #[test]
    fn a_straight_path_passes_its_pieces_in_order() {
        let path = followed(0.5, [[1.0, 0.0], [0.0, 1.0]], [-1.0, -0.2], [2.0, 1.0]);
        assert_near(&path.y, [1.0, 0.2]);
        assert_eq!(path.pieces, [Piece::Stick]);
    }

    /// Friction increases the normal force by more than the normal force itself relieves it: on the sliding piece y_N =
    /// 2 t − 1 and y_T = 3/2 − 2 y_N, so that t has to grow from ½ to ¾, where y = (½, ½) sticks; then y = (8 − 10 t,
    /// 7/2 − 4 t).
    #[test]
    fn a_path_turns_where_sliding_presses_a_contact_on() {
        let path = followed(1.0, [[1.0, -2.0], [-2.0, 5.0]], [-1.0, -1.5], [2.0, 0.0]);
        assert_near(&path.y, [8.0, 3.5]);
        assert_eq!(path.pieces, [Piece::Stick]);
    }

    /// A closing contact with this response of its velocity to its own force.
    fn attempt(response: f64) -> (Attempt, f64) {
        let mut problem = Problem::default();
        problem.push(0, 0.0);
        problem.allocate();
        problem.add_entry(0, 0, response);
        problem.set_row(0, -2.0, 0.0);
        problem.scale();
        let mut system = SparseSystem::default();
        system.prepare(&problem);
        let end = Path::default().solve(&mut problem, &mut system, 0, &mut 0);
        (end, problem.impulse(0))
    }

    /// A force that draws a contact on has no limit: no path ends, and further attempts would not either.
    #[test]
    fn attempts_without_ends_are_futile() {
        let (end, force) = attempt(4.0);
        assert_eq!(end, Attempt::Solved);
        assert!((force - 0.5).abs() < 1e-14, "{force}");
        assert_eq!(attempt(-4.0), (Attempt::Futile, 0.0));
    }
}
