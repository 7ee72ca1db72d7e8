//! Functions that take a procedure: `LIST.Map` and its like.
//!
//! They read as tools do, and are none: a tool is a leaf that cannot reach the evaluator (invariant 2), so
//! that `ns call` and servers can offer it, the gate can bound and audit it, and nothing comes back in while
//! it runs. These run a procedure of the script for each element. So they are a third kind of callee beside
//! procedures and built-ins: here their names and parameters, what they do in `eval`. The procedure is named
//! in the script and found before the run; a variable is never called.

use crate::toolkit::{Binder, Example, Kind, Literal, Param, Spec, WhenAbsent};

/// A function that takes a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// `LIST.Map(list, procedure)`
    Map,
    /// `LIST.Filter(list, procedure)`
    Filter,
    /// `LIST.Reduce(list, procedure, start)`
    Reduce,
    /// `LIST.SortBy(list, procedure, descending)`
    SortBy,
    /// `LIST.Any(list, procedure)`
    Any,
    /// `LIST.All(list, procedure)`
    All,
}

const MAP: Spec = Spec::pure(
    "LIST.Map",
    "list_map",
    "Gives what a procedure makes of each element",
    "In the order of the list.",
    Example {
        script: "func Double(needs n) means\n  return n * 2\nendfunc\ncommand\n  emit LIST.Map([1, 2, 3], Double), LIST.Map([\"a\"], STR.Upper)\nendcommand",
        output: "[2, 4, 6][\"A\"]\n",
    },
);
const FILTER: Spec = Spec::pure(
    "LIST.Filter",
    "list_filter",
    "Gives the elements for which a procedure gives something true",
    "In the order of the list.",
    Example {
        script: "DEFINE PROCEDURE IsBig(file)\n  RETURN file.size > 10\nEND\nEMIT LIST.Filter([{\"size\": 5}, {\"size\": 50}], IsBig)",
        output: "[{\"size\": 50}]\n",
    },
);
const REDUCE: Spec = Spec::pure(
    "LIST.Reduce",
    "list_reduce",
    "Gives what a procedure makes of all elements, one after another",
    "The procedure takes what was made so far and the next element. It begins with `start`, or with the first element \
        where that is left out; then an empty list gives nil.",
    Example {
        script: "DEFINE PROCEDURE Longer(a, b)\n  IF LEN(b) > LEN(a) THEN\n    RETURN b\n  END\n  RETURN a\nEND\nEMIT LIST.Reduce([\"a\", \"ccc\", \"bb\"], Longer)",
        output: "ccc\n",
    },
);
const SORT_BY: Spec = Spec::pure(
    "LIST.SortBy",
    "list_sort_by",
    "Gives the elements in the order of what a procedure makes of each",
    "The procedure is called once for each element, and gives a number or a text, as `LIST.Sort` orders them. Equal ones \
        keep their order.",
    Example { script: "EMIT LIST.SortBy([\"ccc\", \"a\", \"bb\"], LEN)", output: "[\"a\", \"bb\", \"ccc\"]\n" },
);
const ANY: Spec = Spec::pure(
    "LIST.Any",
    "list_any",
    "Tells whether a procedure gives something true for an element",
    "It stops at the first; false for an empty list.",
    Example {
        script: "DEFINE PROCEDURE IsOdd(n)\n  RETURN n % 2\nEND\nEMIT LIST.Any([2, 3], IsOdd)",
        output: "true\n",
    },
);
const ALL: Spec = Spec::pure(
    "LIST.All",
    "list_all",
    "Tells whether a procedure gives something true for every element",
    "It stops at the first for which it does not; true for an empty list.",
    Example {
        script: "DEFINE PROCEDURE IsOdd(n)\n  RETURN n % 2\nEND\nEMIT LIST.All([2, 3], IsOdd)",
        output: "false\n",
    },
);

const LIST: Param = Param { name: "list", kind: Kind::List, absent: WhenAbsent::Required, doc: "list to go through" };
const PROCEDURE: Param = Param {
    name: "procedure",
    kind: Kind::Text,
    absent: WhenAbsent::Required,
    doc: "name of a procedure, built-in function or tool, with or without quotes, known before the run",
};
const START: Param = Param { name: "start", kind: Kind::Any, absent: WhenAbsent::Absent, doc: "what to begin with" };
const DESCENDING: Param = Param {
    name: "descending",
    kind: Kind::Bool,
    absent: WhenAbsent::Is(Literal::Bool(false)),
    doc: "whether the greatest comes first",
};

impl Over {
    /// All of them, in the order of listings.
    pub const ALL: [Over; 6] = [Over::Map, Over::Filter, Over::Reduce, Over::SortBy, Over::Any, Over::All];

    /// Where the procedure stands among the parameters.
    pub const PROCEDURE: usize = 1;

    /// The function of a name, without regard to case; `tool.list.Map` finds `LIST.Map`.
    pub fn find(name: &str) -> Option<Over> {
        let lower = name.to_ascii_lowercase();
        let lower = lower.strip_prefix("tool.").unwrap_or(&lower);
        Over::ALL.into_iter().find(|over| over.spec().name.eq_ignore_ascii_case(lower))
    }

    /// What it declares, as tools do.
    pub fn spec(self) -> &'static Spec {
        match self {
            Over::Map => &MAP,
            Over::Filter => &FILTER,
            Over::Reduce => &REDUCE,
            Over::SortBy => &SORT_BY,
            Over::Any => &ANY,
            Over::All => &ALL,
        }
    }

    /// What it takes.
    pub fn params(self) -> &'static [Param] {
        match self {
            Over::Reduce => &[LIST, PROCEDURE, START],
            Over::SortBy => &[LIST, PROCEDURE, DESCENDING],
            Over::Map | Over::Filter | Over::Any | Over::All => &[LIST, PROCEDURE],
        }
    }

    /// The binder for its parameters.
    pub fn binder(self) -> Binder {
        Binder { callee: self.spec().name, params: self.params() }
    }

    /// How many arguments it gives to the procedure.
    pub fn gives(self) -> usize {
        if self == Over::Reduce { 2 } else { 1 }
    }
}
