//! How text of users stands in other languages: one function for each.
//!
//! Names in models are identifiers, but those of robots, files and figures are any text: nothing of it may end the
//! comment, string or label that it stands in, nor turn what follows it round on a screen.
//! Not here: strings of generated Rust, which `proc_macro2` writes; identifiers, which are chosen where they are given
//! (`resolve::is_free_name`, `emit::formula`); the quotes of CSV, the tags of XML and the strings of JSON, which are
//! left to the crates that write those files.

/// Most bytes of a file name that every file system takes, with room for an ending.
const LONGEST_FILE_NAME: usize = 200;

/// Text on one line with everything in it to be seen: for messages, line comments and labels.
///
/// What ends a line, is invisible or changes the direction of writing becomes `\u{…}`, as in Rust.
pub fn line(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_hidden(letter) { escaped.extend(letter.escape_unicode()) } else { escaped.push(letter) }
    }
    escaped
}

/// The beginning of a text on one line, for messages that quote what may be long.
pub fn excerpt(text: &str) -> String {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => line(&text[..end]) + "…",
        None => line(text),
    }
}

/// Text inside a comment of Rust or C, be it `// …` or `/* … */`.
pub fn comment(text: &str) -> String {
    let mut text = line(text).replace("*/", "* /").replace("/*", "/ *");
    // A comment of C goes on behind a backslash at the end of its line.
    if text.ends_with('\\') {
        text.push(' ');
    }
    text
}

/// Text as an upright word of a formula in LaTeX.
pub fn latex(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in line(text).chars() {
        match letter {
            '\\' => escaped.push_str("\\backslash{}"),
            '^' | '~' => escaped.extend(['\\', letter, '{', '}']),
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => escaped.extend(['\\', letter]),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Text as a string of the DOT language, quotes included; its lines stay lines.
pub fn dot(text: &str) -> String {
    let lines: Vec<String> =
        text.split('\n').map(|part| line(part).replace('\\', "\\\\").replace('"', "\\\"")).collect();
    format!("\"{}\"", lines.join("\\n"))
}

/// Text between the tags of HTML, or inside a quoted attribute; its lines stay lines.
pub fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(letter),
            hidden if is_hidden(hidden) => escaped.extend(hidden.escape_unicode()),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Text as the name of a file in a folder, on every system: letters, digits, `-`, `_` and inner dots.
pub fn file_name(text: &str) -> String {
    let plain = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '_' };
    let mut name: String = text.chars().map(plain).collect();
    let end = (0..=LONGEST_FILE_NAME.min(name.len())).rev().find(|&end| name.is_char_boundary(end));
    name.truncate(end.unwrap_or(0));
    let is_hidden_or_option = name.starts_with(['.', '-']) || name.is_empty();
    let stem = name.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let is_device = matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL")
        || stem.strip_prefix("COM").or(stem.strip_prefix("LPT")).is_some_and(|port| port.len() == 1);
    if is_hidden_or_option || is_device { format!("_{name}") } else { name }
}

/// Whether a character moves the cursor, is not seen, or changes the direction of what follows.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All control characters, quotes, terminators and marks of direction, one after another between letters.
    fn hostile() -> Vec<String> {
        let controls = (0..0x20).chain(0x7f..0xa0).filter_map(char::from_u32);
        let marks = (0x2028..=0x202e).chain(0x2060..=0x206f).chain([0x61c, 0x200e, 0x200f, 0xfeff]);
        let words = [
            "*/",
            "/*",
            "*/*",
            "/*/",
            "**//",
            "//",
            "\\",
            "\\\n",
            "\"",
            "'",
            "`",
            "\"#",
            "</svg>",
            "<script>",
            "]]>",
            "--",
            "-->",
            "&",
            "{{",
            "}}",
            "%",
            "$",
            "#",
            "^",
            "~",
            ",",
            ";",
            "=1+1",
            "%n",
            "..",
            "/",
            "\\end{align*}",
            "\r\n",
            "??/",
            "日本",
        ];
        let characters = controls.chain(marks.filter_map(char::from_u32)).map(String::from);
        let all: Vec<String> = characters.chain(words.map(String::from)).collect();
        let between = all.iter().map(|text| format!("a{text}b"));
        between.chain(all.iter().cloned()).chain([all.concat(), String::new()]).collect()
    }

    fn assert_is_seen(text: &str) {
        assert!(!text.chars().any(is_hidden), "{text:?}");
    }

    #[test]
    fn a_line_is_one_line_to_be_seen() {
        for text in hostile() {
            assert_is_seen(&line(&text));
            assert_is_seen(&excerpt(&text));
            assert!(excerpt(&text.repeat(1000)).len() < 2000);
        }
        assert_eq!(line("tool\u{a}0 日本"), "tool\\u{a}0 日本");
        assert_eq!(excerpt(&"x".repeat(81)), "x".repeat(80) + "…");
    }

    #[test]
    fn a_comment_ends_where_its_writer_ends_it() {
        for text in hostile() {
            let text = comment(&text);
            assert_is_seen(&text);
            assert!(!text.contains("*/") && !text.contains("/*") && !text.ends_with('\\'), "{text}");
            for source in [format!("// {text}\nmass"), format!("/* {text} */ mass"), format!("/// {text}\nmass")] {
                let tokens: proc_macro2::TokenStream =
                    source.parse().unwrap_or_else(|error| panic!("{error}\n{source}"));
                let names = tokens.into_iter().filter(|token| matches!(token, proc_macro2::TokenTree::Ident(_)));
                assert_eq!(names.map(|name| name.to_string()).collect::<Vec<_>>(), ["mass"], "{source}");
            }
        }
    }

    /// No character has a meaning in LaTeX, and braces are balanced.
    #[test]
    fn latex_has_no_commands_of_its_text() {
        for text in hostile() {
            let text = latex(&text);
            assert_is_seen(&text);
            let mut rest = text.replace("\\backslash{}", "").replace("\\^{}", "").replace("\\~{}", "");
            for letter in "#$%&_{}".chars() {
                rest = rest.replace(&format!("\\{letter}"), "");
            }
            assert!(!rest.contains(['\\', '#', '$', '%', '&', '_', '{', '}', '^', '~']), "{text}");
        }
    }

    #[test]
    fn a_string_of_dot_has_two_quotes() {
        for text in hostile() {
            let text = dot(&text);
            assert_is_seen(&text);
            let inner = text[1..text.len() - 1].replace("\\\\", "").replace("\\\"", "");
            assert!(text.starts_with('"') && text.ends_with('"') && !inner.contains('"'), "{text}");
            assert!(!inner.replace("\\n", "").contains('\\'), "{text}");
        }
    }

    #[test]
    fn html_has_no_tags_of_its_text() {
        for text in hostile() {
            let text = html(&text);
            assert!(!text.chars().any(|letter| is_hidden(letter) && !"\n\t".contains(letter)), "{text:?}");
            assert!(!text.contains(['<', '>', '"', '\'']), "{text}");
            assert!(text.split('&').skip(1).all(|rest| rest.split(';').next().is_some_and(|name| name.len() < 5)));
        }
    }

    #[test]
    fn a_file_name_is_one_step_of_a_path() {
        for text in hostile().into_iter().chain(["con", "Nul.txt", "com1", "é".repeat(300).as_str()].map(String::from))
        {
            let name = file_name(&text);
            let path = std::path::Path::new(&name);
            assert_eq!(path.file_name(), Some(path.as_os_str()), "{text:?}");
            assert!(
                !name.starts_with(['.', '-']) && !name.contains(['/', '\\', ':', ' ']) && name.len() < 255,
                "{name}"
            );
            assert_is_seen(&name);
        }
        assert_eq!(["heavy_top", "a/b", "nul", ".x"].map(file_name), ["heavy_top", "a_b", "_nul", "_.x"]);
    }
}
