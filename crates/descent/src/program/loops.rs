//! Extracted loops, compiled: each block has its own code; state variables have words that blocks assign.

use super::compile::Compiler;
use super::{Bits, BlockCode, Goal, Item, Jump, LoopCode, Move};
use crate::{BadTrace, Block, BlockId, Loop, Next, Target};

impl Compiler<'_> {
    /// Compiles a loop; its number, and the inputs that what it does depends on.
    pub(super) fn extracted(&mut self, body: &Loop) -> Result<(u32, Bits), BadTrace> {
        let mut inputs = Bits::default();
        let mut entry = Vec::new();
        let mut sources = Vec::new();
        for state in &body.state {
            self.fits(self.width(state.entry), state.width)?;
            let word = self.term(state.entry)?;
            inputs.join(&self.depends[word as usize]);
            sources.push(word);
        }
        for (state, &word) in body.state.iter().zip(&sources) {
            let own = self.define(state.var, state.width, inputs.clone(), true)?;
            entry.extend(words(word, own, state.width));
        }
        if body.blocks.is_empty() {
            return Err(BadTrace::NoBlock {
                step: self.step,
                block: BlockId(0),
            });
        }
        let mut blocks = Vec::with_capacity(body.blocks.len());
        for block in &body.blocks {
            blocks.push(self.block(body, block, &mut inputs)?);
        }
        for state in &body.state {
            let place = self.places.get_mut(&state.var).expect("it was defined");
            place.local = false;
            for word in place.word..place.word + u32::from(place.width.div_ceil(64)) {
                self.depends[word as usize] = inputs.clone();
            }
        }
        let limit = u64::from(body.turns) * blocks.len() as u64;
        self.program.loops.push(LoopCode {
            entry,
            blocks,
            limit,
        });
        Ok((self.program.loops.len() as u32 - 1, inputs))
    }

    fn block(
        &mut self,
        body: &Loop,
        block: &Block,
        inputs: &mut Bits,
    ) -> Result<BlockCode, BadTrace> {
        let (mut items, start) = (Vec::new(), self.program.inner.len());
        let mut flushed = start;
        for call in &block.calls {
            let number = self.call(call, true)?;
            inputs.join(&self.argument_inputs(number));
            straight(&mut items, &mut flushed, self.program.inner.len());
            items.push(Item::Call {
                step: self.step.0,
                call: number,
            });
        }
        let mut assigned = Vec::new();
        for &(var, term) in &block.assign {
            if !body.state.iter().any(|state| state.var == var) {
                return Err(BadTrace::NoState {
                    step: self.step,
                    var,
                });
            }
            let place = self.places[&var];
            self.fits(self.width(term), place.width)?;
            let word = self.term(term)?;
            inputs.join(&self.depends[word as usize]);
            assigned.extend(words(word, place.word, place.width));
        }
        let jump = self.jump(body, block.next, inputs)?;
        straight(&mut items, &mut flushed, self.program.inner.len());
        for call in &block.calls {
            self.places.remove(&call.result);
        }
        self.local.clear();
        let cost = (flushed - start + block.calls.len() + 1) as u32;
        Ok(BlockCode {
            items,
            moves: self.in_parallel(assigned),
            jump,
            cost,
        })
    }

    fn jump(&mut self, body: &Loop, next: Next, inputs: &mut Bits) -> Result<Jump, BadTrace> {
        let goal = |target| match target {
            Target::Exit => Ok(Goal::Exit),
            Target::Away => Ok(Goal::Away),
            Target::Block(block) if (block.0 as usize) < body.blocks.len() => {
                Ok(Goal::Block(block.0))
            }
            Target::Block(block) => Err(BadTrace::NoBlock {
                step: self.step,
                block,
            }),
        };
        match next {
            Next::Goto(target) => Ok(Jump::Always(goal(target)?)),
            Next::Branch {
                condition,
                then,
                otherwise,
            } => {
                let (then, otherwise) = (goal(then)?, goal(otherwise)?);
                let word = self.condition(condition)?;
                inputs.join(&self.depends[word as usize]);
                let gauges = [self.gauge(condition, true)?, self.gauge(condition, false)?];
                Ok(Jump::On {
                    condition: word,
                    then,
                    otherwise,
                    gauges,
                })
            }
        }
    }

    /// Moves that do all at once, one after the other: what is overwritten before it is read goes through a word of its own.
    fn in_parallel(&mut self, moves: Vec<Move>) -> Vec<Move> {
        let (mut first, mut then) = (Vec::new(), Vec::new());
        for (i, &Move { from, to }) in moves.iter().enumerate() {
            if moves[..i].iter().any(|earlier| earlier.to == from) {
                let own = self.allocate(1, Bits::default());
                first.push(Move { from, to: own });
                then.push(Move { from: own, to });
            } else if from != to {
                then.push(Move { from, to });
            }
        }
        first.append(&mut then);
        first
    }
}

/// A value moved, word by word.
fn words(from: u32, to: u32, width: u16) -> impl Iterator<Item = Move> {
    (0..u32::from(width.div_ceil(64))).map(move |i| Move {
        from: from + i,
        to: to + i,
    })
}

fn straight(items: &mut Vec<Item>, flushed: &mut usize, end: usize) {
    if *flushed < end {
        items.push(Item::Straight {
            from: *flushed as u32,
            to: end as u32,
        });
    }
    *flushed = end;
}
