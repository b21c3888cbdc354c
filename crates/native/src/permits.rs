//! What the machine permits a started program, shown by a start.

use crate::contain::{Group, MOST_PROCESSES};
use crate::launch::Launch;
use crate::sandbox::Isolation;

/// What this machine permits, by a start that shows it: whether it holds, in words.
#[must_use]
pub fn doctor() -> Vec<(bool, String)> {
    let isolation = Launch::of("/bin/true".into())
        .start()
        .map_or_else(|_| Isolation::default(), |process| process.isolation());
    let place = Group::place();
    let number = match (&place, isolation.contains(Isolation::NUMBER)) {
        (Some(place), true) => format!(
            "at most {MOST_PROCESSES} processes of a program under test: control groups in {place}"
        ),
        (_, true) => {
            "processes of a program under test are bounded by the user's own limit".to_owned()
        }
        (_, false) => Isolation::NUMBER_NOTE.to_owned(),
    };
    let broadcast = match isolation.contains(Isolation::BROADCAST) {
        true => "kill(-1, …) finds nobody: seccomp filter".to_owned(),
        false => Isolation::BROADCAST_NOTE.to_owned(),
    };
    vec![
        (isolation.contains(Isolation::NUMBER), number),
        (isolation.contains(Isolation::BROADCAST), broadcast),
    ]
}
