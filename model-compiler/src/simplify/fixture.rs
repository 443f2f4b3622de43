//! Functions to test passes with.

use crate::expr::{ExprId, Graph, Stage};
use crate::random::Random;

/// A random function of every kind of operation, over three symbols of different stages.
pub(crate) fn random_function(random: &mut Random) -> (Graph, Vec<ExprId>) {
    let mut graph = Graph::new();
    let mut pool = vec![
        graph.symbol("m", Stage::Parameter),
        graph.symbol("q", Stage::Position),
        graph.symbol("v", Stage::Velocity),
        graph.ratio(1, 2),
        graph.integer(3),
    ];
    for _ in 0..40 {
        let mut pick = || *random.pick(&pool);
        let (a, b, c, d) = (pick(), pick(), pick(), pick());
        let next = match random.below(14) {
            0..=2 => graph.add(a, b),
            3..=4 => graph.sub(a, b),
            5..=8 => graph.mul(a, b),
            9 => {
                let square = graph.mul(b, b);
                let one = graph.one();
                let divisor = graph.add(one, square);
                graph.div(a, divisor)
            }
            10 => graph.sin(a),
            11 => graph.cos(a),
            12 => graph.tanh(a),
            _ => graph.select(a, b, c, d),
        };
        pool.push(next);
    }
    let roots = pool.split_off(pool.len() - 6);
    (graph, roots)
}
