//! Models whose names are exchanged for hostile ones, everywhere alike: what is accepted has to become code all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use hamel_compiler::simplify::Limits;
use hamel_compiler::{emit, stages_within};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

use super::mutation::{models, read};
use super::random::Random;

/// Words before a name that is declared.
const DECLARING: [&str; 17] = [
    "body",
    "const",
    "constraint",
    "contact",
    "drive",
    "flexible",
    "for",
    "force",
    "input",
    "joint",
    "let",
    "marker",
    "model",
    "output",
    "param",
    "state",
    "torque",
];

/// Names that mean something to Rust, C, Python or the language itself, or that look like others.
const HOSTILE: &str = "\
    abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if \
    impl in let loop macro match mod move mut override priv pub ref return self Self static struct super trait true \
    try type typeof unsafe unsized use virtual where while yield union auto default raw safe macro_rules dyn_ \
    r#type r#fn r#async r#gen r#union r#true r#mass _ __ ___ _0 _a a_ A Aa aA \
    Some None Ok Err Vec Result Option Default Clone Copy Debug Box String Iterator Send Sync Drop Eq Ord PartialEq \
    PartialOrd From Into AsRef ToString Sized Fn FnMut drop panic assert vec format println write matches \
    f16 f32 f64 f128 i8 i32 u8 u32 usize isize str bool char u128 std core alloc hamel kernels \
    model ground time pi about at axis from on rotated sin cos tan sqrt exp ln log abs sign min max pow powf mul_add \
    asm alignas alignof case complex _Complex _Bool _Imaginary constexpr double float fortran goto inline int long main \
    noreturn nullptr register restrict short signed sizeof switch thread_local typeof_unqual unix linux i386 unsigned \
    vector void volatile NULL INFINITY NAN HUGE_VAL M_PI M_E I EOF errno signgam math_errhandling size_t uint32_t int64_t \
    fmin fmax fma fabs atan2 tanh j0 j1 jn y0 y1 yn gamma lgamma tgamma erf index time_t abort exit printf malloc free \
    __LINE__ __FILE__ __STDC__ __func__ __cplusplus __attribute__ __builtin_sin _Static_assert _Generic \
    and def del elif except finally import is lambda nonlocal not or pass raise with \
    class delete explicit friend mutable namespace new operator private protected public template this throw typename using \
    virtual_ wchar_t xor bitand compl \
    t q v a g r h m e x1 x2 x3 c0 c1 two half one zero third c9_81 state constants inputs parameters outputs residual rate \
    acceleration kinetic potential damping stiffness jacobian mass_matrix bias_force applied_force constraint_jacobian \
    tau w out values member members law laws effects energy name value gather scatter components set get new validate \
    describe dims clone default_ fmt T U Member Run Constants Parameters Inputs Model State Signal Real Block Energy \
    α Α а ａ ﬁ µ μ é é ñ ñ ß ẞ ı İ K Å Ω ω 日本 変数 переменная θ_dot φ ϕ ϑ x² ª ℓ ſ Ⅷ a\u{301}\u{301} ʼn ǰ";

/// What renamed models are made of.
pub struct Renaming {
    models: Vec<TokenStream>,
    hostile: Vec<Ident>,
}

impl Renaming {
    /// Reads the models of `pass/`, and takes as hostile every name in what some of them become.
    pub fn read() -> Renaming {
        let parse = |text: String| -> TokenStream { text.parse().unwrap_or_else(|error| panic!("{error}\n{text}")) };
        let models: Vec<TokenStream> = models("pass").iter().map(|path| parse(read(path))).collect();
        // Texts outlive the threads on which they were lexed.
        static WORDS: OnceLock<BTreeSet<String>> = OnceLock::new();
        let words = WORDS.get_or_init(|| hostile_words(&models));
        Renaming { models, hostile: words.iter().filter_map(|word| ident(word)).collect() }
    }

    /// A model with up to eight names exchanged, or all of them.
    pub fn mutant(&self, seed: u64) -> TokenStream {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
        random.below(2);
        let model = &self.models[random.below(self.models.len())];
        let mut names = BTreeSet::new();
        declared(model.clone(), &mut names);
        if random.below(8) == 0 {
            // Words of the language as well, and fields.
            collect(model.clone(), &mut names);
        }
        let names: Vec<String> = names.into_iter().collect();
        let count = if random.below(8) == 0 { names.len() } else { 1 + random.below(8.min(names.len())) };
        let mut exchanged = BTreeMap::new();
        for _ in 0..count {
            let name = random.pick(&names).clone();
            let hostile = match random.below(4) {
                0 => ident(&similar(&names[random.below(names.len())], &mut random)),
                _ => Some(random.pick(&self.hostile).clone()),
            };
            if let Some(hostile) = hostile {
                exchanged.insert(name, hostile);
            }
        }
        exchange(model.clone(), &exchanged)
    }
}

/// Names that are hostile to all models, and those in what these models become, of numbered ones the first.
fn hostile_words(models: &[TokenStream]) -> BTreeSet<String> {
    let mut words: BTreeSet<String> = HOSTILE.split_whitespace().map(str::to_owned).collect();
    words.extend(["a".repeat(100), "a".repeat(101), "é".repeat(100), "B_".repeat(50)]);
    let mut generated = BTreeSet::new();
    // Flexible members take long to compile, and the code of others has the same kinds of names.
    let is_short = |model: &&TokenStream| !model.to_string().contains("flexible");
    for model in models.iter().filter(is_short) {
        let stages = stages_within(model.clone(), &Limits::least()).unwrap_or_else(|error| panic!("{error}"));
        collect(stages.code().expect("generated code is Rust"), &mut generated);
        let files = emit::c(&stages.system.name.to_string(), &stages.simplified, &stages.schedule);
        let is_letter = |letter: char| letter == '_' || letter.is_alphanumeric();
        generated.extend(files.source.split(|letter| !is_letter(letter)).map(str::to_owned));
    }
    let mut kinds = BTreeSet::new();
    generated.retain(|word| kinds.insert(word.replace(|letter: char| letter.is_ascii_digit(), "0")));
    words.extend(generated);
    words
}

/// A name that is easily taken for this one.
fn similar(name: &str, random: &mut Random) -> String {
    let capital = |name: &str| {
        name.chars().next().map_or(String::new(), |first| first.to_uppercase().chain(name.chars().skip(1)).collect())
    };
    match random.below(12) {
        0 => format!("{name}_"),
        1 => format!("_{name}"),
        2 => format!("{name}_2"),
        3 => format!("{name}2"),
        4 => name.to_uppercase(),
        5 => name.to_lowercase(),
        6 => capital(name),
        7 => format!("{name}é"),
        8 => format!("{name}e\u{301}"),
        9 => format!("{name}_dot"),
        10 => {
            format!("{name}_{}", ["x", "y", "z", "xx", "e0", "angle", "velocity", "inputs", "squared"][random.below(9)])
        }
        _ => format!("{}_{name}", ["sin", "cos", "two", "half", "minus", "x"][random.below(6)]),
    }
}

/// A word as a name, if it can be one.
fn ident(word: &str) -> Option<Ident> {
    let mut tokens = word.parse::<TokenStream>().ok()?.into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Ident(ident)), None) => Some(ident),
        _ => None,
    }
}

/// Every name of a text.
fn collect(tokens: TokenStream, names: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => drop(names.insert(ident.to_string())),
            TokenTree::Group(group) => collect(group.stream(), names),
            _ => {}
        }
    }
}

/// The names that a model declares, those of loops among them, and those that options of joints give.
fn declared(tokens: TokenStream, names: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (place, token) in tokens.iter().enumerate() {
        let follows = |words: &[&str]| {
            let before = place.checked_sub(1).map(|place| &tokens[place]);
            matches!(before, Some(TokenTree::Ident(word)) if words.iter().any(|known| word == known))
        };
        match token {
            TokenTree::Ident(name) if follows(&DECLARING) => drop(names.insert(name.to_string())),
            TokenTree::Ident(name) if place >= 2 && is_field(&tokens, place - 2, "absolute_angle") => {
                names.insert(name.to_string());
            }
            TokenTree::Group(group) if follows(&["for", "in"]) && group.delimiter() != Delimiter::Brace => {
                collect(group.stream(), names);
            }
            TokenTree::Group(group) => declared(group.stream(), names),
            _ => {}
        }
    }
}

fn is_field(tokens: &[TokenTree], place: usize, field: &str) -> bool {
    matches!(&tokens[place], TokenTree::Ident(word) if word == field) && is_colon(tokens.get(place + 1))
}

fn is_colon(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(colon)) if colon.as_char() == ':')
}

/// The text with names exchanged; names of fields and quantities, and words of the language, are no names.
fn exchange(tokens: TokenStream, exchanged: &BTreeMap<String, Ident>) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let replace = |(place, token): (usize, &TokenTree)| -> TokenTree {
        let before = place.checked_sub(1).map(|place| &tokens[place]);
        match token {
            TokenTree::Group(group) => Group::new(group.delimiter(), exchange(group.stream(), exchanged)).into(),
            TokenTree::Ident(name) => {
                let is_declared =
                    matches!(before, Some(TokenTree::Ident(word)) if DECLARING.iter().any(|known| word == known));
                let is_quantity = matches!(before, Some(TokenTree::Punct(dot)) if dot.as_char() == '.');
                let is_field = is_colon(tokens.get(place + 1)) && !is_declared;
                match exchanged.get(&name.to_string()) {
                    Some(hostile) if !is_quantity && !is_field => hostile.clone().into(),
                    _ => token.clone(),
                }
            }
            _ => token.clone(),
        }
    };
    tokens.iter().enumerate().map(replace).collect()
}
