//! A heavy top with a fixed point in four Euler parameters e without their constraint: M = 4 LᵀJL and
//! h = ∂V/∂e + 8 L(ė)ᵀ J L(e) ė, [sherif, Eqs. 4, 9].

use hamel_compiler::expr::{ExprId, Graph, Stage};
use hamel_compiler::rotations::euler_parameter_matrix;

use super::{Formulas, Function, symbols};

pub(super) fn functions() -> Vec<Function> {
    vec![
        Function::new("HT_M", |stage| {
            let mut top = Top::new(stage);
            let mass = top.mass_matrix();
            Ok(top.finish(mass.concat()))
        }),
        Function::new("HT_h", |stage| {
            let mut top = Top::new(stage);
            let bias = top.bias_force();
            Ok(top.finish(bias))
        }),
        Function::new("HT_KD", |stage| {
            let mut top = Top::new(stage);
            let force = top.inverse_dynamics();
            let (e, v) = (top.e.clone(), top.v.clone());
            let derivatives = [top.graph.jacobian(&force, &e), top.graph.jacobian(&force, &v)].concat();
            Ok(top.finish(derivatives.concat()))
        }),
    ]
}

struct Top {
    graph: Graph,
    e: Vec<ExprId>,
    v: Vec<ExprId>,
    a: Vec<ExprId>,
    /// About the fixed point, in body axes.
    inertia: [ExprId; 3],
    mass: ExprId,
    /// Distance of the centre of mass, along the second body axis.
    distance: ExprId,
    free_fall: ExprId,
}

impl Top {
    fn new(parameters: Stage) -> Self {
        let mut graph = Graph::new();
        let [e, v, a] = ["e", "v", "a"].map(|name| symbols(&mut graph, name, 4, Stage::Position));
        let inertia = ["Jx", "Jy", "Jz"].map(|name| graph.symbol(name, parameters));
        let [mass, distance, free_fall] = ["m", "c", "g"].map(|name| graph.symbol(name, parameters));
        Self { graph, e, v, a, inertia, mass, distance, free_fall }
    }

    fn finish(self, values: Vec<ExprId>) -> Formulas {
        Formulas { graph: self.graph, values }
    }

    fn mass_matrix(&mut self) -> Vec<Vec<ExprId>> {
        let l = euler_parameter_matrix(&mut self.graph, &self.e);
        let graph = &mut self.graph;
        let weighted: Vec<[ExprId; 4]> =
            l.iter().zip(self.inertia).map(|(row, j)| row.map(|entry| graph.mul(j, entry))).collect();
        let four = graph.integer(4);
        let mut entry = |i: usize, j: usize| {
            let terms: Vec<ExprId> = (0..3).map(|k| graph.mul(l[k][i], weighted[k][j])).collect();
            let sum = graph.sum(&terms);
            graph.mul(four, sum)
        };
        (0..4).map(|i| (0..4).map(|j| entry(i, j)).collect()).collect()
    }

    /// 8 L(ė)ᵀ J L(e) ė + ∂V/∂e with V = 2 m g c (e2 e3 + e0 e1).
    fn bias_force(&mut self) -> Vec<ExprId> {
        let (l, l_rate) =
            (euler_parameter_matrix(&mut self.graph, &self.e), euler_parameter_matrix(&mut self.graph, &self.v));
        let graph = &mut self.graph;
        let momentum: Vec<ExprId> = l
            .iter()
            .zip(self.inertia)
            .map(|(row, j)| {
                let half_rate = graph.dot(row, &self.v);
                graph.mul(j, half_rate)
            })
            .collect();
        let weight = graph.product(&[self.mass, self.free_fall, self.distance]);
        let (upper, lower) = (graph.mul(self.e[2], self.e[3]), graph.mul(self.e[0], self.e[1]));
        let (height, two, eight) = (graph.add(upper, lower), graph.integer(2), graph.integer(8));
        let potential = graph.product(&[two, weight, height]);
        let slope = graph.gradient(potential, &self.e);
        let component = |i: usize| {
            let column: Vec<ExprId> = l_rate.iter().map(|row| row[i]).collect();
            let sum = graph.dot(&column, &momentum);
            let gyroscopic = graph.mul(eight, sum);
            graph.add(gyroscopic, slope[i])
        };
        (0..4).map(component).collect()
    }

    /// M a + h.
    fn inverse_dynamics(&mut self) -> Vec<ExprId> {
        let (mass, bias) = (self.mass_matrix(), self.bias_force());
        let rows = mass.iter().zip(bias).map(|(row, h)| {
            let inertial = self.graph.dot(row, &self.a);
            self.graph.add(inertial, h)
        });
        rows.collect()
    }
}
