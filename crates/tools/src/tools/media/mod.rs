//! `IMAGE` and `AUDIO`: what files say about themselves in their heads and tags. Nothing here decodes images or audio.

mod audio;
mod boxes;
mod image;
mod window;

use crate::gate::Tool;

/// Returns the tools of this module, in listing order.
pub fn tools() -> Vec<Tool> {
    vec![image::tool(), audio::tool()]
}
