//! Finds the paths that calls name, below the roots and within the policy.

use std::path::Path;

use crate::sandbox::{BackupPath, BackupPathText, PathRule, Root, Roots, SandboxPath, Unresolved};
use crate::text::ToolCode;
use crate::toolkit::{Access, ToolError};

use super::call_record::is_refusal;
use super::policy::Policy;

/// Resolves path texts below the roots, as far as the policy allows the access.
#[derive(Clone, Copy, Debug)]
pub struct Locator<'a> {
    pub(super) roots: Roots<'a>,
    pub(super) policy: &'a Policy,
}

impl<'a> Locator<'a> {
    /// Returns the root that a path text leads to: a further root if the path is below it and absolute paths are
    /// accepted.
    pub(super) fn root_for(&self, path: &str, rule: PathRule) -> &'a Root {
        let path = Path::new(path);
        let is_further = rule.absolute && path.is_absolute() && self.roots.main.part_below(path).is_none();
        let further = self.roots.further.iter().find(|root| is_further && root.part_below(path).is_some());
        further.unwrap_or(self.roots.main)
    }

    /// Finds the backup with this path, if the policy lets a tool change its origin. `see` receives the address of
    /// the origin.
    pub(super) fn kept(&self, path: &str, see: impl FnOnce(&str)) -> Result<BackupPath, ToolError> {
        let below = |root: &Root| Some(path.strip_prefix(&*root.address_of(""))?.strip_prefix('/')?.to_owned());
        let further = self.roots.further.iter().find_map(|root| Some((root, below(root)?)));
        let (root, path) = further.unwrap_or((self.roots.main, path.to_owned()));
        let text = BackupPathText::parse(&path)?;
        let rule = PathRule::INSIDE.not_following().returning();
        let origin = self.place(&root.address_of(&text.origin()), rule, Access::Change, see)?;
        Ok(root.locate_kept(&text, origin)?)
    }

    /// Resolves a path, if the policy allows the access. `see` receives the address before the policy is checked.
    pub(super) fn place(
        &self,
        path: &str,
        rule: PathRule,
        access: Access,
        see: impl FnOnce(&str),
    ) -> Result<SandboxPath, ToolError> {
        self.place_in(self.root_for(path, rule), path, rule, access, see)
    }

    /// Like [`Locator::place`], below a given root.
    pub(super) fn place_in(
        &self,
        root: &Root,
        path: &str,
        rule: PathRule,
        access: Access,
        see: impl FnOnce(&str),
    ) -> Result<SandboxPath, ToolError> {
        let refused = |error: ToolError| error.path(shown_path(path));
        match root.locate(path, rule) {
            Ok(place) => {
                see(&place.address());
                self.policy.admit_place(&place, access).map_err(refused)?;
                Ok(place)
            }
            Err(unreached) => Err(refused(self.unreached(root, unreached, access, see))),
        }
    }

    /// Returns the error for a path that cannot be resolved. A policy refusal takes precedence, so that the error
    /// does not reveal what exists there.
    fn unreached(&self, root: &Root, unreached: Unresolved, access: Access, see: impl FnOnce(&str)) -> ToolError {
        let error = ToolError::from(unreached.error);
        let is_final = error.code == ToolCode::BadArgs || is_refusal(error.code);
        let Some(way) = unreached.way.filter(|_| !is_final) else { return error };
        let address = root.address_of(&way.resolved);
        let admitted = if way.is_whole {
            self.policy.admit_absent(&address, access)
        } else {
            self.policy.admit_path(&address, true, access)
        };
        match admitted {
            Ok(()) => error,
            Err(refusal) => {
                see(&address);
                refusal
            }
        }
    }
}

/// Shortens a path for an error message, so that a huge argument is not repeated.
pub fn shown_path(path: &str) -> String {
    crate::value::print::shortened(path, 200)
}
