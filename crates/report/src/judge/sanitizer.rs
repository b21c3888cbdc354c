//! What sanitizers and `assert` write to standard error, read back: the kind of fault, where, and the stack.
//!
//! Forms: AddressSanitizer's `ERROR: AddressSanitizer: KIND …` with frames `#0 0x… in FUNCTION FILE:LINE:COL`;
//! UndefinedBehaviorSanitizer's `FILE:LINE:COL: runtime error: MESSAGE` with the same frames; glibc's
//! `PROGRAM: FILE:LINE: FUNCTION: Assertion `…' failed.`
//!
//! Must hold: two reports of one fault give equal [`Report::key`]s, whatever addresses and values they name.

/// A fault that a program reported about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// `address`, `undefined`, `assertion`.
    pub tool: &'static str,
    /// What it said, in one line, without addresses.
    pub message: String,
    /// `file:line:col`, or `file:line`, where it says so.
    pub place: Option<String>,
    /// Functions, innermost first, those of the sanitizer and of the C library's start left out.
    pub stack: Vec<String>,
}

/// Frames that tell faults apart.
const FRAMES: usize = 3;

impl Report {
    /// The first report in a text.
    #[must_use]
    pub fn find(text: &str) -> Option<Report> {
        let lines: Vec<&str> = text.lines().collect();
        lines.iter().enumerate().find_map(|(at, line)| {
            let mut report = address(line)
                .or_else(|| undefined(line))
                .or_else(|| assertion(line))?;
            let frames = lines[at + 1..]
                .iter()
                .skip_while(|line| frame(line).is_none())
                .map_while(|line| frame(line))
                .filter(|(function, _)| !is_ours(function));
            for (function, place) in frames {
                if report.place.is_none() {
                    report.place = place;
                }
                report.stack.push(function);
            }
            Some(report)
        })
    }

    /// What tells this fault from others.
    #[must_use]
    pub fn key(&self) -> String {
        let stack = &self.stack[..self.stack.len().min(FRAMES)];
        // A message of UBSan names values; its first words do not.
        let words = self.message.split([':', '`']).next().unwrap_or_default();
        let place = self.place.as_deref().unwrap_or_default();
        format!("{} {words} {place} {}", self.tool, stack.join(" "))
    }
}

fn address(line: &str) -> Option<Report> {
    let (_, rest) = line.split_once("ERROR: AddressSanitizer: ")?;
    let kind: Vec<&str> = rest
        .split_whitespace()
        .take_while(|word| !word.starts_with("0x") && *word != "on" && !word.starts_with('('))
        .collect();
    Some(Report {
        tool: "address",
        message: kind.join(" ").trim_end_matches(':').to_owned(),
        place: None,
        stack: Vec::new(),
    })
}

fn undefined(line: &str) -> Option<Report> {
    let (place, message) = line.split_once(": runtime error: ")?;
    let words = message
        .split(' ')
        .map(|word| if word.starts_with("0x") { "…" } else { word });
    Some(Report {
        tool: "undefined",
        message: words.collect::<Vec<_>>().join(" "),
        place: Some(place.to_owned()),
        stack: Vec::new(),
    })
}

fn assertion(line: &str) -> Option<Report> {
    let (head, rest) = line.split_once(": Assertion `")?;
    let (condition, _) = rest.rsplit_once("' failed")?;
    // PROGRAM: FILE:LINE: FUNCTION, where the function may be a whole signature.
    let (_, head) = head.split_once(": ")?;
    let (place, function) = head.split_once(": ").unwrap_or((head, ""));
    Some(Report {
        tool: "assertion",
        message: condition.to_owned(),
        place: Some(place.to_owned()),
        stack: Some(function.to_owned())
            .filter(|function| !function.is_empty())
            .into_iter()
            .collect(),
    })
}

/// Function and place of `    #1 0x55… in main /home/you/a.c:5:9`.
fn frame(line: &str) -> Option<(String, Option<String>)> {
    let rest = line.trim_start().strip_prefix('#')?;
    let (_, rest) = rest.split_once(" in ")?;
    let (function, place) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_place = place.starts_with('/') && place.contains(':');
    Some((function.to_owned(), is_place.then(|| place.to_owned())))
}

fn is_ours(function: &str) -> bool {
    function.starts_with("__asan")
        || function.starts_with("__interceptor")
        || function.starts_with("__sanitizer")
        || function.starts_with("__ubsan")
        || function.starts_with("__libc_start")
        || function == "_start"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: (&str, &str, &str, &str)) {
        let report = Report::find(text).expect("a report");
        let got = (
            report.tool,
            report.message.as_str(),
            report.place.as_deref().unwrap_or("-"),
            report.stack.join(" "),
        );
        assert_eq!(got, (want.0, want.1, want.2, want.3.to_owned()));
    }

    #[test]
    fn reports_are_read() {
        check(
            "=====\n==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602 at pc 0x5\nREAD of size 1 at 0x602 thread T0\n    #0 0x55 in __asan_memcpy (/x/judge+0x1)\n    #1 0x55 in look /d/a.c:5:9\n    #2 0x56 in main /d/a.c:9:3\n\n0x602 is located\n    #0 0x7 in malloc (/x/judge+0x2)\n",
            ("address", "heap-buffer-overflow", "/d/a.c:5:9", "look main"),
        );
        check(
            "a.c:3:7: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'\n    #0 0x55 in f /d/a.c:3:7\n",
            (
                "undefined",
                "signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'",
                "a.c:3:7",
                "f",
            ),
        );
        check(
            "judge: a.c:12: int f(int): Assertion `x > 0 && \"why\"' failed.\n",
            ("assertion", "x > 0 && \"why\"", "a.c:12", "int f(int)"),
        );
        assert_eq!(Report::find("all is well\n"), None);
    }

    #[test]
    fn keys_do_not_hang_on_values() {
        let key = |text: &str| Report::find(text).expect("a report").key();
        assert_eq!(
            key("a.c:3:7: runtime error: shift exponent 33 is too large"),
            key("a.c:3:7: runtime error: shift exponent 33 is too large")
        );
        let overflow = |value: &str| {
            key(&format!(
                "a.c:3:7: runtime error: signed integer overflow: {value} + 1"
            ))
        };
        assert_eq!(overflow("2147483647"), overflow("2147483646"));
        assert_ne!(
            key("a.c:3:7: runtime error: load of null pointer"),
            key("a.c:4:7: runtime error: load of null pointer")
        );
    }
}
