//! Events to steps: the words that the program wrote become the path of the run.
//!
//! Must hold: a stream that makes no sense ends the path there, with a flag; nothing panics; every condition that is
//! kept has, by its node, the value that its edge says.

use path::{Class, Compared, Cond, RunFlags, Step, Visits};
use program::SpotId;
use smt::{Pool, Term};
use std::sync::atomic::Ordering::Relaxed;
use wire::event::{self, class, kind, mark};

use crate::modules::ModuleMap;
use crate::segment::{Segment, Word};
use crate::terms::Terms;

/// What the events of a run, or of a part of one, say.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// The steps.
    pub steps: Vec<Step>,
    /// What was special.
    pub flags: RunFlags,
    /// An assumption failed: the run is no test.
    pub assume_failed: bool,
    /// Text that was compared.
    pub compared: Vec<Compared>,
    /// Conditions and constraints among the steps.
    pub decisions: usize,
}

/// Decisions of a path that are read. Each costs a node of the tree and its terms, and what comes so late nobody can
/// solve for.
const MOST_DECISIONS: usize = 1 << 16;

impl Path {
    /// Counts a decision; false if it is one too many.
    fn admits_decision(&mut self) -> bool {
        self.decisions += 1;
        let admitted = self.decisions <= MOST_DECISIONS;
        if !admitted {
            self.flags.insert(RunFlags::DECISIONS_TRUNCATED);
        }
        admitted
    }
}

/// Reads event words.
pub struct Reader<'a> {
    /// Where nodes are.
    pub segment: &'a Segment,
    /// Ids.
    pub modules: &'a ModuleMap,
    /// Terms of this run.
    pub terms: &'a mut Terms,
    /// The pool that they live in.
    pub pool: &'a mut Pool,
}

/// One event.
struct Event<'a> {
    kind: u32,
    payload: u32,
    arguments: &'a [Word],
}

impl Event<'_> {
    /// 0 for what the kind does not have.
    fn argument(&self, index: usize) -> u32 {
        self.arguments
            .get(index)
            .map_or(0, |word| word.load(Relaxed))
    }
}

/// The event made no sense, or ends behind the last word: the path ends.
struct Malformed;

/// Calls `visit` with each event.
#[inline]
fn each_event(
    words: &[Word],
    mut visit: impl FnMut(&Event<'_>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    let mut rest = words;
    while let [first, more @ ..] = rest {
        let (event, next) = first_event(first.load(Relaxed), more)?;
        rest = next;
        visit(&event)?;
    }
    Ok(())
}

/// The event that begins with this word, and what comes behind it.
#[inline]
fn first_event(first: u32, more: &[Word]) -> Result<(Event<'_>, &[Word]), Malformed> {
    let (kind, payload) = event::parts(first);
    let (arguments, next) = more
        .split_at_checked(event::words(kind) - 1)
        .ok_or(Malformed)?;
    let event = Event {
        kind,
        payload,
        arguments,
    };
    Ok((event, next))
}

/// Counts the edges of runs without expressions: millions of events a second, of which each must cost little.
#[derive(Debug, Default)]
pub struct Counter {
    /// How often, by run-time id: 0 outside of [`Counter::count`].
    times: Vec<u32>,
    /// The ids that were taken, in the order in which they were taken first.
    taken: Vec<u32>,
}

impl Counter {
    /// Adds the edges of a run to `visits`; says whether one of its assumptions failed.
    pub fn count(&mut self, words: &[Word], modules: &ModuleMap, visits: &mut Visits) -> bool {
        let limit = modules.edge_limit();
        if self.times.len() < limit {
            self.times.resize(limit, 0);
        }
        let mut assume_failed = false;
        let mut last = None;
        let mut rest = words;
        while let [first, more @ ..] = rest {
            let word = first.load(Relaxed);
            // The kind of an edge is 0, so its word is its number.
            if let Some(times) = self.times.get_mut(word as usize) {
                if *times == 0 {
                    self.taken.push(word);
                }
                *times = times.saturating_add(1);
                last = Some(word);
                rest = more;
                continue;
            }
            // What makes no sense ends the run: what was read until there counts.
            let Ok((event, next)) = first_event(word, more) else {
                break;
            };
            rest = next;
            match event.kind {
                kind::EDGE if modules.unknown().is_empty() => break,
                kind::MARK => assume_failed |= event.payload == mark::ASSUME_FAILED,
                _ => {}
            }
        }
        for id in self.taken.drain(..) {
            let times = std::mem::take(&mut self.times[id as usize]);
            if let Some(info) = modules.edge(id) {
                visits.add(info.edge, times.into());
            }
        }
        if let Some(info) = last.and_then(|id| modules.edge(id)) {
            visits.end_with(info.edge);
        }
        assume_failed
    }
}

impl Reader<'_> {
    /// Reads all of `words` and appends to `path`.
    pub fn read(&mut self, words: &[Word], path: &mut Path) {
        path.steps.reserve(words.len());
        let mut switch = None;
        if each_event(words, |event| self.event(event, &mut switch, path)).is_err() {
            let unseen = RunFlags::EVENTS_TRUNCATED.union(RunFlags::UNCOUNTED);
            path.flags.insert(unseen);
        }
    }

    #[inline]
    fn event(
        &mut self,
        event: &Event<'_>,
        switch: &mut Option<Term>,
        path: &mut Path,
    ) -> Result<(), Malformed> {
        let payload = event.payload;
        match event.kind {
            kind::EDGE => self.edge(payload, switch.take(), path),
            kind::EDGE_SYM => self.symbolic_edge(payload, event.argument(0), path),
            kind::SWITCH if !path.admits_decision() => {
                *switch = None;
                Ok(())
            }
            kind::SWITCH => {
                *switch = self.term(event.argument(0));
                switch.map(|_| ()).ok_or(Malformed)
            }
            kind::CALL => self.call(payload, path),
            kind::RETURN => self.function(payload, path, Step::Return),
            kind::CONSTRAINT => {
                self.constraint(payload, event.argument(0), event.argument(1), path)
            }
            kind::INPUT => Ok(()),
            _ => self.mark(payload, event.argument(0), path),
        }
    }

    fn term(&mut self, label: u32) -> Option<Term> {
        self.terms.term(self.pool, self.segment, label)
    }

    /// A condition that rewriting found to be constant decides nothing.
    fn cond(&self, term: Term) -> Option<Cond> {
        self.pool.is_symbolic(term).then_some(Cond { term })
    }

    fn edge(&mut self, id: u32, value: Option<Term>, path: &mut Path) -> Result<(), Malformed> {
        let Some(info) = self.modules.edge(id) else {
            return self.foreign(path);
        };
        // A label on something else than a `switch` is nobody's condition.
        let cond = value
            .filter(|_| info.is_switch)
            .and_then(|term| self.cond(term));
        path.steps.push(Step::Edge {
            edge: info.edge,
            cond,
        });
        Ok(())
    }

    fn symbolic_edge(&mut self, id: u32, label: u32, path: &mut Path) -> Result<(), Malformed> {
        let Some(info) = self.modules.edge(id) else {
            return self.foreign(path);
        };
        if !path.admits_decision() {
            path.steps.push(Step::Edge {
                edge: info.edge,
                cond: None,
            });
            return Ok(());
        }
        let term = self.term(label).ok_or(Malformed)?;
        let value = self.segment.node(label).map(|node| node.value == 1);
        if info.condition.is_none() || self.pool.width(term) != 1 {
            return Err(Malformed);
        }
        if value == info.condition {
            path.steps.push(Step::Edge {
                edge: info.edge,
                cond: self.cond(term),
            });
        } else {
            path.flags.insert(RunFlags::STALE);
            path.steps.push(Step::Edge {
                edge: info.edge,
                cond: None,
            });
        }
        Ok(())
    }

    fn call(&self, id: u32, path: &mut Path) -> Result<(), Malformed> {
        self.function(id, path, Step::Call)?;
        let function = self.modules.function(id);
        if function.is_some_and(|function| self.modules.is_error(function)) {
            path.steps.push(Step::ReachError);
        }
        Ok(())
    }

    fn function(
        &self,
        id: u32,
        path: &mut Path,
        step: impl Fn(program::FuncId) -> Step,
    ) -> Result<(), Malformed> {
        match self.modules.function(id) {
            Some(function) => path.steps.push(step(function)),
            None => return self.foreign(path),
        }
        Ok(())
    }

    fn constraint(
        &mut self,
        number: u32,
        spot: u32,
        label: u32,
        path: &mut Path,
    ) -> Result<(), Malformed> {
        let class = match number {
            class::PIN => Class::Pin,
            class::CHECK => Class::Check,
            class::LIBRARY => Class::Library,
            class::ASSUME => Class::Assume,
            _ => return Err(Malformed),
        };
        if !path.admits_decision() {
            return Ok(());
        }
        let term = self.term(label).ok_or(Malformed)?;
        if self.pool.width(term) != 1 {
            return Err(Malformed);
        }
        if self.pool.is_true(term) {
            return Ok(());
        }
        if self.pool.is_false(term) || self.segment.node(label).is_none_or(|node| node.value != 1) {
            path.flags.insert(RunFlags::STALE);
            return Ok(());
        }
        // A constraint of the runtime itself has no spot; it holds all the same, so it must not be dropped.
        let spot = self.modules.spot(spot).unwrap_or(SpotId::from_u32(0));
        path.steps.push(Step::Constraint { class, spot, term });
        Ok(())
    }

    fn mark(&mut self, code: u32, argument: u32, path: &mut Path) -> Result<(), Malformed> {
        match code {
            mark::RESUME => return self.function(argument, path, Step::Resume),
            mark::THREADS => path.flags.insert(RunFlags::THREADS),
            mark::FORKED => path.flags.insert(RunFlags::FORKED),
            mark::REACH_ERROR => path.steps.push(Step::ReachError),
            mark::ASSUME_FAILED => path.assume_failed = true,
            mark::EXEC => path.flags.insert(RunFlags::EXEC),
            mark::COMPARED => path.compared.extend(self.compared(argument)),
            _ => return Err(Malformed),
        }
        Ok(())
    }

    /// The comparison in this table.
    fn compared(&mut self, offset: u32) -> Option<Compared> {
        let (_, entries) = self.segment.table(offset)?;
        let of_input = entries.iter().take_while(|(label, _)| *label != 0).count();
        let (text, wanted) = entries.split_at(of_input);
        let text = text.iter().map(|&(label, _)| self.term(label));
        let text: Box<[Term]> = text.collect::<Option<_>>()?;
        let bytes = !text.is_empty() && text.iter().all(|&term| self.pool.width(term) == 8);
        bytes.then(|| Compared {
            text,
            wanted: wanted.iter().map(|&(_, value)| value as u8).collect(),
        })
    }

    /// An id of a module that the model does not have: skipped, if there is such a module; nonsense otherwise.
    fn foreign(&self, path: &mut Path) -> Result<(), Malformed> {
        path.flags.insert(RunFlags::EVENTS_TRUNCATED);
        if self.modules.unknown().is_empty() {
            Err(Malformed)
        } else {
            Ok(())
        }
    }
}
