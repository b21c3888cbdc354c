//! The pages of the report: what each shows, as views that the templates of this crate write out.
//!
//! Must hold: every text of the user's is escaped, by the template or by [`escape`]; every link leads to a page or a place that
//! is written as well; nothing is loaded from elsewhere.

mod overview;
mod plot;
mod source;
mod syntax;
mod tests;

use std::collections::BTreeMap;

use askama::Template;

use crate::document::{Known, Report};
use crate::format::Artifact;
use crate::table::DecisionRow;
use coverage::ledger::Totals;

/// Style sheet and script, which every page has.
const STYLE: &str = include_str!("../../templates/style.css");
const SCRIPT: &str = include_str!("../../templates/script.js");

/// All pages; the first is the one to open.
pub fn pages(report: &Report) -> Vec<Artifact> {
    let site = Site::new(report);
    let mut pages = vec![page("index.html", &overview::Overview::new(&site))];
    pages.push(page("tests.html", &tests::Tests::new(&site)));
    if !report.decisions.is_empty() {
        pages.push(page("decisions.html", &Decisions::new(&site)));
    }
    let goals = report.goals();
    let mut rest = goals.as_slice();
    let mut sources: Vec<_> = report.sources.iter().collect();
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    for source in sources {
        // Both are in the order of names.
        let begin = rest.partition_point(|(_, row)| row.at.file < source.name);
        let own = &rest[begin..];
        let (own, behind) =
            own.split_at(own.partition_point(|(_, row)| row.at.file == source.name));
        rest = behind;
        let view = source::Source::new(&site, source, own);
        pages.push(page(&site.pages[&source.name], &view));
    }
    pages.push(Artifact::new("style.css", STYLE));
    pages.push(Artifact::new("script.js", SCRIPT));
    pages.push(Artifact::new("inputs.js", inputs(&site)));
    pages
}

fn page(name: &str, template: &impl Template) -> Artifact {
    let text = template
        .render()
        .expect("writing to a string does not fail");
    // The templates escape markup, and leave control characters.
    let shown = |c: char| {
        if c.is_control() && !matches!(c, '\t' | '\n') {
            '\u{fffd}'
        } else {
            c
        }
    };
    let text: String = text.chars().map(shown).collect();
    Artifact::new(name, text)
}

/// The inputs of all tests that pages name, once: the script shows them at links to tests.
fn inputs(site: &Site<'_>) -> String {
    let goals = site.report.covered.iter().flat_map(|row| &row.tests);
    let decisions = site.report.decisions.iter();
    let vectors = decisions.flat_map(|row| row.vectors.iter().flat_map(|vector| &vector.tests));
    let named: std::collections::BTreeSet<u32> = goals.chain(vectors).copied().collect();
    let named = named
        .iter()
        .filter_map(|number| Some((*number, site.brief.get(number)?)));
    let all: BTreeMap<u32, &String> = named.collect();
    let json = serde_json::to_string(&all).expect("numbers and texts are JSON");
    format!("window.bothwaysInputs = {json};\n")
}

/// What every page knows.
pub struct Site<'a> {
    report: &'a Report,
    /// Name of a source and of its page.
    pages: BTreeMap<String, String>,
    /// For each source, how many lines its text has.
    lines: BTreeMap<&'a str, u32>,
    /// For each test, its inputs on one line.
    brief: BTreeMap<u32, String>,
    /// The folder that all sources are in that are not below the report's; empty where there is none.
    common: String,
}

/// The longest folder that all paths are in, with a slash behind it.
fn common_folder<'a>(mut paths: impl Iterator<Item = &'a str>) -> String {
    let folder = |path: &'a str| path.rfind('/').map_or("", |at| &path[..=at]);
    let Some(first) = paths.next() else {
        return String::new();
    };
    let both = |known: &'a str, path: &'a str| {
        let ends = known.match_indices('/').map(|(at, _)| &known[..=at]);
        ends.rev().find(|end| path.starts_with(end)).unwrap_or("")
    };
    paths.fold(folder(first), both).to_owned()
}

impl<'a> Site<'a> {
    fn new(report: &'a Report) -> Site<'a> {
        const BRIEF: usize = 160;
        let names: std::collections::BTreeSet<&String> =
            report.sources.iter().map(|source| &source.name).collect();
        let elsewhere = names.iter().map(|name| report.shown(name));
        let common = common_folder(elsewhere.filter(|name| name.starts_with('/')));
        let page = |(number, name): (usize, &String)| (name.clone(), page_name(number + 1, name));
        let lines = report.sources.iter().map(|source| {
            let text = source.text.as_deref().unwrap_or_default();
            let count = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
            (source.name.as_str(), count)
        });
        Site {
            report,
            pages: names.into_iter().enumerate().map(page).collect(),
            lines: lines.collect(),
            brief: report
                .tests
                .iter()
                .map(|test| (test.number, test.brief(BRIEF)))
                .collect(),
            common,
        }
    }

    /// A path as it is shown: without the report's folder, or that of all sources elsewhere.
    fn shown<'b>(&self, path: &'b str) -> &'b str {
        let shown = self.report.shown(path);
        let below = shown.strip_prefix(&self.common);
        below.filter(|rest| !rest.is_empty()).unwrap_or(shown)
    }

    /// Title of the report.
    fn title(&self) -> String {
        let name = self.report.program.rsplit('/').next().unwrap_or_default();
        crate::readable::plain(name)
    }

    /// A place as a link, or as plain text where there is no page for it. A page without the source's text has no lines.
    fn place(&self, file: &str, line: u32, text: &str) -> String {
        let text = escape(text);
        match self.pages.get(file) {
            Some(page) if line <= self.lines(file) => {
                format!("<a href=\"{page}#L{line}\">{text}</a>")
            }
            Some(page) => format!("<a href=\"{page}\">{text}</a>"),
            None => format!("<span>{text}</span>"),
        }
    }

    /// How many lines the text of a source has; 0 where there is none.
    fn lines(&self, file: &str) -> u32 {
        self.lines.get(file).copied().unwrap_or_default()
    }

    /// `file:line` or `file:line:col` as a link.
    fn written_place(&self, place: &str) -> String {
        let words = place.trim_end_matches(" or after");
        let mut numbers = words.rsplitn(3, ':');
        let (last, middle, first) = (numbers.next(), numbers.next(), numbers.next());
        let line = |text: Option<&str>| text.and_then(|text| text.parse::<u32>().ok());
        let shown = self.shown(place);
        match (first, middle, line(middle), line(last)) {
            (Some(file), _, Some(line), Some(_)) => self.place(file, line, shown),
            (first, Some(middle), None, Some(line)) => {
                let file = first.map_or(middle.to_owned(), |first| format!("{first}:{middle}"));
                self.place(&file, line, shown)
            }
            _ => format!("<span>{}</span>", escape(shown)),
        }
    }

    /// A test as a link to where its inputs stand.
    fn test(&self, number: u32) -> String {
        match self.brief.get(&number) {
            Some(_) => format!("<a class=t href=\"tests.html#t{number}\">{number}</a>"),
            None => format!("<span>{number}</span>"),
        }
    }

    fn tests(&self, numbers: &[u32], more: u32) -> String {
        let shown: Vec<String> = numbers.iter().map(|number| self.test(*number)).collect();
        let word = if numbers.len() == 1 && more == 0 {
            "test"
        } else {
            "tests"
        };
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{word} {}{more}", shown.join(" "))
    }
}

/// Name of the page of a source: letters that a URL takes as they are.
fn page_name(number: usize, name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or_default();
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '.' {
            c
        } else {
            '_'
        }
    };
    let plain: String = last.chars().map(plain).take(60).collect();
    format!("source-{number}-{plain}.html")
}

/// A text in HTML, between tags or quotes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' => escaped.push(c),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Counts of goals as a page shows them.
pub struct Figures {
    pub covered: u32,
    pub infeasible: u32,
    pub open: u32,
    pub total: u32,
    /// Covered of all, in percent.
    pub branch: String,
    /// Covered of those that are not infeasible.
    pub feasible: String,
    /// Widths of the three parts of a bar.
    pub widths: [String; 3],
    /// What rows are filtered by.
    pub state: String,
}

impl Figures {
    fn of(totals: Totals) -> Figures {
        let share = |part: u32| match totals.total {
            0 => "0".to_owned(),
            total => format!("{:.2}", f64::from(part) * 100.0 / f64::from(total)),
        };
        let mut state = vec![if totals.open() > 0 { "open" } else { "done" }];
        state.extend((totals.infeasible > 0).then_some("infeasible"));
        Figures {
            covered: totals.covered,
            infeasible: totals.infeasible,
            open: totals.open(),
            total: totals.total,
            branch: percent(totals.covered, totals.total),
            feasible: percent(
                totals.covered,
                totals.total - totals.infeasible.min(totals.total),
            ),
            widths: [totals.covered, totals.infeasible, totals.open()].map(share),
            state: state.join(" "),
        }
    }
}

/// Never rounded up to 100.
fn percent(part: u32, all: u32) -> String {
    match (part, all) {
        (_, 0) => "–".to_owned(),
        (part, all) if part == all => "100 %".to_owned(),
        (part, all) => format!(
            "{:.1} %",
            (f64::from(part) * 1000.0 / f64::from(all)).floor() / 10.0
        ),
    }
}

/// Class of a verdict in the style sheet.
const fn class(known: Known) -> &'static str {
    match known {
        Known::Covered => "c",
        Known::Infeasible => "i",
        Known::Open => "o",
    }
}

/// The tables of decisions with several conditions.
#[derive(Template)]
#[template(path = "decisions.html")]
struct Decisions {
    title: String,
    has_decisions: bool,
    here: &'static str,
    decisions: Vec<DecisionView>,
}

struct DecisionView {
    number: usize,
    place: String,
    function: String,
    text: String,
    problem: String,
    conditions: Vec<ConditionView>,
    vectors: Vec<VectorView>,
    state: &'static str,
}

struct ConditionView {
    letter: String,
    text: String,
    class: &'static str,
    status: String,
    words: String,
}

struct VectorView {
    number: usize,
    /// Value and class of each condition.
    values: Vec<(char, String)>,
    outcome: char,
    tests: String,
}

impl Decisions {
    fn new(site: &Site<'_>) -> Decisions {
        let rows = site.report.decisions.iter().enumerate();
        Decisions {
            title: site.title(),
            has_decisions: true,
            here: "decisions",
            decisions: rows
                .map(|(number, row)| decision(site, number + 1, row))
                .collect(),
        }
    }
}

fn decision(site: &Site<'_>, number: usize, row: &DecisionRow) -> DecisionView {
    let shown = format!("{}:{}:{}", site.shown(&row.file), row.line, row.col);
    let source = site
        .report
        .sources
        .iter()
        .find(|source| source.name == row.file);
    let text = source
        .and_then(|source| source.text.as_deref())
        .unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let letter = |at: usize| format!("C{}", at + 1);
    let conditions = row.conditions.iter().enumerate().map(|(at, condition)| {
        let end = row
            .conditions
            .get(at + 1)
            .map(|next| (next.line, next.col))
            .unwrap_or((row.end_line, row.end_col));
        let text = source::cut(&lines, (condition.line, condition.col), end);
        let words = match condition.pair {
            Some([a, b]) => format!("pair: vectors {} and {}", a + 1, b + 1),
            None => condition.missing.clone(),
        };
        let class = match &*condition.status {
            "covered" => "c",
            "infeasible" => "i",
            "open" => "o",
            _ => "f",
        };
        ConditionView {
            letter: letter(at),
            text: text
                .trim_end_matches(['&', '|', ' ', '\n', '(', '!'])
                .to_owned(),
            class,
            status: condition.status.to_string(),
            words,
        }
    });
    let in_pair = |vector: usize, condition: usize| {
        let pair = row
            .conditions
            .get(condition)
            .and_then(|condition| condition.pair);
        pair.is_some_and(|pair| pair.contains(&vector))
    };
    let vectors = row.vectors.iter().enumerate().map(|(at, vector)| {
        let values = vector.values.chars().enumerate().map(|(condition, value)| {
            let mut class = match value {
                'T' => "vt",
                'F' => "vf",
                _ => "vn",
            }
            .to_owned();
            if in_pair(at, condition) {
                class.push_str(" pair");
            }
            (value, class)
        });
        const MOST: usize = 12;
        let shown = &vector.tests[..vector.tests.len().min(MOST)];
        let more = u32::try_from(vector.tests.len() - shown.len()).unwrap_or(u32::MAX);
        VectorView {
            number: at + 1,
            values: values.collect(),
            outcome: if vector.outcome { 'T' } else { 'F' },
            tests: site.tests(shown, more),
        }
    });
    let is_open = row
        .conditions
        .iter()
        .any(|condition| condition.status == "open");
    DecisionView {
        number,
        place: site.place(&row.file, row.line, &shown),
        function: row.function.clone(),
        text: source::cut(&lines, (row.line, row.col), (row.end_line, row.end_col)),
        problem: row.problem.clone(),
        conditions: conditions.collect(),
        vectors: vectors.collect(),
        state: if is_open { "open" } else { "done" },
    }
}

#[cfg(test)]
mod test {
    use super::*;
    use crate::sample;

    /// Values of an attribute in a page.
    fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
        let start = format!(" {attribute}=");
        let parts = page.split(start.as_str()).skip(1);
        parts
            .map(|rest| match rest.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next().unwrap_or_default(),
                None => rest.split([' ', '>']).next().unwrap_or_default(),
            })
            .collect()
    }

    fn texts(report: &Report) -> BTreeMap<String, String> {
        let text = |page: Artifact| (page.path, String::from_utf8(page.bytes).expect("text"));
        pages(report).into_iter().map(text).collect()
    }

    #[test]
    fn every_link_leads_somewhere() {
        let pages = texts(&sample::report());
        let mut links = 0;
        for (name, page) in pages.iter().filter(|(name, _)| name.ends_with(".html")) {
            let ids = values(page, "id");
            let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
            assert_eq!(distinct.len(), ids.len(), "{name}: {ids:?}");
            for link in values(page, "href").into_iter().chain(values(page, "src")) {
                links += 1;
                let (file, place) = link.split_once('#').unwrap_or((link, ""));
                let file = if file.is_empty() { name } else { file };
                let target = pages
                    .get(file)
                    .unwrap_or_else(|| panic!("{name}: no {link}"));
                assert!(
                    place.is_empty() || values(target, "id").contains(&place),
                    "{name}: no {link}"
                );
            }
        }
        assert!(links > 20, "{links}");
    }

    /// Pages of ten thousand goals took 15 s to open.
    #[test]
    fn what_is_known_of_a_line_is_one_text_and_inputs_stand_once() {
        let pages = texts(&sample::report());
        let source = |(name, _): &(&String, &String)| name.starts_with("source-");
        let (_, page) = pages.iter().find(source).expect("a page");
        let parts: Vec<&str> = page.split("<noscript>").collect();
        assert!(parts.len() > 2, "{page}");
        for part in &parts[1..] {
            let (inside, outside) = part.split_once("</noscript>").expect("it ends");
            assert!(
                inside.starts_with("<div class=\"d\"><div class=\"goal"),
                "{inside}"
            );
            assert!(!outside.contains("class=\"goal"), "{outside}");
        }
        let inputs = &pages["inputs.js"];
        let json = inputs.strip_prefix("window.bothwaysInputs = ");
        let json = json
            .and_then(|json| json.strip_suffix(";\n"))
            .expect("an assignment");
        let inputs: BTreeMap<u32, String> = serde_json::from_str(json).expect("JSON");
        assert!(
            inputs.values().any(|text| text.contains(" = ")),
            "{inputs:?}"
        );
    }

    #[test]
    fn no_text_of_the_user_is_markup() {
        let mut report = sample::report();
        let bad = "<u>\"x\"'&amp;]]>\u{1}";
        report.program = bad.to_owned();
        report.notes = vec![bad.to_owned()];
        report.functions[0].name = bad.to_owned();
        report.open[0].reason.detail = bad.to_owned();
        report.tests[0]
            .inputs
            .push((bad.to_owned(), bad.to_owned()));
        report.campaign.failures[0].cause = bad.to_owned();
        report.sources[0].name = bad.to_owned();
        for (name, page) in texts(&report)
            .iter()
            .filter(|(name, _)| name.ends_with(".html"))
        {
            assert!(
                !page.contains("<u>") && !page.contains("<script>"),
                "{name}"
            );
            assert!(!page.contains('\u{1}'), "{name}");
            for address in ["http:", "https:", "//"] {
                let loads = values(page, "src").into_iter().chain(values(page, "href"));
                assert!(
                    !loads.into_iter().any(|link| link.starts_with(address)),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn an_empty_report_has_pages() {
        let pages = texts(&Report::default());
        assert!(
            pages["index.html"].contains("no goals"),
            "{}",
            pages["index.html"]
        );
    }

    #[test]
    fn sources_elsewhere_are_shown_without_their_folder() {
        for (paths, wanted) in [
            (&["/a/b/c.c", "/a/b/d/e.c"][..], "/a/b/"),
            (&["/a/b/c.c"], "/a/b/"),
            (&["/a/bc/x.c", "/a/b/x.c"], "/a/"),
            (&["/a/x.c", "/b/x.c"], "/"),
            (&[], ""),
        ] {
            assert_eq!(common_folder(paths.iter().copied()), wanted, "{paths:?}");
        }
        let mut report = sample::report();
        let old = report.sources[0].name.clone();
        let new = format!("/elsewhere/{old}");
        report
            .sources
            .iter_mut()
            .for_each(|source| source.name = format!("/elsewhere/{}", source.name));
        report
            .functions
            .iter_mut()
            .for_each(|row| row.file = format!("/elsewhere/{}", row.file));
        let index = texts(&report).remove("index.html").expect("a page");
        assert!(!index.contains(&format!(">{new}</a>")), "{index}");
    }

    #[test]
    fn percentages_are_not_rounded_up() {
        assert_eq!(percent(9999, 10_000), "99.9 %");
        assert_eq!(percent(3, 3), "100 %");
        assert_eq!(percent(0, 0), "–");
    }
}
