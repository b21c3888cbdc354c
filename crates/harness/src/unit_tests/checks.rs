//! What a test checks, and what it gives back.
//!
//! Must hold: what is checked was observed; what is freed was not freed by the code under test, and nothing of it points there.

use super::body::Body;
use super::check::Check;
use super::flavour::Flavour;
use super::value::{float, hexadecimal, string};
use super::{Number, verify};
use crate::leaf::{Kind, Leaf};
use crate::plan::Scalar;
use crate::types::Type;

impl Body<'_> {
    /// Gives back what the test made, and what the call made for it. The trial asks what that is.
    pub(super) fn give_back(&mut self, checks: &[Check], flavour: &dyn Flavour) {
        let variables = self.objects.values().cloned();
        let made: Vec<String> = variables.chain(self.streams.iter().cloned()).collect();
        let new = checks.iter().filter_map(|check| match check {
            Check::NotNull { place } => Some(place.clone()),
            _ => None,
        });
        let new: Vec<String> = new.collect();
        if flavour.name() == verify::Verify.name() {
            for line in verify::questions(self.case.number, &made, &new) {
                self.line(&line);
            }
        }
        let owned = &self.case.owned;
        let frees = new.iter().filter(|place| owned.new.contains(*place));
        let frees = frees.map(|place| format!("free((void *)({place}));"));
        let given = made.iter().filter(|made| owned.gone.contains(*made));
        let given = given.map(|made| format!("bw_given({made});"));
        let lines: Vec<String> = frees.chain(given).collect();
        for line in lines {
            self.line(&line);
        }
        if !made.is_empty() {
            self.line("bw_clean();");
        }
    }

    /// What the call leaves, and what it returns.
    pub(super) fn checks(&self, result: &str) -> Vec<Check> {
        let mut checks = Vec::new();
        for (index, leaf) in self.file.leaves.iter().enumerate() {
            let Some(after) = self.case.seen.after.get(&index) else {
                continue;
            };
            let before = self.case.seen.before.get(&index);
            if !leaf.result && before == Some(after) {
                continue;
            }
            let place = match leaf.object {
                None => leaf.rest.replacen("bw_result", result, 1),
                Some(id) => match self.objects.get(&id) {
                    Some(variable) => leaf.place(variable),
                    None => continue,
                },
            };
            checks.extend(self.check(leaf, &place, before, after));
        }
        checks
    }

    fn check(
        &self,
        leaf: &Leaf,
        place: &str,
        before: Option<&String>,
        after: &str,
    ) -> Option<Check> {
        let place = place.to_owned();
        match leaf.kind {
            Kind::Signed | Kind::Unsigned => {
                let value: i128 = after.parse().ok()?;
                Some(self.integer_check(leaf, place, value))
            }
            Kind::Float | Kind::Double => {
                let is_float = leaf.kind == Kind::Float;
                let own = if is_float {
                    Scalar::Float
                } else {
                    Scalar::Double
                };
                let scalar = leaf.scalar.unwrap_or(own);
                if after.contains("nan") {
                    return Some(Check::NotANumber { place, scalar });
                }
                // As few digits as name the number.
                let short = match scalar {
                    Scalar::Float => after.parse::<f32>().ok().map(|it| format!("{it:?}")),
                    Scalar::Double => after.parse::<f64>().ok().map(|it| format!("{it:?}")),
                    _ => None,
                };
                let short = short.unwrap_or_else(|| after.to_owned());
                let value = float(&short, if is_float { "f" } else { "" });
                Some(Check::Float {
                    place,
                    value,
                    scalar,
                })
            }
            Kind::Pointer => Some(self.pointer(place, after)),
            Kind::Text => {
                let bytes = unhex(after)?;
                let text = string(&bytes);
                (bytes.len() < 200).then_some(Check::Text { place, text })
            }
            Kind::Bytes(_) => {
                let (old, new) = (unhex(before?)?, unhex(after)?);
                let last = old.iter().zip(&new).rposition(|(old, new)| old != new)?;
                let end = new.iter().position(|byte| *byte == 0);
                let is_text = |end: usize| {
                    end >= last
                        && new[..end]
                            .iter()
                            .all(|byte| (0x20..0x7f).contains(byte) || *byte == b'\n')
                };
                Some(match end {
                    Some(end) if is_text(end) && !place.starts_with('&') => Check::Text {
                        place,
                        text: string(&new[..end]),
                    },
                    _ => Check::Memory {
                        place,
                        bytes: string(&new[..=last]),
                        count: last + 1,
                    },
                })
            }
        }
    }

    /// What the call returned, as a part of a name: `returns_minus_4`.
    pub(super) fn outcome(&self) -> Option<String> {
        let leaves = self.file.leaves.iter().enumerate();
        let mut results = leaves.filter(|(_, leaf)| leaf.result);
        let (index, leaf) = results.next()?;
        // The parts of a structure are no name.
        if results.next().is_some() {
            return None;
        }
        let after = self.case.seen.after.get(&index)?;
        let value = match leaf.kind {
            Kind::Signed | Kind::Unsigned => {
                let value: i128 = after.parse().ok()?;
                match self.named(leaf, value) {
                    Some(name) => name.to_lowercase(),
                    None if leaf.scalar == Some(Scalar::Bool) => (value != 0).to_string(),
                    None if value < 0 => format!("minus_{}", value.unsigned_abs()),
                    None => value.to_string(),
                }
            }
            Kind::Pointer if after.starts_with("-1") => "null".to_owned(),
            Kind::Pointer => "a_pointer".to_owned(),
            Kind::Text => "text".to_owned(),
            Kind::Float | Kind::Double | Kind::Bytes(_) => return None,
        };
        Some(format!("returns_{value}"))
    }

    fn integer_check(&self, leaf: &Leaf, place: String, value: i128) -> Check {
        let scalar = leaf.scalar.unwrap_or(match leaf.kind {
            Kind::Unsigned => Scalar::Unsigned(4),
            _ => Scalar::Signed(4),
        });
        if scalar == Scalar::Bool {
            return Check::Truth {
                place,
                value: value != 0,
            };
        }
        let hex = matches!(scalar, Scalar::Unsigned(_)) && is_mask(&place);
        let value = match self.named(leaf, value) {
            Some(name) => name,
            None if hex => hexadecimal(value),
            None => Number::Integer(value).literal(scalar),
        };
        Check::Integer {
            place,
            value,
            scalar,
            hex,
        }
    }

    /// An enumerator's name, where the type has one.
    fn named(&self, leaf: &Leaf, value: i128) -> Option<String> {
        if let Some(name) = &leaf.input {
            return self.file.plan.meaning(name, value).map(str::to_owned);
        }
        let returned = self.file.plan.result.as_ref().filter(|_| leaf.result)?;
        let Type::Enum { values, .. } = self.file.types.resolved(returned.ty) else {
            return None;
        };
        let (name, _) = values.iter().find(|(_, known)| *known == value)?;
        Some(name.clone())
    }

    fn pointer(&self, place: String, seen: &str) -> Check {
        let (object, offset) = seen.split_once(':').unwrap_or((seen, "0"));
        let known = self
            .objects
            .iter()
            .find(|(id, _)| id.index().to_string() == object);
        match (object, known) {
            ("-1", _) => Check::Null { place },
            (_, None) => Check::NotNull { place },
            (_, Some((id, variable))) => {
                let declaration = &self.file.plan.object(*id).declaration;
                let other = match offset {
                    "0" => variable.clone(),
                    _ if declaration.starts_with("char *") => format!("{variable} + {offset}"),
                    _ => format!("(const char *){variable} + {offset}"),
                };
                Check::Same { place, other }
            }
        }
    }
}

/// Whether a place is a mask, by its name.
fn is_mask(place: &str) -> bool {
    let name = place.rsplit(['>', '.']).next().unwrap_or(place);
    let name = name.to_lowercase();
    ["flag", "mask", "bits", "crc", "hash"]
        .iter()
        .any(|word| name.contains(word))
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    text.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}
