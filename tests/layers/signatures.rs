//! The parameters of the functions in all crates. Closures and tests inside the sources are left out.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{File, FnArg, ImplItem, ImplItemFn, Item, ItemFn, ItemImpl, ItemTrait, Pat, Signature, TraitItemFn, Type};

use super::crates::CRATES;
use super::imports::is_test;
use crate::support::{package, package_files};

/// The parameters that are tuples, each as `file: function(parameter)`: a tuple of at least two elements, a reference to
/// one, or an alias that the function takes apart. Containers of tuples are left out.
pub fn tuples() -> Vec<String> {
    let files = files();
    let mut traits = Traits::default();
    files.iter().for_each(|(_, file)| traits.visit_file(file));
    let mut found = Vec::new();
    for (name, file) in &files {
        let mut functions = Functions { file: name, traits: &traits, found: &mut found };
        file.items.iter().for_each(|item| functions.visit_item(item));
    }
    found
}

/// The sources of all crates with their names from the top.
fn files() -> Vec<(String, File)> {
    let top = package("");
    let paths = CRATES.iter().flat_map(|owner| package_files(&owner.sources(), &["rs"]));
    let parsed = paths.map(|path| {
        let name = path.strip_prefix(&top).expect("it was found there").display().to_string();
        let text = std::fs::read_to_string(&path).expect("sources are UTF-8");
        let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, file)
    });
    parsed.collect()
}

/// The names of the traits that the crates declare.
#[derive(Default)]
struct Traits(BTreeSet<String>);

impl Traits {
    /// Whether a trait of others dictates the signatures of an `impl`.
    fn are_foreign_to(&self, block: &ItemImpl) -> bool {
        let path = block.trait_.as_ref().map(|(path, _)| path);
        path.and_then(|path| path.segments.last()).is_some_and(|last| !self.0.contains(&last.ident.to_string()))
    }
}

impl<'ast> Visit<'ast> for Traits {
    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.0.insert(item.ident.to_string());
        visit::visit_item_trait(self, item);
    }
}

/// Collects the parameters of a file that are tuples.
struct Functions<'a> {
    file: &'a str,
    traits: &'a Traits,
    found: &'a mut Vec<String>,
}

impl Functions<'_> {
    fn check(&mut self, signature: &Signature) {
        for parameter in &signature.inputs {
            if let FnArg::Typed(typed) = parameter
                && (is_tuple(&typed.ty) || is_taken_apart(&typed.pat))
            {
                let (file, name) = (self.file, &signature.ident);
                self.found.push(format!("{file}: {name}({})", typed.to_token_stream()));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(item) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.check(&function.sig);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.check(&function.sig);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        self.check(&function.sig);
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_item_impl(&mut self, block: &'ast ItemImpl) {
        if self.traits.are_foreign_to(block) {
            let functions =
                block.items.iter().filter_map(|item| if let ImplItem::Fn(it) = item { Some(it) } else { None });
            functions.for_each(|function| self.visit_block(&function.block));
        } else {
            visit::visit_item_impl(self, block);
        }
    }
}

/// Whether a pattern names the elements of a tuple, whose type may be an alias.
fn is_taken_apart(pattern: &Pat) -> bool {
    match pattern {
        Pat::Tuple(tuple) => tuple.elems.len() > 1,
        Pat::Reference(reference) => is_taken_apart(&reference.pat),
        Pat::Paren(inner) => is_taken_apart(&inner.pat),
        _ => false,
    }
}

/// Whether a type is a tuple of at least two elements, or a reference to one.
fn is_tuple(of: &Type) -> bool {
    match of {
        Type::Tuple(tuple) => tuple.elems.len() > 1,
        Type::Reference(reference) => is_tuple(&reference.elem),
        Type::Paren(inner) => is_tuple(&inner.elem),
        Type::Group(inner) => is_tuple(&inner.elem),
        _ => false,
    }
}
