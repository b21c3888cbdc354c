//! Large synthetic C programs with branches that are known to be reachable or infeasible: CarFast's tp300 to tp10k.
//!
//! The programs of CarFast's benchmark (`papers/cgs.txt`, 5) are generated from a grammar: many methods that branch over
//! integers, call each other and update state. Ours are made of functions `f0 …`, each with nested conditions over a
//! few `int` inputs; `main` reads the inputs and calls them in turn.
//!
//! Must hold: the same number of branches and seed give the same program; it has exactly as many branch outcomes as asked
//! for (made even), and it is known *by construction* which can be taken. The arguments of a function are inputs that
//! nothing else restricts, and every condition compares one of them with a constant. The conditions around a place leave
//! a range to each argument: a side that cuts it is *reachable*, a side beyond a bound that an enclosing condition has
//! set is *infeasible* and has a comment that says so.

use std::fmt::Write;

use random::Random;

/// A generated program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synthetic {
    pub source: String,
    /// Branch outcomes.
    pub branches: u32,
    pub reachable: u32,
    pub infeasible: u32,
}

/// Branch outcomes of one function, about.
const IN_FUNCTION: u32 = 60;
const INPUTS: usize = 12;
/// Inputs that one function looks at.
const LOCAL: usize = 4;
const DEPTH: u32 = 6;

/// Makes a program with so many branch outcomes.
#[must_use]
pub fn synthesize(branches: u32, seed: u64) -> Synthetic {
    let conditions = branches.div_ceil(2).max(1);
    let mut maker = Maker {
        dice: Random::new(seed),
        text: String::new(),
        reachable: 0,
        infeasible: 0,
        line: 0,
    };
    let mut functions = 0;
    let mut left = conditions;
    while left > 0 {
        let size = left.min(IN_FUNCTION / 2);
        maker.function(functions, size);
        functions += 1;
        left -= size;
    }
    let mut source = format!(
        "/* bothways synthesize --branches {branches} --seed {seed}: {} branch outcomes, {} of them reachable, {} \
         infeasible. */\n#include \"bothways.h\"\n\nstatic int total;\n\n{}",
        2 * conditions,
        maker.reachable,
        maker.infeasible,
        maker.text
    );
    source += "int main(void) {\n";
    for input in 0..INPUTS {
        let _ = writeln!(
            source,
            "    int x{input};\n    bw_int(&x{input}, \"x{input}\");"
        );
    }
    for function in 0..functions {
        let first = function as usize * LOCAL % INPUTS;
        let args: Vec<String> = (0..LOCAL)
            .map(|index| format!("x{}", (first + index) % INPUTS))
            .collect();
        let _ = writeln!(source, "    f{function}({});", args.join(", "));
    }
    source += "    return total & 1;\n}\n";
    Synthetic {
        source,
        branches: 2 * conditions,
        reachable: maker.reachable,
        infeasible: maker.infeasible,
    }
}

struct Maker {
    dice: Random,
    text: String,
    reachable: u32,
    infeasible: u32,
    line: u32,
}

/// What the conditions around a place leave to each argument. Only bounds that a condition has set are sure.
type Ranges = [(i64, i64); LOCAL];

const LOWEST: i64 = -1_000_000;
const HIGHEST: i64 = 1_000_000;

impl Maker {
    fn function(&mut self, number: u32, conditions: u32) {
        let args: Vec<String> = (0..LOCAL).map(|index| format!("int a{index}")).collect();
        let _ = writeln!(self.text, "static void f{number}({}) {{", args.join(", "));
        let mut left = conditions;
        while left > 0 {
            self.condition(&mut left, 1, [(LOWEST, HIGHEST); LOCAL]);
        }
        self.text += "}\n\n";
    }

    /// One `if` with what is nested in it.
    fn condition(&mut self, left: &mut u32, depth: u32, ranges: Ranges) {
        *left -= 1;
        self.line += 1;
        let which = self.dice.below_u64(LOCAL as u64) as usize;
        let (low, high) = ranges[which];
        let bounded = low > LOWEST || high < HIGHEST;
        if high - low < 4 || bounded && self.dice.below_u64(5) == 0 {
            let (op, bound) = if high < HIGHEST {
                (">", high)
            } else {
                ("<", low)
            };
            self.infeasible += 1;
            self.reachable += 1;
            let condition = format!("a{which} {op} {bound}");
            self.open(depth, &condition, " /* true: infeasible */");
            self.close(depth);
            return;
        }
        self.reachable += 2;
        let split = low + 1 + self.dice.below_u64((high - low - 1) as u64) as i64;
        let (mut inner, mut other) = (ranges, ranges);
        let equal = self.dice.below_u64(6) == 0;
        if equal {
            inner[which] = (split, split);
            self.open(depth, &format!("a{which} == {split}"), "");
        } else {
            inner[which] = (low, split - 1);
            other[which] = (split, high);
            self.open(depth, &format!("a{which} < {split}"), "");
        }
        if *left > 0 && depth < DEPTH && self.dice.below_u64(4) > 0 {
            self.condition(left, depth + 1, inner);
        }
        // What is left beside one value is no range: nothing is nested there.
        if !equal && *left > 0 && depth < DEPTH && self.dice.below_u64(3) > 0 {
            let pad = "    ".repeat(depth as usize);
            let _ = writeln!(
                self.text,
                "{pad}}} else {{\n{pad}    total ^= {};",
                self.line
            );
            self.condition(left, depth + 1, other);
        }
        self.close(depth);
    }

    fn open(&mut self, depth: u32, condition: &str, comment: &str) {
        let pad = "    ".repeat(depth as usize);
        let _ = writeln!(
            self.text,
            "{pad}if ({condition}) {{{comment}\n{pad}    total += {};",
            self.line
        );
    }

    fn close(&mut self, depth: u32) {
        let _ = writeln!(self.text, "{}}}", "    ".repeat(depth as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_branches_as_asked_for() {
        for (branches, seed) in [(2, 0), (300, 1), (601, 2), (10_000, 3)] {
            let made = synthesize(branches, seed);
            assert_eq!(made.branches, branches + branches % 2);
            assert_eq!(made.reachable + made.infeasible, made.branches);
            let infeasible = made.source.matches("infeasible */").count() as u32;
            assert_eq!(infeasible, made.infeasible);
            assert_eq!(
                made.source.matches("if (").count() as u32 * 2,
                made.branches
            );
            assert_eq!(synthesize(branches, seed), made);
            assert_ne!(synthesize(branches, seed + 100).source, made.source);
        }
    }
}
