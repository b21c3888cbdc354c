//! A test as the store keeps it.

use report::suite::manifest::sha256;
use report::suite::{Test, text};

/// What stands for the inputs of a test, and for nothing else of it.
pub fn key(test: &Test) -> String {
    let mut values = test.values.clone();
    for value in &mut values {
        value.meaning.clear();
    }
    let mut plain = Test::new(0, values, test.streams.clone());
    plain.unset.clone_from(&test.unset);
    sha256(text::render(&plain).as_bytes())
}

/// A test as the store keeps it.
pub fn row<'a>(
    test: &'a Test,
    (key, text, outcome): (&'a str, &'a str, &'a str),
    covers: &'a [u32],
) -> store::Test<'a> {
    store::Test {
        key,
        text,
        outcome,
        fails: !test.outcome.is_exit() || test.covers_error || !test.remarks.is_empty(),
        run: test.iteration,
        seconds: test.seconds,
        covers,
    }
}
