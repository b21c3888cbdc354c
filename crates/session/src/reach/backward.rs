//! From the targets backward, before the search: inputs that should reach them, and proofs that none does.
//!
//! Must hold: nothing is refuted whose places are not all unreachable; the inputs are proposals, which the campaign runs like any
//! other; a part of the time only is spent, whatever a target is like.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backward::horn::Prover;
use coverage::Goals;
use coverage::target::{Place, Target};
use path::{InputVector, Run, Step};
use program::{BlockId, EdgeId, FuncId, Function, Loc, Program};
use proof::opening::Said;
use proof::{End, Fact};
use smt::Steps;
use symcretic::{Beside, Goal, Hindrance, Limits, Progress};
use values::Told;

use crate::bidirectional::{Setup, beside, effects, holds_in, why};
use crate::called::{CalledWith, told};
use crate::error::Result;
use crate::timer::Timer;

/// Inputs that are tried for one place.
const RUNS: usize = 64;

/// The part of a target's time in which allocations are taken to succeed.
const LUCKY_PART: u32 = 4;

/// When what holds in loops is looked for, in parts of a place's time, and what that may cost: going back round loops may have no end.
const HELD: [(u32, Steps); 2] = [(16, Steps(512)), (2, Steps(20_000))];
/// The part of a place's time that this may take at most.
const HELD_PART: u32 = 4;

/// Times that paths go round a loop, where fewer came to nothing.
const DEEPER: [u32; 2] = [16, 64];

/// Why no run takes a side that the value analysis refutes with these words only.
const NEVER: &str = "with the words of the command line, no run takes it";

/// What is asked.
pub struct Backward<'a> {
    pub model: &'a Program,
    pub goals: &'a Goals,
    pub foreign: bool,
    /// What the value analysis says may be used.
    pub values: bool,
    /// How the machine runs the program; `None` if it does not model all of it.
    pub machine: Option<machine::Config>,
    /// The words of the command line, if they say something.
    pub called: Option<&'a CalledWith>,
    /// Allocations that fail are inputs.
    pub failing: bool,
    /// The first input.
    pub initial: InputVector,
    /// How long all targets together may take.
    pub time: Duration,
}

/// What came of one target.
#[derive(Clone, Debug, Default)]
pub struct Looked {
    /// Why no input reaches it, in words: one line each.
    pub never: Option<Vec<String>>,
    /// An input that the machine says reaches it.
    pub input: Option<InputVector>,
    /// What kept the search from an answer.
    pub stuck: Option<String>,
    /// Nothing leads to it where every allocation succeeds.
    pub unlucky: bool,
    /// What was said rests on the words that the program is called with.
    pub as_called: bool,
    pub segments: u64,
    pub evaluations: u64,
    /// What it took.
    pub seconds: f64,
}

impl Looked {
    /// Where all allocations succeed, this came of the target.
    fn luck(&mut self, lucky: &Looked) {
        self.segments += lucky.segments;
        self.evaluations += lucky.evaluations;
        if lucky.never.is_some() {
            let why =
                "no way leads to it unless an allocation fails (`--sym-fail` makes that an input)";
            self.stuck = Some(why.to_owned());
            self.unlucky = true;
        } else if self.input.is_none() && lucky.input.is_some() {
            self.input.clone_from(&lucky.input);
        }
    }

    /// There is nothing left to search.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.never.is_some() || self.input.is_some()
    }
}

/// What is known of a program, in which world.
struct Known<'a> {
    values: Arc<values::Analysis>,
    told: Told,
    /// What goes on beside its calls.
    beside: Beside,
    /// Looks for what holds in parts of it, once that was asked for.
    prover: OnceCell<RefCell<Prover<'a>>>,
}

impl<'a> Backward<'a> {
    /// Looks backward from each target in turn, but for those that are refuted already.
    ///
    /// # Errors
    /// There is no solver.
    pub fn look(
        &self,
        targets: &[Target],
        is_refuted: &dyn Fn(&Target) -> bool,
    ) -> Result<Vec<Looked>> {
        let known = &self.known(false);
        // Analysed when it is asked for first.
        let lucky = &OnceCell::new();
        let mut left = self.time;
        let mut all = Vec::new();
        for (index, target) in targets.iter().enumerate() {
            let began = Instant::now();
            let share = left / u32::try_from(targets.len() - index).unwrap_or(u32::MAX);
            let mut looked = match is_refuted(target) {
                true => Looked::default(),
                false => self.target(target, known, share)?,
            };
            let is_open = looked.stuck.is_some() && !looked.is_decided();
            if is_open && !self.failing && self.allocates() {
                let lucky = lucky.get_or_init(|| self.known(true));
                let share = share.max(began.elapsed()) / LUCKY_PART;
                looked.luck(&self.target(target, lucky, share)?);
            }
            looked.seconds = began.elapsed().as_secs_f64();
            all.push(looked);
            left = left.saturating_sub(began.elapsed());
        }
        Ok(all)
    }

    /// What is known of the program, with these words; `lucky`: where every allocation succeeds.
    fn known(&self, lucky: bool) -> Known<'a> {
        let nothing = Said::default();
        let said = self.called.map_or(&nothing, |called| &called.said);
        let told = told(said, lucky);
        let made = || {
            let limits = values::Limits::default();
            let told = told.clone();
            Arc::new(values::analyse_told(self.model, self.foreign, told, limits))
        };
        let known = self.called.filter(|_| !lucky);
        let known = known.and_then(|called| called.values.clone());
        Known {
            values: known.unwrap_or_else(made),
            told,
            beside: beside(self.model, self.foreign),
            prover: OnceCell::new(),
        }
    }

    /// Does the program allocate memory?
    fn allocates(&self) -> bool {
        let mut externs = self.model.externs.values();
        externs.any(|known| symcretic::ALLOCATORS.contains(&&*known.name))
    }

    fn target(&self, target: &Target, known: &Known<'a>, time: Duration) -> Result<Looked> {
        let mut looked = Looked {
            as_called: !(known.told.results.is_empty() && known.told.never.is_empty()),
            ..Looked::default()
        };
        if target.never.is_some() {
            return Ok(looked);
        }
        let mut never = Vec::new();
        let places = match target.places.is_empty() {
            true => {
                looked.stuck = Some("its place is known by its line alone".to_owned());
                self.by_lines(target)
            }
            false => target.places.clone(),
        };
        for place in &places {
            let share = time / u32::try_from(places.len()).unwrap_or(u32::MAX);
            match self.place(*place, known, (share, &mut looked))? {
                Some(why) => never.extend(why),
                None if looked.input.is_some() => return Ok(looked),
                None => {}
            }
        }
        if looked.stuck.is_none() {
            // Several ways to the target end in the same conditions.
            let mut said = BTreeSet::new();
            never.retain(|line| said.insert(line.clone()));
            looked.never = Some(never);
        }
        Ok(looked)
    }

    /// The first code in the regions of a target's goals, where no place is known that is exactly they.
    fn by_lines(&self, target: &Target) -> Vec<Place> {
        let regions = target.goals.iter().filter_map(|goal| {
            let goal = self.goals.get(*goal);
            let record = &self.model.coverage[goal.record as usize];
            Some((
                record.function?,
                record.regions.get(goal.region as usize)?.range,
            ))
        });
        let places = regions.filter_map(|(function, range)| {
            let body = &self.model.functions[function];
            let within = |loc: Loc| {
                let at = (loc.line, loc.col);
                ((range.line, range.col)..=(range.end_line, range.end_col)).contains(&at)
            };
            let mut found: Vec<((u32, u32), BlockId)> = Vec::new();
            for (block, data) in body.blocks.iter() {
                let insts = body.insts(block).filter_map(|(_, inst)| inst.loc);
                let first = insts.chain(data.loc).filter(|loc| within(*loc)).min();
                found.extend(first.map(|loc| ((loc.line, loc.col), block)));
            }
            let (_, block) = found.into_iter().min()?;
            Some(Place::Block { function, block })
        });
        places.collect()
    }

    /// Looks backward from one place; why it is never reached, if that is so.
    fn place(
        &self,
        place: Place,
        known: &Known<'a>,
        (time, looked): (Duration, &mut Looked),
    ) -> Result<Option<Vec<String>>> {
        let began = Instant::now();
        let told = &known.told;
        let setup = Setup {
            dead: match self.values {
                true => known
                    .values
                    .dead
                    .keys()
                    .chain(&told.never)
                    .copied()
                    .collect(),
                false => told.never.clone(),
            },
            wild: known.values.blockers.iter().any(is_unseen),
            sure: known.values.sure.clone(),
            beside: Beside {
                results: told.results.clone(),
                lucky: told.lucky,
                ..known.beside.clone()
            },
            machine: self.machine.clone(),
        };
        if let Place::Edge(edge) = place
            && setup.dead.contains(&edge)
        {
            return Ok(Some(vec![NEVER.to_owned()]));
        }
        let mut search = setup.search(self.model, Limits::default())?;
        search.start(goal(self.model, place));
        let mut joint = setup.joint(self.model)?;
        let mut next = joint.is_some().then(|| self.initial.clone());
        let mut runs = 0;
        let mut deeper = DEEPER.into_iter();
        let mut looks = HELD[..].iter().filter(|_| !setup.wild).peekable();
        let mut is_stuck = false;
        let said = loop {
            let is_due = |(part, _): &&(u32, Steps)| is_stuck || began.elapsed() >= time / *part;
            if let Some((_, steps)) = looks.next_if(is_due) {
                let most = (*steps, time / HELD_PART);
                if let Some(why) = self.held(place, known, (&setup.dead, most))? {
                    break Ok(Some(why));
                }
            }
            if began.elapsed() >= time {
                break Err("its part of the time was spent".to_owned());
            }
            if let (Some(joint), Some(input)) = (&mut joint, next.take()) {
                runs += 1;
                let run = joint.observe(&mut search, &input);
                if run.is_ok_and(|run| comes_to(self.model, run, place)) {
                    looked.input = Some(input);
                    break Ok(None);
                }
            }
            if runs < RUNS
                && let Some(joint) = &mut joint
                && let Some(found) = joint.candidate(&mut search)
            {
                next = Some(found.input);
                continue;
            }
            match search.step() {
                Progress::Working => {}
                Progress::Unreachable => break Ok(Some(why(self.model, &search.quest))),
                Progress::Stuck(_)
                    if runs < RUNS
                        && joint.as_ref().is_some_and(|joint| !joint.is_done(&search)) => {}
                Progress::Stuck(_) if looks.peek().is_some() => is_stuck = true,
                Progress::Stuck(why) => match deeper.next() {
                    // Nobody knows how often a loop has to be gone round.
                    Some(rounds) => {
                        looked.segments += search.quest.stats.segments;
                        looked.evaluations += search.quest.stats.evaluations;
                        search.go_round(rounds);
                        search.start(goal(self.model, place));
                    }
                    None => break Err(words(&why)),
                },
            }
        };
        looked.segments += search.quest.stats.segments;
        looked.evaluations += search.quest.stats.evaluations;
        Ok(match said {
            Ok(why) => why,
            Err(stuck) => {
                looked.stuck = Some(stuck);
                None
            }
        })
    }

    /// Looks for what holds in the loops of parts of the program so that no run comes to a place, for so many steps each, and so much time
    /// of the processor; why it does not, if that is found. `dead`: edges that no run takes.
    fn held(
        &self,
        place: Place,
        known: &Known<'a>,
        (dead, (steps, time)): (&BTreeSet<EdgeId>, (Steps, Duration)),
    ) -> Result<Option<Vec<String>>> {
        let never = [match place {
            Place::Edge(edge) => Fact::Edge {
                edge: edge.as_u32(),
            },
            _ => {
                let (function, block) = place.block(self.model);
                Fact::Block {
                    function: function.as_u32(),
                    block: block.as_u32(),
                }
            }
        }];
        let made = || RefCell::new(Prover::new(&effects(self.model, &known.beside)));
        let mut prover = known.prover.get_or_init(made).borrow_mut();
        let timer = Timer::new(time, End::default());
        for part in prover.parts(&never) {
            let budget = (steps, timer.end());
            if prover.look(&part, dead, &never, budget)?.is_ok() {
                return Ok(Some(vec![holds_in(self.model, &part)]));
            }
        }
        Ok(None)
    }
}

/// Does control go where neither calls nor handlers lead it?
fn is_unseen(blocker: &values::Blocker) -> bool {
    use values::Blocker;
    match blocker {
        Blocker::NoEntry | Blocker::Uses(_) => true,
        // What may be entered from outside is known by its functions.
        Blocker::ForeignCode
        | Blocker::FindsNames
        | Blocker::Anytime(_)
        | Blocker::Constructors
        | Blocker::Budget => false,
    }
}

fn goal(program: &Program, place: Place) -> Goal {
    let at = |function: FuncId, block: BlockId, at: usize| {
        Goal::Place(symcretic::Place {
            function,
            block,
            at,
        })
    };
    match place {
        Place::Edge(edge) => Goal::Edge(edge),
        Place::Entry(function) => at(function, Function::ENTRY, 0),
        Place::Block { function, block } => at(function, block, 0),
        Place::Inst { function, inst } => {
            let (_, block) = place.block(program);
            let insts = &program.functions[function].blocks[block].insts;
            at(
                function,
                block,
                insts.iter().position(|other| *other == inst).unwrap_or(0),
            )
        }
    }
}

/// Whether a run takes an edge, or one that leads to the block without a decision between.
fn comes_to(program: &Program, run: &Run, place: Place) -> bool {
    let takes = |edge: EdgeId| {
        let on_path =
            |step: &Step| matches!(step, Step::Edge { edge: taken, .. } if *taken == edge);
        run.steps.iter().any(on_path) || run.late_edges.iter().any(|(taken, _)| *taken == edge)
    };
    if let Place::Edge(edge) = place {
        return takes(edge);
    }
    let (function, block) = place.block(program);
    let body = &program.functions[function];
    let (mut seen, mut work) = (BTreeSet::new(), vec![block]);
    while let Some(block) = work.pop() {
        if !seen.insert(block) {
            continue;
        }
        let enters = |step: &Step| matches!(step, Step::Call(entered) if *entered == function);
        if block == Function::ENTRY && run.steps.iter().any(enters) {
            return true;
        }
        for (from, data) in body.blocks.iter() {
            let mut ways = data.terminator.successors();
            match data.terminator.site() {
                Some(site) => {
                    let mut edges = program.edges_of(site).zip(ways);
                    if edges.any(|(edge, to)| to == block && takes(edge)) {
                        return true;
                    }
                }
                None if ways.any(|to| to == block) => work.push(from),
                None => {}
            }
        }
    }
    false
}

/// What keeps a proof away.
pub(crate) fn words(why: &BTreeSet<Hindrance>) -> String {
    let said = why.iter().map(|why| match why {
        Hindrance::Start => "a condition for it may hold where the program starts",
        Hindrance::Caller => "something outside of the model may call a function on the way",
        Hindrance::Length => "a way to it is too long",
        Hindrance::Budget => "too many ways lead to it",
        Hindrance::Control => "control may come there in ways that are not followed (handlers, setjmp, code without a model)",
    });
    said.collect::<Vec<_>>().join("; ")
}
