//! The reader against the judge. Every file of `tests/snippets` is compiled by clang, its model is read, and a build
//! of the same prepared bitcode with a counter at every edge is run on the inputs that its comments name. Then:
//! - every branch that `llvm-cov export` lists must be in our mapping, in its order, with its range and its counts;
//! - every profile counter must be the sum of the edges, entries and probes that list it;
//! - every outcome edge must be taken exactly as often as its outcome counts.

mod clang;
mod decisions;
mod edges;
mod generate;
mod modules;
mod texts;

use std::collections::BTreeMap;

use program::outcome_edges::{ConditionOutcomes, OutcomeEdges};
use program::{Counter, FunctionCoverage, Program, RegionKind, SiteKind};

use clang::{Branch, Build, Run};

/// What was compared, over all runs.
#[derive(Debug, Default)]
struct Tally {
    runs: usize,
    branches: usize,
    counters: usize,
    outcomes: usize,
    /// Outcomes without outcome edges.
    unknown: Vec<String>,
    folded: usize,
}

#[test]
fn snippets_agree_with_llvm_cov() {
    let mut tally = Tally::default();
    for path in clang::snippets() {
        check(&Build::new(&path, &[]), &mut tally);
    }
    eprintln!("{tally:#?}");
    assert!(
        tally.runs > 30 && tally.branches > 1000 && tally.outcomes > 1000,
        "{tally:?}"
    );
    assert_eq!(tally.unknown, Vec::<String>::new());
}

#[test]
fn decisions_with_mcdc_agree_with_llvm_cov() {
    let mut tally = Tally::default();
    for name in ["branches.c", "macros.c", "constants.c"] {
        check(
            &Build::new(&clang::snippet(name), &["-fcoverage-mcdc"]),
            &mut tally,
        );
    }
    assert_eq!(tally.unknown, Vec::<String>::new());
}

/// `BOTHWAYS_RANDOM_PROGRAMS` asks for more of them.
#[test]
fn random_programs_agree_with_llvm_cov() {
    let asked = std::env::var("BOTHWAYS_RANDOM_PROGRAMS").ok();
    let (first, count) = match asked
        .as_deref()
        .map(|text| text.split_once("..").unwrap_or(("0", text)))
    {
        Some((first, end)) => (first.parse().unwrap(), end.parse().unwrap()),
        None => (0, 3),
    };
    let folder = std::env::temp_dir().join(format!("bothways-random-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut tally = Tally::default();
    for seed in first..count {
        let path = folder.join(format!("random{seed}.c"));
        std::fs::write(&path, generate::program(seed)).unwrap();
        check(&Build::new(&path, &[]), &mut tally);
    }
    eprintln!("{tally:#?}");
    assert_eq!(tally.unknown, Vec::<String>::new());
    std::fs::remove_dir_all(&folder).unwrap();
}

fn check(build: &Build, tally: &mut Tally) {
    let program = &build.program;
    program::verify::verify(program).unwrap_or_else(|error| panic!("{}: {error}", build.name));
    let text = program::text::print(program);
    let again: Program = text
        .parse()
        .unwrap_or_else(|error| panic!("{}: {error}", build.name));
    assert!(
        again == *program,
        "{}: the text form is not complete",
        build.name
    );
    let outcomes = ConditionOutcomes::new(program);
    count_unknown(program, &outcomes, tally);
    for run in build.runs() {
        tally.runs += 1;
        compare_branches(build, &run, tally);
        compare_counters(build, &run, tally);
        if !build.leaves {
            compare_outcomes(build, &run, &outcomes, tally);
        }
    }
}

fn count_unknown(program: &Program, outcomes: &ConditionOutcomes, tally: &mut Tally) {
    for condition in &outcomes.conditions {
        let function = &program.coverage[condition.function as usize];
        let range = function.regions[condition.region as usize].range;
        for (side, edges) in condition.outcomes.iter().enumerate() {
            if *edges == OutcomeEdges::Unknown {
                tally.unknown.push(format!(
                    "{} {}:{} {}",
                    function.name,
                    range.line,
                    range.col,
                    side == 1
                ));
            }
        }
    }
}

/// Our regions, with the run's counters, against the judge's list.
fn compare_branches(build: &Build, run: &Run, tally: &mut Tally) {
    let program = &build.program;
    let mut ours = BTreeMap::new();
    for function in &program.coverage {
        let profile = run
            .counters
            .get(&function.name)
            .cloned()
            .unwrap_or_default();
        let mut list = Vec::new();
        for region in &function.regions {
            let (RegionKind::Branch { false_count } | RegionKind::McdcBranch { false_count, .. }) =
                region.kind
            else {
                continue;
            };
            if (region.count, false_count) == (Counter::Zero, Counter::Zero) {
                tally.folded += 1;
                continue;
            }
            let counts =
                [region.count, false_count].map(|count| function.evaluate(count, &profile));
            list.push(Branch {
                range: region.range,
                file: region.file,
                counts,
            });
        }
        let files: Vec<&str> = function
            .files
            .iter()
            .map(|&file| program.files[file as usize].as_str())
            .collect();
        ours.insert(function.name.as_str(), (files, list));
    }
    for function in &run.export.functions {
        let (files, list) = &ours[function.name.as_str()];
        assert_eq!(
            *files, function.files,
            "{}: files of {}",
            build.name, function.name
        );
        let clamped = |branch: &Branch| Branch {
            counts: branch.counts.map(|count| count.min(i64::MAX as u64)),
            ..*branch
        };
        let list: Vec<Branch> = list.iter().map(clamped).collect();
        assert_eq!(
            list, function.branches,
            "{}: {} of run {:?}",
            build.name, function.name, run.arguments
        );
        tally.branches += 2 * list.len();
    }
    assert_eq!(
        run.export.functions.len(),
        ours.len(),
        "{}: functions",
        build.name
    );
    let outcomes: Vec<u64> = ours
        .values()
        .flat_map(|(_, list)| list)
        .flat_map(|branch| branch.counts)
        .collect();
    let covered = outcomes.iter().filter(|&&count| count > 0).count();
    assert_eq!(
        run.export.totals,
        (outcomes.len(), covered),
        "{}: totals of run {:?}",
        build.name,
        run.arguments
    );
}

/// Counters from the edges that list them.
fn compare_counters(build: &Build, run: &Run, tally: &mut Tally) {
    let program = &build.program;
    for coverage in &program.coverage {
        let Some(id) = coverage.function else {
            continue;
        };
        let mut counters = vec![0_u64; coverage.counters as usize];
        for &counter in &program.functions[id].entry_counters {
            counters[counter as usize] += run.entries[id.index()];
        }
        for (edge, data) in program.edges.iter() {
            if program.sites[data.site].function == id {
                for &counter in &data.counters {
                    counters[counter as usize] += run.edges[edge.index()];
                }
            }
        }
        let profile = run
            .counters
            .get(&coverage.name)
            .cloned()
            .unwrap_or_else(|| vec![0; counters.len()]);
        assert_eq!(
            counters, profile,
            "{}: counters of {} in run {:?}",
            build.name, coverage.name, run.arguments
        );
        tally.counters += counters.len();
    }
}

/// Outcome edges are taken as often as the outcome counts.
fn compare_outcomes(build: &Build, run: &Run, outcomes: &ConditionOutcomes, tally: &mut Tally) {
    let program = &build.program;
    for condition in &outcomes.conditions {
        let function: &FunctionCoverage = &program.coverage[condition.function as usize];
        let region = function.regions[condition.region as usize];
        let (RegionKind::Branch { false_count } | RegionKind::McdcBranch { false_count, .. }) =
            region.kind
        else {
            panic!("a condition is a branch region")
        };
        let profile = run
            .counters
            .get(&function.name)
            .cloned()
            .unwrap_or_default();
        for (edges, count) in condition.outcomes.iter().zip([false_count, region.count]) {
            let count = function.evaluate(count, &profile);
            let taken = match edges {
                OutcomeEdges::Unknown => continue,
                OutcomeEdges::Never | OutcomeEdges::EarlyExit => 0,
                OutcomeEdges::Entry => function.function.map_or(0, |id| run.entries[id.index()]),
                OutcomeEdges::AnyOf(edges) => {
                    edges.iter().map(|edge| run.edges[edge.index()]).sum()
                }
            };
            let place = format!(
                "{}: {} {:?} run {:?}",
                build.name, function.name, region.range, run.arguments
            );
            assert_eq!(taken, count, "{place}: {edges:?}");
            tally.outcomes += 1;
        }
    }
}

#[test]
fn sites_have_places() {
    let build = Build::new(&clang::snippet("branches.c"), &[]);
    for site in build
        .program
        .sites
        .values()
        .filter(|site| site.kind != SiteKind::Probe)
    {
        let range = site
            .range
            .unwrap_or_else(|| panic!("{site:?} has no range"));
        let loc = site.loc.expect("it has a place");
        assert_eq!((range.line, range.col), (loc.line, loc.col));
    }
}
