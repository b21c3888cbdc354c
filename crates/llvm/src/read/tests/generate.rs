//! Random programs full of branches. All runs of them are short and return.

use std::fmt::Write;

/// The source of program number `seed`.
pub fn program(seed: u64) -> String {
    let mut generator = Generator {
        state: seed,
        text: String::new(),
        labels: 0,
    };
    generator.text.push_str(HEAD);
    for function in 0..3 {
        generator.function(function);
    }
    generator.text.push_str(TAIL);
    generator.text
}

const HEAD: &str = "// run: 1
// run: 2 x
// run: 7 x y
// run: 12 x y z
#include <stdio.h>
#include <stdlib.h>
#define BOTH(x, y) ((x) && (y))
#define ANY(x, y) (BOTH(x, !(y)) || (y))
#define PICK(c, x, y) ((c) ? (x) : (y))
#define WHEN(c) if (c)
#define REPEAT(c, body) do { body } while (fuel-- > 0 && (c))
#define TWICE(body) body body
static int fuel;
";

const TAIL: &str = "int main(int argc, char **argv)
{
    unsigned r = 0;
    int n = atoi(argv[1]);
    for (int i = 0; i < n; i++) {
        fuel = 50;
        r = r * 31 + f0(i, argc, n - i) + f1(argc, i * 3, i & 5) + f2(i ^ argc, n, -i);
    }
    printf(\"%u\\n\", r);
    return 0;
}
";

struct Generator {
    state: u64,
    text: String,
    labels: u32,
}

impl Generator {
    fn below(&mut self, limit: u64) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % limit
    }

    fn function(&mut self, number: u32) {
        writeln!(
            self.text,
            "static int f{number}(int a, int b, int c)\n{{\n    int r = 0;"
        )
        .unwrap();
        for _ in 0..4 {
            self.statement(4, false);
        }
        self.text
            .push_str("    goto out;\nout:\n    return r;\n}\n");
    }

    fn name(&mut self) -> &'static str {
        ["a", "b", "c", "r"][self.below(4) as usize]
    }

    fn simple(&mut self) -> String {
        let (left, right) = (self.name(), self.below(6));
        match self.below(6) {
            0 => left.to_owned(),
            1 => format!("{left} > {right}"),
            2 => format!("({left} & {right}) == 0"),
            3 => format!("{left} != {}", self.name()),
            4 => format!("!{left}"),
            _ => format!("{left} - {right} < {}", self.name()),
        }
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.simple();
        }
        let next = |generator: &mut Generator| generator.expression(depth - 1);
        match self.below(14) {
            0 | 1 => format!("({} && {})", next(self), next(self)),
            2 | 3 => format!("({} || {})", next(self), next(self)),
            4 => format!("!({})", next(self)),
            5 => format!("({} ? {} : {})", next(self), next(self), next(self)),
            6 => format!("BOTH({}, {})", next(self), next(self)),
            7 => format!("ANY({}, {})", next(self), next(self)),
            8 => format!("PICK({}, {}, {})", next(self), next(self), next(self)),
            9 => format!("({} ?: {})", next(self), next(self)),
            10 => format!("(r++, {})", next(self)),
            11 => format!("(({}) + ({}) > 1)", next(self), next(self)),
            12 => format!(
                "({} == {})",
                ["0 && a", "1 || a", "sizeof(int) == 4", "0"][self.below(4) as usize],
                next(self)
            ),
            _ => self.simple(),
        }
    }

    fn block(&mut self, depth: u32, in_loop: bool) {
        self.text.push_str("{\n");
        for _ in 0..1 + self.below(3) {
            self.statement(depth, in_loop);
        }
        self.text.push_str("}\n");
    }

    fn statement(&mut self, depth: u32, in_loop: bool) {
        if depth == 0 {
            return self.leaf(in_loop);
        }
        let nesting = self.below(3) as u32;
        let condition = self.expression(nesting);
        match self.below(11) {
            0 | 1 => {
                write!(self.text, "if ({condition}) ").unwrap();
                self.block(depth - 1, in_loop);
                if self.below(2) == 0 {
                    self.text.push_str("else ");
                    self.block(depth - 1, in_loop);
                }
            }
            2 => {
                write!(self.text, "while (fuel-- > 0 && ({condition})) ").unwrap();
                self.block(depth - 1, true);
            }
            3 => {
                self.text.push_str("do ");
                self.block(depth - 1, true);
                writeln!(self.text, "while (fuel-- > 0 && ({condition}));").unwrap();
            }
            4 => {
                let name = ["a", "b"][self.below(2) as usize];
                write!(
                    self.text,
                    "for ({name} = 0; {name} < 4 && fuel-- > 0 && ({condition}); {name}++) "
                )
                .unwrap();
                self.block(depth - 1, true);
            }
            5 | 6 => self.switch(depth, in_loop),
            7 => {
                write!(self.text, "WHEN({condition}) ").unwrap();
                self.block(depth - 1, in_loop);
            }
            8 => writeln!(self.text, "REPEAT({condition}, r++; if (a > r) b--;);").unwrap(),
            9 => writeln!(self.text, "TWICE(r += ({condition}) ? 1 : b;)").unwrap(),
            _ => writeln!(
                self.text,
                "r += ({{ int t = {condition}; if (t) c++; t; }});"
            )
            .unwrap(),
        }
    }

    fn leaf(&mut self, in_loop: bool) {
        let value = self.expression(1);
        match self.below(12) {
            0 if in_loop => self.text.push_str("break;\n"),
            1 if in_loop => self.text.push_str("continue;\n"),
            2 => writeln!(self.text, "if ({value}) return r;").unwrap(),
            3 => writeln!(self.text, "if ({value}) goto out;").unwrap(),
            4 => {
                let label = self.labels;
                self.labels += 1;
                writeln!(
                    self.text,
                    "l{label}: r++; if (fuel-- > 0 && {value}) goto l{label};"
                )
                .unwrap();
            }
            5 => writeln!(self.text, "int v{} = {value};", {
                self.labels += 1;
                self.labels
            })
            .unwrap(),
            6 => writeln!(self.text, "a = {value};").unwrap(),
            7 => writeln!(self.text, "b += c - {value};").unwrap(),
            _ => writeln!(self.text, "r += {value};").unwrap(),
        }
    }

    fn switch(&mut self, depth: u32, in_loop: bool) {
        let value = if self.below(3) == 0 {
            self.expression(1)
        } else {
            format!("{} & 15", self.name())
        };
        writeln!(self.text, "switch ({value}) {{").unwrap();
        let default = self.below(6);
        let mut next = 0;
        for label in 0..self.below(6) {
            if label == default {
                self.text.push_str("default:\n");
            }
            next += 1 + self.below(3);
            if self.below(5) == 0 {
                let last = next + [2, 3, 90][self.below(3) as usize];
                writeln!(self.text, "case {next} ... {last}:").unwrap();
                next = last;
            } else {
                writeln!(self.text, "case {next}:").unwrap();
            }
            if self.below(4) != 0 {
                self.statement(depth - 1, in_loop);
            }
            if self.below(2) == 0 {
                self.text.push_str("break;\n");
            }
        }
        self.text.push_str(";}\n");
    }
}
