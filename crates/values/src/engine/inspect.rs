//! States at the entries of blocks, for tests.

use program::{BlockId, FuncId};

use super::Engine;
use crate::state::State;

impl Engine<'_> {
    /// The states at the entry of a block, of all contexts.
    pub(crate) fn states_at(&self, function: FuncId, block: BlockId) -> Vec<State> {
        let own = self.states.iter().filter(|((context, at), _)| {
            *at == block && self.contexts[*context].function == function
        });
        let states = own.flat_map(|(_, entries)| entries.values().map(|entry| entry.state.clone()));
        let memory = |state: State| match self.config.flat {
            true => State {
                memory: self.flat.ground.clone(),
                ..state
            },
            false => state,
        };
        states.map(memory).collect()
    }
}
