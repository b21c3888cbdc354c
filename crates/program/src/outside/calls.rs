//! What functions call of the program while they run, where more is not known of them.

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

/// May a function call what it is given, while it runs?
#[must_use]
pub fn calls_what_it_is_given(name: &str) -> bool {
    CALLS_GIVEN.contains(&name)
}

/// Is it known of a function that while it runs it calls nothing of the program but what it is given, though not what it writes?
pub(super) fn calls_nothing(name: &str) -> bool {
    CALLS_NOTHING.contains(&name) || CALLS_GIVEN.contains(&name)
}
