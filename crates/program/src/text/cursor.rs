//! A position in the tokens, and the small things that are read from there.

use super::ParseError;
use super::lex::{Kind, Token};
use crate::entity::Entity;
use crate::place::Loc;
use crate::place::SourceRange;
use crate::types::{Field, Type};

pub(super) struct Cursor<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// `tokens` ends with the end token.
    pub(super) fn new(tokens: &'a [Token]) -> Cursor<'a> {
        Cursor { tokens, at: 0 }
    }

    pub(super) fn peek(&self) -> &'a Kind {
        &self.token(0).kind
    }

    /// The token so many further on.
    pub(super) fn token(&self, ahead: usize) -> &'a Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(super) fn bump(&mut self) -> &'a Token {
        let token = self.token(0);
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// An error at the next token.
    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        error_at(self.token(0), message)
    }

    /// "expected …, found …", at the next token.
    pub(super) fn expected<T>(&self, what: &str) -> Result<T, ParseError> {
        self.error(format!("expected {what}, found {}", self.peek().describe()))
    }

    /// The same, at the token that was just read.
    pub(super) fn error_before<T>(&self, what: &str) -> Result<T, ParseError> {
        let token = &self.tokens[self.at.saturating_sub(1)];
        error_at(
            token,
            format!("expected {what}, found {}", token.kind.describe()),
        )
    }

    pub(super) fn peek_word(&self) -> Option<&'a str> {
        match self.peek() {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == Some(word);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word) {
            Ok(())
        } else {
            self.expected(&format!("`{word}`"))
        }
    }

    pub(super) fn is_mark(&self, mark: &str) -> bool {
        matches!(self.peek(), Kind::Mark(found) if *found == mark)
    }

    pub(super) fn eat(&mut self, mark: &str) -> bool {
        let found = self.is_mark(mark);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn mark(&mut self, mark: &str) -> Result<(), ParseError> {
        if self.eat(mark) {
            Ok(())
        } else {
            self.expected(&format!("`{mark}`"))
        }
    }

    /// The number in the next word, if it is `prefix` and a number.
    pub(super) fn peek_numbered(&self, prefix: &str) -> Option<u32> {
        numbered(self.peek_word()?, prefix)
    }

    pub(super) fn peek_entity<E: Entity>(&self) -> Option<E> {
        self.peek_numbered(E::PREFIX)
            .map(|number| E::new(number as usize))
    }

    pub(super) fn entity<E: Entity>(&mut self, what: &str) -> Result<E, ParseError> {
        let Some(entity) = self.peek_entity() else {
            return self.expected(what);
        };
        self.bump();
        Ok(entity)
    }

    pub(super) fn string(&mut self) -> Result<String, ParseError> {
        let Kind::Str(text) = self.peek() else {
            return self.expected("a string");
        };
        self.bump();
        Ok(text.clone())
    }

    pub(super) fn name(&mut self) -> Result<String, ParseError> {
        let Kind::Name(name) = self.peek() else {
            return self.expected("a name with `@`");
        };
        self.bump();
        Ok(name.clone())
    }

    /// A number that is not negative.
    pub(super) fn unsigned<N: TryFrom<u128>>(&mut self) -> Result<N, ParseError> {
        let Kind::Int {
            negative: false,
            magnitude,
            ..
        } = self.peek()
        else {
            return self.expected("a number");
        };
        let Ok(number) = N::try_from(*magnitude) else {
            return self.error("the number is too large");
        };
        self.bump();
        Ok(number)
    }

    pub(super) fn signed(&mut self) -> Result<i64, ParseError> {
        let Kind::Int {
            negative,
            magnitude,
            ..
        } = self.peek()
        else {
            return self.expected("a number");
        };
        let number = i128::try_from(*magnitude)
            .ok()
            .map(|value| if *negative { -value } else { value });
        let Some(number) = number.and_then(|value| i64::try_from(value).ok()) else {
            return self.error("the number is too large");
        };
        self.bump();
        Ok(number)
    }

    /// ` + 5`, ` - 5`, or nothing. Between numbers the sign needs no space.
    pub(super) fn offset(&mut self) -> Result<i64, ParseError> {
        if self.eat("+") {
            return self.signed();
        }
        if self.eat("-") {
            let magnitude: i128 = i128::from(self.unsigned::<u64>()?);
            return i64::try_from(-magnitude).or_else(|_| self.error("the number is too large"));
        }
        Ok(0)
    }

    /// `{1, 2}`.
    pub(super) fn numbers(&mut self) -> Result<Vec<u32>, ParseError> {
        self.mark("{")?;
        self.until("}", Cursor::unsigned)
    }

    /// Items between commas, up to a closing mark.
    pub(super) fn until<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut items = Vec::new();
        while !self.eat(close) {
            if !items.is_empty() {
                self.mark(",")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `at file0:3:5`, or nothing.
    pub(super) fn loc(&mut self) -> Result<Option<Loc>, ParseError> {
        if !self.eat_word("at") {
            return Ok(None);
        }
        let Some(file) = self.peek_numbered("file") else {
            return self.expected("a file");
        };
        self.bump();
        self.mark(":")?;
        let line = self.unsigned()?;
        self.mark(":")?;
        Ok(Some(Loc {
            file,
            line,
            col: self.unsigned()?,
        }))
    }

    /// `3:5..4:6`.
    pub(super) fn range(&mut self) -> Result<SourceRange, ParseError> {
        let line = self.unsigned()?;
        self.mark(":")?;
        let col = self.unsigned()?;
        self.mark("..")?;
        let end_line = self.unsigned()?;
        self.mark(":")?;
        Ok(SourceRange {
            line,
            col,
            end_line,
            end_col: self.unsigned()?,
        })
    }

    /// Whether a type starts here.
    pub(super) fn at_type(&self) -> bool {
        match self.peek() {
            Kind::Mark("{" | "<") => true,
            Kind::Mark("[") => {
                matches!(self.token(1).kind, Kind::Int { .. })
                    && matches!(&self.token(2).kind, Kind::Word(word) if word == "x")
            }
            Kind::Word(word) => word == "type" || simple_type(word).is_some(),
            _ => false,
        }
    }

    pub(super) fn ty(&mut self) -> Result<Type, ParseError> {
        if self.eat("{") {
            return self.struct_type();
        }
        if self.eat("[") {
            let count = self.unsigned()?;
            self.word("x")?;
            let element = self.ty()?;
            self.mark("]")?;
            return Ok(Type::array(element, count));
        }
        if self.eat("<") {
            let lanes = self.unsigned()?;
            self.word("x")?;
            let element = self.ty()?;
            self.mark(">")?;
            return Ok(Type::vector(element, lanes));
        }
        if self.eat_word("type") {
            return Ok(Type::Opaque(self.string()?.into()));
        }
        let Some(ty) = self.peek_word().and_then(simple_type) else {
            return self.expected("a type");
        };
        self.bump();
        Ok(ty)
    }

    fn struct_type(&mut self) -> Result<Type, ParseError> {
        let mut fields = Vec::new();
        while !self.eat_word("size") {
            let ty = self.ty()?;
            self.mark("+")?;
            fields.push(Field {
                ty,
                offset: self.unsigned()?,
            });
            self.mark(",")?;
        }
        let size = self.unsigned()?;
        self.mark("}")?;
        Ok(Type::structure(fields, size))
    }
}

pub(super) fn error_at<T>(token: &Token, message: impl Into<String>) -> Result<T, ParseError> {
    Err(ParseError {
        line: token.line,
        col: token.col,
        message: message.into(),
    })
}

/// The number behind `prefix`, without leading zeros.
pub(super) fn numbered(word: &str, prefix: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    let number: u32 = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}

fn simple_type(word: &str) -> Option<Type> {
    match word {
        "void" => Some(Type::Void),
        "f32" => Some(Type::F32),
        "f64" => Some(Type::F64),
        "x86_fp80" => Some(Type::X86Fp80),
        "ptr" => Some(Type::Ptr),
        _ => numbered(word, "i").map(Type::Int),
    }
}
