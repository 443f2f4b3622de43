//! Programs in C that move: they compile without a warning, and move as the runtime's schemes do.

use std::path::Path;
use std::process::Command;

use hamel::{Model, Options, Scheme, initial_state, redundant_constraints, schemes};
use hamel_compiler::emit::{CMotion, CPrecision, CStepper, c_motion};
use hamel_compiler::schedule::name::snake_case;
use hamel_compiler::{Stages, parallel};
use hamel_jit::{JitModel, Level};
use hamel_models::ModelEntry;

const STEPS: usize = 50;

const STEPPERS: [(CStepper, &str); 3] = [
    (CStepper::RungeKutta, "runge_kutta"),
    (CStepper::HalfExplicit, "half_explicit"),
    (CStepper::GeneralizedAlpha { rho_infinity: 0.8 }, "generalized_alpha"),
];

/// Every warning that the compilers of boards have.
const WARNINGS: [&str; 6] = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wdouble-promotion", "-Wshadow"];

/// A model, compiled once for all programs of it.
struct Compiled {
    stages: Stages,
    model: JitModel,
}

impl Compiled {
    fn new(text: &str) -> Compiled {
        let stages = hamel_compiler::stages(text.parse().unwrap()).unwrap();
        let model = hamel_jit::compile(&stages, Level::Optimised).unwrap();
        Compiled { stages, model }
    }
}

/// Time, coordinates and velocities after [`STEPS`] steps of a program.
fn moved(
    folder: &Path,
    Compiled { stages, model }: &Compiled,
    stepper: CStepper,
    precision: CPrecision,
    dt: f64,
) -> Vec<f64> {
    let start = initial_state(model).unwrap();
    let left_out = redundant_constraints(model, &start);
    let motion = CMotion {
        stepper,
        precision,
        start: [start.q.as_slice(), start.v.as_slice()],
        parameters: model.parameters(),
        left_out: &left_out,
        is_open: false,
    };
    let name = written(folder, stages, model, &motion);
    let dims = model.dims();
    let real = if precision == CPrecision::Double { "double" } else { "float" };
    let main = format!(
        "#include \"{name}_motion.h\"\n#include <stdio.h>\nint main(void)\n{{\n    static {name}_motion m;\n    \
         {name}_start(0, &m);\n    for (int i = 0; i < {STEPS}; ++i) {{\n        const int status = {name}_step(&m, ({real}){dt:e});\n        \
         if (status) return status;\n    }}\n    printf(\"%.17g\\n\", (double)m.t);\n    \
         for (int i = 0; i < {}; ++i) printf(\"%.17g\\n\", (double)m.q[i]);\n    \
         for (int i = 0; i < {}; ++i) printf(\"%.17g\\n\", (double)m.v[i]);\n    return 0;\n}}\n",
        dims.nq, dims.nv
    );
    // What optimisation tells of a program, as variables that are not set, it tells of one precision as of the other.
    printed(folder, &name, &main, if precision == CPrecision::Double { "-O1" } else { "-O0" })
}

/// Writes the files of a program, and gives its name.
fn written(folder: &Path, stages: &Stages, model: &JitModel, motion: &CMotion) -> String {
    let name = snake_case(&model.describe().name);
    std::fs::create_dir_all(folder).unwrap();
    let names = [name.clone(), format!("{name}_motion")];
    for (files, name) in c_motion(&name, &stages.simplified, &stages.schedule, motion).iter().zip(&names) {
        std::fs::write(folder.join(format!("{name}.h")), &files.header).unwrap();
        std::fs::write(folder.join(format!("{name}.c")), &files.source).unwrap();
    }
    name
}

/// The numbers that a program prints with this main function.
fn printed(folder: &Path, name: &str, main: &str, optimised: &str) -> Vec<f64> {
    std::fs::write(folder.join("main.c"), main).unwrap();
    let sources = [format!("{name}.c"), format!("{name}_motion.c")];
    let mut command = Command::new("cc");
    command.current_dir(folder).args(["-std=c99", optimised, "-ffp-contract=off"]).args(WARNINGS);
    // Fields of rows that a model does not have are compared with zero in loops.
    let output = command.arg("-Wno-type-limits").args(sources).args(["main.c", "-o", "main", "-lm"]).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(folder.join("main")).output().unwrap();
    assert!(output.status.success(), "{name}: {}", output.status);
    String::from_utf8(output.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect()
}

fn by_runtime(model: &JitModel, scheme: &dyn Scheme, dt: f64) -> Vec<f64> {
    let mut stepper = scheme.start_with(model, initial_state(model).unwrap(), &Options::default()).unwrap();
    for _ in 0..STEPS {
        stepper.step(dt).unwrap();
    }
    let state = stepper.state();
    [state.t].iter().chain(&state.q).chain(&state.v).copied().collect()
}

#[test]
fn programs_move_as_the_schemes_of_the_runtime() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("not checked: there is no C compiler `cc`");
        return;
    }
    // Elimination is dense, and waves in beams need shorter steps.
    let is_small = |entry: &&ModelEntry| {
        let model = (entry.build)(&[]).unwrap();
        model.describe().contacts.is_empty() && model.dims().nv <= 13 && !entry.name.contains("flexible")
    };
    let entries: Vec<&ModelEntry> = hamel_models::ALL.iter().filter(is_small).collect();
    assert!(entries.len() > 15, "{} models", entries.len());
    let folder = tempfile::tempdir().unwrap();
    parallel::map(&entries, |entry| {
        let source = (entry.build)(&[]).unwrap().describe().source.clone();
        let compiled = Compiled::new(&source);
        for (place, (stepper, name)) in STEPPERS.into_iter().enumerate() {
            let scheme = schemes::by_name(name, &[]).unwrap();
            let dt = 1e-4;
            let expected = by_runtime(&compiled.model, &*scheme, dt);
            let folder = folder.path().join(format!("{}_{name}", entry.name));
            let found = moved(&folder.join("double"), &compiled, stepper, CPrecision::Double, dt);
            // In single precision each model by one of them, as compiling takes long.
            let is_single = place == entry.name.len() % STEPPERS.len();
            let single = is_single.then(|| moved(&folder.join("single"), &compiled, stepper, CPrecision::Single, dt));
            let size = expected.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
            for (i, expected) in expected.iter().enumerate() {
                let off = |found: &Vec<f64>| (found[i] - expected).abs() / size;
                let (double, single) = (off(&found), single.as_ref().map_or(0.0, off));
                assert!(double < 1e-10, "{} by {name}: {i} is {}, expected {expected}", entry.name, found[i]);
                // Constraints on positions give rounding of these, divided by the step, to velocities.
                let bound = if name == "generalized_alpha" { 2e-2 } else { 1e-3 };
                assert!(single < bound, "{} by {name} in single precision: {i} is off by {single}", entry.name);
            }
        }
    });
}

/// A four-bar linkage with a motor.
const FOUR_BAR: &str = "model FourBar {
    planar;
    coordinates joint;
    input motor N m;
    gravity [0, -9.81] m/s^2;
    body crank { mass: 1 kg, inertia: 0.01 kg m^2 }
    body coupler { mass: 2 kg, inertia: 0.1 kg m^2 }
    body rocker { mass: 1.5 kg, inertia: 0.05 kg m^2 }
    joint a: revolute(ground, crank at [-0.1, 0] m);
    joint b: revolute(crank at [0.1, 0] m, coupler at [-0.3, 0] m);
    joint c: revolute(coupler at [0.3, 0] m, rocker at [0.25, 0] m);
    joint d: revolute(ground at [0.5, 0] m, rocker at [-0.25, 0] m);
    torque drive: motor on crank;
    initial a.angle = 60 deg;
}";

/// What an implicit scheme remembers is forgotten at a start, and does not outlive failures, jumps of inputs and of steps.
#[test]
fn implicit_steps_begin_anew_where_they_have_to() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("not checked: there is no C compiler `cc`");
        return;
    }
    let Compiled { stages, model } = Compiled::new(FOUR_BAR);
    let start = initial_state(&model).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let motion = CMotion {
        stepper: CStepper::GeneralizedAlpha { rho_infinity: 0.8 },
        precision: CPrecision::Double,
        start: [start.q.as_slice(), start.v.as_slice()],
        parameters: model.parameters(),
        left_out: &[],
        is_open: false,
    };
    let name = written(folder.path(), &stages, &model, &motion);
    let main = "
#include \"four_bar_motion.h\"
#include <math.h>
#include <stdio.h>
#include <string.h>

static four_bar_motion m;

static double moved(double until, int steps)
{
    for (int i = 0; i < steps; ++i) {
        if (four_bar_step(&m, until / steps)) return -1.0;
    }
    return m.q[0];
}

static double jumped(int steps)
{
    four_bar_start(0, &m);
    moved(0.1, steps);
    m.inputs[0] = 5.0;
    return moved(0.1, steps);
}

int main(void)
{
    memset(&m, 0x7f, sizeof m);
    four_bar_start(0, &m);
    const double first = moved(0.1, 100);
    moved(0.1, 50);
    four_bar_start(0, &m);
    printf(\"%.17g\\n%.17g\\n\", first, moved(0.1, 100));
    /* A failure changes nothing. */
    const double q = m.q[0], v = m.v[0], a = m.a[0];
    m.inputs[0] = NAN;
    int failures = four_bar_step(&m, 1e-3) != 0;
    m.inputs[0] = 0.0;
    failures += four_bar_step(&m, 0.0) != 0;
    failures += four_bar_step(&m, -1e-3) != 0;
    failures += four_bar_step(&m, NAN) != 0;
    printf(\"%d\\n%d\\n\", failures, m.q[0] == q && m.v[0] == v && m.a[0] == a);
    /* Steps of two sizes in turns. */
    four_bar_start(0, &m);
    int status = 0;
    for (int i = 0; i < 400 && !status; ++i) status = four_bar_step(&m, i % 2 ? 1e-3 : 1e-4);
    printf(\"%d\\n%.17g\\n\", status, m.q[0]);
    four_bar_start(0, &m);
    printf(\"%.17g\\n\", moved(0.22, 22000));
    /* The second order, in spite of a jump. */
    const double exact = jumped(8000);
    printf(\"%.17g\\n\", log2(fabs((jumped(100) - exact) / (jumped(200) - exact))));
    return 0;
}
";
    let found = printed(folder.path(), &name, main, "-O1");
    assert_eq!(found[0], found[1], "a start remembers the motion before");
    assert_eq!((found[2], found[3], found[4]), (4.0, 1.0, 0.0));
    assert!((found[5] - found[6]).abs() < 1e-3, "{} by steps in turns, {} by short ones", found[5], found[6]);
    assert!((found[7] - 2.0).abs() < 0.3, "order {}", found[7]);
}
