//! Lists the library models, so that a model is one file and nothing else.

use std::fmt::Write as _;
use std::path::Path;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/models");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .map(|entries| {
            entries
                .filter_map(Result::ok)
                .map(|entry| entry.path())
                .collect()
        })
        .unwrap_or_default();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    names.sort();
    let mut text =
        String::from("/// C sources of the library models.\nconst MODELS: &[(&str, &str)] = &[\n");
    for path in names {
        let name = path
            .file_name()
            .expect("a file has a name")
            .to_string_lossy();
        writeln!(
            text,
            "    (\"models/{name}\", include_str!({:?})),",
            path.display().to_string()
        )
        .expect("writes to a string");
    }
    text.push_str("];\n");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("models.rs"), text).expect("OUT_DIR can be written");
}
