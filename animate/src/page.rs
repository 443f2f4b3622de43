//! The page: `page/page.html` filled in with its style sheets, its scripts, the scenes and the figures.

use std::mem::discriminant;

use hamel_compiler::escape;
use hamel_report::{Figure, plot};
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, context, escape_formatter};
use serde::Serialize;

use crate::mesh::{Mesh, Unread};
use crate::motion::Error;
use crate::scene::Scene;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
/// In the order in which they use each other.
const SCRIPTS: [&str; 10] = [
    include_str!("page/math.js"),
    include_str!("page/solids.js"),
    include_str!("page/shaders.js"),
    include_str!("page/renderer.js"),
    include_str!("page/camera.js"),
    include_str!("page/motion.js"),
    include_str!("page/stage.js"),
    include_str!("page/plots.js"),
    include_str!("page/film.js"),
    include_str!("page/controls.js"),
];

#[derive(Serialize)]
struct FigureView {
    id: String,
    title: String,
    svg: String,
    keys: Vec<KeyView>,
}

#[derive(Serialize)]
struct KeyView {
    curve: usize,
    name: String,
    svg: String,
}

/// A scene with the places of its meshes among those of the page.
#[derive(Serialize)]
struct SceneView<'a> {
    #[serde(flatten)]
    scene: &'a Scene,
    mesh_places: Vec<usize>,
}

/// The meshes of all scenes, each once, and the scenes.
fn views(scenes: &[Scene]) -> (Vec<&Mesh>, Vec<SceneView<'_>>) {
    let mut meshes: Vec<&Mesh> = Vec::new();
    let mut views = Vec::new();
    for scene in scenes {
        let mut mesh_places = Vec::new();
        for mesh in &scene.meshes {
            let known = meshes.iter().position(|known| *known == &**mesh);
            mesh_places.push(known.unwrap_or(meshes.len()));
            if known.is_none() {
                meshes.push(mesh);
            }
        }
        views.push(SceneView { scene, mesh_places });
    }
    (meshes, views)
}

/// What the head of each page says of the program that made it.
pub const GENERATOR: &str = "Hamel animation";

/// A page that shows motions together, with plots over time below; it needs no network.
///
/// Figures follow the time where it is their x axis, in s.
///
/// # Errors
/// If there is no scene, or the template is broken.
pub fn page(title: &str, scenes: &[Scene], figures: &[Figure]) -> Result<String, Error> {
    if scenes.is_empty() {
        return Err(Error::Empty);
    }
    let wrong = |error: &dyn std::fmt::Display| Error::Page(error.to_string());
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_formatter(|out, state, value| match value.as_str().filter(|_| !value.is_safe()) {
        Some(text) => Ok(out.write_str(&escape::html(text))?),
        None => escape_formatter(out, state, value),
    });
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.add_template("page", TEMPLATE).map_err(|error| wrong(&error))?;
    // No text of a model ends the element that holds the data.
    let json = |text: Result<String, serde_json::Error>| {
        text.map(|text| Value::from_safe_string(text.replace('<', "\\u003c"))).map_err(|error| wrong(&error))
    };
    let (meshes, views) = views(scenes);
    let (data, meshes) = (json(serde_json::to_string(&views))?, json(serde_json::to_string(&meshes))?);
    let figures = figures.iter().enumerate().map(|(index, figure)| {
        let id = format!("figure-{index}");
        FigureView {
            title: figure.title.clone(),
            svg: plot::inline(figure, &id),
            keys: plot::keys(figure).into_iter().map(|(curve, name, svg)| KeyView { curve, name, svg }).collect(),
            id,
        }
    });
    let template = environment.get_template("page").map_err(|error| wrong(&error))?;
    let page = template.render(context! {
        title,
        generator => GENERATOR,
        style => [STYLE, plot::PAGE_STYLE].concat(),
        script => SCRIPTS.concat(),
        figures_script => plot::PAGE_SCRIPT,
        data,
        meshes,
        unread => unread_files(scenes.iter().flat_map(|scene| &scene.unread)),
        figures => figures.collect::<Vec<_>>(),
    });
    page.map_err(|error| wrong(&error))
}

/// Files of which nothing is drawn: of each kind of mistake the first, with how many there are.
///
/// ```
/// use hamel_animate::{MeshError, Unread, unread_files};
/// let of = |file: &str, error| Unread { file: file.to_owned(), error };
/// let files = [of("a.stl", MeshError::Empty), of("b.ply", MeshError::Ending), of("c.stl", MeshError::Empty)];
/// let lines = unread_files(files.iter());
/// assert_eq!(lines[0], "mesh `a.stl` is not drawn: expected triangles with an area, found none (2 such files)");
/// assert_eq!(lines.len(), 2);
/// ```
pub fn unread_files<'a>(files: impl Iterator<Item = &'a Unread>) -> Vec<String> {
    let mut kinds: Vec<Vec<&Unread>> = Vec::new();
    for file in files {
        match kinds.iter_mut().find(|kind| discriminant(&kind[0].error) == discriminant(&file.error)) {
            Some(kind) if kind.iter().any(|known| known.file == file.file) => {}
            Some(kind) => kind.push(file),
            None => kinds.push(vec![file]),
        }
    }
    let line = |kind: &Vec<&Unread>| {
        let more = if kind.len() > 1 { format!(" ({} such files)", kind.len()) } else { String::new() };
        format!("mesh `{}` is not drawn: {}{more}", escape::excerpt(&kind[0].file), kind[0].error)
    };
    kinds.iter().map(line).collect()
}
