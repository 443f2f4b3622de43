//! Construction of one kernel: its symbols, and the functions that follow from a member's mechanics.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::counting::Counting;
use super::equations::{Entry, Function, FunctionRole, Inputs, Instance, Kernel, Layout, Output, Role};
use super::parameters::Parameters;
use crate::expr::{ExprId, Graph, Stage, SymbolId};
use crate::spelling::spelled;

/// A kernel and its first instance, under construction.
pub(super) struct KernelBuilder<'a> {
    pub graph: Graph,
    pub parameters: &'a mut Parameters,
    pub layout: &'a Layout,
    name: String,
    doc: String,
    inputs: Inputs,
    instance: Instance,
    /// q̇ = N v of the local coordinates, row by row; filled by `block`.
    velocity_map: Vec<Vec<(usize, ExprId)>>,
    parameter_values: HashMap<ExprId, ExprId>,
    /// Rates of its parameters as one of those changes by which derivatives are asked for, one list each.
    seeds: Vec<Vec<(ExprId, ExprId)>>,
    /// Places of its parameters whose values differ between members, and their rates.
    own_parameters: Vec<usize>,
    own_seeds: Vec<OwnSeed>,
    /// Which operations are counted when alternatives are compared.
    pub counting: Counting,
}

/// The rate of a parameter whose value differs between members, as another parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnSeed {
    /// Places of the parameter and of its rate among those of the member.
    pub parameter: usize,
    pub rate: usize,
    /// The parameter of the model by which it changes.
    pub by: SymbolId,
}

/// Mechanics of a member; vectors are as long as its velocities, or empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Mechanics {
    /// M, row by row.
    pub mass_matrix: Vec<Vec<ExprId>>,
    /// h.
    pub bias_force: Vec<ExprId>,
    /// f.
    pub applied_force: Vec<ExprId>,
    /// M a + h − f, derived as a whole; if empty, it is formed from the parts.
    pub inverse_dynamics: Vec<ExprId>,
    /// Its derivatives by recursion, an alternative to differentiating the graph.
    pub derivatives: Option<Derivatives>,
    /// g of the constraints on coordinates.
    pub constraint: Vec<ExprId>,
    /// Residuals of the constraints on velocities, linear in v.
    pub velocity_constraint: Vec<ExprId>,
    /// On which side of each of the first constraints their joints are assembled, zero where there is only one.
    pub sides: Vec<ExprId>,
    /// Contacts.
    pub contacts: Vec<Measures>,
    /// Kinetic energy.
    pub kinetic_energy: Option<ExprId>,
    /// Potential energy.
    pub potential_energy: Option<ExprId>,
    /// Power of what has no potential, and of potentials that depend on time.
    pub power: Option<ExprId>,
}

/// M, (∂τ/∂q) N and ∂τ/∂v of τ = M a + h − (gravity), each row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Derivatives {
    pub mass_matrix: Vec<Vec<ExprId>>,
    pub by_position: Vec<Vec<ExprId>>,
    pub by_velocity: Vec<Vec<ExprId>>,
}

/// What a contact measures.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measures {
    /// The gap: the distance between the two surfaces.
    pub gap: ExprId,
    /// The slip, against which friction acts, direction by direction.
    pub slip: Vec<ExprId>,
    /// The slip is a velocity, linear in v, and not a displacement.
    pub is_velocity: bool,
}

/// What the functions of a kernel are derived from: the nodes that its graph had, and the meaning of some of them.
#[derive(Debug, PartialEq)]
pub(super) struct Origin {
    nodes: usize,
    velocity_map: Vec<Vec<(usize, ExprId)>>,
    seeds: Vec<Vec<(ExprId, ExprId)>>,
    mechanics: Mechanics,
}

impl Origin {
    pub fn mechanics(&self) -> &Mechanics {
        &self.mechanics
    }
}

/// Time derivatives of residuals: ẏ = J v + rate and ÿ = J a + acceleration; row by row.
#[derive(Default)]
struct Rates {
    jacobian: Vec<Vec<ExprId>>,
    rate: Vec<ExprId>,
    acceleration: Vec<ExprId>,
}

impl Rates {
    fn extend(&mut self, other: Rates) {
        self.jacobian.extend(other.jacobian);
        self.rate.extend(other.rate);
        self.acceleration.extend(other.acceleration);
    }
}

/// Local symbols of consecutive coordinates.
#[derive(Clone)]
pub(super) struct Symbols {
    pub q: Vec<ExprId>,
    pub v: Vec<ExprId>,
    pub a: Vec<ExprId>,
}

impl<'a> KernelBuilder<'a> {
    pub fn new(name: &str, doc: &str, member: &str, parameters: &'a mut Parameters, layout: &'a Layout) -> Self {
        Self {
            graph: Graph::new(),
            parameters,
            layout,
            name: name.to_owned(),
            doc: doc.to_owned(),
            inputs: Inputs::default(),
            instance: Instance {
                kernel: 0,
                name: spelled(member),
                parameters: Vec::new(),
                inputs: Vec::new(),
                differentiated: Vec::new(),
                reference: Vec::new(),
                q: Vec::new(),
                v: Vec::new(),
                lambda: Vec::new(),
                contacts: Vec::new(),
                contact_rows: Vec::new(),
                outputs: Vec::new(),
                switches: Vec::new(),
                initial_position: Vec::new(),
                initial_velocity: Vec::new(),
            },
            velocity_map: Vec::new(),
            parameter_values: HashMap::new(),
            seeds: Vec::new(),
            own_parameters: Vec::new(),
            own_seeds: Vec::new(),
            counting: Counting::default(),
        }
    }

    fn symbol(&mut self, name: &str, stage: Stage) -> (ExprId, SymbolId) {
        let name = &spelled(name);
        let mut unique = name.clone();
        let mut suffix = 2;
        while self.graph.find_symbol(&unique).is_some() {
            unique = format!("{name}_{suffix}");
            suffix += 1;
        }
        let id = SymbolId(self.graph.symbols().len() as u32);
        (self.graph.symbol(&unique, stage), id)
    }

    /// A parameter of the member: `value` is an expression of the model's parameters. Numbers stay numbers when
    /// `fold_numbers` is set, zeros and ones always do: they remove terms.
    pub fn parameter(&mut self, name: &str, value: ExprId, fold_numbers: bool) -> ExprId {
        if let Some(number) = self.parameters.graph.as_number(value) {
            let magnitude = number.to_f64().abs();
            if fold_numbers || magnitude == 0.0 || magnitude == 1.0 {
                return self.graph.number(number);
            }
        }
        if let Some(&known) = self.parameter_values.get(&value) {
            return known;
        }
        let (expr, id) = self.symbol(name, Stage::Parameter);
        self.inputs.parameters.push(id);
        self.instance.parameters.push(value);
        self.parameter_values.insert(value, expr);
        expr
    }

    /// Always declares a parameter, even for 0 or 1, because the value differs between members. Returns its index too.
    pub fn own_parameter(&mut self, name: &str, value: ExprId) -> (ExprId, usize) {
        let (expr, place) = self.unshared(name, value);
        self.own_parameters.push(place);
        (expr, place)
    }

    /// A parameter that stands for this value alone, even where another has the same.
    fn unshared(&mut self, name: &str, value: ExprId) -> (ExprId, usize) {
        let (expr, id) = self.symbol(name, Stage::Parameter);
        self.inputs.parameters.push(id);
        self.instance.parameters.push(value);
        (expr, self.instance.parameters.len() - 1)
    }

    /// The rates of those parameters, once [`KernelBuilder::declare_seeds`] has declared them.
    pub fn own_seeds(&self) -> &[OwnSeed] {
        &self.own_seeds
    }

    /// Consecutive coordinates of the model, with their velocities and accelerations; `prefix` names the member.
    ///
    /// `velocity_map` gives q̇ = N v row by row where it is not the identity.
    pub fn coordinates(
        &mut self,
        names: (&[String], &[String]),
        first: (usize, usize),
        velocity_map: Option<&dyn Fn(&mut Graph, &[ExprId]) -> Vec<Vec<ExprId>>>,
    ) -> Symbols {
        let (q_names, v_names) = names;
        let first_local_v = self.inputs.v.len();
        let mut symbols = Symbols { q: Vec::new(), v: Vec::new(), a: Vec::new() };
        for (i, name) in q_names.iter().enumerate() {
            let (expr, id) = self.symbol(name, Stage::Position);
            self.inputs.q.push(id);
            self.instance.q.push(first.0 + i);
            symbols.q.push(expr);
        }
        for (i, name) in v_names.iter().enumerate() {
            let (rate, acceleration) = if q_names.len() == v_names.len() && velocity_map.is_none() {
                (format!("{name}_dot"), format!("{name}_ddot"))
            } else {
                (name.clone(), format!("{name}_dot"))
            };
            let (expr, id) = self.symbol(&rate, Stage::Velocity);
            self.inputs.v.push(id);
            symbols.v.push(expr);
            let (expr, id) = self.symbol(&acceleration, Stage::Acceleration);
            self.inputs.a.push(id);
            symbols.a.push(expr);
            self.instance.v.push(first.1 + i);
        }
        let one = self.graph.one();
        let rows = match velocity_map {
            Some(map) => map(&mut self.graph, &symbols.q)
                .into_iter()
                .map(|row| row.into_iter().enumerate().map(|(j, n)| (first_local_v + j, n)).collect())
                .collect(),
            None => (0..q_names.len()).map(|i| vec![(first_local_v + i, one)]).collect::<Vec<_>>(),
        };
        self.velocity_map.extend(rows);
        symbols
    }

    /// A first-order state and its index among the local velocities; declared at its first use.
    pub fn state(&mut self, index: usize) -> (ExprId, usize) {
        let place = |channels: usize| channels - self.layout.states + index;
        let (q, v) = (place(self.layout.coordinates.len()), place(self.layout.velocities.len()));
        let local = match self.instance.v.iter().position(|&known| known == v) {
            Some(local) => local,
            None => {
                let name = symbol_name(&self.layout.velocities[v].name);
                let (_, integral) = self.symbol(&format!("{name}_integral"), Stage::Position);
                let (_, value) = self.symbol(&name, Stage::Velocity);
                let (_, rate) = self.symbol(&format!("{name}_dot"), Stage::Acceleration);
                self.inputs.q.push(integral);
                self.inputs.v.push(value);
                self.inputs.a.push(rate);
                self.instance.q.push(q);
                self.instance.v.push(v);
                let one = self.graph.one();
                self.velocity_map.push(vec![(self.inputs.v.len() - 1, one)]);
                self.inputs.v.len() - 1
            }
        };
        (self.graph.symbol_expr(self.inputs.v[local]), local)
    }

    /// A contact of the model, and its rows of Wᵀ.
    pub fn contact(&mut self, index: usize) {
        let rows_before =
            |n: usize| self.layout.contacts[..n].iter().map(|contact| 1 + contact.tangents).sum::<usize>();
        self.instance.contacts.push(index);
        self.instance.contact_rows.extend(rows_before(index)..rows_before(index + 1));
    }

    /// Consecutive multipliers of the model.
    pub fn multipliers(&mut self, first: usize, n: usize) {
        for i in 0..n {
            let name = format!("lambda_{}", self.inputs.lambda.len());
            let (_, id) = self.symbol(&name, Stage::Acceleration);
            self.inputs.lambda.push(id);
            self.instance.lambda.push(first + i);
        }
    }

    /// These multipliers of the model, beside those of the kernel: their symbols.
    pub fn further_multipliers(&mut self, rows: Range<usize>) -> Vec<ExprId> {
        let known = self.inputs.lambda.len();
        self.multipliers(rows.start, rows.len());
        self.lambda().split_off(known)
    }

    pub fn time(&mut self) -> ExprId {
        match self.inputs.time {
            Some(id) => self.graph.symbol_expr(id),
            None => {
                let (expr, id) = self.symbol("t", Stage::Time);
                self.inputs.time = Some(id);
                expr
            }
        }
    }

    pub fn input(&mut self, index: usize) -> ExprId {
        if let Some(local) = self.instance.inputs.iter().position(|&known| known == index) {
            return self.graph.symbol_expr(self.inputs.inputs[local]);
        }
        let (expr, id) = self.symbol(&self.layout.inputs[index].name.clone(), Stage::Time);
        self.inputs.inputs.push(id);
        self.instance.inputs.push(index);
        expr
    }

    /// Rows of the model's outputs and initial conditions that this kernel fills.
    pub fn instance_mut(&mut self) -> &mut Instance {
        &mut self.instance
    }

    /// Number of velocities declared so far.
    pub fn n_velocities(&self) -> usize {
        self.inputs.v.len()
    }

    fn expressions(&self, symbols: &[SymbolId]) -> Vec<ExprId> {
        symbols.iter().map(|&id| self.graph.symbol_expr(id)).collect()
    }

    /// The accelerations' symbols.
    pub fn accelerations(&self) -> Vec<ExprId> {
        self.expressions(&self.inputs.a)
    }

    /// The velocities' symbols.
    pub fn velocities(&self) -> Vec<ExprId> {
        self.expressions(&self.inputs.v)
    }

    /// The symbols of the forces on the velocities' directions that forward dynamics is given; declared at the first
    /// use.
    pub fn forces(&mut self) -> Vec<ExprId> {
        for index in self.inputs.tau.len()..self.inputs.v.len() {
            let velocity = self.inputs.v[index];
            let name = self.graph.symbols()[velocity.index()].name.clone();
            let (_, id) = self.symbol(&format!("tau_{}", name.trim_end_matches("_dot")), Stage::Acceleration);
            self.inputs.tau.push(id);
        }
        self.expressions(&self.inputs.tau)
    }

    /// The symbols of the weights of these forces that second derivatives are given; declared at the first use.
    pub fn weights(&mut self) -> Vec<ExprId> {
        for index in self.inputs.w.len()..self.inputs.v.len() {
            let velocity = self.inputs.v[index];
            let name = self.graph.symbols()[velocity.index()].name.clone();
            let (_, id) = self.symbol(&format!("w_{}", name.trim_end_matches("_dot")), Stage::Acceleration);
            self.inputs.w.push(id);
        }
        self.expressions(&self.inputs.w)
    }

    /// The multipliers' symbols.
    pub fn lambda(&self) -> Vec<ExprId> {
        self.expressions(&self.inputs.lambda)
    }

    /// (∂y/∂q) N, row by row.
    pub fn tangent(&mut self, y: &[ExprId]) -> Vec<Vec<ExprId>> {
        let q = self.expressions(&self.inputs.q);
        let by_q = self.graph.jacobian(y, &q);
        by_q.into_iter().map(|row| self.along_velocities(&row)).collect()
    }

    /// (∂y/∂q) N: of each row the columns on which it depends, with their entries.
    pub fn sparse_tangent(&mut self, y: &[ExprId]) -> Vec<Vec<(usize, ExprId)>> {
        let q = self.expressions(&self.inputs.q);
        let rows = self.sparse_jacobian(y, &q);
        let along = |row: Vec<(usize, ExprId)>| {
            let mut result = BTreeMap::new();
            for (place, derivative) in row {
                for &(column, n) in &self.velocity_map[place] {
                    let term = self.graph.mul(derivative, n);
                    let sum = result.entry(column).or_insert_with(|| self.graph.zero());
                    *sum = self.graph.add(*sum, term);
                }
            }
            result.into_iter().collect()
        };
        rows.into_iter().map(along).collect()
    }

    /// ∂y/∂v in the same form.
    pub fn sparse_velocity_jacobian(&mut self, y: &[ExprId]) -> Vec<Vec<(usize, ExprId)>> {
        let v = self.expressions(&self.inputs.v);
        self.sparse_jacobian(y, &v)
    }

    /// The derivatives of each y by those of the symbols x that it reads.
    fn sparse_jacobian(&mut self, y: &[ExprId], x: &[ExprId]) -> Vec<Vec<(usize, ExprId)>> {
        let places: HashMap<ExprId, usize> = x.iter().enumerate().map(|(place, &x)| (x, place)).collect();
        let row = |&y: &ExprId| {
            let mut read: Vec<usize> =
                self.graph.reachable(&[y]).iter().filter_map(|id| places.get(id).copied()).collect();
            read.sort_unstable();
            let by: Vec<ExprId> = read.iter().map(|&place| x[place]).collect();
            let [derivatives] = <[_; 1]>::try_from(self.graph.jacobian(&[y], &by)).unwrap_or_default();
            read.into_iter().zip(derivatives).collect()
        };
        y.iter().map(row).collect()
    }

    /// (∂y/∂q) N and ∂y/∂v of one scalar, by one reverse sweep.
    pub fn gradients(&mut self, y: ExprId) -> (Vec<ExprId>, Vec<ExprId>) {
        let (q, v) = (self.expressions(&self.inputs.q), self.expressions(&self.inputs.v));
        let mut by_q = self.graph.gradient(y, &[&q[..], &v].concat());
        let by_v = by_q.split_off(q.len());
        (self.along_velocities(&by_q), by_v)
    }

    /// A row of derivatives by q → by directions of v.
    fn along_velocities(&mut self, row: &[ExprId]) -> Vec<ExprId> {
        let mut result = vec![self.graph.zero(); self.inputs.v.len()];
        for (derivative, map) in row.iter().zip(&self.velocity_map) {
            for &(column, n) in map {
                let term = self.graph.mul(*derivative, n);
                result[column] = self.graph.add(result[column], term);
            }
        }
        result
    }

    /// ∂y/∂v, row by row.
    pub fn velocity_jacobian(&mut self, y: &[ExprId]) -> Vec<Vec<ExprId>> {
        let v = self.expressions(&self.inputs.v);
        self.graph.jacobian(y, &v)
    }

    /// ∂y/∂a, row by row.
    pub fn acceleration_jacobian(&mut self, y: &[ExprId]) -> Vec<Vec<ExprId>> {
        let a = self.expressions(&self.inputs.a);
        self.graph.jacobian(y, &a)
    }

    /// ∂y/∂λ of the multipliers of this kernel, row by row.
    pub fn multiplier_jacobian(&mut self, y: &[ExprId]) -> Vec<Vec<ExprId>> {
        let lambda = self.lambda();
        self.graph.jacobian(y, &lambda)
    }

    /// ∂y/∂u of the inputs u that this kernel reads, row by row.
    pub fn input_jacobian(&mut self, y: &[ExprId]) -> Vec<Vec<ExprId>> {
        let inputs = self.expressions(&self.inputs.inputs);
        self.graph.jacobian(y, &inputs)
    }

    /// Declares the derivatives of this member's parameters by those of the model that are asked for, as parameters of
    /// its own; once, after all others.
    pub fn declare_seeds(&mut self) {
        let values = self.instance.parameters.clone();
        for (place, &symbol) in self.layout.differentiated.iter().enumerate() {
            let graph = &mut self.parameters.graph;
            let (by, one) = (graph.symbol_expr(symbol), graph.one());
            let name = graph.symbols()[symbol.index()].name.clone();
            let rates = graph.directional(&values, &[(by, one)]);
            let zero = graph.zero();
            let mut seeds = Vec::new();
            for (local, rate) in rates.into_iter().enumerate().filter(|&(_, rate)| rate != zero) {
                let parameter = self.inputs.parameters[local];
                let own = self.graph.symbols()[parameter.index()].name.clone();
                let own = format!("{own}_by_{name}");
                let seed = if self.own_parameters.contains(&local) {
                    let (seed, place) = self.unshared(&own, rate);
                    self.own_seeds.push(OwnSeed { parameter: local, rate: place, by: symbol });
                    seed
                } else {
                    self.parameter(&own, rate, false)
                };
                seeds.push((self.graph.symbol_expr(parameter), seed));
            }
            if !seeds.is_empty() {
                self.seeds.push(seeds);
                self.instance.differentiated.push(place);
            }
        }
    }

    /// ∂y/∂p of the parameters that are asked for and on which this member depends, row by row.
    pub fn parameter_jacobian(&mut self, y: &[ExprId]) -> Vec<Vec<ExprId>> {
        let columns: Vec<Vec<ExprId>> = self.seeds.iter().map(|seeds| self.graph.directional(y, seeds)).collect();
        (0..y.len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
    }

    /// ∂y/∂t.
    fn time_derivative(&mut self, y: &[ExprId]) -> Vec<ExprId> {
        match self.inputs.time {
            None => vec![self.graph.zero(); y.len()],
            Some(id) => {
                let t = self.graph.symbol_expr(id);
                y.iter().map(|&component| self.graph.derivative(component, t)).collect()
            }
        }
    }

    /// Every function of the model that a member with these mechanics contributes to.
    pub fn functions(&mut self, mechanics: Mechanics) -> Vec<Function> {
        let Mechanics { mass_matrix, bias_force, applied_force, inverse_dynamics, derivatives, .. } = mechanics;
        let Mechanics { constraint, velocity_constraint, sides, contacts, .. } = mechanics;
        // Expressions may have declared states after the vectors were started.
        let (n, zero) = (self.n_velocities(), self.graph.zero());
        let padded = |mut vector: Vec<ExprId>| {
            vector.resize(if vector.is_empty() { 0 } else { n }, zero);
            vector
        };
        let [bias_force, applied_force, inverse_dynamics] = [bias_force, applied_force, inverse_dynamics].map(padded);
        let mut functions = Vec::new();
        let mut add = |graph: &Graph, role: FunctionRole, outputs: Vec<Output>| {
            let outputs: Vec<Output> = outputs.into_iter().map(|output| output.without_zeros(graph)).collect();
            if outputs.iter().any(|output| !output.entries.is_empty()) {
                functions.push(Function::new(role, outputs));
            }
        };
        add(&self.graph, FunctionRole::MassMatrix, vec![Output::matrix(Role::MassMatrix, &mass_matrix)]);
        add(&self.graph, FunctionRole::BiasForce, vec![Output::vector(Role::BiasForce, &bias_force)]);
        add(&self.graph, FunctionRole::AppliedForce, vec![Output::vector(Role::AppliedForce, &applied_force)]);

        let mut rates = self.rates(&constraint);
        rates.extend(self.rates_of_velocities(&velocity_constraint));
        let Rates { jacobian, rate, acceleration } = rates;
        add(&self.graph, FunctionRole::Constraint, vec![Output::vector(Role::Constraint, &constraint)]);
        add(&self.graph, FunctionRole::ConstraintJacobian, vec![Output::matrix(Role::ConstraintJacobian, &jacobian)]);
        add(
            &self.graph,
            FunctionRole::ConstraintBias,
            vec![
                Output::vector(Role::ConstraintRate, &rate),
                Output::vector(Role::ConstraintAcceleration, &acceleration),
            ],
        );

        add(&self.graph, FunctionRole::AssemblySides, vec![Output::vector(Role::AssemblySide, &sides)]);

        let gaps: Vec<ExprId> = contacts.iter().map(|contact| contact.gap).collect();
        let mut relative = Rates::default();
        for Measures { gap, slip, is_velocity } in &contacts {
            relative.extend(self.rates(&[*gap]));
            relative.extend(if *is_velocity { self.rates_of_velocities(slip) } else { self.rates(slip) });
        }
        add(&self.graph, FunctionRole::ContactGap, vec![Output::vector(Role::ContactGap, &gaps)]);
        let normals_and_tangents = Output::matrix(Role::ContactJacobian, &relative.jacobian);
        add(&self.graph, FunctionRole::ContactJacobian, vec![normals_and_tangents]);
        add(
            &self.graph,
            FunctionRole::ContactBias,
            vec![
                Output::vector(Role::ContactRate, &relative.rate),
                Output::vector(Role::ContactAcceleration, &relative.acceleration),
            ],
        );

        add(
            &self.graph,
            FunctionRole::Energy,
            vec![
                Output::vector(Role::KineticEnergy, &[mechanics.kinetic_energy.unwrap_or(zero)]),
                Output::vector(Role::PotentialEnergy, &[mechanics.potential_energy.unwrap_or(zero)]),
            ],
        );
        add(&self.graph, FunctionRole::Power, vec![Output::vector(Role::Power, &[mechanics.power.unwrap_or(zero)])]);

        let dynamics = if inverse_dynamics.is_empty() {
            self.inverse_dynamics(&mass_matrix, &bias_force, &applied_force)
        } else {
            inverse_dynamics
        };
        let constraint_force = self.constraint_force(&constraint, &velocity_constraint);
        let residual = match &constraint_force {
            Some(force) => dynamics.iter().zip(force).map(|(&r, &force)| self.graph.sub(r, force)).collect(),
            None => dynamics,
        };
        let constraint = [constraint, velocity_constraint].concat();
        add(
            &self.graph,
            FunctionRole::Residual,
            vec![Output::vector(Role::Residual, &residual), Output::vector(Role::Constraint, &constraint)],
        );
        let mut candidates = vec![(self.velocity_jacobian(&residual), self.tangent(&residual))];
        if let Some(Derivatives { mut by_position, by_velocity, .. }) = derivatives {
            if let Some(force) = &constraint_force {
                let by_force = self.tangent(force);
                by_position = self.difference(by_position, &by_force);
            }
            candidates.push((by_velocity, by_position));
        }
        let candidates = candidates.into_iter().map(|(damping, stiffness)| {
            vec![
                Output::matrix(Role::MassMatrix, &mass_matrix),
                Output::matrix(Role::Damping, &damping),
                Output::matrix(Role::Stiffness, &stiffness),
                Output::matrix(Role::ConstraintJacobian, &jacobian),
            ]
        });
        let linearization = cheapest(self.counting, &self.graph, candidates);
        add(&self.graph, FunctionRole::Linearization, linearization);
        functions
    }

    fn inverse_dynamics(&mut self, mass: &[Vec<ExprId>], bias: &[ExprId], applied: &[ExprId]) -> Vec<ExprId> {
        let a = self.expressions(&self.inputs.a);
        (0..a.len())
            .map(|i| {
                let mut sum = match mass.get(i) {
                    Some(row) => self.graph.dot(row, &a),
                    None => self.graph.zero(),
                };
                if let Some(&h) = bias.get(i) {
                    sum = self.graph.add(sum, h);
                }
                if let Some(&f) = applied.get(i) {
                    sum = self.graph.sub(sum, f);
                }
                sum
            })
            .collect()
    }

    /// A − B.
    pub fn difference(&mut self, a: Vec<Vec<ExprId>>, b: &[Vec<ExprId>]) -> Vec<Vec<ExprId>> {
        let row =
            |(a, b): (Vec<ExprId>, &Vec<ExprId>)| a.into_iter().zip(b).map(|(a, &b)| self.graph.sub(a, b)).collect();
        a.into_iter().zip(b).map(row).collect()
    }

    /// Gᵀ λ, as the gradient of the one scalar λ · g: by the coordinates, or by the velocities where the constraint is
    /// one on velocities.
    fn constraint_force(&mut self, constraint: &[ExprId], velocity_constraint: &[ExprId]) -> Option<Vec<ExprId>> {
        if constraint.is_empty() && velocity_constraint.is_empty() {
            return None;
        }
        let lambda = self.lambda();
        let (on_positions, on_velocities) = lambda.split_at(constraint.len());
        let (q, v) = (self.expressions(&self.inputs.q), self.expressions(&self.inputs.v));
        self.graph.keep_poles(true);
        let work = self.graph.dot(on_positions, constraint);
        let by_q = self.graph.gradient(work, &q);
        let along = self.along_velocities(&by_q);
        let power = self.graph.dot(on_velocities, velocity_constraint);
        let by_v = self.graph.gradient(power, &v);
        self.graph.keep_poles(false);
        Some(along.into_iter().zip(by_v).map(|(a, b)| self.graph.add(a, b)).collect())
    }

    /// Values where v = 0.
    fn at_rest(&mut self, y: &[ExprId]) -> Vec<ExprId> {
        let moving = self.graph.clone();
        let velocities = &self.inputs.v;
        self.graph.import(&moving, y, &|graph, symbol| match velocities.contains(&symbol) {
            true => graph.zero(),
            false => graph.symbol_expr(symbol),
        })
    }

    /// ẏ without the accelerations.
    pub fn convective(&mut self, y: &[ExprId]) -> Vec<ExprId> {
        let mut rates = self.coordinate_rates();
        if let Some(time) = self.inputs.time {
            rates.push((self.graph.symbol_expr(time), self.graph.one()));
        }
        self.graph.directional(y, &rates)
    }

    /// Time derivatives of expressions that are linear in the velocities.
    fn rates_of_velocities(&mut self, y: &[ExprId]) -> Rates {
        self.graph.keep_poles(true);
        let rates =
            Rates { jacobian: self.velocity_jacobian(y), rate: self.at_rest(y), acceleration: self.convective(y) };
        self.graph.keep_poles(false);
        rates
    }

    /// Time derivatives of functions of coordinates and time.
    fn rates(&mut self, y: &[ExprId]) -> Rates {
        self.graph.keep_poles(true);
        let total_rate = self.convective(y);
        let acceleration = self.convective(&total_rate);
        let rates = Rates { jacobian: self.tangent(y), rate: self.time_derivative(y), acceleration };
        self.graph.keep_poles(false);
        rates
    }

    /// g̈ of constraints on coordinates and ġ of those on velocities: G a and what is left where a = 0.
    pub fn constraint_acceleration(&mut self, on_coordinates: &[ExprId], on_velocities: &[ExprId]) -> Vec<ExprId> {
        let mut rates = self.rates(on_coordinates);
        rates.extend(self.rates_of_velocities(on_velocities));
        let a = self.accelerations();
        let moved = rates.jacobian.iter().zip(rates.acceleration);
        moved
            .map(|(row, bias)| {
                let by_acceleration = self.graph.dot(row, &a);
                self.graph.add(by_acceleration, bias)
            })
            .collect()
    }

    /// The coordinates and q̇ = N v.
    fn coordinate_rates(&mut self) -> Vec<(ExprId, ExprId)> {
        let (q, v) = (self.expressions(&self.inputs.q), self.expressions(&self.inputs.v));
        let rate = |row: &Vec<(usize, ExprId)>| {
            let terms: Vec<ExprId> = row.iter().map(|&(column, n)| self.graph.mul(n, v[column])).collect();
            self.graph.sum(&terms)
        };
        let rates: Vec<ExprId> = self.velocity_map.iter().map(rate).collect();
        q.into_iter().zip(rates).collect()
    }

    /// What the functions of a member with these mechanics will be derived from.
    pub fn origin(&self, mechanics: Mechanics) -> Origin {
        Origin {
            nodes: self.graph.len(),
            velocity_map: self.velocity_map.clone(),
            seeds: self.seeds.clone(),
            mechanics,
        }
    }

    /// Whether the graph of this kernel began like this one, with symbols of the same use.
    pub fn is_beginning_of(&self, kernel: &Kernel) -> bool {
        self.inputs == kernel.inputs
            && self.graph.stages_of_symbols().eq(kernel.graph.stages_of_symbols())
            && self.graph.len() <= kernel.graph.len()
            && self.graph.nodes().zip(kernel.graph.nodes()).all(|(a, b)| a == b)
    }

    /// The member, when its kernel is known.
    pub fn into_instance(self) -> Instance {
        self.instance
    }

    /// What its symbols are, and where in the model they stand.
    pub fn into_parts(self) -> (Inputs, Instance) {
        (self.inputs, self.instance)
    }

    pub fn finish(self, functions: Vec<Function>) -> (Kernel, Instance) {
        let kernel = Kernel { name: self.name, doc: self.doc, graph: self.graph, inputs: self.inputs, functions };
        (kernel, self.instance)
    }
}

/// Channel names of consecutive coordinates and the names of their symbols: `hinge.angle` becomes `hinge_angle`.
pub(super) fn symbol_name(channel: &str) -> String {
    channel.replace('.', "_")
}

/// Of equivalent functions the one with the fewest operations; the first of several with the same number.
pub(super) fn cheapest(
    counting: Counting,
    graph: &Graph,
    candidates: impl IntoIterator<Item = Vec<Output>>,
) -> Vec<Output> {
    let operations = |outputs: &Vec<Output>| {
        let values: Vec<ExprId> =
            outputs.iter().flat_map(|output| output.entries.iter().map(|entry| entry.value)).collect();
        counting.operations(graph, &values)
    };
    candidates.into_iter().min_by_key(operations).unwrap_or_default()
}

impl Output {
    /// A vector with all its entries.
    pub fn vector(role: Role, values: &[ExprId]) -> Self {
        let entries = values.iter().enumerate().map(|(row, &value)| Entry { row, column: 0, value }).collect();
        Self { role, shape: (values.len(), 1), entries }
    }

    /// A matrix with all its entries, from its rows.
    pub fn matrix(role: Role, rows: &[Vec<ExprId>]) -> Self {
        let columns = rows.first().map_or(0, Vec::len);
        let entries = (0..columns)
            .flat_map(|column| {
                rows.iter().enumerate().map(move |(row, values)| Entry { row, column, value: values[column] })
            })
            .collect();
        Self { role, shape: (rows.len(), columns), entries }
    }

    /// A matrix of so many columns, from the columns and entries of its rows.
    pub fn sparse(role: Role, rows: Vec<Vec<(usize, ExprId)>>, columns: usize) -> Self {
        let shape = (rows.len(), columns);
        let rows = rows.into_iter().enumerate();
        let mut entries: Vec<Entry> = rows
            .flat_map(|(row, entries)| entries.into_iter().map(move |(column, value)| Entry { row, column, value }))
            .collect();
        entries.sort_by_key(|entry| (entry.column, entry.row));
        Self { role, shape, entries }
    }

    /// Without entries that are structurally zero.
    pub fn without_zeros(mut self, graph: &Graph) -> Self {
        self.entries.retain(|entry| !graph.is_zero(entry.value));
        self
    }
}
