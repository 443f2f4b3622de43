//! The dynamics of a robot at given states, for comparison with other tools (`benches/peers/robots.py`, `benches/peers/mjcf.py`,
//! `benches/peers/sdf.py`):
//! `cargo run --release -p hamel-import --example values -- ROBOT.urdf|ROBOT.xml|ROBOT.sdf [--floating] [--repair-inertia]`.
//! `--arg NAME=VALUE` and `--package NAME=DIR` are those of `hamel import`, and with `--text` the model is printed and nothing
//! else (`benches/peers/xacro.py`).
//!
//! Angles are taken as they are written, as other tools do.
//!
//! The first two lines name the coordinates and the velocities, the third has the joints that move, as Pinocchio orders
//! them: name in the model, name in the description, first coordinate, first velocity. Then every line of the standard input that holds values
//! of all of them, in this order, is answered by the mass matrix, row by row, and the nonlinear effects.

use std::io::{BufRead, Write};
use std::path::Path;
use std::process::ExitCode;

use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::resolve::Provided;
use hamel_compiler::schedule::interpret::{Interpreter, Point};
use hamel_compiler::simplify::Limits;
use hamel_import::{Format, Options, PinocchioJoint, Visuals};

fn main() -> ExitCode {
    match answer() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn answer() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.first().ok_or("expected a description")?;
    let is_floating = arguments.iter().any(|argument| argument == "--floating");
    let provide = vec![Provided::NonlinearEffects];
    let repair_inertia = arguments.iter().any(|argument| argument == "--repair-inertia");
    let pairs = |option: &str| {
        let given = arguments.windows(2).filter(|pair| pair[0] == option).map(|pair| pair[1].split_once('='));
        given.flatten().map(|(name, value)| (name.to_owned(), value.to_owned())).collect::<Vec<_>>()
    };
    let folder = Path::new(path).parent().unwrap_or(Path::new("")).to_owned();
    let packages = pairs("--package").into_iter().map(|(name, folder)| (name, folder.into())).collect();
    let visuals = Some(Visuals { model_folder: folder.clone(), folder, packages });
    let options = Options {
        is_floating,
        provide,
        exact_angles: true,
        repair_inertia,
        visuals,
        arguments: pairs("--arg"),
        ..Options::default()
    };
    let text = std::fs::read_to_string(path)?;
    let format = Format::of(path.as_ref()).ok_or("expected a description of a robot")?;
    let import = format.import(&text, &options)?;
    if arguments.iter().any(|argument| argument == "--text") {
        println!("{}", import.model);
        return Ok(());
    }
    let stages = hamel_compiler::stages_within(import.tokens()?, &Limits::at_once())?;
    let interpreter = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, Vec::new());
    let layout = &stages.simplified.layout;
    let mut output = std::io::stdout().lock();
    for channels in [&layout.coordinates, &layout.velocities] {
        let names: Vec<&str> = channels.iter().map(|channel| channel.name.as_str()).collect();
        writeln!(output, "{}", names.join(" "))?;
    }
    let joint =
        |joint: &PinocchioJoint| format!("{}\t{}\t{}\t{}", joint.name, joint.described, joint.q.start, joint.v.start);
    writeln!(output, "{}", import.pinocchio.iter().map(joint).collect::<Vec<_>>().join("\t"))?;
    output.flush()?;
    for line in std::io::stdin().lock().lines() {
        let values: Vec<f64> = line?.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let (nq, nv) = (layout.coordinates.len(), layout.velocities.len());
        if values.len() != nq + nv {
            return Err(format!("expected {} values, found {}", nq + nv, values.len()).into());
        }
        let (q, v) = values.split_at(nq);
        let none = vec![0.0; nv];
        let point = Point {
            t: 0.0,
            inputs: vec![0.0; layout.inputs.len()],
            q: q.to_vec(),
            v: v.to_vec(),
            a: none.clone(),
            lambda: Vec::new(),
            tau: none,
        };
        let effects = interpreter.evaluate(FunctionRole::NonlinearEffects, &point);
        let effects = effects.into_iter().find(|(role, _)| *role == Role::NonlinearEffects).ok_or("no effects")?.1;
        let results = interpreter.mass_matrix(q).values.into_iter().chain(effects.values);
        writeln!(output, "{}", results.map(|value| format!("{value:e}")).collect::<Vec<_>>().join(" "))?;
        output.flush()?;
    }
    Ok(())
}
