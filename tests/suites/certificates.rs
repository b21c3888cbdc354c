//! Certificates of infeasible goals are written, hold when they are derived again, and are refused when they were changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use e2e::{comment, root, run, seeds, shown};
use proof::{Checked, Document, Fact, GoalName, Inputs, Subject};
use serde_json::{Value, json};

/// A suite of one of the programs with proofs, and its folder.
fn suite(name: &str, criterion: &str) -> (tempfile::TempDir, PathBuf) {
    suite_of(&root().join("tests/proofs").join(name), criterion)
}

fn suite_of(source: &Path, criterion: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a folder");
    let source = source.display().to_string();
    let text = std::fs::read_to_string(&source).expect("the program");
    let mut args = vec!["test", &source, "--quiet"];
    args.extend(["--criterion", criterion, "--iterations", "1"]);
    args.extend(comment(&text, "args").unwrap_or("").split_whitespace());
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let folder = dir.path().join("bothways-out");
    (dir, folder)
}

/// `bothways check`, its exit code and all that it says.
fn check(dir: &Path, path: &Path) -> (Option<i32>, String) {
    let output = run(dir, &["check", &path.display().to_string()]);
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

fn document(folder: &Path) -> (PathBuf, String) {
    let path = folder.join("certificates/certificates.json");
    let text = std::fs::read_to_string(&path).expect("certificates are written");
    (path, text)
}

fn subject(folder: &Path) -> Subject {
    let text = std::fs::read_to_string(folder.join("certificates/model.txt"));
    Subject::parse(&text.expect("the model is written")).expect("a model")
}

/// What the checker says of a document that was sealed again.
fn results(document: &Document, subject: &Subject) -> Vec<Checked> {
    let text = document.render();
    let document = Document::parse(&text).expect("it is sealed again");
    match proof::goals_of(&document, &subject.program) {
        Ok(goals) => {
            let report = proof::check(&document, subject, &goals).expect("Z3 is installed");
            report.results
        }
        Err(refusal) => vec![Checked::Refused(refusal)],
    }
}

#[test]
fn certificates_hold() {
    // Where a count is 0 only because no run ends between two places, the checker has nobody's word for it: three goals of the second.
    for (name, criterion, unchecked) in [("flow.c", "branch", 0), ("coupled.c", "mcdc", 3)] {
        let (dir, folder) = suite(name, criterion);
        let (code, said) = check(dir.path(), &folder);
        assert_eq!(code, Some(0), "{name} {criterion}: {said}");
        let all = format!(" {unchecked} cannot be checked, 0 are refused");
        assert!(said.contains(&all), "{name} {criterion}: {said}");
    }
}

/// A suite without infeasible goals has no certificates, and all of them hold.
#[test]
fn nothing_proved_is_nothing_to_check() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let text = "#include <stdio.h>\nint main(void) { return getchar() == 'x'; }";
    std::fs::write(dir.path().join("a.c"), text).expect("writes");
    let args = ["test", "a.c", "--stdin", "1", "--iterations", "3"];
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let (code, said) = check(dir.path(), &dir.path().join("bothways-out"));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("0 of 0 certificates hold"), "{said}");
}

/// What rests on the value analysis has assertions that the checker proves, where they are about numbers in variables that no
/// pointer points to.
#[test]
fn invariants_hold() {
    for (name, checked, unchecked) in [
        ("values_client.c", 6, 0),
        // Functions are called by their addresses.
        ("values_callbacks.c", 7, 0),
    ] {
        let (dir, folder) = suite_of(&root().join("tests/programs").join(name), "branch");
        let (code, said) = check(dir.path(), &folder);
        assert_eq!(code, Some(0), "{name}: {said}");
        let all = checked + unchecked;
        let words = format!("{checked} of {all} certificates hold, {unchecked} cannot be checked");
        assert!(said.contains(&words), "{name}: {said}");
        let (_, text) = document(&folder);
        assert!(!text.contains("exhaustion"), "{name}: {text}");
    }
}

/// What the words of the command line exclude is derived from them, and not from others.
#[test]
fn certificates_of_words_are_of_these_words() {
    let (dir, folder) = suite("words.c", "branch");
    let (code, said) = check(dir.path(), &folder);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("11 of 11 certificates hold"), "{said}");
    let good = Document::parse(&document(&folder).1).expect("it was written");
    let subject = subject(&folder);
    let given = Inputs::Declared(vec!["argument `-n`".to_owned(), "an argument".to_owned()]);
    for one in &good.certificates {
        assert_eq!((one.kind.as_str(), &one.inputs), ("words", &given));
    }
    let with = |words: Value, inputs: &Inputs| {
        let mut changed = good.clone();
        for one in &mut changed.certificates {
            one.body["words"] = words.clone();
            one.inputs = inputs.clone();
        }
        let held = results(&changed, &subject);
        held.iter().filter(|one| **one == Checked::Yes).count()
    };
    let declared =
        |words: &[&str]| Inputs::Declared(words.iter().map(|it| (*it).to_owned()).collect());
    assert_eq!(with(json!(["-n", null]), &given), 11);
    assert_eq!(with(json!(["-n", null]), &declared(&["argument `-n`"])), 0);
    assert_eq!(with(json!(["-n", null]), &Inputs::All), 0);
    assert_eq!(with(json!(["-l", null]), &given), 0);
    // Two goals are excluded by the number of words.
    let loud = declared(&["argument `-l`", "an argument"]);
    assert_eq!(with(json!(["-l", null]), &loud), 2);
    let unknown = declared(&["an argument", "an argument"]);
    assert_eq!(with(json!([null, null]), &unknown), 2);
}

/// A goal that some test covers does not follow from an invariant that holds.
#[test]
fn an_invariant_proves_no_goal_that_is_covered() {
    for name in ["values_scanner.c", "values_callbacks.c"] {
        let (_dir, folder) = suite_of(&root().join("tests/programs").join(name), "branch");
        assert!(
            no_more_is_proved(&folder, "invariant", 12, |_| true),
            "{name}"
        );
    }
}

/// Nor does it in random programs that call functions by their addresses; all inputs of these are searched. Claims prove no such goal either.
/// `BOTHWAYS_SEEDS=FIRST..END` names other programs.
#[test]
fn nothing_that_a_test_covers_is_proved_of_random_programs() {
    let named = std::env::var_os("BOTHWAYS_SEEDS").is_some();
    let seeds = if named {
        seeds(0).collect()
    } else {
        vec![4, 11]
    };
    let mut invariants = 0;
    for seed in seeds {
        let dir = tempfile::tempdir().expect("a folder");
        let source = dir.path().join("a.c");
        std::fs::write(&source, bench::few_bits(seed, 4, 12).source).expect("writes");
        let words = "test a.c --json --quiet --iterations 3000 --time 20";
        let output = run(dir.path(), &words.split(' ').collect::<Vec<_>>());
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let place = |goal: &Value| {
            let words = ["line", "col", "side"].map(|field| goal[field].to_string());
            words.join(" ").replace('"', "")
        };
        let left = ["open", "infeasible"].map(|list| report[list].as_array().cloned());
        let left = left.into_iter().flatten().flatten();
        let left: BTreeSet<String> = left.map(|goal| place(&goal)).collect();
        let folder = dir.path().join("bothways-out");
        let is_covered = |goal: &GoalName| {
            let place = format!("{} {} {}", goal.line, goal.col, goal.what);
            !left.contains(&place)
        };
        for kind in ["invariant", "standing"] {
            let proved = no_more_is_proved(&folder, kind, usize::MAX, is_covered);
            invariants += usize::from(proved && kind == "invariant");
        }
    }
    assert!(named || invariants > 0, "there is no invariant");
}

/// Goals that a document has no certificate of, and `is_asked` of which is true, up to `most`, do not follow from what its certificates of a
/// kind rest on. Whether there is one of that kind that holds.
fn no_more_is_proved(
    folder: &Path,
    kind: &str,
    most: usize,
    is_asked: impl Fn(&GoalName) -> bool,
) -> bool {
    let good = Document::parse(&document(folder).1).expect("it was written");
    let subject = subject(folder);
    let goals = proof::goals_of(&good, &subject.program).expect("a criterion");
    let all = good.certificates.iter();
    let Some(of_kind) = all
        .clone()
        .find(|one| one.kind == kind && one.checked == "yes")
    else {
        return false;
    };
    let certified: Vec<GoalName> = all.map(|one| one.goal.clone()).collect();
    let mut bad = good.clone();
    bad.certificates.clear();
    for (goal, _) in goals.iter() {
        let mut one = of_kind.clone();
        one.goal = GoalName::of(&subject.program, &goals, goal);
        let is_other = !certified.contains(&one.goal) && is_asked(&one.goal);
        if is_other && bad.certificates.len() < most {
            bad.certificates.push(one);
        }
    }
    for (one, result) in bad.certificates.iter().zip(results(&bad, &subject)) {
        assert!(
            matches!(result, Checked::Refused(_)),
            "{:?}: {result:?}",
            one.goal
        );
    }
    true
}

#[test]
fn changed_texts_are_refused() {
    let (dir, folder) = suite("flow.c", "branch");
    let (path, text) = document(&folder);
    let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut draw = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random >> 33).unwrap_or(0) % below
    };
    for round in 0..200 {
        let mut bytes = text.clone().into_bytes();
        let at = draw(bytes.len());
        match round % 4 {
            0 => bytes[at] = bytes[at].wrapping_add(1 + draw(255) as u8),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, b" 0{[\"x"[draw(6)]),
            _ => bytes.truncate(at),
        }
        let changed = String::from_utf8_lossy(&bytes);
        assert!(
            Document::parse(&changed).is_err(),
            "round {round}, byte {at}"
        );
    }
    std::fs::write(&path, text.replacen("\"line\": ", "\"line\": 1", 1)).expect("it is written");
    let (code, said) = check(dir.path(), &folder);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("seal"), "{said}");
}

#[test]
fn false_certificates_are_refused_whoever_seals_them() {
    let (_dir, folder) = suite("flow.c", "branch");
    let (_, text) = document(&folder);
    let good = Document::parse(&text).expect("it was written");
    let subject = subject(&folder);
    assert!(
        results(&good, &subject)
            .iter()
            .all(|one| *one == Checked::Yes)
    );
    let goals = proof::goals_of(&good, &subject.program).expect("a criterion");
    let certified: Vec<_> = good
        .certificates
        .iter()
        .filter_map(|one| one.goal.find(&subject.program, &goals))
        .collect();
    let refused = |document: &Document, what: &str| {
        let results = results(document, &subject);
        let any = results.iter().any(|one| matches!(one, Checked::Refused(_)));
        assert!(any, "{what}: {results:?}");
    };
    // Every other goal in place of the first.
    for (goal, _) in goals.iter().filter(|(goal, _)| !certified.contains(goal)) {
        let mut bad = good.clone();
        bad.certificates[0].goal = GoalName::of(&subject.program, &goals, goal);
        refused(&bad, &format!("{goal}"));
    }
    // Every other edge in place of the first that is never taken.
    let known: Vec<Fact> = good.facts.clone();
    let is_own = |edge: &program::EdgeId| {
        let site = &subject.program.sites[subject.program.edges[*edge].site];
        !subject.program.functions[site.function].library
    };
    for edge in subject.program.edges.keys().filter(is_own) {
        let fact = Fact::Edge {
            edge: edge.as_u32(),
        };
        if !known.contains(&fact) {
            let mut bad = good.clone();
            bad.facts[0] = fact;
            refused(&bad, &format!("{edge}"));
        }
    }
    for (what, change) in CHANGES {
        let mut bad = good.clone();
        change(&mut bad);
        refused(&bad, what);
    }
}

type Change = fn(&mut Document);

/// Changes of a document after which it says what is not so.
const CHANGES: &[(&str, Change)] = &[
    ("a fact that is not there", |it| {
        it.certificates[0].body = serde_json::json!({"facts": [999_999]});
    }),
    ("no facts", |it| {
        it.certificates[0].body = serde_json::json!({"facts": []});
    }),
    ("an edge that is not there", |it| {
        it.facts[0] = Fact::Edge { edge: u32::MAX };
    }),
    ("a block that is not there", |it| {
        it.facts[0] = Fact::Block {
            function: 0,
            block: u32::MAX,
        };
    }),
    ("another kind", |it| {
        it.certificates[0].kind = "coupling".to_owned();
    }),
    ("an unknown kind", |it| {
        it.certificates[0].kind = "belief".to_owned();
    }),
    ("a field too many", |it| {
        it.certificates[0].body["more"] = serde_json::json!(1);
    }),
    ("fewer inputs than it holds for", |it| {
        it.certificates[0].inputs = Inputs::Declared(Vec::new());
    }),
    ("not to be checked", |it| {
        it.certificates[0].checked = "no: it takes long".to_owned();
    }),
    ("exhaustion that was checked", |it| {
        it.certificates[0].kind = "exhaustion".to_owned();
    }),
    ("another line", |it| it.certificates[0].goal.line += 1),
    ("another criterion", |it| it.criterion = "brunch".to_owned()),
];

#[test]
fn coupled_vectors_are_counted_again() {
    let (_dir, folder) = suite("coupled.c", "mcdc");
    let (_, text) = document(&folder);
    let good = Document::parse(&text).expect("it was written");
    let subject = subject(&folder);
    let is_coupling = |one: &proof::Certificate| one.kind == "coupling";
    let coupled: Vec<usize> = (0..good.certificates.len())
        .filter(|at| is_coupling(&good.certificates[*at]))
        .collect();
    assert!(!coupled.is_empty(), "{text}");
    for at in coupled {
        let vectors = good.certificates[at].body["vectors"].clone();
        for left_out in 0..vectors.as_array().map_or(0, Vec::len) {
            let mut bad = good.clone();
            let list = bad.certificates[at].body["vectors"].as_array_mut();
            list.expect("a list").remove(left_out);
            let results = results(&bad, &subject);
            assert!(
                matches!(results[at], Checked::Refused(_)),
                "{at} without {left_out} of {vectors}: {results:?}"
            );
        }
    }
}

/// Pairs that no value of a variable lets happen: without the invariant, or with another one, nothing follows.
#[test]
fn pairs_refuted_by_values_rest_on_the_invariant() {
    let (dir, folder) = suite("values_pairs.c", "mcdc");
    let (code, said) = check(dir.path(), &folder);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("9 of 9 certificates hold"), "{said}");
    let good = Document::parse(&document(&folder).1).expect("it was written");
    let subject = subject(&folder);
    let refuses = |bad: &Document, at: usize, what: &str| {
        let results = results(bad, &subject);
        let is_refused = matches!(results[at], Checked::Refused(_));
        assert!(is_refused, "{at}, {what}: {:?}", results[at]);
    };
    let mut count = 0;
    for at in 0..good.certificates.len() {
        if good.certificates[at].kind != "coupling" {
            continue;
        }
        count += 1;
        let mut bad = good.clone();
        bad.certificates[at].body["invariant"] = serde_json::json!(false);
        refuses(&bad, at, "not by values");
        let mut bad = good.clone();
        bad.invariant = None;
        refuses(&bad, at, "no invariant");
        for left_out in 0..2 {
            let mut bad = good.clone();
            let list = bad.certificates[at].body["vectors"].as_array_mut();
            list.expect("a list").remove(left_out);
            refuses(&bad, at, "a vector is missing");
        }
        let mut bad = good.clone();
        let invariant = bad.invariant.as_mut().expect("there is one");
        for context in &mut invariant.contexts {
            context
                .states
                .iter_mut()
                .for_each(|state| state.cells.clear());
        }
        refuses(&bad, at, "variables may be anything");
    }
    assert_eq!(count, 4);
}

/// The certificate of what a search backward alone refutes: a flag that one function sets and another one reads, behind a loop.
fn followed() -> (tempfile::TempDir, PathBuf) {
    let source = root().join("tests/programs/values_table.c");
    let dir = tempfile::tempdir().expect("a folder");
    let source = source.display().to_string();
    let only = ["--only", "backward", "--no-proofs", "--quiet", "-t", "20s"];
    let args = ["reach", &source, "--at", "values_table.c:15"];
    let output = run(dir.path(), &[&args[..], &only].concat());
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let folder = dir.path().join("bothways-out");
    (dir, folder)
}

/// What was followed backward is checked step by step: it holds, and nothing that a run does follows from it, whatever line of it is changed.
#[test]
fn conditions_followed_backward_are_derived_again() {
    let (dir, folder) = followed();
    let (code, said) = check(dir.path(), &folder);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1 of 1 certificates hold"), "{said}");
    let good = Document::parse(&document(&folder).1).expect("it was written");
    let subject = subject(&folder);
    assert_eq!(good.certificates[0].kind, "backward");
    assert_eq!(results(&good, &subject), [Checked::Yes]);
    let mut random: u64 = 0x2545_f491_4f6c_dd1d;
    let mut draw = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random >> 33).unwrap_or(0) % below
    };
    let closed = |it: &Document| it.certificates[0].body["followed"]["closed"].clone();
    let lines = |it: &Document, key: &str| -> Vec<String> {
        let lines = closed(it)[key].as_array().cloned().expect("lines");
        lines
            .iter()
            .map(|line| line.as_str().expect("a line").to_owned())
            .collect()
    };
    let (terms, states) = (lines(&good, "terms"), lines(&good, "states"));
    let with = |terms: &[String], states: &[String]| {
        let mut bad = good.clone();
        let own = &mut bad.certificates[0].body["followed"]["closed"];
        own["terms"] = serde_json::json!(terms);
        own["states"] = serde_json::json!(states);
        bad
    };
    let refused = |bad: &Document, what: &str| {
        let results = results(bad, &subject);
        assert!(
            matches!(results[..], [Checked::Refused(_)]),
            "{what}: {results:?}"
        );
    };
    // The whole set, or one with a line changed, says nothing of any edge that a run takes.
    let known = good.certificates[0].body["followed"]["never"].clone();
    let other: Vec<Fact> = subject
        .program
        .edges
        .iter()
        .filter(|(_, edge)| {
            let site = &subject.program.sites[edge.site];
            !subject.program.functions[site.function].library
        })
        .map(|(edge, _)| Fact::Edge {
            edge: edge.as_u32(),
        })
        .filter(|fact| serde_json::json!([fact]) != known)
        .collect();
    let calls = proof::closed::Effects::new(&subject.program, subject.foreign, None);
    let is_closed = |terms: &[String], states: &[String], claim: Fact| {
        let closed = proof::closed::Closed {
            terms: terms.to_vec(),
            states: states.to_vec(),
        };
        let effort = proof::Effort::questions(10_000);
        proof::closed::check(&calls, &BTreeSet::new(), &closed, &[claim], effort).is_ok()
    };
    for fact in &other {
        assert!(!is_closed(&terms, &states, *fact), "{fact:?}");
    }
    let mut changed = 0;
    for round in 0..200 {
        let (mut terms, mut states) = (terms.clone(), states.clone());
        let list = if round % 2 == 0 {
            &mut states
        } else {
            &mut terms
        };
        let at = draw(list.len());
        let mut words: Vec<String> = list[at].split(' ').map(str::to_owned).collect();
        let word = draw(words.len());
        match round % 3 {
            0 => drop(words.remove(word)),
            1 => words[word] = format!("{}{}", words[word], draw(10)),
            _ => {
                let other = draw(words.len());
                words.swap(word, other);
            }
        }
        let line = words.join(" ");
        list[at].clone_from(&line);
        let claim = other[draw(other.len())];
        assert!(!is_closed(&terms, &states, claim), "{claim:?}, {line}");
        // Of what no run does, most of them say nothing either.
        let bad = with(&terms, &states);
        changed += usize::from(results(&bad, &subject) != [Checked::Yes]);
    }
    assert!(changed > 100, "{changed}");
    for (what, change) in FOLLOWED {
        let mut bad = good.clone();
        change(&mut bad);
        refused(&bad, what);
    }
}

/// A program that walks folders only if it is told to: whether it may is known where a function that is called by its address asks.
const WALKS: &str = "#include <stdio.h>
#include <unistd.h>
static int recursive, depth;
static int walk(int c) {
    if (recursive)
        return depth++ > c;
    return 0;
}
static int plain(int c) { return c > 3; }
static int (*const acts[2])(int) = {plain, walk};
int main(int argc, char **argv) {
    int option, all = 0;
    while ((option = getopt(argc, argv, \"ae:r\")) != -1) {
        if (option == 'r')
            recursive = 1;
        if (option == 'a')
            all = 1;
    }
    return acts[getchar() == 'x'](all);
}
";

/// Claims may rest on the words of the command line: on those that were given, and no others.
#[test]
fn claims_are_about_runs_with_the_words_they_name() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("a.c"), WALKS).expect("it is written");
    let args =
        "reach a.c --only backward --at a.c:6 --sym-arg 4 --stdin 1 --json -o out -- -e @arg";
    let args: Vec<&str> = args.split(' ').collect();
    let output = run(dir.path(), &args);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let certificate = &answer["targets"][0]["certificate"];
    assert_eq!(certificate["kind"], "standing", "{answer}");
    assert_eq!(certificate["checked"], "yes", "{answer}");
    assert_eq!(certificate["all_inputs"], false, "{answer}");
    let folder = dir.path().join("out");
    let (code, said) = check(dir.path(), &folder);
    assert_eq!(code, Some(0), "{said}");

    let good = Document::parse(&document(&folder).1).expect("it was written");
    let subject = subject(&folder);
    assert_eq!(results(&good, &subject), [Checked::Yes]);
    let words = |words: &[&str]| serde_json::json!(words);
    let (other, own) = (words(&["-r", "-e"]), words(&["-e", "x"]));
    for (what, own, called, is_taken) in [
        ("other words of the certificate", Some(&other), None, false),
        ("other words of the claims", None, Some(&other), false),
        ("words with which it may", Some(&other), Some(&other), false),
        ("words with which it may not", Some(&own), Some(&own), true),
    ] {
        let mut bad = good.clone();
        if let Some(own) = own {
            bad.certificates[0].body["words"] = own.clone();
            let declared = own.as_array().into_iter().flatten();
            let declared =
                declared.filter_map(|word| Some(format!("argument `{}`", word.as_str()?)));
            bad.certificates[0].inputs = Inputs::Declared(declared.collect());
        }
        if let (Some(called), Some(claims)) = (called, &mut bad.called) {
            claims.words = serde_json::from_value(called.clone()).expect("words");
        }
        let found = results(&bad, &subject);
        assert_eq!(found == [Checked::Yes], is_taken, "{what}: {found:?}");
    }
    let mut bad = good.clone();
    bad.called = None;
    assert_ne!(results(&bad, &subject), [Checked::Yes]);
    let mut bad = good;
    bad.certificates[0].inputs = Inputs::All;
    assert_ne!(results(&bad, &subject), [Checked::Yes]);
}

/// Changes after which a certificate of this kind says what is not so.
const FOLLOWED: &[(&str, Change)] = &[
    ("nothing that no run does", |it| {
        it.certificates[0].body["followed"]["never"] = serde_json::json!([]);
    }),
    ("no states", |it| {
        it.certificates[0].body["followed"]["closed"]["states"] = serde_json::json!([]);
    }),
    ("nothing followed", |it| {
        it.certificates[0].body["followed"] = serde_json::json!(null);
    }),
    ("facts that are not there", |it| {
        it.certificates[0].body["followed"]["facts"] = serde_json::json!([999]);
    }),
    ("an invariant that is not there", |it| {
        it.certificates[0].body["followed"]["invariant"] = serde_json::json!(true);
    }),
    ("another kind", |it| {
        it.certificates[0].kind = "contradiction".to_owned();
    }),
    ("a field too many", |it| {
        it.certificates[0].body["more"] = serde_json::json!(1);
    }),
    ("not to be checked", |it| {
        it.certificates[0].checked = "no: it takes long".to_owned();
    }),
];

#[test]
fn certificates_of_another_program_are_refused() {
    let (_one, first) = suite("flow.c", "branch");
    let (dir, second) = suite("coupled.c", "mcdc");
    let (path, _) = document(&second);
    std::fs::copy(document(&first).0, &path).expect("it is copied");
    let (code, said) = check(dir.path(), &second);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("about another program"), "{said}");
}

#[test]
fn what_an_exhausted_search_says_is_not_claimed_to_be_checked() {
    let dir = tempfile::tempdir().expect("a folder");
    let source = dir.path().join("a.c");
    let text = "extern unsigned char __VERIFIER_nondet_uchar(void);\nint main(void) {\n  unsigned char a = __VERIFIER_nondet_uchar();\n  unsigned sum = 0;\n  for (int i = 0; i < 3; i++) sum += a;\n  if (sum == 4) return 1;\n  return 0;\n}\n";
    std::fs::write(&source, text).expect("it is written");
    let args = [
        "test",
        "a.c",
        "--quiet",
        "--no-proofs",
        "--no-fuzz",
        "--iterations",
        "200",
    ];
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let folder = dir.path().join("bothways-out");
    let (code, said) = check(dir.path(), &folder);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("0 of 1 certificates hold, 1 cannot be checked"),
        "{said}"
    );
    let (_, text) = document(&folder);
    assert!(text.contains("\"declared\""), "{text}");
}
