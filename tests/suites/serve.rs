//! `bothways serve --mcp`: the tools, asked by the protocol's own client, and what it says to bad input.

use std::fs;
use std::future::Future;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rmcp::model::{CallToolRequestParams, CallToolResult, ClientRequest, Request};
use rmcp::service::{PeerRequestOptions, RunningService, ServiceError};
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

/// One side is infeasible, one is behind a key, one is left open by a short search.
const SOURCE: &str = r#"
#include <stdio.h>
#include <string.h>
int size(int length) {
    if (length < 0) return 0;
    if (length < -5) return 1;
    return length;
}
int main(void) {
    unsigned char text[16] = {0};
    unsigned long hash = 0xcbf29ce484222325;
    int length = fread(text, 1, sizeof text, stdin);
    if (size(length) == 3) puts("three");
    if (!memcmp(text, "MAGIC", 5)) puts("key");
    for (int i = 0; i < 16; i++) hash = (hash ^ text[i]) * 0x100000001b3;
    for (int i = 0; i < 16; i++) hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
    if (hash == 0x123456789abcdef) puts("never found");
    return 0;
}
"#;

type Client = RunningService<RoleClient, ()>;

/// Runs `body` with a client of a server in a folder with [`SOURCE`].
fn with_server<F: Future<Output = ()>>(body: impl FnOnce(Client, Child, tempfile::TempDir) -> F) {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), SOURCE).expect("written");
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut server = Command::new(e2e::bothways())
            .args(["serve", "--mcp"])
            .current_dir(dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("it starts");
        let output = server.stdout.take().expect("piped");
        let input = server.stdin.take().expect("piped");
        let client = ().serve((output, input)).await.expect("it speaks the protocol");
        body(client, server, dir).await;
    });
}

async fn ask(
    client: &Client,
    tool: &str,
    arguments: Value,
) -> Result<CallToolResult, ServiceError> {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object")
    };
    let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    client.call_tool(params).await
}

/// What a tool answers.
async fn answer(client: &Client, tool: &str, arguments: Value) -> Value {
    let result = ask(client, tool, arguments).await.expect("an answer");
    assert_ne!(result.is_error, Some(true), "{result:?}");
    result.structured_content.expect("JSON")
}

/// What a tool complains about.
async fn complaint(client: &Client, tool: &str, arguments: Value) -> String {
    match ask(client, tool, arguments.clone()).await {
        Ok(result) => {
            assert_eq!(result.is_error, Some(true), "{arguments}: {result:?}");
            serde_json::to_string(&result.content).expect("texts")
        }
        Err(ServiceError::McpError(error)) => error.message.to_string(),
        Err(error) => panic!("{arguments}: {error}"),
    }
}

#[test]
fn an_agent_makes_a_suite_and_asks_about_it() {
    with_server(|client, server, dir| async move {
        // It lives as long as this.
        let _server = server;
        let tools = client.list_all_tools().await.expect("a list");
        let mut names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        names.sort_unstable();
        assert_eq!(names, ["generate", "reach", "uncovered", "why_infeasible"]);
        for tool in &tools {
            assert!(
                tool.description
                    .as_ref()
                    .is_some_and(|text| text.len() > 40),
                "{tool:?}"
            );
        }

        let made = answer(
            &client,
            "generate",
            json!({ "inputs": ["a.c"], "stdin": 16, "seconds": 3 }),
        )
        .await;
        assert!(made["open"].as_u64() >= Some(1), "{made}");
        assert!(made["infeasible"].as_u64() >= Some(1), "{made}");
        assert!(
            dir.path()
                .join("bothways-out/tests/test-0001.test")
                .is_file()
        );
        assert_eq!(made["tests"][0]["file"], "tests/test-0001.test");

        let open = answer(
            &client,
            "uncovered",
            json!({ "file": "a.c", "function": "main" }),
        )
        .await;
        let goals = open["goals"].as_array().expect("a list");
        let never = goals.iter().find(|goal| goal["line"] == 17);
        let never = never.unwrap_or_else(|| panic!("{open}"));
        assert_eq!(
            never["source"],
            "if (hash == 0x123456789abcdef) puts(\"never found\");"
        );
        assert_eq!(never["side"], "true");
        assert_ne!(never["reason"], "", "{open}");
        let is_asked = |goal: &Value| goal["function"] == "main";
        assert!(goals.iter().all(is_asked), "{open}");
        let none = answer(&client, "uncovered", json!({ "limit": 0 })).await;
        assert_eq!(none["goals"], json!([]), "{none}");
        assert_eq!(none["left_out"], made["open"], "{none}");

        let why = answer(
            &client,
            "why_infeasible",
            json!({ "file": "a.c", "line": 6, "side": "true" }),
        )
        .await;
        let goal = &why["goals"][0];
        assert_eq!(goal["verdict"], "infeasible", "{why}");
        assert_ne!(goal["detail"], "", "{why}");
        assert_eq!(goal["certificate"]["checked"], "yes", "{why}");
        assert_eq!(goal["certificate"]["holds_for"], "all inputs", "{why}");
        let covered = answer(
            &client,
            "why_infeasible",
            json!({ "file": "a.c", "line": 14 }),
        )
        .await;
        assert_eq!(covered["goals"][0]["verdict"], "covered", "{covered}");
        assert_ne!(covered["goals"][0]["tests"], json!([]), "{covered}");

        // Of the suite's program, with the flags of its command.
        let reached = answer(
            &client,
            "reach",
            json!({ "targets": ["a.c:14:9:true"], "seconds": 10 }),
        )
        .await;
        assert_eq!(reached["targets"][0]["verdict"], "reached", "{reached}");
        assert!(dir.path().join("bothways-out-reach").is_dir());

        // The same campaign goes on.
        let more = answer(&client, "generate", json!({ "seconds": 1 })).await;
        assert!(
            more["covered"].as_u64() >= made["covered"].as_u64(),
            "{more}"
        );
        client.cancel().await.expect("it ends");
    });
}

#[test]
fn bad_input_is_answered_in_words_and_the_server_goes_on() {
    with_server(|client, server, dir| async move {
        // It lives as long as this.
        let _server = server;
        fs::write(dir.path().join("bad.c"), "int main(void) { return x; }\n").expect("written");
        fs::create_dir(dir.path().join("other")).expect("made");
        fs::write(dir.path().join("other/letter"), "Dear").expect("written");
        let made = json!({ "inputs": ["a.c"], "stdin": 16, "seconds": 1, "suite": "s" });
        answer(&client, "generate", made).await;
        for (tool, arguments, said) in [
            ("uncovered", json!({}), "bothways-out is no suite"),
            (
                "uncovered",
                json!({ "suite": "other" }),
                "other is no suite",
            ),
            (
                "uncovered",
                json!({ "sweet": "s" }),
                "unknown field `sweet`",
            ),
            (
                "uncovered",
                json!({ "suite": 3 }),
                "invalid type: integer `3`, expected a string",
            ),
            (
                "uncovered",
                json!({ "suite": "s", "file": "b.c" }),
                "no source of this suite is b.c; there are",
            ),
            (
                "uncovered",
                json!({ "suite": "s", "function": "sise" }),
                "no function of this suite is sise; there are",
            ),
            (
                "why_infeasible",
                json!({ "suite": "s", "file": "a.c" }),
                "missing field `line`",
            ),
            (
                "why_infeasible",
                json!({ "suite": "s", "file": "a.c", "line": 8 }),
                "no goal is in this line; the nearest are in",
            ),
            (
                "why_infeasible",
                json!({ "suite": "s", "file": "a.c", "line": 6, "column": 99 }),
                "leave them out",
            ),
            (
                "generate",
                json!({ "inputs": ["bad.c"] }),
                "undeclared identifier",
            ),
            ("generate", json!({ "inputs": ["c.c"] }), "c.c"),
            (
                "generate",
                json!({ "inputs": ["a.c"], "flags": ["--criterion", "brunch"] }),
                "brunch",
            ),
            (
                "generate",
                json!({ "inputs": ["a.c"], "flags": ["--out", "other"] }),
                "the server gives itself",
            ),
            (
                "generate",
                json!({ "inputs": ["a.c"], "suite": "other" }),
                "holds no suite of bothways",
            ),
            (
                "generate",
                json!({ "suite": "nowhere" }),
                "nowhere holds no campaign",
            ),
            (
                "generate",
                json!({ "inputs": ["a.c"], "seconds": 0 }),
                "`seconds` is 0",
            ),
            ("reach", json!({ "targets": [] }), "`targets` is empty"),
            (
                "reach",
                json!({ "targets": ["a.c:1000"], "suite": "s" }),
                "no line 1000",
            ),
            (
                "reach",
                json!({ "targets": ["a.c:14"], "suite": "other" }),
                "other holds no campaign",
            ),
            ("reed", json!({}), "tool not found"),
        ] {
            let words = complaint(&client, tool, arguments.clone()).await;
            assert!(words.contains(said), "{tool} {arguments}: {words}");
        }
        assert_eq!(entries(&dir.path().join("other")), ["letter"]);
        let open = answer(&client, "uncovered", json!({ "suite": "s" })).await;
        assert_eq!(open["state"], "finished");
        client.cancel().await.expect("it ends");
    });
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn a_search_ends_with_whoever_asked_for_it() {
    with_server(|client, mut server, dir| async move {
        let peer = client.peer().clone();
        tokio::spawn(async move {
            let arguments = json!({ "inputs": ["a.c"], "stdin": 16, "seconds": 300 });
            let Value::Object(arguments) = arguments else {
                return;
            };
            let params = CallToolRequestParams::new("generate").with_arguments(arguments);
            let _ = peer.call_tool(params).await;
        });
        let out = dir.path().join("bothways-out");
        while !out.join("tests").is_dir() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        // While it runs, its store answers.
        let open = answer(&client, "uncovered", json!({})).await;
        assert_eq!(open["state"], "running", "{open}");
        assert!(open["total"].as_u64() > Some(0), "{open}");
        let why = complaint(
            &client,
            "why_infeasible",
            json!({ "file": "a.c", "line": 6 }),
        )
        .await;
        assert!(why.contains("has not come to its end"), "{why}");
        let began = Instant::now();
        client.cancel().await.expect("it ends");
        let ended = tokio::time::timeout(Duration::from_secs(60), server.wait()).await;
        assert!(ended.expect("in time").expect("it ends").success());
        assert!(began.elapsed() < Duration::from_secs(60));
        // As after one Ctrl-C: judged, with a report.
        assert!(out.join("evidence.json").is_file(), "{:?}", entries(&out));
    });
}

/// A request that is cancelled ends its search, and nothing else: the server answers, and the campaign goes on when it is asked to.
#[test]
fn a_request_is_cancelled_and_the_server_goes_on() {
    with_server(|client, mut server, dir| async move {
        let arguments = json!({ "inputs": ["a.c"], "stdin": 16, "seconds": 300 });
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object")
        };
        let params = CallToolRequestParams::new("generate").with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(Request::new(params));
        let options = PeerRequestOptions::no_options();
        let asked = client.peer().send_cancellable_request(request, options);
        let asked = asked.await.expect("it is sent");
        let out = dir.path().join("bothways-out");
        while !out.join("tests").is_dir() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let began = Instant::now();
        asked
            .cancel(Some("no longer wanted".to_owned()))
            .await
            .expect("it is told");
        // As after one Ctrl-C: judged, with a report.
        loop {
            let open = answer(&client, "uncovered", json!({})).await;
            if open["state"] == "finished" {
                break;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{open}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let more = answer(&client, "generate", json!({ "seconds": 1 })).await;
        assert!(more["covered"].as_u64() > Some(0), "{more}");
        assert!(server.try_wait().expect("asked").is_none());
        client.cancel().await.expect("it ends");
    });
}
