//! What memory holds when the program starts.

use program::private::Cell;
use program::{Endian, Program};
use smt::{Pool, Term};

/// The number in a cell of up to 16 bytes; `None`: nothing is known of it.
pub fn initial(program: &Program, cell: Cell, pool: &mut Pool) -> Option<Term> {
    let init = program.globals[cell.global].init.as_ref()?;
    let relocated = init.relocations.iter().any(|relocation| {
        // An address has at most 8 bytes.
        relocation.offset < cell.offset + cell.size && relocation.offset + 8 > cell.offset
    });
    if relocated || program.layout.endian != Endian::Little {
        return None;
    }
    let at = |at: u64| usize::try_from(at).ok().and_then(|at| init.bytes.get(at));
    let bytes = (cell.offset..cell.offset + cell.size).rev();
    let number = bytes.fold(0u128, |all, byte| {
        all << 8 | u128::from(at(byte).copied().unwrap_or(0))
    });
    let bits = u16::try_from(8 * cell.size).ok()?;
    Some(pool.constant(bits, number))
}
