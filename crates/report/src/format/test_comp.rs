//! `test-comp`: the suite in the exchange format of the competition Test-Comp, for other tools and executors.
//!
//! A folder `test-comp/` with `metadata.xml` and one XML file for each test, and the same as `test-comp.zip`, which is
//! what the executor TestCov takes. A test has one `<input>` for each call of a `__VERIFIER_nondet_*` function, in the
//! order of the calls; other inputs (`bw_*`, standard input) have no place in the format and are left out, and of tests
//! that are equal without them one is kept. Executors have limits, so the tests that cover most come first and those
//! that run into the time limit last.
//!
//! Source: the DTDs `test-metadata-1.1` and `testcase-1.1` of sosy-lab's test-format; the reader of TestCov 3.7, which
//! wants the XML declaration on line 1, the document type on line 2 and text in every `<input>`.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::fmt::Write;

use crate::format::{Artifact, SuiteFormat};
use crate::suite::{Outcome, Suite, Test};
use crate::xml::escape;
use crate::zip;

/// The suite in the exchange format of Test-Comp.
pub struct TestComp;

/// What the suite is for: branch coverage, in the words of the competition.
pub const SPECIFICATION: &str = "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )";

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n";
const METADATA_TYPE: &str = "<!DOCTYPE test-metadata PUBLIC \
     \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \
     \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\">\n";
const TESTCASE_TYPE: &str = "<!DOCTYPE testcase PUBLIC \
     \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
     \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n";

impl SuiteFormat for TestComp {
    fn name(&self) -> &'static str {
        "test-comp"
    }

    fn summary(&self) -> &'static str {
        "the Test-Comp exchange format, as a folder and as a zip (for TestCov)"
    }

    fn has_failures(&self) -> bool {
        false
    }

    fn render(&self, suite: &Suite) -> Vec<Artifact> {
        let mut files = vec![Artifact::new("metadata.xml", metadata(suite))];
        let mut seen = HashSet::new();
        for test in best_first(&suite.tests) {
            let text = testcase(test);
            if seen.insert(text.clone()) {
                files.push(Artifact::new(format!("test-{:04}.xml", test.number), text));
            }
        }
        let zip = zip::archive(&files);
        for file in &mut files {
            file.path = format!("test-comp/{}", file.path);
        }
        files.push(Artifact::new("test-comp.zip", zip));
        files
    }
}

fn best_first(tests: &[Test]) -> Vec<&Test> {
    let mut sorted: Vec<&Test> = tests.iter().collect();
    sorted.sort_by_key(|test| (test.outcome == Outcome::Timeout, Reverse(test.covers.len())));
    sorted
}

fn metadata(suite: &Suite) -> String {
    let manifest = &suite.manifest;
    let (path, hash) = match manifest.sources.first() {
        Some(source) => (source.path.as_str(), source.sha256.as_str()),
        None => (suite.program.as_str(), ""),
    };
    let entry = if manifest.entry.is_empty() {
        "main"
    } else {
        &manifest.entry
    };
    let fields = [
        ("sourcecodelang", "C"),
        ("producer", &manifest.tool),
        ("specification", SPECIFICATION),
        ("programfile", path),
        ("programhash", hash),
        ("entryfunction", entry),
        ("architecture", "64bit"),
        ("creationtime", &manifest.created),
    ];
    let mut text = format!("{DECLARATION}{METADATA_TYPE}<test-metadata>\n");
    for (name, value) in fields {
        let _ = writeln!(text, "  <{name}>{}</{name}>", escape(value));
    }
    text.push_str("</test-metadata>\n");
    text
}

fn testcase(test: &Test) -> String {
    let error = if test.covers_error {
        " coversError=\"true\""
    } else {
        ""
    };
    let mut text = format!("{DECLARATION}{TESTCASE_TYPE}<testcase{error}>\n");
    for value in test.values.iter().filter(|value| !value.c_type.is_empty()) {
        let _ = writeln!(
            text,
            "  <input type=\"{}\">{}</input>",
            escape(&value.c_type),
            escape(&value.decimal())
        );
    }
    text.push_str("</testcase>\n");
    text
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sample;

    #[test]
    fn the_sample() {
        let mut files = TestComp.render(&sample::suite());
        let zip = files.pop().expect("the zip");
        assert_eq!(zip.path, "test-comp.zip");
        assert!(zip.bytes.starts_with(b"PK\x03\x04"));
        expect![[r#"
            === test-comp/metadata.xml
            <?xml version="1.0" encoding="UTF-8" standalone="no"?>
            <!DOCTYPE test-metadata PUBLIC "+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN" "https://sosy-lab.org/test-format/test-metadata-1.1.dtd">
            <test-metadata>
              <sourcecodelang>C</sourcecodelang>
              <producer>bothways 0.1.0</producer>
              <specification>COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )</specification>
              <programfile>src/list.c</programfile>
              <programhash>2ad75d95660563887d8d3f1d0ae1dcf18c2379cbd83a5c72f5ab276351ee6949</programhash>
              <entryfunction>main</entryfunction>
              <architecture>64bit</architecture>
              <creationtime>2026-01-02T03:04:05Z</creationtime>
            </test-metadata>
            === test-comp/test-0001.xml
            <?xml version="1.0" encoding="UTF-8" standalone="no"?>
            <!DOCTYPE testcase PUBLIC "+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN" "https://sosy-lab.org/test-format/testcase-1.1.dtd">
            <testcase>
              <input type="char">65</input>
              <input type="double">3.141592653589793</input>
              <input type="unsigned long">18446744073709551615</input>
              <input type="_Bool">1</input>
            </testcase>
            === test-comp/test-0002.xml
            <?xml version="1.0" encoding="UTF-8" standalone="no"?>
            <!DOCTYPE testcase PUBLIC "+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN" "https://sosy-lab.org/test-format/testcase-1.1.dtd">
            <testcase coversError="true">
            </testcase>
        "#]].assert_eq(&sample::show(&files));
    }

    #[test]
    fn the_best_come_first_and_equal_ones_once() {
        let mut suite = sample::suite();
        let [first, second] = [suite.tests[0].clone(), suite.tests[1].clone()];
        let numbered = |number, test: &Test| Test {
            number,
            ..test.clone()
        };
        suite.tests = vec![numbered(3, &second), numbered(4, &second), first.clone()];
        suite.tests.push(Test {
            number: 5,
            outcome: Outcome::Timeout,
            covers_error: false,
            ..first
        });
        suite.tests[3].values.clear();
        let files = TestComp.render(&suite);
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "test-comp/metadata.xml",
                "test-comp/test-0001.xml",
                "test-comp/test-0003.xml",
                "test-comp/test-0005.xml",
                "test-comp.zip"
            ]
        );
    }
}
