//! The fuzz target for the heads of test cases. It is not part of the library, because only it needs the front ends: the
//! other targets are built without them.

use neuroscript::cli::check_test_head;

/// `# ns: test` lines are accepted, or refused with the line number.
pub fn test_head(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Err((line, message)) = check_test_head(&text) {
        assert!((1..=text.lines().count().max(1)).contains(&line), "line {line} of {text:?}: {message}");
        assert!(!message.contains('\n'), "{message}");
    }
}
