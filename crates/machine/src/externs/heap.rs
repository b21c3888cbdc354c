//! `malloc` and its kin. Each object has its bounds and its end of life.

use path::LossReason;

use super::{Call, Extern};
use crate::fault::Fault;
use crate::memory::Kind;
use crate::register::Register;
use crate::state::{Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "malloc" => |state, call| state.allocate_empty(call, 0),
        "calloc" => |state, call| state.allocate(call, &[0, 1]),
        "aligned_alloc" | "memalign" => |state, call| state.allocate_empty(call, 1),
        "realloc" => |state, call| state.reallocate(call, &[1]),
        "posix_memalign" => aligned,
        "reallocarray" => |state, call| state.reallocate(call, &[1, 2]),
        "free" => free,
        _ => return None,
    })
}

/// `EINVAL`.
const INVALID: u64 = 22;
/// `ENOMEM`.
const NO_MEMORY: u64 = 12;

impl State<'_> {
    /// An object of the product of some arguments, zeroed; NULL when there is no room.
    fn allocate(&mut self, call: &Call, factors: &[usize]) -> Made<Register> {
        let mut size = Some(1_u64);
        for &factor in factors {
            self.pin(&call.arg(factor), LossReason::Length);
            size = size.and_then(|size| size.checked_mul(call.word(factor)));
        }
        let base = size.and_then(|size| self.object(size));
        Ok(Register::Word(base.unwrap_or(0)))
    }

    /// The same, of so many bytes that nothing has written.
    fn allocate_empty(&mut self, call: &Call, size: usize) -> Made<Register> {
        let made = self.allocate(call, &[size])?;
        self.unwrite(made.word(), 0);
        Ok(made)
    }

    /// Nothing has written what stands behind so many bytes of an object.
    fn unwrite(&mut self, base: u64, written: usize) {
        if base != 0 && self.config.finds.uninitialised {
            self.memory.empty(base, written);
        }
    }

    /// A heap object; `None` when there is no room.
    pub fn object(&mut self, size: u64) -> Option<u64> {
        if self.memory.used.saturating_add(size) > self.config.limits.memory {
            return None;
        }
        let base = self.memory.add(Kind::Heap, size)?;
        self.note_birth(base);
        Some(base)
    }

    /// Gives a heap object back.
    pub fn end_object(&mut self, address: u64) -> Made {
        self.heap_object(address)?;
        self.note_death(address);
        self.memory.remove(address);
        Ok(())
    }

    fn reallocate(&mut self, call: &Call, factors: &[usize]) -> Made<Register> {
        let old = call.word(0);
        self.pin(&call.arg(0), LossReason::Address);
        if old != 0 && factors.iter().any(|&factor| call.word(factor) == 0) {
            factors
                .iter()
                .for_each(|&factor| self.pin(&call.arg(factor), LossReason::Length));
            self.end_object(old)?;
            return Ok(Register::Word(0));
        }
        let fresh = self.allocate(call, factors)?;
        self.unwrite(fresh.word(), 0);
        if old == 0 || fresh.word() == 0 {
            return Ok(fresh);
        }
        let size = self.heap_object(old)?;
        let wanted = self.memory.find(fresh.word(), 0)?.0.bytes.len() as u64;
        self.memory.copy(fresh.word(), old, size.min(wanted))?;
        self.note_death(old);
        self.memory.remove(old);
        Ok(fresh)
    }

    /// Bytes of the heap object that starts here.
    fn heap_object(&self, address: u64) -> Result<u64, Fault> {
        let object = self.memory.object(address).ok_or(Fault::BadFree)?;
        if object.kind != Kind::Heap || object.base != address {
            return Err(Fault::BadFree);
        }
        if !object.alive {
            return Err(Fault::DoubleFree);
        }
        Ok(object.bytes.len() as u64)
    }
}

/// Every object stands at the start of a slot, which is aligned to a page.
fn aligned(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(0), LossReason::Address);
    state.pin(&call.arg(1), LossReason::Value);
    let pointer = state.program.layout.pointer_bits;
    let alignment = call.word(1);
    if !alignment.is_power_of_two() || alignment < u64::from(pointer / 8) {
        return Ok(Register::Word(INVALID));
    }
    state.pin(&call.arg(2), LossReason::Length);
    let Some(base) = state.object(call.word(2)) else {
        return Ok(Register::Word(NO_MEMORY));
    };
    state.unwrite(base, 0);
    let place = Register::Word(call.word(0));
    state.store_word(&place, pointer as u8, &Register::Word(base))?;
    Ok(Register::Word(0))
}

fn free(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(0), LossReason::Address);
    if call.word(0) != 0 {
        state.end_object(call.word(0))?;
    }
    Ok(Register::Word(0))
}
