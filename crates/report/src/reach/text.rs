//! The answers for a terminal: a line for each target, then a summary; of a change, as a reviewer would write it.

use std::fmt::Write as _;

use super::{Answer, Answers, Blocker, Change, Verdict};

/// Open lines that a summary names.
const NAMED: usize = 8;

/// The text; paths below `base`, which ends in a slash, are written without it.
#[must_use]
pub fn render(answers: &Answers, base: &str) -> String {
    let mut text = String::new();
    let targets = answers.targets.iter();
    let widest = targets.map(|answer| answer.target.chars().count()).max();
    let width = widest.unwrap_or(0);
    for answer in &answers.targets {
        let mut lines = lines(answer, base).into_iter();
        let first = lines.next().unwrap_or_default();
        let (target, verdict) = (&answer.target, answer.verdict.name());
        let _ = writeln!(text, "{target:width$}  {verdict:<11}  {first}");
        for more in lines {
            let _ = writeln!(text, "{:width$}  {:<11}  {more}", "", "");
        }
    }
    let _ = writeln!(text, "{}", summary(answers));
    text.extend(answers.change.as_ref().and_then(left_out));
    for note in &answers.notes {
        let _ = writeln!(text, "{note}");
    }
    // A target without details leaves blanks at the end of its line.
    text.lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

fn lines(answer: &Answer, base: &str) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(test) = &answer.test {
        let (seconds, run) = answer.found.unwrap_or_default();
        lines.push(format!("{test}, run {run}, {seconds:.2} s"));
    }
    lines.extend(answer.why.iter().cloned());
    lines.extend(answer.blocked_by.as_ref().map(|it| blocker(it, base)));
    lines
}

fn blocker(known: &Blocker, base: &str) -> String {
    let file = known.file.strip_prefix(base).unwrap_or(&known.file);
    let mut text = format!("kept away by {file}:{}:{}", known.line, known.col);
    if !known.condition.is_empty() {
        let _ = write!(text, " `{}`", known.condition);
    }
    let times = match known.evaluated {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    let (function, wanted) = (&known.function, &known.wanted);
    let _ = write!(text, " in {function}: {times} decided, never {wanted}");
    for tried in &known.tried {
        let _ = write!(text, "; {tried}");
    }
    text
}

fn summary(answers: &Answers) -> String {
    let all = answers.targets.len();
    let [reached, never, open] = [Verdict::Reached, Verdict::Unreachable, Verdict::Unknown]
        .map(|verdict| answers.count(verdict));
    let (what, done, rest) = match answers.change {
        Some(_) => ("changed lines", "covered", "open"),
        None => ("targets", "reached", "unknown"),
    };
    let what = if all == 1 {
        what.trim_end_matches('s')
    } else {
        what
    };
    let mut text = format!("{reached} of {all} {what} {done}");
    if never > 0 {
        let _ = write!(text, ", {never} proved unreachable");
    }
    if open > 0 {
        let _ = write!(text, ", {open} {rest}");
    }
    if open > 0 && answers.change.is_some() {
        let open = answers.targets.iter();
        let open = open.filter(|answer| answer.verdict == Verdict::Unknown);
        let mut names: Vec<&str> = open.map(|answer| answer.target.as_str()).collect();
        if names.len() > NAMED {
            names.truncate(NAMED);
            names.push("…");
        }
        let _ = write!(text, ": {}", names.join(", "));
    }
    let runs = match answers.iterations {
        1 => "1 run".to_owned(),
        runs => format!("{runs} runs"),
    };
    let _ = write!(text, " ({:.1} s, {runs})", answers.seconds);
    text
}

/// What of a change is no target.
fn left_out(change: &Change) -> Option<String> {
    let lines = match change.without_code {
        0 => None,
        1 => Some("1 changed line without code".to_owned()),
        lines => Some(format!("{lines} changed lines without code")),
    };
    let files = match change.other_files.as_slice() {
        [] => None,
        [one] => Some(format!("{one}, which is no source of the program")),
        several => Some(format!(
            "{}, which are no sources of the program",
            several.join(", ")
        )),
    };
    let both: Vec<String> = lines.into_iter().chain(files).collect();
    (!both.is_empty()).then(|| format!("left out: {}\n", both.join(", and ")))
}
