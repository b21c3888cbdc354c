//! The checker: every fact and every certificate of a document, derived anew.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use coverage::{Goals, LineRange, Lines, Pairing, Scope};
use coverage::{criterion, target};
use program::following;
use program::getopt::Word;
use program::{BlockId, EdgeId, FuncId, Function, Program};
use smt::check::{Check, Checker, Steps, Verdict};
use smt::{BackendError, Pool};

use crate::assertion::Invariant;
use crate::certificate::{Called, Certificate, Document, Fact, Inputs, Subject};
use crate::clauses::{self, Interpretation};
use crate::closed::{self, Closed};
use crate::effort::Effort;
use crate::induction;
use crate::kinds::contradiction::Effects;
use crate::kinds::{self, KINDS, Kind, Refusal};
use crate::standing::{self, Claims};
use crate::vc::{Cause, Frame, Places, Walk, Way, entering};

/// What became of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// It was derived anew.
    Yes,
    /// It says itself that it cannot be, and why.
    No(String),
    /// It does not hold, as far as the checker can tell.
    Refused(Refusal),
}

/// What became of each certificate of a document, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub results: Vec<Checked>,
    /// Checks that a solver was asked.
    pub queries: u64,
}

/// What may be spent on one condition.
pub(crate) const BUDGET: Steps = Steps(20_000);

/// Checks a document against the program that it names. `goals`: of the document's criterion, in the whole program.
///
/// # Errors
/// There is no solver.
pub fn check(
    document: &Document,
    subject: &Subject,
    goals: &Goals,
) -> Result<Report, BackendError> {
    // Asked for at the beginning: without a solver nothing can be said.
    (smt::backend::ALL[0].checker)()?;
    let mut context = Context::new(subject, goals, document);
    let results = document
        .certificates
        .iter()
        .map(|certificate| context.certificate(certificate))
        .collect();
    Ok(Report {
        results,
        queries: context.queries,
    })
}

/// The goals that a document's certificates are about: of its criterion, in the whole program.
///
/// # Errors
/// There is no such criterion, or rule for pairs, or the program does not have the lines.
pub fn goals_of(document: &Document, program: &Program) -> Result<Goals, Refusal> {
    let claim = |what: String| Refusal::Claim(what);
    if let Some(range) = document.criterion.strip_prefix("lines:") {
        let range = LineRange::parse(range).map_err(|error| claim(error.to_string()))?;
        let lines = Lines::find(program, &range).map_err(|error| claim(error.to_string()))?;
        let scope = Scope {
            lines: Some(&lines),
            ..Scope::default()
        };
        return Ok(Goals::within(program, &criterion::lines::LinesOf, &scope));
    }
    if document.criterion == target::NAME {
        let named = document.certificates.iter().map(|one| one.goal.pick());
        let mut picks = named
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| claim("a goal of a kind that no target has".to_owned()))?;
        picks.sort_unstable();
        picks.dedup();
        return Ok(Goals::picked(program, &picks));
    }
    let pairing = Pairing::ALL
        .into_iter()
        .find(|pairing| pairing.name() == document.pairing);
    let found = pairing.and_then(|pairing| criterion::with_pairing(&document.criterion, pairing));
    match found {
        Some(criterion) => Ok(Goals::new(program, criterion)),
        None => Err(claim(format!(
            "there is no criterion `{}` with pairs `{}`",
            document.criterion, document.pairing
        ))),
    }
}

/// What kinds of certificates check with.
pub struct Context<'a> {
    pub(crate) program: &'a Program,
    pub(crate) goals: &'a Goals,
    /// Others may write to memory at any time.
    shared: bool,
    facts: &'a [Fact],
    /// What became of each fact that was asked for.
    known: Vec<Option<Result<(), Refusal>>>,
    effects: Effects<'a>,
    /// The program is linked with code that is not in the model.
    foreign: bool,
    invariant: Option<&'a Invariant>,
    /// What it proves, once that was asked for.
    proved: Option<Result<Vec<Fact>, Refusal>>,
    standing: Option<&'a Claims>,
    called: Option<&'a Called>,
    /// What became of these two, once that was asked for.
    stands: [Option<Result<(), Refusal>>; 2],
    /// What is known of the calls of all runs, and of those with the words that were asked for last.
    always: OnceCell<Rc<closed::Effects<'a>>>,
    as_called: Option<(Vec<Option<String>>, Rc<closed::Effects<'a>>)>,
    queries: u64,
}

impl<'a> Context<'a> {
    /// What checks the certificates of a document.
    pub(crate) fn new(
        subject: &'a Subject,
        goals: &'a Goals,
        document: &'a Document,
    ) -> Context<'a> {
        let facts = document.facts.as_slice();
        let program = &subject.program;
        Context {
            program,
            goals,
            shared: is_shared(program, subject.foreign),
            facts,
            known: vec![None; facts.len()],
            effects: Effects::new(program, goals),
            foreign: subject.foreign,
            invariant: document.invariant.as_ref(),
            proved: None,
            standing: document.standing.as_ref(),
            called: document.called.as_ref(),
            stands: [None, None],
            always: OnceCell::new(),
            as_called: None,
            queries: 0,
        }
    }

    fn certificate(&mut self, certificate: &Certificate) -> Checked {
        let Some(kind) = by_name(&certificate.kind) else {
            return Checked::Refused(Refusal::NoKind(certificate.kind.clone()));
        };
        let Some(goal) = certificate.goal.find(self.program, self.goals) else {
            return Checked::Refused(Refusal::NoGoal);
        };
        let says_no = certificate.checked.strip_prefix("no: ");
        match (kind.check(self, goal, &certificate.body), says_no) {
            (Ok(()), None) if certificate.checked == "yes" => self.for_all(certificate),
            (Err(Refusal::NeedsSearch(why)), Some(said)) if why == said => Checked::No(why),
            (Err(Refusal::NeedsSearch(_)), _) | (Ok(()), _) => {
                Checked::Refused(Refusal::Claim(format!("checked: {}", certificate.checked)))
            }
            (Err(refusal), _) => Checked::Refused(refusal),
        }
    }

    /// What was derived from the model alone holds for all inputs, and for no others; what was derived from the words of the command
    /// line, for these words.
    fn for_all(&self, certificate: &Certificate) -> Checked {
        let own = kinds::backward::declared(&certificate.body);
        let claim = |what: &str| Checked::Refused(Refusal::Claim(what.to_owned()));
        match (&certificate.inputs, own) {
            (Inputs::All, None) => Checked::Yes,
            (Inputs::Declared(said), Some(own)) if *said == own => Checked::Yes,
            (_, Some(_)) => claim("it holds for the words of its command line"),
            (Inputs::Declared(_), None) => claim("it holds for all inputs"),
        }
    }

    /// What the document's invariant proves; it is checked once.
    pub(crate) fn invariant(&mut self) -> Result<Vec<Fact>, Refusal> {
        if self.proved.is_none() {
            let invariant = self.invariant.ok_or(Refusal::NotThere)?;
            let effects = self.runs(None);
            let effort = Effort::questions(induction::QUESTIONS);
            let found = induction::check(&effects, invariant, effort);
            self.queries += found.as_ref().map_or(0, |proved| proved.queries);
            self.proved = Some(found.map(|proved| proved.facts));
        }
        self.proved.clone().unwrap_or(Err(Refusal::NotThere))
    }

    /// The same, where a certificate claims that it can be checked.
    pub(crate) fn claimed_invariant(&mut self) -> Result<Vec<Fact>, Refusal> {
        self.invariant().map_err(Refusal::of_claim)
    }

    /// What the document's claims about any time say that no run does; they are checked once. `words`: for runs with these words.
    pub(crate) fn standing(
        &mut self,
        words: Option<&[Option<String>]>,
    ) -> Result<Vec<Fact>, Refusal> {
        let claims = match (words, self.called) {
            (Some(words), Some(called)) if *words == called.words => Some(&called.claims),
            (Some(_), _) => None,
            (None, _) => self.standing,
        };
        let claims = claims.ok_or(Refusal::NotThere)?;
        let at = usize::from(words.is_some());
        if self.stands[at].is_none() {
            let effects = self.runs(words);
            let effort = Effort::questions(standing::QUESTIONS);
            let found = standing::check(&effects, claims, effort);
            self.queries += found.as_ref().map_or(0, |queries| *queries);
            self.stands[at] = Some(found.map(|_| ()).map_err(Refusal::of_claim));
        }
        match &self.stands[at] {
            Some(Err(refusal)) => Err(refusal.clone()),
            _ => Ok(claims.never.clone()),
        }
    }

    /// What is known of the calls of a program's runs; `words`: of those with these words.
    fn runs(&mut self, words: Option<&[Option<String>]>) -> Rc<closed::Effects<'a>> {
        let made = |words: Option<&[Word]>| {
            Rc::new(closed::Effects::new(self.program, self.foreign, words))
        };
        let Some(words) = words else {
            return Rc::clone(self.always.get_or_init(|| made(None)));
        };
        match &self.as_called {
            Some((known, effects)) if known == words => Rc::clone(effects),
            _ => {
                let effects = made(Some(&kinds::backward::words(words)));
                self.as_called = Some((words.to_vec(), Rc::clone(&effects)));
                effects
            }
        }
    }

    /// What no run does with some words of the command line.
    pub(crate) fn excluded(&mut self, words: &[Option<String>]) -> Vec<Fact> {
        self.runs(Some(words)).said().facts()
    }

    /// Derives that no run does what some facts say, by a closed set of states.
    pub(crate) fn closed(
        &mut self,
        closed: &Closed,
        (dead, words): (&BTreeSet<EdgeId>, Option<&[Option<String>]>),
        never: &[Fact],
    ) -> Result<(), Refusal> {
        let effects = self.runs(words);
        let effort = Effort::questions(closed::QUESTIONS);
        self.queries += closed::check(&effects, dead, closed, never, effort)?;
        Ok(())
    }

    /// Derives that no run does what some facts say, by what holds at points of the program.
    pub(crate) fn clauses(
        &mut self,
        interpretation: &Interpretation,
        dead: &BTreeSet<EdgeId>,
        never: &[Fact],
    ) -> Result<(), Refusal> {
        let effects = self.runs(None);
        let effort = Effort::questions(clauses::QUESTIONS);
        self.queries += clauses::check(&effects, interpretation, dead, never, effort)?;
        Ok(())
    }

    pub(crate) fn effects(&self) -> &Effects<'a> {
        &self.effects
    }

    /// The facts of the document that a certificate rests on, by their indices: in order, none twice, each derived anew.
    pub(crate) fn facts(&mut self, numbers: &[u32]) -> Result<Vec<Fact>, Refusal> {
        if !numbers.is_sorted_by(|a, b| a < b) {
            return Err(Refusal::Body("facts are not in order".to_owned()));
        }
        numbers.iter().map(|&number| self.fact(number)).collect()
    }

    fn fact(&mut self, number: u32) -> Result<Fact, Refusal> {
        let at = number as usize;
        let fact = *self.facts.get(at).ok_or(Refusal::NotThere)?;
        if self.known[at].is_none() {
            self.known[at] = Some(self.derive(fact));
        }
        match &self.known[at] {
            Some(Err(refusal)) => Err(refusal.clone()),
            _ => Ok(fact),
        }
    }

    /// Refutes all that must hold where something happens.
    fn derive(&mut self, fact: Fact) -> Result<(), Refusal> {
        let function = fact.function(self.program).ok_or(Refusal::NotThere)?;
        let (program, shared) = (self.program, self.shared);
        let body = &program.functions[function];
        if body.blocks.is_empty() || body.library {
            return Err(Refusal::NotThere);
        }
        let mut pool = Pool::new();
        let mut frame = Frame::new(program, body, &mut pool);
        let places = Places::new(program, function);
        let mut walk = Walk::new(&mut frame, shared);
        match fact {
            Fact::Edge { edge } => {
                let edge = EdgeId::from_u32(edge);
                let from = leaves(program, body, edge).ok_or(Refusal::NotThere)?;
                lead_to(&mut walk, &places, from);
                let condition = walk.condition(from, edge);
                let condition =
                    condition.ok_or_else(|| not_refuted(fact, "nothing is known of it"))?;
                walk.suppose(Some(Cause::Edge(edge)), condition);
            }
            Fact::Block { block, .. } => {
                let block = BlockId::from_u32(block);
                if !places.blocks().any(|known| known == block) || block == Function::ENTRY {
                    return Err(Refusal::NotThere);
                }
                suppose_entering(&mut walk, &places, block);
            }
        }
        self.refute(&walk, &|verdict| not_refuted(fact, verdict))
    }

    /// Asks a fresh solver whether all that is held can hold.
    pub(crate) fn refute(
        &mut self,
        walk: &Walk<'_, '_>,
        refusal: &dyn Fn(&str) -> Refusal,
    ) -> Result<(), Refusal> {
        self.queries += 1;
        let Ok(backend) = (smt::backend::ALL[0].checker)() else {
            return Err(refusal("there is no solver"));
        };
        let pool = &*walk.frame.pool;
        let mut checker = Checker::new(backend);
        for &term in walk.held() {
            checker.assert(pool, term);
        }
        let asked = Check {
            budget: BUDGET,
            ..Check::new(&[])
        };
        match checker.check(pool, &asked) {
            Verdict::Unsat(_) => Ok(()),
            Verdict::Sat(_) => Err(refusal("there is a state that does it")),
            Verdict::Unknown(why) => Err(refusal(&why.to_string())),
        }
    }

    /// Whether others may write to memory at any time.
    pub(crate) const fn is_shared(&self) -> bool {
        self.shared
    }
}

fn by_name(name: &str) -> Option<&'static dyn Kind> {
    KINDS.iter().copied().find(|kind| kind.name() == name)
}

fn not_refuted(fact: Fact, verdict: &str) -> Refusal {
    let what = match fact {
        Fact::Edge { edge } => EdgeId::from_u32(edge).to_string(),
        Fact::Block { function, block } => format!(
            "{} of {}",
            BlockId::from_u32(block),
            FuncId::from_u32(function)
        ),
    };
    Refusal::NotRefuted {
        what,
        verdict: verdict.to_owned(),
    }
}

/// The block that an edge leaves, if it leaves it by its terminator and the block can be reached at all.
fn leaves(program: &Program, body: &Function, edge: EdgeId) -> Option<BlockId> {
    let site = program.edges.get(edge)?.site;
    let block = program.sites.get(site)?.block;
    (body.blocks.get(block)?.terminator.site() == Some(site)).then_some(block)
}

/// Blocks of a path that is followed back where there is only one way.
const BLOCKS: usize = 200;

/// Walks to the end of a block on the only way that leads there, as far back as there is only one, and supposes all that is
/// decided on it and before it.
pub(crate) fn lead_to(walk: &mut Walk<'_, '_>, places: &Places, block: BlockId) {
    let mut chain: Vec<(Way, BlockId)> = Vec::new();
    let mut root = block;
    while root != Function::ENTRY
        && let Some(way) = places.only_way(root)
        && chain.len() < BLOCKS
    {
        chain.push((way, root));
        root = way.from;
    }
    suppose_entering(walk, places, root);
    walk.block(root, None);
    for (way, to) in chain.into_iter().rev() {
        if let Some(edge) = way.edge
            && let Some(condition) = walk.condition(way.from, edge)
        {
            walk.suppose(Some(Cause::Edge(edge)), condition);
        }
        walk.block(to, Some(way.from));
    }
}

fn suppose_entering(walk: &mut Walk<'_, '_>, places: &Places, block: BlockId) {
    for known in entering(walk, places, block) {
        walk.suppose(Some(known.cause), known.condition);
    }
}

/// Functions that let the kernel or other processes write to memory at any time.
const WRITTEN_FROM_OUTSIDE: &[&str] = &[
    "mmap",
    "mmap64",
    "shmat",
    "aio_read",
    "aio_write",
    "lio_listio",
];

/// Functions of the C library that keep a function for later, and call it while nothing else of the program runs, or in front of the next
/// instruction that does: handlers, and what runs at the end.
const INTERRUPTS: &[&str] = &[
    "signal",
    "__sysv_signal",
    "sysv_signal",
    "bsd_signal",
    "ssignal",
    "sigset",
    "sigaction",
    "atexit",
    "at_quick_exit",
    "on_exit",
    "__cxa_atexit",
];

/// What may write to memory beside the instructions that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// Anything may, at any time: threads, code that is not in the model.
    pub all: bool,
    /// Memory that no object of the program is may change at any time: files that are mapped.
    pub mapped: bool,
}

impl Sharing {
    /// Of a program; `foreign`: it is linked with code that is not in the model. What handlers write is not counted.
    #[must_use]
    pub fn of(program: &Program, foreign: bool) -> Sharing {
        let has = |is: &dyn Fn(&str) -> bool| {
            let mut names = program.externs.values().map(|known| known.name.as_str());
            names.any(is)
        };
        let beside = |name: &str| following::is_calling_later(name) && !INTERRUPTS.contains(&name);
        let maps = |name: &str| matches!(name, "mmap" | "mmap64");
        let written = |name: &str| WRITTEN_FROM_OUTSIDE.contains(&name) && !maps(name);
        Sharing {
            all: foreign || has(&beside) || has(&written),
            mapped: has(&maps),
        }
    }
}

/// May others write to memory at any time? `foreign`: the program is linked with code that is not in the model.
#[must_use]
pub fn is_shared(program: &Program, foreign: bool) -> bool {
    // Handlers and threads; exit handlers are among them, though they write at the end only.
    let others = foreign || !following::entered_anytime(program, foreign).is_empty();
    let mut names = program.externs.values().map(|known| known.name.as_str());
    others || names.any(|name| WRITTEN_FROM_OUTSIDE.contains(&name))
}
