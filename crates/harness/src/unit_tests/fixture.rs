//! Fixtures: what several tests make in the same way, one function makes for all of them.
//!
//! Must hold: a function stands for the very statements that it replaces, and needs nothing of the test that calls it.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use super::body::{Body, Group};

/// Fewer statements are as short in each test.
const FEWEST: usize = 3;

/// The functions of a file.
#[derive(Default)]
pub(super) struct Fixtures {
    /// Their names by the lines that they replace, in the order of the tests.
    names: BTreeMap<String, String>,
    text: String,
}

impl Fixtures {
    /// Those that are worth it.
    pub(super) fn of(bodies: &[Body<'_>]) -> Fixtures {
        let mut order: Vec<(String, &Group)> = Vec::new();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut barred: HashSet<String> = HashSet::new();
        for body in bodies {
            for group in &body.groups {
                let text = text_of(body, group);
                if !can_move(body, group) {
                    barred.insert(text.clone());
                }
                let count = counts.entry(text.clone()).or_default();
                *count += 1;
                if *count == 1 {
                    order.push((text, group));
                }
            }
        }
        let mut fixtures = Fixtures::default();
        let mut taken: HashSet<String> = HashSet::new();
        for (text, group) in order {
            let is_worth = counts[&text] > 1 && group.lines.len() >= FEWEST;
            let returned = group.declaration.strip_suffix(group.variable.as_str());
            let Some(returned) = returned.filter(|_| is_worth && !barred.contains(&text)) else {
                continue;
            };
            let mut name = format!("bw_make_{}", group.variable);
            let mut number = 2;
            while !taken.insert(name.clone()) {
                name = format!("bw_make_{}_{number}", group.variable);
                number += 1;
            }
            let space = if returned.ends_with('*') { "" } else { " " };
            let _ = write!(
                fixtures.text,
                "static {}{space}{name}(void)\n{{\n{text}\n    return {};\n}}\n\n",
                returned.trim_end(),
                group.variable
            );
            fixtures.names.insert(text, name);
        }
        fixtures
    }

    /// The definitions.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The statements of a test.
    pub(super) fn body(&self, body: &Body<'_>) -> String {
        let mut lines = String::new();
        let mut at = 0;
        let mut groups = body.groups.iter().peekable();
        while at < body.lines.len() {
            let group = groups.next_if(|group| group.lines.start == at);
            let name = group.and_then(|group| self.names.get(&text_of(body, group)));
            let (Some(group), Some(name)) = (group, name) else {
                let _ = writeln!(lines, "{}", body.lines[at]);
                at += 1;
                continue;
            };
            at = group.lines.end;
            let outside = [&body.lines[..group.lines.start], &body.lines[at..]].concat();
            let _ = match outside.iter().any(|line| names(line, &group.variable)) {
                true => writeln!(lines, "    {} = {name}();", group.declaration),
                // What is in a variable already needs no other.
                false => writeln!(lines, "    {name}();"),
            };
        }
        lines
    }
}

fn text_of(body: &Body<'_>, group: &Group) -> String {
    body.lines[group.lines.clone()].join("\n")
}

/// Whether the lines of a group need no other variable of the test, and no other line needs what they declare inside.
fn can_move(body: &Body<'_>, group: &Group) -> bool {
    let inside = &body.lines[group.lines.clone()];
    let outside = [
        &body.lines[..group.lines.start],
        &body.lines[group.lines.end..],
    ]
    .concat();
    let params = body.file.plan.params.iter().map(|param| &param.name);
    let variables = body.objects.values();
    params
        .chain(variables)
        .filter(|name| **name != group.variable)
        .all(|name| {
            let is_inner = inside.iter().any(|line| declares(line, name));
            match is_inner {
                true => !outside.iter().any(|line| names(line, name)),
                false => !inside.iter().any(|line| names(line, name)),
            }
        })
        && !inside.iter().any(|line| line.contains("bw_stream("))
}

/// Whether a line makes the object of this variable.
fn declares(line: &str, name: &str) -> bool {
    let declaration = line
        .split_once(" = bw_new(")
        .or_else(|| line.split_once(" = bw_text("));
    declaration.is_some_and(|(declaration, _)| names(declaration, name))
}

/// Whether a text has a name in it, as a word.
fn names(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words() {
        for (text, wanted) in [
            ("a->next = b;", true),
            ("f(ab, bb);", false),
            ("x = a_b + b_a;", false),
            ("b", true),
        ] {
            assert_eq!(names(text, "b"), wanted, "{text}");
        }
        assert!(declares(
            "    __typeof__(q) b = bw_new(sizeof *b, 1, 0);",
            "b"
        ));
        assert!(!declares("    q = b;", "b"));
    }
}
