//! The generalised control-flow graph of a program, for people: what running and looking backward know together after so many turns
//! (BiTe, Definition 3.1).

use std::time::Instant;

use layout::backends::svg::SVGWriter;
use layout::gv::{DotParser, GraphBuilder};
use machine::Machine;
use path::InputVector;
use program::Program;
use symcretic::{Block, Gcfg, Turn, Verdict};

use crate::bidirectional::{Setup, solver};
use crate::error::{Result, bail, ensure};
use crate::host::Host;
use crate::options::Options;

/// States and conditions that are drawn: more take minutes to be laid out, and nobody reads them.
const DRAWN: usize = 2_000;

/// A graph.
#[derive(Clone, Debug)]
pub struct Graph {
    /// As text: runs, states, conditions, the frontier.
    pub text: String,
    /// In Graphviz's language.
    pub dot: String,
    /// States and conditions.
    pub size: usize,
    /// What became of the sides of branches, in words: one line.
    pub says: String,
}

impl Graph {
    /// After so many turns, or when nothing is left to do, time is over, or somebody wants it to end.
    pub(crate) fn of(
        (setup, model): (&Setup, &Program),
        first: &InputVector,
        (options, host): (&Options, &dyn Host),
        turns: Option<u64>,
    ) -> Result<Graph> {
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
        Ok(Graph {
            text: graph.text(),
            dot: graph.dot(),
            size: graph.size(),
            says: says(&graph),
        })
    }

    /// Drawn, as SVG.
    ///
    /// # Errors
    /// It is too large.
    pub fn svg(&self) -> Result<String> {
        ensure!(
            self.size <= DRAWN,
            "{} states and conditions are too many to be drawn (at most {DRAWN}): fewer --turns, or --format dot",
            self.size
        );
        let graph = DotParser::new(&self.dot).process();
        let graph = graph.map_err(crate::Error::Fault)?;
        let mut builder = GraphBuilder::new();
        builder.visit_graph(&graph);
        let mut svg = SVGWriter::new();
        builder.get().do_it(false, false, false, &mut svg);
        Ok(svg.finalize())
    }
}

/// What became of the sides of branches.
fn says(graph: &Gcfg<'_>) -> String {
    let of = |wanted: fn(&Verdict) -> bool| {
        let those = graph
            .verdicts()
            .iter()
            .filter(|(_, verdict)| wanted(verdict));
        let names = those.map(|(edge, _)| graph.label(Block::Side(*edge)));
        names.collect::<Vec<String>>()
    };
    let named = |names: &[String]| match names.is_empty() {
        true => String::new(),
        false => format!(" ({})", names.join(", ")),
    };
    let covered = of(|verdict| matches!(verdict, Verdict::Covered(_)));
    let infeasible = of(|verdict| *verdict == Verdict::Infeasible);
    let open = of(|verdict| *verdict == Verdict::Open);
    format!(
        "{} turns, {} runs: {} sides covered, {} infeasible{}, {} open{}",
        graph.turns(),
        graph.inputs().count(),
        covered.len(),
        infeasible.len(),
        named(&infeasible),
        open.len(),
        named(&open)
    )
}
