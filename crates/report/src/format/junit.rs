//! `junit`: the tests of the suite as JUnit XML, which CI systems list.
//!
//! A test that shows a fault, or ends by a signal or at a limit, is a failure, with its cause, place and call stack; the inputs stand in
//! `system-out`.

use std::fmt::Write as _;

use crate::annex::TestRow;
use crate::document::{Failure, Report};
use crate::format::ReportFormat;
use crate::xml::escape;

/// The tests as JUnit XML.
pub struct Junit;

impl ReportFormat for Junit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn summary(&self) -> &'static str {
        "the tests as JUnit XML, for CI systems"
    }

    fn file_name(&self) -> &'static str {
        "junit.xml"
    }

    fn render(&self, report: &Report) -> String {
        let name = escape(&report.program);
        let failed = |test: &&TestRow| test.bad || failure(report, test).is_some();
        let (tests, failures) = (
            report.tests.len(),
            report.tests.iter().filter(failed).count(),
        );
        let mut xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuites name=\"bothways\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">\n\
             <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\" time=\"0\">\n"
        );
        for test in &report.tests {
            let _ = writeln!(
                xml,
                "<testcase name=\"{}\" classname=\"{name}\" time=\"0\">",
                escape(file_name(test))
            );
            if failed(&test) {
                fault(&mut xml, test, failure(report, test));
            }
            let inputs = test
                .inputs
                .iter()
                .map(|(name, text)| format!("{name} = {text}\n"));
            let inputs: String = inputs.collect();
            let _ = writeln!(
                xml,
                "<system-out>{}</system-out>\n</testcase>",
                escape(&inputs)
            );
        }
        xml.push_str("</testsuite>\n</testsuites>\n");
        xml
    }
}

fn file_name(test: &TestRow) -> &str {
    test.file.rsplit('/').next().unwrap_or_default()
}

fn failure<'a>(report: &'a Report, test: &TestRow) -> Option<&'a Failure> {
    let name = file_name(test);
    let failures = &mut report.campaign.failures.iter();
    failures.find(|known| known.test == name || known.also.iter().any(|also| also == name))
}

fn fault(xml: &mut String, test: &TestRow, known: Option<&Failure>) {
    let cause = known.map_or("", |known| known.cause.as_str());
    let message = match cause {
        "" => test.outcome.as_str(),
        cause => cause,
    };
    let place = known
        .and_then(|known| known.place.as_deref())
        .unwrap_or_default();
    let mut text = format!("{}\n", test.outcome);
    if !place.is_empty() {
        let _ = writeln!(text, "at {place}");
    }
    for frame in known.map_or(&[][..], |known| &known.stack) {
        let _ = writeln!(text, "in {frame}");
    }
    let _ = writeln!(
        xml,
        "<failure message=\"{}\" type=\"{}\">{}</failure>",
        escape(message),
        escape(&test.outcome),
        escape(&text)
    );
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sample;

    #[test]
    fn tests_are_cases() {
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="bothways" tests="2" failures="1" errors="0">
            <testsuite name="list" tests="2" failures="1" errors="0" skipped="0" time="0">
            <testcase name="test-0001.test" classname="list" time="0">
            <system-out>key = &quot;k\0\&quot;\n&quot;
            n = -5
            char = 65 ('A')
            double = 3.141592653589793
            unsigned long = 18446744073709551615
            _Bool = 1
            </system-out>
            </testcase>
            <testcase name="test-0002.test" classname="list" time="0">
            <failure message="signal 11 (SIGSEGV)" type="signal 11 (SIGSEGV)">signal 11 (SIGSEGV)
            </failure>
            <system-out>points of view[1] = 700
            stdin = &quot;A\n\377&quot;
            </system-out>
            </testcase>
            </testsuite>
            </testsuites>
        "#]]
        .assert_eq(&Junit.render(&sample::report()));
    }
}
