//! Variable arguments: what `va_start` leaves in a `va_list`.
//!
//! Clang reads the list itself: on x86-64 a struct with an area for what came in registers and one for what came on the stack, on
//! 32-bit x86 a pointer to the area on the stack.
//!
//! Must hold: on x86-64 each argument is where the calling convention puts it, since the branches that look for it are events.

use program::Type;

use crate::code::Source;
use crate::fault::Fault;
use crate::memory::Kind;
use crate::register::{Plain, Register};
use crate::state::{Made, State};

/// A variable argument.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub value: Register,
    pub ty: Type,
    /// Bytes.
    pub size: u64,
}

/// Registers for arguments on x86-64, and the bytes that each takes in the area.
const GENERAL: u64 = 6;
const FLOATING: u64 = 8;
const GENERAL_BYTES: u64 = 8 * GENERAL;
const AREA: u64 = GENERAL_BYTES + 16 * FLOATING;

/// Where an argument comes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    General(u64),
    Floating,
    Memory,
}

fn class(ty: &Type) -> Class {
    match ty {
        Type::F32 | Type::F64 => Class::Floating,
        Type::Ptr => Class::General(1),
        Type::Int(bits) => Class::General(u64::from(*bits).div_ceil(64)),
        _ => Class::Memory,
    }
}

/// Registers that are in use.
#[derive(Default)]
struct Used {
    general: u64,
    floating: u64,
}

impl Used {
    /// Where the next argument is in the area of the registers; `None` if it is on the stack.
    fn next(&mut self, class: Class) -> Option<u64> {
        match class {
            Class::General(count) if self.general + count <= GENERAL => {
                self.general += count;
                Some(8 * (self.general - count))
            }
            Class::Floating if self.floating < FLOATING => {
                self.floating += 1;
                Some(GENERAL_BYTES + 16 * (self.floating - 1))
            }
            _ => None,
        }
    }
}

impl State<'_> {
    pub fn start_list(&mut self, list: Source) -> Made {
        let list = self.get(list).word();
        let function = &self.program.functions[self.top().code.function];
        if self.program.layout.pointer_bits == 64 {
            let mut used = Used::default();
            for ty in function.param_types() {
                used.next(class(ty));
            }
            self.start_list_64(list, used)
        } else {
            self.start_list_32(list)
        }
    }

    fn start_list_64(&mut self, list: u64, mut used: Used) -> Made {
        let variable = self.top().variable.clone();
        let (general, floating) = (8 * used.general, GENERAL_BYTES + 16 * used.floating);
        let registers = self.area(AREA)?;
        let mut places = Vec::new();
        let mut stack = 0_u64;
        for argument in &variable {
            let place = used.next(class(&argument.ty));
            places.push(match place {
                Some(place) => (true, place),
                None => {
                    if matches!(argument.ty, Type::Int(128) | Type::X86Fp80) {
                        stack = stack.next_multiple_of(16);
                    }
                    let place = stack;
                    stack += argument.size.next_multiple_of(8);
                    (false, place)
                }
            });
        }
        let overflow = self.area(stack)?;
        for (argument, (in_register, place)) in variable.iter().zip(places) {
            let base = if in_register { registers } else { overflow };
            self.put_argument(base + place, argument)?;
        }
        self.memory.set_word(list, 4, general)?;
        self.memory.set_word(list + 4, 4, floating)?;
        self.memory.set_word(list + 8, 8, overflow)?;
        self.memory.set_word(list + 16, 8, registers)?;
        Ok(())
    }

    fn start_list_32(&mut self, list: u64) -> Made {
        let variable = self.top().variable.clone();
        let size = variable
            .iter()
            .map(|argument| argument.size.next_multiple_of(4))
            .sum();
        let area = self.area(size)?;
        let mut at = area;
        for argument in &variable {
            self.put_argument(at, argument)?;
            at += argument.size.next_multiple_of(4);
        }
        self.memory.set_word(list, 4, area)?;
        Ok(())
    }

    /// An object that lives as long as the call.
    fn area(&mut self, size: u64) -> Made<u64> {
        let area = self.memory.add(Kind::Stack, size);
        let area = area.ok_or(Fault::StackOverflow)?;
        self.frame().objects.push(area);
        Ok(area)
    }

    fn put_argument(&mut self, at: u64, argument: &Variable) -> Made {
        let Register::Wide(wide) = &argument.value else {
            let bits = argument
                .value
                .term()
                .map_or(8 * argument.size as u16, |term| self.pool.width(term));
            return self.store_word(&Register::Word(at), bits.min(64) as u8, &argument.value);
        };
        let Plain::Scalar { bits, .. } = &wide.concrete else {
            return self.write_wide(at, &argument.value, &argument.ty);
        };
        let bits = *bits;
        if let Some(whole) = wide.symbolic.as_ref().and_then(|value| value.scalar()) {
            for index in 0..argument.size.min(16) {
                let width = self.pool.width(whole);
                if 8 * index as u16 + 8 > width {
                    break;
                }
                let term = self.pool.extract(whole, 8 * index as u16, 8);
                let term = Some(term).filter(|term| self.pool.is_symbolic(*term));
                let byte = (bits >> (8 * index)) as u8;
                self.memory.set_byte(at + index, byte, term)?;
            }
            return Ok(());
        }
        self.memory.set_word(at, 8, bits as u64)?;
        let high = argument.size.saturating_sub(8).min(8) as u32;
        self.memory.set_word(at + 8, high, (bits >> 64) as u64)?;
        Ok(())
    }

    pub fn copy_list(&mut self, to: Source, from: Source) -> Made {
        let (to, from) = (self.get(to), self.get(from));
        let pointer = self.program.layout.pointer_bits / 8;
        let size = if pointer == 8 { 24 } else { 4 };
        self.memory.copy(to.word(), from.word(), size)?;
        Ok(())
    }
}
