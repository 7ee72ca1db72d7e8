//! The pest grammar, and the words that messages use for its rules.
//!
//! The match in [`expected`] is exhaustive, so a new rule cannot be added without deciding how errors name it.

use pest_derive::Parser;

/// The parser that pest derives from `grammar/neuroscript.pest`.
#[derive(Parser)]
#[grammar = "../grammar/neuroscript.pest"]
pub struct Grammar;

/// A construct that could have been at the position of an error, as messages name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expected {
    /// The first word of a statement.
    Statement,
    /// A value.
    Expression,
    /// A name.
    Name,
    /// A word or punctuation mark, displayed in backticks.
    Mark(&'static str),
    /// A binary operator.
    Operator,
    /// The end of the line.
    EndOfLine,
    /// A rule that messages do not mention.
    Hidden,
}

/// Returns how messages name a rule that was tried.
pub fn expected(rule: Rule) -> Expected {
    use Expected::{EndOfLine, Expression, Hidden, Mark, Name, Operator, Statement};
    match rule {
        Rule::EOI => EndOfLine,
        Rule::line | Rule::statement => Statement,
        Rule::set_line | Rule::emit_line | Rule::call_line | Rule::if_head | Rule::else_if_head | Rule::else_head => {
            Statement
        }
        Rule::while_head | Rule::for_head | Rule::return_line | Rule::must_line | Rule::fail_line => Statement,
        Rule::break_line | Rule::continue_line | Rule::on_error_head | Rule::clear_error_line => Statement,
        Rule::use_line | Rule::kw_use => Statement,
        Rule::procedure_head | Rule::func_head | Rule::command_head | Rule::version_line | Rule::closer => Statement,
        Rule::kw_set | Rule::kw_var | Rule::kw_emit | Rule::kw_if | Rule::kw_else | Rule::kw_while => Statement,
        Rule::kw_for | Rule::kw_return | Rule::kw_must | Rule::kw_fail | Rule::kw_break | Rule::kw_continue => {
            Statement
        }
        Rule::kw_on | Rule::kw_clear_error | Rule::kw_define | Rule::kw_func | Rule::kw_command => Statement,
        Rule::kw_file_version => Statement,
        Rule::expression | Rule::term | Rule::primary | Rule::prefix | Rule::number | Rule::text => Expression,
        Rule::value_line => Expression,
        Rule::quoted | Rule::raw_text | Rule::template | Rule::parenthesized | Rule::list | Rule::map => Expression,
        Rule::placeholder | Rule::word | Rule::kw_call | Rule::argument | Rule::call | Rule::item => Expression,
        Rule::open_brace | Rule::open_braces => Expression,
        Rule::name | Rule::place | Rule::plain | Rule::parameter => Name,
        Rule::infix => Operator,
        Rule::kw_then => Mark("THEN"),
        Rule::kw_each => Mark("EACH"),
        Rule::kw_in => Mark("IN"),
        Rule::kw_do => Mark("DO"),
        Rule::kw_error => Mark("ERROR"),
        Rule::kw_as => Mark("AS"),
        Rule::kw_procedure => Mark("PROCEDURE"),
        Rule::kw_means => Mark("means"),
        Rule::kw_needs => Mark("needs"),
        Rule::kw_optional => Mark("optional"),
        Rule::kw_returns => Mark("returns"),
        Rule::module_path => Mark("\"path\""),
        Rule::map_key | Rule::entry => Mark("\"key\""),
        Rule::comma | Rule::separator => Mark(","),
        Rule::colon => Mark(":"),
        Rule::equals => Mark("="),
        Rule::close_paren => Mark(")"),
        Rule::close_bracket => Mark("]"),
        Rule::close_brace => Mark("}"),
        Rule::close_braces => Mark("}}"),
        Rule::open_paren => Mark("("),
        Rule::open_bracket | Rule::dot => Hidden,
        Rule::signature | Rule::parameters | Rule::groups | Rule::needs | Rule::optional | Rule::returns => Hidden,
        Rule::postfix | Rule::index | Rule::field | Rule::arguments | Rule::label => Hidden,
        Rule::word_char | Rule::digits | Rule::WHITESPACE => Hidden,
    }
}
