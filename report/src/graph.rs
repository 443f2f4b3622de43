//! Graphs in the language of Graphviz, laid out as pictures.

use layout::backends::svg::SVGWriter;
use layout::gv::{DotParser, GraphBuilder};

/// A graph in the DOT language as SVG.
///
/// # Errors
/// What the layout does not understand of the text.
///
/// # Examples
/// ```
/// assert!(hamel_report::graph::svg("graph topology { ground -- body0; }")?.contains("<svg"));
/// assert!(hamel_report::graph::svg("graph {").is_err());
/// # Ok::<(), String>(())
/// ```
pub fn svg(dot: &str) -> Result<String, String> {
    let graph = DotParser::new(dot).process()?;
    let mut builder = GraphBuilder::new();
    builder.visit_graph(&graph);
    let mut picture = SVGWriter::new();
    builder.get().do_it(false, false, false, &mut picture);
    Ok(picture.finalize())
}
