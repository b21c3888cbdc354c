//! Names of files and functions, as reports print them.

use program::Program;

pub(crate) fn file_name(program: &Program, file: u32) -> String {
    program
        .files
        .get(file as usize)
        .cloned()
        .unwrap_or_default()
}

/// Name of the function of a record, without the file that stands before internal ones.
pub(crate) fn function_name(program: &Program, record: u32) -> String {
    let record = &program.coverage[record as usize];
    let linkage = record
        .function
        .and_then(|function| program.functions.get(function));
    match linkage {
        Some(function) => function.name.clone(),
        None => record
            .name
            .rsplit([':', ';'])
            .next()
            .unwrap_or_default()
            .to_owned(),
    }
}
