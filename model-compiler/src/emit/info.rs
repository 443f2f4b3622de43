//! `ModelInfo`: everything a model knows about itself.

use std::fmt::Write;

use super::Header;
use super::paths;
use super::pattern::Patterns;
use crate::derive::{Block, Channel, ContactChannel, Equations};
use crate::rotations::RotationKind;
use crate::schedule::Schedule;
use crate::schedule::count;
use crate::schedule::vocabulary::function_name;

/// The static `INFO`.
pub(super) fn info(header: &Header, equations: &Equations, schedule: &Schedule, patterns: &Patterns) -> String {
    let layout = &equations.layout;
    let names = equations.parameter_graph.symbols().iter().map(|symbol| symbol.name.clone());
    let units = layout.parameters.iter().flat_map(|p| std::iter::repeat_n(&p.unit, p.shape.size()));
    let parameters: Vec<Channel> = names.zip(units).map(|(name, unit)| Channel { name, unit: unit.clone() }).collect();
    let doc: Vec<&str> = header.doc.iter().map(|line| line.trim()).collect();
    let mut text =
        format!("/// What the model knows about itself.\npub static INFO: {0} = {0} {{\n", paths::MODEL_INFO);
    let mut field = |name: &str, value: String| {
        let _ = writeln!(text, "{name}: {value},");
    };
    field("name", format!("{:?}", header.name.to_string()));
    field("doc", format!("{:?}", doc.join("\n")));
    field("source", format!("{:?}", header.source));
    field("coordinates", channels(&layout.coordinates));
    field("velocities", channels(&layout.velocities));
    field("constraints", channels(&layout.constraints));
    field("velocity_constraints", layout.velocity_constraints.to_string());
    field("contacts", contacts(&layout.contacts));
    field("outputs", channels(&layout.outputs));
    field("parameters", channels(&parameters));
    field("inputs", channels(&layout.inputs));
    field("blocks", format!("&[{}]", layout.blocks.iter().map(block).collect::<Vec<_>>().join(", ")));
    field("mass_matrix", patterns.mass_matrix.text());
    field("damping", patterns.damping.text());
    field("stiffness", patterns.stiffness.text());
    field("constraint_jacobian", patterns.constraint_jacobian.text());
    field("contact_jacobian", patterns.contact_jacobian.text());
    field("iteration_matrix", patterns.iteration_matrix.text());
    field("functions", functions(equations, schedule));
    text.push_str("};\n");
    text
}

fn channels(channels: &[Channel]) -> String {
    let channel =
        |channel: &Channel| format!("{} {{ name: {:?}, unit: {:?} }}", paths::CHANNEL, channel.name, channel.unit);
    format!("&[{}]", channels.iter().map(channel).collect::<Vec<_>>().join(", "))
}

fn contacts(contacts: &[ContactChannel]) -> String {
    let contact = |ContactChannel { name, unit, tangents }: &ContactChannel| {
        format!("{} {{ name: {name:?}, unit: {unit:?}, tangents: {tangents} }}", paths::CONTACT_INFO)
    };
    format!("&[{}]", contacts.iter().map(contact).collect::<Vec<_>>().join(", "))
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
    let function = |counts: &count::FunctionCounts| {
        format!(
            "{} {{ name: {:?}, derived: {}, shared: {}, simplified: {} }}",
            paths::FUNCTION_INFO,
            function_name(counts.role),
            counts.derived,
            counts.shared,
            counts.simplified
        )
    };
    format!("&[{}]", count::functions(equations, schedule).iter().map(function).collect::<Vec<_>>().join(", "))
}
