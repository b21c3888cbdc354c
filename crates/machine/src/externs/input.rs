//! Inputs: values that the program asks for, assumptions, the error location. Names and types are those of the native runtime.

use path::{Class, LossReason, Outcome, Step, ValueType as T};
use smt::Op as TermOp;

use super::{Call, Extern};
use crate::fault::Fault;
use crate::register::{Plain, Register, Wide};
use crate::state::{End, Made, State};

/// `T f(void)`: name, type, how C spells it.
const VALUES: &[(&str, T, &str)] = &[
    ("bool", T::Bool, "_Bool"),
    ("_Bool", T::Bool, "_Bool"),
    ("char", T::I8, "char"),
    ("schar", T::I8, "signed char"),
    ("uchar", T::U8, "unsigned char"),
    ("short", T::I16, "short"),
    ("ushort", T::U16, "unsigned short"),
    ("int", T::I32, "int"),
    ("uint", T::U32, "unsigned int"),
    ("unsigned", T::U32, "unsigned int"),
    ("long", T::I64, "long"),
    ("ulong", T::U64, "unsigned long"),
    ("longlong", T::I64, "long long"),
    ("ulonglong", T::U64, "unsigned long long"),
    ("float", T::F32, "float"),
    ("double", T::F64, "double"),
    ("size_t", T::U64, "size_t"),
    ("loff_t", T::I64, "long long"),
    ("pointer", T::Pointer, "void *"),
    ("pchar", T::Pointer, "void *"),
    ("charp", T::Pointer, "void *"),
    ("u8", T::U8, "unsigned char"),
    ("u16", T::U16, "unsigned short"),
    ("u32", T::U32, "unsigned int"),
    ("u64", T::U64, "unsigned long long"),
    ("s8", T::I8, "signed char"),
    ("s16", T::I16, "short"),
    ("s32", T::I32, "int"),
    ("s64", T::I64, "long long"),
    ("sector_t", T::U64, "unsigned long"),
    ("pthread_t", T::U64, "unsigned long"),
    ("int128", T::I128, "__int128"),
    ("uint128", T::U128, "unsigned __int128"),
];

/// `void f(T *)`: the name that its values have.
const UNNAMED: &[(&str, &str)] = &[
    ("char", "char"),
    ("unsigned_char", "uchar"),
    ("short", "short"),
    ("unsigned_short", "ushort"),
    ("int", "int"),
    ("unsigned_int", "uint"),
];

const NONDET: &str = "__VERIFIER_nondet_";

/// The type where `long` and pointers have 32 bits.
fn narrowed(state: &State<'_>, kind: T, c_type: &str) -> T {
    match (kind, c_type) {
        _ if state.program.layout.pointer_bits != 32 => kind,
        (T::I64, "long") => T::I32,
        (T::U64, "unsigned long" | "size_t") | (T::Pointer, _) => T::U32,
        _ => kind,
    }
}

fn value_type(name: &str) -> Option<(T, &'static str)> {
    let found = VALUES.iter().find(|(known, ..)| *known == name)?;
    Some((found.1, found.2))
}

/// The CREST name of an input function, as `CREST_unsigned_int`.
fn crest(name: &str) -> Option<&'static str> {
    let short = match name {
        "__CrestChar" => "char",
        "__CrestUChar" => "unsigned_char",
        "__CrestShort" => "short",
        "__CrestUShort" => "unsigned_short",
        "__CrestInt" => "int",
        "__CrestUInt" => "unsigned_int",
        _ => name.strip_prefix("CREST_")?,
    };
    UNNAMED
        .iter()
        .find(|(known, _)| *known == short)
        .map(|(known, _)| *known)
}

/// How a function hands over values of the input vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// It returns one.
    Result(T),
    /// It writes one where its first argument points to.
    Written(T),
    /// It fills as many bytes as its second argument says, from where its first one points to.
    Bytes,
}

/// How the function of this name hands over values of the input vector; `None` if it does not, or does more than that.
#[must_use]
pub fn given(name: &str) -> Option<Given> {
    if matches!(
        name,
        "bw_bytes" | "klee_make_symbolic" | "__VERIFIER_nondet_memory"
    ) {
        return Some(Given::Bytes);
    }
    if name == "klee_int" {
        return Some(Given::Result(T::I32));
    }
    if let Some(kind) = name.strip_prefix(NONDET).and_then(value_type) {
        return Some(Given::Result(kind.0));
    }
    let kind = match crest(name) {
        Some(short) => UNNAMED.iter().find(|(known, _)| *known == short)?.1,
        None => name.strip_prefix("bw_")?,
    };
    Some(Given::Written(value_type(kind)?.0))
}

pub(super) fn find(name: &str) -> Option<Extern> {
    if name == "__VERIFIER_nondet_memory" {
        return Some(bytes);
    }
    if name.strip_prefix(NONDET).and_then(value_type).is_some() {
        return Some(value);
    }
    if crest(name).is_some() {
        return Some(at);
    }
    Some(match name {
        "bw_bytes" | "klee_make_symbolic" => bytes,
        "bw_assume" | "__VERIFIER_assume" | "klee_assume" => assume,
        "bw_reach_error" | "reach_error" | "__VERIFIER_error" => reach,
        "__bw_fuzz_input" => fuzz,
        "klee_int" => named_int,
        "klee_range" => range,
        _ => {
            let kind = name.strip_prefix("bw_")?;
            value_type(kind)?;
            at
        }
    })
}

impl State<'_> {
    /// The next value of the input vector.
    fn next_value(&mut self, kind: T, c_type: &str, name: &str) -> Made<Register> {
        let calls = self
            .config
            .calls
            .is_some_and(|most| self.inputs.calls >= most);
        let calls = calls && (self.config.cuts || !self.inputs.is_given());
        self.inputs.calls += 1;
        if calls || self.inputs.asked() >= self.config.limits.inputs {
            self.record.flags.insert(path::RunFlags::INPUTS_TRUNCATED);
            return Err(End::Outcome(Outcome::Exited(0)));
        }
        let (bits, term) = self.inputs.value(self.pool, kind, name, None, c_type);
        if kind.bits() > 64 {
            let concrete = Plain::Scalar {
                bits,
                width: kind.bits(),
            };
            let symbolic = Some(semantics::Value::Scalar(term));
            let symbolic = symbolic.filter(|_| self.pool.is_symbolic(term));
            return Ok(Register::Wide(Wide { concrete, symbolic }.into()));
        }
        Ok(self.made_word(bits as u64, term))
    }

    /// A C string of the program.
    fn text(&self, mut address: u64) -> String {
        let mut text = Vec::new();
        while let Ok((byte @ 1.., _)) = self.memory.byte(address) {
            text.push(byte);
            address += 1;
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

fn value(state: &mut State<'_>, call: &Call) -> Made<Register> {
    let known = call.name.strip_prefix(NONDET).and_then(value_type);
    let (kind, c_type) = known.unwrap_or((T::I32, "int"));
    let kind = narrowed(state, kind, c_type);
    state.next_value(kind, c_type, &call.name)
}

fn at(state: &mut State<'_>, call: &Call) -> Made<Register> {
    let (kind, c_type, name) = match crest(&call.name) {
        Some(short) => {
            let known = UNNAMED.iter().find(|(known, _)| *known == short);
            let (kind, c_type) = known
                .and_then(|(_, kind)| value_type(kind))
                .unwrap_or((T::I32, "int"));
            (kind, c_type, short.to_owned())
        }
        None => {
            let known = call.name.strip_prefix("bw_").and_then(value_type);
            let (kind, c_type) = known.unwrap_or((T::I32, "int"));
            (kind, c_type, state.text(call.word(1)))
        }
    };
    let kind = narrowed(state, kind, c_type);
    state.pin(&call.arg(0), LossReason::Address);
    let place = Register::Word(call.word(0));
    match state.next_value(kind, c_type, &name)? {
        Register::Symbolic(word, term) if kind.bits() < 8 => {
            let term = state.pool.zext(term, 8);
            state.store_word(&place, 8, &Register::Symbolic(word, term))?;
        }
        value => state.store_word(&place, kind.bits().min(64) as u8, &value)?,
    }
    Ok(Register::Word(0))
}

fn bytes(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(0), LossReason::Address);
    state.pin(&call.arg(1), LossReason::Length);
    let (start, count) = (call.word(0), call.word(1));
    let name = if &*call.name == "__VERIFIER_nondet_memory" {
        String::new()
    } else {
        state.text(call.word(2))
    };
    for index in 0..count {
        let (bits, term) = state.inputs.value(
            state.pool,
            T::U8,
            &name,
            Some(index as u32),
            "unsigned char",
        );
        state.set_input(start.wrapping_add(index), bits as u8, term)?;
    }
    Ok(Register::Word(0))
}

fn assume(state: &mut State<'_>, call: &Call) -> Made<Register> {
    let condition = call.arg(0);
    let holds = condition.word() != 0;
    if let Some(term) = condition.term() {
        let zero = state.pool.constant(state.pool.width(term), 0);
        let equal = state.pool.eq(term, zero);
        let truth = if holds { state.pool.not(equal) } else { equal };
        let spot = state.spot();
        state
            .record
            .constraint(state.pool, Class::Assume, spot, truth);
    }
    if holds {
        return Ok(Register::Word(0));
    }
    Err(End::Outcome(Outcome::AssumeFailed))
}

fn reach(state: &mut State<'_>, _: &Call) -> Made<Register> {
    state.record.step(Step::ReachError);
    Err(Fault::Abort.into())
}

/// The bytes that a fuzz target is called with, in a buffer that is as long as they are.
fn fuzz(state: &mut State<'_>, call: &Call) -> Made<Register> {
    let pointer = state.program.layout.pointer_bits as u8;
    let stream = state.stream(path::Role::Fuzz, None);
    let length = stream.map_or(0, |stream| state.supplied(stream));
    let full = End::Outcome(Outcome::Memory);
    let buffer = state.object(length.into()).ok_or(full)?;
    let place = Register::Word(call.word(0));
    state.store_word(&place, pointer, &Register::Word(buffer))?;
    let mut size = Register::Word(length.into());
    if let Some(stream) = stream {
        state.lay(stream, 0, length, buffer)?;
        let term = state.size_of(stream);
        let term = state.pool.extract(term, 0, pointer.into());
        size = state.made_word(length.into(), term);
    }
    state.store_word(&Register::Word(call.word(1)), pointer, &size)?;
    Ok(Register::Word(0))
}

fn named_int(state: &mut State<'_>, call: &Call) -> Made<Register> {
    let name = state.text(call.word(0));
    state.next_value(T::I32, "int", &name)
}

fn range(state: &mut State<'_>, call: &Call) -> Made<Register> {
    let name = state.text(call.word(2));
    let value = state.next_value(T::I32, "int", &name)?;
    let Register::Symbolic(word, term) = value else {
        return Ok(value);
    };
    state.pin(&call.arg(0), LossReason::Value);
    state.pin(&call.arg(1), LossReason::Value);
    let (low, high) = (call.word(0) as i32, call.word(1) as i32);
    let low_term = state.pool.constant(32, (low as u32).into());
    let high_term = state.pool.constant(32, (high as u32).into());
    let above = state.pool.cmp(TermOp::Sle, low_term, term);
    let below = state.pool.cmp(TermOp::Slt, term, high_term);
    let inside = state.pool.and(above, below);
    let holds = low <= word as i32 && (word as i32) < high;
    let truth = if holds {
        inside
    } else {
        state.pool.not(inside)
    };
    let spot = state.spot();
    state
        .record
        .constraint(state.pool, Class::Assume, spot, truth);
    if holds {
        return Ok(value);
    }
    Err(End::Outcome(Outcome::AssumeFailed))
}
