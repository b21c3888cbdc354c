//! Calls that may fail on request. The list is `wire::fail`.
//!
//! Must hold: which calls are decided, their values and what is recorded are those of the native runtime (`runtime::fail`).

use path::{LossReason, ValueType};
use wire::fail::{HARNESS, MOST, Outcome, PREFIX, TABLE, shortened};

use crate::externs::{Call, Extern};
use crate::register::Register;
use crate::state::{End, Made, State};

/// Decisions of a run about calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decided {
    /// Calls of each function, by its place in the table.
    calls: Vec<u32>,
    /// Decisions in all.
    all: u32,
}

/// The function, if the call of `name` goes to what stands before it.
pub(crate) fn stands_before(name: &str) -> Option<&str> {
    name.strip_prefix(PREFIX)
}

impl State<'_> {
    /// Makes a call that may fail, of the function at this place in the table; `forced` says that whoever calls stands for the program.
    pub(crate) fn call_or_fail(
        &mut self,
        run: Extern,
        call: &mut Call,
        (place, forced): (usize, bool),
    ) -> Made<Register> {
        if !self.config.failing.has(place) || !(forced || self.is_programs()) {
            return run(self, call);
        }
        let failing = &TABLE[place];
        match self.outcome(place)? {
            Outcome::Works => run(self, call),
            Outcome::Short => {
                if let Some(short) = failing.short {
                    self.pin(&call.arg(short), LossReason::Length);
                    call.args[short] = Register::Word(shortened(call.word(short)));
                }
                run(self, call)
            }
            Outcome::Fails => {
                if failing.done {
                    run(self, call)?;
                }
                if let Some(file) = failing.file {
                    self.handle(call.word(file))?.failed = true;
                }
                if failing.errno != 0 {
                    let number = Register::Word(failing.errno as u64);
                    let place = Register::Word(self.error_number()?);
                    self.store_word(&place, 32, &number)?;
                }
                let mask = crate::concrete::mask(self.program.layout.pointer_bits as u8);
                Ok(Register::Word(failing.result.cast_unsigned() & mask))
            }
        }
    }

    /// Is it the program's own code that calls, and neither a library model nor a harness?
    fn is_programs(&self) -> bool {
        let caller = &self.program.functions[self.top().code.function];
        !caller.library && !caller.name.starts_with(HARNESS)
    }

    /// Decides one call.
    fn outcome(&mut self, place: usize) -> Made<Outcome> {
        let failing = &TABLE[place];
        self.decided.calls.resize(TABLE.len(), 0);
        self.decided.calls[place] += 1;
        if self.decided.all == MOST {
            self.lost(LossReason::Full);
            return Ok(Outcome::Works);
        }
        if self.inputs.asked() >= self.config.limits.inputs {
            self.record.flags.insert(path::RunFlags::INPUTS_TRUNCATED);
            return Err(End::Outcome(path::Outcome::Exited(0)));
        }
        self.decided.all += 1;
        let name = format!("fail {} {}", failing.name, self.decided.calls[place]);
        let kind = match failing.short {
            Some(_) => ValueType::U8,
            None => ValueType::Bool,
        };
        let (value, term) = self.inputs.value(self.pool, kind, &name, None, "");
        let is = |state: &mut Self, known: u128| {
            let constant = state.pool.constant(kind.bits(), known);
            let equal = state.pool.eq(term, constant);
            state.decide(equal, value == known)
        };
        let works = is(self, 0);
        if !works && failing.short.is_some() {
            is(self, 1);
        }
        Ok(failing.outcome(value))
    }
}
