//! The one table of C library functions that may fail on request (`--sym-fail`), and what a failure is.
//!
//! Must hold: the engines and the judge agree on which calls are decided: those of the program's own code, on its first thread, in
//! the order of the calls, up to [`MOST`] of them. Calls that library models or a harness make never fail.

/// Prefix of the functions that stand between the program and those that may fail.
pub const PREFIX: &str = "__bw_fail_";
/// Prefix of the functions of a harness, whose calls never fail.
pub const HARNESS: &str = "bw_";
/// Calls of a run that are decided. Later ones succeed; a run that makes one proves nothing.
pub const MOST: u32 = 64;

/// A function that may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failing {
    /// C name.
    pub name: &'static str,
    /// What a failed call returns, zero-extended from the width of its type.
    pub result: i64,
    /// What it sets `errno` to; 0 leaves it.
    pub errno: i32,
    /// The argument that says how much is to be moved, where a call may also move less.
    pub short: Option<usize>,
    /// The argument that is a `FILE *`, whose error indicator a failed call sets.
    pub file: Option<usize>,
    /// The call is made all the same: what is closed is closed.
    pub done: bool,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Works,
    Fails,
    /// It moves half of what it is asked for, rounded up.
    Short,
}

impl Failing {
    /// What the value of a decision means.
    #[must_use]
    pub const fn outcome(&self, value: u128) -> Outcome {
        match (value, self.short) {
            (0, _) => Outcome::Works,
            (1, _) | (_, None) => Outcome::Fails,
            _ => Outcome::Short,
        }
    }
}

/// What a short call moves.
#[must_use]
pub const fn shortened(amount: u64) -> u64 {
    amount - amount / 2
}

/// -1 as an `int`.
const INT_ERROR: i64 = 0xffff_ffff;
const NOT_FOUND: i32 = 2;
const INPUT_OUTPUT: i32 = 5;
const AGAIN: i32 = 11;
const NO_MEMORY: i32 = 12;
const NO_ACCESS: i32 = 13;
const MANY_FILES: i32 = 24;
const NO_SPACE: i32 = 28;
const RANGE: i32 = 34;
const RESET: i32 = 104;
const REFUSED: i32 = 111;

const fn plain(name: &'static str, result: i64, errno: i32) -> Failing {
    Failing {
        name,
        result,
        errno,
        short: None,
        file: None,
        done: false,
    }
}

const fn moves(name: &'static str, result: i64, errno: i32, short: usize) -> Failing {
    Failing {
        short: Some(short),
        ..plain(name, result, errno)
    }
}

const fn stream(file: usize, failing: Failing) -> Failing {
    Failing {
        file: Some(file),
        ..failing
    }
}

const fn done(failing: Failing) -> Failing {
    Failing {
        done: true,
        ..failing
    }
}

/// Gives a macro the names of the table: those that are wrapped (see [`crate::libc`]), and the others.
#[macro_export]
macro_rules! failing_functions {
    ($with:ident) => {
        $with! {
            wrapped: malloc calloc realloc reallocarray strdup strndup aligned_alloc memalign posix_memalign mmap mmap64
                read pread pread64 fread fgets getc fgetc getline getdelim fseek fseeko ftell ftello lseek lseek64
                stat lstat fstat pthread_create;
            plain: recv write send fwrite fputc putc fputs fflush fclose close open open64 openat openat64 creat fopen
                fopen64 fdopen opendir getcwd mkdir unlink rename pipe dup dup2 socket connect bind listen accept;
        }
    };
}

/// The table. Its order is that of the bits of a [`Set`].
pub const TABLE: &[Failing] = &[
    plain("malloc", 0, NO_MEMORY),
    plain("calloc", 0, NO_MEMORY),
    plain("realloc", 0, NO_MEMORY),
    plain("reallocarray", 0, NO_MEMORY),
    plain("strdup", 0, NO_MEMORY),
    plain("strndup", 0, NO_MEMORY),
    plain("aligned_alloc", 0, NO_MEMORY),
    plain("memalign", 0, NO_MEMORY),
    plain("posix_memalign", NO_MEMORY as i64, 0),
    plain("mmap", -1, NO_MEMORY),
    plain("mmap64", -1, NO_MEMORY),
    moves("read", -1, INPUT_OUTPUT, 2),
    moves("pread", -1, INPUT_OUTPUT, 2),
    moves("pread64", -1, INPUT_OUTPUT, 2),
    moves("recv", -1, RESET, 2),
    moves("write", -1, NO_SPACE, 2),
    moves("send", -1, RESET, 2),
    stream(3, moves("fread", 0, INPUT_OUTPUT, 2)),
    stream(3, moves("fwrite", 0, NO_SPACE, 2)),
    stream(2, plain("fgets", 0, INPUT_OUTPUT)),
    stream(0, plain("getc", INT_ERROR, INPUT_OUTPUT)),
    stream(0, plain("fgetc", INT_ERROR, INPUT_OUTPUT)),
    stream(1, plain("fputc", INT_ERROR, NO_SPACE)),
    stream(1, plain("putc", INT_ERROR, NO_SPACE)),
    stream(1, plain("fputs", INT_ERROR, NO_SPACE)),
    stream(2, plain("getline", -1, INPUT_OUTPUT)),
    stream(3, plain("getdelim", -1, INPUT_OUTPUT)),
    plain("fflush", INT_ERROR, NO_SPACE),
    done(plain("fclose", INT_ERROR, NO_SPACE)),
    done(plain("close", INT_ERROR, INPUT_OUTPUT)),
    plain("fseek", INT_ERROR, INPUT_OUTPUT),
    plain("fseeko", INT_ERROR, INPUT_OUTPUT),
    plain("ftell", -1, INPUT_OUTPUT),
    plain("ftello", -1, INPUT_OUTPUT),
    plain("lseek", -1, INPUT_OUTPUT),
    plain("lseek64", -1, INPUT_OUTPUT),
    plain("open", INT_ERROR, NO_ACCESS),
    plain("open64", INT_ERROR, NO_ACCESS),
    plain("openat", INT_ERROR, NO_ACCESS),
    plain("openat64", INT_ERROR, NO_ACCESS),
    plain("creat", INT_ERROR, NO_ACCESS),
    plain("fopen", 0, NO_ACCESS),
    plain("fopen64", 0, NO_ACCESS),
    plain("fdopen", 0, NO_MEMORY),
    plain("stat", INT_ERROR, NOT_FOUND),
    plain("lstat", INT_ERROR, NOT_FOUND),
    plain("fstat", INT_ERROR, INPUT_OUTPUT),
    plain("opendir", 0, NO_ACCESS),
    plain("getcwd", 0, RANGE),
    plain("mkdir", INT_ERROR, NO_ACCESS),
    plain("unlink", INT_ERROR, NO_ACCESS),
    plain("rename", INT_ERROR, NO_ACCESS),
    plain("pipe", INT_ERROR, MANY_FILES),
    plain("dup", INT_ERROR, MANY_FILES),
    plain("dup2", INT_ERROR, MANY_FILES),
    plain("socket", INT_ERROR, MANY_FILES),
    plain("connect", INT_ERROR, REFUSED),
    plain("bind", INT_ERROR, NO_ACCESS),
    plain("listen", INT_ERROR, NO_ACCESS),
    plain("accept", INT_ERROR, MANY_FILES),
    plain("pthread_create", AGAIN as i64, 0),
];

const _: () = assert!(TABLE.len() <= 64, "a set is one word");

/// Place of a function in the table.
#[must_use]
pub fn index(name: &str) -> Option<usize> {
    TABLE.iter().position(|failing| failing.name == name)
}

/// Place in the table of a function that is in it.
#[must_use]
pub const fn place(name: &str) -> usize {
    let mut place = 0;
    while place < TABLE.len() {
        if is_same(TABLE[place].name.as_bytes(), name.as_bytes()) {
            return place;
        }
        place += 1;
    }
    panic!("not in the table")
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// The functions that may fail in a campaign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Set(pub u64);

impl Set {
    /// With the function at this place of the table.
    #[must_use]
    pub const fn with(self, index: usize) -> Set {
        Set(self.0 | 1 << index)
    }

    /// With those of another.
    #[must_use]
    pub const fn and(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }

    /// Is the function at this place of the table in it?
    #[must_use]
    pub const fn has(self, index: usize) -> bool {
        self.0 >> index & 1 == 1
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its functions, in the order of the table.
    pub fn functions(self) -> impl Iterator<Item = &'static Failing> {
        let all = TABLE.iter().enumerate();
        all.filter(move |(index, _)| self.has(*index))
            .map(|(_, failing)| failing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::libc::{Treatment, treatment};

    macro_rules! names {
        (wrapped: $($wrapped:ident)*; plain: $($plain:ident)*;) => {
            &[$((stringify!($wrapped), true),)* $((stringify!($plain), false)),*]
        };
    }

    #[test]
    fn the_list_of_names_is_the_table() {
        let names: &[(&str, bool)] = failing_functions!(names);
        assert_eq!(names.len(), TABLE.len());
        for &(name, wrapped) in names {
            assert!(index(name).is_some(), "{name}");
            let is_wrapped = treatment(name) == Some(Treatment::Wrapped);
            assert_eq!(is_wrapped, wrapped, "{name}");
        }
    }

    #[test]
    fn a_set_holds_what_was_put_in() {
        let (first, last) = (0, TABLE.len() - 1);
        let set = Set::default().with(last).with(first);
        assert!(set.has(first) && set.has(last) && !set.has(1));
        assert!(set.functions().eq([&TABLE[first], &TABLE[last]]));
    }

    #[test]
    fn values_of_decisions() {
        let of = |name| &TABLE[index(name).expect("in the table")];
        assert_eq!(of("malloc").outcome(0), Outcome::Works);
        assert_eq!(of("malloc").outcome(1), Outcome::Fails);
        assert_eq!(of("read").outcome(1), Outcome::Fails);
        assert_eq!(of("read").outcome(200), Outcome::Short);
        assert_eq!([0, 1, 2, 5].map(shortened), [0, 1, 1, 3]);
    }
}
