//! Where a run of a script begins.

use crate::text::{Code, Diagnostic, nearest};

/// Where a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// At the top-level statements.
    Top,
    /// With a procedure, by its place among those of the script.
    Procedure(usize),
}

impl Entry {
    /// The wanted procedure; else the top-level statements; else `Main`, `main` or the only procedure.
    ///
    /// # Errors
    /// There is no procedure of that name, or nothing says which one is meant.
    pub fn find(procedures: &[&str], has_top: bool, wanted: Option<&str>) -> Result<Entry, Diagnostic> {
        let find = |name: &str| procedures.iter().position(|known| *known == name);
        if let Some(wanted) = wanted {
            return find(wanted).map(Entry::Procedure).ok_or_else(|| unknown(wanted, procedures));
        }
        if has_top || procedures.is_empty() {
            return Ok(Entry::Top);
        }
        let main = find("Main").or_else(|| find("main"));
        let only = (procedures.len() == 1).then_some(0);
        main.or(only).map(Entry::Procedure).ok_or_else(|| {
            let message = "the script holds several procedures and none is called `Main`";
            Diagnostic::placeless(Code::NoEntry, message).help("name the one to run: `ns run FILE --proc NAME`")
        })
    }
}

fn unknown(wanted: &str, procedures: &[&str]) -> Diagnostic {
    let finding = Diagnostic::placeless(Code::NoEntry, format!("the script has no procedure `{wanted}`"));
    match nearest(wanted, procedures.iter().copied()) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding.help("name one that the script defines"),
    }
}
