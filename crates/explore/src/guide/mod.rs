//! What strategies are guided by: parts that more than one of them needs.
//!
//! Must hold: as for strategies, nothing here knows criterion or solver, and costs are amortised over paths and picks.

mod branches;
mod copies;
pub(crate) mod distance;
mod living;
mod priced_queue;
mod runs;
mod shares;
mod sides;
mod succession;
mod targets;
mod turns;
mod walk;
mod wanted;
mod weighing;
pub(crate) mod weights;

pub(crate) use branches::Occurrence;
pub(crate) use copies::Copies;
pub(crate) use distance::MeasuredRun;
pub use distance::Nearness;
pub(crate) use living::Living;
pub(crate) use priced_queue::{Group, PricedQueue, position};
pub(crate) use runs::Runs;
pub(crate) use shares::Shares;
pub(crate) use sides::{sides_of_path, wish};
pub(crate) use targets::{Aim, Reach, Targets};
pub(crate) use turns::Turns;
pub(crate) use walk::Walk;
pub(crate) use wanted::wanted_edges;
pub(crate) use weighing::{Rule, Weighing};
