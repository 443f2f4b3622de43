//! Planar contacts with friction in any number, by paths to their problem from one that is solved.
//!
//! With `y = Λ − ξ` of every contact, Λ is a projection `P y`, and the laws are the equations `y − P y + G P y = −b`,
//! linear as long as each contact stays open, sticking, or sliding one way: on one piece. With what a guess lacks added to
//! b, t times, the guess is the solution for t = 1; from there solutions lie on straight lines, which are followed from piece
//! to piece until t = 0; where a piece asks for it, t grows again (Katzenelson 1965, Eaves 1976).
//! Where contacts are redundant such a path may be endless. Therefore contacts give way, in proportion to what their forces
//! differ from those found last: it changes nothing once these solve the problem. With much compliance paths are short,
//! with little of it they lead closer to the laws; it falls while they are short, and grows where one becomes too long.

use super::couplings::{Block3, IDENTITY, Vector, times};
use super::problem::{ContactRows, Problem, Terms};
use super::sparse_system::SparseSystem;
use crate::random::Random;

/// Compliance of contacts at first, and at most; the largest diagonal entry of G of each is one.
const COMPLIANCE: f64 = 0.1;
const LARGEST_COMPLIANCE: f64 = 1.0;
/// With less compliance redundant contacts have none; where that is not enough, nothing is gained.
const LEAST_COMPLIANCE: f64 = 1e-20;
/// How much more contacts give way along their tangents: the laws of friction have fewer solutions then, and paths fewer
/// turns.
const TANGENTIAL: f64 = 10.0;
/// By what power of e the compliances of contacts differ in further attempts.
const SPREAD: f64 = 0.5;
/// What compliance is multiplied with after a path of fewer pieces than this, or one that has gained less than this
/// part, and after one that was given up.
const SHORT: u32 = 10;
const GAIN: f64 = 0.03;
const FALL: f64 = 0.5;
const RISE: f64 = 4.0;
/// Most pieces of a path, and of all.
const LONGEST: u32 = 60;
const PIECES: u32 = 4000;
/// A guess is moved by such a part of its violation of the laws, one attempt after the other: equal bodies, side by side,
/// reach borders all at once.
const DISORDER: [f64; 3] = [1e-2, 1e-3, 1e-1];

/// Where y of a contact is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    Open,
    Stick,
    /// With the sign of the force of friction.
    Slide(f64),
    /// Closed without friction.
    Smooth,
}

/// A border that a path has reached.
#[derive(Clone, Copy)]
struct Crossing {
    contact: usize,
    /// What was positive before: factors of y.
    border: [f64; 2],
    behind: Piece,
    /// By how much t changes up to it.
    length: f64,
}

#[derive(Default)]
pub(super) struct Path {
    random: Random,
    /// By what part of its violation of the laws a guess is moved.
    disorder: f64,
    compliance: f64,
    /// Compliances of all rows, over the one that changes.
    compliances: Vec<f64>,
    /// Λ that was found last, and b that its compliance leaves.
    center: Vec<f64>,
    bias: Vec<f64>,
    pieces: Vec<Piece>,
    terms: Vec<Terms>,
    y: Vec<f64>,
    /// How y changes as t falls.
    rate: Vec<f64>,
    /// What the guess lacks.
    lack: Vec<f64>,
    /// Λ that obeys the laws best.
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

    /// Its borders: what is positive inside, as factors of y.
    fn borders(self, friction: f64) -> impl Iterator<Item = [f64; 2]> {
        let borders = match self {
            Self::Open => [Some([-1.0, 0.0]), None],
            Self::Stick => [1.0, -1.0].map(|sign| Some([friction, -sign])),
            Self::Slide(sign) => [Some([1.0, 0.0]), Some([-friction, sign])],
            Self::Smooth => [Some([1.0, 0.0]), None],
        };
        borders.into_iter().flatten()
    }

    /// The piece behind a border, where y reaches it.
    fn behind(self, border: [f64; 2], y: Vector, friction: f64) -> Self {
        match self {
            Self::Open if friction == 0.0 => Self::Smooth,
            Self::Open => Self::Slide(y[1].signum()),
            Self::Stick => Self::Slide(-border[1]),
            Self::Slide(_) if border[0] < 0.0 => Self::Stick,
            Self::Slide(_) | Self::Smooth => Self::Open,
        }
    }
}

fn along(border: [f64; 2], y: Vector) -> f64 {
    border[0] * y[0] + border[1] * y[1]
}

impl Path {
    /// Makes room for this many rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.pieces.reserve(rows);
        self.terms.reserve(rows);
        for values in self.vectors() {
            values.reserve(rows);
        }
    }

    fn vectors(&mut self) -> [&mut Vec<f64>; 7] {
        let Self { compliances, center, bias, y, rate, lack, best, .. } = self;
        [compliances, center, bias, y, rate, lack, best]
    }

    /// Replaces the unknowns of a problem, of a prepared system, by the best that paths from them lead to.
    ///
    /// Says whether they obey the laws: to `exact` of the velocities, or to `accepted` where they do not get any nearer.
    /// What fails may succeed in another attempt.
    pub(super) fn solve(
        &mut self,
        problem: &mut Problem,
        system: &mut SparseSystem,
        attempt: u32,
        [exact, accepted]: [f64; 2],
        iterations: &mut u32,
    ) -> bool {
        self.begin(problem, attempt);
        let most = *iterations + PIECES;
        let (mut least, mut last) = (f64::INFINITY, f64::INFINITY);
        let mut violation = problem.violation().0;
        let mut is_solved = false;
        while !is_solved && *iterations < most && self.compliance > LEAST_COMPLIANCE {
            let before = *iterations;
            self.guess(problem, violation);
            if !self.follow(problem, system, iterations) {
                self.compliance = (RISE * self.compliance).min(LARGEST_COMPLIANCE);
                continue;
            }
            self.write(problem);
            self.center.copy_from_slice(problem.unknowns());
            let size;
            (violation, size) = problem.violation();
            is_solved = violation <= exact * size || violation <= accepted * size && violation >= least;
            if *iterations - before < SHORT || violation > (1.0 - GAIN) * last {
                self.compliance *= FALL;
            }
            last = violation;
            if violation < least {
                least = violation;
                self.best.copy_from_slice(problem.unknowns());
            }
        }
        problem.unknowns_mut().copy_from_slice(&self.best);
        problem.update_slips();
        is_solved
    }

    fn begin(&mut self, problem: &mut Problem, attempt: u32) {
        for values in self.vectors() {
            values.clear();
            values.resize(problem.size(), 0.0);
        }
        problem.update_slips();
        self.center.copy_from_slice(problem.unknowns());
        self.best.copy_from_slice(problem.unknowns());
        self.random = Random(attempt.into());
        self.disorder = DISORDER[attempt as usize % DISORDER.len()];
        self.compliance = COMPLIANCE;
        let spread = if attempt > 0 { SPREAD } else { 0.0 };
        for contact in &problem.contacts {
            let compliance = (spread * self.random.next()).exp();
            self.compliances[contact.normal] = compliance;
            self.compliances[contact.tangential()].fill(TANGENTIAL * compliance);
        }
    }

    /// Makes y that of the problem's unknowns, which violate the laws by so much, and finds what it lacks.
    fn guess(&mut self, problem: &Problem, violation: f64) {
        for row in 0..problem.size() {
            self.bias[row] = problem.bias(row) - self.compliance * self.compliances[row] * self.center[row];
            let disorder = self.disorder * violation * problem.scale_of(row) * self.random.next();
            self.y[row] = problem.unknowns()[row] - problem.slip(row) + disorder;
        }
        self.pieces.clear();
        self.pieces.extend(problem.contacts.iter().map(|contact| Piece::of(contact.part(&self.y), contact.friction)));
        // Λ, for now.
        for (contact, piece) in problem.contacts.iter().zip(&self.pieces) {
            self.rate[contact.all()].copy_from_slice(&forces(contact, *piece, &self.y)[..=contact.tangents]);
        }
        for (index, contact) in problem.contacts.iter().enumerate() {
            for (row, slip) in contact.all().zip(problem.act(index, &self.rate)) {
                let given = self.compliance * self.compliances[row] * self.rate[row];
                self.lack[row] = self.rate[row] - self.y[row] - self.bias[row] - slip - given;
            }
        }
    }

    /// Follows the path of y from t = 1; `false` where it is too long or ends in a ray.
    fn follow(&mut self, problem: &Problem, system: &mut SparseSystem, iterations: &mut u32) -> bool {
        let mut t = 1.0;
        let mut last: Option<Crossing> = None;
        for _ in 0..LONGEST {
            *iterations += 1;
            if !self.solve_piece(problem, system, t) {
                return false;
            }
            // Away from the border that was crossed last.
            let falls =
                last.is_none_or(|last| along(last.border, problem.contacts[last.contact].part(&self.rate)) < 0.0);
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

    /// Finds y for this t, and how it changes, on the present pieces; `false` where there is none.
    fn solve_piece(&mut self, problem: &Problem, system: &mut SparseSystem, t: f64) -> bool {
        self.terms.clear();
        for (piece, contact) in self.pieces.iter().zip(&problem.contacts) {
            let projection = piece.projection(contact.friction);
            let mut own = IDENTITY;
            for (row, (own, projection)) in contact.all().zip(own.iter_mut().zip(&projection)) {
                let stiff = 1.0 - self.compliance * self.compliances[row];
                own.iter_mut().zip(projection).for_each(|(own, projection)| *own -= stiff * projection);
            }
            self.terms.push(Terms { left: IDENTITY, right: projection, own });
        }
        if system.factor(problem, 0.0, &self.terms).is_err() {
            return false;
        }
        self.rate.copy_from_slice(&self.lack);
        system.solve(&mut self.rate);
        for ((y, bias), lack) in self.y.iter_mut().zip(&self.bias).zip(&self.lack) {
            *y = -bias - t * lack;
        }
        system.solve(&mut self.y);
        true
    }

    /// The border that y reaches first as t falls, or rises for a negative sign, but for the one that it comes from.
    fn next(&self, problem: &Problem, sign: f64, last: Option<Crossing>) -> Option<Crossing> {
        let mut nearest: Option<Crossing> = None;
        for (index, (piece, contact)) in self.pieces.iter().zip(&problem.contacts).enumerate() {
            let (y, rate) = (contact.part(&self.y), contact.part(&self.rate));
            for border in piece.borders(contact.friction) {
                let closing = -sign * along(border, rate);
                let is_last =
                    last.is_some_and(|last| last.contact == index && last.border == border.map(|factor| -factor));
                if closing <= 0.0 || is_last {
                    continue;
                }
                let length = along(border, y).max(0.0) / closing;
                if nearest.is_none_or(|nearest| length < nearest.length) {
                    let at = [0, 1, 2].map(|k| y[k] + sign * length * rate[k]);
                    let behind = piece.behind(border, at, contact.friction);
                    nearest = Some(Crossing { contact: index, border, behind, length });
                }
            }
        }
        nearest
    }

    /// Makes the unknowns of the problem those of y.
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
                for border in piece.borders(friction) {
                    // The point of the border that is nearest.
                    let share = along(border, y) / (border[0] * border[0] + border[1] * border[1]);
                    let at = [y[0] - share * border[0], y[1] - share * border[1], 0.0];
                    let behind = piece.behind(border, at, friction);
                    assert!(along(border, y) > 0.0, "{piece:?} is not inside its border to {behind:?}");
                    let forces = [piece, behind].map(|piece| times(&piece.projection(friction), &at));
                    // Λ_T of an open contact is nothing, as is that of a sliding one without a normal force.
                    assert!(
                        forces[0].iter().zip(forces[1]).all(|(a, b)| (a - b).abs() < 1e-15),
                        "{piece:?}, {behind:?}"
                    );
                    let back = behind.borders(friction).any(|other| {
                        other == border.map(|factor| -factor) && behind.behind(other, at, friction) == piece
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
        let crossing = path.next(&problem, 1.0, None).expect("a border");
        assert_eq!((crossing.length, crossing.behind), (1.0, Piece::Slide(1.0)));
        path.rate[1] = 0.4;
        let crossing = path.next(&problem, 1.0, None).expect("a border");
        assert_eq!(crossing.behind, Piece::Slide(-1.0));
    }

    /// One contact of this G, with y on its way from t = 1 to that of the problem.
    fn followed(friction: f64, couplings: [[f64; 2]; 2], bias: [f64; 2], lack: [f64; 2]) -> Path {
        let mut problem = Problem::default();
        problem.push(1, friction);
        problem.allocate();
        for (row, entries) in couplings.iter().enumerate() {
            entries.iter().enumerate().for_each(|(column, &entry)| problem.add_entry(row, column, entry));
            problem.set_row(row, bias[row], 0.0);
        }
        let mut system = SparseSystem::default();
        system.prepare(&problem);
        // Open at t = 1: y = −b − lack.
        let start = vec![-bias[0] - lack[0], -bias[1] - lack[1]];
        let mut path = Path {
            pieces: vec![Piece::Open],
            compliances: vec![0.0; 2],
            bias: bias.to_vec(),
            lack: lack.to_vec(),
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

    /// Friction presses the contact on more than its force relieves it: on the piece of sliding y_N = 2 t − 1 and
    /// y_T = 3/2 − 2 y_N, so that t has to grow from ½ to ¾, where y = (½, ½) sticks; then y = (8 − 10 t, 7/2 − 4 t).
    #[test]
    fn a_path_turns_where_sliding_presses_a_contact_on() {
        let path = followed(1.0, [[1.0, -2.0], [-2.0, 5.0]], [-1.0, -1.5], [2.0, 0.0]);
        assert_near(&path.y, [8.0, 3.5]);
        assert_eq!(path.pieces, [Piece::Stick]);
    }
}
