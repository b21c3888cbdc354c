//! `sonarqube`: SonarQube's generic coverage (`sonar.coverageReportPaths`).
//!
//! Lines are those of `llvm-cov`, branches the outcomes of conditions. Paths are relative to the folder where `bothways` was called,
//! which should be the project's.

use std::fmt::Write as _;

use crate::branches::files;
use crate::document::Report;
use crate::format::ReportFormat;
use crate::xml::escape;

/// The report as SonarQube's generic coverage.
pub struct SonarQube;

impl ReportFormat for SonarQube {
    fn name(&self) -> &'static str {
        "sonarqube"
    }

    fn summary(&self) -> &'static str {
        "SonarQube's generic coverage"
    }

    fn file_name(&self) -> &'static str {
        "sonarqube.xml"
    }

    fn render(&self, report: &Report) -> String {
        let mut xml =
            String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<coverage version=\"1\">\n");
        for file in files(report) {
            let _ = writeln!(
                xml,
                "  <file path=\"{}\">",
                escape(report.shown(&file.source.name))
            );
            for (line, times) in file.lines() {
                let covered = times > 0;
                let _ = write!(
                    xml,
                    "    <lineToCover lineNumber=\"{line}\" covered=\"{covered}\""
                );
                if let (covered, all @ 1..) = file.on_line(line) {
                    let _ = write!(
                        xml,
                        " branchesToCover=\"{all}\" coveredBranches=\"{covered}\""
                    );
                }
                xml.push_str("/>\n");
            }
            xml.push_str("  </file>\n");
        }
        xml.push_str("</coverage>\n");
        xml
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sample;

    #[test]
    fn lines_and_branches() {
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <coverage version="1">
              <file path="src/list.c">
                <lineToCover lineNumber="12" covered="true"/>
                <lineToCover lineNumber="13" covered="true"/>
                <lineToCover lineNumber="14" covered="true" branchesToCover="2" coveredBranches="1"/>
                <lineToCover lineNumber="18" covered="true" branchesToCover="1" coveredBranches="0"/>
                <lineToCover lineNumber="22" covered="false" branchesToCover="1" coveredBranches="0"/>
                <lineToCover lineNumber="31" covered="true" branchesToCover="1" coveredBranches="0"/>
              </file>
            </coverage>
        "#]].assert_eq(&SonarQube.render(&sample::report()));
    }
}
