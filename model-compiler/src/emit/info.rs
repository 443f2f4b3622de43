//! `ModelInfo`: everything a model knows about itself.

use std::fmt::{Debug, Write};

use super::Header;
use super::paths;
use super::runs::{self, steps};
use crate::derive::{Block, Channel, ContactChannel, Equations};
use crate::resolve::JointLimits;
use crate::rotations::RotationKind;
use crate::schedule::Schedule;
use crate::schedule::pattern::Patterns;
use crate::schedule::runs::{Run, difference, runs};
use crate::schedule::totals::{self, FunctionCounts};

/// The static `INFO`.
pub(super) fn info(
    header: &Header,
    equations: &Equations,
    schedule: &Schedule,
    patterns: &Patterns,
    (is_conservative, is_scleronomic): (bool, bool),
) -> String {
    let layout = &equations.layout;
    let names = equations.parameter_graph.symbols().iter().map(|symbol| symbol.name.clone());
    let units = layout.parameters.iter().flat_map(|p| std::iter::repeat_n(&p.unit, p.shape.size()));
    let parameters: Vec<Channel> = names.zip(units).map(|(name, unit)| Channel { name, unit: unit.clone() }).collect();
    let doc: Vec<&str> = header.doc.iter().map(|line| line.trim()).collect();
    let mut text = String::new();
    let mut field = |name: &str, value: String| {
        let _ = writeln!(text, "{name}: {value},");
    };
    field("name", format!("text({:?})", header.name.to_string()));
    field("doc", format!("text({:?})", doc.join("\n")));
    field("source", format!("text({:?})", header.source));
    field("coordinates", channels(&layout.coordinates));
    field("velocities", channels(&layout.velocities));
    field("limits", {
        let limits = layout.limits.iter().map(|(coordinate, velocity, limits)| {
            let JointLimits { range, speed, effort } = limits;
            format!("({coordinate}, {velocity}, {}, {}, {})", option(range), option(speed), option(effort))
        });
        format!("limits(&[{}])", limits.collect::<Vec<_>>().join(", "))
    });
    field("constraints", channels(&layout.constraints));
    field("velocity_constraints", layout.velocity_constraints.to_string());
    field("states", layout.states.to_string());
    field("contacts", contacts(&layout.contacts));
    field("outputs", channels(&layout.outputs));
    field("parameters", channels(&parameters));
    field("inputs", channels(&layout.inputs));
    field("differentiated", {
        let places = layout.differentiated.iter().map(|symbol| symbol.index().to_string());
        format!("numbers(&[{}])", places.collect::<Vec<_>>().join(", "))
    });
    field("blocks", blocks(&layout.blocks));
    // The others are moved into their fields.
    field("iteration_matrix", "iteration_matrix([&m, &d, &k], &g)".to_owned());
    field("mass_matrix", "m".to_owned());
    field("damping", "d".to_owned());
    field("stiffness", "k".to_owned());
    field("constraint_jacobian", "g".to_owned());
    field("contact_jacobian", runs::pattern(&patterns.contact_jacobian));
    field("functions", functions(equations, schedule));
    field("initial_conditions", {
        let (positions, velocities) = &layout.initial_conditions;
        format!("(texts(&{positions:?}), texts(&{velocities:?}))")
    });
    field("singular", format!("pairs(&{:?})", layout.singular));
    field("is_conservative", is_conservative.to_string());
    field("is_scleronomic", is_scleronomic.to_string());
    let blocks = [
        ("m", &patterns.mass_matrix),
        ("d", &patterns.damping),
        ("k", &patterns.stiffness),
        ("g", &patterns.constraint_jacobian),
    ];
    let blocks = blocks.map(|(name, pattern)| format!("let {name} = {};\n", runs::pattern(pattern))).concat();
    format!(
        "/// What the model knows about itself.\npub static INFO: {0}<{1}> = {0}::new(|| {{\n\
         use {2}::{{{3}}};\n{blocks}{1} {{\n{text}}}\n}});\n",
        paths::LAZY_LOCK,
        paths::MODEL_INFO,
        paths::GENERATED,
        HELPERS.join(", ")
    )
}

fn channels(channels: &[Channel]) -> String {
    let text = |Channel { name, unit }: &Channel| format!("({name:?}, {unit:?})");
    let names: Vec<Name> = channels.iter().map(|channel| Name::of(&channel.name)).collect();
    let step =
        |from: usize, to: usize| names[from].step(&names[to]).filter(|_| channels[from].unit == channels[to].unit);
    listed("channels", &runs(channels.len(), step), |i| text(&channels[i]), |step| format!("&{}", steps(step)))
}

fn contacts(contacts: &[ContactChannel]) -> String {
    let text = |ContactChannel { name, unit, tangents }: &ContactChannel| format!("({name:?}, {unit:?}, {tangents})");
    let names: Vec<Name> = contacts.iter().map(|contact| Name::of(&contact.name)).collect();
    let kind = |i: usize| (&contacts[i].unit, contacts[i].tangents);
    let step = |from: usize, to: usize| names[from].step(&names[to]).filter(|_| kind(from) == kind(to));
    listed("contacts", &runs(contacts.len(), step), |i| text(&contacts[i]), |step| format!("&{}", steps(step)))
}

fn option(value: &Option<impl Debug>) -> String {
    value.as_ref().map_or_else(|| paths::NONE.to_owned(), |value| format!("{}({value:?})", paths::SOME))
}

fn blocks(blocks: &[Block]) -> String {
    let runs = runs(blocks.len(), |from, to| (blocks[from] == blocks[to]).then_some(()));
    listed("blocks", &runs, |i| block(&blocks[i]), |()| "()".to_owned())
}

/// What the runtime makes texts, lists and patterns with.
const HELPERS: [&str; 12] = [
    "Repetition",
    "blocks",
    "channels",
    "contacts",
    "functions",
    "iteration_matrix",
    "limits",
    "numbers",
    "pairs",
    "pattern",
    "text",
    "texts",
];

/// What the runtime's function makes of items.
fn listed<S>(function: &str, runs: &[Run<S>], item: impl Fn(usize) -> String, step: impl Fn(&S) -> String) -> String {
    format!("{function}(&{})", runs::text(runs, item, step))
}

/// A name by the numbers in its brackets, as the runtime advances it.
struct Name<'a> {
    /// What stands between the numbers, each with how many come before it.
    text: Vec<(usize, &'a str)>,
    numbers: Vec<usize>,
}

impl<'a> Name<'a> {
    fn of(name: &'a str) -> Name<'a> {
        let (mut text, mut numbers) = (Vec::new(), Vec::new());
        for (i, piece) in name.split('[').enumerate() {
            let indices = |(list, rest): (&str, &'a str)| {
                let number = |text: &str| text.parse::<u32>().ok().map(|number| number as usize);
                Some((list.split(',').map(number).collect::<Option<Vec<usize>>>()?, rest))
            };
            let (indices, rest) =
                piece.split_once(']').filter(|_| i > 0).and_then(indices).unwrap_or((Vec::new(), piece));
            text.push((indices.len(), rest));
            numbers.extend(indices);
        }
        Name { text, numbers }
    }

    fn step(&self, to: &Name) -> Option<Vec<i64>> {
        difference(&self.numbers, &to.numbers).filter(|_| self.text == to.text)
    }
}

fn block(block: &Block) -> String {
    match block {
        Block::Vector(size) => format!("{}::Vector {{ size: {size} }}", paths::BLOCK),
        Block::EulerParameters => format!("{}::EulerParameters", paths::BLOCK),
        Block::Rotation(kind) => format!("{}::Rotation({})", paths::BLOCK, attitude(*kind)),
        Block::Pose(kind) => format!("{}::Pose({})", paths::BLOCK, attitude(*kind)),
    }
}

fn attitude(kind: RotationKind) -> String {
    let name = match kind {
        RotationKind::EulerParameters => "EulerParameters",
        RotationKind::EulerZyx => "EulerAngles",
    };
    format!("{}::{name}", paths::ATTITUDE)
}

fn functions(equations: &Equations, schedule: &Schedule) -> String {
    let function = |counts: &FunctionCounts| {
        let FunctionCounts { name, derived, shared, simplified, .. } = counts;
        format!("({:?}, [{derived}, {shared}, {simplified}])", name)
    };
    let list: Vec<String> = totals::functions(equations, schedule).iter().map(function).collect();
    format!("functions(&[{}])", list.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_step_by_the_numbers_in_their_brackets() {
        let step = |from: &str, to: &str| Name::of(from).step(&Name::of(to));
        assert_eq!(step("disc[0,4].x", "disc[2,3].x"), Some(vec![2, -1]));
        assert_eq!(step("leg[1].foot[0,1].e0", "leg[1].foot[0,2].e0"), Some(vec![0, 0, 1]));
        assert_eq!(step("x", "x"), Some(vec![]));
        assert_eq!(step("disc[0].x", "disc[1].y"), None);
        assert_eq!(step("disc[0,1][2].x", "disc[0][1,2].x"), None);
        assert_eq!(step("load[left]", "load[right]"), None);
    }
}
