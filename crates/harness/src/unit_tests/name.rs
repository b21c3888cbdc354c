//! Names of tests, by what the call does and by the last condition in the source that no test before decides so:
//! `test_parse_range_returns_minus_4_when_low_above_high`.
//!
//! Must hold: names are C identifiers, and those of one file differ.

use std::collections::HashMap;

/// Longest part for a condition; longer ones say less than none.
const LONGEST: usize = 48;

/// The name of a test.
#[must_use]
pub fn of(function: &str, outcome: Option<&str>, condition: Option<(&str, bool)>) -> String {
    let mut name = format!("test_{function}");
    for (joint, part) in [
        ("_", outcome.map(str::to_owned)),
        (
            "_when_",
            condition.and_then(|(text, holds)| in_words(text, holds)),
        ),
    ] {
        if let Some(part) = part {
            name.push_str(joint);
            name.push_str(&part);
        }
    }
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(letter).collect()
}

/// Numbers names that are there already.
#[must_use]
pub fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen: HashMap<String, u32> = HashMap::new();
    names
        .map(|name| {
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            match *count {
                1 => name,
                // No name ends like this by itself: a number stands behind a word.
                count => format!("{name}__{count}"),
            }
        })
        .collect()
}

/// The operators of C that a name can have, longest first: in words, and in words when the condition does not hold.
const OPERATORS: &[(&str, &str, Option<&str>)] = &[
    ("->", "", None),
    ("<<", "shifted", None),
    (">>", "shifted", None),
    ("==", "is", Some("is_not")),
    ("!=", "is_not", Some("is")),
    ("<=", "at_most", Some("above")),
    (">=", "at_least", Some("below")),
    ("<", "below", Some("at_least")),
    (">", "above", Some("at_most")),
    ("+", "plus", None),
    ("-", "minus", None),
    ("%", "mod", None),
    ("/", "by", None),
    ("^", "xor", None),
    ("|", "or", None),
    (".", "", None),
    ("[", "", None),
    ("]", "", None),
    ("(", "", None),
    (")", "", None),
];

/// Characters that names have words for.
const CHARACTERS: &[(&str, &str)] = &[
    (" ", "space"),
    ("-", "dash"),
    ("+", "plus"),
    (".", "dot"),
    (",", "comma"),
    (":", "colon"),
    (";", "semicolon"),
    ("=", "equals_sign"),
    ("/", "slash"),
    ("*", "star"),
    ("%", "percent"),
    ("#", "hash"),
    ("\"", "quote"),
    ("(", "open_parenthesis"),
    (")", "close_parenthesis"),
    ("[", "open_bracket"),
    ("]", "close_bracket"),
    ("{", "open_brace"),
    ("}", "close_brace"),
    ("<", "less_sign"),
    (">", "greater_sign"),
    ("\\n", "newline"),
    ("\\r", "carriage_return"),
    ("\\t", "tab"),
    ("\\0", "nul"),
    ("\\\\", "backslash"),
    ("\\'", "apostrophe"),
];

/// A condition as a part of a name; `None` when it has what no name can have, or is too long.
fn in_words(text: &str, holds: bool) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    // Places of comparisons, with what they are when they do not hold.
    let mut comparisons: Vec<(usize, &str)> = Vec::new();
    let mut rest = text.trim();
    let mut negations = 0;
    // Whether an operator here has something on its left.
    let mut behind_operand = false;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = rest.trim_start();
        } else if first.is_ascii_alphanumeric() || first == '_' {
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .unwrap_or(rest.len());
            words.push(rest[..end].trim_matches('_').to_owned());
            rest = &rest[end..];
            behind_operand = true;
        } else if let Some(behind) = rest.strip_prefix('\'') {
            let length = if behind.starts_with('\\') { 2 } else { 1 };
            let character = behind.get(..length)?;
            rest = behind.get(length..)?.strip_prefix('\'')?;
            let known = CHARACTERS.iter().find(|(known, _)| *known == character);
            words.push(match known {
                Some((_, word)) => (*word).to_owned(),
                None if character.chars().all(|c| c.is_ascii_alphanumeric()) => {
                    format!("letter_{character}")
                }
                None => return None,
            });
            behind_operand = true;
        } else if first == '!' && !rest.starts_with("!=") {
            negations += 1;
            // Of a part alone it would have to be said where it ends.
            if !words.is_empty() {
                return None;
            }
            rest = &rest[1..];
        } else if (first == '*' || first == '&') && !behind_operand && !rest.starts_with("&&") {
            rest = &rest[1..];
        } else if first == '&' && !rest.starts_with("&&") {
            words.push("and".to_owned());
            rest = &rest[1..];
            behind_operand = false;
        } else {
            let (operator, word, opposite) = OPERATORS
                .iter()
                .find(|(operator, ..)| rest.starts_with(operator))?;
            rest = &rest[operator.len()..];
            if rest.starts_with('=') {
                return None;
            }
            comparisons.extend(opposite.map(|opposite| (words.len(), opposite)));
            if !word.is_empty() {
                words.push((*word).to_owned());
            }
            behind_operand = matches!(*operator, ")" | "]");
        }
    }
    let holds = holds == (negations % 2 == 0);
    match (holds, comparisons.as_slice()) {
        (true, _) => {}
        (false, []) => words.insert(0, "not".to_owned()),
        (false, &[(at, opposite)]) => opposite.clone_into(&mut words[at]),
        (false, _) => return None,
    }
    words.retain(|word| !word.is_empty());
    let name = words.join("_").to_lowercase();
    (!name.is_empty() && name.len() <= LONGEST).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_in_words() {
        for (text, holds, wanted) in [
            ("low > high", true, Some("low_above_high")),
            ("low > high", false, Some("low_at_most_high")),
            ("*end != '-'", true, Some("end_is_not_dash")),
            ("*end", false, Some("not_end")),
            ("!text", true, Some("not_text")),
            ("!text", false, Some("text")),
            ("!(a == b)", true, Some("a_is_not_b")),
            ("out->low == 7", false, Some("out_low_is_not_7")),
            ("isdigit(s[i])", true, Some("isdigit_s_i")),
            ("flags & MASK_", true, Some("flags_and_mask")),
            ("c == 'a'", true, Some("c_is_letter_a")),
            ("x == -1", true, Some("x_is_minus_1")),
            ("case 3", true, Some("case_3")),
            ("a < b == c", false, None),
            ("a && b", true, None),
            ("strcmp(s, \"x\")", true, None),
            ("x = next()", true, None),
            ("x += 2", true, None),
            ("c == '\\x01'", true, None),
        ] {
            assert_eq!(in_words(text, holds).as_deref(), wanted, "{text} {holds}");
        }
        assert_eq!(in_words(&"long_name + ".repeat(9), true), None);
    }

    #[test]
    fn names_are_identifiers_and_differ() {
        let name = of("Foo::bar", Some("returns_minus_4"), Some(("a > b", true)));
        assert_eq!(name, "test_Foo__bar_returns_minus_4_when_a_above_b");
        assert_eq!(of("f", None, None), "test_f");
        let names = ["a", "b", "a"].map(str::to_owned);
        assert_eq!(distinct(names.into_iter()), ["a", "b", "a__2"]);
    }
}
