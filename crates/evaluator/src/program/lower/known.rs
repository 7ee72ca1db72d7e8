//! Procedures that a check need not lower again, since they are known.

use std::cell::RefCell;

use crate::program::known::{Known, KnownProcedures, Meaning, Meanings, WrittenText, hash_of};
use crate::program::scope::Variables;
use crate::program::statements::{set_by, statements};
use crate::program::tree::{Body, Procedure};
use crate::program::unit::Unit;
use crate::text::{Diagnostic, Sources, Span};

use super::{BodyContext, Signatures, WrittenProcedure, described, lower_procedure};

/// The procedures of a text that are known, and the meanings of its words.
pub(super) struct KnownText<'a> {
    procedures: &'a RefCell<KnownProcedures>,
    meanings: Meanings,
}

impl<'a> KnownText<'a> {
    pub fn of(
        procedures: &'a RefCell<KnownProcedures>,
        unit: &Unit,
        top: &Variables,
        signatures: &Signatures,
        modules: &[Signatures],
    ) -> KnownText<'a> {
        let mut meanings = Meanings::default();
        let mut meaning = |name: &str, add: &dyn Fn(&mut Meaning)| match meanings.get_mut(name) {
            Some(meaning) => add(meaning),
            None => add(meanings.entry(name.into()).or_default()),
        };
        top.names().iter().for_each(|name| meaning(name, &|meaning| meaning.is_variable = true));
        for statement in statements(&unit.tree.statements) {
            if let Some(name) = set_by(statement) {
                meaning(&name.text, &|meaning| meaning.is_set_alone = true);
            }
        }
        for (name, signature) in signatures {
            meaning(name, &|meaning| meaning.procedure = Some(signature.hash()));
        }
        for (name, module) in &unit.uses {
            let hash = module.map(|id| modules[id.0 as usize].values().fold(0, |hash, one| hash ^ one.hash()));
            meaning(name, &|meaning| meaning.module = Some(hash_of(hash)));
        }
        KnownText { procedures, meanings }
    }

    fn find(&self, written: WrittenProcedure<'_>, sources: &Sources) -> Known {
        let WrittenProcedure { procedure, start, next, .. } = written;
        let Some(source) = sources.of(procedure.name.span) else { return Known::Never };
        let span = Span { start, end: next.unwrap_or(source.span().end) };
        let text = WrittenText { text: source.slice(span), span };
        self.procedures.borrow_mut().find(procedure, text, &self.meanings)
    }
}

/// Lowers a procedure, unless it is known that nothing can be found in it.
pub(super) fn lower_unless_known(
    written: WrittenProcedure<'_>,
    context: &BodyContext<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Procedure {
    let Some(known) = &context.known else { return lower_procedure(written, context, findings) };
    match known.find(written, context.sources) {
        Known::Clean(clean) => {
            let body = Body { slots: clean.slots().to_vec(), ..Body::default() };
            described(written.procedure, body, context)
        }
        Known::Not(mut new) => {
            let lowered = lower_procedure(written, context, findings);
            new.slots.clone_from(&lowered.body.slots);
            known.procedures.borrow_mut().add_lowered(written.procedure, new);
            lowered
        }
        Known::Never => lower_procedure(written, context, findings),
    }
}
