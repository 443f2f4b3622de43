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

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(parent: Option<usize>, child: Option<usize>) -> Edge {
        Edge { parent: parent.map(BodyId), child: child.map(BodyId), is_cut: false }
    }

    #[test]
    fn a_loop_is_opened_where_the_branches_meet() {
        let four_bar = [edge(None, Some(0)), edge(Some(0), Some(1)), edge(Some(1), Some(2)), edge(None, Some(2))];
        let tree = spanning_tree(3, &four_bar);
        assert_eq!(tree.joints, [0, 3, 1], "breadth first");
        assert!(tree.reversed.is_empty() && tree.unattached.is_empty());
    }

    #[test]
    fn a_cut_joint_stays_outside() {
        let mut four_bar = [edge(None, Some(0)), edge(Some(0), Some(1)), edge(Some(1), Some(2)), edge(None, Some(2))];
        four_bar[3].is_cut = true;
        assert_eq!(spanning_tree(3, &four_bar).joints, [0, 1, 2]);
    }

    #[test]
    fn a_reversed_joint_hides_nothing_behind_it() {
        let tree = spanning_tree(3, &[edge(Some(0), None), edge(Some(0), Some(1))]);
        assert_eq!((tree.reversed, tree.joints), (vec![0], vec![1]));
        assert_eq!(tree.unattached, [BodyId(2)]);
    }
}
