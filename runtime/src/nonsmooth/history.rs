//! What contacts did in the last step, which tells what the step did to small changes.

use crate::prelude::*;
use crate::tangent::{Acted, Struck};

/// The contact problems that were solved in a step, and the impacts that followed.
#[derive(Clone, Default)]
pub(crate) struct History {
    n_rows: usize,
    n_contacts: usize,
    /// Of each point in time of each problem: the fraction of restitution, which contacts were closed, and forces.
    within: Vec<f64>,
    /// Of each impact: the same with impulses, then velocities before, their changes and the impulses of the constraints.
    impacts: Vec<f64>,
    n_velocities: usize,
    n_constraints: usize,
    /// Whether an impact preceded the step.
    pub(super) began_with_impact: bool,
}

/// Problems of a step for which memory is reserved.
const RESERVED: usize = 8;

impl History {
    pub(super) fn new([n_contacts, n_rows]: [usize; 2], [n_velocities, n_constraints]: [usize; 2]) -> Self {
        let problem = 1 + n_contacts + n_rows;
        Self {
            n_rows,
            n_contacts,
            within: Vec::with_capacity(RESERVED * problem),
            impacts: Vec::with_capacity(RESERVED * (problem + 2 * n_velocities + n_constraints)),
            n_velocities,
            n_constraints,
            began_with_impact: false,
        }
    }

    /// Begins a step.
    pub(super) fn clear(&mut self) {
        self.within.clear();
        self.impacts.clear();
        self.began_with_impact = false;
    }

    /// Adds a problem within the step: its closed contacts, and impulses that are forces times this duration.
    pub(super) fn add(&mut self, restitution: f64, closed: &[usize], impulses: &[f64], duration: f64) {
        add(&mut self.within, self.n_contacts, restitution, closed);
        self.within.extend(impulses.iter().map(|impulse| impulse / duration));
    }

    /// Adds an impact; `solution`: changes of velocities and impulses of the constraints.
    pub(super) fn add_impact(
        &mut self,
        restitution: f64,
        closed: &[usize],
        impulses: &[f64],
        before: &[f64],
        solution: &[f64],
    ) {
        add(&mut self.impacts, self.n_contacts, restitution, closed);
        self.impacts.extend(impulses.iter().chain(before).chain(solution));
    }

    /// The problems within the step, in their order.
    pub(super) fn within(&self) -> impl Iterator<Item = Acted<'_>> {
        self.within.chunks_exact(1 + self.n_contacts + self.n_rows).map(|problem| self.acted(problem))
    }

    /// The impacts after it, in their order.
    pub(super) fn impacts(&self) -> impl Iterator<Item = Struck<'_>> {
        let problem = 1 + self.n_contacts + self.n_rows;
        self.impacts.chunks_exact(problem + 2 * self.n_velocities + self.n_constraints).map(move |impact| {
            let (acted, rest) = impact.split_at(problem);
            let (before, solution) = rest.split_at(self.n_velocities);
            let (change, impulses) = solution.split_at(self.n_velocities);
            Struck { acted: self.acted(acted), before, change, impulses }
        })
    }

    fn acted<'a>(&self, problem: &'a [f64]) -> Acted<'a> {
        let (closed, forces) = problem[1..].split_at(self.n_contacts);
        Acted { restitution: problem[0], closed, forces }
    }
}

fn add(values: &mut Vec<f64>, n_contacts: usize, restitution: f64, closed: &[usize]) {
    values.push(restitution);
    let first = values.len();
    values.resize(first + n_contacts, 0.0);
    closed.iter().for_each(|contact| values[first + contact] = 1.0);
}
