//! Texts as people have them.
