//! Files that a program can open: standard input and output, the symbolic files, the null device, and those that it makes itself in
//! its working folder, which is empty otherwise, as that of a native run. The outside world's files are none of them.
//!
//! Must hold: nothing is read or written outside of the machine; a descriptor and a `FILE` of it have one position.

use std::collections::BTreeMap;

use path::{Role, Stream};

use crate::record::StreamId;

/// A file's content, by its place in [`Files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContentId(u32);

/// What was opened once, by its place in [`Files`]; several descriptors may share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OpenId(u32);

/// What stands in a file.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// An input.
    Stream(StreamId),
    /// What the program wrote; of an input file that was emptied as well.
    Bytes(Vec<u8>),
    /// `/dev/null`.
    Null,
    /// Standard output and error.
    Output,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mode {
    pub reads: bool,
    pub writes: bool,
    pub appends: bool,
    /// It is made if there is none.
    pub makes: bool,
    /// It must not be there.
    pub is_new: bool,
    pub empties: bool,
}

/// An opened file.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub content: ContentId,
    pub position: u64,
    pub mode: Mode,
    /// A `FILE` read from it: the descriptor stands somewhere behind the position.
    pub buffered: bool,
    /// A `FILE` wrote to it what others may not see yet.
    pub unflushed: bool,
}

/// A `FILE`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle {
    pub descriptor: u32,
    /// The end was seen.
    pub ended: bool,
    pub failed: bool,
    /// A byte that was put back and is not the one that stands there.
    pub pushed: Option<u8>,
    /// It stands where a program went that asked for the end.
    pub at_end: bool,
}

impl Handle {
    pub fn new(descriptor: u32) -> Handle {
        Handle {
            descriptor,
            ended: false,
            failed: false,
            pushed: None,
            at_end: false,
        }
    }
}

/// Why a file cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoFile {
    /// With this `errno`.
    Error(u32),
    /// It is one of the outside world, or a folder.
    Outside,
}

/// `ENOENT`, `EBADF`, `EEXIST`, `EINVAL`.
pub(crate) const NOT_FOUND: u32 = 2;
pub(crate) const BAD_DESCRIPTOR: u32 = 9;
pub(crate) const EXISTS: u32 = 17;
pub(crate) const INVALID: u32 = 22;

/// Largest file.
const LARGEST: u64 = 1 << 26;

/// All files of a run.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    contents: Vec<Content>,
    /// In the working folder.
    names: BTreeMap<Vec<u8>, ContentId>,
    opens: Vec<Open>,
    descriptors: BTreeMap<u32, OpenId>,
    handles: BTreeMap<u64, Handle>,
}

impl Files {
    /// Those that are there when the program starts; `standard` are the three `FILE`s.
    pub fn new(streams: &[Stream], standard: [u64; 3]) -> Files {
        let mut files = Files {
            contents: vec![Content::Null],
            names: BTreeMap::new(),
            opens: Vec::new(),
            descriptors: BTreeMap::new(),
            handles: BTreeMap::new(),
        };
        let mut input = Content::Bytes(Vec::new());
        for (place, stream) in (0..).zip(streams) {
            let content = Content::Stream(StreamId(place));
            match stream.role {
                Role::Stdin => input = content,
                Role::File => {
                    let id = files.add(content);
                    let name = plain_name(stream.name.as_bytes());
                    files.names.entry(name).or_insert(id);
                }
                _ => {}
            }
        }
        let output = files.add(Content::Output);
        let input = files.add(input);
        for (descriptor, content) in [input, output, output].into_iter().enumerate() {
            let mode = Mode {
                reads: content == input,
                writes: content == output,
                ..Mode::default()
            };
            files.start(content, mode, descriptor as u32);
        }
        for (descriptor, file) in (0..).zip(standard) {
            files.handles.insert(file, Handle::new(descriptor));
        }
        files
    }

    fn add(&mut self, content: Content) -> ContentId {
        self.contents.push(content);
        ContentId(self.contents.len() as u32 - 1)
    }

    fn start(&mut self, content: ContentId, mode: Mode, descriptor: u32) {
        self.opens.push(Open {
            content,
            position: 0,
            mode,
            buffered: false,
            unflushed: false,
        });
        let id = OpenId(self.opens.len() as u32 - 1);
        self.descriptors.insert(descriptor, id);
    }

    fn free_descriptor(&self) -> u32 {
        let taken = |descriptor: &u32| self.descriptors.contains_key(descriptor);
        (0..).find(|descriptor| !taken(descriptor)).unwrap_or(0)
    }

    /// The file of this name; `None` where the working folder has none.
    ///
    /// # Errors
    /// It is of the outside world, or a folder.
    pub fn named(&self, name: &[u8]) -> Result<Option<ContentId>, NoFile> {
        if name.is_empty() {
            return Ok(None);
        }
        if name == b"/dev/null" {
            return Ok(Some(ContentId(0)));
        }
        let name = plain_name(name);
        let is_folder = name.is_empty() || self.is_folder(&name);
        let leads_out = |part: &[u8]| part == b"..";
        if name.starts_with(b"/") || is_folder || name.split(|byte| *byte == b'/').any(leads_out) {
            return Err(NoFile::Outside);
        }
        Ok(self.names.get(&name).copied())
    }

    fn is_folder(&self, name: &[u8]) -> bool {
        let inside = |file: &Vec<u8>| file.starts_with(name) && file.get(name.len()) == Some(&b'/');
        self.names.keys().any(inside)
    }

    /// Opens the file of this name; its descriptor.
    ///
    /// # Errors
    /// See [`NoFile`].
    pub fn open(&mut self, name: &[u8], mode: Mode) -> Result<u32, NoFile> {
        let known = self.named(name)?;
        let content = match known {
            Some(_) if mode.makes && mode.is_new => return Err(NoFile::Error(EXISTS)),
            Some(content) => content,
            None if !mode.makes || name.is_empty() => return Err(NoFile::Error(NOT_FOUND)),
            None => {
                let name = plain_name(name);
                let folder = name.iter().rposition(|byte| *byte == b'/');
                if folder.is_some_and(|end| !self.is_folder(&name[..end])) {
                    return Err(NoFile::Error(NOT_FOUND));
                }
                let content = self.add(Content::Bytes(Vec::new()));
                self.names.insert(name, content);
                content
            }
        };
        if mode.empties && mode.writes && !matches!(self.content(content), Content::Null) {
            self.contents[content.0 as usize] = Content::Bytes(Vec::new());
        }
        Ok(self.open_content(content, mode))
    }

    /// Opens a file that has no name.
    pub fn open_nameless(&mut self) -> u32 {
        let content = self.add(Content::Bytes(Vec::new()));
        let mode = Mode {
            reads: true,
            writes: true,
            ..Mode::default()
        };
        self.open_content(content, mode)
    }

    fn open_content(&mut self, content: ContentId, mode: Mode) -> u32 {
        let descriptor = self.free_descriptor();
        self.start(content, mode, descriptor);
        descriptor
    }

    /// Closes a descriptor; false if it is none.
    pub fn close(&mut self, descriptor: u32) -> bool {
        self.descriptors.remove(&descriptor).is_some()
    }

    /// Another descriptor of what is open, the one that is asked for or the first that is free; `None` if nothing is open there.
    pub fn duplicate(&mut self, descriptor: u32, wanted: Option<u32>) -> Option<u32> {
        let open = *self.descriptors.get(&descriptor)?;
        let fresh = wanted.unwrap_or_else(|| self.free_descriptor());
        self.descriptors.insert(fresh, open);
        Some(fresh)
    }

    /// Takes a name away; false if there is none.
    ///
    /// # Errors
    /// It is of the outside world, or a folder.
    pub fn unlink(&mut self, name: &[u8]) -> Result<bool, NoFile> {
        match self.named(name)? {
            Some(ContentId(0)) => Err(NoFile::Outside),
            Some(_) => Ok(self.names.remove(&plain_name(name)).is_some()),
            None => Ok(false),
        }
    }

    /// Gives a file another name; false if there is none.
    ///
    /// # Errors
    /// One of them is of the outside world, or a folder.
    pub fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<bool, NoFile> {
        let Some(content) = self.named(from)? else {
            return Ok(false);
        };
        if content == ContentId(0) || self.named(to)? == Some(ContentId(0)) {
            return Err(NoFile::Outside);
        }
        self.names.remove(&plain_name(from));
        self.names.insert(plain_name(to), content);
        Ok(true)
    }

    /// What a descriptor is open on.
    pub fn of_descriptor(&self, descriptor: u32) -> Option<OpenId> {
        self.descriptors.get(&descriptor).copied()
    }

    pub fn get(&self, open: OpenId) -> &Open {
        &self.opens[open.0 as usize]
    }

    pub fn get_mut(&mut self, open: OpenId) -> &mut Open {
        &mut self.opens[open.0 as usize]
    }

    pub fn content(&self, content: ContentId) -> &Content {
        &self.contents[content.0 as usize]
    }

    /// A number by which a file is told from others.
    pub fn number(&self, content: ContentId) -> u64 {
        u64::from(content.0) + 1
    }

    /// The `FILE` at an address.
    pub fn handle(&mut self, file: u64) -> Option<&mut Handle> {
        self.handles.get_mut(&file)
    }

    pub fn add_handle(&mut self, file: u64, descriptor: u32) {
        self.handles.insert(file, Handle::new(descriptor));
    }

    /// Takes a `FILE` away; its descriptor.
    pub fn remove_handle(&mut self, file: u64) -> Option<u32> {
        self.handles.remove(&file).map(|handle| handle.descriptor)
    }

    /// All that was written is where it can be seen.
    pub fn flush_all(&mut self) {
        self.opens
            .iter_mut()
            .for_each(|open| open.unflushed = false);
    }

    /// Whether what somebody wrote to a file cannot be seen by others yet.
    pub fn is_unflushed(&self, content: ContentId, but: Option<OpenId>) -> bool {
        let opens = (0..).zip(&self.opens);
        opens
            .filter(|(id, _)| Some(OpenId(*id)) != but)
            .any(|(_, open)| open.content == content && open.unflushed)
    }

    /// Writes bytes at the position, or at the end; false where that is no file to be written, or too large.
    pub fn write(&mut self, open: OpenId, bytes: &[u8]) -> bool {
        let Open {
            content,
            position,
            mode,
            ..
        } = *self.get(open);
        let Content::Bytes(held) = &mut self.contents[content.0 as usize] else {
            return false;
        };
        let start = match mode.appends {
            true => held.len() as u64,
            false => position,
        };
        let end = start.saturating_add(bytes.len() as u64);
        if end > LARGEST {
            return false;
        }
        if held.len() < end as usize {
            held.resize(end as usize, 0);
        }
        held[start as usize..end as usize].copy_from_slice(bytes);
        self.get_mut(open).position = end;
        true
    }

    /// Sets the length of a file; false where it is none that can be written.
    pub fn truncate(&mut self, content: ContentId, length: u64) -> bool {
        match &mut self.contents[content.0 as usize] {
            Content::Bytes(held) if length <= LARGEST => {
                held.resize(length as usize, 0);
                true
            }
            _ => false,
        }
    }
}

/// A name without parts that say nothing.
fn plain_name(name: &[u8]) -> Vec<u8> {
    let absolute: &[u8] = if name.starts_with(b"/") { b"/" } else { b"" };
    let parts = name.split(|byte| *byte == b'/');
    let parts: Vec<&[u8]> = parts
        .filter(|part| !part.is_empty() && *part != b".")
        .collect();
    [absolute, &parts.join(&b'/')].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: Mode = Mode {
        reads: true,
        writes: false,
        appends: false,
        makes: false,
        is_new: false,
        empties: false,
    };
    const WRITE: Mode = Mode {
        reads: false,
        writes: true,
        appends: false,
        makes: true,
        is_new: false,
        empties: true,
    };

    fn files() -> Files {
        let stream = |id, role, name: &str| Stream {
            id,
            role,
            name: name.into(),
            bytes: b"abc".to_vec(),
            min: 0,
            max: 8,
            used: 0,
        };
        let streams = [
            stream(1, Role::Stdin, ""),
            stream(2, Role::File, "in/notes.txt"),
        ];
        Files::new(&streams, [1, 2, 3])
    }

    #[test]
    fn names_lead_to_files_of_the_working_folder() {
        let mut files = files();
        let found = files.named(b"in/notes.txt").expect("inside");
        assert!(found.is_some());
        for name in ["./in//notes.txt", "in/./notes.txt"] {
            assert_eq!(files.named(name.as_bytes()), Ok(found), "{name}");
        }
        for name in ["", "in/notes", "notes.txt"] {
            assert_eq!(files.named(name.as_bytes()), Ok(None), "{name}");
        }
        for name in ["/etc/passwd", "../a", "in", ".", "in/../../a"] {
            assert_eq!(files.named(name.as_bytes()), Err(NoFile::Outside), "{name}");
        }
        assert_eq!(files.open(b"other/a", WRITE), Err(NoFile::Error(NOT_FOUND)));
        assert_eq!(files.open(b"a", READ), Err(NoFile::Error(NOT_FOUND)));
        assert_eq!(files.open(b"in/a", WRITE), Ok(3));
        let fresh = Mode {
            is_new: true,
            ..WRITE
        };
        assert_eq!(files.open(b"in/a", fresh), Err(NoFile::Error(EXISTS)));
        assert_eq!(files.rename(b"in/a", b"b"), Ok(true));
        assert_eq!(files.unlink(b"in/a"), Ok(false));
        assert_eq!(files.unlink(b"b"), Ok(true));
    }

    #[test]
    fn what_is_written_can_be_read() {
        let mut files = files();
        let descriptor = files.open(b"a", WRITE).expect("it is made");
        let open = files.of_descriptor(descriptor).expect("it is open");
        assert!(files.write(open, b"abcd"));
        files.get_mut(open).position = 6;
        assert!(files.write(open, b"x"));
        let Content::Bytes(held) = files.content(files.get(open).content) else {
            panic!("a file of the program's own");
        };
        assert_eq!(held, b"abcd\0\0x");
        let output = files.of_descriptor(1).expect("standard output");
        assert!(!files.write(output, b"x"));
        assert!(files.close(descriptor) && !files.close(descriptor));
        assert_eq!(files.duplicate(0, Some(7)), Some(7));
        assert_eq!(files.of_descriptor(7), files.of_descriptor(0));
        assert_eq!(files.open(b"a", READ), Ok(3));
    }
}
