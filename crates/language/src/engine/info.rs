//! Metadata of a script, for `ns check --info` and for sessions.

use crate::program::tree::{Param, Program, required};
use crate::program::{Interface, Kind, Role};
use crate::syntax::ast::Tree;
use crate::value::Value;

/// Metadata of a script.
#[derive(Debug, Default, serde::Serialize)]
pub struct Info {
    /// The version in `FILE_VERSION`.
    pub version: Option<String>,
    /// The metadata lines, `:: key: value`.
    pub metadata: Vec<(String, String)>,
    /// Procedures with their parameters and documentation.
    pub procedures: Vec<ProcedureInfo>,
    /// The modules that the script uses: name and path.
    pub modules: Vec<(String, String)>,
    /// The command-line interface; `None` if the entry point is unknown.
    pub command_line: Option<CommandLine>,
}

/// The command-line interface of a script.
#[derive(Debug, serde::Serialize)]
pub struct CommandLine {
    /// The purpose of the script.
    pub description: Option<String>,
    /// The procedure that runs; `None` for a script that reads `ARGS`.
    pub procedure: Option<String>,
    /// The parameters.
    pub parameters: Vec<ParameterInfo>,
}

/// A parameter on the command line.
#[derive(Debug, serde::Serialize)]
pub struct ParameterInfo {
    /// The name in the script.
    pub name: String,
    /// The spelling as an option.
    pub option: String,
    /// `argument`, `rest` or `option`.
    pub role: &'static str,
    /// `flag`, `text`, `int`, `float`, or a list or map of these: `list of int`.
    pub kind: String,
    /// Whether the parameter is required.
    pub required: bool,
    /// The default value.
    pub default: Option<Value>,
    /// The purpose of the parameter.
    pub documentation: Option<String>,
}

impl CommandLine {
    fn of(interface: Interface) -> CommandLine {
        let parameters = interface.parameters.iter().map(|parameter| ParameterInfo {
            name: parameter.name.to_string(),
            option: format!("--{}", parameter.option()),
            role: match parameter.role {
                Role::Argument => "argument",
                Role::Rest => "rest",
                Role::Option => "option",
            },
            kind: match parameter.kind {
                Kind::Flag => "flag".to_owned(),
                Kind::One(element) => element.name().to_owned(),
                Kind::List(element) => format!("list of {}", element.name()),
                Kind::Map(element) => format!("map of {}", element.name()),
            },
            required: parameter.is_required(),
            default: parameter.default.clone(),
            documentation: parameter.documentation.clone(),
        });
        CommandLine {
            parameters: parameters.collect(),
            procedure: interface.procedure.map(|name| name.to_string()),
            description: interface.description,
        }
    }
}

impl Info {
    /// Returns the metadata of a lowered script.
    pub(super) fn of(tree: &Tree, program: &Program, interface: Option<Interface>) -> Info {
        let procedures = program.own_procedures().iter().map(|procedure| {
            ProcedureInfo::new(&procedure.name, &procedure.params, procedure.documentation.as_deref())
        });
        Info {
            version: tree.version.clone(),
            metadata: tree.metadata.iter().map(|metadata| (metadata.key.clone(), metadata.value.clone())).collect(),
            procedures: procedures.collect(),
            modules: tree.uses().map(|used| (used.name.text.to_string(), used.path.clone())).collect(),
            command_line: interface.map(CommandLine::of),
        }
    }
}

/// Metadata of a procedure.
#[derive(Debug, serde::Serialize)]
pub struct ProcedureInfo {
    /// The name.
    pub name: String,
    /// The parameters, required ones first.
    pub parameters: Vec<String>,
    /// Number of required parameters.
    pub required: usize,
    /// The defaults of the other parameters.
    pub defaults: Vec<Value>,
    /// The text of `COMMENT:`.
    pub documentation: Option<String>,
    /// The parameters as a signature shows them.
    #[serde(skip)]
    pub shown_parameters: Vec<String>,
}

impl ProcedureInfo {
    /// Returns the metadata of a procedure with these parameters.
    pub(super) fn new(name: &str, params: &[Param], documentation: Option<&str>) -> ProcedureInfo {
        ProcedureInfo {
            name: name.to_owned(),
            parameters: params.iter().map(|param| param.name.to_string()).collect(),
            required: required(params),
            defaults: params.iter().filter_map(|param| param.default.clone()).collect(),
            documentation: documentation.map(str::to_owned),
            shown_parameters: params.iter().map(Param::to_string).collect(),
        }
    }

    /// Returns the signature: `Sum(start, end?, step: 1)`.
    pub fn signature(&self) -> String {
        format!("{}({})", self.name, self.shown_parameters.join(", "))
    }
}
