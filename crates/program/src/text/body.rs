//! The parser of function bodies.

use std::collections::{BTreeMap, BTreeSet};

use super::ParseError;
use super::cursor::error_at;
use super::lex::{Kind, Token};
use super::parser::Parser;
use crate::entity::{Entity, PrimaryMap};
use crate::function::{Block, Def, Function, Value};
use crate::id::{BlockId, FuncId, SiteId, SpotId, ValueId};
use crate::inst::SiteKind;
use crate::inst::{Inst, Terminator};
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

pub(super) struct Body<'p, 'a> {
    pub(super) parser: &'p mut Parser<'a>,
    id: FuncId,
    return_type: Type,
    /// Types of the values read so far, to complete constants.
    pub(super) types: BTreeMap<ValueId, Type>,
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
    pub(super) fn site(
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
