//! C types and declarations as plain data: what debug information says about a unit.
//!
//! Must hold: a [`TypeId`] indexes the [`Types`] that made it; recursive types close through their ids.

use std::collections::BTreeSet;
use std::fmt;

/// Index of a type in [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub(crate) u32);

impl fmt::Display for TypeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "type{}", self.0)
    }
}

/// What a base type holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    Bool,
    /// `char` and its signed and unsigned variants.
    Char,
    Signed,
    Unsigned,
    Float,
    /// `_Complex` and whatever else the language has.
    Other,
}

/// A member of a struct or union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// `None`: an anonymous struct or union, whose members are the outer one's.
    pub name: Option<String>,
    pub ty: TypeId,
    /// In bytes, from the start of the record; `None` where the debug information does not say it so.
    pub offset: Option<u64>,
    /// Width in bits of a bit-field.
    pub bits: Option<u32>,
    /// `ty` is what the program casts it to; it is declared as a `void *`.
    pub cast: bool,
}

/// A C type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Void,
    Base {
        name: String,
        bytes: u64,
        base: Base,
    },
    Pointer(TypeId),
    Array {
        element: TypeId,
        /// `None`: not known (`[]`).
        count: Option<u64>,
        /// A vector of the processor.
        vector: bool,
    },
    Record {
        tag: Option<String>,
        union: bool,
        /// `None`: declared, but nowhere defined.
        bytes: Option<u64>,
        fields: Vec<Field>,
    },
    Enum {
        tag: Option<String>,
        bytes: u64,
        signed: bool,
        values: Vec<(String, i128)>,
    },
    Function(Signature),
    Typedef {
        name: String,
        target: TypeId,
    },
    Qualified {
        qualifier: Qualifier,
        target: TypeId,
    },
    /// Not C, or not known to this crate: its tag in the debug information.
    Other(String),
}

/// A type qualifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qualifier {
    Const,
    Volatile,
    Restrict,
    Atomic,
}

impl Qualifier {
    /// How C spells it; clang takes `__restrict` under every `-std`.
    #[must_use]
    pub const fn spelling(self) -> &'static str {
        match self {
            Qualifier::Const => "const",
            Qualifier::Volatile => "volatile",
            Qualifier::Restrict => "__restrict",
            Qualifier::Atomic => "_Atomic",
        }
    }
}

/// A function type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub result: TypeId,
    pub params: Vec<TypeId>,
    /// Ends in `...`.
    pub variadic: bool,
    /// Declared with parameters: `f(void)`, not `f()`.
    pub prototyped: bool,
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// File in which it is declared, as the compiler was given it.
    pub file: String,
    /// From 1; 0 when not known.
    pub line: u32,
    pub signature: Signature,
    /// Names of the parameters; empty where there is none.
    pub names: Vec<String>,
    pub external: bool,
    /// Parameters whose type is what the function casts them to; they are declared as a `void *` or a pointer to one.
    pub casts: BTreeSet<usize>,
}

/// A variable at file scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub ty: TypeId,
}

/// Everything about one unit.
#[derive(Clone, Debug, Default)]
pub struct Info {
    pub types: Types,
    /// In the order of the debug information.
    pub functions: Vec<Function>,
    pub variables: Vec<Variable>,
    /// Whether a function has a variable that is not constant and lives on between calls.
    pub statics: bool,
}

impl Info {
    /// The function of this name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// The variable of this name.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }
}

/// An arena of types.
#[derive(Clone, Debug, Default)]
pub struct Types(Vec<Type>);

impl Types {
    pub(crate) fn push(&mut self, ty: Type) -> TypeId {
        let id = TypeId(u32::try_from(self.0.len()).expect("fewer than 2^32 types"));
        self.0.push(ty);
        id
    }

    pub(crate) fn set(&mut self, id: TypeId, ty: Type) {
        self.0[id.0 as usize] = ty;
    }

    /// `void`, which every arena begins with.
    #[must_use]
    pub fn void(&self) -> TypeId {
        TypeId(0)
    }

    /// The pointer to a type.
    pub(crate) fn pointer_to(&mut self, target: TypeId) -> TypeId {
        let known = self.find(|ty| *ty == Type::Pointer(target));
        known.unwrap_or_else(|| self.push(Type::Pointer(target)))
    }

    /// The first type with a property.
    pub(crate) fn find(&self, is: impl FnMut(&Type) -> bool) -> Option<TypeId> {
        let index = self.0.iter().position(is)?;
        Some(TypeId(u32::try_from(index).ok()?))
    }

    /// The type as it is written.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &Type {
        &self.0[id.0 as usize]
    }

    /// Every type of the unit.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Type> {
        self.0.iter()
    }

    /// The type behind typedefs and qualifiers.
    #[must_use]
    pub fn resolve(&self, id: TypeId) -> TypeId {
        match self.get(id) {
            Type::Typedef { target, .. } | Type::Qualified { target, .. } => self.resolve(*target),
            _ => id,
        }
    }

    /// The type without qualifiers at its top, so that a variable of it can be written.
    #[must_use]
    pub fn unqualified(&self, id: TypeId) -> TypeId {
        match self.get(id) {
            Type::Qualified { target, .. } => self.unqualified(*target),
            Type::Typedef { target, .. } if self.is_qualified(*target) => self.unqualified(*target),
            _ => id,
        }
    }

    fn is_qualified(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Qualified { .. } => true,
            Type::Typedef { target, .. } => self.is_qualified(*target),
            _ => false,
        }
    }

    /// The type itself, behind typedefs and qualifiers.
    #[must_use]
    pub fn resolved(&self, id: TypeId) -> &Type {
        self.get(self.resolve(id))
    }

    /// Whether an object of this type must not be written.
    #[must_use]
    pub fn is_const(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Qualified { qualifier, target } => {
                *qualifier == Qualifier::Const || self.is_const(*target)
            }
            Type::Typedef { target, .. } => self.is_const(*target),
            Type::Array { element, .. } => self.is_const(*element),
            _ => false,
        }
    }

    /// Whether an object of this type is atomic.
    #[must_use]
    pub fn is_atomic(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Qualified { qualifier, target } => {
                *qualifier == Qualifier::Atomic || self.is_atomic(*target)
            }
            Type::Typedef { target, .. } => self.is_atomic(*target),
            _ => false,
        }
    }

    /// Whether any type is atomic: compilers may read its objects through `libatomic`.
    #[must_use]
    pub fn has_atomic(&self) -> bool {
        self.0.iter().any(|ty| {
            matches!(
                ty,
                Type::Qualified {
                    qualifier: Qualifier::Atomic,
                    ..
                }
            )
        })
    }

    /// What a pointer points to.
    #[must_use]
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.resolved(id) {
            Type::Pointer(target) => Some(*target),
            _ => None,
        }
    }

    /// Members of a struct and of the structs in it: offset in bytes, name and type. What stands in unions and arrays is left out.
    #[must_use]
    pub fn members(&self, id: TypeId) -> Vec<(u64, &str, TypeId)> {
        let Type::Record {
            union: false,
            fields,
            ..
        } = self.resolved(id)
        else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for field in fields.iter().filter(|field| field.bits.is_none()) {
            let Some(offset) = field.offset else { continue };
            match self.resolved(field.ty) {
                Type::Record { .. } => {
                    let inner = self.members(field.ty).into_iter();
                    all.extend(inner.map(|(at, name, ty)| (offset + at, name, ty)));
                }
                _ => all.push((offset, field.name.as_deref().unwrap_or_default(), field.ty)),
            }
        }
        all
    }

    /// Size of an object, in bytes.
    #[must_use]
    pub fn bytes(&self, id: TypeId) -> Option<u64> {
        match self.resolved(id) {
            Type::Base { bytes, .. } | Type::Enum { bytes, .. } => Some(*bytes),
            Type::Pointer(_) => Some(8),
            Type::Array { element, count, .. } => self.bytes(*element)?.checked_mul((*count)?),
            Type::Record { bytes, .. } => *bytes,
            _ => None,
        }
    }

    /// Whether something is known of the objects of a type: an array may have any number of elements.
    #[must_use]
    pub fn is_object(&self, id: TypeId) -> bool {
        match self.resolved(id) {
            Type::Array { element, .. } => self.is_object(*element),
            _ => self.bytes(id).is_some(),
        }
    }

    /// Whether the type is a character type (any of the three).
    #[must_use]
    pub fn is_char(&self, id: TypeId) -> bool {
        matches!(
            self.resolved(id),
            Type::Base {
                base: Base::Char,
                ..
            }
        )
    }

    /// Whether it is plain `char`: text, by convention.
    #[must_use]
    pub fn is_text(&self, id: TypeId) -> bool {
        matches!(self.resolved(id), Type::Base { name, .. } if name == "char")
    }

    /// Whether it is an integer that may count something: no character, no truth value, no enumeration.
    #[must_use]
    pub fn is_count(&self, id: TypeId) -> bool {
        matches!(
            self.resolved(id),
            Type::Base { base: Base::Signed | Base::Unsigned, bytes, .. } if *bytes >= 2 && *bytes <= 8
        )
    }

    /// Whether an object of the type holds a pointer somewhere.
    #[must_use]
    pub fn has_pointer(&self, id: TypeId) -> bool {
        match self.resolved(id) {
            Type::Pointer(_) => true,
            Type::Array { element, .. } => self.has_pointer(*element),
            Type::Record { fields, .. } => fields.iter().any(|field| self.has_pointer(field.ty)),
            _ => false,
        }
    }

    /// Whether two types are the same, names of records and enumerations deciding for those that have one.
    #[must_use]
    pub fn same(&self, a: TypeId, b: TypeId) -> bool {
        self.same_to(a, b, 8)
    }

    fn same_to(&self, a: TypeId, b: TypeId, depth: u32) -> bool {
        let (a, b) = (self.resolve(a), self.resolve(b));
        if a == b || depth == 0 {
            return a == b || depth == 0;
        }
        let same = |a: &TypeId, b: &TypeId| self.same_to(*a, *b, depth - 1);
        match (self.get(a), self.get(b)) {
            (Type::Pointer(a), Type::Pointer(b)) => same(a, b),
            (
                Type::Array {
                    element: a,
                    count: n,
                    ..
                },
                Type::Array {
                    element: b,
                    count: m,
                    ..
                },
            ) => n == m && same(a, b),
            (Type::Function(a), Type::Function(b)) => {
                a.variadic == b.variadic
                    && a.params.len() == b.params.len()
                    && same(&a.result, &b.result)
                    && a.params.iter().zip(&b.params).all(|(a, b)| same(a, b))
            }
            (
                Type::Record {
                    tag: Some(a),
                    union: n,
                    ..
                },
                Type::Record {
                    tag: Some(b),
                    union: m,
                    ..
                },
            ) => a == b && n == m,
            (a, b) => a == b && !matches!(a, Type::Record { .. }),
        }
    }
}
