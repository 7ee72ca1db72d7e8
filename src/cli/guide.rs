//! `ns guide`: prints a language guide for models that do not know the language.

use crate::engine::GUIDE;

use super::exit::Exit;
use super::terminal::print;

pub fn guide() -> Exit {
    print(GUIDE)
}
