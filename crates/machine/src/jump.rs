//! `setjmp` and `longjmp`: frames above the one that called `setjmp` end, and its call returns once more.
//!
//! Must hold: a mark is used only while the frame that made it is active; registers keep what they hold, as variables in memory
//! do (what a variable holds that changed in between is undefined in C, unless it is volatile).

use program::FuncId;

use path::Step;

use crate::code::Ins;
use crate::register::Register;
use crate::state::{End, Made, State};

/// A call of `setjmp`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// Number of its frame, and how many entries there were before it: the same number may be another call's frame later.
    depth: usize,
    serial: u64,
    function: FuncId,
    /// The instruction behind the call.
    at: usize,
    /// Register of the result.
    to: u32,
}

impl State<'_> {
    /// Remembers where the call is, in the buffer; the result is 0.
    pub fn set_jump(&mut self, buffer: u64) -> Made<Register> {
        let frame = self.top();
        let Ins::Call { to, .. } = frame.code.instructions[frame.at - 1] else {
            return Err(End::Unmodelled("setjmp".into()));
        };
        let mark = Mark {
            depth: self.frames.len(),
            serial: frame.serial,
            function: frame.code.function,
            at: frame.at,
            to,
        };
        self.record.step(Step::Resume(mark.function));
        self.marks.push(mark);
        let number = self.marks.len() as u64;
        self.memory.set_word(buffer, 4, number)?;
        Ok(Register::Word(0))
    }

    /// Goes back to where the buffer says.
    pub fn long_jump(&mut self, buffer: u64, value: Register) -> Made {
        let (number, _) = self.memory.word(buffer, 4)?;
        let mark = (number as usize)
            .checked_sub(1)
            .and_then(|index| self.marks.get(index).copied());
        let known = mark.filter(|mark| {
            let frame = self.frames.get(mark.depth - 1);
            frame.is_some_and(|frame| frame.serial == mark.serial)
        });
        let Some(mark) = known else {
            return Err(End::Unmodelled(
                "longjmp to a function that has returned".into(),
            ));
        };
        while self.frames.len() > mark.depth {
            let frame = self.frames.pop();
            for object in frame.map_or_else(Vec::new, |frame| frame.objects) {
                self.memory.remove(object);
            }
        }
        self.record.step(Step::Resume(mark.function));
        let value = self.not_zero(value);
        let frame = self.frame();
        frame.at = mark.at;
        frame.registers[mark.to as usize] = value;
        Ok(())
    }

    /// What `setjmp` returns: 0 arrives as 1.
    fn not_zero(&mut self, value: Register) -> Register {
        let word = (value.word() & u64::from(u32::MAX)).max(1);
        let Some(term) = value.term() else {
            return Register::Word(word);
        };
        let (zero, one) = (self.pool.constant(32, 0), self.pool.constant(32, 1));
        let is_zero = self.pool.eq(term, zero);
        let term = self.pool.ite(is_zero, one, term);
        self.made_word(word, term)
    }
}
