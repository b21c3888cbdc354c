use std::fs;
use std::path::Path;
use std::time::Duration;

use super::*;

fn settings(program: &str) -> Settings {
    Settings {
        subject: "a.c".to_owned(),
        program: program.to_owned(),
        command: ["test", "a.c", ""].map(str::to_owned).to_vec(),
        folder: "/somewhere".into(),
        tool: "bothways 0".to_owned(),
        iterations: Some(100),
        time: Duration::from_secs(60),
    }
}

fn open() -> Verdict {
    Verdict::Open {
        reason: String::new(),
    }
}

fn goals(count: usize) -> impl Iterator<Item = (String, Verdict)> {
    (0..count).map(|at| (format!("a.c:{at}:1 true"), open()))
}

fn test<'a>(key: &'a str, covers: &'a [u32]) -> Test<'a> {
    Test {
        key,
        text: key,
        outcome: "exit 0",
        fails: false,
        run: 1,
        seconds: 0.5,
        covers,
    }
}

fn keys(folder: &Path) -> Vec<String> {
    let tests = Reader::open(folder).and_then(|reader| reader.tests());
    let tests = tests.expect("readable").into_iter();
    tests.map(|test| test.key).collect()
}

fn begun(folder: &Path) -> Store {
    let mut store = Store::open(folder).expect("a store");
    store
        .begin(&settings("p"), Figures::default(), &mut goals(3))
        .expect("stored");
    store
}

#[test]
fn what_was_stored_is_read_back_while_it_is_written() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut store = begun(dir.path());
    assert!(store.add(&test("x", &[0, 2])).expect("stored"));
    assert!(!store.add(&test("x", &[])).expect("stored"));
    assert!(store.add(&test("y", &[])).expect("stored"));
    let figures = Figures {
        runs: 7,
        spent: Duration::from_millis(1500),
    };
    store.progress(figures).expect("stored");
    let reader = Reader::open(dir.path()).expect("a reader beside the writer");
    let state = reader.last().expect("readable").expect("there is one");
    assert_eq!(state.settings, settings("p"));
    assert_eq!((state.figures, state.stop), (figures, None));
    assert_eq!(state.last_find, Some(Duration::from_millis(500)));
    assert_eq!(keys(dir.path()), ["x", "y"]);
    let goals = reader.goals().expect("readable");
    let covered: Vec<_> = goals.iter().map(|goal| goal.test).collect();
    assert_eq!(covered, [Some(1), None, Some(1)]);
}

#[test]
fn tests_outlive_an_edit_and_verdicts_do_not() {
    let dir = tempfile::tempdir().expect("a folder");
    begun(dir.path()).add(&test("x", &[0])).expect("stored");
    let covered = |program: &str| {
        let mut store = Store::open(dir.path()).expect("a store");
        let begun = store.begin(&settings(program), Figures::default(), &mut goals(3));
        begun.expect("stored");
        let goals = store.reader().goals().expect("readable");
        goals.iter().filter(|goal| goal.test.is_some()).count()
    };
    assert_eq!((covered("p"), covered("edited")), (1, 0));
    assert_eq!(keys(dir.path()), ["x"]);
}

#[test]
fn the_end_settles_the_verdicts() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut store = begun(dir.path());
    store.add(&test("x", &[0, 1])).expect("stored");
    let never = Verdict::Infeasible {
        reason: "contradiction".to_owned(),
        certificate: Some("{}".to_owned()),
    };
    let verdicts = [Verdict::Covered, open(), never];
    store
        .end(&mut verdicts.clone().into_iter(), "exhausted")
        .expect("stored");
    let goals = store.reader().goals().expect("readable");
    let all: Vec<_> = goals.iter().map(|goal| goal.verdict.clone()).collect();
    assert_eq!(all, verdicts);
    assert_eq!(goals[1].test, None);
    let stop = |store: &Store| store.reader().last().expect("readable").expect("one").stop;
    assert_eq!(stop(&store).as_deref(), Some("exhausted"));
    drop(store);
    assert_eq!(stop(&begun(dir.path())), None);
}

#[test]
fn there_is_one_writer() {
    let dir = tempfile::tempdir().expect("a folder");
    assert_eq!(Lock::holder(dir.path()), None);
    let lock = Lock::take(dir.path()).expect("free");
    let own = Some(Some(std::process::id()));
    assert_eq!(Lock::holder(dir.path()), own);
    let error = Lock::take(dir.path()).expect_err("taken");
    assert!(error.to_string().contains("in use by another bothways"));
    drop(lock);
    assert_eq!(Lock::holder(dir.path()), None);
    Lock::take(dir.path()).expect("free again");
}

/// A store that something was done to: what reader and writer say of it. It is left as it is.
fn refused(harm: impl FnOnce(&Path)) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let mut store = begun(dir.path());
    for key in 0..200 {
        let text = "long ".repeat(100) + &key.to_string();
        store.add(&test(&text, &[])).expect("stored");
    }
    drop(store);
    let file = dir.path().join(FILE_NAME);
    harm(&file);
    let before = fs::read(&file).expect("a file");
    let error = Store::open(dir.path()).expect_err("refused");
    assert_eq!(fs::read(&file).expect("a file"), before);
    let readable = Reader::open(dir.path()).and_then(|reader| reader.tests());
    assert!(readable.is_err());
    error
        .to_string()
        .replace(&dir.path().display().to_string(), "OUT")
}

fn truncated(file: &Path, length: u64) {
    let file = fs::OpenOptions::new().write(true).open(file);
    file.and_then(|file| file.set_len(length)).expect("shorter");
}

#[test]
fn a_bad_store_is_refused_in_words() {
    let newer = refused(|file| {
        let db = rusqlite::Connection::open(file).expect("a store");
        db.execute_batch("PRAGMA user_version = 9").expect("set");
    });
    assert_eq!(
        newer,
        "OUT/campaign.db is a campaign store of version 9, and this bothways reads versions up to 1: use the bothways that wrote it"
    );
    for length in [0, 50, 4096, 20_000] {
        let words = refused(|file| truncated(file, length));
        assert!(
            words.starts_with("OUT/campaign.db is damaged ("),
            "{length}: {words}"
        );
    }
    let words = refused(|file| fs::write(file, "nothing of the kind").expect("written"));
    assert!(words.starts_with("OUT/campaign.db is damaged ("), "{words}");
}

#[test]
fn a_folder_without_a_store_is_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let error = Reader::open(dir.path()).err().expect("refused");
    assert!(
        error
            .to_string()
            .ends_with("holds no campaign: there is no campaign.db")
    );
}
