//! `FS.ListDir`: docs/specs/list_dir.md.

mod json;
mod text;
mod value;

use crate::gate::{Context, Scope, Tool};
use crate::limits::{Limit, LimitHit, space};
use crate::memory::Key;
use crate::sandbox::{IgnoreSources, ListedAs, Lister, ListingPlan, PathRule, SandboxPath, Step};
use crate::text::ToolCode;
use crate::toolkit::{Answer, Effect, Example, Failure, Given, Risk, Settings, Spec, ToolError, arguments};
use crate::value::{Str, Value};

const SPEC: Spec = Spec {
    name: "FS.ListDir",
    wire: "list_dir",
    aliases: &[],
    keywords: &["tree", "outline", "listing", "directory tree"],
    summary: "Lists a directory as an indented tree, as a flat list of paths, as JSON text or as a value",
    details: "Returns the listing in the form that `format` names:\n\n\
        - `text`: with `filter: \"both\"` a tree that begins with the listed directory; with another filter a flat \
        list of paths from the listed directory.\n\
        - `value`: the same structure as maps and lists. An entry has `name` (in a flat list `path`), `type` (`file`, \
        `folder` or `link`), `link_target` if it is a link, and `children` if it is a directory or a link that was \
        entered.\n\
        - `json`: that structure as JSON text, indented by two spaces.\n\n\
        With a `target` other than `return_value` the text is stored in a memory, and the result is its key.\n\n\
        Order: siblings by the bytes of their names. A directory that cannot be read is shown empty. Pipes, sockets \
        and devices are shown as files.\n\n\
        Links: a symbolic link is entered or followed only on request, and only inside the sandbox. A directory that \
        was already entered is left out. A chain of links that leads nowhere or to itself stays a link, with the text \
        of its last one.\n\n\
        Git: `use_gitignore` leaves out what git leaves out, and `.git` directories. The `.gitignore` files above the \
        listed directory count too, up to the nearest `.git` or the root. Ignored directories are never opened. A \
        `.gitignore` that is not a regular file or is larger than 1 MiB is not used, nor is a line of more than 4096 \
        bytes or a rule after the first 10,000; a warning says so.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::Nil,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::NotADirectory,
        ToolCode::PermissionDenied,
        ToolCode::IoError,
    ],
    example: Example {
        script: "MUST CALL FS.WriteFile(\"src/utils/helpers.py\", \"\")\nMUST CALL FS.WriteFile(\"src/main.py\", \"\")\nEMIT FS.ListDir(\"src\", recursive: true)",
        output: "src/\n  main.py\n  utils/\n    helpers.py\n",
    },
};

arguments! {
    struct Args {
        path: SandboxPath = Is(Literal::Text(".")), Kind::Path(PathRule::INSIDE, Access::Look), "directory to list, relative to the sandbox root";
        recursive: bool = Is(Literal::Bool(false)), Kind::Bool, "also list what is in directories below";
        follow_folder_symlinks: bool = Is(Literal::Bool(false)), Kind::Bool, "when recursive, also enter links to directories";
        follow_file_symlinks: bool = Is(Literal::Bool(false)), Kind::Bool, "show links to files as the files they lead to";
        filter: Str = Is(Literal::Text("both")), Kind::Word(&["files", "folders", "both"]), "entries to show; directories are entered in any case";
        show_data: bool = Is(Literal::Bool(false)), Kind::Bool, "in text, show what each entry is";
        depth: Option<i64> = Absent, Kind::IntOrNil { min: 0, max: i64::MAX }, "when recursive, levels of directories to enter; all when left out";
        format: Str = Is(Literal::Text("text")), Kind::Word(&["text", "json", "value"]), "form of the result";
        use_gitignore: bool = Is(Literal::Bool(false)), Kind::Bool, "leave out what `.gitignore` files name, and `.git` directories";
        target: Str = Is(Literal::Text("return_value")), Kind::Word(&["return_value", "session_memory", "project_memory"]), "where the result goes";
        memory_key: Option<Str> = Absent, Kind::Text, "key under which a memory keeps the result";
    }
}

/// The entries to list. All filters but `Both` produce a flat list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    Both,
    Files,
    Folders,
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run).with_check(check)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Listing, ToolError> {
    let target = Target::from_args(&args);
    let filter = match &*args.filter.as_text() {
        "files" => Filter::Files,
        "folders" => Filter::Folders,
        _ => Filter::Both,
    };
    let format = args.format.as_text();
    let start = start_name(context, &args.path);
    if let Some(target) = &target {
        // Checked before anything is listed.
        let prepared = context.memory().prepare(target.scope, &target.key.as_text());
        prepared.map_err(|error| error.argument("target"))?;
    }
    let (plan, page) = (plan(&args, filter, &format), Page::new(context, target.is_none()));
    let listing = match &*format {
        "json" => list(context, &args.path, plan, json::Json::new(page, filter, &start))?,
        "value" => list(context, &args.path, plan, value::Values::new(filter, &start))?,
        _ => list(context, &args.path, plan, text::Lines::new(page, filter, args.show_data, &start))?,
    };
    context.spend_text(listing.as_text().map_or(0, |text| text.len()))?;
    match target {
        Some(target) => target.store(context, listing).map(Listing),
        None => Ok(Listing(listing)),
    }
}

/// Returns the name of the listed directory; for a link, the name of the link.
fn start_name(context: &Context<'_>, path: &SandboxPath) -> String {
    match path.display().rsplit('/').next() {
        Some(name) if path.is_through_link() && name != ".." => name.to_owned(),
        _ if path.is_root() => context.root_name(path),
        _ => path.file_name(),
    }
}

fn plan(args: &Args, filter: Filter, format: &str) -> ListingPlan {
    let unlimited = usize::MAX;
    let levels = args.depth.map_or(unlimited, |depth| usize::try_from(depth).unwrap_or(unlimited));
    ListingPlan {
        levels: if args.recursive { levels } else { 0 },
        follow_folders: args.follow_folder_symlinks,
        follow_files: args.follow_file_symlinks,
        ignored_by: args.use_gitignore.then_some(IgnoreSources::Tree),
        tell_links: filter != Filter::Both,
        targets: args.show_data || format != "text",
        ..ListingPlan::default()
    }
}

/// An output format, which processes a listing step by step.
trait Form {
    fn take(&mut self, lister: &Lister<'_>, step: Step) -> Result<(), LimitHit>;

    fn finish(self) -> Result<Value, LimitHit>;
}

fn list(
    context: &mut Context<'_>,
    start: &SandboxPath,
    plan: ListingPlan,
    mut form: impl Form,
) -> Result<Value, ToolError> {
    let listed = context.list(start, plan, |lister, step, meter| {
        meter.step(u64::from(step != Step::Leave))?;
        form.take(lister, step)
    });
    listed.map_err(|error| match ToolError::from(error) {
        error if error.limit.is_some() => error,
        error => error.argument("path").path(start.display()),
    })?;
    Ok(form.finish()?)
}

impl Filter {
    /// Returns whether a flat list contains the entry of this step.
    fn shows(self, lister: &Lister<'_>, step: Step) -> bool {
        step != Step::Leave && lister.is_folder() == (self == Filter::Folders)
    }
}

/// Returns the type name of an entry.
fn type_word(shown: ListedAs) -> &'static str {
    match shown {
        ListedAs::File => "file",
        ListedAs::Folder => "folder",
        ListedAs::Link | ListedAs::DeadLink => "link",
    }
}

/// A text that grows within its limits.
struct Page {
    text: String,
    most: usize,
    hit: LimitHit,
}

impl Page {
    /// Creates a page for the answer, or for a value to be stored in memory, to which the answer limit does not
    /// apply.
    fn new(context: &Context<'_>, is_answer: bool) -> Page {
        let (memory, over_memory) = space::memory_left();
        let most = space::string_bound();
        let string = (most, LimitHit { limit: Limit::String, allowed: most as u64 });
        // Half of the free memory, because the finished text is copied once.
        let memory = (usize::try_from(memory / 2).unwrap_or(usize::MAX), over_memory);
        // Stops early when the answer is certainly too large; the gate checks the exact size of the finished
        // answer.
        let bytes = context.answer_bytes.filter(|_| is_answer).unwrap_or(u64::MAX);
        let most = usize::try_from(bytes.saturating_mul(8).saturating_add(4096)).unwrap_or(usize::MAX);
        let answer = (most, LimitHit { limit: Limit::Answer, allowed: bytes });
        let [(most, hit), ..] = {
            let mut bounds = [string, memory, answer];
            bounds.sort_by_key(|(most, _)| *most);
            bounds
        };
        Page { text: String::new(), most, hit }
    }

    /// Checks that `more` bytes fit, before they are added.
    fn check(&self, more: usize) -> Result<(), LimitHit> {
        if self.text.len() + more > self.most { Err(self.hit) } else { Ok(()) }
    }

    fn indent(&mut self, spaces: usize) {
        const BLANKS: &str = "                                                                ";
        let mut left = spaces;
        while left > 0 {
            let now = left.min(BLANKS.len());
            self.text.push_str(&BLANKS[..now]);
            left -= now;
        }
    }

    fn into_value(self) -> Value {
        Value::text(&self.text)
    }
}

/// Checks the arguments that storing the listing in memory requires.
fn check(given: &Given<'_>, _: &Settings) -> Result<(), ToolError> {
    let Some(Some(target)) = given.text("target") else { return Ok(()) };
    if target == "return_value" {
        return Ok(());
    }
    match given.text("memory_key") {
        Some(None) => {
            let message = format!("`target: \"{target}\"` needs a `memory_key`");
            return Err(ToolError::bad_argument("memory_key", message).hint("name the key to store under"));
        }
        Some(Some(key)) => drop(Key::parse(&key).map_err(|error| ToolError::from(error).argument("memory_key"))?),
        None => {}
    }
    if given.text("format").flatten().is_some_and(|format| format == "value") {
        let message = "a memory keeps the text of a listing, not `format: \"value\"`";
        return Err(ToolError::bad_argument("format", message).hint("use `format: \"json\"`"));
    }
    Ok(())
}

/// The memory key to store the result under.
struct Target {
    scope: Scope,
    key: Str,
}

impl Target {
    /// Returns the key that the arguments name, or `None` if the result is returned. Requires that [`check`]
    /// has passed.
    fn from_args(args: &Args) -> Option<Target> {
        let scope = match &*args.target.as_text() {
            "session_memory" => Scope::Session,
            "project_memory" => Scope::Project,
            _ => return None,
        };
        Some(Target { scope, key: args.memory_key.clone()? })
    }

    /// Stores a listing and returns the key.
    fn store(self, context: &mut Context<'_>, listing: Value) -> Result<Value, ToolError> {
        let stored = context.memory().store(self.scope, &self.key.as_text(), listing);
        stored.map_err(|error| ToolError { argument: Some("memory_key"), ..error })?;
        Ok(self.key.into())
    }
}

/// The listing, or the key under which it was stored.
struct Listing(Value);

impl Answer for Listing {
    fn into_value(self) -> Result<Value, LimitHit> {
        Ok(self.0)
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({
            "type": ["string", "object", "array"],
            "description": "text; with `format: \"value\"` a map, or a list when a filter is given"
        })
    }
}
