//! The chapters of the gallery, one file each: entries, and the check of each below its list.

mod contacts;
mod flexible;
mod linkages;
mod machines;
mod marine;
mod pendulums;
mod robots;
mod tops;
mod vehicles;

use crate::entry::{Chapter, Entry};

/// An entry whose text is the file of its name, and whose check has that name, too.
macro_rules! entry {
    ($name:ident, $title:literal, $setup:expr, plot $plotted:literal, still at $time:literal from $view:ident) => {
        entry!($name, $title, $setup, $plotted, $time, $view, true)
    };
    ($name:ident, $title:literal, $setup:expr, plot $plotted:literal, still at $time:literal from $view:ident,
        without arrows) => {
        entry!($name, $title, $setup, $plotted, $time, $view, false)
    };
    ($name:ident, $title:literal, $setup:expr, $plotted:literal, $time:literal, $view:ident, $arrows:literal) => {
        $crate::entry::Entry {
            name: stringify!($name),
            title: $title,
            text: include_str!(concat!("../../models/", stringify!($name), ".model")),
            setup: $setup,
            plotted: $plotted,
            still: $crate::entry::Moment { time: $time, view: stringify!($view), has_arrows: $arrows },
            check: $name,
        }
    };
}
use entry;

/// All chapters, in order.
pub fn chapters() -> Vec<Chapter> {
    vec![
        pendulums::chapter(),
        tops::chapter(),
        linkages::chapter(),
        machines::chapter(),
        contacts::chapter(),
        vehicles::chapter(),
        flexible::chapter(),
        marine::chapter(),
        robots::chapter(),
    ]
}

/// The entry of this name.
pub fn named(name: &str) -> Option<Entry> {
    chapters().into_iter().flat_map(|chapter| chapter.entries).find(|entry| entry.name == name)
}
