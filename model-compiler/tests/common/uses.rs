//! Which file of a crate uses which others, and whether that goes in one direction.
//!
//! A file uses another if it names something that is defined there, through whichever module re-exports it: what counts
//! is where a thing stands, not where it is imported from. To name a module is no use of it, but what is named through
//! it is; what a file only passes on, by `pub use`, is no use either. The file of a module is a file like any other, so
//! it may use its submodules as long as they do not use what it defines itself. Tests may use anything, so what is
//! compiled only for them does not count.
//!
//! Not seen are methods, which are called without a path to the file that has them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// A file with its text.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path below the crate's `src`, with `/` between folders.
    pub path: String,
    /// What stands in it.
    pub text: String,
}

/// Something that a file names and another one defines.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Use {
    /// The file that uses.
    pub from: String,
    /// The file that is used.
    pub to: String,
    /// As it is written.
    pub path: String,
}

/// All Rust files in a folder and below it.
pub fn sources(folder: &Path) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("the folder can be read") {
            let path = entry.expect("the entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let below = path.strip_prefix(folder).expect("it is below the folder");
                let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
                let text = std::fs::read_to_string(&path).expect("the file can be read");
                found.push(Source { path: names.join("/"), text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// What files of a crate use of each other.
pub fn uses(sources: &[Source]) -> Vec<Use> {
    let mut modules = Modules::default();
    modules.all.entry(Vec::new()).or_default();
    for source in sources {
        modules.read(source);
    }
    let is_tested = |module: &ModulePath| (0..=module.len()).all(|depth| !modules.tests.contains(&module[..depth]));
    let mut found = BTreeSet::new();
    for (name, module) in modules.all.iter().filter(|(name, _)| is_tested(name)) {
        let is_unclear = |word: &&String| module.passed_on.contains(*word) || !module.globs.is_empty();
        let words = module.words.iter().filter(is_unclear).map(|word| vec![word.clone()]);
        for path in module.paths.iter().cloned().chain(words) {
            let to = modules.resolve(name, &path, false, 0).and_then(|reached| modules.file_of(&reached));
            if let Some(to) = to.filter(|to| *to != module.file) {
                found.insert(Use { from: module.file.clone(), to: to.to_owned(), path: path.join("::") });
            }
        }
    }
    found.into_iter().collect()
}

/// Files that use each other in circles; each circle once, with all files that are on the way from one of its files
/// back to it.
pub fn circles(uses: &[Use]) -> Vec<Vec<String>> {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for used in uses {
        next.entry(&used.from).or_default().insert(&used.to);
    }
    let all: BTreeMap<&str, BTreeSet<&str>> = next.keys().map(|&file| (file, reached(&next, file))).collect();
    let around = |file: &str| -> Vec<String> {
        let ahead = all[file].iter().filter(|other| all.get(**other).is_some_and(|back| back.contains(file)));
        ahead.map(|other| (*other).to_owned()).collect()
    };
    let found: BTreeSet<Vec<String>> = all.keys().map(|file| around(file)).filter(|circle| circle.len() > 1).collect();
    found.into_iter().collect()
}

/// What is reached from a file.
fn reached<'a>(next: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        open.extend(next.get(file).into_iter().flatten().filter(|to| reached.insert(**to)));
    }
    reached
}

/// Uses that go up: from a module of the crate into one that does not stand before it in `order`, or from or into one
/// that is not in `order`.
///
/// What stands in `order` are the files and folders of `src`, by their names without `.rs`.
pub fn upward<'a>(uses: &'a [Use], order: &[&str]) -> Vec<&'a Use> {
    let level = |file: &str| {
        let name = file.split('/').next().unwrap_or(file);
        order.iter().position(|module| *module == name.trim_end_matches(".rs"))
    };
    let is_within = |used: &Use| level(&used.from).is_some() && level(&used.from) == level(&used.to);
    let is_down = |used: &Use| match (level(&used.from), level(&used.to)) {
        (Some(from), Some(to)) => to < from,
        _ => false,
    };
    uses.iter().filter(|used| !is_within(used) && !is_down(used)).collect()
}

/// Names of the modules around a module, and its own.
type ModulePath = [String];

/// What a module declares and names.
#[derive(Debug, Default)]
struct Module {
    /// The file that it stands in.
    file: String,
    /// Names of its items.
    items: BTreeSet<String>,
    /// Names that it imports, with their paths.
    imports: Vec<(String, Vec<String>)>,
    /// Modules of which it imports everything.
    globs: Vec<Vec<String>>,
    /// Names that it imports to pass them on.
    passed_on: BTreeSet<String>,
    /// All paths that are written in it, those of its imports too but for what it passes on.
    paths: BTreeSet<Vec<String>>,
    /// Names that stand alone.
    words: BTreeSet<String>,
}

/// What a path leads to.
enum Reached {
    Module(Vec<String>),
    /// An item of this module.
    Item(Vec<String>),
}

#[derive(Debug, Default)]
struct Modules {
    all: BTreeMap<Vec<String>, Module>,
    /// Those that are compiled only for tests.
    tests: BTreeSet<Vec<String>>,
}

impl Modules {
    fn read(&mut self, source: &Source) {
        let mut name: Vec<String> = source.path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
        if name.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
            name.pop();
        }
        let file = syn::parse_file(&source.text).unwrap_or_else(|error| panic!("{}: {error}", source.path));
        self.all.entry(name.clone()).or_default().file.clone_from(&source.path);
        Reader { modules: self, name }.visit_file(&file);
    }

    fn file_of(&self, reached: &Reached) -> Option<&str> {
        match reached {
            Reached::Module(_) => None,
            Reached::Item(module) => self.all.get(module).map(|module| module.file.as_str()),
        }
    }

    /// Where a path leads that is written in `module`; nowhere if that is in another crate. A module and an item may
    /// have the same name: whether the path goes on behind it tells them apart.
    fn resolve(&self, module: &ModulePath, path: &[String], goes_on: bool, depth: usize) -> Option<Reached> {
        let (mut module, mut rest) = (module.to_vec(), path);
        let mut is_absolute = false;
        while let Some((first, others)) = rest.split_first() {
            match first.as_str() {
                "crate" => module.clear(),
                "super" => drop(module.pop()),
                "self" => {}
                _ => break,
            }
            (is_absolute, rest) = (true, others);
        }
        while let Some((first, others)) = rest.split_first() {
            match self.look_up(&module, first, goes_on || !others.is_empty(), depth) {
                Some(Reached::Module(inner)) => module = inner,
                Some(item) => return Some(item),
                // Macros make items that are not seen.
                None if is_absolute => return Some(Reached::Item(module)),
                None => return None,
            }
            (is_absolute, rest) = (true, others);
        }
        Some(Reached::Module(module))
    }

    /// What a name stands for in a module.
    fn look_up(&self, within: &ModulePath, name: &str, goes_on: bool, depth: usize) -> Option<Reached> {
        let module = self.all.get(within)?;
        let mut inner = within.to_vec();
        inner.push(name.to_owned());
        let is_module = self.all.contains_key(&inner);
        if is_module && goes_on {
            return Some(Reached::Module(inner));
        }
        if module.items.contains(name) {
            return Some(Reached::Item(within.to_vec()));
        }
        if depth > 8 {
            return None;
        }
        let imports = module.imports.iter().filter(|(import, _)| import == name);
        let imported = imports.filter_map(|(_, path)| self.resolve(within, path, goes_on, depth + 1));
        let globs = module.globs.iter().filter_map(|path| self.resolve(within, path, true, depth + 1));
        let of_globs = globs.filter_map(|reached| match reached {
            Reached::Module(around) if around != within => self.look_up(&around, name, goes_on, depth + 1),
            _ => None,
        });
        let own = is_module.then_some(Reached::Module(inner));
        // A module of this name is what is left if no item has it.
        imported.chain(own).chain(of_globs).min_by_key(|reached| matches!(reached, Reached::Module(_)))
    }
}

/// Reads what stands in one file.
struct Reader<'a> {
    modules: &'a mut Modules,
    name: Vec<String>,
}

impl Reader<'_> {
    fn module(&mut self) -> &mut Module {
        self.modules.all.entry(self.name.clone()).or_default()
    }

    fn import(&mut self, tree: &syn::UseTree, mut path: Vec<String>, is_passed_on: bool) {
        let (last, as_name) = match tree {
            syn::UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                return self.import(&tree.tree, path, is_passed_on);
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(tree, path.clone(), is_passed_on));
            }
            syn::UseTree::Glob(_) => {
                return self.module().globs.push(path);
            }
            syn::UseTree::Name(name) => (name.ident.to_string(), None),
            syn::UseTree::Rename(rename) => (rename.ident.to_string(), Some(rename.rename.to_string())),
        };
        if last != "self" {
            path.push(last);
        }
        let name = as_name.or_else(|| path.last().cloned()).unwrap_or_default();
        if is_passed_on {
            self.module().passed_on.insert(name.clone());
        } else {
            self.module().paths.insert(path.clone());
        }
        self.module().imports.push((name, path));
    }

    /// Paths in what macros are given, which no parser knows to be Rust.
    fn scan(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Ident(name) => {
                    let goes_on = colons == 2;
                    if !goes_on {
                        self.keep(std::mem::take(&mut path));
                    }
                    // `::name` is another crate's.
                    if !goes_on || !path.is_empty() {
                        path.push(name.to_string());
                    }
                    colons = 0;
                }
                other => {
                    self.keep(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.scan(group.stream());
                    }
                }
            }
        }
        self.keep(path);
    }

    fn keep(&mut self, mut path: Vec<String>) {
        match path.len() {
            0 => {}
            // It has been imported, or is local.
            1 => self.module().words.extend(path.pop()),
            _ => drop(self.module().paths.insert(path)),
        }
    }

    /// Names of items that a macro may make of what it is given.
    fn names(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(name) => drop(self.module().items.insert(name.to_string())),
                TokenTree::Group(group) => self.names(group.stream()),
                _ => {}
            }
        }
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    let is_test = |attribute: &syn::Attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    };
    attributes.iter().any(is_test)
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let (attributes, name) = match item {
            syn::Item::Const(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            syn::Item::Impl(item) => (&item.attrs, None),
            syn::Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
            syn::Item::Static(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Type(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Use(item) => (&item.attrs, None),
            _ => return visit::visit_item(self, item),
        };
        if !is_for_tests(attributes) {
            self.module().items.extend(name.map(ToString::to_string));
            if let syn::Item::Macro(item) = item
                && item.ident.is_none()
            {
                self.names(item.mac.tokens.clone());
            }
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.name.push(item.ident.to_string());
        if is_for_tests(&item.attrs) {
            self.modules.tests.insert(self.name.clone());
        } else if item.content.is_some() {
            let mut outer = self.name.clone();
            outer.pop();
            let file = self.modules.all.get(&outer).map(|outer| outer.file.clone()).unwrap_or_default();
            self.module().file = file;
            visit::visit_item_mod(self, item);
        }
        self.name.pop();
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if item.leading_colon.is_none() {
            let is_passed_on = !matches!(item.vis, syn::Visibility::Inherited);
            self.import(&item.tree, Vec::new(), is_passed_on);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.keep(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.scan(mac.tokens.clone());
        visit::visit_macro(self, mac);
    }
}
