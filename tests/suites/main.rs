//! All suites whose tests are functions, in one binary: it is linked once, and no core waits for the last test of a suite.
//!
//! Suites that make their tests from data are binaries of their own: see `Cargo.toml`.

mod approach;
mod arrows;
mod bad_input;
mod bench;
mod c_tests;
mod campaigns;
mod certificates;
mod ci;
mod concretised;
mod containment;
mod corrupted;
mod criteria;
mod elsewhere;
mod entries;
mod failing_calls;
mod faults;
mod findings;
mod formats;
mod function_options;
mod graph;
mod install;
mod jobs;
mod linkage;
mod losses;
mod matching;
mod numbers;
mod operations;
mod optimistic;
mod own_functions;
mod pages;
mod prefix_maps;
mod pumping;
mod reach;
mod registries;
mod repeats;
mod replay;
mod reports;
mod screen;
mod sequences;
mod serve;
mod start;
mod sync;
mod values;
mod world;
