//! A Makefile and a CMakeLists.txt that build and run a file of unit tests, beside it.
//!
//! Must hold: they do what the command in the comment at the top of the tests does; paths in them are those of that command.

use std::fmt::Write;

use super::flavour::Flavour;
use super::{File, quoted};

/// What is linked by any test.
const MATHS: &str = "-lm";

impl File<'_> {
    /// The files, as (name, text).
    #[must_use]
    pub fn build_files(&self, flavour: &dyn Flavour) -> Vec<(&'static str, String)> {
        vec![
            ("Makefile", self.makefile(flavour)),
            ("CMakeLists.txt", self.cmake(flavour)),
        ]
    }

    fn makefile(&self, flavour: &dyn Flavour) -> String {
        let test = format!("test_{}", self.name);
        let words = |words: &[String]| {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            words.join(" ").replace('$', "$$")
        };
        let command = flavour.compile(&test);
        let command = match command.strip_prefix("cc ") {
            Some(rest) if rest.contains(" && c++ ") => {
                let rest = rest.replace(" && c++ ", "\n\t$(CXX) $(CXXFLAGS) -o $@ ");
                format!("$(CC) $(CFLAGS) {rest}")
            }
            Some(rest) => format!("$(CC) $(CFLAGS) -o $@ {rest}"),
            None => command,
        };
        let command = command
            .replace("UNITY/", "$(UNITY)/")
            .replace("FLAGS ", "$(TEST_FLAGS) ")
            .replace("LINK", "$(TEST_LINK)");
        let mut text = format!(
            "# Written by bothways: `make check` builds the tests of {} and runs them.\n",
            self.name
        );
        if let Some(source) = flavour.source() {
            let _ = writeln!(text, "# Framework: {source}.");
        }
        if command.contains("$(UNITY)") {
            text.push_str("UNITY ?= unity\n");
        }
        let link = [words(self.link), MATHS.to_owned()];
        let link: Vec<&str> = link
            .iter()
            .map(String::as_str)
            .filter(|word| !word.is_empty())
            .collect();
        let _ = write!(
            text,
            "TEST_FLAGS = {}\nTEST_LINK = {}\n\n.PHONY: check clean\ncheck: {test}\n\t./{test}\n\n{test}: {test}.c\n\t{command}\n\n\
             clean:\n\trm -f {test} {test}.o\n",
            words(self.flags),
            link.join(" ")
        );
        text
    }

    fn cmake(&self, flavour: &dyn Flavour) -> String {
        let test = format!("test_{}", self.name);
        let command = flavour.compile(&test);
        let is_cpp = command.contains(" c++ ");
        let is_unity = command.contains("UNITY");
        let (sources, libraries): (Vec<&String>, Vec<&String>) =
            { self.link.iter() }.partition(|word| word.ends_with(".c"));
        let mut text = format!(
            "# Written by bothways: builds the tests of {}; `ctest` runs them.\ncmake_minimum_required(VERSION 3.13)\nproject({test} {})\nenable_testing()\n",
            self.name,
            if is_cpp { "C CXX" } else { "C" }
        );
        let mut files = vec![format!("{test}.c")];
        files.extend(is_cpp.then(|| format!("{test}.cpp")));
        if is_unity {
            text.push_str(
                "set(UNITY unity CACHE PATH \"Folder of Unity (ThrowTheSwitch), which has src/unity.c\")\n\
                 get_filename_component(UNITY_FOLDER ${UNITY} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})\n",
            );
            files.push("${UNITY_FOLDER}/src/unity.c".to_owned());
        }
        files.extend(sources.into_iter().map(|source| bracketed(source)));
        let _ = writeln!(text, "add_executable({test} {})", files.join(" "));
        if is_unity {
            let _ = writeln!(
                text,
                "target_include_directories({test} PRIVATE ${{UNITY_FOLDER}}/src)\ntarget_compile_definitions({test} PRIVATE UNITY_INCLUDE_DOUBLE)"
            );
        }
        if !self.flags.is_empty() {
            let flags: Vec<String> = self.flags.iter().map(|flag| located(flag)).collect();
            let flags: Vec<String> = { flags.iter() }
                .map(|flag| format!("\"$<$<COMPILE_LANGUAGE:C>:{flag}>\""))
                .collect();
            let _ = writeln!(
                text,
                "target_compile_options({test} PRIVATE {})",
                flags.join(" ")
            );
        }
        let framework = command.split_once("LINK").map_or("", |(_, behind)| behind);
        let libraries = libraries.iter().map(|word| match word.starts_with('-') {
            true => bracketed(word),
            false => format!("${{CMAKE_CURRENT_SOURCE_DIR}}/{word}"),
        });
        let libraries: Vec<String> = libraries
            .chain(framework.split_whitespace().map(str::to_owned))
            .chain([MATHS.to_owned()])
            .collect();
        let _ = writeln!(
            text,
            "target_link_libraries({test} PRIVATE {})",
            libraries.join(" ")
        );
        let _ = writeln!(text, "add_test(NAME {test} COMMAND {test})");
        text
    }
}

/// A flag within a quoted argument of CMake; folders are relative to the file.
fn located(flag: &str) -> String {
    let flag = match flag.strip_prefix("-I") {
        Some(folder) if !folder.is_empty() && !folder.starts_with('/') => {
            return format!("-I${{CMAKE_CURRENT_SOURCE_DIR}}/{}", escaped(folder));
        }
        _ => flag,
    };
    escaped(flag)
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if "\\\"$;".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// A word that CMake takes as it is.
fn bracketed(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,+:@%".contains(c);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("[==[{word}]==]"),
    }
}
