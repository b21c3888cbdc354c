//! Certificates that were corrupted, as a user has them: the stored files of a suite are changed, and `bothways check` says what it
//! thinks of them.
//!
//! Of files that were changed by hand or by chance, each is refused, with exit code 2 and a reason that names the file. Of documents
//! that were changed and then sealed again, some state a proof all the same (a fact that nobody needs is gone, an assertion is weaker and
//! still follows). So what holds is this: a certificate that is accepted is about a goal that no input covers, which is known from all
//! inputs of the program, or from the comments of a program whose other goals are covered.
//!
//! 50 changes of the files of each program, and 10 documents that are sealed again, or 50 of these with `BOTHWAYS_LONG`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use bench::{SCENES, global};
use e2e::truth::truth;
use e2e::{comment, long, root, run, shown};
use proof::{Document, Fact, GoalName, Inputs, KINDS, Subject};
use serde_json::{Value, json};

/// Changes of the files of one program.
const CHANGES: usize = 50;
/// A goal by line, column and what is wanted.
type Goal = (u32, u32, String);

#[test]
fn a_program_with_four_kinds() {
    let made = made(0);
    let kinds = ["backward", "clauses", "contradiction", "invariant"];
    assert_corrupted(&made, &kinds, 1);
}

#[test]
fn a_program_with_states_that_are_followed() {
    assert_corrupted(&made(4), &["backward", "exhaustion"], 2);
}

#[test]
fn a_program_with_coupled_conditions() {
    let made = written("coupled.c");
    assert_corrupted(&made, &["contradiction", "coupling", "invariant"], 3);
}

#[test]
fn a_program_with_pairs_refuted_by_values() {
    assert_corrupted(&written("values_pairs.c"), &["coupling", "invariant"], 4);
}

#[test]
fn a_program_with_claims_about_any_time() {
    assert_corrupted(&written("standing.c"), &["coupling", "standing"], 5);
}

#[test]
fn a_program_with_what_holds_in_loops() {
    let source = "#include <stdio.h>
static unsigned count(unsigned n) {
    unsigned i = 0, j = 0;
    while (i < n) {
        i++;
        j++;
    }
    if (j != n)
        return 7;
    return j;
}
int main(void) {
    for (int c; (c = getchar()) != EOF;)
        if (count(c) > 255)
            puts(\"never\");
    return 0;
}
";
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), source).expect("it is written");
    let args = "test a.c --quiet --time 900s --strategy bidirectional --stdin 0..4";
    assert_eq!(search(dir.path(), args)["open"], json!([]));
    let made = Suite::new(dir, None);
    assert_corrupted(&made, &["backward", "clauses"], 6);
}

#[test]
fn a_program_with_a_table_in_its_states() {
    let dir = tempfile::tempdir().expect("a folder");
    let source = bench::of_kind(bench::Kind::Server, 2, 1);
    fs::write(dir.path().join("a.c"), source).expect("it is written");
    let answer = search(dir.path(), "test a.c --quiet --time 900s");
    assert_eq!(answer["open"], json!([]));
    assert_corrupted(&Suite::new(dir, None), &["invariant"], 6);
}

/// A suite, and what is known of its program.
struct Suite {
    dir: tempfile::TempDir,
    /// Goals that no input covers.
    infeasible: BTreeSet<Goal>,
    /// The document and the model, as they were written.
    files: [(PathBuf, Vec<u8>); 2],
}

impl Suite {
    fn new(dir: tempfile::TempDir, infeasible: Option<BTreeSet<Goal>>) -> Suite {
        let folder = dir.path().join("bothways-out/certificates");
        let files = ["certificates.json", "model.txt"].map(|name| {
            let path = folder.join(name);
            let text = fs::read(&path).expect("it is written");
            (path, text)
        });
        let mut suite = Suite {
            dir,
            infeasible: infeasible.clone().unwrap_or_default(),
            files,
        };
        let certified = suite.document().certificates;
        let certified = certified.iter().map(|one| goal(&one.goal)).collect();
        match infeasible {
            Some(all) => assert!(all.is_superset(&certified), "{certified:?}"),
            None => suite.infeasible = certified,
        }
        suite
    }

    fn document(&self) -> Document {
        let text = String::from_utf8(self.files[0].1.clone()).expect("a text");
        Document::parse(&text).expect("it was written")
    }

    fn subject(&self) -> Subject {
        let text = String::from_utf8(self.files[1].1.clone()).expect("a text");
        Subject::parse(&text).expect("a model")
    }

    /// Puts all files back.
    fn restore(&self) {
        for (path, text) in &self.files {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("it is written");
        }
    }

    /// `bothways check`: its exit code, and all that it says.
    fn check(&self, more: &[&str]) -> (Option<i32>, String) {
        let output = run(
            self.dir.path(),
            &[&["check", "bothways-out"], more].concat(),
        );
        (output.status.code(), shown(&output))
    }
}

fn goal(name: &GoalName) -> Goal {
    (name.line, name.col, name.what.clone())
}

/// A suite of a generated program, all inputs of which were run.
fn made(seed: u64) -> Suite {
    let dir = tempfile::tempdir().expect("a folder");
    let made = global(seed, SCENES);
    fs::write(dir.path().join("a.c"), &made.source).expect("it is written");
    fs::write(dir.path().join("driver.c"), made.driver()).expect("it is written");
    let truth = truth(dir.path()).expect("all inputs are run");
    let never = truth.into_iter().filter(|(_, count)| *count == 0);
    let goals = never.map(|((line, col, side), _)| {
        let number = |it: u64| u32::try_from(it).expect("a place");
        (number(line), number(col), side.to_string())
    });
    let args = "test a.c --quiet --time 900s --iterations 60 --strategy bidirectional";
    search(dir.path(), args);
    Suite::new(dir, Some(goals.collect()))
}

/// A suite of one of the programs with proofs, for all pairs of its conditions: what no test covers is infeasible.
fn written(name: &str) -> Suite {
    let dir = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string(root().join("tests/proofs").join(name)).expect("the program");
    fs::write(dir.path().join("a.c"), &text).expect("it is written");
    let args = comment(&text, "args").unwrap_or_default();
    let args = format!("test a.c --quiet --time 900s --criterion mcdc {args}");
    let answer = search(dir.path(), &args);
    assert_eq!(answer["open"], json!([]));
    Suite::new(dir, None)
}

fn search(dir: &Path, args: &str) -> Value {
    let args = args.split_whitespace().chain(["--json"]);
    let args: Vec<&str> = args.collect();
    let output = run(dir, &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    e2e::json(&output)
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % end.max(1)
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

fn assert_corrupted(suite: &Suite, kinds: &[&str], seed: u64) {
    let known = suite.document().certificates;
    let known: BTreeSet<&str> = known.iter().map(|one| one.kind.as_str()).collect();
    let wanted: BTreeSet<&str> = kinds.iter().copied().collect();
    assert_eq!(known, wanted);
    assert_eq!(suite.check(&[]).0, Some(0));
    let other = written("flow.c");
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ seed);
    files_are_refused(suite, &other, &mut dice);
    another_program_is_refused(suite, &other);
    nothing_false_is_believed(suite, &other, &mut dice);
}

/// Whatever is changed in the files is refused.
fn files_are_refused(suite: &Suite, other: &Suite, dice: &mut Dice) {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut done = 0;
    while done < CHANGES {
        let (what, change) = FILES[done % FILES.len()];
        // Mostly the document: certificates are what is believed.
        let at = usize::from(dice.below(4) == 0);
        let (path, text) = &suite.files[at];
        match change(text, &other.files[at].1, dice) {
            Some(bad) if bad == *text => continue,
            Some(bad) => fs::write(path, bad).expect("it is written"),
            None => fs::remove_file(path).expect("it is removed"),
        }
        let (code, said) = suite.check(&[]);
        let name = path.file_name().expect("a name").to_string_lossy();
        assert_eq!(code, Some(2), "{what} of {name}: {said}");
        assert!(said.contains("certificates"), "{what} of {name}: {said}");
        assert!(!said.contains("fault of bothways"), "{what}: {said}");
        suite.restore();
        *counts.entry(what).or_default() += 1;
        done += 1;
    }
    println!("{done} changes of files, all refused: {counts:?}");
}

/// A change of a file: what is in it then; `None`: it is removed. The third is the same file of another program.
type Change = fn(&[u8], &[u8], &mut Dice) -> Option<Vec<u8>>;

const FILES: &[(&str, Change)] = &[
    ("a byte is another", |text, _, dice| {
        let mut text = text.to_vec();
        let at = dice.below(text.len());
        text[at] = text[at].wrapping_add(1 + dice.below(255) as u8);
        Some(text)
    }),
    ("a byte is gone", |text, _, dice| {
        let mut text = text.to_vec();
        text.remove(dice.below(text.len()));
        Some(text)
    }),
    ("a byte is new", |text, _, dice| {
        let mut text = text.to_vec();
        text.insert(dice.below(text.len()), *dice.of(b" \n0{[\"x,\xff"));
        Some(text)
    }),
    ("it is cut off", |text, _, dice| {
        Some(text[..dice.below(text.len())].to_vec())
    }),
    ("a number is another", |text, _, dice| {
        let digits = (0..text.len()).filter(|at| text[*at].is_ascii_digit());
        let digits: Vec<usize> = digits.collect();
        let mut text = text.to_vec();
        let at = *dice.of(&digits);
        text[at] = b'0' + (text[at] - b'0' + 1 + dice.below(9) as u8) % 10;
        Some(text)
    }),
    ("a line is gone", |text, _, dice| {
        let mut lines = lines(text);
        lines.remove(dice.below(lines.len()));
        Some(lines.concat())
    }),
    ("a line stands twice", |text, _, dice| {
        let mut lines = lines(text);
        let at = dice.below(lines.len());
        lines.insert(at, lines[at]);
        Some(lines.concat())
    }),
    ("two lines are swapped", |text, _, dice| {
        let mut lines = lines(text);
        let (one, two) = (dice.below(lines.len()), dice.below(lines.len()));
        lines.swap(one, two);
        Some(lines.concat())
    }),
    ("two parts are swapped", |text, _, dice| {
        let mut at = [0; 3].map(|_| dice.below(text.len()));
        at.sort_unstable();
        let [a, b, c] = at;
        Some([&text[..a], &text[b..c], &text[a..b], &text[c..]].concat())
    }),
    ("a part is another program's", |text, other, dice| {
        let other = lines(other);
        let from = dice.below(other.len());
        let part = &other[from..(from + 1 + dice.below(40)).min(other.len())];
        let mut lines = lines(text);
        let at = dice.below(lines.len());
        let end = (at + part.len()).min(lines.len());
        lines.splice(at..end, part.iter().copied());
        Some(lines.concat())
    }),
    ("it is another program's", |_, other, _| {
        Some(other.to_vec())
    }),
    ("its lines end as in another world", |text, _, _| {
        let lines = lines(text);
        let bodies = lines.iter().map(|line| line.trim_ascii_end());
        Some(bodies.collect::<Vec<_>>().join(&b"\r\n"[..]))
    }),
    ("it is empty", |_, _, _| Some(Vec::new())),
    ("it is no text", |text, _, dice| {
        let bytes = (0..text.len()).map(|_| dice.below(256) as u8);
        Some(bytes.collect())
    }),
    ("it is not there", |_, _, _| None),
];

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Both files of another program fit each other, but not the program that the user names.
fn another_program_is_refused(suite: &Suite, other: &Suite) {
    for ((path, _), (_, text)) in suite.files.iter().zip(&other.files) {
        fs::write(path, text).expect("it is written");
    }
    let (code, said) = suite.check(&["--program", "a.c"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("another program"), "{said}");
    suite.restore();
    // Without them it is not a suite that proved nothing.
    fs::remove_dir_all(suite.files[0].0.parent().expect("a folder")).expect("it is removed");
    let (code, said) = suite.check(&[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("there are no certificates"), "{said}");
    suite.restore();
}

/// Whoever seals a document: no certificate that is accepted is about a goal that an input covers.
fn nothing_false_is_believed(suite: &Suite, other: &Suite, dice: &mut Dice) {
    let good = suite.document();
    let subject = suite.subject();
    let goals = proof::goals_of(&good, &subject.program).expect("a criterion");
    let names = goals.iter();
    let names: Vec<GoalName> = names
        .map(|(goal, _)| GoalName::of(&subject.program, &goals, goal))
        .collect();
    let feasible: Vec<GoalName> = names
        .into_iter()
        .filter(|name| !suite.infeasible.contains(&goal(name)))
        .collect();
    let rounds = if long() { 50 } else { 10 };
    let [mut refused, mut held, mut accepted] = [0_u32; 3];
    let mut done = 0;
    while done < rounds {
        let mut bad = good.clone();
        let mut what = String::new();
        // Half of them are about something that a run does, in any case.
        if done % 2 == 0 {
            let at = dice.below(bad.certificates.len());
            bad.certificates[at].goal = dice.of(&feasible).clone();
            what += &format!("certificate {at}: {:?}; ", bad.certificates[at].goal);
        }
        let Some(bad) = sealed(&bad, &other.document(), &subject, dice, &mut what) else {
            continue;
        };
        let text = bad.render();
        if text.as_bytes() == suite.files[0].1 {
            continue;
        }
        fs::write(&suite.files[0].0, &text).expect("it is written");
        let (code, said) = suite.check(&[]);
        assert!(matches!(code, Some(0 | 2)), "{what}: {said}");
        done += 1;
        refused += u32::from(code == Some(2));
        held += u32::from(code == Some(0));
        for goal in believed(&bad, &said) {
            accepted += 1;
            assert!(
                suite.infeasible.contains(&goal),
                "accepted, and an input covers it: {goal:?} after {what}\n{said}\n{text}"
            );
        }
    }
    suite.restore();
    println!(
        "{done} documents sealed again: {refused} refused, {held} hold; {accepted} certificates accepted, each of what no input covers"
    );
    // Half of them claim what is not so.
    assert!(refused >= rounds / 4, "{refused} of {rounds}");
}

/// The goals of the certificates that the checker accepts: it says of all others what is wrong with them.
fn believed(document: &Document, said: &str) -> Vec<Goal> {
    // Without the numbers, the document itself was refused.
    if !said.contains(" certificates hold, ") {
        return Vec::new();
    }
    let is_named = |name: &GoalName| {
        let place = format!("{}:{}:{} {}: ", name.file, name.line, name.col, name.what);
        said.lines().any(|line| {
            let after = line.strip_prefix(&place).unwrap_or_default();
            after.starts_with("refused: ") || after.starts_with("not checked: ")
        })
    };
    let names = document.certificates.iter().map(|one| &one.goal);
    names.filter(|name| !is_named(name)).map(goal).collect()
}

/// Changes a document in one place, if what comes out is still one.
fn sealed(
    good: &Document,
    other: &Document,
    subject: &Subject,
    dice: &mut Dice,
    what: &mut String,
) -> Option<Document> {
    let mut bad = good.clone();
    let count = bad.certificates.len();
    let (at, from) = (dice.below(count), dice.below(count));
    let kind = dice.below(11);
    *what += &format!("change {kind} at {at} from {from}");
    match kind {
        0 => bad.certificates[at].body = good.certificates[from].body.clone(),
        1 => {
            let (one, body) = (&good.certificates[from], &mut bad.certificates[at]);
            (body.kind, body.body) = (one.kind.clone(), one.body.clone());
            (body.checked, body.inputs) = (one.checked.clone(), one.inputs.clone());
        }
        2 => dice
            .of(KINDS)
            .name()
            .clone_into(&mut bad.certificates[at].kind),
        3 => {
            let edge = dice.below(subject.program.edges.len()) as u32;
            let fact = dice.below(bad.facts.len().max(1));
            *bad.facts.get_mut(fact)? = Fact::Edge { edge };
        }
        4 => bad.facts.clone_from(&other.facts),
        5 => bad.invariant.clone_from(&other.invariant),
        6 => {
            let declared = Inputs::Declared(vec!["standard input: 4 bytes".to_owned()]);
            bad.certificates[at].inputs = declared;
        }
        7 => "yes".clone_into(&mut bad.certificates[at].checked),
        _ => {
            let mut value = serde_json::to_value(&bad).ok()?;
            // Invariants have thousands of numbers: each part has its turn.
            let parts = ["certificates", "facts", "invariant", "standing"];
            let parts = parts.into_iter().filter(|part| value.get(part).is_some());
            let part = *dice.of(&parts.collect::<Vec<&str>>());
            change_within(value.get_mut(part)?, dice, what);
            bad = serde_json::from_value(value).ok()?;
        }
    }
    Some(bad)
}

/// Changes something in a value: at each step down, any part is as likely.
fn change_within(value: &mut Value, dice: &mut Dice, what: &mut String) {
    match value {
        Value::Array(list) if !list.is_empty() => {
            let (at, other) = (dice.below(list.len()), dice.below(list.len()));
            *what += &format!("[{at}]");
            match dice.below(12) {
                0 => drop(list.remove(at)),
                1 => list.insert(at, list[other].clone()),
                2 => list.swap(at, other),
                _ => change_within(&mut list[at], dice, what),
            }
        }
        Value::Object(fields) if !fields.is_empty() => {
            let at = dice.below(fields.len());
            if let Some((name, field)) = fields.iter_mut().nth(at) {
                *what += &format!(".{name}");
                change_within(field, dice, what);
            }
        }
        Value::Number(number) => {
            let old = number.as_i64().unwrap_or(0);
            let other = [old + 1, old - 1, 0, old + dice.below(100) as i64, old * 2];
            let new = *dice.of(&other);
            *what += &format!(" = {new}");
            *value = json!(new);
        }
        Value::String(text) => {
            let mut words: Vec<&str> = text.split(' ').collect();
            let (one, two) = (dice.below(words.len()), dice.below(words.len()));
            match dice.below(3) {
                0 => drop(words.remove(one)),
                1 => words.swap(one, two),
                _ => words[one] = words[two],
            }
            let new = words.join(" ");
            *what += &format!(" = {new}");
            *value = json!(new);
        }
        Value::Bool(is) => *value = json!(!*is),
        _ => *value = json!(0),
    }
}
