//! Executions of statements, as breakpoints have seen them: going back and forward over changes stops where the run
//! would have stopped, and does not count hits again.

/// The execution of a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Visit {
    /// The number of the statement.
    statement: usize,
    /// The hits of breakpoints before it.
    hits: Vec<Hit>,
    /// Whether the statement has changed files itself, so that the run is past its breakpoints.
    has_changed: bool,
}

/// A hit of a breakpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// The number of the breakpoint.
    pub id: u64,
    /// How many hits it then had.
    pub count: u64,
}

impl Visit {
    /// Whether the statement has changed files itself.
    pub fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// Returns how many hits a breakpoint had; `None` if it was not hit here.
    pub fn count_of(&self, breakpoint: u64) -> Option<u64> {
        self.hits.iter().find(|hit| hit.id == breakpoint).map(|hit| hit.count)
    }
}

/// The newest execution of a statement in each running body, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Visits(Vec<Visit>);

impl Visits {
    /// Records that the innermost of so many bodies comes to a statement.
    pub fn enter(&mut self, bodies: usize, statement: usize) {
        self.0.resize_with(bodies, Visit::default);
        if let Some(visit) = self.0.last_mut() {
            visit.statement = statement;
            visit.hits.clear();
            visit.has_changed = false;
        }
    }

    /// Records a hit before the statement that the innermost body comes to.
    pub fn hit(&mut self, hit: Hit) {
        if let Some(visit) = self.0.last_mut() {
            visit.hits.push(hit);
        }
    }

    /// Records that the statement of the innermost of so many bodies has changed files.
    pub fn change(&mut self, bodies: usize) {
        if let Some(visit) = bodies.checked_sub(1).and_then(|innermost| self.0.get_mut(innermost)) {
            visit.has_changed = true;
        }
    }

    /// Returns the execution of a statement in the innermost of so many bodies.
    pub fn of(&self, bodies: usize, statement: Option<usize>) -> Visit {
        let known = bodies.checked_sub(1).and_then(|innermost| self.0.get(innermost));
        known.filter(|visit| Some(visit.statement) == statement).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{Hit, Visit, Visits};

    #[test]
    fn each_body_has_a_statement_of_its_own() {
        let mut visits = Visits::default();
        visits.enter(1, 5);
        visits.hit(Hit { id: 1, count: 3 });
        visits.enter(2, 7);
        visits.hit(Hit { id: 2, count: 1 });
        visits.change(2);
        let [outer, inner] = [visits.of(1, Some(5)), visits.of(2, Some(7))];
        assert_eq!((outer.count_of(1), outer.count_of(2), outer.has_changed()), (Some(3), None, false));
        assert_eq!((inner.count_of(1), inner.count_of(2), inner.has_changed()), (None, Some(1), true));
        assert_eq!(visits.of(1, Some(6)), Visit::default());
        assert_eq!(visits.of(3, Some(7)), Visit::default());
        visits.enter(1, 5);
        assert_eq!(visits.of(1, Some(5)).count_of(1), None);
        assert_eq!(visits.of(2, Some(7)), Visit::default());
    }
}
