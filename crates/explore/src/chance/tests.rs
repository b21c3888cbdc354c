//! Inputs by chance.

use super::*;
use crate::testing::{Block, Model, below, concrete};
use path::{Value, ValueType};

fn parent() -> InputVector {
    let value = |kind, element| Value {
        kind,
        name: "v".into(),
        element,
        c_type: "".into(),
        bits: 0,
    };
    let kinds = ValueType::ALL.iter().map(|&kind| value(kind, None));
    let text = (0..6).map(|index| value(ValueType::U8, Some(index)));
    let stream = |id, min, max| Stream {
        id,
        role: path::Role::Stdin,
        name: "stream".into(),
        bytes: vec![b'x'; max as usize],
        min,
        max,
        used: 0,
    };
    InputVector {
        values: kinds.chain(text).collect(),
        streams: vec![stream(1, 4, 4), stream(2, 0, 9), stream(3, 0, 0)],
    }
}

fn made(seed: u64, count: usize) -> Vec<InputVector> {
    let model = Model::new(1, vec![Block::Branch(below(0, 77), 1, 1), Block::Exit]);
    let mut chance = Chance::new(&model.program, seed);
    chance.words.texts_for_tests(&["main", "key = value"]);
    let parents = [parent(), parent()];
    (0..count)
        .map(|_| {
            chance
                .input(2, |index| &parents[index])
                .expect("there is something to change")
        })
        .collect()
}

#[test]
fn they_have_the_shape_of_their_parent() {
    let parent = parent();
    for input in made(1, 20_000) {
        assert_eq!(input.values.len(), parent.values.len());
        for (value, old) in input.values.iter().zip(&parent.values) {
            assert_eq!(
                (value.kind, &value.name, value.element),
                (old.kind, &old.name, old.element)
            );
            assert_eq!(value.bits >> (value.kind.bits() - 1) >> 1, 0, "{value:?}");
        }
        for (stream, old) in input.streams.iter().zip(&parent.streams) {
            assert_eq!(
                (stream.id, stream.min, stream.max),
                (old.id, old.min, old.max)
            );
            let length = stream.bytes.len() as u32;
            assert!((stream.min..=stream.max).contains(&length), "{stream:?}");
        }
    }
}

#[test]
fn a_seed_says_it_all() {
    assert_eq!(made(7, 500), made(7, 500));
    assert_ne!(made(7, 500), made(8, 500));
}

#[test]
fn every_length_and_every_string_comes() {
    let inputs = made(3, 20_000);
    for length in 0..=9 {
        assert!(
            inputs
                .iter()
                .any(|input| input.streams[1].bytes.len() == length)
        );
    }
    let has = |input: &InputVector, word: &[u8]| {
        input.streams[1]
            .bytes
            .windows(word.len())
            .any(|part| part == word)
    };
    assert!(inputs.iter().any(|input| has(input, b"main")));
}

#[test]
fn nothing_to_change_is_no_input() {
    let model = Model::new(
        0,
        vec![Block::Branch(concrete(|_| true), 1, 1), Block::Exit],
    );
    let mut chance = Chance::new(&model.program, 0);
    let empty = InputVector::default();
    assert_eq!(chance.input(1, |_| &empty), None);
    assert_eq!(chance.input(0, |_| &empty), None);
}

fn text(bytes: &str, max: u32) -> InputVector {
    let stream = Stream {
        id: 1,
        role: path::Role::Stdin,
        name: "stream".into(),
        bytes: bytes.as_bytes().to_vec(),
        min: 0,
        max,
        used: 0,
    };
    InputVector {
        values: Vec::new(),
        streams: vec![stream],
    }
}

/// Inputs made by a chance that has seen these texts, from the first of them and parts of the last.
fn from_texts(seen: &[&str], max: u32, count: usize) -> Vec<String> {
    let model = Model::new(1, vec![Block::Branch(below(0, 77), 1, 1), Block::Exit]);
    let mut chance = Chance::new(&model.program, 5);
    let inputs: Vec<InputVector> = seen.iter().map(|seen| text(seen, max)).collect();
    inputs.iter().for_each(|input| chance.learn(input));
    let (first, last) = (&inputs[0], &inputs[inputs.len() - 1]);
    let made = (0..count).map(|_| {
        chance
            .changed(first, last)
            .expect("there is something to change")
    });
    made.map(|input| String::from_utf8_lossy(&input.streams[0].bytes).into_owned())
        .collect()
}

/// No byte can be changed so that a word becomes another word that was seen.
#[test]
fn words_of_other_inputs_come_in_the_place_of_words() {
    let made = from_texts(&["if (count) x;", "while (name) return 1;"], 64, 40_000);
    for wanted in ["while (count) x;", "if (name) x;", "if (count) return 1;"] {
        assert!(made.iter().any(|made| made == wanted), "{wanted}");
    }
}

#[test]
fn what_is_no_text_is_not_taken_for_one() {
    let model = Model::new(1, vec![Block::Branch(below(0, 77), 1, 1), Block::Exit]);
    let mut chance = Chance::new(&model.program, 5);
    chance.learn(&text("\u{1}\u{2}\u{3}word", 64));
    assert!(chance.tokens.is_empty());
    chance.learn(&text("some\tword\n", 64));
    assert!(!chance.chooses_tokens(&text("\u{1}\u{2}\u{3}word", 64)));
}

#[test]
fn changed_texts_have_room() {
    for made in from_texts(&["a b c", "d e f g"], 9, 4000) {
        assert!(made.chars().count() <= 9, "{made}");
    }
}

/// The way that finds more is taken more often, and the other goes on.
#[test]
fn the_way_that_finds_more_is_taken() {
    let model = Model::new(1, vec![Block::Branch(below(0, 77), 1, 1), Block::Exit]);
    let parent = text("a b c", 64);
    for good in [false, true] {
        let mut chance = Chance::new(&model.program, 5);
        chance.learn(&parent);
        let mut taken = [0, 0];
        for _ in 0..20_000 {
            chance.changed(&parent, &parent);
            taken[usize::from(chance.by_tokens)] += 1;
            chance.told(chance.by_tokens == good);
        }
        let [bad, good] = [taken[usize::from(!good)], taken[usize::from(good)]];
        assert!(bad > 2500 && good > 15_000, "{bad} {good}");
    }
}
