//! Pumped inputs: inputs with a part repeated, for branches that depend on how often a loop went round.
//!
//! A length, a count or a depth is a number that the program has counted: no expression says how it depends on the input, so the
//! solver never flips a branch on it. But the path says which part of the input was read right before the branch, and
//! which part since the branch was there last. Such a part, repeated, gives loops more rounds before the branch or behind it, as in
//! the pumping lemma for formal languages. (Loop-extended symbolic execution, Saxena et al., ISSTA 2009, gives such numbers
//! expressions; it must know the input's grammar.)
//!
//! A branch is a *target* while runs have taken one side only, and nothing symbolic decided it. The first runs that come to a target are
//! pumped: once, to 4, 16 and 64 bytes, or values where the program asks for them one by one. These inputs have one turn in 24, one in 48 when no target is new; fewer by the square of
//! how much less they find than the other runs do: while every other run is new they can only be in the way.
//!
//! Must hold: each target is pumped for a few runs only; the order depends on nothing but the runs.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use program::{EdgeId, Program, SecondaryMap, SiteId};
use smt::{Pool, Term};

use path::vars::{LENGTH, VALUES, input_of};
use path::{InputVector, Run, Step, Value};

use super::{Entry, News, Proposal, Scene, Source, Told, Turn};
use crate::campaign::job::KeptTest;
use crate::guide::wanted_edges;
use crate::nearness::nearer;
use crate::pace::Rule;
use crate::view::View;
use crate::wishes::{Again, Change, Splice, Wishes};

/// The source's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "pumping",
    summary: "inputs with a part repeated, for branches on how often a loop went round",
    watches: false,
    is_random: false,
    slices: false,
    looks_back: false,
    make: |setup| Box::new(Pumping::new(setup.program)),
};

/// Runs that are pumped for a target.
const RUNS: u8 = 4;
/// Runs that are pumped because they came nearer.
const AGAIN: u8 = 32;
/// Rounds that are added because so many seem to be missing.
const MOST_ROUNDS: u64 = 1 << 12;
/// Bytes, or values, that these are at most.
const MOST_ADDED: u64 = 1 << 14;
/// Bytes, or values, that a pumped part has at least.
const LEAST: [usize; 4] = [1, 4, 16, 64];
/// Conditions before a target that are looked at, and variables of one.
const LOOK_BACK: usize = 8;
const MOST_VARIABLES: usize = 16;
/// Turns for one input: while a target is new, and when none is.
const EVERY: [f64; 2] = [24.0, 48.0];
const RULE: Rule = Rule {
    fewer: 64.0,
    sharp: 2,
};

/// Makes pumped inputs from runs that came to a target.
struct Pumping {
    wishes: Wishes,
    /// Runs that may be pumped for each edge that no run has taken.
    left: SecondaryMap<EdgeId, u8>,
    /// How often a run that comes nearer to an edge may be pumped for it again.
    again: SecondaryMap<EdgeId, u8>,
}

/// Where a run came to a target: conditions that were decided before the first visit, the last, and the one before that.
struct Visit {
    site: SiteId,
    first: usize,
    decided: usize,
    before: Option<usize>,
}

impl Pumping {
    fn new(program: &Program) -> Pumping {
        let mut left = SecondaryMap::for_map(&program.edges, 0);
        for edge in wanted_edges(program) {
            left[edge] = RUNS;
        }
        Pumping {
            wishes: Wishes::new(EVERY, RULE),
            left,
            again: SecondaryMap::for_map(&program.edges, AGAIN),
        }
    }

    /// Takes note of a run that took these edges; `hits` counts them already.
    fn note(
        &mut self,
        program: &Program,
        pool: &Pool,
        (run, nearer): (&Run, &[(EdgeId, u64)]),
        edges: &[(EdgeId, u64)],
        hits: &SecondaryMap<EdgeId, u64>,
    ) {
        for &(edge, _) in nearer {
            if self.again[edge] > 0 {
                self.again[edge] -= 1;
                self.left[edge] = RUNS;
            }
        }
        let open = |&edge: &EdgeId| hits[edge] == 0 && self.left[edge] > 0;
        let mut targets: HashMap<SiteId, Option<usize>> = HashMap::new();
        for &(edge, _) in edges {
            if program.siblings(edge).any(|other| open(&other)) {
                targets.insert(program.edges[edge].site, None);
            }
        }
        if targets.is_empty() {
            return;
        }
        let (decided, visits) = visits(program, run, &mut targets);
        let parent = Arc::new(run.input.clone());
        let mut known = HashSet::new();
        for visit in visits {
            let Some(end) = read_before(pool, &decided[..visit.decided]) else {
                continue;
            };
            let mut is_new = false;
            for edge in program.edges_of(visit.site) {
                is_new |= hits[edge] == 0 && self.left[edge] == RUNS;
                self.left[edge] = self.left[edge].saturating_sub(1);
            }
            let last = end.1 as usize;
            let since = |at: usize| {
                let read = read_before(pool, &decided[..at]);
                let read = read.filter(|before| before.0 == end.0);
                read.map(|before| before.1 as usize + 1..last + 1)
                    .filter(|round| round.len() > 1)
            };
            let round = visit.before.and_then(since);
            let all = visit.before.and_then(|_| since(visit.first));
            let all = all.filter(|all| Some(all) != round.as_ref());
            // Behind a loop, what was read last often ended it.
            let behind_loop = visit.before.is_none() && last > 0 && has_room(&run.input, end.0);
            let inner = behind_loop.then(|| last - 1..last);
            let sites = |&&(edge, _): &&(EdgeId, u64)| program.edges[edge].site == visit.site;
            let missing = nearer
                .iter()
                .find(sites)
                .map_or(0, |&(_, distance)| distance);
            let parts = std::iter::once(last..last + 1);
            for part in parts.chain(round).chain(all).chain(inner) {
                for change in pumped(&run.input, (end.0, part), missing) {
                    if known.insert(change.clone()) {
                        self.wishes.add(&parent, change, is_new);
                    }
                }
            }
        }
    }
}

impl Source for Pumping {
    fn on_dead(&mut self, edges: &[EdgeId]) {
        for &edge in edges {
            (self.left[edge], self.again[edge]) = (0, 0);
        }
    }

    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        self.wishes.propose(scene, turn)
    }

    fn glance(&mut self, _tests: &[KeptTest], turn: Turn) -> Option<InputVector> {
        self.wishes.glance(turn)
    }

    fn on_run(&mut self, view: &View<'_>, news: &News<'_>) {
        let nearer: Vec<(EdgeId, u64)> = nearer(news.came).collect();
        let run = (news.run, &*nearer);
        self.note(
            view.program,
            news.pool,
            run,
            news.path.edges,
            view.edge_hits,
        );
    }

    fn on_result(&mut self, _view: &View<'_>, told: &Told<'_>) {
        self.wishes.told(told);
    }

    fn outlives_tree(&self) -> bool {
        true
    }
}

/// The conditions of a run in order, and the last visit to each target that was decided by nothing symbolic, in the order of the
/// first ones.
fn visits(
    program: &Program,
    run: &Run,
    targets: &mut HashMap<SiteId, Option<usize>>,
) -> (Vec<Term>, Vec<Visit>) {
    let mut decided = Vec::new();
    let mut visits: Vec<Visit> = Vec::new();
    for step in &run.steps {
        match *step {
            Step::Edge {
                cond: Some(cond), ..
            } => decided.push(cond.term),
            Step::Constraint { term, .. } => decided.push(term),
            Step::Edge { edge, cond: None } => {
                let site = program.edges[edge].site;
                let Some(place) = targets.get_mut(&site) else {
                    continue;
                };
                match *place {
                    Some(index) => {
                        let visit = &mut visits[index];
                        visit.before = Some(visit.decided);
                        visit.decided = decided.len();
                    }
                    None => {
                        *place = Some(visits.len());
                        visits.push(Visit {
                            site,
                            first: decided.len(),
                            decided: decided.len(),
                            before: None,
                        });
                    }
                }
            }
            _ => {}
        }
    }
    (decided, visits)
}

/// Stream and position of what was read last: the last byte of the last condition on a few.
fn read_before(pool: &Pool, decided: &[Term]) -> Option<(u32, u32)> {
    let mut last = decided.iter().rev().take(LOOK_BACK);
    last.find_map(|&term| {
        let vars = pool.vars(term);
        let inputs = vars.iter().rev().map(|&var| input_of(var));
        let mut bytes = inputs.filter(|&(_, index)| index != LENGTH);
        bytes.next().filter(|_| vars.len() <= MOST_VARIABLES)
    })
}

/// Whether a stream can be longer: what stands behind a repeated part shall stay.
fn has_room(input: &InputVector, stream: u32) -> bool {
    let mut streams = input.streams.iter();
    let stream = streams.find(|other| other.id == stream);
    stream.is_none_or(|stream| stream.bytes.len() < stream.max as usize)
}

/// The part repeated behind itself: text in streams and arrays of bytes, else values.
fn pumped(input: &InputVector, (stream, part): (u32, Range<usize>), missing: u64) -> Vec<Change> {
    let is_text = |value: &Value| value.is_text();
    if stream == VALUES && !input.values.get(part.start).is_some_and(is_text) {
        return pumped_values(input, part, missing);
    }
    let Some((unit, most)) = part_of(input, stream, part.clone()) else {
        return Vec::new();
    };
    let sizes = sizes(unit.len(), missing).filter(|least| part.end + least <= most);
    let splice = |least: usize| Splice {
        stream,
        first: part.end as u32,
        length: 0,
        bytes: unit.repeat(least.div_ceil(unit.len())).into(),
    };
    sizes.map(|least| Change::Splice(splice(least))).collect()
}

/// Bytes, or values, that a pumped part of this length is repeated to, when so many rounds may be missing.
fn sizes(length: usize, missing: u64) -> impl Iterator<Item = usize> {
    let sizes = LEAST.into_iter();
    let sizes = sizes.filter(move |&least| least == 1 || least > length);
    let whole = missing.saturating_mul(length as u64);
    let fits = (2..=MOST_ROUNDS).contains(&missing) && whole <= MOST_ADDED;
    sizes.chain(fits.then_some(whole as usize))
}

/// A part of a stream, or of the values, and how many bytes there may be in all.
fn part_of(input: &InputVector, stream: u32, part: Range<usize>) -> Option<(Vec<u8>, usize)> {
    if stream == VALUES {
        let values = input.values.get(part)?.iter();
        let bytes = values.map(|value| value.bits as u8).collect();
        return Some((bytes, input.values.len()));
    }
    let mut streams = input.streams.iter();
    let stream = streams.find(|other| other.id == stream && !other.role.is_count())?;
    let bytes = stream.bytes.get(part)?;
    Some((bytes.to_vec(), stream.max as usize))
}

/// A program that asks for values one by one may ask for any number.
fn pumped_values(input: &InputVector, part: Range<usize>, missing: u64) -> Vec<Change> {
    if part.end > input.values.len() {
        return Vec::new();
    }
    let again = |least: usize| Again {
        first: part.start as u32,
        length: part.len() as u32,
        times: least.div_ceil(part.len()) as u32,
    };
    let sizes = sizes(part.len(), missing);
    sizes.map(|least| Change::Again(again(least))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Block, Model, below, concrete};
    use path::vars::{STDIN, var_of};
    use path::{Cond, Outcome, Role, RunFlags, Stream};

    /// A loop over bytes of standard input, with a branch behind each round that nothing symbolic decides.
    struct Loop {
        program: Program,
        pool: Pool,
        hits: SecondaryMap<EdgeId, u64>,
        pumping: Pumping,
    }

    impl Loop {
        fn new() -> Loop {
            let blocks = vec![
                Block::Branch(below(0, 10), 1, 2),
                Block::Branch(concrete(|_| false), 2, 0),
                Block::Exit,
            ];
            let program = Model::new(1, blocks).program;
            Loop {
                pool: Pool::new(),
                hits: SecondaryMap::for_map(&program.edges, 0),
                pumping: Pumping::new(&program),
                program,
            }
        }

        /// Runs on a text, of which each round reads so many bytes; returns what is wished for then.
        fn run(&mut self, text: &str, round: usize, max: u32) -> Vec<String> {
            let edge = |number: u32| EdgeId::from_u32(number);
            let mut steps = Vec::new();
            for position in 0..text.len() {
                let byte = self.pool.var(var_of(STDIN, position as u32), 8);
                let wanted = self.pool.constant(8, 10);
                let term = self.pool.eq(byte, wanted);
                steps.push(Step::Edge {
                    edge: edge(1),
                    cond: Some(Cond { term }),
                });
                if position % round == round - 1 {
                    steps.push(Step::Edge {
                        edge: edge(2),
                        cond: None,
                    });
                }
            }
            let run = Run {
                steps,
                outcome: Outcome::Exited(0),
                input: InputVector {
                    values: Vec::new(),
                    streams: vec![Stream {
                        id: STDIN,
                        role: Role::Stdin,
                        name: "".into(),
                        bytes: text.as_bytes().to_vec(),
                        min: 0,
                        max,
                        used: 0,
                    }],
                },
                flags: RunFlags::default(),
                losses: Vec::new(),
                late_edges: Vec::new(),
                late_functions: Vec::new(),
                compared: Vec::new(),
                near: Vec::new(),
            };
            let edges = [(edge(1), 1), (edge(2), 1)];
            for (edge, count) in edges {
                self.hits[edge] += count;
            }
            self.pumping
                .note(&self.program, &self.pool, (&run, &[]), &edges, &self.hits);
            let made = std::iter::from_fn(|| self.pumping.wishes.next());
            made.map(|input| String::from_utf8_lossy(&input.streams[0].bytes).into_owned())
                .collect()
        }
    }

    #[test]
    fn the_last_byte_and_the_last_round_are_repeated() {
        // As often as there is room for.
        assert_eq!(
            Loop::new().run("ab", 2, 8),
            ["abb", "abbbbb", "aab", "aaaaab"]
        );
        assert_eq!(Loop::new().run("ab", 2, 2), Vec::<String>::new());
        assert_eq!(
            Loop::new().run("abcd", 2, 8),
            ["abcdd", "abcddddd", "abcdcd", "abcdcdcd"]
        );
    }

    #[test]
    fn a_target_is_pumped_for_a_few_runs_until_it_is_taken() {
        let mut program = Loop::new();
        for _ in 0..RUNS {
            assert!(!program.run("ab", 1, 8).is_empty());
        }
        assert!(program.run("ab", 1, 8).is_empty());
        let mut program = Loop::new();
        program.hits[EdgeId::from_u32(3)] = 1;
        assert!(program.run("ab", 1, 8).is_empty());
    }
}
