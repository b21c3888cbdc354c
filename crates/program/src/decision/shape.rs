//! Decisions read off the control flow.
//!
//! A condition is followed by an operator when its branch stands behind its text: clang gives the branch of the left operand
//! of `&&` or `||` the place of the operator, and the last condition's that of the statement or of the operator before it. So
//! source ranges say which conditions belong together. What the operators are, and where `!` stands, the edges say: from
//! each of them either another condition of the decision is met first, or none, and then the decision is made. What it is
//! made to be shows in [`outcome`].
//!
//! In a macro all branches stand where it is expanded, so there only clang's own mapping helps.
//!
//! Must hold: what is returned has no problem only if each edge leads to exactly one condition or to one outcome.

mod flow;
mod outcome;

use super::{Condition, Decision, MAX_CONDITIONS, Next, Origin, Problem};
use crate::coverage::{Counter, FunctionCoverage, Region, RegionKind};
use crate::id::{EdgeId, SiteId};
use crate::inst::SiteKind;
use crate::model::Program;
use crate::outcome_edges::{self, OutcomeEdges};
use crate::place::Loc;
use crate::place::SourceRange;

use flow::Flow;

/// A condition that one branch of the function decides.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    region: u32,
    site: SiteId,
    /// Where it stands in the source, macros seen from outside. `file` indexes [`Program::files`].
    file: u32,
    range: SourceRange,
    /// In the text of a macro.
    expanded: bool,
    /// Where its branch stands.
    branch: Option<Loc>,
}

impl Leaf {
    fn start(&self) -> (u32, u32) {
        (self.range.line, self.range.col)
    }

    /// The place of the operator behind it.
    fn operator(&self) -> Option<(u32, u32)> {
        let branch = self.branch?;
        let place = (branch.line, branch.col);
        (branch.file == self.file && place >= (self.range.end_line, self.range.end_col))
            .then_some(place)
    }
}

/// The decisions of a record, except of conditions in `known` ones. `branches` says where the branch of each site stands.
#[must_use]
pub fn decisions(
    program: &Program,
    record: &FunctionCoverage,
    outcomes: &[outcome_edges::Condition],
    known: &[Decision],
    branches: &dyn Fn(SiteId) -> Option<Loc>,
) -> Vec<Decision> {
    let Some(function) = record.function else {
        return Vec::new();
    };
    let taken = |region: u32| {
        known
            .iter()
            .any(|known| known.regions().any(|own| own == region))
    };
    let mut leaves: Vec<Leaf> = outcomes
        .iter()
        .filter(|condition| !taken(condition.region))
        .filter_map(|condition| leaf(program, record, condition, branches))
        .collect();
    // Where one condition is within another, the outer one comes first.
    leaves.sort_by_key(|leaf| {
        let end = (leaf.range.end_line, leaf.range.end_col);
        (leaf.file, leaf.start(), std::cmp::Reverse(end), leaf.region)
    });
    let groups = groups(&leaves);
    if groups.is_empty() {
        return Vec::new();
    }
    let flow = Flow::new(&program.functions[function]);
    let decision = |group: &Vec<Leaf>| decision(program, record, &flow, outcomes, group);
    groups.iter().map(decision).collect()
}

/// Conditions that stand in no known decision, though their counts say that they are operands: what is left in macros. They are
/// decisions that cannot be read.
///
/// clang gives `a && b` a counter for how often `b` is evaluated, which is how often `a` is true (of `||`, false), and one for how
/// often `b` is true (false). The latter counts no code, as every counter of a statement does.
#[must_use]
pub fn unreadable(record: &FunctionCoverage) -> Vec<Decision> {
    let taken = |region: u32| {
        let mut known = record.decisions.iter();
        known.any(|known| known.regions().any(|own| own == region))
    };
    let expanded = |file: u32| {
        let is_it = |region: &Region| region.kind == RegionKind::Expansion { file };
        record.regions.iter().any(is_it)
    };
    let leaves: Vec<(u32, Operand)> = (0..record.regions.len() as u32)
        .filter(|region| record.is_condition(*region) && !taken(*region))
        .filter(|region| expanded(record.regions[*region as usize].file))
        .filter_map(|region| Some((region, Operand::of(record, region)?)))
        .collect();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut join = |a: u32, b: u32| {
        let at = |groups: &Vec<Vec<u32>>, it| groups.iter().position(|group| group.contains(&it));
        match (at(&groups, a), at(&groups, b)) {
            (Some(x), Some(y)) if x != y => {
                let moved = groups.remove(x.max(y));
                groups[x.min(y)].extend(moved);
            }
            (Some(x), None) => groups[x].push(b),
            (None, Some(y)) => groups[y].push(a),
            (None, None) => groups.push(vec![a, b]),
            _ => {}
        }
    };
    for (at, (region, operand)) in leaves.iter().enumerate() {
        let partner = leaves
            .iter()
            .find(|(_, left)| operand.right && Some(left.own) == operand.evaluated);
        let before = at.checked_sub(1).map(|before| &leaves[before]);
        if let Some((partner, _)) = partner.or(before.filter(|_| operand.right)) {
            join(*partner, *region);
        }
        if operand.or
            && !operand.right
            && let Some((next, _)) = leaves.get(at + 1)
        {
            join(*region, *next);
        }
    }
    let decision = |mut group: Vec<u32>| {
        group.sort_unstable();
        let first = &record.regions[group[0] as usize];
        let place = (first.file, first.range);
        Decision::with_problem(Problem::Unreadable, Origin::Shape, place, group)
    };
    groups.into_iter().map(decision).collect()
}

/// A condition by its counts.
struct Operand {
    /// The counter of its own.
    own: u32,
    /// Of an operator's right operand: the counter of how often it is evaluated.
    evaluated: Option<u32>,
    right: bool,
    /// Its own counter says how often it was false.
    or: bool,
}

impl Operand {
    fn of(record: &FunctionCoverage, region: u32) -> Option<Operand> {
        let known = &record.regions[region as usize];
        let (own, other, or) = match (known.count, known.false_count()?) {
            (Counter::Counter(own), other) => (own, other, false),
            (other, Counter::Counter(own)) => (own, other, true),
            _ => return None,
        };
        let code = |region: &Region| {
            matches!(region.kind, RegionKind::Code | RegionKind::Gap)
                && region.count == Counter::Counter(own)
        };
        let evaluated = match other {
            Counter::Expr(index) => match record.expressions.get(index as usize)?.lhs {
                Counter::Counter(evaluated) => Some(evaluated),
                _ => None,
            },
            _ => None,
        };
        Some(Operand {
            own,
            evaluated,
            right: !record.regions.iter().any(code),
            or,
        })
    }
}

fn leaf(
    program: &Program,
    record: &FunctionCoverage,
    condition: &outcome_edges::Condition,
    branches: &dyn Fn(SiteId) -> Option<Loc>,
) -> Option<Leaf> {
    let site = condition.site?;
    let single =
        |edges: &OutcomeEdges| matches!(edges, OutcomeEdges::AnyOf(edges) if edges.len() == 1);
    if program.sites[site].kind != SiteKind::Branch || !condition.outcomes.iter().all(single) {
        return None;
    }
    let region = &record.regions[condition.region as usize];
    Some(Leaf {
        region: condition.region,
        site,
        file: condition.file,
        range: condition.range,
        expanded: region.range != condition.range,
        branch: branches(site),
    })
}

/// Chains of conditions with operators between them.
fn groups(leaves: &[Leaf]) -> Vec<Vec<Leaf>> {
    let mut groups = Vec::new();
    let mut taken = vec![false; leaves.len()];
    for first in 0..leaves.len() {
        if taken[first] {
            continue;
        }
        let mut group = vec![leaves[first]];
        taken[first] = true;
        let mut at = first;
        while let Some(operator) = leaves[at].operator() {
            let behind = |(_, other): &(usize, &Leaf)| {
                other.file == leaves[first].file && other.start() > operator
            };
            let Some((next, leaf)) = leaves.iter().enumerate().skip(at + 1).find(behind) else {
                break;
            };
            if std::mem::replace(&mut taken[next], true) {
                break;
            }
            group.push(*leaf);
            at = next;
        }
        if group.len() > 1 {
            groups.push(group);
        }
    }
    groups
}

fn decision(
    program: &Program,
    record: &FunctionCoverage,
    flow: &Flow<'_>,
    outcomes: &[outcome_edges::Condition],
    group: &[Leaf],
) -> Decision {
    let (first, last) = (&group[0], &group[group.len() - 1]);
    let range = SourceRange {
        line: first.range.line,
        col: first.range.col,
        end_line: last.range.end_line,
        end_col: last.range.end_col,
    };
    let file = |leaf: &Leaf| {
        let local = record.files.iter().position(|file| *file == leaf.file);
        local
            .and_then(|local| u32::try_from(local).ok())
            .unwrap_or(0)
    };
    let refused = |problem| {
        let regions = group.iter().map(|leaf| leaf.region);
        Decision::with_problem(problem, Origin::Shape, (file(first), range), regions)
    };
    if group.len() > MAX_CONDITIONS {
        return refused(Problem::TooManyConditions);
    }
    // Several conditions of one macro have one place: which of them comes next cannot be told.
    let shared = |leaf: &Leaf| {
        leaf.expanded
            && outcomes
                .iter()
                .filter(|condition| condition.range == leaf.range)
                .count()
                > 1
    };
    if group.iter().any(shared) {
        return refused(Problem::Unreadable);
    }
    let edges: Vec<[EdgeId; 2]> = group
        .iter()
        .map(|leaf| edges_of(outcomes, leaf.region))
        .collect();
    let Some(conditions) = conditions(program, record, flow, group, &edges) else {
        return refused(Problem::Unreadable);
    };
    Decision {
        origin: Origin::Shape,
        problem: None,
        file: file(first),
        range,
        conditions,
    }
}

/// The edges false and true of a leaf's condition.
fn edges_of(outcomes: &[outcome_edges::Condition], region: u32) -> [EdgeId; 2] {
    let found = outcomes.iter().find(|condition| condition.region == region);
    let edge = |side: usize| match found.map(|condition| &condition.outcomes[side]) {
        Some(OutcomeEdges::AnyOf(edges)) => edges[0],
        _ => unreachable!("a leaf has an edge for each outcome"),
    };
    [edge(0), edge(1)]
}

fn conditions(
    program: &Program,
    record: &FunctionCoverage,
    flow: &Flow<'_>,
    group: &[Leaf],
    edges: &[[EdgeId; 2]],
) -> Option<Vec<Condition>> {
    let blocks: Vec<_> = group
        .iter()
        .map(|leaf| program.sites[leaf.site].block)
        .collect();
    let inside = flow.between(blocks[0], &blocks[1..]);
    let mut next = Vec::new();
    for sides in edges {
        let mut pair = [None; 2];
        for (side, edge) in sides.iter().enumerate() {
            let target = program.edges[*edge].target?;
            let met = flow.first_of(target, &inside, &blocks)?;
            pair[side] = met.and_then(|met| u16::try_from(met).ok());
        }
        next.push(pair);
    }
    let later = |(at, pair): (usize, &[Option<u16>; 2])| {
        pair.iter().flatten().all(|next| usize::from(*next) > at)
    };
    if !next.iter().enumerate().all(later) {
        return None;
    }
    let exits: Vec<outcome::Exit> = (0..)
        .zip(next.iter().zip(edges))
        .flat_map(|(at, (pair, edges))| {
            (0..2)
                .filter(|side| pair[*side].is_none())
                .map(move |side| outcome::Exit {
                    condition: at,
                    side: side == 1,
                    edge: edges[side],
                })
        })
        .collect();
    let counters = group
        .iter()
        .map(|leaf| record.regions[leaf.region as usize]);
    let last = group.len() - 1;
    let end = group[last].range;
    let values = outcome::values(
        program,
        flow,
        &exits,
        last,
        &counters.collect::<Vec<_>>(),
        outcome::then_count(record, group[last].region, (end.end_line, end.end_col)),
    )?;
    let value_of = |at: usize, side: usize| {
        let exit = exits
            .iter()
            .position(|exit| (exit.condition, exit.side) == (at, side == 1))?;
        Some(Next::End(values[exit]))
    };
    let mut conditions = Vec::new();
    for (at, (leaf, pair)) in group.iter().zip(&next).enumerate() {
        let to = |side: usize| match pair[side] {
            Some(next) => Some(Next::Condition(next)),
            None => value_of(at, side),
        };
        conditions.push(Condition {
            region: leaf.region,
            next: [to(0)?, to(1)?],
        });
    }
    Some(conditions)
}
