//! Functions without a body in the program: inputs, and the C library as far as it is modelled.
//!
//! A function of the library that `runtime/models` has in C is part of the program, under its model's name, and runs like it.
//! What is here in Rust is what the native runtime wraps. A module each for a header's worth of functions; [`find`] is the one
//! list of names.

mod block;
mod character;
mod format;
mod heap;
mod input;
mod output;
mod process;
mod stream;
mod string;

use path::LossReason;
use program::{Callee, ExternId, FuncId, Op, Program};

use crate::register::Register;
use crate::state::{End, Made, State, name_of};

/// A function of the library: its arguments, and the register of its result.
pub(crate) type Extern = fn(&mut State<'_>, &Call) -> Made<Register>;

/// A call of an extern.
pub(crate) struct Call {
    pub name: String,
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

/// The prefix of the C models' names.
const MODEL: &str = "__bw_model_";

/// What runs a function of this name.
fn find(name: &str) -> Option<Extern> {
    const PARTS: [fn(&str) -> Option<Extern>; 8] = [
        input::find,
        heap::find,
        block::find,
        string::find,
        character::find,
        stream::find,
        output::find,
        process::find,
    ];
    PARTS.iter().find_map(|find| find(name))
}

/// The C model of a function, if the program has it.
fn model(program: &Program, name: &str) -> Option<FuncId> {
    program.function_named(&format!("{MODEL}{name}"))
}

/// What the functions of a program call, name, or do that nothing here runs: in order, each once. Nothing of it need happen in a run.
#[must_use]
pub fn unmodelled(program: &Program) -> Vec<String> {
    let mut names = std::collections::BTreeSet::new();
    for function in program.functions.values() {
        if function.library {
            continue;
        }
        for block in function.blocks.keys() {
            for (_, inst) in function.insts(block) {
                match &inst.op {
                    Op::Call {
                        callee: Callee::Extern(callee),
                        ..
                    } => {
                        let name = name_of(program, *callee);
                        if find(name).is_none() && model(program, name).is_none() {
                            names.insert(name.to_owned());
                        }
                    }
                    Op::Call {
                        callee: Callee::Asm(_),
                        ..
                    } => {
                        names.insert("inline assembly".to_owned());
                    }
                    Op::Opaque { what, .. } if !semantics::is_computed(&inst.op) => {
                        names.insert(what.to_string());
                    }
                    _ => {}
                }
            }
        }
    }
    names.into_iter().collect()
}

impl State<'_> {
    /// Calls a function without a body.
    pub fn call_extern(
        &mut self,
        function: ExternId,
        args: Vec<Register>,
        sizes: &[u64],
        to: u32,
    ) -> Made {
        let name = name_of(self.program, function);
        if let Some(model) = model(self.program, name) {
            return self.call_function(model, args, sizes, to);
        }
        let Some(run) = find(name) else {
            return Err(End::Unmodelled(format!("call of {name}")));
        };
        let call = Call {
            name: name.to_owned(),
            args,
        };
        let result = run(self, &call)?;
        self.set(to, result);
        Ok(())
    }

    /// Makes the arguments of a call concrete: what the function does depends on their values alone.
    pub fn concretise(&mut self, call: &Call) {
        if call.args.iter().any(|arg| arg.term().is_some()) {
            self.lost(LossReason::External);
        }
    }
}
