//! Several searches at once, which share what they find.

use std::fs;

use e2e::{run, shown};
use serde_json::Value;

/// The JSON object of a search with this many jobs.
fn report(source: &str, jobs: &str, args: &[&str]) -> Value {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), source).expect("writes");
    let first = ["test", "a.c", "--quiet", "--json", "--jobs", jobs];
    let output = run(dir.path(), &[&first[..], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    serde_json::from_slice(&output.stdout).expect("an object")
}

const WORD: &str = r#"
    #include "bothways.h"
    int main(void) {
        unsigned char word[6];
        unsigned hits = 0;
        bw_bytes(word, 6, "word");
        for (int i = 0; i < 6; i++)
            if (word[i] == "bother"[i])
                hits++;
        if (hits > 6)
            return 2;
        return hits == 6 ? 1 : 0;
    }
"#;

#[test]
fn a_proof_is_a_proof_whoever_finds_it() {
    for jobs in ["1", "2", "4"] {
        let report = report(WORD, jobs, &[]);
        assert_eq!(report["stopped_by"], "exhausted", "{report}");
        assert_eq!(report["goals"]["infeasible"], 1, "{report}");
        assert_eq!(report["goals"]["open"], 0, "{report}");
        assert_eq!(report["judge"]["differences"], serde_json::json!([]));
    }
}

#[test]
fn a_limit_on_runs_is_for_all_jobs_together() {
    let report = report(WORD, "2", &["--iterations", "20"]);
    let iterations = report["iterations"].as_u64().expect("a number");
    // Each job may have one run more under way.
    assert!((20..=24).contains(&iterations), "{report}");
    assert_eq!(report["stopped_by"], "iterations", "{report}");
}
