//! Input vectors into the segment, and back: what a run is given, and what it consumed.
//!
//! Must hold: values and bytes of the vector that comes back are those that were supplied, never those that the
//! program may have written over them; only names, types and counts are read from the segment.

use std::collections::HashSet;
use std::sync::Arc;

use path::{InputVector, RunFlags, Stream, Value, ValueType};
use wire::input::{C_TYPES, SCALAR};

use crate::segment::{Segment, mask};

/// Names that were seen, so that equal ones share their text.
#[derive(Debug)]
pub struct Names {
    known: HashSet<Arc<str>>,
    c_types: Vec<Arc<str>>,
    /// The last place of the name area that was read, in this run.
    last: Option<(u32, u16, Arc<str>)>,
}

impl Default for Names {
    fn default() -> Self {
        let c_types = C_TYPES.iter().map(|name| Arc::from(*name)).collect();
        Names {
            known: HashSet::new(),
            c_types,
            last: None,
        }
    }
}

/// Most names that are shared; beyond, each has a text of its own.
const MOST_NAMES: usize = 1 << 16;

impl Names {
    fn begin(&mut self) {
        self.last = None;
    }

    fn at(&mut self, segment: &Segment, offset: u32, length: u16) -> Arc<str> {
        if let Some((known_offset, known_length, name)) = &self.last
            && (*known_offset, *known_length) == (offset, length)
        {
            return Arc::clone(name);
        }
        let text = segment.name(offset, u32::from(length)).unwrap_or_default();
        let name = match self.known.get(text.as_str()) {
            Some(name) => Arc::clone(name),
            None => {
                let name: Arc<str> = Arc::from(text);
                if self.known.len() < MOST_NAMES {
                    self.known.insert(Arc::clone(&name));
                }
                name
            }
        };
        self.last = Some((offset, length, Arc::clone(&name)));
        name
    }

    fn c_type(&self, number: u8) -> Arc<str> {
        Arc::clone(
            self.c_types
                .get(usize::from(number))
                .unwrap_or(&self.c_types[0]),
        )
    }
}

/// Writes an input vector into the segment. What has no room is left out, and said.
pub fn supply(segment: &Segment, input: &InputVector) -> RunFlags {
    let mut flags = RunFlags::default();
    let supplied = segment.supply(input.values.iter().map(|value| value.bits));
    let mut fits = supplied as usize == input.values.len();
    let mut offset = 0;
    for stream in &input.streams {
        match segment.set_stream(offset, stream) {
            Some(taken) => offset += taken.next_multiple_of(16),
            None => fits = false,
        }
    }
    if !fits {
        flags.insert(RunFlags::INPUTS_TRUNCATED);
    }
    flags
}

/// The input vector as the program consumed it, and what was wrong with its records.
pub fn consumed(
    segment: &Segment,
    names: &mut Names,
    supplied: &InputVector,
) -> (InputVector, RunFlags) {
    let mut flags = RunFlags::default();
    names.begin();
    let count = segment.input_count();
    let mut values = Vec::with_capacity(count as usize);
    for index in 0..count {
        let Some((record, kind)) = segment
            .input(index)
            .and_then(|record| ValueType::from_u8(record.kind).map(|kind| (record, kind)))
        else {
            flags.insert(RunFlags::INPUTS_TRUNCATED);
            break;
        };
        let bits = supplied
            .values
            .get(index as usize)
            .map_or(0, |value| value.bits);
        values.push(Value {
            kind,
            name: names.at(segment, record.name, record.name_len),
            element: (record.element != SCALAR).then_some(record.element),
            c_type: names.c_type(record.c_type),
            bits: bits & mask(kind.bits()),
        });
    }
    let streams = supplied
        .streams
        .iter()
        .map(|stream| consumed_stream(segment, stream))
        .collect();
    (InputVector { values, streams }, flags)
}

fn consumed_stream(segment: &Segment, stream: &Stream) -> Stream {
    // One more than the longest content: the end of the file was asked for.
    let used = segment
        .stream_used(stream.id)
        .min(stream.max.saturating_add(1));
    Stream {
        used,
        ..stream.clone()
    }
}
