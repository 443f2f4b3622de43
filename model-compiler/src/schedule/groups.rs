//! What the function of a kernel is given, group by group.

use super::{Argument, ArgumentNames, Routine};

/// Groups of arguments that a function takes, in the order of its signature.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// What depends on parameters alone.
    Constants,
    /// Time.
    Time,
    /// Run-time inputs.
    Inputs,
    /// Coordinates.
    Positions,
    /// Velocities.
    Velocities,
    /// Accelerations.
    Accelerations,
    /// Multipliers.
    Multipliers,
    /// Forces on the directions of the velocities.
    Forces,
    /// Weights of the forces on the directions of the velocities.
    Weights,
}

impl Group {
    /// All of them.
    pub const ALL: [Group; 9] = [
        Group::Constants,
        Group::Time,
        Group::Inputs,
        Group::Positions,
        Group::Velocities,
        Group::Accelerations,
        Group::Multipliers,
        Group::Forces,
        Group::Weights,
    ];

    /// Everything that belongs to an instant.
    pub const STATE: [Group; 6] =
        [Group::Time, Group::Inputs, Group::Positions, Group::Velocities, Group::Accelerations, Group::Multipliers];

    /// The name of the argument.
    pub fn name(self) -> &'static str {
        match self {
            Group::Constants => "constants",
            Group::Time => "t",
            Group::Inputs => "inputs",
            Group::Positions => "q",
            Group::Velocities => "v",
            Group::Accelerations => "a",
            Group::Multipliers => "lambda",
            Group::Forces => "tau",
            Group::Weights => "w",
        }
    }

    /// The table of an instance that says which of the model's values these are.
    pub fn table(self) -> Option<&'static str> {
        match self {
            Group::Constants | Group::Time => None,
            Group::Inputs => Some("inputs"),
            Group::Positions => Some("q"),
            Group::Velocities | Group::Accelerations | Group::Forces | Group::Weights => Some("v"),
            Group::Multipliers => Some("lambda"),
        }
    }

    /// Names of all its values.
    pub fn all(self, names: &ArgumentNames) -> &[String] {
        match self {
            Group::Constants => &names.constants,
            Group::Time => std::slice::from_ref(&names.time),
            Group::Inputs => &names.inputs,
            Group::Positions => &names.q,
            Group::Velocities => &names.v,
            Group::Accelerations => &names.a,
            Group::Multipliers => &names.lambda,
            Group::Forces => &names.tau,
            Group::Weights => &names.w,
        }
    }

    /// Name of one of its values.
    pub fn element(self, names: &ArgumentNames, index: usize) -> &str {
        &self.all(names)[index]
    }

    /// The group of an argument and its place there; `None` for parameters.
    pub fn split(argument: Argument) -> Option<(Group, usize)> {
        Some(match argument {
            Argument::Parameter(_) => return None,
            Argument::Constant(i) => (Group::Constants, i),
            Argument::Time => (Group::Time, 0),
            Argument::Input(i) => (Group::Inputs, i),
            Argument::Position(i) => (Group::Positions, i),
            Argument::Velocity(i) => (Group::Velocities, i),
            Argument::Acceleration(i) => (Group::Accelerations, i),
            Argument::Multiplier(i) => (Group::Multipliers, i),
            Argument::Force(i) => (Group::Forces, i),
            Argument::Weight(i) => (Group::Weights, i),
        })
    }

    /// Its length in this kernel.
    pub fn len(self, names: &ArgumentNames) -> usize {
        self.all(names).len()
    }
}

/// The groups that a routine reads, with the indices read.
pub fn groups(routine: &Routine) -> Vec<(Group, Vec<usize>)> {
    let mut groups: Vec<(Group, Vec<usize>)> = Vec::new();
    for (group, index) in routine.arguments().into_iter().filter_map(Group::split) {
        match groups.last_mut() {
            Some((last, indices)) if *last == group => indices.push(index),
            _ => groups.push((group, vec![index])),
        }
    }
    groups.sort();
    groups
}
