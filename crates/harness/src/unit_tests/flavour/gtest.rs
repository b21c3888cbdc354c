//! `gtest`: GoogleTest. C stays C: the tests are in a C file, and a C++ file beside it registers them and reports what they
//! find. `cc -c test_f.c && c++ test_f.o test_f.cpp -lgtest -lgtest_main -lpthread`.

use std::fmt::Write;

use super::{Check, Flavour};
use crate::plan::Scalar;

/// GoogleTest: a C file with the tests, and a C++ file that registers them.
pub struct Gtest;

impl Flavour for Gtest {
    fn name(&self) -> &'static str {
        "gtest"
    }

    fn summary(&self) -> &'static str {
        "GoogleTest: a C file, and a C++ file that runs it"
    }

    fn include(&self, function: &str) -> String {
        format!("#include \"test_{function}.gtest.h\"\n")
    }

    fn check(&self, check: &Check) -> String {
        match check {
            Check::Integer { place, value, .. } => format!("EXPECT_EQ({place}, {value});"),
            Check::Truth { place, value: true } => format!("EXPECT_TRUE({place});"),
            Check::Truth { place, .. } => format!("EXPECT_FALSE({place});"),
            Check::Float {
                place,
                value,
                scalar,
            } => match scalar {
                Scalar::Float => format!("EXPECT_FLOAT_EQ({place}, {value});"),
                Scalar::LongDouble => format!("EXPECT_TRUE({});", check.condition()),
                _ => format!("EXPECT_DOUBLE_EQ({place}, {value});"),
            },
            Check::NotANumber { .. } => format!("EXPECT_TRUE({});", check.condition()),
            Check::Null { place } => format!("EXPECT_EQ({place}, NULL);"),
            Check::NotNull { place } => format!("EXPECT_NE({place}, NULL);"),
            Check::Same { place, other } => format!("EXPECT_EQ({place}, {other});"),
            Check::Text { place, text } => format!("EXPECT_STREQ({place}, {text});"),
            // GoogleTest has no assertion for memory.
            Check::Memory {
                place,
                bytes,
                count,
            } => format!("EXPECT_EQ(memcmp({place}, {bytes}, {count}), 0);"),
        }
    }

    fn compile(&self, file: &str) -> String {
        format!(
            "cc FLAGS -c {file}.c && c++ {file}.o {file}.cpp LINK -lgtest -lgtest_main -lpthread"
        )
    }

    fn source(&self) -> Option<&'static str> {
        Some("GoogleTest, https://github.com/google/googletest (Debian: libgtest-dev)")
    }

    fn head(&self, test: &str) -> String {
        format!("void {test}(void);\nvoid {test}(void)")
    }

    fn tail(&self, _tests: &[String]) -> String {
        String::new()
    }

    fn others(&self, function: &str, tests: &[String]) -> Vec<(&'static str, String)> {
        let mut text = format!("#include <gtest/gtest.h>\n\n{BRIDGE}\nextern \"C\" {{\n");
        for test in tests {
            let _ = writeln!(text, "void {test}(void);");
        }
        text.push_str("}\n\n");
        for test in tests {
            let _ = writeln!(text, "TEST({function}, {test}) {{ {test}(); }}");
        }
        vec![("cpp", text), ("gtest.h", HEADER.to_owned())]
    }
}

/// GoogleTest's assertions for C.
const HEADER: &str = r#"/* GoogleTest's assertions in C: the C++ file beside this one makes them. */
void gtest_c_signed(long long, long long, const char *, const char *, int);
void gtest_c_unsigned(unsigned long long, unsigned long long, const char *, const char *, int);
void gtest_c_pointer(const void *, const void *, const char *, const char *, int);
void gtest_c_not_null(const void *, const char *, const char *, int);
void gtest_c_string(const char *, const char *, const char *, const char *, int);
void gtest_c_float(float, float, const char *, const char *, int);
void gtest_c_double(double, double, const char *, const char *, int);
void gtest_c_truth(int, int, const char *, const char *, int);

/* Clang and GCC take _Generic under every -std; the condition promotes small integers and bit-fields. */
#define EXPECT_EQ(actual, expected) \
    __extension__ _Generic(1 ? (actual) : (actual), \
        int: gtest_c_signed, long: gtest_c_signed, long long: gtest_c_signed, \
        unsigned: gtest_c_unsigned, unsigned long: gtest_c_unsigned, unsigned long long: gtest_c_unsigned, \
        default: gtest_c_pointer)((actual), (expected), "EXPECT_EQ(" #actual ", " #expected ")", __FILE__, __LINE__)
#define EXPECT_NE(pointer, null) \
    gtest_c_not_null((const void *)(pointer), "EXPECT_NE(" #pointer ", " #null ")", __FILE__, __LINE__)
#define EXPECT_STREQ(actual, expected) \
    gtest_c_string((const char *)(actual), (expected), "EXPECT_STREQ(" #actual ", " #expected ")", __FILE__, __LINE__)
#define EXPECT_FLOAT_EQ(actual, expected) \
    gtest_c_float((actual), (expected), "EXPECT_FLOAT_EQ(" #actual ", " #expected ")", __FILE__, __LINE__)
#define EXPECT_DOUBLE_EQ(actual, expected) \
    gtest_c_double((actual), (expected), "EXPECT_DOUBLE_EQ(" #actual ", " #expected ")", __FILE__, __LINE__)
#define EXPECT_TRUE(condition) gtest_c_truth(!!(condition), 1, "EXPECT_TRUE(" #condition ")", __FILE__, __LINE__)
#define EXPECT_FALSE(condition) gtest_c_truth(!!(condition), 0, "EXPECT_FALSE(" #condition ")", __FILE__, __LINE__)
"#;

/// What makes them, in C++.
const BRIDGE: &str = r#"/* What the assertions of the C file call: a failure names that file and line as its trace. */
#define GTEST_C(name, type, assertion) \
    extern "C" void gtest_c_##name(type actual, type expected, const char *what, const char *file, int line) \
    { \
        testing::ScopedTrace trace(file, line, what); \
        assertion(actual, expected); \
    }
GTEST_C(signed, long long, EXPECT_EQ)
GTEST_C(unsigned, unsigned long long, EXPECT_EQ)
GTEST_C(pointer, const void *, EXPECT_EQ)
GTEST_C(string, const char *, EXPECT_STREQ)
GTEST_C(float, float, EXPECT_FLOAT_EQ)
GTEST_C(double, double, EXPECT_DOUBLE_EQ)
GTEST_C(truth, int, EXPECT_EQ)
extern "C" void gtest_c_not_null(const void *actual, const char *what, const char *file, int line)
{
    testing::ScopedTrace trace(file, line, what);
    EXPECT_NE(actual, nullptr);
}
"#;
