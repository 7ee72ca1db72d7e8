//! `ns explain CODE`

use crate::manual::code_page;
use crate::terminal::exit::Exit;
use crate::terminal::report::{print, report_error};
use crate::text::{Code, ToolCode, nearest};

pub fn explain(code: &str) -> Exit {
    let text = Code::from_id(code)
        .map(|code| code_page(code.id(), code.title(), code.explanation()))
        .or_else(|| ToolCode::from_id(code).map(|code| code_page(code.id(), code.title(), code.explanation())));
    match text {
        Some(text) => print(&format!("{text}\n")),
        None => {
            let known = || Code::ALL.iter().map(|code| code.id()).chain(ToolCode::ALL.iter().map(|code| code.id()));
            let help = match nearest(code, known()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "codes are NS0001 and the like, or words such as not_found".to_owned(),
            };
            report_error(&format!("there is no code `{code}`"), &help);
            Exit::Usage
        }
    }
}
