//! Words that begin, continue or close a block in other languages, with what each of them does there.
//!
//! Scanner, block structure and help all read this table, so that a word is known to all of them or to none.

/// The part of a block that a word of another language marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignWord {
    /// `elif x`
    ElseIf,
    /// `foreach x`
    For,
    /// A loop that repeats until something leaves it, or a number of times.
    Loop,
    /// `until x`
    Until,
    /// `unless x`
    Unless,
    /// `switch x`
    Switch,
    /// `begin`
    Begin,
    /// `try`
    Try,
    /// `catch`
    Catch,
    /// `finally`
    Finally,
    /// `function f(x)`
    Function,
    /// `def f(x)`
    Procedure,
    /// `fi`
    Closer,
}

/// The words in upper case.
const WORDS: [(&str, ForeignWord); 39] = [
    ("ELIF", ForeignWord::ElseIf),
    ("ELSEIF", ForeignWord::ElseIf),
    ("ELSIF", ForeignWord::ElseIf),
    ("FOREACH", ForeignWord::For),
    ("LOOP", ForeignWord::Loop),
    ("REPEAT", ForeignWord::Loop),
    ("UNTIL", ForeignWord::Until),
    ("UNLESS", ForeignWord::Unless),
    ("SWITCH", ForeignWord::Switch),
    ("MATCH", ForeignWord::Switch),
    ("BEGIN", ForeignWord::Begin),
    ("TRY", ForeignWord::Try),
    ("CATCH", ForeignWord::Catch),
    ("EXCEPT", ForeignWord::Catch),
    ("RESCUE", ForeignWord::Catch),
    ("FINALLY", ForeignWord::Finally),
    ("ENSURE", ForeignWord::Finally),
    ("FUNCTION", ForeignWord::Function),
    ("FN", ForeignWord::Function),
    ("FUN", ForeignWord::Function),
    ("DEF", ForeignWord::Procedure),
    ("PROC", ForeignWord::Procedure),
    ("PROCEDURE", ForeignWord::Procedure),
    ("SUB", ForeignWord::Procedure),
    ("DONE", ForeignWord::Closer),
    ("FI", ForeignWord::Closer),
    ("OD", ForeignWord::Closer),
    ("WEND", ForeignWord::Closer),
    ("ESAC", ForeignWord::Closer),
    ("ENDLOOP", ForeignWord::Closer),
    ("ENDFOREACH", ForeignWord::Closer),
    ("ENDTRY", ForeignWord::Closer),
    ("ENDFUNCTION", ForeignWord::Closer),
    ("ENDDEF", ForeignWord::Closer),
    ("ENDPROC", ForeignWord::Closer),
    ("ENDSUB", ForeignWord::Closer),
    ("ENDUNLESS", ForeignWord::Closer),
    ("ENDUNTIL", ForeignWord::Closer),
    ("ENDSWITCH", ForeignWord::Closer),
];

impl ForeignWord {
    /// Returns what a word marks, ignoring case, or `None` if it marks no part of a block in another language.
    pub fn of(word: &str) -> Option<ForeignWord> {
        WORDS.iter().find(|(known, _)| word.eq_ignore_ascii_case(known)).map(|(_, part)| *part)
    }

    /// Returns the words in upper case that mark this part.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        WORDS.iter().filter(move |(_, part)| *part == self).map(|(word, _)| *word)
    }
}
