//! The page: `page/page.html` filled in with its style sheets, its scripts, the scenes and the figures.

use hamel_compiler::escape;
use hamel_report::{Figure, plot};
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, context, escape_formatter};
use serde::Serialize;

use crate::motion::Error;
use crate::scene::Scene;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
/// In the order in which they use each other.
const SCRIPTS: [&str; 9] = [
    include_str!("page/math.js"),
    include_str!("page/solids.js"),
    include_str!("page/shaders.js"),
    include_str!("page/renderer.js"),
    include_str!("page/camera.js"),
    include_str!("page/motion.js"),
    include_str!("page/stage.js"),
    include_str!("page/plots.js"),
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
    let data = serde_json::to_string(scenes).map_err(|error| wrong(&error))?.replace('<', "\\u003c");
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
        data => Value::from_safe_string(data),
        figures => figures.collect::<Vec<_>>(),
    });
    page.map_err(|error| wrong(&error))
}
