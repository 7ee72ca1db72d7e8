//! What the groups of tools are for: headings of listings and of the documentation.

/// Groups and what they are for, in the order of listings.
const TITLES: [(&str, &str); 21] = [
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
    ("TIME", "dates and times"),
    ("PATH", "parts of path texts; nothing here looks at the disk"),
    ("HASH", "checksums"),
    ("BASE64", "bytes as text"),
    ("RANDOM", "chance"),
    ("UUID", "identifiers"),
    ("MIME", "types of content"),
    ("ENV", "variables of the environment"),
    ("IO", "the terminal"),
    ("MEMORY", "what scripts remember"),
];

/// What a group is for; nothing for one that is not listed.
pub fn title(group: &str) -> &'static str {
    TITLES.iter().find(|(name, _)| *name == group).map_or("", |(_, title)| title)
}

/// Whether a name, in any spelling, begins names of tools.
pub fn is_reserved(name: &str) -> bool {
    name.eq_ignore_ascii_case("TOOL") || TITLES.iter().any(|(group, _)| group.eq_ignore_ascii_case(name))
}

/// The group of a script name: `STR` of `STR.Upper`.
pub fn group_of(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}
