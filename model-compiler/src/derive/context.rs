//! What kernels are derived from.

use super::equations::Layout;
use super::kernel::KernelBuilder;
use super::parameters::Parameters;
use crate::resolve::System;

/// A system, where all that it has stands in the model's vectors, and the parameters of kernels as they come up.
pub(super) struct Context<'m> {
    pub system: &'m System,
    pub layout: &'m Layout,
    pub parameters: &'m mut Parameters,
}

impl Context<'_> {
    /// Begins a kernel, with its first member as an instance.
    pub fn kernel(&mut self, name: &str, doc: &str, member: &str) -> KernelBuilder<'_> {
        KernelBuilder::new(name, doc, member, self.parameters, self.layout)
    }
}
