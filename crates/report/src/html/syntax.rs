//! Colours for C: comments, strings, numbers, keywords and directives of one source.
//!
//! Must hold: spans of a line do not overlap, in order; what is not C is left without colours.

/// What a stretch of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    Comment,
    Text,
    Number,
    Keyword,
    Directive,
}

impl Token {
    /// Its class in the style sheet.
    pub const fn class(self) -> &'static str {
        match self {
            Token::Comment => "sc",
            Token::Text => "ss",
            Token::Number => "sn",
            Token::Keyword => "sk",
            Token::Directive => "sd",
        }
    }
}

const KEYWORDS: &[&str] = &[
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "return",
    "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned",
    "void", "volatile", "while", "_Bool", "bool", "NULL", "true", "false",
];

/// Spans of each line: where they begin and end, in bytes.
pub fn lines(text: &str) -> Vec<Vec<(usize, usize, Token)>> {
    let mut in_comment = false;
    text.lines()
        .map(|line| of_line(line, &mut in_comment))
        .collect()
}

fn of_line(line: &str, in_comment: &mut bool) -> Vec<(usize, usize, Token)> {
    let bytes = line.as_bytes();
    let mut spans = Vec::new();
    let mut at = 0;
    if !*in_comment && line.trim_start().starts_with('#') {
        let begin = line.len() - line.trim_start().len();
        let word = bytes[begin + 1..]
            .iter()
            .position(|byte| byte.is_ascii_alphabetic());
        let from = word.map_or(line.len(), |word| begin + 1 + word);
        at = end_of(bytes, from, |byte| byte.is_ascii_alphabetic());
        spans.push((begin, at, Token::Directive));
    }
    while at < bytes.len() {
        let rest = &bytes[at..];
        if *in_comment || rest.starts_with(b"/*") {
            let skip = if *in_comment { 0 } else { 2 };
            let close = rest[skip..].windows(2).position(|two| two == b"*/");
            let end = close.map_or(bytes.len(), |close| at + skip + close + 2);
            *in_comment = close.is_none();
            spans.push((at, end, Token::Comment));
            at = end;
        } else if rest.starts_with(b"//") {
            spans.push((at, bytes.len(), Token::Comment));
            at = bytes.len();
        } else if matches!(rest[0], b'"' | b'\'') {
            let end = end_of_text(bytes, at);
            spans.push((at, end, Token::Text));
            at = end;
        } else if rest[0].is_ascii_digit() {
            let end = end_of(bytes, at, |byte| {
                byte.is_ascii_alphanumeric() || byte == b'.'
            });
            spans.push((at, end, Token::Number));
            at = end;
        } else if is_word(rest[0]) {
            let end = end_of(bytes, at, is_word);
            if KEYWORDS.contains(&&line[at..end]) {
                spans.push((at, end, Token::Keyword));
            }
            at = end;
        } else {
            at += 1;
        }
    }
    spans
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn end_of(bytes: &[u8], from: usize, goes_on: impl Fn(u8) -> bool) -> usize {
    let more = bytes[from.min(bytes.len())..]
        .iter()
        .take_while(|byte| goes_on(**byte));
    from.min(bytes.len()) + more.count()
}

fn end_of_text(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == bytes[from] => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_lines() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<String> = text
                .lines()
                .zip(lines(text))
                .flat_map(|(line, spans)| {
                    let shown = |(from, to, token): (usize, usize, Token)| {
                        format!("{} {}", token.class(), &line[from..to])
                    };
                    spans.into_iter().map(shown).collect::<Vec<_>>()
                })
                .collect();
            assert_eq!(found, expected, "{text}");
        };
        check("if (x1 > 0x1f) y = 'a';", &["sk if", "sn 0x1f", "ss 'a'"]);
        check("# include <a.h> // b", &["sd # include", "sc // b"]);
        check("a /* b\nint */ int", &["sc /* b", "sc int */", "sk int"]);
        check(r#"s = "\"/*" + n;"#, &[r#"ss "\"/*""#]);
        check("s = \"open\\", &["ss \"open\\"]);
        check("größe = 'ü'; #", &["ss 'ü'"]);
        check("#", &["sd #"]);
    }
}
