//! What contacts measure: gaps, their gradients, directions of slip and the rest of their time derivatives, against dual
//! numbers, finite differences, hand derivations, printed digits and other coordinates.

use crate::common::{Subject, arbitrary_state, for_each, point, velocity_map};
use hamel::{ContactLaw, Model, State};
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::expr::Dual;
use hamel_models::slider_crank_clearance::SliderCrankClearanceParameters;
use hamel_models::{
    DiscPile, RollingBall, RollingBallJoint, SliderCrankClearance, SliderCrankClearanceAbsolute, StickSlip,
};
use nalgebra::{DMatrix, DVector, Vector3};

fn gaps(model: &dyn Model, t: f64, q: &DVector<f64>) -> DVector<f64> {
    let mut gaps = DVector::zeros(model.describe().contacts.len());
    model.contact_gap(t, q.as_slice(), gaps.as_mut_slice());
    gaps
}

/// Wᵀ, dense.
fn directions(model: &dyn Model, t: f64, q: &DVector<f64>) -> DMatrix<f64> {
    let pattern = &model.describe().contact_jacobian;
    let mut values = vec![0.0; pattern.nnz()];
    model.contact_jacobian(t, q.as_slice(), &mut values);
    pattern.to_dense(&values)
}

/// Relative velocities and accelerations less Wᵀ v and Wᵀ a.
fn bias(model: &dyn Model, t: f64, q: &DVector<f64>, v: &DVector<f64>) -> (DVector<f64>, DVector<f64>) {
    let n = model.describe().contact_jacobian.rows;
    let (mut rate, mut acceleration) = (DVector::zeros(n), DVector::zeros(n));
    model.contact_bias(t, q.as_slice(), v.as_slice(), rate.as_mut_slice(), acceleration.as_mut_slice());
    (rate, acceleration)
}

/// Relative velocities and accelerations of a state, normal and tangents contact by contact.
fn relative_motion(model: &dyn Model, state: &State) -> (DVector<f64>, DVector<f64>) {
    let w = directions(model, state.t, &state.q);
    let (rate, acceleration) = bias(model, state.t, &state.q, &state.v);
    (&w * &state.v + rate, &w * &state.a + acceleration)
}

/// Rows of the normals among the rows of Wᵀ.
fn normals(model: &dyn Model) -> Vec<usize> {
    let contacts = &model.describe().contacts;
    let first = |index: usize| contacts[..index].iter().map(|contact| 1 + contact.tangents).sum();
    (0..contacts.len()).map(first).collect()
}

fn with_contacts(law: impl Fn(&Subject)) {
    let mut count = 0;
    let counted = std::cell::RefCell::new(&mut count);
    for_each(|s| {
        if !s.model.describe().contacts.is_empty() {
            **counted.borrow_mut() += 1;
            law(s);
        }
    });
    assert!(count >= 8, "{count} models have contacts");
}

fn assert_close(what: &str, a: &DVector<f64>, b: &DVector<f64>, tolerance: f64) {
    assert_eq!(a.len(), b.len(), "{what}");
    let error = (a - b).amax() / a.amax().max(b.amax()).max(1.0);
    assert!(error <= tolerance, "{what}: relative error {error:.2e}");
}

#[test]
fn compiled_contacts_are_what_the_interpreter_runs() {
    with_contacts(|s| {
        let (model, name) = (s.model.as_ref(), s.entry.name);
        let state = arbitrary_state(model, 2);
        let (at, interpreter) = (point::<f64>(model, &state), s.interpreter::<f64>());
        let output = |function, role, rows, columns| {
            DVector::from_vec(interpreter.output(function, role, &at, (rows, columns)).values)
        };
        let info = model.describe();
        let (n, rows, nv) = (info.contacts.len(), info.contact_jacobian.rows, model.dims().nv);
        assert_eq!(rows, info.contacts.iter().map(|contact| 1 + contact.tangents).sum::<usize>(), "{name}");
        let expected = output(FunctionRole::ContactGap, Role::ContactGap, n, 1);
        assert_close(name, &gaps(model, state.t, &state.q), &expected, 1e-13);
        let w = directions(model, state.t, &state.q);
        let expected = output(FunctionRole::ContactJacobian, Role::ContactJacobian, rows, nv);
        assert_close(name, &DVector::from_column_slice(w.transpose().as_slice()), &expected, 1e-13);
        let (rate, acceleration) = bias(model, state.t, &state.q, &state.v);
        assert_close(name, &rate, &output(FunctionRole::ContactBias, Role::ContactRate, rows, 1), 1e-13);
        let expected = output(FunctionRole::ContactBias, Role::ContactAcceleration, rows, 1);
        assert_close(name, &acceleration, &expected, 1e-13);
    });
}

/// Rows of the normals, and their rates, against dual numbers through the gaps alone.
#[test]
fn normals_are_gradients_of_the_gaps() {
    with_contacts(|s| {
        let (model, n) = (s.model.as_ref(), s.model.describe().contacts.len());
        let interpreter = s.interpreter::<Dual>();
        for seed in 0..2 {
            let state = arbitrary_state(model, seed);
            let mut at = point::<Dual>(model, &state);
            // One more direction than velocities: time.
            let nv = model.dims().nv;
            let columns = velocity_map(model, &state.q);
            let moving = state
                .q
                .iter()
                .enumerate()
                .map(|(i, &q)| Dual::with_slopes(q, columns.row(i).iter().copied().chain([0.0]).collect()));
            at.q = moving.collect();
            at.t = Dual::variable(state.t, nv, nv + 1);
            let gaps = interpreter.output(FunctionRole::ContactGap, Role::ContactGap, &at, (n, 1)).values;
            let w = directions(model, state.t, &state.q);
            let (rate, _) = bias(model, state.t, &state.q, &state.v);
            for (gap, row) in gaps.iter().zip(normals(model)) {
                let slopes = DVector::from_fn(nv, |j, _| gap.slope(j));
                assert_close(s.entry.name, &w.row(row).transpose(), &slopes, 1e-13);
                assert!((rate[row] - gap.slope(nv)).abs() < 1e-13, "{}", s.entry.name);
            }
        }
    });
}

/// Along q̇ = N v with constant v, the derivative of Wᵀ v + rate is the bias of the accelerations.
#[test]
fn bias_is_the_rest_of_the_relative_acceleration() {
    with_contacts(|s| {
        let model = s.model.as_ref();
        let state = arbitrary_state(model, 4);
        let (_, acceleration) = bias(model, state.t, &state.q, &state.v);
        let velocity = |q: DVector<f64>, t: f64| {
            let (rate, _) = bias(model, t, &q, &state.v);
            directions(model, t, &q) * &state.v + rate
        };
        let step = 1e-5;
        let along = velocity_map(model, &state.q) * &state.v * step;
        let ahead = velocity(&state.q + &along, state.t + step);
        let behind = velocity(&state.q - &along, state.t - step);
        assert_close(s.entry.name, &((ahead - behind) / (2.0 * step)), &acceleration, 1e-7);
    });
}

/// Values at one state that were computed by an independent program. [rezaei, Eqs. 171-180]
#[test]
fn slider_crank_with_clearance() {
    let model = SliderCrankClearance::default();
    let q = DVector::from_column_slice(&[0.7, -0.4, 0.01]);
    let close = |found: DVector<f64>, expected: &[f64]| {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-14, "{found:e} instead of {expected:e}");
        }
        assert_eq!(found.len(), expected.len());
    };
    let expected = [0.022097948255372035, 0.02109796492195537, -0.020095448276205297, -0.01909546494278863];
    close(gaps(&model, 0.0, &q), &expected);
    let (by_crank, by_rod) = (0.11702085465452673, 0.28184466416488285);
    let normals = [
        [-by_crank, -by_rod, 0.05024749585418743],
        [-by_crank, -by_rod, -0.0497475041874791],
        [by_crank, by_rod, -0.0497475041874791],
        [by_crank, by_rod, 0.05024749585418743],
    ];
    let (by_crank, by_rod) = (-0.09856530614736672, 0.11916201274644705);
    let tangents = [
        [by_crank, by_rod, -0.0244987583437083],
        [by_crank, by_rod, -0.025498741677124966],
        [by_crank, by_rod, 0.025498741677124966],
        [by_crank, by_rod, 0.0244987583437083],
    ];
    let w = directions(&model, 0.0, &q);
    for i in 0..4 {
        close(w.row(2 * i).transpose(), &normals[i]);
        close(w.row(2 * i + 1).transpose(), &tangents[i]);
    }

    let mut mass = vec![0.0; model.describe().mass_matrix.nnz()];
    model.mass_matrix(q.as_slice(), &mut mass);
    let mass = model.describe().mass_matrix.to_dense(&mass);
    let (m11, m12, m22) = (0.0029650114999999998, 0.0020174640052257544, 0.008595878);
    close(DVector::from_column_slice(mass.as_slice()), &[m11, m12, 0.0, m12, m22, 0.0, 0.0, 0.0, 2.7e-06]);
    let v = [50.0, -20.0, 3.0];
    let (mut h, mut f) = (DVector::zeros(3), DVector::zeros(3));
    model.bias_force(q.as_slice(), &v, h.as_mut_slice());
    model.applied_force(0.0, q.as_slice(), &v, f.as_mut_slice());
    close(f - h, &[-1.7382133746609394, 9.646914583778655, 0.0]);
}

/// Corners as points over lines, by the centres of the bodies: the same gaps, and along the same motion the same relative
/// velocities and accelerations; tangents of the roof point the other way.
#[test]
fn coordinates_of_joints_and_of_bodies_see_the_same_contacts() {
    let (joint, absolute) = (SliderCrankClearance::default(), SliderCrankClearanceAbsolute::default());
    let (l1, l2) = (0.153, 0.306);
    for seed in 0..5 {
        let state = arbitrary_state(&joint, seed);
        let arm = |length: f64, i: usize| {
            let (angle, rate, spin): (f64, f64, f64) = (state.q[i], state.v[i], state.a[i]);
            let along = nalgebra::Vector2::new(angle.cos(), angle.sin()) * length;
            let across = nalgebra::Vector2::new(-along.y, along.x);
            [along, across * rate, across * spin - along * rate * rate]
        };
        let (crank, rod) = (arm(l1, 0), arm(l2, 1));
        let angles = [&state.q, &state.v, &state.a];
        let bodies: [DVector<f64>; 3] = std::array::from_fn(|level| {
            let (c, r, turn) = (crank[level], rod[level], angles[level]);
            let centers = [c * 0.5, c + r * 0.5, c + r];
            let rows = centers.iter().enumerate().flat_map(|(i, center)| [center.x, center.y, turn[i]]);
            DVector::from_iterator(9, rows)
        });
        let [q, v, a] = bodies;
        let moved = State { q, v, a, ..State::zeros(absolute.dims()) };
        assert_close("gaps", &gaps(&joint, 0.0, &state.q), &gaps(&absolute, 0.0, &moved.q), 1e-14);
        let roof_turned = DVector::from_column_slice(&[1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0, 1.0]);
        let (velocities, accelerations) = relative_motion(&joint, &state);
        let (other_velocities, other_accelerations) = relative_motion(&absolute, &moved);
        assert_close("velocities", &velocities, &other_velocities.component_mul(&roof_turned), 1e-13);
        assert_close("accelerations", &accelerations, &other_accelerations.component_mul(&roof_turned), 1e-13);
    }
}

/// Gap z − r and slip v + ω × (−r n), by hand, in both coordinates of a rotation.
#[test]
fn rolling_ball() {
    let radius = 0.1;
    let normal = Vector3::new(0.0, 0.0, radius);
    for seed in 0..5 {
        let model = RollingBallJoint::default();
        let state = arbitrary_state(&model, seed);
        let rotation = nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(
            state.q[3], state.q[4], state.q[5], state.q[6],
        ));
        let velocity = rotation * state.v.fixed_rows::<3>(0).into_owned();
        let omega = rotation * state.v.fixed_rows::<3>(3).into_owned();
        let slip = velocity - omega.cross(&normal);
        let expected = DVector::from_column_slice(&[velocity.z, slip.x, slip.y]);
        assert_close("joint", &relative_motion(&model, &state).0, &expected, 1e-14);
        assert!((gaps(&model, 0.0, &state.q)[0] - (state.q[2] - radius)).abs() < 1e-15);

        let model = RollingBall::default();
        let other = velocity_map(&RollingBallJoint::default(), &state.q) * &state.v;
        let moved = State { q: state.q.clone(), v: other, ..State::zeros(model.dims()) };
        assert_close("absolute", &relative_motion(&model, &moved).0, &expected, 1e-14);
        assert!((gaps(&model, 0.0, &moved.q)[0] - (state.q[2] - radius)).abs() < 1e-15);
    }
}

/// Two discs: the distance of their centres, and the velocities of the points that face each other, by hand.
#[test]
fn discs() {
    let model = DiscPile::default();
    let info = model.describe();
    let state = arbitrary_state(&model, 1);
    let place = |name: &str| info.coordinates.iter().position(|channel| channel.name == name).unwrap();
    let contact = info.contacts.iter().position(|contact| contact.name == "on[3,2,1]").unwrap();
    let (a, b) = (place("disc[3,2].x"), place("disc[2,3].x"));
    let vector = |values: &DVector<f64>, i: usize| nalgebra::Vector2::new(values[i], values[i + 1]);
    let apart = vector(&state.q, a) - vector(&state.q, b);
    let radius = 0.02;
    assert!((gaps(&model, 0.0, &state.q)[contact] - (apart.norm() - 2.0 * radius)).abs() < 1e-15);
    let normal = apart.normalize();
    let across = |w: f64, arm: nalgebra::Vector2<f64>| nalgebra::Vector2::new(-w * arm.y, w * arm.x);
    let facing = vector(&state.v, a) + across(state.v[a + 2], -normal * radius)
        - vector(&state.v, b)
        - across(state.v[b + 2], apart - normal * radius);
    let expected = DVector::from_column_slice(&[facing.dot(&normal), facing.x * normal.y - facing.y * normal.x]);
    let row = normals(&model)[contact];
    let found = relative_motion(&model, &state).0.rows(row, 2).into_owned();
    assert_close("facing points", &found, &expected, 1e-14);
}

/// The belt moves under the block: what is left of the slip where v = 0.
#[test]
fn the_belt_has_a_speed() {
    let model = StickSlip::default();
    let state = arbitrary_state(&model, 0);
    let (rate, acceleration) = bias(&model, 0.0, &state.q, &state.v);
    assert_eq!((rate.as_slice(), acceleration.as_slice()), ([0.0, -0.1].as_slice(), [0.0, 0.0].as_slice()));
}

/// Two formulations of one system begin alike: energies, gaps, and how these begin to change before any contact pushes,
/// which depends on everything in the equations of motion. Tangents may point the other way.
#[test]
fn formulations_with_contacts_begin_alike() {
    with_contacts(|s| {
        let Some(other) = s.entry.same_as.map(crate::common::find) else { return };
        let start = |s: &Subject| {
            let model = s.model.as_ref();
            let state = hamel::initial_state(model).unwrap_or_else(|error| panic!("{}: {error}", s.entry.name));
            let energy = model.energy(state.t, state.q.as_slice(), state.v.as_slice());
            let (velocities, accelerations) = relative_motion(model, &state);
            (energy.kinetic, gaps(model, state.t, &state.q), velocities.abs(), accelerations.abs())
        };
        let ((kinetic, gaps, velocities, accelerations), expected) = (start(s), start(other));
        let name = s.entry.name;
        assert!((kinetic - expected.0).abs() <= 1e-12 * kinetic, "{name}: {kinetic} and {}", expected.0);
        assert_close(name, &gaps, &expected.1, 1e-13);
        assert_close(name, &velocities, &expected.2, 1e-12);
        assert_close(name, &accelerations, &expected.3, 1e-11);
    });
}

#[test]
fn laws_follow_the_parameters() {
    let laws = |parameters| {
        let mut laws = [ContactLaw::default(); 4];
        SliderCrankClearance::new(parameters).contact_laws(&mut laws);
        laws
    };
    let printed = ContactLaw { restitution: 0.4, tangential_restitution: 0.0, friction: 0.01 };
    assert_eq!(laws(SliderCrankClearanceParameters::default()), [printed; 4]);
    let parameters = SliderCrankClearanceParameters { restitution: 0.1, friction: 0.1, ..Default::default() };
    assert_eq!(laws(parameters)[2], ContactLaw { restitution: 0.1, friction: 0.1, ..printed });

    let refused = |parameters: SliderCrankClearanceParameters| parameters.validate().unwrap_err().to_string();
    let parameters = SliderCrankClearanceParameters { restitution: 1.5, ..Default::default() };
    assert_eq!(refused(parameters), "the restitution of `corner[1]` is 1.5, expected a number from 0 to 1");
    let parameters = SliderCrankClearanceParameters { friction: -1.0, ..Default::default() };
    assert_eq!(refused(parameters), "the friction of `corner[1]` is -1, expected a number that is not negative");
}
