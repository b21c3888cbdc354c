//! Starts a process that shares our memory until it executes its program, as `vfork` does: what a start costs does not grow
//! with the memory of the engine.
//!
//! Must hold: the calling thread waits until the child has executed its program or has ended; between the two the child makes
//! system calls only, has no handler of ours, and is the only one to write to what they share.
#![allow(unsafe_code, reason = "clone, and system calls of the child")]

use std::ffi::{CStr, CString, OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

/// Bytes of the child's stack.
const STACK: usize = 256 << 10;

/// What is executed.
pub struct Image<'a> {
    program: CString,
    args: Vec<CString>,
    env: Vec<CString>,
    cwd: CString,
    /// Standard input, output, and error.
    streams: [BorrowedFd<'a>; 3],
}

impl<'a> Image<'a> {
    /// A program with its arguments, the first of which is its name, and with these variables alone.
    ///
    /// # Errors
    /// When one of the texts has a zero byte.
    pub fn new(
        program: &Path,
        args: impl IntoIterator<Item = OsString>,
        env: impl IntoIterator<Item = (OsString, OsString)>,
        cwd: &Path,
        streams: [BorrowedFd<'a>; 3],
    ) -> io::Result<Image<'a>> {
        let args: io::Result<Vec<CString>> = args.into_iter().map(|arg| text(&arg)).collect();
        let pair = |(name, value): (OsString, OsString)| {
            let bytes = [name.as_bytes(), b"=", value.as_bytes()].concat();
            text(OsStr::from_bytes(&bytes))
        };
        let env: io::Result<Vec<CString>> = env.into_iter().map(pair).collect();
        Ok(Image {
            program: text(program.as_os_str())?,
            args: args?,
            env: env?,
            cwd: text(cwd.as_os_str())?,
            streams,
        })
    }

    /// Starts it; returns its process id. `prepare` runs in the child, with standard streams and folder as they will be, and must
    /// make system calls only.
    ///
    /// # Errors
    /// When it cannot be executed.
    pub fn spawn(&self, prepare: &mut dyn FnMut()) -> io::Result<i32> {
        let (args, env) = (pointers(&self.args), pointers(&self.env));
        let mut birth = Birth {
            image: self,
            args: args.as_ptr(),
            env: env.as_ptr(),
            prepare,
            errno: 0,
        };
        let mut stack = vec![0_u128; STACK / size_of::<u128>()];
        let top = stack.as_mut_ptr_range().end;
        // SAFETY: `child` gets a stack of its own and a pointer to what lives until `clone` returns, which is when the child
        // uses our memory no longer. Signals are blocked meanwhile, so that no handler runs in it. The structures are local.
        let (pid, refused) = unsafe {
            let (mut all, mut mask): (libc::sigset_t, libc::sigset_t) =
                (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut mask);
            let dumpable = libc::prctl(libc::PR_GET_DUMPABLE);
            let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
            let pid = libc::clone(child, top.cast(), flags, (&raw mut birth).cast());
            let refused = io::Error::last_os_error();
            // It belongs to the memory, and a change of the child's credentials may take it away.
            if libc::prctl(libc::PR_GET_DUMPABLE) != dumpable {
                libc::prctl(libc::PR_SET_DUMPABLE, dumpable, 0, 0, 0);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const mask, ptr::null_mut());
            (pid, refused)
        };
        drop(stack);
        if pid < 0 {
            return Err(refused);
        }
        // SAFETY: written, if at all, before `clone` returned.
        match unsafe { (&raw const birth.errno).read_volatile() } {
            0 => Ok(pid),
            errno => {
                // SAFETY: our own child, which has ended.
                unsafe { libc::waitpid(pid, ptr::null_mut(), 0) };
                Err(io::Error::from_raw_os_error(errno))
            }
        }
    }
}

fn text(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

fn pointers(texts: &[CString]) -> Vec<*const libc::c_char> {
    let all = texts.iter().map(|text| CStr::as_ptr(text));
    all.chain([ptr::null()]).collect()
}

/// What the child is told, and what it says.
struct Birth<'a> {
    image: &'a Image<'a>,
    args: *const *const libc::c_char,
    env: *const *const libc::c_char,
    prepare: &'a mut dyn FnMut(),
    /// Why it could not be executed.
    errno: i32,
}

extern "C" fn child(birth: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `spawn` passes its own, which lives until this process executes or ends; nobody else uses it meanwhile. All that
    // is called is system calls.
    unsafe {
        let birth = &mut *birth.cast::<Birth<'_>>();
        if birth.enter() {
            libc::execve(birth.image.program.as_ptr(), birth.args, birth.env);
        }
        birth.errno = *libc::__errno_location();
        libc::_exit(127)
    }
}

impl Birth<'_> {
    /// Makes the process what the program expects. False when a call failed.
    ///
    /// # Safety
    /// In the child only.
    unsafe fn enter(&mut self) -> bool {
        // SAFETY: system calls on live descriptors and texts.
        unsafe {
            for (number, stream) in (0..).zip(&self.image.streams) {
                if libc::dup2(stream.as_raw_fd(), number) < 0 {
                    return false;
                }
            }
            if libc::chdir(self.image.cwd.as_ptr()) != 0 {
                return false;
            }
            reset_signals();
        }
        (self.prepare)();
        true
    }
}

/// What has a handler, and `SIGPIPE`, which Rust ignores, gets its default; then nothing is blocked.
///
/// # Safety
/// In the child only: a handler would run in our memory.
unsafe fn reset_signals() {
    const LAST: libc::c_int = 64;
    // SAFETY: system calls on local structures; all zeros is a valid action, the default one.
    unsafe {
        let plain: libc::sigaction = std::mem::zeroed();
        for signal in 1..=LAST {
            let mut now: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, ptr::null(), &raw mut now) != 0 {
                continue;
            }
            let is_ours = now.sa_sigaction != libc::SIG_DFL && now.sa_sigaction != libc::SIG_IGN;
            if is_ours || signal == libc::SIGPIPE {
                libc::sigaction(signal, &raw const plain, ptr::null_mut());
            }
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::AsFd;

    fn start(program: &str, cwd: &str, prepare: &mut dyn FnMut()) -> io::Result<i32> {
        let null = File::options().read(true).write(true).open("/dev/null")?;
        let streams = [null.as_fd(), null.as_fd(), null.as_fd()];
        let args = [OsString::from(program)];
        let image = Image::new(Path::new(program), args, [], Path::new(cwd), streams)?;
        image.spawn(prepare)
    }

    fn end_of(pid: i32) -> i32 {
        let mut status = 0;
        // SAFETY: our own child.
        assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, 0) }, pid);
        status
    }

    fn faults() -> i64 {
        // SAFETY: the kernel fills a struct of which all zeros is a value.
        unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage);
            usage.ru_minflt
        }
    }

    /// After a fork, each page of the engine is copied when it is written to.
    #[test]
    fn a_start_does_not_copy_our_memory() {
        const PAGES: usize = 16 << 10;
        let mut memory = vec![1_u8; PAGES << 12];
        let pid = start("/bin/true", "/", &mut || ()).expect("it starts");
        let before = faults();
        memory
            .iter_mut()
            .step_by(1 << 12)
            .for_each(|byte| *byte = 2);
        let copied = faults() - before;
        assert_eq!(end_of(pid), 0);
        assert!(std::hint::black_box(memory)[PAGES] > 0);
        assert!(copied < PAGES as i64 / 4, "{copied} faults");
    }

    #[test]
    fn what_cannot_be_executed_says_why() {
        let errno = |program: &str, cwd: &str| {
            let result = start(program, cwd, &mut || ());
            result.expect_err("it does not start").raw_os_error()
        };
        assert_eq!(errno("/no/such/program", "/"), Some(libc::ENOENT));
        assert_eq!(errno("/dev/null", "/"), Some(libc::EACCES));
        assert_eq!(errno("/bin/true", "/no/such/folder"), Some(libc::ENOENT));
        let zero = start("/bin/true\0", "/", &mut || ());
        assert_eq!(
            zero.expect_err("no text").kind(),
            io::ErrorKind::InvalidInput
        );
    }

    #[test]
    fn the_child_speaks_through_our_memory() {
        let mut own = 0;
        // SAFETY: cannot fail.
        let mut ask = || own = unsafe { libc::getpid() };
        let pid = start("/bin/true", "/", &mut ask).expect("it starts");
        assert_eq!(end_of(pid), 0);
        assert_eq!(own, pid);
    }
}
