//! Experiments: what a bench file asks for, what its runs gave, and the tables and plots that show it.
//!
//! Invariants:
//! - no I/O, no clock, no process: whoever runs the subjects hands in one [`Record`] for each run;
//! - the same records give the same tables and plots, byte for byte, in whatever order they came;
//! - what failed is in every table that it is missing from.

mod few_bits;
mod global;
mod kinds;
mod plot;
mod reactive;
mod record;
pub mod stats;
mod suite;
pub mod synthesize;
mod table;

pub use few_bits::{FewBits, few_bits};
pub use global::{SIZE as SCENES, global};
pub use kinds::{Kind, NEVER, of_kind};
pub use plot::{Axis, svg};
pub use reactive::{Reactive, reactive};
pub use record::{BadRecord, Point, Record};
pub use suite::{BadSuite, Budget, Cell, Subject, Suite};
pub use table::markdown;

/// The rounds of a comparison that a list of records is about: subject by strategy by seed.
pub(crate) fn of<'a>(
    records: &'a [Record],
    subject: &'a str,
    strategy: &'a str,
) -> impl Iterator<Item = &'a Record> {
    records
        .iter()
        .filter(move |record| record.subject == subject && record.strategy == strategy)
}
