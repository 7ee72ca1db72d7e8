//! The queue between the thread of a call and its helpers: items in order, and their results in the same order.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

/// The items that wait for a thread, and the results that wait to be taken.
pub struct Line<T, R> {
    state: Mutex<State<T, R>>,
    changed: Condvar,
    /// Whether no further result will be taken.
    pub is_over: AtomicBool,
    /// Maximum number of helpers.
    helpers: usize,
}

struct State<T, R> {
    items: VecDeque<T>,
    /// Number of the first of `items`, counted from the first that was pushed.
    next: usize,
    /// Number of the first of `results`.
    taken: usize,
    /// The results of items that were handed out; `None` while a thread works on one.
    results: VecDeque<Option<R>>,
    /// Number of helpers that were started.
    helpers: usize,
    /// Number of helpers that wait for items.
    waiting: usize,
    /// Whether a helper panicked, so that a result will never come.
    has_lost: bool,
}

impl<T, R> State<T, R> {
    /// Hands out the next item with its number.
    fn claim(&mut self) -> Option<(usize, T)> {
        let item = self.items.pop_front()?;
        self.results.push_back(None);
        self.next += 1;
        Some((self.next - 1, item))
    }

    /// Stores a result. Returns whether it is the one that is taken next.
    fn put(&mut self, number: usize, result: R) -> bool {
        let place = number - self.taken;
        self.results[place] = Some(result);
        place == 0
    }
}

impl<T, R> Line<T, R> {
    /// Creates a line for at most this many helpers.
    pub fn new(helpers: usize) -> Line<T, R> {
        let (items, results) = (VecDeque::new(), VecDeque::new());
        let state = State { items, next: 0, taken: 0, results, helpers: 0, waiting: 0, has_lost: false };
        Line { state: Mutex::new(state), changed: Condvar::new(), is_over: AtomicBool::new(false), helpers }
    }

    fn state(&self) -> MutexGuard<'_, State<T, R>> {
        self.state.lock().expect("no thread panics with the state")
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<T, R>>) -> MutexGuard<'a, State<T, R>> {
        self.changed.wait(state).expect("no thread panics with the state")
    }

    /// Adds an item.
    pub fn push(&self, item: T) {
        let mut state = self.state();
        state.items.push_back(item);
        let is_awaited = state.waiting > 0;
        drop(state);
        if is_awaited {
            self.changed.notify_all();
        }
    }

    /// Whether one more helper is to be started, which then counts as started: if as many items wait as `least` returns
    /// for the number of helpers.
    pub fn wants_helper(&self, least: impl Fn(usize) -> usize) -> bool {
        let mut state = self.state();
        let is_wanted = state.helpers < self.helpers && state.waiting == 0 && state.items.len() >= least(state.helpers);
        state.helpers += usize::from(is_wanted);
        is_wanted
    }

    /// Returns the next item for a helper; waits for one until the call has ended.
    pub fn next(&self) -> Option<(usize, T)> {
        let mut state = self.state();
        loop {
            if self.is_over.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(item) = state.claim() {
                return Some(item);
            }
            state.waiting += 1;
            state = self.wait(state);
            state.waiting -= 1;
        }
    }

    /// Stores the result of a helper.
    pub fn put(&self, number: usize, result: R) {
        let is_first = self.state().put(number, result);
        if is_first {
            self.changed.notify_all();
        }
    }

    /// Takes the result of the first item. Until it is there, this thread works on items too.
    pub fn first(&self, apply: &mut dyn FnMut(T) -> R) -> R {
        let mut state = self.state();
        loop {
            assert!(!state.has_lost, "a helper panicked");
            if let Some(result) = state.results.front_mut().and_then(Option::take) {
                state.results.pop_front();
                state.taken += 1;
                return result;
            }
            if let Some((number, item)) = state.claim() {
                drop(state);
                let result = apply(item);
                state = self.state();
                state.put(number, result);
            } else {
                state = self.wait(state);
            }
        }
    }
}

/// Ends the work of all helpers when the call has taken its last result.
pub struct EndOfCall<'a, T, R>(pub &'a Line<T, R>);

impl<T, R> Drop for EndOfCall<'_, T, R> {
    fn drop(&mut self) {
        // Under the lock, so that a helper about to wait does not miss it.
        let _state = self.0.state.lock();
        self.0.is_over.store(true, Ordering::Relaxed);
        self.0.changed.notify_all();
    }
}

/// Tells the call if a helper panicked.
pub struct EndOfHelper<'a, T, R>(pub &'a Line<T, R>);

impl<T, R> Drop for EndOfHelper<'_, T, R> {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Ok(mut state) = self.0.state.lock()
        {
            state.has_lost = true;
            self.0.changed.notify_all();
        }
    }
}
