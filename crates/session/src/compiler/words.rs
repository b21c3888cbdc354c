//! Words of a command line kept in text: quoting, and response files (`@file`).

use std::path::Path;

use crate::error::{Context, Result, bail};

/// Replaces `@file` by the arguments in the file (GNU quoting), recursively.
pub fn expand_response_files(args: &[String], depth: u32) -> Result<Vec<String>> {
    let mut expanded = Vec::with_capacity(args.len());
    for arg in args {
        match arg
            .strip_prefix('@')
            .filter(|path| Path::new(path).is_file())
        {
            Some(path) => {
                if depth > 16 {
                    bail!("response files nest too deeply at '@{path}'");
                }
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("cannot read '@{path}'"))?;
                expanded.extend(expand_response_files(&response_words(&text), depth + 1)?);
            }
            None => expanded.push(arg.clone()),
        }
    }
    Ok(expanded)
}

/// Splits text into words as a shell does with quotes and backslashes, with no expansion.
pub fn split_words(text: &str) -> Vec<String> {
    split(text, false)
}

/// Splits the text of an `@file`: a backslash escapes in single quotes as well.
fn response_words(text: &str) -> Vec<String> {
    split(text, true)
}

/// One argument as a word of an `@file`.
pub fn response_word(arg: &str) -> String {
    format!("\"{}\"", arg.replace('\\', "\\\\").replace('"', "\\\""))
}

fn split(text: &str, escapes_everywhere: bool) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', open) if escapes_everywhere || open != Some('\'') => {
                if let Some(next) = chars.next() {
                    word.get_or_insert_default().push(next);
                }
            }
            (c, Some(open)) if c == open => quote = None,
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(
            split_words(r#"-DA="x y" 'b c' d\ e ''"#),
            ["-DA=x y", "b c", "d e", ""]
        );
    }

    #[test]
    fn response_words_are_read_back() {
        for arg in ["a b", "-DX=\"y\"", "back\\slash", "it's", ""] {
            assert_eq!(response_words(&response_word(arg)), [arg]);
        }
        assert_eq!(response_words(r"'a\'b' c\ d"), ["a'b", "c d"]);
    }
}
