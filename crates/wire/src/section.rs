//! The section `.bothways` of objects and programs: records that the linker concatenates, one for each module.
//!
//! A record is [`RecordHeader`], then `meta_len` bytes of JSON (how the module was compiled), then `bitcode_len`
//! bytes of LLVM bitcode, zero-padded to a multiple of 8. The bitcode is the module after promotion to SSA, before
//! instrumentation, with clang's coverage intrinsics in it; ids are assigned from it by the numbering rule of
//! `llvm::number`.

/// Name of the section.
pub const NAME: &str = ".bothways";
/// First bytes of each record.
pub const MAGIC: [u8; 8] = *b"bothway1";

/// Head of a record. Little-endian.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordHeader {
    pub magic: [u8; 8],
    /// Hash of the bitcode: joins the record with [`crate::segment::ModuleRecord`].
    pub uid: u64,
    pub meta_len: u64,
    pub bitcode_len: u64,
}
