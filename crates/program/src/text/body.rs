//! The parser of function bodies.

use std::collections::{BTreeMap, BTreeSet};

use super::ParseError;
use super::cursor::error_at;
use super::lex::{Kind, Token};
use super::parse::{Parser, Symbol};
use super::print::print_type;
use crate::entity::{Entity, PrimaryMap};
use crate::function::{Block, Def, Function, Value};
use crate::id::{BlockId, FuncId, SiteId, SpotId, ValueId};
use crate::inst::{Callee, Inst, Op, Terminator};
use crate::model::SiteKind;
use crate::op::{BinOp, CastOp, FBinOp, FCmp, ICmp, Intrinsic, MemOp};
use crate::operand::{Const, Operand};
use crate::types::Type;

/// Parses a function; the word `fn` has been read.
pub(super) fn function(parser: &mut Parser) -> Result<(), ParseError> {
    let id = parser.program.functions.next_key();
    // Sites and spots refer to the function, so it is there before its body.
    let mut function = Function::new(parser.cursor.name()?);
    let mut params = Vec::new();
    function.variadic = parser.params(|parser| {
        let token = parser.cursor.token(0);
        let value: ValueId = parser.cursor.entity("a parameter `v…`")?;
        parser.cursor.mark(":")?;
        params.push((value, parser.cursor.ty()?, token));
        Ok(())
    })?;
    function.return_type = parser.result()?;
    function.internal = parser.cursor.eat_word("internal");
    function.library = parser.cursor.eat_word("library");
    if parser.cursor.eat_word("counters") {
        function.entry_counters = parser.cursor.numbers()?;
    }
    function.loc = parser.cursor.loc()?;
    parser.cursor.mark("{")?;
    let types = params
        .iter()
        .map(|(value, ty, _)| (*value, ty.clone()))
        .collect();
    let return_type = function.return_type.clone();
    parser.program.add_function(function);
    let mut body = Body {
        parser,
        id,
        return_type,
        types,
        lines: Vec::new(),
        blocks: PrimaryMap::new(),
    };
    while !body.parser.cursor.eat("}") {
        body.block()?;
    }
    body.finish(params)
}

struct Body<'p, 'a> {
    parser: &'p mut Parser<'a>,
    id: FuncId,
    return_type: Type,
    /// Types of the values read so far, to complete constants.
    types: BTreeMap<ValueId, Type>,
    lines: Vec<Line<'a>>,
    blocks: PrimaryMap<BlockId, Block>,
}

/// An instruction whose number may not be known yet.
struct Line<'a> {
    name: Option<ValueId>,
    ty: Type,
    inst: Inst,
    token: &'a Token,
}

/// An operation, and the type that its operands give its result, if they do.
type Parsed = (Op, Option<Type>);

impl Body<'_, '_> {
    fn block(&mut self) -> Result<(), ParseError> {
        let block = self.blocks.next_key();
        if self.parser.cursor.peek_entity() != Some(block) {
            return self
                .parser
                .cursor
                .expected(&format!("`{block}:`, because numbers count up"));
        }
        self.parser.cursor.bump();
        self.parser.cursor.mark(":")?;
        self.blocks.push(Block {
            insts: Vec::new(),
            terminator: Terminator::Unreachable,
            loc: None,
        });
        loop {
            if let Some(terminator) = self.terminator(block)? {
                let loc = self.parser.cursor.loc()?;
                self.blocks[block] = Block {
                    insts: Vec::new(),
                    terminator,
                    loc,
                };
                return Ok(());
            }
            self.line(block)?;
        }
    }

    fn line(&mut self, block: BlockId) -> Result<(), ParseError> {
        let token = self.parser.cursor.token(0);
        let name: Option<ValueId> = self.parser.cursor.peek_entity();
        let mut annotated = None;
        if name.is_some() {
            self.parser.cursor.bump();
            if self.parser.cursor.eat(":") {
                annotated = Some(self.parser.cursor.ty()?);
            }
            self.parser.cursor.mark("=")?;
        }
        let (op, own) = self.op(block, annotated.as_ref())?;
        let ty = match (annotated, own) {
            (Some(ty), _) | (None, Some(ty)) => ty,
            (None, None) if name.is_none() => Type::Void,
            (None, None) => return error_at(token, "say the type of the result: `v…: i32 = …`"),
        };
        if name.is_none() && ty != Type::Void {
            return error_at(token, "an instruction with a result needs a name: `v… = …`");
        }
        let spot = self.spot()?;
        let loc = self.parser.cursor.loc()?;
        if let Some(spot) = spot {
            self.parser.program.spots[spot].loc = loc;
        }
        if let Some(name) = name {
            self.types.insert(name, ty.clone());
        }
        self.lines.push(Line {
            name,
            ty,
            inst: Inst {
                block,
                op,
                loc,
                spot,
            },
            token,
        });
        Ok(())
    }

    /// `spot3 "load"`, or nothing.
    fn spot(&mut self) -> Result<Option<SpotId>, ParseError> {
        let next = self.parser.program.spots.next_key();
        let cursor = &self.parser.cursor;
        if cursor.peek_entity::<SpotId>().is_none() && cursor.peek_word() != Some(SpotId::PREFIX) {
            return Ok(None);
        }
        self.parser.counted(next)?;
        let what = self.parser.cursor.string()?;
        Ok(Some(self.parser.program.add_spot(self.id, None, what)))
    }

    fn op(&mut self, block: BlockId, annotated: Option<&Type>) -> Result<Parsed, ParseError> {
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

    fn other_op(
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

    fn phi(&mut self, annotated: Option<&Type>) -> Result<Parsed, ParseError> {
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

    fn gep(&mut self) -> Result<Parsed, ParseError> {
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

    fn alloca(&mut self) -> Result<Parsed, ParseError> {
        let size = self.parser.cursor.unsigned()?;
        let count = if self.parser.cursor.eat_word("x") {
            self.operand(Some(&Type::Int(32)))?
        } else {
            Const::int(32, 1).into()
        };
        let align = self.align()?;
        Ok((Op::Alloca { size, align, count }, Some(Type::Ptr)))
    }

    fn call(&mut self) -> Result<Parsed, ParseError> {
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

    fn count(&mut self, block: BlockId) -> Result<Parsed, ParseError> {
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

    /// The terminator, if one starts here.
    fn terminator(&mut self, block: BlockId) -> Result<Option<Terminator>, ParseError> {
        let terminator = match self.parser.cursor.peek_word() {
            Some("br") => {
                self.parser.cursor.bump();
                self.branch(block)?
            }
            Some("switch") => {
                self.parser.cursor.bump();
                self.switch(block)?
            }
            Some("ret") => {
                self.parser.cursor.bump();
                let ty = self.return_type.clone();
                let value = if ty == Type::Void && !self.at_operand() {
                    None
                } else {
                    Some(self.operand(Some(&ty))?)
                };
                Terminator::Ret { value }
            }
            Some("unreachable") => {
                self.parser.cursor.bump();
                Terminator::Unreachable
            }
            Some("indirectbr") => {
                self.parser.cursor.bump();
                let address = self.operand(Some(&Type::Ptr))?;
                Terminator::IndirectBr {
                    address,
                    targets: self.targets()?,
                }
            }
            Some("leave") => {
                self.parser.cursor.bump();
                let what = self.parser.cursor.string()?.into();
                let args = self.arguments(None)?;
                Terminator::Opaque {
                    what,
                    args,
                    targets: self.targets()?,
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(terminator))
    }

    fn branch(&mut self, block: BlockId) -> Result<Terminator, ParseError> {
        if let Some(target) = self.parser.cursor.peek_entity() {
            self.parser.cursor.bump();
            return Ok(Terminator::Br { target });
        }
        let cond = self.operand(Some(&Type::BOOL))?;
        self.parser.cursor.mark(",")?;
        let then = self.parser.cursor.entity("a block")?;
        self.parser.cursor.mark(",")?;
        let els = self.parser.cursor.entity("a block")?;
        let site = self.site(block, SiteKind::Branch, &[Some(els), Some(then)])?;
        Ok(Terminator::CondBr {
            cond,
            then,
            els,
            site,
        })
    }

    fn switch(&mut self, block: BlockId) -> Result<Terminator, ParseError> {
        let token = self.parser.cursor.token(0);
        let value = self.operand(None)?;
        let bits = match self.type_of(&value) {
            Some(Type::Int(bits)) if (1..=128).contains(&bits) => bits,
            Some(_) => return error_at(token, "expected an integer of up to 128 bits"),
            None => return error_at(token, "the value must be defined above the `switch`"),
        };
        self.parser.cursor.mark("[")?;
        let mut cases = Vec::new();
        while !self.parser.cursor.eat_word("default") {
            let case = self.integer(bits)?;
            self.parser.cursor.mark(":")?;
            cases.push((case, self.parser.cursor.entity("a block")?));
            self.parser.cursor.mark(",")?;
        }
        self.parser.cursor.mark(":")?;
        let default = self.parser.cursor.entity("a block")?;
        self.parser.cursor.mark("]")?;
        let targets: Vec<_> = cases
            .iter()
            .map(|(_, block)| Some(*block))
            .chain([Some(default)])
            .collect();
        let kind = SiteKind::Switch {
            bits,
            cases: cases.iter().map(|(case, _)| *case).collect(),
        };
        let site = self.site(block, kind, &targets)?;
        Ok(Terminator::Switch {
            value,
            cases,
            default,
            site,
        })
    }

    /// `[site0 at … in …: edge0 false {1}, edge1 true]`, or nothing.
    fn site(
        &mut self,
        block: BlockId,
        kind: SiteKind,
        targets: &[Option<BlockId>],
    ) -> Result<SiteId, ParseError> {
        let (mut loc, mut range) = (None, None);
        let mut counters = vec![Vec::new(); targets.len()];
        if self.parser.cursor.eat("[") {
            self.parser.counted(self.parser.program.sites.next_key())?;
            loc = self.parser.cursor.loc()?;
            if self.parser.cursor.eat_word("in") {
                range = Some(self.parser.cursor.range()?);
            }
            self.parser.cursor.mark(":")?;
            let mut edge = self.parser.program.edges.next_key();
            for (side, counters) in counters.iter_mut().enumerate() {
                if side > 0 {
                    self.parser.cursor.mark(",")?;
                }
                self.parser.counted(edge)?;
                edge = edge.plus(1);
                self.label(&kind, side)?;
                if self.parser.cursor.is_mark("{") {
                    *counters = self.parser.cursor.numbers()?;
                }
            }
            self.parser.cursor.mark("]")?;
        }
        let edges = targets.iter().copied().zip(counters);
        let site = self
            .parser
            .program
            .add_site(kind, self.id, block, loc, edges);
        self.parser.program.sites[site].range = range;
        Ok(site)
    }

    /// The side of an edge in words. May be left out.
    fn label(&mut self, kind: &SiteKind, side: usize) -> Result<(), ParseError> {
        match (kind, self.parser.cursor.peek()) {
            (SiteKind::Branch | SiteKind::Select, Kind::Word(_)) => {
                self.parser.cursor.word(["false", "true"][side])
            }
            (SiteKind::Switch { cases, .. }, Kind::Word(_)) if side == cases.len() => {
                self.parser.cursor.word("default")
            }
            (SiteKind::Switch { bits, cases }, Kind::Int { .. }) => {
                let token = self.parser.cursor.token(0);
                let label = self.integer(*bits)?;
                if cases.get(side) == Some(&label) {
                    Ok(())
                } else {
                    error_at(token, "this is not the case's constant")
                }
            }
            _ => Ok(()),
        }
    }

    /// An integer of so many bits: signed or unsigned, as long as it fits.
    fn integer(&mut self, bits: u32) -> Result<u128, ParseError> {
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

    fn access(&mut self) -> Result<(u32, bool), ParseError> {
        let align = self.align()?;
        Ok((align, self.parser.cursor.eat_word("volatile")))
    }

    /// `align 4`; 1 when it is left out.
    fn align(&mut self) -> Result<u32, ParseError> {
        if self.parser.cursor.eat_word("align") {
            self.parser.cursor.unsigned()
        } else {
            Ok(1)
        }
    }

    fn named<T>(
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

    fn arguments(&mut self, expected: Option<&Type>) -> Result<Vec<Operand>, ParseError> {
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

    fn path(&mut self) -> Result<Vec<u32>, ParseError> {
        self.parser.cursor.mark("[")?;
        self.parser
            .cursor
            .until("]", super::cursor::Cursor::unsigned)
    }

    fn targets(&mut self) -> Result<Vec<BlockId>, ParseError> {
        self.parser.cursor.mark("[")?;
        self.parser
            .cursor
            .until("]", |cursor| cursor.entity("a block"))
    }

    /// Two operands of one type: what one of them lacks, the other gives.
    fn pair(
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

    fn type_of(&self, operand: &Operand) -> Option<Type> {
        match operand {
            Operand::Value(value) => self.types.get(value).cloned(),
            Operand::Const(constant) => Some(constant.ty()),
        }
    }

    fn at_operand(&self) -> bool {
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
    fn operand(&mut self, expected: Option<&Type>) -> Result<Operand, ParseError> {
        if let Some(value) = self.parser.cursor.peek_entity::<ValueId>() {
            self.parser.cursor.bump();
            return Ok(Operand::Value(value));
        }
        self.constant(expected).map(Operand::Const)
    }

    fn constant(&mut self, expected: Option<&Type>) -> Result<Const, ParseError> {
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

    fn unspecific(&mut self, word: &str, expected: Option<&Type>) -> Result<Const, ParseError> {
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
    fn literal(&mut self, ty: &Type) -> Result<Const, ParseError> {
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

    /// Gives the unnamed instructions their numbers and puts the function together.
    fn finish(self, params: Vec<(ValueId, Type, &Token)>) -> Result<(), ParseError> {
        let mut values: BTreeMap<ValueId, Value> = BTreeMap::new();
        let total = params.len() + self.lines.len();
        let named = params.iter().map(|(value, _, token)| (*value, *token));
        let named = named.chain(
            self.lines
                .iter()
                .filter_map(|line| line.name.map(|value| (value, line.token))),
        );
        let mut taken = BTreeSet::new();
        for (value, token) in named {
            if !taken.insert(value) {
                return error_at(token, format!("{value} is defined twice"));
            }
            if value.index() >= total {
                return error_at(
                    token,
                    format!("values count up without gaps: {total} values do not need {value}"),
                );
            }
        }
        let mut free = (0..)
            .map(ValueId::from_u32)
            .filter(|number| !taken.contains(number));
        let function = &mut self.parser.program.functions[self.id];
        for (number, (value, ty, _)) in (0..).zip(params) {
            function.params.push(value);
            values.insert(
                value,
                Value {
                    ty,
                    def: Def::Param(number),
                },
            );
        }
        function.blocks = self.blocks;
        for Line { name, ty, inst, .. } in self.lines {
            let Some(value) = name.or_else(|| free.next()) else {
                continue;
            };
            function.blocks[inst.block].insts.push(value);
            values.insert(
                value,
                Value {
                    ty,
                    def: Def::Inst(inst),
                },
            );
        }
        function.values = values.into_values().collect();
        Ok(())
    }
}

/// Type of a comparison of two values of this type.
fn truth(compared: Option<Type>) -> Type {
    match compared {
        Some(Type::Vector(ty)) => Type::vector(Type::BOOL, ty.lanes),
        _ => Type::BOOL,
    }
}
