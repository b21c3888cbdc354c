//! The concretisation report: where symbolism was lost, and which open goals stand behind.

use std::fs;

use e2e::{run, shown};
use serde_json::{Value, json};

/// The JSON object of a search.
fn report(source: &str) -> Value {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), source).expect("writes");
    let args = [
        "test",
        "a.c",
        "--quiet",
        "--json",
        "--strategy",
        "cgs",
        "--time",
        "120",
    ];
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    serde_json::from_slice(&output.stdout).expect("an object")
}

/// The address of the store is pinned, and with it every byte: with the pin, nobody finds the last comparison.
const TIED: &str = r#"#include <stdio.h>
static char seen[256];
int main(void) {
    int c = getchar(), d = getchar();
    if (c < 0 || d < 0)
        return 0;
    seen[(c * 7 + d) & 255] = 1;
    if (c == '*')
        return d == '#' ? 1 : 2;
    return 3;
}
"#;

/// The default looks for what pins forbid without the pins; a plain strategy does what its paper says.
#[test]
fn what_pins_forbid_is_found_without_them() {
    let covered = |strategy: &str| {
        let args = format!("test a.c --stdin 0..2 --iterations 12 -q --json -s {strategy}");
        e2e::covered(TIED, &args).0
    };
    assert_eq!(covered("mix"), 8);
    assert!(covered("bfs") < 8);
}

/// Function, line, what, reason, whether it was pinned and the open goals behind, of each place.
fn places(report: &Value) -> Vec<Value> {
    let rows = report["concretised"].as_array().expect("an array");
    rows.iter()
        .map(|row| {
            assert!(row["count"].as_u64() > Some(0), "{row}");
            json!([
                row["function"],
                row["line"],
                row["what"],
                row["reason"],
                row["pinned"],
                row["open_behind"],
            ])
        })
        .collect()
}

const PLACES: &str = r#"#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "bothways.h"

static int level(double angle) {
    if (sin(angle) > 2) /* line 7 */
        return 1;
    return 0;
}

static int never(int x) {
    if (x == 5)
        return 1;
    return 0;
}

int main(void) {
    double angle;
    int number;
    char text[32];
    bw_double(&angle, "angle");
    bw_int(&number, "number");
    int result = level(angle);
    if (result)
        result += never(number);
    snprintf(text, sizeof text, "%g", number * 2.0); /* line 27 */
    if (text[0] == 'x')
        result++;
    if (number == 7)
        result++;
    char *table = calloc(300, 100);
    result += table[(unsigned)number % 30000]; /* line 33 */
    snprintf(text, sizeof text, "%e", angle); /* line 34 */
    return result;
}
"#;

#[test]
fn places_are_those_of_the_program_with_the_goals_behind_them() {
    let report = report(PLACES);
    assert_eq!(
        places(&report),
        [
            // sin > 2 and what hangs on it, `never` included, and text[0] == 'x'.
            json!(["level", 7, "call sin", "external call", false, 5]),
            json!(["main", 27, "call snprintf", "external call", false, 1]),
            json!(["main", 33, "load", "pinned address", true, 0]),
            json!(["main", 34, "call snprintf", "external call", false, 0]),
        ],
        "{report}"
    );
}

#[test]
fn nothing_lost_is_an_empty_list() {
    let source = r#"
        #include <stdlib.h>
        #include "bothways.h"
        int main(void) {
            char text[3] = {0};
            bw_bytes(text, 2, "text");
            return atoi(text) == 42;
        }
    "#;
    assert_eq!(places(&report(source)), [] as [Value; 0]);
}
