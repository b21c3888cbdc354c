//! Functions of the program's own with names of the C library, in another module than their callers.

use std::fs;

use e2e::{run, shown};
use serde_json::{Value, json};

const MAIN: &str = r#"
    #include "bothways.h"
    int error(int level);
    char *basename(const char *path);
    int index(int column);
    int printf(const char *format, ...);
    int main(void) {
        int level;
        char text[3] = {0};
        bw_int(&level, "level");
        bw_bytes(text, 2, "text");
        if (error(level)) /* harmless by name */
            return 1;
        if (*basename(text) == 'q') /* a model by name */
            return 2;
        if (index(level) == 12) /* a wrapper by name */
            return 3;
        if (printf("%d", level) == 42) /* output by name */
            return 4;
        return 0;
    }
"#;

const OWN: &str = r#"
    #include <stdarg.h>
    int error(int level) { return level == 77; }
    char *basename(const char *path) { return (char *)path + 1; }
    int index(int column) { return column * 2; }
    int printf(const char *format, ...) {
        va_list list;
        va_start(list, format);
        int level = va_arg(list, int);
        va_end(list);
        return level + 1;
    }
"#;

#[test]
fn they_come_before_wrappers_and_models() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("main.c"), MAIN).expect("writes");
    fs::write(dir.path().join("own.c"), OWN).expect("writes");
    for order in [["main.c", "own.c"], ["own.c", "main.c"]] {
        let args = [&["test", "--quiet", "--json", "--time", "120"], &order[..]].concat();
        let output = run(dir.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        let report: Value = serde_json::from_slice(&output.stdout).expect("an object");
        assert_eq!(report["goals"]["open"], 0, "{report}");
        assert_eq!(
            report["goals"]["covered"], report["goals"]["total"],
            "{report}"
        );
        assert_eq!(report["judge"]["differences"], json!([]), "{report}");
    }
}
