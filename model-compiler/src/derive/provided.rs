//! Functions that a model requests by `provide …;`: the algorithms of rigid-body libraries, each derived in several
//! ways; the one with the fewest operations is kept.

use std::collections::BTreeSet;

use super::counting::Counting;
use super::dynamics::Dynamics;
use super::equations::{Function, FunctionRole, Layout, Output, Role};
use super::factorization::Factorization;
use super::frames;
use super::kernel::{Derivatives, KernelBuilder, cheapest};
use super::links::Links;
use super::momentum;
use super::motion::{KernelScope, Totals};
use super::second_derivatives::Blocks;
use super::tree::Inertia;
use crate::expr::ExprId;
use crate::resolve::{Provided, System};

type Matrix = Vec<Vec<ExprId>>;

/// What the functions of a model are derived from.
pub(super) struct Tree<'t> {
    pub links: &'t Links,
    /// Inertias of the bodies as they are written.
    pub inertias: &'t [Inertia],
    /// Momenta, of the bodies alone.
    pub totals: &'t Totals,
    pub dynamics: &'t Dynamics<'t>,
    /// Constraints on coordinates, and those on velocities.
    pub constraints: (&'t [ExprId], &'t [ExprId]),
}

/// Numbers of velocities of models whose derivatives of forward dynamics are composed of other functions by a loop; at most
/// the room of the loop. As formulas their products would be the same operations for each column, which take longer to
/// fetch as code of their own than to carry out.
const SOLVED_IN_LOOPS: std::ops::RangeInclusive<usize> = 24..=256;

/// The functions that the model requests, and forward dynamics wherever it can be had, because it is shorter than M and
/// what a scheme would do with it; in the order of their declaration in [`FunctionRole`].
pub(super) fn functions(system: &System, layout: &Layout, builder: &mut KernelBuilder, tree: &Tree) -> Vec<Function> {
    let is_free = layout.constraints.is_empty() && layout.contacts.is_empty() && system.members.is_empty();
    let by_default = (is_free && !layout.velocities.is_empty()).then_some(Provided::ForwardDynamics);
    let mut asked: BTreeSet<Provided> = system.provided.iter().copied().chain(by_default).collect();
    if asked.contains(&Provided::ForwardDynamicsDerivatives) && is_solved_in_loops(builder) {
        asked.extend([Provided::ForwardDynamics, Provided::InverseDynamicsDerivatives]);
    }
    let mut functions: Vec<Function> = asked.into_iter().map(|asked| function(builder, tree, asked)).collect();
    let mut scope = KernelScope::new(system, builder, tree.links, true);
    let of_frames = system.provided_of_frames.iter().enumerate();
    functions.extend(of_frames.map(|(place, asked)| frames::function(&mut scope, tree.links, place, asked)));
    functions.sort_by_key(|function| function.role);
    functions
}

/// Whether derivatives of forward dynamics have no formulas. Formulas that are to be counted are all derived.
fn is_solved_in_loops(builder: &KernelBuilder) -> bool {
    builder.counting == Counting::EveryEvaluation && SOLVED_IN_LOOPS.contains(&builder.n_velocities())
}

fn function(builder: &mut KernelBuilder, tree: &Tree, asked: Provided) -> Function {
    let Tree { links, inertias, totals, dynamics, constraints } = *tree;
    let graph = &mut builder.graph;
    let (role, outputs) = match asked {
        Provided::NonlinearEffects => {
            let effects = dynamics.nonlinear_effects(graph);
            (FunctionRole::NonlinearEffects, vec![Output::vector(Role::NonlinearEffects, &effects)])
        }
        Provided::InverseDynamics => {
            let a = builder.accelerations();
            let tau = dynamics.inverse_dynamics(&mut builder.graph, &a);
            (FunctionRole::InverseDynamics, vec![Output::vector(Role::Force, &tau)])
        }
        Provided::ForwardDynamics => {
            let tau = builder.forces();
            let by_recursion = dynamics.articulated_dynamics(&mut builder.graph, &tau);
            let mass = dynamics.mass_matrix(&mut builder.graph);
            // In a long chain the products of a factorization alone are more than the whole recursion.
            let products = Factorization::products(&builder.graph, &mass);
            let is_longer = |a: &Vec<ExprId>| products > builder.counting.operations(&builder.graph, a);
            let by_factors = match &by_recursion {
                Some(a) if is_longer(a) => None,
                _ => Some(dynamics.forward_dynamics(&mut builder.graph, &tau).1),
            };
            let candidates = by_factors.into_iter().chain(by_recursion);
            let candidates = candidates.map(|a| vec![Output::vector(Role::Acceleration, &a)]);
            (FunctionRole::ForwardDynamics, cheapest(builder.counting, &builder.graph, candidates))
        }
        Provided::InverseDynamicsDerivatives => {
            (FunctionRole::InverseDynamicsDerivatives, inverse_dynamics_derivatives(builder, dynamics))
        }
        Provided::ForwardDynamicsDerivatives => {
            (FunctionRole::ForwardDynamicsDerivatives, forward_dynamics_derivatives(builder, dynamics))
        }
        Provided::InverseDynamicsSecondDerivatives => {
            (FunctionRole::InverseDynamicsSecondDerivatives, second_derivatives(builder, dynamics))
        }
        Provided::InverseMassMatrix => {
            let mass = dynamics.mass_matrix(graph);
            let inverse = Factorization::new(graph, &mass).inverse(graph);
            (FunctionRole::InverseMassMatrix, vec![Output::matrix(Role::InverseMassMatrix, &inverse)])
        }
        Provided::MassMatrixFactors => {
            let mass = dynamics.mass_matrix(graph);
            let factorization = Factorization::new(graph, &mass);
            let (lower, pivots) = factorization.factors(graph);
            let outputs = vec![Output::matrix(Role::Lower, &lower), Output::vector(Role::Pivots, pivots)];
            (FunctionRole::MassMatrixFactors, outputs)
        }
        Provided::CoriolisMatrix => {
            let matrix = dynamics.coriolis_matrix(builder);
            (FunctionRole::CoriolisMatrix, vec![Output::matrix(Role::CoriolisMatrix, &matrix)])
        }
        Provided::GravityForces => {
            let forces = dynamics.gravity_forces(graph);
            (FunctionRole::GravityForces, vec![Output::vector(Role::GravityForces, &forces)])
        }
        Provided::Regressor => {
            let a = builder.accelerations();
            let rows = dynamics.regressor(&mut builder.graph, &a);
            (FunctionRole::Regressor, vec![Output::matrix(Role::Regressor, &rows)])
        }
        Provided::CenterOfMass => {
            (FunctionRole::CenterOfMass, momentum::center_of_mass(builder, links, inertias, totals))
        }
        Provided::CentroidalMomentumMatrix => {
            (FunctionRole::CentroidalMomentumMatrix, momentum::centroidal_matrix(builder, links, inertias, totals))
        }
        Provided::ConstraintAccelerationDerivatives => {
            let acceleration = builder.constraint_acceleration(constraints.0, constraints.1);
            let (by_q, by_v) = (builder.tangent(&acceleration), builder.velocity_jacobian(&acceleration));
            let outputs = vec![
                Output::matrix(Role::ConstraintAccelerationByPosition, &by_q),
                Output::matrix(Role::ConstraintAccelerationByVelocity, &by_v),
            ];
            (FunctionRole::ConstraintAccelerationDerivatives, outputs)
        }
        Provided::CentroidalMomentumBias => {
            (FunctionRole::CentroidalMomentumBias, momentum::centroidal_bias(builder, links, inertias))
        }
    };
    let outputs = outputs.into_iter().map(|output| output.without_zeros(&builder.graph)).collect();
    Function::new(role, outputs)
}

fn inverse_dynamics_derivatives(builder: &mut KernelBuilder, dynamics: &Dynamics) -> Vec<Output> {
    let a = builder.accelerations();
    let candidates = [dynamics.derivatives(builder, &a), Some(dynamics.derivatives_of_graph(builder))];
    let outputs = candidates.into_iter().flatten().map(|Derivatives { mass_matrix, by_position, by_velocity }| {
        vec![
            Output::matrix(Role::ForceByPosition, &by_position),
            Output::matrix(Role::ForceByVelocity, &by_velocity),
            Output::matrix(Role::MassMatrix, &mass_matrix),
        ]
    });
    let outputs: Vec<_> = outputs.collect();
    cheapest(builder.counting, &builder.graph, outputs)
}

fn second_derivatives(builder: &mut KernelBuilder, dynamics: &Dynamics) -> Vec<Output> {
    let (a, w) = (builder.accelerations(), builder.weights());
    let tau = dynamics.inverse_dynamics(&mut builder.graph, &a);
    let candidates = [dynamics.second_derivatives(builder, &w), Some(Blocks::of(builder, &tau, &w))];
    let outputs = candidates.iter().flatten().map(Blocks::outputs);
    cheapest(builder.counting, &builder.graph, outputs)
}

/// The derivatives of inverse dynamics at the acceleration that the forces cause, times −M⁻¹.
fn forward_dynamics_derivatives(builder: &mut KernelBuilder, dynamics: &Dynamics) -> Vec<Output> {
    let tau = builder.forces();
    let roles = [Role::AccelerationByPosition, Role::AccelerationByVelocity, Role::InverseMassMatrix];
    if is_solved_in_loops(builder) {
        return roles.map(|role| Output { role, shape: (tau.len(), tau.len()), entries: Vec::new() }).into();
    }
    let (factorization, a) = dynamics.forward_dynamics(&mut builder.graph, &tau);
    let inverse = factorization.inverse(&mut builder.graph);
    let of_graph = dynamics.derivatives_of_graph(builder);
    let at_a = [of_graph.by_position, of_graph.by_velocity].map(|matrix| at_accelerations(builder, &matrix, &a));
    let by_structure = dynamics.derivatives(builder, &a).map(|d| [d.by_position, d.by_velocity]);

    let known = dynamics.cancelled_at_roots(&mut builder.graph);
    let mut candidates = Vec::new();
    for derivatives in by_structure.into_iter().chain([at_a]) {
        for how in [How::Solve, How::SolveInverted, How::Multiply] {
            let mut solved =
                derivatives.each_ref().map(|matrix| minus_solved(builder, how, (&factorization, &inverse), matrix));
            for (matrix, known) in solved.iter_mut().zip(&known) {
                for (column, known) in known.iter().enumerate().filter_map(|(k, known)| Some((k, known.as_ref()?))) {
                    matrix.iter_mut().zip(known).for_each(|(row, &value)| row[column] = value);
                }
            }
            let [by_position, by_velocity] = solved;
            let matrices = [&by_position, &by_velocity, &inverse];
            candidates.push(roles.into_iter().zip(matrices).map(|(role, rows)| Output::matrix(role, rows)).collect());
        }
    }
    cheapest(builder.counting, &builder.graph, candidates)
}

/// The values substituted for the accelerations' symbols in a matrix.
fn at_accelerations(builder: &mut KernelBuilder, matrix: &Matrix, a: &[ExprId]) -> Matrix {
    let symbols = builder.accelerations();
    let from = builder.graph.clone();
    let substituted = |row: &Vec<ExprId>| {
        builder.graph.import(&from, row, &|_, symbol| {
            let own = from.symbol_expr(symbol);
            symbols.iter().position(|&known| known == own).map_or(own, |index| a[index])
        })
    };
    matrix.iter().map(substituted).collect()
}

/// How −M⁻¹ A is computed.
#[derive(Clone, Copy)]
enum How {
    /// Column by column with the factors.
    Solve,
    /// The same with inverted factors, of which the inverse of M is made.
    SolveInverted,
    /// With the inverse, which is requested anyway.
    Multiply,
}

fn minus_solved(
    builder: &mut KernelBuilder,
    how: How,
    (factorization, inverse): (&Factorization, &Matrix),
    matrix: &Matrix,
) -> Matrix {
    let graph = &mut builder.graph;
    let n = matrix.len();
    let weighted = factorization.weighted(graph);
    let mut result = vec![vec![graph.zero(); n]; n];
    for column in 0..n {
        let entries: Vec<ExprId> = matrix.iter().map(|row| row[column]).collect();
        let solved: Vec<ExprId> = match how {
            How::Solve => factorization.solve(graph, &entries).into_iter().map(|value| graph.neg(value)).collect(),
            How::SolveInverted => factorization.minus_solved(graph, &weighted, &entries),
            How::Multiply => {
                let mut negative = |row: &Vec<ExprId>| {
                    let value = graph.dot(row, &entries);
                    graph.neg(value)
                };
                inverse.iter().map(&mut negative).collect()
            }
        };
        for (row, value) in result.iter_mut().zip(solved) {
            row[column] = value;
        }
    }
    result
}
