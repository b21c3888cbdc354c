//! Reads numbers and strings of the coverage mapping from a byte slice. Never reads past the end; every failure
//! says at which byte.

use super::Error;

/// A position in encoded bytes.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, at: 0 }
    }

    /// Byte offset.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Bytes that are left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// A ULEB128 number.
    pub fn number(&mut self) -> Result<u64, Error> {
        let start = self.at;
        let mut value = 0_u64;
        for shift in (0..).step_by(7) {
            let byte = *self
                .bytes
                .get(self.at)
                .ok_or(Error::Truncated { at: start })?;
            self.at += 1;
            let part = u64::from(byte & 0x7f);
            if shift >= 64 && part != 0 || shift == 63 && part > 1 {
                return Err(Error::Malformed {
                    what: "a number of more than 64 bits",
                    at: start,
                });
            }
            if shift < 64 {
                value |= part << shift;
            }
            if byte & 0x80 == 0 {
                break;
            }
        }
        Ok(value)
    }

    /// A number of 32 bits.
    pub fn small(&mut self) -> Result<u32, Error> {
        let at = self.at;
        u32::try_from(self.number()?).map_err(|_| Error::Malformed {
            what: "a number of more than 32 bits",
            at,
        })
    }

    /// A count of things that take at least one byte each.
    pub fn count(&mut self) -> Result<usize, Error> {
        let at = self.at;
        let count = self.number()?;
        usize::try_from(count)
            .ok()
            .filter(|count| *count <= self.left())
            .ok_or(Error::Truncated { at })
    }

    /// `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        if count > self.left() {
            return Err(Error::Truncated { at: self.at });
        }
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    /// A length and that many bytes, as text (bytes that are not UTF-8 are replaced).
    pub fn text(&mut self) -> Result<String, Error> {
        let length = self.count()?;
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let mut cursor = Cursor::new(&[0x05, 0x8a, 0x80, 0x80, 0x80, 0x08, 0x80]);
        assert_eq!(cursor.number().unwrap(), 5);
        assert_eq!(cursor.number().unwrap(), (1 << 31) | 10);
        assert!(matches!(cursor.number(), Err(Error::Truncated { at: 6 })));
        let mut longest = [0xff; 10];
        longest[9] = 1;
        assert_eq!(Cursor::new(&longest).number().unwrap(), u64::MAX);
        longest[9] = 2;
        assert!(Cursor::new(&longest).number().is_err());
    }

    #[test]
    fn counts_do_not_exceed_what_is_left() {
        assert!(Cursor::new(&[3, 1, 1]).count().is_err());
        assert_eq!(Cursor::new(b"\x02ab").text().unwrap(), "ab");
    }
}
