//! The spanning tree of joints that becomes the coordinates of a model.
//!
//! Breadth first from the ground, joints in the order of declaration. Every tree joint names the end nearer to the
//! ground first, because its coordinates move the second end against the first. The frame and the far end of a flexible
//! member are reached with its first end, through joints of its own.

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
    /// Belongs to a flexible member.
    pub(super) is_inner: bool,
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

    // Nothing but its member leads to an inner body.
    let mut is_inner = vec![false; n_bodies];
    edges.iter().filter(|edge| edge.is_inner).filter_map(|edge| edge.child).for_each(|child| is_inner[child.0] = true);
    let leads = |edge: &Edge| !edge.is_cut && (edge.is_inner || edge.child.is_none_or(|child| !is_inner[child.0]));

    let mut queue = VecDeque::from([None]);
    loop {
        while let Some(parent) = queue.pop_front() {
            for (index, edge) in edges.iter().enumerate().filter(|(_, edge)| leads(edge) && edge.parent == parent) {
                let Some(child) = edge.child.filter(|child| !is_reached[child.0]) else { continue };
                is_reached[child.0] = true;
                tree.joints.push(index);
                let mut last = child;
                queue.push_back(Some(child));
                while let Some((inner, next)) = inner_edge(edges, last) {
                    is_reached[next.0] = true;
                    tree.joints.push(inner);
                    queue.push_back(Some(next));
                    last = next;
                }
            }
        }
        let is_reversed = |edge: &Edge| {
            !edge.is_cut && !edge.is_inner && reached(&is_reached, edge.child) && !reached(&is_reached, edge.parent)
        };
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

/// The joint of a flexible member that leads on from this body, and where to.
fn inner_edge(edges: &[Edge], from: BodyId) -> Option<(usize, BodyId)> {
    let is_next = |edge: &Edge| edge.is_inner && edge.parent == Some(from);
    let index = edges.iter().position(is_next)?;
    Some((index, edges[index].child?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(parent: Option<usize>, child: Option<usize>) -> Edge {
        Edge { parent: parent.map(BodyId), child: child.map(BodyId), is_cut: false, is_inner: false }
    }

    #[test]
    fn a_flexible_member_is_reached_as_a_whole_through_its_first_end() {
        // 0 is a rocker, 1 the frame of the member, 2 its far end, which the rocker names as a child.
        let mut edges = [edge(None, Some(0)), edge(Some(0), Some(2)), edge(None, Some(1)), edge(Some(1), Some(2))];
        edges[3].is_inner = true;
        let tree = spanning_tree(3, &edges);
        assert_eq!((tree.joints, tree.reversed, tree.unattached), (vec![0, 2, 3], vec![], vec![]));
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
