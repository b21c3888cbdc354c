//! Initial values of globals: bytes and addresses.

use program::{Gap, Init, Program, Relocation, RelocationTarget};

use super::Unit;
use super::constant::Address;
use super::symbols::Symbol;
use crate::ir::{Kind, Opcode, Value};

impl Unit<'_> {
    /// Fills in the initial values of the module's globals.
    pub fn globals(&mut self, program: &mut Program) {
        for &(global, id) in &self.symbols.globals[self.index] {
            let Some(value) = global.initializer() else {
                continue;
            };
            let mut init = Init::default();
            self.write(value, 0, &mut init);
            while init.bytes.last() == Some(&0) {
                init.bytes.pop();
            }
            program.globals[id].init = Some(init);
        }
    }

    /// Writes a constant at an offset. What has no bytes (addresses of labels, differences of addresses) is not known.
    fn write(&self, value: Value, offset: u64, init: &mut Init) {
        if value.is_null() || value.is_undef() {
            return;
        }
        let ty = value.ty();
        if let Some(data) = value.data() {
            return put(&mut init.bytes, offset, &data);
        }
        if let Some(address) = self.address(value) {
            return relocate(init, offset, address);
        }
        match ty.kind() {
            Kind::LLVMStructTypeKind | Kind::LLVMArrayTypeKind | Kind::LLVMVectorTypeKind
                if !value.is_constant_expression() =>
            {
                for index in 0..ty.len() {
                    let at = if ty.kind() == Kind::LLVMVectorTypeKind {
                        index * self.source.module.store_size(ty.element())
                    } else {
                        self.source.module.member_offset(ty, index)
                    };
                    match value.member(index as u32) {
                        Some(member) => self.write(member, offset + at, init),
                        None => return self.unknown(value, offset, init),
                    }
                }
            }
            _ if value.is_constant_expression() => self.write_expression(value, offset, init),
            _ => match self.number(value) {
                Some((bits, number)) => {
                    let bytes = number.to_le_bytes();
                    put(
                        &mut init.bytes,
                        offset,
                        &bytes[..bits.div_ceil(8).min(16) as usize],
                    );
                }
                None => self.unknown(value, offset, init),
            },
        }
    }

    /// A constant expression without an address: casts of numbers.
    fn write_expression(&self, value: Value, offset: u64, init: &mut Init) {
        if matches!(
            value.constant_opcode(),
            Opcode::LLVMIntToPtr | Opcode::LLVMBitCast | Opcode::LLVMPtrToInt
        ) {
            self.write(value.operand(0), offset, init);
        } else {
            self.unknown(value, offset, init);
        }
    }

    fn unknown(&self, value: Value, offset: u64, init: &mut Init) {
        let size = self.source.module.store_size(value.ty());
        init.unknown.push(Gap { offset, size });
    }
}

fn put(bytes: &mut Vec<u8>, offset: u64, data: &[u8]) {
    let start = offset as usize;
    if bytes.len() < start + data.len() {
        bytes.resize(start + data.len(), 0);
    }
    bytes[start..start + data.len()].copy_from_slice(data);
}

fn relocate(init: &mut Init, offset: u64, address: Address) {
    let to = match address.symbol {
        Symbol::Function(function) => RelocationTarget::Function(function),
        Symbol::Extern(external) => RelocationTarget::Extern(external),
        Symbol::Global(global) => RelocationTarget::Global(global),
    };
    init.relocations.push(Relocation {
        offset,
        to,
        addend: address.offset,
    });
}
