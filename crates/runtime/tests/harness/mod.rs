//! An engine in miniature: builds a driver with the real archive, makes a segment, and speaks the fork-server protocol.
#![allow(unsafe_code, reason = "shared memory with a child process")]
#![allow(dead_code, reason = "each test uses a part")]

use std::ffi::OsStr;
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};
use wire::event::{kind, parts, words};
use wire::input::{InputRecord, StreamRecord};
use wire::node::{Node, Op};
use wire::segment::{
    AREAS_OFFSET, ASKED_SLACK, Area, CONTROL_OFFSET, Control, HOT_OFFSET, Header, Hot, MAGIC,
    ModuleRecord, SHUTDOWN, stage,
};

/// Where what tests build goes.
fn folder() -> &'static Path {
    Path::new(option_env!("CARGO_TARGET_TMPDIR").unwrap_or("."))
}

/// Builds the archive as a release of the tool has it (aborting, `no_std`) and returns its path.
pub fn archive() -> PathBuf {
    let target = folder().join("archive");
    let done = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "runtime", "--target-dir"])
        .arg(&target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .expect("cargo runs");
    assert!(done.success(), "the archive builds");
    target.join("debug/libbothways_runtime.a")
}

/// Compiles C files of the crate with the archive; returns the program.
pub fn driver(name: &str) -> PathBuf {
    // Tests may be threads of one process, and a program that is being written cannot be started.
    static BUILT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = BUILT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let program = folder().join(format!("{name}-{}-{number}", std::process::id()));
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/drivers")
        .join(format!("{name}.c"));
    let done = Command::new("clang-19")
        .args([
            "-O1",
            "-g",
            "-fno-builtin",
            "-pthread",
            "-D__BOTHWAYS__",
            "-I",
        ])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("include"))
        .arg(source)
        .arg("-Wl,--whole-archive")
        .arg(archive())
        .args([
            "-Wl,--no-whole-archive,--wrap=main,--wrap=mkstemp,--wrap=mkstemp64,--wrap=mkdtemp",
            "-rdynamic",
            "-o",
        ])
        .arg(&program)
        .status()
        .expect("clang-19 runs");
    assert!(done.success(), "the driver builds");
    program
}

/// What a run left behind.
#[derive(Debug, Default)]
pub struct Report {
    pub exit: (u32, u32),
    pub events: Vec<Vec<u32>>,
    pub nodes: Vec<Node>,
    pub inputs: Vec<InputRecord>,
    pub overflow: u32,
    pub stale: u32,
    pub names: Vec<u8>,
    pub tables: Vec<u32>,
    pub losses: Vec<(u32, u32, u32)>,
    pub stream_used: u32,
    pub check: String,
}

impl Report {
    /// Events without the calls, as text.
    pub fn text(&self) -> Vec<String> {
        self.events.iter().map(|event| self.event(event)).collect()
    }

    fn event(&self, event: &[u32]) -> String {
        let (kind, payload) = parts(event[0]);
        match kind {
            kind::EDGE => format!("edge {payload}"),
            kind::EDGE_SYM => format!("edge {payload} if {}", self.expression(event[1])),
            kind::SWITCH => format!("switch {}", self.expression(event[1])),
            kind::CALL => format!("call {payload}"),
            kind::RETURN => format!("return {payload}"),
            kind::CONSTRAINT => format!("constraint {payload}: {}", self.expression(event[2])),
            kind::INPUT => format!("input {payload}"),
            _ => format!("mark {payload} {}", event[1]),
        }
    }

    /// An expression as text.
    pub fn expression(&self, label: u32) -> String {
        let node = &self.nodes[label as usize];
        let sub = |label: u32| self.expression(label);
        let op = Op::from_u8(node.op).expect("a known operation");
        let name = format!("{op:?}").to_lowercase();
        match op {
            Op::Const => format!("{:#x}", node.concrete()),
            Op::Input if node.a == u32::MAX => "length".to_owned(),
            Op::Input if node.b == 1 => format!("s{}", node.a),
            Op::Input => format!("v{}", node.a),
            Op::Extract => format!("{}[{}+{}]", sub(node.a), node.b, node.bits),
            Op::ZExt | Op::SExt => format!("{name}{}({})", node.bits, sub(node.a)),
            Op::Table => format!("table@{}({})", node.b, sub(node.a)),
            Op::Ite => format!("ite({}, {}, {})", sub(node.a), sub(node.b), sub(node.c)),
            Op::Not | Op::Neg | Op::Popcount | Op::Clz | Op::Ctz | Op::Bswap | Op::FNeg => {
                format!("{name}({})", sub(node.a))
            }
            _ => format!("{name}({}, {})", sub(node.a), sub(node.b)),
        }
    }
}

/// Sizes of the test segment.
#[derive(Clone, Copy)]
pub struct Options {
    pub flags: u32,
    pub nodes: u64,
    pub events: u64,
    pub timeout_ms: u32,
    pub memory_bytes: u64,
    /// Shortest and longest standard input, if it is symbolic.
    pub stdin: Option<(u32, u32)>,
    pub version: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            flags: 0,
            nodes: 1 << 16,
            events: 1 << 16,
            timeout_ms: 5000,
            memory_bytes: 0,
            stdin: None,
            version: wire::VERSION,
        }
    }
}

/// The engine's side of one segment.
pub struct Engine {
    base: *mut u8,
    header: Header,
    child: Child,
}

const STREAM_BYTES: u64 = 4096;

impl Engine {
    /// Starts a program.
    pub fn start(program: &Path, arguments: &[impl AsRef<OsStr>], options: Options) -> Engine {
        let mut end = AREAS_OFFSET as u64;
        let mut area = |capacity: u64, bytes: u64| {
            let offset = end;
            end += (capacity * bytes).next_multiple_of(4096);
            Area { offset, capacity }
        };
        let mut header = Header {
            failing: 0,
            magic: MAGIC,
            version: options.version,
            flags: options.flags,
            bytes: 0,
            nodes: area(options.nodes, 32),
            events: area(options.events, 4),
            inputs: area(1024, 32),
            streams: area(8, size_of::<StreamRecord>() as u64),
            names: area(4096, 1),
            tables: area(1 << 16, 4),
            modules: area(64, size_of::<ModuleRecord>() as u64),
            losses: area(256, 16),
            edge_hits: area(4096, 4),
            near: area(4096, 16),
            asked: area(4096 / 64 + ASKED_SLACK, 8),
            timeout_ms: options.timeout_ms,
            table_bytes: 4096,
            memory_bytes: options.memory_bytes,
        };
        let stream = area(STREAM_BYTES, 1);
        header.bytes = end;
        // SAFETY: a fresh file that both sides map.
        let (base, descriptor) = unsafe {
            let descriptor = libc::memfd_create(c"segment".as_ptr(), 0);
            assert_eq!(libc::ftruncate(descriptor, end as i64), 0);
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let base = libc::mmap(
                std::ptr::null_mut(),
                end as usize,
                access,
                libc::MAP_SHARED,
                descriptor,
                0,
            );
            (base.cast::<u8>(), OwnedFd::from_raw_fd(descriptor))
        };
        // SAFETY: page 0 of the mapping.
        unsafe { base.cast::<Header>().write(header) };
        if let Some((min_len, max_len)) = options.stdin {
            let record = StreamRecord {
                offset: stream.offset,
                capacity: STREAM_BYTES as u32,
                min_len,
                max_len,
                supplied: 0,
                used: 0,
                role: wire::input::Role::Stdin as u32,
                place: 0,
                name_len: 0,
            };
            // SAFETY: entry 1 of the stream area.
            unsafe {
                base.add(header.streams.offset as usize)
                    .cast::<StreamRecord>()
                    .add(1)
                    .write(record)
            };
        }
        use std::os::fd::AsRawFd;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("BOTHWAYS_SEGMENT", descriptor.as_raw_fd().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let child = loop {
            match command.spawn() {
                // Another thread's linker was forked while the program was open for writing.
                Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                    std::thread::yield_now();
                }
                started => break started.expect("the program starts"),
            }
        };
        Engine {
            base,
            header,
            child,
        }
    }

    pub fn control(&self) -> &Control {
        // SAFETY: part of page 0; all fields are atomic.
        unsafe { &*self.base.add(CONTROL_OFFSET).cast() }
    }

    /// Waits until the condition holds.
    pub fn wait(&self, what: &str, condition: impl Fn(&Control) -> bool) {
        let start = Instant::now();
        while !condition(self.control()) {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "waiting for {what}"
            );
            std::thread::sleep(Duration::from_micros(50));
        }
    }

    pub fn ready(&self) {
        self.wait("READY", |control| {
            control.stage.load(SeqCst) == stage::READY
        });
    }

    /// One run with these values and this standard input.
    pub fn run(&self, values: &[u128], stdin: &[u8]) -> Report {
        self.ready();
        for (index, value) in values.iter().enumerate() {
            let record = InputRecord {
                value: [*value as u64, (*value >> 64) as u64],
                name: 0,
                name_len: 0,
                kind: 0,
                c_type: 0,
                element: 0,
                reserved: 0,
            };
            // SAFETY: inside the input area.
            unsafe {
                self.base
                    .add(self.header.inputs.offset as usize)
                    .cast::<InputRecord>()
                    .add(index)
                    .write(record)
            };
        }
        // SAFETY: entry 1 of the stream area, and its content.
        unsafe {
            let record = self
                .base
                .add(self.header.streams.offset as usize)
                .cast::<StreamRecord>()
                .add(1);
            (*record).supplied = stdin.len() as u32;
            (*record).used = 0;
            let content = self.base.add((*record).offset as usize);
            if (*record).role != 0 {
                std::ptr::copy_nonoverlapping(stdin.as_ptr(), content, stdin.len());
            }
        }
        let control = self.control();
        control.supplied.store(values.len() as u32, SeqCst);
        let request = control.request.load(SeqCst) + 1;
        control.request.store(request, SeqCst);
        wake(&control.request);
        self.wait("the run", |control| control.done.load(SeqCst) == request);
        self.report()
    }

    /// What the segment holds now.
    pub fn report(&self) -> Report {
        let control = self.control();
        let area = |area: Area, count: usize, bytes: usize| {
            // SAFETY: counts were bounded by the runtime; the area is mapped.
            unsafe {
                std::slice::from_raw_parts(self.base.add(area.offset as usize), count * bytes)
            }
        };
        let words_of = |a: Area, count: usize| -> Vec<u32> {
            area(a, count, 4)
                .chunks(4)
                .map(|c| u32::from_le_bytes(c.try_into().expect("4 bytes")))
                .collect()
        };
        // SAFETY: page 1.
        let hot = unsafe { &*self.base.add(HOT_OFFSET).cast::<Hot>() };
        let stream = words_of(
            self.header.events,
            ((hot.cursor - hot.events_start) / 4) as usize,
        );
        let mut events = Vec::new();
        let mut at = 0;
        while at < stream.len() {
            let length = words(parts(stream[at]).0);
            events.push(stream[at..at + length].to_vec());
            at += length;
        }
        let read = |value: &std::sync::atomic::AtomicU32| value.load(SeqCst) as usize;
        let names = area(self.header.names, 4096, 1).to_vec();
        let check = names[read(&control.check_name)..][..read(&control.check_len)].to_vec();
        let losses = words_of(self.header.losses, 4 * read(&control.loss_count));
        // SAFETY: plain data in mapped areas.
        unsafe {
            let nodes = self
                .base
                .add(self.header.nodes.offset as usize)
                .cast::<Node>();
            let inputs = self
                .base
                .add(self.header.inputs.offset as usize)
                .cast::<InputRecord>();
            let streams = self
                .base
                .add(self.header.streams.offset as usize)
                .cast::<StreamRecord>();
            Report {
                exit: (
                    control.exit_kind.load(SeqCst),
                    control.exit_value.load(SeqCst),
                ),
                events,
                nodes: std::slice::from_raw_parts(nodes, read(&control.node_count)).to_vec(),
                inputs: std::slice::from_raw_parts(inputs, read(&control.input_count)).to_vec(),
                overflow: control.overflow.load(SeqCst),
                stale: control.stale.load(SeqCst),
                tables: words_of(self.header.tables, read(&control.table_words)),
                losses: losses.chunks(4).map(|c| (c[0], c[1], c[2])).collect(),
                stream_used: (*streams.add(1)).used,
                check: String::from_utf8_lossy(&check).into_owned(),
                names,
            }
        }
    }

    /// Edges counted after the event area was full.
    pub fn edge_hits(&self) -> Vec<(usize, u32)> {
        let offset = self.header.edge_hits.offset as usize;
        let count = |edge: usize| {
            // SAFETY: inside the mapping.
            unsafe {
                self.base
                    .add(offset + 4 * edge)
                    .cast::<u32>()
                    .read_unaligned()
            }
        };
        let counts = (0..4096).map(|edge| (edge, count(edge)));
        counts.filter(|(_, count)| *count != 0).collect()
    }

    /// Tells the server to end and returns its status.
    pub fn shut_down(mut self) -> Option<i32> {
        self.control().request.store(SHUTDOWN, SeqCst);
        wake(&self.control().request);
        self.child.wait().expect("the server ends").code()
    }

    /// Waits for a program that runs without server.
    pub fn finish(mut self) -> Report {
        self.child.wait().expect("the program ends");
        self.report()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // SAFETY: nothing refers to the mapping any more.
        unsafe { libc::munmap(self.base.cast(), self.header.bytes as usize) };
    }
}

fn wake(word: &std::sync::atomic::AtomicU32) {
    // SAFETY: a futex call on a live word.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
