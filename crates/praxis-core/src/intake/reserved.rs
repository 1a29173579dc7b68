//! Names that are reserved in every flow.

/// The id of the node that returns the outputs of a flow.
pub const OUTPUTS: &str = "outputs";

/// The parameter of a loop that holds its variables.
pub const VARIABLES: &str = "variables";

/// The parameter of a loop that holds the list to iterate over.
pub const OVER: &str = "over";

/// The variable that holds the item of a pass.
pub const ITEM: &str = "item";

/// The variable that holds the number of a pass.
pub const INDEX: &str = "index";

/// The key of an output that takes the first available value of a list.
pub const FIRST_OF: &str = "first_of";

/// The step of an agent's turn in which the model is asked.
pub const THINK: &str = "think";
