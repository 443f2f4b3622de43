//! Designs with known optima.

use crate::common::{AtEnd, NAMES, NUMBERS, OSCILLATOR, Random, family, model, of_numbers};
use hamel::gradient::{Differentiated, Instant, Slopes};
use hamel::nalgebra::{DMatrix, DVector};
use hamel::schemes::RungeKutta;
use hamel::{Model, Signal};
use hamel_optimize::{Case, Condition, Free, Optimization, Optimum, Side};

#[test]
fn the_force_of_an_oscillator_is_that_of_the_discrete_linear_quadratic_problem() {
    let model = model(OSCILLATOR);
    let family = family(&model);
    let times: Vec<f64> = (0..=15).map(|k| 0.1 * f64::from(k)).collect();
    let (step, until, count) = (0.02, 1.5, times.len());
    // Motions with one sample each tell how outputs depend on samples, without any derivative.
    let outputs = |values: &[f64]| -> (Vec<[f64; 3]>, Vec<f64>) {
        let mut own = model.another();
        let signal = Signal::sampled(times.iter().copied().zip(values.iter().copied())).unwrap();
        own.set_input("push", signal).unwrap();
        let (mut rows, mut instants, mut row) = (Vec::new(), Vec::new(), [0.0; 3]);
        let motion = Differentiated::new(&own, &RungeKutta).step(step).until(until).meeting(times.clone());
        motion
            .states(&mut |state| {
                own.outputs(state, &mut row);
                rows.push(row);
                instants.push(state.t);
            })
            .unwrap();
        (rows, instants)
    };
    let (zero, instants) = outputs(&vec![0.0; count]);
    let unit = |sample: usize| outputs(&(0..count).map(|k| f64::from(u8::from(k == sample))).collect::<Vec<_>>()).0;
    let columns: Vec<Vec<[f64; 3]>> = (0..count).map(unit).collect();
    let weight = |row: usize| {
        let before = if row == 0 { 0.0 } else { instants[row] - instants[row - 1] };
        let after = instants.get(row + 1).map_or(0.0, |next| next - instants[row]);
        0.5 * (before + after)
    };
    let factors = [40.0, 3.0, 0.02];
    let (mut hessian, mut slopes) = (DMatrix::zeros(count, count), DVector::zeros(count));
    for row in 0..instants.len() {
        for (output, factor) in factors.iter().enumerate() {
            let by = DVector::from_fn(count, |sample, _| columns[sample][row][output] - zero[row][output]);
            hessian += 2.0 * factor * weight(row) * &by * by.transpose();
            slopes += 2.0 * factor * weight(row) * zero[row][output] * by;
        }
    }
    let free = hessian.clone().cholesky().unwrap().solve(&-&slopes);
    // With x = 0.1 m and no speed at the end.
    let end = instants.len() - 1;
    let targets = [0.1, 0.0];
    let mut both = DMatrix::zeros(count + 2, count + 2);
    both.view_mut((0, 0), (count, count)).copy_from(&hessian);
    let mut right = DVector::zeros(count + 2);
    right.rows_mut(0, count).copy_from(&-&slopes);
    for (k, target) in targets.into_iter().enumerate() {
        for sample in 0..count {
            let by = columns[sample][end][k] - zero[end][k];
            both[(count + k, sample)] = by;
            both[(sample, count + k)] = by;
        }
        right[count + k] = target - zero[end][k];
    }
    let bound = both.lu().solve(&right).unwrap();

    let cost = |instant: &Instant, slopes: &mut Slopes| {
        let terms = factors.iter().enumerate().map(|(k, factor)| {
            slopes.outputs[k] = 2.0 * factor * instant.weight * instant.outputs[k];
            factor * instant.weight * instant.outputs[k].powi(2)
        });
        terms.sum()
    };
    let case = || Case::new(&family, &RungeKutta, &cost).step(step).until(until);
    let samples = || Free::samples("push", times.clone(), vec![0.0; count]).scale(5.0);
    let search = |case: Case, tolerance: f64| {
        Optimization::new(vec![case], vec![samples()]).unwrap().tolerance(tolerance).run().unwrap()
    };
    let found = search(case(), 1e-8);
    assert!(found.is_converged(), "{found:?}");
    let off = |found: &Optimum, exact: &[f64]| {
        let pairs = found.samples("push").unwrap().iter().zip(exact);
        pairs.map(|(found, exact)| (found - exact).abs()).fold(0.0, f64::max)
    };
    // Measured: 1.6·10⁻⁶ N of 9 N.
    assert!(off(&found, free.as_slice()) < 1e-5, "{found:?}");

    let ended = case().subject_to(Condition::at_end("x").equals(0.1)).subject_to(Condition::at_end("speed"));
    let found = search(ended, 1e-8);
    assert!(found.is_converged(), "{found:?}");
    assert!(off(&found, &bound.as_slice()[..count]) < 1e-5, "{found:?}");
    // Multipliers tell what the targets cost.
    for (k, condition) in found.conditions.iter().enumerate() {
        let exact = -bound[count + k];
        assert!((condition.price / exact - 1.0).abs() < 1e-6, "{condition:?} {exact}");
    }
}

/// The least of ½ (x − m)ᵀ H (x − m) within bounds: of all choices of bounds that hold, the one that satisfies all
/// conditions.
fn least_quadratic(hessian: &DMatrix<f64>, middle: &DVector<f64>, (lower, upper): (&[f64], &[f64])) -> DVector<f64> {
    let count = middle.len();
    for choice in 0..3_usize.pow(count as u32) {
        let held = |place: usize| choice / 3_usize.pow(place as u32) % 3;
        let open: Vec<usize> = (0..count).filter(|&place| held(place) == 0).collect();
        let mut x = DVector::from_fn(count, |place, _| match held(place) {
            0 => middle[place],
            1 => lower[place],
            _ => upper[place],
        });
        let slopes = hessian * (&x - middle);
        let own = DMatrix::from_fn(open.len(), open.len(), |row, column| hessian[(open[row], open[column])]);
        let right = DVector::from_fn(open.len(), |row, _| -slopes[open[row]]);
        let change = if open.is_empty() { right } else { own.lu().solve(&right).unwrap() };
        open.iter().zip(change.iter()).for_each(|(&place, change)| x[place] += change);
        let slopes = hessian * (&x - middle);
        let holds = |place: usize| match held(place) {
            0 => lower[place] <= x[place] && x[place] <= upper[place],
            1 => slopes[place] >= 0.0,
            _ => slopes[place] <= 0.0,
        };
        if (0..count).all(holds) {
            return x;
        }
    }
    panic!("a convex problem has a least value");
}

#[test]
fn random_convex_problems_within_bounds_have_their_exact_optimum() {
    let model = model(NUMBERS);
    let family = family(&model);
    let mut at_bounds = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let root = DMatrix::from_fn(4, 4, |_, _| random.within(-1.0, 1.0));
        let hessian = &root * root.transpose() + 0.05 * DMatrix::identity(4, 4);
        let middle = DVector::from_fn(4, |_, _| random.within(-2.0, 2.0));
        let lower: Vec<f64> = (0..4).map(|_| random.within(-1.5, 0.0)).collect();
        let upper: Vec<f64> = (0..4).map(|_| random.within(0.1, 1.5)).collect();
        let quadratic = AtEnd(|x: &[f64]| {
            let slopes: DVector<f64> = &hessian * (DVector::from_column_slice(x) - &middle);
            // Away from zero, so that the unit is not small.
            (1.0 + 0.5 * slopes.dot(&(DVector::from_column_slice(x) - &middle)), slopes.as_slice().to_vec())
        });
        let free = NAMES.iter().enumerate();
        let free = free.map(|(k, name)| Free::parameter(*name, 0.05).within(lower[k], upper[k]).scale(1.0));
        let found = Optimization::new(vec![of_numbers(&family, &quadratic)], free.collect()).unwrap().run().unwrap();
        let exact = least_quadratic(&hessian, &middle, (&lower, &upper));
        assert!(found.is_converged(), "{seed}: {found:?}");
        for (place, variable) in found.variables.iter().enumerate() {
            // Measured: 1.2·10⁻⁶.
            assert!((variable.value - exact[place]).abs() < 1e-5, "{seed}: {variable:?} {exact}");
            let side = if exact[place] == lower[place] { Some(Side::Lower) } else { None };
            let side = if exact[place] == upper[place] { Some(Side::Upper) } else { side };
            assert_eq!(variable.bound, side, "{seed}: {found:?} {exact}");
            at_bounds += usize::from(side.is_some());
        }
    }
    assert!(at_bounds > 60);
}

/// Problem 71 of Hock and Schittkowski, with its published optimum.
#[test]
fn conditions_of_both_kinds_hold_at_a_published_optimum() {
    let model = model(NUMBERS);
    let family = family(&model);
    let objective = AtEnd(|x: &[f64]| {
        let sum = x[0] + x[1] + x[2];
        let value = x[0] * x[3] * sum + x[2];
        (value, vec![x[3] * (sum + x[0]), x[0] * x[3], x[0] * x[3] + 1.0, x[0] * sum])
    });
    let product = AtEnd(|x: &[f64]| {
        let product: f64 = x.iter().product();
        (product, x.iter().map(|x| product / x).collect())
    });
    let squares = AtEnd(|x: &[f64]| (x.iter().map(|x| x * x).sum(), x.iter().map(|x| 2.0 * x).collect()));
    let case = of_numbers(&family, &objective)
        .subject_to(Condition::of("the product", &product).at_least(25.0))
        .subject_to(Condition::of("the squares", &squares).equals(40.0));
    let starts = NAMES.into_iter().zip([1.0, 5.0, 5.0, 1.0]);
    let free = starts.map(|(name, start)| Free::parameter(name, start).within(1.0, 5.0)).collect();
    let found = Optimization::new(vec![case], free).unwrap().tolerance(1e-9).run().unwrap();
    assert!(found.is_converged(), "{found:?}");
    // As SciPy 1.17.1 finds it: minimize(…, method="SLSQP", tol=1e-14).
    assert!((found.objective - 17.014_017_289_134).abs() < 1e-8, "{found:?}");
    let exact = [1.0, 4.742_999_643, 3.821_149_977, 1.379_408_294];
    for (variable, exact) in found.variables.iter().zip(exact) {
        assert!((variable.value - exact).abs() < 1e-7, "{variable:?}");
    }
    assert_eq!(found.variables[0].bound, Some(Side::Lower));
    // Multipliers as published: −0.5523 and 0.1615.
    let prices = found.conditions.iter().map(|condition| condition.price);
    assert!(prices.zip([0.5523, -0.1615]).all(|(price, exact): (f64, f64)| (price - exact).abs() < 1e-4), "{found:?}");
}

/// A rod is lifted from rest to rest, with a torque at its bounds, as SciPy finds it for the same steps.
#[test]
fn a_rod_is_lifted_as_another_optimiser_lifts_it() {
    let model = model(
        "model Rod {
            planar;
            coordinates joint;
            gravity [0, -9.81] m/s^2;
            input drive N m;
            body rod { mass: 0.8 kg, inertia: (0.8 kg) * (0.7 m)^2 / 12 }
            joint hinge: revolute(ground, rod at [0, 0.35] m);
            torque motor: drive - (0.1 N m s) * hinge.angle.velocity on hinge;
            initial hinge.angle = 0 rad;
            output angle = hinge.angle;
            output rate = hinge.angle.velocity;
            output effort = drive;
        }",
    );
    let family = family(&model);
    let effort = |instant: &Instant, slopes: &mut Slopes| {
        slopes.outputs[2] = 2.0 * instant.weight * instant.outputs[2];
        instant.weight * instant.outputs[2].powi(2)
    };
    let search = || {
        let case = Case::new(&family, &RungeKutta, &effort).step(0.02).until(1.0);
        let case = case.subject_to(Condition::at_end("angle").equals(1.5)).subject_to(Condition::at_end("rate"));
        let times: Vec<f64> = (0..=10).map(|k| 0.1 * f64::from(k)).collect();
        let drive = Free::samples("drive", times, vec![0.5; 11]).within(-2.0, 2.0);
        Optimization::new(vec![case], vec![drive]).unwrap().tolerance(1e-8)
    };
    let found = search().run().unwrap();
    assert!(found.is_converged(), "{found:?}");
    // SciPy 1.17.1: minimize(…, method="trust-constr"), with the same steps and derivatives by complex numbers.
    let exact = [
        -1.791_993_037,
        -1.154_429_797,
        -0.187_197_982,
        0.842_403_124,
        1.978_600_698,
        2.0,
        2.0,
        2.0,
        1.657_595_955,
        0.557_826_516,
        -0.465_787_225,
    ];
    for (sample, exact) in found.samples("drive").unwrap().iter().zip(exact) {
        assert!((sample - exact).abs() < 1e-6, "{found:?}");
    }
    assert!((found.objective - 2.179_426_429_7).abs() < 1e-8, "{found:?}");
    let at_bounds = |side| found.variables.iter().filter(|variable| variable.bound == Some(side)).count();
    assert_eq!((at_bounds(Side::Lower), at_bounds(Side::Upper)), (0, 3));
    // The same again, digit by digit.
    assert_eq!(search().run().unwrap(), found);
}

/// The optimum of the sum of two load cases is the weighted mean of theirs.
#[test]
fn cases_are_added_with_their_weights() {
    let model = model(NUMBERS);
    let family = family(&model);
    let around =
        |middle: f64| AtEnd(move |x: &[f64]| ((x[0] - middle).powi(2), vec![2.0 * (x[0] - middle), 0.0, 0.0, 0.0]));
    let (low, high) = (around(1.0), around(4.0));
    let cases = vec![of_numbers(&family, &low).weight(2.0), of_numbers(&family, &high)];
    let found = Optimization::new(cases, vec![Free::parameter("a", 7.0)]).unwrap().run().unwrap();
    assert!(found.is_converged() && (found.parameter("a").unwrap() - 2.0).abs() < 1e-5, "{found:?}");
    assert!((found.objective - 6.0).abs() < 1e-8 && (found.objective_at_start - 81.0).abs() < 1e-12, "{found:?}");
}
