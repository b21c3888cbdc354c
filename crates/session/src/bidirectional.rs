//! Looking backward while the campaign goes on: from everything that would cover an open goal, in turns, joined with the runs of tests.
//!
//! Must hold: a goal is refuted only if it follows from edges and functions that no run comes to; what one of them costs is bounded,
//! and comes back later for more; the order depends on nothing but what the campaign told.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use backward::Proofs;
use coverage::{GoalId, Goals, Relevance, Touch};
use explore::backward::{Backward, Looked, Wanted};
use machine::Machine;
use path::InputVector;
use program::regions::Regions;
use program::stops::Sure;
use program::{EdgeId, FuncId, Function, Program, SiteKind};
use proof::clauses::Part;
use proof::{Effects, Fact, closed};
use smt::{Budget, Solver};
use symcretic::{Beside, Given, Goal, Joint, Limits, Place, Progress, Quest, ROUNDS, Search};

use crate::called::CalledWith;
use crate::error::Result;
use crate::looks::{Left, Looks};

/// What one query may cost, in the solver's units, and in the worst case.
const QUERY: Budget = Budget {
    units: 1_000_000,
    millis: 2_000,
};
/// Conditions that an answer names.
const NAMED: usize = 5;
/// Terms at which everything is begun anew.
const TERMS: usize = 2 << 20;
/// Bytes of a term with what belongs to it, about.
const TERM_BYTES: usize = 128;
/// Stretches that are gone back in a moment.
const STRETCHES: u32 = 8;
/// Moments that a target has when its turn comes first: about what one round back of a loop takes that switches over fifty states. Twice
/// as many each time after.
const MOMENTS: u32 = 64;
/// Moments in which conditions that wait are joined with runs that came since.
const MOMENTS_TO_JOIN: u32 = 4;
/// Searches that are put aside, to be taken up again.
const ASIDE: usize = 256;
/// Rounds of a loop that paths go at most: twice as many each time that fewer led nowhere.
const MOST_ROUNDS: u32 = 48;
/// Tests whose runs are made again when everything is begun anew.
const TESTS: usize = 48;
/// Moments that a query counts for which the solver gives up, and evaluations that count as one: they take as long.
const UNANSWERED: u64 = 2_048;
const EVALUATIONS: u64 = 64;
/// Moments that a target has had before parts of the program are looked at for it, unless there is nothing else to do: most need fewer.
const BEFORE_LOOKS: u64 = 448;

/// What looking backward stands on.
#[derive(Clone)]
pub struct Setup {
    /// Edges that no run takes.
    pub dead: BTreeSet<EdgeId>,
    /// Control may come from where the model does not say: nothing is refuted.
    pub wild: bool,
    /// What goes on beside the calls that the program makes.
    pub beside: Beside,
    /// Where runs do not end.
    pub sure: Sure,
    /// How the machine runs the program; `None` if it does not model all of it.
    pub machine: Option<machine::Config>,
}

/// What goes on beside the calls of a program.
#[must_use]
pub fn beside(program: &Program, foreign: bool) -> Beside {
    let proof::Sharing { all, mapped } = proof::Sharing::of(program, foreign);
    Beside {
        anytime: program::following::entered_anytime(program, foreign),
        shared: all,
        mapped,
        foreign,
        regions: Regions::of(program, foreign, wire::libc::MODEL_PREFIX).map(Arc::new),
        ..Beside::default()
    }
}

/// What is known of the calls of all runs.
#[must_use]
pub fn effects<'p>(program: &'p Program, beside: &Beside) -> closed::Effects<'p> {
    closed::Effects::with(program, beside.foreign, beside.regions.clone())
}

impl Setup {
    /// With what is proved of a program, and what the words of its command line exclude; `foreign`: it is linked with code that is not in
    /// the model.
    pub(crate) fn of(
        (model, foreign): (&Program, bool),
        (proofs, called): (&Proofs, Option<&CalledWith>),
        machine: Option<machine::Config>,
    ) -> Setup {
        let excluded = called.into_iter().flat_map(CalledWith::dead);
        let results = called.map(|called| called.said.results.clone());
        Setup {
            dead: proofs.dead.iter().copied().chain(excluded).collect(),
            wild: !proofs.ordered,
            sure: proofs.sure.clone(),
            beside: Beside {
                results: results.unwrap_or_default(),
                ..beside(model, foreign)
            },
            machine,
        }
    }

    /// What is known of a program.
    pub(crate) fn given<'p>(&self, model: &'p Program) -> Given<'p> {
        Given {
            program: model,
            dead: self.dead.clone(),
            // Models of 32 bits are younger, and nothing holds their proofs against runs yet.
            wild: self.wild || model.layout.pointer_bits != 64,
            beside: self.beside.clone(),
        }
    }

    /// A search without a goal.
    ///
    /// # Errors
    /// There is no solver.
    pub fn search<'p>(&self, model: &'p Program, limits: Limits) -> Result<Search<'p>> {
        Ok(Search::new(self.given(model), solver()?, limits))
    }

    /// What finds out what holds in parts of the program, if control comes only from where the model says.
    fn looks<'p>(&self, model: &'p Program) -> Option<Looks<'p>> {
        (!self.wild).then(|| Looks::new(&effects(model, &self.beside)))
    }

    /// What joins its states with runs, if the machine runs the program.
    ///
    /// # Errors
    /// There is no solver.
    pub fn joint<'p>(&self, model: &'p Program) -> Result<Option<Joint<'p>>> {
        let machine = self.machine.as_ref();
        let machine = machine.and_then(|config| Machine::new(model, config.clone()).ok());
        match machine {
            Some(machine) => Ok(Some(Joint::new(machine, solver()?))),
            None => Ok(None),
        }
    }
}

/// What answers a search backward.
pub(crate) fn solver() -> Result<Solver> {
    let config = smt::Config {
        budget: QUERY,
        ..smt::Config::default()
    };
    Ok(Solver::new(smt::backend::default()?, config))
}

/// Something that covers goals.
struct Target {
    touch: Touch,
    goals: Vec<GoalId>,
    /// How far the search from it has come, if it was put aside.
    quest: Option<Quest>,
    /// How often it had its turn.
    turns: u32,
    /// Moments that it had, in all.
    spent: u64,
    /// Runs that there were when its search was put aside.
    joined: u64,
    /// How often paths go round a loop.
    rounds: u32,
    /// What holds anyway was among the conditions: it is not, at first.
    whole: bool,
    /// Nothing was left to do after so many runs.
    done: Option<u64>,
    /// No run comes to it.
    is_dead: bool,
    /// Parts of the program that are to be looked at for something that excludes it.
    left: Left,
}

/// Looks backward from what covers open goals.
pub struct Bidirectional<'p> {
    setup: Setup,
    model: &'p Program,
    effects: Effects<'p>,
    search: Search<'p>,
    joint: Option<Joint<'p>>,
    looks: Option<Looks<'p>>,
    targets: Vec<Target>,
    /// The target that is looked at, and the moments that are left of its turn.
    current: Option<(usize, u32)>,
    /// The turn before was one to join what waits with new runs.
    was_joining: bool,
    aside: usize,
    facts: Vec<Fact>,
    refuted: BTreeSet<GoalId>,
    tests: VecDeque<InputVector>,
}

impl<'p> Bidirectional<'p> {
    /// For the goals of a program.
    ///
    /// # Errors
    /// There is no solver.
    pub fn new(setup: Setup, model: &'p Program, goals: &'p Goals) -> Result<Bidirectional<'p>> {
        let facts = setup.dead.iter().map(|edge| Fact::Edge {
            edge: edge.as_u32(),
        });
        Ok(Bidirectional {
            search: setup.search(model, Limits::default())?,
            joint: setup.joint(model)?,
            looks: setup.looks(model),
            effects: Effects::where_sure(model, goals, setup.sure.clone()),
            targets: targets(model, goals),
            current: None,
            was_joining: false,
            aside: 0,
            facts: facts.collect(),
            refuted: BTreeSet::new(),
            tests: VecDeque::new(),
            setup,
            model,
        })
    }

    /// Is there something to be gained by coming to a target, and anything to do for it?
    fn is_wanted(&self, target: &Target, wanted: &Wanted<'_>) -> bool {
        let runs = self.joint.as_ref().map_or(0, Joint::runs);
        target.done.is_none_or(|done| done < runs) && self.is_worth_it(target, wanted)
    }

    /// Is there something to be gained by coming to a target, or by a proof that no run does?
    fn is_worth_it(&self, target: &Target, wanted: &Wanted<'_>) -> bool {
        let is_new = match target.touch {
            Touch::Edge(edge) => wanted.hits[edge] == 0,
            _ => true,
        };
        is_new && !target.is_dead && target.goals.iter().any(|goal| (wanted.is_open)(*goal))
    }

    /// The target whose turn it is: those that had fewest, those that runs came near first.
    fn next(&self, wanted: &Wanted<'_>) -> Option<usize> {
        let targets = self.targets.iter().enumerate();
        targets
            .filter(|(_, target)| self.is_wanted(target, wanted))
            .min_by_key(|(index, target)| (target.turns, !self.is_near(target, wanted), *index))
            .map(|(index, _)| index)
    }

    /// Did runs come to a target's decision?
    fn is_near(&self, target: &Target, wanted: &Wanted<'_>) -> bool {
        match target.touch {
            Touch::Edge(edge) => {
                let site = self.model.edges[edge].site;
                let mut edges = self.model.edges_of(site);
                edges.any(|edge| wanted.hits[edge] > 0)
            }
            _ => false,
        }
    }

    /// The target whose look costs least, of those that runs came near; `idle`: even of those that had few moments.
    fn next_to_look_at(&self, wanted: &Wanted<'_>, idle: bool) -> Option<usize> {
        let targets = self.targets.iter().enumerate();
        // What costs least is asked first: most moments find nothing here.
        let due = targets.filter_map(|(index, target)| {
            let is_due = idle || target.spent >= BEFORE_LOOKS;
            let due = target.left.due().filter(|_| is_due)?;
            let is_looked_at = self.is_near(target, wanted) && self.is_worth_it(target, wanted);
            is_looked_at.then_some((due, index))
        });
        due.min().map(|(_, index)| index)
    }

    /// A target whose conditions wait for runs that came since its search was put aside: what one target needs may be what covered another
    /// one. The one that waits for longest.
    fn next_to_join(&self, wanted: &Wanted<'_>) -> Option<usize> {
        let runs = self.joint.as_ref().map_or(0, Joint::runs);
        let targets = self.targets.iter().enumerate();
        targets
            .filter(|(_, target)| target.quest.is_some() && target.joined < runs)
            .filter(|(_, target)| self.is_wanted(target, wanted))
            .min_by_key(|(index, target)| (target.joined, *index))
            .map(|(index, _)| index)
    }

    /// Puts the search of the current target aside.
    fn put_aside(&mut self) {
        let Some((index, _)) = self.current.take() else {
            return;
        };
        let quest = self.search.resume(Quest::default());
        let target = &mut self.targets[index];
        let is_over = target.is_dead || target.done.is_some();
        target.joined = self.joint.as_ref().map_or(0, Joint::runs);
        if !is_over && self.aside < ASIDE {
            target.quest = Some(quest);
            self.aside += 1;
        }
    }

    fn take_up(&mut self, index: usize, to_join: bool) {
        let target = &mut self.targets[index];
        let moments = match to_join {
            true => MOMENTS_TO_JOIN,
            false => MOMENTS << target.turns.min(8),
        };
        target.turns += u32::from(!to_join);
        self.was_joining = to_join;
        target.done = None;
        self.search.go_round(target.rounds);
        self.search.leave_out(!target.whole);
        match target.quest.take() {
            Some(quest) => {
                self.aside -= 1;
                self.search.resume(quest);
            }
            None => {
                self.search.start(goal_of(target.touch));
            }
        }
        self.current = Some((index, moments));
    }

    /// Begins anew, when there are too many terms.
    fn begin_anew(&mut self) -> Result<()> {
        self.current = None;
        for target in &mut self.targets {
            target.quest = None;
        }
        self.aside = 0;
        self.search = self.setup.search(self.model, Limits::default())?;
        self.joint = self.setup.joint(self.model)?;
        for input in std::mem::take(&mut self.tests) {
            self.learn(&input);
        }
        Ok(())
    }

    /// No run comes to a target: what follows.
    fn refute(&mut self, index: usize, why: Vec<String>) -> Looked {
        let touch = self.targets[index].touch;
        self.targets[index].is_dead = true;
        let mut edges = Vec::new();
        self.facts.extend(fact(touch));
        if let Touch::Edge(edge) = touch {
            self.setup.dead.insert(edge);
            self.search.rule_out(edge);
            edges.push(edge);
        }
        let mut goals = proof::all_that_follow(self.model, &self.effects, &self.facts);
        goals.retain(|goal| self.refuted.insert(*goal));
        Looked::Never {
            goals,
            edges,
            why: why.join("; ").into(),
        }
    }

    /// Looks at a part of the program for a target, if it is time for that; `idle`: nobody else needs the time.
    fn look(&mut self, wanted: &Wanted<'_>, idle: bool) -> Option<Looked> {
        if !self.looks.as_ref()?.is_time() && !idle {
            return None;
        }
        let index = self.next_to_look_at(wanted, idle)?;
        let target = &mut self.targets[index];
        let never = fact(target.touch)?;
        let dead = &self.setup.dead;
        let found = self
            .looks
            .as_mut()?
            .look(&mut target.left, never, (dead, idle));
        Some(match found {
            Some(part) => {
                let why = vec![holds_in(self.model, &part)];
                self.refute(index, why)
            }
            None => Looked::Working,
        })
    }

    /// Begins a search anew that led nowhere, with paths that go round loops more often; false where that was done often enough.
    fn is_begun_again(&mut self, index: usize) -> bool {
        let target = &mut self.targets[index];
        if target.whole && target.rounds >= MOST_ROUNDS {
            return false;
        }
        if target.whole {
            target.rounds *= 2;
        }
        target.whole = true;
        self.search.leave_out(false);
        self.search.go_round(target.rounds);
        self.search.start(goal_of(target.touch));
        true
    }

    /// What took longer than a moment does, in moments: hard queries, and inputs that were looked for step by step.
    fn effort(&self) -> u64 {
        let joint = self.joint.as_ref().map_or(0, Joint::unanswered);
        let evaluations = self.search.quest.stats.evaluations;
        UNANSWERED * (self.search.unanswered() + joint) + evaluations / EVALUATIONS
    }

    fn moment(&mut self, index: usize) -> Looked {
        if let Some(joint) = &mut self.joint
            && let Some(found) = joint.candidate(&mut self.search)
        {
            // One that only may come there is something to be joined with as well.
            if found.vague {
                let _ = joint.observe(&mut self.search, &found.input);
            }
            return Looked::Input(found.input);
        }
        for _ in 0..STRETCHES {
            match self.search.step() {
                Progress::Working => {}
                Progress::Unreachable => {
                    let why = why(self.model, &self.search.quest);
                    return self.refute(index, why);
                }
                Progress::Stuck(_) => {
                    let joint = self.joint.as_ref();
                    if joint.is_none_or(|joint| joint.is_done(&self.search)) {
                        let runs = joint.map_or(0, Joint::runs);
                        if !self.is_begun_again(index) {
                            self.targets[index].done = Some(runs);
                        }
                    }
                    break;
                }
            }
        }
        Looked::Working
    }
}

impl Backward for Bidirectional<'_> {
    fn learn(&mut self, input: &InputVector) {
        if let Some(joint) = &mut self.joint {
            // A run that the machine cannot make is none to be joined with.
            let _ = joint.observe(&mut self.search, input);
            if self.tests.len() == TESTS {
                self.tests.pop_front();
            }
            self.tests.push_back(input.clone());
        }
    }

    fn go_on(&mut self, wanted: &Wanted<'_>) -> Looked {
        if self.search.terms() > TERMS && self.begin_anew().is_err() {
            return Looked::Idle;
        }
        if let Some(looked) = self.look(wanted, false) {
            return looked;
        }
        let goes_on = self.current.filter(|(index, moments)| {
            *moments > 0 && self.is_wanted(&self.targets[*index], wanted)
        });
        if goes_on.is_none() {
            self.put_aside();
            let waiting = self.next_to_join(wanted).filter(|_| !self.was_joining);
            let Some(next) = waiting.or_else(|| self.next(wanted)) else {
                return self.look(wanted, true).unwrap_or(Looked::Idle);
            };
            self.take_up(next, waiting.is_some());
        }
        let Some((index, left)) = self.current else {
            return Looked::Idle;
        };
        let before = self.effort();
        let looked = self.moment(index);
        let spent = 1 + self.effort().saturating_sub(before);
        self.current = Some((index, left - 1));
        self.targets[index].spent += spent;
        if let Some(looks) = &mut self.looks {
            looks.pass(spent);
        }
        looked
    }

    fn bytes(&self) -> usize {
        self.search.terms() * TERM_BYTES
    }
}

/// One that is made when it has its first turn: most searches come to no such turn.
pub struct WhenAsked<'p> {
    model: &'p Program,
    goals: &'p Goals,
    /// What it is made from, until then.
    setup: Option<Setup>,
    made: Option<Bidirectional<'p>>,
}

impl<'p> WhenAsked<'p> {
    /// For the goals of a program.
    #[must_use]
    pub fn new(setup: Setup, model: &'p Program, goals: &'p Goals) -> WhenAsked<'p> {
        WhenAsked {
            model,
            goals,
            setup: Some(setup),
            made: None,
        }
    }

    /// Nothing where there is no solver.
    fn made(&mut self) -> Option<&mut Bidirectional<'p>> {
        if let Some(setup) = self.setup.take() {
            self.made = Bidirectional::new(setup, self.model, self.goals).ok();
        }
        self.made.as_mut()
    }
}

impl Backward for WhenAsked<'_> {
    fn learn(&mut self, input: &InputVector) {
        if let Some(made) = self.made() {
            made.learn(input);
        }
    }

    fn go_on(&mut self, wanted: &Wanted<'_>) -> Looked {
        self.made().map_or(Looked::Idle, |made| made.go_on(wanted))
    }

    fn bytes(&self) -> usize {
        self.made.as_ref().map_or(0, Backward::bytes)
    }
}

/// Everything that covers a goal, and which goals.
fn targets(model: &Program, goals: &Goals) -> Vec<Target> {
    let relevance = Relevance::new(model, goals);
    let mut by_touch: BTreeMap<Touch, Vec<GoalId>> = BTreeMap::new();
    for (goal, _) in goals.iter() {
        for touch in relevance.touches(goal) {
            by_touch.entry(*touch).or_default().push(goal);
        }
    }
    let is_place = |touch: &Touch| !matches!(touch, Touch::End(..));
    by_touch
        .into_iter()
        .filter(|(touch, _)| is_place(touch))
        .map(|(touch, goals)| Target {
            touch,
            goals,
            quest: None,
            turns: 0,
            spent: 0,
            joined: 0,
            rounds: ROUNDS,
            whole: false,
            done: None,
            is_dead: false,
            left: Left::default(),
        })
        .collect()
}

fn goal_of(touch: Touch) -> Goal {
    match touch {
        Touch::Edge(edge) => Goal::Edge(edge),
        Touch::Entry(function) | Touch::End(function, _) => Goal::Place(Place {
            function,
            block: Function::ENTRY,
            at: 0,
        }),
    }
}

/// What no run does where it comes to a place.
fn fact(touch: Touch) -> Option<Fact> {
    match touch {
        Touch::Edge(edge) => Some(Fact::Edge {
            edge: edge.as_u32(),
        }),
        Touch::Entry(function) => Some(Fact::Block {
            function: function.as_u32(),
            block: Function::ENTRY.as_u32(),
        }),
        Touch::End(..) => None,
    }
}

/// How the words begin that say where something holds that excludes a goal.
pub const HOLDS: &str = "what holds in every round of the loops of";

/// Where something holds that excludes a target, in words.
pub(crate) fn holds_in(program: &Program, part: &Part) -> String {
    let name = |function: u32| &program.functions[FuncId::from_u32(function)].name;
    let place = match (part.function, part.followed.is_empty()) {
        (Some(function), true) => format!("`{}`, whatever it is given", name(function)),
        (Some(function), false) => {
            format!(
                "`{}` and what it calls, whatever it is given",
                name(function)
            )
        }
        (None, _) => "the program, from its start".to_owned(),
    };
    format!("{HOLDS} {place}, excludes it")
}

/// The conditions that exclude each other, those that did it most often first.
#[must_use]
pub fn why(program: &Program, quest: &Quest) -> Vec<String> {
    let mut edges: Vec<(&EdgeId, &u64)> = quest.contradicted.iter().collect();
    edges.sort_by_key(|(edge, count)| (std::cmp::Reverse(**count), **edge));
    let named = edges.into_iter().take(NAMED).filter_map(|(edge, _)| {
        let edge = &program.edges[*edge];
        let site = &program.sites[edge.site];
        let loc = site.loc?;
        let file = program.files.get(loc.file as usize)?;
        let side = match (&site.kind, edge.side) {
            (SiteKind::Switch { cases, .. }, side) => match cases.get(side as usize) {
                Some(case) => format!("case {case}"),
                None => "default".to_owned(),
            },
            (_, 0) => "false".to_owned(),
            _ => "true".to_owned(),
        };
        Some(format!("{file}:{}:{} {side}", loc.line, loc.col))
    });
    let named: Vec<String> = named.collect();
    let mut lines = vec![
        "going backward, each way to it ends in conditions that exclude each other".to_owned(),
    ];
    lines.extend(
        named
            .into_iter()
            .map(|place| format!("contradicted: {place}")),
    );
    lines
}
