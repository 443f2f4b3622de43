//! The C of a model as a program that prints what its functions compute.
//!
//! Other packages include this file by its path.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use hamel_compiler::derive::FunctionRole;
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_compiler::schedule::totals::{self, FunctionCounts};
use hamel_compiler::schedule::vocabulary::role_name;
use hamel_compiler::{Stages, emit};

/// A value of a result of a function.
#[derive(Debug)]
pub struct Line {
    pub function: String,
    pub result: String,
    pub row: usize,
    /// Absent where values are all entries, row by row.
    pub column: Option<usize>,
    pub value: f64,
}

impl Line {
    fn read(line: &str) -> Option<Line> {
        let words: Vec<&str> = line.split(' ').collect();
        let [function, result, row, column, value] = words.as_slice() else { return None };
        let (function, result) = ((*function).to_owned(), (*result).to_owned());
        Some(Line { function, result, row: row.parse().ok()?, column: column.parse().ok(), value: value.parse().ok()? })
    }

    /// Its place in a result with so many columns, row by row.
    pub fn index(&self, columns: usize) -> usize {
        self.column.map_or(self.row, |column| self.row * columns + column)
    }
}

/// Compiles the C of a model in a folder, runs it, and reads what it prints.
///
/// # Errors
/// The messages of the C compiler or of the program.
pub fn printed(folder: &Path, stages: &Stages, point: &Point<f64>) -> Result<Vec<Line>, String> {
    let name = "the_model";
    let files = emit::c("TheModel", &stages.simplified, &stages.schedule);
    let model = Interpreter::new(&stages.simplified, &stages.schedule, defaults(&stages.schedule));
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let write = |file: &str, text: &str| std::fs::write(folder.join(file), text).map_err(|error| error.to_string());
    write(&format!("{name}.h"), &files.header)?;
    write(&format!("{name}.c"), &files.source)?;
    let functions = totals::functions(&stages.simplified, &stages.schedule);
    let mut main = driver(&files.header, name, &functions, point);
    for function in &functions {
        for (role, dense) in model.evaluate(function.role, point) {
            let mark = format!("LEN_{}_{}", function.name, role_name(role));
            main = main.replace(&format!("{mark};"), &format!("{};", dense.values.len()));
        }
    }
    write("main.c", &main)?;
    let program = folder.join("main");
    run(Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-o"])
        .arg(&program)
        .args([folder.join("main.c"), folder.join(format!("{name}.c"))])
        .arg("-lm"))?;
    let text = run(&mut Command::new(&program))?;
    text.lines().map(|line| Line::read(line).ok_or_else(|| line.to_owned())).collect()
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// A program that prints every result as lines of function, result, row, column and value.
fn driver(header: &str, name: &str, functions: &[FunctionCounts], point: &Point<f64>) -> String {
    let mut text = format!("#include <stdio.h>\n#include \"{name}.h\"\nint main(void)\n{{\n");
    let mut array = |array: &str, values: &[f64]| {
        let values: Vec<String> = values.iter().chain([&0.0]).map(|value| format!("{value:?}")).collect();
        let _ = writeln!(text, "const double {array}[] = {{ {} }}; (void){array};", values.join(", "));
    };
    array("inputs", &point.inputs);
    array("q", &point.q);
    array("v", &point.v);
    array("a", &point.a);
    array("lambda", &point.lambda);
    array("tau", &point.tau);
    array("w", &point.tau);
    let _ = writeln!(text, "const double t = {:?}; (void)t;", point.t);
    let _ = writeln!(text, "double parameters[{name}_n_parameters + 1], constants[{name}_n_constants + 1];");
    let _ = writeln!(text, "{name}_parameters(parameters); {name}_constants(parameters, constants);");
    for FunctionCounts { role, name: of_model, .. } in functions {
        let function = format!("{name}_{of_model}");
        let Some((_, rest)) = header.split_once(&format!("void {function}(")) else { continue };
        let arguments: Vec<&str> = rest.split(')').next().expect("a list of arguments").split(", ").collect();
        let word = |argument: &&str| argument.rsplit([' ', '*']).next().expect("a name").to_owned();
        let results = arguments.iter().filter(|argument| argument.starts_with("double *")).map(word);
        let results: Vec<String> = results.collect();
        text.push_str("{\n");
        // Dense matrices keep what they hold where their entries are always zero.
        for result in &results {
            let _ = writeln!(text, "double {result}[4096] = {{ 0 }};");
        }
        let _ = writeln!(text, "{function}({});", arguments.iter().map(word).collect::<Vec<_>>().join(", "));
        for result in &results {
            let function = of_model;
            let table = format!("{name}_{result}_column_starts");
            let line = |row: &str, column: &str, i: &str| {
                format!("printf(\"{function} {result} %d %d %.17g\\n\", {row}, {column}, {result}[{i}]);\n")
            };
            // Matrices of functions on request are dense, even where the model has a sparse one of the same name.
            if *role < FunctionRole::NonlinearEffects && header.contains(&table) {
                let n = format!("(int)(sizeof {table} / sizeof *{table}) - 1");
                let _ = writeln!(text, "for (int j = 0; j < {n}; ++j)");
                let _ = writeln!(text, "for (int i = {table}[j]; i < {table}[j + 1]; ++i)");
                text.push_str(&line(&format!("{name}_{result}_row_indices[i]"), "j", "i"));
            } else {
                text.push_str(&format!("for (int i = 0; i < LEN_{function}_{result}; ++i)\n"));
                text.push_str(&line("i", "-1", "i"));
            }
        }
        text.push_str("}\n");
    }
    text + "return 0;\n}\n"
}
