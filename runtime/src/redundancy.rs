//! Constraints that follow from others, and multipliers that are not unique.
//!
//! Where rows of G depend on each other, the motion is that under any independent set of them with the same span, and
//! `Gᵀ λ` is unique while λ is not. Schemes leave the dependent constraints out of their linear systems;
//! [`least_norm_multipliers`] spreads the forces over all of them.

use nalgebra::DVector;

use crate::model::{Model, State};
use crate::prelude::*;
use crate::random::Random;
use crate::rows::{ROUNDING, Rows};

/// A constraint depends on others if the distance of its normalized gradient to their span is below this: well above
/// the error that assembly to 1e-10 leaves in an exact dependence.
pub(crate) const DEPENDENT: f64 = 1e-7;
/// Bodies with a smaller gap touch, in the unit of the gap.
const TOUCHING: f64 = 1e-9;
/// A normalized gradient with an entry of this size of its own is independent of all others.
const OWN: f64 = 0.1;
/// Up to this many constraints, gradients are orthogonalized one by one. Beyond, dependent ones are found by sparse
/// elimination, whose work grows with the number of entries.
const ORTHOGONALIZED: usize = 300;
/// Up to this many, what elimination has found is confirmed, and found one by one where it is not right: its pivots are those
/// of an order that keeps it sparse, and tell distances only roughly where very many constraints depend on each other.
const DOUBTFUL: usize = 3000;
/// Gradients whose squared distance is below this may be dependent.
const CONFIRMED: f64 = 1e-8;
/// What is left of a normalized gradient without its part in the span of others, if it is in that.
const OUTSIDE: f64 = 1e-5;
/// Added to the diagonal of the products of gradients in sparse elimination, so that it can proceed past dependent
/// ones; larger than the rounding of thousands of terms.
const PIVOT: f64 = 1e-10;
/// Gradients whose squared distance after elimination is below this are dependent.
const LEAST_PIVOT: f64 = 1e-9;
/// The same in the solution for multipliers; further rounds remove its effect.
const DAMPING: f64 = 1e-10;
const ROUNDS: usize = 3;
/// Gradients have turned notably where an entry of a normalized one has changed by this.
const TURNED: f64 = 0.02;
/// Constraints that are kept are sought anew where one of their normalized gradients is closer than this to the span of the
/// others, and exchanged for others that are so many times farther apart.
const NEAR: f64 = 0.1;
const FARTHER: f64 = 3.0;
/// Multipliers of least norm are accepted only if their forces agree up to this fraction.
const LOST: f64 = 1e-8;

/// Indices of the constraints whose gradients depend linearly on those of others at the time and coordinates of a
/// state, in ascending order.
///
/// Multipliers are then not unique. With up to 300 constraints, each of them depends on constraints of lower index.
///
/// # Examples
/// A door in the plane whose two hinges coincide: the constraints of the second one follow from those of the first.
///
/// ```
/// # hamel::multibody! {
/// #     model Door {
/// #         planar;
/// #         gravity [0, -9.81] m/s^2;
/// #         body door { mass: 1 kg, inertia: 0.1 kg m^2 }
/// #         joint upper: revolute(ground, door);
/// #         joint lower: revolute(ground, door);
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let door = Door::default();
/// let state = hamel::initial_state(&door)?;
/// assert_eq!(hamel::redundant_constraints(&door, &state), [2, 3]);
/// # Ok(())
/// # }
/// ```
pub fn redundant_constraints(model: &dyn Model, state: &State) -> Vec<usize> {
    dependent_constraints(model, state, DEPENDENT)
}

/// Those whose normalized gradient is closer than `within` to the span of the others.
pub(crate) fn dependent_constraints(model: &dyn Model, state: &State, within: f64) -> Vec<usize> {
    let gradients = Rows::of_constraints(model, state).normalized();
    // Values that are not finite are reported where they are used.
    if gradients.rows == 0 || !gradients.is_finite() {
        return Vec::new();
    }
    dependent(gradients, within)
}

/// Contacts with friction that are closed and whose gaps constraints keep: nothing says which part of the load a contact
/// bears that way, and its friction is that of its part.
pub(crate) fn held_contacts(model: &dyn Model, state: &State) -> Vec<usize> {
    let info = model.describe();
    let mut gaps = vec![0.0; info.contacts.len()];
    model.contact_gap(state.t, state.q.as_slice(), &mut gaps);
    let mut first_row = 0;
    let normal = info.contacts.iter().map(|contact| {
        let row = first_row;
        first_row += 1 + contact.tangents;
        row
    });
    let (closed, normals): (Vec<usize>, Vec<usize>) = (normal.enumerate())
        .filter(|&(contact, _)| info.contacts[contact].tangents > 0 && gaps[contact] <= TOUCHING)
        .unzip();
    if closed.is_empty() {
        return closed;
    }
    // Each beside the constraints alone: contacts that share a load with each other are no question of constraints.
    let constraints = Rows::of_constraints(model, state);
    let contacts = Rows::of_contacts(model, state).some(&normals).transposed();
    let mut held = Vec::new();
    for (place, &contact) in closed.iter().enumerate() {
        let mut normal = vec![0.0; contacts.rows];
        contacts
            .entries
            .iter()
            .filter(|(_, column, _)| *column == place)
            .for_each(|&(row, _, value)| normal[row] = value);
        let mut rows = Rows { entries: constraints.entries.clone(), ..constraints };
        rows.append(1, &normal);
        let last = rows.rows - 1;
        let rows = rows.normalized();
        if rows.is_finite() && dependent(rows, DEPENDENT).contains(&last) {
            held.push(contact);
        }
    }
    held
}

fn dependent(gradients: Rows, within: f64) -> Vec<usize> {
    let suspects = suspects(&gradients);
    let gradients = gradients.some(&suspects);
    let dependent = match gradients.rows {
        0 => Vec::new(),
        1..=ORTHOGONALIZED => dependent_by_orthogonalization(&gradients, within),
        rows => {
            let found = dependent_by_elimination(&gradients, within);
            let is_doubtful = rows <= DOUBTFUL && !is_confirmed(&gradients, &found);
            if is_doubtful { dependent_by_orthogonalization(&gradients, within) } else { found }
        }
    };
    dependent.into_iter().map(|row| suspects[row]).collect()
}

/// The rows that are left when rows are taken away, one after the other, that have an entry of their own: one in a column
/// where no row that is left has any. Those neither depend on others nor do others depend on them, so that nothing is
/// left of the constraints of trees.
fn suspects(gradients: &Rows) -> Vec<usize> {
    let mut entries: Vec<Vec<(usize, f64)>> = vec![Vec::new(); gradients.rows];
    // How many rows that are left have an entry in a column, and the sum of their indices.
    let mut columns = vec![(0_usize, 0_usize); gradients.columns];
    for &(row, column, value) in gradients.entries.iter().filter(|(.., value)| *value != 0.0) {
        entries[row].push((column, value));
        columns[column].0 += 1;
        columns[column].1 += row;
    }
    let mut is_left = vec![true; gradients.rows];
    let mut single: Vec<usize> = (0..columns.len()).filter(|&column| columns[column].0 == 1).collect();
    while let Some(column) = single.pop() {
        let (count, row) = columns[column];
        let is_own = |&(other, value): &(usize, f64)| other == column && value.abs() >= OWN;
        if count == 1 && entries[row].iter().any(is_own) {
            is_left[row] = false;
            for &(column, _) in &entries[row] {
                columns[column].0 -= 1;
                columns[column].1 -= row;
                if columns[column].0 == 1 {
                    single.push(column);
                }
            }
        }
    }
    (0..gradients.rows).filter(|&row| is_left[row]).collect()
}

/// Gram-Schmidt: from each row its components along the previous ones are subtracted.
fn dependent_by_orthogonalization(gradients: &Rows, within: f64) -> Vec<usize> {
    let (mut basis, mut dependent): (Vec<DVector<f64>>, Vec<usize>) = (Vec::new(), Vec::new());
    for (index, mut rest) in gradients.to_vectors().into_iter().enumerate() {
        // The second round removes rounding errors of the first.
        for direction in [&basis, &basis].into_iter().flatten() {
            let along = rest.dot(direction);
            rest.axpy(-along, direction, 1.0);
        }
        let size = rest.norm();
        if size <= within {
            dependent.push(index);
        } else {
            basis.push(rest / size);
        }
    }
    dependent
}

/// The same with the row next that is farthest from the span of those before, so that those that are not dependent are as
/// independent as they can be, or nearly so.
fn dependent_by_choice(gradients: &Rows, within: f64) -> Vec<usize> {
    let mut rest: Vec<(usize, DVector<f64>)> = gradients.to_vectors().into_iter().enumerate().collect();
    while let Some((next, size)) = farthest(&rest).filter(|&(_, size)| size > within) {
        let direction = rest.swap_remove(next).1 / size;
        for (_, row) in &mut rest {
            let along = row.dot(&direction);
            row.axpy(-along, &direction, 1.0);
        }
    }
    let mut dependent: Vec<usize> = rest.into_iter().map(|(index, _)| index).collect();
    dependent.sort_unstable();
    dependent
}

/// The longest row, the first one of those that are equally long, and its length.
fn farthest(rows: &[(usize, DVector<f64>)]) -> Option<(usize, f64)> {
    let lengths = rows.iter().enumerate().map(|(place, (index, row))| (place, *index, row.norm()));
    let longest = lengths.max_by(|a, b| a.2.total_cmp(&b.2).then(b.1.cmp(&a.1)))?;
    Some((longest.0, longest.2))
}

/// How far apart normalized gradients are: the least distance of one of them to the span of those before it.
fn apart(gradients: &Rows) -> f64 {
    let squares = gradients.bordered(PIVOT).map_or_else(Vec::new, |bordered| bordered.squares());
    squares.into_iter().fold(1.0, f64::min).sqrt()
}

/// Watches constraints that are kept where others follow from them: those that are independent at the start of a motion may
/// become dependent on the way, while all of them together have the rank that they had.
#[derive(Clone)]
pub(crate) struct Kept {
    /// Entries of G when it was looked at last, by the lengths of their rows, and now.
    looked_at: Vec<f64>,
    now: Vec<f64>,
    lengths: Vec<f64>,
    /// How far apart the constraints were that were kept when better ones were sought last.
    sought: f64,
}

impl Kept {
    pub(crate) fn new(model: &dyn Model) -> Self {
        let jacobian = &model.describe().constraint_jacobian;
        let nothing = vec![0.0; jacobian.nnz()];
        Self { looked_at: nothing.clone(), now: nothing, lengths: vec![0.0; jacobian.rows], sought: 1.0 }
    }

    /// Whether gradients have turned notably since they were looked at.
    fn have_turned(&mut self, model: &dyn Model, state: &State) -> bool {
        let Self { looked_at, now, lengths, .. } = self;
        model.constraint_jacobian(state.t, state.q.as_slice(), now);
        let pattern = &model.describe().constraint_jacobian;
        lengths.fill(0.0);
        pattern.entries().zip(&*now).for_each(|((row, _), value)| lengths[row] += value * value);
        lengths
            .iter_mut()
            .for_each(|length| *length = if *length > ROUNDING * ROUNDING { length.sqrt() } else { f64::INFINITY });
        pattern.entries().zip(&mut *now).for_each(|((row, _), value)| *value /= lengths[row]);
        looked_at.iter().zip(&*now).any(|(old, new)| (new - old).abs() > TURNED)
    }

    /// Other constraints to leave out, where those that are kept are about to become dependent and others are not.
    pub(crate) fn exchanged(&mut self, model: &dyn Model, state: &State, left_out: &[usize]) -> Option<Vec<usize>> {
        if left_out.is_empty() || !self.have_turned(model, state) {
            return None;
        }
        self.looked_at.copy_from_slice(&self.now);
        let gradients = || Rows::of_constraints(model, state).normalized();
        let all = gradients();
        if !all.is_finite() {
            return None;
        }
        let rows = all.rows;
        let without = |left_out: &[usize]| {
            let kept: Vec<usize> = (0..rows).filter(|row| left_out.binary_search(row).is_err()).collect();
            apart(&gradients().some(&kept))
        };
        let distance = without(left_out);
        if distance > NEAR {
            self.sought = 1.0;
            return None;
        }
        let suspects = suspects(&all);
        if FARTHER * distance > self.sought && self.sought < 1.0 || suspects.len() > ORTHOGONALIZED {
            return None;
        }
        self.sought = distance;
        let chosen = dependent_by_choice(&all.some(&suspects), DEPENDENT);
        let chosen: Vec<usize> = chosen.into_iter().map(|row| suspects[row]).collect();
        (chosen != left_out && without(&chosen) > FARTHER * distance).then(|| {
            self.sought = 1.0;
            chosen
        })
    }
}

fn dependent_by_elimination(gradients: &Rows, within: f64) -> Vec<usize> {
    let squares = gradients.bordered(PIVOT).map_or_else(Vec::new, |bordered| bordered.squares());
    let least = LEAST_PIVOT.max(within * within);
    squares.into_iter().enumerate().filter(|(_, square)| *square <= least).map(|(row, _)| row).collect()
}

/// Whether these rows are in the span of the others, which are independent.
fn is_confirmed(gradients: &Rows, dependent: &[usize]) -> bool {
    let kept: Vec<usize> = (0..gradients.rows).filter(|row| dependent.binary_search(row).is_err()).collect();
    let kept = gradients.clone().some(&kept);
    // What dependent rows make of some forces is as large as the inverse of the pivot allows.
    let mut random = Random(1);
    let any = DVector::from_fn(kept.rows, |_, _| random.next());
    let Some(mut independent) = kept.bordered(PIVOT) else { return false };
    if independent.solve(&any).1.norm() * CONFIRMED > any.norm() {
        return false;
    }
    let forces = kept.transposed();
    let Some(mut span) = forces.bordered(DAMPING) else { return false };
    gradients.clone().some(dependent).to_vectors().into_iter().all(|mut rest| {
        for _ in 0..ROUNDS {
            rest -= forces.times(&span.shortest(&rest));
        }
        rest.amax() <= OUTSIDE
    })
}

/// Replaces the multipliers of a state by those of least norm with the same forces `Gᵀ λ`.
///
/// If constraints are independent, the multipliers do not change, up to rounding.
///
/// # Examples
/// A door in the plane whose two hinges coincide: if the first one carries the whole weight, least norm gives a half
/// to each.
///
/// ```
/// # hamel::multibody! {
/// #     model Door {
/// #         planar;
/// #         gravity [0, -9.81] m/s^2;
/// #         body door { mass: 1 kg, inertia: 0.1 kg m^2 }
/// #         joint upper: revolute(ground, door);
/// #         joint lower: revolute(ground, door);
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let door = Door::default();
/// let mut state = hamel::initial_state(&door)?;
/// let both = state.lambda[1] + state.lambda[3];
/// assert!((both.abs() - 9.81).abs() < 1e-9);
/// state.lambda.copy_from_slice(&[0.0, both, 0.0, 0.0]);
/// hamel::least_norm_multipliers(&door, &mut state);
/// assert!((state.lambda[1] - 0.5 * both).abs() < 1e-9 && (state.lambda[3] - 0.5 * both).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
pub fn least_norm_multipliers(model: &dyn Model, state: &mut State) {
    let forces = Rows::of_constraints(model, state).transposed();
    let given = forces.times(&state.lambda);
    let size = forces.entries.iter().fold(0.0_f64, |size, (.., value)| size.max(value.abs()));
    let Some(mut bordered) = forces.bordered(DAMPING * size * size).filter(|_| forces.columns > 0) else { return };
    let mut found = DVector::zeros(forces.columns);
    for _ in 0..ROUNDS {
        found += bordered.shortest(&(&given - forces.times(&found)));
    }
    // The damped system may lose forces; then the multipliers are kept.
    if (&given - forces.times(&found)).amax() <= LOST * given.amax() {
        state.lambda.copy_from(&found);
    }
}

/// Gives the forces of constraints that are left out to the others: equations do not change the multipliers of those, which
/// would press on in directions that turn, against the others.
pub(crate) fn without_multipliers(model: &dyn Model, state: &mut State, left_out: &[usize]) {
    if left_out.iter().all(|&row| state.lambda[row] == 0.0) {
        return;
    }
    let given = Rows::of_constraints(model, state).transposed().times(&state.lambda);
    let kept: Vec<usize> = (0..state.lambda.len()).filter(|row| left_out.binary_search(row).is_err()).collect();
    let rows = Rows::of_constraints(model, state).some(&kept).transposed();
    state.lambda.fill(0.0);
    if let Some(found) = rows.minimum_norm_solution(&given) {
        kept.iter().zip(&found).for_each(|(&row, multiplier)| state.lambda[row] = *multiplier);
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::random::Random;

    /// The third row is the sum of the first two, the last one twice the fourth.
    #[test]
    fn dependent_rows_are_found_either_way() {
        let entries = [(0, 0, 1.0), (0, 1, 2.0), (1, 2, 1.0), (3, 3, 0.5), (3, 0, 1.0), (4, 3, 1.0), (4, 0, 2.0)];
        let sum = [(2, 0, 1.0), (2, 1, 2.0), (2, 2, 1.0)];
        let gradients = || Rows { rows: 5, columns: 4, entries: entries.into_iter().chain(sum).collect() }.normalized();
        assert_eq!(dependent_by_orthogonalization(&gradients(), 1e-9), [2, 4]);
        // One row of each group is eliminated last.
        let eliminated = dependent_by_elimination(&gradients(), 1e-9);
        assert!(matches!(eliminated[..], [0..=2, 3 | 4]), "{eliminated:?}");
    }

    /// Rows of a chain go one after the other, from both of its ends to where others depend on each other.
    #[test]
    fn rows_with_entries_of_their_own_are_not_suspected() {
        let chain = (0..6).flat_map(|row| [(row, row, 0.6), (row, row + 1, 0.8)]);
        let suspects = |more: &[(usize, usize, f64)]| {
            let entries = chain.clone().chain(more.iter().copied()).collect();
            suspects(&Rows { rows: 6 + more.len(), columns: 7, entries })
        };
        assert!(suspects(&[]).is_empty());
        assert_eq!(suspects(&[(6, 3, 1.0)]), [] as [usize; 0]);
        // Two rows that hold the same column, or too little of one, and what lies between them.
        assert_eq!(suspects(&[(6, 3, 1.0), (7, 3, 1.0)]), [6, 7]);
        assert_eq!(suspects(&[(6, 2, 1.0), (7, 4, 1.0)]), [2, 3, 6, 7]);
        assert_eq!(suspects(&[(6, 0, 1.0), (7, 6, 1.0)]), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    /// However rows are mixed, those that are found dependent are as many as the rank lacks.
    #[test]
    fn as_many_rows_are_dependent_as_the_rank_lacks() {
        let mut random = Random(11);
        for trial in 0..200 {
            let columns = 8;
            let mut dense = DMatrix::zeros(10, columns);
            for row in 0..10 {
                let sum = dense.row(row / 2) * 0.5 - dense.row(row / 3) * 2.0;
                match random.next() < -0.2 {
                    true => dense.set_row(row, &sum),
                    false => (0..2).for_each(|_| {
                        let column = (4.0 * (1.0 + random.next())) as usize;
                        dense[(row, column)] = 1.5 + random.next();
                    }),
                }
            }
            let entries = |(row, column)| (row, column, dense[(row, column)]);
            let entries = (0..10).flat_map(|row| (0..columns).map(move |column| (row, column))).map(entries).collect();
            let gradients = Rows { rows: 10, columns, entries }.normalized();
            let found = dependent(gradients, DEPENDENT);
            assert_eq!(found.len(), 10 - dense.rank(1e-9), "trial {trial}: {found:?} of {dense}");
        }
    }

    /// Two directions are as near as the sine of the angle between them, which elimination knows up to a small factor.
    #[test]
    fn rows_are_dependent_within_an_angle() {
        let (sine, cosine) = 0.01_f64.sin_cos();
        let entries = vec![(0, 0, 3.0), (1, 0, cosine), (1, 1, sine), (2, 2, 1.0)];
        let gradients = Rows { rows: 3, columns: 3, entries }.normalized();
        for (within, expected) in [(1e-9, &[][..]), (1e-3, &[]), (0.1, &[1])] {
            assert_eq!(dependent_by_orthogonalization(&gradients, within), expected, "{within}");
            assert_eq!(dependent_by_elimination(&gradients, within), expected, "{within}");
        }
    }
}
