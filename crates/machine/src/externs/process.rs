//! Ends of the program, the error number, and functions of numbers that have no expressions.

use path::Outcome;

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
        "exit" | "_exit" | "_Exit" => |_, call| {
            let status = call.word(0) as i32 & 0xff;
            Err(End::Outcome(Outcome::Exited(status)))
        },
        "abort" | "__assert_fail" | "__assert_rtn" => |_, _| Err(Fault::Abort.into()),
        "__errno_location" => error_number,
        "sleep" | "usleep" => |_, _| Ok(Register::Word(0)),
        _ => return None,
    })
}

fn error_number(state: &mut State<'_>, _: &Call) -> Made<Register> {
    let known = match state.errno {
        Some(known) => known,
        None => {
            let full = End::Outcome(Outcome::Memory);
            state.memory.add(Kind::Global, 4).ok_or(full)?
        }
    };
    state.errno = Some(known);
    Ok(Register::Word(known))
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
