//! Fixed joint: the two frames coincide.

use super::kind::{Ends, Joint, Residual, alignment, coincidence};
use crate::expr::Graph;

/// See the module.
#[derive(Debug)]
pub struct Fixed;

impl Joint for Fixed {
    fn keyword(&self) -> &'static str {
        "fixed"
    }

    fn closure(&self, graph: &mut Graph, ends: &Ends) -> Vec<Residual> {
        let mut residuals = coincidence(graph, ends);
        residuals.extend(alignment(graph, ends));
        residuals
    }
}
