//! How large a description may be: several times above the largest robots, so that nothing costs hours or all memory.

/// Most bytes of a description.
pub(crate) const BYTES: usize = 64 << 20;
/// Most elements, attributes and pieces of text between them.
pub(crate) const NODES: u32 = 5_000_000;
/// Most links; joints are one fewer.
pub(crate) const LINKS: usize = 50_000;
/// Most elements around one that means something: `origin` in `inertial` in `link` in `robot` is the fourth.
pub(crate) const NESTING: usize = 64;
/// Most characters of a name.
pub(crate) const LETTERS: usize = 200;

/// Most fixed joints one behind the other that are written out as they stand: the position of the last has as many
/// rotations as there are joints before it. Longer chains are multiplied out.
pub(crate) const FIXED_JOINTS: usize = 4;
