//! The parser of everything outside function bodies.

use std::collections::BTreeMap;

use super::ParseError;
use super::body;
use super::cursor::{Cursor, numbered};
use super::lex::{Kind, Token, lex};
use super::parser::{Parser, Symbol};
use super::regions;
use crate::entity::Entity;
use crate::function::Extern;
use crate::id::{ExternId, FuncId, GlobalId, ModuleId};
use crate::model::{Gap, Global, Init, Program, Relocation, RelocationTarget};
use crate::types::{DataLayout, Endian};

/// Parses a program. What comes out is well-formed text, not yet a verified model: see [`crate::verify`].
///
/// # Errors
/// The first thing that cannot be understood, with its place.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let tokens = lex(text)?;
    let names = declared_names(&tokens);
    let mut parser = Parser {
        cursor: Cursor::new(&tokens),
        program: Program::new(),
        names,
    };
    while *parser.cursor.peek() != Kind::End {
        parser.item()?;
    }
    Ok(parser.program)
}

/// Names are used before they are declared, so the declarations are found first: `fn @name`, `extern0 @name` … outside
/// all brackets.
fn declared_names(tokens: &[Token]) -> BTreeMap<&str, Option<Symbol>> {
    let mut names: BTreeMap<&str, Option<Symbol>> = BTreeMap::new();
    let (mut functions, mut externs, mut globals) = (0, 0, 0);
    let mut depth = 0usize;
    for pair in tokens.windows(2) {
        match (&pair[0].kind, &pair[1].kind) {
            (Kind::Mark("(" | "[" | "{"), _) => depth += 1,
            (Kind::Mark(")" | "]" | "}"), _) => depth = depth.saturating_sub(1),
            (Kind::Word(word), Kind::Name(name)) if depth == 0 => {
                let symbol = if is_keyword(word, FuncId::PREFIX) {
                    functions += 1;
                    Symbol::Function(FuncId::new(functions - 1))
                } else if is_keyword(word, ExternId::PREFIX) {
                    externs += 1;
                    Symbol::Extern(ExternId::new(externs - 1))
                } else if is_keyword(word, GlobalId::PREFIX) {
                    globals += 1;
                    Symbol::Global(GlobalId::new(globals - 1))
                } else {
                    continue;
                };
                names
                    .entry(name)
                    .and_modify(|known| *known = None)
                    .or_insert(Some(symbol));
            }
            _ => {}
        }
    }
    names
}

/// `fn` or `fn3`.
fn is_keyword(word: &str, prefix: &str) -> bool {
    word == prefix || numbered(word, prefix).is_some()
}

impl Parser<'_> {
    fn item(&mut self) -> Result<(), ParseError> {
        let Some(word) = self.cursor.peek_word() else {
            return self.cursor.expected("a declaration");
        };
        let keyword = word.trim_end_matches(|character: char| character.is_ascii_digit());
        if keyword == FuncId::PREFIX {
            if self.program.modules.is_empty() {
                self.program.add_module(0, "");
            }
            let next = self.program.functions.next_key();
            self.counted(next)?;
            return body::function(self);
        }
        match keyword {
            "layout" => self.layout(),
            "file" => self.file(),
            "coverage" => {
                self.cursor.bump();
                let coverage = regions::parse(&mut self.cursor)?;
                self.program.coverage.push(coverage);
                Ok(())
            }
            _ if keyword == ModuleId::PREFIX => self.module(),
            _ if keyword == ExternId::PREFIX => self.external(),
            _ if keyword == GlobalId::PREFIX => self.global(),
            _ => self
                .cursor
                .expected("`layout`, `file`, `extern`, `global`, `module`, `fn` or `coverage`"),
        }
    }

    fn layout(&mut self) -> Result<(), ParseError> {
        self.cursor.bump();
        let pointer_bits = self.cursor.unsigned()?;
        let endian = if self.cursor.eat_word("big") {
            Endian::Big
        } else {
            self.cursor.word("little")?;
            Endian::Little
        };
        self.program.layout = DataLayout {
            pointer_bits,
            endian,
        };
        Ok(())
    }

    fn file(&mut self) -> Result<(), ParseError> {
        let next = self.program.files.len();
        if self.cursor.peek_numbered("file") != u32::try_from(next).ok()
            && self.cursor.peek_word() != Some("file")
        {
            return self
                .cursor
                .expected(&format!("`file{next}`, because numbers count up"));
        }
        self.cursor.bump();
        let path = self.cursor.string()?;
        self.program.files.push(path);
        Ok(())
    }

    fn module(&mut self) -> Result<(), ParseError> {
        self.counted(self.program.modules.next_key())?;
        let name = self.cursor.string()?;
        self.cursor.word("uid")?;
        let uid = self.cursor.unsigned()?;
        self.program.add_module(uid, name);
        Ok(())
    }

    fn external(&mut self) -> Result<(), ParseError> {
        self.counted(self.program.externs.next_key())?;
        let name = self.cursor.name()?;
        let mut params = Vec::new();
        let variadic = self.params(|parser| {
            params.push(parser.cursor.ty()?);
            Ok(())
        })?;
        let return_type = self.result()?;
        let weak = self.cursor.eat_word("weak");
        self.program.externs.push(Extern {
            name,
            return_type,
            params,
            variadic,
            weak,
        });
        Ok(())
    }

    fn global(&mut self) -> Result<(), ParseError> {
        self.counted(self.program.globals.next_key())?;
        let name = self.cursor.name()?;
        let internal = self.cursor.eat_word("internal");
        let constant = self.cursor.eat_word("const");
        let thread_local = self.cursor.eat_word("thread_local");
        self.cursor.word("size")?;
        let size = self.cursor.unsigned()?;
        self.cursor.word("align")?;
        let align = self.cursor.unsigned()?;
        let loc = self.cursor.loc()?;
        let init = if self.cursor.eat("=") {
            Some(self.init()?)
        } else {
            None
        };
        self.program.globals.push(Global {
            name,
            internal,
            constant,
            thread_local,
            size,
            align,
            init,
            loc,
        });
        Ok(())
    }

    fn init(&mut self) -> Result<Init, ParseError> {
        self.cursor.word("x")?;
        let token = self.cursor.token(0);
        let digits = self.cursor.string()?;
        let bytes: Option<Vec<u8>> = (digits.len() % 2 == 0 && digits.is_ascii())
            .then(|| {
                (0..digits.len())
                    .step_by(2)
                    .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok())
                    .collect()
            })
            .flatten();
        let Some(bytes) = bytes else {
            return super::cursor::error_at(token, "expected bytes as pairs of hexadecimal digits");
        };
        let mut relocations = Vec::new();
        if self.cursor.eat("[") {
            while !self.cursor.eat("]") {
                if !relocations.is_empty() {
                    self.cursor.mark(",")?;
                }
                relocations.push(self.relocation()?);
            }
        }
        Ok(Init {
            bytes,
            relocations,
            unknown: self.unknown()?,
        })
    }

    /// Bytes that are not known.
    fn unknown(&mut self) -> Result<Vec<Gap>, ParseError> {
        let mut unknown = Vec::new();
        if self.cursor.eat_word("unknown") {
            self.cursor.mark("[")?;
            while !self.cursor.eat("]") {
                if !unknown.is_empty() {
                    self.cursor.mark(",")?;
                }
                let offset = self.cursor.unsigned()?;
                self.cursor.mark(":")?;
                let size = self.cursor.unsigned()?;
                unknown.push(Gap { offset, size });
            }
        }
        Ok(unknown)
    }

    fn relocation(&mut self) -> Result<Relocation, ParseError> {
        let offset = self.cursor.unsigned()?;
        self.cursor.mark(":")?;
        let to = match self.symbol()? {
            Some(Symbol::Global(id)) => RelocationTarget::Global(id),
            Some(Symbol::Function(id)) => RelocationTarget::Function(id),
            Some(Symbol::Extern(id)) => RelocationTarget::Extern(id),
            None => return self.cursor.expected("a global or a function"),
        };
        Ok(Relocation {
            offset,
            to,
            addend: self.cursor.offset()?,
        })
    }
}
