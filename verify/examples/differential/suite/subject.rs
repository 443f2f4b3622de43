//! A model in one formulation: its text, compiled by every stage, as machine code and for the interpreter.

use hamel::{Attitude, Block, Model, Signal, State};
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::expr::{Node, Number, Scalar};
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_compiler::schedule::schedule;
use hamel_compiler::simplify::Limits;
use hamel_compiler::{Stages, check, derive, stages_within, understand};
use hamel_jit::{JitModel, Level};

use proc_macro2::TokenStream;

use super::ball::Ball;
use super::jet::Jet;
use super::random::noise;

/// Value of every input.
pub const INPUT: f64 = 0.375;

/// How much is simplified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Nothing: equations are compiled as they are derived.
    None,
    /// As little as the compiler can.
    Least,
    /// As much as for a generated model.
    Full,
}

/// A compiled model.
pub struct Subject {
    /// What was written.
    pub text: String,
    /// What the compiler made of it.
    pub stages: Stages,
    /// Machine code, of both levels or of the first.
    pub models: Vec<JitModel>,
}

/// Time, coordinates, velocities, accelerations and multipliers, each with its neighbours.
#[derive(Clone, Debug)]
pub struct Moment {
    pub t: f64,
    pub q: Vec<Ball>,
    pub v: Vec<Ball>,
    pub a: Vec<Ball>,
    pub lambda: Vec<Ball>,
}

/// Numerator or denominator of numbers that have been rounded: whoever writes a number writes fewer digits.
const MANY_DIGITS: u128 = 1 << 40;

impl Subject {
    /// Whether expressions contain numbers that were rounded because their exact value does not fit.
    pub fn has_rounded_numbers(&self) -> bool {
        let is_rounded = |number: Number| {
            number.as_ratio().is_none_or(|(numerator, denominator)| {
                let denominator = denominator.unsigned_abs();
                denominator.is_power_of_two() && numerator.unsigned_abs().max(denominator) >= MANY_DIGITS
            })
        };
        let mut nodes = self.stages.equations.kernels.iter().flat_map(|kernel| kernel.graph.nodes());
        nodes.any(|(_, node)| matches!(node, Node::Number(number) if is_rounded(number)))
    }

    /// Compiles a text.
    ///
    /// # Errors
    /// The messages of the compiler, or of the code generator.
    pub fn new(text: String, effort: Effort, levels: &[Level]) -> Result<Subject, String> {
        let tokens: TokenStream = text.parse().map_err(|error| format!("it does not lex: {error}"))?;
        let stages = match effort {
            Effort::None => as_derived(tokens),
            Effort::Least => stages_within(tokens, &Limits::least()),
            Effort::Full => stages_within(tokens, &Limits::default()),
        };
        let stages = stages.map_err(|error| error.to_string())?;
        let compile = |&level: &Level| {
            let mut model = hamel_jit::compile_in_lanes(&stages, level).map_err(|error| format!("{error}"))?;
            for input in &stages.simplified.layout.inputs {
                let known = model.set_input(&input.name, Signal::from(INPUT));
                known.map_err(|_| format!("there is no input {}", input.name))?;
            }
            Ok::<JitModel, String>(model)
        };
        let models = levels.iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Subject { text, stages, models })
    }

    /// The model as machine code of the highest level.
    pub fn model(&self) -> &JitModel {
        &self.models[self.models.len() - 1]
    }

    pub fn blocks(&self) -> &[Block] {
        &self.model().describe().blocks
    }

    pub fn interpreter<T: Scalar>(&self) -> Interpreter<'_, T> {
        Interpreter::new(&self.stages.simplified, &self.stages.schedule, defaults(&self.stages.schedule))
    }

    /// Velocities that have inertia; those after them are first-order states.
    pub fn mechanical(&self) -> usize {
        let layout = &self.stages.simplified.layout;
        layout.velocities.len() - layout.states
    }

    /// Constraints on coordinates; those after them are on velocities.
    pub fn position_constraints(&self) -> usize {
        let layout = &self.stages.simplified.layout;
        layout.constraints.len() - layout.velocity_constraints
    }

    /// A moment without symmetry. Rotations have unit norm and Euler parameters keep it, up to rounding: each ball contains
    /// a value that does exactly.
    pub fn moment(&self, seed: usize, size: f64) -> Moment {
        let dims = self.model().dims();
        let random = |n: usize, salt: usize, size: f64| -> Vec<f64> {
            (0..n).map(|i| size * noise(10_000 * (seed + 1) + 1000 * salt + i)).collect()
        };
        let (mut q, mut v) = (random(dims.nq, 0, size), random(dims.nv, 1, 1.0 + size));
        let balls = |values: &[f64]| values.iter().map(|&value| Ball::exact(value)).collect::<Vec<_>>();
        let (mut q_balls, mut v_balls) = (balls(&q), balls(&v));
        for (block, of_q, of_v) in hamel::configuration::ranges(self.blocks()) {
            let turn = match block {
                Block::EulerParameters => Some((0, Attitude::EulerParameters)),
                _ => block.turn(),
            };
            match turn {
                Some((offset, Attitude::EulerParameters)) => {
                    let e = &mut q[of_q.start + offset..of_q.start + offset + 4];
                    normalize(e, size);
                    if block == Block::EulerParameters {
                        keep_norm(e, &mut v[of_v.clone()]);
                        let reach = v[of_v.clone()].iter().fold(0.0_f64, |reach, v| reach.max(v.abs()));
                        of_v.for_each(|k| v_balls[k] = Ball::near(v[k], reach));
                    }
                    let e = of_q.start + offset..of_q.start + offset + 4;
                    e.for_each(|k| q_balls[k] = Ball::near(q[k], 1.0));
                }
                // Not beyond the pitch at which angles are singular.
                Some((offset, Attitude::EulerAngles)) => {
                    let pitch = of_q.start + offset + 1;
                    q_balls[pitch] = Ball::exact(1.2 * noise(10_000 * seed + pitch));
                }
                None => {}
            }
        }
        Moment {
            t: 0.3,
            q: q_balls,
            v: v_balls,
            a: balls(&random(dims.nv, 2, 1.0 + size)),
            lambda: balls(&random(dims.nc, 3, 1.0)),
        }
    }

    /// A moment for the interpreter; `lift` makes scalars of balls.
    pub fn point<T: Scalar>(&self, at: &Moment, lift: impl Fn(&[Ball]) -> Vec<T>) -> Point<T> {
        let inputs = vec![T::from_f64(INPUT); self.stages.simplified.layout.inputs.len()];
        let [q, v, a, lambda] = [&at.q, &at.v, &at.a, &at.lambda].map(|values| lift(values));
        Point { t: T::from_f64(at.t), inputs, q, v, a, lambda, tau: Vec::new() }
    }

    pub fn balls(&self, at: &Moment) -> Point<Ball> {
        self.point(at, <[Ball]>::to_vec)
    }

    pub fn jets(&self, at: &Moment) -> Point<Jet> {
        self.point(at, Jet::constants)
    }

    /// The size of the rows and columns of an output.
    pub fn shape(&self, function: FunctionRole, role: Role) -> (usize, usize) {
        use hamel_compiler::schedule::placement::axes;
        let layout = &self.stages.simplified.layout;
        let (rows, columns) = axes(function, role, (0, 0));
        (rows.size(layout), columns.size(layout))
    }

    /// One output of a function, row by row.
    pub fn output<T: Scalar>(&self, function: FunctionRole, role: Role, point: &Point<T>) -> Vec<T> {
        self.interpreter().output(function, role, point, self.shape(function, role)).values
    }
}

/// All stages but simplification.
fn as_derived(tokens: TokenStream) -> syn::Result<Stages> {
    let (description, system) = understand(tokens.clone())?;
    let equations = derive::derive(&system);
    let simplified = equations.clone();
    let schedule = schedule(&equations, &simplified);
    check::check(&system, &simplified, &schedule)?;
    let source = tokens.to_string();
    Ok(Stages { description, system, equations, simplified, log: Vec::new(), schedule, source })
}

impl Moment {
    /// The state in the middle.
    pub fn state(&self) -> State {
        let mids = |values: &[Ball]| values.iter().map(|ball| ball.mid).collect::<Vec<_>>().into();
        State { t: self.t, q: mids(&self.q), v: mids(&self.v), a: mids(&self.a), lambda: mids(&self.lambda) }
    }
}

fn normalize(e: &mut [f64], size: f64) {
    let norm = e.iter().map(|e| e * e).sum::<f64>().sqrt();
    if norm > 1e-3 * size {
        e.iter_mut().for_each(|e| *e /= norm);
    } else {
        e.copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
    }
}

/// Removes from the rates of Euler parameters what would change their norm.
fn keep_norm(e: &[f64], rates: &mut [f64]) {
    let along: f64 = e.iter().zip(&*rates).map(|(e, rate)| e * rate).sum();
    rates.iter_mut().zip(e).for_each(|(rate, e)| *rate -= along * e);
}
