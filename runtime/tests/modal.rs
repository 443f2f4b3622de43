//! Modes of a chain of springs, which are known, and the chain with modes in place of its nodes.

use crate::common::{FreeBody, Springs, Weighted};
use hamel::modal::{ModalError, Modes, Reduced, member_modes, natural_modes};
use hamel::{Attitude, Block, ContactLaw, Model, ModelInfo, Run, Simulation, SparsityPattern, State, schemes};
use nalgebra::{DMatrix, DVector};

/// Three unit masses between walls on springs of one have ω² = 2 − √2, 2, 2 + √2, with the shapes of a string.
#[test]
fn modes_of_a_chain_are_those_of_a_string() {
    let modes = member_modes(&Springs, "rod").unwrap();
    assert_eq!(modes.velocities, 1..4);
    let r = 2.0_f64.sqrt();
    for (frequency, square) in modes.frequencies.iter().zip([2.0 - r, 2.0, 2.0 + r]) {
        assert!((frequency * std::f64::consts::TAU - square.sqrt()).abs() < 1e-14, "{frequency}");
    }
    for (column, shape) in [[0.5, 0.5 * r, 0.5], [0.5 * r, 0.0, -0.5 * r], [0.5, -0.5 * r, 0.5]].iter().enumerate() {
        let product: f64 = modes.shapes.column(column).iter().zip(shape).map(|(a, b)| a * b).sum();
        assert!((product.abs() - 1.0).abs() < 1e-14, "mode {column}: {}", modes.shapes.column(column));
    }
    assert!((modes.shapes.transpose() * &modes.shapes - DMatrix::identity(3, 3)).norm() < 1e-14);
    let highest = modes.frequencies[2];
    assert_eq!([0.0, 0.2, highest, 1.0].map(|frequency| modes.count_below(frequency)), [0, 1, 3, 3]);
    let last = modes.selected(&[2]).unwrap();
    assert_eq!((last.frequencies, last.shapes.ncols()), (vec![highest], 1));
    assert_eq!(modes.lowest(4).unwrap_err(), ModalError::TooMany { asked: 4, available: 3 });
}

#[test]
fn a_heavy_mass_between_springs_swings_slowly() {
    // 2 N/m hold 1 kg, 1 N/m holds 3 kg.
    for (velocities, square) in [(2..3, 2.0), (4..5, 1.0 / 3.0)] {
        let modes = natural_modes(&Springs, velocities, &[0.0; 5]).unwrap();
        assert!((modes.frequencies[0] * std::f64::consts::TAU - f64::sqrt(square)).abs() < 1e-15);
        assert!((modes.shapes[(0, 0)].powi(2) - if square == 2.0 { 1.0 } else { 1.0 / 3.0 }).abs() < 1e-15);
    }
}

#[test]
fn what_has_no_modes_says_so() {
    assert!(matches!(member_modes(&Springs, "ro"), Err(ModalError::NoMember { member, .. }) if member == "ro"));
    assert!(matches!(natural_modes(&Springs, 3..6, &[0.0; 5]), Err(ModalError::NotLinear { first: 3, last: 5, .. })));
    let q = FreeBody::TUMBLING.initial(FreeBody::SPIN).q;
    let rotation = natural_modes(&FreeBody::TUMBLING, 0..3, q.as_slice());
    assert!(matches!(rotation, Err(ModalError::NotLinear { .. })), "{rotation:?}");
}

fn run(model: &dyn Model, initial: State) -> Run {
    let run = Simulation::new(model, &*schemes::by_name("bathe", &[]).unwrap())
        .step(0.01)
        .until(6.0)
        .record_every(10)
        .run(initial);
    assert!(run.outcome.is_ok(), "{:?}", run.outcome);
    run
}

/// All modes are as good as the coordinates: driven end, multiplier, free end and its contact move alike.
#[test]
fn all_modes_move_as_the_whole_model() {
    let reduced = Reduced::member(&Springs, "rod", 3).unwrap();
    assert_eq!(reduced.dims(), Springs.dims());
    let modes = member_modes(&Springs, "rod").unwrap();
    let whole = Springs::initial();
    let mut initial = whole.clone();
    let rod = modes.shapes.transpose() * whole.v.rows(1, 3);
    initial.v.rows_mut(1, 3).copy_from(&rod);
    let [whole, reduced] = [run(&Springs, whole), run(&reduced, initial)].map(|run| run.trajectory);
    let names = ["drive", "end", "multiplier(crank)", "gap(wall)", "normal_force(wall)", "impulse(wall)", "impacts"];
    for name in names.into_iter().chain(["impact_loss", "kinetic_energy", "potential_energy"]) {
        let column = |of: &hamel::trajectory::Trajectory| DVector::from_iterator(of.len(), of.column(name).unwrap());
        let difference = (column(&whole) - column(&reduced)).amax();
        assert!(difference < 1e-9, "{name}: {difference:e}");
    }
    assert!(whole.column("impacts").unwrap().next_back().unwrap() > 0.0, "the wall was not met");
    // Forces, damper, drive and impacts account for the energy but for the error of the scheme.
    let unexplained = whole.column("energy_balance").unwrap().fold(0.0, |most: f64, energy| most.max(energy.abs()));
    assert!(unexplained < 2e-3, "{unexplained:e}");
}

/// One mode of the rod takes the place of three coordinates; what is beside it keeps its own.
#[test]
fn fewer_modes_shorten_the_state() {
    let reduced = Reduced::member(&Springs, "rod", 1).unwrap();
    let info = reduced.describe();
    let names: Vec<&str> = info.coordinates.iter().map(|channel| channel.name.as_str()).collect();
    assert_eq!((names.len(), names[0], names[2]), (3, "drive", "end"));
    let mut mass = vec![0.0; info.mass_matrix.nnz()];
    reduced.mass_matrix(&[0.0; 3], &mut mass);
    let expected = DMatrix::from_diagonal(&DVector::from_column_slice(&[2.0, 1.0, 3.0]));
    assert!((info.mass_matrix.to_dense(&mass) - expected).norm() < 1e-14);
    let mut stiffness = vec![0.0; info.stiffness.nnz()];
    reduced.stiffness(&State::zeros(reduced.dims()), &mut stiffness);
    let stiffness = info.stiffness.to_dense(&stiffness);
    // ω² on the diagonal; ends of the rod move by ½ where the mode moves by one.
    let (square, coupling) = (2.0 - 2.0_f64.sqrt(), 0.5 * stiffness[(0, 1)].signum());
    let expected = [[1.0, coupling, 0.0], [coupling, square, coupling], [0.0, coupling, 1.0]];
    assert!((stiffness - DMatrix::from_fn(3, 3, |row, column| expected[row][column])).norm() < 1e-14);
    assert!(matches!(Reduced::member(&Springs, "rod", 4), Err(ModalError::TooMany { asked: 4, available: 3 })));
}

/// Columns of the identity, with those of the shapes in place of the run that begins at `first`.
fn expansion(n: usize, first: usize, shapes: &DMatrix<f64>) -> DMatrix<f64> {
    let (nodes, modes) = shapes.shape();
    DMatrix::from_fn(n, n - nodes + modes, |row, column| match (row, column) {
        _ if column < first => f64::from(u8::from(row == column)),
        _ if column >= first + modes => f64::from(u8::from(row == column - modes + nodes)),
        _ if (first..first + nodes).contains(&row) => shapes[(row - first, column - first)],
        _ => 0.0,
    })
}

/// Whatever the functions of a model are: what they take is Φ z, and what they give is projected.
#[test]
fn every_function_of_a_reduced_model_is_that_of_the_whole_one_along_the_modes() {
    let shapes = DMatrix::from_row_slice(3, 2, &[0.7, -0.2, 0.4, 1.1, -0.3, 0.9]);
    let modes = Modes { velocities: 4..7, frequencies: vec![1.0, 2.0], shapes: shapes.clone() };
    let reduced = Reduced::new(&Weighted, &modes).unwrap();
    let (whole, info) = (Weighted.describe(), reduced.describe());
    let names =
        |channels: &[hamel::Channel]| -> Vec<String> { channels.iter().map(|channel| channel.name.clone()).collect() };
    let replaced = |names: Vec<String>, first: usize| {
        let modes = ["rod.mode[0]", "rod.mode[1]"].map(str::to_owned);
        [&names[..first], &modes, &names[first + 3..]].concat()
    };
    assert_eq!(names(&info.coordinates), replaced(names(&whole.coordinates), 5));
    assert_eq!(names(&info.velocities), replaced(names(&whole.velocities), 4));
    let rotations = [Attitude::EulerParameters, Attitude::EulerAngles].map(Block::Rotation);
    assert_eq!(info.blocks, [rotations[0], Block::Vector { size: 4 }, rotations[1]]);
    assert_eq!((reduced.singular_angles(), reduced.validate()), (&[9][..], Weighted.validate()));
    assert_eq!(reduced.n_initial_conditions(), (2, 3));

    let (of_q, of_v) = (expansion(12, 5, &shapes), expansion(11, 4, &shapes));
    let with_constraints = expansion(13, 4, &shapes);
    let values = |n: usize, first: f64| DVector::from_fn(n, |i, _| (first + 1.7 * i as f64).sin());
    let small = State { t: 0.6, q: values(11, 0.1), v: values(10, 0.2), a: values(10, 0.3), lambda: values(2, 0.4) };
    let State { t, q, v, a, lambda } = small.clone();
    let large = State { t, q: &of_q * q, v: &of_v * v, a: &of_v * a, lambda };

    type Fill<'f> = &'f dyn Fn(&dyn Model, &State, &mut [f64]);
    let evaluated = |model: &dyn Model, state: &State, n: usize, fill: Fill| {
        let mut out = vec![f64::NAN; n];
        fill(model, state, &mut out);
        DVector::from_vec(out)
    };
    let near = |found: &DMatrix<f64>, expected: &DMatrix<f64>, what: &str| {
        let error = (found - expected).amax();
        assert!(error <= 1e-13 * expected.amax(), "{what}: {error:e}");
    };

    let matrices: [(&str, fn(&ModelInfo) -> &SparsityPattern, Fill, Option<&DMatrix<f64>>); 6] = [
        ("M", |info| &info.mass_matrix, &|m, s, out| m.mass_matrix(s.q.as_slice(), out), Some(&of_v)),
        ("damping", |info| &info.damping, &|m, s, out| m.damping(s, out), Some(&of_v)),
        ("stiffness", |info| &info.stiffness, &|m, s, out| m.stiffness(s, out), Some(&of_v)),
        (
            "iteration matrix",
            |info| &info.iteration_matrix,
            &|m, s, out| m.iteration_matrix(s, 0.3, 0.5, 0.7, out),
            Some(&with_constraints),
        ),
        ("G", |info| &info.constraint_jacobian, &|m, s, out| m.constraint_jacobian(s.t, s.q.as_slice(), out), None),
        ("W", |info| &info.contact_jacobian, &|m, s, out| m.contact_jacobian(s.t, s.q.as_slice(), out), None),
    ];
    for (what, pattern, fill, rows) in matrices {
        let dense = |model: &dyn Model, state: &State| {
            let pattern = pattern(model.describe());
            pattern.to_dense(evaluated(model, state, pattern.nnz(), fill).as_slice())
        };
        let by = if what == "iteration matrix" { &with_constraints } else { &of_v };
        let product = dense(&Weighted, &large) * by;
        near(&dense(&reduced, &small), &rows.map_or(product.clone(), |rows| rows.transpose() * &product), what);
    }

    let forces: [(&str, Fill); 3] = [
        ("h", &|m, s, out| m.bias_force(s.q.as_slice(), s.v.as_slice(), out)),
        ("f", &|m, s, out| m.applied_force(s.t, s.q.as_slice(), s.v.as_slice(), out)),
        ("r", &|m, s, out| m.residual(s, out, &mut [0.0; 2])),
    ];
    for (what, fill) in forces {
        let [found, expected] = [evaluated(&reduced, &small, 10, fill), evaluated(&Weighted, &large, 11, fill)];
        near(&DMatrix::from_columns(&[found]), &DMatrix::from_columns(&[of_v.transpose() * expected]), what);
    }

    let numbers: [(&str, usize, Fill); 10] = [
        ("g", 2, &|m, s, out| m.constraint(s.t, s.q.as_slice(), out)),
        ("g of r", 2, &|m, s, out| m.residual(s, &mut vec![0.0; s.v.len()], out)),
        ("rates", 4, &|m, s, out| {
            let (rate, acceleration) = out.split_at_mut(2);
            m.constraint_bias(s.t, s.q.as_slice(), s.v.as_slice(), rate, acceleration);
        }),
        ("gaps", 1, &|m, s, out| m.contact_gap(s.t, s.q.as_slice(), out)),
        ("rates of gaps", 4, &|m, s, out| {
            let (rate, acceleration) = out.split_at_mut(2);
            m.contact_bias(s.t, s.q.as_slice(), s.v.as_slice(), rate, acceleration);
        }),
        ("energy", 2, &|m, s, out| {
            let energy = m.energy(s.t, s.q.as_slice(), s.v.as_slice());
            out.copy_from_slice(&[energy.kinetic, energy.potential]);
        }),
        ("power", 1, &|m, s, out| out[0] = m.power(s.t, s.q.as_slice(), s.v.as_slice()).unwrap()),
        ("inputs", 2, &|m, s, out| m.input_values(s.t, out)),
        ("outputs", 3, &|m, s, out| m.outputs(s, out)),
        ("laws", 3, &|m, _, out| {
            let mut laws = [ContactLaw::default()];
            m.contact_laws(&mut laws);
            out.copy_from_slice(&[laws[0].restitution, laws[0].tangential_restitution, laws[0].friction]);
        }),
    ];
    for (what, n, fill) in numbers {
        let [found, expected] = [evaluated(&reduced, &small, n, fill), evaluated(&Weighted, &large, n, fill)];
        near(&DMatrix::from_columns(&[found]), &DMatrix::from_columns(&[expected]), what);
    }

    let conditions: [(&str, usize, Fill); 2] = [
        ("initial positions", 2, &|m, s, out| {
            let (residual, jacobian) = out.split_at_mut(2);
            m.initial_position(s.t, s.q.as_slice(), residual, jacobian);
        }),
        ("initial velocities", 3, &|m, s, out| {
            let (residual, jacobian) = out.split_at_mut(3);
            m.initial_velocity(s.t, s.q.as_slice(), s.v.as_slice(), residual, jacobian);
        }),
    ];
    for (what, n, fill) in conditions {
        let found = evaluated(&reduced, &small, n + n * 10, fill);
        let expected = evaluated(&Weighted, &large, n + n * 11, fill);
        assert_eq!(found.rows(0, n), expected.rows(0, n), "{what}");
        let rows = |values: &DVector<f64>| DMatrix::from_row_slice(n, values.len() / n - 1, &values.as_slice()[n..]);
        near(&rows(&found), &(rows(&expected) * &of_v), what);
    }

    let [found, expected] = [(&reduced as &dyn Model, 11), (&Weighted, 12)]
        .map(|(model, n)| evaluated(model, &small, n, &|m, _, out| m.reference_configuration(out)));
    assert_eq!((found.rows(0, 5), found.rows(7, 4)), (expected.rows(0, 5), expected.rows(8, 4)));
    assert_eq!(found.rows(5, 2), DVector::zeros(2));
}
