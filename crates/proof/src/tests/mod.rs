//! Documents of certificates: good ones hold, what was changed is refused.
//!
//! `flow.txt` and `flow.json` are what `bothways test flow.c --criterion mcdc --iterations 30` writes, with other folders and
//! without the hashes, which are made here.

use coverage::Goals;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::check::Context;
use crate::{Certificate, Checked, Document, DocumentError, Fact, Inputs, Refusal, Subject};

const MODEL: &str = include_str!("flow.txt");
const DOCUMENT: &str = include_str!("flow.json");

fn document() -> Document {
    serde_json::from_str(DOCUMENT).expect("a document")
}

/// What the checker says of a program and a document: a line for each certificate that is not simply right.
fn said(model: &str, document: &Document) -> String {
    let subject = Subject::parse(model).expect("a model");
    let goals = match crate::goals_of(document, &subject.program) {
        Ok(goals) => goals,
        Err(refusal) => return format!("{refusal}\n"),
    };
    let report = crate::check(document, &subject, &goals).expect("there is a solver");
    let results = report.results.iter().enumerate();
    let lines = results.filter_map(|(at, checked)| match checked {
        Checked::Yes => None,
        Checked::No(why) => Some(format!("{at} not checked: {why}\n")),
        Checked::Refused(why) => Some(format!("{at} refused: {why}\n")),
    });
    lines.collect()
}

/// What is said of the document after a change.
#[track_caller]
fn check(change: impl Fn(&mut Document), expected: Expect) {
    let mut document = document();
    change(&mut document);
    expected.assert_eq(&said(MODEL, &document));
}

/// What is said of the document after the model was changed.
#[track_caller]
fn check_model(from: &str, to: &str, expected: Expect) {
    assert!(MODEL.contains(from), "{from}");
    expected.assert_eq(&said(&MODEL.replace(from, to), &document()));
}

fn certificate(document: &mut Document, at: usize) -> &mut Certificate {
    &mut document.certificates[at]
}

/// Keeps one certificate, with another body.
fn only(document: &mut Document, at: usize, body: Value) {
    document.certificates = vec![document.certificates[at].clone()];
    document.certificates[0].body = body;
}

#[test]
fn certificates_hold() {
    check(|_| {}, expect![[""]]);
    // Of a line alone, in front of whose goals nothing else stands.
    check(
        |document| {
            document.criterion = "lines:flow.c:8-8".to_owned();
            document.certificates.truncate(1);
        },
        expect![[""]],
    );
}

#[test]
fn each_question_to_a_solver_is_counted() {
    let subject = Subject::parse(MODEL).expect("a model");
    let mut document = document();
    let goals = crate::goals_of(&document, &subject.program).expect("goals");
    let mut queries = |kind: &str| {
        let own = |certificate: &Certificate| certificate.kind == kind;
        document.certificates = self::document().certificates;
        document.certificates.retain(own);
        let report = crate::check(&document, &subject, &goals);
        report.expect("there is a solver").queries
    };
    let found = ["contradiction", "invariant", "coupling"].map(&mut queries);
    // Two facts. What the others need is their own affair, but no question is counted twice.
    let few = |count: u64| (2..100).contains(&count);
    assert!(found[0] == 2 && few(found[1]) && few(found[2]), "{found:?}");
}

#[test]
fn contradictions_rest_on_facts_that_are_so() {
    let facts = |list: &'static [u32]| {
        move |document: &mut Document| only(document, 1, json!({"facts": list}))
    };
    check(
        facts(&[0]),
        expect![[r#"
        0 refused: the goal may be covered all the same
    "#]],
    );
    check(
        facts(&[]),
        expect![[r#"
        0 refused: the goal may be covered all the same
    "#]],
    );
    check(facts(&[0, 1]), expect![[""]]);
    check(
        facts(&[1, 0]),
        expect![[r#"
        0 refused: its body cannot be read: facts are not in order
    "#]],
    );
    check(
        facts(&[1, 1]),
        expect![[r#"
        0 refused: its body cannot be read: facts are not in order
    "#]],
    );
    check(
        facts(&[2]),
        expect![[r#"
        0 refused: it names something that the program does not have
    "#]],
    );
    let fact = |fact| {
        move |document: &mut Document| {
            document.facts = vec![fact];
            only(document, 2, json!({"facts": [0]}));
        }
    };
    let block = |function, block| Fact::Block { function, block };
    // Behind `a == 4`, which is above 5 there.
    check(fact(block(0, 4)), expect![[""]]);
    check(fact(block(0, 5)), expect![[""]]);
    for (what, expected) in [
        (
            block(0, 3),
            expect![[r#"
            0 refused: block3 of fn0 is not refuted: there is a state that does it
        "#]],
        ),
        (
            block(0, 0),
            expect![[r#"
            0 refused: it names something that the program does not have
        "#]],
        ),
        (
            block(0, 99),
            expect![[r#"
            0 refused: it names something that the program does not have
        "#]],
        ),
        (
            block(1, 0),
            expect![[r#"
            0 refused: it names something that the program does not have
        "#]],
        ),
        (
            block(2, 0),
            expect![[r#"
            0 refused: it names something that the program does not have
        "#]],
        ),
        (
            Fact::Edge { edge: 3 },
            expect![[r#"
            0 refused: edge3 is not refuted: there is a state that does it
        "#]],
        ),
        (
            Fact::Edge { edge: 4 },
            expect![[r#"
            0 refused: edge4 is not refuted: there is a state that does it
        "#]],
        ),
        (
            Fact::Edge { edge: 99 },
            expect![[r#"
            0 refused: it names something that the program does not have
        "#]],
        ),
    ] {
        check(fact(what), expected);
    }
}

/// What is read was written before, on the only way that leads there; the library function is not the program's.
const MEMORY: &str = r#"
    extern @input() -> i32
    global @known size 4 align 4 = x""
    fn @main() -> i32 {
    block0:
      v0: i32 = call @input()
      store v0, @known
      v1: i1 = icmp sgt v0, i32 5
      br v1, block1, block3 [site0: edge0 false, edge1 true]
    block1:
      v2: i32 = load @known
      br block2
    block2:
      v3: i1 = icmp sgt v2, i32 3
      br v3, block3, block4 [site1: edge2 false, edge3 true]
    block3:
      ret i32 0
    block4:
      ret i32 1
    }
    fn @lib(v0: i32) -> i32 library {
    block0:
      v1: i1 = icmp sgt v0, i32 5
      br v1, block1, block3 [site2: edge4 false, edge5 true]
    block1:
      v2: i1 = icmp sgt v0, i32 3
      br v2, block2, block3 [site3: edge6 false, edge7 true]
    block2:
      ret i32 0
    block3:
      ret i32 1
    }
"#;

/// Whether no run takes an edge of a program, as far as the checker can tell.
pub(crate) fn is_dead(text: &str, foreign: bool, edge: u32) -> Result<(), String> {
    let program = program::text::sample(text);
    let subject = Subject { program, foreign };
    let goals = Goals::new(&subject.program, coverage::criterion::CRITERIA[0]);
    let mut document = document();
    document.facts = vec![Fact::Edge { edge }];
    let facts = Context::new(&subject, &goals, &document).facts(&[0]);
    facts.map(|_| ()).map_err(|refusal| refusal.to_string())
}

#[test]
fn facts_are_derived_along_the_only_way_that_leads_there() {
    let possible = |edge: u32| {
        Err(format!(
            "edge{edge} is not refuted: there is a state that does it"
        ))
    };
    let not_there = Err("it names something that the program does not have".to_owned());
    let library = MEMORY.replace(" library", "");
    for (text, foreign, edge, expected) in [
        (MEMORY, false, 2, Ok(())),
        (MEMORY, false, 3, possible(3)),
        // Others may write in between.
        (MEMORY, true, 2, possible(2)),
        (MEMORY, false, 6, not_there),
        (&*library, false, 6, Ok(())),
        (&*library, false, 7, possible(7)),
    ] {
        assert_eq!(is_dead(text, foreign, edge), expected, "edge{edge}");
    }
}

#[test]
fn vectors_of_coupled_conditions_are_all_that_happen() {
    let vectors = |list: &'static [&'static str]| {
        move |document: &mut Document| only(document, 7, json!({"vectors": list}))
    };
    check(vectors(&["F- = F"]), expect![[""]]);
    check(
        vectors(&[]),
        expect![[r#"
        0 refused: vector F- = F is not refuted: there is a state that does it
    "#]],
    );
    check(vectors(&["F- = F", "TF = F"]), expect![[""]]);
    check(
        vectors(&["F- = F", "TT = T"]),
        expect![[r#"
        0 refused: the goal may be covered all the same
    "#]],
    );
    check(
        vectors(&["TT = T", "F- = F"]),
        expect![[r#"
        0 refused: its body cannot be read: vectors are not in order
    "#]],
    );
    check(
        vectors(&["F- = F", "TX = T"]),
        expect![[r#"
        0 refused: its body cannot be read: a vector of it never ends an evaluation
    "#]],
    );
    check(
        vectors(&["F- = F", "F- = F"]),
        expect![[r#"
            0 refused: its body cannot be read: vectors are not in order
        "#]],
    );
    // The outcomes of the decision.
    let outcome = |what: &'static str| {
        move |document: &mut Document| {
            only(document, 6, json!({"vectors": ["F- = F"]}));
            let own = certificate(document, 0);
            (own.kind, own.goal.what) = ("coupling".to_owned(), what.to_owned());
        }
    };
    check(outcome("decision true"), expect![[""]]);
    check(
        outcome("decision false"),
        expect![[r#"
            0 refused: the goal may be covered all the same
        "#]],
    );
    // The other decision has all vectors.
    check(
        |document| {
            only(document, 7, json!({"vectors": ["F- = F"]}));
            let goal = &mut certificate(document, 0).goal;
            (goal.region, goal.line, goal.col) = (19, 11, 8);
        },
        expect![[r#"
            0 refused: vector TT- = T is not refuted: there is a state that does it
        "#]],
    );
    // Not a goal of a decision.
    check(
        |document| {
            only(document, 0, json!({"vectors": ["F- = F"]}));
            certificate(document, 0).kind = "coupling".to_owned();
        },
        expect![[r#"
            0 refused: the goal may be covered all the same
        "#]],
    );
}

#[test]
fn invariants_are_proved_and_enough() {
    let body = |facts| json!({"facts": facts, "says": ""});
    check(
        |document| only(document, 4, body(json!([0]))),
        expect![[""]],
    );
    check(
        |document| only(document, 4, body(json!([1, 0]))),
        expect![[r#"
            0 refused: its body cannot be read: facts are not in order
        "#]],
    );
    check(
        |document| only(document, 4, body(json!([9]))),
        expect![[r#"
            0 refused: it names something that the program does not have
        "#]],
    );
    check(
        |document| only(document, 4, body(Value::Null)),
        expect![[r#"
            0 refused: what it says of itself is not so: checked: yes
        "#]],
    );
    check(
        |document| {
            only(document, 4, body(json!([])));
            document.invariant = None;
        },
        expect![[r#"
            0 refused: it names something that the program does not have
        "#]],
    );
    // It holds, and says nothing of the other goal.
    check(
        |document| {
            only(document, 4, body(json!([])));
            let goal = &mut certificate(document, 0).goal;
            (goal.region, goal.line, goal.what) = (33, 14, "true".to_owned());
        },
        expect![[r#"
            0 refused: the goal may be covered all the same
        "#]],
    );
}

#[test]
fn what_a_certificate_says_of_itself_is_so() {
    let no = |why: &'static str| {
        move |document: &mut Document| {
            certificate(document, 0).checked = why.to_owned();
        }
    };
    check(
        no("no: the weather"),
        expect![[r#"
        0 refused: what it says of itself is not so: checked: no: the weather
    "#]],
    );
    check(
        no("maybe"),
        expect![[r#"
        0 refused: what it says of itself is not so: checked: maybe
    "#]],
    );
    check(
        |document| certificate(document, 0).inputs = Inputs::Declared(vec!["--stdin 4".to_owned()]),
        expect![[r#"
            0 refused: what it says of itself is not so: it holds for all inputs
        "#]],
    );
    check(
        |document| certificate(document, 0).kind = "trust".to_owned(),
        expect![[r#"
            0 refused: there is no kind `trust` of certificates
        "#]],
    );
    check(
        |document| certificate(document, 0).body = json!({}),
        expect![[r#"
            0 refused: its body cannot be read: missing field `facts`
        "#]],
    );
    check(
        |document| certificate(document, 7).body = json!({"facts": []}),
        expect![[r#"
            7 refused: its body cannot be read: unknown field `facts`, expected one of `vectors`, `invariant`, `standing`
        "#]],
    );
    let searched = |checked: &str| {
        let checked = checked.to_owned();
        move |document: &mut Document| {
            let own = certificate(document, 0);
            own.kind = "exhaustion".to_owned();
            own.inputs = Inputs::Declared(vec!["--stdin 4".to_owned()]);
            own.checked.clone_from(&checked);
        }
    };
    let why = crate::kinds::exhaustion::WHY;
    check(
        searched(&format!("no: {why}")),
        expect![[r#"
        0 not checked: the refuted sides of the tree are conditions of runs, which cannot be derived without the search
    "#]],
    );
    check(
        searched("no: the weather"),
        expect![[r#"
        0 refused: what it says of itself is not so: checked: no: the weather
    "#]],
    );
    check(
        searched("yes"),
        expect![[r#"
        0 refused: what it says of itself is not so: checked: yes
    "#]],
    );
}

#[test]
fn goals_are_named_by_model_and_source() {
    let goal = |change: &'static dyn Fn(&mut crate::GoalName)| {
        move |document: &mut Document| change(&mut certificate(document, 0).goal)
    };
    let changes: [&'static dyn Fn(&mut crate::GoalName); 7] = [
        &|goal| goal.record = 9,
        &|goal| goal.record = 1,
        &|goal| goal.region = 7,
        &|goal| goal.what = "exit".to_owned(),
        &|goal| goal.file.clear(),
        &|goal| goal.line += 1,
        &|goal| goal.col += 1,
    ];
    for change in changes {
        check(
            goal(change),
            expect![[r#"
                0 refused: the program has no such goal
            "#]],
        );
    }
    check(
        |document| document.criterion = "taste".to_owned(),
        expect![[r#"
            what it says of itself is not so: there is no criterion `taste` with pairs `unique-cause`
        "#]],
    );
    check(
        |document| document.pairing = "taste".to_owned(),
        expect![[r#"
            what it says of itself is not so: there is no criterion `mcdc` with pairs `taste`
        "#]],
    );
    check(
        |document| document.criterion = "lines:8".to_owned(),
        expect![[r#"
            what it says of itself is not so: `8` is no range of lines: write FILE:A-B, as in parse.c:120-140
        "#]],
    );
    check(
        |document| document.criterion = "lines:flow.c:900-901".to_owned(),
        expect![[r#"
            0 refused: the program has no such goal
            1 refused: the program has no such goal
            2 refused: the program has no such goal
            3 refused: the program has no such goal
            4 refused: the program has no such goal
            5 refused: the program has no such goal
            6 refused: the program has no such goal
            7 refused: the program has no such goal
            8 refused: the program has no such goal
            9 refused: the program has no such goal
            10 refused: the program has no such goal
        "#]],
    );
}

/// The same documents, of other programs.
#[test]
fn another_program_is_another_matter() {
    // `a > 2` in front of `a > 3`.
    check_model(
        "icmp sgt v1, i32 5",
        "icmp sgt v1, i32 2",
        expect![[r#"
        0 refused: edge2 is not refuted: there is a state that does it
        1 refused: edge5 is not refuted: there is a state that does it
        2 refused: edge5 is not refuted: there is a state that does it
        3 refused: edge5 is not refuted: there is a state that does it
        4 refused: the way to block1 behind block0 of main is not refuted: the invariant does not allow it
        5 refused: the way to block1 behind block0 of main is not refuted: the invariant does not allow it
        6 refused: edge5 is not refuted: there is a state that does it
        7 refused: vector TT = T is not refuted: there is a state that does it
        8 refused: vector TT = T is not refuted: there is a state that does it
        9 refused: the way to block1 behind block0 of main is not refuted: the invariant does not allow it
        10 refused: the way to block1 behind block0 of main is not refuted: the invariant does not allow it
    "#]],
    );
    // The limit is 0, and the variable that is compared with it somewhere else.
    check_model(
        "x\"03\"",
        "x\"\"",
        expect![[r#"
        4 refused: the start behind block0 of main is not refuted: the invariant does not allow it
        5 refused: the start behind block0 of main is not refuted: the invariant does not allow it
        9 refused: the start behind block0 of main is not refuted: the invariant does not allow it
        10 refused: the start behind block0 of main is not refuted: the invariant does not allow it
    "#]],
    );
    check_model(
        "v3: i32 = add v2, v0",
        "v3: i32 = sub v2, v0",
        expect![[r#"
            4 refused: a return behind block0 of step is not refuted: the invariant does not allow it
            5 refused: a return behind block0 of step is not refuted: the invariant does not allow it
            9 refused: a return behind block0 of step is not refuted: the invariant does not allow it
            10 refused: a return behind block0 of step is not refuted: the invariant does not allow it
        "#]],
    );
    // The variables are seen from outside.
    check_model(
        "code outside of it: no",
        "code outside of it: yes",
        expect![[r#"
            4 refused: what it says of itself is not so: no induction: other code may write to memory at any time
            5 refused: what it says of itself is not so: no induction: other code may write to memory at any time
            9 refused: what it says of itself is not so: no induction: other code may write to memory at any time
            10 refused: what it says of itself is not so: no induction: other code may write to memory at any time
        "#]],
    );
    check_model(
        "@__VERIFIER_nondet_int()",
        "@mmap()",
        expect![[r#"
        4 refused: what it says of itself is not so: no induction: other code may write to memory at any time
        5 refused: what it says of itself is not so: no induction: other code may write to memory at any time
        9 refused: what it says of itself is not so: no induction: other code may write to memory at any time
        10 refused: what it says of itself is not so: no induction: other code may write to memory at any time
    "#]],
    );
}

#[test]
fn a_text_that_was_not_written_is_refused() {
    let text = document().render();
    let read = Document::parse(&text).expect("it is what was written");
    assert_eq!(read.render(), text);
    assert_eq!(read.certificates, document().certificates);
    assert!(text.ends_with("}\n"));
    assert_eq!(
        Document::parse(""),
        Err(DocumentError::Text(
            "EOF while parsing a value at line 1 column 0".to_owned()
        ))
    );
    for (from, to) in [
        ("\"line\": 8", "\"line\": 9"),
        ("  \"format\": 1", "   \"format\": 1"),
        ("\"yes\"", "\"no\""),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        assert_eq!(
            Document::parse(&changed),
            Err(DocumentError::Seal),
            "{from}"
        );
    }
    let other = text.replacen("\"format\": 1", "\"format\": 2", 1);
    assert_eq!(Document::parse(&other), Err(DocumentError::Format(2)));
    let more = text.replacen("{", "{\"x\": 1,", 1);
    assert!(matches!(
        Document::parse(&more),
        Err(DocumentError::Text(_))
    ));
}

#[test]
fn a_model_is_known_by_its_text() {
    // FIPS 180-2, B.1.
    assert_eq!(
        Subject::hash("abc"),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    for foreign in [false, true] {
        let subject = Subject::parse(MODEL).expect("a model");
        let text = Subject::text(&subject.program, foreign);
        let again = Subject::parse(&text).expect("a model");
        assert_eq!(again.foreign, foreign);
        assert_eq!(Subject::text(&again.program, foreign), text);
        assert_eq!(text == MODEL, !foreign);
    }
    for bad in [
        "",
        "layout 64 little\n",
        "// bothways model; code outside of it: perhaps\n",
    ] {
        assert!(
            matches!(Subject::parse(bad), Err(DocumentError::Model(_))),
            "{bad}"
        );
    }
    let broken = MODEL.replacen("icmp sgt", "icmp than", 1);
    assert!(matches!(
        Subject::parse(&broken),
        Err(DocumentError::Model(_))
    ));
}

#[test]
fn facts_name_what_the_program_has() {
    let subject = Subject::parse(MODEL).expect("a model");
    let function = |fact: Fact| fact.function(&subject.program).map(|found| found.as_u32());
    for (fact, expected) in [
        (Fact::Edge { edge: 2 }, Some(0)),
        (Fact::Edge { edge: 99 }, None),
        (
            Fact::Block {
                function: 1,
                block: 0,
            },
            Some(1),
        ),
        (
            Fact::Block {
                function: 2,
                block: 0,
            },
            None,
        ),
    ] {
        assert_eq!(function(fact), expected, "{fact:?}");
    }
    assert_eq!(Refusal::NoGoal.to_string(), "the program has no such goal");
}

#[test]
fn a_proof_rests_on_as_few_facts_as_are_enough() {
    let subject = Subject::parse(MODEL).expect("a model");
    let document = document();
    let goals = crate::goals_of(&document, &subject.program).expect("goals");
    let effects = crate::Effects::new(&subject.program, &goals);
    let facts = [Fact::Edge { edge: 2 }, Fact::Edge { edge: 5 }];
    for (at, expected) in [(0, Some(vec![0])), (1, Some(vec![1])), (4, None)] {
        let goal = &document.certificates[at].goal;
        let goal = goal.find(&subject.program, &goals).expect("a goal");
        let found = crate::Grounds::new(&subject.program, &facts, &effects).enough(&effects, goal);
        assert_eq!(found, expected, "{at}");
    }
}

#[test]
fn all_goals_that_follow_are_those_that_follow() {
    let subject = Subject::parse(MODEL).expect("a model");
    let document = document();
    let goals = crate::goals_of(&document, &subject.program).expect("goals");
    let effects = crate::Effects::new(&subject.program, &goals);
    let (first, second) = (Fact::Edge { edge: 2 }, Fact::Edge { edge: 5 });
    for facts in [&[][..], &[first], &[second], &[first, second]] {
        let found = crate::all_that_follow(&subject.program, &effects, facts);
        let follows =
            |goal: &coverage::GoalId| crate::follow_from(&subject.program, &effects, facts, *goal);
        let expected: Vec<coverage::GoalId> =
            goals.iter().map(|(goal, _)| goal).filter(follows).collect();
        assert_eq!(found, expected, "{facts:?}");
        assert_eq!(found.is_empty(), facts.is_empty(), "{facts:?}");
    }
}

/// A target is a goal by its place and kind.
#[test]
fn targets_are_named_by_what_covers_them() {
    let subject = Subject::parse(MODEL).expect("a model");
    let document = document();
    let mut goal = document.certificates[0].goal.clone();
    for (what, kind) in [
        ("true", Some("true")),
        ("false", Some("false")),
        ("decision true", Some("decision true")),
        ("decision false", Some("decision false")),
        ("reached", Some("reached")),
        ("exit", None),
        ("", None),
    ] {
        goal.what = what.to_owned();
        let pick = goal.pick();
        let found = pick.map(|pick| (pick.record, pick.region, pick.kind.to_string()));
        let expected = kind.map(|kind| (goal.record, goal.region, kind.to_owned()));
        assert_eq!(found, expected, "{what}");
    }
    let mut target = document.clone();
    target.criterion = coverage::target::NAME.to_owned();
    target.certificates.truncate(1);
    let goals = crate::goals_of(&target, &subject.program).expect("a goal");
    assert_eq!(goals.len(), 1);
    goal.what = "exit".to_owned();
    target.certificates[0].goal = goal;
    assert!(crate::goals_of(&target, &subject.program).is_err());
}

#[test]
fn every_kind_says_what_it_says() {
    let said = crate::KINDS.iter().map(|kind| kind.summary().split(' '));
    assert!(said.into_iter().all(|words| words.count() > 4));
}
