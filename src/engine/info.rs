//! What a script says about itself, for `ns check --info` and for sessions.

use crate::program::tree::{Param, Program, required};
use crate::syntax::ast::Tree;
use crate::value::Value;

/// What a script says about itself.
#[derive(Debug, Default, serde::Serialize)]
pub struct Info {
    /// `FILE_VERSION`
    pub version: Option<String>,
    /// `:: key: value`
    pub metadata: Vec<(String, String)>,
    /// Procedures with their parameters and documentation.
    pub procedures: Vec<ProcedureInfo>,
    /// The modules that it uses: name and path.
    pub modules: Vec<(String, String)>,
}

impl Info {
    /// The information of a script that was lowered.
    pub(super) fn of(tree: &Tree, program: &Program) -> Info {
        let procedures = program.own_procedures().iter().map(|procedure| {
            ProcedureInfo::new(&procedure.name, &procedure.params, procedure.documentation.as_deref())
        });
        Info {
            version: tree.version.clone(),
            metadata: tree.metadata.iter().map(|metadata| (metadata.key.clone(), metadata.value.clone())).collect(),
            procedures: procedures.collect(),
            modules: tree.uses().map(|used| (used.name.text.to_string(), used.path.clone())).collect(),
        }
    }
}

/// What a script says about a procedure.
#[derive(Debug, serde::Serialize)]
pub struct ProcedureInfo {
    /// Its name.
    pub name: String,
    /// Its parameters, required ones first.
    pub parameters: Vec<String>,
    /// How many of them are required.
    pub required: usize,
    /// The defaults of the others.
    pub defaults: Vec<Value>,
    /// Its `COMMENT:` text.
    pub documentation: Option<String>,
    /// Its parameters as a signature shows them.
    #[serde(skip)]
    pub shown_parameters: Vec<String>,
}

impl ProcedureInfo {
    /// The information of a procedure with these parameters.
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

    /// `Sum(start, end?, step: 1)`
    pub fn signature(&self) -> String {
        format!("{}({})", self.name, self.shown_parameters.join(", "))
    }
}
