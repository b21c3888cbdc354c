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
    /// Harmless where the result is not used; elsewhere a model says what the result is when all is written. That it is
    /// depends on the world outside.
    Output,
    /// Called as it is: symbolic arguments are lost. But its result depends on nothing else (or on the state of a stream
    /// that the decisions before it fix), so with concrete arguments it hides no path. It takes no memory that a
    /// program computes: what is symbolic there would be lost without a trace.
    Pure,
}

/// One row of the table: a function and its treatment.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// C name.
    pub name: &'static str,
    /// Its treatment.
    pub treatment: Treatment,
    /// It neither creates an input nor calls back into the program: while nothing is symbolic, nothing is after it. The
    /// others are *active*, or nobody has looked.
    pub quiet: bool,
}

/// Prefix of wrapped functions.
pub const WRAPPED_PREFIX: &str = "__bw_libc_";
/// Prefix of modelled functions.
pub const MODEL_PREFIX: &str = "__bw_model_";

macro_rules! table {
    (@ quiet) => {
        true
    };
    (@ active) => {
        false
    };
    ($($treatment:ident $voice:ident: $($name:ident)*;)*) => {
        /// The table, grouped by treatment, and by whether the functions are quiet.
        pub const TABLE: &[Entry] = &[$($(Entry {
            name: stringify!($name),
            treatment: Treatment::$treatment,
            quiet: table!(@ $voice),
        },)*)*];
    };
}

table! {
    Wrapped quiet:
        memcpy memmove memset memcmp bcmp bcopy bzero memchr memrchr rawmemchr mempcpy strlen strnlen strspn strcspn
        strcmp strncmp strcasecmp strncasecmp strchr strrchr strchrnul index rindex strcpy strncpy stpcpy strcat strncat
        strdup strndup malloc calloc realloc free reallocarray __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc;
    Wrapped active:
        explicit_bzero __memcpy_chk __memmove_chk __mempcpy_chk __memset_chk __strcpy_chk __stpcpy_chk __strcat_chk
        __strncat_chk __strncpy_chk posix_memalign aligned_alloc memalign read fread fgets getc fgetc getchar ungetc
        getline getdelim fread_unlocked fgets_unlocked getc_unlocked fgetc_unlocked getchar_unlocked pthread_create
        lseek lseek64 pread pread64 fseek fseeko fseeko64 ftell ftello ftello64 rewind mmap mmap64 fstat fstat64 stat
        stat64 lstat lstat64 fstatat fstatat64 getenv secure_getenv;
    Model quiet:
        isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper
        abs labs llabs div ldiv htons htonl ntohs ntohl atoi atol atoll strtol strtoll strtoul strtoull strtoimax
        strtoumax strtod strtof atof strstr strcasestr memmem strpbrk strtok strtok_r strsep sqrt fabs floor ceil trunc
        round fmod iswalpha iswprint mbrtowc towlower sprintf snprintf vsnprintf hcreate hcreate_r hsearch hsearch_r
        hdestroy hdestroy_r insque remque;
    Model active:
        imaxabs lldiv imaxdiv ffs ffsl ffsll toascii isascii __isoc23_strtol __isoc23_strtoul __isoc23_strtoll
        __isoc23_strtoull strtoq strtouq __isoc23_strtoimax __isoc23_strtoumax strtold memccpy stpncpy strverscmp
        strcoll strxfrm basename __xpg_basename dirname qsort bsearch tsearch tfind tdelete twalk
        twalk_r tdestroy lfind lsearch getopt getopt_long getopt_long_only __posix_getopt
        scanf fscanf sscanf vscanf vfscanf vsscanf __isoc99_scanf __isoc99_fscanf __isoc99_sscanf __isoc99_vscanf
        __isoc99_vfscanf __isoc99_vsscanf __isoc23_scanf __isoc23_fscanf __isoc23_sscanf __isoc23_vscanf
        __isoc23_vfscanf __isoc23_vsscanf roundeven rint nearbyint copysign fmin fmax fdim lrint llrint lround llround
        modf sqrtf fabsf floorf ceilf truncf roundf roundevenf rintf nearbyintf copysignf fminf fmaxf fdimf fmodf lrintf
        llrintf lroundf llroundf modff sqrtl fabsl floorl ceill truncl roundl roundevenl rintl nearbyintl copysignl fdiml fmodl
        lrintl llrintl lroundl llroundl __isnanl isnanl __isinfl isinfl __finitel finitel __signbitl __fpclassifyl __isnan __isnanf isnan isnanf __isinf __isinff isinf isinff __finite __finitef
        finite finitef __signbit __signbitf __fpclassify __fpclassifyf btowc iswalnum iswblank iswcntrl iswdigit
        iswgraph iswlower iswpunct iswspace iswupper iswxdigit mblen mbrlen mbsnrtowcs mbsrtowcs mbstowcs mbtowc
        towupper wcrtomb wcscat wcschr wcscmp wcscpy wcsdup wcslen wcsncmp wcsncpy wcsnlen wcsrchr wcsrtombs wcsstr
        wcstod wcstof wcstol wcstoul wcstoll wcstoull wcstoimax wcstoumax __isoc23_wcstol __isoc23_wcstoul
        __isoc23_wcstoll __isoc23_wcstoull __isoc23_wcstoimax __isoc23_wcstoumax
        wcstombs wctob wctomb wcwidth wmemchr wmemcmp wmemcpy wmemmove wmemset vsprintf asprintf vasprintf __sprintf_chk
        __snprintf_chk __vsprintf_chk __vsnprintf_chk __asprintf_chk __vasprintf_chk;
    Output quiet:
        printf fprintf vprintf vfprintf __printf_chk __fprintf_chk __vprintf_chk __vfprintf_chk putchar putc fputc
        putchar_unlocked putc_unlocked fputc_unlocked fwrite fwrite_unlocked write;
    Harmless quiet:
        puts fputs perror fflush fclose exit _exit _Exit abort __assert_fail fputs_unlocked puts_unlocked dprintf syslog
        vsyslog __syslog_chk error error_at_line err errx warn warnx verr verrx vwarn vwarnx psignal herror
        fflush_unlocked setbuf setlinebuf setvbuf clearerr clearerr_unlocked atexit __cxa_atexit on_exit usleep sleep;
    Pure quiet:
        __ctype_get_mb_cur_max __errno_location acos acosf acosh asin asinf asinh atan atan2 atan2f atanf atanh cbrt
        cbrtf cos cosf cosh coshf dcgettext dcngettext dgettext difftime dngettext erf erfc exp exp10 exp2 exp2f expf
        expm1 feof feof_unlocked ferror ferror_unlocked fileno fma fmaf fopencookie frexp gai_strerror gettext hstrerror hypot
        hypotf ilogb ldexp ldexpf lgamma log log10 log10f log1p log2 log2f logb logf mbsinit nextafter nextafterf
        ngettext pow powf remainder remainderf scalbln scalbn scalbnf sigabbrev_np sigdescr_np sin sincos sinf sinh
        sinhf strerror strerrorname_np strsignal tan tanf tanh tanhf tgamma;
}

/// Wrapped functions whose results say what the world is like, for all that is not declared symbolic: `getenv`.
pub const WORLD_VARIABLES: &[&str] = &["getenv", "secure_getenv"];

/// Functions whose results say what files there are, for all that are not declared symbolic. Those that are not wrapped are
/// external; a file that they open is the symbolic one all the same.
pub const WORLD_FILES: &[&str] = &[
    "fopen",
    "fopen64",
    "open",
    "open64",
    "openat",
    "openat64",
    "fdopen",
    "freopen",
    "freopen64",
    "close",
    "access",
    "stat",
    "stat64",
    "lstat",
    "lstat64",
    "fstatat",
    "fstatat64",
];

/// Functions of the C library that read memory, or allocate it, and write nothing that the program sees by another name.
pub const READERS: &[&str] = &[
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
    "strdup",
    "strndup",
    "malloc",
    "calloc",
    "free",
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "getenv",
    "secure_getenv",
    "rand",
    "random",
    "getpid",
];

/// Functions that compute a result from their arguments and write another one through a pointer, or keep a pointer to write to.
pub const WRITERS: &[&str] = &[
    "frexp",
    "frexpf",
    "frexpl",
    "sincos",
    "sincosf",
    "sincosl",
    "remquo",
    "lgamma_r",
    "setbuf",
    "setvbuf",
    "setlinebuf",
    "mbsinit",
    "fopencookie",
    "perror",
];

/// Functions that keep a buffer of the program, which others then write to.
pub const KEEPERS: &[&str] = &[
    "fmemopen",
    "open_memstream",
    "setbuf",
    "setbuffer",
    "setvbuf",
    "fopencookie",
    "aio_read",
];

/// Functions of the runtime's own that the program calls by name. They take part in the handshake like instrumented
/// functions: symbolic arguments are no loss, results carry labels. The program may define some of them itself.
pub const INPUT_FUNCTIONS: &[&str] = &[
    "bw_bool",
    "bw_char",
    "bw_schar",
    "bw_uchar",
    "bw_short",
    "bw_ushort",
    "bw_int",
    "bw_uint",
    "bw_long",
    "bw_ulong",
    "bw_longlong",
    "bw_ulonglong",
    "bw_float",
    "bw_double",
    "bw_bytes",
    "bw_assume",
    "bw_reach_error",
    "__VERIFIER_nondet_bool",
    "__VERIFIER_nondet__Bool",
    "__VERIFIER_nondet_char",
    "__VERIFIER_nondet_schar",
    "__VERIFIER_nondet_uchar",
    "__VERIFIER_nondet_short",
    "__VERIFIER_nondet_ushort",
    "__VERIFIER_nondet_int",
    "__VERIFIER_nondet_uint",
    "__VERIFIER_nondet_unsigned",
    "__VERIFIER_nondet_long",
    "__VERIFIER_nondet_ulong",
    "__VERIFIER_nondet_longlong",
    "__VERIFIER_nondet_ulonglong",
    "__VERIFIER_nondet_float",
    "__VERIFIER_nondet_double",
    "__VERIFIER_nondet_size_t",
    "__VERIFIER_nondet_loff_t",
    "__VERIFIER_nondet_pointer",
    "__VERIFIER_nondet_pchar",
    "__VERIFIER_nondet_charp",
    "__VERIFIER_nondet_u8",
    "__VERIFIER_nondet_u16",
    "__VERIFIER_nondet_u32",
    "__VERIFIER_nondet_u64",
    "__VERIFIER_nondet_s8",
    "__VERIFIER_nondet_s16",
    "__VERIFIER_nondet_s32",
    "__VERIFIER_nondet_s64",
    "__VERIFIER_nondet_sector_t",
    "__VERIFIER_nondet_pthread_t",
    "__VERIFIER_nondet_int128",
    "__VERIFIER_nondet_uint128",
    "__VERIFIER_nondet_memory",
    "__VERIFIER_assume",
    "__VERIFIER_error",
    "reach_error",
    "__CrestChar",
    "__CrestUChar",
    "__CrestShort",
    "__CrestUShort",
    "__CrestInt",
    "__CrestUInt",
    "CREST_char",
    "CREST_unsigned_char",
    "CREST_short",
    "CREST_unsigned_short",
    "CREST_int",
    "CREST_unsigned_int",
    "klee_make_symbolic",
    "klee_assume",
    "klee_range",
    "klee_int",
];

/// Whether a call of this library function cannot make anything symbolic while nothing is. False for what is not known.
#[must_use]
pub fn is_quiet(name: &str) -> bool {
    let name = name
        .strip_prefix(WRAPPED_PREFIX)
        .or_else(|| name.strip_prefix(MODEL_PREFIX))
        .unwrap_or(name);
    entry(name).is_some_and(|entry| entry.quiet)
}

/// The treatment of a function, if the table has it.
#[must_use]
pub fn treatment(name: &str) -> Option<Treatment> {
    entry(name).map(|entry| entry.treatment)
}

/// The row of a function, if the table has it.
#[must_use]
pub fn entry(name: &str) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.name == name)
}
