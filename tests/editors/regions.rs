//! Generated regions of files that are otherwise written by hand: the lines between `>>> NAME` and `<<<`.

/// Returns a text with each of its regions replaced by the lines that `lines` gives for its name.
pub fn refreshed(text: &str, lines: impl Fn(&str) -> Option<Vec<String>>) -> Result<String, String> {
    let mut refreshed = String::with_capacity(text.len());
    let mut rest = text.split_inclusive('\n');
    while let Some(line) = rest.next() {
        refreshed.push_str(line);
        let Some((before, name)) = line.split_once(">>> ") else { continue };
        let name = name.split_whitespace().next().unwrap_or_default();
        let indent = &before[..before.len() - before.trim_start().len()];
        for line in lines(name).ok_or_else(|| format!("no table fills the region `{name}`"))? {
            refreshed.push_str(&format!("{indent}{line}\n"));
        }
        let end = rest.by_ref().find(|line| line.contains("<<<"));
        refreshed.push_str(end.ok_or_else(|| format!("the region `{name}` has no end"))?);
    }
    Ok(refreshed)
}

#[test]
fn a_region_is_replaced_and_its_surroundings_stay() {
    let lines = |name: &str| (name == "words").then(|| vec!["a".to_owned(), "b".to_owned()]);
    assert_eq!(
        refreshed("x\n  # >>> words (made)\n  old\n  # <<<\ny", lines),
        Ok("x\n  # >>> words (made)\n  a\n  b\n  # <<<\ny".to_owned())
    );
    assert!(refreshed("# >>> others\n# <<<\n", lines).is_err());
    assert!(refreshed("# >>> words\n", lines).is_err());
}
