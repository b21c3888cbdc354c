//! What can go wrong.

/// An error of this crate. Texts in LLVM's words are kept as they are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are no bitcode of LLVM 19 or older.
    #[error("{module}: not LLVM bitcode that this version reads: {detail}")]
    Bitcode {
        /// The module.
        module: String,
        /// LLVM's message.
        detail: String,
    },
    /// LLVM's verifier refused a module.
    #[error("{module}: invalid LLVM module: {detail}")]
    Verify {
        /// The module.
        module: String,
        /// LLVM's message.
        detail: String,
    },
    /// A pass pipeline failed.
    #[error("{module}: LLVM passes failed: {detail}")]
    Passes {
        /// The module.
        module: String,
        /// LLVM's message.
        detail: String,
    },
    /// A function that was asked for is not there.
    #[error("{module}: there is no function `{function}` in it")]
    Missing {
        /// The module.
        module: String,
        /// The function.
        function: String,
    },
    /// Code generation failed.
    #[error("{module}: code generation failed: {detail}")]
    Emit {
        /// The module.
        module: String,
        /// LLVM's message.
        detail: String,
    },
    /// The coverage mapping in a module is malformed.
    #[error("{module}: {detail}")]
    Coverage {
        /// The module.
        module: String,
        /// What is wrong.
        detail: String,
    },
}
