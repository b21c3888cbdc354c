//! Certificates of a suite: written beside it, with the model that they are about, and checked again.
//!
//! Must hold: each infeasible goal of the report has one; a document is checked only against the model that it names.

use std::path::{Path, PathBuf};

use backward::{Proof, Proofs, Why};
use coverage::{GoalId, GoalSet, Goals};
use path::Role;
use program::Program;
use proof::{Certificate, Document, Effects, FORMAT, Fact, GoalName, Inputs, Subject, kinds};
use serde_json::json;

use crate::decisions::Decisions;
use crate::error::{Context, Error, Result, bail};
use crate::host::Host;
use crate::options::Options;
use crate::output::{CERTIFICATES, Folder};
use crate::plan::Plan;

/// Name of the document in its folder.
const DOCUMENT: &str = "certificates.json";
/// Name of the model in its folder.
const MODEL: &str = "model.txt";

/// What certificates are made of.
pub struct Evidence<'a> {
    pub options: &'a Options,
    pub program: &'a Program,
    pub goals: &'a Goals,
    /// The program is linked with code that is not in the model.
    pub foreign: bool,
    /// Refuted before the search.
    pub proofs: &'a Proofs,
    /// All that no input covers.
    pub infeasible: &'a GoalSet,
    pub plan: &'a Plan,
    /// Runs of the search.
    pub runs: u64,
}

impl Evidence<'_> {
    /// Writes the certificates, if there is anything to certify.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn write(&self, folder: &Folder) -> Result<()> {
        let infeasible: Vec<GoalId> = self.infeasible.iter().collect();
        if infeasible.is_empty() {
            return Ok(());
        }
        let model = Subject::text(self.program, self.foreign);
        let facts = &self.proofs.facts;
        let effects = Effects::new(self.program, self.goals);
        let document = Document {
            format: FORMAT,
            tool: format!("bothways {}", env!("CARGO_PKG_VERSION")),
            program: Subject::hash(&model),
            criterion: self.options.criterion.clone(),
            pairing: self.options.mcdc.clone(),
            facts: facts.clone(),
            certificates: infeasible
                .iter()
                .map(|goal| self.certificate(*goal, facts, &effects))
                .collect(),
            seal: String::new(),
        };
        let place = |name: &str| Path::new(CERTIFICATES).join(name);
        folder.write(&place(MODEL), model.as_bytes())?;
        folder.write(&place(DOCUMENT), document.render().as_bytes())
    }

    fn certificate(&self, goal: GoalId, facts: &[Fact], effects: &Effects<'_>) -> Certificate {
        let name = GoalName::of(self.program, self.goals, goal);
        let checked = |kind: &str, body| Certificate {
            goal: name.clone(),
            kind: kind.to_owned(),
            inputs: Inputs::All,
            checked: "yes".to_owned(),
            body,
        };
        let Some(proof) = self.proofs.of(goal) else {
            return self.exhaustion(name);
        };
        match &proof.why {
            Why::Coupled {
                decision, possible, ..
            } => {
                let count = self.goals.decisions().get(*decision).conditions.len();
                let vectors = possible.iter();
                let mut vectors: Vec<String> = vectors
                    .map(|vector| kinds::coupling::name(vector, count))
                    .collect();
                vectors.sort();
                checked("coupling", json!({ "vectors": vectors }))
            }
            Why::Dead(_) | Why::Behind | Why::Values { .. } | Why::NeverCalled(_) => {
                match proof::enough(self.program, self.goals, facts, effects, goal) {
                    Some(facts) => checked("contradiction", json!({ "facts": facts })),
                    None => self.not_derived(name, proof),
                }
            }
        }
    }

    /// A proof that the checker's facts do not make.
    fn not_derived(&self, goal: GoalName, proof: &Proof) -> Certificate {
        Certificate {
            goal,
            kind: "exhaustion".to_owned(),
            inputs: Inputs::All,
            checked: format!("no: {}", kinds::exhaustion::WHY),
            body: json!({ "says": proof.detail(self.program, self.goals) }),
        }
    }

    /// What an exhausted search says.
    fn exhaustion(&self, goal: GoalName) -> Certificate {
        Certificate {
            goal,
            kind: "exhaustion".to_owned(),
            inputs: Inputs::Declared(self.declared()),
            checked: format!("no: {}", kinds::exhaustion::WHY),
            body: json!({ "runs": self.runs }),
        }
    }

    /// The inputs that were declared, in words.
    fn declared(&self) -> Vec<String> {
        let streams = self.plan.streams().iter().map(|stream| {
            let what = match stream.role {
                Role::Stdin => "standard input".to_owned(),
                _ => format!("`{}`", stream.name),
            };
            format!("{what}: {} to {} bytes", stream.min, stream.max)
        });
        let mut all: Vec<String> = streams.collect();
        all.push("every value that the program asks for by name".to_owned());
        all.extend(
            self.plan
                .common_arguments()
                .iter()
                .map(|arg| format!("argument `{arg}`")),
        );
        all
    }
}

/// What became of the certificates of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Names of the goals, and what became of the certificate of each.
    pub results: Vec<(GoalName, proof::Checked)>,
    /// Checks that a solver was asked.
    pub queries: u64,
}

/// Checks certificates again: those of a suite, or of a file of them. `program`: C sources or a program built by
/// `bothways cc`, with its flags; without it, the model beside the certificates is what they are about.
///
/// # Errors
/// No certificates there, they were changed, or they are about another program.
pub fn check(path: &Path, program: Option<&Options>, host: &dyn Host) -> Result<Verdict> {
    let file = document_at(path);
    let name = file.display();
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read certificates {name}"))?;
    let document = Document::parse(&text).map_err(|error| said(&name, &error))?;
    let (model, whose) = match program {
        Some(options) => (model_of(options, &document, host)?, options.name()),
        None => {
            let model = file.with_file_name(MODEL);
            let text = std::fs::read_to_string(&model).with_context(|| {
                format!(
                    "cannot read {}: the model that {name} is about",
                    model.display()
                )
            })?;
            (text, model.display().to_string())
        }
    };
    if Subject::hash(&model) != document.program {
        bail!(
            "{name}: these certificates are about another program than {whose}: its hash is {}, theirs {}",
            &Subject::hash(&model)[..16],
            document.program.get(..16).unwrap_or(&document.program)
        );
    }
    let subject = Subject::parse(&model).map_err(|error| said(&whose, &error))?;
    let goals =
        proof::goals_of(&document, &subject.program).map_err(|error| said(&name, &error))?;
    let report = proof::check(&document, &subject, &goals)?;
    let goals = document.certificates.into_iter().map(|one| one.goal);
    Ok(Verdict {
        results: goals.zip(report.results).collect(),
        queries: report.queries,
    })
}

fn said(what: &dyn std::fmt::Display, error: &dyn std::fmt::Display) -> Error {
    Error::Input(format!("{what}: {error}"))
}

/// The document of a suite, or the file itself.
fn document_at(path: &Path) -> PathBuf {
    let inside = [path.join(CERTIFICATES).join(DOCUMENT), path.join(DOCUMENT)];
    inside
        .into_iter()
        .find(|file| file.is_file())
        .unwrap_or_else(|| path.to_owned())
}

/// The model's text of a program, made as for the session that wrote a document.
fn model_of(options: &Options, document: &Document, host: &dyn Host) -> Result<String> {
    let work = tempfile::tempdir().context("cannot make a temporary folder")?;
    host.works_in(work.path())?;
    let program = crate::build::instrumented(options, host, work.path())?;
    let mut model = crate::build::model(&program)?;
    let wanted = crate::criteria::Wanted::parse(&document.criterion, &document.pairing)?;
    let mut decisions = Decisions::compile(&program, wanted.criterion);
    if !decisions.is_empty() {
        decisions.adopt(&program, &mut model)?;
    }
    Ok(Subject::text(&model, program.has_foreign_code()?))
}
