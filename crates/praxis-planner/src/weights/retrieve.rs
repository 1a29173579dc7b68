//! Weights of the search for tools and past cases.

/// The weight of a word in a field of a document, and the usual length of the field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldWeight {
    /// The weight of a word.
    pub weight: f32,
    /// The usual number of words in the field.
    pub usual: f32,
}

/// Weights by field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldWeights {
    /// The name of a document.
    pub name: FieldWeight,
    /// The description.
    pub about: FieldWeight,
    /// The parameters.
    pub parameter: FieldWeight,
    /// The allowed values of parameters.
    pub choice: FieldWeight,
    /// The outputs.
    pub output: FieldWeight,
    /// The tags.
    pub tag: FieldWeight,
}

/// The worth of a word in a document (BM25 over weighted fields).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexWeights {
    /// Weights by field.
    pub fields: FieldWeights,
    /// The saturation of repeated words (`k1` of BM25): the smaller, the sooner repeats stop counting.
    pub saturation: f32,
    /// The penalty for long fields, from 0 to 1 (`b` of BM25).
    pub length: f32,
    /// The number added to document counts, so that a word in all or no documents still has a weight.
    pub smoothing: f32,
    /// The maximum number of times that a repeated query word counts.
    pub most_repeats: f32,
}

/// The match between tools and a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchWeights {
    /// The weight of a tool's words if past cases vote as well.
    pub words: f32,
    /// The minimum similarity of the nearest case; below it past cases do not vote.
    pub least_similarity: f32,
    /// The weight of the best sentence beside the whole goal.
    pub sentence: f32,
    /// The weight of a synonym; the word itself has 1.
    pub other_name: f32,
    /// The weight of a number, which is more often a value than the subject of a tool.
    pub number: f32,
}

/// The votes of past cases for a new request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CaseWeights {
    /// The weight of a pair of adjacent words beside a single word; pairs capture the order of words.
    pub pair: f64,
    /// The saturation of repeated words: the smaller, the sooner repeats stop counting.
    pub saturation: f64,
    /// The ridge parameter: the part of a vote that is treated as noise.
    pub chance: f64,
    /// The weight of matching links beside matching tools.
    pub links: f64,
}
