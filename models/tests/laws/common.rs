//! Every model with its compiled stages, a sample state, and the interpreter over what is emitted.

use std::sync::LazyLock;

use hamel::{Attitude, Block, Model, State};
use hamel_compiler::derive::Equations;
use hamel_compiler::expr::{Dual, Scalar};
use hamel_compiler::schedule::Schedule;
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_models::{ALL, ModelEntry};
use nalgebra::DVector;

pub use crate::random::noise;

/// A model, and how it came to be: compiled again from the source that it carries.
pub struct Subject {
    pub entry: &'static ModelEntry,
    pub model: Box<dyn Model>,
    pub equations: Equations,
    pub schedule: Schedule,
    pub code: String,
}

static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| ALL.iter().map(subject).collect());

/// Every model in turn.
pub fn for_each(law: impl Fn(&Subject)) {
    SUBJECTS.iter().for_each(law);
}

/// The model with this name.
pub fn find(name: &str) -> &'static Subject {
    SUBJECTS.iter().find(|subject| subject.entry.name == name).unwrap_or_else(|| panic!("no model {name}"))
}

fn subject(entry: &'static ModelEntry) -> Subject {
    let model = (entry.build)(&[]).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
    let source = model.describe().source.parse().expect("the source lexes");
    let stages = hamel_compiler::stages(source).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
    let code = stages.code().expect("generated code is Rust").to_string();
    Subject { entry, model, equations: stages.simplified, schedule: stages.schedule, code }
}

/// A state with no symmetry: not on the constraints, rotations of unit norm where the model has no say in it.
pub fn arbitrary_state(model: &dyn Model, seed: usize) -> State {
    let dims = model.dims();
    let random = |n: usize, salt: usize| DVector::from_fn(n, |i, _| noise(1000 * (seed + 1) + 100 * salt + i));
    let mut q = random(dims.nq, 0);
    let mut first = 0;
    for block in &model.describe().blocks {
        if matches!(
            block,
            Block::EulerParameters
                | Block::Rotation(Attitude::EulerParameters)
                | Block::Pose(Attitude::EulerParameters)
        ) {
            let mut e = q.rows_mut(first + block.sizes().0 - 4, 4);
            let norm = e.norm();
            e /= norm;
        }
        first += block.sizes().0;
    }
    State { t: 0.3, q, v: random(dims.nv, 1), a: random(dims.nv, 2), lambda: random(dims.nc, 3) }
}

/// The same state for the interpreter.
pub fn point<T: Scalar>(model: &dyn Model, state: &State) -> Point<T> {
    let lift = |values: &DVector<f64>| values.iter().map(|&x| T::from_f64(x)).collect();
    Point {
        t: T::from_f64(state.t),
        inputs: model.describe().inputs.iter().map(|_| T::from_f64(0.0)).collect(),
        q: lift(&state.q),
        v: lift(&state.v),
        a: lift(&state.a),
        lambda: lift(&state.lambda),
        tau: Vec::new(),
    }
}

impl Subject {
    /// The interpreter over the emitted statements, with default parameters.
    pub fn interpreter<T: Scalar>(&self) -> Interpreter<'_, T> {
        Interpreter::new(&self.equations, &self.schedule, defaults(&self.schedule))
    }

    /// Coordinates that move along the velocities: direction j has the slopes of column j of N(q).
    pub fn moving_coordinates(&self, q: &DVector<f64>) -> Vec<Dual> {
        let columns = velocity_map(self.model.as_ref(), q);
        q.iter().enumerate().map(|(i, &x)| Dual::with_slopes(x, columns.row(i).iter().copied().collect())).collect()
    }
}

/// N(q), dense: written here by hand, so that it checks the generated one.
pub fn velocity_map(model: &dyn Model, q: &DVector<f64>) -> nalgebra::DMatrix<f64> {
    let dims = model.dims();
    let mut n = nalgebra::DMatrix::zeros(dims.nq, dims.nv);
    let (mut i, mut j) = (0, 0);
    for block in &model.describe().blocks {
        let (nq, nv) = block.sizes();
        match block {
            Block::Vector { .. } | Block::EulerParameters => (0..nq).for_each(|k| n[(i + k, j + k)] = 1.0),
            Block::Rotation(attitude) => fill_rate(*attitude, &mut n, q, i, j),
            Block::Pose(attitude) => {
                let axes = match attitude {
                    Attitude::EulerParameters => {
                        let e = nalgebra::Quaternion::new(q[i + 3], q[i + 4], q[i + 5], q[i + 6]);
                        nalgebra::UnitQuaternion::from_quaternion(e).to_rotation_matrix()
                    }
                    Attitude::EulerAngles => nalgebra::Rotation3::from_euler_angles(q[i + 3], q[i + 4], q[i + 5]),
                };
                n.view_mut((i, j), (3, 3)).copy_from(axes.matrix());
                fill_rate(*attitude, &mut n, q, i + 3, j + 3);
            }
        }
        (i, j) = (i + nq, j + nv);
    }
    n
}

/// The rates of an attitude at `i`, ½ Lᵀ for Euler parameters, in the columns of the angular velocity at `j`.
fn fill_rate(attitude: Attitude, n: &mut nalgebra::DMatrix<f64>, q: &DVector<f64>, i: usize, j: usize) {
    if attitude == Attitude::EulerAngles {
        let ((s1, c1), (_, c2), tangent) = (q[i].sin_cos(), q[i + 1].sin_cos(), q[i + 1].tan());
        let rates = [[1.0, s1 * tangent, c1 * tangent], [0.0, c1, -s1], [0.0, s1 / c2, c1 / c2]];
        for (row, column) in (0..3).flat_map(|row| (0..3).map(move |column| (row, column))) {
            n[(i + row, j + column)] = rates[row][column];
        }
        return;
    }
    let e = [q[i], q[i + 1], q[i + 2], q[i + 3]];
    let l = [[-e[1], e[0], e[3], -e[2]], [-e[2], -e[3], e[0], e[1]], [-e[3], e[2], -e[1], e[0]]];
    for (row, column) in (0..4).flat_map(|row| (0..3).map(move |column| (row, column))) {
        n[(i + row, j + column)] = 0.5 * l[column][row];
    }
}

/// G, dense.
pub fn constraint_jacobian(model: &dyn Model, state: &State) -> nalgebra::DMatrix<f64> {
    let pattern = &model.describe().constraint_jacobian;
    let mut values = vec![0.0; pattern.nnz()];
    model.constraint_jacobian(state.t, state.q.as_slice(), &mut values);
    pattern.to_dense(&values)
}
