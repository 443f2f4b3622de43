//! Modes of a chain of springs, which are known, and the chain with modes in place of its nodes.

mod common;

use common::{FreeBody, Springs};
use hamel::modal::{ModalError, Reduced, member_modes, natural_modes};
use hamel::{Model, Run, Simulation, State, schemes};
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
    let names: Vec<&str> = info.coordinates.iter().map(|channel| channel.name).collect();
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
