//! Every operation against a definition of its own, written down in another way.

use program::{BinOp, CastOp, Const, DataLayout, FBinOp, FCmp, ICmp, Intrinsic, Op, Operand, Type};
use smt::{Assignment, Pool, Term, Var, eval};

use crate::{Builder, Gap, Value};

mod floats;
mod integers;
mod lanes;
mod memory;
mod rest;

/// Widths: powers of two, their neighbours, the extremes.
const WIDTHS: [u16; 17] = [
    1, 2, 3, 7, 8, 9, 13, 16, 24, 31, 32, 33, 64, 65, 100, 127, 128,
];

/// An operand: a number of so many bits, or members.
#[derive(Clone, Debug)]
enum Given {
    N(u16, u128),
    M(Vec<Given>),
}
use Given::{M, N};

fn mask(bits: u16) -> u128 {
    u128::MAX >> (128 - bits)
}

fn signed(value: u128, bits: u16) -> i128 {
    (value << (128 - bits)) as i128 >> (128 - bits)
}

/// Corner values of a width, and some between.
fn values(bits: u16) -> Vec<u128> {
    let mut list = vec![0, 1, 2, 3, 7, 8, 31, 32, 33, 64, 100, 127, 128];
    let top = 1_u128 << (bits - 1);
    list.extend([u128::MAX, u128::MAX - 1, top, top - 1, top + 1, top >> 1]);
    let mut state = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128 ^ u128::from(bits);
    for _ in 0..12 {
        state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645) + 0x5851_f42d;
        list.push(state >> 3);
    }
    for value in &mut list {
        *value &= mask(bits);
    }
    list.sort_unstable();
    list.dedup();
    list
}

/// Any operand: what an operation works on is given apart.
fn any() -> Operand {
    Const::Null.into()
}

fn bin(op: BinOp) -> Op {
    Op::Bin {
        op,
        lhs: any(),
        rhs: any(),
    }
}

fn float_bin(op: FBinOp) -> Op {
    Op::FBin {
        op,
        lhs: any(),
        rhs: any(),
    }
}

fn icmp(pred: ICmp) -> Op {
    Op::ICmp {
        pred,
        lhs: any(),
        rhs: any(),
    }
}

fn fcmp(pred: FCmp) -> Op {
    Op::FCmp {
        pred,
        lhs: any(),
        rhs: any(),
    }
}

fn cast(op: CastOp) -> Op {
    Op::Cast { op, value: any() }
}

fn intrinsic(op: Intrinsic) -> Op {
    Op::Intrinsic {
        op,
        args: Vec::new(),
    }
}

fn named(what: &str) -> Op {
    Op::Opaque {
        what: what.into(),
        args: Vec::new(),
    }
}

fn int(bits: u16) -> Type {
    Type::Int(u32::from(bits))
}

/// Makes the operands, by constants or by variables with these values.
fn operands(pool: &mut Pool, given: &[Given], known: Option<&mut Assignment>) -> Vec<Value> {
    fn one(
        pool: &mut Pool,
        given: &Given,
        known: &mut Option<&mut Assignment>,
        next: &mut u32,
    ) -> Value {
        match (given, known.as_deref_mut()) {
            (N(bits, value), None) => pool.constant(*bits, *value).into(),
            (N(bits, value), Some(known)) => {
                let var = Var(*next);
                *next += 1;
                known.set(var, *value);
                pool.var(var, *bits).into()
            }
            (M(members), _) => {
                let members = members.iter();
                let made: Vec<Value> = members
                    .map(|member| one(pool, member, known, next))
                    .collect();
                made.into()
            }
        }
    }
    let (mut known, mut next) = (known, 0);
    let given = given.iter();
    given
        .map(|given| one(pool, given, &mut known, &mut next))
        .collect()
}

/// Builds terms over operands.
type Make<'a> = &'a dyn Fn(&mut Builder<'_>, &[Value]) -> Result<Vec<Term>, Gap>;

/// What `make` builds over operands: over constants, and over variables whose values are then put in. Both must agree.
fn both_ways(layout: DataLayout, given: &[Given], make: Make<'_>) -> Result<Vec<u128>, Gap> {
    let mut pool = Pool::new();
    let constants = operands(&mut pool, given, None);
    let made = make(&mut Builder::new(&mut pool, layout), &constants)?;
    let computed: Vec<u128> = made
        .iter()
        .map(|&term| pool.as_const(term).expect("constants give a constant"))
        .collect();
    let mut known = Assignment::new();
    let variables = operands(&mut pool, given, Some(&mut known));
    let made = make(&mut Builder::new(&mut pool, layout), &variables)?;
    let evaluated: Vec<u128> = made.iter().map(|&term| eval(&pool, term, &known)).collect();
    assert_eq!(computed, evaluated, "{given:?}");
    Ok(computed)
}

/// The scalars of an operation's result.
fn run(op: &Op, ty: &Type, given: &[Given]) -> Result<Vec<u128>, Gap> {
    both_ways(DataLayout::LP64, given, &|builder, operands| {
        Ok(builder.value(op, ty, operands)?.scalars())
    })
}

#[track_caller]
fn check(op: &Op, ty: &Type, given: &[Given], expected: &[u128]) {
    let found = run(op, ty, given);
    assert_eq!(found.as_deref(), Ok(expected), "{op:?} {ty:?} {given:?}");
}
