//! Types, and the definitions that they need.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Random;

/// A C type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ty {
    Void,
    /// A number.
    Base(&'static str),
    Complex(&'static str),
    /// A record, by the name that C knows it by; its members are the pool's.
    Record(String),
    Enum(String),
    Vector(String),
    /// Declared, but nowhere defined.
    Opaque(String),
    Alias(String, Box<Ty>),
    Qualified(&'static str, Box<Ty>),
    Pointer(Box<Ty>),
    Array(Box<Ty>, Option<u64>),
    Function {
        result: Box<Ty>,
        params: Vec<Ty>,
        variadic: bool,
    },
}

impl Ty {
    /// A declaration of `inner` with this type.
    pub(super) fn declare(&self, inner: &str) -> String {
        let named = |name: &str| {
            if inner.is_empty() {
                name.to_owned()
            } else {
                format!("{name} {inner}")
            }
        };
        match self {
            Ty::Void => named("void"),
            Ty::Base(name) | Ty::Complex(name) => named(name),
            Ty::Record(name)
            | Ty::Enum(name)
            | Ty::Vector(name)
            | Ty::Opaque(name)
            | Ty::Alias(name, _) => named(name),
            Ty::Qualified(word, target) => match target.as_ref() {
                Ty::Pointer(_) => target.declare(&format!("{word} {inner}")),
                _ => format!("{word} {}", target.declare(inner)),
            },
            Ty::Pointer(target) => {
                let mut bare = target.as_ref();
                while let Ty::Qualified(_, inner) = bare {
                    bare = inner;
                }
                match bare {
                    Ty::Array(..) | Ty::Function { .. } => target.declare(&format!("(*{inner})")),
                    _ => target.declare(&format!("*{inner}")),
                }
            }
            Ty::Array(element, count) => {
                let count = count.map_or_else(String::new, |count| count.to_string());
                element.declare(&format!("{inner}[{count}]"))
            }
            Ty::Function {
                result,
                params,
                variadic,
            } => {
                let mut list: Vec<String> = params.iter().map(|ty| ty.declare("")).collect();
                if *variadic {
                    list.push("...".to_owned());
                }
                if list.is_empty() {
                    list.push("void".to_owned());
                }
                result.declare(&format!("{inner}({})", list.join(", ")))
            }
        }
    }

    /// Behind typedefs and qualifiers.
    pub(super) fn bare(&self) -> &Ty {
        match self {
            Ty::Alias(_, target) | Ty::Qualified(_, target) => target.bare(),
            _ => self,
        }
    }

    pub(super) fn has(&self, qualifier: &str) -> bool {
        match self {
            Ty::Alias(_, target) => target.has(qualifier),
            Ty::Qualified(word, target) => *word == qualifier || target.has(qualifier),
            Ty::Array(element, _) => element.has(qualifier),
            _ => false,
        }
    }

    /// Whether it holds no address.
    fn is_number(&self) -> bool {
        match self.bare() {
            Ty::Base(_) | Ty::Enum(_) | Ty::Complex(_) | Ty::Vector(_) => true,
            Ty::Array(element, _) => element.is_number(),
            _ => false,
        }
    }

    /// What an old-style definition passes unchanged.
    pub(super) fn is_plain(&self) -> bool {
        matches!(
            self.bare(),
            Ty::Pointer(_) | Ty::Base("int" | "long" | "double" | "unsigned" | "unsigned long")
        )
    }
}

const NUMBERS: &[&str] = &[
    "char",
    "signed char",
    "unsigned char",
    "_Bool",
    "short",
    "unsigned short",
    "int",
    "int",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "long double",
    "__int128",
    "unsigned __int128",
    "size_t",
    "wchar_t",
];
const COMPLEX: &[&str] = &["_Complex float", "_Complex double", "_Complex long double"];

/// A member of a record.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Empty: a member of no use for bodies (padding).
    pub name: String,
    pub ty: Ty,
    /// It may share its bytes with a pointer: as a number it is an address, another one in each build.
    pub blind: bool,
}

impl Member {
    fn new(name: String, ty: Ty) -> Member {
        let blind = false;
        Member { name, ty, blind }
    }
}

/// Marks what shares its bytes with pointers: members of a union of which not all are numbers.
fn overlay(members: &mut [Member]) {
    let all_numbers = members.iter().all(|member| member.ty.is_number());
    for member in members {
        let is_pointer = matches!(member.ty.bare(), Ty::Pointer(_) | Ty::Function { .. });
        member.blind |= !all_numbers && !is_pointer;
    }
}

/// The types of a unit.
#[derive(Default)]
pub(super) struct Pool {
    pub text: String,
    pub members: BTreeMap<String, Vec<Member>>,
    known: Vec<Ty>,
    count: u32,
}

impl Pool {
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.count += 1;
        format!("{prefix}{}", self.count)
    }

    /// Defines a type that others may use.
    pub(super) fn define(&mut self, random: &mut Random) {
        let ty = match random.below(100) {
            0..45 => self.record(random),
            45..58 => self.enumeration(random),
            58..66 => self.vector(random),
            66..72 => {
                let name = format!("struct {}", self.fresh("hidden"));
                let _ = writeln!(self.text, "{name};");
                Ty::Opaque(name)
            }
            _ => self.alias(random),
        };
        self.known.push(ty);
    }

    fn alias(&mut self, random: &mut Random) -> Ty {
        let name = self.fresh("alias");
        let target = match random.below(4) {
            0 => self.function_type(random, 2),
            1 => Ty::Array(Box::new(self.object(random, 1)), Some(1 + random.below(4))),
            2 => {
                let target = self.object(random, 1);
                qualified(target, random)
            }
            _ => self.object(random, 2),
        };
        let _ = writeln!(self.text, "typedef {};", target.declare(&name));
        Ty::Alias(name, Box::new(target))
    }

    fn enumeration(&mut self, random: &mut Random) -> Ty {
        let tag = self.fresh("kind");
        let (attribute, values) = *random.pick(&[
            ("", "A, B, C"),
            ("", "A = -5, B, C = 70000"),
            ("", "A, B = 0x1ffffffffL"),
            ("", "A = -1, B = 0x7fffffffffffffffL"),
            ("__attribute__((packed)) ", "A, B, C"),
            ("__attribute__((packed)) ", "A = -3, B = 300"),
        ]);
        let values: String = values
            .split(", ")
            .map(|value| format!("{tag}_{value}, "))
            .collect();
        if random.chance(30) {
            let _ = writeln!(self.text, "typedef enum {attribute}{{ {values}}} {tag};");
            return Ty::Enum(tag);
        }
        let _ = writeln!(self.text, "enum {attribute}{tag} {{ {values}}};");
        Ty::Enum(format!("enum {tag}"))
    }

    fn vector(&mut self, random: &mut Random) -> Ty {
        let name = self.fresh("vector");
        let (element, bytes) = *random.pick(&[
            ("int", 16),
            ("float", 16),
            ("unsigned char", 8),
            ("double", 16),
            ("short", 16),
            ("long", 16),
        ]);
        let _ = writeln!(
            self.text,
            "typedef {element} {name} __attribute__((vector_size({bytes})));"
        );
        Ty::Vector(name)
    }

    fn record(&mut self, random: &mut Random) -> Ty {
        let union = random.chance(25);
        let tag = self.fresh("rec");
        let word = if union { "union" } else { "struct" };
        let is_typedef = random.chance(30);
        // Without a tag it cannot point to itself.
        let tagged = !is_typedef || random.chance(50);
        let itself = tagged.then(|| format!("{word} {tag}"));
        let (mut lines, mut members) = (String::new(), Vec::new());
        for _ in 0..1 + random.below(5) {
            self.member(random, itself.as_deref(), &mut lines, &mut members, 0);
        }
        if union {
            overlay(&mut members);
        }
        if !union && random.chance(12) {
            let name = self.fresh("m");
            let element = self.element(random, 1);
            let ty = Ty::Array(Box::new(element), None);
            let _ = writeln!(lines, "    {};", ty.declare(&name));
        }
        let attribute = match random.below(10) {
            0 => "__attribute__((packed)) ",
            1 => "__attribute__((aligned(32))) ",
            _ => "",
        };
        let shown = if tagged { tag.as_str() } else { "" };
        let name = if is_typedef {
            let _ = writeln!(
                self.text,
                "typedef {word} {attribute}{shown} {{\n{lines}}} t_{tag};"
            );
            format!("t_{tag}")
        } else {
            let _ = writeln!(self.text, "{word} {attribute}{tag} {{\n{lines}}};");
            format!("{word} {tag}")
        };
        if let Some(itself) = itself {
            self.members.insert(itself, members.clone());
        }
        self.members.insert(name.clone(), members);
        Ty::Record(name)
    }

    fn member(
        &mut self,
        random: &mut Random,
        itself: Option<&str>,
        lines: &mut String,
        members: &mut Vec<Member>,
        depth: u32,
    ) {
        let name = self.fresh("m");
        let ty = match (random.below(100), itself) {
            (0..12, _) => {
                let (ty, most) = *random.pick(&[
                    ("int", 31),
                    ("unsigned", 32),
                    ("long", 40),
                    ("_Bool", 1),
                    ("unsigned char", 7),
                    ("signed short", 9),
                ]);
                let width = 1 + random.below(most);
                let _ = writeln!(lines, "    {ty} {name} : {width};");
                let ty = Ty::Base(ty);
                return members.push(Member::new(name, ty));
            }
            (12..15, _) => {
                let text = *random.pick(&["int : 0;", "int : 5;", "unsigned long : 33;"]);
                let _ = writeln!(lines, "    {text}");
                return;
            }
            (15..22, _) if depth < 2 => {
                let word = *random.pick(&["struct", "union"]);
                let mut inner = String::new();
                let first = members.len();
                for _ in 0..1 + random.below(3) {
                    self.member(random, itself, &mut inner, members, depth + 1);
                }
                if word == "union" {
                    overlay(&mut members[first..]);
                }
                let filler = self.fresh("m");
                let _ = writeln!(lines, "    {word} {{\n{inner}    int {filler};\n    }};");
                return;
            }
            // A member of a type without a name.
            (22..28, _) if depth < 2 => {
                let word = *random.pick(&["struct", "union"]);
                let (mut inner, mut of) = (String::new(), Vec::new());
                for _ in 0..1 + random.below(3) {
                    self.member(random, None, &mut inner, &mut of, depth + 1);
                }
                if word == "union" {
                    overlay(&mut of);
                }
                let filler = self.fresh("m");
                let shape = *random.pick(&["", "", "[2]", "*"]);
                let declared = if shape == "*" {
                    format!("*{name}")
                } else {
                    format!("{name}{shape}")
                };
                let _ = writeln!(
                    lines,
                    "    {word} {{\n{inner}    int {filler};\n    }} {declared};"
                );
                let mut filler = Member::new(filler, Ty::Base("int"));
                filler.blind = word == "union";
                of.push(filler);
                self.members.insert(name.clone(), of);
                let record = Ty::Record(name.clone());
                let ty = match shape {
                    "" => record,
                    "*" => Ty::Pointer(Box::new(record)),
                    _ => Ty::Array(Box::new(record), Some(2)),
                };
                return members.push(Member::new(name, ty));
            }
            (28..45, Some(itself)) => {
                let record = Ty::Record(itself.to_owned());
                let target = if random.chance(50) {
                    qualified(record, random)
                } else {
                    record
                };
                let pointer = Ty::Pointer(Box::new(target));
                match random.below(4) {
                    0 => qualified(pointer, random),
                    1 => Ty::Array(Box::new(pointer), Some(2)),
                    _ => pointer,
                }
            }
            (45..52, _) => Ty::Array(Box::new(self.element(random, 1)), Some(1 + random.below(4))),
            _ => self.object(random, 2),
        };
        let _ = writeln!(lines, "    {};", ty.declare(&name));
        members.push(Member::new(name, ty));
    }

    /// A complete type of an object.
    pub(super) fn object(&mut self, random: &mut Random, depth: u32) -> Ty {
        match random.below(100) {
            0..35 => Ty::Base(random.pick::<&str>(NUMBERS)),
            35..38 => Ty::Complex(random.pick::<&str>(COMPLEX)),
            38..60 if depth > 0 => self.pointer(random, depth),
            60..66 if depth > 0 => {
                let target = self.object(random, depth - 1);
                qualified(target, random)
            }
            66..70 if depth > 0 => {
                let element = self.element(random, depth - 1);
                Ty::Array(Box::new(element), Some(1 + random.below(4)))
            }
            70..98 => self.complete(random).unwrap_or(Ty::Base("int")),
            _ => Ty::Base(random.pick::<&str>(NUMBERS)),
        }
    }

    /// Something that arrays may be made of.
    fn element(&mut self, random: &mut Random, depth: u32) -> Ty {
        loop {
            let ty = self.object(random, depth);
            if !self.is_flexible(&ty) {
                return ty;
            }
        }
    }

    fn is_flexible(&self, ty: &Ty) -> bool {
        match ty.bare() {
            // Kept simple: what may end in a flexible array is no element.
            Ty::Record(_) => true,
            Ty::Array(element, _) => self.is_flexible(element),
            _ => false,
        }
    }

    fn complete(&mut self, random: &mut Random) -> Option<Ty> {
        let list: Vec<&Ty> = self
            .known
            .iter()
            .filter(|ty| !matches!(ty.bare(), Ty::Opaque(_) | Ty::Function { .. } | Ty::Void))
            .collect();
        (!list.is_empty()).then(|| (*random.pick(&list)).clone())
    }

    pub(super) fn pointer(&mut self, random: &mut Random, depth: u32) -> Ty {
        let target = match random.below(100) {
            0..10 => Ty::Void,
            10..22 => self.function_type(random, depth.saturating_sub(1)),
            22..32 if !self.known.is_empty() => random.pick(&self.known).clone(),
            32..40 => Ty::Base("char"),
            _ => self.object(random, depth.saturating_sub(1)),
        };
        let target = if random.chance(35) && !matches!(target.bare(), Ty::Function { .. }) {
            qualified(target, random)
        } else {
            target
        };
        Ty::Pointer(Box::new(target))
    }

    pub(super) fn function_type(&mut self, random: &mut Random, depth: u32) -> Ty {
        let result = self.result_to(random, depth);
        let params: Vec<Ty> = (0..random.below(4))
            .map(|_| self.param(random, depth))
            .collect();
        let variadic = !params.is_empty() && random.chance(8);
        Ty::Function {
            result: Box::new(result),
            params,
            variadic,
        }
    }

    pub(super) fn param(&mut self, random: &mut Random, depth: u32) -> Ty {
        match random.below(100) {
            0..50 if depth > 0 => {
                let pointer = self.pointer(random, depth);
                if random.chance(15) {
                    qualified(pointer, random)
                } else {
                    pointer
                }
            }
            50..55 if depth > 0 => Ty::Array(Box::new(self.element(random, depth - 1)), None),
            55..60 if depth > 0 => Ty::Array(
                Box::new(self.element(random, depth - 1)),
                Some(1 + random.below(4)),
            ),
            60..64 if depth > 0 => self.function_type(random, depth - 1),
            _ => self.object(random, depth),
        }
    }

    pub(super) fn result(&mut self, random: &mut Random) -> Ty {
        self.result_to(random, 2)
    }

    fn result_to(&mut self, random: &mut Random, depth: u32) -> Ty {
        loop {
            let ty = match random.below(100) {
                0..35 => Ty::Base("int"),
                35..45 => Ty::Void,
                45..65 if depth > 0 => self.pointer(random, depth - 1),
                _ => self.object(random, depth.min(1)),
            };
            if !matches!(ty.bare(), Ty::Array(..)) {
                return ty;
            }
        }
    }
}

/// The type with a qualifier that it may have.
fn qualified(ty: Ty, random: &mut Random) -> Ty {
    let word = match random.below(100) {
        0..55 => "const",
        55..75 => "volatile",
        75..88 => match ty.bare() {
            Ty::Pointer(target) if !matches!(target.bare(), Ty::Function { .. }) => "restrict",
            _ => "const",
        },
        _ => match &ty {
            Ty::Base(_) | Ty::Pointer(_) | Ty::Enum(_) => "_Atomic",
            _ => "const",
        },
    };
    if matches!(ty.bare(), Ty::Function { .. }) {
        return ty;
    }
    Ty::Qualified(word, Box::new(ty))
}
