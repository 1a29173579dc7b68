//! Weights of the search for tools and past cases.

/// What a word counts in a field of a document, and how long the field usually is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldWeight {
    /// What a word counts.
    pub weight: f32,
    /// How many words usually stand there.
    pub usual: f32,
}

/// What words count by the field that they stand in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldWeights {
    /// What a document is called.
    pub name: FieldWeight,
    /// What it says about itself.
    pub about: FieldWeight,
    /// What it takes.
    pub parameter: FieldWeight,
    /// The values that it lets choose from.
    pub choice: FieldWeight,
    /// What it gives.
    pub output: FieldWeight,
    /// Free words to find it by.
    pub tag: FieldWeight,
}

/// What a word is worth in a document (BM25 over weighted fields).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexWeights {
    /// What words count by their field.
    pub fields: FieldWeights,
    /// How soon more of the same word stops counting.
    pub saturation: f32,
    /// How much a long field counts against a document.
    pub length: f32,
    /// Added to counts of documents, so that a word that all or none of them have still has a weight.
    pub smoothing: f32,
    /// A word that is asked for over and over counts so often at most.
    pub most_repeats: f32,
}

/// Which tools fit a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchWeights {
    /// What the words of a tool count beside what past cases say of it.
    pub words: f32,
    /// A case that shares less than this of the request has no voice.
    pub least_likeness: f32,
    /// What the sentence that fits a tool best counts beside the whole goal.
    pub sentence: f32,
    /// What another name of a word counts beside the word itself.
    pub other_name: f32,
    /// What a number counts: it is more often a value than what a tool is about.
    pub number: f32,
}

/// What past cases say about a new request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CaseWeights {
    /// What two words that stand together count beside a word by itself: they carry the order of a request.
    pub pair: f64,
    /// How soon more of the same word stops counting.
    pub saturation: f64,
    /// How much of what a case says is taken for chance.
    pub chance: f64,
    /// What the right links between tools count beside the right tools.
    pub links: f64,
}
