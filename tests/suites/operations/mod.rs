//! One meaning for each instruction: what `semantics` says is what the compiled program computes.
//!
//! Small functions in LLVM's text form, one for each operation and width, are compiled by clang at `-O0` and at `-O2` and run on
//! corner and random operands. The same bitcode, as `bothways cc` stores it, is read into the model, and `semantics` computes
//! the results from the same operands: reads and writes of memory included. What stops the program is not run; what LLVM leaves
//! open is compared at `-O0` alone, where the code is plain.
//!
//! The terms that the instrumentation builds for the same functions are held against `semantics` as well: one run on symbolic
//! operands, whose terms are evaluated on others.

mod cases;
mod model;
mod native;
mod symbolic;

use cases::{Case, Output};
use model::Model;
use native::{BLOCK, Level, Native};
use symbolic::Symbolic;

/// Operands that each function is run on.
const RUNS: usize = 48;

/// Operands that the terms of each function are evaluated on.
const EVALUATIONS: usize = 12;

/// A small generator: the same numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Corner values are as likely as others.
    fn operand(&mut self, bits: u32, is_float: bool) -> u128 {
        const FLOATS: [f64; 12] = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            2.5,
            127.9,
            -129.0,
            4e9,
            -3e18,
            1e300,
            f64::INFINITY,
            f64::NAN,
        ];
        let any = u128::from(self.next()) << 64 | u128::from(self.next());
        let top = 1_u128 << (bits - 1);
        let pick = self.next();
        let float = FLOATS[(pick >> 8) as usize % FLOATS.len()];
        let value = match pick % 14 {
            0..4 if is_float => smt::float(bits as u16, float),
            4..6 if is_float && bits == 32 => smt::float(32, f64::from(any as i16) / 8.0),
            4..6 if is_float => smt::float(bits as u16, f64::from(any as i32) / 8.0),
            0 => 0,
            1 => 1,
            2 => u128::MAX,
            3 => top,
            4 => top - 1,
            5 => u128::from(bits),
            6 => u128::from(bits) - 1,
            7 | 8 => u128::from(pick >> 40) & 0x7f,
            9 => any & any >> 64 & any >> 3,
            _ => any,
        };
        value & u128::MAX >> (128 - bits)
    }

    /// Three operands that are right for every function, as far as types go.
    fn any_block(&mut self) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        for operand in block[..48].chunks_exact_mut(16) {
            let number = u128::from(self.next()) << 64 | u128::from(self.next());
            let float = x87::unpacked(x87::packed(number & u128::MAX >> 48));
            operand.copy_from_slice(&(number >> 80 << 80 | float).to_le_bytes());
        }
        block
    }

    /// A block of operands: each in 16 bytes.
    fn block(&mut self, case: &Case) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        for (index, input) in case.inputs.iter().enumerate() {
            let mut value = self.operand(input.bits, input.is_float);
            if case.library && input.bits == 80 {
                value = x87::unpacked(x87::packed(value));
            }
            block[16 * index..][..16].copy_from_slice(&value.to_le_bytes());
        }
        block
    }
}

/// Whether two results are the same; NaNs are alike.
fn same(a: &[u8], b: &[u8], output: Output) -> bool {
    let nan = |bytes: &[u8]| match output {
        Output::Float => f32::from_le_bytes(bytes[..4].try_into().expect("4 bytes")).is_nan(),
        Output::Double => f64::from_le_bytes(bytes[..8].try_into().expect("8 bytes")).is_nan(),
        Output::LongDouble => x87::is_nan(u128::from_le_bytes(
            bytes[..16].try_into().expect("16 bytes"),
        )),
        Output::Bits => false,
    };
    a == b || nan(a) && nan(b)
}

#[test]
fn semantics_and_compiled_code_agree_on_every_operation() {
    let cases = cases::all();
    let native = Native::build(&cases);
    let model = Model::read(&native.prepared);
    let mut random = Random(0x0b07_4a55);
    let mut jobs = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let mut done = 0;
        for _ in 0..4 * RUNS {
            let block = random.block(case);
            let found = model
                .run(index, &block)
                .unwrap_or_else(|why| panic!("{}: {why}", case.text));
            // What would stop the program is not run.
            let Some(found) = found else { continue };
            jobs.push((index, block, found));
            done += 1;
            if done == RUNS {
                break;
            }
        }
        assert!(done > 0, "no operands are left for {}", case.text);
    }
    let mut wrong = Vec::new();
    for level in [Level::O0, Level::O2] {
        let blocks = jobs.iter().map(|(index, block, _)| (*index, *block));
        let results = native.run(level, blocks);
        assert_eq!(results.len(), jobs.len());
        for ((index, block, found), result) in jobs.iter().zip(&results) {
            let case = &cases[*index];
            let compared = found.sure || level == Level::O0 && case.plain;
            if compared && !same(&found.memory, result, case.output) {
                wrong.push(format!(
                    "{level:?} {}: on {:02x?} the program says {:02x?}, semantics {:02x?}",
                    case.text,
                    &block[..48],
                    &result[..32],
                    &found.memory[..32]
                ));
            }
        }
    }
    let count = wrong.len();
    wrong.truncate(20);
    assert!(
        wrong.is_empty(),
        "{count} differences:\n{}",
        wrong.join("\n")
    );
    eprintln!(
        "{} functions, {} runs at two levels",
        cases.len(),
        jobs.len()
    );
}

/// Operands of which none stops any function. (Where LLVM leaves a quotient open, the program may stop as well.)
fn harmless(model: &Model, cases: &[Case], random: &mut Random) -> [u8; BLOCK] {
    let goes_on = |block: &[u8; BLOCK]| {
        cases.iter().enumerate().all(|(index, case)| {
            let divides = ["sdiv", "srem"].iter().any(|op| case.text.contains(op));
            let found = model
                .run(index, &case.cut(block))
                .expect("every one has a meaning");
            found.is_some_and(|found| found.sure || !divides)
        })
    };
    let mut blocks = std::iter::from_fn(|| Some(random.any_block()));
    blocks.find(goes_on).expect("most do")
}

#[test]
fn semantics_and_the_terms_of_the_instrumentation_agree_on_every_operation() {
    let cases = cases::all();
    let native = Native::build(&cases);
    let model = Model::read(&native.prepared);
    let mut random = Random(0x0b07_4a56);
    let symbolic = Symbolic::build(&native, &cases);
    let block = harmless(&model, &cases, &mut random);
    let mut seen = symbolic.run(&block, cases.len());
    let (mut wrong, mut concrete) = (Vec::new(), Vec::new());
    let (mut compared, mut followed) = (0, 0);
    for (index, case) in cases.iter().enumerate() {
        let mut results: Vec<Vec<u8>> = Vec::new();
        for _ in 0..EVALUATIONS {
            let block = random.block(case);
            let found = model.run(index, &block).expect("it was run before");
            let Some(found) = found.filter(|found| found.sure) else {
                continue;
            };
            let Some(result) = seen.result(index, &block, &found.memory) else {
                continue;
            };
            compared += u32::from(seen.has_terms(index));
            if !same(&found.memory, &result, case.output) {
                wrong.push(format!(
                    "{}: on {:02x?} the instrumentation says {:02x?}, semantics {:02x?}",
                    case.text,
                    &block[..48],
                    &result[..16],
                    &found.memory[..16]
                ));
            }
            results.push(found.memory);
        }
        let varies = |at: usize| results.iter().any(|result| result[at] != results[0][at]);
        if (0..16).any(|at| seen.is_constant(index, at) && varies(at)) {
            concrete.push(case.text.as_str());
        }
        followed += usize::from(seen.has_terms(index));
    }
    let count = wrong.len();
    wrong.truncate(20);
    assert!(
        wrong.is_empty(),
        "{count} differences:\n{}",
        wrong.join("\n")
    );
    assert!(
        concrete.is_empty(),
        "lost without a word:\n{}",
        concrete.join("\n")
    );
    eprintln!(
        "{followed} of {} functions have terms, which were evaluated {compared} times",
        cases.len()
    );
}
