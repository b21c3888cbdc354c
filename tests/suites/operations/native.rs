//! The compiled side: clang builds the functions and a driver, which runs them on blocks of operands.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::cases::Case;

/// Bytes of operands, and of results.
pub const BLOCK: usize = 64;

const DRIVER: &str = "
#include <stdint.h>
#include <stdio.h>
#include <string.h>
extern void (*const table[])(char *, char *);
int main(void) {
  struct { uint32_t index; char in[64]; } job;
  while (fread(&job, sizeof job, 1, stdin) == 1) {
    char in[64] __attribute__((aligned(16))), out[64] __attribute__((aligned(16)));
    memcpy(in, job.in, 64);
    memset(out, 0, 64);
    table[job.index](in, out);
    if (fwrite(out, 64, 1, stdout) != 1) return 1;
  }
  return 0;
}
";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    O0,
    O2,
}

pub struct Native {
    /// Has `f.bc`, as clang reads the functions, `g.bc`, prepared, and `table.c`, all of them in one table.
    pub folder: tempfile::TempDir,
    /// The bitcode as `bothways cc` stores it.
    pub prepared: Vec<u8>,
}

fn clang() -> String {
    std::env::var("BOTHWAYS_CLANG").unwrap_or_else(|_| "clang-19".to_owned())
}

fn must(command: &mut Command) {
    let output = command.output().expect("clang-19 is installed");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {message}");
}

impl Native {
    pub fn build(cases: &[Case]) -> Native {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let mut text = String::from(
            "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
             target triple = \"x86_64-pc-linux-gnu\"\n",
        );
        let mut table = String::new();
        for (index, case) in cases.iter().enumerate() {
            text += &format!(
                "define void @f{index}(ptr %a, ptr %o) {{\n{}  ret void\n}}\n",
                case.body
            );
            table += &format!("void f{index}(char *, char *);\n");
        }
        for name in cases.iter().flat_map(|case| &case.declarations) {
            if !text.contains(name.as_str()) {
                text += name;
            }
        }
        let names: Vec<String> = (0..cases.len()).map(|index| format!("f{index}")).collect();
        table += &format!(
            "void (*const table[])(char *, char *) = {{{}}};\n",
            names.join(", ")
        );
        std::fs::write(at("f.ll"), text).expect("written");
        std::fs::write(at("driver.c"), DRIVER).expect("written");
        std::fs::write(at("table.c"), table).expect("written");
        let mut compile = Command::new(clang());
        compile.args([
            "-w",
            "-O0",
            "-Xclang",
            "-disable-llvm-passes",
            "-emit-llvm",
            "-c",
            "-x",
            "ir",
        ]);
        must(compile.arg(at("f.ll")).arg("-o").arg(at("f.bc")));
        let bitcode = std::fs::read(at("f.bc")).expect("bitcode");
        let prepared = llvm::prepare::prepare(&bitcode, "f.ll").expect("it is prepared");
        std::fs::write(at("g.bc"), &prepared.bitcode).expect("written");
        Native {
            prepared: prepared.bitcode,
            folder,
        }
    }

    /// The program, compiled at this level.
    fn link(&self, level: Level) -> PathBuf {
        let at = |name: &str| self.folder.path().join(name);
        let program = at(&format!("{level:?}"));
        let mut link = Command::new(clang());
        link.args(["-w", &format!("-{level:?}"), "-fwrapv"]);
        link.args([at("g.bc"), at("driver.c"), at("table.c")]);
        must(link.arg("-lm").arg("-o").arg(&program));
        program
    }

    /// The results of all jobs, each a function and its operands.
    pub fn run(
        &self,
        level: Level,
        jobs: impl Iterator<Item = (usize, [u8; BLOCK])>,
    ) -> Vec<Vec<u8>> {
        let mut input = Vec::new();
        for (index, block) in jobs {
            input.extend((index as u32).to_le_bytes());
            input.extend(block);
        }
        let mut child = Command::new(self.link(level))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().expect("it ends");
        writer.join().expect("it joins").expect("all was read");
        assert!(output.status.success(), "{level:?}: {}", output.status);
        output.stdout.chunks(BLOCK).map(<[u8]>::to_vec).collect()
    }
}
