//! The entry point of a script.

use crate::syntax::ast::Procedure;
use crate::text::{Code, Diagnostic, nearest};

/// The entry point of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The top-level statements.
    Top,
    /// A procedure, by its index among the script's procedures.
    Procedure(usize),
}

impl Entry {
    /// Returns the procedure that a file of procedures runs by its name: `Main` or `main`.
    pub fn main<'a>(procedures: impl Iterator<Item = &'a Procedure> + Clone) -> Option<&'a Procedure> {
        let find = |name: &str| procedures.clone().find(|procedure| procedure.name.text == name);
        find("Main").or_else(|| find("main"))
    }

    /// Selects the wanted procedure if one is named, else the top-level statements, else `Main`, `main` or the only
    /// procedure.
    ///
    /// # Errors
    /// No procedure has the wanted name, or the choice is ambiguous.
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
            let misspelt = procedures.iter().find(|name| name.eq_ignore_ascii_case("main"));
            Diagnostic::placeless(Code::NoEntry, message).help(match misspelt {
                Some(name) => format!("rename `{name}` to `Main`: the case of letters counts in names"),
                None => "name the one to run: `ns run FILE --proc NAME`".to_owned(),
            })
        })
    }
}

/// Maximum number of procedures that a help lists.
const MOST_LISTED: usize = 8;

fn listed(procedures: &[&str]) -> String {
    let names = procedures.iter().take(MOST_LISTED).map(|name| format!("`{name}`"));
    let rest = if procedures.len() > MOST_LISTED { ", …" } else { "" };
    names.collect::<Vec<_>>().join(", ") + rest
}

fn unknown(wanted: &str, procedures: &[&str]) -> Diagnostic {
    let finding = Diagnostic::placeless(Code::NoEntry, format!("the script has no procedure `{wanted}`"));
    match nearest(wanted, procedures.iter().copied()) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None if procedures.is_empty() => finding.help("leave `--proc` out: the script defines no procedure"),
        None => finding.help(format!("name one that the script defines: {}", listed(procedures))),
    }
}
