//! Functions that take a procedure: `LIST.Map` and similar.
//!
//! They look like tools but are not: a tool is a leaf that cannot reach the evaluator (invariant 2). Therefore
//! `ns call` and servers can offer every tool, the gate can limit and audit it, and no script code runs while it runs.
//! A higher-order function runs a procedure of the script for each element, so it is a third kind of callee beside
//! procedures and built-ins. Servers and `ns call` do not offer it: it has no meaning without a script.
//!
//! The names and parameters are here and are bound by the binder of tools; `program/lower/higher_order` resolves the
//! procedure before the run, and `eval/compile/higher_order` runs it. A variable is never called.

use crate::toolkit::{Binder, Example, Kind, Literal, Param, Spec, WhenAbsent};

/// A function that takes a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HigherOrder {
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
    /// `LIST.GroupBy(list, Procedure)`: replaces the tool of that name when its `key` names a procedure.
    GroupBy,
    /// `MAP.Map(map, procedure)`
    MapMap,
    /// `MAP.Filter(map, procedure)`
    MapFilter,
}

const MAP: Spec = Spec::pure(
    "LIST.Map",
    "list_map",
    "Returns the results of a procedure for each element",
    "In the order of the list.",
    Example {
        script: "func Double(needs n) means\n  return n * 2\nendfunc\n\ncommand\n  emit LIST.Map([1, 2, 3], Double), LIST.Map([\"a\"], STR.Upper)\nendcommand",
        output: "[2, 4, 6][\"A\"]\n",
    },
)
.keywords(&["map", "collect", "apply", "transform", "for each", "foreach", "comprehension", "lambda", "array_map", "list comprehension"]);
const FILTER: Spec = Spec::pure(
    "LIST.Filter",
    "list_filter",
    "Returns the elements for which a procedure returns a true value",
    "In the order of the list.",
    Example {
        script: "DEFINE PROCEDURE IsBig(file)\n  RETURN file.size > 10\nEND\n\nEMIT LIST.Filter([{\"size\": 5}, {\"size\": 50}], IsBig)",
        output: "[{\"size\": 50}]\n",
    },
)
.keywords(&["filter", "select", "keep", "reject", "array_filter", "where", "comprehension", "lambda"]);
const REDUCE: Spec = Spec::pure(
    "LIST.Reduce",
    "list_reduce",
    "Combines all elements, one after another, with a procedure",
    "The procedure takes the result so far and the next element. It begins with `start`, or with the first element \
        where that is left out; then an empty list gives nil.",
    Example {
        script: "DEFINE PROCEDURE Longer(a, b)\n  IF LEN(b) > LEN(a) THEN\n    RETURN b\n  END\n  RETURN a\nEND\n\nEMIT LIST.Reduce([\"a\", \"ccc\", \"bb\"], Longer)",
        output: "ccc\n",
    },
)
.keywords(&["reduce", "fold", "foldl", "accumulate", "inject", "functools.reduce", "aggregate"]);
const SORT_BY: Spec = Spec::pure(
    "LIST.SortBy",
    "list_sort_by",
    "Sorts the elements by the result of a procedure for each",
    "The procedure is called once for each element, and gives a number or a text, or a list of these, of which the first \
        that differ decide; `LIST.Sort` orders them in the same way. Equal ones keep their order.",
    Example {
        script: "DEFINE PROCEDURE LongestFirst(word)\n  RETURN [-LEN(word), word]\nEND\n\n\
            EMIT LIST.SortBy([\"b\", \"aa\", \"a\"], LongestFirst), LIST.SortBy([\"ccc\", \"a\", \"bb\"], LEN)",
        output: "[\"aa\", \"a\", \"b\"][\"a\", \"bb\", \"ccc\"]\n",
    },
)
.keywords(&["sortby", "sort_by", "sort with a function", "order by", "sorted key", "compare function"]);
const ANY: Spec = Spec::pure(
    "LIST.Any",
    "list_any",
    "Returns whether a procedure returns a true value for any element",
    "It stops at the first; false for an empty list.",
    Example {
        script: "DEFINE PROCEDURE IsOdd(n)\n  RETURN n % 2\nEND\n\nEMIT LIST.Any([2, 3], IsOdd)",
        output: "true\n",
    },
)
.keywords(&["any", "some", "exists"]);
const ALL: Spec = Spec::pure(
    "LIST.All",
    "list_all",
    "Returns whether a procedure returns a true value for every element",
    "It stops at the first for which it does not; true for an empty list.",
    Example {
        script: "DEFINE PROCEDURE IsOdd(n)\n  RETURN n % 2\nEND\n\nEMIT LIST.All([2, 3], IsOdd)",
        output: "false\n",
    },
)
.keywords(&["all", "every"]);

const GROUP_BY: Spec = Spec::pure(
    "LIST.GroupBy",
    "list_group_by",
    "Groups the elements by the result of a procedure for each",
    "Keys are made as the tool makes them.",
    Example {
        script: "EMIT LIST.GroupBy([\"a\", \"bb\", \"c\"], LEN)",
        output: "{\"1\": [\"a\", \"c\"], \"2\": [\"bb\"]}\n",
    },
);
const MAP_MAP: Spec = Spec::pure(
    "MAP.Map",
    "map_map",
    "Returns a map with the same keys and the results of a procedure for each value",
    "The procedure is given the value; one that needs two arguments, key and value.",
    Example {
        script: "DEFINE PROCEDURE Shown(name, size)\n  RETURN name + \": \" + size\nEND\n\nEMIT MAP.Map({\"a\": 1, \"b\": 2}, Shown), MAP.Map({\"x\": \"y\"}, STR.Upper)",
        output: "{\"a\": \"a: 1\", \"b\": \"b: 2\"}{\"x\": \"Y\"}\n",
    },
)
.keywords(&["map values", "mapvalues", "transform_values"]);
const MAP_FILTER: Spec = Spec::pure(
    "MAP.Filter",
    "map_filter",
    "Returns a map of the entries for which a procedure returns a true value",
    "The procedure is given the value; one that needs two arguments, key and value.",
    Example {
        script: "DEFINE PROCEDURE IsBig(size)\n  RETURN size > 10\nEND\n\nEMIT MAP.Filter({\"a\": 5, \"b\": 50}, IsBig)",
        output: "{\"b\": 50}\n",
    },
)
.keywords(&["filter map", "pickBy", "filter entries"]);

const LIST: Param =
    Param { name: "list", aliases: &[], kind: Kind::List, absent: WhenAbsent::Required, doc: "list to go through" };
const PROCEDURE: Param = Param {
    aliases: &[],
    name: "procedure",
    kind: Kind::Text,
    absent: WhenAbsent::Required,
    doc: "name of a procedure, built-in function or tool, with or without quotes, known before the run",
};
const MAP_PARAM: Param =
    Param { name: "map", aliases: &[], kind: Kind::Map, absent: WhenAbsent::Required, doc: "map to go through" };
const KEY: Param = Param { name: "key", ..PROCEDURE };
const START: Param =
    Param { name: "start", aliases: &[], kind: Kind::Any, absent: WhenAbsent::Absent, doc: "initial value" };
const DESCENDING: Param = Param {
    aliases: &[],
    name: "descending",
    kind: Kind::Bool,
    absent: WhenAbsent::Is(Literal::Bool(false)),
    doc: "whether the greatest comes first",
};

impl HigherOrder {
    /// All functions that listings show, in that order.
    pub const ALL: [HigherOrder; 8] = [
        HigherOrder::Map,
        HigherOrder::Filter,
        HigherOrder::Reduce,
        HigherOrder::SortBy,
        HigherOrder::Any,
        HigherOrder::All,
        HigherOrder::MapMap,
        HigherOrder::MapFilter,
    ];

    /// Index of the procedure among the parameters.
    pub const PROCEDURE: usize = 1;

    /// Whether the function takes each element of a list once, in order, so that it needs no list.
    pub fn takes_one_by_one(self) -> bool {
        !matches!(self, HigherOrder::SortBy | HigherOrder::MapMap | HigherOrder::MapFilter)
    }

    /// Finds a function by name, ignoring case; `tool.list.Map` finds `LIST.Map`.
    pub fn find(name: &str) -> Option<HigherOrder> {
        let lower = name.to_ascii_lowercase();
        let lower = lower.strip_prefix("tool.").unwrap_or(&lower);
        HigherOrder::ALL.into_iter().find(|over| over.spec().name.eq_ignore_ascii_case(lower))
    }

    /// Returns the function that replaces a tool when one of its arguments names a procedure.
    pub fn of_tool(name: &str) -> Option<HigherOrder> {
        (name == GROUP_BY.name).then_some(HigherOrder::GroupBy)
    }

    /// Returns the declaration, in the form that tools use.
    pub fn spec(self) -> &'static Spec {
        match self {
            HigherOrder::Map => &MAP,
            HigherOrder::Filter => &FILTER,
            HigherOrder::Reduce => &REDUCE,
            HigherOrder::SortBy => &SORT_BY,
            HigherOrder::Any => &ANY,
            HigherOrder::All => &ALL,
            HigherOrder::GroupBy => &GROUP_BY,
            HigherOrder::MapMap => &MAP_MAP,
            HigherOrder::MapFilter => &MAP_FILTER,
        }
    }

    /// Returns the parameters.
    pub fn params(self) -> &'static [Param] {
        match self {
            HigherOrder::Reduce => &[LIST, PROCEDURE, START],
            HigherOrder::SortBy => &[LIST, PROCEDURE, DESCENDING],
            HigherOrder::GroupBy => &[LIST, KEY],
            HigherOrder::MapMap | HigherOrder::MapFilter => &[MAP_PARAM, PROCEDURE],
            HigherOrder::Map | HigherOrder::Filter | HigherOrder::Any | HigherOrder::All => &[LIST, PROCEDURE],
        }
    }

    /// Returns the binder for the parameters.
    pub fn binder(self) -> Binder {
        Binder { callee: self.spec().name, params: self.params() }
    }

    /// Returns the number of arguments passed to a procedure that requires `needs` arguments.
    pub fn argument_count(self, needs: usize) -> usize {
        match self {
            HigherOrder::Reduce => 2,
            HigherOrder::MapMap | HigherOrder::MapFilter if needs == 2 => 2,
            _ => 1,
        }
    }
}
