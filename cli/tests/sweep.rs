//! `hamel sweep` and `hamel merge` as users call them: tables, exit codes, messages, parts.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const MODEL: &str = "model Oscillator {
    planar;
    coordinates joint;
    param stiffness = 4 N/m;
    input push N;
    body block { mass: 1 kg, inertia: 1 kg m^2 }
    joint rail: prismatic(ground, block);
    force spring: spring(ground, block) { stiffness: stiffness }
    force hand: force(block) { value: [push, 0] }
    initial rail.displacement = 1 m;
}";

/// Runs the program in a folder that has the model.
fn hamel(folder: &Path, arguments: &str) -> Output {
    fs::write(folder.join("o.model"), MODEL).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hamel"));
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR")).current_dir(folder);
    command.args(arguments.split(' ')).output().expect("the binary was built for this test")
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn succeeded(folder: &Path, arguments: &str) -> String {
    let output = hamel(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {}", printed(&output));
    printed(&output)
}

/// Rows of numbers, by name of the column.
fn column(folder: &Path, file: &str, name: &str) -> Vec<f64> {
    let mut reader = csv::Reader::from_path(folder.join(file)).unwrap();
    let place = reader.headers().unwrap().iter().position(|header| header.split(" [").next() == Some(name)).unwrap();
    reader.records().map(|record| record.unwrap()[place].parse().unwrap()).collect()
}

#[test]
fn a_grid_is_a_table_and_figures() {
    let folder = tempfile::tempdir().unwrap();
    let text = succeeded(
        folder.path(),
        "sweep o.model --vary stiffness=1..9:5 --vary push=-2,0,2 --outputs rail.displacement.final,energy.range --adaptive 1e-9 --until 1.5 --out s.csv",
    );
    assert!(
        text.contains("15 cases, written to s.csv") && text.contains("figures: s_rail.displacement.final.svg"),
        "{text}"
    );
    let [k, f, x] = ["stiffness", "push", "rail.displacement.final"].map(|name| column(folder.path(), "s.csv", name));
    for ((k, f), x) in k.iter().zip(&f).zip(&x) {
        let expected = f / k + (1.0 - f / k) * (1.5 * k.sqrt()).cos();
        assert!((x - expected).abs() < 1e-6, "{k} {f}: {x}, {expected}");
    }
    let picture = fs::read_to_string(folder.path().join("s_rail.displacement.final.svg")).unwrap();
    assert!(roxmltree::Document::parse(&picture).is_ok() && picture.contains("stiffness (N/m)"));
    // A table that is there is not computed again, unless something differs.
    let again =
        hamel(folder.path(), "sweep o.model --vary stiffness=1..9:5 --outputs energy.range --until 1 --out s.csv");
    assert!(again.status.code() == Some(2) && printed(&again).contains("--force"), "{}", printed(&again));
}

#[test]
fn a_fan_shows_how_motions_are_distributed() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = "sweep o.model --vary rail.displacement=-1..1:21 --fan rail.displacement --until 2 --out s.csv";
    let text = succeeded(folder.path(), sweep);
    assert!(text.contains("figures: s_rail.displacement_fan.svg\n") && !text.contains(".at("), "{text}");
    let start = column(folder.path(), "s.csv", "rail.displacement.at(0)");
    let end = column(folder.path(), "s.csv", "rail.displacement.at(2)");
    assert_eq!(start.len(), 21);
    assert!(start.iter().zip(&end).all(|(start, end)| (end - start * 4_f64.cos()).abs() < 1e-4));
    let picture = fs::read_to_string(folder.path().join("s_rail.displacement_fan.svg")).unwrap();
    assert!(roxmltree::Document::parse(&picture).is_ok() && picture.contains("median") && picture.contains("95 %"));
}

#[test]
fn parts_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = "sweep o.model --vary stiffness=1..9 --vary rail.displacement=-1..1 --sample sobol:50 --seed 3 --outputs energy.final --until 1 --no-figures";
    succeeded(folder.path(), &format!("{sweep} --out whole.parquet"));
    for part in 1..=3 {
        succeeded(folder.path(), &format!("{sweep} --shard {part}/3 --threads 1 --out part{part}.parquet"));
    }
    succeeded(folder.path(), "merge part1.parquet part3.parquet part2.parquet --out merged.parquet --no-figures");
    let [merged, whole] =
        ["merged", "whole"].map(|name| fs::read(folder.path().join(format!("{name}.parquet"))).unwrap());
    assert!(merged == whole, "byte by byte");
    let text = succeeded(folder.path(), &format!("{sweep} --out merged.parquet"));
    assert!(text.contains("merged.parquet has these results already"), "{text}");

    let missing = hamel(folder.path(), "merge part1.parquet part2.parquet --out other.parquet");
    assert!(missing.status.code() == Some(2) && printed(&missing).contains("of part 3/3"), "{}", printed(&missing));
    let exists = hamel(folder.path(), "merge part1.parquet part2.parquet part3.parquet --out merged.parquet");
    assert!(exists.status.code() == Some(2) && printed(&exists).contains("exists"), "{}", printed(&exists));
}

#[test]
fn values_may_have_units() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = |vary: &str, name: &str| {
        let given =
            format!("sweep o.model --vary {vary} --outputs energy.final --until 1 --no-figures --out {name}.csv");
        succeeded(folder.path(), &given);
        fs::read(folder.path().join(format!("{name}.csv"))).unwrap()
    };
    let plain = sweep("stiffness=1000..3000:3 --vary rail.displacement=0.01,0.035", "plain");
    assert!(plain == sweep("stiffness=1kN/m..3N/mm:3 --vary rail.displacement=1cm,35mm", "units"));
}

#[test]
fn failed_cases_are_counted_and_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cases.csv"), "stiffness,push\n1,0\n2,1e400\n").unwrap();
    let wrong = hamel(folder.path(), "sweep o.model --cases cases.csv --outputs energy --until 1");
    assert!(printed(&wrong).contains("cases.csv: the table of cases, line 3"), "{}", printed(&wrong));
    fs::write(folder.path().join("cases.csv"), "stiffness,push\n1,0\n2,1e308\n3,1\n").unwrap();
    let ended = hamel(folder.path(), "sweep o.model --cases cases.csv --outputs energy --until 1 --out s.csv");
    let text = printed(&ended);
    assert_eq!(ended.status.code(), Some(11), "{text}");
    assert!(text.contains("1 of 3 cases failed:\n  case 1 (stiffness = 2.0, push = 1e308): "), "{text}");
}

#[test]
fn mistakes_are_named_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, message) in [
        ("--outputs energy --until 1", "nothing varies"),
        (
            "--vary stifness=1..2:3 --outputs energy --until 1",
            "unknown variable `stifness`\nhelp: known are stiffness, push, rail.displacement\n",
        ),
        ("--vary stiffness=1..2 --outputs energy --until 1", "help: write 1..2:10 for a grid"),
        ("--vary stiffness=1..2:x --outputs energy --until 1", "the number of values after `:`"),
        ("--vary stiffness=1..2:3 --sample lhs:9 --outputs energy --until 1", "leave out what follows its `:`"),
        (
            "--vary stiffness=1..2:3 --sample grid:9 --outputs energy --until 1",
            "random:COUNT, lhs:COUNT or sobol:COUNT",
        ),
        ("--vary stiffness=1..2:3 --outputs enery --until 1", "output `enery`"),
        ("--vary stiffness=1..2:3 --outputs energy --until -1", "--until must be a positive time"),
        ("--vary stiffness=1..2:3 --outputs energy --until 1 --scheme eulr", "unknown scheme `eulr`"),
        ("--vary stiffness=1..2:3 --outputs energy --until 1 --scheme trapezoidal --with alpha=2", "alpha"),
        ("--vary stiffness=1..2:3 --set stiffness=2 --outputs energy --until 1", "has a fixed value and varies"),
        ("--vary stiffness=1..2:3 --shard 4/3 --outputs energy --until 1", "expected PART/OF"),
        ("--vary rail.displacement=1deg..2deg:3 --outputs energy --until 1", "`rail.displacement` is in 1, expected m"),
        ("--vary stiffness=1..2:3 --set push=1kg --outputs energy --until 1", "unknown parameter `push`"),
        ("--vary stiffness=1..2:3 --outputs energy --until 1 --dt 1e-300", "never end"),
        (
            "--vary stiffness=1..2:3 --outputs energy --until 1 --input pull=1",
            "unknown input `pull`\nhelp: known are push\n",
        ),
        ("--vary stiffness=1..2:3 --outputs energy --until 1 --out nowhere/s.parquet", "there is no folder `nowhere`"),
        ("--vary stiffness=1..2:3 --outputs energy --until 1 --motions .", "holds something else than motions"),
    ] {
        let output = hamel(folder.path(), &format!("sweep o.model {arguments}"));
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", printed(&output));
        assert!(printed(&output).contains(message), "{arguments}: {}", printed(&output));
    }
    let files = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 1, "the model alone");
}

#[test]
fn some_cases_are_animated() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = "sweep o.model --vary rail.displacement=0..1:11 --vary push=0,1 --outputs energy.range --until 1 --out s.parquet";
    let says = "animation in s.html, 6 cases of 22: 0, 4, 8, 12, 16, 21";
    let text = succeeded(folder.path(), &format!("{sweep} --animate s.html"));
    assert!(text.contains(says), "{text}");
    // Where the results are there already, too.
    let text = succeeded(folder.path(), &format!("{sweep} --animate s.html"));
    assert!(text.contains("has these results already") && text.contains(says), "{text}");
    let page = fs::read_to_string(folder.path().join("s.html")).unwrap();
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let scenes: serde_json::Value = serde_json::from_str(data).unwrap();
    let labels: Vec<&str> = scenes.as_array().unwrap().iter().map(|scene| scene["label"].as_str().unwrap()).collect();
    assert_eq!(
        (labels.len(), labels[0], labels[5]),
        (6, "rail.displacement = 0 m, push = 0 N", "rail.displacement = 1 m, push = 1 N")
    );
    // Each moves as its case does: the one without a start and without a push stays where it is.
    assert_ne!(scenes[0]["poses"], scenes[5]["poses"]);
    assert_eq!(scenes[0]["arrows"].as_array().unwrap().len(), 0);
    assert_eq!(scenes[5]["arrows"][0]["name"], "hand");
}

/// Numbers of tables are in SI units; a table that says otherwise is not what it seems.
#[test]
fn units_in_headers_of_tables_are_those_of_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "block.model",
        "model Block {
            planar;
            coordinates joint;
            param mass = 2 kg;
            param offset = [1, 2] m;
            input push N;
            body block { mass: mass, inertia: 1 kg m^2 }
            joint rail: prismatic(ground, block);
            force driven: push on rail;
            output x = rail.displacement + offset.y;
        }",
    );
    write("cases.csv", "mass [kg],push\n1,1\n2,1\n");
    write("grams.csv", "mass [g],push\n1000,1\n2000,1\n");
    write("push.csv", "t [s],push [N]\n0,1\n0.5,1\n0.5,3\n1,3\n");
    write("milli.csv", "t [s],push [mN]\n0,1000\n1,1000\n");
    write("times.csv", "t [ms],push [N]\n0,1\n1000,1\n");
    let sweep = "sweep block.model --outputs x.final --until 1 --no-figures --out";
    succeeded(folder.path(), &format!("{sweep} a.csv --cases cases.csv"));
    for (arguments, expected) in [
        ("b.csv --cases grams.csv", "`mass` is in g, expected kg"),
        ("c.csv --vary mass=1,2 --input push=milli.csv", "values are in mN, expected N"),
        ("d.csv --vary mass=1,2 --input push=times.csv", "times are in ms, expected s"),
        ("e.csv --vary mass=1,2 --shard 1/2", "ends in .parquet"),
    ] {
        let output = hamel(folder.path(), &format!("{sweep} {arguments}"));
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", printed(&output));
        assert!(printed(&output).contains(expected), "{}", printed(&output));
    }
    // A component of a vector by its path, and a table whose values jump: ∫∫ of 0.5 and of 1.5 m/s².
    succeeded(folder.path(), &format!("{sweep} f.csv --vary offset[1]=3,4 --input push=push.csv"));
    let x = column(folder.path(), "f.csv", "x.final");
    assert!([3.375, 4.375].iter().zip(&x).all(|(expected, x)| (x - expected).abs() < 1e-6), "{x:?}");
}
