//! `:: needs: 0.2`: the oldest version of `ns` that a script is written for.

use std::fmt;

use crate::syntax::ast::{Metadata, Tree};
use crate::text::{Code, Diagnostic, FindingCode};

/// The key of the line.
const KEY: &str = "needs";

/// A version: its numbers as far as they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version([u64; 3]);

impl Version {
    /// The version of this program.
    fn own() -> Version {
        Version::parse(env!("CARGO_PKG_VERSION")).unwrap_or(Version([0; 3]))
    }

    /// Reads one to three numbers. The build and the name of a release before it (`-rc.1`) are not compared.
    fn parse(text: &str) -> Option<Version> {
        let numbers = text.split(['-', '+']).next()?;
        let mut version = Version([0; 3]);
        let mut places = version.0.iter_mut();
        for number in numbers.split('.') {
            // `parse` also takes a sign.
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            *places.next()? = if is_number { number.parse().ok()? } else { return None };
        }
        Some(version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, middle, last] = self.0;
        write!(formatter, "{first}.{middle}.{last}")
    }
}

/// Reports the lines of a text that need a newer version, or name none.
pub fn check_required_version(tree: &Tree, findings: &mut Vec<Diagnostic>) {
    let lines = tree.metadata.iter().filter(|line| line.key == KEY);
    findings.extend(lines.filter_map(|line| match Version::parse(&line.value) {
        Some(version) if version > Version::own() => Some(needs_newer(line)),
        Some(_) => None,
        None => Some(no_version(line)),
    }));
}

/// Drops all other findings if a script or one of its modules is refused because of its version, since an older version
/// misreads what a newer one has added. Returns whether it is refused.
pub fn keep_version_findings(findings: &mut Vec<Diagnostic>) -> bool {
    let is_about_version = |finding: &Diagnostic| finding.code == FindingCode::from(Code::NewerVersion);
    let is_refused = findings.iter().any(is_about_version);
    if is_refused {
        findings.retain(is_about_version);
    }
    is_refused
}

fn needs_newer(line: &Metadata) -> Diagnostic {
    let message = format!("the script needs `ns` {} or newer, and this is {}", line.value, Version::own());
    Diagnostic::error(Code::NewerVersion, line.span, message).help("install a newer `ns`")
}

fn no_version(line: &Metadata) -> Diagnostic {
    let message = "`:: needs` names the oldest version of `ns` that the script works with".to_owned();
    Diagnostic::error(Code::NewerVersion, line.span, message).help("write it like `:: needs: 0.2` or `:: needs: 0.2.1`")
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        let rising = ["0", "0.0.1", "0.1", "0.1.9", "0.1.10", "0.2.0", "0.10", "1", "1.0.1", "2.0.0", "10"];
        let versions: Vec<Version> = rising.iter().map(|text| Version::parse(text).expect("a version")).collect();
        assert!(versions.is_sorted() && versions.windows(2).all(|pair| pair[0] != pair[1]));
        for (short, long) in [("1", "1.0.0"), ("0.2", "0.2.0"), ("0.2", "0.2.0-rc.1"), ("3.1", "3.1+linux")] {
            assert_eq!(Version::parse(short), Version::parse(long));
        }
        for wrong in ["", ".", "1.", ".1", "1.2.3.4", "v1", ">=1", "1,2", "-1", "+1", "1.x", "99999999999999999999"] {
            assert_eq!(Version::parse(wrong), None, "{wrong}");
        }
    }
}
