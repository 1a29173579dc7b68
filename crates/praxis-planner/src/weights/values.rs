//! Weights of request values: the match between a value and a parameter.

/// The match between a value of the request and a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitWeights {
    /// The factor for the overlap of the value's key with the name of the parameter.
    pub key: f32,
    /// The weight of a word of the name before the value.
    pub named_before: f32,
    /// The weight of a word of the name after the value.
    pub named_behind: f32,
    /// The bonus if the phrase begins or ends with a word of the name.
    pub named_within: f32,
    /// The weight of a nearby word that is only in the description.
    pub about: f32,
    /// The factor for words beyond a preposition such as `in`.
    pub beyond: f32,
    /// The number of words past the last one considered at which the weight of nearby words would reach zero.
    pub fading: f32,
    /// The bonus if the parameter mentions the unit of the value.
    pub unit: f32,
    /// The score of nearby words, key and unit from which they identify the parameter.
    pub told: f32,
    /// The maximum score of nearby words.
    pub most_told: f32,
    /// The weight of the last word of a name; the others have 1.
    pub last_word: f32,
}

/// The score for the kind of a value by the shape of the parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeWeights {
    /// A value that is one of the choices.
    pub choice: f32,
    /// A plain number for a number.
    pub number: f32,
    /// Digits in a quote or an identifier, for a number.
    pub other_number: f32,
    /// A boolean for a boolean.
    pub boolean: f32,
    /// A list for a list.
    pub list: f32,
    /// A single value for a list.
    pub one_of_list: f32,
    /// An object for an object.
    pub object: f32,
    /// A number for a parameter that takes numbers and texts.
    pub number_or_text: f32,
}

/// The score for the kind of a value if the parameter takes texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextWeights {
    /// A quote.
    pub quoted: f32,
    /// Addresses, paths, names, identifiers, dates, times and phone numbers.
    pub named: f32,
    /// Numbers with or without a unit.
    pub number: f32,
    /// A bare word.
    pub bare_word: f32,
    /// A boolean, a list or an object.
    pub structured: f32,
    /// The label of a column, or a unit.
    pub label: f32,
}

/// The score for the kind of a value by the purpose of the parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenseWeights {
    /// The overlap of key and name above which the key alone decides.
    pub keyed: f32,
    /// A column label for a parameter that names columns.
    pub column: f32,
    /// A path for a parameter that takes a file.
    pub file: f32,
    /// A path for another parameter.
    pub stray_path: f32,
    /// A quote that does not look like a path, for a parameter that takes a file.
    pub quoted_file: f32,
    /// A name for a text that the tool works on.
    pub name_as_text: f32,
    /// The unit of a number for a source unit, or a unit by itself for a target unit.
    pub unit: f32,
    /// The unit of a number for a target unit, or a unit by itself for a source unit.
    pub other_unit: f32,
}

/// The score for a kind of value by the name of the parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KindHint {
    /// The bonus if the name is typical of the kind.
    pub called_so: f32,
    /// The penalty if it is not.
    pub against: f32,
}

/// The hint for each kind of value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KindHints {
    /// A quote.
    pub quote: KindHint,
    /// An email address.
    pub email: KindHint,
    /// A URL.
    pub url: KindHint,
    /// A file or a folder.
    pub path: KindHint,
    /// A date.
    pub date: KindHint,
    /// A date with a time.
    pub date_time: KindHint,
    /// A time of day.
    pub time: KindHint,
    /// A phone number.
    pub phone: KindHint,
    /// An identifier.
    pub id: KindHint,
    /// A name.
    pub name: KindHint,
    /// An amount of money.
    pub money: KindHint,
    /// A percentage.
    pub percent: KindHint,
    /// A duration.
    pub span: KindHint,
}

/// The match between the words and kinds of values and the names of parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HintWeights {
    /// The bonus if the preposition before the value matches the name of the parameter.
    pub role: f32,
    /// Hints by the kind of the value.
    pub kinds: KindHints,
}

/// The match between a number with a unit, or a count, and a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureWeights {
    /// A duration in the unit of the parameter.
    pub same_unit: f32,
    /// A duration in another unit, converted without rounding.
    pub other_unit: f32,
    /// A number that a nearby word marks as a count.
    pub counted: f32,
}
