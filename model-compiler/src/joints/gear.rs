//! Gear: the second coordinate is the ratio times the first. Two angles make a pair of gears or a belt, an angle and a
//! displacement a rack and its pinion.

use super::kind::{Connects, Ends, Joint, JointField, Residual, residuals};
use crate::expr::Graph;

/// See the module.
#[derive(Debug)]
pub struct Gear;

impl Joint for Gear {
    fn keyword(&self) -> &'static str {
        "gear"
    }

    fn connects(&self) -> Connects {
        Connects::Coordinates
    }

    /// Negative for gears that mesh outside: they turn against each other.
    fn fields(&self) -> &'static [JointField] {
        &[JointField { name: "ratio", unit: "*", is_positive: false }]
    }

    fn closure(&self, graph: &mut Graph, ends: &Ends) -> Vec<Residual> {
        let [(driving, _), (driven, unit)] = [ends.coordinates[0], ends.coordinates[1]];
        let expected = graph.mul(ends.fields[0], driving);
        let residual = graph.sub(driven, expected);
        residuals(unit, [residual])
    }
}
