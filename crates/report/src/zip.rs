//! A zip archive of files that are stored as they are.
//!
//! Must hold: the same files give the same bytes (every date is the first one that the format has); sizes stay below
//! 4 GiB and files below 65,536, so no extension of the format is needed.

use crate::format::Artifact;

/// 1 January 1980, midnight.
const DATE: u16 = 1 << 5 | 1;
const VERSION: u16 = 10;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;

/// The archive, files in the given order.
#[must_use]
pub fn archive(files: &[Artifact]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    for file in files {
        let offset = bytes.len() as u32;
        let common = common_header(file);
        bytes.extend(0x0403_4b50_u32.to_le_bytes());
        bytes.extend(&common);
        bytes.extend(file.path.as_bytes());
        bytes.extend(&file.bytes);

        directory.extend(0x0201_4b50_u32.to_le_bytes());
        directory.extend(VERSION.to_le_bytes());
        directory.extend(&common);
        // Comment length, disk, internal attributes, external attributes.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(file.path.as_bytes());
    }
    let (start, size) = (bytes.len() as u32, directory.len() as u32);
    let count = (files.len() as u16).to_le_bytes();
    bytes.extend(directory);
    bytes.extend(0x0605_4b50_u32.to_le_bytes());
    // This disk, disk of the directory.
    bytes.extend([0; 4]);
    bytes.extend(count);
    bytes.extend(count);
    bytes.extend(size.to_le_bytes());
    bytes.extend(start.to_le_bytes());
    // Comment length.
    bytes.extend([0; 2]);
    bytes
}

/// What a file's local header and its entry in the directory share.
fn common_header(file: &Artifact) -> Vec<u8> {
    let size = (file.bytes.len() as u32).to_le_bytes();
    let mut header = Vec::with_capacity(26);
    header.extend(VERSION.to_le_bytes());
    header.extend(FLAGS.to_le_bytes());
    // Stored; midnight.
    header.extend([0; 4]);
    header.extend(DATE.to_le_bytes());
    header.extend(crc32(&file.bytes).to_le_bytes());
    header.extend(size);
    header.extend(size);
    header.extend((file.path.len() as u16).to_le_bytes());
    // Length of the extra field.
    header.extend([0; 2]);
    header
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_standard_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn the_archive_ends_with_its_directory() {
        let files = [Artifact::new("a", "xyz"), Artifact::new("b/c", "")];
        let bytes = archive(&files);
        let end = &bytes[bytes.len() - 22..];
        assert_eq!(end[..4], *b"PK\x05\x06");
        assert_eq!(end[10], 2);
        let number = |at: usize| u32::from_le_bytes(end[at..at + 4].try_into().expect("4 bytes"));
        let (size, start) = (number(12) as usize, number(16) as usize);
        assert_eq!(start + size + 22, bytes.len());
        assert_eq!(bytes[start..start + 4], *b"PK\x01\x02");
    }
}
