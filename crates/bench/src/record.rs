//! What one run of an experiment gave, as a line of CSV.
//!
//! Must hold: a record that was written is read back as it was; times have milliseconds.

use std::collections::BTreeSet;

use crate::suite::Cell;

/// Coverage from some run of the program on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// From 1.
    pub iteration: u64,
    pub seconds: f64,
    pub covered: u32,
}

/// What one cell gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub subject: String,
    pub strategy: String,
    pub seed: u64,
    /// Branch outcomes of the program.
    pub total: u32,
    pub covered: u32,
    pub iterations: u64,
    pub seconds: f64,
    /// Of the engine, bytes.
    pub memory: u64,
    /// Seconds of all picks.
    pub picking: f64,
    pub stopped_by: String,
    /// Goals that are open, by a name that is the same in all runs on the subject.
    pub open: BTreeSet<String>,
    /// Where coverage rose.
    pub curve: Vec<Point>,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("field {field} (`{name}`) is `{text}`")]
pub struct BadRecord {
    /// From 1.
    pub field: usize,
    pub name: &'static str,
    pub text: String,
}

const FIELDS: [&str; 12] = [
    "subject",
    "strategy",
    "seed",
    "total",
    "covered",
    "iterations",
    "seconds",
    "memory",
    "picking",
    "stopped_by",
    "open",
    "curve",
];

impl Record {
    #[must_use]
    pub fn cell(&self) -> Cell {
        Cell {
            subject: self.subject.clone(),
            strategy: self.strategy.clone(),
            seed: self.seed,
        }
    }

    /// Branch outcomes covered after this many runs of the program.
    #[must_use]
    pub fn covered_at(&self, iterations: u64) -> u32 {
        let until = self
            .curve
            .iter()
            .take_while(|point| point.iteration <= iterations);
        until.last().map_or(0, |point| point.covered)
    }

    /// Branch outcomes covered after this many seconds.
    #[must_use]
    pub fn covered_after(&self, seconds: f64) -> u32 {
        let until = self
            .curve
            .iter()
            .take_while(|point| point.seconds <= seconds);
        until.last().map_or(0, |point| point.covered)
    }

    /// Runs of the program until this many outcomes were covered.
    #[must_use]
    pub fn reached(&self, covered: u32) -> Option<u64> {
        let there = self.curve.iter().find(|point| point.covered >= covered);
        there.map(|point| point.iteration)
    }

    /// The line above the records.
    #[must_use]
    pub fn header() -> String {
        format!("{}\n", FIELDS.join(","))
    }

    /// The record as a line.
    #[must_use]
    pub fn line(&self) -> String {
        let open: Vec<&str> = self.open.iter().map(String::as_str).collect();
        let point =
            |point: &Point| format!("{}@{:.3}={}", point.iteration, point.seconds, point.covered);
        let curve: Vec<String> = self.curve.iter().map(point).collect();
        let fields = [
            self.subject.clone(),
            self.strategy.clone(),
            self.seed.to_string(),
            self.total.to_string(),
            self.covered.to_string(),
            self.iterations.to_string(),
            format!("{:.3}", self.seconds),
            self.memory.to_string(),
            format!("{:.3}", self.picking),
            self.stopped_by.clone(),
            open.join(" "),
            curve.join(" "),
        ];
        let quoted: Vec<String> = fields.iter().map(|field| quote(field)).collect();
        format!("{}\n", quoted.join(","))
    }

    /// Reads a line.
    ///
    /// # Errors
    /// A field is missing or no number.
    pub fn parse(line: &str) -> Result<Record, BadRecord> {
        let fields = split(line);
        let text = |index: usize| fields.get(index).map_or("", String::as_str);
        let bad = |index: usize| BadRecord {
            field: index + 1,
            name: FIELDS[index],
            text: text(index).to_owned(),
        };
        let number = |index: usize| text(index).parse::<u64>().map_err(|_| bad(index));
        let small = |index: usize| text(index).parse::<u32>().map_err(|_| bad(index));
        let real = |index: usize| text(index).parse::<f64>().map_err(|_| bad(index));
        if fields.len() != FIELDS.len() {
            return Err(bad(fields.len().min(FIELDS.len() - 1)));
        }
        let point = |text: &str| {
            let (iteration, rest) = text.split_once('@')?;
            let (seconds, covered) = rest.split_once('=')?;
            Some(Point {
                iteration: iteration.parse().ok()?,
                seconds: seconds.parse().ok()?,
                covered: covered.parse().ok()?,
            })
        };
        let curve: Option<Vec<Point>> = text(11).split_whitespace().map(point).collect();
        Ok(Record {
            subject: text(0).to_owned(),
            strategy: text(1).to_owned(),
            seed: number(2)?,
            total: small(3)?,
            covered: small(4)?,
            iterations: number(5)?,
            seconds: real(6)?,
            memory: number(7)?,
            picking: real(8)?,
            stopped_by: text(9).to_owned(),
            open: text(10).split_whitespace().map(str::to_owned).collect(),
            curve: curve.ok_or_else(|| bad(11))?,
        })
    }
}

fn quote(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

fn split(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut inside) = (Vec::new(), String::new(), false);
    let mut rest = line.trim_end_matches(['\n', '\r']).chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '"' if inside && rest.peek() == Some(&'"') => {
                rest.next();
                field.push('"');
            }
            '"' => inside = !inside,
            ',' if !inside => fields.push(std::mem::take(&mut field)),
            _ => field.push(next),
        }
    }
    fields.push(field);
    fields
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn record(subject: &str, strategy: &str, seed: u64, curve: &[(u64, u32)]) -> Record {
        let point = |&(iteration, covered): &(u64, u32)| Point {
            iteration,
            seconds: iteration as f64 / 1000.0,
            covered,
        };
        let covered = curve.last().map_or(0, |point| point.1);
        Record {
            subject: subject.to_owned(),
            strategy: strategy.to_owned(),
            seed,
            total: 20,
            covered,
            iterations: 1000,
            seconds: 1.5,
            memory: 1 << 20,
            picking: 0.25,
            stopped_by: "iterations".to_owned(),
            open: (covered..20)
                .map(|goal| format!("a.c:{goal}:1:true"))
                .collect(),
            curve: curve.iter().map(point).collect(),
        }
    }

    #[test]
    fn lines_are_read_back() {
        let mut record = record(
            "tokens, \"16\"",
            "expectation:pool=global",
            3,
            &[(1, 4), (90, 9)],
        );
        assert_eq!(Record::parse(&record.line()), Ok(record.clone()));
        record.curve.clear();
        assert_eq!(Record::parse(&record.line()), Ok(record.clone()));
        assert_eq!(Record::header().matches(',').count(), FIELDS.len() - 1);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let line = record("a", "b", 1, &[(1, 2)]).line();
        let says = |line: &str| Record::parse(line).expect_err("it is wrong").to_string();
        assert_eq!(says("a,b,c"), "field 4 (`total`) is ``");
        assert_eq!(
            says(&line.replace("a,b,1,", "a,b,x,")),
            "field 3 (`seed`) is `x`"
        );
        assert_eq!(
            says(&line.replace("1@0.001", "1@")),
            "field 12 (`curve`) is `1@=2`"
        );
    }

    #[test]
    fn coverage_between_points() {
        let record = record("a", "b", 0, &[(1, 4), (90, 9)]);
        assert_eq!(
            [0, 1, 89, 90, 1000].map(|at| record.covered_at(at)),
            [0, 4, 4, 9, 9]
        );
        assert_eq!(
            [4, 5, 9, 10].map(|goal| record.reached(goal)),
            [Some(1), Some(90), Some(90), None]
        );
        assert_eq!(record.covered_after(0.09), 9);
    }
}
