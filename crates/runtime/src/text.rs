//! Text in a fixed buffer: messages and paths, without an allocation.
//!
//! What must hold: what does not fit is cut off; there is a 0 behind it.

use core::fmt::Write;

/// Most bytes.
const MOST: usize = 512;

pub(crate) struct Text {
    bytes: [u8; MOST + 1],
    len: usize,
}

impl Default for Text {
    fn default() -> Text {
        Text {
            bytes: [0; MOST + 1],
            len: 0,
        }
    }
}

impl Text {
    pub(crate) fn of(arguments: core::fmt::Arguments<'_>) -> Text {
        let mut text = Text::default();
        // Writing does not fail.
        let _ = text.write_fmt(arguments);
        text
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// With the 0 behind it.
    pub(crate) fn terminated(&self) -> &[u8] {
        &self.bytes[..=self.len]
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        for &byte in text.as_bytes() {
            if self.len < MOST {
                self.bytes[self.len] = byte;
                self.len += 1;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_ends_with_a_zero_and_long_text_is_cut_off() {
        let path = Text::of(format_args!("/proc/{}/statm", 7));
        assert_eq!(path.terminated(), b"/proc/7/statm\0");
        let long = "x".repeat(MOST + 9);
        let cut = Text::of(format_args!("{long}"));
        assert_eq!(
            (cut.bytes().len(), cut.terminated().last()),
            (MOST, Some(&0))
        );
    }
}
