//! Settings of MuJoCo's compiler.

use hamel_compiler::escape::excerpt;
use roxmltree::Node;

use super::orientation::Sequence;
use super::read::{EXPAND, Reader};
use crate::error::Problem;

/// Where inertias come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FromGeoms {
    Always,
    Never,
    WhereNoneIsGiven,
}

/// Settings of MuJoCo's compiler.
pub(super) struct Compiler<'d> {
    pub(super) degrees: bool,
    pub(super) sequence: Sequence,
    pub(super) autolimits: bool,
    pub(super) from_geoms: FromGeoms,
    pub(super) groups: [f64; 2],
    pub(super) least_mass: f64,
    pub(super) least_inertia: f64,
    pub(super) balances: bool,
    /// Frames of free bodies that carry no others become those of their inertia.
    pub(super) aligns_free: bool,
    pub(super) total_mass: Option<f64>,
    /// Solids that stand for meshes have their bounds, and not their moments of inertia.
    pub(super) fits_bounds: bool,
    pub(super) mesh_folder: &'d str,
    /// Folders that are written with the names of files are left out.
    pub(super) is_stripped: bool,
}

impl Default for Compiler<'_> {
    fn default() -> Self {
        Self {
            degrees: true,
            sequence: Sequence::parse("xyz").unwrap_or_else(|| unreachable!("these are axes")),
            autolimits: true,
            from_geoms: FromGeoms::WhereNoneIsGiven,
            groups: [0.0, 5.0],
            least_mass: 0.0,
            least_inertia: 0.0,
            balances: false,
            aligns_free: false,
            total_mass: None,
            fits_bounds: false,
            mesh_folder: "",
            is_stripped: false,
        }
    }
}

impl<'d> Reader<'_, 'd> {
    pub(super) fn compiler(&mut self, node: Node<'d, 'd>) {
        let number = |reader: &mut Self, attribute| match node.has_attribute(attribute) {
            true => reader.notes.number(node, attribute).map(|number| number.value),
            false => None,
        };
        match node.attribute("angle") {
            Some("radian") => self.compiler.degrees = false,
            Some("degree") => self.compiler.degrees = true,
            _ => {}
        }
        if let Some(text) = node.attribute("eulerseq") {
            match Sequence::parse(text) {
                Some(sequence) => self.compiler.sequence = sequence,
                None => {
                    let what = format!("expected three axes in `eulerseq`, found `{}`", excerpt(text));
                    self.notes.wrong::<()>(node, Problem::Unsupported { what, help: "write them as `xyz` or `XYZ`" });
                }
            }
        }
        if node.attribute("coordinate") == Some("global") {
            let what = "global coordinates are not read".to_owned();
            self.notes.wrong::<()>(node, Problem::Unsupported { what, help: EXPAND });
        }
        if let Some(word) = node.attribute("autolimits") {
            self.compiler.autolimits = word == "true";
        }
        self.compiler.from_geoms = match node.attribute("inertiafromgeom") {
            Some("true") => FromGeoms::Always,
            Some("false") => FromGeoms::Never,
            Some("auto") => FromGeoms::WhereNoneIsGiven,
            _ => self.compiler.from_geoms,
        };
        if node.has_attribute("inertiagrouprange")
            && let Some(range) = self.notes.numbers::<2>(node, "inertiagrouprange")
        {
            self.compiler.groups = range.map(|number| number.value);
        }
        if let Some(mass) = number(self, "boundmass") {
            self.compiler.least_mass = mass;
        }
        if let Some(inertia) = number(self, "boundinertia") {
            self.compiler.least_inertia = inertia;
        }
        if let Some(mass) = number(self, "settotalmass") {
            self.compiler.total_mass = Some(mass).filter(|mass| *mass > 0.0);
        }
        let settings = &mut self.compiler;
        settings.mesh_folder = node.attribute("meshdir").or(node.attribute("assetdir")).unwrap_or(settings.mesh_folder);
        for (attribute, setting) in [
            ("balanceinertia", &mut settings.balances),
            ("alignfree", &mut settings.aligns_free),
            ("fitaabb", &mut settings.fits_bounds),
            ("strippath", &mut settings.is_stripped),
        ] {
            *setting = node.attribute(attribute).map_or(*setting, |word| word == "true");
        }
    }
}
