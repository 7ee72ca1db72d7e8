//! Random YAML texts in odd layouts.

use crate::support::dice::Dice;

/// A text under construction. Numbers make its names and comments unique.
struct Page<'d> {
    dice: &'d mut Dice,
    text: String,
    number: usize,
    /// Whether the newest value is a multi-line text.
    is_text: bool,
}

/// Returns a random text.
pub fn text(dice: &mut Dice) -> String {
    let mut page = Page { dice, text: String::new(), number: 0, is_text: false };
    if page.dice.one_in(3) {
        let comment = page.comment();
        page.text.push_str(&format!("{comment}\n"));
    }
    if page.dice.one_in(5) {
        page.text.push_str("---\n");
    }
    if page.dice.one_in(4) {
        page.list(0, 3)
    } else {
        page.map(0, 3)
    }
    if page.dice.one_in(5) {
        let comment = page.comment();
        page.text.push_str(&format!("{comment}\n"));
    }
    if page.dice.one_in(8) {
        page.text.push_str("...\n");
    }
    page.text
}

impl Page<'_> {
    fn comment(&mut self) -> String {
        self.number += 1;
        format!("# c{}", self.number)
    }

    fn end(&mut self) {
        if self.dice.one_in(4) {
            let comment = self.comment();
            self.text.push_str(&format!("{}{comment}", self.dice.pick(&[" ", "   "])));
        }
        self.text.push('\n');
    }

    fn between(&mut self, column: usize) {
        if self.dice.one_in(6) {
            self.text.push('\n');
        }
        if self.dice.one_in(6) {
            let comment = self.comment();
            // After a multi-line text, an indented line would belong to it.
            let is_text = std::mem::take(&mut self.is_text);
            let blanks = if is_text { String::new() } else { " ".repeat(self.dice.below(column + 3)) };
            self.text.push_str(&format!("{blanks}{comment}\n"));
        }
    }

    /// Writes entries, the first of which begins at the current position.
    fn map(&mut self, column: usize, depth: usize) {
        for number in 0..1 + self.dice.below(3) {
            if number > 0 {
                self.between(column);
                self.text.push_str(&" ".repeat(column));
            }
            self.number += 1;
            let name = match self.dice.below(6) {
                0 => format!("\"k {}\"", self.number),
                1 => format!("'k.{}'", self.number),
                2 => format!("{}", self.number),
                _ => format!("k{}", self.number),
            };
            self.text.push_str(&format!("{name}:"));
            self.value(column, depth, false);
        }
    }

    fn list(&mut self, column: usize, depth: usize) {
        for number in 0..1 + self.dice.below(3) {
            if number > 0 {
                self.between(column);
                self.text.push_str(&" ".repeat(column));
            }
            self.text.push('-');
            self.value(column, depth, true);
        }
    }

    /// Writes what follows a colon or a dash, to the end of its lines.
    fn value(&mut self, column: usize, depth: usize, is_item: bool) {
        self.is_text = false;
        if self.dice.one_in(12) {
            self.text.push_str(self.dice.pick(&[" !!str", " &x", " !t"]));
            if self.text.ends_with("!t") || self.text.ends_with("&x") {
                return self.nested(column, depth, is_item);
            }
            self.text.push_str(" word");
            return self.end();
        }
        match self.dice.below(if depth > 0 { 9 } else { 6 }) {
            0 => self.end(),
            1 => {
                let step = column + 1 + self.dice.below(3);
                self.text.push_str(self.dice.pick(&[" |", " >-", " |+", " |-"]));
                self.end();
                for _ in 0..1 + self.dice.below(2) {
                    self.text.push_str(&format!("{}some line\n", " ".repeat(step)));
                }
                if self.dice.one_in(4) {
                    self.text.push('\n');
                }
                self.is_text = true;
            }
            2 => {
                self.text.push(' ');
                self.flow(2);
                self.end();
            }
            3 => {
                let blanks = " ".repeat(column + 2);
                let odd = ["one\n{}two", "\"dq\\n\n{}more\"", "'sq\n{}more'"];
                let odd = self.dice.pick(&odd).replace("{}", &blanks);
                self.text.push_str(&format!(" {odd}"));
                self.end();
            }
            4 | 5 => {
                let scalars = [" word", "  word", " \"word\"", " 'word'", " 1", " 1.50", " true", " ~", " a:b", " a#b"];
                self.text.push_str(self.dice.pick(&scalars));
                self.end();
            }
            _ => self.nested(column, depth, is_item),
        }
    }

    fn nested(&mut self, column: usize, depth: usize, is_item: bool) {
        if depth == 0 {
            self.text.push_str(" word");
            return self.end();
        }
        let is_tagged = self.text.ends_with("!t") || self.text.ends_with("&x");
        if is_item && !is_tagged && self.dice.one_in(2) {
            let blanks = 1 + self.dice.below(3);
            self.text.push_str(&" ".repeat(blanks));
            let inner = column + 1 + blanks;
            return if self.dice.one_in(2) { self.map(inner, depth - 1) } else { self.list(inner, depth - 1) };
        }
        self.end();
        let is_list = self.dice.one_in(2);
        let step = if is_list && !is_item && self.dice.one_in(2) { 0 } else { 1 + self.dice.below(4) };
        self.text.push_str(&" ".repeat(column + step));
        if is_list { self.list(column + step, depth - 1) } else { self.map(column + step, depth - 1) }
    }

    fn flow(&mut self, depth: usize) {
        let is_map = self.dice.one_in(2);
        self.text.push(if is_map { '{' } else { '[' });
        let count = self.dice.below(4);
        for number in 0..count {
            if number > 0 {
                self.text.push_str(", ");
            }
            if is_map {
                self.text.push_str(&format!("f{number}: "));
            }
            if depth > 1 && self.dice.one_in(3) {
                self.flow(depth - 1)
            } else {
                self.text.push_str(self.dice.pick(&["word", "\"word\"", "1", "'x, y'"]))
            }
        }
        if count > 0 && self.dice.one_in(4) {
            self.text.push(',');
        }
        self.text.push(if is_map { '}' } else { ']' });
    }
}
