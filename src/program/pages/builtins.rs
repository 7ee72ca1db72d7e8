//! The pages of built-in functions. What they take is in `program/builtin`, which the form here repeats;
//! a test holds them together.

use super::{Page, PageExample, PageKind, printing};

const fn page(
    names: &'static [&'static str],
    form: &'static str,
    summary: &'static str,
    details: &'static str,
    example: PageExample,
) -> Page {
    Page { names, kind: PageKind::BuiltIn, form, summary, details, example }
}

/// The built-in functions.
pub const BUILTINS: [Page; 22] = [
    page(
        &["LEN"],
        "LEN(value)",
        "the characters of a text, the elements of a list, the keys of a map",
        "Characters are code points, not bytes.",
        printing("EMIT LEN(\"héllo\"), \" \", LEN([1, 2]), \" \", LEN({})", "5 2 0\n"),
    ),
    page(
        &["TYPEOF"],
        "TYPEOF(value)",
        "the name of a value's type",
        "`nil`, `bool`, `int`, `float`, `string`, `list` or `map`.",
        printing("EMIT TYPEOF(1.0), \" \", TYPEOF([])", "float list\n"),
    ),
    page(
        &["STR"],
        "STR(value)",
        "the text that EMIT prints",
        "Joining with `+` does the same where the other side is a text.",
        printing("EMIT LEN(STR([1, 2]))", "6\n"),
    ),
    page(
        &["INT"],
        "INT(value)",
        "a whole number from a number, cut off, or from a text of a whole number",
        "A text that is not a whole number is an error.",
        printing("EMIT INT(-3.9), \" \", INT(\" 42 \")", "-3 42\n"),
    ),
    page(
        &["FLOAT"],
        "FLOAT(value)",
        "a float from a number or from a text of a number",
        "A text that is not a number is an error.",
        printing("EMIT FLOAT(3), \" \", FLOAT(\"1e3\")", "3.0 1000.0\n"),
    ),
    page(
        &["ABS"],
        "ABS(number)",
        "the number without its sign",
        "",
        printing("EMIT ABS(-5), \" \", ABS(2.5)", "5 2.5\n"),
    ),
    page(
        &["MIN"],
        "MIN(a, b, …)",
        "the least of numbers or of texts, or of one list of them",
        "An empty list is an error.",
        printing("EMIT MIN(3, 1, 2), \" \", MIN([\"b\", \"a\"])", "1 a\n"),
    ),
    page(
        &["MAX"],
        "MAX(a, b, …)",
        "the greatest of numbers or of texts, or of one list of them",
        "An empty list is an error.",
        printing("EMIT MAX(3, 1, 2), \" \", MAX([0.5, 2])", "3 2\n"),
    ),
    page(
        &["ROUND"],
        "ROUND(number, digits)",
        "the nearest whole number; with digits a float with so many after the point",
        "Halves go away from zero.",
        printing("EMIT ROUND(2.5), \" \", ROUND(-2.5), \" \", ROUND(3.14159, 2)", "3 -3 3.14\n"),
    ),
    page(&["FLOOR"], "FLOOR(number)", "the greatest whole number not above", "", printing("EMIT FLOOR(-1.5)", "-2\n")),
    page(&["CEIL"], "CEIL(number)", "the least whole number not below", "", printing("EMIT CEIL(-1.5)", "-1\n")),
    page(
        &["SQRT"],
        "SQRT(number)",
        "the square root, a float",
        "A negative number is an error.",
        printing("EMIT SQRT(9)", "3.0\n"),
    ),
    page(&["LN"], "LN(number)", "the natural logarithm", "Zero and less are errors.", printing("EMIT LN(1)", "0.0\n")),
    page(
        &["LOG"],
        "LOG(number)",
        "the logarithm to base 10",
        "Zero and less are errors.",
        printing("EMIT LOG(1000)", "3.0\n"),
    ),
    page(&["SIN"], "SIN(number)", "the sine of an angle in radians", "", printing("EMIT SIN(0)", "0.0\n")),
    page(&["COS"], "COS(number)", "the cosine of an angle in radians", "", printing("EMIT COS(0)", "1.0\n")),
    page(&["TAN"], "TAN(number)", "the tangent of an angle in radians", "", printing("EMIT TAN(0)", "0.0\n")),
    page(
        &["ASIN"],
        "ASIN(number)",
        "the angle in radians that has this sine",
        "From -1 to 1.",
        printing("EMIT ROUND(ASIN(1), 4)", "1.5708\n"),
    ),
    page(
        &["ACOS"],
        "ACOS(number)",
        "the angle in radians that has this cosine",
        "From -1 to 1.",
        printing("EMIT ACOS(1)", "0.0\n"),
    ),
    page(
        &["ATAN"],
        "ATAN(number)",
        "the angle in radians that has this tangent",
        "",
        printing("EMIT ROUND(ATAN(1) * 4, 5)", "3.14159\n"),
    ),
    page(
        &["RANGE"],
        "RANGE(start, end, step)",
        "the whole numbers from start on, before end, by step",
        "`RANGE(end)` begins with 0, and the step is 1 when it is left out. In FOR EACH no list is made.",
        printing("EMIT RANGE(3), \" \", RANGE(2, 5), \" \", RANGE(10, 0, -4)", "[0, 1, 2] [2, 3, 4] [10, 6, 2]\n"),
    ),
    page(
        &["EVAL"],
        "EVAL(text)",
        "the text with {{name}} and {{LAST}} expanded once",
        "Text that comes in through a value is never expanded again.",
        printing("SET name = \"you\"\nSET text = \"hello, {{\" + \"name}}\"\nEMIT EVAL(text)", "hello, you\n"),
    ),
];
