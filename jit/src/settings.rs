//! What users set beside the text of a model: initial conditions, and inputs as functions of time.

use std::sync::Mutex;

use hamel::{Model, Signal, State};
use hamel_compiler::resolve::LINEARIZATION;
use proc_macro2::{Delimiter, Group, Ident, LexError, Span, TokenStream, TokenTree};

use crate::{JitModel, Level};

/// A setting that is not written as expected.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SettingError(String);

/// The text of a model with other initial conditions, pairs of a name and a value with its unit: those with the same left
/// side are replaced.
///
/// # Errors
/// For a name or value that is not written as in a model. Whether the model has such a coordinate, compiling it tells.
///
/// # Examples
/// ```
/// use hamel::{Model, initial_state};
/// use hamel_jit::Level;
///
/// let text = "model Pendulum {
///     planar;
///     coordinates joint;
///     body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
///     joint hinge: revolute(ground, rod at [0, 0.5] m);
///     initial hinge.angle = 0.1 rad;
/// }";
/// let text = hamel_jit::with_initial(text.parse()?, &[("hinge.angle", "30deg")])?;
/// let model = hamel_jit::model(text, Level::AtOnce, None)?;
/// assert!((initial_state(&model)?.q[0] - std::f64::consts::FRAC_PI_6).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_initial(
    tokens: TokenStream,
    settings: &[(impl AsRef<str>, impl AsRef<str>)],
) -> Result<TokenStream, SettingError> {
    let mut given = Vec::new();
    for (name, value) in settings {
        let (name, value) = (name.as_ref(), value.as_ref());
        let tokens = |text: &str| -> Result<TokenStream, SettingError> {
            let tokens = text.parse::<TokenStream>().ok().filter(|tokens| !tokens.is_empty() && !has_end(tokens));
            tokens.ok_or_else(|| SettingError(format!("{name}: expected NAME=VALUE, found `{name}={value}`")))
        };
        given.push((tokens(name)?, tokens(&spaced(value))?));
    }
    let replaced = |group: &Group| {
        let mut kept = TokenStream::new();
        for item in items(group.stream()) {
            let left = initial_of(&item);
            let is_replaced = |(name, _): &(TokenStream, TokenStream)| left.as_ref() == Some(&name.to_string());
            if !given.iter().any(is_replaced) {
                kept.extend(item);
            }
        }
        for (name, value) in &given {
            kept.extend(quote::quote!(initial #name = #value;));
        }
        TokenTree::Group(Group::new(Delimiter::Brace, kept))
    };
    let replace = |token: TokenTree| match &token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => replaced(group),
        _ => token,
    };
    Ok(tokens.into_iter().map(replace).collect())
}

/// The text of a model with `provide linearization;`, which [`hamel::linearize`](fn@hamel::linearize) needs; one that says
/// so stays as it is.
///
/// # Examples
/// ```
/// use hamel::{About, initial_state, linearize};
/// use hamel_jit::Level;
///
/// let text = "model Pendulum {
///     planar;
///     coordinates joint;
///     gravity [0, -9.81] m/s^2;
///     body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
///     joint hinge: revolute(ground, rod at [0, 0.5] m);
///     output height = rod.position.y;
/// }";
/// let model = hamel_jit::model(hamel_jit::with_linearization(text.parse()?), Level::AtOnce, None)?;
/// let modes = linearize(&model, &initial_state(&model)?, About::Equilibrium)?.modes()?;
/// assert!((modes[0].eigenvalue.im - (9.81 * 0.5 / 0.35_f64).sqrt()).abs() < 1e-13);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_linearization(tokens: TokenStream) -> TokenStream {
    with_functions(tokens, &[LINEARIZATION])
}

/// The text of a model that provides these functions on request, each of which it may provide already.
///
/// # Examples
/// ```
/// use hamel_jit::Level;
///
/// let text = "model Pendulum {
///     planar;
///     coordinates joint;
///     body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
///     joint hinge: revolute(ground, rod at [0, 0.5] m);
/// }";
/// let text = hamel_jit::with_functions(text.parse()?, &["inverse_dynamics", "inverse_mass_matrix"]);
/// assert!(hamel_jit::model(text, Level::AtOnce, None)?.provides("inverse_mass_matrix"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_functions(tokens: TokenStream, functions: &[&str]) -> TokenStream {
    functions.iter().fold(tokens, |tokens, function| {
        let asks = |item: &[String]| item[0] == "provide" && item.iter().any(|word| word == function);
        let word = Ident::new(function, Span::call_site());
        with_item(tokens, asks, quote::quote!(provide #word;))
    })
}

/// The text of a model with `differentiate all;`, for derivatives with respect to parameters; what it says itself of
/// parameters is left out.
///
/// # Examples
/// ```
/// use hamel::Model;
/// use hamel_jit::Level;
///
/// let text = "model Pendulum {
///     planar;
///     coordinates joint;
///     gravity [0, -9.81] m/s^2;
///     param mass = 1 kg;
///     body rod { mass: mass, inertia: 0.1 kg m^2 }
///     joint hinge: revolute(ground, rod at [0, 0.5] m);
/// }";
/// let model = hamel_jit::model(hamel_jit::with_derivatives(text.parse()?), Level::AtOnce, None)?;
/// assert_eq!(model.describe().differentiated, [0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_derivatives(tokens: TokenStream) -> TokenStream {
    let kept = |token: TokenTree| match &token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            let items = items(group.stream())
                .into_iter()
                .filter(|item| words(item).first().is_none_or(|word| word != "differentiate"));
            within(group, items.flatten().collect())
        }
        _ => token,
    };
    with_item(tokens.into_iter().map(kept).collect(), |_| false, quote::quote!(differentiate all;))
}

/// The text of a model with one more item, unless an item has these words already.
fn with_item(tokens: TokenStream, is_it: impl Fn(&[String]) -> bool, item: TokenStream) -> TokenStream {
    let completed = |token: TokenTree| match &token {
        TokenTree::Group(group)
            if group.delimiter() == Delimiter::Brace
                && !items(group.stream())
                    .iter()
                    .map(|item| words(item))
                    .any(|words| !words.is_empty() && is_it(&words)) =>
        {
            let mut stream = group.stream();
            stream.extend(item.clone());
            within(group, stream)
        }
        _ => token,
    };
    tokens.into_iter().map(completed).collect()
}

fn words(item: &[TokenTree]) -> Vec<String> {
    item.iter().map(ToString::to_string).collect()
}

/// A group with another content, at the same place.
fn within(group: &Group, stream: TokenStream) -> TokenTree {
    let mut whole = Group::new(group.delimiter(), stream);
    whole.set_span(group.span());
    TokenTree::Group(whole)
}

fn has_end(tokens: &TokenStream) -> bool {
    tokens
        .clone()
        .into_iter()
        .any(|token| matches!(token, TokenTree::Punct(punct) if [';', '='].contains(&punct.as_char())))
}

/// A number right before `t`, which is one of tonnes.
fn tonnes(tokens: &TokenStream) -> Option<String> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let number = |literal: &TokenTree| match literal {
        TokenTree::Literal(literal) => Some(literal.to_string()),
        _ => None,
    };
    let pair = |pair: &[TokenTree]| match &pair[1] {
        TokenTree::Ident(name) if name == "t" => number(&pair[0]),
        _ => None,
    };
    let joined = |token: &TokenTree| number(token)?.strip_suffix('t').map(str::to_owned);
    let within = |token: &TokenTree| match token {
        TokenTree::Group(group) => tonnes(&group.stream()),
        _ => None,
    };
    let found = tokens.windows(2).find_map(pair).or_else(|| tokens.iter().find_map(joined));
    found.or_else(|| tokens.iter().find_map(within))
}

/// The items of a model: each ends with a semicolon or with braces.
fn items(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut items = vec![Vec::new()];
    for token in tokens {
        let is_end = match &token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            _ => false,
        };
        items.last_mut().unwrap_or_else(|| unreachable!("there is an item")).push(token);
        if is_end {
            items.push(Vec::new());
        }
    }
    items
}

/// The left side of an initial condition.
fn initial_of(item: &[TokenTree]) -> Option<String> {
    let [TokenTree::Ident(word), rest @ ..] = item else { return None };
    let is_equals = |token: &&TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '=');
    let left = rest.iter().take_while(|token| !is_equals(token)).cloned();
    (word == "initial").then(|| left.collect::<TokenStream>().to_string())
}

/// `30deg` as `30 deg`.
fn spaced(value: &str) -> String {
    let is_exponent = |at: usize| {
        let rest = value[at..].strip_prefix(['e', 'E']).unwrap_or_default();
        let digits = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        digits.starts_with(|c: char| c.is_ascii_digit())
    };
    let starts_number = value.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    let letter = value.char_indices().find(|&(at, c)| c.is_alphabetic() && !is_exponent(at));
    match letter {
        Some((at, _)) if starts_number && at > 0 && value[..at].trim().parse::<f64>().is_ok() => {
            format!("{} {}", value[..at].trim(), &value[at..])
        }
        _ => value.to_owned(),
    }
}

/// A signal from an expression of the language in which t is the time in seconds; its value is in the SI unit of what it
/// is used for.
///
/// # Errors
/// For a text that is no such expression, or one with a unit.
///
/// # Examples
/// ```
/// let signal = hamel_jit::function_of_time("2*sin(3*t)")?;
/// assert_eq!(signal.value(0.5), 2.0 * 1.5_f64.sin());
/// assert!(hamel_jit::function_of_time("5 m").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn function_of_time(text: &str) -> Result<Signal, SettingError> {
    let input = quote::quote! { input t 1; };
    let (mut model, unit) = expression(text, input, "a function of t, e.g. 2*sin(3*t), or a FILE.csv")?;
    if unit != "1" {
        let what = format!("expected a pure number, in the SI unit of the input, found one in {unit}");
        return Err(helped(text, what));
    }
    let _ = model.set_input("t", Signal::from(|t: f64| t));
    let state = Mutex::new(State::zeros(model.dims()));
    let value = move |t: f64| {
        let mut value = [0.0];
        let mut evaluate = |state: &mut State| {
            state.t = t;
            model.outputs(state, &mut value);
        };
        // Threads do not wait for each other.
        match state.try_lock() {
            Ok(mut state) => evaluate(&mut state),
            Err(_) => evaluate(&mut State::zeros(model.dims())),
        }
        value[0]
    };
    Ok(Signal::changing(value, changes(text)?))
}

/// The times at which a function of t takes another formula, as the model has them whose state changes by it.
fn changes(text: &str) -> Result<Vec<[f64; 2]>, SettingError> {
    let expression: TokenStream = text.parse().map_err(|error: LexError| SettingError(error.to_string()))?;
    let model = quote::quote! {
        model Function {
            planar;
            coordinates joint;
            body carrier { mass: 1 kg, inertia: 1 kg m^2 }
            joint rail: prismatic(ground, carrier);
            let t = time / (1 s);
            state reached 1: (#expression) / (1 s);
        }
    };
    let model = crate::model(model, Level::AtOnce, None).map_err(|error| helped(text, error.to_string()))?;
    let mut times = Vec::new();
    model.switching_times(&mut |time, _| times.push(time));
    Ok(times)
}

/// The value of an expression of the language without names, in SI units, and its unit, `1` of pure numbers and angles.
///
/// # Errors
/// For a text that is no such expression.
///
/// # Examples
/// ```
/// assert_eq!(hamel_jit::quantity("35cm")?, (0.35, "m".to_owned()));
/// assert_eq!(hamel_jit::quantity("90 deg")?, (std::f64::consts::FRAC_PI_2, "1".to_owned()));
/// assert!(hamel_jit::quantity("3 feet").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn quantity(text: &str) -> Result<(f64, String), SettingError> {
    let (model, unit) = expression(&spaced(text), TokenStream::new(), "a number with its unit, e.g. 30 cm")?;
    let mut value = [0.0];
    model.outputs(&State::zeros(model.dims()), &mut value);
    Ok((value[0], unit))
}

/// A range or a list of numbers, as `10deg..30deg:21`, with its numbers in SI units, and the unit that they have, if one is
/// written.
///
/// # Errors
/// For numbers of different units, or with a unit beside others without.
///
/// # Examples
/// ```
/// assert_eq!(hamel_jit::in_si("log:1mm..1m:4")?, ("log:0.001..1.0:4".to_owned(), Some("m".to_owned())));
/// assert_eq!(hamel_jit::in_si("0.5,1,2")?, ("0.5,1,2".to_owned(), None));
/// assert!(hamel_jit::in_si("10..30deg:3").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn in_si(text: &str) -> Result<(String, Option<String>), SettingError> {
    let (mut converted, mut unit, mut has_plain) = (String::new(), None::<String>, false);
    let (mut rest, mut is_behind_number) = (text, false);
    loop {
        let places = ["..", ",", ":"].iter().filter_map(|separator| Some((rest.find(separator)?, *separator)));
        let next = places.min_by_key(|(place, _)| *place);
        let piece = rest[..next.map_or(rest.len(), |(place, _)| place)].trim();
        let is_number = piece.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        // How many values there are follows a colon.
        let is_count = is_behind_number && converted.ends_with(':');
        match piece.parse::<f64>() {
            Err(_) if is_number && !is_count => {
                let (value, found) = quantity(piece).map_err(|error| SettingError(format!("`{piece}`: {error}")))?;
                converted.push_str(&format!("{value:?}"));
                if let Some(other) = unit.replace(found.clone()).filter(|other| *other != found) {
                    let reason = format!("`{text}`: expected numbers in one unit, found {other} and {found}");
                    return Err(SettingError(reason));
                }
            }
            number => {
                has_plain |= !is_count && number.is_ok_and(|number| number != 0.0);
                converted.push_str(piece);
            }
        }
        is_behind_number = is_number;
        let Some((place, separator)) = next else { break };
        converted.push_str(separator);
        rest = &rest[place + separator.len()..];
    }
    match unit {
        Some(_) if has_plain => {
            Err(SettingError(format!("`{text}`: expected a unit of each number, or none in SI units")))
        }
        unit => Ok((converted, unit)),
    }
}

/// A model whose output is the value of an expression, with inputs that it may have, and the unit of the value.
fn expression(text: &str, inputs: TokenStream, expected: &str) -> Result<(JitModel, String), SettingError> {
    let wrong = SettingError;
    // The lexer says no more than that it is none.
    let no_text = "brackets do not match, or a character has no meaning";
    let expression: TokenStream = text.parse().map_err(|_: LexError| wrong(no_text.to_owned()))?;
    if expression.is_empty() || has_end(&expression) {
        return Err(wrong(format!("expected {expected}")));
    }
    let model = quote::quote! {
        model Function {
            planar;
            coordinates joint;
            #inputs
            body carrier { mass: 1 kg, inertia: 1 kg m^2 }
            joint rail: prismatic(ground, carrier);
            output value = #expression;
        }
    };
    let model = crate::model(model, Level::Optimised, None).map_err(|error| helped(text, error.to_string()))?;
    let [value] = model.describe().outputs.as_slice() else { return Err(wrong("expected one number".to_owned())) };
    let unit = value.unit.clone();
    Ok((model, unit))
}

/// An error, with what was meant by a `t` that is a unit.
fn helped(text: &str, what: String) -> SettingError {
    match text.parse().ok().as_ref().and_then(tonnes) {
        Some(number) => SettingError(format!("{what}\nhelp: `{number} t` are tonnes; times t it is `{number}*t`")),
        None => SettingError(what),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_have_units() {
        let read = |text: &str| in_si(text).unwrap();
        let in_unit = |text: &str, unit: &str| (text.to_owned(), Some(unit.to_owned()));
        assert_eq!(read("35cm"), in_unit("0.35", "m"));
        assert_eq!(read("-2.5 kN/mm"), in_unit("-2500000.0", "N/m"));
        assert_eq!(read("0..90deg:7"), in_unit(&format!("0..{:?}:7", std::f64::consts::FRAC_PI_2), "1"));
        assert_eq!(read("log:1mm..1m:4"), in_unit("log:0.001..1.0:4", "m"));
        assert_eq!(read("10mm, 2cm,3 cm"), in_unit("0.01,0.02,0.03", "m"));
        for text in ["1e-3", "log:0.1..10:50", "0.5,1,2", "1..3", "", "heavy", "-.5..inf"] {
            assert_eq!(read(text), (text.to_owned(), None));
        }
        let refused = [("10..30deg:3", "a unit of each number"), ("1 m,1 s", "one unit"), ("3 feet", "feet")];
        for (text, said) in refused {
            assert!(in_si(text).unwrap_err().to_string().contains(said), "{text}");
        }
        assert_eq!(read("2 kg.."), in_unit("2.0..", "kg"));
    }

    #[test]
    fn numbers_are_parted_from_their_units() {
        assert_eq!(spaced("30deg"), "30 deg");
        assert_eq!(spaced("-1e-3m/s"), "-1e-3 m/s");
        assert_eq!(spaced("2.5e2 rad"), "2.5e2 rad");
        assert_eq!(spaced("pi/2 rad"), "pi/2 rad");
        assert_eq!(spaced("0.5"), "0.5");
    }

    #[test]
    fn initial_conditions_replace_those_with_the_same_left_side() {
        let model = "model A { body b { mass: 1 kg } initial h.angle = 1 rad; initial h.rate = 2 rad/s; }";
        let settings = [("h.angle", "30deg")];
        let changed = with_initial(model.parse().unwrap(), &settings).unwrap().to_string();
        let expected = "model A { body b { mass: 1 kg } initial h.rate = 2 rad/s; initial h.angle = 30 deg; }";
        assert_eq!(changed, expected.parse::<TokenStream>().unwrap().to_string());
        assert!(with_initial(model.parse().unwrap(), &[("h", "1; param x = 1")]).is_err());
    }

    #[test]
    fn functions_of_time_are_expressions_of_the_language() {
        let at = |text: &str, t: f64| function_of_time(text).unwrap().value(t);
        assert_eq!(at("2*sin(3*t)", 0.5), 2.0 * 1.5_f64.sin());
        assert_eq!(at("if t < 1 { t^2 } else { 1 }", 0.5), 0.25);
        assert_eq!(at("7", 3.0), 7.0);
        assert!(
            function_of_time("5 m").is_err() && function_of_time("t*1 s").is_err(),
            "values are in the SI unit of the input"
        );
        assert_eq!(at("3 t/(1 kg)", 3.0), 3000.0);
        for text in ["2*sin(3 t)", "sin(3t)", "3 t"] {
            let error = function_of_time(text).unwrap_err().to_string();
            assert!(error.ends_with("help: `3 t` are tonnes; times t it is `3*t`"), "{error}");
        }
        assert!(function_of_time("2*sin(").is_err() && function_of_time("x").is_err() && function_of_time("").is_err());
    }
}
