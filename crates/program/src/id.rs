//! The ids of the model. Each counts from 0 over the whole program, except blocks and values, which count from 0 in
//! each function.

use crate::entity;

entity!(
    /// A compiled source file: one record in the program's section.
    ModuleId, "module"
);
entity!(
    /// A function with a body.
    FuncId, "fn"
);
entity!(
    /// A function that the program calls and that has no body in it.
    ExternId, "extern"
);
entity!(
    /// A global variable or constant.
    GlobalId, "global"
);
entity!(
    /// A basic block of one function.
    BlockId, "block"
);
entity!(
    /// A parameter or an instruction of one function.
    ValueId, "v"
);
entity!(
    /// A place where the path splits, or is recorded.
    SiteId, "site"
);
entity!(
    /// One way to leave a site.
    EdgeId, "edge"
);
entity!(
    /// An instruction that can lose symbolism or record a constraint.
    SpotId, "spot"
);
