//! `IO.Input`, `IO.Lines`, `IO.Print`, `IO.Progress`.

use crate::gate::{Context, Stream, Tool};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Spec, ToolError, arguments};
use crate::value::{Str, Value, print};

const INPUT: Spec = Spec {
    effect: Effect::Reads,
    errors: &[ToolCode::IoError],
    ..Spec::pure(
        "IO.Input",
        "io_input",
        "Reads the next line of standard input, nil at its end",
        "Returns the line without its end. On a terminal the prompt is shown on standard error and somebody types \
        the line; elsewhere nothing is shown, and lines come from the pipe or file. If there is no input, as on a \
        server, the result is nil.\n\n\
        Bytes that are not UTF-8 become U+FFFD. A line has at most as many bytes as a text may have.",
        Example { script: "EMIT IO.Input(\"Your name? \")", output: "nil\n" },
    )
    .keywords(&[
        "input",
        "readline",
        "gets",
        "prompt",
        "ask",
        "stdin",
        "read line",
        "scanf",
        "read_line",
        "sys.stdin",
        "question",
        "confirm",
        "Read-Host",
        "promptuser",
        "raw_input",
        "sys.stdin.read",
        "sys.stdin.readline",
    ])
};
const LINES: Spec = Spec {
    effect: Effect::Reads,
    errors: &[ToolCode::IoError],
    ..Spec::pure(
        "IO.Lines",
        "io_lines",
        "Reads the remaining lines of standard input",
        "Returns the lines, each as by `IO.Input`. `FOR EACH line IN IO.Lines()` reads one line at a time, so the \
        input may have any length; where a list is needed the result is one, as for `FS.Lines`. If there is no input, \
        as on a server, there are no lines.",
        Example {
            script: "SET count = 0\nFOR EACH line IN IO.Lines() DO\n  SET count = count + 1\nENDBLOCK\nEMIT count",
            output: "0\n",
        },
    )
    .keywords(&[
        "lines of the input",
        "for line in sys.stdin",
        "sys.stdin.readlines",
        "stdin lines",
        "read stdin",
        "while read line",
        "fileinput.input",
        "stdin.lines",
        "pipe",
    ])
};
const PRINT: Spec = Spec::pure(
    "IO.Print",
    "io_print",
    "Prints a value and a line break, as EMIT does",
    "For scripts of older dialects; it counts as output. The result is nil.",
    Example { script: "CALL IO.Print([1, \"a\"])", output: "[1, \"a\"]\n" },
)
.keywords(&["print", "sys.stdout.write", "io.write"]);
const PROGRESS: Spec = Spec::pure(
    "IO.Progress",
    "io_progress",
    "Shows the progress of a script on a terminal",
    "Shows one line on standard error, only on a terminal, redrawn at most ten times a second. It disappears \
        when `done` reaches `total` and when the script ends. Elsewhere nothing happens. The result is nil.",
    Example { script: "FOR EACH i IN RANGE(3) DO\n  CALL IO.Progress(i + 1, 3, \"reading\")\nENDBLOCK", output: "" },
)
.keywords(&["progress", "progress bar", "tqdm"]);

arguments! {
    struct Prompted {
        prompt: Str = Is(Literal::Text("")), Kind::Content, "what is shown on a terminal before the line is typed";
    }
}

arguments! {
    struct NoArguments {}
}

arguments! {
    struct Printed {
        value: Value = Required, Kind::Any, "value to print";
    }
}

arguments! {
    struct Progressed {
        done: i64 = Required, Kind::at_least(0), "how much is done";
        total: Option<i64> = Absent, Kind::at_least(0), "how much there is; not known when left out";
        text: Str = Is(Literal::Text("")), Kind::Content, "what is being done";
    }
}

/// Maximum number of characters shown of the progress text.
const SHOWN: usize = 60;

/// Returns the tools of this file, in listing order.
pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(INPUT, input),
        Tool::streaming(LINES, |_, _: NoArguments| Ok(InputLines)),
        Tool::new(PRINT, |context, args: Printed| {
            context.console().print(args.value);
            Ok(())
        }),
        Tool::new(PROGRESS, progress),
    ]
}

fn input(context: &mut Context<'_>, args: Prompted) -> Result<Option<String>, ToolError> {
    let line = context.console().read_line(&args.prompt.as_text(), context.meter)?;
    context.spend_text(line.as_ref().map_or(0, String::len))?;
    Ok(line)
}

/// The lines of the input.
struct InputLines;

impl Stream for InputLines {
    fn pull(&mut self, context: &mut Context<'_>) -> Result<Option<Value>, ToolError> {
        let Some(line) = context.console().read_line("", context.meter)? else { return Ok(None) };
        context.spend_text(line.len())?;
        context.spend(1)?;
        Ok(Some(Value::checked_text(&line)?))
    }
}

fn progress(context: &mut Context<'_>, args: Progressed) -> Result<(), ToolError> {
    let text = args.text.as_text();
    let text = context.console().plain(&text);
    let text = print::shortened(&text, SHOWN);
    let line = match args.total {
        Some(total) if args.done >= total => None,
        Some(total) => {
            Some(format!("{:3} %  {} of {total}  {text}", args.done as i128 * 100 / i128::from(total), args.done))
        }
        None => Some(format!("{}  {text}", args.done)),
    };
    context.console().show(line.as_deref());
    Ok(())
}
