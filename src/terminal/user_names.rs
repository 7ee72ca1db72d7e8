//! Names of users, for display. They are read from `/etc/passwd` before the lockdown, which closes that file.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use super::input_file::open_input;

/// The file with the users of the machine. Users from a directory service are shown by number.
const FILE: &str = "/etc/passwd";
/// Maximum number of bytes read.
const MAX_BYTES: u64 = 1 << 20;

static NAMES: OnceLock<BTreeMap<u32, String>> = OnceLock::new();

/// Reads the names. Must run before the lockdown.
pub fn read_user_names() {
    NAMES.get_or_init(|| {
        let mut bytes = Vec::new();
        // Without the file, users are shown by number.
        let _ = open_input(Path::new(FILE)).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
        names(&String::from_utf8_lossy(&bytes))
    });
}

/// Returns the name of a user, or the number if the name is unknown.
pub fn user_name(user: u32) -> String {
    NAMES.get().and_then(|names| names.get(&user)).cloned().unwrap_or_else(|| user.to_string())
}

/// Parses lines of the form `name:password:number:…`. The first line with a number decides.
fn names(text: &str) -> BTreeMap<u32, String> {
    let mut names = BTreeMap::new();
    for line in text.lines() {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty());
        if let (Some(name), Some(user)) = (name, fields.nth(1).and_then(|user| user.parse().ok())) {
            names.entry(user).or_insert_with(|| name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn the_first_line_of_a_number_names_it() {
        let names = names("root:x:0:0::/root:/bin/sh\ntoor:x:0:0::/:\n:x:1:\nada:x:1000:\nbroken\n");
        assert_eq!(names.into_iter().collect::<Vec<_>>(), [(0, "root".to_owned()), (1000, "ada".to_owned())]);
    }
}
