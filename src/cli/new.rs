//! `ns new NAME`: a script to begin from, with its golden test.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::args::NewArgs;
use super::exit::Exit;
use super::terminal::{print, report_error};

const SCRIPT: &str = r#"#!/usr/bin/env ns
# NAME: how many files there are below a folder, and how large they are
# Usage: ns NAME.ns [FOLDER]
SET folder = "."
IF LEN(ARGS) > 0 THEN
  SET folder = ARGS[0]
END
SET files = FS.Find(folder)
EMIT LEN(files), " files, ", LIST.Sum(files, key: "size"), " bytes"
"#;

const SETUP: [(&str, &str); 2] = [("a.txt", "one\n"), ("more/b.txt", "two\n")];
const OUTPUT: &str = "2 files, 8 bytes\n";

pub fn new(args: &NewArgs) -> Exit {
    let stem = match args.name.extension() {
        Some(extension) if extension == "ns" => args.name.with_extension(""),
        _ => args.name.clone(),
    };
    let Some(name) = stem.file_name().and_then(|name| name.to_str()).filter(|name| is_good(name)) else {
        let message = format!("`{}` is no name for a script", args.name.display());
        report_error(&message, "use letters, digits, `_`, `-` and `.`, and begin with none of the last two");
        return Exit::Usage;
    };
    let with = |ending: &str| stem.with_file_name(format!("{name}{ending}"));
    let mut files = vec![(with(".ns"), SCRIPT.replace("NAME", name)), (with(".out"), OUTPUT.to_owned())];
    files.extend(SETUP.map(|(path, text)| (with("").join(path), text.to_owned())));
    if let Some(taken) = [with(".ns"), with(".out"), with("")].into_iter().find(|path| path.symlink_metadata().is_ok())
    {
        report_error(&format!("`{}` exists already", taken.display()), "choose another name, or remove it");
        return Exit::Usage;
    }
    for (path, text) in &files {
        if let Err(error) = make(path, text) {
            report_error(&format!("`{}` cannot be made: {error}", path.display()), "name a place where you may write");
            return Exit::Failed;
        }
    }
    print(&told(&files, &with(".ns")))
}

/// Whether a name needs no quotes in a shell, and is no option and no hidden file.
fn is_good(name: &str) -> bool {
    let begins_well = !name.starts_with(['-', '.']);
    begins_well && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Makes a file that must not be there yet.
fn make(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    File::create_new(path)?.write_all(text.as_bytes())
}

fn told(files: &[(PathBuf, String)], script: &Path) -> String {
    let made: String = files.iter().map(|(path, _)| format!("made {}\n", path.display())).collect();
    let script = script.display();
    format!(
        "{made}\n`ns {script}` runs it, `ns test {script}` tests it; after a change `ns test {script} --update` accepts what it says\n"
    )
}
