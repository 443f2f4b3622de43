//! Whether two texts say the same, up to the last digits of numbers.

/// Relative difference of numbers that are the same: processors differ in the last digits of sines, and motions amplify that.
const RELATIVE: f64 = 1e-5;

/// Numbers below this are rounding.
const ROUNDING: f64 = 1e-8;

/// How far points of figures may be apart, of 6000 across.
const POINTS: f64 = 20.0;

/// A text in which signs and powers are those of programs: `−3.1·10⁻⁵` becomes `-3.1e-5`.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        rest = match rest.strip_prefix("·10") {
            Some(power) if power.starts_with(|c| "⁻⁰¹²³⁴⁵⁶⁷⁸⁹".contains(c)) => {
                plain.push('e');
                power
            }
            _ => {
                let superscript = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|digit| digit == character);
                match (character, superscript) {
                    ('−' | '⁻', _) => plain.push('-'),
                    (_, Some(digit)) => plain.push_str(&digit.to_string()),
                    _ => plain.push(character),
                }
                &rest[character.len_utf8()..]
            }
        };
    }
    plain
}

/// A number at the beginning of a text, and how long it is.
fn number(text: &str) -> Option<(f64, usize)> {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let sign = usize::from(text.starts_with('-'));
    let whole = digits(sign);
    if whole == 0 {
        return None;
    }
    let mut end = sign + whole;
    if text[end..].starts_with('.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let start = end + 1 + usize::from(text[end + 1..].starts_with(['-', '+']));
        if digits(start) > 0 {
            end = start + digits(start);
        }
    }
    Some((text[..end].parse().ok()?, end))
}

/// Whether two lines are equal but for numbers, of which `are_equal` decides; `…` in the first stands for any text.
fn lines_agree(shown: &str, printed: &str, are_equal: impl Fn(f64, f64) -> bool + Copy) -> bool {
    let (mut shown, mut printed) = (shown, printed);
    let mut before = ' ';
    while let Some(character) = shown.chars().next() {
        if let Some(rest) = shown.strip_prefix('…') {
            // The shortest text first; at the end of a line any.
            return rest.is_empty()
                || printed.char_indices().any(|(at, _)| lines_agree(rest, &printed[at..], are_equal));
        }
        // Columns are as wide as what stands in them.
        if character == ' ' {
            if !printed.starts_with(' ') {
                return false;
            }
            (shown, printed) = (shown.trim_start_matches(' '), printed.trim_start_matches(' '));
            before = ' ';
            continue;
        }
        // `p1` and `1.2.3` are no numbers.
        let is_number = !before.is_alphanumeric() && before != '.';
        if let (true, Some((a, length)), Some((b, other))) = (is_number, number(shown), number(printed)) {
            if shown[..length] != printed[..other] && !are_equal(a, b) {
                return false;
            }
            (shown, printed) = (&shown[length..], &printed[other..]);
            before = '0';
            continue;
        }
        if !printed.starts_with(character) {
            return false;
        }
        (shown, printed) = (&shown[character.len_utf8()..], &printed[character.len_utf8()..]);
        before = character;
    }
    printed.trim_end().is_empty()
}

fn numbers_agree(a: f64, b: f64) -> bool {
    (a - b).abs() <= RELATIVE * a.abs().max(b.abs()) || a.abs().max(b.abs()) < ROUNDING
}

/// Compares what a page shows with what is printed; the first line that differs.
pub fn texts_agree(shown: &str, printed: &str) -> Result<(), String> {
    let (shown, printed) = (plain(shown.trim_end()), plain(printed.trim_end()));
    let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let (mut next, mut may_skip) = (0, false);
    for line in shown.lines().map(str::trim_end) {
        if line == "…" {
            may_skip = true;
            continue;
        }
        let last = if may_skip { lines.len() } else { lines.len().min(next + 1) };
        let found = (next..last).find(|&index| lines_agree(line, lines[index], numbers_agree));
        next = 1 + found.ok_or_else(|| format!("`{line}` is not printed"))?;
        may_skip = false;
    }
    if may_skip || next == lines.len() { Ok(()) } else { Err(format!("`{}` is printed, too", lines[next])) }
}

/// Whether two figures have the same words and shapes, with points at nearly the same places.
pub fn figures_agree(shown: &str, written: &str) -> bool {
    // Letters of paths stand beside their numbers.
    let spaced = |text: &str| {
        ["M", "L", "H", "V", "C"]
            .iter()
            .fold(text.replace('\n', " "), |text, letter| text.replace(letter, &format!("{letter} ")))
    };
    lines_agree(&spaced(shown), &spaced(written), |a, b| (a - b).abs() <= POINTS)
}

#[test]
fn numbers_agree_up_to_their_last_digits() {
    let agree = |a: &str, b: &str| texts_agree(a, b).is_ok();
    assert!(agree("x  −1.2345678 m", "x −1.2345679 m"));
    assert!(!agree("x  −1.2345678 m", "x −1.2344 m"));
    assert!(!agree("x  1.0 m", "x −1.0 m"));
    assert!(agree("error 3.6·10⁻¹⁶", "error 1.2·10⁻¹⁷"));
    assert!(!agree("error 3.6·10⁻⁶", "error 1.2·10⁻⁶"));
    assert!(agree("took … s", "took 12.7 s"));
    assert!(!agree("took … s", "took 12.7 m"));
    assert!(agree("a\n…\nd", "a\nb\nc\nd"));
    assert!(agree("a\n…", "a\nb\nc"));
    assert!(!agree("a\n…\ne", "a\nb\nc\nd"));
    assert!(!agree("a", "a\nb"));
    assert!(!agree("a\nb", "a"));
    assert!(!agree("p1", "p2"), "digits of names count");
}

#[test]
fn figures_agree_up_to_a_line_width() {
    let figure = |x: i32, name: &str| format!("<svg><path d=\"M10 20L{x} 30\"/><text>{name}</text></svg>");
    assert!(figures_agree(&figure(100, "a"), &figure(110, "a")));
    assert!(!figures_agree(&figure(100, "a"), &figure(160, "a")));
    assert!(!figures_agree(&figure(100, "a"), &figure(100, "b")));
}
