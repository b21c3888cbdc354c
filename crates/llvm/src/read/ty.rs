//! Types.

use std::cell::RefCell;
use std::collections::HashMap;

use program::{DataLayout, Endian, Extern, Field, Type};

use crate::ir::{self, Kind, Module, Value};

/// Converts the types of a module, each once.
pub struct Types<'a> {
    module: &'a Module,
    known: RefCell<HashMap<ir::Type, Type>>,
}

/// The module's data layout.
pub fn layout(module: &Module) -> DataLayout {
    let (pointer_bits, little) = module.layout();
    DataLayout {
        pointer_bits,
        endian: if little { Endian::Little } else { Endian::Big },
    }
}

impl<'a> Types<'a> {
    pub fn new(module: &'a Module) -> Types<'a> {
        Types {
            module,
            known: RefCell::default(),
        }
    }

    /// The model's form of a type.
    pub fn of(&self, ty: ir::Type) -> Type {
        if let Some(known) = self.known.borrow().get(&ty) {
            return known.clone();
        }
        let converted = self.convert(ty);
        self.known.borrow_mut().insert(ty, converted.clone());
        converted
    }

    /// A function without a body.
    pub fn external(&self, function: Value, name: &str) -> Extern {
        let ty = function.function_type();
        Extern {
            name: name.to_owned(),
            return_type: self.of(ty.result()),
            params: ty
                .params()
                .into_iter()
                .map(|param| self.of(param))
                .collect(),
            variadic: ty.is_variadic(),
            weak: function.is_weak_reference(),
        }
    }

    fn convert(&self, ty: ir::Type) -> Type {
        match ty.kind() {
            Kind::LLVMVoidTypeKind => Type::Void,
            Kind::LLVMIntegerTypeKind => Type::Int(ty.int_bits().unwrap_or(0)),
            Kind::LLVMFloatTypeKind => Type::F32,
            Kind::LLVMDoubleTypeKind => Type::F64,
            Kind::LLVMX86_FP80TypeKind => Type::X86Fp80,
            Kind::LLVMPointerTypeKind if ty.address_space() == 0 => Type::Ptr,
            Kind::LLVMArrayTypeKind => Type::array(self.of(ty.element()), ty.len()),
            Kind::LLVMVectorTypeKind => Type::vector(
                self.of(ty.element()),
                u32::try_from(ty.len()).unwrap_or(u32::MAX),
            ),
            Kind::LLVMStructTypeKind if ty.is_sized() => {
                let field = |index| Field {
                    ty: self.of(ty.field(index)),
                    offset: self.module.field_offset(ty, index),
                };
                let fields = (0..ty.len() as u32).map(field).collect();
                Type::structure(fields, self.module.alloc_size(ty))
            }
            _ => Type::Opaque(ty.text().into()),
        }
    }
}
