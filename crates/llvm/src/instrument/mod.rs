//! Instrumentation.
