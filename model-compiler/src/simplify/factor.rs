//! Greedy extraction of common factors and common sums, known as *fast extract* in logic synthesis.
//!
//! Candidates are products of two literals and sums of two products (double-cube divisors) that occur in more than one
//! place of the sums of products. The best one becomes an expression of its own, repeatedly. Gains count only
//! operations of each step; a sum or product that exists already is used instead of a new one.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::pairs::{Change, Factors, Pairing, Split, SumKey, find_sum, literal_pairs, without_pair};
use super::polynomial::{Cube, LiteralId, Polynomials, SumId, Term};
use crate::expr::{ExprId, Graph};

/// Which of equally good candidates is extracted. Neither order is better for all functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Ties {
    /// Sums before products, then the candidate that was found first.
    SumsFirst,
    /// The candidate that was found last, so that new extractions build on the last one.
    LatestFirst,
}

/// Factors sums of products; the result has the symbols of `like`.
pub(super) fn factor(polynomials: Polynomials, like: &Graph, ties: Ties) -> (Graph, Vec<ExprId>) {
    let mut extraction = Extraction::new(polynomials, ties);
    extraction.run();
    extraction.polynomials.to_graph(like)
}

/// Sums of more terms than this are not searched for pairs.
const MAX_TERMS: usize = 400;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct CandidateId(u32);

/// An expression that could be extracted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Candidate {
    /// A product of two literals.
    Product(LiteralId, LiteralId),
    /// A sum of two products.
    Sum(SumKey),
}

/// Whether terms are added to a sum or removed from it.
#[derive(Clone, Copy)]
enum Direction {
    Enter,
    Leave,
}

/// Where a candidate occurs in a sum.
#[derive(Clone, Copy)]
struct Occurrence {
    candidate: CandidateId,
    relation: Relation,
}

#[derive(Clone, Copy)]
enum Relation {
    /// The sum would become cheaper by this much.
    Use { gain: i32 },
    /// The sum is the candidate itself, or its negative.
    Provider { is_negative: bool },
}

/// Data of a candidate. There are many, most of them in one place only, so what few have is kept apart.
struct Tally {
    /// What it costs to compute.
    cost: i32,
    gain_of_uses: i32,
    /// The gain for which it is in the queue; it is not there where this is zero.
    queued_gain: i64,
    /// One of the sums that use it.
    user: Option<SumId>,
    rest: Option<Box<Rest>>,
}

#[derive(Default)]
struct Rest {
    /// All other sums that use a candidate, with multiplicity.
    users: Vec<SumId>,
    /// The sums that are the candidate, or its negative.
    providers: BTreeSet<(SumId, bool)>,
}

impl Tally {
    /// The sums that use it, with multiplicity.
    fn users(&self) -> impl Iterator<Item = SumId> + '_ {
        self.user.into_iter().chain(self.rest.iter().flat_map(|rest| rest.users.iter().copied()))
    }

    /// The first of the sums that are the candidate, or its negative.
    fn provider(&self) -> Option<(SumId, bool)> {
        self.providers().next()
    }

    /// The sums that are the candidate, or its negative.
    fn providers(&self) -> impl Iterator<Item = (SumId, bool)> + '_ {
        self.rest.iter().flat_map(|rest| rest.providers.iter().copied())
    }

    fn add_user(&mut self, sum: SumId) {
        match self.user {
            None => self.user = Some(sum),
            Some(_) => self.rest.get_or_insert_default().users.push(sum),
        }
    }

    fn remove_user(&mut self, sum: SumId) {
        let others = self.rest.as_deref_mut().map(|rest| &mut rest.users);
        if self.user == Some(sum) {
            self.user = others.and_then(Vec::pop);
        } else if let Some(others) = others
            && let Some(position) = others.iter().position(|&other| other == sum)
        {
            others.swap_remove(position);
        }
    }
}

/// The place of a candidate in the queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    gain: Reverse<i64>,
    tie: u32,
    candidate: CandidateId,
}

struct Extraction {
    polynomials: Polynomials,
    candidates: IndexSet<Candidate, FxBuildHasher>,
    tallies: Vec<Tally>,
    ties: Ties,
    /// Candidates worth extracting, the best one first.
    queue: BTreeSet<Place>,
    /// Candidates whose place in the queue may have changed.
    touched: Vec<CandidateId>,
}

impl Extraction {
    fn new(polynomials: Polynomials, ties: Ties) -> Extraction {
        let live = polynomials.reachable();
        let mut extraction = Extraction {
            polynomials,
            candidates: IndexSet::default(),
            tallies: Vec::new(),
            ties,
            queue: BTreeSet::new(),
            touched: Vec::new(),
        };
        for sum in live {
            extraction.enter(sum);
        }
        extraction.update_queue();
        extraction
    }

    fn run(&mut self) {
        while let Some(&Place { candidate: best, .. }) = self.queue.first() {
            let is_replaced = match self.candidates[best.0 as usize] {
                Candidate::Product(a, b) => self.extract_product(best, a, b),
                Candidate::Sum(key) => self.extract_sum(best, key),
            };
            self.update_queue();
            if !is_replaced {
                // Overlapping occurrences were counted more than once; their gain has been realised already.
                self.dequeue(best);
            }
        }
    }

    fn extract_product(&mut self, candidate: CandidateId, a: LiteralId, b: LiteralId) -> bool {
        let (literal, provider, is_negative) = self.definition(candidate, || vec![Term::new(false, vec![a, b])]);
        self.rewrite_users(candidate, provider, |terms, _| {
            let mut count = 0;
            for term in terms.iter_mut() {
                while let Some(mut cube) = without_pair(&term.cube, a, b) {
                    cube.push(literal);
                    *term = Term::new(term.is_negative ^ is_negative, cube);
                    count += 1;
                }
            }
            count
        })
    }

    fn extract_sum(&mut self, candidate: CandidateId, key: SumKey) -> bool {
        let Some((left, right)) = self.products_of(candidate, key) else { return false };
        let definition = || vec![Term::new(false, left.clone()), Term::new(key.is_difference, right.clone())];
        let (literal, provider, is_negative) = self.definition(candidate, definition);
        self.rewrite_users(candidate, provider, |terms, polynomials| {
            let mut count = 0;
            while let Some(found) = find_sum(terms, key, (&left, &right), polynomials) {
                terms.swap_remove(found.second);
                terms.swap_remove(found.first);
                let mut cube = found.base;
                cube.push(literal);
                terms.push(Term::new(found.is_negative ^ is_negative, cube));
                count += 1;
            }
            count
        })
    }

    /// Both products of a candidate, from a place where it occurs.
    fn products_of(&self, candidate: CandidateId, key: SumKey) -> Option<(Cube, Cube)> {
        let tally = &self.tallies[candidate.0 as usize];
        let providers = tally.providers().map(|(provider, _)| provider);
        providers.chain(tally.users()).find_map(|sum| {
            let terms = &self.polynomials.sums[sum.index()];
            let hashes: Vec<u64> = terms.iter().map(Term::hash).collect();
            terms.iter().enumerate().find_map(|(k, first)| {
                let rest = terms.iter().zip(&hashes).skip(k + 1);
                let mut candidates =
                    rest.filter(|&(_, &hash)| key.may_be_of(hashes[k], hash)).map(|(second, _)| second);
                let second = candidates.find(|second| Pairing::of(first, second, &self.polynomials).key == key)?;
                let split = Split::of(&first.cube, &second.cube);
                let is_swapped = Pairing::of(first, second, &self.polynomials).is_swapped;
                Some(if is_swapped { (split.right, split.left) } else { (split.left, split.right) })
            })
        })
    }

    /// The literal of an extracted expression, the sum that it represents, and whether that is its negative.
    fn definition(&mut self, candidate: CandidateId, terms: impl Fn() -> Vec<Term>) -> (LiteralId, SumId, bool) {
        let provider = self.tallies[candidate.0 as usize].provider();
        let (sum, is_negative) = provider.unwrap_or_else(|| {
            let mut terms = terms();
            terms.sort_unstable();
            let sum = self.polynomials.push_sum(terms);
            self.enter(sum);
            (sum, false)
        });
        (self.polynomials.sum_literal(sum), sum, is_negative)
    }

    /// Rewrites every sum that uses a candidate; whether anything was found to rewrite.
    fn rewrite_users(
        &mut self,
        candidate: CandidateId,
        provider: SumId,
        rewrite: impl Fn(&mut Vec<Term>, &Polynomials) -> usize,
    ) -> bool {
        let mut users: Vec<SumId> = self.tallies[candidate.0 as usize].users().collect();
        users.sort_unstable();
        users.dedup();
        let mut count = 0;
        for user in users.into_iter().filter(|&user| user != provider) {
            let mut terms = self.polynomials.sums[user.index()].clone();
            count += rewrite(&mut terms, &self.polynomials);
            terms.sort_unstable();
            self.replace(user, terms);
        }
        count > 0
    }

    /// Replaces the terms of a sum, and updates the counts of candidates in the terms that differ.
    fn replace(&mut self, sum: SumId, terms: Vec<Term>) {
        let old = std::mem::take(&mut self.polynomials.sums[sum.index()]);
        let change = Change::between(&old, &terms);
        // Sums of one or two terms may provide a candidate; longer ones only use candidates, pair by pair.
        if change.kept.len() > 2 {
            self.tally_terms(sum, &change.removed, &change.kept, Direction::Leave);
            self.tally_terms(sum, &change.added, &change.kept, Direction::Enter);
        } else {
            self.tally_terms(sum, &old.iter().collect::<Vec<_>>(), &[], Direction::Leave);
            self.tally_terms(sum, &terms.iter().collect::<Vec<_>>(), &[], Direction::Enter);
        }
        self.polynomials.sums[sum.index()] = terms;
    }

    /// Counts all candidates in a sum.
    fn enter(&mut self, sum: SumId) {
        let terms = std::mem::take(&mut self.polynomials.sums[sum.index()]);
        self.tally_terms(sum, &terms.iter().collect::<Vec<_>>(), &[], Direction::Enter);
        self.polynomials.sums[sum.index()] = terms;
    }

    /// Counts candidates in `terms`, and in pairs of one of them and another term of the same sum.
    fn tally_terms(&mut self, sum: SumId, terms: &[&Term], others: &[&Term], direction: Direction) {
        let count = terms.len() + others.len();
        for term in terms {
            let is_provider = count == 1 && term.cube.len() == 2;
            for (a, b, multiplicity) in literal_pairs(&term.cube) {
                let is_free = !self.polynomials.is_hot(a) && !self.polynomials.is_hot(b);
                let candidate = self.candidate(Candidate::Product(a, b), i32::from(!is_free));
                let relation = if is_provider {
                    Relation::Provider { is_negative: term.is_negative }
                } else {
                    Relation::Use { gain: multiplicity as i32 }
                };
                self.tally(sum, Occurrence { candidate, relation }, direction);
            }
        }
        if count > MAX_TERMS {
            return;
        }
        for (k, first) in terms.iter().enumerate() {
            for second in terms[k + 1..].iter().chain(others) {
                let occurrence = self.sum_occurrence(first, second, count);
                self.tally(sum, occurrence, direction);
            }
        }
    }

    fn tally(&mut self, sum: SumId, occurrence: Occurrence, direction: Direction) {
        let tally = &mut self.tallies[occurrence.candidate.0 as usize];
        match (occurrence.relation, direction) {
            (Relation::Use { gain }, Direction::Enter) => {
                tally.gain_of_uses += gain;
                tally.add_user(sum);
            }
            (Relation::Use { gain }, Direction::Leave) => {
                tally.gain_of_uses -= gain;
                tally.remove_user(sum);
            }
            (Relation::Provider { is_negative }, Direction::Enter) => {
                tally.rest.get_or_insert_default().providers.insert((sum, is_negative));
            }
            (Relation::Provider { is_negative }, Direction::Leave) => {
                if let Some(rest) = &mut tally.rest {
                    rest.providers.remove(&(sum, is_negative));
                }
            }
        }
        self.touched.push(occurrence.candidate);
    }

    fn sum_occurrence(&mut self, first: &Term, second: &Term, terms: usize) -> Occurrence {
        let pairing = Pairing::of(first, second, &self.polynomials);
        let is_provider = pairing.base == Factors::default() && terms == 2;
        let relation = if is_provider {
            let carrier = if pairing.is_swapped { second } else { first };
            Relation::Provider { is_negative: carrier.is_negative }
        } else {
            Relation::Use { gain: pairing.gain() }
        };
        Occurrence { candidate: self.candidate(Candidate::Sum(pairing.key), pairing.cost()), relation }
    }

    fn gain(&self, candidate: CandidateId) -> i64 {
        let tally = &self.tallies[candidate.0 as usize];
        if tally.user.is_none() {
            return 0;
        }
        if matches!(self.candidates[candidate.0 as usize], Candidate::Product(..)) && tally.cost == 0 {
            // Products of parameters cost nothing and shorten others; they are preferred among equals.
            return 2 * i64::from(tally.gain_of_uses) + 1;
        }
        let cost = if tally.provider().is_none() { tally.cost } else { 0 };
        2 * (i64::from(tally.gain_of_uses) - i64::from(cost))
    }

    fn update_queue(&mut self) {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        for &candidate in &touched {
            let gain = self.gain(candidate).max(0);
            let queued = self.tallies[candidate.0 as usize].queued_gain;
            if gain != queued {
                self.dequeue(candidate);
                if gain > 0 {
                    self.queue.insert(self.place(candidate, gain));
                }
                self.tallies[candidate.0 as usize].queued_gain = gain;
            }
        }
        touched.clear();
        self.touched = touched;
    }

    fn dequeue(&mut self, candidate: CandidateId) {
        let gain = std::mem::take(&mut self.tallies[candidate.0 as usize].queued_gain);
        if gain > 0 {
            self.queue.remove(&self.place(candidate, gain));
        }
    }

    fn place(&self, candidate: CandidateId, gain: i64) -> Place {
        let CandidateId(age) = candidate;
        let is_product = matches!(self.candidates[age as usize], Candidate::Product(..));
        let tie = match self.ties {
            Ties::SumsFirst => u32::from(is_product),
            Ties::LatestFirst => u32::MAX - age,
        };
        Place { gain: Reverse(gain), tie, candidate }
    }

    fn candidate(&mut self, candidate: Candidate, cost: i32) -> CandidateId {
        let (index, is_new) = self.candidates.insert_full(candidate);
        if is_new {
            self.tallies.push(Tally { cost, gain_of_uses: 0, queued_gain: 0, user: None, rest: None });
        }
        CandidateId(index as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::field::are_equal;
    use crate::expr::{Operations, Stage};
    use crate::simplify::reading::Form;

    fn factored(graph: &Graph, roots: &[ExprId]) -> (Graph, Vec<ExprId>) {
        factor(Polynomials::from_graph(graph, roots, Form::Derived), graph, Ties::SumsFirst)
    }

    #[test]
    fn extracts_a_common_factor() {
        let mut graph = Graph::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| graph.symbol(name, Stage::Position));
        let products = [graph.mul(a, c), graph.mul(a, d), graph.mul(b, c), graph.mul(b, d)];
        let root = graph.sum(&products);
        let (factored, roots) = factored(&graph, &[root]);
        assert_eq!(Operations::of(&factored, &roots).weight(), 3);
        assert!(are_equal((&graph, &[root]), (&factored, &roots)));
    }

    #[test]
    fn keeps_parameters_together() {
        let mut graph = Graph::new();
        let [m, r] = ["m", "r"].map(|name| graph.symbol(name, Stage::Parameter));
        let [x, y] = ["x", "y"].map(|name| graph.symbol(name, Stage::Position));
        let (mx, ry) = (graph.mul(m, x), graph.mul(r, y));
        let root = graph.mul(mx, ry);
        let (factored, roots) = factored(&graph, &[root]);
        assert_eq!(Operations::hot(&factored, &roots).weight(), 2);
    }

    #[test]
    fn uses_an_existing_sum() {
        let mut graph = Graph::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| graph.symbol(name, Stage::Position));
        let sum = graph.add(a, b);
        let (ac, bc) = (graph.mul(a, c), graph.mul(b, c));
        let root = graph.add(ac, bc);
        let (factored, roots) = factored(&graph, &[sum, root]);
        assert_eq!(Operations::of(&factored, &roots).weight(), 2);
    }

    #[test]
    fn divides_once_by_a_shared_divisor() {
        let mut graph = Graph::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| graph.symbol(name, Stage::Position));
        let roots = [graph.div(a, c), graph.div(b, c)];
        let (factored, factored_roots) = factored(&graph, &roots);
        assert_eq!(Operations::of(&factored, &factored_roots).weight(), 10);
    }
}
