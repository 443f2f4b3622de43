//! Flexible members against formulas derived by hand, an independent implementation, and closed forms.

use crate::common::{arbitrary_state, noise};
use crate::rezaei_rod as rod;
use hamel::modal::{self, ModalError, Modes, Reduced};
use hamel::schemes;
use hamel::{Model, Signal, State, initial_state};
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::expr::Dual;
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_models::flexible_slider_crank::{FlexibleSliderCrankParameters, FlexibleSliderCrankPinnedParameters};
use hamel_models::{FlexibleCantilever, FlexibleSliderCrank, FlexibleSliderCrankPinned, SliderCrank};
use nalgebra::{DMatrix, DVector, RowDVector};

/// Changes to a pinned frame, whose last node does not move across it.
const PINNED: [(&str, &str); 2] = [("frame: tangent", "frame: pinned"), ("rod[n].y", "rod[n].angle")];

/// The stages of the flexible slider-crank with some of its text replaced.
fn variant(changes: &[(&str, &str)]) -> hamel_compiler::Stages {
    // Tokens are printed with or without a space before a colon and a bracket.
    let source = FlexibleSliderCrank::default().describe().source.clone();
    let mut source = source.replace(" : ", ": ").replace("rod [n]", "rod[n]");
    for (from, to) in changes {
        assert!(source.contains(from), "`{from}` is not in the model");
        source = source.replace(from, to);
    }
    hamel_compiler::stages(source.parse().unwrap()).unwrap()
}

fn at_rest(stages: &hamel_compiler::Stages) -> Point<f64> {
    let layout = &stages.simplified.layout;
    let zeros = |n: usize| vec![0.0; n];
    let (nq, nv) = (layout.coordinates.len(), layout.velocities.len());
    Point {
        t: 0.0,
        inputs: zeros(layout.inputs.len()),
        q: zeros(nq),
        v: zeros(nv),
        a: zeros(nv),
        lambda: zeros(layout.constraints.len()),
        tau: Vec::new(),
    }
}

/// M and h − f of the slider-crank with a rod of three elements, [rezaei, Eqs. 143-169] as corrected in SOURCES.md, with
/// the integrals of an independent implementation.
#[test]
fn slider_crank_with_three_elements() {
    let stages = variant(&[("const n = 20", "const n = 3")]);
    let interpreter = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, defaults(&stages.schedule));
    let (l1, m1, m2, m3, j1, j3, g) = (0.153, 0.038, 0.038, 0.076, 7.4e-5, 2.7e-6, 9.81);
    let matrix = |rows: &[[f64; 9]]| DMatrix::from_fn(rows.len(), 9, |i, j| rows[i][j]);
    let (s_bar, s_ff, s_tilde) = (matrix(&rod::S_BAR), matrix(&rod::S_FF), matrix(&rod::S_TILDE));
    let (i3, i4) = (RowDVector::from_row_slice(&rod::I3), RowDVector::from_row_slice(&rod::I4));
    for seed in 0..3 {
        let mut at = at_rest(&stages);
        at.q = (0..12).map(|i| noise(100 * seed + i)).collect();
        at.v = (0..12).map(|i| noise(100 * seed + 50 + i)).collect();
        // Deformations that are small beside the rod, so that no term drowns in the stiffness.
        at.q[2..11].iter_mut().for_each(|q| *q *= 1e-3);
        let (t1, t2, w1, w2) = (at.q[0], at.q[1], at.v[0], at.v[1]);
        let (q_f, v_f) = (DVector::from_column_slice(&at.q[2..11]), DVector::from_column_slice(&at.v[2..11]));
        let axes = DMatrix::from_row_slice(2, 2, &[t2.cos(), -t2.sin(), t2.sin(), t2.cos()]);
        let turned = DMatrix::from_row_slice(2, 2, &[-t2.sin(), -t2.cos(), t2.cos(), -t2.sin()]);
        let c1 = RowDVector::from_row_slice(&[-l1 * t1.sin(), l1 * t1.cos()]);
        let c11 = DVector::from_column_slice(&[-l1 * t1.cos(), -l1 * t1.sin()]);
        let p = DVector::from_column_slice(&[rod::I1, 0.0]) + &s_bar * &q_f;
        let mass = m2 + m3;

        let mut m = DMatrix::zeros(12, 12);
        m[(0, 0)] = mass * l1 * l1 + j1 + m1 * l1 * l1 / 4.0;
        m[(0, 1)] = (&c1 * &turned * &p)[0];
        m.view_mut((0, 2), (1, 9)).copy_from(&(&c1 * &axes * &s_bar));
        m[(1, 1)] = rod::I2 + 2.0 * (&i3 * &q_f)[0] + q_f.dot(&(&s_ff * &q_f));
        m.view_mut((1, 2), (1, 9)).copy_from(&(&i4 + q_f.transpose() * &s_tilde));
        m.view_mut((2, 2), (9, 9)).copy_from(&s_ff);
        m[(11, 11)] = j3;
        m.fill_lower_triangle_with_upper_triangle();

        let mut force = DVector::zeros(12);
        force[0] = (&c1 * &axes * &p)[0] * w2 * w2
            - 2.0 * w2 * (&c1 * &turned * &s_bar * &v_f)[0]
            - g * (mass * l1 + m1 * l1 / 2.0) * t1.cos();
        let lever = &i3 + (&s_ff * &q_f).transpose();
        force[1] = -(&turned * &p).dot(&c11) * w1 * w1 - 2.0 * w2 * (&lever * &v_f)[0] - g * (&turned * &p)[1];
        let weight = (&axes * &s_bar).row(1).transpose() * g;
        let flexible = -(s_bar.transpose() * axes.transpose() * &c11) * (w1 * w1)
            + lever.transpose() * (w2 * w2)
            + &s_tilde * &v_f * (2.0 * w2)
            - weight
            - matrix(&rod::STIFFNESS) * &q_f;
        force.rows_mut(2, 9).copy_from(&flexible);

        let found = interpreter.mass_matrix(&at.q);
        let found = DMatrix::from_row_slice(12, 12, &found.values);
        assert!((&found - &m).amax() <= 1e-13, "{found:.3e}{m:.3e}");
        let vector = |function, role| DVector::from_vec(interpreter.output(function, role, &at, (12, 1)).values);
        let rest =
            vector(FunctionRole::BiasForce, Role::BiasForce) - vector(FunctionRole::AppliedForce, Role::AppliedForce);
        let error = (&rest + &force).amax();
        assert!(error <= 1e-12 * force.amax(), "{error:.2e}{rest:.3e}{force:.3e}");
    }
}

/// Without deformation the flexible mechanism has the inertia of the rigid one.
#[test]
fn inertia_of_the_undeformed_rod_is_that_of_a_rigid_one() {
    let (rigid, flexible) = (SliderCrank::default(), FlexibleSliderCrank::default());
    let dense = |model: &dyn Model, q: &[f64]| {
        let pattern = &model.describe().mass_matrix;
        let mut values = vec![0.0; pattern.nnz()];
        model.mass_matrix(q, &mut values);
        pattern.to_dense(&values)
    };
    let n = flexible.dims().nq;
    for seed in 0..3 {
        let angles = [noise(seed), noise(seed + 10), noise(seed + 20)];
        let mut q = vec![0.0; n];
        (q[0], q[1], q[n - 1]) = (angles[0], angles[1], angles[2]);
        let (m, expected) = (dense(&flexible, &q), dense(&rigid, &angles));
        let places = [0, 1, n - 1];
        let error = (m.select_rows(&places).select_columns(&places) - expected).amax();
        assert!(error <= 1e-16, "{error:.2e}");
    }
}

/// The rod without the slider, which weighs nothing here.
fn rod_alone() -> FlexibleSliderCrank {
    FlexibleSliderCrank::new(FlexibleSliderCrankParameters { m3: 1e-18, ..Default::default() })
}

fn rod_modes(model: &dyn Model) -> Modes {
    modal::member_modes(model, "rod").unwrap()
}

fn assert_frequencies(found: &[f64], expected: &[f64]) {
    for (found, expected) in found.iter().zip(expected) {
        assert!((found / expected - 1.0).abs() < 1e-7, "{found} Hz for {expected} Hz");
    }
}

/// 52 of the modes of 20 elements are below 10⁷ Hz. [rezaei, Sec. 4.2]
#[test]
fn modes_in_a_tangent_frame() {
    let model = rod_alone();
    let modes = rod_modes(&model);
    assert_eq!((modes.frequencies.len(), modes.count_below(1e7)), (60, 52));
    assert_frequencies(&modes.frequencies, &rod::TANGENT_FREQUENCIES);
    assert_eq!(rod_modes(&FlexibleSliderCrank::default()).count_below(1e7), 52);
    assert_eq!(modes.lowest(61).unwrap_err(), ModalError::TooMany { asked: 61, available: 60 });
    let error = modal::natural_modes(&model, 0..model.dims().nv + 1, &vec![0.0; model.dims().nq]).unwrap_err();
    assert!(error.to_string().contains("not a run of displacements"), "{error}");
    assert!(
        modal::flexible_velocities(&model, "crank").unwrap_err().to_string().contains("no flexible member `crank`")
    );
}

/// With the frame at rest its first node turns together with the root, whose angle is the coordinate of the joint.
#[test]
fn modes_in_a_pinned_frame() {
    let model = FlexibleSliderCrankPinned::new(FlexibleSliderCrankPinnedParameters { m3: 1e-18, ..Default::default() });
    let info = model.describe();
    let velocities = modal::flexible_velocities(&model, "rod").unwrap();
    let place = |name: &str| info.velocities.iter().position(|known| known.name == name).unwrap();
    let mut motion = DMatrix::zeros(model.dims().nv, velocities.len());
    motion.view_mut((velocities.start, 0), (velocities.len(), velocities.len())).fill_with_identity();
    motion[(place("theta2"), place("rod[0].angle") - velocities.start)] = 1.0;
    let at = State::zeros(model.dims());
    let (mut mass, mut stiffness) = (vec![0.0; info.mass_matrix.nnz()], vec![0.0; info.stiffness.nnz()]);
    model.mass_matrix(at.q.as_slice(), &mut mass);
    model.stiffness(&at, &mut stiffness);
    let square = |matrix: DMatrix<f64>| motion.transpose() * matrix * &motion;
    let (mass, stiffness) = (square(info.mass_matrix.to_dense(&mass)), square(info.stiffness.to_dense(&stiffness)));
    let modes = Modes::of(velocities, mass, &stiffness).unwrap();
    assert_eq!(modes.frequencies.len(), 60);
    assert_frequencies(&modes.frequencies, &rod::PINNED_FREQUENCIES);
}

fn stepped(model: &dyn Model, n: usize) -> (Vec<f64>, State) {
    let scheme = schemes::by_name("generalized_alpha", &[]).unwrap();
    let mut stepper = scheme.start(model, initial_state(model).unwrap()).unwrap();
    for _ in 0..n {
        stepper.step(1e-5).unwrap();
    }
    let mut outputs = vec![0.0; model.describe().outputs.len()];
    model.outputs(stepper.state(), &mut outputs);
    (outputs, stepper.state().clone())
}

/// All modes span what the nodal coordinates do, whether the slider belongs to them or not; a few come close.
#[test]
fn all_modes_give_the_motion_of_the_nodes() {
    let model = FlexibleSliderCrank::default();
    let whole = stepped(&model, 30);
    for modes in [rod_modes(&model), rod_modes(&rod_alone())] {
        let reduced = Reduced::new(&model, &modes).unwrap();
        let (outputs, state) = stepped(&reduced, 30);
        let (crank, rod) = (state.q[0] - whole.1.q[0], state.q[1] - whole.1.q[1]);
        assert!(crank.abs() < 1e-10 && rod.abs() < 1e-10, "{crank:e}, {rod:e}");
        assert!((outputs[0] - whole.0[0]).abs() < 1e-10, "slider {} and {}", outputs[0], whole.0[0]);
        let few = Reduced::new(&model, &modes.lowest(10).unwrap()).unwrap();
        assert_eq!(few.dims().nv, model.dims().nv - 50);
        assert!((stepped(&few, 30).1.q[1] - whole.1.q[1]).abs() < 1e-6);
    }
    let [chosen, one_call] = [
        Reduced::new(&model, &rod_modes(&model).lowest(10).unwrap()).unwrap(),
        Reduced::member(&model, "rod", 10).unwrap(),
    ];
    assert_eq!(stepped(&chosen, 3).1, stepped(&one_call, 3).1);
    assert_eq!(Reduced::member(&model, "rod", 61).err(), Some(ModalError::TooMany { asked: 61, available: 60 }));
    assert!(Reduced::member(&model, "crank", 1).is_err());
}

/// What a reduced model gives is one model: its matrices are slopes of its residual and of its gaps.
#[test]
fn a_reduced_model_is_consistent() {
    let model = FlexibleSliderCrank::default();
    let reduced = Reduced::new(&model, &rod_modes(&model).selected(&[0, 2, 1]).unwrap()).unwrap();
    let (info, dims) = (reduced.describe(), reduced.dims());
    assert_eq!(info.velocities[4].name, "rod.mode[2]");
    let mut state = arbitrary_state(&reduced, 1);
    state.q.rows_mut(2, 3).scale_mut(1e-6);
    let (ca, cv, cq) = (0.7, 0.3, 0.05);
    let mut values = vec![0.0; info.iteration_matrix.nnz()];
    reduced.iteration_matrix(&state, ca, cv, cq, &mut values);
    let by_motion = info.iteration_matrix.to_dense(&values);
    let mut values = vec![0.0; info.contact_jacobian.nnz()];
    reduced.contact_jacobian(state.t, state.q.as_slice(), &mut values);
    let directions = info.contact_jacobian.to_dense(&values);
    let step = 1e-6;
    for column in 0..dims.nv {
        // Residual, then gaps, as the scheme moves the motion.
        let moved = |sign: f64| {
            let mut state = state.clone();
            state.a[column] += sign * step * ca;
            state.v[column] += sign * step * cv;
            state.q[column] += sign * step * cq;
            let (mut r, mut gaps) = (vec![0.0; dims.nv], vec![0.0; info.contacts.len()]);
            reduced.residual(&state, &mut r, &mut []);
            reduced.contact_gap(state.t, state.q.as_slice(), &mut gaps);
            (DVector::from_vec(r), DVector::from_vec(gaps))
        };
        let ((ahead, open), (behind, closed)) = (moved(1.0), moved(-1.0));
        let slope = (ahead - behind) / (2.0 * step);
        let error = (by_motion.column(column) - &slope).amax() / slope.amax().max(1.0);
        assert!(error <= 1e-7, "column {column}: {error:e}");
        let slope = (open - closed) / (2.0 * step * cq);
        for contact in 0..slope.len() {
            let error = (directions[(2 * contact, column)] - slope[contact]).abs();
            assert!(error <= 1e-8, "contact {contact}, column {column}: {error:e}");
        }
    }
}

/// Driven from rest by 1 N m with a clearance of 0.5 mm [rezaei, Table 2], Bathe's scheme: when the slider first strikes
/// the guide and how hard, and that both of its lower corners do, as an independent implementation found.
#[test]
fn the_slider_first_strikes_when_it_should() {
    let table_2 =
        FlexibleSliderCrankParameters { speed: 0.0, c: 5e-4, restitution: 0.1, friction: 0.1, ..Default::default() };
    let mut model = FlexibleSliderCrank::new(table_2);
    model.inputs.drive = Signal::from(1.0);
    let scheme = hamel::schemes::by_name("bathe", &[]).unwrap();
    let mut stepper = scheme.start(&model, initial_state(&model).unwrap()).unwrap();
    while stepper.contacts().is_some_and(|record| record.impacts == 0) && stepper.state().t < 0.01 {
        stepper.step(1e-5).unwrap();
    }
    let (t, record) = (stepper.state().t, stepper.contacts().unwrap());
    assert!((t - 0.00753).abs() < 1.01e-5, "{t} s");
    let normal: Vec<f64> = record.impulses.iter().step_by(2).copied().collect();
    let total: f64 = normal.iter().sum();
    assert!((total - 0.011_045).abs() < 5e-7, "{total} N s");
    assert_eq!(normal.iter().map(|impulse| *impulse > 0.0).collect::<Vec<_>>(), [false, false, true, true]);
    assert!(record.violation <= 1e-12 && record.least_loss >= 0.0, "{record:?}");
}

/// u = F l / (E A), w = F l³ / (3 E I) + M l² / (2 E I), w′ = F l² / (2 E I) + M l / (E I): cubics are exact, whatever the
/// number of elements; and the section carries the load.
#[test]
fn a_cantilever_bends_as_in_the_textbook() {
    let mut model = FlexibleCantilever::default();
    let (pull, load, moment): (f64, f64, f64) = (300.0, 2.0, -0.5);
    model.inputs.pull = Signal::from(pull);
    model.inputs.load = Signal::from(load);
    model.inputs.moment = Signal::from(moment);
    let (l, ea, ei) = (1.0, 2e11 * 1e-4, 2e11 * 1e-9);
    let info = model.describe();
    let mut state = State::zeros(model.dims());
    let (mut r, mut g) = (vec![0.0; model.dims().nv], Vec::new());
    model.residual(&state, &mut r, &mut g);
    let mut values = vec![0.0; info.stiffness.nnz()];
    model.stiffness(&state, &mut values);
    let step = info.stiffness.to_dense(&values).lu().solve(&DVector::from_vec(r)).unwrap();
    state.q -= step;
    let n = state.q.len();
    let [u, w, slope] = [state.q[n - 3], state.q[n - 2], state.q[n - 1]];
    let close = |what: &str, found: f64, expected: f64| {
        assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1e-3), "{what}: {found} for {expected}");
    };
    close("u", u, pull * l / ea);
    close("w", w, load * l.powi(3) / (3.0 * ei) + moment * l * l / (2.0 * ei));
    close("w'", slope, load * l * l / (2.0 * ei) + moment * l / ei);
    let mut outputs = vec![0.0; info.outputs.len()];
    model.outputs(&state, &mut outputs);
    let output = |name: &str| {
        let index = info.outputs.iter().position(|channel| channel.name == name);
        outputs[index.unwrap_or_else(|| panic!("no output {name}"))]
    };
    for element in 0..10 {
        let start = f64::from(element) * l / 10.0;
        let bending = |x: f64| moment + load * (l - x);
        close("axial force", output(&format!("loads[{element}].axial_force")), pull);
        close("shear force", output(&format!("loads[{element}].shear_force")), load);
        close("moment", output(&format!("loads[{element}].moment_at_start")), bending(start));
        close("moment", output(&format!("loads[{element}].moment_at_end")), bending(start + l / 10.0));
    }
}

/// ω = (1.8751…)² √(E I / (μ l⁴)) and so on, π/2 √(E / ρ) / l along the beam. Of elements of length h frequencies are too
/// high, by (k h)⁴/1440 with Hermite's cubics and by (k h)²/24 with linear shapes.
#[test]
fn a_cantilever_sounds_as_in_the_textbook() {
    let model = FlexibleCantilever::default();
    let velocities = modal::flexible_velocities(&model, "beam").unwrap();
    let modes = modal::natural_modes(&model, velocities, &vec![0.0; model.dims().nq]).unwrap();
    let (l, mu, ea, ei, h): (f64, f64, f64, f64, f64) = (1.0, 2.0, 2e11 * 1e-4, 2e11 * 1e-9, 0.1);
    let wave = std::f64::consts::FRAC_PI_2 / l;
    let mut expected = vec![(wave * (ea / mu).sqrt(), (wave * h).powi(2) / 24.0)];
    for root in [1.875_104_068_711_961_f64, 4.694_091_132_974_175, 7.854_757_438_237_613] {
        let wave = root / l;
        expected.push((wave * wave * (ei / mu).sqrt(), (wave * h).powi(4) / 1440.0));
    }
    for (omega, excess) in expected {
        let misses = modes.frequencies.iter().map(|found| found * std::f64::consts::TAU / omega - 1.0);
        let nearest = misses.min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap();
        assert!((nearest - excess).abs() <= 0.1 * excess + 1e-8, "{omega} rad/s: {nearest:e} for {excess:e}");
    }
}

/// M a + h = d/dt ∂T/∂v − ∂T/∂q, Lagrange's equations, from the kinetic energy alone.
#[test]
fn inertia_forces_follow_from_the_kinetic_energy() {
    let short = ("const n = 20", "const n = 2");
    let others = [variant(&[short]), variant(&[short, PINNED[0], PINNED[1]])];
    for stages in &others {
        let n = stages.simplified.layout.velocities.len();
        let interpreter = Interpreter::<Dual>::new(&stages.simplified, &stages.schedule, defaults(&stages.schedule));
        let plain = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, defaults(&stages.schedule));
        let mut at = at_rest(stages);
        at.q = (0..n).map(noise).collect();
        at.v = (0..n).map(|i| noise(i + 100)).collect();
        at.a = (0..n).map(|i| noise(i + 200)).collect();
        // Slopes of T by q, then by v.
        let slopes = |q: &[f64], v: &[f64]| {
            let lift = |x: &[f64], first: usize| {
                x.iter().enumerate().map(|(i, &x)| Dual::variable(x, first + i, 2 * n)).collect()
            };
            let fixed = |x: &[f64]| x.iter().map(|&x| Dual::with_slopes(x, vec![0.0; 2 * n])).collect();
            let point = Point {
                t: Dual::with_slopes(0.0, vec![0.0; 2 * n]),
                inputs: fixed(&at.inputs),
                q: lift(q, 0),
                v: lift(v, n),
                a: fixed(&at.a),
                lambda: fixed(&at.lambda),
                tau: Vec::new(),
            };
            let energy = &interpreter.output(FunctionRole::Energy, Role::KineticEnergy, &point, (1, 1)).values[0];
            DVector::from_fn(2 * n, |i, _| energy.slope(i))
        };
        let moved = |step: f64| {
            let along = |x: &[f64], rate: &[f64]| x.iter().zip(rate).map(|(x, r)| x + step * r).collect::<Vec<_>>();
            slopes(&along(&at.q, &at.v), &along(&at.v, &at.a)).rows(n, n).into_owned()
        };
        let step = 1e-4;
        // Of fourth order in the step.
        let rate = (moved(step) - moved(-step)) * (8.0 / (12.0 * step))
            - (moved(2.0 * step) - moved(-2.0 * step)) / (12.0 * step);
        let expected = rate - slopes(&at.q, &at.v).rows(0, n);
        let m = DMatrix::from_row_slice(n, n, &plain.mass_matrix(&at.q).values);
        let h = DVector::from_vec(plain.output(FunctionRole::BiasForce, Role::BiasForce, &at, (n, 1)).values);
        let found = m * DVector::from_column_slice(&at.a) + h;
        let error = (&found - &expected).amax() / expected.amax();
        assert!(error <= 1e-10, "{error:.2e}");
    }
}
