//! Functions without a body in the program: what they may write, what they give back, whether they come back.
//!
//! Must hold: a name that is not here may write to all that it can reach, call back what has escaped, and return anything.

use crate::{Global, Program};

/// What a call of a function outside the program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It never comes back.
    NoReturn,
    /// It comes back only if its argument is not 0.
    Assume,
    /// It writes nothing that the program sees, keeps no pointer, and returns a number.
    Pure,
    /// It writes to the objects that its arguments point to, and keeps no pointer.
    Writes(Result),
    /// It writes nothing and keeps no pointer.
    Reads(Result),
    /// It makes an object, or returns `NULL`. With `true` its bytes are 0.
    Allocates(bool),
    /// It makes an object that holds what its first argument's held, or returns `NULL`.
    Reallocates,
    /// It returns the address of a number of the library.
    OwnNumber,
    /// It returns a number, and writes an address in its first argument's object to where its second argument points.
    Parses,
    /// It writes to the objects that its arguments point to, may keep what it is given, and returns anything. While it runs it calls
    /// nothing of the program.
    Keeps,
    /// It may write to all that it can reach, keep it, and call back.
    Unknown,
}

/// What such a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Result {
    /// A number, or nothing.
    Number,
    /// Its first argument.
    First,
    /// Its first argument or `NULL`.
    FirstOrNull,
    /// An address somewhere in the object of its first argument, or `NULL`.
    Within,
    /// An address that is not of an object of the program, or `NULL`.
    Outside,
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

/// Functions that return the address of a number of the library's own, which anything may write: nothing of the program is there.
const OWN_NUMBERS: &[&str] = &["__errno_location"];

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

/// Functions whose mere presence takes the ground from under the analysis: control comes back where it left a frame.
pub const COMES_BACK: &[&str] = &[
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "__builtin_setjmp",
    "getcontext",
    "makecontext",
    "swapcontext",
    "vfork",
];

/// Functions that find variables and functions of the program by their names, or load code that does.
pub const FINDS_NAMES: &[&str] = &["dlopen", "dlmopen", "dlsym", "dlvsym"];

/// May code that is not in the model find variables and functions of the program by their names? `foreign`: the program is linked with
/// such code.
#[must_use]
pub fn finds_names(program: &Program, foreign: bool) -> bool {
    let mut names = program.externs.values().map(|known| known.name.as_str());
    foreign || names.any(|name| FINDS_NAMES.contains(&name))
}

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

/// The same, with a message that a function of the program may print the first part of.
const MESSAGES: &[&str] = &["error", "error_at_line"];
/// The variable that has its address.
const MESSAGE_HOOK: &str = "error_print_progname";

/// Functions that may write to what they were given before, or to what their arguments' objects lead to, and call nothing of the program
/// while they run.
const CALLS_NOTHING: &[&str] = &[
    "__sigsetjmp",
    "_longjmp",
    "_setjmp",
    "accept",
    "atexit",
    "bind",
    "connect",
    "freeaddrinfo",
    "gai_strerror",
    "getaddrinfo",
    "getcwd",
    "getdelim",
    "getgroups",
    "getline",
    "getopt",
    "getopt_long",
    "getopt_long_only",
    "grantpt",
    "ioctl",
    "listen",
    "longjmp",
    "mbrlen",
    "mktime",
    "mtrace",
    "poll",
    "posix_openpt",
    "ptsname",
    "putenv",
    "re_compile_pattern",
    "re_match",
    "re_search",
    "re_set_syntax",
    "realpath",
    "recvfrom",
    "select",
    "setbuf",
    "setjmp",
    "setsockopt",
    "setvbuf",
    "shutdown",
    "siglongjmp",
    "sigsetjmp",
    "socket",
    "strtok",
    "strtok_r",
    "timegm",
    "unlockpt",
    "vfprintf",
    "vprintf",
    "vsnprintf",
    "vsprintf",
];

/// Functions that call what they are given while they run, and nothing else.
const CALLS_GIVEN: &[&str] = &["bsearch", "lfind", "lsearch", "qsort"];

/// Is it known of a function that while it runs it calls nothing of the program but what it is given, though not what it writes?
#[must_use]
pub fn calls_nothing(name: &str) -> bool {
    CALLS_NOTHING.contains(&name) || CALLS_GIVEN.contains(&name)
}

/// How the names begin of functions that fail now and then in place of others.
const FAILS: &str = "__bw_fail_";

/// Variables of the C library, which it writes to: also to those of these names that a program defines.
const VARIABLES: &[&str] = &[
    "optind",
    "optarg",
    "opterr",
    "optopt",
    "environ",
    "__environ",
    "timezone",
    "daylight",
    "tzname",
    "signgam",
    "stdin",
    "stdout",
    "stderr",
    "__progname",
    "__progname_full",
    "program_invocation_name",
    "program_invocation_short_name",
    "error_message_count",
    "error_print_progname",
    "error_one_per_line",
    "getdate_err",
    "h_errno",
    "loc1",
    "loc2",
    "locs",
    "__malloc_hook",
    "__realloc_hook",
    "__memalign_hook",
    "__free_hook",
    "re_syntax_options",
];

/// May the C library write to a variable that it finds by its name?
#[must_use]
pub fn is_of_library(global: &Global) -> bool {
    !global.internal && VARIABLES.contains(&global.name.as_str())
}

/// Functions that let the kernel write to the program's objects while it goes on.
pub const WRITES_LATER: &[&str] = &["aio_read", "aio_read64", "lio_listio", "lio_listio64"];

/// Functions that use a stream, and so call functions of the program where it made the stream of them.
const USES_STREAMS: &[&str] = &[
    "putchar",
    "putchar_unlocked",
    "puts",
    "putc",
    "putc_unlocked",
    "fputc",
    "fputc_unlocked",
    "fputs",
    "fputs_unlocked",
    "fwrite",
    "fwrite_unlocked",
    "printf",
    "fprintf",
    "perror",
    "fflush",
    "fflush_unlocked",
    "fclose",
    "getchar",
    "getchar_unlocked",
    "getc",
    "getc_unlocked",
    "fgetc",
    "fgetc_unlocked",
    "fread",
    "fread_unlocked",
    "fgets",
    "gets",
    "ungetc",
    "scanf",
    "__isoc99_scanf",
    "fscanf",
    "__isoc99_fscanf",
    "fseek",
    "fseeko",
    "ftell",
    "ftello",
    "rewind",
];

/// Functions that make a stream of functions of the program.
const MAKES_STREAMS: &[&str] = &["fopencookie", "funopen"];

/// What calls of functions outside do in a program.
#[derive(Clone, Copy, Debug)]
pub struct Outside {
    has_own_streams: bool,
    has_message_hook: bool,
}

impl Outside {
    /// Of this program.
    #[must_use]
    pub fn of(program: &Program) -> Outside {
        let mut externs = program.externs.values();
        let mut globals = program.globals.values();
        Outside {
            has_own_streams: externs.any(|known| MAKES_STREAMS.contains(&known.name.as_str())),
            has_message_hook: globals.any(|global| global.name == MESSAGE_HOOK),
        }
    }

    /// Does the program make streams of functions of its own?
    #[must_use]
    pub fn has_own_streams(self) -> bool {
        self.has_own_streams
    }

    /// What a call of the function does. A stream hands its functions what it was given itself, not only a copy.
    #[must_use]
    pub fn effect(self, name: &str) -> Effect {
        if self.has_own_streams && USES_STREAMS.contains(&name)
            || self.has_message_hook && MESSAGES.contains(&name)
        {
            return Effect::Unknown;
        }
        effect(name)
    }
}

/// What a call of the function does where streams call nobody.
fn effect(name: &str) -> Effect {
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
    } else if OWN_NUMBERS.contains(&name) {
        Effect::OwnNumber
    } else if PARSES.contains(&name) {
        Effect::Parses
    } else if KEEPS.contains(&name) || MESSAGES.contains(&name) {
        Effect::Keeps
    } else {
        Effect::Unknown
    }
}
