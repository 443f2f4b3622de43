//! Choice of one term per class such that the whole, including sharing, is cheap.
//!
//! Minimising the size of trees ignores sharing and often ends above the input. Three choices are made: the terms of the
//! input, the smallest trees, and greedy sets of shared classes. Each is improved by a local search that determines
//! exactly which terms a change removes and which it adds; the best is kept. The first makes the result never worse
//! than the input.

use std::collections::VecDeque;
use std::ops::Range;

use egg::{Id, Language};
use rustc_hash::FxHashMap;

use super::language::{Expressions, Operator, Term};
use crate::expr::Stage;
use crate::expr::cost::{weight_of_binary, weight_of_unary};

/// Terms to compute, operands before users.
pub(super) struct Extracted {
    /// Operators with the positions of their operands in this list.
    pub(super) terms: Vec<(Operator, Vec<usize>)>,
    /// The positions of the roots.
    pub(super) roots: Vec<usize>,
}

/// The cheapest terms found for `roots`, given the terms of the input with their classes.
pub(super) fn extract(egraph: &Expressions, roots: &[Id], input: &[(Id, Term)]) -> Extracted {
    let classes = Classes::new(egraph, roots, input);
    let trees = classes.smallest_trees();
    let starts = [classes.input_or(&trees), classes.greedy_sharing(), trees.clone()];
    let improved =
        starts.into_iter().filter_map(|choice| classes.completed(choice, &trees)).map(|choice| classes.improve(choice));
    let best = improved.min_by_key(|choice| classes.cost(choice)).unwrap_or(trees);
    classes.terms(&best)
}

/// Position in [`Classes::alternatives`] of the term chosen for each class.
type Choice = Vec<usize>;

/// The choice for a class of which no finite term is known yet.
const UNDECIDED: usize = usize::MAX;

/// Costs are weights in hundredths, plus one unit per term so that fewer terms are preferred.
const WEIGHT_UNIT: u64 = 100;

/// One way to compute a class.
struct Alternative {
    operator: Operator,
    operands: Vec<usize>,
    cost: u64,
}

/// An e-graph with its classes numbered in the order of their identifiers.
struct Classes {
    alternatives: Vec<Alternative>,
    /// The alternatives of each class.
    members: Vec<Range<usize>>,
    /// The classes with an alternative that uses this class.
    users: Vec<Vec<usize>>,
    roots: Vec<usize>,
    /// The alternatives that are terms of the input, by class.
    input: FxHashMap<usize, usize>,
}

impl Classes {
    fn new(egraph: &Expressions, roots: &[Id], input: &[(Id, Term)]) -> Classes {
        let mut ids: Vec<Id> = egraph.classes().map(|class| class.id).collect();
        ids.sort_unstable();
        let numbers: FxHashMap<Id, usize> = ids.iter().enumerate().map(|(number, &id)| (id, number)).collect();
        let number_of = |id: Id| numbers[&egraph.find(id)];
        let mut alternatives = Vec::with_capacity(egraph.total_number_of_nodes());
        let mut members = Vec::with_capacity(ids.len());
        let mut users = vec![Vec::new(); ids.len()];
        for (class, &id) in ids.iter().enumerate() {
            let start = alternatives.len();
            for term in &egraph[id].nodes {
                let operands: Vec<usize> = term.children().iter().map(|&operand| number_of(operand)).collect();
                if operands.contains(&class) {
                    continue;
                }
                let is_hot = term.children().iter().any(|&operand| egraph[operand].data.stage > Stage::Parameter);
                let weight = if is_hot { weight_of_operator(term.operator) } else { 0 };
                for &operand in &operands {
                    if users[operand].last() != Some(&class) {
                        users[operand].push(class);
                    }
                }
                let cost = WEIGHT_UNIT * u64::from(weight) + 1;
                alternatives.push(Alternative { operator: term.operator, operands, cost });
            }
            members.push(start..alternatives.len());
        }
        let mut classes = Classes {
            alternatives,
            members,
            users,
            roots: roots.iter().map(|&root| number_of(root)).collect(),
            input: FxHashMap::default(),
        };
        for (id, term) in input {
            let operands: Vec<usize> = term.children().iter().map(|&operand| number_of(operand)).collect();
            classes.remember_input(number_of(*id), term.operator, &operands);
        }
        classes
    }

    fn remember_input(&mut self, class: usize, operator: Operator, operands: &[usize]) {
        let found = self.members[class].clone().find(|&alternative| {
            let alternative = &self.alternatives[alternative];
            alternative.operator == operator && alternative.operands == operands
        });
        if let Some(alternative) = found {
            self.input.entry(class).or_insert(alternative);
        }
    }

    /// For every class the term whose tree is smallest.
    fn smallest_trees(&self) -> Choice {
        let mut costs = vec![f64::INFINITY; self.members.len()];
        let mut choice = vec![UNDECIDED; self.members.len()];
        self.iterate(|class| {
            let mut has_improved = false;
            for index in self.members[class].clone() {
                let alternative = &self.alternatives[index];
                // Tree costs grow exponentially with depth, hence floating point.
                let cost =
                    alternative.operands.iter().fold(alternative.cost as f64, |cost, &operand| cost + costs[operand]);
                if cost < costs[class] {
                    costs[class] = cost;
                    choice[class] = index;
                    has_improved = true;
                }
            }
            has_improved
        });
        choice
    }

    /// The terms of the input for classes that have one, otherwise those of another choice.
    fn input_or(&self, other: &Choice) -> Choice {
        (0..other.len()).map(|class| self.input.get(&class).copied().unwrap_or(other[class])).collect()
    }

    /// For each class the term whose operands, with everything they need, form the cheapest set of classes.
    fn greedy_sharing(&self) -> Choice {
        let mut sets: Vec<Option<ClassSet>> = vec![None; self.members.len()];
        let mut choice = vec![UNDECIDED; self.members.len()];
        let mut own_costs = vec![0; self.members.len()];
        self.iterate(|class| {
            let mut has_improved = false;
            for index in self.members[class].clone() {
                let alternative = &self.alternatives[index];
                let Some(set) = self.union_of_operands(class, alternative, &sets, &own_costs) else { continue };
                if sets[class].as_ref().is_none_or(|known| set.cost < known.cost) {
                    own_costs[class] = alternative.cost;
                    sets[class] = Some(set);
                    choice[class] = index;
                    has_improved = true;
                }
            }
            has_improved
        });
        choice
    }

    /// The classes that an alternative needs, itself included; `None` if an operand is undecided or needs the class
    /// itself, or if the set cannot be better than the known one.
    fn union_of_operands(
        &self,
        class: usize,
        alternative: &Alternative,
        sets: &[Option<ClassSet>],
        own_costs: &[u64],
    ) -> Option<ClassSet> {
        let operands: Option<Vec<&ClassSet>> =
            alternative.operands.iter().map(|&operand| sets[operand].as_ref()).collect();
        let operands = operands?;
        if operands.iter().any(|set| set.contains(class)) {
            return None;
        }
        let least = operands.iter().map(|set| set.cost).max().unwrap_or(0) + alternative.cost;
        if sets[class].as_ref().is_some_and(|known| least >= known.cost) {
            return None;
        }
        let mut union = match operands.first() {
            Some(&first) => first.clone(),
            None => ClassSet::empty(self.members.len()),
        };
        for set in operands.iter().skip(1) {
            union.extend(set, own_costs);
        }
        union.insert(class, alternative.cost);
        Some(union)
    }

    /// Calls `improve` for classes, and again for the users of a class that it has improved, until nothing improves.
    fn iterate(&self, mut improve: impl FnMut(usize) -> bool) {
        let mut queue: VecDeque<usize> = (0..self.members.len()).collect();
        let mut is_queued = vec![true; self.members.len()];
        while let Some(class) = queue.pop_front() {
            is_queued[class] = false;
            if improve(class) {
                for &user in &self.users[class] {
                    if !std::mem::replace(&mut is_queued[user], true) {
                        queue.push_back(user);
                    }
                }
            }
        }
    }

    fn chosen(&self, choice: &Choice, class: usize) -> &Alternative {
        &self.alternatives[choice[class]]
    }

    /// A choice for the classes that the roots need, with trees for all other classes, which avoids cycles everywhere.
    ///
    /// `None` if what the roots need has a cycle.
    fn completed(&self, choice: Choice, trees: &Choice) -> Option<Choice> {
        let mut completed = trees.clone();
        for class in self.order(&choice)? {
            completed[class] = choice[class];
        }
        Some(completed)
    }

    /// The classes that the roots need, operands before users; `None` if a class needs itself or is undecided.
    fn order(&self, choice: &Choice) -> Option<Vec<usize>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.members.len()];
        let mut order = Vec::new();
        let mut pending: Vec<usize> = self.roots.iter().rev().copied().collect();
        while let Some(&class) = pending.last() {
            if choice[class] == UNDECIDED {
                return None;
            }
            match marks[class] {
                Mark::New => {
                    marks[class] = Mark::Open;
                    for &operand in self.chosen(choice, class).operands.iter().rev() {
                        match marks[operand] {
                            Mark::New => pending.push(operand),
                            Mark::Open => return None,
                            Mark::Done => {}
                        }
                    }
                }
                Mark::Open => {
                    marks[class] = Mark::Done;
                    order.push(class);
                    pending.pop();
                }
                Mark::Done => {
                    pending.pop();
                }
            }
        }
        Some(order)
    }

    fn cost(&self, choice: &Choice) -> u64 {
        let order = self.order(choice).unwrap_or_default();
        order.into_iter().map(|class| self.chosen(choice, class).cost).sum()
    }

    fn improve(&self, choice: Choice) -> Choice {
        const MAX_PASSES: usize = 20;
        let mut search = LocalSearch::new(self, choice);
        for _ in 0..MAX_PASSES {
            if !search.pass() {
                break;
            }
        }
        search.choice
    }

    fn terms(&self, choice: &Choice) -> Extracted {
        let order = self.order(choice).unwrap_or_default();
        let mut positions = vec![0; self.members.len()];
        let mut terms = Vec::with_capacity(order.len());
        for class in order {
            let chosen = self.chosen(choice, class);
            positions[class] = terms.len();
            terms.push((chosen.operator, chosen.operands.iter().map(|&operand| positions[operand]).collect()));
        }
        Extracted { terms, roots: self.roots.iter().map(|&root| positions[root]).collect() }
    }
}

fn weight_of_operator(operator: Operator) -> u32 {
    match operator {
        Operator::Number(_) | Operator::Variable(_) => 0,
        Operator::Unary(op) => weight_of_unary(op),
        Operator::Binary(op) => weight_of_binary(op),
        Operator::Select => 1,
    }
}

/// A set of classes with the cost of the terms that were chosen for them when they were added.
#[derive(Clone)]
struct ClassSet {
    words: Vec<u64>,
    cost: u64,
}

impl ClassSet {
    fn empty(classes: usize) -> ClassSet {
        ClassSet { words: vec![0; classes.div_ceil(64)], cost: 0 }
    }

    fn contains(&self, class: usize) -> bool {
        self.words[class / 64] >> (class % 64) & 1 == 1
    }

    fn insert(&mut self, class: usize, cost: u64) {
        self.words[class / 64] |= 1 << (class % 64);
        self.cost += cost;
    }

    fn extend(&mut self, other: &ClassSet, own_costs: &[u64]) {
        for (index, (word, &added)) in self.words.iter_mut().zip(&other.words).enumerate() {
            let mut new = added & !*word;
            *word |= added;
            while new != 0 {
                self.cost += own_costs[index * 64 + new.trailing_zeros() as usize];
                new &= new - 1;
            }
        }
    }
}

/// Changes one class at a time to the alternative that makes the whole cheapest.
struct LocalSearch<'c> {
    classes: &'c Classes,
    choice: Choice,
    uses: Vec<u32>,
    /// Longest chain below each class: a class can be reached only from classes of a greater height.
    heights: Vec<u32>,
    /// When a class was last visited by a search for cycles.
    visits: Vec<u32>,
    searches: u32,
}

impl<'c> LocalSearch<'c> {
    fn new(classes: &'c Classes, choice: Choice) -> LocalSearch<'c> {
        let count = classes.members.len();
        let mut search = LocalSearch {
            classes,
            choice,
            uses: vec![0; count],
            heights: vec![0; count],
            visits: vec![0; count],
            searches: 0,
        };
        for &root in &classes.roots {
            search.acquire(root);
        }
        search.update_heights();
        search
    }

    /// Visits every class in use once; whether anything changed.
    fn pass(&mut self) -> bool {
        let mut has_changed = false;
        for class in 0..self.choice.len() {
            if self.uses[class] > 0 && self.classes.members[class].len() > 1 && self.improve_class(class) {
                has_changed = true;
                self.update_heights();
            }
        }
        has_changed
    }

    fn improve_class(&mut self, class: usize) -> bool {
        let current = self.choice[class];
        let mut best = (self.classes.alternatives[current].cost + self.release_operands(class), current);
        for index in self.classes.members[class].clone() {
            if index == current || self.classes.alternatives[index].cost >= best.0 || self.makes_cycle(class, index) {
                continue;
            }
            self.choice[class] = index;
            let cost = self.classes.alternatives[index].cost + self.acquire_operands(class);
            self.release_operands(class);
            if cost < best.0 {
                best = (cost, index);
            }
        }
        self.choice[class] = best.1;
        self.acquire_operands(class);
        best.1 != current
    }

    fn acquire_operands(&mut self, class: usize) -> u64 {
        let classes = self.classes;
        classes.chosen(&self.choice, class).operands.iter().map(|&operand| self.acquire(operand)).sum()
    }

    fn release_operands(&mut self, class: usize) -> u64 {
        let classes = self.classes;
        classes.chosen(&self.choice, class).operands.iter().map(|&operand| self.release(operand)).sum()
    }

    /// Adds a use of a class; returns the cost of all terms that become used.
    fn acquire(&mut self, class: usize) -> u64 {
        let mut cost = 0;
        let mut pending = vec![class];
        while let Some(class) = pending.pop() {
            self.uses[class] += 1;
            if self.uses[class] == 1 {
                let chosen = self.classes.chosen(&self.choice, class);
                cost += chosen.cost;
                pending.extend(&chosen.operands);
            }
        }
        cost
    }

    /// Removes a use of a class; returns the cost of all terms that become unused.
    fn release(&mut self, class: usize) -> u64 {
        let mut cost = 0;
        let mut pending = vec![class];
        while let Some(class) = pending.pop() {
            self.uses[class] -= 1;
            if self.uses[class] == 0 {
                let chosen = self.classes.chosen(&self.choice, class);
                cost += chosen.cost;
                pending.extend(&chosen.operands);
            }
        }
        cost
    }

    /// Whether the operands of an alternative need the class itself.
    fn makes_cycle(&mut self, class: usize, alternative: usize) -> bool {
        self.searches += 1;
        let mut pending = self.classes.alternatives[alternative].operands.clone();
        while let Some(operand) = pending.pop() {
            if operand == class {
                return true;
            }
            let is_below = self.heights[operand] <= self.heights[class];
            if is_below || self.visits[operand] == self.searches {
                continue;
            }
            self.visits[operand] = self.searches;
            pending.extend(&self.classes.chosen(&self.choice, operand).operands);
        }
        false
    }

    /// Heights of all classes, in use or not.
    fn update_heights(&mut self) {
        let mut is_known = vec![false; self.choice.len()];
        let mut pending: Vec<usize> = (0..self.choice.len()).collect();
        while let Some(&class) = pending.last() {
            if is_known[class] {
                pending.pop();
                continue;
            }
            let operands = &self.classes.chosen(&self.choice, class).operands;
            let before = pending.len();
            pending.extend(operands.iter().filter(|&&operand| !is_known[operand]));
            if pending.len() == before {
                self.heights[class] = operands.iter().map(|&operand| self.heights[operand] + 1).max().unwrap_or(0);
                is_known[class] = true;
                pending.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Binary, Unary};
    use crate::simplify::language::Facts;

    fn variable(egraph: &mut Expressions, index: u32) -> (Id, Term) {
        let term = Term::new(Operator::Variable(index), &[]);
        (egraph.add(term), term)
    }

    fn binary(egraph: &mut Expressions, op: Binary, a: Id, b: Id) -> (Id, Term) {
        let term = Term::new(Operator::Binary(op), &[a, b]);
        (egraph.add(term), term)
    }

    #[test]
    fn prefers_what_is_shared_to_what_is_small() {
        let mut egraph = Expressions::new(Facts::default());
        let (x, y) = (variable(&mut egraph, 0), variable(&mut egraph, 1));
        let sum = binary(&mut egraph, Binary::Add, x.0, y.0);
        let sine = egraph.add(Term::new(Operator::Unary(Unary::Sin), &[sum.0]));
        let shared = binary(&mut egraph, Binary::Mul, sine, x.0);
        let other = binary(&mut egraph, Binary::Div, x.0, y.0);
        // A quotient costs 8 as a tree; the product costs 1, because its sine is needed anyway.
        egraph.union(shared.0, other.0);
        egraph.rebuild();
        let extracted = extract(&egraph, &[other.0, sine], &[x, y, other]);
        let has_division = extracted.terms.iter().any(|(operator, _)| *operator == Operator::Binary(Binary::Div));
        assert!(!has_division);
        assert_eq!(extracted.terms.len(), 5);
    }

    #[test]
    fn survives_cycles() {
        let mut egraph = Expressions::new(Facts::default());
        let x = variable(&mut egraph, 0);
        let one = egraph.add(Term::number(crate::expr::Number::ONE));
        let product = binary(&mut egraph, Binary::Mul, x.0, one);
        egraph.union(product.0, x.0);
        egraph.rebuild();
        let extracted = extract(&egraph, &[product.0], &[x, product]);
        assert_eq!(extracted.terms, vec![(Operator::Variable(0), vec![])]);
    }
}
