//! Prints the model in bitcode files, objects or programs: `bwdump [--outcomes] FILE…`.

use std::error::Error;

use object::{Object, ObjectSection};
use program::outcome_edges::{ConditionOutcomes, OutcomeEdges};
use wire::section::{MAGIC, NAME};

fn main() -> Result<(), Box<dyn Error>> {
    let mut reader = llvm::read::Reader::new();
    let mut with_outcomes = false;
    for path in std::env::args().skip(1) {
        if path == "--outcomes" {
            with_outcomes = true;
            continue;
        }
        let bytes = std::fs::read(&path)?;
        if bytes.starts_with(b"BC") {
            let meta = llvm::read::Meta {
                name: path,
                library: false,
            };
            reader.add_module(&bytes, llvm::prepare::uid(&bytes), meta)?;
            continue;
        }
        let file = object::File::parse(&*bytes)?;
        let section = file.section_by_name(NAME).ok_or("the file has no model")?;
        add_records(&mut reader, &path, section.data()?)?;
    }
    let program = reader.finish()?;
    println!("{}", program::text::print(&program));
    if let Err(error) = program::verify::verify(&program) {
        println!("// not valid: {error}");
    }
    if with_outcomes {
        print_outcomes(&program);
    }
    Ok(())
}

fn add_records(
    reader: &mut llvm::read::Reader,
    path: &str,
    mut data: &[u8],
) -> Result<(), Box<dyn Error>> {
    while data.len() >= 32 {
        if data[..8] != MAGIC {
            data = &data[8..];
            continue;
        }
        let number =
            |at: usize| u64::from_le_bytes(data[at..at + 8].try_into().expect("eight bytes"));
        let (uid, meta, bitcode) = (number(8), number(16) as usize, number(24) as usize);
        let told: serde_json::Value = serde_json::from_slice(&data[32..32 + meta])?;
        let bitcode = data
            .get(32 + meta..32 + meta + bitcode)
            .ok_or("a record ends too early")?;
        reader.add_module(
            bitcode,
            uid,
            llvm::read::Meta {
                name: path.to_owned(),
                library: told["library"] == true,
            },
        )?;
        data = &data[(32 + meta + bitcode.len())
            .next_multiple_of(8)
            .min(data.len())..];
    }
    Ok(())
}

fn print_outcomes(program: &program::Program) {
    for condition in &ConditionOutcomes::new(program).conditions {
        let function = &program.coverage[condition.function as usize];
        let range = function.regions[condition.region as usize].range;
        let text = |edges: &OutcomeEdges| format!("{edges:?}");
        let [no, yes] = &condition.outcomes;
        let (line, col) = (range.line, range.col);
        println!(
            "// {} {line}:{col}: true {}, false {}",
            function.name,
            text(yes),
            text(no)
        );
    }
}
