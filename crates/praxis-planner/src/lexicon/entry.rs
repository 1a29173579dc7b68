//! The syntax of one line of a lexicon list.

/// The separator between a word and its meaning.
const MEANS: &str = " = ";
/// The separator between alternatives.
const OR: &str = " | ";

/// An entry of a list.
pub trait LexiconEntry: Sized {
    /// Parses the entries of a line; `None` if it is malformed.
    fn read(line: &'static str) -> Option<Vec<Self>>;

    /// Returns the keys of the entry, which must be unique in the list.
    fn keys(&self) -> Vec<String>;
}

/// `word`: a word or a phrase.
impl LexiconEntry for &'static str {
    fn read(line: &'static str) -> Option<Vec<Self>> {
        let is_plain = !line.contains(MEANS) && !line.contains(OR) && !line.contains('\t');
        is_plain.then(|| vec![line])
    }

    fn keys(&self) -> Vec<String> {
        vec![(*self).to_owned()]
    }
}

/// `characters`: several characters on a line.
impl LexiconEntry for char {
    fn read(line: &'static str) -> Option<Vec<Self>> {
        (!line.contains(char::is_whitespace)).then(|| line.chars().collect())
    }

    fn keys(&self) -> Vec<String> {
        vec![self.to_string()]
    }
}

/// `word = meaning`.
impl LexiconEntry for (&'static str, &'static str) {
    fn read(line: &'static str) -> Option<Vec<Self>> {
        Some(vec![line.split_once(MEANS)?])
    }

    fn keys(&self) -> Vec<String> {
        vec![self.0.to_owned()]
    }
}

/// `word = number`.
impl LexiconEntry for (&'static str, u64) {
    fn read(line: &'static str) -> Option<Vec<Self>> {
        let (word, number) = line.split_once(MEANS)?;
        Some(vec![(word, number.parse().ok()?)])
    }

    fn keys(&self) -> Vec<String> {
        vec![self.0.to_owned()]
    }
}

/// `character = number`.
impl LexiconEntry for (char, u32) {
    fn read(line: &'static str) -> Option<Vec<Self>> {
        let (character, number) = line.split_once(MEANS)?;
        Some(vec![(character.parse().ok()?, number.parse().ok()?)])
    }

    fn keys(&self) -> Vec<String> {
        vec![self.0.to_string()]
    }
}

/// `word | word = meaning | meaning`: words that share the same meanings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordGroup {
    /// The words.
    pub words: Vec<&'static str>,
    /// The meanings of each word.
    pub means: Vec<&'static str>,
}

impl LexiconEntry for WordGroup {
    fn read(line: &'static str) -> Option<Vec<Self>> {
        let (words, means) = line.split_once(MEANS)?;
        let parts = |side: &'static str| side.split(OR).map(str::trim).collect::<Vec<_>>();
        let group = Self { words: parts(words), means: parts(means) };
        let is_whole = !group.words.contains(&"") && !group.means.contains(&"");
        is_whole.then(|| vec![group])
    }

    fn keys(&self) -> Vec<String> {
        self.words.iter().map(|word| (*word).to_owned()).collect()
    }
}

/// `name = name = name`: synonyms of one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameGroup(pub Vec<&'static str>);

impl LexiconEntry for NameGroup {
    fn read(line: &'static str) -> Option<Vec<Self>> {
        let names: Vec<&str> = line.split('=').map(str::trim).collect();
        (names.len() > 1 && !names.contains(&"")).then(|| vec![Self(names)])
    }

    fn keys(&self) -> Vec<String> {
        vec![self.0.join(MEANS)]
    }
}

/// `word`, `word = time`, `word = time size`, `word = size`: a unit of measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitWord {
    /// The unit as written after a number.
    pub word: &'static str,
    /// True if a number with this unit is a duration.
    pub is_time: bool,
    /// The size of a time unit.
    pub size: Option<UnitSize>,
}

/// The size of a unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UnitSize {
    /// A fixed length, in minutes.
    Minutes(f64),
    /// A period without a fixed length, by its name.
    Period(&'static str),
}

impl LexiconEntry for UnitWord {
    fn read(line: &'static str) -> Option<Vec<Self>> {
        let Some((word, columns)) = line.split_once(MEANS) else {
            let is_plain = !line.contains(char::is_whitespace);
            return is_plain.then(|| vec![Self { word: line, is_time: false, size: None }]);
        };
        let (first, rest) = columns.split_once(' ').unwrap_or((columns, ""));
        let is_time = first == "time";
        let size = if is_time { rest } else { columns };
        let size = if size.is_empty() { None } else { Some(measured(size)?) };
        Some(vec![Self { word, is_time, size }])
    }

    fn keys(&self) -> Vec<String> {
        vec![self.word.to_lowercase()]
    }
}

/// Parses a size: `60`, `1/60` or `month`.
fn measured(size: &'static str) -> Option<UnitSize> {
    if size.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Some(UnitSize::Period(size));
    }
    let (above, below) = size.split_once('/').unwrap_or((size, "1"));
    let number = |digits: &str| digits.parse::<u32>().ok().filter(|it| *it > 0).map(f64::from);
    Some(UnitSize::Minutes(number(above)? / number(below)?))
}
