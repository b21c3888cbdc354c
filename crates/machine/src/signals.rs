//! Signals that a program sends to itself by `raise`: its handler is called, as a function, at that place.
//!
//! Must hold: a signal that comes from anywhere else ends the run by name where a handler waits for it, and not otherwise.

use std::collections::BTreeMap;

use path::{LossReason, Outcome};

use crate::externs::Call;
use crate::memory::Kind;
use crate::register::Register;
use crate::state::{End, Made, State};

/// What `SIG_DFL`, `SIG_IGN` and `SIG_ERR` are.
const DEFAULT: u64 = 0;
const IGNORED: u64 = 1;
const ERROR: u64 = u64::MAX;

/// Numbers of signals (Linux): SIGKILL and SIGSTOP have no handler; what follows is ignored, or stops the process.
const LAST: u64 = 64;
const FIXED: [u64; 2] = [9, 19];
const HARMLESS: [u64; 4] = [17, 18, 23, 28];
const STOPPING: [u64; 4] = [19, 20, 21, 22];

/// `EINVAL`.
const INVALID: u64 = 22;

/// What a program has said of signals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    /// Handlers, by signal; those that are not there are `SIG_DFL`.
    handlers: BTreeMap<u64, u64>,
    /// Signals whose handlers run, each with the number of its frame and how many entries there were before it.
    active: Vec<(u64, usize, u64)>,
}

impl Signals {
    /// Whether a function waits for a signal.
    pub fn handles(&self, signal: i32) -> bool {
        let handler = u64::try_from(signal).ok();
        let handler = handler.and_then(|signal| self.handlers.get(&signal));
        handler.is_some_and(|&handler| handler != DEFAULT)
    }
}

impl State<'_> {
    /// `signal`: the handler that there was.
    pub fn set_handler(&mut self, call: &Call) -> Made<Register> {
        self.pin(&call.arg(0), LossReason::Value);
        self.pin(&call.arg(1), LossReason::Address);
        let (signal, handler) = (call.word(0), call.word(1));
        if signal == 0 || signal > LAST || FIXED.contains(&signal) {
            let errno = self.error_number()?;
            self.memory.set_word(errno, 4, INVALID)?;
            let pointer = self.program.layout.pointer_bits as u8;
            return Ok(Register::Word(ERROR & crate::concrete::mask(pointer)));
        }
        let old = self.signals.handlers.insert(signal, handler);
        Ok(Register::Word(old.unwrap_or(DEFAULT)))
    }

    /// `raise`: 0, when the handler has returned.
    pub fn raise(&mut self, call: &Call, to: u32) -> Made {
        self.pin(&call.arg(0), LossReason::Value);
        let signal = call.word(0) & u64::from(u32::MAX);
        if signal == 0 || signal > LAST {
            return Err(End::Unmodelled("raise of what is no signal".into()));
        }
        self.set(to, Register::Word(0));
        match self.signals.handlers.get(&signal).copied() {
            None | Some(DEFAULT) if HARMLESS.contains(&signal) => Ok(()),
            None | Some(DEFAULT) if STOPPING.contains(&signal) => {
                Err(End::Unmodelled("raise of a signal that stops".into()))
            }
            None | Some(DEFAULT) => Err(End::Outcome(Outcome::Signalled(signal as i32))),
            Some(IGNORED) => Ok(()),
            Some(handler) => self.call_handler(signal, handler, to),
        }
    }

    fn call_handler(&mut self, signal: u64, handler: u64, to: u32) -> Made {
        let frames = &self.frames;
        self.signals.active.retain(|&(_, depth, serial)| {
            frames
                .get(depth)
                .is_some_and(|frame| frame.serial == serial)
        });
        if self
            .signals
            .active
            .iter()
            .any(|(other, ..)| *other == signal)
        {
            return Err(End::Unmodelled("raise of a signal in its handler".into()));
        }
        let object = self.memory.object(handler);
        let Some(Kind::Function(function)) = object.map(|object| object.kind) else {
            return Err(End::Unmodelled("a handler of the library".into()));
        };
        let entered = (signal, self.frames.len(), self.calls);
        self.call_function(function, vec![Register::Word(signal)], &[], to)?;
        self.signals.active.push(entered);
        Ok(())
    }
}
