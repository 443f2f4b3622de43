//! Expressions of xacro: what of Python is arithmetic, comparison and choice.

use hamel_compiler::escape::excerpt;
use hamel_compiler::spelling::nearest;

use super::value::Value;

/// Expressions within each other at most.
const DEPTH: usize = 60;
/// Words, numbers and signs of an expression at most.
const TOKENS: usize = 1000;
/// Bytes of a text that is put together at most: each of a chain of properties may double it.
const TEXT: usize = 1 << 20;

/// An expression.
enum Tree {
    Value(Value),
    Name(String),
    Call(String, Vec<Tree>),
    /// `not`, `-` or `+`.
    Unary(&'static str, Box<Tree>),
    Binary(&'static str, Box<[Tree; 2]>),
    /// What it is, if, and what else.
    Choice(Box<[Tree; 3]>),
}

/// The value of an expression with names that somebody knows; or what is wrong with it.
pub(super) fn evaluate(
    text: &str,
    known: &mut dyn FnMut(&str) -> Result<Option<Value>, String>,
) -> Result<Value, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    let tree = parser.choice()?;
    match parser.peek() {
        None => value(&tree, known),
        Some(token) => Err(format!("`{}` is not read here", excerpt(token.text()))),
    }
}

#[derive(Clone)]
enum Token {
    Value(Value, String),
    Word(String),
    Sign(&'static str),
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Token::Value(_, text) | Token::Word(text) => text,
            Token::Sign(sign) => sign,
        }
    }
}

/// Longer ones first.
const SIGNS: [&str; 21] =
    ["**", "//", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", ",", "[", "]", "{", "}", ":"];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut rest = text.trim();
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = |is_part: &dyn Fn(char) -> bool| rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        let digit = first.is_ascii_digit() || first == '.' && rest[1..].starts_with(|next: char| next.is_ascii_digit());
        let end = if first == '\'' || first == '"' {
            let inner = &rest[1..];
            let Some(end) = inner.find(first) else {
                return Err(format!("expected `{first}` behind `{}`", excerpt(rest)));
            };
            if inner[..end].contains('\\') {
                return Err(format!("`\\` within `{}` is not read", excerpt(rest)));
            }
            tokens.push(Token::Value(Value::Text(inner[..end].to_owned()), rest[..end + 2].to_owned()));
            end + 2
        } else if digit {
            let mut end = length(&|letter| letter.is_ascii_alphanumeric() || letter == '.');
            // A sign behind the exponent of a number with decimals.
            if rest[..end].ends_with(['e', 'E']) && rest[end..].starts_with(['+', '-']) {
                end +=
                    1 + rest[end + 1..].find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len() - end - 1);
            }
            let word = &rest[..end];
            let number = word.parse().map(Value::Int).or_else(|_| word.parse().map(Value::Float));
            let number = number.map_err(|_| format!("expected a number, found `{}`", excerpt(word)))?;
            tokens.push(Token::Value(number, word.to_owned()));
            end
        } else if first.is_alphabetic() || first == '_' {
            let end = length(&|letter| letter.is_alphanumeric() || letter == '_' || letter == '.');
            tokens.push(Token::Word(rest[..end].to_owned()));
            end
        } else {
            let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
            let Some(sign) = sign else { return Err(format!("`{first}` is not read")) };
            tokens.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[end..].trim_start();
        if tokens.len() > TOKENS {
            return Err(format!("expected at most {TOKENS} words, numbers and signs"));
        }
    }
    Ok(tokens)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    /// Takes one of these words or signs, if it is next.
    fn take(&mut self, known: &[&'static str]) -> Option<&'static str> {
        let found = match self.peek()? {
            Token::Value(..) => None,
            token => known.iter().find(|known| **known == token.text()),
        };
        found.inspect(|_| self.at += 1).copied()
    }

    fn choice(&mut self) -> Result<Tree, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(format!("expected at most {DEPTH} expressions within each other"));
        }
        let mut tree = self.disjunction()?;
        if self.take(&["if"]).is_some() {
            let condition = self.disjunction()?;
            if self.take(&["else"]).is_none() {
                return Err("expected `else` behind `if`".to_owned());
            }
            tree = Tree::Choice(Box::new([tree, condition, self.choice()?]));
        }
        self.depth -= 1;
        Ok(tree)
    }

    /// Operators of one rank, from left to right.
    fn chain(&mut self, signs: &[&'static str], next: fn(&mut Self) -> Result<Tree, String>) -> Result<Tree, String> {
        let mut tree = next(self)?;
        while let Some(sign) = self.take(signs) {
            tree = Tree::Binary(sign, Box::new([tree, next(self)?]));
        }
        Ok(tree)
    }

    fn disjunction(&mut self) -> Result<Tree, String> {
        self.chain(&["or"], Self::conjunction)
    }

    fn conjunction(&mut self) -> Result<Tree, String> {
        self.chain(&["and"], Self::negation)
    }

    fn negation(&mut self) -> Result<Tree, String> {
        let mut count = 0;
        while self.take(&["not"]).is_some() {
            count += 1;
        }
        let mut tree = self.comparison()?;
        for _ in 0..count {
            tree = Tree::Unary("not", Box::new(tree));
        }
        Ok(tree)
    }

    fn comparison(&mut self) -> Result<Tree, String> {
        const SIGNS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];
        let tree = self.sum()?;
        let Some(sign) = self.take(&SIGNS) else { return Ok(tree) };
        let tree = Tree::Binary(sign, Box::new([tree, self.sum()?]));
        match self.take(&SIGNS) {
            Some(_) => Err("a comparison of three is not read".to_owned()),
            None => Ok(tree),
        }
    }

    fn sum(&mut self) -> Result<Tree, String> {
        self.chain(&["+", "-"], Self::product)
    }

    fn product(&mut self) -> Result<Tree, String> {
        self.chain(&["*", "//", "/", "%"], Self::factor)
    }

    fn factor(&mut self) -> Result<Tree, String> {
        let mut signs = Vec::new();
        while let Some(sign) = self.take(&["-", "+"]) {
            signs.push(sign);
        }
        let mut tree = self.atom()?;
        if self.take(&["**"]).is_some() {
            self.depth += 1;
            if self.depth > DEPTH {
                return Err(format!("expected at most {DEPTH} expressions within each other"));
            }
            tree = Tree::Binary("**", Box::new([tree, self.factor()?]));
            self.depth -= 1;
        }
        for sign in signs.into_iter().rev() {
            tree = Tree::Unary(sign, Box::new(tree));
        }
        Ok(tree)
    }

    fn atom(&mut self) -> Result<Tree, String> {
        let token = self.peek().cloned();
        self.at += 1;
        let tree = match token {
            Some(Token::Value(value, _)) => Tree::Value(value),
            Some(Token::Word(word)) => {
                if self.take(&["("]).is_some() {
                    let mut arguments = Vec::new();
                    while self.take(&[")"]).is_none() {
                        arguments.push(self.choice()?);
                        if self.take(&[","]).is_none() && !matches!(self.peek(), Some(Token::Sign(")"))) {
                            return Err(format!("expected `)` behind what is given to `{}`", excerpt(&word)));
                        }
                    }
                    Tree::Call(word, arguments)
                } else {
                    Tree::Name(word)
                }
            }
            Some(Token::Sign("(")) => {
                let tree = self.choice()?;
                if self.take(&[")"]).is_none() {
                    return Err("expected `)`".to_owned());
                }
                tree
            }
            Some(Token::Sign(sign)) => return Err(format!("`{sign}` is not read here")),
            None => return Err("expected a value at the end".to_owned()),
        };
        if matches!(self.peek(), Some(Token::Sign("["))) {
            return Err("lists and dictionaries are not read".to_owned());
        }
        Ok(tree)
    }
}

fn value(tree: &Tree, known: &mut dyn FnMut(&str) -> Result<Option<Value>, String>) -> Result<Value, String> {
    match tree {
        Tree::Value(value) => Ok(value.clone()),
        Tree::Name(name) => match known(name)? {
            Some(value) => Ok(value),
            None => constant(name),
        },
        Tree::Call(name, arguments) => {
            let arguments: Result<Vec<Value>, String> =
                arguments.iter().map(|argument| value(argument, known)).collect();
            call(name, &arguments?)
        }
        Tree::Unary(sign, inner) => {
            let inner = value(inner, known)?;
            match (*sign, inner.whole(), inner.number()) {
                ("not", ..) => Ok(Value::Bool(!inner.is_true())),
                ("-", Some(whole), _) => whole.checked_neg().map(Value::Int).ok_or_else(too_large),
                ("-", None, Some(number)) => Ok(Value::Float(-number)),
                (_, Some(whole), _) => Ok(Value::Int(whole)),
                (_, None, Some(number)) => Ok(Value::Float(number)),
                (sign, None, None) => {
                    Err(format!("expected a number behind `{sign}`, found `{}`", excerpt(&inner.text())))
                }
            }
        }
        Tree::Binary(sign @ ("and" | "or"), operands) => {
            let first = value(&operands[0], known)?;
            if first.is_true() == (*sign == "or") { Ok(first) } else { value(&operands[1], known) }
        }
        Tree::Binary(sign, operands) => {
            let (first, second) = (value(&operands[0], known)?, value(&operands[1], known)?);
            binary(sign, &first, &second)
        }
        Tree::Choice(parts) => {
            let index = if value(&parts[1], known)?.is_true() { 0 } else { 2 };
            value(&parts[index], known)
        }
    }
}

fn too_large() -> String {
    "a whole number is larger than 64 bits".to_owned()
}

fn binary(sign: &str, first: &Value, second: &Value) -> Result<Value, String> {
    if let (Value::Text(first), Value::Text(second)) = (first, second) {
        match sign {
            "+" if first.len() + second.len() > TEXT => return Err(format!("a text is longer than {TEXT} bytes")),
            "+" => return Ok(Value::Text(format!("{first}{second}"))),
            "==" => return Ok(Value::Bool(first == second)),
            "!=" => return Ok(Value::Bool(first != second)),
            _ => {}
        }
    }
    let (Some(a), Some(b)) = (first.number(), second.number()) else {
        return match sign {
            "==" => Ok(Value::Bool(false)),
            "!=" => Ok(Value::Bool(true)),
            _ => {
                let text = if first.number().is_none() { first.text() } else { second.text() };
                Err(format!("expected numbers beside `{sign}`, found `{}`", excerpt(&text)))
            }
        };
    };
    let whole = first.whole().zip(second.whole());
    let checked = |result: Option<i64>| result.map(Value::Int).ok_or_else(too_large);
    if matches!(sign, "/" | "//" | "%") && b == 0.0 {
        return Err("a division by zero".to_owned());
    }
    match (sign, whole) {
        ("==", _) => Ok(Value::Bool(a == b)),
        ("!=", _) => Ok(Value::Bool(a != b)),
        ("<", _) => Ok(Value::Bool(a < b)),
        ("<=", _) => Ok(Value::Bool(a <= b)),
        (">", _) => Ok(Value::Bool(a > b)),
        (">=", _) => Ok(Value::Bool(a >= b)),
        ("+", Some((a, b))) => checked(a.checked_add(b)),
        ("-", Some((a, b))) => checked(a.checked_sub(b)),
        ("*", Some((a, b))) => checked(a.checked_mul(b)),
        // Towards minus infinity, with a remainder of the sign of the divisor.
        ("//", Some((a, b))) => {
            checked(a.checked_div(b).map(|quotient| quotient - i64::from(a % b != 0 && (a < 0) != (b < 0))))
        }
        ("%", Some((a, b))) => {
            checked(a.checked_rem(b).map(|rest| if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }))
        }
        ("**", Some((a, b))) if b >= 0 => checked(u32::try_from(b).ok().and_then(|b| a.checked_pow(b))),
        ("+", None) => Ok(Value::Float(a + b)),
        ("-", None) => Ok(Value::Float(a - b)),
        ("*", None) => Ok(Value::Float(a * b)),
        ("/", _) => Ok(Value::Float(a / b)),
        ("**", _) => number(a.powf(b), "**"),
        _ => Err(format!("`{sign}` of numbers that are not whole is not read")),
    }
}

/// A number, unless there is none.
fn number(result: f64, of: &str) -> Result<Value, String> {
    if result.is_finite() { Ok(Value::Float(result)) } else { Err(format!("`{of}` has no finite value there")) }
}

/// Names that need no property.
fn constant(name: &str) -> Result<Value, String> {
    Ok(match name.strip_prefix("math.").or(name.strip_prefix("python.")).unwrap_or(name) {
        "pi" => Value::Float(std::f64::consts::PI),
        "e" => Value::Float(std::f64::consts::E),
        "tau" => Value::Float(std::f64::consts::TAU),
        "True" => Value::Bool(true),
        "False" => Value::Bool(false),
        _ if name.contains('.') => return Err(format!("`{}`: names with dots are not read", excerpt(name))),
        _ => return Err(format!("unknown property `{}`", excerpt(name))),
    })
}

/// Functions of a number.
const FUNCTIONS: [(&str, fn(f64) -> f64); 14] = [
    ("radians", f64::to_radians),
    ("degrees", f64::to_degrees),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("asin", f64::asin),
    ("acos", f64::acos),
    ("atan", f64::atan),
    ("sqrt", f64::sqrt),
    ("exp", f64::exp),
    ("log", f64::ln),
    ("fabs", f64::abs),
    ("floor", f64::floor),
    ("ceil", f64::ceil),
];

fn call(name: &str, arguments: &[Value]) -> Result<Value, String> {
    let word = name.strip_prefix("math.").or(name.strip_prefix("python.")).unwrap_or(name);
    let numbers: Option<Vec<f64>> = arguments.iter().map(Value::number).collect();
    if let (Some((_, function)), Some([only])) = (FUNCTIONS.iter().find(|known| known.0 == word), numbers.as_deref()) {
        let result = function(*only);
        return match word {
            "floor" | "ceil" if result.abs() < 9e15 => Ok(Value::Int(result as i64)),
            _ => number(result, word),
        };
    }
    match (word, arguments, numbers.as_deref()) {
        ("abs", [Value::Int(whole)], _) => whole.checked_abs().map(Value::Int).ok_or_else(too_large),
        ("abs", [_], Some([only])) => Ok(Value::Float(only.abs())),
        ("min" | "max", [first, ..], Some(numbers)) if numbers.len() > 1 => {
            let mut best = (numbers[0], first);
            for (number, value) in numbers.iter().zip(arguments).skip(1) {
                if (word == "min" && *number < best.0) || (word == "max" && *number > best.0) {
                    best = (*number, value);
                }
            }
            Ok(best.1.clone())
        }
        ("atan2", _, Some([y, x])) => Ok(Value::Float(y.atan2(*x))),
        ("hypot", _, Some([x, y])) => number(x.hypot(*y), word),
        ("pow", _, Some([base, exponent])) => number(base.powf(*exponent), word),
        ("float", [Value::Text(text)], _) => {
            let read = text.trim().parse();
            read.map(Value::Float).map_err(|_| format!("expected a number, found `{}`", excerpt(text)))
        }
        ("float", _, Some([only])) => Ok(Value::Float(*only)),
        ("int", [Value::Text(text)], _) => {
            let read = text.trim().parse();
            read.map(Value::Int).map_err(|_| format!("expected a whole number, found `{}`", excerpt(text)))
        }
        ("int", _, Some([only])) if only.abs() < 9e15 => Ok(Value::Int(only.trunc() as i64)),
        ("str", [only], _) => Ok(Value::Text(only.text())),
        _ => {
            const OTHERS: [&str; 9] = ["abs", "min", "max", "atan2", "hypot", "pow", "float", "int", "str"];
            let known = || FUNCTIONS.iter().map(|(known, _)| *known).chain(OTHERS);
            if known().any(|known| known == word) {
                return Err(format!("`{word}` is not read with what is given to it"));
            }
            let near = nearest(word, known()).map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
            Err(format!("the function `{}` is not read{near}", excerpt(name)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluated(text: &str) -> Result<String, String> {
        let mut known = |name: &str| {
            Ok(match name {
                "x" => Some(Value::Float(0.1)),
                "n" => Some(Value::Int(3)),
                "side" => Some(Value::Text("left".to_owned())),
                _ => None,
            })
        };
        evaluate(text, &mut known).map(|value| value.text())
    }

    /// As Python prints it.
    #[test]
    fn expressions_have_the_values_that_python_gives_them() {
        for (text, expected) in [
            ("1 + 2*3", "7"),
            ("x + 0.2", "0.30000000000000004"),
            ("7/2", "3.5"),
            ("6/2", "3.0"),
            ("-7 // 2", "-4"),
            ("-7 % 3", "2"),
            ("2**-1", "0.5"),
            ("-2**2", "-4"),
            ("2**3**2", "512"),
            ("(1 - n)*x", "-0.2"),
            ("pi/2", "1.5707963267948966"),
            ("math.radians(30)", "0.5235987755982988"),
            ("cos(pi)", "-1.0"),
            ("1.5e-7*n", "4.5e-07"),
            ("min(n, 2, 5)", "2"),
            ("max(x, 1)", "1"),
            ("n == 3 and side == 'left'", "True"),
            ("not n > 4 or side", "True"),
            ("side + \"_arm\"", "left_arm"),
            ("1 if side == 'right' else -1", "-1"),
            ("side != 5", "True"),
            ("int(3.9) + float('0.5')", "3.5"),
            ("abs(-n) + fabs(-1)", "4.0"),
            ("True + 1", "2"),
            ("1 - -1", "2"),
            ("+5", "5"),
        ] {
            assert_eq!(evaluated(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_read_is_said() {
        for (text, part) in [
            ("", "expected a value"),
            ("1 +", "expected a value"),
            ("y", "unknown property `y`"),
            ("a['b']", "lists and dictionaries are not read"),
            ("[1, 2]", "`[` is not read here"),
            ("a.b", "names with dots are not read"),
            ("load_yaml('a')", "the function `load_yaml` is not read"),
            ("sine(1)", "did you mean `sin`?"),
            ("sin(1, 2)", "`sin` is not read with what is given to it"),
            ("sqrt(-1)", "no finite value"),
            ("1/0", "a division by zero"),
            ("side*2", "expected numbers beside `*`, found `left`"),
            ("1 < 2 < 3", "a comparison of three"),
            ("1 if 2", "expected `else`"),
            ("(1", "expected `)`"),
            ("'a", "expected `'` behind"),
            ("1x", "expected a number, found `1x`"),
            ("9223372036854775807 + 1", "larger than 64 bits"),
            ("x for x in y", "`for` is not read here"),
            ("1 ; 2", "`;` is not read"),
        ] {
            let found = evaluated(text).expect_err(text);
            assert!(found.contains(part), "{text}: {found}");
        }
        let half = "a".repeat(TEXT / 2);
        assert!(evaluated(&format!("'{half}' + '{half}'")).is_ok());
        let found = evaluated(&format!("'{half}' + '{half}a'")).expect_err("it is too long");
        assert!(found.contains("a text is longer than"), "{found}");
        assert!(evaluated(&"(".repeat(100_000)).is_err());
        assert!(evaluated(&"-".repeat(100_000)).is_err());
        assert!(evaluated(&format!("1{}", "**1".repeat(100_000))).is_err());
        assert!(evaluated(&format!("1{}", "+1".repeat(100_000))).is_err());
        assert_eq!(evaluated(&format!("1{}", "+1".repeat(400))).as_deref(), Ok("401"));
    }
}
