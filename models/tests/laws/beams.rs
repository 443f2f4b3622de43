//! Geometrically exact beams: objectivity and balance of their forces, statics and vibrations against closed forms and
//! published digits.

use crate::common::noise;
use hamel::{Model, Signal, State, equilibrium, initial_state};
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_models::beam_cantilever::{BeamBend, BeamBendParameters, BeamCantilever, BeamCantileverParameters};
use nalgebra::{DMatrix, DVector, Matrix3, Quaternion, SymmetricEigen, UnitQuaternion, Vector3};

/// Coordinates of a node.
const NODE: usize = 7;

fn quaternion(e: &[f64]) -> Quaternion<f64> {
    Quaternion::new(e[0], e[1], e[2], e[3])
}

fn vector(x: &[f64]) -> Vector3<f64> {
    Vector3::from_column_slice(&x[..3])
}

/// A state near the reference, with unit Euler parameters.
fn deformed(model: &dyn Model, seed: usize, size: f64) -> State {
    let mut state = State::zeros(model.dims());
    model.reference_configuration(state.q.as_mut_slice());
    for (i, q) in state.q.iter_mut().enumerate() {
        let scale = if i % NODE < 3 { size } else { 0.1 };
        *q += scale * noise(100 * seed + i);
    }
    for node in 0..state.q.len() / NODE {
        let mut e = state.q.rows_mut(NODE * node + 3, 4);
        let norm = e.norm();
        e /= norm;
    }
    state.v.iter_mut().enumerate().for_each(|(i, v)| *v = noise(7 * seed + i + 50));
    state
}

fn beam_force(model: &dyn Model, state: &State) -> DVector<f64> {
    let mut f = DVector::zeros(model.dims().nv);
    model.applied_force(state.t, state.q.as_slice(), state.v.as_slice(), f.as_mut_slice());
    f
}

/// Positions and Euler parameters of all nodes, turned.
fn turned(x: &DVector<f64>, rotation: &UnitQuaternion<f64>) -> DVector<f64> {
    let mut result = x.clone();
    for node in 0..x.len() / NODE {
        let first = NODE * node;
        result.rows_mut(first, 3).copy_from(&(rotation * vector(&x.as_slice()[first..])));
        let e = rotation.quaternion() * quaternion(&x.as_slice()[first + 3..]);
        result.rows_mut(first + 3, 4).copy_from_slice(&[e.w, e.i, e.j, e.k]);
    }
    result
}

fn subjects() -> [(Box<dyn Model>, f64); 2] {
    let coupling = [[2e5, 1e5, 0.0], [0.0, 3e5, -1e5], [1e5, 0.0, 2e5]];
    let bend = BeamBend::new(BeamBendParameters { coupling_stiffness: coupling, ..Default::default() });
    [(Box::new(BeamCantilever::default()), 0.01), (Box::new(bend), 1.0)]
}

/// Whatever is turned and carried away as a whole answers with the same forces, turned.
#[test]
fn forces_are_objective() {
    let rotation = UnitQuaternion::from_euler_angles(1.1, -2.3, 0.4);
    for (model, size) in subjects() {
        for seed in 0..3 {
            let state = deformed(model.as_ref(), seed, size);
            let mut moved = State { q: turned(&state.q, &rotation), v: turned(&state.v, &rotation), ..state.clone() };
            for node in 0..state.q.len() / NODE {
                let mut place = moved.q.rows_mut(NODE * node, 3);
                place += Vector3::new(3.0, -2.0, 5.0) * size;
            }
            let (before, after) = (beam_force(model.as_ref(), &state), beam_force(model.as_ref(), &moved));
            let expected = turned(&before, &rotation);
            let error = (&after - &expected).amax() / expected.amax();
            assert!(error < 1e-12, "{}: {error:.1e}", model.describe().name);
        }
    }
}

/// A rigid motion strains nothing, so that damping does not answer to it.
#[test]
fn rigid_motion_is_not_damped() {
    let (velocity, omega) = (Vector3::new(1.0, 2.0, -3.0), Vector3::new(-2.0, 1.0, 0.5));
    for (model, size) in subjects() {
        let mut state = deformed(model.as_ref(), 4, size);
        state.v.fill(0.0);
        let at_rest = beam_force(model.as_ref(), &state);
        for node in 0..state.q.len() / NODE {
            let first = NODE * node;
            let place = vector(&state.q.as_slice()[first..]);
            state.v.rows_mut(first, 3).copy_from(&(velocity + omega.cross(&place)));
            let rate = Quaternion::from_imag(omega) * quaternion(&state.q.as_slice()[first + 3..]) * 0.5;
            state.v.rows_mut(first + 3, 4).copy_from_slice(&[rate.w, rate.i, rate.j, rate.k]);
        }
        let error = (beam_force(model.as_ref(), &state) - &at_rest).amax() / at_rest.amax();
        assert!(error < 1e-12, "{}: {error:.1e}", model.describe().name);
    }
}

/// What a beam does to its nodes has neither a resultant nor a moment.
#[test]
fn forces_balance() {
    for (model, size) in subjects() {
        let state = deformed(model.as_ref(), 5, size);
        let f = beam_force(model.as_ref(), &state);
        let (mut resultant, mut moment) = (Vector3::zeros(), Vector3::zeros());
        for node in 0..f.len() / NODE {
            let (q, f) = (&state.q.as_slice()[NODE * node..], &f.as_slice()[NODE * node..]);
            resultant += vector(f);
            // Of f = 2 M ∘ e the moment is the vector part of ½ f ∘ ē.
            moment +=
                vector(q).cross(&vector(f)) + (quaternion(&f[3..]) * quaternion(&q[3..]).conjugate()).imag() * 0.5;
        }
        let reach = 1.0 + state.q.amax();
        assert!(resultant.amax() < 1e-12 * f.amax(), "{}: {resultant}", model.describe().name);
        assert!(moment.amax() < 1e-12 * reach * f.amax(), "{}: {moment}", model.describe().name);
    }
}

/// The derivatives that Newton's method gets, by central differences of the compiled residual.
#[test]
fn derivatives_are_those_of_the_forces() {
    for (model, size) in subjects() {
        let state = deformed(model.as_ref(), 6, size);
        let info = model.describe();
        let (mut stiffness, mut damping) = (vec![0.0; info.stiffness.nnz()], vec![0.0; info.damping.nnz()]);
        let at = State { lambda: DVector::zeros(info.constraints.len()), a: DVector::zeros(state.v.len()), ..state };
        model.stiffness(&at, &mut stiffness);
        model.damping(&at, &mut damping);
        let residual = |state: &State| {
            let (mut r, mut g) = (DVector::zeros(state.v.len()), vec![0.0; info.constraints.len()]);
            model.residual(state, r.as_mut_slice(), &mut g);
            r
        };
        let differences = |h: f64, vary: &dyn Fn(&mut State, usize, f64)| {
            let columns: Vec<DVector<f64>> = (0..at.v.len())
                .map(|column| {
                    let [ahead, behind] = [h, -h].map(|step| {
                        let mut moved = at.clone();
                        vary(&mut moved, column, step);
                        residual(&moved)
                    });
                    (ahead - behind) / (2.0 * h)
                })
                .collect();
            DMatrix::from_columns(&columns)
        };
        let by_position = differences(1e-6, &|state, column, step| state.q[column] += step);
        // Forces are quadratic in velocities, so that no step is too large.
        let by_velocity = differences(1.0, &|state, column, step| state.v[column] += step);
        for (found, expected) in
            [(info.stiffness.to_dense(&stiffness), by_position), (info.damping.to_dense(&damping), by_velocity)]
        {
            let error = (&found - &expected).amax() / expected.amax();
            assert!(error < 1e-8, "{}: {error:.1e}", info.name);
        }
    }
}

/// Equilibria under loads that grow in steps: the last.
fn under_load<M: Model>(model: &mut M, steps: usize, load: impl Fn(&mut M, f64)) -> State {
    let mut state = initial_state(model).unwrap();
    for step in 1..=steps {
        load(model, step as f64 / steps as f64);
        state = equilibrium(model, &state).unwrap().state;
    }
    state
}

fn node_position(state: &State, node: usize) -> Vector3<f64> {
    vector(&state.q.as_slice()[NODE * node..])
}

/// A moment M at the end bends a beam into an arc of curvature M/EI: rotations are exact, and a full turn closes.
#[test]
fn an_end_moment_rolls_the_beam_up() {
    let mut model = BeamCantilever::default();
    let full = 2.0 * std::f64::consts::PI * 100.0;
    for (part, tolerance) in [(0.5, 2e-5), (1.0, 1e-9)] {
        let state = under_load(&mut model, 10, |model, load| model.inputs.turn_z = Signal::from(load * part * full));
        let angle = part * 2.0 * std::f64::consts::PI;
        let nodes = state.q.len() / NODE;
        for node in 0..nodes {
            let share = angle * node as f64 / (nodes - 1) as f64;
            let e = quaternion(&state.q.as_slice()[NODE * node + 3..]);
            let expected = Quaternion::new((0.5 * share).cos(), 0.0, 0.0, (0.5 * share).sin());
            let error = (e - expected).norm().min((e + expected).norm());
            assert!(error < 1e-9, "node {node}: {error:.1e}");
        }
        let expected = Vector3::new(angle.sin(), 1.0 - angle.cos(), 0.0) / angle;
        let error = (node_position(&state, nodes - 1) - expected).norm();
        assert!(error < tolerance, "{angle} rad: {error:.1e}");
    }
}

/// A clamped beam as a continuum under a force at its end, without elements: whoever knows where the end stands knows all
/// moments, and integrates from the clamp to the end (Runge and Kutta); Newton's method makes both ends meet.
struct Continuum {
    length: f64,
    /// Stiffness against strains and against curvatures, in the axes of the section.
    force_stiffness: Vector3<f64>,
    moment_stiffness: Vector3<f64>,
    curvature: Vector3<f64>,
    root: UnitQuaternion<f64>,
}

impl Continuum {
    /// Rates along the beam of position and axes.
    fn rate(
        &self,
        x: &(Vector3<f64>, Quaternion<f64>),
        end: Vector3<f64>,
        force: Vector3<f64>,
    ) -> (Vector3<f64>, Quaternion<f64>) {
        let axes = UnitQuaternion::from_quaternion(x.1);
        let strain = Vector3::x() + axes.inverse_transform_vector(&force).component_div(&self.force_stiffness);
        let moment = axes.inverse_transform_vector(&(end - x.0).cross(&force));
        let curvature = self.curvature + moment.component_div(&self.moment_stiffness);
        (axes * strain, x.1 * Quaternion::from_imag(curvature) * 0.5)
    }

    fn integrate(&self, end: Vector3<f64>, force: Vector3<f64>) -> (Vector3<f64>, Quaternion<f64>) {
        let steps = 400;
        let h = self.length / f64::from(steps);
        let mut x = (Vector3::zeros(), *self.root.quaternion());
        for _ in 0..steps {
            let at = |k: &(Vector3<f64>, Quaternion<f64>), part: f64| {
                self.rate(&(x.0 + k.0 * part, x.1 + k.1 * part), end, force)
            };
            let k1 = self.rate(&x, end, force);
            let k2 = at(&k1, 0.5 * h);
            let k3 = at(&k2, 0.5 * h);
            let k4 = at(&k3, h);
            x = (
                x.0 + (k1.0 + k2.0 * 2.0 + k3.0 * 2.0 + k4.0) * (h / 6.0),
                x.1 + (k1.1 + k2.1 * 2.0 + k3.1 * 2.0 + k4.1) * (h / 6.0),
            );
        }
        x
    }

    /// Position and axes of the end, by way of smaller forces.
    fn end(&self, force: Vector3<f64>) -> (Vector3<f64>, Quaternion<f64>) {
        let mut end = self.integrate(Vector3::zeros(), Vector3::zeros()).0;
        let step = 1e-6 * self.length;
        for part in (1..=20).map(|k| f64::from(k) / 20.0) {
            for _ in 0..8 {
                let miss = |end| self.integrate(end, force * part).0 - end;
                let slopes = [Vector3::x(), Vector3::y(), Vector3::z()]
                    .map(|axis| (miss(end + axis * step) - miss(end - axis * step)) / (2.0 * step));
                end -= Matrix3::from_columns(&slopes).lu().solve(&miss(end)).unwrap();
            }
        }
        self.integrate(end, force)
    }
}

/// P L²/EI, deflection and shortening by L, and the angle of the end of a slender cantilever, by elliptic integrals:
/// K. Mattiasson, Int. J. Numer. Meth. Engng 17 (1981) 145-153.
const ELASTICA: [(f64, [f64; 3]); 4] = [
    (1.0, [0.30172, 0.05643, 0.46135]),
    (2.0, [0.49346, 0.16064, 0.78175]),
    (5.0, [0.71379, 0.38763, 1.21537]),
    (10.0, [0.81061, 0.55500, 1.43029]),
];

#[test]
fn an_end_force_makes_the_elastica() {
    let BeamCantileverParameters { axial, shear, torsion, bending, length, .. } = BeamCantileverParameters::default();
    let continuum = Continuum {
        length,
        force_stiffness: Vector3::new(axial, shear[0], shear[1]),
        moment_stiffness: Vector3::new(torsion, bending[0], bending[1]),
        curvature: Vector3::zeros(),
        root: UnitQuaternion::identity(),
    };
    let slender = Continuum { force_stiffness: Vector3::repeat(1e12), ..continuum };
    for (load, published) in ELASTICA {
        let force = Vector3::y() * load * bending[1];
        let (end, axes) = slender.end(force);
        let found = [end.y, 1.0 - end.x, 2.0 * axes.k.atan2(axes.w)];
        assert!(found.iter().zip(published).all(|(a, b)| (a - b).abs() < 6e-6), "{load}: {found:?}");

        let mut model = BeamCantilever::default();
        let state = under_load(&mut model, 10, |model, part| model.inputs.push_y = Signal::from(part * force.y));
        let error = (node_position(&state, 20) - continuum.end(force).0).norm();
        assert!(error < 2e-5, "{load}: {error:.1e}");
    }
}

/// The 45° bend, which rises out of its plane, beside the continuum and published positions of its end.
#[test]
fn the_bend_reaches_published_positions() {
    let mut model = BeamBend::default();
    let state = under_load(&mut model, 6, |model, part| model.inputs.load = Signal::from(600.0 * part));
    let tip = node_position(&state, 16);
    let BeamBendParameters { radius, force_stiffness, moment_stiffness, .. } = BeamBendParameters::default();
    let continuum = Continuum {
        length: radius * std::f64::consts::FRAC_PI_4,
        force_stiffness: Vector3::from(force_stiffness),
        moment_stiffness: Vector3::from(moment_stiffness),
        curvature: Vector3::new(0.0, 0.0, -1.0 / radius),
        root: UnitQuaternion::from_euler_angles(0.0, 0.0, std::f64::consts::FRAC_PI_2),
    };
    let error = (tip - continuum.end(Vector3::z() * 600.0).0).norm();
    assert!(error < 1e-3, "{error:.1e}");
    // K.-J. Bathe and S. Bolourchi (1979), eight straight elements; J. C. Simo and L. Vu-Quoc, Comput. Meth. Appl. Mech.
    // Engng 58 (1986) 79-116, eight linear elements, whose digits nothing at hand confirms.
    for published in [Vector3::new(15.9, 47.2, 53.4), Vector3::new(15.79, 47.23, 53.37)] {
        assert!((tip - published).amax() < 0.25, "{tip}");
    }
}

/// A clamped beam of MESH elements for which Euler and Bernoulli's formula holds, bars and shafts beside it.
const SLENDER: &str = "model Slender {
    flexible beam: beam_three_node {
        length: 2 m, elements: MESH, axial: 3e4 N, shear: [1e9, 1e9] N, torsion: 7 N m^2, bending: [11, 5] N m^2,
        mass_per_length: 0.5 kg/m, inertia_per_length: [2e-3, 1e-9, 1e-9] kg m,
    }
    joint clamp: fixed(ground, beam.root);
}";

/// Squares of the angular frequencies of small vibrations about the reference configuration.
fn squared_frequencies(elements: usize) -> Vec<f64> {
    let source = SLENDER.replace("MESH", &elements.to_string());
    let stages = hamel_compiler::stages(source.parse().unwrap()).unwrap();
    let model = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, defaults(&stages.schedule));
    let layout = &stages.simplified.layout;
    let (nv, nc) = (layout.velocities.len(), layout.constraints.len());
    let zeros = |n: usize| vec![0.0; n];
    let at = Point {
        t: 0.0,
        inputs: Vec::new(),
        q: model.reference_configuration(),
        v: zeros(nv),
        a: zeros(nv),
        lambda: zeros(nc),
        tau: Vec::new(),
    };
    let matrix = |role, rows| {
        let output = model.output(FunctionRole::Linearization, role, &at, (rows, nv));
        DMatrix::from_row_slice(rows, nv, &output.values)
    };
    let (m, k, g) = (matrix(Role::MassMatrix, nv), matrix(Role::Stiffness, nv), matrix(Role::ConstraintJacobian, nc));
    // Motions that the constraints leave free.
    let decomposition = SymmetricEigen::new(g.transpose() * &g);
    let free: Vec<_> = (0..nv)
        .filter(|&i| decomposition.eigenvalues[i] < 1e-9)
        .map(|i| decomposition.eigenvectors.column(i).into_owned())
        .collect();
    let free = DMatrix::from_columns(&free);
    let (m, k) = (free.transpose() * m * &free, free.transpose() * k * &free);
    let motion = m.cholesky().unwrap().solve(&k);
    motion.complex_eigenvalues().iter().map(|value| value.re).collect()
}

/// Natural frequencies of a clamped beam: bending both ways by Euler and Bernoulli, stretching, twisting. Finer meshes come
/// nearer, at the order of lumped masses.
#[test]
fn vibrations_have_the_frequencies_of_the_continuum() {
    let (length, mass) = (2.0_f64, 0.5);
    let bending = |beta: f64, stiffness: f64| (beta / length).powi(4) * stiffness / mass;
    let quarter = (std::f64::consts::FRAC_PI_2 / length).powi(2);
    let expected = [
        bending(1.875_104_068_711_961, 5.0),
        bending(1.875_104_068_711_961, 11.0),
        bending(4.694_091_132_974_175, 5.0),
        bending(4.694_091_132_974_175, 11.0),
        quarter * 3e4 / mass,
        quarter * 7.0 / 2e-3,
    ];
    let errors = [4, 8].map(|elements| {
        let found = squared_frequencies(elements);
        expected.map(|expected| found.iter().map(|found| (found / expected - 1.0).abs()).fold(f64::INFINITY, f64::min))
    });
    for (coarse, fine) in errors[0].iter().zip(errors[1]) {
        assert!(fine < 5e-3 && *coarse / fine > 3.5, "{errors:?}");
    }
}

/// As a whole a straight beam has the inertia of a rigid rod: its mass, and m L²/3 + i L about its root.
#[test]
fn the_undeformed_beam_has_the_inertia_of_a_rigid_one() {
    let model = BeamCantilever::default();
    let mut state = State::zeros(model.dims());
    model.reference_configuration(state.q.as_mut_slice());
    let inertia = [2e-4, 1e-4 + 1.0 / 3.0, 1e-4 + 1.0 / 3.0];
    for (axis, expected) in inertia.iter().enumerate() {
        let mut omega = Vector3::zeros();
        omega[axis] = 3.0;
        for node in 0..state.q.len() / NODE {
            let place = node_position(&state, node);
            state.v.rows_mut(NODE * node, 3).copy_from(&omega.cross(&place));
            let rate = Quaternion::from_imag(omega) * quaternion(&state.q.as_slice()[NODE * node + 3..]) * 0.5;
            state.v.rows_mut(NODE * node + 3, 4).copy_from_slice(&[rate.w, rate.i, rate.j, rate.k]);
        }
        let kinetic = model.energy(0.0, state.q.as_slice(), state.v.as_slice()).kinetic;
        assert!((kinetic - 4.5 * expected).abs() < 1e-14, "axis {axis}: {kinetic}");
    }
}

/// Newton's method doubles the digits: half the distance from an equilibrium leaves a quarter of the error.
#[test]
fn equilibria_are_found_quadratically() {
    let mut model = BeamBend::default();
    let found = under_load(&mut model, 2, |model, part| model.inputs.load = Signal::from(200.0 * part));
    let after_one_step = |size: f64| {
        let mut start = found.clone();
        start.q.iter_mut().enumerate().for_each(|(i, q)| *q += size * noise(i));
        equilibrium(&model, &start).unwrap().corrections[1]
    };
    let ratio = after_one_step(1e-6) / after_one_step(5e-7);
    assert!((ratio - 4.0).abs() < 0.1, "{ratio}");
}
