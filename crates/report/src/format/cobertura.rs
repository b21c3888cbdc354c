//! `cobertura`: coverage as XML, by its DTD `coverage-04`.
//!
//! What Jenkins, GitLab and Azure show beside a change. Lines are those of `llvm-cov`; a line's conditions are the outcomes of its
//! branches. Paths are relative to the folder where `bothways` was called.

use std::fmt::Write as _;

use crate::branches::{File, files};
use crate::document::Report;
use crate::format::ReportFormat;
use crate::xml::{escape, rate};

/// The report as Cobertura XML.
pub struct Cobertura;

impl ReportFormat for Cobertura {
    fn name(&self) -> &'static str {
        "cobertura"
    }

    fn summary(&self) -> &'static str {
        "Cobertura XML, for Jenkins and GitLab"
    }

    fn file_name(&self) -> &'static str {
        "cobertura.xml"
    }

    fn render(&self, report: &Report) -> String {
        let files = files(report);
        let lines = files.iter().map(File::all_lines).fold((0, 0), add);
        let branches = files.iter().map(File::all_branches).fold((0, 0), add);
        let rates = rates(lines, branches);
        let folder = match report.folder.as_str() {
            "" => ".",
            folder => folder,
        };
        let mut xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n\
             <coverage {rates} lines-covered=\"{}\" lines-valid=\"{}\" branches-covered=\"{}\" branches-valid=\"{}\" \
             complexity=\"0\" version=\"bothways {}\" timestamp=\"0\">\n\
             <sources><source>{}</source></sources>\n\
             <packages><package name=\"{}\" {rates} complexity=\"0\"><classes>\n",
            lines.0,
            lines.1,
            branches.0,
            branches.1,
            escape(&report.version),
            escape(folder),
            escape(&report.program),
        );
        for file in &files {
            class(&mut xml, report, file);
        }
        xml.push_str("</classes></package></packages>\n</coverage>\n");
        xml
    }
}

fn add(a: (usize, usize), b: (usize, usize)) -> (usize, usize) {
    (a.0 + b.0, a.1 + b.1)
}

fn rates(lines: (usize, usize), branches: (usize, usize)) -> String {
    let (lines, branches) = (rate(lines.0, lines.1), rate(branches.0, branches.1));
    format!("line-rate=\"{lines}\" branch-rate=\"{branches}\"")
}

fn class(xml: &mut String, report: &Report, file: &File<'_>) {
    let name = escape(report.shown(&file.source.name));
    let rates = rates(file.all_lines(), file.all_branches());
    let _ = writeln!(
        xml,
        "<class name=\"{name}\" filename=\"{name}\" {rates} complexity=\"0\"><methods/><lines>"
    );
    for (line, hits) in file.lines() {
        let _ = write!(xml, "<line number=\"{line}\" hits=\"{hits}\"");
        match file.branches.get(&line) {
            None => xml.push_str("/>\n"),
            Some(conditions) => {
                let (covered, all) = file.on_line(line);
                let percent = covered * 100 / all.max(1);
                let _ = write!(
                    xml,
                    " branch=\"true\" condition-coverage=\"{percent}% ({covered}/{all})\"><conditions>"
                );
                for (number, outcomes) in conditions.iter().enumerate() {
                    let covered = outcomes.iter().filter(|branch| branch.is_covered()).count();
                    let percent = covered * 100 / outcomes.len().max(1);
                    let _ = write!(
                        xml,
                        "<condition number=\"{number}\" type=\"jump\" coverage=\"{percent}%\"/>"
                    );
                }
                xml.push_str("</conditions></line>\n");
            }
        }
    }
    xml.push_str("</lines></class>\n");
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sample;

    #[test]
    fn a_class_is_a_source() {
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
            <coverage line-rate="0.8333" branch-rate="0.2000" lines-covered="5" lines-valid="6" branches-covered="1" branches-valid="5" complexity="0" version="bothways 0.1.0" timestamp="0">
            <sources><source>.</source></sources>
            <packages><package name="list" line-rate="0.8333" branch-rate="0.2000" complexity="0"><classes>
            <class name="src/list.c" filename="src/list.c" line-rate="0.8333" branch-rate="0.2000" complexity="0"><methods/><lines>
            <line number="12" hits="5"/>
            <line number="13" hits="5"/>
            <line number="14" hits="5" branch="true" condition-coverage="50% (1/2)"><conditions><condition number="0" type="jump" coverage="50%"/></conditions></line>
            <line number="18" hits="2" branch="true" condition-coverage="0% (0/1)"><conditions><condition number="0" type="jump" coverage="0%"/></conditions></line>
            <line number="22" hits="0" branch="true" condition-coverage="0% (0/1)"><conditions><condition number="0" type="jump" coverage="0%"/></conditions></line>
            <line number="31" hits="1" branch="true" condition-coverage="0% (0/1)"><conditions><condition number="0" type="jump" coverage="0%"/></conditions></line>
            </lines></class>
            </classes></package></packages>
            </coverage>
        "#]].assert_eq(&Cobertura.render(&sample::report()));
    }
}
