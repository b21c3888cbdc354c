//! `bothways values FILE... --at LINE`: what each variable can be there.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use session::values::{Known, Place, Variable};

use crate::exit::DONE;
use crate::progress::Terminal;
use crate::say;

/// Says what each variable can be at a line, on all runs together: the value analysis behind proofs of kind `invariant`
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// C sources, or one program built by `bothways cc`
    #[arg(required = true, value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    /// The line, of the only source, or of one of them: 42, server.c:42
    #[arg(long, value_name = "LINE", value_parser = line)]
    pub at: (Option<String>, u32),

    /// Compiler flags for the sources, as one quoted string (may be repeated)
    #[arg(long = "cflags", value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Vec<String>,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub json: bool,
}

/// `42` or `server.c:42`.
fn line(text: &str) -> Result<(Option<String>, u32), String> {
    let (file, line) = match text.rsplit_once(':') {
        Some((file, line)) => (Some(file.to_owned()), line),
        None => (None, text),
    };
    match line.parse() {
        Ok(line) if line > 0 && file.as_deref() != Some("") => Ok((file, line)),
        _ => Err("give a line, from 1: 42, or server.c:42".to_owned()),
    }
}

/// Version of the JSON object.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Object<'a> {
    schema: u32,
    line: u32,
    places: Vec<JsonPlace<'a>>,
    blockers: &'a [String],
}

#[derive(Serialize)]
struct JsonPlace<'a> {
    function: &'a str,
    file: &'a str,
    line: u32,
    col: u32,
    reached: bool,
    variables: Vec<JsonVariable<'a>>,
}

#[derive(Serialize)]
struct JsonVariable<'a> {
    name: &'a str,
    global: bool,
    /// As in the text.
    value: String,
    /// All numbers, if they are few.
    numbers: Option<Vec<i64>>,
}

/// Runs the command.
///
/// # Errors
/// No such file or line, no code there, an error in a source.
pub fn run(options: &Options) -> Result<ExitCode> {
    let session = session::Options {
        inputs: options.inputs.clone(),
        cflags: options.cflags.clone(),
        ..session::Options::default()
    };
    let (file, line) = &options.at;
    let known = session::values::at(&session, &Terminal::new(true), (file.as_deref(), *line))?;
    let text = match options.json {
        true => json(&known, *line)?,
        false => words(&known),
    };
    say::out(&text)?;
    Ok(ExitCode::from(DONE))
}

fn json(known: &Known, line: u32) -> Result<String> {
    let object = Object {
        schema: SCHEMA,
        line,
        places: known.places.iter().map(JsonPlace::of).collect(),
        blockers: &known.blockers,
    };
    Ok(serde_json::to_string_pretty(&object)? + "\n")
}

impl<'a> JsonPlace<'a> {
    fn of(place: &'a Place) -> JsonPlace<'a> {
        let variables = place.variables.iter();
        JsonPlace {
            function: &place.function,
            file: &place.file,
            line: place.line,
            col: place.col,
            reached: place.reached,
            variables: variables
                .map(|variable| JsonVariable {
                    name: &variable.name,
                    global: variable.global,
                    value: variable.value.to_string(),
                    numbers: variable.value.numbers(),
                })
                .collect(),
        }
    }
}

fn words(known: &Known) -> String {
    let mut text = String::new();
    for place in &known.places {
        let Place {
            function,
            file,
            line,
            col,
            ..
        } = place;
        let _ = writeln!(text, "{file}:{line}:{col} in {function}");
        if !known.blockers.is_empty() {
            continue;
        }
        if !place.reached {
            let _ = writeln!(text, "  control never comes here");
        }
        let anything = |variable: &&Variable| variable.value.to_string() == "anything";
        let (open, said): (Vec<_>, Vec<_>) = place.variables.iter().partition(anything);
        let longest = said.iter().map(|variable| variable.name.len()).max();
        for variable in said {
            let (name, width) = (&variable.name, longest.unwrap_or(0));
            let _ = writeln!(text, "  {name:width$}  {}", variable.value);
        }
        if !open.is_empty() {
            let names: Vec<&str> = open.iter().map(|variable| variable.name.as_str()).collect();
            let _ = writeln!(text, "  anything: {}", names.join(", "));
        }
    }
    for blocker in &known.blockers {
        let _ = writeln!(text, "nothing is known of the values: {blocker}");
    }
    text
}
