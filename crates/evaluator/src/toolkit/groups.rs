//! The groups of tools and their titles, for listings and the documentation.

use crate::text::nearest;

/// Groups and their titles, in the order of listings.
const TITLES: [(&str, &str); 26] = [
    ("FS", "files and folders of the sandbox"),
    ("STR", "texts"),
    ("TEXT", "templates and differences of texts"),
    ("REGEX", "regular expressions"),
    ("LIST", "lists"),
    ("MAP", "maps"),
    ("MATH", "numbers"),
    ("JSON", "JSON texts"),
    ("CSV", "tables as text"),
    ("TOML", "TOML texts"),
    ("YAML", "YAML texts"),
    ("INI", "configuration files with sections"),
    ("XML", "XML texts"),
    ("MARKDOWN", "headings and links of Markdown texts"),
    ("TIME", "dates and times"),
    ("PATH", "parts of path texts; nothing here looks at the disk"),
    ("HASH", "checksums"),
    ("IMAGE", "dimensions, camera and date of images"),
    ("AUDIO", "tags of audio files"),
    ("BASE64", "bytes as text"),
    ("RANDOM", "chance"),
    ("UUID", "identifiers"),
    ("MIME", "types of content"),
    ("ENV", "variables of the environment"),
    ("IO", "the terminal"),
    ("MEMORY", "what scripts remember"),
];

/// Returns the title of a group, or an empty text for an unknown group.
pub fn title(group: &str) -> &'static str {
    TITLES.iter().find(|(name, _)| *name == group).map_or("", |(_, title)| title)
}

/// Whether a name, in any letter case, is reserved: a group, or `TOOL`.
pub fn is_reserved(name: &str) -> bool {
    name.eq_ignore_ascii_case("TOOL") || TITLES.iter().any(|(group, _)| group.eq_ignore_ascii_case(name))
}

/// Returns the group of a script name: `STR` of `STR.Upper`.
pub fn group_of(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Namespaces of other languages and libraries, in lower case, with the groups that offer the same, likeliest first.
const FOREIGN: [(&[&str], &[&str]); 18] = [
    (
        &[
            "fs",
            "os",
            "file",
            "files",
            "io",
            "ioutil",
            "fsp",
            "fs.promises",
            "directory",
            "dir",
            "folder",
            "shutil",
            "glob",
        ],
        &["FS", "PATH"],
    ),
    (&["path", "os.path", "filepath", "pathlib", "paths"], &["PATH", "FS"]),
    (&["str", "string", "strings"], &["STR", "REGEX", "TEXT"]),
    (&["text"], &["TEXT", "STR"]),
    (&["re", "regex", "regexp"], &["REGEX"]),
    (&["list", "lists", "array", "arrays", "slices", "vec", "itertools", "functools"], &["LIST"]),
    (&["map", "maps", "dict", "object", "hashmap", "collections"], &["MAP", "LIST"]),
    (&["math", "number", "statistics", "num"], &["MATH", "", "LIST"]),
    (&["json"], &["JSON"]),
    (&["csv"], &["CSV"]),
    (&["toml", "tomllib"], &["TOML"]),
    (&["yaml"], &["YAML"]),
    (&["time", "date", "datetime", "datetime.datetime", "datetime.date", "moment", "chrono"], &["TIME"]),
    (&["hash", "hashlib", "crypto", "zlib"], &["HASH"]),
    (&["base64"], &["BASE64"]),
    (&["random", "rand", "secrets"], &["RANDOM"]),
    (&["uuid"], &["UUID"]),
    (&["env", "os.environ", "process.env", "environ"], &["ENV"]),
];

/// Returns the groups that a namespace of another language may stand for. Empty if it is unknown.
pub fn meant_by(namespace: &str) -> &'static [&'static str] {
    let lower = namespace.to_ascii_lowercase();
    let lower = lower.strip_prefix("tool.").unwrap_or(&lower);
    let foreign = FOREIGN.iter().find(|(names, _)| names.contains(&lower));
    foreign.map_or(&[], |(_, groups)| *groups)
}

/// Returns the group that an unknown namespace probably misspells.
pub fn misspelt(namespace: &str) -> Option<&'static str> {
    let upper = namespace.to_ascii_uppercase();
    let names = TITLES.iter().map(|(name, _)| *name).filter(|name| name.len() > 2 && upper.len() > 2);
    nearest(&upper, names).filter(|_| meant_by(namespace).is_empty())
}
