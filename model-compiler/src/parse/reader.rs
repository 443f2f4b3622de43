//! Reading position in a token stream: words, symbols, groups, and recovery after an error.
//!
//! A thin layer over `syn`'s cursor. Unlike `syn`'s own parse streams it does not complain about tokens that an
//! abandoned group still holds, so reading may go on after an error.

use proc_macro2::{Delimiter, Ident, Literal, Spacing, Span, TokenTree};
use syn::Result;
use syn::buffer::Cursor;

use super::integers::Integers;
use super::keywords;
use crate::diagnostics::{self, Place};
use crate::limits;

/// A position between two tokens of one group.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    cursor: Cursor<'a>,
    /// What ends this group, in words.
    end: &'static str,
    depth: usize,
    integers: &'a Integers,
}

impl<'a> Reader<'a> {
    /// A reader of a whole input.
    pub(super) fn new(cursor: Cursor<'a>, integers: &'a Integers) -> Reader<'a> {
        Reader { cursor, end: "the end", depth: 0, integers }
    }

    /// A reader of other tokens at the same depth.
    pub(super) fn within<'b>(self, cursor: Cursor<'b>) -> Reader<'b>
    where
        'a: 'b,
    {
        Reader { cursor, end: self.end, depth: self.depth, integers: self.integers }
    }

    /// The integer constants read so far.
    pub(super) fn integers(self) -> &'a Integers {
        self.integers
    }

    /// Whether nothing is left in this group.
    pub(super) fn is_empty(self) -> bool {
        self.cursor.eof()
    }

    /// Span of the next token, or of what closes the group.
    pub(super) fn span(self) -> Span {
        if self.is_empty() && self.depth == 0 { self.cursor.prev_span() } else { self.cursor.span() }
    }

    /// From a token to the one read last.
    pub(super) fn since(self, first: Span) -> Place {
        Place { first, last: self.cursor.prev_span() }
    }

    /// Whether the next token is this word.
    pub(super) fn sees_word(self, word: &str) -> bool {
        self.cursor.ident().is_some_and(|(ident, _)| ident == word)
    }

    /// Reads this word if it is next.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let taken = self.sees_word(word);
        if taken {
            self.take_any_word();
        }
        taken
    }

    /// The next token if it is a word.
    pub(super) fn word(self) -> Option<Ident> {
        self.cursor.ident().map(|(ident, _)| ident)
    }

    /// Reads any word.
    pub(super) fn take_any_word(&mut self) -> Option<Ident> {
        let (ident, rest) = self.cursor.ident()?;
        self.cursor = rest;
        Some(ident)
    }

    /// Reads a literal.
    pub(super) fn take_literal(&mut self) -> Option<Literal> {
        let (literal, rest) = self.cursor.literal()?;
        self.cursor = rest;
        Some(literal)
    }

    /// The next token if it is a literal.
    pub(super) fn literal(self) -> Option<Literal> {
        self.cursor.literal().map(|(literal, _)| literal)
    }

    /// Reads a name to declare or to refer to; `what` says of what.
    pub(super) fn name(&mut self, what: &str) -> Result<Ident> {
        match self.word().filter(|word| !keywords::is_rust_keyword(word)) {
            Some(word) if word.to_string().starts_with("r#") => Err(diagnostics::raw_name(&word)),
            Some(word) if word.to_string().chars().count() > limits::NAME => {
                Err(diagnostics::name_too_long(&word, limits::NAME))
            }
            Some(_) => self.take_any_word().ok_or_else(|| self.expected(what)),
            None => Err(match self.word() {
                Some(keyword) => diagnostics::keyword_as_name(&keyword, what),
                None => self.expected(what),
            }),
        }
    }

    /// Whether these punctuation characters are next, without a space between them.
    pub(super) fn sees(self, symbol: &str) -> bool {
        self.after(symbol).is_some()
    }

    /// Reads punctuation if it is next.
    pub(super) fn take(&mut self, symbol: &str) -> bool {
        match self.after(symbol) {
            Some(rest) => {
                self.cursor = rest;
                true
            }
            None => false,
        }
    }

    fn after(self, symbol: &str) -> Option<Cursor<'a>> {
        let mut cursor = self.cursor;
        let mut is_joined = true;
        for character in symbol.chars() {
            let (punct, rest) = cursor.punct()?;
            if punct.as_char() != character || !is_joined {
                return None;
            }
            is_joined = punct.spacing() == Spacing::Joint;
            cursor = rest;
        }
        Some(cursor)
    }

    /// Reads punctuation, or says that it is missing.
    pub(super) fn expect(&mut self, symbol: &str) -> Result<()> {
        if self.take(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    /// Reads the `:` after the name of an item.
    pub(super) fn colon_after(&mut self, name: &Ident) -> Result<()> {
        if self.take(":") { Ok(()) } else { Err(self.expected(&format!("`:` after `{name}`"))) }
    }

    /// Whether a group with this delimiter is next.
    pub(super) fn sees_group(self, delimiter: Delimiter) -> bool {
        self.cursor.group(delimiter).is_some()
    }

    /// Reads a group, or says that it is missing.
    pub(super) fn group(&mut self, delimiter: Delimiter) -> Result<Reader<'a>> {
        let (open, end) = match delimiter {
            Delimiter::Parenthesis => ("`(`", "`)`"),
            Delimiter::Bracket => ("`[`", "`]`"),
            Delimiter::Brace => ("`{`", "`}`"),
            Delimiter::None => ("a group", "its end"),
        };
        let Some((inside, span, rest)) = self.cursor.group(delimiter) else {
            return Err(self.expected(open));
        };
        // Substitution can nest what was not nested when it was written.
        if self.depth == limits::NESTING {
            return Err(diagnostics::nested_too_deeply(Place::at(span.open()), limits::NESTING));
        }
        self.cursor = rest;
        Ok(Reader { cursor: inside, end, depth: self.depth + 1, integers: self.integers })
    }

    /// Says that something is missing here.
    pub(super) fn expected(self, what: &str) -> syn::Error {
        diagnostics::expected(Place::at(self.open_span()), what, &self.found())
    }

    /// What is next, for messages.
    pub(super) fn found(self) -> String {
        match self.cursor.token_tree() {
            None => self.end.to_owned(),
            Some((TokenTree::Group(group), _)) => match group.delimiter() {
                Delimiter::Parenthesis => "`(`".to_owned(),
                Delimiter::Bracket => "`[`".to_owned(),
                Delimiter::Brace => "`{`".to_owned(),
                Delimiter::None => "a substituted expression".to_owned(),
            },
            Some((TokenTree::Ident(word), _)) if keywords::is_rust_keyword(&word) => {
                format!("keyword `{word}`")
            }
            Some((token, _)) => format!("`{token}`"),
        }
    }

    /// Span of the next token; of a group only its opening delimiter.
    pub(super) fn open_span(self) -> Span {
        match self.cursor.token_tree() {
            Some((TokenTree::Group(group), _)) => group.span_open(),
            _ => self.span(),
        }
    }

    /// Fails unless the group has been read to its end.
    pub(super) fn finish(self, what: &str) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(self.expected(what)) }
    }

    /// Goes past the next `,`, or to the end of the group.
    pub(super) fn skip_past_comma(&mut self) {
        while !self.is_empty() && !self.take(",") {
            self.take_token();
        }
    }

    /// Goes to where the next item probably begins: past a `;`, past braces, or, unless `to_the_end` of this one, before a
    /// word that begins an item.
    ///
    /// Always reads on if `start`, where the item in error begins, is still the next token.
    pub(super) fn skip_item(&mut self, start: Reader<'a>, to_the_end: bool) {
        if self.cursor == start.cursor {
            // One that is too many ends nothing else.
            if self.take(";") {
                return;
            }
            self.take_token();
        }
        while !self.is_empty() {
            if (!to_the_end && self.begins_item()) || self.take(";") {
                return;
            }
            let is_body = self.sees_group(Delimiter::Brace);
            self.take_token();
            if is_body && !self.word().is_some_and(|word| keywords::is_connective(&word)) {
                return;
            }
        }
    }

    /// Whether an item begins here, rather than that a word such as `drive` is the name of something.
    fn begins_item(mut self) -> bool {
        let Some(keyword) = self.take_any_word().filter(keywords::begins_item) else { return false };
        match keyword.to_string().as_str() {
            "planar" | "fused_multiply_add" => self.sees(";"),
            "gravity" => !self.sees(";"),
            "for" => self.word().is_some() || self.sees_group(Delimiter::Parenthesis),
            _ => self.word().is_some_and(|name| !keywords::is_connective(&name)),
        }
    }

    /// Every word between an earlier position and this one, those in groups included.
    pub(super) fn words_since(self, start: Reader<'a>) -> Vec<Ident> {
        let (mut at, mut words) = (start, Vec::new());
        while at.cursor != self.cursor
            && let Some(token) = at.take_token()
        {
            collect_words(token, &mut words);
        }
        words
    }

    /// Reads any token or group.
    pub(super) fn take_token(&mut self) -> Option<TokenTree> {
        let (token, rest) = self.cursor.token_tree()?;
        self.cursor = rest;
        Some(token)
    }
}

fn collect_words(token: TokenTree, words: &mut Vec<Ident>) {
    match token {
        TokenTree::Ident(word) => words.push(word),
        TokenTree::Group(group) => group.stream().into_iter().for_each(|token| collect_words(token, words)),
        TokenTree::Punct(_) | TokenTree::Literal(_) => {}
    }
}
