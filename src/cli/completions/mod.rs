//! `ns completions SHELL` and `ns man`, generated from the declarations of the command line. These do not cover the
//! arguments of scripts, so shells that can query `ns` ask for them (`script`).

mod script;
mod typed;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::report::{print, report_error};

pub use script::complete_script;

use super::args::{Cli, instead_of_command};

/// `ns completions SHELL`
pub fn completions(shell: Shell) -> Exit {
    let mut declared = Vec::new();
    clap_complete::generate(shell, &mut commands_for_people(), "ns", &mut declared);
    let declared = String::from_utf8_lossy(&declared);
    print(&match shell {
        Shell::Bash => format!("{declared}{}", include_str!("bash.sh")),
        Shell::Fish => format!("{declared}{}", include_str!("fish.fish")),
        Shell::Zsh => with_scripts_in_zsh(&declared),
        _ => declared.into_owned(),
    })
}

/// Returns all commands except hidden ones, which only `ns` and shells start.
fn commands_for_people() -> clap::Command {
    let all = Cli::command();
    let shown = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let named = clap::Command::new("ns").version(env!("CARGO_PKG_VERSION"));
    Global::augment_args(named).subcommands(shown)
}

/// Wraps the completion function of zsh so that it asks for scripts first. The wrapper must be defined before the end
/// of the script, which calls it.
fn with_scripts_in_zsh(declared: &str) -> String {
    let renamed = declared.replacen("\n_ns() {", "\n_ns_declared() {", 1);
    let end = "\nif [ \"$funcstack[1]\" = \"_ns\" ]";
    renamed.replacen(end, &format!("{}{end}", include_str!("zsh.sh")), 1)
}

/// `ns man [COMMAND…]`: prints the manual page of `ns` or of a command.
pub fn man(words: &[String]) -> Exit {
    let mut command = Cli::command();
    command.build();
    let mut shown = &command;
    for word in words {
        let Some(below) = shown.find_subcommand(word) else {
            let help = instead_of_command(shown, word);
            report_error(&format!("there is no command `{}`", words.join(" ")), &help);
            return Exit::Usage;
        };
        shown = below;
    }
    let mut page = Vec::new();
    match clap_mangen::Man::new(shown.clone())
        .manual("NeuroScript")
        .source(concat!("ns ", env!("CARGO_PKG_VERSION")))
        .render(&mut page)
    {
        Ok(()) => print(&String::from_utf8_lossy(&page)),
        Err(error) => {
            report_error(&format!("the page cannot be made: {error}"), "`ns --help` says the same");
            Exit::Failed
        }
    }
}
