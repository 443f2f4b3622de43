//! From what links look like to fields of bodies: `shape: mesh("…") at …` and `color: …`.

use hamel_compiler::escape::excerpt;
use hamel_compiler::solids::{is_mesh_file, mesh_files};

use super::number::Number;
use super::placement::Placement;
use super::pose::Pose;
use super::write::{rotation, vector};
use super::{Origin, Robot};
use crate::error::{Said, Warning};
use crate::looks::{Form, Look, Visuals};
use crate::shape::Shape;

/// What is written of looks.
pub(super) struct Fields {
    /// Of each link that is a body, with everything that is fixed to it.
    pub(super) bodies: Vec<Vec<String>>,
    /// Of each link that is the ground, if there is anything.
    pub(super) ground: Vec<Vec<String>>,
}

/// The fields that say what bodies look like.
pub(super) fn fields(
    robot: &Robot,
    placement: &Placement,
    poses: &[Pose],
    visuals: &Visuals,
    warnings: &mut Vec<Warning>,
) -> Fields {
    let mut said = Said::new(warnings);
    let mut looks: Vec<Vec<&Look>> = vec![Vec::new(); robot.links.len()];
    robot.looks.iter().for_each(|look| looks[look.link].push(look));
    // Links on the ground are written each by itself, with a colour of its own.
    let mut fields = vec![Vec::new(); robot.links.len()];
    let mut colors: Vec<Option<[f64; 3]>> = vec![None; robot.links.len()];
    for (link, looks) in looks.iter().enumerate() {
        let name = &robot.links[link].name;
        let body = placement.links[link].body.unwrap_or(link);
        let seen: Vec<&Look> = looks.iter().copied().filter(|look| !look.is_collision).collect();
        let mut drawn: Vec<(&Look, String)> = Vec::new();
        for look in &seen {
            match form(&look.form, visuals) {
                Ok(form) => drawn.push((look, form)),
                Err((kind, message)) => said.warn(kind, look.place, || message),
            }
        }
        if drawn.is_empty() && !seen.is_empty() {
            let others = looks.iter().filter(|look| look.is_collision);
            drawn.extend(others.filter_map(|look| Some((*look, form(&look.form, visuals).ok()?))));
            if let Some((look, _)) = drawn.first() {
                said.warn("collision", look.place, || format!("`{name}` is drawn as its shape for contacts"));
            }
        }
        for (look, form) in drawn {
            let origin = poses[link].then(&look.pose).origin(&Origin::identity(look.place));
            if !origin.xyz.iter().all(|part| part.value.is_finite()) {
                continue;
            }
            let at = vector(&origin.xyz).map_or(String::new(), |at| format!(" at {at} m"));
            let rotated = rotation(&origin).map_or(String::new(), |rotation| format!(" rotated {rotation}"));
            fields[body].push(format!("shape: {form}{at}{rotated},"));
            match (colors[body], look.color) {
                (Some(known), Some(other)) if known != other => {
                    said.warn("color", look.place, || {
                        "a colour is ignored: a body has one, that of its first shape with one".to_owned()
                    });
                }
                (None, Some(color)) => colors[body] = Some(color),
                _ => {}
            }
        }
    }
    for (fields, color) in fields.iter_mut().zip(colors) {
        if let Some(color) = color {
            fields.push(format!("color: [{}],", color.map(|part| format!("{part:?}")).join(", ")));
        }
    }
    let is_ground = |link: usize| placement.links[link].body.is_none();
    let of = |(link, fields): (usize, &mut Vec<String>)| is_ground(link).then(|| std::mem::take(fields));
    let ground = fields.iter_mut().enumerate().filter_map(of).filter(|fields| !fields.is_empty()).collect();
    Fields { bodies: fields, ground }
}

/// A shape as the language has it, or the kind of what is wrong with it, and what.
fn form(form: &Form, visuals: &Visuals) -> Result<String, (&'static str, String)> {
    let length = |value: f64| format!("{} m", Number::computed(value).literal());
    match form {
        Form::Mesh(written, scale) => {
            let name = excerpt(written);
            if !is_mesh_file(written) {
                let known = mesh_files();
                return Err(("ending", format!("`{name}` is not drawn: expected a mesh that ends in {known}")));
            }
            let Some(file) = visuals.find(written) else {
                let help = match written.contains("://") && !written.starts_with("file://") {
                    true => "; name the folder of its package",
                    false => "",
                };
                return Err(("missing", format!("`{name}` is not drawn: there is no such file{help}")));
            };
            if scale.contains(&0.0) {
                return Err(("size", format!("`{name}` is not drawn: its scale is zero")));
            }
            let file = visuals.named(&file);
            Ok(match *scale {
                [1.0, 1.0, 1.0] => format!("mesh({file:?})"),
                [x, y, z] if x == y && y == z && x > 0.0 => format!("mesh({file:?}, {})", length(x)),
                parts => {
                    let parts = parts.map(|part| Number::computed(part).literal()).join(", ");
                    format!("mesh({file:?}, [{parts}] m)")
                }
            })
        }
        Form::Solid(shape) => {
            let (word, sizes) = match *shape {
                Shape::Sphere(radius) => ("sphere", vec![radius]),
                Shape::Capsule(radius, half) => ("capsule", vec![radius, 2.0 * half]),
                Shape::Cylinder(radius, half) => ("cylinder", vec![radius, 2.0 * half]),
                Shape::Ellipsoid(axes) => ("ellipsoid", axes.to_vec()),
                Shape::Box(edges) => ("box", edges.map(|edge| 2.0 * edge).to_vec()),
            };
            if !sizes.iter().all(|size| *size > 0.0 && size.is_finite()) {
                return Err(("size", format!("a shape `{word}` is not drawn: its dimensions are not positive")));
            }
            Ok(format!("{word}({})", sizes.into_iter().map(length).collect::<Vec<_>>().join(", ")))
        }
    }
}
