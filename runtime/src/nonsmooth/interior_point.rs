//! Interior-point method for the contact problem, which finds a solution also if contacts are redundant.
//!
//! In a heap the forces are not unique, and active-set methods cycle. Here complementarity is relaxed for all contacts
//! together: with impulses `x = (μ Λ_N, Λ_T)` and slips `z = (ξ_N/μ + |ξ_T|, ξ_T)` the laws of contact and friction are
//! `x ∈ Q, z ∈ Q, x · z = 0`, in the cone Q of vectors whose first entry is at least as long as the rest (de Saxcé and
//! Feng 1998). Iterates stay inside the cones; steps are those of Mehrotra, scaled as by Nesterov and Todd, with
//! `|ξ_T|` taken from the last iterate (Acary, Armand and Nguyen 2023). Contacts without friction have a half-line for
//! their cone.

use super::couplings::{Block3, IDENTITY, Vector, dot, times};
use super::problem::{Problem, Terms};
use super::sparse_system::SparseSystem;
use crate::contact_settings::Settings;
use crate::prelude::*;

#[derive(Clone, Copy, Debug, Default)]
struct Cone {
    /// Its first row.
    normal: usize,
    dimension: usize,
    /// Orthonormal eigenvectors of the scaling W, and its eigenvalues, which are far apart near the boundary.
    basis: Block3,
    values: Vector,
    /// `W x = W⁻¹ z`.
    lambda: Vector,
    /// Direction of the slip if the derivative of its magnitude is included, else zero.
    along: Vector,
}

#[derive(Clone, Default)]
pub(super) struct InteriorPoint {
    settings: Settings,
    cones: Vec<Cone>,
    terms: Vec<Terms>,
    /// Ratio of the unknowns of the problem to x; zero in rows without an x.
    scales: Vec<f64>,
    x: Vec<f64>,
    z: Vec<f64>,
    dx: Vec<f64>,
    dz: Vec<f64>,
    /// The value used for `|ξ_T|`, in the row of the normal.
    slips: Vec<f64>,
    /// Dual residual: slips of x minus z.
    residual: Vec<f64>,
    /// The largest of these, and of the remaining changes of `slips`.
    largest_residual: f64,
    rhs: Vec<f64>,
    /// The unknowns with the least violation.
    best: Vec<f64>,
}

impl InteriorPoint {
    pub(super) fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Reserves memory for this many rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.cones.reserve(rows);
        self.terms.reserve(rows);
        for values in self.vectors() {
            values.reserve(rows);
        }
    }

    fn vectors(&mut self) -> [&mut Vec<f64>; 9] {
        let Self { scales, x, z, dx, dz, slips, residual, rhs, best, .. } = self;
        [scales, x, z, dx, dz, slips, residual, rhs, best]
    }

    /// Replaces the unknowns of a problem, whose system is prepared, by the best point found.
    ///
    /// The caller must check the violation. `follows`: whether steps may include the derivative of `|ξ_T|`, which makes
    /// convergence fast near a solution; either choice may fail where the other succeeds.
    pub(super) fn solve(
        &mut self,
        problem: &mut Problem,
        system: &mut SparseSystem,
        follows: bool,
        iterations: &mut u32,
    ) {
        self.begin(problem);
        let (mut length, mut followed) = (0.0, false);
        let (mut part_of_slip, mut least, mut since) = (1.0, f64::INFINITY, 0);
        for _ in 0..self.settings.interior_iterations {
            self.measure(problem, if followed { 1.0 } else { part_of_slip });
            let (violation, size) = problem.violation();
            since += 1;
            if violation < least {
                (least, since) = (violation, 0);
                self.best.copy_from_slice(problem.unknowns());
            }
            if violation <= self.settings.interior_tolerance * size {
                break;
            }
            if since == self.settings.patience {
                (part_of_slip, since) = (0.5 * part_of_slip, 0);
            }
            followed = follows && length > self.settings.followed;
            length = self.step(problem, system, size, followed);
            if followed && length <= self.settings.followed {
                followed = false;
                length = self.step(problem, system, size, false);
            }
            if length.is_nan() || length < self.settings.shortest {
                break;
            }
            for (x, dx) in self.x.iter_mut().zip(&self.dx) {
                *x += length * dx;
            }
            for (z, dz) in self.z.iter_mut().zip(&self.dz) {
                *z += length * dz;
            }
            *iterations += 1;
        }
        problem.unknowns_mut().copy_from_slice(&self.best);
    }

    /// Starts on the axes of the cones, at the magnitude of the velocities.
    fn begin(&mut self, problem: &Problem) {
        let n = problem.size();
        self.vectors().into_iter().for_each(|values| {
            values.clear();
            values.resize(n, 0.0);
        });
        self.cones.clear();
        let size = (0..n).fold(f64::MIN_POSITIVE, |size: f64, row| size.max(problem.bias(row).abs()));
        for contact in &problem.contacts {
            let normal = contact.normal;
            let has_friction = contact.tangents > 0 && contact.friction > 0.0;
            let dimension = if has_friction { 1 + contact.tangents } else { 1 };
            self.scales[normal..normal + dimension].fill(1.0);
            if has_friction {
                self.scales[normal] = contact.friction.recip();
            }
            self.x[normal] = size / self.scales[normal];
            self.z[normal] = size * self.scales[normal];
            self.cones.push(Cone { normal, dimension, ..Cone::default() });
        }
    }

    fn write(&self, problem: &mut Problem) {
        for ((unknown, x), scale) in problem.unknowns_mut().iter_mut().zip(&self.x).zip(&self.scales) {
            *unknown = x * scale;
        }
    }

    /// Computes the dual residual, and updates the values of `|ξ_T|`.
    fn measure(&mut self, problem: &mut Problem, part_of_slip: f64) {
        self.write(problem);
        problem.update_slips();
        self.largest_residual = 0.0;
        for cone in &self.cones {
            let z = part(&self.z, cone);
            for row in cone.normal..cone.normal + cone.dimension {
                self.residual[row] = self.scales[row] * problem.slip(row) - self.z[row];
            }
            let slip = &mut self.slips[cone.normal];
            let change = z[1].hypot(z[2]) - *slip;
            *slip += part_of_slip * change;
            self.residual[cone.normal] += *slip;
            self.largest_residual = self.largest_residual.max((1.0 - part_of_slip) * change.abs());
            self.largest_residual = part(&self.residual, cone)
                .iter()
                .fold(self.largest_residual, |largest: f64, residual| largest.max(residual.abs()));
        }
    }

    /// Computes a predictor-corrector step; returns the fraction of it that stays inside the cones.
    ///
    /// Including the derivative of `|ξ_T|` accelerates convergence near a solution and may prevent it far from one.
    fn step(&mut self, problem: &Problem, system: &mut SparseSystem, size: f64, follows: bool) -> f64 {
        for cone in &mut self.cones {
            let z = part(&self.z, cone);
            cone.scale(&part(&self.x, cone), &z);
            let slip = z[1].hypot(z[2]);
            cone.along = if follows && slip > 0.0 { [0.0, z[1] / slip, z[2] / slip] } else { [0.0; 3] };
        }
        // The system is written in the basis of the eigenvectors of W. In any other basis the rounding errors of the
        // large eigenvalues would exceed the small eigenvalues.
        self.terms.clear();
        self.terms.extend(self.cones.iter().map(|cone| {
            let scales = part(&self.scales, cone);
            let mut terms = Terms { left: cone.basis, right: Block3::default(), own: IDENTITY };
            for i in 0..3 {
                for k in 0..3 {
                    terms.left[i][k] = cone.slip_entry(k, i) * scales[k];
                    terms.right[k][i] = cone.basis[i][k] * scales[k];
                }
                terms.own[i][i] = cone.values[i].powi(2);
            }
            terms
        }));
        if system.factor(problem, self.settings.interior_damping, &self.terms).is_err() {
            return 0.0;
        }

        for cone in &self.cones {
            let residual = cone.with_slip(&part(&self.residual, cone));
            for i in 0..cone.dimension {
                let row = cone.normal + i;
                self.rhs[row] = -self.z[row] - residual[i];
            }
        }
        self.find(problem, system);
        let far = self.farthest().min(1.0);
        let n_cones = self.cones.len() as f64;
        let now: f64 = self.x.iter().zip(&self.z).map(|(x, z)| x * z).sum();
        let next: f64 =
            (0..self.x.len()).map(|row| (self.x[row] + far * self.dx[row]) * (self.z[row] + far * self.dz[row])).sum();
        let centering = (next / now).clamp(0.0, 1.0).powi(3);
        // While the dual residual is large, iterates must stay away from the boundary.
        let mean = self.cones.iter().map(|cone| self.x[cone.normal]).sum::<f64>() / n_cones;
        let largest_residual = if self.largest_residual > f64::EPSILON * size { self.largest_residual } else { 0.0 };
        let target = (centering * now / n_cones).max(self.settings.balance * largest_residual * mean);
        for cone in &self.cones {
            let (dx, dz) = (cone.apply(&part(&self.dx, cone)), cone.apply_inverse(&part(&self.dz, cone)));
            let (second, square) = (jordan(&dx, &dz), jordan(&cone.lambda, &cone.lambda));
            let mut goal = [0.0; 3];
            for i in 0..cone.dimension {
                goal[i] = -square[i] - second[i];
            }
            goal[0] += target;
            let goal = cone.apply(&divided(&goal, &cone.lambda));
            let residual = cone.with_slip(&part(&self.residual, cone));
            for i in 0..cone.dimension {
                self.rhs[cone.normal + i] = goal[i] - residual[i];
            }
        }
        self.find(problem, system);
        ((1.0 - self.settings.interior_margin) * self.farthest()).min(1.0)
    }

    /// The steps of x and z for a right-hand side.
    fn find(&mut self, problem: &Problem, system: &mut SparseSystem) {
        for cone in &self.cones {
            let rhs = cone.in_basis(&part(&self.rhs, cone));
            put(&mut self.dx, cone, &rhs);
        }
        system.solve(&mut self.dx);
        for cone in &self.cones {
            let dx = cone.out_of_basis(&part(&self.dx, cone));
            put(&mut self.dx, cone, &dx);
        }
        for (rhs, (dx, scale)) in self.rhs.iter_mut().zip(self.dx.iter().zip(&self.scales)) {
            *rhs = dx * scale;
        }
        for (index, contact) in problem.contacts.iter().enumerate() {
            for (row, slip) in contact.all().zip(problem.act(index, &self.rhs)) {
                self.dz[row] = self.scales[row] * slip + self.residual[row];
            }
        }
        for cone in &self.cones {
            self.dz[cone.normal] = cone.with_slip(&part(&self.dz, cone))[0];
        }
    }

    /// The length of the step at which it meets the boundary of the cones.
    fn farthest(&self) -> f64 {
        let to_boundary = |cone: &Cone| {
            let x = to_boundary(&part(&self.x, cone), &part(&self.dx, cone));
            x.min(to_boundary(&part(&self.z, cone), &part(&self.dz, cone)))
        };
        self.cones.iter().map(to_boundary).fold(f64::INFINITY, f64::min)
    }
}

impl Cone {
    /// The scaling of a pair (Nesterov and Todd 1997): with x and z of determinant one, `W² = η² (2 w wᵀ − J)`.
    fn scale(&mut self, x: &Vector, z: &Vector) {
        let (x_size, z_size) = (determinant(x).sqrt(), determinant(z).sqrt());
        let mut w = [0.0; 3];
        for i in 0..3 {
            let mirrored = if i == 0 { x[i] } else { -x[i] };
            w[i] = z[i] / z_size + mirrored / x_size;
        }
        let gamma = (2.0 * (1.0 + dot(x, z) / (x_size * z_size))).sqrt();
        let (first, length) = (w[0] / gamma, w[1].hypot(w[2]) / gamma);
        let [c, s] = if length > 0.0 { [w[1], w[2]].map(|w| w / (gamma * length)) } else { [1.0, 0.0] };
        let half = 0.5_f64.sqrt();
        let eta = (z_size / x_size).sqrt();
        if self.dimension == 1 {
            self.basis = IDENTITY;
            self.values = [eta; 3];
        } else {
            self.basis = [[half, half * c, half * s], [half, -half * c, -half * s], [0.0, -s, c]];
            self.values = [eta * (first + length), eta / (first + length), eta];
        }
        self.lambda = self.apply(x);
    }

    fn in_basis(&self, vector: &Vector) -> Vector {
        times(&self.basis, vector)
    }

    fn out_of_basis(&self, vector: &Vector) -> Vector {
        [0, 1, 2].map(|i| (0..3).map(|j| self.basis[j][i] * vector[j]).sum())
    }

    /// W times a vector.
    fn apply(&self, vector: &Vector) -> Vector {
        let [a, b, c] = self.in_basis(vector);
        self.out_of_basis(&[a * self.values[0], b * self.values[1], c * self.values[2]])
    }

    /// W⁻¹ times a vector.
    fn apply_inverse(&self, vector: &Vector) -> Vector {
        let [a, b, c] = self.in_basis(vector);
        self.out_of_basis(&[a / self.values[0], b / self.values[1], c / self.values[2]])
    }

    /// Entry of the basis for row k and eigenvector i, with the derivative of `|ξ_T|`.
    fn slip_entry(&self, k: usize, i: usize) -> f64 {
        self.basis[i][k] + self.along[k] * self.basis[i][0]
    }

    /// Slips with the linearized `|ξ_T|` added to the first entry.
    fn with_slip(&self, slip: &Vector) -> Vector {
        [slip[0] + self.along[1] * slip[1] + self.along[2] * slip[2], slip[1], slip[2]]
    }
}

fn part(values: &[f64], cone: &Cone) -> Vector {
    let mut vector = [0.0; 3];
    vector[..cone.dimension].copy_from_slice(&values[cone.normal..cone.normal + cone.dimension]);
    vector
}

fn put(values: &mut [f64], cone: &Cone, vector: &Vector) {
    values[cone.normal..cone.normal + cone.dimension].copy_from_slice(&vector[..cone.dimension]);
}

/// aᵀ J a, without cancellation near the boundary.
fn determinant(a: &Vector) -> f64 {
    let length = a[1].hypot(a[2]);
    (a[0] - length) * (a[0] + length)
}

/// The product of the Jordan algebra of the cone.
fn jordan(a: &Vector, b: &Vector) -> Vector {
    [dot(a, b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]]
}

/// The vector whose Jordan product with λ is d.
fn divided(d: &Vector, lambda: &Vector) -> Vector {
    let first = (lambda[0] * d[0] - lambda[1] * d[1] - lambda[2] * d[2]) / determinant(lambda);
    [first, (d[1] - first * lambda[1]) / lambda[0], (d[2] - first * lambda[2]) / lambda[0]]
}

/// The multiple of a step at which it meets the boundary of the cone from a point inside.
fn to_boundary(at: &Vector, step: &Vector) -> f64 {
    let (a, c) = (determinant(step), determinant(at));
    let b = at[0] * step[0] - at[1] * step[1] - at[2] * step[2];
    // b² − a c as a sum of squares, so that rounding does not make it negative for a step towards the apex.
    let minor = |i: usize, j: usize| (at[i] * step[j] - at[j] * step[i]).powi(2);
    let root = minor(0, 1) + minor(0, 2) - minor(1, 2);
    if root < 0.0 {
        return f64::INFINITY;
    }
    let sum = -(b + root.sqrt().copysign(b));
    let positive = |length: f64| if length > 0.0 { length } else { f64::INFINITY };
    positive(sum / a).min(positive(c / sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The problem with this G, row by row, and b.
    fn problem(contacts: &[(usize, f64)], couplings: &[&[f64]], bias: &[f64]) -> Problem {
        let mut problem = Problem::default();
        contacts.iter().for_each(|&(tangents, friction)| problem.push(tangents, friction));
        problem.allocate();
        for (row, (entries, &bias)) in couplings.iter().zip(bias).enumerate() {
            entries.iter().enumerate().for_each(|(column, &entry)| problem.add_entry(row, column, entry));
            problem.set_row(row, bias, 0.0);
        }
        problem.scale();
        problem
    }

    #[test]
    fn small_problems_have_the_solutions_found_by_hand() {
        let (two, plane, space) = (&[(0, 0.0); 2][..], &[(1, 0.3)][..], &[(2, 0.5)][..]);
        let diagonal: [&[f64]; 3] = [&[4.0, 0.0, 0.0], &[0.0, 2.0, 0.0], &[0.0, 0.0, 2.0]];
        let cases: [(&[(usize, f64)], &[&[f64]], &[f64], &[f64]); 7] = [
            // 2 Λ₁ + Λ₂ = 5, Λ₁ + 2 Λ₂ = 6; then the second contact opens with slip 1 + ½.
            (two, &[&[2.0, 1.0], &[1.0, 2.0]], &[-5.0, -6.0], &[4.0 / 3.0, 7.0 / 3.0]),
            (two, &[&[2.0, 1.0], &[1.0, 2.0]], &[-1.0, 1.0], &[0.5, 0.0]),
            // Two coincident contacts: of all solutions, the one that divides the force equally.
            (two, &[&[1.0, 1.0], &[1.0, 1.0]], &[-2.0, -2.0], &[1.0, 1.0]),
            // Sliding backwards, so that friction is 0.3 Λ_N and (2 + 0.3/2) Λ_N = 4.3; then forwards.
            (plane, &[&[2.0, 0.5], &[0.5, 1.0]], &[-4.3, -3.0], &[2.0, 0.6]),
            (plane, &[&[2.0, 0.5], &[0.5, 1.0]], &[-4.0, 0.0], &[4.0 / 1.85, -0.3 * 4.0 / 1.85]),
            // Λ_N = 2; a friction force of 1 against the slip, or less if that is sufficient for sticking.
            (space, &diagonal, &[-8.0, -3.0, -4.0], &[2.0, 0.6, 0.8]),
            (space, &diagonal, &[-8.0, -0.6, -0.8], &[2.0, 0.3, 0.4]),
        ];
        for (index, (contacts, couplings, bias, expected)) in cases.into_iter().enumerate() {
            for follows in [true, false] {
                let mut problem = problem(contacts, couplings, bias);
                let mut system = SparseSystem::default();
                system.prepare(&problem);
                InteriorPoint::default().solve(&mut problem, &mut system, follows, &mut 0);
                for (row, expected) in expected.iter().enumerate() {
                    let found = problem.impulse(row);
                    assert!((found - expected).abs() < 1e-9, "{index}, {row}: {found} instead of {expected}");
                }
            }
        }
    }

    /// For frictionless contacts without coupling each step has a closed form: Mehrotra's predictor solves
    /// z dx + x dz = −x z, the corrector has the right side −x z − δx δz + σ³ · mean, where σ is the fraction of the
    /// complementarity that the predictor leaves.
    #[test]
    fn a_step_between_half_lines_is_that_of_mehrotra() {
        let (x, z) = ([2.0, 1.0], [3.0, 0.25]);
        for limited in [1.0, 40.0] {
            let mut problem = problem(&[(0, 0.0); 2], &[&[1.0, 0.0], &[0.0, 1.0]], &[0.0; 2]);
            let mut system = SparseSystem::default();
            system.prepare(&problem);
            let mut method = InteriorPoint::default();
            method.begin(&problem);
            let z = [z[0] * limited, z[1]];
            (0..2).for_each(|row| problem.set_row(row, z[row] - x[row], 0.0));
            method.x.copy_from_slice(&x);
            method.z.copy_from_slice(&z);
            method.measure(&mut problem, 1.0);
            assert_eq!((method.largest_residual, method.residual.as_slice()), (0.0, &[0.0; 2][..]));
            let length = method.step(&problem, &mut system, 1.0, false);

            // With dz = dx, because G = 1 and slips are right.
            let predictor = [0, 1].map(|i| -x[i] * z[i] / (x[i] + z[i]));
            let longest = |dx: [f64; 2]| (0..2).fold(f64::INFINITY, |most: f64, i| most.min(-x[i].min(z[i]) / dx[i]));
            let far = longest(predictor).min(1.0);
            let now = x[0] * z[0] + x[1] * z[1];
            let left: f64 = (0..2).map(|i| (x[i] + far * predictor[i]) * (z[i] + far * predictor[i])).sum();
            let target = (left / now).powi(3) * now / 2.0;
            let corrected = [0, 1].map(|i| (target - x[i] * z[i] - predictor[i].powi(2)) / (x[i] + z[i]));
            for i in 0..2 {
                assert!((method.dx[i] - corrected[i]).abs() < 1e-10, "{} instead of {}", method.dx[i], corrected[i]);
                assert!((method.dz[i] - corrected[i]).abs() < 1e-10, "{} instead of {}", method.dz[i], corrected[i]);
            }
            assert!(
                (length - ((1.0 - Settings::DEFAULT.interior_margin) * longest(corrected)).min(1.0)).abs() < 1e-9,
                "{length}"
            );
        }
    }

    /// With a dual residual as large as the slips, and a predictor that would reduce complementarity to zero, part of
    /// the complementarity is maintained: x = z = 1, G = 1 and b = −1 give dx = 0 and dz = −1 in the predictor.
    #[test]
    fn complementarity_stays_while_slips_are_wrong() {
        let mut problem = problem(&[(0, 0.0)], &[&[1.0]], &[-1.0]);
        let mut system = SparseSystem::default();
        system.prepare(&problem);
        let mut method = InteriorPoint::default();
        method.begin(&problem);
        method.measure(&mut problem, 1.0);
        assert_eq!((method.largest_residual, method.residual[0]), (1.0, -1.0));
        method.step(&problem, &mut system, 1.0, false);
        assert!(
            (method.dx[0] - 0.5 * Settings::DEFAULT.balance).abs() < 1e-10
                && (method.dz[0] + 1.0 - 0.5 * Settings::DEFAULT.balance).abs() < 1e-10
        );
    }

    /// Points inside the cone: on its axis, and beside it in several directions.
    const INSIDE_THE_CONE: [Vector; 4] = [[1.0, 0.0, 0.0], [5.0, 3.0, 1.0], [3.0, -1.0, 2.0], [0.7, 0.0, -0.6]];

    fn assert_near(found: Vector, expected: Vector) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-13), "{found:?} instead of {expected:?}");
    }

    #[test]
    fn scaling_brings_a_pair_together() {
        for x in INSIDE_THE_CONE {
            for z in INSIDE_THE_CONE {
                let mut cone = Cone { dimension: 3, ..Cone::default() };
                cone.scale(&x, &z);
                assert_near(cone.apply(&x), cone.apply_inverse(&z));
                assert_near(cone.lambda, cone.apply(&x));
                assert_near(cone.apply(&cone.apply_inverse(&x)), x);
                // W keeps the product of both, and the products of determinants.
                assert!((dot(&cone.lambda, &cone.lambda) - dot(&x, &z)).abs() < 1e-12);
                assert!((determinant(&cone.lambda).powi(2) - determinant(&x) * determinant(&z)).abs() < 1e-9);
            }
        }
        let mut half_line = Cone { dimension: 1, ..Cone::default() };
        half_line.scale(&[2.0, 0.0, 0.0], &[8.0, 0.0, 0.0]);
        assert_near(half_line.lambda, [4.0, 0.0, 0.0]);
    }

    #[test]
    fn quotients_undo_products() {
        for a in INSIDE_THE_CONE {
            for b in [[1.0, 2.0, 3.0], [-2.0, 0.5, 1.0]] {
                assert_near(divided(&jordan(&a, &b), &a), b);
            }
        }
        assert_near(jordan(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), [32.0, 13.0, 18.0]);
    }

    #[test]
    fn steps_end_where_a_ray_meets_the_cone() {
        for (at, step, expected) in [
            ([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], 1.0),
            ([1.0, 0.0, 0.0], [2.0, 1.0, 1.0], f64::INFINITY),
            ([2.0, 0.0, 0.0], [0.0, 0.6, 0.8], 2.0),
            ([5.0, 0.0, 4.0], [-1.0, 0.0, 0.0], 1.0),
            ([5.0, 3.0, 0.0], [0.0, 0.0, 2.0], 2.0),
            ([5.0, -4.0, 0.0], [0.0, 1.0, 0.0], 9.0),
            ([2.0, 1.0, 0.0], [-3.0, -2.0, 0.0], 0.6),
            ([2.0, 1.0, 0.0], [1.0, 1.0, 0.0], f64::INFINITY),
        ] {
            let found = to_boundary(&at, &step);
            assert!(found == expected || (found - expected).abs() < 1e-14, "{at:?} + {step:?}: {found}");
        }
    }
}
