//! Paths, walks and frames: what is known where, and how far one looks.

use std::fmt::Write as _;

use program::{BlockId, FuncId, Program};
use smt::Pool;

use super::{Frame, Places, Walk, entering};
use crate::tests::is_dead;

/// The text with its values counted up in the order of their definitions, as the text form wants it.
fn counted_up(text: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let is_word = |c: char| c.is_ascii_alphanumeric();
    let mut made = String::new();
    let mut pieces: Vec<&str> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let first = rest.chars().next().is_some_and(is_word);
        let end = rest.find(|c| is_word(c) != first).unwrap_or(rest.len());
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    let is_value = |word: &str| {
        let digits = word.strip_prefix('v');
        digits.is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
    };
    for pair in pieces.windows(2) {
        if is_value(pair[0]) && pair[1].starts_with(':') && !names.contains(&pair[0]) {
            names.push(pair[0]);
        }
    }
    for piece in pieces {
        match names.iter().position(|name| *name == piece) {
            Some(number) if is_value(piece) => {
                let _ = write!(made, "v{number}");
            }
            _ => made += piece,
        }
    }
    made
}

fn places(text: &str) -> (Program, Places) {
    let program = program::text::sample(text);
    let places = Places::new(&program, FuncId::from_u32(0));
    (program, places)
}

/// The paths between two blocks; `None`: they are not counted.
fn between(text: &str, from: u32, to: u32) -> Option<usize> {
    let (_, places) = places(text);
    let paths = places.between(BlockId::from_u32(from), BlockId::from_u32(to));
    paths.map(|paths| paths.len())
}

/// So many ways from block 0 to the last block, through a block each.
fn fan(ways: u32) -> String {
    let mut text = "fn @f(v0: i32) -> i32 {\nblock0:\n  switch v0 [".to_owned();
    for way in 1..ways {
        let _ = write!(text, "{way}: block{way}, ");
    }
    let _ = writeln!(text, "default: block{ways}]");
    for way in 1..=ways {
        let _ = writeln!(text, "block{way}:\n  br block{}", ways + 1);
    }
    text + &format!("block{}:\n  ret v0\n}}", ways + 1)
}

/// A chain of blocks.
fn chain(blocks: u32) -> String {
    let mut text = "fn @f(v0: i32) -> i32 {\n".to_owned();
    for block in 0..blocks {
        let _ = writeln!(text, "block{block}:\n  br block{}", block + 1);
    }
    text + &format!("block{blocks}:\n  ret v0\n}}")
}

const LOOP: &str = "fn @f(v0: i1) -> i32 {
    block0:
      br block1
    block1:
      br v0, block2, block3
    block2:
      br block1
    block3:
      ret i32 0
    }";

#[test]
fn few_short_paths_without_a_loop_are_listed() {
    assert_eq!(between(&fan(3), 0, 4), Some(3));
    assert_eq!(between(&fan(8), 0, 9), Some(8));
    assert_eq!(between(&fan(9), 0, 10), None);
    assert_eq!(between(&fan(12), 0, 13), None);
    assert_eq!(between(&chain(12), 0, 12), Some(1));
    assert_eq!(between(&chain(13), 0, 13), None);
    // The way back does not count; a loop on the way does.
    assert_eq!(between(LOOP, 1, 1), Some(0));
    assert_eq!(between(LOOP, 0, 1), Some(1));
    assert_eq!(between(LOOP, 1, 3), Some(1));
    assert_eq!(between(LOOP, 0, 3), None);
    let (_, places) = places(LOOP);
    let loops = (0..4).map(|block| places.is_loop(BlockId::from_u32(block)));
    assert_eq!(loops.collect::<Vec<_>>(), [false, true, false, false]);
}

/// How many conditions are known where a block is entered.
fn known(text: &str, block: u32) -> usize {
    let (program, places) = places(text);
    let mut pool = Pool::new();
    let function = &program.functions[FuncId::from_u32(0)];
    let mut frame = Frame::new(&program, function, &mut pool);
    let mut walk = Walk::new(&mut frame, false);
    entering(&mut walk, &places, BlockId::from_u32(block)).len()
}

#[test]
fn what_every_path_decides_is_known() {
    // One condition for all ways together; for a block that is entered once, the edge, and what flows into its phis.
    assert_eq!(known(&fan(3), 4), 1);
    assert_eq!(known(&fan(3), 2), 2);
    assert_eq!(known(&chain(3), 3), 0);
    // A loop may come back with other values: the edge alone.
    let twice = "fn @f(v0: i1, v1: i1) -> i32 {
        block0:
          br v0, block1, block2
        block1:
          br v1, block1, block2
        block2:
          ret i32 0
        }";
    assert_eq!(known(twice, 1), 1);
    let joined = "fn @f(v0: i1, v1: i1) -> i32 {
        block0:
          br v0, block1, block2
        block1:
          br block3
        block2:
          br block3
        block3:
          br v1, block3, block4
        block4:
          ret i32 0
        }";
    assert_eq!(known(joined, 3), 1);
}

/// A branch on `first` in front of one on `second`; is the second never true?
fn never(before: &str, second: &str) -> bool {
    let text = format!(
        "extern @other()
         global @a size 8 align 8 = x\"\"
         global @b size 8 align 8 = x\"\"
         fn @f(v0: i32, v1: i32, v2: ptr, v3: i1) -> i32 {{
         block0:
           {before}
           v90: i1 = {second}
           br v90, block1, block2 [site0: edge0 false, edge1 true]
         block1:
           ret i32 0
         block2:
           ret i32 1
         }}"
    );
    match is_dead(&counted_up(&text), false, 1) {
        Ok(()) => true,
        Err(why) => {
            assert!(why.contains("there is a state"), "{why}");
            false
        }
    }
}

/// The same, in a block behind a switch that goes so many ways; these flow into `v20` there, the others are 0. More than eight ways are
/// not told apart.
fn never_behind(before: &str, flows: &[&str], second: &str) -> bool {
    let ways = 9.max(flows.len());
    let (mut labels, mut blocks, mut phi) = (String::new(), String::new(), String::new());
    for way in 1..=ways {
        if way < ways {
            let _ = write!(labels, "{way}: block{way}, ");
        }
        let _ = writeln!(blocks, "block{way}:\n  br block{}", ways + 1);
        let flow = flows.get(way - 1).copied().unwrap_or("i32 0");
        let _ = write!(phi, "{}block{way}: {flow}", if way > 1 { ", " } else { "" });
    }
    let (join, yes, no) = (ways + 1, ways + 2, ways + 3);
    let text = format!(
        "fn @f(v0: i32, v1: i8, v3: i1) -> i32 {{
         block0:
           {before}
           switch v0 [{labels}default: block{ways}]
         {blocks}block{join}:
           v20: i32 = phi [{phi}]
           v90: i1 = {second}
           br v90, block{yes}, block{no}
         block{yes}:
           ret i32 0
         block{no}:
           ret i32 1
         }}"
    );
    let text = counted_up(&text);
    let program = program::text::sample(&text);
    let last = program.edges.len() as u32 - 1;
    is_dead(&text, false, last).is_ok()
}

#[test]
fn what_flows_into_a_phi_is_known_if_it_is_little() {
    let numbers: Vec<String> = (1..=17).map(|number| format!("i32 {number}")).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let other = "icmp eq v20, i32 99";
    assert!(never_behind("", &numbers[..16], other));
    assert!(!never_behind("", &numbers, other));
    assert!(!never_behind("", &numbers[..16], "icmp eq v20, i32 16"));
    // A truth as a number is 0 or 1, another number is anything.
    assert!(never_behind("v10: i32 = zext v3", &["v10"], other));
    assert!(!never_behind(
        "v10: i32 = zext v3",
        &["v10"],
        "icmp eq v20, i32 1"
    ));
    assert!(!never_behind("v10: i32 = zext v1", &["v10"], other));
    assert!(!never_behind(
        "v10: i32 = sext v3",
        &["v10"],
        "icmp slt v20, i32 0"
    ));
    assert!(!never_behind("", &["v0"], other));
    // Through others, but not through too many.
    let selects = |count: u32| {
        let mut text = "v100: i32 = select v3, i32 1, i32 2".to_owned();
        for at in 101..100 + count {
            let _ = write!(text, "\nv{at}: i32 = select v3, v{}, i32 3", at - 1);
        }
        text
    };
    for (count, known) in [(2, true), (21, true), (63, true), (64, false)] {
        let last = format!("v{}", 99 + count);
        assert_eq!(
            never_behind(&selects(count), &[&last], other),
            known,
            "{count}"
        );
    }
}

/// A value in front of a loop: `count` additions, the first of them to a bit.
fn deep(count: u32) -> bool {
    let mut text =
        "fn @f(v0: i32, v1: i1) -> i32 {\nblock0:\n  v2: i32 = and v0, i32 1\n".to_owned();
    for at in 3..3 + count {
        let _ = writeln!(text, "  v{at}: i32 = add v{}, i32 2", at - 1);
    }
    let _ = write!(
        text,
        "  br block1
        block1:
          br v1, block1, block2 [site0: edge0 false, edge1 true]
        block2:
          v900: i1 = icmp ugt v{}, i32 1000
          br v900, block3, block4 [site1: edge2 false, edge3 true]
        block3:
          ret i32 0
        block4:
          ret i32 1
        }}",
        2 + count
    );
    is_dead(&counted_up(&text), false, 3).is_ok()
}

#[test]
fn values_are_looked_through_so_deep() {
    assert!(deep(0));
    assert!(deep(63));
    assert!(!deep(64));
    assert!(!deep(65));
}

#[test]
fn what_memory_holds_is_known_as_long_as_nothing_may_change_it() {
    let stored = |more: &str| {
        never(
            &format!("store v0, @a {more} v20: i32 = load @a"),
            "icmp ne v20, v0",
        )
    };
    assert!(stored(""));
    assert!(stored("store v1, (@a + 4)"));
    assert!(stored("v30: i32 = load @b"));
    assert!(stored("v30: i32 = load v2"));
    assert!(stored("count 0"));
    assert!(!stored("store v1, (@a + 2)"));
    assert!(!stored("store i8 1, (@a + 3)"));
    assert!(!stored("store v1, v2"));
    assert!(!stored("call @other()"));
    assert!(!stored("store [2 x i32] [i32 1, i32 2], v2"));
    let read = |text: &str, second: &str| never(text, second);
    // Reading twice gives the same; nothing is known of what is volatile.
    let twice = "v20: i32 = load @a v21: i32 = load @a";
    assert!(read(twice, "icmp ne v20, v21"));
    let first = "v20: i32 = load @a align 4 volatile v21: i32 = load @a";
    assert!(!read(first, "icmp ne v20, v21"));
    let late = "v20: i32 = load @a v21: i32 = load @a align 4 volatile";
    assert!(!read(late, "icmp ne v20, v21"));
    let store = "store v0, @a align 4 volatile v20: i32 = load @a";
    assert!(!read(store, "icmp ne v20, v0"));
    // The same bits of another type, but no more and no fewer of them.
    let float = "store v0, @a v20: f32 = load @a v21: i32 = bitcast v20";
    assert!(read(float, "icmp ne v21, v0"));
    assert!(read("store v3, @a v20: i1 = load @a", "xor v20, v3"));
    let truth = "store i8 1, @a v20: i1 = load @a";
    assert!(!read(truth, "xor v20, i1 1"));
    let number = "store i8 1, @a v20: i1 = load @a v21: i8 = zext v20";
    assert!(!read(number, "icmp ne v21, i8 1"));
    let wide = "store v0, @a v20: i16 = load @a v21: i16 = trunc v0";
    assert!(!read(wide, "icmp ne v20, v21"));
    // The oldest place is forgotten first.
    let many = |places: u32| {
        let mut text = "store v0, @a".to_owned();
        for at in 1..=places {
            let _ = write!(text, " store v1, (@a + {})", 8 * at);
        }
        read(&(text + " v20: i32 = load @a"), "icmp ne v20, v0")
    };
    assert!(many(63));
    assert!(!many(64));
}

#[test]
fn an_object_has_an_address() {
    assert!(never("v20: ptr = alloca 4", "icmp eq v20, null"));
    assert!(never("", "icmp eq @a, null"));
    assert!(!never("", "icmp eq v2, null"));
}

/// What flows into the phis of a block that is entered once is what they are; where a loop comes back, it is not.
#[test]
fn a_phi_is_what_flows_into_it() {
    let text = |first: &str, back: &str| {
        format!(
            "fn @f(v0: i32, v1: i1, v2: i32) -> i32 {{
             block0:
               br v1, block1, block2 [site0: edge0 false, edge1 true]
             block1:
               br block3
             block2:
               br block3
             block3:
               v3: i32 = phi [block1: {first}, block2: v0{back}]
               v4: i1 = icmp ne v3, v0
               br v4, block4, block5 [site1: edge2 false, edge3 true]
             block4:
               br {}
             block5:
               ret i32 1
             }}",
            if back.is_empty() { "block5" } else { "block3" }
        )
    };
    for (first, back, dead) in [
        ("v0", "", true),
        ("v2", "", false),
        ("v0", ", block4: v2", false),
    ] {
        let found = is_dead(&text(first, back), false, 3);
        assert_eq!(found.is_ok(), dead, "{first} {back}: {found:?}");
    }
}

/// The way back is followed through so many blocks, and those that every path passes through so many more.
#[test]
fn the_only_way_is_followed_so_far_back() {
    let dead = |blocks: u32| {
        let mut text = "fn @f(v0: i32) -> i32 {
            block0:
              v1: i1 = icmp sgt v0, i32 5
              br v1, block1, block900 [site0: edge0 false, edge1 true]
            "
        .to_owned();
        for block in 1..blocks {
            let _ = writeln!(text, "block{block}:\n  br block{}", block + 1);
        }
        let (next, last) = (blocks + 1, blocks + 2);
        let text = text
            + &format!(
                "block{blocks}:
                   v2: i1 = icmp sgt v0, i32 3
                   br v2, block{next}, block{last} [site1: edge2 false, edge3 true]
                 block{next}:
                   ret i32 0
                 block{last}:
                   ret i32 1
                 }}"
            );
        is_dead(&text.replace("block900", &format!("block{next}")), false, 2).is_ok()
    };
    assert!(dead(1));
    assert!(dead(223));
    assert!(!dead(224));
}
