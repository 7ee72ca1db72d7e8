//! Finds the files with a match for another tool, by the rules of `FS.SearchFiles`.

use grep_searcher::Encoding;

use crate::gate::Context;
use crate::toolkit::ToolError;

use super::attempt::Manner;
use super::lines::Collects;
use super::{Query, Search, Selection, Skipped};

/// The files with a match.
pub struct FilesWithMatch {
    /// Their paths, in order.
    pub paths: Vec<String>,
    /// Number of files that were read.
    pub searched: u64,
    /// Files that were left out by rule.
    pub skipped: Skipped,
}

/// Searches files, and notes what could not be searched.
pub fn files_with_match(
    context: &mut Context<'_>,
    selection: &Selection<'_>,
    query: Query<'_>,
    encoding: Option<Encoding>,
) -> Result<FilesWithMatch, ToolError> {
    let mut search = Search::new(query, Manner::new(&query, encoding), Collects::Files)?;
    search.run(context, selection)?;
    let Search { files, found, .. } = search;
    Ok(FilesWithMatch { paths: files, searched: found.files_searched, skipped: found.skipped })
}
