//! `ns guide`: what a model that has never seen the language needs, to write a right script.

use super::exit::Exit;
use super::terminal::print;

/// A page of the book, so that what is in it runs.
const GUIDE: &str = include_str!("../../docs/guide.md");

pub fn guide() -> Exit {
    print(GUIDE)
}
