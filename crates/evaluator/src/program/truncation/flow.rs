//! Liveness of results: which of them are checked later, before something else takes their place.

/// A variable of a body, its `LAST`, or a variable of the script that a procedure reads; numbered per body.
pub type Holder = usize;

/// Where a result comes from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// The call of this number.
    Call(usize),
    Holder(Holder),
}

/// A step of a body that concerns results.
enum Event {
    /// A result is checked.
    Check(Source),
    /// A holder is set, from a result or from anything else.
    Set { holder: Holder, from: Option<Source> },
}

/// Events that happen one after another, and the blocks that may follow.
#[derive(Default)]
struct Block {
    events: Vec<Event>,
    next: Vec<usize>,
}

/// A loop that is being built: the block that begins an iteration, and the block after the loop.
#[derive(Clone, Copy)]
struct Loop {
    head: usize,
    exit: usize,
}

/// The control flow of a body.
pub struct Flow {
    blocks: Vec<Block>,
    current: usize,
    loops: Vec<Loop>,
    holders: usize,
    handling: Option<Handling>,
}

/// The ways to error handlers and back.
#[derive(Clone, Copy)]
pub struct Handling {
    /// The block that every handler begins after. Each event of the blocks from `first` on may lead here.
    raised: usize,
    /// The block after every handler that clears the error; the statements that may follow begin after it.
    cleared: usize,
    /// The first block that an error may leave while a handler is in force.
    first: usize,
}

/// Marks of the results that are checked.
struct Checked {
    /// For each call, whether its result is checked.
    calls: Vec<bool>,
    /// For each holder, whether its result is checked at any time.
    holders: Vec<bool>,
}

/// Maximum number of holders in all blocks together; in larger bodies, order does not count.
pub const MAX_STATES: usize = 1 << 26;

impl Flow {
    /// Creates the flow of a body with `holders` holders.
    pub fn new(holders: usize) -> Flow {
        Flow { blocks: vec![Block::default()], current: 0, loops: Vec::new(), holders, handling: None }
    }

    /// Records that a result is checked here.
    pub fn check(&mut self, source: Source) {
        self.blocks[self.current].events.push(Event::Check(source));
    }

    /// Records that a holder is set here.
    pub fn set(&mut self, holder: Holder, from: Option<Source>) {
        self.blocks[self.current].events.push(Event::Set { holder, from });
    }

    /// Begins a block that may follow each of these blocks. Returns it.
    pub fn begin_after(&mut self, blocks: &[usize]) -> usize {
        let new = self.blocks.len();
        self.blocks.push(Block::default());
        blocks.iter().for_each(|block| self.blocks[*block].next.push(new));
        self.current = new;
        new
    }

    /// Begins a block that follows the current one, and returns the one before.
    pub fn branch(&mut self) -> usize {
        let before = self.current;
        self.begin_after(&[before]);
        before
    }

    /// Begins the block after a branch that began after `before` and may be left out.
    pub fn join(&mut self, before: usize) {
        let end = self.current;
        self.begin_after(&[before, end]);
    }

    /// Returns the current block.
    pub fn here(&self) -> usize {
        self.current
    }

    /// Begins a loop, with the block that each iteration begins with.
    pub fn begin_loop(&mut self) {
        let before = self.current;
        let exit = self.begin_after(&[]);
        let head = self.begin_after(&[before]);
        self.loops.push(Loop { head, exit });
    }

    /// Ends a loop that is also left from the block `test`.
    pub fn end_loop(&mut self, test: usize) {
        let Some(Loop { head, exit }) = self.loops.pop() else { return };
        let end = self.current;
        self.blocks[end].next.push(head);
        self.blocks[test].next.push(exit);
        self.current = exit;
    }

    /// Leaves the innermost loop, or goes on to its next iteration. What follows is not reached.
    pub fn jump(&mut self, leaves: bool) {
        let from = self.current;
        if let Some(Loop { head, exit }) = self.loops.last().copied() {
            self.blocks[from].next.push(if leaves { exit } else { head });
        }
        self.begin_after(&[]);
    }

    /// Begins an error handler. It may run from now on. Returns the block before.
    pub fn begin_handler(&mut self) -> usize {
        let before = self.current;
        let Handling { raised, .. } = self.begin_handling();
        self.begin_after(&[raised]);
        before
    }

    /// Lets errors lead to the handlers of the body from now on.
    pub fn begin_handling(&mut self) -> Handling {
        if let Some(handling) = self.handling {
            return handling;
        }
        let (before, first) = (self.current, self.blocks.len());
        let raised = self.begin_after(&[]);
        let cleared = self.begin_after(&[]);
        self.begin_after(&[before]);
        *self.handling.insert(Handling { raised, cleared, first })
    }

    /// Whether errors may lead to handlers.
    pub fn is_handling(&self) -> bool {
        self.handling.is_some()
    }

    /// Ends an error handler; the body goes on after the block `before`. A handler that may clear the error leads to any
    /// statement.
    pub fn end_handler(&mut self, before: usize, may_clear: bool) {
        if let Some(Handling { cleared, .. }) = self.handling.filter(|_| may_clear) {
            let end = self.current;
            self.blocks[end].next.push(cleared);
        }
        self.begin_after(&[before]);
    }

    /// Begins a statement, to which a handler may return.
    pub fn begin_statement(&mut self) {
        if let Some(Handling { cleared, .. }) = self.handling {
            self.begin_after(&[self.current, cleared]);
        }
    }

    /// Marks the calls, of which there are `count` so far, whose results are checked. Returns for each holder whether
    /// its result is checked at any time.
    pub fn find_checked(self, calls: &mut Vec<bool>, count: usize) -> Vec<bool> {
        calls.resize(count, false);
        let mut checked = Checked { calls: std::mem::take(calls), holders: vec![false; self.holders] };
        if self.blocks.len().saturating_mul(self.holders) <= MAX_STATES {
            self.in_order(&mut checked);
        } else {
            self.in_any_order(&mut checked);
        }
        *calls = checked.calls;
        checked.holders
    }

    /// Goes through the blocks backwards until nothing new is live.
    fn in_order(&self, checked: &mut Checked) {
        let before = self.blocks_before();
        let mut live = vec![Holders::empty(self.holders); self.blocks.len()];
        let mut waits = vec![true; self.blocks.len()];
        let mut waiting: Vec<usize> = (0..self.blocks.len()).collect();
        while let Some(number) = waiting.pop() {
            waits[number] = false;
            let mut state = Holders::empty(self.holders);
            self.blocks[number].next.iter().for_each(|next| state.add_all(&live[*next]));
            let handled = self.handling.filter(|handling| number >= handling.first).map(|handling| handling.raised);
            let handled = handled.filter(|raised| *raised != number).map(|raised| live[raised].clone());
            self.blocks[number].go_back(&mut state, handled.as_ref(), checked);
            if live[number] != state {
                live[number] = state;
                for above in &before[number] {
                    if !std::mem::replace(&mut waits[*above], true) {
                        waiting.push(*above);
                    }
                }
            }
        }
    }

    /// Returns the blocks before each block. Before the one that handlers begin after are all that an error may leave.
    fn blocks_before(&self) -> Vec<Vec<usize>> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.blocks.len()];
        for (number, block) in self.blocks.iter().enumerate() {
            block.next.iter().for_each(|next| before[*next].push(number));
        }
        if let Some(Handling { raised, first, .. }) = self.handling {
            before[raised].extend((first..self.blocks.len()).filter(|number| *number != raised));
        }
        before
    }

    /// Marks what flows to a holder that is checked, whichever way the run takes.
    fn in_any_order(&self, checked: &mut Checked) {
        let mut sources: Vec<Vec<Source>> = vec![Vec::new(); self.holders];
        for event in self.blocks.iter().flat_map(|block| &block.events) {
            match event {
                Event::Check(Source::Call(call)) => checked.calls[*call] = true,
                Event::Check(Source::Holder(holder)) => checked.holders[*holder] = true,
                Event::Set { holder, from } => sources[*holder].extend(from),
            }
        }
        let mut found: Vec<Holder> = (0..self.holders).filter(|holder| checked.holders[*holder]).collect();
        while let Some(holder) = found.pop() {
            for source in std::mem::take(&mut sources[holder]) {
                match source {
                    Source::Call(call) => checked.calls[call] = true,
                    Source::Holder(from) if !checked.holders[from] => {
                        checked.holders[from] = true;
                        found.push(from);
                    }
                    Source::Holder(_) => {}
                }
            }
        }
    }
}

impl Block {
    /// Turns the holders that are live after the block into those that are live before it. Those that are live in the
    /// error handlers, `handled`, are live after each event.
    fn go_back(&self, live: &mut Holders, handled: Option<&Holders>, checked: &mut Checked) {
        let add_handled = |live: &mut Holders| handled.iter().for_each(|handled| live.add_all(handled));
        add_handled(live);
        for event in self.events.iter().rev() {
            let source = match event {
                Event::Check(source) => Some(*source),
                Event::Set { holder, from } => {
                    let is_live = live.has(*holder);
                    live.remove(*holder);
                    from.filter(|_| is_live)
                }
            };
            match source {
                Some(Source::Call(call)) => checked.calls[call] = true,
                Some(Source::Holder(from)) => {
                    checked.holders[from] = true;
                    live.add(from);
                }
                None => {}
            }
            add_handled(live);
        }
    }
}

/// A set of holders, one bit for each.
#[derive(Clone, PartialEq, Eq)]
struct Holders(Vec<u64>);

impl Holders {
    fn empty(holders: usize) -> Holders {
        Holders(vec![0; holders.div_ceil(64)])
    }

    fn has(&self, holder: Holder) -> bool {
        self.0[holder / 64] >> (holder % 64) & 1 == 1
    }

    fn add(&mut self, holder: Holder) {
        self.0[holder / 64] |= 1 << (holder % 64);
    }

    fn remove(&mut self, holder: Holder) {
        self.0[holder / 64] &= !(1 << (holder % 64));
    }

    fn add_all(&mut self, other: &Holders) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }
}
