//! The name a user probably meant.

/// The candidate nearest to `wanted`, when one is near enough to be worth offering.
///
/// Near enough is one edit for up to three characters and one more for each three further ones;
/// a difference in letter case alone always counts as near.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.len() > MAX_LEN {
        return None;
    }
    let lowered = wanted.to_lowercase();
    let allowed = 1 + lowered.chars().count().saturating_sub(1) / 3;
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= MAX_LEN)
        .map(|candidate| (distance(wanted, &lowered, candidate), candidate))
        .filter(|&(distance, candidate)| distance.0 <= allowed.min(candidate.chars().count()))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Names longer than this are never compared: nobody mistypes them, and the comparison is quadratic.
const MAX_LEN: usize = 200;

/// Edits without regard to case first, with regard to it second.
fn distance(wanted: &str, lowered: &str, candidate: &str) -> (usize, usize) {
    let relaxed = strsim::damerau_levenshtein(lowered, &candidate.to_lowercase());
    (relaxed, strsim::damerau_levenshtein(wanted, candidate))
}
