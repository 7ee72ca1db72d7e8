//! Grammar rules applied until a deadline.
//!
//! pest cannot be interrupted, and takes seconds for a statement of some megabytes. It can only give up after a number
//! of its calls. So a long text is first parsed with few calls, which measures how long they take; the next attempt may
//! make as many as fit before the deadline. The limit on calls belongs to the whole process. A parse in another thread
//! that meets it is repeated, so it costs time but changes no result.

use std::num::NonZeroUsize;

use pest::Parser as _;
use pest::error::{Error, ErrorVariant};
use pest::iterators::Pairs;
use pest::set_call_limit;
use web_time::{Duration, Instant};

use super::super::grammar::{Grammar, Rule};

/// Maximum length in bytes of a text that is parsed at once, in some milliseconds.
const AT_ONCE: usize = 16 << 10;
/// Number of calls of the first attempt.
const FIRST: usize = 1 << 18;
/// The time after the deadline that the last attempt may take.
const GRACE: Duration = Duration::from_millis(20);

/// The result of a rule.
pub type Applied<'t> = Result<Pairs<'t, Rule>, Box<Error<Rule>>>;

/// Applies a rule to a text. Returns `None` if the deadline passes first.
pub fn apply(rule: Rule, text: &str, deadline: Option<Instant>) -> Option<Applied<'_>> {
    let deadline = deadline.filter(|_| text.len() > AT_ONCE);
    let mut calls = deadline.and(NonZeroUsize::new(FIRST));
    loop {
        let begun = Instant::now();
        match attempt(rule, text, calls) {
            Err(error) if is_over_limit(&error) => {}
            applied => return Some(applied.map_err(Box::new)),
        }
        let now = Instant::now();
        if deadline.is_some_and(|deadline| now >= deadline) {
            return None;
        }
        calls = deadline.zip(calls).map(|(deadline, calls)| next_calls(calls, now - begun, deadline - now));
    }
}

fn attempt(rule: Rule, text: &str, calls: Option<NonZeroUsize>) -> Result<Pairs<'_, Rule>, Error<Rule>> {
    if calls.is_none() {
        return Grammar::parse(rule, text);
    }
    set_call_limit(calls);
    let applied = Grammar::parse(rule, text);
    set_call_limit(None);
    applied
}

fn is_over_limit(error: &Error<Rule>) -> bool {
    matches!(&error.variant, ErrorVariant::CustomError { message } if message == "call limit reached")
}

/// Returns the number of calls that take as long as there is time left, if `calls` took `taken`.
fn next_calls(calls: NonZeroUsize, taken: Duration, left: Duration) -> NonZeroUsize {
    let fitting = calls.get() as f64 * ((left + GRACE).as_secs_f64() / taken.as_secs_f64().max(1e-6));
    calls.saturating_mul(NonZeroUsize::MIN.saturating_add(1)).max(NonZeroUsize::new(fitting as usize).unwrap_or(calls))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list_of(items: usize) -> String {
        format!("SET list = [{}]", vec!["(1)"; items].join(","))
    }

    #[test]
    fn a_deadline_that_has_passed_ends_long_texts_alone() {
        let passed = Some(Instant::now());
        assert!(apply(Rule::line, &list_of(100), passed).is_some_and(|applied| applied.is_ok()));
        assert!(apply(Rule::line, &list_of(200_000), passed).is_none());
    }

    #[test]
    fn attempts_are_repeated_until_they_succeed() {
        let far = Instant::now().checked_add(Duration::from_secs(3600));
        for text in [list_of(20_000), format!("{} +", list_of(20_000))] {
            let bounded = apply(Rule::line, &text, far).expect("there is time").map(|pairs| pairs.as_str().len());
            let whole = Grammar::parse(Rule::line, &text).map(|pairs| pairs.as_str().len()).map_err(Box::new);
            assert_eq!(bounded, whole);
        }
    }

    #[test]
    fn each_attempt_makes_at_least_twice_the_calls() {
        let calls = NonZeroUsize::new(1000).expect("not zero");
        let (short, long) = (Duration::from_millis(10), Duration::from_secs(1));
        assert_eq!(next_calls(calls, long, short).get(), 2000);
        assert_eq!(next_calls(calls, short, long).get(), 102_000);
    }
}
