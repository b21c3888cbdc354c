//! `json`: the report as one JSON object on one line, for scripts and continuous integration.
//!
//! The schema is stable: fields are added, never renamed or removed, and `schema` grows when that has to change.
//!
//! | field | type | meaning |
//! |---|---|---|
//! | `schema` | number | 1 |
//! | `version` | string | version of bothways |
//! | `program` | string | the program under test |
//! | `criterion` | string | name of the criterion |
//! | `strategy`, `seed` | string, number | of the search |
//! | `goals.total` | number | goals of the criterion, as `llvm-cov` counts them |
//! | `goals.covered`, `goals.infeasible`, `goals.open` | number | they add up to `goals.total` |
//! | `goals.percent` | number | covered of 100; 100 when there is nothing to cover |
//! | `tests` | number | tests in the suite |
//! | `iterations` | number | runs of the program |
//! | `seconds`, `judge_seconds`, `solver_seconds` | number | wall time of the search, and of judging; time spent in the solver |
//! | `times` | object | where the time went, in seconds: `pick`, `solve`, `run`, `read`, `learn` |
//! | `work` | object | `queries` (to the solver), `dropped` (candidates, by path filtering), `started_over` (times, from its tests, because the engine's memory was full), `events`, `expressions`, `program_seconds`, `starts`, `peak_memory` (bytes, of the engine) |
//! | `solver` | object | how long queries took: `queries`, `seconds`, `median`, `p90`, `longest`, and the same for each layer that answered, in `layers` with its `name` |
//! | `stopped_by` | string | `all-covered`, `exhausted`, `iterations`, `time`, `coverage`, `interrupted` |
//! | `suite` | string or null | folder of the suite |
//! | `minimised` | object or null | with `--minimise-suite`: `from` (tests before), `at_least` (no fewer of them cover the same) |
//! | `judge` | object or null | `tool`, `total`, `covered`, `pairs` (`count`, `covered`: for `mcdc`, its own figure), `differences` (strings; none is as it should be) |
//! | `failures` | array | faults, one for each cause: `test`, `outcome`, `cause`, `place`, `stack`, `hash`, `also` |
//! | `functions` | array | `name`, `file`, `line`, `instantiations`, `total`, `covered`, `infeasible`, `open`, `entered`, `pairs` |
//! | `open`, `infeasible` | array | `function`, `file`, `line`, `col`, `side`, `expanded_at`, `reason`, `detail` |
//! | `decisions` | array | for `mcdc`: `function`, `file`, `line`, `col`, `end_line`, `end_col`, `origin`, `problem`, `conditions` (`line`, `col`, `status`, `pair`, `missing`), `vectors` (`values`, `outcome`, `tests`) |
//! | `concretised` | array | where symbolism was lost: `function`, `file`, `line`, `col`, `what`, `reason`, `count`, `pinned`, `open_behind` |
//! | `notes` | array | strings: what else to know |

use serde::Serialize;

use crate::document::{
    Concretised, Failure, FunctionRow, GoalRow, Minimised, Report, Solving, Times, Work,
};
use crate::format::ReportFormat;
use crate::judge::Tally;
use crate::table::DecisionRow;
use coverage::ledger::Totals;

/// The report as one JSON object.
pub struct Json;

/// Version of the schema.
pub const SCHEMA: u32 = 1;

impl ReportFormat for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn summary(&self) -> &'static str {
        "one JSON object, for scripts"
    }

    fn file_name(&self) -> &'static str {
        "report.json"
    }

    fn render(&self, report: &Report) -> String {
        let object = Object::of(report);
        let json = serde_json::to_string(&object).expect("the report has only string keys");
        format!("{json}\n")
    }
}

#[derive(Serialize)]
struct Object<'a> {
    schema: u32,
    version: &'a str,
    program: &'a str,
    criterion: &'a str,
    strategy: &'a str,
    seed: u64,
    goals: Numbers,
    entries: Option<Numbers>,
    exits: Option<Numbers>,
    pairs: Option<Numbers>,
    tests: u32,
    iterations: u64,
    seconds: f64,
    judge_seconds: f64,
    solver_seconds: f64,
    times: Times,
    work: Work,
    solver: &'a Solving,
    stopped_by: &'a str,
    suite: Option<&'a str>,
    minimised: Option<Minimised>,
    judge: Option<Judge<'a>>,
    failures: &'a [Failure],
    functions: Vec<Function<'a>>,
    open: Vec<Goal<'a>>,
    infeasible: Vec<Goal<'a>>,
    decisions: &'a [DecisionRow],
    concretised: &'a [Concretised],
    notes: &'a [String],
}

#[derive(Serialize)]
struct Numbers {
    total: u32,
    covered: u32,
    infeasible: u32,
    open: u32,
    percent: f64,
}

#[derive(Serialize)]
struct Judge<'a> {
    tool: &'a str,
    total: u32,
    covered: u32,
    pairs: Option<Tally>,
    differences: &'a [String],
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    file: &'a str,
    line: u32,
    instantiations: u32,
    total: u32,
    covered: u32,
    infeasible: u32,
    open: u32,
    entered: Option<bool>,
    pairs: Option<Numbers>,
}

#[derive(Serialize)]
struct Goal<'a> {
    function: &'a str,
    file: &'a str,
    line: u32,
    col: u32,
    side: &'a str,
    expanded_at: Vec<At<'a>>,
    reason: &'a str,
    detail: &'a str,
}

#[derive(Serialize)]
struct At<'a> {
    file: &'a str,
    line: u32,
    col: u32,
}

impl<'a> Object<'a> {
    fn of(report: &'a Report) -> Object<'a> {
        let campaign = &report.campaign;
        Object {
            schema: SCHEMA,
            version: &report.version,
            program: &report.program,
            criterion: &report.criterion,
            strategy: &campaign.strategy,
            seed: campaign.seed,
            goals: Numbers::of(report.totals),
            entries: report.entries.map(Numbers::of),
            exits: report.exits.map(Numbers::of),
            pairs: report.pairs.map(Numbers::of),
            tests: campaign.tests,
            iterations: campaign.iterations,
            seconds: campaign.seconds,
            judge_seconds: campaign.judge_seconds,
            solver_seconds: campaign.solver_seconds,
            times: campaign.times,
            work: campaign.work,
            solver: &campaign.solver,
            stopped_by: &campaign.stopped_by,
            suite: campaign.suite.as_deref(),
            minimised: campaign.minimised,
            judge: report.judge.as_ref().map(|verdict| Judge {
                tool: &verdict.tool,
                total: verdict.total,
                covered: verdict.covered,
                pairs: verdict.pairs,
                differences: &verdict.differences,
            }),
            failures: &campaign.failures,
            functions: report.functions.iter().map(Function::of).collect(),
            open: report.open.iter().map(Goal::of).collect(),
            infeasible: report.infeasible.iter().map(Goal::of).collect(),
            decisions: &report.decisions,
            concretised: &report.concretised,
            notes: &report.notes,
        }
    }
}

impl Numbers {
    fn of(totals: Totals) -> Numbers {
        Numbers {
            total: totals.total,
            covered: totals.covered,
            infeasible: totals.infeasible,
            open: totals.open(),
            percent: totals.percent(),
        }
    }
}

impl<'a> Function<'a> {
    fn of(row: &'a FunctionRow) -> Function<'a> {
        Function {
            name: &row.name,
            file: &row.file,
            line: row.line,
            instantiations: row.instantiations,
            total: row.totals.total,
            covered: row.totals.covered,
            infeasible: row.totals.infeasible,
            open: row.totals.open(),
            entered: (row.entries.total > 0).then_some(row.entries.covered > 0),
            pairs: row.pairs.map(Numbers::of),
        }
    }
}

impl<'a> Goal<'a> {
    fn of(row: &'a GoalRow) -> Goal<'a> {
        let at = |(file, line, col): &'a (String, u32, u32)| At {
            file,
            line: *line,
            col: *col,
        };
        Goal {
            function: &row.function,
            file: &row.label.file,
            line: row.label.line,
            col: row.label.col,
            side: &row.label.side,
            expanded_at: row.expanded_at.iter().map(at).collect(),
            reason: &row.reason.name,
            detail: &row.reason.detail,
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sample;

    #[test]
    fn one_object_on_one_line() {
        let text = Json.render(&sample::report());
        assert_eq!(text.lines().count(), 1);
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let pretty = serde_json::to_string_pretty(&value).expect("JSON");
        expect![[r#"
            {
              "concretised": [
                {
                  "col": 9,
                  "count": 3,
                  "file": "src/lexer.c",
                  "function": "scan",
                  "line": 12,
                  "open_behind": 2,
                  "pinned": false,
                  "reason": "external call",
                  "what": "call strtod"
                }
              ],
              "criterion": "branch",
              "decisions": [
                {
                  "col": 7,
                  "conditions": [
                    {
                      "col": 7,
                      "line": 14,
                      "missing": "",
                      "pair": [
                        0,
                        1
                      ],
                      "status": "covered"
                    },
                    {
                      "col": 15,
                      "line": 14,
                      "missing": "a test with TT = T would be a pair with TF = F",
                      "pair": null,
                      "status": "open"
                    }
                  ],
                  "end_col": 21,
                  "end_line": 14,
                  "file": "src/list.c",
                  "function": "insert",
                  "line": 14,
                  "origin": "clang",
                  "problem": "",
                  "vectors": [
                    {
                      "outcome": false,
                      "tests": [
                        1
                      ],
                      "values": "F-"
                    },
                    {
                      "outcome": true,
                      "tests": [
                        2
                      ],
                      "values": "TT"
                    }
                  ]
                }
              ],
              "entries": {
                "covered": 3,
                "infeasible": 0,
                "open": 1,
                "percent": 75.0,
                "total": 4
              },
              "exits": null,
              "failures": [
                {
                  "also": [
                    "test-0005.test"
                  ],
                  "cause": "address: heap-buffer-overflow",
                  "hash": "00c0ffee",
                  "outcome": "signal 11 (SIGSEGV)",
                  "place": "src/list.c:14:9",
                  "stack": [
                    "insert",
                    "main"
                  ],
                  "test": "test-0004.test"
                }
              ],
              "functions": [
                {
                  "covered": 16,
                  "entered": true,
                  "file": "src/list.c",
                  "infeasible": 1,
                  "instantiations": 1,
                  "line": 12,
                  "name": "insert",
                  "open": 3,
                  "pairs": null,
                  "total": 20
                },
                {
                  "covered": 2,
                  "entered": true,
                  "file": "src/list.c",
                  "infeasible": 0,
                  "instantiations": 3,
                  "line": 4,
                  "name": "is_empty",
                  "open": 0,
                  "pairs": null,
                  "total": 2
                },
                {
                  "covered": 4,
                  "entered": true,
                  "file": "src/list.c",
                  "infeasible": 0,
                  "instantiations": 1,
                  "line": 40,
                  "name": "main",
                  "open": 0,
                  "pairs": null,
                  "total": 4
                }
              ],
              "goals": {
                "covered": 22,
                "infeasible": 1,
                "open": 3,
                "percent": 84.61538461538461,
                "total": 26
              },
              "infeasible": [
                {
                  "col": 11,
                  "detail": "",
                  "expanded_at": [],
                  "file": "src/list.c",
                  "function": "insert",
                  "line": 18,
                  "reason": "search tree exhausted",
                  "side": "true"
                }
              ],
              "iterations": 120,
              "judge": {
                "covered": 22,
                "differences": [],
                "pairs": null,
                "tool": "llvm-cov 19",
                "total": 26
              },
              "judge_seconds": 0.0,
              "minimised": null,
              "notes": [
                "3 runs were cut short by the event buffer"
              ],
              "open": [
                {
                  "col": 7,
                  "detail": "",
                  "expanded_at": [],
                  "file": "src/list.c",
                  "function": "insert",
                  "line": 14,
                  "reason": "budget spent",
                  "side": "true"
                },
                {
                  "col": 9,
                  "detail": "",
                  "expanded_at": [],
                  "file": "src/list.c",
                  "function": "insert",
                  "line": 22,
                  "reason": "budget spent",
                  "side": "false"
                },
                {
                  "col": 25,
                  "detail": "resource limit",
                  "expanded_at": [
                    {
                      "col": 18,
                      "file": "src/list.h",
                      "line": 4
                    },
                    {
                      "col": 3,
                      "file": "src/list.c",
                      "line": 31
                    }
                  ],
                  "file": "src/list.c",
                  "function": "insert",
                  "line": 3,
                  "reason": "solver gave up",
                  "side": "false"
                }
              ],
              "pairs": null,
              "program": "list",
              "schema": 1,
              "seconds": 2.5,
              "seed": 1,
              "solver": {
                "layers": [],
                "longest": 0.0,
                "median": 0.0,
                "p90": 0.0,
                "queries": 0,
                "seconds": 0.0
              },
              "solver_seconds": 0.75,
              "stopped_by": "iterations",
              "strategy": "cgs",
              "suite": "bothways-out",
              "tests": 5,
              "times": {
                "fuzz": 0.0,
                "learn": 0.0,
                "pick": 0.0,
                "read": 0.0,
                "run": 0.0,
                "solve": 0.0
              },
              "version": "0.1.0",
              "work": {
                "dropped": 0,
                "events": 0,
                "expressions": 0,
                "fuzzed": 0,
                "peak_memory": 0,
                "program_seconds": 0.0,
                "queries": 0,
                "started_over": 0,
                "starts": 0
              }
            }"#]]
        .assert_eq(&pretty);
    }

    #[test]
    fn an_empty_report_has_every_field() {
        expect![[r#"
            {"schema":1,"version":"","program":"","criterion":"","strategy":"","seed":0,"goals":{"total":0,"covered":0,"infeasible":0,"open":0,"percent":100.0},"entries":null,"exits":null,"pairs":null,"tests":0,"iterations":0,"seconds":0.0,"judge_seconds":0.0,"solver_seconds":0.0,"times":{"pick":0.0,"solve":0.0,"run":0.0,"read":0.0,"learn":0.0,"fuzz":0.0},"work":{"queries":0,"fuzzed":0,"dropped":0,"started_over":0,"events":0,"expressions":0,"program_seconds":0.0,"starts":0,"peak_memory":0},"solver":{"queries":0,"seconds":0.0,"median":0.0,"p90":0.0,"longest":0.0,"layers":[]},"stopped_by":"","suite":null,"minimised":null,"judge":null,"failures":[],"functions":[],"open":[],"infeasible":[],"decisions":[],"concretised":[],"notes":[]}
        "#]].assert_eq(&Json.render(&Report::default()));
    }
}
