//! The texts of the pages.

use std::fmt::Write;

use hamel_compiler::escape;
use hamel_report::{Figure, plot};

use super::Shown;
use crate::entry::{Chapter, Entry};

const STYLE: &str = include_str!("gallery.css");

fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"generator\" content=\"Hamel gallery\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <style>\n{}{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape::html(title),
        plot::PAGE_STYLE
    )
}

/// What the check says, in a word.
fn verdict(shown: &Shown) -> (&'static str, &'static str) {
    match (shown.has_motion, shown.holds()) {
        (false, _) => ("fails", "does not run"),
        (true, true) => ("holds", "as known"),
        (true, false) => ("fails", "not as known"),
    }
}

/// The index.
pub(super) fn index(chapters: &[Chapter], shown: &[Shown]) -> String {
    let mut body = String::from("<h1>Gallery</h1>\n");
    let kept = shown.iter().filter(|shown| shown.holds()).count();
    let _ = writeln!(
        body,
        "<p class=\"lead\">{} mechanical systems, each written in the language of Hamel, run, and held to what is \
         known of it: {kept} are as known.</p>",
        shown.len()
    );
    let mut shown = shown.iter();
    for chapter in chapters {
        let (title, about) = (escape::html(chapter.title), escape::html(chapter.about));
        let _ = writeln!(body, "<h2>{title}</h2>\n<p class=\"lead\">{about}</p>\n<ul class=\"cards\">");
        for (entry, shown) in chapter.entries.iter().zip(shown.by_ref()) {
            let (class, word) = verdict(shown);
            let title = escape::html(entry.title);
            let picture = match shown.has_picture {
                true => {
                    format!("<img src=\"{}.png\" alt=\"\" loading=\"lazy\" width=\"960\" height=\"600\">", entry.name)
                }
                false => "<span class=\"none\">no picture</span>".to_owned(),
            };
            let _ = writeln!(
                body,
                "<li><a href=\"{}.html\">{picture}<b>{title}</b></a><span class=\"verdict {class}\">{word}</span></li>",
                entry.name
            );
        }
        body.push_str("</ul>\n");
    }
    page("Gallery", &body)
}

/// The page of an entry.
pub(super) fn entry(entry: &Entry, shown: &Shown, figure: Option<&Figure>) -> String {
    let (name, title) = (entry.name, escape::html(entry.title));
    let mut body = format!("<nav><a href=\"index.html\">Gallery</a></nav>\n<h1>{title}</h1>\n");
    let _ = writeln!(body, "<p>{}</p>", escape::html(&entry.paragraph()));
    if shown.has_motion {
        let _ = writeln!(
            body,
            "<iframe src=\"{name}_motion.html\" title=\"Animation\" loading=\"lazy\"></iframe>\n\
             <p class=\"meta\"><a href=\"{name}_motion.html\">The animation on a page of its own</a></p>"
        );
    }
    let (class, word) = verdict(shown);
    let _ = writeln!(body, "<h2>Check <span class=\"verdict {class}\">{word}</span></h2>\n<ul class=\"findings\">");
    for finding in &shown.findings {
        let class = if finding.holds() { "holds" } else { "fails" };
        let _ = writeln!(body, "<li class=\"{class}\">{}</li>", escape::html(&finding.to_string()));
    }
    for fault in &shown.faults {
        let _ = writeln!(body, "<li class=\"fails\">{}</li>", escape::html(fault));
    }
    body.push_str("</ul>\n");
    if let Some(figure) = figure {
        let _ = writeln!(
            body,
            "<h2>Plot</h2>\n<div class=\"figures\"><figure><div class=\"plot\">{}</div>\n<ul class=\"keys\">",
            plot::inline(figure, "plot")
        );
        for (_, name, key) in plot::keys(figure) {
            let _ = writeln!(body, "<li>{key}{}</li>", escape::html(&name));
        }
        body.push_str("</ul></figure></div>\n");
    }
    if shown.has_picture {
        let _ = writeln!(
            body,
            "<h2>Picture</h2>\n<img class=\"still\" src=\"{name}.png\" alt=\"{title}, {} s after the start\">",
            entry.still.time
        );
    }
    let _ = writeln!(
        body,
        "<h2>Run</h2>\n<pre><code>{}</code></pre>\n<h2>Text</h2>\n<pre><code>{}</code></pre>",
        escape::html(&entry.setup.command(name)),
        escape::html(entry.text)
    );
    page(entry.title, &body)
}
