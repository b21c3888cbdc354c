//! The words of a program: what it compares with, and its strings.

use std::collections::BTreeSet;

use program::{Const, Op, Operand, Program, SiteKind};

use crate::rng::Rng;

/// Words of each sort that are kept.
const MOST: usize = 4096;
/// Longest string, in bytes.
const LONGEST: usize = 40;

/// Constants of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Dictionary {
    integers: Vec<u128>,
    floats: Vec<f64>,
    texts: Vec<Vec<u8>>,
}

impl Dictionary {
    pub(super) fn of(program: &Program) -> Dictionary {
        let (mut integers, mut floats) = (BTreeSet::new(), BTreeSet::new());
        let own = program
            .functions
            .values()
            .filter(|function| !function.library);
        for function in own {
            for (block, _) in function.blocks.iter() {
                for (_, inst) in function.insts(block) {
                    if !matches!(inst.op, Op::ICmp { .. } | Op::FCmp { .. } | Op::FBin { .. }) {
                        continue;
                    }
                    inst.op.for_each_operand(|operand| match operand {
                        Operand::Const(Const::Int { bits, value }) => {
                            integers.insert(extended(*bits, *value));
                        }
                        Operand::Const(Const::F32(bits)) => {
                            floats.insert(f64::from(f32::from_bits(*bits)).to_bits());
                        }
                        Operand::Const(Const::F64(bits)) => {
                            floats.insert(*bits);
                        }
                        _ => {}
                    });
                }
            }
        }
        for site in program.sites.values() {
            if let SiteKind::Switch { bits, cases } = &site.kind
                && !program.functions[site.function].library
            {
                integers.extend(cases.iter().map(|&case| extended(*bits, case)));
            }
        }
        let texts: BTreeSet<Vec<u8>> = program
            .globals
            .values()
            .filter(|global| global.constant)
            .filter_map(|global| global.init.as_ref())
            .filter_map(|init| text(&init.bytes))
            .collect();
        Dictionary {
            integers: integers.into_iter().take(MOST).collect(),
            floats: floats.into_iter().take(MOST).map(f64::from_bits).collect(),
            texts: texts.into_iter().take(MOST).collect(),
        }
    }

    pub(super) fn integer(&self, rng: &mut Rng) -> Option<u128> {
        one(&self.integers, rng).copied()
    }

    pub(super) fn float(&self, rng: &mut Rng) -> Option<f64> {
        one(&self.floats, rng).copied()
    }

    pub(super) fn text(&self, rng: &mut Rng) -> Option<&[u8]> {
        one(&self.texts, rng).map(Vec::as_slice)
    }
}

fn one<'a, T>(words: &'a [T], rng: &mut Rng) -> Option<&'a T> {
    if words.is_empty() {
        return None;
    }
    Some(&words[rng.below(words.len())])
}

/// A signed constant at the width of the widest value.
fn extended(bits: u32, value: u128) -> u128 {
    if bits == 0 || bits >= 128 || value >> (bits - 1) & 1 == 0 {
        return value;
    }
    value | u128::MAX << bits
}

/// A string, without its end, if that is what the bytes are.
fn text(bytes: &[u8]) -> Option<Vec<u8>> {
    let length = bytes
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(bytes.len());
    let text = &bytes[..length];
    let fits = (1..=LONGEST).contains(&length);
    let printable = |byte: &u8| byte.is_ascii_graphic() || b" \t\r\n".contains(byte);
    (fits && text.iter().all(printable)).then(|| text.to_vec())
}

#[cfg(test)]
impl Dictionary {
    pub(super) fn texts_for_tests(&mut self, texts: &[&str]) {
        self.texts = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    }
}
