//! The loops of a function, and how often they go round.
//!
//! A loop is bounded by a counter that starts with a constant, grows by a constant, and is compared with a constant in each round; or
//! by the inputs that it asks for in each round, since a run may ask for so many only.

use std::collections::BTreeSet;

use super::{MOST_ASKED, MOST_COST, constant, ones};
use crate::cfg::Cfg;
use crate::dom::Dominators;
use crate::function::Function;
use crate::graph;
use crate::id::{BlockId, ValueId};
use crate::inst::{Op, Terminator};
use crate::op::{BinOp, CastOp};
use crate::operand::Operand;
use crate::types::Type;

/// Rounds of one loop that are counted.
const MOST_ROUNDS: u64 = 100_000;
/// Definitions that are followed from a condition to a counter.
const DEPTH: u32 = 8;

/// The loops of one function.
pub(super) struct Loops<'a> {
    function: &'a Function,
    cfg: &'a Cfg,
    dominators: Dominators,
}

impl<'a> Loops<'a> {
    pub(super) fn new(function: &'a Function, cfg: &'a Cfg) -> Loops<'a> {
        Loops {
            function,
            cfg,
            dominators: Dominators::new(cfg),
        }
    }

    /// How often each of some blocks runs at most in one call; `None` for those of loops that nothing bounds. `asking`: blocks that
    /// ask for an input each time.
    pub(super) fn rounds(
        &self,
        blocks: BTreeSet<BlockId>,
        asking: &BTreeSet<BlockId>,
    ) -> Vec<(BlockId, Option<u64>)> {
        let mut all = Vec::new();
        let mut work = vec![(blocks, 1u64)];
        while let Some((blocks, times)) = work.pop() {
            for members in self.components(&blocks) {
                let first = *members.first().expect("a component has a member");
                let is_loop = members.len() > 1 || self.cfg.successors(first).any(|to| to == first);
                if !is_loop {
                    all.push((first, Some(times)));
                    continue;
                }
                let bound = self.counted(&members).map(|(head, rounds)| {
                    let times = times.saturating_mul(rounds.saturating_add(1));
                    (BTreeSet::from([head]), times)
                });
                let bound = bound.filter(|(_, times)| *times <= MOST_COST).or_else(|| {
                    // All rounds of such loops ask for one of the same inputs, so they do not multiply.
                    let here: BTreeSet<BlockId> = members.intersection(asking).copied().collect();
                    (!here.is_empty()).then_some((here, times.max(MOST_ASKED)))
                });
                match bound {
                    Some((always, times)) => {
                        let inner = members.difference(&always).copied().collect();
                        all.extend(always.into_iter().map(|block| (block, Some(times))));
                        work.push((inner, times));
                    }
                    None => all.extend(members.into_iter().map(|block| (block, None))),
                }
            }
        }
        all.sort_unstable();
        all
    }

    /// The head of a loop that a counter bounds, and how often it goes round.
    fn counted(&self, members: &BTreeSet<BlockId>) -> Option<(BlockId, u64)> {
        let head = self.head(members)?;
        Some((head, self.bound(members, head)?))
    }

    /// Strongly connected parts of some blocks.
    fn components(&self, blocks: &BTreeSet<BlockId>) -> Vec<BTreeSet<BlockId>> {
        let list: Vec<BlockId> = blocks.iter().copied().collect();
        let number = |block: &BlockId| list.binary_search(block).ok().map(|at| at as u32);
        let mut edges = Vec::new();
        for (from, block) in (0u32..).zip(&list) {
            let next = self.cfg.successors(*block);
            edges.extend(next.filter_map(|to| Some((from, number(&to)?))));
        }
        let (component, count) = graph::components(list.len(), &edges);
        let mut parts = vec![BTreeSet::new(); count as usize];
        for (block, own) in list.into_iter().zip(component) {
            parts[own as usize].insert(block);
        }
        parts
    }

    /// The only block by which control comes into a loop.
    fn head(&self, members: &BTreeSet<BlockId>) -> Option<BlockId> {
        let is_entry = |block: &BlockId| {
            *block == Function::ENTRY
                || self
                    .cfg
                    .predecessors(*block)
                    .any(|from| self.cfg.is_reachable(from) && !members.contains(&from))
        };
        let mut entries = members.iter().filter(|block| is_entry(block));
        let head = *entries.next()?;
        (entries.next().is_none() && head != Function::ENTRY).then_some(head)
    }

    /// Rounds of a loop that some counter bounds.
    fn bound(&self, members: &BTreeSet<BlockId>, head: BlockId) -> Option<u64> {
        let latches = self.cfg.predecessors(head);
        let latches: Vec<BlockId> = latches.filter(|from| members.contains(from)).collect();
        let runs_each_round = |block: &BlockId| {
            let mut latches = latches.iter();
            latches.all(|latch| self.dominators.dominates(*block, *latch))
        };
        let tests = members.iter().copied().filter(runs_each_round);
        let counters: Vec<Counter> = self.counters(members, head);
        tests
            .flat_map(|block| counters.iter().map(move |counter| (block, counter)))
            .find_map(|(block, counter)| self.bounded_by(members, block, counter))
    }

    /// Variables that go up or down by the same number in each round.
    fn counters(&self, members: &BTreeSet<BlockId>, head: BlockId) -> Vec<Counter> {
        let phis = self.function.insts(head).map_while(|(value, inst)| {
            let Op::Phi { incoming } = &inst.op else {
                return None;
            };
            Some((value, incoming))
        });
        phis.filter_map(|(value, incoming)| self.counter(members, value, incoming))
            .collect()
    }

    fn counter(
        &self,
        members: &BTreeSet<BlockId>,
        value: ValueId,
        incoming: &[(BlockId, Operand)],
    ) -> Option<Counter> {
        let (inner, outer): (Vec<_>, Vec<_>) = incoming
            .iter()
            .partition(|(from, _)| members.contains(from));
        let mut steps = inner.into_iter().map(|(_, next)| {
            let Op::Bin { op, lhs, rhs } = &self.function.inst(next.value()?)?.op else {
                return None;
            };
            let (bits, by) = constant(rhs).filter(|_| lhs.value() == Some(value))?;
            match op {
                BinOp::Add => Some(by),
                BinOp::Sub => Some(by.wrapping_neg() & ones(bits)),
                _ => None,
            }
        });
        let step = steps.next()??;
        let starts: Option<Vec<_>> = outer.into_iter().map(|(_, from)| constant(from)).collect();
        let starts = starts?;
        let (bits, _) = *starts.first()?;
        (step != 0 && steps.all(|other| other == Some(step))).then_some(Counter {
            value,
            bits,
            step,
            starts: starts.into_iter().map(|(_, start)| start).collect(),
        })
    }

    /// Rounds until a test that runs in each of them sends control out of the loop.
    fn bounded_by(
        &self,
        members: &BTreeSet<BlockId>,
        block: BlockId,
        counter: &Counter,
    ) -> Option<u64> {
        let Terminator::CondBr {
            cond, then, els, ..
        } = &self.function.blocks[block].terminator
        else {
            return None;
        };
        let stays = match (members.contains(then), members.contains(els)) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        let Op::ICmp { pred, lhs, rhs } = &self.function.inst(cond.value()?)?.op else {
            return None;
        };
        let mut most = 0;
        for start in &counter.starts {
            let mut now = *start;
            let mut rounds = 0;
            loop {
                let (bits, a) = self.at(lhs, (counter, now), DEPTH)?;
                let (_, b) = self.at(rhs, (counter, now), DEPTH)?;
                if pred.holds(bits.clamp(1, 128), a, b) != stays {
                    break;
                }
                rounds += 1;
                if rounds > MOST_ROUNDS {
                    return None;
                }
                now = now.wrapping_add(counter.step) & ones(counter.bits);
            }
            most = most.max(rounds);
        }
        Some(most)
    }

    /// The value of an operand in the round in which the counter has this value.
    fn at(
        &self,
        operand: &Operand,
        (counter, now): (&Counter, u128),
        depth: u32,
    ) -> Option<(u32, u128)> {
        let Operand::Value(value) = operand else {
            return constant(operand);
        };
        if *value == counter.value {
            return Some((counter.bits, now));
        }
        let depth = depth.checked_sub(1)?;
        match &self.function.inst(*value)?.op {
            Op::Bin { op, lhs, rhs } => {
                let (bits, a) = self.at(lhs, (counter, now), depth)?;
                let (_, b) = self.at(rhs, (counter, now), depth)?;
                let result = match op {
                    BinOp::Add => a.wrapping_add(b),
                    BinOp::Sub => a.wrapping_sub(b),
                    _ => return None,
                };
                Some((bits, result & ones(bits)))
            }
            Op::Cast { op, value: from } => {
                let (bits, known) = self.at(from, (counter, now), depth)?;
                let Type::Int(to) = self.function.values[*value].ty else {
                    return None;
                };
                match op {
                    CastOp::ZExt => Some((to, known)),
                    CastOp::Trunc => Some((to, known & ones(to))),
                    CastOp::SExt => Some((to, signed(bits, known) as u128 & ones(to))),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// A variable that grows by `step` in each round, modulo its width.
struct Counter {
    value: ValueId,
    bits: u32,
    step: u128,
    starts: Vec<u128>,
}

fn signed(bits: u32, value: u128) -> i128 {
    let unused = 128 - bits.clamp(1, 128);
    ((value << unused) as i128) >> unused
}
