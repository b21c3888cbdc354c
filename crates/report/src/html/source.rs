//! The page of one source: its lines with the judge's counts, each goal marked in place, and behind each line what is known of its
//! goals.
//!
//! A page of ten thousand goals opens at once: lines are laid out in blocks as they are seen, and what is known of the goals of a
//! line stands in a `noscript` element, which a browser with scripts takes as one text until the line is opened.
//!
//! Must hold: the text of the page is the text of the source, whatever the marks; a goal whose place is not in the text stands in
//! a list of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use askama::Template;

use super::syntax::{self, Token};
use super::{Figures, Site, class, escape};
use crate::annex::SourceFile;
use crate::document::{GoalRow, Known};
use coverage::ledger::Totals;

/// Lines that the browser lays out together, when they are seen; the style sheet has their height.
const BLOCK: usize = 64;

/// The page.
#[derive(Template)]
#[template(path = "source.html")]
pub struct Source {
    title: String,
    has_decisions: bool,
    here: &'static str,
    name: String,
    figures: Figures,
    blocks: Vec<Vec<Line>>,
    /// Goals that have no line.
    elsewhere: Vec<Detail>,
    is_missing: bool,
}

struct Line {
    number: usize,
    /// How often the judge saw it, and `hit`, `miss` or nothing.
    count: String,
    ran: &'static str,
    /// The text with its marks.
    html: String,
    /// The worst verdict of its goals.
    class: &'static str,
    /// A class for each verdict that a goal of it has: lines are filtered by these.
    has: String,
    chips: Vec<Chip>,
    details: Vec<Detail>,
}

struct Chip {
    class: &'static str,
    /// Another condition begins with it.
    begins: bool,
    text: String,
    title: String,
}

struct Detail {
    class: &'static str,
    verdict: &'static str,
    what: String,
    /// Paragraphs, as HTML.
    words: Vec<String>,
}

impl Source {
    /// The page of a source with these goals, which are in the order of their places.
    pub fn new(site: &Site<'_>, source: &SourceFile, goals: &[(Known, &GoalRow)]) -> Source {
        let text = source.text.as_deref().unwrap_or_default();
        let texts: Vec<&str> = text.lines().collect();
        let view = View {
            site,
            source,
            texts: &texts,
            goals,
        };
        let mut by_line: BTreeMap<u32, Vec<(Known, &GoalRow)>> = BTreeMap::new();
        for (known, row) in goals {
            by_line.entry(row.at.line).or_default().push((*known, row));
        }
        let counts: BTreeMap<u32, u64> = source.lines.iter().copied().collect();
        let lines = (1u32..).zip(texts.iter().zip(syntax::lines(text)));
        let lines = lines.map(|(number, (text, tokens))| {
            let own = by_line.remove(&number).unwrap_or_default();
            view.line((number, text), &tokens, &own, counts.get(&number).copied())
        });
        let mut blocks: Vec<Vec<Line>> = Vec::new();
        for line in lines {
            match blocks.last_mut().filter(|block| block.len() < BLOCK) {
                Some(block) => block.push(line),
                None => blocks.push(vec![line]),
            }
        }
        let elsewhere = by_line
            .into_values()
            .flatten()
            .map(|(known, row)| view.detail(known, row));
        Source {
            title: site.title(),
            has_decisions: !site.report.decisions.is_empty(),
            here: "source",
            name: crate::readable::plain(site.shown(&source.name)),
            figures: Figures::of(totals(goals)),
            blocks,
            elsewhere: elsewhere.collect(),
            is_missing: source.text.is_none(),
        }
    }
}

fn totals(goals: &[(Known, &GoalRow)]) -> Totals {
    let count = |wanted: Known| goals.iter().filter(|(known, _)| *known == wanted).count();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Totals {
        total: number(goals.len()),
        covered: number(count(Known::Covered)),
        infeasible: number(count(Known::Infeasible)),
    }
}

struct View<'a> {
    site: &'a Site<'a>,
    source: &'a SourceFile,
    texts: &'a [&'a str],
    goals: &'a [(Known, &'a GoalRow)],
}

impl View<'_> {
    fn line(
        &self,
        (number, text): (u32, &str),
        tokens: &[(usize, usize, Token)],
        goals: &[(Known, &GoalRow)],
        count: Option<u64>,
    ) -> Line {
        let mut before = None;
        let chip = |(known, row): &(Known, &GoalRow)| {
            let place = (row.at.col, row.label.line, row.label.col);
            Chip {
                class: class(*known),
                begins: before.replace(place).is_some_and(|before| before != place),
                text: short(&row.label.side).to_owned(),
                title: format!("{}: {}", self.what(row), known.name()),
            }
        };
        let worst = goals.iter().map(|(known, _)| *known).max();
        Line {
            number: number as usize,
            count: count.map_or_else(String::new, many),
            ran: match count {
                None => "",
                Some(0) => "miss",
                Some(_) => "hit",
            },
            html: marked(text, tokens, &marks(text, goals)),
            class: worst.map_or("", class),
            has: [Known::Covered, Known::Infeasible, Known::Open]
                .into_iter()
                .filter(|wanted| goals.iter().any(|(known, _)| known == wanted))
                .map(|known| format!(" h{}", class(known)))
                .collect(),
            chips: goals.iter().map(chip).collect(),
            details: goals
                .iter()
                .map(|(known, row)| self.detail(*known, row))
                .collect(),
        }
    }

    /// What a goal asks for: x > 0 is true.
    fn what(&self, row: &GoalRow) -> String {
        let at = &row.at;
        let condition = match row.label.side.as_str() {
            "entry" => return format!("{} is entered", row.function),
            "exit" => return format!("{} is left here", row.function),
            "reached" => return "this code runs".to_owned(),
            _ => cut(self.texts, (at.line, at.col), (at.end_line, at.end_col)),
        };
        let condition = match condition.is_empty() {
            true => format!("the condition at {}:{}", at.line, at.col),
            false => condition,
        };
        let inside = match row.expanded_at.is_empty() {
            true => String::new(),
            false => format!(" (inside the macro, {}:{})", row.label.line, row.label.col),
        };
        match row.label.side.as_str() {
            "independent" => format!("{condition} alone decides{inside}"),
            side => format!("{condition} is {side}{inside}"),
        }
    }

    fn detail(&self, known: Known, row: &GoalRow) -> Detail {
        let words = match known {
            Known::Covered => self.covered(row),
            Known::Infeasible => self.infeasible(row),
            Known::Open => self.open(row),
        };
        Detail {
            class: class(known),
            verdict: known.name(),
            what: self.what(row),
            words,
        }
    }

    fn covered(&self, row: &GoalRow) -> Vec<String> {
        let times = match row.times {
            None => String::new(),
            Some(1) => ", once".to_owned(),
            Some(times) => format!(", {times} times"),
        };
        let mut words = match row.tests.as_slice() {
            [] => vec![format!("by the judge's count{times}")],
            tests => vec![format!(
                "by {}{times}",
                self.site.tests(tests, row.more_tests)
            )],
        };
        words.extend(row.tests.first().and_then(|test| self.inputs(*test)));
        words
    }

    fn inputs(&self, test: u32) -> Option<String> {
        let brief = self.site.brief.get(&test)?;
        let link = self.site.test(test);
        Some(format!("test {link}: <code>{}</code>", escape(brief)))
    }

    fn infeasible(&self, row: &GoalRow) -> Vec<String> {
        let mut words = vec![escape(&row.reason.name)];
        if !row.reason.detail.is_empty() {
            words.push(linked(&row.reason.detail, |line| self.rests_on(row, line)));
        }
        let lines = mentioned(&row.reason.detail);
        if row.label.file == self.source.name && !lines.is_empty() {
            let mut list = String::from("it rests on");
            for line in lines {
                let text = self
                    .texts
                    .get(line as usize - 1)
                    .map_or("", |text| text.trim());
                if !text.is_empty() {
                    let _ = write!(
                        list,
                        "<br><a href=\"#L{line}\">{line}</a> <code>{}</code>",
                        escape(text)
                    );
                }
            }
            words.push(list);
        }
        words
    }

    /// A link to a line that a proof names; lines are those of the goal's own file.
    fn rests_on(&self, row: &GoalRow, line: u32) -> Option<String> {
        let page = self.site.pages.get(&row.label.file)?;
        (1..=self.site.lines(&row.label.file))
            .contains(&line)
            .then(|| format!("{page}#L{line}"))
    }

    fn open(&self, row: &GoalRow) -> Vec<String> {
        let reason = match row.reason.detail.as_str() {
            "" => &row.reason.name,
            detail => detail,
        };
        let mut words = vec![escape(reason)];
        words.extend(row.further.iter().map(|further| escape(further)));
        words.push(self.nearest(row));
        words
    }

    /// The test that comes nearest to an open goal, and what it lacks.
    fn nearest(&self, row: &GoalRow) -> String {
        let covered = || {
            let all = self
                .goals
                .iter()
                .filter(|(known, _)| *known == Known::Covered);
            all.map(|(_, row)| *row)
                .filter(|other| other.function == row.function)
        };
        let tests = |row: &GoalRow| {
            let first = row.tests.first();
            let inputs = first.and_then(|test| self.inputs(*test));
            inputs.map_or_else(String::new, |inputs| format!("; {inputs}"))
        };
        let sibling = covered().find(|other| {
            other.at == row.at
                && other.label.line == row.label.line
                && other.label.col == row.label.col
        });
        if let Some(other) = sibling {
            return format!(
                "nearest: {} here, but the outcome is always <b class=w>{}</b>{}",
                match other.tests.as_slice() {
                    [] => "tests come".to_owned(),
                    [_] if other.more_tests == 0 =>
                        format!("{} comes", self.site.tests(&other.tests[..1], 0)),
                    some => format!(
                        "{} come",
                        self.site.tests(
                            &some[..some.len().min(5)],
                            other.more_tests + some.len().saturating_sub(5) as u32
                        )
                    ),
                },
                escape(&other.label.side),
                tests(other)
            );
        }
        let before =
            covered().filter(|other| (other.at.line, other.at.col) <= (row.at.line, row.at.col));
        match before.max_by_key(|other| (other.at.line, other.at.col)) {
            None => "no test enters the function".to_owned(),
            Some(other) => format!(
                "no test comes here; the last goal above it that is covered is at line {}: {}{}",
                match other.at.line as usize <= self.texts.len() {
                    true => format!("<a href=\"#L{0}\">{0}</a>", other.at.line),
                    false => other.at.line.to_string(),
                },
                escape(&self.what(other)),
                tests(other)
            ),
        }
    }
}

/// The sign of a side of a condition.
fn short(side: &str) -> &str {
    match side {
        "true" => "T",
        "false" => "F",
        "decision true" => "d T",
        "decision false" => "d F",
        "independent" => "pair",
        "reached" => "•",
        other => other,
    }
}

/// A count in a narrow column.
fn many(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..10_000_000 => format!("{}k", count / 1_000),
        10_000_000..10_000_000_000 => format!("{}M", count / 1_000_000),
        _ => format!("{}G", count / 1_000_000_000),
    }
}

/// The text between two places, on one line and not too long.
pub fn cut(lines: &[&str], (line, col): (u32, u32), (end_line, end_col): (u32, u32)) -> String {
    const MOST: usize = 120;
    let mut text = String::new();
    for number in line..=end_line.min(line.saturating_add(8)) {
        let Some(own) = (number as usize)
            .checked_sub(1)
            .and_then(|at| lines.get(at))
        else {
            break;
        };
        let from = if number == line {
            boundary(own, col)
        } else {
            0
        };
        let to = if number == end_line {
            boundary(own, end_col)
        } else {
            own.len()
        };
        if number > line {
            text.push(' ');
        }
        text.push_str(own.get(from..to.max(from)).unwrap_or_default().trim());
    }
    if text.chars().count() > MOST {
        text = text.chars().take(MOST).collect::<String>() + "…";
    }
    text
}

/// The offset of a column, in a text whose bytes may have become others.
fn boundary(text: &str, col: u32) -> usize {
    let mut at = (col as usize).saturating_sub(1).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Stretches of a line that goals mark, with their verdicts: the worst of those at one place.
fn marks(text: &str, goals: &[(Known, &GoalRow)]) -> Vec<(usize, usize, &'static str)> {
    let mut at: BTreeMap<(usize, usize), BTreeSet<Known>> = BTreeMap::new();
    for (known, row) in goals {
        if matches!(row.label.side.as_str(), "entry" | "exit" | "reached") {
            continue;
        }
        let from = boundary(text, row.at.col);
        let to = match row.at.end_line == row.at.line {
            true => boundary(text, row.at.end_col),
            false => text.len(),
        };
        if from < to {
            at.entry((from, to)).or_default().insert(*known);
        }
    }
    let class = |known: &BTreeSet<Known>| match known.last() {
        Some(Known::Open) if known.len() > 1 => "mp",
        Some(Known::Open) => "mo",
        Some(Known::Infeasible) => "mi",
        _ => "mc",
    };
    at.iter()
        .map(|((from, to), known)| (*from, *to, class(known)))
        .collect()
}

/// A line with its colours and marks. Of marks that lie in each other the innermost is shown.
fn marked(
    text: &str,
    tokens: &[(usize, usize, Token)],
    marks: &[(usize, usize, &'static str)],
) -> String {
    let mut cuts: BTreeSet<usize> = [0, text.len()].into();
    cuts.extend(tokens.iter().flat_map(|(from, to, _)| [*from, *to]));
    cuts.extend(marks.iter().flat_map(|(from, to, _)| [*from, *to]));
    let cuts: Vec<usize> = cuts
        .into_iter()
        .filter(|at| text.is_char_boundary(*at))
        .collect();
    let mut html = String::new();
    for pair in cuts.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let inside = |begin: usize, end: usize| begin <= from && to <= end;
        let token = tokens.iter().find(|(begin, end, _)| inside(*begin, *end));
        let mark = marks
            .iter()
            .filter(|(begin, end, _)| inside(*begin, *end))
            .min_by_key(|(begin, end, _)| end - begin);
        let classes = [token.map(|token| token.2.class()), mark.map(|mark| mark.2)];
        let classes: Vec<&str> = classes.into_iter().flatten().collect();
        let piece = escape(&text[from..to]);
        match classes.as_slice() {
            [] => html.push_str(&piece),
            classes => {
                let _ = write!(html, "<span class=\"{}\">{piece}</span>", classes.join(" "));
            }
        }
    }
    html
}

/// Lines that a proof names: `12:5`, and numbers behind `line` or `lines`.
fn mentioned(text: &str) -> BTreeSet<u32> {
    let mut lines = BTreeSet::new();
    linked(text, |line| {
        lines.insert(line);
        None
    });
    lines
}

/// A text with links at the lines that it names.
fn linked(text: &str, mut target: impl FnMut(u32) -> Option<String>) -> String {
    let mut html = String::new();
    let mut in_lines = false;
    for word in text.split_inclusive([' ', ',', ';', '(', ')']) {
        let own = word.trim_end_matches([' ', ',', ';', '(', ')']);
        let place: Vec<&str> = own.split(':').collect();
        let line = match place.as_slice() {
            [line, col] if col.parse::<u32>().is_ok() => line.parse::<u32>().ok(),
            [line] if in_lines => line.parse().ok(),
            _ => None,
        };
        match line.filter(|line| *line > 0).and_then(&mut target) {
            Some(target) => {
                let _ = write!(
                    html,
                    "<a href=\"{target}\">{}</a>{}",
                    escape(own),
                    escape(&word[own.len()..])
                );
            }
            None => html.push_str(&escape(word)),
        }
        in_lines = matches!(own, "line" | "lines")
            || (in_lines && (own.is_empty() || own.parse::<u32>().is_ok()));
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_lie_in_the_text() {
        let line = "if (a && \"<\")";
        let tokens = syntax::lines(line).remove(0);
        let marks = [(4, 12, "mp"), (4, 5, "mc")];
        assert_eq!(
            marked(line, &tokens, &marks),
            "<span class=\"sk\">if</span> (<span class=\"mc\">a</span><span class=\"mp\"> &amp;&amp; </span><span class=\"ss mp\">&quot;&lt;&quot;</span>)"
        );
        // Latin 1 became longer: columns may lie inside a letter.
        assert_eq!(boundary("\u{fffd}\u{fffd} x", 3), 0);
        assert_eq!(cut(&["  a <", "    b)"], (1, 3), (2, 6)), "a < b");
        assert_eq!(cut(&["a"], (3, 1), (4, 1)), "");
    }

    #[test]
    fn lines_that_a_proof_names_are_links() {
        let html = linked(
            "x < 3 at 12:5, not at a.h:4:2 (assigned at lines 7, 9)",
            |line| Some(format!("#L{line}")),
        );
        assert_eq!(
            html,
            "x &lt; 3 at <a href=\"#L12\">12:5</a>, not at a.h:4:2 (assigned at lines <a href=\"#L7\">7</a>, <a href=\"#L9\">9</a>)"
        );
    }

    #[test]
    fn counts_are_short() {
        assert_eq!(
            [0, 9_999, 10_000, 45_000_000].map(many),
            ["0", "9999", "10k", "45M"]
        );
    }
}
