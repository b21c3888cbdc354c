//! What the parser of a program knows, and what declarations and bodies have in common.

use std::collections::BTreeMap;

use super::ParseError;
use super::cursor::Cursor;
use super::lex::Kind;
use crate::entity::Entity;
use crate::id::{ExternId, FuncId, GlobalId};
use crate::model::Program;
use crate::types::Type;

/// Parses one program.
pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) program: Program,
    /// What each declared name stands for; `None` where several things have it.
    pub(super) names: BTreeMap<&'a str, Option<Symbol>>,
}

/// What a name after `@` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Function(FuncId),
    Extern(ExternId),
    Global(GlobalId),
}

impl Parser<'_> {
    /// The word that names an entity which is being declared: its number may be left out, but not be another one.
    pub(super) fn counted<E: Entity>(&mut self, next: E) -> Result<(), ParseError> {
        if self.cursor.peek_word() != Some(E::PREFIX) && self.cursor.peek_entity() != Some(next) {
            return self
                .cursor
                .expected(&format!("`{next}`, because numbers count up"));
        }
        self.cursor.bump();
        Ok(())
    }

    /// Parameters in parentheses; says whether `...` ends them.
    pub(super) fn params(
        &mut self,
        mut param: impl FnMut(&mut Self) -> Result<(), ParseError>,
    ) -> Result<bool, ParseError> {
        self.cursor.mark("(")?;
        let mut first = true;
        while !self.cursor.eat(")") {
            if !std::mem::replace(&mut first, false) {
                self.cursor.mark(",")?;
            }
            if self.cursor.eat("...") {
                self.cursor.mark(")")?;
                return Ok(true);
            }
            param(self)?;
        }
        Ok(false)
    }

    /// `-> i32`, or nothing for `void`.
    pub(super) fn result(&mut self) -> Result<Type, ParseError> {
        if self.cursor.eat("->") {
            self.cursor.ty()
        } else {
            Ok(Type::Void)
        }
    }

    /// A global or a function, by name or by id; `None` when the next token is neither.
    pub(super) fn symbol(&mut self) -> Result<Option<Symbol>, ParseError> {
        let symbol = if let Kind::Name(name) = self.cursor.peek() {
            match self.names.get(name.as_str()) {
                Some(Some(symbol)) => *symbol,
                Some(None) => {
                    return self
                        .cursor
                        .error(format!("several things are called `@{name}`: use the id"));
                }
                None => return self.cursor.error(format!("nothing is called `@{name}`")),
            }
        } else if let Some(id) = self.cursor.peek_entity() {
            Symbol::Function(id)
        } else if let Some(id) = self.cursor.peek_entity() {
            Symbol::Extern(id)
        } else if let Some(id) = self.cursor.peek_entity() {
            Symbol::Global(id)
        } else {
            return Ok(None);
        };
        self.cursor.bump();
        Ok(Some(symbol))
    }
}
