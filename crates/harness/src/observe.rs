//! Observation: the part of a harness that says what a function was given and what it left, and the reader of what it says.
//!
//! It speaks only on the judge's build, where `runtime/replay/observe.c` is linked in and the variable `BOTHWAYS_SEEN` names a file. One line
//! for each leaf before the call and after it: `@bothways PHASE LEAF VALUE`, and `@bothways end` when the call has returned.
//! What the function prints stays apart, and its descriptors are those that it has in the search.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::leaf::{Kind, Leaf};
use crate::plan::Plan;

/// Environment variable that makes the judge's build speak, and names the file.
pub const VARIABLE: &str = "BOTHWAYS_SEEN";

/// The section says to the instrumentation that nothing calls these functions in a search.
const DECLARATIONS: &str = "
#define BW_JUDGES BW_QUIET __attribute__((section(\".text.bothways.judge\")))
extern int bw_sees __attribute__((weak));
void bw_see_signed(int, int, long long) __attribute__((weak));
void bw_see_unsigned(int, int, unsigned long long) __attribute__((weak));
void bw_see_float(int, int, double) __attribute__((weak));
void bw_see_double(int, int, double) __attribute__((weak));
void bw_see_pointer(int, int, int, long long) __attribute__((weak));
void bw_see_bytes(int, int, const void *, unsigned long) __attribute__((weak));
unsigned long bw_length(const char *) __attribute__((weak));
void bw_see_end(void) __attribute__((weak));
";

/// The function `bw_observe` of the harness.
pub(crate) fn text(plan: &Plan, leaves: &[Leaf]) -> String {
    let mut text = DECLARATIONS.to_owned();
    text.push_str(
        "\nstatic BW_JUDGES void bw_pointer(int phase, int leaf, const void *pointer) {\n  \
         const char *at = (const char *)pointer;\n  \
         if (!at) { bw_see_pointer(phase, leaf, -1, 0); return; }\n",
    );
    for (id, object) in plan.objects() {
        let size = format!(
            "({} * {} + {})",
            object.element,
            object.count + 1,
            object.spare
        );
        let _ = writeln!(
            text,
            "  if ({id} && at >= (const char *){id} && at < (const char *){id} + {size}) {{ \
             bw_see_pointer(phase, leaf, {}, at - (const char *){id}); return; }}",
            id.index()
        );
    }
    text.push_str("  bw_see_pointer(phase, leaf, -2, 0);\n}\n\n");
    text.push_str("static BW_JUDGES void bw_observe(int phase) {\n");
    for (index, leaf) in leaves.iter().enumerate().filter(|(_, leaf)| !leaf.result) {
        see(&mut text, index, leaf, "phase");
    }
    text.push_str("}\n\n");
    text
}

/// What follows the call in `main`.
pub(crate) fn after_call(leaves: &[Leaf]) -> String {
    let mut text = String::from("  if (&bw_sees && bw_sees) {\n    bw_observe(1);\n");
    for (index, leaf) in leaves.iter().enumerate().filter(|(_, leaf)| leaf.result) {
        see(&mut text, index, leaf, "1");
    }
    text.push_str("    bw_see_end();\n  }\n");
    text
}

/// What stands before the call in `main`.
pub(crate) const BEFORE_CALL: &str = "  if (&bw_sees && bw_sees) bw_observe(0);\n";

fn see(text: &mut String, index: usize, leaf: &Leaf, phase: &str) {
    let object = leaf.object.map(|id| id.to_string());
    let place = leaf.place(object.as_deref().unwrap_or(""));
    let call = match leaf.kind {
        Kind::Signed => format!("bw_see_signed({phase}, {index}, (long long)({place}))"),
        Kind::Unsigned => {
            format!("bw_see_unsigned({phase}, {index}, (unsigned long long)({place}))")
        }
        Kind::Float => format!("bw_see_float({phase}, {index}, (double)({place}))"),
        Kind::Double => format!("bw_see_double({phase}, {index}, (double)({place}))"),
        Kind::Pointer => format!("bw_pointer({phase}, {index}, (const void *)({place}))"),
        Kind::Bytes(count) => {
            format!("bw_see_bytes({phase}, {index}, (const void *)({place}), {count})")
        }
        Kind::Text => {
            format!("if ({place}) bw_see_bytes({phase}, {index}, {place}, bw_length({place}))")
        }
    };
    let guard = object.map_or_else(String::new, |object| format!("if ({object}) "));
    let _ = writeln!(text, "  {guard}{call};");
}

/// What a test was seen to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// By leaf.
    pub before: BTreeMap<usize, String>,
    pub after: BTreeMap<usize, String>,
    /// The function returned.
    pub ended: bool,
}

impl Seen {
    /// Reads what a test wrote.
    #[must_use]
    pub fn parse(written: &[u8]) -> Seen {
        let mut seen = Seen::default();
        for line in String::from_utf8_lossy(written).lines() {
            let Some(rest) = line.strip_prefix("@bothways ") else {
                continue;
            };
            if rest == "end" {
                seen.ended = true;
                continue;
            }
            let mut words = rest.splitn(3, ' ');
            let (phase, leaf) = (words.next(), words.next());
            let (Some(phase), Some(Ok(leaf))) = (phase, leaf.map(str::parse)) else {
                continue;
            };
            let value = words.next().unwrap_or_default().to_owned();
            match phase {
                "0" => seen.before.insert(leaf, value),
                _ => seen.after.insert(leaf, value),
            };
        }
        seen
    }
}
