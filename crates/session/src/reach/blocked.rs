//! What kept runs away from a target: the nearest decision that they came to, and that none of them took towards it.

use std::collections::{BTreeSet, VecDeque};

use coverage::target::{Place, Target};
use explore::campaign::Findings;
use program::callgraph::CallGraph;
use program::cfg::Cfg;
use program::{BlockId, EdgeId, FuncId, Function, Program, SiteId, SiteKind, SourceRange};
use report::reach::Blocker;

/// Looks backward through a program.
pub struct Blocked<'a> {
    model: &'a Program,
    findings: &'a Findings,
    calls: CallGraph,
}

impl<'a> Blocked<'a> {
    /// What runs did in a program.
    pub fn new(model: &'a Program, findings: &'a Findings) -> Blocked<'a> {
        Blocked {
            model,
            findings,
            calls: CallGraph::new(model),
        }
    }

    /// The nearest decision that kept runs away from a target, counted in blocks. None where runs came to none, or where they
    /// came to the target's block.
    pub fn nearest(&self, target: &Target) -> Option<Blocker> {
        let mut queue: VecDeque<(FuncId, BlockId)> = VecDeque::new();
        for place in &target.places {
            if let Place::Edge(edge) = *place
                && let Some(blocker) = self.at(edge)
            {
                return Some(blocker);
            }
            queue.push_back(place.block(self.model));
        }
        let mut seen: BTreeSet<(FuncId, BlockId)> = queue.iter().copied().collect();
        while let Some((function, block)) = queue.pop_front() {
            let body = &self.model.functions[function];
            let mut before = Vec::new();
            if block == Function::ENTRY && self.findings.entered(function) == 0 {
                let callers = self.calls.callers(function).iter();
                before.extend(callers.filter_map(|(caller, inst)| {
                    let call = self.model.functions[*caller].inst(*inst)?;
                    Some((*caller, call.block))
                }));
            }
            for from in Cfg::new(body).predecessors(block) {
                let site = body.blocks[from].terminator.site();
                let edges = site.into_iter().flat_map(|site| self.model.edges_of(site));
                let mut to = edges.filter(|edge| self.model.edges[*edge].target == Some(block));
                if let Some(blocker) = to.find_map(|edge| self.at(edge)) {
                    return Some(blocker);
                }
                before.push((function, from));
            }
            queue.extend(before.into_iter().filter(|next| seen.insert(*next)));
        }
        None
    }

    /// An edge that no run took, though runs came to its site.
    fn at(&self, edge: EdgeId) -> Option<Blocker> {
        let site = self.model.edges[edge].site;
        let taken = |edge| self.findings.taken(edge);
        let evaluated: u64 = self.model.edges_of(site).map(taken).sum();
        if evaluated == 0 || taken(edge) > 0 {
            return None;
        }
        let known = &self.model.sites[site];
        let loc = known.loc?;
        let file = self.model.files.get(loc.file as usize)?.clone();
        let tried = self.findings.tried(self.model, edge);
        Some(Blocker {
            line: loc.line,
            col: loc.col,
            function: self.model.functions[known.function].name.clone(),
            condition: known
                .range
                .and_then(|range| text(&file, range))
                .unwrap_or_default(),
            wanted: self.side(site, edge),
            evaluated,
            tried: tried.iter().map(ToString::to_string).collect(),
            file,
        })
    }

    /// The name of a side.
    fn side(&self, site: SiteId, edge: EdgeId) -> String {
        let side = self.model.edges[edge].side;
        match &self.model.sites[site].kind {
            SiteKind::Switch { bits, cases } => match cases.get(side as usize) {
                Some(case) => {
                    let unused = 128 - (*bits).clamp(1, 128);
                    format!("case {}", (*case << unused).cast_signed() >> unused)
                }
                None => "default".to_owned(),
            },
            _ => ["false", "true"][usize::from(side == 1)].to_owned(),
        }
    }
}

/// The text of a condition, on one line; none where it is long or cannot be read.
fn text(path: &str, range: SourceRange) -> Option<String> {
    const LONGEST: usize = 80;
    let source = std::fs::read(path).ok()?;
    let source = String::from_utf8_lossy(&source);
    let count = (range.end_line - range.line + 1) as usize;
    let lines = source.lines().skip(range.line as usize - 1).take(count);
    let mut words = Vec::new();
    for (at, line) in (range.line..).zip(lines) {
        let first = if at == range.line {
            range.col as usize - 1
        } else {
            0
        };
        let last = if at == range.end_line {
            range.end_col as usize - 1
        } else {
            line.len()
        };
        words.extend(line.get(first..last.min(line.len()))?.split_whitespace());
    }
    let text = words.join(" ");
    (!text.is_empty() && text.len() <= LONGEST).then_some(text)
}
