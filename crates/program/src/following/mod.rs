//! What may still run: from which places of a program control can come to which others, over-approximated, and how that
//! set shrinks while marks on places go away.
//!
//! A path is at a *position* in each function on its stack. What may run after it is what can be reached from these
//! positions in a graph in which every call returns and enters what it may call, but nothing returns to a caller: the
//! callers' own positions stand for that. So contexts are exact, without a copy of the graph for each.
//!
//! Invariants (the first is what proofs rest on):
//! - what runs after a position is reachable from it, or from a position below it on the stack, or it is
//!   [anytime](Following::anytime) code: handlers, threads, what foreign code calls;
//! - calls return always: a run may end anywhere, and what it left undecided in a function still counts.

mod anytime;
mod marks;

use std::collections::BTreeSet;

use anytime::anytime;
pub use marks::Marks;

use crate::callgraph::{CallGraph, CallSite};
use crate::entity::SecondaryMap;
use crate::flow::{Node, NodeId};
use crate::function::Target;
use crate::graph::Graph;
use crate::icfg::{FlowKind, Icfg};
use crate::id::{EdgeId, FuncId};
use crate::inst::Terminator;
use crate::model::Program;

/// Functions of the C library that call a function that they are given before they return, and not later.
const CALL_AT_ONCE: &[&str] = &[
    "qsort",
    "qsort_r",
    "bsearch",
    "lfind",
    "lsearch",
    "tsearch",
    "tfind",
    "tdelete",
    "twalk",
    "twalk_r",
    "tdestroy",
    "ftw",
    "ftw64",
    "nftw",
    "nftw64",
    "scandir",
    "scandir64",
    "scandirat",
    "scandirat64",
    "glob",
    "glob64",
    "pthread_once",
    "call_once",
    "dl_iterate_phdr",
];

/// Functions that leave the discipline of a stack altogether.
const NO_STACK: &[&str] = &["makecontext", "swapcontext", "setcontext"];

/// Functions that return twice.
const RETURNS_TWICE: &[&str] = &[
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "__builtin_setjmp",
    "savectx",
    "getcontext",
    "vfork",
];

/// Whether a function of the C library may come back more often than it was called (`setjmp`).
#[must_use]
pub fn is_returning_twice(name: &str) -> bool {
    RETURNS_TWICE.contains(&name)
}

/// Whether a function of the C library keeps a function that it is given, to be called later or beside.
#[must_use]
pub fn is_calling_later(name: &str) -> bool {
    anytime::CALL_LATER.contains(&name)
}

/// The functions that may be entered at any time (handlers, threads, what foreign code calls): see [`Following::anytime`].
#[must_use]
pub fn entered_anytime(program: &Program, foreign: bool) -> Vec<FuncId> {
    anytime(program, &CallGraph::new(program), (foreign, true))
}

/// Those of them between whose steps and what goes on then others may see what they write: not those that are called before `main` or at
/// the end of the run, where no thread goes on.
#[must_use]
pub fn interrupting(program: &Program, foreign: bool) -> Vec<FuncId> {
    let mut externs = program.externs.values();
    let has_threads = externs.any(|known| STARTS_THREADS.contains(&known.name.as_str()));
    anytime(program, &CallGraph::new(program), (foreign, has_threads))
}

/// Functions that let others go on beside what calls them.
const STARTS_THREADS: &[&str] = &[
    "pthread_create",
    "thrd_create",
    "clone",
    "__clone",
    "timer_create",
    "mq_notify",
    "getaddrinfo_a",
    "aio_read",
    "aio_write",
    "lio_listio",
];

/// What is known of a call that a part ends in.
#[derive(Clone, Debug, Default)]
struct Calls {
    /// What it may enter, in order.
    functions: Vec<FuncId>,
    /// It may enter several functions, or one several times.
    many: bool,
}

/// The graph of what may still run, with the marks that are left on it.
#[derive(Clone, Debug)]
pub struct Following {
    icfg: Icfg,
    forward: Graph,
    calls: SecondaryMap<NodeId, Option<u32>>,
    of_call: Vec<Calls>,
    resumable: SecondaryMap<FuncId, bool>,
    anytime: Vec<FuncId>,
    boundless: bool,
}

impl Following {
    /// Of a verified program. `foreign`: it is linked with code that is neither in the model nor the C library.
    #[must_use]
    pub fn new(program: &Program, foreign: bool) -> Following {
        let graph = CallGraph::new(program);
        let icfg = Icfg::new(program, &graph);
        let mut following = Following {
            calls: SecondaryMap::for_map(icfg.nodes(), None),
            of_call: Vec::new(),
            resumable: SecondaryMap::for_map(&program.functions, false),
            anytime: anytime(program, &graph, (foreign, true)),
            boundless: is_boundless(program),
            forward: Graph::default(),
            icfg,
        };
        following.join(program, &graph);
        following
    }

    fn join(&mut self, program: &Program, graph: &CallGraph) {
        let mut flows: Vec<(u32, u32)> = Vec::new();
        let steps = self.icfg.flows().filter(|flow| flow.kind == FlowKind::Step);
        flows.extend(steps.map(|flow| (flow.from.as_u32(), flow.to.as_u32())));
        let mut resumes: SecondaryMap<FuncId, Vec<NodeId>> =
            SecondaryMap::for_map(&program.functions, Vec::new());
        let mut parts = Vec::new();
        for (node, data) in self.icfg.nodes().iter() {
            let &Node::Part {
                function,
                call: Some(inst),
                ..
            } = data
            else {
                continue;
            };
            let Some(behind) = self.icfg.behind(node) else {
                continue;
            };
            let site = graph
                .calls(function)
                .iter()
                .find(|site| site.inst == inst)
                .expect("every call is in the call graph");
            if returns_twice(program, site) {
                self.resumable[function] = true;
                resumes[function].push(behind);
            }
            parts.push((node, behind, function));
            let calls = calls_of(program, graph, site);
            self.calls[node] = Some(self.of_call.len() as u32);
            self.of_call.push(calls);
        }
        for (node, behind, function) in parts {
            flows.push((node.as_u32(), behind.as_u32()));
            // A jump may come back from any call.
            let resumed = resumes[function].iter();
            flows.extend(resumed.map(|behind| (node.as_u32(), behind.as_u32())));
            let index = self.calls[node].expect("a call");
            let callees = self.of_call[index as usize].functions.iter();
            let entries = callees.filter_map(|&callee| self.icfg.entry(callee));
            flows.extend(entries.map(|entry| (node.as_u32(), entry.as_u32())));
        }
        self.forward = Graph::new(self.icfg.nodes().len(), &flows);
    }

    /// The graph of the program that this is made from.
    #[must_use]
    pub fn icfg(&self) -> &Icfg {
        &self.icfg
    }

    /// Functions that may be entered whatever the path: signal handlers, exit handlers, threads, and what code calls that
    /// nobody sees.
    #[must_use]
    pub fn anytime(&self) -> &[FuncId] {
        &self.anytime
    }

    /// Does the program change stacks or handle exceptions, so that positions say nothing?
    #[must_use]
    pub fn is_boundless(&self) -> bool {
        self.boundless
    }

    /// May control come back into a frame of this function by `longjmp`?
    #[must_use]
    pub fn is_resumable(&self, function: FuncId) -> bool {
        self.resumable[function]
    }

    /// The function of a position is there and enters another: its position while the callee runs. `None` when no call
    /// between here and the next decision may enter the callee.
    #[must_use]
    pub fn calling(&self, position: NodeId, caller: FuncId, callee: FuncId) -> Option<NodeId> {
        let mut at = position;
        for _ in 0..self.icfg.nodes().len() {
            let call = self.calls[at].map(|index| &self.of_call[index as usize]);
            if let Some(call) = call
                && call.functions.binary_search(&callee).is_ok()
            {
                let stays = call.many || self.resumable[caller];
                return if stays {
                    Some(at)
                } else {
                    self.icfg.behind(at)
                };
            }
            at = self.step(at)?;
        }
        None
    }

    /// The only part that may come next in the same function, over calls.
    fn step(&self, node: NodeId) -> Option<NodeId> {
        if let Some(behind) = self.icfg.behind(node) {
            return Some(behind);
        }
        let &[next] = self.forward.successors(node.as_u32()) else {
            return None;
        };
        let next = NodeId::from_u32(next);
        matches!(self.icfg.nodes()[next], Node::Part { .. }).then_some(next)
    }

    /// The node of an edge.
    ///
    /// # Panics
    /// When the edge is of another program.
    #[must_use]
    pub fn of_edge(&self, edge: EdgeId) -> NodeId {
        self.icfg.node_of(edge).expect("every edge is a node")
    }

    /// The nodes that may come next, callees' entries among them.
    pub fn successors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let next = self.forward.successors(node.as_u32()).iter();
        next.map(|&next| NodeId::from_u32(next))
    }

    /// Does the part end in a call of one known function with a body?
    #[must_use]
    pub fn is_direct(&self, node: NodeId) -> bool {
        self.calls[node].is_some_and(|index| !self.of_call[index as usize].many)
    }

    /// What a call that ends the part may enter, in order; nothing for other nodes.
    #[must_use]
    pub fn called(&self, node: NodeId) -> &[FuncId] {
        self.calls[node].map_or(&[], |index| &self.of_call[index as usize].functions)
    }
}

/// Does a program change stacks or handle exceptions?
#[must_use]
pub fn is_boundless(program: &Program) -> bool {
    let mut externs = program.externs.values();
    let mut blocks = program
        .functions
        .values()
        .flat_map(|body| body.blocks.values());
    externs.any(|known| NO_STACK.contains(&known.name.as_str()))
        || blocks.any(|block| matches!(block.terminator, Terminator::Opaque { .. }))
}

fn names<'p>(program: &'p Program, site: &CallSite) -> impl Iterator<Item = &'p str> {
    let externs = site.targets.iter().filter_map(|target| match target {
        Target::Extern(id) => Some(program.externs[*id].name.as_str()),
        Target::Function(_) => None,
    });
    externs.collect::<Vec<_>>().into_iter()
}

/// May a call come back more often than it was made?
#[must_use]
pub fn returns_twice(program: &Program, site: &CallSite) -> bool {
    names(program, site).any(|name| RETURNS_TWICE.contains(&name))
}

/// The functions that a call may enter.
fn calls_of(program: &Program, graph: &CallGraph, site: &CallSite) -> Calls {
    let mut functions: BTreeSet<FuncId> = site.functions().collect();
    let direct = matches!(site.targets[..], [Target::Function(_)]) && !site.indirect;
    for name in names(program, site) {
        // Calls of library functions go to their models.
        let models = program.functions.iter();
        let models = models.filter(|(_, body)| body.library && body.name.ends_with(name));
        functions.extend(models.map(|(id, _)| id));
        if CALL_AT_ONCE.contains(&name) {
            functions.extend(graph.address_taken());
        }
    }
    Calls {
        functions: functions.into_iter().collect(),
        many: !direct,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::{Expect, expect};

    use super::*;

    fn following(text: &str, foreign: bool) -> (Program, Following) {
        let program = crate::text::sample(text);
        let following = Following::new(&program, foreign);
        (program, following)
    }

    /// For each function, which functions' entries can be reached from its own, then what runs at any time.
    fn reached(text: &str, foreign: bool, expected: &Expect) {
        let (program, following) = following(text, foreign);
        let mut out = String::new();
        for from in program.functions.keys() {
            let entry = |function| following.icfg().entry(function).expect("a body");
            let mut seen = vec![false; following.icfg().nodes().len()];
            following.forward.mark(entry(from).as_u32(), &mut seen);
            let to = program
                .functions
                .keys()
                .filter(|&to| seen[entry(to).index()]);
            let name = |id: FuncId| program.functions[id].name.as_str();
            let to: Vec<&str> = to.map(name).collect();
            writeln!(out, "{}: {}", name(from), to.join(" ")).expect("string");
        }
        let anytime: Vec<String> = following
            .anytime()
            .iter()
            .map(|&function| program.functions[function].name.clone())
            .collect();
        writeln!(out, "anytime: {}", anytime.join(" ")).expect("string");
        expected.assert_eq(&out);
    }

    const HANDLERS: &str = "
        extern0 @signal(i32, ptr) -> ptr
        extern1 @qsort(ptr, i64, i64, ptr)
        extern2 @puts(ptr)
        global0 @llvm.global_dtors size 24 align 8 = x\"\" [8: @destructor]
        fn @main() { block0: v0: ptr = call @signal(i32 2, @handler) call @sort(@order) call @last() ret }
        fn @sort(v0: ptr) { block0: call @qsort(null, i64 0, i64 1, v0) ret }
        fn @order() { block0: call @puts(null) ret }
        fn @handler() { block0: ret }
        fn @last() { block0: ret }
        fn @destructor() { block0: ret }
        global1 @llvm.global_ctors size 24 align 8 = x\"\" [8: @constructor]
        fn @constructor() { block0: ret }
        fn @unused() { block0: call @last() ret }
    ";

    #[test]
    fn handlers_run_at_any_time_and_comparisons_at_once() {
        reached(
            HANDLERS,
            false,
            &expect![[r#"
                main: main sort order handler last destructor constructor
                sort: sort order handler destructor constructor
                order: order
                handler: handler
                last: last
                destructor: destructor
                constructor: constructor
                unused: last unused
                anytime: handler destructor constructor
            "#]],
        );
    }

    /// A program's own `memcpy` and `rintf` are called for operations that have no call.
    #[test]
    fn compilers_call_by_name() {
        let source = |main: &str| {
            format!(
                "fn @main() {{ block0: v0: ptr = alloca 8 align 8 {main} ret }}
                 fn @memcpy() {{ block0: ret }}
                 fn @rintf() {{ block0: ret }}
                 fn @draw() {{ block0: ret }}"
            )
        };
        for (main, expected) in [
            ("", ""),
            ("memcpy v0, v0, i64 8", "memcpy"),
            ("v1: f32 = rint(f32 0x3f800000)", "rintf"),
        ] {
            let (program, following) = following(&source(main), false);
            let names = following.anytime().iter();
            let names: Vec<&str> = names.map(|id| &*program.functions[*id].name).collect();
            assert_eq!(names.join(" "), expected, "{main}");
        }
    }

    #[test]
    fn foreign_code_calls_what_it_can_name() {
        reached(
            HANDLERS,
            true,
            &expect![[r#"
                main: main sort order handler last destructor constructor
                sort: sort order handler destructor constructor
                order: order
                handler: handler
                last: last
                destructor: destructor
                constructor: constructor
                unused: last unused
                anytime: sort order handler last destructor constructor unused
            "#]],
        );
    }

    #[test]
    fn positions_move_on_with_calls() {
        let (program, following) = following(
            "extern0 @setjmp(ptr) -> i32
             fn @main() { block0: call @f() call @g() call @f() br block1 block1: call @g() ret }
             fn @f() { block0: ret }
             fn @g() { block0: ret }
             fn @again() { block0: v0: i32 = call @setjmp(null) call @f() call @g() ret }",
            false,
        );
        let function = |name: &str| program.function_named(name).expect("a function");
        let name = |node: NodeId| match following.icfg().nodes()[node] {
            Node::Part { block, first, .. } => format!("{block}+{first}"),
            Node::Edge(edge) => edge.to_string(),
        };
        let walk = |from: &str, callees: &[&str]| {
            let mut at = following.icfg().entry(function(from)).expect("a body");
            let mut seen = Vec::new();
            for callee in callees {
                match following.calling(at, function(from), function(callee)) {
                    Some(next) => at = next,
                    None => seen.push("unforeseen".to_owned()),
                }
                seen.push(name(at));
            }
            seen.join(" ")
        };
        let main = walk("main", &["f", "f", "g", "g"]);
        // Where `setjmp` may return again, a call may be made again.
        let again = walk("again", &["f", "g"]);
        expect!["block0+1 block0+3 block1+1 unforeseen block1+1; block0+1 block0+2"]
            .assert_eq(&format!("{main}; {again}"));
        assert!(following.is_resumable(function("again")));
    }
}
