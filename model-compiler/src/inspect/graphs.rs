//! Graphs in the DOT language of Graphviz: the expressions of a function, and the topology of the mechanism.
//!
//! Nodes are numbered in the order of the model, so the same model gives the same text. Not here: their layout.

use std::fmt::Write;

use super::names::{entry_name, title};
use crate::derive::{Equations, FunctionRole};
use crate::escape::dot;
use crate::expr::{Binary, Graph, Node, Stage, Unary};
use crate::resolve::{ContactForm, Frame, System};

/// The expressions of a function as they are computed: every shared one once, coloured by what they depend on.
pub fn expressions(equations: &Equations, term: FunctionRole) -> String {
    let mut text = "digraph expressions {\n  rankdir=BT;\n  node [style=filled, shape=box];\n".to_owned();
    for (index, kernel) in equations.kernels.iter().enumerate() {
        let outputs = kernel.functions.iter().filter(|function| function.role == term).flat_map(|f| &f.outputs);
        let outputs: Vec<_> = outputs.collect();
        if outputs.is_empty() {
            continue;
        }
        let _ = writeln!(text, "  subgraph cluster_{index} {{\n    label={};", dot(&title(equations, index)));
        let graph = &kernel.graph;
        let roots: Vec<_> = outputs.iter().flat_map(|output| &output.entries).map(|entry| entry.value).collect();
        for id in graph.reachable(&roots) {
            let (node, fill) = (graph.node(id), colour(graph.stage(id)));
            let label = dot(&label(graph, node));
            let _ = writeln!(text, "    k{index}_{} [label={label}, fillcolor={fill}];", id.index());
            for operand in node.operands() {
                let _ = writeln!(text, "    k{index}_{} -> k{index}_{};", operand.index(), id.index());
            }
        }
        for (o, output) in outputs.iter().enumerate() {
            for entry in &output.entries {
                let name = format!("k{index}_o{o}_{}_{}", entry.row, entry.column);
                let label = dot(&entry_name(output.role, output.shape, entry.row, entry.column));
                let _ = writeln!(text, "    {name} [label={label}, shape=ellipse, fillcolor=white];");
                let _ = writeln!(text, "    k{index}_{} -> {name};", entry.value.index());
            }
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

/// The mechanism: ground and bodies as boxes, joints as lines (dashed where they close a loop), forces as ellipses with
/// the bodies that they act on, contacts as hexagons with what touches, written constraints as diamonds.
pub fn topology(system: &System) -> String {
    let mut text = "graph topology {\n  ground [shape=box, style=filled, fillcolor=gray];\n".to_owned();
    let body = |frame: &Frame| frame.body.map_or("ground".to_owned(), |body| format!("body{}", body.0));
    for (i, body) in system.bodies.iter().enumerate() {
        let _ = writeln!(text, "  body{i} [label={}, shape=box];", dot(&body.name.to_string()));
    }
    for joint in &system.joints {
        let label = dot(&format!("{}\n{}", joint.name, joint.kind.keyword()));
        let style = if joint.is_tree { "solid" } else { "dashed" };
        let (parent, child) = (body(&joint.parent), body(&joint.child));
        let _ = writeln!(text, "  {parent} -- {child} [label={label}, style={style}];");
    }
    for (i, force) in system.forces.iter().enumerate() {
        let label = dot(&format!("{}\n{}", force.name, force.kind.keyword()));
        let _ = writeln!(text, "  force{i} [label={label}, shape=ellipse];");
        for frame in &force.frames {
            let _ = writeln!(text, "  force{i} -- {} [style=dotted];", body(frame));
        }
        if let Some((joint, _)) = force.coordinate {
            let child = body(&system.joints[joint.0].child);
            let _ = writeln!(text, "  force{i} -- {child} [style=dotted];");
        }
    }
    for (i, contact) in system.contacts.iter().enumerate() {
        let (kind, frames) = match &contact.form {
            ContactForm::Written { .. } => ("contact", None),
            ContactForm::Kind { kind, frames, .. } => (kind.keyword, Some(frames)),
        };
        let label = dot(&format!("{}\n{kind}", contact.name));
        let _ = writeln!(text, "  contact{i} [label={label}, shape=hexagon];");
        for frame in frames.iter().flat_map(|frames| frames.iter()) {
            let _ = writeln!(text, "  contact{i} -- {} [style=dotted];", body(frame));
        }
    }
    for (i, constraint) in system.constraints.iter().enumerate() {
        let _ = writeln!(text, "  constraint{i} [label={}, shape=diamond];", dot(&constraint.name.to_string()));
    }
    text.push_str("}\n");
    text
}

fn label(graph: &Graph, node: Node) -> String {
    match node {
        Node::Number(number) => number.to_f64().to_string(),
        Node::Symbol(symbol) => graph.symbols()[symbol.index()].name.clone(),
        Node::Unary(Unary::Neg, _) => "−".to_owned(),
        Node::Unary(op, _) => format!("{op:?}").to_lowercase(),
        Node::Binary(Binary::Add, ..) => "+".to_owned(),
        Node::Binary(Binary::Sub, ..) => "−".to_owned(),
        Node::Binary(Binary::Mul, ..) => "×".to_owned(),
        Node::Binary(Binary::Div, ..) => "÷".to_owned(),
        Node::Binary(op, ..) => format!("{op:?}").to_lowercase(),
        Node::Select { .. } => "if <".to_owned(),
    }
}

fn colour(stage: Stage) -> &'static str {
    match stage {
        Stage::Constant => "white",
        Stage::Parameter => "lightgray",
        Stage::Time => "khaki",
        Stage::Position => "lightblue",
        Stage::Velocity => "palegreen",
        Stage::Acceleration => "lightsalmon",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::fixture::pendulum;

    #[test]
    fn a_shared_expression_is_one_node() {
        let equations = pendulum();
        let energy = expressions(&equations, FunctionRole::Energy);
        assert_eq!(energy.matches("label=\"T\"").count(), 1, "{energy}");
        assert_eq!(energy.matches("label=\"cos\"").count(), 1, "{energy}");
        assert_eq!(energy.matches('{').count(), energy.matches('}').count());
    }

    #[test]
    fn topology_shows_loops_dashed() {
        let text = "pub model Loop {
            planar;
            coordinates joint;
            body a { mass: 1 kg, inertia: 1 kg m^2 }
            body b { mass: 1 kg, inertia: 1 kg m^2 }
            joint p: revolute(ground, a at [-1, 0] m);
            joint q: revolute(a at [1, 0] m, b at [-1, 0] m);
            joint r: revolute(ground at [3, 0] m, b at [1, 0] m) { cut }
            contact c: point_on_line(b, ground at [0, -1] m) {}
            force s: spring(ground, b) { stiffness: 1 N/m, free_length: 1 m }
        }";
        let system = crate::parse::parse(text.parse().unwrap()).and_then(|model| crate::resolve::resolve(&model));
        let dot = topology(&system.unwrap());
        assert!(dot.contains("ground -- body0 [label=\"p\\nrevolute\", style=solid];"), "{dot}");
        assert!(dot.contains("ground -- body1 [label=\"r\\nrevolute\", style=dashed];"), "{dot}");
        assert!(dot.contains("contact0 -- body1 [style=dotted];"), "{dot}");
        assert!(dot.contains("force0 -- ground [style=dotted];"), "{dot}");
    }
}
