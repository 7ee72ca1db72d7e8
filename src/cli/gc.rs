//! `ns gc`: frees space by deleting backups and journals of old runs.

use crate::engine::{
    Amount, Engine, ForeignAction, GcRequest, Options, ReclaimReason, Reclaimed, SweepReport, Tally, Value,
};
use crate::options::{Global, OutputFormat};
use crate::terminal::exit::Exit;
use crate::terminal::interrupts::catch_interrupts;
use crate::terminal::printer::Format;
use crate::terminal::report::{print, say};
use crate::terminal::table::{Listing, listing_width};
use crate::text::safe;
use crate::toolkit::ToolError;
use crate::value::Map;

use super::args::GcArgs;
use super::print_value::print_as;
use super::start::with_options;

/// `ns gc`
pub fn gc(global: &Global, args: &GcArgs) -> Exit {
    with_options(&Options { looks_only: args.dry_run, ..global.options() }, |engine| {
        catch_interrupts(engine.interrupt());
        let swept = if args.foreign { foreign(engine, args.dry_run)? } else { engine.collect(&request(args))? };
        report(&swept, args.dry_run);
        let printed = match Format::for_call(global.output) {
            Some(Format::Table) | None => print(&tables(&swept, args.dry_run)),
            Some(format) => print_as(format, page(global, &swept, args.dry_run)?)?,
        };
        Ok(if swept.failures.is_empty() { printed } else { Exit::Failed })
    })
}

/// Removes foreign state, or only lists it if `is_dry`.
fn foreign(engine: &Engine, is_dry: bool) -> Result<SweepReport, ToolError> {
    let state = engine.foreign(if is_dry { ForeignAction::Show } else { ForeignAction::Remove })?;
    let mut swept = state.kept;
    let runs = Amount { things: state.runs.len() as u64, bytes: 0 };
    let foreign = &mut swept.foreign;
    let all = if is_dry { std::mem::take(&mut foreign.kept) } else { foreign.gone };
    foreign.gone = Amount { things: all.things + runs.things, bytes: all.bytes };
    Ok(swept)
}

fn request(args: &GcArgs) -> GcRequest {
    let GcArgs { count, days, bytes, journals, journal_days, journal_bytes, keep_runs, .. } = *args;
    let (everything, is_dry) = (args.all, args.dry_run);
    GcRequest { count, days, bytes, journals, journal_days, journal_bytes, keep_runs, everything, is_dry }
}

/// Reports what was removed and what was skipped.
fn report(swept: &SweepReport, is_dry: bool) {
    for flaw in &swept.flaws {
        say(&format!("warning: {}; it was left alone\n", safe::name(&flaw.to_string())));
    }
    for failure in &swept.failures {
        say(&format!("warning: {}; it could not be given up\n", safe::name(&failure.to_string())));
    }
    let gone = swept.reclaimed();
    let things = if gone.things == 1 { "1 thing".to_owned() } else { format!("{} things", gone.things) };
    let verb = if is_dry { "would be given up" } else { "given up" };
    let more = if swept.is_cut && is_dry { ", and more" } else { "" };
    say(&format!("{things} of {} bytes{more} {verb}\n", gone.bytes));
}

/// Formats what was removed and what remains for people; in a dry run, each thing that would be removed comes first.
fn tables(swept: &SweepReport, is_dry: bool) -> String {
    let thing = |thing: &Reclaimed| {
        vec![thing.bytes.to_string(), reason(thing).to_owned(), safe::name(&thing.path).into_owned()]
    };
    let things: Vec<_> = swept.named.iter().filter(|_| is_dry).map(thing).collect();
    let width = listing_width();
    let things = if things.is_empty() {
        String::new()
    } else {
        Listing { head: &["bytes", "why", "path"], rows: things, numeric: &[0] }.to_text(width) + "\n"
    };
    let sort = |(name, tally): &(&str, Tally)| {
        let amounts = [tally.gone, tally.kept].map(|amount| [amount.things.to_string(), amount.bytes.to_string()]);
        std::iter::once((*name).to_owned()).chain(amounts.into_iter().flatten()).collect()
    };
    let rows = sorts(swept).iter().map(sort).collect();
    let gone = if is_dry { "would go" } else { "gone" };
    let head = ["what", gone, "bytes", "kept", "bytes"];
    things + &Listing { head: &head, rows, numeric: &[1, 2, 3, 4] }.to_text(width)
}

fn sorts(swept: &SweepReport) -> [(&'static str, Tally); 5] {
    [
        ("backups", swept.backups),
        ("trash", swept.trash),
        ("journals", swept.journals),
        ("unfinished", swept.unfinished),
        ("foreign", swept.foreign),
    ]
}

/// Returns what was removed and what remains, for programs.
fn page(global: &Global, swept: &SweepReport, is_dry: bool) -> Result<Value, ToolError> {
    let sorts = Value::list(sorts(swept).iter().map(|(name, tally)| row_of_sort(name, tally)).collect())?;
    if !matches!(global.output, OutputFormat::Json) && !is_dry {
        return Ok(sorts);
    }
    let things = Value::list(swept.named.iter().map(row_of_thing).collect())?;
    if !matches!(global.output, OutputFormat::Json) {
        return Ok(Map::with_capacity(2).with("sorts", sorts).with("things", things).into());
    }
    let gone = swept.reclaimed();
    let left = swept.flaws.iter().chain(&swept.failures).map(|flaw| Value::text(&flaw.to_string())).collect();
    let page = Map::with_capacity(7).with("dryRun", is_dry).with("givenUp", gone.things as i64);
    let page = page.with("bytes", gone.bytes as i64).with("sorts", sorts).with("things", things);
    let unnamed = gone.things.saturating_sub(swept.named.len() as u64);
    Ok(page.with("unnamed", unnamed as i64).with("leftAlone", Value::list(left)?).into())
}

fn row_of_sort(name: &str, tally: &Tally) -> Value {
    Map::with_capacity(5)
        .with("what", name)
        .with("givenUp", tally.gone.things as i64)
        .with("givenUpBytes", tally.gone.bytes as i64)
        .with("kept", tally.kept.things as i64)
        .with("keptBytes", tally.kept.bytes as i64)
        .into()
}

fn row_of_thing(thing: &Reclaimed) -> Value {
    let row = Map::with_capacity(3).with("path", thing.path.as_str());
    row.with("bytes", thing.bytes as i64).with("why", reason(thing)).into()
}

fn reason(thing: &Reclaimed) -> &'static str {
    match thing.why {
        ReclaimReason::Unneeded => "not needed",
        ReclaimReason::Many => "too many",
        ReclaimReason::Old => "too old",
        ReclaimReason::Large => "too many bytes",
        ReclaimReason::Unfinished => "unfinished",
        ReclaimReason::Foreign => "foreign",
    }
}
