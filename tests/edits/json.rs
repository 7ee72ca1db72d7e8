//! Random JSON texts in odd layouts.

use crate::support::dice::Dice;

/// Returns a random text.
pub fn text(dice: &mut Dice) -> String {
    let unit = dice.pick(&["  ", "    ", "\t", ""]);
    let mut text = String::new();
    value(dice, 4, unit, "", &mut text);
    text + dice.pick(&["\n", "\n\n", "  \n"])
}

fn value(dice: &mut Dice, depth: usize, unit: &str, indent: &str, text: &mut String) {
    if depth == 0 || depth < 4 && dice.one_in(3) {
        let scalars = [
            "1",
            "-0",
            "1.50",
            "2e3",
            "true",
            "null",
            "\"a\"",
            "\"word\"",
            "\"\\u0061\\/b\"",
            "\"]},{[\"",
            "\"é\\\"\"",
        ];
        text.push_str(dice.pick(&scalars));
        return;
    }
    let is_map = dice.one_in(2) || depth == 4;
    let count = dice.below(4);
    text.push(if is_map { '{' } else { '[' });
    let inner = format!("{indent}{unit}");
    let layout = dice.below(4);
    for number in 0..count {
        if number > 0 {
            text.push_str(if layout == 3 { "" } else { "," });
        }
        match layout {
            0 => {}
            1 => text.push_str(if number > 0 || dice.one_in(3) { " " } else { "" }),
            2 => {
                text.push('\n');
                text.push_str(&inner);
            }
            _ if number > 0 => {
                text.push('\n');
                text.push_str(indent);
                text.push_str(", ");
            }
            _ => text.push(' '),
        }
        if is_map {
            let names = ["a", "b", "a b", "\\u0063", "d.e", "", "f[0]"];
            text.push_str(&format!("\"{}{}\"", dice.pick(&names), if dice.one_in(8) { 0 } else { number }));
            text.push_str(dice.pick(&[":", ": ", ": ", " : "]));
        }
        value(dice, depth - 1, unit, &inner, text);
    }
    match layout {
        2 if count > 0 || dice.one_in(2) => {
            text.push('\n');
            text.push_str(indent);
        }
        1 if dice.one_in(3) => text.push(' '),
        3 => {
            text.push('\n');
            text.push_str(indent);
        }
        _ => {}
    }
    text.push(if is_map { '}' } else { ']' });
}
