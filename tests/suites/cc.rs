//! `bothways cc` is a drop-in for clang: the same script, once with each, has the same exit status, prints the same and
//! leaves the same files; what it built holds instrumented code that `bothways test` covers.
//!
//! A case is a shell script that uses `$CC` and `$CXX`. Files it may use are in [`FILES`].

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use e2e::{bothways, run, shown};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let like = LIKE_CLANG.iter().map(|&(name, script)| {
        Trial::test(format!("like_clang::{name}"), move || like_clang(script))
    });
    let covers = COVERS
        .iter()
        .map(|case| Trial::test(format!("covers::{}", case.name), move || covers(case)));
    let says = SAYS.iter().map(|&(name, script, word)| {
        Trial::test(format!("says::{name}"), move || says(script, word))
    });
    let trials = like.chain(covers).chain(says).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// What lies in the folder of each script.
const FILES: &[(&str, &str)] = &[
    (
        "a.c",
        "#include <stdio.h>\n#include \"a.h\"\nint g = 1;\nint main(int argc, char **argv) {\n  if (argc > 1) printf(\"%s\\n\", argv[1]);\n  puts(NAME);\n  return 0;\n}\n",
    ),
    ("a.h", "#define NAME \"a\"\n"),
    (
        "b.c",
        "#include <stdio.h>\nint f(int);\nint main(void) { printf(\"%d\\n\", f(2)); return f(1); }\n",
    ),
    ("f.c", "int f(int x) { return x > 1 ? 7 * x : 3; }\n"),
    ("bad.c", "int main(void) { return }\n"),
    ("warn.c", "int main(void) { int unused; return 0; }\n"),
    ("no-main.c", "int h(void) { return 1; }\n"),
    (
        "asm.s",
        ".globl f\nf: lea 1(%rdi), %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n",
    ),
    (
        "pp.S",
        "#define RESULT 5\n.globl f\nf: mov $RESULT + EXTRA, %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n",
    ),
    (
        "sp ace.c",
        "#include <stdio.h>\nint main(void) { puts(__FILE__); return 0; }\n",
    ),
    (
        "grün.c",
        "#include <stdio.h>\nint main(void) { puts(__FILE__); return 0; }\n",
    ),
    ("words.rsp", "-DNAME2='\"x y\"' @more.rsp\n"),
    ("more.rsp", "-DMORE=1\n  -o \"out put\" 'q.c'\n"),
    (
        "q.c",
        "#include <stdio.h>\nint main(void) { printf(\"%s %d\\n\", NAME2, MORE); return 0; }\n",
    ),
    ("lib.map", "VERS_1 { global: f; absent; local: *; };\n"),
    (
        "common.c",
        "#include <math.h>\n#include <stdio.h>\nint main(int argc, char **argv) { printf(\"%.3f\\n\", sqrt(argc + 1.0)); return 0; }\n",
    ),
    (
        "threads.c",
        "#include <pthread.h>\n#include <stdio.h>\nstatic void *run(void *p) { ++*(int *)p; return p; }\nint main(void) { int n = 1; pthread_t t; pthread_create(&t, 0, run, &n); pthread_join(t, 0); printf(\"%d\\n\", n); return 0; }\n",
    ),
    (
        "dl.c",
        "#include <dlfcn.h>\n#include <stdio.h>\nint exported(int x) { return x + 1; }\nint main(void) { int (*f)(int) = (int (*)(int))dlsym(0, \"exported\"); printf(\"%d\\n\", f ? f(1) : -1); return 0; }\n",
    ),
    (
        "plugin.c",
        "#include <dlfcn.h>\n#include <stdio.h>\nint main(void) { void *h = dlopen(\"./libf.so\", RTLD_NOW); if (!h) { puts(dlerror()); return 1; } int (*f)(int) = (int (*)(int))dlsym(h, \"f\"); printf(\"%d\\n\", f(3)); return 0; }\n",
    ),
    (
        "ctors.c",
        "#include <stdio.h>\n__attribute__((constructor(200))) static void second(void) { puts(\"second\"); }\n__attribute__((constructor(101))) static void first(void) { puts(\"first\"); }\n__attribute__((destructor)) static void last(void) { puts(\"last\"); }\nint main(void) { puts(\"main\"); return 0; }\n",
    ),
    (
        "throw.cc",
        "#include <iostream>\n#include <map>\n#include <stdexcept>\n#include <string>\nstruct Noisy { const char *n; explicit Noisy(const char *n) : n(n) { std::cout << \"+\" << n << '\\n'; } ~Noisy() { std::cout << \"-\" << n << '\\n'; } };\nNoisy global(\"global\");\ntemplate <class T> T pick(T a, T b) { if (b < a) throw std::range_error(\"order\"); return a; }\nint deep(int n) { Noisy local(\"local\"); if (n == 0) throw std::string(\"bottom\"); return deep(n - 1) + 1; }\nint main() {\n  try { std::cout << pick(1, 2) << pick(2.5, 1.5); } catch (const std::exception &e) { std::cout << e.what() << '\\n'; }\n  try { deep(3); } catch (const std::string &s) { std::cout << s << '\\n'; }\n  try { try { throw 1; } catch (int) { Noisy again(\"again\"); throw; } } catch (...) { std::cout << \"rethrown\\n\"; }\n  std::map<std::string, int> m{{\"x\", 1}}; try { m.at(\"y\"); } catch (const std::out_of_range &) { std::cout << \"range\\n\"; }\n  return 0;\n}\n",
    ),
    (
        "uncaught.cc",
        "#include <cstdio>\nint main() { std::puts(\"before\"); std::fflush(stdout); throw 1; }\n",
    ),
    (
        "noexcept.cc",
        "#include <cstdio>\ntemplate <int N> struct F { static constexpr int v = N * F<N - 1>::v; };\ntemplate <> struct F<0> { static constexpr int v = 1; };\nint main() { std::printf(\"%d\\n\", F<5>::v); return 0; }\n",
    ),
    (
        "sym.c",
        "#include \"bothways.h\"\nint f(int);\nint main(void) { int x; bw_int(&x, \"x\"); return f(x) == 14; }\n",
    ),
    (
        "sym.cc",
        "#include \"bothways.h\"\n#include <iostream>\n#include <stdexcept>\nstruct Guard { ~Guard() { std::cout << \"guard\\n\"; } };\nint half(int x) { Guard g; if (x == 42) throw std::runtime_error(\"42\"); if (x < 0) throw x; return x / 2; }\nint main() {\n  int x; bw_int(&x, \"x\");\n  try { if (half(x) == 100) std::cout << \"hundred\\n\"; }\n  catch (const std::runtime_error &e) { std::cout << e.what() << '\\n'; }\n  catch (int i) { if (i < -1000) std::cout << \"low\\n\"; }\n  return 0;\n}\n",
    ),
];

/// Scripts that must do the same with both compilers: exit status, standard output, files.
const LIKE_CLANG: &[(&str, &str)] = &[
    // Stages and names of outputs.
    ("link", "$CC a.c && ./a.out x"),
    ("link_o", "$CC a.c -o prog && ./prog"),
    ("link_o_joined", "$CC -oprog a.c && ./prog"),
    ("compile", "$CC -c a.c && $CC a.o && ./a.out"),
    (
        "compile_o",
        "mkdir d && $CC -c -o d/x.o a.c && $CC d/x.o && ./a.out",
    ),
    (
        "compile_several",
        "$CC -c b.c f.c && $CC b.o f.o && ./a.out",
    ),
    ("compile_several_o", "$CC -c b.c f.c -o x.o"),
    ("compile_several_one_bad", "$CC -c bad.c f.c"),
    ("link_several", "$CC b.c f.c -o prog && ./prog"),
    ("link_mixed", "$CC -c f.c && $CC b.c f.o -o prog && ./prog"),
    ("assembly", "$CC -S a.c && $CC a.s && ./a.out"),
    ("assembly_to_stdout", "$CC -S -o - f.c | grep -c '^f:'"),
    (
        "object_to_stdout",
        "$CC -c -o - f.c > f.o && $CC b.c f.o && ./a.out",
    ),
    ("preprocess", "$CC -E a.c -DX=1 | grep -v '^#' | tail -8"),
    ("preprocess_o", "$CC -E a.c -o a.i && $CC a.i && ./a.out"),
    (
        "preprocess_macros",
        "$CC -dM -E -x c /dev/null | grep -E '__(x86_64|clang_major|STDC_VERSION)__'",
    ),
    (
        "preprocessed_by_x",
        "$CC -E a.c > a.txt && $CC -x cpp-output a.txt && ./a.out",
    ),
    ("stdin_compile", "$CC -x c - -o prog < a.c && ./prog"),
    ("stdin_object", "$CC -c -x c - < f.c && ls"),
    (
        "stdin_object_o",
        "$CC -c -x c - -o f.o < f.c && $CC b.c f.o && ./a.out",
    ),
    ("stdin_preprocess", "echo 'A __LINE__' | $CC -E - | tail -1"),
    ("stdin_without_language", "$CC -c - < f.c"),
    (
        "syntax_only",
        "$CC -fsyntax-only a.c && ! $CC -fsyntax-only bad.c",
    ),
    (
        "emit_llvm",
        "$CC -emit-llvm -c f.c && $CC -S -emit-llvm f.c && $CC -c f.bc -o f.o && $CC b.c f.o && ./a.out",
    ),
    (
        "language_by_x",
        "cp f.c f.txt && $CC -x c f.txt -x none b.c && ./a.out",
    ),
    (
        "cxx_by_x",
        "cp noexcept.cc t.txt && $CC -x c++ -c t.txt && $CXX t.o && ./a.out",
    ),
    ("c_by_cxx_driver", "cp a.c a.cpp && $CXX a.cpp && ./a.out"),
    ("three_hyphens", "$CC '-###' -c a.c"),
    // Failures.
    ("no_arguments", "$CC"),
    ("no_input", "$CC -c"),
    ("missing_file", "$CC -c missing.c"),
    ("missing_file_link", "$CC a.c missing.o"),
    ("missing_value", "$CC a.c -o"),
    ("syntax_error", "$CC -c bad.c"),
    ("syntax_error_link", "$CC bad.c -o prog"),
    ("unknown_flag", "$CC -c -fno-such-flag a.c"),
    (
        "unknown_warning_is_an_error",
        "$CC -Werror -Wno-such-warning -Wsuch-warning -c a.c",
    ),
    ("warning_is_an_error", "$CC -Wall -Werror -c warn.c"),
    ("warning", "$CC -Wall -c warn.c"),
    (
        "a_check_fails",
        "printf 'f(x) { return puts(x); }\\n' > conftest.c && $CC -c conftest.c",
    ),
    ("undefined_symbol", "$CC b.c -o prog"),
    ("no_main", "$CC no-main.c"),
    ("output_in_no_folder", "$CC -c f.c -o none/f.o"),
    ("missing_include", "$CC -c f.c -include none.h"),
    (
        "old_output_stays_away",
        "echo old > f.o; $CC -c bad.c -o f.o",
    ),
    // What configure scripts ask.
    (
        "version",
        "$CC --version && $CC -dumpversion && $CC -dumpmachine",
    ),
    (
        "print",
        "$CC -print-search-dirs && $CC -print-prog-name=ld && $CC -print-file-name=libc.so && $CC --print-file-name=crt1.o && $CC -print-libgcc-file-name && $CC -print-multi-os-directory",
    ),
    (
        "print_more",
        "$CC -print-multiarch; $CC -print-sysroot; $CC -print-resource-dir; $CC -print-target-triple; $CC -print-effective-triple",
    ),
    ("verbose_alone", "$CC -v"),
    ("verbose", "$CC -v -c f.c && $CC -v b.c f.o && ./a.out"),
    ("capital_v", "$CC -V"),
    ("qversion", "$CC -qversion"),
    ("help", "$CC --help | head -3"),
    ("linker_version", "$CC -Wl,--version > /dev/null"),
    (
        "object_extension",
        "$CC -c f.c; for x in *.o *.obj; do test -f $x && echo $x; done",
    ),
    (
        "executable_extension",
        "$CC f.c b.c; for x in a.out conftest a.exe; do test -f $x && echo $x; done",
    ),
    (
        "conftest_dependencies",
        "mkdir sub && cp a.h sub && $CC -MD -MP -MF sub/a.Tpo -MT sub/a.o -c -o sub/a.o a.c && cat sub/a.Tpo",
    ),
    (
        "libtool_c_o",
        "mkdir out && $CC -c -g -O2 -o out/conftest2.o f.c 2> out/err; cat out/err; ls out",
    ),
    ("quiet", "$CC -c f.c 2>&1 && $CC -O2 -g b.c f.o 2>&1"),
    ("quiet_cxx", "$CXX -O2 noexcept.cc 2>&1"),
    (
        "quiet_pedantic",
        "$CC -std=c99 -pedantic -Wall -Wextra -Werror -O2 -c f.c 2>&1",
    ),
    (
        "weverything",
        "$CC -std=c11 -Weverything -Werror -Wno-missing-prototypes -Wno-unsafe-buffer-usage -c f.c 2>&1",
    ),
    (
        "predefined",
        "printf '#ifndef __OPTIMIZE__\\n#error no\\n#endif\\n' > o.c && $CC -O2 -E o.c > /dev/null",
    ),
    (
        "predefined_when_compiling",
        "printf '#ifdef __NO_INLINE__\\n#error no\\n#endif\\nint x;\\n' > o.c && $CC -O2 -Weverything -Werror -Wno-missing-variable-declarations -c o.c && ! $CC -O2 -O0 -c o.c",
    ),
    // Dependencies.
    ("md", "$CC -MD -c a.c && cat a.d | head -1"),
    ("mmd", "$CC -MMD -c a.c && cat a.d"),
    ("mmd_o", "mkdir d && $CC -MMD -c a.c -o d/x.o && cat d/x.d"),
    (
        "mmd_mf_mt",
        "$CC -MMD -MF deps -MT 'tar get' -MP -c a.c && cat deps",
    ),
    (
        "mmd_mf_mq",
        "$CC -MMD -MFdeps -MQ '$(x)' -c a.c && cat deps",
    ),
    ("mmd_link", "$CC -MMD a.c -o prog && cat *.d"),
    ("mmd_link_default", "$CC -MMD a.c && cat *.d"),
    ("mmd_link_several", "$CC -MMD b.c f.c -o prog && cat *.d"),
    ("mmd_several", "$CC -MMD -c b.c f.c && cat b.d f.d"),
    (
        "m",
        "$CC -M a.c | head -1 && $CC -MM a.c && $CC -MM -MT x -MG a.c",
    ),
    ("mm_mf", "$CC -MM -MF deps a.c && cat deps"),
    ("wp_md", "$CC -Wp,-MMD,deps -c a.c && cat deps"),
    (
        "wp_md_o",
        "mkdir d && $CC -Wp,-MMD,d/deps -c a.c -o d/a.o && cat d/deps",
    ),
    ("wp_md_mt", "$CC -Wp,-MMD,deps,-MT,there -c a.c && cat deps"),
    ("md_assembly", "$CC -MMD -DEXTRA=1 -c pp.S && cat pp.d"),
    (
        "md_preprocess",
        "$CC -E -MMD -MF deps a.c -o a.i && cat deps",
    ),
    // Flags.
    (
        "levels",
        "for o in -O -O0 -O1 -O2 -O3 -Os -Oz -Og -Ofast; do $CC $o b.c f.c -o prog && ./prog; done",
    ),
    (
        "debug",
        "for g in -g -g0 -g1 -g3 -ggdb -gdwarf-4 -gdwarf-5 -gline-tables-only -gz; do $CC $g b.c f.c -o prog && ./prog; done",
    ),
    (
        "split_dwarf",
        "$CC -g -gsplit-dwarf -c f.c && rm -f *.dwo && $CC b.c f.o -o prog && ./prog",
    ),
    (
        "sections",
        "$CC -ffunction-sections -fdata-sections -Wl,--gc-sections b.c f.c -o prog && ./prog",
    ),
    (
        "gc_sections_drop_what_is_missing",
        "echo 'void missing(void); void dead(void) { missing(); } int main(void) { return 0; }' > d.c && $CC -ffunction-sections -Wl,--gc-sections d.c -o prog && ./prog",
    ),
    ("pipe", "$CC -pipe -O2 a.c && ./a.out"),
    (
        "save_temps",
        "$CC -save-temps -c f.c && test -s f.i && rm -f f.i f.*bc f.s && $CC b.c f.o && ./a.out",
    ),
    (
        "lto",
        "$CC -flto -O2 b.c f.c -o prog && ./prog && $CC -flto=thin -c f.c && $CC -flto=thin -fuse-ld=lld f.o b.c && ./a.out",
    ),
    (
        "coverage",
        "$CC --coverage b.c f.c -o prog && rm -f *.gc*; ./prog; rm -f *.gc*",
    ),
    (
        "include",
        "echo '#define NAME2 \"i\"' > i.h && $CC -include i.h -DMORE=2 q.c && ./a.out",
    ),
    (
        "include_folders",
        "mkdir -p d/e && mv a.h d/e && $CC -Id/e a.c && ./a.out && $CC -I d/e -c a.c && $CC -iquote d/e -isystem d -idirafter d -c a.c",
    ),
    (
        "precompiled_header",
        "echo 'int f(int);' > p.h && $CC -x c-header p.h -o p.h.gch && $CC -include p.h -c f.c && $CC b.c f.o && ./a.out",
    ),
    (
        "precompiled_header_default",
        "echo 'int f(int);' > p.h && $CC p.h && ls",
    ),
    (
        "define",
        "$CC -D NAME2='\"s\"' -DMORE=3 -U X q.c && ./a.out",
    ),
    (
        "undefine_builtin",
        "$CC -fno-builtin -fno-common -fomit-frame-pointer -fno-omit-frame-pointer -fstack-protector-strong -fvisibility=hidden b.c f.c && ./a.out",
    ),
    (
        "hardening",
        "$CC -O2 -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection -fcf-protection -Wformat -Werror=format-security -Wl,-z,relro -Wl,-z,now b.c f.c && ./a.out",
    ),
    (
        "sanitize_undefined",
        "$CC -fsanitize=undefined -fno-sanitize-recover=all b.c f.c && ./a.out",
    ),
    (
        "sanitize_address",
        "$CC -fsanitize=address -g b.c f.c && ./a.out",
    ),
    (
        "sanitize_thread",
        "$CC -fsanitize=thread threads.c && ./a.out",
    ),
    ("profile", "$CC -pg -c f.c && $CC b.c f.o && ./a.out"),
    (
        "standards",
        "for s in c89 gnu89 c99 gnu11 c17 gnu2x; do $CC -std=$s -c f.c || exit; done; ! $CC -std=none -c f.c",
    ),
    ("ansi", "$CC -ansi -w -c f.c"),
    (
        "march",
        "$CC -march=x86-64-v3 -mtune=generic -c f.c && $CC -mavx2 -msse4.2 -c f.c",
    ),
    (
        "m32_object",
        "$CC -m32 -ffreestanding -c f.c -o f.o && od -An -tx1 -N5 f.o",
    ),
    (
        "asm_flags",
        "$CC -Wa,--noexecstack -c f.c && $CC -Wa,--noexecstack -c asm.s",
    ),
    ("freestanding", "$CC -ffreestanding -nostdinc -c f.c"),
    (
        "target",
        "$CC --target=x86_64-linux-gnu -c f.c && $CC -target x86_64-pc-linux-gnu b.c f.o && ./a.out",
    ),
    (
        "unused_library_at_compile",
        "$CC -c f.c -lm -L. -Wl,-rpath,/x",
    ),
    ("only_objects_at_compile", "$CC -c f.c && $CC -c f.o"),
    (
        "colour",
        "$CC -fdiagnostics-color=never -fno-caret-diagnostics -c f.c",
    ),
    (
        "mllvm",
        "$CC -mllvm -inline-threshold=10 -Xclang -fno-validate-pch -c f.c",
    ),
    (
        "serialize_diagnostics",
        "$CC --serialize-diagnostics f.dia -c f.c && test -s f.dia",
    ),
    (
        "compilation_database",
        "$CC -MJ f.json -c f.c && grep -c '\"file\": \"f.c\"' f.json",
    ),
    (
        "random_flags_of_gcc",
        "$CC -fno-tree-vectorize -funroll-loops -fno-semantic-interposition -finline-limit=9 -fgnu89-inline -w -c f.c",
    ),
    (
        "time_stamps",
        "$CC -ffile-prefix-map=/tmp=/x -fdebug-prefix-map=/tmp=/x -fmacro-prefix-map=/tmp=/x -c f.c",
    ),
    (
        "working_directory",
        "mkdir d && cp f.c d && $CC -working-directory d -c f.c -o f.o && find . -name f.o",
    ),
    // Response files.
    ("response", "$CC @words.rsp && './out put'"),
    ("response_missing", "$CC @none.rsp"),
    (
        "response_large",
        "(echo -c f.c; for i in $(seq 30000); do echo \"-DSOME_RATHER_LONG_NAME_OF_A_MACRO_$i=12345678901234567890123456789012345678901234567890\"; done) > big.rsp && $CC @big.rsp && ls -1 f.o",
    ),
    // Names.
    (
        "space",
        "$CC 'sp ace.c' -o 'the prog' && './the prog' && $CC -c 'sp ace.c' -MMD && cat 'sp ace.d'",
    ),
    ("non_ascii", "$CC grün.c -o prög && ./prög && $CC -c grün.c"),
    ("dots", "cp f.c f.x.c && $CC -c f.x.c && ls *.o"),
    ("absolute", "$CC -c \"$PWD/f.c\" && ls *.o"),
    (
        "capital_s",
        "$CC -DEXTRA=2 -c pp.S && $CC b.c pp.o && ./a.out",
    ),
    ("assembler", "$CC b.c asm.s && ./a.out"),
    (
        "assembler_preprocessed",
        "$CC -DEXTRA=1 b.c pp.S && ./a.out && $CC -x assembler-with-cpp -DEXTRA=2 -c pp.S",
    ),
    (
        "assembler_preprocess_only",
        "$CC -DEXTRA=1 -E pp.S | grep mov",
    ),
    // Linking.
    (
        "archive",
        "$CC -c f.c && ar rcs libf.a f.o && $CC b.c libf.a -o prog && ./prog && $CC b.c -L. -lf -o prog && ./prog",
    ),
    (
        "archive_before",
        "$CC -c b.c f.c && ar rcs libb.a b.o f.o && $CC libb.a -o prog; ./prog",
    ),
    ("nm", "$CC -c f.c && nm f.o | grep -c ' T f$'"),
    (
        "shared",
        "$CC -shared -fPIC f.c -o libf.so && $CC b.c -L. -lf -Wl,-rpath,'$ORIGIN' -o prog && ./prog",
    ),
    (
        "a_function_that_is_nowhere_is_missed_when_it_is_called",
        "printf '.globl g\ng: cmp $1, %%edi\njg 1f\nmov $4, %%eax\nret\n1: jmp nowhere@PLT\n.section .note.GNU-stack,\"\",@progbits\n' > n.s && printf 'int g(int);\nint main(int c, char **v) { (void)v; return g(c); }\n' > n.c && $CC -fuse-ld=lld n.c n.s -Wl,--unresolved-symbols=ignore-all -o n && ./n",
    ),
    (
        "a_library_that_nothing_needs_is_not_loaded",
        "printf '#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\nint main(void) { puts(dlsym(RTLD_DEFAULT, \"cosf\") ? \"there\" : \"not there\"); return 0; }\n' > n.c && $CC n.c -o n && ./n && $CC n.c -lm -o n && ./n",
    ),
    (
        "shared_soname",
        "$CC -shared -fPIC f.c -Wl,-soname,libf.so.1 -o libf.so.1.2 && ln -s libf.so.1.2 libf.so.1 && $CC b.c libf.so.1.2 -Wl,-rpath,. -o prog && ./prog",
    ),
    (
        "shared_map",
        "$CC -shared -fPIC f.c -Wl,--version-script=lib.map -o libf.so && $CC b.c libf.so -Wl,-rpath,. && ./a.out",
    ),
    (
        "map_of_another",
        "printf 'V { global: nowhere; };\n' > none.map && $CC b.c f.c -Wl,--version-script=none.map -o prog && ./prog",
    ),
    (
        "shared_defs",
        "$CC -shared -fPIC f.c -Wl,-z,defs -Wl,--no-undefined -o libf.so && $CC b.c libf.so -Wl,-rpath,. && ./a.out",
    ),
    (
        "shared_bsymbolic",
        "$CC -shared -fPIC f.c -Wl,-Bsymbolic -o libf.so && $CC b.c libf.so -Wl,-rpath,. && ./a.out",
    ),
    (
        "dlopen",
        "$CC -shared -fPIC f.c -o libf.so && $CC plugin.c -ldl -o prog && ./prog",
    ),
    ("rdynamic", "$CC -rdynamic dl.c -ldl && ./a.out"),
    ("export_dynamic", "$CC -Wl,-E dl.c && ./a.out"),
    ("static", "$CC -static b.c f.c && ./a.out"),
    ("static_pie", "$CC -static-pie b.c f.c && ./a.out"),
    ("pie", "$CC -fPIE -pie b.c f.c && ./a.out"),
    ("no_pie", "$CC -fno-pie -no-pie b.c f.c && ./a.out"),
    (
        "relocatable",
        "$CC -c b.c f.c && $CC -r b.o f.o -o all.o && $CC all.o && ./a.out",
    ),
    (
        "relocatable_nostdlib",
        "$CC -nostdlib -r b.c f.c -o all.o && $CC all.o && ./a.out",
    ),
    (
        "ld_r",
        "$CC -c b.c f.c && ld -r b.o f.o -o all.o && $CC all.o && ./a.out",
    ),
    (
        "nostdlib",
        "$CC -shared -nostdlib -fPIC f.c -o libf.so && $CC b.c libf.so -Wl,-rpath,. && ./a.out",
    ),
    (
        "nostdlib_program",
        "echo 'void _start(void) { __asm__ volatile(\"mov $60, %eax; mov $3, %edi; syscall\"); }' > s.c && $CC -nostdlib s.c -o s && ./s",
    ),
    (
        "nostartfiles",
        "$CC -nostartfiles -shared -fPIC f.c -o libf.so",
    ),
    (
        "nodefaultlibs",
        "$CC -nodefaultlibs b.c f.c -lc -lgcc && ./a.out",
    ),
    ("threads", "$CC -pthread threads.c && ./a.out"),
    ("libm", "$CC common.c -lm && ./a.out"),
    (
        "wl",
        "$CC b.c f.c -Wl,--as-needed -Wl,-O1 -Wl,--hash-style=gnu -Wl,--build-id -Wl,-z,relro,-z,now -Xlinker --warn-common && ./a.out",
    ),
    (
        "whole_archive",
        "$CC -c f.c && ar rcs libf.a f.o && $CC b.c -Wl,--whole-archive libf.a -Wl,--no-whole-archive && ./a.out",
    ),
    (
        "start_group",
        "$CC -c f.c && ar rcs libf.a f.o && $CC b.c -Wl,--start-group -L. -lf -lm -Wl,--end-group && ./a.out",
    ),
    (
        "wrap",
        "echo 'int __real_f(int); int __wrap_f(int x) { return __real_f(x) + 1; }' > w.c && $CC b.c f.c w.c -Wl,--wrap=f && ./a.out",
    ),
    ("use_bfd", "$CC -fuse-ld=bfd b.c f.c && ./a.out"),
    ("use_lld", "$CC -fuse-ld=lld b.c f.c && ./a.out"),
    ("map_file", "$CC b.c f.c -Wl,-Map,out.map && ./a.out"),
    ("strip", "$CC -s b.c f.c && ./a.out"),
    ("strip_tool", "$CC b.c f.c && strip a.out && ./a.out"),
    (
        "relink_of_own_assembly",
        "$CC -S b.c f.c && $CC b.s f.s && ./a.out",
    ),
    (
        "entry_and_undefined",
        "$CC b.c f.c -u f -Wl,-e,_start && ./a.out",
    ),
    ("constructors", "$CC ctors.c && ./a.out"),
    (
        "weak_and_common",
        "echo 'int c; extern int missing __attribute__((weak)); int main(void) { return &missing != 0; }' > w.c && echo 'int c;' > w2.c && $CC -fcommon w.c w2.c && ./a.out",
    ),
    (
        "objects_of_a_verbose_link",
        "$CXX -fPIC -c noexcept.cc && $CXX -shared noexcept.o -o x.so -v 2>&1 | tr ' \"' '\\n\\n' | grep '\\.o$' | sed 's,.*/,,'",
    ),
    (
        "reproducible",
        "$CC -O2 -g -c f.c -o 1.o && $CC -O2 -g -c f.c -o 2.o && cmp 1.o 2.o && $CC b.c f.c -o 1 && $CC b.c f.c -o 2 && cmp 1 2",
    ),
    ("use_gold", "$CC -fuse-ld=gold b.c f.c && ./a.out"),
    (
        "use_gold_shared",
        "$CC -fuse-ld=gold -shared -fPIC f.c -o libf.so && $CC -fuse-ld=gold b.c libf.so -Wl,-rpath,. && ./a.out",
    ),
    (
        "use_bfd_shared",
        "$CC -fuse-ld=bfd -shared -fPIC f.c -Wl,--version-script=lib.map -Wl,-z,defs -o libf.so && $CC -fuse-ld=bfd b.c libf.so -Wl,-rpath,. && ./a.out",
    ),
    (
        "null_output",
        "$CC -c f.c -o /dev/null && ! $CC -c bad.c -o /dev/null && test -c /dev/null",
    ),
    (
        "parallel",
        "for i in 1 2 3 4; do $CC -c f.c -o $i.o & done; wait; cmp 1.o 2.o && cmp 3.o 4.o",
    ),
    // C++.
    ("cxx", "$CXX throw.cc -o prog && ./prog"),
    (
        "cxx_levels",
        "for o in 0 1 3; do BOTHWAYS_OPT=$o $CXX throw.cc -o prog && ./prog || exit; done",
    ),
    (
        "cxx_uncaught",
        "$CXX uncaught.cc -o prog && sh -c './prog; echo $?' 2> /dev/null",
    ),
    (
        "cxx_no_exceptions",
        "$CXX -fno-exceptions -fno-rtti noexcept.cc && ./a.out",
    ),
    ("cxx_c_driver", "$CC noexcept.cc -lstdc++ && ./a.out"),
    (
        "cxx_separate",
        "$CXX -std=c++20 -c throw.cc && $CXX throw.o && ./a.out",
    ),
    ("cxx_static", "$CXX -static throw.cc && ./a.out"),
    (
        "cxx_mixed",
        "printf 'extern \"C\" int f(int);\\nint main() { return f(1); }\\n' > m.cc && $CC -c f.c && $CXX m.cc f.o && ./a.out",
    ),
    (
        "cxx_exception_through_c",
        "printf 'extern \"C\" void via(void (*)());\\n#include <cstdio>\\nstatic void thrower() { throw 5; }\\nint main() { try { via(thrower); } catch (int i) { std::printf(\"%%d\\\\n\", i); } return 0; }\\n' > m.cc && echo 'void via(void (*g)(void)) { g(); }' > v.c && $CC -fexceptions -c v.c && $CXX m.cc v.o && ./a.out",
    ),
];

/// A script that builds `prog`, and what `bothways test` finds in it.
struct Covers {
    name: &'static str,
    script: &'static str,
    covered: u64,
    total: u64,
}

const fn covering(name: &'static str, script: &'static str, covered: u64, total: u64) -> Covers {
    Covers {
        name,
        script,
        covered,
        total,
    }
}

/// `sym.c` has no branch and calls `f`, which has one.
const COVERS: &[Covers] = &[
    covering("pie", "$CC -fPIE -pie sym.c f.c -o prog", 2, 2),
    covering("no_pie", "$CC -fno-pie -no-pie sym.c f.c -o prog", 2, 2),
    covering(
        "what_gcc_only_warns_of",
        "printf 'f(x) { puts(\"\"); return x > 1 ? 7 * x : 3; }\\n' > old.c && $CC sym.c old.c -o prog",
        2,
        2,
    ),
    // Optimised, calls of such a function are gone; nobody else defines it.
    covering(
        "inline_functions_without_extern",
        "printf 'inline int least(int a, int b) { return a < b ? a : b; }\\n' > least.h && printf '#include \"least.h\"\\nint g(int x) { return least(x, 3); }\\n' > g.c && printf '#include \"least.h\"\\nint g(int);\\nint f(int x) { return g(least(x, 5)); }\\n' > h.c && $CC -O2 sym.c g.c h.c -o prog",
        2,
        2,
    ),
    covering("static", "$CC -static sym.c f.c -o prog", 2, 2),
    covering(
        "folder_gone",
        "mkdir sub && cp sym.c f.c sub && (cd sub && $CC sym.c f.c -o ../prog) && rm -r sub",
        2,
        2,
    ),
    covering("static_pie", "$CC -static-pie sym.c f.c -o prog", 2, 2),
    covering(
        "separate",
        "$CC -c sym.c f.c && $CC sym.o f.o -o prog",
        2,
        2,
    ),
    covering(
        "objects_gone",
        "$CC -c sym.c f.c && $CC sym.o f.o -o prog && rm *.o",
        2,
        2,
    ),
    covering(
        "archive",
        "$CC -c f.c && ar rcs libf.a f.o && $CC sym.c libf.a -o prog",
        2,
        2,
    ),
    covering(
        "archive_by_l",
        "$CC -c f.c && ar rcs libf.a f.o && $CC sym.c -L. -lf -o prog",
        2,
        2,
    ),
    covering(
        "shared",
        "$CC -shared -fPIC f.c -o libf.so && $CC sym.c libf.so -Wl,-rpath,\"$PWD\" -o prog",
        2,
        2,
    ),
    covering(
        "shared_by_l",
        "$CC -shared -fPIC f.c -o libf.so && $CC sym.c -L. -lf -Wl,-rpath,\"$PWD\" -o prog",
        2,
        2,
    ),
    covering(
        "shared_through_shared",
        "echo 'int sqr(int); int f(int x) { return x > 1 ? sqr(x) : 3; }' > f2.c && printf '#include <math.h>\\nint sqr(int x) { return x > 5 ? (int)sqrt((double)(x & 3)) : 4; }\\n' > g.c && $CC -shared -fPIC g.c -lm -o libg.so && $CC -shared -fPIC f2.c libg.so -Wl,-rpath,\"$PWD\" -o libf.so && $CC sym.c -L. -lf -Wl,-rpath,\"$PWD\" -o prog",
        4,
        4,
    ),
    covering(
        "shared_that_is_not_needed",
        "echo 'int unused(int x) { return x > 1; }' > u.c && $CC -shared -fPIC u.c -o libu.so && $CC sym.c f.c -Wl,--as-needed -L. -lu -o prog",
        2,
        2,
    ),
    covering(
        "relocatable",
        "$CC -c sym.c f.c && $CC -r sym.o f.o -o all.o && $CC all.o -o prog",
        2,
        2,
    ),
    covering(
        "assembly",
        "$CC -S sym.c f.c && $CC sym.s f.s -o prog",
        2,
        2,
    ),
    covering("assembler_source", "$CC sym.c asm.s -o prog", 0, 0),
    covering(
        "assembler_source_with_flags",
        "$CC -DEXTRA=1 sym.c pp.S -o prog",
        0,
        0,
    ),
    covering("stdin", "cat f.c | $CC -x c - -x none sym.c -o prog", 2, 2),
    covering("lto", "$CC -flto -O3 sym.c f.c -o prog", 2, 2),
    covering(
        "sections",
        "$CC -ffunction-sections -Wl,--gc-sections sym.c f.c -o prog",
        2,
        2,
    ),
    covering(
        "space",
        "mv sym.c 's y m.c' && $CC 's y m.c' f.c -o prog",
        2,
        2,
    ),
    covering(
        "precompiled_header",
        "echo 'int f(int);' > p.h && $CC -x c-header p.h -o p.h.gch && $CC -include p.h sym.c f.c -o prog",
        2,
        2,
    ),
    covering(
        "levels_by_flag",
        "$CC -fbothways-opt=0 sym.c -c && $CC -fbothways-opt=3 sym.o f.c -o prog",
        2,
        2,
    ),
    covering("strip", "$CC -s sym.c f.c -o prog && strip prog", 2, 2),
    covering(
        "bfd_sections",
        "$CC -fuse-ld=bfd -ffunction-sections -fdata-sections -Wl,--gc-sections sym.c f.c -o prog",
        2,
        2,
    ),
    covering(
        "bfd_static_pie",
        "$CC -fuse-ld=bfd -static-pie sym.c f.c -o prog",
        2,
        2,
    ),
    covering(
        "bfd_shared",
        "$CC -fuse-ld=bfd -shared -fPIC f.c -o libf.so && $CC -fuse-ld=bfd sym.c -L. -lf -Wl,-rpath,\"$PWD\" -o prog",
        2,
        2,
    ),
    covering("bfd", "$CC -fuse-ld=bfd sym.c f.c -o prog", 2, 2),
    covering("cxx_exceptions", "$CXX sym.cc -o prog", 8, 8),
    covering(
        "cxx_exceptions_level_0",
        "$CXX -fbothways-opt=0 sym.cc -o prog",
        8,
        8,
    ),
];

/// Scripts that fail, or warn, in our own words.
const SAYS: &[(&str, &str, &str)] = &[
    (
        "relaxed",
        "printf 'f() { return g(2); }\\n' > old.c && $CC -c old.c && test -f old.o",
        "old.c was compiled with -Wno-error=implicit-function-declaration -Wno-error=implicit-int",
    ),
    // `configure` of before 2001: what does not compile is no compiler, or a big-endian machine.
    (
        "old_checks",
        "printf 'main() { exit(0); }\\n' > conftest.c && $CC -o conftest conftest.c && ./conftest",
        "conftest.c was compiled with -Wno-error=implicit-function-declaration -Wno-error=implicit-int",
    ),
    (
        "not_utf8",
        "n=$(printf 'x\\377.c'); cp f.c \"$n\" && $CC -c \"$n\" -o x.o",
        "not in UTF-8",
    ),
    (
        "level",
        "$CC -fbothways-opt=9 -c f.c",
        "optimisation level '9'",
    ),
    (
        "level_by_variable",
        "BOTHWAYS_OPT=fast $CC -c f.c",
        "BOTHWAYS_OPT",
    ),
    // GNU indent has `LC_ALL` from a header that includes another where the compiler optimises.
    (
        "only_optimised",
        "printf '#include <libintl.h>\\nint f(void) { return LC_ALL; }\\n' > o.c && ! $CC -O0 -c o.c 2> /dev/null && $CC -O1 -c o.c && test -f o.o",
        "o.c was compiled with -D__OPTIMIZE__=1",
    ),
    (
        "only_optimised_with_inline_bodies",
        "printf '#include <libintl.h>\\ninline int g(int x) { return x + LC_ALL; }\\nint main(void) { return g(0) != 6; }\\n' > o.c && $CC -O1 o.c -o o && ./o",
        "o.c was compiled with -D__OPTIMIZE__=1",
    ),
    (
        "address_sanitizer",
        "$CC -fsanitize=address -c f.c",
        "-fsanitize=address",
    ),
];

/// A folder with [`FILES`].
fn folder() -> Result<tempfile::TempDir, Failed> {
    let dir = tempfile::tempdir()?;
    for (name, text) in FILES {
        fs::write(dir.path().join(name), text)?;
    }
    Ok(dir)
}

fn clang(name: &str, variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| name.to_owned())
}

/// Runs a script with one pair of compilers.
fn sh(dir: &Path, script: &str, cc: &str, cxx: &str) -> Result<Output, Failed> {
    let output = Command::new("sh")
        .args(["-c", script])
        .current_dir(dir)
        .env("CC", cc)
        .env("CXX", cxx)
        .env("PWD", dir)
        .output()?;
    Ok(output)
}

fn ours(dir: &Path, script: &str) -> Result<Output, Failed> {
    let command = bothways().display().to_string();
    sh(
        dir,
        script,
        &format!("{command} cc"),
        &format!("{command} c++"),
    )
}

fn files(dir: &Path) -> Result<BTreeSet<PathBuf>, Failed> {
    let mut found = BTreeSet::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.insert(path.strip_prefix(dir)?.to_owned());
        }
    }
    Ok(found)
}

/// Standard output without the name of the folder.
fn said(output: &Output, dir: &Path) -> String {
    String::from_utf8_lossy(&output.stdout).replace(&*dir.to_string_lossy(), "DIR")
}

fn like_clang(script: &str) -> Result<(), Failed> {
    let (plain, own) = (folder()?, folder()?);
    let expected = sh(
        plain.path(),
        script,
        &clang("clang-19", "BOTHWAYS_CLANG"),
        &clang("clang++-19", "BOTHWAYS_CLANGXX"),
    )?;
    let got = ours(own.path(), script)?;
    let left = (files(plain.path())?, files(own.path())?);
    let same = expected.status == got.status
        && said(&expected, plain.path()) == said(&got, own.path())
        && left.0 == left.1;
    if same {
        return Ok(());
    }
    let missing: Vec<_> = left.0.difference(&left.1).collect();
    let extra: Vec<_> = left.1.difference(&left.0).collect();
    Err(format!(
        "{script}\n=== clang: {}\n=== bothways: {}\nmissing: {missing:?}, too many: {extra:?}",
        shown(&expected),
        shown(&got)
    )
    .into())
}

fn covers(case: &Covers) -> Result<(), Failed> {
    let dir = folder()?;
    let built = ours(dir.path(), case.script)?;
    if !built.status.success() {
        return Err(shown(&built).into());
    }
    let args = ["test", "./prog", "--json", "--quiet", "--time", "120"];
    let output = run(dir.path(), &args);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{error}: {}", shown(&output)))?;
    let number = |pointer: &str| json.pointer(pointer).and_then(serde_json::Value::as_u64);
    let found = (number("/goals/covered"), number("/goals/total"));
    let differences = json
        .pointer("/judge/differences")
        .and_then(serde_json::Value::as_array)
        .map(Vec::len);
    if found == (Some(case.covered), Some(case.total)) && differences == Some(0) {
        return Ok(());
    }
    Err(format!(
        "(covered, total) {found:?}, differences {differences:?}\n{}",
        shown(&output)
    )
    .into())
}

fn says(script: &str, word: &str) -> Result<(), Failed> {
    let dir = folder()?;
    let output = ours(dir.path(), script)?;
    if String::from_utf8_lossy(&output.stderr).contains(word) {
        return Ok(());
    }
    Err(format!("stderr does not say '{word}': {}", shown(&output)).into())
}
