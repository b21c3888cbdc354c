//! One part of a work that splits by itself: functions of a file, targets of `bothways reach`.
//!
//! Must hold: the parts of one number are disjoint and together everything; which part an item is in depends on its place in
//! the list alone.

use std::fmt;

/// Most parts.
const MOST: u32 = 1_000_000;

/// Part `index` (from 1) of `of`: every `of`-th item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    of: u32,
}

impl Shard {
    /// `2/8` is the second of eight parts.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let usual = || format!("'{text}' is not I/N with I from 1 to N, such as 2/8");
        let (index, of) = text.split_once('/').ok_or_else(usual)?;
        let number = |text: &str| text.parse::<u32>().map_err(|_| usual());
        let shard = Shard {
            index: number(index)?,
            of: number(of)?,
        };
        match shard.of <= MOST && (1..=shard.of).contains(&shard.index) {
            true => Ok(shard),
            false => Err(usual()),
        }
    }

    /// The items of a list that are in this part.
    pub fn of<T>(self, items: impl IntoIterator<Item = T>) -> Vec<T> {
        let (first, step) = (self.index as usize - 1, self.of as usize);
        items.into_iter().skip(first).step_by(step).collect()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_disjoint_and_together_everything() {
        for of in 1..12 {
            let parts = (1..=of).map(|index| Shard { index, of }.of(0..7));
            let mut all: Vec<i32> = parts.flatten().collect();
            all.sort_unstable();
            assert_eq!(all, (0..7).collect::<Vec<_>>(), "{of}");
        }
        assert_eq!(
            Shard::parse("2/3").map(|part| part.of(1..=8)),
            Ok(vec![2, 5, 8])
        );
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for bad in [
            "",
            "1",
            "0/3",
            "4/3",
            "1/0",
            "-1/3",
            "a/b",
            "1/2/3",
            "1/1000001",
        ] {
            assert!(Shard::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(
            Shard::parse("8/8").map(|part| part.to_string()),
            Ok("8/8".to_owned())
        );
    }
}
