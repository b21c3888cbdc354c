//! Runs and their states: what a run did becomes states of the graph, and conditions are joined with them (algorithm 1).

use std::rc::Rc;

use machine::{Course, Machine};
use path::{InputVector, Run, Step, Target as _};
use program::{FuncId, ValueId};
use smt::{Answer, Effort, Query, Solver, Term};

use super::{Block, Executed, Gcfg, RState, SState, Verdict};
use crate::join::{Resolved, append, prefix, resolved};
use crate::state::{Place, State};

/// Runs that were made.
pub(super) struct Runs<'p> {
    machine: Machine<'p>,
    solver: Solver,
    made: Vec<Made>,
}

struct Made {
    run: Rc<Run>,
    course: Option<Course>,
}

impl<'p> Runs<'p> {
    pub(super) fn new(machine: Machine<'p>, solver: Solver) -> Runs<'p> {
        Runs {
            machine,
            solver,
            made: Vec::new(),
        }
    }

    pub(super) fn inputs(&self) -> impl Iterator<Item = &InputVector> {
        self.made.iter().map(|made| &made.run.input)
    }
}

impl Gcfg<'_> {
    /// Makes the run of an input: its states join the graph, and what it takes is covered.
    pub(super) fn observe(&mut self, input: &InputVector) {
        if self.runs.made.len() >= super::RUNS {
            self.cut = true;
            return;
        }
        let pool = &mut self.search.language.pool;
        let Ok(run) = self.runs.machine.run(pool, input) else {
            return;
        };
        let run = Rc::new(run);
        let number = self.runs.made.len();
        self.runs.made.push(Made {
            run: Rc::clone(&run),
            course: None,
        });
        self.add_states(number, &run);
    }

    fn add_states(&mut self, number: usize, run: &Run) {
        let Some(root) = self.search.root() else {
            return;
        };
        let steps = run.steps.iter().enumerate();
        let mut steps: Vec<(usize, Step)> = steps
            .filter(|(_, step)| self.is_seen(step))
            .map(|(at, step)| (at, *step))
            .collect();
        // What the machine calls first is the program's start.
        if let Some((_, Step::Call(first))) = steps.first()
            && *first == root
        {
            steps.remove(0);
        }
        let mut calls: Vec<Place> = Vec::new();
        let mut before = None;
        let mut block = Block::Entry(root);
        for index in 0..=steps.len() {
            let next = steps.get(index);
            let end = next.map(|(at, _)| *at);
            let state = self.add_state(run, (block, &calls, before), (number, end));
            before = Some(state);
            let Some((at, step)) = next else { return };
            match step {
                Step::Edge { edge, .. } => block = Block::Side(*edge),
                Step::Call(callee) => {
                    let Some((id, value)) = self.call_at(block, *callee) else {
                        return;
                    };
                    let call = Block::Call(id, value);
                    let own = (call, calls.as_slice(), before);
                    before = Some(self.add_state(run, own, (number, Some(*at))));
                    calls.extend(self.blocks.end(call));
                    block = Block::Entry(*callee);
                }
                Step::Return(_) => {
                    let Some(place) = self.blocks.end(block) else {
                        return;
                    };
                    let exit = Block::Exit(place.function, place.block);
                    if self.blocks.stretch(exit).is_none() {
                        return;
                    }
                    let own = (exit, calls.as_slice(), before);
                    before = Some(self.add_state(run, own, (number, Some(*at))));
                    let Some(call) = calls.pop() else { return };
                    let caller = &self.program().functions[call.function];
                    let value = caller.blocks[call.block].insts[call.at];
                    block = Block::Return(call.function, value);
                }
                _ => return,
            }
        }
    }

    /// Whether a step of a path is a state of the graph.
    fn is_seen(&self, step: &Step) -> bool {
        let program = self.program();
        let is_own = |id: &FuncId| !program.functions[*id].library;
        match step {
            Step::Edge { edge, .. } => {
                program.edges[*edge].target.is_some() && is_own(&program.function_of(*edge))
            }
            Step::Call(id) | Step::Return(id) => is_own(id),
            Step::Resume(_) => true,
            Step::Constraint { .. } | Step::ReachError => false,
        }
    }

    /// The call of a function that a block ends with.
    fn call_at(&self, block: Block, callee: FuncId) -> Option<(FuncId, ValueId)> {
        let mut after = self.blocks.after(block);
        let call = after.next()?;
        let enters = self
            .blocks
            .after(call)
            .any(|next| next == Block::Entry(callee));
        match call {
            Block::Call(id, value) if enters => Some((id, value)),
            _ => None,
        }
    }

    /// The state of a run at the end of a block; one that came there on the same way before is the same.
    fn add_state(
        &mut self,
        run: &Run,
        (block, calls, before): (Block, &[Place], Option<SState>),
        (number, end): (usize, Option<usize>),
    ) -> SState {
        if let Some(&known) = self.behind.get(&(before, block)) {
            let own = &mut self.executed[known];
            if own.end.is_none() && end.is_some() {
                (own.run, own.end) = (number, end);
            }
            return known;
        }
        let upto = end.unwrap_or(run.steps.len());
        let path = prefix(&mut self.search, run, upto);
        let state = self.executed.push(Executed {
            block,
            calls: calls.to_vec(),
            before,
            run: number,
            end,
            path,
        });
        self.behind.insert((before, block), state);
        if let Block::Side(edge) = block
            && let Some(verdict) = self.verdicts.get_mut(&edge)
            && *verdict == Verdict::Open
        {
            *verdict = Verdict::Covered(number);
        }
        state
    }

    /// An input that goes on from a state to where a condition holds: one query of the path, the edge, and the condition.
    pub(super) fn forward(&mut self, from: SState, to: RState) -> Option<InputVector> {
        let place = self.blocks.end(self.executed[from].block)?;
        let calls = self.calls_for(from, to);
        let starts = self.reach[to].starts.iter();
        let mut fitting = starts.filter(|start| start.place == place && start.waiting == calls);
        let start = fitting.next()?.clone();
        self.joined(from, &start).map(|(input, _)| input)
    }

    /// An input whose run meets a condition at a state that is there, on the way of that state. Conditions that it meets go.
    pub(super) fn met(&mut self) -> Option<InputVector> {
        let ids: Vec<RState> = self.reach.keys().collect();
        for to in ids {
            if !self.reach[to].is_there || self.reach[to].next.is_none() {
                continue;
            }
            let there = self.executed.iter().filter(|(_, state)| {
                state.block == self.reach[to].block
                    && state.calls.ends_with(&self.reach[to].state.waiting)
            });
            let there: Vec<SState> = there.map(|(id, _)| id).collect();
            for from in there {
                if !self.apart.insert((from, to)) {
                    continue;
                }
                let state = self.reach[to].state.clone();
                if let Some((input, is_own)) = self.joined(from, &state) {
                    self.reach[to].is_there = false;
                    if is_own {
                        break;
                    }
                    return Some(input);
                }
            }
        }
        None
    }

    /// An input whose run is in a state and meets a condition there; whether it is the one of the state's run.
    fn joined(&mut self, from: SState, state: &State) -> Option<(InputVector, bool)> {
        let Executed { run, end, .. } = self.executed[from];
        let run_made = Rc::clone(&self.runs.made[run].run);
        let hint = run_made.input.assignment();
        let Resolved { terms, asked, .. } = self.seen_at((run, end?), state)?;
        let pool = &mut self.search.language.pool;
        let mut goal = pool.bool(true);
        for term in terms {
            goal = pool.and(goal, term);
        }
        if pool.is_false(goal) {
            return None;
        }
        if smt::eval(pool, goal, &hint) == 1 {
            return Some((run_made.input.clone(), true));
        }
        let path: Vec<Term> = self.executed[from].path.clone();
        let query = Query {
            prefix: &path,
            goal,
            hint: &hint,
            effort: Effort::Full,
        };
        let Answer::Sat(found) = self.runs.solver.solve(pool, &query) else {
            return None;
        };
        let mut input = run_made.input.with(&found);
        append(&mut input, (&state.asked, asked), &found);
        Some((input, false))
    }

    /// A condition as a run sees it at a step.
    fn seen_at(&mut self, (run, step): (usize, usize), state: &State) -> Option<Resolved> {
        let is_start = self.search.is_start(state);
        let program = self.search.facts.program;
        let made = &mut self.runs.made[run];
        let hint = made.run.input.assignment();
        let crate::image::Language { pool, atoms } = &mut self.search.language;
        let mut states = match made.course.take() {
            Some(course) => self.runs.machine.again(pool, course),
            None => self.runs.machine.states(pool, &made.run.input).ok()?,
        };
        let found = resolved(
            program,
            atoms,
            &mut states,
            (state, is_start),
            (&hint, step),
        );
        made.course = Some(states.into_course());
        found
    }
}
