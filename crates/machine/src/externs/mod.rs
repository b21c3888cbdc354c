//! Functions without a body in the program: inputs, and the C library as far as it is modelled.
//!
//! A function of the library that `runtime/models` has in C is part of the program, under its model's name, and runs like it.
//! What is here in Rust is what the native runtime wraps. A module each for a header's worth of functions; [`find`] is the one
//! list of names.

mod block;
pub(crate) mod character;
mod error;
mod extent;
mod file;
mod format;
mod heap;
mod hook;
pub(crate) mod input;
mod length;
mod output;
mod process;
mod search;
mod stream;
mod string;
mod sym;
mod system;
mod wanted;

use std::rc::Rc;

use path::LossReason;
use program::{ExternId, FuncId, PrimaryMap, Program};
use wire::libc::{MODEL_PREFIX, Treatment};

use crate::fail::stands_before;
use crate::register::Register;
use crate::state::{End, Made, State, name_of};

/// A function of the library: its arguments, and the register of its result.
pub(crate) type Extern = fn(&mut State<'_>, &Call) -> Made<Register>;

/// A call of an extern.
pub(crate) struct Call {
    pub name: Rc<str>,
    pub args: Vec<Register>,
}

impl Call {
    /// The argument; 0 where the call has none.
    pub fn arg(&self, index: usize) -> Register {
        self.args.get(index).cloned().unwrap_or(Register::Word(0))
    }

    pub fn word(&self, index: usize) -> u64 {
        self.args.get(index).map_or(0, Register::word)
    }
}

/// What runs a function of this name.
fn find(name: &str) -> Option<Extern> {
    const PARTS: [fn(&str) -> Option<Extern>; 14] = [
        input::find,
        heap::find,
        block::find,
        string::find,
        length::find,
        search::find,
        hook::find,
        character::find,
        stream::find,
        file::find,
        error::find,
        output::find,
        process::find,
        system::find,
    ];
    PARTS.iter().find_map(|find| find(name))
}

/// Is there anything that runs a call of this function?
pub(crate) fn is_modelled(program: &Program, name: &str) -> bool {
    model(program, name).is_some() || find(name).is_some()
}

/// The C model of a function, if the program has it.
fn model(program: &Program, name: &str) -> Option<FuncId> {
    program.function_named(&format!("{MODEL_PREFIX}{name}"))
}

/// What is known of a function without a body: looked up at its first call.
#[derive(Debug)]
pub(crate) struct Known {
    name: Rc<str>,
    /// Its name says that it stands before one that may fail.
    forced: bool,
    model: Option<FuncId>,
    /// Its model is for calls whose result is used.
    is_output: bool,
    run: Option<Extern>,
    /// Its place among the functions that may fail.
    pub failing: Option<usize>,
}

impl Known {
    fn of(program: &Program, function: ExternId) -> Known {
        let called = name_of(program, function);
        let name = stands_before(called).unwrap_or(called);
        Known {
            name: name.into(),
            forced: name != called,
            model: model(program, name),
            is_output: wire::libc::treatment(name) == Some(Treatment::Output),
            run: find(name),
            failing: wire::fail::index(name),
        }
    }
}

/// Those that were called.
pub(crate) type Externs = PrimaryMap<ExternId, Option<Rc<Known>>>;

impl State<'_> {
    fn known(&mut self, function: ExternId) -> Rc<Known> {
        let known = &mut self.externs[function];
        let known = known.get_or_insert_with(|| Known::of(self.program, function).into());
        Rc::clone(known)
    }

    /// Calls a function without a body.
    pub fn call_extern(
        &mut self,
        function: ExternId,
        args: Vec<Register>,
        types: &[(program::Type, u64)],
        to: u32,
    ) -> Made {
        let known = self.known(function);
        if let Some(model) = known.model
            && !known.forced
            && self.wants_model(known.is_output, model)
        {
            return self.call_function(model, args, types, to);
        }
        let Some(run) = known.run else {
            return Err(End::Unmodelled(format!("call of {}", known.name)));
        };
        let mut call = Call {
            name: Rc::clone(&known.name),
            args,
        };
        match &*known.name {
            "exit" => return self.leave_program(call.word(0) as i32 & 0xff),
            "longjmp" | "_longjmp" | "siglongjmp" => {
                self.pin(&call.arg(0), LossReason::Address);
                return self.long_jump(call.word(0), call.arg(1));
            }
            "raise" => return self.raise(&call, to),
            _ => {}
        }
        let result = match known.failing {
            Some(place) => self.call_or_fail(run, &mut call, (place, known.forced))?,
            None => run(self, &call)?,
        };
        self.set(to, result);
        Ok(())
    }

    /// Whether a call goes to the C model, as the instrumentation has it: output only where the result is used, and what a model
    /// calls by the name that it models is the C library's.
    fn wants_model(&self, is_output: bool, model: FuncId) -> bool {
        let caller = self.top().code.function;
        let functions = &self.program.functions;
        match is_output {
            true => !functions[caller].library && self.result_is_used(),
            false => {
                !functions[caller].library || functions[caller].module != functions[model].module
            }
        }
    }

    /// Makes the arguments of a call concrete: what the function does depends on their values alone.
    pub fn concretise(&mut self, call: &Call) {
        if call.args.iter().any(|arg| arg.term().is_some()) {
            self.lost(LossReason::External);
        }
    }
}
