//! Lists in the pages and in the command's help come from registries: what is generated is compared (`make docs` writes it
//! anew), what is written by hand has each name and no other.

use std::collections::{BTreeMap, BTreeSet};

use coverage::criterion::CRITERIA;
use e2e::pages::{self, Page, Row};
use e2e::{root, run, shown};
use harness::unit_tests::flavour::FLAVOURS;
use proof::KINDS;
use report::format::{REPORTS, SUITES};
use wire::libc::{TABLE, Treatment};

const MANUAL: &str = "docs/manual.md";

/// What the command prints.
fn printed(args: &[&str]) -> String {
    let output = run(&root(), args);
    assert!(output.status.success(), "{}", shown(&output));
    String::from_utf8(output.stdout).expect("text")
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}

#[test]
fn strategies_and_formats_stand_in_the_manual() {
    let list = printed(&["strategies"]);
    let list = format!("```console\n$ bothways strategies\n{list}```\n");
    Page::read(MANUAL).section("strategies", &list);
    let suites = SUITES.iter().map(|format| {
        let what = match format.name() {
            "native" => format!("{} (always)", format.summary()),
            _ => format.summary().to_owned(),
        };
        [quoted(format.name()), what]
    });
    let units = "for functions: [unit tests in C](#unit-tests-in-c)".to_owned();
    let rows = suites.chain([[quoted("c-test"), units]]);
    let table = pages::table(["`--emit`", "what it writes"], rows);
    Page::read(MANUAL).section("formats", &table);
    let rows = FLAVOURS.iter().map(|flavour| {
        [
            quoted(&format!("c-test={}", flavour.name())),
            flavour.summary().to_owned(),
            quoted(&flavour.compile("test_NAME")),
        ]
    });
    let table = pages::table(["`--emit`", "for", "to compile"], rows);
    Page::read(MANUAL).section("c-test", &table);
}

#[test]
fn reports_certificates_and_solvers_stand_in_the_manual() {
    let page = Page::read(MANUAL);
    let row = |name: &str, what: &str| [quoted(name), what.to_owned()];
    let rows = REPORTS
        .iter()
        .map(|format| row(format.name(), format.summary()));
    page.section("reports", &pages::table(["report", "what it is"], rows));
    let rows = KINDS.iter().map(|kind| row(kind.name(), kind.summary()));
    page.section("kinds", &pages::table(["`kind`", "what it says"], rows));
    // And each kind is explained.
    let below = page.below("### Certificates");
    for kind in KINDS {
        let start = format!("- `{}` ", kind.name());
        assert!(
            below.contains(&start),
            "{MANUAL}: nothing on {}",
            kind.name()
        );
    }
    let rows = smt::backend::ALL.iter().map(|entry| {
        let decides = if entry.decides { "yes" } else { "no" };
        [
            quoted(entry.name),
            entry.summary.to_owned(),
            decides.to_owned(),
        ]
    });
    let table = pages::table(["solver", "what it is", "decides"], rows);
    page.section("solvers", &table);
}

#[test]
fn criteria_stand_in_their_page() {
    let rows = CRITERIA.iter().map(|criterion| {
        let name = match criterion.name() {
            "branch" => "`branch` (default)".to_owned(),
            "lines" => quoted("lines:FILE:A-B"),
            other => quoted(other),
        };
        [
            name,
            criterion.summary().to_owned(),
            criterion.unit().to_owned(),
        ]
    });
    let table = pages::table(["name", "what is to be covered", "counted as"], rows);
    Page::read("docs/criteria.md").section("criteria", &table);
}

/// A flag as the command's help has it.
#[derive(Debug, Default)]
struct Flag {
    help: String,
    default: Option<String>,
}

fn flags(subcommand: &str) -> BTreeMap<String, Flag> {
    let mut flags: BTreeMap<String, Flag> = BTreeMap::new();
    let mut name = String::new();
    for line in printed(&[subcommand, "--help"]).lines().map(str::trim) {
        let word = line.split([' ', ',']).find(|word| word.starts_with("--"));
        if let Some(flag) = word.filter(|_| line.starts_with('-')) {
            name = flag.to_owned();
            flags.insert(name.clone(), Flag::default());
        } else if let Some(flag) = flags.get_mut(&name) {
            let default = line.strip_prefix("[default: ");
            match default.and_then(|text| text.strip_suffix(']')) {
                Some(default) => flag.default = Some(default.to_owned()),
                None => flag.help += &format!("{line} "),
            }
        }
    }
    // Every command has these.
    for name in ["--help", "--no-config"] {
        assert!(flags.remove(name).is_some(), "{subcommand}: {name}");
    }
    flags
}

/// The flags that a text names in code.
fn named(text: &str) -> BTreeSet<String> {
    let words = pages::code(text).into_iter().flat_map(|code| {
        let words = code.split([' ', ',', '=']).map(str::to_owned);
        words.collect::<Vec<_>>()
    });
    words
        .filter(|word| word.len() > 2 && word.starts_with("--"))
        .collect()
}

#[test]
fn flags_have_a_row_in_the_manual() {
    let page = Page::read(MANUAL);
    let sections = ["### bothways test", "### One function"];
    let rows: Vec<Row> = sections
        .iter()
        .flat_map(|heading| pages::rows(&page.below(heading)))
        .filter(|row| row.cells[0].contains("`-"))
        .collect();
    let flags = flags("test");
    for (name, flag) in &flags {
        let row = rows.iter().find(|row| named(&row.cells[0]).contains(name));
        let row = row.unwrap_or_else(|| panic!("{MANUAL}: no row for {name}: {flag:?}"));
        if let Some(default) = &flag.default {
            let shown = row.cells[1].replace('`', "");
            assert!(
                shown.contains(default),
                "{name}: default {default}, not {shown}"
            );
        }
    }
    for row in rows {
        for name in named(&row.cells[0]) {
            assert!(
                flags.contains_key(&name),
                "{MANUAL} has {name}, the command has not"
            );
        }
    }
}

#[test]
fn flags_of_every_command_stand_in_front() {
    let text = Page::read(MANUAL).below("## Commands");
    assert!(named(&text).contains("--no-config"));
}

#[test]
fn flags_of_other_commands_stand_in_their_sections() {
    for command in [
        "replay",
        "report",
        "check",
        "values",
        "strategies",
        "bench",
        "synthesize",
    ] {
        let text = Page::read(MANUAL).below(&format!("### bothways {command}"));
        for name in flags(command).keys() {
            assert!(
                text.contains(name),
                "{MANUAL}, {command}: {name} is missing"
            );
        }
    }
}

#[test]
fn help_names_what_flags_take() {
    let flags = flags("test");
    let check = |flag: &str, names: Vec<&str>| {
        let help = &flags[flag].help;
        for name in names {
            assert!(
                help.contains(name),
                "help of {flag}: {name} is missing: {help}"
            );
        }
    };
    check(
        "--criterion",
        CRITERIA.iter().map(|one| one.name()).collect(),
    );
    let others = SUITES
        .iter()
        .map(|one| one.name())
        .filter(|name| *name != "native");
    check("--emit", others.collect());
    check("--report", REPORTS.iter().map(|one| one.name()).collect());
    let flavours = FLAVOURS.iter().map(|one| one.name());
    check(
        "--emit",
        flavours.filter(|name| *name != "assert").collect(),
    );
}

/// Names of environment variables in the sources, but for those between parts of the program.
fn variables() -> BTreeSet<String> {
    const OWN: [&str; 2] = ["BOTHWAYS_SEGMENT", "BOTHWAYS_SEEN"];
    let mut found = BTreeSet::new();
    let mut folders = vec![root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() && !path.ends_with("tests") {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).expect("text");
                let names = text
                    .split("\"BOTHWAYS_")
                    .skip(1)
                    .filter_map(|rest| rest.split_once('"'));
                let names = names
                    .filter(|(name, _)| name.chars().all(|c| c.is_ascii_uppercase() || c == '_'));
                found.extend(names.map(|(name, _)| format!("BOTHWAYS_{name}")));
            }
        }
    }
    found.retain(|name| !OWN.contains(&name.as_str()));
    found
}

#[test]
fn environment_variables_stand_in_the_manual() {
    let rows = pages::rows(&Page::read(MANUAL).below("## Environment variables"));
    let mut listed: BTreeSet<String> = rows
        .iter()
        .flat_map(|row| pages::code(&row.cells[0]))
        .collect();
    listed.retain(|name| name.starts_with("BOTHWAYS_"));
    assert_eq!(listed, variables());
}

#[test]
fn exit_codes_stand_in_the_manual() {
    let source = Page::read("crates/cli/src/exit.rs").text;
    let constants = source.lines().filter(|line| line.starts_with("pub const "));
    let codes: BTreeSet<String> = constants
        .filter_map(|line| {
            Some(
                line.split_once(": u8 = ")?
                    .1
                    .trim_end_matches(';')
                    .to_owned(),
            )
        })
        .collect();
    let rows = pages::rows(&Page::read(MANUAL).below("## Exit codes"));
    let listed: BTreeSet<String> = rows.into_iter().map(|row| row.cells[0].clone()).collect();
    assert_eq!(listed, codes);
}

/// The page of library functions: all of the table, by treatment.
#[test]
fn library_functions_have_a_page() {
    let treatments = [
        (
            Treatment::Wrapped,
            "Symbolic, in the runtime",
            "Wrappers in the runtime carry symbolic values through the call.",
        ),
        (
            Treatment::Model,
            "Symbolic, by instrumented C",
            "A model in C takes the function's place and is instrumented like the program.",
        ),
        (
            Treatment::Harmless,
            "Harmless",
            "No decision of the program depends on the call, so symbolic arguments are no loss.",
        ),
        (
            Treatment::Output,
            "Output",
            "Harmless; if the program looks at the result, a model gives it.",
        ),
        (
            Treatment::Pure,
            "Pure",
            "Symbolic arguments are lost, but the result depends on nothing else.",
        ),
    ];
    let mut text = String::new();
    for (treatment, heading, meaning) in treatments {
        let entries = TABLE.iter().filter(|entry| entry.treatment == treatment);
        let mut names: Vec<&str> = entries.map(|entry| entry.name).collect();
        names.sort_unstable();
        text += &format!("## {heading}\n\n{meaning} {} functions:\n\n", names.len());
        let mut line = String::new();
        for name in names {
            if line.len() + name.len() > 110 {
                text += &format!("`{}`\n", line.trim_end());
                line.clear();
            }
            line += &format!("{name} ");
        }
        text += &format!("`{}`\n\n", line.trim_end());
    }
    let listed = TABLE.iter().all(|entry| {
        treatments
            .iter()
            .any(|(treatment, ..)| *treatment == entry.treatment)
    });
    assert!(listed, "every treatment has a section");
    Page::read("docs/libc.md").section("functions", &text);
}

/// The first block of this language behind a place in a text.
fn block<'a>(text: &'a str, behind: &str, language: &str) -> &'a str {
    let (_, rest) = text.split_once(behind).expect("the place is there");
    let (_, rest) = rest
        .split_once(&format!("```{language}\n"))
        .expect("a block");
    rest.split_once("```").expect("its end").0
}

#[test]
fn the_json_object_has_the_fields_of_its_page() {
    let manual = Page::read(MANUAL).text;
    let dir = tempfile::tempdir().expect("a temporary folder");
    let source = block(&manual, "## A first run", "c");
    std::fs::write(dir.path().join("gate.c"), source).expect("writes");
    let args = "test gate.c -o gate-out --iterations 10 --json -q";
    let args: Vec<&str> = args.split(' ').collect();
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let page = Page::read("docs/json.md").text;
    let example: serde_json::Value =
        serde_json::from_str(block(&page, "## Example", "json")).expect("JSON");
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(keys(&example), keys(&object), "docs/json.md, the example");
    let rows = pages::rows(&page);
    let listed: BTreeSet<String> = rows
        .iter()
        .flat_map(|row| pages::code(&row.cells[0]))
        .collect();
    for key in object.as_object().expect("an object").keys() {
        assert!(listed.contains(key), "docs/json.md: no row for {key}");
    }
}

/// Names of all fields, with those of the objects and of the first elements of arrays in them.
fn keys(value: &serde_json::Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if let Some(first) = value.as_array().and_then(|array| array.first()) {
        found.extend(keys(first));
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        found.extend(
            keys(value)
                .into_iter()
                .map(|inner| format!("{name}.{inner}")),
        );
        found.insert(name.clone());
    }
    found
}
