//! Description → System: names become ids, shapes and units are checked, a spanning tree is chosen.

mod system;

pub use system::*;
