//! Every file under `tests/decisions`: the report of `--criterion mcdc` is what its marks promise, and what `llvm-cov show
//! -show-mcdc` says of the same tests: conditions, executed vectors and covered pairs, decision by decision.
//!
//! Marks are explained in `tests/decisions/README.md`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode};

use e2e::{run, shown, sources_in};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

fn main() -> ExitCode {
    let trials = sources_in("tests/decisions")
        .into_iter()
        .map(|(name, path)| Trial::test(name, move || check(&path)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn check(path: &Path) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let source = path.display().to_string();
    let args = [
        "test",
        &source,
        "--criterion",
        "mcdc",
        "--json",
        "-q",
        "-t",
        "60",
        "-o",
        "suite",
    ];
    let output = run(folder.path(), &args);
    if output.status.code() != Some(0) {
        return Err(shown(&output).into());
    }
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let differences = report["judge"]["differences"].as_array();
    if differences.is_none_or(|list| !list.is_empty()) {
        return Err(format!("the judge differs: {differences:?}").into());
    }
    let rows = report["decisions"].as_array().ok_or("no decisions")?;
    compare_marks(&std::fs::read_to_string(path)?, rows)?;
    let theirs = judged(&folder.path().join("suite"))?;
    compare_judge(rows, theirs)
}

/// The report against the marks of the file.
fn compare_marks(text: &str, rows: &[Value]) -> Result<(), Failed> {
    let mut found: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for row in rows {
        let line = row["line"].as_u64().ok_or("a line")?;
        found.entry(line).or_default().push(mark(row)?);
    }
    for (line, text) in (1_u64..).zip(text.lines()) {
        let expected = text
            .split_once("// mcdc:")
            .map_or("", |(_, mark)| mark.trim());
        let found = found.remove(&line).unwrap_or_default().join("; ");
        if found != expected {
            return Err(
                format!("line {line}: `{expected}` is promised, the report has `{found}`").into(),
            );
        }
    }
    Ok(())
}

/// A decision of the report as a mark.
fn mark(row: &Value) -> Result<String, Failed> {
    let conditions = row["conditions"].as_array().ok_or("conditions")?;
    let mut words = Vec::new();
    for (number, condition) in (1..).zip(conditions) {
        let status = match condition["status"].as_str() {
            Some("covered") => "",
            Some("infeasible") => "!",
            Some("open") => "?",
            Some("folded") => "-",
            other => return Err(format!("status {other:?}").into()),
        };
        if (status.is_empty()) == condition["pair"].is_null() {
            return Err(format!("condition {number} and its pair: {row}").into());
        }
        words.push(format!("{number}{status}"));
    }
    if row["origin"] == "shape" {
        words.push("shape".to_owned());
    }
    Ok(words.join(" "))
}

/// A decision as `llvm-cov` shows it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shown {
    /// Places of the conditions, as far as they stand in one file.
    conditions: usize,
    /// `TF-=F`, sorted.
    vectors: Vec<String>,
    /// Numbers of the conditions with a pair, in the order of the source.
    pairs: Vec<usize>,
}

/// What `llvm-cov` shows of the tests of a suite, by place. Expansions of one macro have one place.
fn judged(suite: &Path) -> Result<BTreeMap<(u64, u64), Vec<Shown>>, Failed> {
    let judge = suite.join("judge");
    let mut profiles = Vec::new();
    for test in std::fs::read_dir(suite.join("tests"))? {
        let test = test?.path();
        let profile = test.with_extension("profraw");
        Command::new(&judge)
            .current_dir(suite)
            .env("BOTHWAYS_TEST", &test)
            .env("LLVM_PROFILE_FILE", &profile)
            .output()?;
        profiles.push(profile);
    }
    let merged = suite.join("all.profdata");
    let mut merge = Command::new("llvm-profdata-19");
    merge.args(["merge", "-sparse", "-o"]).arg(&merged);
    let output = merge.args(&profiles).output()?;
    if !output.status.success() {
        return Err(shown(&output).into());
    }
    let mut show = Command::new("llvm-cov-19");
    show.args(["show", "-show-mcdc", "-show-expansions", "-instr-profile"]);
    let output = show.arg(&merged).arg(&judge).output()?;
    if !output.status.success() {
        return Err(shown(&output).into());
    }
    parse(&String::from_utf8_lossy(&output.stdout))
}

fn parse(text: &str) -> Result<BTreeMap<(u64, u64), Vec<Shown>>, Failed> {
    let mut decisions: BTreeMap<(u64, u64), Vec<Shown>> = BTreeMap::new();
    let mut place = None;
    for line in text.lines() {
        let line = line.trim_start_matches(['|', ' ']);
        if let Some(rest) = line.strip_prefix("---> MC/DC Decision Region (") {
            let (at, _) = rest.split_once(')').ok_or("a place")?;
            let (row, col) = at.split_once(':').ok_or("line and column")?;
            place = Some((row.parse()?, col.parse()?));
            decisions
                .entry((row.parse()?, col.parse()?))
                .or_default()
                .push(Shown::default());
            continue;
        }
        let Some(place) = place else { continue };
        let Some(decision) = decisions.get_mut(&place).and_then(|list| list.last_mut()) else {
            continue;
        };
        if let Some(count) = line.strip_prefix("Number of Conditions: ") {
            decision.conditions = count.trim().parse()?;
        } else if let Some((_, vector)) = line.split_once("{ ")
            && let Some((values, outcome)) = vector.split_once('=')
        {
            let letters = |text: &str| {
                text.chars()
                    .filter(|it| "TF-C".contains(*it))
                    .collect::<String>()
            };
            decision
                .vectors
                .push(format!("{}={}", letters(values), letters(outcome)));
        } else if let Some((number, rest)) = line
            .strip_prefix('C')
            .and_then(|rest| rest.split_once("-Pair: "))
            && rest.starts_with("covered")
        {
            decision.pairs.push(number.parse()?);
        }
    }
    for decision in decisions.values_mut().flatten() {
        decision.vectors.sort();
    }
    Ok(decisions)
}

/// The order in which `llvm-cov` numbers conditions: the first one, those that stand in the decision's own text, those of macros.
fn order_of_regions(row: &Value, conditions: &[Value]) -> Result<Vec<usize>, Failed> {
    let number = |value: &Value| value.as_u64().ok_or("a number");
    let (first, last) = (number(&row["line"])?, number(&row["end_line"])?);
    let mut order: Vec<(bool, bool, usize)> = Vec::new();
    for (at, condition) in conditions.iter().enumerate() {
        let line = number(&condition["line"])?;
        order.push((at > 0, line < first || line > last, at));
    }
    order.sort();
    Ok(order.into_iter().map(|(_, _, at)| at).collect())
}

/// The report against what `llvm-cov` shows.
fn compare_judge(
    rows: &[Value],
    mut theirs: BTreeMap<(u64, u64), Vec<Shown>>,
) -> Result<(), Failed> {
    let mut compared = 0;
    for row in rows.iter().filter(|row| row["origin"] == "clang") {
        let conditions = row["conditions"].as_array().ok_or("conditions")?;
        let order = order_of_regions(row, conditions)?;
        let conditions: Vec<&Value> = order.iter().map(|at| &conditions[*at]).collect();
        let with_pair = (1..)
            .zip(&conditions)
            .filter(|(_, condition)| !condition["pair"].is_null());
        let mut ours = Shown {
            conditions: conditions.len(),
            pairs: with_pair.map(|(number, _)| number).collect(),
            vectors: Vec::new(),
        };
        let folded: Vec<bool> = conditions
            .iter()
            .map(|it| it["status"] == "folded")
            .collect();
        for vector in row["vectors"].as_array().ok_or("vectors")? {
            let outcome = if vector["outcome"] == true { "T" } else { "F" };
            let values: Vec<char> = vector["values"].as_str().ok_or("values")?.chars().collect();
            let values: String = order.iter().map(|at| values[*at]).collect();
            ours.vectors.push(format!("{values}={outcome}"));
        }
        ours.vectors.sort();
        let number = |name: &str| row[name].as_u64().unwrap_or(0);
        let place = (number("line"), number("col"));
        let list = theirs
            .get_mut(&place)
            .ok_or(format!("llvm-cov has no decision at {place:?}"))?;
        if row["problem"] != "" {
            // It is not followed; llvm-cov has another limit.
            list.pop();
            continue;
        }
        // What stands for a folded condition differs: we do not say what it is, llvm-cov does.
        let plain = |shown: &Shown| {
            let drop = |vector: &String| {
                let letters = vector.chars().enumerate();
                letters
                    .filter(|(at, _)| !folded.get(*at).copied().unwrap_or(false))
                    .map(|(_, letter)| letter)
                    .collect::<String>()
            };
            let mut vectors: Vec<String> = shown.vectors.iter().map(drop).collect();
            vectors.sort();
            vectors.dedup();
            (shown.conditions, vectors, shown.pairs.clone())
        };
        let same = list.iter().position(|other| plain(other) == plain(&ours));
        let Some(same) = same else {
            return Err(format!("{place:?}: we have {ours:?}, llvm-cov {list:?}").into());
        };
        list.remove(same);
        compared += 1;
    }
    let left: Vec<_> = theirs
        .into_iter()
        .filter(|(_, list)| !list.is_empty())
        .collect();
    if !left.is_empty() || compared == 0 {
        return Err(
            format!("{compared} decisions are the same, only llvm-cov has {left:?}").into(),
        );
    }
    Ok(())
}
