//! The analyses over small programs in text form, and over random ones against their definitions.

use std::collections::BTreeSet;
use std::fmt::Write;

use expect_test::{Expect, expect};
use random::Random;

use crate::callgraph::CallGraph;
use crate::cfg::Cfg;
use crate::control::ControlDependence;
use crate::dom::{
    Dominators, EdgeDominators, PostDominators, edge_dominators, edge_dominators_across_calls,
};
use crate::entity::SecondaryMap;
use crate::flow::{FlowGraph, Node, NodeId};
use crate::icfg::{Distances, FlowKind, Icfg};
use crate::id::{BlockId, EdgeId, FuncId};
use crate::model::Program;
use crate::text::sample;

const F: FuncId = FuncId::from_u32(0);

/// For each block: immediate dominator, immediate post-dominator, and what it depends on.
fn blocks(text: &str, expected: Expect) {
    let program = sample(text);
    let cfg = Cfg::new(&program.functions[F]);
    let (dominators, post) = (Dominators::new(&cfg), PostDominators::new(&cfg));
    let control = ControlDependence::new(&program, F, &cfg, &post);
    let mut out = String::new();
    for block in cfg.blocks() {
        let name = |block: Option<BlockId>| block.map_or("-".to_owned(), |block| block.to_string());
        let controllers: Vec<_> = control
            .controllers(block)
            .iter()
            .map(|by| {
                by.edge
                    .map_or(format!("{}/{}", by.block, by.side), |edge| edge.to_string())
            })
            .collect();
        let (above, behind) = (name(dominators.idom(block)), name(post.ipdom(block)));
        writeln!(
            out,
            "{block}: idom {above} ipdom {behind} control {controllers:?}"
        )
        .expect("string");
    }
    expected.assert_eq(&out);
}

#[test]
fn a_branch_in_a_loop() {
    blocks(
        "fn @f() {
           block0: br block1
           block1: br undef, block2, block5
           block2: br undef, block3, block4
           block3: br block4
           block4: br block1
           block5: ret
         }",
        expect![[r#"
            block0: idom - ipdom block1 control []
            block1: idom block0 ipdom block5 control ["edge1"]
            block2: idom block1 ipdom block4 control ["edge1"]
            block3: idom block2 ipdom block4 control ["edge3"]
            block4: idom block2 ipdom block1 control ["edge1"]
            block5: idom block1 ipdom - control []
        "#]],
    );
}

#[test]
fn a_switch_with_fall_through_and_early_returns() {
    blocks(
        "fn @f(v0: i32) {
           block0: switch v0 [1: block1, 2: block2, 3: block2, default: block3]
           block1: br block2
           block2: br undef, block3, block4
           block3: ret
           block4: unreachable
           block5: br block3
         }",
        expect![[r#"
            block0: idom - ipdom - control []
            block1: idom block0 ipdom block2 control ["edge0"]
            block2: idom block0 ipdom - control ["edge0", "edge1", "edge2"]
            block3: idom block0 ipdom - control ["edge3", "edge5"]
            block4: idom block2 ipdom - control ["edge4"]
            block5: idom - ipdom block3 control []
        "#]],
    );
}

#[test]
fn endless_loops_and_computed_jumps() {
    blocks(
        "fn @f() {
           block0: indirectbr undef [block1, block3]
           block1: br block2
           block2: br block1
           block3: ret
         }",
        expect![[r#"
            block0: idom - ipdom - control []
            block1: idom block0 ipdom block2 control ["block0/0"]
            block2: idom block1 ipdom - control ["block0/0"]
            block3: idom block0 ipdom - control ["block0/1"]
        "#]],
    );
}

#[test]
fn back_edges_close_loops() {
    let program = sample(
        "fn @f() { block0: br block1 block1: br undef, block1, block2 block2: br undef, block1, block3 block3: ret }",
    );
    let cfg = Cfg::new(&program.functions[F]);
    let back: Vec<_> = cfg
        .back_edges()
        .map(|(from, to)| format!("{from} to {to}"))
        .collect();
    assert_eq!(back, ["block1 to block1", "block2 to block1"]);
}

/// Which edges dominate each edge, from the nearest.
fn dominating(text: &str, expected: Expect) {
    dominating_by(text, edge_dominators, expected);
}

fn dominating_by(text: &str, by: impl Fn(&Program) -> EdgeDominators, expected: Expect) {
    let program = sample(text);
    let dominators = by(&program);
    let mut out = String::new();
    for edge in program.edges.keys() {
        let above: Vec<_> =
            std::iter::successors(dominators.idom(edge), |&edge| dominators.idom(edge)).collect();
        assert!(above.iter().all(|&above| dominators.dominates(above, edge)));
        writeln!(out, "{edge}: {above:?}").expect("string");
    }
    expected.assert_eq(&out);
}

#[test]
fn edges_dominate_edges() {
    dominating(
        "fn @f() {
           block0: br undef, block1, block3
           block1: br undef, block2, block2
           block2: count 1 step i64 1 [site: edge, edge] count 2 [site: edge] br undef, block3, block4
           block3: ret
           block4: br undef, block3, block3
           block5: br undef, block3, block3
         }
         fn @g() { block0: br undef, block1, block1 block1: ret }",
        expect![[r#"
            edge0: []
            edge1: []
            edge2: [edge1]
            edge3: [edge1]
            edge4: [edge1]
            edge5: [edge1]
            edge6: [edge1]
            edge7: [edge6, edge1]
            edge8: [edge6, edge1]
            edge9: [edge7, edge6, edge1]
            edge10: [edge7, edge6, edge1]
            edge11: []
            edge12: []
            edge13: []
            edge14: []
        "#]],
    );
}

/// `helper` is called twice, both times behind edge 1; `once` behind edge 3 as well, and from what `main` never calls.
#[test]
fn edges_dominate_edges_over_calls() {
    dominating_by(
        "fn @main() {
           block0: br undef, block1, block4
           block1: call @helper() br undef, block2, block3
           block2: call @once() ret
           block3: call @helper() ret
           block4: ret
         }
         fn @helper() { block0: br undef, block1, block1 block1: ret }
         fn @once() { block0: br undef, block1, block1 block1: call @loops() ret }
         fn @dead() { block0: br undef, block1, block1 block1: call @once() ret }
         fn @loops() { block0: br undef, block1, block2 block1: call @loops() ret block2: ret }",
        |program| edge_dominators_across_calls(program, &CallGraph::new(program)),
        expect![[r#"
            edge0: []
            edge1: []
            edge2: [edge1]
            edge3: [edge1]
            edge4: [edge1]
            edge5: [edge1]
            edge6: [edge3, edge1]
            edge7: [edge3, edge1]
            edge8: []
            edge9: []
            edge10: [edge3, edge1]
            edge11: [edge3, edge1]
        "#]],
    );
}

const CALLS: &str = "
    extern0 @qsort(ptr, i64, i64, ptr)
    extern1 @exit(i32)
    global0 @hook size 8 align 8 = x\"\" [0: @hooked]
    fn @main(v0: ptr) {
      block0: call @helper(i32 1) br undef, block1, block2
      block1: call *v0(i32 1) ret
      block2: call @qsort(v0, i64 1, i64 1, @compare) call @stop() br undef, block3, block3
      block3: ret
    }
    fn @helper(v0: i32) { block0: br undef, block1, block2 block1: call @helper(v0) ret block2: ret }
    fn @hooked(v0: i32) { block0: call asm \"nop\"() ret }
    fn @compare(v0: ptr, v1: ptr) -> i32 { block0: ret i32 0 }
    fn @stop() { block0: call @exit(i32 1) call @unused() unreachable }
    fn @unused() { block0: call *null() ret }
";

#[test]
fn calls_reach_their_candidates() {
    let program = sample(CALLS);
    let calls = CallGraph::new(&program);
    let mut out = String::new();
    for function in program.functions.keys() {
        for site in calls.calls(function) {
            writeln!(
                out,
                "{function} {}: {:?} {:?}",
                site.inst, site.targets, site.callbacks
            )
            .expect("string");
        }
    }
    writeln!(out, "address taken {:?}", calls.address_taken()).expect("string");
    writeln!(
        out,
        "callers of fn1 {:?}",
        calls.callers(FuncId::from_u32(1))
    )
    .expect("string");
    writeln!(
        out,
        "from fn1 {:?}, from fn0 {:?}",
        calls.reachable(FuncId::from_u32(1)),
        calls.reachable(F)
    )
    .expect("string");
    expect![[r#"
        fn0 v1: [Function(fn1)] []
        fn0 v2: [Function(fn2)] []
        fn0 v3: [Extern(extern0)] [fn3]
        fn0 v4: [Function(fn4)] []
        fn1 v1: [Function(fn1)] []
        fn2 v1: [] []
        fn4 v0: [Extern(extern1)] []
        fn4 v1: [Function(fn5)] []
        fn5 v0: [Function(fn2), Function(fn3)] []
        address taken [fn2, fn3]
        callers of fn1 [(fn0, v1), (fn1, v1)]
        from fn1 [fn1], from fn0 [fn0, fn1, fn2, fn3, fn4, fn5]
    "#]]
    .assert_eq(&out);
}

#[test]
fn the_icfg_joins_functions() {
    let program = sample(CALLS);
    let icfg = Icfg::new(&program, &CallGraph::new(&program));
    let name = |node: NodeId| match icfg.nodes()[node] {
        Node::Part {
            function,
            block,
            first,
            ..
        } => format!("{function}.{block}+{first}"),
        Node::Edge(edge) => edge.to_string(),
    };
    let mut out = String::new();
    for flow in icfg.flows().filter(|flow| flow.kind != FlowKind::Step) {
        writeln!(
            out,
            "{:?} {} -> {}",
            flow.kind,
            name(flow.from),
            name(flow.to)
        )
        .expect("string");
    }
    expect![[r#"
        Over fn0.block0+0 -> fn0.block0+1
        Call fn0.block0+0 -> fn1.block0+0
        Over fn0.block1+0 -> fn0.block1+1
        Call fn0.block1+0 -> fn2.block0+0
        Over fn0.block2+0 -> fn0.block2+1
        Call fn0.block2+0 -> fn3.block0+0
        Call fn0.block2+1 -> fn4.block0+0
        Over fn1.block1+0 -> fn1.block1+1
        Call fn1.block1+0 -> fn1.block0+0
        Return fn1.block1+1 -> fn0.block0+1
        Return fn1.block1+1 -> fn1.block1+1
        Return fn1.block2+0 -> fn0.block0+1
        Return fn1.block2+0 -> fn1.block1+1
        Over fn2.block0+0 -> fn2.block0+1
        Return fn2.block0+1 -> fn0.block1+1
        Return fn2.block0+1 -> fn5.block0+1
        Return fn3.block0+0 -> fn0.block2+1
        Return fn3.block0+0 -> fn5.block0+1
        Over fn4.block0+0 -> fn4.block0+1
        Over fn4.block0+1 -> fn4.block0+2
        Call fn4.block0+1 -> fn5.block0+0
        Over fn5.block0+0 -> fn5.block0+1
        Call fn5.block0+0 -> fn2.block0+0
        Call fn5.block0+0 -> fn3.block0+0
        Return fn5.block0+1 -> fn4.block0+2
    "#]]
    .assert_eq(&out);
}

#[test]
fn distances_count_the_edges_that_have_to_be_taken() {
    let program = sample(
        "fn @main() {
           block0: br undef, block1, block2
           block1: br undef, block2, block3
           block2: call @f() br undef, block4, block4
           block3: unreachable
           block4: ret
         }
         fn @f() { block0: br undef, block1, block2 block1: br undef, block2, block2 block2: ret }",
    );
    let icfg = Icfg::new(&program, &CallGraph::new(&program));
    let distances = |target: u32| {
        let distances = Distances::to(&icfg, [EdgeId::from_u32(target)]);
        let entry = icfg.entry(F).and_then(|entry| distances.of(entry));
        (
            entry,
            program
                .edges
                .keys()
                .map(|edge| distances.of_edge(edge))
                .collect::<Vec<_>>(),
        )
    };
    // Into the function that is called.
    assert_eq!(
        distances(8),
        (
            Some(3),
            vec![
                Some(2),
                Some(3),
                None,
                Some(2),
                None,
                None,
                None,
                Some(1),
                Some(0),
                None
            ]
        )
    );
    // Over the call: the callee may be left by its shortest way.
    let all = [1, 2, u32::MAX, 1, 0, u32::MAX, 1, 2, 1, 1]
        .map(|number| (number != u32::MAX).then_some(number));
    assert_eq!(distances(4), (Some(2), all.to_vec()));
}

/// A function with random branches, switches, loops, probes and conditional expressions.
fn random_text(random: &mut Random) -> String {
    let count = 2 + random.below(9);
    let mut text = String::from("fn @f(v0: i32) {\n");
    for block in 0..count {
        write!(text, "block{block}: ").expect("string");
        let target = |random: &mut Random| format!("block{}", 1 + random.below(count - 1));
        for _ in 0..random.below(3) {
            text.push_str(
                [
                    "count 1 [site: edge] ",
                    "count 2 step i64 1 [site: edge, edge] ",
                ][random.below(2)],
            );
        }
        let (a, b, c) = (target(random), target(random), target(random));
        let end = match random.below(6) {
            0 => "ret".to_owned(),
            1 => format!("br {a}"),
            2 => format!("switch v0 [1: {a}, 2: {b}, default: {c}]"),
            _ => format!("br undef, {a}, {b}"),
        };
        writeln!(text, "{end}").expect("string");
    }
    text + "}"
}

#[test]
fn random_functions_print_and_parse() {
    let mut random = Random::new(11);
    for _ in 0..300 {
        let program = sample(&random_text(&mut random));
        assert_eq!(
            program.to_string().parse::<Program>().as_ref(),
            Ok(&program)
        );
    }
}

/// Whether `avoid` lies on every path from `from` to `to`, by searching for a path without it.
fn unavoidable(successors: impl Fn(u32) -> Vec<u32>, from: &[u32], to: u32, avoid: u32) -> bool {
    let mut seen = std::collections::BTreeSet::from([avoid]);
    let mut stack = from.to_vec();
    while let Some(node) = stack.pop() {
        if seen.insert(node) {
            if node == to {
                return false;
            }
            stack.extend(successors(node));
        }
    }
    true
}

#[test]
fn edge_dominators_agree_with_the_definition() {
    let mut random = Random::new(5);
    for _ in 0..200 {
        let text = random_text(&mut random);
        let program = sample(&text);
        let flow = FlowGraph::new(&program, F);
        let node_of = |edge: EdgeId| {
            let found = flow
                .nodes
                .iter()
                .find(|(_, node)| **node == Node::Edge(edge));
            found
                .map(|(id, _)| id.as_u32())
                .unwrap_or_else(|| panic!("{edge} is no node"))
        };
        let successors = |node: u32| {
            flow.successors(NodeId::from_u32(node))
                .map(NodeId::as_u32)
                .collect()
        };
        let dominators = edge_dominators(&program);
        let reachable = |node: u32| !unavoidable(successors, &[0], node, u32::MAX);
        for x in program.edges.keys() {
            for y in program.edges.keys() {
                let expected = x == y
                    || (reachable(node_of(x))
                        && reachable(node_of(y))
                        && unavoidable(successors, &[0], node_of(y), node_of(x)));
                assert_eq!(
                    dominators.dominates(x, y),
                    expected,
                    "{x} over {y} in\n{text}"
                );
            }
        }
    }
}

#[test]
fn control_dependence_agrees_with_the_definition() {
    let mut random = Random::new(6);
    for _ in 0..200 {
        let text = random_text(&mut random);
        let program = sample(&text);
        let cfg = Cfg::new(&program.functions[F]);
        let post = PostDominators::new(&cfg);
        let control = ControlDependence::new(&program, F, &cfg, &post);
        for block in cfg.blocks() {
            for controlled in cfg.blocks() {
                for (side, successor) in (0u32..).zip(cfg.successors(block)) {
                    let expected = cfg.successors(block).len() > 1
                        && post.dominates(controlled, successor)
                        && (controlled == block || !post.dominates(controlled, block));
                    let found = control
                        .controllers(controlled)
                        .iter()
                        .any(|by| (by.block, by.side) == (block, side));
                    assert_eq!(
                        found, expected,
                        "{controlled} by {block} side {side} in\n{text}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_function_of_many_blocks_takes_little_time() {
    let count = 20_000;
    let mut text = String::from("fn @f() {\n");
    for block in 0..count {
        writeln!(
            text,
            "block{block}: br undef, block{}, block{}",
            block + 1,
            (block + 2).min(count)
        )
        .expect("string");
    }
    writeln!(text, "block{count}: ret }}").expect("string");
    let program = sample(&text);
    let dominators = edge_dominators(&program);
    let cfg = Cfg::new(&program.functions[F]);
    let control = ControlDependence::new(&program, F, &cfg, &PostDominators::new(&cfg));
    let icfg = Icfg::new(&program, &CallGraph::new(&program));
    let last = EdgeId::from_u32(2 * count - 1);
    assert!(!dominators.dominates(EdgeId::from_u32(0), last));
    assert_eq!(control.controllers(BlockId::from_u32(count)).len(), 0);
    assert_eq!(
        Distances::to(&icfg, [last]).of_edge(EdgeId::from_u32(0)),
        Some(count.div_ceil(2))
    );
}

/// What all call is near to everything only if a way may return to any caller.
#[test]
fn distances_by_callers() {
    let program = sample(
        "fn @main() {
           block0: call @f() br undef, block1, block1
           block1: call @f() br undef, block2, block3
           block2: ret
           block3: br undef, block2, block2
         }
         fn @f() { block0: br undef, block1, block1 block1: ret }",
    );
    let icfg = Icfg::new(&program, &CallGraph::new(&program));
    let targets = [EdgeId::from_u32(4)];
    let of = |distances: &Distances| {
        let edges = program.edges.keys();
        edges
            .map(|edge| distances.of_edge(edge))
            .collect::<Vec<_>>()
    };
    let any = of(&Distances::to(&icfg, targets));
    let own = of(&Distances::before_return(&icfg, targets));
    let back = of(&Distances::to_return(&icfg));
    let (one, two) = (Some(1), Some(2));
    assert_eq!(any, [two, two, one, None, Some(0), None, two, two]);
    assert_eq!(own[6..], [None, None]);
    assert_eq!(own[..6], any[..6]);
    assert_eq!(back[6..], [Some(0), Some(0)]);
}

/// A program of several functions, with loops and calls.
fn random_calls(below: &mut impl FnMut(u32) -> u32) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for function in 0..4 {
        let blocks = 2 + below(9);
        write!(text, "fn @f{function}() {{ ").expect("string");
        for block in 0..blocks {
            write!(text, "block{block}: ").expect("string");
            if below(3) == 0 {
                write!(text, "call @f{}() ", below(4)).expect("string");
            }
            let (one, other) = (1 + below(blocks - 1), 1 + below(blocks - 1));
            match below(6) {
                0 => write!(text, "ret "),
                1 => write!(text, "br block{one} "),
                _ => write!(text, "br undef, block{one}, block{other} "),
            }
            .expect("string");
        }
        text += "}\n";
    }
    text
}

/// Random programs of several functions, with loops and calls: after each removal the distances are those that are computed
/// from scratch.
#[test]
fn distances_follow_targets_that_disappear() {
    let mut random = Random::new(7);
    let mut below = |bound: u32| random.below_u64(bound.into()) as u32;
    let mut removals = 0;
    for _ in 0..60 {
        let text = random_calls(&mut below);
        let program = sample(&text);
        let icfg = Icfg::new(&program, &CallGraph::new(&program));
        let kinds = [Distances::to, Distances::before_return];
        for make in kinds {
            let mut targets: Vec<EdgeId> = program.edges.keys().collect();
            let mut distances = make(&icfg, targets.clone());
            while !targets.is_empty() {
                let gone = targets.swap_remove(below(targets.len() as u32) as usize);
                assert!(distances.remove(&icfg, gone));
                assert!(!distances.remove(&icfg, gone));
                removals += 1;
                let scratch = make(&icfg, targets.clone());
                for node in icfg.nodes().keys() {
                    let target = distances.target_of(node);
                    assert_eq!(
                        distances.of(node),
                        scratch.of(node),
                        "{node} without {gone} of\n{text}"
                    );
                    assert_eq!(target.is_some(), distances.of(node).is_some());
                    assert!(target.is_none_or(|target| distances.of(target) == Some(0)));
                }
            }
        }
    }
    assert!(removals > 500, "{removals}");
}

/// What no run takes is passed by no way: the distances are those of the graph without it, whatever disappears before and after.
#[test]
fn distances_pass_no_closed_edge() {
    let mut random = Random::new(11);
    let mut below = |bound: u32| random.below_u64(bound.into()) as u32;
    let mut changed = 0;
    for _ in 0..60 {
        let program = sample(&random_calls(&mut below));
        let icfg = Icfg::new(&program, &CallGraph::new(&program));
        let mut targets: Vec<EdgeId> = program.edges.keys().collect();
        let mut left = targets.clone();
        let mut distances = Distances::to(&icfg, targets.clone());
        let mut closed = BTreeSet::new();
        while !left.is_empty() {
            let before: Vec<Option<u32>> = program
                .edges
                .keys()
                .map(|edge| distances.of_edge(edge))
                .collect();
            let count = 1 + below(3) as usize;
            let gone: Vec<EdgeId> = left.split_off(left.len().saturating_sub(count));
            targets.retain(|edge| !gone.contains(edge));
            if below(2) == 0 {
                distances.close(&icfg, &gone);
                closed.extend(gone);
            } else {
                gone.iter().for_each(|edge| {
                    distances.remove(&icfg, *edge);
                });
            }
            // Bellman and Ford, over what is left.
            let is_open =
                |node| !matches!(icfg.nodes()[node], Node::Edge(edge) if closed.contains(&edge));
            let mut known: SecondaryMap<_, Option<u32>> = SecondaryMap::for_map(icfg.nodes(), None);
            for edge in &targets {
                let node = icfg.node_of(*edge).expect("it has one");
                known[node] = Some(0);
            }
            for _ in 0..icfg.nodes().len() {
                for flow in icfg
                    .flows()
                    .filter(|flow| is_open(flow.from) && is_open(flow.to))
                {
                    let cost = u32::from(matches!(icfg.nodes()[flow.to], Node::Edge(_)));
                    let way = known[flow.to].map(|way| way + cost);
                    known[flow.from] = [known[flow.from], way].into_iter().flatten().min();
                }
            }
            for node in icfg.nodes().keys() {
                assert_eq!(distances.of(node), known[node], "{node}");
            }
            let after = program.edges.keys().map(|edge| distances.of_edge(edge));
            changed += after
                .zip(before)
                .filter(|(after, before)| after != before)
                .count();
        }
    }
    assert!(changed > 300, "{changed}");
}
