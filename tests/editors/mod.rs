//! `editors/`: the files that are made from the tables of the language, and the texts for `editors/check`, which
//! compares the grammars with the parser.

#![allow(clippy::disallowed_methods, reason = "tests read and write files of the package")]

mod captures;
mod corpus;
mod regions;
mod tables;
mod words;
