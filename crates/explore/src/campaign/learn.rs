//! What a campaign takes from a run: tree, coverage, tests.

use std::cell::OnceCell;

use coverage::{GoalId, Hits};
use smt::Pool;

use super::inputs;
use super::room::Room;
use super::{Campaign, Cause, KeptTest, view_of};
use crate::guide::MeasuredRun;
use crate::shown;
use crate::source::News;
use crate::view::{NewPath, Verdict};
use path::tree::Side;
use path::{Candidate, InputVector, Outcome, Run, RunFlags, RunId, Step};

/// Crashes of different causes that are kept.
const MAX_CAUSES: usize = 1000;

/// What is new in a run.
#[derive(Default)]
struct Fresh {
    /// Goals that no test before it covers, or takes.
    goals: Vec<GoalId>,
    /// Those of them that it does not take.
    untaken: Vec<GoalId>,
    /// It may be half of a pair.
    evidence: bool,
}

impl Campaign<'_> {
    /// Gives a side its state, unless a run has taken it.
    pub(super) fn settle(&mut self, candidate: Option<Candidate>, otherwise: Side) -> Verdict {
        let Some(candidate) = candidate else {
            return Verdict::Taken;
        };
        if let Side::Taken(_) = self.tree.side(candidate) {
            return Verdict::Taken;
        }
        self.tree.set(candidate, otherwise);
        match otherwise {
            Side::Unsat => Verdict::Unsat,
            Side::Unknown => Verdict::Unknown,
            Side::Open => Verdict::Lost,
            _ => Verdict::Diverged,
        }
    }

    pub(super) fn tally(&mut self, candidate: Candidate, verdict: Verdict) {
        match verdict {
            Verdict::Taken => self.stats.sat += 1,
            Verdict::Diverged => self.stats.sat += 1,
            Verdict::Unsat => self.stats.unsat += 1,
            Verdict::Unknown => self.stats.unknown += 1,
            Verdict::Lost | Verdict::Irrelevant => {}
        }
        if let Some(edge) = self.tree.edge(candidate) {
            self.tallies[edge].add(verdict);
        }
    }

    pub(super) fn learn(
        &mut self,
        pool: &mut Pool,
        run: Run,
        supplied: &InputVector,
        parent: Option<RunId>,
    ) {
        self.stats.runs += 1;
        let again = self.inputs.was_in_earlier_round(supplied);
        self.rounds.add(again);
        self.inputs.mark(supplied);
        let added = self.tree.insert(self.program, pool, &run);
        self.inputs.push(&run.input);
        self.inputs.mark(&run.input);
        let from = self.lineage.push(parent);
        if again && let Some(test) = self.rounds.test_of(inputs::hash(supplied)) {
            self.lineage.kept(test);
        }
        self.losses.add(&run);
        let taken = self.edges_taken;
        if Room::is_ended(&run) {
            let is_new =
                |step: &Step| matches!(step, Step::Edge { edge, .. } if self.edge_hits[*edge] == 0);
            self.room.note(&run, run.steps.iter().rposition(is_new));
        }
        let hits = self.count(&run, again);
        let fresh = self.cover(&run, &hits);
        let is_new = taken < self.edges_taken || !fresh.goals.is_empty() || fresh.evidence;
        self.came = self
            .watched
            .note(self.program, &run, &hits.edges, &self.edge_hits);
        let new = self.tree.last_path()[added.known..].to_vec();
        if self.relevant.on_path(self.program, &run.steps, new.len()) {
            self.reopen_dropped();
        }
        self.put_off(added.known);
        self.filter_new(&new);
        let values = OnceCell::new();
        let near = MeasuredRun {
            program: self.program,
            tree: &self.tree,
            pool,
            input: &run.input,
            values: &values,
            evaluator: OnceCell::new(),
        };
        let path = NewPath {
            run: added.run,
            nodes: self.tree.last_path(),
            known: added.known,
            edges: &hits.edges,
            outcome: run.outcome,
            near: &near,
        };
        let news = News {
            run: &run,
            runs: self.stats.runs,
            path: &path,
            pool,
            is_new,
            came: &self.came,
        };
        for source in &mut self.sources {
            source.on_run(&view_of!(self), &news);
        }
        if run.outcome == Outcome::AssumeFailed {
            self.stats.assume_failed += 1;
            let index = self.stats.runs as usize - 1;
            if index > 0 && index < self.config.initial.len() {
                self.rejected.push(index);
            }
            return;
        }
        self.keep(from, run, &hits, (fresh, again));
        self.room.idle(self.stats.runs - self.stats.last_new);
    }

    /// `again`: an earlier round ran the input.
    fn count(&mut self, run: &Run, again: bool) -> Hits {
        // Of a run that was cut as well, nobody knows which thread it was.
        let elsewhere = run.flags.contains(RunFlags::THREADS)
            && !run.flags.contains(RunFlags::EVENTS_TRUNCATED);
        let is_cut = !run.flags.complete();
        if is_cut {
            for &(edge, _) in &run.late_edges {
                self.late[edge].taken = true;
                self.late[edge].in_thread |= elsewhere;
            }
        }
        let hits = shown::hits(&mut self.counter, run);
        // The same run once more is no other sample.
        if !again {
            let taken = hits.edges.iter().filter(|(_, count)| *count > 0);
            self.incidence.add(taken.map(|&(edge, _)| edge));
        }
        for &(edge, count) in &hits.edges {
            self.edges_taken += usize::from(self.edge_hits[edge] == 0 && count > 0);
            self.edge_hits[edge] += count;
        }
        for &(function, count) in &hits.functions {
            self.entered[function] += count;
        }
        hits
    }

    /// What a run covers first. What fails an assumption is no test.
    fn cover(&mut self, run: &Run, hits: &Hits) -> Fresh {
        if run.outcome == Outcome::AssumeFailed {
            return Fresh::default();
        }
        let number = self.tests.len() as u32;
        // One half of a pair is kept as well: the other half may come later.
        let evidence = self.goals.want_vectors() && self.ledger.adds_evidence(self.goals, hits);
        let goals = self.ledger.record(self.goals, hits, number);
        self.relevant.on_covered(self.goals, &self.ledger, &goals);
        let untaken = goals.iter().copied();
        let untaken = untaken.filter(|goal| self.ledger.untaken().contains(*goal));
        Fresh {
            untaken: untaken.collect(),
            goals,
            evidence,
        }
    }

    /// Keeps a run as a test if it shows something; `again`: an earlier round ran the input.
    fn keep(&mut self, from: Option<u32>, run: Run, hits: &Hits, (fresh, again): (Fresh, bool)) {
        let Fresh {
            goals,
            untaken,
            evidence,
        } = fresh;
        let keep_all = self.config.keep_all && !again;
        let number = self.tests.len() as u32;
        let cause = Cause::of(&run);
        let new_cause = self.causes.len() < MAX_CAUSES
            && cause
                .as_ref()
                .is_some_and(|cause| self.causes.insert(cause.clone()));
        if !goals.is_empty() || evidence {
            self.figures = self.ledger.figures(self.goals);
            self.complete = self.ledger.is_complete(self.goals);
            self.stats.last_new = self.stats.runs;
        }
        if !goals.is_empty() || evidence || new_cause || keep_all {
            // Where every run is a test, these lists would be most of the memory.
            let shows = (!self.config.keep_all).then(|| self.ledger.shows(self.goals, hits));
            let reach_error = run.steps.contains(&Step::ReachError);
            let Run {
                input,
                outcome,
                flags,
                ..
            } = run;
            self.lineage.kept(number);
            self.tests.push(KeptTest {
                number,
                // The tree counts those of its round.
                run: RunId::from_u32(u32::try_from(self.stats.runs - 1).unwrap_or(u32::MAX)),
                from,
                input,
                outcome,
                flags,
                goals,
                untaken,
                covered: self.figures.own.covered,
                vectors: hits.vectors.clone(),
                shows,
                cause,
                reach_error,
            });
        }
    }
}
