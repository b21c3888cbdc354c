//! The table of file names of a translation unit. Entry 0 is the compilation directory (versions 6 and 7);
//! relative names are relative to it. Compressed tables are accepted, whatever we ask of clang.

use super::Error;
use super::cursor::Cursor;

/// Longest table that is unpacked.
const LIMIT: usize = 1 << 28;

/// Decodes the table: absolute names with `.` and `..` removed, as `llvm-cov` prints them.
pub fn read(bytes: &[u8]) -> Result<Vec<String>, Error> {
    let mut cursor = Cursor::new(bytes);
    let count = cursor.small()? as usize;
    let unpacked = cursor.number()?;
    let packed = cursor.count()?;
    if packed == 0 {
        return names(&mut cursor, count);
    }
    let data = cursor.take(packed)?;
    let limit = usize::try_from(unpacked).unwrap_or(usize::MAX).min(LIMIT);
    let data = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(data, limit)
        .map_err(|_| Error::Compressed)?;
    names(&mut Cursor::new(&data), count)
}

fn names(cursor: &mut Cursor<'_>, count: usize) -> Result<Vec<String>, Error> {
    if count == 0 || count > cursor.left() {
        return Err(Error::Malformed {
            what: "the number of file names",
            at: cursor.at(),
        });
    }
    let directory = cursor.text()?;
    let mut names = Vec::with_capacity(count);
    for _ in 1..count {
        let name = cursor.text()?;
        names.push(absolute(&directory, &name));
    }
    names.insert(0, directory);
    Ok(names)
}

/// Joins a name with its directory as `llvm-cov` does. An absolute name stays as it is written; a relative one loses `.` and
/// `..`. It stays relative when the directory is (`-ffile-prefix-map=$PWD=.`).
#[must_use]
pub fn absolute(directory: &str, name: &str) -> String {
    if name.starts_with('/') {
        return name.to_owned();
    }
    let root = if directory.starts_with('/') { "/" } else { "" };
    let mut parts: Vec<&str> = Vec::new();
    for part in directory.split('/').chain(name.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if !root.is_empty() => {}
            _ => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain() {
        assert_eq!(
            read(b"\x02\x0c\x00\x07/tmp/h4\x03a.c").unwrap(),
            ["/tmp/h4", "/tmp/h4/a.c"]
        );
        assert!(read(b"\x02\x0c\x00\x07/tmp/h4\x04a.c").is_err());
        assert!(read(b"").is_err());
    }

    #[test]
    fn packed() {
        let table = b"\x04/tmp\x03a.c\x08/usr/b.h";
        let data = miniz_oxide::deflate::compress_to_vec_zlib(table, 6);
        let mut bytes = vec![
            3,
            u8::try_from(table.len()).unwrap(),
            u8::try_from(data.len()).unwrap(),
        ];
        bytes.extend(&data);
        assert_eq!(read(&bytes).unwrap(), ["/tmp", "/tmp/a.c", "/usr/b.h"]);
        bytes[4] ^= 0x55;
        assert!(matches!(read(&bytes), Err(Error::Compressed)));
    }

    #[test]
    fn dots() {
        assert_eq!(absolute("/a/b", "../c/./d.c"), "/a/c/d.c");
        assert_eq!(absolute("/a/b", "/x/../y.c"), "/x/../y.c");
        assert_eq!(absolute("/a", "../../c.c"), "/c.c");
    }

    #[test]
    fn relative_directories_give_relative_names() {
        assert_eq!(absolute(".", "a.c"), "a.c");
        assert_eq!(absolute("", "src/a.c"), "src/a.c");
        assert_eq!(absolute("../up", "./a.c"), "../up/a.c");
        assert_eq!(absolute("up", "../../a.c"), "../a.c");
    }
}
