//! The format of certificates: one JSON document for a suite.
//!
//! Must hold: a text that is not what was written is refused: unknown fields, another version, another seal.

use std::fmt::Write as _;

use coverage::target::Pick;
use coverage::{GoalId, GoalKind, Goals, Side};
use program::{EdgeId, FuncId, Program};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::assertion::Invariant;
use crate::layout;
use crate::standing::Claims;

/// Version of the format.
pub const FORMAT: u32 = 1;

/// First line of a stored model, in front of its text form.
pub const MODEL: &str = "// bothways model; code outside of it: ";

/// What certificates are about: a model, and whether the program is linked with code that is not in it.
#[derive(Clone, Debug)]
pub struct Subject {
    pub program: Program,
    pub foreign: bool,
}

impl Subject {
    /// Its text: the model's, behind a line that says whether there is other code.
    #[must_use]
    pub fn text(program: &Program, foreign: bool) -> String {
        let foreign = if foreign { "yes" } else { "no" };
        format!("{MODEL}{foreign}\n{}", program::text::print(program))
    }

    /// Reads such a text; the model is verified.
    ///
    /// # Errors
    /// It is no model.
    pub fn parse(text: &str) -> Result<Subject, DocumentError> {
        let bad = |why: &str| DocumentError::Model(why.to_owned());
        let (head, _) = text
            .split_once('\n')
            .ok_or_else(|| bad("it has no lines"))?;
        let foreign = match head.strip_prefix(MODEL) {
            Some("yes") => true,
            Some("no") => false,
            _ => return Err(bad("its first line is not that of a model")),
        };
        let program = text
            .parse::<Program>()
            .map_err(|error| DocumentError::Model(error.to_string()))?;
        Ok(Subject { program, foreign })
    }

    /// The hash that certificates name it by.
    #[must_use]
    pub fn hash(text: &str) -> String {
        hex(text.as_bytes())
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// All certificates of a suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Version of the format.
    pub format: u32,
    /// Who wrote it.
    pub tool: String,
    /// Hash of the model's text.
    pub program: String,
    /// Criterion of the goals.
    pub criterion: String,
    /// Its rule for pairs.
    pub pairing: String,
    /// What certificates rest on.
    pub facts: Vec<Fact>,
    /// What those of kind `invariant` rest on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invariant: Option<Invariant>,
    /// What holds at any time of any run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<Claims>,
    /// What holds at any time of runs with some words of the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<Called>,
    pub certificates: Vec<Certificate>,
    /// Hash of everything else.
    pub seal: String,
}

/// Claims about runs with some words of the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Called {
    /// Those behind the program's name; `null`: an input.
    pub words: Vec<Option<String>>,
    pub claims: Claims,
}

/// Something that no state of the program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fact {
    /// It takes this edge.
    Edge { edge: u32 },
    /// It comes to this block.
    Block { function: u32, block: u32 },
}

impl Fact {
    /// The function that it is about, if the program has it.
    #[must_use]
    pub fn function(self, program: &Program) -> Option<FuncId> {
        match self {
            Fact::Edge { edge } => {
                let edge = program.edges.get(EdgeId::from_u32(edge))?;
                Some(program.sites.get(edge.site)?.function)
            }
            Fact::Block { function, .. } => {
                let id = FuncId::from_u32(function);
                program.functions.get(id).map(|_| id)
            }
        }
    }
}

/// Why no input covers a goal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    pub goal: GoalName,
    /// Name of its kind.
    pub kind: String,
    /// The inputs that it holds for.
    pub inputs: Inputs,
    /// Whether the checker can derive it without a search: `yes`, or `no` and why not.
    pub checked: String,
    /// What its kind needs.
    pub body: serde_json::Value,
}

/// The inputs that a certificate holds for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Inputs {
    /// All.
    All,
    /// Those that were declared, in words.
    Declared(Vec<String>),
}

/// A goal by its place in the model and in the source: both have to fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoalName {
    /// Index into the coverage records of the model.
    pub record: u32,
    /// Index into the regions of the record.
    pub region: u32,
    /// What is wanted.
    pub what: String,
    pub file: String,
    pub line: u32,
    pub col: u32,
}

impl GoalName {
    /// The name of a goal.
    #[must_use]
    pub fn of(program: &Program, goals: &Goals, goal: GoalId) -> GoalName {
        let known = goals.get(goal);
        let place = goals.place(goal);
        GoalName {
            record: known.record,
            region: known.region,
            what: known.kind.to_string(),
            file: program
                .files
                .get(place.file as usize)
                .cloned()
                .unwrap_or_default(),
            line: place.range.line,
            col: place.range.col,
        }
    }

    /// What it is about, if it can be a target.
    #[must_use]
    pub fn pick(&self) -> Option<Pick> {
        let sides = Side::BOTH.into_iter();
        let sided = sides.flat_map(|side| [GoalKind::Outcome(side), GoalKind::Decision(side)]);
        let mut kinds = sided.chain([GoalKind::Reached]);
        Some(Pick::new(
            self.record,
            self.region,
            kinds.find(|kind| kind.to_string() == self.what)?,
        ))
    }

    /// The goal of this name.
    #[must_use]
    pub fn find(&self, program: &Program, goals: &Goals) -> Option<GoalId> {
        if self.record as usize >= program.coverage.len() {
            return None;
        }
        goals
            .of_record(self.record)
            .find(|goal| GoalName::of(program, goals, *goal) == *self)
    }
}

/// A text is no document of certificates, or no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// No JSON, or a field is missing or unknown.
    #[error("not a document of certificates: {0}")]
    Text(String),
    /// Another version.
    #[error("format {0} of certificates; this version reads {FORMAT}")]
    Format(u32),
    /// It was changed after it was written.
    #[error("the certificates were changed: their seal does not fit")]
    Seal,
    /// The model cannot be read.
    #[error("not a model: {0}")]
    Model(String),
}

impl Document {
    /// The text of the document, sealed.
    #[must_use]
    pub fn render(&self) -> String {
        let sealed = Document {
            seal: self.own_seal(),
            ..self.clone()
        };
        layout::lines(&sealed)
    }

    /// Reads a document.
    ///
    /// # Errors
    /// It is none, or was changed.
    pub fn parse(text: &str) -> Result<Document, DocumentError> {
        let document: Document =
            serde_json::from_str(text).map_err(|error| DocumentError::Text(error.to_string()))?;
        if document.format != FORMAT {
            return Err(DocumentError::Format(document.format));
        }
        // The very text: spaces and the order of fields are part of what was written.
        let is_laid_out =
            || layout::lines(&document) == text || layout::old_lines(&document) == text;
        if document.seal != document.own_seal() || !is_laid_out() {
            return Err(DocumentError::Seal);
        }
        Ok(document)
    }

    fn own_seal(&self) -> String {
        let open = Document {
            seal: String::new(),
            ..self.clone()
        };
        hex(&serde_json::to_vec(&open).unwrap_or_default())
    }
}
