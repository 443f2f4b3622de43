//! Kinds of members: one kernel for all members with the same equations, found by structure and not by name.

use super::equations::{Entry, Instance, Kernel, Output, Role};
use crate::expr::Graph;

/// Kernels and their instances.
///
/// Members are compared as they are added, so that a thousand equal ones take the memory of a single graph.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    kernels: Vec<Kernel>,
    instances: Vec<Instance>,
}

impl Kinds {
    /// Adds members with this kernel.
    pub fn add(&mut self, kernel: Kernel, uses: impl IntoIterator<Item = Instance>) {
        let index = match self.kernels.iter().position(|known| is_equal(known, &kernel)) {
            Some(known) => known,
            None => {
                self.kernels.push(kernel);
                self.kernels.len() - 1
            }
        };
        self.instances.extend(uses.into_iter().map(|instance| Instance { kernel: index, ..instance }));
    }

    /// The kernels, each with a unique name, and the instances.
    pub fn named(self) -> (Vec<Kernel>, Vec<Instance>) {
        let Kinds { mut kernels, instances } = self;
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
    let stages = |graph: &Graph| graph.symbols().iter().map(|symbol| symbol.stage).collect::<Vec<_>>();
    a.inputs == b.inputs
        && stages(&a.graph) == stages(&b.graph)
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
