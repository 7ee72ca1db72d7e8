//! `ns gc`: frees space by deleting backups and journals of old runs.

use clap::Args;

use crate::engine::{
    Amount, Engine, ForeignAction, GcRequest, Options, ReclaimReason, Reclaimed, SweepReport, Tally, Value,
};
use crate::text::safe;
use crate::toolkit::ToolError;
use crate::value::Map;

use super::args::{Global, OutputFormat, about};
use super::exit::Exit;
use super::history::{print, with_options};
use super::interrupts::catch_interrupts;
use super::terminal::say;

/// Arguments of `ns gc`.
#[derive(Args, Debug)]
#[command(about = about::GC)]
pub struct GcArgs {
    /// Say what would go, and how many bytes that are; nothing is done
    #[arg(long)]
    pub dry_run: bool,
    /// So many of the newest runs can be taken back whole afterwards [default: 20]
    #[arg(long, value_name = "N")]
    pub keep_runs: Option<usize>,
    /// Remove what others left in `.ns`: journals and kept files that your key did not seal
    #[arg(long, conflicts_with_all = ["all", "keep_runs", "count", "days", "bytes", "journals", "journal_days", "journal_bytes"])]
    pub foreign: bool,
    /// Give up everything that these runs do not need
    #[arg(long)]
    pub all: bool,
    /// Backups of one file, 0 for any number [default: `backup_count` of the policy]
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// Days for which backups and trash are kept, 0 for ever [default: `backup_days` of the policy]
    #[arg(long, value_name = "N")]
    pub days: Option<u64>,
    /// Bytes of all backups and trash, such as 500M, 0 for any number [default: `backup_bytes` of the policy]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub bytes: Option<u64>,
    /// Journals of runs, 0 for any number [default: 10000]
    #[arg(long, value_name = "N")]
    pub journals: Option<u64>,
    /// Days for which journals are kept [default: for ever]
    #[arg(long, value_name = "N")]
    pub journal_days: Option<u64>,
    /// Bytes of all journals [default: any number]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub journal_bytes: Option<u64>,
}

/// `ns gc`
pub fn gc(global: &Global, args: &GcArgs) -> Exit {
    with_options(&Options { looks_only: args.dry_run, ..global.options() }, |engine| {
        catch_interrupts(engine.interrupt());
        let swept = if args.foreign { foreign(engine, args.dry_run)? } else { engine.collect(&args.request())? };
        report(&swept, args.dry_run);
        let printed = print(global, page(global, &swept, args.dry_run)?)?;
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

impl GcArgs {
    fn request(&self) -> GcRequest {
        let GcArgs { count, days, bytes, journals, journal_days, journal_bytes, keep_runs, .. } = *self;
        let (everything, is_dry) = (self.all, self.dry_run);
        GcRequest { count, days, bytes, journals, journal_days, journal_bytes, keep_runs, everything, is_dry }
    }
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

/// Returns what was removed and what remains: a table for people, all details for programs.
fn page(global: &Global, swept: &SweepReport, is_dry: bool) -> Result<Value, ToolError> {
    let sorts = [
        ("backups", swept.backups),
        ("trash", swept.trash),
        ("journals", swept.journals),
        ("unfinished", swept.unfinished),
        ("foreign", swept.foreign),
    ];
    let sorts = Value::list(sorts.iter().map(|(name, tally)| row_of_sort(name, tally)).collect())?;
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
    let why = match thing.why {
        ReclaimReason::Unneeded => "not needed",
        ReclaimReason::Many => "too many",
        ReclaimReason::Old => "too old",
        ReclaimReason::Large => "too many bytes",
        ReclaimReason::Unfinished => "unfinished",
        ReclaimReason::Foreign => "foreign",
    };
    let row = Map::with_capacity(3).with("path", thing.path.as_str());
    row.with("bytes", thing.bytes as i64).with("why", why).into()
}

/// Parses a size such as `1234`, `500K`, `20M` or `1G`, in units of 1024.
fn bytes(text: &str) -> Result<u64, String> {
    let units = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30)];
    let (number, unit) = units
        .iter()
        .find_map(|(suffix, unit)| text.strip_suffix(suffix).map(|number| (number, *unit)))
        .unwrap_or((text, 1));
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    bytes.ok_or_else(|| "expected a number of bytes such as 1000000, 500K, 20M or 1G".to_owned())
}
