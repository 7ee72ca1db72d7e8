//! Search by purpose, in the words of people and of other languages.
//!
//! [`meant`] is strict: it suggests a replacement for a name in a script, where no suggestion is better than a wrong
//! one. [`search`] is generous: it serves a person who is exploring.

/// An item that can be found by its purpose.
#[derive(Clone, Copy, Debug)]
pub struct Purpose<'a> {
    /// The name: `FS.MoveFile`, `LEN`.
    pub name: &'a str,
    /// The aliases.
    pub aliases: &'a [&'a str],
    /// Names and words for the same purpose elsewhere, most common first.
    pub keywords: &'a [&'a str],
    /// The purpose, in a sentence.
    pub summary: &'a str,
}

impl<'a> Purpose<'a> {
    /// Returns the part of the name before the last dot; empty if there is none.
    fn group(&self) -> &'a str {
        self.name.rsplit_once('.').map_or("", |(group, _)| group)
    }

    /// Returns the position of the keyword that equals the whole name.
    fn rank(&self, key: &str) -> Option<usize> {
        self.keywords.iter().position(|keyword| key_of(keyword) == key)
    }

    /// Returns how well the last part of a name matches; lower is better.
    fn tail_rank(&self, tail: &str) -> Option<usize> {
        let named = (key_of(tail_of(self.name)) == tail).then_some(1);
        let dotted = || {
            let fits = |keyword: &&&str| keyword.contains('.') && key_of(tail_of(keyword)) == tail;
            self.keywords.iter().any(|keyword| fits(&keyword)).then_some(DOTTED_RANK)
        };
        self.rank(tail).into_iter().chain(named).min().or_else(dotted)
    }
}

/// The rank of a keyword that matches only after its dot: worse than any position.
const DOTTED_RANK: usize = 100;

/// Returns the item that a name of another language or library stands for.
///
/// `groups` are the groups that its first part may stand for (`PATH` and `FS` for `os.path`), likeliest first. A name
/// in an unknown group matches only as a whole, or by a last part of several words.
pub fn meant<'a>(name: &str, groups: &[&str], purposes: &[Purpose<'a>]) -> Option<Purpose<'a>> {
    let (key, tail) = (key_of(name), key_of(tail_of(name)));
    if key.is_empty() || name.len() > MAX_LEN {
        return None;
    }
    let best = |found: &mut dyn Iterator<Item = (usize, Purpose<'a>)>| {
        found.min_by_key(|(rank, _)| *rank).map(|(_, purpose)| purpose)
    };
    if let Some(found) = best(&mut purposes.iter().filter_map(|item| Some((item.rank(&key)?, *item)))) {
        return Some(found);
    }
    for group in groups {
        let members = purposes.iter().filter(|item| item.group() == *group);
        if let Some(found) = best(&mut members.filter_map(|item| Some((item.tail_rank(&tail)?, *item)))) {
            return Some(found);
        }
    }
    let is_telling = !groups.is_empty() || !name.contains('.') || words(tail_of(name)).len() > 1;
    let rank = |item: &Purpose<'a>| Some((item.tail_rank(&tail).filter(|rank| *rank < DOTTED_RANK)?, *item));
    best(&mut purposes.iter().filter(|_| is_telling).filter_map(rank))
}

/// Longer names and queries are ignored.
const MAX_LEN: usize = 200;

/// Returns the items that match the words of a query, best first. Only items that match the highest number of words
/// are returned, and none if that is fewer than half of the words.
pub fn search<'a>(query: &str, purposes: impl Iterator<Item = Purpose<'a>>) -> Vec<Purpose<'a>> {
    let (key, wanted) = (key_of(query), query_words(query));
    if wanted.is_empty() || query.len() > MAX_LEN {
        return Vec::new();
    }
    let mut found: Vec<(usize, usize, Purpose<'a>)> = purposes
        .map(|item| {
            let whole = item.rank(&key).map_or(0, |position| WHOLE_SCORE.saturating_sub(position));
            let scores = Scores::of(&item);
            let scores: Vec<usize> = wanted.iter().map(|word| scores.score(word)).collect();
            let fitting = if whole > 0 { wanted.len() } else { scores.iter().filter(|score| **score > 0).count() };
            (fitting, whole + scores.iter().sum::<usize>(), item)
        })
        .collect();
    let most = found.iter().map(|(fitting, ..)| *fitting).max().unwrap_or_default();
    if most * 2 < wanted.len() || most == 0 {
        return Vec::new();
    }
    found.retain(|(fitting, ..)| *fitting == most);
    found.sort_by_key(|(_, score, _)| usize::MAX - score);
    found.into_iter().map(|(.., item)| item).collect()
}

/// The score of a query that equals a keyword, before its position is subtracted.
const WHOLE_SCORE: usize = 100;

/// The words of an item with their weights.
struct Scores(Vec<(String, usize)>);

impl Scores {
    fn of(item: &Purpose<'_>) -> Scores {
        let of_name = words(tail_of(item.name)).into_iter().map(|word| (word, 12));
        let keywords = item.keywords.iter().flat_map(|keyword| {
            let words = words(tail_of(keyword));
            let worth = if words.len() == 1 { 10 } else { 7 };
            words.into_iter().map(move |word| (word, worth))
        });
        let aliases = item.aliases.iter().flat_map(|alias| words(tail_of(alias))).map(|word| (word, 7));
        let summary = words(item.summary).into_iter().map(|word| (word, 4));
        Scores(of_name.chain(keywords).chain(aliases).chain(summary).collect())
    }

    fn score(&self, wanted: &str) -> usize {
        self.0.iter().filter(|(word, _)| word == wanted).map(|(_, worth)| *worth).max().unwrap_or_default()
    }
}

/// Words that carry no meaning in a query.
const NOISE: [&str; 20] = [
    "a", "an", "and", "by", "do", "for", "from", "how", "i", "in", "is", "it", "my", "of", "or", "the", "that", "to",
    "with", "not",
];

fn query_words(query: &str) -> Vec<String> {
    let mut words = words(query);
    words.retain(|word| !NOISE.contains(&word.as_str()));
    words
}

/// Returns the part after the last dot.
fn tail_of(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns a name without letter case and separators, so that `read_file` and `ReadFile` are equal.
fn key_of(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric() || *c == '.').flat_map(char::to_lowercase).collect()
}

/// Splits a text, or a name such as `readFileSync`, into words in lower case and singular.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || (was_lower && c.is_uppercase()) {
            words.push(String::new());
        }
        was_lower = c.is_lowercase();
        let word = words.last_mut().expect("there is a last word");
        word.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
    }
    words.retain(|word| !word.is_empty());
    words.iter_mut().for_each(make_singular);
    words
}

fn make_singular(word: &mut String) {
    if word.len() > 4 && word.ends_with("ies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if word.len() > 4 && ["ches", "shes", "xes", "sses"].iter().any(|end| word.ends_with(end)) {
        word.truncate(word.len() - 2);
    } else if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::{Purpose, meant, search};

    const ITEMS: [Purpose<'static>; 4] = [
        Purpose {
            name: "FS.MoveFile",
            aliases: &["FS.Move"],
            keywords: &["rename", "shutil.move"],
            summary: "Moves a file",
        },
        Purpose { name: "MATH.Add", aliases: &[], keywords: &["plus"], summary: "Adds numbers" },
        Purpose { name: "STR.Upper", aliases: &[], keywords: &["upper"], summary: "Gives the text in upper case" },
        Purpose { name: "LEN", aliases: &[], keywords: &["length"], summary: "the length" },
    ];

    fn found(name: &str, groups: &[&str]) -> Option<&'static str> {
        meant(name, groups, &ITEMS).map(|item| item.name)
    }

    #[test]
    fn a_name_of_a_foreign_group_needs_more_than_its_last_word() {
        assert_eq!(found("git.Add", &[]), None);
        assert_eq!(found("git.MoveFile", &[]), Some("FS.MoveFile"));
        assert_eq!(found("shutil.move", &[]), Some("FS.MoveFile"));
        assert_eq!(found("os.Rename", &["FS"]), Some("FS.MoveFile"));
        assert_eq!(found("os.move", &["FS"]), Some("FS.MoveFile"));
        assert_eq!(found("UPPER", &[]), Some("STR.Upper"));
        assert_eq!(found("length", &[]), Some("LEN"));
        assert_eq!(found("", &[]), None);
    }

    #[test]
    fn a_search_gives_what_fits_most_words() {
        let names = |query| search(query, ITEMS.into_iter()).into_iter().map(|item| item.name).collect::<Vec<_>>();
        assert_eq!(names("rename"), ["FS.MoveFile"]);
        assert_eq!(names("moving files"), ["FS.MoveFile"]);
        assert_eq!(names("upper case"), ["STR.Upper"]);
        assert_eq!(names("numbers"), ["MATH.Add"]);
        assert!(names("of the").is_empty() && names("xyzzy").is_empty());
    }
}
