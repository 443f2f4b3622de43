//! Kinds of members: one kernel for all members with the same equations, found by structure and not by name.

use super::equations::{Entry, Instance, Kernel, Output, Role};
use super::kernel::{KernelBuilder, Mechanics, Origin};
use super::linearization;

/// Kernels and their instances.
///
/// Members are compared as they are added, so that a thousand equal ones take the memory of a single graph.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    kernels: Vec<Kernel>,
    /// What kernels were derived from, for those whose index is given.
    origins: Vec<(Origin, usize)>,
    instances: Vec<Instance>,
}

impl Kinds {
    /// Adds the member that has these mechanics. The derivatives are formed for the first of equal members only.
    pub fn add_member(&mut self, mut builder: KernelBuilder, mechanics: Mechanics) {
        builder.declare_seeds();
        let origin = builder.origin(mechanics);
        let is_known =
            |(known, kernel): &&(Origin, usize)| *known == origin && builder.is_beginning_of(&self.kernels[*kernel]);
        if let Some(&(_, kernel)) = self.origins.iter().find(is_known) {
            self.instances.push(Instance { kernel, ..builder.into_instance() });
            return;
        }
        let functions = builder.functions(origin.mechanics().clone());
        let (kernel, instance) = linearization::complete(builder, functions);
        let kernel = self.add(kernel, [instance]);
        self.origins.push((origin, kernel));
    }

    /// Adds members with this kernel, of which the index is returned.
    pub fn add(&mut self, kernel: Kernel, uses: impl IntoIterator<Item = Instance>) -> usize {
        let index = match self.kernels.iter().position(|known| is_equal(known, &kernel)) {
            Some(known) => known,
            None => {
                self.kernels.push(kernel);
                self.kernels.len() - 1
            }
        };
        self.instances.extend(uses.into_iter().map(|instance| Instance { kernel: index, ..instance }));
        index
    }

    /// The kernels, each with a unique name, and the instances.
    pub fn named(self) -> (Vec<Kernel>, Vec<Instance>) {
        let Kinds { mut kernels, instances, .. } = self;
        for index in 1..kernels.len() {
            let taken = |name: &str| kernels[..index].iter().any(|known| known.name == name);
            if taken(&kernels[index].name) {
                let free = (2..).map(|i| format!("{}_{i}", kernels[index].name)).find(|name| !taken(name));
                kernels[index].name = free.unwrap_or_default();
            }
        }
        (kernels, instances)
    }
}

fn is_equal(a: &Kernel, b: &Kernel) -> bool {
    a.inputs == b.inputs
        && a.graph.stages_of_symbols().eq(b.graph.stages_of_symbols())
        && a.functions.len() == b.functions.len()
        && a.functions
            .iter()
            .zip(&b.functions)
            .all(|(a, b)| a.role == b.role && outputs(&a.outputs) == outputs(&b.outputs))
        && a.graph.nodes().eq(b.graph.nodes())
}

/// The comparable content of a function's outputs.
fn outputs(outputs: &[Output]) -> Vec<(Role, (usize, usize), &[Entry])> {
    outputs.iter().map(|output| (output.role, output.shape, output.entries.as_slice())).collect()
}
