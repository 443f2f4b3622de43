//! Added mass: the momentum of the water that moves with a body, in any coordinates of the body. [simo, Eqs. 11-18]
//!
//! With ν = (v, ω) of the body's origin in the body's axes, P = A₁₁ v + A₁₂ ω and L = A₂₁ v + A₂₂ ω, in water at rest
//! the added mass requires the force A ν′ + (ω × P, ω × L + v × P), where ′ is the rate of change in the body's axes:
//! this is M and h, which belong to the one kinetic energy ½ νᵀ A ν. As velocities of a kernel move the body by ν = J
//! v, M = Jᵀ A J.
//!
//! The changes by the current and by the convention of the velocities ṽ, ω̃ are f, an applied force. In a steady
//! current U the rate of v − U in turning axes is v′ + ω × U, a term that [simo, Eq. 13] leaves out; `relative` has it,
//! so that energy, with the potential −½ Uᵀ A₁₁ U, and momentum are conserved. The other three conventions are as
//! printed.

use super::equations::{Symmetry, TotalMass};
use super::motion::{KernelScope, Totals};
use super::parameters::Parameters;
use super::tree::Inertia;
use crate::expr::{ExprId, Graph};
use crate::resolve::{AddedMass, BodyId, Convention, System};
use crate::space::{Shape, Space};
use crate::spatial::{self, Matrix3, Vector3};
use crate::spelling::spelled;

/// Linear and angular part of a velocity, or force and torque, in body axes at the body's origin.
#[derive(Clone, Copy)]
struct Pair {
    linear: Vector3,
    angular: Vector3,
}

impl Pair {
    fn components(&self) -> Vec<ExprId> {
        [self.linear, self.angular].concat()
    }

    fn from(components: &[ExprId]) -> Self {
        Self { linear: std::array::from_fn(|i| components[i]), angular: std::array::from_fn(|i| components[3 + i]) }
    }

    fn add(&self, graph: &mut Graph, other: &Pair) -> Self {
        Self {
            linear: spatial::add(graph, self.linear, other.linear),
            angular: spatial::add(graph, self.angular, other.angular),
        }
    }

    fn sub(&self, graph: &mut Graph, other: &Pair) -> Self {
        Self {
            linear: spatial::sub(graph, self.linear, other.linear),
            angular: spatial::sub(graph, self.angular, other.angular),
        }
    }

    fn dot(&self, graph: &mut Graph, other: &Pair) -> ExprId {
        let (linear, angular) =
            (spatial::dot(graph, self.linear, other.linear), spatial::dot(graph, self.angular, other.angular));
        graph.add(linear, angular)
    }
}

/// The symmetric matrix A by its blocks.
struct Matrix {
    force: Matrix3,
    coupling: Matrix3,
    moment: Matrix3,
}

impl Matrix {
    fn declare(scope: &mut KernelScope, prefix: &str, water: &AddedMass) -> Self {
        let space = scope.system.space;
        let zero = scope.builder.graph.zero();
        let mut value = |name: &str, term| scope.value(&format!("{prefix}added_{name}"), term);
        let force = value("mass", &water.force);
        let coupling = water.coupling.as_ref().map(|term| value("coupling", term));
        Self::new(space, zero, &force, coupling.as_deref(), &value("inertia", &water.moment))
    }

    /// From the components of its blocks, row by row.
    fn new(space: Space, zero: ExprId, force: &[ExprId], coupling: Option<&[ExprId]>, moment: &[ExprId]) -> Self {
        let mut matrix = Self { force: [[zero; 3]; 3], coupling: [[zero; 3]; 3], moment: [[zero; 3]; 3] };
        match space {
            Space::Spatial => {
                matrix.force = symmetric(3, force, zero);
                matrix.moment = symmetric(3, moment, zero);
                if let Some(entries) = coupling {
                    matrix.coupling = std::array::from_fn(|i| std::array::from_fn(|j| entries[3 * i + j]));
                }
            }
            Space::Planar => {
                matrix.force = symmetric(2, force, zero);
                matrix.moment[2][2] = moment[0];
                if let Some(entries) = coupling {
                    (matrix.coupling[0][2], matrix.coupling[1][2]) = (entries[0], entries[1]);
                }
            }
        }
        matrix
    }

    /// A ν.
    fn times(&self, graph: &mut Graph, nu: &Pair) -> Pair {
        let own = Pair {
            linear: spatial::apply(graph, &self.force, nu.linear),
            angular: spatial::apply(graph, &self.moment, nu.angular),
        };
        let coupled = Pair {
            linear: spatial::apply(graph, &self.coupling, nu.angular),
            angular: spatial::apply_transposed(graph, &self.coupling, nu.linear),
        };
        own.add(graph, &coupled)
    }
}

/// A symmetric matrix from its upper triangle, n × n within 3 × 3.
fn symmetric(n: usize, entries: &[ExprId], zero: ExprId) -> Matrix3 {
    let entry = |i: usize, j: usize| if i.max(j) < n { entries[n * i.min(j) + i.max(j)] } else { zero };
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

/// (ω × P, ω × L + v × P): the rate of a momentum that is constant in turning axes. [simo, Eq. 13]
fn turned(graph: &mut Graph, nu: &Pair, momentum: &Pair) -> Pair {
    let linear = spatial::cross(graph, nu.angular, momentum.linear);
    let (spun, carried) =
        (spatial::cross(graph, nu.angular, momentum.angular), spatial::cross(graph, nu.linear, momentum.linear));
    Pair { linear, angular: spatial::add(graph, spun, carried) }
}

/// The blocks of each added mass that must be symmetric; their upper triangles are used.
pub(super) fn symmetries(system: &System, parameters: &mut Parameters) -> Vec<Symmetry> {
    let mut symmetries = Vec::new();
    for body in &system.bodies {
        let Some(water) = &body.added_mass else { continue };
        let blocks = [("`force` of the added mass", &water.force), ("`moment` of the added mass", &water.moment)];
        for (what, term) in blocks {
            let Shape::Matrix(n, _) = term.shape else { continue };
            let entries = parameters.lower(term);
            let above = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
            let pairs = above.map(|(i, j)| [entries[n * i + j], entries[n * j + i]]);
            let pairs = pairs.filter(|pair| pair[0] != pair[1]).flatten().collect::<Vec<_>>();
            if !pairs.is_empty() {
                symmetries.push(Symmetry { what, of: spelled(&body.name.to_string()), pairs });
            }
        }
    }
    symmetries
}

/// Mass matrices of bodies with their water.
pub(super) fn total_masses(system: &System, parameters: &mut Parameters) -> Vec<TotalMass> {
    let mut totals = Vec::new();
    for (index, body) in system.bodies.iter().enumerate() {
        let Some(water) = &body.added_mass else { continue };
        let coupling = water.coupling.as_ref().map(|term| parameters.lower(term));
        let [force, moment, inertia] = [&water.force, &water.moment, &body.inertia].map(|term| parameters.lower(term));
        let mass = parameters.lower(&body.mass)[0];
        let center = body.center_of_mass.as_ref().map(|term| parameters.lower(term));
        let graph = &mut parameters.graph;
        let zero = graph.zero();
        let water = Matrix::new(system.space, zero, &force, coupling.as_deref(), &moment);
        let center = center.map_or([zero; 3], |c| [c[0], c[1], c.get(2).copied().unwrap_or(zero)]);
        let second_moment = match inertia[..] {
            [xx, xy, xz, yx, yy, yz, zx, zy, zz] => [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]],
            _ => [[zero; 3], [zero; 3], [zero, zero, inertia[0]]],
        };
        let own = Inertia { mass, first_moment: [zero; 3], second_moment }.seen_from(graph, center);
        let directions: &[usize] = if system.space == Space::Planar { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] };
        let mut components = Vec::new();
        for &direction in directions {
            // Row and column are equal: the momentum of body and water when they move in this direction.
            let unit: Vec<ExprId> = (0..6).map(|i| if i == direction { graph.one() } else { zero }).collect();
            let nu = Pair::from(&unit);
            let of_body = own.wrench(graph, nu.angular, nu.linear);
            let of_body = Pair { linear: of_body.force, angular: of_body.torque };
            let momentum = water.times(graph, &nu).add(graph, &of_body).components();
            components.extend(directions.iter().map(|&i| momentum[i]));
        }
        totals.push(TotalMass { body: index, of: spelled(&body.name.to_string()), components });
    }
    totals
}

/// The added mass of a body of a kernel.
pub(super) struct MovedWater {
    matrix: Matrix,
    /// ν by the velocities of the kernel, six rows.
    jacobian: Vec<Vec<ExprId>>,
    /// J̇ v.
    convective: Pair,
    nu: Pair,
    momentum: Pair,
    /// The velocity of the fluid in body axes.
    current: Option<Vector3>,
    /// Its rate of change in ground axes, in body axes.
    current_rate: Option<Vector3>,
    /// The change by the convention, in body axes.
    excess: Option<Pair>,
    /// Whether the convention is the one in which a steady current conserves energy.
    is_relative: bool,
    position: Vector3,
    rotation: Matrix3,
}

/// Of all bodies that have added mass, in the kernel of a tree.
pub(super) fn of_all_bodies(scope: &mut KernelScope) -> Vec<MovedWater> {
    let system = scope.system;
    let bodies = system.bodies.iter().enumerate();
    let with_water = bodies.filter_map(|(index, body)| Some((BodyId(index), body, body.added_mass.as_ref()?)));
    with_water.map(|(id, body, water)| MovedWater::new(scope, &format!("{}_", body.name), id, water)).collect()
}

impl MovedWater {
    /// The water around a body, whose motion the scope knows; `prefix` names its parameters.
    pub fn new(scope: &mut KernelScope, prefix: &str, body: BodyId, water: &AddedMass) -> Self {
        let matrix = Matrix::declare(scope, prefix, water);
        let graph = &mut scope.builder.graph;
        let origin = spatial::zero(graph);
        let nu = Pair {
            linear: scope.motion.velocity_in_body(graph, body, origin),
            angular: scope.motion.angular_velocity(graph, body),
        };
        let pose = scope.motion.pose(graph, body);
        let momentum = matrix.times(graph, &nu);
        let current = water.current.as_ref().map(|term| scope.vector(&format!("{prefix}current"), term));
        let [current, current_rate] = [
            current,
            current.map(|current| scope.builder.convective(&current)).map(|rate| [rate[0], rate[1], rate[2]]),
        ]
        .map(|vector| vector.map(|v| spatial::apply_transposed(&mut scope.builder.graph, &pose.rotation, v)));
        let excess = excess(scope, &pose.rotation, &matrix, &nu, current, water);
        let jacobian = scope.builder.velocity_jacobian(&nu.components());
        let convective = Pair::from(&scope.builder.convective(&nu.components()));
        Self {
            matrix,
            jacobian,
            convective,
            nu,
            momentum,
            current,
            current_rate,
            excess,
            is_relative: matches!(water.convention, Convention::Relative),
            position: pose.position,
            rotation: pose.rotation,
        }
    }

    /// Jᵀ A J.
    pub fn mass_matrix(&self, graph: &mut Graph) -> Vec<Vec<ExprId>> {
        let n = self.jacobian.first().map_or(0, Vec::len);
        let mut result = vec![vec![graph.zero(); n]; n];
        for j in 0..n {
            let column: Vec<ExprId> = self.jacobian.iter().map(|row| row[j]).collect();
            let momentum = self.matrix.times(graph, &Pair::from(&column));
            let work = self.generalized(graph, &momentum);
            for i in 0..=j {
                (result[i][j], result[j][i]) = (work[i], work[i]);
            }
        }
        result
    }

    /// h.
    pub fn bias_force(&self, graph: &mut Graph) -> Vec<ExprId> {
        let force = self.force(graph, &self.convective);
        self.generalized(graph, &force)
    }

    /// M a + h.
    pub fn inertial_force(&self, graph: &mut Graph, a: &[ExprId]) -> Vec<ExprId> {
        let rates: Vec<ExprId> = self.jacobian.iter().map(|row| graph.dot(row, a)).collect();
        let rate = Pair::from(&rates).add(graph, &self.convective);
        let force = self.force(graph, &rate);
        self.generalized(graph, &force)
    }

    /// f: the changes by the current and by the convention.
    pub fn applied_force(&self, graph: &mut Graph) -> Vec<ExprId> {
        let zero = spatial::zero(graph);
        self.generalized(graph, &self.excess.unwrap_or(Pair { linear: zero, angular: zero }))
    }

    /// Power that changes the energies of the water: that of the force f, and the current in −½ Uᵀ A₁₁ U, which turns
    /// by −ω × U in body axes. In the convention `relative` a steady current adds nothing to both together.
    pub fn power(&self, graph: &mut Graph) -> ExprId {
        let zero = graph.zero();
        let Some((current, rate)) = self.current.zip(self.current_rate) else {
            return self.excess.map_or(zero, |excess| self.nu.dot(graph, &excess));
        };
        let carried = self.matrix.times(graph, &Pair { linear: current, angular: [zero; 3] }).linear;
        let changing = spatial::dot(graph, rate, carried);
        let unsteady = graph.neg(changing);
        match self.excess {
            Some(excess) if !self.is_relative => {
                let turned = spatial::cross(graph, self.nu.angular, current);
                let (driven, turning) = (self.nu.dot(graph, &excess), spatial::dot(graph, turned, carried));
                graph.sum(&[driven, turning, unsteady])
            }
            _ => unsteady,
        }
    }

    /// Energies of the water, and momenta in ground axes, of the motion relative to the current.
    pub fn totals(&self, graph: &mut Graph) -> Totals {
        let half = graph.ratio(1, 2);
        let twice = self.nu.dot(graph, &self.momentum);
        let kinetic_energy = graph.mul(half, twice);
        let (mut relative, mut potential_energy) = (self.momentum, graph.zero());
        if let Some(current) = self.current {
            let angular = spatial::zero(graph);
            let carried = self.matrix.times(graph, &Pair { linear: current, angular });
            relative = self.momentum.sub(graph, &carried);
            let twice = spatial::dot(graph, current, carried.linear);
            let kinetic = graph.mul(half, twice);
            potential_energy = graph.neg(kinetic);
        }
        let momentum = spatial::apply(graph, &self.rotation, relative.linear);
        let about_origin = spatial::apply(graph, &self.rotation, relative.angular);
        let orbital = spatial::cross(graph, self.position, momentum);
        let angular_momentum = spatial::add(graph, about_origin, orbital);
        Totals { kinetic_energy, potential_energy, momentum, angular_momentum }
    }

    /// A ν′ + (ω × P, ω × L + v × P).
    fn force(&self, graph: &mut Graph, rate: &Pair) -> Pair {
        let accelerated = self.matrix.times(graph, rate);
        let turned = turned(graph, &self.nu, &self.momentum);
        accelerated.add(graph, &turned)
    }

    /// Jᵀ times a force and torque.
    fn generalized(&self, graph: &mut Graph, force: &Pair) -> Vec<ExprId> {
        let force = force.components();
        let n = self.jacobian.first().map_or(0, Vec::len);
        (0..n)
            .map(|j| {
                let column: Vec<ExprId> = self.jacobian.iter().map(|row| row[j]).collect();
                graph.dot(&column, &force)
            })
            .collect()
    }
}

/// (ω × P, ω × L + v × P) less the same of ṽ and ω̃; and less A (ω × U, 0) for `relative`. [simo, Eqs. 13-17]
fn excess(
    scope: &mut KernelScope,
    rotation: &Matrix3,
    matrix: &Matrix,
    nu: &Pair,
    current: Option<Vector3>,
    water: &AddedMass,
) -> Option<Pair> {
    let zero = scope.builder.graph.zero();
    let yaw = |rate: ExprId| [zero, zero, rate];
    let chosen = match &water.convention {
        Convention::Relative if current.is_none() => return None,
        Convention::Relative => *nu,
        Convention::YawOnly => Pair { linear: nu.linear, angular: yaw(nu.angular[2]) },
        Convention::Blocked => Pair { linear: [zero; 3], angular: [zero; 3] },
        Convention::LowFrequency { velocity, yaw_rate } => {
            let slow = scope.vector("low_frequency_velocity", velocity);
            let rate = super::lower::lower_scalar(scope, yaw_rate);
            let linear = spatial::apply_transposed(&mut scope.builder.graph, rotation, slow);
            Pair { linear, angular: yaw(rate) }
        }
    };
    let graph = &mut scope.builder.graph;
    let current = current.unwrap_or([zero; 3]);
    let relative = Pair { linear: spatial::sub(graph, chosen.linear, current), angular: chosen.angular };
    let momentum = matrix.times(graph, &relative);
    let mut driven = turned(graph, &relative, &momentum);
    if matches!(water.convention, Convention::Relative) {
        let linear = spatial::cross(graph, nu.angular, current);
        let carried = matrix.times(graph, &Pair { linear, angular: [zero; 3] });
        driven = driven.add(graph, &carried);
    }
    let momentum = matrix.times(graph, nu);
    let at_rest = turned(graph, nu, &momentum);
    Some(at_rest.sub(graph, &driven))
}
