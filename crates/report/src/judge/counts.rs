//! The judge's figures for one function, by the regions of its record.
//!
//! Conditions and regions of code are joined by their order (two conditions of one macro can have the same range), decisions by
//! their range. Must hold: a list of other length or with other places is an error, never joined in part.

use std::collections::BTreeMap;

use program::decision::Origin;
use program::{FunctionCoverage, RegionKind, SourceRange};

use crate::judge::llvm_cov::JudgeFunction;
use crate::judge::problem::Problem;
use coverage::decisions::DecisionId;
use coverage::goal::{Evidence, GoalId, GoalKind, Side};
use coverage::goals::Goals;
use coverage::vector::Pairing;

/// What the judge says of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judged {
    /// How often it saw it.
    Times(u64),
    /// Whether it is covered by a rule that is stricter than ours.
    AtLeast(bool),
    /// It has no figure.
    Nothing,
}

impl Judged {
    /// How often it saw it, at least.
    pub(super) fn times(self) -> u64 {
        match self {
            Judged::Times(times) => times,
            Judged::AtLeast(shown) => shown.into(),
            Judged::Nothing => 0,
        }
    }
}

/// The counts that `llvm-cov` has for the regions of one record. Keys are indices into these regions.
pub(super) struct RecordCounts {
    /// False, true.
    branches: BTreeMap<u32, [u64; 2]>,
    code: BTreeMap<u32, u64>,
    /// How often the function was entered.
    entered: u64,
    pairs: BTreeMap<(DecisionId, u16), bool>,
}

impl RecordCounts {
    /// Joins a record with what the judge says of it.
    pub(super) fn join(
        record: &FunctionCoverage,
        goals: &Goals,
        number: u32,
        judge: &JudgeFunction,
    ) -> Result<RecordCounts, Problem> {
        let branches: Vec<u32> = goals.listed_branches(number).collect();
        let code: Vec<u32> = (0u32..)
            .zip(&record.regions)
            .filter(|(_, region)| region.kind == RegionKind::Code)
            .map(|(number, _)| number)
            .collect();
        let place = |number: &u32| {
            let region = &record.regions[*number as usize];
            (region.file, region.range)
        };
        let same = |ours: &[u32], theirs: Vec<(u32, SourceRange)>| {
            let ours: Vec<_> = ours.iter().map(place).collect();
            if ours == theirs {
                return Ok(());
            }
            Err(Problem::Conditions {
                engine: ours,
                judge: theirs,
            })
        };
        let theirs = judge.branches.iter();
        same(&branches, theirs.map(|it| (it.file, it.range)).collect())?;
        let on_code =
            |goal: GoalId| matches!(goals.get(goal).kind, GoalKind::Reached | GoalKind::Exit);
        let code_matters = goals.of_record(number).any(on_code);
        if code_matters {
            let theirs = judge.code.iter();
            same(&code, theirs.map(|it| (it.file, it.range)).collect())?;
        }
        let counts = judge.branches.iter();
        let counts = counts.map(|branch| [branch.false_count, branch.true_count]);
        Ok(RecordCounts {
            branches: branches.into_iter().zip(counts).collect(),
            code: match code_matters {
                true => code
                    .into_iter()
                    .zip(judge.code.iter().map(|code| code.count))
                    .collect(),
                false => BTreeMap::new(),
            },
            entered: judge.count,
            pairs: pairs(goals, number, judge),
        })
    }

    /// What the judge says of a goal of the record.
    pub(super) fn of(&self, goals: &Goals, goal: GoalId) -> Judged {
        let known = goals.get(goal);
        let sides = |region: u32| self.branches.get(&region).copied().unwrap_or([0; 2]);
        let side_of = |side: Side| sides(known.region)[side.number() as usize];
        match (known.kind, known.evidence) {
            (GoalKind::Outcome(side) | GoalKind::Decision(side), Evidence::Count(_)) => {
                Judged::Times(side_of(side))
            }
            (GoalKind::Entry, _) => Judged::Times(self.entered),
            (_, Evidence::Count(_)) => {
                Judged::Times(self.code.get(&known.region).copied().unwrap_or(0))
            }
            (_, Evidence::Decided { decision, side }) => {
                let decision = goals.decisions().get(decision);
                let ways = decision.ends(side).map(|(condition, value)| {
                    sides(decision.conditions[condition].region)[usize::from(value)]
                });
                Judged::Times(ways.fold(0, u64::saturating_add))
            }
            (
                _,
                Evidence::Pair {
                    decision,
                    condition,
                },
            ) => match self.pairs.get(&(decision, condition)) {
                None => Judged::Nothing,
                Some(shown) if goals.criterion().pairing() == Some(Pairing::UniqueCause) => {
                    Judged::Times((*shown).into())
                }
                Some(shown) => Judged::AtLeast(*shown),
            },
            (_, Evidence::Nothing) => Judged::Nothing,
        }
    }
}

/// Which conditions of which decisions the judge has a pair for.
fn pairs(goals: &Goals, record: u32, judge: &JudgeFunction) -> BTreeMap<(DecisionId, u16), bool> {
    let mut pairs = BTreeMap::new();
    let decisions = goals.decisions();
    let mut ours: Vec<DecisionId> = decisions
        .of_record(record)
        .filter(|id| decisions.get(*id).origin == Origin::Clang)
        .collect();
    for theirs in &judge.decisions {
        let same = |id: &DecisionId| {
            let decision = decisions.get(*id);
            decision.range == theirs.range && decision.conditions.len() == theirs.conditions.len()
        };
        let Some(at) = ours.iter().position(same) else {
            continue;
        };
        let id = ours.remove(at);
        // We list conditions in the order of evaluation, the judge in that of their regions, but the first one first
        // (`MCDCDecisionRecorder::DecisionRecord::processBranch`).
        let conditions = &decisions.get(id).conditions;
        let mut order: Vec<u16> = (0..conditions.len() as u16).collect();
        order.sort_by_key(|condition| {
            let region = conditions[usize::from(*condition)].region;
            (*condition > 0, region)
        });
        for (condition, shown) in order.into_iter().zip(&theirs.conditions) {
            pairs.insert((id, condition), *shown);
        }
    }
    pairs
}
