//! Weights of plans: which tools are asked for, and what their steps are given.

/// Which tools the pieces of a request ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoalWeights {
    /// What the whole request says for a tool.
    pub prior: f32,
    /// What it takes to turn to another tool, of what the best piece says for the best one.
    pub turn: f32,
    /// So much less for a piece that clearly begins something new.
    pub new: f32,
    /// The tool can be given what the piece says.
    pub cover: f32,
    /// The tool is named by its id.
    pub named: f32,
    /// A word stands in the name of a tool.
    pub of_name: f32,
    /// In its description.
    pub of_description: f32,
    /// In its parameters.
    pub of_parameter: f32,
    /// Elsewhere.
    pub of_others: f32,
}

/// What the verb of a piece says for a tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerbWeights {
    /// The tool does the same kind of thing.
    pub same_act: f32,
    /// Its name begins with the very verb; the more the fewer do.
    pub same_verb: f32,
    /// It has the verb elsewhere in its name.
    pub named_with_it: f32,
}

/// How well a tool can be given what a piece says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverWeights {
    /// A value has a place where it fits at least so well.
    pub fits: f32,
    /// A file whose content the tool works on is a part of a place.
    pub content: f32,
    /// The tool is described with the ending of the file.
    pub ending: f32,
    /// Words tell a choice that the tool needs.
    pub chosen: f32,
    /// What is needed and not said counts so much less.
    pub missed: f32,
}

/// Which tools bring what others need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainWeights {
    /// A tool that brings something fits the request at least so well, of what the one that needs it does.
    pub near: f32,
    /// What must speak for it: parameters that both need, and how near it is.
    pub least: f32,
    /// A tool for which less speaks is not asked about.
    pub firm: f32,
    /// The same if its own verb begins what speaks for it.
    pub firm_if_led: f32,
}

/// Which tool reads a file for a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BringWeights {
    /// What brings something fits it at least so well.
    pub least: f32,
    /// It opens the file itself.
    pub opens: f32,
    /// The parameter or its tool is described with the name of the tool that brings it.
    pub named: f32,
    /// The tool is described with the ending of the file.
    pub ending: f32,
    /// Output and parameter have the same last word.
    pub same: f32,
    /// Each further step counts against it.
    pub step: f32,
    /// What names and words say for the output.
    pub supply: f32,
    /// Shapes that are alike by more than this are enough by themselves.
    pub alike: f32,
    /// Rows for rows.
    pub rows: f32,
    /// Any other shape for the same one.
    pub shape: f32,
}

/// How well an output of a tool fits a parameter of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupplyWeights {
    /// The names are the same, word for word.
    pub names: f32,
    /// All words are the same.
    pub words: f32,
    /// The very same name says so much more.
    pub same: f32,
    /// So does the same last word.
    pub head: f32,
    /// And the same shape.
    pub shape: f32,
    /// What is chosen by whoever asks is seldom made by a tool.
    pub chosen: f32,
    /// The id of something else is no id of this.
    pub another: f32,
}

/// What is given to the parameters of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepWeights {
    /// A required parameter takes something that fits at least so well.
    pub least_said: f32,
    /// A parameter that may be left out takes only this.
    pub least_said_freely: f32,
    /// The same for outputs of earlier steps.
    pub least_supplied: f32,
    /// And where the parameter may be left out.
    pub least_supplied_freely: f32,
    /// What another piece says fits so much less.
    pub away: f32,
    /// And so much less again if an earlier step was given it as something else.
    pub used: f32,
    /// Names that share less than this are something else.
    pub other_use: f32,
    /// For each place that a value is off the order of the parameters.
    pub out_of_order: f32,
    /// What lies inside another value fits so much less.
    pub inside: f32,
    /// An output whose whole name this step says fits so much better.
    pub mention: f32,
    /// A word that has this share of the name of an output stands for it.
    pub is_mention: f32,
    /// An output of the step just before, if words point back.
    pub pointed: f32,
    /// An output fits less for each step that lies between.
    pub ago: f32,
    /// An output that was gone on with fits so much less.
    pub superseded: f32,
    /// From here on two outputs are the same thing at two times.
    pub alike: f32,
    /// What the caller gave under the very name of the parameter.
    pub given: f32,
    /// A value that is put in its place and not weighed.
    pub certain: f32,
    /// A choice that words tell.
    pub told_choice: f32,
}

/// Whether a plan is good enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanWeights {
    /// A word that nothing beside it speaks for is given only if it fits at least so well.
    pub least_word: f32,
    /// What was said without a name fits a workflow at least so well.
    pub least_said: f32,
    /// So much of a chain of past cases must be foretold to be right.
    pub least_agreed: f32,
}

/// How much of a goal a plan explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurenessWeights {
    /// An English word.
    pub word: f32,
    /// A character of Chinese.
    pub character: f32,
    /// A value that is used: that it fits somewhere says little of what is to be done.
    pub used_value: f32,
    /// A value that is not used.
    pub unused_value: f32,
}
