//! Segments full of garbage, from pure noise to almost right: whatever is in them, reading ends, in bounds, without a panic,
//! and what it accepts is well-formed.

mod support;

use std::fs::File;
use std::os::unix::fs::FileExt;

use native::events::{Path, Reader};
use native::modules::ModuleMap;
use native::segment::{RunLimits, Segment, Sizes};
use native::terms::Terms;
use path::Step;
use random::Random;
use smt::{Evaluator, Pool};
use wire::event::{self, kind};
use wire::node::Op;
use wire::segment::{HOT_OFFSET, Header, ModuleRecord};

const NODES: u32 = 300;
const WORDS: u32 = 400;

struct Writer {
    file: File,
    header: Header,
}

impl Writer {
    fn new(segment: &Segment) -> Writer {
        let file = File::from(segment.fd().try_clone_to_owned().expect("a descriptor"));
        Writer {
            file,
            header: segment.header(),
        }
    }

    fn put(&self, offset: u64, bytes: &[u8]) {
        self.file
            .write_all_at(bytes, offset)
            .expect("the segment can be written");
    }

    fn node(&self, label: u32, op: u8, aux: u8, bits: u16, operands: [u32; 3], value: u128) {
        let mut bytes = vec![op, aux];
        bytes.extend(bits.to_le_bytes());
        operands
            .iter()
            .for_each(|operand| bytes.extend(operand.to_le_bytes()));
        bytes.extend(value.to_le_bytes());
        self.put(self.header.nodes.offset + u64::from(label) * 32, &bytes);
    }

    fn words(&self, offset: u64, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.put(offset, &bytes);
    }

    fn cursor(&self, words: u64) {
        self.put(HOT_OFFSET as u64, &(words * 4).to_le_bytes());
    }
}

fn segment() -> Segment {
    let sizes = Sizes {
        nodes: NODES,
        event_words: WORDS,
        inputs: 64,
        streams: 8,
        stream_bytes: 4096,
        name_bytes: 4096,
        table_words: 512,
        modules: 8,
        losses: 8,
        edge_hits: 64,
    };
    Segment::new(
        &sizes,
        RunLimits {
            timeout_ms: 1,
            memory_bytes: 0,
            table_bytes: 64,
        },
        0,
    )
    .expect("a segment")
}

fn modules(program: &program::Program) -> ModuleMap {
    let record = ModuleRecord {
        uid: 0x77,
        edges: 2,
        functions: 1,
        spots: 1,
        ..ModuleRecord::default()
    };
    ModuleMap::new(program, &[record])
}

/// Reads everything that there is to read, and evaluates what came of it.
fn read(segment: &Segment, pool: &mut Pool, terms: &mut Terms) -> Path {
    let program = support::model();
    let modules = modules(&program);
    terms.begin(pool, segment.node_count().max(NODES));
    let mut path = Path::default();
    Reader {
        segment,
        modules: &modules,
        terms,
        pool,
    }
    .read(segment.events(), &mut path);
    let assignment = support::ints(&[3, -1, 7]).assignment();
    let mut evaluator = Evaluator::new(pool, &assignment);
    for step in &path.steps {
        let term = match step {
            Step::Edge {
                cond: Some(cond), ..
            } => cond.term,
            Step::Constraint { term, .. } => *term,
            _ => continue,
        };
        assert!(evaluator.value(term) <= native::segment::mask(pool.width(term)));
    }
    let _ = (
        segment.losses(),
        segment.modules(),
        segment.take_edge_hits(64),
        segment.check_text(),
    );
    assert!((0..segment.input_count()).all(|index| segment.input(index).is_some()));
    path
}

#[test]
fn noise() {
    let segment = segment();
    let (mut pool, mut terms) = (Pool::new(), Terms::default());
    let writer = Writer::new(&segment);
    for seed in 1..=200 {
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..writer.header.bytes)
            .map(|_| random.next() as u8)
            .collect();
        writer.put(0, &bytes);
        if seed % 2 == 0 {
            writer.put(HOT_OFFSET as u64 + 32, &0u64.to_le_bytes());
            writer.cursor(random.below_u64(u64::from(WORDS) + 8));
        }
        read(&segment, &mut pool, &mut terms);
    }
}

/// Labels that should be good, by width.
#[derive(Default)]
struct Good(Vec<(u16, u32)>);

impl Good {
    fn any(&self, random: &mut Random) -> (u16, u32) {
        if self.0.is_empty() {
            (8, 0)
        } else {
            random.pick(&self.0)
        }
    }

    fn of(&self, random: &mut Random, bits: u16) -> u32 {
        let fitting: Vec<u32> = self
            .0
            .iter()
            .filter(|(width, _)| *width == bits)
            .map(|(_, label)| *label)
            .collect();
        if fitting.is_empty() {
            0
        } else {
            random.pick(&fitting)
        }
    }
}

/// A node whose operands and widths fit, most of the time.
fn likely_node(random: &mut Random, writer: &Writer, label: u32, good: &mut Good) {
    let op = if label < 20 {
        random.pick(&[Op::Input, Op::Const])
    } else {
        random.pick(Op::ALL)
    };
    let (width, mut a) = good.any(random);
    let mut b = good.of(random, width);
    let mut c = good.of(random, width);
    let mut bits = width;
    match op {
        Op::Const => bits = random.pick(&[1, 3, 8, 16, 32, 64, 80, 128]),
        Op::Input => {
            bits = random.pick(&[1, 8, 16, 32, 64, 128]);
            (a, b) = (
                random.pick(&[0, 1, 2, 500]),
                u32::from(random.below_u64(4) == 0),
            );
            bits = if b == 1 { 8 } else { bits };
        }
        Op::Extract => {
            (b, bits) = (
                random.below_u64(8) as u32,
                1 + random.below_u64(u64::from(width)) as u16,
            )
        }
        Op::Concat => (bits, b) = (width.saturating_mul(2), b),
        Op::ZExt | Op::SExt => bits = width + random.below_u64(20) as u16,
        Op::Ite => (a, b) = (good.of(random, 1), a),
        Op::FToS | Op::FToU | Op::SToF | Op::UToF | Op::FToF => {
            bits = random.pick(&[1, 8, 32, 33, 64, 128])
        }
        Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle | Op::FEq | Op::FLt | Op::FLe | Op::FUno => {
            bits = 1
        }
        Op::UAddO | Op::SAddO | Op::USubO | Op::SSubO | Op::UMulO | Op::SMulO => bits = 1,
        Op::Table => (b, bits) = (0, 8),
        _ => {}
    }
    // One in twenty is wrong somewhere.
    match random.below_u64(80) {
        0 => a = random.next() as u32,
        1 => b = random.below_u64(u64::from(label) + 3) as u32,
        2 => c = random.below_u64(u64::from(label) + 3) as u32,
        3 => bits = random.below_u64(200) as u16,
        _ => good.0.push((bits, label)),
    }
    let aux = if op == Op::FRound {
        random.below_u64(6) as u8
    } else {
        0
    };
    writer.node(
        label,
        op as u8,
        aux,
        bits,
        [a, b, c],
        u128::from(random.next()) << random.below_u64(64),
    );
}

#[test]
fn almost_right() {
    let segment = segment();
    let (mut pool, mut terms) = (Pool::new(), Terms::default());
    let writer = Writer::new(&segment);
    let mut kept = 0;
    for seed in 1..=400 {
        let mut random = Random::new(seed * 7919);
        let mut good = Good::default();
        for label in 1..NODES {
            likely_node(&mut random, &writer, label, &mut good);
        }
        let byte = good.of(&mut random, 8).min(20);
        let table = [4, 8, 0, 1, 0, byte, 2, 0, 0, 255, 0, byte, 4, 0];
        writer.words(writer.header.tables.offset, &table);
        // Events one at a time, so that a broken one does not hide those behind it.
        for _ in 0..60 {
            let label = match random.below_u64(10) {
                0 => random.below_u64(u64::from(NODES) + 2) as u32,
                _ => good.of(&mut random, 1),
            };
            let kinds = [
                kind::EDGE_SYM,
                kind::SWITCH,
                kind::CONSTRAINT,
                kind::MARK,
                kind::EDGE,
            ];
            let first = event::word(random.pick(&kinds), random.below_u64(4) as u32);
            let argument = if event::parts(first).0 == kind::CONSTRAINT {
                0
            } else {
                label
            };
            let words = [first, argument, label, event::word(kind::EDGE, 1)];
            writer.words(writer.header.events.offset, &words);
            writer.put(HOT_OFFSET as u64 + 32, &0u64.to_le_bytes());
            writer.cursor(4);
            kept += read(&segment, &mut pool, &mut terms).steps.len();
        }
    }
    assert!(kept > 1000, "the generator is useless: {kept}");
    assert!(
        pool.len() > 5000,
        "the generator is useless: {} terms",
        pool.len()
    );
}
