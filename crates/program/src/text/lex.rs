//! Tokens of the text form.

use super::ParseError;

/// A token and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) line: u32,
    pub(super) col: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// Letters, digits, `_` and `.`, beginning with a letter or `_`.
    Word(String),
    /// `@name` or `@"name"`.
    Name(String),
    Str(String),
    /// A whole number; `hex` where it was written with `0x`.
    Int {
        negative: bool,
        magnitude: u128,
        hex: bool,
    },
    /// A decimal fraction, as written.
    Float(String),
    /// One of `( ) [ ] { } < > , : = * + -`, `->`, `..`, `...`.
    Mark(&'static str),
    End,
}

impl Kind {
    /// For error messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Kind::Word(word) => format!("`{word}`"),
            Kind::Name(name) => format!("`@{name}`"),
            Kind::Str(_) => "a string".to_owned(),
            Kind::Int { .. } | Kind::Float(_) => "a number".to_owned(),
            Kind::Mark(mark) => format!("`{mark}`"),
            Kind::End => "the end of the text".to_owned(),
        }
    }
}

const MARKS: [&str; 16] = [
    "...", "..", "->", "(", ")", "[", "]", "{", "}", "<", ">", ",", ":", "=", "*", "+",
];

/// All tokens, the end included.
pub(super) fn lex(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut lexer = Lexer {
        rest: text,
        line: 1,
        col: 1,
    };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank();
        let (line, col) = (lexer.line, lexer.col);
        let kind = lexer.token()?;
        let end = kind == Kind::End;
        tokens.push(Token { kind, line, col });
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    col: u32,
}

impl<'a> Lexer<'a> {
    /// Takes `bytes` bytes, which end at a character boundary.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        for character in taken.chars() {
            if character == '\n' {
                (self.line, self.col) = (self.line + 1, 1);
            } else {
                self.col += 1;
            }
        }
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let end = self
            .rest
            .find(|character| !accept(character))
            .unwrap_or(self.rest.len());
        self.take(end)
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        Err(ParseError {
            line: self.line,
            col: self.col,
            message: message.into(),
        })
    }

    fn skip_blank(&mut self) {
        loop {
            self.take_while(|character| character.is_whitespace() || character == ';');
            if !self.rest.starts_with("//") {
                return;
            }
            self.take_while(|character| character != '\n');
        }
    }

    fn token(&mut self) -> Result<Kind, ParseError> {
        let Some(first) = self.rest.chars().next() else {
            return Ok(Kind::End);
        };
        let second = self.rest.chars().nth(1);
        if first.is_ascii_digit()
            || (first == '-' && second.is_some_and(|next| next.is_ascii_digit()))
        {
            return self.number();
        }
        if first.is_ascii_alphabetic() || first == '_' {
            return Ok(Kind::Word(self.take_while(is_word).to_owned()));
        }
        if first == '"' {
            return self.string().map(Kind::Str);
        }
        if first == '@' {
            self.take(1);
            if self.rest.starts_with('"') {
                return self.string().map(Kind::Name);
            }
            let name = self.take_while(is_word);
            return if name.is_empty() {
                self.error("a name after `@`")
            } else {
                Ok(Kind::Name(name.to_owned()))
            };
        }
        for mark in MARKS {
            if self.rest.starts_with(mark) {
                self.take(mark.len());
                return Ok(Kind::Mark(mark));
            }
        }
        if first == '-' {
            self.take(1);
            return Ok(Kind::Mark("-"));
        }
        self.error(format!("`{first}` has no meaning here"))
    }

    fn number(&mut self) -> Result<Kind, ParseError> {
        let (line, col) = (self.line, self.col);
        let fail = |message: &str| ParseError {
            line,
            col,
            message: message.to_owned(),
        };
        let negative = self.rest.starts_with('-');
        if negative {
            self.take(1);
        }
        if self.rest.starts_with("0x") {
            self.take(2);
            let digits = self.take_while(|digit| digit.is_ascii_hexdigit());
            let magnitude = u128::from_str_radix(digits, 16)
                .map_err(|_| fail("no number of up to 128 bits"))?;
            return Ok(Kind::Int {
                negative,
                magnitude,
                hex: true,
            });
        }
        let mut text = self.take_while(|digit| digit.is_ascii_digit()).to_owned();
        let mut whole = true;
        let mut ahead = self.rest.chars();
        if ahead.next() == Some('.') && ahead.next().is_some_and(|digit| digit.is_ascii_digit()) {
            whole = false;
            text.push_str(self.take(1));
            text.push_str(self.take_while(|digit| digit.is_ascii_digit()));
        }
        if self.rest.starts_with('e') {
            whole = false;
            text.push_str(self.take(1));
            if self.rest.starts_with('-') {
                text.push_str(self.take(1));
            }
            text.push_str(self.take_while(|digit| digit.is_ascii_digit()));
        }
        if whole {
            let magnitude = text
                .parse()
                .map_err(|_| fail("no number of up to 128 bits"))?;
            return Ok(Kind::Int {
                negative,
                magnitude,
                hex: false,
            });
        }
        if text.parse::<f64>().is_err() {
            return Err(fail("no number"));
        }
        Ok(Kind::Float(if negative {
            format!("-{text}")
        } else {
            text
        }))
    }

    /// A string as [`quote`] writes it.
    fn string(&mut self) -> Result<String, ParseError> {
        self.take(1);
        let mut value = String::new();
        loop {
            value.push_str(self.take_while(|character| {
                character != '"' && character != '\\' && character != '\n'
            }));
            if self.rest.starts_with('"') {
                self.take(1);
                return Ok(value);
            }
            if !self.rest.starts_with('\\') {
                return self.error("the string is not closed");
            }
            self.take(1);
            let escape = self.rest.chars().next();
            match escape {
                Some('"' | '\\') => value.push_str(self.take(1)),
                Some('u') => {
                    self.take(1);
                    let digits = self.take_while(|digit| digit.is_ascii_hexdigit());
                    let code = u32::from_str_radix(digits, 16)
                        .ok()
                        .and_then(char::from_u32);
                    let Some(character) = code.filter(|_| self.rest.starts_with(';')) else {
                        return self
                            .error("`\\u` takes the hexadecimal number of a character and `;`");
                    };
                    self.take(1);
                    value.push(character);
                }
                _ => return self.error("only `\\\"`, `\\\\` and `\\u…;` are escapes"),
            }
        }
    }
}

/// A string in quotes.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            _ if character.is_control() => {
                quoted.push_str(&format!("\\u{:x};", u32::from(character)))
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// A name after `@`, in quotes where it has to be.
pub(super) fn quote_name(name: &str) -> String {
    if !name.is_empty() && name.chars().all(is_word) {
        format!("@{name}")
    } else {
        format!("@{}", quote(name))
    }
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '.'
}
