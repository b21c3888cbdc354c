//! Certificates of a suite: written beside it, with the model that they are about, and checked again.
//!
//! Must hold: a document is checked only against the model that it names.

mod make;

use native::scratch::Temporary;
use std::path::{Path, PathBuf};

use coverage::target;
use proof::{Called, Certificate, Document, FORMAT, GoalName, Subject, kinds};
use report::stored;
use report::suite::manifest;
use serde_json::json;

use crate::decisions::Decisions;
use crate::error::{Context, Error, Result, bail};
use crate::host::Host;
use crate::options::Options;
use crate::output::{CERTIFICATES, Folder};

pub use make::Maker;

/// Name of the document in its folder.
const DOCUMENT: &str = "certificates.json";
/// Name of the model in its folder.
const MODEL: &str = "model.txt";

/// How many certificates were not made for lack of time or work, in words.
#[must_use]
pub fn missing<'a>(certificates: impl Iterator<Item = &'a Certificate>) -> Option<String> {
    let why = format!("no: {}", kinds::invariant::NOT_MADE);
    let count = certificates.filter(|one| one.checked == why).count();
    (count > 0).then(|| {
        format!(
            "{count} infeasible goals have no certificate that can be checked: {}",
            kinds::invariant::NOT_MADE
        )
    })
}

/// Writes the certificates of a suite, if there are any.
///
/// # Errors
/// The folder cannot be written.
pub fn write(
    folder: &Folder,
    options: &Options,
    maker: &Maker<'_>,
    certificates: Vec<Certificate>,
) -> Result<()> {
    if certificates.is_empty() {
        return Ok(());
    }
    let model = Subject::text(maker.program, maker.foreign);
    let rests_on = |one: &Certificate, what: &str| {
        let is_named = one.kind == what
            || one.body[what] == json!(true)
            || one.body["followed"][what] == json!(true);
        is_named && one.checked == "yes"
    };
    let mut all = certificates.iter();
    let is_used = all.any(|one| rests_on(one, "invariant"));
    let stands = |as_called: bool| {
        certificates.iter().any(|one| {
            let is_called = kinds::backward::declared(&one.body).is_some();
            rests_on(one, "standing") && is_called == as_called
        })
    };
    let [always, called] = &maker.standing;
    let called = called.found().filter(|_| stands(true)).and_then(|claims| {
        let words = kinds::backward::texts(&maker.called?.words)?;
        Some(Called { words, claims })
    });
    let document = Document {
        format: FORMAT,
        tool: format!("bothways {}", env!("CARGO_PKG_VERSION")),
        program: Subject::hash(&model),
        criterion: match maker.goals.criterion().name() {
            target::NAME => target::NAME.to_owned(),
            _ => options.criterion.clone(),
        },
        pairing: options.mcdc.clone(),
        facts: maker.proofs.facts.clone(),
        invariant: maker.invariant_found().filter(|_| is_used),
        standing: always.found().filter(|_| stands(false)),
        called,
        certificates,
        seal: String::new(),
    };
    let place = |name: &str| Path::new(CERTIFICATES).join(name);
    folder.write(&place(MODEL), model.as_bytes())?;
    folder.write(&place(DOCUMENT), document.render().as_bytes())
}

/// What became of the certificates of a suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
/// Neither certificates nor a suite there, they were changed, or they are about another program.
pub fn check(path: &Path, program: Option<&Options>, host: &dyn Host) -> Result<Verdict> {
    if path.is_dir() && !document_at(path).is_file() {
        if path.join(manifest::FILE_NAME).is_file() {
            return without(path);
        }
        bail!(
            "{}: neither certificates nor a suite are in this folder",
            path.display()
        );
    }
    let (file, document) = document(path)?;
    let name = file.display();
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

/// A suite without certificates has no infeasible goals, or they were removed.
fn without(suite: &Path) -> Result<Verdict> {
    let file = suite.join(stored::FILE_NAME);
    if let Ok(text) = std::fs::read_to_string(&file) {
        let report = stored::parse(&text).map_err(|error| said(&file.display(), &error))?;
        let count = report.totals.infeasible;
        if count > 0 {
            bail!(
                "{}: there are no certificates, and {} has {count} infeasible goals",
                suite.display(),
                stored::FILE_NAME
            );
        }
    }
    Ok(Verdict::default())
}

/// The certificates of a suite; none where it has none.
///
/// # Errors
/// They were changed, or cannot be read.
pub fn of_suite(suite: &Path) -> Result<Vec<Certificate>> {
    match document_at(suite).is_file() {
        true => Ok(document(suite)?.1.certificates),
        false => Ok(Vec::new()),
    }
}

/// The document of a suite, or of a file, and where it is.
fn document(path: &Path) -> Result<(PathBuf, Document)> {
    let file = document_at(path);
    let name = file.display();
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read certificates {name}"))?;
    let document = Document::parse(&text).map_err(|error| said(&name, &error))?;
    Ok((file, document))
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
    let work = Temporary::new().context("cannot make a temporary folder")?;
    host.works_in(work.path())?;
    let program = crate::build::instrumented(options, host, work.path())?;
    let mut model = crate::build::model(&program)?;
    let criterion = match document.criterion.as_str() {
        target::NAME => &target::Targets,
        named => crate::criteria::Wanted::parse(named, &document.pairing)?.criterion,
    };
    let mut decisions = Decisions::compile(&program, criterion);
    if !decisions.is_empty() {
        decisions.adopt(&program, &mut model)?;
    }
    Ok(Subject::text(&model, program.has_foreign_code()?))
}
