//! Variables of the C library, which it writes to by their names: also to those that a program defines. And the number that says why a
//! function failed (`errno`), which is found by a call.

use super::names::FAILS;
use crate::{Global, Program};

/// Functions that return the address of that number.
pub(super) const WHY: &[&str] = &["__errno_location"];

/// Functions that cannot fail: they leave the number as it is. C lets each other function write to it, whether it fails or not.
const CANNOT_FAIL: &[&str] = &[
    "__errno_location",
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "memcmp",
    "bcmp",
    "memchr",
    "memrchr",
    "rawmemchr",
    "strchr",
    "strrchr",
    "strchrnul",
    "index",
    "rindex",
    "strspn",
    "strcspn",
    "strstr",
    "strpbrk",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "memcpy",
    "memmove",
    "memset",
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "getenv",
    "secure_getenv",
    "getpid",
];

/// Prefixes of the names of functions that are not of the C library.
const OTHERS: &[&str] = &["__VERIFIER_", "klee_", "bw_", "__bw_", "__Crest", "CREST_"];

/// May a function write to the number that says why it failed?
#[must_use]
pub fn may_fail(name: &str) -> bool {
    let name = name.strip_prefix(FAILS).unwrap_or(name);
    !CANNOT_FAIL.contains(&name) && !OTHERS.iter().any(|other| name.starts_with(other))
}

/// Does a program look at the number that says why a function failed?
#[must_use]
pub fn looks_why(program: &Program) -> bool {
    let mut externs = program.externs.values();
    externs.any(|known| WHY.contains(&known.name.as_str()))
}

/// Those of `getopt`.
const OF_GETOPT: &[&str] = &["optind", "optarg", "opterr", "optopt"];

/// Others.
const VARIABLES: &[&str] = &[
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

/// Functions that write to such variables, whatever else they do or do not do.
const WRITE_THEM: &[&str] = &[
    "lgamma",
    "lgammaf",
    "lgammal",
    "gamma",
    "gammaf",
    "gammal",
    "error",
    "error_at_line",
    "getopt",
    "__posix_getopt",
    "getopt_long",
    "getopt_long_only",
    "setenv",
    "unsetenv",
    "putenv",
    "clearenv",
    "tzset",
    "localtime",
    "localtime_r",
    "gmtime",
    "gmtime_r",
    "ctime",
    "ctime_r",
    "mktime",
    "timelocal",
    "strftime",
    "wcsftime",
    "getdate",
    "gethostbyname",
    "gethostbyname2",
    "gethostbyaddr",
];

/// May a function write to variables that it finds by their names?
#[must_use]
pub fn writes_variables(name: &str) -> bool {
    WRITE_THEM.contains(&name)
}

/// May the C library write to a variable that it finds by its name?
#[must_use]
pub fn is_of_library(global: &Global) -> bool {
    let name = &*global.name;
    !global.internal && (OF_GETOPT.contains(&name) || VARIABLES.contains(&name))
}

/// May `getopt` read and write a variable that it finds by its name?
#[must_use]
pub fn is_of_getopt(global: &Global) -> bool {
    !global.internal && OF_GETOPT.contains(&&*global.name)
}
