//! A graph as text, and as a drawing for Graphviz.

use std::collections::BTreeMap;
use std::fmt::Write;

use program::{EdgeId, SiteKind};
use semantics::Symbol;
use smt::Term;

use super::{Block, Gcfg, RState, SState, Verdict};
use crate::atom::Atom;
use crate::state::State;

impl Gcfg<'_> {
    /// The graph as text: the states of runs, the conditions, and the frontier. An edge of the frontier that has no solution is `..>`.
    #[must_use]
    pub fn text(&self) -> String {
        let (states, conditions) = (self.state_names(), self.condition_names());
        let mut text = String::new();
        for (number, input) in self.inputs().enumerate() {
            let values = input.values.iter();
            let values = values.map(|value| value.kind.sign_extend(value.bits).to_string());
            let streams = input.streams.iter();
            let streams = streams.map(|stream| format!("\"{}\"", stream.bytes.escape_ascii()));
            let all: Vec<String> = values.chain(streams).collect();
            let _ = writeln!(text, "T{}: {}", number + 1, all.join(" "));
        }
        let _ = writeln!(text, "states");
        for (id, state) in self.executed.iter() {
            let before = state.before.map_or("start", |before| &states[&before]);
            let _ = writeln!(
                text,
                "  {before} -> {}{}",
                states[&id],
                self.calls(&state.calls)
            );
        }
        let _ = writeln!(text, "conditions");
        for id in self.shown() {
            let reach = &self.reach[id];
            let name = &conditions[&id];
            let calls = self.calls(&reach.state.waiting);
            let next = self.shown_next(id, &conditions);
            let _ = writeln!(text, "  {name}{calls}: {}{next}", self.reach[id].words);
        }
        let _ = writeln!(text, "frontier");
        for (from, to) in &self.frontier {
            let arrow = match self.tried.contains(&(*from, *to)) {
                true => "..>",
                false => "==>",
            };
            let _ = writeln!(text, "  {} {arrow} {}", states[from], conditions[to]);
        }
        text
    }

    fn shown_next(&self, id: RState, names: &BTreeMap<RState, String>) -> String {
        let analysed = self.analysed.iter();
        let next = analysed.filter(|(_, made)| **made == Some(id));
        let mut next: Vec<&str> = next
            .filter_map(|((next, ..), _)| names.get(next).map(String::as_str))
            .collect();
        next.sort_unstable();
        match next.is_empty() {
            true => String::new(),
            false => format!(" -> {}", next.join(", ")),
        }
    }

    /// What became of the sides of branches, in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        let of = |wanted: fn(&Verdict) -> bool| -> Vec<String> {
            let those = self.verdicts.iter().filter(|(_, verdict)| wanted(verdict));
            those
                .map(|(edge, _)| self.label(Block::Side(*edge)))
                .collect()
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
            self.turns,
            self.inputs().count(),
            covered.len(),
            infeasible.len(),
            named(&infeasible),
            open.len(),
            named(&open)
        )
    }

    /// The states of runs and the conditions that are shown.
    #[must_use]
    pub fn size(&self) -> usize {
        self.executed.len() + self.shown().len()
    }

    /// The same in Graphviz's language: blocks are clusters, states of runs circles, conditions boxes; the frontier is thick, dashed
    /// where it has no solution.
    #[must_use]
    pub fn dot(&self) -> String {
        let (states, conditions) = (self.state_names(), self.condition_names());
        let mut boxes: BTreeMap<Block, Vec<String>> = BTreeMap::new();
        for (id, state) in self.executed.iter() {
            let node = format!("\"{}\" [shape=circle]", states[&id]);
            boxes.entry(state.block).or_default().push(node);
        }
        for id in self.shown() {
            let node = format!(
                "\"{}\" [shape=box, style=filled, fillcolor=lightyellow, tooltip=\"{}\"]",
                conditions[&id],
                self.reach[id].words.replace('"', "'")
            );
            boxes.entry(self.reach[id].block).or_default().push(node);
        }
        let mut text = String::from("digraph gcfg {\n  rankdir=TB\n");
        for (number, (block, nodes)) in boxes.iter().enumerate() {
            let _ = writeln!(text, "  subgraph cluster{number} {{");
            let _ = writeln!(text, "    label=\"{}\"", self.label(*block));
            for node in nodes {
                let _ = writeln!(text, "    {node}");
            }
            let _ = writeln!(text, "  }}");
        }
        for (id, state) in self.executed.iter() {
            if let Some(before) = state.before {
                let _ = writeln!(text, "  \"{}\" -> \"{}\"", states[&before], states[&id]);
            }
        }
        for ((next, ..), made) in &self.analysed {
            if let Some(from) = made.and_then(|made| conditions.get(&made))
                && let Some(to) = conditions.get(next)
            {
                let _ = writeln!(text, "  \"{from}\" -> \"{to}\"");
            }
        }
        for (from, to) in &self.frontier {
            let style = match self.tried.contains(&(*from, *to)) {
                true => "dashed",
                false => "solid",
            };
            let _ = writeln!(
                text,
                "  \"{}\" -> \"{}\" [style={style}, penwidth=3]",
                states[from], conditions[to]
            );
        }
        text.push_str("}\n");
        text
    }

    /// The names of states: the block, and a letter for each time.
    pub(super) fn state_names(&self) -> BTreeMap<SState, String> {
        let mut seen: BTreeMap<Block, usize> = BTreeMap::new();
        let all = self.executed.iter().map(|(id, state)| {
            let count = seen.entry(state.block).or_default();
            *count += 1;
            (
                id,
                format!("S{}{}", self.label(state.block), letters(*count)),
            )
        });
        all.collect()
    }

    /// The names of conditions, those that are gone included.
    pub(super) fn condition_names(&self) -> BTreeMap<RState, String> {
        let mut seen: BTreeMap<Block, usize> = BTreeMap::new();
        let all = self.reach.iter().map(|(id, reach)| {
            let count = seen.entry(reach.block).or_default();
            *count += 1;
            (
                id,
                format!("R{}{}", self.label(reach.block), letters(*count)),
            )
        });
        let all: BTreeMap<RState, String> = all.collect();
        all.into_iter()
            .filter(|(id, _)| self.reach[*id].is_there)
            .collect()
    }

    /// What a condition says, for people.
    #[cfg(test)]
    pub(super) fn said(&self, id: RState) -> &str {
        &self.reach[id].words
    }

    /// What a condition says, without what the next branch computes for itself.
    pub(super) fn words(&mut self, state: &State) -> String {
        let state = self.before_decision(state);
        let terms: Vec<Term> = state.terms().collect();
        let texts: Vec<String> = terms.iter().map(|term| self.term(*term)).collect();
        match texts.is_empty() {
            true => "true".to_owned(),
            false => texts.join(" & "),
        }
    }

    /// A term, with names for what it speaks of.
    fn term(&self, term: Term) -> String {
        let crate::image::Language { pool, atoms } = &self.search.language;
        let mut text = pool.show(term);
        for var in pool.vars(term) {
            let Some((atom, bits)) = atoms.get(var) else {
                continue;
            };
            let name = match atom {
                Atom::Value { value, .. } => value.to_string(),
                Atom::Cell { address, .. } => self.cell(*address),
                Atom::Input { later, .. } => format!("input{later}"),
                _ => continue,
            };
            text = text.replace(&format!("v{:x}:{bits}", var.0), &name);
        }
        text
    }

    /// A cell of memory, by the name of its global.
    fn cell(&self, address: Term) -> String {
        let crate::image::Language { pool, atoms } = &self.search.language;
        let (parts, offset) = pool.summands(address);
        if let [one] = parts.as_slice()
            && let Some(var) = pool.vars(*one).into_iter().next()
            && let Some((Atom::Symbol(Symbol::Global(global)), _)) = atoms.get(var)
        {
            let name = &self.program().globals[*global].name;
            return match offset {
                0 => name.clone(),
                offset => format!("{name}+{offset}"),
            };
        }
        format!("[{}]", self.term(address))
    }

    fn calls(&self, calls: &[crate::state::Place]) -> String {
        let lines = calls.iter().map(|call| {
            let value = self.program().functions[call.function].blocks[call.block].insts[call.at];
            self.label(Block::Call(call.function, value))
        });
        let lines: Vec<String> = lines.collect();
        match lines.is_empty() {
            true => String::new(),
            false => format!(" <{}>", lines.join(" ")),
        }
    }

    /// A block, by the line of the branch and its side, or by its function.
    #[must_use]
    pub fn label(&self, block: Block) -> String {
        let name = |id| self.program().functions[id].name.clone();
        match block {
            Block::Entry(id) => name(id),
            Block::Side(edge) => self.side(edge),
            Block::Call(id, value) => format!("{}.call{}", name(id), value.as_u32()),
            Block::Return(id, value) => format!("{}.back{}", name(id), value.as_u32()),
            Block::Exit(id, _) => format!("{}.exit", name(id)),
        }
    }

    fn side(&self, edge: EdgeId) -> String {
        let data = &self.program().edges[edge];
        let site = &self.program().sites[data.site];
        let line = site.loc.map_or(0, |loc| loc.line);
        match (&site.kind, data.side) {
            (SiteKind::Switch { cases, .. }, side) => match cases.get(side as usize) {
                Some(case) => format!("{line}={case}"),
                None => format!("{line}="),
            },
            (_, 0) => format!("{line}f"),
            _ => format!("{line}t"),
        }
    }
}

/// a, b, …, z, aa, ab, …
fn letters(count: usize) -> String {
    let (mut left, mut text) = (count, Vec::new());
    while left > 0 {
        left -= 1;
        text.push(b'a' + (left % 26) as u8);
        left /= 26;
    }
    text.reverse();
    String::from_utf8_lossy(&text).into_owned()
}
