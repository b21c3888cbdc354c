//! `unity`: ThrowTheSwitch's Unity (`unity.h`, `unity.c`).

use super::{Check, Flavour};
use crate::plan::Scalar;

/// Unity (ThrowTheSwitch).
pub struct Unity;

impl Flavour for Unity {
    fn name(&self) -> &'static str {
        "unity"
    }

    fn summary(&self) -> &'static str {
        "Unity (ThrowTheSwitch)"
    }

    fn include(&self, _function: &str) -> String {
        "#include \"unity.h\"\n\nvoid setUp(void) {}\nvoid tearDown(void) {}\n".to_owned()
    }

    fn check(&self, check: &Check) -> String {
        match check {
            Check::Integer {
                place,
                value,
                scalar,
                hex,
            } => format!(
                "TEST_ASSERT_EQUAL_{}({value}, {place});",
                word(*scalar, *hex)
            ),
            Check::Truth { place, value: true } => format!("TEST_ASSERT_TRUE({place});"),
            Check::Truth { place, .. } => format!("TEST_ASSERT_FALSE({place});"),
            Check::Float {
                place,
                value,
                scalar,
            } => match scalar {
                Scalar::Float => format!("TEST_ASSERT_EQUAL_FLOAT({value}, {place});"),
                Scalar::LongDouble => format!("TEST_ASSERT({});", check.condition()),
                _ => format!("TEST_ASSERT_EQUAL_DOUBLE({value}, {place});"),
            },
            Check::NotANumber { place, scalar } => match scalar {
                Scalar::Float => format!("TEST_ASSERT_FLOAT_IS_NAN({place});"),
                _ => format!("TEST_ASSERT_DOUBLE_IS_NAN({place});"),
            },
            Check::Null { place } => format!("TEST_ASSERT_NULL({place});"),
            Check::NotNull { place } => format!("TEST_ASSERT_NOT_NULL({place});"),
            Check::Same { place, other } => format!("TEST_ASSERT_EQUAL_PTR({other}, {place});"),
            Check::Text { place, text } => format!("TEST_ASSERT_EQUAL_STRING({text}, {place});"),
            Check::Memory {
                place,
                bytes,
                count,
            } => format!("TEST_ASSERT_EQUAL_MEMORY({bytes}, {place}, {count});"),
        }
    }

    fn compile(&self, file: &str) -> String {
        format!("cc FLAGS -DUNITY_INCLUDE_DOUBLE -I UNITY/src {file}.c UNITY/src/unity.c LINK")
    }

    fn source(&self) -> Option<&'static str> {
        Some("Unity, https://github.com/ThrowTheSwitch/Unity, unpacked in the folder UNITY")
    }

    fn head(&self, test: &str) -> String {
        format!("static void {test}(void)")
    }

    fn tail(&self, tests: &[String]) -> String {
        let calls: String = tests
            .iter()
            .map(|test| format!("    RUN_TEST({test});\n"))
            .collect();
        format!("int main(void)\n{{\n    UNITY_BEGIN();\n{calls}    return UNITY_END();\n}}\n")
    }
}

/// The end of the assertion's name for an integer type.
fn word(scalar: Scalar, hex: bool) -> &'static str {
    match (scalar, hex) {
        (Scalar::Unsigned(1), true) => "HEX8",
        (Scalar::Unsigned(2), true) => "HEX16",
        (Scalar::Unsigned(4), true) => "HEX32",
        (Scalar::Unsigned(_), true) => "HEX64",
        (Scalar::Signed(1), _) => "INT8",
        (Scalar::Signed(2), _) => "INT16",
        (Scalar::Signed(8), _) => "INT64",
        (Scalar::Unsigned(1), _) => "UINT8",
        (Scalar::Unsigned(2), _) => "UINT16",
        (Scalar::Unsigned(8), _) => "UINT64",
        (Scalar::Unsigned(_), _) => "UINT",
        _ => "INT",
    }
}
