//! The parser of instructions.

use super::ParseError;
use super::body::Body;
use super::cursor::Cursor;
use super::parser::Symbol;
use crate::id::BlockId;
use crate::inst::SiteKind;
use crate::inst::{Callee, Op};
use crate::op::{BinOp, CastOp, FBinOp, FCmp, ICmp, Intrinsic, MemOp};
use crate::operand::Const;
use crate::types::Type;

/// An operation, and the type that its operands give its result, if they do.
type Parsed = (Op, Option<Type>);

impl Body<'_, '_> {
    pub(super) fn op(
        &mut self,
        block: BlockId,
        annotated: Option<&Type>,
    ) -> Result<Parsed, ParseError> {
        let Some(word) = self.parser.cursor.peek_word() else {
            return self.parser.cursor.expected("an instruction");
        };
        self.parser.cursor.bump();
        if let Some(op) = BinOp::from_name(word) {
            let (lhs, rhs, ty) = self.pair(annotated)?;
            return Ok((Op::Bin { op, lhs, rhs }, ty));
        }
        if let Some(op) = FBinOp::from_name(word) {
            let (lhs, rhs, ty) = self.pair(annotated)?;
            return Ok((Op::FBin { op, lhs, rhs }, ty));
        }
        if let Some(op) = CastOp::from_name(word) {
            return Ok((
                Op::Cast {
                    op,
                    value: self.operand(None)?,
                },
                None,
            ));
        }
        if let Some(op) = MemOp::from_name(word) {
            let to = self.operand(Some(&Type::Ptr))?;
            self.parser.cursor.mark(",")?;
            let second = if op == MemOp::Set {
                Type::Int(8)
            } else {
                Type::Ptr
            };
            let second = self.operand(Some(&second))?;
            self.parser.cursor.mark(",")?;
            let length = Type::Int(self.parser.program.layout.pointer_bits);
            let args = [to, second, self.operand(Some(&length))?];
            let volatile = self.parser.cursor.eat_word("volatile");
            return Ok((Op::Mem { op, args, volatile }, Some(Type::Void)));
        }
        if let Some(op) = Intrinsic::from_name(word) {
            return Ok((
                Op::Intrinsic {
                    op,
                    args: self.arguments(annotated)?,
                },
                None,
            ));
        }
        self.other_op(word, block, annotated)
    }

    pub(super) fn other_op(
        &mut self,
        word: &str,
        block: BlockId,
        annotated: Option<&Type>,
    ) -> Result<Parsed, ParseError> {
        match word {
            "fneg" | "freeze" => {
                let value = self.operand(annotated)?;
                let ty = self.type_of(&value);
                Ok((
                    if word == "fneg" {
                        Op::FNeg { value }
                    } else {
                        Op::Freeze { value }
                    },
                    ty,
                ))
            }
            "icmp" => {
                let pred = self.named("a predicate", ICmp::from_name)?;
                let (lhs, rhs, ty) = self.pair(None)?;
                Ok((Op::ICmp { pred, lhs, rhs }, Some(truth(ty))))
            }
            "fcmp" => {
                let pred = self.named("a predicate", FCmp::from_name)?;
                let (lhs, rhs, ty) = self.pair(None)?;
                Ok((Op::FCmp { pred, lhs, rhs }, Some(truth(ty))))
            }
            "select" => {
                let cond = self.operand(Some(&Type::BOOL))?;
                self.parser.cursor.mark(",")?;
                let (then_value, else_value, ty) = self.pair(annotated)?;
                Ok((
                    Op::Select {
                        cond,
                        then_value,
                        else_value,
                    },
                    ty,
                ))
            }
            "phi" => self.phi(annotated),
            "load" => {
                let address = self.operand(Some(&Type::Ptr))?;
                let (align, volatile) = self.access()?;
                Ok((
                    Op::Load {
                        address,
                        align,
                        volatile,
                    },
                    None,
                ))
            }
            "store" => {
                let value = self.operand(None)?;
                self.parser.cursor.mark(",")?;
                let address = self.operand(Some(&Type::Ptr))?;
                let (align, volatile) = self.access()?;
                Ok((
                    Op::Store {
                        address,
                        value,
                        align,
                        volatile,
                    },
                    Some(Type::Void),
                ))
            }
            "gep" => self.gep(),
            "alloca" => self.alloca(),
            "call" => self.call(),
            "extractvalue" => {
                let aggregate = self.operand(None)?;
                let path = self.path()?;
                let ty = self
                    .type_of(&aggregate)
                    .and_then(|ty| ty.at(&path).cloned());
                Ok((Op::ExtractValue { aggregate, path }, ty))
            }
            "insertvalue" => {
                let aggregate = self.operand(annotated)?;
                self.parser.cursor.mark(",")?;
                let value = self.operand(None)?;
                let ty = self.type_of(&aggregate);
                Ok((
                    Op::InsertValue {
                        aggregate,
                        value,
                        path: self.path()?,
                    },
                    ty,
                ))
            }
            "count" => self.count(block),
            "opaque" => {
                let what = self.parser.cursor.string()?.into();
                Ok((
                    Op::Opaque {
                        what,
                        args: self.arguments(None)?,
                    },
                    None,
                ))
            }
            _ => self.parser.cursor.error_before("an instruction"),
        }
    }

    pub(super) fn phi(&mut self, annotated: Option<&Type>) -> Result<Parsed, ParseError> {
        self.parser.cursor.mark("[")?;
        let mut incoming = Vec::new();
        while !self.parser.cursor.eat("]") {
            if !incoming.is_empty() {
                self.parser.cursor.mark(",")?;
            }
            let block = self.parser.cursor.entity("a block")?;
            self.parser.cursor.mark(":")?;
            incoming.push((block, self.operand(annotated)?));
        }
        let ty = incoming.iter().find_map(|(_, value)| self.type_of(value));
        Ok((Op::Phi { incoming }, ty))
    }

    pub(super) fn gep(&mut self) -> Result<Parsed, ParseError> {
        let base = self.operand(Some(&Type::Ptr))?;
        let mut indices = Vec::new();
        let pointer = Type::Int(self.parser.program.layout.pointer_bits);
        if self.parser.cursor.eat("[") {
            while !self.parser.cursor.eat("]") {
                if !indices.is_empty() {
                    self.parser.cursor.mark(",")?;
                }
                let index = self.operand(Some(&pointer))?;
                self.parser.cursor.mark("*")?;
                indices.push((index, self.parser.cursor.signed()?));
            }
        }
        let offset = self.parser.cursor.offset()?;
        Ok((
            Op::Gep {
                base,
                indices,
                offset,
            },
            Some(Type::Ptr),
        ))
    }

    pub(super) fn alloca(&mut self) -> Result<Parsed, ParseError> {
        let size = self.parser.cursor.unsigned()?;
        let count = if self.parser.cursor.eat_word("x") {
            self.operand(Some(&Type::Int(32)))?
        } else {
            Const::int(32, 1).into()
        };
        let align = self.align()?;
        Ok((Op::Alloca { size, align, count }, Some(Type::Ptr)))
    }

    pub(super) fn call(&mut self) -> Result<Parsed, ParseError> {
        let variadic = self.parser.cursor.eat_word("variadic");
        let mut ty = None;
        let callee = if self.parser.cursor.eat("*") {
            Callee::Indirect(self.operand(Some(&Type::Ptr))?)
        } else if self.parser.cursor.eat_word("asm") {
            Callee::Asm(self.parser.cursor.string()?.into())
        } else {
            match self.parser.symbol()? {
                Some(Symbol::Function(id)) => {
                    ty = self
                        .parser
                        .program
                        .functions
                        .get(id)
                        .map(|function| function.return_type.clone());
                    Callee::Direct(id)
                }
                Some(Symbol::Extern(id)) => {
                    ty = self
                        .parser
                        .program
                        .externs
                        .get(id)
                        .map(|function| function.return_type.clone());
                    Callee::Extern(id)
                }
                Some(Symbol::Global(_)) => return self.parser.cursor.error_before("a function"),
                None => return self.parser.cursor.expected("a function, `*` or `asm`"),
            }
        };
        let args = self.arguments(None)?;
        Ok((
            Op::Call {
                callee,
                args,
                variadic,
            },
            ty,
        ))
    }

    pub(super) fn count(&mut self, block: BlockId) -> Result<Parsed, ParseError> {
        let counter = self.parser.cursor.unsigned()?;
        let step = if self.parser.cursor.eat_word("step") {
            Some(self.operand(None)?)
        } else {
            None
        };
        let site = if self.parser.cursor.is_mark("[") {
            let kind = if step.is_some() {
                SiteKind::Select
            } else {
                SiteKind::Probe
            };
            let targets = vec![None; if step.is_some() { 2 } else { 1 }];
            Some(self.site(block, kind, &targets)?)
        } else {
            None
        };
        Ok((
            Op::Count {
                counter,
                step,
                site,
            },
            Some(Type::Void),
        ))
    }

    pub(super) fn access(&mut self) -> Result<(u32, bool), ParseError> {
        let align = self.align()?;
        Ok((align, self.parser.cursor.eat_word("volatile")))
    }

    /// `align 4`; 1 when it is left out.
    pub(super) fn align(&mut self) -> Result<u32, ParseError> {
        if self.parser.cursor.eat_word("align") {
            self.parser.cursor.unsigned()
        } else {
            Ok(1)
        }
    }

    pub(super) fn named<T>(
        &mut self,
        what: &str,
        from_name: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ParseError> {
        let Some(found) = self.parser.cursor.peek_word().and_then(from_name) else {
            return self.parser.cursor.expected(what);
        };
        self.parser.cursor.bump();
        Ok(found)
    }

    pub(super) fn path(&mut self) -> Result<Vec<u32>, ParseError> {
        self.parser.cursor.mark("[")?;
        self.parser.cursor.until("]", Cursor::unsigned)
    }

    pub(super) fn targets(&mut self) -> Result<Vec<BlockId>, ParseError> {
        self.parser.cursor.mark("[")?;
        self.parser
            .cursor
            .until("]", |cursor| cursor.entity("a block"))
    }
}

/// Type of a comparison of two values of this type.
fn truth(compared: Option<Type>) -> Type {
    match compared {
        Some(Type::Vector(ty)) => Type::vector(Type::BOOL, ty.lanes),
        _ => Type::BOOL,
    }
}
