//! A strategy as the user types it: its name, its parameters, and several in turns.
//!
//! `NAME`, `NAME:PARAMETER=VALUE,…`, or `A+B`: the picks of one, then of the other.

use program::Program;

use crate::guide::Turns;
use crate::source;
use crate::strategy::{Entry, LooksBack, Param, STRATEGIES, Sources, Strategy, YES};

/// Strategies that take turns, usually one.
#[derive(Clone, Debug)]
pub struct Choice {
    pub parts: Vec<Part>,
}

/// A strategy and its parameters' values.
#[derive(Clone, Debug)]
pub struct Part {
    pub entry: &'static Entry,
    pub values: Vec<u64>,
}

/// What is wrong with the text that names a strategy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadChoice {
    #[error("there is no strategy `{name}`{}; strategies: {all}", suggestion(*.nearest))]
    Unknown {
        name: String,
        /// The one that was meant, if one has nearly this name.
        nearest: Option<&'static str>,
        all: String,
    },
    #[error("strategy `{strategy}` has no parameter `{name}`; it has: {all}")]
    Parameter {
        strategy: &'static str,
        name: String,
        all: String,
    },
    #[error("`{text}` is no value for `{name}` of strategy `{strategy}`: {allowed}")]
    Value {
        strategy: &'static str,
        name: &'static str,
        text: String,
        allowed: String,
    },
}

impl Choice {
    /// Reads one strategy, or several with `+` between them.
    ///
    /// # Errors
    /// When there is no such strategy or parameter, or a value is out of range.
    pub fn parse(text: &str) -> Result<Choice, BadChoice> {
        let parts = text.split('+').map(Part::parse);
        Ok(Choice {
            parts: parts.collect::<Result<_, _>>()?,
        })
    }

    /// The sources that a campaign with it asks; `by_clock`: its budget is time.
    #[must_use]
    pub fn sources(&self, by_clock: bool) -> Vec<source::Entry> {
        match &*self.parts {
            [only] => {
                let mut sources = only.entry.sources.entries();
                let looks_back = match only.looks_back() {
                    LooksBack::No => false,
                    LooksBack::ByClock => by_clock,
                    LooksBack::Yes => true,
                };
                sources.retain(|source| !source.looks_back || looks_back);
                sources
            }
            _ => Sources::Plain.entries(),
        }
    }

    /// Makes the strategy.
    #[must_use]
    pub fn make(&self, program: &Program) -> Box<dyn Strategy> {
        let mut parts: Vec<Box<dyn Strategy>> =
            self.parts.iter().map(|part| part.make(program)).collect();
        match parts.len() {
            1 => parts.remove(0),
            _ => Box::new(Turns::fair(parts)),
        }
    }
}

impl Part {
    /// Whether somebody looks backward beside it, if its sources have one who does.
    fn looks_back(&self) -> LooksBack {
        let params = self.entry.params.iter().zip(&self.values);
        let mut own = params.filter(|(param, _)| param.name == LooksBack::PARAM.name);
        own.next()
            .map_or(LooksBack::Yes, |(_, value)| LooksBack::of(*value))
    }

    fn parse(text: &str) -> Result<Part, BadChoice> {
        let (name, params) = text.split_once(':').unwrap_or((text, ""));
        let entry = STRATEGIES
            .iter()
            .find(|entry| entry.name == name)
            .ok_or_else(|| unknown(name))?;
        let mut values: Vec<u64> = entry.params.iter().map(|param| param.default).collect();
        for setting in params.split(',').filter(|setting| !setting.is_empty()) {
            let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
            let index = entry
                .params
                .iter()
                .position(|param| param.name == name)
                .ok_or_else(|| BadChoice::Parameter {
                    strategy: entry.name,
                    name: name.to_owned(),
                    all: listed(entry.params.iter().map(|param| param.name)),
                })?;
            let param = &entry.params[index];
            let is_switch = param.words.contains(&YES) && setting == param.name;
            let value = if is_switch { YES } else { value };
            values[index] = param.parse(value).ok_or_else(|| BadChoice::Value {
                strategy: entry.name,
                name: param.name,
                text: value.to_owned(),
                allowed: param.allowed(),
            })?;
        }
        Ok(Part { entry, values })
    }

    fn make(&self, program: &Program) -> Box<dyn Strategy> {
        (self.entry.make)(program, &self.values)
    }
}

impl Param {
    fn parse(&self, text: &str) -> Option<u64> {
        if !self.words.is_empty() {
            let index = self.words.iter().position(|word| *word == text);
            return index.map(|index| index as u64);
        }
        let number = text.parse().ok();
        number.filter(|number| (self.min..=self.max).contains(number))
    }

    /// A value as the user types it.
    #[must_use]
    pub fn show(&self, value: u64) -> String {
        let word = self.words.get(value as usize);
        word.map_or_else(|| value.to_string(), |word| (*word).to_owned())
    }

    fn allowed(&self) -> String {
        if self.words.is_empty() {
            format!("a whole number from {} to {}", self.min, self.max)
        } else {
            format!("one of {}", self.words.join(", "))
        }
    }
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, part) in self.parts.iter().enumerate() {
            let plus = if index > 0 { "+" } else { "" };
            write!(f, "{plus}{part}")?;
        }
        Ok(())
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.entry.name)?;
        let mut separator = ':';
        for (param, value) in self.entry.params.iter().zip(&self.values) {
            if *value != param.default {
                write!(f, "{separator}{}", param.name)?;
                let shown = param.show(*value);
                if shown != YES {
                    write!(f, "={shown}")?;
                }
                separator = ',';
            }
        }
        Ok(())
    }
}

fn unknown(name: &str) -> BadChoice {
    let slips = 1 + name.chars().count() / 6;
    let known = STRATEGIES
        .iter()
        .map(|entry| (distance(entry.name, name), entry.name));
    let near = known.filter(|(distance, known)| *distance <= slips && *distance < known.len());
    BadChoice::Unknown {
        name: name.to_owned(),
        nearest: near.min().map(|(_, known)| known),
        all: listed(STRATEGIES.iter().map(|entry| entry.name)),
    }
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(", did you mean `{name}`?"))
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// Edit distance: letters changed, added, left out, or swapped with their neighbour (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_and_written() {
        for text in [
            "cgs",
            "bfs",
            "random-branch",
            "dfs",
            "dfs:bound=50",
            "cgs:fixed-k=3+bfs",
            "expectation:pool=global",
            "cgs:endless",
            "cgs:fixed-k=5,endless",
        ] {
            assert_eq!(
                Choice::parse(text).map(|choice| choice.to_string()),
                Ok(text.to_owned())
            );
        }
        let says = |text: &str| {
            Choice::parse(text)
                .map_err(|error| error.to_string())
                .unwrap_err()
        };
        let long = Choice::parse("cgs:endless=yes").map(|choice| choice.to_string());
        assert_eq!(long.as_deref(), Ok("cgs:endless"));
        assert!(says("cgs:endless=maybe").contains("one of no, yes"));
        assert!(says("dfs:bound").contains("a whole number"));
        assert!(says("cqs").contains("did you mean `cgs`?"));
        assert!(says("csg").contains("did you mean `cgs`?"));
        assert!(!says("genetic").contains("did you mean"));
        assert!(says("dfs:limit=1").contains("it has: bound"));
        assert!(says("bfs:limit=1").contains("it has: none"));
        assert!(says("dfs:bound=many").contains("a whole number from 0 to"));
        assert!(says("expectation:pool=all").contains("one of local, global"));
        assert!(says("cgs+").contains("there is no strategy ``"));
    }
}
