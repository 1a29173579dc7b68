//! Weights of what a request says: how well a value fits a parameter.

/// How well a value that was said fits a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitWeights {
    /// A key before the value is the name of the parameter.
    pub key: f32,
    /// A word of the name stands right before the value.
    pub named_before: f32,
    /// The same behind it.
    pub named_behind: f32,
    /// A word of the name stands inside the phrase.
    pub named_within: f32,
    /// A word beside the value is only in the description.
    pub about: f32,
    /// Share of what words say beyond a preposition such as `in`.
    pub beyond: f32,
    /// What words say fades to nothing so many words behind the last that is looked at.
    pub fading: f32,
    /// The unit of the value is named by the parameter.
    pub unit: f32,
    /// From here on the words beside a value tell that it is this parameter.
    pub told: f32,
    /// More than this the words beside a value do not say.
    pub most_told: f32,
    /// What the last word of a name counts, beside the others.
    pub last_word: f32,
}

/// What the kind of a value says for the shape of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeWeights {
    /// It is one of the choices.
    pub choice: f32,
    /// A plain number for a number.
    pub number: f32,
    /// A text of digits, or an identifier, for a number.
    pub other_number: f32,
    /// Yes or no for a boolean.
    pub boolean: f32,
    /// A list for a list.
    pub list: f32,
    /// A single value for a list.
    pub one_of_list: f32,
    /// An object for an object.
    pub object: f32,
    /// A number for what takes numbers and texts.
    pub number_or_text: f32,
}

/// What the kind of a value says for a parameter that takes texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextWeights {
    /// What stands in quotes.
    pub quoted: f32,
    /// Addresses, paths, names, identifiers, dates, times and telephone numbers.
    pub named: f32,
    /// Numbers with or without a unit.
    pub number: f32,
    /// A bare word.
    pub bare_word: f32,
    /// A boolean, a list or an object.
    pub structured: f32,
    /// The name of a column, or a unit.
    pub label: f32,
}

/// What a parameter is about says for or against a kind of value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenseWeights {
    /// A key that shares more than this of the name settles it.
    pub keyed: f32,
    /// The name of a column for what names columns.
    pub column: f32,
    /// A path for what takes a file.
    pub file: f32,
    /// A path for something else.
    pub stray_path: f32,
    /// A quote that does not look like a path for what takes a file.
    pub quoted_file: f32,
    /// A name for a text that is worked on.
    pub name_as_text: f32,
    /// The unit of a number for what has a unit, and a unit by itself for what wants one.
    pub unit: f32,
    /// The other way round.
    pub other_unit: f32,
}

/// What a kind of value says for a parameter by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KindHint {
    /// For a parameter that is called as such values are.
    pub called_so: f32,
    /// Against a parameter that is called otherwise.
    pub against: f32,
}

/// What each kind of value says for a parameter by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KindHints {
    /// What stands in quotes.
    pub quote: KindHint,
    /// The address of a mailbox.
    pub email: KindHint,
    /// The address of a page.
    pub url: KindHint,
    /// A file or a folder.
    pub path: KindHint,
    /// A day.
    pub date: KindHint,
    /// A day with a time.
    pub date_time: KindHint,
    /// A time of day.
    pub time: KindHint,
    /// A telephone number.
    pub phone: KindHint,
    /// An identifier.
    pub id: KindHint,
    /// A name.
    pub name: KindHint,
    /// An amount of money.
    pub money: KindHint,
    /// A share of a hundred.
    pub percent: KindHint,
    /// A length of time.
    pub span: KindHint,
}

/// What the words and kinds of values say for names of parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HintWeights {
    /// The preposition before the value matches the name.
    pub role: f32,
    /// By the kind of the value.
    pub kinds: KindHints,
}

/// What a number with a unit, or one that counts, says for a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureWeights {
    /// A length of time in the unit that the parameter counts in.
    pub same_unit: f32,
    /// And in another one.
    pub other_unit: f32,
    /// A word beside the number says that it counts things.
    pub counted: f32,
}
