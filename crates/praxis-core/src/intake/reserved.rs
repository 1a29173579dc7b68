//! Names that mean something in every flow.

/// The node that gives what a flow promises. No other may have its id.
pub const OUTPUTS: &str = "outputs";

/// The parameter of a loop that holds its variables.
pub const VARIABLES: &str = "variables";

/// The parameter of a loop that holds the list whose items it goes through.
pub const OVER: &str = "over";

/// The variable that holds the item of a pass.
pub const ITEM: &str = "item";

/// The variable that holds the number of a pass.
pub const INDEX: &str = "index";

/// In an output: the first of these values that is there.
pub const FIRST_OF: &str = "first_of";

/// The step of a turn in which the model is asked.
pub const THINK: &str = "think";
