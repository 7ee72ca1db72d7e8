//! Random TOML texts in odd layouts.

use crate::support::dice::Dice;

/// A text under construction. Numbers make its names and comments unique.
struct Page<'d> {
    dice: &'d mut Dice,
    text: String,
    number: usize,
}

/// Returns a random text.
pub fn text(dice: &mut Dice) -> String {
    let mut page = Page { dice, text: String::new(), number: 0 };
    if page.dice.one_in(3) {
        page.comment();
        page.text.push('\n');
    }
    page.pairs();
    let mut ways: Vec<String> = Vec::new();
    for _ in 0..page.dice.below(4) {
        let way = if ways.is_empty() || page.dice.one_in(2) {
            page.name()
        } else {
            format!("{}.{}", ways[page.dice.below(ways.len())], page.name())
        };
        page.between();
        if page.dice.one_in(3) {
            for _ in 0..1 + page.dice.below(3) {
                page.head(&format!("[[{way}]]"));
                page.pairs();
                if page.dice.one_in(2) {
                    let name = page.name();
                    page.head(&format!("[{way}.{name}]"));
                    page.pairs();
                }
            }
        } else {
            if page.dice.one_in(3) {
                let name = page.name();
                page.head(&format!("[{way}.{name}]"));
            } else {
                page.head(&format!("[{way}]"));
            }
            page.pairs();
            ways.push(way);
        }
    }
    if page.dice.one_in(4) {
        page.comment();
        page.text.push('\n');
    }
    page.text
}

impl Page<'_> {
    fn name(&mut self) -> String {
        self.number += 1;
        let number = self.number;
        match self.dice.below(6) {
            0 => format!("\"k {number}\""),
            1 => format!("'k.{number}'"),
            _ => format!("k{number}"),
        }
    }

    fn comment(&mut self) {
        self.number += 1;
        self.text.push_str(&format!("# c{}", self.number));
    }

    fn between(&mut self) {
        if self.dice.one_in(2) {
            self.text.push('\n');
        }
        if self.dice.one_in(4) {
            self.comment();
            self.text.push('\n');
        }
    }

    fn end(&mut self) {
        if self.dice.one_in(4) {
            self.text.push(' ');
            self.comment();
        }
        self.text.push('\n');
    }

    fn head(&mut self, head: &str) {
        if self.dice.one_in(5) {
            self.text.push_str("  ");
        }
        self.text.push_str(head);
        self.end();
    }

    fn pairs(&mut self) {
        let indent = self.dice.pick(&["", "", "  ", "\t"]);
        for _ in 0..self.dice.below(4) {
            if self.dice.one_in(5) {
                self.between();
            }
            let mut name = self.name();
            let dots = if self.dice.one_in(5) { 1 + self.dice.below(2) } else { 0 };
            for _ in 0..dots {
                let inner = self.name();
                name = format!("{name}{}{inner}", self.dice.pick(&[".", " . "]));
            }
            let times = if dots > 0 { 1 + self.dice.below(2) } else { 1 };
            for time in 0..times {
                let suffix = if time > 0 {
                    ".more"
                } else if times > 1 {
                    ".one"
                } else {
                    ""
                };
                let equals = self.dice.pick(&[" = ", "=", "   = "]);
                self.text.push_str(&format!("{indent}{name}{suffix}{equals}"));
                self.value(2);
                self.end();
            }
        }
    }

    fn value(&mut self, depth: usize) {
        match self.dice.below(if depth > 0 { 8 } else { 5 }) {
            0 => self.text.push_str(self.dice.pick(&["1", "0x1F", "1_000", "-2", "3.50", "6.02e23", "true"]).trim()),
            1 => self.text.push_str(self.dice.pick(&["\"word\"", "'word'", "\"a\\tb\"", "'#'", "\"]\""])),
            2 => self.text.push_str(self.dice.pick(&["2024-05-01", "12:30:00", "2024-05-01T12:00:00Z"])),
            3 => self.text.push_str(self.dice.pick(&["'''\nx\ny'''", "\"\"\"\na\nb\n\"\"\"", "\"\"\"a\"\"\""])),
            5 | 6 => self.list(depth),
            7 => self.table(depth),
            _ => self.text.push_str("\"other\""),
        }
    }

    fn list(&mut self, depth: usize) {
        self.text.push('[');
        let count = self.dice.below(4);
        let is_spread = self.dice.one_in(2);
        for number in 0..count {
            if is_spread {
                self.between_members();
                self.text.push_str("\n    ");
            } else if number > 0 || self.dice.one_in(4) {
                self.text.push(' ');
            }
            self.value(depth - 1);
            if number + 1 < count || self.dice.one_in(2) {
                self.text.push(',');
            }
        }
        if is_spread {
            self.between_members();
            self.text.push('\n');
        }
        self.text.push(']');
    }

    fn between_members(&mut self) {
        if self.dice.one_in(4) {
            self.text.push(' ');
            self.comment();
            if self.dice.one_in(2) {
                self.text.push_str("\n  ");
                self.comment();
            }
        }
    }

    fn table(&mut self, depth: usize) {
        self.text.push('{');
        let count = self.dice.below(4);
        let pad = self.dice.pick(&[" ", ""]);
        for number in 0..count {
            self.text.push_str(if number == 0 { pad } else { ", " });
            let name = self.name();
            self.text.push_str(&format!("{name}{}", self.dice.pick(&[" = ", "="])));
            self.value(depth - 1);
        }
        self.text.push_str(pad);
        self.text.push('}');
    }
}
