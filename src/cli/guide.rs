//! `ns guide`: what a model that has never seen the language needs, to write a right script.

use crate::engine::GUIDE;

use super::exit::Exit;
use super::terminal::print;

pub fn guide() -> Exit {
    print(GUIDE)
}
