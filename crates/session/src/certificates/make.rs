//! Makes the certificates of a campaign: for each proof one that the checker takes, if one is found in its time.
//!
//! Must hold: each infeasible goal of the report has one.

use native::processor;
use std::cell::{Cell, OnceCell, RefCell};
use std::time::Duration;

use backward::horn::Prover;
use backward::{Proof, Proofs, Why};
use coverage::{GoalId, Goals, Ground};
use path::Role;
use program::{BlockId, EdgeId, Program};
use proof::assertion::Invariant;
use proof::kinds::backward::Followed;
use proof::standing::Claims;
use proof::{
    Certificate, Effects, Effort, End, Fact, GoalName, Grounds, Inputs, Refusal, closed, kinds,
};
use serde_json::json;
use smt::Steps;
use symcretic::Beside;

use crate::bidirectional::{HOLDS, beside, effects};
use crate::called::CalledWith;
use crate::error::Result;
use crate::followed::Follower;
use crate::plan::Plan;
use crate::standing::Standing;
use crate::timer::Timer;

/// Questions to a solver about an invariant before it is written.
const QUESTIONS: u64 = 20_000;
/// Steps of all of them together: some seconds. Once to find the part of an invariant that holds, once to check it.
const STEPS: u64 = 200_000;
/// Steps of one question.
const ONE: Steps = Steps(2_000);

/// Processor time for an invariant of a program that calls functions by their addresses: of many it is not found, and following backward,
/// which does not need it, has its own time.
const BY_ADDRESS: Duration = Duration::from_secs(4);

/// Other ways to a certificate than the first, each with its own processor time for all goals: large programs have thousands.
#[derive(Clone, Copy)]
enum Instead {
    /// Following goals backward that are proved already, but not checked.
    States,
    /// What holds in parts of the program that excludes these.
    Parts,
    /// The same for goals that were found backward, and whose states the checker does not take.
    PartsForStates,
}

impl Instead {
    const COUNT: usize = 3;

    const fn time(self) -> Duration {
        Duration::from_secs(match self {
            Instead::States => 5,
            Instead::Parts => 2,
            Instead::PartsForStates => 6,
        })
    }
}

/// Processor time for following all goals backward, where they are few, and for one of many: one must not have that of all others.
const TOGETHER: Duration = Duration::from_secs(30);
const EACH: Duration = Duration::from_secs(5);

/// Makes the certificates of a campaign.
pub struct Maker<'a> {
    /// The model.
    pub program: &'a Program,
    /// What is to be covered.
    pub goals: &'a Goals,
    /// Refuted before the search.
    pub proofs: &'a Proofs,
    /// What is symbolic.
    pub plan: &'a Plan,
    /// Runs of the search.
    pub runs: u64,
    /// The program is linked with code that is not in the model.
    pub foreign: bool,
    /// Ends it.
    end: End,
    effects: OnceCell<Effects<'a>>,
    /// What is known of the calls of all runs, and of those with the words of the command line.
    calls: [OnceCell<closed::Effects<'a>>; 2],
    /// What goes on beside them.
    beside: OnceCell<Beside>,
    /// What the refutations rest on that follow from facts.
    grounds: OnceCell<RefCell<Grounds<'a>>>,
    /// The words of the command line, and what they say, if that is something.
    pub called: Option<&'a CalledWith>,
    /// What looks for what holds in parts of the program.
    prover: OnceCell<RefCell<Prover<'a>>>,
    /// Processor time spent on each of the other ways.
    instead: [Cell<Duration>; Instead::COUNT],
    /// What is left of the proofs' invariant, and what it proves.
    by_invariant: OnceCell<Result<(Invariant, Vec<Fact>), Refusal>>,
    /// The goals that this refutes, in order.
    by_values: OnceCell<Vec<GoalId>>,
    /// What holds at any time of all runs, and of those with the words of the command line.
    pub(super) standing: [Standing; 2],
    /// The goals that the first refutes, in order.
    at_any_time: OnceCell<Vec<GoalId>>,
}

impl<'a> Maker<'a> {
    /// Of one campaign.
    #[must_use]
    pub fn new(
        (program, goals): (&'a Program, &'a Goals),
        foreign: bool,
        (proofs, called): (&'a Proofs, Option<&'a CalledWith>),
        plan: &'a Plan,
        (runs, end): (u64, End),
    ) -> Maker<'a> {
        Maker {
            program,
            goals,
            proofs,
            plan,
            runs,
            foreign,
            standing: [(); 2].map(|()| Standing::new(end.clone())),
            at_any_time: OnceCell::new(),
            end,
            effects: OnceCell::new(),
            calls: [OnceCell::new(), OnceCell::new()],
            beside: OnceCell::new(),
            grounds: OnceCell::new(),
            called,
            prover: OnceCell::new(),
            instead: [const { Cell::new(Duration::ZERO) }; Instead::COUNT],
            by_invariant: OnceCell::new(),
            by_values: OnceCell::new(),
        }
    }

    /// Why no input covers a goal; `why`: in words, if the search found it.
    #[must_use]
    pub fn certificate(&self, goal: GoalId, ground: Ground, why: &str) -> Certificate {
        let name = GoalName::of(self.program, self.goals, goal);
        let checked = |kind: &str, body| Certificate {
            goal: name.clone(),
            kind: kind.to_owned(),
            inputs: Inputs::All,
            checked: "yes".to_owned(),
            body,
        };
        if let (Ground::Words, Some(called)) = (ground, self.called) {
            return self.by_words(goal, name, (why, called));
        }
        if let Ground::Backward = ground {
            return self.found_backward(goal, name, why);
        }
        let proof = self.proofs.of(goal).filter(|_| ground == Ground::Code);
        let Some(proof) = proof else {
            return self.exhaustion(name);
        };
        if let Why::Coupled {
            decision,
            possible,
            by_values,
            ..
        } = &proof.why
        {
            let by_values: Vec<EdgeId> = by_values.keys().copied().collect();
            let standing = !by_values.is_empty() && self.stand(&by_values);
            if !standing && let Some(refused) = self.without_invariant(&name, proof, &by_values) {
                return refused;
            }
            let count = self.goals.decisions().get(*decision).conditions.len();
            let vectors = possible.iter();
            let mut vectors: Vec<String> = vectors
                .map(|vector| kinds::coupling::name(vector, count))
                .collect();
            vectors.sort();
            let body = kinds::coupling::Body {
                vectors,
                invariant: !by_values.is_empty() && !standing,
                standing,
            };
            return checked("coupling", json!(body));
        }
        if self.end.is_over() {
            return self.not_made(name, proof);
        }
        let effects = self.effects();
        let grounds = self.grounds.get_or_init(|| {
            let facts = &self.proofs.facts;
            RefCell::new(Grounds::new(self.program, facts, effects))
        });
        let enough = grounds.borrow_mut().enough(effects, goal);
        match enough {
            Some(facts) => checked("contradiction", json!({ "facts": facts })),
            None => self.invariant(name, proof, effects),
        }
    }

    /// Do claims about any time say that no run takes these edges, where the invariant does not?
    fn stand(&self, edges: &[EdgeId]) -> bool {
        let proved = self.by_invariant.get_or_init(|| self.proved());
        if proved
            .as_ref()
            .is_ok_and(|(_, facts)| are_dead(self.program, facts, edges))
        {
            return false;
        }
        let claims = self.claims(false);
        claims.is_some_and(|claims| are_dead(self.program, &claims.never, edges))
    }

    /// The certificate of a proof that rests on these edges being dead, where the invariant does not prove that.
    fn without_invariant(
        &self,
        name: &GoalName,
        proof: &Proof,
        edges: &[EdgeId],
    ) -> Option<Certificate> {
        if edges.is_empty() {
            return None;
        }
        if self.end.is_over() {
            return Some(self.not_made(name.clone(), proof));
        }
        let proved = self.by_invariant.get_or_init(|| self.proved());
        match proved {
            Ok((_, facts)) if are_dead(self.program, facts, edges) => None,
            Err(refusal) if is_unfinished(refusal) && self.end.is_over() => {
                Some(self.not_made(name.clone(), proof))
            }
            _ => {
                let says = proof.detail(self.program, self.goals);
                if let Some(other) = self.instead(proof.goal, name, &says) {
                    return Some(other);
                }
                if proved.as_ref().is_err_and(is_unfinished) {
                    return Some(self.not_made(name.clone(), proof));
                }
                let body = kinds::invariant::Body {
                    says,
                    facts: None,
                    not_made: false,
                };
                Some(Certificate {
                    goal: name.clone(),
                    kind: "invariant".to_owned(),
                    inputs: Inputs::All,
                    checked: format!("no: {}", kinds::invariant::WHY),
                    body: json!(body),
                })
            }
        }
    }

    /// Why no input covers a goal, as a search backward found: `why`, in words. `as_called`: with the words of the command line.
    #[must_use]
    pub fn followed(&self, goal: GoalId, why: &str, as_called: bool) -> Certificate {
        let name = GoalName::of(self.program, self.goals, goal);
        if let Some(standing) = self.at_any_time(goal, &name, (why, as_called)) {
            return standing;
        }
        self.backward(goal, name, (why, as_called))
    }

    /// The certificate of a goal that claims about any time refute, if they do: `why`, in words.
    fn at_any_time(
        &self,
        goal: GoalId,
        name: &GoalName,
        (why, as_called): (&str, bool),
    ) -> Option<Certificate> {
        let claims = self.claims(as_called)?;
        let effects = self.effects();
        let follows = match as_called {
            true => proof::follow_from(self.program, effects, &claims.never, goal),
            false => {
                let all = || proof::all_that_follow(self.program, effects, &claims.never);
                let found = self.at_any_time.get_or_init(all);
                found.binary_search(&goal).is_ok()
            }
        };
        follows.then(|| {
            let called = self.called.filter(|_| as_called);
            let body = json!(kinds::standing::Body {
                says: why.to_owned(),
                words: called.and_then(|called| kinds::backward::texts(&called.words)),
            });
            let declared = kinds::backward::declared(&body);
            Certificate {
                goal: name.clone(),
                kind: "standing".to_owned(),
                inputs: declared.map_or(Inputs::All, Inputs::Declared),
                checked: "yes".to_owned(),
                body,
            }
        })
    }

    /// What holds at any time of all runs, or of those with the words of the command line.
    fn claims(&self, as_called: bool) -> Option<&Claims> {
        let [always, called] = &self.standing;
        match as_called {
            true => called.as_called(self.calls(true), self.called?),
            false => always.always(self.calls(false), self.proofs.standing.as_ref()),
        }
    }

    /// What is known of the calls of all runs, or of those with the words of the command line.
    fn calls(&self, as_called: bool) -> &closed::Effects<'a> {
        let made = || effects(self.program, self.beside());
        match self.called.filter(|_| as_called) {
            Some(called) => self.calls[1].get_or_init(|| made().told(called.said.clone())),
            None => self.calls[0].get_or_init(made),
        }
    }

    fn beside(&self) -> &Beside {
        let made = || beside(self.program, self.foreign);
        self.beside.get_or_init(made)
    }

    fn effects(&self) -> &Effects<'a> {
        let made = || Effects::new(self.program, self.goals);
        self.effects.get_or_init(made)
    }

    /// The states that are looked at backward from a goal, if that refutes it.
    ///
    /// # Errors
    /// Why there is nothing that can be checked, in words.
    fn states(&self, goal: GoalId, (as_called, end): (bool, &End)) -> Result<Followed, String> {
        self.by(as_called, end, |follower, standing, invariant| {
            follower.follow(goal, standing, invariant)
        })
    }

    /// The certificate of what holds in a part of the program and excludes a goal, if that is found: `says`, in words.
    fn held(
        &self,
        goal: GoalId,
        name: &GoalName,
        (says, end): (&str, &End),
    ) -> Option<Certificate> {
        let body = self.by(false, end, |follower, standing, invariant| {
            let made = || RefCell::new(Prover::new(self.calls(false)));
            let mut prover = self.prover.get_or_init(made).borrow_mut();
            follower.held(&mut prover, (goal, says), standing, invariant)
        })?;
        Some(Certificate {
            goal: name.clone(),
            kind: "clauses".to_owned(),
            inputs: Inputs::All,
            checked: "yes".to_owned(),
            body: json!(body),
        })
    }

    /// What is found out about a goal, in so much time as each has.
    fn by<T>(
        &self,
        as_called: bool,
        end: &End,
        find: impl FnOnce(&Follower<'_>, More<'_>, More<'_>) -> T,
    ) -> T {
        let effects = self.effects();
        let goals = u32::try_from(self.goals.len()).unwrap_or(u32::MAX).max(1);
        let timer = Timer::new(EACH.max(TOGETHER / goals), end.clone());
        let follower = Follower {
            program: self.program,
            effects,
            calls: self.calls(as_called),
            beside: self.beside(),
            facts: &self.proofs.facts,
            called: self.called.filter(|_| as_called),
            end: timer.end().clone(),
        };
        let mut invariant = || {
            let proved = self.by_invariant.get_or_init(|| self.proved());
            proved.as_ref().ok().map(|(_, facts)| facts.clone())
        };
        let mut standing = || Some(self.claims(as_called)?.never.clone());
        find(&follower, &mut standing, &mut invariant)
    }

    /// Another certificate for what the value analysis proves and the checker does not take, as long as there is time for all such goals.
    fn instead(&self, goal: GoalId, name: &GoalName, says: &str) -> Option<Certificate> {
        let followed = self.within(Instead::States, |end| self.states(goal, (false, end)).ok());
        if let Some(followed) = followed {
            return Some(by_states(name.clone(), says.to_owned(), Ok(followed)));
        }
        self.within(Instead::Parts, |end| self.held(goal, name, (says, end)))
    }

    /// What is found in the time that is left for one of these.
    fn within<T>(&self, which: Instead, find: impl FnOnce(&End) -> Option<T>) -> Option<T> {
        let spent = &self.instead[which as usize];
        let left = which.time().checked_sub(spent.get())?;
        if left.is_zero() || self.end.is_over() {
            return None;
        }
        let begun = processor::used();
        let timer = Timer::new(left, self.end.clone());
        let found = find(timer.end());
        spent.set(spent.get() + processor::used().saturating_sub(begun));
        found
    }

    /// A goal that the words of the command line exclude: `why`, in words.
    fn by_words(
        &self,
        goal: GoalId,
        name: GoalName,
        (why, called): (&str, &CalledWith),
    ) -> Certificate {
        if called.at_once.binary_search(&goal).is_ok() {
            return of_words(name, called, None);
        }
        if let Some(standing) = self.at_any_time(goal, &name, (why, true)) {
            return standing;
        }
        match self.within(Instead::States, |end| self.states(goal, (true, end)).ok()) {
            Some(followed) => by_states(name, why.to_owned(), Ok(followed)),
            None => of_words(name, called, Some(why)),
        }
    }

    /// A proof that looking backward found during the search: for all inputs, or for these words only.
    fn found_backward(&self, goal: GoalId, name: GoalName, why: &str) -> Certificate {
        let always = self.backward(goal, name.clone(), (why, false));
        if always.checked == "yes" || self.called.is_none() {
            return always;
        }
        // What holds in parts of the program knows no words: it was looked for.
        self.at_any_time(goal, &name, (why, true))
            .unwrap_or_else(|| {
                let states = self.states(goal, (true, &self.end));
                by_states(name, why.to_owned(), states)
            })
    }

    /// A proof that a search backward found: `why`, in words.
    fn backward(
        &self,
        goal: GoalId,
        name: GoalName,
        (why, as_called): (&str, bool),
    ) -> Certificate {
        // What found it finds it once more, sooner than the other way does.
        let is_held = why.starts_with(HOLDS);
        let first = is_held.then(|| self.held(goal, &name, (why, &self.end)));
        if let Some(held) = first.flatten() {
            return held;
        }
        let states = self.states(goal, (as_called, &self.end));
        let other = (states.is_err() && !is_held).then(|| {
            self.within(Instead::PartsForStates, |end| {
                self.held(goal, &name, (why, end))
            })
        });
        other
            .flatten()
            .unwrap_or_else(|| by_states(name.clone(), why.to_owned(), states))
    }

    /// A proof that rests on what the variables of the program can be.
    fn invariant(&self, name: GoalName, proof: &Proof, effects: &Effects<'_>) -> Certificate {
        let proved = self.by_invariant.get_or_init(|| self.proved());
        let mut says = proof.detail(self.program, self.goals);
        if let Err(refusal) = proved {
            if let Some(standing) = self.at_any_time(proof.goal, &name, (&says, false)) {
                return standing;
            }
            if is_unfinished(refusal) && self.end.is_over() {
                return self.not_made(name, proof);
            }
        }
        let follows = self
            .by_values
            .get_or_init(|| match proved {
                Ok((_, facts)) => proof::all_that_follow(self.program, effects, facts),
                Err(_) => Vec::new(),
            })
            .binary_search(&proof.goal)
            .is_ok();
        if !follows && let Some(standing) = self.at_any_time(proof.goal, &name, (&says, false)) {
            return standing;
        }
        if !follows && let Some(other) = self.instead(proof.goal, &name, &says) {
            return other;
        }
        if let Err(refusal) = proved {
            if is_unfinished(refusal) {
                return self.not_made(name, proof);
            }
            says = format!("{says} (not proved: {refusal})");
        }
        let body = kinds::invariant::Body {
            says,
            facts: follows.then(Vec::new),
            not_made: false,
        };
        Certificate {
            goal: name,
            kind: "invariant".to_owned(),
            inputs: Inputs::All,
            checked: match follows {
                true => "yes".to_owned(),
                false => format!("no: {}", kinds::invariant::WHY),
            },
            body: json!(body),
        }
    }

    /// A proof for which no certificate was made in time.
    fn not_made(&self, goal: GoalName, proof: &Proof) -> Certificate {
        let body = kinds::invariant::Body {
            says: proof.detail(self.program, self.goals),
            facts: None,
            not_made: true,
        };
        Certificate {
            goal,
            kind: "invariant".to_owned(),
            inputs: Inputs::All,
            checked: format!("no: {}", kinds::invariant::NOT_MADE),
            body: json!(body),
        }
    }

    /// What the checker takes of the value analysis, and what that proves.
    fn proved(&self) -> Result<(Invariant, Vec<Fact>), Refusal> {
        let known = self.proofs.invariant.clone().ok_or(Refusal::TooLarge)?;
        let effects = self.calls(false);
        let limit = match proof::induction::calls_by_address(effects) {
            true => BY_ADDRESS,
            false => Duration::MAX,
        };
        let timer = Timer::new(limit, self.end.clone());
        let effort = Effort::questions(QUESTIONS)
            .steps(STEPS, ONE)
            .until(timer.end().clone());
        let invariant = proof::induction::weaken(effects, known, effort.clone())?;
        let proved = proof::induction::check(effects, &invariant, effort)?;
        Ok((invariant, proved.facts))
    }

    /// The invariant, if one was asked for and found.
    pub(super) fn invariant_found(&self) -> Option<Invariant> {
        let found = self.by_invariant.get()?.as_ref().ok()?;
        Some(found.0.clone())
    }

    /// What an exhausted search says.
    fn exhaustion(&self, goal: GoalName) -> Certificate {
        Certificate {
            goal,
            kind: "exhaustion".to_owned(),
            inputs: Inputs::Declared(self.declared()),
            checked: format!("no: {}", kinds::exhaustion::WHY),
            body: json!({ "runs": self.runs }),
        }
    }

    /// The inputs that were declared, in words.
    fn declared(&self) -> Vec<String> {
        let streams = self.plan.streams().iter().map(|stream| {
            let what = match stream.role {
                Role::Stdin => "standard input".to_owned(),
                _ => format!("`{}`", stream.name),
            };
            format!("{what}: {} to {} bytes", stream.min, stream.max)
        });
        let mut all: Vec<String> = streams.collect();
        all.push("every value that the program asks for by name".to_owned());
        all.extend(
            self.plan
                .common_arguments()
                .iter()
                .map(|arg| format!("argument `{arg}`")),
        );
        all
    }
}

/// More that no run does, for who asks for it.
type More<'a> = &'a mut dyn FnMut() -> Option<Vec<Fact>>;

/// Was it given up before it was known?
fn is_unfinished(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Spent | Refusal::Ended)
}

/// Do facts say that no run takes these edges?
fn are_dead(program: &Program, facts: &[Fact], edges: &[EdgeId]) -> bool {
    let mut edges = edges.iter();
    edges.all(|&edge| {
        let block = |block: BlockId| Fact::Block {
            function: program.function_of(edge).as_u32(),
            block: block.as_u32(),
        };
        let known = &program.edges[edge];
        let from = program.sites[known.site].block;
        let is_out_of_reach = known
            .target
            .into_iter()
            .chain([from])
            .any(|own| facts.contains(&block(own)));
        let edge = Fact::Edge {
            edge: edge.as_u32(),
        };
        is_out_of_reach || facts.contains(&edge)
    })
}

/// The certificate of a goal that the words of the command line exclude; `by_values`: because of what variables can be then, which cannot be
/// checked.
fn of_words(goal: GoalName, called: &CalledWith, by_values: Option<&str>) -> Certificate {
    let words = kinds::backward::texts(&called.words).unwrap_or_default();
    let checked = match by_values {
        None => "yes".to_owned(),
        Some(_) => format!("no: {}", kinds::words::WHY),
    };
    let body = json!(kinds::words::Body {
        words,
        by_values: by_values.map(str::to_owned),
    });
    let declared = kinds::backward::declared(&body);
    Certificate {
        goal,
        kind: "words".to_owned(),
        inputs: declared.map_or(Inputs::All, Inputs::Declared),
        checked,
        body,
    }
}

/// A certificate of the states that are looked at backward from a goal, or why there are none.
fn by_states(goal: GoalName, says: String, states: Result<Followed, String>) -> Certificate {
    let (followed, unchecked) = match states {
        Ok(followed) => (Some(followed), None),
        Err(why) => (None, Some(why)),
    };
    let checked = match &unchecked {
        None => "yes".to_owned(),
        Some(why) => format!("no: {why}"),
    };
    let body = json!(kinds::backward::Body {
        says,
        followed,
        unchecked,
    });
    let declared = kinds::backward::declared(&body);
    Certificate {
        goal,
        kind: "backward".to_owned(),
        inputs: declared.map_or(Inputs::All, Inputs::Declared),
        checked,
        body,
    }
}
