//! A model as text that several formulations share: one item a line. A line that begins with `joint |` or `absolute |`
//! belongs to such formulations alone, and a first line `// joint, absolute(euler_zyx)` names those to try.

use std::fmt::Write;

/// What is written for each body so that its motion can be carried from one formulation to the other: name of the output,
/// quantity in the plane, quantity in space.
pub const BODY_OUTPUTS: [(&str, &str, &str); 6] = [
    ("place", "position", "position"),
    ("turned", "angle", "rotation"),
    ("speed", "velocity", "velocity"),
    ("spin", "angular_velocity", "angular_velocity"),
    ("push", "acceleration", "acceleration"),
    ("twist", "angular_acceleration", "angular_acceleration"),
];

/// Lines of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Each with its coordinates, e.g. `joint(euler_zyx)`.
    pub formulations: Vec<String>,
    /// One item each.
    pub lines: Vec<String>,
}

impl Case {
    /// Reads what [`Case::to_string`] writes.
    pub fn read(text: &str) -> Case {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default().trim_start_matches("//");
        let formulations = first.split(',').map(|one| one.trim().to_owned()).collect();
        let lines = lines.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
        Case { formulations, lines }
    }

    /// The text in one formulation.
    pub fn text(&self, formulation: &str) -> String {
        let mut text = format!("model Random {{\n    coordinates {formulation};\n");
        for line in &self.lines {
            let item = match line.split_once(" | ") {
                Some((only, item)) if formulation.starts_with(only) => item,
                Some(("joint" | "absolute", _)) => continue,
                _ => line,
            };
            let _ = writeln!(text, "    {item}");
        }
        let is_planar = self.lines.iter().any(|line| line.starts_with("planar"));
        let mut outputs = String::new();
        for (index, body) in bodies(&text).iter().enumerate() {
            for (name, in_plane, in_space) in BODY_OUTPUTS {
                let quantity = if is_planar { in_plane } else { in_space };
                let _ = writeln!(outputs, "    output {name}{index} = {body}.{quantity};");
            }
        }
        format!("{text}{outputs}}}\n")
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        writeln!(f, "// {}", self.formulations.join(", "))?;
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// Names of the bodies of a text, in their order.
pub fn bodies(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.trim().strip_prefix("body ")?.split_whitespace().next()).collect()
}
