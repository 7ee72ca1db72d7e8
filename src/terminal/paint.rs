//! Whether outputs have colours, and what must be escaped for them.

use std::io::{IsTerminal, stderr, stdout};
use std::sync::LazyLock;

use crate::text::colors::ColorKey;
use crate::text::render::Style;

/// The treatment of text for an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// For programs and files: unchanged.
    Plain,
    /// For a terminal without colours: escapes sequences that could change its state.
    Escaped,
    /// For a terminal with colours; escaped as well.
    Colored,
}

/// Returns the key for the sequences of colours in texts of this process.
pub fn color_key() -> &'static ColorKey {
    static KEY: LazyLock<ColorKey> = LazyLock::new(|| {
        let mut number = [0; 8];
        getrandom::fill(&mut number).expect("the system has random numbers");
        ColorKey::new(u64::from_ne_bytes(number))
    });
    &KEY
}

/// Returns the style for standard error: colours on a terminal, unless `NO_COLOR` is set or the terminal is dumb.
pub fn style() -> Style {
    if stderr().is_terminal() && takes_colors() { Style::Colored } else { Style::Plain }
}

impl Paint {
    /// Returns the treatment of text for an output.
    pub fn of(output: &impl IsTerminal) -> Paint {
        match (output.is_terminal(), takes_colors()) {
            (false, _) => Paint::Plain,
            (true, false) => Paint::Escaped,
            (true, true) => Paint::Colored,
        }
    }
}

/// Returns the treatment of text for standard output, which programs may read.
pub fn paint() -> Paint {
    Paint::of(&stdout())
}

/// Whether `NO_COLOR` and the kind of terminal permit colours.
pub fn takes_colors() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !refused && !dumb
}
