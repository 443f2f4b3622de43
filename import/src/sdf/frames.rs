//! Frames, each of which stands in another one.

use crate::robot::pose::Pose;

/// Frames by their numbers; the first is the world.
#[derive(Default)]
pub(super) struct Frames {
    frames: Vec<Frame>,
}

struct Frame {
    /// The frame that it stands in; the world stands in itself.
    base: usize,
    pose: Pose,
    depth: usize,
}

impl Frames {
    /// Adds a frame that stands in another one, and gives its number.
    pub(super) fn add(&mut self, base: usize) -> usize {
        self.frames.push(Frame { base, pose: Pose::IDENTITY, depth: 0 });
        self.frames.len() - 1
    }

    /// Says where a frame stands.
    pub(super) fn place(&mut self, frame: usize, base: usize, pose: Pose) {
        self.frames[frame].base = base;
        self.frames[frame].pose = pose;
    }

    /// Says where a frame stands in the one that it stands in already.
    pub(super) fn replace(&mut self, frame: usize, pose: Pose) {
        self.frames[frame].pose = pose;
    }

    /// Where a frame stands in the one that it is said to stand in.
    pub(super) fn own(&self, frame: usize) -> Pose {
        self.frames[frame].pose
    }

    /// Counts the frames between each and the world; the first that stands in itself, through others, is the error.
    pub(super) fn settle(&mut self) -> Result<(), usize> {
        let mut is_known = vec![false; self.frames.len()];
        let mut path = Vec::new();
        if let Some(world) = is_known.first_mut() {
            *world = true;
        }
        for start in 0..self.frames.len() {
            let mut at = start;
            while !is_known[at] {
                // More steps than there are frames come back.
                if path.len() > self.frames.len() {
                    return Err(start);
                }
                path.push(at);
                at = self.frames[at].base;
            }
            while let Some(frame) = path.pop() {
                self.frames[frame].depth = self.frames[at].depth + 1;
                (is_known[frame], at) = (true, frame);
            }
        }
        Ok(())
    }

    /// Where a frame stands in another one. What both stand in adds no rounding.
    pub(super) fn between(&self, from: usize, to: usize) -> Pose {
        let (mut ends, mut poses) = ([from, to], [Pose::IDENTITY; 2]);
        while ends[0] != ends[1] {
            let [a, b] = ends.map(|end| self.frames[end].depth);
            let outer = usize::from(a < b);
            let frame = &self.frames[ends[outer]];
            poses[outer] = frame.pose.then(&poses[outer]);
            ends[outer] = frame.base;
        }
        if poses[0] == Pose::IDENTITY { poses[1] } else { poses[0].inverse().then(&poses[1]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shifted(x: f64, y: f64) -> Pose {
        Pose { position: [x, y, 0.0], ..Pose::IDENTITY }
    }

    #[test]
    fn poses_lead_over_the_nearest_common_frame() {
        let mut frames = Frames::default();
        let [world, a, b, c] = [0, 0, 0, 0].map(|base| frames.add(base));
        let quarter = Pose::turned([0.5_f64.sqrt(), 0.0, 0.0, 0.5_f64.sqrt()]).expect("a rotation");
        frames.place(a, world, Pose { position: [1.0, 0.0, 0.0], ..quarter });
        frames.place(b, a, shifted(2.0, 0.0));
        frames.place(c, a, shifted(0.0, 0.1));
        assert_eq!(frames.settle(), Ok(()));
        // The frame `a` is turned: x in it is y in the world.
        let in_world = frames.between(world, b).position;
        assert!((in_world[0] - 1.0).abs() < 1e-15 && (in_world[1] - 2.0).abs() < 1e-15, "{in_world:?}");
        // Beside each other, as they are written.
        assert_eq!(frames.between(c, b), shifted(2.0, -0.1));
        assert_eq!(frames.between(b, b), Pose::IDENTITY);
        frames.place(a, b, Pose::IDENTITY);
        assert_eq!(frames.settle(), Err(a));
    }
}
