//! A panic in the runtime is a bug of ours: say so and abort. Nothing unwinds through the program's frames.
#![cfg_attr(
    all(not(test), panic = "abort"),
    allow(unsafe_code, reason = "symbol for the linker")
)]

#[cfg(all(not(test), panic = "abort"))]
mod handler {
    use core::fmt::Write;

    struct Stderr;

    impl Write for Stderr {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            crate::raw::complain(text.as_bytes());
            Ok(())
        }
    }

    #[panic_handler]
    fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
        let _ = writeln!(Stderr, "bothways runtime: {info}");
        // SAFETY: ends the process.
        unsafe { libc::abort() }
    }

    /// The precompiled `core` refers to it; nothing ever unwinds.
    #[unsafe(no_mangle)]
    extern "C" fn rust_eh_personality() {}
}
