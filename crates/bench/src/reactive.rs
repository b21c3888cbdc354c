//! Small C programs that never end, whose truth is known by going through all of their states.
//!
//! A dispatch loop over a mode, with a handler for each; flags, counters, locks and levels of two devices behind a pointer, a
//! keyword that is matched over many rounds, helpers whose codes decide, checks that can never fail. No tree of paths ends there, and
//! why a branch is dead mostly lies in an earlier round. The feasible branches are exactly those that some reachable state takes.
//!
//! Must hold: the same seed gives the same program; nothing in it is undefined; all that outlives a round is declared with `STATE`, so
//! that a driver can put it back; a round asks for few values, and no other than [`VALUES`] makes a difference.

use std::fmt::Write;

use random::Random;

/// The values that make a difference: small ones, events, and one that is none of them.
pub const VALUES: &[i32] = &[0, 1, 2, 3, 4, 5, 6, 7, 17, 42, 99, 107, 1000];

/// The states that a driver keeps at most.
pub const STATES: usize = 1 << 17;

/// A generated program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reactive {
    pub source: String,
}

impl Reactive {
    /// A `main` that takes the program, compiled with `-Dmain=program -Dexit=leave -DSTATE=…section("state")…`, through all of its
    /// states. Its exit code is 2 if there are too many.
    #[must_use]
    pub fn driver() -> String {
        let values: Vec<String> = VALUES.iter().map(i32::to_string).collect();
        format!(
            "{DRIVER_HEAD}enum {{ MOST = {STATES} }};\nstatic const int values[] = {{{}}};\n{DRIVER_TAIL}",
            values.join(", ")
        )
    }
}

const DRIVER_HEAD: &str = "#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
extern char __start_state[], __stop_state[];
void step(void);
static jmp_buf end;
void leave(int code) { longjmp(end, code + 1); }
";

const DRIVER_TAIL: &str = "
enum { COUNT = sizeof values / sizeof *values, CALLS = 8 };
static int chosen[CALLS], asked;
int __VERIFIER_nondet_int(void) {
    if (asked == CALLS) abort();
    return values[chosen[asked++]];
}

static char *states;
static unsigned table[4 * MOST];
static unsigned count;
static size_t bytes;

static void add(void) {
    unsigned long hash = 14695981039346656037u;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ (unsigned char)__start_state[i]) * 1099511628211u;
    unsigned at = (hash ^ hash >> 29) % (4 * MOST);
    while (table[at]) {
        if (!memcmp(states + (table[at] - 1) * bytes, __start_state, bytes)) return;
        at = (at + 1) % (4 * MOST);
    }
    if (count == MOST) exit(2);
    memcpy(states + count * bytes, __start_state, bytes);
    table[at] = ++count;
}

int main(void) {
    bytes = __stop_state - __start_state;
    states = malloc(bytes * MOST);
    add();
    for (unsigned now = 0; now < count; now++) {
        int most = 0;
        memset(chosen, 0, sizeof chosen);
        for (;;) {
            memcpy(__start_state, states + now * bytes, bytes);
            asked = 0;
            if (!setjmp(end)) {
                step();
                add();
            }
            most = asked - 1;
            while (most >= 0 && chosen[most] == COUNT - 1) chosen[most--] = 0;
            if (most < 0) break;
            chosen[most]++;
        }
    }
    return 0;
}
";

const HEAD: &str = "#ifndef STATE
#define STATE
#endif
int __VERIFIER_nondet_int(void);
__attribute__((noreturn)) void exit(int);

struct device { int locked, level; };
STATE static int mode, position, count, depth, code;
STATE static int flags[FLAGS];
STATE static struct device devices[2];
STATE static struct device *now = devices;

static int acquire(struct device *d) {
    if (d->locked)
        return -1;
    d->locked = 1;
    return 0;
}
static int release(struct device *d) {
    if (!d->locked)
        return -1;
    d->locked = 0;
    return 0;
}
static int raise_level(struct device *d, int to) {
    int old = d->level;
    if (to > 2)
        return -2;
    if (to > old)
        d->level = to;
    return old;
}
static void lower_level(struct device *d, int to) {
    if (d->level > 2)
        exit(9);
    if (to < d->level)
        d->level = to < 0 ? 0 : to;
}
static int push(void) {
    if (depth >= 3)
        return -1;
    depth++;
    return depth;
}
static int pop(void) {
    if (depth < 0)
        exit(8);
    if (depth == 0)
        return -1;
    return --depth;
}
static int match(int event) {
    static const char word[] = WORD;
    if (position > (int)sizeof word)
        exit(7);
    if (event == word[position]) {
        position++;
        if (!word[position]) {
            position = 0;
            return 1;
        }
        return 0;
    }
    position = 0;
    return -1;
}

";

struct Maker {
    dice: Random,
    text: String,
    modes: Vec<i64>,
    flags: u64,
}

/// Makes a program.
#[must_use]
pub fn reactive(seed: u64) -> Reactive {
    let mut dice = Random::new(seed);
    let first = [0, 0, 100, 8464][dice.below_u64(4) as usize];
    let stride = 1 + dice.below_u64(3) as i64 * 8;
    let count = 4 + dice.below_u64(5) as i64;
    let mut maker = Maker {
        flags: 2 + dice.below_u64(3),
        modes: (0..count).map(|mode| first + mode * stride).collect(),
        text: String::new(),
        dice,
    };
    let length = 3 + maker.dice.below_u64(4);
    let word: String = (0..length)
        .map(|_| ['*', 'c', 'k'][maker.dice.below_u64(3) as usize])
        .collect();
    let _ = writeln!(maker.text, "#define FLAGS {}", maker.flags);
    let _ = writeln!(maker.text, "#define WORD \"{word}\"");
    maker.text.push_str(HEAD);
    for index in 0..maker.modes.len() {
        maker.handler(index);
    }
    maker.dispatch();
    Reactive { source: maker.text }
}

impl Maker {
    fn line(&mut self, depth: u32, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(depth as usize));
    }

    fn handler(&mut self, index: usize) {
        self.line(0, &format!("static int mode{index}(int event) {{"));
        self.line(1, "int r = 0;");
        if self.dice.below_u64(2) == 0 {
            self.line(1, "int more = __VERIFIER_nondet_int() & 7;");
            self.line(1, "r = more > 3 ? more - 3 : more;");
        }
        for _ in 0..3 + self.dice.below_u64(3) {
            self.statement(1);
        }
        self.moves(index);
        self.line(1, "return r;");
        self.line(0, "}\n");
    }

    fn dispatch(&mut self) {
        self.line(0, "void step(void) {");
        self.line(1, "int event = __VERIFIER_nondet_int();");
        let first = self.modes[0];
        if first != 0 {
            self.line(1, &format!("if (mode == 0) mode = {first};"));
        }
        let by_switch = self.dice.below_u64(2) == 0;
        if by_switch {
            self.line(1, "switch (mode) {");
        }
        for (index, mode) in self.modes.clone().into_iter().enumerate() {
            if by_switch {
                self.line(1, &format!("case {mode}:"));
                self.line(2, &format!("code = mode{index}(event);"));
                self.line(2, "break;");
            } else {
                let word = if index == 0 { "if" } else { "else if" };
                self.line(1, &format!("{word} (mode == {mode})"));
                self.line(2, &format!("code = mode{index}(event);"));
            }
        }
        if by_switch {
            self.line(1, "default:");
            self.line(2, "exit(1);");
            self.line(1, "}");
        } else {
            self.line(1, "else");
            self.line(2, "exit(1);");
        }
        self.line(1, "if (code < -2)");
        self.line(2, "exit(2);");
        let condition = self.condition(1);
        self.line(1, &format!("if ({condition})"));
        self.line(2, "code = 0;");
        self.line(0, "}\n");
        self.line(0, "int main(void) {");
        self.line(1, "for (;;)");
        self.line(2, "step();");
        self.line(0, "}");
    }

    /// Where a mode leads to: to the next one as a rule, so that most of the program is alive.
    fn moves(&mut self, index: usize) {
        let some = (self.modes.len() * 3).div_ceil(4);
        let event = self.event();
        let next = self.modes[(index + 1) % some];
        let also = match self.dice.below_u64(3) {
            0 => format!(" && {}", self.condition(0)),
            _ => String::new(),
        };
        self.line(1, &format!("if (event == {event}{also})"));
        self.line(2, &format!("mode = {next};"));
        if self.dice.below_u64(2) == 0 {
            let (event, other) = (self.event(), self.next_mode());
            self.line(1, &format!("else if (event == {event})"));
            self.line(2, &format!("mode = {other};"));
        }
    }

    fn event(&mut self) -> i32 {
        VALUES[1 + self.dice.below_u64(VALUES.len() as u64 - 2) as usize]
    }

    /// A mode that may come next; some of them are never.
    fn next_mode(&mut self) -> i64 {
        let some = (self.modes.len() * 3).div_ceil(4);
        self.modes[self.dice.below_u64(some as u64) as usize]
    }

    fn device(&mut self) -> &'static str {
        ["now", "&devices[0]", "&devices[1]", "now"][self.dice.below_u64(4) as usize]
    }

    fn flag(&mut self) -> u64 {
        self.dice.below_u64(self.flags)
    }

    fn statement(&mut self, depth: u32) {
        let kinds = if depth >= 4 { 11 } else { 18 };
        let (flag, device) = (self.flag(), self.device());
        let text = match self.dice.below_u64(kinds) {
            0 if depth > 2 => format!("mode = {};", self.next_mode()),
            0..=3 => format!("flags[{flag}] = {};", self.dice.below_u64(2)),
            4 => "count = count < 5 ? count + 1 : 0;".to_owned(),
            5 => format!("r = acquire({device});"),
            6 => format!("r = release({device});"),
            7 => format!("r = raise_level({device}, {});", self.dice.below_u64(4)),
            8 => format!("lower_level({device}, r);"),
            9 => ["r = push();", "r = pop();", "r = match(event);"]
                [self.dice.below_u64(3) as usize]
                .to_owned(),
            10 => [
                "now = &devices[event & 1];",
                "now = devices;",
                "now = devices + (r > 0);",
            ][self.dice.below_u64(3) as usize]
                .to_owned(),
            11 => {
                let (a, b) = (self.condition(1), self.condition(0));
                format!("if ({a} && {b}) exit(3);")
            }
            _ => {
                let condition = self.condition(2);
                self.line(depth, &format!("if ({condition}) {{"));
                for _ in 0..=self.dice.below_u64(2) {
                    self.statement(depth + 1);
                }
                if self.dice.below_u64(2) == 0 {
                    self.line(depth, "} else {");
                    for _ in 0..=self.dice.below_u64(2) {
                        self.statement(depth + 1);
                    }
                }
                "}".to_owned()
            }
        };
        self.line(depth, &text);
    }

    fn condition(&mut self, depth: u32) -> String {
        let (flag, device) = (self.flag(), self.device());
        let value = self.event();
        let small = self.dice.below_u64(5);
        match self.dice.below_u64(if depth == 0 { 11 } else { 14 }) {
            0 => format!("flags[{flag}]"),
            1 => format!("!flags[{flag}]"),
            2 | 3 => format!("event == {value}"),
            4 => format!("count > {small}"),
            5 => format!("({device})->locked"),
            6 => format!("({device})->level == {}", small % 4),
            7 => "now == &devices[1]".to_owned(),
            8 => format!("depth > {}", small % 4),
            9 => format!("position == {small}"),
            10 => ["code < 0", "code == 2", "code == -2", "code > 3"]
                [self.dice.below_u64(4) as usize]
                .to_owned(),
            11 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                format!("({a} && {b})")
            }
            12 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                format!("({a} || {b})")
            }
            _ => format!("!({})", self.condition(depth - 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_program() {
        for seed in 0..50 {
            let made = reactive(seed);
            assert_eq!(reactive(seed), made);
            assert!(made.source.contains("for (;;)"));
        }
        assert_ne!(reactive(0), reactive(1));
    }
}
