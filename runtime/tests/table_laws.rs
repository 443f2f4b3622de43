//! Laws of every table of coefficients, over a grid of ρ∞: a new entry of the registry is covered by all of them.

use hamel::schemes::{self, Stability};
use hamel::tables::{self, Multistep, Range, SingleStep, TableError, Tableau};
use nalgebra::{Complex, DMatrix, DVector};

/// A Runge-Kutta scheme and what it promises.
struct Member {
    name: String,
    rho: Option<f64>,
    tableau: Tableau,
    order: u32,
    /// Order for linear problems, where it is higher.
    linear_order: u32,
    at_infinity: f64,
}

/// γ₀ of the estimate of Radau IIA is the real eigenvalue of its matrix, and the weights are those of its source for the
/// increments of the stages, `γ₀/3 (−13 − 7√6, −13 + 7√6, −1)`.
#[test]
fn the_estimate_of_radau_is_that_of_its_source() {
    let (gamma, weights) = tables::radau_iia5_estimate();
    let matrix = DMatrix::from_fn(3, 3, |i, j| tables::radau_iia5().matrix[i][j]);
    assert!((matrix.clone() - DMatrix::identity(3, 3) * gamma).determinant().abs() < 1e-16);
    assert!((1.0 / gamma - 3.637_834_252_744_496).abs() < 1e-14);
    // Increments are the matrix times the rates.
    let increments = matrix.transpose().lu().solve(&DVector::from_row_slice(&weights)).unwrap() * (3.0 / gamma);
    for (found, expected) in increments.iter().zip([-30.146_428_199_482_2, 4.146_428_199_482_2, -1.0]) {
        assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
    }
}

/// Grid values, values between them, and both ends.
const RHO: [f64; 16] = [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.6, 0.65, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0];

/// What ρ∞ may be, where a scheme has it.
fn rho_infinity(entry: &schemes::Entry) -> Option<Range> {
    entry.parameters.iter().find(|parameter| parameter.name == "rho_infinity").map(|parameter| parameter.range)
}

/// The Runge-Kutta schemes of the registry, and tables that no scheme there uses.
fn members() -> Vec<Member> {
    let mut members = Vec::new();
    for entry in schemes::entries() {
        let tunable = rho_infinity(entry);
        let is_tunable = tunable.is_some();
        let values = match tunable {
            Some(range) => RHO.into_iter().filter(|&rho| range.contains(rho)).collect(),
            None => vec![f64::NAN],
        };
        for rho in values {
            let parameters = [("rho_infinity", rho)];
            let scheme = entry.scheme(if is_tunable { &parameters } else { &[] }).unwrap();
            let Some(tableau) = scheme.tableau() else { continue };
            let limit = match entry.stability {
                Stability::Stiff => 0.0,
                _ if is_tunable => rho,
                _ => 1.0,
            };
            members.push(Member {
                name: entry.name.to_owned(),
                rho: is_tunable.then_some(rho),
                order: scheme.order(),
                linear_order: if entry.name == "ed_alpha" { 3 } else { scheme.order() },
                at_infinity: sign_at_infinity(entry.name) * limit,
                tableau: tableau.clone(),
            });
        }
    }
    let infinite = f64::INFINITY;
    for (name, tableau, order, at_infinity) in [
        ("runge_kutta4", tables::runge_kutta4(), 4, infinite),
        ("dormand_prince", tables::dormand_prince(), 5, infinite),
        ("gauss", tables::gauss(), 6, -1.0),
    ] {
        let name = name.to_owned();
        members.push(Member { name, rho: None, tableau, order, linear_order: order, at_infinity });
    }
    members
}

/// Whether infinitely fast motion alternates.
fn sign_at_infinity(name: &str) -> f64 {
    if ["trapezoidal", "msstc3", "msstc5", "mssth5", "mssth5_published"].contains(&name) { -1.0 } else { 1.0 }
}

impl Member {
    fn label(&self) -> String {
        self.rho.map_or(self.name.clone(), |rho| format!("{} (ρ∞ = {rho})", self.name))
    }

    /// Rounding errors grow with the coefficients.
    fn size(&self) -> f64 {
        self.tableau.matrix.iter().flatten().fold(1.0, |size, a| a.abs().max(size))
    }
}

fn assert_near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found} instead of {expected} ± {tolerance:e}");
}

#[test]
fn stages_are_consistent() {
    for member in members() {
        let tableau = &member.tableau;
        for (row, node) in tableau.matrix.iter().zip(&tableau.nodes) {
            assert_near(row.iter().sum(), *node, 4e-15 * member.size(), &member.label());
        }
        assert!(tableau.nodes.iter().chain(&tableau.weights).all(|value| value.is_finite()), "{}", member.label());
        if let Some(embedded) = &tableau.embedded {
            assert_near(embedded.iter().sum(), 1.0, 1e-14, &member.label());
        }
    }
}

/// A rooted tree as the trees that hang on its root, in no particular order.
#[derive(Clone)]
struct Tree(Vec<Tree>);

impl Tree {
    fn nodes(&self) -> u32 {
        1 + self.0.iter().map(Tree::nodes).sum::<u32>()
    }

    /// γ(t), the density.
    fn density(&self) -> f64 {
        f64::from(self.nodes()) * self.0.iter().map(Tree::density).product::<f64>()
    }

    /// The product over the root's branches of A times their elementary weights, per stage.
    fn stage_weights(&self, tableau: &Tableau) -> Vec<f64> {
        let mut product = vec![1.0; tableau.stages()];
        for branch in &self.0 {
            let inner = branch.stage_weights(tableau);
            for (value, row) in product.iter_mut().zip(&tableau.matrix) {
                *value *= row.iter().zip(&inner).map(|(a, w)| a * w).sum::<f64>();
            }
        }
        product
    }

    fn is_tall(&self) -> bool {
        self.0.len() <= 1 && self.0.iter().all(Tree::is_tall)
    }
}

/// All rooted trees with so many nodes: a forest of one node less, hung on a root.
fn trees(nodes: u32) -> Vec<Tree> {
    let all: Vec<Tree> = (1..nodes).flat_map(trees).collect();
    forests(nodes - 1, &all).into_iter().map(Tree).collect()
}

/// Multisets of trees with so many nodes in total; taking trees in the order of the list counts each once.
fn forests(nodes: u32, choice: &[Tree]) -> Vec<Vec<Tree>> {
    if nodes == 0 {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for (index, tree) in choice.iter().enumerate().filter(|(_, tree)| tree.nodes() <= nodes) {
        for mut forest in forests(nodes - tree.nodes(), &choice[index..]) {
            forest.push(tree.clone());
            found.push(forest);
        }
    }
    found
}

/// What is left of the order condition of a tree.
fn defect(tableau: &Tableau, weights: &[f64], tree: &Tree) -> f64 {
    let weighted: f64 = weights.iter().zip(tree.stage_weights(tableau)).map(|(b, w)| b * w).sum();
    (weighted - 1.0 / tree.density()).abs()
}

#[test]
fn rooted_trees_are_counted() {
    let counts: Vec<usize> = (1..=7).map(|nodes| trees(nodes).len()).collect();
    assert_eq!(counts, [1, 1, 2, 4, 9, 20, 48]);
}

#[test]
fn order_conditions_hold_up_to_the_order_and_not_beyond() {
    for member in members() {
        let tableau = &member.tableau;
        let largest = |weights: &[f64], order: u32| {
            let all = trees(order);
            all.iter().map(|tree| defect(tableau, weights, tree)).fold(0.0, f64::max)
        };
        let tolerance = 1e-14 * member.size();
        for order in 1..=member.order {
            assert_near(largest(&tableau.weights, order), 0.0, tolerance, &format!("{}, {order}", member.label()));
        }
        assert!(largest(&tableau.weights, member.order + 1) > 1e-6, "{}: order too low", member.label());
        for order in member.order..=member.linear_order {
            for tree in trees(order).iter().filter(|tree| tree.is_tall()) {
                assert_near(defect(tableau, &tableau.weights, tree), 0.0, tolerance, &member.label());
            }
        }
        if let Some(embedded) = &tableau.embedded {
            let order = member.order - 1;
            for order in 1..=order {
                assert_near(largest(embedded, order), 0.0, 1e-14, &format!("{}, embedded", member.label()));
            }
            assert!(largest(embedded, order + 1) > 1e-6, "{}: embedded order too low", member.label());
        }
    }
}

#[test]
fn stages_from_the_second_have_second_order() {
    for member in members().iter().filter(|m| m.order >= 3 && m.tableau.has_explicit_first_stage()) {
        if member.tableau.is_explicit() {
            continue;
        }
        for (row, c) in member.tableau.matrix.iter().zip(&member.tableau.nodes) {
            let moment: f64 = row.iter().zip(&member.tableau.nodes).map(|(a, c)| a * c).sum();
            assert_near(moment, 0.5 * c * c, 1e-14 * member.size(), &member.label());
        }
    }
}

#[test]
fn last_stages_are_the_end_of_the_step() {
    for member in members() {
        let expected = !["runge_kutta4", "gauss"].contains(&&*member.name);
        assert_eq!(member.tableau.is_stiffly_accurate(), expected, "{}", member.label());
    }
}

#[test]
fn the_factor_of_a_step_has_its_limit_at_infinity() {
    for member in members() {
        let found = member.tableau.at_infinity();
        if member.at_infinity.is_infinite() {
            assert!(found.is_infinite(), "{}", member.label());
            continue;
        }
        assert_near(found, member.at_infinity, 1e-13 * member.size().powi(2), &member.label());
        let far = member.tableau.stability(Complex::new(0.0, 1e9));
        assert_near(far.re, member.at_infinity, 1e-6, &member.label());
        assert_near(far.im, 0.0, 1e-6, &member.label());
    }
}

#[test]
fn implicit_schemes_are_stable_for_every_frequency() {
    for member in members().iter().filter(|member| !member.tableau.is_explicit()) {
        for index in 0..=1800 {
            let omega = 10f64.powf(-3.0 + f64::from(index) / 200.0);
            let radius = member.tableau.stability(Complex::new(0.0, omega)).norm();
            assert!(radius <= 1.0 + 1e-12, "{}: {radius} at Ω = {omega}", member.label());
        }
    }
}

/// The members that stand in the data file, flattened as there.
fn flattened(name: &str, rho: Option<f64>) -> Vec<f64> {
    let rho = rho.unwrap_or(f64::NAN);
    let steps = |names: [&str; 3]| names.iter().position(|&other| other == name).map(|place| place + 2);
    if let Some(r) = steps(["lms2", "lms3", "lms4"]) {
        let Multistep { alpha, beta } = tables::lms(r, rho).unwrap();
        return [alpha, beta].concat();
    }
    if let Some(r) = steps(["ss2", "ss3", "ss4"]) {
        let scheme: SingleStep = tables::ss(r, rho).unwrap();
        let odd = scheme.gamma.iter().skip(1).step_by(2).flat_map(|gamma| [gamma.re, gamma.im]);
        return odd.chain([scheme.b_new, scheme.b_old]).collect();
    }
    let all = members();
    let member = all.iter().find(|member| member.name == name && (member.rho == Some(rho) || rho.is_nan())).unwrap();
    let tableau = &member.tableau;
    let is_lower = tableau.is_diagonally_implicit();
    let rows = tableau.matrix.iter().enumerate();
    let matrix = rows.flat_map(|(i, row)| if is_lower { &row[..=i] } else { &row[..] });
    tableau.nodes.iter().chain(matrix).chain(tableau.embedded.iter().flatten()).copied().collect()
}

#[test]
fn coefficients_have_the_digits_of_an_independent_study() {
    let lines = include_str!("data/tables.txt").lines().filter(|line| !line.starts_with('#'));
    for line in lines {
        let mut words = line.split_whitespace();
        let (name, rho) = (words.next().unwrap(), words.next().unwrap());
        let expected: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
        let found = flattened(name, rho.parse().ok());
        assert_eq!(found.len(), expected.len(), "{name} {rho}");
        let size = expected.iter().fold(1.0_f64, |size, value| value.abs().max(size));
        // Nodes of MSSTH nearly cross, where the last digit of a node is amplified.
        let tolerance =
            if ["mssth3_published", "mssth4_published", "mssth5_published"].contains(&name) { 2e-13 } else { 2e-15 };
        for (found, expected) in found.iter().zip(&expected) {
            assert_near(*found, *expected, tolerance * size * size, &format!("{name} {rho}"));
        }
    }
}

/// Beside a value that is published as anywhere else: a difference quotient of a step of 10⁻⁹ sees a jump of 10⁻⁷.
#[test]
fn coefficients_are_smooth_functions_of_the_spectral_radius() {
    let coefficients = |entry: &schemes::Entry, rho: f64| -> Vec<f64> {
        let scheme = entry.scheme(&[("rho_infinity", rho)]).unwrap();
        let tableau = scheme.tableau().unwrap();
        tableau.matrix.iter().flatten().chain(&tableau.nodes).copied().collect()
    };
    // Largest coefficient and largest rate over [0, 1], where they are above one.
    let bounds = [("mssth3", 3.0, 6.0), ("mssth4", 1.15, 1.0), ("mssth5", 6.1, 40.0)];
    let mut bounded = 0;
    for entry in schemes::entries() {
        let is_continuous = rho_infinity(entry).is_some_and(|range| range.step.is_none());
        if !is_continuous || entry.scheme(&[]).unwrap().tableau().is_none() {
            continue;
        }
        bounded += 1;
        let (mut largest, mut rate) = (0.0_f64, 0.0_f64);
        for index in 0..1000 {
            let rho = f64::from(index) / 1000.0;
            let here = coefficients(entry, rho);
            largest = here.iter().fold(largest, |largest, value| value.abs().max(largest));
            for step in [1e-9, 1e-6, 1e-3] {
                let there = coefficients(entry, rho + step);
                rate = there.iter().zip(&here).fold(rate, |rate, (new, old)| ((new - old) / step).abs().max(rate));
            }
        }
        let bound = bounds.iter().find(|bound| bound.0 == entry.name).map_or((1.0, 1.0), |b| (b.1, b.2));
        assert!(largest <= bound.0 && rate <= bound.1, "{}: coefficients {largest}, rates {rate}", entry.name);
    }
    assert_eq!(bounded, 8, "Runge-Kutta schemes with ρ∞");
}

#[test]
fn parameters_out_of_range_are_refused() {
    for rho in [-1e-3, 1.001, f64::NAN, f64::INFINITY] {
        assert!(tables::rho_bathe(rho).is_err());
        assert!(tables::ed_alpha(rho, 1.0 / 6.0).is_err());
        assert!(tables::ed_alpha(0.5, rho).is_err());
        assert!(tables::lms2_variable(rho, 1.0).is_err());
        for n in 3..=5 {
            assert!(tables::msstc(n, rho).is_err() && tables::mssth(n, rho).is_err());
            assert!(tables::mssth_published(n, rho).is_err());
        }
        for r in 2..=4 {
            assert!(tables::lms(r, rho).is_err() && tables::ss(r, rho).is_err());
        }
    }
    assert!(tables::lms2_variable(0.5, 0.0).is_err());
    assert!(matches!(tables::msstc(6, 0.5), Err(TableError::NoMember { count: 6, .. })));
    let message = |error: TableError| error.to_string();
    assert_eq!(message(tables::lms(2, 1.5).unwrap_err()), "ρ∞ must lie in [0, 1], but is 1.5");
    let published = tables::mssth_published(4, 0.25).unwrap_err();
    assert_eq!(message(published), "ρ∞ must lie in [0, 1] in steps of 0.1, but is 0.25");
    assert!(tables::mssth_published(4, 0.3 + 1e-9).is_err());
}
