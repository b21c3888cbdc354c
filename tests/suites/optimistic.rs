//! Sides that the path before them forbids: they are asked for by their own condition alone.

use e2e::covered;

/// Entries whose tag is looked up in a table before a `switch` over it. Behind the loop over the table each case but one is forbidden, and
/// the flips of the loop are all of one edge.
const TAGS: &str = r#"
#include "bothways.h"
int main(void) {
    unsigned char text[64];
    bw_bytes(text, sizeof text, "text");
    int size = text[0] < 16 ? text[0] : 0, named = 0, sum = 0;
    for (int i = 0; i < size; i++) {
        const unsigned char *entry = text + 1 + 3 * i;
        unsigned tag = entry[0] << 8 | entry[1];
        if (entry[2] > 12)
            continue;
        for (unsigned j = 0; j < 100; j++)
            if (tag == j * j * 6 + 7) {
                named++;
                break;
            }
        switch (tag) {
        case 7: sum += 1; break;
        case 61: sum += 2; break;
        case 607: sum += 3; break;
        case 5407: sum += 4; break;
        case 9607: sum += 5; break;
        case 15007: sum += 6; break;
        case 21607: sum += 7; break;
        case 29407: sum += 8; break;
        case 38407: sum += 9; break;
        case 48607: sum += 10; break;
        case 57631: sum += 11; break;
        case 58813: sum += 12; break;
        }
    }
    return sum + named;
}
"#;

#[test]
fn what_a_table_decided_before_is_asked_for_alone() {
    for seed in 0..3 {
        let args = format!("test a.c --iterations 100 --seed {seed} --json -q");
        let (covered, total) = covered(TAGS, &args);
        assert_eq!(covered, total, "seed {seed}");
    }
}
