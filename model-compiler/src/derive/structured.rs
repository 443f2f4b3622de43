//! Derivatives of inverse dynamics by recursion over the links, in closed form. [Singh, Russell, Wensing 2022]
//!
//! A displacement along a column S of joint j turns the motion of the parent as expressed in link j: in its axes the
//! parent's velocity changes by Ψ̇ = v_p × S and its acceleration by Ψ̈ = a_p × S + v_p × Ψ̇, the same for all links
//! beyond. The resulting forces follow from the inertia I and the Coriolis matrix B of all that the joint carries:
//!
//! ∂τ_i/∂q_j = S_iᵀ (2B_i Ψ̇_j + I_i Ψ̈_j), ∂τ_j/∂q_i = S_jᵀ (2B_i Ψ̇_i + I_i Ψ̈_i + S_i ×* f_i),
//! ∂τ_i/∂v_j = S_iᵀ (2B_i S_j + I_i (Ψ̇_j + Ṡ_j)), ∂τ_j/∂v_i likewise without f, for j between i and the ground.
//!
//! 2B w = 2 ∫ (w × ṙ, ρ × (w × ṙ)) dm depends only on the angular part of its argument, so that it is given by the
//! momentum ∫ ṙ dm and the dyad ∫ ρ ṙᵀ dm: twelve numbers that are summed up the tree. All vectors are in link axes,
//! where columns are unit vectors. Not here: joints whose columns depend on their coordinates, see [`is_possible`].

use super::kernel::{Derivatives, KernelBuilder};
use super::links::{Link, Links, rigid_acceleration};
use super::tree::{self, Inertia, add_to};
use crate::expr::{ExprId, Graph};
use crate::spatial::{self, Matrix3, Vector3, Wrench};

/// Angular and linear part of a velocity, an acceleration or a column, at the link's origin.
#[derive(Clone, Copy)]
pub(super) struct Twist {
    pub angular: Vector3,
    pub linear: Vector3,
}

/// 2B of a link with all links that it carries: twice the momentum, and twice ∫ ρ ṙᵀ dm about the link's origin.
#[derive(Clone)]
pub(super) struct Coriolis {
    momentum: Vector3,
    dyad: Matrix3,
}

/// The motion of the parent, in the link's axes at the link's origin.
struct Carried {
    velocity: Twist,
    angular_acceleration: Vector3,
    acceleration: Vector3,
}

/// A column of a joint and the effects of a displacement along it.
pub(super) struct Column {
    pub velocity: usize,
    /// S.
    pub direction: Twist,
    /// Ψ̇.
    pub rate: Twist,
    /// Ψ̈.
    pub acceleration: Twist,
    /// Ψ̇ + Ṡ.
    pub both_rates: Twist,
}

/// Whether the columns of each joint are constant in its link's axes, and each link turns with its parent.
pub(super) fn is_possible(links: &Links) -> bool {
    links.links.iter().all(|link| link.turns_with_parent && link.has_constant_columns)
}

/// The derivatives at accelerations `a`; `base` is the acceleration of the ground, minus gravity.
pub(super) fn derivatives(
    graph: &mut Graph,
    links: &Links,
    inertias: &[Inertia],
    base: Vector3,
    a: &[ExprId],
) -> Derivatives {
    let nv = a.len();
    let accelerations = tree::accelerations(graph, links, base, a);
    let mut wrenches = tree::inertia_wrenches(graph, links, inertias, &accelerations);
    tree::transmit(graph, links, &mut wrenches, nv);
    let composites = tree::composites(graph, links, inertias);
    let coriolis = composite_coriolis(graph, links, inertias, &velocities(links));
    let columns = all_columns(graph, links, base, &accelerations);

    let empty = vec![vec![graph.zero(); nv]; nv];
    let mut result = Derivatives { mass_matrix: empty.clone(), by_position: empty.clone(), by_velocity: empty };
    for index in 0..links.links.len() {
        let parts = (&composites[index], &coriolis[index], wrenches[index]);
        for i in 0..columns[index].len() {
            subtree(graph, links, &columns, (index, i), parts, &mut result);
        }
    }
    result
}

/// Accelerations by coordinates and by velocities, column by column, of joints on the ground that move all they carry with
/// columns of their own: where a displacement or a velocity changes the acceleration of the whole by a multiple of these
/// columns, the joint's own accelerations cancel it, and nothing else changes. So gravity turns with a free base, and so
/// its velocity turns.
pub(super) fn cancelled_at_roots(
    graph: &mut Graph,
    links: &Links,
    base: Vector3,
    nv: usize,
) -> [Vec<Option<Vec<ExprId>>>; 2] {
    let mut found = [vec![None; nv], vec![None; nv]];
    for (index, link) in links.links.iter().enumerate().filter(|(_, link)| link.parent.is_none()) {
        let carried = carried(graph, links, index, base, &[]);
        let columns = columns(graph, link, &carried);
        for column in &columns {
            let is_still = [column.rate.angular, column.rate.linear].concat().iter().all(|&rate| graph.is_zero(rate));
            if is_still {
                found[0][column.velocity] = cancelled(graph, &columns, &column.acceleration, nv);
            }
            if column.direction.angular.iter().all(|&entry| graph.is_zero(entry)) {
                found[1][column.velocity] = cancelled(graph, &columns, &column.both_rates, nv);
            }
        }
    }
    found
}

/// Accelerations along unit columns that cancel an acceleration of the whole; nothing if they cannot.
fn cancelled(graph: &mut Graph, columns: &[Column], acceleration: &Twist, nv: usize) -> Option<Vec<ExprId>> {
    let (zero, one) = (graph.zero(), graph.one());
    let mut result = vec![zero; nv];
    for (place, value) in [acceleration.angular, acceleration.linear].concat().into_iter().enumerate() {
        if graph.is_zero(value) {
            continue;
        }
        let is_along = |column: &&Column| {
            let entries = [column.direction.angular, column.direction.linear].concat();
            entries.iter().enumerate().all(|(k, &entry)| entry == if k == place { one } else { zero })
        };
        result[columns.iter().find(is_along)?.velocity] = graph.neg(value);
    }
    Some(result)
}

/// C = ∑ Jᵀ (I J̇ + B J), with C v = h and Ṁ = C + Cᵀ: C_ij = S_iᵀ (I Ṡ_j + B S_j) with the inertias of all that the
/// joint farther from the ground carries. [Echeandia, Wensing 2021]
///
/// In space, where each link turns with its parent.
pub(super) fn coriolis_matrix(builder: &mut KernelBuilder, links: &Links, inertias: &[Inertia]) -> Vec<Vec<ExprId>> {
    let columns: Vec<Vec<(Twist, Twist)>> = links.links.iter().map(|link| columns_and_rates(builder, link)).collect();
    let nv = builder.n_velocities();
    let graph = &mut builder.graph;
    let composites = tree::composites(graph, links, inertias);
    let coriolis = composite_coriolis(graph, links, inertias, &velocities(links));
    let half = graph.ratio(1, 2);
    let mut result = vec![vec![graph.zero(); nv]; nv];
    for index in 0..links.links.len() {
        for (i, (direction, rate)) in columns[index].iter().enumerate() {
            let row = links.links[index].first_velocity + i;
            let mut momentum = composites[index].wrench(graph, direction.angular, direction.linear);
            let by_spin = coriolis[index].projected(graph, direction);
            let mut by_spin = spatial::scale(graph, half, by_spin);
            let spin = spatial::scale(graph, half, direction.angular);
            let mut moving = response(graph, &composites[index], &coriolis[index], spin, rate);
            let mut at = index;
            loop {
                let link = &links.links[at];
                for (j, (direction, rate)) in columns[at].iter().enumerate() {
                    let other = link.first_velocity + j;
                    let spun = spatial::dot(graph, by_spin, direction.angular);
                    let pushed = project(graph, rate, &momentum);
                    let value = graph.add(spun, pushed);
                    add_to(graph, &mut result, (row, other), value);
                    if at != index {
                        let value = project(graph, direction, &moving);
                        add_to(graph, &mut result, (other, row), value);
                    }
                }
                let Some(parent) = link.parent else { break };
                momentum = lifted(graph, link, momentum);
                moving = lifted(graph, link, moving);
                by_spin = link.up(graph, by_spin);
                at = parent.0;
            }
        }
    }
    result
}

/// The columns S of a joint and Ṡ, in the link's axes.
fn columns_and_rates(builder: &mut KernelBuilder, link: &Link) -> Vec<(Twist, Twist)> {
    let own = Twist { angular: link.angular_velocity, linear: link.velocity };
    (0..link.angular.len())
        .map(|i| {
            let linear = match link.linear_in_own_axes {
                true => link.linear[i],
                false => link.down(&mut builder.graph, link.linear[i]),
            };
            let direction = Twist { angular: link.angular[i], linear };
            let mut rate = cross(&mut builder.graph, &own, &direction);
            if !link.has_constant_columns {
                let seen = builder.convective(&[direction.angular, direction.linear].concat());
                rate.angular = spatial::add(&mut builder.graph, rate.angular, [seen[0], seen[1], seen[2]]);
                rate.linear = spatial::add(&mut builder.graph, rate.linear, [seen[3], seen[4], seen[5]]);
            }
            (direction, rate)
        })
        .collect()
}

/// Fills the rows and columns of one column S_i against its own joint and all between it and the ground.
fn subtree(
    graph: &mut Graph,
    links: &Links,
    columns: &[Vec<Column>],
    (index, i): (usize, usize),
    (inertia, coriolis, transmitted): (&Inertia, &Coriolis, Wrench),
    result: &mut Derivatives,
) {
    let own = &columns[index][i];
    let row = own.velocity;
    // Rows of τ_i: S_iᵀ I_i and S_iᵀ 2B_i. Columns of τ_j: the effect of displacement and velocity of i on the links
    // beyond.
    let mut momentum = inertia.wrench(graph, own.direction.angular, own.direction.linear);
    let mut by_spin = coriolis.projected(graph, &own.direction);
    let mut displaced = response(graph, inertia, coriolis, own.rate.angular, &own.acceleration);
    let mut moving = response(graph, inertia, coriolis, own.direction.angular, &own.both_rates);

    let mut at = index;
    loop {
        let link = &links.links[at];
        for column in &columns[at] {
            let other = column.velocity;
            let (spun, pushed) =
                (spatial::dot(graph, by_spin, column.rate.angular), project(graph, &column.acceleration, &momentum));
            let value = graph.add(spun, pushed);
            add_to(graph, &mut result.by_position, (row, other), value);
            let (spun, pushed) =
                (spatial::dot(graph, by_spin, column.direction.angular), project(graph, &column.both_rates, &momentum));
            let value = graph.add(spun, pushed);
            add_to(graph, &mut result.by_velocity, (row, other), value);
            if at != index || other <= row {
                let value = project(graph, &column.direction, &momentum);
                add_to(graph, &mut result.mass_matrix, (row, other), value);
                if at != index || other != row {
                    add_to(graph, &mut result.mass_matrix, (other, row), value);
                }
            }
            if at != index {
                let value = project(graph, &column.direction, &displaced);
                add_to(graph, &mut result.by_position, (other, row), value);
                let value = project(graph, &column.direction, &moving);
                add_to(graph, &mut result.by_velocity, (other, row), value);
            }
        }
        let Some(parent) = link.parent else { break };
        if at == index {
            // The wrench that the joint transmits turns with the displacement.
            let turned = cross_wrench(graph, &own.direction, &transmitted);
            displaced = sum(graph, &displaced, &turned);
        }
        momentum = lifted(graph, link, momentum);
        displaced = lifted(graph, link, displaced);
        moving = lifted(graph, link, moving);
        by_spin = link.up(graph, by_spin);
        at = parent.0;
    }
}

/// 2B (w, ·) + I δ.
pub(super) fn response(graph: &mut Graph, inertia: &Inertia, coriolis: &Coriolis, spin: Vector3, by: &Twist) -> Wrench {
    let carried = coriolis.applied(graph, spin);
    let accelerated = inertia.wrench(graph, by.angular, by.linear);
    sum(graph, &carried, &accelerated)
}

/// A wrench about the link's origin, in its axes → about the parent's, in the parent's.
pub(super) fn lifted(graph: &mut Graph, link: &Link, wrench: Wrench) -> Wrench {
    tree::pass_up(graph, link, wrench, |_, _| {})
}

/// The columns of all joints.
pub(super) fn all_columns(
    graph: &mut Graph,
    links: &Links,
    base: Vector3,
    accelerations: &[(Vector3, Vector3)],
) -> Vec<Vec<Column>> {
    let of_link = |index: usize| {
        let carried = carried(graph, links, index, base, accelerations);
        columns(graph, &links.links[index], &carried)
    };
    (0..links.links.len()).map(of_link).collect()
}

fn carried(
    graph: &mut Graph,
    links: &Links,
    index: usize,
    base: Vector3,
    accelerations: &[(Vector3, Vector3)],
) -> Carried {
    let link = &links.links[index];
    let zero = spatial::zero(graph);
    let (omega, velocity, alpha, acceleration) = match link.parent {
        None => (zero, zero, zero, base),
        Some(parent) => {
            let above = &links.links[parent.0];
            let (alpha, acceleration) = accelerations[parent.0];
            (above.angular_velocity, above.velocity, alpha, acceleration)
        }
    };
    let turning = spatial::cross(graph, omega, link.offset);
    let velocity = spatial::add(graph, velocity, turning);
    let acceleration = rigid_acceleration(graph, acceleration, alpha, omega, link.offset);
    Carried {
        velocity: Twist { angular: link.down(graph, omega), linear: link.down(graph, velocity) },
        angular_acceleration: link.down(graph, alpha),
        acceleration: link.down(graph, acceleration),
    }
}

fn columns(graph: &mut Graph, link: &Link, carried: &Carried) -> Vec<Column> {
    let own = Twist { angular: link.angular_velocity, linear: link.velocity };
    (0..link.angular.len())
        .map(|i| {
            let direction = Twist { angular: link.angular[i], linear: link.linear[i] };
            let rate = cross(graph, &carried.velocity, &direction);
            let own_rate = cross(graph, &own, &direction);
            let both_rates = Twist {
                angular: spatial::add(graph, rate.angular, own_rate.angular),
                linear: spatial::add(graph, rate.linear, own_rate.linear),
            };
            let acceleration = displaced_acceleration(graph, carried, &direction, &rate);
            Column { velocity: link.first_velocity + i, direction, rate, acceleration, both_rates }
        })
        .collect()
}

/// Ψ̈ with the acceleration of the point in place of the spatial one: for S = (w, s) and v_p = (ω, u) it is
/// (α × w + ω × (ω × w), α × s + ω × (ω × s) + a × w + 2 u × (ω × w)).
fn displaced_acceleration(graph: &mut Graph, carried: &Carried, direction: &Twist, rate: &Twist) -> Twist {
    let Twist { angular: omega, linear: u } = carried.velocity;
    let mut turned = |x: Vector3| {
        let zero = spatial::zero(graph);
        rigid_acceleration(graph, zero, carried.angular_acceleration, omega, x)
    };
    let (angular, along) = (turned(direction.angular), turned(direction.linear));
    let two = graph.integer(2);
    let coriolis = spatial::cross(graph, u, rate.angular);
    let coriolis = spatial::scale(graph, two, coriolis);
    let swung = spatial::cross(graph, carried.acceleration, direction.angular);
    let sum = spatial::add(graph, swung, coriolis);
    Twist { angular, linear: spatial::add(graph, along, sum) }
}

/// Velocities of all links.
pub(super) fn velocities(links: &Links) -> Vec<Twist> {
    links.links.iter().map(|link| Twist { angular: link.angular_velocity, linear: link.velocity }).collect()
}

/// 2B of each link with all that it carries, where the links move with these velocities.
pub(super) fn composite_coriolis(
    graph: &mut Graph,
    links: &Links,
    inertias: &[Inertia],
    moving: &[Twist],
) -> Vec<Coriolis> {
    let mut composites: Vec<Coriolis> =
        moving.iter().zip(inertias).map(|(moving, inertia)| Coriolis::of(graph, moving, inertia)).collect();
    for &index in links.order.iter().rev() {
        let link = &links.links[index];
        let Some(parent) = link.parent else { continue };
        let above = composites[index].lifted(graph, link);
        let sum = &mut composites[parent.0];
        sum.momentum = spatial::add(graph, sum.momentum, above.momentum);
        for (row, more) in sum.dyad.iter_mut().zip(above.dyad) {
            *row = spatial::add(graph, *row, more);
        }
    }
    composites
}

impl Coriolis {
    /// Of one body: ∫ ṙ dm = m u + ω × h; row a of ∫ ρ ṙᵀ dm is h_a u + ω × Σ_a, with Σ = ∫ ρ ρᵀ dm = ½ tr(J) 1 − J.
    pub fn of(graph: &mut Graph, moving: &Twist, inertia: &Inertia) -> Self {
        let two = graph.integer(2);
        let Twist { angular: omega, linear: u } = *moving;
        let mass = graph.mul(two, inertia.mass);
        let first = spatial::scale(graph, two, inertia.first_moment);
        let (carried, turning) = (spatial::scale(graph, mass, u), spatial::cross(graph, omega, first));
        let trace = {
            let sum = graph.add(inertia.second_moment[0][0], inertia.second_moment[1][1]);
            graph.add(sum, inertia.second_moment[2][2])
        };
        let dyad = std::array::from_fn(|a| {
            let minus_twice = spatial::scale(graph, two, inertia.second_moment[a]);
            let mut doubled = spatial::neg(graph, minus_twice);
            doubled[a] = graph.add(doubled[a], trace);
            let (carried, turning) = (spatial::scale(graph, first[a], u), spatial::cross(graph, omega, doubled));
            spatial::add(graph, carried, turning)
        });
        Self { momentum: spatial::add(graph, carried, turning), dyad }
    }

    /// About the parent's origin, in the parent's axes: ρ grows by the offset.
    fn lifted(&self, graph: &mut Graph, link: &Link) -> Self {
        let momentum = link.up(graph, self.momentum);
        let mut dyad = self.dyad;
        for rotation in link.rotations() {
            dyad = spatial::rotate_dyad(graph, rotation, &dyad);
        }
        let dyad = std::array::from_fn(|a| {
            let shift = spatial::scale(graph, link.offset[a], momentum);
            spatial::add(graph, dyad[a], shift)
        });
        Self { momentum, dyad }
    }

    /// 2B (w, ·): force w × p, torque tr(W) w − Wᵀ w.
    pub fn applied(&self, graph: &mut Graph, w: Vector3) -> Wrench {
        let columns = spatial::transpose(&self.dyad);
        let torque = self.minus_trace(graph, &columns, w);
        Wrench { force: spatial::cross(graph, w, self.momentum), torque }
    }

    /// Sᵀ 2B for S = (w, s): tr(W) w − W w + p × s.
    pub fn projected(&self, graph: &mut Graph, direction: &Twist) -> Vector3 {
        let turning = self.minus_trace(graph, &self.dyad, direction.angular);
        let pushed = spatial::cross(graph, self.momentum, direction.linear);
        spatial::add(graph, turning, pushed)
    }

    /// tr(W) w − A w with A = W or Wᵀ; part of the diagonal cancels before the multiplications.
    fn minus_trace(&self, graph: &mut Graph, rows: &Matrix3, w: Vector3) -> Vector3 {
        std::array::from_fn(|a| {
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            let rest = graph.add(self.dyad[b][b], self.dyad[c][c]);
            let own = graph.mul(rest, w[a]);
            let other = graph.dot(&[rows[a][b], rows[a][c]], &[w[b], w[c]]);
            graph.sub(own, other)
        })
    }
}

/// v × S of motions.
pub(super) fn cross(graph: &mut Graph, v: &Twist, s: &Twist) -> Twist {
    let (along, swung) = (spatial::cross(graph, v.angular, s.linear), spatial::cross(graph, v.linear, s.angular));
    Twist { angular: spatial::cross(graph, v.angular, s.angular), linear: spatial::add(graph, along, swung) }
}

/// S ×* f.
pub(super) fn cross_wrench(graph: &mut Graph, s: &Twist, wrench: &Wrench) -> Wrench {
    let (turned, swung) =
        (spatial::cross(graph, s.angular, wrench.torque), spatial::cross(graph, s.linear, wrench.force));
    Wrench { force: spatial::cross(graph, s.angular, wrench.force), torque: spatial::add(graph, turned, swung) }
}

/// S · F.
pub(super) fn project(graph: &mut Graph, s: &Twist, wrench: &Wrench) -> ExprId {
    let (turning, pushing) =
        (spatial::dot(graph, s.angular, wrench.torque), spatial::dot(graph, s.linear, wrench.force));
    graph.add(turning, pushing)
}

pub(super) fn sum(graph: &mut Graph, a: &Wrench, b: &Wrench) -> Wrench {
    Wrench { force: spatial::add(graph, a.force, b.force), torque: spatial::add(graph, a.torque, b.torque) }
}
