//! Functions that may be entered whatever the path.

use std::collections::BTreeSet;

use super::{CALL_AT_ONCE, names};
use crate::callgraph::{CallGraph, CallSite};
use crate::function::Function;
use crate::id::{FuncId, ValueId};
use crate::inst::{Callee, Op};
use crate::model::Program;
use crate::op::{FBinOp, MemOp};
use crate::operand::{Const, Operand};
use crate::outside::FINDS_NAMES;
use crate::types::Type;

/// Functions of the C library that keep a function that they are given, in an argument or in memory, or look one up by
/// name.
pub(super) const CALL_LATER: &[&str] = &[
    "signal",
    "__sysv_signal",
    "sysv_signal",
    "bsd_signal",
    "ssignal",
    "sigset",
    "sigaction",
    "atexit",
    "at_quick_exit",
    "on_exit",
    "__cxa_atexit",
    "pthread_create",
    "thrd_create",
    "pthread_key_create",
    "pthread_atfork",
    "__register_atfork",
    "clone",
    "__clone",
    "timer_create",
    "mq_notify",
    "getaddrinfo_a",
    "aio_read",
    "aio_write",
    "lio_listio",
    "fopencookie",
    "funopen",
    "argp_parse",
    "_obstack_begin",
    "_obstack_begin_1",
    "fts_open",
    "fts64_open",
    "register_printf_function",
    "register_printf_specifier",
    "dlopen",
    "dlmopen",
    "dlsym",
    "dlvsym",
    "rl_bind_key",
    "__libc_start_main",
];

/// Those of them whose functions are called at the end of the run, when nothing else goes on.
const CALL_AT_END: &[&str] = &["atexit", "at_quick_exit", "on_exit", "__cxa_atexit"];

/// Functions that the C library calls by name where a program defines them.
const REPLACEABLE: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "free",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "valloc",
    "pvalloc",
    "malloc_usable_size",
    "cfree",
];

/// Functions that a compiler calls by name for operations on memory.
const COPIES: &[&str] = &["memcpy", "memmove", "memset", "memcmp", "bcmp"];

/// Functions that a compiler calls by name for operations on floating-point numbers; with `f` and `l` behind them for those of
/// other types.
const NUMBERS: &[&str] = &[
    "ceil",
    "cos",
    "exp",
    "exp10",
    "exp2",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "ldexp",
    "llrint",
    "llround",
    "log",
    "log10",
    "log2",
    "lrint",
    "lround",
    "nearbyint",
    "pow",
    "rint",
    "round",
    "roundeven",
    "sin",
    "sqrt",
    "tan",
    "trunc",
];

/// Whether the program has operations that a compiler makes calls of: on memory, on floating-point numbers.
fn emitted(program: &Program) -> (bool, bool) {
    let (mut memory, mut numbers) = (false, false);
    let own = program.functions.values().filter(|body| !body.library);
    for body in own {
        for (_, inst) in body.blocks.keys().flat_map(|block| body.insts(block)) {
            match inst.op {
                Op::Mem { .. } => memory = true,
                Op::Intrinsic { .. }
                | Op::Opaque { .. }
                | Op::FBin {
                    op: FBinOp::Rem, ..
                } => {
                    numbers = true;
                }
                _ => {}
            }
        }
    }
    (memory, numbers)
}

/// A function's name without the letter of its type.
fn is_number(name: &str) -> bool {
    let plain = name.strip_suffix(['f', 'l']);
    NUMBERS.contains(&name) || plain.is_some_and(|name| NUMBERS.contains(&name))
}

/// See [`Following::anytime`]; `at_ends`: also before `main` and at the end of the run.
pub(super) fn anytime(
    program: &Program,
    graph: &CallGraph,
    (foreign, at_ends): (bool, bool),
) -> Vec<FuncId> {
    let mut found: BTreeSet<FuncId> = BTreeSet::new();
    let visible = || {
        let functions = program.functions.iter();
        let visible = functions.filter(|(_, body)| !body.internal && body.name != "main");
        visible.map(|(id, _)| id)
    };
    if foreign {
        found.extend(visible());
        found.extend(graph.address_taken());
    }
    let (memory, numbers) = emitted(program);
    for (id, body) in program.functions.iter() {
        let name = body.name.as_str();
        let is_emitted = memory && COPIES.contains(&name) || numbers && is_number(name);
        if REPLACEABLE.contains(&name) || is_emitted && !body.library {
            found.insert(id);
        }
        for site in graph.calls(id) {
            for name in names(program, site) {
                if CALL_AT_ONCE.contains(&name) || !at_ends && CALL_AT_END.contains(&name) {
                    continue;
                }
                found.extend(&site.callbacks);
                if FINDS_NAMES.contains(&name) {
                    found.extend(visible());
                }
                let known = !site.callbacks.is_empty() || given_constants(program, id, site);
                if !CALL_LATER.contains(&name) || plain(name) && known {
                    continue;
                }
                match handlers(program, id, (name, site)) {
                    Some(handlers) => found.extend(handlers),
                    None => found.extend(graph.address_taken()),
                }
            }
        }
    }
    // For what runs before or behind `main`, "at any time" is more than it does.
    if at_ends {
        found.extend(program.constructors());
        found.extend(program.destructors());
    }
    found.into_iter().collect()
}

/// Takes a function in an argument, not in memory.
fn plain(name: &str) -> bool {
    !matches!(
        name,
        "sigaction"
            | "timer_create"
            | "mq_notify"
            | "getaddrinfo_a"
            | "aio_read"
            | "aio_write"
            | "lio_listio"
            | "fopencookie"
            | "funopen"
            | "argp_parse"
    )
}

/// Functions that a call of `sigaction` makes handlers, where they are written into a local object whose address goes nowhere else; `None`:
/// nobody knows.
fn handlers(
    program: &Program,
    function: FuncId,
    (name, site): (&str, &CallSite),
) -> Option<Vec<FuncId>> {
    const SETS: &[&str] = &[
        "sigaction",
        "sigemptyset",
        "sigfillset",
        "sigaddset",
        "sigdelset",
    ];
    let body = &program.functions[function];
    let Some(Op::Call { args, callee, .. }) = body.inst(site.inst).map(|inst| &inst.op) else {
        return None;
    };
    if name != "sigaction" || !matches!(callee, Callee::Extern(_)) {
        return None;
    }
    let object = match args.get(1)? {
        Operand::Const(Const::Null) => return Some(Vec::new()),
        Operand::Const(_) => return None,
        Operand::Value(value) => base(body, *value)?,
    };
    let is_it =
        |operand: &Operand| operand.value().and_then(|value| base(body, value)) == Some(object);
    let is_narrow = |ty: &Type| matches!(ty, Type::Int(bits) if *bits < 64);
    let mut found = Vec::new();
    for block in body.blocks.keys() {
        for (_, inst) in body.insts(block) {
            match &inst.op {
                Op::Load { .. } | Op::Gep { .. } | Op::ICmp { .. } => {}
                Op::Store { value, address, .. } => match value {
                    value if is_it(value) => return None,
                    Operand::Const(Const::Function(handler)) if is_it(address) => {
                        found.push(*handler);
                    }
                    Operand::Const(Const::Null | Const::Int { .. }) => {}
                    // A number that is as wide as an address may have been one.
                    value if is_it(address) && !is_narrow(&body.operand_type(value)) => {
                        return None;
                    }
                    _ => {}
                },
                Op::Mem { op: MemOp::Set, .. } => {}
                Op::Call {
                    callee: Callee::Extern(callee),
                    ..
                } if SETS.contains(&program.externs[*callee].name.as_str()) => {}
                op => {
                    let mut leaves = false;
                    op.for_each_operand(|operand| leaves |= is_it(operand));
                    if leaves {
                        return None;
                    }
                }
            }
        }
        let mut leaves = false;
        let terminator = &body.blocks[block].terminator;
        terminator.for_each_operand(|operand| leaves |= is_it(operand));
        if leaves {
            return None;
        }
    }
    Some(found)
}

/// The local object that an address is in.
fn base(body: &Function, mut value: ValueId) -> Option<ValueId> {
    loop {
        match &body.inst(value)?.op {
            Op::Alloca { .. } => return Some(value),
            Op::Gep { base, .. } => value = base.value()?,
            _ => return None,
        }
    }
}

/// Are all pointers that a call is given constants?
fn given_constants(program: &Program, function: FuncId, site: &CallSite) -> bool {
    let body = &program.functions[function];
    let mut insts = body.insts(site.block);
    let call = insts.find(|(value, _)| *value == site.inst);
    let Some((_, inst)) = call else { return false };
    let Op::Call { callee, args, .. } = &inst.op else {
        return false;
    };
    let pointer = |arg| body.operand_type(arg) == Type::Ptr;
    matches!(callee, Callee::Extern(_))
        && args
            .iter()
            .filter(|arg| pointer(arg))
            .all(|arg| arg.constant().is_some())
}
