//! Evaluations a second of a compiled trace: `cargo run --release -p descent --example speed`.
//!
//! One trace of 20 operations at several widths, the same with a call and an unsatisfied condition, and a loop.

use std::time::Instant;

use descent::{Machine, Program, text};

/// Values for each of the inputs; `steps` of a generator.
fn measure(name: &str, trace: &str, evaluations: u64) {
    let read = text::parse(trace).unwrap_or_else(|bad| panic!("{name}: {bad}\n{trace}"));
    let program = Program::new(&read.terms, &read.trace).expect("a trace");
    let mut machine = Machine::new(&program);
    let mut values = vec![0_u128; read.trace.variables.len()];
    let (mut sum, begin) = (0.0, Instant::now());
    for turn in 0..evaluations {
        for (place, value) in values.iter_mut().enumerate() {
            *value = u128::from(turn.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (place + 8));
        }
        sum += machine.evaluate(&values, &mut |_, _| None);
    }
    let seconds = begin.elapsed().as_secs_f64();
    let (operations, each) = (program.operations(), seconds * 1e9 / evaluations as f64);
    let rate = evaluations as f64 / seconds;
    println!("| {name} | {operations} | {rate:.0} | {each:.0} |");
    assert!(sum >= 0.0);
}

/// 20 operations on integers of this width, and the condition.
fn integers(width: u16) -> String {
    let mut text = format!("x: s{width}\ny: s{width}\nz: u{width}\n");
    let mut term = "x".to_owned();
    let wrap = [
        "(Add # y)",
        "(Mul # 3)",
        "(Xor # z)",
        "(Sub # 7)",
        "(And # 0x7fffff)",
        "(LShr # 2)",
        "(Or # y)",
    ];
    for turn in 0..19 {
        term = wrap[turn % wrap.len()].replace('#', &term);
    }
    text.push_str(&format!("fit (Eq {term} 12345)"));
    text
}

fn floats(width: u16) -> String {
    let mut text = format!("x: f{width}\ny: f{width}\nz: f{width}\n");
    let mut term = "x".to_owned();
    let wrap = [
        "(FAdd # y)",
        "(FMul # 1.5)",
        "(FSub # z)",
        "(FAbs #)",
        "(FDiv # 3.0)",
    ];
    for turn in 0..19 {
        term = wrap[turn % wrap.len()].replace('#', &term);
    }
    text.push_str(&format!("fit (FLt {term} -1.0)"));
    text
}

fn main() {
    println!("| trace | operations | evaluations a second | ns each |\n|---|---|---|---|");
    for width in [8, 32, 64, 65, 128] {
        measure(
            &format!("integers of {width} bits"),
            &integers(width),
            1_000_000,
        );
    }
    for width in [32, 64, 80] {
        measure(&format!("floats of {width} bits"), &floats(width), 500_000);
    }
    let call = integers(64) + "\ncall s:64 = sin (UToF:64 z)\nfit (FLt 0.0 s)";
    measure("integers of 64 bits, and sin", &call, 500_000);
    let turns = "x: u32\nloop 2000\n i:32 = 0\n res:32 = 0\n block\n branch (Ult i (And x 1023)) 1 exit\n block\n\
         branch (Eq (SRem i 2) 0) 2 3\n block\n res := (Sub res 1)\n i := (Add i 1)\n goto 0\n block\n\
         res := (Add res 17)\n i := (Add i 1)\n goto 0\nend\nfit (Eq res 8192)";
    measure("the paper's loop, 512 turns on average", turns, 5_000);
}
