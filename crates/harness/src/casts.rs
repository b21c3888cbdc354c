//! What a `void *` really points to: the type that the code casts it to.
//!
//! C has no other way to say "a pointer to whatever the caller and I agreed on", and comparators, callbacks, containers
//! and handles of libraries are full of it. Debug information knows nothing of casts; clang's dump of the syntax tree does.

use std::collections::BTreeMap;

use crate::types::{Info, Type, TypeId};

/// Something that is cast.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    /// A parameter.
    Parameter { function: String, name: String },
    /// A member of an object of this type.
    Member { record: String, name: String },
}

/// Replaces `void *` among the parameters of a function by the pointer to an object type that the function casts it to,
/// and among members of structs by what it and the functions that it may call cast them to; the most frequent if there
/// are several. `dump` is what clang's `-ast-dump` says of the unit. Returns what there is to say about parameters.
pub fn refine(
    info: &mut Info,
    function: &str,
    may_run: impl Fn(&str) -> bool,
    dump: &str,
) -> Vec<String> {
    let mut counts: BTreeMap<(Source, TypeId), usize> = BTreeMap::new();
    for (within, source, ty) in casts(dump) {
        let own = matches!(source, Source::Member { .. }) || within == function;
        let target = pointee(ty).and_then(|pointee| named(info, pointee));
        let target = target.filter(|&ty| info.types.declare(ty, "*").is_some());
        if let Some(target) = target
            && own
            && may_run(within)
        {
            *counts.entry((source, target)).or_default() += 1;
        }
    }
    let mut best: BTreeMap<Source, (usize, TypeId)> = BTreeMap::new();
    for ((source, target), count) in counts {
        let known = best.entry(source).or_insert((0, target));
        if count > known.0 {
            *known = (count, target);
        }
    }
    let mut notes = Vec::new();
    for (source, (_, target)) in best {
        let pointer = info.types.pointer_to(target);
        match &source {
            Source::Parameter { function, name } => {
                if replace_parameter(info, function, name, pointer) {
                    let text = info.types.describe(target);
                    notes.push(format!(
                        "{name} points to {text}: the function casts it to that"
                    ));
                }
            }
            Source::Member { record, name } => replace_member(info, record, name, pointer),
        }
    }
    notes
}

fn replace_parameter(info: &mut Info, function: &str, name: &str, pointer: TypeId) -> bool {
    let Some(it) = info.functions.iter().position(|it| it.name == function) else {
        return false;
    };
    let Some(param) = info.functions[it].names.iter().position(|it| it == name) else {
        return false;
    };
    let old = info.functions[it].signature.params[param];
    if !is_void_pointer(info, old) {
        return false;
    }
    info.functions[it].signature.params[param] = pointer;
    info.functions[it].casts.insert(param);
    true
}

fn replace_member(info: &mut Info, record: &str, name: &str, pointer: TypeId) {
    let Some(record) = named(info, record).map(|ty| info.types.resolve(ty)) else {
        return;
    };
    let mut ty = info.types.get(record).clone();
    let Type::Record { fields, .. } = &mut ty else {
        return;
    };
    for field in fields
        .iter_mut()
        .filter(|it| it.name.as_deref() == Some(name))
    {
        if is_void_pointer(info, field.ty) {
            field.ty = pointer;
            field.cast = true;
        }
    }
    info.types.set(record, ty);
}

/// `void *`, or a pointer to that: handles are declared so (`typedef void *handle; f(handle *)`).
fn is_void_pointer(info: &Info, ty: TypeId) -> bool {
    match info.types.pointee(ty) {
        Some(target) if info.types.pointee(target).is_some() => is_void_pointer(info, target),
        Some(target) => matches!(info.types.resolved(target), Type::Void),
        None => false,
    }
}

/// What is cast, in which function, and to which type, in the order of the source.
fn casts(dump: &str) -> Vec<(&str, Source, &str)> {
    let mut found = Vec::new();
    let mut function = "";
    let mut cast = None;
    let mut lines = dump.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(before) = line
            .strip_prefix("|-FunctionDecl ")
            .or_else(|| line.strip_prefix("`-FunctionDecl "))
        {
            let declared = before.split(" '").next().unwrap_or_default();
            function = declared.rsplit(' ').next().unwrap_or_default();
            cast = None;
        } else if line.contains(" <BitCast>") {
            cast = type_of(line);
        } else if line.contains("-DeclRefExpr ") || line.contains("-MemberExpr ") {
            let source = match line.contains("-DeclRefExpr ") {
                true => parameter(line).map(|name| Source::Parameter {
                    function: function.to_owned(),
                    name: name.to_owned(),
                }),
                false => lines.peek().and_then(|base| member(line, base)),
            };
            if let (Some(ty), Some(source)) = (cast.take(), source) {
                found.push((function, source, ty));
            }
        } else if !line.contains("-ImplicitCastExpr ") && !line.contains("-ParenExpr ") {
            cast = None;
        }
    }
    found
}

/// The type of an expression: of `'a':'b'`, where the second is what the first stands for, `b`.
fn type_of(line: &str) -> Option<&str> {
    let mut quoted = line.split('\'');
    let (first, between, second) = (quoted.nth(1)?, quoted.next(), quoted.next());
    Some(match (between, second) {
        (Some(":"), Some(second)) => second,
        _ => first,
    })
}

/// The name of the parameter that a reference is to: `… ParmVar 0x1 'name' 'type'`.
fn parameter(line: &str) -> Option<&str> {
    line.split_once(" ParmVar ")?.1.split('\'').nth(1)
}

/// The member that is looked at, from its line (`… 'type' lvalue ->name 0x1`) and that of the object below it.
fn member(line: &str, base: &str) -> Option<Source> {
    let mut words = line.rsplit(' ');
    let name = words.nth(1)?;
    let name = name.strip_prefix("->").or_else(|| name.strip_prefix('.'))?;
    let base = type_of(base)?;
    let record = pointee(base).unwrap_or(base);
    Some(Source::Member {
        record: record.to_owned(),
        name: name.to_owned(),
    })
}

/// `struct s` of `const struct s *`; nothing of pointers to pointers, to functions and to arrays.
fn pointee(ty: &str) -> Option<&str> {
    let mut name = ty.strip_suffix('*')?.trim();
    for qualifier in ["const ", "volatile "] {
        name = name.trim_start_matches(qualifier);
    }
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ' ';
    name.chars().all(is_name).then_some(name)
}

/// The object type of this name. Characters are what `void *` is taken for anyway.
fn named(info: &Info, name: &str) -> Option<TypeId> {
    let (word, tag) = name.split_once(' ').unwrap_or(("", name));
    let found = info.types.find(|ty| match ty {
        Type::Record { tag: it, bytes, .. } => {
            bytes.is_some() && (word == "struct" || word == "union") && it.as_deref() == Some(tag)
        }
        Type::Enum { tag: it, .. } => word == "enum" && it.as_deref() == Some(tag),
        Type::Typedef { name: it, .. } => word.is_empty() && it == name,
        Type::Base { name: it, .. } => it == name,
        _ => false,
    })?;
    let useless = info.types.is_char(found) || info.types.bytes(found).is_none();
    (!useless).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "\
|-FunctionDecl 0x1 <a.c:1:1> col:5 f 'int (void *, void *, const void *)'
|-FunctionDecl 0x1 prev 0x9 <a.c:1:1> col:5 used f 'int (void *, void *, const void *)'
| |-ImplicitCastExpr 0x2 <col:6> 'struct s *' <BitCast>
| | `-ImplicitCastExpr 0x3 <col:7> 'void *' <LValueToRValue>
| |   `-DeclRefExpr 0x4 <col:8> 'void *' lvalue ParmVar 0x5 'p' 'void *'
| |-CStyleCastExpr 0x2 <col:6> 'const item *':'const struct item *' <BitCast>
| | `-ImplicitCastExpr 0x3 <col:7> 'void *' <LValueToRValue> part_of_explicit_cast
| |   `-ParenExpr 0x6 <col:9> 'const void *' lvalue
| |     `-DeclRefExpr 0x4 <col:8> 'const void *' lvalue ParmVar 0x5 'q' 'const void *'
| `-CStyleCastExpr 0x2 <col:6> 'int *' <BitCast>
|   `-CallExpr 0x3 <col:7> 'void *'
|     `-DeclRefExpr 0x4 <col:8> 'void *' lvalue ParmVar 0x5 'r' 'void *'
`-FunctionDecl 0x1 <a.c:1:1> col:5 g 'int (node *)' static
  `-CStyleCastExpr 0x5 <col:20, col:41> 'SHELL_VAR *' <BitCast>
    `-ImplicitCastExpr 0x5 <col:33, col:41> 'void *' <LValueToRValue> part_of_explicit_cast
      `-MemberExpr 0x5 <col:33, col:41> 'void *' lvalue ->data 0x5
        `-ImplicitCastExpr 0x5 <col:33> 'node *' <LValueToRValue>
          `-DeclRefExpr 0x5 <col:33> 'node *' lvalue Var 0x5 'bucket' 'node *'
";

    #[test]
    fn casts_of_parameters_and_members_are_found() {
        let parameter = |name: &str| Source::Parameter {
            function: "f".to_owned(),
            name: name.to_owned(),
        };
        let member = Source::Member {
            record: "node".to_owned(),
            name: "data".to_owned(),
        };
        assert_eq!(
            casts(DUMP),
            [
                ("f", parameter("p"), "struct s *"),
                ("f", parameter("q"), "const struct item *"),
                ("g", member, "SHELL_VAR *"),
            ]
        );
    }

    #[test]
    fn pointers_to_objects_have_names() {
        let cases = [
            ("const struct item *", Some("struct item")),
            ("item *", Some("item")),
            ("unsigned int *", Some("unsigned int")),
            ("char **", None),
            ("int (*)(void)", None),
            ("int (*)[4]", None),
            ("long", None),
        ];
        for (ty, name) in cases {
            assert_eq!(pointee(ty), name, "{ty}");
        }
    }
}
