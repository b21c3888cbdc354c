// Atomic objects that no instruction reads: the harness reads them, the unit does not
// function: target
