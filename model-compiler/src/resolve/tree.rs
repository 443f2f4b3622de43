//! The spanning tree of joints that becomes the coordinates of a model.
//!
//! Breadth first from the ground, joints in the order of declaration. Every tree joint names the end nearer to the
//! ground first, because its coordinates move the second end against the first.

use std::collections::VecDeque;

use super::BodyId;

/// What a joint connects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The end named first; `None` is the ground.
    pub(super) parent: Option<BodyId>,
    /// The end named second.
    pub(super) child: Option<BodyId>,
    /// The model keeps it out of the tree.
    pub(super) is_cut: bool,
}

/// A spanning tree, and what stands in the way of one.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Joints of the tree, parents before children.
    pub(super) joints: Vec<usize>,
    /// Joints that would belong to it if they named their ends the other way round.
    pub(super) reversed: Vec<usize>,
    /// Bodies that nothing connects with the ground, even so: the first of each group.
    pub(super) unattached: Vec<BodyId>,
}

/// Chooses the tree.
pub(super) fn spanning_tree(n_bodies: usize, edges: &[Edge]) -> Tree {
    let mut tree = Tree::default();
    let mut is_reached = vec![false; n_bodies];
    let reached = |is_reached: &[bool], body: Option<BodyId>| body.is_none_or(|body| is_reached[body.0]);

    let mut queue = VecDeque::from([None]);
    loop {
        while let Some(parent) = queue.pop_front() {
            for (index, edge) in edges.iter().enumerate().filter(|(_, edge)| !edge.is_cut && edge.parent == parent) {
                if let Some(child) = edge.child.filter(|child| !is_reached[child.0]) {
                    is_reached[child.0] = true;
                    tree.joints.push(index);
                    queue.push_back(Some(child));
                }
            }
        }
        let is_reversed =
            |edge: &Edge| !edge.is_cut && reached(&is_reached, edge.child) && !reached(&is_reached, edge.parent);
        let next = match edges.iter().position(is_reversed) {
            Some(index) => {
                tree.reversed.push(index);
                edges[index].parent
            }
            None => {
                let unattached = is_reached.iter().position(|&is_reached| !is_reached).map(BodyId);
                tree.unattached.extend(unattached);
                unattached
            }
        };
        let Some(body) = next else { return tree };
        is_reached[body.0] = true;
        queue.push_back(Some(body));
    }
}
