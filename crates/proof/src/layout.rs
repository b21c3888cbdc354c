//! How documents are laid out: a line for each part that people look at, and one for each state of an invariant, of which there may be
//! tens of thousands.

use std::io::{Result, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

/// Levels that have lines of their own: document, invariant, contexts, context, states.
const LEVELS: usize = 5;

/// A value as lines of JSON.
pub(crate) fn lines(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, Lines::default());
    // Numbers, texts and lists: nothing of a document is refused.
    _ = value.serialize(&mut serializer);
    text.push(b'\n');
    String::from_utf8(text).unwrap_or_default()
}

/// The same as it was before November 2026, with a line for each number.
pub(crate) fn old_lines(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Default)]
struct Lines<'a> {
    pretty: PrettyFormatter<'a>,
    level: usize,
}

/// Says it to the formatter of the level.
macro_rules! at_level {
    ($lines:expr, $what:ident($($with:expr),*)) => {
        match $lines.level <= LEVELS {
            true => $lines.pretty.$what($($with),*),
            false => CompactFormatter.$what($($with),*),
        }
    };
}

impl Formatter for Lines<'_> {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.level += 1;
        at_level!(self, begin_array(out))
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        let ended = at_level!(self, end_array(out));
        self.level -= 1;
        ended
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> Result<()> {
        at_level!(self, begin_array_value(out, first))
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        at_level!(self, end_array_value(out))
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.level += 1;
        at_level!(self, begin_object(out))
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        let ended = at_level!(self, end_object(out));
        self.level -= 1;
        ended
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> Result<()> {
        at_level!(self, begin_object_key(out, first))
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        at_level!(self, begin_object_value(out))
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        at_level!(self, end_object_value(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_deep_is_one_line() {
        let value = json!({"a": [{"b": [{"c": [1, {"d": [2, 3]}]}]}], "e": [], "f": {}});
        let text = lines(&value);
        let expected = r#"{
  "a": [
    {
      "b": [
        {
          "c": [1,{"d":[2,3]}]
        }
      ]
    }
  ],
  "e": [],
  "f": {}
}"#;
        assert_eq!(text, format!("{expected}\n"));
        let again: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(again, value);
    }
}
