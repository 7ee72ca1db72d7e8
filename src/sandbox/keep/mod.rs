//! What tools overwrite or delete is kept below `.ns`, for [`Retention`] as the policy has it.

/// How long old content is kept; a zero is no limit. What a run kept itself is not given up in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// The most backups of one file.
    pub count: u64,
    /// Days after which a backup or what was deleted is given up.
    pub days: u64,
    /// The most bytes of all backups and all that was deleted.
    pub bytes: u64,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { count: 20, days: 30, bytes: 1 << 30 }
    }
}
