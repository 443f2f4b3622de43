//! Partial derivatives of the unit: products of the matrices of a state with seeds, from either side.

use hamel::linearize::FirstOrder;

use crate::instance::Fault;
use crate::variables::{Place, Variables};

/// A row or a column of the derivatives.
#[derive(Clone, Copy)]
enum Index {
    /// Of the states, or of their derivatives.
    State(usize),
    /// Of the inputs, or of the outputs.
    Port(usize),
    /// A state that is asked for as an output.
    Itself(usize),
}

/// Directional derivatives `J s` of unknowns by knowns, or adjoint ones `Jᵀ s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The seed has a number a known, the result one an unknown.
    Directional,
    /// The seed has a number an unknown, the result one a known.
    Adjoint,
}

/// The product at a state with these derivatives.
pub(crate) fn product(
    first: &FirstOrder,
    variables: &Variables,
    [unknowns, knowns]: [&[u32]; 2],
    side: Side,
    seed: &[f64],
    result: &mut [f64],
) -> Result<(), Fault> {
    let lengths = match side {
        Side::Directional => [knowns.len(), unknowns.len()],
        Side::Adjoint => [unknowns.len(), knowns.len()],
    };
    if [seed.len(), result.len()] != lengths {
        let [given, filled] = lengths;
        return Err(Fault::new(format!(
            "a seed of {} numbers and room for {}, expected {given} and {filled}",
            seed.len(),
            result.len()
        )));
    }
    let rows = unknowns.iter().map(|&reference| row(variables, reference)).collect::<Result<Vec<_>, _>>()?;
    let columns = knowns.iter().map(|&reference| column(variables, reference)).collect::<Result<Vec<_>, _>>()?;
    result.fill(0.0);
    for (i, &row) in rows.iter().enumerate() {
        for (j, &column) in columns.iter().enumerate() {
            let entry = entry(first, row, column);
            match side {
                Side::Directional => result[i] += entry * seed[j],
                Side::Adjoint => result[j] += entry * seed[i],
            }
        }
    }
    Ok(())
}

fn entry(first: &FirstOrder, row: Index, column: Index) -> f64 {
    match (row, column) {
        (Index::State(i), Index::State(j)) => first.a[(i, j)],
        (Index::State(i), Index::Port(j)) => first.b[(i, j)],
        (Index::Port(i), Index::State(j)) => first.c[(i, j)],
        (Index::Port(i), Index::Port(j)) => first.d[(i, j)],
        (Index::Itself(i), Index::State(j)) => f64::from(u8::from(i == j)),
        (Index::Itself(_), _) | (_, Index::Itself(_)) => 0.0,
    }
}

/// Of a derivative of a state, or an output.
fn row(variables: &Variables, reference: u32) -> Result<Index, Fault> {
    let variable = variables.known(reference)?;
    match variable.place {
        Place::Derivative(i) => Ok(Index::State(i)),
        Place::State(i) => Ok(Index::Itself(i)),
        Place::Column(i) if variable.is_output() => Ok(Index::Port(i - variables.first_output)),
        _ => Err(Fault::new(format!("`{}` is neither an output nor a derivative of a state", variable.name))),
    }
}

/// Of a state or an input.
fn column(variables: &Variables, reference: u32) -> Result<Index, Fault> {
    let variable = variables.known(reference)?;
    match variable.place {
        Place::State(i) => Ok(Index::State(i)),
        Place::Input(i) => Ok(Index::Port(i)),
        _ => Err(Fault::new(format!("`{}` is neither a state nor an input", variable.name))),
    }
}
