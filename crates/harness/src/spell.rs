//! Types as C spells them.
//!
//! Must hold: what is spelled compiles behind the text of the unit, and means the same type there.

use crate::types::{Signature, Type, TypeId, Types};

/// What `va_list` is made of.
pub(crate) const VA_LIST: &str = "__va_list_tag";

/// The variable for what a function returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    pub ty: TypeId,
    declaration: String,
    /// The declaration and the name of an object with the type as declared, where that is atomic: clang keeps `_Atomic`
    /// on what a call returns, and converts it to nothing else.
    atomic: Option<(String, String)>,
}

impl Returned {
    /// Statements that define the variable with the value of a call, which ends with its semicolon. It is an
    /// initialiser, because members of the type may be `const`.
    pub(crate) fn define(&self, call: &str) -> Vec<String> {
        let declaration = &self.declaration;
        match &self.atomic {
            None => vec![format!("{declaration} = {call}")],
            Some((atomic, name)) => vec![
                format!("{atomic} = {call}"),
                format!("{declaration} = {name};"),
            ],
        }
    }
}

impl Types {
    /// A declaration of `inner` with this type; `None` when the type has no name to be spelled by (an anonymous struct
    /// or union).
    #[must_use]
    pub fn declare(&self, id: TypeId, inner: &str) -> Option<String> {
        let named = |name: &str| {
            Some(if inner.is_empty() {
                name.to_owned()
            } else {
                format!("{name} {inner}")
            })
        };
        match self.get(id) {
            Type::Void => named("void"),
            Type::Base { name, .. } | Type::Typedef { name, .. } => named(name),
            Type::Record { tag: Some(tag), .. } if tag == VA_LIST => {
                // It has a name in debug information, but none in C.
                named("__typeof__((*(__builtin_va_list *)0)[0])")
            }
            Type::Record { tag, union, .. } => {
                let word = if *union { "union" } else { "struct" };
                named(&format!("{word} {}", tag.as_ref()?))
            }
            Type::Enum { tag: Some(tag), .. } => named(&format!("enum {tag}")),
            Type::Enum { bytes, signed, .. } => named(integer(*bytes, *signed)?),
            Type::Pointer(target) => {
                let wraps = matches!(self.get(*target), Type::Array { .. } | Type::Function(_));
                self.declare(
                    *target,
                    &if wraps {
                        format!("(*{inner})")
                    } else {
                        format!("*{inner}")
                    },
                )
            }
            Type::Qualified { qualifier, target } => {
                let word = qualifier.spelling();
                let mut bare = *target;
                while let Type::Qualified { target, .. } = self.get(bare) {
                    bare = *target;
                }
                match self.get(bare) {
                    Type::Pointer(_) => self.declare(*target, &format!("{word} {inner}")),
                    _ => Some(format!("{word} {}", self.declare(*target, inner)?)),
                }
            }
            Type::Array { vector: true, .. } | Type::Other(_) => None,
            Type::Array { element, count, .. } => {
                let count = count.map_or_else(String::new, |count| count.to_string());
                self.declare(*element, &format!("{inner}[{count}]"))
            }
            Type::Function(signature) => {
                let params = self.params(signature, &[])?;
                self.declare(signature.result, &format!("{inner}({params})"))
            }
        }
    }

    /// The variable `name` for what a function returns; `None` when the type has no name.
    #[must_use]
    pub fn returned(&self, ty: TypeId, name: &str) -> Option<Returned> {
        let atomic = format!("{name}_atomic");
        let is_atomic = self.is_atomic(ty);
        Some(Returned {
            ty,
            declaration: self.declare(self.unqualified(ty), name)?,
            atomic: is_atomic
                .then(|| Some((self.declare(ty, &atomic)?, atomic)))
                .flatten(),
        })
    }

    /// The list between the parentheses of a function's declaration; names may be missing.
    #[must_use]
    pub fn params(&self, signature: &Signature, names: &[String]) -> Option<String> {
        let name = |index: usize| names.get(index).map_or("", String::as_str);
        let mut list = signature
            .params
            .iter()
            .enumerate()
            .map(|(index, ty)| self.declare(*ty, name(index)))
            .collect::<Option<Vec<_>>>()?;
        if signature.variadic {
            list.push("...".to_owned());
        }
        if list.is_empty() && signature.prototyped {
            list.push("void".to_owned());
        }
        Some(list.join(", "))
    }

    /// The type for a reader: spelled, or described where it has no name.
    #[must_use]
    pub fn describe(&self, id: TypeId) -> String {
        if let Some(text) = self.declare(id, "") {
            return text;
        }
        match self.get(id) {
            Type::Record { union: true, .. } => "an anonymous union".to_owned(),
            Type::Record { .. } => "an anonymous struct".to_owned(),
            Type::Pointer(target) => format!("a pointer to {}", self.describe(*target)),
            Type::Array { vector: true, .. } => "a vector".to_owned(),
            Type::Array { element, .. } => format!("an array of {}", self.describe(*element)),
            Type::Qualified { target, .. } => self.describe(*target),
            _ => "a type without a name".to_owned(),
        }
    }
}

/// The integer type of this size.
fn integer(bytes: u64, signed: bool) -> Option<&'static str> {
    Some(match (bytes, signed) {
        (1, true) => "signed char",
        (1, false) => "unsigned char",
        (2, true) => "short",
        (2, false) => "unsigned short",
        (4, true) => "int",
        (4, false) => "unsigned int",
        (8, true) => "long",
        (8, false) => "unsigned long",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Base, Qualifier};

    #[test]
    fn declarators_wrap_as_c_does() {
        let mut types = Types::default();
        let int = types.push(Type::Base {
            name: "int".to_owned(),
            bytes: 4,
            base: Base::Signed,
        });
        let row = types.push(Type::Array {
            element: int,
            count: Some(4),
            vector: false,
        });
        let rows = types.push(Type::Pointer(row));
        let constant = types.push(Type::Qualified {
            qualifier: Qualifier::Const,
            target: int,
        });
        let text = types.push(Type::Pointer(constant));
        let fixed = types.push(Type::Qualified {
            qualifier: Qualifier::Const,
            target: text,
        });
        let both = types.push(Type::Qualified {
            qualifier: Qualifier::Volatile,
            target: fixed,
        });
        let compare = types.push(Type::Function(Signature {
            result: int,
            params: vec![text, rows],
            variadic: true,
            prototyped: true,
        }));
        let callback = types.push(Type::Pointer(compare));
        let returns = types.push(Type::Function(Signature {
            result: callback,
            params: Vec::new(),
            variadic: false,
            prototyped: true,
        }));
        for (id, wanted) in [
            (rows, "int (*x)[4]"),
            (text, "const int *x"),
            (fixed, "const int *const x"),
            (both, "const int *const volatile x"),
            (callback, "int (*x)(const int *, int (*)[4], ...)"),
            (returns, "int (*x(void))(const int *, int (*)[4], ...)"),
        ] {
            assert_eq!(types.declare(id, "x").as_deref(), Some(wanted));
        }
        let anonymous = types.push(Type::Record {
            tag: None,
            union: false,
            bytes: Some(0),
            fields: Vec::new(),
        });
        assert_eq!(types.declare(anonymous, "x"), None);
        assert_eq!(types.describe(anonymous), "an anonymous struct");
    }
}
