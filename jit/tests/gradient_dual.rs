//! Slopes of whole motions against dual numbers through all of their arithmetic: the statements of residual and constraints
//! are run with dual numbers, and the equations of schemes, written once more here, are solved with Jacobians that are dual
//! numbers as well. Neither the derivatives of the compiler nor the linear steps of the runtime have a part in them.

use hamel::gradient::{Differentiated, Direction};
use hamel::nalgebra::{DMatrix, DVector};
use hamel::{ConstraintLevel, Drift, Model, Options, State, initial_state, schemes};
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::expr::{Binary, Dual, Scalar};
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_jit::Level;

use crate::common::mechanisms::{PENDULUM, SLIDER_CRANK};

/// A cart that a spring and a force that varies with time hold, with two links.
const CART: &str = "model Cart {
    planar;
    coordinates joint;
    param mass = 2 kg;
    param reach = 0.5 m;
    param stiffness = 30 N/m;
    param drag = 0.4 N s^2/m^2;
    param rate = 3 rad/s;
    gravity [0, -9.81] m/s^2;
    body cart { mass: mass, inertia: 1 kg m^2 }
    body upper { mass: 0.4 kg, inertia: 0.4 kg * reach^2 / 12 }
    body lower { mass: 0.3 kg, inertia: 0.3 kg * reach^2 / 12 }
    joint rail: prismatic(ground, cart);
    joint shoulder: revolute(cart, upper at [0 m, reach / 2]);
    joint elbow: revolute(upper at [0 m, -reach / 2], lower at [0 m, reach / 2]);
    force wind: [-drag * cart.velocity.x * abs(cart.velocity.x) + 5 N * sin(rate * time), 0 N] on cart;
    force spring: spring(ground, cart) { stiffness: stiffness }
    initial rail.displacement = 0.3 m;
    initial shoulder.angle = 0.4 rad;
    initial elbow.angle = 0.1 rad;
    initial rail.velocity = 0.2 m/s;
    initial shoulder.velocity = rate / 3;
    initial elbow.velocity = 2 rad/s;
}";

/// Equations between unknowns and what is known; an interpreter has the parameters.
type Between<'e> = &'e dyn Fn(&Interpreter<Dual>, &[Dual], &[Dual]) -> Vec<Dual>;

/// The same model with parameters of which each has a direction, and with constant ones.
struct Doubled<'a> {
    varied: Interpreter<'a, Dual>,
    fixed: Interpreter<'a, Dual>,
    parameters: usize,
    nv: usize,
    nc: usize,
    level: ConstraintLevel,
}

/// Coordinates, velocities, accelerations and multipliers, one after the other, then what a scheme carries beside them.
type Instant = Vec<Dual>;

fn sum(terms: &[(f64, &[Dual])]) -> Vec<Dual> {
    let mut sum = vec![Dual::constant(0.0); terms[0].1.len()];
    for (factor, values) in terms {
        for (sum, value) in sum.iter_mut().zip(*values) {
            *sum = sum.binary(Binary::Add, &Dual::constant(*factor).binary(Binary::Mul, value));
        }
    }
    sum
}

fn point(t: f64, [q, v, a, lambda]: [&[Dual]; 4]) -> Point<Dual> {
    let [q, v, a, lambda] = [q, v, a, lambda].map(<[Dual]>::to_vec);
    Point { t: Dual::constant(t), inputs: Vec::new(), q, v, a, lambda, tau: Vec::new() }
}

impl Doubled<'_> {
    /// The solution of as many equations, with its slopes by the parameters.
    fn solve(&self, guess: &[f64], known: &[Dual], equations: Between) -> Vec<Dual> {
        let n = guess.len();
        let still: Vec<Dual> = known.iter().map(|known| Dual::constant(known.value)).collect();
        let mut x = DVector::from_column_slice(guess);
        let mut size = f64::INFINITY;
        loop {
            let unknown: Vec<Dual> = (0..n).map(|k| Dual::variable(x[k], k, n)).collect();
            let left = equations(&self.fixed, &unknown, &still);
            assert_eq!(left.len(), n);
            // Rows of constraints are small where steps are.
            let row_size = |row: usize| (0..n).map(|k| left[row].slope(k).abs()).fold(0.0, f64::max);
            let jacobian = DMatrix::from_fn(n, n, |row, column| left[row].slope(column) / row_size(row)).full_piv_lu();
            let scaled = |values: &dyn Fn(usize) -> f64| DVector::from_fn(n, |row, _| values(row) / row_size(row));
            let correction = jacobian.solve(&scaled(&|row| left[row].value)).expect("a regular matrix");
            x -= &correction;
            let previous = std::mem::replace(&mut size, correction.amax());
            if size > 1e-14 * (1.0 + x.amax()) && (size < previous || previous.is_infinite()) {
                continue;
            }
            assert!(size < 1e-8 * (1.0 + x.amax()), "not converged: {size:e}");
            let at: Vec<Dual> = x.iter().copied().map(Dual::constant).collect();
            let left = equations(&self.varied, &at, known);
            let by = |direction: usize| -jacobian.solve(&scaled(&|row| left[row].slope(direction))).expect("regular");
            let slopes: Vec<DVector<f64>> = (0..self.parameters).map(by).collect();
            return (0..n).map(|k| Dual::with_slopes(x[k], slopes.iter().map(|slope| slope[k]).collect())).collect();
        }
    }

    /// Constraints on coordinates, on velocities, or on accelerations.
    fn constraints(&self, model: &Interpreter<Dual>, at: &Point<Dual>, level: ConstraintLevel) -> Vec<Dual> {
        let (nc, nv) = (self.nc, self.nv);
        if level == ConstraintLevel::Position {
            return model.output(FunctionRole::Constraint, Role::Constraint, at, (nc, 1)).values;
        }
        let jacobian = model.output(FunctionRole::ConstraintJacobian, Role::ConstraintJacobian, at, (nc, nv)).values;
        let (bias, along) = match level {
            ConstraintLevel::Velocity => (Role::ConstraintRate, &at.v),
            _ => (Role::ConstraintAcceleration, &at.a),
        };
        let bias = model.output(FunctionRole::ConstraintBias, bias, at, (nc, 1)).values;
        let row = |(row, bias): (&[Dual], Dual)| {
            let terms = row.iter().zip(along).map(|(entry, along)| entry.binary(Binary::Mul, along));
            terms.fold(bias, |sum, term| sum.binary(Binary::Add, &term))
        };
        jacobian.chunks_exact(nv).zip(bias).map(row).collect()
    }

    fn start(&self, near: &State) -> Instant {
        let (nv, nc) = (self.nv, self.nc);
        let initial = |model: &Interpreter<Dual>, at: &Point<Dual>, function| {
            model.evaluate(function, at).into_iter().find(|(role, _)| *role == Role::InitialResidual)
        };
        let conditions = |model: &Interpreter<Dual>, at: &Point<Dual>, function| {
            initial(model, at, function).map_or_else(Vec::new, |(_, dense)| dense.values)
        };
        let none: [Dual; 0] = [];
        let of_q = |model: &Interpreter<Dual>, q: &[Dual], _: &[Dual]| {
            let at = point(near.t, [q, &none, &none, &none]);
            let equations = self.constraints(model, &at, ConstraintLevel::Position);
            let conditions = conditions(model, &at, FunctionRole::InitialPosition);
            [equations, conditions].concat()
        };
        let q = self.solve(near.q.as_slice(), &[], &of_q);
        let of_v = |model: &Interpreter<Dual>, v: &[Dual], q: &[Dual]| {
            let at = point(near.t, [q, v, &none, &none]);
            let equations = self.constraints(model, &at, ConstraintLevel::Velocity);
            let conditions = conditions(model, &at, FunctionRole::InitialVelocity);
            [equations, conditions].concat()
        };
        let v = self.solve(near.v.as_slice(), &q, &of_v);
        let known = [q, v].concat();
        let of_a = |model: &Interpreter<Dual>, x: &[Dual], known: &[Dual]| {
            let at = point(near.t, [&known[..nv], &known[nv..], &x[..nv], &x[nv..]]);
            [model.residual(&at).0, self.constraints(model, &at, ConstraintLevel::Acceleration)].concat()
        };
        let forces = self.solve(&vec![0.0; nv + nc], &known, &of_a);
        [known, forces].concat()
    }

    /// Coordinates, velocities and accelerations at a time, with accelerations that follow from them.
    fn accelerated(&self, t: f64, q: &[Dual], v: &[Dual]) -> Vec<Dual> {
        let nv = self.nv;
        let known = [q, v].concat();
        let of_a = |model: &Interpreter<Dual>, a: &[Dual], known: &[Dual]| {
            model.residual(&point(t, [&known[..nv], &known[nv..], a, &[]])).0
        };
        self.solve(&vec![0.0; nv], &known, &of_a)
    }

    /// The classical scheme of Runge and Kutta, without constraints.
    fn runge_kutta(&self, t: f64, h: f64, old: &Instant) -> Instant {
        let nv = self.nv;
        let (q, v) = (&old[..nv], &old[nv..2 * nv]);
        let stage = |share: f64, v_before: &[Dual], a_before: &[Dual]| {
            let [q, v] = [sum(&[(1.0, q), (share, v_before)]), sum(&[(1.0, v), (share, a_before)])];
            let a = self.accelerated(t + share, &q, &v);
            (v, a)
        };
        let (v1, a1) = (v.to_vec(), self.accelerated(t, q, v));
        let (v2, a2) = stage(h / 2.0, &v1, &a1);
        let (v3, a3) = stage(h / 2.0, &v2, &a2);
        let (v4, a4) = stage(h, &v3, &a3);
        let step = |x: &[Dual], rates: [&Vec<Dual>; 4]| {
            let [one, two, three, four] = rates;
            sum(&[(1.0, x), (h / 6.0, one), (h / 3.0, two), (h / 3.0, three), (h / 6.0, four)])
        };
        let (q, v) = (step(q, [&v1, &v2, &v3, &v4]), step(v, [&a1, &a2, &a3, &a4]));
        let a = self.accelerated(t + h, &q, &v);
        [q, v, a].concat()
    }

    /// The scheme of Chung and Hulbert with accelerations beside those of the equations of motion, as Arnold and Brüls have
    /// them.
    fn generalized_alpha(&self, t: f64, h: f64, old: &Instant, rho: f64) -> Instant {
        let (nv, nc) = (self.nv, self.nc);
        let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
        let gamma = 0.5 + alpha_f - alpha_m;
        let beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
        // At the start the accelerations beside are those of the equations of motion.
        let carried = if old.len() > 3 * nv + nc { &old[3 * nv + nc..] } else { &old[2 * nv..3 * nv] };
        let known = [&old[..3 * nv], carried].concat();
        let moved = |a: &[Dual], known: &[Dual]| {
            let (q, v) = (&known[..nv], &known[nv..2 * nv]);
            let (old_a, carried) = (&known[2 * nv..3 * nv], &known[3 * nv..]);
            let of = 1.0 / (1.0 - alpha_m);
            let beside = sum(&[((1.0 - alpha_f) * of, a), (alpha_f * of, old_a), (-alpha_m * of, carried)]);
            let q = sum(&[(1.0, q), (h, v), (h * h * (0.5 - beta), carried), (h * h * beta, &beside)]);
            let v = sum(&[(1.0, v), (h * (1.0 - gamma), carried), (h * gamma, &beside)]);
            [q, v, beside]
        };
        let equations = |model: &Interpreter<Dual>, x: &[Dual], known: &[Dual]| {
            let [q, v, _] = moved(&x[..nv], known);
            let at = point(t + h, [&q, &v, &x[..nv], &x[nv..]]);
            [model.residual(&at).0, self.constraints(model, &at, self.level)].concat()
        };
        let guess: Vec<f64> = old[2 * nv..3 * nv + nc].iter().map(|dual| dual.value).collect();
        let forces = self.solve(&guess, &known, &equations);
        let [q, v, beside] = moved(&forces[..nv], &known);
        [q, v, forces, beside].concat()
    }

    /// A stiffly accurate implicit Runge-Kutta scheme.
    fn collocation(&self, t: f64, h: f64, old: &Instant, (matrix, nodes): (&[Vec<f64>], &[f64])) -> Instant {
        let (nv, n) = (self.nv, self.nv + self.nc);
        let stages = nodes.len();
        let moved = |x: &[Dual], known: &[Dual], stage: usize| {
            let of = |stage: usize| {
                let rates = (0..stages).map(|k| (h * matrix[stage][k], &x[k * n..][..nv]));
                sum(&[(1.0, &known[nv..])].into_iter().chain(rates).collect::<Vec<_>>())
            };
            let velocities: Vec<Vec<Dual>> = (0..stages).map(of).collect();
            let rates = (0..stages).map(|k| (h * matrix[stage][k], velocities[k].as_slice()));
            let q = sum(&[(1.0, &known[..nv])].into_iter().chain(rates).collect::<Vec<_>>());
            [q, velocities[stage].clone()]
        };
        let equations = |model: &Interpreter<Dual>, x: &[Dual], known: &[Dual]| {
            let of = |stage: usize| {
                let [q, v] = moved(x, known, stage);
                let (a, lambda) = x[stage * n..][..n].split_at(nv);
                let at = point(t + h * nodes[stage], [&q, &v, a, lambda]);
                [model.residual(&at).0, self.constraints(model, &at, self.level)].concat()
            };
            (0..stages).flat_map(of).collect()
        };
        let guess: Vec<f64> = old[2 * nv..][..n].iter().map(|dual| dual.value).collect();
        let x = self.solve(&guess.repeat(stages), &old[..2 * nv], &equations);
        let [q, v] = moved(&x, &old[..2 * nv], stages - 1);
        [&q, &v, &x[(stages - 1) * n..]].concat()
    }

    fn step(&self, scheme: &str, t: f64, h: f64, old: &Instant) -> Instant {
        let root = 6_f64.sqrt();
        match scheme {
            "runge_kutta" => self.runge_kutta(t, h, old),
            "generalized_alpha" => self.generalized_alpha(t, h, old, 0.8),
            "radau_iia3" => {
                let matrix = [vec![5.0 / 12.0, -1.0 / 12.0], vec![0.75, 0.25]];
                self.collocation(t, h, old, (&matrix, &[1.0 / 3.0, 1.0]))
            }
            _ => {
                let matrix = [
                    vec![(88.0 - 7.0 * root) / 360.0, (296.0 - 169.0 * root) / 1800.0, (-2.0 + 3.0 * root) / 225.0],
                    vec![(296.0 + 169.0 * root) / 1800.0, (88.0 + 7.0 * root) / 360.0, (-2.0 - 3.0 * root) / 225.0],
                    vec![(16.0 - root) / 36.0, (16.0 + root) / 36.0, 1.0 / 9.0],
                ];
                self.collocation(t, h, old, (&matrix, &[(4.0 - root) / 10.0, (4.0 + root) / 10.0, 1.0]))
            }
        }
    }
}

const STEP: f64 = 2e-3;
const STEPS: usize = 25;

/// What values and slopes at the end of a motion are off by, relative to the largest of their kind: of coordinates and
/// velocities, and of accelerations and multipliers.
fn check(text: &str, schemes_with: &[(&str, &[(&str, f64)])], (level, motion, forces): (ConstraintLevel, f64, f64)) {
    let tokens = hamel_jit::with_derivatives(text.parse().unwrap());
    let stages = hamel_compiler::stages(tokens.clone()).unwrap_or_else(|error| panic!("{error}"));
    let model = hamel_jit::model(tokens, Level::AtOnce, None).unwrap();
    let (info, dims) = (model.describe(), model.dims());
    let values: Vec<f64> = defaults(&stages.schedule);
    let parameters = info.differentiated.len();
    let varied = values.iter().enumerate().map(|(place, &value)| {
        let direction = info.differentiated.iter().position(|&of| of == place);
        direction.map_or(Dual::constant(value), |direction| Dual::variable(value, direction, parameters))
    });
    let fixed = values.iter().copied().map(Dual::constant).collect();
    let doubled = Doubled {
        varied: Interpreter::new(&stages.simplified, &stages.schedule, varied.collect()),
        fixed: Interpreter::new(&stages.simplified, &stages.schedule, fixed),
        parameters,
        nv: dims.nv,
        nc: dims.nc,
        level,
    };
    let start = initial_state(&model).unwrap();
    for (key, settings) in schemes_with {
        let scheme = schemes::by_name(key, settings).unwrap();
        let mut instant = doubled.start(&start);
        for step in 0..STEPS {
            instant = doubled.step(key, STEP * step as f64, STEP, &instant);
        }
        // Projections after a step are other equations.
        let mut options = Options { constraint_level: Some(level), drift: Drift::Kept, ..Options::default() };
        (options.tolerance.relative, options.tolerance.absolute) = (1e-15, 1e-18);
        let slopes = Differentiated::new(&model, &*scheme).options(options).step(STEP).until(STEP * STEPS as f64);
        let directions: Vec<Direction> = (0..parameters).map(Direction::Parameter).collect();
        let mut last = None;
        let keep =
            &mut |state: &State, changes: &hamel::gradient::Changes| last = Some((state.clone(), changes.clone()));
        slopes.sensitivities(&directions, keep).unwrap_or_else(|error| panic!("{key}: {error}"));
        let (state, changes) = last.unwrap();
        let mut first = 0;
        for (kind, values, matrix) in [
            ("coordinates", state.q.as_slice(), &changes.position),
            ("velocities", state.v.as_slice(), &changes.velocity),
            ("accelerations", state.a.as_slice(), &changes.acceleration),
            ("multipliers", state.lambda.as_slice(), &changes.multipliers),
        ] {
            let of = &instant[first..][..values.len()];
            first += values.len();
            let bound = if kind == "coordinates" || kind == "velocities" { motion } else { forces };
            let mut size = values.iter().fold(1e-3_f64, |size, value| size.max(value.abs()));
            let off = of.iter().zip(values).map(|(dual, value)| (dual.value - value).abs()).fold(0.0, f64::max);
            assert!(off < bound * size, "{} by {key}, {level:?}, {kind}: {:e}", info.name, off / size);
            for direction in 0..parameters {
                let slopes = matrix.column(direction);
                size = slopes.iter().fold(1e-3_f64, |size, value| size.max(value.abs()));
                let pairs = of.iter().zip(&slopes);
                let off = pairs.map(|(dual, slope)| (dual.slope(direction) - slope).abs()).fold(0.0, f64::max) / size;
                let name = &info.parameters[info.differentiated[direction]].name;
                assert!(off < bound, "{} by {key}, {level:?}: {kind} by {name}: {off:e}", info.name);
            }
        }
    }
}

const IMPLICIT: [(&str, &[(&str, f64)]); 3] =
    [("generalized_alpha", &[("rho_infinity", 0.8)]), ("radau_iia3", &[]), ("radau_iia5", &[])];

#[test]
fn without_constraints() {
    for text in [&PENDULUM.replace("COORDINATES", "coordinates joint;"), CART] {
        check(text, &[("runge_kutta", &[])], (ConstraintLevel::Position, 1e-13, 1e-13));
        check(text, &IMPLICIT, (ConstraintLevel::Position, 1e-13, 1e-12));
    }
}

#[test]
fn with_constraints() {
    for text in [PENDULUM, SLIDER_CRANK] {
        for coordinates in ["coordinates absolute;", "coordinates joint;"] {
            let text = text.replace("COORDINATES", coordinates);
            check(&text, &IMPLICIT, (ConstraintLevel::Velocity, 1e-12, 1e-11));
            check(&text, &IMPLICIT, (ConstraintLevel::Position, 1e-11, 1e-8));
        }
    }
}
