//! C programs that never end, of the kinds that papers on bidirectional analysis look at: dispatchers of drivers, both sides of a
//! handshake, an interpreter of keywords.
//!
//! Which branches are infeasible is known by construction: they are marked `/* never true */` or `/* never reached */`, and every other side
//! is taken on some input. Why one is infeasible always lies in an earlier round of the endless loop, in another function, or both.
//!
//! Must hold: the same kind, size and seed give the same program; nothing in it is undefined.

use std::fmt::Write;

use random::Random;

/// A kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Requests with locks, and levels that are raised and lowered.
    Driver,
    /// The side of a handshake that begins.
    Client,
    /// The other one: it may be asked to begin anew.
    Server,
    /// Keywords in the order in which they must come.
    Keywords,
}

impl Kind {
    /// Every kind, by the name that a user types.
    pub const ALL: &'static [(&'static str, Kind)] = &[
        ("driver", Kind::Driver),
        ("client", Kind::Client),
        ("server", Kind::Server),
        ("keywords", Kind::Keywords),
    ];
}

/// How a side is marked that no input takes.
pub const NEVER: &str = "/* never true */";

const HEAD: &str = "int __VERIFIER_nondet_int(void);
__attribute__((noreturn)) void exit(int);
";

/// Makes a program; `size`: requests, states or keywords.
#[must_use]
pub fn of_kind(kind: Kind, size: u64, seed: u64) -> String {
    let mut maker = Maker {
        dice: Random::new(seed),
        text: HEAD.to_owned(),
        size,
    };
    match kind {
        Kind::Driver => maker.driver(),
        Kind::Client => maker.handshake(false),
        Kind::Server => maker.handshake(true),
        Kind::Keywords => maker.keywords(),
    }
    maker.text
}

struct Maker {
    dice: Random,
    text: String,
    size: u64,
}

const DRIVER: &str = "
static int started, removed, irql, pending;
static int held[LOCKS];

static void acquire(int lock) {
    if (held[lock]) /* never true */
        exit(3);
    held[lock] = 1;
}
static void release(int lock) {
    if (!held[lock]) /* never true */
        exit(4);
    held[lock] = 0;
}
static int raise_level(int to) {
    int old = irql;
    if (to < old) /* never true */
        exit(5);
    irql = to;
    return old;
}
static void lower_level(int to) {
    if (to > irql) /* never true */
        exit(6);
    irql = to;
}
static int complete(int status) {
    if (status == 259) {
        if (pending < 3)
            pending++;
        else
            return -2;
    } else if (pending > 0)
        pending--;
    if (pending < 0) /* never true */
        exit(7);
    return status;
}
";

impl Maker {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }

    fn below(&mut self, end: u64) -> u64 {
        self.dice.below_u64(end)
    }

    fn driver(&mut self) {
        let locks = 2 + self.below(2);
        self.line(&format!("#define LOCKS {locks}"));
        self.text.push_str(DRIVER);
        for request in 0..self.size {
            let lock = self.below(locks);
            let other = (lock + 1) % locks;
            let level = 1 + self.below(2);
            let code = 3 + self.below(90);
            self.line(&format!("static int request{request}(int code) {{"));
            self.line("    int status = 0;");
            self.line("    if (irql) /* never true */\n        exit(10);");
            self.line(&format!("    acquire({lock});"));
            self.line(&format!("    int old = raise_level({level});"));
            self.line("    if (old != 0) /* never true */\n        exit(11);");
            // Each of them is there.
            let part = if request < 4 { request } else { self.below(4) };
            match part {
                0 => {
                    self.line("    if (!started) {\n        started = code > 0;\n        status = 1;\n    }");
                }
                1 => self.line(&format!(
                    "    if (!started)\n        status = -1;\n    else if (code == {code})\n        status = 259;"
                )),
                2 => self.line(&format!(
                    "    if (started && code == {code}) {{\n        removed = 1;\n        started = 0;\n    }} else if (removed && code < 0) {{\n        removed = 0;\n        status = 2;\n    }}"
                )),
                _ => self.line(&format!(
                    "    if (code == {code})\n        status = removed ? -1 : 259;"
                )),
            }
            self.line(
                "    if (started && removed && status == -7) /* never true */\n        exit(12);",
            );
            if self.below(2) == 0 {
                self.line(&format!("    acquire({other});"));
                self.line("    if (code > 50)\n        status = -1;");
                self.line(&format!("    release({other});"));
            }
            self.line("    lower_level(old);");
            self.line(&format!("    release({lock});"));
            self.line(&format!(
                "    if (held[{lock}]) /* never true */\n        exit(13);"
            ));
            self.line("    status = complete(status);");
            self.line("    if (status < -2) /* never true */\n        exit(14);");
            self.line("    return status;\n}\n");
        }
        self.line("int main(void) {\n    int last = 0;\n    for (;;) {");
        self.line("        int request = __VERIFIER_nondet_int();");
        self.line("        int code = __VERIFIER_nondet_int();");
        self.line("        switch (request) {");
        for request in 0..self.size {
            self.line(&format!(
                "        case {request}:\n            last = request{request}(code);\n            break;"
            ));
        }
        // One that nobody handles needs something that was started.
        self.line("        default:\n            last = started ? -1 : 0;\n        }");
        self.line("        if (irql) /* never true */\n            exit(20);");
        for lock in 0..locks {
            self.line(&format!(
                "        if (held[{lock}]) /* never true */\n            exit(21);"
            ));
        }
        self.line(
            "        if (last == 259 && pending == 0) /* never true */\n            exit(22);",
        );
        self.line("    }\n}");
    }

    fn handshake(&mut self, anew: bool) {
        let count = self.size;
        let first = 8448 + 16 * self.below(8);
        let stride = 16;
        let state = |index: u64| first + stride * index;
        let events: Vec<u64> = (0..count).map(|_| 1 + self.below(200)).collect();
        self.line(&format!(
            "static int state = {first}, errors, rounds, done;\nstatic int have[{count}];\n"
        ));
        self.line("static void fail(void) {\n    if (errors < 5)\n        errors++;\n}");
        self.line("static int seen(int from, int to) {");
        self.line("    for (int i = from; i < to; i++)\n        if (!have[i]) /* never true */\n            return 0;\n    return 1;\n}");
        for index in 0..count {
            let before = self.below(index.max(1));
            self.line(&format!("static void at{index}(int message) {{"));
            if index > 0 {
                self.line(&format!(
                    "    if (!have[{before}]) /* never true */\n        exit(1);"
                ));
                self.line(&format!(
                    "    if (!seen({}, {index})) /* never true */\n        exit(2);",
                    index.saturating_sub(2)
                ));
            }
            self.line(&format!(
                "    if (have[{index}]) /* never true */\n        exit(3);"
            ));
            self.line(&format!(
                "    if (message == {}) {{",
                events[index as usize]
            ));
            self.line(&format!("        have[{index}] = 1;"));
            match index + 1 < count {
                true => self.line(&format!("        state = {};", state(index + 1))),
                false => self.line("        done = 1;\n        state = 3;"),
            }
            if anew && index > 1 {
                self.line("    } else if (message == 0) {");
                self.line(&format!(
                    "        for (int i = 0; i < {count}; i++)\n            have[i] = 0;\n        state = {first};\n        if (rounds < 2)\n            rounds++;"
                ));
            }
            self.line("    } else\n        fail();\n}");
        }
        self.line(
            "int main(void) {\n    for (;;) {\n        int message = __VERIFIER_nondet_int();",
        );
        self.line("        if (done && state != 3) /* never true */\n            exit(4);");
        self.line("        switch (state) {");
        for index in 0..count {
            self.line(&format!(
                "        case {}:\n            at{index}(message);\n            break;",
                state(index)
            ));
        }
        self.line(&format!(
            "        case 3:\n            if (!have[{}]) /* never true */\n                exit(5);",
            count - 1
        ));
        self.line("            if (message == 1)\n                exit(0);\n            break;");
        self.line("        default: /* never reached */\n            exit(6);\n        }");
        self.line("        if (errors > 5) /* never true */\n            exit(7);");
        self.line("    }\n}");
    }

    fn keywords(&mut self) {
        let mut words: Vec<String> = Vec::new();
        while (words.len() as u64) < self.size {
            let length = 3 + self.below(4);
            let word: String = (0..length)
                .map(|_| char::from(b'A' + self.below(26) as u8))
                .collect();
            if !words.contains(&word) {
                words.push(word);
            }
        }
        self.line("int strcmp(const char *, const char *);");
        let most = words.len().max(64);
        self.line(&format!(
            "enum {{ LENGTH = 8 }};\nstatic int line, errors, last;\nstatic int known[{most}];\n"
        ));
        self.line("static int is_letter(int c) {\n    return c >= 'A' && c <= 'Z';\n}");
        self.line("static int keyword(const char *wanted) {\n    char word[LENGTH + 1];\n    int i = 0;\n    int c = __VERIFIER_nondet_int();");
        self.line("    while (is_letter(c) && i < LENGTH) {\n        word[i] = c;\n        i = i + 1;\n        c = __VERIFIER_nondet_int();\n    }");
        self.line("    if (i > LENGTH) /* never true */\n        exit(1);\n    word[i] = 0;");
        self.line("    if (strcmp(wanted, word) == 0) {\n        last = i;\n        return 0;\n    }\n    return 1;\n}\n");
        for (index, word) in words.iter().enumerate() {
            self.line(&format!("static int rule{index}(void) {{"));
            if index > 0 {
                self.line(&format!(
                    "    if (!known[{}]) /* never true */\n        exit(2);",
                    index - 1
                ));
            }
            self.line(&format!(
                "    if (keyword(\"{word}\")) {{\n        if (errors < 3)\n            errors++;\n        return 1;\n    }}"
            ));
            self.line("    if (last > LENGTH) /* never true */\n        exit(3);");
            self.line(&format!("    known[{index}] = 1;\n    return 0;\n}}"));
        }
        self.line(
            "int main(void) {\n    for (;;) {\n        int failed = 0;\n        switch (line) {",
        );
        for index in 0..words.len() {
            self.line(&format!(
                "        case {index}:\n            failed = rule{index}();\n            break;"
            ));
        }
        self.line(&format!(
            "        case {}:\n            exit(0);\n        default: /* never reached */\n            exit(4);\n        }}",
            words.len()
        ));
        self.line("        if (failed == 0)\n            line++;\n        else if (failed != 1) /* never true */\n            exit(5);");
        self.line("    }\n}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_and_a_seed_are_a_program() {
        for (name, kind) in Kind::ALL {
            let made = of_kind(*kind, 6, 3);
            assert_eq!(of_kind(*kind, 6, 3), made, "{name}");
            assert_ne!(of_kind(*kind, 6, 4), made, "{name}");
            assert!(made.contains(NEVER) && made.contains("for (;;)"), "{name}");
        }
    }
}
