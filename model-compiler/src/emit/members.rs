//! The tables of a kernel's instances as text, and how code reads them.

use std::fmt::Write;

use super::paths;
use super::runs::{self, INDICES, indices, some_of, steps};
use crate::schedule::members::{Members, ROW, Table};

impl Members<'_> {
    /// The indices of a table, of the `member` or the `place` of a loop.
    pub(super) fn indices(&self, table: &str) -> String {
        if self.is_regular() { format!("place.at(|member| &member.{table})") } else { format!("member.{table}") }
    }

    /// The constants of an instance in a loop.
    pub(super) fn constants(&self) -> String {
        if self.has_own_constants() {
            return "constants".to_owned();
        }
        let all = format!("&self.constants.{}", self.module);
        if self.has_table(ROW) { format!("{all}[{}[0] as usize]", self.indices(ROW)) } else { all }
    }

    /// `Member` and `MEMBERS`, or `RUNS` of them, if there is anything in them.
    pub(super) fn text(&self) -> String {
        let tables: Vec<&Table> = self.written().collect();
        if tables.is_empty() {
            return String::new();
        }
        let member = |i: usize| {
            let row = |table: &&Table| format!("{}: {}", table.name, indices(&table.rows[i]));
            format!("Member {{ {} }}", tables.iter().map(row).collect::<Vec<_>>().join(", "))
        };
        let values = if self.is_regular() {
            let step = |step: &Vec<i64>| {
                let mut rest = step.as_slice();
                let row = |table: &&Table| {
                    let (row, others) = rest.split_at(table.rows[0].len());
                    rest = others;
                    format!("{}: {}", table.name, steps(row))
                };
                format!("Member {{ {} }}", tables.iter().map(row).collect::<Vec<_>>().join(", "))
            };
            let (n, runs) = (self.runs.len(), runs::text(&self.runs, member, step));
            format!("pub static RUNS: [Repetition<Member>; {n}] = {runs};")
        } else {
            let members: Vec<String> = (0..self.instances.len()).map(member).collect();
            format!("pub static MEMBERS: [Member; {}] = [{}];", members.len(), members.join(", "))
        };
        let mut text = String::new();
        let used = [("Repetition", self.is_regular()), (INDICES, values.contains(&format!("{INDICES}(")))];
        for (name, _) in used.iter().filter(|(_, is_used)| *is_used) {
            let _ = writeln!(text, "use super::{}::{name};", paths::GENERATED);
        }
        text.push_str("/// Indices of one instance in the model.\npub struct Member {\n");
        for table in &tables {
            let _ = writeln!(text, "pub {}: [u32; {}],", table.name, table.rows[0].len());
        }
        let names: Vec<&str> = self.instances.iter().map(|member| member.name.as_str()).collect();
        let _ = writeln!(text, "}}\n/// Instances: {}.\n{values}", some_of(&names));
        text
    }
}
