//! What a model knows about itself: names, units, patterns.

use hamel::{Attitude, Block, Channel, ContactInfo, FunctionInfo, ModelInfo, SparsityPattern};
use hamel_compiler::Stages;
use hamel_compiler::derive;
use hamel_compiler::rotations::RotationKind;
use hamel_compiler::schedule::pattern::{Pattern, Patterns};
use hamel_compiler::schedule::totals;
use hamel_compiler::schedule::vocabulary::function_name;

/// Everything in [`ModelInfo`], and what else the functions of a model need to know.
pub(crate) struct Description {
    pub info: &'static ModelInfo,
    /// For each component of the parameters another name: its path.
    pub paths: Vec<String>,
    pub singular_angles: &'static [usize],
    pub initial_conditions: (usize, usize),
    /// Whether the power is not known.
    pub has_unknown_power: bool,
}

impl Description {
    pub fn new(stages: &Stages, patterns: &Patterns, is_conservative: bool) -> Description {
        let layout = &stages.simplified.layout;
        let functions = totals::functions(&stages.simplified, &stages.schedule);
        let functions = functions.iter().map(|counts| FunctionInfo {
            name: function_name(counts.role),
            derived: counts.derived,
            shared: counts.shared,
            simplified: counts.simplified,
        });
        let contacts = layout.contacts.iter().map(|contact| ContactInfo {
            name: text(&contact.name),
            unit: text(&contact.unit),
            tangents: contact.tangents,
        });
        let doc: Vec<&str> = stages.system.doc.iter().map(|line| line.trim()).collect();
        let (positions, velocities) = &layout.initial_conditions;
        let singular = layout.singular.iter().map(|(expression, place)| (text(expression), text(place)));
        let info = ModelInfo {
            name: text(stages.system.name.to_string()),
            doc: text(doc.join("\n")),
            source: text(&stages.source),
            coordinates: channels(&layout.coordinates),
            velocities: channels(&layout.velocities),
            constraints: channels(&layout.constraints),
            velocity_constraints: layout.velocity_constraints,
            contacts: list(contacts),
            outputs: channels(&layout.outputs),
            parameters: parameters(stages),
            inputs: channels(&layout.inputs),
            blocks: list(layout.blocks.iter().map(block)),
            mass_matrix: pattern(&patterns.mass_matrix),
            damping: pattern(&patterns.damping),
            stiffness: pattern(&patterns.stiffness),
            constraint_jacobian: pattern(&patterns.constraint_jacobian),
            contact_jacobian: pattern(&patterns.contact_jacobian),
            iteration_matrix: pattern(&patterns.iteration_matrix),
            functions: list(functions),
            initial_conditions: (list(positions.iter().map(text)), list(velocities.iter().map(text))),
            singular: list(singular),
            is_conservative,
        };
        Description {
            info: Box::leak(Box::new(info)),
            paths: layout.parameters.iter().flat_map(|parameter| parameter.shape.paths(&parameter.name)).collect(),
            singular_angles: list(layout.singular_angles.iter().copied()),
            initial_conditions: (positions.len(), velocities.len()),
            has_unknown_power: layout.has_unknown_power,
        }
    }
}

fn text(text: impl AsRef<str>) -> &'static str {
    text.as_ref().to_owned().leak()
}

fn list<T>(items: impl Iterator<Item = T>) -> &'static [T] {
    items.collect::<Vec<T>>().leak()
}

fn channels(channels: &[derive::Channel]) -> &'static [Channel] {
    list(channels.iter().map(|channel| Channel { name: text(&channel.name), unit: text(&channel.unit) }))
}

/// The components of the parameters.
fn parameters(stages: &Stages) -> &'static [Channel] {
    let names = stages.simplified.parameter_graph.symbols().iter().map(|symbol| text(&symbol.name));
    let parameters = stages.simplified.layout.parameters.iter();
    let units = parameters.flat_map(|parameter| std::iter::repeat_n(text(&parameter.unit), parameter.shape.size()));
    list(names.zip(units).map(|(name, unit)| Channel { name, unit }))
}

fn block(block: &derive::Block) -> Block {
    let attitude = |kind: &RotationKind| match kind {
        RotationKind::EulerParameters => Attitude::EulerParameters,
        RotationKind::EulerZyx => Attitude::EulerAngles,
    };
    match block {
        derive::Block::Vector(size) => Block::Vector { size: *size },
        derive::Block::EulerParameters => Block::EulerParameters,
        derive::Block::Rotation(kind) => Block::Rotation(attitude(kind)),
        derive::Block::Pose(kind) => Block::Pose(attitude(kind)),
    }
}

fn pattern(pattern: &Pattern) -> SparsityPattern {
    let (rows, columns) = pattern.shape();
    let (mut column_starts, mut row_indices) = (vec![0], Vec::new());
    for column in pattern.rows_of_columns() {
        row_indices.extend(column.map(|row| row as u32));
        column_starts.push(row_indices.len() as u32);
    }
    SparsityPattern { rows, columns, column_starts: column_starts.leak(), row_indices: row_indices.leak() }
}
