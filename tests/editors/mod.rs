//! `editors/`: the files that are made from the tables of the language, the lists that editors repeat, and the texts for
//! `editors/check`, which compares the grammars with the parser.

#![allow(clippy::disallowed_methods, reason = "tests read and write files of the package")]

mod captures;
mod corpus;
mod launch;
mod regions;
mod tables;
mod words;
