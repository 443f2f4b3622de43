//! What a model knows about itself: names, units, patterns.

use hamel::{Attitude, Block, Channel, ContactInfo, FunctionInfo, ModelInfo, SparsityPattern};
use hamel_compiler::Stages;
use hamel_compiler::derive;
use hamel_compiler::resolve::JointLimits;
use hamel_compiler::rotations::RotationKind;
use hamel_compiler::schedule::members::Members;
use hamel_compiler::schedule::methods::{Given, Method, is_scleronomic, on_request};
use hamel_compiler::schedule::pattern::{Pattern, Patterns};
use hamel_compiler::schedule::placement::is_matrix;
use hamel_compiler::schedule::totals;
use hamel_compiler::schedule::vocabulary::function_doc;
use serde::{Deserialize, Serialize};

/// Everything in [`ModelInfo`], and what else the functions of a model need to know.
#[derive(Serialize, Deserialize)]
pub(crate) struct Description {
    #[serde(with = "crate::kept")]
    pub info: ModelInfo,
    /// For each component of the parameters another name: its path.
    pub paths: Vec<String>,
    pub singular_angles: Vec<usize>,
    pub initial_conditions: (usize, usize),
    pub switching_functions: usize,
    /// Whether the power is not known.
    pub has_unknown_power: bool,
    pub provided: Vec<ProvidedFunction>,
}

/// A function that a model has because its text says `provide`, or has by default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProvidedFunction {
    /// Its name, e.g. `forward_dynamics` or `jacobian_of_tool`.
    pub name: String,
    /// The body or marker that it is about, if it is about one.
    pub frame: Option<String>,
    /// What it computes, in a sentence.
    pub doc: String,
    /// What it reads, in order: `t`, `q`, `v`, `a`, `tau`, `w`.
    pub given: Vec<String>,
    /// Its results, in order: name and shape, rows alone of a vector.
    pub results: Vec<(String, Vec<usize>)>,
}

impl ProvidedFunction {
    fn of(method: &Method, members: &[Members]) -> ProvidedFunction {
        let functions = || members.iter().flat_map(|members| &members.scheduled.functions);
        let own = || functions().filter(|function| function.role == method.function);
        let given = method.given.iter().map(|given| match given {
            Given::Time => "t",
            Given::Positions => "q",
            Given::Velocities => "v",
            Given::Accelerations => "a",
            Given::Forces => "tau",
            Given::Weights => "w",
            Given::State => "state",
        });
        let results = method.targets.iter().zip(own().flat_map(|known| &known.outputs));
        ProvidedFunction {
            name: method.name.clone(),
            frame: own().find_map(|known| known.frame.clone()),
            doc: function_doc(method.function).to_owned(),
            given: given.map(str::to_owned).collect(),
            results: results
                .map(|(target, output)| {
                    let (rows, columns) = output.shape;
                    let shape = if is_matrix(output.role) { vec![rows, columns] } else { vec![rows] };
                    (target.slice.to_owned(), shape)
                })
                .collect(),
        }
    }
}

impl Description {
    pub fn new(stages: &Stages, members: &[Members], patterns: &Patterns, is_conservative: bool) -> Description {
        let layout = &stages.simplified.layout;
        let functions = totals::functions(&stages.simplified, &stages.schedule);
        let functions = functions.iter().map(|counts| FunctionInfo {
            name: counts.name.clone(),
            derived: counts.derived,
            shared: counts.shared,
            simplified: counts.simplified,
        });
        let contacts = layout.contacts.iter();
        let contacts = contacts.map(|contact| ContactInfo::new(&contact.name, &contact.unit, contact.tangents));
        let doc: Vec<&str> = stages.system.doc.iter().map(|line| line.trim()).collect();
        let (positions, velocities) = &layout.initial_conditions;
        let info = ModelInfo {
            name: stages.system.name.to_string(),
            doc: doc.join("\n"),
            source: stages.source.clone(),
            coordinates: channels(&layout.coordinates),
            velocities: channels(&layout.velocities),
            limits: limits(&layout.limits),
            constraints: channels(&layout.constraints),
            velocity_constraints: layout.velocity_constraints,
            states: layout.states,
            contacts: contacts.collect(),
            outputs: channels(&layout.outputs),
            parameters: parameters(stages),
            inputs: channels(&layout.inputs),
            differentiated: layout.differentiated.iter().map(|symbol| symbol.index()).collect(),
            blocks: layout.blocks.iter().map(block).collect(),
            mass_matrix: pattern(&patterns.mass_matrix),
            damping: pattern(&patterns.damping),
            stiffness: pattern(&patterns.stiffness),
            constraint_jacobian: pattern(&patterns.constraint_jacobian),
            contact_jacobian: pattern(&patterns.contact_jacobian),
            iteration_matrix: pattern(&patterns.iteration_matrix),
            functions: functions.collect(),
            initial_conditions: layout.initial_conditions.clone(),
            singular: layout.singular.clone(),
            is_conservative,
            is_scleronomic: is_scleronomic(members),
        };
        Description {
            info,
            paths: layout.parameters.iter().flat_map(|parameter| parameter.shape.paths(&parameter.name)).collect(),
            singular_angles: layout.singular_angles.clone(),
            initial_conditions: (positions.len(), velocities.len()),
            switching_functions: layout.switches,
            has_unknown_power: layout.has_unknown_power,
            provided: on_request(members).iter().map(|method| ProvidedFunction::of(method, members)).collect(),
        }
    }
}

fn channels(channels: &[derive::Channel]) -> Vec<Channel> {
    channels.iter().map(|channel| Channel::new(&channel.name, &channel.unit)).collect()
}

fn limits(limits: &[(usize, usize, JointLimits)]) -> Vec<hamel::JointLimits> {
    let limits = limits.iter().map(|&(coordinate, velocity, JointLimits { range, speed, effort })| {
        hamel::JointLimits { coordinate, velocity, range, speed, effort }
    });
    limits.collect()
}

/// The components of the parameters.
fn parameters(stages: &Stages) -> Vec<Channel> {
    let names = stages.simplified.parameter_graph.symbols().iter().map(|symbol| &symbol.name);
    let parameters = stages.simplified.layout.parameters.iter();
    let units = parameters.flat_map(|parameter| std::iter::repeat_n(&parameter.unit, parameter.shape.size()));
    names.zip(units).map(|(name, unit)| Channel::new(name, unit)).collect()
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
    let starts = pattern.starts().iter().map(|&start| start as u32);
    SparsityPattern::new(pattern.shape().0, starts.collect(), pattern.entries().map(|(row, _)| row as u32).collect())
}
