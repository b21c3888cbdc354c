//! The passes over a program: one in which memory has no order, which is quick on programs of any size, then finer ones as far as the
//! budget allows and the order of what happens is known.
//!
//! Must hold: each pass that comes to its end is right by itself; the last of them is what is said.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use program::callgraph::CallGraph;
use program::{FuncId, Program};

use crate::engine::{Config, Engine, MostDrawn, Place};
use crate::facts::thresholds;
use crate::object::Objects;
use crate::{Analysis, Blocker, Limits, Told, choose, found};

/// How fine a pass is.
struct Grain {
    /// Calls in a chain that are told apart, and chains in all.
    depth: usize,
    contexts: usize,
    /// One part in so many of the states at a block.
    states: usize,
}

/// The finest that comes to its end in its share of the budget is refined.
const GRAINS: [Grain; 3] = [
    Grain {
        depth: 40,
        contexts: 20_000,
        states: 1,
    },
    Grain {
        depth: 4,
        contexts: 2_000,
        states: 8,
    },
    Grain {
        depth: 1,
        contexts: 500,
        states: 32,
    },
];
/// Steps of the first look at a program, in times those of the pass without order.
const GLANCE: u64 = 2;
/// One part in so many of the steps for a pass that tells states apart by what seems to hold any number.
const GUESS: u64 = 8;
/// Passes with variables that states are told apart by.
const REFINEMENTS: usize = 3;
/// What a picture has at most. The checker takes about four seconds for a million numbers, and finding the part that
/// holds takes as long.
const MOST_DRAWN: MostDrawn = MostDrawn {
    states: 200_000,
    numbers: 4_000_000,
};
/// States of what is known at any time.
const MOST_STANDING: usize = 100_000;
/// Rounds of one pass, until no object escapes any more.
const ROUNDS: usize = 20;

/// Runs of the engine on one budget.
struct Passes<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    thresholds: Vec<i128>,
    root: FuncId,
    /// Steps that may still be made.
    left: u64,
}

impl<'a> Passes<'a> {
    /// Runs the engine until no object escapes any more; `None` when so many steps do not suffice.
    fn run(&mut self, config: &Config, mut objects: Objects, most: u64) -> Option<Engine<'a>> {
        let mut left = most.min(self.left);
        for _ in 0..ROUNDS {
            objects.grew();
            let before = self.left;
            let mut engine = self.once(config, objects, left)?;
            left -= before - self.left;
            if !engine.objects.grew() {
                return Some(engine);
            }
            objects = engine.objects;
        }
        None
    }

    /// Runs the engine for so many steps, and whether it came to its end; `None` where the program cannot be entered.
    fn glance(&mut self, config: &Config, most: u64) -> Option<(Engine<'a>, bool)> {
        let mut objects = Objects::default();
        objects.grew();
        let mut engine = self.engine(config, objects);
        engine.begin(self.root)?;
        let most = most.min(self.left);
        let steps = engine.go_on(most);
        self.left -= steps.unwrap_or(most);
        Some((engine, steps.is_some()))
    }

    /// Goes on with an engine that was begun, and whether it comes to its end.
    fn run_to_end(&mut self, engine: &mut Engine<'a>) -> bool {
        let steps = engine.go_on(self.left);
        self.left -= steps.unwrap_or(self.left);
        steps.is_some()
    }

    /// Runs an engine whose memory has no order: once, and again where it has found that distances lead from object to object. What was
    /// added to addresses before that was known may be wrong, and nobody looks at it again.
    fn run_flat(&mut self, config: &Config, mut objects: Objects, most: u64) -> Option<Engine<'a>> {
        let before = self.left;
        let engine = self.once(config, objects.clone(), most)?;
        if !engine.objects.has_distances() {
            return Some(engine);
        }
        objects.measure();
        self.once(config, objects, most.saturating_sub(before - self.left))
    }

    /// Runs the engine once; `None` when so many steps do not suffice.
    fn once(&mut self, config: &Config, objects: Objects, most: u64) -> Option<Engine<'a>> {
        let mut engine = self.engine(config, objects);
        let steps = engine.run(self.root, most);
        self.left -= steps.unwrap_or(most);
        steps.map(|_| engine)
    }

    fn engine(&self, config: &Config, objects: Objects) -> Engine<'a> {
        Engine::new(
            self.program,
            self.calls,
            self.thresholds.clone(),
            config.clone(),
            objects,
        )
    }
}

/// What runs without a call that is followed.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// Functions that may run at any time, and those that run before the program starts.
    pub anytime: Vec<FuncId>,
    /// Code that is not in the model.
    pub foreign: bool,
    /// Floating-point arithmetic is followed.
    pub floats: bool,
    /// What is known of the world.
    pub told: Rc<Told>,
    /// Somebody has lost patience.
    pub stop: Arc<AtomicBool>,
}

/// What all passes together say of a program. `is_ordered`: nothing runs but what it calls.
pub fn all(
    program: &Program,
    root: FuncId,
    (outside, is_ordered): (Outside, bool),
    limits: Limits,
) -> Analysis {
    let calls = CallGraph::new(program);
    let mut passes = Passes {
        program,
        calls: &calls,
        thresholds: thresholds(program),
        root,
        left: 0,
    };
    let blocks = program.functions.values().map(|body| body.blocks.len());
    let whole = (blocks.sum::<usize>() as u64).saturating_mul(limits.rounds);
    passes.left = whole;
    let world = (
        outside.floats,
        Rc::clone(&outside.told),
        Arc::clone(&outside.stop),
    );
    let mut quick = without_order(&mut passes, outside);
    quick.steps = whole - passes.left;
    if !is_ordered || quick.steps > limits.small {
        return quick;
    }
    passes.left = limits.steps;
    let mut analysis = finest(&mut passes, world, quick.steps, limits);
    if !analysis.blockers.is_empty() {
        return quick;
    }
    analysis.steps = quick.steps + limits.steps - passes.left;
    // Each pass is right by itself, and none of them says all that the others say.
    for (edge, reason) in quick.dead {
        analysis.dead.entry(edge).or_insert(reason);
    }
    analysis.uncalled.extend(quick.uncalled);
    analysis.standing = quick.standing;
    analysis
}

/// Each function once for all its callers, and one memory whatever the order.
fn without_order(passes: &mut Passes<'_>, outside: Outside) -> Analysis {
    let config = Config {
        flat: true,
        anytime: outside.anytime,
        foreign: outside.foreign,
        floats: outside.floats,
        told: outside.told,
        ..Config::coarsest()
    };
    let most = passes.left;
    match passes.run_flat(&config, Objects::default(), most) {
        Some(mut engine) => {
            let mut analysis = found(passes.program, &engine);
            if !(analysis.dead.is_empty() && analysis.uncalled.is_empty()) {
                analysis.standing = engine.standing(MOST_STANDING);
            }
            analysis
        }
        None => Analysis {
            blockers: vec![Blocker::Budget],
            ..Analysis::default()
        },
    }
}

fn finest(
    passes: &mut Passes<'_>,
    (floats, told, stop): (bool, Rc<Told>, Arc<AtomicBool>),
    quick: u64,
    limits: Limits,
) -> Analysis {
    // Each function once for all its callers: quick as a rule, and it says what escapes.
    let mut config = Config {
        states: limits.states,
        floats,
        told,
        stop,
        ..Config::coarsest()
    };
    let Some((mut coarse, is_done)) = passes.glance(&config, quick.saturating_mul(GLANCE)) else {
        return spent();
    };
    // What the program dispatches on is mostly known by now: a pass that does not tell states apart by it goes where no run does.
    let guess = dispatches(passes.program, &coarse, is_done, limits);
    let escaped = coarse.objects.clone();
    if let Some(analysis) = by_dispatch(passes, &config, &escaped, &guess, limits) {
        return analysis;
    }
    if !is_done && !passes.run_to_end(&mut coarse) {
        return spent();
    }
    if coarse.objects.grew() {
        let Some(again) = passes.run(&config, coarse.objects, u64::MAX) else {
            return spent();
        };
        coarse = again;
    }
    let known = dispatches(passes.program, &coarse, true, limits);
    let escaped = coarse.objects.clone();
    if known != guess
        && let Some(analysis) = by_dispatch(passes, &config, &escaped, &known, limits)
    {
        return analysis;
    }
    let mut analysis = found(passes.program, &coarse);
    config.partition = true;
    for grain in &GRAINS {
        config.depth = grain.depth;
        config.contexts = grain.contexts;
        config.states = (limits.states / grain.states).max(1);
        let share = passes.left / 2;
        if let Some(fine) = passes.run(&config, escaped.clone(), share) {
            return refined(passes, config, &escaped, fine, limits);
        }
    }
    draw(&mut analysis, &mut coarse);
    analysis
}

/// What a coarse pass says is dispatched on, and one part in how many of the steps a pass may have that tells states apart by it.
fn dispatches(
    program: &Program,
    coarse: &Engine<'_>,
    is_done: bool,
    limits: Limits,
) -> (Vec<Place>, u64) {
    let places = choose::places(program, coarse, limits.places).into_iter();
    let few: Vec<Place> = places
        .filter(|(_, is_switched)| *is_switched)
        .map(|(place, _)| place)
        .collect();
    match few.is_empty() {
        true => (choose::switched(program, coarse, limits.places), GUESS),
        false => (few, if is_done { 2 } else { GUESS }),
    }
}

/// The finest passes, which tell states apart by what is dispatched on; nothing where that is nothing, or takes too much.
fn by_dispatch(
    passes: &mut Passes<'_>,
    config: &Config,
    escaped: &Objects,
    (places, part): &(Vec<Place>, u64),
    limits: Limits,
) -> Option<Analysis> {
    if places.is_empty() {
        return None;
    }
    let [finest, ..] = &GRAINS;
    let config = Config {
        partition: true,
        depth: finest.depth,
        contexts: finest.contexts,
        states: (limits.states / finest.states).max(1),
        dispatched: places.len(),
        places: places.clone(),
        ..config.clone()
    };
    let fine = passes.run(&config, escaped.clone(), passes.left / part)?;
    Some(refined(passes, config, escaped, fine, limits))
}

fn spent() -> Analysis {
    Analysis {
        blockers: vec![Blocker::Budget],
        ..Analysis::default()
    }
}

/// Keeps what is known of a program in which something is dead.
fn draw(analysis: &mut Analysis, engine: &mut Engine<'_>) {
    if !(analysis.dead.is_empty() && analysis.uncalled.is_empty()) {
        analysis.picture = engine.picture(MOST_DRAWN);
    }
}

/// Tells states apart by variables in memory; where that is done, more variables turn out to have few values.
fn refined<'a>(
    passes: &mut Passes<'a>,
    mut config: Config,
    escaped: &Objects,
    mut fine: Engine<'a>,
    limits: Limits,
) -> Analysis {
    let program = passes.program;
    let mut analysis = found(program, &fine);
    analysis.selectors = words(program, &config);
    let mut places = choose::places(program, &fine, limits.places);
    for _ in 0..REFINEMENTS {
        let new: Vec<(Place, bool)> = places
            .into_iter()
            .filter(|(place, _)| !config.places.contains(place))
            .collect();
        let room = limits.places - config.places.len();
        if new.is_empty() || room == 0 {
            break;
        }
        for (place, is_switched) in new.into_iter().take(room) {
            if is_switched {
                config.places.insert(config.dispatched, place);
                config.dispatched += 1;
            } else {
                config.places.push(place);
            }
        }
        let Some(finer) = passes.run(&config, escaped.clone(), u64::MAX) else {
            break;
        };
        analysis = found(program, &finer);
        analysis.selectors = words(program, &config);
        places = choose::places(program, &finer, limits.places);
        fine = finer;
    }
    draw(&mut analysis, &mut fine);
    analysis
}

/// Places that states are told apart by, in words.
fn words(program: &Program, config: &Config) -> Vec<String> {
    let places = config.places.iter();
    places.map(|place| choose::word(program, place)).collect()
}

/// An engine that has come to its end.
#[cfg(test)]
pub(crate) fn engine<'a>(
    program: &'a Program,
    root: FuncId,
    (config, objects): (&Config, Objects),
    most: u64,
) -> Option<Engine<'a>> {
    // Calls of the program live as long as it does.
    let calls: &'a CallGraph = Box::leak(Box::new(CallGraph::new(program)));
    let mut passes = Passes {
        program,
        calls,
        thresholds: thresholds(program),
        root,
        left: most,
    };
    match config.flat {
        true => passes.run_flat(config, objects, most),
        false => passes.run(config, objects, most),
    }
}
