//! What the words of the command line exclude: asked before the first run.

use std::sync::Arc;

use backward::Proofs;
use coverage::{GoalId, Goals};
use program::getopt::Word;
use program::{EdgeId, Program};
use proof::kinds::backward::texts;
use proof::opening::Said;
use proof::{Effects, all_that_follow};
use values::{Analysis, Told};

/// The words that a program is called with, and what they exclude.
#[derive(Clone, Debug)]
pub struct CalledWith {
    /// Those behind the program's name.
    pub words: Vec<Word>,
    pub said: Said,
    /// Goals that no run with these words covers, in order.
    pub all: Vec<GoalId>,
    /// Those of them that follow from the beginning of runs alone, in order.
    pub at_once: Vec<GoalId>,
    /// What the value analysis proves of runs with these words.
    pub by_values: Proofs,
    /// What it knows of them, where that was asked for.
    pub values: Option<Arc<Analysis>>,
}

/// What the value analysis is told of runs of which words say this; `lucky`: and whose allocations succeed.
#[must_use]
pub fn told(said: &Said, lucky: bool) -> Told {
    Told {
        results: said.results.clone(),
        never: said.never.clone(),
        lucky,
    }
}

impl CalledWith {
    /// By how runs begin; `foreign`: the program is linked with code that is not in the model. `None`: the words say nothing, or cannot be
    /// written down.
    #[must_use]
    pub fn by(
        words: Vec<Word>,
        (program, foreign): (&Program, bool),
        goals: &Goals,
    ) -> Option<CalledWith> {
        texts(&words)?;
        let said = Said::by(&words, program, foreign);
        if said.is_empty() {
            return None;
        }
        let effects = Effects::new(program, goals);
        let at_once = all_that_follow(program, &effects, &said.facts());
        Some(CalledWith {
            words,
            said,
            all: at_once.clone(),
            at_once,
            by_values: Proofs::default(),
            values: None,
        })
    }

    /// And by what the value analysis says of such runs.
    #[must_use]
    pub fn and(mut self, (by_values, values): (Proofs, Option<Arc<Analysis>>)) -> CalledWith {
        let goals = by_values.all.iter().map(|proof| proof.goal);
        self.all.extend(goals);
        self.all.sort_unstable();
        self.all.dedup();
        (self.by_values, self.values) = (by_values, values);
        self
    }

    /// What they say alone: nothing is excluded because of it.
    #[must_use]
    pub fn without_goals(mut self) -> CalledWith {
        self.all.clear();
        self.at_once.clear();
        self
    }

    /// Edges that no run with these words takes.
    pub fn dead(&self) -> impl Iterator<Item = EdgeId> {
        self.said.never.union(&self.by_values.dead).copied()
    }

    /// Does no run with these words cover a goal?
    #[must_use]
    pub fn excludes(&self, goal: GoalId) -> bool {
        self.all.binary_search(&goal).is_ok()
    }

    /// Why no run with these words covers a goal, for people.
    #[must_use]
    pub fn says(&self, goal: GoalId, (program, goals): (&Program, &Goals)) -> String {
        if self.at_once.binary_search(&goal).is_err()
            && let Some(proof) = self.by_values.of(goal)
        {
            return proof.detail(program, goals);
        }
        let words = self.words.iter().map(|word| match word {
            Some(word) => String::from_utf8_lossy(word),
            None => "…".into(),
        });
        match words.collect::<Vec<_>>().join(" ") {
            none if none.is_empty() => "no run without arguments comes there".to_owned(),
            words => format!("no run with the arguments `{words}` comes there"),
        }
    }
}
