//! Tests of KLEE: named objects in one binary file. The layout is that of KLEE's `KTest.cpp`, versions 1 to 3: numbers of 32 bits,
//! highest byte first.

/// First bytes, today's and those of old versions.
const MAGIC: [&[u8]; 2] = [b"KTEST", b"BOUT\n"];

/// An object: what `klee_make_symbolic` called it, and its bytes.
pub type Object = (String, Vec<u8>);

/// Whether this is one.
pub fn is_one(content: &[u8]) -> bool {
    MAGIC.iter().any(|magic| content.starts_with(magic))
}

/// The objects of a test.
///
/// # Errors
/// What is wrong with the file.
pub fn parse(content: &[u8]) -> Result<Vec<Object>, String> {
    let mut reader = Reader(content.get(5..).unwrap_or_default());
    let version = reader.number()?;
    if !(1..=3).contains(&version) {
        return Err(format!(
            "a .ktest of version {version}; versions 1 to 3 are known"
        ));
    }
    for _ in 0..reader.number()? {
        reader.bytes()?;
    }
    if version >= 2 {
        // How many arguments were symbolic, and how long: the objects say it again.
        reader.number()?;
        reader.number()?;
    }
    let count = reader.number()?;
    (0..count)
        .map(|_| {
            let name = String::from_utf8_lossy(reader.bytes()?).into_owned();
            Ok((name, reader.bytes()?.to_vec()))
        })
        .collect()
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (head, rest) = self
            .0
            .split_at_checked(count)
            .ok_or("a .ktest that ends too early")?;
        self.0 = rest;
        Ok(head)
    }

    fn number(&mut self) -> Result<u32, String> {
        let bytes = self.take(4)?.try_into().expect("four bytes");
        Ok(u32::from_be_bytes(bytes))
    }

    fn bytes(&mut self) -> Result<&'a [u8], String> {
        let length = self.number()?;
        self.take(length as usize)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A file with these objects.
    pub fn file(objects: &[(&str, &[u8])]) -> Vec<u8> {
        let mut content = b"KTEST".to_vec();
        let bytes = |content: &mut Vec<u8>, text: &[u8]| {
            content.extend((text.len() as u32).to_be_bytes());
            content.extend(text);
        };
        content.extend(3_u32.to_be_bytes());
        content.extend(1_u32.to_be_bytes());
        bytes(&mut content, b"program.bc");
        content.extend([0; 8]);
        content.extend((objects.len() as u32).to_be_bytes());
        for (name, value) in objects {
            bytes(&mut content, name.as_bytes());
            bytes(&mut content, value);
        }
        content
    }

    #[test]
    fn objects_come_in_order() {
        let content = file(&[("x", &[1, 2, 3, 4]), ("buf", b"ab")]);
        assert!(is_one(&content));
        let want = [
            ("x".to_owned(), vec![1, 2, 3, 4]),
            ("buf".to_owned(), b"ab".to_vec()),
        ];
        assert_eq!(parse(&content), Ok(want.to_vec()));
    }

    #[test]
    fn broken_files_are_refused() {
        let whole = file(&[("x", &[1, 2, 3, 4])]);
        for end in 5..whole.len() {
            let error = parse(&whole[..end]).expect_err("cut");
            assert!(error.contains("too early"), "{error}");
        }
        let mut other = whole;
        other[8] = 9;
        assert!(parse(&other).expect_err("unknown").contains("version 9"));
    }
}
