//! What is known of joints, flexible members, beams and quantities of first order before they are resolved.

use proc_macro2::Ident;

use super::{BodyId, FloatingFrame};
use crate::joints::Joint as JointKind;
use crate::spelling::indexed;
use crate::units::Unit;

/// What expressions need to know of a joint.
#[derive(Debug)]
pub(super) struct JointOutline {
    pub(super) name: Ident,
    pub(super) kind: &'static dyn JointKind,
    pub(super) parent: Option<BodyId>,
    pub(super) child: Option<BodyId>,
    pub(super) is_tree: bool,
    /// An end has turned axes.
    pub(super) is_turned: bool,
    pub(super) absolute_angle: Option<Ident>,
    pub(super) coordinate_name: Option<Ident>,
    /// It follows another joint.
    pub(super) is_follower: bool,
    /// Index of the flexible member that it belongs to.
    pub(super) member: Option<usize>,
}

/// What expressions and joints need to know of a flexible member.
#[derive(Debug)]
pub(super) struct MemberOutline {
    pub(super) name: Ident,
    pub(super) frame_kind: FloatingFrame,
    pub(super) elements: usize,
    /// Its floating frame, the end that is nearer to the ground, and the other one.
    pub(super) frame: BodyId,
    pub(super) root: BodyId,
    pub(super) tip: BodyId,
}

impl MemberOutline {
    /// Whether a body stands for a part of it.
    pub(super) fn is_part(&self, body: BodyId) -> bool {
        [self.frame, self.root, self.tip].contains(&body)
    }

    /// The name of a node: that of the member with the number of the node as its index.
    pub(super) fn node(&self, index: usize) -> Ident {
        indexed(&self.name, &[index])
    }
}

/// What expressions and joints need to know of a beam.
#[derive(Debug)]
pub(super) struct BeamOutline {
    pub(super) name: Ident,
    pub(super) elements: usize,
    pub(super) first: BodyId,
}

impl BeamOutline {
    pub(super) fn nodes(&self) -> usize {
        2 * self.elements + 1
    }

    pub(super) fn root(&self) -> BodyId {
        self.first
    }

    pub(super) fn tip(&self) -> BodyId {
        BodyId(self.first.0 + self.nodes() - 1)
    }

    /// The name of a node: that of the beam with the number of the node as its index.
    pub(super) fn node(&self, index: usize) -> Ident {
        indexed(&self.name, &[index])
    }
}

/// What expressions need to know of a quantity of first order.
#[derive(Debug)]
pub(super) struct StateOutline {
    pub(super) name: Ident,
    pub(super) unit: Unit,
}
