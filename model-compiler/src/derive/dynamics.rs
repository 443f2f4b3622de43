//! Inverse and forward dynamics of a tree, and their derivatives, at any accelerations or forces.
//!
//! Forward dynamics solves with the mass matrix, whose factor is as sparse as the tree is branched, or uses articulated
//! bodies, which is shorter for long chains. Of several derivations of a function the callers keep the one with the
//! fewest operations.

use super::added_mass::MovedWater;
use super::articulated;
use super::factorization::Factorization;
use super::kernel::{Derivatives, KernelBuilder};
use super::links::Links;
use super::motion::KernelScope;
use super::regressor;
use super::second_derivatives::{self, Blocks};
use super::structured;
use super::tree::{self, Inertia};
use crate::expr::{ExprId, Graph};
use crate::space::Space;
use crate::spatial::{self, Vector3, Wrench};

/// Applied forces other than gravity: wrenches on the links, forces on coordinates, and their potential.
pub(super) struct Applied {
    pub wrenches: Vec<Option<Wrench>>,
    pub generalized: Vec<(usize, ExprId)>,
    pub potential: Option<ExprId>,
    pub powers: Vec<ExprId>,
}

impl Applied {
    /// Of all forces of the model but gravity.
    pub fn new(scope: &mut KernelScope, links: &Links) -> Self {
        let wrenches = vec![None; links.links.len()];
        let mut applied = Self { wrenches, generalized: Vec::new(), potential: None, powers: Vec::new() };
        for force in &scope.system.forces {
            let (action, ends) = scope.act(force);
            for ((frame, point), wrench) in force.frames.iter().zip(ends).zip(action.wrenches) {
                let Some(body) = frame.body else { continue };
                let [push, turn] =
                    [wrench.force, wrench.torque].map(|vector| links.in_working_axes(scope, body, vector));
                let graph = &mut scope.builder.graph;
                let arm = links.arm(graph, body, point);
                let moment = spatial::cross(graph, arm, push);
                let torque = spatial::add(graph, turn, moment);
                let slot = &mut applied.wrenches[body.0];
                *slot = Some(match slot.take() {
                    None => Wrench { force: push, torque },
                    Some(sum) => Wrench {
                        force: spatial::add(graph, sum.force, push),
                        torque: spatial::add(graph, sum.torque, torque),
                    },
                });
            }
            if let (Some((joint, index)), Some(value)) = (force.coordinate, action.generalized)
                && let Some(link) = links.links.iter().find(|link| link.joint == joint)
            {
                let graph = &mut scope.builder.graph;
                let value = link.ratio.map_or(value, |ratio| graph.mul(ratio, value));
                applied.generalized.push((link.first_velocity + index, value));
            }
            applied.powers.extend(action.power);
            if let Some(energy) = action.potential {
                let graph = &mut scope.builder.graph;
                applied.potential = Some(applied.potential.map_or(energy, |sum| graph.add(sum, energy)));
            }
        }
        applied
    }
}

/// A tree under its applied forces.
pub(super) struct Dynamics<'t> {
    links: &'t Links,
    inertias: &'t [Inertia],
    gravity: Option<Vector3>,
    /// Applied forces other than gravity.
    applied: &'t Applied,
    /// Added mass, which the recursions over rigid bodies do not include.
    water: &'t [MovedWater],
    /// Rows of first-order states, which have unit inertia.
    states: &'t [usize],
    /// Rows of coordinates with which something turns or slides that moves no body, and its inertia.
    rotors: &'t [(usize, ExprId)],
    /// Minus gravity: an acceleration of the ground that is equivalent to weight.
    base: Vector3,
    nv: usize,
}

impl<'t> Dynamics<'t> {
    pub fn new(
        graph: &mut Graph,
        links: &'t Links,
        inertias: &'t [Inertia],
        gravity: Option<Vector3>,
        applied: &'t Applied,
        (water, states, rotors): (&'t [MovedWater], &'t [usize], &'t [(usize, ExprId)]),
        nv: usize,
    ) -> Self {
        let zero = spatial::zero(graph);
        let base = gravity.map_or(zero, |g| spatial::neg(graph, g));
        Self { links, inertias, gravity, applied, water, states, rotors, base, nv }
    }

    /// Operations of M and of inverse dynamics.
    pub fn operations(&self, builder: &mut KernelBuilder, a: &[ExprId]) -> u64 {
        let graph = &mut builder.graph;
        let mut values = self.mass_matrix(graph).concat();
        values.extend(self.inverse_dynamics(graph, a));
        builder.counting.operations(&builder.graph, &values)
    }

    /// M, row by row.
    pub fn mass_matrix(&self, graph: &mut Graph) -> Vec<Vec<ExprId>> {
        let mut matrix = tree::mass_matrix(graph, self.links, self.inertias, self.nv);
        for water in self.water {
            for (row, added) in matrix.iter_mut().zip(water.mass_matrix(graph)) {
                row.iter_mut().zip(added).for_each(|(entry, value)| *entry = graph.add(*entry, value));
            }
        }
        for &row in self.states {
            matrix[row][row] = graph.one();
        }
        self.add_rotors(graph, &mut matrix);
        matrix
    }

    /// Adds the inertia of rotors, which is constant: nothing else of the equations has a part in it.
    fn add_rotors(&self, graph: &mut Graph, mass_matrix: &mut [Vec<ExprId>]) {
        for &(row, inertia) in self.rotors {
            mass_matrix[row][row] = graph.add(mass_matrix[row][row], inertia);
        }
    }

    /// h: inverse dynamics without gravity and without accelerations of the joints.
    pub fn bias_force(&self, graph: &mut Graph) -> Vec<ExprId> {
        let (ground, at_rest) = (spatial::zero(graph), self.at_rest(graph));
        let wrenches = self.inertia_wrenches(graph, ground, &at_rest);
        let mut result = tree::generalized(graph, self.links, wrenches, self.nv);
        for water in self.water {
            let force = water.bias_force(graph);
            result.iter_mut().zip(force).for_each(|(sum, value)| *sum = graph.add(*sum, value));
        }
        result
    }

    /// What accelerates each body, less its weight and the forces applied on it, about the origin of its link, working axes.
    pub fn excess_wrenches(&self, graph: &mut Graph, a: &[ExprId]) -> Vec<Wrench> {
        // Gravity as an acceleration of the ground.
        let mut wrenches = self.inertia_wrenches(graph, self.base, a);
        for (wrench, external) in wrenches.iter_mut().zip(&self.applied.wrenches) {
            if let Some(external) = external {
                wrench.force = spatial::sub(graph, wrench.force, external.force);
                wrench.torque = spatial::sub(graph, wrench.torque, external.torque);
            }
        }
        wrenches
    }

    /// M a + h − f, by one recursion.
    pub fn inverse_dynamics(&self, graph: &mut Graph, a: &[ExprId]) -> Vec<ExprId> {
        let wrenches = self.excess_wrenches(graph, a);
        let mut result = tree::generalized(graph, self.links, wrenches, self.nv);
        for water in self.water {
            let force = water.inertial_force(graph, a);
            result.iter_mut().zip(force).for_each(|(sum, value)| *sum = graph.add(*sum, value));
        }
        for &row in self.states {
            result[row] = graph.add(result[row], a[row]);
        }
        for &(row, inertia) in self.rotors {
            let force = graph.mul(inertia, a[row]);
            result[row] = graph.add(result[row], force);
        }
        for &(row, value) in &self.applied.generalized {
            result[row] = graph.sub(result[row], value);
        }
        result
    }

    /// f: gravity and all other applied forces.
    pub fn applied_force(&self, graph: &mut Graph) -> Vec<ExprId> {
        let zero = spatial::zero(graph);
        let wrenches = match self.gravity {
            Some(g) => tree::weights(graph, self.links, self.inertias, g),
            None => vec![Wrench { force: zero, torque: zero }; self.links.links.len()],
        };
        self.with_applied(graph, wrenches)
    }

    /// h − f.
    pub fn nonlinear_effects(&self, graph: &mut Graph) -> Vec<ExprId> {
        let at_rest = self.at_rest(graph);
        self.inverse_dynamics(graph, &at_rest)
    }

    /// The forces that hold the weight.
    pub fn gravity_forces(&self, graph: &mut Graph) -> Vec<ExprId> {
        let Some(gravity) = self.gravity else { return self.at_rest(graph) };
        let weights = tree::weights(graph, self.links, self.inertias, gravity);
        let forces = tree::generalized(graph, self.links, weights, self.nv);
        forces.into_iter().map(|force| graph.neg(force)).collect()
    }

    /// C with C v = h and Ṁ = C + Cᵀ, of rigid bodies.
    pub fn coriolis_matrix(&self, builder: &mut KernelBuilder) -> Vec<Vec<ExprId>> {
        match self.links.space {
            Space::Spatial => structured::coriolis_matrix(builder, self.links, self.inertias),
            Space::Planar => self.coriolis_matrix_by_differentiation(builder),
        }
    }

    /// ½ (Ṁ + A − Aᵀ) with A = ∂(M v)/∂q, for velocities that are rates of coordinates.
    fn coriolis_matrix_by_differentiation(&self, builder: &mut KernelBuilder) -> Vec<Vec<ExprId>> {
        let mass = self.mass_matrix(&mut builder.graph);
        let v = builder.velocities();
        let momentum: Vec<ExprId> = mass.iter().map(|row| builder.graph.dot(row, &v)).collect();
        let by_position = builder.tangent(&momentum);
        let mut result = Vec::new();
        for (i, row) in mass.iter().enumerate() {
            let rates = builder.convective(row);
            let graph = &mut builder.graph;
            let half = graph.ratio(1, 2);
            let entry = |(j, rate): (usize, ExprId)| {
                let turned = graph.sub(by_position[i][j], by_position[j][i]);
                let sum = graph.add(rate, turned);
                graph.mul(half, sum)
            };
            result.push(rates.into_iter().enumerate().map(entry).collect());
        }
        result
    }

    /// Inverse dynamics by inertial parameters of the bodies, without rotors.
    pub fn regressor(&self, graph: &mut Graph, a: &[ExprId]) -> Vec<Vec<ExprId>> {
        regressor::regressor(graph, self.links, self.base, a)
    }

    /// a = M⁻¹ (τ − h + f), with the factors of M.
    pub fn forward_dynamics(&self, graph: &mut Graph, tau: &[ExprId]) -> (Factorization, Vec<ExprId>) {
        let (mass, effects) = (self.mass_matrix(graph), self.nonlinear_effects(graph));
        let excess: Vec<ExprId> = tau.iter().zip(effects).map(|(&tau, effect)| graph.sub(tau, effect)).collect();
        let factorization = Factorization::new(graph, &mass);
        let a = factorization.solve(graph, &excess);
        (factorization, a)
    }

    /// The same by articulated bodies, without M; `None` unless all inertia is that of rigid bodies.
    pub fn articulated_dynamics(&self, graph: &mut Graph, tau: &[ExprId]) -> Option<Vec<ExprId>> {
        if !self.is_rigid() || self.links.has_followers() {
            return None;
        }
        let mut tau = tau.to_vec();
        for &(row, value) in &self.applied.generalized {
            tau[row] = graph.add(tau[row], value);
        }
        let forces = (self.applied.wrenches.as_slice(), tau.as_slice());
        Some(articulated::accelerations(graph, self.links, self.inertias, self.rotors, self.base, forces))
    }

    /// M, (∂τ/∂q) N and ∂τ/∂v of inverse dynamics by recursion at accelerations `a`, where the joints allow it and all
    /// inertia is that of rigid bodies. Applied forces other than gravity are differentiated in the graph.
    pub fn derivatives(&self, builder: &mut KernelBuilder, a: &[ExprId]) -> Option<Derivatives> {
        if !self.is_rigid() || !structured::is_possible(self.links) {
            return None;
        }
        let graph = &mut builder.graph;
        let mut derivatives = structured::derivatives(graph, self.links, self.inertias, self.base, a);
        self.add_rotors(graph, &mut derivatives.mass_matrix);
        let forces = self.forces_beside_gravity(graph);
        if forces.iter().any(|&force| !builder.graph.is_zero(force)) {
            let (by_position, by_velocity) = (builder.tangent(&forces), builder.velocity_jacobian(&forces));
            derivatives.by_position = builder.difference(derivatives.by_position, &by_position);
            derivatives.by_velocity = builder.difference(derivatives.by_velocity, &by_velocity);
        }
        Some(derivatives)
    }

    /// Columns of the derivatives of forward dynamics by coordinates and by velocities that need no products with M⁻¹; see
    /// [`structured::cancelled_at_roots`].
    pub fn cancelled_at_roots(&self, graph: &mut Graph) -> [Vec<Option<Vec<ExprId>>>; 2] {
        let forces = self.forces_beside_gravity(graph);
        let is_alone = self.is_rigid()
            && self.rotors.is_empty()
            && !self.links.has_followers()
            && structured::is_possible(self.links)
            && forces.iter().all(|&force| graph.is_zero(force));
        match is_alone {
            true => structured::cancelled_at_roots(graph, self.links, self.base, self.nv),
            false => [vec![None; self.nv], vec![None; self.nv]],
        }
    }

    /// Second derivatives of wᵀ τ by recursion at the accelerations' symbols, as [`derivatives`](Self::derivatives).
    pub fn second_derivatives(&self, builder: &mut KernelBuilder, w: &[ExprId]) -> Option<Blocks> {
        if !self.is_rigid() || !structured::is_possible(self.links) {
            return None;
        }
        let a = builder.accelerations();
        let tree = (self.links, self.inertias);
        let blocks = second_derivatives::by_structure(&mut builder.graph, tree, self.base, &a, w);
        let forces = self.forces_beside_gravity(&mut builder.graph);
        if forces.iter().all(|&force| builder.graph.is_zero(force)) {
            return Some(blocks);
        }
        let of_forces = Blocks::of(builder, &forces, w);
        Some(blocks.minus(builder, &of_forces))
    }

    /// The same by differentiation of the graph, with the accelerations as symbols.
    pub fn derivatives_of_graph(&self, builder: &mut KernelBuilder) -> Derivatives {
        let a = builder.accelerations();
        let tau = self.inverse_dynamics(&mut builder.graph, &a);
        Derivatives {
            mass_matrix: self.mass_matrix(&mut builder.graph),
            by_position: builder.tangent(&tau),
            by_velocity: builder.velocity_jacobian(&tau),
        }
    }

    /// Whether all inertia is that of rigid bodies.
    fn is_rigid(&self) -> bool {
        self.water.is_empty() && self.states.is_empty()
    }

    fn at_rest(&self, graph: &mut Graph) -> Vec<ExprId> {
        vec![graph.zero(); self.nv]
    }

    fn inertia_wrenches(&self, graph: &mut Graph, ground: Vector3, a: &[ExprId]) -> Vec<Wrench> {
        let accelerations = tree::accelerations(graph, self.links, ground, a);
        tree::inertia_wrenches(graph, self.links, self.inertias, &accelerations)
    }

    fn forces_beside_gravity(&self, graph: &mut Graph) -> Vec<ExprId> {
        let zero = spatial::zero(graph);
        self.with_applied(graph, vec![Wrench { force: zero, torque: zero }; self.links.links.len()])
    }

    /// Generalized forces of wrenches together with the applied forces other than gravity.
    fn with_applied(&self, graph: &mut Graph, mut wrenches: Vec<Wrench>) -> Vec<ExprId> {
        for (wrench, external) in wrenches.iter_mut().zip(&self.applied.wrenches) {
            if let Some(external) = external {
                wrench.force = spatial::add(graph, wrench.force, external.force);
                wrench.torque = spatial::add(graph, wrench.torque, external.torque);
            }
        }
        let mut result = tree::generalized(graph, self.links, wrenches, self.nv);
        for &(row, value) in &self.applied.generalized {
            result[row] = graph.add(result[row], value);
        }
        result
    }
}
