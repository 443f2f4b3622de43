//! The page of all schemes, which is part of the documentation of `hamel::schemes`, is what the registry says.

use hamel::Scheme;
use hamel::schemes::{
    self, Corrections, DormandPrince, Entry, FAMILIES, Family, Form, HalfExplicit, LinearMultistep, ModifiedEuler,
    Moreau, NewmarkPredictorCorrector, RungeKutta, RungeKuttaLike, SingleStep,
};

const HEAD: &str = "\
# Schemes

Each scheme by the name that `schemes::by_name` and `hamel run --scheme` take, with its parameters as they are given to \
`by_name` and to `hamel run --with`.
A type is given where a program can also make the scheme without its name.

| column | meaning |
|---|---|
| order | for smooth problems without constraints; `hht` and its modifications have theirs where M is constant, and are of \
first order where it varies, because they weight forces and not accelerations |
| positions, velocities | orders of coordinates, velocities and multipliers with constraints imposed on positions and on \
velocities, below `order` where constraints reduce it; – where the scheme is not defined or unstable |
| stages | systems of equations solved in a step, or evaluations of an explicit scheme |
| stability | for linear oscillators: stiff models need A-stable schemes, and L-stable ones also end their fast motion |
| contacts | integrates models with contacts |
| steps | chosen by a tolerance, with constraints on velocities unless told otherwise, or fixed alone |

`hamel list schemes` prints the same with sources; `runtime/tests/schemes_page.rs` keeps this page current.
";

/// Schemes that have a type of their own, and those types.
fn typed() -> Vec<(&'static str, Box<dyn Scheme>)> {
    let (beta, gamma) = (0.25, 0.5);
    let corrector = |corrections| Box::new(NewmarkPredictorCorrector { beta, gamma, corrections });
    let mut typed: Vec<(&'static str, Box<dyn Scheme>)> = vec![
        ("ModifiedEuler", Box::new(ModifiedEuler)),
        ("RungeKuttaLike", Box::new(RungeKuttaLike { form: Form::Corrected })),
        ("RungeKuttaLike", Box::new(RungeKuttaLike { form: Form::Printed })),
        ("NewmarkPredictorCorrector", corrector(Corrections::Fixed(3))),
        ("NewmarkPredictorCorrector", corrector(Corrections::Tolerance(1e-12))),
        ("RungeKutta", Box::new(RungeKutta)),
        ("DormandPrince", Box::new(DormandPrince)),
        ("Moreau", Box::new(Moreau)),
        ("HalfExplicit", Box::new(HalfExplicit)),
    ];
    for steps in 2..=4 {
        typed.push(("LinearMultistep", Box::new(LinearMultistep { steps, rho_infinity: 0.6 })));
        typed.push(("SingleStep", Box::new(SingleStep { steps, rho_infinity: 0.6 })));
    }
    typed
}

/// Types of all coefficients of a family.
const OF_FAMILIES: [(&str, &str); 3] = [
    ("diagonally implicit", "DiagonallyImplicit"),
    ("MSSTH as published", "DiagonallyImplicit"),
    ("coupled stages", "Coupled"),
];

fn type_of(family: &Family, entry: &Entry) -> String {
    let of_entry = typed().into_iter().find(|(_, scheme)| scheme.key() == Some(entry.name)).map(|(name, _)| name);
    let of_family = || OF_FAMILIES.iter().find(|(name, _)| *name == family.name).map(|(_, name)| *name);
    of_entry.or_else(of_family).map_or("–".to_owned(), |name| format!("`{name}`"))
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    let orders = |orders: Option<[u32; 3]>| orders.map_or("–".to_owned(), |[q, v, l]| format!("{q}, {v}, {l}"));
    for family in FAMILIES {
        page += &format!("\n## Family: {}\n\n", family.name);
        page +=
            "| name | type | parameters | order | positions | velocities | stages | stability | contacts | steps |\n";
        page += "|---|---|---|---|---|---|---|---|---|---|\n";
        for entry in family.entries {
            let scheme = entry.scheme(&[]).unwrap();
            let parameters: Vec<String> = entry.parameters.iter().map(|parameter| format!("`{parameter}`")).collect();
            let cells = [
                format!("`{}`", entry.name),
                type_of(family, entry),
                if parameters.is_empty() { "–".to_owned() } else { parameters.join(", ") },
                scheme.order().to_string(),
                orders(entry.index_3),
                orders(entry.index_2),
                scheme.stages().to_string(),
                entry.stability.to_string(),
                if scheme.carries_contacts() { "yes" } else { "–" }.to_owned(),
                if scheme.estimates_errors() { "chosen" } else { "fixed" }.to_owned(),
            ];
            page += &format!("| {} |\n", cells.join(" | "));
        }
    }
    page
}

#[test]
fn the_page_shows_the_registry() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schemes.md");
    if std::env::var_os("HAMEL_WRITE_PAGES").is_some() {
        std::fs::write(path, page()).unwrap();
    }
    let advice = "`HAMEL_WRITE_PAGES=1 cargo test -p hamel --no-default-features --features std --test tests schemes_page` writes it anew";
    let (shown, current) = (std::fs::read_to_string(path).unwrap(), page());
    for (shown, current) in shown.lines().zip(current.lines()) {
        assert_eq!(shown, current, "{advice}");
    }
    assert_eq!(shown, current, "{advice}");
}

#[test]
fn each_type_is_in_the_registry() {
    for (name, scheme) in typed() {
        let key = scheme.key().unwrap_or_default();
        let registered = schemes::by_name(key, &[]).unwrap();
        assert_eq!(registered.name(), scheme.name(), "{name}");
    }
}
