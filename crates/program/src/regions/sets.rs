//! Sets of places as bits, and what is new of them.

/// Numbers, by bits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bits(Vec<u64>);

impl Bits {
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(at, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                (bit < 64).then(|| {
                    left &= left - 1;
                    at as u32 * 64 + bit
                })
            })
        })
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// This number if it is there, and nothing else.
    pub fn only(&self, number: u32) -> Bits {
        let mut found = Bits::default();
        let word = self.0.get((number / 64) as usize).copied();
        if word.unwrap_or_default() & 1 << (number % 64) != 0 {
            found.insert(number);
        }
        found
    }

    /// Is the number new?
    fn insert(&mut self, number: u32) -> bool {
        let (at, bit) = ((number / 64) as usize, 1 << (number % 64));
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        let is_new = self.0[at] & bit == 0;
        self.0[at] |= bit;
        is_new
    }

    /// Adds all numbers; those that are new are added to the second as well. How many are new.
    fn extend(&mut self, more: &Bits, news: &mut Bits) -> usize {
        if self.0.len() < more.0.len() {
            self.0.resize(more.0.len(), 0);
        }
        let mut added = 0;
        for (at, &word) in more.0.iter().enumerate() {
            let new = word & !self.0[at];
            if new == 0 {
                continue;
            }
            self.0[at] |= new;
            added += new.count_ones() as usize;
            if news.0.len() <= at {
                news.0.resize(at + 1, 0);
            }
            news.0[at] |= new;
        }
        added
    }
}

/// What a node may be: addresses, and pieces of addresses.
#[derive(Debug, Default)]
pub struct Set {
    pub whole: Bits,
    pub pieces: Bits,
    /// What was not passed on.
    new_whole: Bits,
    new_pieces: Bits,
    pub is_queued: bool,
}

impl Set {
    /// Is it new?
    pub fn add(&mut self, number: u32, is_piece: bool) -> bool {
        let (all, news) = match is_piece {
            true => (&mut self.pieces, &mut self.new_pieces),
            false => (&mut self.whole, &mut self.new_whole),
        };
        all.insert(number) && news.insert(number)
    }

    /// How many are new?
    pub fn add_all(&mut self, whole: &[&Bits], pieces: &[&Bits]) -> usize {
        let whole = whole.iter();
        let whole = whole.map(|more| self.whole.extend(more, &mut self.new_whole));
        let whole: usize = whole.sum();
        let pieces = pieces.iter();
        let pieces = pieces.map(|more| self.pieces.extend(more, &mut self.new_pieces));
        whole + pieces.sum::<usize>()
    }

    /// Adds another set; all of both is to be passed on.
    pub fn take_all(&mut self, other: &Set) {
        self.add_all(&[&other.whole], &[&other.pieces]);
        self.new_whole = self.whole.clone();
        self.new_pieces = self.pieces.clone();
    }

    /// What is new, for the last time.
    pub fn news(&mut self) -> (Bits, Bits) {
        self.is_queued = false;
        (
            std::mem::take(&mut self.new_whole),
            std::mem::take(&mut self.new_pieces),
        )
    }
}
