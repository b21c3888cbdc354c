//! Effects, constants, edges; what has no meaning.

use program::{AggregateConst, BlockId, Callee, Field, FuncId, MemOp, SiteKind, Terminator};
use smt::Op as TermOp;

use super::*;
use crate::{Access, Effect, Open, Symbol, incoming, looked_at};

#[test]
fn what_has_no_meaning_says_why() {
    use Intrinsic as I;
    let value = |op: &Op, given: &[Given]| run(op, &Type::Int(8), given).map(|_| ());
    let three = [N(64, 1), N(64, 2), N(64, 3)];
    for &op in I::ALL {
        let op_ = intrinsic(op);
        let expected = match op {
            I::Fma | I::FMulAdd => Err(Gap::Operation),
            I::VaStart | I::VaEnd | I::VaCopy | I::StackSave | I::StackRestore | I::Trap => {
                assert!(!crate::is_computed(&op_));
                assert_eq!(value(&op_, &[]), Err(Gap::Unmodelled), "{op}");
                continue;
            }
            _ => Ok(()),
        };
        assert!(crate::is_computed(&op_), "{op}");
        let found = [1, 2, 3].map(|count| value(&op_, &three[..count]));
        assert!(found.contains(&expected), "{op} {found:?}");
        let many = [three.as_slice(), three.as_slice()].concat();
        if op != I::Expect {
            assert_eq!(value(&op_, &many), Err(Gap::Operands), "{op}");
        }
    }
    // Operands of different widths, and arithmetic of `long double`.
    for &op in BinOp::ALL {
        assert_eq!(value(&bin(op), &[N(8, 1), N(16, 1)]), Err(Gap::Operands));
    }
    assert_eq!(
        value(&icmp(ICmp::Eq), &[N(8, 1), N(16, 1)]),
        Err(Gap::Operands)
    );
    assert_eq!(
        value(&intrinsic(I::UMax), &[N(8, 1), N(16, 1)]),
        Err(Gap::Operands)
    );
    for funnel in [[N(8, 1), N(16, 1), N(8, 1)], [N(8, 1), N(8, 1), N(16, 1)]] {
        assert_eq!(value(&intrinsic(I::FShl), &funnel), Err(Gap::Operands));
    }
    let two = [N(64, 1), N(64, 2)];
    assert_eq!(value(&named("atomicrmw"), &two), Err(Gap::Unmodelled));
    let half = Type::Opaque("half".into());
    assert_eq!(
        run(&cast(CastOp::FpTrunc), &half, &[N(64, 1)]),
        Err(Gap::Type)
    );
    assert_eq!(crate::width(&DataLayout::LP64, &Type::Int(129)), None);
    assert_eq!(crate::width(&DataLayout::LP64, &Type::Int(128)), Some(128));
    assert_eq!(crate::width(&DataLayout::ILP32, &Type::Ptr), Some(32));
}

/// The effect of an operation on these operands, and the pool that its terms are of.
fn effect(op: &Op, ty: &Type, given: &[(Type, Given)]) -> (Effect, Pool) {
    let mut pool = Pool::new();
    let types: Vec<Type> = given.iter().map(|(ty, _)| ty.clone()).collect();
    let given: Vec<Given> = given.iter().map(|(_, given)| given.clone()).collect();
    let operands = operands(&mut pool, &given, None);
    let effect = Builder::new(&mut pool, DataLayout::LP64).effect(op, ty, &operands, &types);
    (effect, pool)
}

#[test]
fn loads_and_stores_say_what_they_touch() {
    let load = Op::Load {
        address: any(),
        align: 4,
        volatile: true,
    };
    let (found, mut pool) = effect(&load, &Type::Int(17), &[(Type::Ptr, N(64, 64))]);
    let access = Access {
        address: pool.constant(64, 64),
        bytes: 3,
        align: 4,
        volatile: true,
    };
    assert_eq!(found, Effect::Read(access));
    let store = Op::Store {
        address: any(),
        value: any(),
        align: 2,
        volatile: false,
    };
    let given = [(Type::Int(16), N(16, 0x1234)), (Type::Ptr, N(64, 8))];
    let (found, mut pool) = effect(&store, &Type::Void, &given);
    let Effect::Write(write) = found else {
        panic!("{found:?}");
    };
    let bytes = [0x34, 0x12].map(|byte| Some(pool.constant(8, byte)));
    assert_eq!(write.bytes, bytes);
    let access = Access {
        address: pool.constant(64, 8),
        bytes: 2,
        align: 2,
        volatile: false,
    };
    assert_eq!(write.access, access);
    // What cannot be written as terms may be anything.
    let half = Type::Opaque("half".into());
    let given = [(half, N(16, 1)), (Type::Ptr, N(64, 8))];
    let (found, _) = effect(&store, &Type::Void, &given);
    assert_eq!(found, Effect::Havoc(Gap::Type));
}

#[test]
fn blocks_of_memory_and_fresh_objects() {
    for (op, fill) in [
        (MemOp::Copy, false),
        (MemOp::Move, false),
        (MemOp::Set, true),
    ] {
        let mem = Op::Mem {
            op,
            args: [any(), any(), any()],
            volatile: true,
        };
        let second = if fill {
            (Type::Int(8), N(8, 7))
        } else {
            (Type::Ptr, N(64, 32))
        };
        let given = [(Type::Ptr, N(64, 16)), second, (Type::Int(32), N(32, 5))];
        let (found, mut pool) = effect(&mem, &Type::Void, &given);
        let (to, from) = (pool.constant(64, 16), pool.constant(64, 32));
        let (length, byte) = (pool.constant(64, 5), pool.constant(8, 7));
        let block = |from| crate::Block {
            to,
            from,
            length,
            volatile: true,
        };
        let expected = if fill {
            Effect::Fill {
                block: block(to),
                byte,
            }
        } else {
            Effect::Copy(block(from))
        };
        assert_eq!(found, expected);
    }
    let alloca = Op::Alloca {
        size: 12,
        align: 8,
        count: any(),
    };
    let (found, mut pool) = effect(&alloca, &Type::Ptr, &[(Type::Int(32), N(32, 3))]);
    let bytes = pool.constant(64, 36);
    assert_eq!(found, Effect::Fresh { bytes, align: 8 });
}

#[test]
fn other_effects() {
    let phi = Op::Phi {
        incoming: Vec::new(),
    };
    let call = Op::Call {
        callee: Callee::Asm("".into()),
        args: Vec::new(),
        variadic: false,
    };
    let count = Op::Count {
        counter: 0,
        step: None,
        site: None,
    };
    let at = |op: &Op| effect(op, &Type::Void, &[]).0;
    assert_eq!(at(&phi), Effect::Phi);
    assert_eq!(at(&call), Effect::Call);
    assert_eq!(at(&count), Effect::Nothing);
    assert_eq!(at(&intrinsic(Intrinsic::Trap)), Effect::Stop);
    for op in [
        Intrinsic::VaStart,
        Intrinsic::VaEnd,
        Intrinsic::VaCopy,
        Intrinsic::StackSave,
        Intrinsic::StackRestore,
    ] {
        assert_eq!(at(&intrinsic(op)), Effect::Havoc(Gap::Unmodelled), "{op}");
    }
    assert_eq!(at(&named("cmpxchg")), Effect::Havoc(Gap::Unmodelled));
    let fma = intrinsic(Intrinsic::Fma);
    let three = [0; 3].map(|_| (Type::F64, N(64, 0)));
    assert_eq!(
        effect(&fma, &Type::F64, &three).0,
        Effect::Unknown(Gap::Operation)
    );
    let (sum, mut pool) = effect(
        &bin(BinOp::Add),
        &Type::Int(8),
        &[(Type::Int(8), N(8, 1)), (Type::Int(8), N(8, 2))],
    );
    assert_eq!(sum, Effect::Value(pool.constant(8, 3).into()));
    // Without operands a store may have written anything, and a sum nothing.
    let store = Op::Store {
        address: any(),
        value: any(),
        align: 1,
        volatile: false,
    };
    assert_eq!(at(&store), Effect::Havoc(Gap::Operands));
    assert_eq!(at(&bin(BinOp::Add)), Effect::Unknown(Gap::Operands));
    let may_write = [store, call, named("x")];
    assert!(may_write.iter().all(crate::may_write));
    assert!(![phi, count, bin(BinOp::Add)].iter().any(crate::may_write));
}

/// Addresses are 0x1000 and more; what is undefined is 0x55.
struct Fixed;

impl Open for Fixed {
    fn address(&mut self, pool: &mut Pool, symbol: Symbol, bits: u16) -> Result<Term, Gap> {
        let base = match symbol {
            Symbol::Global(_) => 0x1000,
            Symbol::Function(_) => 0x2000,
            Symbol::Extern(_) => 0x3000,
        };
        Ok(pool.constant(bits, base))
    }

    fn undefined(&mut self, pool: &mut Pool, bits: u16) -> Result<Term, Gap> {
        Ok(pool.constant(bits, 0x55))
    }
}

#[test]
fn constants() {
    let value = |constant: &Const| {
        let mut pool = Pool::new();
        let value = Builder::new(&mut pool, DataLayout::LP64).constant(constant, &mut Fixed)?;
        let terms = value.scalars().into_iter();
        let number = |term| (pool.width(term), pool.as_const(term).expect("a constant"));
        Ok(terms.map(number).collect::<Vec<_>>())
    };
    let pair = Type::array(Type::Int(8), 2);
    let field = |ty, offset| Field { ty, offset };
    let fields = vec![field(Type::Int(8), 0), field(Type::Int(16), 2)];
    let id = program::GlobalId::from_u32(0);
    for (constant, expected) in [
        (Const::int(17, 5), vec![(17, 5)]),
        (Const::F32(1), vec![(32, 1)]),
        (Const::F64(2), vec![(64, 2)]),
        (Const::Null, vec![(64, 0)]),
        (Const::Zero(pair.clone()), vec![(8, 0), (8, 0)]),
        (Const::Undef(pair.clone()), vec![(8, 0x55), (8, 0x55)]),
        (Const::Poison(Type::Int(32)), vec![(32, 0x55)]),
        (
            Const::Zero(Type::structure(fields, 4)),
            vec![(8, 0), (16, 0)],
        ),
        (
            Const::Aggregate(
                AggregateConst {
                    ty: pair.clone(),
                    members: vec![Const::int(8, 1), Const::int(8, 2)],
                }
                .into(),
            ),
            vec![(8, 1), (8, 2)],
        ),
        (
            Const::Global {
                global: id,
                offset: -16,
            },
            vec![(64, 0xff0)],
        ),
        (Const::Function(FuncId::from_u32(0)), vec![(64, 0x2000)]),
        (
            Const::Extern(program::ExternId::from_u32(0)),
            vec![(64, 0x3000)],
        ),
        (
            Const::Opaque {
                ty: Type::X86Fp80,
                what: "x86_fp80 0xK3FFF8000000000000000".into(),
            },
            vec![(80, 0x3fff_8000_0000_0000_0000)],
        ),
    ] {
        assert_eq!(value(&constant), Ok(expected), "{constant:?}");
    }
    // Two halves of which each is small enough.
    let half = |offset| Field {
        ty: Type::array(Type::Int(8), 4096),
        offset,
    };
    let halves = vec![half(0), half(4096)];
    let opaque = |ty, what: &str| Const::Opaque {
        ty,
        what: what.into(),
    };
    for (constant, gap) in [
        (opaque(Type::Ptr, "blockaddress"), Gap::Unmodelled),
        (opaque(Type::X86Fp80, "0xK3FFF"), Gap::Unmodelled),
        (Const::Zero(Type::array(Type::Int(8), 4097)), Gap::Type),
        (Const::Zero(Type::Int(129)), Gap::Type),
        (Const::Zero(Type::vector(Type::Int(8), 4097)), Gap::Type),
        (Const::Zero(Type::structure(halves, 8192)), Gap::Type),
    ] {
        assert_eq!(value(&constant), Err(gap));
    }
    let large = Const::Zero(Type::array(Type::Int(8), 4096));
    assert_eq!(value(&large).map(|list| list.len()), Ok(4096));
}

#[test]
fn edges_and_phis() {
    let mut pool = Pool::new();
    let cond = pool.var(Var(0), 1);
    let value = pool.var(Var(1), 8);
    let mut builder = Builder::new(&mut pool, DataLayout::LP64);
    let (yes, no) = (
        builder.taken(&SiteKind::Branch, 1, cond),
        builder.taken(&SiteKind::Branch, 0, cond),
    );
    assert_eq!(
        builder.taken(&SiteKind::Branch, 1, value),
        Err(Gap::Operands)
    );
    let switch = SiteKind::Switch {
        bits: 8,
        cases: vec![1, 7],
    };
    let sides = [0, 1, 2].map(|side| builder.taken(&switch, side, value).expect("a side"));
    assert_eq!(builder.taken(&switch, 0, cond), Err(Gap::Operands));
    let not = pool.not(cond);
    assert_eq!((yes, no), (Ok(cond), Ok(not)));
    for at in 0..=255 {
        let known: Assignment = [(Var(1), at)].into_iter().collect();
        let taken = sides.map(|side| eval(&pool, side, &known) == 1);
        assert_eq!(taken, [at == 1, at == 7, at != 1 && at != 7]);
    }
    let (a, b) = (BlockId::from_u32(1), BlockId::from_u32(2));
    let one: Operand = Const::int(8, 1).into();
    let phi = Op::Phi {
        incoming: vec![(a, one.clone())],
    };
    assert_eq!(incoming(&phi, a), Some(&one));
    assert_eq!(incoming(&phi, b), None);
    assert_eq!(incoming(&bin(BinOp::Add), a), None);
    assert_eq!(looked_at(&Terminator::Unreachable), None);
    let branch = Terminator::CondBr {
        cond: one.clone(),
        then: a,
        els: b,
        site: program::SiteId::from_u32(0),
    };
    assert_eq!(looked_at(&branch), Some(&one));
    let switch = Terminator::Switch {
        value: one.clone(),
        cases: vec![(1, a)],
        default: b,
        site: program::SiteId::from_u32(0),
    };
    assert_eq!(looked_at(&switch), Some(&one));
}

/// Read backward: the weakest precondition of `v < 10` before `v := u + 1` is `u + 1 < 10`.
#[test]
fn a_condition_is_read_backward_by_substitution() {
    let mut pool = Pool::new();
    let (u, v) = (pool.var(Var(0), 8), pool.var(Var(1), 8));
    let ten = pool.constant(8, 10);
    let post = pool.cmp(TermOp::Ult, v, ten);
    let one = pool.constant(8, 1);
    let mut builder = Builder::new(&mut pool, DataLayout::LP64);
    let value = builder
        .value(&bin(BinOp::Add), &Type::Int(8), &[u.into(), one.into()])
        .expect("a value");
    let value = value.scalar().expect("a scalar");
    let pre = pool.substitute(post, &[(Var(1), value)].into_iter().collect());
    for at in 0..=255 {
        let known: Assignment = [(Var(0), at)].into_iter().collect();
        assert_eq!(eval(&pool, pre, &known) == 1, (at + 1) % 256 < 10);
    }
}
