//! Sequences: inputs put together from rounds of different tests, for programs that keep a state from one round to the next.
//!
//! A command interpreter, a server or a controller reads a line, a record or a few values, acts, and reads the next. What a
//! round does depends on the rounds before it, through memory: no expression of this round says so, hence no flip leads from
//! `dep x 5` alone to an account that `open x` has made in another test. So the input of a test is cut where the
//! program comes back to its main loop. The rounds that took something new are kept; a *history* is those of one test, in order. Each
//! history is continued by each round. The runs are as good as any other: the search flips what it meets there. (Fuzzers
//! splice their corpus at random places; tools for protocols put messages together, which the user has to define.)
//!
//! A run may ask for a few hundred values, and most rounds of it come to nothing. So a run that was new is made once more without the
//! rounds that come again and again in it: those with the same values, those that take the same way, then some of the latter.
//!
//! The main loop of a run is the branch at the least depth of calls that the run came to after having read more than before.
//!
//! Must hold: the order depends on nothing but the runs; rounds and histories are bounded.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::ops::Range;
use std::sync::Arc;

use path::hash::mix;
use path::vars::{LENGTH, VALUES, input_of};
use path::{InputVector, Run, Step, Value};
use program::{EdgeId, Program, SiteId};
use smt::{Pool, Term};

use super::{Entry, News, Proposal, Scene, Source, Told, Turn};
use crate::campaign::job::KeptTest;
use crate::guide::wanted_edges;
use crate::pace::Rule;
use crate::view::View;
use crate::wishes::{Change, Splice, Wishes};

/// The source's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "sequences",
    summary: "inputs put together from rounds of different tests, for programs that keep a state",
    watches: false,
    is_random: false,
    slices: false,
    looks_back: false,
    make: |setup| Box::new(Sequences::new(setup.program)),
};

/// Rounds, and histories, that are kept.
const MOST: usize = 96;
/// Rounds of a history.
const LONGEST: usize = 24;
/// Times that a round comes in a run without being common.
const COMMON: usize = 2;
/// Of what is common, so much is left out in each choice.
const CHOSEN: usize = 4;
/// Steps of a run that are looked at.
const MOST_STEPS: usize = 1 << 18;
/// Variables of a condition that are looked at.
const MOST_VARIABLES: usize = 64;
/// Turns for one input: while a round or a history is new, and when none is.
const EVERY: [f64; 2] = [3.0, 12.0];
const RULE: Rule = Rule {
    fewer: 6.0,
    sharp: 1,
};

/// What a round reads: bytes of a stream (or of an array of bytes), or values one by one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Part {
    Bytes(Box<[u8]>),
    Values(Box<[Value]>),
}

/// Puts rounds together.
struct Sequences {
    /// Edges of the program's own; those of library models make no round of use.
    wanted: HashSet<EdgeId>,
    wishes: Wishes,
    /// By the stream that they are read from.
    rounds: Vec<(u32, Part)>,
    histories: Vec<(u32, Vec<Part>)>,
}

impl Sequences {
    fn new(program: &Program) -> Sequences {
        Sequences {
            wanted: wanted_edges(program).into_iter().collect(),
            wishes: Wishes::new(EVERY, RULE),
            rounds: Vec::new(),
            histories: Vec::new(),
        }
    }
}

/// The rounds of a run: where each ends in the stream, and what was read in it.
type Rounds = Vec<(u32, Part)>;

impl Sequences {
    /// Takes note of a run and of the edges that it was the first to take.
    fn note(&mut self, program: &Program, pool: &Pool, run: &Run, mut new: HashSet<EdgeId>) {
        let Some(stream) = most_read(pool, run) else {
            return;
        };
        let reads = reads(pool, run, stream);
        let rounds = rounds(program, run, stream, &reads);
        let Some(rounds) = rounds.or_else(|| only_round(run, stream, &reads)) else {
            return;
        };
        let mut useful = BTreeSet::new();
        // What each round did, as a number.
        let mut ways = vec![0; rounds.len()];
        for (step, &read) in run.steps.iter().zip(&reads) {
            let Step::Edge { edge, .. } = step else {
                continue;
            };
            let round = rounds.partition_point(|(end, _)| *end < read);
            let Some(way) = ways.get_mut(round) else {
                continue;
            };
            *way = mix(*way, u64::from(edge.as_u32()));
            if new.remove(edge) {
                useful.insert(round);
            }
        }
        let Some(&last) = useful.last() else {
            return;
        };
        let parent = Arc::new(run.input.clone());
        let whole = length(&parent, stream);
        if let Some(ended) = ended(&self.rounds, stream, whole, &rounds) {
            self.add_round(&parent, stream, ended.clone());
            self.add_history(&parent, stream, vec![ended]);
        }
        let part = |index: usize| rounds[index].1.clone();
        let mut headed = useful.clone();
        headed.insert(0);
        let end = end_of_lines(&self.rounds, stream);
        let lines: Vec<Option<Part>> = headed
            .iter()
            .map(|&index| unpadded(&rounds[index].1, end))
            .collect();
        if lines.iter().any(Option::is_some) {
            let lines = headed.iter().zip(lines);
            let lines: Vec<Part> = lines
                .map(|(&index, line)| line.unwrap_or_else(|| part(index)))
                .collect();
            for line in &lines {
                self.add_round(&parent, stream, line.clone());
            }
            self.add_history(&parent, stream, lines);
        }
        let parts: Vec<&Part> = rounds.iter().map(|(_, part)| part).collect();
        let together = |few: Vec<usize>| {
            let few = few.into_iter().map(|index| parts[index]);
            put_together(&parent, stream, few)
        };
        let by_part = without(&parts[..=last], &common(&parts[..last]));
        let alike = common(&ways[..last]);
        let by_way = without(&ways[..=last], &alike).filter(|few| by_part.as_ref() != Some(few));
        for few in [by_part, by_way].into_iter().flatten() {
            // What was found now is continued from there: thousands of sequences may wait.
            self.wishes.add_first(&parent, together(few));
        }
        // Some of those that are alike may matter all the same.
        for some in some_of(&alike) {
            if let Some(few) = without(&ways[..=last], &some) {
                self.wishes.add(&parent, together(few), false);
            }
        }
        for &index in &useful {
            let from = index.checked_sub(1).map_or(0, |before| rounds[before].0);
            self.grow(&parent, stream, from, &rounds[index]);
            self.add_round(&parent, stream, part(index));
        }
        // Without the rounds that only came between; with what comes first, which may be no round; and as it was.
        let short: Vec<usize> = useful.into_iter().collect();
        let all = (0..=last).collect();
        for history in [short, headed.into_iter().collect(), all] {
            let history = history.into_iter().map(part).collect();
            self.add_history(&parent, stream, history);
        }
    }

    /// Asks for the parent with what may be missing in a round.
    fn grow(&mut self, parent: &Arc<InputVector>, stream: u32, from: u32, round: &(u32, Part)) {
        if stream == VALUES {
            return;
        }
        for (first, bytes) in missing(from, round) {
            let splice = Splice {
                stream,
                first,
                length: 0,
                bytes: bytes.into(),
            };
            self.wishes.add(parent, Change::Splice(splice), true);
        }
    }

    fn add_round(&mut self, parent: &Arc<InputVector>, stream: u32, round: Part) {
        let entry = (stream, round);
        if self.rounds.len() >= MOST || self.rounds.contains(&entry) {
            return;
        }
        for (of, history) in &self.histories {
            if *of == stream {
                let whole = history.iter().chain([&entry.1]);
                wish(&mut self.wishes, parent, stream, whole);
            }
        }
        self.rounds.push(entry);
    }

    fn add_history(&mut self, parent: &Arc<InputVector>, stream: u32, history: Vec<Part>) {
        let entry = (stream, history);
        if entry.1.len() > LONGEST
            || self.histories.len() >= MOST
            || self.histories.contains(&entry)
        {
            return;
        }
        for (of, round) in &self.rounds {
            if *of == stream {
                let whole = entry.1.iter().chain([round]);
                wish(&mut self.wishes, parent, stream, whole);
            }
        }
        self.histories.push(entry);
    }
}

/// What comes more than [`COMMON`] times among rounds, by what they are or do, the most frequent first.
fn common<K: Copy + Eq + Hash>(rounds: &[K]) -> Vec<K> {
    let mut counts: HashMap<K, usize> = HashMap::new();
    for round in rounds {
        *counts.entry(*round).or_default() += 1;
    }
    let mut often: Vec<K> = Vec::new();
    for round in rounds {
        if counts[round] > COMMON && !often.contains(round) {
            often.push(*round);
        }
    }
    often.sort_by_key(|round| Reverse(counts[round]));
    often
}

/// The rounds that are not among some, and the last; `None` if these are all. What comes often mostly changes nothing or spoils something,
/// and what a run may ask for, or read, is better spent on what follows.
fn without<K: Eq>(rounds: &[K], some: &[K]) -> Option<Vec<usize>> {
    let last = rounds.len().checked_sub(1)?;
    let is_kept = |index: &usize| *index == last || !some.contains(&rounds[*index]);
    let few: Vec<usize> = (0..=last).filter(is_kept).collect();
    (few.len() < rounds.len()).then_some(few)
}

/// Each choice of the first few, but all.
fn some_of<K: Copy>(all: &[K]) -> Vec<Vec<K>> {
    let few = &all[..all.len().min(CHOSEN)];
    let choices = 1..1_usize << few.len();
    let chosen = choices.map(|choice| {
        let chosen = few.iter().enumerate();
        let chosen = chosen.filter(|(index, _)| choice >> index & 1 == 1);
        chosen.map(|(_, one)| *one).collect::<Vec<_>>()
    });
    chosen.filter(|chosen| chosen.len() < all.len()).collect()
}

/// Asks for the rounds, one behind the other, in place of all that stands there in the input.
fn wish<'a>(
    wishes: &mut Wishes,
    parent: &Arc<InputVector>,
    stream: u32,
    whole: impl Iterator<Item = &'a Part>,
) {
    let change = put_together(parent, stream, whole);
    wishes.add(parent, change, true);
}

/// The rounds, one behind the other, in place of all that stands there in the input.
fn put_together<'a>(
    parent: &InputVector,
    stream: u32,
    whole: impl Iterator<Item = &'a Part>,
) -> Change {
    let (mut bytes, mut values) = (Vec::new(), Vec::new());
    for part in whole {
        match part {
            Part::Bytes(part) => bytes.extend_from_slice(part),
            Part::Values(part) => values.extend_from_slice(part),
        }
    }
    if bytes.is_empty() {
        Change::Values(values.into())
    } else {
        Change::Splice(Splice {
            stream,
            first: 0,
            length: length(parent, stream) as u32,
            bytes: bytes.into(),
        })
    }
}

/// Bytes of a stream, or of the array of bytes that the values begin with.
fn length(input: &InputVector, stream: u32) -> usize {
    if stream == VALUES {
        let head = input.values.first();
        let same = |value: &&Value| head.is_some_and(|head| value.name == head.name);
        let elements = input.values.iter().take_while(same);
        return elements.filter(|value| value.is_text()).count();
    }
    let mut streams = input.streams.iter();
    let stream = streams.find(|other| other.id == stream);
    stream.map_or(0, |stream| stream.bytes.len())
}

impl Source for Sequences {
    fn on_dead(&mut self, edges: &[EdgeId]) {
        for edge in edges {
            self.wanted.remove(edge);
        }
    }

    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        self.wishes.propose(scene, turn)
    }

    fn glance(&mut self, _tests: &[KeptTest], turn: Turn) -> Option<InputVector> {
        self.wishes.glance(turn)
    }

    fn on_run(&mut self, view: &View<'_>, news: &News<'_>) {
        if !news.is_new {
            return;
        }
        let edges = news.path.edges.iter();
        let first = edges
            .filter(|(edge, count)| view.edge_hits[*edge] == *count && self.wanted.contains(edge));
        let new: HashSet<EdgeId> = first.map(|&(edge, _)| edge).collect();
        if !new.is_empty() {
            self.note(view.program, news.pool, news.run, new);
        }
    }

    fn on_result(&mut self, _view: &View<'_>, told: &Told<'_>) {
        self.wishes.told(told);
    }

    fn outlives_tree(&self) -> bool {
        true
    }
}

/// How much of the stream anything was decided on, at each step.
fn reads(pool: &Pool, run: &Run, stream: u32) -> Vec<u32> {
    let mut read = 0;
    let steps = run.steps.iter().take(MOST_STEPS);
    let after = steps.map(|step| {
        let last = condition(step).and_then(|term| last_of(pool, term, stream));
        read = read.max(last.map_or(0, |last| last + 1));
        read
    });
    after.collect()
}

/// The rounds of the run's main loop; `None` where there is none.
fn rounds(program: &Program, run: &Run, stream: u32, reads: &[u32]) -> Option<Rounds> {
    let visits = main_loop(program, run, reads)?;
    let mut list = Vec::new();
    let mut from = 0;
    for end in visits.into_iter().chain(reads.last().copied()) {
        // Where nothing was read since, it is the same round.
        if end > from {
            list.push((end, read(&run.input, stream, from as usize..end as usize)?));
            from = end;
        }
    }
    end_alike(&mut list);
    Some(list)
}

/// A run that is one round, since it never came back to its main loop: a line as long as the stream leaves no room for another.
/// It is made shorter, if it can be.
fn only_round(run: &Run, stream: u32, reads: &[u32]) -> Option<Rounds> {
    let end = *reads.last()?;
    let whole = read(&run.input, stream, 0..end as usize)?;
    shortened(&whole).map(|short| vec![(end, short)])
}

/// Equal bytes in a row that stand for one: nobody asked for so many.
const FILLING: usize = 4;

/// The same text without what only fills it, as a line; `None` if there is nothing of that kind.
fn shortened(part: &Part) -> Option<Part> {
    let Part::Bytes(bytes) = part else {
        return None;
    };
    let runs = bytes.chunk_by(|a, b| a == b);
    let mut short: Vec<u8> = runs
        .flat_map(|run| &run[..if run.len() < FILLING { run.len() } else { 1 }])
        .copied()
        .collect();
    if short.len() == bytes.len() {
        return None;
    }
    // The end of the input, or of the program's buffer, ended it.
    if !short.last().is_some_and(|last| ENDS.contains(last)) {
        short.push(b'\n');
    }
    Some(Part::Bytes(short.into()))
}

/// What ends rounds of text.
const ENDS: &[u8] = b"\n;,\0";

/// The end of the input may have ended the last round: what ends the others stands behind it too, so that others can follow.
fn end_alike(list: &mut [(u32, Part)]) {
    let [(_, Part::Bytes(first)), .., (_, Part::Bytes(last))] = list else {
        return;
    };
    let Some(&end) = first.last().filter(|end| ENDS.contains(end)) else {
        return;
    };
    if last.last() != Some(&end) {
        let text = last
            .iter()
            .rposition(|&byte| byte != 0)
            .map_or(0, |at| at + 1);
        *last = last[..text].iter().copied().chain([end]).collect();
    }
}

/// The only round of a test that the end of the input ended, with what ends the rounds of others: without it nothing can follow.
/// (A test of several rounds says itself what ends them: [`end_alike`].)
fn ended(
    known: &[(u32, Part)],
    stream: u32,
    length: usize,
    rounds: &[(u32, Part)],
) -> Option<Part> {
    let [(end, Part::Bytes(bytes))] = rounds else {
        return None;
    };
    // Of a single byte nobody can say that it is a text.
    let is_text = bytes.len() > 1 && bytes.iter().all(|byte| matches!(byte, b' '..=b'~'));
    if (*end as usize) < length || !is_text || ENDS.contains(bytes.last()?) {
        return None;
    }
    let end = end_of_lines(known, stream);
    Some(Part::Bytes(bytes.iter().copied().chain([end]).collect()))
}

/// What lines of a stream end with.
fn end_of_lines(known: &[(u32, Part)], stream: u32) -> u8 {
    let end_of = |(of, part): &(u32, Part)| match part {
        Part::Bytes(bytes) if *of == stream => bytes.last().copied(),
        _ => None,
    };
    let mut ends = known.iter().filter_map(end_of);
    ends.find(|end| ENDS.contains(end)).unwrap_or(b'\n')
}

/// A text that only a full buffer ended, with zeros behind it that the program takes for its end: the same text as a line, so that more
/// of them find room.
fn unpadded(part: &Part, end: u8) -> Option<Part> {
    let end = if end == 0 { b'\n' } else { end };
    let Part::Bytes(bytes) = part else {
        return None;
    };
    let text = bytes.split(|byte| *byte == 0).next()?.trim_ascii_end();
    let is_text = text.len() > 1 && text.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t'));
    (is_text && bytes.contains(&0))
        .then(|| Part::Bytes(text.iter().copied().chain([end]).collect()))
}

/// Where something may be missing in a round that begins at `from`, and what stands for it: a line that ends with a sign gets a digit
/// behind it (`port=`), one that begins with a sign a letter before it (`=1`). Nothing that the program did with an empty word says
/// where it would have been.
fn missing(from: u32, (end, part): &(u32, Part)) -> Vec<(u32, &'static [u8])> {
    let Part::Bytes(bytes) = part else {
        return Vec::new();
    };
    let mut list: Vec<(u32, &[u8])> = Vec::new();
    if let [.., sign, last] = &**bytes
        && sign.is_ascii_punctuation()
        && ENDS.contains(last)
    {
        list.push((end - 1, b"1"));
    }
    if let [sign, _, ..] = &**bytes
        && sign.is_ascii_punctuation()
    {
        list.push((from, b"a"));
    }
    list
}

/// What was read there.
fn read(input: &InputVector, stream: u32, part: Range<usize>) -> Option<Part> {
    if stream == VALUES {
        let values = input.values.get(part)?;
        return Some(if values.first()?.is_text() {
            Part::Bytes(values.iter().map(|value| value.bits as u8).collect())
        } else {
            Part::Values(values.into())
        });
    }
    let mut streams = input.streams.iter();
    let stream = streams.find(|other| other.id == stream && !other.role.is_count())?;
    Some(Part::Bytes(stream.bytes.get(part)?.into()))
}

/// What a step decides.
fn condition(step: &Step) -> Option<Term> {
    match step {
        Step::Edge { cond, .. } => cond.map(|cond| cond.term),
        Step::Constraint { term, .. } => Some(*term),
        _ => None,
    }
}

/// The last input of a stream that a condition is on.
fn last_of(pool: &Pool, term: Term, stream: u32) -> Option<u32> {
    let vars = pool.vars(term);
    let few = (vars.len() <= MOST_VARIABLES).then(|| vars.iter().map(|&var| input_of(var)))?;
    few.filter(|&(of, index)| of == stream && index != LENGTH)
        .map(|(_, index)| index)
        .max()
}

/// The stream that most conditions are on.
fn most_read(pool: &Pool, run: &Run) -> Option<u32> {
    let mut count: HashMap<u32, usize> = HashMap::new();
    let steps = run.steps.iter().take(MOST_STEPS);
    for term in steps.filter_map(condition) {
        let vars = pool.vars(term);
        if let Some(&var) = vars.first() {
            *count.entry(input_of(var).0).or_default() += 1;
        }
    }
    count
        .into_iter()
        .max_by_key(|&(stream, count)| (count, stream))
        .map(|(stream, _)| stream)
}

/// How much was read at each visit of the branch at the least depth that was visited again after more was read.
fn main_loop(program: &Program, run: &Run, reads: &[u32]) -> Option<Vec<u32>> {
    /// First step, and how much was read at each visit.
    type Visits = (usize, Vec<u32>);
    let mut visits: HashMap<(i32, SiteId), Visits> = HashMap::new();
    let (mut depth, mut before) = (0_i32, 0);
    for (index, (step, &after)) in run.steps.iter().zip(reads).enumerate() {
        match *step {
            Step::Call(_) => depth += 1,
            Step::Return(_) => depth -= 1,
            Step::Edge { edge, .. } => {
                let site = program.edges[edge].site;
                let entry = visits.entry((depth, site)).or_insert((index, Vec::new()));
                entry.1.push(before);
            }
            _ => {}
        }
        before = after;
    }
    visits
        .into_iter()
        .filter(|(_, (_, read))| read.first() != read.last())
        .min_by_key(|((depth, site), (first, _))| (*depth, *first, site.as_u32()))
        .map(|(_, (_, read))| read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(texts: &[&str]) -> Vec<(u32, Part)> {
        let part = |text: &&str| (0, Part::Bytes(text.as_bytes().into()));
        texts.iter().map(part).collect()
    }

    /// Other rounds can stand behind a line that only the end of the input ended.
    #[test]
    fn the_last_round_ends_as_the_others_do() {
        for (texts, want) in [
            (vec!["open a\n", "put a\0\0"], vec!["open a\n", "put a\n"]),
            (vec!["a;", "b;"], vec!["a;", "b;"]),
            (vec!["\x01\x02", "\x03"], vec!["\x01\x02", "\x03"]),
            (vec!["alone"], vec!["alone"]),
        ] {
            let mut list = rounds(&texts);
            end_alike(&mut list);
            assert_eq!(list, rounds(&want));
        }
    }

    /// What follows a line that only the end of the input ended would be read as a part of it.
    #[test]
    fn an_only_round_ends_as_those_of_others_do() {
        let lines = rounds(&["open a;"]);
        for (known, text, length, want) in [
            (&lines[..], "[main]", 6, Some("[main];")),
            (&[], "[main]", 6, Some("[main]\n")),
            (&lines, "[main]", 7, None),
            (&lines, "put;", 4, None),
            (&lines, "\x01\x02", 2, None),
            (&lines, "d", 1, None),
        ] {
            let only = vec![(text.len() as u32, rounds(&[text])[0].1.clone())];
            let want = want.map(|want| rounds(&[want])[0].1.clone());
            assert_eq!(ended(known, 0, length, &only), want, "{text:?}");
        }
        assert_eq!(ended(&lines, 0, 4, &rounds(&["ab", "cd"])), None);
    }

    #[test]
    fn empty_words_before_and_behind_a_sign_are_filled() {
        for (text, want) in [
            ("port=\n", vec![(15, "1")]),
            ("=1\n", vec![(10, "a")]),
            ("=\n", vec![(11, "1"), (10, "a")]),
            ("put 1\n", vec![]),
            ("=", vec![]),
        ] {
            let round = (10 + text.len() as u32, rounds(&[text])[0].1.clone());
            let want: Vec<(u32, &[u8])> = want
                .into_iter()
                .map(|(at, word)| (at, word.as_bytes()))
                .collect();
            assert_eq!(missing(10, &round), want, "{text:?}");
        }
    }

    /// All that an input has goes, whatever the rounds are made of.
    #[test]
    fn rounds_take_the_place_of_the_whole_input() {
        let value = |bits: u128| Value {
            kind: path::ValueType::I32,
            name: "x".into(),
            element: None,
            c_type: "int".into(),
            bits,
        };
        let parent = Arc::new(InputVector {
            values: vec![value(1), value(2), value(3)],
            streams: Vec::new(),
        });
        let mut wishes = Wishes::new(EVERY, RULE);
        let parts =
            [vec![value(7)], vec![value(8), value(9)]].map(|part| Part::Values(part.into()));
        wish(&mut wishes, &parent, VALUES, parts.iter());
        let made = wishes.next().expect("an input");
        let bits: Vec<u128> = made.values.iter().map(|value| value.bits).collect();
        assert_eq!(bits, [7, 8, 9]);
    }

    #[test]
    fn rounds_that_come_again_and_again_are_left_out() {
        let few = |rounds: &[&'static str]| without(rounds, &common(&rounds[..rounds.len() - 1]));
        assert_eq!(few(&["a;", ";", "b;", ";"]), None);
        assert_eq!(few(&[";", "a;", ";", ";", "b;", ";"]), Some(vec![1, 4, 5]));
        assert_eq!(common(&[1, 2, 2, 3, 3, 3, 2, 3, 1]), [3, 2]);
        assert_eq!(some_of(&[3, 2]), [[3], [2]]);
    }
}
