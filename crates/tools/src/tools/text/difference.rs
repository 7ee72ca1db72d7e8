//! `TEXT.Diff`.

use crate::gate::{Context, Tool};
use crate::toolkit::{Example, Spec, ToolError, arguments};
use crate::value::Str;

use super::super::diff::{Sides, unified};

const SPEC: Spec = Spec::pure(
    "TEXT.Diff",
    "text_diff",
    "Compares two texts, in the unified diff format",
    "Returns what `git diff` and `diff -u` print, or the empty text if both texts are equal. If more than \
        400,000 lines lie between the first and the last difference, they are shown as one block. `FS.DiffFiles` \
        compares files.",
    Example {
        script: "EMIT TEXT.Diff(\"a\\nb\\n\", \"a\\nc\\n\")",
        output: "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\n",
    },
)
.keywords(&["diff", "compare texts", "difflib.unified_diff", "difference of texts"]);

arguments! {
    struct Args {
        old: Str = Required, Kind::Text, "what was";
        new: Str = Required, Kind::Text, "what is";
        context_lines: i64 = Is(Literal::Int(3)), Kind::Int { min: 0, max: 1000 }, "unchanged lines around each change";
        old_name: Str = Is(Literal::Text("old")), Kind::Text, "name of the old text in the head";
        new_name: Str = Is(Literal::Text("new")), Kind::Text, "name of the new text in the head";
    }
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Str, ToolError> {
    let (old, new) = (args.old.as_text(), args.new.as_text());
    let (old_name, new_name) = (args.old_name.as_text(), args.new_name.as_text());
    for (argument, name) in [("old_name", &old_name), ("new_name", &new_name)] {
        if name.contains(char::is_control) {
            return Err(ToolError::bad_argument(argument, format!("`{argument}` has a control character")));
        }
    }
    context.spend_text(old.len() + new.len())?;
    let names = Sides { old: &*old_name, new: &*new_name };
    let diff = unified(Sides { old: &old, new: &new }, names, args.context_lines as usize, &context.meter.watch())?;
    context.spend_text(diff.text.len())?;
    Ok(Str::from_compact(diff.text.into()))
}
