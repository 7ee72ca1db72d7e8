//! Odd texts.
