//! `ns completions SHELL` and `ns man`: both come from the declarations of the command line.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::text::nearest;

use super::args::Cli;
use super::exit::Exit;
use super::terminal::{print, report_error};

/// `ns completions SHELL`
pub fn completions(shell: Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "ns", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// `ns man [COMMAND…]`: the page of `ns`, or that of a command.
pub fn man(words: &[String]) -> Exit {
    let mut command = Cli::command();
    command.build();
    let mut shown = &command;
    for word in words {
        let Some(below) = shown.find_subcommand(word) else {
            let names = shown.get_subcommands().map(clap::Command::get_name);
            let help = match nearest(word, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`ns --help` lists the commands".to_owned(),
            };
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
