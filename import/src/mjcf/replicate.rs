//! `replicate`: copies of what stands in it, each further and turned further, with numbers behind the names; and what
//! refers to the names of copies, of which there are as many.

use roxmltree::Node;

use super::classes::View;
use super::read::Reader;
use crate::error::Problem;
use crate::limits;
use crate::robot::Name;
use crate::robot::number::Number;
use crate::robot::pose::Pose;
use crate::xml::too_many;

impl<'d> Reader<'_, 'd> {
    /// Where copies stand, and what is added to the names in them.
    pub(super) fn copies(&mut self, node: Node<'d, 'd>) -> Option<Vec<(Pose, String)>> {
        let count = self.notes.number(node, "count")?.value;
        let [offset, euler] = ["offset", "euler"].map(|attribute| {
            let written = self.notes.optional::<3>(node, attribute)?;
            Some(written.map_or([0.0; 3], |numbers| numbers.map(|number: Number| number.value)))
        });
        let (offset, euler) = (offset?, euler?);
        if count < 0.0 || count.fract() != 0.0 {
            let what = format!("expected a whole number in `count`, found `{count}`");
            return self.notes.wrong(node, Problem::Unsupported { what, help: "say how many copies there are" });
        }
        if count > limits::LINKS as f64 {
            let problem = too_many("copies", count as usize, limits::LINKS, "write the model by hand with loops");
            return self.notes.wrong(node, problem);
        }
        let (count, separator) = (count as usize, node.attribute("sep").unwrap_or_default());
        let digits = count.to_string().len();
        let angle = if self.compiler.degrees { f64::to_radians } else { |x: f64| x };
        let mut position = [0.0; 3];
        let mut copies = Vec::with_capacity(count);
        for index in 0..count {
            let turned = self.compiler.sequence.pose(euler.map(|euler| angle(index as f64 * euler)));
            let at = Pose { position, ..turned };
            position = at.then(&Pose { position: offset, ..Pose::IDENTITY }).position;
            copies.push((at, format!("{separator}{index:0digits$}")));
        }
        Some(copies)
    }

    /// The name of an element, in the copy that is read; `None` within where it has none.
    pub(super) fn named_copy(&mut self, node: Node<'d, 'd>) -> Option<Option<Name>> {
        let Some(name) = node.attribute("name") else { return Some(None) };
        let name = format!("{name}{}", self.suffix);
        self.notes.checked_name(node, &name).map(Some)
    }

    /// Notes that a name is that of a copy.
    pub(super) fn is_copied(&mut self, kind: &'static str, node: Node<'d, 'd>) {
        if let Some(name) = node.attribute("name").filter(|_| !self.suffix.is_empty()) {
            self.copied.entry((kind, name)).or_default().push(self.suffix.clone());
        }
    }

    /// Reads an element as often as there are copies of what it refers to, by attributes that name such things.
    pub(super) fn for_each_copy(
        &mut self,
        view: View<'d>,
        references: &[(&'static str, &str)],
        mut read: impl FnMut(&mut Self),
    ) {
        let names =
            references.iter().filter_map(|(kind, attribute)| Some((*kind, self.classes.text(view, attribute)?)));
        let names: Vec<(&'static str, &str)> = names.filter(|name| *name != ("body", "world")).collect();
        let copies: Vec<Option<&Vec<String>>> = names.iter().map(|name| self.copied.get(name)).collect();
        match copies.first() {
            Some(Some(suffixes)) if copies.iter().all(|other| *other == Some(*suffixes)) => {
                for suffix in (*suffixes).clone() {
                    self.suffix = suffix;
                    read(self);
                }
                self.suffix.clear();
            }
            _ if copies.iter().all(Option::is_none) => read(self),
            _ => {
                let what = "it refers to copies of a `replicate` and to what is not copied with them".to_owned();
                let help = "name the copies, with the numbers behind their names";
                self.notes.wrong::<()>(view.node, Problem::Unsupported { what, help });
            }
        }
    }
}
