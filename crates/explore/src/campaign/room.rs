//! How many single values a run may ask for, where the program asks without end.
//!
//! Whoever runs such a program ends a run where it asks for a value beyond a limit that its input does not give. So an input that gives
//! more makes a longer run. Here is how many it gives: as few as the limit at first. Where the last finds were all towards the end of
//! runs, or some of them were and nothing came since, the end is what is in the way: from there on inputs give twice as many, the
//! others zeros. A run of which most values are zero does not count: what it found at its end, it can find in an earlier round as well.
//!
//! Must hold: inputs of programs that end by themselves stay as they are; nobody gives more values than any run may ask for
//! ([`MOST_ASKED`]); how many depends on the runs alone.

use std::borrow::Cow;

use path::{InputVector, Run, RunFlags, Value, ValueType};
use program::stops::MOST_ASKED;

/// Runs without anything new after which the end of runs may be in the way.
const IDLE: u64 = 32;
/// Finds towards the end of runs that say so; in a row, they say it at once.
const LATE_FINDS: u32 = 2;
const IN_A_ROW: u32 = 3;
/// The last part of a run is its end: one in so many.
const END: usize = 8;

/// Values that inputs give.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// Values of a run that was ended, if one was.
    ended: Option<usize>,
    /// Values that inputs give, once it is more than that.
    grown: Option<usize>,
    /// Most values of an input from outside.
    given: usize,
    /// Finds at the end of runs, since it grew last.
    late: u32,
    /// The last ones of all finds that were at the end.
    in_a_row: u32,
}

impl Room {
    /// An input comes from outside: what it shows may need all of its values.
    pub(super) fn give(&mut self, input: &InputVector) {
        self.given = self.given.max(input.values.len().min(MOST_ASKED as usize));
        self.take_given();
    }

    fn take_given(&mut self) {
        if let Some(ended) = self.ended
            && self.given > self.grown.unwrap_or(ended)
        {
            self.grown = Some(self.given);
        }
    }

    /// Whether it matters at which step a run came to something new.
    pub(super) fn is_ended(run: &Run) -> bool {
        run.flags.contains(RunFlags::INPUTS_TRUNCATED)
            && run.input.values.len() <= MOST_ASKED as usize
    }

    /// A run was ended where it asked for more; `found`: the last step at which it came to something new.
    pub(super) fn note(&mut self, run: &Run, found: Option<usize>) {
        if self.ended.is_none() {
            self.ended = Some(run.input.values.len());
            self.take_given();
        }
        let values = &run.input.values;
        let set = values.iter().filter(|value| value.bits != 0).count();
        let is_full = 2 * set >= values.len();
        let is_late = |at: usize| is_full && at >= run.steps.len() - run.steps.len() / END;
        match found.map(is_late) {
            Some(true) => (self.late, self.in_a_row) = (self.late + 1, self.in_a_row + 1),
            Some(false) => self.in_a_row = 0,
            None => {}
        }
    }

    /// So many runs have brought nothing new.
    pub(super) fn idle(&mut self, runs: u64) {
        let Some(now) = self.grown.or(self.ended) else {
            return;
        };
        let is_in_the_way = self.in_a_row >= IN_A_ROW || runs >= IDLE && self.late >= LATE_FINDS;
        if is_in_the_way && now < MOST_ASKED as usize {
            self.grown = Some((2 * now).min(MOST_ASKED as usize));
            (self.late, self.in_a_row) = (0, 0);
        }
    }

    /// Values of an input that are too many: a run without expressions need not ask for more.
    pub(super) fn cut(&self, input: &mut InputVector) {
        if let Some(most) = self.grown.or(self.ended) {
            input.values.truncate(most);
        }
    }

    /// The input with as many values as it may give.
    pub(super) fn fit<'i>(&self, input: &'i InputVector) -> Cow<'i, InputVector> {
        let most = self.grown.or(self.ended);
        let is_long = most.is_some_and(|most| input.values.len() > most);
        let is_short = self.grown.is_some_and(|most| input.values.len() < most);
        let Some(most) = most.filter(|_| is_long || is_short) else {
            return Cow::Borrowed(input);
        };
        let mut input = input.clone();
        let zero = match input.values.last() {
            Some(last) => Value {
                bits: 0,
                ..last.clone()
            },
            None => Value {
                kind: ValueType::I32,
                name: "".into(),
                element: None,
                c_type: "".into(),
                bits: 0,
            },
        };
        input.values.resize(most, zero);
        Cow::Owned(input)
    }
}

#[cfg(test)]
mod tests {
    use path::{Outcome, Step};

    use super::*;

    fn input(values: usize) -> InputVector {
        let value = Value {
            kind: ValueType::I32,
            name: "".into(),
            element: None,
            c_type: "int".into(),
            bits: 1,
        };
        InputVector {
            values: vec![value; values],
            ..InputVector::default()
        }
    }

    /// A run whose input gives zeros.
    fn idle(values: usize) -> Run {
        let mut run = ended(values);
        run.input.values.iter_mut().for_each(|value| value.bits = 0);
        run
    }

    fn ended(values: usize) -> Run {
        Run {
            steps: vec![Step::ReachError; 100],
            outcome: Outcome::Exited(0),
            input: input(values),
            flags: RunFlags::INPUTS_TRUNCATED,
            losses: Vec::new(),
            late_edges: Vec::new(),
            late_functions: Vec::new(),
            compared: Vec::new(),
            near: Vec::new(),
        }
    }

    fn length(room: &Room, values: usize) -> usize {
        room.fit(&input(values)).values.len()
    }

    #[test]
    fn inputs_of_programs_that_end_stay_as_they_are() {
        let mut room = Room::default();
        room.idle(1000);
        assert_eq!(length(&room, 3), 3);
        assert_eq!(length(&room, 9000), 9000);
    }

    #[test]
    fn finds_at_the_end_of_runs_make_runs_longer_when_nothing_more_is_found() {
        let mut room = Room::default();
        room.note(&ended(256), None);
        assert_eq!(
            (length(&room, 30), length(&room, 300)),
            (30, 256),
            "as ever"
        );
        for _ in 0..9 {
            room.note(&ended(256), Some(10));
        }
        room.idle(IDLE);
        assert_eq!(length(&room, 256), 256, "found in the beginning");
        room.note(&ended(256), Some(90));
        room.note(&ended(256), Some(10));
        room.note(&ended(256), Some(99));
        room.idle(IDLE - 1);
        assert_eq!(length(&room, 256), 256, "more may be found");
        room.idle(IDLE);
        assert_eq!((length(&room, 30), length(&room, 900)), (512, 512));
        room.idle(IDLE);
        assert_eq!(length(&room, 30), 512, "longer runs found nothing");
    }

    #[test]
    fn finds_at_the_end_one_after_the_other_make_runs_longer_at_once() {
        let mut room = Room::default();
        for (found, long) in [(99, 256), (10, 256), (99, 256), (99, 256), (99, 512)] {
            room.note(&ended(256), Some(found));
            room.idle(0);
            assert_eq!(length(&room, 900), long);
        }
    }

    #[test]
    fn what_idle_rounds_find_at_the_end_they_find_earlier() {
        let mut room = Room::default();
        for _ in 0..9 {
            room.note(&idle(256), Some(99));
            room.idle(IDLE);
        }
        assert_eq!(length(&room, 900), 256);
    }

    #[test]
    fn no_run_asks_for_more_than_proofs_count_on() {
        let mut room = Room::default();
        for _ in 0..40 {
            room.note(&ended(256), Some(99));
            room.idle(IDLE);
        }
        assert_eq!(length(&room, 9000), MOST_ASKED as usize);
    }

    #[test]
    fn what_comes_from_outside_has_its_values() {
        let mut room = Room::default();
        room.give(&input(700));
        assert_eq!(length(&room, 700), 700);
        room.note(&ended(256), None);
        assert_eq!((length(&room, 700), length(&room, 800)), (700, 700));
    }
}
