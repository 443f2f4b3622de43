//! The input from which kernels are derived.

use super::equations::Layout;
use super::kernel::KernelBuilder;
use super::parameters::Parameters;
use crate::resolve::System;

/// A system, the indices of its members in the model's vectors, and the parameters of kernels found so far.
pub(super) struct Context<'m> {
    pub system: &'m System,
    pub layout: &'m Layout,
    pub parameters: &'m mut Parameters,
}

impl Context<'_> {
    /// Starts a kernel, with its first member as an instance.
    pub fn kernel(&mut self, name: &str, doc: &str, member: &str) -> KernelBuilder<'_> {
        KernelBuilder::new(name, doc, member, self.parameters, self.layout)
    }
}
