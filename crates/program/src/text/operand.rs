//! The parser of operands and constants.

use super::ParseError;
use super::body::Body;
use super::lex::Kind;
use super::parser::Symbol;
use super::print::print_type;
use crate::id::ValueId;
use crate::operand::{Const, Operand};
use crate::types::Type;

impl Body<'_, '_> {
    /// An integer of so many bits: signed or unsigned, as long as it fits.
    pub(super) fn integer(&mut self, bits: u32) -> Result<u128, ParseError> {
        let Kind::Int {
            negative,
            magnitude,
            ..
        } = *self.parser.cursor.peek()
        else {
            return self.parser.cursor.expected("a whole number");
        };
        let limit = if negative {
            1 << (bits - 1)
        } else {
            u128::MAX >> (128 - bits)
        };
        if magnitude > limit {
            return self
                .parser
                .cursor
                .error(format!("the number does not fit in {bits} bits"));
        }
        self.parser.cursor.bump();
        let value = if negative {
            magnitude.wrapping_neg()
        } else {
            magnitude
        };
        Ok(value & (u128::MAX >> (128 - bits)))
    }

    pub(super) fn arguments(
        &mut self,
        expected: Option<&Type>,
    ) -> Result<Vec<Operand>, ParseError> {
        self.parser.cursor.mark("(")?;
        let mut args = Vec::new();
        while !self.parser.cursor.eat(")") {
            if !args.is_empty() {
                self.parser.cursor.mark(",")?;
            }
            args.push(self.operand(expected)?);
        }
        Ok(args)
    }

    /// Two operands of one type: what one of them lacks, the other gives.
    pub(super) fn pair(
        &mut self,
        expected: Option<&Type>,
    ) -> Result<(Operand, Operand, Option<Type>), ParseError> {
        let lhs = self.operand(expected)?;
        self.parser.cursor.mark(",")?;
        let ty = self.type_of(&lhs).or_else(|| expected.cloned());
        let rhs = self.operand(ty.as_ref())?;
        let ty = ty.or_else(|| self.type_of(&rhs));
        Ok((lhs, rhs, ty))
    }

    pub(super) fn type_of(&self, operand: &Operand) -> Option<Type> {
        match operand {
            Operand::Value(value) => self.types.get(value).cloned(),
            Operand::Const(constant) => Some(constant.ty()),
        }
    }

    pub(super) fn at_operand(&self) -> bool {
        let cursor = &self.parser.cursor;
        // `v3 = …` and `v3: i32 = …` begin the next line.
        let begins_line = matches!(cursor.token(1).kind, Kind::Mark("=" | ":"));
        (cursor.peek_entity::<ValueId>().is_some() && !begins_line)
            || cursor.at_type()
            || matches!(
                cursor.peek_word(),
                Some("true" | "false" | "null" | "undef" | "poison" | "zero" | "opaque")
            )
            || matches!(cursor.peek(), Kind::Name(_) | Kind::Int { .. })
    }

    /// An operand; `expected` is the type of a constant that does not say its own.
    pub(super) fn operand(&mut self, expected: Option<&Type>) -> Result<Operand, ParseError> {
        if let Some(value) = self.parser.cursor.peek_entity::<ValueId>() {
            self.parser.cursor.bump();
            return Ok(Operand::Value(value));
        }
        self.constant(expected).map(Operand::Const)
    }

    pub(super) fn constant(&mut self, expected: Option<&Type>) -> Result<Const, ParseError> {
        if self.parser.cursor.at_type() {
            let ty = self.parser.cursor.ty()?;
            return self.literal(&ty);
        }
        if self.parser.cursor.eat("(") {
            let Some(Symbol::Global(global)) = self.parser.symbol()? else {
                return self.parser.cursor.expected("a global");
            };
            let offset = self.parser.cursor.offset()?;
            self.parser.cursor.mark(")")?;
            return Ok(Const::Global { global, offset });
        }
        if let Some(symbol) = self.parser.symbol()? {
            return Ok(match symbol {
                Symbol::Function(id) => Const::Function(id),
                Symbol::Extern(id) => Const::Extern(id),
                Symbol::Global(global) => Const::Global { global, offset: 0 },
            });
        }
        match self.parser.cursor.peek_word() {
            Some(word @ ("true" | "false")) => {
                self.parser.cursor.bump();
                Ok(Const::bool(word == "true"))
            }
            Some("null") => {
                self.parser.cursor.bump();
                Ok(Const::Null)
            }
            Some(word @ ("undef" | "poison" | "zero" | "opaque")) => {
                self.parser.cursor.bump();
                self.unspecific(word, expected)
            }
            _ => match (self.parser.cursor.peek(), expected) {
                (Kind::Int { .. } | Kind::Float(_), Some(ty)) => self.literal(&ty.clone()),
                (Kind::Int { .. } | Kind::Float(_), None) => self
                    .parser
                    .cursor
                    .error("say the type of the constant, as in `i32 5`"),
                _ => self.parser.cursor.expected("a value or a constant"),
            },
        }
    }

    pub(super) fn unspecific(
        &mut self,
        word: &str,
        expected: Option<&Type>,
    ) -> Result<Const, ParseError> {
        let ty = match expected {
            Some(ty) if !self.parser.cursor.at_type() => ty.clone(),
            _ => self.parser.cursor.ty()?,
        };
        Ok(match word {
            "undef" => Const::Undef(ty),
            "poison" => Const::Poison(ty),
            "zero" => Const::Zero(ty),
            _ => Const::Opaque {
                ty,
                what: self.parser.cursor.string()?.into(),
            },
        })
    }

    /// What follows the type of a constant.
    pub(super) fn literal(&mut self, ty: &Type) -> Result<Const, ParseError> {
        let cursor = &mut self.parser.cursor;
        match (ty, cursor.peek().clone()) {
            (Type::Int(bits @ 1..=128), _) => Ok(Const::Int {
                bits: *bits,
                value: self.integer(*bits)?,
            }),
            (
                Type::F32,
                Kind::Int {
                    negative: false,
                    hex: true,
                    ..
                },
            ) => cursor.unsigned().map(Const::F32),
            (
                Type::F64,
                Kind::Int {
                    negative: false,
                    hex: true,
                    ..
                },
            ) => cursor.unsigned().map(Const::F64),
            (Type::F32 | Type::F64, kind @ (Kind::Int { hex: false, .. } | Kind::Float(_))) => {
                cursor.bump();
                let text = match kind {
                    Kind::Int {
                        negative,
                        magnitude,
                        ..
                    } => format!("{}{magnitude}", if negative { "-" } else { "" }),
                    Kind::Float(text) => text,
                    _ => String::new(),
                };
                let parsed = match ty {
                    Type::F32 => text
                        .parse::<f32>()
                        .ok()
                        .map(|value| Const::F32(value.to_bits())),
                    _ => text
                        .parse::<f64>()
                        .ok()
                        .map(|value| Const::F64(value.to_bits())),
                };
                parsed.map_or_else(|| self.parser.cursor.error_before("a number"), Ok)
            }
            (Type::Struct(_) | Type::Array(_) | Type::Vector(_), Kind::Mark("[")) => {
                cursor.bump();
                let mut members = Vec::new();
                while !self.parser.cursor.eat("]") {
                    if !members.is_empty() {
                        self.parser.cursor.mark(",")?;
                    }
                    members.push(self.constant(None)?);
                }
                Ok(Const::aggregate(ty.clone(), members))
            }
            _ => cursor.expected(&format!("a constant of type {}", print_type(ty))),
        }
    }
}
