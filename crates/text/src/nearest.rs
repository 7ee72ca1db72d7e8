//! Suggestions for misspelled names.

/// Returns the candidate nearest to `wanted`, if it is near enough to suggest.
///
/// Near enough means one edit for two or three characters, and one more for every further three. A difference in
/// letter case alone always counts as near; otherwise nothing is near to a single character.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.len() > MAX_LEN {
        return None;
    }
    let lowered = wanted.to_lowercase();
    let chars = lowered.chars().count();
    let allowed = if chars < 2 { 0 } else { 1 + (chars - 1) / 3 };
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= MAX_LEN)
        .map(|candidate| (distance(wanted, &lowered, candidate), candidate))
        .filter(|&(distance, candidate)| distance.0 <= allowed.min(candidate.chars().count()))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Longer names are not compared: nobody mistypes them, and the comparison takes quadratic time.
const MAX_LEN: usize = 200;

/// Returns the number of letters to add, leave out, replace or exchange with the next to make one name of another.
pub fn edits(one: &str, other: &str) -> usize {
    if one.len().max(other.len()) > MAX_LEN { MAX_LEN } else { strsim::damerau_levenshtein(one, other) }
}

/// Returns two edit distances: without and with regard to letter case.
fn distance(wanted: &str, lowered: &str, candidate: &str) -> (usize, usize) {
    let relaxed = strsim::damerau_levenshtein(lowered, &candidate.to_lowercase());
    (relaxed, strsim::damerau_levenshtein(wanted, candidate))
}
