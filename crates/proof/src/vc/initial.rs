//! What memory holds when the program starts.

use program::private::Cell;
use program::{Endian, Init, Program, Relocation, RelocationTarget};
use smt::Term;

use super::Frame;

/// The number in a cell of up to 16 bytes, or an address; `None`: nothing is known of it.
pub fn initial(frame: &mut Frame<'_>, cell: Cell) -> Option<Term> {
    let init = frame.program.globals[cell.global].init.as_ref()?;
    let mut relocations = init.relocations.iter().filter(|relocation| {
        // An address has at most 8 bytes.
        relocation.offset < cell.offset + cell.size && relocation.offset + 8 > cell.offset
    });
    if let Some(relocation) = relocations.next() {
        let address = address(frame, relocation).filter(|_| relocation.offset == cell.offset);
        return address.filter(|address| u64::from(frame.pool.width(*address)) == 8 * cell.size);
    }
    let bits = u16::try_from(8 * cell.size).ok()?;
    let number = number(frame.program, init, cell)?;
    Some(frame.pool.constant(bits, number))
}

fn address(frame: &mut Frame<'_>, relocation: &Relocation) -> Option<Term> {
    match relocation.to {
        RelocationTarget::Function(function) if relocation.addend == 0 => {
            frame.address_of(function)
        }
        RelocationTarget::Global(global) => {
            frame.place(global, u64::try_from(relocation.addend).ok()?)
        }
        RelocationTarget::Function(_) | RelocationTarget::Extern(_) => None,
    }
}

fn number(program: &Program, init: &Init, cell: Cell) -> Option<u128> {
    if program.layout.endian != Endian::Little {
        return None;
    }
    let at = |at: u64| usize::try_from(at).ok().and_then(|at| init.bytes.get(at));
    let bytes = (cell.offset..cell.offset + cell.size).rev();
    Some(bytes.fold(0u128, |all, byte| {
        all << 8 | u128::from(at(byte).copied().unwrap_or(0))
    }))
}
