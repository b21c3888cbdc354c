//! Small C programs with few bits of input, whose truth is known by running all of them.
//!
//! Arithmetic, signed and narrow too, arrays, structs, pointers, loops, calls (direct, by pointer, recursive, with variable
//! arguments, with structs by value that the callee overwrites), globals, a state that rounds of calls move on, `switch`, stores through
//! symbolic indices and pointers, loops without a condition, and runs that end in the middle of anything. What a search says of such a
//! program can be held against every input that there is.
//!
//! Must hold: the same seed gives the same program; it ends for each input, whatever the optimisation, and nothing in it is
//! undefined; its inputs are `unsigned char`s from `__VERIFIER_nondet_uchar`, asked for in order, of which only the low bits
//! that [`FewBits::widths`] names matter; all that outlives a call of `main` is declared with `STATE`, so that a driver can
//! put it back.

use std::fmt::Write;

use random::Random;

/// A generated program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FewBits {
    pub source: String,
    /// Bits of each input, in the order in which the program asks.
    pub widths: Vec<u32>,
}

impl FewBits {
    /// Bits of all inputs together.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.widths.iter().sum()
    }

    /// A `main` that calls the program, compiled with `-Dmain=program -Dexit=leave
    /// -DSTATE=…section("state")…`, for each of its inputs.
    #[must_use]
    pub fn driver(&self) -> String {
        let widths: Vec<String> = self.widths.iter().map(u32::to_string).collect();
        format!(
            "{DRIVER_HEAD}static const unsigned width[] = {{{}}};\n{DRIVER_TAIL}",
            widths.join(", ")
        )
    }
}

const DRIVER_HEAD: &str = "#include <setjmp.h>
#include <string.h>
extern char __start_state[], __stop_state[];
static char saved[1 << 16];
static unsigned input, next;
int program(void);
static jmp_buf end;
void leave(int code) { longjmp(end, code + 1); }
";

const DRIVER_TAIL: &str = "
unsigned char __VERIFIER_nondet_uchar(void) {
    unsigned shift = 0;
    for (unsigned i = 0; i < next; i++) shift += width[i];
    return input >> shift & ((1u << width[next++]) - 1);
}

int main(void) {
    unsigned long bytes = __stop_state - __start_state;
    unsigned bits = 0;
    for (unsigned i = 0; i < sizeof width / sizeof *width; i++) bits += width[i];
    memcpy(saved, __start_state, bytes);
    for (input = 0; input < 1u << bits; input++) {
        next = 0;
        memcpy(__start_state, saved, bytes);
        if (!setjmp(end)) program();
    }
    return 0;
}
";

const HEAD: &str = "#ifndef STATE
#define STATE
#endif
unsigned char __VERIFIER_nondet_uchar(void);
void *memset(void *, int, unsigned long);
void *memcpy(void *, const void *, unsigned long);
__attribute__((noreturn)) void exit(int);

struct node { unsigned a; short b; unsigned char c[4]; struct node *next; };
struct pair { unsigned a, b; };
STATE static unsigned g0 = 5, g1, g2 = 9;
STATE static unsigned char bytes[8] = {3, 1, 4, 1, 5, 9, 2, 6};
STATE static unsigned words[8] = {2, 7, 1, 8};
STATE static struct node nodes[4] = {{1, 2, {3}, nodes + 1}, {4, 5, {6}, nodes + 2}, {7, 8, {9}, nodes}, {0, 1, {2}, nodes}};

STATE static unsigned mode, armed;
static unsigned by_value(struct node n, unsigned p) {
    unsigned value = n.a + n.c[p & 3] + (unsigned)n.b;
    n.a = 3;
    n.c[p & 3]++;
    n.next = 0;
    return value;
}
static unsigned down(unsigned n, unsigned a) {
    if (n == 0) return a;
    if (a == 77 && n > 8) exit(4);
    return down(n - 1, a + n) + (a == 3 ? n : 0);
}
static unsigned move_on(unsigned event) {
    switch (mode) {
    case 0:
        if (event == 1) mode = 2, armed = 1;
        else if (event == 2) mode = 5;
        return 0;
    case 2:
        if (!armed) return 7;
        if (event > 2) mode = 3, armed = 0;
        break;
    case 3:
        if (armed) exit(3);
        if (event == 0) exit(2);
        mode = event == 1 ? 0 : 5;
        break;
    case 4:
        armed = 2;
        break;
    case 5:
        if (armed == 2) return 9;
        while (event > 1) {
            if (armed) exit(5);
            event--;
        }
        mode = 0;
    }
    return mode == 1 ? event : mode;
}
static struct pair swapped(unsigned a, unsigned b) { struct pair p = {b, a}; return p; }
static unsigned last_of(int n, ...) {
    __builtin_va_list list;
    unsigned value = 0;
    __builtin_va_start(list, n);
    while (n--) value = __builtin_va_arg(list, unsigned);
    __builtin_va_end(list);
    return value;
}

";

const LOCALS: usize = 4;
/// Functions besides `main`.
const FUNCTIONS: u64 = 3;
/// Nested loops, and statements inside one another.
const LOOPS: u32 = 2;
const DEPTH: u32 = 3;

struct Maker {
    dice: Random,
    text: String,
    /// Functions that may be called from here.
    callable: u64,
    loops: u32,
    /// Loop counters have names of their own.
    counters: u32,
}

/// Makes a program with at least `least` and at most `most` bits of input.
///
/// # Panics
/// When `least` is 0, or above `most`.
#[must_use]
pub fn few_bits(seed: u64, least: u32, most: u32) -> FewBits {
    let mut maker = Maker {
        dice: Random::new(seed),
        text: HEAD.to_owned(),
        callable: 0,
        loops: 0,
        counters: 0,
    };
    let mut left = least + maker.dice.below_u64(u64::from(most - least + 1)) as u32;
    let mut widths = Vec::new();
    while left > 0 {
        let width = (1 + maker.dice.below_u64(5) as u32).min(left);
        widths.push(width);
        left -= width;
    }
    for function in 0..FUNCTIONS {
        maker.function(function);
    }
    maker.main(&widths);
    FewBits {
        source: maker.text,
        widths,
    }
}

impl Maker {
    fn line(&mut self, depth: u32, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(depth as usize));
    }

    fn function(&mut self, number: u64) {
        self.line(
            0,
            &format!("static unsigned f{number}(unsigned v0, unsigned v1) {{"),
        );
        self.line(
            1,
            "unsigned v2 = v0 ^ v1, v3 = 0, room[4] = {0, v0, 0, v1}, *p = &words[v0 & 7], *q = &g1;",
        );
        let statements = 3 + self.dice.below_u64(3);
        self.callable = number;
        for _ in 0..statements {
            self.statement(1);
        }
        let result = self.expression(2);
        self.line(1, &format!("return {result} + room[v3 & 3];"));
        self.line(0, "}\n");
        self.callable = number + 1;
    }

    fn main(&mut self, widths: &[u32]) {
        self.line(
            0,
            "static unsigned (*const table[2])(unsigned, unsigned) = {f0, f1};\n",
        );
        self.line(0, "int main(void) {");
        for (input, width) in widths.iter().enumerate() {
            let mask = (1_u32 << width) - 1;
            self.line(
                1,
                &format!("unsigned x{input} = __VERIFIER_nondet_uchar() & {mask};"),
            );
        }
        let input = |index: usize| format!("x{}", index % widths.len());
        self.line(
            1,
            &format!(
                "unsigned v0 = {}, v1 = {}, v2 = {}, v3 = {}, room[4] = {{0}}, *p = words, *q = &g0;",
                input(0),
                input(1),
                input(2),
                input(3)
            ),
        );
        for index in 4..widths.len() {
            self.line(1, &format!("g{} = {};", index % 3, input(index)));
        }
        for function in 0..FUNCTIONS {
            let (a, b) = (self.dice.below_u64(4), self.dice.below_u64(4));
            self.line(1, &format!("v{a} = f{function}(v{a}, v{b});"));
            self.statement(1);
        }
        let (index, a) = (self.expression(1), self.expression(1));
        self.line(1, &format!("v0 += table[{index} & 1]({a}, v1);"));
        self.line(1, "if ((v0 & 7) == 3 && room[1] < 2) g1++;");
        self.line(1, "return (v0 + *p + *q + room[v2 & 3] + v3) & 1;");
        self.line(0, "}");
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..=self.dice.below_u64(2) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        let kinds = if depth >= DEPTH { 12 } else { 19 };
        match self.dice.below_u64(kinds) {
            0..=2 => {
                let (to, value) = (self.place(), self.expression(2));
                self.line(depth, &format!("{to} = {value};"));
            }
            3 | 4 => {
                let (to, value) = (self.element(), self.expression(1));
                self.line(depth, &format!("{to} = {value};"));
            }
            5 => {
                let (index, condition) = (self.expression(1), self.condition(1));
                let pointer = ["p", "q"][self.dice.below_u64(2) as usize];
                self.line(
                    depth,
                    &format!("{pointer} = {condition} ? &words[{index} & 7] : &room[{index} & 3];"),
                );
            }
            6 => {
                let (pointer, value) = (
                    ["p", "q"][self.dice.below_u64(2) as usize],
                    self.expression(1),
                );
                self.line(depth, &format!("*{pointer} += {value};"));
            }
            7 => self.memory(depth),
            8 => {
                let (a, b) = (self.expression(1), self.expression(1));
                self.line(depth, &format!("nodes[{a} & 3].next = &nodes[{b} & 3];"));
            }
            9 => {
                let (a, b) = (self.expression(1), self.expression(1));
                let field = ["a", "b"][self.dice.below_u64(2) as usize];
                self.line(depth, &format!("v3 = swapped({a}, {b}).{field};"));
            }
            10 => {
                let (to, event) = (self.place(), self.expression(1));
                self.line(depth, &format!("{to} += move_on({event} & 3);"));
            }
            11 if self.dice.below_u64(3) == 0 => {
                let condition = self.condition(1);
                self.line(depth, &format!("if ({condition}) exit({depth});"));
            }
            11 => {
                let (to, value) = (self.element(), self.narrow());
                self.line(depth, &format!("{to} = {value};"));
            }
            12..=14 => self.branch(depth),
            15 => self.switch(depth),
            16 if self.loops < LOOPS => self.endless(depth),
            _ if self.loops < LOOPS => self.counted(depth),
            _ => self.branch(depth),
        }
    }

    /// Whole blocks at places that inputs decide.
    fn memory(&mut self, depth: u32) {
        let (at, value) = (self.expression(1), self.expression(1));
        let text = match self.dice.below_u64(3) {
            0 => format!("memset(bytes + ({at} & 3), {value}, 2);"),
            1 => format!("memcpy(bytes + ({at} & 1), bytes + 4, {value} & 3);"),
            _ => format!("((unsigned char *)words)[{at} & 31] = {value};"),
        };
        self.line(depth, &text);
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition(2);
        self.line(depth, &format!("if ({condition}) {{"));
        self.block(depth + 1);
        if self.dice.below_u64(2) == 0 {
            self.line(depth, "} else {");
            self.block(depth + 1);
        }
        self.line(depth, "}");
    }

    fn switch(&mut self, depth: u32) {
        let value = self.expression(2);
        self.line(depth, &format!("switch ({value} & 7) {{"));
        let first = self.dice.below_u64(4);
        for case in 0..3 {
            self.line(depth, &format!("case {}:", first + case * 2));
            self.block(depth + 1);
            if self.dice.below_u64(3) > 0 {
                self.line(depth + 1, "break;");
            }
        }
        self.line(depth, "default:");
        self.line(depth + 1, "v3++;");
        self.line(depth, "}");
    }

    fn counted(&mut self, depth: u32) {
        let counter = self.counters;
        self.counters += 1;
        self.loops += 1;
        let bound = self.expression(1);
        if self.dice.below_u64(2) == 0 {
            self.line(
                depth,
                &format!(
                    "for (unsigned i{counter} = 0; i{counter} < ({bound} & 3); i{counter}++) {{"
                ),
            );
        } else {
            self.line(
                depth,
                &format!("for (unsigned i{counter} = 0; ({bound} & 7) > i{counter} && i{counter} < 3; i{counter}++) {{"),
            );
        }
        self.block(depth + 1);
        if self.dice.below_u64(3) == 0 {
            let condition = self.condition(1);
            self.line(depth + 1, &format!("if ({condition}) break;"));
        }
        self.line(depth, "}");
        self.loops -= 1;
    }

    /// A loop without a bound of its own, with ways out in the middle of it.
    fn endless(&mut self, depth: u32) {
        let turns = self.counters;
        self.counters += 1;
        self.loops += 1;
        let most = 1 + self.dice.below_u64(4);
        self.line(depth, &format!("unsigned t{turns} = 0;"));
        let head = match self.dice.below_u64(3) {
            0 => "for (;;) {".to_owned(),
            1 => format!("while ({}) {{", self.condition(1)),
            _ => "do {".to_owned(),
        };
        self.line(depth, &head);
        self.block(depth + 1);
        let way_out = ["break;", "exit(1);", "return v0;"][self.dice.below_u64(3) as usize];
        self.line(depth + 1, &format!("if (++t{turns} > {most}) {way_out}"));
        let condition = self.condition(1);
        let other = ["continue;", "exit(2);", "v3--;"][self.dice.below_u64(3) as usize];
        self.line(depth + 1, &format!("if ({condition}) {other}"));
        self.block(depth + 1);
        let tail = match head.starts_with("do") {
            true => format!("}} while ({});", self.condition(1)),
            false => "}".to_owned(),
        };
        self.line(depth, &tail);
        self.loops -= 1;
    }

    /// Arithmetic on signed numbers and on fewer bits.
    fn narrow(&mut self) -> String {
        let (a, constant) = (self.expression(1), 1 + self.dice.below_u64(6));
        match self.dice.below_u64(6) {
            0 => format!("(unsigned)((signed char){a} / {constant})"),
            1 => format!("(unsigned)((short)({a}) % -{constant})"),
            2 => format!("(unsigned)((int)(signed char)({a}) >> {constant})"),
            3 => format!(
                "((signed char)({a}) < -{constant} ? {constant} : (unsigned char)({a} + 250))"
            ),
            4 => format!("((unsigned short)({a} * 259) > {constant}u << 7)"),
            _ => format!("((long long)(int)({a}) - {constant} < 0)"),
        }
    }

    /// What an assignment may write without an index.
    fn place(&mut self) -> String {
        match self.dice.below_u64(6) {
            0 => format!("g{}", self.dice.below_u64(3)),
            1 => "v2".to_owned(),
            _ => format!("v{}", self.dice.below_u64(LOCALS as u64)),
        }
    }

    /// An element that an expression chooses.
    fn element(&mut self) -> String {
        let index = self.expression(1);
        match self.dice.below_u64(6) {
            0 => format!("words[{index} & 7]"),
            1 => format!("room[{index} & 3]"),
            2 => format!("nodes[{index} & 3].a"),
            3 => format!("nodes[{index} & 3].c[v0 & 3]"),
            4 => format!("nodes[{index} & 3].next->a"),
            _ => format!("bytes[{index} & 7]"),
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        let value = self.expression(1);
        let constant = self.dice.below_u64(10);
        match self.dice.below_u64(if depth == 0 { 5 } else { 9 }) {
            0 => format!("({value} & 7) == {constant}"),
            1 => format!("({value} & 15) < {constant}"),
            2 => format!("{value} > {constant}"),
            3 => format!("(int){value} == {constant}"),
            4 => {
                let other = self.expression(1);
                format!("{value} != {other}")
            }
            5 | 6 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                format!("({a} && {b})")
            }
            7 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                format!("({a} || {b})")
            }
            _ => format!("!({})", self.condition(depth - 1)),
        }
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.dice.below_u64(4) == 0 {
            return self.leaf();
        }
        let a = self.expression(depth - 1);
        let constant = 1 + self.dice.below_u64(6);
        match self.dice.below_u64(12) {
            0 | 1 => {
                let b = self.expression(depth - 1);
                let operator = ["+", "-", "*", "&", "|", "^"][self.dice.below_u64(6) as usize];
                format!("({a} {operator} {b})")
            }
            2 => format!("({a} >> {constant})"),
            3 => format!("({a} << {constant})"),
            4 => format!("({a} % {constant})"),
            5 => format!("({a} / {constant})"),
            6 => format!("(unsigned)(short)({a})"),
            7 => format!("(unsigned char)({a})"),
            8 => {
                let condition = self.condition(0);
                format!("({condition} ? {a} : {constant})")
            }
            9 if self.callable > 0 && self.loops == 0 => {
                let function = self.dice.below_u64(self.callable);
                format!("f{function}({a}, {constant})")
            }
            10 => match self.dice.below_u64(3) {
                2 => format!("down({a} & 3, {constant})"),
                0 => format!("by_value(nodes[{a} & 3], {constant})"),
                _ => format!("last_of({}, {constant}, {a})", 1 + constant % 2),
            },
            _ => self.element(),
        }
    }

    fn leaf(&mut self) -> String {
        match self.dice.below_u64(12) {
            0 => format!("{}u", self.dice.below_u64(12)),
            1 => format!("g{}", self.dice.below_u64(3)),
            2 => "*p".to_owned(),
            3 => "*q".to_owned(),
            _ => format!("v{}", self.dice.below_u64(LOCALS as u64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_bits_as_asked_for() {
        for seed in 0..50 {
            let made = few_bits(seed, 4, 12);
            assert!((4..=12).contains(&made.bits()), "{:?}", made.widths);
            assert_eq!(
                made.source.matches("__VERIFIER_nondet_uchar()").count(),
                made.widths.len()
            );
            assert_eq!(few_bits(seed, 4, 12), made);
        }
        assert_ne!(few_bits(0, 4, 12), few_bits(1, 4, 12));
    }
}
