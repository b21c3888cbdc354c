//! The generalised control-flow graph of a program, for people: what running and looking backward know together after so many turns
//! (BiTe, Definition 3.1).

use std::time::Instant;

use layout::backends::svg::SVGWriter;
use layout::gv::{DotParser, GraphBuilder};
use machine::Machine;
use path::InputVector;
use program::Program;
use symcretic::{Gcfg, Turn};

use crate::bidirectional::{Setup, solver};
use crate::error::{Error, Result, bail, ensure};
use crate::host::Host;
use crate::options::Options;

/// States and conditions that are drawn: more take minutes to be laid out, and nobody reads them.
const DRAWN: usize = 2_000;

/// What a graph is shown as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Runs, states, conditions, the frontier.
    Text,
    /// Graphviz's language.
    Dot,
    /// A drawing.
    Svg,
}

/// A graph that is shown.
#[derive(Clone, Debug)]
pub struct Shown {
    pub text: String,
    /// What became of the sides of branches, in one line.
    pub summary: String,
}

/// The graph after so many turns, or when nothing is left to do, time is over, or somebody wants it to end.
pub(crate) fn show(
    (setup, model): (&Setup, &Program),
    first: &InputVector,
    (options, host): (&Options, &dyn Host),
    (turns, form): (Option<u64>, Form),
) -> Result<Shown> {
    let began = Instant::now();
    let Some(config) = setup.machine.clone() else {
        let missing = machine::unmodelled(model);
        let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
        bail!(
            "there is no graph of this program: the machine, which knows its states, does not model all that it uses: {}",
            missing.join(", ")
        );
    };
    let machine = Machine::new(model, config)?;
    let mut graph = Gcfg::new(setup.given(model), machine, [solver()?, solver()?]);
    graph.begin(first);
    while turns.is_none_or(|turns| graph.turns() < turns)
        && began.elapsed() < options.time
        && !host.is_interrupted()
        && graph.turn() != Turn::Done
    {}
    let text = match form {
        Form::Text => graph.text(),
        Form::Dot => graph.dot(),
        Form::Svg => drawn(&graph)?,
    };
    let summary = graph.summary();
    Ok(Shown { text, summary })
}

fn drawn(graph: &Gcfg<'_>) -> Result<String> {
    let size = graph.size();
    ensure!(
        size <= DRAWN,
        "{size} states and conditions are too many to be drawn (at most {DRAWN}): fewer --turns, or --format dot"
    );
    let dot = DotParser::new(&graph.dot()).process();
    let mut builder = GraphBuilder::new();
    builder.visit_graph(&dot.map_err(Error::Fault)?);
    let mut svg = SVGWriter::new();
    builder.get().do_it(false, false, false, &mut svg);
    Ok(svg.finalize())
}
