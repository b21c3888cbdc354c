//! The one table of C library functions: how instrumentation and runtime treat each.
//!
//! A function that is not in the table is *external*: its symbolic arguments are concretised (and counted), its
//! result is concrete. The table applies only to functions that the module declares and does not define.

/// How calls of a library function are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Treatment {
    /// Replaced by `__bw_libc_<name>` in the runtime, which passes labels like an instrumented function.
    Wrapped,
    /// Replaced by `__bw_model_<name>`, written in C (`runtime/models`) and instrumented like the program.
    Model,
    /// Called as it is; it neither writes memory nor computes a result that a program's decisions hang on, so
    /// symbolic arguments are no loss.
    Harmless,
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// C name.
    pub name: &'static str,
    /// Its treatment.
    pub treatment: Treatment,
}

/// Prefix of wrapped functions.
pub const WRAPPED_PREFIX: &str = "__bw_libc_";
/// Prefix of modelled functions.
pub const MODEL_PREFIX: &str = "__bw_model_";

macro_rules! table {
    ($($treatment:ident: $($name:ident)*;)*) => {
        /// The table, grouped by treatment.
        pub const TABLE: &[Entry] = &[$($(Entry { name: stringify!($name), treatment: Treatment::$treatment },)*)*];
    };
}

table! {
    Wrapped:
        memcpy memmove memset memcmp bcmp bcopy bzero memchr memrchr rawmemchr mempcpy memmem
        strlen strnlen strcmp strncmp strcasecmp strncasecmp strchr strrchr strchrnul index rindex
        strcpy strncpy stpcpy strcat strncat strdup strndup
        malloc calloc realloc free reallocarray
        read fread fgets getc fgetc getchar ungetc fread_unlocked getc_unlocked getchar_unlocked
        __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc
        pthread_create;
    Model:
        isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper
        abs labs llabs atoi atol atoll strtol strtoll strtoul strtoull __isoc23_strtol __isoc23_strtoul
        __isoc23_strtoll __isoc23_strtoull
        strstr strspn strcspn strpbrk strtok strtok_r strsep qsort bsearch;
    Harmless:
        printf fprintf vprintf vfprintf puts fputs putchar putc fputc perror fflush fclose exit _exit _Exit abort
        __assert_fail fwrite write putchar_unlocked putc_unlocked fputs_unlocked dprintf syslog usleep sleep;
}

/// The treatment of a function, if the table has it.
#[must_use]
pub fn treatment(name: &str) -> Option<Treatment> {
    TABLE.iter().find(|entry| entry.name == name).map(|entry| entry.treatment)
}
