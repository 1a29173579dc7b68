//! Weights of plans: the choice of tools, and of the sources for their parameters.

/// The choice of tools for the pieces of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoalWeights {
    /// The factor for the match of the whole request with a tool.
    pub prior: f32,
    /// The cost of a switch to another tool, relative to the best match of a piece.
    pub turn: f32,
    /// The reduction of `turn` for a piece that clearly begins something new.
    pub new: f32,
    /// The factor for the match between the values of the piece and the tool (`CoverWeights`).
    pub cover: f32,
    /// The bonus if the piece contains the id of the tool.
    pub named: f32,
    /// The weight of a word in the name of a tool.
    pub of_name: f32,
    /// The weight of a word in its description.
    pub of_description: f32,
    /// The weight of a word in its parameters.
    pub of_parameter: f32,
    /// The weight of a word in its choices, outputs or tags.
    pub of_others: f32,
}

/// The match between the verb of a piece and a tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerbWeights {
    /// The bonus if the tool performs the same kind of action.
    pub same_act: f32,
    /// The bonus if the tool's name begins with the verb, scaled by the rarity of the verb.
    pub same_verb: f32,
    /// The bonus if the verb occurs elsewhere in the tool's name, scaled in the same way.
    pub named_with_it: f32,
}

/// The match between the values of a piece and a tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverWeights {
    /// The minimum score of a value for a parameter.
    pub fits: f32,
    /// The credit for a file whose content a parameter takes; a value that matches a parameter counts 1.
    pub content: f32,
    /// The bonus if the description of the tool mentions the extension of the file.
    pub ending: f32,
    /// The bonus if words of the piece select a required choice of the tool.
    pub chosen: f32,
    /// The penalty for required parameters that are not stated, scaled by their share.
    pub missed: f32,
}

/// The choice of tools that produce missing inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainWeights {
    /// The minimum search score of a producer, relative to that of the tool that needs the input.
    pub near: f32,
    /// The minimum score of a producer: the number of required parameters that it shares, plus its relative search
    /// score.
    pub least: f32,
    /// The minimum score of a tool that lacks a required value; below it, its pieces go to the previous tool.
    pub firm: f32,
    /// The value of `firm` for a tool whose verb begins the piece.
    pub firm_if_led: f32,
}

/// The choice of a tool that reads a file for a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BringWeights {
    /// The minimum score of a supplier.
    pub least: f32,
    /// The bonus if the supplier opens the file itself; affects only the order of the candidates.
    pub opens: f32,
    /// The bonus if the description of the parameter or of its tool names the supplier; also the minimum score of a
    /// supplier that works on the output of an earlier step.
    pub named: f32,
    /// The bonus if the description of the supplier mentions the extension of the file.
    pub ending: f32,
    /// The bonus if output and parameter have the same last word.
    pub same: f32,
    /// The penalty for each further step.
    pub step: f32,
    /// The factor for the match between output and parameter (`SupplyWeights`).
    pub supply: f32,
    /// The shape score above which the shape alone is enough.
    pub alike: f32,
    /// The shape score of rows for rows.
    pub rows: f32,
    /// The shape score of any other matching shape.
    pub shape: f32,
}

/// The match between an output of a tool and a parameter of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupplyWeights {
    /// The factor for the overlap of the names.
    pub names: f32,
    /// The factor for the overlap of all words, descriptions included.
    pub words: f32,
    /// The bonus for equal names.
    pub same: f32,
    /// The bonus for the same last word.
    pub head: f32,
    /// The bonus for the same shape.
    pub shape: f32,
    /// The penalty for a parameter that the user usually chooses and no tool produces (`en::CHOSEN`).
    pub chosen: f32,
    /// The penalty if both are ids of different things.
    pub another: f32,
}

/// The choice of the sources for the parameters of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepWeights {
    /// The minimum score of a request value for a required parameter.
    pub least_said: f32,
    /// The minimum score of a request value for an optional parameter.
    pub least_said_freely: f32,
    /// The minimum score of an earlier output for a required parameter.
    pub least_supplied: f32,
    /// The minimum score of an earlier output for an optional parameter.
    pub least_supplied_freely: f32,
    /// The penalty for a value from another piece.
    pub away: f32,
    /// The additional penalty if an earlier step used that value as something else.
    pub used: f32,
    /// The overlap below which the names of two parameters mean different things.
    pub other_use: f32,
    /// The penalty for each position by which a value deviates from the order of the parameters.
    pub out_of_order: f32,
    /// The penalty for a date or time inside a date-time.
    pub inside: f32,
    /// The bonus for an output whose name this step mentions, scaled by the mentioned share.
    pub mention: f32,
    /// The overlap with the name of an output from which a word refers to that output.
    pub is_mention: f32,
    /// The bonus for an output of the previous step, if words such as `it` point back.
    pub pointed: f32,
    /// The penalty for each step since the output was produced.
    pub ago: f32,
    /// The penalty for an output that a later step took and continued.
    pub superseded: f32,
    /// The overlap of names from which two outputs are versions of one thing.
    pub alike: f32,
    /// The bonus for a value that the caller gave under the exact name of the parameter.
    pub given: f32,
    /// The score of a value that is set without a comparison.
    pub certain: f32,
    /// The score of a choice that words select.
    pub told_choice: f32,
}

/// The minimum quality of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanWeights {
    /// The minimum score of a word or name that no words beside it support; below it the user is asked.
    pub least_word: f32,
    /// The minimum score of a value without a key for a workflow parameter.
    pub least_said: f32,
    /// The minimum `ToolChain::sureness` of a chain from past cases.
    pub least_agreed: f32,
}

/// The share of a goal that a plan explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurenessWeights {
    /// The weight of an English word.
    pub word: f32,
    /// The weight of a Chinese character.
    pub character: f32,
    /// The weight of a used value: that it fits somewhere says little about the action.
    pub used_value: f32,
    /// The weight of an unused value.
    pub unused_value: f32,
}
