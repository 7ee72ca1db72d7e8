//! `ns guide`: prints a language guide for models that do not know the language.

use crate::engine::GUIDE;
use crate::terminal::exit::Exit;
use crate::terminal::report::print;

pub fn guide() -> Exit {
    print(GUIDE)
}
