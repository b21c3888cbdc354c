//! Models of all that is compiled are valid, and their text form is complete.

use program::Program;

use super::decisions::{compiled, sources};

/// Types that are no single label at the ends of blocks: what `bothways cc` meets in returns, jumps and exceptions.
const ENDS: &str = "
typedef struct { float x, y; } pair;
typedef struct { long double wide; int tag; } tagged;
typedef float four __attribute__((vector_size(16)));
typedef unsigned _BitInt(200) huge;
long double wide(int n) { return n / 3.0L; }
pair both(float a) { pair p = { a, -a }; return p; }
tagged more(int n) { tagged t = { n, n > 3 }; return t; }
four lanes(float a) { four v = { a, a, a, a }; return v + v; }
__int128 large(long a) { return (__int128)a * a; }
huge very(huge a) { return a + 1; }
int twice(int n) { return wide(n) > 2 ? (int)both(n).x : more(n).tag; }
";

fn check(name: &str, program: &Program) {
    program::verify::verify(program).unwrap_or_else(|error| panic!("{name}: {error}"));
    let text = program::text::print(program);
    let again: Program = text
        .parse()
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(again == *program, "{name}: the text form is not complete");
}

#[test]
fn ends_of_blocks_have_no_spots_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ends.c");
    std::fs::write(&path, ENDS).expect("writes");
    check("ends.c", &compiled(&path, &[]));
}

#[test]
fn library_models_read_back() {
    let models = sources("../runtime/models");
    assert!(models.len() > 10, "{models:?}");
    for path in models {
        check(
            &path.display().to_string(),
            &compiled(&path, &["-fno-builtin"]),
        );
    }
}
