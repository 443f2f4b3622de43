//! Many runs at once: the same digits for any number of threads, failures that stay with their case, bounded memory.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hamel::ensemble::{Case, Ensemble};
use hamel::schemes::RungeKutta;
use hamel::{Caution, Model, Signal, Simulation, StepError, Trajectory, initial_state, schemes};

hamel::multibody! {
    pub model Pendulum {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        param length = 1 m;
        param mass = 1 kg;
        input torque N m;
        body bob { mass: mass, inertia: 0.1 kg m^2 }
        joint hinge: revolute(ground, bob at [-length, 0]);
        force drive: torque(bob) { value: torque }
        output height = bob.position.y;
    }
}

hamel::multibody! {
    /// It falls on the ground and sinks in by a part of a step.
    pub model Ball {
        planar;
        gravity [0, -9.81] m/s^2;
        body ball { mass: 1 kg, inertia: 0.1 kg m^2 }
        contact bounce: point_on_line(ball, ground) { restitution: 0.5 }
        initial ball.position = [0, 1] m;
    }
}

/// Lengths, masses, inputs, schemes and steps differ; every seventh mass is impossible.
fn heights(case: u64) -> Result<f64, StepError> {
    let length = 0.1 + 0.03 * case as f64;
    let mass = if case % 7 == 3 { -1.0 } else { 1.0 + case as f64 };
    let mut model = Pendulum::new(PendulumParameters { length, mass });
    let strength = case as f64;
    model.inputs.torque = Signal::from(move |t: f64| strength * t.sin());
    let scheme = schemes::by_name(["generalized_alpha", "runge_kutta", "esdirk325"][case as usize % 3], &[])?;
    let step = 1e-2 / (1 + case % 4) as f64;
    let run = Simulation::new(&model, &*scheme).step(step).until(0.5).run(initial_state(&model)?);
    run.outcome?;
    let place = run.trajectory.place("height").expect("an output");
    Ok(run.trajectory.rows().next_back().expect("a row")[place])
}

#[test]
fn digits_do_not_depend_on_the_number_of_threads() {
    let alone: Vec<_> = (0..60).map(heights).collect();
    assert_eq!(alone.iter().filter(|height| height.is_err()).count(), 9);
    for threads in [1, 2, 5, 16] {
        let found = Ensemble::new(0..60).threads(threads).run(|| (), |(), case| heights(case));
        for (case, (found, alone)) in found.into_iter().zip(&alone).enumerate() {
            match (found.ended().expect("no panic"), alone) {
                (Ok(found), Ok(alone)) => assert_eq!(found.to_bits(), alone.to_bits(), "case {case}"),
                (Err(found), Err(alone)) => assert_eq!(found.to_string(), alone.to_string(), "case {case}"),
                (found, alone) => panic!("case {case}: {found:?}, {alone:?}"),
            }
        }
    }
}

/// A group that loses a case is run again one by one, and the case itself counts as one that panics.
#[test]
fn no_case_of_a_group_is_lost() {
    let without_seven =
        |_: &mut (), cases: &[u64]| cases.iter().copied().filter(|&case| case != 7).collect::<Vec<u64>>();
    let mut found = [const { None }; 20];
    Ensemble::new(0..20).threads(2).each_together(
        4,
        || (),
        without_seven,
        |case, result| {
            found[case as usize] = Some(result);
            std::ops::ControlFlow::Continue(())
        },
    );
    for (case, result) in found.into_iter().enumerate() {
        match result.expect("every case has a result") {
            Case::Ended(result) => assert_eq!(result, case as u64),
            Case::Panicked(message) => assert!(case == 7 && message.contains("as many results as cases"), "{message}"),
            Case::NotRun => panic!("case {case} did not run"),
        }
    }
}

#[test]
fn what_a_thread_needs_is_made_once_and_again_after_a_panic() {
    let made = AtomicU64::new(0);
    let worker = || {
        made.fetch_add(1, Ordering::Relaxed);
        Pendulum::default()
    };
    let case = |model: &mut Pendulum, case: u64| {
        assert!(case != 50, "the fiftieth");
        model.describe().name.len() as u64 + case
    };
    let results = Ensemble::new(0..100).threads(1).run(worker, case);
    assert_eq!(made.load(Ordering::Relaxed), 2);
    for (number, result) in results.into_iter().enumerate() {
        let expected = Case::Ended("Pendulum".len() as u64 + number as u64);
        let expected = if number == 50 { Case::Panicked("the fiftieth".to_owned()) } else { expected };
        assert_eq!(result, expected);
    }
}

#[test]
fn a_cancelled_ensemble_keeps_what_has_ended() {
    let stop = AtomicBool::new(false);
    let case = |(): &mut (), case: u64| {
        stop.fetch_or(case == 20, Ordering::Relaxed);
        case
    };
    let results = Ensemble::new(0..1000).threads(2).cancelled_by(&stop).run(|| (), case);
    let ended = results.iter().filter(|result| matches!(result, Case::Ended(_))).count();
    // The other thread may be in its last case.
    assert!((20..=24).contains(&ended), "{ended}");
    assert!(results[900..].iter().all(|result| *result == Case::NotRun));
}

#[test]
fn a_receiver_that_breaks_ends_the_ensemble() {
    let begun = AtomicU64::new(0);
    let mut received = 0;
    // Without an end of their own.
    Ensemble::new(0..).threads(3).each(
        || (),
        |(), _| begun.fetch_add(1, Ordering::Relaxed),
        |_, _| {
            received += 1;
            if received == 1000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    assert_eq!(received, 1000);
    // No more than may wait.
    assert!(begun.load(Ordering::Relaxed) <= 1000 + 3 * 65);
}

/// All rows are handed over, and what is said of a run does not depend on whether they are kept.
#[test]
fn reduced_runs_see_every_row() {
    let ball = Ball::default();
    let scheme = schemes::by_name("moreau", &[]).unwrap();
    let start = initial_state(&ball).unwrap();
    let simulation = || Simulation::new(&ball, &*scheme).step(5e-2).until(1.5).record_every(2);
    let kept = simulation().run(start.clone());
    let mut rows: Vec<f64> = Vec::new();
    let reduced = simulation().reduce(|row| rows.extend(row)).run(start.clone());
    assert!(kept.outcome.is_ok() && kept.cautions.iter().any(|caution| matches!(caution, Caution::Penetration { .. })));
    assert_eq!(kept.cautions, reduced.cautions);
    assert_eq!(rows.len(), kept.trajectory.len() * kept.trajectory.columns().len());
    let bits = |value: &f64| value.to_bits();
    assert!(kept.trajectory.rows().flatten().map(bits).eq(rows.iter().map(bits)));
    assert_eq!(reduced.trajectory.len(), 1);
    assert_eq!(reduced.trajectory.rows().next_back(), kept.trajectory.rows().next_back());
}

/// The row at which a run fails is handed over too, once.
#[test]
fn reduced_runs_end_where_they_fail() {
    let mut model = Pendulum::default();
    model.inputs.torque = Signal::from(|t: f64| if t < 0.3 { 0.0 } else { f64::NAN });
    let simulation = || Simulation::new(&model, &RungeKutta).step(1e-2).until(1.0).record_every(7);
    let start = initial_state(&model).unwrap();
    let kept = simulation().run(start.clone());
    let mut times = Vec::new();
    let reduced = simulation().reduce(|row| times.push(row[0])).run(start);
    assert_eq!(kept.outcome.unwrap_err().to_string(), reduced.outcome.unwrap_err().to_string());
    assert_eq!(times, kept.trajectory.times().collect::<Vec<_>>());
    assert!(times.len() > 5 && Trajectory::new(&model).is_empty());
}
