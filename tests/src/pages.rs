//! Pages of the repository that are tested against what they describe.
//!
//! A page may have sections between two HTML comments whose text comes from a registry: `<!-- NAME: … -->` and
//! `<!-- end of NAME -->`. A test builds the text and hands it to [`Page::section`], which compares, or, where `UPDATE_EXPECT`
//! is set (`make docs`), writes it into the page.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::root;

/// A page, by its path in the repository.
#[derive(Clone, Debug)]
pub struct Page {
    path: PathBuf,
    /// What stands in it.
    pub text: String,
}

/// A row of a Markdown table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Counted from 1.
    pub line: usize,
    pub cells: Vec<String>,
}

impl Page {
    /// Reads it.
    ///
    /// # Panics
    /// When there is no such page.
    #[must_use]
    pub fn read(path: &str) -> Page {
        let path = root().join(path);
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Page { path, text }
    }

    /// The lines between a heading (as it stands, with its `#`) and the next heading of its level or above.
    ///
    /// # Panics
    /// When there is no such heading.
    #[must_use]
    pub fn below(&self, heading: &str) -> String {
        let level = |line: &str| line.bytes().take_while(|byte| *byte == b'#').count();
        let mut lines = self.text.lines().skip_while(|line| *line != heading);
        assert!(
            lines.next().is_some(),
            "{}: no heading `{heading}`",
            self.path.display()
        );
        let mut in_code = false;
        let inside = lines.take_while(|line| {
            in_code ^= line.starts_with("```");
            in_code || !(1..=level(heading)).contains(&level(line))
        });
        inside.fold(String::new(), |text, line| text + line + "\n")
    }

    /// Compares the section of this name with `text`, or writes it when `UPDATE_EXPECT` is set.
    ///
    /// # Panics
    /// When the page has no such section, or another text in it.
    pub fn section(&self, name: &str, text: &str) {
        let end = format!("<!-- end of {name} -->");
        let inside = || {
            let (_, rest) = self.text.split_once(&format!("<!-- {name}: "))?;
            let (_, rest) = rest.split_once("-->\n")?;
            Some(rest.split_once(&end)?.0)
        };
        let now = inside().unwrap_or_else(|| panic!("{}: no section {name}", self.path.display()));
        let expected = format!("\n{}\n\n", text.trim_end());
        if now == expected {
            return;
        }
        assert!(
            std::env::var_os("UPDATE_EXPECT").is_some(),
            "{}: section {name} is not what its registry says; `make docs` writes it anew\n--- expected\n{expected}",
            self.path.display()
        );
        // Another test may have written another section meanwhile.
        let page = std::fs::read_to_string(&self.path).expect("it was read before");
        let changed = page.replacen(
            &format!("-->\n{now}{end}"),
            &format!("-->\n{expected}{end}"),
            1,
        );
        std::fs::write(&self.path, changed).expect("it can be written");
    }
}

/// The rows of all tables in a text, without heads and rules.
#[must_use]
pub fn rows(text: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut in_body = false;
    for (number, line) in text.lines().enumerate() {
        if !line.starts_with('|') {
            in_body = false;
        } else if line.starts_with("|---") {
            in_body = true;
        } else if in_body {
            rows.push(Row {
                line: number + 1,
                cells: cells(line),
            });
        }
    }
    rows
}

/// The cells of a row; `\|` stands for a bar in a cell.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut chars = line.trim_matches('|').chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' if chars.peek() == Some(&'|') => {
                chars.next();
                cells.last_mut().expect("never empty").push('|');
            }
            '|' => cells.push(String::new()),
            other => cells.last_mut().expect("never empty").push(other),
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// What stands between backticks.
#[must_use]
pub fn code(text: &str) -> Vec<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// A Markdown table.
#[must_use]
pub fn table<const N: usize>(
    head: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(N));
    for row in rows {
        let row = row.map(|cell| cell.replace('|', "\\|"));
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_as_they_are_written() {
        let text = table(["a", "b"], [["x|y".to_owned(), "`z`".to_owned()]]);
        let rows = rows(&text);
        assert_eq!(rows.len(), 1, "{text}");
        assert_eq!(rows[0].cells, ["x|y", "`z`"]);
        assert_eq!(code(&rows[0].cells[1]), ["z"]);
    }
}
