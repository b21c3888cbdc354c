//! Ends of the program, the error number, and functions of numbers that have no expressions.

use path::{LossReason, Outcome};

use super::{Call, Extern};
use crate::fault::Fault;
use crate::memory::Kind;
use crate::register::Register;
use crate::state::{End, Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    if mathematics(name).is_some() {
        return Some(computed);
    }
    Some(match name {
        // `call_extern` runs them: they do not return, or not at once.
        "exit" | "longjmp" | "_longjmp" | "siglongjmp" | "raise" => |_, _| Ok(Register::Word(0)),
        "signal" => |state, call| state.set_handler(call),
        "_exit" | "_Exit" => |_, call| {
            let status = call.word(0) as i32 & 0xff;
            Err(End::Outcome(Outcome::Exited(status)))
        },
        "atexit" => |state, call| {
            let object = state.memory.object(call.word(0));
            let Some(Kind::Function(function)) = object.map(|object| object.kind) else {
                return Err(End::Unmodelled("atexit of a library function".into()));
            };
            state.at_exit.push(function);
            Ok(Register::Word(0))
        },
        "localeconv" => locale,
        "setlocale" => set_locale,
        "strtod" => |state, call| number(state, call, |text| text.parse().ok().map(f64::to_bits)),
        "strtof" => |state, call| {
            number(state, call, |text| {
                text.parse().ok().map(|number: f32| number.to_bits().into())
            })
        },
        "mbsinit" => |state, call| {
            let state_word = match call.word(0) {
                0 => 0,
                place => state.memory.word(place, 4)?.0,
            };
            Ok(Register::Word(u64::from(state_word == 0)))
        },
        "abort" | "__assert_fail" | "__assert_rtn" => |_, _| Err(Fault::Abort.into()),
        "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" => |state, call| {
            state.pin(&call.arg(0), LossReason::Address);
            state.set_jump(call.word(0))
        },
        "__errno_location" => |state, _| Ok(Register::Word(state.error_number()?)),
        "getenv" | "secure_getenv" => |state, call| {
            state.pin(&call.arg(0), LossReason::Address);
            let name = state.string(call.word(0), usize::MAX)?;
            Ok(Register::Word(state.variable(&name)))
        },
        "sleep" | "usleep" => |_, _| Ok(Register::Word(0)),
        _ => return None,
    })
}

impl State<'_> {
    /// Where `errno` is.
    pub(crate) fn error_number(&mut self) -> Made<u64> {
        let known = match self.errno {
            Some(known) => known,
            None => {
                let full = End::Outcome(Outcome::Memory);
                self.memory.add(Kind::Global, 4).ok_or(full)?
            }
        };
        self.errno = Some(known);
        Ok(known)
    }
}

/// A function of one or two doubles.
fn mathematics(name: &str) -> Option<fn(f64, f64) -> f64> {
    Some(match name {
        "sin" => |x, _| x.sin(),
        "cos" => |x, _| x.cos(),
        "tan" => |x, _| x.tan(),
        "asin" => |x, _| x.asin(),
        "acos" => |x, _| x.acos(),
        "atan" => |x, _| x.atan(),
        "atan2" => f64::atan2,
        "sinh" => |x, _| x.sinh(),
        "cosh" => |x, _| x.cosh(),
        "tanh" => |x, _| x.tanh(),
        "exp" => |x, _| x.exp(),
        "exp2" => |x, _| x.exp2(),
        "expm1" => |x, _| x.exp_m1(),
        "log" => |x, _| x.ln(),
        "log2" => |x, _| x.log2(),
        "log10" => |x, _| x.log10(),
        "log1p" => |x, _| x.ln_1p(),
        "pow" => f64::powf,
        "hypot" => f64::hypot,
        "cbrt" => |x, _| x.cbrt(),
        _ => return None,
    })
}

fn computed(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.concretise(call);
    let (x, y) = (f64::from_bits(call.word(0)), f64::from_bits(call.word(1)));
    let result = mathematics(&call.name).map_or(0.0, |compute| compute(x, y));
    Ok(Register::Word(result.to_bits()))
}

/// The C locale: the decimal point is a point.
fn locale(state: &mut State<'_>, call: &Call) -> Made<Register> {
    if let Some(known) = state.tables.get(&*call.name) {
        return Ok(Register::Word(*known));
    }
    let full = || End::Outcome(Outcome::Memory);
    let pointer = u64::from(state.program.layout.pointer_bits / 8);
    let point = state.memory.add(Kind::Constant, 2).ok_or_else(full)?;
    state.memory.initialise(point, 0, b".");
    let empty = state.memory.add(Kind::Constant, 1).ok_or_else(full)?;
    // Ten strings, then numbers of one byte, which say that they are not given.
    let size = 10 * pointer + 16;
    let made = state.memory.add(Kind::Constant, size).ok_or_else(full)?;
    for field in 0..10 {
        let text = if field == 0 { point } else { empty };
        let bytes = &text.to_le_bytes()[..pointer as usize];
        state.memory.initialise(made, field * pointer, bytes);
    }
    state
        .memory
        .initialise(made, 10 * pointer, &[i8::MAX as u8; 16]);
    state.tables.insert(call.name.to_string(), made);
    Ok(Register::Word(made))
}

/// `setlocale`: the C locale alone, by either of its names. The environment names none that is installed everywhere.
fn set_locale(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(0), LossReason::Value);
    state.pin(&call.arg(1), LossReason::Address);
    if call.word(1) != 0 {
        let mut wanted = state.string(call.word(1), usize::MAX)?;
        if wanted.is_empty() {
            wanted = locale_of_environment(state);
        }
        if !matches!(&*wanted, b"" | b"C" | b"POSIX") {
            return Err(End::Unmodelled("setlocale to another locale than C".into()));
        }
    }
    if let Some(known) = state.tables.get(&*call.name) {
        return Ok(Register::Word(*known));
    }
    let made = state.memory.add(Kind::Constant, 2);
    let made = made.ok_or(End::Outcome(Outcome::Memory))?;
    state.memory.initialise(made, 0, b"C");
    state.tables.insert(call.name.to_string(), made);
    Ok(Register::Word(made))
}

/// What the environment says; nothing if it says nothing.
fn locale_of_environment(state: &State<'_>) -> Vec<u8> {
    let categories = [
        "LC_ALL",
        "LC_CTYPE",
        "LC_COLLATE",
        "LC_NUMERIC",
        "LC_MESSAGES",
        "LANG",
    ];
    let variables = &state.config.variables;
    let said = categories.iter().find_map(|name| {
        let mut all = variables.iter();
        all.find(|(variable, value)| variable == name.as_bytes() && !value.is_empty())
    });
    said.map_or_else(Vec::new, |(_, value)| value.clone())
}

/// A number in a text that the model has pinned. Hexadecimal ones are not known here.
fn number(state: &mut State<'_>, call: &Call, bits: fn(&str) -> Option<u64>) -> Made<Register> {
    let text = state.string(call.word(0), usize::MAX)?;
    let spaces = text
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r'))
        .count();
    let rest = String::from_utf8_lossy(&text[spaces..]);
    let digits = rest.trim_start_matches(['+', '-']);
    if digits.starts_with("0x")
        || digits.starts_with("0X")
        || digits.to_lowercase().starts_with("nan(")
    {
        return Err(End::Unmodelled(format!("{} of another base", call.name)));
    }
    // The longest start that is a number: Rust and C agree on decimal ones, `inf` and `nan`.
    let found = (1..=rest.len())
        .rev()
        .filter(|&end| rest.is_char_boundary(end))
        .find_map(|end| Some((end, bits(&rest[..end])?)));
    let (length, value) = match found {
        Some((end, value)) => (spaces + end, value),
        None => (0, 0),
    };
    if call.word(1) != 0 {
        let end = Register::Word(call.word(0) + length as u64);
        let pointer = state.program.layout.pointer_bits as u8;
        state.store_word(&call.arg(1), pointer, &end)?;
    }
    Ok(Register::Word(value))
}
