//! `ns new NAME`: creates a template script with its golden test.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use crate::terminal::exit::Exit;
use crate::terminal::report::{print, report_error};

use super::args::NewArgs;

const SCRIPT: &str = r#"#!/usr/bin/env ns
:: description: Counts the files below a folder, and their bytes.
:: arg [folder]: the folder to count in
:: arg min_size: bytes that a file has at least, to be counted

DEFINE PROCEDURE Main(folder: ".", min_size: 0)
  SET files = FS.Find(folder, min_size: min_size)
  EMIT LEN(files), " files, ", LIST.Sum(files, key: "size"), " bytes"
END
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
        report_error(&message, "use letters, digits, `_`, `-` and `.`; the first character is neither `-` nor `.`");
        return Exit::Usage;
    };
    if !args.name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        let message = format!("`{}` does not lie below the current directory", args.name.display());
        report_error(&message, "go to the directory that it is for, or leave out `..` and the `/` at the beginning");
        return Exit::Usage;
    }
    let with = |ending: &str| stem.with_file_name(format!("{name}{ending}"));
    let mut files = vec![(with(".ns"), SCRIPT.replace("NAME", name)), (with(".out"), OUTPUT.to_owned())];
    files.extend(SETUP.map(|(path, text)| (with("").join(path), text.to_owned())));
    if let Some(taken) = [with(".ns"), with(".out"), with("")].into_iter().find(|path| path.symlink_metadata().is_ok())
    {
        report_error(&format!("`{}` exists already", taken.display()), "choose another name, or remove it");
        return Exit::Usage;
    }
    for (path, text) in &files {
        let made =
            make(path, text).and_then(|file| if text.starts_with("#!") { make_executable(&file) } else { Ok(()) });
        if let Err(error) = made {
            report_error(&format!("`{}` cannot be made: {error}", path.display()), "name a place where you may write");
            return Exit::Failed;
        }
    }
    print(&next_steps(&files, &with(".ns")))
}

/// Whether a name needs no shell quoting and is neither an option nor a hidden file.
fn is_good(name: &str) -> bool {
    let begins_well = !name.starts_with(['-', '.']);
    begins_well && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Creates a file that must not exist yet.
fn make(path: &Path, text: &str) -> std::io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}

/// Makes a file executable for everyone who may read it.
#[cfg(unix)]
fn make_executable(file: &File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata()?.permissions().mode();
    file.set_permissions(fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))
}

/// Other systems have no executable mode.
#[cfg(not(unix))]
fn make_executable(_: &File) -> std::io::Result<()> {
    Ok(())
}

fn next_steps(files: &[(PathBuf, String)], script: &Path) -> String {
    let made: String = files.iter().map(|(path, _)| format!("made {}\n", path.display())).collect();
    let script = script.display();
    format!(
        "{made}\n`ns {script}` runs it, `ns {script} --help` shows what it takes, `ns test {script}` tests it; after a change `ns test {script} --update` accepts what it says\n"
    )
}
