//! The code of a model does not grow with the number of its equal members.

use hamel_compiler::{Stages, stages};
use proc_macro2::TokenStream;
use syn::visit::Visit;

/// A chain in absolute coordinates, in space and in the plane, four-bars, and a beam.
const MODELS: [&str; 4] = [
    "pub model Chain {
        coordinates absolute;
        gravity [0, 0, -9.81] m/s^2;
        for k in 0..COUNT { body link[k] { mass: 1 kg, inertia: diag(0.1, 1, 1) kg m^2 } }
        joint anchor: spherical(ground, link[0] at [-1, 0, 0] m);
        for k in 1..COUNT { joint pin[k]: spherical(link[k - 1] at [1, 0, 0] m, link[k] at [-1, 0, 0] m); }
    }",
    "pub model Chain {
        planar;
        coordinates absolute;
        param length = 0.1 m;
        gravity [0, -9.81] m/s^2;
        for k in 0..COUNT { body link[k] { mass: 1 kg, inertia: 1 kg m^2 } }
        joint anchor: revolute(ground, link[0] at [-length, 0]);
        for k in 1..COUNT { joint pin[k]: revolute(link[k - 1] at [length, 0], link[k] at [-length, 0]); }
    }",
    "pub model FourBars {
        planar;
        coordinates absolute;
        gravity [0, -9.81] m/s^2;
        for k in 0..=COUNT { body rod[k] { mass: 1 kg, inertia: 1 kg m^2 } }
        for k in 0..COUNT { body coupler[k] { mass: 1 kg, inertia: 1 kg m^2 } }
        for k in 0..=COUNT { joint foot[k]: revolute(ground at [k * 2 m, 0], rod[k] at [0, -1] m); }
        for k in 0..COUNT {
            joint left[k]: revolute(rod[k] at [0, 1] m, coupler[k] at [-1, 0] m);
            joint right[k]: revolute(coupler[k] at [1, 0] m, rod[k + 1] at [0, 1] m);
        }
    }",
    "pub model Beam {
        gravity [0, 0, -9.81] m/s^2;
        flexible beam: beam_three_node {
            length: 1 m, elements: COUNT, axial: 1 MN, shear: [1, 1] MN, torsion: 80 N m^2, bending: [100, 100] N m^2,
            mass_per_length: 1 kg/m, inertia_per_length: [2e-4, 1e-4, 1e-4] kg m,
        }
        joint clamp: fixed(ground, beam.root);
    }",
];

/// A chain whose links have parameters of their own.
const UNEQUAL: &str = "pub model Chain {
    planar;
    coordinates absolute;
    param lengths = [0.1; COUNT] m;
    gravity [0, -9.81] m/s^2;
    for k in 0..COUNT { body link[k] { mass: 1 kg, inertia: 1 kg m^2 } }
    joint anchor: revolute(ground, link[0] at [-lengths[0], 0]);
    for k in 1..COUNT { joint pin[k]: revolute(link[k - 1] at [lengths[k], 0], link[k] at [-lengths[k], 0]); }
}";

fn code(model: &str, n: usize) -> TokenStream {
    let text = model.replace("COUNT", &n.to_string());
    stages(text.parse().expect("the model lexes"))
        .and_then(|stages| stages.code())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The text without the digits of its numbers.
fn without_digits(text: &str) -> String {
    let words = text.split(|c: char| c.is_ascii_digit()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("#")
}

#[test]
fn more_equal_members_differ_in_digits_alone() {
    for model in MODELS {
        let [short, long] = [16, 64].map(|n| code(model, n).to_string());
        assert!(short.len() > 10_000, "{}", short.len());
        assert!(long.len() - short.len() < short.len() / 50, "{} and {}", short.len(), long.len());
        assert_eq!(without_digits(&short), without_digits(&long));
    }
}

/// Where the short one lists its members and the long one has a rule, functions are as many as before.
#[test]
fn a_longer_chain_has_the_same_kernels() {
    let [short, long] = [10, 100].map(|n| {
        let text = include_str!("pass/chain.model").replace("const n = 5;", &format!("const n = {n};"));
        stages(text.parse().expect("the model lexes")).unwrap_or_else(|error| panic!("{error}"))
    });
    assert_eq!(short.simplified.kernels.len(), long.simplified.kernels.len());
    assert_eq!(long.simplified.instances.len(), 100 + 100 + 2 - 1);
    let count = |stages: &Stages| stages.code().unwrap().to_string().matches("fn ").count();
    assert_eq!(count(&short), count(&long));
}

/// Functions of the generated modules and methods of the model; what computes the constants and the reference
/// configuration of all members is data in the shape of code.
#[derive(Default)]
struct Functions(Vec<String>);

impl Functions {
    fn keep(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let is_table = signature.ident == "reference_configuration"
            || ["new", "default", "set", "components"].contains(&signature.ident.to_string().as_str());
        if !is_table {
            self.0.push(quote::quote!(#signature #block).to_string());
        }
    }
}

impl Visit<'_> for Functions {
    fn visit_item_fn(&mut self, function: &syn::ItemFn) {
        self.keep(&function.sig, &function.block);
    }

    fn visit_impl_item_fn(&mut self, function: &syn::ImplItemFn) {
        self.keep(&function.sig, &function.block);
    }
}

fn functions(model: &str, n: usize) -> Vec<String> {
    let file: syn::File = syn::parse2(code(model, n)).expect("the code is Rust");
    let mut functions = Functions::default();
    functions.visit_file(&file);
    functions.0
}

#[test]
fn members_with_their_own_parameters_have_the_same_functions() {
    let (short, long) = (functions(UNEQUAL, 20), functions(UNEQUAL, 40));
    assert!(short.len() > 20, "{}", short.len());
    assert_eq!(short, long);
}
