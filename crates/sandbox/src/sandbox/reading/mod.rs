//! Reading: files, listings, walks and searches. Nothing here changes anything.

pub(super) mod ignore;
pub(super) mod listing;
pub(super) mod read;
pub(super) mod stray_links;
pub(super) mod walk;
