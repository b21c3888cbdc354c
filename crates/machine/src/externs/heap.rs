//! `malloc` and its kin. Each object has its bounds and its end of life.

use path::LossReason;

use super::{Call, Extern};
use crate::fault::Fault;
use crate::memory::Kind;
use crate::register::Register;
use crate::state::{Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "malloc" => |state, call| state.allocate(call, &[0]),
        "calloc" => |state, call| state.allocate(call, &[0, 1]),
        "aligned_alloc" | "memalign" => |state, call| state.allocate(call, &[1]),
        "realloc" => |state, call| state.reallocate(call, &[1]),
        "reallocarray" => |state, call| state.reallocate(call, &[1, 2]),
        "free" => free,
        _ => return None,
    })
}

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

    /// A heap object; `None` when there is no room.
    pub fn object(&mut self, size: u64) -> Option<u64> {
        if self.memory.used.saturating_add(size) > self.limits.memory {
            return None;
        }
        self.memory.add(Kind::Heap, size)
    }

    fn reallocate(&mut self, call: &Call, factors: &[usize]) -> Made<Register> {
        let old = call.word(0);
        self.pin(&call.arg(0), LossReason::Address);
        let fresh = self.allocate(call, factors)?;
        if old == 0 || fresh.word() == 0 {
            return Ok(fresh);
        }
        let size = self.heap_object(old)?;
        let wanted = self.memory.find(fresh.word(), 0)?.0.bytes.len() as u64;
        self.memory.copy(fresh.word(), old, size.min(wanted))?;
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

fn free(state: &mut State<'_>, call: &Call) -> Made<Register> {
    state.pin(&call.arg(0), LossReason::Address);
    let address = call.word(0);
    if address != 0 {
        state.heap_object(address)?;
        state.memory.remove(address);
    }
    Ok(Register::Word(0))
}
