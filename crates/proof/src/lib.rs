//! Certificates: what a proof of infeasibility rests on, written down, and a checker that derives it anew.
//!
//! Charter: deterministic, no I/O. May use the model, its semantics, terms and a fresh solver, and the goals. Never sees a
//! search: neither runs nor the solver's caches and hints that a prover works with.
//!
//! Invariants:
//! - a certificate is accepted only if each condition that it rests on was derived from the model here, and refuted by a
//!   solver that was asked nothing else;
//! - `unknown` accepts nothing;
//! - a certificate belongs to one program, by the hash of its model, and to one text, by its seal;
//! - what cannot be derived without a search says so in the certificate, and is never accepted as checked.
//!
//! What checker and provers share is [`vc`]: how conditions of a path follow from the model. A mistake there is a mistake of
//! both; `docs/decisions/0085-certificates.md` says why, and what stands against it.

pub mod assertion;
mod cells;
mod certificate;
mod check;
pub mod clauses;
pub mod closed;
mod effort;
pub mod induction;
pub mod kinds;
mod layout;
pub mod opening;
mod question;
pub mod standing;
mod tables;
#[cfg(test)]
mod tests;
pub mod vc;

pub use certificate::{
    Called, Certificate, Document, DocumentError, FORMAT, Fact, GoalName, Inputs, MODEL, Subject,
};
pub use check::{Checked, Report, Sharing, check, goals_of, is_shared};
pub use effort::{Effort, End};
pub use kinds::contradiction::{Effects, Grounds, all_that_follow, follow_from};
pub use kinds::{KINDS, Kind, Refusal};
