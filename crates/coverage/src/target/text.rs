//! Where the code of a line begins: what is no comment, no brace and no directive of the preprocessor.
//!
//! Columns count bytes from 1, as those of the coverage mapping do.

/// For each line of a C text, the column of its first code; `None` where there is none.
#[must_use]
pub fn code_columns(text: &str) -> Vec<Option<u32>> {
    let mut scanner = Scanner::default();
    text.lines().map(|line| scanner.line(line)).collect()
}

/// What a line inherits from the one before.
#[derive(Default)]
struct Scanner {
    comment: bool,
    directive: bool,
}

impl Scanner {
    fn line(&mut self, line: &str) -> Option<u32> {
        let bytes = line.as_bytes();
        let continued = line.trim_end().ends_with('\\');
        let mut directive = self.directive;
        let (mut at, mut first, mut begun) = (0, None, false);
        while at < bytes.len() {
            let rest = &bytes[at..];
            if self.comment {
                match rest.starts_with(b"*/") {
                    true => (self.comment, at) = (false, at + 2),
                    false => at += 1,
                }
                continue;
            }
            if rest.starts_with(b"//") {
                break;
            }
            if rest.starts_with(b"/*") {
                (self.comment, at) = (true, at + 2);
                continue;
            }
            let byte = bytes[at];
            if byte.is_ascii_whitespace() {
                at += 1;
                continue;
            }
            directive |= byte == b'#' && !begun;
            begun = true;
            let width = token(rest);
            let plain = matches!(byte, b'{' | b'}' | b';' | b'\\');
            if !plain && !matches!(&rest[..width], b"else" | b"do") && first.is_none() {
                first = Some(at as u32 + 1);
            }
            at += width;
        }
        self.directive = directive && continued;
        first.filter(|_| !directive)
    }
}

/// Bytes of the token at the start of a text: a word, a literal, or one sign.
fn token(text: &[u8]) -> usize {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    match text[0] {
        quote @ (b'"' | b'\'') => {
            let mut at = 1;
            while at < text.len() && text[at] != quote {
                at += if text[at] == b'\\' { 2 } else { 1 };
            }
            (at + 1).min(text.len())
        }
        _ => text.iter().take_while(|byte| is_word(byte)).count().max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_braces_and_directives_are_no_code() {
        for (line, expected) in [
            ("    x = 1;", Some(5)),
            ("", None),
            ("  // x", None),
            ("  } /* x */ ;", None),
            ("} else {", None),
            ("} else if (x)", Some(8)),
            ("do {", None),
            ("done:", Some(1)),
            ("#define X 1", None),
            ("  # if X", None),
            ("/* a */ #endif", None),
            ("{ \"/*\"; }", Some(3)),
            ("'\"' // \"", Some(1)),
        ] {
            assert_eq!(
                code_columns(line),
                vec![expected; line.lines().count()],
                "{line}"
            );
        }
    }

    #[test]
    fn what_a_line_begins_the_next_may_end() {
        let text = "/* a\n b */ x;\n#define Y \\\n  y\nz;\n\"/*\\\"\" /*\nq */";
        let expected = [None, Some(7), None, None, Some(1), Some(1), None];
        assert_eq!(code_columns(text), expected);
    }
}
