//! Inputs by chance.

use std::collections::BTreeSet;

use super::*;
use crate::testing::{Block, Model, below, concrete};
use path::{Stream, Value, ValueType};

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
    chance.asked(b"main");
    chance.asked(b"key = value");
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

/// All that changes make of a text with another one and these words.
fn texts_of(text: &str, other: &str, words: &[&str]) -> BTreeSet<String> {
    let model = Model::new(0, vec![Block::Exit]);
    let mut dictionary = Dictionary::of(&model.program);
    for word in words {
        dictionary.add_asked(word.as_bytes());
    }
    let mut rng = Rng::new(5);
    let made = (0..50_000).map(|_| {
        let mut bytes = text.as_bytes().to_vec();
        texts::change(&mut rng, &dictionary, &mut bytes, other.as_bytes());
        String::from_utf8_lossy(&bytes).into_owned()
    });
    made.collect()
}

#[test]
fn texts_change_by_words_tokens_lines_and_parts_of_others() {
    let made = texts_of("if (a1)\nb = 20\n", "f(x, yz)", &["while"]);
    for (kind, text) in [
        ("a word", "if while(a1)\nb = 20\n"),
        ("a word over others", "while1)\nb = 20\n"),
        ("another token", "while (a1)\nb = 20\n"),
        ("a token of the other", "if (yz)\nb = 20\n"),
        ("a token less", "if ()\nb = 20\n"),
        ("a line less", "if (a1)\n"),
        ("a line alone", "b = 20\n"),
        ("a number", "if (a1)\nb = -1\n"),
        ("a part of the other", "if (a1, yz)\nb = 20\n"),
        ("a part of the other over this", "if (x, yz)= 20\n"),
        ("the rest of the other", "if (a1))"),
        ("the end less", "if (a1)\nb"),
        ("some bytes less", "if (a1) = 20\n"),
        ("a byte again", "if ((((a1)\nb = 20\n"),
        ("a mark", "if (a1);\nb = 20\n"),
    ] {
        assert!(made.contains(text), "{kind}: {text:?}");
    }
}

#[test]
fn what_cannot_be_changed_in_one_way_is_in_another() {
    assert!(texts_of("", "", &[]).len() > 10);
}

#[test]
fn short_texts_stay_short_more_often_than_not() {
    let mut rng = Rng::new(1);
    let limits: Vec<usize> = (0..10_000).map(|_| texts::limit(&mut rng)).collect();
    let within = |length| limits.iter().filter(|&&limit| limit <= length).count();
    assert!((4_800..5_200).contains(&within(16)), "{}", within(16));
    assert!((7_300..7_700).contains(&within(32)), "{}", within(32));
    assert!(within(1024) < 10_000);
}
