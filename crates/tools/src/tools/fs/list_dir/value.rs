//! Formats a listing as maps and lists for scripts, with the structure of the JSON text.

use crate::limits::{LimitHit, space};
use crate::sandbox::{ListedAs, Lister, Step};
use crate::value::{Map, Value};

use super::{Filter, Form, type_word};

/// Maps under construction.
pub struct Values {
    filter: Filter,
    /// The open directories, each with its entries so far; for a flat list, only the list.
    open: Vec<(Map, Vec<Value>)>,
}

impl Values {
    pub fn new(filter: Filter, start: &str) -> Values {
        let map = Map::with_capacity(3).with("name", start).with("type", "folder");
        Values { filter, open: vec![(map, Vec::new())] }
    }

    fn add(&mut self, value: Value) -> Result<(), LimitHit> {
        let (_, entries) = self.open.last_mut().expect("the listed directory is open to the end");
        space::check_items(entries.len() + 1)?;
        space::check(size_of::<Value>() * entries.capacity())?;
        entries.push(value);
        Ok(())
    }

    fn close(&mut self) -> Result<Map, LimitHit> {
        let (mut map, entries) = self.open.pop().expect("what is left was entered");
        map.put("children".into(), Value::list(entries)?)?;
        Ok(map)
    }
}

impl Form for Values {
    fn take(&mut self, lister: &Lister<'_>, step: Step) -> Result<(), LimitHit> {
        if self.filter != Filter::Both {
            return if self.filter.shows(lister, step) {
                self.add(map("path", &lister.path(), lister).into())
            } else {
                Ok(())
            };
        }
        match step {
            Step::Leave => {
                let map = self.close()?;
                self.add(map.into())
            }
            Step::Entry if lister.listed_as() != ListedAs::Folder => {
                self.add(map("name", &lister.name(), lister).into())
            }
            Step::Enter | Step::Entry => {
                // Each directory adds a map and a list.
                space::check_depth(2 * self.open.len() + 2)?;
                self.open.push((map("name", &lister.name(), lister), Vec::new()));
                match step {
                    Step::Entry => self.take(lister, Step::Leave),
                    _ => Ok(()),
                }
            }
        }
    }

    fn finish(mut self) -> Result<Value, LimitHit> {
        match self.filter {
            Filter::Both => Ok(self.close()?.into()),
            Filter::Files | Filter::Folders => {
                let (_, entries) = self.open.pop().expect("the list is open to the end");
                Value::list(entries)
            }
        }
    }
}

fn map(key: &str, name: &str, lister: &Lister<'_>) -> Map {
    let map = Map::with_capacity(4).with(key, name).with("type", type_word(lister.listed_as()));
    match lister.listed_as() {
        ListedAs::Link | ListedAs::DeadLink => map.with("link_target", &*lister.target()),
        ListedAs::File | ListedAs::Folder => map,
    }
}
