//! (charter)
