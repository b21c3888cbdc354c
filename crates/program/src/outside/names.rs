//! What functions do, by their names, where streams call nobody.
//!
//! Must hold: a function that is listed does no more than its list says, in every C library.

use super::variables::WHY;
use super::{Effect, Result};

/// What a call of the function does where streams call nobody.
pub(super) fn effect(name: &str) -> Effect {
    let name = name.strip_prefix(FAILS).unwrap_or(name);
    if name.starts_with("__VERIFIER_nondet") || matches!(name, "klee_int" | "klee_range") {
        return Effect::Pure;
    }
    if name == "bw_reach_error" {
        return Effect::NoReturn;
    }
    let of = |table: &[(&str, Result)]| {
        let mut rows = table.iter();
        rows.find(|(known, _)| *known == name)
            .map(|(_, result)| *result)
    };
    if NO_RETURN.contains(&name) {
        Effect::NoReturn
    } else if ASSUME.contains(&name) {
        Effect::Assume
    } else if PURE.contains(&name) {
        Effect::Pure
    } else if let Some(result) = of(WRITES) {
        Effect::Writes(result)
    } else if name.starts_with("bw_") || name.starts_with("__Crest") {
        Effect::Writes(Result::Number)
    } else if let Some(result) = of(READS) {
        Effect::Reads(result)
    } else if let Some((_, zeroed)) = ALLOCATES.iter().find(|(known, _)| *known == name) {
        Effect::Allocates(*zeroed)
    } else if matches!(name, "realloc" | "reallocarray") {
        Effect::Reallocates
    } else if WHY.contains(&name) {
        Effect::OwnNumber
    } else if PARSES.contains(&name) {
        Effect::Parses
    } else if KEEPS.contains(&name) || MESSAGES.contains(&name) {
        Effect::Keeps
    } else {
        Effect::Unknown
    }
}

/// How the names begin of functions that fail now and then in place of others.
pub(super) const FAILS: &str = "__bw_fail_";

/// All names of the tables.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    let plain = [NO_RETURN, ASSUME, PURE, WHY, PARSES].into_iter().flatten();
    let results = WRITES.iter().chain(READS).map(|(name, _)| name);
    let made = ALLOCATES.iter().map(|(name, _)| name);
    plain.chain(results).chain(made).copied()
}

const NO_RETURN: &[&str] = &[
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "__assert_fail",
    "__assert",
    "__assert_rtn",
    "__assert_perror_fail",
    "__VERIFIER_error",
    "reach_error",
    "__builtin_trap",
    "__stack_chk_fail",
    "err",
    "errx",
    "verr",
    "verrx",
];

const ASSUME: &[&str] = &[
    "__VERIFIER_assume",
    "klee_assume",
    "__CPROVER_assume",
    "__bw_assume",
    "bw_assume",
];

const PURE: &[&str] = &[
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "memcmp",
    "bcmp",
    "strspn",
    "strcspn",
    "strcoll",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "abs",
    "labs",
    "llabs",
    "isalpha",
    "isdigit",
    "isalnum",
    "isspace",
    "isupper",
    "islower",
    "isxdigit",
    "ispunct",
    "isprint",
    "isgraph",
    "iscntrl",
    "isblank",
    "isascii",
    "toascii",
    "toupper",
    "tolower",
    "putchar",
    "putchar_unlocked",
    "puts",
    "putc",
    "fputc",
    "fputs",
    "fwrite",
    "write",
    "perror",
    "fflush",
    "fclose",
    "close",
    "free",
    "sleep",
    "usleep",
    "rand",
    "random",
    "srand",
    "srandom",
    "getpid",
    "getppid",
    "getuid",
    "geteuid",
    "getchar",
    "getchar_unlocked",
    "getc",
    "fgetc",
    "ungetc",
    "feof",
    "ferror",
    "clearerr",
    "fseek",
    "ftell",
    "rewind",
    "isatty",
    "fileno",
    "unlink",
    "remove",
    "rename",
    "access",
    "chdir",
    "rmdir",
    "mkdir",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "exp",
    "log",
    "pow",
    "floor",
    "ceil",
    "fabs",
    "fmod",
    "round",
    "trunc",
    "raise",
    "sigismember",
    "kill",
    "lseek",
    "sched_yield",
    "alarm",
    "umask",
    "chmod",
    "isinf",
    "isnan",
    "__ctype_get_mb_cur_max",
    "__fpending",
    "btowc",
    "clearerr_unlocked",
    "closedir",
    "dirfd",
    "dup",
    "dup2",
    "fchdir",
    "feof_unlocked",
    "ferror_unlocked",
    "fflush_unlocked",
    "fgetc_unlocked",
    "fnmatch",
    "fputc_unlocked",
    "fputs_unlocked",
    "fseeko",
    "ftello",
    "ftruncate",
    "fwrite_unlocked",
    "getc_unlocked",
    "getpagesize",
    "iswalnum",
    "iswalpha",
    "iswblank",
    "iswcntrl",
    "iswdigit",
    "iswgraph",
    "iswlower",
    "iswprint",
    "iswpunct",
    "iswspace",
    "iswupper",
    "iswxdigit",
    "mbsinit",
    "open",
    "open64",
    "openat",
    "openat64",
    "putc_unlocked",
    "sysconf",
    "towlower",
    "towupper",
    "wctob",
    "wcwidth",
    "chown",
    "execl",
    "execlp",
    "execv",
    "execvp",
    "fork",
    "getegid",
    "getgid",
    "link",
    "munmap",
    "pclose",
    "setenv",
    "symlink",
    "system",
    "tcsetattr",
    "unsetenv",
    "utime",
    "acos",
    "asin",
    "atan",
    "atan2",
    "clock",
    "cosh",
    "difftime",
    "getpgrp",
    "iswctype",
    "setsid",
    "sinh",
    "tanh",
    "wcscoll",
    "wcslen",
    "wctype",
];

const WRITES: &[(&str, Result)] = &[
    ("scanf", Result::Number),
    ("__isoc99_scanf", Result::Number),
    ("fscanf", Result::Number),
    ("__isoc99_fscanf", Result::Number),
    ("sscanf", Result::Number),
    ("__isoc99_sscanf", Result::Number),
    ("read", Result::Number),
    ("pread", Result::Number),
    ("fread", Result::Number),
    ("recv", Result::Number),
    ("fgets", Result::FirstOrNull),
    ("gets", Result::FirstOrNull),
    ("sprintf", Result::Number),
    ("snprintf", Result::Number),
    ("printf", Result::Number),
    ("fprintf", Result::Number),
    ("dprintf", Result::Number),
    ("strcpy", Result::First),
    ("strncpy", Result::First),
    ("strcat", Result::First),
    ("strncat", Result::First),
    ("memcpy", Result::First),
    ("memmove", Result::First),
    ("memset", Result::First),
    ("bzero", Result::Number),
    ("time", Result::Number),
    ("gettimeofday", Result::Number),
    ("clock_gettime", Result::Number),
    ("stat", Result::Number),
    ("fstat", Result::Number),
    ("lstat", Result::Number),
    ("frexp", Result::Number),
    ("modf", Result::Number),
    ("klee_make_symbolic", Result::Number),
    ("fread_unlocked", Result::Number),
    ("fstatat", Result::Number),
    ("fstatfs", Result::Number),
    ("mbrtowc", Result::Number),
    ("mbtowc", Result::Number),
    ("readlink", Result::Number),
    ("sigaddset", Result::Number),
    ("sigdelset", Result::Number),
    ("sigemptyset", Result::Number),
    ("sigfillset", Result::Number),
    ("sigprocmask", Result::Number),
    ("strxfrm", Result::Number),
    ("wcrtomb", Result::Number),
    ("wctomb", Result::Number),
    ("fcntl", Result::Number),
    ("gethostname", Result::Number),
    ("getrlimit", Result::Number),
    ("getrusage", Result::Number),
    ("mincore", Result::Number),
    ("pipe", Result::Number),
    ("splice", Result::Number),
    ("strftime", Result::Number),
    ("tcgetattr", Result::Number),
    ("times", Result::Number),
    ("uname", Result::Number),
    ("wait", Result::Number),
    ("waitpid", Result::Number),
];

const READS: &[(&str, Result)] = &[
    ("strchr", Result::Within),
    ("strrchr", Result::Within),
    ("strstr", Result::Within),
    ("strpbrk", Result::Within),
    ("memchr", Result::Within),
    ("strchrnul", Result::Within),
    ("memrchr", Result::Within),
    ("rawmemchr", Result::Within),
    ("getenv", Result::Outside),
    ("localeconv", Result::Outside),
    ("nl_langinfo", Result::Outside),
    ("secure_getenv", Result::Outside),
    ("setlocale", Result::Outside),
    ("strerror", Result::Outside),
    ("strsignal", Result::Outside),
    ("fopen", Result::Outside),
    ("fopen64", Result::Outside),
    ("fdopen", Result::Outside),
    ("opendir", Result::Outside),
    ("fdopendir", Result::Outside),
    ("readdir", Result::Outside),
    ("__ctype_b_loc", Result::Outside),
    ("__ctype_tolower_loc", Result::Outside),
    ("__ctype_toupper_loc", Result::Outside),
    ("ctime", Result::Outside),
    ("getpwnam", Result::Outside),
    ("getpwuid", Result::Outside),
    ("gmtime", Result::Outside),
    ("localtime", Result::Outside),
    ("popen", Result::Outside),
    ("tmpfile", Result::Outside),
];

/// Functions that read a number from a text, and write where they ended to where their second argument points.
const PARSES: &[&str] = &[
    "strtod",
    "strtof",
    "strtold",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "strtoimax",
    "strtoumax",
    "__isoc23_strtol",
    "__isoc23_strtoll",
    "__isoc23_strtoul",
    "__isoc23_strtoull",
    "__isoc23_strtoimax",
    "__isoc23_strtoumax",
];

const ALLOCATES: &[(&str, bool)] = &[
    ("malloc", false),
    ("calloc", true),
    ("valloc", false),
    ("aligned_alloc", false),
    ("memalign", false),
    ("strdup", false),
    ("strndup", false),
];

/// See [`Effect::Keeps`].
const KEEPS: &[&str] = &[
    "bind_textdomain_codeset",
    "bindtextdomain",
    "bsd_signal",
    "dcgettext",
    "dgettext",
    "gettext",
    "mmap",
    "ngettext",
    "regcomp",
    "regexec",
    "regfree",
    "sigaction",
    "sigaltstack",
    "signal",
    "sysv_signal",
    "textdomain",
];

/// The same, with a message whose first part a function of the program may print: one whose address is in [`MESSAGE_HOOK`].
pub(super) const MESSAGES: &[&str] = &["error", "error_at_line"];
pub(super) const MESSAGE_HOOK: &str = "error_print_progname";
