//! `sarif`: findings, and branches that no input takes, as SARIF 2.1.0.
//!
//! What GitHub code scanning and editors show at the line. A fault is an error, with its call stack and the hash of its cause as a
//! fingerprint; a branch that was proved unreachable is a note. Paths are relative to the folder where `bothways` was called.

use serde_json::{Value, json};

use crate::document::{Failure, GoalRow, Report};
use crate::format::ReportFormat;
use crate::readable::plain;

/// Findings as SARIF.
pub struct Sarif;

impl ReportFormat for Sarif {
    fn name(&self) -> &'static str {
        "sarif"
    }

    fn summary(&self) -> &'static str {
        "findings and unreachable branches as SARIF 2.1, for code scanning"
    }

    fn file_name(&self) -> &'static str {
        "findings.sarif"
    }

    fn render(&self, report: &Report) -> String {
        let failures = report.campaign.failures.iter();
        let mut results: Vec<Value> = failures.map(|known| fault(report, known)).collect();
        results.extend(report.infeasible.iter().map(|row| unreachable(report, row)));
        let rule = |id: &str, text: &str| json!({ "id": id, "shortDescription": { "text": text } });
        let mut run = json!({
            "tool": { "driver": {
                "name": "bothways",
                "version": report.version,
                "rules": [
                    rule(FAULT, "An input makes the program fail"),
                    rule(UNREACHABLE, "No input takes this branch"),
                ],
            } },
            "columnKind": "utf16CodeUnits",
            "results": results,
        });
        if !report.folder.is_empty() {
            run["originalUriBaseIds"] =
                json!({ ROOT: { "uri": format!("file://{}", uri(&report.folder)) } });
        }
        let log = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [run],
        });
        format!(
            "{}\n",
            serde_json::to_string_pretty(&log).expect("it has only string keys")
        )
    }
}

const FAULT: &str = "fault";
const UNREACHABLE: &str = "unreachable-branch";
const ROOT: &str = "SRCROOT";

fn fault(report: &Report, known: &Failure) -> Value {
    let cause = match known.cause.as_str() {
        "" => &known.outcome,
        cause => cause,
    };
    let text = format!("{cause}: {} ends by {}", known.test, known.outcome);
    let mut result = json!({
        "ruleId": FAULT,
        "ruleIndex": 0,
        "level": "error",
        "message": { "text": plain(&text) },
        "partialFingerprints": { "bothways/v1": known.hash },
    });
    let place = known
        .place
        .as_deref()
        .and_then(|place| place_of(place.trim_end_matches(" or after")));
    if let Some((file, line, col)) = place {
        result["locations"] =
            json!([{ "physicalLocation": physical(report, file, (line, col), None) }]);
    }
    if !known.stack.is_empty() {
        let frame =
            |name: &String| json!({ "location": { "logicalLocations": [{ "name": name }] } });
        let frames: Vec<Value> = known.stack.iter().map(frame).collect();
        result["stacks"] = json!([{ "message": { "text": "where it fails" }, "frames": frames }]);
    }
    result
}

fn unreachable(report: &Report, row: &GoalRow) -> Value {
    let (at, side) = (&row.at, &row.label.side);
    let mut text = format!("no input: {side}, {}", row.reason.name);
    if !row.reason.detail.is_empty() {
        text = format!("{text}: {}", row.reason.detail);
    }
    json!({
        "ruleId": UNREACHABLE,
        "ruleIndex": 1,
        "level": "note",
        "message": { "text": plain(&text) },
        "locations": [{ "physicalLocation": physical(report, &at.file, (at.line, at.col), Some((at.end_line, at.end_col))) }],
    })
}

fn physical(
    report: &Report,
    file: &str,
    (line, col): (u32, u32),
    end: Option<(u32, u32)>,
) -> Value {
    let shown = report.shown(file);
    let mut artifact = json!({ "uri": uri(shown) });
    if shown.starts_with('/') {
        artifact["uri"] = json!(format!("file://{}", uri(shown)));
    } else if !report.folder.is_empty() {
        artifact["uriBaseId"] = json!(ROOT);
    }
    let mut region = json!({ "startLine": line.max(1), "startColumn": col.max(1) });
    if let Some((end_line, end_col)) = end.filter(|end| *end > (line, col)) {
        region["endLine"] = json!(end_line);
        region["endColumn"] = json!(end_col.max(1));
    }
    json!({ "artifactLocation": artifact, "region": region })
}

/// `file:line` or `file:line:col` in its parts; the column is 1 where it is not known.
pub(super) fn place_of(place: &str) -> Option<(&str, u32, u32)> {
    let (rest, last) = place.rsplit_once(':')?;
    let last = last.parse().ok()?;
    match rest
        .rsplit_once(':')
        .map(|(file, line)| (file, line.parse()))
    {
        Some((file, Ok(line))) => Some((file, line, last)),
        _ => Some((rest, last, 1)),
    }
}

/// A path as a URI: everything but letters and a few signs as `%XX`.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let part = |byte: u8| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    path.bytes().map(part).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sample;

    #[test]
    fn faults_and_unreachable_branches() {
        expect![[r#"
            {
              "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
              "runs": [
                {
                  "columnKind": "utf16CodeUnits",
                  "results": [
                    {
                      "level": "error",
                      "locations": [
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "src/list.c"
                            },
                            "region": {
                              "startColumn": 9,
                              "startLine": 14
                            }
                          }
                        }
                      ],
                      "message": {
                        "text": "address: heap-buffer-overflow: test-0004.test ends by signal 11 (SIGSEGV)"
                      },
                      "partialFingerprints": {
                        "bothways/v1": "00c0ffee"
                      },
                      "ruleId": "fault",
                      "ruleIndex": 0,
                      "stacks": [
                        {
                          "frames": [
                            {
                              "location": {
                                "logicalLocations": [
                                  {
                                    "name": "insert"
                                  }
                                ]
                              }
                            },
                            {
                              "location": {
                                "logicalLocations": [
                                  {
                                    "name": "main"
                                  }
                                ]
                              }
                            }
                          ],
                          "message": {
                            "text": "where it fails"
                          }
                        }
                      ]
                    },
                    {
                      "level": "note",
                      "locations": [
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "src/list.c"
                            },
                            "region": {
                              "endColumn": 16,
                              "endLine": 18,
                              "startColumn": 11,
                              "startLine": 18
                            }
                          }
                        }
                      ],
                      "message": {
                        "text": "no input: true, search tree exhausted"
                      },
                      "ruleId": "unreachable-branch",
                      "ruleIndex": 1
                    }
                  ],
                  "tool": {
                    "driver": {
                      "name": "bothways",
                      "rules": [
                        {
                          "id": "fault",
                          "shortDescription": {
                            "text": "An input makes the program fail"
                          }
                        },
                        {
                          "id": "unreachable-branch",
                          "shortDescription": {
                            "text": "No input takes this branch"
                          }
                        }
                      ],
                      "version": "0.1.0"
                    }
                  }
                }
              ],
              "version": "2.1.0"
            }
        "#]].assert_eq(&Sarif.render(&sample::report()));
    }

    /// What the schema of SARIF 2.1.0 requires of the parts that are written.
    #[test]
    fn required_fields_are_there() {
        let mut report = sample::report();
        report.folder = "/home/a b/".to_owned();
        report.infeasible[0].at.file = "/home/a b/\u{e4}#.c".to_owned();
        report.campaign.failures[0].place = None;
        let log: Value = serde_json::from_str(&Sarif.render(&report)).expect("JSON");
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        assert!(run["tool"]["driver"]["name"].is_string());
        assert_eq!(
            run["originalUriBaseIds"][ROOT]["uri"],
            "file:///home/a%20b/"
        );
        let results = run["results"].as_array().expect("results");
        assert_eq!(results.len(), 2);
        for result in results {
            assert!(result["message"]["text"].is_string());
            let index = result["ruleIndex"].as_u64().expect("a rule") as usize;
            assert_eq!(
                run["tool"]["driver"]["rules"][index]["id"],
                result["ruleId"]
            );
        }
        let place = &results[1]["locations"][0]["physicalLocation"];
        assert_eq!(
            place["artifactLocation"],
            json!({ "uri": "%C3%A4%23.c", "uriBaseId": ROOT })
        );
        assert!(results[0]["locations"].is_null());
    }

    #[test]
    fn places_have_parts() {
        assert_eq!(place_of("a:b.c:4:2"), Some(("a:b.c", 4, 2)));
        assert_eq!(place_of("a.c:4"), Some(("a.c", 4, 1)));
        assert_eq!(place_of("a.c"), None);
    }
}
