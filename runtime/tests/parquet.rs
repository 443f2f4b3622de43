//! Parquet files of trajectories have the names, units and bits of the table, for this crate and for others.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Oscillator, Pendulum};
use hamel::{Scheme, Simulation, Trajectory, initial_state, schemes};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

/// A motion with constraints, multipliers, and a balance of energy that is not a number.
fn motion(steps: u32) -> Trajectory {
    let scheme = schemes::by_name("generalized_alpha", &[("rho_infinity", 0.8)]).unwrap();
    let scheme: &dyn Scheme = &*scheme;
    let run = Simulation::new(&Pendulum, scheme).step(1e-3).until(1e-3 * f64::from(steps)).run(Pendulum::initial());
    run.outcome.unwrap();
    run.trajectory
}

fn written(table: &Trajectory, name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    table.write_parquet(File::create(&path).unwrap()).unwrap();
    path
}

fn bits(values: impl Iterator<Item = f64>) -> Vec<u64> {
    values.map(f64::to_bits).collect()
}

fn assert_same(table: &Trajectory, path: &Path) {
    let file = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let about = file.metadata().file_metadata();
    let names: Vec<&str> = about.schema_descr().columns().iter().map(|column| column.name()).collect();
    let mut csv = Vec::new();
    table.write_csv(&mut csv).unwrap();
    assert_eq!(names, csv::Reader::from_reader(csv.as_slice()).headers().unwrap().iter().collect::<Vec<_>>());
    let units: Vec<(String, Option<String>)> =
        about.key_value_metadata().unwrap().iter().map(|unit| (unit.key.clone(), unit.value.clone())).collect();
    let expected = table.columns().iter().map(|column| (format!("unit:{}", column.name), Some(column.unit.clone())));
    assert_eq!(units, expected.collect::<Vec<_>>());
    let rows: Vec<_> = file.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(rows.len(), table.len());
    for (place, column) in table.columns().iter().enumerate() {
        let read = rows.iter().map(|row| row.get_double(place).unwrap());
        assert_eq!(bits(read), bits(table.column(&column.name).unwrap()), "{}", column.name);
    }
}

#[test]
fn files_have_the_bits_of_the_table() {
    let table = motion(200);
    assert!(table.column("multiplier(rod)").unwrap().all(|multiplier| multiplier != 0.0));
    assert_same(&table, &written(&table, "motion.parquet"));
}

/// More rows than a group has, and none.
#[test]
fn tables_of_any_length_are_written() {
    let start = initial_state(&Oscillator).unwrap();
    let run = Simulation::new(&Oscillator, &schemes::RungeKutta).step(1e-3).until(66.0).run(start);
    assert_same(&run.trajectory, &written(&run.trajectory, "long.parquet"));
    let empty = Trajectory::new(&Oscillator);
    assert_same(&empty, &written(&empty, "empty.parquet"));
}

#[test]
fn a_writer_that_fails_is_an_error() {
    let mut little = [0_u8; 100];
    assert!(motion(10).write_parquet(little.as_mut_slice()).is_err());
}

/// What Python reads: names, then the bits of each column.
const PYTHON: &str = "
import struct, sys
import pyarrow.parquet
table = pyarrow.parquet.read_table(sys.argv[1])
assert table.schema.metadata[b'unit:t'] == b's', table.schema.metadata
for field, column in zip(table.schema, table.columns):
    assert not field.nullable and str(field.type) == 'double', field
    print(field.name, *(struct.pack('>d', value).hex() for value in column.to_pylist()), sep='\\t')
";

#[test]
fn python_reads_the_same() {
    let has_pyarrow = Command::new("python3").args(["-c", "import pyarrow.parquet"]).output();
    if !has_pyarrow.is_ok_and(|output| output.status.success()) {
        println!("skipped: python3 has no pyarrow");
        return;
    }
    let table = motion(50);
    let path = written(&table, "python.parquet");
    let output = Command::new("python3").args(["-c", PYTHON]).arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = table.columns().iter().map(|column| {
        let values = table.column(&column.name).unwrap().map(|value| format!("\t{:016x}", value.to_bits()));
        format!("{} [{}]{}\n", column.name, column.unit, values.collect::<String>())
    });
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected.collect::<String>());
}
