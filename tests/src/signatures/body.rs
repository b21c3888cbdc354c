//! Statements that look at values: a branch on every number that can be reached.

use std::fmt::Write;

use super::Random;
use super::types::{Pool, Ty};

/// Longest way from a value to the numbers in it.
const DEEPEST: u32 = 6;

/// The statements of a function.
pub(super) struct Body {
    pub text: String,
    count: u64,
}

impl Body {
    pub(super) fn new() -> Body {
        Body {
            text: String::new(),
            count: 0,
        }
    }

    pub(super) fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
    }

    /// A look at something somewhere in a value.
    pub(super) fn look(&mut self, pool: &Pool, random: &mut Random, place: &str, ty: &Ty) {
        let statement = self.statement(pool, random, place, ty, true, 0);
        self.line(&statement);
    }

    fn statement(
        &mut self,
        pool: &Pool,
        random: &mut Random,
        place: &str,
        ty: &Ty,
        writable: bool,
        depth: u32,
    ) -> String {
        self.count += 1;
        let writable = writable && !ty.has("const");
        let weight = self.count;
        if depth > DEEPEST {
            return ";".to_owned();
        }
        let number = |place: &str, random: &mut Random| {
            let limit = random.below(6);
            let write = if writable && random.chance(30) {
                format!("{place} = 1; ")
            } else {
                String::new()
            };
            format!("if ({place} > {limit}) {{ {write}acc += {weight}; }}")
        };
        match ty.bare() {
            Ty::Base(_) | Ty::Enum(_) => number(place, random),
            Ty::Complex(_) => format!("if (__real__ {place} > 2) acc += {weight};"),
            Ty::Vector(_) => number(&format!("{place}[1]"), random),
            Ty::Record(name) => {
                let members = pool.members.get(name).map_or(&[][..], Vec::as_slice);
                if members.is_empty() {
                    return ";".to_owned();
                }
                let member = random.pick(members).clone();
                if member.blind {
                    return ";".to_owned();
                }
                let place = format!("{place}.{}", member.name);
                if matches!(member.ty.bare(), Ty::Array(_, None)) {
                    // Room for one element is all that a flexible array surely has.
                    return ";".to_owned();
                }
                self.statement(pool, random, &place, &member.ty, writable, depth + 1)
            }
            Ty::Pointer(target) => self.behind(pool, random, place, target, depth),
            Ty::Function { .. } => self.behind(pool, random, place, ty, depth),
            Ty::Array(element, count) => {
                let at = random.below(count.unwrap_or(2).min(3));
                let inner = self.statement(
                    pool,
                    random,
                    &format!("{place}[{at}]"),
                    element,
                    writable,
                    depth + 1,
                );
                if depth == 0 && place.starts_with('p') {
                    return format!("if ({place}) {{ {inner} }}");
                }
                inner
            }
            Ty::Void | Ty::Opaque(_) | Ty::Alias(..) | Ty::Qualified(..) => ";".to_owned(),
        }
    }

    fn behind(
        &mut self,
        pool: &Pool,
        random: &mut Random,
        place: &str,
        target: &Ty,
        depth: u32,
    ) -> String {
        let weight = self.count;
        match target.bare() {
            Ty::Function { result, params, .. } => {
                let inner = self.call(pool, random, place, result, params, depth + 1);
                format!("if ({place}) {{ {inner} }}")
            }
            Ty::Void | Ty::Opaque(_) => format!("if ({place}) acc += {weight};"),
            _ => {
                let at = if random.chance(25) {
                    format!("{place}[1]")
                } else {
                    format!("(*{place})")
                };
                let inner = self.statement(pool, random, &at, target, true, depth + 1);
                format!("if ({place}) {{ {inner} }}")
            }
        }
    }

    /// A call with zeros as arguments, and a look at what it returns.
    pub(super) fn call(
        &mut self,
        pool: &Pool,
        random: &mut Random,
        callee: &str,
        result: &Ty,
        params: &[Ty],
        depth: u32,
    ) -> String {
        let arguments: Vec<String> = params.iter().map(zero).collect();
        let call = format!("{callee}({})", arguments.join(", "));
        if matches!(result.bare(), Ty::Void) {
            return format!("{call};");
        }
        self.count += 1;
        let name = format!("r{}", self.count);
        let look = self.statement(pool, random, &name, result, false, depth.max(1));
        format!("{{ {} = {call}; {look} }}", result.declare(&name))
    }
}

/// A value of a parameter's type.
fn zero(ty: &Ty) -> String {
    match ty.bare() {
        bare @ (Ty::Record(_) | Ty::Vector(_)) => format!("({}){{0}}", bare.declare("")),
        _ => "0".to_owned(),
    }
}

/// How a function with this result ends.
pub(super) fn returns(result: &Ty) -> String {
    match result.bare() {
        Ty::Void => "    seen = acc;\n".to_owned(),
        Ty::Base(_) | Ty::Enum(_) | Ty::Complex(_) => {
            "    seen = acc;\n    return acc;\n".to_owned()
        }
        Ty::Pointer(target) if !matches!(target.bare(), Ty::Function { .. }) => {
            "    seen = acc;\n    return acc > 3 ? (void *)&seen : 0;\n".to_owned()
        }
        _ => format!(
            "    seen = acc;\n    static {};\n    return kept;\n",
            result.declare("kept")
        ),
    }
}
