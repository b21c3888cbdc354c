//! What stands for the code that a harness runs: if it is the same after an edit, so is all that a search in it can find.
//!
//! Must hold: two models with the same hash run alike, whatever else stands in their files; names of places and the numbers of the
//! model's parts do not count. A difference that is none (a string that got another number) costs one more search.

use std::collections::{HashMap, HashSet};

use coverage::Goals;
use program::Program;
use program::callgraph::CallGraph;
use program::model::{Global, RelocationTarget};
use program::text::print_function;
use report::suite::manifest::sha256;

use crate::options::Options;

/// The hash of what `main` reaches, and of what is to be covered there.
#[must_use]
pub fn code(model: &Program, goals: &Goals, options: &Options) -> String {
    let calls = CallGraph::new(model);
    let reachable = match model.function_named("main") {
        Some(main) => calls.reachable_from(&model.starts(main)),
        None => model.functions.keys().collect(),
    };
    let mut parts: Vec<String> = { reachable.into_iter() }
        .map(|function| without_places(&print_function(model, function)))
        .collect();
    parts.sort_unstable();
    let mut names: HashMap<&str, usize> = HashMap::new();
    for global in model.globals.values() {
        *names.entry(&global.name).or_default() += 1;
    }
    let mut words: HashSet<String> = parts.iter().flat_map(|part| words_of(part)).collect();
    let mut left: Vec<&Global> = model.globals.values().collect();
    // What is named may name others.
    loop {
        let is_named = |global: &&Global| {
            let name = global.name.as_str();
            names[name] > 1 || words.contains(name) || !name.chars().all(is_of_word)
        };
        let (named, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(is_named);
        if named.is_empty() {
            break;
        }
        let contents = named.into_iter().map(|global| with_content(model, global));
        let contents: Vec<String> = contents.collect();
        words.extend(contents.iter().flat_map(|text| words_of(text)));
        parts.extend(contents);
        left = rest;
    }
    let bounds = options.function.bounds();
    parts.push(format!(
        "{} {} {} {bounds:?}",
        options.criterion,
        options.mcdc,
        goals.len()
    ));
    sha256(parts.join("\n").as_bytes())
}

/// Can the character stand in a name that is written without quotes?
fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// The words of a text: every name of a variable in it is one.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !is_of_word(c));
    words.filter(|word| !word.is_empty()).map(str::to_owned)
}

/// A variable, and what it holds at the start.
fn with_content(model: &Program, global: &Global) -> String {
    let init = global.init.clone().unwrap_or_default();
    let names = init.relocations.iter().map(|it| match it.to {
        RelocationTarget::Global(id) => (&model.globals[id].name, it.offset, it.addend),
        RelocationTarget::Function(id) => (&model.functions[id].name, it.offset, it.addend),
        RelocationTarget::Extern(id) => (&model.externs[id].name, it.offset, it.addend),
    });
    let names: Vec<_> = names.collect();
    format!("{} {} {:?} {names:?}", global.name, global.size, init.bytes)
}

/// The text of a function without lines, columns, and the numbers of files, sites, edges and other parts.
fn without_places(text: &str) -> String {
    const PARTS: &[&str] = &["site", "edge", "fn", "file", "extern", "global", "spot"];
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut inside_word = false;
    while let Some(first) = rest.chars().next() {
        let digits =
            |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let part = PARTS.iter().find(|part| {
            !inside_word && rest.starts_with(**part) && digits(&rest[part.len()..]) > 0
        });
        let own = digits(rest);
        if let Some(part) = part {
            plain.push_str(part);
            rest = &rest[part.len()..];
            rest = &rest[digits(rest)..];
            inside_word = true;
        } else if !inside_word
            && own > 0
            && rest[own..].starts_with(':')
            && digits(&rest[own + 1..]) > 0
        {
            // A line and a column.
            rest = &rest[own + 1..];
            rest = &rest[digits(rest)..];
        } else if inside_word && first == ':' && plain.ends_with("file") {
            // Those behind the number of a file.
            rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
        } else {
            plain.push(first);
            inside_word = first.is_ascii_alphanumeric() || first == '_' || first == '@';
            rest = &rest[first.len_utf8()..];
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_numbers_of_parts_do_not_count() {
        let one = "fn0 @abs(v0: i32) -> i32 counters {0} at file0:1:5 {\nv1: i1 = icmp slt v0, i32 7 at file0:2:9\n\
                   br v1, block1, block2 [site0 in 2:7..2:12: edge0 false, edge1 true {1}]\n";
        let other = one
            .replace("fn0", "fn3")
            .replace("file0:1:5", "file1:11:5")
            .replace("file0:2:9", "file1:12:19")
            .replace(
                "site0 in 2:7..2:12: edge0 false, edge1",
                "site8 in 12:7..12:12: edge20 false, edge21",
            );
        assert_ne!(one, other);
        assert_eq!(without_places(one), without_places(&other));
        for changed in [
            one.replace("i32 7", "i32 8"),
            one.replace("slt", "sle"),
            one.replace("abs", "abs2"),
        ] {
            assert_ne!(without_places(one), without_places(&changed));
        }
    }
}
