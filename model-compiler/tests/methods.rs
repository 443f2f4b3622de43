//! The implementation of a model has the methods that the model needs, and leaves those to the runtime that it does not.

use std::collections::BTreeSet;
use std::path::Path;

use hamel_compiler::derive::{Equations, derive};
use hamel_compiler::emit::{Header, emit};
use hamel_compiler::parse::parse;
use hamel_compiler::resolve::resolve;
use hamel_compiler::schedule::schedule;
use syn::visit::Visit;

/// Equations as derived, and the code of them without simplification.
fn code(text: &str) -> (Equations, syn::File) {
    let description = parse(text.parse().expect("the model lexes")).unwrap_or_else(|error| panic!("{error}"));
    let system = resolve(&description).unwrap_or_else(|error| panic!("{error}"));
    let equations = derive(&system);
    let header =
        Header { name: &system.name, visibility: &system.visibility, doc: &system.doc, runtime: None, source: text };
    let tokens = emit(&header, &equations, &schedule(&equations, &equations)).expect("the code is Rust");
    (equations, syn::parse2(tokens).expect("the code is a file"))
}

/// Methods of the implementation of `Model`, and what modules use and define.
#[derive(Default)]
struct Found {
    methods: BTreeSet<String>,
    modules: Vec<(String, bool, bool)>,
}

impl<'c> Visit<'c> for Found {
    fn visit_item_impl(&mut self, item: &'c syn::ItemImpl) {
        let is_model = |path: &syn::Path| path.segments.last().is_some_and(|segment| segment.ident == "Model");
        if item.trait_.as_ref().is_some_and(|(path, _)| is_model(path)) {
            let methods = item.items.iter().filter_map(|item| match item {
                syn::ImplItem::Fn(method) => Some(method.sig.ident.to_string()),
                _ => None,
            });
            self.methods.extend(methods);
        }
        syn::visit::visit_item_impl(self, item);
    }

    fn visit_item_mod(&mut self, item: &'c syn::ItemMod) {
        let items = item.content.iter().flat_map(|(_, items)| items);
        let (mut uses_real, mut is_generic) = (false, false);
        for item in items {
            match item {
                syn::Item::Use(item) => uses_real |= matches!(leaf(&item.tree), Some(name) if name == "Real"),
                syn::Item::Fn(item) => is_generic |= !item.sig.generics.params.is_empty(),
                syn::Item::Struct(item) => is_generic |= !item.generics.params.is_empty(),
                _ => {}
            }
        }
        self.modules.push((item.ident.to_string(), uses_real, is_generic));
        syn::visit::visit_item_mod(self, item);
    }
}

fn leaf(tree: &syn::UseTree) -> Option<String> {
    match tree {
        syn::UseTree::Path(path) => leaf(&path.tree),
        syn::UseTree::Name(name) => Some(name.ident.to_string()),
        // Parts of functions have what the module around them has.
        syn::UseTree::Glob(_) => Some("Real".to_owned()),
        _ => None,
    }
}

/// Whatever a model has, and an empty one beside it.
#[test]
fn methods_are_those_that_a_model_needs() {
    let always = [
        "describe",
        "validate",
        "mass_matrix",
        "bias_force",
        "applied_force",
        "constraint",
        "constraint_jacobian",
        "constraint_bias",
        "contact_gap",
        "contact_jacobian",
        "contact_bias",
        "energy",
        "outputs",
        "residual",
        "iteration_matrix",
        "damping",
        "stiffness",
        "reference_configuration",
        "n_initial_conditions",
        "initial_position",
        "initial_velocity",
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pass");
    let mut texts: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| std::fs::read_to_string(entry.expect("a model").path()).expect("a model"))
        .collect();
    texts.push(
        "model Angles { coordinates joint(euler_zyx); body b { mass: 1 kg, inertia: diag(1, 2, 3) kg m^2 } \
         joint i: free(ground, b); }"
            .to_owned(),
    );
    let mut seen = BTreeSet::new();
    for text in &texts {
        let (equations, file) = code(text);
        let mut found = Found::default();
        found.visit_file(&file);
        let layout = &equations.layout;
        let needed = [
            (!layout.contacts.is_empty(), &["contact_laws"][..]),
            (!layout.inputs.is_empty(), &["input_values"]),
            (!layout.singular_angles.is_empty(), &["singular_angles"]),
        ];
        for (is_needed, methods) in needed {
            for method in methods {
                assert_eq!(found.methods.contains(*method), is_needed, "{method} of\n{text}");
            }
            seen.insert((is_needed, methods));
        }
        for method in always {
            assert!(found.methods.contains(method), "{method} of\n{text}");
        }
        // What is generic is over what is imported.
        for (module, uses_real, is_generic) in &found.modules {
            assert!(*uses_real || !is_generic, "{module} of\n{text}");
        }
    }
    assert_eq!(seen.len(), 6, "every method is needed somewhere, and nowhere else");
}
