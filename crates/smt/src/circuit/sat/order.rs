//! The order in which variables are decided: those that conflicts met most and last come first.

/// By how much less a conflict counts than the one behind it.
const DECAY: f64 = 0.95;
const MOST: f64 = 1e100;

/// A heap of variables by their activity; some may be missing.
pub(super) struct Order {
    heap: Vec<u32>,
    /// Of each variable, its place in the heap.
    places: Vec<u32>,
    activity: Vec<f64>,
    step: f64,
}

const MISSING: u32 = u32::MAX;

impl Order {
    /// All of them, the first one first.
    pub(super) fn new(variables: usize) -> Order {
        let all: Vec<u32> = (0..variables as u32).collect();
        Order {
            places: all.clone(),
            heap: all,
            activity: vec![0.0; variables],
            step: 1.0,
        }
    }

    pub(super) fn pop(&mut self) -> Option<u32> {
        let first = *self.heap.first()?;
        let last = self.heap.pop()?;
        self.places[first as usize] = MISSING;
        if first != last {
            self.put(0, last);
            self.sink(0);
        }
        Some(first)
    }

    /// Puts one back.
    pub(super) fn insert(&mut self, variable: u32) {
        if self.places[variable as usize] == MISSING {
            self.heap.push(variable);
            self.put(self.heap.len() - 1, variable);
            self.rise(self.heap.len() - 1);
        }
    }

    /// A conflict met it.
    pub(super) fn bump(&mut self, variable: u32) {
        let activity = &mut self.activity[variable as usize];
        *activity += self.step;
        if *activity > MOST {
            for activity in &mut self.activity {
                *activity /= MOST;
            }
            self.step /= MOST;
        }
        let place = self.places[variable as usize];
        if place != MISSING {
            self.rise(place as usize);
        }
    }

    /// The conflict is over.
    pub(super) fn decay(&mut self) {
        self.step /= DECAY;
    }

    fn is_before(&self, a: u32, b: u32) -> bool {
        self.activity[a as usize] > self.activity[b as usize]
    }

    fn put(&mut self, place: usize, variable: u32) {
        self.heap[place] = variable;
        self.places[variable as usize] = place as u32;
    }

    fn rise(&mut self, mut place: usize) {
        let variable = self.heap[place];
        while place > 0 {
            let above = (place - 1) / 2;
            if !self.is_before(variable, self.heap[above]) {
                break;
            }
            self.put(place, self.heap[above]);
            place = above;
        }
        self.put(place, variable);
    }

    fn sink(&mut self, mut place: usize) {
        let variable = self.heap[place];
        loop {
            let left = 2 * place + 1;
            let Some(&(mut below)) = self.heap.get(left) else {
                break;
            };
            let mut at = left;
            if let Some(&right) = self.heap.get(left + 1)
                && self.is_before(right, below)
            {
                (at, below) = (left + 1, right);
            }
            if !self.is_before(below, variable) {
                break;
            }
            self.put(place, below);
            place = at;
        }
        self.put(place, variable);
    }
}
