//! What the machine permits a started program, shown by a start.

use crate::contain::{Bound, Group, MOST_PROCESSES};
use crate::launch::Launch;
use crate::sandbox::Isolation;

/// What this machine permits, by a start that shows it: whether it holds, in words.
#[must_use]
pub fn doctor() -> Vec<(bool, String)> {
    let process = Launch::of("/bin/true".into()).start().ok();
    let isolation = process
        .as_ref()
        .map_or_else(Isolation::default, |process| process.isolation());
    let is_bounded = isolation.contains(Isolation::NUMBER);
    let most = format!("at most {MOST_PROCESSES} processes of a program under test");
    let number = match process.as_ref().and_then(|process| process.bound()) {
        _ if !is_bounded => Isolation::NUMBER_NOTE.to_owned(),
        Some(Bound::Group(_)) => {
            let place = Group::place().unwrap_or_default();
            format!("{most}: control groups in {place}")
        }
        Some(Bound::Births(_)) => {
            format!("{most}: each asks first (seccomp filter), since no control group is permitted")
        }
        None => "processes of a program under test are bounded by the user's own limit".to_owned(),
    };
    let broadcast = match isolation.contains(Isolation::BROADCAST) {
        true => "kill(-1, …) finds nobody: seccomp filter".to_owned(),
        false => Isolation::BROADCAST_NOTE.to_owned(),
    };
    vec![
        (is_bounded, number),
        (isolation.contains(Isolation::BROADCAST), broadcast),
    ]
}
