//! The instrumentation's side: the functions run once on symbolic operands, and the terms that the runtime built for their results
//! are given back.
//!
//! The driver switches over each result, so the path has its term.

use std::path::PathBuf;

use native::{Config, NativeTarget};
use path::vars::STDIN;
use path::{Class, InputVector, Outcome, Role, Run, Step, Stream, Target};
use program::{EdgeId, FuncId, Program};
use smt::{Assignment, Evaluator, Pool, Term};

use super::cases::Case;
use super::native::{BLOCK, Native};

/// Bytes that the driver looks at, at once.
const WORD: usize = 8;

const DRIVER: &str = "
#include <stdint.h>
#include <string.h>
#include <unistd.h>
extern void (*const table[])(char *, char *);
extern const unsigned functions;
extern const unsigned char widths[][3];
volatile int sink;
/* An operand stands in its bytes alone, and has no other bits: compiled code counts on that. */
static void operands(const unsigned char *width, const char *all, char *in) {
  memset(in, 0, 64);
  for (int operand = 0; operand < 3; operand++) {
    int left = width[operand];
    for (int at = 16 * operand; left > 0; at++, left -= 8)
      in[at] = left < 8 ? all[at] & ((1 << left) - 1) : all[at];
  }
}
static void show(const char *out) {
  uint64_t low, high;
  memcpy(&low, out, 8);
  memcpy(&high, out + 8, 8);
  switch (low) { case 1: sink = 1; break; case 2: sink = 2; }
  switch (high) { case 1: sink = 1; break; case 2: sink = 2; }
}
int main(void) {
  char all[64], in[64] __attribute__((aligned(16))), out[64] __attribute__((aligned(16)));
  if (read(0, all, 64) != 64) return 1;
  for (unsigned index = 0; index < functions; index++) {
    operands(widths[index], all, in);
    memset(out, 0, 64);
    table[index](in, out);
    show(out);
  }
  return 0;
}
";

/// What the runtime knows of one function's result.
#[derive(Clone, Debug, Default)]
struct Shown {
    /// The result in words; `None` where the runtime says that it depends on no input.
    words: [Option<Term>; 2],
    /// What must have these values for the words to hold: sides that the run took, operands that it was tied to.
    ties: Vec<(Term, u128)>,
    /// The runtime says that it lost something here.
    lost: bool,
}

/// Instrumented functions.
pub struct Symbolic {
    executable: PathBuf,
    program: Program,
}

/// One run of all functions.
pub struct Seen {
    pool: Pool,
    functions: Vec<Shown>,
}

impl Symbolic {
    pub fn build(native: &Native, cases: &[Case]) -> Symbolic {
        let at = |name: &str| native.folder.path().join(name);
        let meta = session::compiler::compile::Meta {
            source: at("f.ll"),
            directory: native.folder.path().to_owned(),
            flags: Vec::new(),
            library: false,
            root: None,
            failing: false,
            unset: false,
            signed: false,
        };
        // The terms are the same at every level, and a thousand functions take long to optimise.
        let options = llvm::emit::EmitOptions {
            level: 0,
            ..llvm::emit::EmitOptions::default()
        };
        let bitcode = std::fs::read(at("f.bc")).expect("bitcode");
        let object = session::compiler::compile::instrument(&bitcode, &meta, &options);
        std::fs::write(at("f.o"), object.expect("it is instrumented")).expect("written");
        let widths: Vec<String> = cases.iter().map(widths).collect();
        let driver = format!(
            "{DRIVER}const unsigned functions = {};\nconst unsigned char widths[][3] = {{{}}};\n",
            cases.len(),
            widths.join(", ")
        );
        std::fs::write(at("symbolic.c"), driver).expect("written");
        let args = "cc -w symbolic.c table.c f.o -lm -o symbolic";
        let args: Vec<&str> = args.split(' ').collect();
        let output = e2e::run(native.folder.path(), &args);
        assert!(output.status.success(), "{}", e2e::shown(&output));
        let executable = at("symbolic");
        let built = session::load::Program::read(&executable).expect("it is read");
        let program = session::build::model(&built).expect("a model");
        Symbolic {
            executable,
            program,
        }
    }

    /// Runs all functions on one block of operands, which must stop none of them.
    pub fn run(&self, block: &[u8; BLOCK], functions: usize) -> Seen {
        let mut pool = Pool::new();
        let mut config = Config::new(&self.executable);
        (config.check, config.cross_check) = (true, true);
        config.limits.timeout_ms = 60_000;
        let mut target = NativeTarget::new(&self.program, config).expect("a target");
        let run = target.run(&mut pool, &input(block)).expect("a run");
        let last = run.steps.iter().rev().find_map(|step| match step {
            Step::Call(function) => Some(&self.program.functions[*function].name),
            _ => None,
        });
        assert_eq!(run.outcome, Outcome::Exited(0), "in {last:?}");
        assert_eq!(target.mismatches(), []);
        let functions = self.shown(&run, functions);
        Seen { pool, functions }
    }

    /// The number of a function of the table, by its name.
    fn number(&self, function: FuncId) -> Option<usize> {
        self.program.functions[function]
            .name
            .strip_prefix('f')?
            .parse()
            .ok()
    }

    fn shown(&self, run: &Run, functions: usize) -> Vec<Shown> {
        let mut list = vec![Shown::default(); functions];
        let mut current = None;
        let mut words = 0;
        for step in &run.steps {
            match step {
                Step::Call(function) => {
                    if let Some(number) = self.number(*function) {
                        (current, words) = (Some(number), 0);
                    }
                }
                Step::Constraint { term, class, .. } => {
                    assert!(*class != Class::Assume, "the driver assumes nothing");
                    let Some(current) = current else { continue };
                    list[current].ties.push((*term, 1));
                }
                Step::Edge { edge, cond } => {
                    let Some(current) = current else { continue };
                    let term = cond.map(|cond| cond.term);
                    if self.is_shown(*edge) {
                        list[current].words[words] = term;
                        words += 1;
                    } else {
                        let side = self.program.edges[*edge].side;
                        list[current]
                            .ties
                            .extend(term.map(|term| (term, side.into())));
                    }
                }
                _ => {}
            }
        }
        for (spot, ..) in &run.losses {
            if let Some(number) = self.number(self.program.spots[*spot].function) {
                list[number].lost = true;
            }
        }
        list
    }

    /// Is it one where the driver looks at a result?
    fn is_shown(&self, edge: EdgeId) -> bool {
        let site = &self.program.sites[self.program.edges[edge].site];
        self.program.functions[site.function].name == "show"
    }
}

impl Seen {
    /// Whether the runtime says that a byte of a function's result depends on no input, and not that it lost anything.
    pub fn is_constant(&self, index: usize, byte: usize) -> bool {
        let shown = &self.functions[index];
        let word = shown.words.get(byte / WORD);
        !shown.lost && word.is_some_and(Option::is_none)
    }

    /// Whether it has a term for some of a function's result.
    pub fn has_terms(&self, index: usize) -> bool {
        self.functions[index].words.iter().any(Option::is_some)
    }

    /// The result of a function on other operands: its words that have terms, the others as in `expected`. `None` where
    /// what the run was tied to does not hold.
    pub fn result(
        &mut self,
        index: usize,
        block: &[u8; BLOCK],
        expected: &[u8],
    ) -> Option<Vec<u8>> {
        let shown = &self.functions[index];
        let assignment: Assignment = input(block).assignment();
        let mut evaluator = Evaluator::new(&self.pool, &assignment);
        if shown
            .ties
            .iter()
            .any(|(tie, value)| evaluator.value(*tie) != *value)
        {
            return None;
        }
        let mut result = expected.to_vec();
        for (word, term) in shown.words.iter().enumerate() {
            if let Some(term) = *term {
                let value = evaluator.value(term) as u64;
                result[WORD * word..][..WORD].copy_from_slice(&value.to_le_bytes());
            }
        }
        Some(result)
    }
}

/// The widths of a function's operands, in C.
fn widths(case: &Case) -> String {
    let widths: Vec<String> = (case.inputs.iter())
        .map(|input| input.bits.to_string())
        .collect();
    format!("{{{}}}", widths.join(", "))
}

fn input(block: &[u8; BLOCK]) -> InputVector {
    let stream = Stream {
        id: STDIN,
        role: Role::Stdin,
        name: "stdin".into(),
        bytes: block.to_vec(),
        min: BLOCK as u32,
        max: BLOCK as u32,
        used: 0,
    };
    InputVector {
        values: Vec::new(),
        streams: vec![stream],
    }
}
