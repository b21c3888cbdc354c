//! `unity`: ThrowTheSwitch's Unity (`unity.h`, `unity.c`).

use super::Flavour;

/// Unity (ThrowTheSwitch).
pub struct Unity;

impl Flavour for Unity {
    fn name(&self) -> &'static str {
        "unity"
    }

    fn summary(&self) -> &'static str {
        "Unity (ThrowTheSwitch)"
    }

    fn include(&self) -> &'static str {
        "#include \"unity.h\"\n\nvoid setUp(void) {}\nvoid tearDown(void) {}\n"
    }

    fn check(&self, condition: &str) -> String {
        format!("TEST_ASSERT({condition});")
    }

    fn compile(&self, file: &str) -> String {
        format!("cc FLAGS -I UNITY/src {file}.c UNITY/src/unity.c LINK")
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
